// SPDX-License-Identifier: Apache-2.0
// The view of a state whose pressure lies on a backend: samples, energies, powers, picks, the surface's extremes. Owns the uplift loads, the
// sampled points and the surface maps; the pressure is the stepper's, wherever it keeps it (Values, state_pointwise.hpp).
#pragma once
#include <algorithm>
#include <functional>
#include <limits>
#include <utility>

#include "device/set_zero.hpp"
#include "error/error.hpp"
#include "timestep/floor_layer.hpp"
#include "timestep/state_pointwise.hpp"
#include "timestep/stepper.hpp"

namespace agwave {

// Memory of the forcing, points and records of a rank [bytes]: `weights` basis values of `points` points, `level` nodes that a term forces here.
inline double view_bytes(double level, double terms, double points, double weights) {
  return 8 * level * terms + 16 * weights + 4 * points + 8 * StateView::records * (points + 2 + terms);
}

template <class Backend, class Values = state::NodeValues>
class BackendView final : public StateView {
 public:
  using Pressure = std::function<Values()>;  // of all nodes, once the last step is complete
  // What is asked at every step reads fewer nodes: `watched` gives a pressure that is complete at those that the question is about. Without it, `pressure`.
  enum class Question {
    samples,  // at the points
    walls,    // that absorb
    forced,   // those, and where forcing moves, has moved in the last two steps or does in the next one
    surface
  };
  // The same on all ranks: an answer may be collective.
  using Watched = std::function<Values(Question)>;
  using Hear = std::function<void(double of_rate, double of_force, double* sums)>;  // [NY][NX]; on ranks with the floor
  using Kinetic = std::function<double()>;                                          // energy of the completed state, this rank's share [J]
  // places: Values of nowhere, for where a node's value is.
  BackendView(const StepperSetup& setup, const NodeView& view, Backend& backend, const Values& places, Pressure pressure, Kinetic kinetic,
              Watched watched = {}, Hear hear = {})
      : backend_(backend),
        watched_(watched ? std::move(watched) : [pressure](Question) { return pressure(); }),
        pressure_(std::move(pressure)),
        kinetic_(std::move(kinetic)),
        hear_(std::move(hear)),
        view_(view),
        nodes_(view.size()),
        level_(static_cast<std::int64_t>(view.NX) * view.NY),
        inverse_rho_g_(1 / setup.medium.weight()),
        has_surface_(setup.mesh.part.at_high(2)),
        has_floor_(setup.mesh.part.at_low(2)),
        gives_way_(setup.floor && setup.floor->gives_way) {
    for (const NodalForcing& f : setup.forcing)
      terms_.push_back({f.first, {Backend::space, std::span<const std::int64_t>(f.list)}, {Backend::space, std::span<const double>(f.weights)}});
    row_ = 2 + terms_.size();
    powers_ = Array<double>(Backend::space, StateView::records * row_);
    place_points(setup.points, places);
    if (has_surface_) {
      maximum_ = zeros<double>(backend_, level_);
      arrival_ = Array<double>(Backend::space, std::vector<double>(level_, -1.0));
    }
  }

  void stand_on(const FloorView& floor, std::int64_t nodes) {  // of this rank, that give way
    floor_ = floor;
    floor_nodes_ = nodes;
  }

  int terms() const { return static_cast<int>(terms_.size()); }
  state::ForcedNodes forced(int term) const {
    const Term& t = terms_[static_cast<std::size_t>(term)];
    return {t.first, t.list.empty() ? nullptr : t.list.data(), t.weights.data(), static_cast<std::int64_t>(t.weights.size())};
  }

  // f(which, n, loss): what goes there at the pressure p is loss(0) + .. + loss(n - 1) [W].
  enum class Loss { walls, floor };
  template <class P, class F>
  void losses(const P& p, const F& f) const {
    if (view_.west || view_.east || view_.south || view_.north)
      f(Loss::walls, 2 * static_cast<std::int64_t>(view_.NX + view_.NY) * view_.NZ, state::WallLoss<P>{view_, p});
    if (floor_nodes_ > 0) f(Loss::floor, floor_nodes_, floor_detail::DamperLoss<P>{view_, floor_, p});
  }

  void record_sample() override {
    const Values p = watched_(Question::samples);
    if (weight_.empty()) return;
    if (samples_taken_ == StateView::records) throw std::logic_error("samples are recorded but never taken");
    double* const row = samples_.data() + points_ * static_cast<std::size_t>(samples_taken_++);
    backend_.for_each(static_cast<std::int64_t>(points_), state::SamplePoint{p.values, offset_.data(), place_.data(), weight_.data(), row});
  }
  std::vector<double> take_samples() override { return take(samples_, points_, samples_taken_); }

  void record_powers(std::span<const int> terms) override {
    const Values p = watched_(terms.empty() && !gives_way_ ? Question::walls : Question::forced);
    if (powers_taken_ == StateView::records) throw std::logic_error("powers are recorded but never taken");
    double* const row = powers_.data() + row_ * static_cast<std::size_t>(powers_taken_++);
    backend_.for_each(static_cast<std::int64_t>(row_), SetZero{row});
    losses(p, [&](Loss which, std::int64_t n, const auto& loss) { backend_.sum(n, loss, which == Loss::walls ? row : row + 1 + terms_.size()); });
    for (const int n : terms)
      if (const state::ForcedNodes nodes = forced(n); nodes.count > 0)
        backend_.sum(nodes.count, state::ForcingProduct<Values>{view_, nodes, p}, row + 1 + n);
  }
  std::vector<double> take_powers() override { return take(powers_, row_, powers_taken_); }

  void queue_picks(std::span<const Pick> picks) override {
    std::size_t size = 0;
    for (const Pick& pick : picks) size += static_cast<std::size_t>(pick.size());
    double* const target = prepare_picks(size);
    choose(picks, target);
    for (const Pick& pick : picks) picked_.push_back(static_cast<std::size_t>(pick.size()));
    backend_.start_download(arrived_.data(), target, size * sizeof(double));
  }
  void queue_sums(const Pick& pick, const WeightedRows& rows) override {
    const auto count = static_cast<std::size_t>(rows.size());
    double* const target = prepare_picks(std::max(count, static_cast<std::size_t>(pick.size())));
    if (rows_of_ != &rows) {
      rows_of_ = &rows;
      first_ = Array<std::int64_t>(Backend::space, rows.first);
      column_ = Array<std::int32_t>(Backend::space, rows.column);
      row_weight_ = Array<double>(Backend::space, rows.weight);
      values_ = Array<double>(Backend::space, static_cast<std::size_t>(pick.size()));
      parts_ = Array<double>(Backend::space, WeightedRows::lanes * count);
    }
    choose(std::span(&pick, 1), values_.data());
    backend_.for_each(WeightedRows::lanes * rows.size(), PartOfRow{first_.data(), column_.data(), row_weight_.data(), values_.data(), parts_.data()});
    backend_.for_each(rows.size(), SumOfParts{parts_.data(), target});
    picked_.push_back(count);
    backend_.start_download(arrived_.data(), target, count * sizeof(double));
  }
  std::vector<std::vector<double>> take_picks() override {
    backend_.finish_download();
    std::vector<std::vector<double>> values;
    const double* from = arrived_.data();
    for (const std::size_t size : picked_) {
      values.emplace_back(from, from + size);
      from += size;
    }
    picked_.clear();
    return values;
  }

  void hear(double of_rate, double of_force) override {
    if (!hear_) return StateView::hear(of_rate, of_force);
    hear_(of_rate, of_force, heard());
  }
  double* heard() {  // Field::heard, [NY][NX] on ranks with the floor
    if (heard_.empty()) forget_heard();
    return heard_.data();
  }

  Energies energies() override {
    const Values p = pressure_();
    Energies e;
    e.acoustic = backend_.sum(nodes_, state::PotentialEnergy<Values>{view_, p, false, 0});
    if (view_.surface > 0) e.surface = backend_.sum(level_, state::PotentialEnergy<Values>{view_, p, true, nodes_ - level_});
    if (floor_nodes_ > 0) e.floor = backend_.sum(floor_nodes_, floor_detail::SpringEnergy{view_, floor_});
    e.kinetic = kinetic_();
    return e;
  }
  double max_pressure() override { return backend_.max(nodes_, state::Magnitude<Values>{view_, pressure_()}); }
  void track_surface(double time, double threshold) override {
    const Values p = watched_(Question::surface);
    if (has_surface_)
      backend_.for_each(level_, state::TrackSurface<Values>{view_, p, inverse_rho_g_, time, threshold, maximum_.data(), arrival_.data()});
  }
  double max_surface_height() override {
    NodeView rows = view_;
    rows.pitch = rows.NX;
    return has_surface_ ? backend_.max(level_, state::Magnitude<state::NodeValues>{rows, {maximum_.data(), rows}}) : 0.0;
  }
  void surface(std::vector<double>& height, std::vector<double>& maximum, std::vector<double>& arrival) override {
    const Values p = watched_(Question::surface);
    height.clear();
    maximum.clear();
    arrival.clear();
    if (!has_surface_) return;
    Array<double> now(Backend::space, static_cast<std::size_t>(level_));
    backend_.for_each(level_, state::SurfacePressure<Values>{view_, p, now.data()});
    backend_.synchronize();
    height = now.to_host();
    for (double& h : height) h *= inverse_rho_g_;
    maximum = maximum_.to_host();
    arrival = arrival_.to_host();
  }

  void set_surface_extremes(std::span<const double> maximum, std::span<const double> arrival) override {
    if (!has_surface_) return;
    backend_.synchronize();
    maximum_.copy_from(maximum);
    arrival_.copy_from(arrival);
  }

 private:
  double* prepare_picks(std::size_t size) {  // room for so many values, where they are chosen to
    constexpr bool on_host = Backend::space == Space::host;
    if (!picked_.empty()) throw std::logic_error("picks are queued but never taken");
    if (arrived_.size() < size) {
      arrived_ = Array<double>(Backend::staging, size);
      if (!on_host) chosen_ = Array<double>(Backend::space, size);
    }
    return (on_host ? arrived_ : chosen_).data();
  }
  void choose(std::span<const Pick> picks, double* to) {
    const auto only = [&](Field field) { return std::all_of(picks.begin(), picks.end(), [field](const Pick& pick) { return pick.field == field; }); };
    const Values p = only(Field::heard) ? Values{} : only(Field::floor) && terms() > 0 ? watched_(Question::forced) : pressure_();
    for (const Pick& pick : picks) {
      const bool of_level = pick.field == Field::maximum || pick.field == Field::arrival || pick.field == Field::heard;
      const double* level = !of_level ? nullptr : (pick.field == Field::maximum ? maximum_ : pick.field == Field::arrival ? arrival_ : heard_).data();
      backend_.for_each(
          pick.size(),
          state::PickNodes<Values>{view_, {pick.first[0], pick.first[1], pick.first[2]}, pick.count[0], pick.count[1], pick.stride, p, level, to});
      to += pick.size();
    }
    if (only(Field::heard)) forget_heard();
  }
  void forget_heard() {
    if (heard_.empty()) heard_ = Array<double>(Backend::space, static_cast<std::size_t>(has_floor_ ? level_ : 1));
    backend_.for_each(static_cast<std::int64_t>(heard_.size()), SetZero{heard_.data()});
  }

  std::vector<double> take(const Array<double>& rows, std::size_t row, int& taken) {
    backend_.synchronize();
    std::vector<double> values(row * static_cast<std::size_t>(taken));
    if (!values.empty()) copy_bytes(Space::host, values.data(), Backend::space, rows.data(), values.size() * sizeof(double));
    taken = 0;
    return values;
  }

  void place_points(const std::vector<PointWeights>& points, const Values& places) {
    if (points.empty()) return;
    std::vector<std::int32_t> offset{0};
    std::vector<std::int64_t> node;
    std::vector<double> weight;
    for (const PointWeights& point : points) {
      node.insert(node.end(), point.node.begin(), point.node.end());
      weight.insert(weight.end(), point.weight.begin(), point.weight.end());
      if (node.size() > static_cast<std::size_t>(std::numeric_limits<std::int32_t>::max()))
        throw Error(ExitCode::usage, "sensors: more than 2^31 basis values on one rank; use fewer sensors or more ranks");
      offset.push_back(static_cast<std::int32_t>(node.size()));
    }
    points_ = points.size();
    offset_ = Array<std::int32_t>(Backend::space, offset);
    place_ = Array<std::int64_t>(Backend::space, node);
    backend_.for_each(static_cast<std::int64_t>(place_.size()), state::PlaceNodes<Values>{view_, places, place_.data()});
    weight_ = Array<double>(Backend::space, weight);
    samples_ = Array<double>(Backend::space, StateView::records * points_);
  }

  Backend& backend_;
  Watched watched_;
  Pressure pressure_;
  Kinetic kinetic_;
  Hear hear_;
  NodeView view_;
  std::int64_t nodes_, level_;
  double inverse_rho_g_;
  bool has_surface_, has_floor_, gives_way_;  // gives_way_: the floor, on some rank
  struct Term {                               // NodalForcing where the state lives
    std::int64_t first;
    Array<std::int64_t> list;
    Array<double> weights;
  };
  std::vector<Term> terms_;
  FloorView floor_{};
  std::int64_t floor_nodes_ = 0;
  std::size_t points_ = 0, row_ = 2;  // values of one record
  int samples_taken_ = 0, powers_taken_ = 0;
  Array<std::int32_t> offset_;
  Array<std::int64_t> place_;  // of a point's nodes, in what Values have
  Array<double> weight_, samples_, powers_, maximum_, arrival_, heard_;
  std::vector<std::size_t> picked_;  // sizes of the picks that wait
  Array<double> chosen_, arrived_;   // on the device, on the host
  const WeightedRows* rows_of_ = nullptr;
  Array<std::int64_t> first_;
  Array<std::int32_t> column_;
  Array<double> row_weight_, values_, parts_;
};

}  // namespace agwave
