// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cstdlib>
#include <exception>
#include <optional>

#include "backend_cuda.cuh"
#include "cuda_driver.hpp"
#include "cuda_stream.hpp"
#include "fem/mailboxes.hpp"

namespace agwave {

namespace {

constexpr std::size_t page = std::size_t{2} << 20;  // opened memory has pages of its own, so that nothing else is opened with it
std::size_t whole_pages(std::int64_t bytes) { return (static_cast<std::size_t>(bytes) + page - 1) / page * page; }

void write_number(cudaStream_t stream, void* to, std::uint32_t value) {  // behind all that the stream wrote before, for other GPUs, too
  static const auto write = driver_function<decltype(cuStreamWriteValue32)>("cuStreamWriteValue32");
  check_driver(write(stream, reinterpret_cast<CUdeviceptr>(to), value, CU_STREAM_WRITE_VALUE_DEFAULT), "cuStreamWriteValue32");
}
void await_number(cudaStream_t stream, const void* from, std::uint32_t value) {
  static const auto wait = driver_function<decltype(cuStreamWaitValue32)>("cuStreamWaitValue32");
  check_driver(wait(stream, reinterpret_cast<CUdeviceptr>(from), value, CU_STREAM_WAIT_VALUE_GEQ), "cuStreamWaitValue32");
}

// What a rank tells each neighbour: where in its memory to write.
struct Address {
  cudaIpcMemHandle_t handle;
  std::int64_t box_bytes, offset, flag;
};

unsigned char* open(const cudaIpcMemHandle_t& handle) {
  void* memory = nullptr;
  AGWAVE_CUDA_CALL(cudaIpcOpenMemHandle(&memory, handle, cudaIpcMemLazyEnablePeerAccess));
  return static_cast<unsigned char*>(memory);
}

}  // namespace

Mailboxes::Mailboxes(std::vector<Neighbour> neighbours, std::int64_t size, const Comm& comm)
    : neighbours_(std::move(neighbours)), size_(size), comm_(comm.mpi()), memory_(Space::device, whole_pages(flag(neighbours_.size()))) {
  memory_.zero();
  const std::size_t count = neighbours_.size();
  std::vector<Address> own(count), theirs(count);
  std::vector<MPI_Request> requests(2 * count);
  for (std::size_t n = 0; n < count; ++n) {
    own[n] = {{}, box_bytes(), 8 * neighbours_[n].first, flag(n)};
    AGWAVE_CUDA_CALL(cudaIpcGetMemHandle(&own[n].handle, memory_.data()));
    AGWAVE_MPI(MPI_Irecv(&theirs[n], sizeof(Address), MPI_BYTE, neighbours_[n].rank, 2, comm_, &requests[n]));
    AGWAVE_MPI(MPI_Isend(&own[n], sizeof(Address), MPI_BYTE, neighbours_[n].rank, 2, comm_, &requests[count + n]));
  }
  AGWAVE_MPI(MPI_Waitall(static_cast<int>(requests.size()), requests.data(), MPI_STATUSES_IGNORE));
  for (const Address& a : theirs) remote_.push_back({open(a.handle), a.box_bytes, a.offset, a.flag});
}

// Memory may go when no neighbour has it open any more. What fails here has no one to tell: the ranks are on their way out.
Mailboxes::~Mailboxes() {
  for (const Remote& r : remote_) cudaIpcCloseMemHandle(r.memory);
  if (std::uncaught_exceptions() == 0) meet();
}

void Mailboxes::meet() const noexcept {
  const std::size_t count = neighbours_.size();
  std::vector<MPI_Request> requests(2 * count, MPI_REQUEST_NULL);
  for (std::size_t n = 0; n < count; ++n) {
    MPI_Irecv(nullptr, 0, MPI_BYTE, neighbours_[n].rank, 3, comm_, &requests[n]);
    MPI_Isend(nullptr, 0, MPI_BYTE, neighbours_[n].rank, 3, comm_, &requests[count + n]);
  }
  MPI_Waitall(static_cast<int>(requests.size()), requests.data(), MPI_STATUSES_IGNORE);
}

Outgoing Mailboxes::open_next() {
  ++round_;
  Outgoing outgoing{};
  for (std::size_t n = 0; n < neighbours_.size(); ++n) {
    const Remote& r = remote_[n];
    outgoing.to[n] = reinterpret_cast<double*>(r.memory + round_ % 2 * r.box_bytes + r.offset) - neighbours_[n].first;
    outgoing.end[n] = neighbours_[n].first + neighbours_[n].count;
  }
  return outgoing;
}

void Mailboxes::announce(cudaStream_t stream) const {
  for (const Remote& r : remote_) write_number(stream, r.memory + r.flag, round_);
}

void Mailboxes::await_all(cudaStream_t stream) const {
  for (std::size_t n = 0; n < neighbours_.size(); ++n) await_number(stream, memory_.data() + flag(n), round_);
}

std::string Mailboxes::why_not(const Comm& comm) {
  constexpr int count = 1000;
  std::vector<Neighbour> others;
  std::vector<double> sent, expected;
  for (int rank = 0; rank < comm.size(); ++rank) {
    const int distance = std::abs(rank - comm.rank()), around = std::min(distance, comm.size() - distance);
    if (around == 0 || around > Outgoing::most / 2) continue;
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
      boxes->announce(cuda.stream());
      cuda.synchronize();
    });
    comm.agree([&] {
      std::vector<std::uint32_t> numbers(others.size());
      copy_bytes(Space::host, numbers.data(), Space::device, boxes->memory_.data() + boxes->flag(0), 4 * numbers.size());
      std::vector<double> found(sent.size());
      copy_bytes(Space::host, found.data(), Space::device, boxes->incoming(), 8 * found.size());
      if (numbers != std::vector<std::uint32_t>(others.size(), 1) || found != expected)
        throw Error(ExitCode::device, "a trial message between two GPUs arrived wrong");
      boxes->await_all(cuda.stream());  // it is over at once
      cuda.synchronize();
    });
  } catch (const Error& e) {
    cudaGetLastError();  // it has been told
    return e.what();
  }
  return "";
}

}  // namespace agwave
