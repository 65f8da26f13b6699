// SPDX-License-Identifier: Apache-2.0
// The messages, written once for both backends; instantiated in messages.cpp and messages_cuda.cu.
#pragma once
#include "comm/messages.hpp"
#include "error/error.hpp"

namespace agwave {

template <class Backend>
Messages<Backend>::Messages(std::vector<Neighbour> neighbours, const Comm& comm, const Transport& transport, const GhostArrays& ghosts)
    : neighbours_(std::move(neighbours)), comm_(comm.mpi()), transport_(transport), in_place_(packing_sends() && ghosts.values && needed()) {
  if (!needed()) return;
  for (const Neighbour& n : neighbours_)
    if (n.count > INT32_MAX) throw Error(ExitCode::usage, text(n.count, " values for one neighbour, MPI takes 2^31 - 1; use more ranks"));
  if (Backend::space != Backend::staging && transport_.path == Path::staged) {
    send_host_ = Array<double>(Backend::staging, static_cast<std::size_t>(size()));
    receive_host_ = Array<double>(Backend::staging, static_cast<std::size_t>(size()));
  }
  if (!packing_sends()) {
    outgoing_ = Array<double>(Backend::space, static_cast<std::size_t>(size()));
    arrivals_ = Array<double>(Backend::space, static_cast<std::size_t>(size()));
  }
  requests_.resize(2 * neighbours_.size());
  copies_ = make_copies(comm, ghosts);
}

template <class Backend>
Messages<Backend>::~Messages() {
  delete copies_;
}

template <class Backend>
void Messages<Backend>::post_receives(double* to) {
  std::size_t request = 0;
  for (const Neighbour& n : neighbours_)
    AGWAVE_MPI(MPI_Irecv(to + n.first, static_cast<int>(n.count), MPI_DOUBLE, n.rank, 0, comm_, &requests_[request++]));
}

template <class Backend>
void Messages<Backend>::post_sends(const double* from) {
  std::size_t request = neighbours_.size();
  for (const Neighbour& n : neighbours_)
    AGWAVE_MPI(MPI_Isend(from + n.first, static_cast<int>(n.count), MPI_DOUBLE, n.rank, 0, comm_, &requests_[request++]));
}

template <class Backend>
void Messages<Backend>::wait_all() {
  AGWAVE_MPI(MPI_Waitall(static_cast<int>(requests_.size()), requests_.data(), MPI_STATUSES_IGNORE));
}

template <class Backend>
Outgoing Messages<Backend>::open() {
  if (!needed()) return {};
  return packing_sends() ? mailboxes() : packed_to(outgoing_);
}

template <class Backend>
void Messages<Backend>::start(Backend& backend) {
  if (!needed()) return;
  TraceScope scope("exchange: start");
  begin(backend);
  Traffic& traffic = *transport_.traffic;
  ++traffic.rounds;
  traffic.messages += static_cast<std::int64_t>(neighbours_.size());
  traffic.bytes += size() * static_cast<std::int64_t>(sizeof(double));
}

template <class Backend>
const double* Messages<Backend>::finish(Backend& backend) {
  if (!needed()) return nullptr;
  TraceScope scope("exchange: finish");
  return end(backend);
}

}  // namespace agwave
