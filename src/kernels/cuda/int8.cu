// SPDX-License-Identifier: Apache-2.0
// Variant `int8`: both blocks by exact products of 8-bit slices on INT8 tensor cores, in one kernel (int8.cuh). Seven slices are as good as FP64;
// AGWAVE_INT8_SLICES takes another number of them, at the accuracy that kernels/slices.hpp states.
#include <cstdlib>

#include "error/error.hpp"
#include "kernels/boxes.hpp"
#include "kernels/cuda/int8.cuh"
#include "kernels/cuda/kernel_attributes.cuh"
#include "kernels/cuda/register_cuda.cuh"

namespace agwave {
namespace {

using namespace cuda_kernels;

constexpr int default_slices = 7;
constexpr const char* slices_variable = "AGWAVE_INT8_SLICES";

// 0 for what is no number of slices.
int slices_asked() {
  const char* const value = std::getenv(slices_variable);
  if (!value || !*value) return default_slices;
  const int slices = value[1] == '\0' ? value[0] - '0' : 0;
  return slices >= least_slices && slices <= most_slices ? slices : 0;
}

template <int S>
struct Int8Kernel {
  static Array<ImmaA> table() { return Array<ImmaA>(Space::device, int8_table<S>()); }
  static void run(const Int8Args& args, unsigned blocks, cudaStream_t stream) {
    int8_kernel<S><<<blocks, Int8Launch::threads, 0, stream>>>(args);
    AGWAVE_CUDA_CALL(cudaGetLastError());
  }
  static KernelInfo info() { return kernel_info(text("both blocks, ", S, " slices"), int8_kernel<S>, Int8Launch::threads, 0); }
};

template <int S = least_slices, class F>
auto with_slices(int slices, F&& f) {  // f(Int8Kernel<slices>())
  if (slices == S) return f(Int8Kernel<S>());
  if constexpr (S < most_slices)
    return with_slices<S + 1>(slices, f);
  else
    throw Error(ExitCode::usage, text(slices_variable, ": '", std::getenv(slices_variable), "' is no number of slices; allowed are ", least_slices,
                                      " to ", most_slices, ", without it there are ", default_slices));
}

class Int8 final : public Operator {
 public:
  Int8(const Mesh& mesh, const Spaces& spaces, Cuda& cuda)
      : elements_(spaces.elements()),
        nodes_(spaces.nodes()),
        cuda_(cuda),
        slices_(slices_asked()),
        table_(with_slices(slices_, [](auto kernel) { return kernel.table(); })) {
    for (int part = 0; part < 3; ++part) boxes_[part] = part_boxes(mesh, static_cast<Part>(part));
  }

  void apply(const double* p, const double* u, double* g, double* r, Part part) override {
    constexpr int block = Int8Launch::warps * Int8Shape::group;  // elements
    for (const ElementBox& box : boxes_[static_cast<int>(part)]) {
      const int nx = box.high[0] - box.low[0], ny = box.high[1] - box.low[1], nz = box.high[2] - box.low[2];
      const std::int64_t count = static_cast<std::int64_t>(nx) * ny * nz;
      const Int8Args args{elements_, nodes_.NX,     nodes_.NY,        box.low[0], box.low[1], box.low[2], nx, ny,
                          count,     table_.data(), matrix_exponent_, p,          u,          g,          r};
      with_slices(slices_, [&](auto kernel) { kernel.run(args, static_cast<unsigned>((count + block - 1) / block), cuda_.stream()); });
    }
  }

  // Per element: u, g and p once, r read and written; in FP64 the scaling of what is sliced, D, and of each result S conversions, S - 1
  // multiply-adds and the unit.
  Cost cost() const override {
    const double n = static_cast<double>(elements_.count()), S = slices_;
    constexpr int values = Int8Shape::value_places, nodes = Int8Shape::node_places;
    const double flops = values + nodes + 2 * 2 * 5 * L3D + (values + nodes) * (S + 2 * (S - 1) + 1);
    return {n * flops, n * 8 * (6 * L3D + 3 * 64), n * 2 * 2 * values * nodes * S * (S + 1) / 2};
  }
  std::vector<KernelInfo> kernels() const override {
    return {with_slices(slices_, [](auto kernel) { return kernel.info(); })};
  }

 private:
  ElementView elements_;
  NodeView nodes_;
  Cuda& cuda_;
  int slices_;
  Array<ImmaA> table_;
  int matrix_exponent_ = matrix_exponent();
  std::vector<ElementBox> boxes_[3];
};

template <int>
using OnVelocityNodes = Int8;

OperatorVariant variant() {
  OperatorVariant v = cuda_operator<OnVelocityNodes>(
      "int8", "dense gradient by exact products of 8-bit slices on INT8 tensor cores, both blocks in one kernel", 0, Imma::compute_capability,
      [](const Mesh&, int) { return static_cast<double>(2 * Int8Shape::fragments * 32 * sizeof(ImmaA)) * most_slices; });
  v.quadratures = {4};
  v.accuracy = std::max(v.accuracy, slices_error(slices_asked() > 0 ? slices_asked() : default_slices));
  return v;
}

const RegisterOperator registered(variant());

}  // namespace
}  // namespace agwave
