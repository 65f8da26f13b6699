// SPDX-License-Identifier: Apache-2.0
// table[k][b]: what byte b does to the remainder when k zero bytes follow it.
#include "files/checksum.hpp"

#include <array>
#include <bit>
#include <cstdio>
#include <cstring>

namespace agwave {
namespace {

static_assert(std::endian::native == std::endian::little, "eight bytes are read as one little-endian word");

using Tables = std::array<std::array<std::uint64_t, 256>, 8>;

constexpr Tables make_tables() {
  constexpr std::uint64_t polynomial = 0xC96C5795D7870F42;  // reflected
  Tables t{};
  for (std::uint64_t b = 0; b < 256; ++b) {
    std::uint64_t crc = b;
    for (int bit = 0; bit < 8; ++bit) crc = crc & 1 ? crc >> 1 ^ polynomial : crc >> 1;
    t[0][b] = crc;
  }
  for (std::size_t k = 1; k < 8; ++k)
    for (std::size_t b = 0; b < 256; ++b) t[k][b] = t[k - 1][b] >> 8 ^ t[0][t[k - 1][b] & 0xFF];
  return t;
}
constexpr Tables table = make_tables();

}  // namespace

void Checksum::add(const void* bytes, std::size_t count) {
  const auto* at = static_cast<const unsigned char*>(bytes);
  for (; count >= 8; at += 8, count -= 8) {
    std::uint64_t word;
    std::memcpy(&word, at, 8);
    word ^= crc_;
    crc_ = 0;
    for (int k = 0; k < 8; ++k) crc_ ^= table[7 - k][word >> 8 * k & 0xFF];
  }
  for (; count > 0; ++at, --count) crc_ = crc_ >> 8 ^ table[0][(crc_ ^ *at) & 0xFF];
}

std::string Checksum::hex() const {
  char digits[17];
  std::snprintf(digits, sizeof digits, "%016llx", static_cast<unsigned long long>(value()));
  return digits;
}

std::string checksum_of(const std::string& text) {
  Checksum sum;
  sum.add(text.data(), text.size());
  return sum.hex();
}

std::string checksum_of_values(std::initializer_list<std::span<const double>> lists) {
  Checksum sum;
  for (const auto list : lists) sum.add(list.data(), list.size_bytes());
  return sum.hex();
}

}  // namespace agwave
