// SPDX-License-Identifier: Apache-2.0
// The list of variants and the choice among them.
#include "kernels/registry.hpp"

#include <algorithm>

#include "check.hpp"
#include "error.hpp"

namespace agwave {

namespace {
std::vector<Variant>& list() {  // filled by static initialisers, hence a function-local static
  static std::vector<Variant> all;
  return all;
}
}  // namespace

const std::vector<Variant>& variants() { return list(); }

RegisterVariant::RegisterVariant(Variant variant) {
  auto& all = list();
  const auto before = [](const Variant& a, const Variant& b) { return a.device != b.device ? a.device < b.device : a.rank < b.rank; };
  all.insert(std::upper_bound(all.begin(), all.end(), variant, before), std::move(variant));
}

CudaDevice find_cuda_device([[maybe_unused]] int local_rank) {
  CudaDevice device;
#if AGWAVE_CUDA
  const cudaError_t code = cudaGetDeviceCount(&device.count);
  if (code != cudaSuccess || device.count == 0) {
    device.name = code == cudaSuccess || code == cudaErrorNoDevice ? "no CUDA device" : text("no CUDA device: ", cudaGetErrorString(code));
    device.count = 0;
    cudaGetLastError();
    return device;
  }
  device.id = local_rank % device.count;
  AGWAVE_CUDA_CALL(cudaSetDevice(device.id));
  cudaDeviceProp properties{};
  AGWAVE_CUDA_CALL(cudaGetDeviceProperties(&properties, device.id));
  AGWAVE_CUDA_CALL(cudaMemGetInfo(&device.free, &device.memory));
  device.name = properties.name;
  device.compute_capability = 10 * properties.major + properties.minor;
  device.present = true;
#else
  device.name = "this build has no CUDA (option AGWAVE_CUDA)";
#endif
  return device;
}

std::string why_unavailable(const Variant& variant, const CudaDevice& device) {
  if (variant.device == Device::cpu) return "";
  if (!device.present) return device.name;
  if (device.compute_capability < variant.compute_capability)
    return text("needs compute capability ", variant.compute_capability / 10.0, ", ", device.name, " has ", device.compute_capability / 10.0);
  return "";
}

const Variant& choose_variant(const SolverCase& solver, const CudaDevice& device, std::string& note) {
  if (solver.device == "cuda" && !device.present)
    throw Error(ExitCode::device, text("solver.device: cuda was asked for, but there is ", device.name, "; use `device: auto` or `device: cpu`"));
  const bool use_cuda = solver.device == "cuda" || (solver.device == "auto" && device.present);
  if (solver.device == "auto" && !device.present) note = text("device auto: ", device.name, ", running on the CPU");
  const Device wanted = use_cuda ? Device::cuda : Device::cpu;
  const Variant* best = nullptr;
  std::string names;
  bool known = false;
  for (const Variant& v : variants()) {
    if (v.device != wanted) continue;
    names += (names.empty() ? "" : ", ") + v.name;
    if (solver.variant != "auto" && v.name != solver.variant) continue;
    known = true;
    const bool fits = std::find(v.quadratures.begin(), v.quadratures.end(), solver.quadrature) != v.quadratures.end();
    const std::string why = why_unavailable(v, device);
    if (solver.variant != "auto") {
      if (!why.empty()) throw Error(ExitCode::device, text("solver.variant: ", v.name, ": ", why));
      if (!fits)
        throw Error(ExitCode::usage, text(to_string(solver.variant_mark), ": ", v.name, " does not offer quadrature ", solver.quadrature,
                                          "; use quadrature ", v.quadratures.front(), " or another variant"));
      return v;
    }
    if (why.empty() && fits && (!best || v.rank > best->rank)) best = &v;
  }
  if (!known)
    throw Error(ExitCode::usage,
                text(to_string(solver.variant_mark), ": unknown variant '", solver.variant, "' on ", to_string(wanted), "; known: auto, ", names));
  if (!best) throw Error(ExitCode::device, text("no variant on ", to_string(wanted), " offers quadrature ", solver.quadrature));
  return *best;
}

}  // namespace agwave
