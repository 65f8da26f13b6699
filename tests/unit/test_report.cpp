// SPDX-License-Identifier: Apache-2.0
// summary.json, progress.json and the line that a run shows.
#include <gtest/gtest.h>

#include <fstream>
#include <limits>
#include <nlohmann/json.hpp>

#include "expect_error.hpp"
#include "files/version.hpp"
#include "io/report.hpp"
#include "outputs.hpp"

namespace agwave {
namespace {

constexpr double nan = std::numeric_limits<double>::quiet_NaN();
using Report = Outputs;

TEST_F(Report, SummaryHasTheContractsKeys) {
  Summary summary;
  summary.title = "t";
  summary.elements = {8, 6, 4};
  summary.energy.residual = nan;
  write_summary(path("summary.json"), summary);
  const auto json = nlohmann::ordered_json::parse(std::ifstream(path("summary.json")));
  std::vector<std::string> keys, energy;
  for (const auto& [key, value] : json.items()) keys.push_back(key);
  for (const auto& [key, value] : json["energy"].items()) energy.push_back(key);
  EXPECT_EQ(keys, (std::vector<std::string>{"title",
                                            "elements",
                                            "dofs",
                                            "step_s",
                                            "steps",
                                            "first_step",
                                            "steps_made",
                                            "restarted_from",
                                            "end_s",
                                            "wall_s",
                                            "loop_s",
                                            "step_gdofs",
                                            "model_seconds_per_second",
                                            "threads",
                                            "exchange",
                                            "peak_bytes_per_dof",
                                            "energy",
                                            "max_pressure_pa",
                                            "max_surface_height_m",
                                            "note",
                                            "notes",
                                            "version",
                                            "commit"}));
  EXPECT_TRUE(json["exchange"].is_null());  // one rank
  summary.exchange = {"mpi", 1e6, nan};
  write_summary(path("summary.json"), summary);
  const auto several = nlohmann::ordered_json::parse(std::ifstream(path("summary.json")));
  EXPECT_EQ(several["exchange"], nlohmann::ordered_json({{"transport", "mpi"}, {"bytes_per_step", 1e6}, {"waited_s_per_step", nullptr}}));
  EXPECT_EQ(energy, (std::vector<std::string>{"final", "source_work", "boundary_loss", "sponge_loss", "floor_loss", "floor_energy", "residual"}));
  EXPECT_TRUE(json["energy"]["residual"].is_null());
  EXPECT_EQ(json["elements"], nlohmann::ordered_json({8, 6, 4}));
  EXPECT_EQ(json["version"], version);
  EXPECT_EQ(files(), 1u);
  EXPECT_EQ(message_of(ExitCode::output, [&] { write_summary(path("missing/summary.json"), {}); }),
            path("missing/summary.json") + ": cannot write the file: No such file or directory");
}

TEST_F(Report, ProgressLinesAndFile) {
  const ProgressState early{0, 100, 0.0, 10.0, 0.0, 0.0, 0.0, 0.0},
      half{50, 100, 5.0, 10.0, 65.0, 1.25, 0.5, 2.0e4, {9.0e11, 1.0e12, 0.9e11, 2.0e3, 0.1e11}};
  ::testing::internal::CaptureStdout();  // a file, so plain lines
  Progress progress(path("progress.json"), false, 0.0);
  EXPECT_TRUE(progress.due());
  progress.update(early);
  EXPECT_TRUE(nlohmann::json::parse(std::ifstream(path("progress.json")))["eta_s"].is_null());
  progress.update(half);
  const std::string printed = ::testing::internal::GetCapturedStdout();
  EXPECT_EQ(printed.substr(printed.find('\n') + 1),
            " 50.0 %  step 50/100  t 5.00/10 s  ETA 1:05  1.25 GDOF*step/s  max eta 0.5 m, |p| 2e+04 Pa  E 9e+11 = work 1e+12 - loss 1e+11 + "
            "residual 2e+03 J\n");
  const auto json = nlohmann::json::parse(std::ifstream(path("progress.json")));
  EXPECT_EQ(json["step"], 50);
  EXPECT_EQ(json["percent"], 50.0);
  EXPECT_EQ(json["eta_s"], 65.0);
  EXPECT_FALSE(json["finished"]);
  EXPECT_EQ(json["energy"], nlohmann::json({{"final", 9.0e11},
                                            {"source_work", 1.0e12},
                                            {"boundary_loss", 0.9e11},
                                            {"sponge_loss", 0.1e11},
                                            {"floor_loss", 0.0},
                                            {"floor_energy", 0.0},
                                            {"residual", 2.0e3}}));
  EXPECT_EQ(files(), 1u);
}

TEST_F(Report, QuietProgressStillWritesItsFileAndSurvivesAFullDisk) {
  ::testing::internal::CaptureStdout();
  Progress progress(path("progress.json"), true, 3600.0);
  progress.update({1, 2, 1.0, 2.0, 1.0, 1.0, 0.5, 2.0});
  EXPECT_FALSE(progress.due());
  progress.finish({2, 2, 2.0, 2.0, 2.0, 1.0, 0.5, 2.0});
  EXPECT_EQ(::testing::internal::GetCapturedStdout(), "");
  EXPECT_TRUE(nlohmann::json::parse(std::ifstream(path("progress.json")))["finished"]);

  ::testing::internal::CaptureStderr();
  Progress nowhere(path("missing/progress.json"), true);
  nowhere.update({});
  nowhere.update({});
  EXPECT_EQ(::testing::internal::GetCapturedStderr(),
            "warning: " + path("missing/progress.json") + ": cannot write the file: No such file or directory; the run goes on\n");
}

}  // namespace
}  // namespace agwave
