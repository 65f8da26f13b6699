#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# The tests, in three tiers:
#   scripts/test.sh           what a change has to pass: builds with CUDA where nvcc exists, with sanitizers, and without the optional libraries;
#                             every test. Up to 45 minutes on two cores, from nothing
#   scripts/test.sh --quick   the first of these builds and the tests without the label slow: under ten minutes where little has to be built
#   scripts/test.sh --long [CAMPAIGN ...] [--minutes N]
#                             campaigns, all of them unless some are named; logs and a summary in results/long-DATE. N minutes each [60]:
#                               soak      memory and open files of a run that goes on
#                               kills     runs killed at random moments and continued
#                               fuzz      the readers under libFuzzer; needs Clang
#                             as long as they take, hours:
#                               energy    100 000 steps, with local ones and in matched strips too, a million of the leapfrog; spectra of local steps
#                               sensors   100 000 of them, stopped and continued; needs 5 GB of disk
#                               thread    the thread sanitizer; needs Clang
#                               address   address and undefined-behaviour sanitizers, every test
#   scripts/test.sh --help    this text
# A test that is skipped has failed, unless it needs a GPU (label gpu) and there is none. Exit code 0: all passed; 1: not so; 2: wrong options.
set -euo pipefail
source "$(dirname "$0")/environment.sh"

campaigns=(soak kills fuzz energy sensors thread address)
wrong() { echo "test.sh: $1; allowed are --quick, --long with any of ${campaigns[*]} and --minutes N, and --help" >&2; exit 2; }
tier=full minutes='' chosen=()
while [ $# -gt 0 ]; do
  case $1 in
    --help | -h) sed -n '3,19s/^# \{0,1\}//p' scripts/test.sh; exit ;;
    --quick | --long)
      [ "$tier" = full ] || wrong "$1 after --$tier"
      tier=${1#--}
      ;;
    --minutes)
      [[ "${2:-}" =~ ^[1-9][0-9]*$ ]] || wrong "--minutes '${2:-}' is no whole number above 0"
      minutes=$2
      shift
      ;;
    *)
      [[ " ${campaigns[*]} " = *" $1 "* ]] || wrong "unknown option $1"
      chosen+=("$1")
      ;;
  esac
  shift
done
if [ "$tier" != long ] && [ -n "$minutes${chosen[*]}" ]; then wrong "${chosen[*]:---minutes} without --long"; fi

preset=cpu
if [ "$tier" != long ] && command -v nvcc >/dev/null; then preset=cuda; fi  # campaigns are about CPUs
cores=$(nproc)
failed=()
step() { printf '\n== %s (%d s)\n' "$*" "$SECONDS"; }
fail() { failed+=("$1"); echo "FAILED: $1"; }
configure() {  # PRESET [OPTION ...]
  step "build: $*"
  cmake --preset "$@" | tail -n 4
}
run_tests() {  # PRESET [OPTION OF CTEST ...]
  local log=build/$1/$tier.log of_gpus name
  step "tests: $*"
  ctest --preset "$@" -j "$cores" | tee "$log" || fail "tests of build/$1"
  of_gpus=$(ctest --preset "$1" -N -L '^gpu$' | sed -n 's/^ *Test *#[0-9]*: //p')
  for name in $(sed -n 's/.* Test *#[0-9]*: \([^ ]*\) .*\*\*\*Skipped.*/\1/p' "$log" | grep -vxF "$of_gpus" || true); do
    fail "$name was skipped; ctest --preset $1 -V -R '^$name\$' says why"
  done
}
finish() {
  if [ ${#failed[@]} = 0 ]; then step "$tier: passed"; exit 0; fi
  step "$tier: FAILED"
  printf '  %s\n' "${failed[@]}"
  exit 1
}

run_campaign() {  # NAME
  case $1 in
    soak) python3 scripts/soak.py "build/$preset/agwave" --minutes "$minutes" ;;
    kills)
      python3 scripts/kill_campaign.py "build/$preset/agwave" --kills 0 --within $((60 * minutes)) --seconds $((minutes < 10 ? 2 * minutes : 20)) \
        --ranks 4 --lanes $(((cores + 3) / 4)) --seed "$RANDOM"
      ;;
    fuzz)
      local readers=(tests/fuzz/fuzz_*.cpp)
      ./scripts/fuzz.sh $((60 * minutes / ${#readers[@]}))
      ;;
    energy) for name in long_energy local_steps_energy local_steps_spectrum matched; do AGWAVE_LONG=1 "build/$preset/tests/test_cases_$name" || return 1; done ;;
    sensors) python3 scripts/many_sensors.py "build/$preset/agwave" --sensors 100000 --samples 1000 --folder "$folder" ;;
    thread | address) ./scripts/sanitize.sh "$1" ;;
  esac
}

if [ "$tier" = long ]; then
  minutes=${minutes:-60}
  if [ ${#chosen[@]} = 0 ]; then chosen=("${campaigns[@]}"); fi
  folder=results/long-$(date -u +%Y-%m-%dT%H%M%SZ)
  mkdir -p "$folder"
  step dependencies
  ./scripts/install_deps.sh --long
  configure "$preset"
  cmake --build --preset "$preset" -j "$cores" --target agwave test_cases_long_energy test_cases_local_steps_energy test_cases_local_steps_spectrum test_cases_matched
  row() { printf '%-9s %-7s %8s  %s\n' "$@" | tee -a "$folder/summary.txt"; }
  row campaign outcome seconds 'last line of its log' >/dev/null
  for name in "${chosen[@]}"; do
    step "$name, log in $folder/$name.log"
    start=$SECONDS outcome=passed
    {
      echo "# device:  $(lscpu | sed -n 's/^Model name: *//p'), $cores cores"
      echo "# date:    $(date -u +%Y-%m-%dT%H:%M:%SZ)"
      echo "# commit:  $(git describe --always --dirty --exclude='*' 2>/dev/null || echo unknown)"
      echo "# command: scripts/test.sh --long $name --minutes $minutes"
    } >"$folder/$name.log"
    (run_campaign "$name") >>"$folder/$name.log" 2>&1 || outcome=FAILED
    [ $outcome = passed ] || failed+=("$name, see $folder/$name.log")
    row "$name" $outcome $((SECONDS - start)) "$(tail -n 1 "$folder/$name.log")"
  done
  step "$folder/summary.txt"
  cat "$folder/summary.txt"
  finish
fi

step dependencies
./scripts/install_deps.sh --tests
source scripts/environment.sh  # finds ccache, if it is new

step "scripts parse"
shopt -s nullglob
for script in scripts/*.sh scripts/slurm/*.sh scripts/slurm/*.sbatch tests/cases/*.sh .ci/run; do bash -n "$script" || fail "$script"; done
python3 -m compileall -q -f scripts tests || fail "a Python file does not compile"
for script in scripts/*.py scripts/slurm/*.py; do python3 "$script" --help >/dev/null || fail "$script --help"; done

# Less time for the same programs: GCC collects its garbage later, and nvcc compiles for one architecture where there is no GPU to run on.
if c++ --version | grep -q 'Free Software Foundation'; then export CXXFLAGS="${CXXFLAGS:-} --param=ggc-min-heapsize=1000000"; fi
if ! nvidia-smi >/dev/null 2>&1; then export CUDAARCHS=${CUDAARCHS:-90}; fi
configure "$preset"
cmake --build --preset "$preset" -j "$cores"

if [ "$tier" = full ]; then
  configure asan -DCMAKE_CXX_FLAGS="-O1 -g0 ${CXXFLAGS:-}"  # compiles quicker than the preset alone, whose reports name lines too
  cmake --build --preset asan -j "$cores" --target tests_unit
  run_tests asan -L unit

  configure cpu -B build/minimal -DAGWAVE_NETCDF=OFF -DAGWAVE_PROJ=OFF -DAGWAVE_BLAS=OFF -DAGWAVE_TESTS=OFF  # ccache has most of its objects already
  cmake --build build/minimal -j "$cores" --target agwave
  python3 tests/cases/test_bad_input.py "$PWD/build/minimal/agwave" "$PWD" python3 || fail "test_bad_input.py without CUDA, netCDF and PROJ"
fi

if [ ${#failed[@]} -gt 0 ]; then echo "something above has FAILED already; the exit code will be 1 whatever comes now"; fi
if [ "$tier" = quick ]; then run_tests "$preset" -LE '^slow$'; else run_tests "$preset"; fi
finish
