// SPDX-License-Identifier: Apache-2.0
#include "comm/link_impl.hpp"
#include "device/backend_cuda.cuh"

namespace agwave {

std::vector<LinkSample> measure_link_cuda(const Transport& transport, int distance, const Comm& comm) {
  return measure_link_on<Cuda>(transport, distance, comm);
}

}  // namespace agwave
