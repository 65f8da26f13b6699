// SPDX-License-Identifier: Apache-2.0
// What a mesh makes of sources that are narrower than its elements. Their load is integrated at 4 x 4 points of each column (fem/load.hpp), which such a source
// falls between, or of which it meets one that stands for more than there is. And what its floor makes of all sources.
#pragma once
#include <string>

#include "run/plan.hpp"

namespace agwave {

// Adds to uplift and volume of the facts what the slopes of the mesh's floor do: motion along the normal displaces more water than motion up, and motion
// sideways some. The same bits on every processor grid. Collective, once.
void add_slopes(std::vector<SourceFacts>& facts, const Mesh& mesh, const Comm& comm);

// About source n of the case where the volumes differ, else empty; the plan has its mesh and facts of its sources. Collective.
std::string carried_note(const Plan& plan, std::size_t n, const Comm& comm);

}  // namespace agwave
