// SPDX-License-Identifier: Apache-2.0
// Checked MPI calls.
#include "comm/comm.hpp"

#include <algorithm>

#include "error/error.hpp"

namespace agwave {

void check_mpi(int code, const char* call, const char* file, int line) {
  if (code == MPI_SUCCESS) return;
  char message[MPI_MAX_ERROR_STRING] = "";
  int length = 0;
  MPI_Error_string(code, message, &length);
  throw Error(ExitCode::device, text(file, ":", line, ": ", call, " failed: ", message));
}

std::string host_name() {
  char name[MPI_MAX_PROCESSOR_NAME] = "";
  int length = 0;
  AGWAVE_MPI(MPI_Get_processor_name(name, &length));
  return std::string(name, static_cast<std::size_t>(length));
}

Comm::Comm(MPI_Comm comm) : comm_(comm) {
  AGWAVE_MPI(MPI_Comm_set_errhandler(comm_, MPI_ERRORS_RETURN));
  AGWAVE_MPI(MPI_Comm_rank(comm_, &rank_));
  AGWAVE_MPI(MPI_Comm_size(comm_, &size_));
}

void Comm::agree(const std::function<void()>& part) const {
  std::string message;
  int code = 0;
  try {
    part();
  } catch (const Error& error) {
    if (const auto* agreed = dynamic_cast<const AgreedError*>(&error); agreed && agreed->ranks() == size_) throw;  // all have it
    message = error.what();
    code = static_cast<int>(error.code());
  } catch (const std::bad_alloc&) {
    message = "out of host memory; use fewer elements per rank or more ranks";
    code = static_cast<int>(ExitCode::device);
  }
  if (size_ > 1 && code == static_cast<int>(ExitCode::device)) message = text("rank ", rank_, " on ", host_name(), ": ", message);
  int failed = code ? rank_ : size_, first = size_;
  AGWAVE_MPI(MPI_Allreduce(&failed, &first, 1, MPI_INT, MPI_MIN, comm_));
  if (first == size_) return;
  std::int64_t length = static_cast<std::int64_t>(message.size());
  AGWAVE_MPI(MPI_Bcast(&code, 1, MPI_INT, first, comm_));
  AGWAVE_MPI(MPI_Bcast(&length, 1, MPI_INT64_T, first, comm_));
  message.resize(static_cast<std::size_t>(length));
  AGWAVE_MPI(MPI_Bcast(message.data(), static_cast<int>(length), MPI_CHAR, first, comm_));
  throw AgreedError(static_cast<ExitCode>(code), message, size_);
}

std::string Comm::broadcast(std::string value) const {
  std::int64_t length = static_cast<std::int64_t>(value.size());
  AGWAVE_MPI(MPI_Bcast(&length, 1, MPI_INT64_T, 0, comm_));
  if (length > INT32_MAX) throw Error(ExitCode::usage, "a text of more than 2 GB cannot be broadcast");
  value.resize(static_cast<std::size_t>(length));
  AGWAVE_MPI(MPI_Bcast(value.data(), static_cast<int>(length), MPI_CHAR, 0, comm_));
  return value;
}

double Comm::broadcast(double value) const {
  AGWAVE_MPI(MPI_Bcast(&value, 1, MPI_DOUBLE, 0, comm_));
  return value;
}

namespace {
template <class T>
T reduce(T value, MPI_Datatype type, MPI_Op op, MPI_Comm comm) {
  T result{};
  AGWAVE_MPI(MPI_Allreduce(&value, &result, 1, type, op, comm));
  return result;
}
}  // namespace

double Comm::sum(double value) const { return reduce(value, MPI_DOUBLE, MPI_SUM, comm_); }
std::int64_t Comm::sum(std::int64_t value) const { return reduce(value, MPI_INT64_T, MPI_SUM, comm_); }
double Comm::max(double value) const { return reduce(value, MPI_DOUBLE, MPI_MAX, comm_); }
double Comm::min(double value) const { return reduce(value, MPI_DOUBLE, MPI_MIN, comm_); }

namespace {
void reduce_each(std::vector<double>& values, MPI_Op op, MPI_Comm comm) {
  constexpr std::size_t most = std::size_t{1} << 30;
  for (std::size_t first = 0; first < values.size(); first += most)
    AGWAVE_MPI(MPI_Allreduce(MPI_IN_PLACE, values.data() + first, static_cast<int>(std::min(most, values.size() - first)), MPI_DOUBLE, op, comm));
}
}  // namespace

void Comm::sum(std::vector<double>& values) const { reduce_each(values, MPI_SUM, comm_); }
void Comm::max(std::vector<double>& values) const { reduce_each(values, MPI_MAX, comm_); }

// In pieces, so that counts above 2^31 cause no trouble, and one rank at a time, so that rank 0 holds the values of one.
void Comm::gather_bytes(std::span<const std::byte> own, const std::function<void(int, std::span<const std::byte>)>& receive) const {
  constexpr std::size_t most = std::size_t{1} << 30;
  constexpr int tag = 1;
  const auto size = static_cast<std::int64_t>(own.size());
  std::vector<std::int64_t> sizes(root() ? static_cast<std::size_t>(size_) : 0);
  AGWAVE_MPI(MPI_Gather(&size, 1, MPI_INT64_T, sizes.data(), 1, MPI_INT64_T, 0, comm_));
  if (!root()) {
    for (std::size_t first = 0; first < own.size(); first += most)
      AGWAVE_MPI(MPI_Send(own.data() + first, static_cast<int>(std::min(most, own.size() - first)), MPI_BYTE, 0, tag, comm_));
    return;
  }
  receive(0, own);
  std::vector<std::max_align_t> room;
  for (int rank = 1; rank < size_; ++rank) {
    const auto bytes = static_cast<std::size_t>(sizes[static_cast<std::size_t>(rank)]);
    room.resize((bytes + sizeof(std::max_align_t) - 1) / sizeof(std::max_align_t));
    auto* const to = reinterpret_cast<std::byte*>(room.data());
    for (std::size_t first = 0; first < bytes; first += most)
      AGWAVE_MPI(MPI_Recv(to + first, static_cast<int>(std::min(most, bytes - first)), MPI_BYTE, rank, tag, comm_, MPI_STATUS_IGNORE));
    receive(rank, {to, bytes});
  }
}

std::vector<std::int64_t> Comm::join(const std::vector<std::int64_t>& own) const {
  const std::int64_t total = sum(static_cast<std::int64_t>(own.size()));
  if (total > INT32_MAX) throw AgreedError(ExitCode::usage, text(total, " numbers for every rank, MPI takes 2^31 - 1"));
  const int count = static_cast<int>(own.size());
  std::vector<int> counts(static_cast<std::size_t>(size_)), first(counts.size(), 0);
  AGWAVE_MPI(MPI_Allgather(&count, 1, MPI_INT, counts.data(), 1, MPI_INT, comm_));
  for (std::size_t rank = 1; rank < counts.size(); ++rank) first[rank] = first[rank - 1] + counts[rank - 1];
  std::vector<std::int64_t> all(static_cast<std::size_t>(total));
  AGWAVE_MPI(MPI_Allgatherv(own.data(), count, MPI_INT64_T, all.data(), counts.data(), first.data(), MPI_INT64_T, comm_));
  return all;
}

void Comm::barrier() const { AGWAVE_MPI(MPI_Barrier(comm_)); }

// `split` makes the communicator, which is freed with the last copy of the result.
Comm Comm::part(const std::function<void(MPI_Comm*)>& split) const {
  const auto release = [](MPI_Comm* comm) {
    if (*comm != MPI_COMM_NULL) MPI_Comm_free(comm);
    delete comm;
  };
  const std::shared_ptr<MPI_Comm> made(new MPI_Comm(MPI_COMM_NULL), release);
  split(made.get());
  Comm result(*made);
  result.owned_ = made;
  return result;
}

Comm Comm::split(int color) const {
  Comm result = part([&](MPI_Comm* made) { AGWAVE_MPI(MPI_Comm_split(comm_, color, rank_, made)); });
  result.local_rank_ = local_rank();
  return result;
}

Comm Comm::node() const {
  return part([&](MPI_Comm* made) { AGWAVE_MPI(MPI_Comm_split_type(comm_, MPI_COMM_TYPE_SHARED, rank_, MPI_INFO_NULL, made)); });
}

int Comm::local_rank() const { return local_rank_ >= 0 ? local_rank_ : node().rank(); }
int Comm::ranks_on_node() const { return node().size(); }

}  // namespace agwave
