// SPDX-License-Identifier: Apache-2.0
// The shortest periods that a mesh and a step carry: waves of which a wavelength takes so many elements that their phase is off by no more than
// `phase_error` of a period per wavelength travelled. How many that are is measured (docs/verification.md): for sound as for long waves, for which
// order 4 on Gauss-Lobatto nodes is the same in one dimension; for short surface waves, whose mass lies on the surface alone, some more.
#pragma once
#include "case/case.hpp"
#include "comm/comm.hpp"
#include "fem/medium.hpp"
#include "mesh/mesh.hpp"
#include "timestep/integrator.hpp"

namespace agwave {

inline constexpr double phase_error = 1e-3;             // of a period, per wavelength
inline constexpr double elements_per_sound_wave = 1.4;  // along the widest side of an element
inline constexpr double elements_per_surface_wave = 1.9;

struct Carried {
  double period = 0;            // [s] the shortest that is carried everywhere
  double x = 0, y = 0;          // where it is worst: the middle of a column [m]
  double width = 0, depth = 0;  // of that column [m]; width: its widest side, the thickest layer's height counted for sound
};

struct Resolution {
  Carried sound, surface;  // surface: of gravity waves; zero below a rigid lid
  double step_period = 0;  // [s] that the step carries, whatever the mesh

  double sound_period() const { return sound.period > step_period ? sound.period : step_period; }
};

// Collective.
Resolution resolution(const Mesh& mesh, const Medium& medium, Surface surface, const Integrator& integrator, double dt, const Comm& comm);

}  // namespace agwave
