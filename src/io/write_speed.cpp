// SPDX-License-Identifier: Apache-2.0
#include "io/write_speed.hpp"

#include <fcntl.h>
#include <unistd.h>

#include <cerrno>
#include <cstdlib>
#include <filesystem>
#include <vector>

#include "device/trace.hpp"

namespace agwave {
namespace {

constexpr std::size_t piece = 1 << 20, pieces = 32;

int open_nameless(const std::filesystem::path& directory) {
#ifdef O_TMPFILE
  if (const int fd = ::open(directory.c_str(), O_TMPFILE | O_WRONLY | O_CLOEXEC, 0600); fd >= 0) return fd;
#endif
  std::string name = (directory / ".agwave-XXXXXX").string();  // file systems without O_TMPFILE
  const int fd = ::mkstemp(name.data());
  if (fd >= 0) ::unlink(name.c_str());
  return fd;
}

bool write_all(int fd) {
  std::vector<char> bytes(piece);
  for (std::size_t n = 0; n < piece; ++n) bytes[n] = static_cast<char>(n * 2654435761u >> 13);  // not to be squeezed by the file system
  for (std::size_t n = 0; n < pieces; ++n)
    if (::write(fd, bytes.data(), piece) != static_cast<ssize_t>(piece)) return false;
  return ::fsync(fd) == 0;
}

}  // namespace

std::string existing_part(const std::string& directory) {
  namespace fs = std::filesystem;
  std::error_code ignored;
  fs::path there = fs::absolute(directory, ignored).lexically_normal();
  while (!fs::exists(there, ignored) && there.has_relative_path()) there = there.parent_path();
  return there.string();
}

WriteSpeed measure_write_speed(const std::string& directory, const Comm& comm) {
  const std::string there = existing_part(directory);
  comm.barrier();
  const Stopwatch watch;
  const int fd = open_nameless(there), refused = fd < 0 ? errno : 0;
  const bool good = fd >= 0 && write_all(fd);
  if (fd >= 0) ::close(fd);
  const double seconds = comm.max(watch.seconds());
  return {comm.min(good ? 1.0 : 0.0) > 0 && seconds > 0 ? static_cast<double>(piece * pieces) * comm.size() / seconds : 0, refused};
}

}  // namespace agwave
