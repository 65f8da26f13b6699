// SPDX-License-Identifier: Apache-2.0
// The parts of checkpoints that need no run: the checksum, the manifest, the comparison of cases. The rest: cases/test_restart.py.
#include <gtest/gtest.h>

#include <cmath>
#include <nlohmann/json.hpp>

#include "case/case_changes.hpp"
#include "case/case_file.hpp"
#include "error/error.hpp"
#include "expect_error.hpp"
#include "files/checksum.hpp"
#include "io/checkpoint_manifest.hpp"
#include "timestep/energy_budget.hpp"

namespace agwave {
namespace {

TEST(Checksum, IsCrc64Xz) {  // check value: reveng.sourceforge.io/crc-catalogue
  EXPECT_EQ(checksum_of("123456789"), "995dc9bbdf1939fa");
  EXPECT_EQ(checksum_of(""), "0000000000000000");
}

TEST(Checksum, SeesEveryBitAndDoesNotMindThePieces) {
  std::string bytes(1000, '\0');
  for (std::size_t n = 0; n < bytes.size(); ++n) bytes[n] = static_cast<char>(n * n);
  const std::string whole = checksum_of(bytes);
  for (const std::size_t cut : {1u, 7u, 8u, 500u, 999u}) {
    Checksum pieces;
    pieces.add(bytes.data(), cut);
    pieces.add(bytes.data() + cut, bytes.size() - cut);
    EXPECT_EQ(pieces.hex(), whole);
  }
  for (std::size_t bit = 0; bit < 8 * bytes.size(); bit += 13) {
    bytes[bit / 8] ^= static_cast<char>(1 << bit % 8);
    EXPECT_NE(checksum_of(bytes), whole) << bit;
    bytes[bit / 8] ^= static_cast<char>(1 << bit % 8);
  }
}

Manifest some_manifest() {
  Manifest m;
  m.elements = {9, 6, 2};
  m.step = 123456789012;
  m.time = 0.1 + 0.2;
  m.dt = 1.0 / 3;
  m.grid = {2, 1, 1};
  m.scheme = "rk4";
  m.arrays = {pressure_array, {"velocity", StateArray::Items::elements, "contravariant flux in parts"}};
  m.last_energy = std::nextafter(4e13, 5e13);
  m.largest_energy = std::nextafter(6e13, 7e13);
  m.sources = {0.0, 2.5, 1e-17};
  m.keys = {{"ocean.density", "1025", 3}, {"title", "a \"quoted\" title", 1}};
  m.case_file = "title: a\n# comment\n";
  return m;
}

std::string some_text() {
  return manifest_text(some_manifest(), {to_text({"rank_000000.h5", {0, 0, 0}, {5, 6, 2}, {{"pressure", "0123"}}}),
                                         to_text({"rank_000001.h5", {5, 0, 0}, {4, 6, 2}, {}})});
}

TEST(Manifest, KeepsEveryDigit) {
  const Manifest wanted = some_manifest(), m = parse_manifest("m.json", some_text());
  EXPECT_EQ(m.step, wanted.step);
  EXPECT_EQ(m.time, wanted.time);
  EXPECT_EQ(m.dt, wanted.dt);
  EXPECT_EQ(m.last_energy, wanted.last_energy);
  EXPECT_EQ(m.largest_energy, wanted.largest_energy);
  EXPECT_EQ(m.sources, wanted.sources);
  EXPECT_EQ(m.keys.at(1).value, wanted.keys[1].value);
  EXPECT_EQ(m.case_file, wanted.case_file);
  ASSERT_EQ(m.ranks.size(), 2u);
  EXPECT_EQ(m.ranks[1].first, (Counts{5, 0, 0}));
  EXPECT_EQ(m.ranks[0].checksums.at("pressure"), "0123");
  EXPECT_EQ(m.scheme, wanted.scheme);
  EXPECT_EQ(m.arrays, wanted.arrays);
}

TEST(Manifest, IsRefusedWhenAnyByteIsDamaged) {
  const std::string good = some_text();
  for (std::size_t n = 0; n < good.size(); ++n) {
    std::string bad = good;
    bad[n] ^= 1;
    try {
      parse_manifest("m.json", bad);
      ADD_FAILURE() << "byte " << n << " of " << bad;
    } catch (const Error& e) {
      EXPECT_EQ(e.code(), ExitCode::input);
      EXPECT_EQ(std::string(e.what()).rfind("m.json: ", 0), 0u) << e.what();
    }
  }
  for (const std::size_t length : {std::size_t{0}, std::size_t{1}, good.size() / 2})
    EXPECT_THROW(parse_manifest("m.json", good.substr(0, length)), Error);
}

// The text with something else in a place, and a checksum that fits.
std::string with(const std::string& from, const std::string& to) {
  std::string other = some_text();
  EXPECT_NE(other.find(from), std::string::npos) << from;
  other.replace(other.find(from), from.size(), to);
  auto json = nlohmann::ordered_json::parse(other);
  json.erase("checksum");
  json["checksum"] = checksum_of(json.dump(1, ' '));
  return json.dump(1, ' ') + "\n";
}

// Formats 1 and 2 have pressure and a velocity whose form stands by itself.
std::string older(int format, const std::string& form) {
  auto json = nlohmann::ordered_json::parse(some_text());
  json["format"] = format;
  json.erase("arrays");
  json.erase("scheme");
  json["velocity"] = form;
  json.erase("checksum");
  json["checksum"] = checksum_of(json.dump(1, ' '));
  return json.dump(1, ' ') + "\n";
}

TEST(Manifest, IsReadOfAllFormatsAndSaysWhatElseItFound) {
  for (const int format : {1, 2}) {
    const Manifest m = parse_manifest("m.json", older(format, "contravariant flux"));
    EXPECT_EQ(m.step, some_manifest().step);
    EXPECT_EQ(m.scheme, "rk4");
    EXPECT_EQ(m.arrays, (StateArrays{pressure_array, {"velocity", StateArray::Items::elements, "contravariant flux"}}));
  }
  expect_words(message_of(ExitCode::input, [] { parse_manifest("m.json", with("\"format\": 3", "\"format\": 4")); }),
               {"m.json: has format 4", "1 to 3"});
  expect_words(message_of(ExitCode::input, [] { parse_manifest("m.json", with("\"rows of nodes\"", "\"rows\"")); }),
               {"m.json: ", "an array is of \"rows\"", "\"rows of nodes\"", "\"elements\""});
}

TEST(Manifest, TakesCountsOnlyWhereTheyAre) {
  for (const auto& [from, to] : std::vector<std::pair<std::string, std::string>>{{"\"step\": 123456789012", "\"step\": 2.8e49"},
                                                                                 {"\"step\": 123456789012", "\"step\": 18446744073709551615"},
                                                                                 {"\"step\": 123456789012", "\"step\": -1"},
                                                                                 {"\"order\": 4", "\"order\": 4.5"},
                                                                                 {"\"order\": 4", "\"order\": 4294967300"}}) {
    try {
      parse_manifest("m.json", with(from, to));
      ADD_FAILURE() << to;
    } catch (const Error& e) {
      EXPECT_EQ(e.code(), ExitCode::input);
      EXPECT_NE(std::string(e.what()).find(from.substr(1, from.find(':') - 2) + "` has"), std::string::npos) << e.what();
      EXPECT_NE(std::string(e.what()).find("no whole number from 0 to"), std::string::npos) << e.what();
    }
  }
}

std::string changes(const std::string& now, const std::string& then) {
  Findings findings("c.yaml");
  compare_keys(flatten(parse_tree(now)), flatten(parse_tree(then)), findings);
  try {
    findings.raise();
  } catch (const Error& e) {
    return e.what();
  }
  return "";
}

TEST(CaseChanges, AreFoundKeyByKey) {
  const std::string then = "ocean: {density: 1025}\nsources: [{amplitude: 1, shape: {center: [1e3, 2]}}]\nmesh: {elements: [4, 3, 2]}";
  EXPECT_EQ(changes(then, then), "");
  EXPECT_EQ(changes("mesh:\n  elements: [4, 3, 2.0]\nsources:\n  - {shape: {center: [1000, 2]}}", then), "");  // defaults, other notation
  EXPECT_EQ(changes("ocean: {density: 1025}\nsources: [{amplitude: 1, shape: {center: [1e3, 3]}}]\nmesh: {elements: [4, 3, 2]}", then),
            "c.yaml:2: sources[0].shape.center: changed since the checkpoint was written; found [1e3, 3]; allowed: [1e3, 2]; restore it, or run the "
            "case from the start");
  EXPECT_NE(changes("mesh: {elements: [4, 3, 2]}", then).find("sources[0].shape.center"), std::string::npos);
  EXPECT_NE(changes(then + "\nboundary: {west: rigid}", then).find("boundary.west"), std::string::npos);
  EXPECT_EQ(changes(then + "\nboundary: {west: absorbing}", then), "");
  EXPECT_EQ(changes(then + "\nsensors: {seafloor: [{name: B}]}", then),
            "c.yaml:4: sensors.seafloor[0].name: changed since the checkpoint was written; found B; allowed: nothing; remove it, or run the case "
            "from the start");
}

TEST(CaseChanges, ADefaultOfSensorsIsNoChange) {
  const std::string grid = "sensors: {surface: {grid: {counts: [2, 2]", list = "sensors: {surface: [{grid: {counts: [2, 2]";
  EXPECT_EQ(changes(grid + ", margin: 0}}}", grid + "}}}"), "");
  EXPECT_EQ(changes(list + ", margin: 0}}]}", list + "}}]}"), "");
  EXPECT_NE(changes(list + ", margin: 10}}]}", list + "}}]}").find("sensors.surface[0].grid.margin"), std::string::npos);
  EXPECT_NE(changes("unknown: {key: 1}", "").find("unknown.key"), std::string::npos);
}

TEST(CaseChanges, NamesAreNoNumbers) {
  EXPECT_NE(changes("a: {file: grid_1.nc}", "a: {file: grid_01.nc}"), "");
  EXPECT_NE(changes("a: {file: nan.nc}", "a: {file: nan2.nc}"), "");
  EXPECT_EQ(changes("a: {file: nan.nc}", "a: {file: nan.nc}"), "");
  EXPECT_NE(changes("a: [1, 2]", "a: [1, 2, 3]"), "");
}

TEST(CaseChanges, SomeKeysAreFree) {
  const std::string then = "title: a\ntime: {end: 5}\noutput: {directory: a}\nsolver: {device: cpu, quadrature: 4}\n";
  EXPECT_EQ(
      changes("title: b\ntime: {end: 9}\noutput: {surface_interval: 1}\nsolver: {device: cuda, variant: pa}\nparallel: {grid: [1, 1, 2]}", then), "");
  EXPECT_NE(changes("title: a\nsolver: {quadrature: 5}", then).find("solver.quadrature"), std::string::npos);
  EXPECT_FALSE(may_change("timeline"));
}

TEST(CaseChanges, MapsForParaViewKeepTheirNumbersAndTheirMesh) {
  const std::string none = "output: {surface_interval: 1, cells_per_edge: 2}", floor = "output: {seafloor_interval: 10.0, cells_per_edge: 2}";
  EXPECT_EQ(changes("output: {seafloor_interval: 5, volume_interval: 1, cells_per_edge: 4}", none), "");
  EXPECT_EQ(changes("output: {seafloor_interval: 10, volume_interval: 5}", floor), "");
  EXPECT_NE(changes("output: {seafloor_interval: 5}", floor).find("output.seafloor_interval"), std::string::npos);
  EXPECT_NE(changes("output: {seafloor_interval: 10, cells_per_edge: 4}", floor).find("output.cells_per_edge"), std::string::npos);
  EXPECT_NE(changes("title: a", "output: {volume_interval: 5}").find("output.volume_interval"), std::string::npos);
}

TEST(Ledger, GoesOnFromWhereItWasPacked) {
  for (const int cut : {1, 2, 3, 5, 6, 20}) {
    PowerIntegral whole;
    Ledger first, second;
    for (int n = 0; n < 30; ++n) {
      const double power = std::sin(0.1 * n * n);
      whole.add(power);
      if (n == cut) second = Ledger::unpack(first.pack(), 0, cut - 1);
      (n < cut ? first : second).source.add(power);
    }
    EXPECT_EQ(second.source.integral(0.1), whole.integral(0.1)) << cut;
  }
}

TEST(Ledger, KeepsEveryEntry) {
  Ledger ledger;
  ledger.source.add(3);
  ledger.walls.add(5);
  ledger.piecewise_work = 7;
  ledger.product = {11, 13};
  ledger.damped = 17;
  ledger.floor.add(19);
  std::vector<double> packed = ledger.pack();
  const Ledger same = Ledger::unpack(packed, 2, 0);
  EXPECT_EQ(same.pack(), packed);
  EXPECT_EQ(same.piecewise_work, 7);
  EXPECT_EQ(same.product, ledger.product);
  EXPECT_EQ(same.damped, 17);
  packed.resize(packed.size() - PowerIntegral::values);  // as versions without floors that give way wrote it
  EXPECT_EQ(Ledger::unpack(packed, 2, 0).damped, 17);
  EXPECT_EQ(Ledger::unpack(packed, 2, 0).floor.integral(1), 0);
  packed.pop_back();  // as versions before format 3 wrote it without a sponge
  EXPECT_EQ(Ledger::unpack(packed, 2, 0).damped, 0);
  EXPECT_EQ(Ledger::unpack(packed, 2, 0).product, ledger.product);
}

}  // namespace
}  // namespace agwave
