// SPDX-License-Identifier: Apache-2.0
// Threads of a rank on the CPU (OpenMP). MPI ranks are the unit: a rank among several has one thread, a lone one all cores it may
// run on; OMP_NUM_THREADS decides where it is set.
#pragma once
#include <string>

#include "comm/comm.hpp"

namespace agwave {

void set_threads(int count);
int threads();                                   // of this rank
void choose_threads(const Comm& comm);           // once, at the start
std::string describe_threads(const Comm& comm);  // "2 ranks x 4 threads"
// What to warn of: more threads on a node than cores; empty when all is well. Collective.
std::string oversubscription(const Comm& comm);

}  // namespace agwave
