// SPDX-License-Identifier: Apache-2.0
// agwave run
#include <cstdio>

#include "commands/commands.hpp"
#include "error.hpp"
#include "simulation.hpp"

namespace agwave {

void run_command(const CommonOptions& options, const Comm& comm) {
  StopRequest stop(comm);
  const Case c = load_case(options, comm);
  RunOptions run{options.quiet};
  run.stop = &stop;
  if (!options.restart.empty()) run.restart = open_restart(options.restart, c, comm);
  Simulation simulation(c, comm, run);
  const Summary s = simulation.run();
  if (!comm.root() || options.quiet) return;
  std::printf("energy: final %.6g J = source work %.6g J - wall loss %.6g J%s + residual %.2g J\n", s.energy.final, s.energy.source_work,
              s.energy.boundary_loss, s.energy.sponge_loss > 0 ? text(" - sponge loss ", s.energy.sponge_loss, " J").c_str() : "", s.energy.residual);
  std::printf("largest |p| %.6g Pa, highest surface %.6g m\n", s.max_pressure_pa, s.max_surface_height_m);
  std::printf("%lld steps in %.2f s: %.4g GDOF*step/s; results in %s\n", static_cast<long long>(s.steps), s.loop_s, s.step_gdofs,
              c.output.directory.c_str());
}

}  // namespace agwave
