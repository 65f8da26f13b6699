// SPDX-License-Identifier: Apache-2.0
// See labelled_file.hpp. Dimension scales: https://docs.hdfgroup.org/hdf5/v1_14/_h5_d_s__u_g.html; what netCDF-4 makes of
// them: https://docs.unidata.ucar.edu/netcdf-c/current/interoperability_hdf5.html; conventions: https://cfconventions.org.
#include "files/labelled_file.hpp"

#include <hdf5_hl.h>

#include <limits>
#include <stdexcept>

namespace agwave {
namespace {

const std::string counter = "samples_written";

}  // namespace

LabelledFile::LabelledFile(const std::string& path, const Attributes& attributes) : file_(hdf5::File::create(path)) {
  for (const auto& [name, value] : attributes) file_.attribute(file_.id(), name, value);
  const std::int64_t none = 0;
  create(counter, H5T_STD_I64LE, {}, &none, {{"long_name", "number of samples in this file so far; later ones are still missing"}, {"units", "1"}});
}

LabelledFile::Variable& LabelledFile::create(const std::string& name, hid_t type, std::vector<hsize_t> shape, const void* fill,
                                             const Attributes& attributes) {
  const std::string what = "create variable " + name;
  const hdf5::Handle properties = file_.own(H5Pcreate(H5P_DATASET_CREATE), H5Pclose, what);
  file_.check(H5Pset_layout(properties.get(), H5D_CONTIGUOUS), what);
  file_.check(H5Pset_alloc_time(properties.get(), H5D_ALLOC_TIME_EARLY), what);
  file_.check(H5Pset_fill_time(properties.get(), H5D_FILL_TIME_ALLOC), what);
  file_.check(H5Pset_attr_creation_order(properties.get(), H5P_CRT_ORDER_TRACKED | H5P_CRT_ORDER_INDEXED), what);
  file_.check(H5Pset_obj_track_times(properties.get(), false), what);  // a time of change would be metadata written late
  if (fill != nullptr) file_.check(H5Pset_fill_value(properties.get(), type, fill), what);

  hdf5::Handle dataset = file_.create(file_.id(), name, type, shape, what, properties.get());
  for (const auto& [key, value] : attributes) file_.attribute(dataset.get(), key, value);
  return variables_[name] = Variable{std::move(dataset), std::move(shape), false};
}

void LabelledFile::make_scale(const std::string& name, const Variable& variable) {
  file_.check(H5DSset_scale(variable.dataset.get(), name.c_str()), "make dimension " + name);
}

void LabelledFile::dimension(const std::string& name, std::span<const double> values, const Attributes& attributes) {
  make_scale(name, create(name, H5T_IEEE_F64LE, {values.size()}, nullptr, attributes));
  write(name, values);
}

void LabelledFile::times(std::int64_t count, double interval) {
  std::vector<double> seconds;
  for (std::int64_t n = 0; n < count; ++n) seconds.push_back(static_cast<double>(n) * interval);
  dimension("time", seconds, {{"long_name", "time since the start of the simulation"}, {"units", "s"}, {"axis", "T"}});
}

void LabelledFile::degrees(const std::string& prefix, const std::vector<std::string>& dimensions, std::span<const double> lon,
                           std::span<const double> lat) {
  variable(prefix + "lon", Type::float64, dimensions, {{"standard_name", "longitude"}, {"long_name", "longitude"}, {"units", "degrees_east"}});
  variable(prefix + "lat", Type::float64, dimensions, {{"standard_name", "latitude"}, {"long_name", "latitude"}, {"units", "degrees_north"}});
  write(prefix + "lon", lon);
  write(prefix + "lat", lat);
}

const LabelledFile::Variable& LabelledFile::create_labels(const std::string& name, std::span<const std::string> labels,
                                                          const Attributes& attributes) {
  const hdf5::Handle type = hdf5::text_type();
  std::vector<const char*> texts;
  for (const std::string& label : labels) texts.push_back(label.c_str());
  const Variable& variable = create(name, type.get(), {labels.size()}, nullptr, attributes);
  file_.check(H5Dwrite(variable.dataset.get(), type.get(), H5S_ALL, H5S_ALL, H5P_DEFAULT, texts.data()), "write " + name);
  return variable;
}

void LabelledFile::dimension(const std::string& name, std::span<const std::string> labels, const Attributes& attributes) {
  make_scale(name, create_labels(name, labels, attributes));
}

void LabelledFile::labels(const std::string& name, const std::string& dimension, std::span<const std::string> values, const Attributes& attributes) {
  const Variable& variable = create_labels(name, values, attributes);
  file_.check(H5DSattach_scale(variable.dataset.get(), variables_.at(dimension).dataset.get(), 0), "give " + name + " its dimension");
}

void LabelledFile::variable(const std::string& name, Type type, const std::vector<std::string>& dimensions, const Attributes& attributes) {
  std::vector<hsize_t> shape;
  for (const std::string& dimension : dimensions) shape.push_back(variables_.at(dimension).shape.at(0));
  const double nan = std::numeric_limits<double>::quiet_NaN();
  const float nan32 = std::numeric_limits<float>::quiet_NaN();
  const std::int8_t zero = 0;
  const hid_t stored = type == Type::int8 ? H5T_STD_I8LE : type == Type::float32 ? H5T_IEEE_F32LE : H5T_IEEE_F64LE;
  const void* fill = type == Type::int8 ? static_cast<const void*>(&zero) : type == Type::float32 ? static_cast<const void*>(&nan32) : &nan;
  Variable& variable = create(name, stored, std::move(shape), fill, attributes);
  variable.in_time = dimensions.at(0) == "time";
  if (type != Type::int8) file_.attribute(variable.dataset.get(), "_FillValue", stored, stored, fill);
  for (std::size_t i = 0; i < dimensions.size(); ++i) {
    const hid_t scale = variables_.at(dimensions[i]).dataset.get();
    file_.check(H5DSattach_scale(variable.dataset.get(), scale, unsigned(i)), "give " + name + " its dimensions");
  }
}

void LabelledFile::write(const std::string& name, std::span<const double> values) {
  write_rows(name, 0, static_cast<std::int64_t>(variables_.at(name).shape.at(0)), values);
}

void LabelledFile::write_rows(const std::string& name, std::int64_t first, std::int64_t count, std::span<const double> values) {
  const Variable& variable = variables_.at(name);
  std::vector<hsize_t> extent = variable.shape, start(extent.size(), 0);
  const std::int64_t rows = static_cast<std::int64_t>(extent.at(0));
  extent[0] = static_cast<hsize_t>(count);
  start[0] = static_cast<hsize_t>(first);
  if (first < 0 || count < 0 || first + count > rows || values.size() != hdf5::count(extent))
    throw std::out_of_range(text(file_.path(), ": ", values.size(), " values do not fill rows ", first, " to ", first + count, " of ", name));
  if (count == 0) return;

  const std::string what = "write " + name;
  const hdf5::Handle there = file_.box(variable.shape, start, extent, what), here = file_.space(extent, what);
  file_.check(H5Dwrite(variable.dataset.get(), H5T_NATIVE_DOUBLE, here.get(), there.get(), H5P_DEFAULT, values.data()), what);
}

void LabelledFile::samples_written(std::int64_t samples) {
  file_.check(H5Dwrite(variables_.at(counter).dataset.get(), H5T_NATIVE_INT64, H5S_ALL, H5S_ALL, H5P_DEFAULT, &samples), "write " + counter);
  file_.flush();
}

void LabelledFile::close() {
  if (file_.id() < 0) return;
  for (auto& [name, variable] : variables_) file_.check(variable.dataset.reset(), "close " + name);
  file_.close();
}

}  // namespace agwave
