// SPDX-License-Identifier: Apache-2.0
// The sea-surface map: every rank at the surface hands its equally spaced points (element vertices and mid-points) to
// rank 0. Points on block faces come from the rank that owns the node.
#pragma once
#include <vector>

#include "comm.hpp"
#include "mesh/mesh.hpp"

namespace agwave {

class SurfaceMap {
 public:
  SurfaceMap(const Mesh& mesh, const Comm& comm);
  std::int64_t width() const { return width_; }  // points along x of the whole map
  std::int64_t height() const { return height_; }
  std::vector<double> x(const Mesh& mesh) const;  // [m]
  std::vector<double> y(const Mesh& mesh) const;
  // Values at this rank's column nodes [NY][NX] (empty below the surface) -> the whole map [y][x] on rank 0. Collective.
  std::vector<double> gather(const std::vector<double>& nodes) const;

 private:
  struct Block {
    std::int64_t first_x, first_y, nx, ny;
  };
  static constexpr int stride = 2;  // GLL nodes 0, 2, 4 of an element: equally spaced

  const Comm& comm_;
  int NX_ = 0, own_i_ = 0, own_j_ = 0;
  std::int64_t width_ = 0, height_ = 0;
  Block own_{};
  std::vector<Block> blocks_;  // rank 0
};

}  // namespace agwave
