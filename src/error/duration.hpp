// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cmath>
#include <cstdio>
#include <string>

namespace agwave {

// A duration [s] as people say it, with two units at most: "0.25 s", "48 s", "3 min 20 s", "5 h 7 min", "22 days 5 h". Files have seconds.
inline std::string duration(double seconds) {
  char line[64];
  const auto in = [&](double major, const char* unit, double minor, const char* small) {
    const double count = std::round(seconds / minor), per = major / minor, whole = std::floor(count / per), rest = count - whole * per;
    if (rest > 0)
      std::snprintf(line, sizeof line, "%.0f %s %.0f %s", whole, unit, rest, small);
    else
      std::snprintf(line, sizeof line, "%.0f %s", whole, unit);
    return std::string(line);
  };
  constexpr double minute = 60, hour = 60 * minute, day = 24 * hour;
  if (seconds >= day - hour / 2) return in(day, seconds >= 2 * day - hour / 2 ? "days" : "day", hour, "h");
  if (seconds >= hour - minute / 2) return in(hour, "h", minute, "min");
  if (seconds >= 2 * minute - 0.5) return in(minute, "min", 1, "s");
  std::snprintf(line, sizeof line, "%.3g s", seconds);
  return line;
}

}  // namespace agwave
