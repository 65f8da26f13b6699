// SPDX-License-Identifier: Apache-2.0
// With rigid walls and v = 1 the pressure equation says that  int p / K dV + int p / (rho g) dS  is the volume that the floor has
// displaced. For sources linear in time, forced by differences, that holds after every step to round-off, whatever the step.
// And over slopes the volume of a fault is that of vertical and horizontal motion, after Tanioka and Satake (1996).
#include <numeric>

#include "../unit/temp_dir.hpp"
#include "fem/forcing.hpp"
#include "fem/load.hpp"
#include "fem/points.hpp"
#include "schemes.hpp"
#include "source/uplift.hpp"
#include "terrain/domain.hpp"

namespace agwave::cases {
namespace {

// The lumped masses are GLL quadrature, so this is the discrete integral itself.
double stored_volume(Model& model, const OceanCase& ocean) {
  const Mesh& m = model.mesh();
  std::vector<double> p, u;
  model.stepper().get_state(p, u);
  const double K = ocean.density * ocean.sound_speed * ocean.sound_speed;
  double volume = 0;
  for (std::int64_t e = 0; e < m.NE(); ++e) {
    const int ex = static_cast<int>(e % m.nx()), ey = static_cast<int>(e / m.nx() % m.ny()), ez = static_cast<int>(e / m.nx() / m.ny());
    for (int n = 0; n < D3D; ++n) {
      const int i = 4 * ex + n % 5, j = 4 * ey + n / 5 % 5, k = 4 * ez + n / 25;
      const double area = gll.w[n % 5] * gll.w[n / 5 % 5] * m.ax(ex) * m.ay(ey), at = p[(static_cast<std::size_t>(k) * m.NY() + j) * m.NX() + i];
      volume += at * area * gll.w[n / 25] * 0.5 * (m.sigma_floor(ez) - m.sigma_top(ez)) * m.depth_at(i, j) / K;
      if (k + 1 == m.NZ()) volume += at * area / (ocean.density * ocean.gravity);
    }
  }
  return volume;
}

double load_sum(const Mesh& mesh, const UpliftTerm& term) {
  double sum = 0;
  for (const double v : floor_load(mesh, term, world())) sum += v;
  return sum;
}

ShapePointer two_subfaults(bool horizontal = true) {
  return make_shape(text("{type: fault, horizontal: ", horizontal ? "true" : "false",
                         ", subfaults: [{x: 18e3, y: 22e3, depth: 9e3, strike: 75, dip: 25, rake: 80, slip: 2.5, length: 20e3, width: 12e3, "
                         "start: 0.37, rise: 3.1}, {x: 34e3, y: 26e3, depth: 9e3, strike: 75, dip: 25, rake: 100, slip: 1.5, length: 18e3, "
                         "width: 12e3, start: 1.93, rise: 2.45}]}"));
}

Case box_over_a_seamount(const ShapePointer& shape) {
  Case c = box_case({50e3, 50e3}, 4000, {5, 5, 2});
  c.domain.bathymetry = GaussianBathymetry{4000, 2000, {20e3, 24e3}, {8e3, 6e3}};
  SourceCase s;
  s.shape = shape;
  c.sources.push_back(s);
  return c;
}

std::size_t expect_exact_with(const Case& c) {
  Model model(c, world());
  std::vector<double> volumes;
  double all = 0;
  const auto forcing = make_forcing(model.mesh(), make_terms(c, *model.plan().domain), world());
  for (const NodalForcing& f : forcing) {
    volumes.push_back(std::accumulate(f.weights.begin(), f.weights.end(), 0.0));
    all += std::abs(volumes.back());
  }
  EXPECT_GT(all, 1e8);
  for (std::int64_t step = 0; step < model.plan().steps; ++step) {
    model.advance();
    double displaced = 0;
    for (std::size_t k = 0; k < volumes.size(); ++k) displaced += forcing[k].series.value(model.time()) * volumes[k];
    EXPECT_NEAR(stored_volume(model, c.ocean), displaced, 1e-11 * all) << "t = " << model.time();
  }
  return volumes.size();
}
// With both integrators; how many terms there are.
std::size_t expect_exact(const Case& c) {
  std::size_t terms = 0;
  for (const char* scheme : schemes) {
    SCOPED_TRACE(scheme);
    terms = expect_exact_with(stepped_by(scheme, c));
  }
  return terms;
}

TEST(DisplacedVolume, OfAKinematicFaultIsExactAfterEveryStep) {
  Case c = box_over_a_seamount(two_subfaults());
  c.sources[0].ramp = Ramp{Ramp::Type::linear, 0, 1};  // in their own times; exact is what is linear
  set_time(c, 6, 0.5);
  EXPECT_EQ(expect_exact(c), 2u);
}

// Times that no step meets.
TEST(DisplacedVolume, OfATimeDependentGridIsExactAfterEveryStep) {
  const TempDir dir;
  std::string lines;
  for (const double t : {0.0, 0.37, 1.91, 3.03})
    for (const double y : {40e3, 10e3})
      for (const double x : {10e3, 30e3, 35e3})
        lines += std::to_string(t) + " " + std::to_string(x) + " " + std::to_string(y) + " " + std::to_string(t * t * x / 3e4) + "\n";
  dir.write("uplift.tt1", lines);
  Case c = box_over_a_seamount(make_shape("{type: grid, file: " + (dir / "uplift.tt1") + "}"));
  set_time(c, 4, 0.5);
  EXPECT_EQ(expect_exact(c), 3u);
}

// A shape that is registered is tested: with a linear ramp, if it takes one.
TEST(DisplacedVolume, OfEveryShapeIsExactAfterEveryStep) {
  for (const ShapeKind& kind : shape_kinds()) {
    SCOPED_TRACE(kind.type);
    const TempDir dir;
    Case c = example_case(kind, dir, kind.example.ramp.empty() ? "" : "{type: linear, start: 0.7, duration: 3.1}");
    c.solver.device = box_case({1, 1}, 1, {1, 1, 1}).solver.device;
    if (!terms_of(c, 0, *make_domain(c)).points.empty()) continue;  // steppers take the uplift of the floor alone
    EXPECT_GE(expect_exact(c), 1u);
  }
}

// Against a fine midpoint rule over the analytic seamount.
TEST(DisplacedVolume, CountsHorizontalMotionOverSlopes) {
  const Case c = box_over_a_seamount(two_subfaults());
  const auto volume = [&](bool horizontal) {
    Case here = box_over_a_seamount(two_subfaults(horizontal));
    here.mesh.elements = {20, 20, 1};
    here.mesh.interfaces = uniform_interfaces(1);
    set_time(here, 1, 0.5);
    const Plan plan = make_plan(here, world());
    return load_sum(plan.mesh, plan.sources.uplift[0]);
  };
  const auto domain = make_domain(c);
  const UpliftTerm term = make_uplift(c, *domain)[0];
  const GaussianBathymetry hill = std::get<GaussianBathymetry>(c.domain.bathymetry);
  double vertical = 0, sideways = 0;
  constexpr int n = 1000;
  for (int j = 0; j < n; ++j)
    for (int i = 0; i < n; ++i) {
      const double x = 50e3 * (i + 0.5) / n, y = 50e3 * (j + 0.5) / n, dx = (x - hill.center[0]) / hill.radius[0],
                   dy = (y - hill.center[1]) / hill.radius[1];
      const double rise = hill.height * std::exp(-0.5 * (dx * dx + dy * dy));  // h = H - rise
      const auto u = term.displacement(x, y);
      vertical += u[2];
      sideways += rise * (u[0] * dx / hill.radius[0] + u[1] * dy / hill.radius[1]);
    }
  const double area = std::pow(50e3 / n, 2);
  EXPECT_GT(std::abs(sideways), 0.01 * std::abs(vertical));
  EXPECT_NEAR(volume(false), vertical * area, 1e-4 * std::abs(vertical) * area);
  EXPECT_NEAR(volume(true) - volume(false), sideways * area, 1e-3 * std::abs(sideways) * area);
}

// By how much a term lifts the water over the floor of a mesh, at least and at most, in the end [m].
std::pair<double, double> lifts(const Mesh& mesh, const UpliftTerm& term) {
  double lowest = 0, highest = 0;
  constexpr int n = 300;
  for (int j = 0; j < n; ++j)
    for (int i = 0; i < n; ++i) {
      const double x = mesh.x_faces.back() * (i + 0.5) / n, y = mesh.y_faces.back() * (j + 0.5) / n;
      const ColumnPoint floor = column_point(mesh, x, y);
      const auto u = term.displacement ? term.displacement(x, y) : std::array<double, 3>{};
      const double lift = term.displacement ? u[2] + u[0] * floor.h_x + u[1] * floor.h_y
                                            : term.shape(x, y) * std::sqrt(1 + floor.h_x * floor.h_x + floor.h_y * floor.h_y);
      lowest = std::min(lowest, term.value(1e9) * lift);
      highest = std::max(highest, term.value(1e9) * lift);
    }
  return {lowest, highest};
}

// What `check` and summary.json say is what the run forces, also where the normal leans and a slope moves sideways.
TEST(DisplacedVolume, IsToldAsItIsForced) {
  const auto differs_by_slopes = [](Case c, double& told) {
    c.domain.bathymetry = GaussianBathymetry{5000, 4500, {24e3, 24e3}, {5e3, 5e3}};
    c.mesh.elements = {20, 20, 1};
    c.mesh.interfaces = uniform_interfaces(1);
    set_time(c, 1, 0.5);
    const Plan plan = make_plan(c, world());
    const UpliftTerm& term = plan.sources.uplift[0];
    told = plan.source_facts[0].volume;
    const double forced = load_sum(plan.mesh, term);
    UpliftTerm level = term;
    level.motion = Motion::vertical, level.displacement = {};
    EXPECT_NEAR(told, forced, 2e-3 * std::abs(forced));
    const auto [lowest, highest] = lifts(plan.mesh, term);
    EXPECT_NEAR(plan.source_facts[0].lowest, lowest, 0.01 * (highest - lowest));
    EXPECT_NEAR(plan.source_facts[0].highest, highest, 0.01 * (highest - lowest));
    return std::abs(forced - load_sum(plan.mesh, level)) / std::abs(forced);
  };
  double normal = 0, fault = 0;
  Case c = box_over_a_seamount(make_shape("{type: gaussian, center: [24e3, 24e3], radius: [7e3, 7e3]}"));
  c.sources[0].ramp = Ramp{Ramp::Type::linear, 0, 1};
  c.sources[0].motion = Motion::normal;
  EXPECT_GT(differs_by_slopes(c, normal), 0.05);
  c =
      box_over_a_seamount(make_shape("{type: fault, subfaults: [{x: 24e3, y: 24e3, depth: 9e3, strike: 75, dip: 25, rake: 80, slip: 2.5, "
                                     "length: 20e3, width: 12e3}]}"));
  c.sources[0].ramp = Ramp{Ramp::Type::linear, 0, 1};
  EXPECT_GT(differs_by_slopes(c, fault), 0.02);
}

}  // namespace
}  // namespace agwave::cases
