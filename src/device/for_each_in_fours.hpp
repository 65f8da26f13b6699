// SPDX-License-Identifier: Apache-2.0
// for_each of what does little more than read and write: every thread has four values, far apart, which wait for memory together.
#pragma once
#include <cstdint>

#include "device/host_device.hpp"

namespace agwave {

template <class F>
struct InFours {
  std::int64_t count, apart;
  F f;
  AGWAVE_HD void operator()(std::int64_t n) const {
    decltype(f.get(n)) values[4];
    for (int m = 0; m < 4; ++m)
      if (n + m * apart < count) values[m] = f.get(n + m * apart);
    for (int m = 0; m < 4; ++m)
      if (n + m * apart < count) f.put(n + m * apart, values[m]);
  }
};
// f.put(n, f.get(n)) for n of [0, count); get() reads nothing that put() writes for another n.
template <class Backend, class F>
void for_each_in_fours(const Backend& backend, std::int64_t count, const F& f) {
  const std::int64_t apart = (count + 3) / 4;
  backend.for_each(apart, InFours<F>{count, apart, f});
}

}  // namespace agwave
