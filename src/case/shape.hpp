// SPDX-License-Identifier: Apache-2.0
// The shapes of sources, `sources[].shape` of the case file. Adding one is adding one file (src/source/shapes/) with a class and a static
// `RegisterShape`: the reader of the case file, its schema, the reference page and the tests read the list.
#pragma once
#include <filesystem>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "case/schema.hpp"
#include "case/section.hpp"

namespace agwave {

class Domain;         // terrain/domain.hpp
struct SourceFacts;   // source/source_facts.hpp
struct SourceTerms;   // source/uplift.hpp
struct UpliftSlices;  // source/uplift_grid.hpp

// What one shape of a case says; immutable.
class Shape {
 public:
  virtual ~Shape() = default;
  // Adds what source n of the case, which has this shape, does in the domain, which must outlive it.
  virtual void add_terms(const Case& c, std::size_t n, const Domain& domain, SourceTerms& to) const = 0;
  // Reports what the shape does not go with in `given`, read from the map `source` around it.
  virtual void check(const Section& /*source*/, const SourceCase& /*given*/) const {}
  virtual std::vector<Place> places() const { return {}; }                                     // whose x, y a prepared file must know
  virtual std::shared_ptr<const UpliftSlices> slices(const Domain&) const { return nullptr; }  // what a prepared file keeps
  virtual void add_facts(const SourceCase&, const Domain&, SourceFacts&) const {}              // what only the shape knows
  virtual std::string note(const SourceCase&) const { return ""; }                             // lines that the user should read
};

// A shape and its ramp as YAML, for the tests, in a domain of 80 by 60 km; `content` is that of the file it names, beside the case.
struct ShapeExample {
  std::string_view shape, ramp = "{type: smoothstep, start: 1, duration: 4}", file{}, content{};
};

struct ShapeKind {
  std::string_view type, description;  // one line
  int place = 100;                     // in lists; kinds of one place by type
  bool needs_ramp = true;
  std::vector<Row> rows{};  // its keys; without `group`: of sources[].shape, for this type
  std::shared_ptr<const Shape> (*read)(const Section& shape, const Geography& geography, const std::filesystem::path& folder) = nullptr;
  ShapeExample example{};
};

template <class S>
std::shared_ptr<const Shape> read_as(const Section& shape, const Geography& geography, const std::filesystem::path& folder) {
  return std::make_shared<const S>(shape, geography, folder);
}

const std::vector<ShapeKind>& shape_kinds();

struct RegisterShape {
  explicit RegisterShape(ShapeKind kind);
};

// Null for a type that there is not, which the section has reported.
std::shared_ptr<const Shape> read_shape(const Section& shape, const Geography& geography, const std::filesystem::path& folder);

}  // namespace agwave
