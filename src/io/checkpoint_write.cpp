// SPDX-License-Identifier: Apache-2.0
// Writing checkpoints; see checkpoint.hpp.
#include <cstdio>

#include "error/error.hpp"
#include "files/replace_file.hpp"
#include "io/checkpoint.hpp"
#include "io/state_file.hpp"

namespace agwave {
namespace {

namespace fs = std::filesystem;

std::string padded(const char* format, std::int64_t number) {
  char name[48];
  std::snprintf(name, sizeof name, format, static_cast<long long>(number));
  return name;
}

hsize_t size(std::int64_t n) { return static_cast<hsize_t>(n); }

RankFile write_rank(const fs::path& folder, const Mesh& m, Stepper& stepper, std::span<const double> ledger, int rank) {
  RankFile about{padded("rank_%06lld.h5", rank), m.part.first, m.part.count, {}};
  StateWriter file((folder / about.name).string());
  const std::int64_t NX = m.NX(), NY = m.NY(), NZ = m.NZ(), columns = std::int64_t{m.nx()} * m.ny();
  file.create("pressure", {size(NZ), size(NY), size(NX)});
  std::vector<double> slab(static_cast<std::size_t>(NX * NY));
  for (std::int64_t k = 0; k < NZ; ++k) {
    stepper.get_rows(k * NY, slab);
    file.append("pressure", slab);
  }
  file.create("velocity", {size(m.nz()), size(m.ny()), size(m.nx()), 3, L3D});
  slab.resize(static_cast<std::size_t>(columns * 3 * L3D));
  for (std::int64_t ez = 0; ez < m.nz(); ++ez) {
    stepper.get_elements(ez * columns, slab);
    file.append("velocity", slab);
  }
  const Extent level{size(NY), size(NX)};
  file.whole("depth", level, m.depth);
  std::vector<double> height, maximum, arrival;
  stepper.surface(height, maximum, arrival);
  if (!maximum.empty()) {
    file.whole("surface_maximum", level, maximum);
    file.whole("surface_arrival", level, arrival);
  }
  file.whole("ledger", {ledger.size()}, ledger);
  about.checksums = file.publish();
  return about;
}

// Every rank's text, on rank 0.
std::vector<std::string> gather(const std::string& own, const Comm& comm) {
  const int length = static_cast<int>(own.size());
  std::vector<int> lengths(comm.root() ? comm.size() : 0), starts;
  AGWAVE_MPI(MPI_Gather(&length, 1, MPI_INT, lengths.data(), 1, MPI_INT, 0, comm.mpi()));
  int total = 0;
  for (const int n : lengths) {
    starts.push_back(total);
    total += n;
  }
  std::string all(static_cast<std::size_t>(total), ' ');
  AGWAVE_MPI(MPI_Gatherv(own.data(), length, MPI_CHAR, all.data(), lengths.data(), starts.data(), MPI_CHAR, 0, comm.mpi()));
  std::vector<std::string> texts;
  for (std::size_t n = 0; n < lengths.size(); ++n)
    texts.push_back(all.substr(static_cast<std::size_t>(starts[n]), static_cast<std::size_t>(lengths[n])));
  return texts;
}

// Those of later steps belong to a run that was continued from before them.
void remove_others(const fs::path& folder, const std::string& kept) {
  const fs::path older = newest_checkpoint(folder, kept);
  std::vector<fs::path> others;
  for (const auto& entry : fs::directory_iterator(folder))
    if (entry.path().filename().string().starts_with("step_") && entry.path().filename() != kept && entry.path() != older)
      others.push_back(entry.path());
  for (const fs::path& path : others) fs::remove_all(path);
}

}  // namespace

std::string CheckpointFolder::write(const Manifest& manifest, const Mesh& mesh, Stepper& stepper, std::span<const double> ledger) {
  const std::string name = padded("step_%012lld", manifest.step);
  const fs::path path = folder_ / name, part = folder_ / (name + ".part"), old = folder_ / (name + ".old");
  try {
    comm_.agree([&] {
      if (!comm_.root()) return;
      try {
        fs::remove_all(part);
        fs::create_directories(part);
      } catch (const fs::filesystem_error& e) {
        throw Error(ExitCode::output, text(part.string(), ": cannot create the folder: ", e.code().message()));
      }
    });
    std::string about;
    comm_.agree([&] { about = to_text(write_rank(part, mesh, stepper, ledger, comm_.rank())); });
    const std::vector<std::string> all = gather(about, comm_);
    comm_.agree([&] {
      if (!comm_.root()) return;
      replace_file((part / "manifest.json").string(), manifest_text(manifest, all), true);
      try {
        fs::remove_all(old);
        if (fs::exists(path)) fs::rename(path, old);  // of an abandoned run: an older one stands while there is none of this name
        fs::rename(part, path);
        sync_directory(folder_);
        remove_others(folder_, name);
      } catch (const fs::filesystem_error& e) {
        throw Error(ExitCode::output, text(path.string(), ": cannot finish the checkpoint: ", e.code().message()));
      }
    });
  } catch (const AgreedError& error) {
    std::error_code ignored;
    std::string last;
    if (comm_.root()) {
      fs::remove_all(part, ignored);
      last = newest_checkpoint(folder_);
    }
    last = comm_.broadcast(last);
    throw AgreedError(error.code(),
                      text("writing a checkpoint: ", error.what(),
                           last.empty() ? "; there is no earlier one" : "; the last good one is " + last + ", continue with --restart " + last));
  }
  return path.string();
}

void CheckpointFolder::remove_all() const {
  std::error_code failure;
  fs::remove_all(folder_, failure);
  if (failure) throw Error(ExitCode::output, text(folder_.string(), ": cannot remove the checkpoints of an earlier run: ", failure.message()));
}

double checkpoint_bytes(const Mesh& mesh) {
  return 8 * (static_cast<double>(mesh.nodes()) + 3.0 * L3D * static_cast<double>(mesh.NE()) +
              (mesh.part.at_high(2) ? 3.0 : 1.0) * static_cast<double>(mesh.NX()) * mesh.NY());
}

}  // namespace agwave
