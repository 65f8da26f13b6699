// SPDX-License-Identifier: Apache-2.0
#include "run/kink_filter.hpp"

#include <algorithm>
#include <cmath>

#include "error/error.hpp"
#include "run/plan.hpp"

namespace agwave {
namespace {

constexpr double periods_after = 10;  // of the shortest sound that the mesh carries: what is filtered has gone by then (benchmarks/log.md, entry 174)

bool has_kinks(const SourceTerms& terms, std::size_t source) {
  const auto kinked = [&](const TimeSeries& term) { return term.source == source && term.piecewise_linear; };
  return std::ranges::any_of(terms.uplift, kinked) || std::ranges::any_of(terms.points, kinked);
}

std::string why_not(const Case& c, const Plan& plan) {
  if (!c.time.filter) return "time.filter: off";
  return plan.variant->filters ? "" : "with " + plan.variant->name;
}

}  // namespace

KinkFilter plan_kink_filter(const Case& c, const Plan& plan) {
  KinkFilter filter;
  if (plan.variant->integrator->damps) return filter;
  filter.begin = INFINITY;
  filter.end = -INFINITY;
  const double carried = plan.resolution.sound_period();
  for (std::size_t n = 0; n < plan.source_facts.size(); ++n) {
    const SourceFacts& facts = plan.source_facts[n];
    if (!(facts.shortest_period < carried) || !has_kinks(plan.sources, n)) continue;
    filter.sources.push_back(facts.name);
    filter.begin = std::min(filter.begin, facts.begin - plan.choice.dt);
    filter.end = std::max(filter.end, facts.end + periods_after * carried);
  }
  if (filter.sources.empty()) return {};
  filter.begin = std::max(0.0, filter.begin);
  filter.why = why_not(c, plan);
  if (!filter.why.empty()) return filter;
  filter.steps = plan.levels.local() ? 1 : 2;
  filter.of = plan.levels.local() ? 1 : 6;
  return filter;
}

std::string to_text(const KinkFilter& filter) {
  std::string all;
  for (const std::string& source : filter.sources) all += (all.empty() ? "kinks of " : ", ") + source;
  if (all.empty()) return all;
  if (filter.steps == 0) return text(all, " ring on (", filter.why, ")");
  const std::string which = filter.of == 1 ? "every step" : text(filter.steps, " of ", filter.of, " steps");
  return text(all, " filtered at ", which, " from t = ", rounded(filter.begin, 4), " to ", rounded(filter.end, 4), " s");
}

}  // namespace agwave
