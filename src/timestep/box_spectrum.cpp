// SPDX-License-Identifier: Apache-2.0
// Lanczos, and the box operator by tensor contractions.
#include "timestep/box_spectrum.hpp"

#include <algorithm>
#include <cmath>
#include <vector>

namespace agwave {

namespace {

void put_product(const std::vector<Vec>& a, const std::vector<Vec>& b, Vec& sum) {
  sum = Vec{};
  for (std::size_t i = 0; i < a.size(); ++i) sum += a[i] * b[i];
}
void put_norm(const std::vector<Vec>& a, Vec& norm) {
  put_product(a, a, norm);
  for (int lane = 0; lane < Lanes; ++lane) norm[lane] = std::sqrt(norm[lane]);
}

// Largest eigenvalue of a lane's symmetric tridiagonal matrix, which is at least `low`, by bisection on the Sturm count.
double tridiagonal_max(const std::vector<Vec>& alpha, const std::vector<Vec>& beta, int lane, double low) {
  const std::size_t n = alpha.size();
  double high = low;
  for (std::size_t i = 0; i < n; ++i) {
    const double reach = (i > 0 ? std::abs(beta[i - 1][lane]) : 0) + (i + 1 < n ? std::abs(beta[i][lane]) : 0);
    low = std::max(low, alpha[i][lane]);
    high = std::max(high, alpha[i][lane] + reach);
  }
  for (int step = 0; step < 60 && high - low > 1e-13 * std::abs(high); ++step) {
    const double x = 0.5 * (low + high);
    bool above = false;  // some eigenvalue exceeds x
    double pivot = 1;
    for (std::size_t i = 0; i < n && !above; ++i) {
      pivot = alpha[i][lane] - x - (i > 0 ? beta[i - 1][lane] * beta[i - 1][lane] / pivot : 0);
      if (pivot >= 0) above = true;
    }
    (above ? low : high) = x;
  }
  return high;
}

}  // namespace

// Without reorthogonalisation: what rounding adds are copies of eigenvalues that have been found.
PerLane largest_eigenvalues(const std::function<void(const Vec*, Vec*)>& apply) {
  constexpr int most = 2 * D3D, between = 4;  // steps, at most and from one look to the next
  std::vector<Vec> alpha, beta, v(D3D), before(D3D), w(D3D);
  unsigned state = 12345;
  for (Vec& value : v) {
    state = state * 1664525u + 1013904223u;
    value = Vec{} + (state / 4294967296.0 - 0.5);
  }
  Vec norm;
  put_norm(v, norm);
  PerLane found;
  found.fill(-INFINITY);
  std::array<int, Lanes> settled{};
  for (int k = 0; k < most; ++k) {
    for (int lane = 0; lane < Lanes; ++lane) norm[lane] = std::max(norm[lane], 1e-300);  // of an invariant subspace nothing is left
    for (Vec& value : v) value /= norm;
    apply(v.data(), w.data());
    if (k > 0)
      for (int i = 0; i < D3D; ++i) w[i] -= norm * before[i];
    alpha.emplace_back();
    put_product(v, w, alpha.back());
    for (int i = 0; i < D3D; ++i) w[i] -= alpha.back() * v[i];
    put_norm(w, norm);
    beta.push_back(norm);
    before = v;
    v = w;
    if (k < 2 * between || k % between != 0) continue;
    bool all = true;
    for (std::size_t lane = 0; lane < Lanes; ++lane) {
      if (settled[lane] >= 2) continue;
      const double now = tridiagonal_max(alpha, beta, static_cast<int>(lane), found[lane]);
      settled[lane] = now - found[lane] <= 1e-11 * std::abs(now) ? settled[lane] + 1 : 0;
      found[lane] = now;
      all &= settled[lane] >= 2;
    }
    if (all) break;
  }
  return found;
}

namespace {

struct Line {  // one-dimensional K and N in the symmetric scaling by the GLL weights
  double K[5][5], N[5][5];
  Line() {
    constexpr auto& t = basis<4>;
    for (int i = 0; i < 5; ++i)
      for (int j = 0; j < 5; ++j) {
        double k = 0, n = 0;
        for (int q = 0; q < 4; ++q) {
          k += t.rule.w[q] * t.dB[q][i] * t.dB[q][j];
          n += t.rule.w[q] * t.B[q][i] * t.B[q][j];
        }
        const double scale = 1 / std::sqrt(gll.w[i] * gll.w[j]);
        K[i][j] = k * scale;
        N[i][j] = n * scale;
      }
  }
};

void along(const double (&m)[5][5], int stride, const Vec* in, Vec* out) {
  for (int n = 0; n < D3D; ++n) {
    const int i = n / stride % 5, base = n - i * stride;
    Vec sum = {};
    for (int j = 0; j < 5; ++j) sum += m[i][j] * in[base + j * stride];
    out[n] = sum;
  }
}

// max over x of (a A + s S) of so many boxes, eight at most, in as many lanes.
PerLane support(std::span<const BoxElement> boxes, double a, double s) {
  static const Line line;
  Vec c[3], sigma[D3D];
  for (int lane = 0; lane < Lanes; ++lane) {
    const BoxElement& box = boxes[std::min<std::size_t>(static_cast<std::size_t>(lane), boxes.size() - 1)];
    for (int d = 0; d < 3; ++d) c[d][lane] = a * box.c[d];
    for (int n = 0; n < D3D; ++n) {
      const auto of_faces = [](int node, const double(&face)[2]) { return node == 0 ? face[0] : node == 4 ? face[1] : 0; };
      sigma[n][lane] = s * (of_faces(n % 5, box.sigma_x) + of_faces(n / 5 % 5, box.sigma_y) + (n < 25 ? box.sigma_floor : 0));
    }
  }
  return largest_eigenvalues([&](const Vec* in, Vec* out) {
    Vec nx[D3D], ny[D3D], nxy[D3D], t[D3D], r[D3D];
    along(line.N, 1, in, nx);
    along(line.N, 5, in, ny);
    along(line.N, 5, nx, nxy);
    along(line.K, 1, ny, t);
    along(line.N, 25, t, r);
    for (int n = 0; n < D3D; ++n) out[n] = sigma[n] * in[n] + c[0] * r[n];
    along(line.K, 5, nx, t);
    along(line.N, 25, t, r);
    for (int n = 0; n < D3D; ++n) out[n] += c[1] * r[n];
    along(line.K, 25, nxy, r);
    for (int n = 0; n < D3D; ++n) out[n] += c[2] * r[n];
  });
}

}  // namespace

double box_support(std::span<const BoxElement> boxes, double a, double s) {
  double most = 0;
  for (; !boxes.empty(); boxes = boxes.subspan(std::min<std::size_t>(Lanes, boxes.size())))
    for (const double value : support(boxes, a, s)) most = std::max(most, value);
  return most;
}

BoxBound::BoxBound() {
  std::vector<BoxElement> boxes;
  std::vector<double*> values;
  for (int i = 0; i <= N; ++i)
    for (int j = 0; i + j <= N; ++j) {
      const double cx = static_cast<double>(i) / N, cy = static_cast<double>(j) / N;
      boxes.push_back({{cx, cy, 1 - cx - cy}, {}, {}});
      values.push_back(&value_[i][j]);
    }
  for (std::size_t first = 0; first < boxes.size(); first += Lanes) {
    const PerLane found = support(std::span(boxes).subspan(first), 1, 0);
    for (std::size_t n = first; n < std::min(first + Lanes, boxes.size()); ++n) *values[n] = found[n - first];
  }
}

double BoxBound::operator()(double cx, double cy, double cz) const {
  const double sum = cx + cy + cz, x = cx / sum * N, y = cy / sum * N;
  const int i = std::min(static_cast<int>(x), N - 1), j = std::clamp(static_cast<int>(y), 0, N - 1 - i);
  const double r = x - i, s = y - j;
  // Barycentric on the lower or the upper triangle of the cell; r + s > 1 only where the upper one exists.
  if (r + s <= 1 || i + j + 2 > N) return sum * (value_[i][j] + r * (value_[i + 1][j] - value_[i][j]) + s * (value_[i][j + 1] - value_[i][j]));
  const double corner = value_[i + 1][j + 1];
  return sum * (corner + (1 - r) * (value_[i][j + 1] - corner) + (1 - s) * (value_[i + 1][j] - corner));
}

const BoxBound& box_bound() {
  static const BoxBound bound;
  return bound;
}

}  // namespace agwave
