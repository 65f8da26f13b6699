// SPDX-License-Identifier: Apache-2.0
// Water whose sound speed differs by depth, in a flat, closed box: vertical modes that an independent spectral solution gives (spectral_column.hpp), at the order
// of convergence of one speed everywhere; standing modes of a linear 1/c^2, which are Airy functions; the energy budget with walls.
#include <map>

#include "modal_experiment.hpp"
#include "schemes.hpp"
#include "spectral_column.hpp"

namespace agwave::cases {
namespace {

// A channel that bends sound more than any sea does, with its axis in the middle of the water.
MunkSound strong_channel() { return {.axis = 1700, .scale = 1800, .speed = 1420, .perturbation = 0.022, .mark = {}}; }

double munk(const MunkSound& m, double depth) {
  const double d = 2 * (depth - m.axis) / m.scale;
  return m.speed * (1 + m.perturbation * (d - 1 + std::exp(-d)));
}

// Of an experiment's traces, in their order.
std::vector<std::vector<double>> by_spectral_column(const Experiment& s, const OceanCase& ocean, const std::function<double(double)>& speed) {
  const double kx = s.m * pi / s.size[0], ky = s.n * pi / s.size[1];
  std::vector<double> z{-s.depth};
  z.insert(z.end(), s.heights.begin(), s.heights.end());
  z.push_back(0);
  SpectralColumn column(ocean, s.depth, std::hypot(kx, ky), 28, speed);
  const Ramp ramp = gaussian_ramp(s.sigma);
  std::vector<std::vector<double>> P(z.size(), std::vector<double>{0});
  constexpr int per = 2000;
  const double dt = s.interval / per;
  for (double t = 0; t < s.end - 0.5 * s.interval; t += s.interval) {
    for (int n = 0; n < per; ++n) column.step(t + n * dt, dt, [&](double at) { return second_derivative(ramp, at); });
    for (std::size_t n = 0; n < z.size(); ++n) P[n].push_back(column.at(z[n]));
  }
  std::vector<std::vector<double>> all;
  const auto add = [&](const std::array<double, 2>& at, std::size_t level) {
    all.push_back(P[level]);
    for (double& value : all.back()) value *= std::cos(kx * at[0]) * std::cos(ky * at[1]);
  };
  for (const auto& at : s.places) add(at, 0);
  for (const auto& at : s.places)
    for (std::size_t h = 0; h < s.heights.size(); ++h) add(at, 1 + h);
  for (const auto& at : s.places) add(at, z.size() - 1);
  return all;
}

TEST(SoundChannel, ConvergesAsOneSpeedDoes) {
  const Experiment s;
  OceanCase ocean;
  ocean.sound = strong_channel();
  const auto exact = by_spectral_column(s, ocean, [](double depth) { return munk(strong_channel(), depth); });
  const char* names[3] = {"water", "floor", "surface"};
  const double least_order[3] = {4.5, 4.5, 3.0}, largest[3] = {2e-5, 1e-5, 4e-4};
  std::array<double, 3> before{};
  std::printf("    elements    water     order  floor     order  surface   order\n");
  for (const std::array<std::int64_t, 3> elements : {std::array<std::int64_t, 3>{2, 2, 1}, {4, 4, 2}, {8, 8, 4}}) {
    Case c = s.make(elements, 20);
    c.ocean = ocean;
    const Traces traces = run(c);
    const Differences d = differences(c, traces.value, exact);
    const std::array<double, 3> error{d.water, d.floor, d.surface};
    std::printf("    %2ldx%ldx%ld    ", static_cast<long>(elements[0]), static_cast<long>(elements[1]), static_cast<long>(elements[2]));
    for (std::size_t q = 0; q < 3; ++q) {
      const double order = before[q] > 0 ? std::log2(before[q] / error[q]) : 0;
      std::printf("  %.2e  %5.2f", error[q], order);
      if (elements[0] == 8) {
        EXPECT_GT(order, least_order[q]) << names[q];
        EXPECT_LT(error[q], largest[q]) << names[q];
      }
    }
    std::printf("\n");
    before = error;
  }
  // The speed counts: one speed everywhere gives other traces.
  Case c = s.make({4, 4, 2}, 20);
  EXPECT_GT(differences(c, run(c).value, exact).floor, 0.1);
}

// Both integrators on the same mesh; the step's error is small against what the mesh leaves.
TEST(SoundChannel, IntegratorsAgree) {
  Experiment s;
  s.end = 18;
  std::array<Traces, 2> traces;
  for (std::size_t n = 0; n < 2; ++n) {
    Case c = stepped_by(schemes[n], s.make({4, 4, 2}, 40));
    c.ocean.sound = strong_channel();
    traces[n] = run(c);
  }
  EXPECT_LT(max_difference(traces[0].value, traces[1].value), 1e-6);
}

// Each element has the fastest of its nodes: the step is that of the fastest water where it is the same everywhere, and longer where elements are as thin in
// slower water; random pressure does not grow at it.
TEST(SoundChannel, TheStepFollowsTheSpeed) {
  const auto step = [](const SoundCase& sound, double speed) {
    Case c = box_case({8e3, 8e3}, 4000, {4, 4, 4}, Wall::absorbing);
    c.ocean.sound = sound;
    c.ocean.sound_speed = speed;
    set_time(c, 10, 1);
    return make_plan(c, world()).limit.dt;
  };
  EXPECT_NEAR(step(SoundProfile{{0, 4000}, {1600, 1600}, {}}, 1500), step({}, 1600), 1e-6 * step({}, 1600));
  EXPECT_GE(step(SoundProfile{{0, 900, 1100, 4000}, {1400, 1400, 1600, 1600}, {}}, 1500), step({}, 1600) * (1 - 1e-9));
  EXPECT_GT(step(strong_channel(), 1500), step({}, munk(strong_channel(), 0)));
  EXPECT_LT(step(strong_channel(), 1500), step({}, 1420));

  Case c = box_case({8e3, 8e3}, 4000, {4, 4, 4}, Wall::rigid);
  c.domain.bathymetry = GaussianBathymetry{4000, 1500, {4e3, 4e3}, {2e3, 2e3}};
  c.ocean.sound = strong_channel();
  set_time(c, 60, 1);
  c.time.safety = 1;
  Noise noise(1);
  Model model(c, world());
  set_state(model, [&](double, double, double) { return 2 * noise(); });
  const double before = model.budget().final;
  while (!model.finished()) model.advance();
  EXPECT_LT(model.budget().final, 1.5 * before);
}

// Solutions of y'' = x y by their power series, which |x| < 6 leaves twelve digits of: value and slope of the two that begin with 1, 0 and 0, 1.
struct Airy {
  double f = 1, df = 0, g = 0, dg = 1;
  explicit Airy(double x) : g(x) {
    double of_f = 1, of_g = x;
    for (int k = 1; k < 200; ++k) {
      of_f *= x * x * x / ((3 * k - 1) * (3.0 * k));
      of_g *= x * x * x / ((3.0 * k) * (3 * k + 1));
      f += of_f;
      g += of_g;
      if (x == 0) break;
      df += 3 * k * of_f / x;
      dg += (3 * k + 1) * of_g / x;
    }
  }
};

// p = P(z) cos(omega t) of 1/c^2 = a + b z with P'(-H) = 0, P'(0) = omega^2/g P(0).
class AiryMode {
 public:
  AiryMode(double at_surface, double at_floor, double H, double k, double g, double low, double high)
      : a_(1 / (at_surface * at_surface)), b_((a_ - 1 / (at_floor * at_floor)) / H), H_(H), k_(k), g_(g) {
    const bool rising = mismatch(low) < 0;
    EXPECT_TRUE(rising != (mismatch(high) < 0)) << "no mode between";
    for (int step = 0; step < 200; ++step) {
      const double middle = 0.5 * (low + high);
      ((mismatch(middle) < 0) == rising ? low : high) = middle;
    }
    omega = 0.5 * (low + high);
  }
  double speed(double depth) const { return 1 / std::sqrt(a_ - b_ * depth); }
  double shape(double z) const {
    const Airy floor(argument(omega, -H_)), here(argument(omega, z));
    return floor.dg * here.f - floor.df * here.g;
  }
  double omega = 0;

 private:
  double rate(double w) const { return std::cbrt(w * w * b_); }
  double argument(double w, double z) const { return -rate(w) * (z + (w * w * a_ - k_ * k_) / (w * w * b_)); }
  double mismatch(double w) const {
    const Airy floor(argument(w, -H_)), top(argument(w, 0));
    const double value = floor.dg * top.f - floor.df * top.g, slope = -rate(w) * (floor.dg * top.df - floor.df * top.dg);
    return g_ * slope - w * w * value;
  }
  double a_, b_, H_, k_, g_;
};

// Largest error of six periods of a standing mode, over the largest pressure.
double error_of(const AiryMode& mode, const Case& box, double Lx, double Ly, double H) {
  Case c = box;
  const double period = 2 * pi / mode.omega;
  set_time(c, 6 * period, period / 8, 24);
  seafloor(c, 0, 0);
  hydrophone(c, 0, 0, -1500);
  hydrophone(c, Lx, Ly, -2900);
  std::map<double, double> shapes;
  const auto shape = [&](double x, double y, double z) {
    const auto [at, fresh] = shapes.try_emplace(z);
    if (fresh) at->second = mode.shape(z);
    return std::cos(2 * pi * x / Lx) * std::cos(pi * y / Ly) * at->second;
  };
  const Traces traces = run(c, [&](Model& model) { set_state(model, shape); });
  double error = 0, scale = 0;
  const std::array<double, 3> at{shape(0, 0, -H), shape(0, 0, -1500), shape(Lx, Ly, -2900)};
  for (std::size_t n = 0; n < at.size(); ++n)
    for (std::size_t s = 0; s < traces.time.size(); ++s) {
      const double exact = at[n] * std::cos(mode.omega * traces.time[s]);
      error = std::max(error, std::abs(traces.value[n][s] - exact));
      scale = std::max(scale, std::abs(exact));
    }
  return error / scale;
}

TEST(SoundChannel, ModesOfALinearInverseSquareAreAiryFunctions) {
  const double H = 4000, Lx = 16e3, Ly = 12e3, k = std::hypot(2 * pi / Lx, pi / Ly);
  std::printf("    omega [1/s]   4x3x2     8x6x4     order\n");
  for (const auto& range : {std::array{0.6, 1.3}, std::array{1.5, 2.2}}) {  // the first and the second acoustic mode
    const AiryMode mode(1330, 1680, H, k, OceanCase{}.gravity, range[0], range[1]);
    SoundProfile profile;
    for (int n = 0; n <= 800; ++n) {
      profile.depth.push_back(H * n / 800);
      profile.speed.push_back(mode.speed(profile.depth.back()));
    }
    std::array<double, 2> error{};
    for (const std::int64_t n : {0, 1}) {
      Case c = box_case({Lx, Ly}, H, {4 * (n + 1), 3 * (n + 1), 2 * (n + 1)});
      c.ocean.sound = profile;
      error[static_cast<std::size_t>(n)] = error_of(mode, c, Lx, Ly, H);
    }
    std::printf("    %.6f      %.2e  %.2e  %5.2f\n", mode.omega, error[0], error[1], std::log2(error[0] / error[1]));
    EXPECT_LT(error[1], 5e-5);
    EXPECT_GT(std::log2(error[0] / error[1]), 4);
  }
}

// Energy comes from the floor and goes through walls whose impedance differs by depth, over terrain: nothing is lost but what steps leave, at order 4.
TEST(SoundChannel, EnergyBudgetCloses) {
  for (const char* scheme : schemes) {
    double before = 0;
    for (const int per : {16, 32}) {
      Case c = stepped_by(scheme, box_case({12e3, 9e3}, 4000, {3, 3, 2}, Wall::absorbing));
      c.domain.bathymetry = GaussianBathymetry{4000, 1200, {5000, 5000}, {2500, 3000}};
      c.ocean.sound = strong_channel();
      set_time(c, 16, 0.5, per);
      source(c, gaussian({6500, 4000}, {2500, 2000}), smoothstep_ramp(1, 8, 4), 1, Motion::normal);
      const EnergyBudget e = run(c).budget;
      const double residual = std::abs(e.residual) / e.source_work;
      std::printf("    %-10s  dt %.5f s: work %.4e J, out through walls %.4e J, residual %.1e of the work\n", scheme, 0.5 / per, e.source_work,
                  e.boundary_loss, residual);
      EXPECT_GT(e.boundary_loss, 0.05 * e.source_work);
      if (before > 0) {
        EXPECT_GT(std::log2(before / residual), 3.6);
        EXPECT_LT(residual, 1e-6);
      }
      before = residual;
    }
  }
}

}  // namespace
}  // namespace agwave::cases
