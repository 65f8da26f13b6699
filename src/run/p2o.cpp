// SPDX-License-Identifier: Apache-2.0
#include "run/p2o.hpp"

#include <algorithm>
#include <cmath>

#include "comm/threads.hpp"
#include "error/error.hpp"
#include "files/checksum.hpp"

namespace agwave {

namespace {

// For variants that take forcing on the floor plane alone, all of it.
void fill_plane(NodalForcing& f, const Mesh& mesh) {
  std::vector<double> plane(mesh.part.at_low(2) ? static_cast<std::size_t>(mesh.NX()) * mesh.NY() : 0, 0.0);
  for (std::size_t n = 0; n < f.list.size(); ++n) plane[static_cast<std::size_t>(f.list[n])] = f.weights[n];
  f.list.clear();
  f.weights = std::move(plane);
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
    const double per_pressure = static_cast<std::int64_t>(n) < p.stations() ? 1 : 1 / p.plan.medium.weight();
    for (std::size_t i = 0; i < f.weights.size(); ++i) {
      const auto column = static_cast<std::size_t>(f.list[i]) % (x.size() * y.size());
      f.weights[i] *= per_pressure * x[column % x.size()] * y[column / x.size()];
    }
    if (!p.plan.variant->forces_anywhere) fill_plane(f, mesh);
  }
  return all;
}

}  // namespace

P2o::P2o(const Case& c, const Comm& world, P2oOptions options)
    : world_(world),
      options_(options),
      group_(plan_groups(c, world)),
      p2o_(*group_.plan),
      directory_(p2o_, world, options.quiet),
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
  if (plan.levels.local() && group_.comm->size() > 1) std::printf("cuts between patches: %s\n", to_text(plan.cuts).c_str());
  if (world_.size() > 1) std::printf("%d groups of %d ranks\n", group_.count, group_.comm->size());
  std::fflush(stdout);
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
  recorder_ = std::make_unique<FloorRecorder>(p2o_, model_->view(), *floor_, averages_.get(), writer_.get(), comm.size() == 1,
                                              model_->plan().variant->device == Device::cuda ? threads() : 1);
  propagation_ = std::make_unique<Propagation>(*model_, p2o_.intervals);
}

P2oResult P2o::run() {
  const Comm& comm = *group_.comm;
  if (world_.root() && !options_.quiet) print_plan();
  floor_ = std::make_unique<OutputGrid>(p2o_.plan.mesh, comm, OutputGrid::Part::floor, 1);
  depth_ = floor_->gather_columns(p2o_.plan.mesh.depth);
  directory_.open(checksum_of_values({depth_}), options_.restart, options_.part.has_value());
  std::vector<std::int64_t> missing = directory_.missing();
  directory_.require_room(static_cast<std::int64_t>(missing.size()), comm.root());
  const std::int64_t all_missing = static_cast<std::int64_t>(missing.size());
  if (options_.part) std::erase_if(missing, [&](std::int64_t n) { return n < (*options_.part)[0] || n >= (*options_.part)[1]; });
  P2oResult result{p2o_.sources(), static_cast<std::int64_t>(missing.size()), all_missing - static_cast<std::int64_t>(missing.size())};
  stop_ = std::make_unique<StopRequest>(comm);
  if (world_.root())
    progress_ = std::make_unique<P2oProgress>(directory_.file("progress.json"), result.made, group_.count, options_.quiet, options_.progress_seconds);
  to_do_ = (result.made + group_.count - 1) / group_.count;
  agree_by_groups(world_, comm, [&] {
    try {
      make_model();
      result.propagation_seconds = propagate_all(missing);
      if (!options_.part && group_.own == static_cast<int>(missing.size() % static_cast<std::size_t>(group_.count))) measure();
    } catch (const AgreedError&) {
      stop_->settle();  // all of the group leave at the same step
      throw;
    }
  });
  result.complete = !options_.part;
  if (result.complete) {
    result.reciprocity_error = reciprocity_error();
    world_.agree([&] {
      if (world_.root()) directory_.write(model_->plan(), averages_->areas(), result.reciprocity_error);
    });
  }
  if (progress_) progress_->show(1, true);
  result.seconds = wall_.seconds();
  return result;
}

// This group's share; seconds for one.
double P2o::propagate_all(const std::vector<std::int64_t>& missing) {
  const Stopwatch loop;
  for (auto n = static_cast<std::size_t>(group_.own); n < missing.size(); n += static_cast<std::size_t>(group_.count)) propagate(missing[n]);
  group_.comm->agree([&] {
    if (writer_) writer_->settle();
  });
  return done_ == 0 ? 0 : loop.seconds() / static_cast<double>(done_);
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
    writer_->submit(8 * map->size(), [map, folder = directory_.folder(source), row = directory_.row(source), name = p2o_.source(source).name] {
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
    if (writer_) writer_->settle();
  });
  throw AgreedError(ExitCode::stopped,
                    text("stopped on ", stop_->name(), " in ", p2o_.c.output.directory, "; maps that are done are kept, continue with --restart"),
                    group_.comm->size());
}

// By the group that has the fewest maps to make, while others make their last ones.
void P2o::measure() {
  const auto sources = static_cast<std::size_t>(p2o_.sources()), count = static_cast<std::size_t>(p2o_.intervals.count);
  if (group_.comm->root()) measured_.resize(sources * count);
  std::size_t interval = 0;
  propagation_->run(
      reciprocity_.pulses(static_cast<int>(p2o_.sources())),
      [&](std::int64_t) {
        const std::vector<double> now = model_->sample_all();
        for (std::size_t n = 0; n < sources && group_.comm->root(); ++n) measured_[n * count + interval] = now[n];
        ++interval;
      },
      [&] { stop_if_asked(); });
}

// Every group compares its share of the maps with what one has measured, as many at a time as there are groups. Collective.
double P2o::reciprocity_error() {
  const auto count = static_cast<std::size_t>(p2o_.intervals.count);
  double largest[2] = {}, difference[2] = {};  // of pressures, of heights
  for (std::int64_t first = 0; first < p2o_.sources(); first += group_.count) {
    const auto compared = static_cast<std::size_t>(std::min<std::int64_t>(group_.count, p2o_.sources() - first));
    std::vector<double> measured(compared * count, 0.0);
    if (!measured_.empty()) std::copy_n(measured_.begin() + first * static_cast<std::int64_t>(count), measured.size(), measured.begin());
    world_.sum(measured);
    world_.agree([&] {
      const auto own = static_cast<std::size_t>(group_.own);
      if (own >= compared || !group_.comm->root()) return;
      const std::int64_t n = first + group_.own;
      const bool height = n >= p2o_.stations();
      const double per_pressure = height ? 1 / p2o_.plan.medium.weight() : 1.0;
      const std::vector<double> product = reciprocity_.product(directory_.stored(n));
      for (std::size_t k = 0; k < count; ++k) {
        const double value = measured[own * count + k] * per_pressure;
        if (!std::isfinite(value))
          throw Error(ExitCode::unstable, "the run that maps are compared with does not stay finite; try a smaller time.safety");
        largest[height] = std::max(largest[height], std::abs(value));
        difference[height] = std::max(difference[height], std::abs(value - product[k]));
      }
    });
  }
  double error = 0;
  for (const int kind : {0, 1})
    if (const double of_all = world_.max(largest[kind]), apart = world_.max(difference[kind]); of_all > 0) error = std::max(error, apart / of_all);
  return error;
}

// Of rank 0's group, which has most to do: groups are as fast as each other, or nearly.
void P2o::show_progress() {
  if (!progress_ || !progress_->due()) return;
  const double done = static_cast<double>(done_) + static_cast<double>(step_) / static_cast<double>(propagation_->steps());
  progress_->show(done / static_cast<double>(to_do_));
}

}  // namespace agwave
