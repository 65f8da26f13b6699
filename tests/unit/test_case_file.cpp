// SPDX-License-Identifier: Apache-2.0
// Case files that are right: every default, every kind of shape, ramp and sensor list, --set, the shipped configs. How
// wrong ones are reported is in test_case_errors.cpp.
#include <gtest/gtest.h>

#include <cmath>
#include <filesystem>
#include <fstream>
#include <sstream>

#include "case/case_file.hpp"
#include "case/schema.hpp"
#include "error/error.hpp"
#include "expect_error.hpp"
#include "mesh/spacing.hpp"
#include "shapes.hpp"

#ifndef AGWAVE_SOURCE_DIR
#define AGWAVE_SOURCE_DIR "."
#endif

namespace agwave {
namespace {

const std::string minimal = R"(domain:
  size: [80000, 60000]
  bathymetry: {type: flat, depth: 4000}
mesh: {elements: [4, 3, 2]}
time: {end: 10}
)";
const std::string geographic = R"(domain:
  lonlat: {lon: [193, 201], lat: [50.2, 53.2]}
  bathymetry: {type: grid, file: etopo.nc}
mesh: {elements: [4, 3, 2]}
time: {end: 10}
)";

Case parse(const std::string& source, const std::vector<std::string>& overrides = {}) { return parse_case("cases/a.yaml", source, overrides); }

Case parse_bathymetry(const std::string& bathymetry) { return parse(minimal, {"domain.bathymetry=" + bathymetry}); }

std::string write_file(const std::string& name, const std::string& content) {
  const std::filesystem::path path = std::filesystem::temp_directory_path() / ("agwave_case_file_" + name);
  std::ofstream(path) << content;
  return path.string();
}

TEST(CaseFile, Defaults) {
  const Case c = parse(minimal);
  EXPECT_EQ(c.title, "");
  EXPECT_EQ(c.file, "cases/a.yaml");
  EXPECT_EQ(c.source, minimal);
  EXPECT_EQ(c.domain.size->at(0), 80000);
  EXPECT_EQ(c.domain.size->at(1), 60000);
  EXPECT_FALSE(c.domain.lonlat);
  EXPECT_EQ(std::get<FlatBathymetry>(c.domain.bathymetry).depth, 4000);
  EXPECT_EQ(c.mesh.elements, (std::array<std::int64_t, 3>{4, 3, 2}));
  EXPECT_EQ(c.mesh.order, 4);
  EXPECT_EQ(layer_interfaces(c.mesh), (std::vector<double>{0, 0.5, 1}));
  EXPECT_EQ(c.ocean.density, 1025);
  EXPECT_EQ(c.ocean.sound_speed, 1500);
  EXPECT_EQ(c.ocean.gravity, 9.81);
  for (const Wall wall : {c.boundary.west, c.boundary.east, c.boundary.south, c.boundary.north}) EXPECT_EQ(wall, Wall::absorbing);
  EXPECT_EQ(c.boundary.surface, Surface::gravity);
  EXPECT_TRUE(c.sources.empty());
  EXPECT_EQ(c.time.end, 10);
  EXPECT_FALSE(c.time.step);
  EXPECT_EQ(c.time.safety, 0.9);
  EXPECT_FALSE(c.sensors.interval);
  EXPECT_TRUE(c.sensors.seafloor.empty() && c.sensors.hydrophones.empty() && c.sensors.surface.empty());
  EXPECT_TRUE(c.seafloor_grids.empty() && c.surface_grids.empty());
  EXPECT_EQ(c.output.directory, "cases/results/a");
  EXPECT_EQ(c.output.surface_interval, 0);
  EXPECT_EQ(c.output.volume_interval, 0);
  EXPECT_EQ(c.output.checkpoint_interval, 0);
  EXPECT_EQ(c.solver.device, "auto");
  EXPECT_EQ(c.solver.variant, "auto");
  EXPECT_EQ(c.solver.exchange, "auto");
  EXPECT_EQ(c.solver.quadrature, 4);
  EXPECT_FALSE(c.parallel.grid);
}

TEST(CaseFile, EveryKeyOfTheSimpleSections) {
  const Case c = parse("title: 'A: 1'\n" + minimal + R"(ocean: {density: 1000, sound_speed: 1.45e3, gravity: +9.8}
boundary: {west: rigid, north: rigid, surface: rigid}
output: {directory: out, surface_interval: 2.5}
solver: {device: cuda, variant: two-sweep-2, quadrature: 5, exchange: staged}
parallel: {grid: [2, 1, 1]}
)",
                       {"mesh.order=1", "mesh.layers=[0, 0.7, 1]", "time={end: 10, step: 0.25, safety: 1}"});
  EXPECT_EQ(c.title, "A: 1");
  EXPECT_EQ(c.ocean.density, 1000);
  EXPECT_EQ(c.ocean.sound_speed, 1450);
  EXPECT_EQ(c.ocean.gravity, 9.8);
  EXPECT_EQ(c.boundary.west, Wall::rigid);
  EXPECT_EQ(c.boundary.east, Wall::absorbing);
  EXPECT_EQ(c.boundary.south, Wall::absorbing);
  EXPECT_EQ(c.boundary.north, Wall::rigid);
  EXPECT_EQ(c.boundary.surface, Surface::rigid);
  EXPECT_EQ(c.output.directory, "cases/out");
  EXPECT_EQ(c.output.surface_interval, 2.5);
  EXPECT_EQ(c.solver.device, "cuda");
  EXPECT_EQ(c.solver.variant, "two-sweep-2");
  EXPECT_EQ(c.solver.quadrature, 5);
  EXPECT_EQ(c.solver.exchange, "staged");
  EXPECT_EQ(*c.parallel.grid, (std::array<int, 3>{2, 1, 1}));
  EXPECT_EQ(c.mesh.order, 1);
  EXPECT_EQ(c.mesh.interfaces, (std::vector<double>{0, 0.7, 1}));
  EXPECT_EQ(*c.time.step, 0.25);
  EXPECT_EQ(c.time.safety, 1);
}

TEST(CaseFile, Bathymetries) {
  const auto cosine = std::get<CosineBathymetry>(parse_bathymetry("{type: cosine, depth: 4000, amplitude: -0.1, waves: [1, 2]}").domain.bathymetry);
  EXPECT_EQ(cosine.amplitude, -0.1);
  EXPECT_EQ(cosine.waves[1], 2);
  const auto hill = std::get<GaussianBathymetry>(
      parse_bathymetry("{type: gaussian, depth: 4000, height: 2000, center: [1e4, 2e4], radius: [5e3, .inf]}").domain.bathymetry);
  EXPECT_EQ(hill.height, 2000);
  EXPECT_EQ(hill.center[1], 2e4);
  EXPECT_TRUE(std::isinf(hill.radius[1]));
  const auto margin = std::get<MarginBathymetry>(parse_bathymetry("{type: margin, shelf_edge: 60e3}").domain.bathymetry);
  const MarginBathymetry expected;
  EXPECT_EQ(margin.shelf_edge, 60e3);
  EXPECT_EQ(margin.shelf_depth, expected.shelf_depth);
  EXPECT_EQ(margin.abyssal_depth, expected.abyssal_depth);
  EXPECT_EQ(margin.trench_depth, expected.trench_depth);
  EXPECT_EQ(margin.slope_width, expected.slope_width);
  EXPECT_EQ(margin.trench_width, expected.trench_width);
  EXPECT_EQ(margin.undulation, expected.undulation);
  EXPECT_EQ(margin.wavelength, expected.wavelength);
  const auto grid = std::get<GridBathymetry>(parse_bathymetry("{type: grid, file: ../gebco.nc}").domain.bathymetry);
  EXPECT_EQ(grid.file, "../gebco.nc");
  EXPECT_EQ(grid.variable, "");
  EXPECT_FALSE(grid.min_depth);
  EXPECT_EQ(grid.smoothing, 0);
  EXPECT_EQ(to_string(grid.mark), "--set: domain.bathymetry.file");
  const auto full =
      std::get<GridBathymetry>(parse_bathymetry("{type: grid, file: /d/g.nc, variable: z, min_depth: 50, smoothing: 2000}").domain.bathymetry);
  EXPECT_EQ(full.file, "/d/g.nc");
  EXPECT_EQ(full.variable, "z");
  EXPECT_EQ(*full.min_depth, 50);
  EXPECT_EQ(full.smoothing, 2000);
  EXPECT_EQ(std::get<PreparedBathymetry>(parse_bathymetry("{type: prepared, file: d.h5}").domain.bathymetry).file, "d.h5");
}

// From the file's folder if they stand in the file, from where the command is typed if they stand there; and what a restart compares does not depend on it.
TEST(CaseFile, PathsCountFromWhereTheyAreWritten) {
  const std::string bathymetry = "{type: grid, files: [a/fine.nc, /d/coarse.nc]}";
  const auto of_file = [&](const std::string& yaml, const std::vector<std::string>& overrides = {}) {
    std::string source = minimal;
    source.replace(source.find("bathymetry:"), source.find('\n', source.find("bathymetry:")) - source.find("bathymetry:"), "bathymetry: " + yaml);
    return parse(source, overrides);
  };
  const auto grid = [](const Case& c) {
    const auto& g = std::get<GridBathymetry>(c.domain.bathymetry);
    std::vector<std::string> files{g.file};
    files.insert(files.end(), g.coarser.begin(), g.coarser.end());
    return files;
  };
  EXPECT_EQ(grid(of_file(bathymetry)), (std::vector<std::string>{"cases/a/fine.nc", "/d/coarse.nc"}));
  const Case typed = parse_bathymetry(bathymetry);
  EXPECT_EQ(grid(typed), (std::vector<std::string>{"a/fine.nc", "/d/coarse.nc"}));
  EXPECT_EQ(grid(of_file("{type: grid, files: [x.nc, y.nc]}", {"domain.bathymetry.files[1]=z.nc"})),
            (std::vector<std::string>{"cases/x.nc", "z.nc"}));

  const auto directory = [](const std::vector<std::string>& overrides) { return parse(minimal, overrides).output.directory; };
  EXPECT_EQ(directory({}), "cases/results/a");
  EXPECT_EQ(directory({"output.directory=there"}), "there");
  EXPECT_EQ(directory({"output.directory=/there"}), "/there");
  EXPECT_EQ(directory({"output={directory: there}"}), "there");
  EXPECT_EQ(parse_case("a.yaml", minimal, {"output.directory=there"}).output.directory, "there");

  const auto same = of_file("{type: grid, files: [../a/fine.nc, /d/coarse.nc]}");
  for (const CaseKey& key : typed.keys)
    if (key.path == "domain.bathymetry.files") {
      EXPECT_EQ(key.value, "[../a/fine.nc, /d/coarse.nc]");
    }
  EXPECT_EQ(grid(same), grid(typed));
}

TEST(CaseFile, SourcesAndRamps) {
  const Case c = parse(minimal + R"(sources:
  - shape: {type: gaussian, center: [4e4, 3e4], radius: [.inf, 12e3]}
    ramp: {type: smoothstep, duration: 10}
  - shape: {type: modal, modes: [1, 0]}
    amplitude: -0.5
    ramp: {type: cosine, start: 1, duration: 2}
    motion: normal
  - shape: {type: patch, x: [1e4, 3e4], y: [2e4, 3e4]}
    ramp: {type: linear, duration: 5}
  - shape: {type: grid, file: up.nc}
  - shape: {type: grid, file: up.nc, variable: dz}
    ramp: {type: gaussian, center: 30, sigma: 4}
  - shape: {type: patch, x: [1e4, 3e4], y: [2e4, 3e4], taper: 5000}
    ramp: {type: smoothstep, start: 1, duration: 5, order: 5}
)");
  ASSERT_EQ(c.sources.size(), 6u);
  const auto domain = make_domain(c);
  const auto height = [&](std::size_t n, double x, double y) { return terms_of(c, n, *domain).uplift.at(0).shape(x, y); };
  EXPECT_EQ(height(0, 4e4, 3e4), 1);
  EXPECT_EQ(height(0, 0, 3e4), 1);  // infinite along x
  EXPECT_NEAR(height(0, 4e4, 42e3), std::exp(-0.5), 1e-15);
  EXPECT_EQ(c.sources[0].shape->places()[0].x, 4e4);
  EXPECT_FALSE(c.sources[0].shape->places()[0].geographic);
  EXPECT_EQ(c.sources[0].amplitude, 1);
  EXPECT_EQ(c.sources[0].motion, Motion::vertical);
  EXPECT_EQ(c.sources[0].ramp->type, Ramp::Type::smoothstep);
  EXPECT_EQ(c.sources[0].ramp->start, 0);
  EXPECT_EQ(c.sources[0].ramp->duration, 10);
  EXPECT_EQ(c.sources[0].ramp->order, 2);
  EXPECT_EQ(to_string(c.sources[0].mark), "cases/a.yaml:7: sources[0]");
  EXPECT_NEAR(height(1, 2e4, 13e3), -0.5 * std::sqrt(0.5), 1e-15);
  EXPECT_EQ(c.sources[1].amplitude, -0.5);
  EXPECT_EQ(c.sources[1].motion, Motion::normal);
  EXPECT_EQ(c.sources[1].ramp->type, Ramp::Type::cosine);
  EXPECT_EQ(height(2, 3e4, 2e4), 1);
  EXPECT_EQ(height(2, 30001, 2e4), 0);
  EXPECT_EQ(height(2, 3e4, 19999), 0);
  EXPECT_EQ(c.sources[2].ramp->type, Ramp::Type::linear);
  EXPECT_FALSE(c.sources[3].ramp);
  expect_words(message_of(ExitCode::input, [&] { height(4, 0, 0); }), {"cases/a.yaml:16: sources[4].shape.file", "cases/up.nc"});
  EXPECT_EQ(c.sources[4].ramp->center, 30);
  EXPECT_EQ(c.sources[4].ramp->sigma, 4);
  EXPECT_NEAR(height(5, 12500, 25e3), 0.5, 1e-15);  // half way up
  EXPECT_EQ(c.sources[5].ramp->order, 5);
  EXPECT_TRUE(parse(minimal + "sources: []\n").sources.empty());
  EXPECT_TRUE(parse(minimal + "sources:\nsensors:\n").sources.empty());  // entries commented out
}

TEST(CaseFile, LonLat) {
  const Case c = parse(geographic + R"(sources:
  - shape: {type: gaussian, center: {lon: 197, lat: 52}, radius: [8e3, 9e3]}
    ramp: {type: linear, duration: 5}
sensors: {interval: 1, seafloor: [{name: A, lon: -163.5, lat: 51}, {name: B, x: 10, y: 20}]}
)");
  EXPECT_FALSE(c.domain.size);
  EXPECT_EQ(c.domain.lonlat->lon.max, 201);
  EXPECT_EQ(c.domain.lonlat->lat.min, 50.2);
  EXPECT_TRUE(c.sources[0].shape->places()[0].geographic);
  EXPECT_EQ(c.sources[0].shape->places()[0].y, 52);
  EXPECT_TRUE(c.sensors.seafloor[0].place.geographic);
  EXPECT_EQ(c.sensors.seafloor[0].place.x, -163.5);
  EXPECT_FALSE(c.sensors.seafloor[1].place.geographic);
}

TEST(CaseFile, SensorLists) {
  const std::string metres = write_file("m.csv",
                                        "\xEF\xBB\xBF# a comment\r\n"
                                        "Y, name ,x\r\n\r\n30, \"A, 1\" ,10\r\n  # another\r\n40,\"B\"\"2\",+2e1\r\n");
  const std::string degrees = write_file("d.csv", "name,lat,lon,z\nH1,51,197,-10.5");
  const Case c = parse(geographic + "sensors:\n  interval: 0.5\n  seafloor:\n    - {name: A, x: 1, y: 2}\n    - file: " + metres +
                       "\n    - {grid: {counts: [10, 5], margin: 5000}}\n    - {name: 12, x: 3, y: 4}\n  hydrophones: {file: " + degrees +
                       "}\n  surface: {grid: {counts: [2, 3]}}\n");
  ASSERT_EQ(c.sensors.seafloor.size(), 4u);
  EXPECT_EQ(c.sensors.seafloor[1].name, "A, 1");
  EXPECT_EQ(c.sensors.seafloor[1].place.x, 10);
  EXPECT_EQ(c.sensors.seafloor[1].place.y, 30);
  EXPECT_EQ(to_string(c.sensors.seafloor[1].mark), metres + ":4: A, 1");
  EXPECT_EQ(c.sensors.seafloor[2].name, "B\"2");
  EXPECT_EQ(c.sensors.seafloor[2].place.x, 20);
  EXPECT_EQ(c.sensors.seafloor[3].name, "12");
  EXPECT_EQ(to_string(c.sensors.seafloor[3].mark), "cases/a.yaml:12: sensors.seafloor[3]");
  ASSERT_EQ(c.sensors.hydrophones.size(), 1u);
  EXPECT_TRUE(c.sensors.hydrophones[0].place.geographic);
  EXPECT_EQ(c.sensors.hydrophones[0].place.x, 197);
  EXPECT_EQ(c.sensors.hydrophones[0].z, -10.5);
  ASSERT_EQ(c.seafloor_grids.size(), 1u);
  EXPECT_EQ(c.seafloor_grids[0].counts, (std::array<int, 2>{10, 5}));
  EXPECT_EQ(c.seafloor_grids[0].margin, 5000);
  ASSERT_EQ(c.surface_grids.size(), 1u);
  EXPECT_EQ(c.surface_grids[0].margin, 0);
  EXPECT_EQ(*c.sensors.interval, 0.5);
}

TEST(CaseFile, LinesOfHydrophones) {
  const Case c = parse(geographic +
                       "sensors:\n  interval: 1\n  hydrophones:\n    - {line: {name: L, from: [1e3, 2e3, -100], to: [10e3, 2e3, -1000], count: 10}}\n"
                       "    - {name: A, x: 1, y: 2, z: -3}\n    - {line: {lon: [196, 198], lat: [51, 52], z: [-5, -5], count: 3}}\n");
  const std::vector<SensorCase>& list = c.sensors.hydrophones;
  ASSERT_EQ(list.size(), 14u);
  EXPECT_EQ(list[0].name, "L01");
  EXPECT_EQ(list[9].name, "L10");
  EXPECT_EQ(list[3].place.x, 4e3);
  EXPECT_EQ(list[3].place.y, 2e3);
  EXPECT_EQ(list[3].z, -400);
  EXPECT_EQ(to_string(list[3].mark), "cases/a.yaml:9: sensors.hydrophones[0].line");
  EXPECT_EQ(list[10].name, "A");
  EXPECT_EQ(list[12].name, "line2");
  EXPECT_TRUE(list[12].place.geographic);
  EXPECT_EQ(list[12].place.x, 197);
  EXPECT_EQ(list[12].place.y, 51.5);
  EXPECT_EQ(list[12].z, -5);
  EXPECT_EQ(parse(minimal + "sensors: {interval: 1, hydrophones: {line: {from: [1, 1, -9], to: [1, 1, -1], count: 5}}}\n").sensors.hydrophones.size(),
            5u);
  const Case over = parse(geographic + "sensors: {interval: 1, hydrophones: {line: {lon: [175, -175], lat: [51, 52], z: [-5, -5], count: 3}}}\n");
  EXPECT_EQ(over.sensors.hydrophones[1].place.x, 180);  // the date line, not the other way round
}

TEST(CaseFile, IntervalsThatAreNotBinaryFractions) {
  EXPECT_NO_THROW(parse(minimal + "sensors: {interval: 0.1}\noutput: {surface_interval: 0.3}\n", {"time.end=0.9", "time.step=0.0125"}));
  EXPECT_NO_THROW(parse(minimal + "output: {surface_interval: 2.5}\n", {"time.step=0.1"}));
  EXPECT_NO_THROW(parse(minimal, {"time.step=0.1"}));
}

TEST(CaseFile, Overrides) {
  const std::string sources = "sources:\n  - shape: {type: modal, modes: [1, 0]}\n    ramp: {type: linear, duration: 5}";
  const std::vector<std::string> overrides = {
      "sources[0].amplitude=2", "sources.0.shape.modes[1]=3", "solver.device=cpu", "title=a=b", "mesh.elements=[5,5,1]", "ocean.density=~"};
  const Case c = parse(minimal + sources, overrides);
  EXPECT_EQ(c.sources[0].amplitude, 2);
  EXPECT_NEAR(terms_of(c, 0, *make_domain(c)).uplift[0].shape(0, 1e4), 2 * std::cos(3 * M_PI / 6), 1e-15);
  EXPECT_EQ(c.solver.device, "cpu");
  EXPECT_EQ(c.title, "a=b");
  EXPECT_EQ(c.mesh.elements[2], 1);
  EXPECT_EQ(layer_interfaces(c.mesh), (std::vector<double>{0, 1}));
  EXPECT_EQ(c.source, minimal + sources +
                          "\n# --set sources[0].amplitude=2\n# --set sources.0.shape.modes[1]=3\n# --set solver.device=cpu\n"
                          "# --set title=a=b\n# --set mesh.elements=[5,5,1]\n# --set ocean.density=~\n");
  EXPECT_NO_THROW(parse(c.source));                                                                // the record is itself a case file
  EXPECT_FALSE(parse(geographic, {"domain.lonlat=~", "domain.size=[1000, 1000]"}).domain.lonlat);  // null removes a key
}

TEST(CaseFile, AnchorsAreCopied) {
  const Case c = parse(minimal +
                       "sources:\n  - shape: {type: modal, modes: [1, 0]}\n    ramp: &r {type: linear, duration: 5}\n"
                       "  - shape: {type: modal, modes: [2, 0]}\n    ramp: *r\n");
  EXPECT_EQ(c.sources[1].ramp->duration, 5);
}

TEST(CaseFile, ShippedConfigs) {
  for (const char* name : {"quickstart", "aleutian", "flat_box", "unimak", "hawaii"}) {
    const std::string path = std::string(AGWAVE_SOURCE_DIR) + "/configs/" + name + ".yaml";
    std::ifstream stream(path);
    ASSERT_TRUE(stream) << path;
    std::stringstream source;
    source << stream.rdbuf();
    EXPECT_NO_THROW({
      const Case c = parse_case(path, source.str(), {});
      EXPECT_FALSE(c.sources.empty());
      EXPECT_GT(c.sensors.seafloor.size(), 0u);
    }) << path;
  }
}

TEST(Schema, VariablesAreFoundByTheirAttributes) {
  EXPECT_EQ(std::get<GridBathymetry>(parse_bathymetry("{type: grid, file: g.nc}").domain.bathymetry).variable, "");
  EXPECT_NE(schema_reference().find("| found by its attributes |"), std::string::npos);
}

TEST(Schema, EveryRowIsDocumentedAndInTheReference) {
  const std::string page = schema_reference();
  for (const Row& row : schema()) {
    EXPECT_FALSE(row.doc.empty() || row.fallback.empty()) << row.group << " " << row.key;
    EXPECT_NE(page.find("| `" + std::string(row.key) + "` |"), std::string::npos) << row.key;
  }
}

}  // namespace
}  // namespace agwave
