// SPDX-License-Identifier: Apache-2.0
#pragma once

namespace agwave {

// What a stepper carries from step to step besides p: the physical velocity u at the Gauss-Legendre points, or the contravariant flux
// U = w det J J^-1 u there, or instead of U at two points one above the other, q and 3 - q along z, its sum (at q = 0, 1) and difference (at 3 - q).
// A checkpoint keeps what is carried: converting it would change bits.
enum class Carried { velocity, flux, flux_in_parts };

}  // namespace agwave
