// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstdint>

#include "device/host_device.hpp"

namespace agwave {

template <class T>
struct SetZero {  // for any backend's for_each
  T* to;
  AGWAVE_HD void operator()(std::int64_t n) const { to[n] = 0; }
};

}  // namespace agwave
