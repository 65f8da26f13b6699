// SPDX-License-Identifier: Apache-2.0
// The CPU's two-sweep variant beyond what every variant must pass: every remainder of the mesh against vectors, patches and chunks, on
// every instruction set that runs here; long runs; and the same bits from any number of threads.
#include <cstdlib>
#include <optional>

#include "comm/threads.hpp"
#include "error/error.hpp"
#include "timestep/two_sweep/cpu/instruction_set.hpp"
#include "two_sweep_checks.hpp"

namespace agwave {
namespace {

const Variant& two_sweep_on_cpu() { return variant_named("two-sweep", Device::cpu); }

class Simd {  // while it lives
 public:
  explicit Simd(const char* name) {
    if (const char* now = std::getenv("AGWAVE_SIMD")) before_ = now;
    setenv("AGWAVE_SIMD", name, 1);
  }
  ~Simd() { before_ ? setenv("AGWAVE_SIMD", before_->c_str(), 1) : unsetenv("AGWAVE_SIMD"); }
  Simd(const Simd&) = delete;
  Simd& operator=(const Simd&) = delete;

 private:
  std::optional<std::string> before_;
};

class Threads {
 public:
  explicit Threads(int count) : before_(threads()) { set_threads(count); }
  ~Threads() { set_threads(before_); }
  Threads(const Threads&) = delete;
  Threads& operator=(const Threads&) = delete;

 private:
  int before_;
};

TEST(TwoSweepCpu, AgreesOnAllRemainders) {
  std::vector<std::array<std::int64_t, 3>> shapes;
  for (std::int64_t n = 1; n <= 9; ++n) {
    shapes.push_back({n, 3, 2});
    shapes.push_back({3, n, 2});
    shapes.push_back({2, 3, n});
    shapes.push_back({n, 10 - n, n % 4 + 1});
  }
  shapes.push_back({17, 9, 5});
  for (const auto& shape : shapes)
    for (int order : {1, 4}) {
      const Mesh mesh = ridged_mesh(shape, order);
      const Stage stage(mesh);
      const double dt = nine_tenths_of_the_limit(stage);
      const Outcome expected = run_ten_steps(reference_variant(), stage, 4, dt, false);
      for (const auto& set : two_sweep::instruction_sets()) {
        if (!set.runs_here()) continue;
        SCOPED_TRACE(testing::Message() << shape[0] << " x " << shape[1] << " x " << shape[2] << ", order " << order << ", " << set.name);
        const Simd simd(set.name);
        const Outcome found = run_ten_steps(two_sweep_on_cpu(), stage, 4, dt, false);
        EXPECT_LT(relative_difference(found.p, expected.p), 1e-13);
        EXPECT_LT(relative_difference(found.u, expected.u), 1e-13);
      }
    }
}

// Chunks of 8 and of 16 layers, a whole one and one of a single layer; small meshes have chunks of 4. `pa` is tested against the reference on those.
TEST(TwoSweepCpu, AgreesInTallChunks) {
  for (const auto& shape : {std::array<std::int64_t, 3>{1, 1021, 9}, {1, 2045, 17}}) {
    EXPECT_EQ(two_sweep_on_cpu().unit(shape)[2], shape[2] - 1);
    expect_like(variant_named("pa", Device::cpu), two_sweep_on_cpu(), shape, 4);
  }
}

TEST(TwoSweepCpu, StaysTogetherForAThousandSteps) { expect_together_for_a_thousand_steps(two_sweep_on_cpu()); }

TEST(TwoSweepCpu, GivesTheSameBitsTwice) { expect_same_bits(two_sweep_on_cpu(), 2); }

TEST(TwoSweepCpu, GivesTheSameBitsOnAnyNumberOfThreads) {
  const Mesh mesh = ridged_mesh({26, 9, 6}, 4);
  const Stage stage(mesh);
  const double dt = nine_tenths_of_the_limit(stage);
  for (const auto& set : two_sweep::instruction_sets()) {
    if (!set.runs_here()) continue;
    const Simd simd(set.name);
    std::optional<Outcome> first;
    for (int count : {1, 2, 3, 7}) {
      SCOPED_TRACE(testing::Message() << set.name << ", " << count << " threads");
      const Threads some(count);
      const Outcome found = run_ten_steps(two_sweep_on_cpu(), stage, 4, dt, count == 2);
      if (!first) first = found;
      EXPECT_TRUE(found.p == first->p && found.u == first->u && found.sampled == first->sampled && found.maximum == first->maximum);
      EXPECT_EQ(found.energy, first->energy);
      EXPECT_EQ(found.loss, first->loss);
    }
  }
}

TEST(TwoSweepCpu, RefusesUnknownInstructionSets) {
  const Simd simd("abacus");
  try {
    instruction_set();
    ADD_FAILURE() << "no error";
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), ExitCode::usage);
    EXPECT_NE(std::string(error.what()).find("AGWAVE_SIMD: 'abacus'"), std::string::npos) << error.what();
  }
}

}  // namespace
}  // namespace agwave
