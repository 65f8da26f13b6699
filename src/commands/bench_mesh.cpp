// SPDX-License-Identifier: Apache-2.0
// Meshes, sizes and random data of `agwave bench`.
#include <cmath>
#include <random>

#include "commands/bench.hpp"
#include "error/error.hpp"
#include "fem/forcing.hpp"
#include "kernels/time_operator.hpp"

namespace agwave {

namespace {

constexpr std::int64_t longest = 100000;  // elements per direction: the counts of dofs stay far below 2^63

class WavyFloor final : public Bathymetry {  // sheared and curved, so that no geometric term vanishes
 public:
  WavyFloor(double depth, double length) : depth_(depth), length_(length) {}
  std::vector<double> depths(std::span<const double> x, std::span<const double> y, std::int64_t, std::int64_t) const override {
    std::vector<double> h;
    h.reserve(x.size() * y.size());
    for (double yy : y)
      for (double xx : x) h.push_back(depth_ * (1 + 0.1 * std::sin(xx / length_) * std::cos(0.7 * yy / length_)));
    return h;
  }

 private:
  double depth_, length_;
};

Elements parse_elements(const std::string& s) {
  long long a = 0, b = 0, c = 0;
  char rest = 0;
  if (std::sscanf(s.c_str(), "%lldx%lldx%lld%c", &a, &b, &c, &rest) != 3 || a < 1 || b < 1 || c < 1 || a > longest || b > longest || c > longest)
    throw AgreedError(ExitCode::usage, text("--elements: '", s, "' is not NXxNYxNZ with counts from 1 to ", longest, ", for example 64x64x32"));
  return {a, b, c};
}

std::array<int, 3> parse_grid(const std::string& s, const std::string& option) {
  std::array<int, 3> g{};
  char rest = 0;
  if (std::sscanf(s.c_str(), "%dx%dx%d%c", &g[0], &g[1], &g[2], &rest) != 3 || g[0] < 1 || g[1] < 1 || g[2] < 1 || 1.0 * g[0] * g[1] * g[2] > 1e9)
    throw Error(ExitCode::usage, text(option, ": '", s, "' is not PXxPYxPZ, for example 2x2x1"));
  return g;
}

}  // namespace

std::string to_string(Elements e) { return text(e[0], "x", e[1], "x", e[2]); }

std::vector<Elements> bench_sizes(const BenchOptions& options, Device device) {
  std::vector<Elements> sizes;
  for (const std::string& s : options.elements) sizes.push_back(parse_elements(s));
  if (options.sweep) {  // each about twice the one before
    sizes = {{8, 8, 6}, {16, 8, 6}, {16, 16, 6}, {16, 16, 12}, {32, 16, 12}, {32, 32, 12}, {32, 32, 24}, {64, 32, 24}};
    if (device == Device::cuda)
      for (const Elements& e :
           {Elements{64, 64, 24}, {64, 64, 48}, {128, 64, 48}, {128, 128, 48}, {128, 128, 64}, {128, 128, 128}, {256, 128, 128}, {256, 240, 128}})
        sizes.push_back(e);
  }
  if (sizes.empty()) sizes = device == Device::cuda ? std::vector<Elements>{{32, 32, 16}, {128, 128, 128}} : std::vector<Elements>{{16, 16, 8}};
  return sizes;
}

Partition bench_partition(const Variant& variant, Elements elements, const BenchOptions& options, const Comm& comm) {
  const Counts unit = variant.unit ? variant.unit(elements) : Counts{1, 1, 1};
  if (!options.within.empty()) {
    const std::array<int, 3> grid = parse_grid(options.within, "--within");
    choose_grid(elements, grid[0] * grid[1] * grid[2], grid, "--within", unit);  // complains where it does not fit
    Partition part;
    part.grid = grid;
    part = make_partition(elements, grid, part.rank_of({grid[0] / 2, grid[1] / 2, grid[2] / 2}), unit);
    part.stand_in = comm.rank() ^ 1;
    return part;
  }
  std::optional<std::array<int, 3>> wanted;
  if (!options.grid.empty()) wanted = parse_grid(options.grid, "--grid");
  return make_partition(elements, choose_grid(elements, comm.size(), wanted, "--grid", unit), comm.rank(), unit);
}

Mesh bench_outline(Elements elements, int order, const Partition& part) {
  Mesh mesh;
  mesh.elements = elements;
  mesh.order = order;
  mesh.part = part;
  return mesh;
}

Mesh bench_mesh(Elements elements, int order, const Partition& part) {
  MeshCase c;
  c.elements = elements;
  c.order = order;
  const double width = 1000, layer = 500;  // [m]
  const std::array<double, 2> size{width * static_cast<double>(elements[0]), width * static_cast<double>(elements[1])};
  return make_mesh(c, size, part, WavyFloor(layer * static_cast<double>(elements[2]), 3 * width));
}

void BenchOcean::furnish(const Mesh& mesh, int sensors, const Comm& comm) {
  const double lx = mesh.size[0], ly = mesh.size[1];
  UpliftTerm bump;
  bump.shape = [=](double x, double y) { return std::exp(-20 * ((x / lx - 0.4) * (x / lx - 0.4) + (y / ly - 0.6) * (y / ly - 0.6))); };
  forcing = floor_forcing(mesh, {&bump, 1}, comm);
  std::vector<PointAt> at;
  std::vector<std::string> names;
  for (int n = 0; n < sensors; ++n) {  // all over the floor, on no line of the mesh
    at.push_back({lx * std::fmod(0.5 + 0.754877666 * n, 1.0), ly * std::fmod(0.5 + 0.569840291 * n, 1.0), 0, PointOn::floor});
    names.emplace_back("sensor");
  }
  points = locate_points(mesh, at, names).points;
}

std::vector<double> random_nodes(const Mesh& m) {
  std::vector<double> values;
  values.reserve(static_cast<std::size_t>(m.nodes()));
  const std::int64_t row = 4 * m.elements[0] + 1, plane = row * (4 * m.elements[1] + 1);
  for (std::int64_t k = 0; k < m.NZ(); ++k)
    for (std::int64_t j = 0; j < m.NY(); ++j)
      for (std::int64_t i = 0; i < m.NX(); ++i)
        values.push_back(
            random_value(static_cast<std::uint64_t>((4 * m.part.first[2] + k) * plane + (4 * m.part.first[1] + j) * row + 4 * m.part.first[0] + i)));
  return values;
}

std::vector<double> random_values(std::size_t n, unsigned seed, double scale) {
  std::mt19937_64 engine(seed);
  std::uniform_real_distribution<double> uniform(-scale, scale);
  std::vector<double> values(n);
  for (double& v : values) v = uniform(engine);
  return values;
}

}  // namespace agwave
