// SPDX-License-Identifier: Apache-2.0
// agwave prepare
#include <cstdio>

#include "commands/commands.hpp"
#include "io/inputs.hpp"

namespace agwave {

void prepare_command(const CommonOptions& options, const std::string& path, const Comm& comm) {
  const Case c = load_case(options, comm);
  comm.agree([&] {
    if (comm.root()) write_prepared(c, path);
  });
  if (comm.root() && !options.quiet) std::printf("wrote %s; use it with  --set 'domain.bathymetry={type: prepared, file: %s}'\n", path.c_str(), path.c_str());
}

}  // namespace agwave
