// SPDX-License-Identifier: Apache-2.0
// cuBLAS, opened at run time: a binary starts where there is none, and says so where it is asked for. Built against its header alone.
#pragma once
#include <cstdint>
#include <string>

struct cublasContext;  // of cublas_v2.h

namespace agwave {

struct MatrixProduct {  // C = op(A) B, columns contiguous: op(A) rows x inner, B inner x columns
  bool transposed;      // op
  int rows, inner;
  int a_column;  // from one column of A to the next
  const double* a;
};

class Cublas {
 public:
  // Largest relative error of a product by integers on random data, where AGWAVE_FP64_EMULATION asks for such; else 0.
  static double emulation_error();
  static std::string why_absent();  // empty when it can be used

  explicit Cublas(void* cuda_stream);  // throws Error(device)
  ~Cublas();
  Cublas(const Cublas&) = delete;
  Cublas& operator=(const Cublas&) = delete;

  void multiply(const MatrixProduct& product, const double* b, double* c, std::int64_t columns) const;
  // `products` of them with so many columns each, one after the other in memory.
  void multiply_batch(const MatrixProduct& product, const double* b, double* c, std::int64_t columns, int products) const;
  std::string note() const;  // of how it multiplies, for the benchmark; empty as a rule

 private:
  cublasContext* handle_ = nullptr;
  int bits_ = 0;  // of the mantissa, of products by integers
};

}  // namespace agwave
