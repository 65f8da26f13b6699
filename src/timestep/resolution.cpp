// SPDX-License-Identifier: Apache-2.0
#include "timestep/resolution.hpp"

#include <algorithm>
#include <cmath>
#include <numbers>

namespace agwave {
namespace {

constexpr double two_pi = 2 * std::numbers::pi;

// Of the ranks' worst columns the worst; of several alike the first in the order of the mesh.
Carried worst(const Carried& own, const Comm& comm) {
  const double period = comm.max(own.period);
  const auto key = [&](double v) { return own.period == period ? v : INFINITY; };
  Carried all{period, 0, 0, 0, 0};
  all.y = comm.min(key(own.y));
  const bool row = own.period == period && own.y == all.y;
  all.x = comm.min(row ? own.x : INFINITY);
  const bool mine = row && own.x == all.x;
  all.width = comm.min(mine ? own.width : INFINITY);
  all.depth = comm.min(mine ? own.depth : INFINITY);
  return all;
}

}  // namespace

Resolution resolution(const Mesh& mesh, const Medium& medium, Surface surface, const Integrator& integrator, double dt, const Comm& comm) {
  Carried sound, gravity;
  double thickest = 0;
  for (std::size_t k = 0; k + 1 < mesh.sigma.size(); ++k) thickest = std::max(thickest, mesh.sigma[k] - mesh.sigma[k + 1]);
  for (int ey = 0; ey < mesh.ny(); ++ey)
    for (int ex = 0; ex < mesh.nx(); ++ex) {
      double least = INFINITY, most = 0;
      for (int j = 0; j < D1D; ++j)
        for (int i = 0; i < D1D; ++i) {
          const double h = mesh.depth_at(P1D * ex + i, P1D * ey + j);
          least = std::min(least, h), most = std::max(most, h);
        }
      const double x = mesh.x_faces[mesh.part.first[0] + ex] + mesh.ax(ex), y = mesh.y_faces[mesh.part.first[1] + ey] + mesh.ay(ey);
      const double wide = 2 * std::max(mesh.ax(ex), mesh.ay(ey)), widest = std::max(wide, thickest * most);
      if (const double period = elements_per_sound_wave * widest / medium.column(x, y, most).slowest; period > sound.period)
        sound = {period, x, y, widest, most};
      const double k = two_pi / (elements_per_surface_wave * wide), omega = std::sqrt(medium.gravity() * k * std::tanh(k * least));
      if (two_pi / omega > gravity.period) gravity = {two_pi / omega, x, y, wide, least};
    }
  Resolution r{worst(sound, comm), {}, two_pi * dt / integrator.phase_limit};
  if (surface == Surface::gravity) r.surface = worst(gravity, comm);
  return r;
}

}  // namespace agwave
