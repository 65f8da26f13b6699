// SPDX-License-Identifier: Apache-2.0
// Finite-fault models from files: the FSP format of SRCMOD (equake-rc.info/SRCMOD), which the USGS uses too, FFM.geojson of the
// USGS, and tables in CSV as GeoClaw has them.
#pragma once
#include <optional>
#include <string>
#include <vector>

#include "case/findings.hpp"
#include "source/fault.hpp"

namespace agwave {

struct LocatedSubfault {
  Subfault subfault;
  Mark mark;  // where it was read
};

// `format`: fsp, geojson, csv or auto. What is wrong with the file is reported with its lines. `reference`, when absent, is set to the
// point that the file says its coordinates are those of.
std::vector<LocatedSubfault> read_finite_fault(Findings& findings, const std::string& file, const std::string& format, const Mark& mark,
                                               std::optional<Reference>& reference);

// Whether such a rectangle can be on Earth: a limit that is passed, empty otherwise. What is NaN passes none of them.
std::string beyond_limits(const Subfault& f);

// Some models begin at the sea surface: their upper subfaults slip in water, at no moment. Says so by their rigidity, moment / (slip x area).
std::string softness_note(const std::vector<LocatedSubfault>& list, const std::string& file);

// The formats.
std::vector<LocatedSubfault> read_fsp(Findings& findings, const std::string& file, const Mark& mark, std::optional<Reference>& reference);
std::vector<LocatedSubfault> read_fault_csv(Findings& findings, const std::string& file, const Mark& mark, std::optional<Reference>& reference);
std::vector<LocatedSubfault> read_ffm_geojson(Findings& findings, const std::string& file, const Mark& mark, std::optional<Reference>& reference);

// The whole file, or absent and reported at `mark`.
std::optional<std::string> read_whole(Findings& findings, const std::string& file, const Mark& mark, const char* what);

}  // namespace agwave
