// SPDX-License-Identifier: Apache-2.0
// A standing wave of the box, cos(m pi x/Lx) cos(n pi y/Ly), whose water responds with one mode along x and y.
#include <cmath>
#include <numbers>

#include "source/uplift.hpp"

namespace agwave {
namespace {

class Modal final : public FloorShape {
 public:
  Modal(const Section& shape, const Geography&, const std::filesystem::path&) : modes_(pair(shape.numbers("modes"))) {}

  Height height(double amplitude, const Domain& domain) const override {
    const double kx = modes_[0] * std::numbers::pi / domain.size[0], ky = modes_[1] * std::numbers::pi / domain.size[1];
    return [=](double x, double y) { return amplitude * std::cos(kx * x) * std::cos(ky * y); };
  }

 private:
  std::array<double, 2> modes_;  // whole
};

const RegisterShape registered({
    .type = "modal",
    .description = "a standing wave of the whole box",
    .place = 2,
    .rows = {{.key = "modes",
              .kind = Kind::integers,
              .fallback = required,
              .min = 0,
              .max = 1000,
              .count = 2,
              .doc = "m, n in cos(m pi x/Lx) cos(n pi y/Ly)"}},
    .read = read_as<Modal>,
    .example = {"{type: modal, modes: [0, 0]}"},
});

}  // namespace
}  // namespace agwave
