// SPDX-License-Identifier: Apache-2.0
// A stepper advances the state (u, p) of one rank by whole RK4 steps and answers questions about completed states.
// It owns its device memory; nothing but answers leaves the device in the time loop.
#pragma once
#include <array>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "comm/comm.hpp"
#include "comm/transport.hpp"
#include "fem/points.hpp"
#include "fem/spaces.hpp"
#include "timestep/carried.hpp"

namespace agwave {

struct Sponge;  // fem/sponge.hpp

// Forcing of one step: f(t) = sum_k rate_k(t) load_k, with rates at the start, the middle and the end of the step [1/s].
struct TermRate {
  int term;
  double start, middle, end;
};

// A run checks its energy and largest values every so many steps: each time a pass over the state, half to two thirds of a step. More often
// at first, where a bad case shows.
constexpr std::int64_t guard_steps = 200;
constexpr bool guarded(std::int64_t step) { return step % (step <= 3 * guard_steps ? guard_steps / 4 : guard_steps) == 0; }

struct Energies {  // [J], this rank's share
  double kinetic = 0, acoustic = 0, surface = 0;
  double total() const { return kinetic + acoustic + surface; }
};

// What a map shows: every stride-th node of a box of this rank's. The running maximum and the arrival time belong to the surface, so their
// nodes are counted along x and y alone.
enum class Field { pressure, maximum, arrival };
struct Pick {
  Field field = Field::pressure;
  std::array<int, 3> first{}, count{};
  int stride = 1;
  std::int64_t size() const { return static_cast<std::int64_t>(count[0]) * count[1] * count[2]; }
};

struct StepperSetup {
  const Mesh& mesh;
  const OceanCase& ocean;
  const BoundaryCase& boundary;
  int quadrature;
  const Comm& comm;
  const std::vector<std::vector<double>>& loads;  // per uplift term: <S_k, v> at this rank's floor nodes [NY][NX], assembled
  const std::vector<PointWeights>& points;        // where pressure is sampled, this rank's own
  Transport transport;                            // between ranks
  const Sponge* sponge = nullptr;                 // or one that damps nothing
};

class Stepper {
 public:
  virtual ~Stepper() = default;
  // p_L [NZ][NY][NX] (equal on all ranks that share a node) and physical velocity u_E [NE][3][64].
  virtual void set_state(std::span<const double> p, std::span<const double> u) = 0;
  virtual void get_state(std::vector<double>& p, std::vector<double>& u) = 0;
  // The completed state as it is carried, in pieces, for checkpoints: rows of p_L, [row][NX], and elements, [element][3][64]. Steps from a
  // state that was set are those from the state it was got from, bit for bit. Collective when the last step is not complete yet (`energies`).
  virtual Carried carried() const = 0;
  virtual void get_rows(std::int64_t first, std::span<double> p) = 0;
  virtual void set_rows(std::int64_t first, std::span<const double> p) = 0;
  virtual void get_elements(std::int64_t first, std::span<double> carried) = 0;
  virtual void set_elements(std::int64_t first, std::span<const double> carried) = 0;
  virtual void step(double dt, std::span<const TermRate> rates) = 0;  // asynchronous on a GPU
  // One damping of the sponge, of the completed state, on every rank; the energy it has taken so far from this rank's share [J].
  virtual void damp() = 0;
  virtual double damped_energy() = 0;
  virtual void set_damped_energy(double taken) = 0;  // to go on adding from there
  virtual void wait() = 0;                           // until this rank has done all steps; an exchange for the next one may be under way
  virtual void repeat_exchange() = 0;                // for the benchmark: one of a step's exchanges alone, once more. Collective
  virtual void settle_exchanges() {}                 // until what is under way is received and all is counted in the traffic. Collective

  // Asked for at every step, so queued without waiting for a GPU and fetched together. Rows are in the order of the records; fetching
  // forgets them. At most `records` of each kind wait.
  static constexpr int records = 64;
  virtual void record_sample() = 0;                            // pressure at the setup's points [Pa]
  virtual std::vector<double> take_samples() = 0;              // [record][point]
  virtual void record_powers(std::span<const int> terms) = 0;  // <Z^-1 p, p> on absorbing walls [W] and, for the given terms, <S_k, p> on
  virtual std::vector<double> take_powers() = 0;               // the seafloor, this rank's share: [record][1 + terms]; 0 where not given

  // Values for maps of the completed state [Pa, m, s; arrival < 0: not yet], x fastest. Queued without waiting for a GPU and copied while it
  // steps on; taking waits for the copies alone. One list at a time.
  virtual void queue_picks(std::span<const Pick> picks) = 0;
  virtual std::vector<std::vector<double>> take_picks() = 0;

  virtual Energies energies() = 0;                                // not finite when the state is not
  virtual double max_pressure() = 0;                              // largest |p| on this rank [Pa]
  virtual void track_surface(double time, double threshold) = 0;  // running maximum of eta, first time |eta| > threshold
  virtual double max_surface_height() = 0;                        // largest running maximum on this rank [m]; 0 away from the surface
  virtual void surface(std::vector<double>& height, std::vector<double>& maximum, std::vector<double>& arrival) = 0;  // [NY][NX] each
  virtual void set_surface_extremes(std::span<const double> maximum, std::span<const double> arrival) = 0;            // to go on tracking from there
};

}  // namespace agwave
