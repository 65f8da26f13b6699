// SPDX-License-Identifier: Apache-2.0
// The nodes' part of the two-sweep kernel: forms the staged pressures of a layer, from
//   p_a = p + c_a dt M_p^-1 (r_a - S p_before + g_a),  p_b = p + c_b dt M_p^-1 (r_b - S p_a + g_b)
//   sweep A: p_before = p2, kept on the walls;  p_b = p' is stored       sweep B: p_before = p;  p_b = p2 is kept on the walls
// where (r_a, r_b) = (r3, r4) in sweep A and (r1, r1 + (r2 - r1)) in sweep B, each the sum over all patches and chunks that share the node,
// in the order of layout.hpp.
// A layer's levels come in batches by bulk and tensor copies: 1..4, before them the lowest of a chunk, after them one that is shared with the chunk
// above. p and the sums of field b come to where p_a and p_b will be. A batch is asked for when the gradient of two layers before is done: its
// places are free then, and what node warps do after that does not disturb a gradient before the staging is over.
#pragma once
#include "timestep/two_sweep/cuda/staging.cuh"

namespace agwave::two_sweep {

template <bool A, bool by_place>
class NodeRole : NodeStaging<A, by_place> {
  using Base = NodeStaging<A, by_place>;
  using Base::fetch, Base::find_inverse, Base::g_, Base::keep, Base::lane_, Base::p_, Base::role_threads, Base::s_, Base::stage_any,
      Base::stage_corners, Base::stage_inside, Base::stage_rows, Base::stage_side, Base::store, Base::summed_, Base::thread_, Base::warp_;
  using typename Base::Batch;

 public:
  __device__ NodeRole(const SweepArgs<Patches>& g, const SweepTables& tables, const SweepMaps& maps, const Queue& queue, Shared<A>& s,
                      Planner<SweepArgs<Patches>>& planner)
      : Base(g, maps, s), tables_(tables), queue_(queue), planner_(planner) {}

  __device__ static void meet() {  // of all node warps
    __syncwarp();
    asm volatile("bar.sync 15, %0;" ::"n"(role_threads) : "memory");
  }
  // A layer's weights in two steps: from memory into a register of one warp's lanes, from there where all can read them.
  __device__ double weight(int step) const {
    const Work& c = s_.work_of(step);
    if (warp_ > 0 || !c.valid || lane_ >= 5 + layer_values) return 0;
    return __ldg(lane_ < 5 ? g_.inverse_wz + 4 * c.ez + lane_ : tables_.layers + c.ez * layer_values + lane_ - 5);
  }
  __device__ void put_weight(int step, double value) const {
    if (warp_ == 0 && lane_ < 5 + layer_values) s_.weights[step % 4].inverse_wz[lane_] = value;
  }
  // Stages the layer of a step.
  __device__ void layer(int step) {
    const Work& c = s_.work_of(step);
    if (step > 1) await(s_.gradient_done, step - 2);
    if (c.first) {
      if (c.gated) await_ghosts(queue_.gate, warp_ == 0);
      if (A) await_neighbours(queue_, p_, c);
      if (step > 0 && s_.work_of(step - 1).first) await(s_.gradient_done, step - 1);  // it reads `lowest`
      stage(c, step, {0, 1, c.shared_below ? -1 : 0, true});
    }
    const bool shared_top = c.last && c.shared_above;
    stage(c, step, {1, shared_top ? 3 : 4, 0, false});
    if (shared_top) {
      if (!A && step > 1) await(s_.layer_done, step - 2);  // it reads r1 where the sums will come
      stage(c, step, {4, 1, 1, true});
    }
    if (step > 1) await(s_.layer_done, step - 2);  // places of sums on the rows between bars serve two steps in turn
    arrive(s_.staged[step % 2]);
    if (!A && c.last) tell_done(queue_, c);
  }
  __device__ void end() const {
    if (A && thread_ == 0) wait_until_written();
  }

 private:
  __device__ void stage(const Work& c, int step, const Batch& batch) {
    fetch(c, step, batch);
    if (batch.m == 1) {  // there is time while the copies come
      const double next_weight = weight(step + 1);
      if (thread_ == 0) planner_.next(s_.work_of(step + 3), s_.work_of(step + 2));
      put_weight(step + 1, next_weight);
    }
    if (c.new_patch && batch.m == (c.first ? 0 : 1)) {
      find_inverse(c);
      meet();
    }
    wait_for_copies<0>();
    wait_for_arrival(&s_.batch_arrived, batches_++ % 2);
    if (!summed_) {
      keep(c, step, batch);
    } else if (!by_place && c.full && !batch.alone) {
      stage_rows(c, step, batch.count);
      if (warp_ == 0)
        stage_corners(c, step, batch.count);
      else
        stage_side(c, step, batch.count);
    } else {
      meet();                                 // for what others copied
      const bool full = !by_place && c.full;  // then the batch is a level alone
      if (full) stage_inside(c, step, batch);
      stage_any(c, step, batch, full);
    }
    publish();
    meet();
    if (A && thread_ == 0) store(c, step, batch);
  }

  const SweepTables& tables_;
  const Queue& queue_;
  Planner<SweepArgs<Patches>>& planner_;  // of the first thread
  int batches_ = 0;                       // so far
};

}  // namespace agwave::two_sweep
