// SPDX-License-Identifier: Apache-2.0
// A run that a CPU began and a GPU ends, and the other way round, against one that stays: 1e-12. With two-sweep a run that stays on the
// GPU is continued bit for bit.
// label: gpu
#include <unistd.h>

#include <filesystem>

#include "error.hpp"
#include "harness.hpp"
#include "io/hdf5.hpp"
#include "simulation.hpp"

namespace agwave::cases {
namespace {

namespace fs = std::filesystem;

std::vector<double> read(const std::string& path, const std::string& name) {
  const hdf5::File file = hdf5::File::open(path);
  const hdf5::Handle dataset = file.own(H5Dopen2(file.id(), name.c_str(), H5P_DEFAULT), H5Dclose, "open " + name);
  const hdf5::Handle space(H5Dget_space(dataset.get()), H5Sclose);
  std::vector<double> values(static_cast<std::size_t>(H5Sget_simple_extent_npoints(space.get())));
  file.check(H5Dread(dataset.get(), H5T_NATIVE_DOUBLE, H5S_ALL, H5S_ALL, H5P_DEFAULT, values.data()), "read " + name);
  return values;
}

Case small(const std::string& device, const std::string& variant, const std::string& directory) {
  Case c = box_case({30000, 20000}, 2000, {10, 4, 3}, Wall::absorbing);
  c.domain.bathymetry = CosineBathymetry{2000, 0.2, {1, 1}};
  source(c, GaussianShape{{12000, 9000}, {4000, 3000}}, smoothstep_ramp(0, 2, 2));
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

TEST(RestartCuda, FromOneDeviceToTheOther) {
  const CudaDevice device = find_cuda_device(0);
  if (!device.present) GTEST_SKIP() << "skipped: " << device.name;
  std::string pattern = (fs::temp_directory_path() / "agwave-restart-XXXXXX").string();
  ASSERT_NE(::mkdtemp(pattern.data()), nullptr);
  const auto folder = [&](const std::string& name) { return pattern + "/" + name; };
  const Summary whole = Simulation(small("cpu", "two-sweep", folder("whole")), world(), {true}).run();
  int checked = 0;
  for (const Variant& variant : variants()) {
    if (variant.device != Device::cuda || !why_unavailable(variant, device).empty()) continue;
    for (const bool to_gpu : {true, false}) {
      SCOPED_TRACE(variant.name + (to_gpu ? ": from the CPU" : ": to the CPU"));
      const Case there = small("cuda", variant.name, folder("parts")),
                 here = small("cpu", variant.name == "pa" ? "pa" : "two-sweep", folder("parts"));
      const Summary summary = to_gpu ? in_two_parts(here, there) : in_two_parts(there, here);
      for (const char* name : {"pressure", "sensor_pressure", "surface_height"})
        EXPECT_LT(max_difference({read(folder("parts/sensors.h5"), name)}, {read(folder("whole/sensors.h5"), name)}), 1e-12) << name;
      EXPECT_LT(max_difference({read(folder("parts/surface.h5"), "maximum_height")}, {read(folder("whole/surface.h5"), "maximum_height")}), 1e-12);
      EXPECT_NEAR(summary.energy.final, whole.energy.final, 1e-12 * whole.energy.source_work);
      EXPECT_NEAR(summary.energy.boundary_loss, whole.energy.boundary_loss, 1e-12 * whole.energy.source_work);
      fs::remove_all(folder("parts"));
      ++checked;
    }
    if (variant.name != "two-sweep") continue;
    const Case stays = small("cuda", variant.name, folder("stays"));
    Simulation(stays, world(), {true}).run();
    in_two_parts(small("cuda", variant.name, folder("parts")), small("cuda", variant.name, folder("parts")));
    for (const char* name : {"pressure", "surface_height"})
      EXPECT_EQ(read(folder("parts/sensors.h5"), name), read(folder("stays/sensors.h5"), name)) << name;
    fs::remove_all(folder("parts"));
    fs::remove_all(folder("stays"));
  }
  EXPECT_GT(checked, 0);
  fs::remove_all(pattern);
}

}  // namespace
}  // namespace agwave::cases
