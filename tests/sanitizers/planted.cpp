// SPDX-License-Identifier: Apache-2.0
// A fault of the kind named on the command line: the sanitizer of this build must report it, or the build has none.
#include <cstdlib>
#include <limits>
#include <string>
#include <thread>
#include <vector>

int main(int count, char** names) {
  const std::string kind = count > 1 ? names[1] : "";
  if (kind == "address") {
    std::vector<int> values(4);
    const int* data = values.data();
    return data[3 + count];
  }
  if (kind == "undefined") return std::numeric_limits<int>::max() + count == 0;
  if (kind == "thread") {
    int shared = 0;
    std::thread other([&] { ++shared; });
    ++shared;
    other.join();
    return shared == 0;
  }
  return 2;
}
