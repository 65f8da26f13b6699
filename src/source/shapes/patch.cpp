// SPDX-License-Identifier: Apache-2.0
// A rectangle: 1 inside, falling off within it, over `taper` metres from each edge, by half a cosine.
#include <algorithm>
#include <cmath>
#include <numbers>

#include "case/case_parts.hpp"
#include "error/error.hpp"
#include "source/source_facts.hpp"

namespace agwave {
namespace {

class Patch final : public FloorShape {
 public:
  Patch(const Section& shape, const Geography&, const std::filesystem::path&)
      : x_(read_range(shape, "x")), y_(read_range(shape, "y")), taper_(shape.number("taper")) {
    const double half = 0.5 * std::min(x_.max - x_.min, y_.max - y_.min);
    if (half > 0 && taper_ > half) {  // the tapers would leave no part at full height
      shape.report("taper", "wider than half the patch", {text(taper_), text("at most ", half, " m")});
    }
  }

  Height height(double amplitude, const Domain&) const override {
    const auto edge = [taper = taper_](double inside) {  // by distance inside an edge
      if (inside < 0) return 0.0;
      return inside >= taper ? 1.0 : 0.5 * (1 - std::cos(std::numbers::pi * inside / taper));
    };
    return [amplitude, edge, rx = x_, ry = y_](double x, double y) {
      return amplitude * edge(x - rx.min) * edge(rx.max - x) * edge(y - ry.min) * edge(ry.max - y);
    };
  }

  void add_facts(const SourceCase&, const Domain& domain, SourceFacts& facts) const override {
    const auto within = [](const Range& r, double size) { return std::max(0.0, std::min(r.max, size) - std::max(r.min, 0.0)) / (r.max - r.min); };
    facts.where = {x_, y_};
    facts.inside = within(x_, domain.size[0]) * within(y_, domain.size[1]);
  }

 private:
  Range x_, y_;
  double taper_;
};

constexpr Row limits(std::string_view key, std::string_view doc) {
  return {.key = key, .kind = Kind::numbers, .unit = "m", .fallback = required, .min = -farthest, .max = farthest, .count = 2, .doc = doc};
}

const RegisterShape registered({
    .type = "patch",
    .description = "a rectangle with tapered edges",
    .place = 3,
    .rows = {limits("x", "West and east limits"),
             limits("y", "South and north limits"),
             {.key = "taper", .unit = "m", .fallback = "0", .min = 50, .max = farthest, .zero = true, .doc = "Width of the cosine taper; 0: none"}},
    .read = read_as<Patch>,
    .example = {"{type: patch, x: [20e3, 50e3], y: [15e3, 40e3], taper: 6e3}"},
});

}  // namespace
}  // namespace agwave
