// SPDX-License-Identifier: Apache-2.0
// Sources to uplift terms.
#include "source/uplift.hpp"

#include <utility>

#include "error/error.hpp"

namespace agwave {

TimeSeries ramp_series(const Ramp& ramp) {
  const bool gaussian = ramp.type == Ramp::Type::gaussian;
  const double wide = 8.5 * ramp.sigma;  // less than 1e-17 is left beyond
  return {.value = [ramp](double t) { return ramp_value(ramp, t); },
          .rate = [ramp](double t) { return ramp_rate(ramp, t); },
          .piecewise_linear = ramp.type == Ramp::Type::linear,
          .begin = gaussian ? ramp.center - wide : ramp.start,
          .end = gaussian ? ramp.center + wide : ramp.start + ramp.duration};
}

UpliftTerm ramp_term(const Ramp& ramp, Height shape, Motion motion) { return {ramp_series(ramp), std::move(shape), motion}; }

const Ramp& require_ramp(const SourceCase& source) {
  if (!source.ramp)
    throw Error(ExitCode::usage, text(to_string(source.mark), ": this source needs a `ramp`; add `ramp: {type: smoothstep, duration: 10}`, say"));
  return *source.ramp;
}

void FloorShape::add_terms(const Case& c, std::size_t n, const Domain& domain, SourceTerms& to) const {
  const SourceCase& source = c.sources[n];
  to.uplift.push_back(ramp_term(require_ramp(source), height(source.amplitude, domain), source.motion));
}

SourceTerms make_terms(const Case& c, const Domain& domain) {
  SourceTerms terms;
  for (std::size_t n = 0; n < c.sources.size(); ++n) {
    const std::size_t uplift = terms.uplift.size(), points = terms.points.size();
    c.sources[n].shape->add_terms(c, n, domain, terms);
    for (std::size_t k = uplift; k < terms.uplift.size(); ++k) terms.uplift[k].source = n;
    for (std::size_t k = points; k < terms.points.size(); ++k) terms.points[k].source = n;
  }
  return terms;
}

std::vector<double> uplift_at(const std::vector<UpliftTerm>& terms, double t, const std::vector<double>& x, const std::vector<double>& y) {
  std::vector<double> uplift(x.size() * y.size(), 0.0), amounts;
  for (const UpliftTerm& term : terms) amounts.push_back(term.value(t));
  for (std::size_t n = 0; n < uplift.size(); ++n)  // the terms at a point share what they have in common
    for (std::size_t k = 0; k < terms.size(); ++k)
      if (amounts[k] != 0) uplift[n] += amounts[k] * terms[k].shape(x[n % x.size()], y[n / x.size()]);
  return uplift;
}

}  // namespace agwave
