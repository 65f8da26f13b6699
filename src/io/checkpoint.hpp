// SPDX-License-Identifier: Apache-2.0
// Checkpoints: the completed state of every rank, bit for bit as its stepper carries it, one HDF5 file per rank beside a manifest.
//   rank_000000.h5   the stepper's arrays (Stepper::arrays; their forms are in the manifest): of nodes [NZ][NY][NX], of elements
//                    [nz][ny][nx][3][64]; depth [NY][NX] [m], at the surface also surface_maximum [m] and surface_arrival [s], and a ledger of sums
// A checkpoint is written in a folder of a temporary name, flushed to the disk and then renamed: it is whole or not there.
// The same processor grid continues bit for bit; any other grid, device or variant picks its blocks out of the files.
#pragma once
#include <filesystem>
#include <span>
#include <string>
#include <vector>

#include "comm/comm.hpp"
#include "io/checkpoint_manifest.hpp"
#include "mesh/mesh.hpp"
#include "timestep/conversion.hpp"

namespace agwave {

// The newest whole checkpoint of a folder whose name comes before `before`, or "".
std::string newest_checkpoint(const std::filesystem::path& folder, const std::string& before = "~");

// What to do about a run in an output directory that was not finished: it has checkpoints and no summary.json; "" where there is none.
std::string unfinished_run(const std::string& output_directory);

void remove_checkpoints(const std::string& output_directory);  // throws Error(output)

// Collective; the last step must be complete (StateView::energies). Keeps the newest two up to this step and removes the others. Returns
// the checkpoint's path on every rank. Throws Error(output) that names the last good one.
std::string write_checkpoint(const std::string& output_directory, const Manifest& manifest, const Mesh& mesh, Stepper& stepper,
                             std::span<const double> ledger, const Comm& comm);

// `given`: a checkpoint, a folder of checkpoints or an output directory: its newest checkpoint. Throws Error(input) when there is none.
std::string find_checkpoint(const std::string& given);

// Reads manifest.json on rank 0 and hands it to all. Throws Error(input) that offers an older checkpoint, if there is one.
Manifest read_manifest(const std::string& checkpoint, const Comm& comm);

// Checks every checksum and the depth, and hands the state to the stepper. Returns the ledger: this rank's own, or with another grid
// the sum of all on rank 0 and zeros elsewhere. Collective; throws as read_manifest.
std::vector<double> restore(const std::string& checkpoint, const Manifest& manifest, const SpacesSetup& setup, Stepper& stepper, const Comm& comm);

// Bytes of this rank's file for a stepper of these arrays, its header aside.
double checkpoint_bytes(const StateArrays& arrays, const Mesh& mesh);

}  // namespace agwave
