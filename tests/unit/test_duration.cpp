// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include "error/duration.hpp"

namespace agwave {
namespace {

TEST(Duration, IsSaidInTheUnitsOfPeople) {
  EXPECT_EQ(duration(0), "0 s");
  EXPECT_EQ(duration(0.00325), "0.00325 s");
  EXPECT_EQ(duration(48), "48 s");
  EXPECT_EQ(duration(119.4), "119 s");
  EXPECT_EQ(duration(119.6), "2 min");
  EXPECT_EQ(duration(200), "3 min 20 s");
  EXPECT_EQ(duration(3569), "59 min 29 s");
  EXPECT_EQ(duration(3599.9), "1 h");
  EXPECT_EQ(duration(5 * 3600 + 7 * 60 + 29), "5 h 7 min");
  EXPECT_EQ(duration(86399), "1 day");
  EXPECT_EQ(duration(26 * 3600), "1 day 2 h");
  EXPECT_EQ(duration(1.92e6), "22 days 5 h");
}

}  // namespace
}  // namespace agwave
