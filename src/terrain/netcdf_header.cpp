// SPDX-License-Identifier: Apache-2.0
// Checked netCDF calls and the CF rules by which variables and axes are recognised: standard_name first, then units,
// then the axis attribute, then the names that GEBCO, ETOPO, GMT and GDAL give.
#include "terrain/netcdf_header.hpp"

#if AGWAVE_NETCDF

#include <netcdf.h>

#include <algorithm>
#include <filesystem>
#include <initializer_list>
#include <string_view>

#include "error/error.hpp"
#include "files/classic_size.hpp"
#include "files/text_file.hpp"

namespace agwave {
namespace {

bool any_of(std::string_view s, std::initializer_list<std::string_view> list) { return std::find(list.begin(), list.end(), s) != list.end(); }

bool is_elevation_name(std::string_view standard) {
  return any_of(standard, {"height_above_mean_sea_level", "height_above_reference_ellipsoid", "height_above_geoid", "height_above_geopotential_datum",
                           "surface_altitude", "altitude", "bedrock_altitude", "sea_floor_depth_below_mean_sea_level", "sea_floor_depth_below_geoid",
                           "sea_floor_depth_below_reference_ellipsoid", "sea_floor_depth"});
}

std::vector<const char*> common_names(GridKind kind) {
  if (kind == GridKind::elevation) return {"elevation", "z", "Band1", "topo", "altitude", "bathymetry", "height"};
  if (kind == GridKind::uplift) return {"uplift", "displacement", "deformation", "dz", "z"};
  if (kind == GridKind::sediments) return {"sediment", "sediments", "type", "types", "lithology"};
  return {"sound_speed", "speed_of_sound", "soundspeed", "c"};
}

}  // namespace

NetcdfHeader::NetcdfHeader(const std::string& path, const Mark& mark) : path_(path), mark_(mark) {
  // Asked first, because the library takes some names for URLs and would go to the network.
  std::error_code ignored;
  if (!std::filesystem::exists(path, ignored)) throw Error(ExitCode::input, text(to_string(mark), ": no such file: ", path));
  if (!std::filesystem::is_regular_file(path, ignored)) throw Error(ExitCode::input, text(to_string(mark), ": not a regular file: ", path));
  const auto size = std::filesystem::file_size(path, ignored);
  if (classic_size(path) > size)
    fail(text("is cut off or damaged: it has ", size, " bytes, fewer than its header says, or no header of that format; copy or download it again"));
  check(nc_open(path.c_str(), NC_NOWRITE, &id_), "cannot open it as netCDF");
}

NetcdfHeader::~NetcdfHeader() {
  if (id_ >= 0) nc_close(id_);
}

void NetcdfHeader::fail(const std::string& message) const { throw Error(ExitCode::input, text(to_string(mark_), ": ", path_, ": ", message)); }

void NetcdfHeader::check(int status, const std::string& what) const {
  if (status != NC_NOERR) fail(text(what, ": ", nc_strerror(status), " (status ", status, ")"));
}

int NetcdfHeader::find_variable(const std::string& name, GridKind kind) const {
  int id = -1, count = 0;
  check(nc_inq_nvars(id_, &count), "cannot count its variables");
  std::vector<int> grids;
  std::string listed;
  for (int v = 0; v < count; ++v) {
    const std::vector<int> dims = dimensions(v);
    const bool by_depth = kind == GridKind::sound_speed && dims.size() == 1 && dimension_name(dims[0]) != variable_name(v);
    if (dims.size() >= 2 || by_depth) {
      grids.push_back(v);
      listed += (listed.empty() ? "" : ", ") + variable_name(v);
    }
  }
  if (listed.empty()) listed = "none";
  if (!name.empty()) {
    if (nc_inq_varid(id_, name.c_str(), &id) != NC_NOERR) fail(text("has no variable '", name, "'; its variables: ", listed));
    return id;
  }
  for (const int v : grids) {
    const std::string standard = text_attribute(v, "standard_name").value_or("");
    if (kind == GridKind::elevation && is_elevation_name(standard)) return v;
    if (kind == GridKind::sound_speed && standard == "speed_of_sound_in_sea_water") return v;
  }
  for (const char* common : common_names(kind)) {
    if (nc_inq_varid(id_, common, &id) == NC_NOERR && std::find(grids.begin(), grids.end(), id) != grids.end()) return id;
  }
  if (grids.size() == 1) return grids.front();
  fail(text("cannot tell which variable to read; name it with `variable`. There are: ", listed));
}

std::string NetcdfHeader::variable_name(int variable) const {
  char name[NC_MAX_NAME + 1] = {};
  check(nc_inq_varname(id_, variable, name), "cannot read a variable's name");
  return name;
}

bool NetcdfHeader::is_single(int variable) const {
  nc_type type = NC_NAT;
  check(nc_inq_vartype(id_, variable, &type), "cannot read a variable's type");
  if (type == NC_CHAR || type == NC_STRING || type > NC_MAX_ATOMIC_TYPE) fail(text("variable '", variable_name(variable), "' does not hold numbers"));
  return type == NC_FLOAT;
}

std::vector<int> NetcdfHeader::dimensions(int variable) const {
  int count = 0;
  check(nc_inq_varndims(id_, variable, &count), "cannot read a variable's dimensions");
  std::vector<int> dims(static_cast<std::size_t>(count));
  check(nc_inq_vardimid(id_, variable, dims.data()), "cannot read a variable's dimensions");
  return dims;
}

std::string NetcdfHeader::dimension_name(int dimension) const {
  char name[NC_MAX_NAME + 1] = {};
  check(nc_inq_dimname(id_, dimension, name), "cannot read a dimension's name");
  return name;
}

std::size_t NetcdfHeader::dimension_size(int dimension) const {
  std::size_t size = 0;
  check(nc_inq_dimlen(id_, dimension, &size), "cannot read a dimension's size");
  return size;
}

AxisInfo NetcdfHeader::axis(int dimension) const {
  AxisInfo info;
  const std::string dim = dimension_name(dimension);
  if (nc_inq_varid(id_, dim.c_str(), &info.variable) != NC_NOERR || dimensions(info.variable).size() != 1) return {};
  const int v = info.variable;
  const std::string name = lower(dim), standard = text_attribute(v, "standard_name").value_or("");
  const std::string units = lower(text_attribute(v, "units").value_or("")), axis = text_attribute(v, "axis").value_or("");
  const bool east = any_of(units, {"degrees_east", "degree_east", "degrees_e", "degree_e", "degreese", "degreee"});
  const bool north = any_of(units, {"degrees_north", "degree_north", "degrees_n", "degree_n", "degreesn", "degreen"});
  const bool longitude = standard == "longitude" || (standard.empty() && (east || any_of(name, {"lon", "long", "longitude"})));
  const bool latitude = standard == "latitude" || (standard.empty() && (north || any_of(name, {"lat", "latitude"})));
  const bool angle = east || north || any_of(units, {"degrees", "degree", "deg"});
  const bool metre = any_of(units, {"m", "metre", "metres", "meter", "meters"});
  if (longitude || latitude) {
    info.role = longitude ? AxisRole::x : AxisRole::y;
    info.frame = AxisFrame::degrees;
    if (!angle && !units.empty()) fail(text("axis '", dim, "' is in '", units, "'; longitude and latitude must be in degrees"));
    return info;
  }
  if (standard == "time" || axis == "T" || any_of(name, {"time", "t"})) {
    info.role = AxisRole::time;
    const bool since = units.starts_with("seconds since") || units.starts_with("s since");
    if (!since && !any_of(units, {"", "s", "sec", "secs", "second", "seconds"})) {
      fail(text("axis '", dim, "' is in '", units, "'; time must be in seconds"));
    }
    return info;
  }
  const std::string positive = lower(text_attribute(v, "positive").value_or(""));
  if (standard == "depth" || standard == "height" || axis == "Z" || !positive.empty() || any_of(name, {"depth", "lev", "level"})) {
    info.role = AxisRole::depth;
    info.up = positive == "up";
    return info;
  }
  if (standard == "projection_x_coordinate" || axis == "X" || any_of(name, {"x", "easting"})) info.role = AxisRole::x;
  if (standard == "projection_y_coordinate" || axis == "Y" || any_of(name, {"y", "northing"})) info.role = AxisRole::y;
  if (info.role == AxisRole::none) return info;
  if (!angle && !metre && !units.empty()) fail(text("axis '", dim, "' is in '", units, "'; it must be in metres or degrees"));
  info.frame = angle ? AxisFrame::degrees : metre ? AxisFrame::metres : AxisFrame::unknown;
  return info;
}

std::vector<double> NetcdfHeader::axis_values(const AxisInfo& axis) const {
  is_single(axis.variable);
  const std::size_t size = dimension_size(dimensions(axis.variable).front());
  std::vector<double> values(size);
  if (size) read(axis.variable, {0}, {size}, values);
  const double scale = number_attribute(axis.variable, "scale_factor").value_or(1);
  const double offset = number_attribute(axis.variable, "add_offset").value_or(0);
  for (double& v : values) v = v * scale + offset;
  return values;
}

std::optional<std::string> NetcdfHeader::text_attribute(int variable, const char* name) const {
  nc_type type = NC_NAT;
  std::size_t size = 0;
  if (nc_inq_att(id_, variable, name, &type, &size) != NC_NOERR) return std::nullopt;
  if (type == NC_CHAR) {
    std::string value(size, '\0');
    check(nc_get_att_text(id_, variable, name, value.data()), text("cannot read attribute ", name));
    return std::string(value.c_str());  // some writers count the terminating zero
  }
  if (type == NC_STRING && size == 1) {
    char* pointer = nullptr;
    check(nc_get_att_string(id_, variable, name, &pointer), text("cannot read attribute ", name));
    std::string value = pointer ? pointer : "";
    nc_free_string(1, &pointer);
    return value;
  }
  return std::nullopt;
}

std::vector<double> NetcdfHeader::numbers(int variable, const char* name) const {
  nc_type type = NC_NAT;
  std::size_t size = 0;
  if (nc_inq_att(id_, variable, name, &type, &size) != NC_NOERR || size == 0) return {};
  if (type == NC_CHAR || type == NC_STRING) fail(text("attribute ", name, " of '", variable_name(variable), "' is not a number"));
  std::vector<double> values(size);
  check(nc_get_att_double(id_, variable, name, values.data()), text("cannot read attribute ", name));
  return values;
}

std::optional<double> NetcdfHeader::number_attribute(int variable, const char* name) const {
  const auto values = numbers(variable, name);
  return values.empty() ? std::nullopt : std::optional(values.front());
}

std::vector<double> NetcdfHeader::fill_values(int variable) const {
  auto fills = numbers(variable, "_FillValue");
  const auto more = numbers(variable, "missing_value");
  fills.insert(fills.end(), more.begin(), more.end());
  nc_type type = NC_NAT;
  check(nc_inq_vartype(id_, variable, &type), "cannot read a variable's type");
  // What the library leaves where nothing was written; bytes have none by convention.
  if (type == NC_SHORT) fills.push_back(NC_FILL_SHORT);
  if (type == NC_INT) fills.push_back(NC_FILL_INT);
  if (type == NC_FLOAT) fills.push_back(NC_FILL_FLOAT);
  if (type == NC_DOUBLE) fills.push_back(NC_FILL_DOUBLE);
  return fills;
}

void NetcdfHeader::read(int variable, const std::vector<std::size_t>& start, const std::vector<std::size_t>& count,
                        std::vector<double>& values) const {
  check(nc_get_vara_double(id_, variable, start.data(), count.data(), values.data()), text("cannot read variable '", variable_name(variable), "'"));
}

}  // namespace agwave

#endif
