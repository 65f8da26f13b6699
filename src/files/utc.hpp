// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <string>

namespace agwave {

std::string utc_now();  // "2026-01-31T12:00:00Z"

}  // namespace agwave
