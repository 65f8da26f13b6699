// SPDX-License-Identifier: Apache-2.0
// Small netCDF grids for the tests of the input readers, right ones and wrong ones, in a directory that goes away.
#pragma once
#include <netcdf.h>

#include <cmath>
#include <functional>
#include <stdexcept>
#include <string>
#include <vector>

#include "temp_dir.hpp"
#include "terrain/domain.hpp"
#include "terrain/prepared.hpp"

namespace agwave {

inline std::vector<double> linspace(double a, double b, int n) {
  std::vector<double> v;
  for (int i = 0; i < n; ++i) v.push_back(n == 1 ? a : a + (b - a) * i / (n - 1));
  return v;
}

struct GridMaker {
  std::string x_name = "lon", y_name = "lat", name = "elevation";
  std::string x_units = "degrees_east", y_units = "degrees_north", units = "m", standard, positive, time_units = "s", third = "time", third_positive;
  std::vector<double> x, y, times;
  std::function<double(double x, double y, double t)> value = [](double, double, double) { return -4000.0; };
  bool x_first = false;    // (lon, lat) instead of (lat, lon)
  bool unlimited = false;  // the time dimension
  bool axes = true;        // write the coordinate variables
  nc_type type = NC_DOUBLE;
  int format = NC_NETCDF4;
  double scale = 1, offset = 0;  // packing
  double fill = NAN;             // _FillValue attribute, unless NaN

  void write(const std::string& path) const {
    int id = 0, dx = 0, dy = 0, dt = 0, vx = 0, vy = 0, vt = 0, v = 0;
    ok(nc_create(path.c_str(), NC_CLOBBER | format, &id));
    if (!times.empty()) ok(nc_def_dim(id, third.c_str(), unlimited ? NC_UNLIMITED : times.size(), &dt));
    ok(nc_def_dim(id, y_name.c_str(), y.size(), &dy));
    ok(nc_def_dim(id, x_name.c_str(), x.size(), &dx));
    std::vector<int> dims;
    if (!times.empty()) dims.push_back(dt);
    dims.push_back(x_first ? dx : dy);
    dims.push_back(x_first ? dy : dx);
    if (axes) {
      ok(nc_def_var(id, x_name.c_str(), NC_DOUBLE, 1, &dx, &vx));
      ok(nc_def_var(id, y_name.c_str(), NC_DOUBLE, 1, &dy, &vy));
      attribute(id, vx, "units", x_units);
      attribute(id, vy, "units", y_units);
    }
    if (!times.empty()) {
      ok(nc_def_var(id, third.c_str(), NC_DOUBLE, 1, &dt, &vt));
      attribute(id, vt, "positive", third_positive);
      attribute(id, vt, "units", time_units);
    }
    ok(nc_def_var(id, name.c_str(), type, static_cast<int>(dims.size()), dims.data(), &v));
    attribute(id, v, "units", units);
    attribute(id, v, "standard_name", standard);
    attribute(id, v, "positive", positive);
    if (scale != 1 || offset != 0) {
      ok(nc_put_att_double(id, v, "scale_factor", NC_DOUBLE, 1, &scale));
      ok(nc_put_att_double(id, v, "add_offset", NC_DOUBLE, 1, &offset));
    }
    if (!std::isnan(fill)) ok(nc_put_att_double(id, v, "_FillValue", type, 1, &fill));
    ok(nc_enddef(id));
    if (axes) {
      ok(nc_put_var_double(id, vx, x.data()));
      ok(nc_put_var_double(id, vy, y.data()));
    }
    const std::size_t start[3] = {0, 0, 0};
    std::vector<std::size_t> count{(x_first ? x : y).size(), (x_first ? y : x).size()};
    if (!times.empty()) {
      count.insert(count.begin(), times.size());
      ok(nc_put_vara_double(id, vt, start, count.data(), times.data()));
    }
    std::vector<double> data;
    for (const double t : times.empty() ? std::vector<double>{0} : times) {
      for (const double a : x_first ? x : y) {
        for (const double b : x_first ? y : x) {
          const double f = x_first ? value(a, b, t) : value(b, a, t);
          data.push_back(f == fill ? fill : (f - offset) / scale);
        }
      }
    }
    if (type == NC_CHAR) {
      ok(nc_put_var_text(id, v, std::string(data.size(), 'a').c_str()));
    } else {
      ok(nc_put_vara_double(id, v, start, count.data(), data.data()));
    }
    ok(nc_close(id));
  }

 private:
  static void ok(int status) {
    if (status != NC_NOERR) throw std::runtime_error(nc_strerror(status));
  }
  static void attribute(int id, int variable, const char* name, const std::string& value) {
    if (!value.empty()) ok(nc_put_att_text(id, variable, name, value.size(), value.c_str()));
  }
};

inline const Mark mark{"case.yaml", 5, "domain.bathymetry"};

// A plain domain of 100 x 50 km on a metric grid of 5 km spacing around it.
struct MetricGrid : GridMaker {
  MetricGrid() {
    x_name = "x", y_name = "y", x_units = y_units = "m";
    x = linspace(-20e3, 120e3, 29);
    y = linspace(-20e3, 70e3, 19);
  }
};

inline Case metric_case(const std::string& file) {
  Case c;
  c.domain.size = {100e3, 50e3};
  c.domain.bathymetry = GridBathymetry{file, "", {}, 0, mark};
  c.domain.bathymetry_mark = mark;
  c.mesh.elements = {6, 4, 2};
  return c;
}

// Depths at the nodes of all columns.
inline std::vector<double> depths_of(const Case& c) {
  const auto domain = make_domain(c);
  const auto x = column_nodes(domain->size[0], c.mesh.elements[0], 4), y = column_nodes(domain->size[1], c.mesh.elements[1], 4);
  return make_bathymetry(c, *domain)->depths(x, y, 0, 0);
}

// Longitudes 190 to 204 by a quarter degree, a floor that tells every node from every other.
struct GlobeGrid : GridMaker {
  GlobeGrid() {
    x = linspace(190, 204, 57);
    y = linspace(49, 55, 25);
    value = [](double lon, double lat, double) { return -4000 + 8 * (std::fmod(lon + 720, 360) - 197) - 16 * (lat - 52); };
  }
};

inline Case globe_case(const std::string& file) {
  Case c = metric_case(file);
  c.domain.size.reset();
  c.domain.lonlat = LonLat{{193, 201}, {50.2, 53.2}};
  return c;
}

}  // namespace agwave
