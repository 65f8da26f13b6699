// SPDX-License-Identifier: Apache-2.0
// Opening prepared files and checking them against the case; checked HDF5 reads.
#include "terrain/prepared_reader.hpp"

#include <cmath>
#include <filesystem>

#include "error/error.hpp"
#include "terrain/prepared.hpp"

namespace agwave {
namespace {

hdf5::File open_prepared(const PreparedBathymetry& prepared) {
  std::error_code ignored;
  if (!std::filesystem::exists(prepared.file, ignored)) {
    throw Error(ExitCode::input, text(to_string(prepared.mark), ": no such file: ", prepared.file));
  }
  try {
    return hdf5::File::open(prepared.file);
  } catch (const Error& e) {
    throw Error(ExitCode::input, text(to_string(prepared.mark), ": ", e.what(), "; it must be a file that `agwave prepare` wrote"));
  }
}

}  // namespace

PreparedReader::PreparedReader(const Case& c, const PreparedBathymetry& prepared) : mark_(prepared.mark), file_(open_prepared(prepared)) {
  if (H5Aexists(root(), "format") <= 0) fail("is not a file that `agwave prepare` wrote");
  if (const auto format = integer(root(), "format"); format != prepared_format) {
    fail(text("has format ", format, ", this build reads ", prepared_format, "; run `agwave prepare` again with this version"));
  }
  elements = {integer(root(), "elements_x"), integer(root(), "elements_y")};
  const auto order = integer(root(), "order");
  if (elements[0] != c.mesh.elements[0] || elements[1] != c.mesh.elements[1] || order != c.mesh.order) {
    fail(text("was prepared for ", elements[0], " x ", elements[1], " element columns of order ", order, ", the case has ", c.mesh.elements[0], " x ",
              c.mesh.elements[1], " of order ", c.mesh.order, "; run `agwave prepare` again for this mesh"));
  }
  size = {number(root(), "size_x"), number(root(), "size_y")};
  if ((integer(root(), "geographic") != 0) != c.domain.lonlat.has_value()) {
    fail("and the case differ in how they give the domain, one by `size`, the other by `lonlat`");
  }
  if (c.domain.lonlat) check_box(*c.domain.lonlat);
}

void PreparedReader::check_box(const LonLat& box) const {
  const LonLat stored{{number(root(), "lon_min"), number(root(), "lon_max")}, {number(root(), "lat_min"), number(root(), "lat_max")}};
  const auto same = [](Range a, Range b) { return std::abs(a.min - b.min) < 1e-9 && std::abs(a.max - b.max) < 1e-9; };
  if (same(box.lon, stored.lon) && same(box.lat, stored.lat)) return;
  fail(text("was prepared for lon ", stored.lon.min, " to ", stored.lon.max, ", lat ", stored.lat.min, " to ", stored.lat.max, "; the case has lon ",
            box.lon.min, " to ", box.lon.max, ", lat ", box.lat.min, " to ", box.lat.max));
}

void PreparedReader::fail(const std::string& message) const {
  throw Error(ExitCode::input, text(to_string(mark_), ": ", file_.path(), " ", message));
}

bool PreparedReader::has(const std::string& name) const { return H5Lexists(root(), name.c_str(), H5P_DEFAULT) > 0; }

hdf5::Handle PreparedReader::group(const std::string& name) const {
  if (!has(name)) {
    fail(text("holds no ", name, "; run `agwave prepare` again with the case that has it"));
  }
  return file_.own(H5Gopen2(root(), name.c_str(), H5P_DEFAULT), H5Gclose, "open " + name);
}

void PreparedReader::require_file(hid_t group, const std::string& file, const std::string& variable, const std::string& what,
                                  const std::string& as) const {
  const std::string then = words(group, "file"), its = words(group, "variable");
  const auto base = [](const std::string& path) { return std::filesystem::path(path).filename().string(); };
  if (base(then) != base(file) || (!variable.empty() && its != variable))
    fail(text("was prepared with ", what, base(then), ": '", its, "'", as, ", the case has ", base(file), ": '", variable.empty() ? its : variable,
              "'; run `agwave prepare` again"));
}

std::int64_t PreparedReader::integer(hid_t where, const char* name) const {
  std::int64_t value = 0;
  read_attribute(where, name, H5T_NATIVE_INT64, &value);
  return value;
}

double PreparedReader::number(hid_t where, const char* name) const {
  double value = 0;
  read_attribute(where, name, H5T_NATIVE_DOUBLE, &value);
  return value;
}

void PreparedReader::read_attribute(hid_t where, const char* name, hid_t type, void* value) const {
  const std::string what = text("read attribute ", name);
  const auto attribute = file_.own(H5Aopen(where, name, H5P_DEFAULT), H5Aclose, what);
  file_.check(H5Aread(attribute.get(), type, value), what);
}

std::vector<double> PreparedReader::array(hid_t where, const std::string& name, std::vector<hsize_t>& shape,
                                          const std::vector<hsize_t>& first) const {
  const std::string what = "read " + name;
  const auto data = file_.own(H5Dopen2(where, name.c_str(), H5P_DEFAULT), H5Dclose, what);
  const hdf5::Extent whole = file_.shape(data.get(), what);
  if (first.empty()) shape = whole;
  bool fits = shape.size() == whole.size();
  for (std::size_t d = 0; fits && d < first.size(); ++d) fits = first[d] + shape[d] <= whole[d];
  if (!fits) fail(text("has an array ", name, " of the wrong shape"));
  std::vector<double> values(hdf5::count(shape));
  if (values.empty()) return values;
  const auto space = first.empty() ? file_.own(H5Dget_space(data.get()), H5Sclose, what) : file_.box(whole, first, shape, what);
  const auto memory = file_.space(shape, what);
  file_.check(H5Dread(data.get(), H5T_NATIVE_DOUBLE, memory.get(), space.get(), H5P_DEFAULT, values.data()), what);
  return values;
}

}  // namespace agwave
