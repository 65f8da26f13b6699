// SPDX-License-Identifier: Apache-2.0
// The messages on the CPU: the packed values are the message, nothing is staged.
#include "backend.hpp"
#include "fem/messages_impl.hpp"

namespace agwave {

template <>
struct Messages<Cpu>::Copies {};
template <>
void Messages<Cpu>::wait_for_buffers() {}
template <>
void Messages<Cpu>::begin_send(Cpu&, const double* outgoing) {
  post_sends(outgoing);
}
template <>
void Messages<Cpu>::end_receive(Cpu&) {
  AGWAVE_MPI(MPI_Waitall(static_cast<int>(requests_.size()), requests_.data(), MPI_STATUSES_IGNORE));
}

template class Messages<Cpu>;

}  // namespace agwave
