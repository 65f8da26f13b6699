// SPDX-License-Identifier: Apache-2.0
// agwave schema: the keys of the case file, from the rows that check it.
#include "case/schema.hpp"

#include <cstdio>

#include "commands/commands.hpp"

namespace agwave {

void schema_command(bool json, const Comm& comm) {
  if (comm.root()) std::fputs((json ? schema_json() : schema_reference()).c_str(), stdout);
}

}  // namespace agwave
