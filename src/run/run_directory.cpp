// SPDX-License-Identifier: Apache-2.0
#include "run/run_directory.hpp"

#include <cstdio>
#include <filesystem>
#include <regex>
#include <vector>

#include "error/error.hpp"
#include "io/checkpoint.hpp"
#include "io/write_speed.hpp"

namespace agwave {

namespace fs = std::filesystem;

namespace {

std::string no_directory(const std::string& directory, const std::string& why) {
  return text("output.directory: cannot use ", directory, " as a directory: ", why, "; give another with --output");
}

std::string file_in_the_way(const std::string& directory) {
  std::error_code ignored;
  const std::string there = existing_part(directory);
  return fs::is_directory(there, ignored) ? "" : no_directory(directory, there + " is a file");
}

}  // namespace

void make_directory(const std::string& directory) {
  if (const std::string why = file_in_the_way(directory); !why.empty()) throw Error(ExitCode::output, why);
  std::error_code failure;
  fs::create_directories(directory, failure);
  if (failure) throw Error(ExitCode::output, no_directory(directory, failure.message()));
}

std::string why_not_there(const std::string& directory) {
  if (const std::string why = file_in_the_way(directory); !why.empty()) return why;
  std::error_code ignored;
  for (const char* name : {"sensors.h5", "progress.json", "summary.json"})
    if (fs::is_directory(fs::symlink_status(fs::path(directory) / name, ignored)))
      return text("output.directory: ", directory, "/", name,
                  " is a directory, and a run writes a file of this name; remove it, or give another --output");
  return "";
}

namespace {

// Files of an earlier run. What cannot be a file of ours does not count.
std::vector<fs::path> old_outputs(const std::string& directory, std::error_code& unlisted) {
  const std::regex ours(R"(sensors\.h5|surface\.h5|(summary|progress)\.json(\..*\.part)?|(mesh_)?(volume|seafloor)(_\d+)?\.vtkhdf(\.series)?)");
  std::vector<fs::path> paths;
  for (fs::directory_iterator entry(directory, unlisted), end; !unlisted && entry != end; entry.increment(unlisted))
    if (std::regex_match(entry->path().filename().string(), ours)) paths.push_back(entry->path());
  return paths;
}

// They would pass for this one's, should it fail.
void remove_old_outputs(const std::string& directory) {
  std::error_code unlisted;
  const std::vector<fs::path> paths = old_outputs(directory, unlisted);
  if (unlisted)
    throw Error(ExitCode::output, text("output.directory: cannot list ", directory, ": ", unlisted.message(), "; give another with --output"));
  for (const fs::path& path : paths) {
    std::error_code failure;
    if (fs::is_directory(fs::symlink_status(path, failure))) continue;
    fs::remove(path, failure);
    if (failure)
      throw Error(ExitCode::output, text("output.directory: cannot remove the ", path.filename().string(), " of an earlier run in ", directory, ": ",
                                         failure.message(), "; give another with --output"));
  }
}

}  // namespace

// Files get their room at once; a disk should not be filled before it turns out to be too small.
std::string want_of_room(const std::string& directory, double bytes, bool replaces) {
  std::error_code failure, ignored;
  const fs::space_info space = fs::space(existing_part(directory), failure);
  if (failure) return "";
  auto room = static_cast<double>(space.available);
  if (replaces)
    for (const fs::path& path : old_outputs(directory, ignored))
      if (const auto size = fs::file_size(path, failure); !failure) room += static_cast<double>(size);
  if (bytes <= room) return "";
  return text(directory, ": traces and maps need ", rounded(bytes * 1e-9), " GB, and ", rounded(room * 1e-9),
              " GB are free; give longer intervals, fewer sensors, or another --output");
}

// A checkpoint by itself, moved from where its run wrote it, is one of the run whose files are here.
bool RunDirectory::goes_on_here() const {
  if (!restart_) return false;
  const std::string there = directory_of(*restart_);
  std::error_code ignored;
  return there.empty() || fs::equivalent(there, path_, ignored);
}

void RunDirectory::prepare(double bytes, bool quiet) const {
  make_directory(path_);
  if (const std::string why = why_not_there(path_); !why.empty()) throw Error(ExitCode::output, why);
  if (!goes_on_here()) {
    if (const std::string what = unfinished_run(path_); !what.empty()) throw Error(ExitCode::output, what);
    remove_checkpoints(path_);
    if (std::error_code ignored; !quiet && fs::exists(file("summary.json"), ignored))
      std::printf("replaces the run in %s, which had come to its end\n", path_.c_str());
    remove_old_outputs(path_);
  }
  if (const std::string what = want_of_room(path_, bytes); !what.empty()) throw Error(ExitCode::output, what);
  std::error_code ignored;
  fs::remove(file("summary.json"), ignored);  // of a run that had come to its end
}

Earlier RunDirectory::earlier(const std::string& name, std::int64_t samples) const {
  if (!restart_) return {};
  const std::string there = directory_of(*restart_);
  const fs::path beside = fs::path(there) / name;
  if (std::error_code ignored; !there.empty() && fs::exists(beside, ignored)) return {beside.string(), samples};
  return {file(name), samples};
}

}  // namespace agwave
