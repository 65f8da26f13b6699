// SPDX-License-Identifier: Apache-2.0
// What the sweeps of the CPU's two-sweep variant share with the code that calls them, whatever the instruction set.
#pragma once
#include <span>

#include "mesh/basis.hpp"
#include "timestep/two_sweep/layout.hpp"

namespace agwave::two_sweep {

// Points of a bar: [x][z][y][8 elements], so that a vector holds one point of neighbouring elements and one x is one stretch of memory.
struct CpuBar {
  static int place(int ex, int l) { return ((l % 4 * 4 + l / 16) * 4 + l / 4 % 4) * 8 + ex; }
  static constexpr const char* form = flux_form;
  static constexpr int beside(int) { return 0; }
  static double value(double stored, double, int) { return stored; }
  static double stored(double value, double, int) { return value; }
  static int element(int place) { return place % 8; }
  static int point(int place) {
    const int n = place / 8, lx = n / 16, lz = n / 4 % 4, ly = n % 4;
    return (lz * 4 + ly) * 4 + lx;
  }
};
using CpuPatches = PatchGrid<8, 4, CpuBar, false>;
using CpuSinglePatches = PatchGrid<16, 4, CpuBar, false, float>;  // twice as many elements in the same bytes; they keep no flux, whose order Bar is

// Geometry of a bar at its columns' points, [x][y][factor][element]; zero beyond the mesh. With w = w_x w_y:
//   0: 2 w h ay/ax   1: 2 w h ax/ay   2: 2 w ax ay / h   3: h_xi / h   4: h_eta / h
inline constexpr int factors = 5;

// One patch and chunk of one sweep.
using Sweep = void (*)(const SweepArgs<CpuPatches>&, const double* geometry, int patch, int chunk);
struct InstructionSet {
  const char* name;
  int lanes;  // doubles per vector
  bool (*runs_here)();
  Sweep sweep_a, sweep_b;
  double (*multiply_adds)(std::int64_t rounds);  // for the benchmark: `chains` independent vectors, one fused multiply-add each a round
};
inline constexpr int chains = 12;
std::span<const InstructionSet> instruction_sets();  // compiled in, widest first

// The contraction of a fibre in parts that are even and odd about the element's middle. Gauss points x_0, x_1 and their mirror images
// x_3 = -x_0, x_2 = -x_1; nodal values v_0..v_4 in e0 = v0 + v4, e1 = v1 + v3, v2, o0 = v0 - v4, o1 = v1 - v3:
//   E_q = even[q].(e0, e1, v2)   O_q = odd[q].(o0, o1)   so that the values are  f(x_q) = E_q + O_q,  f(x_3-q) = E_q - O_q
//   C   = even[2].(e0, e1, v2)   what a cubic through the four values leaves out: times (x^2 - x_0^2)(x^2 - x_1^2) / (x_1^2 - x_0^2)^2
// From these five the derivatives follow with nine operations, where the tables B and dB would need twenty products:
//   O'_0 = kappa[0] (E_1 - E_0 - C)   O'_1 = kappa[1] (E_1 - E_0 + C)   E'_q = slope[q].(O_0, O_1)
struct FibreTables {
  double even[3][3]{}, odd[2][2]{}, kappa[2]{}, slope[2][2]{};
  double x[2]{}, w[2]{};  // of the Gauss rule
  constexpr FibreTables() {
    constexpr Basis<4> t{};
    constexpr auto nodes = gll_rule();
    for (int q = 0; q < 2; ++q) {
      x[q] = t.rule.x[q];
      w[q] = t.rule.w[q];
      for (int i = 0; i < 2; ++i) {
        even[q][i] = 0.5 * (t.B[q][i] + t.B[q][4 - i]);
        odd[q][i] = 0.5 * (t.B[q][i] - t.B[q][4 - i]);
      }
      even[q][2] = t.B[q][2];
    }
    const double span = x[1] * x[1] - x[0] * x[0];
    for (int i = 0; i < 3; ++i) {
      double leading = span * span;  // the coefficient of x^4 in the basis function of node i is the product of these
      for (int m = 0; m < 5; ++m)
        if (m != i) leading /= nodes.x[i] - nodes.x[m];
      even[2][i] = leading;
    }
    for (int q = 0; q < 2; ++q) {
      kappa[q] = 2 * x[q] / span;
      const double bend = 2 * x[q] * x[q] / span;
      slope[q][0] = ((q == 0 ? 1 : 0) - bend) / x[0];
      slope[q][1] = ((q == 1 ? 1 : 0) + bend) / x[1];
    }
  }
};
inline constexpr FibreTables fibre{};

}  // namespace agwave::two_sweep
