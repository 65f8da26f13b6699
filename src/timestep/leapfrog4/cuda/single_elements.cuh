// SPDX-License-Identifier: Apache-2.0
// The elements of the fused leapfrog's kernel in single precision, for which there are no tensor cores. As in two_sweep/cuda/elements.cuh one warp takes one
// bar of 8 elements, and a lane holds the plane (y, z) of one element at one point along x:
//   x    v[k] = B p,  v_x[k] = dB p          from the row's five nodes: of levels 1..4 each of an element's lanes finds one at all points, and they turn that
//                                            over (Square), so that each has all levels at its point. Level 0 is level 4 of the layer below
//   z    along_x = B v_x,  along_y = B v,  along_z = dB v
//   y    p_xi += B along_x,  p_eta += dB along_y,  p_zeta += B along_z,  row after row, the middle one first
// and back by the transposed products: along x each lane has one of levels 0..3 at all points again, and so the sums of all nodes of a row, which come and go
// in stretches of four. What level 4 gets waits at the points along x for the layer above.
// Budget: 96 registers; rows take turns in loops, because what runs in a layer, nodes' part included, just fits into the instruction cache.
#pragma once
#include "timestep/leapfrog4/cuda/shared.cuh"
#include "timestep/leapfrog4/cuda/single_contractions.cuh"

namespace agwave::leapfrog4 {

template <class S>
class SingleElements {
  using Args = typename S::Args;
  using Patches = typename S::Patches;
  using Vectors = two_sweep::PointVectorsOf<float>;
  static constexpr int level_size = Patches::level_size;
  static constexpr unsigned all_lanes = 0xffffffffu;

 public:
  __device__ SingleElements(const Args& g, const SweepTablesOf<float>& tables, S& s)
      : g_(g),
        g_columns_(tables.columns),
        s_(s),
        bar_(__shfl_sync(all_lanes, threadIdx.x / 32, 0)),
        lane_(__shfl_sync(all_lanes, threadIdx.x % 32, threadIdx.x % 32)),
        node_(lane_ & ~3),
        point_(lane_ & 3),
        east_(lane_ >= box_row - 4) {}

  // Geometry of the layer's patch if it is a new one. To be awaited before use.
  __device__ void fetch_columns(const Work& c) const {
    if (!c.valid || !c.new_patch) return;
    __syncwarp();
    const float* const from = g_columns_ + (static_cast<std::int64_t>(c.patch) * bars + bar_) * column_values * 32;
    static_assert(column_values % 4 == 0);
#pragma unroll
    for (int n = 4 * lane_; n < column_values * 32; n += 128) copy_async<16>(&s_.columns[bar_][0][0] + n, from + n);
    close_copy_group();
  }
  __device__ void await_columns(const Work& c) const {
    if (!c.new_patch) return;
    wait_for_copies<0>();
    __syncwarp();
  }

  __device__ void gradient_of_layer(int step, Vectors& d) const {
    const Work& now = s_.work_of(step);
    const int row = 4 * bar_, first = Patches::column(node_, row), fifth = Patches::column(node_ + 4, row) - first, down = east_ ? 1 : box_row;
    const float *const s_bottom = s_.level_of(step, now, 0, 0) + first, *const s_level =
                                                                            two_sweep::keep(s_.level_of(step, now, point_ + 1, 0) + first);
    float* const s_top_before = two_sweep::keep(&s_.tops[bar_][0][0][lane_]);
    const Square square(*this);
    const bool lowest = now.first;
    d = {};
    SingleParts middle;
#pragma unroll 1  // rows take turns: what runs in a layer must fit into the instruction cache
    for (int n = 0; n < 5; ++n) {
      const int j = n == 0 ? 2 : n < 3 ? n - 1 : n;
      float value[5], slope[5];
      {  // the lane's own level at all points, then all levels at the lane's own point
        const float4 nodes = *reinterpret_cast<const float4*>(s_level + j * box_row);
        const SingleFibre along({nodes.x, nodes.y, nodes.z, nodes.w, s_level[fifth + j * down]});
        SingleParts values, slopes;
        along.values(values);
        along.derivatives(slopes);
        float at[4], at_x[4], levels[4], levels_x[4];
        points_of(values, at);
        points_of(slopes, at_x);
        square.turn(at, at_x, levels, levels_x);
#pragma unroll
        for (int k = 0; k < 4; ++k) {
          value[1 + k] = levels[k];
          slope[1 + k] = levels_x[k];
        }
      }
      // The lowest level was the top one of the layer below, of which this lane has left what it found.
      float* const s_known = s_top_before + j * 64;
      if (lowest) {
        Along(s_.tables, lane_).contract(*reinterpret_cast<const float4*>(s_bottom + j * box_row), s_bottom[fifth + j * down], value[0], slope[0]);
      } else {
        value[0] = s_known[0];
        slope[0] = s_known[32];
      }
      s_known[0] = value[4];
      s_known[32] = slope[4];
      SingleParts x, y, z;
      SingleFibre(slope).values(x);
      const SingleFibre fibre(value);
      fibre.values(y);
      fibre.derivatives(z);
      const float* const table = c_single.rows[j];
#pragma unroll
      for (int q = 0; q < 4; ++q)
#pragma unroll
        for (int m = 0; m < 4; ++m) {
          d.x[q][m] = fmaf(table[q], x[m], d.x[q][m]);
          d.z[q][m] = fmaf(table[q], z[m], d.z[q][m]);
        }
      if (n == 0) {
#pragma unroll
        for (int m = 0; m < 4; ++m) middle[m] = y[m];
        continue;
      }
#pragma unroll
      for (int m = 0; m < 4; ++m) {
        y[m] -= middle[m];
#pragma unroll
        for (int q = 0; q < 4; ++q) d.y[q][m] = fmaf(table[4 + q], y[m], d.y[q][m]);
      }
    }
  }

  __device__ void divergence_of_layer(int step, Vectors& d) {
    const Work& now = s_.work_of(step);
    two_sweep::flux_of_gradient(d, g_.scale(0), &s_.columns[bar_][0][lane_], s_.weights[step % 4].geometry);
    const bool first = now.first, last = now.last;
    RowPlaces at(*this, now, step);
    const Square square(*this);
#pragma unroll 1
    for (int j = 0; j < 5; ++j) {
      float v[5], v_x[5];
      contract_row(d, c_single.rows[j], v, v_x);
      // Level 4 is level 0 of the layer above: what it gets of this one waits here, at the points along x, for what it gets of that one.
      if (!first) {
        v[0] += at.s_carry[0];
        v_x[0] += at.s_carry[32];
      }
      at.s_carry[0] = v[4];
      at.s_carry[32] = v_x[4];
      Row sums = begin(at, step, j);
      add(sums, square, v, v_x);
      const bool gives = j == 0 && bar_ > 0;
      if (gives)
        put_seam(sums, step);
      else
        store(sums, at);
      if (last) finish_top(at, step, j, gives, v[4], v_x[4]);
      if (gives) arrive(s_.seam_ready[0][bar_ - 1][step % 2]);
      at.next();
    }
    __syncwarp();
  }

 private:
  struct Along {  // the point's values of the tables
    float b[4], d[4];
    __device__ __forceinline__ Along(const float (*s_tables)[32], int lane) {
#pragma unroll
      for (int n = 0; n < 4; ++n) {
        b[n] = s_tables[n][lane];
        d[n] = s_tables[4 + n][lane];
      }
    }
    __device__ __forceinline__ void contract(const float4& node, float fifth, float& value, float& slope) const {
      const float v[4] = {node.x - node.z, node.y - node.z, node.w - node.z, fifth - node.z};
      value = node.z;
      slope = d[0] * v[0];
#pragma unroll
      for (int n = 0; n < 4; ++n) value = fmaf(b[n], v[n], value);
#pragma unroll
      for (int n = 1; n < 4; ++n) slope = fmaf(d[n], v[n], slope);
    }
    __device__ __forceinline__ void transpose(float v, float v_x, float (&node)[5]) const {
#pragma unroll
      for (int n = 0; n < 4; ++n) node[n < 2 ? n : n + 1] = fmaf(d[n], v_x, b[n] * v);
      node[2] = v - ((node[0] + node[4]) + (node[1] + node[3]));
    }
  };
  // Where the lane finds the parts of a row of nodes and leaves its sums; counted on from row to row.
  struct RowPlaces {
    float *s_carry, *out;  // of the lane; of the element's first node on the lane's level
    const float* s_own;    // of the patch's own part of r, as out
    int east;              // from the element's first node to the row's last
    __device__ __forceinline__ RowPlaces(const SingleElements& lane, const Work& now, int step) {
      const int row = 4 * lane.bar_, node = box_row * row + lane.node_;
      s_carry = two_sweep::keep(lane.s_.carry[lane.bar_][0] + lane.lane_);
      out = two_sweep::keep_global(lane.g_.out(0) + now.sums + lane.point_ * level_size + node);
      east = Patches::column(Patches::PX - 1, row) - node;
      s_own = s_carry;
      if constexpr (S::adds_own) s_own = two_sweep::keep((lane.point_ > 0 ? lane.s_.in_a_of(step)[lane.point_ - 1] : lane.s_.lowest_of(step)) + node);
    }
    __device__ __forceinline__ void next() {
      s_carry = two_sweep::keep(s_carry + S::carry_row);
      out = two_sweep::keep_global(out + box_row);
      if constexpr (S::adds_own) s_own = two_sweep::keep(s_own + box_row);
      east -= box_row - 1;
    }
  };
  // Of a row of nodes on the lane's level: at the element's first four, and for the last element at the fifth.
  struct Row {
    float4 four;
    float east;
  };

  __device__ __forceinline__ static void contract_row(const Vectors& f, const float* row, float (&v)[5], float (&v_x)[5]) {
    SingleParts along_x, along_y, along_z;
#pragma unroll
    for (int m = 0; m < 4; ++m) {
      along_x[m] = row[0] * f.x[0][m];
      along_y[m] = row[4] * f.y[0][m];
      along_z[m] = row[0] * f.z[0][m];
#pragma unroll
      for (int q = 1; q < 4; ++q) {
        along_x[m] = fmaf(row[q], f.x[q][m], along_x[m]);
        along_y[m] = fmaf(row[4 + q], f.y[q][m], along_y[m]);
        along_z[m] = fmaf(row[q], f.z[q][m], along_z[m]);
      }
    }
    SingleAdjoint sum, sum_x;
    sum.add_values(along_y);
    sum.add_derivatives(along_z);
    sum.result(v);
    sum_x.add_values(along_x);
    sum_x.result(v_x);
  }

  // The four lanes of an element turn over a square of pairs: what lane p has at place q comes to lane q at place p. Through memory, which takes fewer
  // instructions than handing it from lane to lane. Elements lie so that lanes do not meet in a bank: sixteen that write a pair each have all banks, and so
  // have eight that read two.
  struct Square {
    float2 *s_mine, *s_theirs;
    __device__ __forceinline__ explicit Square(const SingleElements& lane) {
      const int element = lane.lane_ / 4, at = 16 * (element / 4) + 8 * (element % 2) + 4 * (element / 2 % 2);
      s_mine = two_sweep::keep(lane.s_.squares[lane.bar_] + at + lane.point_);
      s_theirs = two_sweep::keep(lane.s_.squares[lane.bar_] + at + S::square_row * lane.point_);
    }
    __device__ __forceinline__ void turn(const float* a, const float* b, float (&a_turned)[4], float (&b_turned)[4]) const {
      __syncwarp();  // what was there before has been read
#pragma unroll
      for (int q = 0; q < 4; ++q) s_mine[S::square_row * q] = {a[q], b[q]};
      __syncwarp();
#pragma unroll
      for (int h = 0; h < 2; ++h) {
        const float4 two = reinterpret_cast<const float4*>(s_theirs)[h];
        a_turned[2 * h] = two.x;
        b_turned[2 * h] = two.y;
        a_turned[2 * h + 1] = two.z;
        b_turned[2 * h + 1] = two.w;
      }
    }
  };
  __device__ __forceinline__ static void points_of(const SingleParts& parts, float (&at)[4]) {
#pragma unroll
    for (int q = 0; q < 2; ++q) {
      at[q] = parts[q] + parts[2 + q];
      at[3 - q] = parts[q] - parts[2 + q];
    }
  }
  __device__ __forceinline__ static void parts_of(const float (&at)[4], SingleParts& parts) {
#pragma unroll
    for (int q = 0; q < 2; ++q) {
      parts[q] = at[q] + at[3 - q];
      parts[2 + q] = at[q] - at[3 - q];
    }
  }
  // Two lanes give each other one of two values: the second one keeps the second, with what it is given.
  __device__ __forceinline__ static float exchange(bool second, float a, float b, int apart) {
    const float given = __shfl_xor_sync(all_lanes, second ? a : b, apart);
    return (second ? b : a) + given;
  }
  __device__ __forceinline__ void add(Row& sums, const Square& square, const float (&v)[5], const float (&v_x)[5]) const {
    float at[4], at_x[4];  // of the lane's level, at all points
    square.turn(v, v_x, at, at_x);
    SingleParts values, slopes;
    parts_of(at, values);
    parts_of(at_x, slopes);
    SingleAdjoint along;
    along.add_values(values);
    along.add_derivatives(slopes);
    float node[5];
    along.result(node);
    const float before = __shfl_up_sync(all_lanes, node[4], 4);  // the fifth node is the first of the next element
    if (lane_ >= 4) node[0] += before;
    sums.four.x += node[0];
    sums.four.y += node[1];
    sums.four.z += node[2];
    sums.four.w += node[3];
    sums.east += node[4];
  }

  // What the sums of row j begin with: the patch's own part of r; or, on the row that two bars share, all that the upper one has, which leaves its sums to
  // the lower one.
  __device__ __forceinline__ Row begin(const RowPlaces& at, int step, int j) const {
    Row row{make_float4(0, 0, 0, 0), 0};
    const auto take = [&](const float* s_four, const float* s_east) {
      row.four = *reinterpret_cast<const float4*>(s_four);
      if (east_) row.east = *s_east;
    };
    if (j == 4 && bar_ < bars - 1) {
      two_sweep::await(s_.seam_ready[0][bar_], step);
      take(&s_.seam[0][0][bar_][point_][node_], &s_.seam[0][0][bar_][point_][box_row]);
    } else if constexpr (S::adds_own) {
      take(at.s_own, at.s_own + at.east);
    }
    return row;
  }
  __device__ __forceinline__ void put_seam(const Row& sums, int step) const {  // arrive() is for when all is there
    if (step > 0) two_sweep::await(s_.layer_done, step - 1);
    auto& s_seam = s_.seam[0][0][bar_ - 1];
    *reinterpret_cast<float4*>(&s_seam[point_][node_]) = sums.four;
    if (east_) s_seam[point_][box_row] = sums.east;
  }
  __device__ __forceinline__ void store(const Row& sums, const RowPlaces& at) const {
    __stcg(reinterpret_cast<float4*>(at.out), sums.four);
    if (east_) at.out[at.east] = sums.east;
  }
  // Level 4 of the last layer, where no other completes it: at the lane's node, and at the row's last.
  __device__ __forceinline__ void finish_top(const RowPlaces& at, int step, int j, bool gives, float v, float v_x) const {
    const bool upper = point_ & 2, odd = point_ & 1, ends = east_ && point_ == 0;
    float node[5];
    Along(s_.tables, lane_).transpose(v, v_x, node);
    float own = exchange(odd, exchange(upper, node[0], node[2], 2), exchange(upper, node[1], node[3], 2), 1);
    float fifth = node[4] + __shfl_xor_sync(all_lanes, node[4], 2);
    fifth += __shfl_xor_sync(all_lanes, fifth, 1);
    const float before = __shfl_up_sync(all_lanes, fifth, 4);
    if (point_ == 0 && lane_ >= 4) own += before;
    const int level = (4 - point_) * level_size;
    if (j == 4 && bar_ < bars - 1) {
      own += s_.seam[0][0][bar_][4][lane_];
      if (ends) fifth += s_.seam[0][0][bar_][4][box_row];
    } else if constexpr (S::adds_own) {
      const float* const s_own = s_.in_a_of(step)[3] + node_ + box_row * (4 * bar_ + j);
      own += s_own[point_];
      if (ends) fifth += s_own[at.east];
    }
    if (gives) {
      s_.seam[0][0][bar_ - 1][4][lane_] = own;
      if (ends) s_.seam[0][0][bar_ - 1][4][box_row] = fifth;
    } else {
      at.out[level + point_] = own;
      if (ends) at.out[level + at.east] = fifth;
    }
  }

  const Args& g_;
  const float* g_columns_;
  S& s_;
  int bar_, lane_, node_, point_;
  bool east_;  // a lane of the last element, which has the row's last node
};

template <class S>
__device__ __forceinline__ void single_element_loop(const typename S::Args& g, const SweepTablesOf<float>& tables, const Queue& queue, S& s) {
  SingleElements<S> elements(g, tables, s);
  elements.fetch_columns(s.work_of(0));
  for (int step = 0; s.work_of(step).valid; ++step) {
    two_sweep::PointVectorsOf<float> d;
    two_sweep::await(s.staged, step);
    elements.gradient_of_layer(step, d);
    arrive(s.gradient_done[step % 2]);
    elements.await_columns(s.work_of(step));
    elements.divergence_of_layer(step, d);
    arrive(s.layer_done[step % 2]);
    elements.fetch_columns(s.work_of(step + 1));
    if (S::tells && queue.done && s.work_of(step).last) two_sweep::tell_done(queue, s.work_of(step));
  }
}

}  // namespace agwave::leapfrog4
