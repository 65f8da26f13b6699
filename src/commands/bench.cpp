// SPDX-License-Identifier: Apache-2.0
// agwave bench: each variant is checked against the reference on random data, then its operator and its step are timed.
#include "commands/bench.hpp"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <sstream>

#include "error/error.hpp"
#include "run/devices.hpp"
#include "run/plan.hpp"

namespace agwave {

namespace {

std::vector<std::string> split_names(const std::string& list) {
  std::vector<std::string> names;
  std::istringstream in(list);
  for (std::string name; std::getline(in, name, ',');)
    if (!name.empty()) names.push_back(name);
  return names;
}

// In the order of the registry. Names that do not exist or cannot run here are errors; with `all` the latter are left out, and said.
std::vector<const Variant*> chosen_variants(const BenchOptions& options, Device wanted, const CudaDevice& device, const Comm& comm) {
  const std::vector<std::string> names = split_names(options.variants);
  const bool all = names.size() == 1 && names[0] == "all";
  std::string known;
  for (const Variant& v : variants())
    if (v.device == wanted) known += (known.empty() ? "" : ", ") + v.name;
  for (const std::string& name : names)
    if (!all && std::none_of(variants().begin(), variants().end(), [&](const Variant& v) { return v.device == wanted && v.name == name; }))
      throw AgreedError(ExitCode::usage, text("--variant: '", name, "' does not exist on ", to_string(wanted), "; known: all, ", known));
  std::vector<const Variant*> chosen;
  for (const Variant& v : variants()) {
    if (v.device != wanted || (!all && std::find(names.begin(), names.end(), v.name) == names.end())) continue;
    const Variant* const found = in_precision(v, options.precision == "single");
    const std::string absent = why_unavailable(found ? *found : v, device);
    const std::string why = !absent.empty()                 ? absent
                            : !v.offers(options.quadrature) ? text("does not offer quadrature ", options.quadrature)
                            : found                         ? ""
                                                            : "computes in double precision alone (--precision)";
    if (why.empty())
      chosen.push_back(found);
    else if (!all)
      throw AgreedError(absent.empty() ? ExitCode::usage : ExitCode::device, text("--variant: ", v.name, ": ", why));
    else if (comm.root())
      std::printf("%s is left out: %s\n", v.name.c_str(), why.c_str());
  }
  if (chosen.empty())
    throw AgreedError(ExitCode::usage,
                      text("--variant: '", options.variants, "' leaves nothing to time on ", to_string(wanted), "; known: all, ", known));
  return chosen;
}

}  // namespace

void bench_command(const BenchOptions& options, const Comm& comm) {
  CudaDevice device;
  if (options.device != "cpu") {
    SolverCase solver;
    solver.device_mark = {"--device", 0, ""};
    solver.device = options.device;
    device = common_device(own_device(comm), solver, comm);
  }
  if (options.device == "cuda" && !device.present) throw AgreedError(ExitCode::device, text("--device cuda: ", device.name));
  refuse_shared_devices(device, comm);
  if (options.tune && comm.size() > 1) throw AgreedError(ExitCode::usage, "--tune: one rank measures what all read; start one");
  if (options.exchange && comm.size() == 1)
    throw AgreedError(ExitCode::usage, "--exchange: one rank has nobody to exchange with; start two or more (mpirun -n 2, srun -n 2)");
  if (!options.within.empty() && comm.size() % 2 != 0)
    throw AgreedError(ExitCode::usage,
                      "--within: two ranks stand for each other's neighbours; start an even number of them (mpirun -n 2, srun -n 2)");
  const Device wanted = device.present ? Device::cuda : Device::cpu;
  const std::vector<Elements> sizes = bench_sizes(options, wanted);
  const std::vector<const Variant*> chosen = chosen_variants(options, wanted, device, comm);
  comm.agree([&] {  // before anything takes time
    for (const Variant* variant : chosen)
      for (const Elements& elements : sizes) bench_partition(*variant, elements, options, comm);
  });
  const int sharing = device.present ? ranks_on_device(device, comm) : comm.ranks_on_node();
  Transport transport = choose_transport(options.transport, "--transport", device.present, sharing > 1, comm);
  transport.overlap = !options.no_overlap;
  transport.multiprocessors = options.spare;

  const Ceilings ceilings = measure_ceilings(device);
  PowerMeter meter = device.present && comm.size() == 1 ? PowerMeter(ceilings.pci_bus_id) : PowerMeter();
  const BenchContext context{options, comm, transport, ceilings, meter};
  if (options.tune) tune_operators(chosen, sizes, context, device);
  const int hosts = static_cast<int>(comm.sum(std::int64_t{comm.local_rank() == 0}));
  std::optional<BenchReport> report;  // on rank 0
  const auto reported = [&](const auto& add) {
    comm.agree([&] {
      if (comm.root()) add();
    });
  };
  reported([&] { report.emplace(context, device, hosts); });
  std::string wrong;
  std::vector<Unfit> unfit;
  bool timed = false;
  const Comm self(MPI_COMM_SELF);
  for (const Variant* variant : chosen) {
    const double error = comm.max(error_against_reference(*variant, options.order, options.quadrature, self));
    if (!(error <= variant->accuracy)) {
      wrong += text(wrong.empty() ? "" : ", ", variant->name, " (relative error ", error, ")");
      continue;
    }
    for (const Elements& elements : sizes) {
      const Mesh outline = bench_outline(elements, options.order, bench_partition(*variant, elements, options, comm));
      const double needed = needed_memory(*variant, outline, options), available = available_memory(device) / sharing;
      if (comm.max(needed - available) > 0) {
        unfit.push_back({variant->name, elements, static_cast<double>(outline.global_dofs()), comm.max(needed), comm.min(available)});
        reported([&] { report->add(unfit.back()); });
        continue;
      }
      BenchResult result = measure(*variant, elements, context);
      result.relative_error = error;
      timed = true;
      reported([&] { report->add(result); });
    }
  }
  reported([&] { report->finish(); });
  if (!wrong.empty()) throw AgreedError(ExitCode::unstable, text("wrong against the reference on random data, hence not timed: ", wrong));
  if (!timed) {
    const Unfit& u = unfit.front();
    const auto gigabytes = [](double bytes) { return std::round(bytes * 1e-8) / 10; };
    throw AgreedError(ExitCode::usage,
                      text("nothing was timed: ", to_string(u.elements), " elements need ", gigabytes(u.needed), " GB of memory",
                           comm.size() > 1 ? " per rank" : "", ", ", gigabytes(u.available), " GB are available; use fewer elements"));
  }
}

}  // namespace agwave
