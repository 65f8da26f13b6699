// SPDX-License-Identifier: Apache-2.0
// Shapes of sources from numbers, the examples that they bring, and what a source of a case does.
#pragma once
#include <array>
#include <cmath>
#include <memory>
#include <string>

#include "case/case_file.hpp"
#include "case/shape.hpp"
#include "error/error.hpp"
#include "source/uplift.hpp"
#include "temp_dir.hpp"

namespace agwave {

inline std::string yaml(double v) { return std::isinf(v) ? ".inf" : text(v); }
inline std::string yaml(const std::array<double, 2>& v) { return "[" + yaml(v[0]) + ", " + yaml(v[1]) + "]"; }

using ShapePointer = std::shared_ptr<const Shape>;
inline ShapePointer make_shape(const std::string& yaml, const Geography& geography = {}) {
  Findings findings("shape");
  const Tree tree = parse_tree(yaml);
  ShapePointer shape = read_shape(Section(findings, &tree, 1, "shape", "sources[].shape"), geography, {});
  findings.raise();
  return shape;
}
inline ShapePointer gaussian(const std::array<double, 2>& center, const std::array<double, 2>& radius) {
  return make_shape("{type: gaussian, center: " + yaml(center) + ", radius: " + yaml(radius) + "}");
}
inline ShapePointer modal(int m, int n) { return make_shape(text("{type: modal, modes: [", m, ", ", n, "]}")); }
inline ShapePointer patch(const std::array<double, 2>& x, const std::array<double, 2>& y, double taper) {
  return make_shape("{type: patch, x: " + yaml(x) + ", y: " + yaml(y) + ", taper: " + yaml(taper) + "}");
}

// The example of a kind as the one source of a closed box over a seamount; `dir` gets the file that it names.
inline Case example_case(const ShapeKind& kind, const TempDir& dir, std::string_view ramp) {
  if (!kind.example.file.empty()) dir.write(std::string(kind.example.file), std::string(kind.example.content));
  return parse_case(
      dir / "c.yaml",
      text("domain:\n  size: [80e3, 60e3]\n  bathymetry: {type: gaussian, depth: 4000, height: 1500, center: [40e3, 30e3], radius: [12e3, 9e3]}\n"
           "mesh: {elements: [4, 3, 2]}\nboundary: {west: rigid, east: rigid, south: rigid, north: rigid}\ntime: {end: 6}\n"
           "sensors: {interval: 0.5}\nsources:\n- shape: ",
           kind.example.shape, "\n", ramp.empty() ? "" : "  ramp: ", ramp, "\n"),
      {});
}

// Of source n alone.
inline SourceTerms terms_of(const Case& c, std::size_t n, const Domain& domain) {
  SourceTerms terms;
  c.sources[n].shape->add_terms(c, n, domain, terms);
  return terms;
}

}  // namespace agwave
