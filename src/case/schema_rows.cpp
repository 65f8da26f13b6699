// SPDX-License-Identifier: Apache-2.0
// The rows of the schema: every key of the case file, its unit, default, plausible range and meaning. Ranges are wide
// enough for any ocean and for idealised studies, and narrow enough that km given for m, g/cm3 for kg/m3 or a wrong
// sign fall outside and can be named. Those of the shapes of sources come from their files. See schema.hpp.
#include <ranges>

#include "case/schema.hpp"
#include "case/shape.hpp"
#include "files/text_file.hpp"

namespace agwave {
namespace {

constexpr double inf = std::numeric_limits<double>::infinity();
constexpr double far = farthest;
constexpr std::string_view down = "depth is positive downward";

// clang-format off
constexpr Row rows[] = {
  {.group = "", .key = "title", .kind = Kind::text, .fallback = "''", .doc = "Title of the run, copied to the outputs"},
  {.group = "", .key = "domain", .kind = Kind::map, .fallback = required, .doc = "Where: the rectangle and its sea floor"},
  {.group = "", .key = "mesh", .kind = Kind::map, .fallback = required, .doc = "Elements of order 4"},
  {.group = "", .key = "ocean", .kind = Kind::map, .fallback = optional, .doc = "The water"},
  {.group = "", .key = "boundary", .kind = Kind::map, .fallback = optional, .doc = "The side walls, the sea surface and the sea floor"},
  {.group = "", .key = "sources", .kind = Kind::list, .fallback = optional, .doc = "Seafloor uplifts and water added at points, which add up; none: a run at rest"},
  {.group = "", .key = "time", .kind = Kind::map, .fallback = required, .doc = "How long, and the step"},
  {.group = "", .key = "sensors", .kind = Kind::map, .fallback = optional, .doc = "Where traces are recorded"},
  {.group = "", .key = "output", .kind = Kind::map, .fallback = optional, .doc = "What is written, and where"},
  {.group = "", .key = "solver", .kind = Kind::map, .fallback = optional, .doc = "How it is computed"},
  {.group = "", .key = "parallel", .kind = Kind::map, .fallback = optional, .doc = "How it is shared among ranks"},
  {.group = "", .key = "p2o", .kind = Kind::map, .fallback = optional, .doc = "Maps from floor motion to sensors, for `agwave p2o`; others pass over it"},

  {.group = "domain", .key = "size", .kind = Kind::numbers, .unit = "m", .fallback = optional, .min = 500, .max = far, .count = 2,
   .doc = "Extent east (x) and north (y); exactly one of size and lonlat"},
  {.group = "domain", .key = "lonlat", .kind = Kind::map, .fallback = optional,
   .doc = "A rectangle about the projected centre of these longitudes and latitudes"},
  {.group = "domain", .key = "bathymetry", .kind = Kind::map, .fallback = required, .doc = "Depth of the sea floor"},

  {.group = "domain.lonlat", .key = "lon", .kind = Kind::numbers, .unit = "degrees east", .fallback = required, .min = -180, .max = 360, .count = 2,
   .doc = "West and east limits"},
  {.group = "domain.lonlat", .key = "lat", .kind = Kind::numbers, .unit = "degrees north", .fallback = required, .min = -85, .max = 85, .count = 2,
   .doc = "South and north limits"},

  {.group = "domain.bathymetry", .key = "type", .kind = Kind::choice, .fallback = required, .choices = "flat|cosine|gaussian|margin|grid|prepared",
   .doc = "Kind of sea floor"},
  {.group = "domain.bathymetry", .type = "flat|cosine|gaussian", .key = "depth", .unit = "m",
   .fallback = required, .min = 10, .max = 12000, .advice = down,
   .doc = "Water depth H (mean depth for cosine, far depth for gaussian)"},
  {.group = "domain.bathymetry", .type = "cosine", .key = "amplitude", .unit = "", .fallback = required, .min = -0.95, .max = 0.95,
   .doc = "a in h = H (1 - a cos(2 pi kx x/Lx) cos(2 pi ky y/Ly)), a fraction of the depth"},
  {.group = "domain.bathymetry", .type = "cosine", .key = "waves", .kind = Kind::numbers, .fallback = required, .min = 0, .max = 1000, .count = 2,
   .doc = "kx, ky: waves per domain length"},
  {.group = "domain.bathymetry", .type = "gaussian", .key = "height", .unit = "m", .fallback = required, .min = -12000, .max = 12000,
   .doc = "d in h = H - d exp(-(dx^2/rx^2 + dy^2/ry^2)/2); negative: a basin"},
  {.group = "domain.bathymetry", .type = "gaussian", .key = "center", .kind = Kind::numbers, .unit = "m",
   .fallback = required, .min = -far, .max = far, .count = 2,
   .doc = "x, y of the summit"},
  {.group = "domain.bathymetry", .type = "gaussian", .key = "radius", .kind = Kind::numbers, .unit = "m",
   .fallback = required, .min = 50, .max = inf, .count = 2,
   .doc = "rx, ry; .inf: invariant that way"},
  {.group = "domain.bathymetry", .type = "margin", .key = "shelf_depth", .unit = "m", .fallback = "200", .min = 10, .max = 12000, .advice = down,
   .doc = "Depth of the shelf, in the east"},
  {.group = "domain.bathymetry", .type = "margin", .key = "abyssal_depth", .unit = "m", .fallback = "4500", .min = 10, .max = 12000, .advice = down,
   .doc = "Depth of the abyssal plain, in the west"},
  {.group = "domain.bathymetry", .type = "margin", .key = "trench_depth", .unit = "m", .fallback = "6500", .min = 10, .max = 12000, .advice = down,
   .doc = "Depth of the trench axis; equal to abyssal_depth: no trench"},
  {.group = "domain.bathymetry", .type = "margin", .key = "shelf_edge", .unit = "m", .fallback = required, .min = -far, .max = far,
   .doc = "x of the shelf edge"},
  {.group = "domain.bathymetry", .type = "margin", .key = "slope_width", .unit = "m", .fallback = "40e3", .min = 500, .max = far,
   .doc = "Shelf edge to the foot of the slope"},
  {.group = "domain.bathymetry", .type = "margin", .key = "trench_width", .unit = "m", .fallback = "30e3", .min = 500, .max = far,
   .doc = "Full width of the trench at the foot of the slope"},
  {.group = "domain.bathymetry", .type = "margin", .key = "undulation", .unit = "m", .fallback = "0", .min = -1e6, .max = 1e6,
   .doc = "Along-strike shift of all features: undulation sin(2 pi y/wavelength)"},
  {.group = "domain.bathymetry", .type = "margin", .key = "wavelength", .unit = "m", .fallback = "100e3", .min = 500, .max = far,
   .doc = "Of the undulation"},
  {.group = "domain.bathymetry", .type = "prepared", .key = "file", .kind = Kind::path, .fallback = required,
   .doc = "File written by `agwave prepare`"},
  {.group = "domain.bathymetry", .type = "grid", .key = "file", .kind = Kind::path, .fallback = optional,
   .doc = "Elevation grid in lon, lat or metres; exactly one of file and files"},
  {.group = "domain.bathymetry", .type = "grid", .key = "files", .kind = Kind::paths, .fallback = optional,
   .doc = "Several of them, the finest first; each counts where no finer one is, the last must cover the domain"},
  {.group = "domain.bathymetry", .type = "grid", .key = "blend", .unit = "m", .fallback = "10e3", .min = 50, .max = 1e6, .zero = true,
   .doc = "Width of the band inside the edge of a finer grid over which it takes over from the coarser one; 0: at once"},
  {.group = "domain.bathymetry", .type = "grid", .key = "format", .kind = Kind::choice, .fallback = "auto", .choices = "auto|netcdf|topo2|topo3",
   .doc = "netCDF, or GeoClaw topography of type 2 or 3; auto: .tt2, .topotype2, .tt3, .topotype3, .asc are GeoClaw's"},
  {.group = "domain.bathymetry", .type = "grid", .key = "variable", .kind = Kind::text, .fallback = "''", .shown = "found by its attributes",
   .doc = "Name of the variable [m, up]"},
  {.group = "domain.bathymetry", .type = "grid", .key = "min_depth", .unit = "m", .fallback = optional, .min = 0.1, .max = 12000, .advice = down,
   .doc = "Shallower water and land are deepened to this; absent: land is an error"},
  {.group = "domain.bathymetry", .type = "grid", .key = "smoothing", .unit = "m", .fallback = "0", .min = 50, .max = 1e6, .zero = true,
   .doc = "Length of the Gaussian filter; 0: none"},

  {.group = "mesh", .key = "elements", .kind = Kind::integers, .fallback = required, .min = 1, .max = 1e6, .count = 3,
   .doc = "Elements along x, y, z"},
  {.group = "mesh", .key = "order", .kind = Kind::choice, .fallback = "4", .choices = "1|4",
   .doc = "Geometry: 4 curved columns, 1 trilinear hexahedra"},
  {.group = "mesh", .key = "layers", .kind = Kind::numbers, .fallback = "uniform", .min = 0, .max = 1, .choices = "uniform",
   .doc = "nz+1 interfaces, increasing from 0 at the floor to 1 at the surface; or a rule, {type: geometric, ratio: }"},
  {.group = "mesh", .key = "spacing", .kind = Kind::map, .fallback = optional, .doc = "Of the element columns; absent: even"},

  {.group = "mesh.layers", .key = "type", .kind = Kind::choice, .fallback = required, .choices = "geometric", .doc = "Rule"},
  {.group = "mesh.layers", .type = "geometric", .key = "ratio", .fallback = required, .min = 1e-3, .max = 1e3,
   .doc = "Thickness of the top layer over that of the bottom one; those between in geometric progression"},

  {.group = "mesh.spacing", .key = "x", .kind = Kind::numbers, .fallback = "uniform", .min = 1e-6, .max = far, .choices = "uniform",
   .doc = "Relative widths of the element columns from west to east, which are scaled to fill the domain; or a rule, a map with a type"},
  {.group = "mesh.spacing", .key = "y", .kind = Kind::numbers, .fallback = "uniform", .min = 1e-6, .max = far, .choices = "uniform",
   .doc = "The same from south to north"},

  {.group = "mesh.spacing.*", .key = "type", .kind = Kind::choice, .fallback = required, .choices = "geometric|focus", .doc = "Rule"},
  {.group = "mesh.spacing.*", .type = "geometric|focus", .key = "ratio", .fallback = required, .min = 1e-2, .max = 1e2,
   .doc = "geometric: the last width over the first; focus: the width far from the center over the width there"},
  {.group = "mesh.spacing.*", .type = "focus", .key = "center", .unit = "m", .fallback = required, .min = -far, .max = far,
   .doc = "Where the columns are finest"},
  {.group = "mesh.spacing.*", .type = "focus", .key = "radius", .unit = "m", .fallback = required, .min = 50, .max = far,
   .doc = "Standard deviation of the Gaussian by which they are"},

  {.group = "ocean", .key = "density", .unit = "kg/m3", .fallback = "1025", .min = 100, .max = 20000, .doc = "Density"},
  {.group = "ocean", .key = "sound_speed", .unit = "m/s", .fallback = "1500", .min = 10, .max = 10000,
   .doc = "Speed of sound c; or a map where it differs by depth and place: {profile: }, {file: } or {type: munk}"},
  {.group = "ocean", .key = "gravity", .unit = "m/s2", .fallback = "9.81", .min = 0.01, .max = 100, .advice = "gravity is a magnitude",
   .doc = "Gravity g"},

  {.group = "ocean.sound_speed", .type = "profile", .key = "profile", .kind = Kind::list, .fallback = required,
   .doc = "[[depth, c], ...]: depth [m], positive down from 0 at the surface, c [m/s]; a monotone cubic in between"},
  {.group = "ocean.sound_speed", .type = "file", .key = "file", .kind = Kind::path, .fallback = required,
   .doc = "CSV with the columns depth, c, its name ending in .csv; or netCDF: a field c(depth, lat, lon), c(depth, y, x) or c(depth), its axes found by their attributes"},
  {.group = "ocean.sound_speed", .type = "file", .key = "variable", .kind = Kind::text, .fallback = "''", .shown = "found by its attributes",
   .doc = "Name of the variable in a netCDF file [m/s]"},
  {.group = "ocean.sound_speed", .type = "munk", .key = "type", .kind = Kind::choice, .fallback = required, .choices = "munk",
   .doc = "The canonical profile of the deep ocean (Munk, 1974): c = speed (1 + perturbation (d - 1 + exp(-d))), d = 2 (depth - axis) / scale"},
  {.group = "ocean.sound_speed", .type = "munk", .key = "axis", .unit = "m", .fallback = "1300", .min = 1, .max = 12000, .advice = down,
   .doc = "Depth of the least speed, the axis of the sound channel"},
  {.group = "ocean.sound_speed", .type = "munk", .key = "scale", .unit = "m", .fallback = "1300", .min = 10, .max = 12000,
   .doc = "Over what depth it differs"},
  {.group = "ocean.sound_speed", .type = "munk", .key = "speed", .unit = "m/s", .fallback = "1500", .min = slowest_sound, .max = fastest_sound,
   .doc = "On the axis"},
  {.group = "ocean.sound_speed", .type = "munk", .key = "perturbation", .fallback = "0.00737", .min = 0, .max = 0.1,
   .doc = "How much it rises away from the axis"},

  {.group = "boundary", .key = "west", .kind = Kind::choice, .fallback = "absorbing", .choices = "absorbing|rigid", .doc = "Wall at x = 0"},
  {.group = "boundary", .key = "east", .kind = Kind::choice, .fallback = "absorbing", .choices = "absorbing|rigid",
   .doc = "Wall at x = Lx"},
  {.group = "boundary", .key = "south", .kind = Kind::choice, .fallback = "absorbing", .choices = "absorbing|rigid",
   .doc = "Wall at y = 0"},
  {.group = "boundary", .key = "north", .kind = Kind::choice, .fallback = "absorbing", .choices = "absorbing|rigid",
   .doc = "Wall at y = Ly"},
  {.group = "boundary", .key = "surface", .kind = Kind::choice, .fallback = "gravity", .choices = "gravity|rigid",
   .doc = "Sea surface: free under gravity, or a rigid lid (no surface waves)"},
  {.group = "boundary", .key = "sponge", .kind = Kind::map, .fallback = optional,
   .doc = "Strips along the walls, inside the domain, in which all waves fade; for gravity waves, which the walls alone send back"},

  {.group = "boundary", .key = "floor", .kind = Kind::choice, .fallback = "rigid", .choices = "rigid",
   .advice = "or give a map of what it is made of, {density: , sound_speed: }",
   .doc = "Sea floor below the water: rigid, or a map of what it is made of, {density: , sound_speed: }, which takes in sound"},

  {.group = "boundary.floor", .type = "ground", .key = "density", .unit = "kg/m3", .fallback = required, .min = 1000, .max = 10000,
   .doc = "Density of the ground"},
  {.group = "boundary.floor", .type = "ground", .key = "sound_speed", .unit = "m/s", .fallback = required, .min = 200, .max = 10000,
   .doc = "Speed of sound in the ground, of compressional waves; density times it is the impedance that sound meets"},
  {.group = "boundary.floor", .type = "ground", .key = "stiffness", .unit = "Pa/m", .fallback = optional, .min = 1e4, .max = 1e9,
   .doc = "Pressure that holds the floor down by 1 m; absent: the corner between damper and spring lies at a period of 120 s"},
  {.group = "boundary.floor", .type = "depth", .key = "depth", .kind = Kind::numbers, .unit = "m", .fallback = required, .min = 0, .max = 12000,
   .advice = down, .doc = "Depths of the water, increasing; the values below are linear in between and the same beyond the ends"},
  {.group = "boundary.floor", .type = "depth", .key = "density", .kind = Kind::numbers, .unit = "kg/m3", .fallback = required, .min = 1000,
   .max = 10000, .doc = "As above, one for each depth"},
  {.group = "boundary.floor", .type = "depth", .key = "sound_speed", .kind = Kind::numbers, .unit = "m/s", .fallback = required, .min = 200,
   .max = 10000, .doc = "As above, one for each depth"},
  {.group = "boundary.floor", .type = "depth", .key = "stiffness", .kind = Kind::numbers, .unit = "Pa/m", .fallback = optional, .min = 1e4, .max = 1e9,
   .doc = "As above, one for each depth"},

  {.group = "boundary.floor", .type = "types", .key = "file", .kind = Kind::path, .fallback = required,
   .doc = "netCDF: a grid of types of the sea floor, whole numbers, (lat, lon) or (y, x); a place has the type of the nearest node"},
  {.group = "boundary.floor", .type = "types", .key = "variable", .kind = Kind::text, .fallback = "''", .shown = "found by its attributes",
   .doc = "Name of the variable in the file"},
  {.group = "boundary.floor", .type = "types", .key = "types", .kind = Kind::integers, .fallback = required, .min = -1e6, .max = 1e6,
   .doc = "The types in the file, which the values below belong to"},
  {.group = "boundary.floor", .type = "types", .key = "density", .kind = Kind::numbers, .unit = "kg/m3", .fallback = required, .min = 1000,
   .max = 10000, .doc = "As above, one for each type"},
  {.group = "boundary.floor", .type = "types", .key = "sound_speed", .kind = Kind::numbers, .unit = "m/s", .fallback = required, .min = 200,
   .max = 10000, .doc = "As above, one for each type"},
  {.group = "boundary.floor", .type = "types", .key = "stiffness", .kind = Kind::numbers, .unit = "Pa/m", .fallback = optional, .min = 1e4, .max = 1e9,
   .doc = "As above, one for each type"},

  {.group = "boundary.sponge", .key = "west", .unit = "m", .fallback = "0", .min = 50, .max = far, .zero = true,
   .doc = "Width of the strip along the wall at x = 0; 0: none"},
  {.group = "boundary.sponge", .key = "east", .unit = "m", .fallback = "0", .min = 50, .max = far, .zero = true, .doc = "At x = Lx"},
  {.group = "boundary.sponge", .key = "south", .unit = "m", .fallback = "0", .min = 50, .max = far, .zero = true, .doc = "At y = 0"},
  {.group = "boundary.sponge", .key = "north", .unit = "m", .fallback = "0", .min = 50, .max = far, .zero = true, .doc = "At y = Ly"},
  {.group = "boundary.sponge", .key = "type", .kind = Kind::choice, .fallback = "fading", .choices = "fading|matched",
   .doc = "fading: pressure and velocity alike. matched: what moves along the strip's normal, so that waves of any length and angle go in (leapfrog4)"},
  {.group = "boundary.sponge", .key = "reflection", .fallback = optional, .min = 1e-6, .max = 0.9, .shown = "0.01, matched 1e-4",
   .doc = "What a strip leaves of a wave that crosses it to the wall and back: fading of a long wave, at the greatest depth of the domain; matched of sound"},

  {.group = "sources[]", .key = "shape", .kind = Kind::map, .fallback = required, .doc = "Uplift in space"},
  {.group = "sources[]", .key = "amplitude", .unit = "m", .fallback = "1", .min = -1000, .max = 1000,
   .doc = "Factor of the shape; negative: subsidence"},
  {.group = "sources[]", .key = "ramp", .kind = Kind::map, .fallback = optional,
   .doc = "Uplift in time, from 0 to 1; may be absent for a time-dependent grid, and for a fault with rise times (which rise as smoothsteps then)"},
  {.group = "sources[]", .key = "motion", .kind = Kind::choice, .fallback = "vertical", .choices = "vertical|normal",
   .doc = "Displacement vertical, or normal to the floor"},

  {.group = "sources[].shape", .key = "type", .kind = Kind::choice, .fallback = required, .doc = "Shape"},

  {.group = "sources[].shape.center", .key = "lon", .unit = "degrees east", .fallback = required, .min = -180, .max = 360,
   .doc = "Longitude"},
  {.group = "sources[].shape.center", .key = "lat", .unit = "degrees north", .fallback = required, .min = -90, .max = 90,
   .doc = "Latitude"},

  {.group = "sources[].ramp", .key = "type", .kind = Kind::choice, .fallback = required, .choices = "smoothstep|cosine|linear|gaussian",
   .doc = "Ramp"},
  {.group = "sources[].ramp", .type = "smoothstep|cosine|linear", .key = "start", .unit = "s", .fallback = "0", .min = -1e6, .max = 1e6,
   .doc = "Start of the uplift; nothing may have risen at t = 0"},
  {.group = "sources[].ramp", .type = "smoothstep|cosine|linear", .key = "duration", .unit = "s", .fallback = required, .min = 1e-3, .max = 1e6,
   .doc = "Duration of the uplift (rise time)"},
  {.group = "sources[].ramp", .type = "smoothstep", .key = "order", .kind = Kind::integer, .fallback = "2", .min = 1, .max = 5,
   .doc = "Zero derivatives at both ends"},
  {.group = "sources[].ramp", .type = "gaussian", .key = "center", .unit = "s", .fallback = required, .min = -1e6, .max = 1e6,
   .doc = "t0 in (1 + erf((t - t0)/(sqrt(2) s)))/2"},
  {.group = "sources[].ramp", .type = "gaussian", .key = "sigma", .unit = "s", .fallback = required, .min = 1e-3, .max = 1e6,
   .doc = "s in the same"},

  {.group = "time", .key = "end", .unit = "s", .fallback = required, .min = 1e-6, .max = 1e8, .advice = "time runs forward from 0",
   .doc = "End of the run, from t = 0"},
  {.group = "time", .key = "step", .unit = "s", .fallback = "auto", .min = 1e-9, .max = 1e4, .choices = "auto",
   .doc = "Time step; auto: the largest stable one times safety"},
  {.group = "time", .key = "safety", .fallback = "0.9", .min = 1e-3, .max = 1, .doc = "Fraction of the largest stable step"},
  {.group = "time", .key = "local_steps", .kind = Kind::integer, .fallback = "auto", .min = 1, .max = 16, .choices = "auto|off", .shown = "auto, off with a `step`",
   .doc = "Shorter steps in shallow water alone: at most so many levels, each half the step of another or less; auto: as many as are predicted to pay, "
          "where they gain more than 10 %. `step` is then the coarsest"},
  {.group = "time", .key = "scheme", .kind = Kind::choice, .fallback = "auto", .choices = "auto|rk4|leapfrog4",
   .doc = "How it steps: classical Runge-Kutta, or the leapfrog of order 4 for the potential; a named `solver.variant` has a scheme of its own"},
  {.group = "time", .key = "filter", .kind = Kind::choice, .fallback = "auto", .choices = "auto|off",
   .doc = "auto: where a source has kinks in time and is quicker than the mesh (`linear` ramps, sequences of grids), what rings of it at the mesh's own periods "
          "is taken from the state while it acts and for some periods after; RK4 damps that by itself. off: it rings on"},

  {.group = "sensors", .key = "interval", .unit = "s", .fallback = optional, .min = 1e-6, .max = 1e6,
   .doc = "Sampling interval; the time step divides it. Needed with sensors"},
  {.group = "sensors", .key = "seafloor", .kind = Kind::list, .fallback = optional,
   .doc = "Pressure at the floor: a list of sensors, CSV files and grids, or one {file:} or {grid:}"},
  {.group = "sensors", .key = "hydrophones", .kind = Kind::list, .fallback = optional,
   .doc = "Pressure in the water column: a list of sensors, CSV files and lines, or one {file:} or {line:}"},
  {.group = "sensors", .key = "surface", .kind = Kind::list, .fallback = optional, .doc = "Surface height: as seafloor"},

  {.group = "sensors.*[]", .type = "metres|lonlat", .key = "name", .kind = Kind::text, .fallback = required,
   .doc = "Name, once among seafloor and hydrophones, once in surface"},
  {.group = "sensors.*[]", .type = "metres", .key = "x", .unit = "m", .fallback = required, .min = 0, .max = far,
   .doc = "East of the south-west corner"},
  {.group = "sensors.*[]", .type = "metres", .key = "y", .unit = "m", .fallback = required, .min = 0, .max = far,
   .doc = "North of the south-west corner"},
  {.group = "sensors.*[]", .type = "lonlat", .key = "lon", .unit = "degrees east", .fallback = required, .min = -180, .max = 360,
   .doc = "Longitude, with domain.lonlat"},
  {.group = "sensors.*[]", .type = "lonlat", .key = "lat", .unit = "degrees north", .fallback = required, .min = -90, .max = 90,
   .doc = "Latitude"},
  {.group = "sensors.*[]", .type = "file", .key = "file", .kind = Kind::path, .fallback = required,
   .doc = "CSV with a header line: name,x,y or name,lon,lat"},
  {.group = "sensors.*[]", .type = "grid", .key = "grid", .kind = Kind::map, .fallback = required, .doc = "Sensors at equal distances"},

  {.group = "sensors.*[].grid", .key = "counts", .kind = Kind::integers, .fallback = required, .min = 1, .max = 1e6, .count = 2,
   .doc = "Sensors along x, y"},
  {.group = "sensors.*[].grid", .key = "margin", .unit = "m", .fallback = "0", .min = 0, .max = far,
   .doc = "Distance of the outer sensors from the walls"},

  {.group = "sensors.hydrophones[]", .type = "metres|lonlat", .key = "name", .kind = Kind::text, .fallback = required,
   .doc = "Name, once among seafloor and hydrophones"},
  {.group = "sensors.hydrophones[]", .type = "metres", .key = "x", .unit = "m", .fallback = required, .min = 0, .max = far,
   .doc = "East of the south-west corner"},
  {.group = "sensors.hydrophones[]", .type = "metres", .key = "y", .unit = "m", .fallback = required, .min = 0, .max = far,
   .doc = "North of the south-west corner"},
  {.group = "sensors.hydrophones[]", .type = "lonlat", .key = "lon", .unit = "degrees east", .fallback = required, .min = -180, .max = 360,
   .doc = "Longitude, with domain.lonlat"},
  {.group = "sensors.hydrophones[]", .type = "lonlat", .key = "lat", .unit = "degrees north", .fallback = required, .min = -90, .max = 90,
   .doc = "Latitude"},
  {.group = "sensors.hydrophones[]", .type = "metres|lonlat", .key = "z", .unit = "m", .fallback = required, .min = -12000, .max = -0.01,
   .advice = "z is up, 0 at the sea surface", .doc = "Height above the sea surface, negative"},
  {.group = "sensors.hydrophones[]", .type = "file", .key = "file", .kind = Kind::path, .fallback = required,
   .doc = "CSV with a header line: name,x,y,z or name,lon,lat,z"},
  {.group = "sensors.hydrophones[]", .type = "line", .key = "line", .kind = Kind::map, .fallback = required,
   .doc = "Hydrophones at equal distances on a straight line, a vertical one too; several lines make an array"},

  {.group = "sensors.hydrophones[].line", .type = "metres|lonlat", .key = "name", .kind = Kind::text, .fallback = "line",
   .doc = "Of the line; its hydrophones have their number behind it"},
  {.group = "sensors.hydrophones[].line", .type = "metres", .key = "from", .kind = Kind::numbers, .unit = "m", .fallback = required, .min = -far, .max = far, .count = 3,
   .doc = "The first one: x, y, z"},
  {.group = "sensors.hydrophones[].line", .type = "metres", .key = "to", .kind = Kind::numbers, .unit = "m", .fallback = required, .min = -far, .max = far, .count = 3,
   .doc = "The last one"},
  {.group = "sensors.hydrophones[].line", .type = "lonlat", .key = "lon", .kind = Kind::numbers, .unit = "degrees east", .fallback = required, .min = -180, .max = 360, .count = 2,
   .doc = "Longitudes of the first and the last, with domain.lonlat; between them longitude and latitude change evenly"},
  {.group = "sensors.hydrophones[].line", .type = "lonlat", .key = "lat", .kind = Kind::numbers, .unit = "degrees north", .fallback = required, .min = -90, .max = 90, .count = 2,
   .doc = "Their latitudes"},
  {.group = "sensors.hydrophones[].line", .type = "lonlat", .key = "z", .kind = Kind::numbers, .unit = "m", .fallback = required, .min = -12000, .max = -0.01, .count = 2,
   .advice = "z is up, 0 at the sea surface", .doc = "Their heights above the sea surface, negative"},
  {.group = "sensors.hydrophones[].line", .type = "metres|lonlat", .key = "count", .kind = Kind::integer, .fallback = required, .min = 2, .max = 1e6,
   .doc = "Hydrophones, both ends included"},

  {.group = "output", .key = "directory", .kind = Kind::path, .fallback = optional,
   .doc = "Output directory; absent: results/<name of the case file> in the folder of the case"},
  {.group = "output", .key = "surface_interval", .unit = "s", .fallback = "0", .min = 1e-6, .max = 1e8, .zero = true,
   .doc = "Between maps of the sea surface; 0: none"},
  {.group = "output", .key = "volume_interval", .unit = "s", .fallback = "0", .min = 1e-6, .max = 1e8, .zero = true,
   .doc = "Between VTKHDF files of the pressure in the volume; 0: none"},
  {.group = "output", .key = "seafloor_interval", .unit = "s", .fallback = "0", .min = 1e-6, .max = 1e8, .zero = true,
   .doc = "Between VTKHDF files of the pressure on the seafloor; 0: none"},
  {.group = "output", .key = "cells_per_edge", .kind = Kind::choice, .fallback = "2", .choices = "1|2|4",
   .doc = "Linear cells along an element's edge in VTKHDF files; 4: every node is a point"},
  {.group = "output", .key = "arrival_threshold", .unit = "m", .fallback = "0.01", .min = 1e-9, .max = 100,
   .doc = "Surface height, up or down, that counts as the wave's arrival in surface.h5"},
  {.group = "output", .key = "checkpoint_interval", .unit = "s", .fallback = "0", .min = 1e-6, .max = 1e8, .zero = true,
   .doc = "Between checkpoints, of which the last two are kept; 0: only on a signal"},

  {.group = "solver", .key = "device", .kind = Kind::choice, .fallback = "auto", .choices = "auto|cpu|cuda", .advice = "cuda is the GPU",
   .doc = "Where it runs"},
  {.group = "solver", .key = "variant", .kind = Kind::text, .fallback = "auto", .doc = "Implementation, one of `agwave info`"},
  {.group = "solver", .key = "quadrature", .kind = Kind::choice, .fallback = "4", .choices = "4|5",
   .doc = "Points per direction. 5: `reference`, `leapfrog-reference`, `pa` and, on GPUs, the fused and dmma variants alone"},
  {.group = "solver", .key = "precision", .kind = Kind::choice, .fallback = "double", .choices = "double|single",
   .doc = "Of state and sweeps. single: half the memory, for `leapfrog-sweep`; no energies"},
  {.group = "solver", .key = "exchange", .kind = Kind::choice, .fallback = "auto", .choices = "auto|peer|nccl|mpi|staged",
   .doc = "How ranks exchange what they share; `agwave info` says what can run here"},

  {.group = "parallel", .key = "grid", .kind = Kind::integers, .fallback = "auto", .min = 1, .max = 1e6, .choices = "auto", .count = 3,
   .doc = "Ranks along x, y, z; of each group"},
  {.group = "parallel", .key = "group", .kind = Kind::integer, .fallback = "auto", .min = 1, .max = 1e6, .choices = "auto",
   .doc = "Ranks per group, for commands with many independent runs: each group makes its own; auto: the fewest whose memory holds the mesh"},

  {.group = "p2o", .key = "interval", .unit = "s", .fallback = required, .min = 1e-6, .max = 1e6,
   .doc = "Between samples, and how long a parameter moves; the step divides it"},
  {.group = "p2o", .key = "end", .unit = "s", .fallback = required, .min = 1e-6, .max = 1e8, .doc = "How long responses are recorded"},
  {.group = "p2o", .key = "parameters", .kind = Kind::map, .fallback = required, .doc = "Where the floor moves, and how finely"},
  {.group = "p2o", .key = "motion", .kind = Kind::choice, .fallback = "normal", .choices = "normal|vertical",
   .doc = "Direction of the parameters' velocity: along the floor's normal, or up"},
  {.group = "p2o", .key = "precision", .kind = Kind::choice, .fallback = "double", .choices = "double|single", .doc = "Of the stored maps"},

  {.group = "p2o.parameters", .key = "spacing", .unit = "m", .fallback = optional, .min = 1, .max = far,
   .doc = "Between parameters along x and y: bilinear hats on a grid centred in the region; exactly one of spacing and nodes"},
  {.group = "p2o.parameters", .key = "nodes", .kind = Kind::choice, .fallback = "false", .choices = "true|false",
   .doc = "One parameter for each node of the mesh on the floor of the region"},
  {.group = "p2o.parameters", .key = "region", .kind = Kind::map, .fallback = optional, .doc = "Part of the floor that moves; absent: all of it"},

  {.group = "p2o.parameters.region", .key = "x", .kind = Kind::numbers, .unit = "m", .fallback = required, .min = 0, .max = far, .count = 2,
   .doc = "West and east limits, from the south-west corner"},
  {.group = "p2o.parameters.region", .key = "y", .kind = Kind::numbers, .unit = "m", .fallback = required, .min = 0, .max = far, .count = 2,
   .doc = "South and north limits"},
};
// clang-format on

constexpr std::string_view shape_group = "sources[].shape";

// The keys of all shapes, then those of maps inside them: rows of one group stand together.
void append_shape_rows(std::vector<Row>& list) {
  for (const bool nested : {false, true})
    for (const ShapeKind& kind : shape_kinds())
      for (Row row : kind.rows) {
        if (row.group.empty() == nested) continue;
        if (!nested) row.group = shape_group, row.type = kind.type;
        list.push_back(row);
      }
}

}  // namespace

std::span<const Row> schema() {
  static const std::string types = listed(std::views::transform(shape_kinds(), &ShapeKind::type), "|");
  static const std::vector<Row> all = [] {
    std::vector<Row> list;
    for (Row row : rows) {
      const bool shapes = row.group == shape_group;
      if (shapes) row.choices = types;
      list.push_back(row);
      if (shapes) append_shape_rows(list);
    }
    return list;
  }();
  return all;
}

}  // namespace agwave
