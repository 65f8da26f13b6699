// SPDX-License-Identifier: Apache-2.0
// Variant `dense-gemm` on a CPU: both blocks by the products of a BLAS (kernels/dense_gemm.hpp). CBLAS has no batches, so a batch is a loop.
#if AGWAVE_BLAS
#include "kernels/dense_gemm.hpp"

#include <cblas.h>

#include "kernels/cpu/register_cpu.hpp"

namespace agwave {
namespace {

using namespace dense_gemm;

class Blas {
 public:
  explicit Blas(Cpu&) {}
  static std::string device() { return "cpu"; }
  static GemmPlan default_plan() { return {256, 1, "the built-in default"}; }  // 640 KiB: the second-level cache of most cores
  static const char* note() { return ""; }

  void multiply(bool transposed, const double* a, const double* in, double* out, const GemmPlan& plan, std::int64_t columns) const {
    const int rows = transposed ? node_rows : value_rows, inner = transposed ? value_rows : node_rows;
    const auto product = [&](std::int64_t first, std::int64_t count) {
      cblas_dgemm(CblasColMajor, transposed ? CblasTrans : CblasNoTrans, CblasNoTrans, rows, static_cast<int>(count), inner, 1.0, a, value_rows,
                  in + first * inner, inner, 0.0, out + first * rows, rows);
    };
    split(plan, columns, product, [&](std::int64_t first, int products) {
      for (int n = 0; n < products; ++n) product(first + n * plan.merged, plan.merged);
    });
  }
  template <class F>
  void scatter(std::int64_t n, const F& f) const {  // one after the other: neighbours share nodes
    for (std::int64_t i = 0; i < n; ++i) f(i);
  }
};

using CpuGemm = DenseGemm<Cpu, Blas>;
template <int>
using OnVelocityNodes = CpuGemm;

std::vector<TuningRow> tune(const SpacesSetup& setup, const TimingPlan& timing) {
  return time_plans<Cpu, CpuClock, CpuGemm>(setup, timing, plans_to_try(setup.mesh.NE(), 16, 4096, setup.mesh.NE()));
}

OperatorVariant variant() {
  OperatorVariant v =
      cpu_operator<OnVelocityNodes>("dense-gemm", "gradient and divergence as products with one dense matrix by BLAS", 0, bytes_of<Blas>);
  v.quadratures = {4};
  v.tune = tune;
  return v;
}

const RegisterOperator registered(variant());

}  // namespace
}  // namespace agwave
#endif
