// SPDX-License-Identifier: Apache-2.0
// The output directory of a run: made, found large enough, cleared of what an earlier run left; and where the files are that a restarted run
// goes on with.
#pragma once
#include <string>

#include "io/trace_file.hpp"
#include "run/restart.hpp"

namespace agwave {

// Where files of so many bytes find no room in a directory, which need not exist, what to say of it; else empty. `replaces`: those of an earlier run go first.
std::string want_of_room(const std::string& directory, double bytes, bool replaces = false);

void make_directory(const std::string& directory);  // output.directory; throws Error(output)
// Where something stands in the way of a run's directory, which need not exist, or of its files, what to say of it; else empty.
std::string why_not_there(const std::string& directory);

class RunDirectory {
 public:
  RunDirectory(std::string path, const Restart* restart) : path_(std::move(path)), restart_(restart) {}
  const std::string& path() const { return path_; }
  std::string file(const std::string& name) const { return path_ + "/" + name; }

  // On rank 0; throws Error(output). `bytes`: that files will need. Another run that had come to its end is replaced, which is said unless
  // quiet; one that can be continued is not.
  void prepare(double bytes, bool quiet) const;
  // The file of the run that is continued, beside its checkpoints or here, and how many of its samples count; none without a restart.
  Earlier earlier(const std::string& name, std::int64_t samples) const;

 private:
  bool goes_on_here() const;  // with the run that wrote the checkpoint

  std::string path_;
  const Restart* restart_;  // or null
};

}  // namespace agwave
