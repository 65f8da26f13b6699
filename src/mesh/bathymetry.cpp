// SPDX-License-Identifier: Apache-2.0
// Analytic seafloors: flat, cosine ridges, gaussian seamount, synthetic continental margin (formulas in case.hpp).
// The margin is C2 everywhere, because order-4 columns converge only as fast as the floor is smooth: its slope is a
// quintic smoothstep, its trench the compact bump (1 - r^2)^3, and its undulation a sine that shifts both.
#include "mesh/bathymetry.hpp"

#include <algorithm>
#include <cmath>
#include <numbers>
#include <utility>

#include "error/error.hpp"

namespace agwave {
namespace {

constexpr double pi = std::numbers::pi;

double depth_of(const FlatBathymetry& s, std::array<double, 2>, double, double) { return s.depth; }

double depth_of(const CosineBathymetry& s, std::array<double, 2> size, double x, double y) {
  return s.depth * (1 - s.amplitude * std::cos(2 * pi * s.waves[0] * x / size[0]) * std::cos(2 * pi * s.waves[1] * y / size[1]));
}

double depth_of(const GaussianBathymetry& s, std::array<double, 2>, double x, double y) {
  const double dx = (x - s.center[0]) / s.radius[0], dy = (y - s.center[1]) / s.radius[1];  // 0 for an infinite radius
  return s.depth - s.height * std::exp(-0.5 * (dx * dx + dy * dy));
}

double quintic(double r) {
  r = std::clamp(r, 0.0, 1.0);
  return r * r * r * (10 + r * (6 * r - 15));
}

double bump(double r) {
  const double q = std::max(0.0, 1 - r * r);
  return q * q * q;
}

double depth_of(const MarginBathymetry& s, std::array<double, 2>, double x, double y) {
  const double edge = s.shelf_edge + s.undulation * std::sin(2 * pi * y / s.wavelength);
  const double west = edge - x;  // distance seaward of the shelf edge
  return s.shelf_depth + (s.abyssal_depth - s.shelf_depth) * quintic(west / s.slope_width) +
         (s.trench_depth - s.abyssal_depth) * bump((west - s.slope_width) / (0.5 * s.trench_width));
}

template <class Shape>
class AnalyticBathymetry final : public Bathymetry {
 public:
  AnalyticBathymetry(Shape shape, std::array<double, 2> size, Mark mark) : shape_(std::move(shape)), size_(size), mark_(std::move(mark)) {}

  std::vector<double> depths(std::span<const double> x, std::span<const double> y, std::int64_t, std::int64_t) const override {
    std::vector<double> result;
    result.reserve(x.size() * y.size());
    for (const double yj : y) {
      for (const double xi : x) {
        const double h = depth_of(shape_, size_, xi, yj);
        if (!std::isfinite(h) || h <= 0) {
          throw Error(ExitCode::input, text(to_string(mark_), ": depth is ", h, " m at x = ", xi, " m, y = ", yj,
                                            " m; the water must be deeper than 0 everywhere in the domain"));
        }
        result.push_back(h);
      }
    }
    return result;
  }

 private:
  Shape shape_;
  std::array<double, 2> size_;
  Mark mark_;
};

}  // namespace

std::unique_ptr<Bathymetry> make_analytic_bathymetry(const BathymetryCase& bathymetry, std::array<double, 2> size, const Mark& mark) {
  return std::visit(
      [&]<class Shape>(const Shape& shape) -> std::unique_ptr<Bathymetry> {
        if constexpr (std::is_same_v<Shape, GridBathymetry> || std::is_same_v<Shape, PreparedBathymetry>) {
          throw Error(ExitCode::usage, text(to_string(mark), ": a grid or prepared bathymetry is not an analytic shape"));
        } else {
          return std::make_unique<AnalyticBathymetry<Shape>>(shape, size, mark);
        }
      },
      bathymetry);
}

}  // namespace agwave
