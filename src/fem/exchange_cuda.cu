// SPDX-License-Identifier: Apache-2.0
// The exchange on a GPU, staged through pinned host memory: pack on the main stream, copy out on a second stream while the
// interior computes, send, receive, copy in, add on the main stream.
#include "backend_cuda.cuh"
#include "fem/exchange_impl.hpp"

namespace agwave {

template <>
struct Exchange<Cuda>::Copies {
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
void Exchange<Cuda>::wait_for_buffers() {
  AGWAVE_CUDA_CALL(cudaEventSynchronize(copies_->received));
}

template <>
void Exchange<Cuda>::begin_send(Cuda& backend) {
  AGWAVE_CUDA_CALL(cudaEventRecord(copies_->packed, backend.stream()));
  AGWAVE_CUDA_CALL(cudaStreamWaitEvent(copies_->stream, copies_->packed, 0));
  AGWAVE_CUDA_CALL(cudaMemcpyAsync(send_host_.data(), packed_.data(), packed_.size() * sizeof(double), cudaMemcpyDeviceToHost, copies_->stream));
}

template <>
void Exchange<Cuda>::end_receive(Cuda& backend) {
  AGWAVE_CUDA_CALL(cudaStreamSynchronize(copies_->stream));
  post_sends(send_host_.data());
  AGWAVE_MPI(MPI_Waitall(static_cast<int>(requests_.size()), requests_.data(), MPI_STATUSES_IGNORE));
  AGWAVE_CUDA_CALL(cudaMemcpyAsync(gathered_.data() + own_.size(), receive_host_.data(), receive_host_.size() * sizeof(double),
                                   cudaMemcpyHostToDevice, copies_->stream));
  AGWAVE_CUDA_CALL(cudaEventRecord(copies_->received, copies_->stream));
  AGWAVE_CUDA_CALL(cudaStreamWaitEvent(backend.stream(), copies_->received, 0));
}

template class Exchange<Cuda>;

}  // namespace agwave
