// SPDX-License-Identifier: Apache-2.0
// One sweep of two-sweep RK4 over the mesh (timestep/two_sweep.hpp): the gradients of two staged pressures and the divergences of
// two fluxes of each element while it is on chip. A block is 8 element warps, one per bar of 8 elements and field, and
// 2 node warps; it marches up one patch of 8 x 4 element columns after the other, chunk by chunk.
//
//   node warps, layer k + 1   sums of the last sweep -> staged pressures alpha p_a, beta p_b on its nodes -> shared memory
//   element warps, layer k    nodes -> gradient -> F = w det J J^-1 J^-T grad p [sweep A, field a: U' = U + F] -> G^T F -> partial sums
//   one barrier per layer; the sums on the row between two bars are closed right behind it
//
// Per field and layer, nodes (k, j, i), points (qz, qy, qx), a lane = (element of the bar, i or qx):
//   x    v[k][j] = B p,  v_x[k][j] = dB p                                one tensor-core product and a rank-1 update per (k, j)
//   z    along_x = B v_x,  along_y = B v,  along_z = dB v                in registers, even and odd parts
//   y    p_xi = B along_x,  p_eta = dB along_y,  p_zeta = B along_z      in registers
//        a = slope h_xi / h,  b = slope h_eta / h,  slope = -s / ds
//        F_x = kx w ds (p_xi - a p_zeta),  F_y = ky w ds (p_eta - b p_zeta),  F_z = kz w/ds p_zeta - a F_x - b F_y
//   and back by the transposed products; the sum over two elements along x by a shuffle, along y over the seam between
//   bars, along z by what the layer below left (Shared::carry).
//
// Budget per element and sweep: about 2,600 FP64 instructions per lane quad and field, 38 tensor-core products per 8 elements and
// field, 11 KB of DRAM traffic per step: U read and written once (sweep A), p read twice and written once, sums: 5 read, 4
// written. Shared memory moves nodes (50 reads per lane, layer and field), U (24 of 16 bytes) and geometry (20), nothing else.
// One block per multiprocessor: 320 threads, up to 200 registers. benchmarks/log.md says why, and what was tried.
// Arrays: timestep/two_sweep_layout.hpp; shared memory: two_sweep_shared.cuh.
#pragma once
#include "kernels/cuda/two_sweep_elements.cuh"
#include "kernels/cuda/two_sweep_nodes.cuh"

namespace agwave::two_sweep {

// One barrier for all warps, met in the loop of each role: apart, neither role's variables cost the other registers.
__device__ __forceinline__ void layer_barrier() { asm volatile("bar.sync 0, %0;" ::"n"(threads) : "memory"); }

template <bool A>
__device__ __forceinline__ void element_loop(const SweepArgs<Patches>& g, const SweepTables& tables, Shared& s) {
  ElementRole<A> elements(g, tables, s);
  if (threadIdx.x < 32) fill_lane_tables(s.tables);
  layer_barrier();
  elements.fetch(s.work[0]);
  layer_barrier();
  for (int step = 0; s.work[step % 4].valid; ++step) {
    elements.layer(step);
    layer_barrier();
    elements.close_seam(step);
  }
}

template <bool A>
__device__ __forceinline__ void node_loop(const SweepArgs<Patches>& g, Shared& s) {
  NodeRole<A> nodes(g, s);
  Planner planner(g);
  const bool plans = threadIdx.x == threads - 1;
  if (plans)
    for (int step = 0; step < 2; ++step) planner.next(s.work[step]);
  __syncwarp();
  nodes.weights(0);
  layer_barrier();
  nodes.begin(s.work[0]);
  for (int step = 0; s.work[step % 4].valid; ++step) {  // a layer ahead of the elements, plans another two ahead
    if (plans) planner.next(s.work[(step + 2) % 4]);
    nodes.weights(step + 1);
    nodes.layer(step);
    layer_barrier();
  }
  layer_barrier();
}

// Registers move from the warps that stage nodes to those that hold planes of elements, where the device can do that.
template <int Registers, bool More>
__device__ __forceinline__ void take_registers() {
#if defined(__CUDA_ARCH_FEAT_SM90_ALL) || defined(__CUDA_ARCH_FEAT_SM100_ALL)
  if constexpr (More)
    asm volatile("setmaxnreg.inc.sync.aligned.u32 %0;" ::"n"(Registers));
  else
    asm volatile("setmaxnreg.dec.sync.aligned.u32 %0;" ::"n"(Registers));
#endif
}

template <bool A>
__global__ void __launch_bounds__(threads, 1) sweep_kernel(const __grid_constant__ SweepArgs<Patches> g, const __grid_constant__ SweepTables tables) {
  extern __shared__ __align__(16) unsigned char s_memory[];
  Shared& s = *reinterpret_cast<Shared*>(s_memory);
  if (threadIdx.x < 32 * element_warps) {
    take_registers<152, true>();
    element_loop<A>(g, tables, s);
  } else {
    take_registers<104, false>();
    node_loop<A>(g, s);
  }
}

}  // namespace agwave::two_sweep
