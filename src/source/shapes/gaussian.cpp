// SPDX-License-Identifier: Apache-2.0
// A bell, exp(-(dx^2/rx^2 + dy^2/ry^2)/2); an infinite radius makes a ridge.
#include <cmath>
#include <numbers>

#include "case/case_parts.hpp"
#include "source/source_facts.hpp"

namespace agwave {
namespace {

class Gaussian final : public FloorShape {
 public:
  Gaussian(const Section& shape, const Geography& geography, const std::filesystem::path&)
      : center_(read_center(shape, geography)), radius_(pair(shape.numbers("radius"))) {}

  Height height(double amplitude, const Domain& domain) const override {
    const auto [cx, cy] = center_.geographic ? domain.to_xy(center_.x, center_.y) : std::array{center_.x, center_.y};
    return [=, cx = cx, cy = cy, r = radius_](double x, double y) {
      const double dx = (x - cx) / r[0], dy = (y - cy) / r[1];  // 0 for an infinite radius
      return amplitude * std::exp(-0.5 * (dx * dx + dy * dy));
    };
  }
  void add_facts(const SourceCase&, const Domain& domain, SourceFacts& facts) const override {  // the integral of the bell
    const auto [cx, cy] = center_.geographic ? domain.to_xy(center_.x, center_.y) : std::array{center_.x, center_.y};
    const auto within = [](double center, double radius, double size) {
      const double scale = 1 / (std::numbers::sqrt2 * radius);
      return std::isinf(radius) ? 1 : 0.5 * (std::erf((size - center) * scale) + std::erf(center * scale));
    };
    constexpr double reach = 6;  // radii: 2e-8 of the height is left there
    facts.epicentre = {cx, cy};
    facts.where = {{cx - reach * radius_[0], cx + reach * radius_[0]}, {cy - reach * radius_[1], cy + reach * radius_[1]}};
    facts.inside = within(cx, radius_[0], domain.size[0]) * within(cy, radius_[1], domain.size[1]);
  }
  std::vector<Place> places() const override { return {center_}; }

 private:
  Place center_;
  std::array<double, 2> radius_;
};

const RegisterShape registered({
    .type = "gaussian",
    .description = "a bell with two radii",
    .place = 1,
    .rows = {center_row,
             {.key = "radius",
              .kind = Kind::numbers,
              .unit = "m",
              .fallback = required,
              .min = 50,
              .max = INFINITY,
              .count = 2,
              .doc = "rx, ry in exp(-(dx^2/rx^2 + dy^2/ry^2)/2); .inf: invariant that way"}},
    .read = read_as<Gaussian>,
    .example = {"{type: gaussian, center: [35e3, 28e3], radius: [9e3, 7e3]}"},
});

}  // namespace
}  // namespace agwave
