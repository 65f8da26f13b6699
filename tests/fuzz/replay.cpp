// SPDX-License-Identifier: Apache-2.0
// A fuzz target without libFuzzer: feeds it with every file below the folders that are given. So every build compiles the targets and
// reads what took a path of its own once (unit.corpus_<reader>). Of a run that breaks, the last line tells which input it was.
#include <algorithm>
#include <filesystem>
#include <iostream>
#include <vector>

#include "files/text_file.hpp"
#include "fuzz.hpp"

int main(int argc, char** argv) {
  std::vector<std::string> paths;
  for (int n = 1; n < argc; ++n)
    for (const auto& entry : std::filesystem::recursive_directory_iterator(argv[n]))
      if (entry.is_regular_file()) paths.push_back(entry.path());
  std::sort(paths.begin(), paths.end());
  for (const std::string& path : paths) {
    std::cout << path << std::endl;
    std::string input;
    if (const std::string why = agwave::read_text_file(path, input); !why.empty()) {
      std::cout << why << std::endl;
      return 1;
    }
    LLVMFuzzerTestOneInput(reinterpret_cast<const std::uint8_t*>(input.data()), input.size());
  }
  std::cout << paths.size() << " inputs\n";
  return paths.empty() ? 1 : 0;
}
