// SPDX-License-Identifier: Apache-2.0
// One round of messages between neighbouring ranks: start() takes packed values and posts, finish() makes those received available;
// other work runs in between. On a GPU both only queue work where they can: start() orders the second stream, which moves the data,
// behind what the backend's stream has been given so far (the packing), finish() the backend's stream behind the arrival.
#pragma once
#include <mpi.h>

#include <cstdint>
#include <vector>

#include "array.hpp"
#include "comm.hpp"
#include "fem/transport.hpp"
#include "trace.hpp"

namespace agwave {

struct Neighbour {
  int rank;
  std::int64_t first, count;  // range of its values, alike in what is sent and in what is received
};

class TrafficTimer {  // adds the host's time in an exchange, packing included
 public:
  explicit TrafficTimer(Traffic& traffic) : traffic_(traffic) {}
  ~TrafficTimer() { traffic_.seconds += watch_.seconds(); }
  TrafficTimer(const TrafficTimer&) = delete;
  TrafficTimer& operator=(const TrafficTimer&) = delete;

 private:
  Traffic& traffic_;
  Stopwatch watch_;
};

template <class Backend>
class Messages {
 public:
  Messages(std::vector<Neighbour> neighbours, const Comm& comm, const Transport& transport);
  Messages(const Messages&) = delete;
  Messages& operator=(const Messages&) = delete;
  ~Messages();
  bool needed() const { return !neighbours_.empty(); }
  Traffic& traffic() { return *transport_.traffic; }
  std::int64_t size() const { return neighbours_.empty() ? 0 : neighbours_.back().first + neighbours_.back().count; }
  // `outgoing` must stay as it is, and `incoming` untouched, until finish(). Between a finish() and the next start() no barrier is needed.
  void start(Backend& backend, const double* outgoing, double* incoming);
  void progress();  // between the two, for MPI that moves messages only while it is called
  void finish(Backend& backend);

 private:
  struct Copies;  // CUDA: the second stream and its events
  void begin(Backend& backend);
  void end(Backend& backend);
  void post_receives(double* to);
  void post_sends(const double* from);
  void wait_all();

  std::vector<Neighbour> neighbours_;
  MPI_Comm comm_;
  Transport transport_;
  const double* outgoing_ = nullptr;
  double* incoming_ = nullptr;
  Array<double> send_host_, receive_host_;  // pinned, of a staged transport only
  std::vector<MPI_Request> requests_;
  Copies* copies_ = nullptr;
};

}  // namespace agwave
