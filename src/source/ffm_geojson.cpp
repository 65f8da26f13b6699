// SPDX-License-Identifier: Apache-2.0
// FFM.geojson of the USGS: a FeatureCollection with a Polygon per subfault, its corners (longitude, latitude, depth [m]), and
// properties slip [m], rake [degrees], trup and rise [s]. Strike, dip, length and width are those of the corners, measured on the
// ellipsoid about their mean. The JSON library knows no lines of values that are well-formed but wrong; those are named by number.
#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>
#include <numbers>

#include "error/error.hpp"
#include "source/finite_fault.hpp"

namespace agwave {
namespace {

using nlohmann::json;
constexpr double degree = std::numbers::pi / 180;
constexpr double major = 6378137.0, e2 = 6.69437999014e-3;  // WGS84: semi-major axis [m], first eccentricity squared

struct Point {
  double east, north, down;  // [m]
};
Point operator-(const Point& a, const Point& b) { return {a.east - b.east, a.north - b.north, a.down - b.down}; }
double norm(const Point& a) { return std::hypot(a.east, a.north, a.down); }
double flat(const Point& a) { return std::hypot(a.east, a.north); }
Point middle(const Point& a, const Point& b) { return {0.5 * (a.east + b.east), 0.5 * (a.north + b.north), 0.5 * (a.down + b.down)}; }

// The rectangle of four corners in order around it.
void measure(const std::array<Point, 4>& corner, Subfault& f) {
  // of the two pairs of opposite edges the more level one runs along strike, its upper edge first
  const auto fall = [&](int n) {
    return std::abs(corner[(n + 1) % 4].down - corner[n].down) / std::max(norm(corner[(n + 1) % 4] - corner[n]), 1e-9);
  };
  const int n = fall(0) + fall(2) <= fall(1) + fall(3) ? 0 : 1;
  Point a = corner[n], b = corner[n + 1], c = corner[(n + 2) % 4], d = corner[(n + 3) % 4];  // edge ab, then cd on the other side
  if (middle(a, b).down > middle(c, d).down) std::swap(a, c), std::swap(b, d);
  Point along = b - a, dip = middle(c, d) - middle(a, b);
  if (along.east * dip.north - along.north * dip.east > 0) along = a - b;  // the plane dips to the right of strike
  f.strike = std::atan2(along.east, along.north) / degree;
  f.dip = std::atan2(dip.down, flat(dip)) / degree;
  f.length = 0.5 * (norm(b - a) + norm(d - c));
  f.width = norm(dip);
}

double number(const json& properties, const char* key) {
  const auto& value = properties.at(key);
  return value.is_string() ? std::stod(value.get<std::string>()) : value.get<double>();
}

// Throws what json and stod throw.
Subfault read_feature(const json& feature) {
  const json& geometry = feature.at("geometry");
  if (geometry.at("type") != "Polygon") throw std::runtime_error("its geometry is no Polygon");
  const json& ring = geometry.at("coordinates").at(0);
  std::size_t count = ring.size();
  if (count == 5 && ring[4] == ring[0]) --count;
  if (count != 4) throw std::runtime_error(text("its polygon has ", count, " corners; subfaults have 4"));
  std::array<std::array<double, 3>, 4> place{};
  double lon = 0, lat = 0;
  Subfault f;
  for (std::size_t n = 0; n < 4; ++n) {
    if (ring[n].size() < 3) throw std::runtime_error("a corner without depth");
    for (std::size_t k = 0; k < 3; ++k) place[n][k] = ring[n][k].get<double>();
    place[n][0] = place[0][0] + std::remainder(place[n][0] - place[0][0], 360);
    lon += 0.25 * place[n][0], lat += 0.25 * place[n][1], f.depth += 0.25 * place[n][2];
  }
  f.place = {lon, lat, true};
  const double w = 1 - e2 * std::pow(std::sin(lat * degree), 2);
  const double parallel = major / std::sqrt(w) * std::cos(lat * degree) * degree, meridian = major * (1 - e2) / std::pow(w, 1.5) * degree;
  std::array<Point, 4> corner{};
  for (std::size_t n = 0; n < 4; ++n) corner[n] = {(place[n][0] - lon) * parallel, (place[n][1] - lat) * meridian, place[n][2]};
  measure(corner, f);
  const json& properties = feature.at("properties");
  f.slip = number(properties, "slip");
  f.rake = number(properties, "rake");
  if (properties.contains("trup")) f.start = number(properties, "trup");
  if (properties.contains("sf_moment")) f.moment = number(properties, "sf_moment");
  if (properties.contains("rise")) f.rise = number(properties, "rise");
  if (f.rise && !(*f.rise > 0)) f.rise.reset();
  if (const std::string why = beyond_limits(f); !why.empty()) throw std::runtime_error(why);
  return f;
}

}  // namespace

std::vector<LocatedSubfault> read_ffm_geojson(Findings& findings, const std::string& file, const Mark& mark, std::optional<Reference>& reference) {
  const auto content = read_whole(findings, file, mark, "finite-fault file");
  if (!content) return {};
  if (reference) {
    findings.add(mark, "reference does not go with a geojson file, which has the corners of its subfaults", {"", "", "remove reference"});
    return {};
  }
  reference = Reference::centroid;
  std::vector<LocatedSubfault> list;
  try {
    const json document = json::parse(*content);
    const json& features = document.at("features");
    for (std::size_t n = 0; n < features.size(); ++n) {
      const Mark where{file, 0, text("features[", n, "]")};
      try {
        const Subfault f = read_feature(features[n]);
        if (f.slip > 0) list.push_back({f, where});
      } catch (const std::exception& e) {
        findings.add(where, "not a subfault",
                     {e.what(), "a Polygon of four corners (lon, lat, depth), properties slip, rake, trup, rise", "", ExitCode::input});
      }
    }
    if (features.empty()) findings.add({file, 0, "features"}, "no subfaults", {"an empty list", "a feature per subfault", "", ExitCode::input});
  } catch (const json::parse_error& e) {
    const int line =
        1 + static_cast<int>(std::count(content->begin(), content->begin() + static_cast<std::ptrdiff_t>(std::min(e.byte, content->size())), '\n'));
    findings.add({file, line, ""}, "not JSON", {e.what(), "", "", ExitCode::input});
  } catch (const json::exception& e) {
    findings.add({file, 1, ""}, "not a finite-fault model", {e.what(), "a FeatureCollection with a feature per subfault", "", ExitCode::input});
  }
  return list;
}

}  // namespace agwave
