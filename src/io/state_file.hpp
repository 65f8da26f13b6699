// SPDX-License-Identifier: Apache-2.0
// One rank's file of a checkpoint: arrays of doubles, written and read in slabs, with a checksum each.
#pragma once
#include <map>
#include <span>
#include <string>
#include <vector>

#include "files/checksum.hpp"
#include "files/hdf5.hpp"

namespace agwave {

using hdf5::Extent;

class StateWriter {
 public:
  explicit StateWriter(const std::string& path) : file_(hdf5::File::create(path)) {}
  void create(const std::string& name, const Extent& shape);
  void append(const std::string& name, std::span<const double> slabs);  // whole slabs of the slowest dimension, one after the other
  void whole(const std::string& name, const Extent& shape, std::span<const double> values);
  std::map<std::string, std::string> publish();  // on the disk under its name; the checksums

 private:
  struct Dataset {
    hdf5::Handle id;
    Extent shape;
    hsize_t written = 0;
    Checksum checksum;
  };
  hdf5::File file_;
  std::map<std::string, Dataset> datasets_;  // after file_: closed before it
};

class StateReader {
 public:
  explicit StateReader(const std::string& path) : file_(hdf5::File::open(path)) {}
  bool has(const std::string& name) const { return H5Lexists(file_.id(), name.c_str(), H5P_DEFAULT) > 0; }
  Extent shape(const std::string& name);
  // The box from `first` on of the dataset to the box at `place` of `values`, an array of shape `all`.
  void read(const std::string& name, const Extent& first, const Extent& count, double* values, const Extent& all, const Extent& place);
  std::vector<double> whole(const std::string& name);
  // Reads everything; throws Error(input) naming the dataset that differs from the checksum, or is missing.
  void verify(const std::map<std::string, std::string>& checksums);

 private:
  hid_t dataset(const std::string& name);
  hdf5::File file_;
  std::map<std::string, hdf5::Handle> datasets_;
};

}  // namespace agwave
