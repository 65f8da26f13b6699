// SPDX-License-Identifier: Apache-2.0
// Messages between the GPUs of one host without copies: values are packed into memory of the receiver (peer_memory.hpp).
// Two boxes take turns. Who has got round r from a neighbour knows that this one is done with round r - 1, because it sent r after that: the box of
// r - 1 is free for r + 1, and nothing need be said about it.
#pragma once
#include "comm/outgoing.hpp"
#include "comm/peer_memory.hpp"
#include "device/array.hpp"

namespace agwave {

class Mailboxes {
 public:
  // For rounds of `size` values, those of `neighbours` among them. Collective as PeerMemory is.
  Mailboxes(const std::vector<Neighbour>& neighbours, std::int64_t size, const Comm& comm)
      : neighbours_(neighbours),
        size_(size),
        memory_(zeros(PeerMemory::room(2 * box_bytes()))),
        boxes_(swap_one(neighbours, boxes(neighbours, size), comm.mpi())),
        peers_(neighbours, memory_.data(), 2 * box_bytes(), comm) {}
  PeerMemory& peers() { return peers_; }

  Outgoing open_next() {  // begins a round: where to pack it, by what has waited for the round before
    peers_.begin_round();
    Outgoing outgoing{};
    for (std::size_t n = 0; n < neighbours_.size(); ++n) {
      double* const values = reinterpret_cast<double*>(peers_.of(n)) + peers_.round() % 2 * boxes_[n].size + boxes_[n].first;
      outgoing.to[n] = values - neighbours_[n].first;
      outgoing.end[n] = neighbours_[n].first + neighbours_[n].count;
    }
    return outgoing;
  }
  // Where values of the round are, [size].
  const double* incoming() const { return reinterpret_cast<const double*>(memory_.data() + peers_.round() % 2 * box_bytes()); }

 private:
  struct Mailbox {  // a neighbour's: its values, the first of those that come from this rank
    std::int64_t size, first;
  };
  static std::vector<Mailbox> boxes(const std::vector<Neighbour>& neighbours, std::int64_t size) {  // this rank's, as it tells them
    std::vector<Mailbox> own;
    for (const Neighbour& n : neighbours) own.push_back({size, n.first});
    return own;
  }
  static Array<unsigned char> zeros(std::size_t bytes) {
    Array<unsigned char> memory(Space::device, bytes);
    memory.zero();
    return memory;
  }
  std::size_t box_bytes() const { return 8 * static_cast<std::size_t>(size_); }

  std::vector<Neighbour> neighbours_;
  std::int64_t size_;
  Array<unsigned char> memory_;
  std::vector<Mailbox> boxes_;
  PeerMemory peers_;  // last: it may fail on one rank, for which no other waits then
};

}  // namespace agwave
