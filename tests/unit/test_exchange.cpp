// SPDX-License-Identifier: Apache-2.0
// P^T on the CPU: sums over ranks equal those of one rank, and every copy of a node is the same to the last bit, on every
// processor grid that the ranks allow.
// ranks: 1 2 4 8
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "comm/exchange.hpp"
#include "device/backend.hpp"

namespace agwave {
namespace {

constexpr std::array<std::int64_t, 3> elements{9, 11, 10};  // uneven on most grids, and no grid of 8 ranks is refused

std::vector<std::array<int, 3>> grids(int ranks) {
  std::vector<std::array<int, 3>> list;
  for (int x = 1; x <= ranks; ++x)
    for (int y = 1; y <= ranks / x; ++y)
      if (ranks % (x * y) == 0) list.push_back({x, y, ranks / x / y});
  return list;
}

struct Block {
  Partition part;
  int NX, NY, NZ;
  Block(std::array<int, 3> grid, int rank)
      : part(make_partition(elements, grid, rank)),
        NX(static_cast<int>(4 * part.count[0] + 1)),
        NY(static_cast<int>(4 * part.count[1] + 1)),
        NZ(static_cast<int>(4 * part.count[2] + 1)) {}
  std::int64_t global(int i, int j, int k) const {  // number of a local node in the whole mesh
    return ((4 * part.first[2] + k) * (4 * elements[1] + 1) + 4 * part.first[1] + j) * (4 * elements[0] + 1) + 4 * part.first[0] + i;
  }
  std::size_t nodes() const { return static_cast<std::size_t>(NX) * NY * NZ; }
  template <class Visit>
  void for_each(Visit visit) const {
    std::size_t n = 0;
    for (int k = 0; k < NZ; ++k)
      for (int j = 0; j < NY; ++j)
        for (int i = 0; i < NX; ++i, ++n) visit(n, global(i, j, k));
  }
};

constexpr std::int64_t global_nodes = (4 * elements[0] + 1) * (4 * elements[1] + 1) * (4 * elements[2] + 1);

// What rank `rank` contributes to a node: values whose sums depend on their order in the last bits. A quotient, because a
// product could be fused into the sum below, which the exchange's own sum is not.
double contribution(std::int64_t node, int rank) { return std::sin(0.37 * static_cast<double>(node) + 1.3 * rank) / (1 + rank % 3); }

TEST(Outgoing, PacksEveryRangeToItsReceiver) {
  const std::vector<double> values{1, 2, 3, 4, 5, 6};
  std::vector<double> first(2), second(1), third(3);
  Outgoing to{};
  to.to[0] = first.data(), to.end[0] = 2;
  to.to[1] = second.data() - 2, to.end[1] = 3;
  to.to[2] = third.data() - 3, to.end[2] = 6;
  Cpu().for_each(6, Pack{values.data(), to});
  EXPECT_EQ(first, (std::vector<double>{1, 2}));
  EXPECT_EQ(second, std::vector<double>{3});
  EXPECT_EQ(third, (std::vector<double>{4, 5, 6}));
}

TEST(Exchange, SumsOverAllCopies) {
  const Comm comm;
  for (const auto& grid : grids(comm.size())) {
    SCOPED_TRACE(testing::Message() << grid[0] << " x " << grid[1] << " x " << grid[2]);
    const Block block(grid, comm.rank());
    std::vector<double> r(block.nodes());
    block.for_each([&](std::size_t n, std::int64_t node) { r[n] = contribution(node, comm.rank()); });
    Cpu cpu;
    Exchange<Cpu> exchange(block.part, block.NX, block.NY, block.NZ, comm);
    EXPECT_EQ(exchange.needed(), comm.size() > 1);
    exchange.start(cpu, r.data());
    exchange.finish(cpu, r.data());

    // The same sums on one rank, in ascending rank order; they must agree to the bit, and hence all copies do.
    std::vector<double> whole(global_nodes, 0.0);
    for (int rank = 0; rank < comm.size(); ++rank)
      Block(grid, rank).for_each([&](std::size_t, std::int64_t node) { whole[node] += contribution(node, rank); });
    int wrong = 0;
    block.for_each([&](std::size_t n, std::int64_t node) { wrong += r[n] != whole[node]; });
    EXPECT_EQ(wrong, 0);
  }
}

// The arrays may be used again at once, and rounds may follow each other without a barrier.
TEST(Exchange, RoundsDoNotMix) {
  const Comm comm;
  const auto grid = grids(comm.size()).back();
  const Block block(grid, comm.rank());
  Cpu cpu;
  Exchange<Cpu> exchange(block.part, block.NX, block.NY, block.NZ, comm);
  std::vector<double> copies(global_nodes, 0.0);
  for (int rank = 0; rank < comm.size(); ++rank) Block(grid, rank).for_each([&](std::size_t, std::int64_t node) { copies[node] += 1; });
  for (int round = 1; round <= 20; ++round) {
    std::vector<double> r(block.nodes(), round);
    exchange.start(cpu, r.data());
    exchange.finish(cpu, r.data());
    int wrong = 0;
    block.for_each([&](std::size_t n, std::int64_t node) { wrong += r[n] != round * copies[node]; });
    ASSERT_EQ(wrong, 0) << "round " << round;
  }
}

// Nodes inside the block may change between start and finish: that is where the interior elements run.
TEST(Exchange, LeavesTheInteriorAlone) {
  const Comm comm;
  const Block block(grids(comm.size()).front(), comm.rank());
  Cpu cpu;
  Exchange<Cpu> exchange(block.part, block.NX, block.NY, block.NZ, comm);
  std::vector<double> r(block.nodes(), 1.0);
  exchange.start(cpu, r.data());
  const std::size_t inside = (static_cast<std::size_t>(2) * block.NY + 2) * block.NX + 2;  // two nodes from every face: in no message
  r[inside] = 42;
  exchange.finish(cpu, r.data());
  EXPECT_EQ(r[inside], 42);
}

// No MPI needed to see who shares what: lists of all ranks of a grid, in one process.
TEST(SharedNodes, ListsOfNeighboursMatch) {
  for (const auto& grid : {std::array<int, 3>{3, 1, 1}, {2, 3, 1}, {3, 2, 2}, {3, 3, 3}}) {
    const int ranks = grid[0] * grid[1] * grid[2];
    std::vector<Block> blocks;
    std::vector<SharedNodes> lists;
    for (int rank = 0; rank < ranks; ++rank) {
      blocks.emplace_back(grid, rank);
      lists.push_back(find_shared_nodes(blocks.back().part, blocks.back().NX, blocks.back().NY, blocks.back().NZ));
    }
    const auto sent = [&](int from, const Neighbour& n) {  // global numbers in the order of the message
      std::vector<std::int64_t> nodes, all(blocks[from].nodes());
      blocks[from].for_each([&](std::size_t local, std::int64_t node) { all[local] = node; });
      for (std::int64_t k = n.first; k < n.first + n.count; ++k) nodes.push_back(all[lists[from].send[k]]);
      return nodes;
    };
    for (int rank = 0; rank < ranks; ++rank) {
      EXPECT_LE(lists[rank].neighbours.size(), 26u);
      for (const auto& n : lists[rank].neighbours) {
        const auto& back = lists[n.rank].neighbours;
        const auto match = std::find_if(back.begin(), back.end(), [&](const auto& m) { return m.rank == rank; });
        ASSERT_NE(match, back.end());
        EXPECT_EQ(sent(rank, n), sent(n.rank, *match));
      }
    }
  }
}

}  // namespace
}  // namespace agwave
