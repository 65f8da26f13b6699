// SPDX-License-Identifier: Apache-2.0
// NCCL's point-to-point calls. The header is needed at build, the library only at run time, where it is opened by name, so that a
// binary also starts on machines without it. NVLink multicast stays off (NCCL_NVLS_ENABLE=0) unless the user sets it: send and receive
// gain nothing from it. Its kernels take a whole multiprocessor per block (CTA); few of them are left to it while a sweep runs, so it is
// kept to 4 (NCCL_MAX_CTAS) unless the user sets another number.
#pragma once
#include <cstdint>
#include <string>

#include "comm/comm.hpp"

struct ncclComm;  // of nccl.h

namespace agwave {

class Nccl {
 public:
  static std::string why_absent();  // empty when the library is there
  static std::string version();     // "" when it is not

  // Collective over ranks with a GPU each; about a second, so it is made once per communicator (Comm::once). A failure belongs to one rank:
  // the others may be waiting for it inside NCCL.
  explicit Nccl(const Comm& comm);
  ~Nccl();
  Nccl(const Nccl&) = delete;
  Nccl& operator=(const Nccl&) = delete;

  // Between group_start() and group_end(); queued on a stream (cudaStream_t).
  void group_start();
  void send(const double* from, std::int64_t count, int rank, void* stream);
  void receive(double* to, std::int64_t count, int rank, void* stream);
  void group_end();
  void check();  // throws what failed since, perhaps on another rank; asked before each exchange

 private:
  ncclComm* comm_ = nullptr;
};

}  // namespace agwave
