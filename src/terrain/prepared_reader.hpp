// SPDX-License-Identifier: Apache-2.0
// A prepared file that has been checked to fit the case's mesh and lon/lat box (layout in prepared.hpp), with typed
// access to its attributes and arrays. Everything that is wrong is Error(input) with the case's mark and the file.
#pragma once
#include <array>
#include <cstdint>
#include <string>
#include <vector>

#include "case/case.hpp"
#include "files/hdf5.hpp"

namespace agwave {

class PreparedReader {
 public:
  PreparedReader(const Case& c, const PreparedBathymetry& prepared);

  [[noreturn]] void fail(const std::string& message) const;
  hid_t root() const { return file_.id(); }
  bool has(const std::string& name) const;  // an array or group of the root
  hdf5::Handle group(const std::string& name) const;
  // Throws unless the group was made from the file of that name and the variable, which may be empty; `what` and `as` say what was prepared, as what.
  void require_file(hid_t group, const std::string& file, const std::string& variable, const std::string& what, const std::string& as) const;
  std::int64_t integer(hid_t where, const char* name) const;  // attributes
  double number(hid_t where, const char* name) const;
  std::string words(hid_t where, const char* name) const { return file_.text(where, name); }
  // A whole array, whose shape is returned in `shape`; or, given `first`, the block of `shape` from there.
  std::vector<double> array(hid_t where, const std::string& name, std::vector<hsize_t>& shape, const std::vector<hsize_t>& first = {}) const;

  std::array<std::int64_t, 2> elements{};
  std::array<double, 2> size{};  // [m]

 private:
  void read_attribute(hid_t where, const char* name, hid_t type, void* value) const;
  void check_box(const LonLat& box) const;

  Mark mark_;
  hdf5::File file_;
};

}  // namespace agwave
