// SPDX-License-Identifier: Apache-2.0
// Okada planes in the domain. A sloping floor z = -h that moves by (e, n, u) lifts the water above it by
//   u + e dh/dx + n dh/dy
// (Y. Tanioka and K. Satake, Tsunami generation by horizontal displacement of ocean bottom, Geophys. Res. Lett. 23(8), 1996), which is
// the flux through it, displacement . normal dA = (e h_x + n h_y + u) dx dy. The slopes are the mesh's own: the load has them.
#include "source/fault.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <map>
#include <memory>
#include <numbers>

#include "source/okada.hpp"

namespace agwave {
namespace {

constexpr double degree = std::numbers::pi / 180;
constexpr double to_north = 0.05;  // [degrees]

double part_below_top(Reference reference) { return reference == Reference::top ? 0 : reference == Reference::centroid ? 0.5 : 1; }

struct Plane {
  Rectangle rectangle;
  double x, y;  // origin of Okada's frame in the domain [m]
  double sin_strike, cos_strike;

  std::array<double, 3> displacement(double px, double py) const {  // east, north, up
    const double dx = px - x, dy = py - y;
    const auto [along, across, up] = okada(rectangle, dx * sin_strike + dy * cos_strike, dy * sin_strike - dx * cos_strike);
    return {along * sin_strike - across * cos_strike, along * cos_strike + across * sin_strike, up};
  }
};

Plane make_plane(const Subfault& f, Reference reference, double poisson, double amplitude, const Domain& domain) {
  double x = f.place.x, y = f.place.y, strike = f.strike * degree;
  if (f.place.geographic) {
    const auto places = places_of(f);
    const auto at = domain.to_xy(places[0].x, places[0].y), south = domain.to_xy(places[1].x, places[1].y),
               north = domain.to_xy(places[2].x, places[2].y);
    x = at[0], y = at[1];
    strike += std::atan2(north[0] - south[0], north[1] - south[1]);  // meridians converge: true north is not the domain's
  }
  const bool vertical = f.dip == 90;
  const double s = vertical ? 1 : std::sin(f.dip * degree), c = vertical ? 0 : std::cos(f.dip * degree);
  const double slip = amplitude * f.slip, below = (1 - part_below_top(reference)) * f.width;  // from the reference point down to the deep edge
  Plane plane{{.depth = std::max(f.depth + below * s, f.width * s),
               .length = f.length,
               .width = f.width,
               .sin_dip = s,
               .cos_dip = c,
               .strike_slip = slip * std::cos(f.rake * degree),
               .dip_slip = slip * std::sin(f.rake * degree),
               .poisson = poisson},
              x,
              y,
              std::sin(strike),
              std::cos(strike)};
  plane.x += below * c * plane.cos_strike - 0.5 * f.length * plane.sin_strike;
  plane.y += -below * c * plane.sin_strike - 0.5 * f.length * plane.cos_strike;
  return plane;
}

// The planes of a fault. Those of the place asked for last are kept: terms that share planes are asked at the same place one after the
// other. Not for several threads.
class Planes {
 public:
  std::size_t add(const Plane& plane) {
    planes_.push_back(plane);
    known_.push_back(false);
    kept_.emplace_back();
    return planes_.size() - 1;
  }
  const std::array<double, 3>& displacement(std::size_t n, double x, double y) {
    if (x != x_ || y != y_) std::fill(known_.begin(), known_.end(), false);
    x_ = x, y_ = y;
    if (!known_[n]) kept_[n] = planes_[n].displacement(x, y);
    known_[n] = true;
    return kept_[n];
  }

 private:
  std::vector<Plane> planes_;
  std::vector<char> known_;
  std::vector<std::array<double, 3>> kept_;
  double x_ = NAN, y_ = NAN;
};
using Parts = std::vector<std::pair<std::size_t, double>>;  // of the slip of planes

}  // namespace

double top_depth(const Subfault& f, Reference reference) { return f.depth - part_below_top(reference) * f.width * std::sin(f.dip * degree); }

std::vector<Place> places_of(const Subfault& f) {
  if (!f.place.geographic) return {f.place};
  return {f.place, {f.place.x, f.place.y - to_north, true}, {f.place.x, f.place.y + to_north, true}};
}

Outline outline_of(const Subfault& f, Reference reference, const Domain& domain) {
  const Plane plane = make_plane(f, reference, 0.25, 1, domain);  // its origin is the end of the deep edge from which strike runs
  const double up = f.width * plane.rectangle.cos_dip, along_x = f.length * plane.sin_strike, along_y = f.length * plane.cos_strike;
  const std::array<double, 2> deep{plane.x, plane.y}, top{plane.x - up * plane.cos_strike, plane.y + up * plane.sin_strike};
  return {{top, {top[0] + along_x, top[1] + along_y}, {deep[0] + along_x, deep[1] + along_y}, deep}};
}

std::vector<UpliftTerm> fault_terms(const Fault& fault, const SourceCase& source, const Domain& domain) {
  const Ramp common = source.ramp.value_or(Ramp{});  // smooth: the kinks of a linear rise make sound that no mesh carries
  const auto planes = std::make_shared<Planes>();
  std::map<std::pair<double, double>, Parts> groups;  // by when they rise
  for (const Subfault& f : fault.subfaults) {
    if (f.slip == 0) continue;
    const std::size_t plane = planes->add(make_plane(f, fault.reference, fault.poisson, source.amplitude, domain));
    Ramp ramp = common;
    ramp.start = f.start.value_or(common.start);
    ramp.duration = f.rise.value_or(common.duration);
    if (!fault.interval) {
      groups[{ramp.start, ramp.duration}].push_back({plane, 1});
      continue;
    }
    const TimeSeries alone = ramp_series(ramp);  // for its times
    const auto first = static_cast<std::int64_t>(std::floor(alone.begin / *fault.interval));
    for (std::int64_t k = std::max<std::int64_t>(first, 0);; ++k) {
      const double from = static_cast<double>(k) * *fault.interval, to = static_cast<double>(k + 1) * *fault.interval;
      const double part = ramp_value(ramp, to) - ramp_value(ramp, from);
      if (part != 0) groups[{from, to - from}].push_back({plane, part});
      if (to >= alone.end) break;
    }
  }
  std::vector<UpliftTerm> terms;
  for (auto& [times, slipping] : groups) {
    const auto displacement = [planes, parts = std::make_shared<const Parts>(std::move(slipping))](double x, double y) {
      std::array<double, 3> sum{};
      for (const auto& [plane, part] : *parts) {
        const auto& u = planes->displacement(plane, x, y);
        for (int n = 0; n < 3; ++n) sum[n] += part * u[n];
      }
      return sum;
    };
    Ramp ramp = common;
    if (fault.interval) ramp.type = Ramp::Type::linear;
    ramp.start = times.first;
    ramp.duration = times.second;
    terms.push_back(ramp_term(
        ramp, [displacement](double x, double y) { return displacement(x, y)[2]; }, Motion::vertical));
    if (fault.horizontal) terms.back().displacement = displacement;
  }
  return terms;
}

}  // namespace agwave
