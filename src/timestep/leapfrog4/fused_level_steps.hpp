// SPDX-License-Identifier: Apache-2.0
// A step of the fused leapfrog whose columns step in levels (fused_levels.hpp): its sweeps in the order of local_steps/schedule.hpp, what goes beside them, and
// the exchanges between them. Steps begin, then end, together, and are exchanged together: T of the nodes whose steps end next, r of those whose steps have ended.
#pragma once
#include <algorithm>
#include <exception>
#include <memory>
#include <span>
#include <vector>

#include "device/backend.hpp"
#include "timestep/leapfrog4/fused_level_exchange.hpp"
#include "timestep/leapfrog4/fused_levels.hpp"
#include "timestep/stepper.hpp"
#include "timestep/two_sweep/exchange.hpp"

namespace agwave::leapfrog4 {

template <class Backend, class Sweeps>
class LevelSteps {
 public:
  using Patches = typename Sweeps::Patches;
  using real = typename Patches::real;
  using Args = SweepArgs<Patches>;
  using Perimeters = two_sweep::PerimeterExchange<Backend, Patches, 1>;
  using Levels = FusedLevels<Backend, Patches>;
  using LevelSweep = local_steps::LevelSweep;

  // What a step works on, and what it is told. arguments(form, in, out, forces): SweepArgs of all patches. forces(lane, n, w): mixed of two rates by a lane of
  // work, which has place n of two for that, the second with the weight w (LevelSweep::mixed). beginning(s, args): of a sweep in which steps begin, before
  // it or after it, but before what begins with it moves: P, and what is carried of longer steps, may.
  template <class Arguments, class MixForces, class Beginning, class Forces_>
  struct Step {
    using Forces = Forces_;
    real *psi, *P, *r, *T;
    double dt;
    Arguments arguments;
    MixForces forces;
    Beginning beginning;
  };

  // `whole`: the exchange of all columns, of `sums`. All but setup stay longer than this. Collective.
  LevelSteps(const StepperSetup& setup, const Places<Patches>& places, Levels& levels, Sweeps& sweeps, Perimeters& whole, real* sums,
             Backend& backend)
      : levels_(levels),
        sweeps_(sweeps),
        whole_(whole),
        backend_(backend),
        exchanges_(std::make_unique<LevelExchanges<Backend, Patches>>(levels.on_host(places), setup.mesh.part, levels.there(), sums, setup.comm,
                                                                      setup.transport, whole)),
        multiprocessors_(setup.transport.multiprocessors),
        overlap_(setup.transport.overlap),
        can_wait_inside_(Sweeps::waits_inside && setup.transport.overlap && !setup.transport.shared && setup.transport.path == Path::peer),
        ends_(levels.there().size()) {
    for (int h = 1; h <= levels.finest(); ++h)
      ends_[static_cast<std::size_t>(h)].lane = std::unique_ptr<Backend>(new Backend(Backend::patient(2 + levels.finest() - h)));
  }
  ~LevelSteps() {  // neighbours wait for what is under way
    if (std::uncaught_exceptions() > 0) static_cast<void>(exchanges_.release());
  }
  LevelSteps(const LevelSteps&) = delete;
  LevelSteps& operator=(const LevelSteps&) = delete;

  void settle(int at_once) {
    exchanges_->each([at_once](Perimeters& exchange) { exchange.settle(at_once); });
  }

  template <class Step>
  void advance(const Step& step) {
    const std::vector<LevelSweep>& all = levels_.sweeps();
    levels_.begin(step.psi, step.P);
    Perimeters* arriving = &whole_;
    for (auto begin = all.begin(); begin != all.end();) {
      const auto ends = begin + 1, next = std::find_if(ends, all.end(), [](const LevelSweep&s) { return s.kind == LevelSweep::Kind::begin; });
      Perimeters& exchange = exchanges_->from(ends->to);
      pass_together(step, {begin, ends}, *arriving, exchange);
      pass_together(step, {ends, next}, exchange, exchange);
      arriving = &exchange;
      begin = next;
    }
    await_means();
    levels_.end(step.P);
    waits_inside_ = can_wait_inside_;
  }

 private:
  using Share = typename Levels::Share;
  using Sweeping = std::span<const LevelSweep>;

  static bool begins(const LevelSweep& s) { return s.kind == LevelSweep::Kind::begin; }
  bool ends_apart(const LevelSweep& s) const { return !begins(s) && sweeps_.ends_apart(s.from, s.to, s.base); }
  static Form form_of(const LevelSweep& s) { return begins(s) ? Form::q : s.to > 0 ? Form::part : Form::next; }
  template <class Step>
  Args arguments(const Step& step, const LevelSweep& s, Share share, const auto& forces) const {
    Args g = step.arguments(form_of(s), begins(s) ? step.r : step.T, begins(s) ? step.T : step.r, forces);
    levels_.set(s, share, step.dt, g);
    return g;
  }

  // What is under way comes in beside patches that do not need it; what all make goes out. Where a device can wait amid a sweep, those that need it come last
  // in the first one; else all that do are sweeps of their own, if the others are work enough.
  template <class Step>
  void pass_together(const Step& step, Sweeping sweeps, Perimeters& in, Perimeters& out) {
    if (waits_inside_ && in.under_way()) {
      pass_first_waiting(step, sweeps.front(), in);
      if (out.needed()) out.begin(backend_);
      for (const LevelSweep& s : sweeps.subspan(1)) pass(step, s, Share::all, {});
    } else {
      int early = 0;
      for (const LevelSweep& s : sweeps) early += levels_.early_items(s);
      const bool apart = in.under_way() && sweeps_.fills(early);
      if (apart) pass_all(step, sweeps, Share::early, {multiprocessors_, true, [&in] { in.progress(); }, {}});
      in.finish(backend_);
      if (out.needed()) out.begin(backend_);
      pass_all(step, sweeps, apart ? Share::late : Share::all, {});
    }
    if (!out.needed()) return;
    out.start(backend_, begins(sweeps.front()) ? step.T : step.r, nullptr, false);
    if (!overlap_) out.finish(backend_);
  }
  template <class Step>
  void pass_all(const Step& step, Sweeping sweeps, Share share, const two_sweep::Beside& beside) {
    for (const LevelSweep& s : sweeps) pass(step, s, share, beside);
  }
  template <class Step>
  void pass(const Step& step, const LevelSweep& s, Share share, const two_sweep::Beside& beside) {
    const Args g = arguments(step, s, share, step.forces(backend_, 0, s.mixed));
    if (ends_apart(s)) backend_.follow(ends_of(s).gone);
    if (share != Share::late) await_aside(s);
    if (begins(s)) await_means();
    levels_.before(backend_, s, share, g);
    if (begins(s) && share != Share::early) step.beginning(s, g);
    const BesideSweep what = share == Share::late ? BesideSweep{} : begin_beside(s);
    sweeps_.run(backend_, form_of(s), g, beside);
    go_beside(step, what);
    if (share != Share::early) follow_up(s, g);
  }
  // What late items need besides ghosts is found where these are unpacked, before the gate opens.
  template <class Step>
  void pass_first_waiting(const Step& step, const LevelSweep& s, Perimeters& in) {
    const Args g = arguments(step, s, Share::all, step.forces(backend_, 0, s.mixed));
    if (ends_apart(s)) backend_.follow(ends_of(s).gone);
    await_aside(s);
    if (begins(s)) await_means();
    levels_.before(backend_, s, Share::early, g);
    in.follow(backend_);
    const BesideSweep what = begin_beside(s);
    sweeps_.run(backend_, form_of(s), g, {multiprocessors_, true, {}, in.gate()});
    go_beside(step, what);
    in.finish_and_open([&](Backend& lane) { levels_.before(lane, s, Share::late, g); });
    if (!levels_.has_late_items(s)) in.rejoin(backend_);  // items at the gate have waited for it
    if (begins(s)) step.beginning(s, g);
    follow_up(s, g);
  }
  void follow_up(const LevelSweep& s, const Args& g) {
    if (!begins(s)) return sweeps_.end(backend_, form_of(s), g, levels_.borrowed(s));
    if (!end_finest_alone(s)) return levels_.after(backend_, s, g);
    means_.follow(backend_);
    levels_.after(means_, s, g);
    forming_ = true;
  }
  // Of a sweep of the schedule in which steps begin: the finest alone end next. They need no means: what they share with coarser patches they neither move,
  // for their tables are zero there, nor send.
  bool end_finest_alone(const LevelSweep& s) const { return (&s + 1)->from == levels_.finest(); }
  void await_means() {
    if (forming_) backend_.follow(means_);
    forming_ = false;
  }

  // What goes beside a sweep by what was given before it, but after it, so that its blocks come first.
  struct BesideSweep {
    const LevelSweep* ends = nullptr;  // steps that begin with it, and end together with longer ones
    const local_steps::Asides::Portion* portion = nullptr;
  };
  BesideSweep begin_beside(const LevelSweep& s) {
    const BesideSweep what{begins(s) ? longest_that_ends_with_longer(s) : nullptr, next_portion(s)};
    if (what.ends) ends_of(*what.ends).lane->follow(backend_);
    if (what.portion) aside_.follow(backend_);
    return what;
  }
  template <class Step>
  void go_beside(const Step& step, const BesideSweep& what) {
    if (what.ends) end_several(step, *what.ends);
    if (what.portion) pass_aside(step, *what.portion, what.portion->ends ? end_of_aside() : *begins_aside_);
  }

  // Of the steps that begin with a sweep the longest ones, if they end together with longer ones: what they move by without their own sums is known as soon
  // as they have begun, and until they end nothing reads what it goes to.
  const LevelSweep* longest_that_ends_with_longer(const LevelSweep& begin) const {
    const std::vector<LevelSweep>& all = levels_.sweeps();
    const auto s = std::find_if(all.begin(), all.end(), [&](const LevelSweep& end) { return !begins(end) && end.at == begin.at && ends_apart(end); });
    return s == all.end() ? nullptr : &*s;
  }
  template <class Step>
  void end_several(const Step& step, const LevelSweep& s) {
    Backend& lane = *ends_of(s).lane;
    Args g = arguments(step, s, Share::all, typename Step::Forces{});
    sweeps_.end_steps(lane, g);
    if (s.from == levels_.asides().halvings) {
      levels_.set_aside({true, 0, levels_.asides().patches}, s, step.dt, g);
      sweeps_.end_steps(lane, g);
    }
    lane.mark(ends_of(s).gone);
  }

  // Portions of patches aside go with sweeps between the one that begins their step and the one that ends it, which waits for them.
  const local_steps::Asides::Portion* next_portion(const LevelSweep& s) {
    const local_steps::Asides& asides = levels_.asides();
    if (asides.halvings < 0) return nullptr;
    if (begins(s) && s.from <= asides.halvings) {
      portions_ = 0;
      begins_aside_ = &s;
    } else if (s.from > asides.halvings && portions_ < asides.portions.size()) {
      const local_steps::Asides::Portion& portion = asides.portions[portions_++];
      if (portion.first < portion.last) return &portion;
    }
    return nullptr;
  }
  template <class Step>
  void pass_aside(const Step& step, const local_steps::Asides::Portion& portion, const LevelSweep& s) {
    if (ends_apart(s)) aside_.follow(ends_of(s).gone);
    Args g = arguments(step, s, Share::all, step.forces(aside_, 1, s.mixed));
    levels_.set_aside(portion, s, step.dt, g);
    sweeps_.run_aside(aside_, form_of(s), g);
  }
  const LevelSweep& end_of_aside() const {
    const std::vector<LevelSweep>& all = levels_.sweeps();
    return *std::find_if(all.begin(), all.end(),
                         [&](const LevelSweep& s) { return !begins(s) && s.from == levels_.asides().halvings && s.at == begins_aside_->at; });
  }
  // end_steps, beside sweeps: their many small blocks let those of a sweep go first, and of patches aside, for which there is room beside it, and those of
  // coarser patches, which have longer until they end, those of finer ones.
  struct Ends {
    std::unique_ptr<Backend> lane;
    typename Backend::Instant gone{};
  };
  Ends& ends_of(const LevelSweep& s) { return ends_[static_cast<std::size_t>(s.from)]; }
  void await_aside(const LevelSweep& s) {
    if (!begins(s) && s.from == levels_.asides().halvings) backend_.follow(aside_);
  }

  Levels& levels_;
  Sweeps& sweeps_;
  Perimeters& whole_;
  Backend& backend_;
  std::unique_ptr<LevelExchanges<Backend, Patches>> exchanges_;
  int multiprocessors_;                       // left to the exchange, of a GPU's
  bool overlap_;                              // work goes on while messages travel
  bool can_wait_inside_;                      // a sweep at a gate, for them
  bool waits_inside_ = false;                 // once all kernels are loaded, which would wait for a device that waits for them
  std::vector<Ends> ends_;                    // [halvings]
  Backend means_;                             // of finer patches' T, beside the sweep that ends the finest steps: the next one waits for them
  Backend aside_ = Backend::patient(1);       // patches aside
  bool forming_ = false;                      // means, for which nobody has waited yet
  std::size_t portions_ = 0;                  // that have gone aside since their step has begun,
  const LevelSweep* begins_aside_ = nullptr;  // with this one
};

}  // namespace agwave::leapfrog4
