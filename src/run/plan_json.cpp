// SPDX-License-Identifier: Apache-2.0
#include "run/plan_json.hpp"

#include <cmath>
#include <numbers>

namespace agwave {
namespace {

Json case_json(const Case& c) {  // parameters by path as text, and those that --set changed
  Json parameters = Json::object(), overrides = Json::object();
  for (const CaseKey& key : c.keys) {
    parameters[key.path] = key.value;
    if (key.line == 0) overrides[key.path] = key.value;
  }
  return Json{{"title", c.title}, {"file", c.file}, {"parameters", parameters}, {"overrides", overrides}};
}

Json resolution_json(const Resolution& r) {
  const auto place = [](const Carried& of) {
    return of.period > 0 ? Json{{"period_s", of.period}, {"x", of.x}, {"y", of.y}, {"width_m", of.width}, {"depth_m", of.depth}} : Json();
  };
  return Json{{"error_per_wavelength", phase_error},
              {"sound_period_s", r.sound_period()},
              {"surface_period_s", r.surface.period > 0 ? Json(r.surface.period) : Json()},
              {"step_period_s", r.step_period},
              {"sound_worst", place(r.sound)},
              {"surface_worst", place(r.surface)}};
}

// The level of every patch: rows from south to north, a hexadecimal digit for each from west to east, and where patches begin and end [m].
Json patches_json(const LocalLevels& levels, const Mesh& mesh) {
  const auto edges = [](const std::vector<double>& faces, std::size_t every) {
    Json at = Json::array();
    for (std::size_t n = 0; n + 1 < faces.size(); n += every) at.push_back(faces[n]);
    at.push_back(faces.back());
    return at;
  };
  Json rows = Json::array();
  const auto wide = static_cast<std::size_t>(levels.patches.px());
  for (std::size_t patch = 0; patch < levels.number.size(); patch += wide) {
    std::string row;
    for (std::size_t n = patch; n < patch + wide; ++n) row += "0123456789abcdef"[levels.number[n]];
    rows.push_back(row);
  }
  return Json{{"x_m", edges(mesh.x_faces, levels.patches.wide)}, {"y_m", edges(mesh.y_faces, ColumnPatches::deep)}, {"level", rows}};
}

Json sources_json(const std::vector<SourceFacts>& sources) {
  Json list = Json::array();
  for (const SourceFacts& s : sources) {
    Json entry{
        {"name", s.name},        {"type", s.type},       {"begin_s", s.begin},
        {"end_s", s.end},        {"lowest_m", s.lowest}, {"highest_m", s.highest},
        {"volume_m3", s.volume}, {"inside", s.inside},   {"shortest_period_s", std::isfinite(s.shortest_period) ? Json(s.shortest_period) : Json()}};
    if (s.fault)
      entry["fault"] = {{"subfaults", s.fault->subfaults},       {"moment_nm", s.fault->moment},
                        {"magnitude", s.fault->magnitude},       {"area_m2", s.fault->area},
                        {"mean_slip_m", s.fault->mean_slip},     {"largest_slip_m", s.fault->largest_slip},
                        {"stress_drop_pa", s.fault->stress_drop}};
    list.push_back(std::move(entry));
  }
  return list;
}

Json edges_json(const Plan& plan, const Case& c) {
  Json list = Json::array();
  for (int wall = 0; wall < 4; ++wall) {
    Json entry{{"wall", wall_names[wall]}, {"absorbing", c.boundary.absorbs(wall)}, {"sponge_m", plan.sponge.width[wall]}};
    if (plan.sponge.at(wall)) entry["sponge_type"] = plan.sponge.matched ? "matched" : "fading";
    for (const Reflection& r : plan.reflections)
      if (r.wall == wall_names[wall])
        entry["sent_back"] = {{"coefficient", r.coefficient},
                              {"angle_degrees", r.angle * 180 / std::numbers::pi},
                              {"period_s", r.period},
                              {"sensor", r.sensor},
                              {"time_s", r.time},
                              {"enough", r.enough_width > 0 ? Json{{"sponge_m", r.enough_width}, {"reflection", r.enough_reflection}} : Json()}};
    list.push_back(std::move(entry));
  }
  return list;
}

Json floor_json(const Floor& floor) {
  if (!floor.gives_way) return "rigid";
  const auto span = [](const Floor::Span& s) { return Json{s.least, s.most}; };
  return Json{{"impedance_pa_s_m", span(floor.impedances)},
              {"stiffness_pa_m", span(floor.stiffnesses)},
              {"reflection", span(floor.reflections)},
              {"corner_hz", span(floor.corners)},
              {"sinking_m_m", span(floor.sinking)}};
}

Json filter_json(const KinkFilter& filter) {  // null without kinks
  if (filter.sources.empty()) return {};
  Json all{{"sources", filter.sources}};
  if (filter.steps > 0) {
    Json spans = Json::array();
    for (const KinkFilter::Span& span : filter.spans) spans.push_back({span.begin, span.end});
    all.update({{"spans_s", std::move(spans)}, {"steps", filter.steps}, {"of", filter.of}});
  } else
    all["rings_because"] = filter.why;
  return all;
}

}  // namespace

Json levels_json(const Plan& plan) {
  const LocalLevels& levels = plan.levels;
  Json list = Json::array();
  for (std::size_t l = 0; l < levels.levels.size(); ++l)
    list.push_back({{"step_s", levels.step_of(l)}, {"columns", levels.levels[l].columns}, {"work_share", levels.share(l)}});
  Json all{{"levels", list}, {"predicted_gain", levels.gain}, {"fewer_visits", levels.fewer}};
  if (!levels.local()) return all;
  all["busiest_rank"] = plan.cuts.busiest;
  all["busiest_rank_of_even_cuts"] = plan.cuts.even;
  all["waiting_share"] = plan.cuts.waits;
  all["patches"] = patches_json(levels, plan.mesh);
  return all;
}

Json plan_json(const Case& c, const Plan& plan, const Comm& comm) {
  return Json{{"case", case_json(c)},
              {"local_steps", levels_json(plan)},
              {"resolution", resolution_json(plan.resolution)},
              {"sources", sources_json(plan.source_facts)},
              {"edges", edges_json(plan, c)},
              {"floor", floor_json(plan.floor)},
              {"filter", filter_json(plan.filter)},
              {"ranks", comm.size()},
              {"grid", plan.grid},
              {"scheme", plan.variant->integrator->name},
              {"scheme_why", plan.scheme_why},
              {"variant", plan.variant->name},
              {"precision", precision_of(*plan.variant)},
              {"device", plan.device_name()}};
}

}  // namespace agwave
