// SPDX-License-Identifier: Apache-2.0
// agwave prepare
#include <cstdio>
#include <filesystem>

#include "commands/commands.hpp"
#include "source/prepared.hpp"

namespace agwave {

void prepare_command(const CommonOptions& options, const std::string& path, const Comm& comm) {
  const Case c = load_case(options, comm);
  comm.agree([&] {
    if (comm.root()) write_prepared(c, path);
  });
  if (!comm.root() || options.quiet) return;
  const std::string whole = std::filesystem::absolute(path).lexically_normal().string();  // a relative one would count from the case file
  std::printf("wrote %s; use it with  --set 'domain.bathymetry={type: prepared, file: \"%s\"}'\n", path.c_str(), whole.c_str());
}

}  // namespace agwave
