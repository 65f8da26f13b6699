// SPDX-License-Identifier: Apache-2.0
// The element role of the two-sweep kernel: one warp takes one field of one bar of 8 elements. A lane holds the plane (y, z) of one
// element at one node, then one point, along x, in registers: contractions along z and y need nobody else, those along x are
// tensor-core products whose operands and results lie where they are needed (LaneTable). Nothing goes through shared memory
// between the stages.
#pragma once
#include "kernels/cuda/copy_async.cuh"
#include "kernels/cuda/two_sweep_basis.cuh"
#include "kernels/cuda/two_sweep_shared.cuh"

namespace agwave::two_sweep {

struct PointVectors {  // at the lane's 4 x 4 points: [qy][parts along z]
  double x[4][4], y[4][4], z[4][4];
};

// Keeps the compiler from computing an address anew wherever it is used.
template <class T>
__device__ __forceinline__ T* keep(T* pointer) {
  auto s = static_cast<unsigned>(__cvta_generic_to_shared(pointer));
  asm volatile("" : "+r"(s));
  return static_cast<T*>(__cvta_shared_to_generic(s));
}

// Likewise, of an address in global memory: counted on, not computed anew.
template <class T>
__device__ __forceinline__ T* keep_global(T* pointer) {
  auto g = __cvta_generic_to_global(pointer);
  asm volatile("" : "+l"(g));
  return static_cast<T*>(__cvta_global_to_generic(g));
}

// Read where it is written, not where its value is needed.
__device__ __forceinline__ double load_in_place(const double* s_from) {
  double value;
  asm volatile("ld.shared.f64 %0, [%1];" : "=d"(value) : "r"(static_cast<unsigned>(__cvta_generic_to_shared(s_from))));
  return value;
}

// p_xi, p_eta, p_zeta. The nodes of the lane in the levels 0, 1..3 and 4 of the layer; `fifth`: from there to those shared with the next element,
// whose rows are `fifth_row` apart.
__device__ __forceinline__ void gradient(PointVectors& d, const double* s_bottom, const double* s_inner, const double* s_top, int fifth,
                                         int fifth_row, const double (*s_tables)[32]) {
  const int lane = threadIdx.x % 32;
  const double table = s_tables[to_points][lane];
  s_bottom = keep(s_bottom);
  s_inner = keep(s_inner);
  s_top = keep(s_top);
  const double *s_bottom_fifth = keep(s_bottom + fifth), *s_inner_fifth = keep(s_inner + fifth), *s_top_fifth = keep(s_top + fifth);
  d = {};
  double node[5], shared[5];
  const auto load = [&](double(&v)[5], const double* bottom, const double* inner, const double* top) {
    v[0] = load_in_place(bottom);
    v[1] = load_in_place(inner);
    v[2] = load_in_place(inner + level_stride);
    v[3] = load_in_place(inner + 2 * level_stride);
    v[4] = load_in_place(top);
  };
  load(shared, s_bottom_fifth, s_inner_fifth, s_top_fifth);
  load(node, s_bottom, s_inner, s_top);
#pragma unroll 1  // rows take turns: what runs in a layer must fit into the instruction cache
  for (int j = 0; j < 5; ++j) {
    double c[5][2];  // value and derivative along x on each level
#pragma unroll
    for (int k = 0; k < 5; ++k) {
      c[k][0] = shared[k];
      c[k][1] = 0;
      node[k] -= shared[k];
    }
    cuda_kernels::DmmaPair::multiply_add_4(c[0], c[4], node[0], node[4], table);
    cuda_kernels::DmmaPair::multiply_add_4(c[1], c[3], node[1], node[3], table);
    cuda_kernels::Dmma::multiply_add(c[2], node[2], table);
    if (j < 4) {  // the last row once more, unused
      for (const double** s : {&s_bottom, &s_inner, &s_top}) *s += 4 * Patches::EX;
      for (const double** s : {&s_bottom_fifth, &s_inner_fifth, &s_top_fifth}) *s += fifth_row;
    }
    Parts along_x, along_y, along_z;
    Fibre({c[0][1], c[1][1], c[2][1], c[3][1], c[4][1]}).values(along_x);
    const Fibre fibre({c[0][0], c[1][0], c[2][0], c[3][0], c[4][0]});
    fibre.values(along_y);
    fibre.derivatives(along_z);
    const double* row = c_tables.rows[j];
    const auto contract = [&](double(&to)[4][4], const double* table_row, const Parts& along) {
#pragma unroll
      for (int q = 0; q < 4; ++q)
#pragma unroll
        for (int s = 0; s < 4; ++s) to[q][s] = fma(table_row[q], along[s], to[q][s]);
    };
    // The next row's nodes are asked for in between.
    contract(d.x, row, along_x);
    load(shared, s_bottom_fifth, s_inner_fifth, s_top_fifth);
    contract(d.z, row, along_z);
    load(node, s_bottom, s_inner, s_top);
    contract(d.y, row + 4, along_y);
  }
}

// F from the derivatives, in place, both in parts along z: sums and differences of the points q and 3 - q, from half of them.
// `geometry`: SweepTables::layers of the layer; `scale`: of F. The slope is linear along z: mean + step at q, mean - step at 3 - q.
__device__ __forceinline__ void flux_of_gradient(PointVectors& d, double scale, const double* s_columns, const double* s_geometry) {
  double across[2], along[2], step[2];  // w ds, w / ds
#pragma unroll
  for (int q = 0; q < 2; ++q) {
    across[q] = 2 * scale * s_geometry[q];
    along[q] = 2 * scale * s_geometry[2 + q];
    step[q] = 0.5 * (s_geometry[4 + q] - s_geometry[7 - q]);
  }
  const double mean = 0.5 * (s_geometry[4] + s_geometry[7]);
#pragma unroll
  for (int qy = 0; qy < 4; ++qy) {
    const double* c = s_columns + qy * 5 * 32;
    const double kx = c[0], ky = c[32], kz = c[64], sx = c[96], sy = c[128];
#pragma unroll
    for (int q = 0; q < 2; ++q) {
      double &x_even = d.x[qy][q], &x_odd = d.x[qy][2 + q], &y_even = d.y[qy][q], &y_odd = d.y[qy][2 + q], &z_even = d.z[qy][q],
             &z_odd = d.z[qy][2 + q];
      const double slope_even = fma(step[q], z_odd, mean * z_even), slope_odd = fma(step[q], z_even, mean * z_odd);  // slope p_zeta
      const double x = kx * across[q], y = ky * across[q], z = kz * along[q];
      x_even = x * fma(-sx, slope_even, x_even);
      x_odd = x * fma(-sx, slope_odd, x_odd);
      y_even = y * fma(-sy, slope_even, y_even);
      y_odd = y * fma(-sy, slope_odd, y_odd);
      const double h_even = fma(sx, x_even, sy * y_even), h_odd = fma(sx, x_odd, sy * y_odd);
      z_even = fma(-step[q], h_odd, fma(-mean, h_even, z * z_even));
      z_odd = fma(-step[q], h_even, fma(-mean, h_odd, z * z_odd));
    }
  }
}

// The same with U' = U + F instead of F, left where U was, which lies as its points do.
__device__ __forceinline__ void flux_of_gradient(PointVectors& d, double scale, const double* s_columns, const double* s_geometry, double* s_flux) {
  flux_of_gradient(d, 0.5 * scale, s_columns, s_geometry);
  const auto add = [&](double(&f)[4][4], int component) {
#pragma unroll
    for (int qy = 0; qy < 4; ++qy)
#pragma unroll
      for (int q = 0; q < 2; ++q) {
        double2& u = *reinterpret_cast<double2*>(s_flux + component * Patches::bar + (qy * 2 + q) * 64);
        const double low = u.x + (f[qy][q] + f[qy][2 + q]), high = u.y + (f[qy][q] - f[qy][2 + q]);
        u = make_double2(low, high);
        f[qy][q] = low + high;
        f[qy][2 + q] = low - high;
      }
  };
  add(d.x, 0);
  add(d.y, 1);
  add(d.z, 2);
}

// Row j of G^T F, of the tables' values `row`: added to c[k] = {sum at the lane's node, in the first lane of an element that at the node shared with the
// next one} on level k, which start(c) sets. It is called when what it loads is soon needed.
template <class Start>
__device__ __forceinline__ void divergence_row(double (&c)[5][2], const double* row, const PointVectors& f, double table, double table_x,
                                               Start&& start) {
  Parts along_x, along_y, along_z;
#pragma unroll
  for (int s = 0; s < 4; ++s) {
    along_x[s] = row[0] * f.x[0][s];
    along_y[s] = row[4] * f.y[0][s];
    along_z[s] = row[0] * f.z[0][s];
#pragma unroll
    for (int q = 1; q < 4; ++q) {
      along_x[s] = fma(row[q], f.x[q][s], along_x[s]);
      along_y[s] = fma(row[4 + q], f.y[q][s], along_y[s]);
      along_z[s] = fma(row[q], f.z[q][s], along_z[s]);
    }
  }
  start(c);
  double v[5], v_x[5];
  Adjoint sum, sum_x;
  sum.add_values(along_y);
  sum.add_derivatives(along_z);
  sum.result(v);
  sum_x.add_values(along_x);
  sum_x.result(v_x);
  cuda_kernels::DmmaPair::multiply_add_8(c[0], c[1], v[0], v[1], table, v_x[0], v_x[1], table_x);
  cuda_kernels::DmmaPair::multiply_add_8(c[2], c[3], v[2], v[3], table, v_x[2], v_x[3], table_x);
  cuda_kernels::Dmma::multiply_add(c[4], v[4], table);
  cuda_kernels::Dmma::multiply_add(c[4], v_x[4], table_x);
}

template <bool A>
class ElementRole {
 public:
  __device__ ElementRole(const SweepArgs<Patches>& g, const SweepTables& tables, Shared<A>& s)
      : g_(g),
        g_columns_(tables.columns),
        s_(s),
        warp_(__shfl_sync(0xffffffffu, threadIdx.x / 32, 0)),
        lane_(__shfl_sync(0xffffffffu, threadIdx.x % 32, threadIdx.x % 32)),
        field_(warp_ / bars),
        bar_(warp_ % bars) {}

  // Geometry of the layer's patch if it is a new one: both warps of a bar copy a half each. To be awaited before use.
  __device__ void fetch_columns(const Work& c) const {
    if (!c.valid || !c.new_patch) return;
    meet_other_field();  // it may still be at work with the patch before
    constexpr int half = column_values / 2;
    const double* from = g_columns_ + ((static_cast<std::int64_t>(c.patch) * bars + bar_) * column_values + field_ * half) * 32 + lane_;
#pragma unroll
    for (int n = 0; n < half; ++n) copy_async<8>(&s_.columns[bar_][field_ * half + n][lane_], from + n * 32);
    close_copy_group();
  }
  __device__ void await_columns(const Work& c) const {
    if (!c.new_patch) return;
    wait_for_copies<0>();
    meet_other_field();
  }
  // U of a layer, once U' of the layer before is on its way out.
  __device__ void fetch_flux(const Work& next) {
    if constexpr (A) {
      if (field_ > 0 || lane_ > 0) return;
      wait_until_read();
      if (!next.valid) return;
      expect_copies(&s_.flux_arrived[bar_], sizeof s_.flux[bar_]);
      copy_in(s_.flux[bar_], flux(next), sizeof s_.flux[bar_], &s_.flux_arrived[bar_]);
    }
  }
  __device__ void end() {
    if (A) wait_until_written();
  }

  __device__ void gradient_of_layer(int step, PointVectors& d) const {
    const Work& now = s_.work_of(step);
    const int row = 4 * bar_, at = Patches::column(lane_, row), fifth = Patches::column((lane_ | 3) + 1, row) - at;
    const auto level = [&](int m) { return s_.level_of(step, now, m, field_) + at; };
    gradient(d, level(0), level(1), level(4), fifth, lane_ < 28 ? 4 * Patches::EX : 1, s_.tables);
  }
  __device__ void divergence_of_layer(int step, PointVectors& d) {
    const Work& now = s_.work_of(step);
    const double *s_columns = &s_.columns[bar_][0][lane_], *s_geometry = s_.weights[step % 4].geometry;
    if (A && field_ == 0) {
      if constexpr (A) {
        wait_for_arrival(&s_.flux_arrived[bar_], step % 2);
        flux_of_gradient(d, g_.alpha, s_columns, s_geometry, &s_.flux[bar_][2 * lane_]);
        publish();
        __syncwarp();
        if (lane_ == 0) copy_out(flux(now), s_.flux[bar_], sizeof s_.flux[bar_]);
      }
    } else {
      flux_of_gradient(d, field_ == 0 ? g_.alpha : g_.beta, s_columns, s_geometry);
    }

    const double table = s_.tables[to_nodes_B][lane_], table_x = s_.tables[to_nodes_dB][lane_];
    const int source = lane_ < 4 ? 1 : lane_ - 4;  // of what the element before adds; the second lane of an element has zero
    const bool first = now.first, last = now.last;
    Row at(*this, step, now);
#pragma unroll 1
    for (int j = 0; j < 5; ++j) {
      if (j == 1) fetch_flux(s_.work_of(step + 1));
      const bool to_seam = j == 0 && bar_ > 0, from_seam = j == 4 && bar_ < bars - 1;
      double sums[5][2];
      divergence_row(sums, c_tables.rows[j], d, table, table_x, [&](double(&c)[5][2]) {
        at.next();  // not before: the stores of the row before need their addresses for a while
        if (from_seam)
          begin_at_seam(c, at, step, first, last);
        else
          begin_sums(c, at, step, j, first);
      });
#pragma unroll
      for (int k = 0; k < 5; ++k) sums[k][0] += __shfl_sync(0xffffffffu, sums[k][1], source);
      put(at.s_carry, sums[4]);
      if (to_seam)
        put_seam(sums, step);
      else
        store_row(at, sums, last);
    }
  }

 private:
  __device__ void meet_other_field() const { asm volatile("bar.sync %0, 64;" ::"r"(1 + bar_) : "memory"); }
  __device__ double* flux(const Work& w) const { return g_.flux + w.flux + bar_ * bar_flux; }
  __device__ void put(double* s, const double (&c)[2]) const {  // of a row of 33 nodes, from the lane's on
    s[0] = c[0];
    if (lane_ == 28) s[4] = c[1];
  }
  // Where a row of sums lies at the lane's node, counted on from row to row, from the one before the bar's first. The 28th lane also has the last
  // node of the row, `east` places further on.
  struct Row {
    double *s_carry, *out;
    const double* s_r1;
    int east;
    __device__ Row(const ElementRole& role, int step, const Work& now) {
      const int row = 4 * role.bar_, at = Patches::column(role.lane_, row);
      s_carry = two_sweep::keep(role.s_.carry[role.warp_][0] + role.lane_) - Patches::PX;
      out = keep_global((role.field_ == 0 ? role.g_.out_a : role.g_.out_b) + now.sums + at) - 4 * Patches::EX;
      if constexpr (!A) s_r1 = two_sweep::keep(role.s_.in_a_of(step)[0] + at) - 4 * Patches::EX;
      east = Patches::column(Patches::PX - 1, row) - Patches::column(28, row) + 4 * Patches::EX - 1;
    }
    __device__ void next() {
      s_carry = two_sweep::keep(s_carry + Patches::PX);
      out = keep_global(out + 4 * Patches::EX);
      if constexpr (!A) s_r1 = two_sweep::keep(s_r1 + 4 * Patches::EX);
      east -= 4 * Patches::EX - 1;
    }
  };
  // What the sums of row j begin with: what the layer below left for level 0, and the patch's own part of r1. Level 4 is carried to the layer
  // above with it, so level 0 has it already, but for the lowest of a chunk.
  __device__ __forceinline__ void begin_sums(double (&c)[5][2], const Row& at, int step, int j, bool first) const {
    const bool end = lane_ == 28;
    const double* const s_r1_east = A ? nullptr : two_sweep::keep(at.s_r1 + at.east);
#pragma unroll
    for (int k = 0; k < 5; ++k) {
      c[k][0] = A || k == 0 ? 0 : at.s_r1[(k - 1) * level_stride];
      c[k][1] = 0;
      if (!A && k > 0 && end) c[k][1] = s_r1_east[(k - 1) * level_stride];
    }
    if (!first) {
      c[0][0] = at.s_carry[0];
      if (end) c[0][1] = at.s_carry[4];
    }
    if constexpr (!A)
      if (first) {
        const double* s_lowest = s_.lowest_r1[step % 3];
        c[0][0] = s_lowest[Patches::column(lane_, 4 * bar_ + j)];
        if (end) c[0][1] = s_lowest[Patches::column(Patches::PX - 1, 4 * bar_ + j)];
      }
  }
  // The row between two bars: the upper one has it first and leaves its sums, r1 with them, to the lower one, which has it last. Each carries
  // its own part of level 4.
  __device__ __forceinline__ void put_seam(const double (&sums)[5][2], int step) const {
    double* s = s_.seam[step % 2][field_][bar_ - 1][0] + lane_;
#pragma unroll
    for (int k = 0; k < 5; ++k) s[k * Patches::PX] = sums[k][0];
    if (lane_ == 28) {
#pragma unroll
      for (int k = 0; k < 5; ++k) s[k * Patches::PX + 4] = sums[k][1];
    }
    arrive(s_.seam_ready[field_][bar_ - 1][step % 2]);
  }
  __device__ __forceinline__ void begin_at_seam(double (&c)[5][2], const Row& at, int step, bool first, bool last) const {
    await(s_.seam_ready[field_][bar_], step);
    const double* s = s_.seam[step % 2][field_][bar_][0] + lane_;
    const int levels = last ? 5 : 4;
    const bool end = lane_ == 28;
#pragma unroll
    for (int k = 0; k < 5; ++k) {
      c[k][0] = k < levels ? s[k * Patches::PX] : 0;
      c[k][1] = 0;
      if (end && k < levels) c[k][1] = s[k * Patches::PX + 4];
    }
    if (!first) {
      c[0][0] += at.s_carry[0];
      if (end) c[0][1] += at.s_carry[4];
    }
  }
  // Level 4 is not complete before the next layer, unless there is none.
  __device__ __forceinline__ void store_row(const Row& at, const double (&sums)[5][2], bool last) const {
    double* const out_east = keep_global(at.out + at.east);
#pragma unroll
    for (int k = 0; k < 4; ++k) {
      at.out[k * Patches::level_size] = sums[k][0];
      if (lane_ == 28) out_east[k * Patches::level_size] = sums[k][1];
    }
    if (!last) return;
    at.out[4 * Patches::level_size] = sums[4][0];
    if (lane_ == 28) out_east[4 * Patches::level_size] = sums[4][1];
  }

  const SweepArgs<Patches>& g_;
  const double* g_columns_;
  Shared<A>& s_;
  int warp_, lane_, field_, bar_;
};

}  // namespace agwave::two_sweep
