// SPDX-License-Identifier: Apache-2.0
// What the physics tests share: a Case built in C++ with sensible defaults, initial data given as functions of x, y, z,
// a run that returns traces, and a least-squares fit of tones to a trace.
#pragma once
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdlib>
#include <functional>
#include <limits>
#include <string>
#include <vector>

#include "../unit/shapes.hpp"
#include "fem/points.hpp"
#include "run/model.hpp"

namespace agwave::cases {

inline constexpr double pi = 3.14159265358979323846;
inline constexpr double inf = std::numeric_limits<double>::infinity();

inline const Comm& world() {
  static const Comm comm;
  return comm;
}

inline std::vector<double> uniform_interfaces(std::int64_t n) {
  std::vector<double> values;
  for (std::int64_t k = 0; k <= n; ++k) values.push_back(static_cast<double>(k) / static_cast<double>(n));
  return values;
}

// Numbers from -0.5 to 0.5, the same on every machine.
class Noise {
 public:
  explicit Noise(unsigned seed) : state_(seed) {}
  double operator()() {
    state_ = state_ * 1664525u + 1013904223u;
    return state_ / 4294967296.0 - 0.5;
  }

 private:
  unsigned state_;
};

inline std::string device_of_tests() {
  const char* device = std::getenv("AGWAVE_TEST_DEVICE");  // scripts/gpu_check.sh runs the same physics on the GPU
  return device ? device : "cpu";
}

// The leapfrog around an operator, which each device has under a name of its own.
inline std::string plain_leapfrog() { return device_of_tests() == "cuda" ? "leapfrog-mf" : "leapfrog-reference"; }

// A flat box of `size` [m] and `depth` [m], all four walls alike, on the CPU with the variant that `auto` takes unless told otherwise.
inline Case box_case(std::array<double, 2> size, double depth, std::array<std::int64_t, 3> elements, Wall walls = Wall::rigid) {
  Case c;
  c.title = "test";
  c.domain.size = size;
  c.domain.bathymetry = FlatBathymetry{depth};
  c.mesh.elements = elements;
  c.mesh.interfaces = uniform_interfaces(elements[2]);
  c.boundary = {walls, walls, walls, walls, Surface::gravity};
  c.solver.device = device_of_tests();
  const char* variant = std::getenv("AGWAVE_TEST_VARIANT");
  c.solver.variant = variant ? variant : "auto";
  return c;
}

// The same with classical RK4, for states that have a velocity and for what RK4 alone promises.
inline Case rk4_case(std::array<double, 2> size, double depth, std::array<std::int64_t, 3> elements, Wall walls = Wall::rigid) {
  Case c = box_case(size, depth, elements, walls);
  if (c.solver.variant == "auto") c.solver.scheme = "rk4";
  return c;
}

// `per_interval` steps per sampling interval [s]; 0 leaves the step to the model.
inline void set_time(Case& c, double end, double interval, int per_interval = 0) {
  c.time.end = end;
  c.sensors.interval = interval;
  if (per_interval > 0) c.time.step = interval / per_interval;
}

inline void seafloor(Case& c, double x, double y) { c.sensors.seafloor.push_back({"S" + std::to_string(c.sensors.seafloor.size()), {x, y}, 0, {}}); }
inline void hydrophone(Case& c, double x, double y, double z) {
  c.sensors.hydrophones.push_back({"H" + std::to_string(c.sensors.hydrophones.size()), {x, y}, z, {}});
}
inline void gauge(Case& c, double x, double y) { c.sensors.surface.push_back({"G" + std::to_string(c.sensors.surface.size()), {x, y}, 0, {}}); }

// Centred 8.4 sigma after t = 0, where 3e-17 of the uplift has happened.
inline Ramp gaussian_ramp(double sigma) {
  Ramp ramp;
  ramp.type = Ramp::Type::gaussian;
  ramp.center = 8.4 * sigma;
  ramp.sigma = sigma;
  return ramp;
}
inline Ramp smoothstep_ramp(double start, double duration, int order) {
  Ramp ramp;
  ramp.start = start;
  ramp.duration = duration;
  ramp.order = order;
  return ramp;
}
inline void source(Case& c, const ShapePointer& shape, const Ramp& ramp, double amplitude = 1, Motion motion = Motion::vertical) {
  SourceCase s;
  s.shape = shape;
  s.amplitude = amplitude;
  s.ramp = ramp;
  s.motion = motion;
  s.mark.key = "sources[" + std::to_string(c.sources.size()) + "]";
  c.sources.push_back(s);
}

using Scalar = std::function<double(double x, double y, double z)>;

// Nodal values of p and of the physical velocity (one function per component; empty ones are zero).
inline void set_state(Model& model, const Scalar& p, const std::array<Scalar, 3>& u = {nullptr, nullptr, nullptr}) {
  const Mesh& m = model.mesh();
  const auto x = m.x_nodes(), y = m.y_nodes(), sigma = m.sigma_nodes();
  std::vector<double> p_L(static_cast<std::size_t>(m.nodes())), u_E(static_cast<std::size_t>(m.NE()) * 3 * L3D, 0.0);
  std::size_t n = 0;
  for (int k = 0; k < m.NZ(); ++k)
    for (int j = 0; j < m.NY(); ++j)
      for (int i = 0; i < m.NX(); ++i) p_L[n++] = p(x[i], y[j], -sigma[k] * m.depth_at(i, j));
  constexpr auto gauss = gauss_rule<4>();
  for (std::int64_t e = 0; e < m.NE(); ++e) {
    const int ex = static_cast<int>(e % m.nx()), ey = static_cast<int>(e / m.nx() % m.ny()), ez = static_cast<int>(e / m.nx() / m.ny());
    for (int l = 0; l < L3D; ++l) {
      const double xl = x[4 * ex + 2] + m.ax(ex) * gauss.x[l % 4], yl = y[4 * ey + 2] + m.ay(ey) * gauss.x[l / 4 % 4];
      const double s = 0.5 * (m.sigma_floor(ez) * (1 - gauss.x[l / 16]) + m.sigma_top(ez) * (1 + gauss.x[l / 16]));
      const double z = -s * column_point(m, xl, yl).depth;
      for (int c = 0; c < 3; ++c)
        if (u[c]) u_E[(static_cast<std::size_t>(e) * 3 + c) * L3D + l] = u[c](xl, yl, z);
    }
  }
  model.stepper().set_state(p_L, u_E);
}

struct Traces {
  std::vector<double> time;                // [sample] [s]
  std::vector<std::vector<double>> value;  // [point][sample]: seafloor, hydrophones, gauges; pressure [Pa]
  double dt = 0;
  EnergyBudget budget;
};

// Runs a case from `start` (rest when empty) to its end; samples every interval, t = 0 included; `observe` is called then.
inline Traces run(const Case& c, const std::function<void(Model&)>& start = {}, const std::function<void(Model&)>& observe = {}) {
  Model model(c, world());
  if (start) start(model);
  Traces traces;
  traces.dt = model.dt();
  traces.value.resize(model.point_count());
  for (std::int64_t step = 0;; ++step) {
    if (step % model.plan().choice.per_interval == 0) {
      const auto values = model.sample_all();
      traces.time.push_back(model.time());
      for (std::size_t n = 0; n < values.size(); ++n) traces.value[n].push_back(values[n]);
      if (observe) observe(model);
    }
    if (step == model.plan().steps) break;
    model.advance();
  }
  traces.budget = model.budget();
  return traces;
}

inline double max_abs(const std::vector<double>& a) {
  double most = 0;
  for (double v : a) most = std::max(most, std::abs(v));
  return most;
}

// Largest difference over points and times, each point relative to the largest value of b at any of the points.
inline double max_difference(const std::vector<std::vector<double>>& a, const std::vector<std::vector<double>>& b) {
  double most = 0, scale = 0;
  EXPECT_EQ(a.size(), b.size());
  for (std::size_t n = 0; n < std::min(a.size(), b.size()); ++n) {
    EXPECT_EQ(a[n].size(), b[n].size());
    scale = std::max(scale, max_abs(b[n]));
    for (std::size_t t = 0; t < std::min(a[n].size(), b[n].size()); ++t) most = std::max(most, std::abs(a[n][t] - b[n][t]));
  }
  return most / scale;
}

// Of a period [s], in the samples from `first` on.
inline double amplitude(const std::vector<double>& values, std::size_t first, std::size_t count, double interval, double period) {
  double cosine = 0, sine = 0;
  for (std::size_t s = 0; s < count; ++s) {
    const double phase = 2 * pi * static_cast<double>(s) * interval / period;
    cosine += values[first + s] * std::cos(phase);
    sine += values[first + s] * std::sin(phase);
  }
  return std::hypot(cosine, sine);
}

// Solves A x = b (row-major, n x n) with partial pivoting.
inline std::vector<double> solve(std::vector<double> A, std::vector<double> b) {
  const std::size_t n = b.size();
  for (std::size_t k = 0; k < n; ++k) {
    std::size_t pivot = k;
    for (std::size_t i = k + 1; i < n; ++i)
      if (std::abs(A[i * n + k]) > std::abs(A[pivot * n + k])) pivot = i;
    for (std::size_t j = 0; j < n; ++j) std::swap(A[k * n + j], A[pivot * n + j]);
    std::swap(b[k], b[pivot]);
    for (std::size_t i = k + 1; i < n; ++i) {
      const double f = A[i * n + k] / A[k * n + k];
      for (std::size_t j = k; j < n; ++j) A[i * n + j] -= f * A[k * n + j];
      b[i] -= f * b[k];
    }
  }
  for (std::size_t k = n; k-- > 0;) {
    for (std::size_t j = k + 1; j < n; ++j) b[k] -= A[k * n + j] * b[j];
    b[k] /= A[k * n + k];
  }
  return b;
}

// value(t) ~ mean + sum_n amplitude_n cos(omega_n t - phase_n), by Gauss-Newton from the given frequencies.
struct Tones {
  double mean = 0;
  std::vector<double> omega, amplitude;
};
inline Tones fit_tones(const std::vector<double>& time, const std::vector<double>& value, std::vector<double> omega) {
  const std::size_t tones = omega.size();
  const double span = time.back() - time.front(), middle = 0.5 * (time.back() + time.front());
  std::vector<double> x;
  for (int pass = 0; pass < 12; ++pass) {
    const bool linear = pass == 0;  // the first fit keeps the frequencies
    const std::size_t per = linear ? 2 : 3, n = 1 + per * tones;
    std::vector<double> A(n * n, 0.0), b(n, 0.0), row(n);
    for (std::size_t s = 0; s < time.size(); ++s) {
      const double t = time[s] - middle;
      row[0] = 1;
      double model = linear ? 0 : x[0];
      for (std::size_t m = 0; m < tones; ++m) {
        const double cosine = std::cos(omega[m] * t), sine = std::sin(omega[m] * t);
        row[1 + per * m] = cosine;
        row[2 + per * m] = sine;
        if (linear) continue;
        model += x[1 + 2 * m] * cosine + x[2 + 2 * m] * sine;
        row[3 + per * m] = (t / span) * (x[2 + 2 * m] * cosine - x[1 + 2 * m] * sine);
      }
      for (std::size_t i = 0; i < n; ++i) {
        b[i] += row[i] * (value[s] - model);
        for (std::size_t j = 0; j < n; ++j) A[i * n + j] += row[i] * row[j];
      }
    }
    const auto step = solve(A, b);
    if (linear) {
      x = step;
      continue;
    }
    x[0] += step[0];
    for (std::size_t m = 0; m < tones; ++m) {
      x[1 + 2 * m] += step[1 + 3 * m];
      x[2 + 2 * m] += step[2 + 3 * m];
      omega[m] += step[3 + 3 * m] / span;
    }
  }
  Tones fit{x[0], omega, {}};
  for (std::size_t m = 0; m < tones; ++m) fit.amplitude.push_back(std::hypot(x[1 + 2 * m], x[2 + 2 * m]));
  return fit;
}

}  // namespace agwave::cases
