// SPDX-License-Identifier: Apache-2.0
// One round of messages between neighbouring ranks: open() says where to pack them, start() posts, finish() makes those received available;
// other work runs in between. On a GPU all only queue work where they can: what start() has to move goes on a second stream, behind what the
// backend's stream has been given so far (the packing), and finish() puts the backend's stream behind the arrival.
#pragma once
#include <mpi.h>

#include <cstdint>
#include <vector>

#include "array.hpp"
#include "comm.hpp"
#include "fem/neighbour.hpp"
#include "fem/outgoing.hpp"
#include "fem/transport.hpp"
#include "trace.hpp"

namespace agwave {

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
  bool packing_sends() const { return transport_.path == Path::peer; }
  // A round: the backend packs to what open() says, [size()], start() is told. finish() says where the neighbours' values have come, [size()]: there
  // until what the backend was given before the next start() is done. Between a finish() and the next open() no barrier is needed.
  Outgoing open();
  void start(Backend& backend);
  void progress();  // between the two, for MPI that moves messages only while it is called
  const double* finish(Backend& backend);

 private:
  struct Copies;  // CUDA: the second stream, its events, the mailboxes
  Copies* make_copies(const Comm& comm);
  Outgoing mailboxes();  // the neighbours', for the next round
  void begin(Backend& backend);
  const double* end(Backend& backend);
  void post_receives(double* to);
  void post_sends(const double* from);
  void wait_all();

  std::vector<Neighbour> neighbours_;
  MPI_Comm comm_;
  Transport transport_;
  Array<double> outgoing_, arrivals_;       // without mailboxes
  Array<double> send_host_, receive_host_;  // pinned, of a staged transport only
  std::vector<MPI_Request> requests_;
  Copies* copies_ = nullptr;
};

}  // namespace agwave
