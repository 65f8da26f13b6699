// SPDX-License-Identifier: Apache-2.0
// The list of variants and the choice among them.
#include "timestep/variants.hpp"

#include <algorithm>
#include <stdexcept>

#include "error/error.hpp"

namespace agwave {

namespace {

template <class Inner>
void add_around(const std::vector<Inner>& inner, std::vector<Variant>& all) {
  for (const Around<Inner>& around : registry<Around<Inner>>())
    for (const Inner& one : inner) {
      if (one.device != around.device) continue;
      Variant v;
      static_cast<Offer&>(v) = one;
      around.complete(one, v);
      all.push_back(std::move(v));
    }
}

std::vector<Variant> all_variants() {
  std::vector<Variant> all = registry<Variant>();
  add_around(operators(), all);
  add_around(stiffnesses(), all);
  std::sort(all.begin(), all.end(),
            [](const Variant& a, const Variant& b) { return std::tie(a.device, a.preference, a.name) < std::tie(b.device, b.preference, b.name); });
  return all;
}

}  // namespace

const std::vector<Variant>& variants() {
  static const std::vector<Variant> all = all_variants();  // when first asked for, after all static initialisers
  return all;
}

const Variant* in_precision(const Variant& variant, bool single) { return single ? variant.in_single.get() : &variant; }

const Variant& reference_of(const Integrator& integrator) {
  for (const Variant& v : variants())
    if (v.integrator == &integrator && v.device == Device::cpu && v.name.ends_with("reference")) return v;
  throw std::logic_error("no variant around `reference` of " + integrator.name);
}

std::string why_unavailable(const Variant& variant, const CudaDevice& device) {
  if (variant.device == Device::cuda) {
    if (!device.present) return device.name;
    if (device.compute_capability < variant.compute_capability)
      return text("needs compute capability ", variant.compute_capability / 10.0, ", ", device.name, " has ", device.compute_capability / 10.0);
  }
  return variant.why_not ? variant.why_not() : "";
}

namespace {

std::string where(const Mark& mark, const char* key) { return mark.file.empty() ? key : to_string(mark); }

// A variant that is not on the wanted device: it may be on the other one.
[[noreturn]] void refuse_variant(const SolverCase& solver, Device wanted, const CudaDevice& device, const std::string& names) {
  const std::string begin = where(solver.variant_mark, "solver.variant") + ": ";
  const bool elsewhere = std::any_of(variants().begin(), variants().end(), [&](const Variant& v) { return v.name == solver.variant; });
  if (elsewhere && wanted == Device::cpu && solver.device == "auto")
    throw Error(ExitCode::device, text(begin, solver.variant, " runs on cuda; ", device.name, "; on the CPU there are: auto, ", names));
  if (elsewhere)
    throw Error(ExitCode::usage, text(begin, solver.variant, " runs on ", wanted == Device::cpu ? "cuda" : "cpu", ", this run is on ",
                                      to_string(wanted), "; known there: auto, ", names));
  const bool hidden = wanted == Device::cpu && device.name.find("AGWAVE_CUDA") != std::string::npos;
  throw Error(ExitCode::usage, text(begin, "unknown variant '", solver.variant, "' on ", to_string(wanted), "; known: auto, ", names,
                                    hidden ? "; " + device.name + ", so those for cuda are not in it" : ""));
}

std::string names_that_run(Device wanted, const CudaDevice& device) {
  std::string names;
  for (const Variant& v : variants())
    if (v.device == wanted && why_unavailable(v, device).empty()) names += (names.empty() ? "" : ", ") + v.name;
  return names;
}
std::string blocks_too_large(const Variant& v, const Counts& elements, int ranks) {
  const Counts unit = v.unit(elements);
  return text(v.name, " gives every rank blocks of ", unit[0], " x ", unit[1], " x ", unit[2], " elements, too few here for ", ranks,
              ranks == 1 ? " rank" : " ranks", " or for the grid asked for");
}

}  // namespace

std::string unmet(const Variant& variant, const Demands& demands) {
  if (demands.single && !variant.single) {
    if (!variant.in_single) return "computes in double precision alone (solver.precision)";
    const std::string what = unmet(*variant.in_single, demands);
    return what.empty() ? "" : "in single precision " + what;
  }
  if (!demands.in_water.empty() && !variant.forces_anywhere)
    return text("takes sources on the seafloor alone, and ", demands.in_water, " is in the water");
  if (demands.sponge && !variant.takes_sponges) return "takes no sponges (boundary.sponge)";
  if (demands.sponge && demands.matched && !variant.takes_matched)
    return "takes sponges whose waves fade (boundary.sponge.type): a matched one needs the potential that leapfrog4 carries";
  if (demands.floor && !variant.takes_floors)
    return "takes a rigid floor alone (boundary.floor): its sweeps have no node that the ground pushes back";
  if (demands.levels && variant.ranks_with_levels < demands.ranks)
    return text("takes one step for all", variant.ranks_with_levels > 0 ? text(" on more than ", variant.ranks_with_levels, " ranks") : "",
                " (time.local_steps)");
  return "";
}

namespace {
// Of several demands one that none of the variants meets, for a message that blames the right key; all, where each is met by some.
Demands hardest(const std::vector<const Variant*>& list, const Demands& demands) {
  Demands one{.in_water = "", .ranks = demands.ranks, .single = demands.single};
  std::vector<Demands> each(4, one);
  each[0].sponge = demands.sponge, each[0].matched = demands.matched;
  each[1].floor = demands.floor;
  each[2].levels = demands.levels;
  each[3].in_water = demands.in_water;
  for (const Demands& d : each)
    if (std::ranges::none_of(list, [&](const Variant* v) { return unmet(*v, d).empty(); })) return d;
  return demands;
}
}  // namespace

bool can_split(const Variant& variant, const Counts& elements, int ranks, const std::optional<std::array<int, 3>>& wanted) {
  if (!variant.unit) return true;  // or choose_grid says why not
  try {
    choose_grid(elements, ranks, wanted, "", variant.unit(elements));
    return true;
  } catch (const Error&) {
    return false;
  }
}

const Variant& choose_variant(const SolverCase& solver, const CudaDevice& device, const Counts& elements, int ranks,
                              const std::optional<std::array<int, 3>>& wanted_grid, std::string& note, const Demands& demands) {
  if (solver.device == "cuda" && !device.present)
    throw Error(ExitCode::device, text(where(solver.device_mark, "solver.device"), ": cuda was asked for, but there is ", device.name,
                                       "; use `device: auto` or `device: cpu`"));
  const bool use_cuda = solver.device == "cuda" || (solver.device == "auto" && device.present);
  if (solver.device == "auto" && !device.present) note = text("device auto: ", device.name, ", running on the CPU");
  const Device wanted = use_cuda ? Device::cuda : Device::cpu;
  const Variant *best = nullptr, *better = nullptr;  // better: what `auto` would take if the ranks could split it
  const Variant* passed_over = nullptr;              // the best of those for what the case demands
  std::vector<const Variant*> all_passed_over;
  std::string names, no_single;         // why what computes in single precision does not run
  bool known = false, offered = false;  // variants of this name; with this quadrature
  for (const Variant& listed : variants()) {
    if (listed.device != wanted) continue;
    const Variant& v = demands.single && listed.in_single ? *listed.in_single : listed;
    names += (names.empty() ? "" : ", ") + v.name;
    if (solver.variant != "auto" && v.name != solver.variant) continue;
    known = true;
    if (solver.scheme != "auto" && v.integrator->name != solver.scheme) {
      if (solver.variant == "auto") continue;
      throw Error(ExitCode::usage, text(where(solver.scheme_mark, "time.scheme"), ": ", solver.scheme, " was asked for, and solver.variant: ", v.name,
                                        " steps ", v.integrator->name, "; remove one of the two keys"));
    }
    const bool fits = v.offers(solver.quadrature);
    const std::string why = why_unavailable(v, device);
    if (solver.variant != "auto") {
      const bool single_runs = !demands.single && v.in_single && why_unavailable(*v.in_single, device).empty();
      if (!why.empty())
        throw Error(ExitCode::device,
                    text(where(solver.variant_mark, "solver.variant"), ": ", v.name, ": ", why,
                         single_runs ? "; with `precision: single` it runs" : "", "; what runs here: auto, ", names_that_run(wanted, device)));
      if (!fits)
        throw Error(ExitCode::usage, text(where(solver.variant_mark, "solver.variant"), ": ", v.name, " does not offer quadrature ",
                                          solver.quadrature, "; use quadrature ", v.quadratures.front(), " or another variant"));
      if (const std::string what = unmet(v, demands); !what.empty())
        throw Error(ExitCode::usage, text(where(solver.variant_mark, "solver.variant"), ": ", v.name, v.single ? " in single precision " : " ", what,
                                          "; give another variant, or `variant: auto`"));
      return v;
    }
    if (v.single && (!fits || !why.empty())) no_single = text(v.name, fits ? ": " + why : text(" does not offer quadrature ", solver.quadrature));
    offered |= fits;
    if (!why.empty() || !fits) continue;
    if (!unmet(v, demands).empty()) {
      all_passed_over.push_back(&v);
      if (!passed_over || v.preference > passed_over->preference) passed_over = &v;
      continue;
    }
    const Variant*& slot = can_split(v, elements, ranks, wanted_grid) ? best : better;
    if (!slot || v.preference > slot->preference) slot = &v;
  }
  if (!known) refuse_variant(solver, wanted, device, names);
  if (!best) {
    const std::string scheme = solver.scheme == "auto" ? "" : text(where(solver.scheme_mark, "time.scheme"), ": ", solver.scheme, ": ");
    const std::string single = demands.single ? text(where(solver.precision_mark, "solver.precision"), ": single: ") : "";
    if (better) throw Error(ExitCode::usage, text(single, scheme, blocks_too_large(*better, elements, ranks), "; use fewer ranks, or more elements"));
    const std::string what = passed_over ? text(passed_over->name, " ", unmet(*passed_over, hardest(all_passed_over, demands))) : "";
    if (passed_over && demands.single)
      throw Error(ExitCode::usage, text(single, scheme, no_single.empty() ? what : no_single, "; use `precision: double`"));
    if (passed_over) throw Error(ExitCode::usage, text(scheme, what, "; use `scheme: auto`"));
    if (offered) throw Error(ExitCode::device, text(scheme, "of the variants on ", to_string(wanted), " none runs here: ", names));
    throw Error(ExitCode::usage, text(scheme, "no variant on ", to_string(wanted), " offers quadrature ", solver.quadrature, "; use `quadrature: 4`",
                                      scheme.empty() ? "" : ", or `scheme: auto`"));
  }
  if (passed_over && passed_over->preference > best->preference)
    note += text(note.empty() ? "" : "; ", "variant auto: ", best->name, ", because ", passed_over->name, " ", unmet(*passed_over, demands));
  if (better && better->preference > best->preference)
    note += text(note.empty() ? "" : "; ", "variant auto: ", best->name, ", because ", blocks_too_large(*better, elements, ranks));
  return *best;
}

}  // namespace agwave
