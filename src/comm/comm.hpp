// SPDX-License-Identifier: Apache-2.0
// The communicator: a thin, checked layer over MPI. Every MPI call throws Error(device) with the call's name on
// failure. `agree` turns a failure on any rank into the same Error on every rank, so that nobody waits for ever.
#pragma once
#include <mpi.h>

#include <any>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <vector>

namespace agwave {

class Comm {
 public:
  explicit Comm(MPI_Comm comm = MPI_COMM_WORLD);
  int rank() const { return rank_; }
  int size() const { return size_; }
  bool root() const { return rank_ == 0; }
  MPI_Comm mpi() const { return comm_; }

  // Runs `part` on every rank; if it threw an Error anywhere, throws the lowest failing rank's Error on every rank. A
  // failure of a machine (Error(device)) names rank and host. A part may call agree() itself: a rank that fails before it comes there
  // fails all ranks there.
  void agree(const std::function<void()>& part) const;
  std::string broadcast(std::string text) const;  // rank 0's text
  double broadcast(double value) const;
  double sum(double value) const;
  std::int64_t sum(std::int64_t value) const;
  double max(double value) const;
  double min(double value) const;
  void sum(std::vector<double>& values) const;  // element-wise over ranks
  void max(std::vector<double>& values) const;
  // Every rank's values on rank 0, one rank after the other; their numbers may differ. Collective.
  template <class T>
  void gather(std::span<const T> own, const std::function<void(int rank, std::span<const T> values)>& receive) const {
    gather_bytes(std::as_bytes(own), [&](int rank, std::span<const std::byte> bytes) {
      receive(rank, {reinterpret_cast<const T*>(bytes.data()), bytes.size() / sizeof(T)});
    });
  }
  std::vector<std::int64_t> join(const std::vector<std::int64_t>& own) const;  // every rank's numbers on every rank, in the order of ranks
  void barrier() const;
  int local_rank() const;  // rank within the node
  int ranks_on_node() const;

  // The ranks of one color among themselves, in the same order. On its node a rank keeps the place that it has here. Collective.
  Comm split(int color) const;
  Comm node() const;  // the ranks of this node, in the same order. Collective

  // What takes long to make for these ranks and is made once: kept until the last copy of this communicator goes. One thing of one type.
  template <class T, class Make>
  std::shared_ptr<T> once(const Make& make) const {
    if (!kept_->has_value()) *kept_ = std::shared_ptr<T>(make());
    return std::any_cast<std::shared_ptr<T>>(*kept_);
  }

 private:
  Comm part(const std::function<void(MPI_Comm*)>& split) const;
  void gather_bytes(std::span<const std::byte> own, const std::function<void(int, std::span<const std::byte>)>& receive) const;

  std::shared_ptr<MPI_Comm> owned_;  // of a split, to be freed with its last copy
  std::shared_ptr<std::any> kept_ = std::make_shared<std::any>();
  MPI_Comm comm_;
  int rank_ = 0, size_ = 1;
  int local_rank_ = -1;  // -1: that in this communicator
};

std::string host_name();

void check_mpi(int code, const char* call, const char* file, int line);
#define AGWAVE_MPI(call) ::agwave::check_mpi((call), #call, __FILE__, __LINE__)

}  // namespace agwave
