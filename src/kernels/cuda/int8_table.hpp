// SPDX-License-Identifier: Apache-2.0
// The dense gradient (kernels/dense_gradient.hpp) in 8-bit slices, in the order in which warps read it as operand A of mma.sync.m16n8k32, and the
// orders of an element's values along its rows and columns.
//   gradient    A    192 x 125: 12 tiles of 16 rows, tile 3 b + d: direction d at points 16 b .. 16 b + 15; 4 steps of 32 columns, nodes by place
//   divergence  A^T  125 x 192:  8 tiles of 16 rows, nodes by place; 6 steps of 32 columns, (d, q) by place
//   table[block][tile][step][slice][lane], one 16-byte load for a lane
// A place is where a value is among those of an element: nodes come in rows of four, (iz, iy) slow, then the 25 fifth nodes of the rows, so that lanes
// next to each other read and add nodes next to each other. Lane j of four holds places j, j + 4, j + 8, ..., four of which are a register of operand B;
// along K that permutes the columns, of A and B alike.
#pragma once
#include <algorithm>
#include <cstdint>
#include <vector>

#include "kernels/cuda/imma_fragment.hpp"
#include "kernels/dense_gradient.hpp"
#include "kernels/slices.hpp"

namespace agwave::cuda_kernels {

struct Int8Shape {
  static constexpr int group = 8;  // elements of a warp, the columns of B
  static constexpr int rows = 16, step = 32;
  static constexpr int node_places = 128, value_places = gradient_rows;
  static constexpr int gradient_tiles = value_places / rows, gradient_steps = node_places / step;
  static constexpr int divergence_tiles = node_places / rows, divergence_steps = value_places / step;
  static constexpr int fragments = gradient_tiles * gradient_steps;  // of a slice, in both blocks
  static_assert(fragments == divergence_tiles * divergence_steps);
};

// The node in a place, -1 for the three places that pad 125 nodes to 128.
AGWAVE_HD constexpr int node_in_place(int n) {
  constexpr int fours = D1D * D1D * 4;
  return n < fours ? n / 4 * D1D + n % 4 : n < D3D ? (n - fours) * D1D + 4 : -1;
}
// The place that column c of operand A, row c of B, belongs to; lane j = c / 4 % 4 holds it.
AGWAVE_HD constexpr int place_of_column(int c) { return c / 16 * 16 + c % 4 * 4 + c / 4 % 4; }

// One scale for the whole matrix.
inline int matrix_exponent() {
  std::uint32_t largest = 0;
  for (const double value : dense_gradient()) largest = std::max(largest, magnitude(value));
  return scale_exponent(largest);
}

template <int S>
std::vector<ImmaA> int8_table() {
  using Shape = Int8Shape;
  const std::vector<double> a = dense_gradient();
  const double shift = shift_of<S>(matrix_exponent());
  const auto entry = [&](int row, int node) { return node < 0 ? 0 : digits<S>(a[static_cast<std::size_t>(row) * D3D + node], shift); };
  const auto gradient = [&](int tile, int row, int column) {
    return entry(tile % 3 * L3D + tile / 3 * Shape::rows + row, node_in_place(place_of_column(column)));
  };
  const auto divergence = [&](int tile, int row, int column) { return entry(place_of_column(column), node_in_place(tile * Shape::rows + row)); };
  std::vector<ImmaA> table;
  table.reserve(static_cast<std::size_t>(2) * Shape::fragments * S * 32);
  const auto add = [&](int tiles, int steps, const auto& value) {
    for (int tile = 0; tile < tiles; ++tile)
      for (int step = 0; step < steps; ++step)
        for (int slice = 0; slice < S; ++slice)
          for (int n = 0; n < 32; ++n) {
            const ImmaLane lane(n);
            ImmaA fragment{};
            for (int h = 0; h < 4; ++h) {
              std::uint64_t four[4];
              for (int i = 0; i < 4; ++i) four[i] = value(tile, lane.a_row(h), step * Shape::step + lane.a_column(h, i));
              fragment.r[h] = four_digits(four, slice);
            }
            table.push_back(fragment);
          }
  };
  add(Shape::gradient_tiles, Shape::gradient_steps, gradient);
  add(Shape::divergence_tiles, Shape::divergence_steps, divergence);
  return table;
}

}  // namespace agwave::cuda_kernels
