// SPDX-License-Identifier: Apache-2.0
// Lanczos with full reorthogonalisation, and the box operator by tensor contractions.
#include "timestep/box_spectrum.hpp"

#include <algorithm>
#include <cmath>
#include <vector>

namespace agwave {

namespace {

using Vector = std::vector<double>;

double dot(const Vector& a, const Vector& b) {
  double sum = 0;
  for (int i = 0; i < D3D; ++i) sum += a[i] * b[i];
  return sum;
}

// Largest eigenvalue of a symmetric tridiagonal matrix, by bisection on the Sturm count.
double tridiagonal_max(const Vector& alpha, const Vector& beta) {
  const std::size_t n = alpha.size();
  double low = alpha[0], high = alpha[0];
  for (std::size_t i = 0; i < n; ++i) {
    const double reach = (i > 0 ? std::abs(beta[i - 1]) : 0) + (i + 1 < n ? std::abs(beta[i]) : 0);
    low = std::max(low, alpha[i]);
    high = std::max(high, alpha[i] + reach);
  }
  for (int step = 0; step < 60 && high - low > 1e-13 * std::abs(high); ++step) {
    const double x = 0.5 * (low + high);
    bool above = false;  // some eigenvalue exceeds x
    double pivot = 1;
    for (std::size_t i = 0; i < n && !above; ++i) {
      pivot = alpha[i] - x - (i > 0 ? beta[i - 1] * beta[i - 1] / pivot : 0);
      if (pivot >= 0) above = true;
    }
    (above ? low : high) = x;
  }
  return high;
}

}  // namespace

double largest_eigenvalue(const std::function<void(const double*, double*)>& apply) {
  std::vector<Vector> basis;
  Vector alpha, beta, v(D3D), w(D3D);
  unsigned state = 12345;
  for (double& value : v) {
    state = state * 1664525u + 1013904223u;
    value = state / 4294967296.0 - 0.5;
  }
  double norm = std::sqrt(dot(v, v)), last = 0;
  int settled = 0;
  for (int k = 0; k < D3D; ++k) {
    for (double& value : v) value /= norm;
    basis.push_back(v);
    apply(v.data(), w.data());
    alpha.push_back(dot(v, w));
    for (int twice = 0; twice < 2; ++twice)
      for (const Vector& b : basis) {
        const double along = dot(b, w);
        for (int i = 0; i < D3D; ++i) w[i] -= along * b[i];
      }
    norm = std::sqrt(dot(w, w));
    if (k >= 8 && k % 4 == 0) {
      const double now = tridiagonal_max(alpha, beta);
      settled = std::abs(now - last) <= 1e-11 * std::abs(now) ? settled + 1 : 0;
      last = now;
      if (settled >= 2) return now;
    }
    if (norm <= 1e-13 * std::abs(alpha[0])) break;
    beta.push_back(norm);
    v = w;
  }
  return tridiagonal_max(alpha, beta);
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

void along(const double (&m)[5][5], int stride, const double* in, double* out) {
  for (int n = 0; n < D3D; ++n) {
    const int i = n / stride % 5, base = n - i * stride;
    double sum = 0;
    for (int j = 0; j < 5; ++j) sum += m[i][j] * in[base + j * stride];
    out[n] = sum;
  }
}

}  // namespace

double box_support(const BoxElement& box, double a, double s) {
  static const Line line;
  return largest_eigenvalue([&](const double* in, double* out) {
    double nx[D3D], ny[D3D], nxy[D3D], t[D3D], r[D3D];
    along(line.N, 1, in, nx);
    along(line.N, 5, in, ny);
    along(line.N, 5, nx, nxy);
    std::fill(out, out + D3D, 0.0);
    const auto add = [&](double c) {
      for (int n = 0; n < D3D; ++n) out[n] += a * c * r[n];
    };
    along(line.K, 1, ny, t);
    along(line.N, 25, t, r);
    add(box.c[0]);
    along(line.K, 5, nx, t);
    along(line.N, 25, t, r);
    add(box.c[1]);
    along(line.K, 25, nxy, r);
    add(box.c[2]);
    for (int n = 0; n < D3D; ++n) {
      const int i = n % 5, j = n / 5 % 5;
      const auto of_faces = [](int node, const double(&face)[2]) { return node == 0 ? face[0] : node == 4 ? face[1] : 0; };
      const double sigma = of_faces(i, box.sigma_x) + of_faces(j, box.sigma_y) + (n < 25 ? box.sigma_floor : 0);
      out[n] += s * sigma * in[n];
    }
  });
}

BoxBound::BoxBound() {
  for (int i = 0; i <= N; ++i)
    for (int j = 0; i + j <= N; ++j) {
      const double cx = static_cast<double>(i) / N, cy = static_cast<double>(j) / N;
      value_[i][j] = box_support({{cx, cy, 1 - cx - cy}, {}, {}}, 1, 0);
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
