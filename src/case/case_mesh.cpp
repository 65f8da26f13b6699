// SPDX-License-Identifier: Apache-2.0
// Reads the mesh from the case file: layers and spacing as lists or rules, and whether they match the elements.
#include <limits>

#include "case/case_parts.hpp"
#include "error/error.hpp"

namespace agwave {
namespace {

bool is_map(const Section& section, const char* key) { return section.tree(key) && section.tree(key)->kind == Tree::Kind::map; }
bool is_list(const Section& section, const char* key) { return section.tree(key) && section.tree(key)->kind == Tree::Kind::list; }

void read_layers(const Section& mesh, std::int64_t nz, MeshCase& result) {
  if (is_map(mesh, "layers")) {
    const Section rule = mesh.section("layers");
    result.spacing[2] = {.rule = Spacing::Rule::geometric, .ratio = rule.number("ratio")};
    return;
  }
  const std::vector<double> layers = mesh.numbers("layers");
  for (std::size_t i = 1; i < layers.size(); ++i) {
    if (layers[i] <= layers[i - 1]) {
      const std::string found = text(layers[i - 1], ", then ", layers[i]);
      mesh.report("layers", text("entry ", i, " does not increase"), {found, "strictly increasing, 0 to 1"});
    }
  }
  const bool listed = is_list(mesh, "layers");
  if (listed && !layers.empty() && (layers.front() != 0 || layers.back() != 1)) {
    const std::string found = text(layers.front(), " to ", layers.back());
    mesh.report("layers", "must run from 0 at the floor to 1 at the surface", {found, "0 to 1"});
  }
  if (nz > 0 && listed && !layers.empty() && layers.size() != static_cast<std::size_t>(nz) + 1) {
    const std::string allowed = text(nz + 1, " for ", nz, " elements along z");
    mesh.report("layers", "does not match mesh.elements", {text(layers.size(), " interfaces"), allowed});
  }
  if (listed) result.interfaces = layers;
}

Spacing read_spacing(const Section& spacing, const char* key, std::int64_t n) {
  Spacing result;
  if (is_map(spacing, key)) {
    const Tree& map = *spacing.tree(key);
    const Section rule(spacing.findings(), &map, map.line, spacing.mark(key).key, "mesh.spacing.*");
    if (rule.type().empty()) return result;
    result.rule = rule.type() == "focus" ? Spacing::Rule::focus : Spacing::Rule::geometric;
    result.ratio = rule.number("ratio");
    if (result.rule == Spacing::Rule::focus) {
      result.center = rule.number("center");
      result.radius = rule.number("radius");
    }
    return result;
  }
  result.widths = spacing.numbers(key);
  if (result.widths.empty()) return result;
  result.rule = Spacing::Rule::widths;
  if (n > 0 && result.widths.size() != static_cast<std::size_t>(n)) {
    const std::string found = text(result.widths.size(), " widths"), allowed = text(n, ", one for each column of elements along ", key);
    spacing.report(key, "does not match mesh.elements", {found, allowed});
  }
  return result;
}

}  // namespace

MeshCase read_mesh(const Section& mesh) {
  MeshCase result;
  result.mark = mesh.mark();
  result.order = mesh.text("order") == "1" ? 1 : 4;
  const std::vector<double> elements = mesh.numbers("elements");
  if (elements.size() == 3) {
    for (std::size_t d = 0; d < 3; ++d) result.elements[d] = whole(elements[d]);
    // 256 unknowns per element of order 4: 64 of pressure, shared ones counted once, and three times 64 of velocity; the
    // nodes of the outer faces come on top, less than doubling a mesh of one element
    const double dofs = 256.0 * 2 * elements[0] * elements[1] * elements[2];
    if (dofs > static_cast<double>(std::numeric_limits<std::int64_t>::max())) {
      const char* allowed = "elements whose product is below 1.8e16";
      mesh.report("elements", "too many unknowns for 64-bit counts", {text(dofs), allowed, "give fewer"});
    }
  }
  read_layers(mesh, result.elements[2], result);
  if (mesh.has("spacing")) {
    const Section spacing = mesh.section("spacing");
    for (const int d : {0, 1}) result.spacing[d] = read_spacing(spacing, d == 0 ? "x" : "y", result.elements[d]);
  }
  return result;
}

}  // namespace agwave
