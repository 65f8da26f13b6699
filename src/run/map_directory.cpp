// SPDX-License-Identifier: Apache-2.0
#include "run/map_directory.hpp"

#include <chrono>
#include <filesystem>
#include <thread>

#include "error/error.hpp"
#include "files/utc.hpp"
#include "files/version.hpp"
#include "io/maps_file.hpp"
#include "run/p2o_manifest.hpp"
#include "run/plan_memory.hpp"
#include "run/run_directory.hpp"

namespace agwave {

namespace fs = std::filesystem;

namespace {

MapFolder folder_of(const P2oPlan& p, const char* name, bool heights) {
  return {p.c.output.directory + "/" + name, p.grid.size(), p.intervals.count, heights, p.c.p2o->single, ""};
}

// What cannot be looked at is not there: whoever makes it says why it cannot.
bool is_there(const std::string& path) {
  std::error_code ignored;
  return fs::exists(path, ignored);
}

}  // namespace

MapDirectory::MapDirectory(const P2oPlan& p2o, const Comm& world, bool quiet)
    : p2o_(p2o), world_(world), quiet_(quiet), pressure_(folder_of(p2o, "p2o", false)), height_(folder_of(p2o, "p2q", true)) {}

// Of several jobs that make parts the first begins, and it is not known which that is.
std::string MapDirectory::join(const std::string& floor) const {
  const std::string manifest = file("p2o.json");
  for (int attempt = 0; !is_there(manifest); ++attempt) try {
      make_directory(p2o_.c.output.directory);
      begin_maps(manifest, p2o_, floor);
    } catch (const Error&) {
      if (attempt == 10) throw;
      std::this_thread::sleep_for(std::chrono::milliseconds(200));
    }
  return continue_maps(manifest, p2o_, floor);
}

void MapDirectory::open(const std::string& floor, bool restart, bool part) {
  const std::string directory = p2o_.c.output.directory, manifest = file("p2o.json");
  std::string run;
  world_.agree([&] {
    if (!world_.root()) return;
    const bool begun = is_there(manifest);
    if (part) {
      run = join(floor);
      return;
    }
    if (begun && restart) {
      run = continue_maps(manifest, p2o_, floor);
      return;
    }
    if (restart)
      throw Error(ExitCode::input,
                  text("--restart: ", directory, " has no maps that were begun; give the --output of those, or begin without --restart"));
    if (begun && !is_there(file("maps.h5")))
      throw Error(ExitCode::output,
                  text(directory, " has maps that are not complete; go on with --restart, give another --output, or remove ", manifest));
    if (begun && !quiet_) std::printf("replaces the maps in %s, which were complete\n", directory.c_str());
    make_directory(p2o_.c.output.directory);
    pressure_.clear();
    height_.clear();
    std::error_code ignored;
    fs::remove(file("maps.h5"), ignored);
    run = begin_maps(manifest, p2o_, floor);
  });
  pressure_.run = height_.run = world_.broadcast(run);
  world_.agree([&] {
    if (!world_.root()) return;
    if (p2o_.stations() > 0) pressure_.create();
    if (p2o_.gauges() > 0) height_.create();
  });
}

std::vector<std::int64_t> MapDirectory::missing() const {
  std::string list;
  world_.agree([&] {
    if (!world_.root()) return;
    for (std::int64_t n = 0; n < p2o_.sources(); ++n) {
      std::string why;
      const bool there = !folder(n).read_row(row(n), p2o_.source(n).name, why).empty();
      if (!why.empty() && !quiet_) std::printf("note: %s is %s; it is made again\n", folder(n).row_file(row(n)).c_str(), why.c_str());
      list += there ? '1' : '0';
    }
  });
  list = world_.broadcast(list);
  std::vector<std::int64_t> missing;
  for (std::int64_t n = 0; n < p2o_.sources(); ++n)
    if (list[static_cast<std::size_t>(n)] == '0') missing.push_back(n);
  return missing;
}

// Maps are put together in memory, and lie in two files.
void MapDirectory::require_room(std::int64_t missing, bool makes_maps) const {
  world_.agree([&] {
    std::error_code failure;
    const fs::space_info space = fs::space(p2o_.c.output.directory, failure);
    const double bytes = p2o_.map_bytes() * static_cast<double>(missing + p2o_.sources()),
                 memory = 16.0 * static_cast<double>(p2o_.grid.size()) * static_cast<double>(p2o_.intervals.count);
    const std::string advice = "; give a larger p2o.parameters.spacing, a longer p2o.interval, fewer sensors";
    if (world_.root() && !failure && bytes > static_cast<double>(space.available))
      throw Error(ExitCode::output, text(p2o_.c.output.directory, ": maps need ", rounded(bytes * 1e-9), " GB, and ",
                                         rounded(static_cast<double>(space.available) * 1e-9), " GB are free", advice, ", or another --output"));
    if (makes_maps && memory > available_host_memory())
      throw Error(ExitCode::device, text("not enough memory for a map: ", rounded(memory * 1e-9), " GB needed, ",
                                         rounded(available_host_memory() * 1e-9), " GB available", advice));
  });
}

std::vector<double> MapDirectory::stored(std::int64_t source) const {
  std::string why;
  std::vector<double> values = folder(source).read_row(row(source), p2o_.source(source).name, why);
  if (values.empty())
    throw Error(ExitCode::output, text(folder(source).row_file(row(source)), " is ", why.empty() ? "gone" : why, "; make it again with --restart"));
  return values;
}

void MapDirectory::write(const Plan& plan, const std::vector<double>& areas, double reciprocity_error) const {
  std::vector<double> times;
  for (std::int64_t k = 0; k < p2o_.intervals.count; ++k) times.push_back(p2o_.intervals.time(k));
  const Attributes about{{"title", p2o_.c.title},
                         {"case_file", p2o_.c.source},
                         {"version", version},
                         {"commit", commit},
                         {"created", utc_now()},
                         {"motion", p2o_.c.p2o->motion == Motion::normal ? "normal" : "vertical"},
                         {"scheme", plan.variant->integrator->name},
                         {"variant", plan.variant->name},
                         {"projection", plan.domain->projection()}};
  agwave::write_maps(file("maps.h5"), {p2o_.sensors,
                                       plan.domain->geographic(),
                                       p2o_.grid,
                                       areas,
                                       times,
                                       p2o_.c.p2o->single,
                                       about,
                                       {{"interval", p2o_.intervals.length},
                                        {"end", p2o_.c.p2o->end},
                                        {"step", p2o_.intervals.dt},
                                        {"parameter_nx", static_cast<double>(p2o_.grid.nx())},
                                        {"parameter_ny", static_cast<double>(p2o_.grid.ny())},
                                        {"parameter_spacing", p2o_.grid.spacing},
                                        {"density", p2o_.c.ocean.density},
                                        {"gravity", p2o_.c.ocean.gravity},
                                        {"reciprocity_error", reciprocity_error}},
                                       [this](std::int64_t source) { return stored(source); }});
  if (p2o_.stations() > 0) pressure_.write_meta(p2o_.stations());
  if (p2o_.gauges() > 0) height_.write_meta(p2o_.gauges());
}

}  // namespace agwave
