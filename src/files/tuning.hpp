// SPDX-License-Identifier: Apache-2.0
// What `agwave bench --tune` has measured, kept from one program to the next: a JSON file in the user's cache or where AGWAVE_TUNING says,
//   {VARIANT: {DEVICE: {"date": ..., "commit": ..., "rows": [{"elements", "merged", "batch", "seconds"}, ...]}}}
// with a row for each size of mesh and way to split its work.
#pragma once
#include <cstdint>
#include <string>
#include <vector>

namespace agwave {

// How many elements become columns of one product, and how many such products one call makes.
struct GemmPlan {
  std::int64_t merged = 1;
  int batch = 1;
  std::string from;  // where it comes from, in words
  std::int64_t chunk() const { return merged * batch; }
};
std::string to_string(const GemmPlan& plan);

struct TuningRow {
  std::int64_t elements = 0;  // of the mesh
  GemmPlan plan;
  double seconds = 0;  // of one application of both blocks, the median
};

inline constexpr const char* tuning_variable = "AGWAVE_TUNING";
// $AGWAVE_TUNING, else agwave/tuning.json in $XDG_CACHE_HOME or ~/.cache; empty where there is neither.
std::string tuning_path();

// The fastest plan of the size nearest to that of the mesh, by ratio; `otherwise` where there is no table for the variant on the device. Throws Error(input)
// when the file cannot be read as a table.
GemmPlan tuned_plan(const std::string& variant, const std::string& device, std::int64_t elements, GemmPlan otherwise);

// Replaces the rows of the variant on the device and keeps all others; makes the directory. Returns the path. Throws Error(output).
std::string write_tuning(const std::string& variant, const std::string& device, const std::vector<TuningRow>& rows);

}  // namespace agwave
