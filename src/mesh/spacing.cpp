// SPDX-License-Identifier: Apache-2.0
// Rules of spacing. Geometric: each width is the one before times ratio^(1 / (n - 1)). Focus: faces share out evenly the integral of the
// density 1 + (ratio - 1) exp(-((x - center) / radius)^2 / 2), so that columns are `ratio` times finer at the center than far from it.
#include "mesh/spacing.hpp"

#include <algorithm>
#include <cmath>
#include <numbers>

#include "error/error.hpp"

namespace agwave {
namespace {

std::vector<double> from_widths(const std::vector<double>& widths, double length) {
  std::vector<double> faces{0};
  for (const double w : widths) faces.push_back(faces.back() + w);
  const double scale = length / faces.back();
  for (double& x : faces) x *= scale;
  faces.back() = length;
  return faces;
}

std::vector<double> focused(const Spacing& s, double length, std::int64_t n) {
  const auto amount = [&](double x) {
    const double root = std::numbers::sqrt2 * s.radius;
    return x + (s.ratio - 1) * s.radius * std::sqrt(0.5 * std::numbers::pi) * (std::erf((x - s.center) / root) + std::erf(s.center / root));
  };
  std::vector<double> faces{0};
  for (std::int64_t i = 1; i < n; ++i) {
    const double wanted = amount(length) * static_cast<double>(i) / static_cast<double>(n);
    double low = faces.back(), high = length;
    for (int step = 0; step < 60; ++step) {
      const double middle = 0.5 * (low + high);
      (amount(middle) < wanted ? low : high) = middle;
    }
    faces.push_back(0.5 * (low + high));
  }
  faces.push_back(length);
  return faces;
}

}  // namespace

std::vector<double> spaced_faces(const Spacing& spacing, double length, std::int64_t n) {
  if (spacing.rule == Spacing::Rule::widths) return from_widths(spacing.widths, length);
  if (spacing.rule == Spacing::Rule::focus) return focused(spacing, length, n);
  if (spacing.rule == Spacing::Rule::geometric) {
    std::vector<double> widths;
    for (std::int64_t i = 0; i < n; ++i) widths.push_back(std::pow(spacing.ratio, n > 1 ? static_cast<double>(i) / static_cast<double>(n - 1) : 0));
    return from_widths(widths, length);
  }
  std::vector<double> faces(static_cast<std::size_t>(n + 1));
  for (std::int64_t i = 0; i <= n; ++i) faces[static_cast<std::size_t>(i)] = length * static_cast<double>(i) / static_cast<double>(n);
  return faces;
}

Widths widths_between(const std::vector<double>& faces) {
  Widths all{INFINITY, 0};
  for (std::size_t i = 1; i < faces.size(); ++i) all = {std::min(all.least, faces[i] - faces[i - 1]), std::max(all.most, faces[i] - faces[i - 1])};
  return all;
}

std::string focus_note(const Spacing& s, double length, std::int64_t n, const Mark& mark) {
  constexpr double tenth = 0.1;
  if (s.rule != Spacing::Rule::focus) return "";
  const auto [least, most] = widths_between(spaced_faces(s, length, n));
  if (most / least - 1 >= tenth * (std::max(s.ratio, 1 / s.ratio) - 1)) return "";
  const bool outside = s.center < 0 || s.center > length;
  return text(
      "note: ", to_string(mark), ": the widths of elements differ by a factor of ", rounded(most / least), ", not by the ratio of ", s.ratio, ": ",
      outside ? text("the center, ", s.center, " m, lies outside the domain, 0 to ", length, " m; give one inside")
              : text("elements of ", rounded(most, 4), " m do not resolve a radius of ", s.radius, " m; give a longer one, or more elements"));
}

std::vector<double> layer_interfaces(const MeshCase& mesh) {
  return mesh.interfaces.empty() ? spaced_faces(mesh.spacing[2], 1, mesh.elements[2]) : mesh.interfaces;
}

}  // namespace agwave
