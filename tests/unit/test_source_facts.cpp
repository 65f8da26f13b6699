// SPDX-License-Identifier: Apache-2.0
// What check says of sources: sizes against formulas, periods against spectra that are known, warnings that come and that do not.
#include <gtest/gtest.h>

#include <cmath>
#include <functional>
#include <numbers>

#include "case/case_file.hpp"
#include "expect_error.hpp"
#include "shapes.hpp"
#include "source/fault.hpp"
#include "source/source_facts.hpp"
#include "temp_dir.hpp"

namespace agwave {
namespace {

constexpr double pi = std::numbers::pi;

Case with_source(const std::string& source, const std::string& domain = "{size: [400e3, 300e3], bathymetry: {type: flat, depth: 4000}}") {
  return parse_case("c.yaml", "domain: " + domain + "\nmesh: {elements: [4, 3, 1]}\ntime: {end: 10}\nsources:\n- " + source + "\n", {});
}
SourceFacts facts_of(const Case& c) {
  const auto domain = make_domain(c);
  return source_facts(c, *domain, make_terms(c, *domain)).at(0);
}
std::vector<std::string> notes_of(const Case& c) {
  const auto domain = make_domain(c);
  return source_notes(c, *domain, source_facts(c, *domain, make_terms(c, *domain)));
}
std::string bell(const std::string& center, const std::string& ramp = "{type: smoothstep, start: 1, duration: 4}") {
  return "{shape: {type: gaussian, center: " + center + ", radius: [20e3, 10e3]}, amplitude: -2, ramp: " + ramp + "}";
}

TEST(SourceFacts, OfABell) {
  const SourceFacts f = facts_of(with_source(bell("[200e3, 150e3]")));
  EXPECT_EQ(f.name, "sources[0]");
  EXPECT_EQ(f.type, "gaussian");
  EXPECT_EQ(f.begin, 1);
  EXPECT_EQ(f.end, 5);
  EXPECT_NEAR(f.lowest, -2, 0.02);
  EXPECT_EQ(f.highest, 0);
  EXPECT_NEAR(f.volume, -2 * 2 * pi * 20e3 * 10e3, 0.01 * 2 * 2 * pi * 20e3 * 10e3);
  EXPECT_NEAR(f.inside, 1, 1e-9);
  EXPECT_NEAR(facts_of(with_source(bell("[0, 150e3]"))).inside, 0.5, 1e-9);
  EXPECT_FALSE(f.fault);
}

// However little of the domain moves: the volume is that of the formula, and so is where it moves.
TEST(SourceFacts, OfWhatIsNarrow) {
  const std::string shapes[] = {"gaussian, center: [201e3, 150.3e3], radius: [50, 80]", "gaussian, center: [201e3, 150.3e3], radius: [.inf, 80]",
                                "patch, x: [201000, 201100], y: [150e3, 150300]"};
  const double volumes[] = {2 * pi * 50 * 80, std::sqrt(2 * pi) * 80 * 400e3, 100 * 300};
  for (int n = 0; n < 3; ++n) {
    const SourceFacts f = facts_of(with_source("{shape: {type: " + shapes[n] + "}, ramp: {type: smoothstep, duration: 4}}"));
    EXPECT_NEAR(f.volume, volumes[n], 0.01 * volumes[n]) << shapes[n];
    EXPECT_NEAR(f.highest, 1, 0.02) << shapes[n];
    ASSERT_TRUE(f.where) << shapes[n];
    EXPECT_LT(f.where->y.max - f.where->y.min, 700) << shapes[n];
  }
}

// |spectrum| of a motion of duration D, over its largest: linear 2 |sin(w D/2)| / (w D); cosine and smoothstep of order 2 fall off as w^-2 and w^-3 after
// envelopes of pi^2 / (w D)^2 and 120 / (w D)^3; Gaussian exp(-(w sigma)^2 / 2). 1 % of it:
TEST(ShortestPeriod, IsWhereTheSpectrumEnds) {
  const auto period = [](const Ramp& ramp) {
    const TimeSeries series = ramp_series(ramp);
    return shortest_period({&series}, {-3.0});
  };
  const double D = 15;
  EXPECT_NEAR(period({Ramp::Type::linear, 2, D}), 2 * pi * D / 200, 0.1 * 2 * pi * D / 200);
  EXPECT_NEAR(period({Ramp::Type::cosine, 0, D}), 2 * pi * D / std::sqrt(pi * pi / 0.01), 0.1 * D * 0.2);
  EXPECT_NEAR(period({Ramp::Type::smoothstep, 0, D, 2}), 2 * pi * D / std::cbrt(120 / 0.01), 0.15 * D * 0.274);
  EXPECT_NEAR(period({Ramp::Type::gaussian, 0, 0, 2, 30, 4}), 2 * pi * 4 / std::sqrt(2 * std::log(100)), 0.05 * 8.3);
}

TEST(ShortestPeriod, OfTermsTogetherIsThatOfTheirSum) {
  // A smooth rise cut into linear pieces of a hundredth: the pieces' own kinks nearly cancel.
  const Ramp whole{Ramp::Type::smoothstep, 0, 10, 2};
  std::vector<TimeSeries> pieces;
  std::vector<double> weights;
  for (int n = 0; n < 100; ++n) {
    pieces.push_back(ramp_series({Ramp::Type::linear, 0.1 * n, 0.1}));
    weights.push_back(ramp_value(whole, 0.1 * (n + 1)) - ramp_value(whole, 0.1 * n));
  }
  std::vector<const TimeSeries*> all;
  for (const TimeSeries& piece : pieces) all.push_back(&piece);
  const TimeSeries smooth = ramp_series(whole);
  EXPECT_NEAR(shortest_period(all, weights), shortest_period({&smooth}, {1}), 0.1);
  EXPECT_TRUE(std::isinf(shortest_period({&smooth}, {0.0})));
}

const std::string plane = "x: 200e3, y: 150e3, depth: 10e3, strike: 0, dip: 15, rake: 90";
std::string fault(const std::string& size, const std::string& more = "") {
  return "{shape: {type: fault, reference: top, subfaults: [{" + plane + ", " + size + "}]" + more + "}, ramp: {type: smoothstep, duration: 10}}";
}

TEST(SourceFacts, OfAFault) {
  const SourceFacts f = facts_of(with_source(fault("slip: 5, length: 100e3, width: 50e3")));
  ASSERT_TRUE(f.fault);
  EXPECT_EQ(f.fault->subfaults, 1u);
  EXPECT_NEAR(f.fault->moment, 30e9 * 5 * 100e3 * 50e3, 1e12);
  EXPECT_NEAR(f.fault->magnitude, (std::log10(7.5e20) - 9.1) / 1.5, 1e-12);
  EXPECT_EQ(f.fault->largest_slip, 5);
  EXPECT_GT(f.highest, 0.5);
  EXPECT_LT(f.lowest, -0.1);
  EXPECT_NEAR(facts_of(with_source(fault("slip: 5, length: 100e3, width: 50e3", ", rigidity: 60e9"))).fault->moment, 2 * f.fault->moment, 1e12);
  EXPECT_TRUE(notes_of(with_source(fault("slip: 5, length: 100e3, width: 50e3"))).empty());
  const auto wrong = notes_of(with_source(fault("slip: 5, length: 120, width: 50e3")));
  ASSERT_EQ(wrong.size(), 1u);
  expect_words(wrong[0], {"sources[0]", "mean slip of 5 m over 6 km2", "MPa", "120 km is 120e3"});
  expect_words(notes_of(with_source(fault("slip: 0.005, length: 400e3, width: 100e3"))).at(0), {"stress drop of 0.001"});
}

TEST(SourceNotes, NameWhatLiesOutside) {
  EXPECT_TRUE(notes_of(with_source(bell("[30e3, 150e3]"))).empty());
  const auto mostly = notes_of(with_source(bell("[-20e3, 150e3]")));
  ASSERT_EQ(mostly.size(), 1u);
  expect_words(mostly[0], {"warning", "sources[0]", "16 % of this gaussian is inside the domain"});
  expect_words(message_of(ExitCode::usage, [] { notes_of(with_source(bell("[-200e3, 150e3]"))); }),
               {"c.yaml:", "nothing of this gaussian is inside the domain", "move the domain or the source"});
}

// A grid that reaches far beyond the domain may move nothing there.
TEST(SourceNotes, AskWhereAGridMovesTheFloor) {
  const TempDir folder;
  const auto with_grid = [&](const std::function<double(double x, double y)>& uplift) {  // three times as wide as the domain
    std::string rows = "13 mx\n4 my\n1 mt\n-400e3 xlower\n0 ylower\n0 t0\n100e3 dx\n100e3 dy\n0 dt\n";
    for (const double y : {300e3, 200e3, 100e3, 0.0})
      for (int i = 0; i < 13; ++i) rows += std::to_string(uplift(-400e3 + 100e3 * i, y)) + (i < 12 ? " " : "\n");
    folder.write("u.tt3", rows);
    return with_source("{shape: {type: grid, file: " + (folder / "u.tt3") + "}, ramp: {type: smoothstep, duration: 8}}");
  };
  const auto node = [](double at) { return [at](double x, double y) { return x == at && y == 100e3 ? 1.0 : 0.0; }; };
  EXPECT_NEAR(facts_of(with_grid(node(200e3))).inside, 1, 1e-9);
  EXPECT_TRUE(notes_of(with_grid(node(200e3))).empty());
  EXPECT_NEAR(facts_of(with_grid(node(400e3))).inside, 0.5, 1e-9);
  EXPECT_NEAR(facts_of(with_grid([](double, double) { return 1.0; })).inside, 1.0 / 3, 1e-9);
  expect_words(message_of(ExitCode::usage, [&] { notes_of(with_grid(node(-200e3))); }), {"nothing of this grid is inside the domain"});
}

// All of the domain may be a thousandth of what moves, and a fault reach into it from beyond a wall.
TEST(SourceNotes, PassOverWhatMovesTheWholeDomain) {
  const auto wide =
      notes_of(with_source("{shape: {type: gaussian, center: [30e3, 150e3], radius: [1e8, 1e8]}, ramp: {type: smoothstep, duration: 10}}"));
  ASSERT_EQ(wide.size(), 1u);
  expect_words(wide[0], {"warning", "of this gaussian is inside the domain"});
}

#if AGWAVE_PROJ
TEST(SourceNotes, SuspectSwappedCoordinates) {
  const std::string domain = "{lonlat: {lon: [20, 30], lat: [35, 41]}, bathymetry: {type: flat, depth: 4000}}";
  TempDir folder;
  folder.write("f.csv",
               "longitude,latitude,depth (km),length (km),width (km),strike,dip,rake,slip (m),mu (GPa),rise_time\n"
               "38,25,10,100,50,0,15,90,5,40,10\n");
  const std::string source = "{shape: {type: fault, file: " + (folder / "f.csv") + "}}";
  expect_words(message_of(ExitCode::usage, [&] { notes_of(with_source(source, domain)); }),
               {"nothing of this fault is inside the domain", "look swapped: the other way round it is inside"});
}

// The same plane in the case and in a table as GeoClaw has it, in its units, at its reference point.
TEST(FaultCsv, IsTheFaultOfTheCase) {
  const std::string domain = "{lonlat: {lon: [193, 199], lat: [51, 55]}, bathymetry: {type: flat, depth: 4000}}";
  TempDir folder;
  const auto of_table = [&](const std::string& table) {
    folder.write("f.csv", table);
    return with_source("{shape: {type: fault, file: " + (folder / "f.csv") + "}, ramp: {type: cosine, duration: 3}}", domain);
  };
  const Case table = of_table(
      "longitude, latitude, Depth (km), length(km), width (km), strike, dip, rake, slip (cm), rigidity (dyne/cm^2), Rupture Time (s), rise time\n"
      "196, 53, 12, 80, 40, 240, 15, 90, 350, 4e11, 2.5, 7\n");
  const Case same = with_source(
      "{shape: {type: fault, reference: top, rigidity: 40e9, subfaults: [{lon: 196, lat: 53, depth: 12e3, length: 80e3, width: 40e3, "
      "strike: 240, dip: 15, rake: 90, slip: 3.5, start: 2.5, rise: 7}]}, ramp: {type: cosine, duration: 3}}",
      domain);
  const auto domain_a = make_domain(table), domain_b = make_domain(same);
  const auto a = make_uplift(table, *domain_a), b = make_uplift(same, *domain_b);
  ASSERT_EQ(a.size(), 1u);
  for (const double x : {150e3, 200e3, 260e3})
    for (const double y : {150e3, 220e3}) EXPECT_NEAR(a[0].shape(x, y), b[0].shape(x, y), 1e-12);
  EXPECT_EQ(a[0].begin, 2.5);
  EXPECT_EQ(a[0].end, 9.5);
  EXPECT_NEAR(facts_of(table).fault->moment, facts_of(same).fault->moment, 1e10);

  const auto wrong = [&](const std::string& content) { return message_of(ExitCode::input, [&] { of_table(content); }); };
  expect_words(wrong("longitude,latitude,depth (mile),length,width,strike,dip,rake,slip\n196,53,12,80,40,240,15,90,3\n"),
               {"f.csv:1", "'mile'", "km, m"});
  expect_words(wrong("longitude,latitude,depth,length,width,strike,dip,rake,slip,depth (km)\n196,53,12,80,40,240,15,90,3,12\n"),
               {"f.csv:1", "there already", "'depth (km)'"});
  expect_words(wrong("longitude,latitude,depth,length,width,strike,dip,slip\n196,53,12,80,40,240,15,3\n"), {"f.csv:1", "no column rake"});
  expect_words(wrong("longitude,latitude,depth,length,width,strike,dip,rake,slip\n196,53,12,80,x,240,15,90,3\n"), {"f.csv:2", "column width", "'x'"});
  expect_words(wrong("longitude,latitude,depth,length,width,strike,dip,rake,slip\n196,53,12e3,80,4e8,240,15,90,3\n"),
               {"f.csv:2", "its width is 400000000 m"});
  expect_words(wrong("longitude,latitude,depth,length,width,strike,dip,rake,slip\n"), {"no subfaults that slip"});
}
#endif

}  // namespace
}  // namespace agwave
