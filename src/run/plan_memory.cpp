// SPDX-License-Identifier: Apache-2.0
// The stepper knows its own bytes; uplift loads, points, exchange buffers and trace buffers are added here.
#include "run/plan_memory.hpp"

#include <algorithm>
#include <cstdlib>
#include <fstream>
#include <functional>
#include <limits>
#include <sstream>

#include "error/error.hpp"
#include "fem/spaces.hpp"
#include "timestep/leapfrog4/leapfrog4.hpp"
#include "timestep/state_view_impl.hpp"

namespace agwave {

namespace {

constexpr double inf = std::numeric_limits<double>::infinity();
constexpr double kept_samples = StateView::records;  // traces are written at least every so many samples

// Nodes sent in one exchange, and nodes shared with any neighbour (comm/exchange.hpp: `send` and `own`).
struct Shared {
  double sent = 0, own = 0;
};
Shared count_shared(const Mesh& m) {
  const double N[3] = {double(m.NX()), double(m.NY()), double(m.NZ())};
  Shared s;
  double alone = 1;  // nodes that no neighbour has
  for (int d = 0; d < 3; ++d) alone *= N[d] - !m.part.at_low(d) - !m.part.at_high(d);
  s.own = N[0] * N[1] * N[2] - std::max(alone, 0.0);
  for_neighbours(m.part, [&](int, const std::array<int, 3>& step) {
    double nodes = 1;
    for (int d = 0; d < 3; ++d) nodes *= step[d] == 0 ? N[d] : 1;
    s.sent += nodes;
  });
  return s;
}

// The number after `key` in a file of "key value" lines, or the whole file's with an empty key; `otherwise` when there is none.
double read_number(const std::string& path, const std::string& key, double otherwise) {
  std::ifstream file(path);
  std::string word;
  for (std::string line; std::getline(file, line);) {
    std::istringstream words(line);
    if (!key.empty() && (!(words >> word) || word != key)) continue;
    double value = 0;
    if (words >> value) return value;
    if (key.empty()) break;  // "max"
  }
  return otherwise;
}

// What is left in one control group: v2, or v1's memory controller.
double left_in_group(const std::string& folder, bool v2) {
  const double limit = read_number(folder + (v2 ? "/memory.max" : "/memory.limit_in_bytes"), "", inf);
  const double used = read_number(folder + (v2 ? "/memory.current" : "/memory.usage_in_bytes"), "", 0);
  const std::string total = v2 ? "" : "total_", stat = folder + "/memory.stat";
  const double cache = read_number(stat, total + "inactive_file", 0) + read_number(stat, total + "active_file", 0);
  return limit < 1e18 ? std::max(0.0, limit - std::max(0.0, used - cache)) : inf;
}

std::string gigabytes(double bytes) { return text(rounded(bytes * 1e-9, 4), " GB"); }

struct Group {  // the ranks that draw on one pool of memory
  double needed = 0, available = 0;
  int ranks = 0;
};
Group total(const Comm& comm, double needed, double available) { return {comm.sum(needed), comm.min(available), comm.size()}; }

void require(const Group& group, const std::string& what, const std::string& advice) {
  if (group.needed <= group.available) return;
  const std::string ranks = group.ranks == 1 ? "" : text(" for ", group.ranks, " ranks");
  throw Error(ExitCode::device, text("not enough memory ", what, ": ", gigabytes(group.needed), " needed", ranks, ", ", gigabytes(group.available),
                                     " available; ", advice));
}

std::array<bool, 4> absorbing_sides(const Partition& part, const BoundaryCase& boundary) {  // of a rank, by wall
  std::array<bool, 4> sides{};
  for (int wall = 0; wall < 4; ++wall) sides[wall] = boundary.absorbs(wall) && (wall % 2 == 0 ? part.at_low(wall / 2) : part.at_high(wall / 2));
  return sides;
}

// Elements of a rank in strips of sponges, as if all were equally wide.
double elements_in_strips(const Plan& plan, const Case& c) {
  const Mesh& m = plan.mesh;
  double outside = 1;
  for (std::size_t axis = 0; axis < 2; ++axis) {
    const double width = plan.domain->size[axis] / static_cast<double>(m.elements[axis]);
    std::int64_t free = 0;
    for (std::int64_t e = m.part.first[axis]; e < m.part.first[axis] + m.part.count[axis]; ++e)
      free += static_cast<double>(e) * width >= c.boundary.sponge.width[2 * axis] &&
              static_cast<double>(m.elements[axis] - e - 1) * width >= c.boundary.sponge.width[2 * axis + 1];
    outside *= static_cast<double>(free);
  }
  return (static_cast<double>(m.part.count[0] * m.part.count[1]) - outside) * static_cast<double>(m.part.count[2]);
}

}  // namespace

double available_host_memory(const std::string& root) {
  double available = 1024 * read_number(root + "/proc/meminfo", "MemAvailable:", inf);
  std::ifstream groups(root + "/proc/self/cgroup");
  for (std::string line; std::getline(groups, line);) {  // "0::/path" of v2, "9:memory:/path" of v1
    const auto first = line.find(':'), second = line.find(':', first + 1);
    if (second == std::string::npos) continue;
    const std::string controllers = "," + line.substr(first + 1, second - first - 1) + ",";
    const bool v2 = controllers == ",,";
    if (!v2 && controllers.find(",memory,") == std::string::npos) continue;
    const std::string mount = root + (v2 ? "/sys/fs/cgroup" : "/sys/fs/cgroup/memory");
    for (std::string path = line.substr(second + 1);; path.resize(path.rfind('/'))) {  // the limits of the groups above hold too
      if (path == "/") path.clear();
      available = std::min(available, left_in_group(mount + path, v2));
      if (path.empty() || path.find('/') == std::string::npos) break;
    }
  }
  return available;
}

void predict_memory(Plan& plan, const Case& c, const Comm& comm) {
  const Mesh& m = plan.mesh;
  const int quadrature = c.solver.quadrature;
  const bool cuda = plan.variant->device == Device::cuda;
  const double level = static_cast<double>(m.NX()) * m.NY();
  const double loads = m.part.at_low(2) ? 8 * level * static_cast<double>(plan.sources.uplift.size()) : 0;
  double weights = 0;
  for (const PointWeights& point : plan.points.points) weights += static_cast<double>(point.node.size());
  const auto points = static_cast<double>(plan.points.points.size());
  const auto all = static_cast<double>(plan.sensors.seafloor.size() + plan.sensors.hydrophones.size() + plan.sensors.surface.size());
  const Shared shared = count_shared(m);
  const bool blocks = static_cast<bool>(plan.variant->unit);  // then it exchanges in its own way, two values per node, and counts that in its bytes
  const double lists = blocks ? 0 : 4 * (2 * shared.sent + 3 * shared.own), values = blocks ? 0 : 8 * (2 * shared.sent + shared.own);

  plan.memory = plan.variant->bytes(m, quadrature) +
                view_bytes(m.part.at_low(2) ? level : 0, static_cast<double>(plan.sources.uplift.size()), points, weights) + lists + values;
  plan.host_memory = loads + 8 * level + 16 * weights + lists + 8 * kept_samples * (points + (comm.root() ? 3 * all : 0));
  if (cuda)
    plan.host_memory += static_cast<double>(Spaces::bytes(m, quadrature)) + (blocks ? 32 : 16) * shared.sent;  // built on the host, staged through it
  if (c.boundary.floor && m.part.at_low(2)) {
    plan.memory += 8 * 6 * level;  // as FloorLayer and RK4's stages have it, and on the host as the plan has it
    plan.host_memory += 8 * 3 * level;
  }
  if (plan.variant->integrator == &leapfrog4_integrator)
    plan.memory +=
        (leapfrog4::bytes_of_strip_element + (plan.variant->single ? leapfrog4::bytes_of_strip_changes : leapfrog4::bytes_of_strip_forces)) *
        elements_in_strips(plan, c);
  if (!c.ocean.varies()) return;
  const double excess = Spaces::excess_bytes(m);
  plan.memory += excess + (plan.variant->medium_bytes ? plan.variant->medium_bytes(m, absorbing_sides(m.part, c.boundary)) : 0);
  plan.host_memory += cuda ? 2 * excess : excess;
}

void require_memory(const Plan& plan, const Comm& comm) {
  const bool cuda = plan.variant->device == Device::cuda;
  const Comm node = comm.node(), device = node.split(static_cast<int>(std::hash<std::string>{}(plan.device.uuid) & 0x7fffffff));
  const Group host = total(node, plan.host_memory + (cuda ? 0 : plan.memory), available_host_memory());
  const Group gpu = total(device, cuda ? plan.memory : 0, cuda ? static_cast<double>(plan.device.free) : inf);
  comm.agree([&] {
    require(gpu, text("on ", plan.device.name, " of ", host_name()), "use fewer elements, or more devices");
    require(host, text("on ", host_name()), "use fewer elements, or more nodes");
  });
}

}  // namespace agwave
