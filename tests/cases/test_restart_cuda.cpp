// SPDX-License-Identifier: Apache-2.0
// A run that a CPU began and a GPU ends, and the other way round, against one that stays: 1e-12. With two-sweep a run that stays on the
// GPU is continued bit for bit.
// label: gpu
#include "error/error.hpp"
#include "run/simulation.hpp"
#include "run_directory.hpp"

namespace agwave::cases {
namespace {

class RestartCuda : public RunDirectory {};

Case small(const std::string& device, const std::string& variant, const std::string& directory) {
  Case c = box_case({30000, 20000}, 2000, {10, 4, 3}, Wall::absorbing);
  c.domain.bathymetry = CosineBathymetry{2000, 0.2, {1, 1}};
  source(c, gaussian({12000, 9000}, {4000, 3000}), smoothstep_ramp(0, 2, 2));
  set_time(c, 6, 0.25);
  seafloor(c, 9000, 9000);
  hydrophone(c, 20000, 15000, -700);
  gauge(c, 14000, 9000);
  c.output.surface_interval = 1;
  c.solver.device = device;
  c.solver.variant = variant;
  c.output.directory = directory;
  return c;
}

// Runs to 3 s in the first place, then to 6 s in the second; both empty: in one go.
Summary in_two_parts(Case first, const Case& second) {
  first.time.end = 3;
  first.output.checkpoint_interval = 1.5;
  Simulation(first, world(), {true}).run();
  RunOptions options{true};
  options.restart = open_restart(first.output.directory, second, world());
  return Simulation(second, world(), options).run();
}

TEST_F(RestartCuda, FromOneDeviceToTheOther) {
  const CudaDevice device = find_cuda_device(0);
  if (!device.present) GTEST_SKIP() << "skipped: " << device.name;
  const Summary of_leapfrog = Simulation(small("cpu", "leapfrog-sweep", path("whole_leapfrog4")), world(), {true}).run();
  const Summary of_rk4 = Simulation(small("cpu", "two-sweep", path("whole_rk4")), world(), {true}).run();
  int checked = 0;
  for (const Variant& variant : variants()) {
    if (variant.device != Device::cuda || !why_unavailable(variant, device).empty()) continue;
    for (const bool to_gpu : {true, false}) {
      SCOPED_TRACE(variant.name + (to_gpu ? ": from the CPU" : ": to the CPU"));
      const bool leapfrog = variant.integrator->from_rest;
      const std::string whole = leapfrog ? "whole_leapfrog4/" : "whole_rk4/";
      const Case there = small("cuda", variant.name, path("parts")), here = small("cpu",
                                                                                  leapfrog               ? "leapfrog-sweep"
                                                                                  : variant.name == "pa" ? "pa"
                                                                                                         : "two-sweep",
                                                                                  path("parts"));
      const Summary summary = to_gpu ? in_two_parts(here, there) : in_two_parts(there, here);
      for (const char* name : {"pressure", "sensor_pressure", "surface_height"})
        EXPECT_LT(max_difference({read("parts/sensors.h5", name)}, {read(whole + "sensors.h5", name)}), 1e-12) << name;
      EXPECT_LT(max_difference({read("parts/surface.h5", "maximum_height")}, {read(whole + "surface.h5", "maximum_height")}), 1e-12);
      const auto& energy = (leapfrog ? of_leapfrog : of_rk4).energy;
      EXPECT_NEAR(summary.energy.final, energy.final, 1e-12 * energy.source_work);
      EXPECT_NEAR(summary.energy.boundary_loss, energy.boundary_loss, 1e-12 * energy.source_work);
      std::filesystem::remove_all(path("parts"));
      ++checked;
    }
    if (!variant.name.ends_with("-sweep")) continue;
    const Case stays = small("cuda", variant.name, path("stays"));
    Simulation(stays, world(), {true}).run();
    in_two_parts(small("cuda", variant.name, path("parts")), small("cuda", variant.name, path("parts")));
    for (const char* name : {"pressure", "surface_height"}) EXPECT_EQ(read("parts/sensors.h5", name), read("stays/sensors.h5", name)) << name;
    std::filesystem::remove_all(path("parts"));
    std::filesystem::remove_all(path("stays"));
  }
  EXPECT_GT(checked, 0);
}

}  // namespace
}  // namespace agwave::cases
