// SPDX-License-Identifier: Apache-2.0
// Writes files on a thread of its own, so that the time loop does not wait for the disk: tasks run one after the other, in the order they
// came. HDF5 is not thread-safe, so while tasks may be running, every HDF5 call of the process belongs in one; whoever has to call HDF5
// elsewhere (opening, closing, checkpoints) drains the writer first. Used by rank 0.
#pragma once
#include <condition_variable>
#include <cstddef>
#include <deque>
#include <functional>
#include <mutex>
#include <optional>
#include <thread>

#include "error/error.hpp"

namespace agwave {

class Writer {
 public:
  explicit Writer(std::size_t most_bytes = std::size_t{1} << 30) : most_bytes_(most_bytes), thread_([this] { work(); }) {}
  ~Writer();  // after the tasks that wait
  Writer(const Writer&) = delete;
  Writer& operator=(const Writer&) = delete;

  // Waits while tasks holding more than `most_bytes` are ahead; one alone may hold more. After a failure tasks are dropped.
  void submit(std::size_t bytes, std::function<void()> task);
  void check();  // throws the Error of the first task that failed
  void drain();  // waits until no task is left or running; throws nothing
  void settle() {
    drain();
    check();
  }

 private:
  struct Task {
    std::size_t bytes;
    std::function<void()> run;
  };
  void work();

  const std::size_t most_bytes_;
  std::mutex mutex_;
  std::condition_variable changed_;
  std::deque<Task> tasks_;      // the first one is running
  std::size_t bytes_ = 0;       // held by all of them
  std::optional<Error> error_;  // of the first that failed
  bool done_ = false;
  std::thread thread_;  // last: starts when all else is there
};

}  // namespace agwave
