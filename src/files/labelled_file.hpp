// SPDX-License-Identifier: Apache-2.0
// A new HDF5 file of named arrays over named dimensions, laid out as netCDF-4 does it (dimension scales, CF attributes),
// so that h5py, xarray (h5netcdf) and netCDF4 open it. All sizes are given up front: arrays are contiguous, allocated and
// filled with NaN at once; after publish() only raw data and the scalar `samples_written` are written, data first, so
// that whoever reads `samples_written`, during the run or after a kill, finds that many samples. Throws Error(output).
#pragma once
#include <cstdint>
#include <map>
#include <span>
#include <string>
#include <vector>

#include "files/attributes.hpp"
#include "files/hdf5.hpp"

namespace agwave {

class LabelledFile {
 public:
  enum class Type { float32, float64, int8 };

  LabelledFile(const std::string& path, const Attributes& attributes);

  // A dimension, with a coordinate variable of the same name that holds its values or labels; not empty.
  void dimension(const std::string& name, std::span<const double> values, const Attributes& attributes);
  void dimension(const std::string& name, std::span<const std::string> labels, const Attributes& attributes);
  // The dimension `time` of that many samples from 0 on.
  void times(std::int64_t count, double interval);
  // A variable over dimensions declared before, slowest first. Floats start as NaN, integers as 0.
  void variable(const std::string& name, Type type, const std::vector<std::string>& dimensions, const Attributes& attributes);
  void labels(const std::string& name, const std::string& dimension, std::span<const std::string> values, const Attributes& attributes);
  // Longitude and latitude [degrees] of places, as PREFIXlon and PREFIXlat.
  void degrees(const std::string& prefix, const std::vector<std::string>& dimensions, std::span<const double> lon, std::span<const double> lat);
  void number(const std::string& name, double value) { file_.attribute(file_.id(), name, value); }  // an attribute of the file
  // Before publish(): fills the first `rows` times from an earlier file of the same variables, wherever that has the same time, and returns
  // how many it has. Throws Error(input) when the file cannot be read or its other dimensions differ.
  std::int64_t take_over(const std::string& path, std::int64_t rows);
  // Ends the declarations: flushed to the disk, then visible under its path, replacing an older file.
  void publish() { file_.publish(); }

  void write(const std::string& name, std::span<const double> values);  // all of a variable
  // Rows [first, first + count) of a variable's slowest dimension; throws std::out_of_range if they or the values do not fit.
  void write_rows(const std::string& name, std::int64_t first, std::int64_t count, std::span<const double> values);
  void samples_written(std::int64_t samples);  // also flushes
  void sync() const { file_.sync(); }
  void close();

 private:
  struct Variable {
    hdf5::Handle dataset;
    std::vector<hsize_t> shape;
    bool in_time = false;  // its slowest dimension is `time`
  };
  Variable& create(const std::string& name, hid_t type, std::vector<hsize_t> shape, const void* fill, const Attributes& attributes);
  const Variable& create_labels(const std::string& name, std::span<const std::string> labels, const Attributes& attributes);
  void make_scale(const std::string& name, const Variable& variable);

  hdf5::File file_;
  std::map<std::string, Variable> variables_;  // after file_: closed before it
};

}  // namespace agwave
