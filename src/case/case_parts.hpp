// SPDX-License-Identifier: Apache-2.0
// The parts of the case file, read one section at a time. Each reader reports its errors to the section's findings and
// returns what it could read; parse_case() throws before anyone sees a wrong value.
#pragma once
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "case/case.hpp"
#include "case/section.hpp"

namespace agwave {

// case_domain.cpp
DomainCase read_domain(const Section& domain, const std::filesystem::path& folder);
Range read_range(const Section& section, std::string_view key);  // [min, max]; reports min >= max

// case_boundary.cpp
BoundaryCase read_boundary(const Section& boundary, const std::filesystem::path& folder);

// case_ocean.cpp
OceanCase read_ocean(const Section& ocean, const std::filesystem::path& folder);

// case_mesh.cpp
MeshCase read_mesh(const Section& mesh);

// case_sources.cpp
std::vector<SourceCase> read_sources(const Section& root, const Geography& geography, const std::filesystem::path& folder);
// `center` of a shape, and its row.
Place read_center(const Section& shape, const Geography& geography);
inline constexpr Row center_row{.key = "center",
                                .kind = Kind::place,
                                .unit = "m",
                                .fallback = required,
                                .min = -farthest,
                                .max = farthest,
                                .count = 2,
                                .doc = "[x, y], or {lon:, lat:} with domain.lonlat"};

// case_sensors.cpp: seafloor, hydrophones, surface and the two lists of grids of `result`
void read_sensors(const Section& sensors, const Geography& geography, const std::filesystem::path& folder, Case& result);

// case_time.cpp: end, step and output intervals, and whether they fit together; reads result.sensors.interval
void read_time(const Section& time, const Section& output, Case& result);
bool is_multiple_of_step(double value, double step);  // of one that people may have rounded
double nearest_multiple(double value, double unit);   // at least once, for the advice
void require_multiple(Findings& findings, const Mark& mark, double value, double unit, const std::string& unit_key);

// case_p2o.cpp: absent where the case has no such section; after read_time
std::optional<P2oCase> read_p2o(const Section& root, const TimeCase& time);

// A relative path of the case file is relative to the folder of the case file; "" stays "".
std::string resolve_path(const std::filesystem::path& folder, const std::string& path);

}  // namespace agwave
