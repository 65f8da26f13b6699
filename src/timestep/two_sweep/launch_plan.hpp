// SPDX-License-Identifier: Apache-2.0
// How the sweeps of a step share the multiprocessors of a GPU, as data: which launches a sweep is made of, on which stream and with how many blocks.
// A block fills a multiprocessor until it ends.
//
// Sweep A is mostly memory traffic, sweep B mostly arithmetic, so they go side by side, each on a stream of its own: B gets half of the
// multiprocessors, always the same, and the A that comes next the other half. It waits for B item by item; where B ends it gets the rest. B first takes one
// item on each multiprocessor. Whatever starts first, neither can keep the other out.
// With neighbours those blocks wait for ghosts that come to items which need them. Where ranks share a GPU they could keep out what they wait for, and where
// most items are boundary they would hold multiprocessors that B could use; then sweeps go one after the other (Beside::shares), each in two launches, the
// second after an exchange.
// An exchange beside a sweep only gets the multiprocessors that are left to it: B leaves them to packing what the A before has summed up, A to unpacking
// what B has, where that is not written in place.
#pragma once
#include <algorithm>
#include <optional>
#include <vector>

#include "timestep/two_sweep/work.hpp"

namespace agwave::two_sweep {

enum class Lane { a, b };  // streams: of sweep A, of sweep B

struct Launch {
  Lane lane;
  int blocks, stay;  // so many of the blocks stay until there are no items, the others go after one each
};

struct LaunchPlan {
  std::vector<Launch> launches;      // given to their streams in this order; they take items from one queue
  unsigned taken = 0;                // from the sweep's queue before: an item, or one more for each block that stayed, modulo 2^32
  std::optional<unsigned> begin_at;  // an A beside a B: its lane goes on when so many have been taken of B's queue, one on each multiprocessor
  bool alone = false;                // an A that comes after all that was given to both lanes
};

struct SweepPart {          // what one call of run() is to do
  int items;                // how many
  bool first = true;        // of the sweep; the second part comes after an exchange
  bool neighbours = false;  // items are in the order of WorkOrder
  bool gated = false;       // items of the boundary wait at Beside::gate
};

class LaunchPlanner {
 public:
  explicit LaunchPlanner(int multiprocessors = 1) : multiprocessors_(multiprocessors) {}

  int multiprocessors() const { return multiprocessors_; }
  int at_work(const Beside& beside) const { return std::max(1, multiprocessors_ - beside.multiprocessors); }
  int half() const { return (multiprocessors_ + 1) / 2; }
  unsigned sweeps_b() const { return sweeps_b_; }  // planned so far, modulo 2^32

  LaunchPlan sweep_b(const SweepPart& part, const Beside& beside) {
    const int blocks = std::min(at_work(beside), part.items), share = beside.shares ? half() : multiprocessors_, stay = std::min(blocks, share);
    LaunchPlan plan{.launches = {{Lane::b, blocks, stay}}, .taken = taken_b_, .begin_at = {}};
    if (part.first) {
      ++sweeps_b_;
      begun_ = taken_b_ + static_cast<unsigned>(blocks);
      left_by_b_ = part.neighbours ? share : stay;
      beside_b_ = multiprocessors_ - (beside.all_along ? beside.multiprocessors : 0) - left_by_b_;
    }
    taken_b_ += static_cast<unsigned>(part.items + stay);
    return plan;
  }

  LaunchPlan sweep_a(const SweepPart& part, const Beside& beside) {
    LaunchPlan plan{.launches = {}, .taken = taken_a_, .begin_at = {}};
    const auto add = [&](Lane lane, int most) {
      const int blocks = std::min(most, part.items);
      plan.launches.push_back({lane, blocks, blocks});
      taken_a_ += static_cast<unsigned>(blocks);
    };
    if (beside_b_ > 0) {
      plan.begin_at = begun_;
      add(Lane::a, beside_b_);
      add(Lane::b, std::max(1, left_by_b_ - (part.gated && beside.all_along ? unpacking : 0)));
    } else {
      plan.alone = true;
      add(Lane::a, at_work(beside));
    }
    taken_a_ += static_cast<unsigned>(part.items);
    joined();
    return plan;
  }

  // All that was given to both lanes comes before what follows: no B is under way beside which an A could go.
  void joined() { beside_b_ = 0; }

 private:
  // Multiprocessors that the end of an A leaves to unpacking, besides what it always leaves: its last items, the boundary, wait for that.
  static constexpr int unpacking = 3;

  int multiprocessors_;
  unsigned taken_a_ = 0, taken_b_ = 0, sweeps_b_ = 0;
  unsigned begun_ = 0;  // taken when the B under way has an item on each multiprocessor
  int beside_b_ = 0;    // multiprocessors that the B under way leaves to A; none: A comes after it, or there is no B
  int left_by_b_ = 0;   // that A gets when B ends
};

}  // namespace agwave::two_sweep
