// SPDX-License-Identifier: Apache-2.0
// What most tests include, compiled once for all of them (cmake/tests.cmake). A test includes what it uses all the same.
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

#include "case/case_file.hpp"
#include "run/simulation.hpp"
#include "timestep/variants.hpp"
