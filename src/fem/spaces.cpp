// SPDX-License-Identifier: Apache-2.0
// Fills the one-dimensional weights and the column geometry, then places them in one block of memory.
#include "fem/spaces.hpp"

#include <algorithm>
#include <cmath>

#include "fem/column.hpp"

namespace agwave {

std::vector<double> assembled_weights(const std::vector<double>& faces, std::int64_t first, std::int64_t count) {
  const std::int64_t elements = static_cast<std::int64_t>(faces.size()) - 1;
  const auto half = [&](std::int64_t e) { return 0.5 * std::abs(faces[e + 1] - faces[e]); };
  std::vector<double> weights(static_cast<std::size_t>(P1D * count + 1));
  for (std::int64_t n = 0; n <= P1D * count; ++n) {
    const std::int64_t e = first + n / 4;
    const int i = static_cast<int>(n % P1D);
    if (i > 0) {
      weights[n] = gll.w[i] * half(e);
    } else {
      weights[n] = (e > 0 ? gll.w[4] * half(e - 1) : 0.0) + (e < elements ? gll.w[0] * half(e) : 0.0);
    }
  }
  return weights;
}

namespace {

// h, h_xi, h_eta at the Q x Q points of every column.
template <int Q>
void column_points(const Mesh& mesh, double* h, double* h_xi, double* h_eta) {
  for (int ey = 0; ey < mesh.ny(); ++ey)
    for (int ex = 0; ex < mesh.nx(); ++ex) {
      const std::size_t base = (static_cast<std::size_t>(ey) * mesh.nx() + ex) * Q * Q;
      for (int qy = 0; qy < Q; ++qy)
        for (int qx = 0; qx < Q; ++qx) {
          const ColumnDepth at = column_depth<Q>(mesh, ex, ey, qx, qy);
          h[base + qy * Q + qx] = at.h;
          if (h_xi) h_xi[base + qy * Q + qx] = at.h_xi;
          if (h_eta) h_eta[base + qy * Q + qx] = at.h_eta;
        }
    }
}

struct Layout {  // offsets into the one block, in doubles
  std::size_t wx, wy, wz, depth, ax, ay, s_mid, ds, h, h_xi, h_eta, h_u, end;
  Layout(const Mesh& m, int Q) {
    std::size_t at = 0;
    const auto take = [&](std::size_t n) {
      const std::size_t start = at;
      at += (n + 7) / 8 * 8;
      return start;
    };
    const std::size_t columns = static_cast<std::size_t>(m.nx()) * m.ny();
    wx = take(m.NX());
    wy = take(m.NY());
    wz = take(m.NZ());
    depth = take(static_cast<std::size_t>(m.NX()) * m.NY());
    ax = take(m.nx());
    ay = take(m.ny());
    s_mid = take(m.nz());
    ds = take(m.nz());
    h = take(columns * Q * Q);
    h_xi = take(columns * Q * Q);
    h_eta = take(columns * Q * Q);
    h_u = take(columns * L1D * L1D);
    end = at;
  }
};

}  // namespace

std::size_t Spaces::bytes(const Mesh& mesh, int quadrature) { return Layout(mesh, quadrature).end * sizeof(double); }

Spaces::Spaces(const SpacesSetup& setup, Space space) {
  const auto& [mesh, medium, boundary, quadrature] = setup;
  const Layout at(mesh, quadrature);
  std::vector<double> host(at.end, 0.0);
  const auto put = [&](std::size_t offset, const std::vector<double>& values) {
    std::copy(values.begin(), values.end(), host.begin() + static_cast<std::ptrdiff_t>(offset));
  };
  put(at.wx, assembled_weights(mesh.x_faces, mesh.part.first[0], mesh.part.count[0]));
  put(at.wy, assembled_weights(mesh.y_faces, mesh.part.first[1], mesh.part.count[1]));
  put(at.wz, assembled_weights(mesh.sigma, mesh.part.first[2], mesh.part.count[2]));
  put(at.depth, mesh.depth);
  for (int e = 0; e < mesh.nx(); ++e) host[at.ax + e] = mesh.ax(e);
  for (int e = 0; e < mesh.ny(); ++e) host[at.ay + e] = mesh.ay(e);
  for (int e = 0; e < mesh.nz(); ++e) {
    host[at.s_mid + e] = 0.5 * (mesh.sigma_floor(e) + mesh.sigma_top(e));
    host[at.ds + e] = 0.5 * (mesh.sigma_floor(e) - mesh.sigma_top(e));
  }
  double* h = host.data();
  if (quadrature == 4) column_points<4>(mesh, h + at.h, h + at.h_xi, h + at.h_eta);
  if (quadrature == 5) column_points<5>(mesh, h + at.h, h + at.h_xi, h + at.h_eta);
  column_points<4>(mesh, h + at.h_u, nullptr, nullptr);

  store_ = Array<double>(space, host);
  excess_ = Array<float>(space, medium.excess(mesh));
  const double* d = store_.data();
  const auto& part = mesh.part;
  nodes_ = {.NX = mesh.NX(),
            .NY = mesh.NY(),
            .NZ = mesh.NZ(),
            .pitch = mesh.NX(),
            .wx = d + at.wx,
            .wy = d + at.wy,
            .wz = d + at.wz,
            .h = d + at.depth,
            .inverse_K = 1 / medium.bulk_modulus(),
            .inverse_Z = 1 / medium.impedance(),
            .surface = part.at_high(2) && boundary.surface == Surface::gravity ? 1 / medium.weight() : 0.0,
            .excess = excess_.empty() ? nullptr : excess_.data(),
            .floor = part.at_low(2),
            .west = part.at_low(0) && boundary.absorbs(0),
            .east = part.at_high(0) && boundary.absorbs(1),
            .south = part.at_low(1) && boundary.absorbs(2),
            .north = part.at_high(1) && boundary.absorbs(3),
            .own_i = part.at_low(0) ? 0 : 1,
            .own_j = part.at_low(1) ? 0 : 1,
            .own_k = part.at_low(2) ? 0 : 1};
  elements_ = {.nx = mesh.nx(),
               .ny = mesh.ny(),
               .nz = mesh.nz(),
               .Q = quadrature,
               .ax = d + at.ax,
               .ay = d + at.ay,
               .s_mid = d + at.s_mid,
               .ds = d + at.ds,
               .h = d + at.h,
               .h_xi = d + at.h_xi,
               .h_eta = d + at.h_eta,
               .h_u = d + at.h_u,
               .density = medium.density()};
}

}  // namespace agwave
