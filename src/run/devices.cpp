// SPDX-License-Identifier: Apache-2.0
#include "run/devices.hpp"

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <vector>

#include "error/error.hpp"

namespace agwave {

namespace {

// World ranks of this node on the same device as this rank.
std::vector<int> companions(const CudaDevice& device, const Comm& comm) {
  struct Seat {
    char uuid[16];
    int rank, present;
  };
  Seat own{{}, comm.rank(), device.present};
  std::memcpy(own.uuid, device.uuid.data(), std::min(device.uuid.size(), sizeof own.uuid));
  const Comm node = comm.node();
  std::vector<Seat> all(static_cast<std::size_t>(node.size()));
  AGWAVE_MPI(MPI_Allgather(&own, sizeof own, MPI_BYTE, all.data(), sizeof own, MPI_BYTE, node.mpi()));
  std::vector<int> ranks;
  for (const Seat& place : all)
    if (device.present && place.present && std::memcmp(place.uuid, own.uuid, sizeof own.uuid) == 0) ranks.push_back(place.rank);
  return ranks;
}

bool sharing_wanted() {
  const char* value = std::getenv(share_variable);
  return value && *value && std::string(value) != "0";
}

}  // namespace

CudaDevice own_device(const Comm& comm) {
  const int local_rank = comm.local_rank();
  CudaDevice device;
  comm.agree([&] { device = find_cuda_device(local_rank); });
  return device;
}

int ranks_on_device(const CudaDevice& device, const Comm& comm) { return std::max<int>(1, static_cast<int>(companions(device, comm).size())); }

void refuse_shared_devices(const CudaDevice& device, const Comm& comm) {
  const std::vector<int> ranks = companions(device, comm);
  comm.agree([&] {
    if (ranks.size() < 2 || sharing_wanted()) return;
    std::string list;
    for (std::size_t n = 0; n < ranks.size(); ++n) list += text(n == 0 ? "" : n + 1 == ranks.size() ? " and " : ", ", ranks[n]);
    throw Error(ExitCode::device, text("ranks ", list, " share one device (", device.name, ", ", device.count, device.count == 1 ? " is" : " are",
                                       " visible); start one rank per GPU and let each see its own or all of them, "
                                       "or set ",
                                       share_variable, "=1 to share on purpose"));
  });
}

}  // namespace agwave
