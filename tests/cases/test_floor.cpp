// SPDX-License-Identifier: Apache-2.0
// A locally reacting floor, p = Z v + k u: a plane pulse comes back by (Z + k/(i omega) - Z_w) / (Z + k/(i omega) + Z_w) on both sides of the corner; standing
// water sinks until the springs hold it, and stays; both integrators converge to the same waves; the energy budget closes; a run goes on, bit for bit on CPUs.
#include <complex>

#include "run/simulation.hpp"
#include "run_directory.hpp"
#include "schemes.hpp"

namespace agwave::cases {
namespace {

constexpr double c0 = 1500, rho = 1025, g = 9.81;

FloorCase ground(double density, double sound_speed) { return {.depth = {}, .density = {density}, .sound_speed = {sound_speed}}; }
FloorCase with_corner(FloorCase floor, double frequency) {  // [Hz]
  floor.stiffness = {2 * pi * frequency * floor.density[0] * floor.sound_speed[0]};
  return floor;
}
Ground of(const FloorCase& floor) { return ground_at(floor, 0); }

std::complex<double> exact_reflection(const Ground& ground, double frequency) {
  const std::complex<double> Z(ground.impedance, -ground.stiffness / (2 * pi * frequency)), water(rho * c0);
  return (Z - water) / (Z + water);
}

// Of a hump at rest in the middle of a column below a lid, half of which goes down and comes back; what goes up comes later.
struct Reflected {
  Ground ground;
  double interval;
  std::vector<double> pulse;  // at a hydrophone between hump and floor
  std::complex<double> at(double frequency) const {
    const double passed = 10.67, way = 8, omega = 2 * pi * frequency;  // [s] between both; there and back
    std::complex<double> in = 0, out = 0;
    for (std::size_t s = 0; s < pulse.size(); ++s) {
      const double t = static_cast<double>(s) * interval;
      (t < passed ? in : out) += interval * pulse[s] * std::polar(1.0, -omega * t);
    }
    // The springs push back for long after: from the last sample on with the time constant of theirs, of which half a sample is in the sum.
    const double end = interval * static_cast<double>(pulse.size() - 1), decay = ground.stiffness / (ground.impedance + rho * c0);
    out += pulse.back() * std::polar(1.0, -omega * end) * (1.0 / std::complex<double>(decay, omega) - 0.5 * interval);
    return out / in * std::polar(1.0, 2 * pi * frequency * way);
  }
};
Reflected reflected(const char* scheme, const FloorCase& floor, std::int64_t layers, int per_interval = 0) {
  const double H = 32e3, sigma = 900;
  Case c = stepped_by(scheme, box_case({2e3, 2e3}, H, {1, 1, layers}));
  c.boundary.surface = Surface::rigid;
  c.boundary.floor = floor;
  set_time(c, 24.5, 0.1, per_interval);
  hydrophone(c, 1e3, 1e3, -26e3);
  const auto traces =
      run(c, [&](Model& m) { set_state(m, [=](double, double, double z) { return std::exp(-0.5 * std::pow((z + 16e3) / sigma, 2)); }); });
  return {of(floor), 0.1, traces.value[0]};
}

TEST(Floor, APlanePulseComesBackByTheImpedance) {
  struct {
    const char* name;
    FloorCase floor;
    std::vector<double> frequencies;
  } const cases[] = {{"sand", ground(1900, 1700), {0.1, 0.2, 0.4}},
                     {"basalt", ground(2700, 5000), {0.1, 0.2, 0.4}},
                     {"mud", ground(1300, 1450), {0.1, 0.2, 0.4}},
                     {"sand, soft", with_corner(ground(1900, 1700), 0.2), {0.05, 0.1, 0.2, 0.4}},
                     {"basalt, soft", with_corner(ground(2700, 5000), 0.15), {0.05, 0.1, 0.2, 0.4}}};
  std::printf("    floor          scheme       f [Hz]   |R|      exact    phase off [degrees]\n");
  for (const auto& [name, floor, frequencies] : cases)
    for (const char* scheme : schemes) {
      const Reflected pulse = reflected(scheme, floor, 32);
      for (const double f : frequencies) {
        const std::complex<double> found = pulse.at(f), exact = exact_reflection(of(floor), f);
        const double phase = std::arg(found / exact) * 180 / pi;
        std::printf("    %-12s   %-10s   %.2f     %.5f  %.5f  %+.3f\n", name, scheme, f, std::abs(found), std::abs(exact), phase);
        EXPECT_NEAR(std::abs(found) / std::abs(exact), 1, 0.003) << name << ", " << scheme << ", " << f;
        EXPECT_LT(std::abs(phase), 0.2) << name << ", " << scheme << ", " << f;
      }
    }
}

// Below the corner too, where the springs answer: by how much less the error falls with each halving of the step.
TEST(Floor, ReflectionConvergesInTheStep) {
  const FloorCase floor = with_corner(ground(1900, 1700), 0.2);
  for (const char* scheme : schemes) {
    std::vector<std::complex<double>> R;
    for (const int per : {1, 2, 4}) R.push_back(reflected(scheme, floor, 16, per).at(0.2));
    const double order = std::log2(std::abs(R[1] - R[0]) / std::abs(R[2] - R[1]));
    std::printf("    %-10s   change by halving a step of 0.1 s: %.1e, of 0.05 s: %.1e, order %.2f\n", scheme, std::abs(R[1] - R[0]),
                std::abs(R[2] - R[1]), order);
    EXPECT_GT(order, std::string(scheme) == "rk4" ? 3.5 : 1.8);
  }
}

// A basin whose floor is lifted by b everywhere, which would raise the surface by eta0 = b / (1 + rho g h / K): what it sinks by goes into the ground and into the
// room that the water itself gives back, p (1/(rho g) + h/K + 1/k) = b, which is eta = eta0 / (1 + rho g / k) in water that is not compressed.
TEST(Floor, SpringsHoldStandingWaterUp) {
  for (const char* scheme : schemes) {
    const double h = 1000, b = 1, K = rho * c0 * c0;
    Case c = stepped_by(scheme, box_case({4e3, 4e3}, h, {1, 1, 1}));
    c.boundary.floor = ground(1900, 1700);
    set_time(c, 3600, 60);
    source(c, gaussian({2e3, 2e3}, {inf, inf}), smoothstep_ramp(0, 30, 2), b);
    gauge(c, 1e3, 2e3);
    seafloor(c, 3e3, 1e3);
    const double k = of(*c.boundary.floor).stiffness, beta = rho * g * h / K, eta0 = b / (1 + beta), eta = eta0 / (1 + rho * g / k / (1 + beta));
    std::vector<double> energy;
    const auto traces = run(c, {}, [&](Model& m) { energy.push_back(m.view().energies().total()); });
    double off = 0;
    for (std::size_t s = 10; s < traces.time.size(); ++s)
      for (const auto& trace : traces.value) off = std::max(off, std::abs(trace[s] / (rho * g * eta) - 1));
    std::printf("    %-10s   eta0 / (1 + rho g / k) = %.6f m; settles at %.6f m, off by %.1e from 600 s to an hour (%ld steps)\n", scheme,
                eta0 / (1 + rho * g / k), traces.value[1].back() / (rho * g), off, std::lround(3600 / traces.dt));
    EXPECT_LT(off, 1e-6);
    EXPECT_NEAR(energy.back() / energy[10], 1, 1e-9);
  }
}

Case hill(const char* scheme, int per_interval) {
  Case c = stepped_by(scheme, box_case({12e3, 9e3}, 4000, {3, 3, 2}, Wall::absorbing));
  c.domain.bathymetry = GaussianBathymetry{4000, 1200, {5000, 5000}, {2500, 3000}};
  c.boundary.floor = FloorCase{.depth = {3000, 4000}, .density = {2500, 1600}, .sound_speed = {4000, 1600}};
  set_time(c, 16, 0.5, per_interval);
  source(c, gaussian({6500, 4000}, {2500, 2000}), smoothstep_ramp(1, 8, 4), 1, Motion::normal);
  seafloor(c, 5000, 5000);
  seafloor(c, 9000, 3000);
  hydrophone(c, 7000, 2000, -1500);
  gauge(c, 6000, 4500);
  return c;
}

TEST(Floor, BudgetCloses) {
  for (const char* scheme : schemes) {
    double before = 0;
    std::printf("    %s\n    dt [s]    work [J]     walls [J]    floor [J]    springs [J]  residual/work   order\n", scheme);
    for (const int per : {16, 32, 64}) {
      const EnergyBudget b = run(hill(scheme, per)).budget;
      const double residual = std::abs(b.residual) / b.source_work;
      std::printf("    %.5f   %.5e  %.5e  %.5e  %.5e  %.2e        %5.2f\n", 0.5 / per, b.source_work, b.boundary_loss, b.floor_loss, b.floor_energy,
                  residual, before > 0 ? std::log2(before / residual) : 0.0);
      EXPECT_GT(b.floor_loss, 0.05 * b.source_work);
      EXPECT_GT(b.floor_energy, 0);
      EXPECT_NEAR(b.residual, b.final - b.source_work + b.boundary_loss + b.floor_loss, 1e-12 * b.source_work);
      if (before > 0) {
        EXPECT_GT(std::log2(before / residual), std::string(scheme) == "rk4" ? 3.3 : 1.8);
      }
      before = residual;
    }
    EXPECT_LT(before, 1e-5);
  }
}

TEST(Floor, BothIntegratorsMakeTheSameWaves) {
  const auto exact = run(hill("rk4", 64));
  double before = 0;
  std::printf("    dt [s]    leapfrog4 from rk4 at %.5f s: floor, water, surface   order\n", exact.dt);
  for (const int per : {8, 16, 32}) {
    const Case c = hill("leapfrog4", per);
    const auto traces = run(c);
    const Differences d = differences(c, traces.value, exact.value);
    const double most = std::max(d.pressure(), d.surface);
    std::printf("    %.5f   %.1e  %.1e  %.1e   %5.2f\n", traces.dt, d.floor, d.water, d.surface, before > 0 ? std::log2(before / most) : 0.0);
    if (before > 0) {
      EXPECT_GT(std::log2(before / most), 1.7);
    }
    before = most;
  }
  EXPECT_LT(before, 1e-5);
}

// Random pressure on mud at the step that the model takes: what damps most.
TEST(Floor, ChosenStepIsStable) {
  for (const char* scheme : schemes)
    for (const FloorCase& floor : {ground(1050, 250), ground(1400, 1500), with_corner(ground(2700, 5000), highest_corner)}) {
      Case c = stepped_by(scheme, box_case({2e3, 2e3}, 2e3, {2, 2, 2}, Wall::absorbing));
      c.boundary.floor = floor;
      c.time.safety = 0.99;
      set_time(c, 200, 100);
      Model model(c, world());
      Noise noise(2024);
      set_state(model, [&](double, double, double) { return noise(); });
      const double start = model.view().energies().total();
      double energy = start, growth = 0;
      for (int step = 0; step < 3000; ++step) {
        model.advance();
        if (step < 2999 && std::string(scheme) != "rk4") continue;
        const double now = model.view().energies().total();
        growth = std::max(growth, now / energy - 1);
        energy = now;
      }
      std::printf("    %-10s   Z %.1e Pa s/m: step %.4f s (waves alone %.4f s), E(3000)/E(0) = %.1e\n", scheme, of(floor).impedance, model.dt(),
                  model.plan().limit.waves_only, energy / start);
      EXPECT_LT(energy, 0.9 * start);
      if (std::string(scheme) == "rk4") {
        EXPECT_LT(growth, 1e-12);
      }
    }
}

// To the bit on CPUs; on GPUs the variants of RK4 that take floors add shared nodes atomically.
void expect_same(const std::vector<double>& found, const std::vector<double>& expected, const std::string& what) {
  ASSERT_EQ(found.size(), expected.size()) << what;
  double largest = 0, off = 0;
  for (std::size_t n = 0; n < found.size(); ++n) {
    largest = std::max(largest, std::abs(expected[n]));
    off = std::max(off, std::abs(found[n] - expected[n]));
  }
  EXPECT_GT(largest, 0) << what;
  EXPECT_LE(off, device_of_tests() == "cpu" ? 0 : 1e-11 * largest) << what;
}

class FloorRestart : public RunDirectory {};

TEST_F(FloorRestart, GoesOn) {
  for (const char* scheme : schemes) {
    const auto to = [&](const char* directory, double end) {
      Case c = hill(scheme, 0);
      c.domain.size = {24e3, 9e3};
      c.mesh.elements = {6, 3, 2};
      c.boundary.sponge.width = {8000, 0, 0, 0};
      c.boundary.sponge.reflection = 0.1;
      c.output.directory = path(directory);
      c.output.checkpoint_interval = 4;
      c.time.end = end;
      return c;
    };
    const Summary whole = Simulation(to("whole", 16), world(), {true}).run();
    Simulation(to("parts", 8), world(), {true}).run();
    RunOptions options{true};
    options.restart = open_restart(path("parts"), to("parts", 16), world());
    const Summary parts = Simulation(to("parts", 16), world(), options).run();
    for (const char* name : {"pressure", "surface_height"})
      expect_same(read("parts/sensors.h5", name), read("whole/sensors.h5", name), text(scheme, ", ", name));
    const auto energies = [](const Summary& of) { return std::vector{of.energy.final, of.energy.floor_loss, of.energy.floor_energy}; };
    expect_same(energies(parts), energies(whole), text(scheme, ", energies"));
    EXPECT_LT(std::abs(whole.energy.residual), 0.02 * whole.energy.source_work);
    for (const char* directory : {"whole", "parts"}) std::filesystem::remove_all(path(directory));
  }
}

}  // namespace
}  // namespace agwave::cases
