// SPDX-License-Identifier: Apache-2.0
// agwave: command line in, exit code out. One MPI scope, one catch: every failure is an Error that all ranks agree on, or
// one rank's alone, which then takes the others down with it.
#include <mpi.h>

#include <CLI/CLI.hpp>
#include <cerrno>
#include <csignal>
#include <cstdio>
#include <cstring>
#include <functional>
#include <new>
#include <vector>

#include "case/schema.hpp"
#include "comm/threads.hpp"
#include "commands/commands.hpp"
#include "device/subnormals.hpp"
#include "error/error.hpp"
#include "files/text_file.hpp"
#include "files/version.hpp"

namespace {

using namespace agwave;

// An empty word is what a script makes of a variable that is not set, and may not pass for an option left out.
std::string not_empty(const std::string& word) { return word.empty() ? "is empty; give a value, or leave it out" : ""; }

struct CommandLine {
  CLI::App app{"agwave: coupled ocean acoustic and surface gravity waves from a moving seafloor"};
  CommonOptions common;
  BenchOptions bench;
  std::string plot, prepared, sensors;
  std::optional<std::array<std::int64_t, 2>> part;  // of the sensors
  bool json = false, restart = false;
  std::function<void(const Comm&)> command;

  CommandLine() {
    app.require_subcommand(1);
    app.set_version_flag("--version", text("agwave ", version, " (commit ", commit, ", ", build_type, ")\n", compiler,
                                           *cuda_compiler ? text(", CUDA by ", cuda_compiler) : ", no CUDA", has_netcdf ? ", netCDF" : ", no netCDF",
                                           has_proj ? ", PROJ" : ", no PROJ"));
    app.footer(
        "Examples:\n  agwave check configs/quickstart.yaml\n  mpirun -n 2 agwave run configs/quickstart.yaml --output results/quickstart\n  agwave "
        "info");
    add_run();
    add_check();
    add_p2o();
    add_prepare();
    add_bench();
    CLI::App* info = app.add_subcommand("info", "build, libraries, MPI, devices and the variants that can run here");
    info->footer("Examples:\n  agwave info\n  srun -n 1 agwave info      what a compute node has");
    info->callback([this] { command = info_command; });
    add_schema();
  }

  void add_case(CLI::App* sub) {
    sub->add_option("case", common.case_file, "case file (YAML)")->required();
    sub->add_option("--set", common.overrides,
                    "override a key of the case: key.path=value (repeatable); paths count from where you are, those in the file from its folder")
        ->allow_extra_args(false);
  }
  void add_model(CLI::App* sub) {
    add_case(sub);
    sub->add_option("--device", common.device, "auto, cpu or cuda, instead of the case's")->check(CLI::IsMember({"auto", "cpu", "cuda"}));
    sub->add_option("--variant", common.variant, "kernel variant, instead of the case's (agwave info lists them)")->check(not_empty);
    sub->add_option("--output", common.output, "output directory, instead of the case's")->check(not_empty);
  }
  void add_run() {
    CLI::App* sub = app.add_subcommand("run", "run a case");
    add_model(sub);
    sub->add_option("--restart", common.restart,
                    "continue a run, in its directory unless --output says otherwise: its output directory (the newest checkpoint) or a checkpoint")
        ->check(not_empty);
    sub->add_flag("--quiet", common.quiet, "print nothing but errors");
    sub->footer("Example:\n  mpirun -n 4 agwave run configs/quickstart.yaml --set time.end=60 --output results/short");
    sub->callback([this] { command = [this](const Comm& comm) { run_command(common, comm); }; });
  }
  void add_check() {
    CLI::App* sub = app.add_subcommand("check", "validate a case; print mesh, dofs, step, memory, output sizes and estimated time");
    add_model(sub);
    sub->add_option("--plot", plot, "draw bathymetry, uplift, sensors and local steps to this PNG file (needs Python with matplotlib)")
        ->check(not_empty);
    sub->add_flag("--json", json, "print all of it as one JSON object");
    sub->footer(
        "Examples:\n  agwave check configs/quickstart.yaml --plot case.png\n  agwave check configs/quickstart.yaml --json | python3 -m json.tool");
    sub->callback([this] { command = [this](const Comm& comm) { check_command(common, plot, json, comm); }; });
  }
  void add_p2o() {
    CLI::App* sub = app.add_subcommand("p2o", "maps from floor motion to sensors and gauges, one propagation for each of them");
    add_model(sub);
    sub->add_flag("--restart", restart, "go on with the maps in the output directory: those that are done are kept");
    sub->add_option("--sensors", sensors,
                    "FIRST:LAST: make the maps of these alone, counted from 0, sensors before gauges, beside others in the folder")
        ->check([this](const std::string& given) { return read_sensors(given); });
    sub->add_flag("--quiet", common.quiet, "print nothing but errors");
    sub->footer("Examples:\n  mpirun -n 4 agwave p2o case.yaml --output results/maps\n  agwave p2o case.yaml --output results/maps --restart");
    sub->callback([this] { command = [this](const Comm& comm) { p2o_command(common, restart, part, comm); }; });
  }
  std::string read_sensors(const std::string& given) {
    long long first = 0, last = 0;
    char rest = 0;
    if (std::sscanf(given.c_str(), "%lld:%lld%c", &first, &last, &rest) != 2) return "'" + given + "' is not FIRST:LAST, for example 0:10";
    part = {first, last};
    return "";
  }
  void add_prepare() {
    CLI::App* sub = app.add_subcommand("prepare", "take what a case needs of its grids into one file, for machines without netCDF or PROJ");
    add_case(sub);
    sub->add_option("file", prepared, "HDF5 file to write")->required()->check(not_empty);
    sub->add_flag("--quiet", common.quiet, "print nothing but errors");
    sub->footer("Example:\n  agwave prepare configs/aleutian.yaml depth.h5");
    sub->callback([this] { command = [this](const Comm& comm) { prepare_command(common, prepared, comm); }; });
  }
  void add_schema() {
    CLI::App* sub = app.add_subcommand("schema", "every key of the case file: unit, range, default and meaning");
    CLI::Option* markdown = sub->add_flag("--markdown")->description("as Markdown tables, the default");
    sub->add_flag("--json", json, "as JSON Schema, for editors")->excludes(markdown);
    sub->footer("Example:\n  agwave schema --json > case.schema.json");
    sub->callback([this] { command = [this](const Comm& comm) { schema_command(json, comm); }; });
  }
  void add_bench() {
    CLI::App* sub = app.add_subcommand("bench", "time the kernel variants, each checked against the reference first");
    sub->option_defaults()->always_capture_default();
    sub->add_option("--device", bench.device, "auto, cpu or cuda")->check(CLI::IsMember({"auto", "cpu", "cuda"}));
    sub->add_option("--variant", bench.variants, "all, or names separated by commas");
    sub->add_option("--precision", bench.precision, "double or single")->check(CLI::IsMember({"double", "single"}));
    sub->add_option("--order", bench.order, "geometry order, 1 or 4")->check(CLI::IsMember({1, 4}));
    sub->add_flag("--tune", bench.tune,
                  "first measure how dense-gemm splits its work best on these meshes, and keep the table where runs read it: $AGWAVE_TUNING, else "
                  "agwave/tuning.json in $XDG_CACHE_HOME or ~/.cache");
    CLI::Option* elements =
        sub->add_option("--elements", bench.elements, "mesh size, NXxNYxNZ (repeatable)")->default_str("")->allow_extra_args(false);
    sub->add_flag("--sweep", bench.sweep, "sizes from 1e5 to 2e9 dofs (1e7 on a CPU), those that fit")->excludes(elements);
    sub->add_option("--steps", bench.steps, "timed repetitions, of which the median counts; steps run up to ten on end")
        ->check(CLI::Range(1, 1000000));
    sub->add_option("--warmup", bench.warmup, "repetitions before timing")->check(CLI::Range(0, 1000000));
    sub->add_option("--quadrature", bench.quadrature, "quadrature points per direction, 4 or 5")->check(CLI::IsMember({4, 5}));
    sub->add_option("--sensors", bench.sensors, "seafloor sensors sampled at every step")->check(CLI::Range(0, 10000000));
    sub->add_option("--energy-seconds", bench.energy_seconds,
                    "duration of each power measurement [s]; printed of the operator or, where there is none, of steps; 0: none")
        ->check(CLI::Range(0.0, 60.0));
    sub->add_flag("--guard", bench.guard, "also time the check of a run (energy, largest values), which it makes every 200 steps");
    sub->add_flag("--exchange", bench.exchange, "also measure what the exchange between ranks costs (input of scripts/scaling_model.py)");
    sub->add_option("--grid", bench.grid, "ranks along x, y, z, PXxPYxPZ; otherwise the grid with the fewest shared nodes")
        ->check(not_empty)
        ->excludes(
            sub->add_option("--within", bench.within,
                            "every rank does what one in the middle of this larger grid does, PXxPYxPZ; ranks 0 and 1, 2 and 3, ... are each other's "
                            "neighbours. Elements, dofs and rates are those of the whole grid if all of it were as fast")
                ->check(not_empty));
    sub->add_option("--transport", bench.transport, "how ranks exchange: auto, peer, nccl, mpi or staged")
        ->check(CLI::IsMember({"auto", "peer", "nccl", "mpi", "staged"}));
    sub->add_flag("--no-overlap", bench.no_overlap, "two-sweep finishes a sweep before it exchanges, to see what hiding the exchange is worth");
    sub->add_option("--spare", bench.spare, "multiprocessors of a GPU that two-sweep leaves to the exchange beside it")->check(CLI::Range(1, 64));
    sub->add_option("--json", bench.json, "also write the results to this file, anew after each; to a pipe or a device at the end")->check(not_empty);
    sub->footer(
        "Examples:\n  agwave bench --device cuda --elements 64x64x64 --elements 128x128x128 --json bench.json\n"
        "  agwave bench --device cuda --variant pa,fused-pa --order 1 --sweep --json sweep.json\n"
        "  srun -n 8 agwave bench --variant two-sweep --grid 2x2x2 --elements 256x256x128 --json eight.json      the mesh is split over the ranks");
    sub->callback([this] { command = [this](const Comm& comm) { bench_command(bench, comm); }; });
  }
};

// CLI11 would only say that a subcommand is required.
std::string unknown_subcommand(const CLI::App& app, const std::string& word) {
  std::vector<std::string> names;
  std::vector<std::string_view> known;
  for (const CLI::App* sub : app.get_subcommands([](const CLI::App*) { return true; })) names.push_back(sub->get_name());
  for (const std::string& name : names) {
    if (name == word) return "";
    known.push_back(name);
  }
  const std::string_view near = nearest(word, known);
  return text("'", word, "' is no subcommand; known: ", listed(names), near.empty() ? "" : "; did you mean '", near, near.empty() ? "" : "'?",
              "; `agwave --help` explains them");
}

// A failure of one rank: it says who and where, and takes the others down, which may be waiting for it.
int abort_all(const std::string& message, ExitCode code) {
  int rank = 0, size = 1;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  const std::string who = size > 1 ? text("rank ", rank, " on ", host_name(), ": ") : "";
  std::fprintf(stderr, "agwave: %s%s\n", who.c_str(), message.c_str());
  std::fflush(stderr);
  if (size > 1) MPI_Abort(MPI_COMM_WORLD, static_cast<int>(code));
  return static_cast<int>(code);
}

// Where the answer is what was printed, and that could not be written, the command has failed.
int code_of_print() {
  const std::string reason = std::fflush(stdout) == 0 ? "" : text(": ", std::strerror(errno));
  if (reason.empty() && std::ferror(stdout) == 0) return static_cast<int>(ExitCode::done);
  std::fprintf(stderr, "agwave: standard output: not all of it could be written%s\n", reason.c_str());
  return static_cast<int>(ExitCode::output);
}

int parse_and_run(int argc, char** argv, const Comm& comm) {
  CommandLine line;
  if (const std::string unknown = argc > 1 && argv[1][0] != '-' ? unknown_subcommand(line.app, argv[1]) : ""; !unknown.empty()) {
    if (comm.root()) std::fprintf(stderr, "agwave: %s\n", unknown.c_str());
    return static_cast<int>(ExitCode::usage);
  }
  try {
    line.app.parse(argc, argv);
  } catch (const CLI::ParseError& error) {
    // Only rank 0 prints; help and version end well, anything else is a usage error.
    const bool good = error.get_exit_code() == 0;
    if (comm.root()) line.app.exit(error);
    return good ? code_of_print() : static_cast<int>(ExitCode::usage);
  }
  try {
    line.command(comm);
    const bool in_files = line.app.got_subcommand("run") || line.app.got_subcommand("p2o");
    return in_files ? static_cast<int>(ExitCode::done) : code_of_print();
  } catch (const AgreedError& error) {
    if (comm.root()) std::fprintf(stderr, "agwave: %s\n", error.what());
    return static_cast<int>(error.code());
  }
}

}  // namespace

int main(int argc, char** argv) {
  flush_subnormals();
  std::signal(SIGXFSZ, SIG_IGN);     // a limit on file sizes: the write fails, and names its file
  int provided = MPI_THREAD_SINGLE;  // other threads compute and write files, but leave MPI to this one
  MPI_Init_thread(&argc, &argv, MPI_THREAD_FUNNELED, &provided);
  int code = static_cast<int>(ExitCode::device);
  try {
    if (provided < MPI_THREAD_FUNNELED)
      throw Error(ExitCode::device, "this MPI has no thread support (MPI_THREAD_FUNNELED); use an MPI library that was built with it");
    const Comm comm;
    choose_threads(comm);
    code = parse_and_run(argc, argv, comm);
  } catch (const Error& error) {
    code = abort_all(error.what(), error.code());
  } catch (const std::bad_alloc&) {
    code = abort_all("out of host memory; use fewer elements per rank or more ranks", ExitCode::device);
  } catch (const std::exception& error) {
    code = abort_all(text("unexpected failure: ", error.what()), ExitCode::device);
  }
  MPI_Finalize();
  return code;
}
