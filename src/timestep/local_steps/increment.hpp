// SPDX-License-Identifier: Apache-2.0
// One step of the leapfrog of order 4 whose columns take steps of their own (levels.hpp). An element has the halvings of its column, a node those of the
// coarsest element that has it; R_k restricts to nodes of k halvings, P_k to those of k and more. A = -M^-1 K. The step of D of all is
// psi+ - 2 psi + psi- = 2 z_0, of which
//   z_k(T, a): how far the even part of psi about its time moves within T, where it begins with the acceleration a, and only what nodes of k halvings and
//              more move by changes it
//     c = A R_k a                                                           the correction of order 4 of those of k halvings
//     y'' = a + t^2/2 w + A P_k+1 y,   y(0) = y'(0) = 0,   by two steps of dt = T/2:   y(t + dt) - 2 y(t) + y(t - dt) = 2 z_k+1(dt, a + t^2/2 w + s A P_k+1 y)
//     z_k = y(T) + T^4/24 c
//   and where no node has more halvings, z_k = T^2/2 a + T^4/24 (w + c): with the same step for all this is the leapfrog itself.
// w = 12 (f_m - f) / D^2 is the curvature of the forcing. The nodes that levels share belong to the coarser one: while the finer one steps they stand still
// for it, and feel the mean of what it does. Every product of operators here reads the same from both ends, A P A, A R A, A P A P A, ..., so Q of
// psi+ - 2 psi + psi- = -Q psi is symmetric in the product of M, as A is: its eigenvalues are real, energy is conserved where they are in [0, 4], walls and
// sponges only take from it, and a propagation is its own transpose. Finer steps by nodes instead of elements are those of Diaz and Grote,
// SIAM J. Sci. Comput. 31, 2009; docs/theory.md has more. Written for clarity, every array on all nodes.
#pragma once
#include <functional>
#include <vector>

#include "device/array.hpp"
#include "device/set_zero.hpp"
#include "fem/spaces.hpp"
#include "timestep/local_steps/level_boxes.hpp"
#include "timestep/local_steps/schedule.hpp"

namespace agwave::local_steps {

struct Acceleration {  // a + weight w - scale M^-1 Ky
  NodeView v;
  double weight, scale;
  const double *a, *w, *Ky;
  double* to;
  AGWAVE_HD void operator()(std::int64_t n) const {
    const auto [i, j, k] = v.locate(n);
    to[n] = a[n] + weight * w[n] - scale * v.inverse_mass(i, j, k) * Ky[n];
  }
};
struct Restrict {                // to nodes of first, ..., last halvings
  const std::uint8_t* halvings;  // [NY][NX]
  std::int64_t level;            // NY NX
  int first, last;
  const double* from;
  double* to;
  AGWAVE_HD void operator()(std::int64_t n) const {
    const int h = halvings[n % level];
    to[n] = first <= h && h <= last ? from[n] : 0.0;
  }
};
struct Leaf {  // z = T^2/2 a + T^4/24 w
  double T;
  const double *a, *w;
  double* z;
  AGWAVE_HD void operator()(std::int64_t n) const { z[n] = 0.5 * T * T * (a[n] + T * T / 12 * w[n]); }
};
struct Correct {  // z + T^4/24 c, c = -M^-1 Kc
  NodeView v;
  double T;
  const double* Kc;
  double* z;
  AGWAVE_HD void operator()(std::int64_t n) const {
    const auto [i, j, k] = v.locate(n);
    z[n] -= T * T * T * T / 24 * v.inverse_mass(i, j, k) * Kc[n];
  }
};
struct Move {  // rate: of y over the last step; the first one is from rest, about which y is even
  double dt;
  bool first;
  const double* z;
  double *rate, *y;
  AGWAVE_HD void operator()(std::int64_t n) const {
    rate[n] = first ? z[n] / dt : rate[n] + 2 / dt * z[n];
    y[n] = first ? z[n] : y[n] + dt * rate[n];
  }
};

// The elements of one or several levels: those that touch nodes of other ranks, the others, all.
struct LevelElements {
  std::vector<ElementBox> shared, interior, all;
  LevelElements(const LocalLevels& levels, const Mesh& mesh, int first, int last)
      : shared(level_boxes(levels, mesh, Part::shared, first, last)),
        interior(level_boxes(levels, mesh, Part::interior, first, last)),
        all(level_boxes(levels, mesh, Part::all, first, last)) {}
};

template <class Backend>
class Increment {
 public:
  // K of these elements: complete on every rank that holds the node. Collective.
  using Form = std::function<void(const Array<double>& x, Array<double>& Kx, const LevelElements& elements)>;

  Increment(const LocalLevels& levels, const Mesh& mesh, const NodeView& nodes, Backend& backend, Form form)
      : nodes_(nodes), backend_(backend), form_(std::move(form)), halvings_(Backend::space, node_halvings(levels, mesh)) {
    const int count = static_cast<int>(levels.levels.size());
    for (int k = 0, level = 0; level < count; ++k) {
      const bool there = levels.levels[static_cast<std::size_t>(level)].halvings == k;
      levels_.push_back({there, {levels, mesh, level, count - 1}});
      for (Array<double>* a : {&levels_.back().a, &levels_.back().Kc, &levels_.back().z, &levels_.back().rate}) *a = nodal();
      if (there) ++level;
    }
    Ky_ = nodal();
    restricted_ = nodal();
  }
  const std::uint8_t* halvings() const { return halvings_.data(); }  // [NY][NX] of nodes

  // z_0(T, a). q: a as the correction of nodes without halvings takes it, which walls may have changed. Arrays on all nodes.
  void find(double T, const Array<double>& a, const Array<double>& q, const Array<double>& w, Array<double>& z) { find(0, T, a, q, w, z); }

 private:
  struct Level {
    bool there;  // there are elements of so many halvings
    LevelElements own_and_finer;
    Array<double> a{}, Kc{}, z{}, rate{};
  };

  Array<double> nodal() const { return Array<double>(Backend::space, static_cast<std::size_t>(nodes_.size())); }
  // K of what nodes of first, ..., last halvings have of x; no elements have these that are coarser.
  void form_restricted(int first, int last, const Array<double>& x, Array<double>& Kx) {
    const std::int64_t level = static_cast<std::int64_t>(nodes_.NX) * nodes_.NY;
    backend_.for_each(nodes_.size(), Restrict{halvings_.data(), level, first, last, x.data(), restricted_.data()});
    form_(restricted_, Kx, levels_[static_cast<std::size_t>(first)].own_and_finer);
  }
  void find(std::size_t k, double T, const Array<double>& a, const Array<double>& q, const Array<double>& w, Array<double>& z) {
    const std::int64_t n = nodes_.size();
    const int halvings = static_cast<int>(k), finest = static_cast<int>(levels_.size()) - 1;
    Level& level = levels_[k];
    if (level.there) form_restricted(halvings, halvings, q, level.Kc);
    if (halvings == finest)
      backend_.for_each(n, Leaf{T, a.data(), w.data(), z.data()});
    else
      step_twice(k, 0.5 * T, a, w, z);
    if (level.there) backend_.for_each(n, Correct{nodes_, T, level.Kc.data(), z.data()});
  }
  void step_twice(std::size_t k, double dt, const Array<double>& a, const Array<double>& w, Array<double>& y) {
    const std::int64_t n = nodes_.size();
    Level& level = levels_[k];
    backend_.for_each(n, SetZero{y.data()});
    for (int step = 0; step < 2; ++step) {
      const double t = step * dt;
      if (step == 0)
        backend_.for_each(n, SetZero{Ky_.data()});
      else
        form_restricted(static_cast<int>(k) + 1, static_cast<int>(levels_.size()) - 1, y, Ky_);
      backend_.for_each(n, Acceleration{nodes_, 0.5 * t * t, stiffening(static_cast<int>(k) + 1), a.data(), w.data(), Ky_.data(), level.a.data()});
      find(k + 1, dt, level.a, level.a, w, level.z);
      backend_.for_each(n, Move{dt, step == 0, level.z.data(), level.rate.data(), y.data()});
    }
  }

  NodeView nodes_;
  Backend& backend_;
  Form form_;
  Array<std::uint8_t> halvings_;
  std::vector<Level> levels_;  // by halvings
  Array<double> Ky_, restricted_;
};

}  // namespace agwave::local_steps
