// SPDX-License-Identifier: Apache-2.0
// Hands the case to the plotting script.
#include "run/plot_case.hpp"

#include <algorithm>
#include <cmath>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <utility>

#include "error/error.hpp"
#include "files/replace_file.hpp"
#include "io/output_grid.hpp"
#include "run/plan_json.hpp"

namespace agwave {

namespace {

std::string find_script() {
  const char* given = std::getenv("AGWAVE_SCRIPTS");
  std::error_code none;  // where the program is, it may have been installed under another prefix or moved
  const auto program = std::filesystem::read_symlink("/proc/self/exe", none);
  const std::string beside = none ? "" : (program.parent_path().parent_path() / AGWAVE_SCRIPTS_INSTALLED).string();
  for (const std::string& directory : {std::string(given ? given : ""), beside, std::string(AGWAVE_SCRIPTS_SOURCE)})
    if (!directory.empty() && std::filesystem::exists(directory + "/plot_case.py", none)) return directory + "/plot_case.py";
  throw Error(ExitCode::output, "--plot: plot_case.py was not found; set AGWAVE_SCRIPTS to the folder that holds it");
}

// What AGWAVE_PYTHON says, else the source tree's own environment, which quickstart.sh made with all the scripts need.
std::string find_python() {
  if (const char* given = std::getenv("AGWAVE_PYTHON"); given && *given) return given;
  const std::string own = std::string(AGWAVE_SCRIPTS_SOURCE) + "/../.venv/bin/python";
  std::error_code none;  // nor if it may not be looked at
  return std::filesystem::exists(own, none) ? own : "python3";
}

std::string quoted(const std::string& argument) {  // for the shell
  std::string result = "'";
  for (char ch : argument) result += ch == '\'' ? std::string("'\\''") : std::string(1, ch);
  return result + "'";
}

nlohmann::json sensor_list(const std::vector<Sensor>& sensors) {
  nlohmann::json list = nlohmann::json::array();
  for (const Sensor& s : sensors) list.push_back({{"name", s.name}, {"x", s.x}, {"y", s.y}});
  return list;
}

// What lifts the water at point n of the map, as the load has it (fem/load.hpp): motion along the normal by the floor's true area, and of a fault also the
// sideways motion of the slope there (source/fault.cpp).
double rise(const UpliftTerm& term, const std::vector<double>& x, const std::vector<double>& y, const std::vector<double>& depth, std::size_t n) {
  const std::size_t nx = x.size(), i = n % nx, j = n / nx;
  if (!term.displacement && term.motion == Motion::vertical) return term.shape(x[i], y[j]);
  const auto around = [](std::size_t k, std::size_t size) { return std::pair{k > 0 ? k - 1 : k, k + 1 < size ? k + 1 : k}; };
  const auto [west, east] = around(i, nx);
  const auto [south, north] = around(j, y.size());
  const double h_x = (depth[j * nx + east] - depth[j * nx + west]) / (x[east] - x[west]);
  const double h_y = (depth[north * nx + i] - depth[south * nx + i]) / (y[north] - y[south]);
  if (!term.displacement) return term.shape(x[i], y[j]) * std::sqrt(1 + h_x * h_x + h_y * h_y);
  const auto u = term.displacement(x[i], y[j]);
  return u[2] + u[0] * h_x + u[1] * h_y;
}

// What a case has besides: degrees, sponges, local steps, faults.
void add_places(nlohmann::json& document, const Plan& plan, const std::vector<double>& x, const std::vector<double>& y) {
  if (plan.domain->geographic())
    for (const double north : y)
      for (const double east : x) {
        const auto [lon, lat] = plan.domain->to_lonlat(east, north);
        document["lon"].push_back(lon);
        document["lat"].push_back(lat);
      }
  if (plan.sponge.any())
    for (int wall = 0; wall < 4; ++wall) document["sponge"][wall_names[wall]] = plan.sponge.width[wall];
  if (plan.levels.local()) document["local_steps"] = levels_json(plan);
  for (const SourceFacts& source : plan.source_facts) {
    if (source.epicentre) document["epicentres"].push_back({{"x", (*source.epicentre)[0]}, {"y", (*source.epicentre)[1]}});
    for (const Outline& outline : source.outlines) document["subfaults"].push_back({{"corners", outline}});
  }
}

}  // namespace

void plot_case(const Plan& plan, const std::vector<UpliftTerm>& uplift, const Case& c, const std::string& path, const Comm& comm) {
  const OutputGrid map(plan.mesh, comm, OutputGrid::Part::surface);
  const std::vector<double> depth = map.gather_columns(plan.mesh.depth);
  comm.agree([&] {
    if (!comm.root()) return;
    const std::vector<double> x = map.x(plan.mesh), y = map.y(plan.mesh);
    std::vector<double> final_uplift(depth.size(), 0.0);
    for (const UpliftTerm& term : uplift) {
      const double amount = term.value(c.time.end);
      if (amount == 0) continue;
      for (std::size_t n = 0; n < depth.size(); ++n) final_uplift[n] += amount * rise(term, x, y, depth, n);
    }
    nlohmann::json document = {{"title", c.title},
                               {"x", x},
                               {"y", y},
                               {"depth", depth},
                               {"uplift", final_uplift},
                               {"seafloor", sensor_list(plan.sensors.seafloor)},
                               {"hydrophones", sensor_list(plan.sensors.hydrophones)},
                               {"surface", sensor_list(plan.sensors.surface)}};
    if (std::ranges::any_of(plan.source_facts, [&](const SourceFacts& source) { return source.end > c.time.end; }))
      document["uplift_at_s"] = c.time.end;  // which is not the final one
    add_places(document, plan, x, y);
    if (path.ends_with(".json")) return replace_file(path, document.dump() + "\n", false);
    const std::string python = find_python(), command = quoted(python) + " " + quoted(find_script()) + " -o " + quoted(path);
    std::FILE* pipe = popen(command.c_str(), "w");
    if (!pipe) throw Error(ExitCode::output, "--plot: cannot start " + python);
    const std::string body = document.dump();
    const auto before = std::signal(SIGPIPE, SIG_IGN);  // a script that ends before it has read everything has an exit code to report
    const bool sent = std::fwrite(body.data(), 1, body.size(), pipe) == body.size();
    const bool drawn = pclose(pipe) == 0;
    std::signal(SIGPIPE, before);
    if (!drawn || !sent)
      throw Error(ExitCode::output, "--plot: " + path + " was not drawn: see what " + python +
                                        " says above; it needs numpy and matplotlib (scripts/requirements.txt), and AGWAVE_PYTHON names another one");
  });
}

}  // namespace agwave
