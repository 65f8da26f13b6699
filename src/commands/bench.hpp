// SPDX-License-Identifier: Apache-2.0
// The parts of `agwave bench`: meshes and sizes, the check against the reference, the machine's ceilings, the measurement of
// one variant on one mesh, and the report.
#pragma once
#include <array>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "comm/link.hpp"
#include "commands/commands.hpp"
#include "device/power.hpp"
#include "timestep/variants.hpp"

namespace agwave {

using Elements = std::array<std::int64_t, 3>;

// ---- bench_mesh.cpp ----
struct BenchOcean {  // what a stepper needs besides the mesh: walls absorb; after furnish() a bump of the floor moves and sensors listen
  OceanCase ocean;
  BoundaryCase boundary;
  std::vector<NodalForcing> forcing;
  std::vector<PointWeights> points;
  StepperSetup on(const Mesh& mesh, int quadrature, const Comm& comm, const Transport& transport = {}) const {
    return {mesh, ocean, boundary, quadrature, comm, forcing, points, transport};
  }
  void furnish(const Mesh& mesh, int sensors, const Comm& comm);
};
std::vector<Elements> bench_sizes(const BenchOptions& options, Device device);  // throws Error(usage)
// This rank's part of a mesh that the variant splits over all ranks. Throws Error(usage).
Partition bench_partition(const Variant& variant, Elements elements, const BenchOptions& options, const Comm& comm);
Mesh bench_outline(Elements elements, int order, const Partition& part);  // counts only: what predictions of memory read, whatever the size
Mesh bench_mesh(Elements elements, int order, const Partition& part);     // over a sheared, curved floor
inline Partition whole(Elements elements) { return make_partition(elements, {1, 1, 1}, 0); }
std::vector<double> random_values(std::size_t n, unsigned seed, double scale = 1);
std::vector<double> random_nodes(const Mesh& mesh);  // the same on every rank that has a node
std::string to_string(Elements elements);

// ---- bench_check.cpp ----
// Largest relative difference from `reference` on random data: one application of both blocks (of an operator variant) and three
// steps of its integrator, on meshes whose element counts no batch divides.
double error_against_reference(const Variant& variant, int order, int quadrature, const Comm& self);

// ---- bench_ceilings.cpp ----
struct Ceilings {
  double copy_bandwidth = 0;         // measured, read plus written [B/s]
  double fp64 = 0, fp64_tensor = 0;  // a GPU's from its clock and units, a CPU's measured on the threads in use [flop/s]; equal without tensor cores
  double int8 = 0;                   // of tensor cores, by its clock and units [op/s]; 0 where not known
  int threads_per_sm = 0;            // 0 on a CPU
  std::string pci_bus_id;            // empty on a CPU
};
Ceilings measure_ceilings(const CudaDevice& device);  // of the CPU when there is no device
double available_memory(const CudaDevice& device);    // free on the device, or physical on the host [bytes], whoever shares it

// ---- bench_measure.cpp ----
// What an exchange costs, the slowest or busiest rank's figure, per step where not said otherwise.
struct ExchangeResult {
  double rounds = 0, messages = 0, bytes = 0;     // sent
  double exchange_s = 0;                          // the rounds alone, packing included
  double alone_s = 0, added_s = 0;                // the step of the block without neighbours, and what the whole step takes longer
  double interior_s = 0;                          // the step of those of its patches and chunks that touch no neighbour; 0 when all do
  double host_s = 0;                              // the host's time in exchanges within the step; on CPUs all of it, waiting included
  double waited_s = 0;                            // that the step stands still for them: 0 when they are hidden
  double least_waited_s = 0;                      // of the rank that waits least: where ranks are not equally fast, the others wait for it, too
  std::vector<Timeline> timeline;                 // rank 0's rounds within the timed steps
  Counts unit{1, 1, 1};                           // elements of a patch and chunk
  std::vector<std::pair<Counts, double>> blocks;  // the step alone of smaller blocks [s]
  struct Distance {
    int ranks;  // apart
    Link link;
    std::vector<LinkSample> samples;
  };
  std::vector<Distance> links;
};

struct BenchResult {
  const Variant* variant = nullptr;
  Elements elements{};
  std::array<int, 3> grid{1, 1, 1};     // of ranks
  double stands_for = 1;                // ranks of the grid for each that is here, more than one with --within
  double dofs = 0, relative_error = 0;  // of the whole mesh
  std::optional<double> operator_s;     // median, one application of both blocks
  Cost cost;
  std::string plan;                         // of an operator that chooses how to split its work
  std::optional<double> roofline_fraction;  // of the operator: the time its flops or its bytes need at least / its time
  double step_s = 0;                        // median of steps_s
  double automatic_step = 0;                // [s] that a case with this mesh would take
  std::vector<double> steps_s;              // each timed step, that of the slowest rank; those on end alike
  Cost step_cost;
  std::optional<double> step_roofline_fraction;           // of the step, likewise
  double bytes_per_dof = 0, predicted_bytes_per_dof = 0;  // of the stepper
  EnergyUse operator_energy, step_energy;
  std::vector<KernelInfo> kernels;
  std::optional<double> guard_s;  // a check of a run's guards, nothing else at work
  std::optional<ExchangeResult> exchange;
};
struct BenchContext {
  const BenchOptions& options;
  const Comm& comm;
  const Transport& transport;
  Ceilings ceilings;
  PowerMeter& meter;
};
double needed_memory(const Variant& variant, const Mesh& outline, const BenchOptions& options);  // of this rank [bytes]
BenchResult measure(const Variant& variant, Elements elements, const BenchContext& context);

double median(std::vector<double> values);
inline constexpr double bench_dt = 1e-4;  // [s] far below the limit of a mesh with kilometre elements
// Steps as in a run, one a call, of a furnished ocean: the source moves, sensors are sampled, what was recorded is fetched now and then. One such
// function per stepper: it counts what was recorded.
std::function<void()> steps_of_a_run(Stepper& stepper);
// Seconds of each timed step, that of the slowest rank, after those to warm up: up to `steps_on_end` one after the other before anybody waits for the
// device, as in a run, each of them counted as their mean.
inline constexpr int steps_on_end = 10;
std::vector<double> time_steps(Stepper& stepper, const std::function<void()>& step, const BenchOptions& options, const Comm& comm);

// Median over the timed repetitions, after those to warm up.
double median_seconds(const BenchOptions& options, const std::function<void()>& work);

// ---- bench_tune.cpp ----
// Times every way to split the work of the operators that choose, on every mesh that fits, prints it and keeps it for runs. Throws Error(output).
void tune_operators(const std::vector<const Variant*>& chosen, const std::vector<Elements>& sizes, const BenchContext& context,
                    const CudaDevice& device);

// ---- bench_exchange.cpp ----
ExchangeResult measure_exchange(const Variant& variant, const Elements& elements, double step_s, const BenchContext& context);

// ---- bench_report.cpp ----
struct Unfit {
  std::string variant;
  Elements elements;
  double dofs, needed, available;
};  // [bytes]
class BenchReport {
 public:
  BenchReport(const BenchContext& context, const CudaDevice& device, int hosts);  // prints the head; writes the JSON file if only to see that it can
  void add(const BenchResult& result);
  void add(const Unfit& unfit);
  void finish() const;  // the table of kernels, and to a stream the JSON

 private:
  void write(bool last = false) const;
  const BenchContext& context_;
  int hosts_;
  std::string device_, threads_, date_;
  std::vector<BenchResult> results_;
  std::vector<Unfit> unfit_;
};

}  // namespace agwave
