// SPDX-License-Identifier: Apache-2.0
// Reads what `agwave p2o` is to do: samples fall on whole intervals, steps divide them, and parameters have one spacing.
#include "case/case_parts.hpp"
#include "error/error.hpp"

namespace agwave {
namespace {

constexpr double most_intervals = 1e6;

void check_times(const Section& p2o, const P2oCase& given, const TimeCase& time) {
  if (given.end / given.interval > most_intervals)
    p2o.report("end", "too many intervals", {text(given.end / given.interval), text("at most ", most_intervals), "give a longer interval"});
  if (given.interval > 0) require_multiple(p2o.findings(), p2o.mark("end"), given.end, given.interval, "p2o.interval");
  if (time.step && given.interval > 0 && !is_multiple_of_step(given.interval, *time.step))
    p2o.report("interval", "time.step does not divide it",
               {text(*time.step, " s in ", given.interval, " s"), "whole multiples of time.step, or time.step: auto",
                text("give ", nearest_multiple(given.interval, *time.step), ", or change time.step")});
}

void read_parameters(const Section& parameters, P2oCase& to) {
  to.spacing = parameters.optional_number("spacing");
  to.spacing_mark = parameters.mark("spacing");
  const bool nodes = parameters.text("nodes") == "true";
  if (parameters.has("spacing") == nodes && !parameters.reported())
    parameters.report({}, "exactly one of spacing and nodes must be given", {nodes ? "both" : "neither", "spacing: in m, or nodes: true", ""});
  if (!parameters.has("region")) return;
  const Section region = parameters.section("region");
  to.x = read_range(region, "x");
  to.y = read_range(region, "y");
  to.x_mark = region.mark("x");
  to.y_mark = region.mark("y");
}

}  // namespace

std::optional<P2oCase> read_p2o(const Section& root, const TimeCase& time) {
  if (!root.has("p2o")) return {};
  const Section p2o = root.section("p2o");
  P2oCase result;
  result.mark = p2o.mark();
  result.interval_mark = p2o.mark("interval");
  result.interval = p2o.number("interval");
  result.end = p2o.number("end");
  result.motion = p2o.text("motion") == "vertical" ? Motion::vertical : Motion::normal;
  result.single = p2o.text("precision") == "single";
  read_parameters(p2o.section("parameters"), result);
  check_times(p2o, result, time);
  return result;
}

}  // namespace agwave
