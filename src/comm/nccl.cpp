// SPDX-License-Identifier: Apache-2.0
#include "comm/nccl.hpp"

#include "device/shared_library.hpp"
#include "error/error.hpp"

#if AGWAVE_CUDA && AGWAVE_NCCL
#include <nccl.h>

#include <cstdlib>
#include <exception>
#include <utility>

namespace agwave {

namespace {

struct Library : SharedLibrary {
  decltype(ncclGetVersion)* get_version = find<decltype(ncclGetVersion)>("ncclGetVersion");
  decltype(ncclGetUniqueId)* get_unique_id = find<decltype(ncclGetUniqueId)>("ncclGetUniqueId");
  decltype(ncclCommInitRank)* comm_init_rank = find<decltype(ncclCommInitRank)>("ncclCommInitRank");
  decltype(ncclCommDestroy)* comm_destroy = find<decltype(ncclCommDestroy)>("ncclCommDestroy");
  decltype(ncclCommAbort)* comm_abort = find<decltype(ncclCommAbort)>("ncclCommAbort");
  decltype(ncclCommGetAsyncError)* comm_get_async_error = find<decltype(ncclCommGetAsyncError)>("ncclCommGetAsyncError");
  decltype(ncclGroupStart)* group_start = find<decltype(ncclGroupStart)>("ncclGroupStart");
  decltype(ncclGroupEnd)* group_end = find<decltype(ncclGroupEnd)>("ncclGroupEnd");
  decltype(ncclSend)* send = find<decltype(ncclSend)>("ncclSend");
  decltype(ncclRecv)* recv = find<decltype(ncclRecv)>("ncclRecv");
  decltype(ncclGetErrorString)* get_error_string = find<decltype(ncclGetErrorString)>("ncclGetErrorString");

  Library() : SharedLibrary("libnccl.so.2", "NCCL 2.7") {}
};

const Library& library() {
  static const Library opened = [] {
    setenv("NCCL_NVLS_ENABLE", "0", 0);  // before it is there to read them
    setenv("NCCL_MAX_CTAS", "4", 0);
    return Library();
  }();
  return opened;
}

void check_nccl(ncclResult_t code, const char* call) {
  if (code != ncclSuccess) throw Error(ExitCode::device, text("NCCL: ", call, " failed: ", library().get_error_string(code)));
}

}  // namespace

std::string Nccl::why_absent() { return library().missing; }

std::string Nccl::version() {
  int code = 0;
  if (!library().missing.empty() || library().get_version(&code) != ncclSuccess) return "";
  return code < 10000 ? text(code / 1000, ".", code / 100 % 10, ".", code % 100) : text(code / 10000, ".", code / 100 % 100, ".", code % 100);
}

Nccl::Nccl(const Comm& comm) {
  ncclUniqueId id{};
  comm.agree([&] {
    if (comm.root()) check_nccl(library().get_unique_id(&id), "ncclGetUniqueId");
  });
  AGWAVE_MPI(MPI_Bcast(&id, sizeof id, MPI_BYTE, 0, comm.mpi()));
  check_nccl(library().comm_init_rank(&comm_, comm.size(), id, comm.rank()), "ncclCommInitRank");
}

Nccl::~Nccl() {
  if (!comm_) return;
  if (std::uncaught_exceptions() > 0)
    library().comm_abort(comm_);  // the others may never come
  else
    library().comm_destroy(comm_);
}

void Nccl::group_start() { check_nccl(library().group_start(), "ncclGroupStart"); }
void Nccl::send(const double* from, std::int64_t count, int rank, void* stream) {
  check_nccl(library().send(from, static_cast<std::size_t>(count), ncclDouble, rank, comm_, static_cast<cudaStream_t>(stream)), "ncclSend");
}
void Nccl::receive(double* to, std::int64_t count, int rank, void* stream) {
  check_nccl(library().recv(to, static_cast<std::size_t>(count), ncclDouble, rank, comm_, static_cast<cudaStream_t>(stream)), "ncclRecv");
}
void Nccl::group_end() { check_nccl(library().group_end(), "ncclGroupEnd"); }
void Nccl::check() {
  ncclResult_t failure = ncclSuccess;
  check_nccl(library().comm_get_async_error(comm_, &failure), "ncclCommGetAsyncError");
  if (failure == ncclSuccess) return;
  library().comm_abort(std::exchange(comm_, nullptr));  // now: what is freed on the way out would wait for its kernels
  check_nccl(failure, "an exchange");
}

}  // namespace agwave

#else  // a build without NCCL

namespace agwave {

std::string Nccl::why_absent() { return "this build has no NCCL (nccl.h was not found)"; }
std::string Nccl::version() { return ""; }
Nccl::Nccl(const Comm&) { throw Error(ExitCode::device, why_absent()); }
Nccl::~Nccl() { static_cast<void>(comm_); }  // a build with NCCL reads it
void Nccl::group_start() {}
void Nccl::send(const double*, std::int64_t, int, void*) {}
void Nccl::receive(double*, std::int64_t, int, void*) {}
void Nccl::group_end() {}
void Nccl::check() {}

}  // namespace agwave
#endif
