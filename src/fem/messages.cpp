// SPDX-License-Identifier: Apache-2.0
// The messages on the CPU: the packed values are the message, nothing is staged.
#include "backend.hpp"
#include "fem/messages_impl.hpp"

namespace agwave {

template <>
struct Messages<Cpu>::Copies {};
template <>
Messages<Cpu>::Copies* Messages<Cpu>::make_copies(const Comm&) {
  return new Copies;
}
template <>
void Messages<Cpu>::begin(Cpu&) {
  post_receives(incoming_);
  post_sends(outgoing_);
}
template <>
void Messages<Cpu>::progress() {
  int all = 0;
  AGWAVE_MPI(MPI_Testall(static_cast<int>(requests_.size()), requests_.data(), &all, MPI_STATUSES_IGNORE));
}
template <>
void Messages<Cpu>::end(Cpu&) {
  wait_all();
}

template class Messages<Cpu>;

}  // namespace agwave
