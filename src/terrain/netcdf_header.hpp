// SPDX-License-Identifier: Apache-2.0
// An open netCDF file: typed, checked access to its dimensions, variables and attributes, and what CF conventions say
// its axes are. Only netcdf_grid.cpp uses it. Every failure is Error(input) with the case's mark, the file and the
// library's message.
#pragma once
#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "case/case.hpp"
#include "terrain/grid_file.hpp"

namespace agwave {

enum class AxisRole { none, x, y, time, depth };
struct AxisInfo {
  AxisRole role = AxisRole::none;
  AxisFrame frame = AxisFrame::unknown;
  int variable = -1;
  bool up = false;  // of a depth: it counts upwards
};

class NetcdfHeader {
 public:
  NetcdfHeader(const std::string& path, const Mark& mark);
  ~NetcdfHeader();
  NetcdfHeader(const NetcdfHeader&) = delete;

  [[noreturn]] void fail(const std::string& message) const;

  // The named variable; with an empty name the one that holds what is looked for, as far as conventions tell.
  int find_variable(const std::string& name, GridKind kind) const;
  std::string variable_name(int variable) const;
  bool is_single(int variable) const;  // 32-bit float; throws when it holds no numbers
  std::vector<int> dimensions(int variable) const;
  std::string dimension_name(int dimension) const;
  std::size_t dimension_size(int dimension) const;
  AxisInfo axis(int dimension) const;  // by the coordinate variable of the dimension's name; role none without one
  std::vector<double> axis_values(const AxisInfo& axis) const;

  std::optional<std::string> text_attribute(int variable, const char* name) const;
  std::optional<double> number_attribute(int variable, const char* name) const;  // first element
  std::vector<double> fill_values(int variable) const;                           // _FillValue, missing_value, and the library's default
  void read(int variable, const std::vector<std::size_t>& start, const std::vector<std::size_t>& count, std::vector<double>& values) const;

 private:
  void check(int status, const std::string& what) const;
  std::vector<double> numbers(int variable, const char* name) const;

  std::string path_;
  Mark mark_;
  int id_ = -1;
};

}  // namespace agwave
