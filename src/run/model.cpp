// SPDX-License-Identifier: Apache-2.0
// From the case to a stepping model.
#include "run/model.hpp"

#include <algorithm>
#include <cmath>

#include "error/error.hpp"
#include "fem/load.hpp"
#include "timestep/local_steps/growth.hpp"

namespace agwave {

Model::Model(const Case& c, const Comm& comm) : Model(c, comm, make_plan(c, comm)) {}

Model::Model(const Case& c, const Comm& comm, Plan plan) : case_(c), comm_(comm), plan_(std::move(plan)) {
  forcing_ = make_forcing(plan_.mesh, plan_.sources, comm_);
  for (NodalForcing& more : plan_.forcing) forcing_.push_back(std::move(more));
  ledger_.product.assign(forcing_.size(), 0.0);
  vertical_.assign(plan_.sensors.seafloor.size(), 0.0);
  const int stations = static_cast<int>(plan_.sensors.seafloor.size());
  for (std::int32_t n : plan_.points.index) {
    if (n >= stations) continue;
    const Sensor& s = plan_.sensors.seafloor[n];
    vertical_[n] = vertical_part(plan_.mesh, s.x, s.y);
  }
  comm_.sum(vertical_);
  for (const UpliftTerm& term : plan_.sources.uplift) {
    std::vector<double>& shape = sensor_shapes_.emplace_back();
    for (std::size_t n = 0; n < vertical_.size(); ++n) {
      const Sensor& s = plan_.sensors.seafloor[n];
      shape.push_back(term.shape(s.x, s.y) * (term.motion == Motion::normal ? vertical_[n] : 1.0));
    }
  }
  plan_.sponge.interval = static_cast<double>(plan_.sponge.every) * dt();
  comm_.agree([&] {
    stepper_ = plan_.variant->make_stepper({plan_.mesh, plan_.medium, c.boundary, c.solver.quadrature, comm_, forcing_, plan_.points.points,
                                            plan_.transport, &plan_.sponge, plan_.asked, &plan_.levels, &plan_.floor});
  });
  record_powers();
}

bool Model::forces(const TimeSeries& term, double from, double to) const {
  const Variant& variant = *plan_.variant;
  const double reach = variant.integrator->reach * dt(), past = reach + (variant.recalls_forcing ? dt() : 0);
  return to + reach > term.begin && from - past < term.end;
}
bool Model::source_active(double from, double to) const {
  return std::any_of(forcing_.begin(), forcing_.end(), [&](const NodalForcing& f) { return forces(f.series, from, to); });
}

std::vector<ForcingSample> Model::samples() const {
  std::vector<ForcingSample> list;
  const Integrator& integrator = *plan_.variant->integrator;
  const double t = time();
  for (std::size_t k = 0; k < forcing_.size(); ++k) {
    const TimeSeries& term = forcing_[k].series;
    if (!forces(term, t, t + dt())) continue;
    ForcingSample sample{static_cast<int>(k), integrator.sample(term, t, dt())};
    if (plan_.variant->recalls_forcing) sample.before = integrator.sample(term, t - dt(), dt());
    if (!term.piecewise_linear || sample.rate != Rates{} || sample.before != Rates{}) list.push_back(sample);
  }
  return list;
}

void Model::record_powers(bool damped) {
  const double t = time(), step = dt();
  std::vector<int> terms;
  for (std::size_t k = 0; k < forcing_.size(); ++k)
    if (t + step > forcing_[k].series.begin && t - step < forcing_[k].series.end) terms.push_back(static_cast<int>(k));
  view().record_powers(terms);
  recorded_.push_back({t, std::move(terms), damped});
}

// Smooth terms, walls and floor go to their integrals; the work of piecewise-linear terms is summed step by step. Where a damping makes the powers jump
// the integrals get the mean of both sides.
void Model::settle_powers() {
  const std::vector<double> values = view().take_powers();
  const std::size_t row = 2 + forcing_.size();
  double half_power = 0, half_wall = 0, half_floor = 0;
  for (std::size_t n = 0; n < recorded_.size(); ++n) {
    const Recorded& now = recorded_[n];
    const bool before_damping = n + 1 < recorded_.size() && recorded_[n + 1].damped;
    const std::vector<double> before = ledger_.product;
    double power = 0;
    for (const int k : now.terms) {
      const TimeSeries& term = forcing_[k].series;
      ledger_.product[k] = values[n * row + 1 + k];
      if (!term.piecewise_linear && now.time >= term.begin && now.time <= term.end) power += term.rate(now.time) * ledger_.product[k];
    }
    for (const int k : now.terms)
      if (const TimeSeries& term = forcing_[k].series; term.piecewise_linear && now.time > 0 && !now.damped)
        ledger_.piecewise_work += (term.value(now.time) - term.value(now.time - dt())) * 0.5 * (before[k] + ledger_.product[k]);
    const double wall = values[n * row], floor = values[n * row + row - 1];
    if (before_damping) {
      half_power = 0.5 * power;
      half_wall = 0.5 * wall;
      half_floor = 0.5 * floor;
    } else {
      ledger_.source.add(now.damped ? half_power + 0.5 * power : power);
      ledger_.walls.add(now.damped ? half_wall + 0.5 * wall : wall);
      ledger_.floor.add(now.damped ? half_floor + 0.5 * floor : floor);
    }
  }
  recorded_.clear();
}

void Model::advance() {
  const std::vector<ForcingSample> forcing = samples();
  if (plan_.filter.acts(step_, time())) stepper_->filter(dt(), plan_.filter.longer, forcing);
  stepper_->step(dt(), forcing);
  ++step_;
  record_powers();
  if (plan_.sponge.every > 0 && step_ % plan_.sponge.every == 0) {
    stepper_->damp();
    record_powers(true);
  }
  if (recorded_.size() + 2 > StateView::records) settle_powers();
}

std::vector<double> Model::sample_all() {
  view().record_sample();
  const std::vector<double> own = view().take_samples();
  std::vector<double> all(point_count(), 0.0);
  for (std::size_t n = 0; n < own.size(); ++n) all[plan_.points.index[n]] = own[n];
  comm_.sum(all);
  return all;
}

EnergyBudget Model::budget() {
  settle_powers();
  const Energies own = view().energies();
  std::vector<double> sums{own.total(),
                           ledger_.source.integral(dt()) + ledger_.piecewise_work,
                           ledger_.walls.integral(dt()),
                           stepper_->damped_energy(),
                           ledger_.floor.integral(dt()),
                           own.floor};
  comm_.sum(sums);
  return {sums[0], sums[1], sums[2], sums[0] - sums[1] + sums[2] + sums[3] + sums[4], sums[3], sums[4], sums[5], plan_.variant->knows_potential};
}

Ledger Model::ledger() {
  settle_powers();
  ledger_.damped = stepper_->damped_energy();
  return ledger_;
}

void Model::resume(std::int64_t step, const Ledger& ledger) {
  view().take_powers();  // of the state at rest
  recorded_.clear();
  step_ = step;
  ledger_ = ledger;
  ledger_.product.resize(forcing_.size());
  stepper_->set_damped_energy(ledger.damped);
}

std::vector<double> Model::source_fingerprint() const {
  const Mesh& m = plan_.mesh;
  std::vector<double> squares(forcing_.size(), 0.0), all;
  for (std::size_t k = 0; k < forcing_.size(); ++k)
    for (std::int64_t n = 0; n < forcing_[k].count(); ++n) {
      const std::int64_t node = forcing_[k].node(n), row = node / m.NX();
      const double weight = forcing_[k].weights[static_cast<std::size_t>(n)];
      if (m.owned(static_cast<int>(node % m.NX()), static_cast<int>(row % m.NY()), static_cast<int>(row / m.NY()))) squares[k] += weight * weight;
    }
  comm_.sum(squares);
  for (std::size_t k = 0; k < forcing_.size(); ++k) {
    const TimeSeries& term = forcing_[k].series;
    for (const double value : {term.begin, term.end, term.value(0.7 * term.begin + 0.3 * term.end), std::sqrt(squares[k])}) all.push_back(value);
  }
  return all;
}

std::vector<double> Model::uplift_at_sensors() const {
  std::vector<double> uplift(plan_.sensors.seafloor.size(), 0.0);
  for (std::size_t k = 0; k < plan_.sources.uplift.size(); ++k) {
    const double now = plan_.sources.uplift[k].value(time());
    for (std::size_t n = 0; n < uplift.size() && now != 0; ++n) uplift[n] += now * sensor_shapes_[k][n];
  }
  return uplift;
}

std::string Model::node_place(std::size_t n) const {
  const Mesh& m = plan_.mesh;
  const auto i = static_cast<int>(n % m.NX()), j = static_cast<int>(n / m.NX() % m.NY()), k = static_cast<int>(n / m.NX() / m.NY());
  const std::int64_t ex = m.part.first[0] + std::min(i / 4, m.nx() - 1), ey = m.part.first[1] + std::min(j / 4, m.ny() - 1),
                     ez = m.part.first[2] + std::min(k / 4, m.nz() - 1);
  return text("x = ", rounded(m.x_nodes()[i], 7), " m, y = ", rounded(m.y_nodes()[j], 7),
              " m, z = ", rounded(-m.sigma_nodes()[k] * m.depth_at(i, j), 6), " m (element ", ex, ", ", ey, ", ", ez, ", rank ", comm_.rank(), ")");
}

std::string Model::element_place(std::size_t e) const {  // its middle
  const Mesh& m = plan_.mesh;
  const auto i = static_cast<std::size_t>(4 * (e % m.nx()) + 2), j = 4 * (e / m.nx() % m.ny()) + 2, k = 4 * (e / m.nx() / m.ny()) + 2;
  return node_place((k * m.NY() + j) * m.NX() + i);
}

std::string Model::moment() const { return text("t = ", rounded(time(), 6), " s, step ", step_, " of ", plan_.steps); }

void Model::require_stable_levels() {
  constexpr double most = 4;  // slow waves, which steps from random data feed, double their rate at most while the steps double
  if (!plan_.levels.local()) return;
  const auto steps = static_cast<int>(std::clamp<std::int64_t>(plan_.steps / 20, 2, 400));
  const Growth growth = measure_growth(*stepper_, plan_.mesh, dt(), steps, comm_);
  if (growth.factor < most) return;
  comm_.agree([&] {
    if (!growth.here) return;
    const std::string key = to_string(case_.time.local_steps_mark);
    throw Error(
        ExitCode::unstable,
        text(key, key.empty() ? "" : ": ", "local steps are unstable on this mesh: random data grow by a factor ", rounded(growth.per_step, 4),
             " a step of ", rounded(dt(), 6), " s (an eigenvalue of ", rounded(growth.largest, 6), ", where 4 is the limit), most at ",
             node_place(static_cast<std::size_t>(growth.node)), "; try a smaller time.safety, fewer levels, or `local_steps: off`"));
  });
  throw AgreedError(ExitCode::unstable, "local steps are unstable on this mesh: random data do not stay finite; use `time.local_steps: off`");
}

void Model::report_not_finite() {
  std::vector<double> p, u;
  stepper_->get_state(p, u);  // on every rank, for some steppers complete it together
  comm_.agree([&] {
    const auto fail = [&](const char* field, double value, const std::string& place) {
      throw Error(ExitCode::unstable,
                  text("the state is no longer finite: ", field, " = ", value, " at ", place, ", ", moment(), "; try a smaller time.safety"));
    };
    const auto bad = [](double value) { return !std::isfinite(value); };
    if (const auto at = std::find_if(p.begin(), p.end(), bad); at != p.end()) fail("pressure", *at, node_place(at - p.begin()));
    if (const auto at = std::find_if(u.begin(), u.end(), bad); at != u.end()) fail("velocity", *at, element_place((at - u.begin()) / (3 * L3D)));
  });
  throw AgreedError(ExitCode::unstable,
                    text("the energy is no longer finite at ", moment(), ": values too large to square; try a smaller time.safety"));
}

void Model::report_largest(const std::string& what) {
  const double own = view().max_pressure(), largest = comm_.max(own);
  std::vector<double> p, u;
  stepper_->get_state(p, u);
  comm_.agree([&] {
    if (own < largest) return;
    const auto less = [](double a, double b) { return std::abs(a) < std::abs(b); };
    throw Error(
        ExitCode::unstable,
        text(what, "; |p| is largest, ", rounded(largest, 4), " Pa, at ", node_place(std::max_element(p.begin(), p.end(), less) - p.begin()),
             "; the step ", rounded(dt(), 6), " s is too large: try a smaller time.safety",
             plan_.levels.local() ? ", or `time.local_steps: off`" : "",
             plan_.sponge.matched ? "; or matched strips give energy, as where a source lies in them: move it, or try boundary.sponge.type: fading"
                                  : ""));
  });
  throw AgreedError(ExitCode::unstable, what);
}

}  // namespace agwave
