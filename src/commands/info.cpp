// SPDX-License-Identifier: Apache-2.0
// agwave info: build, libraries, MPI, devices, and which variants can run here.
#include <hdf5.h>

#include <cstdio>

#include "check.hpp"
#include "commands/commands.hpp"
#include "kernels/cpu/instruction_set.hpp"
#include "kernels/registry.hpp"
#include "threads.hpp"
#include "version.hpp"

namespace agwave {

void info_command(const Comm& comm) {
  const int local_rank = comm.local_rank();
  CudaDevice device;
  std::string simd;
  comm.agree([&] {
    device = find_cuda_device(local_rank);
    simd = describe_instruction_sets();
  });
  const std::string warning = oversubscription(comm);
  if (!comm.root()) return;
  const auto on = [](bool yes) { return yes ? "on" : "off"; };
  std::printf("agwave %s (commit %s), %s build\n", version, commit, build_type);
  std::printf("  host compiler  %s\n  CUDA compiler  %s\n", compiler, *cuda_compiler ? cuda_compiler : "none (AGWAVE_CUDA off)");
  std::printf("  options        CUDA %s, netCDF %s, PROJ %s\n", on(has_cuda), on(has_netcdf), on(has_proj));
  char library[MPI_MAX_LIBRARY_VERSION_STRING] = "";
  int length = 0;
  AGWAVE_MPI(MPI_Get_library_version(library, &length));
  std::string name(library, length);
  name = name.substr(0, name.find_first_of(",\n"));
  unsigned major = 0, minor = 0, release = 0;
  H5get_libversion(&major, &minor, &release);
  std::printf("  MPI            %s, %d rank%s; exchange: staged through the host\n", name.c_str(), comm.size(), comm.size() == 1 ? "" : "s");
  std::printf("  CPU            %s; SIMD %s\n", describe_threads(comm).c_str(), simd.c_str());
  if (!warning.empty()) std::printf("                 %s\n", warning.c_str());
  std::printf("  HDF5           %u.%u.%u\n", major, minor, release);
  if (device.present)
    std::printf("  device         %s, compute capability %.1f, %.1f of %.1f GB free, %d on this node\n", device.name.c_str(),
                device.compute_capability / 10.0, static_cast<double>(device.free) * 1e-9, static_cast<double>(device.memory) * 1e-9, device.count);
  else
    std::printf("  device         %s\n", device.name.c_str());
  std::printf("variants\n");
  for (const Variant& v : variants()) {
    const std::string why = why_unavailable(v, device);
    std::printf("  %-20s %-5s %s%s%s\n", v.name.c_str(), to_string(v.device), v.description.c_str(),
                why.empty() ? "" : " [not here: ", why.empty() ? "" : (why + "]").c_str());
  }
}

}  // namespace agwave
