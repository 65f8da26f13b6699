// SPDX-License-Identifier: Apache-2.0
// The exchange, written once for both backends; instantiated in exchange.cpp and messages_cuda.cu.
#pragma once
#include "comm/exchange.hpp"
#include "device/host_device.hpp"

namespace agwave {

namespace exchange_detail {
struct Combine {  // r[node] = sum of all contributions, in ascending rank order
  const double *own, *received;
  std::int32_t own_count;
  const std::int32_t *node, *offset, *source;
  double* r;
  AGWAVE_HD void operator()(std::int64_t n) const {
    double sum = 0;
    for (std::int32_t s = offset[n]; s < offset[n + 1]; ++s) sum += source[s] < own_count ? own[source[s]] : received[source[s] - own_count];
    r[node[n]] = sum;
  }
};
}  // namespace exchange_detail

template <class Backend>
Exchange<Backend>::Exchange(const SharedNodes& lists, const Comm& comm, const Transport& transport)
    : messages_(lists.neighbours, comm, transport), clock_(transport.traffic) {
  if (!needed()) return;
  const auto place = [](const std::vector<std::int32_t>& list) { return Array<std::int32_t>(Backend::space, list); };
  send_ = place(lists.send);
  own_ = place(lists.own);
  offset_ = place(lists.offset);
  source_ = place(lists.source);
  own_values_ = Array<double>(Backend::space, lists.own.size());
}

template <class Backend>
void Exchange<Backend>::start(Backend& backend, const double* r) {
  if (!needed()) return;
  const TrafficTimer timer(messages_.traffic());
  clock_.mark(Moment::boundary, backend);
  backend.for_each(static_cast<std::int64_t>(send_.size()), PackListed{send_.data(), r, messages_.open()});
  backend.for_each(static_cast<std::int64_t>(own_.size()), PackListed{own_.data(), r, packed_to(own_values_)});
  messages_.start(backend);
}

template <class Backend>
void Exchange<Backend>::finish(Backend& backend, double* r) {
  if (!needed()) return;
  const TrafficTimer timer(messages_.traffic());
  clock_.mark(Moment::interior, backend);
  const double* const received = messages_.finish(backend);
  const auto count = static_cast<std::int32_t>(own_.size());
  backend.for_each(count, exchange_detail::Combine{own_values_.data(), received, count, own_.data(), offset_.data(), source_.data(), r});
  clock_.mark(Moment::resumed, backend);
  clock_.close();
}

}  // namespace agwave
