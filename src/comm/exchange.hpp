// SPDX-License-Identifier: Apache-2.0
// P^T: sums node contributions over the ranks that share a node. Every rank sends its raw partial sums to its (up to 26)
// neighbours in one round and adds all contributions in ascending rank order, its own included, so that all copies of a
// node agree to the last bit. start() packs and posts, finish() waits and adds; interior elements run in between.
#pragma once
#include <cstdint>
#include <vector>

#include "comm/comm.hpp"
#include "comm/exchange_clock.hpp"
#include "comm/messages.hpp"
#include "device/array.hpp"
#include "mesh/mesh.hpp"

namespace agwave {

// Index lists, computed on the host once.
struct SharedNodes {
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
  Exchange(const Mesh& mesh, const Comm& comm, const Transport& transport) : Exchange(mesh.part, mesh.NX(), mesh.NY(), mesh.NZ(), comm, transport) {}
  Exchange(const Partition& part, int NX, int NY, int NZ, const Comm& comm, const Transport& transport = {})
      : Exchange(find_shared_nodes(part, NX, NY, NZ), comm, transport) {}
  bool needed() const { return messages_.needed(); }
  void start(Backend& backend, const double* r);  // r: nodes; contributions of elements that touch shared nodes are complete
  void finish(Backend& backend, double* r);
  void settle() { clock_.settle(); }  // what its clock has seen goes into the transport's traffic; waits for all rounds

 private:
  Exchange(const SharedNodes& lists, const Comm& comm, const Transport& transport);

  Messages<Backend> messages_;
  ExchangeClock<Backend> clock_;
  Array<std::int32_t> send_, own_, offset_, source_;
  Array<double> own_values_;  // of the shared nodes
};

}  // namespace agwave
