// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstdint>
#include <vector>

#include "comm/comm.hpp"

namespace agwave {

struct Neighbour {
  int rank;
  std::int64_t first, count;  // range of its values, alike in what is sent and in what is received
};
inline constexpr int most_neighbours = 26;

// Sends every neighbour its range of `own` and returns what they send in its place, for set-up. Collective among neighbours.
template <class T>
std::vector<T> swap_ranges(const std::vector<Neighbour>& neighbours, const std::vector<T>& own, MPI_Comm comm) {
  constexpr int tag = 2;
  std::vector<T> theirs(own.size());
  std::vector<MPI_Request> requests(2 * neighbours.size());
  MPI_Request* request = requests.data();
  MPI_Datatype one;
  AGWAVE_MPI(MPI_Type_contiguous(sizeof(T), MPI_BYTE, &one));
  AGWAVE_MPI(MPI_Type_commit(&one));
  for (const Neighbour& n : neighbours) {
    AGWAVE_MPI(MPI_Irecv(theirs.data() + n.first, static_cast<int>(n.count), one, n.rank, tag, comm, request++));
    AGWAVE_MPI(MPI_Isend(own.data() + n.first, static_cast<int>(n.count), one, n.rank, tag, comm, request++));
  }
  AGWAVE_MPI(MPI_Waitall(static_cast<int>(requests.size()), requests.data(), MPI_STATUSES_IGNORE));
  AGWAVE_MPI(MPI_Type_free(&one));
  return theirs;
}
// `mine`: one for each.
template <class T>
std::vector<T> swap_one(std::vector<Neighbour> neighbours, const std::vector<T>& mine, MPI_Comm comm) {
  for (std::size_t n = 0; n < neighbours.size(); ++n) neighbours[n] = {neighbours[n].rank, static_cast<std::int64_t>(n), 1};
  return swap_ranges(neighbours, mine, comm);
}

}  // namespace agwave
