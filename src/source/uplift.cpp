// SPDX-License-Identifier: Apache-2.0
// Sources to uplift terms, and the ramps. The smoothstep of order n is the polynomial of degree 2n+1 from 0 to 1 with n
// zero derivatives at both ends, i.e. the regularised incomplete beta function of r:
//   S_n(r) = r^(n+1) sum_{k=0..n} C(n+k, k) (1-r)^k,   S_n'(r) = (2n+1)!/(n!)^2 r^n (1-r)^n
// A patch is 1 inside and falls off within its own rectangle, over `taper` metres from each edge, by half a cosine.
#include "source/uplift.hpp"

#include <cmath>
#include <filesystem>
#include <numbers>
#include <utility>

#include "error/error.hpp"
#include "files/version.hpp"
#include "source/fault.hpp"
#include "source/prepared.hpp"
#include "source/uplift_grid.hpp"

namespace agwave {
namespace {

constexpr double pi = std::numbers::pi;
using Shape = std::function<double(double x, double y)>;

double smoothstep(int n, double r) {
  double sum = 0, term = 1;  // C(n+k, k) (1-r)^k
  for (int k = 0; k <= n; ++k) {
    sum += term;
    term *= (1 - r) * (n + k + 1) / (k + 1);
  }
  return std::pow(r, n + 1) * sum;
}

double smoothstep_slope(int n, double r) {
  double factor = 1;  // (2n+1)!/(n!)^2
  for (int k = 1; k <= n; ++k) factor *= static_cast<double>(n + k) / k;
  return factor * (2 * n + 1) * std::pow(r * (1 - r), n);
}

Shape make_shape(const GaussianShape& s, double amplitude, const Domain& domain) {
  const auto [cx, cy] = s.center.geographic ? domain.to_xy(s.center.x, s.center.y) : std::array{s.center.x, s.center.y};
  return [=, cx = cx, cy = cy, r = s.radius](double x, double y) {
    const double dx = (x - cx) / r[0], dy = (y - cy) / r[1];  // 0 for an infinite radius
    return amplitude * std::exp(-0.5 * (dx * dx + dy * dy));
  };
}

Shape make_shape(const ModalShape& s, double amplitude, const Domain& domain) {
  const double kx = s.m * pi / domain.size[0], ky = s.n * pi / domain.size[1];
  return [=](double x, double y) { return amplitude * std::cos(kx * x) * std::cos(ky * y); };
}

Shape make_shape(const PatchShape& s, double amplitude, const Domain&) {
  const auto edge = [taper = s.taper](double inside) {  // by distance inside an edge
    if (inside < 0) return 0.0;
    return inside >= taper ? 1.0 : 0.5 * (1 - std::cos(pi * inside / taper));
  };
  return [=](double x, double y) { return amplitude * edge(x - s.x.min) * edge(s.x.max - x) * edge(y - s.y.min) * edge(s.y.max - y); };
}

// From the file where it can be read; on machines without it, or without netCDF, from the prepared file.
UpliftSlices grid_slices(const Case& c, std::size_t source, const GridShape& shape, const Domain& domain) {
  const auto* prepared = std::get_if<PreparedBathymetry>(&c.domain.bathymetry);
  std::error_code ignored;
  if (prepared && (!has_netcdf || !std::filesystem::exists(shape.file, ignored))) return read_prepared_uplift(c, *prepared, source);
  return read_uplift_grid(shape, domain);
}

}  // namespace

double ramp_value(const Ramp& ramp, double t) {
  if (ramp.type == Ramp::Type::gaussian) return 0.5 * std::erfc((ramp.center - t) / (std::numbers::sqrt2 * ramp.sigma));
  if (t <= ramp.start) return 0;
  if (t >= ramp.start + ramp.duration) return 1;
  const double r = (t - ramp.start) / ramp.duration;
  switch (ramp.type) {
    case Ramp::Type::smoothstep:
      return smoothstep(ramp.order, r);
    case Ramp::Type::cosine:
      return 0.5 * (1 - std::cos(pi * r));
    default:
      return r;
  }
}

double ramp_rate(const Ramp& ramp, double t) {
  if (ramp.type == Ramp::Type::gaussian) {
    const double z = (t - ramp.center) / ramp.sigma;
    return std::exp(-0.5 * z * z) / (std::sqrt(2 * pi) * ramp.sigma);
  }
  if (t < ramp.start || t >= ramp.start + ramp.duration) return 0;
  const double r = (t - ramp.start) / ramp.duration;
  switch (ramp.type) {
    case Ramp::Type::smoothstep:
      return smoothstep_slope(ramp.order, r) / ramp.duration;
    case Ramp::Type::cosine:
      return 0.5 * pi * std::sin(pi * r) / ramp.duration;
    default:
      return 1 / ramp.duration;
  }
}

UpliftTerm ramp_term(const Ramp& ramp, Shape shape, Motion motion) {
  UpliftTerm term;
  term.shape = std::move(shape);
  term.value = [ramp](double t) { return ramp_value(ramp, t); };
  term.rate = [ramp](double t) { return ramp_rate(ramp, t); };
  term.piecewise_linear = ramp.type == Ramp::Type::linear;
  term.motion = motion;
  if (ramp.type == Ramp::Type::gaussian) {
    term.begin = ramp.center - 8.5 * ramp.sigma;  // less than 1e-17 is left beyond
    term.end = ramp.center + 8.5 * ramp.sigma;
  } else {
    term.begin = ramp.start;
    term.end = ramp.start + ramp.duration;
  }
  return term;
}

std::vector<UpliftTerm> make_uplift(const Case& c, const Domain& domain) {
  std::vector<UpliftTerm> terms;
  for (std::size_t n = 0; n < c.sources.size(); ++n) {
    const SourceCase& source = c.sources[n];
    if (const auto* grid = std::get_if<GridShape>(&source.shape)) {
      for (auto& term : slice_terms(grid_slices(c, n, *grid, domain), source)) terms.push_back(std::move(term));
      continue;
    }
    if (const auto* fault = std::get_if<FaultShape>(&source.shape)) {
      for (auto& term : fault_terms(*fault, source, domain)) terms.push_back(std::move(term));
      continue;
    }
    if (!source.ramp) throw Error(ExitCode::usage, text(to_string(source.mark), ": this source needs a `ramp`"));
    const auto shape = std::visit(
        [&]<class S>(const S& s) -> Shape {
          if constexpr (std::is_same_v<S, GridShape> || std::is_same_v<S, FaultShape>)
            return {};
          else
            return make_shape(s, source.amplitude, domain);
        },
        source.shape);
    terms.push_back(ramp_term(*source.ramp, shape, source.motion));
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
