// SPDX-License-Identifier: Apache-2.0
// One case on every processor grid that the ranks allow, against the same case on one rank: traces, surface, final state and
// energies to 1e-12 of the largest value of each field, the step to the bit, and every sensor owned once although many lie
// exactly on faces, edges and corners of elements. A variant that splits in blocks takes a mesh of three by three by two of them, and long
// ones, where most of a rank's blocks touch no other, and gives the same bits on every grid. Then states are set and read, steps change and exchanges
// are repeated, by ranks that do not keep the same pace. Every variant of a device is run; test_ranks.cpp and test_ranks_cuda.cpp
// choose the device. Rank 0 runs the comparison alone, on MPI_COMM_SELF.
#pragma once
#include <gtest/gtest.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <functional>
#include <string>
#include <thread>
#include <vector>

#include "case/case_file.hpp"
#include "error/error.hpp"
#include "io/output_grid.hpp"
#include "run/devices.hpp"
#include "run/model.hpp"

namespace agwave {

inline const std::string rank_case = R"(
domain:
  size: [20000, 14000]
  bathymetry: {type: cosine, depth: 4000, amplitude: 0.3, waves: [1, 0.5]}
mesh: {elements: [5, 4, 3], layers: [0, 0.5, 0.75, 1]}
boundary: {sponge: {west: 8000, north: 8000, reflection: 0.1}}
sources:
  - shape: {type: gaussian, center: [9000, 6000], radius: [4000, 3000]}
    ramp: {type: smoothstep, duration: 8}
    motion: normal
  - shape: {type: patch, x: [2000, 12000], y: [7000, 12000], taper: 2000}
    amplitude: -0.4
    ramp: {type: linear, start: 1, duration: 3}
time: {end: 6}
sensors:
  interval: 0.5
  seafloor:
    - {name: corner, x: 0, y: 0}
    - {name: face, x: 8000, y: 5000}
    - {name: edge, x: 8000, y: 7000}
    - {name: centre, x: 12000, y: 7000}
    - {name: wall, x: 20000, y: 3500}
    - {name: far_corner, x: 20000, y: 14000}
    - {name: inside, x: 11111, y: 3333}
    - grid: {counts: [6, 5], margin: 0}
  hydrophones:
    - {name: interface, x: 0, y: 0, z: -1400}
    - {name: interface_above, x: 0, y: 0, z: -700}
    - {name: on_edge, x: 4000, y: 3500, z: -500}
    - {name: deep, x: 8000, y: 7000, z: -2500}
    - {name: anywhere, x: 17000, y: 9876, z: -300}
  surface:
    - grid: {counts: [6, 5], margin: 0}
    - {name: off_grid, x: 3210, y: 12345}
)";

// Speeds that differ by every node of the terrain.
inline SoundCase channel() { return MunkSound{.axis = 1700, .scale = 1800, .speed = 1420, .perturbation = 0.022, .mark = {}}; }

struct RankResult {  // traces and maps are complete on every rank or on rank 0; p and u belong to the whole mesh, on rank 0
  double dt = 0;
  std::int64_t steps = 0;
  std::vector<double> floor, water, surface;  // [sample][sensor]
  std::vector<double> p, u, map, energy;
  std::vector<double> p_later, u_later;
};

// All that a stepper may be asked to do on its way, in an order that runs do not have.
inline void wander(Stepper& stepper, double dt, bool from_rest, const Comm& comm, std::vector<double>& p, std::vector<double>& u) {
  int turn = 0;
  const auto dawdle = [&] { std::this_thread::sleep_for(std::chrono::milliseconds((comm.rank() + turn++) % 3)); };
  const auto steps = [&](int count, double size) {
    for (int n = 0; n < count; ++n) {
      stepper.step(size, {});
      if (n % 2) dawdle();
    }
  };
  steps(3, 0.7 * dt);
  stepper.get_state(p, u);
  dawdle();
  steps(1, dt);  // of another size than the one that is prepared
  stepper.damp();
  stepper.damp();
  dawdle();
  steps(2, dt);
  stepper.repeat_exchange();
  if (from_rest) std::fill(u.begin(), u.end(), 0.0);
  stepper.set_state(p, u);
  dawdle();
  stepper.set_state(p, u);
  steps(2, 0.9 * dt);
  stepper.view().energies();
  stepper.repeat_exchange();
  stepper.repeat_exchange();
  steps(1, 0.9 * dt);
  dawdle();
  stepper.settle_exchanges();
  steps(2, 0.8 * dt);
  stepper.get_state(p, u);
}

using GiveLevels = std::function<LocalLevels(const Plan&)>;  // for a plan; empty: its own

inline Model model_in(const Case& c, const Comm& comm, const GiveLevels& levels) {
  Plan plan = make_plan(c, comm);
  if (levels) {
    plan.levels = levels(plan);
    plan.levels.step = plan.choice.dt;
    cut_by_work(plan, c, comm);
  }
  return {c, comm, std::move(plan)};
}

inline RankResult run_case(const Case& c, const Comm& comm, const GiveLevels& levels = {}) {
  Model model = model_in(c, comm, levels);
  RankResult result;
  result.dt = model.dt();
  result.steps = model.plan().steps;
  std::vector<double> owners(model.point_count(), 0.0);
  for (std::int32_t n : model.point_index()) owners[n] += 1;
  comm.sum(owners);
  for (std::size_t n = 0; n < owners.size(); ++n) EXPECT_EQ(owners[n], 1) << "sensor " << n;

  const auto sample = [&] {
    const std::vector<double> all = model.sample_all();
    const Sensors& sensors = model.plan().sensors;
    const auto water = all.begin() + static_cast<std::ptrdiff_t>(sensors.seafloor.size());
    const auto surface = water + static_cast<std::ptrdiff_t>(sensors.hydrophones.size());
    result.floor.insert(result.floor.end(), all.begin(), water);
    result.water.insert(result.water.end(), water, surface);
    result.surface.insert(result.surface.end(), surface, all.end());
  };
  sample();
  for (std::int64_t n = 0; n < result.steps; ++n) {
    model.advance();
    sample();
    model.view().track_surface(model.time(), 0.01);
  }
  const bool knows_all = model.plan().variant->knows_potential;  // velocities and energies, too
  const EnergyBudget budget = model.budget();
  if (knows_all) result.energy = {budget.final, budget.source_work, budget.boundary_loss, budget.sponge_loss, budget.floor_loss, budget.floor_energy};

  std::vector<double> height, maximum, arrival;
  model.view().surface(height, maximum, arrival);
  const OutputGrid map(model.mesh(), comm, OutputGrid::Part::surface);
  for (const auto* field : {&height, &maximum}) {
    const std::vector<double> whole = map.gather_columns(*field);
    result.map.insert(result.map.end(), whole.begin(), whole.end());
  }

  // The whole state by summing zeros and values: a node's value is its owner's, and all copies are the same bits.
  const auto gather = [&](const std::vector<double>& p, const std::vector<double>& u, std::vector<double>& whole_p, std::vector<double>& whole_u) {
    const Mesh& m = model.mesh();
    const auto& f = m.part.first;
    whole_p.assign(static_cast<std::size_t>(m.global_nodes()), 0.0);
    whole_u.assign(knows_all ? static_cast<std::size_t>(m.elements[0] * m.elements[1] * m.elements[2]) * 3 * L3D : 0, 0.0);
    const std::int64_t row = 4 * m.elements[0] + 1, plane = row * (4 * m.elements[1] + 1);
    const auto node = [&](int i, int j, int k) { return (4 * f[2] + k) * plane + (4 * f[1] + j) * row + 4 * f[0] + i; };
    const auto visit = [&](const auto& at) {
      std::size_t n = 0;
      for (int k = 0; k < m.NZ(); ++k)
        for (int j = 0; j < m.NY(); ++j)
          for (int i = 0; i < m.NX(); ++i, ++n) at(n, i, j, k);
    };
    visit([&](std::size_t n, int i, int j, int k) {
      if (m.owned(i, j, k)) whole_p[node(i, j, k)] = p[n];
    });
    comm.sum(whole_p);
    int torn = 0;
    visit([&](std::size_t n, int i, int j, int k) { torn += p[n] != whole_p[node(i, j, k)]; });
    EXPECT_EQ(torn, 0) << "copies of shared nodes differ";
    for (std::int64_t e = 0; e < m.NE() && knows_all; ++e) {
      const std::int64_t ex = f[0] + e % m.nx(), ey = f[1] + e / m.nx() % m.ny(), ez = f[2] + e / m.nx() / m.ny();
      const std::int64_t to = (ez * m.elements[1] + ey) * m.elements[0] + ex;
      std::copy_n(u.begin() + e * 3 * L3D, 3 * L3D, whole_u.begin() + to * 3 * L3D);
    }
    comm.sum(whole_u);
  };
  std::vector<double> p, u;
  model.stepper().get_state(p, u);
  gather(p, u, result.p, result.u);
  if (!knows_all) return result;
  wander(model.stepper(), result.dt, model.plan().variant->integrator->from_rest, comm, p, u);
  gather(p, u, result.p_later, result.u_later);
  return result;
}

inline void expect_near(const std::vector<double>& found, const std::vector<double>& expected, const char* field, bool to_the_bit = false) {
  ASSERT_EQ(found.size(), expected.size()) << field;
  EXPECT_TRUE(!to_the_bit || found == expected) << field << " differs in its last bits";
  double largest = 0, scale = 0;
  for (std::size_t n = 0; n < found.size(); ++n) {
    if (!(std::abs(found[n] - expected[n]) <= largest)) largest = std::abs(found[n] - expected[n]);  // also keeps NaN
    scale = std::max(scale, std::abs(expected[n]));
  }
  EXPECT_TRUE(scale > 0 || expected.empty()) << field;
  EXPECT_LE(largest, 1e-12 * scale) << field;
}

inline bool grid_fits(const Variant& v, const Counts& elements, const std::array<int, 3>& grid) {
  const Counts unit = v.unit ? v.unit(elements) : Counts{1, 1, 1};
  for (int d = 0; d < 3; ++d)
    if (grid[d] > (elements[d] + unit[d] - 1) / unit[d]) return false;
  return true;
}

inline void set_elements(Case& c, const Counts& elements) {
  c.mesh.elements = elements;
  c.mesh.interfaces.clear();
  for (std::int64_t k = 0; k <= elements[2]; ++k)
    c.mesh.interfaces.push_back(std::pow(static_cast<double>(k) / static_cast<double>(elements[2]), 0.8));
  c.time.end = 2;
}

inline void expect_same_on_grid(Case c, const std::array<int, 3>& grid, const RankResult& alone, double dt,
                                const std::vector<std::string>& transports, bool to_the_bit, const Comm& world, const GiveLevels& levels = {}) {
  const auto& [px, py, pz] = grid;
  SCOPED_TRACE(testing::Message() << c.solver.variant << ", order " << c.mesh.order << ", grid " << px << " x " << py << " x " << pz);
  c.parallel.grid = grid;
  for (const std::string& transport : transports) {
    SCOPED_TRACE(transport);
    c.solver.exchange = transport;
    if (world.root()) {  // where a run that hangs stands
      std::printf("%s, order %d, grid %d x %d x %d, exchange %s\n", c.solver.variant.c_str(), c.mesh.order, px, py, pz, transport.c_str());
      std::fflush(stdout);
    }
    const RankResult result = run_case(c, world, levels);
    EXPECT_EQ(result.dt, dt);
    if (!world.root()) continue;
    EXPECT_EQ(result.steps, alone.steps);
    expect_near(result.floor, alone.floor, "seafloor pressure", to_the_bit);
    expect_near(result.water, alone.water, "hydrophone pressure", to_the_bit);
    expect_near(result.surface, alone.surface, "surface height", to_the_bit);
    expect_near(result.map, alone.map, "surface map", to_the_bit);
    expect_near(result.p, alone.p, "pressure", to_the_bit);
    expect_near(result.u, alone.u, "velocity", to_the_bit);
    expect_near(result.energy, alone.energy, "energy");
    expect_near(result.p_later, alone.p_later, "pressure later", to_the_bit);
    expect_near(result.u_later, alone.u_later, "velocity later", to_the_bit);
  }
}

// All that can run here.
inline std::vector<std::string> transports_here(const CudaDevice& present, const Comm& world) {
  if (!present.present || world.size() == 1) return {"auto"};
  std::vector<std::string> transports;
  for (const TransportOption& option : gpu_transports(world.max(ranks_on_device(present, world)) > 1, world))
    if (option.why_not.empty()) transports.push_back(to_string(option.path));
  return transports;
}

inline void expect_same_on_all_grids(Device device) {
  const Comm world;
  const Comm self(MPI_COMM_SELF);
  const CudaDevice present = device == Device::cuda ? find_cuda_device(world.local_rank()) : CudaDevice{};
  const std::vector<std::string> transports = transports_here(present, world);
  for (const Variant& v : variants()) {
    const char* const only = std::getenv("AGWAVE_TEST_VARIANT");
    if (v.device != device || !why_unavailable(v, present).empty() || (only && v.name != only)) continue;
    for (int order : {4, 1}) {
      Case c = parse_case("ranks.yaml", rank_case, {"mesh.order=" + std::to_string(order)});
      c.solver.device = to_string(device);
      c.solver.variant = v.name;
      c.solver.quadrature = v.quadratures.front();
      if (!v.takes_sponges) c.boundary.sponge = {};
      if (order == 1) c.ocean.sound = channel();
      const bool blocks = static_cast<bool>(v.unit);
      const Counts unit = blocks ? v.unit(c.mesh.elements) : Counts{1, 1, 1};
      // So that three ranks can also be stacked.
      if (blocks) set_elements(c, {2 * unit[0] + 1, 2 * unit[1] + 1, (world.size() == 3 ? 2 : 1) * unit[2] + 1});
      const auto alone = [&] { return world.root() ? run_case(c, self) : RankResult{}; };
      const RankResult whole = alone();
      const double dt = world.broadcast(whole.dt);
      for (int px = 1; px <= world.size(); ++px)
        for (int py = 1; py <= world.size() / px; ++py) {
          const std::array<int, 3> grid{px, py, world.size() / px / py};
          if (px * py * grid[2] != world.size() || !grid_fits(v, c.mesh.elements, grid)) continue;
          expect_same_on_grid(c, grid, whole, dt, transports, blocks, world);
        }
      if (!blocks || order != 4) continue;
      const auto expect_same_in_a_row = [&](int d, const Counts& elements) {
        set_elements(c, elements);
        c.time.end = 0.5;  // small elements, many steps
        std::array<int, 3> grid{1, 1, 1};
        grid[d] = world.size();
        const RankResult row = alone();
        EXPECT_TRUE(!world.root() || row.steps >= 5);
        expect_same_on_grid(c, grid, row, world.broadcast(row.dt), transports, true, world);
      };
      for (int d = 0; d < 2; ++d) {  // each with five rows of blocks across it, three of which touch no other rank
        Counts elements{unit[0] + 1, unit[1] + 1, unit[2]};
        elements[d] = 5 * unit[d] * world.size();
        expect_same_in_a_row(d, elements);
      }
      // Each with more blocks inside than a device has multiprocessors.
      if (device == Device::cuda && world.size() <= 4) expect_same_in_a_row(1, {18 * unit[0], 20 * unit[1] * world.size(), 1});
    }
  }
}

}  // namespace agwave
