// SPDX-License-Identifier: Apache-2.0
#include "fem/node_grid.hpp"

#include <algorithm>

namespace agwave {

namespace {

std::vector<double> every(int stride, const std::vector<double>& all) {
  std::vector<double> points;
  for (std::size_t i = 0; i < all.size(); i += static_cast<std::size_t>(stride)) points.push_back(all[i]);
  return points;
}

}  // namespace

NodeGrid::NodeGrid(const Mesh& mesh, const Comm& comm, Part part, int stride) : comm_(comm), stride_(stride), NX_(mesh.NX()) {
  const int N[3] = {mesh.NX(), mesh.NY(), mesh.NZ()}, per_element = 4 / stride;
  const bool all = part == Part::volume;
  for (int d = 0; d < 3; ++d) {
    counts_[d] = per_element * mesh.elements[d] + 1;
    first_node_[d] = mesh.part.at_low(d) ? 0 : stride;
    own_.first[d] = per_element * mesh.part.first[d] + first_node_[d] / stride;
    own_.count[d] = (N[d] - 1 - first_node_[d]) / stride + 1;
  }
  if (!all) {  // one level
    counts_[2] = 1;
    first_node_[2] = part == Part::floor ? 0 : N[2] - 1;
    own_.first[2] = 0;
    own_.count[2] = part == Part::floor ? mesh.part.at_low(2) : mesh.part.at_high(2);
  }
  comm.gather<Block>({&own_, 1}, [&](int, std::span<const Block> block) { blocks_.push_back(block[0]); });
}

std::vector<double> NodeGrid::x(const Mesh& mesh) const { return every(stride_, gll_nodes(mesh.x_faces, 0, mesh.elements[0])); }
std::vector<double> NodeGrid::y(const Mesh& mesh) const { return every(stride_, gll_nodes(mesh.y_faces, 0, mesh.elements[1])); }
std::vector<double> NodeGrid::sigma(const Mesh& mesh) const { return every(stride_, gll_nodes(mesh.sigma, 0, mesh.elements[2])); }

std::vector<double> NodeGrid::gather_columns(const std::vector<double>& nodes) const {
  std::vector<double> own;
  if (own_.count[2] > 0)
    for (std::int64_t j = 0; j < own_.count[1]; ++j)
      for (std::int64_t i = 0; i < own_.count[0]; ++i)
        own.push_back(nodes[static_cast<std::size_t>((first_node_[1] + stride_ * j) * NX_ + first_node_[0] + stride_ * i)]);
  return gather(own);
}

std::vector<double> NodeGrid::gather(const std::vector<double>& own) const {
  std::vector<double> whole(comm_.root() ? static_cast<std::size_t>(size()) : 0);
  comm_.gather<double>(own, [&](int rank, std::span<const double> values) {
    const auto& [first, count] = blocks_[static_cast<std::size_t>(rank)];
    const double* from = values.data();
    for (std::int64_t k = 0; k < count[2]; ++k)
      for (std::int64_t j = 0; j < count[1]; ++j, from += count[0])
        std::copy_n(from, count[0], whole.begin() + ((first[2] + k) * counts_[1] + first[1] + j) * counts_[0] + first[0]);
  });
  return whole;
}

}  // namespace agwave
