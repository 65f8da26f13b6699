// SPDX-License-Identifier: Apache-2.0
// `agwave prepare`: samples a case's bathymetry, uplift grids, sound speed, types of the sea floor and projection and writes them (layout in prepared.hpp).
// Grows under a temporary name; a failure leaves neither half a file nor a damaged older one. Throws Error(output).
#include <algorithm>

#include "error/error.hpp"
#include "files/hdf5.hpp"
#include "files/utc.hpp"
#include "files/version.hpp"
#include "mesh/spacing.hpp"
#include "source/prepared.hpp"
#include "terrain/grid.hpp"
#include "terrain/prepared.hpp"
#include "terrain/sediments.hpp"
#include "terrain/sound_speed.hpp"

namespace agwave {
namespace {

void write_array(const hdf5::File& file, hid_t where, const std::string& name, const std::vector<hsize_t>& shape, const std::vector<double>& values) {
  const std::string what = "write " + name;
  const auto data = file.create(where, name, H5T_IEEE_F64LE, shape, what);
  if (!values.empty()) file.check(H5Dwrite(data.get(), H5T_NATIVE_DOUBLE, H5S_ALL, H5S_ALL, H5P_DEFAULT, values.data()), what);
}

std::string bathymetry_text(const BathymetryCase& b) {
  if (const auto* grid = std::get_if<GridBathymetry>(&b)) {
    const std::string clamp = grid->min_depth ? text(", min_depth ", *grid->min_depth, " m") : "";
    std::string files = grid->file;
    for (const std::string& file : grid->coarser) files += ", " + file;
    return text(files, ": ", grid->variable.empty() ? "(by convention)" : grid->variable, clamp, ", smoothing ", grid->smoothing, " m");
  }
  return "analytic";
}

std::vector<Place> geographic_places(const Case& c) {
  std::vector<Place> places;
  const auto add = [&](const Place& p) {
    if (p.geographic) places.push_back(p);
  };
  for (const auto* list : {&c.sensors.seafloor, &c.sensors.hydrophones, &c.sensors.surface}) {
    for (const auto& s : *list) add(s.place);
  }
  for (const auto& s : c.sources) {
    for (const Place& p : s.shape->places()) add(p);
  }
  return places;
}

// A group of what was read from a file.
hdf5::Handle create_group(const hdf5::File& file, const std::string& name, const std::string& from, const std::string& variable) {
  auto group = file.own(H5Gcreate2(file.id(), name.c_str(), H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT), H5Gclose, "create " + name);
  file.attribute(group.get(), "file", from);
  file.attribute(group.get(), "variable", variable);
  return group;
}

void write_projection(const hdf5::File& file, const Case& c, const Domain& domain) {
  const LonLat& box = *c.domain.lonlat;
  file.attribute(file.id(), "lon_min", box.lon.min);
  file.attribute(file.id(), "lon_max", box.lon.max);
  file.attribute(file.id(), "lat_min", box.lat.min);
  file.attribute(file.id(), "lat_max", box.lat.max);
  std::vector<double> places, lon, lat;
  for (const Place& p : geographic_places(c)) {
    const auto [x, y] = domain.to_xy(p.x, p.y);
    places.insert(places.end(), {p.x, p.y, x, y});
  }
  write_array(file, file.id(), "places", {places.size() / 4, 4}, places);
  for (const double y : chebyshev_nodes(domain.size[1])) {
    for (const double x : chebyshev_nodes(domain.size[0])) {
      const auto [lo, la] = domain.to_lonlat(x, y);
      lon.push_back(lo), lat.push_back(la);
    }
  }
  write_array(file, file.id(), "lon", {chebyshev_points, chebyshev_points}, lon);
  write_array(file, file.id(), "lat", {chebyshev_points, chebyshev_points}, lat);
}

// A window of the grid in `path`.
void write_window(const hdf5::File& file, const std::string& name, const std::string& path, const Grid& grid) {
  const auto group = create_group(file, name, path, grid.name.substr(path.size() + 2));  // the name is "file: variable"
  file.attribute(group.get(), "geographic", std::int64_t{grid.geographic});
  write_array(file, group.get(), "x", {grid.x.size()}, grid.x);
  write_array(file, group.get(), "y", {grid.y.size()}, grid.y);
  std::vector<hsize_t> shape{grid.y.size(), grid.x.size()};
  if (!grid.times.empty()) {
    write_array(file, group.get(), grid.deep ? "depth" : "times", {grid.times.size()}, grid.times);
    shape.insert(shape.begin(), grid.times.size());
  }
  write_array(file, group.get(), "values", shape, grid.values);
}

}  // namespace

void write_prepared(const Case& c, const std::string& path) {
  if (std::holds_alternative<PreparedBathymetry>(c.domain.bathymetry)) {
    throw Error(ExitCode::usage,
                text(to_string(c.domain.bathymetry_mark), ": this bathymetry is prepared already; prepare the case with the original one"));
  }
  const auto domain = make_domain(c);
  const auto bathymetry = make_bathymetry(c, *domain);
  const auto x = column_nodes(domain->size[0], c.mesh.elements[0], c.mesh.order, c.mesh.spacing[0]),
             y = column_nodes(domain->size[1], c.mesh.elements[1], c.mesh.order, c.mesh.spacing[1]);
  const auto depth = bathymetry->depths(x, y, 0, 0);

  auto file = hdf5::File::create(path);
  file.attribute(file.id(), "format", std::int64_t{prepared_format});
  file.attribute(file.id(), "elements_x", c.mesh.elements[0]);
  file.attribute(file.id(), "elements_y", c.mesh.elements[1]);
  file.attribute(file.id(), "order", std::int64_t{c.mesh.order});
  file.attribute(file.id(), "size_x", domain->size[0]);
  file.attribute(file.id(), "size_y", domain->size[1]);
  file.attribute(file.id(), "clamped", bathymetry->deepened());
  file.attribute(file.id(), "geographic", std::int64_t{domain->geographic()});
  file.attribute(file.id(), "projection", domain->projection());
  file.attribute(file.id(), "case_file", c.file);
  file.attribute(file.id(), "case", c.source);
  file.attribute(file.id(), "bathymetry", bathymetry_text(c.domain.bathymetry));
  file.attribute(file.id(), "created", utc_now());
  file.attribute(file.id(), "version", text("agwave ", version, " (", commit, ")"));
  for (const int d : {0, 1}) {
    const auto faces = spaced_faces(c.mesh.spacing[d], domain->size[d], c.mesh.elements[d]);
    write_array(file, file.id(), d == 0 ? "x_faces" : "y_faces", {faces.size()}, faces);
  }
  write_array(file, file.id(), "depth", {y.size(), x.size()}, depth);
  if (domain->geographic()) write_projection(file, c, *domain);
  for (std::size_t n = 0; n < c.sources.size(); ++n) {
    if (const auto slices = c.sources[n].shape->slices(*domain)) write_window(file, text("uplift_", n), slices->file, *slices->grid);
  }
  if (const auto* field = std::get_if<SoundField>(&c.ocean.sound)) write_window(file, "sound_speed", field->file, read_sound_field(c, *domain));
  if (c.boundary.floor && !c.boundary.floor->file.empty()) write_window(file, "sediments", c.boundary.floor->file, read_sediments(c, *domain));
  file.publish();
  file.close();
}

}  // namespace agwave
