// SPDX-License-Identifier: Apache-2.0
// Reads the end of the run, the step and all intervals, and checks that samples fall on steps: the end and every
// interval are whole multiples of the sensor interval (without sensors, of the shortest output interval), and a given
// step divides it.
#include <algorithm>
#include <cmath>

#include "case/case_parts.hpp"
#include "error/error.hpp"

namespace agwave {
namespace {

constexpr double most_samples = 1e8;  // their times alone are 0.8 GB
constexpr double tolerance = 1e-9;    // relative: 0.1 is not a binary fraction
constexpr double rounded_off = 1e-5;  // likewise of a step, which people round: 0.0416667 is 1/24

bool is_multiple(double value, double unit, double within) {
  const double ratio = value / unit, whole = std::round(ratio);
  return whole >= 1 && std::abs(ratio - whole) <= within * whole;
}

}  // namespace

bool is_multiple_of_step(double value, double step) { return is_multiple(value, step, rounded_off); }

double nearest_multiple(double value, double unit) { return unit * std::max(1.0, std::round(value / unit)); }

void require_multiple(Findings& findings, const Mark& mark, double value, double unit, const std::string& unit_key) {
  if (!(value > 0) || is_multiple(value, unit, tolerance)) return;
  findings.add(mark, text("not a whole multiple of ", unit_key),
               {text(value, " s"), text("multiples of ", unit, " s"), text("give ", nearest_multiple(value, unit), ", or change ", unit_key)});
}

void read_time(const Section& time, const Section& output, Case& result) {
  Findings& findings = time.findings();
  result.time = {time.number("end"), time.optional_number("step"), time.number("safety"), time.mark(), time.mark("step")};
  const bool named = time.has("local_steps");
  if (named) result.time.local_steps_mark = time.mark("local_steps");
  if (named ? time.text("local_steps") == "auto" : !result.time.step)
    result.time.local_steps.reset();
  else
    result.time.local_steps = static_cast<int>(whole(time.optional_number("local_steps").value_or(1)));
  result.time.filter = time.text("filter") == "auto";
  result.solver.scheme = time.text("scheme");
  result.solver.scheme_mark = time.mark("scheme");
  OutputCase& out = result.output;
  out.mark = output.mark();
  out.surface_interval = output.number("surface_interval");
  out.seafloor_interval = output.number("seafloor_interval");
  out.volume_interval = output.number("volume_interval");
  out.arrival_threshold = output.number("arrival_threshold");
  const std::string cells = output.text("cells_per_edge");
  out.cells_per_edge = cells == "1" ? 1 : cells == "4" ? 4 : 2;
  out.checkpoint_interval = output.number("checkpoint_interval");

  std::optional<double> unit = result.sensors.interval;
  std::string unit_key = "sensors.interval";
  for (const auto& [key, interval] : out.intervals()) {  // without sensors, the shortest
    if (result.sensors.interval || !(interval > 0) || (unit && *unit <= interval)) continue;
    unit = interval;
    unit_key = text("output.", key);
  }
  if (unit && result.time.end / *unit > most_samples)
    time.report("end", "too many samples", {text(result.time.end / *unit), text("at most ", most_samples), "give a longer " + unit_key});
  if (unit) {
    require_multiple(findings, time.mark("end"), result.time.end, *unit, unit_key);
    for (const auto& [key, interval] : out.intervals())
      if (unit_key != text("output.", key)) require_multiple(findings, output.mark(key), interval, *unit, unit_key);
  }
  const double whole = unit.value_or(result.time.end);
  const std::string whole_key = unit ? unit_key : "time.end";
  if (result.time.step && whole > 0 && !is_multiple_of_step(whole, *result.time.step)) {
    const double steps = whole / *result.time.step, near = std::round(steps);
    const double count = std::max(1.0, std::abs(steps - near) < 0.01 * near ? near : std::ceil(steps));  // who rounds means the nearest
    time.report("step", "does not divide " + whole_key,
                {text(*result.time.step, " s"), text(whole_key, " divided by a whole number, or auto"),
                 text("give auto, the longest stable one that does; ", rounded(whole / count, 7), " does too, if the mesh allows it")});
  }
}

}  // namespace agwave
