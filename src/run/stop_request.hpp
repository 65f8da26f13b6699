// SPDX-License-Identifier: Apache-2.0
// SIGTERM, SIGINT and SIGUSR1 ask a run to stop: after the step in progress, at the same step on every rank, whichever ranks the
// signal reached. A second signal, a moment later at least, leaves at once: a launcher may deliver the first one twice.
// The ranks agree by a reduction that runs behind each step, so the answer is one step old and nobody waits for it.
#pragma once
#include "comm/comm.hpp"

namespace agwave {

class StopRequest {
 public:
  explicit StopRequest(const Comm& comm);
  ~StopRequest();
  StopRequest(const StopRequest&) = delete;
  StopRequest& operator=(const StopRequest&) = delete;
  bool agreed();             // collective, once per step
  std::string name() const;  // of the signal agreed on, on every rank
  void settle();             // waits for the reduction under way; where all ranks leave the time loop by an exception

 private:
  const Comm& comm_;
  MPI_Request request_ = MPI_REQUEST_NULL;
  int own_ = 0, any_ = 0;  // number of the signal: of this rank, the highest of all
};

}  // namespace agwave
