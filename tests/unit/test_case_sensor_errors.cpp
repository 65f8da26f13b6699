// SPDX-License-Identifier: Apache-2.0
// Wrong sensor lists: in case files and in CSV files that they name.
#include "case_errors.hpp"
#include "temp_dir.hpp"

namespace agwave {
namespace {

const Wrong sensor_lists[] = {
    {"no_interval", plus("sensors:\n  seafloor: [{name: A, x: 1, y: 2}]"), usage, {"c.yaml:6: sensors.interval: missing", "add 'interval: 0.5'"}},
    {"interval_zero", plus("sensors: {interval: 0}"), usage, {"sensors.interval: out of range; found 0"}},
    {"list_is_word", sensors("seafloor: all"), usage, {"c.yaml:6: sensors.seafloor: expected a list; found 'all'"}},
    {"sensor_without_list",
     sensors("seafloor: {name: A, x: 1, y: 2}"),
     usage,
     {"sensors.seafloor: expected a list; found a map", "begin each sensor with '- '"}},
    {"sensor_is_list", sensors("seafloor: [[1, 2]]"), usage, {"sensors.seafloor[0]: expected a map of keys; found a list of 2"}},
    {"no_name", sensors("seafloor: [{x: 1, y: 2}]"), usage, {"c.yaml:6: sensors.seafloor[0].name: missing"}},
    {"empty_name", sensors("seafloor: [{name: '', x: 1, y: 2}]"), usage, {"sensors.seafloor[0].name: the name is empty"}},
    {"no_y", sensors("surface: [{name: A, x: 1}]"), usage, {"sensors.surface[0].y: missing"}},
    {"x_negative", sensors("seafloor: [{name: A, x: -5, y: 1}]"), usage, {"sensors.seafloor[0].x: out of range; found -5"}},
    {"z_of_seafloor", sensors("seafloor: [{name: A, x: 1, y: 1, z: -10}]"), usage, {"sensors.seafloor[0].z: unknown key", "name, x, y"}},
    {"no_z", sensors("hydrophones: [{name: A, x: 1, y: 1}]"), usage, {"sensors.hydrophones[0].z: missing"}},
    {"z_positive",
     sensors("hydrophones: [{name: A, x: 1, y: 1, z: 1000}]"),
     usage,
     {"sensors.hydrophones[0].z", "z is up, 0 at the sea surface: give -1000"}},
    {"duplicate_name",
     plus("sensors:\n  interval: 1\n  surface:\n    - {name: A, x: 1, y: 1}\n    - {name: A, x: 2, y: 1}"),
     usage,
     {"c.yaml:10: sensors.surface[1]: duplicate sensor name; found 'A', also at c.yaml:9"}},
    {"lonlat_without", sensors("seafloor: [{name: A, lon: 197, lat: 52}]"), usage, {"sensors.seafloor[0].lon: lon, lat need domain.lonlat"}},
    {"lonlat_swapped_range",
     line(2, lonlat, "sensors: {interval: 1, seafloor: [{name: A, lon: 52, lat: 197}]}\n"),
     usage,
     {"c.yaml:6: sensors.seafloor[0].lat: out of range; found 197", "are lon and lat swapped?"}},
    {"lonlat_swapped_domain",
     line(2, lonlat, "sensors: {interval: 1, seafloor: [{name: A, lon: 41, lat: 12}]}\n"),
     usage,
     {"c.yaml:6: sensors.seafloor[0].lon: lon and lat look swapped"}},
    {"grid_of_hydrophones",
     sensors("hydrophones: {grid: {counts: [2, 2]}}"),
     usage,
     {"c.yaml:6: sensors.hydrophones.grid: hydrophones have no grids"}},
    {"grid_and_sensor_in_one",
     sensors("seafloor: {grid: {counts: [2, 2]}, title: B}"),
     usage,
     {"c.yaml:6: sensors.seafloor.title: unknown key; found 'title'; allowed: file, grid", "begin each sensor with '- '"}},
    {"file_and_line",
     sensors("hydrophones: [{file: h.csv, line: {from: [1, 1, -5], to: [1, 1, -6], count: 2}}]"),
     usage,
     {"c.yaml:6: sensors.hydrophones[0].line: unknown key", "it belongs to type line"}},
    {"line_above_water",
     sensors("hydrophones: [{line: {from: [1, 1, -5], to: [1, 1, 50], count: 3}}]"),
     usage,
     {"sensors.hydrophones[0].line.to: this end is not below the sea surface; found z = 50", "z is up"}},
    {"line_of_one",
     sensors("hydrophones: {line: {from: [1, 1, -5], to: [1, 1, -6], count: 1}}"),
     usage,
     {"hydrophones.line.count: out of range; found 1"}},
    {"line_in_the_plane",
     sensors("hydrophones: [{line: {from: [1, 1], to: [1, 1, -6], count: 2}}]"),
     usage,
     {"hydrophones[0].line.from: wrong number of entries; found a list of 2"}},
    {"line_lonlat_without",
     sensors("hydrophones: [{line: {lon: [197, 198], lat: [51, 52], z: [-9, -9], count: 4}}]"),
     usage,
     {"sensors.hydrophones[0].line.lon: lon, lat need domain.lonlat"}},
    {"line_on_the_floor", sensors("seafloor: {line: {from: [1, 1, -5], to: [1, 1, -6], count: 3}}"), usage, {"c.yaml:6: sensors.seafloor"}},
    {"grid_counts", sensors("seafloor: {grid: {counts: [0, 2]}}"), usage, {"sensors.seafloor.grid.counts[0]: out of range; found 0"}},
    {"grid_without_counts", sensors("seafloor: [{grid: {margin: 5000}}]"), usage, {"sensors.seafloor[0].grid.counts: missing"}},
    {"too_many",
     sensors("seafloor: {grid: {counts: [2000, 2000]}}"),
     usage,
     {"c.yaml:6: sensors: too many sensors; found 4000000", "at most 1000000"}},
    {"csv_missing",
     sensors("seafloor: {file: nowhere.csv}"),
     ExitCode::input,
     {"c.yaml:6: sensors.seafloor.file: cannot read the sensor list; found 'nowhere.csv' (No such file or directory)"}},
    {"csv_directory",
     sensors("seafloor: [{file: /tmp}]"),
     ExitCode::input,
     {"sensors.seafloor[0].file: cannot read the sensor list; found '/tmp' (it is a directory)"}},
};
INSTANTIATE_TEST_SUITE_P(Sensors, CaseErrors, testing::ValuesIn(sensor_lists), row_name);

struct WrongCsv {
  const char* name;
  const char* content;
  ExitCode code;
  std::vector<std::string> fragments;  // after the path of the file
};

TEST(CaseCsvErrors, AreNamed) {
  const WrongCsv table[] = {
      {"empty", "# only a comment\n", ExitCode::input, {":1: the file is empty"}},
      {"no_header", "A1,10,20\n", ExitCode::input, {":1: wrong columns in the header line; found 'a1,10,20'"}},
      {"semicolons", "name;x;y\nA;1;2\n", ExitCode::input, {":1: wrong columns", "separate the columns by commas"}},
      {"tabs_and_decimal_commas", "name\tx\ty\nA\t1,5\t2\n", ExitCode::input, {":1: wrong columns", "separate the columns by commas"}},
      {"no_y", "name,x\nA,1\n", ExitCode::input, {":1: wrong columns"}},
      {"both", "name,x,y,lon,lat\nA,1,2,3,4\n", ExitCode::input, {":1: wrong columns"}},
      {"unknown_column", "name,x,y,depth\nA,1,2,3\n", ExitCode::input, {":1: unknown column; found 'depth'"}},
      {"column_twice", "name,x,y,x\nA,1,2,3\n", ExitCode::input, {":1: a column that is there already; found 'x'"}},
      {"lonlat_without", "name,lon,lat\nA,1,2\n", ExitCode::input, {":1: lon, lat need domain.lonlat"}},
      {"fields", "name,x,y\nA,1,2\n\nB,1\n", ExitCode::input, {":4: wrong number of fields; found 2 in 'B,1'; allowed: 3"}},
      {"open_quote", "name,x,y\n\"A,1,2\n", ExitCode::input, {":2: a quote is not closed"}},
      {"not_number", "name,x,y\nA,east,2\n", ExitCode::input, {":2: x: expected a number; found 'east'"}},
      {"nan", "name,x,y\nA,1,nan\n", ExitCode::input, {":2: y: expected a number; found 'nan'"}},
      {"negative", "name,x,y\nA,1,-2\n", ExitCode::input, {":2: y: out of range; found -2"}},
      {"empty_name", "name,x,y\n,1,2\n", ExitCode::input, {":2: name: the name is empty"}},
      {"duplicate", "name,x,y\nA,1,2\nA,3,4\n", ExitCode::input, {":3: A: duplicate sensor name; found 'A', also at"}},
      {"z_of_seafloor",
       "name,x,y,z\nA,1,2,-3\n",
       ExitCode::input,
       {":1: unknown column; found 'z'; allowed: name, x, y;", "list them as hydrophones"}},
  };
  const TempDir dir;
  const std::string path = dir / "sensors.csv";
  for (const WrongCsv& row : table) {
    SCOPED_TRACE(row.name);
    std::ofstream(path) << row.content;
    const auto [code, message] = error_of(sensors("seafloor: {file: " + path + "}"));
    EXPECT_EQ(static_cast<int>(code), static_cast<int>(row.code)) << message;
    for (const std::string& fragment : row.fragments) expect_fragments(message, {fragment[0] == ':' ? path + fragment : fragment});
  }
  std::ofstream(path) << "name,x,y\nA,1\n";
  const std::string message = error_of(sensors("seafloor: {file: " + path + "}")).second;
  EXPECT_EQ(message.find("no sensor in the file"), std::string::npos) << message;  // there is one, with a field too few
  std::ofstream(path) << "name,x,y\nA,1,2\n";
  expect_fragments(error_of(sensors("hydrophones: {file: " + path + "}")).second, {path + ":1: wrong columns", "name,x,y,z"});
}

}  // namespace
}  // namespace agwave
