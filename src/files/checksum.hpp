// SPDX-License-Identifier: Apache-2.0
// CRC-64/XZ (ECMA-182 polynomial, reflected; check value of "123456789": 995dc9bbdf1939fa): finds every burst of errors up to 64
// bits, and any others but one in 2^64. Eight bytes at a time by tables (Kounavis and Berry, "slicing by 8").
#pragma once
#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <span>
#include <string>

namespace agwave {

class Checksum {
 public:
  void add(const void* bytes, std::size_t count);
  std::uint64_t value() const { return ~crc_; }
  std::string hex() const;  // 16 digits

 private:
  std::uint64_t crc_ = ~std::uint64_t{0};
};

std::string checksum_of(const std::string& text);                                      // hex
std::string checksum_of_values(std::initializer_list<std::span<const double>> lists);  // likewise

}  // namespace agwave
