// SPDX-License-Identifier: Apache-2.0
// A grid from a file, of (y, x) or (time, y, x): bilinear in space, and linear in time between its samples.
#include <filesystem>

#include "case/case_parts.hpp"
#include "files/version.hpp"
#include "source/prepared.hpp"
#include "source/source_facts.hpp"

namespace agwave {
namespace {

class GridShape final : public Shape {
 public:
  GridShape(const Section& shape, const Geography&, const std::filesystem::path& folder)
      : file_{resolve_path(folder, shape.text("file")), shape.text("variable"), shape.mark("file"), shape.text("format")} {}

  // From the file where it can be read; on machines without it, or without netCDF, from the prepared file.
  void add_terms(const Case& c, std::size_t n, const Domain& domain, SourceTerms& to) const override {
    const auto* prepared = std::get_if<PreparedBathymetry>(&c.domain.bathymetry);
    std::error_code ignored;
    const bool readable = has_netcdf && std::filesystem::exists(file_.file, ignored);
    const UpliftSlices slices = prepared && !readable ? read_prepared_uplift(c, *prepared, n, file_, domain) : read_uplift_grid(file_, domain);
    for (UpliftTerm& term : slice_terms(slices, c.sources[n])) to.uplift.push_back(std::move(term));
  }
  void add_facts(const SourceCase&, const Domain& domain, SourceFacts& facts) const override {
    std::error_code ignored;
    if (has_netcdf && std::filesystem::exists(file_.file, ignored)) facts.inside = uplift_inside(file_, domain);
  }
  std::shared_ptr<const UpliftSlices> slices(const Domain& domain) const override {
    return std::make_shared<const UpliftSlices>(read_uplift_grid(file_, domain));
  }

 private:
  UpliftFile file_;
};

const RegisterShape registered({
    .type = "grid",
    .description = "a grid from a file, at rest or in motion",
    .place = 4,
    .needs_ramp = false,
    .rows = {{.key = "file",
              .kind = Kind::path,
              .fallback = required,
              .doc =
                  "Grid of the uplift, of (y, x) or (time, y, x), linear in time between its samples, and from none at t = 0 to a first one later"},
             {.key = "format",
              .kind = Kind::choice,
              .fallback = "auto",
              .choices = "auto|netcdf|dtopo1|dtopo3",
              .doc = "netCDF, or GeoClaw dtopo of type 1 or 3; auto: .tt1, .dtt1, .dtopo1, .tt3, .dtt3, .dtopo3 are GeoClaw's"},
             {.key = "variable", .kind = Kind::text, .fallback = "''", .shown = "found by its attributes", .doc = "Name of the variable [m, up]"}},
    .read = read_as<GridShape>,
    .example = {"{type: grid, file: uplift.tt1}", "", "uplift.tt1",
                "0 2e4 4e4 0\n0 5e4 4e4 0\n0 2e4 1e4 0\n0 5e4 1e4 0\n"
                "1.7 2e4 4e4 0.4\n1.7 5e4 4e4 0.1\n1.7 2e4 1e4 0.2\n1.7 5e4 1e4 -0.1\n"
                "3.4 2e4 4e4 1\n3.4 5e4 4e4 0.5\n3.4 2e4 1e4 0.7\n3.4 5e4 1e4 0.6\n"},
});

}  // namespace
}  // namespace agwave
