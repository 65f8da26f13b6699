// SPDX-License-Identifier: Apache-2.0
// Matched strips: what comes back of sound at 0, 30 and 60 degrees, of a long gravity wave, and of a tsunami that meets all walls at every angle, against an
// ocean twice as large; the energy budget; random data over flat, steep and rough floors, which do not grow; finer columns; and what is refused.
// AGWAVE_LONG=1 in the environment makes it 100,000 steps, over rough floors 20,000, instead of 2,000 and 1,500.
// label: slow
#include <cstdlib>
#include <random>
#include <vector>

#include "error/error.hpp"
#include "schemes.hpp"
#include "strip_experiments.hpp"

namespace agwave::cases {
namespace {

constexpr double H = 4000;

Case with_strips(Case c, std::array<double, 4> width, bool matched = true) {
  c.solver.variant = "auto";
  c.solver.scheme = "leapfrog4";
  c.boundary.sponge = {width, matched ? 1e-4 : 0.01, {}, matched};
  return c;
}

TEST(Matched, SoundAtSeveralAngles) {
  std::printf("    angle   fading    matched   (1-cos)/(1+cos) x reflection^cos\n");
  for (const double degrees : {0.0, 30.0, 60.0}) {
    const double cosine = std::cos(degrees * pi / 180), expected = (1 - cosine) / (1 + cosine) * std::pow(1e-4, cosine);
    const auto back = [&](bool matched) {
      return sound_back(degrees, matched ? 0.04 : 0.02, [&](const Case& c) { return with_strips(c, {0, 20e3, 0, 0}, matched); });
    };
    const double fading = back(false), matched = back(true);
    std::printf("    %4.0f    %.4f    %.4f    %.4f\n", degrees, fading, matched, expected);
    EXPECT_NEAR(matched, expected, 0.005);
    if (degrees > 0) {
      EXPECT_LT(matched, 0.1 * fading);
    }
  }
}

// By width in wavelengths, so by period, beside what `check` expects of a plane wave: docs/verification.md.
TEST(Matched, SoundByWidthAndAngle) {
  std::printf("    width / wavelength   angle   fading (expected)   matched (expected)\n");
  for (const double width : {1.0, 2.0, 4.0, 8.0})
    for (const double degrees : {0.0, 30.0, 45.0, 60.0}) {
      double expected[2];
      const auto back = [&](bool matched) {
        return sound_back(
            degrees, 0.1,
            [&](const Case& c) {
              return with_strips(c, {0, width * 4e3, 0, 0}, matched);
            },
            &expected[matched]);
      };
      const double fading = back(false), matched = back(true);
      std::printf("    %4.0f                 %4.0f    %.4f (%.4f)     %.4f (%.4f)\n", width, degrees, fading, expected[0], matched, expected[1]);
      EXPECT_NEAR(fading, expected[0], 0.02 + 0.1 * expected[0]);
      EXPECT_LT(matched, 0.02 + (width < 4 ? 4 : 1) * expected[1]);  // strips of three and six elements do not resolve what they damp by
    }
}

TEST(Matched, LongGravityWave) {
  for (const double width : {20e3, 40e3}) {
    const auto back = [&](bool matched) {
      EnergyBudget budget;
      return gravity_back(24, budget, [&](const Case& c) { return with_strips(c, {0, width, 0, 0}, matched); });
    };
    const double fading = back(false), matched = back(true);
    std::printf("    %3.0f km   fading %.4f   matched %.4f\n", width / 1e3, fading, matched);
    EXPECT_LT(matched, 0.013);
  }
}

// A tsunami in water of 4 km from the middle of 300 x 200 km, with more ocean around or without: heights at five gauges.
Traces tsunami(std::array<double, 2> size, double width, bool matched) {
  const double element = 10e3, x = 0.5 * (size[0] - 300e3), y = 0.5 * (size[1] - 200e3);
  Case c = with_strips(box_case(size, H, {std::llround(size[0] / element), std::llround(size[1] / element), 1}, Wall::absorbing),
                       {width, width, width, width}, matched);
  source(c, gaussian({x + 150e3, y + 100e3}, {12e3, 12e3}), smoothstep_ramp(0, 90, 4));
  for (const auto& at : {std::array{80e3, 100e3}, {70e3, 70e3}, {150e3, 70e3}, {110e3, 70e3}, {90e3, 75e3}}) gauge(c, x + at[0], y + at[1]);
  set_time(c, 1200, 5);
  return run(c);
}

TEST(Matched, AsInALargerOcean) {
  const Traces large = tsunami({600e3, 400e3}, 60e3, false);
  const auto off_by = [&](bool matched) {
    const Traces found = tsunami({300e3, 200e3}, 30e3, matched);
    double worst = 0;
    for (std::size_t s = 0; s < found.value.size(); ++s) {
      double most = 0;
      for (std::size_t n = 0; n < found.time.size(); ++n) most = std::max(most, std::abs(found.value[s][n] - large.value[s][n]));
      worst = std::max(worst, most / max_abs(large.value[s]));
    }
    std::printf("    strips of 30 km, %s: off by %.4f of the peak at worst, residual / work %.1e, sponge / work %.3f\n",
                matched ? "matched" : "fading ", worst, std::abs(found.budget.residual) / found.budget.source_work,
                found.budget.sponge_loss / found.budget.source_work);
    EXPECT_LT(std::abs(found.budget.residual), 1e-4 * found.budget.source_work);
    return worst;
  };
  const double fading = off_by(false), matched = off_by(true);
  EXPECT_LT(matched, 0.02);
  EXPECT_LT(matched, 0.2 * fading);
}

// The largest of the energies after every 250 steps from random pressure, over that after the first 250.
double growth(Case c, int steps) {
  set_time(c, 20, 20);
  Model model(c, world());
  std::mt19937 engine(7);
  std::uniform_real_distribution<double> any(-1, 1);
  set_state(model, [&](double, double, double) { return any(engine); });
  double first = 0, largest = 0, last = 0;
  for (int n = 1; n <= steps; ++n) {
    model.advance();
    if (n % 250 > 0) continue;
    last = model.budget().final;
    if (n == 250) first = last;
    largest = std::max(largest, last);
  }
  std::printf("    step %.4f s, %zu levels: energy after %d steps / after 250: %.1e\n", model.dt(), model.plan().levels.levels.size(), steps,
              last / first);
  return largest / first;
}

const bool all = std::getenv("AGWAVE_LONG");

TEST(Matched, RandomDataDoNotGrow) {
  const double e = 4e3, W = 3 * e;
  const int steps = all ? 100000 : 2000;
  for (const bool steep : {false, true})
    for (const Surface surface : {Surface::rigid, Surface::gravity})
      for (const auto& width : {std::array{W, W, 0., 0.}, {W, W, W, W}})
        for (const Wall walls : {Wall::rigid, Wall::absorbing}) {
          const bool open = surface == Surface::gravity && width[2] > 0;  // the walls are another matter there alone
          if ((walls == Wall::absorbing && !open) || (steep && !open)) continue;
          Case c = with_strips(box_case({8 * e, 8 * e}, H, {8, 8, 1}, walls), width);
          c.boundary.surface = surface;
          if (steep) c.domain.bathymetry = GaussianBathymetry{H, 3000, {9e3, 12e3}, {9e3, 9e3}};
          EXPECT_LE(growth(c, steps), 1);
        }
}

// Depths that differ ninefold in the strips and fivefold within an element, 39 and 20 times in the campaign.
TEST(Matched, NorDoTheyOverRoughFloors) {
  const double e = 4e3, W = 3 * e;
  for (const double amplitude : all ? std::vector{0.2, 0.4, 0.6, 0.8, 0.95} : std::vector{0.8})
    for (const auto& waves : all ? std::vector<std::array<double, 2>>{{1, 1}, {2, 1}, {2, 2}} : std::vector<std::array<double, 2>>{{2, 2}}) {
      Case c = with_strips(box_case({8 * e, 8 * e}, H, {8, 8, 1}, Wall::absorbing), {W, W, W, W});
      c.domain.bathymetry = CosineBathymetry{H, amplitude, waves};
      std::printf("    4 km (1 %+.2f cos cos), %g x %g waves in 32 km\n", amplitude, waves[0], waves[1]);
      EXPECT_LE(growth(c, all ? 20000 : 1500), 1);
    }
}

// Columns of finer levels fade; with more than two halvings in strips, as these shelves would have, what is damped grows.
TEST(Matched, NorDoTheyInLevels) {
  Case c = with_strips(box_case({96e3, 32e3}, H, {24, 8, 1}, Wall::absorbing), {16e3, 16e3, 8e3, 8e3});
  c.domain.bathymetry = GaussianBathymetry{H, 3600, {14e3, 16e3}, {10e3, 9e3}};
  c.time.local_steps = 4;
  EXPECT_LE(growth(c, 1000), 1);
  for (const double shelf : all ? std::vector{1200., 1100., 1000., 900., 800., 700., 620., 560., 500., 450., 400., 350., 250., 170., 120., 60.}
                                : std::vector{1000., 500., 170., 60.}) {
    c = with_strips(box_case({60e3, 20e3}, H, {24, 4, 2}, Wall::absorbing), {0, 10e3, 0, 0});
    c.domain.bathymetry = MarginBathymetry{shelf, 4500, 4500, 40e3, 10e3, 4e3};
    c.boundary.sponge.reflection = 1e-6;
    c.time.local_steps = 8;
    set_time(c, 20, 20);
    const LocalLevels levels = make_plan(c, world()).levels;
    int most = 0;
    for (std::int64_t ex = 20; ex < 24; ++ex) most = std::max(most, levels.halvings_of(ex, 0));
    std::printf("    shelf of %.0f m, %d halvings in the strip:", shelf, most);
    EXPECT_LE(most, 2);
    EXPECT_LE(growth(c, 1500), 1.02);
  }
}

TEST(Matched, IsRefusedWhereItIsNotKnown) {
  const auto why = [](const Case& c) {
    try {
      Model model(c, world());
    } catch (const Error& e) {
      return std::string(e.what());
    }
    return std::string();
  };
  Case c = with_strips(box_case({80e3, 40e3}, H, {20, 10, 1}, Wall::absorbing), {16e3, 0, 0, 0});
  set_time(c, 1, 1);
  EXPECT_EQ(why(c), "");
  c.boundary.sponge.width[0] = 3e3;
  c.mesh.elements = {80, 10, 1};
  EXPECT_NE(why(c).find("less than the water is deep"), std::string::npos) << why(c);
  c.boundary.sponge.width[0] = 16e3;
  c.domain.bathymetry = CosineBathymetry{H, 0.96, {2.5, 0}};
  EXPECT_NE(why(c).find("factor of 49"), std::string::npos) << why(c);
  c.domain.bathymetry = FlatBathymetry{H};
  c.solver.scheme = "rk4";
  EXPECT_NE(why(c).find("leapfrog4"), std::string::npos) << why(c);
}

}  // namespace
}  // namespace agwave::cases
