// SPDX-License-Identifier: Apache-2.0
// Who is on which device, which transport is taken, and what a link costs; devices are made up, so that it runs everywhere.
// ranks: 1 3
#include <gtest/gtest.h>

#include <cstdlib>

#include "comm/link.hpp"
#include "error/error.hpp"
#include "expect_error.hpp"
#include "files/version.hpp"
#include "run/devices.hpp"

namespace agwave {
namespace {

CudaDevice made_up(char number) {
  CudaDevice device;
  device.present = true;
  device.name = "Imaginary 100";
  device.uuid = std::string(16, number);
  device.count = 1;
  return device;
}

TEST(Devices, RanksOnOneDeviceAreCountedAndRefusedUnlessAskedFor) {
  const Comm comm;
  const CudaDevice own = made_up(comm.rank() == 1 ? 'b' : 'a');  // ranks 0 and 2 meet
  EXPECT_EQ(ranks_on_device(own, comm), comm.size() == 3 && comm.rank() != 1 ? 2 : 1);
  EXPECT_EQ(ranks_on_device(CudaDevice{}, comm), 1);
  unsetenv(share_variable);
  if (comm.size() == 1) {
    EXPECT_NO_THROW(refuse_shared_devices(own, comm));
  } else {
    const std::string message = message_of(ExitCode::device, [&] { refuse_shared_devices(own, comm); });
    expect_words(message, {"rank 0 on", "ranks 0 and 2 share one device (Imaginary 100", "AGWAVE_SHARE_GPUS=1"});
    setenv(share_variable, "1", 1);
    EXPECT_NO_THROW(refuse_shared_devices(own, comm));
  }
  unsetenv(share_variable);
  EXPECT_NO_THROW(refuse_shared_devices(made_up(static_cast<char>('a' + comm.rank())), comm));  // one each
  EXPECT_NO_THROW(refuse_shared_devices(CudaDevice{}, comm));
}

TEST(Transport, OnCpusIsMpiWhateverIsAskedForButWhatNeedsGpus) {
  const Comm comm;
  for (const char* wanted : {"auto", "mpi", "staged"}) EXPECT_EQ(choose_transport(wanted, "here", false, false, comm).path, Path::host) << wanted;
  EXPECT_STREQ(to_string(Path::host), "mpi");
  for (const char* wanted : {"nccl", "peer"})
    expect_words(message_of(ExitCode::usage, [&] { choose_transport(wanted, "c.yaml:3", false, false, comm); }),
                 {text("c.yaml:3: ", wanted), "use auto"});
}

TEST(Transport, OfSharedDevicesIsNotNccl) {
  const Comm comm;
  if (has_cuda && !find_cuda_device(0).present) GTEST_SKIP() << "skipped: a GPU-aware MPI would be tried with device memory";
  const auto options = gpu_transports(comm.root(), comm);  // one rank that shares is enough
  ASSERT_EQ(options.size(), 4u);
  EXPECT_EQ(options[0].path, Path::peer);
  EXPECT_NE(options[0].why_not, "");  // no GPU
  EXPECT_EQ(options[1].path, Path::nccl);
  EXPECT_NE(options[1].why_not.find("share"), std::string::npos) << options[1].why_not;
  EXPECT_EQ(options[3].path, Path::staged);
  EXPECT_EQ(options[3].why_not, "");
}

TEST(Link, IsFittedThroughTheEndsAndMeasuredBetweenPartners) {
  const Link line = fit({{8, 2e-6}, {1000, 1}, {1000008, 3e-6}});
  EXPECT_DOUBLE_EQ(line.latency, 2e-6);
  EXPECT_NEAR(line.bandwidth, 1e12, 1);
  const Comm comm;
  Transport transport;
  transport.path = Path::host;
  const auto samples = measure_link(transport, 1, comm);
  EXPECT_EQ(samples.front().bytes, 8);
  EXPECT_EQ(samples.back().bytes, 8 << 21);
  EXPECT_EQ(transport.traffic->rounds, 0);
  if (comm.size() == 1) return;
  for (const LinkSample& s : samples) EXPECT_GT(s.seconds, 0);
  EXPECT_GT(samples.back().seconds, samples.front().seconds);
}

}  // namespace
}  // namespace agwave
