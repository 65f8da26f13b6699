// SPDX-License-Identifier: Apache-2.0
// The writer: order, bounded memory, and errors that reach whoever asks.
#include <gtest/gtest.h>

#include <atomic>
#include <chrono>
#include <future>
#include <numeric>
#include <vector>

#include "files/writer.hpp"

namespace agwave {
namespace {

using namespace std::chrono_literals;

TEST(Writers, RunTasksInOrderOnAnotherThread) {
  std::vector<int> done, expected(100);
  std::iota(expected.begin(), expected.end(), 0);
  std::thread::id where;
  Writer writer;
  for (int n = 0; n < 100; ++n)
    writer.submit(1, [&, n] {
      done.push_back(n);
      where = std::this_thread::get_id();
    });
  writer.drain();
  EXPECT_EQ(done, expected);
  EXPECT_NE(where, std::this_thread::get_id());
  EXPECT_NO_THROW(writer.check());
}

TEST(Writers, FinishWhatWaitsBeforeTheyGo) {
  int done = 0;
  {
    Writer writer;
    for (int n = 0; n < 10; ++n)
      writer.submit(1, [&] {
        std::this_thread::sleep_for(1ms);
        ++done;
      });
  }
  EXPECT_EQ(done, 10);
}

// With room for 100 bytes and a disk that stands still, the third task of 40 has to wait; one larger than the room waits for all.
TEST(Writers, HoldNoMoreThanTheirBytes) {
  std::promise<void> disk;
  std::shared_future<void> moves = disk.get_future().share();
  std::atomic<int> accepted{0};
  Writer writer(100);
  std::thread loop([&] {
    for (const std::size_t bytes : {40, 40, 40, 400}) {
      writer.submit(bytes, [moves] { moves.wait(); });
      ++accepted;
    }
  });
  std::this_thread::sleep_for(50ms);
  EXPECT_EQ(accepted, 2);
  disk.set_value();
  loop.join();
  writer.drain();
  EXPECT_EQ(accepted, 4);
}

TEST(Writers, KeepTheFirstErrorAndDropWhatFollows) {
  int later = 0;
  Writer writer;
  writer.submit(1, [] { throw Error(ExitCode::output, "the disk is full"); });
  writer.submit(1, [&] { ++later; });
  writer.drain();
  writer.submit(1, [&] { ++later; });
  writer.drain();
  EXPECT_EQ(later, 0);
  for (int n = 0; n < 2; ++n) {  // every time it is asked
    try {
      writer.check();
      ADD_FAILURE() << "no error";
    } catch (const Error& error) {
      EXPECT_STREQ(error.what(), "the disk is full");
      EXPECT_EQ(error.code(), ExitCode::output);
    }
  }
  Writer other;
  other.submit(1, [] { throw std::runtime_error("odd"); });
  other.drain();
  EXPECT_THROW(other.check(), Error);
}

}  // namespace
}  // namespace agwave
