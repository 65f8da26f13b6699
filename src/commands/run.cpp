// SPDX-License-Identifier: Apache-2.0
// agwave run
#include <algorithm>
#include <cmath>
#include <cstdio>

#include "commands/commands.hpp"
#include "error/duration.hpp"
#include "error/error.hpp"
#include "run/simulation.hpp"

namespace agwave {

namespace {
void print_energy(const EnergyBudget& e) {
  if (!e.known) return;
  std::printf("energy: final %.6g J = source work %.6g J - wall loss %.6g J", e.final, e.source_work, e.boundary_loss);
  if (e.sponge_loss != 0) std::printf(" - taken by sponges and filter %.6g J", e.sponge_loss);
  if (e.floor_loss > 0) std::printf(" - floor loss %.6g J", e.floor_loss);
  std::printf(" + residual %.2g J\n", e.residual);
  const double part = std::abs(e.residual) / e.source_work;
  if (e.source_work > 0 && part > 0.01)
    std::printf(
        "note: the residual is %.2g %% of the work: sources move quicker than mesh and steps resolve. In the order that helps: a smoother or longer "
        "ramp, smaller elements, half the time.step\n",
        100 * part);
}

}  // namespace

void run_command(const CommonOptions& options, const Comm& comm) {
  StopRequest stop(comm);
  Case c = load_case(options, comm);
  RunOptions run{options.quiet};
  run.stop = &stop;
  if (!options.restart.empty()) {
    run.restart = open_restart(options.restart, c, comm);
    const bool elsewhere = !options.output.empty() || std::ranges::any_of(options.overrides, [](const std::string& s) {
      return s.starts_with("output.directory=") || (s.starts_with("output=") && s.find("directory") != s.npos);
    });
    if (const std::string there = directory_of(*run.restart); !elsewhere && !there.empty()) c.output.directory = there;
  }
  Simulation simulation(c, comm, run);
  const Summary s = simulation.run();
  if (!comm.root() || options.quiet) return;
  print_energy(s.energy);
  std::printf("highest surface %.6g m; largest |p| at sensors, and anywhere at the run's checks, %.6g Pa\n", s.max_surface_height_m,
              s.max_pressure_pa);
  std::printf("%lld steps in %s: %.4g GDOF*step/s; results in %s\n", static_cast<long long>(s.steps - s.first_step), duration(s.loop_s).c_str(),
              s.step_gdofs, c.output.directory.c_str());
}

}  // namespace agwave
