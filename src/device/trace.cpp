// SPDX-License-Identifier: Apache-2.0
#include "device/trace.hpp"

#if AGWAVE_NVTX
#include <nvtx3/nvToolsExt.h>

namespace agwave {
TraceScope::TraceScope(const char* name) { nvtxRangePushA(name); }
TraceScope::~TraceScope() { nvtxRangePop(); }
}  // namespace agwave
#else
namespace agwave {
TraceScope::TraceScope(const char*) {}
TraceScope::~TraceScope() {}
}  // namespace agwave
#endif
