// SPDX-License-Identifier: Apache-2.0
// The table of `agwave bench --tune`: what is kept is read again, by the nearest size; other devices keep theirs; what is no table is refused.
#include <gtest/gtest.h>

#include <cstdlib>
#include <fstream>

#include "expect_error.hpp"
#include "files/tuning.hpp"
#include "temp_dir.hpp"

namespace agwave {
namespace {

class Tuning : public testing::Test {
 protected:
  void SetUp() override { setenv(tuning_variable, path_.c_str(), 1); }
  void TearDown() override { unsetenv(tuning_variable); }
  TempDir directory_;
  std::string path_ = directory_ / "kept/tuning.json";
  const GemmPlan otherwise_{77, 3, "the default"};
};

TEST_F(Tuning, NearestSizeAndFastestPlanCount) {
  EXPECT_EQ(tuned_plan("dense-gemm", "cpu", 1000, otherwise_).merged, 77);  // no file yet
  EXPECT_EQ(write_tuning("dense-gemm", "cpu",
                         {{1000, {16, 4, ""}, 2e-3}, {1000, {64, 1, ""}, 1e-3}, {1000, {256, 1, ""}, 3e-3}, {64000, {1024, 2, ""}, 1e-1}}),
            path_);
  write_tuning("dense-gemm", "a GPU", {{1000, {8192, 1, ""}, 1e-5}});
  for (const std::int64_t elements : {1, 1000, 7000}) {
    const GemmPlan plan = tuned_plan("dense-gemm", "cpu", elements, otherwise_);
    EXPECT_EQ(plan.merged, 64);
    EXPECT_EQ(plan.batch, 1);
    EXPECT_EQ(plan.from, path_);
  }
  EXPECT_EQ(tuned_plan("dense-gemm", "cpu", 9000, otherwise_).merged, 1024);  // nearer by ratio
  EXPECT_EQ(tuned_plan("dense-gemm", "cpu", 9000, otherwise_).chunk(), 2048);
  EXPECT_EQ(tuned_plan("dense-gemm", "a GPU", 9000, otherwise_).merged, 8192);
  EXPECT_EQ(tuned_plan("dense-gemm", "another GPU", 9000, otherwise_).batch, 3);
  EXPECT_EQ(tuned_plan("another", "cpu", 9000, otherwise_).batch, 3);
}

TEST_F(Tuning, WhatIsNoTableIsRefused) {
  std::filesystem::create_directories(directory_.path / "kept");
  for (const char* content : {"[1, 2]", "{", R"({"dense-gemm": {"cpu": {"rows": [{"elements": 10}]}}})", R"({"dense-gemm": {"cpu": 3}})",
                              R"({"dense-gemm": {"cpu": {"rows": [{"elements": 10, "merged": 0, "batch": 1, "seconds": 1}]}}})"}) {
    std::ofstream(path_) << content;
    expect_words(message_of(ExitCode::input, [&] { tuned_plan("dense-gemm", "cpu", 1000, otherwise_); }), {path_, "agwave bench --tune"});
  }
}

}  // namespace
}  // namespace agwave
