// SPDX-License-Identifier: Apache-2.0
// Checks one value of the case file (or one field of a CSV file) against its schema row and says what is wrong with
// it, recognising the mistakes people make: km for m, g/cm3 for kg/m3, depths pointing up, lon and lat swapped, quoted
// numbers, units written after the number. A wrong value is reported and returned as NaN, so that later comparisons
// with it are false and report nothing more.
#pragma once
#include <string>

#include "case/findings.hpp"
#include "case/schema.hpp"
#include "case/yaml_tree.hpp"

namespace agwave {

std::string describe(const Tree& value);  // "a list of 3", "'abc'", "1.5", "nothing"

// Number and integer rows, and each entry of numbers and integers rows.
double check_number(Findings& findings, const Row& row, const Tree& value, const Mark& mark, ExitCode code = ExitCode::usage);
// Text and choice rows; "" when wrong.
std::string check_text(Findings& findings, const Row& row, const Tree& value, const Mark& mark);

}  // namespace agwave
