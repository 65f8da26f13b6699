// SPDX-License-Identifier: Apache-2.0
// A window of a gridded quantity in memory, whatever file it came from: ascending axes in degrees or in metres from the
// south-west corner of the domain, values [time][y][x], NaN where missing. Shared by grids of bathymetry, uplift, sound speed and
// types of the sea floor.
#pragma once
#include <algorithm>
#include <array>
#include <cstddef>
#include <span>
#include <string>
#include <vector>

#include "terrain/domain.hpp"

namespace agwave {

struct Extent {
  Range x, y;
};
inline Extent overlap(const Extent& a, const Extent& b) {
  return {{std::max(a.x.min, b.x.min), std::min(a.x.max, b.x.max)}, {std::max(a.y.min, b.y.min), std::min(a.y.max, b.y.max)}};
}

struct Grid {
  std::string name;            // "file: variable", for messages
  bool geographic = false;     // axes are longitude and latitude [degrees]; otherwise metres
  std::vector<double> x, y;    // node coordinates, ascending; longitudes continue those of the domain
  std::vector<double> times;   // [s]; empty for a grid without time
  std::vector<double> values;  // [time][y][x]: elevation, positive up, or uplift [m]; sound speed [m/s]; types
  bool deep = false;           // in place of times there are depths [m]
  double at(std::size_t j, std::size_t i) const { return values[j * x.size() + i]; }
  double& at(std::size_t j, std::size_t i) { return values[j * x.size() + i]; }
};

// The smallest box, in the grid's coordinates, that holds the domain.
Extent domain_extent(const Domain& domain, bool geographic);

// Domain metres to grid coordinates; grid node (i, j) to domain metres.
std::array<double, 2> to_grid(const Grid& grid, const Domain& domain, double x, double y);
std::array<double, 2> node_xy(const Grid& grid, const Domain& domain, std::size_t i, std::size_t j);

// "lon 193.5, lat 51.2 (x = 1000 m, y = 2000 m)", or the metres alone; one axis range as "193 to 201 degrees".
std::string place_text(const Domain& domain, double x, double y);
std::string extent_text(const Extent& extent, bool geographic);

// The cell [k, k+1] of an ascending axis (two nodes or more) that holds v, and the position t in it, 0 to 1. Values
// outside by round-off (1e-9 of the axis) count as on the end.  `inside` is false beyond that.
struct Cell {
  std::size_t k = 0;
  double t = 0;
  bool inside = true;
};
Cell locate(std::span<const double> axis, double v);

// Weights of the nodes k-1 .. k+2 for cubic Hermite interpolation in a cell, whose slopes are the parabola's through three nodes (Catmull-Rom on even
// spacing): third order, once continuously differentiable; an absent node gets 0 and a one-sided slope.
std::array<double, 4> cubic_weights(std::span<const double> axis, const Cell& cell);
// Beside a cell much narrower than the next the cubic takes the narrow one's slope and swings far beyond all nodes: Error(input) on axes with
// neighbours that differ by more than a factor of 5.
void refuse_uneven(const Grid& grid, const Mark& mark);

// Throws Error(input) that names the first node without a value in a cell that the domain touches.
void require_complete(const Grid& grid, const Domain& domain, const Mark& mark);
// Missing nodes further out continue their nearest neighbour in the row, empty rows the nearest row.
void fill_missing(Grid& grid);

}  // namespace agwave
