// SPDX-License-Identifier: Apache-2.0
// One round of messages between neighbouring ranks: start() takes packed values and posts, finish() waits until those received
// are there; other work runs in between. On a GPU the values are staged through pinned host memory on a second stream.
#pragma once
#include <mpi.h>

#include <cstdint>
#include <vector>

#include "array.hpp"
#include "comm.hpp"

namespace agwave {

struct Neighbour {
  int rank;
  std::int64_t first, count;  // range of its values, alike in what is sent and in what is received
};

template <class Backend>
class Messages {
 public:
  Messages(std::vector<Neighbour> neighbours, const Comm& comm);
  Messages(const Messages&) = delete;
  Messages& operator=(const Messages&) = delete;
  ~Messages();
  bool needed() const { return !neighbours_.empty(); }
  std::int64_t size() const { return neighbours_.empty() ? 0 : neighbours_.back().first + neighbours_.back().count; }
  // `outgoing` must stay as it is, and `incoming` untouched, until finish(). Between a finish() and the next start() no barrier is needed.
  void start(Backend& backend, const double* outgoing, double* incoming);
  void finish(Backend& backend);

 private:
  struct Copies;  // CUDA: the second stream and its events
  void wait_for_buffers();
  void begin_send(Backend& backend, const double* outgoing);
  void end_receive(Backend& backend);
  void post_sends(const double* from);

  std::vector<Neighbour> neighbours_;
  MPI_Comm comm_;
  double* incoming_ = nullptr;
  Array<double> send_host_, receive_host_;  // pinned; empty on the CPU, where MPI reads and writes the caller's arrays
  std::vector<MPI_Request> requests_;
  Copies* copies_ = nullptr;
};

}  // namespace agwave
