// SPDX-License-Identifier: Apache-2.0
// What is due when, and where it goes. Rank 0 alone has files; gathering is collective and happens at the same step everywhere.
#include "run/snapshots.hpp"

#include <cmath>
#include <cstdio>
#include <limits>

#include "error/error.hpp"
#include "io/vtkhdf_file.hpp"

namespace agwave {

namespace {

std::string numbered(const std::string& name, std::int64_t n) {
  char number[32];
  std::snprintf(number, sizeof number, "_%05lld.vtkhdf", static_cast<long long>(n));
  return name + number;
}

}  // namespace

Snapshots::Snapshots(const Case& c, Model& model, const Comm& comm, Writer* writer, const Attributes& about, const Earlier& earlier)
    : model_(model),
      comm_(comm),
      writer_(writer),
      directory_(c.output.directory),
      per_pressure_(1 / (c.ocean.density * c.ocean.gravity)),
      surface_grid_(model.mesh(), comm, OutputGrid::Part::surface) {
  if (c.output.surface_interval > 0) open_surface(c, about, earlier);
  open_vtk("seafloor", c.output.seafloor_interval, OutputGrid::Part::floor, c.output.cells_per_edge);
  open_vtk("volume", c.output.volume_interval, OutputGrid::Part::volume, c.output.cells_per_edge);
}

void Snapshots::open_surface(const Case& c, const Attributes& about, const Earlier& earlier) {
  const Plan& plan = model_.plan();
  surface_every_ = std::llround(c.output.surface_interval / model_.dt());
  const std::vector<double> depth = surface_grid_.gather_columns(plan.mesh.depth);
  comm_.agree([&] {
    if (!comm_.root()) return;
    const auto x = surface_grid_.x(plan.mesh), y = surface_grid_.y(plan.mesh);
    std::vector<double> lon, lat;
    if (plan.domain->geographic())
      for (double yy : y)
        for (double xx : x) {
          const auto place = plan.domain->to_lonlat(xx, yy);
          lon.push_back(place[0]);
          lat.push_back(place[1]);
        }
    surface_ = std::make_unique<SurfaceFile>(directory_ + "/surface.h5", x, y, depth, uplift_at(plan.uplift, c.time.end, x, y), lon, lat,
                                             plan.steps / surface_every_ + 1, c.output.surface_interval, c.output.arrival_threshold, about, earlier);
  });
}

void Snapshots::open_vtk(const std::string& name, double interval, OutputGrid::Part part, int cells_per_edge) {
  if (!(interval > 0)) return;
  const Mesh& mesh = model_.mesh();
  const int stride = 4 / cells_per_edge;
  kinds_.push_back({name, std::llround(interval / model_.dt()), OutputGrid(mesh, comm_, part, stride)});
  const OutputGrid& grid = kinds_.back().grid;
  const std::vector<double> depth = OutputGrid(mesh, comm_, OutputGrid::Part::floor, stride).gather_columns(mesh.depth);
  comm_.agree([&] {
    if (!comm_.root()) return;
    const std::vector<double> sigma = part == OutputGrid::Part::volume ? grid.sigma(mesh) : std::vector<double>{1.0};
    write_vtk_mesh(directory_ + "/mesh_" + name + ".vtkhdf", {grid.x(mesh), grid.y(mesh), sigma, depth});
  });
}

void Snapshots::on_completed_step() {
  bool any = due(surface_every_);
  for (const Kind& kind : kinds_) any = any || due(kind.every);
  if (queued_ && (any || model_.step() >= *queued_ + lag)) hand_over();
  if (any) queue_due();
}

void Snapshots::queue_due() {
  std::vector<Pick> picks;
  if (due(surface_every_))
    for (const Field field : {Field::maximum, Field::arrival, Field::pressure}) picks.push_back(surface_grid_.pick(field));
  for (const Kind& kind : kinds_)
    if (due(kind.every)) picks.push_back(kind.grid.pick(Field::pressure));
  model_.stepper().queue_picks(picks);
  queued_ = model_.step();
}

void Snapshots::hand_over() {
  std::vector<std::vector<double>> values = model_.stepper().take_picks();
  std::size_t at = 0;
  if (surface_every_ > 0 && *queued_ % surface_every_ == 0) hand_over_surface(true, values, at);
  for (const Kind& kind : kinds_)
    if (*queued_ % kind.every == 0) hand_over_vtk(kind, values[at++]);
  queued_.reset();
}

// The maximum goes first: the count of snapshots, which also flushes the file, then vouches for it in the file of a killed run.
void Snapshots::hand_over_surface(bool with_height, std::vector<std::vector<double>>& values, std::size_t& at) {
  std::vector<double> maximum = surface_grid_.gather(values[at++]), arrival = surface_grid_.gather(values[at++]), height;
  if (with_height) height = surface_grid_.gather(values[at++]);
  if (!writer_) return;
  for (double& t : arrival)
    if (t < 0) t = std::numeric_limits<double>::quiet_NaN();
  for (double& eta : height) eta *= per_pressure_;
  const std::size_t bytes = 8 * (maximum.size() + arrival.size() + height.size());
  const std::int64_t index = *queued_ / surface_every_;
  writer_->submit(bytes, [file = surface_.get(), index, maximum = std::move(maximum), arrival = std::move(arrival), height = std::move(height)] {
    file->write_maximum(maximum, arrival);
    if (!height.empty()) file->write_snapshot(index, height);
  });
}

void Snapshots::hand_over_vtk(const Kind& kind, const std::vector<double>& own) {
  std::vector<double> whole = kind.grid.gather(own);
  if (!writer_) return;
  std::vector<std::string> files;
  std::vector<double> times;
  for (std::int64_t n = 0; n <= *queued_ / kind.every; ++n) {  // snapshots are numbered by time, whenever the run began
    files.push_back(numbered(kind.name, n));
    times.push_back(static_cast<double>(n * kind.every) * model_.dt());
  }
  const std::size_t bytes = 8 * whole.size();
  writer_->submit(bytes, [directory = directory_, name = kind.name, files = std::move(files), times = std::move(times), whole = std::move(whole)] {
    write_vtk_snapshot(directory + "/" + files.back(), "mesh_" + name + ".vtkhdf", times.back(), "pressure", "Pa", whole);
    write_vtk_series(directory + "/" + name + ".vtkhdf.series", files, times);
  });
}

void Snapshots::finish() {
  if (queued_) hand_over();
  if (surface_every_ == 0) return;
  const Pick picks[] = {surface_grid_.pick(Field::maximum), surface_grid_.pick(Field::arrival)};
  model_.stepper().queue_picks(picks);
  queued_ = model_.step();
  std::vector<std::vector<double>> values = model_.stepper().take_picks();
  std::size_t at = 0;
  hand_over_surface(false, values, at);
  queued_.reset();
}

void Snapshots::sync() {
  if (surface_) surface_->sync();
}

void Snapshots::close() {
  if (surface_) surface_->close();
}

}  // namespace agwave
