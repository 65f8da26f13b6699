// SPDX-License-Identifier: Apache-2.0
#include "comm/link.hpp"

#include "comm/link_impl.hpp"
#include "device/backend.hpp"

namespace agwave {

std::vector<LinkSample> measure_link(const Transport& transport, int distance, const Comm& comm) {
#if AGWAVE_CUDA
  if (transport.path != Path::host) return measure_link_cuda(transport, distance, comm);
#endif
  return measure_link_on<Cpu>(transport, distance, comm);
}

Link fit(const std::vector<LinkSample>& samples) {
  const LinkSample &small = samples.front(), &large = samples.back();
  return {small.seconds, (large.bytes - small.bytes) / (large.seconds - small.seconds)};
}

}  // namespace agwave
