// SPDX-License-Identifier: Apache-2.0
#include "run/restart.hpp"

#include <charconv>
#include <cmath>
#include <filesystem>

#include "case/case_changes.hpp"
#include "error/error.hpp"
#include "files/checksum.hpp"
#include "io/checkpoint.hpp"

namespace agwave {

namespace {
CaseKeys keys_of_run(CaseKeys keys) {  // which passes over p2o
  std::erase_if(keys, [](const CaseKey& key) { return key.path.starts_with("p2o."); });
  return keys;
}

// A step is taken as long as its scheme allows.
std::string other_scheme(const Manifest& m, const Plan& plan) {
  return text("that was ", m.scheme, " (variant ", m.variant, "), and this is ", plan.variant->integrator->name, " (variant ", plan.variant->name,
              "): leave out --variant, solver.variant and time.scheme, or name those");
}

// What makes the step that of the checkpoint. One that columns take in levels is too long for all of them, and without a word off with a step that is given.
std::string step_to_give(const Manifest& m, const TimeCase& time, const Plan& plan) {
  const bool in_levels = m.levels.size() > 1;
  if (in_levels && !plan.levels.local()) return text("; it was in ", m.levels.size(), " levels: restore time.local_steps");
  char exact[32] = {};  // the shortest text that reads back as the same double
  std::to_chars(exact, exact + sizeof exact - 1, m.dt);
  const char* levels = "";
  if (in_levels && !time.local_steps) levels = " with time.local_steps: auto";
  if (!in_levels && time.local_steps && plan.levels.local()) levels = " with time.local_steps: off";
  return text(", or give time.step: ", exact, levels);
}

// In the file that has them, each map has to have a place among those to come.
bool loses_maps(const Restart& restart, const OutputCase& output) {
  const double before = restart.manifest.surface_interval, now = output.surface_interval;
  const bool keeps = before == 0 || (now > 0 && std::abs(std::remainder(before, now)) < 1e-6 * now);
  std::error_code ignored;
  return !keeps && std::filesystem::equivalent(directory_of(restart), output.directory, ignored);
}
}  // namespace

Restart open_restart(const std::string& given, const Case& c, const Comm& comm) {
  Restart restart;
  comm.agree([&] {
    if (comm.root()) restart.checkpoint = find_checkpoint(given);
  });
  restart.checkpoint = comm.broadcast(restart.checkpoint);
  restart.manifest = read_manifest(restart.checkpoint, comm);
  comm.agree([&] {
    Findings findings(c.file);
    compare_keys(keys_of_run(c.keys), keys_of_run(restart.manifest.keys), findings);
    findings.raise();
  });
  return restart;
}

std::string directory_of(const Restart& restart) {
  const std::filesystem::path folder = std::filesystem::path(restart.checkpoint).lexically_normal().parent_path();
  if (folder.filename() != "checkpoints") return "";
  return folder.has_parent_path() ? folder.parent_path().string() : ".";
}

void continue_plan(const Restart& restart, const Case& c, Plan& plan) {
  const Manifest& m = restart.manifest;
  const auto refuse = [&](const std::string& what) { throw Error(ExitCode::usage, text("--restart: ", what, " (", restart.checkpoint, ")")); };
  if (m.elements != c.mesh.elements || m.order != c.mesh.order || m.quadrature != c.solver.quadrature)
    refuse("mesh or quadrature of the case are not those of the checkpoint");
  if (m.single != plan.variant->single)
    refuse(m.single
               ? text("the checkpoint was computed with solver.precision: single, which keeps by how much the state changes over a step and not the ",
                      "state itself, so nothing else can go on from it; restore the key, or run the case from the start")
               : text("solver.precision: single was asked for, and the checkpoint was computed in double precision; single precision keeps by how ",
                      "much the state changes over a step, which it does not hold; remove the key, or run the case from the start"));
  if (!(std::abs(plan.choice.dt - m.dt) <= 1e-12 * m.dt))
    refuse(
        text("the case asks for a step of ", plan.choice.dt, " s, the checkpoint was computed with ", m.dt, " s; ",
             m.scheme.empty() || m.scheme == plan.variant->integrator->name ? "undo the change of time or of the intervals" : other_scheme(m, plan),
             step_to_give(m, c.time, plan)));
  if (m.levels != levels_kept(plan))
    refuse(text("the case asks for ", plan.levels.levels.size(), " levels of local steps, the checkpoint was computed with ",
                std::max<std::size_t>(1, m.levels.size()), ", or with others; restore time.local_steps, time.safety and the intervals"));
  plan.choice.dt = m.dt;
  // Who gives the step of a checkpoint wants to go on as before, which is another filter than that step by itself has.
  if (plan.filter.steps > 0 && m.filter_longer > 0) plan.filter.longer = m.filter_longer;
  if (m.step > plan.steps)
    refuse(text("the checkpoint is at t = ", m.time, " s, the case ends before, at ", c.time.end, " s; give a later time.end"));
  if (m.sound != (plan.medium.varies() ? plan.medium.sound()->fingerprint() : ""))
    refuse("the speed of sound is not the one that the checkpoint was computed with; restore its file, or run the case from the start");
  if (m.sediments != plan.floor.sediments)
    refuse("the types of the sea floor are not those that the checkpoint was computed with; restore their file, or run the case from the start");
  if (loses_maps(restart, c.output))
    refuse(text("output.surface_interval is ", c.output.surface_interval, " s, and maps so far, every ", m.surface_interval,
                " s, would have no place in surface.h5; give ", m.surface_interval, " or a whole part of it, or another output.directory"));
  if (m.sensors != sensor_checksum(plan.sensors)) refuse("names or places of the sensors have changed; restore them, or run the case from the start");
}

std::vector<std::array<std::int64_t, 2>> levels_kept(const Plan& plan) {
  std::vector<std::array<std::int64_t, 2>> kept;
  for (const LocalLevels::Level& level : plan.levels.levels)
    if (plan.levels.local()) kept.push_back({level.halvings, level.columns});
  return kept;
}

std::string sensor_checksum(const Sensors& sensors) {
  std::string all;
  for (const auto* list : {&sensors.seafloor, &sensors.hydrophones, &sensors.surface}) {
    for (const Sensor& s : *list) all += text(s.name, '\n', s.x, ' ', s.y, ' ', list == &sensors.hydrophones ? s.z : 0.0, '\n');
    all += '\n';
  }
  return checksum_of(all);
}

}  // namespace agwave
