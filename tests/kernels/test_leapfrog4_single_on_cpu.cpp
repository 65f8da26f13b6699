// SPDX-License-Identifier: Apache-2.0
// The fused leapfrog's CUDA kernel in single precision, thread by thread on a CPU (on_cpu/warp.hpp). Its element warps alone against sums over elements in
// double precision: patches that reach beyond the mesh, chunks of several layers and of one, with and without the patch's own part of the sums before. All of
// it as the sweeps of a stepper, against the reference in double precision: walls, sources, sound channels, levels. What only a GPU shows is for
// kernels.leapfrog4_single there.
// include: tests/kernels/on_cpu
#include "leapfrog4_checks.hpp"
#include "timestep/leapfrog4/fused_changes.hpp"
#include "warp.hpp"

#pragma GCC diagnostic ignored "-Wunknown-pragmas"
#define __CUDA_ARCH__ 900
#include "timestep/leapfrog4/cuda/kernel.cuh"

namespace agwave {

GTEST_ALLOW_UNINSTANTIATED_PARAMETERIZED_TEST(Variants);  // they run in test_variants*.cpp

namespace leapfrog4 {

alignas(128) unsigned char s_memory[1 << 17];  // shared memory

namespace {

using Patches = two_sweep::SinglePatches;

// Of every patch and chunk, as the kernel is to leave them: [patch][level][column].
std::vector<double> expected_sums(const Places<Patches>& p, const ElementView& v, const std::vector<float>& field, double factor) {
  constexpr Basis<4> t{};
  constexpr auto rule = gauss_rule<4>();
  std::vector<double> sums(static_cast<std::size_t>(p.sums_size()));
  for (int ez = 0; ez < v.nz; ++ez)
    for (int ey = 0; ey < v.ny; ++ey)
      for (int ex = 0; ex < v.nx; ++ex) {
        const auto node = [&](int i, int j, int k) -> double {
          return field[(static_cast<std::size_t>(4 * ez + k) * p.NY + 4 * ey + j) * p.NX + 4 * ex + i];
        };
        double* const patch = sums.data() + p.sums_at(ex / Patches::EX, ey / Patches::EY);
        const int chunk = ez / p.layers, level = p.first_level(chunk) + 4 * (ez - chunk * p.layers);
        for (int l = 0; l < 64; ++l) {
          const int x = l % 4, y = l / 4 % 4, z = l / 16;
          double gx = 0, gy = 0, gz = 0;
          for (int n = 0; n < 125; ++n) {
            const int i = n % 5, j = n / 5 % 5, k = n / 25;
            gx += t.dB[x][i] * t.B[y][j] * t.B[z][k] * node(i, j, k);
            gy += t.B[x][i] * t.dB[y][j] * t.B[z][k] * node(i, j, k);
            gz += t.B[x][i] * t.B[y][j] * t.dB[z][k] * node(i, j, k);
          }
          const Metric m = v.point(ex, ey, ez, l, rule.x, rule.w);
          double g[3], f[3];
          weighted_gradient(m, gx, gy, gz, g);
          const double volume = m.xx * v.ax[ex];  // w det J
          contravariant_flux(m, g[0] / volume, g[1] / volume, g[2] / volume, f);
          for (int n = 0; n < 125; ++n) {
            const int i = n % 5, j = n / 5 % 5, k = n / 25;
            patch[static_cast<std::int64_t>(level + k) * Patches::level_size +
                  Patches::column(4 * (ex % Patches::EX) + i, 4 * (ey % Patches::EY) + j)] +=
                factor *
                (t.dB[x][i] * t.B[y][j] * t.B[z][k] * f[0] + t.B[x][i] * t.dB[y][j] * t.B[z][k] * f[1] + t.B[x][i] * t.B[y][j] * t.dB[z][k] * f[2]);
          }
        }
      }
  return sums;
}

// SweepTables, as sweep_tables.cuh forms them.
struct Geometry {
  std::vector<float> columns, layers;
  Geometry(const ElementView& v, const Patches& p) : columns(static_cast<std::size_t>(p.count()) * bars * column_values * 32) {
    constexpr auto rule = gauss_rule<4>();
    for (int ey = 0; ey < v.ny; ++ey)
      for (int ex = 0; ex < v.nx; ++ex)
        for (int l = 0; l < 16; ++l) {
          const std::int64_t at = (static_cast<std::int64_t>(ey) * v.nx + ex) * 16 + l, patch = ey / Patches::EY * p.px + ex / Patches::EX;
          const double w = rule.w[l % 4] * rule.w[l / 4], h = v.h[at], ax = v.ax[ex], ay = v.ay[ey];
          const double values[5] = {w * h * ay / ax, w * h * ax / ay, w * ax * ay / h, v.h_xi[at] / h, v.h_eta[at] / h};
          for (int c = 0; c < 5; ++c)
            columns[static_cast<std::size_t>(((patch * bars + ey % Patches::EY) * column_values + l / 4 * 5 + c) * 32 + ex % Patches::EX * 4 +
                                             l % 4)] = static_cast<float>(values[c]);
        }
    for (int ez = 0; ez < v.nz; ++ez) {
      const double ds = v.ds[ez];
      for (const double value : {rule.w[0] * ds, rule.w[1] * ds, rule.w[0] / ds, rule.w[1] / ds}) layers.push_back(static_cast<float>(value));
      for (int q = 0; q < 4; ++q) layers.push_back(static_cast<float>(-(v.s_mid[ez] - ds * rule.x[q]) / ds));
    }
  }
};

// All layers of a patch and chunk; own: the patch's part of the sums before, or null.
template <Form form>
void run_elements(const SweepArgs<Patches>& g, const Geometry& geometry, const std::vector<float>& field, const float* own, int patch, int chunk) {
  using S = Shared<form, float>;
  const auto memory = std::make_unique<S>();
  S& s = *memory;
  on_cpu::base = reinterpret_cast<char*>(memory.get());
  const Places<Patches>& p = g.patches;
  const SweepTablesOf<float> tables{geometry.columns.data(), geometry.layers.data()};
  const auto warp = std::make_unique<on_cpu::Warp>();
  warp->run([&] { fill_single_tables(s.tables); }, 0);
  const int x = patch % p.px, y = patch / p.px;
  const auto fill = [&](float* level, int k) {
    for (int j = 0; j < Patches::PY; ++j)
      for (int i = 0; i < Patches::PX; ++i) {
        const int I = 4 * Patches::EX * x + i, J = 4 * Patches::EY * y + j;
        level[Patches::column(i, j)] = I < p.NX && J < p.NY ? field[(static_cast<std::size_t>(k) * p.NY + J) * p.NX + I] : 0.0f;
      }
  };
  for (int step = 0; step < p.chunk_size(chunk); ++step) {
    Work& w = s.work_of(step);
    w = {};
    w.valid = true;
    w.patch = patch;
    w.ez = chunk * p.layers + step;
    w.sums = p.sums_at(x, y) + static_cast<std::int64_t>(p.first_level(chunk) + 4 * step) * Patches::level_size;
    w.first = w.new_patch = step == 0;
    w.last = step == p.chunk_size(chunk) - 1;
    for (int m = step == 0 ? 0 : 1; m < 5; ++m) fill(s.level_of(step, w, m, 0), 4 * w.ez + m);
    for (int n = 0; n < layer_values; ++n) s.weights[step % 4].geometry[n] = geometry.layers[static_cast<std::size_t>(w.ez * layer_values + n)];
    if constexpr (S::adds_own) {
      for (int m = 1; m < 5; ++m) std::copy_n(own + w.sums + m * Patches::level_size, Patches::level_size, s.in_a_of(step)[m - 1]);
      std::copy_n(own + w.sums, Patches::level_size, s.lowest_of(step));
    }
    for (int bar = bars - 1; bar >= 0; --bar)  // the upper one of two leaves what the lower one needs
      warp->run(
          [&] {
            SingleElements<S> elements(g, tables, s);
            elements.fetch_columns(w);
            two_sweep::PointVectorsOf<float> d;
            elements.gradient_of_layer(step, d);
            elements.await_columns(w);
            elements.divergence_of_layer(step, d);
          },
          static_cast<unsigned>(32 * bar));
  }
}

template <Form form>
void expect_sums(const std::array<std::int64_t, 3>& shape, int order) {
  const Mesh mesh = ridged_mesh(shape, order);
  const Stage stage(mesh);
  const Spaces spaces(stage.setup(4), Space::host);
  const Places<Patches> places(mesh);
  const auto random = [&](std::int64_t size, unsigned seed) {
    const std::vector<double> values = random_values(static_cast<std::size_t>(size), seed);
    return std::vector<float>(values.begin(), values.end());
  };
  const std::vector<float> field = random(mesh.nodes(), 3), own = random(places.sums_size(), 4);
  std::vector<float> found(static_cast<std::size_t>(places.sums_size()), NAN);
  SweepArgs<Patches> g{};
  g.elements = spaces.elements();
  g.nodes = spaces.nodes();
  g.patches = places;
  g.sums = found.data();
  g.factor = 1e-2f;
  const Geometry geometry(spaces.elements(), places);
  std::vector<double> expected = expected_sums(places, spaces.elements(), field, g.factor);
  for (int patch = 0; patch < places.count(); ++patch)
    for (int chunk = 0; chunk < places.chunks; ++chunk) run_elements<form>(g, geometry, field, own.data(), patch, chunk);
  double largest = 0, error = 0;
  for (int y = 0; y < places.py; ++y)
    for (int x = 0; x < places.px; ++x)
      for (int level = 1; level < places.levels() - 1; ++level)
        for (int j = 0; j < Patches::PY; ++j)
          for (int i = 0; i < Patches::PX; ++i) {
            const auto at =
                static_cast<std::size_t>(places.sums_at(x, y) + static_cast<std::int64_t>(level) * Patches::level_size + Patches::column(i, j));
            const double right = expected[at] + (form == Form::q ? static_cast<double>(own[at]) : 0.0);
            ASSERT_TRUE(std::isfinite(found[at])) << "patch " << x << ", " << y << ", level " << level << ", node " << i << ", " << j;
            largest = std::max(largest, std::abs(right));
            error = std::max(error, std::abs(static_cast<double>(found[at]) - right));
          }
  EXPECT_GT(largest, 0.1);
  EXPECT_LT(error, 2e-6 * largest);
}

TEST(LeapfrogSingleOnCpu, ElementsAreThoseOfDouble) {
  for (const auto& shape : std::vector<std::array<std::int64_t, 3>>{{8, 4, 1}, {11, 6, 6}, {3, 9, 2}})
    for (const int order : {1, 4}) {
      SCOPED_TRACE(testing::Message() << shape[0] << " x " << shape[1] << " x " << shape[2] << ", order " << order);
      expect_sums<Form::q>(shape, order);
      expect_sums<Form::next>(shape, order);
    }
}

// Water that has been lifted and lies still has no gradient, whatever its pressure is rounded to.
TEST(LeapfrogSingleOnCpu, WhatIsTheSameEverywhereHasNoGradient) {
  const Mesh mesh = ridged_mesh({9, 5, 2}, 4);
  const Stage stage(mesh);
  const Spaces spaces(stage.setup(4), Space::host);
  const Places<Patches> places(mesh);
  std::vector<float> sums(static_cast<std::size_t>(places.sums_size()));
  SweepArgs<Patches> g{};
  g.patches = places;
  g.sums = sums.data();
  g.factor = 1;
  const std::vector<float> field(static_cast<std::size_t>(mesh.nodes()), 10055.137f);
  const Geometry geometry(spaces.elements(), places);
  for (int patch = 0; patch < places.count(); ++patch) run_elements<Form::next>(g, geometry, field, nullptr, patch, 0);
  for (int x = 0; x < mesh.nx() / Patches::EX; ++x)  // patches that reach beyond the mesh have zeros there
    for (int level = 1; level < places.levels() - 1; ++level)
      for (int i = 0; i < Patches::level_size; ++i) {
        const float sum = sums[static_cast<std::size_t>(places.sums_at(x, 0) + static_cast<std::int64_t>(level) * Patches::level_size + i)];
        ASSERT_EQ(sum, 0) << level << ", " << i;
      }
}

// What cuda/fused.cu launches.
class SweepsOnCpu {
 public:
  using Patches = leapfrog4::Patches;
  SweepsOnCpu(Cpu&, const Spaces& spaces, const Patches& patches) : by_place_(spaces.nodes().excess), geometry_(spaces.elements(), patches) {}
  static double bytes(const Patches&) { return 0; }
  static two_sweep::Item item(const Patches& patches, int n) { return two_sweep::item_of(patches, n); }
  void count_anew(Cpu&) {}
  bool ends_apart(int from, int to, int base) const { return from > to + 1 || (from > to && (by_place_ || base > 0)); }
  void end_steps(Cpu&, const SweepArgs<Patches>& args) {
    const EndSteps<Patches> ends{args};
    for (int patch = 0; patch < EndSteps<Patches>::patches(args); ++patch)
      for (int place = 0; place < EndSteps<Patches>::places(args); place += EndSteps<Patches>::together) ends.at(patch, place, 1);
  }
  void run(Cpu&, Form form, SweepArgs<Patches> args, const two_sweep::Beside&) {
    if (leapfrog4::AdvanceOf<float>& a = args.advance; form != Form::q && ends_apart(a.from, a.to, a.base))
      args.column.keep = args.surface.keep = args.medium.keep = nullptr;
    else if (form != Form::q && a.from > a.to)
      a.moves = {true, leapfrog4::AdvanceOf<float>::softening(a.from), 2 / args.dt};
    if (args.first == args.last) return;
    if (form == Form::q)
      launch<Form::q>(args);
    else if (form == Form::next)
      launch<Form::next>(args);
    else if (form == Form::part)
      launch<Form::part>(args);
    else
      launch<Form::mixture>(args);
  }
  void run_both(Cpu& cpu, const SweepArgs<Patches>& of_q, const SweepArgs<Patches>& of_next) {  // one tells what the other waits for
    done_.resize(static_cast<std::size_t>(of_q.patches.items()));
    tells_ = true;
    target_ += element_warps;
    run(cpu, Form::q, of_q, {});
    for (const unsigned arrivals : done_) EXPECT_EQ(arrivals, target_);
    run(cpu, Form::next, of_next, {});
    tells_ = false;
  }
  void end(Cpu& cpu, Form, const SweepArgs<Patches>& args, const BorrowedColumns& columns) {
    cpu.for_each(columns.count * (args.patches.levels() - 2), EndBorrowed<Patches>{args, columns});
  }
  static bool fills(int) { return true; }
  static int at_once(int) { return 8; }
  void run_aside(Cpu& cpu, Form form, const SweepArgs<Patches>& args) { run(cpu, form, args, {}); }
  static constexpr bool waits_inside = false;

 private:
  template <Form form>
  void launch(const SweepArgs<Patches>& args) {
    static_assert(sizeof(Shared<form, float>) <= sizeof s_memory);
    unsigned taken = 0;
    two_sweep::Queue queue{};
    queue.taken = &taken;
    queue.stay = 1;
    if (tells_) queue.done = done_.data();
    queue.target = target_;
    const SweepTablesOf<float> tables{geometry_.columns.data(), geometry_.layers.data()};
    std::fill(std::begin(s_memory), std::end(s_memory), 0xff);  // as if left by others: not a number
    on_cpu::base = reinterpret_cast<char*>(s_memory);
    const auto kernel = args.medium.excess && sums_come(form) ? sweep_kernel<form, true, float> : sweep_kernel<form, false, float>;
    on_cpu::Block(threads).run([&] { kernel(args, tables, queue); });
    barriers_on_cpu().clear();
  }
  bool by_place_;
  Geometry geometry_;
  std::vector<unsigned> done_;  // of items, by element warps of sweeps of q
  unsigned target_ = 0;
  bool tells_ = false;
};

std::vector<double> pressures(Stepper& stepper, const Stage& stage, int steps, double dt) {
  const auto nodes = static_cast<std::size_t>(stage.mesh.nodes());
  stepper.set_state(random_values(nodes, 5, 1e6), std::vector<double>(static_cast<std::size_t>(stage.mesh.NE()) * 3 * L3D));
  for (int n = 0; n < steps; ++n) {
    std::vector<ForcingSample> samples;
    const auto rates = [](int term, int step) { return step < 0 ? Rates{} : Rates{1.0 + term, 2.0 - step, 3, step == 0 ? 0.5 : 3.0 - step}; };
    for (int term = 0; term < static_cast<int>(stage.forcing.size()); ++term) samples.push_back({term, rates(term, n), rates(term, n - 1)});
    for (ForcingSample& s : samples) s.rate[mean_load_before] = n == 0 ? 0.5 : s.before[mean_load];
    stepper.step(dt, samples);
  }
  std::vector<double> p, u;
  stepper.get_state(p, u);
  return p;
}

TEST(LeapfrogSingleOnCpu, TheKernelStepsAsTheVariantInDouble) {
  for (const bool channel : {false, true})
    for (const auto& shape : std::vector<std::array<std::int64_t, 3>>{{9, 5, 1}, {3, 2, 6}}) {
      SCOPED_TRACE(testing::Message() << shape[0] << " x " << shape[1] << " x " << shape[2] << ", channel " << channel);
      const Mesh mesh = ridged_mesh(shape, 4);
      Stage stage = with_sponges_and_sources(mesh);
      stage.sponge = Sponge();
      if (channel) stage.in_a_channel();
      const double dt = step_of(stage, 4);
      const auto expected = reference_of(leapfrog4_integrator).make_stepper(stage.setup(4));
      FusedChanges<Cpu, SweepsOnCpu> found(stage.setup(4));
      EXPECT_LT(relative_difference(pressures(found, stage, 3, dt), pressures(*expected, stage, 3, dt)), 2e-5);
    }
}

TEST(LeapfrogSingleOnCpu, TheKernelStepsInLevelsAsTheVariantInDouble) {
  for (const bool channel : {false, true})
    for (const auto& shape : std::vector<std::array<std::int64_t, 3>>{{19, 5, 1}, {9, 5, 6}}) {
      const Mesh mesh = ridged_mesh(shape, 4);
      Stage stage = with_sponges_and_sources(mesh);
      stage.sponge = Sponge();
      if (channel) stage.in_a_channel();
      const double dt = step_of(stage, 4);
      const LocalLevels levels = random_levels(mesh, dt, {0, 1, 2}, channel ? 3 : 1);
      stage.levels = &levels;
      const auto expected = reference_of(leapfrog4_integrator).make_stepper(stage.setup(4));
      FusedChanges<Cpu, SweepsOnCpu> found(stage.setup(4));
      EXPECT_LT(relative_difference(pressures(found, stage, 3, dt), pressures(*expected, stage, 3, dt)), 2e-5)
          << shape[2] << " layers, channel " << channel;
    }
}

}  // namespace
}  // namespace leapfrog4
}  // namespace agwave
