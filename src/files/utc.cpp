// SPDX-License-Identifier: Apache-2.0
#include "files/utc.hpp"

#include <ctime>

namespace agwave {

std::string utc_now() {
  const std::time_t now = std::time(nullptr);
  std::tm utc{};
  gmtime_r(&now, &utc);
  char out[32];
  return {out, std::strftime(out, sizeof out, "%Y-%m-%dT%H:%M:%SZ", &utc)};
}

}  // namespace agwave
