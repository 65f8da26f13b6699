// SPDX-License-Identifier: Apache-2.0
// What the user sees while a run goes on and what it leaves for scripts: progress line, progress.json, summary.json.
// JSON files are written under a temporary name and renamed, so that no reader meets half a file.
#pragma once
#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace agwave {

struct EnergyBudget {
  double final = 0, source_work = 0, boundary_loss = 0, residual = 0, sponge_loss = 0;
  double floor_loss = 0, floor_energy = 0;  // taken by a floor that gives way, and held in its springs, which `final` contains
  bool known = true;                        // else `final` lacks the energy of motion, and no budget closes
};                                          // [J]; residual = final - work + all losses

struct ExchangeSummary {  // per step, the busiest rank's figures
  std::string transport;
  double bytes = 0;     // sent
  double waited_s = 0;  // that its work stood still for them
};

struct Summary {
  std::string title;
  std::array<std::int64_t, 3> elements{};
  std::int64_t dofs = 0;
  double step_s = 0;
  std::int64_t steps = 0;
  double end_s = 0, wall_s = 0, loop_s = 0, step_gdofs = 0;
  double model_rate = 0;  // model seconds per second of the loop
  int threads = 1;
  std::optional<ExchangeSummary> exchange{};  // of several ranks
  double peak_bytes_per_dof = 0;
  EnergyBudget energy;
  // Largest |p| (Eulerian perturbation) at any node whenever the state was checked (t = 0, every 50 steps up to 600 and then every 200, the end), at
  // any sampled sensor or gauge, and where the surface stands highest at any step. So it is not below any `pressure` in
  // sensors.h5; in the water between two checks p may have been larger, and so may sensor_pressure = p - rho g b.
  double max_pressure_pa = 0;
  double max_surface_height_m = 0;   // highest elevation at any node and step (a gauge between nodes may show more); 0 below a rigid lid
  std::vector<std::string> notes{};  // lines that the user should read, as at the start: reflected waves within the run, what `auto` chose
  std::int64_t first_step = 0;       // of this leg of the run: 0, or where it went on after a restart
  std::string restarted_from{};      // the checkpoint, if any
  std::string about{};               // a JSON object whose members are written as they are: plan_json
};
void write_summary(const std::string& path, const Summary& summary);  // adds version and commit

struct ProgressState {
  std::int64_t step = 0, steps = 0;
  double time_s = 0, end_s = 0, elapsed_s = 0;
  double gdofs = 0;                              // dof*step/s so far / 1e9
  double max_height_m = 0, max_pressure_pa = 0;  // these and the energy: at the last check of the state
  EnergyBudget energy{};
  std::string checkpoint{};     // the newest, if any
  std::int64_t first_step = 0;  // where this run began, after a restart
};

class Progress {
 public:
  // Shows a line and rewrites progress.json (none when its path is empty) at every update; `due` paces the caller. The
  // line overwrites itself on a terminal; elsewhere lines are appended, at most one every 15 * `seconds`; none when quiet.
  Progress(std::string json_path, bool quiet, double seconds = 2.0);
  ~Progress();  // leaves the terminal on a fresh line, for the error that ended the run
  Progress(const Progress&) = delete;
  Progress& operator=(const Progress&) = delete;
  bool due() const;  // enough wall time has passed since the last update
  void update(const ProgressState& state);
  void finish(const ProgressState& state);

 private:
  static constexpr double plain_lines = 15;  // a log should not grow by a line every two seconds
  void show(const ProgressState& state, bool finished);
  std::string json_path_;
  bool quiet_, terminal_, warned_ = false, line_open_ = false;
  double seconds_, last_ = -1e30, last_line_ = -1e30;
};

}  // namespace agwave
