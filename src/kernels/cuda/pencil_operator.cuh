// SPDX-License-Identifier: Apache-2.0
// The operator around a pencil kernel: launches over the boxes of a part, stored metric if the variant has one.
#pragma once
#include <algorithm>

#include "kernels/boxes.hpp"
#include "kernels/cuda/kernel_attributes.cuh"
#include "kernels/cuda/pencil_march.cuh"
#include "kernels/cuda/register_cuda.cuh"

namespace agwave::cuda_kernels {

template <int Q, int Stored>
__global__ void __launch_bounds__(128) store_metric_kernel(ElementView v, double* qdata) {
  constexpr int Q3 = Q * Q * Q;
  const std::int64_t n = blockIdx.x * std::int64_t{128} + threadIdx.x;
  if (n >= v.count() * Q3) return;
  const std::int64_t e = n / Q3;
  const int q = static_cast<int>(n % Q3);
  const auto [ex, ey, ez] = v.locate(e);
  const Rule<Q> rule = gauss_rule<Q>();
  const Metric m = v.point(ex, ey, ez, q, rule.x, rule.w);
  if constexpr (Stored == 1) {
    qdata[n] = m.xx / v.ay[ey];  // w h ds
  } else {
    double* d = qdata + e * 5 * Q3 + q;
    d[0 * Q3] = m.xx;
    d[1 * Q3] = m.xz;
    d[2 * Q3] = m.yy;
    d[3 * Q3] = m.yz;
    d[4 * Q3] = m.zz;
  }
}

// Flops count both blocks of one element as the sum-factorised algorithm defines them (not what the symmetry saves).
template <int Q>
double pencil_flops() {
  const double Q2 = Q * Q, Q3 = Q2 * Q;
  const double z = 2 * 25 * 5 * Q, y = 3 * 5 * Q * 5 * Q, x = 3 * Q2 * 5 * Q, velocity = Q == 4 ? 0 : 3 * (16 * 4 * Q + 4 * Q * 4 * Q + Q2 * 4 * Q);
  return 2 * (2 * (z + y + x + velocity) + 2 * 5 * Q3);
}

// Stored: doubles per point in qdata; D (5), the scale factor w h ds (1), or nothing.
template <int Q, class Launch, int Stored>
class PencilOperator final : public Operator {
 public:
  PencilOperator(const Mesh& mesh, const Spaces& spaces, Cuda& cuda)
      : elements_(spaces.elements()), nodes_(spaces.nodes()), cuda_(cuda), trilinear_(mesh.order == 1) {
    for (int part = 0; part < 3; ++part) boxes_[part] = part_boxes(mesh, static_cast<Part>(part));
    Launch::prepare();
    if constexpr (Stored > 0) {
      const std::int64_t points = elements_.count() * Q * Q * Q;
      qdata_ = Array<double>(Space::device, static_cast<std::size_t>(Stored * points));
      store_metric_kernel<Q, Stored><<<static_cast<unsigned>((points + 127) / 128), 128, 0, cuda_.stream()>>>(elements_, qdata_.data());
      AGWAVE_CUDA_CALL(cudaGetLastError());
    }
  }

  void apply(const double* p, const double* u, double* g, double* r, Part part) override {
    for (const ElementBox& box : boxes_[static_cast<int>(part)]) {
      const int nx = box.high[0] - box.low[0], ny = box.high[1] - box.low[1], nz = box.high[2] - box.low[2];
      const std::int64_t columns = static_cast<std::int64_t>((nx + 1) / 2) * ny;
      // Long chunks save the levels between them; short ones keep every multiprocessor in work on small meshes.
      const std::int64_t wanted = std::int64_t{processors_} * 64;
      const int chunks = static_cast<int>(std::clamp<std::int64_t>((wanted + columns - 1) / columns, (nz + 31) / 32, nz));
      const int chunk = (nz + chunks - 1) / chunks;
      const PencilArgs args{elements_, nodes_.NX, nodes_.NY, box.low[0],    box.high[0], box.low[1], box.high[1], box.low[2], box.high[2],
                            chunk,     p,         u,         qdata_.data(), nodes_.h,    trilinear_, g,           r};
      const std::int64_t warps = columns * ((nz + chunk - 1) / chunk);
      Launch::run(args, static_cast<unsigned>((warps + March::warps - 1) / March::warps), cuda_.stream());
    }
  }

  // Each kernel reads or writes what it must once: u, g, qdata (once per kernel that needs it), p, and r read and written.
  Cost cost() const override {
    const double n = static_cast<double>(elements_.count());
    return {n * pencil_flops<Q>(), n * 8 * (6 * L3D + 3 * 64 + Launch::kernels * Stored * Q * Q * Q)};
  }
  std::vector<KernelInfo> kernels() const override { return Launch::info(); }

 private:
  ElementView elements_;
  NodeView nodes_;
  Cuda& cuda_;
  bool trilinear_;
  int processors_ = device_attribute(cudaDevAttrMultiProcessorCount);
  std::vector<ElementBox> boxes_[3];
  Array<double> qdata_;  // [e][Stored][Q^3]
};

inline double stored_bytes(const Mesh& mesh, int q) { return 40.0 * q * q * q * static_cast<double>(mesh.NE()); }
inline double scale_bytes(const Mesh& mesh, int q) { return stored_bytes(mesh, q) / 5; }
inline double no_bytes(const Mesh&, int) { return 0; }

}  // namespace agwave::cuda_kernels
