// SPDX-License-Identifier: Apache-2.0
// Which finite-fault reader serves which file.
#include "source/finite_fault.hpp"

#include <algorithm>
#include <filesystem>

#include "files/text_file.hpp"

namespace agwave {

std::optional<std::string> read_whole(Findings& findings, const std::string& file, const Mark& mark, const char* what) {
  std::string content;
  const std::string why = read_text_file(file, content);
  if (why.empty()) return content;
  findings.add(mark, text("cannot read the ", what), {"'" + file + "' (" + why + ")", "a file", base_of_paths(mark), ExitCode::input});
  return std::nullopt;
}

std::string beyond_limits(const Subfault& f) {
  struct Limit {
    const char* name;
    double value, least, most;
    const char* unit;
  };
  const Limit limits[] = {{"longitude", f.place.x, -720, 720, " degrees"},
                          {"latitude", f.place.y, -90, 90, " degrees"},
                          {"depth", f.depth, -20e3, 1e6, " m"},
                          {"strike", f.strike, -720, 720, " degrees"},
                          {"dip", f.dip, 0, 90, " degrees"},
                          {"rake", f.rake, -720, 720, " degrees"},
                          {"slip", f.slip, 0, 1e3, " m"},
                          {"length", f.length, 1e-3, 1e7, " m"},
                          {"width", f.width, 1e-3, 1e7, " m"},
                          {"start of the rupture", f.start.value_or(0), 0, 1e6, " s"},
                          {"rise time", f.rise.value_or(1), 1e-3, 1e6, " s"}};
  for (const Limit& limit : limits) {
    if (!(limit.value >= limit.least && limit.value <= limit.most))
      return text("its ", limit.name, " is ", limit.value, limit.unit, "; ", limit.least, " to ", limit.most, " can be");
  }
  return "";
}

std::string softness_note(const std::vector<LocatedSubfault>& list, const std::string& file) {
  constexpr double softest = 1e8;  // [Pa]: mud of the sea floor has more
  std::size_t soft = 0;
  double slip = 0;
  for (const auto& [f, mark] : list) {
    if (!f.moment || !(*f.moment < softest * f.slip * f.length * f.width)) continue;
    ++soft;
    slip = std::max(slip, f.slip);
  }
  if (soft == 0) return "";
  return text(
      "note: ", soft, " of ", list.size(), " subfaults of ", file, ", with up to ", slip, " m of slip, have a rigidity below ", softest,
      " Pa by their moment: they lie in water, as if depths began at the sea surface. Their slip counts as in rock; take them out of the file and "
      "give minus the depth of the water as depth_shift");
}

std::vector<LocatedSubfault> read_finite_fault(Findings& findings, const std::string& file, const std::string& format, const Mark& mark,
                                               std::optional<Reference>& reference) {
  std::filesystem::path name(file);
  if (name.extension() == ".txt") name.replace_extension();  // .fsp.txt
  const std::string ending = name.extension().string();
  if (format == "fsp" || (format == "auto" && ending == ".fsp")) return read_fsp(findings, file, mark, reference);
  if (format == "geojson" || (format == "auto" && (ending == ".geojson" || ending == ".json")))
    return read_ffm_geojson(findings, file, mark, reference);
  if (format == "csv" || (format == "auto" && ending == ".csv")) return read_fault_csv(findings, file, mark, reference);
  if (format == "auto") {
    findings.add(mark, "the format of the finite-fault file is not known by its name",
                 {"'" + file + "'", "names that end in .fsp, .geojson, .json or .csv", "give format: fsp, format: geojson or format: csv"});
  }
  return {};
}

}  // namespace agwave
