// SPDX-License-Identifier: Apache-2.0
// Messages between the GPUs of one host without the host and without copies: values are packed into memory of the receiver, which it has opened to its
// neighbours (CUDA IPC), then the stream writes the number of the round behind them, for which a stream of the receiver waits.
// Two boxes take turns. Who has got round r from a neighbour knows that this one is done with round r - 1, because it sent r after that: the box of
// r - 1 is free for r + 1, and nothing need be said about it.
#pragma once
#include <string>
#include <vector>

#include "array.hpp"
#include "comm.hpp"
#include "fem/neighbour.hpp"
#include "fem/outgoing.hpp"

struct CUstream_st;

namespace agwave {

class Mailboxes {
 public:
  // For rounds of `size` values, those of `neighbours` (at most Outgoing::most) among them. Collective among neighbours, and so is the end, but for a
  // rank that an error takes elsewhere. What was announced must have come to its end then.
  Mailboxes(std::vector<Neighbour> neighbours, std::int64_t size, const Comm& comm);
  ~Mailboxes();
  Mailboxes(const Mailboxes&) = delete;
  Mailboxes& operator=(const Mailboxes&) = delete;

  Outgoing open_next();                // begins a round: where to pack it, by what has waited for the round before
  void announce(CUstream_st*) const;   // the stream has been given the packing
  void await_all(CUstream_st*) const;  // what the stream is given from now on finds the neighbours' values of the round
  const double* incoming() const { return reinterpret_cast<const double*>(memory_.data() + round_ % 2 * box_bytes()); }  // where they are, [size]

  // Empty where all ranks can do so, tried with small messages to and from the Outgoing::most ranks next to each. Collective, the same on all.
  static std::string why_not(const Comm& comm);

 private:
  struct Remote {  // a neighbour's memory, as this rank sees it
    unsigned char* memory;
    std::int64_t box_bytes, offset, flag;  // of a box; in a box; in memory [bytes]
  };
  std::int64_t box_bytes() const { return 8 * size_; }
  std::int64_t flag(std::size_t neighbour) const { return 2 * box_bytes() + 4 * static_cast<std::int64_t>(neighbour); }  // in memory [bytes]
  void meet() const noexcept;

  std::vector<Neighbour> neighbours_;
  std::int64_t size_;
  MPI_Comm comm_;
  Array<unsigned char> memory_;  // two boxes, then the number of the last round that each neighbour has sent
  std::vector<Remote> remote_;
  std::uint32_t round_ = 0;
};

}  // namespace agwave
