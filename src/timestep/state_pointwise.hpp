// SPDX-License-Identifier: Apache-2.0
// What is asked of a completed state at one node, as functors for a backend: energies, powers, samples, picks and the surface's extremes.
#pragma once
#include <cmath>
#include <cstdint>

#include "fem/spaces.hpp"

namespace agwave::state {

struct PotentialEnergy {  // acoustic, and on the surface level also gravity, told apart by `gravity`
  NodeView v;
  const double* p;
  bool gravity;
  std::int64_t offset;  // first node: 0, or the start of the surface level
  AGWAVE_HD double operator()(std::int64_t n) const {
    n += offset;
    int i, j, k;
    v.locate(n, i, j, k);
    if (!v.owned(i, j, k)) return 0;
    const double area = v.wx[i] * v.wy[j], density = gravity ? v.surface : v.column(i, j) * v.wz[k] * v.compliance(i, j, k), value = p[v.at(i, j, k)];
    return 0.5 * area * density * value * value;
  }
};

struct WallLoss {  // over the nodes of the four wall planes: n counts (west, east: NY NZ each), (south, north: NX NZ each)
  NodeView v;
  const double* p;
  AGWAVE_HD double operator()(std::int64_t n) const {
    const std::int64_t x_wall = static_cast<std::int64_t>(v.NY) * v.NZ, y_wall = static_cast<std::int64_t>(v.NX) * v.NZ;
    int i, j, k;
    bool absorbs;
    if (n < 2 * x_wall) {
      const bool east = n >= x_wall;
      absorbs = east ? v.east : v.west;
      n -= east ? x_wall : 0;
      i = east ? v.NX - 1 : 0;
      j = static_cast<int>(n % v.NY);
      k = static_cast<int>(n / v.NY);
      if (!absorbs || !v.owned(i, j, k)) return 0;
      const double value = p[v.at(i, j, k)];
      return v.wy[j] * v.column(i, j) * v.wz[k] * v.admittance(i, j, k) * value * value;
    }
    n -= 2 * x_wall;
    const bool north = n >= y_wall;
    absorbs = north ? v.north : v.south;
    n -= north ? y_wall : 0;
    j = north ? v.NY - 1 : 0;
    i = static_cast<int>(n % v.NX);
    k = static_cast<int>(n / v.NX);
    if (!absorbs || !v.owned(i, j, k)) return 0;
    const double value = p[v.at(i, j, k)];
    return v.wx[i] * v.column(i, j) * v.wz[k] * v.admittance(i, j, k) * value * value;
  }
};

struct ForcedNodes {  // NodalForcing (fem/forcing.hpp) as kernels read it
  std::int64_t first;
  const std::int32_t* list;  // or null: as many nodes from `first` on
  const double* weights;
  std::int64_t count;
  AGWAVE_HD std::int64_t node(std::int64_t n) const { return list ? list[n] : first + n; }
};

struct ForcingProduct {  // sum_n weight_n p(node_n) over owned nodes; weights are complete on every rank, so each node counts once
  NodeView v;
  ForcedNodes nodes;
  const double* p;
  AGWAVE_HD double operator()(std::int64_t n) const {
    int i, j, k;
    v.locate(nodes.node(n), i, j, k);
    return v.owned(i, j, k) ? nodes.weights[n] * p[v.at(i, j, k)] : 0.0;
  }
};

struct SurfacePressure {
  NodeView v;
  const double* p;
  double* value;
  AGWAVE_HD void operator()(std::int64_t n) const { value[n] = p[v.at(static_cast<int>(n % v.NX), static_cast<int>(n / v.NX), v.NZ - 1)]; }
};

struct PickNodes {  // every stride-th node of a box; level: `from` has one level of NX * NY values, without padding
  NodeView v;
  int first[3], nx, ny, stride;
  bool level;
  const double* from;
  double* to;
  AGWAVE_HD void operator()(std::int64_t n) const {
    const int i = first[0] + stride * static_cast<int>(n % nx), j = first[1] + stride * static_cast<int>(n / nx % ny),
              k = first[2] + stride * static_cast<int>(n / nx / ny);
    to[n] = level ? from[static_cast<std::int64_t>(j) * v.NX + i] : from[v.at(i, j, k)];
  }
};

struct Magnitude {
  const double* p;
  AGWAVE_HD double operator()(std::int64_t n) const { return p[n] < 0 ? -p[n] : p[n]; }
};

struct SamplePoint {  // sum_n weight[n] p[node[n]] over the point's range
  const double* p;
  const std::int32_t* offset;
  const std::int64_t* node;
  const double* weight;
  double* value;
  AGWAVE_HD void operator()(std::int64_t point) const {
    double sum = 0;
    for (std::int32_t n = offset[point]; n < offset[point + 1]; ++n) sum += weight[n] * p[node[n]];
    value[point] = sum;
  }
};

struct TrackSurface {  // eta = p / (rho g)
  NodeView v;
  const double* p;
  double per_pressure, time, threshold;
  double *maximum, *arrival;  // arrival < 0: not yet
  AGWAVE_HD void operator()(std::int64_t n) const {
    const double eta = per_pressure * p[v.at(static_cast<int>(n % v.NX), static_cast<int>(n / v.NX), v.NZ - 1)];
    if (eta > maximum[n]) maximum[n] = eta;
    if (arrival[n] < 0 && (eta < 0 ? -eta : eta) > threshold) arrival[n] = time;
  }
};

}  // namespace agwave::state
