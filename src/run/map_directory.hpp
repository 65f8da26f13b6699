// SPDX-License-Identifier: Apache-2.0
// The output directory of `agwave p2o`: which maps are there, of which case, and where they go.
//   p2o/, p2q/        maps to the pressure at sensors and to the height at gauges, as FFTMatvec reads them (io/map_file.hpp)
//   maps.h5           both, and what is what (io/maps_file.hpp), once all are there
//   p2o.json          of which case they are (run/p2o_manifest.hpp)
#pragma once
#include <string>
#include <vector>

#include "io/map_file.hpp"
#include "run/p2o_plan.hpp"

namespace agwave {

class MapDirectory {
 public:
  MapDirectory(const P2oPlan& p2o, const Comm& world, bool quiet);
  std::string file(const std::string& name) const { return p2o_.c.output.directory + "/" + name; }

  // What is there already is gone on with, or taken away. floor: checksum of the depths, on rank 0. part: others make maps of the same set. Collective.
  void open(const std::string& floor, bool restart, bool part);
  std::vector<std::int64_t> missing() const;  // sources whose maps are not there. Collective
  // Throws where disk or memory are too small. makes_maps: this rank puts them together. Collective.
  void require_room(std::int64_t missing, bool makes_maps) const;

  const MapFolder& folder(std::int64_t source) const { return source < p2o_.stations() ? pressure_ : height_; }
  std::int64_t row(std::int64_t source) const { return source < p2o_.stations() ? source : source - p2o_.stations(); }
  std::vector<double> stored(std::int64_t source) const;                                           // throws where its map is gone
  void write(const Plan& plan, const std::vector<double>& areas, double reciprocity_error) const;  // all maps together; rank 0

 private:
  std::string join(const std::string& floor) const;

  const P2oPlan& p2o_;
  const Comm& world_;
  bool quiet_;
  MapFolder pressure_, height_;
};

}  // namespace agwave
