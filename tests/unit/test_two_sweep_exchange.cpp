// SPDX-License-Identifier: Apache-2.0
// The exchange of the two-sweep stepper beside its work: in which order items come, that neighbours get exactly what those computed although
// all others write their sums meanwhile, and what its clock sees.
// ranks: 1 2 3 4 8
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <set>

#include "device/backend.hpp"
#include "timestep/two_sweep/cpu/sweep.hpp"
#include "timestep/two_sweep/exchange.hpp"
#include "timestep/two_sweep/work.hpp"

namespace agwave {
namespace {

using two_sweep::CpuPatches;
using two_sweep::Item;

constexpr Counts elements{8 * 4 + 1, 4 * 3 + 2, 4 * 4 + 3};  // 5 x 4 patches, 5 chunks of 4 layers, the last of each cut short

std::vector<std::array<int, 3>> grids(int ranks) {
  std::vector<std::array<int, 3>> list;
  for (int x = 1; x <= std::min(ranks, 5); ++x)
    for (int y = 1; y <= std::min(ranks / x, 4); ++y)
      if (ranks % (x * y) == 0 && ranks / x / y <= 5) list.push_back({x, y, ranks / x / y});
  return list;
}

Mesh outline(const std::array<int, 3>& grid, int rank) {
  Mesh mesh;
  mesh.elements = elements;
  mesh.part = make_partition(elements, grid, rank, CpuPatches::unit(elements));
  return mesh;
}

Item item(const CpuPatches& p, int n) { return {n / p.chunks, n % p.chunks}; }

// Calls at(place, level of its chunk, column) for all sums that an item writes.
template <class At>
void for_sums(const CpuPatches& p, const Item& i, const At& at) {
  for (int k = 0; k <= 4 * p.chunk_size(i.chunk); ++k)
    for (int c = 0; c < CpuPatches::PX * CpuPatches::PY; ++c)
      at(p.sums_at(i.patch % p.px, i.patch / p.px) + static_cast<std::int64_t>(p.first_level(i.chunk) + k) * CpuPatches::level_size + c, k, c);
}

TEST(TwoSweepWork, WhatNeighboursNeedComesLast) {
  if (!Comm().root()) return;  // lists of all ranks, in one process
  for (const auto& grid : std::vector<std::array<int, 3>>{{1, 1, 1}, {2, 1, 1}, {1, 3, 1}, {1, 1, 2}, {3, 2, 2}, {5, 4, 5}})
    for (int rank = 0; rank < grid[0] * grid[1] * grid[2]; ++rank) {
      SCOPED_TRACE(testing::Message() << grid[0] << " x " << grid[1] << " x " << grid[2] << ", rank " << rank);
      const Mesh mesh = outline(grid, rank);
      const CpuPatches patches(mesh);
      const auto order = two_sweep::order_of_work(
          patches, mesh.part, [&](int n) { return item(patches, n); }, true);
      const auto anywhere = two_sweep::order_of_work(
          patches, mesh.part, [&](int n) { return item(patches, n); }, false);
      const auto lists = two_sweep::find_perimeters(patches, mesh.part);
      if (lists.neighbours.empty()) {
        EXPECT_TRUE(order.items.empty());
        EXPECT_TRUE(anywhere.items.empty());
        continue;
      }
      EXPECT_EQ(std::set(order.items.begin(), order.items.end()), std::set(anywhere.items.begin(), anywhere.items.end()));  // with the same marks
      EXPECT_EQ(std::set(order.items.begin(), order.items.end()).size(), static_cast<std::size_t>(patches.items()));
      EXPECT_EQ(order.items.size(), static_cast<std::size_t>(patches.items()));
      const std::set<std::int64_t> sent(lists.send.begin(), lists.send.end());
      std::size_t from_boundary = 0;
      for (int n = 0; n < patches.items(); ++n) {
        std::size_t count = 0;
        const std::int32_t number = order.items[n] & two_sweep::item_mask;
        for_sums(patches, item(patches, number), [&](std::int64_t place, int, int) { count += sent.count(place); });
        EXPECT_EQ(count > 0, n >= patches.items() - order.boundary) << "item " << number;
        EXPECT_EQ(count > 0, order.items[n] != number) << "item " << number;
        from_boundary += count;
      }
      EXPECT_EQ(from_boundary, sent.size());  // all that is sent is some item's
    }
}

// Sweep A, whose boundary comes last, needs an item's neighbours in the sweep B before it: it can follow closely if they come before the item or soon
// after.
TEST(TwoSweepWork, NeighboursAreNeverFarBehind) {
  const Counts large{8 * 36, 4 * 36, 4};
  for (const auto& grid : std::vector<std::array<int, 3>>{{1, 3, 1}, {3, 1, 1}, {3, 3, 1}})
    for (int rank = 0; rank < grid[0] * grid[1]; ++rank) {
      SCOPED_TRACE(testing::Message() << grid[0] << " x " << grid[1] << ", rank " << rank);
      Mesh mesh;
      mesh.elements = large;
      mesh.part = make_partition(large, grid, rank, CpuPatches::unit(large));
      const CpuPatches p(mesh);
      ASSERT_EQ(p.chunks, 1);
      const auto numbered = [&](int n) { return item(p, n); };
      const auto a = two_sweep::order_of_work(p, mesh.part, numbered, true), b = two_sweep::order_of_work(p, mesh.part, numbered, false);
      std::vector<int> place(b.items.size());
      for (std::size_t n = 0; n < b.items.size(); ++n) place[static_cast<std::size_t>(b.items[n] & two_sweep::item_mask)] = static_cast<int>(n);
      for (int n = 0; n < p.items() - a.boundary; ++n) {
        const int x = a.items[n] % p.px, y = a.items[n] / p.px;
        for (int v = std::max(0, y - 1); v <= std::min(p.py - 1, y + 1); ++v)
          for (int u = std::max(0, x - 1); u <= std::min(p.px - 1, x + 1); ++u)
            EXPECT_LE(place[static_cast<std::size_t>(v * p.px + u)], n + 3 * p.px + a.boundary) << x << " " << y;
      }
    }
}

// A value of its own for every sum of the whole mesh, whoever computes it.
double value(int patch_x, int patch_y, int chunk, int level, int column, int round) {
  return round + 1e-8 * ((((patch_x * 8.0 + patch_y) * 8 + chunk) * 32 + level) * 1024 + column);
}

// What GPUs write into each other's ghosts is what an exchange has just brought there. In place of a neighbour's memory there is a copy of its two arrays
// of sums, zero but for what is written, which is then sent to it.
void expect_in_place(const CpuPatches& patches, const Partition& part, const double* a, const Comm& comm) {
  const std::int64_t stride = patches.sums_stride(), size = patches.sums_size(2);
  auto [neighbours, send, receive] = two_sweep::find_perimeters(patches, part);
  for (Neighbour& n : neighbours) n = {n.rank, n.first / 2, n.count / 2};
  const std::vector<std::int64_t> place = swap_ranges(neighbours, receive, comm.mpi()),
                                  strides = swap_one(neighbours, std::vector(neighbours.size(), stride), comm.mpi()),
                                  sizes = swap_one(neighbours, std::vector(neighbours.size(), size), comm.mpi());
  std::vector<std::vector<double>> theirs(neighbours.size()), own(neighbours.size());
  RemotePlaces remote{};
  for (std::size_t n = 0; n < neighbours.size(); ++n) {
    theirs[n].assign(static_cast<std::size_t>(sizes[n]), 0.0);
    remote.to.to[n] = theirs[n].data();
    remote.to.end[n] = neighbours[n].first + neighbours[n].count;
    remote.next[n] = strides[n];
  }
  remote.place = place.data();
  const two_sweep::Pairs pairs{send.data(), static_cast<std::int64_t>(send.size())};
  Cpu().for_each(pairs.calls(), two_sweep::PackPair<RemotePlaces>{pairs, a, a + stride, remote});
  std::vector<MPI_Request> requests(2 * neighbours.size());
  for (std::size_t n = 0; n < neighbours.size(); ++n) {
    own[n].resize(static_cast<std::size_t>(size));
    AGWAVE_MPI(MPI_Irecv(own[n].data(), static_cast<int>(size), MPI_DOUBLE, neighbours[n].rank, 0, comm.mpi(), &requests[2 * n]));
    AGWAVE_MPI(MPI_Isend(theirs[n].data(), static_cast<int>(sizes[n]), MPI_DOUBLE, neighbours[n].rank, 0, comm.mpi(), &requests[2 * n + 1]));
  }
  AGWAVE_MPI(MPI_Waitall(static_cast<int>(requests.size()), requests.data(), MPI_STATUSES_IGNORE));
  std::vector<double> ghosts(static_cast<std::size_t>(size), 0.0), written = ghosts;
  for (const std::int64_t m : receive)
    for (const std::int64_t at : {m, m + stride}) ghosts[static_cast<std::size_t>(at)] = a[at];
  for (const auto& values : own)
    for (std::size_t m = 0; m < values.size(); ++m) written[m] += values[m];
  EXPECT_EQ(written, ghosts);
  EXPECT_EQ(std::count_if(written.begin(), written.end(), [](double v) { return v != 0; }), 2 * static_cast<std::ptrdiff_t>(receive.size()));
}

bool at_gate(int round, int rounds) { return (rounds - round) % 3 == 0; }  // the last one, too

TEST(PerimeterExchange, TakesWhatWasWrittenWhileTheInsideIsWrittenAgain) {
  const Comm comm;
  const auto all = grids(comm.size());
  for (const auto& grid : all) {
    SCOPED_TRACE(testing::Message() << grid[0] << " x " << grid[1] << " x " << grid[2]);
    const Mesh mesh = outline(grid, comm.rank());
    const CpuPatches patches(mesh);
    const Counts unit = CpuPatches::unit(elements);
    const int x0 = static_cast<int>(mesh.part.first[0] / unit[0]), y0 = static_cast<int>(mesh.part.first[1] / unit[1]),
              z0 = static_cast<int>(mesh.part.first[2] / unit[2]);
    const auto order = two_sweep::order_of_work(
        patches, mesh.part, [&](int n) { return item(patches, n); }, true);
    const Transport transport;
    transport.traffic->keep_timeline = true;
    using Perimeters = two_sweep::PerimeterExchange<Cpu, CpuPatches>;
    std::vector<double> sums(static_cast<std::size_t>(Perimeters::room(patches, mesh.part, 2)), 0.0);
    double *const a = sums.data(), *const b = a + patches.sums_stride();
    Perimeters exchange(patches, mesh.part, sums.data(), 2, comm, transport);
    ASSERT_EQ(exchange.needed(), comm.size() > 1);
    if (!exchange.needed()) continue;
    Cpu cpu;
    const int rounds = &grid == &all.front() ? 34 : 3;  // 34: more than the clock keeps
    for (int round = 1; round <= rounds; ++round) {
      const auto write = [&](int first, int last) {
        for (int n = first; n < last; ++n) {
          const Item i = item(patches, order.items[n] & two_sweep::item_mask);
          for_sums(patches, i, [&](std::int64_t place, int k, int c) {
            a[place] = value(x0 + i.patch % patches.px, y0 + i.patch / patches.px, z0 + i.chunk, k, c, round);
            b[place] = -a[place];
          });
        }
      };
      const int inside = patches.items() - order.boundary;
      exchange.begin(cpu);
      write(inside, patches.items());
      EXPECT_FALSE(exchange.under_way());
      exchange.start(cpu, a, b, round % 2 == 0);
      EXPECT_TRUE(exchange.under_way(a));
      EXPECT_FALSE(exchange.under_way(b));
      write(0, inside);
      exchange.progress();
      if (!at_gate(round, rounds)) {
        exchange.finish(cpu);
        continue;
      }
      const two_sweep::Gate gate = exchange.gate();
      EXPECT_NE(*gate.opened, gate.round);
      const std::int64_t ghost = two_sweep::find_perimeters(patches, mesh.part).receive.front();
      int told = 0;
      exchange.finish_and_open([&](const Cpu&) {
        ++told;
        EXPECT_EQ(std::floor(a[ghost]), round);
        EXPECT_NE(*gate.opened, gate.round);
      });
      EXPECT_EQ(told, 1);
      EXPECT_EQ(*gate.opened, gate.round);
      EXPECT_FALSE(exchange.under_way());
    }
    // Every ghost that is received, found by its place.
    const auto received = two_sweep::find_perimeters(patches, mesh.part).receive;
    const std::set<std::int64_t> ghosts(received.begin(), received.end());
    std::size_t found = 0;
    int wrong = 0;
    for (int y = -1; y <= patches.py; ++y)
      for (int x = -1; x <= patches.px; ++x)
        for (int k = 0; k < patches.levels(); ++k) {
          const int chunk = k == 0 ? -1 : k == patches.levels() - 1 ? patches.chunks : (k - 1) / (4 * patches.layers + 1);
          const int level = k == 0 ? 4 * patches.layers : chunk == patches.chunks ? 0 : k - patches.first_level(chunk);
          for (int c = 0; c < CpuPatches::PX * CpuPatches::PY; ++c) {
            const std::int64_t place = patches.sums_at(x, y) + static_cast<std::int64_t>(k) * CpuPatches::level_size + c;
            if (!ghosts.count(place)) continue;
            ++found;
            const double expected = value(x0 + x, y0 + y, z0 + chunk, level, c, rounds);
            wrong += a[place] != expected || b[place] != -expected;
          }
        }
    EXPECT_EQ(wrong, 0);
    EXPECT_EQ(found, ghosts.size());
    expect_in_place(patches, mesh.part, a, comm);

    exchange.settle(1);
    const Traffic& traffic = *transport.traffic;
    EXPECT_EQ(traffic.rounds, rounds);
    ASSERT_EQ(traffic.timeline.size(), static_cast<std::size_t>(rounds));
    double waited = 0;
    for (int round = 1; round <= rounds; ++round) {
      const auto at = [&](Moment m) { return traffic.timeline[static_cast<std::size_t>(round - 1)][static_cast<std::size_t>(m)]; };
      EXPECT_EQ(std::isnan(at(Moment::interior)), at_gate(round, rounds));
      if (at_gate(round, rounds)) {
        EXPECT_LE(at(Moment::packed), at(Moment::arrived));
        EXPECT_LE(at(Moment::arrived), at(Moment::unpacked));
        continue;
      }
      EXPECT_LE(at(Moment::begin), at(Moment::boundary));
      EXPECT_LE(at(Moment::boundary), at(Moment::packed));
      EXPECT_LE(at(Moment::packed), at(Moment::interior));
      EXPECT_LE(at(Moment::interior), at(Moment::arrived));  // on a CPU they are noticed when they are wanted
      EXPECT_LE(at(Moment::arrived), at(Moment::unpacked));
      EXPECT_LE(at(Moment::unpacked), at(Moment::resumed));
      waited += at(Moment::resumed) - at(Moment::interior);
    }
    EXPECT_NEAR(traffic.waited, waited, 1e-9);
    EXPECT_GT(traffic.waited, 0);
    EXPECT_LE(traffic.waited, traffic.seconds);
  }
}

}  // namespace
}  // namespace agwave
