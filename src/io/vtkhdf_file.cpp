// SPDX-License-Identifier: Apache-2.0
// See vtkhdf_file.hpp. Everything below the group VTKHDF; a grid in one piece, so each count is an array of one.
#include "io/vtkhdf_file.hpp"

#include <filesystem>
#include <functional>
#include <nlohmann/json.hpp>

#include "files/hdf5.hpp"
#include "files/replace_file.hpp"

namespace agwave {
namespace {

constexpr std::uint8_t vtk_quad = 9, vtk_hexahedron = 12;

class VtkFile {
 public:
  explicit VtkFile(const std::string& path) : file_(hdf5::File::create(path)) {
    for (const char* name : {"VTKHDF", "VTKHDF/PointData", "VTKHDF/CellData", "VTKHDF/FieldData"})
      file_.own(H5Gcreate2(file_.id(), name, H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT), H5Gclose, text("create group ", name));
    const hdf5::Handle root = file_.own(H5Gopen2(file_.id(), "VTKHDF", H5P_DEFAULT), H5Gclose, "open group VTKHDF");
    const std::int64_t version[2] = {1, 0};
    const hdf5::Handle space = file_.space({2}, "write the version");
    const hdf5::Handle attribute =
        file_.own(H5Acreate2(root.get(), "Version", H5T_STD_I64LE, space.get(), H5P_DEFAULT, H5P_DEFAULT), H5Aclose, "write the version");
    file_.check(H5Awrite(attribute.get(), H5T_NATIVE_INT64, version), "write the version");
    const std::string kind = "UnstructuredGrid";  // of fixed length: older readers take nothing else
    const hdf5::Handle type = file_.own(H5Tcopy(H5T_C_S1), H5Tclose, "write the type");
    file_.check(H5Tset_size(type.get(), kind.size()), "write the type");
    file_.check(H5Tset_strpad(type.get(), H5T_STR_NULLPAD), "write the type");
    file_.attribute(root.get(), "Type", type.get(), type.get(), kind.data());
  }

  hdf5::Handle create(const std::string& name, hid_t type, const hdf5::Extent& shape) {
    return file_.create(file_.id(), "VTKHDF/" + name, type, shape, "create " + name);
  }
  void write(const std::string& name, hid_t stored, hid_t type, const hdf5::Extent& shape, const void* values, const std::string& unit = "") {
    const hdf5::Handle dataset = create(name, stored, shape);
    if (!unit.empty()) file_.attribute(dataset.get(), "units", unit);
    file_.check(H5Dwrite(dataset.get(), type, H5S_ALL, H5S_ALL, H5P_DEFAULT, values), "write " + name);
  }
  // Rows that need not all be in memory at once: `fill` gives those of one of `parts`.
  template <class T>
  void write_parts(const std::string& name, hid_t stored, hid_t type, std::int64_t rows, std::int64_t width, std::int64_t parts,
                   const std::function<void(std::int64_t, std::vector<T>&)>& fill) {
    hdf5::Extent shape{static_cast<hsize_t>(rows)};
    if (width > 1) shape.push_back(static_cast<hsize_t>(width));
    const hdf5::Handle dataset = create(name, stored, shape);
    hdf5::Extent start(shape.size(), 0), extent = shape;
    std::vector<T> values;
    for (std::int64_t part = 0; part < parts; ++part) {
      values.clear();
      fill(part, values);
      extent[0] = values.size() / static_cast<hsize_t>(width);
      const hdf5::Handle there = file_.box(shape, start, extent, "write " + name), here = file_.space(extent, "write " + name);
      file_.check(H5Dwrite(dataset.get(), type, here.get(), there.get(), H5P_DEFAULT, values.data()), "write " + name);
      start[0] += extent[0];
    }
  }
  void count(const std::string& name, std::int64_t value) { write(name, H5T_STD_I64LE, H5T_NATIVE_INT64, {1}, &value); }
  void link(const std::string& name, const std::string& file) {
    const std::string path = "VTKHDF/" + name;
    file_.check(H5Lcreate_external(file.c_str(), ("/" + path).c_str(), file_.id(), path.c_str(), H5P_DEFAULT, H5P_DEFAULT), "link " + name);
  }
  void publish() {
    file_.publish();
    file_.close();
  }

 private:
  hdf5::File file_;
};

void write_points(VtkFile& file, const VtkMesh& m) {
  const std::int64_t X = m.counts()[0], Y = m.counts()[1], Z = m.counts()[2];  // no bindings: Clang before 16 has none in lambdas
  file.write_parts<float>("Points", H5T_IEEE_F32LE, H5T_NATIVE_FLOAT, X * Y * Z, 3, Z, [&](std::int64_t k, std::vector<float>& points) {
    for (std::int64_t n = 0; n < X * Y; ++n)
      for (const double value : {m.x[n % X], m.y[n / X], -m.depth[n] * m.sigma[k]}) points.push_back(static_cast<float>(value));
  });
}

void write_cells(VtkFile& file, const VtkMesh& m) {
  const std::int64_t X = m.counts()[0], Y = m.counts()[1], Z = m.counts()[2];  // no bindings: Clang before 16 has none in lambdas
  const bool flat = Z == 1;
  const std::int64_t layer = (X - 1) * (Y - 1), layers = flat ? 1 : Z - 1, cells = layer * layers, corners = flat ? 4 : 8;
  file.count("NumberOfPoints", X * Y * Z);
  file.count("NumberOfCells", cells);
  file.count("NumberOfConnectivityIds", corners * cells);
  file.write_parts<std::int64_t>("Connectivity", H5T_STD_I64LE, H5T_NATIVE_INT64, corners * cells, 1, layers,
                                 [&](std::int64_t k, std::vector<std::int64_t>& ids) {
                                   for (std::int64_t j = 0; j < Y - 1; ++j)
                                     for (std::int64_t i = 0; i < X - 1; ++i)
                                       for (std::int64_t up = 0; up < (flat ? 1 : 2); ++up) {  // counter-clockwise seen from above, floor first
                                         const std::int64_t at = ((k + up) * Y + j) * X + i;
                                         for (const std::int64_t id : {at, at + 1, at + X + 1, at + X}) ids.push_back(id);
                                       }
                                 });
  file.write_parts<std::int64_t>("Offsets", H5T_STD_I64LE, H5T_NATIVE_INT64, cells + 1, 1, layers + 1,
                                 [&](std::int64_t k, std::vector<std::int64_t>& offsets) {
                                   for (std::int64_t n = k * layer; n < (k < layers ? (k + 1) * layer : cells + 1); ++n)
                                     offsets.push_back(corners * n);
                                 });
  file.write_parts<std::uint8_t>("Types", H5T_STD_U8LE, H5T_NATIVE_UINT8, cells, 1, layers, [&](std::int64_t, std::vector<std::uint8_t>& types) {
    types.assign(static_cast<std::size_t>(layer), flat ? vtk_quad : vtk_hexahedron);
  });
}

}  // namespace

void write_vtk_mesh(const std::string& path, const VtkMesh& m) {
  VtkFile file(path);
  write_cells(file, m);
  write_points(file, m);
  const std::int64_t Z = m.counts()[2];
  file.write_parts<double>("PointData/depth", H5T_IEEE_F32LE, H5T_NATIVE_DOUBLE, m.counts()[0] * m.counts()[1] * Z, 1, Z,
                           [&](std::int64_t, std::vector<double>& values) { values = m.depth; });
  file.publish();
}

void write_vtk_snapshot(const std::string& path, const std::string& mesh_file, double time, const std::string& field, const std::string& unit,
                        std::span<const double> values) {
  VtkFile file(path);
  for (const char* name :
       {"NumberOfPoints", "NumberOfCells", "NumberOfConnectivityIds", "Points", "Connectivity", "Offsets", "Types", "PointData/depth"})
    file.link(name, mesh_file);
  file.write("FieldData/TimeValue", H5T_IEEE_F64LE, H5T_NATIVE_DOUBLE, {1}, &time, "s");
  file.write("PointData/" + field, H5T_IEEE_F32LE, H5T_NATIVE_DOUBLE, {values.size()}, values.data(), unit);
  file.publish();
}

void write_vtk_series(const std::string& path, const std::vector<std::string>& files, std::span<const double> times) {
  nlohmann::ordered_json list = nlohmann::ordered_json::array();
  const std::filesystem::path folder = std::filesystem::path(path).parent_path();
  for (std::size_t n = 0; n < files.size(); ++n)
    if (std::error_code none; std::filesystem::exists(folder / files[n], none)) list.push_back({{"name", files[n]}, {"time", times[n]}});
  replace_file(path, nlohmann::ordered_json{{"file-series-version", "1.0"}, {"files", list}}.dump(1) + "\n", false);
}

}  // namespace agwave
