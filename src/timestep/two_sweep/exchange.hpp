// SPDX-License-Identifier: Apache-2.0
// Between ranks the fused steppers exchange raw partial sums of the perimeters of their patches, one array or two at a time, into the
// ghosts of the receiver. Nothing is added here: readers add the parts of all patches in the order of layout.hpp,
// whichever rank they come from, so that every processor grid gets the same bits.
//
//   work      ... boundary items | next sweep: interior items ..................... | boundary items
//   exchange                     | pack | send, receive | unpack |                  ^ wait for `unpack`: no wait if the interior took longer
//
// Who works may wait in two ways: for finish(), what comes after it on the backend, or on the device, for a gate to open (finish_and_open()), where
// a kernel has both the interior and the boundary.
#pragma once
#include "comm/exchange_clock.hpp"
#include "comm/messages.hpp"
#include "device/host_device.hpp"
#include "timestep/two_sweep/layout.hpp"
#include "timestep/two_sweep/work.hpp"

namespace agwave::two_sweep {

struct PerimeterLists {
  std::vector<Neighbour> neighbours;
  std::vector<std::int64_t> send, receive;  // places in one array of sums
};

namespace exchange_detail {
struct Range {
  int low, high;  // inclusive
  std::int64_t count() const { return high - low + 1; }
};

// What goes to (send) or comes from (else) the neighbour in direction d: patches and node columns, or levels, along one axis.
template <class Patches>
struct Perimeter {
  Range patch[2], node[2], level;
  Perimeter(const Patches& p, const std::array<int, 3>& d, bool send) {
    const int patches[2] = {p.px, p.py}, last_node[2] = {Patches::PX - 1, Patches::PY - 1};
    for (int a = 0; a < 2; ++a) {
      const int inner = d[a] < 0 ? 0 : patches[a] - 1, ghost = d[a] < 0 ? -1 : patches[a], side = (d[a] < 0) == send ? 0 : last_node[a];
      patch[a] = d[a] == 0 ? Range{0, patches[a] - 1} : send ? Range{inner, inner} : Range{ghost, ghost};
      node[a] = d[a] == 0 ? Range{0, last_node[a]} : Range{side, side};
    }
    const int top = p.levels() - 1, at = d[2] < 0 ? (send ? 1 : 0) : (send ? top - 1 : top);
    level = d[2] == 0 ? Range{1, top - 1} : Range{at, at};
  }
  std::int64_t count() const { return patch[0].count() * patch[1].count() * node[0].count() * node[1].count() * level.count(); }
  template <class Wanted>
  void append(const Patches& p, const Wanted& wanted, std::vector<std::int64_t>& list) const {
    for (int y = patch[1].low; y <= patch[1].high; ++y)
      for (int x = patch[0].low; x <= patch[0].high; ++x)
        for (int k = level.low; k <= level.high; ++k)
          for (int j = node[1].low; j <= node[1].high; ++j)
            for (int i = node[0].low; i <= node[0].high; ++i)
              if (wanted(4 * Patches::EX * x + i, 4 * Patches::EY * y + j))
                list.push_back(p.sums_at(x, y) + static_cast<std::int64_t>(k) * Patches::level_size + Patches::column(i, j));
  }
};
}  // namespace exchange_detail

// For so many arrays at a time. wanted(i, j): of which columns of nodes, both sides alike; neighbours that share none of them are none.
template <class Patches, class Wanted>
PerimeterLists find_perimeters(const Patches& patches, const Partition& part, int arrays, const Wanted& wanted) {
  PerimeterLists lists;
  for_neighbours(part, [&](int rank, const std::array<int, 3>& d) {
    const auto first = static_cast<std::int64_t>(lists.send.size());
    exchange_detail::Perimeter<Patches>(patches, d, true).append(patches, wanted, lists.send);
    exchange_detail::Perimeter<Patches>(patches, d, false).append(patches, wanted, lists.receive);
    const std::int64_t count = static_cast<std::int64_t>(lists.send.size()) - first;
    if (count > 0) lists.neighbours.push_back({rank, arrays * first, arrays * count});
  });
  return lists;
}
template <class Patches>
PerimeterLists find_perimeters(const Patches& patches, const Partition& part, int arrays = 2) {
  return find_perimeters(patches, part, arrays, [](int, int) { return true; });
}

// Both arrays at place m lie together. A call for both and for four places, `calls` apart: few multiprocessors do this beside a sweep, and each waits
// for memory an eighth as often.
struct Pairs {
  static constexpr int together = 4;
  const std::int64_t* place;
  std::int64_t count;
  AGWAVE_HD std::int64_t calls() const { return (count + together - 1) / together; }
  template <class F>
  AGWAVE_HD void each(std::int64_t call, F&& f) const {  // the last place more than once where they do not come out even
    for (int n = 0; n < together; ++n) {
      const std::int64_t m = call + n * calls();
      f(n, m < count ? m : count - 1);
    }
  }
};
struct alignas(16) Both {  // values at a place, at once: half as many writes go to a neighbour's memory
  double a, b;
};
struct PackedPairs {
  Outgoing to;
  AGWAVE_HD void put(std::int64_t m, double a, double b) const { *reinterpret_cast<Both*>(to.at(2 * m)) = {a, b}; }
};
template <class To>  // PackedPairs, or RemotePlaces
struct PackPair {
  Pairs pairs;
  const double *a, *b;
  To to;
  AGWAVE_HD void operator()(std::int64_t call) const {
    std::int64_t at[Pairs::together];
    double va[Pairs::together], vb[Pairs::together];
    pairs.each(call, [&](int n, std::int64_t m) { at[n] = pairs.place[m]; });
    pairs.each(call, [&](int n, std::int64_t) {
      va[n] = a[at[n]];
      vb[n] = b[at[n]];
    });
    pairs.each(call, [&](int n, std::int64_t m) { to.put(m, va[n], vb[n]); });
  }
};
struct UnpackPair {
  Pairs pairs;
  const double* packed;
  double *a, *b;
  AGWAVE_HD void operator()(std::int64_t call) const {
    std::int64_t at[Pairs::together];
    double va[Pairs::together], vb[Pairs::together];
    pairs.each(call, [&](int n, std::int64_t m) {
      at[n] = pairs.place[m];
      const Both both = reinterpret_cast<const Both*>(packed)[m];
      va[n] = both.a;
      vb[n] = both.b;
    });
    pairs.each(call, [&](int n, std::int64_t) {
      a[at[n]] = va[n];
      b[at[n]] = vb[n];
    });
  }
};

template <class Real>
struct UnpackOne {  // the same of one array; messages are of double precision (PackListed)
  const std::int64_t* place;
  const double* packed;
  Real* a;
  AGWAVE_HD void operator()(std::int64_t m) const { a[place[m]] = static_cast<Real>(packed[m]); }
};

template <class Backend, class Patches, int Arrays = 2>  // at a time
class PerimeterExchange {
  using Real = typename Patches::real;

 public:
  // `sums`: so many arrays, one behind the other, in memory of room() values that are zero and stay longer than this.
  PerimeterExchange(const Patches& patches, const Partition& part, Real* sums, int arrays, const Comm& comm, const Transport& transport)
      : PerimeterExchange(patches, find_perimeters(patches, part, Arrays), sums, arrays, comm, transport) {}
  PerimeterExchange(const Patches& patches, const PerimeterLists& lists, Real* sums, int arrays, const Comm& comm, const Transport& transport)
      : sums_(sums),
        stride_(patches.sums_stride()),
        messages_(lists.neighbours, comm, transport, ghosts(patches, lists, sums, arrays)),
        clock_(transport.traffic),
        send_(Backend::space, lists.send),
        receive_(Backend::space, in_place() ? std::vector<std::int64_t>{} : lists.receive),
        opened_(Backend::space, std::vector<unsigned>{0}),
        waited_(Backend::space, std::vector<unsigned long long>{0}) {}
  static std::int64_t room(const Patches& patches, const Partition& part, int arrays) {
    const std::int64_t size = patches.sums_size(arrays);
    if (Backend::space == Space::host || part.grid == std::array<int, 3>{1, 1, 1}) return size;
    return static_cast<std::int64_t>(PeerMemory::room(sizeof(Real) * static_cast<std::size_t>(size)) / sizeof(Real));
  }
  bool needed() const { return messages_.needed(); }
  // Neighbours write to the ghosts themselves, to those of a round as soon as the one before has been started: nothing may read or write them then
  // but what comes after the round's finish().
  bool in_place() const { return messages_.in_place(); }
  // Fills the ghosts of both arrays, which follow each other (or of a alone), from their neighbours' perimeters. Collective. start() packs what the backend has written
  // so far. Until finish() the backend may be given what neither writes these perimeters nor reads these ghosts; what it is given then finds them in
  // place.
  // Everything runs in a lane beside the backend; `at_once`: the backend goes on when all is packed, where there is little time for the rest.
  void begin(const Backend& backend) { clock_.mark(Moment::begin, backend); }
  void start(const Backend& backend, Real* a, Real* b, bool at_once) {
    a_ = a;
    b_ = b;
    const TrafficTimer timer(messages_.traffic());
    clock_.mark(Moment::boundary, backend);
    lane_.follow(backend);
    const Pairs pairs{send_.data(), places()};
    if constexpr (Arrays == 1)
      lane_.for_each(places(), PackListed{send_.data(), a, messages_.open()});
    else if (in_place())
      lane_.for_each(pairs.calls(), PackPair<RemotePlaces>{pairs, a, b, messages_.open((a - sums_) / stride_)});
    else
      lane_.for_each(pairs.calls(), PackPair<PackedPairs>{pairs, a, b, {messages_.open()}});
    if (at_once) backend.follow(lane_);
    clock_.mark(Moment::packed, lane_);
    messages_.start(lane_);
  }
  void progress() {
    if (under_way()) messages_.progress();
  }
  bool under_way() const { return a_; }
  bool under_way(const Real* a) const { return a && a == a_; }
  void finish(const Backend& backend) {  // what is under way, if anything is
    if (!under_way()) return;
    const TrafficTimer timer(messages_.traffic());
    clock_.mark(Moment::interior, backend);
    unpack();
    backend.follow(lane_);
    clock_.mark(Moment::resumed, backend);
    clock_.close();
  }
  // Of what is under way: what waits there must have been given to its device, lest the host wait for the neighbours before.
  Gate gate() { return {opened_.data(), round_ + 1, waited_.data()}; }
  void finish_and_open() {
    finish_and_open([](Backend&) {});
  }
  // f(lane): what besides has to be done by then, after what follow() was told of.
  template <class F>
  void finish_and_open(F&& f) {
    if (!under_way()) return;
    const TrafficTimer timer(messages_.traffic());
    if (in_place()) lane_.mark(last_multiprocessor_);  // for packing
    unpack();
    f(lane_);
    lane_.set(opened_.data(), ++round_);
    if (!in_place()) lane_.mark(last_multiprocessor_);
    clock_.close();
  }
  void follow(const Backend& backend) { lane_.follow(backend); }
  // What the backend is given from now on finds all of that done, whether or not what is there waits at the gate.
  void rejoin(const Backend& backend) { backend.follow(lane_); }
  // When the last round that finish_and_open() finished no longer needed a multiprocessor.
  const typename Backend::Instant& last_multiprocessor() const { return last_multiprocessor_; }
  // A round that nobody counts: kernels and connections that are made when first needed would wait for the device while it waits for them.
  void load(Backend& backend, Real* a, Real* b) {
    const Traffic before = messages_.traffic();
    start(backend, a, b, false);
    finish_and_open();
    settle(1);
    messages_.traffic() = before;
  }
  void run(Backend& backend, Real* a, Real* b) {
    if (!needed()) return;
    begin(backend);
    start(backend, a, b, false);
    finish(backend);
  }
  // The clock's figures, and how long those at the gate waited, on average over `multiprocessors`, into the transport's traffic, waiting for all rounds.
  void settle(int multiprocessors) {
    clock_.settle();
    lane_.synchronize();
    messages_.traffic().waited += 1e-9 * static_cast<double>(waited_.to_host().front()) / multiprocessors;
    waited_.zero();
  }
  // Lists and values, sent and received, where the state lives, if not written in place; staged ones again, pinned on the host of a GPU.
  static double bytes(const Patches& patches, const Partition& part) {
    double values = 0;
    for_neighbours(part, [&](int, const auto& d) { values += static_cast<double>(exchange_detail::Perimeter<Patches>(patches, d, true).count()); });
    return bytes(values);
  }
  static double bytes(double places) { return 24 * Arrays * places; }

 private:
  // Only pairs are written in place.
  static GhostArrays ghosts(const Patches& patches, const PerimeterLists& lists, Real* sums, int arrays) {
    if constexpr (Arrays == 1)
      return {};
    else
      return {sums, patches.sums_size(arrays), patches.sums_stride(), lists.receive};
  }
  std::int64_t places() const { return static_cast<std::int64_t>(send_.size()); }
  void unpack() {
    const double* const incoming = messages_.finish(lane_);
    clock_.mark(Moment::arrived, lane_);
    const Pairs pairs{receive_.data(), places()};
    if constexpr (Arrays == 1)
      lane_.for_each(places(), UnpackOne<Real>{receive_.data(), incoming, a_});
    else if (!in_place())
      lane_.for_each(pairs.calls(), UnpackPair{pairs, incoming, a_, b_});
    clock_.mark(Moment::unpacked, lane_);
    a_ = b_ = nullptr;
  }

  const Real* sums_;
  std::int64_t stride_;
  Backend lane_ = Backend::urgent();
  Messages<Backend> messages_;
  ExchangeClock<Backend> clock_;
  Array<std::int64_t> send_, receive_;
  Array<unsigned> opened_;            // the last round that is in place
  Array<unsigned long long> waited_;  // Gate::waited
  unsigned round_ = 0;
  typename Backend::Instant last_multiprocessor_{};
  Real *a_ = nullptr, *b_ = nullptr;  // under way
};

}  // namespace agwave::two_sweep
