#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# From a fresh clone to pictures: installs what is missing, builds (for GPUs where there are one and a CUDA compiler), runs
# configs/quickstart.yaml and plots it into results/quickstart.
set -euo pipefail
source "$(dirname "$0")/environment.sh"
case ${1:-} in
  '') ;;
  --help | -h) sed -n '3,4s/^# \{0,1\}//p' scripts/quickstart.sh; exit ;;
  *) echo "quickstart.sh: unknown option $1; it takes none but --help" >&2; exit 2 ;;
esac
now=''
step() { now=$1; printf '\n== %s\n' "$1"; }
explain() {
  local code=$?
  if [ "$code" != 0 ]; then echo "quickstart.sh: stopped at \"$now\", exit code $code; the reason is above, help in docs/getting-started.md" >&2; fi
}
trap explain EXIT

step "what is missing"
./scripts/install_deps.sh

gpus=$(nvidia-smi -L 2>/dev/null | grep -c '^GPU' || true)
preset=cpu
if [ "$gpus" -gt 0 ] && command -v nvcc >/dev/null; then
  preset=cuda
elif [ "$gpus" -gt 0 ]; then
  echo "The GPU stays idle: no CUDA compiler (nvcc) is on the path or in /usr/local/cuda."
  gpus=0
fi
step "build in build/$preset, some minutes the first time"
cmake --preset "$preset" -DAGWAVE_TESTS=OFF | tail -n 4
cmake --build --preset "$preset" --target agwave

# One rank per GPU where there are any, else one per physical core; four at most, the case is small.
cores=$(lscpu -p=CORE,SOCKET 2>/dev/null | grep -v '^#' | sort -u | wc -l || true)
if [ "$cores" -lt 1 ] || [ "$cores" -gt "$(nproc)" ]; then cores=$(nproc); fi
ranks=$((gpus > 0 ? gpus : cores))
ranks=$((ranks > 4 ? 4 : ranks))
launch=(mpirun -n "$ranks")
if [ "$ranks" = 1 ] || ! command -v mpirun >/dev/null; then launch=() ranks=1; fi

out=results/quickstart
mkdir -p results
step "run configs/quickstart.yaml"
start=$SECONDS
find_restart "$out"
"${launch[@]}" "build/$preset/agwave" run configs/quickstart.yaml --output "$out" "${restart[@]}"
seconds=$((SECONDS - start))

step "pictures"
pictures=("$out/traces.png" "$out/max_height.png") drawn=0
if ! { python3 scripts/plot_traces.py "$out" -o "${pictures[0]}" && python3 scripts/plot_surface.py "$out" -o "${pictures[1]}"; } >/dev/null; then
  pictures=("none; the results are complete, scripts/plot_traces.py and plot_surface.py draw them") drawn=1
fi
printf '%s\n' "pictures: ${pictures[0]}" "${pictures[@]:1}" | sed '2,$s/^/          /'
echo "data:     $out/sensors.h5, surface.h5, summary.json"
echo "program:  build/$preset/agwave"
echo "The run took $seconds s on $ranks rank(s). These paths are in $PWD."
echo "Next: docs/tutorial.md, and for the commands in it   export PATH=$PWD/build/$preset:$PWD/.venv/bin:\$PATH"
exit $drawn
