// SPDX-License-Identifier: Apache-2.0
// One step of the leapfrog of order 4 whose columns take steps of their own (levels.hpp). L_k is M^-1 K of the elements of level k alone, L_>=k of
// those of level k and finer ones. The step of D of all is psi+ - 2 psi + psi- = 2 y(D), where y is what the even part of psi about its time moves
// by:
//   y'' = r + t^2/2 w - L_>=1 y,   y(0) = y'(0) = 0,        r = A psi + f,   w = -L_0 r + 12 (f_m - f) / D^2
// The next halving divides T into two steps of dt, leapfrogs of the same kind (L_k and L_>=k are of k halvings from here on, of which some may have no
// columns),
//   a = r + t^2/2 w - L_>=k y,   b = w - L_k a,             y(t + dt) - 2 y(t) + y(t - dt) = 2 z(dt)
//   z'' = a + t^2/2 b - L_>=k+1 z,   z(0) = z'(0) = 0
// which the next finer level steps in its turn. Where no level is finer, z(dt) = dt^2/2 a + dt^4/24 b: with the same step for all this is the
// leapfrog itself. Order 4 in D, since each level corrects what its own elements do; of elements of other levels what changes a within dt is resolved
// by their own steps. After Diaz and Grote, SIAM J. Sci. Comput. 31, 2009; docs/theory.md has what is known of its stability. Written for clarity,
// every array on all nodes.
#pragma once
#include <cmath>
#include <functional>
#include <vector>

#include "device/array.hpp"
#include "device/set_zero.hpp"
#include "fem/spaces.hpp"
#include "timestep/local_steps/level_boxes.hpp"

namespace agwave::local_steps {

struct Acceleration {  // a = r + weight w - M^-1 Ky
  NodeView v;
  double weight;
  const double *r, *w, *Ky;
  double* a;
  AGWAVE_HD void operator()(std::int64_t n) const {
    int i, j, k;
    v.locate(n, i, j, k);
    a[n] = r[n] + weight * w[n] - v.inverse_mass(i, j, k) * Ky[n];
  }
};
struct Correction {  // b = w - M^-1 Ka
  NodeView v;
  const double *w, *Ka;
  double* b;
  AGWAVE_HD void operator()(std::int64_t n) const {
    int i, j, k;
    v.locate(n, i, j, k);
    b[n] = w[n] - v.inverse_mass(i, j, k) * Ka[n];
  }
};
struct Leaf {  // z(dt) = dt^2/2 a + dt^4/24 b
  double dt;
  const double *a, *b;
  double* z;
  AGWAVE_HD void operator()(std::int64_t n) const { z[n] = 0.5 * dt * dt * (a[n] + dt * dt / 12 * b[n]); }
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
      : nodes_(nodes), backend_(backend), form_(std::move(form)) {
    const int count = static_cast<int>(levels.levels.size());
    for (int k = 0, level = 0; level < count; ++k) {
      const bool there = levels.levels[static_cast<std::size_t>(level)].halvings == k;
      levels_.push_back({{levels, mesh, level, there ? level : level - 1}, {levels, mesh, level, count - 1}});
      for (Array<double>* a : {&levels_.back().a, &levels_.back().b, &levels_.back().z, &levels_.back().rate}) *a = nodal();
      if (there) ++level;
    }
    Kx_ = nodal();
  }

  // y(T) of  y'' = r + t^2/2 w - L y  from rest, L of all elements but those of level 0, which w knows of. Accelerations on all nodes.
  void find(double T, const Array<double>& r, const Array<double>& w, Array<double>& y) { find(1, T, r, w, y); }
  // K of the elements of level 0 alone.
  void form_coarsest(const Array<double>& x, Array<double>& Kx) { form_(x, Kx, levels_.front().own); }

 private:
  struct Level {
    LevelElements own, own_and_finer;
    Array<double> a{}, b{}, z{}, rate{};
  };

  Array<double> nodal() const { return Array<double>(Backend::space, static_cast<std::size_t>(nodes_.size())); }
  void find(std::size_t k, double T, const Array<double>& r, const Array<double>& w, Array<double>& y) {
    const std::int64_t n = nodes_.size();
    if (k == levels_.size()) return backend_.for_each(n, Leaf{T, r.data(), w.data(), y.data()});
    Level& level = levels_[k];
    const double dt = 0.5 * T;
    backend_.for_each(n, SetZero{y.data()});
    for (int step = 0; step < 2; ++step) {
      const double t = step * dt;
      if (step == 0)
        backend_.for_each(n, SetZero{Kx_.data()});
      else
        form_(y, Kx_, level.own_and_finer);
      backend_.for_each(n, Acceleration{nodes_, 0.5 * t * t, r.data(), w.data(), Kx_.data(), level.a.data()});
      form_(level.a, Kx_, level.own);
      backend_.for_each(n, Correction{nodes_, w.data(), Kx_.data(), level.b.data()});
      find(k + 1, dt, level.a, level.b, level.z);
      backend_.for_each(n, Move{dt, step == 0, level.z.data(), level.rate.data(), y.data()});
    }
  }

  NodeView nodes_;
  Backend& backend_;
  Form form_;
  std::vector<Level> levels_;
  Array<double> Kx_;
};

}  // namespace agwave::local_steps
