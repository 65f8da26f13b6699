// SPDX-License-Identifier: Apache-2.0
// agwave info: build, libraries, MPI, devices, and which variants can run here.
#include <hdf5.h>

#include <cstdio>

#include "case/shape.hpp"
#include "comm/threads.hpp"
#include "commands/commands.hpp"
#include "error/check.hpp"
#include "files/version.hpp"
#include "run/devices.hpp"
#include "timestep/two_sweep/cpu/instruction_set.hpp"
#include "timestep/variants.hpp"

namespace agwave {

void info_command(const Comm& comm) {
  const CudaDevice device = own_device(comm);
  const bool all_have = comm.min(device.present) > 0, shared = comm.max(ranks_on_device(device, comm)) > 1;
  std::string simd;
  comm.agree([&] { simd = describe_instruction_sets(); });
  const std::string warning = oversubscription(comm);
  const std::vector<TransportOption> transports = all_have ? gpu_transports(shared, comm) : std::vector<TransportOption>{};
  if (!comm.root()) return;
  const auto on = [](bool yes) { return yes ? "on" : "off"; };
  std::printf("agwave %s (commit %s), %s build\n", version, commit, build_type);
  std::printf("  host compiler  %s\n  CUDA compiler  %s\n", compiler, *cuda_compiler ? cuda_compiler : "none (AGWAVE_CUDA off)");
  std::printf("  options        CUDA %s, netCDF %s, PROJ %s, NCCL %s, BLAS %s, cuBLAS %s\n", on(has_cuda), on(has_netcdf), on(has_proj), on(has_nccl),
              on(has_blas), on(has_cublas));
  char library[MPI_MAX_LIBRARY_VERSION_STRING] = "";
  int length = 0;
  AGWAVE_MPI(MPI_Get_library_version(library, &length));
  std::string name(library, length);
  name = name.substr(0, name.find_first_of(",\n"));
  unsigned major = 0, minor = 0, release = 0;
  H5get_libversion(&major, &minor, &release);
  std::printf("  MPI            %s, %d rank%s\n", name.c_str(), comm.size(), comm.size() == 1 ? "" : "s");
  std::printf("  exchange       on CPUs mpi, from the arrays themselves\n");
  bool first = true;  // the one that auto takes
  for (const TransportOption& t : transports) {
    std::printf("                 on GPUs %-6s  %s\n", to_string(t.path),
                !t.why_not.empty() ? t.why_not.c_str()
                : first            ? "what auto takes"
                                   : "can run");
    first = first && !t.why_not.empty();
  }
  std::printf("  CPU            %s; SIMD %s\n", describe_threads(comm).c_str(), simd.c_str());
  if (!warning.empty()) std::printf("                 %s\n", warning.c_str());
  std::printf("  HDF5           %u.%u.%u\n", major, minor, release);
  if (device.present) {
    std::printf("  device         %s, compute capability %.1f, %.1f of %.1f GB free, %d on this node\n", device.name.c_str(),
                device.compute_capability / 10.0, static_cast<double>(device.free) * 1e-9, static_cast<double>(device.memory) * 1e-9, device.count);
    std::printf("                 FP32 %d times as fast as FP64%s\n", device.single_per_double,
                device.single_per_double > 4 ? ": made for solver.precision: single, which leapfrog-sweep offers" : "");
  } else {
    std::printf("  device         %s\n", device.name.c_str());
  }
  if (shared) std::printf("                 ranks share devices: runs refuse that unless %s=1\n", share_variable);
  std::printf("variants\n");
  for (const Variant& v : variants()) {
    const std::string why = v.device == Device::cuda && !device.present ? "no device" : why_unavailable(v, device);  // said once, above
    const bool single_alone = !why.empty() && v.in_single && device.present && why_unavailable(*v.in_single, device).empty();
    std::printf("  %-20s %-5s %s%s%s\n", v.name.c_str(), to_string(v.device), v.description.c_str(), v.in_single ? "; in single precision too" : "",
                why.empty() ? "" : text(single_alone ? " [here in single precision alone: " : " [not here: ", why, "]").c_str());
  }
  std::printf("sources\n");
  for (const ShapeKind& kind : shape_kinds()) std::printf("  %-20s %s\n", std::string(kind.type).c_str(), std::string(kind.description).c_str());
}

}  // namespace agwave
