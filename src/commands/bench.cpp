// SPDX-License-Identifier: Apache-2.0
// agwave bench: each variant is checked against the reference on random data, then its operator and its RK4 step are timed.
#include "commands/bench.hpp"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <sstream>

#include "error.hpp"

namespace agwave {

namespace {

constexpr double largest_error = 1e-12;  // relative, on random data: rounding is 1e-15

std::vector<std::string> split_names(const std::string& list) {
  std::vector<std::string> names;
  std::istringstream in(list);
  for (std::string name; std::getline(in, name, ',');)
    if (!name.empty()) names.push_back(name);
  return names;
}

bool offers(const Variant& v, int quadrature) { return std::find(v.quadratures.begin(), v.quadratures.end(), quadrature) != v.quadratures.end(); }

// In the order of the registry. Names that do not exist or cannot run here are errors; with `all` the latter are left out, and said.
std::vector<const Variant*> chosen_variants(const BenchOptions& options, Device wanted, const CudaDevice& device) {
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
    const std::string absent = why_unavailable(v, device);
    const std::string why = !absent.empty() ? absent : offers(v, options.quadrature) ? "" : text("does not offer quadrature ", options.quadrature);
    if (why.empty())
      chosen.push_back(&v);
    else if (!all)
      throw AgreedError(absent.empty() ? ExitCode::usage : ExitCode::device, text("--variant: ", v.name, ": ", why));
    else
      std::printf("%s is left out: %s\n", v.name.c_str(), why.c_str());
  }
  if (chosen.empty())
    throw AgreedError(ExitCode::usage,
                      text("--variant: '", options.variants, "' leaves nothing to time on ", to_string(wanted), "; known: all, ", known));
  return chosen;
}

}  // namespace

void bench_command(const BenchOptions& options, const Comm& comm) {
  if (comm.size() != 1) throw AgreedError(ExitCode::usage, "bench runs on one rank; start it without mpirun");
  const CudaDevice device = options.device == "cpu" ? CudaDevice{} : find_cuda_device(0);
  if (options.device == "cuda" && !device.present) throw AgreedError(ExitCode::device, text("--device cuda: ", device.name));
  const Device wanted = device.present ? Device::cuda : Device::cpu;
  const std::vector<Elements> sizes = bench_sizes(options, wanted);
  const std::vector<const Variant*> chosen = chosen_variants(options, wanted, device);

  const Ceilings ceilings = measure_ceilings(device);
  PowerMeter meter = device.present ? PowerMeter(ceilings.pci_bus_id) : PowerMeter();
  const BenchContext context{options, comm, ceilings, meter};
  BenchReport report(context, device);
  std::string wrong;
  for (const Variant* variant : chosen) {
    const double error = error_against_reference(*variant, options.order, options.quadrature, comm);
    if (!(error <= largest_error)) {
      wrong += text(wrong.empty() ? "" : ", ", variant->name, " (relative error ", error, ")");
      continue;
    }
    for (const Elements& elements : sizes) {
      const double needed = needed_memory(*variant, elements, options), available = available_memory(device);
      if (needed > available) {
        report.add(Unfit{variant->name, elements, static_cast<double>(bench_outline(elements, options.order).global_dofs()), needed, available});
        continue;
      }
      BenchResult result = measure(*variant, elements, context);
      result.relative_error = error;
      report.add(result);
    }
  }
  report.finish();
  if (!wrong.empty()) throw AgreedError(ExitCode::unstable, text("wrong against the reference on random data, hence not timed: ", wrong));
  if (report.results().empty()) {
    const Unfit& u = report.unfit().front();
    const auto gigabytes = [](double bytes) { return std::round(bytes * 1e-8) / 10; };
    throw AgreedError(ExitCode::usage, text("nothing was timed: ", to_string(u.elements), " elements need ", gigabytes(u.needed), " GB of memory, ",
                                            gigabytes(u.available), " GB are available; use fewer elements"));
  }
}

}  // namespace agwave
