// SPDX-License-Identifier: Apache-2.0
// What is asked of a completed state at one node, as functors for a backend: energies, powers, samples, picks and the surface's extremes.
//   Values: the pressure, wherever a stepper keeps it; p(i, j, k) at a node, which is p.values[p.at(i, j, k)]
#pragma once
#include <cstdint>

#include "fem/spaces.hpp"

namespace agwave::state {

struct NodeValues {  // [NZ][NY][pitch]
  const double* values = nullptr;
  int NY = 0, pitch = 0;
  NodeValues() = default;
  NodeValues(const double* p, const NodeView& v) : values(p), NY(v.NY), pitch(v.pitch) {}
  AGWAVE_HD std::int64_t at(int i, int j, int k) const { return (static_cast<std::int64_t>(k) * NY + j) * pitch + i; }
  AGWAVE_HD double operator()(int i, int j, int k) const { return values[at(i, j, k)]; }
};

template <class Values>
struct PotentialEnergy {  // acoustic, and on the surface level also gravity, told apart by `gravity`
  NodeView v;
  Values p;
  bool gravity;
  std::int64_t offset;  // first node: 0, or the start of the surface level
  AGWAVE_HD double operator()(std::int64_t n) const {
    n += offset;
    const auto [i, j, k] = v.locate(n);
    if (!v.owned(i, j, k)) return 0;
    const double area = v.wx[i] * v.wy[j], density = gravity ? v.surface : v.column(i, j) * v.wz[k] * v.compliance(i, j, k), value = p(i, j, k);
    return 0.5 * area * density * value * value;
  }
};

template <class Values>
struct WallLoss {  // over the nodes of the four wall planes: n counts (west, east: NY NZ each), (south, north: NX NZ each)
  NodeView v;
  Values p;
  AGWAVE_HD double operator()(std::int64_t n) const {
    const std::int64_t x_wall = static_cast<std::int64_t>(v.NY) * v.NZ, y_wall = static_cast<std::int64_t>(v.NX) * v.NZ;
    const bool across_x = n < 2 * x_wall;
    if (!across_x) n -= 2 * x_wall;
    const std::int64_t wall = across_x ? x_wall : y_wall;
    const bool high = n >= wall;
    if (high) n -= wall;
    const int length = across_x ? v.NY : v.NX, along = static_cast<int>(n % length), k = static_cast<int>(n / length);
    const int there = !high ? 0 : across_x ? v.NX - 1 : v.NY - 1, i = across_x ? there : along, j = across_x ? along : there;
    const bool absorbs = across_x ? (high ? v.east : v.west) : (high ? v.north : v.south);
    if (!absorbs || !v.owned(i, j, k)) return 0;
    const double value = p(i, j, k);
    return (across_x ? v.wy[j] : v.wx[i]) * v.column(i, j) * v.wz[k] * v.admittance(i, j, k) * value * value;
  }
};

struct ForcedNodes {  // NodalForcing (fem/forcing.hpp) as kernels read it
  std::int64_t first;
  const std::int64_t* list;  // or null: as many nodes from `first` on
  const double* weights;
  std::int64_t count;
  AGWAVE_HD std::int64_t node(std::int64_t n) const { return list ? list[n] : first + n; }
};

template <class Values>
struct ForcingProduct {  // sum_n weight_n p(node_n) over owned nodes; weights are complete on every rank, so each node counts once
  NodeView v;
  ForcedNodes nodes;
  Values p;
  AGWAVE_HD double operator()(std::int64_t n) const {
    const auto [i, j, k] = v.locate(nodes.node(n));
    return v.owned(i, j, k) ? nodes.weights[n] * p(i, j, k) : 0.0;
  }
};

template <class Values>
struct SurfacePressure {
  NodeView v;
  Values p;
  double* value;
  AGWAVE_HD void operator()(std::int64_t n) const { value[n] = p(static_cast<int>(n % v.NX), static_cast<int>(n / v.NX), v.NZ - 1); }
};

template <class Values>
struct PickNodes {  // every stride-th node of a box, of p, or of one level of NX * NY values
  NodeView v;
  int first[3], nx, ny, stride;
  Values p;
  const double* level;  // or null
  double* to;
  AGWAVE_HD void operator()(std::int64_t n) const {
    const int i = first[0] + stride * static_cast<int>(n % nx), j = first[1] + stride * static_cast<int>(n / nx % ny),
              k = first[2] + stride * static_cast<int>(n / nx / ny);
    to[n] = level ? level[static_cast<std::int64_t>(j) * v.NX + i] : p(i, j, k);
  }
};

template <class Values>
struct Magnitude {
  NodeView v;
  Values p;
  AGWAVE_HD double operator()(std::int64_t n) const {
    const auto [i, j, k] = v.locate(n);
    const double value = p(i, j, k);
    return value < 0 ? -value : value;
  }
};

template <class Values>
struct PlaceNodes {  // of the numbers of nodes makes the places of their values
  NodeView v;
  Values p;
  std::int64_t* node;
  AGWAVE_HD void operator()(std::int64_t n) const {
    const auto [i, j, k] = v.locate(node[n]);
    node[n] = p.at(i, j, k);
  }
};

template <class Real>
struct SamplePoint {  // sum_n weight[n] values[place[n]] over the point's range
  const Real* values;
  const std::int32_t* offset;
  const std::int64_t* place;
  const double* weight;
  double* value;
  AGWAVE_HD void operator()(std::int64_t point) const {
    double sum = 0;
    for (std::int32_t n = offset[point]; n < offset[point + 1]; ++n) sum += weight[n] * values[place[n]];
    value[point] = sum;
  }
};

template <class Values>
struct TrackSurface {  // eta = p / (rho g)
  NodeView v;
  Values p;
  double per_pressure, time, threshold;
  double *maximum, *arrival;  // arrival < 0: not yet
  AGWAVE_HD void operator()(std::int64_t n) const {
    const double eta = per_pressure * p(static_cast<int>(n % v.NX), static_cast<int>(n / v.NX), v.NZ - 1);
    if (eta > maximum[n]) maximum[n] = eta;
    if (arrival[n] < 0 && (eta < 0 ? -eta : eta) > threshold) arrival[n] = time;
  }
};

}  // namespace agwave::state
