// SPDX-License-Identifier: Apache-2.0
// Which variants repeat bit for bit (docs/reliability.md): those of the CPU and, on a GPU, two-sweep and the leapfrogs; the other CUDA variants
// add shared nodes atomically and agree to rounding. And, for the ones that repeat, that a state taken out in pieces and put into another stepper
// goes on with the same bits, whether questions are asked on the way or not: what checkpoints rest on.
// label: gpu
#include <cstring>
#include <map>

#include "../cases/harness.hpp"
#include "error/error.hpp"
#include "timestep/conversion.hpp"

namespace agwave {
namespace {

using State = std::map<std::string, std::vector<double>>;  // of each array of the stepper

std::int64_t items(const StateArray& array, const Mesh& m) { return slabs(array, m) * items_of_slab(array, m); }

// Nodes slab by slab, elements in two halves.
State take(Model& model) {
  const Mesh& m = model.mesh();
  State s;
  for (const StateArray& array : model.stepper().arrays()) {
    const bool nodes = array.items == StateArray::Items::node_rows;
    const std::int64_t size = nodes ? m.NX() : 3 * L3D, all = items(array, m), piece = nodes ? items_of_slab(array, m) : all / 2;
    std::vector<double>& values = s[array.name];
    values.resize(static_cast<std::size_t>(all * size));
    for (std::int64_t first = 0; first < all; first += piece)
      model.stepper().get(
          array, first,
          std::span(values).subspan(static_cast<std::size_t>(first * size), static_cast<std::size_t>(std::min(piece, all - first) * size)));
  }
  return s;
}

void put(Model& model, const State& s) {
  for (const StateArray& array : model.stepper().arrays()) model.stepper().set(array, 0, s.at(array.name));
}

bool same_bits(const std::vector<double>& a, const std::vector<double>& b) {
  return a.size() == b.size() && std::memcmp(a.data(), b.data(), a.size() * sizeof(double)) == 0;
}

Case bumpy(const Variant& variant, int quadrature) {
  Case c = cases::box_case({30000, 20000}, 2000, {9, 5, 2}, Wall::absorbing);
  c.domain.bathymetry = CosineBathymetry{2000, 0.2, {1, 1}};
  cases::source(c, gaussian({12000, 9000}, {4000, 3000}), cases::smoothstep_ramp(0, 1, 2));
  cases::set_time(c, 4, 0.5);
  cases::seafloor(c, 9000, 9000);
  c.solver.device = to_string(variant.device);
  c.solver.variant = variant.name;
  c.solver.quadrature = quadrature;
  return c;
}

void check(const Variant& variant, int quadrature) {
  SCOPED_TRACE(variant.name + text(", quadrature ", quadrature));
  const Case c = bumpy(variant, quadrature);
  const int steps = 8, cut = 5;
  State end[3];
  for (int n = 0; n < 3; ++n) {
    Model model(c, cases::world());
    State middle;
    for (int step = 0; step < steps; ++step) {
      if (step == cut) middle = take(model);
      if (n == 1) model.view().energies();
      if (n == 2 && step == cut) {
        Model other(c, cases::world());
        put(other, middle);
        other.resume(cut, model.ledger());
        while (other.step() < steps) other.advance();
        end[2] = take(other);
        EXPECT_EQ(other.budget().source_work, [&] {
          while (model.step() < steps) model.advance();
          return model.budget().source_work;
        }());
        break;
      }
      model.advance();
    }
    if (n < 2) end[n] = take(model);
  }
  EXPECT_GT(cases::max_abs(end[0].at("pressure")), 1e4);
  for (int n = 1; n < 3; ++n) {
    for (const auto& [name, values] : end[0])
      EXPECT_TRUE(same_bits(end[n].at(name), values)) << (n == 1 ? "a second run" : "a continued run") << ": " << name;
  }
}

TEST(Determinism, EveryCpuVariant) {
  int checked = 0;
  for (const Variant& variant : variants())
    if (variant.device == Device::cpu)
      for (const int quadrature : variant.quadratures) {
        check(variant, quadrature);
        ++checked;
      }
  EXPECT_GE(checked, 3);
}

TEST(Determinism, EveryCudaVariantThatPromisesIt) {
  const CudaDevice device = find_cuda_device(0);
  if (!device.present) GTEST_SKIP() << "skipped: " << device.name;
  int checked = 0;
  for (const Variant& variant : variants())
    if (variant.device == Device::cuda && variant.repeats && why_unavailable(variant, device).empty()) {
      check(variant, 4);
      ++checked;
    }
  if (checked == 0) GTEST_SKIP() << "skipped: two-sweep does not run on this device";
}

}  // namespace
}  // namespace agwave
