// SPDX-License-Identifier: Apache-2.0
#include "files/replace_file.hpp"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <cstring>

#include "error/error.hpp"

namespace agwave {

namespace {

// Of this process alone: jobs that share a folder do not meet in it.
std::string own_suffix() {
  char host[256] = "";
  if (::gethostname(host, sizeof host - 1) != 0) host[0] = 0;
  return text(".", host, "-", ::getpid(), ".part");
}

bool is_standard_output(const struct stat& given) {
  struct stat own {};
  return ::fstat(STDOUT_FILENO, &own) == 0 && own.st_dev == given.st_dev && own.st_ino == given.st_ino;
}

void write_in_place(const std::string& path, const std::string& content) {
  struct stat given {};
  const bool standard_output = ::stat(path.c_str(), &given) == 0 && is_standard_output(given);
  std::FILE* file = standard_output ? stdout : std::fopen(path.c_str(), "w");
  bool good = file != nullptr && std::fwrite(content.data(), 1, content.size(), file) == content.size() && std::fflush(file) == 0;
  int reason = errno;
  if (file != nullptr && !standard_output && std::fclose(file) != 0 && good) good = false, reason = errno;
  if (!good) throw Error(ExitCode::output, path + ": cannot write: " + std::strerror(reason));
}

}  // namespace

bool is_stream(const std::string& path) {
  struct stat given {};
  return ::stat(path.c_str(), &given) == 0 && !S_ISDIR(given.st_mode) && (!S_ISREG(given.st_mode) || is_standard_output(given));
}

void replace_file(const std::string& path, const std::string& content, bool durable) {
  if (is_stream(path)) return write_in_place(path, content);
  const std::string part = path + own_suffix();
  std::remove(part.c_str());  // it may be a link to elsewhere
  std::FILE* file = std::fopen(part.c_str(), "wx");
  bool good = file != nullptr;
  int reason = errno;
  const auto step = [&](bool ok) {
    if (good && !ok) reason = errno;
    good = good && ok;
  };
  if (file != nullptr) {
    step(std::fwrite(content.data(), 1, content.size(), file) == content.size());
    step(std::fflush(file) == 0);
    if (durable) step(::fsync(::fileno(file)) == 0 || errno == EINVAL || errno == ENOTSUP);
    step(std::fclose(file) == 0);
    if (good) step(std::rename(part.c_str(), path.c_str()) == 0);
    if (!good) std::remove(part.c_str());
  }
  if (!good) throw Error(ExitCode::output, path + ": cannot write the file: " + std::strerror(reason));
  if (durable) sync_directory(std::filesystem::path(path).parent_path());
}

void sync_directory(const std::filesystem::path& directory) {
  const int fd = ::open(directory.empty() ? "." : directory.c_str(), O_RDONLY | O_DIRECTORY);
  if (fd < 0) return;
  ::fsync(fd);
  ::close(fd);
}

}  // namespace agwave
