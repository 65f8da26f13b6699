// SPDX-License-Identifier: Apache-2.0
// Case files that are wrong, as a table: what is in the file, and what the message must say (exit code, line, key, the
// mistake recognised). The base file is right; a row replaces one of its lines or adds lines from line 6 on.
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <fstream>

#include "error.hpp"
#include "io/case_file.hpp"

namespace agwave {
namespace {

const std::vector<std::string> base = {
    "domain:",                                  // line 1
    "  size: [80000, 60000]",                   // 2
    "  bathymetry: {type: flat, depth: 4000}",  // 3
    "mesh: {elements: [4, 3, 2]}",              // 4
    "time: {end: 10}",                          // 5
};

std::string plus(const std::string& lines) {  // from line 6
  std::string text;
  for (const std::string& line : base) text += line + "\n";
  return text + lines + "\n";
}

std::string line(std::size_t number, const std::string& replacement, const std::string& more = "") {
  std::string text;
  for (std::size_t i = 0; i < base.size(); ++i) text += (i + 1 == number ? replacement : base[i]) + "\n";
  return text + more;
}

std::string floor(const std::string& bathymetry) { return line(3, "  bathymetry: {" + bathymetry + "}"); }
std::string source(const std::string& shape, const std::string& rest = "ramp: {type: linear, duration: 5}") {
  return plus("sources:\n  - shape: {" + shape + "}\n    " + rest);  // lines 7 and 8
}
std::string sensors(const std::string& lists) { return plus("sensors: {interval: 1, " + lists + "}"); }
const std::string lonlat = "  lonlat: {lon: [10, 20], lat: [35, 45]}";

struct Wrong {
  const char* name;
  std::string yaml;
  ExitCode code;
  std::vector<std::string> fragments;
};
void PrintTo(const Wrong& row, std::ostream* out) { *out << row.name; }

class CaseErrors : public testing::TestWithParam<Wrong> {};

// What parse_case throws: exit code and message.
std::pair<ExitCode, std::string> error_of(const std::string& yaml, const std::vector<std::string>& overrides = {}) {
  try {
    parse_case("c.yaml", yaml, overrides);
  } catch (const Error& e) {
    return {e.code(), e.what()};
  }
  return {ExitCode::done, "no error"};
}

void expect_fragments(const std::string& message, const std::vector<std::string>& fragments) {
  for (const std::string& fragment : fragments) {
    EXPECT_NE(message.find(fragment), std::string::npos) << "'" << fragment << "' is not in:\n" << message;
  }
}

TEST_P(CaseErrors, AreNamed) {
  const auto [code, message] = error_of(GetParam().yaml);
  EXPECT_EQ(static_cast<int>(code), static_cast<int>(GetParam().code)) << message;
  expect_fragments(message, GetParam().fragments);
  EXPECT_EQ(message.find('\n'), std::string::npos) << "one mistake, one line:\n" << message;
}

constexpr ExitCode usage = ExitCode::usage;

const Wrong syntax[] = {
    {"latin1", plus("title: S\xe9isme"), usage, {"c.yaml:6: not UTF-8 text; found the byte 0xE9"}},
    {"surrogate", plus("title: \xed\xa0\x80"), usage, {"c.yaml:6: not UTF-8 text; found the byte 0xED"}},
    {"empty", "", usage, {"c.yaml:1:", "a map of keys; found nothing"}},
    {"only_comment", "# nothing\n", usage, {"found nothing"}},
    {"a_list", "- 1\n- 2\n", usage, {"c.yaml:1:", "found a list of 2"}},
    {"a_word", "hello\n", usage, {"found 'hello'"}},
    {"open_bracket", plus("ocean: {density: 1025"), usage, {"c.yaml:", "YAML syntax"}},
    {"bad_indent", "domain:\n  size: [1000, 1000]\n bathymetry: {}\n", usage, {"c.yaml:3:2: YAML syntax"}},
    {"tab_indent", "mesh:\n\telements: [1, 1, 1]\n", usage, {"c.yaml:2:", "YAML syntax"}},
    {"open_quote", plus("title: 'abc"), usage, {"c.yaml:7:1: YAML syntax: the text ends inside a quote"}},
    {"two_documents", plus("---\ntitle: b"), usage, {"second YAML document"}},
    {"list_as_key", plus("? [1, 2]\n: 3"), usage, {"c.yaml:6:", "a key must be a plain word"}},
    {"unknown_alias", plus("title: *nowhere"), usage, {"c.yaml:6:8: YAML syntax"}},
    {"alias_of_itself", plus("sources: &a [*a]"), usage, {"c.yaml:6:", "YAML syntax"}},
    {"duplicate_section", plus("time: {end: 20}"), usage, {"c.yaml:6: time: duplicate key", "line 5"}},
    {"duplicate_key", line(4, "mesh: {elements: [4, 3, 2], order: 4, order: 1}"), usage, {"c.yaml:4: mesh.order: duplicate key"}},
};

const Wrong keys[] = {
    {"unknown_section", plus("oceans: {density: 1025}"), usage, {"c.yaml:6: oceans: unknown key", "did you mean 'ocean'?"}},
    {"unknown_key",
     plus("ocean:\n  densty: 1025"),
     usage,
     {"c.yaml:7: ocean.densty: unknown key", "density, sound_speed, gravity", "did you mean 'density'?"}},
    {"sponge_side", plus("boundary: {sponge: {notrh: 4e4}}"), usage, {"c.yaml:6: boundary.sponge.notrh: unknown key", "did you mean 'north'?"}},
    {"sponge_word", plus("boundary: {sponge: true}"), usage, {"c.yaml:6: boundary.sponge: expected a map of keys"}},
    {"sponge_width", plus("boundary: {sponge: {west: 40}}"), usage, {"c.yaml:6: boundary.sponge.west", "found 40", "0, or 50 to 20000000 m"}},
    {"sponge_total", plus("boundary: {sponge: {west: 4e4, reflection: 0}}"), usage, {"c.yaml:6: boundary.sponge.reflection", "1e-06 to 0.9"}},
    {"swapped_letters", floor("type: flat, depth: 4000, dpeth: 1"), usage, {"c.yaml:3: domain.bathymetry.dpeth", "did you mean 'depth'?"}},
    {"case_matters", plus("Title: a"), usage, {"c.yaml:6: Title: unknown key", "did you mean 'title'?"}},
    {"in_wrong_section", plus("elements: [1, 1, 1]"), usage, {"c.yaml:6: elements: unknown key", "did you mean 'mesh.elements'?"}},
    {"of_another_type",
     floor("type: flat, depth: 4000, height: 10"),
     usage,
     {"c.yaml:3: domain.bathymetry.height: unknown key", "it belongs to type gaussian"}},
    {"space_missing",
     line(4, "mesh: {elements: [4, 3, 2], order:4}"),
     usage,
     {"c.yaml:4: mesh.order:4: unknown key", "a space is missing after ':'"}},
    {"merge_key", plus("ocean: {<<: {density: 1025}}"), usage, {"c.yaml:6: ocean.<<: unknown key"}},
    {"no_domain", "mesh: {elements: [4, 3, 2]}\ntime: {end: 10}\n", usage, {"c.yaml:1: domain: missing"}},
    {"no_mesh", line(4, ""), usage, {"c.yaml:1: mesh: missing"}},
    {"no_time", line(5, ""), usage, {"c.yaml:1: time: missing"}},
    {"no_elements", line(4, "mesh: {order: 4}"), usage, {"c.yaml:4: mesh.elements: missing", "add 'elements: ...'"}},
    {"no_end", line(5, "time:\n  safety: 0.9"), usage, {"c.yaml:5: time.end: missing"}},
    {"no_bathymetry", line(3, ""), usage, {"c.yaml:1: domain.bathymetry: missing"}},
    {"no_type", floor("depth: 4000"), usage, {"c.yaml:3: domain.bathymetry.type: missing", "flat, cosine, gaussian, margin, grid, prepared"}},
    {"no_depth", floor("type: flat"), usage, {"c.yaml:3: domain.bathymetry.depth: missing"}},
    {"no_shelf_edge", floor("type: margin"), usage, {"c.yaml:3: domain.bathymetry.shelf_edge: missing"}},
    {"section_is_number", plus("ocean: 1025"), usage, {"c.yaml:6: ocean: expected a map of keys; found 1025"}},
    {"section_is_list", line(4, "mesh: [4, 3, 2]"), usage, {"c.yaml:4: mesh: expected a map of keys; found a list of 3"}},
};

const Wrong values[] = {
    {"km_per_s",
     plus("ocean: {sound_speed: 1.5}"),
     usage,
     {"c.yaml:6: ocean.sound_speed: out of range; found 1.5", "looks like km/s: give m/s (1500)"}},
    {"g_per_cm3", plus("ocean: {density: 1.025}"), usage, {"ocean.density: out of range; found 1.025", "looks like g/cm3: give kg/m3 (1025)"}},
    {"cm_per_s2", plus("ocean: {gravity: 981}"), usage, {"ocean.gravity", "looks like cm/s2: give m/s2 (9.81)"}},
    {"gravity_down", plus("ocean: {gravity: -9.81}"), usage, {"ocean.gravity", "gravity is a magnitude: give 9.81"}},
    {"depth_up",
     floor("type: flat, depth: -4000"),
     usage,
     {"c.yaml:3: domain.bathymetry.depth: out of range; found -4000", "depth is positive downward: give 4000"}},
    {"depth_in_km", floor("type: flat, depth: 4"), usage, {"domain.bathymetry.depth", "looks like km: give m (4000)"}},
    {"size_in_km", line(2, "  size: [80000, 60]"), usage, {"c.yaml:2: domain.size[1]", "looks like km: give m (60000)"}},
    {"amplitude_in_cm",
     source("type: modal, modes: [1, 0]", "amplitude: 50000\n    ramp: {type: linear, duration: 5}"),
     usage,
     {"c.yaml:8: sources[0].amplitude: out of range; found 50000", "looks like cm: give m (500)"}},
    {"radius_in_km",
     source("type: gaussian, center: [4e4, 3e4], radius: [8, 12000]"),
     usage,
     {"c.yaml:7: sources[0].shape.radius[0]", "looks like km: give m (8000)"}},
    {"smoothing_in_km",
     floor("type: grid, file: a.nc, smoothing: 2"),
     usage,
     {"domain.bathymetry.smoothing", "0, or 50 to", "looks like km: give m (2000)"}},
    {"latitude_is_longitude",
     line(2, "  lonlat: {lon: [10, 20], lat: [50, 197]}"),
     usage,
     {"c.yaml:2: domain.lonlat.lat[1]: out of range; found 197", "looks like a longitude: are lon and lat swapped?"}},
    {"unit_written",
     floor("type: flat, depth: 4000 m"),
     usage,
     {"domain.bathymetry.depth: expected a number; found '4000 m'", "give the number alone, in m"}},
    {"decimal_comma", plus("ocean: {gravity: '9,81'}"), usage, {"ocean.gravity: expected a number; found '9,81'", "write the decimal point as '.'"}},
    {"quoted_number", plus("ocean: {density: '1025'}"), usage, {"ocean.density: expected a number; found '1025'", "remove the quotes"}},
    {"word_for_number", plus("ocean: {density: heavy}"), usage, {"c.yaml:6: ocean.density: expected a number; found 'heavy'", "100 to 20000 kg/m3"}},
    {"nothing_for_number", plus("ocean:\n  density:"), usage, {"c.yaml:7: ocean.density: expected a number; found nothing"}},
    {"list_for_number", floor("type: flat, depth: [4000]"), usage, {"domain.bathymetry.depth: expected a number; found a list of 1"}},
    {"map_for_number", plus("ocean: {density: {a: 1}}"), usage, {"ocean.density: expected a number; found a map"}},
    {"nan", floor("type: flat, depth: .nan"), usage, {"domain.bathymetry.depth: not a number; found .nan"}},
    {"nan_without_dot", floor("type: flat, depth: nan"), usage, {"domain.bathymetry.depth: expected a number; found 'nan'"}},
    {"inf", line(5, "time: {end: .inf}"), usage, {"c.yaml:5: time.end: not finite"}},
    {"inf_without_dot",
     source("type: gaussian, center: [4e4, 3e4], radius: [inf, 12000]"),
     usage,
     {"sources[0].shape.radius[0]", "infinity is written .inf"}},
    {"minus_inf_radius", source("type: gaussian, center: [4e4, 3e4], radius: [-.inf, 12000]"), usage, {"sources[0].shape.radius[0]: out of range"}},
    {"nan_radius", source("type: gaussian, center: [4e4, 3e4], radius: [.nan, 12000]"), usage, {"sources[0].shape.radius[0]: not a number"}},
    {"inf_center", source("type: gaussian, center: [.inf, 3e4], radius: [8e3, 12000]"), usage, {"sources[0].shape.center[0]: not finite"}},
    {"overflow", line(5, "time: {end: 1e999}"), usage, {"c.yaml:5: time.end: not finite; found 1e999"}},
    {"hexadecimal", line(5, "time: {end: 0x10}"), usage, {"c.yaml:5: time.end: expected a number; found '0x10'"}},
    {"number_for_list", line(2, "  size: 80000"), usage, {"c.yaml:2: domain.size: expected a list; found 80000", "a list of 2 numbers"}},
    {"short_list",
     line(4, "mesh: {elements: [4, 3]}"),
     usage,
     {"c.yaml:4: mesh.elements: wrong number of entries; found a list of 2", "a list of 3 integers"}},
    {"long_list", line(2, "  size: [80000, 60000, 4000]"), usage, {"c.yaml:2: domain.size: wrong number of entries; found a list of 3"}},
    {"list_for_text", plus("title: [a, b]"), usage, {"c.yaml:6: title: expected text; found a list of 2"}},
    {"number_for_choice", plus("boundary: {west: 1}"), usage, {"c.yaml:6: boundary.west: unknown choice; found 1", "absorbing, rigid"}},
    {"choice_typo",
     plus("boundary: {west: absorbing, east: ridgid}"),
     usage,
     {"c.yaml:6: boundary.east: unknown choice; found 'ridgid'", "did you mean 'rigid'?"}},
    {"surface_choice", plus("boundary: {surface: absorbing}"), usage, {"boundary.surface: unknown choice", "gravity, rigid"}},
    {"bathymetry_typo",
     floor("type: margn, shelf_edge: 6e4"),
     usage,
     {"domain.bathymetry.type: unknown choice; found 'margn'", "did you mean 'margin'?"}},
    {"device_gpu", plus("solver: {device: gpu}"), usage, {"c.yaml:6: solver.device", "auto, cpu, cuda", "cuda is the GPU"}},
    {"quadrature", plus("solver: {quadrature: 6}"), usage, {"solver.quadrature: unknown choice; found 6", "4, 5"}},
    {"exchange", plus("solver: {exchange: nvshmem}"), usage, {"solver.exchange", "auto, mpi, nccl, staged"}},
    {"variant_name", plus("solver: {variant: Two Sweep}"), usage, {"c.yaml:6: solver.variant: not a variant name; found 'Two Sweep'"}},
    {"parallel_word", plus("parallel: {grid: any}"), usage, {"c.yaml:6: parallel.grid: expected a list; found 'any'", "or the word auto"}},
    {"parallel_zero", plus("parallel: {grid: [2, 0, 1]}"), usage, {"parallel.grid[1]: out of range; found 0"}},
};

const Wrong mesh_and_domain[] = {
    {"fraction_of_element", line(4, "mesh: {elements: [3.5, 3, 2]}"), usage, {"c.yaml:4: mesh.elements[0]: expected an integer; found 3.5"}},
    {"no_element", line(4, "mesh: {elements: [4, 0, 2]}"), usage, {"mesh.elements[1]: out of range; found 0", "1 to 1000000"}},
    {"negative_elements", line(4, "mesh: {elements: [4, 3, -2]}"), usage, {"mesh.elements[2]", "the sign is wrong: give 2"}},
    {"too_many_elements", line(4, "mesh: {elements: [2000000, 3, 2]}"), usage, {"mesh.elements[0]: out of range"}},
    {"overflowing_product", line(4, "mesh: {elements: [1000000, 1000000, 1000000]}"), usage, {"c.yaml:4: mesh.elements: too many unknowns"}},
    {"order_two", line(4, "mesh: {elements: [4, 3, 2], order: 2}"), usage, {"mesh.order: unknown choice; found 2; allowed: 1, 4"}},
    {"layers_word",
     line(4, "mesh: {elements: [4, 3, 2], layers: even}"),
     usage,
     {"mesh.layers: expected a list; found 'even'", "or the word uniform"}},
    {"layers_count",
     line(4, "mesh: {elements: [4, 3, 2], layers: [0, 1]}"),
     usage,
     {"mesh.layers: does not match mesh.elements; found 2", "3 for 2 elements"}},
    {"layers_order",
     line(4, "mesh: {elements: [4, 3, 3], layers: [0, 0.6, 0.5, 1]}"),
     usage,
     {"mesh.layers: entry 2 does not increase; found 0.6, then 0.5"}},
    {"layers_ends", line(4, "mesh: {elements: [4, 3, 2], layers: [0.1, 0.5, 1]}"), usage, {"mesh.layers: must run from 0", "found 0.1 to 1"}},
    {"layers_in_metres", line(4, "mesh: {elements: [4, 3, 2], layers: [0, 0.5, 4000]}"), usage, {"mesh.layers[2]: out of range; found 4000"}},
    {"size_and_lonlat", line(2, base[1] + "\n" + lonlat), usage, {"c.yaml:1: domain: exactly one of size and lonlat", "found both"}},
    {"neither_size_nor_lonlat", line(2, ""), usage, {"c.yaml:1: domain: exactly one of size and lonlat", "found neither"}},
    {"lonlat_reversed", line(2, "  lonlat: {lon: [20, 10], lat: [35, 45]}"), usage, {"c.yaml:2: domain.lonlat.lon: not increasing; found [20, 10]"}},
    {"lonlat_empty", line(2, "  lonlat: {lon: [0, 0], lat: [35, 45]}"), usage, {"c.yaml:2: domain.lonlat.lon: not increasing; found [0, 0]"}},
    {"lonlat_no_lat", line(2, "  lonlat: {lon: [10, 20]}"), usage, {"c.yaml:2: domain.lonlat.lat: missing"}},
    {"cosine_dries",
     floor("type: cosine, depth: 4000, amplitude: 1.5, waves: [1, 1]"),
     usage,
     {"domain.bathymetry.amplitude: out of range", "-0.95 to 0.95"}},
    {"hill_above_water",
     floor("type: gaussian, depth: 4000, height: 4500, center: [4e4, 3e4], radius: [5e3, 5e3]"),
     usage,
     {"domain.bathymetry.height: the summit is above the sea surface; found 4500", "less than depth, 4000 m"}},
    {"shelf_below_plain",
     floor("type: margin, shelf_edge: 6e4, shelf_depth: 5000"),
     usage,
     {"domain.bathymetry.shelf_depth: the shelf is not shallower"}},
    {"trench_above_plain",
     floor("type: margin, shelf_edge: 6e4, trench_depth: 4000"),
     usage,
     {"domain.bathymetry.trench_depth: the trench is shallower"}},
    {"min_depth_up", floor("type: grid, file: a.nc, min_depth: -50"), usage, {"domain.bathymetry.min_depth", "depth is positive downward: give 50"}},
    {"grid_without_file", floor("type: grid"), usage, {"domain.bathymetry.file: missing"}},
};

const Wrong sources[] = {
    {"sources_is_map",
     plus("sources:\n  shape: {type: modal, modes: [1, 0]}"),
     usage,
     {"c.yaml:6: sources: expected a list; found a map", "begin each source with '- '"}},
    {"source_is_word", plus("sources: [uplift]"), usage, {"c.yaml:6: sources[0]: expected a map of keys; found 'uplift'"}},
    {"no_shape", plus("sources:\n  - amplitude: 1\n    ramp: {type: linear, duration: 5}"), usage, {"c.yaml:7: sources[0].shape: missing"}},
    {"no_ramp", source("type: modal, modes: [1, 0]", ""), usage, {"c.yaml:7: sources[0].ramp: missing", "smoothstep"}},
    {"shape_typo",
     source("type: gausian, center: [1, 2], radius: [1e3, 1e3]"),
     usage,
     {"c.yaml:7: sources[0].shape.type: unknown choice", "did you mean 'gaussian'?"}},
    {"fault_of_nothing",
     source("type: fault"),
     usage,
     {"c.yaml:7: sources[0].shape: exactly one of subfaults and file must be given; found neither"}},
    {"fault_lonlat_without",
     source("type: fault, subfaults: [{lon: 190, lat: 50, depth: 2e4, strike: 0, dip: 10, rake: 90, slip: 1, length: 1e5, width: 5e4}]"),
     usage,
     {"c.yaml:7: sources[0].shape.subfaults[0].lon: lon, lat need domain.lonlat"}},
    {"fault_typo",
     source("type: fault, subfaults: [{x: 3e4, y: 2e4, depth: 2e4, strike: 0, dip: 9, rake: 90, slip: 1, length: 1e5, width: 5e4, rize: 3}]"),
     usage,
     {"c.yaml:7: sources[0].shape.subfaults[0].rize: unknown key", "did you mean 'rise'?"}},
    {"fault_no_depth",
     source("type: fault, subfaults: [{x: 3e4, y: 2e4, strike: 0, dip: 9, rake: 90, slip: 1, length: 1e5, width: 5e4}]"),
     usage,
     {"sources[0].shape.subfaults[0].depth: missing"}},
    {"fault_negative_slip",
     source("type: fault, subfaults: [{x: 3e4, y: 2e4, depth: 2e4, strike: 0, dip: 9, rake: 90, slip: -1, length: 1e5, width: 5e4}]"),
     usage,
     {"sources[0].shape.subfaults[0].slip: out of range; found -1", "turn the rake by 180 degrees"}},
    {"fault_above_floor",
     source("type: fault, subfaults: [{x: 3e4, y: 2e4, depth: 1000, strike: 0, dip: 30, rake: 90, slip: 1, length: 1e5, width: 5e4}]"),
     usage,
     {"c.yaml:7: sources[0].shape.subfaults[0]: the top edge of the fault is above the sea floor", "11500 m above", "depth_shift"}},
    {"fault_in_floor",
     source("type: fault, subfaults: [{x: 3e4, y: 2e4, depth: 0, strike: 0, dip: 0, rake: 90, slip: 1, length: 1e5, width: 5e4}]"),
     usage,
     {"sources[0].shape.subfaults[0]: the fault lies in the sea floor"}},
    {"fault_without_time",
     source("type: fault, subfaults: [{x: 3e4, y: 2e4, depth: 2e4, strike: 0, dip: 9, rake: 90, slip: 1, length: 1e5, width: 5e4}]", ""),
     usage,
     {"sources[0].ramp: missing: a fault needs a ramp in time, or a rise time for each subfault; found 1 of 1 subfaults without"}},
    {"fault_gaussian_in_time",
     source("type: fault, subfaults: [{x: 3e4, y: 2e4, depth: 2e4, strike: 0, dip: 9, rake: 90, slip: 1, length: 1e5, width: 5e4, rise: 3}]",
            "ramp: {type: gaussian, center: 40, sigma: 4}"),
     usage,
     {"sources[0].ramp: start and rise of subfaults do not go with a gaussian ramp"}},
    {"fault_normal",
     source("type: fault, subfaults: [{x: 3e4, y: 2e4, depth: 2e4, strike: 0, dip: 9, rake: 90, slip: 1, length: 1e5, width: 5e4, rise: 3}]",
            "motion: normal"),
     usage,
     {"sources[0].motion: a fault moves the floor in three directions"}},
    {"fault_file_in_metres",
     source("type: fault, file: a.fsp"),
     usage,
     {"sources[0].shape.file: a finite-fault file has longitudes", "domain.lonlat"}},
    {"half_a_mode", source("type: modal, modes: [1.5, 0]"), usage, {"sources[0].shape.modes[0]: expected an integer; found 1.5"}},
    {"negative_mode", source("type: modal, modes: [-1, 0]"), usage, {"sources[0].shape.modes[0]", "the sign is wrong: give 1"}},
    {"patch_reversed",
     source("type: patch, x: [3e4, 1e4], y: [1e4, 2e4]"),
     usage,
     {"sources[0].shape.x: not increasing; found [30000, 10000]", "swap the two"}},
    {"patch_taper",
     source("type: patch, x: [1e4, 3e4], y: [1e4, 2e4], taper: 6000"),
     usage,
     {"sources[0].shape.taper: wider than half the patch", "at most 5000 m"}},
    {"center_lonlat_without",
     source("type: gaussian, center: {lon: 197, lat: 52}, radius: [8e3, 8e3]"),
     usage,
     {"c.yaml:7: sources[0].shape.center.lon: lon, lat need domain.lonlat"}},
    {"center_swapped",
     line(2, lonlat,
          "sources:\n- shape: {type: gaussian, center: {lon: 40, lat: 15}, radius: [8e3, 8e3]}\n"
          "  ramp: {type: linear, duration: 5}\n"),
     usage,
     {"c.yaml:7: sources[0].shape.center.lon: lon and lat look swapped; found lon 40, lat 15", "swap them"}},
    {"center_is_word",
     source("type: gaussian, center: middle, radius: [8e3, 8e3]"),
     usage,
     {"sources[0].shape.center: expected a list; found 'middle'", "{lon: , lat: }"}},
    {"ramp_type",
     source("type: modal, modes: [1, 0]", "ramp: {type: step, duration: 5}"),
     usage,
     {"c.yaml:8: sources[0].ramp.type: unknown choice; found 'step'"}},
    {"ramp_instant",
     source("type: modal, modes: [1, 0]", "ramp: {type: linear, duration: 0}"),
     usage,
     {"sources[0].ramp.duration: out of range; found 0"}},
    {"ramp_order",
     source("type: modal, modes: [1, 0]", "ramp: {type: smoothstep, duration: 5, order: 6}"),
     usage,
     {"sources[0].ramp.order: out of range", "1 to 5"}},
    {"ramp_sigma", source("type: modal, modes: [1, 0]", "ramp: {type: gaussian, center: 20}"), usage, {"c.yaml:8: sources[0].ramp.sigma: missing"}},
    {"ramp_begun",
     source("type: modal, modes: [1, 0]", "ramp: {type: smoothstep, start: -10, duration: 20}"),
     usage,
     {"c.yaml:8: sources[0].ramp.start: the uplift has begun before t = 0", "-10 s: 0.5 of the uplift", "give start: 0"}},
    {"ramp_over",
     source("type: modal, modes: [1, 0]", "ramp: {type: linear, start: -10, duration: 2}"),
     usage,
     {"-10 s: 1 of the uplift", "give start: 0"}},
    {"ramp_centre",
     source("type: modal, modes: [1, 0]", "ramp: {type: gaussian, center: 14, sigma: 2}"),
     usage,
     {"c.yaml:8: sources[0].ramp.center: the uplift has begun before t = 0", "at least 7.04 sigma (14.07 s)", "give center: 14.07"}},
    {"motion",
     source("type: modal, modes: [1, 0]", "ramp: {type: linear, duration: 5}\n    motion: up"),
     usage,
     {"c.yaml:9: sources[0].motion", "vertical, normal"}},
};

const Wrong time_and_output[] = {
    {"end_zero", line(5, "time: {end: 0}"), usage, {"c.yaml:5: time.end: out of range; found 0"}},
    {"end_negative", line(5, "time: {end: -10}"), usage, {"time.end", "time runs forward from 0: give 10"}},
    {"step_zero", line(5, "time: {end: 10, step: 0}"), usage, {"time.step: out of range; found 0", "or the word auto"}},
    {"step_word", line(5, "time: {end: 10, step: automatic}"), usage, {"time.step: expected a number; found 'automatic'"}},
    {"safety", line(5, "time: {end: 10, safety: 1.2}"), usage, {"time.safety: out of range; found 1.2"}},
    {"end_not_multiple",
     plus("sensors: {interval: 0.3}"),
     usage,
     {"c.yaml:5: time.end: not a whole multiple of sensors.interval; found 10 s", "give 9.9"}},
    {"interval_after_end", plus("sensors: {interval: 20}"), usage, {"time.end: not a whole multiple of sensors.interval"}},
    {"map_not_multiple",
     plus("sensors: {interval: 0.5}\noutput: {surface_interval: 0.7}"),
     usage,
     {"c.yaml:7: output.surface_interval: not a whole multiple of sensors.interval"}},
    {"end_not_multiple_of_maps",
     plus("output: {surface_interval: 3}"),
     usage,
     {"c.yaml:5: time.end: not a whole multiple of output.surface_interval", "give 9"}},
    {"step_does_not_divide",
     line(5, "time: {end: 10, step: 0.3}", "sensors: {interval: 0.5}\n"),
     usage,
     {"c.yaml:5: time.step: does not divide sensors.interval; found 0.3 s", "give 0.25"}},
    {"step_does_not_divide_end", line(5, "time: {end: 10, step: 0.3}"), usage, {"time.step: does not divide time.end"}},
    {"volume", plus("sensors: {interval: 0.5}\noutput: {volume_interval: 0.7}"), usage, {"output.volume_interval: not a whole multiple of"}},
    {"checkpoint",
     plus("sensors: {interval: 0.5}\noutput: {checkpoint_interval: 0.7}"),
     usage,
     {"output.checkpoint_interval: not a whole multiple of"}},
    {"negative_interval", plus("output: {surface_interval: -5}"), usage, {"output.surface_interval", "the sign is wrong: give 5"}},
};

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

const auto test_name = [](const testing::TestParamInfo<Wrong>& row) { return std::string(row.param.name); };
INSTANTIATE_TEST_SUITE_P(Syntax, CaseErrors, testing::ValuesIn(syntax), test_name);
INSTANTIATE_TEST_SUITE_P(Keys, CaseErrors, testing::ValuesIn(keys), test_name);
INSTANTIATE_TEST_SUITE_P(Values, CaseErrors, testing::ValuesIn(values), test_name);
INSTANTIATE_TEST_SUITE_P(MeshAndDomain, CaseErrors, testing::ValuesIn(mesh_and_domain), test_name);
INSTANTIATE_TEST_SUITE_P(Sources, CaseErrors, testing::ValuesIn(sources), test_name);
INSTANTIATE_TEST_SUITE_P(TimeAndOutput, CaseErrors, testing::ValuesIn(time_and_output), test_name);
INSTANTIATE_TEST_SUITE_P(Sensors, CaseErrors, testing::ValuesIn(sensor_lists), test_name);

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
      {"no_y", "name,x\nA,1\n", ExitCode::input, {":1: wrong columns"}},
      {"both", "name,x,y,lon,lat\nA,1,2,3,4\n", ExitCode::input, {":1: wrong columns"}},
      {"unknown_column", "name,x,y,depth\nA,1,2,3\n", ExitCode::input, {":1: unknown column; found 'depth'"}},
      {"lonlat_without", "name,lon,lat\nA,1,2\n", ExitCode::input, {":1: lon, lat need domain.lonlat"}},
      {"fields", "name,x,y\nA,1,2\n\nB,1\n", ExitCode::input, {":4: wrong number of fields; found 2 in 'B,1'; allowed: 3"}},
      {"open_quote", "name,x,y\n\"A,1,2\n", ExitCode::input, {":2: a quote is not closed"}},
      {"not_number", "name,x,y\nA,east,2\n", ExitCode::input, {":2: x: expected a number; found 'east'"}},
      {"nan", "name,x,y\nA,1,nan\n", ExitCode::input, {":2: y: expected a number; found 'nan'"}},
      {"negative", "name,x,y\nA,1,-2\n", ExitCode::input, {":2: y: out of range; found -2"}},
      {"empty_name", "name,x,y\n,1,2\n", ExitCode::input, {":2: name: the name is empty"}},
      {"duplicate", "name,x,y\nA,1,2\nA,3,4\n", usage, {":3: A: duplicate sensor name; found 'A', also at"}},
  };
  const std::string path = (std::filesystem::temp_directory_path() / "agwave_case_errors.csv").string();
  for (const WrongCsv& row : table) {
    SCOPED_TRACE(row.name);
    std::ofstream(path) << row.content;
    const auto [code, message] = error_of(sensors("seafloor: {file: " + path + "}"));
    EXPECT_EQ(static_cast<int>(code), static_cast<int>(row.code)) << message;
    for (const std::string& fragment : row.fragments) expect_fragments(message, {fragment[0] == ':' ? path + fragment : fragment});
  }
  std::ofstream(path) << "name,x,y\nA,1,2\n";
  expect_fragments(error_of(sensors("hydrophones: {file: " + path + "}")).second, {path + ":1: wrong columns", "name,x,y,z"});
}

TEST(CaseErrorsTogether, AllAreReportedInTheOrderOfTheFile) {
  const auto [code, message] = error_of(
      "domain: {size: [80, 60000], bathymetry: {type: flat, depth: -4000}}\nmesh: {elements: [4.5, 0, 2]}\nocean: {densty: 1}\n"
      "time: {end: -1}\nsensors: {interval: 1, seafloor: {file: nowhere.csv}}\n");
  EXPECT_EQ(static_cast<int>(code), 2);
  std::size_t at = 0;
  for (const char* key :
       {"domain.size[0]", "domain.bathymetry.depth", "mesh.elements[0]", "mesh.elements[1]", "ocean.densty", "time.end", "sensors.seafloor.file"}) {
    const std::size_t found = message.find(key);
    EXPECT_TRUE(found != std::string::npos && found >= at) << key << " in\n" << message;
    at = found;
  }
  EXPECT_EQ(std::count(message.begin(), message.end(), '\n'), 6) << message;
}

TEST(CaseErrorsTogether, ManyAreCut) {
  std::string list = "sensors:\n  interval: 1\n  seafloor:\n";
  for (int i = 0; i < 1000; ++i) list += "    - {name: A" + std::to_string(i) + ", x: -1, y: 2}\n";
  expect_fragments(error_of(plus(list)).second, {"c.yaml:9: sensors.seafloor[0].x", "... and 800 more errors"});
}

TEST(CaseErrorsTogether, OverridesAreNamed) {
  const std::vector<std::pair<std::string, std::string>> table = {
      {"mesh.order", "--set: mesh.order: not an override"},
      {"=4", "not an override"},
      {"mesh..order=4", "the key path has an empty part"},
      {"mesh.order=[1", "is not YAML"},
      {"mesh.order=3", "--set: mesh.order: unknown choice; found 3"},
      {"mesh.ordr=4", "--set: mesh.ordr: unknown key"},
      {"ocean.density=1.025", "--set: ocean.density: out of range"},
      {"mesh.elements[5]=4", "'mesh.elements' is a list of 3 entries, which has no entry '5'"},
      {"mesh.elements[x]=4", "has no entry 'x'"},
      {"mesh.elements[0]b=4", "a '.' is missing after ']'"},
      {"time.end.x=4", "'time.end' is the value '10'"},
      {"time.end=~", "c.yaml:5: time.end: missing"},
      {"sources[1].amplitude=1", "'sources' is a list of 0 entries, which has no entry '1'"},
  };
  for (const auto& [item, fragment] : table) {
    const auto [code, message] = error_of(plus("sources: []"), {item});
    EXPECT_EQ(static_cast<int>(code), 2) << item << ": " << message;
    expect_fragments(message, {fragment});
  }
}

TEST(CaseErrorsTogether, HostileFilesEndInAnError) {
  std::string deep(100000, '['), laughs = "a0: &a0 [x, x, x, x, x, x, x, x, x, x]\n";
  for (int i = 1; i < 12; ++i) {
    const std::string last = "*a" + std::to_string(i - 1);
    laughs += "a" + std::to_string(i) + ": &a" + std::to_string(i) + " [" + last;
    for (int k = 0; k < 9; ++k) laughs += ", " + last;
    laughs += "]\n";
  }
  const std::string binary("\0\xff\xfe", 3), not_utf8("a: \xff\xc0"), large(70u << 20, ' ');
  for (const std::string& yaml : {deep, std::string(100000, '{'), laughs, large, binary, not_utf8}) {
    EXPECT_EQ(static_cast<int>(error_of(yaml).first), 2) << yaml.substr(0, 40);
  }
}

}  // namespace
}  // namespace agwave
