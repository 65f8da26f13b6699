// SPDX-License-Identifier: Apache-2.0
// A stepper advances the state of one rank by whole steps of its integrator. It owns its device memory; nothing but what is asked of its
// view leaves the device in the time loop.
#pragma once
#include <array>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "comm/comm.hpp"
#include "comm/transport.hpp"
#include "fem/forcing.hpp"
#include "fem/points.hpp"
#include "fem/spaces.hpp"
#include "timestep/integrator.hpp"
#include "timestep/state_view.hpp"

namespace agwave {

struct Sponge;       // boundary/sponge.hpp
struct Floor;        // boundary/floor.hpp
struct LocalLevels;  // timestep/local_steps/levels.hpp

// An array that is carried from step to step. Checkpoints keep all of them as they are; what else takes a state (another variant, device or
// integrator) gets it through a conversion (timestep/conversion.hpp).
struct StateArray {
  // What is counted: rows of nodes, [NX] each, z slowest; elements, [3][64] each; rows of nodes of the floor, on ranks that have it.
  enum class Items { node_rows, elements, floor_rows };
  std::string name;  // of the dataset in a checkpoint
  Items items;
  std::string form;  // what its values are, in words: two arrays of one name and form hold the same
  bool operator==(const StateArray&) const = default;
};
using StateArrays = std::vector<StateArray>;
// Pressure p [Pa] and physical velocity u [m/s], as the integrators of the two first-order equations carry them.
inline const StateArray pressure_array{"pressure", StateArray::Items::node_rows, "physical"};
inline const StateArray velocity_array{"velocity", StateArray::Items::elements, "physical"};

// What is asked of the view at every step, besides samples: a stepper may have to be prepared for it.
struct Asked {
  bool powers = true;  // without them nothing but samples and the surface is answered (std::logic_error)
  bool surface = true;
  bool hears = false;    // StateView::hear, or LevelTranspose
  bool filters = false;  // some steps
};

struct StepperSetup : SpacesSetup {
  const Comm& comm;
  const std::vector<NodalForcing>& forcing;  // this rank's nodes; the same terms on every rank
  const std::vector<PointWeights>& points;   // where pressure is sampled, this rank's own
  Transport transport;                       // between ranks
  const Sponge* sponge = nullptr;            // or one that damps nothing
  Asked asked{};
  const LocalLevels* levels = nullptr;  // or the same step for all
  const Floor* floor = nullptr;         // or a rigid one
};

// The transpose of a propagation where columns step in levels: from a reading, heard at the floor (run/propagation.hpp). Collective.
class LevelTranspose {
 public:
  static constexpr int sums = 3;  // that can be under way
  struct Ear {
    double of_field = 0, of_curvature = 0;  // of what the floor is forced by, and of how that curves over a step
  };
  using Ears = std::array<Ear, sums>;
  virtual ~LevelTranspose() = default;
  // After a step at rest: as a reading of the term's nodes pushes the water; no sum has heard anything.
  virtual void push(int term) = 0;
  // After an interval of steps more, for who keeps what is pushed within the interval rather than take what was heard before from what is heard.
  virtual void pull(int /*term*/) {}
  // The next step adds this to the sums, of the potential it begins with.
  virtual void listen(const Ears& ears) = 0;
  // Field::heard becomes per_step (sum `now` - sum `before`), and the latter begins anew; or without the latter, of who pulls, and `now` begins anew.
  virtual void tell(int now, int before, double per_step) = 0;
};

class Stepper {
 public:
  virtual ~Stepper() = default;
  // p_L [NZ][NY][NX] (equal on all ranks that share a node) and physical velocity u_E [NE][3][64]; one that starts from rest alone takes none for it, too.
  virtual void set_state(std::span<const double> p, std::span<const double> u) = 0;
  virtual void get_state(std::vector<double>& p, std::vector<double>& u) = 0;
  // The completed state as it is carried, in pieces of whole items from `first` on. Steps from a state that was set are those from the state
  // it was got from, bit for bit. Collective when the last step is not complete yet (StateView::energies).
  virtual const StateArrays& arrays() const = 0;
  virtual void get(const StateArray& array, std::int64_t first, std::span<double> values) = 0;
  virtual void set(const StateArray& array, std::int64_t first, std::span<const double> values) = 0;

  virtual void step(double dt, std::span<const ForcingSample> forcing) = 0;  // asynchronous on a GPU
  virtual StateView& view() = 0;                                             // of the completed state

  // Before a step of dt: takes from the rate of the state what steps `longer` times as long as those of each column, stable ones, hardly resolve. Of variants
  // that filter (Variant::filters). Its energy counts as damped, and so does the work of what that step is forced with at the pressure it takes, for half of
  // it: who asks at the time of the state, before the step, is answered with the pressure before the filter. Collective.
  virtual void filter(double /*dt*/, double /*longer*/, std::span<const ForcingSample> /*forcing*/) {}
  // One damping of the sponge, of the completed state of the water, on every rank; the energy that dampings and filter have taken so far from this
  // rank's share [J].
  virtual void damp() = 0;
  virtual double damped_energy() = 0;
  virtual void set_damped_energy(double taken) = 0;              // to go on adding from there
  virtual void wait() = 0;                                       // until this rank has done all steps; an exchange for the next one may be under way
  virtual void repeat_exchange() = 0;                            // for the benchmark: one of a step's exchanges alone, once more. Collective
  virtual LevelTranspose* level_transpose() { return nullptr; }  // of a variant that has one, where columns step in levels
  virtual void settle_exchanges() {}                             // until what is under way is received and all is counted in the traffic. Collective
};

}  // namespace agwave
