// SPDX-License-Identifier: Apache-2.0
// The maps of a run: surface.h5, and VTKHDF files of the seafloor and of the volume. At a step that is due the values are picked where the
// state lives and copied to the host while the steps go on; some steps later they are gathered to rank 0, whose writer puts them on the
// disk. So neither a GPU nor the time loop waits for a file, unless the disk is slower than the run for long.
#pragma once
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "files/writer.hpp"
#include "io/output_grid.hpp"
#include "io/trace_file.hpp"
#include "run/model.hpp"

namespace agwave {

class Snapshots {
 public:
  // Opens the files; `writer` is rank 0's. Collective, as all here; throws on every rank alike.
  Snapshots(const Case& c, Model& model, const Comm& comm, Writer* writer, const Attributes& about, const Earlier& earlier = {});
  void on_completed_step();
  // Hands over what waits and the last maximum, so that the files are complete once the writer is drained.
  void finish();
  void sync();   // rank 0, with the writer drained: to the disk
  void close();  // likewise

 private:
  struct Kind {  // of VTKHDF files
    std::string name;
    std::int64_t every;  // steps
    OutputGrid grid;
  };
  bool due(std::int64_t every) const { return every > 0 && model_.step() % every == 0; }
  void open_surface(const Case& c, const Attributes& about, const Earlier& earlier);
  void open_vtk(const std::string& name, double interval, OutputGrid::Part part, int cells_per_edge);
  void queue_due();
  void hand_over();
  void hand_over_surface(bool with_height, std::vector<std::vector<double>>& values, std::size_t& at);
  void hand_over_vtk(const Kind& kind, const std::vector<double>& own);

  static constexpr std::int64_t lag = 4;  // steps that a copy has before the host asks for it

  Model& model_;
  const Comm& comm_;
  Writer* writer_;
  std::string directory_;
  double per_pressure_;  // 1 / (rho g) [m/Pa]
  OutputGrid surface_grid_;
  std::int64_t surface_every_ = 0;
  std::unique_ptr<SurfaceFile> surface_;
  std::vector<Kind> kinds_;
  std::optional<std::int64_t> queued_;  // the step of the values that wait
};

}  // namespace agwave
