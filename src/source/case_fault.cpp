// SPDX-License-Identifier: Apache-2.0
// Reads a fault source: its rectangles from the case file or from a finite-fault file, and whether they fit under the sea floor.
#include <algorithm>
#include <cmath>
#include <numbers>

#include "case/case_parts.hpp"
#include "error/error.hpp"
#include "source/fault.hpp"
#include "source/finite_fault.hpp"

namespace agwave {
namespace {

constexpr double most_pieces = 1e6;  // of slip, each with an Okada plane at every node

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
    shape.findings().add(shape.mark("subfaults"), "expected a list", {describe(list), allowed, "begin each subfault with '- '"});
    return result;
  }
  for (std::size_t i = 0; i < list.items.size(); ++i) {
    const Tree& entry = list.items[i];
    const bool lonlat = entry.find("lon") || entry.find("lat");
    const Section s(shape.findings(), &entry, entry.line, text(shape.mark("subfaults").key, "[", i, "]"), "sources[].shape.subfaults[]",
                    lonlat ? "lonlat" : "metres");
    if (!s.reported()) result.push_back({read_subfault(s, lonlat, geography), s.mark()});
  }
  return result;
}

std::vector<LocatedSubfault> read_file(const Section& shape, const Geography& geography, const std::filesystem::path& folder,
                                       std::optional<Reference>& reference) {
  const std::string file = resolve_path(folder, shape.text("file"));
  if (file.empty()) return {};
  if (!geography.given) {
    shape.findings().add(shape.mark("file"), "a finite-fault file has longitudes and latitudes",
                         {"domain.size", "domain.lonlat", "give the domain as domain.lonlat"});
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
                 {text("depth ", f.depth, " m, which puts it ", -top, " m above"), "a plane below the floor",
                  "check depth, dip, width and which point `reference` names, or move it down with depth_shift", code});
  } else if (bottom <= 0) {
    findings.add(at.mark, "the fault lies in the sea floor",
                 {text("depth ", f.depth, " m, dip ", f.dip), "a plane below the floor", "give a depth", code});
  }
}

}  // namespace

FaultShape read_fault(const Section& shape, const Geography& geography, const std::filesystem::path& folder) {
  FaultShape fault;
  fault.horizontal = shape.text("horizontal") != "false";
  fault.poisson = shape.number("poisson");
  fault.interval = shape.optional_number("interval");
  std::optional<Reference> reference;
  if (const std::string word = shape.text("reference"); !word.empty())
    reference = word == "top" ? Reference::top : word == "bottom" ? Reference::bottom : Reference::centroid;
  const bool file = shape.has("file");
  if (file == shape.has("subfaults")) {
    if (!shape.reported())
      shape.findings().add(shape.mark(), "exactly one of subfaults and file must be given",
                           {file ? "both" : "neither", "subfaults: [...], or file: model.fsp"});
    return fault;
  }
  std::vector<LocatedSubfault> list = file ? read_file(shape, geography, folder, reference) : read_list(shape, geography);
  fault.reference = reference.value_or(Reference::centroid);
  if (file) fault.note = softness_note(list, shape.text("file"));
  const double shift = shape.number("depth_shift");
  for (LocatedSubfault& entry : list) {
    entry.subfault.depth += shift;
    check_depth(shape.findings(), entry, fault.reference, file);
    fault.subfaults.push_back(entry.subfault);
  }
  return fault;
}

void check_fault(const Section& source, const SourceCase& fault) {
  Findings& findings = source.findings();
  if (fault.motion == Motion::normal) {
    findings.add(source.mark("motion"), "a fault moves the floor in three directions",
                 {"'normal'", "vertical", "leave motion out; shape.horizontal says whether horizontal motion counts"});
  }
  const FaultShape& shape = std::get<FaultShape>(fault.shape);
  const auto& list = shape.subfaults;
  double pieces = 0;
  for (const Subfault& f : list) {
    const double common = !fault.ramp ? 0 : fault.ramp->type == Ramp::Type::gaussian ? 15 * fault.ramp->sigma : fault.ramp->duration;
    if (shape.interval) pieces += 1 + f.rise.value_or(common) / *shape.interval;
  }
  if (pieces > most_pieces) {
    findings.add(source.mark("shape"), "interval cuts the rise of the subfaults into too many pieces",
                 {text(pieces, ", with interval ", *shape.interval, " s"), text("up to ", most_pieces), "give a longer interval"});
  }
  const bool timed = std::any_of(list.begin(), list.end(), [](const Subfault& f) { return f.start || f.rise; });
  const auto timeless = std::count_if(list.begin(), list.end(), [](const Subfault& f) { return !f.rise; });
  if (!source.has("ramp") && timeless > 0) {
    findings.add(source.mark("ramp"), "missing: a fault needs a ramp in time, or a rise time for each subfault",
                 {text(timeless, " of ", list.size(), " subfaults without"), "a map of keys", "add 'ramp: {type: linear, duration: 10}'"});
  }
  if (timed && fault.ramp && fault.ramp->type == Ramp::Type::gaussian) {
    findings.add(source.mark("ramp"), "start and rise of subfaults do not go with a gaussian ramp",
                 {"'gaussian'", "smoothstep, cosine, linear", "give another ramp, or leave start and rise out"});
  }
}

}  // namespace agwave
