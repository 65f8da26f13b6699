// SPDX-License-Identifier: Apache-2.0
// Water added at a point, as by an explosion or an air gun far smaller than an element: the volume times ramp(t).
#include "case/case_parts.hpp"
#include "error/error.hpp"
#include "source/uplift.hpp"

namespace agwave {
namespace {

class Point final : public Shape {
 public:
  Point(const Section& shape, const Geography& geography, const std::filesystem::path&)
      : center_(read_center(shape, geography)), z_(shape.number("z")), volume_(shape.number("volume")) {}

  void add_terms(const Case& c, std::size_t n, const Domain& domain, SourceTerms& to) const override {
    const SourceCase& source = c.sources[n];
    const auto [x, y] = center_.geographic ? domain.to_xy(center_.x, center_.y) : std::array{center_.x, center_.y};
    to.points.push_back({ramp_series(require_ramp(source)), x, y, z_, source.amplitude * volume_, to_string(source.mark)});
  }
  void check(const Section& source, const SourceCase& given) const override {
    if (given.motion == Motion::normal)
      source.report("motion", "a point in the water has no direction", {"'normal'", "vertical", "leave motion out"});
  }
  std::vector<Place> places() const override { return {center_}; }

 private:
  Place center_;
  double z_, volume_;  // [m], [m3]
};

const RegisterShape registered({
    .type = "point",
    .description = "water added at a point, anywhere between floor and surface",
    .rows = {center_row,
             {.key = "z",
              .unit = "m",
              .fallback = required,
              .min = -12000,
              .max = 0,
              .advice = "z is up, 0 at the sea surface",
              .doc = "Height above the sea surface, negative"},
             {.key = "volume", .unit = "m3", .fallback = required, .min = -1e12, .max = 1e12, .doc = "Volume of water that is added in all"}},
    .read = read_as<Point>,
    .example = {"{type: point, center: [33e3, 21e3], z: -1700, volume: 2e9}"},
});

}  // namespace
}  // namespace agwave
