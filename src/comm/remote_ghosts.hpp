// SPDX-License-Identifier: Apache-2.0
// Messages between the GPUs of one host that need no unpacking: values are written to where they belong, into the receiver's ghosts (peer_memory.hpp).
// There is one place for a value, not two in turn as in a mailbox: it is for the owner of the arrays to see that ghosts have been read when a neighbour
// can have come to write them again (PerimeterExchange::in_place).
#pragma once
#include "comm/outgoing.hpp"
#include "comm/peer_memory.hpp"
#include "device/array.hpp"

namespace agwave {

// Arrays of a rank with ghosts, `stride` values apart, for rounds that exchange two of them.
struct GhostArrays {
  double* values = nullptr;  // PeerMemory::room(8 * size) bytes
  std::int64_t size = 0, stride = 0;
  std::vector<std::int64_t> receive;  // ghosts in an array, by neighbour as the sender's values are
};

// Where a pair of values goes. Value m of the list of sent ones belongs at to[its range][place[m]], and in the next array.
struct RemotePlaces {
  Outgoing to;                         // array 0
  std::int64_t next[most_neighbours];  // from there to the other
  const std::int64_t* place;
  AGWAVE_HD void put(std::int64_t m, double a, double b) const {
    const int n = to.range(m);
    double* const at = to.to[n] + place[m];
    at[0] = a;
    at[next[n]] = b;
  }
};

class RemoteGhosts {
 public:
  // Ranges of `neighbours` are of pairs. Collective as PeerMemory is.
  RemoteGhosts(const std::vector<Neighbour>& neighbours, const GhostArrays& own, const Comm& comm)
      : RemoteGhosts(neighbours, own, swap_ranges(neighbours, own.receive, comm.mpi()), comm) {}
  PeerMemory& peers() { return peers_; }

  RemotePlaces open_next(std::int64_t array) {  // begins a round of `array` and the next one
    peers_.begin_round();
    RemotePlaces places{};
    for (std::size_t n = 0; n < neighbours_.size(); ++n) {
      places.to.to[n] = reinterpret_cast<double*>(peers_.of(n)) + array * strides_[n];
      places.to.end[n] = neighbours_[n].first + neighbours_[n].count;
      places.next[n] = strides_[n];
    }
    places.place = place_.data();
    return places;
  }

 private:
  RemoteGhosts(const std::vector<Neighbour>& neighbours, const GhostArrays& own, const std::vector<std::int64_t>& place, const Comm& comm)
      : neighbours_(neighbours),
        strides_(swap_one(neighbours, std::vector<std::int64_t>(neighbours.size(), own.stride), comm.mpi())),
        peers_(neighbours, own.values, 8 * static_cast<std::size_t>(own.size), comm),
        place_(Space::device, place) {}

  std::vector<Neighbour> neighbours_;
  std::vector<std::int64_t> strides_;  // of the neighbours' arrays
  PeerMemory peers_;                   // from here on one rank may fail: no other waits for it then
  Array<std::int64_t> place_;
};

}  // namespace agwave
