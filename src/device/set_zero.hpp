// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstdint>

#include "device/array.hpp"
#include "device/host_device.hpp"

namespace agwave {

template <class T>
struct SetZero {  // for any backend's for_each
  T* to;
  AGWAVE_HD void operator()(std::int64_t n) const { to[n] = 0; }
};

template <class T, class Backend>
Array<T> zeros(const Backend& backend, std::int64_t n) {  // on a CPU first touched by the threads that will work on them
  Array<T> a(Backend::space, static_cast<std::size_t>(n));
  backend.for_each(n, SetZero{a.data()});
  return a;
}

}  // namespace agwave
