// SPDX-License-Identifier: Apache-2.0
// What the tests of local steps share: terrains that step in levels, levels given by hand, Q of psi+ + psi- = (2 - Q) psi as an operator.
#pragma once
#include <random>

#include "harness.hpp"
#include "timestep/leapfrog4/leapfrog4.hpp"
#include "timestep/local_steps/level_boxes.hpp"

namespace agwave::cases {

using Values = std::vector<double>;

// A margin across, with undulations along it, from 60 or 250 m to 2 or 6 km; elements 2 to 5 km wide.
inline Case random_terrain(unsigned seed, std::array<std::int64_t, 3> elements, Wall walls = Wall::rigid) {
  std::mt19937 engine(seed);
  const auto between = [&](double a, double b) { return a + (b - a) * std::uniform_real_distribution<double>()(engine); };
  const double width = between(2e3, 5e3), length = static_cast<double>(elements[0]);
  Case c = box_case({length * width, static_cast<double>(elements[1]) * width}, 4000, elements, walls);
  const double shallow = between(60, 250), deep = between(2e3, 6e3);
  c.domain.bathymetry = MarginBathymetry{shallow,
                                         deep,
                                         deep,
                                         between(0.8, 0.95) * length * width,
                                         between(0.5, 0.9) * length * width,
                                         3 * width,
                                         between(0, 3) * width,
                                         between(6, 20) * width};
  if (seed % 4 == 3) c.boundary.surface = Surface::rigid;
  c.time.local_steps = 8;
  c.time.safety = between(0.7, 0.95);
  set_time(c, 100, 100);
  return c;
}

// Levels of patches with so many halvings each.
inline LocalLevels levels_of(const ColumnPatches& patches, const std::vector<int>& halvings) {
  LocalLevels levels = same_step_for_all(patches, 1);
  levels.levels.clear();
  std::vector<int> kinds = halvings;
  std::sort(kinds.begin(), kinds.end());
  kinds.erase(std::unique(kinds.begin(), kinds.end()), kinds.end());
  for (const int h : kinds) levels.levels.push_back({h, 0});
  for (std::size_t patch = 0; patch < levels.number.size(); ++patch) {
    const auto level = static_cast<std::size_t>(std::find(kinds.begin(), kinds.end(), halvings[patch]) - kinds.begin());
    levels.number[patch] = static_cast<std::uint8_t>(level);
    levels.levels[level].columns += levels.patches.columns(static_cast<std::int64_t>(patch));
  }
  return levels;
}

// Strips of patches from west to east, of so many halvings each, over the whole width.
inline LocalLevels strips(std::int64_t nx, std::int64_t ny, const std::vector<int>& halvings) {
  const ColumnPatches patches{nx, ny};
  std::vector<int> all;
  for (std::int64_t patch = 0; patch < patches.count(); ++patch) all.push_back(halvings[static_cast<std::size_t>(patch % patches.px())]);
  return levels_of(patches, all);
}

// Patches of 0 to `most` halvings at random, one without any.
inline LocalLevels random_levels(const ColumnPatches& patches, int most, unsigned seed) {
  std::mt19937 engine(seed);
  std::vector<int> all(static_cast<std::size_t>(patches.count()));
  for (int& h : all) h = static_cast<int>(engine() % static_cast<unsigned>(most + 1));
  all.front() = 0;
  return levels_of(patches, all);
}

// The case in these levels at the step of its plan.
inline Plan plan_in(const Case& c, const LocalLevels& levels) {
  Plan plan = make_plan(c, world());
  plan.levels = levels;
  plan.levels.step = plan.choice.dt;
  return plan;
}

// Q, applied by a step from P = 0: the walls' mass m and damping S only divide what psi moves by.
class StepOperator {
 public:
  StepOperator(const Case& c, Plan plan) : model_(c, world(), std::move(plan)) {
    const Spaces spaces({model_.mesh(), c.ocean, c.boundary, c.solver.quadrature}, Space::host);
    const NodeView& nodes = spaces.nodes();
    const std::vector<std::uint8_t> halvings = node_halvings(model_.plan().levels, model_.mesh());
    for (std::int64_t n = 0; n < nodes.size(); ++n) {
      const auto [i, j, k] = nodes.locate(n);
      const std::size_t column = static_cast<std::size_t>(j) * static_cast<std::size_t>(nodes.NX) + static_cast<std::size_t>(i);
      const leapfrog4::NodeAt node(nodes, i, j, k, dt(), halvings[column]);
      mass.push_back(nodes.mass(i, j, k));
      wall_mass.push_back(node.mass);
      damping.push_back(node.damping / dt());
    }
    zero_.assign(mass.size(), 0.0);
  }
  double dt() const { return model_.dt(); }
  Model& model() { return model_; }
  std::size_t size() const { return mass.size(); }

  void set(const Values& psi, const Values& P) {
    Stepper& stepper = model_.stepper();
    for (const StateArray& array : {pressure_array, leapfrog4::potential_array}) stepper.set(array, 0, zero_);
    stepper.set(leapfrog4::ahead_array, 0, psi);
    stepper.set(leapfrog4::rate_array, 0, P);
  }
  void step() { model_.stepper().step(dt(), {}); }
  Values get(const StateArray& array) {
    Values values(size());
    model_.stepper().get(array, 0, values);
    return values;
  }
  Values operator()(const Values& psi) {
    set(psi, zero_);
    step();
    Values Q_psi = get(leapfrog4::rate_array);
    for (std::size_t n = 0; n < size(); ++n) Q_psi[n] *= -dt() * (wall_mass[n] + 0.5 * dt() * damping[n]);
    return Q_psi;
  }
  double product(const Values& a, const Values& b) const {  // a^T M b
    double sum = 0;
    for (std::size_t n = 0; n < size(); ++n) sum += mass[n] * a[n] * b[n];
    return sum;
  }

  Values mass, wall_mass, damping;  // M; m; S / M [1/s]

 private:
  Model model_;
  Values zero_;
};

inline Values random_field(std::size_t size, unsigned seed) {
  std::mt19937_64 engine(seed);
  std::uniform_real_distribution<double> uniform(-1, 1);
  Values values(size);
  for (double& v : values) v = uniform(engine);
  return values;
}

}  // namespace agwave::cases
