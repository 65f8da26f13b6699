// SPDX-License-Identifier: Apache-2.0
// Fault sources: where a rectangle of the case file lies, which way it moves, when; and the finite-fault files, whose models must
// give the uplift of the same rectangles written in a case.
#include <gtest/gtest.h>

#include <cmath>

#include "case/case_file.hpp"
#include "error/error.hpp"
#include "expect_error.hpp"
#include "files/version.hpp"
#include "source/okada.hpp"
#include "source/prepared.hpp"
#include "source/uplift.hpp"
#include "temp_dir.hpp"
#include "terrain/prepared.hpp"

namespace agwave {
namespace {

const std::string metres = "domain: {size: [400e3, 300e3], bathymetry: {type: flat, depth: 4000}}\n";
const std::string lonlat = "domain: {lonlat: {lon: [193, 199], lat: [51, 55]}, bathymetry: {type: flat, depth: 4000}}\n";
const std::string rest = "mesh: {elements: [4, 3, 1]}\ntime: {end: 10}\n";

Case fault_case(const std::string& domain, const std::string& shape, const std::string& more = "", const std::string& folder = ".") {
  return parse_case(folder + "/c.yaml", domain + rest + "sources:\n- shape: {type: fault, " + shape + "}\n" + more, {});
}

struct Uplift {
  std::unique_ptr<Domain> domain;
  std::vector<UpliftTerm> terms;
  explicit Uplift(const Case& c) : domain(make_domain(c)), terms(make_uplift(c, *domain)) {}
  std::array<double, 3> at(double x, double y, double t = 1e9) const {  // displacement
    std::array<double, 3> sum{};
    for (const UpliftTerm& term : terms) {
      const auto u = term.displacement(x, y);
      EXPECT_EQ(u[2], term.shape(x, y));
      for (int n = 0; n < 3; ++n) sum[n] += term.value(t) * u[n];
    }
    return sum;
  }
};

void expect_near(const std::array<double, 3>& a, const std::array<double, 3>& b, double tolerance) {
  for (int n = 0; n < 3; ++n) EXPECT_NEAR(a[n], b[n], tolerance) << "component " << n;
}

std::string subfault(const std::string& more) {
  return "subfaults: [{strike: 30, dip: 20, rake: 70, slip: 3, length: 80e3, width: 40e3, rise: 5, " + more + "}]";
}

// Strike 90: Okada's frame is that of the domain, with the deep edge south of the reference point.
TEST(Fault, LiesWhereTheCaseSaysAndSlipsByTheRake) {
  const double s = std::sin(M_PI / 9), c = std::cos(M_PI / 9);
  const Rectangle plane{10e3 + 40e3 * s, 80e3, 40e3, s, c, 3 * std::cos(70 * M_PI / 180), 3 * std::sin(70 * M_PI / 180), 0.3};
  const std::string same = "strike: 90, dip: 20, rake: 70, slip: 3, length: 80e3, width: 40e3, rise: 5";
  const Uplift u(fault_case(metres, "reference: top, poisson: 0.3, subfaults: [{x: 200e3, y: 150e3, depth: 10e3, " + same + "}]"));
  ASSERT_EQ(u.terms.size(), 1u);
  for (const double x : {170e3, 230e3, 300e3}) {
    for (const double y : {100e3, 140e3, 190e3}) expect_near(u.at(x, y), okada(plane, x - 160e3, y - 150e3 + 40e3 * c), 1e-12);
  }
  EXPECT_GT(u.at(200e3, 140e3)[2], 0.3);  // thrust lifts the hanging wall, to the right of strike above the plane
}

TEST(Fault, ReferencePointsAreOfOnePlane) {
  const double s = std::sin(M_PI / 9), c = std::cos(M_PI / 9), strike = M_PI / 6;
  const auto at = [&](const char* reference, double down) {
    return Uplift(fault_case(metres, "reference: " + std::string(reference) + ", " +
                                         subfault(text("x: ", 200e3 + down * c * std::cos(strike), ", y: ", 150e3 - down * c * std::sin(strike),
                                                       ", depth: ", 10e3 + down * s))));
  };
  const Uplift top = at("top", 0), centroid = at("centroid", 20e3), bottom = at("bottom", 40e3);
  for (const double x : {170e3, 230e3}) {
    for (const double y : {100e3, 190e3}) {
      expect_near(centroid.at(x, y), top.at(x, y), 1e-4);  // positions were written with few digits
      expect_near(bottom.at(x, y), top.at(x, y), 1e-4);
    }
  }
  const Uplift unsaid(fault_case(metres, subfault("x: 200e3, y: 150e3, depth: 20e3")));
  expect_near(unsaid.at(170e3, 190e3),
              Uplift(fault_case(metres, "reference: centroid, " + subfault("x: 200e3, y: 150e3, depth: 20e3"))).at(170e3, 190e3), 0);
  const Uplift shifted(fault_case(metres, "depth_shift: -3e3, " + subfault("x: 200e3, y: 150e3, depth: 23e3")));
  expect_near(shifted.at(170e3, 190e3), unsaid.at(170e3, 190e3), 1e-12);
}

// Each subfault rises by itself; those of one time share a term; amplitude is a factor; without horizontal motion only the uplift is left.
TEST(Fault, SubfaultsHaveTheirOwnTimes) {
  const std::string same = "y: 150e3, depth: 20e3, strike: 90, dip: 20, rake: 90, slip: 2, length: 50e3, width: 40e3";
  const std::string list = "subfaults: [{x: 100e3, " + same + ", start: 1, rise: 4}, {x: 150e3, " + same + ", start: 3.5, rise: 8}, {x: 200e3, " +
                           same + ", start: 1, rise: 4}, {x: 250e3, " + same + "}]";
  const Uplift u(fault_case(metres, list, "  ramp: {type: linear, start: 2, duration: 10}\n  amplitude: 0.5\n"));
  ASSERT_EQ(u.terms.size(), 3u);
  std::vector<double> begins;
  for (const UpliftTerm& term : u.terms) {
    EXPECT_TRUE(term.piecewise_linear);
    EXPECT_EQ(term.value(term.begin), 0);
    EXPECT_EQ(term.value(term.end), 1);
    EXPECT_NEAR(term.value(0.5 * (term.begin + term.end)), 0.5, 1e-15);
    begins.push_back(term.begin);
  }
  EXPECT_EQ(begins, (std::vector<double>{1, 2, 3.5}));
  EXPECT_EQ(u.terms[2].end, 11.5);
  const Uplift whole(fault_case(metres, list, "  ramp: {type: smoothstep, duration: 10}\n"));
  EXPECT_FALSE(whole.terms[0].piecewise_linear);
  const auto half = u.at(160e3, 130e3), full = whole.at(160e3, 130e3);
  for (int n = 0; n < 3; ++n) EXPECT_NEAR(2 * half[n], full[n], 1e-12);
  const Uplift vertical(fault_case(metres, "horizontal: false, " + list, "  ramp: {type: linear, duration: 10}\n"));
  EXPECT_FALSE(vertical.terms[0].displacement);
}

// Sampled histories meet the exact ones at the samples, also those of a smooth ramp, and are linear between.
TEST(Fault, SampledInTime) {
  const std::string same = "y: 150e3, depth: 20e3, strike: 90, dip: 20, rake: 90, slip: 2, length: 50e3, width: 40e3";
  const std::string list = "subfaults: [{x: 100e3, " + same + ", start: 1, rise: 4}, {x: 150e3, " + same + ", start: 3.5, rise: 8}, {x: 200e3, " +
                           same + ", start: 2.2, rise: 4}, {x: 250e3, " + same + "}]";
  for (const char* ramp : {"  ramp: {type: linear, start: 2, duration: 10}\n", "  ramp: {type: smoothstep, start: 2, duration: 10}\n"}) {
    const Uplift exact(fault_case(metres, list, ramp)), sampled(fault_case(metres, "interval: 1.5, " + list, ramp));
    ASSERT_EQ(exact.terms.size(), 4u);
    ASSERT_EQ(sampled.terms.size(), 8u);  // 0 to 12 s
    for (const UpliftTerm& term : sampled.terms) EXPECT_TRUE(term.piecewise_linear);
    for (int k = 0; k <= 10; ++k) {
      const auto a = sampled.at(160e3, 130e3, 1.5 * k), b = sampled.at(160e3, 130e3, 1.5 * k + 1.5),
                 middle = sampled.at(160e3, 130e3, 1.5 * k + 0.75);
      expect_near(a, exact.at(160e3, 130e3, 1.5 * k), 1e-12);
      for (int n = 0; n < 3; ++n) EXPECT_NEAR(middle[n], 0.5 * (a[n] + b[n]), 1e-12);
    }
  }
}

#if AGWAVE_PROJ
// Strike counts from true north, which is 3 degrees off the domain's at the ends of this one.
TEST(Fault, StrikeIsFromTrueNorth) {
  const Uplift u(fault_case(
      lonlat, "subfaults: [{lon: 193.3, lat: 53, depth: 20e3, strike: 0, dip: 90, rake: 90, slip: 2, length: 150e3, width: 20e3, rise: 5}]"));
  const auto south = u.domain->to_xy(193.3, 52.5), north = u.domain->to_xy(193.3, 53.5), middle = u.domain->to_xy(193.3, 53);
  const double largest = std::abs(u.at(middle[0] + 15e3, middle[1])[2]);
  for (const auto& place : {south, north, middle})
    EXPECT_LT(std::abs(u.at(place[0], place[1])[2]), 0.01 * largest);  // none on the trace of a vertical fault
  EXPECT_GT(std::abs(u.at(middle[0], south[1])[2]), 0.03 * largest);
}

// Machines without PROJ find the places of the subfaults, and true north there, in the prepared file.
TEST(Fault, OfAPreparedCaseIsTheSameWithoutProj) {
  const TempDir folder;
  Case c = fault_case(lonlat,
                      "subfaults: [{lon: 190, lat: 50, depth: 20e3, strike: 30, dip: 10, rake: 90, slip: 2, length: 50e3, width: 20e3, rise: 5},"
                      "{lon: 197, lat: 53, depth: 20e3, strike: 30, dip: 10, rake: 90, slip: 2, length: 50e3, width: 20e3, rise: 7}]");
  write_prepared(c, folder / "p.h5");
  const Uplift direct(c);
  const auto domain = make_prepared_domain(c, PreparedBathymetry{folder / "p.h5", {}});
  const auto terms = make_uplift(c, *domain);
  ASSERT_EQ(terms.size(), direct.terms.size());
  for (std::size_t k = 0; k < terms.size(); ++k) EXPECT_EQ(terms[k].displacement(150e3, 200e3), direct.terms[k].displacement(150e3, 200e3));
}

const std::string fsp_head =
    "% ---------- FINITE-SOURCE RUPTURE MODEL ----------\n%\n% Event : Nowhere 01/04/1946\n% Loc  : LAT = 53.0  LON = -164.0  DEP = 15.0\n"
    "% Size : LEN = 80.0 km  WID = 40.0 km  Mw = 7.9  Mo = 9.0e+20 Nm\n% Mech : STRK = 250  DIP = 10  RAKE = 90  Htop = 5.0 km\n"
    "% Rupt : HypX = 40.0 km  Hypz = 20.0 km  avTr = 10 s  avVr = 1.1 km/s\n%\n% Invs : Nx = 2  Nz = 1 Fmin = 0.01 Hz  Fmax = 0.125 Hz\n"
    "% Invs : Dx = 40.0 km  Dz = 30.0 km\n% Invs : Ntw = 1  Nsg = 1     (# of time-windows,# of fault segments)\n%\n";
const std::string in_yaml =
    "subfaults: [{lon: 195.7, lat: 53.1, depth: 12000, strike: 250, dip: 10, rake: 95, slip: 2.5, length: 40e3, width: 30e3, start: 0, rise: 8},"
    "{lon: 196.3, lat: 53.2, depth: 12000, strike: 250, dip: 10, rake: 85, slip: 1.5, length: 40e3, width: 30e3, start: 12.5, rise: 6}]";

void expect_same(const Uplift& a, const Uplift& b) {
  for (const double x : {150e3, 200e3, 260e3}) {
    for (const double y : {180e3, 230e3, 280e3}) {
      for (const double t : {3.0, 14.0, 1e3}) expect_near(a.at(x, y, t), b.at(x, y, t), 1e-12);
    }
  }
}

TEST(FiniteFault, FspOfOneSegment) {
  const TempDir folder;
  const std::string columns = "%    LAT       LON      X==EW    Y==NS     Z       SLIP    RAKE   TRUP   RISE  SF_MOMENT\n% ------\n";
  const std::string rows = " 53.1  -164.3  0 0 12.0  2.5 95 0 8 1e20\n 53.0 -164.0 0 0 12 0 90 5 8 0\n 53.2\t-163.7 0 0 12.0 1.5 85 12.5 6 9e19\r\n";
  folder.write("center.fsp", fsp_head + "% Coordinates are given for center of each subfault or segment: |'|\n" + columns + rows);
  folder.write("top.fsp", fsp_head + "%   Coordinates are given for top-center of each subfault or segment: |'|\n" + columns + rows);
  folder.write("unsaid.txt", fsp_head + columns + rows);
  expect_same(Uplift(fault_case(lonlat, "file: center.fsp", "", folder.path.string())), Uplift(fault_case(lonlat, in_yaml)));
  const Uplift top(fault_case(lonlat, "reference: top, " + in_yaml));
  expect_same(Uplift(fault_case(lonlat, "file: top.fsp", "", folder.path.string())), top);
  expect_same(Uplift(fault_case(lonlat, "file: unsaid.txt, format: fsp, reference: top", "", folder.path.string())), top);
  expect_words(message_of(ExitCode::input, [&] { fault_case(lonlat, "file: unsaid.txt, format: fsp", "", folder.path.string()); }),
               {"c.yaml:5: sources[0].shape.file", "which point", "reference: top"});
  expect_words(message_of(ExitCode::usage, [&] { fault_case(lonlat, "file: unsaid.txt", "", folder.path.string()); }),
               {"format", "give format: fsp"});
  expect_words(message_of(ExitCode::input, [&] { fault_case(lonlat, "file: none.fsp", "", folder.path.string()); }), {"cannot read", "No such file"});
}

// As others write it: no blanks around =, sizes only as LEN / Nx and WID / Nz, the names of a multi-window file.
TEST(FiniteFault, FspOfOtherWriters) {
  const TempDir folder;
  folder.write(
      "other.fsp.txt",
      "% ---- FINITE-SOURCE RUPTURE MODEL ----\n%\n% Loc  : LAT=53.0 LON=-164.0 DEP=15.0\n% Size : LEN=80.00 km WID=30.00 km Mw=7.9 Mo=9.00e+020 Nm\n"
      "% Mech : STRK =  250         DIP =  10          RAKE = 90      Htop = 5.00 km\n% Rupt : HypX = 40 km    HypZ = 999 km    avTr = 2.0 s    avVr "
      "=  km/s\n"
      "% Invs :   Nx  =    2           Nz  =    1        Fmin = 0.01 Hz     Fmax = 0.5 Hz\n% Invs :   Dx  = 999 km   Dz = 999 km\n"
      "% Invs : LEN = 6 s  SHF = 3 s   (time-window length and time-shift)\n%   Coordinates are given for center of each subfault or segment: |'|\n"
      "%    LAT       LON      X==EW    Y==NS     Z       SLIP    RAKE    TRUP    RISE    TW1     TW2\n% -----\n"
      "   53.1000 -164.3000    0.0000    0.0000   12.0000   2.5000  95.0  0.0 8.0  1.5 1.0\n"
      "   53.2000 -163.7000    0.0000    0.0000   12.0000   1.5000  85.0 12.5 6.0  1.0 0.5\n");
  expect_same(Uplift(fault_case(lonlat, "file: other.fsp.txt", "", folder.path.string())), Uplift(fault_case(lonlat, in_yaml)));
}

// Segments bring their own strike, dip and sizes; a rake that only the head knows, and no times: those of the ramp.
TEST(FiniteFault, FspOfSegments) {
  const TempDir folder;
  const std::string columns = "% LAT LON X==EW Y==NS Z SLIP\n";
  folder.write(
      "two.fsp",
      fsp_head +
          "% Coordinates are given for top-center of each subfault\n% SEGMENT # 1: STRIKE = 240 deg DIP = 12 deg\n% LEN = 40 km WID = 20 km\n" +
          "% Dx = 20.0 km Dz = 20.0 km\n% LAT = 53.0, LON = -164.2\n% Nsbfs = 1 subfaults\n" + columns + "53.1 -164.3 0 0 6.0 2\n" +
          "% SEGMENT # 2: STRIKE = 255 deg DIP = 15 deg\n% Nsbfs = 1 subfaults\n" + columns + "53.2 -163.7 0 0 7.0 1\n");
  const std::string ramp = "  ramp: {type: cosine, duration: 20}\n";
  const std::string list =
      "reference: top, subfaults: [{lon: 195.7, lat: 53.1, depth: 6e3, strike: 240, dip: 12, rake: 90, slip: 2, length: 20e3, width: 20e3},"
      "{lon: 196.3, lat: 53.2, depth: 7e3, strike: 255, dip: 15, rake: 90, slip: 1, length: 40e3, width: 30e3}]";
  expect_same(Uplift(fault_case(lonlat, "file: two.fsp", ramp, folder.path.string())), Uplift(fault_case(lonlat, list, ramp)));
  expect_words(message_of(ExitCode::usage, [&] { fault_case(lonlat, "file: two.fsp", "", folder.path.string()); }), {"2 of 2 subfaults without"});
}

// As older ones of SRCMOD are: a header line broken in two, X==NS, tabs, the size of a segment's one subfault given as that of the segment.
TEST(FiniteFault, FspOfSegmentsOfOneSubfault) {
  const TempDir folder;
  const std::string columns = "%   LAT       LON         X==NS      Y==EW        Z        SLIP    RAKE   RISE   TRUP\n";
  const auto file = [&](int count) {
    folder.write(
        "broken.fsp",
        fsp_head + "% Rmin : \t40\t0\t0\t0\n\t10.0\t0.0\t0.0\t0.0\n%   Coordinates are given for top-center of each subfault or segment: |'| \n" +
            "% SEGMENT #   1:  STRIKE =   240 deg       DIP =  12.0 deg\n%                   LEN  =  25.00 km       WID =  18.00 km \n" +
            "%   coordinates of top-center:\n%                   LAT =   53.1,       LON = -164.3\n%   Nsbfs =" + text(count) + "   subfaults \n" +
            columns + "   53.1\t-164.3\t0\t0\t6.0\t2\t95\t8\t0\n" +
            "% SEGMENT #   2:  STRIKE =   255 deg       DIP =  15.0 deg\n%  LEN  =  80.00 km       WID =  30.00 km \n%   Nsbfs =   2 subfaults\n" +
            columns + "   53.2 -163.7 0 0 7.0 1 85 6 12.5\n");
    return fault_case(lonlat, "file: broken.fsp", "", folder.path.string());
  };
  expect_same(
      Uplift(file(1)),
      Uplift(fault_case(lonlat,
                        "reference: top, subfaults: [{lon: 195.7, lat: 53.1, depth: 6e3, strike: 240, dip: 12, rake: 95, slip: 2, length: 25e3, "
                        "width: 18e3, start: 0, rise: 8}, {lon: 196.3, lat: 53.2, depth: 7e3, strike: 255, dip: 15, rake: 85, slip: 1, "
                        "length: 40e3, width: 30e3, start: 12.5, rise: 6}]")));
  expect_words(message_of(ExitCode::input, [&] { file(3); }),
               {"broken.fsp:22: the subfaults of this segment do not cover it", "3600 km2", "450 km2"});
}

TEST(Fault, RisesSmoothlyWithoutARampAndSaysSo) {
  const Case c = fault_case(metres, subfault("x: 200e3, y: 150e3, depth: 20e3"));
  const Uplift u(c);
  const Ramp smooth{Ramp::Type::smoothstep, 0, 5, 2};
  for (const double t : {0.3, 2.0, 4.9}) EXPECT_EQ(u.terms[0].value(t), ramp_value(smooth, t));
  EXPECT_FALSE(u.terms[0].piecewise_linear);
  expect_words(c.sources[0].shape->note(c.sources[0]), {"note: ", "rise smoothly", "ramp: {type: linear"});
  const Case linear = fault_case(metres, subfault("x: 200e3, y: 150e3, depth: 20e3"), "  ramp: {type: linear, duration: 1}\n");
  EXPECT_EQ(Uplift(linear).terms[0].value(2), 0.4);  // in its own time
  EXPECT_EQ(linear.sources[0].shape->note(linear.sources[0]), "");
}

// The upper row of models that begin at the sea surface slips in water, at no moment worth the name.
TEST(FiniteFault, SubfaultsInWaterAreTold) {
  const TempDir folder;
  const std::string head = fsp_head + "% Coordinates are given for center of each subfault\n% LAT LON X==EW Y==NS Z SLIP RAKE TRUP RISE SF_MOMENT\n";
  const auto note = [&](const std::string& rows) {
    folder.write("model.fsp", head + rows);
    SourceCase with_ramp;
    with_ramp.ramp = Ramp{};
    return fault_case(lonlat, "file: model.fsp", "", folder.path.string()).sources[0].shape->note(with_ramp);
  };
  const std::string rock = "53.2 -163.7 0 0 12 1.5 85 12.5 6 5.4e19\n";
  EXPECT_EQ(note("53.1 -164.3 0 0 12 2.5 95 0 8 3.0e18\n" + rock), "");  // mud of 1e9 Pa
  expect_words(note("53.1 -164.3 0 0 4 2.5 95 0 8 3.0e14\n" + rock), {"1 of 2 subfaults of model.fsp", "2.5 m of slip", "depth_shift"});
  EXPECT_EQ(note("53.1 -164.3 0 0 12 2.5 95 0 8 999\n" + rock), "");  // not known
}

TEST(FiniteFault, FspErrorsNameTheLine) {
  const TempDir folder;
  const std::string head = fsp_head + "% Coordinates are given for center of each subfault\n",
                    columns = "% LAT LON X==EW Y==NS Z SLIP RAKE TRUP RISE\n";
  const auto complaint = [&](const std::string& content) {
    folder.write("bad.fsp", content);
    return message_of(ExitCode::input, [&] { fault_case(lonlat, "file: bad.fsp", "", folder.path.string()); });
  };
  expect_words(complaint(head + columns + "53.1 -164.3 0 0 12 x 95 0 8\n53.1 -164.3 0 0 12 2 95 zero 8\n"),
               {"bad.fsp:15: column SLIP: expected a number; found 'x'", "bad.fsp:16: column TRUP"});
  expect_words(complaint(head + columns + "53.1 -164.3 0 0 12\n"),
               {"bad.fsp:15: expected a row of numbers; found 5 words", "9, one for each column"});
  expect_words(complaint(head + "53.1 -164.3 0 0 12\n"), {"bad.fsp:14: no line that names the columns"});
  expect_words(complaint(head + columns), {"no subfaults"});
  expect_words(complaint(head + columns + "53.1 -164.3 0 0 1.0 2 95 0 8\n"), {"bad.fsp:15: the top edge of the fault is above the sea floor"});
  std::string unknown = head;
  unknown.replace(unknown.find("Dx = 40.0"), 9, "Dx = 999. ");
  unknown.replace(unknown.find("LEN = 80.0"), 10, "LEN = 999 ");
  expect_words(complaint(unknown + columns + "53.1 -164.3 0 0 12 2 95 0 8\n"), {"bad.fsp:15: the file does not give Dx"});
}

// The corners of the rectangle of in_yaml, laid out in the domain, whose metres are those of the ellipsoid to 1e-3.
TEST(FiniteFault, GeojsonOfTheUsgs) {
  const TempDir folder;
  const auto domain = make_domain(fault_case(lonlat, in_yaml));
  const auto feature = [&](double lon, double lat, double slip, double rake, double start, double rise, int first, bool turned) {
    const double dip = 10 * M_PI / 180, half = 15e3 * std::cos(dip);
    const auto at = domain->to_xy(lon, lat), north = domain->to_xy(lon, lat + 0.01);
    const double strike = 250 * M_PI / 180 + std::atan2(north[0] - at[0], north[1] - at[1]), s = std::sin(strike), c = std::cos(strike);
    std::string ring;
    for (int k = 0; k <= 4; ++k) {
      const int n = ((turned ? 4 - k : k) + first) % 4;
      const double along = n == 0 || n == 3 ? -20e3 : 20e3, down = n < 2 ? -1 : 1;
      const auto [x, y] = domain->to_lonlat(at[0] + along * s + down * half * c, at[1] + along * c - down * half * s);
      std::ostringstream out;
      out.precision(12);
      out << (k ? ", [" : "[") << x - 360 << ", " << y << ", " << 12e3 + down * 15e3 * std::sin(dip) << "]";
      ring += out.str();
    }
    return text(R"({"type": "Feature", "geometry": {"type": "Polygon", "coordinates": [[)", ring, R"(]]}, "properties": {"slip": )", slip,
                R"(, "rake": )", rake, R"(, "trup": )", start, R"(, "rise": )", rise, R"(, "sf_moment": 1e20}})");
  };
  for (const int first : {0, 1, 3}) {
    for (const bool turned : {false, true}) {
      folder.write("FFM.geojson", "{\"type\": \"FeatureCollection\", \"features\": [\n" + feature(195.7, 53.1, 2.5, 95, 0, 8, first, turned) + ",\n" +
                                      feature(196.3, 53.2, 1.5, 85, 12.5, 6, first, turned) + "]}\n");
      const Uplift file(fault_case(lonlat, "file: FFM.geojson", "", folder.path.string())), list(fault_case(lonlat, in_yaml));
      for (const double x : {150e3, 200e3, 260e3}) {
        for (const double y : {180e3, 230e3, 280e3}) expect_near(file.at(x, y), list.at(x, y), 3e-3);
      }
    }
  }
  const auto complaint = [&](const std::string& content, const std::string& more = "") {
    folder.write("bad.json", content);
    return message_of(ExitCode::input, [&] { fault_case(lonlat, "file: bad.json" + more, "", folder.path.string()); });
  };
  expect_words(complaint("{\n\"features\": [\n,]}"), {"bad.json:3: not JSON"});
  expect_words(complaint("{\"type\": \"FeatureCollection\"}"), {"bad.json:1: not a finite-fault model", "features"});
  expect_words(complaint("{\"features\": [{\"geometry\": {\"type\": \"Polygon\", \"coordinates\": [[[1,2,3],[1,3,3],[2,2,9]]]}}]}"),
               {"bad.json: features[0]: not a subfault", "3 corners"});
}
#endif

}  // namespace
}  // namespace agwave
