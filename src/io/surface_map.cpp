// SPDX-License-Identifier: Apache-2.0
// Gathering the map: blocks are sent one rank at a time, so that counts above 2^31 in total cause no trouble.
#include "io/surface_map.hpp"

namespace agwave {

SurfaceMap::SurfaceMap(const Mesh& mesh, const Comm& comm) : comm_(comm), NX_(mesh.NX()) {
  width_ = 2 * mesh.elements[0] + 1;
  height_ = 2 * mesh.elements[1] + 1;
  own_i_ = mesh.part.at_low(0) ? 0 : stride;
  own_j_ = mesh.part.at_low(1) ? 0 : stride;
  if (mesh.part.at_high(2)) {
    own_ = {2 * mesh.part.first[0] + own_i_ / stride, 2 * mesh.part.first[1] + own_j_ / stride, (mesh.NX() - own_i_ + 1) / stride,
            (mesh.NY() - own_j_ + 1) / stride};
  }
  blocks_.resize(comm.root() ? comm.size() : 0);
  AGWAVE_MPI(MPI_Gather(&own_, sizeof own_, MPI_BYTE, blocks_.data(), sizeof own_, MPI_BYTE, 0, comm.mpi()));
}

std::vector<double> SurfaceMap::x(const Mesh& mesh) const {
  std::vector<double> all = gll_nodes(mesh.x_faces, 0, mesh.elements[0]), points;
  for (std::size_t i = 0; i < all.size(); i += stride) points.push_back(all[i]);
  return points;
}

std::vector<double> SurfaceMap::y(const Mesh& mesh) const {
  std::vector<double> all = gll_nodes(mesh.y_faces, 0, mesh.elements[1]), points;
  for (std::size_t j = 0; j < all.size(); j += stride) points.push_back(all[j]);
  return points;
}

std::vector<double> SurfaceMap::gather(const std::vector<double>& nodes) const {
  std::vector<double> own(nodes.empty() ? 0 : static_cast<std::size_t>(own_.nx * own_.ny));
  for (std::size_t n = 0; n < own.size(); ++n) {
    const auto i = own_i_ + stride * (static_cast<std::int64_t>(n) % own_.nx), j = own_j_ + stride * (static_cast<std::int64_t>(n) / own_.nx);
    own[n] = nodes[static_cast<std::size_t>(j * NX_ + i)];
  }
  if (!comm_.root()) {
    if (!own.empty()) AGWAVE_MPI(MPI_Send(own.data(), static_cast<int>(own.size()), MPI_DOUBLE, 0, 1, comm_.mpi()));
    return {};
  }
  std::vector<double> map(static_cast<std::size_t>(width_ * height_));
  for (int rank = 0; rank < comm_.size(); ++rank) {
    const Block& b = blocks_[rank];
    if (b.nx * b.ny == 0) continue;
    std::vector<double> part(static_cast<std::size_t>(b.nx * b.ny));
    if (rank == 0)
      part = own;
    else
      AGWAVE_MPI(MPI_Recv(part.data(), static_cast<int>(part.size()), MPI_DOUBLE, rank, 1, comm_.mpi(), MPI_STATUS_IGNORE));
    for (std::int64_t j = 0; j < b.ny; ++j)
      for (std::int64_t i = 0; i < b.nx; ++i)
        map[static_cast<std::size_t>((b.first_y + j) * width_ + b.first_x + i)] = part[static_cast<std::size_t>(j * b.nx + i)];
  }
  return map;
}

}  // namespace agwave
