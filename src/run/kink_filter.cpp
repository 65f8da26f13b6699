// SPDX-License-Identifier: Apache-2.0
#include "run/kink_filter.hpp"

#include <algorithm>
#include <utility>

#include "error/error.hpp"
#include "files/text_file.hpp"
#include "run/plan.hpp"

namespace agwave {
namespace {

// The steps that hardly resolve what is filtered, over the longest stable ones: with 0.9 the filter takes more than a thousandth of what a mesh carries, with 0.82
// less, and no more rings than with RK4 (cases.kinks). Not those that a run takes: what it samples may ask for shorter ones, with which the same waves ring.
constexpr double of_limit = 0.82;
constexpr double periods_after = 10;  // of the shortest sound that the mesh carries: what is filtered has gone by then (benchmarks/log.md, entry 174)

bool has_kinks(const SourceTerms& terms, std::size_t source) {
  const auto kinked = [&](const TimeSeries& term) { return term.source == source && term.piecewise_linear; };
  return std::ranges::any_of(terms.uplift, kinked) || std::ranges::any_of(terms.points, kinked);
}

std::string why_not(const Case& c, const Plan& plan) {
  if (!c.time.filter) return "time.filter: off";
  return plan.variant->filters ? "" : "with " + plan.variant->name;
}

// Of each column's own step in levels, which its safety has made shorter than the longest that is stable there.
// Who gives a step has what it makes: with short ones next to no filter, as RK4 next to no damping.
double longer_steps(const Case& c, const Plan& plan) {
  const double longer = of_limit * (plan.levels.local() ? 1 / c.time.safety : plan.limit.dt / plan.choice.dt);
  return c.time.step ? std::min(1.0, longer) : longer;
}

// Those that overlap as one.
std::vector<KinkFilter::Span> joined(std::vector<KinkFilter::Span> spans) {
  std::ranges::sort(spans, {}, &KinkFilter::Span::begin);
  std::vector<KinkFilter::Span> all;
  for (const KinkFilter::Span& span : spans)
    if (all.empty() || span.begin > all.back().end)
      all.push_back(span);
    else
      all.back().end = std::max(all.back().end, span.end);
  return all;
}

}  // namespace

std::int64_t KinkFilter::count(std::int64_t all, double dt) const {
  std::int64_t filtered = 0;
  for (std::int64_t n = 0; n < all && steps > 0; ++n) filtered += acts(n, static_cast<double>(n) * dt);
  return filtered;
}

KinkFilter plan_kink_filter(const Case& c, const Plan& plan) {
  KinkFilter filter;
  if (plan.variant->integrator->damps) return filter;
  const double carried = plan.resolution.sound_period();
  for (std::size_t n = 0; n < plan.source_facts.size(); ++n) {
    const SourceFacts& facts = plan.source_facts[n];
    if (!(facts.shortest_period < carried) || !has_kinks(plan.sources, n)) continue;
    filter.sources.push_back(facts.name);
    filter.spans.push_back({std::max(0.0, facts.begin - plan.choice.dt), facts.end + periods_after * carried});
  }
  if (filter.sources.empty()) return {};
  filter.spans = joined(std::move(filter.spans));
  filter.why = why_not(c, plan);
  if (!filter.why.empty()) return filter;
  filter.steps = 2;
  filter.of = 6;
  filter.longer = longer_steps(c, plan);
  return filter;
}

std::string to_text(const KinkFilter& filter) {
  if (filter.sources.empty()) return "";
  const std::string all = "kinks of " + listed(filter.sources);
  if (filter.steps == 0) return text(all, " ring on (", filter.why, ")");
  std::string when;
  for (const KinkFilter::Span& span : filter.spans)
    when += text(when.empty() ? " from t = " : " and ", rounded(span.begin, 4), " to ", rounded(span.end, 4), " s");
  return text(all, " filtered at ", filter.steps, " of ", filter.of, " steps", when);
}

}  // namespace agwave
