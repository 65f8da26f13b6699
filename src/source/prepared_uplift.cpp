// SPDX-License-Identifier: Apache-2.0
// Uplift slices from a prepared file: at a GLL node of the mesh the stored value to the bit, elsewhere (sensors) the
// order-4 interpolant of the element, 0 outside the stored box.
#include <algorithm>
#include <cmath>

#include "error/error.hpp"
#include "mesh/basis.hpp"
#include "mesh/spacing.hpp"
#include "source/prepared.hpp"
#include "terrain/grid.hpp"
#include "terrain/prepared.hpp"
#include "terrain/prepared_reader.hpp"

namespace agwave {
namespace {

// The weights of a position along one axis on the five nodes of its element; a node within 1e-6 of the element's size gets all.
struct Stencil {
  std::int64_t first = 0;  // global index of the element's first node
  std::array<double, D1D> weights{};

  Stencil(const std::vector<double>& faces, double v) {
    const std::size_t e = locate(faces, std::clamp(v, faces.front(), faces.back())).k;
    const double r = 2 * (v - faces[e]) / (faces[e + 1] - faces[e]) - 1;
    first = 4 * static_cast<std::int64_t>(e);
    for (int i = 0; i < D1D; ++i) {
      weights[i] = detail::lagrange<D1D>(gll.x, i, r);
      if (std::abs(r - gll.x[i]) <= 2e-6) {
        weights.fill(0);
        weights[i] = 1;
        return;
      }
    }
  }
};

struct Box {
  std::array<std::vector<double>, 2> faces;
  std::int64_t first_i, first_j, nx, ny;
  std::vector<double> values;  // [time][y][x]

  double at(std::size_t k, double x, double y) const {
    const Stencil sx(faces[0], x), sy(faces[1], y);
    double sum = 0;
    for (int b = 0; b < D1D; ++b) {
      const std::int64_t j = sy.first + b - first_j;
      if (sy.weights[b] == 0 || j < 0 || j >= ny) continue;
      for (int a = 0; a < D1D; ++a) {
        const std::int64_t i = sx.first + a - first_i;
        if (sx.weights[a] == 0 || i < 0 || i >= nx) continue;
        sum += sx.weights[a] * sy.weights[b] * values[(static_cast<std::int64_t>(k) * ny + j) * nx + i];
      }
    }
    return sum;
  }
};

}  // namespace

UpliftSlices read_prepared_uplift(const Case& c, const PreparedBathymetry& prepared, std::size_t source, const UpliftFile& of) {
  const PreparedReader reader(c, prepared);
  const auto group = reader.group(text("uplift_", source));
  reader.require_file(group.get(), of.file, of.variable, "", text(" as source ", source));
  std::vector<hsize_t> extent, count;
  auto box = std::make_shared<Box>();
  for (const int d : {0, 1}) box->faces[d] = spaced_faces(c.mesh.spacing[d], reader.size[d], reader.elements[d]);
  box->first_i = reader.integer(group.get(), "first_i");
  box->first_j = reader.integer(group.get(), "first_j");
  box->values = reader.array(group.get(), "values", extent);
  UpliftSlices slices{text(prepared.file, ": uplift_", source),
                      reader.words(group.get(), "file"),
                      reader.words(group.get(), "variable"),
                      reader.array(group.get(), "times", count),
                      {},
                      {}};
  if (extent.size() != 3 || extent[0] != std::max<hsize_t>(slices.times.size(), 1)) reader.fail("has an uplift of the wrong shape");
  box->ny = static_cast<std::int64_t>(extent[1]);
  box->nx = static_cast<std::int64_t>(extent[2]);
  const std::size_t size = extent[1] * extent[2];
  for (std::size_t k = 0; k < extent[0]; ++k) {
    const double* slice = box->values.data() + k * size;
    slices.zero.push_back(std::all_of(slice, slice + size, [](double v) { return v == 0; }));
    slices.shapes.push_back([box, k](double x, double y) { return box->at(k, x, y); });
  }
  return slices;
}

}  // namespace agwave
