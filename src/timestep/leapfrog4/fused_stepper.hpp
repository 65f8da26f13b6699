// SPDX-License-Identifier: Apache-2.0
// What the fused leapfrogs of both precisions (fused.hpp, fused_changes.hpp) share: psi and P in their sweeps, r = K psi, and who is asked for what.
#pragma once
#include <stdexcept>

#include "timestep/leapfrog4/fused_level_hearing.hpp"
#include "timestep/leapfrog4/fused_sweeps.hpp"
#include "timestep/state_view_impl.hpp"

namespace agwave::leapfrog4 {

template <class Backend, SweepsOn<Backend> Sweeps>
class FusedStepper : public Stepper, protected LevelTranspose {
 public:
  StateView& view() final { return answers_; }
  LevelTranspose* level_transpose() final { return sweeps_.levels() ? this : nullptr; }
  void wait() final { backend_.synchronize(); }
  void settle_exchanges() final { sweeps_.settle_exchanges(); }
  void repeat_exchange() final { sweeps_.repeat_exchange(); }

 protected:
  using Both = FusedSweeps<Backend, Sweeps>;
  using Patches = typename Sweeps::Patches;
  using real = typename Patches::real;
  using Forces = typename Both::Forces;
  using Values = InSums<Patches>;
  using Question = typename BackendView<Backend, Values>::Question;

  explicit FusedStepper(const StepperSetup& setup)
      : asked_(setup.asked),
        spaces_(setup, Backend::space),
        view_(spaces_.nodes()),
        level_(static_cast<std::int64_t>(view_.NX) * view_.NY),
        sweeps_(setup, spaces_, backend_),
        places_(sweeps_.places()),
        answers_(
            setup, view_, backend_, {nullptr, places_}, [this] { return completed_pressure(); }, [this] { return kinetic_energy(); },
            [this](Question question) { return watches(question) ? watched_pressure(question) : completed_pressure(); },
            [this](double of_rate, double of_force, double* sums) { hear(of_rate, of_force, sums); }) {}

  // Of the completed state, where all of it is asked for, and where no more than is watched is.
  virtual Values completed_pressure() = 0;
  virtual Values watched_pressure(Question question) = 0;
  virtual double kinetic_energy() { return 0; }
  virtual void hear(double of_rate, double of_force, double* sums) = 0;

  real* r() { return sweeps_.r(); }
  real* T() { return sweeps_.T(); }
  void forget() {
    sweeps_.finish_exchange();
    backend_.synchronize();
  }
  void form_r() {
    if (r_formed_) return;
    sweeps_.mix(r(), 1, 0);
    r_formed_ = true;
  }

  void require_powers() const {  // before the pressure of all nodes is completed: those of walls and floor have the last word
    if (!asked_.powers) throw std::logic_error("what all of the state is asked for needs the nodes of walls and floor, which are not watched");
  }

  FusedNode<Patches> node(const BodyLoadOf<real>& body = {}) const { return {view_, places_, sweeps_.dt(), sweeps_.psi(), sweeps_.P(), body}; }
  // Of (lane, sweep, weight), as sweeps_ asks for it.
  template <class Forcing>
  static auto mixed(Forcing& forcing) {
    return [&forcing](const Backend& lane, int n, double weight) { return Forces{forcing.mixed_table(weight), forcing.mixed_body(lane, n, weight)}; };
  }
  // The sweeps of a step, once its forcing is formed. A floor that gives way pushes before they pass.
  template <class Forcing, class Floor>
  void sweep(Forcing& forcing, Floor& floor) {
    if (sweeps_.levels())
      return sweeps_.step_in_levels(forcing.kind() + 8 * level_hearing_.listens(), mixed(forcing),
                                    [this](const local_steps::LevelSweep& s, const SweepArgs<Patches>& g) {
                                      level_hearing_.hear(s, sweeps_.levels()->finest(), sweeps_.dt(), g);
                                    });
    sweeps_.step({forcing.table(0), forcing.body(0)}, {forcing.table(1), forcing.body(1)}, !floor.pushes(), [&](int n, bool shared) {
      if (floor.pushes()) floor.push(node(forcing.body(n)), n == 0, shared, n == 0 ? r() : T(), forcing.pushed_table(n));
    });
  }
  // As the transpose of what columns in levels do (fused_level_hearing.hpp).
  void push(int term) final {
    level_hearing_.forget();
    sweeps_.push_off(answers_.forced(term));
    r_formed_ = false;
  }
  void listen(const LevelTranspose::Ears& ears) final { level_hearing_.listen(ears); }

  Asked asked_;
  Backend backend_;
  Spaces spaces_;
  NodeView view_;
  std::int64_t level_;  // nodes of one
  Both sweeps_;
  const Places<Patches>& places_;
  BackendView<Backend, Values> answers_;
  LevelHearing<Backend> level_hearing_{level_, backend_};
  bool r_formed_ = false;

 private:
  bool watches(Question question) const { return question == Question::samples || (question == Question::surface ? asked_.surface : asked_.powers); }
};

}  // namespace agwave::leapfrog4
