// SPDX-License-Identifier: Apache-2.0
// Every stride-th node of the sea surface, the seafloor or the whole volume, numbered over the whole mesh, x fastest. Every rank hands its
// nodes to rank 0; those on block faces come from the rank that owns them.
#pragma once
#include <array>
#include <vector>

#include "comm/comm.hpp"
#include "mesh/mesh.hpp"

namespace agwave {

class NodeGrid {
 public:
  enum class Part { surface, floor, volume };
  // stride 1, 2 or 4: with 2 (element vertices and mid-points) the points of an element are equally spaced.
  NodeGrid(const Mesh& mesh, const Comm& comm, Part part, int stride = 2);

  const std::array<std::int64_t, 3>& counts() const { return counts_; }  // points along x, y, z of the whole
  std::int64_t size() const { return counts_[0] * counts_[1] * counts_[2]; }
  std::vector<double> x(const Mesh& mesh) const;  // [m]
  std::vector<double> y(const Mesh& mesh) const;
  std::vector<double> sigma(const Mesh& mesh) const;

  // This rank's own points -> all of them on rank 0. Collective.
  std::vector<double> gather(const std::vector<double>& own) const;
  // The same for values at the column nodes [NY][NX] of every rank; surface and floor only.
  std::vector<double> gather_columns(const std::vector<double>& nodes) const;

 protected:
  struct Block {
    std::array<std::int64_t, 3> first, count;  // points
  };
  const Comm& comm_;
  int stride_, NX_;
  std::array<std::int64_t, 3> counts_{};
  std::array<int, 3> first_node_{};
  Block own_{};
  std::vector<Block> blocks_;  // rank 0
};

}  // namespace agwave
