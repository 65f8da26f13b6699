// SPDX-License-Identifier: Apache-2.0
// The forms in which two-sweep carries the velocity: the contravariant flux U = w det J J^-1 u at the Gauss-Legendre points; or instead of U
// at two points one above the other, q and 3 - q along z, its sum (at q = 0, 1) and difference (at 3 - q). A checkpoint keeps what is carried,
// because converting it would change bits.
#pragma once

namespace agwave::two_sweep {

inline constexpr const char *flux_form = "contravariant flux", *flux_in_parts_form = "contravariant flux in parts";

}  // namespace agwave::two_sweep
