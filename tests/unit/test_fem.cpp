// SPDX-License-Identifier: Apache-2.0
// The spaces and what lives on them, against exact integrals and polynomials: quadrature rules, tables, geometry, lumped
// masses and damping, floor loads, points.
#include <gtest/gtest.h>

#include <cmath>
#include <functional>

#include "error/error.hpp"
#include "fem/load.hpp"
#include "fem/points.hpp"
#include "fem/spaces.hpp"

namespace agwave {
namespace {

using Function = std::function<double(double x, double y)>;

class Floor final : public Bathymetry {
 public:
  explicit Floor(Function depth) : depth_(std::move(depth)) {}
  std::vector<double> depths(std::span<const double> x, std::span<const double> y, std::int64_t, std::int64_t) const override {
    std::vector<double> h;
    for (double b : y)
      for (double a : x) h.push_back(depth_(a, b));
    return h;
  }

 private:
  Function depth_;
};

constexpr double Lx = 3000, Ly = 2000;

Mesh make(const Function& depth, int order = 4, std::array<std::int64_t, 3> elements = {3, 2, 2}) {
  MeshCase c;
  c.elements = elements;
  c.order = order;
  for (std::int64_t k = 0; k <= elements[2]; ++k) c.interfaces.push_back(std::pow(static_cast<double>(k) / static_cast<double>(elements[2]), 1.4));
  return make_mesh(c, {Lx, Ly}, make_partition(elements, {1, 1, 1}, 0), Floor(depth));
}

double quartic(double x, double y) {  // degree 4 in each variable, positive
  const double a = x / Lx, b = y / Ly;
  return 1000 * (1 + 0.4 * a * a * b - 0.3 * b * b * b * a + 0.2 * a * a * a * a - 0.1 * b * b * b * b * a * a);
}
double plane(double x, double y) { return 1000 + 0.2 * x - 0.1 * y; }

// Integral over the domain by the midpoint rule on a fine grid: error far below the tolerances here.
double integral(const Function& f) {
  constexpr int n = 3000;
  double sum = 0;
  for (int j = 0; j < n; ++j)
    for (int i = 0; i < n; ++i) sum += f(Lx * (i + 0.5) / n, Ly * (j + 0.5) / n);
  return sum * Lx * Ly / n / n;
}

double power(double x, int k) { return k == 0 ? 1.0 : std::pow(x, k); }

// ---- one-dimensional bases ------------------------------------------------------------------------------------------

template <std::size_t N>
void expect_exact_to(const double (&x)[N], const double (&w)[N], int degree) {
  for (int k = 0; k <= degree + 1; ++k) {
    double sum = 0;
    for (std::size_t q = 0; q < N; ++q) sum += w[q] * power(x[q], k);
    const double error = std::abs(sum - (k % 2 ? 0.0 : 2.0 / (k + 1)));
    if (k <= degree)
      EXPECT_LT(error, 2e-15) << "x^" << k;
    else
      EXPECT_GT(error, 1e-4) << "x^" << k << ": the rule is better than its name";
  }
}

TEST(Rules, AreExactToTheirDegree) {
  expect_exact_to(gll.x, gll.w, 7);
  expect_exact_to(gauss_rule<4>().x, gauss_rule<4>().w, 7);
  expect_exact_to(gauss_rule<5>().x, gauss_rule<5>().w, 9);
  EXPECT_DOUBLE_EQ(1 / gll.w[0], 10);  // the end weight that sets the wall's damping rate
}

template <int Q>
void expect_tables_reproduce_polynomials() {
  constexpr auto& t = basis<Q>;
  constexpr auto gl = gauss_rule<L1D>();
  for (int q = 0; q < Q; ++q) {
    for (int k = 0; k <= 4; ++k) {
      double value = 0, slope = 0;
      for (int i = 0; i < D1D; ++i) {
        value += t.B[q][i] * power(gll.x[i], k);
        slope += t.dB[q][i] * power(gll.x[i], k);
      }
      EXPECT_NEAR(value, power(t.rule.x[q], k), 1e-15);
      EXPECT_NEAR(slope, k == 0 ? 0 : k * power(t.rule.x[q], k - 1), 1e-14);
    }
    for (int k = 0; k <= 3; ++k) {
      double value = 0;
      for (int l = 0; l < L1D; ++l) value += t.V[q][l] * power(gl.x[l], k);
      EXPECT_NEAR(value, power(t.rule.x[q], k), 1e-15);
    }
  }
}

TEST(Tables, ReproducePolynomials) {
  expect_tables_reproduce_polynomials<4>();
  expect_tables_reproduce_polynomials<5>();
}

TEST(Tables, VelocityIsCollocatedAtFourPoints) {
  for (int q = 0; q < 4; ++q)
    for (int l = 0; l < 4; ++l) EXPECT_EQ(basis<4>.V[q][l], q == l ? 1.0 : 0.0);
}

// ---- geometry ---------------------------------------------------------------------------------------------------------

// w det J J^-T by central differences of the map (xi, eta, zeta) -> (x, y, z).
TEST(Geometry, MetricMatchesTheMap) {
  const double ax = 400, ay = 300, ds = 0.2, s_mid = 0.6, w = 1.7, step = 1e-4;
  const auto depth = [](double xi, double eta) { return 1000 * (1 + 0.2 * xi + 0.1 * eta * xi - 0.15 * eta * eta); };
  const auto map = [&](const double* r, double* x) {
    x[0] = ax * r[0];
    x[1] = ay * r[1];
    x[2] = -depth(r[0], r[1]) * (s_mid - ds * r[2]);
  };
  for (const auto& at : {std::array<double, 3>{0.3, -0.4, 0.7}, {-0.9, 0.2, -0.5}, {0.1, 0.9, 0}}) {
    double J[3][3];  // J[a][b] = d x_a / d r_b
    for (int b = 0; b < 3; ++b) {
      double low[3] = {at[0], at[1], at[2]}, high[3] = {at[0], at[1], at[2]}, x_low[3], x_high[3];
      low[b] -= step;
      high[b] += step;
      map(low, x_low);
      map(high, x_high);
      for (int a = 0; a < 3; ++a) J[a][b] = (x_high[a] - x_low[a]) / (2 * step);
    }
    const auto cofactor = [&](int a, int b) {  // det J (J^-T)_ab
      const int a1 = (a + 1) % 3, a2 = (a + 2) % 3, b1 = (b + 1) % 3, b2 = (b + 2) % 3;
      return J[a1][b1] * J[a2][b2] - J[a1][b2] * J[a2][b1];
    };
    const double h = depth(at[0], at[1]), h_xi = 1000 * (0.2 + 0.1 * at[1]), h_eta = 1000 * (0.1 * at[0] - 0.3 * at[1]);
    const Metric m = metric(w, ax, ay, ds, s_mid - ds * at[2], h, h_xi, h_eta);
    const double scale = w * cofactor(2, 2), found[3][3] = {{m.xx, 0, m.xz}, {0, m.yy, m.yz}, {0, 0, m.zz}};
    for (int a = 0; a < 3; ++a)
      for (int b = 0; b < 3; ++b) EXPECT_NEAR(found[a][b], w * cofactor(a, b), 1e-7 * scale) << a << b;
    double p[3] = {0.3, -1.1, 0.6}, u[3] = {1.2, 0.4, -0.9}, g[3], f[3], one = 0, other = 0;
    weighted_gradient(m, p[0], p[1], p[2], g);
    contravariant_flux(m, u[0], u[1], u[2], f);
    for (int d = 0; d < 3; ++d) {
      one += u[d] * g[d];
      other += p[d] * f[d];
    }
    EXPECT_NEAR(one, other, 1e-14 * std::abs(one));  // each is the other's transpose
  }
}

TEST(Geometry, ColumnPointsFollowThePolynomialFloor) {
  const Mesh mesh = make(quartic);
  for (int Q : {4, 5}) {
    const Spaces spaces({mesh, {}, {}, Q}, Space::host);
    const ElementView& v = spaces.elements();
    const double* x = Q == 4 ? basis<4>.rule.x : basis<5>.rule.x;
    const double step = 1e-2;
    for (int ey = 0; ey < v.ny; ++ey)
      for (int ex = 0; ex < v.nx; ++ex)
        for (int q = 0; q < Q * Q; ++q) {
          const double at_x = mesh.x_faces[ex] + v.ax[ex] * (1 + x[q % Q]), at_y = mesh.y_faces[ey] + v.ay[ey] * (1 + x[q / Q]);
          const std::size_t n = (static_cast<std::size_t>(ey) * v.nx + ex) * Q * Q + q;
          EXPECT_NEAR(v.h[n], quartic(at_x, at_y), 1e-10);
          EXPECT_NEAR(v.h_xi[n], v.ax[ex] * (quartic(at_x + step, at_y) - quartic(at_x - step, at_y)) / (2 * step), 1e-6);
          EXPECT_NEAR(v.h_eta[n], v.ay[ey] * (quartic(at_x, at_y + step) - quartic(at_x, at_y - step)) / (2 * step), 1e-6);
        }
  }
}

// ---- masses and damping -----------------------------------------------------------------------------------------------

TEST(Masses, SumToTheirIntegrals) {
  const OceanCase ocean{1030, 1480, 9.8};
  for (int order : {1, 4}) {
    const Mesh mesh = make(order == 1 ? Function(plane) : quartic, order);
    const double volume = integral(order == 1 ? Function(plane) : quartic), K = ocean.density * ocean.sound_speed * ocean.sound_speed;
    const Spaces spaces({mesh, ocean, {}, 4}, Space::host);
    const NodeView& n = spaces.nodes();
    double sum = 0;
    for (int k = 0; k < n.NZ; ++k)
      for (int j = 0; j < n.NY; ++j)
        for (int i = 0; i < n.NX; ++i) {
          EXPECT_GT(n.mass(i, j, k), 0);
          sum += n.mass(i, j, k);
        }
    const double expected = volume / K + Lx * Ly / (ocean.density * ocean.gravity);
    EXPECT_NEAR(sum, expected, 1e-8 * expected);

    const ElementView& v = spaces.elements();
    double velocity = 0;
    for (std::int64_t e = 0; e < v.count(); ++e) {
      const auto [ex, ey, ez] = v.locate(e);
      for (int l = 0; l < L3D; ++l) velocity += v.velocity_mass(ex, ey, ez, l, basis<4>.rule.w);
    }
    EXPECT_NEAR(velocity, ocean.density * volume, 1e-7 * velocity);
  }
}

TEST(Masses, OfARigidSurfaceHaveNoGravityTerm) {
  BoundaryCase boundary;
  boundary.surface = Surface::rigid;
  const Mesh mesh = make(plane);
  const Spaces spaces({mesh, {}, boundary, 4}, Space::host);
  EXPECT_EQ(spaces.nodes().surface, 0);
}

TEST(Damping, SumsToTheAbsorbingAreaOverImpedance) {
  const OceanCase ocean;
  const double Z = ocean.density * ocean.sound_speed;
  const Mesh mesh = make(plane);
  const double west = Ly * (1000 - 0.1 * Ly / 2), east = west + 0.2 * Lx * Ly, south = Lx * (1000 + 0.2 * Lx / 2), north = south - 0.1 * Ly * Lx;
  for (int walls = 0; walls < 16; ++walls) {
    const auto wall = [&](int bit) { return walls >> bit & 1 ? Wall::absorbing : Wall::rigid; };
    BoundaryCase boundary;
    boundary.west = wall(0);
    boundary.east = wall(1);
    boundary.south = wall(2);
    boundary.north = wall(3);
    const Spaces spaces({mesh, ocean, boundary, 4}, Space::host);
    const NodeView& n = spaces.nodes();
    double sum = 0;
    for (int k = 0; k < n.NZ; ++k)
      for (int j = 0; j < n.NY; ++j)
        for (int i = 0; i < n.NX; ++i) {
          const double damping = n.damping(i, j, k);
          sum += damping;
          const bool inside = i > 0 && i < n.NX - 1 && j > 0 && j < n.NY - 1;
          EXPECT_TRUE(!inside || damping == 0);
        }
    const double area = (walls & 1 ? west : 0) + (walls & 2 ? east : 0) + (walls & 4 ? south : 0) + (walls & 8 ? north : 0);
    EXPECT_NEAR(sum, area / Z, 1e-13 * std::max(area / Z, 1.0)) << "walls " << walls;
  }
}

TEST(Weights, OfABlockAreThoseOfTheWholeLine) {
  const std::vector<double> faces = {0, 1, 3, 3.5, 7};
  const std::vector<double> whole = assembled_weights(faces, 0, 4), block = assembled_weights(faces, 1, 2);
  for (std::size_t n = 0; n < block.size(); ++n) EXPECT_EQ(block[n], whole[n + 4]);
  double sum = 0;
  for (double w : whole) sum += w;
  EXPECT_NEAR(sum, 7, 1e-14);
}

// ---- floor loads ------------------------------------------------------------------------------------------------------

double total(const std::vector<double>& load) {
  double sum = 0;
  for (double value : load) sum += value;
  return sum;
}

UpliftTerm term(Function shape, Motion motion) {
  UpliftTerm t;
  t.shape = std::move(shape);
  t.motion = motion;
  return t;
}

TEST(Loads, OfVerticalMotionSumToTheDisplacedVolume) {
  const Comm self(MPI_COMM_SELF);
  const Function bump = [](double x, double y) { return quartic(x, y) / 1000; };  // exact by GLL quadrature
  for (int order : {1, 4}) {
    const std::vector<double> load = floor_load(make(quartic, order), term(bump, Motion::vertical), self);
    EXPECT_NEAR(total(load), integral(bump), 1e-7 * total(load));  // whatever the slope of the floor
  }
}

TEST(Loads, OfNormalMotionEqualVerticalOnesOnAFlatFloor) {
  const Comm self(MPI_COMM_SELF);
  const Function shape = [](double x, double y) { return std::cos(3 * x / Lx) + 0.2 * y / Ly; };
  for (int order : {1, 4}) {
    const Mesh mesh = make([](double, double) { return 1000.0; }, order);
    const auto vertical = floor_load(mesh, term(shape, Motion::vertical), self), normal = floor_load(mesh, term(shape, Motion::normal), self);
    ASSERT_EQ(vertical.size(), normal.size());
    for (std::size_t n = 0; n < normal.size(); ++n) EXPECT_NEAR(normal[n], vertical[n], 1e-13 * Lx * Ly / 100);
    EXPECT_NEAR(vertical_part(mesh, 1234, 567), 1, 1e-15);
  }
}

TEST(Loads, OfNormalMotionSumToTheAreaOfTheFloor) {
  const Comm self(MPI_COMM_SELF);
  const Function one = [](double, double) { return 1.0; };
  const double inclined = std::sqrt(1 + 0.2 * 0.2 + 0.1 * 0.1);
  for (int order : {1, 4}) {
    const Mesh mesh = make(plane, order);
    EXPECT_NEAR(total(floor_load(mesh, term(one, Motion::normal), self)), Lx * Ly * inclined, 1e-12 * Lx * Ly);
    EXPECT_NEAR(vertical_part(mesh, 1234, 567), 1 / inclined, 1e-14);
  }
  const double step = 0.5;
  const double area = integral([&](double x, double y) {
    const double h_x = (quartic(x + step, y) - quartic(x - step, y)) / (2 * step), h_y = (quartic(x, y + step) - quartic(x, y - step)) / (2 * step);
    return std::sqrt(1 + h_x * h_x + h_y * h_y);
  });
  EXPECT_NEAR(total(floor_load(make(quartic, 4, {6, 6, 1}), term(one, Motion::normal), self)), area, 1e-7 * area);
}

// ---- points -------------------------------------------------------------------------------------------------------------

double at_point(const Mesh& mesh, const PointAt& point, const std::function<double(double x, double y, double sigma)>& f) {
  const PointSet set = locate_points(mesh, {point}, {"p"});
  EXPECT_EQ(set.points.size(), 1u);
  if (set.points.empty()) return NAN;
  const auto x = mesh.x_nodes(), y = mesh.y_nodes(), sigma = mesh.sigma_nodes();
  double sum = 0;
  for (std::size_t n = 0; n < set.points[0].node.size(); ++n) {
    const auto node = static_cast<std::size_t>(set.points[0].node[n]);
    sum += set.points[0].weight[n] * f(x[node % x.size()], y[node / x.size() % y.size()], sigma[node / x.size() / y.size()]);
  }
  return sum;
}

TEST(Points, AreExactForPolynomials) {
  const Mesh mesh = make(quartic);
  const auto f = [](double x, double y, double s) { return quartic(x, y) * (0.3 + s * s * s * s - 2 * s * s) + 0.01 * x * s; };
  for (double x : {0.0, 1.0, 1000.0, 1499.5, 2999.0, Lx})
    for (double y : {0.0, 1000.0, 777.7, Ly}) {
      SCOPED_TRACE(testing::Message() << x << ", " << y);
      EXPECT_NEAR(at_point(mesh, {x, y, 0, PointOn::floor}, f), f(x, y, 1), 1e-9);
      EXPECT_NEAR(at_point(mesh, {x, y, 0, PointOn::surface}, f), f(x, y, 0), 1e-9);
      for (double s : {0.01, 0.3, 0.99, 1.0}) EXPECT_NEAR(at_point(mesh, {x, y, -s * quartic(x, y), PointOn::depth}, f), f(x, y, s), 1e-9) << s;
      const ColumnPoint c = column_point(mesh, x, y);
      EXPECT_NEAR(c.depth, quartic(x, y), 1e-9);
    }
}

TEST(Points, OnNodesUseOneNode) {
  const Mesh mesh = make(plane);
  const PointSet set =
      locate_points(mesh, {{1000, 1000, 0, PointOn::surface}, {Lx, Ly, 0, PointOn::floor}, {0, 0, 0, PointOn::floor}}, {"a", "b", "c"});
  ASSERT_EQ(set.points.size(), 3u);
  for (const PointWeights& p : set.points) {
    ASSERT_EQ(p.node.size(), 1u);
    EXPECT_EQ(p.weight[0], 1);
  }
  EXPECT_EQ(set.points[2].node[0], 0);
}

TEST(Points, BelowTheSeafloorAreRefused) {
  const Mesh mesh = make(plane);
  try {
    locate_points(mesh, {{500, 500, -5000, PointOn::depth}}, {"case.yaml:9: sensors.hydrophones[0] (H1)"});
    FAIL() << "no error";
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), ExitCode::usage);
    const std::string message = error.what();
    for (const char* part : {"case.yaml:9", "H1", "z = -5000", "1050 m deep"}) EXPECT_NE(message.find(part), std::string::npos) << message;
  }
}

}  // namespace
}  // namespace agwave
