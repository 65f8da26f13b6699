// SPDX-License-Identifier: Apache-2.0
// Element bounds, exact values for the worst elements, the hull with the walls, and the integrator's stability region over it.
#include "timestep/stable_step.hpp"

#include <algorithm>
#include <cmath>
#include <memory>
#include <utility>
#include <vector>

#include "device/backend.hpp"
#include "error/error.hpp"
#include "fem/spaces.hpp"
#include "timestep/box_spectrum.hpp"

namespace agwave {

namespace {

constexpr int directions = 24;           // of the support function between the omega^2 and the sigma axis
constexpr double exact_limit = 1 << 19;  // elements whose own largest eigenvalue is computed, in 25 us each on a core

// Layers that stand for all. An element's K is convex in how deep it lies, G being linear in that, and its masses are those of any layer as thick: of layers
// as thick that follow one another the largest omega^2 is that of the first or the last. Where the speed differs by depth every layer stands for itself.
struct Layers {
  std::vector<double> s_mid, ds;
  std::vector<int> ez;  // of the speeds, where these differ

  Layers(const Mesh& mesh, bool speeds_differ) {
    const int first = speeds_differ ? static_cast<int>(mesh.part.first[2]) : 0,
              count = speeds_differ ? mesh.nz() : static_cast<int>(mesh.sigma.size()) - 1;
    const auto thickness = [&](int k) { return 0.5 * (mesh.sigma[k] - mesh.sigma[k + 1]); };
    const auto as_thick = [&](int k, int other) { return std::abs(thickness(k) / thickness(other) - 1) < 1e-9; };
    for (int k = first; k < first + count; ++k) {
      const bool between = k > first && k + 1 < first + count && as_thick(k - 1, k) && as_thick(k + 1, k);
      if (between && !speeds_differ) continue;
      s_mid.push_back(0.5 * (mesh.sigma[k] + mesh.sigma[k + 1]));
      ds.push_back(thickness(k));
      ez.push_back(speeds_differ ? k - first : 0);
    }
  }
  int count() const { return static_cast<int>(ds.size()); }
};

// BoxElement that bounds an element from above: c_d = c^2 max_q (G_dd + |off-diagonals|) / min_nodes det J, G = det J J^-1 J^-T.
struct ElementBound {
  double c[3];
  double depth_ratio;  // largest over smallest depth at the nodes, >= 1
};

class Bounds {
 public:
  Bounds(const Mesh& mesh, const Medium& medium, const Spaces& spaces)
      : mesh_(mesh), v_(spaces.elements()), nodes_(spaces.nodes()), c2_(medium.reference() * medium.reference()) {}

  double c2(int ex, int ey, int ez) const {  // the largest c^2 at the nodes of an element
    if (!nodes_.excess) return c2_;
    double most = 0;
    for (int n = 0; n < D3D; ++n) most = std::max(most, nodes_.stretch(P1D * ex + n % D1D, P1D * ey + n / D1D % D1D, P1D * ez + n / (D1D * D1D)));
    return c2_ * most;
  }

  ElementBound operator()(int ex, int ey, int ez) const { return of(ex, ey, ez, v_.s_mid[ez], v_.ds[ez]); }
  ElementBound of(int ex, int ey, int ez, double s_mid, double ds) const {  // of a layer there, with the speeds of layer ez
    double least = INFINITY, most = 0;
    for (int j = 0; j < 5; ++j)
      for (int i = 0; i < 5; ++i) {
        const double h = mesh_.depth_at(P1D * ex + i, P1D * ey + j);
        least = std::min(least, h);
        most = std::max(most, h);
      }
    const double ax = v_.ax[ex], ay = v_.ay[ey];
    const double det_min = ax * ay * ds * least;
    ElementBound b{{0, 0, 0}, most / least};
    const std::size_t base = (static_cast<std::size_t>(ey) * v_.nx + ex) * v_.Q * v_.Q;
    const double s = s_mid + ds;  // the floor face of the layer, where the shear is largest
    for (int q = 0; q < v_.Q * v_.Q; ++q) {
      const double z = v_.h[base + q] * ds, zx = std::abs(s * v_.h_xi[base + q]), zy = std::abs(s * v_.h_eta[base + q]);
      const double gx = ay * z / ax, gy = ax * z / ay, gxz = ay * zx / ax, gyz = ax * zy / ay;
      const double gz = ax * ay / z + (ay / ax * zx * zx + ax / ay * zy * zy) / z;
      b.c[0] = std::max(b.c[0], gx + gxz);
      b.c[1] = std::max(b.c[1], gy + gyz);
      b.c[2] = std::max(b.c[2], gz + gxz + gyz);
    }
    const double factor = c2(ex, ey, ez) / det_min;
    for (double& c : b.c) c *= factor;
    return b;
  }

 private:
  const Mesh& mesh_;
  const ElementView& v_;
  const NodeView& nodes_;
  double c2_;
};

// Elements' own largest omega^2, with their true metric and masses, side by side.
template <int Q>
class ExactWaves {
 public:
  ExactWaves(const ElementView& v, const NodeView& nodes, const Layers& layers) : v_(v), nodes_(nodes), layers_(layers) {
    v_.s_mid = layers_.s_mid.data();
    v_.ds = layers_.ds.data();
  }
  // Of element (ex, ey, layer) to lane n.
  void take(int n, int ex, int ey, int layer) {
    constexpr auto rule = gauss_rule<Q>();
    constexpr auto rule4 = gauss_rule<4>();
    for (int q = 0; q < Q * Q * Q; ++q) {
      const Metric m = v_.point(ex, ey, layer, q, rule.x, rule.w);
      const double entries[5] = {m.xx, m.xz, m.yy, m.yz, m.zz};
      for (int d = 0; d < 5; ++d) metric_[q][d][n] = entries[d];
    }
    for (int l = 0; l < L3D; ++l) inverse_mass_[l][n] = 1 / v_.velocity_mass(ex, ey, layer, l, rule4.w);
    for (int p = 0; p < D3D; ++p) {
      const int i = P1D * ex + p % D1D, j = P1D * ey + p / D1D % D1D, k = P1D * layers_.ez[static_cast<std::size_t>(layer)] + p / (D1D * D1D);
      const double weight =
          gll.w[p % D1D] * gll.w[p / D1D % D1D] * gll.w[p / (D1D * D1D)] * v_.ax[ex] * v_.ay[ey] * layers_.ds[static_cast<std::size_t>(layer)];
      root_[p][n] = 1 / std::sqrt(weight * nodes_.column(i, j) * nodes_.compliance(i, j, k));
    }
  }
  PerLane omega2() const {
    using On = ElementLanes<Q>;
    return largest_eigenvalues([&](const Vec* in, Vec* out) {
      Vec x[D3D], at_points[3][On::Q3D], at_nodes[L3D];
      for (int i = 0; i < D3D; ++i) x[i] = root_[i] * in[i];
      On::derivatives(x, at_points);
      for (int q = 0; q < On::Q3D; ++q) On::weigh_gradient(metric_[q], at_points[0][q], at_points[1][q], at_points[2][q]);
      for (auto& component : at_points) {
        On::against_velocities(component, at_nodes);
        for (int l = 0; l < L3D; ++l) at_nodes[l] *= inverse_mass_[l];
        On::to_points(at_nodes, component);
      }
      for (int q = 0; q < On::Q3D; ++q) On::make_flux(metric_[q], at_points[0][q], at_points[1][q], at_points[2][q]);
      On::against_derivatives(at_points, out);
      for (int i = 0; i < D3D; ++i) out[i] *= root_[i];
    });
  }

 private:
  ElementView v_;  // of the layers
  const NodeView& nodes_;
  const Layers& layers_;
  Vec metric_[Q * Q * Q][5];  // as Metric
  Vec inverse_mass_[L3D];     // of velocities
  Vec root_[D3D];             // 1 / sqrt of the nodes' mass
};

// The largest of each over the ranks that have the same columns, which are above one another.
void max_over_layers(const Partition& part, const Comm& comm, std::vector<double>& values) {
  if (part.grid[2] > 1) comm.split(part.coords[1] * part.grid[0] + part.coords[0]).max(values);
}

struct Waves {
  double omega2, x, y;
  ColumnBounds columns;
};

// Largest omega^2 over all elements, by branch and bound: exact for those with the highest bounds, a thousandth of the highest after the other, until no bound
// of the rest is above what has been found; or, where they are too many, the bound of the rest. Of boxes the bound is enough. All of that is counted over the
// whole mesh, so it is the same on every grid.
template <int Q>
Waves largest_waves(const Mesh& mesh, const Bounds& bounds, const Spaces& spaces, const Comm& comm) {
  const BoxBound& box = box_bound();
  const ElementView& v = spaces.elements();
  const Layers layers(mesh, spaces.nodes().excess != nullptr);
  const std::int64_t columns = static_cast<std::int64_t>(v.nx) * v.ny, elements = columns * layers.count();
  std::vector<double> value(static_cast<std::size_t>(elements));  // [layer][ey][ex]
  std::vector<char> known(value.size());
  Cpu().for_each(elements, [&](std::int64_t e) {
    const auto layer = static_cast<std::size_t>(e / columns);
    const ElementBound b =
        bounds.of(static_cast<int>(e % v.nx), static_cast<int>(e % columns / v.nx), layers.ez[layer], layers.s_mid[layer], layers.ds[layer]);
    value[static_cast<std::size_t>(e)] = box(b.c[0], b.c[1], b.c[2]);
    known[static_cast<std::size_t>(e)] = b.depth_ratio < 1 + 1e-12 && !spaces.nodes().excess;
  });
  const double top = comm.max(value.empty() ? 0.0 : *std::max_element(value.begin(), value.end()));
  constexpr int bins = 600;  // of a thousandth each
  std::vector<std::vector<std::int64_t>> in_bin(bins);
  std::vector<double> count(bins), largest_known(bins);
  for (std::int64_t e = 0; e < elements; ++e) {
    const double bound = value[static_cast<std::size_t>(e)];
    const auto bin = static_cast<std::size_t>(1000 * (1 - bound / top));
    if (bin >= bins) continue;
    if (known[static_cast<std::size_t>(e)])
      largest_known[bin] = std::max(largest_known[bin], bound);
    else
      in_bin[bin].push_back(e);
  }
  // Ranks one above the other have the same columns, unless each layer stands for itself.
  const double copies = spaces.nodes().excess ? 1 : mesh.part.grid[2];
  for (std::size_t bin = 0; bin < bins; ++bin) count[bin] = static_cast<double>(in_bin[bin].size()) / copies;
  comm.sum(count);
  comm.max(largest_known);
  double found = 0, sum = 0;
  for (std::size_t bin = 0; bin < bins && found < top * (1 - 0.001 * static_cast<double>(bin)); ++bin) {
    if ((sum += count[bin]) > exact_limit) break;
    found = std::max(found, largest_known[bin]);
    if (count[bin] == 0) continue;
    const std::vector<std::int64_t>& mine = in_bin[bin];
    const auto size = std::ssize(mine);
    Cpu::for_blocks((size + Lanes - 1) / Lanes, [&](std::int64_t block) {
      const auto exact = std::make_unique<ExactWaves<Q>>(v, spaces.nodes(), layers);
      const auto at = [&](int lane) { return mine[static_cast<std::size_t>(std::min(block * Lanes + lane, size - 1))]; };
      for (int lane = 0; lane < Lanes; ++lane) {
        const std::int64_t e = at(lane);
        exact->take(lane, static_cast<int>(e % v.nx), static_cast<int>(e % columns / v.nx), static_cast<int>(e / columns));
      }
      const PerLane omega2 = exact->omega2();
      for (int lane = 0; lane < Lanes && block * Lanes + lane < size; ++lane)
        value[static_cast<std::size_t>(at(lane))] = omega2[static_cast<std::size_t>(lane)];
    });
    for (const std::int64_t e : mine) found = std::max(found, value[static_cast<std::size_t>(e)]);
    found = comm.max(found);
  }
  Waves best{0, 0, 0, {v.nx, v.ny, std::vector<double>(static_cast<std::size_t>(columns), 0.0)}};
  for (std::int64_t e = 0; e < elements; ++e) {
    const double omega2 = value[static_cast<std::size_t>(e)];
    const auto ex = static_cast<int>(e % v.nx), ey = static_cast<int>(e % columns / v.nx);
    double& column = best.columns.omega2[static_cast<std::size_t>(e % columns)];
    column = std::max(column, omega2);
    if (omega2 <= best.omega2) continue;
    best.omega2 = omega2;
    best.x = mesh.x_faces[mesh.part.first[0] + ex] + v.ax[ex];
    best.y = mesh.y_faces[mesh.part.first[1] + ey] + v.ay[ey];
  }
  // The place goes with the value: among equals the lowest rank's.
  const double omega2 = comm.max(best.omega2);
  int mine = best.omega2 == omega2 ? comm.rank() : comm.size(), owner = 0;
  AGWAVE_MPI(MPI_Allreduce(&mine, &owner, 1, MPI_INT, MPI_MIN, comm.mpi()));
  double place[2] = {best.x, best.y};
  AGWAVE_MPI(MPI_Bcast(place, 2, MPI_DOUBLE, owner, comm.mpi()));
  max_over_layers(mesh.part, comm, best.columns.omega2);
  return {omega2, place[0], place[1], std::move(best.columns)};
}

struct Walls {
  std::vector<BoxElement> boxes;  // the worst box of each kind of wall element
  double damping = 0;             // largest S / M_p of a node [1/s]
};

// Largest damping rate of the floor's nodes of a column, its spring's included, which follows at most as quickly [1/s]; 0 where the floor is rigid.
double floor_rate(const Floor& floor, const NodeView& nodes, int ex, int ey) {
  double rate = 0;
  for (int j = P1D * ey; j <= P1D * ey + P1D && !floor.area.empty(); ++j)
    for (int i = P1D * ex; i <= P1D * ex + P1D; ++i) {
      const std::size_t n = static_cast<std::size_t>(j) * nodes.NX + i;
      rate = std::max(rate, floor.area[n] / floor.impedance[n] * nodes.inverse_mass(i, j, 0) + floor.stiffness[n] / floor.impedance[n]);
    }
  return rate;
}

// kind = (x walls) + 3 (y walls) + 9 (floor that gives way), 0 to 2 absorbing faces each. Depth varying within an element shifts mass away from the
// wall by at most depth_ratio, hence its place in the box's rates.
Walls wall_boxes(const Mesh& mesh, const Bounds& bounds, const NodeView& nodes, const Floor& floor, const Comm& comm) {
  constexpr int kinds = 18, entries = 7;
  std::vector<double> worst(kinds * entries, 0.0);
  for (int ez = 0; ez < mesh.nz(); ++ez)
    for (int ey = 0; ey < mesh.ny(); ++ey)
      for (int ex = 0; ex < mesh.nx(); ++ex) {
        const int x_walls = (nodes.west && ex == 0) + (nodes.east && ex == mesh.nx() - 1),
                  y_walls = (nodes.south && ey == 0) + (nodes.north && ey == mesh.ny() - 1);
        const double rate_z = ez == 0 ? floor_rate(floor, nodes, ex, ey) : 0;
        if (x_walls + y_walls == 0 && rate_z == 0) continue;
        const ElementBound b = bounds(ex, ey, ez);
        double* w = &worst[(x_walls + 3 * y_walls + (rate_z > 0 ? 9 : 0)) * entries];
        for (int d = 0; d < 3; ++d) w[d] = std::max(w[d], b.c[d]);
        const double c = std::sqrt(bounds.c2(ex, ey, ez)), rate_x = x_walls ? c / (gll.w[0] * mesh.ax(ex)) : 0,
                     rate_y = y_walls ? c / (gll.w[0] * mesh.ay(ey)) : 0;
        w[3] = std::max(w[3], b.depth_ratio * rate_x);
        w[4] = std::max(w[4], b.depth_ratio * rate_y);
        w[5] = std::max(w[5], rate_x + rate_y + rate_z);
        w[6] = std::max(w[6], b.depth_ratio * rate_z);
      }
  comm.max(worst);
  Walls walls;
  for (int kind = 1; kind < kinds; ++kind) {
    const double* w = &worst[kind * entries];
    if (w[0] == 0) continue;
    BoxElement box{{w[0], w[1], w[2]}, {w[3], kind % 3 == 2 ? w[3] : 0}, {w[4], kind / 3 % 3 == 2 ? w[4] : 0}, w[6]};
    walls.boxes.push_back(box);
    walls.damping = std::max(walls.damping, w[5]);
  }
  return walls;
}

// The part of a convex polygon with  a omega2 + s sigma <= support  (Sutherland-Hodgman).
std::vector<SpectrumPoint> clip(const std::vector<SpectrumPoint>& corners, double a, double s, double support) {
  std::vector<SpectrumPoint> kept;
  const auto excess = [&](const SpectrumPoint& p) { return a * p.omega2 + s * p.sigma - support; };
  for (std::size_t n = 0; n < corners.size(); ++n) {
    const SpectrumPoint &p = corners[n], &q = corners[(n + 1) % corners.size()];
    const double at_p = excess(p), at_q = excess(q);
    if (at_p <= 0) kept.push_back(p);
    if ((at_p < 0 && at_q > 0) || (at_p > 0 && at_q < 0)) {
      const double t = at_p / (at_p - at_q);
      kept.push_back({p.sigma + t * (q.sigma - p.sigma), p.omega2 + t * (q.omega2 - p.omega2)});
    }
  }
  return kept;
}

}  // namespace

double ColumnBounds::patch(int ex, int ey, int wide, int deep) const {
  double most = 0;
  for (int y = ey; y < std::min(ey + deep, ny); ++y)
    for (int x = ex; x < std::min(ex + wide, nx); ++x) most = std::max(most, omega2[static_cast<std::size_t>(y) * nx + x]);
  return most;
}

double largest_step(const Integrator& integrator, const std::vector<SpectrumPoint>& hull) {
  double omega2 = 0;
  for (const SpectrumPoint& p : hull) omega2 = std::max(omega2, p.omega2);
  const auto stable = [&](double dt) {
    for (std::size_t n = 0; n < hull.size(); ++n)
      for (int t = 0; t <= 16; ++t) {
        const SpectrumPoint &p = hull[n], &q = hull[(n + 1) % hull.size()];
        const double f = t / 16.0, sigma = (1 - f) * p.sigma + f * q.sigma, w2 = (1 - f) * p.omega2 + f * q.omega2;
        for (int r = 1; r <= 24; ++r)
          if (!integrator.stable(dt, {sigma * r / 24, w2 * r / 24})) return false;
      }
    return true;
  };
  double low = 0, high = integrator.imaginary_limit / std::sqrt(omega2) * (1 - 1e-12);
  if (hull.size() < 2 || stable(high)) return high;
  for (int step = 0; step < 50; ++step) {
    const double dt = 0.5 * (low + high);
    (stable(dt) ? low : high) = dt;
  }
  return low;
}

StableStep stable_step(const SpacesSetup& setup, const Integrator& integrator, const Comm& comm, const Floor& floor) {
  const Spaces spaces(setup, Space::host);
  const Mesh& mesh = setup.mesh;
  const Bounds bounds(mesh, setup.medium, spaces);
  Waves waves = setup.quadrature == 4 ? largest_waves<4>(mesh, bounds, spaces, comm) : largest_waves<5>(mesh, bounds, spaces, comm);
  StableStep result;
  result.omega = std::sqrt(waves.omega2);
  result.waves_only = integrator.imaginary_limit / result.omega;
  result.x = waves.x;
  result.y = waves.y;
  result.floor = floor.gives_way;
  result.columns = std::move(waves.columns);
  const Walls walls = wall_boxes(mesh, bounds, spaces.nodes(), floor, comm);
  std::vector<SpectrumPoint> hull{{0, waves.omega2}};
  if (!walls.boxes.empty()) {
    result.damping = walls.damping;
    hull = {{0, 0}, {0, waves.omega2}, {walls.damping, waves.omega2}, {walls.damping, 0}};
    for (int d = 1; d < directions; ++d) {
      const double a = std::cos(0.5 * M_PI * d / directions) / waves.omega2, s = std::sin(0.5 * M_PI * d / directions) / walls.damping;
      double support = a * waves.omega2;  // the waves of the interior: (0, omega2)
      support = std::max(support, box_support(walls.boxes, a, s));
      hull = clip(hull, a, s, support);
    }
  }
  result.dt = largest_step(integrator, hull);
  result.walls_limit = result.dt < 0.999 * result.waves_only;
  return result;
}

StepChoice choose_step(const TimeCase& time, double interval, const StableStep& limit) {
  if (!time.step) {
    const auto n = static_cast<std::int64_t>(std::ceil(interval / (time.safety * limit.dt)));
    return {interval / static_cast<double>(std::max<std::int64_t>(n, 1)), std::max<std::int64_t>(n, 1)};
  }
  const double n = std::round(interval / *time.step);
  if (n < 1 || std::abs(n * *time.step - interval) > 1e-5 * interval)  // people round what they type
    throw Error(ExitCode::usage, text(to_string(time.step_mark), ": ", *time.step, " s does not divide the sampling interval ", interval,
                                      " s; give a step that does, or `step: auto`"));
  if (interval / n > limit.dt)
    throw Error(ExitCode::usage, text(to_string(time.step_mark), ": ", *time.step, " s is unstable on this mesh; the largest stable step is ",
                                      limit.dt, " s (set by the ", limit.set_by(), ")", "; give a smaller one, or `step: auto`"));
  return {interval / n, static_cast<std::int64_t>(n)};
}

}  // namespace agwave
