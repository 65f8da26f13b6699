// SPDX-License-Identifier: Apache-2.0
// sensors.h5: pressure and surface-height traces, HDF5 with netCDF-4 dimension scales (opens in h5py, xarray with
// engine="h5netcdf", netCDF4). Sizes are known, so dimensions are fixed, space is allocated and filled with NaN and all
// metadata flushed before the first sample; later writes touch raw data and `samples_written` only, so that a run
// killed at any moment leaves a file that opens. Used by rank 0 alone. Throws Error(output).
#pragma once
#include <cstdint>
#include <span>
#include <string>

#include "fem/sensors.hpp"
#include "files/labelled_file.hpp"

namespace agwave {

struct Earlier {  // the file that a restarted run continues: what it has of the first `samples` goes over
  std::string path;
  std::int64_t samples = 0;
};

class TraceFile {
 public:
  // Stations are the seafloor sensors, then the hydrophones; gauges the surface ones. samples: including t = 0. geographic: with lon, lat.
  TraceFile(const std::string& path, const Sensors& sensors, std::int64_t samples, double interval, const Attributes& attributes,
            bool geographic = false, const Earlier& earlier = {});
  // Writes `count` samples from index `first`; arrays are [count][station] or [count][gauge], row by row.
  void write(std::int64_t first, std::int64_t count, std::span<const double> pressure, std::span<const double> sensor_pressure,
             std::span<const double> surface_height);
  void sync() { file_.sync(); }  // to the disk
  void close() { file_.close(); }

 private:
  LabelledFile file_;
  std::int64_t stations_, gauges_, written_ = 0;
};

// surface.h5: maps of the sea surface on a tensor grid of nodes, the running maximum and the arrival time, same habits.
class SurfaceFile {
 public:
  // x, y [m] of the map; times: number of snapshots; lon/lat when the domain is geographic (y.size()*x.size() or empty);
  // uplift: of the seafloor at the end of the run [m]; arrival_threshold: the |height| [m] that counts as an arrival.
  SurfaceFile(const std::string& path, std::span<const double> x, std::span<const double> y, std::span<const double> depth,
              std::span<const double> uplift, std::span<const double> lon, std::span<const double> lat, std::int64_t times, double interval,
              double arrival_threshold, const Attributes& attributes,
              const Earlier& earlier = {});                                 // maps at other times than those of the earlier file stay missing
  void write_snapshot(std::int64_t index, std::span<const double> height);  // [y][x]
  void write_maximum(std::span<const double> maximum, std::span<const double> arrival);  // [y][x]; arrival [s], NaN: not reached
  void sync() { file_.sync(); }
  void close() { file_.close(); }

 private:
  LabelledFile file_;
  std::int64_t written_ = 0;
};

}  // namespace agwave
