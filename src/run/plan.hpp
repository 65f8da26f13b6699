// SPDX-License-Identifier: Apache-2.0
// Everything that can be said about a case without allocating the state: domain, mesh, uplift, sensors, step, variant and
// memory. `agwave check` prints it, Model steps it.
#pragma once
#include <array>
#include <memory>
#include <string>
#include <vector>

#include "boundary/floor.hpp"
#include "boundary/reflection.hpp"
#include "comm/comm.hpp"
#include "fem/forcing.hpp"
#include "fem/medium.hpp"
#include "fem/points.hpp"
#include "mesh/mesh.hpp"
#include "run/kink_filter.hpp"
#include "source/source_facts.hpp"
#include "timestep/local_steps/level_cuts.hpp"
#include "timestep/resolution.hpp"
#include "timestep/stable_step.hpp"
#include "timestep/variants.hpp"

namespace agwave {

struct Plan {
  std::unique_ptr<Domain> domain;
  Sensors sensors;  // z of the seafloor ones is known
  std::array<int, 3> grid{1, 1, 1};
  Counts unit{1, 1, 1};  // ranks are split on multiples of it
  Mesh mesh;
  Medium medium;                      // refers to the domain
  Speeds speeds{};                    // of sound in it
  std::int64_t deepened = 0;          // column nodes of the whole mesh that min_depth gave more water
  SourceTerms sources;                // of the case; refers to the domain
  std::vector<NodalForcing> forcing;  // besides them, made by code; the same terms on every rank
  PointSet points;                    // this rank's own among seafloor sensors, hydrophones, gauges, in this order
  StableStep limit;
  StepChoice choice{};
  LocalLevels levels;  // of local steps; one where all take the same
  LevelCuts cuts;      // of ranks, where there are several levels
  Sponge sponge;
  Floor floor;
  std::vector<Reflection> reflections;  // the strongest of each wall that reaches a sensor within the run
  std::vector<SourceFacts> source_facts;
  Resolution resolution;
  KinkFilter filter;
  double interval = 0;     // the step divides it: sampling interval, or the shortest output interval, or the end [s]
  std::int64_t steps = 0;  // of the whole run
  CudaDevice device;
  const Variant* variant = nullptr;
  std::string scheme_why;          // why its integrator steps the case
  Asked asked{};                   // of the state at every step
  Transport transport;             // between ranks
  std::vector<std::string> notes;  // lines that the user should read: what `auto` chose, reflected waves within the run
  double memory = 0;               // predicted bytes per rank where the state lives: on the device, or on the host
  double host_memory = 0;          // predicted bytes per rank on the host besides

  std::string device_name() const { return variant->device == Device::cuda ? device.name : "cpu"; }  // where the state lives
};

// Collective. Throws on every rank alike what the inputs and the registry throw, Error(usage) for hydrophones outside the water
// (all of them at once) and steps that cannot be, Error(device) when the prediction does not fit into the memory that is free.
struct PlanWishes {
  std::string continued{};    // scheme of the checkpoint that the run goes on from; it goes on with it unless the case names a scheme or a variant
  bool from_sensors = false;  // sensors and gauges force the water (agwave p2o)
};
Plan make_plan(const Case& c, const Comm& comm, const PlanWishes& wishes = {});

// Cuts the ranks anew by the work of the plan's levels, which it has to have, with mesh, points and memory. Collective.
void cut_by_work(Plan& plan, const Case& c, const Comm& comm);

// Seafloor sensors, hydrophones, gauges, in this order, and how messages call them.
struct SensorPoints {
  std::vector<PointAt> at;
  std::vector<std::string> labels;
};
SensorPoints sensor_points(const Sensors& sensors);

// Error(usage) when the case asks for surface heights below a rigid surface, which does not move. Of a run: a plan knows no heights.
void refuse_heights_of_a_lid(const Case& c);

// `own`, checked to be like that of the other ranks: a device on all or on none, the least compute capability of all. Collective.
CudaDevice common_device(CudaDevice own, const SolverCase& solver, const Comm& comm);

}  // namespace agwave
