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

// F from the derivatives, in place, as sums and differences over z (Adjoint). WithFlux: U' = U + F is left where U was and taken instead of F.
// `geometry`: SweepTables::layers of the layer; `scale`: of F.
template <bool WithFlux>
__device__ __forceinline__ void flux_of_gradient(PointVectors& d, double scale, const double* s_columns, const double* s_geometry, double* s_flux) {
  double layer[layer_values];
#pragma unroll
  for (int n = 0; n < layer_values; ++n) layer[n] = n < 4 ? scale * s_geometry[n] : s_geometry[n];
#pragma unroll
  for (int qy = 0; qy < 4; ++qy) {
    const double* c = s_columns + qy * 5 * 32;
    const double kx = c[0], ky = c[32], kz = c[64], sx = c[96], sy = c[128];
#pragma unroll
    for (int q = 0; q < 2; ++q) {
      double fx[2], fy[2], fz[2];
#pragma unroll
      for (int side = 0; side < 2; ++side) {  // points q and 3 - q
        const double p_xi = side == 0 ? d.x[qy][q] + d.x[qy][2 + q] : d.x[qy][q] - d.x[qy][2 + q];
        const double p_eta = side == 0 ? d.y[qy][q] + d.y[qy][2 + q] : d.y[qy][q] - d.y[qy][2 + q];
        const double p_zeta = side == 0 ? d.z[qy][q] + d.z[qy][2 + q] : d.z[qy][q] - d.z[qy][2 + q];
        const double slope = layer[4 + (side == 0 ? q : 3 - q)], a = slope * sx, b = slope * sy;
        fx[side] = kx * layer[q] * fma(-a, p_zeta, p_xi);
        fy[side] = ky * layer[q] * fma(-b, p_zeta, p_eta);
        fz[side] = fma(-b, fy[side], fma(-a, fx[side], kz * layer[2 + q] * p_zeta));
      }
      if constexpr (WithFlux) {
        const auto update = [&](double(&f)[2], int component) {
          double2& u = *reinterpret_cast<double2*>(s_flux + component * Patches::bar + (qy * 2 + q) * 64);
          f[0] += u.x;
          f[1] += u.y;
          u = make_double2(f[0], f[1]);
        };
        update(fx, 0);
        update(fy, 1);
        update(fz, 2);
      }
      d.x[qy][q] = fx[0] + fx[1];
      d.x[qy][2 + q] = fx[0] - fx[1];
      d.y[qy][q] = fy[0] + fy[1];
      d.y[qy][2 + q] = fy[0] - fy[1];
      d.z[qy][q] = fz[0] + fz[1];
      d.z[qy][2 + q] = fz[0] - fz[1];
    }
  }
}

// Row j of G^T F: c[k] = {sum at the lane's node, in the first lane of an element that at the node shared with the next one} on level k.
// `below`: what the layer below left for level 0 at the lane's node, and at the last node of the bar (28th lane; else 0).
__device__ __forceinline__ void divergence_row(double (&c)[5][2], int j, const PointVectors& f, const double (&below)[2], double table,
                                               double table_x) {
  Parts along_x, along_y, along_z;
  const double* row = c_tables.rows[j];
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
  double v[5], v_x[5];
  Adjoint sum, sum_x;
  sum.add_values(along_y);
  sum.add_derivatives(along_z);
  sum.result(v);
  sum_x.add_values(along_x);
  sum_x.result(v_x);
#pragma unroll
  for (int k = 0; k < 5; ++k) {
    c[k][0] = k == 0 ? below[0] : 0;
    c[k][1] = k == 0 ? below[1] : 0;
  }
  cuda_kernels::DmmaPair::multiply_add_8(c[0], c[1], v[0], v[1], table, v_x[0], v_x[1], table_x);
  cuda_kernels::DmmaPair::multiply_add_8(c[2], c[3], v[2], v[3], table, v_x[2], v_x[3], table_x);
  cuda_kernels::Dmma::multiply_add(c[4], v[4], table);
  cuda_kernels::Dmma::multiply_add(c[4], v_x[4], table_x);
}

template <bool A>
class ElementRole {
 public:
  __device__ ElementRole(const SweepArgs<Patches>& g, const SweepTables& tables, Shared<A>& s)
      : g_(g), g_columns_(tables.columns), s_(s), warp_(threadIdx.x / 32), lane_(threadIdx.x % 32), field_(warp_ / bars), bar_(warp_ % bars) {}

  // Geometry of the layer's patch if it is a new one: both warps of a bar copy a half each. To be awaited before use.
  __device__ void fetch_columns(const Work& c) const {
    if (!c.valid || !c.new_patch) return;
    constexpr int half = column_values / 2;
    const double* from = g_columns_ + ((static_cast<std::int64_t>(c.patch) * bars + bar_) * column_values + field_ * half) * 32 + lane_;
#pragma unroll
    for (int n = 0; n < half; ++n) copy_async<8>(&s_.columns[bar_][field_ * half + n][lane_], from + n * 32);
    close_copy_group();
  }
  __device__ void await_columns(const Work& c) const {
    if (!c.new_patch) return;
    wait_for_copies<0>();
    asm volatile("bar.sync %0, 64;" ::"r"(1 + bar_) : "memory");
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
  // `sums`: of the first row of the bar, kept until the seam is closed.
  __device__ void divergence_of_layer(int step, PointVectors& d, double (&sums)[5][2]) {
    const Work& now = s_.work_of(step);
    const double *s_columns = &s_.columns[bar_][0][lane_], *s_geometry = s_.weights[step % 4].geometry;
    if (A && field_ == 0) {
      if constexpr (A) {
        wait_for_arrival(&s_.flux_arrived[bar_], step % 2);
        flux_of_gradient<true>(d, g_.alpha, s_columns, s_geometry, &s_.flux[bar_][2 * lane_]);
        publish();
        __syncwarp();
        if (lane_ == 0) copy_out(flux(now), s_.flux[bar_], sizeof s_.flux[bar_]);
      }
    } else {
      flux_of_gradient<false>(d, field_ == 0 ? g_.alpha : g_.beta, s_columns, s_geometry, nullptr);
    }

    double* const s_carry = keep(s_.carry[warp_][0] + lane_);
    const double table = s_.tables[to_nodes_B][lane_], table_x = s_.tables[to_nodes_dB][lane_];
    const bool first = now.first, last = now.last;
    double* const out = (field_ == 0 ? g_.out_a : g_.out_b) + now.sums + lane_ + 4 * bar_ * 32;
#pragma unroll 1
    for (int n = 0; n < 5; ++n) {
      const int j = n < 4 ? n + 1 : 0;  // the first row last: its sums stay in registers until the seam is closed
      const bool to_seam = j == 4 && bar_ < bars - 1;
      if (n == 1) fetch_flux(s_.work_of(step + 1));
      double below[2] = {0, 0};
      if (!first) {
        below[0] = s_carry[j * Patches::PX];
        if (lane_ == 28) below[1] = s_carry[j * Patches::PX + 4];
      }
      divergence_row(sums, j, d, below, table, table_x);
#pragma unroll
      for (int k = 0; k < 5; ++k) {
        const double before = __shfl_up_sync(0xffffffffu, sums[k][1], 4);  // not zero in the first lane of an element only
        if (lane_ >= 4) sums[k][0] += before;
      }
      if constexpr (!A)
        if (!to_seam) add_r1(sums, step, 4 * bar_ + j, first);
      put(s_carry + j * Patches::PX, sums[4]);
      if (to_seam) {
        double* s = s_.seam[step % 2][field_][bar_][0] + lane_;
#pragma unroll
        for (int k = 0; k < 5; ++k) put(s + k * Patches::PX, sums[k]);
      } else if (j > 0 || bar_ == 0) {
        store_row(out + j * 32, 4 * bar_ + j, sums, last);
      }
    }
  }

  // After the end of the layer: the lower bar's sums on the first row.
  __device__ void close_seam(int step, double (&sums)[5][2]) const {
    if (bar_ == 0) return;
    const Work& now = s_.work_of(step);
    const double* s = s_.seam[step % 2][field_][bar_ - 1][0] + lane_;
#pragma unroll
    for (int k = 0; k < 5; ++k) {
      sums[k][0] += s[k * Patches::PX];
      if (lane_ == 28) sums[k][1] += s[k * Patches::PX + 4];
    }
    store_row((field_ == 0 ? g_.out_a : g_.out_b) + now.sums + lane_ + 4 * bar_ * 32, 4 * bar_, sums, now.last);
  }

 private:
  __device__ double* flux(const Work& w) const { return g_.flux + w.flux + bar_ * bar_flux; }
  __device__ void put(double* s, const double (&c)[2]) const {  // of a row of 33 nodes, from the lane's on
    s[0] = c[0];
    if (lane_ == 28) s[4] = c[1];
  }
  // The patch's own part of r1. Level 4 is carried to the layer above with it; level 0 has it already, but for the lowest of a chunk.
  __device__ void add_r1(double (&sums)[5][2], int step, int row, bool first) const {
    const double* s = s_.in_a_of(step)[0] + row * 32 + lane_;
    const int east = Patches::column(32, row) - Patches::column(28, row);  // from lane 28's node to the last of the row
#pragma unroll
    for (int k = 1; k < 5; ++k) {
      sums[k][0] += s[(k - 1) * level_stride];
      if (lane_ == 28) sums[k][1] += s[(k - 1) * level_stride + east];
    }
    if (first) {
      const double* s_lowest = s_.lowest_r1[step % 3] + row * 32 + lane_;
      sums[0][0] += *s_lowest;
      if (lane_ == 28) sums[0][1] += s_lowest[east];
    }
  }
  // From the row's place at the lane. Level 4 is not complete before the next layer, unless there is none.
  __device__ void store_row(double* out, int row, const double (&sums)[5][2], bool last) const {
#pragma unroll
    for (int k = 0; k < 5; ++k) {
      if (k == 4 && !last) break;
      out[k * Patches::level_size] = sums[k][0];
      if (lane_ == 28) out[k * Patches::level_size + Patches::column(32, row) - Patches::column(28, row)] = sums[k][1];
    }
  }

  const SweepArgs<Patches>& g_;
  const double* g_columns_;
  Shared<A>& s_;
  int warp_, lane_, field_, bar_;
};

}  // namespace agwave::two_sweep
