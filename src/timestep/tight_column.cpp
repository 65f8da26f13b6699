// SPDX-License-Identifier: Apache-2.0
// One column against all others.
#include "timestep/tight_column.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "fem/column.hpp"
#include "timestep/box_spectrum.hpp"

namespace agwave {
namespace {

// Least and mean depth of a column.
struct Depths {
  double least = std::numeric_limits<double>::infinity(), mean = 0;
};
Depths depths_of(const Mesh& mesh, int ex, int ey) {
  Depths d;
  for (int j = 0; j < D1D; ++j)
    for (int i = 0; i < D1D; ++i) {
      const double h = mesh.depth_at(P1D * ex + i, P1D * ey + j);
      d.least = std::min(d.least, h);
      d.mean += 0.25 * gll.w[i] * gll.w[j] * h;
    }
  return d;
}

double steepest(const Mesh& mesh, int ex, int ey) {
  double most = 0;
  for (int q = 0; q < L1D * L1D; ++q) {
    const ColumnDepth at = column_depth<L1D>(mesh, ex, ey, q % L1D, q / L1D);
    most = std::max(most, std::hypot(at.h_xi / mesh.ax(ex), at.h_eta / mesh.ay(ey)));
  }
  return most;
}

// The step of half of all columns, to 1 %: a histogram of steps between `least` and 1e4 times that.
double half_of(const std::vector<double>& steps, double least, const Comm& comm) {
  constexpr double per_factor = 100;  // bins per factor e
  std::vector<double> count(1000, 0.0);
  for (const double step : steps) count[static_cast<std::size_t>(std::clamp(per_factor * std::log(step / least), 0.0, 999.0))] += 1;
  comm.sum(count);
  double all = 0, sum = 0;
  for (const double n : count) all += n;
  std::size_t bin = 0;
  while (bin < count.size() && (sum += count[bin]) < 0.5 * all) ++bin;
  return least * std::exp(static_cast<double>(bin) / per_factor);
}

}  // namespace

TightColumn tight_column(const Mesh& mesh, const Medium& medium, const StableStep& limit, const Comm& comm) {
  const BoxBound& box = box_bound();
  double thinnest = 1;
  for (std::size_t k = 1; k < mesh.sigma.size(); ++k) thinnest = std::min(thinnest, mesh.sigma[k - 1] - mesh.sigma[k]);
  const auto level_step = [&](int ex, int ey, double depth) {
    const double c = medium.column(limit.x, limit.y, depth).fastest;
    const auto rate = [&](double half) { return std::pow(c / half, 2); };
    return limit.waves_only * limit.omega / std::sqrt(box(rate(mesh.ax(ex)), rate(mesh.ay(ey)), rate(0.5 * thinnest * depth)));
  };
  TightColumn own;
  std::vector<double> steps;
  for (int ey = 0; ey < mesh.ny(); ++ey)
    for (int ex = 0; ex < mesh.nx(); ++ex) {
      const Depths depths = depths_of(mesh, ex, ey);
      if (mesh.part.at_low(2))  // ranks above one another have the same columns
        steps.push_back(limit.waves_only * limit.omega / std::sqrt(limit.columns.patch(ex, ey, 1, 1)));
      const double x = mesh.x_faces[mesh.part.first[0] + ex], y = mesh.y_faces[mesh.part.first[1] + ey];
      if (limit.x < x || limit.x > x + 2 * mesh.ax(ex) || limit.y < y || limit.y > y + 2 * mesh.ay(ey)) continue;
      own = {limit.x,
             limit.y,
             depths.least,
             steepest(mesh, ex, ey),
             2 * std::min(mesh.ax(ex), mesh.ay(ey)),
             thinnest * depths.least,
             limit.waves_only,
             level_step(ex, ey, depths.mean),
             0};
    }
  TightColumn result{limit.x, limit.y, 0, 0, 0, 0, limit.waves_only, 0, 0, mesh.elements[2]};
  for (double TightColumn::*value :
       {&TightColumn::depth, &TightColumn::slope, &TightColumn::width, &TightColumn::thickness, &TightColumn::level_step})
    result.*value = comm.max(own.*value);
  const double least = comm.min(steps.empty() ? std::numeric_limits<double>::infinity() : *std::min_element(steps.begin(), steps.end()));
  result.half_step = half_of(steps, least, comm);
  return result;
}

std::string tight_note(const TightColumn& c) {
  const bool steep = c.level_step >= 1.25 * c.step, lonely = c.half_step >= 2 * c.step;
  if (!steep && !lonely) return "";
  std::string note =
      text("note: the column at x = ", std::llround(c.x), " m, y = ", std::llround(c.y), " m sets the time step: water ", rounded(c.depth, 4),
           " m deep, layers ", rounded(c.thickness, 4), " m thick in elements ", std::llround(c.width), " m wide");
  if (c.slope >= 0.01) note += text(", floor sloping by ", rounded(c.slope));
  if (lonely) note += text("; half of the columns would allow a step ", rounded(c.half_step / c.step), " times as long");
  if (steep) note += text("; a level floor there would allow one ", rounded(c.level_step / c.step), " times as long: smooth it");
  if (lonely) note += text(steep ? ", or" : ":", " give deeper water there (min_depth)", c.layers > 1 ? ", or fewer layers" : "");
  return note;
}

}  // namespace agwave
