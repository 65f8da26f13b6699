// SPDX-License-Identifier: Apache-2.0
#include "files/tuning.hpp"

#include <cmath>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>

#include "error/error.hpp"
#include "files/replace_file.hpp"
#include "files/utc.hpp"
#include "files/version.hpp"

namespace agwave {

namespace {

using Json = nlohmann::ordered_json;

std::string variable(const char* name) {
  const char* const value = std::getenv(name);
  return value ? value : "";
}

Json read_tables(const std::string& path) {  // an empty object where there is no file
  std::ifstream file(path);
  if (path.empty() || !file) return Json::object();
  try {
    Json tables = Json::parse(file);
    if (tables.is_object()) return tables;
  } catch (const Json::exception&) {
  }
  throw Error(ExitCode::input, text(path, ": is no table of `agwave bench --tune`; remove it, or write it anew with that"));
}

}  // namespace

std::string to_string(const GemmPlan& plan) {
  return text(plan.merged, " elements a product, ", plan.batch == 1 ? "single products" : text(plan.batch, " products a call"), ", from ", plan.from);
}

std::string tuning_path() {
  if (const std::string path = variable(tuning_variable); !path.empty()) return path;
  if (const std::string cache = variable("XDG_CACHE_HOME"); !cache.empty()) return cache + "/agwave/tuning.json";
  if (const std::string home = variable("HOME"); !home.empty()) return home + "/.cache/agwave/tuning.json";
  return "";
}

GemmPlan tuned_plan(const std::string& variant, const std::string& device, std::int64_t elements, GemmPlan otherwise) {
  const std::string path = tuning_path();
  const Json tables = read_tables(path);
  if (!tables.contains(variant) || !tables[variant].contains(device)) return otherwise;
  try {
    GemmPlan best = std::move(otherwise);
    double distance = INFINITY, seconds = INFINITY;
    for (const Json& row : tables[variant][device].at("rows")) {
      const double away = std::abs(std::log(row.at("elements").get<double>() / static_cast<double>(elements))),
                   took = row.at("seconds").get<double>();
      if (away > distance || (away == distance && took >= seconds)) continue;
      distance = away;
      seconds = took;
      best = {row.at("merged").get<std::int64_t>(), row.at("batch").get<int>(), path};
    }
    if (best.merged >= 1 && best.batch >= 1) return best;
  } catch (const Json::exception&) {
  }
  throw Error(ExitCode::input,
              text(path, ": the rows of ", variant, " on ", device, " are not what `agwave bench --tune` writes; write them anew with that"));
}

std::string write_tuning(const std::string& variant, const std::string& device, const std::vector<TuningRow>& rows) {
  const std::string path = tuning_path();
  if (path.empty())
    throw Error(ExitCode::output, text("--tune: there is no home directory to keep the table in; say with ", tuning_variable, " where"));
  Json tables = read_tables(path), list = Json::array();
  for (const TuningRow& row : rows)
    list.push_back({{"elements", row.elements}, {"merged", row.plan.merged}, {"batch", row.plan.batch}, {"seconds", row.seconds}});
  tables[variant][device] = {{"date", utc_now()}, {"commit", commit}, {"rows", list}};
  std::error_code failure;
  if (const auto directory = std::filesystem::path(path).parent_path(); !directory.empty()) std::filesystem::create_directories(directory, failure);
  if (failure) throw Error(ExitCode::output, text("--tune: cannot make the directory of ", path, ": ", failure.message()));
  replace_file(path, tables.dump(1) + "\n", false);
  return path;
}

}  // namespace agwave
