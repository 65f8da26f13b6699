// SPDX-License-Identifier: Apache-2.0
// The subcommands behind the command line; main.cpp fills the options.
#pragma once
#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "case/case.hpp"
#include "comm/comm.hpp"

namespace agwave {

struct CommonOptions {
  std::string case_file;
  std::vector<std::string> overrides;            // --set
  std::string output, device, variant, restart;  // empty: as the case says
  bool quiet = false;
};

// Rank 0 reads the file, every rank parses the same text. Throws on all ranks alike.
Case load_case(const CommonOptions& options, const Comm& comm);

void run_command(const CommonOptions& options, const Comm& comm);
void check_command(const CommonOptions& options, const std::string& plot, bool json, const Comm& comm);
void prepare_command(const CommonOptions& options, const std::string& path, const Comm& comm);

// sensors: [first, last) alone.
void p2o_command(const CommonOptions& options, bool restart, const std::optional<std::array<std::int64_t, 2>>& sensors, const Comm& comm);
void info_command(const Comm& comm);
void schema_command(bool json, const Comm& comm);

struct BenchOptions {
  std::string device = "auto", variants = "all", json, grid, within, transport = "auto", precision = "double";
  std::vector<std::string> elements;  // "NXxNYxNZ"
  bool guard = false;                 // measure what the guards of a run cost
  bool exchange = false;              // measure what the exchange costs
  bool no_overlap = false;            // nothing works while messages travel
  int spare = 1;                      // multiprocessors that two-sweep leaves to the exchange
  bool tune = false;                  // measure how operators that choose split their work best, and keep it
  bool sweep = false;                 // sizes from 1e5 to 2e9 dofs instead
  int order = 4, steps = 20, warmup = 10, quadrature = 4, sensors = 100;
  double energy_seconds = 1;  // how long each power measurement takes [s]; 0: none
};
void bench_command(const BenchOptions& options, const Comm& comm);

}  // namespace agwave
