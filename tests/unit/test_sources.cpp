// SPDX-License-Identifier: Apache-2.0
// Every registered shape of a source, by the example that it brings: read from a case file, finite, at rest before it begins and after it
// ends, and with rates that are those of its values. tests/cases/test_displaced_volume.cpp runs the same examples.
#include <gtest/gtest.h>

#include <algorithm>
#include <set>

#include "case/schema.hpp"
#include "shapes.hpp"
#include "terrain/domain.hpp"

namespace agwave {
namespace {

class EveryShape : public testing::TestWithParam<ShapeKind> {
 protected:
  const TempDir dir_;
  const Case case_ = example_case(GetParam(), dir_, GetParam().example.ramp);
  const std::unique_ptr<Domain> domain_ = make_domain(case_);
  const SourceTerms terms_ = make_terms(case_, *domain_);
  std::vector<TimeSeries> series() const {
    std::vector<TimeSeries> all(terms_.uplift.begin(), terms_.uplift.end());
    all.insert(all.end(), terms_.points.begin(), terms_.points.end());
    return all;
  }
};

TEST_P(EveryShape, MovesTheFloorByFiniteHeightsOrAddsWater) {
  ASSERT_FALSE(series().empty());
  double largest = 0;
  for (const PointTerm& term : terms_.points) {
    EXPECT_TRUE(std::isfinite(term.x) && std::isfinite(term.y) && term.z <= 0 && std::isfinite(term.volume));
    largest = std::max(largest, std::abs(term.volume));
  }
  for (const UpliftTerm& term : terms_.uplift)
    for (int j = -1; j <= 31; ++j)
      for (int i = -1; i <= 41; ++i) {
        const double x = 80e3 * i / 40, y = 60e3 * j / 30, height = term.shape(x, y);
        ASSERT_TRUE(std::isfinite(height)) << x << " " << y;
        largest = std::max(largest, std::abs(height));
        if (!term.displacement) continue;
        const auto u = term.displacement(x, y);
        EXPECT_EQ(u[2], height);
        EXPECT_TRUE(std::isfinite(u[0]) && std::isfinite(u[1]));
      }
  EXPECT_GT(largest, 1e-3);
}

TEST_P(EveryShape, RestsBeforeItBeginsAndAfterItEnds) {
  for (const TimeSeries& term : series()) {
    ASSERT_LT(term.begin, term.end);
    EXPECT_GE(term.begin, 0);
    for (const double before : {1e-9, 0.1, 1e3}) {
      EXPECT_EQ(term.value(term.begin - before), 0);
      EXPECT_EQ(term.rate(term.begin - before), 0);
    }
    for (const double after : {1e-9, 0.1, 1e3}) {
      EXPECT_EQ(term.value(term.end + after), term.value(term.end));
      EXPECT_EQ(term.rate(term.end + after), 0);
    }
  }
}

TEST_P(EveryShape, RisesByItsRate) {
  constexpr int n = 20000;  // midpoints
  for (const TimeSeries& term : series()) {
    const double dt = (term.end - term.begin) / n;
    double sum = 0, largest = 0, worst = 0;
    for (int k = 0; k < n; ++k) {
      sum += dt * term.rate(term.begin + (k + 0.5) * dt);
      const double value = term.value(term.begin + (k + 1) * dt);
      largest = std::max(largest, std::abs(value));
      worst = std::max(worst, std::abs(value - sum));
    }
    EXPECT_GT(largest, 0.5);
    EXPECT_LT(worst, 1e-4 * largest);
  }
}

TEST_P(EveryShape, SaysWhatItIs) {
  EXPECT_FALSE(GetParam().description.empty());
  for (const Row& row : GetParam().rows) EXPECT_FALSE(row.doc.empty()) << row.key;
  const auto shapes = group_rows("sources[].shape");
  for (const Row& row : GetParam().rows)
    if (row.group.empty())
      EXPECT_TRUE(std::ranges::any_of(shapes, [&](const Row& r) { return r.key == row.key && r.type == GetParam().type; })) << row.key;
}

INSTANTIATE_TEST_SUITE_P(Registered, EveryShape, testing::ValuesIn(shape_kinds()), [](const auto& info) { return std::string(info.param.type); });

TEST(Shapes, AreListedByPlaceAndName) {
  std::string all;
  std::set<std::string_view> types;
  for (const ShapeKind& kind : shape_kinds()) {
    all += text(all.empty() ? "" : "|", kind.type);
    EXPECT_TRUE(types.insert(kind.type).second) << kind.type;
  }
  EXPECT_TRUE(all.starts_with("gaussian|modal|patch|grid|fault")) << all;
  EXPECT_EQ(group_rows("sources[].shape")[0].choices, all);
}

}  // namespace
}  // namespace agwave
