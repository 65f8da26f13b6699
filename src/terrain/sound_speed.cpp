// SPDX-License-Identifier: Apache-2.0
// Profiles: a monotone cubic Hermite (Fritsch and Carlson 1980, slopes of Fritsch and Butland 1984), which stays between its points however they are spaced;
// Munk's by its formula. Fields: cubic in x, y and depth alike (cubic_weights), so that a column is a profile whose values are interpolated first.
#include "terrain/sound_speed.hpp"

#include <algorithm>
#include <cmath>
#include <stdexcept>

#include "error/error.hpp"
#include "files/checksum.hpp"
#include "terrain/grid.hpp"

namespace agwave {
namespace {

class Profile final : public SoundSpeed {
 public:
  explicit Profile(const SoundProfile& given) : case_(given), slope_(given.depth.size()) {
    const std::size_t last = slope_.size() - 1;
    const auto width = [&](std::size_t k) { return case_.depth[k + 1] - case_.depth[k]; };
    const auto secant = [&](std::size_t k) { return (case_.speed[k + 1] - case_.speed[k]) / width(k); };
    for (std::size_t k = 1; k < last; ++k) {
      const double before = secant(k - 1), after = secant(k), a = 2 * width(k) + width(k - 1), b = width(k) + 2 * width(k - 1);
      slope_[k] = before * after > 0 ? (a + b) / (a / before + b / after) : 0;
    }
    slope_[0] = secant(0);
    slope_[last] = secant(last - 1);
  }
  void column(double, double, std::span<const double> depths, std::span<double> c) const override {
    for (std::size_t n = 0; n < depths.size(); ++n) c[n] = at(depths[n]);
  }
  double deepest() const override { return case_.depth.back(); }
  std::string fingerprint() const override { return checksum_of_values({case_.depth, case_.speed}); }
  ExitCode blame() const override { return case_.from_file ? ExitCode::input : ExitCode::usage; }
  std::string where() const override { return to_string(case_.mark); }

 private:
  double at(double depth) const {
    if (depth > case_.depth.back()) return case_.speed.back() + (depth - case_.depth.back()) * slope_.back();
    const auto [k, t, inside] = locate(case_.depth, std::max(depth, 0.0));
    const double h = case_.depth[k + 1] - case_.depth[k], s = 1 - t;
    return (1 + 2 * t) * s * s * case_.speed[k] + t * t * (3 - 2 * t) * case_.speed[k + 1] + h * t * s * (s * slope_[k] - t * slope_[k + 1]);
  }

  SoundProfile case_;
  std::vector<double> slope_;  // [1/s]
};

class Munk final : public SoundSpeed {
 public:
  explicit Munk(const MunkSound& given) : case_(given) {}
  void column(double, double, std::span<const double> depths, std::span<double> c) const override {
    for (std::size_t n = 0; n < depths.size(); ++n) {
      const double d = 2 * (depths[n] - case_.axis) / case_.scale;
      c[n] = case_.speed * (1 + case_.perturbation * (d - 1 + std::exp(-d)));
    }
  }
  double deepest() const override { return INFINITY; }
  std::string fingerprint() const override {
    const double all[] = {case_.axis, case_.scale, case_.speed, case_.perturbation};
    return checksum_of_values({all});
  }
  ExitCode blame() const override { return ExitCode::usage; }
  std::string where() const override { return to_string(case_.mark); }

 private:
  MunkSound case_;
};

class Field final : public SoundSpeed {
 public:
  Field(const SoundField& given, Grid grid, const Domain& domain) : mark_(given.mark), grid_(std::move(grid)), domain_(domain) {}

  void column(double x, double y, std::span<const double> depths, std::span<double> c) const override {
    const std::vector<double> profile = profile_at(x, y);
    const std::vector<double>& axis = grid_.times;
    for (std::size_t n = 0; n < depths.size(); ++n) {
      const double depth = std::max(depths[n], 0.0);
      const std::size_t last = axis.size() - 1;
      if (depth > axis[last]) {
        c[n] = profile[last] + (depth - axis[last]) * (profile[last] - profile[last - 1]) / (axis[last] - axis[last - 1]);
        continue;
      }
      const Cell cell = locate(axis, depth);
      const auto w = cubic_weights(axis, cell);
      c[n] = profile[cell.k];
      for (std::size_t a = 0; a < 4; ++a)
        if (w[a] != 0) c[n] += w[a] * (profile[cell.k + a - 1] - profile[cell.k]);
    }
  }
  double deepest() const override { return grid_.times.back(); }
  std::string fingerprint() const override { return checksum_of_values({grid_.x, grid_.y, grid_.times, grid_.values}); }
  ExitCode blame() const override { return ExitCode::input; }
  std::string where() const override { return text(to_string(mark_), ": ", grid_.name); }

 private:
  std::vector<double> profile_at(double x, double y) const {
    const auto [gx, gy] = to_grid(grid_, domain_, x, y);
    const Cell cx = locate(grid_.x, gx), cy = locate(grid_.y, gy);
    if (!cx.inside || !cy.inside) throw Error(ExitCode::input, text(where(), " does not cover ", place_text(domain_, x, y)));
    const auto wx = cubic_weights(grid_.x, cx), wy = cubic_weights(grid_.y, cy);
    const std::size_t nx = grid_.x.size(), level = nx * grid_.y.size();
    std::vector<double> profile(grid_.times.size());
    for (std::size_t k = 0; k < profile.size(); ++k) {
      const double* const values = grid_.values.data() + k * level;
      const double here = values[cy.k * nx + cx.k];
      profile[k] = here;
      for (std::size_t b = 0; b < 4; ++b)
        for (std::size_t a = 0; a < 4; ++a)
          if (wx[a] != 0 && wy[b] != 0) profile[k] += wx[a] * wy[b] * (values[(cy.k + b - 1) * nx + cx.k + a - 1] - here);
    }
    return profile;
  }

  Mark mark_;
  Grid grid_;  // depths as its times
  const Domain& domain_;
};

}  // namespace

SoundSpeedPointer make_sound_speed(const OceanCase& ocean) {
  if (const auto* profile = std::get_if<SoundProfile>(&ocean.sound)) return std::make_shared<Profile>(*profile);
  if (const auto* munk = std::get_if<MunkSound>(&ocean.sound)) return std::make_shared<Munk>(*munk);
  if (ocean.varies()) throw std::logic_error("a field of sound speed needs the domain that it lies in");
  return nullptr;
}

SoundSpeedPointer make_sound_speed(const Case& c, const Domain& domain) {
  const auto* field = std::get_if<SoundField>(&c.ocean.sound);
  if (!field) return make_sound_speed(c.ocean);
  return std::make_shared<Field>(*field, read_sound_field(c, domain), domain);
}

}  // namespace agwave
