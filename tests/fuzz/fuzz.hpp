// SPDX-License-Identifier: Apache-2.0
// What the libFuzzer targets share. Any input may be refused with an Error; nothing else may happen: no other exception, no report of a
// sanitizer, no hang (scripts/fuzz.sh).
#pragma once
#include <unistd.h>

#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <string>

#include "error/error.hpp"

namespace agwave::fuzz {

template <class Part>
void refuse_or_take(Part&& part) {
  try {
    part();
  } catch (const Error&) {
  }
}

// The input as a file of this process, for readers that open one themselves.
inline std::string as_file(const std::uint8_t* data, std::size_t size, const char* extension) {
  static const std::string folder = std::getenv("TMPDIR") ? std::getenv("TMPDIR") : "/tmp";
  const std::string path = folder + "/agwave-fuzz-" + std::to_string(::getpid()) + extension;
  std::FILE* file = std::fopen(path.c_str(), "wb");
  if (file == nullptr || std::fwrite(data, 1, size, file) != size || std::fclose(file) != 0) std::abort();
  return path;
}

}  // namespace agwave::fuzz

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size);
