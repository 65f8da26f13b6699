// SPDX-License-Identifier: Apache-2.0
// Variant `dense-gemm` on a GPU: both blocks by the products of cuBLAS (kernels/dense_gemm.hpp, where the operator and its arrays are stated): one large product
// or a strided batch of them, as the table of `agwave bench --tune` says. The kernels around them are element-wise and spend what a copy spends. The sums of
// shared nodes are atomic.
#if AGWAVE_CUBLAS
#include "device/cublas.hpp"
#include "kernels/cuda/register_cuda.cuh"
#include "kernels/dense_gemm.hpp"

namespace agwave {
namespace {

using namespace dense_gemm;

class Library {
 public:
  explicit Library(Cuda& cuda) : cuda_(cuda), cublas_(cuda.stream()) {}
  // Empty where there is none: memory is predicted on machines without a GPU too, by the default plan.
  static std::string device() {
    int id = 0;
    cudaDeviceProp properties{};
    if (cudaGetDevice(&id) == cudaSuccess && cudaGetDeviceProperties(&properties, id) == cudaSuccess) return properties.name;
    static_cast<void>(cudaGetLastError());
    return "";
  }
  static GemmPlan default_plan() { return {8192, 1, "the built-in default"}; }  // 20 MiB: half of the second-level cache of an A100 or H100
  std::string note() const { return cublas_.note(); }

  void multiply(bool transposed, const double* a, const double* in, double* out, const GemmPlan& plan, std::int64_t columns) const {
    const int rows = transposed ? node_rows : value_rows, inner = transposed ? value_rows : node_rows;
    const MatrixProduct product{transposed, rows, inner, value_rows, a};
    static_cast<void>(cuda_.stream());  // on which cuBLAS queues
    split(
        plan, columns, [&](std::int64_t first, std::int64_t count) { cublas_.multiply(product, in + first * inner, out + first * rows, count); },
        [&](std::int64_t first, int products) { cublas_.multiply_batch(product, in + first * inner, out + first * rows, plan.merged, products); });
  }
  template <class F>
  void scatter(std::int64_t n, const F& f) const {
    cuda_.for_each(n, f);
  }

 private:
  Cuda& cuda_;
  Cublas cublas_;
};

using CudaGemm = DenseGemm<Cuda, Library>;
template <int>
using OnVelocityNodes = CudaGemm;

std::vector<TuningRow> tune(const SpacesSetup& setup, const TimingPlan& timing) {
  return time_plans<Cuda, CudaClock, CudaGemm>(setup, timing, plans_to_try(setup.mesh.NE(), 64, 262144, 512));
}

OperatorVariant variant() {
  OperatorVariant v =
      cuda_operator<OnVelocityNodes>("dense-gemm", "gradient and divergence as products with one dense matrix by cuBLAS", 0, 80, bytes_of<Library>);
  v.quadratures = {4};
  v.tensor_cores = true;  // what cuBLAS multiplies on where there are
  v.why_not = Cublas::why_absent;
  v.accuracy = std::max(v.accuracy, Cublas::emulation_error());
  v.tune = tune;
  return v;
}

const RegisterOperator registered(variant());

}  // namespace
}  // namespace agwave
#endif
