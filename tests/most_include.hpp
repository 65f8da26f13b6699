// SPDX-License-Identifier: Apache-2.0
// What most tests include of libraries, compiled once for all of them (cmake/tests.cmake). A test includes what it uses all the same; headers of src are
// not here, as they would be part of every test.
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <filesystem>
#include <fstream>
#include <functional>
#include <memory>
#include <random>
#include <string>
#include <vector>
