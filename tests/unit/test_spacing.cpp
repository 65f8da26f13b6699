// SPDX-License-Identifier: Apache-2.0
// Graded columns and layers: what each rule promises, what a case file may say, and that a prepared file knows its columns.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "case/case_file.hpp"
#include "expect_error.hpp"
#include "mesh/mesh.hpp"
#include "mesh/spacing.hpp"
#include "source/prepared.hpp"
#include "temp_dir.hpp"
#include "terrain/domain.hpp"

namespace agwave {
namespace {

std::vector<double> widths(const std::vector<double>& faces) {
  std::vector<double> w;
  for (std::size_t i = 1; i < faces.size(); ++i) w.push_back(faces[i] - faces[i - 1]);
  return w;
}

Case mesh_case(const std::string& mesh, const std::string& bathymetry = "{type: flat, depth: 4000}") {
  return parse_case("c.yaml",
                    "domain: {size: [120e3, 60e3], bathymetry: " + bathymetry + "}\ntime: {end: 10}\nmesh: {elements: [12, 6, 4]" + mesh + "}\n", {});
}

TEST(Spacing, RulesKeepTheirPromises) {
  const Case c = mesh_case(
      ", layers: {type: geometric, ratio: 0.125}, spacing: {x: {type: focus, center: 40e3, radius: 10e3, ratio: 4}, y: [1, 1, 2, 2, 4, 5]}");
  const std::vector<double> interfaces = layer_interfaces(c.mesh);
  ASSERT_EQ(interfaces.size(), 5u);
  EXPECT_EQ(interfaces.front(), 0);
  EXPECT_EQ(interfaces.back(), 1);
  const auto layers = widths(interfaces);
  for (std::size_t k = 1; k < layers.size(); ++k) EXPECT_NEAR(layers[k] / layers[k - 1], 0.5, 1e-12);

  const auto y = widths(spaced_faces(c.mesh.spacing[1], 60e3, 6));
  const double expected[] = {4e3, 4e3, 8e3, 8e3, 16e3, 20e3};
  for (std::size_t j = 0; j < 6; ++j) EXPECT_NEAR(y[j], expected[j], 1e-8);

  const auto faces = spaced_faces(c.mesh.spacing[0], 120e3, 120);
  EXPECT_EQ(faces.front(), 0);
  EXPECT_EQ(faces.back(), 120e3);
  const auto x = widths(faces);
  EXPECT_NEAR(*std::max_element(x.begin(), x.end()) / *std::min_element(x.begin(), x.end()), 4, 0.02);
  const auto finest = static_cast<std::size_t>(std::min_element(x.begin(), x.end()) - x.begin());
  EXPECT_NEAR(0.5 * (faces[finest] + faces[finest + 1]), 40e3, x[finest]);
  const auto geometric = widths(spaced_faces({.rule = Spacing::Rule::geometric, .ratio = 3}, 120e3, 12));
  EXPECT_NEAR(geometric.back() / geometric.front(), 3, 1e-12);
}

TEST(Spacing, CaseFileErrors) {
  const auto complaint = [](const std::string& mesh) { return message_of(ExitCode::usage, [&] { mesh_case(mesh); }); };
  expect_words(complaint(", spacing: {x: [1, 2, 3]}"), {"c.yaml:3: mesh.spacing.x: does not match mesh.elements; found 3 widths; allowed: 12"});
  expect_words(complaint(", spacing: {x: {type: focus, center: 4e4, ratio: 3}}"), {"mesh.spacing.x.radius: missing"});
  expect_words(complaint(", spacing: {y: {type: geometri, ratio: 3}}"), {"mesh.spacing.y.type: unknown choice", "did you mean 'geometric'?"});
  expect_words(complaint(", spacing: {z: [1]}"), {"mesh.spacing.z: unknown key"});
  expect_words(complaint(", spacing: {x: [1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, -1]}"), {"mesh.spacing.x[11]: out of range; found -1"});
  expect_words(complaint(", layers: {type: geometric}"), {"mesh.layers.ratio: missing"});
  expect_words(complaint(", layers: {type: geometric, ratio: -2}"), {"mesh.layers.ratio: out of range"});
}

TEST(Spacing, FocusWithoutEffectIsNoted) {
  const auto note = [](const std::string& focus) {
    const Case c = mesh_case(", spacing: {x: {type: focus, " + focus + "}}");
    return focus_note(c.mesh.spacing[0], 120e3, 12, {"c.yaml", 3, "mesh.spacing.x"});
  };
  EXPECT_EQ(note("center: 40e3, radius: 10e3, ratio: 4"), "");
  EXPECT_EQ(note("center: -5e3, radius: 10e3, ratio: 4"), "");  // half of it reaches in
  EXPECT_EQ(note("center: 40e3, radius: 10e3, ratio: 1"), "");
  expect_words(note("center: 400e3, radius: 10e3, ratio: 4"),
               {"note: c.yaml:3: mesh.spacing.x: ", "the center, 400000 m, lies outside the domain, 0 to 120000 m"});
  expect_words(note("center: 45e3, radius: 50, ratio: 4"),
               {"note: c.yaml:3: mesh.spacing.x: ", "elements of 1003", "do not resolve a radius of 50 m; give a longer one, or more elements"});
  EXPECT_EQ(focus_note({}, 120e3, 12, {}), "");
}

TEST(Spacing, PreparedFilesAreOfTheirColumns) {
  const TempDir dir;
  const std::string focus = ", spacing: {x: {type: focus, center: 40e3, radius: 10e3, ratio: 4}}",
                    hill = "{type: gaussian, depth: 4000, height: 900, center: [4e4, 3e4], radius: [2e4, 1e4]}";
  Case c = mesh_case(focus, hill);
  write_prepared(c, dir / "p.h5");
  const auto domain = make_domain(c);
  const Partition part = make_partition(c.mesh.elements, {1, 1, 1}, 0);
  const Mesh direct = make_mesh(c.mesh, domain->size, part, *make_bathymetry(c, *domain));
  c.domain.bathymetry = PreparedBathymetry{dir / "p.h5", {}};
  EXPECT_EQ(make_mesh(c.mesh, domain->size, part, *make_bathymetry(c, *domain)).depth, direct.depth);
  Case even = mesh_case("", hill);
  even.domain.bathymetry = c.domain.bathymetry;
  expect_words(message_of(ExitCode::input, [&] { make_bathymetry(even, *domain); }), {"another mesh.spacing.x", "agwave prepare"});
}

}  // namespace
}  // namespace agwave
