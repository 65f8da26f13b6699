// SPDX-License-Identifier: Apache-2.0
#include "fem/medium.hpp"

#include <algorithm>
#include <array>
#include <cmath>

#include "case/schema.hpp"
#include "error/error.hpp"

namespace agwave {

Speeds Medium::column(double x, double y, double depth) const {
  if (!varies()) return {reference(), reference(), reference()};
  constexpr std::size_t samples = 33;
  std::array<double, samples> at{}, c{};
  for (std::size_t n = 0; n < samples; ++n) at[n] = depth * static_cast<double>(n) / (samples - 1);
  sound_->column(x, y, at, c);
  Speeds all{INFINITY, 0, 0};
  for (const double v : c) all = {std::min(all.slowest, v), all.mean + v / samples, std::max(all.fastest, v)};
  return all;
}

std::vector<float> Medium::excess(const Mesh& mesh) const {
  if (!varies()) return {};
  const std::vector<double> x = mesh.x_nodes(), y = mesh.y_nodes(), sigma = mesh.sigma_nodes();
  const std::size_t level = x.size() * y.size();
  std::vector<float> excess(level * sigma.size());
  std::vector<double> depths(sigma.size()), c(sigma.size());
  for (std::size_t j = 0; j < y.size(); ++j)
    for (std::size_t i = 0; i < x.size(); ++i) {
      const double h = mesh.depth_at(static_cast<int>(i), static_cast<int>(j));
      for (std::size_t k = 0; k < sigma.size(); ++k) depths[k] = sigma[k] * h;
      sound_->column(x[i], y[j], depths, c);
      for (std::size_t k = 0; k < sigma.size(); ++k) {
        if (!(c[k] >= slowest_sound && c[k] <= fastest_sound))
          throw Error(sound_->blame(), text(sound_->where(), ": the speed of sound becomes ", rounded(c[k], 6), " m/s at x = ", rounded(x[i], 7),
                                            " m, y = ", rounded(y[j], 7), " m, depth ", rounded(depths[k], 6), " m; in sea water it is ",
                                            slowest_sound, " to ", fastest_sound, " m/s",
                                            depths[k] > sound_->deepest()
                                                ? text("; it is extrapolated from ", rounded(sound_->deepest(), 6), " m on: give values further down")
                                                : ""));
        const double relative = c[k] / reference();
        excess[k * level + j * x.size() + i] = static_cast<float>(relative * relative - 1);
      }
    }
  return excess;
}

Speeds speeds_of(const Mesh& mesh, const Medium& medium, const Comm& comm) {
  if (!medium.varies()) return medium.column(0, 0, 0);
  double slowest = INFINITY, fastest = 0;
  std::vector<double> sums(2, 0.0);  // of columns of elements: volume times mean speed, volume
  if (mesh.part.at_low(2))
    for (int ey = 0; ey < mesh.ny(); ++ey)
      for (int ex = 0; ex < mesh.nx(); ++ex) {
        const double x = mesh.x_faces[mesh.part.first[0] + ex] + mesh.ax(ex), y = mesh.y_faces[mesh.part.first[1] + ey] + mesh.ay(ey);
        const double h = mesh.depth_at(4 * ex + 2, 4 * ey + 2), volume = mesh.ax(ex) * mesh.ay(ey) * h;
        const Speeds here = medium.column(x, y, h);
        slowest = std::min(slowest, here.slowest);
        fastest = std::max(fastest, here.fastest);
        sums[0] += volume * here.mean;
        sums[1] += volume;
      }
  comm.sum(sums);
  return {comm.min(slowest), sums[0] / sums[1], comm.max(fastest)};
}

std::string medium_note(const Mesh& mesh, const Medium& medium, const Comm& comm) {
  if (!medium.varies()) return "";
  const double water = comm.max(*std::max_element(mesh.depth.begin(), mesh.depth.end())), known = medium.sound()->deepest();
  if (water <= known * (1 + 1e-9)) return "";
  return text("note: ", medium.sound()->where(), ": the speed of sound is given down to ", rounded(known), " m and the water is up to ",
              rounded(water), " m deep; below it goes on as it changes at its deepest value");
}

}  // namespace agwave
