// SPDX-License-Identifier: Apache-2.0
// Memory of a GPU that neighbours on the same host write to themselves (CUDA IPC), round by round: when a rank has written to all of them, its stream
// writes the number of the round behind that, for which a stream of the receiver waits. No host and no copy is in between, and nothing is acknowledged.
// Whoever lays out the memory sees to it that what is written in a round is no longer needed then.
#pragma once
#include <cstdint>
#include <string>
#include <vector>

#include "comm/comm.hpp"
#include "comm/neighbour.hpp"

struct CUstream_st;

namespace agwave {

class PeerMemory {
 public:
  // Opened memory has pages of its own, so that nothing else is opened with it; behind its `bytes` come the numbers of rounds, which must be zero.
  static constexpr std::size_t room(std::size_t bytes) { return (numbers(bytes) + 4 * most_neighbours + page - 1) / page * page; }

  // Of `memory`, room(bytes) of them, which whoever made this frees after it. Collective among neighbours (at most most_neighbours), and so is the end, but
  // for a rank that an error takes elsewhere. What was announced must have come to its end then.
  PeerMemory(const std::vector<Neighbour>& neighbours, void* memory, std::size_t bytes, const Comm& comm);
  ~PeerMemory();
  PeerMemory(const PeerMemory&) = delete;
  PeerMemory& operator=(const PeerMemory&) = delete;

  unsigned char* of(std::size_t neighbour) const { return remote_[neighbour].memory; }
  std::uint32_t round() const { return round_; }
  void begin_round() { ++round_; }
  void announce(CUstream_st*) const;   // the stream has been given all that is to be written
  void await_all(CUstream_st*) const;  // what the stream is given from now on finds what the neighbours have written

  // Empty where all ranks can do so, tried with small messages to and from ranks next to each. Collective, the same on all.
  static std::string why_not(const Comm& comm);

 private:
  struct Remote {  // a neighbour's, as this rank sees it
    unsigned char *memory, *number;
  };
  static constexpr std::size_t page = std::size_t{2} << 20;
  static constexpr std::size_t numbers(std::size_t bytes) { return (bytes + 7) / 8 * 8; }  // where they begin
  void meet() const noexcept;

  std::vector<Neighbour> neighbours_;
  MPI_Comm comm_;
  unsigned char* numbers_;  // of the last round that each neighbour has announced
  std::vector<Remote> remote_;
  std::uint32_t round_ = 0;
};

}  // namespace agwave
