// SPDX-License-Identifier: Apache-2.0
// agree(): a failure on any rank becomes the same error on every rank; and the reductions.
// ranks: 1 3
#include <gtest/gtest.h>

#include <new>

#include "comm/comm.hpp"
#include "error/error.hpp"

namespace agwave {
namespace {

// Code and message of what agree() throws here.
std::pair<ExitCode, std::string> outcome(const Comm& comm, const std::function<void()>& part) {
  try {
    comm.agree(part);
  } catch (const AgreedError& error) {
    return {error.code(), error.what()};
  }
  return {ExitCode::done, ""};
}

TEST(Agree, IsSilentWhenAllIsWell) {
  const Comm comm;
  int calls = 0;
  EXPECT_EQ(outcome(comm, [&] { ++calls; }).first, ExitCode::done);
  EXPECT_EQ(calls, 1);
}

TEST(Agree, ThrowsOneRanksErrorOnAll) {
  const Comm comm;
  for (int failing = 0; failing < comm.size(); ++failing) {
    const auto [code, message] = outcome(comm, [&] {
      if (comm.rank() == failing) throw Error(ExitCode::input, text("rank ", failing, " cannot read its grid"));
    });
    EXPECT_EQ(code, ExitCode::input);
    EXPECT_EQ(message, text("rank ", failing, " cannot read its grid"));
  }
}

TEST(Agree, TakesTheLowestFailingRank) {
  const Comm comm;
  const int lowest = comm.size() > 1 ? 1 : 0;
  const auto [code, message] = outcome(comm, [&] {
    if (comm.rank() >= lowest) throw Error(comm.rank() == lowest ? ExitCode::output : ExitCode::usage, text("rank ", comm.rank()));
  });
  EXPECT_EQ(code, ExitCode::output);
  EXPECT_EQ(message, text("rank ", lowest));
}

TEST(Agree, PassesLongMessagesWhole) {
  const Comm comm;
  const std::string paragraph(100000, 'x');
  const auto long_error = [&] {
    if (comm.rank() == comm.size() - 1) throw Error(ExitCode::usage, paragraph + "\nend");
  };
  EXPECT_EQ(outcome(comm, long_error).second, paragraph + "\nend");
  EXPECT_EQ(outcome(comm, [&] { throw Error(ExitCode::usage, ""); }).first, ExitCode::usage);
}

TEST(Agree, ExplainsMissingMemory) {
  const Comm comm;
  const auto [code, message] = outcome(comm, [&] {
    if (comm.root()) throw std::bad_alloc();
  });
  EXPECT_EQ(code, ExitCode::device);
  EXPECT_NE(message.find("memory"), std::string::npos);
}

TEST(Agree, KeepsRanksInStepAfterAnError) {
  const Comm comm;
  outcome(comm, [&] {
    if (comm.root()) throw Error(ExitCode::usage, "no");
  });
  EXPECT_EQ(comm.sum(std::int64_t{1}), comm.size());
}

// A rank that fails on its way meets the others where they agree inside the part.
TEST(Agree, MeetsWhatHasFailedBefore) {
  const Comm comm;
  int later = 0;
  const auto [code, message] = outcome(comm, [&] {
    if (comm.rank() == comm.size() - 1) throw Error(ExitCode::input, "on the way");
    comm.agree([] {});
    ++later;
  });
  EXPECT_EQ(code, ExitCode::input);
  EXPECT_EQ(message, "on the way");
  EXPECT_EQ(later, 0);
  EXPECT_EQ(comm.sum(std::int64_t{1}), comm.size());
}

// What one rank agrees on with itself is its own affair for the others.
TEST(Agree, TellsFewerRanksErrorToAll) {
  const Comm comm, self(MPI_COMM_SELF);
  const auto [code, message] = outcome(comm, [&] {
    if (comm.root()) self.agree([] { throw Error(ExitCode::input, "alone"); });
  });
  EXPECT_EQ(code, ExitCode::input);
  EXPECT_EQ(message, "alone");
  EXPECT_EQ(comm.sum(std::int64_t{1}), comm.size());
}

TEST(Comm, BroadcastsAndReduces) {
  const Comm comm;
  const int n = comm.size();
  EXPECT_EQ(comm.broadcast(comm.root() ? std::string("a\0b", 3) : std::string("other")), std::string("a\0b", 3));
  EXPECT_EQ(comm.broadcast(comm.root() ? std::string() : std::string("other")), "");
  EXPECT_EQ(comm.broadcast(0.5 + comm.rank()), 0.5);
  EXPECT_EQ(comm.sum(1.5), 1.5 * n);
  EXPECT_EQ(comm.sum(std::int64_t{1} << 40), n * (std::int64_t{1} << 40));
  EXPECT_EQ(comm.max(static_cast<double>(comm.rank())), n - 1);
  EXPECT_EQ(comm.min(static_cast<double>(comm.rank())), 0);
  std::vector<double> values{1.0 * comm.rank(), 1};
  comm.sum(values);
  EXPECT_EQ(values, (std::vector<double>{0.5 * n * (n - 1), 1.0 * n}));
  EXPECT_GE(comm.local_rank(), 0);
  EXPECT_LT(comm.local_rank(), n);
}

TEST(Comm, MpiErrorsBecomeErrors) {
  const Comm comm;
  int value = 0;
  try {
    AGWAVE_MPI(MPI_Bcast(&value, 1, MPI_INT, comm.size() + 5, comm.mpi()));
    FAIL() << "no error";
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), ExitCode::device);
    for (const char* part : {"test_comm.cpp:", "MPI_Bcast"}) EXPECT_NE(std::string(error.what()).find(part), std::string::npos) << error.what();
  }
}

}  // namespace
}  // namespace agwave
