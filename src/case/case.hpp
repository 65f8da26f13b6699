// SPDX-License-Identifier: Apache-2.0
// The case: plain, immutable structs that hold exactly what the case file says, in SI units, validated.
// Nothing here touches files beyond the case file itself: grids, CSV lists and projections are resolved by
// their readers, which report errors through the `Mark` (file, line, key) kept beside each value that can
// still turn out wrong later.
#pragma once
#include <algorithm>
#include <array>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "case/ramp.hpp"

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
  std::string format = "auto";
  std::vector<std::string> coarser{};  // behind `file`, which is the finest
  double blend = 10e3;                 // from one grid to the next [m]
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
struct Spacing {  // of element columns along x or y, or of layers
  enum class Rule { uniform, widths, geometric, focus } rule = Rule::uniform;
  std::vector<double> widths{};   // relative
  double ratio = 1;               // geometric: last over first width; focus: far over near
  double center = 0, radius = 0;  // focus [m]
};
struct MeshCase {
  std::array<std::int64_t, 3> elements{};
  int order = 4;                     // geometry: 4 curved columns, 1 trilinear hexahedra
  std::vector<double> interfaces{};  // between layers, nz+1 values, 0 at the floor to 1 at the surface (1 - sigma); empty: by spacing[2]
  Mark mark{};
  std::array<Spacing, 3> spacing{};  // along x, y, and of the layers from the floor up
};
struct SoundProfile {                // by depth alone
  std::vector<double> depth, speed;  // [m], positive down and increasing; [m/s]
  Mark mark;
  bool from_file = false;  // rather than the case's own
};
struct MunkSound {  // Munk (1974): c = speed (1 + perturbation (d - 1 + exp(-d))), d = 2 (depth - axis) / scale
  double axis = 1300, scale = 1300, speed = 1500, perturbation = 0.00737;
  Mark mark;
};
struct SoundField {  // of a netCDF file, by depth and place
  std::string file, variable;
  Mark mark;
};
using SoundCase = std::variant<std::monostate, SoundProfile, MunkSound, SoundField>;

struct OceanCase {
  double density = 1025, sound_speed = 1500, gravity = 9.81;
  SoundCase sound{};  // where the speed differs: in place of sound_speed, which then is what speeds are kept relative to

  bool varies() const { return !std::holds_alternative<std::monostate>(sound); }
};
enum class Wall { absorbing, rigid };
enum class Surface { gravity, rigid };
inline constexpr std::array<const char*, 4> wall_names{"west", "east", "south", "north"};  // the number of a wall is its place here
struct SpongeCase {
  std::array<double, 4> width{};  // by wall [m]; 0: none
  double reflection = 0.01;
  Mark mark;
  bool matched = false;  // a matched layer; otherwise all fades alike
  bool any() const {
    return std::ranges::any_of(width, [](double w) { return w > 0; });
  }
};
// A floor that gives way. By the depth of the water, linear in between and the same beyond the ends; or by the types of a netCDF grid, those of its nearest
// node; or, with neither, one entry that holds everywhere.
struct FloorCase {
  std::vector<double> depth{}, density, sound_speed;  // [m] increasing, [kg/m3], [m/s]
  std::vector<double> stiffness{};                    // [Pa/m]; empty: by the impedance (boundary/floor.hpp)
  Mark mark{};
  std::vector<double> types{};  // whole numbers in the grid, in place of depths
  std::string file{}, variable{};
  Mark file_mark{};
};
struct BoundaryCase {
  Wall west = Wall::absorbing, east = Wall::absorbing, south = Wall::absorbing, north = Wall::absorbing;
  Surface surface = Surface::gravity;
  SpongeCase sponge{};
  std::optional<FloorCase> floor{};  // none: rigid

  bool absorbs(int wall) const { return std::array{west, east, south, north}[wall] == Wall::absorbing; }
  bool absorbs() const { return absorbs(0) || absorbs(1) || absorbs(2) || absorbs(3); }  // any wall
};

// ---- sources ------------------------------------------------------------------------------------------------------
class Shape;  // case/shape.hpp
enum class Motion { vertical, normal };
struct SourceCase {
  std::shared_ptr<const Shape> shape;
  double amplitude = 1;      // [m]; a factor for grids, faults and points
  std::optional<Ramp> ramp;  // absent for a time-dependent grid, or a fault whose subfaults all have a rise time
  Motion motion = Motion::vertical;
  Mark mark;
  std::string type{};  // of the shape
};

// ---- time, sensors, output, solver --------------------------------------------------------------------------------
struct TimeCase {
  double end = 0;
  std::optional<double> step;
  double safety = 0.9;
  Mark mark, step_mark;
  std::optional<int> local_steps = 1;  // at most so many levels of steps; 1: the same for all; none: auto
  Mark local_steps_mark{};             // of the case's own words, without a key where it has none
  bool filter = true;                  // what kinks of sources excite (run/kink_filter.hpp)
  bool asks_for_levels() const { return local_steps != 1 && !local_steps_mark.key.empty(); }
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
  double surface_interval = 0, seafloor_interval = 0, volume_interval = 0, checkpoint_interval = 0;  // [s]; 0: none
  double arrival_threshold = 0.01;  // [m] of |surface height| that counts as the wave's arrival
  int cells_per_edge = 2;           // of an element, in seafloor and volume files: 1, 2 or 4
  Mark mark;

  std::array<std::pair<const char*, double>, 4> intervals() const {  // by key
    return {{{"surface_interval", surface_interval},
             {"seafloor_interval", seafloor_interval},
             {"volume_interval", volume_interval},
             {"checkpoint_interval", checkpoint_interval}}};
  }
};
struct SolverCase {
  std::string device = "auto", variant = "auto", exchange = "auto";
  int quadrature = 4;
  Mark mark, variant_mark, device_mark, exchange_mark;
  std::string scheme = "auto";  // time.scheme: or the name of an integrator
  Mark scheme_mark{};
  bool single = false;  // precision
  Mark precision_mark{};
};
struct ParallelCase {
  std::optional<std::array<int, 3>> grid;
  Mark mark;
  std::optional<int> group{};  // ranks per group, for commands with many independent runs; none: auto
  Mark group_mark{};
};
struct P2oCase {                  // parameter-to-observable maps
  double interval = 0, end = 0;   // [s]
  std::optional<double> spacing;  // of the parameters [m]; none: one for each node of the floor
  std::optional<Range> x, y;      // where the floor moves [m]; none: everywhere
  Motion motion = Motion::normal;
  bool single = false;  // precision of the stored maps
  Mark mark, interval_mark, spacing_mark, x_mark, y_mark;
};

struct CaseKey {  // "sources[0].amplitude", its value as one line of text, and where it stands
  std::string path, value;
  int line = 0;
};
using CaseKeys = std::vector<CaseKey>;

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
  std::optional<P2oCase> p2o;
  std::string file;    // path of the case file
  std::string source;  // the case file verbatim, followed by a comment line for each --set
  CaseKeys keys;       // every value given, in the order of the file; --set included
};

}  // namespace agwave
