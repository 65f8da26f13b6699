// SPDX-License-Identifier: Apache-2.0
// The maps of a run: surface.h5, and VTKHDF files of the seafloor and of the volume. At a step that is due the values are picked where the
// state lives and copied to the host while the steps go on; some steps later they are gathered to rank 0, whose writer puts them on the
// disk. So neither a GPU nor the time loop waits for a file, unless the disk is slower than the run for long.
#include <filesystem>
#include <limits>

#include "error/error.hpp"
#include "files/text_file.hpp"
#include "io/output_grid.hpp"
#include "io/trace_file.hpp"
#include "io/vtkhdf_file.hpp"
#include "run/observer.hpp"
#include "run/schedule.hpp"

namespace agwave {
namespace {

class MapRecorder final : public Observer {
 public:
  explicit MapRecorder(RunContext& run)
      : run_(run),
        output_(run.c.output),
        surface_every_(output_.surface_interval, run.model.dt()),
        surface_grid_(run.model.mesh(), run.comm, OutputGrid::Part::surface) {
    add("seafloor", output_.seafloor_interval, OutputGrid::Part::floor);
    add("volume", output_.volume_interval, OutputGrid::Part::volume);
  }

  double bytes() const override {
    PerMap maps = map_bytes(output_, run_.model.mesh().elements, run_.c.time.end);
    if (run_.options.restart) {  // files up to the checkpoint are there and stay; surface.h5 is written anew
      const double left = 1 - run_.options.restart->manifest.time / run_.c.time.end;
      maps.seafloor *= left;
      maps.volume *= left;
    }
    return maps.total();
  }
  void open() override {
    if (surface_every_.ever()) open_surface();
    for (const Kind& kind : kinds_) open_vtk(kind);
  }
  void go_on() override { finish(); }  // the maximum so far is in the new file at once
  void on_completed_step() override {
    const std::int64_t step = run_.model.step();
    bool any = surface_every_.due(step);
    for (const Kind& kind : kinds_) any = any || kind.every.due(step);
    if (queued_ && (any || step >= *queued_ + lag)) hand_over();
    if (any) queue_due();
  }
  // Hands over what waits and the last maximum, so that the files are complete once the writer is drained.
  void finish() override {
    if (queued_) hand_over();
    if (!surface_every_.ever()) return;
    const Pick picks[] = {surface_grid_.pick(Field::maximum), surface_grid_.pick(Field::arrival)};
    run_.model.view().queue_picks(picks);
    queued_ = run_.model.step();
    std::vector<std::vector<double>> values = run_.model.view().take_picks();
    std::size_t at = 0;
    hand_over_surface(false, values, at);
    queued_.reset();
  }
  void sync() override {
    if (surface_) surface_->sync();
  }
  void close() override {
    if (surface_) surface_->close();
  }
  void save(Manifest& m) override { m.surface_interval = output_.surface_interval; }

 private:
  struct Kind {  // of VTKHDF files
    std::string name;
    Every every;
    OutputGrid::Part part;
    OutputGrid grid;
  };

  void add(const std::string& name, double interval, OutputGrid::Part part) {
    if (interval > 0) kinds_.push_back({name, {interval, run_.model.dt()}, part, OutputGrid(run_.model.mesh(), run_.comm, part, stride())});
  }
  int stride() const { return 4 / output_.cells_per_edge; }

  Earlier earlier_maps() const {
    if (!run_.options.restart) return {};
    const Earlier maps = run_.directory.earlier("surface.h5", surface_every_.count(run_.model.step()));
    std::error_code ignored;  // the earlier run may have had none
    return run_.options.restart->manifest.surface_interval == 0 && !std::filesystem::exists(maps.path, ignored) ? Earlier{} : maps;
  }

  void open_surface() {
    const Plan& plan = run_.model.plan();
    const std::vector<double> depth = surface_grid_.gather_columns(plan.mesh.depth);
    run_.comm.agree([&] {
      if (!run_.comm.root()) return;
      const auto x = surface_grid_.x(plan.mesh), y = surface_grid_.y(plan.mesh);
      std::vector<double> lon, lat;
      if (plan.domain->geographic())
        for (double yy : y)
          for (double xx : x) {
            const auto place = plan.domain->to_lonlat(xx, yy);
            lon.push_back(place[0]);
            lat.push_back(place[1]);
          }
      surface_ = std::make_unique<SurfaceFile>(run_.directory.file("surface.h5"), x, y, depth, uplift_at(plan.sources.uplift, run_.c.time.end, x, y),
                                               lon, lat, surface_every_.count(plan.steps), output_.surface_interval, output_.arrival_threshold,
                                               run_.about, earlier_maps());
    });
  }

  void open_vtk(const Kind& kind) {
    const Mesh& mesh = run_.model.mesh();
    const std::vector<double> depth = OutputGrid(mesh, run_.comm, OutputGrid::Part::floor, stride()).gather_columns(mesh.depth);
    run_.comm.agree([&] {
      if (!run_.comm.root()) return;
      const std::vector<double> sigma = kind.part == OutputGrid::Part::volume ? kind.grid.sigma(mesh) : std::vector<double>{1.0};
      write_vtk_mesh(run_.directory.file("mesh_" + kind.name + ".vtkhdf"), {kind.grid.x(mesh), kind.grid.y(mesh), sigma, depth});
    });
  }

  void queue_due() {
    std::vector<Pick> picks;
    const std::int64_t step = run_.model.step();
    if (surface_every_.due(step))
      for (const Field field : {Field::maximum, Field::arrival, Field::pressure}) picks.push_back(surface_grid_.pick(field));
    for (const Kind& kind : kinds_)
      if (kind.every.due(step)) picks.push_back(kind.grid.pick(Field::pressure));
    run_.model.view().queue_picks(picks);
    queued_ = step;
  }

  void hand_over() {
    std::vector<std::vector<double>> values = run_.model.view().take_picks();
    std::size_t at = 0;
    if (surface_every_.due(*queued_)) hand_over_surface(true, values, at);
    for (const Kind& kind : kinds_)
      if (kind.every.due(*queued_)) hand_over_vtk(kind, values[at++]);
    queued_.reset();
  }

  // The maximum goes first: the count of snapshots, which also flushes the file, then vouches for it in the file of a killed run.
  void hand_over_surface(bool with_height, std::vector<std::vector<double>>& values, std::size_t& at) {
    std::vector<double> maximum = surface_grid_.gather(values[at++]), arrival = surface_grid_.gather(values[at++]), height;
    if (with_height) height = surface_grid_.gather(values[at++]);
    if (!run_.writer) return;
    for (double& t : arrival)
      if (t < 0) t = std::numeric_limits<double>::quiet_NaN();
    const double per_pressure = 1 / run_.model.plan().medium.weight();
    for (double& eta : height) eta *= per_pressure;
    const std::size_t bytes = 8 * (maximum.size() + arrival.size() + height.size());
    const std::int64_t index = surface_every_.index(*queued_);
    run_.writer->submit(bytes,
                        [file = surface_.get(), index, maximum = std::move(maximum), arrival = std::move(arrival), height = std::move(height)] {
                          file->write_maximum(maximum, arrival);
                          if (!height.empty()) file->write_snapshot(index, height);
                        });
  }

  void hand_over_vtk(const Kind& kind, const std::vector<double>& own) {
    std::vector<double> whole = kind.grid.gather(own);
    if (!run_.writer) return;
    std::vector<std::string> files;
    std::vector<double> times;
    for (std::int64_t n = 0; n < kind.every.count(*queued_); ++n) {  // snapshots are numbered by time, whenever the run began
      files.push_back(kind.name + "_" + padded(n, 5) + ".vtkhdf");
      times.push_back(static_cast<double>(n * kind.every.steps()) * run_.model.dt());
    }
    const std::size_t bytes = 8 * whole.size();
    run_.writer->submit(
        bytes, [directory = run_.directory.path(), name = kind.name, files = std::move(files), times = std::move(times), whole = std::move(whole)] {
          write_vtk_snapshot(directory + "/" + files.back(), "mesh_" + name + ".vtkhdf", times.back(), "pressure", "Pa", whole);
          write_vtk_series(directory + "/" + name + ".vtkhdf.series", files, times);
        });
  }

  static constexpr std::int64_t lag = 4;  // steps that a copy has before the host asks for it

  RunContext& run_;
  const OutputCase& output_;
  Every surface_every_;
  OutputGrid surface_grid_;
  std::unique_ptr<SurfaceFile> surface_;
  std::vector<Kind> kinds_;
  std::optional<std::int64_t> queued_;  // the step of the values that wait
};

const RegisterObserver registered{{"maps", 20, [](RunContext& run) -> std::unique_ptr<Observer> {
                                     const OutputCase& o = run.c.output;
                                     if (o.surface_interval > 0 || o.seafloor_interval > 0 || o.volume_interval > 0)
                                       return std::make_unique<MapRecorder>(run);
                                     return nullptr;
                                   }}};

}  // namespace
}  // namespace agwave
