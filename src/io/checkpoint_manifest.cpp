// SPDX-License-Identifier: Apache-2.0
// The manifest to JSON and back; doubles are written with all their digits.
#include "io/checkpoint_manifest.hpp"

#include <array>
#include <cmath>
#include <limits>
#include <nlohmann/json.hpp>
#include <stdexcept>
#include <utility>

#include "error/error.hpp"
#include "files/checksum.hpp"
#include "files/version.hpp"

namespace agwave {
namespace {

using Json = nlohmann::ordered_json;
constexpr int format = 3, oldest_format = 1;  // before 3 the state was pressure and velocity, and `velocity` the form of the latter

std::string dump(const Json& json) { return json.dump(1, ' ', false, Json::error_handler_t::replace); }

// A count: JSON has one type for all numbers, and turning one that is none into an integer is undefined where it does not fit.
template <class T>
void take(T& to, const Json& json, const char* key) {
  const auto value = json.is_number_integer() ? json.get<std::int64_t>() : -1;
  if (value < 0 || !std::in_range<T>(value))
    throw std::range_error(text("`", key, "` has ", json.dump(), ", which is no whole number from 0 to ", std::numeric_limits<T>::max()));
  to = static_cast<T>(value);
}
template <class T>
void read(T& to, const Json& json, const char* key) {
  take(to, json.at(key), key);
}
template <class T>
void read(std::array<T, 3>& to, const Json& json, const char* key) {
  for (std::size_t n = 0; n < 3; ++n) take(to[n], json.at(key).at(n), key);
}

constexpr std::array<const char*, 3> items_names{"rows of nodes", "elements", "rows of nodes of the floor"};  // by StateArray::Items
Json array_json(const StateArray& array) {
  return {{"name", array.name}, {"of", items_names[static_cast<std::size_t>(array.items)]}, {"form", array.form}};
}
StateArray array_from(const Json& json) {
  const Json& of = json.at("of");
  for (std::size_t n = 0; n < items_names.size(); ++n)
    if (of == items_names[n]) return {json.at("name"), static_cast<StateArray::Items>(n), json.at("form")};
  throw std::range_error(
      text("an array is of ", of.dump(), ", not of \"", items_names[0], "\", \"", items_names[1], "\" or \"", items_names[2], "\""));
}

RankFile rank_from(const Json& json) {
  RankFile rank{json.at("file"), {}, {}, json.at("checksums").get<std::map<std::string, std::string>>()};
  read(rank.first, json, "first_element");
  read(rank.count, json, "elements");
  return rank;
}

}  // namespace

std::string to_text(const RankFile& rank) {
  return Json{{"file", rank.name}, {"first_element", rank.first}, {"elements", rank.count}, {"checksums", rank.checksums}}.dump();
}

std::string manifest_text(const Manifest& m, const std::vector<std::string>& ranks) {
  Json files = Json::array(), keys = Json::object(), arrays = Json::array();
  for (const StateArray& array : m.arrays) arrays.push_back(array_json(array));
  for (const std::string& rank : ranks) files.push_back(Json::parse(rank));
  for (const CaseKey& key : m.keys) keys[key.path] = key.value;
  Json json{{"format", format},
            {"agwave_version", version},
            {"agwave_commit", commit},
            {"elements", m.elements},
            {"order", m.order},
            {"quadrature", m.quadrature},
            {"step", m.step},
            {"time_s", m.time},
            {"step_s", m.dt},
            {"levels", m.levels},
            {"grid", m.grid},
            {"scheme", m.scheme},
            {"variant", m.variant},
            {"precision", m.single ? "single" : "double"},
            {"device", m.device},
            {"arrays", arrays},
            {"samples", m.samples},
            {"surface_interval_s", m.surface_interval},
            {"last_energy_j", m.last_energy},
            {"largest_energy_j", m.largest_energy},
            {"last_check_s", m.last_check},
            {"max_pressure_pa", m.max_pressure},
            {"max_surface_height_m", m.max_height},
            {"sources", m.sources},
            {"sensors", m.sensors},
            {"sound", m.sound},
            {"sediments", m.sediments},
            {"filter_longer", m.filter_longer},
            {"case_hash", checksum_of(dump(keys))},
            {"case", keys},
            {"case_file", m.case_file},
            {"ranks", files}};
  json["checksum"] = checksum_of(dump(json));
  return dump(json) + "\n";
}

Manifest parse_manifest(const std::string& path, const std::string& text_of_file) {
  try {
    Json json = Json::parse(text_of_file);
    int written = 0;  // none of ours
    if (json.at("format").is_number_integer() && json.at("format") >= oldest_format && json.at("format") <= format) written = json.at("format");
    if (written == 0)
      throw Error(ExitCode::input, text(path, ": has format ", json.at("format").dump(), "; this version of agwave reads formats ", oldest_format,
                                        " to ", format, "; continue with the version that wrote it, ", json.at("agwave_version").dump()));
    const std::string checksum = json.at("checksum");
    const bool verbatim = dump(json) + "\n" == text_of_file;
    json.erase("checksum");
    if (!verbatim || checksum_of(dump(json)) != checksum)
      throw Error(ExitCode::input, path + ": is damaged: its checksum does not match its content");
    Manifest m;
    m.version = json.at("agwave_version");
    m.commit = json.at("agwave_commit");
    read(m.elements, json, "elements");
    read(m.order, json, "order");
    read(m.quadrature, json, "quadrature");
    read(m.step, json, "step");
    m.time = json.at("time_s");
    m.dt = json.at("step_s");
    if (json.contains("levels")) m.levels = json.at("levels").get<std::vector<std::array<std::int64_t, 2>>>();
    read(m.grid, json, "grid");
    m.variant = json.at("variant");
    if (json.contains("precision")) m.single = json.at("precision") == "single";
    m.device = json.at("device");
    m.scheme = written < 3 ? "rk4" : json.at("scheme").get<std::string>();
    if (written < 3)
      m.arrays = {pressure_array, {velocity_array.name, velocity_array.items, json.at("velocity")}};
    else
      for (const Json& array : json.at("arrays")) m.arrays.push_back(array_from(array));
    read(m.samples, json, "samples");
    m.surface_interval = json.at("surface_interval_s");
    m.last_energy = json.at("last_energy_j");
    m.largest_energy = json.value("largest_energy_j", m.last_energy);
    m.last_check = json.at("last_check_s");
    m.max_pressure = json.at("max_pressure_pa");
    m.max_height = json.at("max_surface_height_m");
    for (const Json& value : json.at("sources")) m.sources.push_back(value.is_null() ? NAN : value.get<double>());
    m.sensors = json.at("sensors");
    if (json.contains("sound")) m.sound = json.at("sound");
    if (json.contains("sediments")) m.sediments = json.at("sediments");
    m.filter_longer = json.value("filter_longer", 0.0);
    for (const auto& [key, value] : json.at("case").items()) m.keys.push_back({key, value, 0});
    m.case_file = json.at("case_file");
    for (const Json& rank : json.at("ranks")) m.ranks.push_back(rank_from(rank));
    return m;
  } catch (const std::range_error& e) {
    throw Error(ExitCode::input, text(path, ": is damaged: ", e.what()));
  } catch (const nlohmann::json::exception& e) {
    throw Error(ExitCode::input, text(path, ": is damaged, or not the manifest of a checkpoint: ", e.what()));
  }
}

}  // namespace agwave
