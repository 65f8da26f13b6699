// SPDX-License-Identifier: Apache-2.0
// agwave bench --tune: how operators that choose split their work best, as a table by size of mesh (files/tuning.hpp).
#include <cstdio>

#include "commands/bench.hpp"
#include "error/error.hpp"

namespace agwave {

void tune_operators(const std::vector<const Variant*>& chosen, const std::vector<Elements>& sizes, const BenchContext& context,
                    const CudaDevice& device) {
  const BenchOptions& options = context.options;
  const std::string where = device.present ? device.name : "cpu";
  bool any = false;
  for (const Variant* variant : chosen) {
    if (!variant->operator_ || !variant->operator_->tune) continue;
    any = true;
    std::vector<TuningRow> rows;
    std::printf("%-16s %12s %12s %12s %10s %9s\n", variant->name.c_str(), "elements", "a product", "products", "ms", "GDOF/s");
    for (const Elements& elements : sizes) {
      const Partition part = bench_partition(*variant, elements, options, context.comm);
      if (needed_memory(*variant, bench_outline(elements, options.order, part), options) > available_memory(device)) continue;
      const Mesh mesh = bench_mesh(elements, options.order, part);
      BenchOcean ocean;
      const StepperSetup setup = ocean.on(mesh, options.quadrature, context.comm);
      for (const TuningRow& row : variant->operator_->tune(setup, TimingPlan{options.warmup, options.steps, {}})) {
        std::printf("%-16s %12lld %12lld %12d %10.4g %9.4g\n", "", static_cast<long long>(row.elements), static_cast<long long>(row.plan.merged),
                    row.plan.batch, 1e3 * row.seconds, 1e-9 * static_cast<double>(mesh.global_dofs()) / row.seconds);
        rows.push_back(row);
      }
    }
    if (rows.empty()) throw Error(ExitCode::usage, text("--tune: no mesh fits into memory for ", variant->name, "; use fewer elements"));
    std::printf("kept in %s\n\n", write_tuning(variant->name, where, rows).c_str());
  }
  if (!any) throw Error(ExitCode::usage, "--tune: none of the variants chosen splits its work by a table; dense-gemm does");
}

}  // namespace agwave
