// SPDX-License-Identifier: Apache-2.0
// The messages of a GPU, on a second stream beside the one that computes.
//   nccl     both stream-ordered: the host waits for nothing
//   mpi      the host waits for the packing, not for what was queued after it, then for MPI
//   staged   likewise, with a copy to pinned memory before and one from it after
#include "backend_cuda.cuh"
#include "fem/exchange_impl.hpp"
#include "fem/messages_impl.hpp"
#include "fem/nccl.hpp"

namespace agwave {

template <>
struct Messages<Cuda>::Copies {
  CudaStream stream{highest_priority()};  // messages go before what computes
  CudaEvent packed, received;

  static int highest_priority() {
    int least = 0, greatest = 0;
    AGWAVE_CUDA_CALL(cudaDeviceGetStreamPriorityRange(&least, &greatest));
    return greatest;
  }
};

// Behind `packed` the last round's values have been unpacked, too: `incoming` may be written by whoever waits for it.
template <>
void Messages<Cuda>::begin(Cuda& backend) {
  AGWAVE_CUDA_CALL(cudaEventRecord(copies_->packed, backend.stream()));
  AGWAVE_CUDA_CALL(cudaStreamWaitEvent(copies_->stream, copies_->packed, 0));
  if (transport_.path == Path::nccl) {
    Nccl& nccl = *transport_.nccl;
    nccl.check();
    nccl.group_start();
    for (const Neighbour& n : neighbours_) {
      nccl.send(outgoing_ + n.first, n.count, n.rank, copies_->stream);
      nccl.receive(incoming_ + n.first, n.count, n.rank, copies_->stream);
    }
    nccl.group_end();
    AGWAVE_CUDA_CALL(cudaEventRecord(copies_->received, copies_->stream));
  } else if (transport_.path == Path::staged) {
    AGWAVE_CUDA_CALL(cudaEventSynchronize(copies_->received));  // the last round's values have left the pinned buffer
    post_receives(receive_host_.data());
    AGWAVE_CUDA_CALL(cudaMemcpyAsync(send_host_.data(), outgoing_, send_host_.size() * sizeof(double), cudaMemcpyDeviceToHost, copies_->stream));
  }
}

template <>
void Messages<Cuda>::progress() {}  // the host is in end() while the GPU works

template <>
void Messages<Cuda>::end(Cuda& backend) {
  if (transport_.path == Path::mpi) {
    AGWAVE_CUDA_CALL(cudaEventSynchronize(copies_->packed));
    post_receives(incoming_);
    post_sends(outgoing_);
    wait_all();
    return;  // what the stream is given from now on finds the values there
  }
  if (transport_.path == Path::staged) {
    AGWAVE_CUDA_CALL(cudaStreamSynchronize(copies_->stream));
    post_sends(send_host_.data());
    wait_all();
    AGWAVE_CUDA_CALL(
        cudaMemcpyAsync(incoming_, receive_host_.data(), receive_host_.size() * sizeof(double), cudaMemcpyHostToDevice, copies_->stream));
    AGWAVE_CUDA_CALL(cudaEventRecord(copies_->received, copies_->stream));
  }
  AGWAVE_CUDA_CALL(cudaStreamWaitEvent(backend.stream(), copies_->received, 0));
}

template class Messages<Cuda>;
template class Exchange<Cuda>;

}  // namespace agwave
