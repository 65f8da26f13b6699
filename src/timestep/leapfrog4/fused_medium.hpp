// SPDX-License-Identifier: Apache-2.0
// How the fused leapfrog knows a speed of sound that differs by depth and place: the excess of NodeView as the state lies, four bytes a node that both
// sweeps read, and, of patches at absorbing walls, what walls make of mass and rate at every node.
#pragma once
#include <array>
#include <cstdint>
#include <vector>

#include "device/set_zero.hpp"
#include "timestep/leapfrog4/fused_levels_pointwise.hpp"

namespace agwave::leapfrog4 {

AGWAVE_HD float excess_in_sweeps(const NodeView& v, int i, int j, int k) {
  return k == v.NZ - 1 && v.surface > 0 ? 0.0f : v.excess[(static_cast<std::int64_t>(k) * v.NY + j) * v.NX + i];
}

template <class Patches>
struct SpreadExcess {  // n counts the nodes
  NodeView v;
  Places<Patches> places;
  float* to;
  AGWAVE_HD void operator()(std::int64_t n) const {
    const NodeIndex at = v.locate(n);
    places.each(at.i, at.j, at.k, [&](int x, int y, int level, int column) {
      to[places.state_at(x, y) + static_cast<std::int64_t>(level) * Patches::level_size + column] = excess_in_sweeps(v, at.i, at.j, at.k);
    });
  }
};
template <class Patches>
struct BorrowExcess {  // n counts the levels of a patch, from 1 on, and in each the columns
  NodeView v;
  Places<Patches> places;
  BorrowedColumns columns;
  float* to;
  AGWAVE_HD void operator()(std::int64_t n) const {
    const BorrowedColumn& c = columns.list[columns.first + n % columns.count];
    const std::int64_t level = n / columns.count + 1;
    to[c.to.state + level * Patches::level_size] = excess_in_sweeps(v, c.i, c.j, places.node_of(static_cast<int>(level)));
  }
};

template <class Real>
struct WallValues {  // MediumByPlaceOf: of q, of next
  Real *share_of_q, *share, *given, *keep;
  AGWAVE_HD void put(const NodeAt& node, float excess, std::int64_t at, bool mine) const {
    const double mass = node.mass + 0.5 * node.damping, medium = MediumByPlaceOf<Real>::share_has_medium ? 1 + static_cast<double>(excess) : 1.0;
    share_of_q[at] = static_cast<Real>(medium / (1 + node.rest));
    share[at] = static_cast<Real>(medium / mass);
    given[at] = static_cast<Real>(1 / mass);
    keep[at] = static_cast<Real>(mine ? (node.mass - 0.5 * node.damping) / mass : 0.0);
  }
};
template <class Patches>
struct FillWalls {  // n counts the nodes
  NodeView v;
  Places<Patches> places;
  const std::int64_t* at;
  double dt;
  WallValues<typename Patches::real> to;
  AGWAVE_HD void operator()(std::int64_t n) const {
    const NodeIndex node = v.locate(n);
    const int halvings = places.halvings_at(node.i, node.j);
    places.each(node.i, node.j, node.k, [&](int x, int y, int level, int column) {
      const std::int64_t begin = at[static_cast<std::int64_t>(y) * places.px + x];
      if (begin >= 0)
        to.put(NodeAt(v, node.i, node.j, node.k, dt, halvings), excess_in_sweeps(v, node.i, node.j, node.k),
               begin + static_cast<std::int64_t>(level) * Patches::level_size + column, places.halvings_of(x, y) == halvings);
    });
  }
};
template <class Patches>
struct FillBorrowedWalls {  // n as BorrowExcess
  NodeView v;
  Places<Patches> places;
  BorrowedColumns columns;
  const std::int64_t* at;
  double dt;
  WallValues<typename Patches::real> to;
  AGWAVE_HD void operator()(std::int64_t n) const {
    const BorrowedColumn& c = columns.list[columns.first + n % columns.count];
    const std::int64_t level = n / columns.count + 1, begin = at[c.to.patch];
    if (begin < 0) return;
    const int k = places.node_of(static_cast<int>(level));
    const NodeAt node(v, c.i, c.j, k, dt, c.to.halvings);
    to.put(node, excess_in_sweeps(v, c.i, c.j, k), begin + c.to.state - c.to.patch * places.patch_sums() + level * Patches::level_size, true);
  }
};

// The reference's masses, for tables of the levels below the surface; on the surface they are those of the medium.
inline NodeView of_tables(NodeView v, bool surface) {
  if (v.excess) v.west = v.east = v.south = v.north = false;
  if (!surface) v.excess = nullptr;
  return v;
}

// at_wall[patch], those of borrowed columns included.
template <class Patches>
std::vector<std::int64_t> wall_patches(const NodeView& v, const Places<Patches>& places, std::int64_t patches, std::int64_t& count) {
  std::vector<std::int64_t> at(static_cast<std::size_t>(patches), -1);
  const bool absorbs = v.west || v.east || v.south || v.north;
  count = 0;
  for (std::int64_t n = 0; n < patches && absorbs; ++n) {
    const std::int64_t x = n % places.px, y = n / places.px;
    const bool borrowed = n >= places.count();
    if (borrowed || (v.west && x == 0) || (v.east && x == places.px - 1) || (v.south && y == 0) || (v.north && y == places.py - 1))
      at[static_cast<std::size_t>(n)] = count++ * places.patch_sums();
  }
  return at;
}

template <class Backend, class Patches>
class FusedMedium {
  using real = typename Patches::real;

 public:
  // Of so many values of the state; nothing is kept for one speed everywhere.
  FusedMedium(const NodeView& nodes, const Places<Patches>& places, std::int64_t state_size, const BorrowedColumns& borrowed, Backend& backend)
      : nodes_(nodes), places_(places), borrowed_(borrowed), backend_(backend) {
    if (!nodes.excess) return;
    excess_ = zeros<float>(backend, state_size);
    backend.for_each(nodes.size(), SpreadExcess<Patches>{nodes, places, excess_.data()});
    backend.for_each(borrowed.count * inner_levels(), BorrowExcess<Patches>{nodes, places, borrowed, excess_.data()});
    std::int64_t count = 0;
    const std::vector<std::int64_t> at = wall_patches(nodes, places, state_size / places.patch_sums(), count);
    if (count == 0) return;
    at_ = Array<std::int64_t>(Backend::space, at);
    for (Array<real>& a : walls_) a = zeros<real>(backend, count * places.patch_sums());
  }

  // For steps of dt; those without walls are increments from rest.
  void set_step(double dt, bool walls) {
    walls_count_ = walls;
    if (at_.empty() || !walls) return;
    const WallValues<real> to{walls_[0].data(), walls_[1].data(), walls_[2].data(), walls_[3].data()};
    backend_.for_each(nodes_.size(), FillWalls<Patches>{nodes_, places_, at_.data(), dt, to});
    backend_.for_each(borrowed_.count * inner_levels(), FillBorrowedWalls<Patches>{nodes_, places_, borrowed_, at_.data(), dt, to});
  }
  MediumByPlaceOf<real> of(Form form) const {
    if (excess_.empty()) return {};
    if (at_.empty() || !walls_count_ || form == Form::part || form == Form::mixture) return {excess_.data()};
    if (form == Form::q) return {excess_.data(), at_.data(), walls_[0].data()};
    return {excess_.data(), at_.data(), walls_[1].data(), walls_[3].data(), walls_[2].data()};
  }

  // Memory [bytes] of a rank beyond that of one speed everywhere, without borrowed columns; `walls`: which of the four absorb. Walls have no tables then.
  static double bytes(const Mesh& mesh, const std::array<bool, 4>& walls) {
    const Places<Patches> places(mesh);
    NodeView v{};
    v.west = walls[0], v.east = walls[1], v.south = walls[2], v.north = walls[3];
    std::int64_t count = 0;
    wall_patches(v, places, places.count(), count);
    const double of_walls = 4.0 * sizeof(real) * static_cast<double>(count * places.patch_sums()) + 8.0 * static_cast<double>(places.count());
    return 4.0 * static_cast<double>(places.state_size()) +
           (count > 0 ? of_walls - 4.0 * sizeof(real) * static_cast<double>(places.table_size()) : 0);
  }

 private:
  std::int64_t inner_levels() const { return places_.levels() - 2; }

  NodeView nodes_;
  Places<Patches> places_;
  BorrowedColumns borrowed_;
  Backend& backend_;
  Array<float> excess_;
  Array<std::int64_t> at_;
  std::array<Array<real>, 4> walls_;  // WallValues
  bool walls_count_ = false;
};

}  // namespace agwave::leapfrog4
