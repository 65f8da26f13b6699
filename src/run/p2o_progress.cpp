// SPDX-License-Identifier: Apache-2.0
#include "run/p2o_progress.hpp"

#include <cmath>
#include <cstdio>
#include <nlohmann/json.hpp>

#include "error/duration.hpp"
#include "error/error.hpp"
#include "files/replace_file.hpp"

namespace agwave {

P2oProgress::P2oProgress(std::string json_path, std::int64_t sources, int groups, bool quiet, double seconds)
    : json_path_(std::move(json_path)), sources_(sources), groups_(groups), quiet_(quiet), seconds_(seconds) {}

void P2oProgress::show(double part, bool finished) {
  constexpr double plain_lines = 15;  // a log should not grow by a line every two seconds
  const double elapsed = last_ = since_.seconds(), done = part * static_cast<double>(sources_);
  const double left = part > 0 ? elapsed * (1 / part - 1) : NAN;
  using Json = nlohmann::ordered_json;
  const Json json{{"finished", finished},
                  {"maps", sources_},
                  {"done", std::floor(done * (1 + 1e-12))},
                  {"percent", 100 * part},
                  {"groups", groups_},
                  {"elapsed_s", elapsed},
                  {"eta_s", finished              ? Json(0.0)
                            : std::isfinite(left) ? Json(left)
                                                  : Json()}};
  try {
    if (!json_path_.empty()) replace_file(json_path_, json.dump(2) + "\n", false);
  } catch (const Error& error) {
    if (!warned_) std::fprintf(stderr, "warning: %s; the run goes on\n", error.what());
    warned_ = true;
  }
  if (quiet_ || finished || elapsed - last_line_ < plain_lines * seconds_) return;
  last_line_ = elapsed;
  std::printf("%5.1f %%  map %.0f of %lld  after %s, ETA %s\n", 100 * part, std::floor(done) + 1, static_cast<long long>(sources_),
              duration(elapsed).c_str(), std::isfinite(left) ? duration(left).c_str() : "--");
  std::fflush(stdout);
}

}  // namespace agwave
