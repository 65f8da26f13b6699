// SPDX-License-Identifier: Apache-2.0
// manifest.json of a checkpoint: what the state beside it is, and the checksum of every dataset. Written last, so that a folder with
// a manifest is whole; its last entry is the checksum of the text before it.
//   <output directory>/checkpoints/step_000000001200/{manifest.json, rank_000000.h5, ...}
#pragma once
#include <array>
#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "case/case.hpp"
#include "mesh/partition.hpp"
#include "timestep/stepper.hpp"

namespace agwave {

struct RankFile {  // one rank's file, and the block of elements in it
  std::string name;
  Counts first{}, count{};
  std::map<std::string, std::string> checksums;  // per dataset
};

struct Manifest {
  Counts elements{};
  int order = 4, quadrature = 4;
  std::int64_t step = 0;
  double time = 0, dt = 0;
  std::vector<std::array<std::int64_t, 2>> levels;  // of local steps: halvings of dt, columns; empty where all take dt
  std::array<int, 3> grid{1, 1, 1};
  std::string scheme, variant, device, version, commit;  // what wrote it
  bool single = false;                                   // in single precision
  std::vector<StateArray> arrays;                        // the state in the files of the ranks
  std::int64_t samples = 0;                              // in sensors.h5
  double surface_interval = 0;                           // of surface.h5; 0: none
  double last_energy = 0, largest_energy = 0, last_check = 0, max_pressure = 0, max_height = 0;
  std::vector<double> sources;  // Model::source_fingerprint
  std::string sensors;          // checksum of names and places
  std::string sound;            // SoundSpeed::fingerprint; empty for one speed everywhere
  std::string sediments{};      // Sediments::fingerprint; empty without them
  double filter_longer = 0;     // KinkFilter::longer; 0: nothing is filtered
  CaseKeys keys;
  std::string case_file;  // verbatim
  std::vector<RankFile> ranks;
};

std::string to_text(const RankFile& rank);  // of its JSON, to be gathered
std::string manifest_text(const Manifest& manifest, const std::vector<std::string>& ranks);
// Throws Error(input) that begins with the path when the text is damaged or of a format that is not read.
Manifest parse_manifest(const std::string& path, const std::string& text);

}  // namespace agwave
