// SPDX-License-Identifier: Apache-2.0
// From the case to a stepping model.
#include "model.hpp"

#include <algorithm>
#include <cmath>

#include "error.hpp"
#include "fem/load.hpp"

namespace agwave {

Model::Model(const Case& c, const Comm& comm) : Model(c, comm, make_plan(c, comm)) {}

Model::Model(const Case& c, const Comm& comm, Plan plan) : case_(c), comm_(comm), plan_(std::move(plan)) {
  for (const UpliftTerm& term : plan_.uplift) loads_.push_back(floor_load(plan_.mesh, term, comm_));
  product_.assign(plan_.uplift.size(), 0.0);
  vertical_.assign(plan_.sensors.seafloor.size(), 0.0);
  const int stations = static_cast<int>(plan_.sensors.seafloor.size());
  for (std::int32_t n : plan_.points.index) {
    if (n >= stations) continue;
    const Sensor& s = plan_.sensors.seafloor[n];
    vertical_[n] = vertical_part(plan_.mesh, s.x, s.y);
  }
  comm_.sum(vertical_);
  comm_.agree([&] {
    stepper_ =
        plan_.variant->make_stepper({plan_.mesh, c.ocean, c.boundary, c.solver.quadrature, comm_, loads_, plan_.points.points, plan_.transport});
  });
  record_powers();
}

bool Model::source_active(double from, double to) const {
  return std::any_of(plan_.uplift.begin(), plan_.uplift.end(), [&](const UpliftTerm& term) { return to > term.begin && from < term.end; });
}

std::vector<TermRate> Model::rates(double t, double dt) const {
  std::vector<TermRate> list;
  for (std::size_t k = 0; k < plan_.uplift.size(); ++k) {
    const UpliftTerm& term = plan_.uplift[k];
    if (t + dt <= term.begin || t >= term.end) continue;
    if (term.piecewise_linear) {
      const double rate = (term.value(t + dt) - term.value(t)) / dt;
      if (rate != 0) list.push_back({static_cast<int>(k), rate, rate, rate});
    } else {
      list.push_back({static_cast<int>(k), term.rate(t), term.rate(t + 0.5 * dt), term.rate(t + dt)});
    }
  }
  return list;
}

void Model::record_powers() {
  const double t = time(), step = dt();
  std::vector<int> terms;
  for (std::size_t k = 0; k < plan_.uplift.size(); ++k)
    if (t + step > plan_.uplift[k].begin && t - step < plan_.uplift[k].end) terms.push_back(static_cast<int>(k));
  stepper_->record_powers(terms);
  recorded_.push_back({t, std::move(terms), std::move(rates_)});
  if (recorded_.size() == Stepper::records) settle_powers();
}

// Smooth terms and walls go to their integrals; the work of piecewise-linear terms is summed step by step.
void Model::settle_powers() {
  const std::vector<double> values = stepper_->take_powers();
  const std::size_t row = 1 + plan_.uplift.size();
  for (std::size_t n = 0; n < recorded_.size(); ++n) {
    const Recorded& now = recorded_[n];
    const std::vector<double> before = product_;
    double power = 0;
    for (const int k : now.terms) {
      const UpliftTerm& term = plan_.uplift[k];
      product_[k] = values[n * row + 1 + k];
      if (!term.piecewise_linear && now.time >= term.begin && now.time <= term.end) power += term.rate(now.time) * product_[k];
    }
    for (const TermRate& rate : now.rates)
      if (plan_.uplift[rate.term].piecewise_linear) piecewise_work_ += rate.start * 0.5 * (before[rate.term] + product_[rate.term]) * dt();
    source_power_.add(power);
    wall_power_.add(values[n * row]);
  }
  recorded_.clear();
}

void Model::advance() {
  rates_ = rates(time(), dt());
  stepper_->step(dt(), rates_);
  ++step_;
  record_powers();
}

std::vector<double> Model::sample_all() {
  stepper_->record_sample();
  const std::vector<double> own = stepper_->take_samples();
  std::vector<double> all(point_count(), 0.0);
  for (std::size_t n = 0; n < own.size(); ++n) all[plan_.points.index[n]] = own[n];
  comm_.sum(all);
  return all;
}

EnergyBudget Model::budget() {
  settle_powers();
  const Energies own = stepper_->energies();
  std::vector<double> sums{own.total(), source_power_.integral(dt()) + piecewise_work_, wall_power_.integral(dt())};
  comm_.sum(sums);
  return {sums[0], sums[1], sums[2], sums[0] - sums[1] + sums[2]};
}

std::vector<double> Model::uplift_at_sensors() const {
  std::vector<double> uplift(plan_.sensors.seafloor.size(), 0.0);
  for (const UpliftTerm& term : plan_.uplift) {
    const double now = term.value(time());
    if (now == 0) continue;
    for (std::size_t n = 0; n < uplift.size(); ++n) {
      const Sensor& s = plan_.sensors.seafloor[n];
      uplift[n] += now * term.shape(s.x, s.y) * (term.motion == Motion::normal ? vertical_[n] : 1.0);
    }
  }
  return uplift;
}

void Model::report_not_finite() {
  comm_.agree([&] {
    std::vector<double> p, u;
    stepper_->get_state(p, u);
    const Mesh& m = plan_.mesh;
    const auto fail = [&](const char* field, double value, double x, double y, double sigma, std::int64_t ex, std::int64_t ey, std::int64_t ez) {
      const double depth = column_point(m, x, y).depth;
      throw Error(ExitCode::unstable, text("the state is no longer finite: ", field, " = ", value, " at x = ", x, " m, y = ", y,
                                           " m, z = ", -sigma * depth, " m (element ", ex, ", ", ey, ", ", ez, ", rank ", comm_.rank(),
                                           "), t = ", time(), " s, step ", step_, " of ", plan_.steps, "; try a smaller time.safety"));
    };
    const auto x = m.x_nodes(), y = m.y_nodes(), sigma = m.sigma_nodes();
    for (std::size_t n = 0; n < p.size(); ++n)
      if (!std::isfinite(p[n])) {
        const int i = static_cast<int>(n % m.NX()), j = static_cast<int>(n / m.NX() % m.NY()), k = static_cast<int>(n / m.NX() / m.NY());
        fail("pressure", p[n], x[i], y[j], sigma[k], m.part.first[0] + std::min(i / 4, m.nx() - 1), m.part.first[1] + std::min(j / 4, m.ny() - 1),
             m.part.first[2] + std::min(k / 4, m.nz() - 1));
      }
    for (std::size_t n = 0; n < u.size(); ++n)
      if (!std::isfinite(u[n])) {
        const auto e = static_cast<std::int64_t>(n / (3 * L3D));
        const int ex = static_cast<int>(e % m.nx()), ey = static_cast<int>(e / m.nx() % m.ny()), ez = static_cast<int>(e / m.nx() / m.ny());
        fail("velocity", u[n], x[4 * ex + 2], y[4 * ey + 2], sigma[4 * ez + 2], m.part.first[0] + ex, m.part.first[1] + ey, m.part.first[2] + ez);
      }
  });
  throw AgreedError(ExitCode::unstable, text("the energy is no longer finite at t = ", time(), " s, step ", step_, " of ", plan_.steps,
                                             ": values too large to square; try a smaller time.safety"));
}

}  // namespace agwave
