// SPDX-License-Identifier: Apache-2.0
// Domains: plain metres, and lon/lat through PROJ. The projection is built from its parameters alone, so no PROJ
// database is needed. A PROJ context is not safe for two threads at once; inputs are read by one.
#include <algorithm>
#include <cmath>

#include "case/schema.hpp"
#include "error/error.hpp"
#include "terrain/domain.hpp"

#if AGWAVE_PROJ
#include <proj.h>
#endif

namespace agwave {
namespace {

class PlainDomain final : public Domain {
 public:
  explicit PlainDomain(std::array<double, 2> s) { size = s; }
  std::array<double, 2> to_xy(double lon, double lat) const override {
    throw Error(ExitCode::usage, text("lon ", lon, ", lat ", lat, ": the domain is given in metres (`size`); give x, y, or the domain as `lonlat`"));
  }
  std::array<double, 2> to_lonlat(double, double) const override {
    throw Error(ExitCode::usage, "the domain is given in metres (`size`) and has no longitudes");
  }
};

#if AGWAVE_PROJ
class ProjectedDomain final : public Domain {
 public:
  ProjectedDomain(const LonLat& box, const Mark& mark)
      : centre_lon_(0.5 * (box.lon.min + box.lon.max)), centre_lat_(0.5 * (box.lat.min + box.lat.max)), context_(proj_context_create()) {
    if (!context_) throw Error(ExitCode::usage, text(to_string(mark), ": PROJ cannot create a context"));
    proj_log_level(context_.get(), PJ_LOG_NONE);
    projection_ = text("+proj=tmerc +lat_0=", centre_lat_, " +lon_0=", std::remainder(centre_lon_, 360), " +k=1 +x_0=0 +y_0=0 +ellps=WGS84 +units=m");
    transform_.reset(proj_create(context_.get(), projection_.c_str()));
    if (!transform_) {
      throw Error(ExitCode::usage, text(to_string(mark), ": PROJ refuses ", projection_, ": ", message(proj_context_errno(context_.get()))));
    }
    const auto west = project(box.lon.min, centre_lat_), east = project(box.lon.max, centre_lat_);
    const auto south = project(centre_lon_, box.lat.min), north = project(centre_lon_, box.lat.max);
    size = {std::hypot(east[0] - west[0], east[1] - west[1]), std::hypot(north[0] - south[0], north[1] - south[1])};
    if (!(box.lon.max - box.lon.min < 180) || !(size[0] > 0) || !(size[1] > 0)) refuse(box, mark);
    const double least = find_row("domain", "", "size").min;  // [m]
    if (!(std::min(size[0], size[1]) >= least))
      throw Error(ExitCode::usage, text(to_string(mark), ": too small; found ", rounded(size[0]), " x ", rounded(size[1]), " m; allowed: at least ",
                                        least, " m each way; give limits that lie farther apart"));
    for (const auto& [x, y] : {std::array{0.0, 0.0}, std::array{size[0], 0.0}, std::array{0.0, size[1]}, size}) {
      const auto [lon, lat] = to_lonlat(x, y);
      const auto back = to_xy(lon, lat);
      if (!(std::hypot(back[0] - x, back[1] - y) < 1e-3)) refuse(box, mark);
    }
  }

  std::array<double, 2> to_xy(double lon, double lat) const override {
    const auto p = project(lon, lat);
    return {p[0] + 0.5 * size[0], p[1] + 0.5 * size[1]};
  }

  std::array<double, 2> to_lonlat(double x, double y) const override {
    const auto p = run(PJ_INV, {x - 0.5 * size[0], y - 0.5 * size[1]});
    const double lon = proj_todeg(p[0]);
    return {lon + 360 * std::round((centre_lon_ - lon) / 360), proj_todeg(p[1])};  // on the turn of the case's longitudes
  }

 private:
  std::string message(int code) const {
    const char* words = proj_errno_string(code);
    return words ? words : "no reason given";
  }

  [[noreturn]] void refuse(const LonLat& box, const Mark& mark) const {
    throw Error(ExitCode::usage,
                text(to_string(mark), ": a transverse Mercator projection cannot hold lon ", box.lon.min, " to ", box.lon.max, ", lat ", box.lat.min,
                     " to ", box.lat.max, "; give min < max, and a box of some tens of degrees at most, away from the poles"));
  }

  std::array<double, 2> run(PJ_DIRECTION direction, std::array<double, 2> in) const {
    PJ* transform = transform_.get();
    proj_errno_reset(transform);
    const PJ_COORD out = proj_trans(transform, direction, proj_coord(in[0], in[1], 0, 0));
    const int code = proj_errno(transform);
    if (code != 0 || !std::isfinite(out.v[0]) || !std::isfinite(out.v[1])) {
      const char* what = direction == PJ_FWD ? "project" : "unproject";
      throw Error(ExitCode::usage, text("PROJ cannot ", what, " a point with ", projection_, ": ", message(code)));
    }
    return {out.v[0], out.v[1]};
  }

  std::array<double, 2> project(double lon, double lat) const {
    if (!(std::abs(lat) <= 90) || !std::isfinite(lon)) throw Error(ExitCode::usage, text("lon ", lon, ", lat ", lat, " is no place on Earth"));
    return run(PJ_FWD, {proj_torad(std::remainder(lon, 360)), proj_torad(lat)});
  }

  struct Destroy {
    void operator()(PJ_CONTEXT* c) const { proj_context_destroy(c); }
    void operator()(PJ* p) const { proj_destroy(p); }
  };
  double centre_lon_, centre_lat_;
  std::unique_ptr<PJ_CONTEXT, Destroy> context_;  // declared before what lives in it
  std::unique_ptr<PJ, Destroy> transform_;
};
#endif

}  // namespace

std::unique_ptr<Domain> make_plain_domain(std::array<double, 2> size) { return std::make_unique<PlainDomain>(size); }

std::unique_ptr<Domain> make_projected_domain(const LonLat& box, const Mark& mark) {
#if AGWAVE_PROJ
  return std::make_unique<ProjectedDomain>(box, mark);
#else
  throw Error(ExitCode::usage, text(to_string(mark), ": lon ", box.lon.min, " to ", box.lon.max,
                                    " needs a map projection and this build has the option AGWAVE_PROJ off; run `agwave prepare` with a build "
                                    "that has it and give `bathymetry: {type: prepared, file: ...}`"));
#endif
}

}  // namespace agwave
