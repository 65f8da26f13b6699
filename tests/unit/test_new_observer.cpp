// SPDX-License-Identifier: Apache-2.0
// What a new observer costs: this one file. It only counts; every run asks it, unasked for. And what all observers of the registry promise, this one
// included: they change no bit of the state.
// ranks: 1 2
#include "../cases/run_directory.hpp"
#include "run/simulation.hpp"

namespace agwave::cases {
namespace {

struct Count {
  int steps = 0, finished = 0, saved = 0, closed = 0;
} count;

class Counter final : public Observer {
 public:
  void on_completed_step() override { ++count.steps; }
  void finish() override { ++count.finished; }
  void save(Manifest&) override { ++count.saved; }
  void close_run(const Summary&) override { ++count.closed; }
};
const RegisterObserver registered{{"counter", 99, [](RunContext&) -> std::unique_ptr<Observer> { return std::make_unique<Counter>(); }}};

class NewObserver : public RunDirectory {
 protected:
  Case busy() {
    Case c = box_case({30000, 20000}, 2000, {9, 5, 2}, Wall::absorbing);
    c.domain.bathymetry = CosineBathymetry{2000, 0.2, {1, 1}};
    source(c, gaussian({12000, 9000}, {4000, 3000}), smoothstep_ramp(0, 1, 2));
    set_time(c, 8, 0.5);
    seafloor(c, 9000, 9000);
    gauge(c, 14000, 9000);
    c.solver.device = "cpu";
    c.output.surface_interval = 1;
    c.output.seafloor_interval = 2;
    c.output.volume_interval = 4;
    c.output.checkpoint_interval = 4;
    c.output.directory = directory_.string();
    return c;
  }
};

TEST_F(NewObserver, IsCalledByEveryRun) {
  count = {};
  const Summary s = Simulation(busy(), world(), {true}).run();
  EXPECT_EQ(count.steps, s.steps + 1);  // and the state at rest
  EXPECT_EQ(count.saved, 2);
  EXPECT_EQ(count.finished, 3);  // by two checkpoints and at the end
  EXPECT_EQ(count.closed, 1);
}

TEST_F(NewObserver, NamesAreUnique) {
  for (const ObserverKind& a : observer_kinds())
    for (const ObserverKind& b : observer_kinds()) EXPECT_TRUE(&a == &b || a.name != b.name) << a.name;
}

TEST_F(NewObserver, NoneChangesABitOfTheState) {
  const Case c = busy();
  Simulation watched(c, world(), {true});
  watched.run();
  Model alone(c, world());
  while (!alone.finished()) alone.advance();
  std::vector<double> p[2], u[2];
  watched.model().stepper().get_state(p[0], u[0]);
  alone.stepper().get_state(p[1], u[1]);
  EXPECT_GT(max_abs(p[0]), 1e3);
  EXPECT_EQ(p[0], p[1]);
  EXPECT_EQ(u[0], u[1]);
}

}  // namespace
}  // namespace agwave::cases
