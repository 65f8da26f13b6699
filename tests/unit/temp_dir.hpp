// SPDX-License-Identifier: Apache-2.0
// A directory for the files of one test, which goes away with it.
#pragma once
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <string>

namespace agwave {

struct TempDir {
  std::filesystem::path path;
  TempDir() : path(std::filesystem::temp_directory_path() / ("agwave_inputs_" + std::to_string(::getpid()) + "_" + std::to_string(count++))) {
    std::filesystem::create_directories(path);
  }
  ~TempDir() {
    std::error_code ignored;
    std::filesystem::remove_all(path, ignored);
  }
  std::string operator/(const std::string& name) const { return (path / name).string(); }
  void write(const std::string& name, const std::string& content) const { std::ofstream(path / name, std::ios::binary) << content; }
  static inline int count = 0;
};

}  // namespace agwave
