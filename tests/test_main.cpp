// SPDX-License-Identifier: Apache-2.0
// The main function of every test program: starts MPI, lets rank 0 print as usual and the other ranks only what failed,
// and makes all ranks agree on the exit code, so that a failure anywhere fails the test: 0 passed, 1 failed,
// 77 every test was skipped (no GPU, say), which CTest reports as such.
#include <gtest/gtest.h>
#include <mpi.h>

#include <cstdio>
#include <cstdlib>

namespace {

class FailurePrinter : public testing::EmptyTestEventListener {
 public:
  explicit FailurePrinter(int rank) : rank_(rank) {}
  void OnTestPartResult(const testing::TestPartResult& result) override {
    if (!result.failed()) return;
    std::fprintf(stderr, "[rank %d] %s:%d: %s\n", rank_, result.file_name() ? result.file_name() : "?", result.line_number(), result.message());
  }

 private:
  int rank_;
};

}  // namespace

int main(int argc, char** argv) {
  setenv("AGWAVE_SHARE_GPUS", "1", 0);  // tests run several ranks on one device on purpose
  int provided = 0, rank = 0, size = 1;
  MPI_Init_thread(&argc, &argv, MPI_THREAD_FUNNELED, &provided);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  if (size > 1) GTEST_FLAG_SET(catch_exceptions, false);  // else the others would wait for a rank that has left its test
  testing::InitGoogleTest(&argc, argv);
  auto& listeners = testing::UnitTest::GetInstance()->listeners();
  if (rank != 0) {
    delete listeners.Release(listeners.default_result_printer());
    listeners.Append(new FailurePrinter(rank));
  }
  const int failed = RUN_ALL_TESTS();
  const auto& tests = *testing::UnitTest::GetInstance();
  int mine[2] = {failed, tests.skipped_test_count() < tests.test_to_run_count()}, any[2];  // failed; ran something
  MPI_Allreduce(mine, any, 2, MPI_INT, MPI_MAX, MPI_COMM_WORLD);
  MPI_Finalize();
  if (any[0]) return 1;
  return any[1] || tests.test_to_run_count() == 0 ? 0 : 77;
}
