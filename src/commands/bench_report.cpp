// SPDX-License-Identifier: Apache-2.0
// The tables of `agwave bench` and its JSON file (its keys are a contract with scripts). What cannot be had is `-` or null.
#include <cmath>
#include <cstdio>
#include <nlohmann/json.hpp>
#include <numeric>

#include "comm/threads.hpp"
#include "commands/bench.hpp"
#include "error/error.hpp"
#include "files/replace_file.hpp"
#include "files/utc.hpp"
#include "files/version.hpp"
#include "run/schedule.hpp"
#include "timestep/two_sweep/cpu/instruction_set.hpp"

namespace agwave {

namespace {

using Json = nlohmann::ordered_json;

std::string number(std::optional<double> value, int digits) {  // significant, never in exponents
  if (!value || !std::isfinite(*value)) return "-";
  const int whole = *value == 0 ? 1 : static_cast<int>(std::floor(std::log10(std::abs(*value)))) + 1;
  char out[48];
  std::snprintf(out, sizeof out, "%.*f", std::min(std::max(digits - whole, 0), 5), *value);
  return out;
}

std::optional<double> known(const EnergyUse& e, double value) { return e.known ? std::optional<double>(value) : std::nullopt; }
std::optional<double> scaled(std::optional<double> value, double factor) { return value ? std::optional<double>(*value * factor) : std::nullopt; }
std::optional<double> rate(const BenchResult& r) { return r.operator_s ? std::optional<double>(r.dofs / *r.operator_s * 1e-9) : std::nullopt; }
std::optional<double> operator_mdofs_per_joule(const BenchResult& r) { return known(r.operator_energy, r.dofs / r.operator_energy.joules * 1e-6); }
std::optional<double> step_mdofs_per_joule(const BenchResult& r) {
  return known(r.step_energy, r.variant->integrator->operators * r.dofs / r.step_energy.joules * 1e-6);
}
Json json(std::optional<double> value) { return value && std::isfinite(*value) ? Json(*value) : Json(nullptr); }

std::vector<double> milliseconds(std::vector<double> seconds) {
  for (double& s : seconds) s *= 1e3;
  return seconds;
}

Json json(const KernelInfo& k, int threads_per_sm) {
  const Json occupancy = threads_per_sm > 0 ? Json(static_cast<double>(k.threads) * k.blocks_per_sm / threads_per_sm) : Json(nullptr);
  return {{"name", k.name},
          {"threads", k.threads},
          {"registers", k.registers},
          {"shared_bytes", k.shared_bytes},
          {"local_bytes", k.local_bytes},
          {"blocks_per_sm", k.blocks_per_sm},
          {"occupancy", occupancy}};
}

constexpr std::array<const char*, moments> moment_names{"begin", "boundary", "packed", "arrived", "unpacked", "interior", "resumed"};

Json json(const ExchangeResult& e) {
  Json blocks = Json::array(), links = Json::array(), timeline = Json::array();
  for (const Timeline& round : e.timeline) {
    Json line;
    for (std::size_t m = 0; m < moments; ++m) line[text(moment_names[m], "_ms")] = json(1e3 * round[m]);
    timeline.push_back(line);
  }
  for (const auto& [elements, seconds] : e.blocks) blocks.push_back({{"elements", elements}, {"step_ms", 1e3 * seconds}});
  for (const auto& l : e.links) {
    Json samples = Json::array();
    for (const LinkSample& s : l.samples) samples.push_back({{"bytes", s.bytes}, {"us", 1e6 * s.seconds}});
    links.push_back({{"distance", l.ranks}, {"latency_us", 1e6 * l.link.latency}, {"bandwidth_gbs", 1e-9 * l.link.bandwidth}, {"samples", samples}});
  }
  return {{"rounds", e.rounds},
          {"messages", e.messages},
          {"bytes", e.bytes},
          {"exchange_ms", 1e3 * e.exchange_s},
          {"alone_ms", 1e3 * e.alone_s},
          {"added_ms", 1e3 * e.added_s},
          {"interior_ms", 1e3 * e.interior_s},
          {"boundary_ms", 1e3 * (e.alone_s - e.interior_s)},
          {"host_ms", 1e3 * e.host_s},
          {"waited_ms", 1e3 * e.waited_s},
          {"least_waited_ms", 1e3 * e.least_waited_s},
          {"unit", e.unit},
          {"blocks", blocks},
          {"links", links},
          {"timeline", timeline}};
}

Json json(const BenchResult& r, const BenchContext& context) {
  Json kernels = Json::array();
  for (const KernelInfo& k : r.kernels) kernels.push_back(json(k, context.ceilings.threads_per_sm));
  const bool modelled = r.cost.flops > 0 && r.cost.bytes > 0;
  return {{"variant", r.variant->name},
          {"precision", precision_of(*r.variant)},
          {"device", to_string(r.variant->device)},
          {"elements", r.elements},
          {"dofs", static_cast<std::int64_t>(r.dofs)},
          {"ranks", context.comm.size()},
          {"grid", r.grid},
          {"stands_for", r.stands_for},
          {"quadrature", context.options.quadrature},
          {"geometry_order", context.options.order},
          {"operator_ms", json(scaled(r.operator_s, 1e3))},
          {"operator_gdofs", json(rate(r))},
          {"step_ms", 1e3 * r.step_s},
          {"steps_ms", milliseconds(r.steps_s)},
          {"step_gdofs", r.dofs / r.step_s * 1e-9},
          {"step_roofline_fraction", json(r.step_roofline_fraction)},
          {"step_flops", r.step_cost.flops > 0 ? Json(r.step_cost.flops) : Json(nullptr)},
          {"step_bytes", r.step_cost.bytes > 0 ? Json(r.step_cost.bytes) : Json(nullptr)},
          {"integrator", r.variant->integrator->name},
          {"automatic_step_s", r.automatic_step},
          {"model_seconds_per_second", r.automatic_step / r.step_s},
          {"operator_equivalent_gdofs", r.variant->integrator->operators * r.dofs / r.step_s * 1e-9},
          {"bytes_per_dof", r.bytes_per_dof},
          {"predicted_bytes_per_dof", r.predicted_bytes_per_dof},
          {"roofline_fraction", json(r.roofline_fraction)},
          {"flops", modelled ? Json(r.cost.flops) : Json(nullptr)},
          {"bytes", modelled ? Json(r.cost.bytes) : Json(nullptr)},
          {"int8_operations", r.cost.int8 > 0 ? Json(r.cost.int8) : Json(nullptr)},
          {"tensor_cores", r.variant->tensor_cores},
          {"watts", json(known(r.operator_energy, r.operator_energy.watts))},
          {"mdofs_per_joule", json(operator_mdofs_per_joule(r))},
          {"step_watts", json(known(r.step_energy, r.step_energy.watts))},
          {"step_mdofs_per_joule", json(step_mdofs_per_joule(r))},
          {"plan", r.plan.empty() ? Json(nullptr) : Json(r.plan)},
          {"relative_error", r.relative_error},
          {"kernels", kernels},
          {"guard_ms", json(scaled(r.guard_s, 1e3))},
          {"exchange", r.exchange ? json(*r.exchange) : Json(nullptr)}};
}

void print(const ExchangeResult& e, double step_s) {
  const auto percent = [&](double s) { return 100 * s / step_s; };
  std::printf(
      "  exchange: %.0f rounds, %.0f messages, %.4g MB a step; alone %.4g ms (%.3g %% of the step), host time within the step %.4g ms (%.3g %%)\n",
      e.rounds, e.messages, 1e-6 * e.bytes, 1e3 * e.exchange_s, percent(e.exchange_s), 1e3 * e.host_s, percent(e.host_s));
  std::printf("  the block without neighbours %.4g ms (interior %.4g, boundary %.4g); neighbours add %.4g ms (%.3g %%)\n", 1e3 * e.alone_s,
              1e3 * e.interior_s, 1e3 * (e.alone_s - e.interior_s), 1e3 * e.added_s, percent(e.added_s));
  std::printf("  the step stands still for neighbours %.4g ms (%.3g %%) on the rank that waits most, %.4g ms (%.3g %%) on the one that waits least\n",
              1e3 * e.waited_s, percent(e.waited_s), 1e3 * e.least_waited_s, percent(e.least_waited_s));
  if (!e.timeline.empty()) {
    std::printf("  the last exchanges of rank 0 [ms]:");
    for (const char* name : moment_names) std::printf(" %9s", name);
    for (std::size_t n = e.timeline.size() - std::min<std::size_t>(e.timeline.size(), 4); n < e.timeline.size(); ++n) {
      const Timeline& round = e.timeline[n];
      const double first = std::accumulate(round.begin(), round.end(), std::nan(""), [](double a, double b) { return std::fmin(a, b); });
      std::printf("\n%36s", "");
      for (const double seconds : round) std::printf(" %9s", number(1e3 * (seconds - first), 6).c_str());
    }
    std::printf("\n");
  }
  for (const auto& l : e.links)
    std::printf("  link between ranks %d apart: latency %.3g us, bandwidth %.3g GB/s each way\n", l.ranks, 1e6 * l.link.latency,
                1e-9 * l.link.bandwidth);
}

}  // namespace

BenchReport::BenchReport(const BenchContext& context, const CudaDevice& device, int hosts)
    : context_(context),
      hosts_(hosts),
      device_(device.present ? device.name : "cpu"),
      threads_(device.present ? "" : text(", ", describe_threads(context.comm), ", ", instruction_set().name)),
      date_(utc_now()) {
  const Ceilings& c = context.ceilings;
  const BenchOptions& o = context.options;
  std::printf("agwave %s (commit %s, %s), %s\n", version, commit, build_type, date_.c_str());
  std::printf("%s: copy bandwidth %.3g TB/s measured, FP64 peak %.3g TFLOP/s%s", (device_ + threads_).c_str(), c.copy_bandwidth * 1e-12,
              c.fp64 * 1e-12, device.present ? "" : " measured");
  if (c.fp64_tensor > c.fp64) std::printf(", with tensor cores %.3g", c.fp64_tensor * 1e-12);
  if (c.int8 > 0) std::printf(", INT8 %.4g TOP/s", c.int8 * 1e-12);
  if (context.comm.size() > 1)
    std::printf("\n%d ranks on %d hosts, exchange %s (%s); copy bandwidth and peaks of rank 0", context.comm.size(), hosts_,
                to_string(context.transport.path), context.transport.why.c_str());
  if (!o.within.empty())
    std::printf("\nwithin %s: every rank does what one in the middle of that grid does; figures are the grid's if all of it is as fast",
                o.within.c_str());
  std::printf("\n%s precision, quadrature %d, geometry order %d; medians of %d after %d; energy: %s\n\n", o.precision.c_str(), o.quadrature, o.order,
              o.steps, o.warmup,
              context.comm.size() > 1 ? "not measured on several ranks"
              : o.energy_seconds > 0  ? context.meter.how().c_str()
                                      : "not asked for");
  std::printf("%-19s %-12s %10s | %8s %7s %4s | %8s %7s %4s | %6s %7s | %7s\n", "", "", "", "operator", "", "roof", "step", "GDOF*", "roof", "", "",
              "model");
  std::printf("%-19s %-12s %10s | %8s %7s %4s | %8s %7s %4s | %6s %7s | %7s\n", "variant", "elements", "dofs", "ms", "GDOF/s", "%", "ms", "step/s",
              "%", "B/dof", "MDOF/J", "s/s");
  std::fflush(stdout);
  write();
}

void BenchReport::add(const BenchResult& r) {
  results_.push_back(r);
  std::printf("%-19s %-12s %10.0f | %8s %7s %4s | %8s %7s %4s | %6.1f %7s | %7s\n", r.variant->name.c_str(), to_string(r.elements).c_str(), r.dofs,
              number(scaled(r.operator_s, 1e3), 5).c_str(), number(rate(r), 4).c_str(), number(scaled(r.roofline_fraction, 100), 3).c_str(),
              number(1e3 * r.step_s, 5).c_str(), number(r.dofs / r.step_s * 1e-9, 4).c_str(),
              number(scaled(r.step_roofline_fraction, 100), 3).c_str(), r.bytes_per_dof,
              number(r.operator_s ? operator_mdofs_per_joule(r) : step_mdofs_per_joule(r), 4).c_str(),
              number(r.automatic_step / r.step_s, 4).c_str());
  if (!r.plan.empty()) std::printf("  %s\n", r.plan.c_str());
  if (r.guard_s)
    std::printf("  guards: a check takes %.3g ms, %.2g %% of %d steps\n", 1e3 * *r.guard_s, 100 * *r.guard_s / (guard_steps * r.step_s),
                static_cast<int>(guard_steps));
  if (r.exchange) print(*r.exchange, r.step_s);
  std::fflush(stdout);
  write();
}

void BenchReport::add(const Unfit& u) {
  unfit_.push_back(u);
  std::printf("%-19s %-12s %10.0f | does not fit: needs %.1f GB, %.1f GB available\n", u.variant.c_str(), to_string(u.elements).c_str(), u.dofs,
              u.needed * 1e-9, u.available * 1e-9);
  std::fflush(stdout);
  write();
}

void BenchReport::finish() const {
  bool head = false;
  const Variant* last = nullptr;
  for (const BenchResult& r : results_) {
    if (r.variant != last)
      std::printf("%s%-16s relative error against the reference %.1e\n", last ? "" : "\n", r.variant->name.c_str(), r.relative_error);
    last = r.variant;
  }
  last = nullptr;
  for (const BenchResult& r : results_) {
    if (r.variant == last) continue;  // the same kernels at every size
    last = r.variant;
    for (const KernelInfo& k : r.kernels) {
      if (!head)
        std::printf("\n%-16s %-28s %7s %9s %9s %8s %9s %9s\n", "variant", "kernel", "threads", "registers", "shared B", "local B", "blocks/SM",
                    "occupancy");
      head = true;
      const int limit = context_.ceilings.threads_per_sm;
      const double occupancy = limit > 0 ? 100.0 * k.threads * k.blocks_per_sm / limit : 0.0;  // of the threads an SM holds [%]
      std::printf("%-16s %-28s %7d %9d %9d %8d %9d %7.0f %%\n", r.variant->name.c_str(), k.name.c_str(), k.threads, k.registers, k.shared_bytes,
                  k.local_bytes, k.blocks_per_sm, occupancy);
    }
  }
  write(true);
}

// A file anew each time, a stream once.
void BenchReport::write(bool last) const {
  if (context_.options.json.empty() || (!last && is_stream(context_.options.json))) return;
  const Ceilings& c = context_.ceilings;
  Json results = Json::array(), unfit = Json::array();
  for (const BenchResult& r : results_) results.push_back(json(r, context_));
  for (const Unfit& u : unfit_)
    unfit.push_back({{"variant", u.variant},
                     {"elements", u.elements},
                     {"dofs", static_cast<std::int64_t>(u.dofs)},
                     {"needed_bytes", u.needed},
                     {"available_bytes", u.available}});
  const Json document = {
      {"build", {{"version", version}, {"commit", commit}, {"compiler", compiler}, {"cuda_compiler", cuda_compiler}, {"type", build_type}}},
      {"date", date_},
      {"device", device_},
      {"ranks", context_.comm.size()},
      {"hosts", hosts_},
      {"transport", to_string(context_.transport.path)},
      {"threads", device_ == "cpu" ? Json(threads()) : Json(nullptr)},
      {"instruction_set", device_ == "cpu" ? Json(instruction_set().name) : Json(nullptr)},
      {"copy_bandwidth_tbs", c.copy_bandwidth * 1e-12},
      {"fp64_tflops", c.fp64 * 1e-12},
      {"fp64_tensor_tflops", c.fp64_tensor * 1e-12},
      {"int8_tops", c.int8 * 1e-12},
      {"energy", context_.meter.how()},
      {"results", results},
      {"does_not_fit", unfit}};
  try {
    replace_file(context_.options.json, document.dump(2) + "\n", false);
  } catch (const Error& error) {
    throw Error(error.code(), text("--json: ", error.what(), "; give a file in a folder that is there and can be written to"));
  }
}

}  // namespace agwave
