// SPDX-License-Identifier: Apache-2.0
// Maps of a run against its state: the last snapshots hold the nodal values of p where the points are, on any number of ranks; an arrival
// comes at the step where the height first passes the threshold; a disk that fills up while the writer works ends the run with exit 5.
// ranks: 1 2 4
#include <sys/resource.h>

#include <csignal>

#include "run/simulation.hpp"
#include "run_directory.hpp"

namespace agwave::cases {
namespace {

namespace fs = std::filesystem;

class SnapshotFiles : public RunDirectory {
 protected:
  Case small_case() const {
    Case c = box_case({4000, 2000}, 1000, {4, 2, 2}, Wall::absorbing);
    c.domain.bathymetry = GaussianBathymetry{1000, 400, {2500, 1100}, {600, 500}};
    source(c, gaussian({1700, 900}, {500, 400}), smoothstep_ramp(0, 0.5, 2));
    c.time.end = 2;
    c.output.directory = directory_.string();
    c.output.surface_interval = c.output.seafloor_interval = 0.5;
    c.output.volume_interval = 1;
    return c;
  }
};

// p at all nodes of the mesh, x fastest, on every rank.
std::vector<double> whole_pressure(Model& model) {
  std::vector<double> p, u;
  model.stepper().get_state(p, u);
  const Mesh& m = model.mesh();
  std::vector<double> whole(static_cast<std::size_t>(m.global_nodes()), 0.0);
  std::size_t n = 0;
  for (int k = 0; k < m.NZ(); ++k)
    for (int j = 0; j < m.NY(); ++j)
      for (int i = 0; i < m.NX(); ++i, ++n)
        if (m.owned(i, j, k))
          whole[((4 * m.part.first[2] + k) * (4 * m.elements[1] + 1) + 4 * m.part.first[1] + j) * (4 * m.elements[0] + 1) + 4 * m.part.first[0] + i] =
              p[n];
  world().sum(whole);
  return whole;
}

TEST_F(SnapshotFiles, HoldTheStateAtTheirPoints) {
  for (const int cells : {1, 2, 4}) {
    SCOPED_TRACE(cells);
    Case c = small_case();
    c.output.cells_per_edge = cells;
    Simulation simulation(c, world(), {true});
    simulation.run();
    const std::vector<double> p = whole_pressure(simulation.model());
    if (!world().root()) continue;
    const int stride = 4 / cells, NX = 17, NY = 9, NZ = 9;
    const auto expected = [&](int step, int k0, int k1, double factor) {
      std::vector<double> values;
      for (int k = k0; k <= k1; k += step)
        for (int j = 0; j < NY; j += step)
          for (int i = 0; i < NX; i += step) values.push_back(static_cast<float>(factor * p[(k * NY + j) * NX + i]));
      return values;
    };
    EXPECT_EQ(read("volume_00002.vtkhdf", "VTKHDF/PointData/pressure"), expected(stride, 0, NZ - 1, 1));
    EXPECT_EQ(read("seafloor_00004.vtkhdf", "VTKHDF/PointData/pressure"), expected(stride, 0, 0, 1));
    EXPECT_EQ(read("volume_00001.vtkhdf", "VTKHDF/FieldData/TimeValue"), std::vector<double>{1});
    EXPECT_FALSE(fs::exists(directory_ / "volume_00003.vtkhdf"));
    const std::vector<double> eta = read("surface.h5", "surface_height"), last = expected(2, NZ - 1, NZ - 1, 1 / (1025 * 9.81));
    ASSERT_EQ(eta.size(), 5 * last.size());
    for (std::size_t n = 0; n < last.size(); ++n) EXPECT_FLOAT_EQ(eta[4 * last.size() + n], last[n]);
    // Through the link, z of the floor is minus the depth.
    const std::vector<double> points = read("seafloor_00000.vtkhdf", "VTKHDF/Points"),
                              depth = read("seafloor_00000.vtkhdf", "VTKHDF/PointData/depth");
    ASSERT_EQ(points.size(), 3 * depth.size());
    for (std::size_t n = 0; n < depth.size(); ++n) EXPECT_EQ(points[3 * n + 2], -depth[n]);
    EXPECT_GT(*std::max_element(depth.begin(), depth.end()) - *std::min_element(depth.begin(), depth.end()), 250);
    EXPECT_GT(max_abs(read("volume_00002.vtkhdf", "VTKHDF/PointData/pressure")), 1e4);
  }
}

TEST_F(SnapshotFiles, ArrivalsFollowTheThreshold) {
  std::vector<double> arrival[2];
  const double thresholds[2] = {0.01, 0.1};
  for (int n = 0; n < 2; ++n) {
    Case c = small_case();
    c.output.arrival_threshold = thresholds[n];
    gauge(c, 1500, 500);  // on a node that is a point of the map
    c.sensors.interval = c.time.step = 1.0 / 64;
    Simulation simulation(c, world(), {true});
    simulation.run();
    if (!world().root()) continue;
    arrival[n] = read("surface.h5", "arrival_time");
    const std::vector<double> x = read("surface.h5", "x"), y = read("surface.h5", "y"), trace = read("sensors.h5", "surface_height");
    ASSERT_EQ(x[3], 1500);
    ASSERT_EQ(y[1], 500);
    const auto first = std::find_if(trace.begin(), trace.end(), [&](double eta) { return std::abs(eta) > thresholds[n]; });
    ASSERT_NE(first, trace.end());
    EXPECT_EQ(arrival[n][x.size() + 3], static_cast<double>(first - trace.begin()) / 64);
  }
  if (!world().root()) return;
  int later = 0;
  for (std::size_t n = 0; n < arrival[0].size(); ++n) {
    const bool reached = !std::isnan(arrival[1][n]);
    EXPECT_TRUE(!reached || arrival[0][n] <= arrival[1][n]);
    later += !reached || arrival[1][n] > arrival[0][n];
  }
  EXPECT_GT(later, 10);
}

TEST_F(SnapshotFiles, ADiskThatFillsUpEndsTheRun) {
  Case c = small_case();
  c.output.volume_interval = 0.5;
  c.output.cells_per_edge = 4;
  Simulation simulation(c, world(), {true});
  rlimit before{}, little{};
  ::getrlimit(RLIMIT_FSIZE, &before);
  little = {2000, before.rlim_max};
  const auto handler = std::signal(SIGXFSZ, SIG_IGN);
  ::setrlimit(RLIMIT_FSIZE, &little);
  std::string message = "no error";
  ExitCode code = ExitCode::done;
  try {
    simulation.run();
  } catch (const AgreedError& error) {
    message = error.what();
    code = error.code();
  }
  ::setrlimit(RLIMIT_FSIZE, &before);
  std::signal(SIGXFSZ, handler);
  EXPECT_EQ(code, ExitCode::output) << message;
  EXPECT_NE(message.find("File too large"), std::string::npos) << message;
  if (world().root()) {
    EXPECT_FALSE(fs::exists(directory_ / "summary.json"));
  }
}

}  // namespace
}  // namespace agwave::cases
