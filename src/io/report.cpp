// SPDX-License-Identifier: Apache-2.0
// Progress line, progress.json, summary.json. Keys of summary.json are a contract (docs/results.md); a figure that is not
// finite is written as null. A summary that cannot be written is an error; a progress.json that cannot is one warning,
// because the traces have their disk space already and the run is still worth finishing.
#include "io/report.hpp"

#include <sys/ioctl.h>
#include <unistd.h>

#include <chrono>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <limits>
#include <nlohmann/json.hpp>
#include <string_view>

#include "error/error.hpp"
#include "files/replace_file.hpp"
#include "files/text_file.hpp"
#include "files/version.hpp"

namespace agwave {
namespace {

using Json = nlohmann::ordered_json;

double now() { return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count(); }

void write_json(const std::string& path, const Json& json, bool durable) {
  replace_file(path, json.dump(2, ' ', false, Json::error_handler_t::replace) + "\n", durable);  // titles may hold bad UTF-8
}

double remaining(const ProgressState& s) {  // [s]; NaN before the first step
  return s.step > s.first_step ? s.elapsed_s * double(s.steps - s.step) / double(s.step - s.first_step) : std::numeric_limits<double>::quiet_NaN();
}

double percent(const ProgressState& s) { return s.steps > 0 ? 100.0 * double(s.step) / double(s.steps) : 100.0; }

std::string clock_text(double seconds) {
  if (!std::isfinite(seconds)) return "--:--";
  const long long s = std::llround(seconds);
  char line[48];
  if (s >= 3600)
    std::snprintf(line, sizeof line, "%lld:%02lld:%02lld", s / 3600, s / 60 % 60, s % 60);
  else
    std::snprintf(line, sizeof line, "%lld:%02lld", s / 60, s % 60);
  return line;
}

std::string progress_line(const ProgressState& s, bool finished) {
  char line[512], energy[128] = "";
  const EnergyBudget& e = s.energy;
  if (e.known)
    std::snprintf(energy, sizeof energy, "  E %.4g = work %.4g - loss %.4g + residual %.2g J", e.final, e.source_work,
                  e.boundary_loss + e.sponge_loss + e.floor_loss, e.residual);
  std::snprintf(line, sizeof line, "%5.1f %%  step %lld/%lld  t %.2f/%g s  %s %s  %.3g GDOF*step/s  max eta %.3g m, |p| %.3g Pa%s", percent(s),
                static_cast<long long>(s.step), static_cast<long long>(s.steps), s.time_s, s.end_s, finished ? "took" : "ETA",
                clock_text(finished ? s.elapsed_s : remaining(s)).c_str(), s.gdofs, s.max_height_m, s.max_pressure_pa, energy);
  return line;
}

int terminal_width() {
  winsize size{};
  return ::ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) == 0 ? size.ws_col : 0;
}

// One that has a size: Open MPI gives rank 0 a terminal without one, wherever its output goes in the end.
bool on_terminal() {
  const char* term = std::getenv("TERM");
  return ::isatty(STDOUT_FILENO) == 1 && terminal_width() > 0 && term != nullptr && std::string_view(term) != "dumb";
}

Json energy_json(const EnergyBudget& e) {
  return Json{{"final", e.known ? Json(e.final) : Json()},
              {"source_work", e.source_work},
              {"boundary_loss", e.boundary_loss},
              {"sponge_loss", e.known ? Json(e.sponge_loss) : Json()},
              {"floor_loss", e.floor_loss},
              {"floor_energy", e.floor_energy},
              {"residual", e.known ? Json(e.residual) : Json()}};
}

Json exchange_json(const std::optional<ExchangeSummary>& e) {
  return e ? Json{{"transport", e->transport}, {"bytes_per_step", e->bytes}, {"waited_s_per_step", e->waited_s}} : Json();
}

Json progress_json(const ProgressState& s, bool finished) {
  return Json{{"finished", finished},
              {"step", s.step},
              {"steps", s.steps},
              {"percent", percent(s)},
              {"time_s", s.time_s},
              {"end_s", s.end_s},
              {"elapsed_s", s.elapsed_s},
              {"eta_s", finished ? 0.0 : remaining(s)},
              {"step_gdofs", s.gdofs},
              {"max_surface_height_m", s.max_height_m},
              {"max_pressure_pa", s.max_pressure_pa},
              {"energy", energy_json(s.energy)},
              {"checkpoint", s.checkpoint.empty() ? Json() : Json(s.checkpoint)}};
}

}  // namespace

void write_summary(const std::string& path, const Summary& s) {
  Json json{{"title", s.title},
            {"elements", s.elements},
            {"dofs", s.dofs},
            {"step_s", s.step_s},
            {"steps", s.steps},
            {"first_step", s.first_step},
            {"steps_made", s.steps - s.first_step},
            {"restarted_from", s.restarted_from.empty() ? Json() : Json(s.restarted_from)},
            {"end_s", s.end_s},
            {"wall_s", s.wall_s},
            {"loop_s", s.loop_s},
            {"step_gdofs", s.step_gdofs},
            {"model_seconds_per_second", s.model_rate},
            {"threads", s.threads},
            {"exchange", exchange_json(s.exchange)},
            {"peak_bytes_per_dof", s.peak_bytes_per_dof},
            {"energy", energy_json(s.energy)},
            {"max_pressure_pa", s.max_pressure_pa},
            {"max_surface_height_m", s.max_surface_height_m},
            {"note", listed(s.notes, "\n")},
            {"notes", s.notes},
            {"version", version},
            {"commit", commit}};
  if (!s.about.empty()) json.update(Json::parse(s.about));
  write_json(path, json, true);
}

Progress::Progress(std::string json_path, bool quiet, double seconds)
    : json_path_(std::move(json_path)), quiet_(quiet), terminal_(on_terminal()), seconds_(seconds) {}

Progress::~Progress() {
  if (line_open_) std::printf("\n");
}

bool Progress::due() const { return now() - last_ >= seconds_; }

void Progress::update(const ProgressState& state) { show(state, false); }
void Progress::finish(const ProgressState& state) { show(state, true); }

void Progress::show(const ProgressState& state, bool finished) {
  last_ = now();
  if (!json_path_.empty()) {
    try {
      write_json(json_path_, progress_json(state, finished), false);
    } catch (const Error& error) {
      if (!warned_) std::fprintf(stderr, "warning: %s; the run goes on\n", error.what());
      warned_ = true;
    }
  }
  if (quiet_) return;
  std::string line = progress_line(state, finished);
  if (terminal_) {
    // A line wider than the terminal would wrap, and \r would no longer reach its beginning.
    if (!finished) line = line.substr(0, std::size_t(terminal_width() - 1));
    std::printf("\r%s\x1b[K%s", line.c_str(), finished ? "\n" : "");
    line_open_ = !finished;
  } else if (finished || last_ - last_line_ >= plain_lines * seconds_) {
    last_line_ = last_;
    std::printf("%s\n", line.c_str());
  }
  std::fflush(stdout);
}

}  // namespace agwave
