// SPDX-License-Identifier: Apache-2.0
// Inner patches that go aside (local_steps/asides.hpp): as early as a device could take them, and as late, the same bits as with all patches in the sweeps.
#include <gtest/gtest.h>

#include "../cases/levels_of_tests.hpp"
#include "leapfrog4_checks.hpp"
#include "timestep/leapfrog4/cpu/sweep.hpp"
#include "timestep/leapfrog4/fused.hpp"
#include "timestep/leapfrog4/fused_changes.hpp"
#include "timestep/two_sweep/cpu/bar_geometry.hpp"
#include "timestep/two_sweep/cpu/instruction_set.hpp"

namespace agwave {

GTEST_ALLOW_UNINSTANTIATED_PARAMETERIZED_TEST(Variants);  // they run in test_variants*.cpp

namespace {

using leapfrog4::Form, leapfrog4::SweepArgs, leapfrog4::mean_load, leapfrog4::mean_load_before;
enum class When { never, early, late };

template <class Patches>
const leapfrog4::SweepsOf<Patches>& sweeps_here() {
  const std::string name = instruction_set().name;
  for (const leapfrog4::Sweeps& s : leapfrog4::sweeps())
    if (s.instruction_set == name) {
      if constexpr (std::is_same_v<Patches, leapfrog4::CpuPatches>)
        return s.in_double;
      else
        return s.in_single;
    }
  throw std::logic_error("no sweeps here");
}

// Those of a CPU, as a device that passes so many patches at once. When::late: what goes aside waits for the sweep that waits for it.
template <class Patches_, When when>
class Sweeps {
 public:
  using Patches = Patches_;
  Sweeps(Cpu& cpu, const Spaces& spaces, const Patches& patches) : geometry_(cpu, spaces.elements(), patches) {}
  static double bytes(const Patches&) { return 0; }
  static two_sweep::Item item(const Patches& patches, int n) { return {n / patches.chunks, n % patches.chunks}; }
  void count_anew(Cpu&) {}
  static bool ends_apart(int, int, int) { return false; }
  void end_steps(Cpu&, const SweepArgs<Patches>&) {}
  void run(Cpu&, Form form, const SweepArgs<Patches>& args, const two_sweep::Beside&) {
    const bool ends = form == Form::next || form == Form::part;
    if (ends && args.advance.from == level_) {
      for (const Waiting& w : waiting_) pass(w.form, w.args);
      waiting_.clear();
    }
    pass(form, args);
  }
  void run_aside(Cpu&, Form form, const SweepArgs<Patches>& args) {
    items += args.last - args.first;
    if (form != Form::q) level_ = args.advance.from;
    if (when == When::late)
      waiting_.push_back({form, args});
    else
      pass(form, args);
  }
  void end(Cpu&, Form form, const SweepArgs<Patches>& args, const leapfrog4::BorrowedColumns& columns) {
    for (std::int64_t n = 0; n < columns.count; ++n) (form == Form::next ? sweeps_.next_of : sweeps_.part_of)(args, columns.list[columns.first + n]);
  }
  static bool fills(int) { return true; }
  static int at_once(int) { return when == When::never ? 0 : items_at_once; }
  static constexpr bool waits_inside = false;
  static inline std::int64_t items = 0;  // that have gone aside
  static inline int items_at_once = 0;

 private:
  struct Waiting {
    Form form;
    SweepArgs<Patches> args;
  };
  void pass(Form form, const SweepArgs<Patches>& args) {
    for (int n = args.first; n < args.last; ++n) {
      const auto [patch, chunk] = item(args.patches, args.order ? args.order[n] & two_sweep::item_mask : n);
      sweeps_.of[static_cast<std::size_t>(form)](args, geometry_.of(patch), patch, chunk);
    }
  }
  const leapfrog4::SweepsOf<Patches>& sweeps_ = sweeps_here<Patches>();
  two_sweep::BarGeometry<Patches> geometry_;
  std::vector<Waiting> waiting_;
  int level_ = -1;  // whose patches go aside
};

template <class Patches, When when>
std::vector<double> pressures(const Stage& stage, double dt) {
  using Here = Sweeps<Patches, when>;
  using Fused = std::conditional_t<std::is_same_v<Patches, leapfrog4::CpuPatches>, leapfrog4::Fused<Cpu, Here>, leapfrog4::FusedChanges<Cpu, Here>>;
  Here::items_at_once = 8 * Patches(stage.mesh).chunks;
  Fused stepper(stage.setup(4));
  Here::items = 0;
  stepper.set_state(random_values(static_cast<std::size_t>(stage.mesh.nodes()), 5, 1e6),
                    std::vector<double>(static_cast<std::size_t>(stage.mesh.NE()) * 3 * L3D));
  for (int n = 0; n < 4; ++n) {
    std::vector<ForcingSample> samples;
    const auto rates = [](int term, int step) { return step < 0 ? Rates{} : Rates{1.0 + term, 2.0 - step, 3, step == 0 ? 0.5 : 3.0 - step}; };
    for (int term = 0; term < static_cast<int>(stage.forcing.size()); ++term) samples.push_back({term, rates(term, n), rates(term, n - 1)});
    for (ForcingSample& s : samples) s.rate[mean_load_before] = n == 0 ? 0.5 : s.before[mean_load];
    stepper.step(dt, samples);
  }
  EXPECT_EQ(Here::items > 0, when != When::never);
  std::vector<double> p, u;
  stepper.get_state(p, u);
  return p;
}

// Level 0 or 1 has most patches, between a few of two and three halvings.
template <class Patches>
void expect_same_bits(std::int64_t wide, bool channel, int coarse) {
  const Mesh mesh = ridged_mesh({8 * wide, 24, channel ? 5 : 1}, 4);
  Stage stage = with_sponges_and_sources(mesh), silent(mesh);  // what forces the water is mixed in time, by the lane that takes patches aside
  stage.sponge = Sponge();
  if (channel)
    for (Stage* s : {&stage, &silent}) s->in_a_channel();
  ColumnPatches patches{mesh.elements[0], mesh.elements[1]};
  patches.wide = wide;
  std::vector<int> halvings;
  for (std::int64_t patch = 0; patch < patches.count(); ++patch) {
    const std::int64_t x = patch % patches.px();
    halvings.push_back(x == 0 ? coarse + 2 : x == 1 ? coarse + 1 + (patch / patches.px()) % 2 : x == 7 ? 0 : coarse);
  }
  LocalLevels levels = cases::levels_of(patches, halvings);
  const double dt = step_of(stage, 4);
  levels.step = dt;
  for (Stage* s : {&stage, &silent}) s->levels = &levels;
  EXPECT_EQ((pressures<Patches, When::early>(stage, dt)), (pressures<Patches, When::never>(stage, dt)));
  EXPECT_EQ((pressures<Patches, When::late>(silent, dt)), (pressures<Patches, When::never>(silent, dt)));
}

TEST(LeapfrogAsides, AtAnyTimeWithinTheirStepGiveTheSameBits) {
  for (const bool channel : {false, true})
    for (const int coarse : {0, 1}) {
      SCOPED_TRACE(testing::Message() << "channel " << channel << ", halvings " << coarse);
      expect_same_bits<leapfrog4::CpuPatches>(leapfrog4::CpuPatches::EX, channel, coarse);
      expect_same_bits<leapfrog4::CpuSinglePatches>(leapfrog4::CpuSinglePatches::EX, channel, coarse);
    }
}

}  // namespace
}  // namespace agwave
