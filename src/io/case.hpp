// SPDX-License-Identifier: Apache-2.0
// The case: plain, immutable structs that hold exactly what the case file says, in SI units, validated.
// Nothing here touches files beyond the case file itself: grids, CSV lists and projections are resolved by
// their readers, which report errors through the `Mark` (file, line, key) kept beside each value that can
// still turn out wrong later.
#pragma once
#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <variant>
#include <vector>

namespace agwave {

struct Mark {  // where a value came from, for messages such as "case.yaml:12: sources[0].shape.file: ..."
  std::string file;
  int line = 0;  // 1-based; 0 when set by --set
  std::string key;
};
std::string to_string(const Mark& mark);  // "file:line: key"

struct Range {
  double min = 0, max = 0;
};
struct LonLat {
  Range lon, lat;
};  // [degrees]

// A horizontal point: metres from the south-west corner, or degrees when `geographic`.
struct Place {
  double x = 0, y = 0;
  bool geographic = false;
};

// ---- domain -------------------------------------------------------------------------------------------------------
struct FlatBathymetry {
  double depth = 0;
};
struct CosineBathymetry {
  double depth = 0, amplitude = 0;
  std::array<double, 2> waves{};
};
struct GaussianBathymetry {
  double depth = 0, height = 0;
  std::array<double, 2> center{}, radius{};
};
// Land lies east. Going west from the shelf edge: continental slope, trench, abyssal plain. Depths in metres, positive.
struct MarginBathymetry {
  double shelf_depth = 200, abyssal_depth = 4500, trench_depth = 6500;
  double shelf_edge = 0;                      // x of the shelf edge [m]
  double slope_width = 40e3;                  // shelf edge to the foot of the slope [m]
  double trench_width = 30e3;                 // full width of the trench at the foot of the slope [m]
  double undulation = 0, wavelength = 100e3;  // along-strike shift of all features: undulation*sin(2 pi y/wavelength) [m]
};
struct GridBathymetry {
  std::string file, variable;
  std::optional<double> min_depth;
  double smoothing = 0;
  Mark mark;
};
struct PreparedBathymetry {
  std::string file;
  Mark mark;
};
using BathymetryCase = std::variant<FlatBathymetry, CosineBathymetry, GaussianBathymetry, MarginBathymetry, GridBathymetry, PreparedBathymetry>;

struct DomainCase {
  std::optional<std::array<double, 2>> size;  // [m]; exactly one of size and lonlat
  std::optional<LonLat> lonlat;
  BathymetryCase bathymetry;
  Mark mark, bathymetry_mark;
};

// ---- mesh, medium, boundary ---------------------------------------------------------------------------------------
struct MeshCase {
  std::array<std::int64_t, 3> elements{};
  int order = 4;                   // geometry: 4 curved columns, 1 trilinear hexahedra
  std::vector<double> interfaces;  // nz+1 values, 0 at the floor to 1 at the surface (1 - sigma)
  Mark mark;
};
struct OceanCase {
  double density = 1025, sound_speed = 1500, gravity = 9.81;
};
enum class Wall { absorbing, rigid };
enum class Surface { gravity, rigid };
struct BoundaryCase {
  Wall west = Wall::absorbing, east = Wall::absorbing, south = Wall::absorbing, north = Wall::absorbing;
  Surface surface = Surface::gravity;
};

// ---- sources ------------------------------------------------------------------------------------------------------
struct GaussianShape {
  Place center;
  std::array<double, 2> radius{};
};
struct ModalShape {
  int m = 0, n = 0;
};
struct PatchShape {
  Range x, y;
  double taper = 0;
};
struct GridShape {
  std::string file, variable;
  Mark mark;
};
using ShapeCase = std::variant<GaussianShape, ModalShape, PatchShape, GridShape>;

struct Ramp {
  enum class Type { smoothstep, cosine, linear, gaussian } type = Type::smoothstep;
  double start = 0, duration = 0;  // [s]
  int order = 2;                   // smoothstep
  double center = 0, sigma = 0;    // gaussian [s]
};
enum class Motion { vertical, normal };
struct SourceCase {
  ShapeCase shape;
  double amplitude = 1;      // [m]; a factor for grid shapes
  std::optional<Ramp> ramp;  // absent only for a time-dependent grid
  Motion motion = Motion::vertical;
  Mark mark;
};

// ---- time, sensors, output, solver --------------------------------------------------------------------------------
struct TimeCase {
  double end = 0;
  std::optional<double> step;
  double safety = 0.9;
  Mark mark, step_mark;
};

struct SensorCase {
  std::string name;
  Place place;
  double z = 0;
  Mark mark;
};
struct SensorCases {
  std::optional<double> interval;
  std::vector<SensorCase> seafloor, hydrophones, surface;  // lists, CSV files and grids expanded, in file order
  Mark mark;
};
struct SensorGrid {
  std::array<int, 2> counts{};
  double margin = 0;
  Mark mark;
};  // expanded once the domain size is known

struct OutputCase {
  std::string directory;
  double surface_interval = 0, volume_interval = 0, checkpoint_interval = 0;
  Mark mark;
};
struct SolverCase {
  std::string device = "auto", variant = "auto", exchange = "auto";
  int quadrature = 4;
  Mark mark, variant_mark, device_mark, exchange_mark;
};
struct ParallelCase {
  std::optional<std::array<int, 3>> grid;
  Mark mark;
};

struct Case {
  std::string title;
  DomainCase domain;
  MeshCase mesh;
  OceanCase ocean;
  BoundaryCase boundary;
  std::vector<SourceCase> sources;
  TimeCase time;
  SensorCases sensors;
  std::vector<SensorGrid> seafloor_grids, surface_grids;
  OutputCase output;
  SolverCase solver;
  ParallelCase parallel;
  std::string file;    // path of the case file
  std::string source;  // the case file verbatim, followed by a comment line for each --set
};

}  // namespace agwave
