// SPDX-License-Identifier: Apache-2.0
// Reads and validates a YAML case file against the schema (interface contract: design of the case file).
// All errors are reported at once in one Error(usage), one per line as "file:line: key: message"; unknown keys are
// errors that name the nearest known key. Relative paths inside the case are made relative to the case file.
#pragma once
#include <string>
#include <vector>

#include "case/case.hpp"

namespace agwave {

// `source`: the case file's text (rank 0 reads it and broadcasts); `overrides`: "key.path=value" from --set, in order.
Case parse_case(const std::string& file, const std::string& source, const std::vector<std::string>& overrides);

// The case file and every file that it names.
std::vector<std::string> input_files(const Case& c);

}  // namespace agwave
