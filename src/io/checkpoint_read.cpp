// SPDX-License-Identifier: Apache-2.0
// Reading checkpoints; see checkpoint.hpp. Node lines are [4 first, 4 (first + count)] of the whole mesh, shared ones included: with
// another processor grid a shared node comes from the lowest rank that has it, whoever reads it.
#include <sys/resource.h>

#include <algorithm>
#include <cmath>
#include <memory>

#include "error/error.hpp"
#include "files/text_file.hpp"
#include "io/checkpoint.hpp"
#include "io/state_file.hpp"

namespace agwave {
namespace {

namespace fs = std::filesystem;

bool is_checkpoint(const fs::path& path) {
  std::error_code ignored;
  return fs::exists(path / "manifest.json", ignored);
}

std::string offer_older(const std::string& checkpoint) {
  const fs::path path = fs::path(checkpoint).lexically_normal();
  const std::string older = newest_checkpoint(path.parent_path(), path.filename().string());
  return older.empty() ? "; there is no older checkpoint beside it" : "; an older one is there: try --restart " + older;
}

// Runs `part` on all ranks; what it cannot read is an error that offers an older checkpoint.
void offering(const std::string& checkpoint, const Comm& comm, const std::function<void()>& part) {
  comm.agree([&] {
    try {
      part();
    } catch (const Error& error) {
      if (error.code() != ExitCode::input) throw;
      throw Error(ExitCode::input, text("--restart: ", error.what(), offer_older(checkpoint)));
    }
  });
}

struct Cut {  // along one dimension: first of the file, first here, count
  hsize_t there = 0, here = 0, count = 0;
};
Cut overlap(std::int64_t file_first, std::int64_t file_count, std::int64_t first, std::int64_t count) {
  const std::int64_t low = std::max(file_first, first), high = std::min(file_first + file_count, first + count);
  if (high <= low) return {};
  return {static_cast<hsize_t>(low - file_first), static_cast<hsize_t>(low - first), static_cast<hsize_t>(high - low)};
}

class Files final : public StateSource {
 public:
  // `own`: this rank's file of the same block, else null.
  Files(const std::string& folder, const Manifest& manifest, const Mesh& mesh, const RankFile* own) : mesh_(mesh), arrays_(manifest.arrays) {
    const Partition& part = mesh.part;
    if (own) {
      add(folder, *own);
      return;
    }
    for (auto file = manifest.ranks.rbegin(); file != manifest.ranks.rend(); ++file) {
      bool touches = true;
      for (int d = 0; d < 3; ++d)
        touches = touches && file->first[d] <= part.first[d] + part.count[d] && part.first[d] <= file->first[d] + file->count[d];
      if (touches) add(folder, *file);
    }
  }

  const StateArrays& arrays() const override { return arrays_; }
  // NaN where no file has it.
  void read(const StateArray& array, std::int64_t n, std::vector<double>& values) override {
    if (array.items == StateArray::Items::elements)
      layer(array.name, n, values);
    else
      level(array.name, array.items == StateArray::Items::floor_rows, n, values);
  }
  // A map of the surface or the floor.
  std::vector<double> map(const std::string& name) {
    const auto NX = static_cast<hsize_t>(mesh_.NX()), NY = static_cast<hsize_t>(mesh_.NY());
    std::vector<double> values(NX * NY, NAN);
    for (Source& s : sources_) {
      const Cut x = nodes(s, 0), y = nodes(s, 1);
      if (x.count * y.count > 0 && s.file->has(name))
        s.file->read(name, {y.there, x.there}, {y.count, x.count}, values.data(), {NY, NX}, {y.here, x.here});
    }
    return values;
  }
  std::vector<double> own_ledger() { return sources_.at(0).file->whole("ledger"); }

 private:
  struct Source {
    RankFile about;
    std::unique_ptr<StateReader> file;
  };
  void add(const std::string& folder, const RankFile& about) {
    sources_.push_back({about, std::make_unique<StateReader>(folder + "/" + about.name)});
  }
  void level(const std::string& name, bool of_floor, std::int64_t k, std::vector<double>& values) {
    const Partition& p = mesh_.part;
    const auto NX = static_cast<hsize_t>(mesh_.NX()), NY = static_cast<hsize_t>(mesh_.NY());
    values.assign(NX * NY, NAN);
    for (Source& s : sources_) {
      const Cut x = nodes(s, 0), y = nodes(s, 1),
                z = overlap(P1D * s.about.first[2], of_floor ? s.about.first[2] == 0 : P1D * s.about.count[2] + 1, P1D * p.first[2] + k, 1);
      if (x.count * y.count * z.count > 0)
        s.file->read(name, {z.there, y.there, x.there}, {1, y.count, x.count}, values.data(), {1, NY, NX}, {0, y.here, x.here});
    }
  }
  void layer(const std::string& name, std::int64_t ez, std::vector<double>& values) {
    const Partition& p = mesh_.part;
    const auto nx = static_cast<hsize_t>(mesh_.nx()), ny = static_cast<hsize_t>(mesh_.ny());
    values.assign(nx * ny * 3 * L3D, NAN);
    for (Source& s : sources_) {
      const Cut x = overlap(s.about.first[0], s.about.count[0], p.first[0], p.count[0]),
                y = overlap(s.about.first[1], s.about.count[1], p.first[1], p.count[1]),
                z = overlap(s.about.first[2], s.about.count[2], p.first[2] + ez, 1);
      if (x.count * y.count * z.count > 0)
        s.file->read(name, {z.there, y.there, x.there, 0, 0}, {1, y.count, x.count, 3, L3D}, values.data(), {1, ny, nx, 3, L3D},
                     {0, y.here, x.here, 0, 0});
    }
  }
  Cut nodes(const Source& s, int d) const {
    return overlap(P1D * s.about.first[d], P1D * s.about.count[d] + 1, P1D * mesh_.part.first[d], P1D * mesh_.part.count[d] + 1);
  }
  const Mesh& mesh_;
  StateArrays arrays_;
  std::vector<Source> sources_;
};

// The files of many ranks may be open at once: as many as the system lets us.
void raise_file_limit() {
  rlimit limit{};
  if (::getrlimit(RLIMIT_NOFILE, &limit) != 0) return;
  limit.rlim_cur = limit.rlim_max;
  ::setrlimit(RLIMIT_NOFILE, &limit);
}

// This rank's file when every rank finds its block as it was.
const RankFile* same_block(const Manifest& manifest, const Partition& part, const Comm& comm) {
  const auto rank = static_cast<std::size_t>(comm.rank());
  const RankFile* own = manifest.grid == part.grid && rank < manifest.ranks.size() ? &manifest.ranks[rank] : nullptr;
  const bool same = own && own->first == part.first && own->count == part.count;
  return comm.sum(std::int64_t{same}) == comm.size() ? own : nullptr;
}

void check_depth(const Mesh& mesh, Files& files, const std::string& checkpoint) {
  const std::vector<double> then = files.map("depth");
  for (std::size_t n = 0; n < then.size(); ++n)
    if (!(std::abs(then[n] - mesh.depth[n]) <= 1e-9 * mesh.depth[n]))
      throw Error(ExitCode::usage, text("--restart: the sea floor is not that of ", checkpoint, ": a column node is ", mesh.depth[n],
                                        " m deep now and was ", then[n], " m; restore the bathymetry file, or run the case from the start"));
}

std::vector<double> add_ledgers(const std::string& folder, const Manifest& manifest) {
  std::vector<double> sum;
  for (const RankFile& rank : manifest.ranks) {
    const std::vector<double> one = StateReader(folder + "/" + rank.name).whole("ledger");
    sum.resize(one.size(), 0.0);
    for (std::size_t n = 0; n < one.size(); ++n) sum[n] += one[n];
  }
  return sum;
}

}  // namespace

std::string newest_checkpoint(const fs::path& folder, const std::string& before) {
  std::error_code failure;
  std::string newest;
  for (const auto& entry : fs::directory_iterator(folder.empty() ? "." : folder, failure)) {
    const std::string name = entry.path().filename().string();
    if (name.starts_with("step_") && entry.path().extension().empty() && name < before && name > newest && is_checkpoint(entry.path())) newest = name;
  }
  return newest.empty() ? "" : (folder / newest).string();
}

std::string unfinished_run(const std::string& output_directory) {
  std::error_code ignored;
  const fs::path folder = fs::path(output_directory) / "checkpoints";
  if (newest_checkpoint(folder).empty() || fs::exists(fs::path(output_directory) / "summary.json", ignored)) return "";
  return text("output.directory: ", output_directory, " holds a run that was not finished; continue it with --restart ", output_directory,
              ", remove ", folder.string(), ", or give another --output");
}

std::string find_checkpoint(const std::string& given) {
  if (is_checkpoint(given)) return (fs::absolute(given) / "").lexically_normal().parent_path().string();  // without a slash at its end
  for (const fs::path& folder : {fs::path(given) / "checkpoints", fs::path(given)})
    if (std::string newest = newest_checkpoint(folder); !newest.empty()) return newest;
  throw Error(ExitCode::input, text("--restart: ", given,
                                    " holds no whole checkpoint; give the output directory of a run with checkpoints, or one of its "
                                    "checkpoints/step_... folders"));
}

Manifest read_manifest(const std::string& checkpoint, const Comm& comm) {
  const std::string path = checkpoint + "/manifest.json";
  std::string source;
  offering(checkpoint, comm, [&] {
    if (!comm.root()) return;
    if (const std::string why = read_text_file(path, source); !why.empty()) throw Error(ExitCode::input, text(path, ": cannot be read: ", why));
  });
  source = comm.broadcast(std::move(source));
  Manifest manifest;
  offering(checkpoint, comm, [&] { manifest = parse_manifest(path, source); });
  return manifest;
}

std::vector<double> restore(const std::string& checkpoint, const Manifest& manifest, const SpacesSetup& setup, Stepper& stepper, const Comm& comm) {
  const Mesh& mesh = setup.mesh;
  const RankFile* own = same_block(manifest, mesh.part, comm);
  std::vector<double> ledger;
  offering(checkpoint, comm, [&] {  // all of it before any of it is used
    for (std::size_t n = static_cast<std::size_t>(comm.rank()); n < manifest.ranks.size(); n += static_cast<std::size_t>(comm.size()))
      StateReader(checkpoint + "/" + manifest.ranks[n].name).verify(manifest.ranks[n].checksums);
  });
  raise_file_limit();
  offering(checkpoint, comm, [&] {
    Files files(checkpoint, manifest, mesh, own);
    check_depth(mesh, files, checkpoint);
    try {
      hand_over(files, setup, stepper);
    } catch (const Error& error) {
      if (error.code() != ExitCode::usage) throw;
      throw Error(error.code(), text("--restart: ", checkpoint, ": ", error.what()));
    }
    if (mesh.part.at_high(2)) stepper.view().set_surface_extremes(files.map("surface_maximum"), files.map("surface_arrival"));
    if (own)
      ledger = files.own_ledger();
    else if (comm.root())
      ledger = add_ledgers(checkpoint, manifest);
  });
  ledger.resize(static_cast<std::size_t>(comm.max(static_cast<double>(ledger.size()))), 0.0);
  return ledger;
}

}  // namespace agwave
