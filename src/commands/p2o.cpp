// SPDX-License-Identifier: Apache-2.0
// agwave p2o
#include "run/p2o.hpp"

#include <cstdio>

#include "commands/commands.hpp"
#include "error/duration.hpp"

namespace agwave {

void p2o_command(const CommonOptions& options, bool restart, const std::optional<std::array<std::int64_t, 2>>& sensors, const Comm& comm) {
  const Case c = load_case(options, comm);
  P2o maps(c, comm, {.quiet = options.quiet, .restart = restart, .part = sensors});
  const P2oResult result = maps.run();
  if (!comm.root() || options.quiet) return;
  std::printf("%lld propagations in %s", static_cast<long long>(result.made), duration(result.seconds).c_str());
  if (result.made > 0) std::printf(", %.3g s each", result.propagation_seconds);
  if (!result.complete) {
    std::printf("; %lld maps of %lld are still to be made; with all of them there, `--restart` writes maps.h5\n",
                static_cast<long long>(result.missing), static_cast<long long>(result.sources));
    return;
  }
  if (result.reciprocity_error > 1e-3)
    std::fprintf(stderr,
                 "warning: the maps are not those of the model: %.2g of the largest value; try a smaller time.safety, or `local_steps: off`\n",
                 result.reciprocity_error);
  std::printf("\nmaps against a run of the model: the largest difference is %.2g of the largest value\nmaps in %s\n", result.reciprocity_error,
              c.output.directory.c_str());
}

}  // namespace agwave
