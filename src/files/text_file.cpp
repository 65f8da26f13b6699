// SPDX-License-Identifier: Apache-2.0
#include "files/text_file.hpp"

#include <algorithm>
#include <cerrno>
#include <charconv>
#include <cstdio>
#include <cstring>
#include <filesystem>
#include <memory>

namespace agwave {
namespace {
constexpr std::size_t most_of_a_stream = 64u << 20;  // of a pipe or a device, which may have no end
}  // namespace

std::string read_text_file(const std::string& path, std::string& content) {
  content.clear();
  const std::unique_ptr<std::FILE, int (*)(std::FILE*)> file(std::fopen(path.c_str(), "rb"), std::fclose);
  if (!file) return std::strerror(errno);
  std::error_code ignored;
  const bool finite = std::filesystem::is_regular_file(path, ignored);
  char block[1 << 16];
  std::size_t size = 0;
  do {
    size = std::fread(block, 1, sizeof block, file.get());
    content.append(block, size);
    if (!finite && content.size() > most_of_a_stream) return text("it is no file, and does not end within ", most_of_a_stream >> 20, " MB");
  } while (size == sizeof block);
  if (!std::ferror(file.get())) return "";
  return errno == EISDIR ? "it is a directory" : std::strerror(errno);
}

bool begins_as_text(const std::string& path) {
  std::error_code ignored;
  if (!std::filesystem::is_regular_file(path, ignored)) return false;
  const std::unique_ptr<std::FILE, int (*)(std::FILE*)> file(std::fopen(path.c_str(), "rb"), std::fclose);
  unsigned char begin[64];
  const std::size_t size = file ? std::fread(begin, 1, sizeof begin, file.get()) : 0;
  return size > 0 && std::all_of(begin, begin + size, [](unsigned char c) { return c >= ' ' || c == '\t' || c == '\n' || c == '\r'; });
}

std::optional<double> parse_number(std::string_view word) {
  if (word.starts_with('+')) word.remove_prefix(1);
  double value = 0;
  const auto [end, error] = std::from_chars(word.data(), word.data() + word.size(), value);
  if (error == std::errc{} && end == word.data() + word.size()) return value;
  const std::size_t d = word.find_first_of("dD");  // Fortran's 1.5D+03
  if (d == std::string_view::npos || d == 0 || error != std::errc{}) return std::nullopt;
  std::string changed(word);
  changed[d] = 'e';
  return changed.find_first_of("dD") == std::string::npos ? parse_number(changed) : std::nullopt;
}

std::string lower(std::string_view word) {
  std::string result(word);
  for (char& c : result) c = c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
  return result;
}

std::string trimmed(const std::string& word) {
  const std::size_t first = word.find_first_not_of(" \t");
  return first == std::string::npos ? "" : word.substr(first, word.find_last_not_of(" \t") - first + 1);
}

std::string padded(std::int64_t number, std::size_t digits) {
  const std::string plain = std::to_string(number);
  return std::string(digits - std::min(digits, plain.size()), '0') + plain;
}

}  // namespace agwave
