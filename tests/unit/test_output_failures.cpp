// SPDX-License-Identifier: Apache-2.0
// Every way in which sensors.h5 cannot be written: a message with its name and the reason, and nothing half-written under that name.
#include <gtest/gtest.h>
#include <signal.h>
#include <sys/mount.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <functional>

#include "expect_error.hpp"
#include "outputs.hpp"

namespace agwave {
namespace {

namespace fs = std::filesystem;
using OutputFailures = Outputs;

// Runs `action` in a child process; returns the message of its Error(output). Limits and signals set there end there.
std::string message_in_child(const std::function<void()>& action) {
  int ends[2];
  if (::pipe(ends) != 0) return "no pipe";
  const pid_t child = ::fork();
  if (child == 0) {
    const std::string message = message_of(ExitCode::output, action);
    const bool told = ::write(ends[1], message.data(), message.size()) == ssize_t(message.size());
    std::exit(told && !::testing::Test::HasFailure() ? 0 : 1);  // not _exit: HDF5's own clean-up must survive the failure too
  }
  ::close(ends[1]);
  std::string message;
  char buffer[256];
  for (ssize_t n; (n = ::read(ends[0], buffer, sizeof buffer)) > 0;) message.append(buffer, std::size_t(n));
  ::close(ends[0]);
  int status = 0;
  ::waitpid(child, &status, 0);
  return WIFEXITED(status) && WEXITSTATUS(status) == 0 ? message : text(message, " (the child ended with status ", status, ")");
}

void limit_file_size(rlim_t bytes) {  // stands for a full disk: writes beyond fail with EFBIG
  ::signal(SIGXFSZ, SIG_IGN);
  const rlimit limit{bytes, RLIM_INFINITY};
  ::setrlimit(RLIMIT_FSIZE, &limit);
}

TEST_F(OutputFailures, FailuresNameTheFileAndTheReason) {
  const auto create = [&](const std::string& where) {
    return message_of(ExitCode::output, [&] { TraceFile(where, some_sensors(1, 0, 1), 3, 1.0, {}); });
  };
  EXPECT_EQ(create(path("missing/sensors.h5")), path("missing/sensors.h5") + ": cannot create the file: No such file or directory");
  std::ofstream(path("file")) << "x";
  EXPECT_EQ(create(path("file/sensors.h5")), path("file/sensors.h5") + ": cannot create the file: Not a directory");
  fs::create_directory(path("sensors.h5"));
  EXPECT_EQ(create(path("sensors.h5")), path("sensors.h5") + ": cannot name the finished file: Is a directory");
  EXPECT_EQ(files(), 2u) << "a temporary file was left behind";
  fs::permissions(directory_.path, fs::perms::owner_read | fs::perms::owner_exec);
  if (::geteuid() != 0) {  // root may write anywhere
    EXPECT_EQ(create(path("new.h5")), path("new.h5") + ": cannot create the file: Permission denied");
  }
  fs::permissions(directory_.path, fs::perms::owner_all);
}

TEST_F(OutputFailures, UnreadableInputCarriesTheCallersCode) {
  std::ofstream(path("not.h5")) << "not an HDF5 file";
  try {
    hdf5::File::open(path("not.h5"));
    FAIL();
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), ExitCode::input);
    EXPECT_NE(std::string(error.what()).find("not.h5: cannot open the file: "), std::string::npos) << error.what();
  }
}

TEST_F(OutputFailures, DiskFullWhileCreating) {
  for (const rlim_t bytes : {0, 300, 3000, 30000, 300000}) {
    const std::string message = message_in_child([&] {
      limit_file_size(bytes);
      TraceFile(path("sensors.h5"), some_sensors(40, 0, 20), 1000, 0.5, {{"title", "full"}});
    });
    EXPECT_NE(message.find("sensors.h5: cannot "), std::string::npos) << message;
    EXPECT_NE(message.find("File too large"), std::string::npos) << message;
    EXPECT_EQ(message.find("status"), std::string::npos) << message;
    EXPECT_EQ(files(), 0u) << bytes;
  }
}

TEST_F(OutputFailures, DiskFullWhileWriting) {
  const std::string message = message_in_child([&] {
    TraceFile traces(path("sensors.h5"), some_sensors(40, 0, 20), 1000, 0.5, {});
    limit_file_size(100000);
    for (std::int64_t i = 0; i < 1000; ++i) traces.write(i, 1, rows(i, 1, 40), rows(i, 1, 40), rows(i, 1, 20));
  });
  EXPECT_EQ(message, path("sensors.h5") + ": cannot write sensor_pressure: File too large");
  EXPECT_EQ(shape(hdf5::File::open(path("sensors.h5")), "pressure")[0], 1000u);
}

TEST_F(OutputFailures, DiskFullOnARealFileSystem) {
  if (::mount("agwave-test", directory_.path.c_str(), "tmpfs", 0, "size=256k") != 0) GTEST_SKIP() << "needs the right to mount a small tmpfs";
  const std::string message = message_in_child([&] { TraceFile(path("sensors.h5"), some_sensors(40, 0, 20), 1000, 0.5, {}); });
  EXPECT_EQ(message, path("sensors.h5") + ": cannot create variable pressure: No space left on device");
  EXPECT_EQ(files(), 0u);
  ::umount(directory_.path.c_str());
}

}  // namespace
}  // namespace agwave
