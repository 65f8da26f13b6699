// SPDX-License-Identifier: Apache-2.0
// The messages of a GPU. What is moved after packing goes on a second stream beside the one that computes.
//   peer     stream-ordered: packing writes into the neighbours' memory, nothing else is moved and the host waits for nothing
//   nccl     stream-ordered, by kernels: the host waits for nothing
//   mpi      the host waits for the packing, not for what was queued after it, then for MPI
//   staged   likewise, with a copy to pinned memory before and one from it after
#include <exception>
#include <memory>

#include "comm/exchange_impl.hpp"
#include "comm/mailboxes.hpp"
#include "comm/messages_impl.hpp"
#include "comm/nccl.hpp"
#include "device/backend_cuda.cuh"

namespace agwave {

template <>
struct Messages<Cuda>::Copies {
  std::unique_ptr<Mailboxes> mailboxes;
  std::unique_ptr<RemoteGhosts> ghosts;
  CudaStream stream{highest_priority()};  // messages go before what computes
  CudaEvent packed, moved;                // `moved`: what was to be moved is out of this rank's memory, and in place if that is its own

  PeerMemory& peers() const { return ghosts ? ghosts->peers() : mailboxes->peers(); }

  // An error takes the ranks elsewhere: what is open to neighbours stays, because they may still write there.
  ~Copies() {
    if (std::uncaught_exceptions() > 0) {
      static_cast<void>(mailboxes.release());
      static_cast<void>(ghosts.release());
    } else if (mailboxes || ghosts) {
      cudaEventSynchronize(moved);
    }
  }

  static int highest_priority() {
    int least = 0, greatest = 0;
    AGWAVE_CUDA_CALL(cudaDeviceGetStreamPriorityRange(&least, &greatest));
    return greatest;
  }
};

template <>
Messages<Cuda>::Copies* Messages<Cuda>::make_copies(const Comm& comm, const GhostArrays& ghosts) {
  auto copies = std::make_unique<Copies>();
  if (in_place()) {
    std::vector<Neighbour> pairs = neighbours_;
    for (Neighbour& n : pairs) n = {n.rank, n.first / 2, n.count / 2};
    copies->ghosts = std::make_unique<RemoteGhosts>(pairs, ghosts, comm);
  } else if (packing_sends()) {
    copies->mailboxes = std::make_unique<Mailboxes>(neighbours_, size(), comm);
  }
  return copies.release();
}

template <>
Outgoing Messages<Cuda>::mailboxes() {
  return copies_->mailboxes->open_next();
}
template <>
RemotePlaces Messages<Cuda>::open(std::int64_t array) {
  return copies_->ghosts->open_next(array);
}

// But for peer, the last round's values have been unpacked behind `packed`, too: what they came to may be written by whoever waits for it.
template <>
void Messages<Cuda>::begin(Cuda& backend) {
  if (transport_.path == Path::peer) {
    copies_->peers().announce(backend.stream());
    AGWAVE_CUDA_CALL(cudaEventRecord(copies_->moved, backend.stream()));
    return;
  }
  const CudaStream& stream = copies_->stream;
  AGWAVE_CUDA_CALL(cudaEventRecord(copies_->packed, backend.stream()));
  AGWAVE_CUDA_CALL(cudaStreamWaitEvent(stream, copies_->packed, 0));
  if (transport_.path == Path::nccl) {
    Nccl& nccl = *transport_.nccl;
    nccl.check();
    nccl.group_start();
    for (const Neighbour& n : neighbours_) {
      nccl.send(outgoing_.data() + n.first, n.count, n.rank, stream);
      nccl.receive(arrivals_.data() + n.first, n.count, n.rank, stream);
    }
    nccl.group_end();
    AGWAVE_CUDA_CALL(cudaEventRecord(copies_->moved, stream));
  } else if (transport_.path == Path::staged) {
    AGWAVE_CUDA_CALL(cudaEventSynchronize(copies_->moved));  // the last round's values have left the pinned buffer
    post_receives(receive_host_.data());
    AGWAVE_CUDA_CALL(cudaMemcpyAsync(send_host_.data(), outgoing_.data(), send_host_.size() * sizeof(double), cudaMemcpyDeviceToHost, stream));
  }
}

template <>
void Messages<Cuda>::progress() {}  // the host is in end() while the GPU works

template <>
const double* Messages<Cuda>::end(Cuda& backend) {
  if (transport_.path == Path::peer) {
    copies_->peers().await_all(backend.stream());
    return in_place() ? nullptr : copies_->mailboxes->incoming();
  }
  const CudaStream& stream = copies_->stream;
  if (transport_.path == Path::mpi) {
    AGWAVE_CUDA_CALL(cudaEventSynchronize(copies_->packed));
    post_receives(arrivals_.data());
    post_sends(outgoing_.data());
    wait_all();
    return arrivals_.data();  // what the stream is given from now on finds the values there
  }
  if (transport_.path == Path::staged) {
    AGWAVE_CUDA_CALL(cudaStreamSynchronize(stream));
    post_sends(send_host_.data());
    wait_all();
    AGWAVE_CUDA_CALL(cudaMemcpyAsync(arrivals_.data(), receive_host_.data(), receive_host_.size() * sizeof(double), cudaMemcpyHostToDevice, stream));
    AGWAVE_CUDA_CALL(cudaEventRecord(copies_->moved, stream));
  }
  AGWAVE_CUDA_CALL(cudaStreamWaitEvent(backend.stream(), copies_->moved, 0));
  return arrivals_.data();
}

template class Messages<Cuda>;
template class Exchange<Cuda>;

}  // namespace agwave
