// SPDX-License-Identifier: Apache-2.0
// How fast all ranks together write to a directory, flushed to the disk: 32 MB each to a file without a name, gone at once.
// The directory need not exist: its nearest parent that does is on the same disk most of the time.
#pragma once
#include <string>

#include "comm/comm.hpp"

namespace agwave {

// It may be a file, which is no place for a directory.
std::string existing_part(const std::string& directory);

struct WriteSpeed {
  double bytes_per_s = 0;  // 0 where a rank cannot write so much
  int refused = 0;         // errno of this rank where it can make no file
};
WriteSpeed measure_write_speed(const std::string& directory, const Comm& comm);  // collective

}  // namespace agwave
