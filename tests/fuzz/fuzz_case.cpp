// SPDX-License-Identifier: Apache-2.0
// The case file; what follows a NUL byte is given as --set.
#include "case/case_file.hpp"
#include "fuzz.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace agwave;
  const std::string all(reinterpret_cast<const char*>(data), size);
  const auto cut = all.find('\0');
  std::vector<std::string> overrides;
  if (cut != std::string::npos) overrides.push_back(all.substr(cut + 1));
  fuzz::refuse_or_take([&] { parse_case("case.yaml", all.substr(0, cut), overrides); });
  return 0;
}
