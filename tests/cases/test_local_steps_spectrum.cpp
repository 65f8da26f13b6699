// SPDX-License-Identifier: Apache-2.0
// What steps in levels rest on: Q of psi+ + psi- = (2 - Q) psi is symmetric in the product of M, its eigenvalues lie in [0, 4], and walls only take from
// the energy of docs/theory.md. AGWAVE_LONG=1 in the environment makes it 200 terrains instead of 16, 100 whole matrices instead of 4, and
// 200 steps with walls instead of 60.
// label: slow
#include <chrono>
#include <numeric>

#include "error/error.hpp"
#include "levels_of_tests.hpp"

namespace agwave::cases {
namespace {

Case with(Case c, const std::string& variant) {
  c.solver.variant = variant;
  return c;
}

// Of u^T M Q v against v^T M Q u, three random pairs, over the root of u^T M Q u times v^T M Q v.
double asymmetry(StepOperator& Q) {
  double off = 0;
  for (unsigned pair = 0; pair < 3; ++pair) {
    const Values u = random_field(Q.size(), 2 * pair), v = random_field(Q.size(), 2 * pair + 1), Q_u = Q(u), Q_v = Q(v);
    off = std::max(off, std::abs(Q.product(u, Q_v) - Q.product(v, Q_u)) / std::sqrt(Q.product(u, Q_u) * Q.product(v, Q_v)));
  }
  return off;
}

TEST(LocalStepsSpectrum, QIsSymmetric) {
  std::printf("    seed   variant              levels   finest halvings   safety   asymmetry\n");
  int three = 0;
  for (unsigned seed = 0; seed < 12; ++seed)
    for (const std::string& variant : {plain_leapfrog(), std::string("auto")}) {
      const Case c = with(random_terrain(seed, {24, 9, seed % 5 == 4 ? 2 : 1}), variant);
      StepOperator Q(c, make_plan(c, world()));
      const LocalLevels& levels = Q.model().plan().levels;
      const double off = asymmetry(Q);
      std::printf("    %3u    %-18s   %zu        %d                 %.3f    %.1e\n", seed, variant.c_str(), levels.levels.size(),
                  levels.levels.back().halvings, c.time.safety, off);
      EXPECT_LT(off, 1e-11);
      three += levels.levels.size() >= 3;
    }
  EXPECT_GE(three, 16);
}

// Patches of any halvings side by side, at walls that absorb too: the mass and damping of walls stand outside Q.
TEST(LocalStepsSpectrum, QIsSymmetricForLevelsAtRandom) {
  std::printf("    seed   variant              walls       levels   finest halvings   asymmetry\n");
  for (unsigned seed = 0; seed < 6; ++seed)
    for (const Wall walls : {Wall::rigid, Wall::absorbing})
      for (const std::string& variant : {plain_leapfrog(), std::string("auto")}) {
        Case c = with(random_terrain(seed, {24, 11, 1}, walls), variant);
        c.time.local_steps = 1;
        c.solver.scheme = "leapfrog4";
        StepOperator Q(c, plan_in(c, random_levels({24, 11}, 2 + static_cast<int>(seed % 3), seed)));
        const LocalLevels& levels = Q.model().plan().levels;
        const double off = asymmetry(Q);
        std::printf("    %3u    %-18s   %-9s   %zu        %d                 %.1e\n", seed, variant.c_str(),
                    walls == Wall::rigid ? "rigid" : "absorbing", levels.levels.size(), levels.levels.back().halvings, off);
        EXPECT_LT(off, 1e-11);
      }
}

// Eigenvalues of the symmetric tridiagonal matrix below x (Sturm).
int below(const Values& diagonal, const Values& beside, double x) {
  int count = 0;
  double d = 1;
  for (std::size_t n = 0; n < diagonal.size(); ++n) {
    d = diagonal[n] - x - (n > 0 ? beside[n - 1] * beside[n - 1] / d : 0);
    if (d == 0) d = 1e-300;
    count += d < 0;
  }
  return count;
}
double eigenvalue(const Values& diagonal, const Values& beside, int number) {
  double low = -100, high = 100;
  while (high - low > 1e-14 * std::max(1.0, std::abs(high))) {
    const double middle = 0.5 * (low + high);
    if (middle == low || middle == high) break;
    (below(diagonal, beside, middle) > number ? high : low) = middle;
  }
  return 0.5 * (low + high);
}

struct Ends {
  double least, largest;
};
// By `steps` steps of Lanczos in the product of M, every vector orthogonalised twice to all before it.
Ends lanczos(StepOperator& Q, int steps, unsigned seed) {
  std::vector<Values> basis{random_field(Q.size(), seed)};
  Values diagonal, beside;
  const auto scale = [](Values& v, double factor) {
    for (double& x : v) x *= factor;
  };
  scale(basis[0], 1 / std::sqrt(Q.product(basis[0], basis[0])));
  for (int step = 0; step < steps; ++step) {
    Values w = Q(basis.back());
    diagonal.push_back(Q.product(w, basis.back()));
    for (int pass = 0; pass < 2; ++pass)
      for (const Values& v : basis) {
        const double along = Q.product(w, v);
        for (std::size_t n = 0; n < w.size(); ++n) w[n] -= along * v[n];
      }
    const double length = std::sqrt(Q.product(w, w));
    if (step + 1 == steps || length < 1e-12) break;
    beside.push_back(length);
    scale(w, 1 / length);
    basis.push_back(std::move(w));
  }
  return {eigenvalue(diagonal, beside, 0), eigenvalue(diagonal, beside, static_cast<int>(diagonal.size()) - 1)};
}

double seconds_since(std::chrono::steady_clock::time_point begin) {
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
}

TEST(LocalStepsSpectrum, LanczosFindsNothingOutside) {
  const auto begin = std::chrono::steady_clock::now();
  Ends all{inf, -inf};
  int in_levels = 0, three = 0;
  const unsigned terrains = std::getenv("AGWAVE_LONG") ? 200 : 16;
  for (unsigned seed = 0; seed < terrains; ++seed) {
    const Case c = random_terrain(seed, {24, 8, 1});
    StepOperator Q(c, make_plan(c, world()));
    const std::size_t levels = Q.model().plan().levels.levels.size();
    in_levels += levels > 1;
    three += levels > 2;
    const Ends ends = lanczos(Q, 100, seed);
    EXPECT_GT(ends.least, -1e-9) << "seed " << seed;
    EXPECT_LT(ends.largest, 4 + 1e-9) << "seed " << seed;
    all = {std::min(all.least, ends.least), std::max(all.largest, ends.largest)};
  }
  std::printf("    %u terrains, %d in levels, %d in three and more: eigenvalues from %.3e to %.6f; %.0f s\n", terrains, in_levels, three, all.least,
              all.largest, seconds_since(begin));
}

// Whether the symmetric matrix, lower triangle by rows, is positive definite. Overwritten by its factor.
bool factorises(Values& A, std::size_t n) {
  for (std::size_t i = 0; i < n; ++i) {
    double* row_i = &A[i * n];
    for (std::size_t j = 0; j <= i; ++j) {
      const double* row_j = &A[j * n];
      double part[8] = {};
      std::size_t k = 0;
      for (; k + 8 <= j; k += 8)
        for (std::size_t l = 0; l < 8; ++l) part[l] += row_i[k + l] * row_j[k + l];
      double sum = row_i[j];
      for (; k < j; ++k) sum -= row_i[k] * row_j[k];
      for (const double p : part) sum -= p;
      if (i == j && !(sum > 0)) return false;
      row_i[j] = i == j ? std::sqrt(sum) : sum / row_j[j];
    }
  }
  return true;
}

// All of Q as a matrix, symmetric with M^1/2 on both sides.
Values matrix_of(StepOperator& Q) {
  const std::size_t n = Q.size();
  Values matrix(n * n), unit(n, 0.0);
  for (std::size_t column = 0; column < n; ++column) {
    unit[column] = 1;
    const Values of = Q(unit);
    unit[column] = 0;
    for (std::size_t row = 0; row < n; ++row) matrix[column * n + row] = std::sqrt(Q.mass[row] / Q.mass[column]) * of[row];
  }
  return matrix;
}

// Lanczos sees an eigenvalue slightly below 0 late, beside the many small ones of slow waves; a Cholesky factor sees it at once: Q + 1e-9 and
// 4 + 1e-9 - Q have one.
TEST(LocalStepsSpectrum, WholeMatrixIsWithinBounds) {
  const auto begin = std::chrono::steady_clock::now();
  std::printf("    seed   elements   levels   finest halvings   safety   nodes   Q > -1e-9   Q < 4 + 1e-9\n");
  std::vector<unsigned> seeds{0, 2, 3, 5};
  if (std::getenv("AGWAVE_LONG")) {
    seeds.resize(100);
    std::iota(seeds.begin(), seeds.end(), 0u);
  }
  for (const unsigned seed : seeds) {
    const std::array<std::int64_t, 3> elements{seed % 6 == 5 ? 17 : 24, seed % 6 == 5 ? 3 : 1, 1};
    const Case c = random_terrain(1000 + seed, elements);
    StepOperator Q(c, make_plan(c, world()));
    const LocalLevels& levels = Q.model().plan().levels;
    const std::size_t n = Q.size();
    Values low = matrix_of(Q), high = low;
    for (std::size_t k = 0; k < low.size(); ++k) high[k] = -low[k];
    for (std::size_t k = 0; k < n; ++k) {
      low[k * n + k] += 1e-9;
      high[k * n + k] += 4 + 1e-9;
    }
    const bool above = factorises(low, n), under = factorises(high, n);
    std::printf("    %u   %lld x %lld     %zu        %d                 %.3f    %zu    %s         %s    %.0f s\n", 1000 + seed,
                static_cast<long long>(elements[0]), static_cast<long long>(elements[1]), levels.levels.size(), levels.levels.back().halvings,
                c.time.safety, n, above ? "yes" : "no", under ? "yes" : "no", seconds_since(begin));
    EXPECT_TRUE(above && under) << "seed " << seed;
  }
}

Values mean_of(Values a, const Values& b) {
  for (std::size_t n = 0; n < a.size(); ++n) a[n] = 0.5 * (a[n] + b[n]);
  return a;
}

// E = P m M P / 2 + psi- M Q psi / (2 D^2) from random psi and P: E' - E is what walls take, whatever level their columns have.
void expect_walls_to_take(const char* name, const Case& c, const LocalLevels* levels) {
  const auto plan = [&] { return levels ? plan_in(c, *levels) : make_plan(c, world()); };
  StepOperator state(c, plan()), Q(c, plan());
  const double D = Q.dt();
  const auto scaled = [](Values a, const Values& by) {
    for (std::size_t n = 0; n < a.size(); ++n) a[n] *= by[n];
    return a;
  };
  Values psi = random_field(Q.size(), 1), P = random_field(Q.size(), 2);
  for (double& v : P) v /= D;
  state.set(psi, P);
  const auto energy = [&] {  // psi is half a step ahead of P
    Values before = psi;
    for (std::size_t n = 0; n < Q.size(); ++n) before[n] -= D * P[n];
    return 0.5 * Q.product(P, scaled(P, Q.wall_mass)) + 0.5 / (D * D) * Q.product(before, Q(psi));
  };
  const double first = energy();
  double E = first, off = 0, rise = -inf;
  const int steps = std::getenv("AGWAVE_LONG") ? 200 : 60;
  for (int step = 0; step < steps; ++step) {
    const double before = E;
    const Values old = P;
    state.step();
    psi = state.get(leapfrog4::ahead_array);
    P = state.get(leapfrog4::rate_array);
    E = energy();
    const Values mean = mean_of(old, P);
    off = std::max(off, std::abs(E - before + D * Q.product(mean, scaled(mean, Q.damping))) / first);
    rise = std::max(rise, (E - before) / first);
  }
  std::printf("    %-29s   %zu        %d                 %.3f      %.1e       %.1e\n", name, Q.model().plan().levels.levels.size(),
              Q.model().plan().levels.levels.back().halvings, E / first, off, rise);
  EXPECT_LT(off, 1e-11) << name;  // of rounding: the sweeps carry sums of psi and what it moves by
  EXPECT_LT(rise, 1e-13) << name;
  EXPECT_GT(E, 0) << name;
}

TEST(LocalStepsSpectrum, WallsOnlyTakeEnergy) {
  std::printf("    walls                           levels   finest halvings   E / E(0)   off at most   rises by at most\n");
  for (const std::vector<int>& halvings : std::vector<std::vector<int>>{{0, 1, 0}, {1, 0, 2}, {3, 2, 0}, {3, 0, 4}}) {
    Case c = box_case({40e3, 8e3}, 3000, {20, 4, 1}, Wall::absorbing);
    c.domain.bathymetry = CosineBathymetry{3000, 0.2, {1, 1}};
    c.solver.variant = plain_leapfrog();
    set_time(c, 100, 100);
    std::string name = "halved";
    for (const int h : halvings) name += ' ' + std::to_string(h);
    const LocalLevels levels = strips(20, 4, halvings);
    expect_walls_to_take(name.c_str(), c, &levels);
  }
  for (const unsigned seed : {0u, 4u, 6u, 11u})
    for (const std::string& variant : {plain_leapfrog(), std::string("auto")})
      expect_walls_to_take(text("terrain ", seed, ' ', variant).c_str(), with(random_terrain(seed, {24, 4, 1}, Wall::absorbing), variant), nullptr);
}

// The energy above from random psi and P with rigid walls, filtered before every step: with one step for all the filter can only take from it. In levels it
// does not commute with Q, and what it takes may come back for a while, but no wave grows.
TEST(LocalStepsSpectrum, FilteredStepsDoNotGrow) {
  std::printf("    seed   variant              levels   finest halvings   E / E(0) after 50, 100 and 200 filtered steps\n");
  for (unsigned seed = 0; seed < 8; ++seed)
    for (const std::string& variant : {plain_leapfrog(), std::string("auto")}) {
      if (seed > 0 && variant != "auto") continue;
      Case c = with(random_terrain(seed, {24, 9, 1}), variant);
      if (seed % 4 == 3) {
        c.time.local_steps = 1;
        c.solver.scheme = "leapfrog4";
      }
      StepOperator state(c, make_plan(c, world())), Q(c, make_plan(c, world()));
      const LocalLevels& levels = Q.model().plan().levels;
      const double D = Q.dt(), longer = 0.95 / c.time.safety;
      Values P = random_field(Q.size(), 2);
      for (double& v : P) v /= D;
      state.set(random_field(Q.size(), 1), P);
      const auto energy = [&] {
        const Values psi = state.get(leapfrog4::ahead_array), rate = state.get(leapfrog4::rate_array);
        Values before = psi;
        for (std::size_t n = 0; n < Q.size(); ++n) before[n] -= D * rate[n];
        return 0.5 * Q.product(rate, rate) + 0.5 / (D * D) * Q.product(before, Q(psi));
      };
      const double first = energy();
      std::printf("    %3u    %-18s   %zu        %d                ", seed, variant.c_str(), levels.levels.size(), levels.levels.back().halvings);
      double last = first;
      for (const int steps : {50, 50, 100}) {
        for (int n = 0; n < steps; ++n) {
          state.model().stepper().filter(D, longer, {});
          state.step();
        }
        const double now = energy();
        std::printf(" %.6f", now / first);
        EXPECT_LT(now, last) << "seed " << seed;
        EXPECT_GT(now, 0) << "seed " << seed;
        last = now;
      }
      std::printf("\n");
    }
}

}  // namespace
}  // namespace agwave::cases
