// SPDX-License-Identifier: Apache-2.0
#include "io/map_file.hpp"

#include <filesystem>

#include "files/checksum.hpp"
#include "files/hdf5.hpp"
#include "files/replace_file.hpp"
#include "files/text_file.hpp"

namespace agwave {

namespace fs = std::filesystem;

namespace {

constexpr const char *run_key = "agwave_run", *sensor_key = "agwave_sensor", *sum_key = "agwave_checksum";

std::string read_text(const hdf5::File& file, hid_t object, const char* name) { return H5Aexists(object, name) > 0 ? file.text(object, name) : ""; }

}  // namespace

std::string MapFolder::row_file(std::int64_t n) const { return path + "/binary/adj/vec_" + padded(n, 6) + ".h5"; }

void MapFolder::create() const {
  std::error_code failure;
  fs::create_directories(path + "/binary/adj", failure);
  if (failure) throw Error(ExitCode::output, text(path, ": cannot make the folder: ", failure.message(), "; give another --output"));
}

void MapFolder::clear() const {
  std::error_code failure;
  fs::remove_all(path + "/binary", failure);
  if (failure)
    throw Error(ExitCode::output, text(path, ": cannot remove the maps of an earlier run: ", failure.message(), "; give another --output"));
}

void MapFolder::write_row(std::int64_t n, const std::string& sensor, std::span<const double> values) const {
  hdf5::File file = hdf5::File::create(row_file(n));
  {
    const hdf5::Handle vec = file.create(file.id(), "vec", single ? H5T_IEEE_F32LE : H5T_IEEE_F64LE, {values.size()}, "write vec");
    file.check(H5Dwrite(vec.get(), H5T_NATIVE_DOUBLE, H5S_ALL, H5S_ALL, H5P_DEFAULT, values.data()), "write vec");
    const auto number = [&](const char* name, std::int64_t value) {
      const auto narrow = static_cast<std::int32_t>(value);
      file.attribute(vec.get(), name, H5T_STD_I32LE, H5T_NATIVE_INT32, &narrow);
    };
    number("reindex", 1);
    number("n_param", parameters);
    number("param_steps", intervals);
    file.attribute(vec.get(), sensor_key, sensor);
    file.attribute(vec.get(), run_key, run);
    file.attribute(vec.get(), sum_key, checksum_of_values({values}));
  }
  file.publish();
}

void MapFolder::write_meta(std::int64_t rows) const {
  // Nd, Nm, Nt, names of the files, their ending, reindexed, of quantities of interest, reversed, with checksums that FFTMatvec knows of
  replace_file(path + "/binary/meta_adj", text(rows, "\n", parameters, "\n", intervals, "\nadj/vec_\n.h5\n1\n", heights ? 1 : 0, "\n1\n0\n"), true);
}

std::vector<double> MapFolder::read_row(std::int64_t n, const std::string& sensor, std::string& why) const {
  why.clear();
  const std::string name = row_file(n);
  std::error_code ignored;
  if (!fs::exists(name, ignored)) return {};
  try {
    const hdf5::File file = hdf5::File::open(name);
    const hdf5::Handle vec = file.own(H5Dopen2(file.id(), "vec", H5P_DEFAULT), H5Dclose, "open vec");
    const hdf5::Handle space = file.own(H5Dget_space(vec.get()), H5Sclose, "read vec");
    const std::int64_t size = H5Sget_simple_extent_npoints(space.get());
    if (read_text(file, vec.get(), run_key) != run)
      why = "of another run";
    else if (read_text(file, vec.get(), sensor_key) != sensor)
      why = "of another sensor";
    else if (size != parameters * intervals)
      why = "of another size";
    if (!why.empty()) return {};
    std::vector<double> values(static_cast<std::size_t>(size));
    file.check(H5Dread(vec.get(), H5T_NATIVE_DOUBLE, H5S_ALL, H5S_ALL, H5P_DEFAULT, values.data()), "read vec");
    if (read_text(file, vec.get(), sum_key) == checksum_of_values({values})) return values;
    why = "damaged: its checksum is another";
  } catch (const Error& error) {
    const std::string what = error.what(), place = name + ": ";  // readers of `why` name the file
    why = "damaged: " + (what.starts_with(place) ? what.substr(place.size()) : what);
  }
  return {};
}

}  // namespace agwave
