// SPDX-License-Identifier: Apache-2.0
// P^T: sums node contributions over the ranks that share a node. Every rank sends its raw partial sums to its (up to 26)
// neighbours in one round and adds all contributions in ascending rank order, its own included, so that all copies of a
// node agree to the last bit. start() packs and posts, finish() waits and adds; interior elements run in between.
#pragma once
#include <mpi.h>

#include <cstdint>
#include <vector>

#include "array.hpp"
#include "comm.hpp"
#include "error.hpp"
#include "mesh/mesh.hpp"

namespace agwave {

// Index lists, computed on the host once.
struct SharedNodes {
  struct Neighbour {
    int rank;
    std::int64_t first, count;  // range in the send (and, shifted by `own`, the receive) buffer
  };
  std::vector<Neighbour> neighbours;
  std::vector<std::int32_t> send;    // nodes to pack, neighbour by neighbour
  std::vector<std::int32_t> own;     // every shared node once
  std::vector<std::int32_t> offset;  // own.size() + 1
  std::vector<std::int32_t> source;  // per shared node: places in [own values | received values], ascending rank
};
SharedNodes find_shared_nodes(const Partition& part, int NX, int NY, int NZ);

template <class Backend>
class Exchange {
 public:
  Exchange(const Mesh& mesh, const Comm& comm) : Exchange(mesh.part, mesh.NX(), mesh.NY(), mesh.NZ(), comm) {}
  Exchange(const Partition& part, int NX, int NY, int NZ, const Comm& comm);
  Exchange(const Exchange&) = delete;
  Exchange& operator=(const Exchange&) = delete;
  ~Exchange();
  bool needed() const { return !lists_.neighbours.empty(); }
  void start(Backend& backend, const double* r);  // r: nodes; contributions of elements that touch shared nodes are complete
  void finish(Backend& backend, double* r);

 private:
  struct Copies;                       // CUDA: the second stream and its events, so that copies overlap with the interior
  void wait_for_buffers();             // until the last round's host buffers may be reused
  void begin_send(Backend& backend);   // CPU: posts the sends; CUDA: copies the packed values to the host on a second stream
  void end_receive(Backend& backend);  // waits until the received values lie behind the own ones in gathered_
  void post_sends(const double* from);

  SharedNodes lists_;
  MPI_Comm comm_;
  Array<std::int32_t> send_, own_, offset_, source_;
  Array<double> packed_;                    // device: values to send
  Array<double> gathered_;                  // device: own values, then received ones
  Array<double> send_host_, receive_host_;  // pinned; empty on the CPU, where MPI reads and writes the arrays above
  std::vector<MPI_Request> requests_;
  Copies* copies_ = nullptr;
};

}  // namespace agwave
