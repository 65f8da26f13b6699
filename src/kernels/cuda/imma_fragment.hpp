// SPDX-License-Identifier: Apache-2.0
// Which entries of the operands of mma.sync.m16n8k32 (s8, row.col) a lane holds, C[16][8] += A[16][32] B[32][8]. With g = lane / 4 and j = lane % 4,
// four 8-bit entries to a register, the lowest byte first:
//   A  register h = 0..3, byte i:  row g + 8 (h % 2), column 4 j + i + 16 (h / 2)
//   B  register h = 0, 1, byte i:  row 4 j + i + 16 h, column g
//   C  register h = 0..3:          row g + 8 (h / 2), column 2 j + h % 2
#pragma once
#include <cstdint>

#include "device/host_device.hpp"

namespace agwave::cuda_kernels {

struct alignas(16) ImmaA {  // a lane's share of A, one load
  std::uint32_t r[4];
};

struct ImmaLane {
  int g, j;
  AGWAVE_HD explicit ImmaLane(int lane) : g(lane / 4), j(lane % 4) {}
  AGWAVE_HD int a_row(int h) const { return g + 8 * (h % 2); }
  AGWAVE_HD int a_column(int h, int i) const { return 4 * j + i + 16 * (h / 2); }
  AGWAVE_HD int b_row(int h, int i) const { return 4 * j + i + 16 * h; }
  AGWAVE_HD int b_column() const { return g; }
  AGWAVE_HD int c_row(int h) const { return g + 8 * (h / 2); }
  AGWAVE_HD int c_column(int h) const { return 2 * j + h % 2; }
};

}  // namespace agwave::cuda_kernels
