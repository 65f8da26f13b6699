// SPDX-License-Identifier: Apache-2.0
// What a plan says about columns that step in levels (timestep/local_steps/levels.hpp).
#pragma once
#include <string>

#include "run/plan.hpp"

namespace agwave {

// Levels and the coarsest step, as the case asks for them; one level where they are not predicted to pay. The plan has its mesh, variant, stable step and
// sponge.
// Collective; the same on every rank.
LocalLevels plan_levels(const Case& c, const Plan& plan, const Comm& comm);

// Where so many ranks are cut, by the plan's levels, on its variant's device.
LevelCuts plan_cuts(const Case& c, const Plan& plan, int ranks);

// Error(usage) when a case asks for levels over a floor that gives way.
void refuse_levels_over_floor(const Case& c);

// Of a CPU that takes one step for all, where levels would take less work though they would not pay on a GPU; else empty. Collective.
std::string levels_note(const Case& c, const Plan& plan, const Comm& comm);

// Of a case that asks for levels, where one step for all takes no more work; else empty.
std::string unused_levels_note(const Case& c, const Plan& plan);

// How many of the columns of matched strips fade instead; empty where none do.
std::string finer_strips_note(const Plan& plan);

}  // namespace agwave
