// SPDX-License-Identifier: Apache-2.0
// Stiffness `mf` on GPUs of any kind (CUDA cores, no bulk copies): the pencils of pencil.cuh with four points, of which the gradient, divided by the
// velocity masses, is at once what the divergence takes. Pencils that share nodes are launched one after the other, in eight colours, so that
// every node gets its parts in the same order: the same bits run after run.
#include "kernels/cuda/pencil.cuh"
#include "kernels/cuda/pencil_operator.cuh"

namespace agwave {
namespace {

using namespace cuda_kernels;
using S = PencilMemory<L1D>;

constexpr int colours = 8;

// How many of n along an axis have the colour's parity, `bit` of it.
__host__ __device__ constexpr int of_parity(int n, int colour, int bit) { return (n + 1 - (colour >> bit & 1)) / 2; }

struct ColouredMarch : March {
  __device__ __forceinline__ ColouredMarch(const PencilArgs& a, int colour) : March(a) {
    const int pairs = of_parity((a.x1 - a.x0 + 1) / 2, colour, 0), rows = of_parity(a.y1 - a.y0, colour, 1);
    const std::int64_t pencil = static_cast<std::int64_t>(blockIdx.x) * warps + warp;
    ex = a.x0 + 2 * (2 * static_cast<int>(pencil % pairs) + (colour & 1));
    ey = a.y0 + 2 * static_cast<int>(pencil / pairs % rows) + (colour >> 1 & 1);
    first = a.z0 + (2 * static_cast<int>(pencil / pairs / rows) + (colour >> 2 & 1)) * a.chunk;
    last = min(first + a.chunk, a.z1);
  }
};

// x, D, the masses, D^T and x^T on the row (qz, qy) of the lane's element.
template <class Geometry>
__device__ __forceinline__ void stiffness_along_x(const PencilArgs& a, int row, int ez, bool two, const PencilElement& x, Geometry& geometry,
                                                  const S& s) {
  const int qz = row >> 2, qy = row & 3;
  double* const c = s.c + qy * S::row + qz * 9 + 4 * x.half;
  double flux[3][L1D];
  if (x.exists) {
    geometry.layer(a, x.e, ez, qz, qy);
    pressure_along_x(c, flux);
    apply_metric<true, false>(geometry, geometry.parallelepiped, flux, flux);
#pragma unroll
    for (int q = 0; q < L1D; ++q) {
      const double inverse = 1 / (a.v.density * geometry(q).xx * geometry.ax);  // w det J = ax (w det J J^-T)_xx
#pragma unroll
      for (int k = 0; k < 3; ++k) flux[k][q] *= inverse;
    }
    apply_metric<false, true>(geometry, geometry.parallelepiped, flux, flux);
  }
  __syncwarp();  // every lane has read its row before any row changes
  divergence_along_x(flux, c, x.exists, x.half, two);
}

template <class Geometry>
__global__ void __launch_bounds__(March::threads) stiffness_kernel(const __grid_constant__ PencilArgs a, int colour) {
  extern __shared__ double s_all[];
  const ColouredMarch m(a, colour);
  const S s(s_all + m.warp * S::per_warp);
  if (m.first >= a.z1) return;  // whole warps only
  const bool two = m.two(a);
  const std::int64_t level = m.level(a), corner = m.corner(a);
  NodeFibre fibres[2];
#pragma unroll
  for (int n = 0; n < 2; ++n) {
    const int t = m.lane + 32 * n, j = t / 9, i = t % 9;
    NodeFibre& f = fibres[n];
    f.exists = t < March::fibres && i < (two ? 9 : 5);
    f.at = j * S::SJ + i;
    f.node = corner + static_cast<std::int64_t>(j) * a.NX + i;
    if (f.exists) f.top = a.p[f.node];
  }
  const int half = m.lane >> 4;
  PencilElement x{half, m.ex + half, half == 0 || two};
  Geometry geometry;
  if (x.exists) geometry.column(a, x.ex, m.ey, m.lane & 3);
  for (int ez = m.first; ez < m.last; ++ez) {
    x.e = m.element(a, x.ex, ez);
#pragma unroll
    for (int n = 0; n < 2; ++n) pressure_along_z(a, 4 * (ez - m.first), level, fibres[n], s);
    __syncwarp();
    pressure_along_y(m.lane, s);
    __syncwarp();
    stiffness_along_x(a, m.lane & 15, ez, two, x, geometry, s);
    __syncwarp();
    divergence_along_y(m.lane, s);
    __syncwarp();
#pragma unroll
    for (int n = 0; n < 2; ++n) divergence_along_z(a, 4 * (ez - m.first), level, ez == m.last - 1, fibres[n], s);
    __syncwarp();
  }
}

class PencilStiffness final : public Stiffness {
 public:
  PencilStiffness(const Mesh& mesh, const Spaces& spaces, Cuda& cuda)
      : elements_(spaces.elements()), nodes_(spaces.nodes()), cuda_(cuda), kernel_(mesh.order == 1 ? trilinear : curved) {
    allow_shared(kernel_, S::bytes);
  }

  void apply(const double* psi, double* r, std::span<const ElementBox> boxes) override {
    for (const ElementBox& box : boxes) {
      const int pairs = (box.high[0] - box.low[0] + 1) / 2, rows = box.high[1] - box.low[1], layers = box.high[2] - box.low[2];
      const int chunk = std::min(layers, 8), chunks = (layers + chunk - 1) / chunk;
      PencilArgs args{};
      args.v = elements_;
      args.NX = nodes_.NX;
      args.NY = nodes_.NY;
      args.x0 = box.low[0], args.x1 = box.high[0], args.y0 = box.low[1], args.y1 = box.high[1], args.z0 = box.low[2], args.z1 = box.high[2];
      args.chunk = chunk;
      args.p = psi;
      args.depth = nodes_.h;
      args.r = r;
      for (int colour = 0; colour < colours; ++colour) {
        const std::int64_t warps = static_cast<std::int64_t>(of_parity(pairs, colour, 0)) * of_parity(rows, colour, 1) * of_parity(chunks, colour, 2);
        if (warps == 0) continue;
        kernel_<<<static_cast<unsigned>((warps + March::warps - 1) / March::warps), March::threads, S::bytes, cuda_.stream()>>>(args, colour);
        AGWAVE_CUDA_CALL(cudaGetLastError());
      }
    }
  }
  Cost cost() const override {  // psi, and r read and written
    const double n = static_cast<double>(elements_.count());
    return {n * (pencil_flops<L1D>() + 7 * L3D), n * 8 * 3 * 64};
  }
  std::vector<KernelInfo> kernels() const override { return {kernel_info("stiffness", kernel_, March::threads, S::bytes)}; }

 private:
  static constexpr auto trilinear = stiffness_kernel<TrilinearMetric<L1D>>, curved = stiffness_kernel<ComputedMetric<L1D>>;
  ElementView elements_;
  NodeView nodes_;
  Cuda& cuda_;
  void (*kernel_)(PencilArgs, int);
};

template <int>  // a quadrature, the one that there is
using OnVelocityNodes = PencilStiffness;

const RegisterStiffness registered{[] {
  StiffnessVariant v = stiffness_variant<OnVelocityNodes, Cuda>(
      "mf", "gradient, masses and divergence of a pencil of elements on CUDA cores, D recomputed from the terrain");
  v.quadratures = {4};
  v.compute_capability = 80;
  return v;
}()};

}  // namespace
}  // namespace agwave
