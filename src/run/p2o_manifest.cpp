// SPDX-License-Identifier: Apache-2.0
#include "run/p2o_manifest.hpp"

#include <algorithm>
#include <nlohmann/json.hpp>

#include "case/case_changes.hpp"
#include "error/error.hpp"
#include "files/checksum.hpp"
#include "files/replace_file.hpp"
#include "files/text_file.hpp"
#include "files/version.hpp"
#include "run/restart.hpp"

namespace agwave {

namespace {

using Json = nlohmann::ordered_json;
constexpr int format = 1;

// What may not change, besides the keys of the case.
Json identity(const P2oPlan& p, const std::string& floor) {
  Json all{{"elements", p.plan.mesh.elements},
           {"order", p.plan.mesh.order},
           {"quadrature", p.c.solver.quadrature},
           {"floor", floor},
           {"scheme", p.plan.variant->integrator->name},
           {"variant", p.plan.variant->name},
           {"device", to_string(p.plan.variant->device)},
           {"step_s", p.intervals.dt},
           {"levels", levels_kept(p.plan)},
           {"fading_steps", p.plan.sponge.every},
           {"interval_s", p.intervals.length},
           {"intervals", p.intervals.count},
           {"parameters", {p.grid.nx(), p.grid.ny()}},
           {"parameter_places", checksum_of_values({p.grid.x, p.grid.y})},
           {"sensors", sensor_checksum(p.sensors)}};
  all["precision"] = p.c.solver.single ? "single" : "double";
  if (p.plan.medium.varies()) all["sound_speed"] = p.plan.medium.sound()->fingerprint();
  if (!p.plan.floor.sediments.empty()) all["sediments"] = p.plan.floor.sediments;
  return all;
}

// Sources play no part, nor does how often a run would sample.
CaseKeys keys_of(const CaseKeys& all) {
  CaseKeys kept;
  for (const CaseKey& key : all)
    if (!key.path.starts_with("sources") && key.path != "sensors.interval" && !may_change(key.path)) kept.push_back(key);
  return kept;
}

bool is_manifest(const Json& json) {
  const auto has = [&](const char* key, Json::value_t type) { return json.contains(key) && json[key].type() == type; };
  return json.is_object() && json.contains("format") && json["format"] == format && has("maps", Json::value_t::object) &&
         has("run", Json::value_t::string) && has("keys", Json::value_t::object) &&
         std::ranges::all_of(json["keys"], [](const Json& key) { return key.is_string(); });
}

std::string dump(const Json& json, int indent) { return json.dump(indent, ' ', false, Json::error_handler_t::replace); }

}  // namespace

std::string begin_maps(const std::string& path, const P2oPlan& p2o, const std::string& floor) {
  Json keys = Json::object();
  for (const CaseKey& key : keys_of(p2o.c.keys)) keys[key.path] = key.value;
  Json json{{"format", format},   {"version", version},           {"commit", commit}, {"title", p2o.c.title},
            {"case", p2o.c.file}, {"maps", identity(p2o, floor)}, {"keys", keys}};
  const std::string run = checksum_of(dump(json["maps"], -1) + dump(keys, -1));
  json["run"] = run;
  replace_file(path, dump(json, 1) + "\n", true);
  return run;
}

std::string continue_maps(const std::string& path, const P2oPlan& p2o, const std::string& floor) {
  std::string content;
  if (const std::string why = read_text_file(path, content); !why.empty())
    throw Error(ExitCode::input, text("--restart: ", path, ": cannot be read: ", why, "; give the --output of maps that were begun"));
  const Json json = Json::parse(content, nullptr, false);
  if (!is_manifest(json))
    throw Error(ExitCode::input, text("--restart: ", path, ": is not a manifest of maps that this version writes; begin anew, in another --output"));
  Json of_maps = json["maps"];
  if (!of_maps.contains("precision")) of_maps["precision"] = "double";  // as manifests left it out
  CaseKeys then;
  for (const auto& [key, value] : json["keys"].items()) then.push_back({key, value.get<std::string>(), 0});
  Findings findings(p2o.c.file);
  compare_keys(keys_of(p2o.c.keys), then, findings, {"the maps were begun", "begin anew in another --output"});
  const Json now = identity(p2o, floor);
  for (const auto& [key, value] : now.items())
    if (of_maps.value(key, Json()) != value && findings.count() == 0)
      findings.add({"--restart", 0, key}, "is not that of the maps begun in " + path,
                   {dump(value, -1), dump(of_maps.value(key, Json()), -1), "restore it, or begin anew in another --output"});
  findings.raise();
  return json["run"];
}

}  // namespace agwave
