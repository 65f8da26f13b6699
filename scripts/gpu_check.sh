#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# The checks that need a GPU: tests, all four compute-sanitizer tools on every CUDA variant, then the benchmark, because
# nothing is timed before it has been checked. Needs neither network nor netCDF, PROJ, GoogleTest. Where there are several
# GPUs, tests and sanitizers that need one go side by side, each with its share of the cores. Up to four ranks share one,
# under CUDA MPS where nvidia-cuda-mps-control is there and starts.
#   scripts/gpu_check.sh [--bin DIR] [--log FILE] [--elements NXxNYxNZ] [--parts tests,sanitizers,profile,benchmark] [--at-once N]
# --bin DIR   use this build, or a copy of it (DIR/agwave, DIR/tests; DIR/lib is searched for shared libraries),
#             instead of building here
# --at-once N so many tests and sanitizers go side by side on each GPU (1)
set -uo pipefail
command="$0 $*"
for option in "$@"; do if [ "$option" = --help ] || [ "$option" = -h ]; then sed -n '3,10s/^# //p' "$0"; exit 0; fi; done
bin="" log="" elements="" parts=tests,sanitizers,profile,benchmark at_once=1
while [ $# -gt 1 ]; do
  case "$1" in
    --bin) bin=$(realpath "$2") ;;
    --log) log=$(realpath -m "$2") ;;
    --elements) elements=$2 ;;
    --parts) parts=$2 ;;
    --at-once) at_once=$2 ;;
    *) echo "gpu_check.sh: unknown option $1 (see --help)" >&2; exit 2 ;;
  esac
  shift 2
done
case "$at_once" in [1-9] | [1-9][0-9]) ;; *) echo "gpu_check.sh: --at-once $at_once: give a number from 1 to 99" >&2; exit 2 ;; esac
if [ $# -gt 0 ]; then echo "gpu_check.sh: option $1 is unknown or lacks its value (see --help)" >&2; exit 2; fi
source "$(dirname "$0")/environment.sh"

log=${log:-$PWD/results/gpu_check-$(date -u +%Y%m%d-%H%M%S).log}
mkdir -p "$(dirname "$log")"
exec > >(tee "$log") 2>&1
echo "# device:  $(nvidia-smi --query-gpu=name,driver_version,memory.total,clocks.max.sm,power.limit --format=csv,noheader 2>/dev/null | paste -sd ';' || true)"
echo "# date:    $(date -u +%Y-%m-%dT%H:%M:%SZ)"
echo "# commit:  $(git describe --always --dirty --exclude='*' 2>/dev/null || echo "${AGWAVE_COMMIT:-unknown}")"
echo "# command: $command"
gpus=$(nvidia-smi -L 2>/dev/null | grep -c '^GPU')
if [ "$gpus" = 0 ]; then echo "gpu_check.sh: no NVIDIA GPU here (nvidia-smi -L lists none)"; exit 6; fi

passed=0 failed=() skipped=()
work=$(mktemp -d)
source scripts/mps.sh
trap 'stop_mps; rm -rf "$work"' EXIT
report() {  # report NAME CODE SECONDS OUTPUT: 0 passed, 77 skipped, anything else failed; prints the output of failures
  case $2 in
    0) passed=$((passed + 1)); echo "PASS $1 ($3 s)" ;;
    77) skipped+=("$1"); echo "SKIP $1" ;;
    *) failed+=("$1"); echo "FAIL $1 (exit code $2)"; tail -n 60 "$4" | sed 's/^/    /' ;;
  esac
}
check() {  # check NAME COMMAND...: alone on all GPUs
  local name=$1 start code=0
  shift
  finish
  start=$SECONDS
  "$@" >"$work/output" 2>&1 || code=$?
  report "$name" $code $((SECONDS - start)) "$work/output"
}
slots=$((gpus * at_once))
names=() pids=() starts=()  # of what runs in each slot, which is one of GPU (slot % gpus)
reap() {  # reap SLOT: waits for what runs there, if anything does
  local code=0
  [ -n "${pids[$1]:-}" ] || return 0
  wait "${pids[$1]}" || code=$?
  report "${names[$1]}" $code $((SECONDS - starts[$1])) "$work/output.$1"
  pids[$1]=
}
finish() { for ((g = 0; g < slots; ++g)); do reap $g; done; }
beside() {  # beside NAME COMMAND...: on one GPU, beside others
  local name=$1 g free=
  shift
  while [ -z "$free" ]; do
    for ((g = 0; g < slots; ++g)); do
      if [ -z "${pids[$g]:-}" ] || ! kill -0 "${pids[$g]}" 2>/dev/null; then reap $g; free=$g; break; fi
    done
    [ -n "$free" ] || sleep 0.2
  done
  names[$free]=$name starts[$free]=$SECONDS
  CUDA_VISIBLE_DEVICES=$((free % gpus)) "$@" >"$work/output.$free" 2>&1 </dev/null &
  pids[$free]=$!
}

cores=$(nproc)
share=(env OMP_NUM_THREADS=$((cores > slots ? cores / slots : 1)))  # for what is one rank; several share the cores

if [ -n "$bin" ]; then
  export LD_LIBRARY_PATH="$bin/lib${LD_LIBRARY_PATH:+:$LD_LIBRARY_PATH}"
else
  generator=()
  command -v ninja >/dev/null || generator=(-G "Unix Makefiles")
  lean=(-DAGWAVE_NETCDF=OFF -DAGWAVE_PROJ=OFF)
  cmake --preset cuda "${generator[@]}" >/dev/null 2>&1 || cmake --preset cuda "${generator[@]}" "${lean[@]}" >/dev/null 2>&1 ||
    cmake --preset cuda "${generator[@]}" "${lean[@]}" -DAGWAVE_TESTS=OFF || exit 1
  cmake --build --preset cuda -j "$(nproc)" || exit 1
  bin=$PWD/build/cuda
fi
agwave=$bin/agwave
"$agwave" info || exit 6

wanted() { case ",$parts," in *,"$1",*) return 0 ;; esac; return 1; }
if wanted tests; then
echo "== tests"
if [ -f "$bin/tests/manifest.txt" ]; then
  while read -r name ranks program labels; do
    case ",$labels," in *,gpu,* | *,kernels,* | *,cases,*) ;; *) continue ;; esac
    if [ ! -x "$bin/tests/$program" ]; then skipped+=("$name: $program is not in $bin/tests"); continue; fi
    how=beside
    if [ "$ranks" -gt 1 ]; then launch=(env OMP_NUM_THREADS=$((cores > ranks ? cores / ranks : 1)) mpirun -n "$ranks") how=check; else launch=("${share[@]}"); fi
    if [ "$ranks" -gt 1 ] && ! command -v mpirun >/dev/null; then skipped+=("$name: no mpirun"); continue; fi
    # CI runs what needs no GPU; the physics runs here with the variant that `auto` picks on the device.
    case "$name" in
      cases.ranks.* | cases.floor_ranks.* | cases.local_steps_ranks.* | cases.stable_step | cases.simulation.* | kernels.variants | kernels.*_cpu) ;;
      *)
        if [ "$ranks" -gt $((4 * gpus)) ]; then skipped+=("$name: more than four ranks for each GPU mostly wait for it"); continue; fi
        # Others stay without MPS, which compute-sanitizer does not know.
        # With the 32 queues a rank that agwave asks for, MPS refuses a fourth one.
        if [ "$ranks" -gt "$gpus" ] && command -v nvidia-cuda-mps-control >/dev/null && start_mps; then
          launch=(env "${mps_env[@]}" CUDA_DEVICE_MAX_CONNECTIONS=8 "${launch[@]}")
        fi
        mkdir -p "$work/$name"
        AGWAVE_TEST_DEVICE=cuda $how "$name" env -C "$work/$name" "${launch[@]}" "$bin/tests/$program" </dev/null
        ;;
    esac
  done < <(sort -s -n -k 2,2 "$bin/tests/manifest.txt")  # those of one rank first, side by side
else
  skipped+=("test programs: built without GoogleTest")
fi
for script in tests/cases/*.sh; do
  [ -e "$script" ] || continue
  # On several GPUs below; what it does on CPUs limits their address space, of which the driver of a GPU takes more.
  if [ "$(basename "$script")" = rank_failure.sh ]; then
    if [ "$gpus" -lt 2 ]; then skipped+=("rank_failure.sh: one GPU"); fi
    continue
  fi
  mkdir -p "$work/$(basename "$script")"
  beside "$(basename "$script")" env -C "$work/$(basename "$script")" bash "$PWD/$script" "$agwave" "$PWD" "$(command -v python3)"
done
for script in test_single_precision.py test_p2o.py; do  # skipped without h5py
  beside "$script" env AGWAVE_TEST_DEVICE=cuda python3 "tests/cases/$script" "$agwave" "$PWD" "$(command -v python3)"
done

fi

if wanted sanitizers; then
echo "== compute-sanitizer"
cat >"$work/tiny.yaml" <<'YAML'
title: gpu_check
domain: {size: [40000.0, 30000.0], bathymetry: {type: gaussian, depth: 4000.0, height: 1000.0, center: [20000, 15000], radius: [6000, 8000]}}
mesh: {elements: [4, 3, 2], order: 4}
sources: [{shape: {type: gaussian, center: [20000, 15000], radius: [6000, 8000]}, amplitude: 1.0, ramp: {type: linear, start: 0.0, duration: 2.0}}]  # filtered
time: {end: 4.0}
sensors: {interval: 1.0, seafloor: [{name: A, x: 20000, y: 15000}], surface: [{name: T, x: 10000, y: 15000}]}
output: {directory: tiny, surface_interval: 2.0}
YAML
if command -v compute-sanitizer >/dev/null; then
  for tool in memcheck racecheck initcheck synccheck; do
    sanitize=("${share[@]}" compute-sanitizer --tool "$tool" --error-exitcode 99)
    for order in 1 4; do
      for quadrature in 4 5; do  # every variant that offers it; the mesh is sheared
        beside "$tool: bench, order $order, quadrature $quadrature" "${sanitize[@]}" "$agwave" bench --device cuda --order "$order" \
          --quadrature "$quadrature" --elements 5x3x2 --steps 2 --warmup 1 --energy-seconds 0
      done
    done
    for precision in double single; do
      beside "$tool: run, $precision" "${sanitize[@]}" "$agwave" run "$work/tiny.yaml" --device cuda --set solver.precision=$precision \
        --output "$work/$tool-$precision" --quiet
    done
  done
else
  skipped+=("compute-sanitizer: not installed")
fi

fi

finish
if [ "$gpus" -gt 1 ] && command -v mpirun >/dev/null; then
  ranks=$((gpus > 8 ? 8 : gpus))
  check "run on $ranks GPUs" mpirun -n "$ranks" "$agwave" run "$work/tiny.yaml" --device cuda --output "$work/several" --quiet
  if wanted sanitizers && command -v compute-sanitizer >/dev/null; then  # rows of patches that wait inside a sweep
    check "memcheck: bench on $ranks GPUs" mpirun -n "$ranks" compute-sanitizer --tool memcheck --error-exitcode 99 "$agwave" bench --device cuda \
      --variant two-sweep --elements "16x$((40 * ranks))x4" --grid "1x${ranks}x1" --steps 2 --warmup 1 --energy-seconds 0
  fi
  mkdir -p "$work/failure"
  check "rank_failure.sh on $ranks GPUs" env -C "$work/failure" bash "$PWD/tests/cases/rank_failure.sh" "$agwave" "$PWD" "$(command -v python3)" "$ranks"
fi

if wanted profile; then
echo "== shared-memory bank conflicts and limiters (Nsight Compute), per kernel of one application"
if command -v ncu >/dev/null; then
  metrics=gpu__time_duration.sum,dram__bytes.sum,dram__throughput.avg.pct_of_peak_sustained_elapsed,lts__throughput.avg.pct_of_peak_sustained_elapsed
  metrics+=,l1tex__data_pipe_lsu_wavefronts_mem_shared.sum,l1tex__data_bank_conflicts_pipe_lsu_mem_shared_op_ld.sum
  metrics+=,l1tex__data_bank_conflicts_pipe_lsu_mem_shared_op_st.sum,sm__pipe_fp64_cycles_active.avg.pct_of_peak_sustained_active
  metrics+=,sm__warps_active.avg.pct_of_peak_sustained_active,smsp__issue_active.avg.pct_of_peak_sustained_active
  metrics+=,smsp__average_warps_issue_stalled_long_scoreboard_per_issue_active.ratio
  # SourceCounters: what the accesses of one instruction cost, and cost beyond the least ("excessive": conflicts). The counters above also
  # have what waits behind other warps.
  for variant in $("$agwave" info | awk '$2 == "cuda" {print $1}'); do
    echo "-- $variant"
    skip=80  # past the checks and the warm-up; a whole stepper launches less often
    [ "$variant" = two-sweep ] && skip=40
    ncu --clock-control none --kernel-name 'regex:pencil_kernel|dmma|sweep' --launch-skip "$skip" --launch-count 2 --metrics "$metrics" --section SourceCounters --page raw \
      "$agwave" bench --device cuda --variant "$variant" --elements 128x128x32 --steps 10 --warmup 10 --energy-seconds 0 2>&1 |
      grep -E "^ .*(kernel|sweep).*Context|memory_l1_wavefronts_shared|${metrics//,/|}" | sed 's/agwave:://g; s/cuda_kernels:://g; s/  */ /g' | cut -c1-110
  done
else
  skipped+=("bank conflicts: no ncu")
fi

fi

if wanted benchmark; then
echo "== benchmark"
if [ ${#failed[@]} -gt 0 ]; then
  skipped+=("benchmark: nothing is timed while a check fails")
else
  if [ -z "$elements" ]; then  # half a billion unknowns where they fit at 91 bytes each, and room for the rest
    memory=$(nvidia-smi --query-gpu=memory.total --format=csv,noheader,nounits | sort -n | head -n 1)
    elements=64x64x64
    if [ "${memory:-0}" -gt 75000 ] 2>/dev/null; then elements=128x128x128; fi
  fi
  json=${log%.log}.json
  "$agwave" bench --device cuda --variant all --elements "$elements" --json "$json" || failed+=("benchmark")
  "$agwave" bench --device cuda --variant all --quadrature 5 --elements "$elements" --json "${json%.json}_q5.json" || failed+=("benchmark, quadrature 5")
fi
fi

echo
for name in "${skipped[@]}"; do echo "SKIPPED $name"; done
for name in "${failed[@]}"; do echo "FAILED  $name"; done
echo "gpu_check: $passed passed, ${#failed[@]} failed, ${#skipped[@]} skipped; log $log"
[ ${#failed[@]} = 0 ]
