// SPDX-License-Identifier: Apache-2.0
// Reads the list of sources, each amplitude * shape(x, y) * ramp(t).
#include <algorithm>
#include <cmath>

#include "case/case_parts.hpp"
#include "case/shape.hpp"
#include "error/error.hpp"

namespace agwave {
namespace {

constexpr double largest_start = 1e-12;      // of a ramp at t = 0
constexpr double gaussian_wait = 7.0344869;  // (1 - erf(gaussian_wait / sqrt(2))) / 2 = largest_start

// The sea starts at rest over an undisplaced floor: what has risen by t = 0 would be lost without a word.
void require_rest(const Section& section, const Ramp& ramp) {
  const bool gaussian = ramp.type == Ramp::Type::gaussian;
  const double risen = ramp_value(ramp, 0);
  if (!(risen > largest_start)) return;  // NaN: reported already
  const double least = std::ceil(100 * gaussian_wait * ramp.sigma) / 100;
  section.report(gaussian ? "center" : "start", "the uplift has begun before t = 0, where the sea starts at rest over an undisplaced floor",
                 {gaussian ? text("center ", ramp.center, " s, sigma ", ramp.sigma, " s: ", risen, " of the uplift at t = 0")
                           : text(ramp.start, " s: ", risen, " of the uplift at t = 0"),
                  gaussian ? text("at least 7.04 sigma (", least, " s)") : "0 s or later",
                  gaussian ? text("give center: ", least, ", or a smaller sigma") : "give start: 0"});
}

Ramp read_ramp(const Section& section) {
  Ramp ramp;
  const std::string& type = section.type();
  if (type == "gaussian") {
    ramp.type = Ramp::Type::gaussian;
    ramp.center = section.number("center");
    ramp.sigma = section.number("sigma");
  } else if (!type.empty()) {
    ramp.type = type == "cosine" ? Ramp::Type::cosine : type == "linear" ? Ramp::Type::linear : Ramp::Type::smoothstep;
    ramp.start = section.number("start");
    ramp.duration = section.number("duration");
    if (type == "smoothstep") ramp.order = static_cast<int>(whole(section.number("order")));
  }
  if (!type.empty()) require_rest(section, ramp);
  return ramp;
}

bool needs_ramp(std::string_view type) {
  return std::ranges::any_of(shape_kinds(), [&](const ShapeKind& kind) { return kind.type == type && kind.needs_ramp; });
}

SourceCase read_source(const Section& source, const Geography& geography, const std::filesystem::path& folder) {
  SourceCase result;
  result.mark = source.mark();
  const Section shape = source.section("shape");
  result.shape = read_shape(shape, geography, folder);
  result.type = shape.type();
  result.amplitude = source.number("amplitude");
  result.motion = source.text("motion") == "normal" ? Motion::normal : Motion::vertical;
  if (source.has("ramp")) {
    result.ramp = read_ramp(source.section("ramp"));
  } else if (needs_ramp(shape.type())) {
    source.report("ramp", "missing: the uplift needs a ramp in time",
                  {"", "a map of keys (only a grid with times does without)", "add 'ramp: {type: smoothstep, duration: 10}'"});
  }
  if (result.shape) result.shape->check(source, result);
  return result;
}

}  // namespace

Place read_center(const Section& shape, const Geography& geography) {
  const Tree* center = shape.tree("center");
  if (center && center->kind == Tree::Kind::map) return read_lonlat(shape.section("center"), geography);
  const auto [x, y] = pair(shape.numbers("center"));
  return {x, y, false};
}

std::vector<SourceCase> read_sources(const Section& root, const Geography& geography, const std::filesystem::path& folder) {
  std::vector<SourceCase> result;
  if (!root.has("sources")) return result;
  const Tree& list = *root.tree("sources");
  if (list.kind != Tree::Kind::list) {
    const char* allowed = "a list of maps with shape, amplitude, ramp, motion";
    root.report("sources", "expected a list", {describe(list), allowed, "begin each source with '- '"});
    return result;
  }
  for (std::size_t i = 0; i < list.items.size(); ++i) {
    const Section source(root.findings(), &list.items[i], list.items[i].line, text("sources[", i, "]"), "sources[]");
    result.push_back(read_source(source, geography, folder));
  }
  return result;
}

}  // namespace agwave
