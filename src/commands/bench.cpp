// SPDX-License-Identifier: Apache-2.0
// agwave bench: each variant is checked against the reference on random data, then its RK4 step is timed.
#include <algorithm>
#include <cmath>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>
#include <random>

#include "commands/commands.hpp"
#include "error.hpp"
#include "kernels/registry.hpp"
#include "trace.hpp"
#include "version.hpp"

namespace agwave {

namespace {

// Sheared, curved floor, so that no geometric term vanishes.
class WavyFloor final : public Bathymetry {
 public:
  explicit WavyFloor(double depth, double length) : depth_(depth), length_(length) {}
  std::vector<double> depths(std::span<const double> x, std::span<const double> y, std::int64_t, std::int64_t) const override {
    std::vector<double> h;
    for (double yy : y)
      for (double xx : x) h.push_back(depth_ * (1 + 0.1 * std::sin(xx / length_) * std::cos(0.7 * yy / length_)));
    return h;
  }

 private:
  double depth_, length_;
};

Mesh bench_mesh(std::array<std::int64_t, 3> elements, int order) {
  MeshCase c;
  c.elements = elements;
  c.order = order;
  for (std::int64_t k = 0; k <= elements[2]; ++k) c.interfaces.push_back(static_cast<double>(k) / static_cast<double>(elements[2]));
  const double width = 1000;
  return make_mesh(c, {width * static_cast<double>(elements[0]), width * static_cast<double>(elements[1])}, make_partition(elements, {1, 1, 1}, 0), WavyFloor(500.0 * static_cast<double>(elements[2]), 3 * width));
}

std::array<std::int64_t, 3> parse_elements(const std::string& s) {
  std::array<std::int64_t, 3> e{};
  long long a = 0, b = 0, c = 0;
  char rest = 0;
  if (std::sscanf(s.c_str(), "%lldx%lldx%lld%c", &a, &b, &c, &rest) != 3 || a < 1 || b < 1 || c < 1)
    throw Error(ExitCode::usage, text("--elements: '", s, "' is not NXxNYxNZ, for example 64x64x32"));
  e = {a, b, c};
  return e;
}

std::vector<double> random_values(std::size_t n, unsigned seed) {
  std::mt19937_64 engine(seed);
  std::uniform_real_distribution<double> uniform(-1, 1);
  std::vector<double> values(n);
  for (double& v : values) v = uniform(engine);
  return values;
}

double relative_difference(const std::vector<double>& a, const std::vector<double>& b) {
  double largest = 0, scale = 0;
  for (std::size_t n = 0; n < a.size(); ++n) {
    if (!std::isfinite(a[n])) return INFINITY;
    largest = std::max(largest, std::abs(a[n] - b[n]));
    scale = std::max(scale, std::abs(b[n]));
  }
  return largest / scale;
}

struct Setting {
  OceanCase ocean;
  BoundaryCase boundary;
  std::vector<std::vector<double>> loads;
  std::vector<PointWeights> points;
};

StepperSetup setup_of(const Mesh& mesh, const Setting& s, int quadrature, const Comm& comm) { return {mesh, s.ocean, s.boundary, quadrature, comm, s.loads, s.points, "staged"}; }

// One application of both blocks on a small mesh against the reference.
double error_against_reference(const Variant& v, int order, int quadrature, const Comm& self) {
  const Mesh mesh = bench_mesh({5, 4, 3}, order);
  const Setting s;
  const StepperSetup setup = setup_of(mesh, s, quadrature, self);
  const auto p = random_values(static_cast<std::size_t>(mesh.nodes()), 1), u = random_values(static_cast<std::size_t>(mesh.NE()) * 3 * L3D, 2);
  std::vector<double> g0, r0, g, r;
  for (const Variant& reference : variants())
    if (reference.name == "reference") reference.apply_once(setup, p, u, g0, r0);
  v.apply_once(setup, p, u, g, r);
  return std::max(relative_difference(g, g0), relative_difference(r, r0));
}

double median(std::vector<double> values) {
  std::sort(values.begin(), values.end());
  return values[values.size() / 2];
}

}  // namespace

void bench_command(const BenchOptions& options, const Comm& comm) {
  const CudaDevice device = options.device == "cpu" ? CudaDevice{} : find_cuda_device(comm.local_rank());
  if (options.device == "cuda" && !device.present) throw AgreedError(ExitCode::device, text("--device cuda: ", device.name));
  const Device wanted = device.present ? Device::cuda : Device::cpu;
  if (comm.size() != 1) throw AgreedError(ExitCode::usage, "bench runs on one rank; start it without mpirun");
  std::vector<std::string> sizes = options.elements;
  if (sizes.empty()) sizes = wanted == Device::cuda ? std::vector<std::string>{"32x32x16", "128x128x128"} : std::vector<std::string>{"16x16x8"};

  nlohmann::ordered_json results = nlohmann::ordered_json::array();
  std::printf("%-12s %-5s %-14s %12s %9s %10s %12s %8s\n", "variant", "where", "elements", "dofs", "step ms", "GDOF*step/s", "bytes/dof", "error");
  int found = 0;
  for (const Variant& v : variants()) {
    const std::string names = "," + options.variants + ",";
    if (v.device != wanted || (options.variants != "all" && names.find("," + v.name + ",") == std::string::npos)) continue;
    if (std::find(v.quadratures.begin(), v.quadratures.end(), options.quadrature) == v.quadratures.end()) continue;
    ++found;
    const double error = error_against_reference(v, options.order, options.quadrature, comm);
    if (!(error < 1e-12)) throw AgreedError(ExitCode::unstable, text(v.name, " differs from the reference by ", error, " relative: it is wrong, and a wrong variant is not timed"));
    for (const std::string& size : sizes) {
      const auto elements = parse_elements(size);
      const Mesh mesh = bench_mesh(elements, options.order);
      const double need = v.bytes(mesh, options.quadrature), dofs = static_cast<double>(mesh.global_dofs());
      if (wanted == Device::cuda && need > static_cast<double>(device.free)) {
        std::printf("%-12s %-5s %-14s needs %.1f GB, %.1f GB are free\n", v.name.c_str(), to_string(v.device), size.c_str(), need * 1e-9, static_cast<double>(device.free) * 1e-9);
        continue;
      }
      const Setting s;
      const auto stepper = v.make_stepper(setup_of(mesh, s, options.quadrature, comm));
      stepper->set_state(random_values(static_cast<std::size_t>(mesh.nodes()), 3), std::vector<double>(static_cast<std::size_t>(mesh.NE()) * 3 * L3D, 0.0));
      const double dt = 1e-4;
      for (int n = 0; n < options.warmup; ++n) stepper->step(dt, {});
      stepper->wait();
      std::vector<double> times;
      for (int n = 0; n < options.steps; ++n) {
        const Stopwatch watch;
        stepper->step(dt, {});
        stepper->wait();
        times.push_back(watch.seconds());
      }
      const double seconds = median(times);
      std::printf("%-12s %-5s %-14s %12.0f %9.3f %10.4f %12.1f %8.1e\n", v.name.c_str(), to_string(v.device), size.c_str(), dofs, 1e3 * seconds, dofs / seconds * 1e-9, need / dofs, error);
      std::fflush(stdout);
      results.push_back({{"variant", v.name}, {"device", to_string(v.device)}, {"elements", elements}, {"dofs", mesh.global_dofs()}, {"quadrature", options.quadrature}, {"geometry_order", options.order},
                         {"operator_ms", nullptr}, {"operator_gdofs", nullptr}, {"step_ms", 1e3 * seconds}, {"step_gdofs", dofs / seconds * 1e-9}, {"bytes_per_dof", need / dofs},
                         {"roofline_fraction", nullptr}, {"watts", nullptr}, {"mdofs_per_joule", nullptr}, {"relative_error", error}});
    }
  }
  if (!found) throw AgreedError(ExitCode::usage, text("--variant: none of '", options.variants, "' exists on ", to_string(wanted), " with quadrature ", options.quadrature, "; agwave info lists them"));
  if (options.json.empty()) return;
  const nlohmann::ordered_json document = {{"build", {{"version", version}, {"commit", commit}, {"compiler", compiler}, {"cuda_compiler", cuda_compiler}, {"type", build_type}}},
                                           {"device", device.present ? device.name : "cpu"}, {"copy_bandwidth_tbs", nullptr}, {"results", results}};
  const std::string temporary = options.json + ".tmp";
  std::ofstream file(temporary);
  if (!(file << document.dump(2) << "\n") || !file.flush()) throw AgreedError(ExitCode::output, text("--json: cannot write ", temporary));
  std::filesystem::rename(temporary, options.json);
}

}  // namespace agwave
