// SPDX-License-Identifier: Apache-2.0
// agwave prepare
#include <cstdio>
#include <filesystem>

#include "case/case_file.hpp"
#include "commands/commands.hpp"
#include "error/error.hpp"
#include "files/replace_file.hpp"
#include "source/prepared.hpp"

namespace agwave {

namespace {

void refuse_what_is_there(const Case& c, const std::string& path) {
  if (is_stream(path)) throw Error(ExitCode::usage, text("file: ", path, " is no file, and HDF5 writes to nothing else; give the name of a file"));
  std::error_code ignored;
  if (std::filesystem::is_directory(path, ignored)) throw Error(ExitCode::usage, text("file: ", path, " is a folder; give the name of a file"));
  for (const std::string& input : input_files(c))
    if (std::filesystem::equivalent(input, path, ignored))
      throw Error(ExitCode::usage, text("file: ", path, " is read, and would be written over; give another name"));
}

}  // namespace

void prepare_command(const CommonOptions& options, const std::string& path, const Comm& comm) {
  const Case c = load_case(options, comm);
  comm.agree([&] {
    if (!comm.root()) return;
    refuse_what_is_there(c, path);
    write_prepared(c, path);
  });
  if (!comm.root() || options.quiet) return;
  const std::string whole = std::filesystem::absolute(path).lexically_normal().string();  // a relative one would count from the case file
  std::printf("wrote %s; use it with  --set 'domain.bathymetry={type: prepared, file: \"%s\"}'\n", path.c_str(), whole.c_str());
}

}  // namespace agwave
