// SPDX-License-Identifier: Apache-2.0
// A fault: its rectangles from the case file or from a finite-fault file, and whether they fit under the sea floor.
#include "source/fault.hpp"

#include <algorithm>
#include <cmath>
#include <numbers>

#include "case/case_parts.hpp"
#include "error/error.hpp"
#include "source/finite_fault.hpp"
#include "source/source_facts.hpp"

namespace agwave {
namespace {

constexpr double most_pieces = 1e6;  // of slip, each with an Okada plane at every node
constexpr std::string_view subfaults = "sources[].shape.subfaults[]";

Subfault read_subfault(const Section& s, bool lonlat, const Geography& geography) {
  return {.place = lonlat ? read_lonlat(s, geography) : Place{s.number("x"), s.number("y"), false},
          .depth = s.number("depth"),
          .strike = s.number("strike"),
          .dip = s.number("dip"),
          .rake = s.number("rake"),
          .slip = s.number("slip"),
          .length = s.number("length"),
          .width = s.number("width"),
          .start = s.optional_number("start"),
          .rise = s.optional_number("rise")};
}

// Rectangles and where each was read, for messages.
std::vector<LocatedSubfault> read_list(const Section& shape, const Geography& geography) {
  std::vector<LocatedSubfault> result;
  const Tree& list = *shape.tree("subfaults");
  if (list.kind != Tree::Kind::list || list.items.empty()) {
    const char* allowed = "a list of maps with x, y or lon, lat, and depth, strike, dip, rake, slip, length, width";
    shape.report("subfaults", "expected a list", {describe(list), allowed, "begin each subfault with '- '"});
    return result;
  }
  for (std::size_t i = 0; i < list.items.size(); ++i) {
    const Tree& entry = list.items[i];
    const bool lonlat = entry.find("lon") || entry.find("lat");
    const Section s(shape.findings(), &entry, entry.line, text(shape.mark("subfaults").key, "[", i, "]"), subfaults, lonlat ? "lonlat" : "metres");
    if (!s.reported()) result.push_back({read_subfault(s, lonlat, geography), s.mark()});
  }
  return result;
}

std::vector<LocatedSubfault> read_file(const Section& shape, const Geography& geography, const std::filesystem::path& folder,
                                       std::optional<Reference>& reference) {
  const std::string file = resolve_path(folder, shape.text("file"));
  if (file.empty()) return {};
  if (!geography) {
    shape.report("file", "a finite-fault file has longitudes and latitudes", {"domain.size", "domain.lonlat", "give the domain as domain.lonlat"});
    return {};
  }
  return read_finite_fault(shape.findings(), file, shape.text("format"), shape.mark("file"), reference);
}

// NaN, from a value already reported, passes.
void check_depth(Findings& findings, const LocatedSubfault& at, Reference reference, bool file) {
  const Subfault& f = at.subfault;
  const double top = top_depth(f, reference), bottom = top + f.width * std::sin(f.dip * std::numbers::pi / 180);
  const ExitCode code = file ? ExitCode::input : ExitCode::usage;
  if (top < -top_tolerance * f.width) {
    findings.add(at.mark, "the top edge of the fault is above the sea floor",
                 {text("depth ", f.depth, " m, which puts it ", rounded(-top), " m above"), "a plane below the floor",
                  "check depth, dip, width and which point `reference` names, or move it down with depth_shift", code});
  } else if (bottom <= 0) {
    findings.add(at.mark, "the fault lies in the sea floor",
                 {text("depth ", f.depth, " m, dip ", f.dip), "a plane below the floor", "give a depth", code});
  }
}

class FaultShape final : public Shape {
 public:
  FaultShape(const Section& shape, const Geography& geography, const std::filesystem::path& folder);
  void add_terms(const Case& c, std::size_t n, const Domain& domain, SourceTerms& to) const override {
    for (UpliftTerm& term : fault_terms(fault_, c.sources[n], domain)) to.uplift.push_back(std::move(term));
  }
  void check(const Section& source, const SourceCase& given) const override;
  void add_facts(const SourceCase& source, const Domain& domain, SourceFacts& facts) const override;
  std::vector<Place> places() const override {
    std::vector<Place> all;
    for (const Subfault& f : fault_.subfaults)
      for (const Place& p : places_of(f)) all.push_back(p);
    return all;
  }
  std::string note(const SourceCase& source) const override;

 private:
  Fault fault_;
  std::string note_;  // about the file
};

FaultShape::FaultShape(const Section& shape, const Geography& geography, const std::filesystem::path& folder) {
  fault_.horizontal = shape.text("horizontal") != "false";
  fault_.poisson = shape.number("poisson");
  fault_.rigidity = shape.number("rigidity");
  fault_.interval = shape.optional_number("interval");
  std::optional<Reference> reference;
  if (const std::string word = shape.text("reference"); !word.empty())
    reference = word == "top" ? Reference::top : word == "bottom" ? Reference::bottom : Reference::centroid;
  const bool file = shape.has("file");
  if (file == shape.has("subfaults")) {
    if (!shape.reported())
      shape.report({}, "exactly one of subfaults and file must be given", {file ? "both" : "neither", "subfaults: [...], or file: model.fsp"});
    return;
  }
  std::vector<LocatedSubfault> list = file ? read_file(shape, geography, folder, reference) : read_list(shape, geography);
  fault_.reference = reference.value_or(Reference::centroid);
  if (file) note_ = softness_note(list, shape.text("file"));
  const double shift = shape.number("depth_shift");
  for (LocatedSubfault& entry : list) {
    entry.subfault.depth += shift;
    check_depth(shape.findings(), entry, fault_.reference, file);
    fault_.subfaults.push_back(entry.subfault);
  }
}

void FaultShape::add_facts(const SourceCase& source, const Domain& domain, SourceFacts& facts) const {
  FaultFacts f;
  double inside = 0, weighted_slip = 0, begin = INFINITY, middle[2] = {0, 0};
  for (const Subfault& part : fault_.subfaults) {
    if (part.slip == 0) continue;
    const double scale = std::abs(source.amplitude), slip = scale * part.slip, area = part.length * part.width;
    const double moment = part.moment ? scale * *part.moment : fault_.rigidity * slip * area;
    const auto [x, y] = part.place.geographic ? domain.to_xy(part.place.x, part.place.y) : std::array{part.place.x, part.place.y};
    ++f.subfaults;
    f.moment += moment;
    f.area += area;
    weighted_slip += slip * area;
    f.largest_slip = std::max(f.largest_slip, slip);
    if (part.start && *part.start < begin) facts.epicentre = {x, y}, begin = *part.start;
    middle[0] += slip * area * x, middle[1] += slip * area * y;
    facts.outlines.push_back(outline_of(part, fault_.reference, domain));
    const double around = 0.5 * std::hypot(part.length, part.width);  // its plane may reach into the domain where its reference point does not
    if (x >= -around && x <= domain.size[0] + around && y >= -around && y <= domain.size[1] + around) inside += slip * area;
  }
  if (f.subfaults == 0) return;
  f.magnitude = (std::log10(f.moment) - 9.1) / 1.5;
  f.mean_slip = weighted_slip / f.area;
  f.stress_drop = 7 * std::pow(std::numbers::pi, 1.5) / 16 * f.moment / std::pow(f.area, 1.5);
  if (!facts.epicentre) facts.epicentre = {middle[0] / weighted_slip, middle[1] / weighted_slip};
  facts.inside = inside / weighted_slip;
  facts.fault = f;
}

std::string FaultShape::note(const SourceCase& source) const {
  if (source.ramp) return note_;
  return text(note_, note_.empty() ? "" : "\n", "note: ", to_string(source.mark),
              ": its subfaults have rise times and no ramp, and rise smoothly, as a ramp of ",
              "type smoothstep; `ramp: {type: linear, duration: 1}` beside shape makes them rise linearly, each in its own time");
}

// Motion normal, subfaults with neither a rise time nor a ramp, a slip cut into too many pieces.
void FaultShape::check(const Section& source, const SourceCase& given) const {
  if (given.motion == Motion::normal) {
    source.report("motion", "a fault moves the floor in three directions",
                  {"'normal'", "vertical", "leave motion out; shape.horizontal says whether horizontal motion counts"});
  }
  const auto& list = fault_.subfaults;
  double pieces = 0;
  for (const Subfault& f : list) {
    const double common = !given.ramp ? 0 : given.ramp->type == Ramp::Type::gaussian ? 15 * given.ramp->sigma : given.ramp->duration;
    if (fault_.interval) pieces += 1 + f.rise.value_or(common) / *fault_.interval;
  }
  if (pieces > most_pieces) {
    source.report("shape", "interval cuts the rise of the subfaults into too many pieces",
                  {text(pieces, ", with interval ", *fault_.interval, " s"), text("up to ", most_pieces), "give a longer interval"});
  }
  const bool timed = std::any_of(list.begin(), list.end(), [](const Subfault& f) { return f.start || f.rise; });
  const auto timeless = std::count_if(list.begin(), list.end(), [](const Subfault& f) { return !f.rise; });
  if (!source.has("ramp") && timeless > 0) {
    source.report("ramp", "missing: a fault needs a ramp in time, or a rise time for each subfault",
                  {text(timeless, " of ", list.size(), " subfaults without"), "a map of keys", "add 'ramp: {type: smoothstep, duration: 10}'"});
  }
  if (timed && given.ramp && given.ramp->type == Ramp::Type::gaussian) {
    source.report("ramp", "start and rise of subfaults do not go with a gaussian ramp",
                  {"'gaussian'", "smoothstep, cosine, linear", "give another ramp, or leave start and rise out"});
  }
}

// clang-format off
const RegisterShape registered({
  .type = "fault",
  .description = "rectangles that slip in an elastic half-space, listed or from a finite-fault file",
  .place = 5,
  .needs_ramp = false,
  .rows = {
    {.key = "subfaults", .kind = Kind::list, .fallback = optional,
     .doc = "Rectangles in an elastic half-space (Okada, 1985); exactly one of subfaults and file"},
    {.key = "file", .kind = Kind::path, .fallback = optional,
     .doc = "Finite-fault model: FSP of SRCMOD or the USGS, FFM.geojson of the USGS, or a table in CSV as GeoClaw has it; needs domain.lonlat"},
    {.key = "format", .kind = Kind::choice, .fallback = "auto", .choices = "auto|fsp|geojson|csv",
     .doc = "Of the file; auto: by the ending of its name, .fsp, .geojson, .json or .csv"},
    {.key = "reference", .kind = Kind::choice, .fallback = optional, .choices = "top|centroid|bottom",
     .shown = "centroid, or as an FSP file says; top in CSV",
     .doc = "Which point of a rectangle its place and depth are those of: the middle of its top edge, its centre, the middle of its bottom edge"},
    {.key = "horizontal", .kind = Kind::choice, .fallback = "true", .choices = "true|false",
     .doc = "Whether horizontal motion of a sloping floor lifts the water too (Tanioka and Satake, 1996)"},
    {.key = "poisson", .fallback = "0.25", .min = 0, .max = 0.5, .doc = "Poisson's ratio of the rock"},
    {.key = "rigidity", .unit = "Pa", .fallback = "30e9", .min = 1e8, .max = 1e12,
     .doc = "Of the rock, for the moment that `check` tells, where a file has none; the motion does not depend on it"},
    {.key = "depth_shift", .unit = "m", .fallback = "0", .min = -12000, .max = 12000,
     .doc = "Added to every depth, as from below sea level to below the sea floor"},
    {.key = "interval", .unit = "s", .fallback = optional, .min = 1e-3, .max = 1e6,
     .doc = "Samples the rise of all subfaults, linear between samples: a load for each interval, not for each pair of start and rise time"},

    {.group = subfaults, .type = "metres", .key = "x", .unit = "m", .fallback = required, .min = -farthest, .max = farthest,
     .doc = "East of the south-west corner, of the reference point"},
    {.group = subfaults, .type = "metres", .key = "y", .unit = "m", .fallback = required, .min = -farthest, .max = farthest,
     .doc = "North of the south-west corner"},
    {.group = subfaults, .type = "lonlat", .key = "lon", .unit = "degrees east", .fallback = required, .min = -180, .max = 360,
     .doc = "Longitude, with domain.lonlat"},
    {.group = subfaults, .type = "lonlat", .key = "lat", .unit = "degrees north", .fallback = required, .min = -90, .max = 90,
     .doc = "Latitude"},
    {.group = subfaults, .type = "metres|lonlat", .key = "depth", .unit = "m", .fallback = required, .min = 0, .max = 7e5,
     .advice = "depth is positive downward", .doc = "Depth of the reference point below the sea floor"},
    {.group = subfaults, .type = "metres|lonlat", .key = "strike", .unit = "degrees", .fallback = required, .min = -360, .max = 360,
     .doc = "Clockwise from north; the plane dips to the right of it"},
    {.group = subfaults, .type = "metres|lonlat", .key = "dip", .unit = "degrees", .fallback = required, .min = 0, .max = 90,
     .doc = "From the horizontal"},
    {.group = subfaults, .type = "metres|lonlat", .key = "rake", .unit = "degrees", .fallback = required, .min = -360, .max = 360,
     .doc = "Of the slip of the hanging wall: 0 left-lateral, 90 thrust"},
    {.group = subfaults, .type = "metres|lonlat", .key = "slip", .unit = "m", .fallback = required, .min = 0, .max = 200,
     .advice = "turn the rake by 180 degrees instead", .doc = "Slip"},
    {.group = subfaults, .type = "metres|lonlat", .key = "length", .unit = "m", .fallback = required, .min = 100, .max = 3e6,
     .doc = "Along strike"},
    {.group = subfaults, .type = "metres|lonlat", .key = "width", .unit = "m", .fallback = required, .min = 100, .max = 1e6,
     .doc = "Along dip"},
    {.group = subfaults, .type = "metres|lonlat", .key = "start", .unit = "s", .fallback = optional, .min = 0, .max = 1e6,
     .advice = "the sea is at rest before 0", .doc = "Rupture time; absent: the ramp's start, or 0"},
    {.group = subfaults, .type = "metres|lonlat", .key = "rise", .unit = "s", .fallback = optional, .min = 1e-3, .max = 1e6,
     .doc = "Rise time; absent: the ramp's duration"},
  },
  .read = read_as<FaultShape>,
  .example = {"{type: fault, reference: top, subfaults: [{x: 40e3, y: 30e3, depth: 3e3, strike: 30, dip: 20, rake: 80, slip: 2, length: 24e3, "
              "width: 12e3}, {x: 45e3, y: 30e3, depth: 3e3, strike: 30, dip: 20, rake: 80, slip: 1, length: 24e3, width: 12e3, start: 2, rise: 3}]}",
              "{type: linear, start: 1, duration: 4}"},
});
// clang-format on

}  // namespace
}  // namespace agwave
