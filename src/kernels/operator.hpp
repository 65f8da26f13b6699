// SPDX-License-Identifier: Apache-2.0
// The two off-diagonal blocks of the wave operator on one rank, raw: no masses, no boundary terms, no exchange.
//   g_E = G p     g_(e,l) = (grad p, tau_l)_e = sum_q w det J (J^-T grad p)(x_q) psi_l(x_q)
//   r_L += G^T u  r_i     = (u, grad v_i)     = sum_e sum_q w det J (J^-1 u)(x_q) . grad phi_i(x_q)
// A variant of the kernels is one implementation of this interface.
#pragma once
#include <cstdint>
#include <string>
#include <vector>

#include "fem/spaces.hpp"

namespace agwave {

// Elements that touch nodes shared with other ranks come first, so that their exchange hides behind the interior.
enum class Part { all, shared, interior };

struct Cost {  // of one application to the whole rank; a fused multiply-add is two flops
  double flops = 0, bytes = 0;
  double int8 = 0;  // operations on 8-bit integers, a multiply-add two
};

struct KernelInfo {  // resources of one device kernel, for the benchmark's table
  std::string name;
  int threads = 0, registers = 0, shared_bytes = 0, local_bytes = 0, blocks_per_sm = 0;
};

class Operator {
 public:
  virtual ~Operator() = default;
  // p_L, r_L: node arrays; u_E, g_E: velocity arrays (shapes: fem/spaces.hpp), in the memory of the operator's device.
  // Writes g on the elements of `part` and adds to r; asynchronous on the operator's stream.
  virtual void apply(const double* p, const double* u, double* g, double* r, Part part) = 0;
  virtual Cost cost() const = 0;
  virtual std::vector<KernelInfo> kernels() const { return {}; }  // empty on the CPU
  virtual std::string plan() const { return ""; }                 // how it splits its work and where it has that from, of one that chooses
};

}  // namespace agwave
