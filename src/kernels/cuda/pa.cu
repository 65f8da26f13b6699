// SPDX-License-Identifier: Apache-2.0
// Variant `pa` on a GPU: partial assembly on CUDA cores, as in the papers: D (five non-zero entries of w det J J^-T) is
// stored at the quadrature points; gradient and divergence are two kernels.
//   gradient:    a[qz][j i] = B p, b = dB p;  c0[qz][qy][i] = B a, c1 = dB a, c2 = B b;
//                p_xi = dB c0, p_eta = B c1, p_zeta = B c2 at [qz][qy][qx];  g = V^T D (p_xi, p_eta, p_zeta)
//   divergence:  the transposes in reverse order; scattered to the shared nodes with atomic additions, so the last bits
//                of r may differ from run to run.
// Block: NB elements. Arrays per element, fastest index first: p[5][5][5] fibres straight from global memory,
// a, b: [25][Q]; c: 3 x [5][Q][Q]; g, u: [4][4][4][3] in global memory; D: [Q][Q][Q][5] in global memory.
#include "kernels/cuda/contractions.cuh"
#include "kernels/cuda/register_cuda.cuh"

namespace agwave {
namespace {

using namespace cuda_kernels;

template <int Q>
struct Shape {
  static constexpr int NB = Q == 4 ? 5 : 4, threads = 128;
  static constexpr int Q2 = Q * Q, Q3 = Q * Q * Q;
  static constexpr int A = 2 * Q * 25;      // a and b
  static constexpr int C = 3 * Q2 * 5;      // c0, c1, c2
  static constexpr int V = Q == 4 ? 0 : 3 * Q3;  // values at the points, when they are not the velocity nodes
};

__device__ __forceinline__ std::int64_t first_node(const ElementView& v, const NodeView& n, std::int64_t e) {
  int ex, ey, ez;
  v.locate(e, ex, ey, ez);
  return (static_cast<std::int64_t>(4 * ez) * n.NY + 4 * ey) * n.NX + 4 * ex;
}

template <int Q>
__global__ void __launch_bounds__(128) setup_kernel(ElementView v, double* qdata) {
  constexpr int Q3 = Q * Q * Q;
  const std::int64_t n = blockIdx.x * std::int64_t{128} + threadIdx.x;
  if (n >= v.count() * Q3) return;
  const std::int64_t e = n / Q3;
  const int q = static_cast<int>(n % Q3);
  int ex, ey, ez;
  v.locate(e, ex, ey, ez);
  const Rule<Q> rule = gauss_rule<Q>();
  const Metric m = v.point(ex, ey, ez, q, rule.x.data(), rule.w.data());
  double* d = qdata + e * 5 * Q3 + q;
  d[0 * Q3] = m.xx;
  d[1 * Q3] = m.xz;
  d[2 * Q3] = m.yy;
  d[3 * Q3] = m.yz;
  d[4 * Q3] = m.zz;
}

template <int Q>
__global__ void __launch_bounds__(Shape<Q>::threads) gradient_kernel(ElementView v, NodeView nodes, const std::int32_t* list, std::int64_t count, const double* p, const double* qdata, double* g) {
  using S = Shape<Q>;
  constexpr int NB = S::NB, Q2 = S::Q2, Q3 = S::Q3;
  __shared__ double s_a[NB * S::A], s_c[NB * S::C];
  __shared__ double s_v[NB * S::V + 1];
  const std::int64_t first = blockIdx.x * std::int64_t{NB};
  const std::int64_t plane = static_cast<std::int64_t>(nodes.NX) * nodes.NY;

  for (int task = threadIdx.x; task < NB * 25; task += S::threads) {
    const int e = task / 25, i = task % 5, j = task / 5 % 5;
    if (first + e >= count) continue;
    const double* from = p + first_node(v, nodes, list[first + e]) + static_cast<std::int64_t>(j) * nodes.NX + i;
    double r_in[5], r_out[Q];
#pragma unroll
    for (int k = 0; k < 5; ++k) r_in[k] = from[k * plane];
    contract_fibre<Q, Table::B, false>(r_in, r_out);
#pragma unroll
    for (int q = 0; q < Q; ++q) s_a[e * S::A + q * 25 + j * 5 + i] = r_out[q];
    contract_fibre<Q, Table::dB, false>(r_in, r_out);
#pragma unroll
    for (int q = 0; q < Q; ++q) s_a[e * S::A + (Q + q) * 25 + j * 5 + i] = r_out[q];
  }
  __syncthreads();
  contract<Q, Table::B, false, Q, 5, Q, 5, NB, S::A, S::C>(s_a, s_c);
  contract<Q, Table::dB, false, Q, 5, Q, 5, NB, S::A, S::C>(s_a, s_c + Q2 * 5);
  contract<Q, Table::B, false, Q, 5, Q, 5, NB, S::A, S::C>(s_a + Q * 25, s_c + 2 * Q2 * 5);
  __syncthreads();
  for (int task = threadIdx.x; task < NB * Q2; task += S::threads) {
    const int e = task / Q2, row = task % Q2;
    if (first + e >= count) continue;
    double r_in[5], p_xi[Q], p_eta[Q], p_zeta[Q];
    const auto load = [&](int c) {
#pragma unroll
      for (int k = 0; k < 5; ++k) r_in[k] = s_c[e * S::C + (c * Q2 + row) * 5 + k];
    };
    load(0);
    contract_fibre<Q, Table::dB, false>(r_in, p_xi);
    load(1);
    contract_fibre<Q, Table::B, false>(r_in, p_eta);
    load(2);
    contract_fibre<Q, Table::B, false>(r_in, p_zeta);
    const std::int64_t element = list[first + e];
    const double* d = qdata + element * 5 * Q3 + row * Q;
#pragma unroll
    for (int q = 0; q < Q; ++q) {
      const double value[3] = {d[q] * p_xi[q] + d[Q3 + q] * p_zeta[q], d[2 * Q3 + q] * p_eta[q] + d[3 * Q3 + q] * p_zeta[q], d[4 * Q3 + q] * p_zeta[q]};
#pragma unroll
      for (int c = 0; c < 3; ++c) {
        if (Q == 4) g[(element * 3 + c) * L3D + row * 4 + q] = value[c];
        else s_v[e * S::V + (c * Q2 + row) * Q + q] = value[c];
      }
    }
  }
  if constexpr (Q != 4) {  // test-side velocity basis: x, then y, then z; a and c are free by now
    __syncthreads();
    contract<Q, Table::V, true, 3 * Q2, Q, 4, 1, NB, S::V, S::C>(s_v, s_c);
    __syncthreads();
    contract<Q, Table::V, true, 3 * Q, Q, 4, 4, NB, S::C, S::A>(s_c, s_a);
    __syncthreads();
    for (int task = threadIdx.x; task < NB * 3 * 16; task += S::threads) {
      const int e = task / 48, c = task / 16 % 3, s = task % 16;
      if (first + e >= count) continue;
      double r_in[Q], r_out[4];
#pragma unroll
      for (int q = 0; q < Q; ++q) r_in[q] = s_a[e * S::A + (c * Q + q) * 16 + s];
      contract_fibre<Q, Table::V, true>(r_in, r_out);
#pragma unroll
      for (int l = 0; l < 4; ++l) g[(static_cast<std::int64_t>(list[first + e]) * 3 + c) * L3D + l * 16 + s] = r_out[l];
    }
  }
}

template <int Q>
__global__ void __launch_bounds__(Shape<Q>::threads) divergence_kernel(ElementView v, NodeView nodes, const std::int32_t* list, std::int64_t count, const double* u, const double* qdata, double* r) {
  using S = Shape<Q>;
  constexpr int NB = S::NB, Q2 = S::Q2, Q3 = S::Q3;
  __shared__ double s_a[NB * S::A], s_c[NB * S::C];
  __shared__ double s_v[NB * S::V + 1];
  const std::int64_t first = blockIdx.x * std::int64_t{NB};
  const std::int64_t plane = static_cast<std::int64_t>(nodes.NX) * nodes.NY;

  if constexpr (Q != 4) {  // velocity to the quadrature points: z, then y, then x
    for (int task = threadIdx.x; task < NB * 48; task += S::threads) {
      const int e = task / 48, c = task / 16 % 3, s = task % 16;
      if (first + e >= count) continue;
      double r_in[4], r_out[Q];
#pragma unroll
      for (int l = 0; l < 4; ++l) r_in[l] = u[(static_cast<std::int64_t>(list[first + e]) * 3 + c) * L3D + l * 16 + s];
      contract_fibre<Q, Table::V, false>(r_in, r_out);
#pragma unroll
      for (int q = 0; q < Q; ++q) s_a[e * S::A + (c * Q + q) * 16 + s] = r_out[q];
    }
    __syncthreads();
    contract<Q, Table::V, false, 3 * Q, 4, Q, 4, NB, S::A, S::C>(s_a, s_c);
    __syncthreads();
    contract<Q, Table::V, false, 3 * Q2, 4, Q, 1, NB, S::C, S::V>(s_c, s_v);
    __syncthreads();
  }
  for (int task = threadIdx.x; task < NB * Q2; task += S::threads) {
    const int e = task / Q2, row = task % Q2;
    if (first + e >= count) continue;
    const std::int64_t element = list[first + e];
    const double* d = qdata + element * 5 * Q3 + row * Q;
    double f[3][Q], r_out[5];
#pragma unroll
    for (int q = 0; q < Q; ++q) {
      double r_u[3];
#pragma unroll
      for (int c = 0; c < 3; ++c) r_u[c] = Q == 4 ? u[(element * 3 + c) * L3D + row * 4 + q] : s_v[e * S::V + (c * Q2 + row) * Q + q];
      f[0][q] = d[q] * r_u[0];
      f[1][q] = d[2 * Q3 + q] * r_u[1];
      f[2][q] = d[Q3 + q] * r_u[0] + d[3 * Q3 + q] * r_u[1] + d[4 * Q3 + q] * r_u[2];
    }
    const auto store = [&](int c) {
#pragma unroll
      for (int k = 0; k < 5; ++k) s_c[e * S::C + (c * Q2 + row) * 5 + k] = r_out[k];
    };
    contract_fibre<Q, Table::dB, true>(f[0], r_out);
    store(0);
    contract_fibre<Q, Table::B, true>(f[1], r_out);
    store(1);
    contract_fibre<Q, Table::B, true>(f[2], r_out);
    store(2);
  }
  __syncthreads();
  contract<Q, Table::B, true, Q, Q, 5, 5, NB, S::C, S::A>(s_c, s_a);
  contract<Q, Table::dB, true, Q, Q, 5, 5, NB, S::C, S::A, true>(s_c + Q2 * 5, s_a);  // the same thread adds to its own fibre
  contract<Q, Table::B, true, Q, Q, 5, 5, NB, S::C, S::A>(s_c + 2 * Q2 * 5, s_a + Q * 25);
  __syncthreads();
  for (int task = threadIdx.x; task < NB * 25; task += S::threads) {
    const int e = task / 25, i = task % 5, j = task / 5 % 5;
    if (first + e >= count) continue;
    double* to = r + first_node(v, nodes, list[first + e]) + static_cast<std::int64_t>(j) * nodes.NX + i;
    double r_in[Q], from_b[5], from_db[5];
#pragma unroll
    for (int q = 0; q < Q; ++q) r_in[q] = s_a[e * S::A + q * 25 + j * 5 + i];
    contract_fibre<Q, Table::B, true>(r_in, from_b);
#pragma unroll
    for (int q = 0; q < Q; ++q) r_in[q] = s_a[e * S::A + (Q + q) * 25 + j * 5 + i];
    contract_fibre<Q, Table::dB, true>(r_in, from_db);
#pragma unroll
    for (int k = 0; k < 5; ++k) atomicAdd(to + k * plane, from_b[k] + from_db[k]);
  }
}

template <int Q>
class PartialAssemblyCuda final : public Operator {
 public:
  PartialAssemblyCuda(const Mesh& mesh, const Spaces& spaces, Cuda& cuda) : elements_(spaces.elements()), nodes_(spaces.nodes()), cuda_(cuda) {
    const ElementParts parts = split_parts(mesh);
    shared_ = Array<std::int32_t>(Space::device, parts.shared);
    interior_ = Array<std::int32_t>(Space::device, parts.interior);
    const std::int64_t points = elements_.count() * Q * Q * Q;
    qdata_ = Array<double>(Space::device, static_cast<std::size_t>(5 * points));
    setup_kernel<Q><<<static_cast<unsigned>((points + 127) / 128), 128, 0, cuda_.stream()>>>(elements_, qdata_.data());
    AGWAVE_CUDA_CALL(cudaGetLastError());
  }

  void apply(const double* p, const double* u, double* g, double* r, Part part) override {
    if (part != Part::interior) launch(shared_, p, u, g, r);
    if (part != Part::shared) launch(interior_, p, u, g, r);
  }

  Cost cost() const override {
    const double n = static_cast<double>(elements_.count()), Q2 = Q * Q, Q3 = Q2 * Q;
    const double z = 2 * 25 * 5 * Q, y = 3 * 5 * Q * 5 * Q, x = 3 * Q2 * 5 * Q, velocity = Q == 4 ? 0 : 3 * (16 * 4 * Q + 4 * Q * 4 * Q + Q2 * 4 * Q);
    return {n * 2 * (2 * (z + y + x + velocity) + 2 * 5 * Q3), n * 8 * (2 * 3 * L3D + 64 + 2 * 64 + 2 * 5 * Q3)};
  }

 private:
  void launch(const Array<std::int32_t>& list, const double* p, const double* u, double* g, double* r) {
    if (list.empty()) return;
    using S = Shape<Q>;
    const auto count = static_cast<std::int64_t>(list.size());
    const auto blocks = static_cast<unsigned>((count + S::NB - 1) / S::NB);
    gradient_kernel<Q><<<blocks, S::threads, 0, cuda_.stream()>>>(elements_, nodes_, list.data(), count, p, qdata_.data(), g);
    AGWAVE_CUDA_CALL(cudaGetLastError());
    divergence_kernel<Q><<<blocks, S::threads, 0, cuda_.stream()>>>(elements_, nodes_, list.data(), count, u, qdata_.data(), r);
    AGWAVE_CUDA_CALL(cudaGetLastError());
  }

  ElementView elements_;
  NodeView nodes_;
  Cuda& cuda_;
  Array<std::int32_t> shared_, interior_;
  Array<double> qdata_;  // [e][5][Q^3]
};

const RegisterVariant registered{cuda_variant<PartialAssemblyCuda>("pa", "partial assembly on CUDA cores: D stored at quadrature points, gradient and divergence apart", 1, 80,
                                                                   [](const Mesh& mesh, int q) { return (40.0 * q * q * q + 4) * static_cast<double>(mesh.NE()); })};

}  // namespace
}  // namespace agwave
