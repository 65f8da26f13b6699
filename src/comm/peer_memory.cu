// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cstdlib>
#include <exception>
#include <optional>

#include "comm/mailboxes.hpp"
#include "comm/peer_memory.hpp"
#include "device/backend_cuda.cuh"

namespace agwave {

namespace {
struct Address {  // where in a rank's memory a neighbour is to write
  cudaIpcMemHandle_t handle;
  std::int64_t number;  // of its rounds [bytes]
};

unsigned char* open(const cudaIpcMemHandle_t& handle) {
  void* memory = nullptr;
  AGWAVE_CUDA_CALL(cudaIpcOpenMemHandle(&memory, handle, cudaIpcMemLazyEnablePeerAccess));
  return static_cast<unsigned char*>(memory);
}
}  // namespace

PeerMemory::PeerMemory(const std::vector<Neighbour>& neighbours, void* memory, std::size_t bytes, const Comm& comm)
    : neighbours_(neighbours), comm_(comm.mpi()), numbers_(static_cast<unsigned char*>(memory) + numbers(bytes)) {
  std::vector<Address> own(neighbours_.size());
  for (std::size_t n = 0; n < own.size(); ++n) {
    own[n].number = static_cast<std::int64_t>(numbers(bytes) + 4 * n);
    AGWAVE_CUDA_CALL(cudaIpcGetMemHandle(&own[n].handle, memory));
  }
  for (const Address& a : swap_one(neighbours_, own, comm_)) {
    unsigned char* const theirs = open(a.handle);
    remote_.push_back({theirs, theirs + a.number});
  }
}

// Memory may go when no neighbour has it open any more. What fails here has no one to tell: the ranks are on their way out.
PeerMemory::~PeerMemory() {
  for (const Remote& r : remote_) cudaIpcCloseMemHandle(r.memory);
  if (std::uncaught_exceptions() == 0) meet();
}

void PeerMemory::meet() const noexcept {
  const std::size_t count = neighbours_.size();
  std::vector<MPI_Request> requests(2 * count, MPI_REQUEST_NULL);
  for (std::size_t n = 0; n < count; ++n) {
    MPI_Irecv(nullptr, 0, MPI_BYTE, neighbours_[n].rank, 3, comm_, &requests[n]);
    MPI_Isend(nullptr, 0, MPI_BYTE, neighbours_[n].rank, 3, comm_, &requests[count + n]);
  }
  MPI_Waitall(static_cast<int>(requests.size()), requests.data(), MPI_STATUSES_IGNORE);
}

void PeerMemory::announce(cudaStream_t stream) const {
  for (const Remote& r : remote_) write_number(stream, r.number, round_);
}

void PeerMemory::await_all(cudaStream_t stream) const {
  for (std::size_t n = 0; n < remote_.size(); ++n) await_number(stream, numbers_ + 4 * n, round_);
}

std::string PeerMemory::why_not(const Comm& comm) {
  constexpr int count = 1000;
  std::vector<Neighbour> others;
  std::vector<double> sent, expected;
  for (int rank = 0; rank < comm.size(); ++rank) {
    const int distance = std::abs(rank - comm.rank()), around = std::min(distance, comm.size() - distance);
    if (around == 0 || around > most_neighbours / 2) continue;
    others.push_back({rank, static_cast<std::int64_t>(sent.size()), count});
    for (int n = 0; n < count; ++n) {
      sent.push_back(comm.rank() + 1e-3 * n);
      expected.push_back(rank + 1e-3 * n);
    }
  }
  try {
    Array<double> outgoing;
    comm.agree([&] {  // what may fail before anything is sent
      outgoing = Array<double>(Space::device, sent);
      Array<unsigned char> memory(Space::device, page);
      cudaIpcMemHandle_t handle;
      AGWAVE_CUDA_CALL(cudaIpcGetMemHandle(&handle, memory.data()));
    });
    std::optional<Mailboxes> boxes;
    const Cuda cuda;
    comm.agree([&] {
      boxes.emplace(others, static_cast<std::int64_t>(sent.size()), comm);
      cuda.for_each(static_cast<std::int64_t>(sent.size()), Pack{outgoing.data(), boxes->open_next()});
      boxes->peers().announce(cuda.stream());
      cuda.synchronize();
    });
    comm.agree([&] {
      const PeerMemory& peers = boxes->peers();
      std::vector<std::uint32_t> numbers(others.size());
      copy_bytes(Space::host, numbers.data(), Space::device, peers.numbers_, 4 * numbers.size());
      std::vector<double> found(sent.size());
      copy_bytes(Space::host, found.data(), Space::device, boxes->incoming(), 8 * found.size());
      if (numbers != std::vector<std::uint32_t>(others.size(), 1) || found != expected)
        throw Error(ExitCode::device, "a trial message between two GPUs arrived wrong");
      peers.await_all(cuda.stream());  // it is over at once
      cuda.synchronize();
    });
  } catch (const Error& e) {
    cudaGetLastError();  // it has been told
    return e.what();
  }
  return "";
}

}  // namespace agwave
