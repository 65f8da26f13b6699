// SPDX-License-Identifier: Apache-2.0
// What a message between two ranks costs, for the model of the step time: rounds of one message each way between partners, by the
// transport that the exchange uses, from and to the memory the state lives in.
#pragma once
#include <vector>

#include "comm/comm.hpp"
#include "comm/transport.hpp"

namespace agwave {

struct LinkSample {
  double bytes, seconds;  // of a message; of a round, that of the slowest pair
};

// Partners are `distance` ranks apart; ranks without one only take part in the measurement. Collective.
std::vector<LinkSample> measure_link(const Transport& transport, int distance, const Comm& comm);

// seconds = latency + bytes / bandwidth through the smallest message and the largest. [s], [B/s]
struct Link {
  double latency = 0, bandwidth = 0;
};
Link fit(const std::vector<LinkSample>& samples);

}  // namespace agwave
