// SPDX-License-Identifier: Apache-2.0
// One round of messages between neighbouring ranks: open() says where to pack them, start() posts, finish() makes those received available;
// other work runs in between. On a GPU all only queue work where they can: what start() has to move goes on a second stream, behind what the
// backend's stream has been given so far (the packing), and finish() puts the backend's stream behind the arrival.
#pragma once
#include <mpi.h>

#include <cstdint>
#include <vector>

#include "comm/comm.hpp"
#include "comm/neighbour.hpp"
#include "comm/outgoing.hpp"
#include "comm/remote_ghosts.hpp"
#include "comm/transport.hpp"
#include "device/array.hpp"
#include "device/trace.hpp"

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
  // `ghosts`, if there are any: where pairs of values belong, to which GPUs that can write to each other's memory pack them.
  Messages(std::vector<Neighbour> neighbours, const Comm& comm, const Transport& transport, const GhostArrays& ghosts = {});
  Messages(const Messages&) = delete;
  Messages& operator=(const Messages&) = delete;
  ~Messages();
  bool needed() const { return !neighbours_.empty(); }
  Traffic& traffic() { return *transport_.traffic; }
  std::int64_t size() const { return neighbours_.empty() ? 0 : neighbours_.back().first + neighbours_.back().count; }
  bool packing_sends() const { return transport_.path == Path::peer; }
  bool in_place() const { return in_place_; }  // what packs writes to the receivers' ghosts
  // A round: the backend packs to what open() says, [size()], start() is told. finish() says where the neighbours' values have come, [size()]: there
  // until what the backend was given before the next start() is done; null if that is in place. Between a finish() and the next open() no barrier is
  // needed.
  Outgoing open();
  RemotePlaces open(std::int64_t array);  // if in_place(): for that one and the next
  void start(Backend& backend);
  void progress();  // between the two, for MPI that moves messages only while it is called
  const double* finish(Backend& backend);

 private:
  struct Copies;  // CUDA: the second stream, its events, neighbours' memory
  Copies* make_copies(const Comm& comm, const GhostArrays& ghosts);
  Outgoing mailboxes();  // the neighbours', for the next round
  void begin(Backend& backend);
  const double* end(Backend& backend);
  void post_receives(double* to);
  void post_sends(const double* from);
  void wait_all();

  std::vector<Neighbour> neighbours_;
  MPI_Comm comm_;
  Transport transport_;
  bool in_place_;
  Array<double> outgoing_, arrivals_;       // without mailboxes
  Array<double> send_host_, receive_host_;  // pinned, of a staged transport only
  std::vector<MPI_Request> requests_;
  Copies* copies_ = nullptr;
};

}  // namespace agwave
