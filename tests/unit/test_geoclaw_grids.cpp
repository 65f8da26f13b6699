// SPDX-License-Identifier: Apache-2.0
// GeoClaw's text grids, and several bathymetry grids one inside another. Needs no netCDF.
#include <gtest/gtest.h>

#include <cmath>
#include <functional>
#include <sstream>

#include "case/case_file.hpp"
#include "expect_error.hpp"
#include "source/uplift.hpp"
#include "temp_dir.hpp"
#include "terrain/domain.hpp"

namespace agwave {
namespace {

using Field = std::function<double(double x, double y)>;

// Rows from the north, `per_line` values on each.
std::string rows(double west, double south, double dx, double dy, int nx, int ny, const Field& value, int per_line) {
  std::ostringstream out;
  out.precision(15);
  for (int n = 0; n < nx * ny; ++n) {
    const double x = west + dx * (n % nx), y = south + dy * (ny - 1 - n / nx);
    out << value(x, y) << ((n + 1) % per_line == 0 ? "\n" : " ");
  }
  return out.str();
}

Case topo_case(const TempDir& dir, const std::string& bathymetry, const std::string& sources = "") {
  return parse_case(
      dir / "c.yaml",
      "domain: {size: [100e3, 50e3], bathymetry: {type: grid, " + bathymetry + "}}\nmesh: {elements: [4, 3, 1]}\ntime: {end: 10}\n" + sources, {});
}

double depth_at(const Case& c, double x, double y) {
  const auto domain = make_domain(c);
  return make_bathymetry(c, *domain)->depths(std::array{x}, std::array{y}, 0, 0)[0];
}

double slope(double x, double y) { return -(3000 + 0.01 * x - 0.02 * y); }

TEST(GeoclawTopo, TypesAndHeadersAgree) {
  const TempDir dir;
  const std::string three = rows(-10e3, -5e3, 5e3, 5e3, 25, 13, slope, 25), two = rows(-10e3, -5e3, 5e3, 5e3, 25, 13, slope, 1);
  dir.write("a.tt3", "25 ncols\n13 nrows\n-10e3 xlower\n-5e3 ylower\n5e3 cellsize\n-9999 nodata_value\n" + three);
  dir.write("b.asc", "NCOLS 25\r\nNROWS 13\r\nXLLCENTER -1e4\r\nYLLCENTER -5000\r\nCELLSIZE 5000\r\nNODATA_value -9999\r\n" + three);
  dir.write("c.tt2", "25\n13\n-10e3\n-5e3\n5e3 5e3\n-9999\n" + two);
  dir.write("d.txt", "ncols 25\nnrows 13\nxllcorner -12500\nyllcorner -7500\ncellsize 5000\nNODATA_value -9999\n" + three);
  dir.write("e.asc",
            "ncols        25\nnrows        13\nxllcenter    -10000.0\nyllcenter    -5000.0\ndx           5000.0\ndy           5000.0\nNODATA_value  "
            "-9999\n" +
                three);
  dir.write("f.topotype3", "   25    ncols\n 13   nrows\n -0.1000000D+05   xll\n -0.5D+04   yll\n  5.0d3  cellsize\n -9999   nodata_value\n" + three);
  for (const char* file :
       {"file: a.tt3", "file: b.asc", "file: c.tt2", "file: d.txt, format: topo3", "files: [a.tt3]", "file: e.asc", "file: f.topotype3"}) {
    const Case c = topo_case(dir, file);
    for (const auto& [x, y] : {std::array{0.0, 0.0}, std::array{43e3, 21e3}, std::array{100e3, 50e3}})
      EXPECT_NEAR(depth_at(c, x, y), -slope(x, y), 1e-8) << file;
  }
}

TEST(GeoclawTopo, ErrorsNameTheLine) {
  const TempDir dir;
  const std::string head = "25 ncols\n13 nrows\n-10e3 xlower\n-5e3 ylower\n5e3 cellsize\n-9999 nodata_value\n",
                    good = rows(-10e3, -5e3, 5e3, 5e3, 25, 13, slope, 25);
  const auto complaint = [&](const std::string& content) {
    dir.write("a.tt3", content);
    return message_of(ExitCode::input, [&] { depth_at(topo_case(dir, "file: a.tt3"), 0, 0); });
  };
  expect_words(complaint(head + good.substr(0, good.size() / 2)), {"c.yaml:1: domain.bathymetry.file", "a.tt3:", "the file ends where a value"});
  expect_words(complaint(head + good + "7\n"), {"a.tt3:20: more values than the header says, 325; found '7'"});
  expect_words(complaint("25 ncols\n13 nrows\n-10e3 xlower\nylower\n"), {"a.tt3:4: expected a header line with the southern end"});
  expect_words(complaint("25.5 ncols\n"), {"a.tt3:1: expected the number of columns, an integer above 0; found 25.5"});
  expect_words(complaint(head + "deep" + good), {"a.tt3:7: expected a number, a value of the grid; found 'deep"});
  expect_words(complaint(head + rows(
                                    -10e3, -5e3, 5e3, 5e3, 25, 13, [](double x, double y) { return x == 40e3 && y == 20e3 ? -9999 : -4000; }, 25)),
               {"no value", "x = 40000 m, y = 20000 m"});
  expect_words(message_of(ExitCode::usage, [&] { depth_at(topo_case(dir, "file: a.tt3, variable: z"), 0, 0); }), {"has no variables"});
  expect_words(message_of(ExitCode::input, [&] { depth_at(topo_case(dir, "file: none.tt3"), 0, 0); }), {"cannot read", "none.tt3"});
}

TEST(SeveralGrids, TheFinestCountsAndTakesOverSmoothly) {
  const TempDir dir;
  dir.write("coarse.tt3",
            "25 mx\n13 my\n-10e3 xlower\n-5e3 ylower\n5e3 dx\n0 nodata\n" + rows(
                                                                                0, 0, 1, 1, 25, 13, [](double, double) { return -4000; }, 25));
  dir.write("fine.tt3",
            "41 mx\n31 my\n30e3 xlower\n10e3 ylower\n1e3 dx\n0 nodata\n" + rows(
                                                                               0, 0, 1, 1, 41, 31, [](double, double) { return -3000; }, 41));
  dir.write("far.tt3", "3 mx\n3 my\n500e3 xlower\n10e3 ylower\n1e3 dx\n0 nodata\n" + rows(
                                                                                         0, 0, 1, 1, 3, 3, [](double, double) { return -3000; }, 3));
  const Case c = topo_case(dir, "files: [fine.tt3, coarse.tt3], blend: 4e3");
  EXPECT_EQ(depth_at(c, 10e3, 25e3), 4000);
  EXPECT_EQ(depth_at(c, 29.99e3, 25e3), 4000);
  EXPECT_EQ(depth_at(c, 34.01e3, 25e3), 3000);
  EXPECT_EQ(depth_at(c, 50e3, 25e3), 3000);
  EXPECT_NEAR(depth_at(c, 32e3, 25e3), 3500, 1e-9);
  EXPECT_NEAR(depth_at(c, 50e3, 39e3), 4000 - 1000 * (10 * std::pow(0.25, 3) - 15 * std::pow(0.25, 4) + 6 * std::pow(0.25, 5)), 1e-9);
  EXPECT_EQ(depth_at(topo_case(dir, "files: [fine.tt3, coarse.tt3], blend: 0"), 30.001e3, 25e3), 3000);
  EXPECT_EQ(depth_at(topo_case(dir, "files: [fine.tt3, coarse.tt3], blend: 0, variable: of_others"), 30.001e3, 25e3), 3000);
  expect_words(message_of(ExitCode::input, [&] { depth_at(topo_case(dir, "files: [coarse.tt3, fine.tt3]"), 0, 0); }),
               {"fine.tt3 does not cover the domain"});
  expect_words(message_of(ExitCode::input, [&] { depth_at(topo_case(dir, "files: [far.tt3, coarse.tt3]"), 0, 0); }),
               {"far.tt3 does not touch the domain"});
  expect_words(message_of(ExitCode::usage, [&] { topo_case(dir, "files: [], file: coarse.tt3"); }), {"both file and files"});
  expect_words(message_of(ExitCode::usage, [&] { topo_case(dir, "files: coarse.tt3"); }),
               {"domain.bathymetry.files: expected a list of files; found 'coarse.tt3'"});
}

// dz = t * (1 + x + 2 y) on nodes, from the north.
std::string dtopo1(const std::vector<double>& times) {
  std::ostringstream out;
  out.precision(15);
  for (const double t : times)
    for (int j = 3; j >= 0; --j)
      for (int i = 0; i < 5; ++i) out << t << " " << 20e3 + 10e3 * i << "  " << 10e3 + 8e3 * j << " " << t * (1 + i + 2 * j) << "\n";
  return out.str();
}

std::string dtopo3(int times, double start) {
  std::ostringstream out;
  out << "5 mx\n4 my\n" << times << " mt\n20e3 xlower\n10e3 ylower\n" << start << " t0\n10e3 dx\n8e3 dy\n1.5 dt\n";
  for (int k = 0; k < times; ++k)
    for (int j = 3; j >= 0; --j) {
      for (int i = 0; i < 5; ++i) out << (start + 1.5 * k) * (1 + i + 2 * j) << " ";
      out << "\n";
    }
  return out.str();
}

Case dtopo_case(const TempDir& dir, const std::string& shape, const std::string& ramp = "") {
  return parse_case(dir / "c.yaml",
                    "domain: {size: [100e3, 50e3], bathymetry: {type: flat, depth: 4000}}\nmesh: {elements: [4, 3, 1]}\ntime: {end: 10}\n"
                    "sources: [{shape: {type: grid, " +
                        shape + "}" + ramp + "}]\n",
                    {});
}

double uplift_at(const Case& c, double x, double y, double t) {
  const auto domain = make_domain(c);
  double b = 0;
  for (const auto& term : make_uplift(c, *domain)) b += term.value(t) * term.shape(x, y);
  return b;
}

TEST(GeoclawDtopo, TypesAgreeAndAreLinearInTime) {
  const TempDir dir;
  dir.write("a.tt1", dtopo1({0, 1.5, 3}));
  dir.write("b.tt3", dtopo3(3, 0));
  dir.write("c.dat", dtopo3(3, 0));
  dir.write("d.dtt3", dtopo3(3, 0));
  for (const char* shape : {"file: a.tt1", "file: b.tt3", "file: c.dat, format: dtopo3", "file: d.dtt3"}) {
    const Case c = dtopo_case(dir, shape);
    EXPECT_NEAR(uplift_at(c, 20e3, 10e3, 3), 3, 1e-12) << shape;       // south-west node
    EXPECT_NEAR(uplift_at(c, 60e3, 34e3, 3), 3 * 11, 1e-12) << shape;  // north-east node
    EXPECT_NEAR(uplift_at(c, 25e3, 14e3, 2.1), 2.1 * 2.5, 1e-12) << shape;
    EXPECT_NEAR(uplift_at(c, 25e3, 14e3, 99), 3 * 2.5, 1e-12) << shape;
    EXPECT_EQ(uplift_at(c, 70e3, 14e3, 3), 0) << shape;
  }
  dir.write("static.tt3", dtopo3(1, 1));
  EXPECT_NEAR(uplift_at(dtopo_case(dir, "file: static.tt3", ", ramp: {type: linear, duration: 4}"), 25e3, 14e3, 2), 0.5 * 2.5, 1e-12);
  expect_words(message_of(ExitCode::usage, [&] { uplift_at(dtopo_case(dir, "file: static.tt3"), 0, 0, 0); }), {"needs a `ramp`"});
}

TEST(GeoclawDtopo, ErrorsNameTheLine) {
  const TempDir dir;
  const auto complaint = [&](const std::string& content) {
    dir.write("a.tt1", content);
    return message_of(ExitCode::input, [&] { uplift_at(dtopo_case(dir, "file: a.tt1"), 0, 0, 0); });
  };
  const std::string good = dtopo1({0, 1});
  expect_words(complaint(""), {"a.tt1: is empty"});
  expect_words(complaint(good + "2 20e3 34e3 0\n"), {"a.tt1:41: the last grid has 1 nodes, the others have 20"});
  std::string moved = good;
  moved.replace(moved.find("30000  26000"), 5, "31000");
  expect_words(complaint(moved), {"a.tt1:7: not the next node of a grid: x is 31000, not 30000"});
  expect_words(complaint("0 x 1 2\n"), {"a.tt1:1: expected a number, x; found 'x'"});
  expect_words(complaint("nan 1 1 2\n"), {"a.tt1:1: t is nan; expected a finite number"});
  expect_words(complaint("0 0 1 2\n0 1 inf 2\n"), {"a.tt1:2: y is inf; expected a finite number"});
  expect_words(complaint(dtopo1({0, 2, 1})), {"times must increase"});
}

}  // namespace
}  // namespace agwave
