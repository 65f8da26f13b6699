// SPDX-License-Identifier: Apache-2.0
#include "io/state_file.hpp"

#include <algorithm>

namespace agwave {
namespace {
constexpr hsize_t piece_bytes = 64 << 20;
}

void StateWriter::create(const std::string& name, const Extent& shape) {
  const std::string what = "create " + name;
  const hdf5::Handle properties = file_.own(H5Pcreate(H5P_DATASET_CREATE), H5Pclose, what);
  file_.check(H5Pset_fill_time(properties.get(), H5D_FILL_TIME_NEVER), what);
  datasets_[name] = {file_.create(file_.id(), name, H5T_IEEE_F64LE, shape, what, properties.get()), shape, 0, {}};
}

void StateWriter::append(const std::string& name, std::span<const double> slabs) {
  Dataset& d = datasets_.at(name);
  Extent first(d.shape.size(), 0), count = d.shape;
  first[0] = d.written;
  count[0] = slabs.size() / hdf5::count(d.shape, 1);
  const std::string what = "write " + name;
  const hdf5::Handle there = file_.box(d.shape, first, count, what), here = file_.space(count, what);
  file_.check(H5Dwrite(d.id.get(), H5T_NATIVE_DOUBLE, here.get(), there.get(), H5P_DEFAULT, slabs.data()), what);
  d.written += count[0];
  d.checksum.add(slabs.data(), slabs.size_bytes());
}

void StateWriter::whole(const std::string& name, const Extent& shape, std::span<const double> values) {
  create(name, shape);
  append(name, values);
}

std::map<std::string, std::string> StateWriter::publish() {
  std::map<std::string, std::string> checksums;
  for (auto& [name, d] : datasets_) {
    checksums[name] = d.checksum.hex();
    file_.check(d.id.reset(), "close " + name);
  }
  file_.publish();
  file_.close();
  return checksums;
}

hid_t StateReader::dataset(const std::string& name) {
  auto found = datasets_.find(name);
  if (found == datasets_.end())
    found = datasets_.emplace(name, file_.own(H5Dopen2(file_.id(), name.c_str(), H5P_DEFAULT), H5Dclose, "open " + name)).first;
  return found->second.get();
}

Extent StateReader::shape(const std::string& name) { return file_.shape(dataset(name), "read " + name); }

void StateReader::read(const std::string& name, const Extent& first, const Extent& count, double* values, const Extent& all, const Extent& place) {
  const std::string what = "read " + name;
  const hdf5::Handle there = file_.box(shape(name), first, count, what), here = file_.box(all, place, count, what);
  file_.check(H5Dread(dataset(name), H5T_NATIVE_DOUBLE, here.get(), there.get(), H5P_DEFAULT, values), what);
}

std::vector<double> StateReader::whole(const std::string& name) {
  const Extent all = shape(name);
  std::vector<double> values(hdf5::count(all));
  read(name, Extent(all.size(), 0), all, values.data(), all, Extent(all.size(), 0));
  return values;
}

void StateReader::verify(const std::map<std::string, std::string>& checksums) {
  for (const auto& [name, wanted] : checksums) {
    const Extent all = shape(name);
    const hsize_t row = hdf5::count(all, 1), rows = all.empty() ? 0 : all[0],
                  most = std::max<hsize_t>(1, piece_bytes / std::max<hsize_t>(8 * row, 1));
    std::vector<double> values;
    Checksum checksum;
    Extent first(all.size(), 0), count = all;
    for (hsize_t at = 0; at < rows; at += most) {
      first[0] = at;
      count[0] = std::min(most, rows - at);
      values.resize(count[0] * row);
      read(name, first, count, values.data(), count, Extent(all.size(), 0));
      checksum.add(values.data(), values.size() * sizeof(double));
    }
    if (checksum.hex() != wanted) file_.fail("use " + name, "it is damaged: its checksum is " + checksum.hex() + ", the manifest says " + wanted);
  }
}

}  // namespace agwave
