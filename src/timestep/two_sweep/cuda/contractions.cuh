// SPDX-License-Identifier: Apache-2.0
// What a lane of the two-sweep kernel computes for its plane of one element: the gradient of a staged pressure (gradient.cuh), the flux that
// belongs to it, and rows of the flux's divergence. Contractions along z and y need nobody else, those along x are tensor-core products whose
// operands and results lie where they are needed (LaneTable). Nothing goes through shared memory between the stages.
#pragma once
#include "timestep/two_sweep/cuda/gradient.cuh"

namespace agwave::two_sweep {

// As keep(), of an address in global memory: counted on, not computed anew.
template <class T>
__device__ __forceinline__ T* keep_global(T* pointer) {
  auto g = __cvta_generic_to_global(pointer);
  asm volatile("" : "+l"(g));
  return static_cast<T*>(__cvta_global_to_generic(g));
}

// F from the derivatives, in place, both in parts along z: sums and differences of the points q and 3 - q, from half of them.
// `geometry`: SweepTables::layers of the layer; `scale`: of F. The slope is linear along z: mean + step at q, mean - step at 3 - q.
template <class T>
__device__ __forceinline__ void flux_of_gradient(PointVectorsOf<T>& d, T scale, const T* s_columns, const T* s_geometry) {
  T across[2], along[2], step[2];  // w ds, w / ds
#pragma unroll
  for (int q = 0; q < 2; ++q) {
    across[q] = 2 * scale * s_geometry[q];
    along[q] = 2 * scale * s_geometry[2 + q];
    step[q] = T(0.5) * (s_geometry[4 + q] - s_geometry[7 - q]);
  }
  const T mean = T(0.5) * (s_geometry[4] + s_geometry[7]);
#pragma unroll
  for (int qy = 0; qy < 4; ++qy) {
    const T* c = s_columns + qy * 5 * 32;
    const T kx = c[0], ky = c[32], kz = c[64], sx = c[96], sy = c[128];
#pragma unroll
    for (int q = 0; q < 2; ++q) {
      T &x_even = d.x[qy][q], &x_odd = d.x[qy][2 + q], &y_even = d.y[qy][q], &y_odd = d.y[qy][2 + q], &z_even = d.z[qy][q], &z_odd = d.z[qy][2 + q];
      const T slope_even = fma(step[q], z_odd, mean * z_even), slope_odd = fma(step[q], z_even, mean * z_odd);  // slope p_zeta
      const T x = kx * across[q], y = ky * across[q], z = kz * along[q];
      x_even = x * fma(-sx, slope_even, x_even);
      x_odd = x * fma(-sx, slope_odd, x_odd);
      y_even = y * fma(-sy, slope_even, y_even);
      y_odd = y * fma(-sy, slope_odd, y_odd);
      const T h_even = fma(sx, x_even, sy * y_even), h_odd = fma(sx, x_odd, sy * y_odd);
      z_even = fma(-step[q], h_odd, fma(-mean, h_even, z * z_even));
      z_odd = fma(-step[q], h_even, fma(-mean, h_odd, z * z_odd));
    }
  }
}

// The same with U' = U + F instead of F, left where U was, which lies in the same parts.
__device__ __forceinline__ void flux_of_gradient(PointVectors& d, double scale, const double* s_columns, const double* s_geometry, double* s_flux) {
  flux_of_gradient(d, scale, s_columns, s_geometry);
  const auto add = [&](double(&f)[4][4], int component) {
#pragma unroll
    for (int qy = 0; qy < 4; ++qy)
#pragma unroll
      for (int q = 0; q < 2; ++q) {
        double2& u = *reinterpret_cast<double2*>(s_flux + component * Patches::bar + (qy * 2 + q) * 64);
        f[qy][q] += u.x;
        f[qy][2 + q] += u.y;
        u = make_double2(f[qy][q], f[qy][2 + q]);
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

}  // namespace agwave::two_sweep
