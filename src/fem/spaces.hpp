// SPDX-License-Identifier: Apache-2.0
// The two discrete spaces on one rank, as views that kernels read on host or device.
//   H1(4) pressure: nodes (i, j, k), x fastest, shared between elements; p_L[(k NY + j) NX + i]
//   L2(3) velocity: u_E[(e 3 + c) 64 + l], l = (lz 4 + ly) 4 + lx, on the GL nodes of element e = (ez ny + ey) nx + ex
// All nodal integrals are lumped by GLL quadrature and separate: with assembled one-dimensional weights wx, wy, wz,
//   M_p(i,j,k) = wx wy (h wz / K  [+ 1/(rho g) on the surface])          mass
//   S(i,j,k)   = (h wz / Z) (wy on x walls + wx on y walls)              absorbing walls
//   M_u(e,l)   = rho w_l det J                                           velocity mass
#pragma once
#include <cmath>
#include <cstdint>

#include "device/array.hpp"
#include "device/host_device.hpp"
#include "fem/geometry.hpp"
#include "fem/medium.hpp"
#include "mesh/basis.hpp"
#include "mesh/mesh.hpp"

namespace agwave {

struct NodeIndex {
  int i, j, k;
};
struct ElementIndex {
  int ex, ey, ez;
};

struct NodeView {
  int NX, NY, NZ;
  int pitch;                             // length of a row in memory: NX, unless whoever keeps the nodes pads them
  const double *wx, *wy, *wz;            // assembled over the whole mesh, at this rank's node lines; wz in sigma
  const double* h;                       // [NY][NX] depth at the column nodes [m]
  double inverse_K, inverse_Z, surface;  // 1/K [1/Pa], 1/Z, 1/(rho g) or 0 without a gravity surface on this rank
  const float* excess;            // [NZ][NY][NX] K at a node over that K, less 1; null where it is that K everywhere. 1/Z is that of the same K
  bool floor;                     // this rank has the seafloor
  bool west, east, south, north;  // this rank has that wall and it absorbs
  int own_i, own_j, own_k;        // first owned node line: 1 where a lower neighbour owns line 0

  AGWAVE_HD std::int64_t size() const { return static_cast<std::int64_t>(NX) * NY * NZ; }
  AGWAVE_HD std::int64_t at(int i, int j, int k) const { return (static_cast<std::int64_t>(k) * NY + j) * pitch + i; }
  AGWAVE_HD NodeIndex locate(std::int64_t n) const {  // node n of size(); 32 bits have room for the rows, and divide faster
    const std::int64_t row = quotient(n, NX);
    const auto row32 = static_cast<std::uint32_t>(row), k = row32 / static_cast<std::uint32_t>(NY);
    return {static_cast<int>(n - row * NX), static_cast<int>(row32 - k * static_cast<std::uint32_t>(NY)), static_cast<int>(k)};
  }
  AGWAVE_HD double column(int i, int j) const { return h[static_cast<std::int64_t>(j) * NX + i]; }
  AGWAVE_HD double stretch(int i, int j, int k) const {  // K over that of inverse_K, (c / c_reference)^2
    return excess ? 1 + static_cast<double>(excess[(static_cast<std::int64_t>(k) * NY + j) * NX + i]) : 1.0;
  }
  AGWAVE_HD double compliance(int i, int j, int k) const { return excess ? inverse_K / stretch(i, j, k) : inverse_K; }        // 1 / K at a node
  AGWAVE_HD double admittance(int i, int j, int k) const { return excess ? inverse_Z / sqrt(stretch(i, j, k)) : inverse_Z; }  // 1 / Z at a node
  AGWAVE_HD double mass(int i, int j, int k) const {
    return wx[i] * wy[j] * (column(i, j) * wz[k] * compliance(i, j, k) + (k == NZ - 1 ? surface : 0.0));
  }
  AGWAVE_HD double inverse_mass(int i, int j, int k) const { return 1 / mass(i, j, k); }
  AGWAVE_HD double damping(int i, int j, int k) const {
    double length = 0;
    if (west && i == 0) length += wy[j];
    if (east && i == NX - 1) length += wy[j];
    if (south && j == 0) length += wx[i];
    if (north && j == NY - 1) length += wx[i];
    return length * column(i, j) * wz[k] * admittance(i, j, k);
  }
  AGWAVE_HD bool absorbs(int i, int j) const {  // there is a wall that does
    return (west && i == 0) || (east && i == NX - 1) || (south && j == 0) || (north && j == NY - 1);
  }
  // S of the walls across x and of those across y.
  AGWAVE_HD void damping(int i, int j, int k, double& x, double& y) const {
    const double per_length = column(i, j) * wz[k] * admittance(i, j, k);
    x = (((west && i == 0) ? wy[j] : 0.0) + ((east && i == NX - 1) ? wy[j] : 0.0)) * per_length;
    y = (((south && j == 0) ? wx[i] : 0.0) + ((north && j == NY - 1) ? wx[i] : 0.0)) * per_length;
  }
  AGWAVE_HD bool owned(int i, int j, int k) const { return i >= own_i && j >= own_j && k >= own_k; }
};

struct ElementView {
  int nx, ny, nz, Q;
  const double *ax, *ay;           // half sizes of columns [m]
  const double *s_mid, *ds;        // layer centre and half thickness in sigma, per ez
  const double *h, *h_xi, *h_eta;  // [column][qy][qx] at the Q x Q quadrature points of each column
  const double* h_u;               // [column][ly][lx] at the velocity nodes
  double density;

  AGWAVE_HD std::int64_t count() const { return static_cast<std::int64_t>(nx) * ny * nz; }
  AGWAVE_HD ElementIndex locate(std::int64_t e) const {
    const int column = static_cast<int>(e % (static_cast<std::int64_t>(nx) * ny));
    return {column % nx, column / nx, static_cast<int>(e / (static_cast<std::int64_t>(nx) * ny))};
  }
  // Geometry at quadrature point q = (qz Q + qy) Q + qx of element (ex, ey, ez); x and w are the Q-point rule.
  AGWAVE_HD Metric point(int ex, int ey, int ez, int q, const double* x, const double* w) const {
    const int qx = q % Q, qy = q / Q % Q, qz = q / (Q * Q);
    const std::int64_t at = (static_cast<std::int64_t>(ey) * nx + ex) * Q * Q + qy * Q + qx;
    return metric(w[qx] * w[qy] * w[qz], ax[ex], ay[ey], ds[ez], s_mid[ez] - ds[ez] * x[qz], h[at], h_xi[at], h_eta[at]);
  }
  // M_u at velocity node l; w is the 4-point rule.
  AGWAVE_HD double velocity_mass(int ex, int ey, int ez, int l, const double* w) const {
    const int lx = l % L1D, ly = l / L1D % L1D, lz = l / (L1D * L1D);
    const std::int64_t at = (static_cast<std::int64_t>(ey) * nx + ex) * L1D * L1D + ly * L1D + lx;
    return density * w[lx] * w[ly] * w[lz] * ax[ex] * ay[ey] * ds[ez] * h_u[at];
  }
};

struct SpacesSetup {
  const Mesh& mesh;
  Medium medium;
  const BoundaryCase& boundary;
  int quadrature;  // Q1D, 4 or 5
};

// Owns the arrays behind both views in the given memory space.
class Spaces {
 public:
  Spaces(const SpacesSetup& setup, Space space);
  const NodeView& nodes() const { return nodes_; }
  const ElementView& elements() const { return elements_; }
  static std::size_t bytes(const Mesh& mesh, int quadrature);  // without the excess, which has excess_bytes
  static double excess_bytes(const Mesh& mesh) { return 4.0 * mesh.NX() * mesh.NY() * mesh.NZ(); }

 private:
  Array<double> store_;
  Array<float> excess_;
  NodeView nodes_{};
  ElementView elements_{};
};

// Assembled GLL weights of a list of faces, restricted to the node lines of elements [first, first + count).
std::vector<double> assembled_weights(const std::vector<double>& faces, std::int64_t first, std::int64_t count);

}  // namespace agwave
