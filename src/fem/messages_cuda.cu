// SPDX-License-Identifier: Apache-2.0
// The messages of a GPU, staged through pinned host memory: copied out on a second stream while the main one computes, sent,
// received, copied in; the main stream then waits.
#include "backend_cuda.cuh"
#include "fem/exchange_impl.hpp"
#include "fem/messages_impl.hpp"

namespace agwave {

template <>
struct Messages<Cuda>::Copies {
  cudaStream_t stream = nullptr;
  cudaEvent_t packed = nullptr, received = nullptr;
  Copies() {
    AGWAVE_CUDA_CALL(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking));
    AGWAVE_CUDA_CALL(cudaEventCreateWithFlags(&packed, cudaEventDisableTiming));
    AGWAVE_CUDA_CALL(cudaEventCreateWithFlags(&received, cudaEventDisableTiming));
  }
  ~Copies() {
    cudaEventDestroy(packed);
    cudaEventDestroy(received);
    cudaStreamDestroy(stream);
  }
};

// The last round's values may still be on their way from the receive buffer to the device.
template <>
void Messages<Cuda>::wait_for_buffers() {
  AGWAVE_CUDA_CALL(cudaEventSynchronize(copies_->received));
}

template <>
void Messages<Cuda>::begin_send(Cuda& backend, const double* outgoing) {
  AGWAVE_CUDA_CALL(cudaEventRecord(copies_->packed, backend.stream()));
  AGWAVE_CUDA_CALL(cudaStreamWaitEvent(copies_->stream, copies_->packed, 0));
  AGWAVE_CUDA_CALL(cudaMemcpyAsync(send_host_.data(), outgoing, send_host_.size() * sizeof(double), cudaMemcpyDeviceToHost, copies_->stream));
}

template <>
void Messages<Cuda>::end_receive(Cuda& backend) {
  AGWAVE_CUDA_CALL(cudaStreamSynchronize(copies_->stream));
  post_sends(send_host_.data());
  AGWAVE_MPI(MPI_Waitall(static_cast<int>(requests_.size()), requests_.data(), MPI_STATUSES_IGNORE));
  AGWAVE_CUDA_CALL(cudaMemcpyAsync(incoming_, receive_host_.data(), receive_host_.size() * sizeof(double), cudaMemcpyHostToDevice, copies_->stream));
  AGWAVE_CUDA_CALL(cudaEventRecord(copies_->received, copies_->stream));
  AGWAVE_CUDA_CALL(cudaStreamWaitEvent(backend.stream(), copies_->received, 0));
}

template class Messages<Cuda>;
template class Exchange<Cuda>;

}  // namespace agwave
