// SPDX-License-Identifier: Apache-2.0
// agwave check: everything that can be said about a case without running it. Writes nothing but the plot.
#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstring>

#include "commands/commands.hpp"
#include "device/trace.hpp"
#include "error/duration.hpp"
#include "error/error.hpp"
#include "io/checkpoint.hpp"
#include "io/output_grid.hpp"
#include "io/write_speed.hpp"
#include "run/model.hpp"
#include "run/plot_case.hpp"
#include "run/simulation.hpp"

namespace agwave {

namespace {

// Seconds per dof and step of the variant, timed on a small flat mesh of this process.
double seconds_per_dof_step(const Case& c, const Plan& plan, const Comm& comm) {
  Case small = c;
  const bool cuda = plan.variant->device == Device::cuda;
  small.mesh.elements = cuda ? std::array<std::int64_t, 3>{32, 32, 16} : std::array<std::int64_t, 3>{8, 8, 4};
  small.mesh.spacing = {};
  small.mesh.interfaces.clear();
  const std::unique_ptr<Bathymetry> flat = make_analytic_bathymetry(FlatBathymetry{4000}, {1e5, 1e5}, {});
  const Comm self(MPI_COMM_SELF);
  const Mesh mesh = make_mesh(small.mesh, {1e5, 1e5}, make_partition(small.mesh.elements, {1, 1, 1}, 0), *flat);
  const std::vector<NodalForcing> forcing;
  const std::vector<PointWeights> points;
  const int steps = 5;
  double seconds = 0;
  comm.agree([&] {
    const auto stepper = plan.variant->make_stepper({mesh, c.ocean, c.boundary, c.solver.quadrature, self, forcing, points, {}});
    stepper->step(1e-3, {});
    stepper->view().energies();  // waits for the device
    seconds = INFINITY;
    for (int repeat = 0; repeat < 5; ++repeat) {  // others may be at work as well
      const Stopwatch watch;
      for (int n = 0; n < steps; ++n) stepper->step(1e-3, {});
      stepper->view().energies();
      seconds = std::min(seconds, watch.seconds());
    }
  });
  return comm.max(seconds) / steps / static_cast<double>(mesh.global_dofs());
}

// "5000", or "2500 to 7500".
std::string widths(const std::vector<double>& faces) {
  double least = faces[1] - faces[0], most = least;
  for (std::size_t i = 1; i + 1 < faces.size(); ++i) {
    least = std::min(least, faces[i + 1] - faces[i]);
    most = std::max(most, faces[i + 1] - faces[i]);
  }
  char line[64];
  std::snprintf(line, sizeof line, most - least < 1e-6 * most ? "%.6g" : "%.6g to %.6g", least, most);
  return line;
}

}  // namespace

void check_command(const CommonOptions& options, const std::string& plot, const Comm& comm) {
  const Case c = load_case(options, comm);
  comm.agree([&] { refuse_heights_of_a_lid(c); });  // as run does
  const Plan plan = make_plan(c, comm);
  const double cost = seconds_per_dof_step(c, plan, comm);
  const Mesh& m = plan.mesh;
  double shallow = INFINITY, deep = 0;
  for (double h : m.depth) {
    shallow = std::min(shallow, h);
    deep = std::max(deep, h);
  }
  shallow = comm.min(shallow);
  deep = comm.max(deep);
  const bool cuda = plan.variant->device == Device::cuda;
  const double memory = comm.max(plan.memory + (cuda ? 0 : plan.host_memory)), dofs = static_cast<double>(m.global_dofs());
  const std::int64_t clamped = comm.sum(m.clamped);
  const double interior = comm.min(interior_share(m.part, plan.unit));
  const double checkpoint = comm.sum(checkpoint_bytes(plan.variant->arrays, m));
  const WriteSpeed write_speed = measure_write_speed(c.output.directory, comm);
  if (comm.root()) {
    const std::int64_t sample_count = plan.steps / plan.choice.per_interval + 1;
    const auto samples = static_cast<double>(sample_count);
    const double stations = static_cast<double>(plan.sensors.seafloor.size() + plan.sensors.hydrophones.size()),
                 gauges = static_cast<double>(plan.sensors.surface.size());
    if (!plan.note.empty()) std::printf("%s\n", plan.note.c_str());
    std::printf("case      %s\n", c.title.empty() ? c.file.c_str() : c.title.c_str());
    std::printf("domain    %.6g x %.6g m%s%s\n", m.size[0], m.size[1], plan.domain->geographic() ? ", " : "", plan.domain->projection().c_str());
    std::printf(
        "depth     %.6g to %.6g m%s\n", shallow, deep,
        clamped ? text(", ", clamped, " of ", m.global_columns(), m.order == 1 ? " vertices" : " column nodes", " raised to min_depth").c_str() : "");
    std::printf("mesh      %lld x %lld x %lld elements, geometry order %d, %s x %s m wide\n", static_cast<long long>(m.elements[0]),
                static_cast<long long>(m.elements[1]), static_cast<long long>(m.elements[2]), m.order, widths(m.x_faces).c_str(),
                widths(m.y_faces).c_str());
    std::printf("dofs      %lld (%lld pressure, %lld velocity)\n", static_cast<long long>(m.global_dofs()), static_cast<long long>(m.global_nodes()),
                static_cast<long long>(m.global_dofs() - m.global_nodes()));
    std::printf("step      %.6g s; largest stable %.6g s, set by the %s (waves alone %.6g s, tightest at x = %.6g m, y = %.6g m)\n", plan.choice.dt,
                plan.limit.dt, plan.limit.walls_limit ? "absorbing walls" : "shortest waves", plan.limit.waves_only, plan.limit.x, plan.limit.y);
    std::printf("steps     %lld to t = %g s\n", static_cast<long long>(plan.steps), c.time.end);
    std::printf("sensors   %zu seafloor, %zu hydrophones, %zu surface\n", plan.sensors.seafloor.size(), plan.sensors.hydrophones.size(),
                plan.sensors.surface.size());
    std::printf("ranks     %d (%d x %d x %d), variant %s on %s\n", comm.size(), plan.grid[0], plan.grid[1], plan.grid[2], plan.variant->name.c_str(),
                plan.variant->device == Device::cuda ? plan.device.name.c_str() : "cpu");
    if (comm.size() > 1) {
      const std::string unit = plan.unit == Counts{1, 1, 1} ? "elements" : text("blocks of ", plan.unit[0], " x ", plan.unit[1], " x ", plan.unit[2]);
      std::printf("exchange  hides behind the %.3g %% of a rank's %s that touch no other rank%s\n", 100 * interior, unit.c_str(),
                  interior >= 0.5    ? ""
                  : plan.grid[2] > 1 ? ": little, so steps may wait for it; split z less (parallel.grid), or use fewer ranks"
                                     : ": little, so steps may wait for it; use fewer ranks");
    }
    std::printf("memory    %.4g GB per rank%s, %.3g bytes per dof\n", memory * 1e-9,
                cuda ? text(" on the device, ", std::round(plan.host_memory * 1e-6) * 1e-3, " GB on the host").c_str() : "",
                memory * comm.size() / dofs);
    std::printf("output    sensors.h5 %.3g MB", samples * (2 * stations + gauges + 1) * 8e-6);
    const PerMap bytes = map_bytes(c.output, m.elements, c.time.end);
    if (bytes.surface > 0) std::printf(", surface.h5 %.3g MB", bytes.surface * 1e-6);
    if (bytes.seafloor > 0) std::printf(", seafloor_*.vtkhdf %.3g MB", bytes.seafloor * 1e-6);
    if (bytes.volume > 0) std::printf(", volume_*.vtkhdf %.3g MB", bytes.volume * 1e-6);
    std::printf(" in %s\n", c.output.directory.c_str());
    if (write_speed.bytes_per_s > 0)
      std::printf("checkpoint %.3g GB in %d files, about %s at %.3g GB/s, as measured there; a run stops within %s of a signal\n", checkpoint * 1e-9,
                  comm.size(), duration(checkpoint / write_speed.bytes_per_s).c_str(), write_speed.bytes_per_s * 1e-9,
                  duration(std::ceil(20 + checkpoint / write_speed.bytes_per_s)).c_str());
    else
      std::printf("checkpoint %.3g GB in %d files; a test with 32 MB a rank could not be written there\n", checkpoint * 1e-9, comm.size());
    if (const std::string what = unfinished_run(c.output.directory); !what.empty()) std::printf("note: %s\n", what.c_str());
    std::printf("time      about %s (at %.3g GDOF*step/s, a short measurement on a small mesh: other work on this machine changes it)\n",
                duration(cost * dofs * static_cast<double>(plan.steps) / comm.size()).c_str(), 1e-9 / cost * comm.size());
  }
  if (!plot.empty()) plot_case(plan, plan.sources.uplift, c, plot, comm);
  comm.agree([&] {
    if (write_speed.refused != 0)
      throw Error(ExitCode::output, text("output.directory: nothing can be written to ", c.output.directory, ": ", std::strerror(write_speed.refused),
                                         "; give another --output"));
  });
}

}  // namespace agwave
