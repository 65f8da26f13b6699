// SPDX-License-Identifier: Apache-2.0
// Both blocks by a library's matrix products, on any backend, after libCEED's MAGMA backend: elements merge into the columns of one matrix, and the
// gradient of all of them is one product with the dense A (kernels/dense_gradient.hpp), the divergence one with its transpose.
//   gather      P[i][e]       = p_L[node(e, i)]                       nodes[chunk][128], the last three 0
//   product     D[(d,q)][e]   = sum_i A[(d,q)][i] P[i][e]             values[chunk][192]
//   points      g[e][c][q]    = metric_e(q) D[.][e]
//   points      F[(d,q)][e]   = metric_e(q)^T u[e][.][q]              values
//   product     R[i][e]       = sum_(d,q) A[(d,q)][i] F[(d,q)][e]     nodes
//   scatter     r_L[node(e, i)] += R[i][e]
// A chunk of elements goes through all of it before the next one, so that its two arrays can stay in a cache; how many elements that are, and in how many
// products, is measured (files/tuning.hpp). Columns of 128 keep every product aligned.
// Engine: what the backend's library is:  multiply(transposed, A, in, out, plan, columns), scatter(n, functor), device(), default_plan.
#pragma once
#include <algorithm>
#include <memory>
#include <string>
#include <vector>

#include "files/tuning.hpp"
#include "kernels/boxes.hpp"
#include "kernels/dense_gradient.hpp"
#include "kernels/time_operator.hpp"

namespace agwave::dense_gemm {

inline constexpr int node_rows = 128, value_rows = gradient_rows;  // lengths of columns

// Elements of a box from `first` on, in the order of its elements.
struct Chunk {
  ElementView v;
  int NX, NY;
  int x0, y0, z0, nx, ny;
  std::uint32_t first;

  struct Element {
    int ex, ey, ez;
  };
  AGWAVE_HD Element at(std::uint32_t n) const {
    const std::uint32_t in = first + n, row = in / static_cast<std::uint32_t>(nx), layer = row / static_cast<std::uint32_t>(ny);
    return {x0 + static_cast<int>(in - row * static_cast<std::uint32_t>(nx)), y0 + static_cast<int>(row - layer * static_cast<std::uint32_t>(ny)),
            z0 + static_cast<int>(layer)};
  }
  AGWAVE_HD std::int64_t node(const Element& e, int i) const {
    return (static_cast<std::int64_t>(P1D * e.ez + i / (D1D * D1D)) * NY + P1D * e.ey + i / D1D % D1D) * NX + P1D * e.ex + i % D1D;
  }
  AGWAVE_HD std::int64_t values(const Element& e) const { return ((static_cast<std::int64_t>(e.ez) * v.ny + e.ey) * v.nx + e.ex) * 3 * L3D; }
};

struct Gather {
  Chunk chunk;
  const double* p;
  double* nodes;
  AGWAVE_HD void operator()(std::int64_t n) const {
    const int i = static_cast<int>(n % node_rows);
    nodes[n] = i < D3D ? p[chunk.node(chunk.at(static_cast<std::uint32_t>(n / node_rows)), i)] : 0.0;
  }
};

struct Scatter {
  Chunk chunk;
  const double* nodes;
  double* r;
  AGWAVE_HD void operator()(std::int64_t n) const {
    const int i = static_cast<int>(n % node_rows);
    if (i >= D3D) return;
    double* const to = r + chunk.node(chunk.at(static_cast<std::uint32_t>(n / node_rows)), i);
#ifdef __CUDA_ARCH__
    atomicAdd(to, nodes[n]);
#else
    *to += nodes[n];
#endif
  }
};

// At point q of an element, n = 64 e + q.
template <bool Gradient>
struct Points {
  Chunk chunk;
  Rule<L1D> rule;
  const double* in;  // Gradient: columns of derivatives; else u
  double* out;       // Gradient: g; else columns of fluxes
  AGWAVE_HD void operator()(std::int64_t n) const {
    const auto column = static_cast<std::uint32_t>(n / L3D);
    const int q = static_cast<int>(n % L3D);
    const Chunk::Element e = chunk.at(column);
    const std::int64_t in_columns = static_cast<std::int64_t>(column) * value_rows + q, in_array = chunk.values(e) + q;
    const Metric m = chunk.v.point(e.ex, e.ey, e.ez, q, rule.x, rule.w);
    const double* const from = in + (Gradient ? in_columns : in_array);
    double* const to = out + (Gradient ? in_array : in_columns);
    double value[3];
    if constexpr (Gradient)
      weighted_gradient(m, from[0], from[L3D], from[2 * L3D], value);
    else
      contravariant_flux(m, from[0], from[L3D], from[2 * L3D], value);
    for (int d = 0; d < 3; ++d) to[d * L3D] = value[d];
  }
};

// A with columns of 192, 128 of them, the last three 0.
inline std::vector<double> padded_matrix() {
  const std::vector<double> a = dense_gradient();
  constexpr std::size_t rows = value_rows, nodes = D3D;
  std::vector<double> padded(rows * node_rows, 0.0);
  for (std::size_t row = 0; row < rows; ++row)
    for (std::size_t i = 0; i < nodes; ++i) padded[i * rows + row] = a[row * nodes + i];
  return padded;
}

// No more elements than there are.
inline GemmPlan fitted(GemmPlan plan, std::int64_t elements) {
  plan.merged = std::clamp<std::int64_t>(plan.merged, 1, std::max<std::int64_t>(elements, 1));
  plan.batch = static_cast<int>(std::clamp<std::int64_t>(plan.batch, 1, std::max<std::int64_t>(elements / plan.merged, 1)));
  return plan;
}
inline double needed_bytes(const GemmPlan& plan) {  // the matrix and the columns of a chunk
  return 8.0 * (value_rows * node_rows + (node_rows + value_rows) * static_cast<double>(plan.chunk()));
}

template <class Engine>
GemmPlan chosen_plan(const Mesh& mesh) {
  return fitted(tuned_plan("dense-gemm", Engine::device(), mesh.NE(), Engine::default_plan()), mesh.NE());
}
template <class Engine>
double bytes_of(const Mesh& mesh, int) {
  return needed_bytes(chosen_plan<Engine>(mesh));
}

template <class Backend, class Engine>
class DenseGemm final : public Operator {
 public:
  DenseGemm(const Mesh& mesh, const Spaces& spaces, Backend& backend) : DenseGemm(mesh, spaces, backend, chosen_plan<Engine>(mesh)) {}
  DenseGemm(const Mesh& mesh, const Spaces& spaces, Backend& backend, const GemmPlan& plan)
      : elements_(spaces.elements()),
        nodes_(spaces.nodes()),
        backend_(backend),
        engine_(backend),
        plan_(fitted(plan, mesh.NE())),
        matrix_(Backend::space, padded_matrix()),
        node_columns_(Backend::space, static_cast<std::size_t>(plan_.chunk() * node_rows)),
        value_columns_(Backend::space, static_cast<std::size_t>(plan_.chunk() * value_rows)) {
    for (int part = 0; part < 3; ++part) boxes_[part] = part_boxes(mesh, static_cast<Part>(part));
  }

  void apply(const double* p, const double* u, double* g, double* r, Part part) override {
    for (const ElementBox& box : boxes_[static_cast<int>(part)]) {
      const int nx = box.high[0] - box.low[0], ny = box.high[1] - box.low[1], nz = box.high[2] - box.low[2];
      const std::int64_t count = static_cast<std::int64_t>(nx) * ny * nz;
      for (std::int64_t first = 0; first < count; first += plan_.chunk()) {
        const Chunk chunk{elements_, nodes_.NX, nodes_.NY, box.low[0], box.low[1], box.low[2], nx, ny, static_cast<std::uint32_t>(first)};
        both_blocks(chunk, std::min(plan_.chunk(), count - first), p, u, g, r);
      }
    }
  }

  // Flops of the products as they are defined, without the padding, and of D. Bytes that pass whatever a cache keeps of a chunk: u, g and p once, r read
  // and written.
  Cost cost() const override {
    const double n = static_cast<double>(elements_.count());
    return {n * 2 * (2.0 * value_rows * D3D + 2 * 5 * L3D), n * 8 * (6 * L3D + 3 * 64)};
  }
  std::string plan() const override { return to_string(plan_) + engine_.note(); }

 private:
  void both_blocks(const Chunk& chunk, std::int64_t count, const double* p, const double* u, double* g, double* r) {
    double *const nodes = node_columns_.data(), *const values = value_columns_.data();
    constexpr auto rule = gauss_rule<L1D>();
    backend_.for_each(count * node_rows, Gather{chunk, p, nodes});
    engine_.multiply(false, matrix_.data(), nodes, values, plan_, count);
    backend_.for_each(count * L3D, Points<true>{chunk, rule, values, g});
    backend_.for_each(count * L3D, Points<false>{chunk, rule, u, values});
    engine_.multiply(true, matrix_.data(), values, nodes, plan_, count);
    engine_.scatter(count * node_rows, Scatter{chunk, nodes, r});
  }

  ElementView elements_;
  NodeView nodes_;
  Backend& backend_;
  Engine engine_;
  GemmPlan plan_;
  Array<double> matrix_, node_columns_, value_columns_;
  std::vector<ElementBox> boxes_[3];
};

// One product, or several of `merged` columns in one call with what is left over in another. Single: (first column, columns); Batch: (first column, products).
template <class Single, class Batch>
void split(const GemmPlan& plan, std::int64_t columns, Single&& single, Batch&& batch) {
  if (plan.batch == 1) return single(std::int64_t{0}, columns);
  const std::int64_t products = columns / plan.merged, left = columns % plan.merged;
  if (products > 0) batch(std::int64_t{0}, static_cast<int>(products));
  if (left > 0) single(columns - left, left);
}

// Every way to split a mesh that is worth trying: products of `least` to `most` elements, alone or as many as fill a chunk, in no more than so many chunks.
inline std::vector<GemmPlan> plans_to_try(std::int64_t elements, std::int64_t least, std::int64_t most, std::int64_t chunks) {
  std::vector<GemmPlan> plans;
  for (std::int64_t merged = least; merged <= most && merged <= 2 * elements; merged *= 4)
    for (std::int64_t chunk = merged; chunk <= most && (chunk == merged || chunk <= 2 * elements); chunk *= 16)
      if (chunk * chunks >= elements) plans.push_back({merged, static_cast<int>(chunk / merged), "a trial"});
  return plans;
}

// Each of them on this mesh.
template <class Backend, class Clock, class Gemm>
std::vector<TuningRow> time_plans(const SpacesSetup& setup, const TimingPlan& timing, const std::vector<GemmPlan>& plans) {
  std::vector<TuningRow> rows;
  for (const GemmPlan& plan : plans) {
    const GemmPlan fits = fitted(plan, setup.mesh.NE());
    const auto same = [&](const TuningRow& row) { return row.plan.merged == fits.merged && row.plan.batch == fits.batch; };
    if (std::any_of(rows.begin(), rows.end(), same)) continue;
    OperatorTiming timed = agwave::time_operator<Backend, Clock>(setup, timing, [&](const Mesh& mesh, const Spaces& spaces, int, Backend& backend) {
      return std::make_unique<Gemm>(mesh, spaces, backend, fits);
    });
    std::nth_element(timed.seconds.begin(), timed.seconds.begin() + static_cast<std::ptrdiff_t>(timed.seconds.size() / 2), timed.seconds.end());
    rows.push_back({setup.mesh.NE(), fits, timed.seconds[timed.seconds.size() / 2]});
  }
  return rows;
}

}  // namespace agwave::dense_gemm
