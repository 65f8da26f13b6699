// SPDX-License-Identifier: Apache-2.0
// Arguments of the pencil kernels, and the march of their warps: each takes a pencil, a pair of neighbouring element columns along x (one where
// the box ends), up a chunk of layers.
#pragma once
#include "fem/spaces.hpp"
#include "mesh/basis.hpp"

namespace agwave::cuda_kernels {

struct PencilArgs {
  ElementView v;
  int NX, NY;
  int x0, x1, y0, y1, z0, z1, chunk;  // element box and layers per warp
  const double *p, *u, *qdata;        // qdata [e][5][Q^3] for PA, w h ds [e][Q^3] for scaled MF
  const double* depth;                // [NY][NX] at the column nodes
  bool trilinear;                     // geometry order 1
  double *g, *r;
};

struct March {
  static constexpr int warps = 4, threads = 32 * warps;  // of a block
  static constexpr int fibres = 9 * D1D;                 // of nodes along z, (j, i) with i = 0..8 over the pair

  int lane, warp;
  int ex, ey, first, last;  // the first column; layers first .. last - 1, none beyond the box

  __device__ __forceinline__ explicit March(const PencilArgs& a) : lane(threadIdx.x & 31), warp(threadIdx.x >> 5) {
    const int pairs = (a.x1 - a.x0 + 1) / 2, rows = a.y1 - a.y0;
    const std::int64_t pencil = static_cast<std::int64_t>(blockIdx.x) * warps + warp;
    ex = a.x0 + 2 * static_cast<int>(pencil % pairs);
    ey = a.y0 + static_cast<int>(pencil / pairs % rows);
    first = a.z0 + static_cast<int>(pencil / pairs / rows) * a.chunk;
    last = min(first + a.chunk, a.z1);
  }
  __device__ bool two(const PencilArgs& a) const { return ex + 1 < a.x1; }
  __device__ static std::int64_t level(const PencilArgs& a) { return static_cast<std::int64_t>(a.NX) * a.NY; }  // from one to the next
  __device__ std::int64_t corner(const PencilArgs& a) const {                                                   // the first node
    return (static_cast<std::int64_t>(4 * first) * a.NY + 4 * ey) * a.NX + 4 * ex;
  }
  __device__ std::int64_t element(const PencilArgs& a, int x, int ez) const { return (static_cast<std::int64_t>(ez) * a.v.ny + ey) * a.v.nx + x; }
};

// A lane's element of the pair in the x stages.
struct PencilElement {
  int half, ex;
  bool exists;
  std::int64_t e = 0;  // of the layer
  // Velocity nodes of component k in u and g.
  __device__ std::int64_t nodes(int k) const { return (e * 3 + k) * L3D; }
};

}  // namespace agwave::cuda_kernels
