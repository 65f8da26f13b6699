// SPDX-License-Identifier: Apache-2.0
// The messages, written once for both backends; instantiated in messages.cpp and messages_cuda.cu.
#pragma once
#include "fem/messages.hpp"

namespace agwave {

template <class Backend>
Messages<Backend>::Messages(std::vector<Neighbour> neighbours, const Comm& comm) : neighbours_(std::move(neighbours)), comm_(comm.mpi()) {
  if (!needed()) return;
  if (Backend::space != Backend::staging) {
    send_host_ = Array<double>(Backend::staging, static_cast<std::size_t>(size()));
    receive_host_ = Array<double>(Backend::staging, static_cast<std::size_t>(size()));
  }
  requests_.resize(2 * neighbours_.size());
  copies_ = new Copies;
}

template <class Backend>
Messages<Backend>::~Messages() {
  delete copies_;
}

template <class Backend>
void Messages<Backend>::post_sends(const double* from) {
  std::size_t request = neighbours_.size();
  for (const Neighbour& n : neighbours_)
    AGWAVE_MPI(MPI_Isend(from + n.first, static_cast<int>(n.count), MPI_DOUBLE, n.rank, 0, comm_, &requests_[request++]));
}

template <class Backend>
void Messages<Backend>::start(Backend& backend, const double* outgoing, double* incoming) {
  if (!needed()) return;
  wait_for_buffers();
  incoming_ = incoming;
  double* const receive = receive_host_.empty() ? incoming : receive_host_.data();
  std::size_t request = 0;
  for (const Neighbour& n : neighbours_)
    AGWAVE_MPI(MPI_Irecv(receive + n.first, static_cast<int>(n.count), MPI_DOUBLE, n.rank, 0, comm_, &requests_[request++]));
  begin_send(backend, outgoing);
}

template <class Backend>
void Messages<Backend>::finish(Backend& backend) {
  if (needed()) end_receive(backend);
}

}  // namespace agwave
