// SPDX-License-Identifier: Apache-2.0
// The messages on the CPU: the packed values are the message, nothing is staged.
#include "comm/messages_impl.hpp"
#include "device/backend.hpp"

namespace agwave {

template <>
struct Messages<Cpu>::Copies {};
template <>
Messages<Cpu>::Copies* Messages<Cpu>::make_copies(const Comm&, const GhostArrays&) {
  return new Copies;
}
template <>
Outgoing Messages<Cpu>::mailboxes() {
  throw Error(ExitCode::device, "ranks on CPUs have no mailboxes");
}
template <>
RemotePlaces Messages<Cpu>::open(std::int64_t) {
  throw Error(ExitCode::device, "ranks on CPUs do not write to each other's memory");
}
template <>
void Messages<Cpu>::begin(Cpu&) {
  post_receives(arrivals_.data());
  post_sends(outgoing_.data());
}
template <>
void Messages<Cpu>::progress() {
  int all = 0;
  AGWAVE_MPI(MPI_Testall(static_cast<int>(requests_.size()), requests_.data(), &all, MPI_STATUSES_IGNORE));
}
template <>
const double* Messages<Cpu>::end(Cpu&) {
  wait_all();
  return arrivals_.data();
}

template class Messages<Cpu>;

}  // namespace agwave
