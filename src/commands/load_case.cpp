// SPDX-License-Identifier: Apache-2.0
// From the command line to a validated case.
#include "case/case_file.hpp"
#include "commands/commands.hpp"
#include "error/error.hpp"
#include "files/text_file.hpp"

namespace agwave {

Case load_case(const CommonOptions& options, const Comm& comm) {
  std::string source;
  comm.agree([&] {
    if (!comm.root()) return;
    if (const std::string why = read_text_file(options.case_file, source); !why.empty())
      throw Error(ExitCode::usage,
                  text(options.case_file, ": cannot be read as a case file (", why, "); give the path of a YAML file (examples: configs/)"));
  });
  source = comm.broadcast(std::move(source));
  Case c;
  comm.agree([&] {
    c = parse_case(options.case_file, source, options.overrides);
    if (!options.output.empty()) c.output.directory = options.output;
    if (!options.device.empty()) {
      c.solver.device = options.device;
      c.solver.device_mark = {"--device", 0, ""};
    }
    if (!options.variant.empty()) {
      c.solver.variant = options.variant;
      c.solver.variant_mark = {"--variant", 0, ""};
    }
  });
  return c;
}

}  // namespace agwave
