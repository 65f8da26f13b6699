// SPDX-License-Identifier: Apache-2.0
// How fast all ranks together write to a directory [bytes/s], flushed to the disk: 32 MB each to a file without a name, gone at once.
// The directory need not exist: its nearest parent that does is on the same disk most of the time. 0 when nothing can be written.
#pragma once
#include <string>

#include "comm.hpp"

namespace agwave {

double measure_write_speed(const std::string& directory, const Comm& comm);  // collective

}  // namespace agwave
