// SPDX-License-Identifier: Apache-2.0
// Sponges: strips along the walls in which the whole state fades, sigma = sigma_max (depth into the strip / width)^2 [1/s]. Every few steps
// pressure, surface height and velocity are multiplied by one factor,
//   y <- exp(-(sigma_x(x) + sigma_y(y)) interval) y,
// between two steps, so that u_t still depends on p alone and no kernel knows of it. Damping p and u alike leaves the ratio of the two, so a
// long wave or a sound wave at normal incidence meets no change of impedance, whatever its length; damping p alone would leave the kinetic
// half of a gravity wave and change it. The factor never exceeds 1: the stable step is that of the waves and walls. Splitting the damping
// off costs an error of first order in interval * sigma, inside the sponge. What stops at once where the factor changes compresses the water, and dampings
// that follow each other steadily sound: with their own frequency and its multiples, as loud as some thousandths of the largest pressure. So they follow
// each other so quickly that no element carries that sound, or that the water is many of its wavelengths deep.
//   sigma_max: a wave of speed sqrt(g h), h the greatest depth, that crosses the strip to the wall and back is left with `reflection`
//   times what the wall sends back; one of speed v with reflection^(sqrt(g h) / v).
//
// Matched, the strips stretch the coordinate along their normal alone, which waves of any length and angle enter unchanged (timestep/leapfrog4/matched.hpp).
// They are made for sound, `speed` the fastest, and damp after every step. A strip that would damp more in a step than is stable damps that much, and a note
// says so.
#pragma once
#include <array>
#include <cstdint>
#include <string>
#include <vector>

#include "comm/comm.hpp"
#include "fem/medium.hpp"
#include "fem/sensors.hpp"
#include "mesh/mesh.hpp"

namespace agwave {

struct Sponge {
  bool matched = false;                   // see above
  double speed = 0, reflection = 1;       // what it is made for [m/s]
  std::array<double, 4> width{}, rate{};  // by wall: widths [m], 0: none; sigma_max [1/s]
  std::int64_t every = 0;                 // steps between two dampings; 0: no sponge
  double interval = 0;                    // the same in time [s]
  double unheard = 0;                     // how quickly dampings of a fading one follow each other for no one to hear them [s]
  double across = 0;                      // of a matched one: the part of sigma by which fades what moves across the normal

  bool any() const { return width[0] + width[1] + width[2] + width[3] > 0; }
  bool at(int wall) const { return width[wall] > 0; }
  bool meet() const { return (at(0) || at(1)) && (at(2) || at(3)); }  // strips along x and along y
  double left(int wall, double wave_speed) const;                     // of a wave that crosses the strip twice
};

// sound_speed: the fastest. Throws Error(usage) where strips overlap or are narrower than two element columns, matched ones than the water is deep.
// Collective.
Sponge make_sponge(const Mesh& mesh, const Medium& medium, double sound_speed, const BoundaryCase& boundary, const Comm& comm);
// The same sponge with another strip at one wall, made for another reflection.
Sponge with_strip(Sponge sponge, int wall, double width, double reflection);
// Sets how often it damps: no more than a tenth fades at once, sound crosses a tenth of the narrowest strip at most, and nobody hears it; matched, after
// every step.
void set_step(Sponge& sponge, double sound_speed, double dt);
// sigma times the interval, what one damping takes at coordinates `at` along axis 0 (x) or 1 (y) of a domain of this size; and exp of minus it, its factors.
std::vector<double> sponge_damping(const Sponge& sponge, int axis, double size, const std::vector<double>& at);
std::vector<double> sponge_factors(const Sponge& sponge, int axis, double size, const std::vector<double>& at);
bool in_strip(const Sponge& sponge, std::array<double, 2> size, double x, double y);
// Lines that name the sensors inside, and what matched strips leave of sound that their `reflection` does not; or "".
std::string sponge_note(const Sponge& sponge, std::array<double, 2> size, const Sensors& sensors);

// Which elements and node lines strips along an axis reach.
class StripReach {
 public:
  StripReach(const Mesh& mesh, const Sponge& sponge, int axis);
  bool in_mesh(std::int64_t element) const;                           // by its number in the whole mesh; beyond it none is
  bool element(std::int64_t e) const { return in_mesh(first_ + e); }  // of this rank, or beside it
  bool node(int i) const;

 private:
  const std::vector<double>& faces_;
  std::int64_t first_;
  double low_, high_;
};

}  // namespace agwave
