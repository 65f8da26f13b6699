// SPDX-License-Identifier: Apache-2.0
// A directory that all ranks of a test write to, which goes away with it.
#pragma once
#include <unistd.h>

#include <filesystem>

#include "../read_dataset.hpp"
#include "harness.hpp"

namespace agwave::cases {

class RunDirectory : public ::testing::Test {
 protected:
  void SetUp() override {
    std::string pattern = (std::filesystem::temp_directory_path() / "agwave-run-XXXXXX").string();
    const bool made = !world().root() || ::mkdtemp(pattern.data()) != nullptr;
    ASSERT_TRUE(made);
    directory_ = world().broadcast(pattern);
  }
  void TearDown() override {
    world().barrier();
    if (world().root()) std::filesystem::remove_all(directory_);
  }
  std::string path(const std::string& name) const { return (directory_ / name).string(); }
  std::vector<double> read(const std::string& file, const std::string& name) const { return read_dataset(path(file), name); }  // rank 0

  std::filesystem::path directory_;
};

}  // namespace agwave::cases
