// SPDX-License-Identifier: Apache-2.0
// Writing checkpoints; see checkpoint.hpp.
#include <algorithm>
#include <cstdio>
#include <exception>
#include <optional>

#include "error/error.hpp"
#include "files/replace_file.hpp"
#include "files/text_file.hpp"
#include "io/checkpoint.hpp"
#include "io/state_file.hpp"

namespace agwave {
namespace {

namespace fs = std::filesystem;

hsize_t size(std::int64_t n) { return static_cast<hsize_t>(n); }

// What the stepper is asked may be collective: a rank that cannot write asks all the same.
RankFile write_rank(const fs::path& folder, const Mesh& m, Stepper& stepper, std::span<const double> ledger, const Comm& comm) {
  RankFile about{"rank_" + padded(comm.rank(), 6) + ".h5", m.part.first, m.part.count, {}};
  const std::int64_t NX = m.NX(), NY = m.NY();
  const auto values = [&](const StateArray& array) {  // of a slab
    return static_cast<std::size_t>(items_of_slab(array, m) * (array.items != StateArray::Items::elements ? NX : 3 * L3D));
  };
  std::optional<StateWriter> file;
  std::vector<double> slab, height, maximum, arrival;
  comm.agree([&] {
    file.emplace((folder / about.name).string());
    for (const StateArray& array : stepper.arrays()) slab.resize(std::max(slab.size(), values(array)));
  });
  std::exception_ptr failure;
  const auto write = [&](const auto& what) {
    if (failure) return;
    try {
      what();
    } catch (...) {
      failure = std::current_exception();
    }
  };
  for (const StateArray& array : stepper.arrays()) {
    const bool nodes = array.items != StateArray::Items::elements;
    const std::int64_t count = slabs(array, m), items = items_of_slab(array, m);
    const std::span one = std::span(slab).first(values(array));
    write([&] {
      file->create(array.name, nodes ? Extent{size(count), size(NY), size(NX)} : Extent{size(count), size(m.ny()), size(m.nx()), 3, L3D});
    });
    for (std::int64_t n = 0; n < count; ++n) {
      stepper.get(array, n * items, one);
      write([&] { file->append(array.name, one); });
    }
  }
  stepper.view().surface(height, maximum, arrival);
  comm.agree([&] {
    if (failure) std::rethrow_exception(failure);
    const Extent level{size(NY), size(NX)};
    file->whole("depth", level, m.depth);
    if (!maximum.empty()) {
      file->whole("surface_maximum", level, maximum);
      file->whole("surface_arrival", level, arrival);
    }
    file->whole("ledger", {ledger.size()}, ledger);
    about.checksums = file->publish();
  });
  return about;
}

// Those of later steps belong to a run that was continued from before them.
void remove_others(const fs::path& folder, const std::string& kept) {
  const fs::path older = newest_checkpoint(folder, kept);
  std::vector<fs::path> others;
  for (const auto& entry : fs::directory_iterator(folder))
    if (entry.path().filename().string().starts_with("step_") && entry.path().filename() != kept && entry.path() != older)
      others.push_back(entry.path());
  for (const fs::path& path : others) {
    std::error_code failure;  // one that stays does no harm: the next checkpoint tries again
    fs::remove_all(path, failure);
    if (failure) std::fprintf(stderr, "warning: %s: an older checkpoint cannot be removed: %s\n", path.c_str(), failure.message().c_str());
  }
}

}  // namespace

std::string write_checkpoint(const std::string& output_directory, const Manifest& manifest, const Mesh& mesh, Stepper& stepper,
                             std::span<const double> ledger, const Comm& comm) {
  const std::string name = "step_" + padded(manifest.step, 12);
  const fs::path folder = output_directory + "/checkpoints", path = folder / name, part = folder / (name + ".part"), old = folder / (name + ".old");
  try {
    comm.agree([&] {
      if (!comm.root()) return;
      try {
        fs::remove_all(part);
        fs::create_directories(part);
      } catch (const fs::filesystem_error& e) {
        throw Error(ExitCode::output, text(part.string(), ": cannot create the folder: ", e.code().message()));
      }
    });
    const std::string about = to_text(write_rank(part, mesh, stepper, ledger, comm));
    std::vector<std::string> all;
    comm.gather<char>(about, [&](int, std::span<const char> one) { all.emplace_back(one.begin(), one.end()); });
    comm.agree([&] {
      if (!comm.root()) return;
      replace_file((part / "manifest.json").string(), manifest_text(manifest, all), true);
      try {
        fs::remove_all(old);
        if (fs::exists(path)) fs::rename(path, old);  // of an abandoned run: an older one stands while there is none of this name
        fs::rename(part, path);
        sync_directory(folder);
        remove_others(folder, name);
      } catch (const fs::filesystem_error& e) {
        throw Error(ExitCode::output, text(path.string(), ": cannot finish the checkpoint: ", e.code().message()));
      }
    });
  } catch (const AgreedError& error) {
    std::error_code ignored;
    std::string last;
    if (comm.root()) {
      fs::remove_all(part, ignored);
      last = newest_checkpoint(folder);
    }
    last = comm.broadcast(last);
    throw AgreedError(error.code(),
                      text("writing a checkpoint: ", error.what(),
                           last.empty() ? "; there is no earlier one" : "; the last good one is " + last + ", continue with --restart " + last));
  }
  return path.string();
}

void remove_checkpoints(const std::string& output_directory) {
  const std::string folder = output_directory + "/checkpoints";
  std::error_code failure;
  fs::remove_all(folder, failure);
  if (failure) throw Error(ExitCode::output, text(folder, ": cannot remove the checkpoints of an earlier run: ", failure.message()));
}

double checkpoint_bytes(const StateArrays& arrays, const Mesh& mesh) {
  double values = (mesh.part.at_high(2) ? 3.0 : 1.0) * static_cast<double>(mesh.NX()) * mesh.NY();
  for (const StateArray& array : arrays)
    values += static_cast<double>(slabs(array, mesh) * items_of_slab(array, mesh)) *
              (array.items == StateArray::Items::elements ? 3.0 * L3D : static_cast<double>(mesh.NX()));
  return 8 * values;
}

}  // namespace agwave
