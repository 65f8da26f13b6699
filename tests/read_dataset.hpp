// SPDX-License-Identifier: Apache-2.0
// All values of one dataset, as doubles.
#pragma once
#include <string>
#include <vector>

#include "files/hdf5.hpp"

namespace agwave {

inline std::vector<double> read_dataset(const hdf5::File& file, const std::string& name) {
  const hdf5::Handle dataset = file.own(H5Dopen2(file.id(), name.c_str(), H5P_DEFAULT), H5Dclose, "open " + name);
  const hdf5::Handle space = file.own(H5Dget_space(dataset.get()), H5Sclose, "read " + name);
  std::vector<double> values(static_cast<std::size_t>(H5Sget_simple_extent_npoints(space.get())));
  file.check(H5Dread(dataset.get(), H5T_NATIVE_DOUBLE, H5S_ALL, H5S_ALL, H5P_DEFAULT, values.data()), "read " + name);
  return values;
}
inline std::vector<double> read_dataset(const std::string& path, const std::string& name) { return read_dataset(hdf5::File::open(path), name); }

}  // namespace agwave
