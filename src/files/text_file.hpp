// SPDX-License-Identifier: Apache-2.0
// Small text files of the user's, read as a whole, and the numbers in them.
#pragma once
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "error/error.hpp"

namespace agwave {

// Fills `content`; returns "" or the system's reason why the file cannot be read.
std::string read_text_file(const std::string& path, std::string& content);

// Whether a regular file holds nothing but printable characters at its beginning.
bool begins_as_text(const std::string& path);

// A word that is one decimal number, "inf" and "nan" included, with a sign or without; Fortran's D may stand for the E of an exponent.
std::optional<double> parse_number(std::string_view word);

// "a, b, c" of a list of what has `operator<<`.
template <class List>
std::string listed(const List& list, std::string_view separator = ", ") {
  std::string all;
  for (const auto& item : list) all += text(all.empty() ? "" : separator, item);
  return all;
}

std::string lower(std::string_view word);                     // A to Z alone
std::string trimmed(const std::string& word);                 // without blanks and tabs around it
std::string padded(std::int64_t number, std::size_t digits);  // with so many digits at least, zeros first

}  // namespace agwave
