// SPDX-License-Identifier: Apache-2.0
// Local steps: which columns of elements step how often. Level 0 takes the coarsest step D, other levels D / 2^h. An element asks for the h of its
// own stable step; what touches it takes no longer step than it does, since the stiff elements of a level have to reach one element into the next
// coarser one (a level that ends where its stiff elements end was unstable on some meshes). Levels go by patches of 8 x 4 columns, in which all
// devices cut a mesh (16 x 4 in single precision on a CPU, whose vectors hold 16 elements). A step of D visits an element twice for every step of its
// own: once for the acceleration and once for the correction of order 4. Coarsest step and levels are those of the least predicted cost per model second,
// the same on every device and processor grid.
#pragma once
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "comm/comm.hpp"
#include "mesh/mesh.hpp"
#include "timestep/stable_step.hpp"

namespace agwave {

// Patches of columns of the whole mesh, x fastest; at its far sides they may be cut short.
struct ColumnPatches {
  static constexpr int deep = 4;
  std::int64_t nx = 0, ny = 0;  // columns
  std::int64_t wide = 8;
  std::int64_t px() const { return (nx + wide - 1) / wide; }
  std::int64_t py() const { return (ny + deep - 1) / deep; }
  std::int64_t count() const { return px() * py(); }
  std::int64_t of(std::int64_t ex, std::int64_t ey) const { return ey / deep * px() + ex / wide; }
  std::int64_t columns(std::int64_t patch) const;
};

// The largest stable step [s] of each patch's columns and of those that touch them. Collective; the same on every rank.
std::vector<double> patch_limits(const Mesh& mesh, const ColumnBounds& columns, const Integrator& integrator, const Comm& comm,
                                 std::int64_t wide = ColumnPatches{}.wide);

struct LocalLevels {
  struct Level {
    int halvings;  // its step is the coarsest / 2^halvings
    std::int64_t columns;
  };
  ColumnPatches patches;
  double step = 0;                     // the coarsest [s]
  std::vector<Level> levels{};         // coarsest first; one: the same step for all
  std::vector<std::uint8_t> number{};  // [patch] of its level
  double gain = 1;                     // predicted cost of one step for all over that of these levels
  double fewer = 1;                    // likewise of visits of elements alone

  int of(std::int64_t ex, std::int64_t ey) const { return number[static_cast<std::size_t>(patches.of(ex, ey))]; }  // column of the whole mesh
  int halvings_of(std::int64_t ex, std::int64_t ey) const { return levels[static_cast<std::size_t>(of(ex, ey))].halvings; }
  double step_of(std::size_t level) const;  // [s]
  double share(std::size_t level) const;    // of all visits
  double work() const;                      // visits of a coarsest step over those of a step that is the same for all
  bool local() const { return levels.size() > 1; }
};

LocalLevels same_step_for_all(const ColumnPatches& patches, double step);

struct LevelWishes {
  int most = 16;             // levels
  bool least_work = false;   // whatever passes cost beyond the work
  bool single = false;       // precision
  std::int64_t layers{};     // elements of a column
  int chunk = 1;             // layers that are passed at a time (two_sweep/layout.hpp)
  std::vector<bool> held{};  // [patch] whether its steps are halved at most `most_held` times; empty: none is held
  int most_held = 0;
  std::int64_t chunks() const { return (layers + chunk - 1) / chunk; }
};
// Of a GPU of any kind, as levels are the same on every device.
inline constexpr int gpu_multiprocessors = 132;
std::int64_t patches_at_once(const LevelWishes& wishes, int multiprocessors);
// What a pass over so many patches takes, in the time of a patch's layer of elements.
double pass_time(std::int64_t patches, const LevelWishes& wishes, int multiprocessors = gpu_multiprocessors);
// steps: coarsest steps on offer [s]; alone: the step for all, against which the gain is counted. Throws Error(usage) when no step
// on offer can be divided far enough.
LocalLevels choose_levels(const ColumnPatches& patches, std::span<const double> limits, std::span<const double> steps, double alone,
                          const LevelWishes& wishes);

// "0.125 s in 1600 columns (25 % of the work), ..., predicted to gain a factor of 4.7"
std::string to_text(const LocalLevels& levels);

// Steps that divide `interval`, from the first of at most `longest` to the first of at most `shortest` [s], longest first; some of them where there
// are many.
std::vector<double> steps_on_offer(double interval, double longest, double shortest);

}  // namespace agwave
