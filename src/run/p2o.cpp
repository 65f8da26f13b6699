// SPDX-License-Identifier: Apache-2.0
#include "run/p2o.hpp"

#include <algorithm>
#include <cmath>
#include <ctime>
#include <filesystem>

#include "error/duration.hpp"
#include "error/error.hpp"
#include "files/checksum.hpp"
#include "files/version.hpp"
#include "io/maps_file.hpp"
#include "run/p2o_manifest.hpp"
#include "run/plan_memory.hpp"

namespace agwave {

namespace fs = std::filesystem;

namespace {

std::string checksum(const std::vector<double>& values) {
  Checksum sum;
  sum.add(values.data(), values.size() * sizeof(double));
  return sum.hex();
}

std::string now() {
  const std::time_t t = std::time(nullptr);
  char line[32] = "";
  std::strftime(line, sizeof line, "%Y-%m-%dT%H:%M:%SZ", std::gmtime(&t));
  return line;
}

MapFolder folder_of(const P2oPlan& p, const char* name, bool heights) {
  return {p.c.output.directory + "/" + name, p.grid.size(), p.intervals.count, heights, p.c.p2o->single, ""};
}

// What sensors force the water with: a unit flux at stations; at gauges what reading a height is the transpose of.
std::vector<NodalForcing> forcing_of(const P2oPlan& p, const Comm& comm) {
  const SensorPoints points = sensor_points(p.sensors);
  std::vector<NodalForcing> all = sensor_forcing(p.plan.mesh, points.at, points.labels, comm);
  const Mesh& mesh = p.plan.mesh;
  const std::vector<double> x = p.fading_excess(0, mesh.x_nodes(), 1), y = p.fading_excess(1, mesh.y_nodes(), 1);
  for (std::size_t n = 0; n < all.size(); ++n) {
    NodalForcing& f = all[n];
    f.series.begin = INFINITY, f.series.end = -INFINITY;  // moved by pulses alone
    const double per_pressure = static_cast<std::int64_t>(n) < p.stations() ? 1 : 1 / Medium(p.c.ocean).weight();
    for (std::size_t i = 0; i < f.weights.size(); ++i) {
      const auto column = static_cast<std::size_t>(f.list[i]) % (x.size() * y.size());
      f.weights[i] *= per_pressure * x[column % x.size()] * y[column / x.size()];
    }
  }
  return all;
}

}  // namespace

P2o::P2o(const Case& c, const Comm& world, P2oOptions options)
    : world_(world),
      options_(options),
      group_(plan_groups(c, world)),
      p2o_(*group_.plan),
      pressure_(folder_of(p2o_, "p2o", false)),
      height_(folder_of(p2o_, "p2q", true)),
      reciprocity_(p2o_) {
  if (options_.part) {
    const auto [first, last] = *options_.part;
    world_.agree([&] {
      if (first < 0 || last <= first || last > p2o_.sources())
        throw Error(ExitCode::usage, text("--sensors: found ", first, ":", last, "; allowed: FIRST:LAST with 0 <= FIRST < LAST <= ", p2o_.sources(),
                                          ", the number of sensors and gauges"));
    });
  }
}

void P2o::print_plan() const {
  const Plan& plan = p2o_.plan;
  const Mesh& m = plan.mesh;
  for (const std::string& note : plan.notes) std::printf("%s\n", note.c_str());
  std::printf("%lld sensors and %lld gauges, %lld x %lld parameters, %lld intervals of %g s; maps of %.3g MB\n",
              static_cast<long long>(p2o_.stations()), static_cast<long long>(p2o_.gauges()), static_cast<long long>(p2o_.grid.nx()),
              static_cast<long long>(p2o_.grid.ny()), static_cast<long long>(p2o_.intervals.count), p2o_.intervals.length,
              p2o_.map_bytes() * static_cast<double>(p2o_.sources()) * 1e-6);
  std::printf("%lld x %lld x %lld elements, %lld dofs; variant %s (%s), step %.6g s, %lld to an interval\n", static_cast<long long>(m.elements[0]),
              static_cast<long long>(m.elements[1]), static_cast<long long>(m.elements[2]), static_cast<long long>(m.global_dofs()),
              plan.variant->name.c_str(), plan.variant->integrator->name.c_str(), p2o_.intervals.dt, static_cast<long long>(p2o_.intervals.steps));
  if (plan.levels.local()) std::printf("local steps: %s\n", to_text(plan.levels).c_str());
  if (world_.size() > 1) std::printf("%d groups of %d ranks\n", group_.count, group_.comm->size());
  std::fflush(stdout);
}

// What is there already is gone on with, or taken away.
void P2o::open_folder() {
  const std::string directory = p2o_.c.output.directory, manifest = file("p2o.json");
  std::string run;
  world_.agree([&] {
    if (!world_.root()) return;
    const bool begun = fs::exists(manifest);
    if (begun && (options_.restart || options_.part)) {
      run = continue_maps(manifest, p2o_, checksum(depth_));
      return;
    }
    if (options_.restart && !options_.part)
      throw Error(ExitCode::input,
                  text("--restart: ", directory, " has no maps that were begun; give the --output of those, or begin without --restart"));
    if (begun && !fs::exists(file("maps.h5")))
      throw Error(ExitCode::output,
                  text(directory, " has maps that are not complete; go on with --restart, give another --output, or remove ", manifest));
    std::error_code failure;
    fs::create_directories(directory, failure);
    if (failure)
      throw Error(ExitCode::output, text("output.directory: cannot use ", directory, ": ", failure.message(), "; give another with --output"));
    pressure_.clear();
    height_.clear();
    fs::remove(file("maps.h5"), failure);
    run = begin_maps(manifest, p2o_, checksum(depth_));
  });
  pressure_.run = height_.run = world_.broadcast(run);
  world_.agree([&] {
    if (!world_.root()) return;
    if (p2o_.stations() > 0) pressure_.create();
    if (p2o_.gauges() > 0) height_.create();
  });
}

// Sources of this run whose maps are not there.
std::vector<std::int64_t> P2o::find_missing() const {
  std::string list;
  world_.agree([&] {
    if (!world_.root()) return;
    for (std::int64_t n = 0; n < p2o_.sources(); ++n) {
      std::string why;
      const bool there = !folder(n).read_row(row(n), p2o_.source(n).name, why).empty();
      if (!why.empty() && !options_.quiet) std::printf("note: %s is %s; it is made again\n", folder(n).row_file(row(n)).c_str(), why.c_str());
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
void P2o::require_room(std::int64_t missing) const {
  world_.agree([&] {
    std::error_code failure;
    const fs::space_info space = fs::space(p2o_.c.output.directory, failure);
    const double bytes = p2o_.map_bytes() * static_cast<double>(missing + p2o_.sources()),
                 memory = 16.0 * static_cast<double>(p2o_.grid.size()) * static_cast<double>(p2o_.intervals.count);
    const std::string advice = "; give a larger p2o.parameters.spacing, a longer p2o.interval, fewer sensors";
    if (world_.root() && !failure && bytes > static_cast<double>(space.available))
      throw Error(ExitCode::output, text(p2o_.c.output.directory, ": maps need ", rounded(bytes * 1e-9), " GB, and ",
                                         rounded(static_cast<double>(space.available) * 1e-9), " GB are free", advice, ", or another --output"));
    if (group_.comm->root() && memory > available_host_memory())
      throw Error(ExitCode::device, text("not enough memory for a map: ", rounded(memory * 1e-9), " GB needed, ",
                                         rounded(available_host_memory() * 1e-9), " GB available", advice));
  });
}

void P2o::make_model() {
  const Comm& comm = *group_.comm;
  Plan& plan = p2o_.plan;
  plan.forcing = forcing_of(p2o_, comm);
  for (NodalForcing& more : floor_forcing(plan.mesh, reciprocity_.terms(), comm)) plan.forcing.push_back(std::move(more));
  model_ = std::make_unique<Model>(p2o_.c, comm, std::move(plan));
  model_->require_stable_levels();
  comm.agree([&] {
    if (!comm.root()) return;
    averages_ = std::make_unique<FloorAverages>(p2o_.grid, p2o_.c.p2o->motion, whole_floor(model_->mesh(), depth_));
    const Mesh& mesh = model_->mesh();
    averages_->scale(p2o_.fading_excess(0, floor_->x(mesh), -1), p2o_.fading_excess(1, floor_->y(mesh), -1));
    writer_ = std::make_unique<Writer>();
  });
  recorder_ = std::make_unique<FloorRecorder>(p2o_, model_->view(), *floor_, averages_.get(), writer_.get());
  propagation_ = std::make_unique<Propagation>(*model_, p2o_.intervals);
}

P2oResult P2o::run() {
  const Comm& comm = *group_.comm;
  if (world_.root() && !options_.quiet) print_plan();
  floor_ = std::make_unique<OutputGrid>(p2o_.plan.mesh, comm, OutputGrid::Part::floor, 1);
  depth_ = floor_->gather_columns(p2o_.plan.mesh.depth);
  open_folder();
  std::vector<std::int64_t> missing = find_missing();
  require_room(static_cast<std::int64_t>(missing.size()));
  const std::int64_t all_missing = static_cast<std::int64_t>(missing.size());
  if (options_.part) std::erase_if(missing, [&](std::int64_t n) { return n < (*options_.part)[0] || n >= (*options_.part)[1]; });
  P2oResult result{p2o_.sources(), static_cast<std::int64_t>(missing.size()), all_missing - static_cast<std::int64_t>(missing.size())};
  stop_ = std::make_unique<StopRequest>(comm);
  world_.agree([&] {
    make_model();
    std::vector<std::int64_t> own;
    for (std::size_t n = static_cast<std::size_t>(group_.own); n < missing.size(); n += static_cast<std::size_t>(group_.count))
      own.push_back(missing[n]);
    if (world_.root())
      progress_ = std::make_unique<P2oProgress>(file("progress.json"), result.made, group_.count, options_.quiet, options_.progress_seconds);
    const Stopwatch loop;
    for (const std::int64_t source : own) propagate(source);
    comm.agree([&] {
      if (!writer_) return;
      writer_->drain();
      writer_->check();
    });
    result.propagation_seconds = own.empty() ? 0 : loop.seconds() / static_cast<double>(own.size());
  });
  if (result.missing == 0) {
    world_.agree([&] {
      if (group_.own == 0) result.reciprocity_error = check_reciprocity();
    });
    world_.agree([&] {
      if (world_.root()) write_maps(result.reciprocity_error);
    });
  }
  if (progress_) progress_->finish();
  result.seconds = wall_.seconds();
  return result;
}

void P2o::propagate(std::int64_t source) {
  const auto sampled = [&](std::int64_t k) { recorder_->sampled(k); };
  const auto stepped = [&] {
    recorder_->stepped();
    ++step_;
    show_progress();
    stop_if_asked();
  };
  step_ = 0;
  const Pulse pulse[] = {{static_cast<int>(source), 0}};
  if (p2o_.intervals.transposed)
    propagation_->run_transposed(pulse[0].term, sampled, stepped);
  else
    propagation_->run(pulse, sampled, stepped);
  store(source);
  ++done_;
}

void P2o::store(std::int64_t source) {
  const FloorRecorder::Map map = recorder_->finish();
  group_.comm->agree([&] {
    if (!writer_) return;
    writer_->check();
    writer_->submit(8 * map->size(), [map, folder = folder(source), row = row(source), name = p2o_.source(source).name] {
      for (double& value : *map) {
        if (!std::isfinite(value))
          throw Error(ExitCode::unstable, text("sensor '", name, "': the response is not finite; try a smaller time.safety"));
        if (folder.single) value = static_cast<float>(value);
      }
      folder.write_row(row, name, *map);
    });
  });
}

void P2o::stop_if_asked() {
  if (!stop_->agreed()) return;
  model_->stepper().settle_exchanges();  // nothing is left on its way to a neighbour
  group_.comm->agree([&] {
    if (writer_) writer_->drain();
  });
  throw AgreedError(ExitCode::stopped,
                    text("stopped on ", stop_->name(), " in ", p2o_.c.output.directory, "; maps that are done are kept, continue with --restart"),
                    group_.comm->size());
}

std::vector<double> P2o::stored(std::int64_t source) const {
  std::string why;
  std::vector<double> values = folder(source).read_row(row(source), p2o_.source(source).name, why);
  if (values.empty())
    throw Error(ExitCode::output, text(folder(source).row_file(row(source)), ": is ", why.empty() ? "gone" : why, "; make it again with --restart"));
  return values;
}

double P2o::check_reciprocity() {
  std::vector<std::vector<double>> measured;  // [interval][source], pressures
  propagation_->run(
      reciprocity_.pulses(static_cast<int>(p2o_.sources())), [&](std::int64_t) { measured.push_back(model_->sample_all()); },
      [&] { stop_if_asked(); });
  double error = 0;
  group_.comm->agree([&] {
    if (!group_.comm->root()) return;
    double largest[2] = {}, difference[2] = {};  // of pressures, of heights
    for (std::int64_t n = 0; n < p2o_.sources(); ++n) {
      const bool height = n >= p2o_.stations();
      const std::vector<double> product = reciprocity_.product(stored(n));
      for (std::size_t k = 0; k < product.size(); ++k) {
        const double value = measured[k][static_cast<std::size_t>(n)] / (height ? Medium(p2o_.c.ocean).weight() : 1.0);
        largest[height] = std::max(largest[height], std::abs(value));
        difference[height] = std::max(difference[height], std::abs(value - product[k]));
      }
    }
    for (const int kind : {0, 1})
      if (largest[kind] > 0) error = std::max(error, difference[kind] / largest[kind]);
  });
  return error;
}

void P2o::write_maps(double reciprocity_error) const {
  const Plan& plan = model_->plan();
  std::vector<double> times;
  for (std::int64_t k = 0; k < p2o_.intervals.count; ++k) times.push_back(p2o_.intervals.time(k));
  const Attributes about{{"title", p2o_.c.title},
                         {"case_file", p2o_.c.source},
                         {"version", version},
                         {"commit", commit},
                         {"created", now()},
                         {"motion", p2o_.c.p2o->motion == Motion::normal ? "normal" : "vertical"},
                         {"scheme", plan.variant->integrator->name},
                         {"variant", plan.variant->name},
                         {"projection", plan.domain->projection()}};
  agwave::write_maps(file("maps.h5"), {p2o_.sensors,
                                       plan.domain->geographic(),
                                       p2o_.grid,
                                       averages_->areas(),
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

// Groups are as fast as each other, or nearly.
void P2o::show_progress() {
  if (progress_ && progress_->due())
    progress_->update(group_.count * (static_cast<double>(done_) + static_cast<double>(step_) / static_cast<double>(propagation_->steps())));
}

}  // namespace agwave
