// SPDX-License-Identifier: Apache-2.0
// The exchange, written once for both backends; instantiated in exchange.cpp and exchange_cuda.cu.
#pragma once
#include "fem/exchange.hpp"
#include "host_device.hpp"

namespace agwave {

namespace exchange_detail {
struct Gather {  // to[n] = from[index[n]]
  const double* from;
  const std::int32_t* index;
  double* to;
  AGWAVE_HD void operator()(std::int64_t n) const { to[n] = from[index[n]]; }
};
struct Combine {  // r[node] = sum of all contributions, in ascending rank order
  const double* gathered;
  const std::int32_t *node, *offset, *source;
  double* r;
  AGWAVE_HD void operator()(std::int64_t n) const {
    double sum = 0;
    for (std::int32_t s = offset[n]; s < offset[n + 1]; ++s) sum += gathered[source[s]];
    r[node[n]] = sum;
  }
};
}  // namespace exchange_detail

template <class Backend>
Exchange<Backend>::Exchange(const Partition& part, int NX, int NY, int NZ, const Comm& comm)
    : lists_(find_shared_nodes(part, NX, NY, NZ)), comm_(comm.mpi()) {
  if (!needed()) return;
  const auto place = [](const std::vector<std::int32_t>& list) { return Array<std::int32_t>(Backend::space, list); };
  send_ = place(lists_.send);
  own_ = place(lists_.own);
  offset_ = place(lists_.offset);
  source_ = place(lists_.source);
  packed_ = Array<double>(Backend::space, lists_.send.size());
  gathered_ = Array<double>(Backend::space, lists_.own.size() + lists_.send.size());
  if (Backend::space != Backend::staging) {
    send_host_ = Array<double>(Backend::staging, lists_.send.size());
    receive_host_ = Array<double>(Backend::staging, lists_.send.size());
  }
  requests_.resize(2 * lists_.neighbours.size());
  copies_ = new Copies;
}

template <class Backend>
Exchange<Backend>::~Exchange() {
  delete copies_;
}

template <class Backend>
void Exchange<Backend>::post_sends(const double* from) {
  std::size_t request = lists_.neighbours.size();
  for (const auto& n : lists_.neighbours)
    AGWAVE_MPI(MPI_Isend(from + n.first, static_cast<int>(n.count), MPI_DOUBLE, n.rank, 0, comm_, &requests_[request++]));
}

template <class Backend>
void Exchange<Backend>::start(Backend& backend, const double* r) {
  if (!needed()) return;
  using exchange_detail::Gather;
  wait_for_buffers();
  double* receive = receive_host_.empty() ? gathered_.data() + own_.size() : receive_host_.data();
  std::size_t request = 0;
  for (const auto& n : lists_.neighbours)
    AGWAVE_MPI(MPI_Irecv(receive + n.first, static_cast<int>(n.count), MPI_DOUBLE, n.rank, 0, comm_, &requests_[request++]));
  backend.for_each(static_cast<std::int64_t>(send_.size()), Gather{r, send_.data(), packed_.data()});
  backend.for_each(static_cast<std::int64_t>(own_.size()), Gather{r, own_.data(), gathered_.data()});
  begin_send(backend);
}

template <class Backend>
void Exchange<Backend>::finish(Backend& backend, double* r) {
  if (!needed()) return;
  end_receive(backend);
  backend.for_each(static_cast<std::int64_t>(own_.size()),
                   exchange_detail::Combine{gathered_.data(), own_.data(), offset_.data(), source_.data(), r});
}

}  // namespace agwave
