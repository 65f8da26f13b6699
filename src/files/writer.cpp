// SPDX-License-Identifier: Apache-2.0
// The queue between the time loop and the disk.
#include "files/writer.hpp"

#include "files/hdf5.hpp"

namespace agwave {

Writer::~Writer() {
  {
    const std::lock_guard lock(mutex_);
    done_ = true;
  }
  changed_.notify_all();
  thread_.join();
}

void Writer::submit(std::size_t bytes, std::function<void()> task) {
  std::unique_lock lock(mutex_);
  changed_.wait(lock, [&] { return tasks_.empty() || bytes_ + bytes <= most_bytes_; });
  if (error_) return;
  tasks_.push_back({bytes, std::move(task)});
  bytes_ += bytes;
  changed_.notify_all();
}

void Writer::check() {
  const std::lock_guard lock(mutex_);
  if (error_) throw *error_;
}

void Writer::drain() {
  std::unique_lock lock(mutex_);
  changed_.wait(lock, [&] { return tasks_.empty(); });
}

void Writer::work() {
  hdf5::silence();  // an error has one message: ours
  std::unique_lock lock(mutex_);
  while (true) {
    changed_.wait(lock, [&] { return done_ || !tasks_.empty(); });
    if (tasks_.empty()) return;
    if (!error_) {
      Task& task = tasks_.front();  // later ones are added behind it
      lock.unlock();
      std::optional<Error> failure;
      try {
        task.run();
      } catch (const Error& error) {
        failure = error;
      } catch (const std::exception& error) {
        failure = Error(ExitCode::output, text("writing results: ", error.what()));
      }
      task.run = nullptr;  // frees what it held, outside the lock
      lock.lock();
      if (failure) error_ = failure;
    }
    bytes_ -= tasks_.front().bytes;
    tasks_.pop_front();
    changed_.notify_all();
  }
}

}  // namespace agwave
