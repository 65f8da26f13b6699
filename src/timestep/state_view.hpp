// SPDX-License-Identifier: Apache-2.0
// What can be asked of the completed state of one rank, wherever it lives. Asking changes no bit of later steps.
#pragma once
#include <array>
#include <cstdint>
#include <span>
#include <stdexcept>
#include <vector>

#include "fem/weighted_rows.hpp"

namespace agwave {

struct Energies {                                            // [J], this rank's share
  double kinetic = 0, acoustic = 0, surface = 0, floor = 0;  // floor: in its springs
  double total() const { return kinetic + acoustic + surface + floor; }
};

// What a map shows: every stride-th node of a box of this rank's. The running maximum and the arrival time belong to the surface, so their
// nodes are counted along x and y alone. A list of `floor` alone is pressure at nodes of the floor, which forcing makes a stepper watch anyway.
// `heard` has been added up by hear(), and begins anew after the pick.
enum class Field { pressure, maximum, arrival, floor, heard };
struct Pick {
  Field field = Field::pressure;
  std::array<int, 3> first{}, count{};
  int stride = 1;
  std::int64_t size() const { return static_cast<std::int64_t>(count[0]) * count[1] * count[2]; }
};

class StateView {
 public:
  virtual ~StateView() = default;

  // Asked for at every step, so queued without waiting for a GPU and fetched together. Rows are in the order of the records; fetching
  // forgets them. At most `records` of each kind wait.
  static constexpr int records = 64;
  virtual void record_sample() = 0;                            // pressure at the setup's points [Pa]
  virtual std::vector<double> take_samples() = 0;              // [record][point]
  virtual void record_powers(std::span<const int> terms) = 0;  // <Z^-1 p, p> on absorbing walls [W], for the given terms <S_k, p> on the nodes
  virtual std::vector<double>
  take_powers() = 0;  // they force, and what the floor takes [W], this rank's share: [record][1 + terms + 1]; 0 where not given

  // Values for maps [Pa, m, s; arrival < 0: not yet], x fastest. Queued without waiting for a GPU and copied while it steps on; taking waits
  // for the copies alone. One list at a time.
  virtual void queue_picks(std::span<const Pick> picks) = 0;
  virtual std::vector<std::vector<double>> take_picks() = 0;
  // Instead of the values of a pick the sums of rows of it, [row]; `rows` stay as they are as long as the view. Taken like picks.
  virtual void queue_sums(const Pick& /*pick*/, const WeightedRows& /*rows*/) { throw std::logic_error("this view forms no sums"); }

  // Of an integrator that hears: adds `of_rate` times the mean rate of its potential over a step [Pa] and `of_force` times M^-1 K of that potential
  // [Pa/s], at all nodes of the floor, so that what they are forced by can be transposed.
  virtual void hear(double /*of_rate*/, double /*of_force*/) { throw std::logic_error("this integrator does not hear"); }

  virtual Energies energies() = 0;                                // not finite when the state is not
  virtual double max_pressure() = 0;                              // largest |p| on this rank [Pa]
  virtual void track_surface(double time, double threshold) = 0;  // running maximum of eta, first time |eta| > threshold
  virtual double max_surface_height() = 0;                        // largest running maximum on this rank [m]; 0 away from the surface
  virtual void surface(std::vector<double>& height, std::vector<double>& maximum, std::vector<double>& arrival) = 0;  // [NY][NX] each
  virtual void set_surface_extremes(std::span<const double> maximum, std::span<const double> arrival) = 0;            // to go on tracking from there
};

}  // namespace agwave
