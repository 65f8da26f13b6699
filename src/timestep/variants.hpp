// SPDX-License-Identifier: Apache-2.0
// What can step a case: every variant is an implementation of one integrator (timestep/integrator.hpp) on one device. Adding one is adding
// one file with a static `RegisterVariant`; integrators that go around any operator make a variant of each. `agwave info`, `bench`, the tests
// and the case-file check all read the list. A name may exist once per device.
#pragma once
#include <array>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "kernels/registry.hpp"
#include "timestep/integrator.hpp"
#include "timestep/stepper.hpp"

namespace agwave {

struct Variant : Offer {
  const Integrator* integrator = nullptr;      // what it is an implementation of
  const OperatorVariant* operator_ = nullptr;  // that it goes around; null for one that is a whole stepper, whose steps are all there is to check
  StateArrays arrays;                          // of its stepper
  bool forces_anywhere = false;                // else forcing is taken on the floor plane alone, all of it
  bool takes_sponges = false;                  // Stepper::damp does what boundary/sponge.hpp says
  bool takes_matched = false;                  // likewise of those that stretch a coordinate
  bool takes_floors = false;                   // one that gives way (boundary/floor.hpp), where all columns take the same step
  bool filters = false;                        // Stepper::filter
  bool repeats = false;                        // on a GPU too its results are the same bits, run after run
  bool hears_in_levels = false;                // Stepper::level_transpose
  int ranks_with_levels = 0;                   // on so many ranks at most columns may step in levels (local_steps/levels.hpp)
  // Ranks are split on multiples of so many elements of a mesh; empty: anywhere.
  std::function<Counts(const Counts& elements)> unit;
  std::function<std::unique_ptr<Stepper>(const StepperSetup&)> make_stepper;
  std::function<double(const Mesh&, int quadrature)> bytes;  // predicted memory of the stepper per rank [bytes]; reads the counts of the mesh only
  std::function<double(const LocalLevels&, const Mesh&)> level_bytes;  // and what columns add that step in levels; may be empty
  // And for a while, while the state waits: at the first step in levels, and of sensors that push in single precision. May be empty.
  std::function<double(const Mesh&)> aside_bytes;
  // And where the speed of sound differs; `absorbs`: which sides of the rank. May be empty.
  std::function<double(const Mesh&, const std::array<bool, 4>& absorbs)> medium_bytes;
  std::function<double(const Mesh&)> filter_bytes;             // and what filtering adds; may be empty
  double most_nodes = 2147483647;                              // of a rank, that it can count
  std::function<std::vector<KernelInfo>()> step_kernels;       // for the benchmark: of a variant without an operator, on a GPU
  std::function<Cost(const Mesh&, int quadrature)> step_cost;  // for the benchmark: of one step of a rank; may be empty
  bool single = false;                                         // computes in single precision (solver.precision)
  bool recalls_forcing = false;                                // wants ForcingSample::before, also of terms that moved for that step alone
  bool knows_potential = true;                                 // answers with velocities and energies, and others can go on from its state
  std::shared_ptr<const Variant> in_single;                    // the same in single precision, where it is on offer; variants() lists none of these
};

inline const char* precision_of(const Variant& variant) { return variant.single ? "single" : "double"; }
const Variant* in_precision(const Variant& variant, bool single);  // itself, its likeness in single precision, or null

const std::vector<Variant>& variants();  // by device, then by preference

using RegisterVariant = Register<Variant>;

// An integrator that goes around any operator of a device, or around any stiffness.
template <class Inner>
struct Around {
  Device device;
  std::function<void(const Inner&, Variant&)> complete;  // of the variant all but what it has in common with what it goes around (Offer)
};
using RegisterAroundOperators = Register<Around<OperatorVariant>>;
using RegisterAroundStiffnesses = Register<Around<StiffnessVariant>>;

// What all variants of an integrator are tested against: its own around `reference` on the CPU.
const Variant& reference_of(const Integrator& integrator);

std::string why_unavailable(const Variant& variant, const CudaDevice& device);  // empty when it can run

// Whether the variant's blocks of this mesh can be split over the ranks, on the wanted grid if there is one.
bool can_split(const Variant& variant, const Counts& elements, int ranks, const std::optional<std::array<int, 3>>& wanted);

struct Demands {         // of a case, that not every variant meets
  std::string in_water;  // what forces nodes off the floor, if anything does
  bool sponge = false;
  bool levels = false;  // local steps are asked for
  int ranks = 1;
  bool floor = false;    // gives way
  bool matched = false;  // its sponge, if any
  bool single = false;   // precision
};
// What of the demands the variant does not meet, in words; empty when it meets all.
std::string unmet(const Variant& variant, const Demands& demands);

// Resolves solver.device, solver.variant, quadrature and time.scheme to a variant that can run here; `auto` takes one that the ranks can split. `note`
// receives a line about what `auto` chose when that needs saying. Throws Error(usage) for unknown names or a quadrature or demand that the named variant
// does not meet, Error(device) when the device is missing.
const Variant& choose_variant(const SolverCase& solver, const CudaDevice& device, const Counts& elements, int ranks,
                              const std::optional<std::array<int, 3>>& wanted, std::string& note, const Demands& demands = {});

}  // namespace agwave
