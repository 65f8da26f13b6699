// SPDX-License-Identifier: Apache-2.0
// Whether a case may continue the run of another: key by key, but for those that may change. Numbers are compared as numbers, and a
// key left out equals its default.
#pragma once
#include "case/case.hpp"
#include "case/findings.hpp"
#include "case/yaml_tree.hpp"

namespace agwave {

CaseKeys flatten(const Tree& tree);

// title, time (as long as the step stays the same), output, the devices and how the mesh is shared among them.
bool may_change(std::string_view key);

// What `then` is of, for messages.
struct Kept {
  const char *since = "the checkpoint was written", *otherwise = "run the case from the start";
};
// Adds a finding for each key that differs and may not.
void compare_keys(const CaseKeys& now, const CaseKeys& then, Findings& findings, const Kept& kept = {});

}  // namespace agwave
