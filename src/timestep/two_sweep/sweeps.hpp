// SPDX-License-Identifier: Apache-2.0
// What TwoSweep asks of a device: the two sweeps over all items, asynchronous, each after the sweeps given before it.
#pragma once
#include <concepts>

#include "timestep/two_sweep/layout.hpp"
#include "timestep/two_sweep/work.hpp"

namespace agwave::two_sweep {

template <class S, class Backend>
concept SweepsOn = requires(S sweeps, const S fixed, Backend& backend, const Backend& other, const Spaces& spaces, const typename S::Patches& patches,
                            const SweepArgs<typename S::Patches>& args, const Beside& beside, int n) {
  typename S::Patches;  // PatchGrid<...>: how its arrays are stored
  S(backend, spaces, patches);
  { S::bytes(patches) } -> std::same_as<double>;      // of its own tables
  { S::item(patches, n) } -> std::same_as<Item>;      // how it numbers its work
  { S::waits_inside } -> std::convertible_to<bool>;   // whether its items can wait at Beside::gate
  { fixed.last_part(n, n) } -> std::same_as<int>;     // (boundary, all): how many of all items to leave until an exchange is done
  { fixed.at_work(beside) } -> std::same_as<int>;     // how many may wait at the gate at once
  sweeps.template run<true>(backend, args, beside);   // sweep A
  sweeps.template run<false>(backend, args, beside);  // sweep B
  // Where a sweep runs. What the backend is given after an A comes after that A and beside the sweeps that follow, up to the second A, which overwrites
  // that state: so it may read the state, and nothing more unless follow() is called after it.
  { sweeps.template stream<true>(backend) } -> std::same_as<Backend&>;
  { sweeps.template stream<false>(backend) } -> std::same_as<Backend&>;
  sweeps.join(backend);  // what the backend is given from now on comes after all sweeps
  fixed.follow(other);   // what the sweeps are given from now on comes after what this backend was given
};

}  // namespace agwave::two_sweep
