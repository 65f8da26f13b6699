// SPDX-License-Identifier: Apache-2.0
#include "run/stop_request.hpp"

#include <unistd.h>

#include <csignal>
#include <ctime>
#include <exception>

namespace agwave {
namespace {

constexpr int signals[] = {SIGTERM, SIGINT, SIGUSR1};
constexpr double moment = 0.3;  // [s]

volatile std::sig_atomic_t received = 0;  // a handler can reach nothing but globals
timespec first_time{};
struct sigaction before[3];

extern "C" void on_signal(int signal) {
  timespec now{};
  clock_gettime(CLOCK_MONOTONIC, &now);
  if (received == 0) {
    first_time = now;
    received = signal;
  } else if (static_cast<double>(now.tv_sec - first_time.tv_sec) + 1e-9 * static_cast<double>(now.tv_nsec - first_time.tv_nsec) > moment) {
    _exit(128 + signal);
  }
}

}  // namespace

StopRequest::StopRequest(const Comm& comm) : comm_(comm) {
  received = 0;
  struct sigaction action {};
  action.sa_handler = on_signal;
  action.sa_flags = SA_RESTART;
  sigemptyset(&action.sa_mask);
  for (int n = 0; n < 3; ++n) sigaction(signals[n], &action, &before[n]);
}

StopRequest::~StopRequest() {
  for (int n = 0; n < 3; ++n) sigaction(signals[n], &before[n], nullptr);
  if (request_ != MPI_REQUEST_NULL && std::uncaught_exceptions() == 0) MPI_Wait(&request_, MPI_STATUS_IGNORE);
}

void StopRequest::settle() {
  if (request_ != MPI_REQUEST_NULL) AGWAVE_MPI(MPI_Wait(&request_, MPI_STATUS_IGNORE));
}

bool StopRequest::agreed() {
  settle();
  if (comm_.size() == 1) any_ = received;
  if (any_ != 0 || comm_.size() == 1) return any_ != 0;  // known everywhere: nobody begins another round
  own_ = received;
  AGWAVE_MPI(MPI_Iallreduce(&own_, &any_, 1, MPI_INT, MPI_MAX, comm_.mpi(), &request_));
  return false;
}

std::string StopRequest::name() const { return any_ == SIGTERM ? "SIGTERM" : any_ == SIGINT ? "SIGINT" : any_ == SIGUSR1 ? "SIGUSR1" : ""; }

}  // namespace agwave
