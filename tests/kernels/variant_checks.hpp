// SPDX-License-Identifier: Apache-2.0
// What every variant of the kernels must pass, whatever its device: agreement with `reference` on sheared meshes, discrete
// adjointness of its two blocks, and whole RK4 steps with all boundary terms. The registry is the list, so a new variant
// is tested unasked; test_variants.cpp and test_variants_cuda.cpp instantiate the checks for a device each.
#pragma once
#include <gtest/gtest.h>

#include <cmath>
#include <random>
#include <string>
#include <vector>

#include "boundary/floor.hpp"
#include "boundary/sponge.hpp"
#include "fem/forcing.hpp"
#include "fem/load.hpp"
#include "timestep/stable_step.hpp"
#include "timestep/variants.hpp"

namespace agwave {

inline std::vector<double> random_values(std::size_t n, unsigned seed, double scale = 1) {
  std::mt19937_64 engine(seed);
  std::uniform_real_distribution<double> uniform(-scale, scale);
  std::vector<double> values(n);
  for (double& v : values) v = uniform(engine);
  return values;
}

// Smooth random ridges as short as two elements: slopes up to about one, depth within a factor of two and a half.
class Ridges final : public Bathymetry {
 public:
  Ridges(double depth, double width, unsigned seed, double roughness)
      : depth_(depth), coefficient_(random_values(4 * waves, seed)), width_(width), roughness_(roughness) {}
  std::vector<double> depths(std::span<const double> x, std::span<const double> y, std::int64_t, std::int64_t) const override {
    std::vector<double> h;
    for (double b : y)
      for (double a : x) {
        double sum = 0;
        for (int n = 0; n < waves; ++n) {
          const double* c = &coefficient_[4 * n];
          sum += c[0] * std::sin(3 * (c[1] * a + c[2] * b) / width_ + 3 * c[3]);
        }
        h.push_back(depth_ * (1 + roughness_ * std::tanh(sum)));
      }
    return h;
  }

 private:
  static constexpr int waves = 5;
  double depth_;
  std::vector<double> coefficient_;
  double width_, roughness_;
};

// Columns and layers of unequal size, so that an index mistaken for another shows. Without roughness the elements are
// parallelepipeds, for which a variant may take a path of its own.
inline Mesh ridged_mesh(std::array<std::int64_t, 3> elements, int order, double roughness = 0.4) {
  MeshCase c;
  c.elements = elements;
  c.order = order;
  for (std::int64_t k = 0; k <= elements[2]; ++k) c.interfaces.push_back(std::pow(static_cast<double>(k) / static_cast<double>(elements[2]), 1.2));
  const double width = 1000;
  Mesh mesh = make_mesh(c, {width * static_cast<double>(elements[0]), 0.8 * width * static_cast<double>(elements[1])},
                        make_partition(elements, {1, 1, 1}, 0), Ridges(600.0 * static_cast<double>(elements[2]), width, 7, roughness));
  for (std::vector<double>* faces : {&mesh.x_faces, &mesh.y_faces}) {
    const std::vector<double> shift = random_values(faces->size(), 11, 0.2 * width);
    for (std::size_t n = 1; n + 1 < faces->size(); ++n) (*faces)[n] += shift[n];
  }
  return mesh;
}

// Largest difference over the largest reference value; infinite when something is not finite.
inline double relative_difference(const std::vector<double>& a, const std::vector<double>& reference) {
  if (a.size() != reference.size()) return INFINITY;
  double largest = 0, scale = 0;
  for (std::size_t n = 0; n < a.size(); ++n) {
    if (!std::isfinite(a[n])) return INFINITY;
    largest = std::max(largest, std::abs(a[n] - reference[n]));
    scale = std::max(scale, std::abs(reference[n]));
  }
  return scale > 0 ? largest / scale : largest;
}

struct VariantCase {
  const Variant* variant;
  int quadrature, order;
};
inline void PrintTo(const VariantCase& c, std::ostream* out) { *out << c.variant->name << ", quadrature " << c.quadrature << ", order " << c.order; }
inline std::string name_of(const testing::TestParamInfo<VariantCase>& info) {
  std::string name = info.param.variant->name + "_q" + std::to_string(info.param.quadrature) + "_order" + std::to_string(info.param.order);
  for (char& ch : name)
    if (!std::isalnum(static_cast<unsigned char>(ch))) ch = '_';
  return name;
}

inline std::vector<VariantCase> variant_cases(Device device) {
  std::vector<VariantCase> cases;
  for (const Variant& v : variants())
    for (int quadrature : v.quadratures)
      for (int order : {1, 4})
        if (v.device == device && !v.integrator->from_rest) cases.push_back({&v, quadrature, order});  // the others: test_leapfrog4.cpp
  return cases;
}

inline const Variant& reference_variant() {
  for (const Variant& v : variants())
    if (v.name == "reference" && v.device == Device::cpu) return v;
  throw std::logic_error("no variant named reference");
}

// The widest setting: all walls absorb, the surface has gravity, two uplifts load the floor, points sit anywhere.
struct Stage {
  explicit Stage(const Mesh& m) : mesh(m) {
    const double lx = mesh.size[0], ly = mesh.size[1];
    UpliftTerm bump, swell;
    bump.shape = [=](double x, double y) { return std::exp(-8 * (x / lx - 0.4) * (x / lx - 0.4) - 9 * (y / ly - 0.6) * (y / ly - 0.6)); };
    swell.shape = [=](double x, double y) { return 0.3 + std::cos(3 * x / lx - 2 * y / ly); };
    swell.motion = Motion::normal;
    forcing = floor_forcing(mesh, std::vector<UpliftTerm>{bump, swell}, self);
    const std::vector<PointAt> at = {
        {0.31 * lx, 0.77 * ly, 0, PointOn::floor}, {lx, 0, 0, PointOn::surface}, {0.5 * lx, 0.5 * ly, -100, PointOn::depth}};
    points = locate_points(mesh, at, {"floor", "surface", "depth"}).points;
  }
  StepperSetup setup(int quadrature) const { return {mesh, ocean, boundary, quadrature, self, forcing, points, {}, &sponge, {}, levels, &floor}; }

  // A sound speed that differs by depth, over terrain by every node, as steeply as sea water allows.
  void in_a_channel() { ocean.sound = SoundProfile{{0, 150, 600, 1500, 4000, 12000}, {1560, 1500, 1330, 1520, 1640, 1690}, {}}; }

  // A floor that gives way, with a ground of its own under every node: from mud to basalt, on springs that sound meets and on some that it does not.
  void on_soft_ground() {
    floor.gives_way = true;
    floor.area = floor_areas(mesh, self);
    const std::vector<double> hard = random_values(floor.area.size(), 21), quick = random_values(floor.area.size(), 22);
    for (std::size_t n = 0; n < floor.area.size(); ++n) {
      floor.impedance.push_back(4e6 * std::pow(3, hard[n]));
      floor.stiffness.push_back(floor.impedance[n] * 0.3 * std::pow(20, quick[n]));
    }
  }

  const Mesh& mesh;
  Comm self{MPI_COMM_SELF};
  OceanCase ocean;
  BoundaryCase boundary;
  std::vector<NodalForcing> forcing;
  std::vector<PointWeights> points;
  Sponge sponge;                        // damps nothing
  Floor floor;                          // rigid
  const LocalLevels* levels = nullptr;  // or the same step for all
};

inline const std::vector<std::array<std::int64_t, 3>> mesh_shapes = {{1, 1, 1}, {9, 1, 1}, {1, 2, 7}, {3, 5, 2}, {4, 4, 4}};

class Variants : public testing::TestWithParam<VariantCase> {
 protected:
  void SetUp() override {
    const Variant& v = *GetParam().variant;
    const CudaDevice device = v.device == Device::cuda ? find_cuda_device(0) : CudaDevice{};
    const std::string why = why_unavailable(v, device);
    if (!why.empty()) GTEST_SKIP() << "skipped: " << why;
    ASSERT_TRUE(v.make_stepper && v.bytes) << "a variant registers make_stepper and bytes";
  }
};

TEST_P(Variants, AgreeWithReference) {
  const auto [variant, quadrature, order] = GetParam();
  if (!variant->operator_) GTEST_SKIP() << "skipped: a whole stepper; its steps are compared instead";
  for (const auto& shape : mesh_shapes)
    for (double roughness : {0.4, 0.0}) {
      SCOPED_TRACE(testing::Message() << shape[0] << " x " << shape[1] << " x " << shape[2] << ", roughness " << roughness);
      const Mesh mesh = ridged_mesh(shape, order, roughness);
      const Stage stage(mesh);
      const auto p = random_values(static_cast<std::size_t>(mesh.nodes()), 1), u = random_values(static_cast<std::size_t>(mesh.NE()) * 3 * L3D, 2);
      std::vector<double> g_reference, r_reference, g, r;
      reference_variant().operator_->apply_once(stage.setup(quadrature), p, u, g_reference, r_reference);
      variant->operator_->apply_once(stage.setup(quadrature), p, u, g, r);
      EXPECT_LT(relative_difference(g, g_reference), 1e-12);
      EXPECT_LT(relative_difference(r, r_reference), 1e-12);
    }
}

// (u, G p) = (G^T u, p): what the energy identity rests on.
TEST_P(Variants, AreAdjoint) {
  const auto [variant, quadrature, order] = GetParam();
  if (!variant->operator_) GTEST_SKIP() << "skipped: a whole stepper; its steps are compared instead";
  for (const auto& shape : mesh_shapes) {
    SCOPED_TRACE(testing::Message() << shape[0] << " x " << shape[1] << " x " << shape[2]);
    const Mesh mesh = ridged_mesh(shape, order);
    const Stage stage(mesh);
    const auto p = random_values(static_cast<std::size_t>(mesh.nodes()), 3), u = random_values(static_cast<std::size_t>(mesh.NE()) * 3 * L3D, 4);
    std::vector<double> g, r;
    variant->operator_->apply_once(stage.setup(quadrature), p, u, g, r);
    long double gradient = 0, divergence = 0, scale = 0;
    for (std::size_t n = 0; n < u.size(); ++n) {
      gradient += static_cast<long double>(u[n]) * g[n];
      scale += std::abs(u[n] * g[n]);
    }
    for (std::size_t n = 0; n < p.size(); ++n) divergence += static_cast<long double>(r[n]) * p[n];
    EXPECT_LT(std::abs(gradient - divergence), 1e-13L * scale);
  }
}

// A stepper after ten steps at 0.9 of the stable step from random data; `watched` also asks it everything in between.
struct Outcome {
  std::vector<double> p, u, sampled, height, maximum, arrival;
  double energy, loss, product, largest;
};
inline Outcome run_ten_steps(const Variant& variant, const Stage& stage, int quadrature, double dt, bool watched) {
  const double Z = stage.ocean.density * stage.ocean.sound_speed;
  const auto p = random_values(static_cast<std::size_t>(stage.mesh.nodes()), 5, Z);
  const auto u = random_values(static_cast<std::size_t>(stage.mesh.NE()) * 3 * L3D, 6);
  const auto stepper = variant.make_stepper(stage.setup(quadrature));
  stepper->set_state(p, u);
  Outcome o;
  const auto ask = [&] {
    stepper->get_state(o.p, o.u);
    stepper->view().record_sample();
    o.sampled = stepper->view().take_samples();
    o.energy = stepper->view().energies().total();
    stepper->view().record_powers(std::array{1});
    const std::vector<double> powers = stepper->view().take_powers();
    o.loss = powers[0];
    EXPECT_EQ(powers[1], 0);
    o.product = powers[2];
    o.largest = stepper->view().max_pressure();
    stepper->view().surface(o.height, o.maximum, o.arrival);
  };
  for (int n = 0; n < 10; ++n) {
    const double t = n * 1.0;
    std::vector<ForcingSample> rates;  // both terms, one, the other, none: in turn
    if (n % 4 < 2) rates.push_back({0, std::sin(t), std::sin(t + 0.5), std::sin(t + 1)});
    if (n % 4 == 0 || n % 4 == 2) rates.push_back({1, std::cos(t), std::cos(t + 0.5), std::cos(t + 1)});
    stepper->step(dt, rates);
    if (watched) ask();
    if (n % 3 == 2) stepper->view().track_surface(t, 1e-3 * Z / (stage.ocean.density * stage.ocean.gravity));
  }
  stepper->wait();
  ask();
  return o;
}

inline void expect_steps_like_reference(const VariantCase& of, bool in_a_channel) {
  const auto [variant, quadrature, order] = of;
  for (const auto& shape : mesh_shapes) {
    SCOPED_TRACE(testing::Message() << shape[0] << " x " << shape[1] << " x " << shape[2]);
    const Mesh mesh = ridged_mesh(shape, order);
    Stage stage(mesh);
    if (in_a_channel) stage.in_a_channel();
    const double dt = 0.9 * stable_step(stage.setup(quadrature), *variant->integrator, stage.self).dt;
    const Outcome expected = run_ten_steps(reference_variant(), stage, quadrature, dt, false);
    const Outcome found = run_ten_steps(*variant, stage, quadrature, dt, false);
    EXPECT_LT(relative_difference(found.p, expected.p), 1e-12);
    EXPECT_LT(relative_difference(found.u, expected.u), 1e-12);
    EXPECT_LT(relative_difference(found.sampled, expected.sampled), 1e-12);
    EXPECT_LT(relative_difference(found.height, expected.height), 1e-12);
    EXPECT_LT(relative_difference(found.maximum, expected.maximum), 1e-12);
    EXPECT_EQ(found.arrival, expected.arrival);
    EXPECT_NEAR(found.energy, expected.energy, 1e-12 * expected.energy);
    EXPECT_NEAR(found.loss, expected.loss, 1e-12 * expected.loss);
    EXPECT_NEAR(found.product, expected.product, 1e-11 * std::abs(expected.product));
    EXPECT_NEAR(found.largest, expected.largest, 1e-12 * expected.largest);
  }
}
TEST_P(Variants, StepLikeReference) { expect_steps_like_reference(GetParam(), false); }
TEST_P(Variants, StepLikeReferenceInASoundChannel) { expect_steps_like_reference(GetParam(), true); }

// Being asked for the completed state must not change a later bit (variants whose sums have no fixed order, as those of operators on GPUs: not by more than
// round-off).
TEST_P(Variants, AreNotChangedByWatching) {
  const auto [variant, quadrature, order] = GetParam();
  const Mesh mesh = ridged_mesh({3, 2, 2}, order);
  const Stage stage(mesh);
  const double dt = 0.9 * stable_step(stage.setup(quadrature), *variant->integrator, stage.self).dt;
  const Outcome alone = run_ten_steps(*variant, stage, quadrature, dt, false), again = run_ten_steps(*variant, stage, quadrature, dt, false);
  const Outcome watched = run_ten_steps(*variant, stage, quadrature, dt, true);
  const bool atomic = variant->device == Device::cuda && variant->operator_;
  const double tolerance = !atomic && alone.p == again.p && alone.u == again.u ? 0 : 1e-13;
  EXPECT_LE(relative_difference(watched.p, alone.p), tolerance);
  EXPECT_LE(relative_difference(watched.u, alone.u), tolerance);
}

// Whatever else passes through the memory of a state: here a velocity whose values are far larger than those of the pressure.
TEST_P(Variants, FindTheLargestPressure) {
  const auto [variant, quadrature, order] = GetParam();
  const Mesh mesh = ridged_mesh({3, 2, 2}, order);
  const Stage stage(mesh);
  const auto stepper = variant->make_stepper(stage.setup(quadrature));
  stepper->set_state(random_values(static_cast<std::size_t>(mesh.nodes()), 8), random_values(static_cast<std::size_t>(mesh.NE()) * 3 * L3D, 9, 1e6));
  for (int n = 0; n < 4; ++n) {
    stepper->step(1e-12, {});
    const double largest = stepper->view().max_pressure();
    std::vector<double> p, u;
    stepper->get_state(p, u);
    double expected = 0;
    for (const double value : p) expected = std::max(expected, std::abs(value));
    EXPECT_EQ(largest, expected) << "step " << n;
  }
}

TEST_P(Variants, KeepTheStateTheyAreGiven) {
  const auto [variant, quadrature, order] = GetParam();
  const Mesh mesh = ridged_mesh({2, 3, 1}, order);
  const Stage stage(mesh);
  const auto p = random_values(static_cast<std::size_t>(mesh.nodes()), 8), u = random_values(static_cast<std::size_t>(mesh.NE()) * 3 * L3D, 9);
  std::vector<double> p_back, u_back;
  const auto stepper = variant->make_stepper(stage.setup(quadrature));
  stepper->set_state(p, u);
  stepper->get_state(p_back, u_back);
  EXPECT_EQ(p_back, p);
  EXPECT_LE(relative_difference(u_back, u), 1e-15);  // a variant may keep another form of the velocity
  EXPECT_GT(variant->bytes(mesh, quadrature), 0);
  EXPECT_EQ(stepper->arrays(), variant->arrays);  // what checkpoints are sized by
}

}  // namespace agwave
