#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# From a fresh clone to pictures: installs what is missing, builds, runs configs/quickstart.yaml and plots it.
set -euo pipefail
source "$(dirname "$0")/environment.sh"
./scripts/install_deps.sh

preset=cpu
if command -v nvcc >/dev/null; then preset=cuda; fi
cmake --preset "$preset" -DAGWAVE_TESTS=OFF | tail -n 4
cmake --build --preset "$preset" --target agwave

# One rank per GPU where there are any, else one per physical core; four at most, the case is small.
cores=$(lscpu -p=CORE,SOCKET 2>/dev/null | grep -v '^#' | sort -u | wc -l || true)
if [ "$cores" -lt 1 ] || [ "$cores" -gt "$(nproc)" ]; then cores=$(nproc); fi
gpus=0
if [ "$preset" = cuda ]; then gpus=$(nvidia-smi -L 2>/dev/null | grep -c '^GPU' || true); fi
ranks=$((gpus > 0 ? gpus : cores))
ranks=$((ranks > 4 ? 4 : ranks))
launch=(mpirun -n "$ranks")
if [ "$ranks" = 1 ] || ! command -v mpirun >/dev/null; then launch=(); fi

out=results/quickstart
mkdir -p results
start=$SECONDS
"${launch[@]}" "build/$preset/agwave" run configs/quickstart.yaml --output "$out"
seconds=$((SECONDS - start))

python=python3
if [ -x .venv/bin/python ]; then python=.venv/bin/python; fi
"$python" scripts/plot_traces.py "$out" -o "$out/traces.png" >/dev/null
"$python" scripts/plot_surface.py "$out" -o "$out/max_height.png" >/dev/null
echo
echo "pictures: $PWD/$out/traces.png"
echo "          $PWD/$out/max_height.png"
echo "data:     $PWD/$out/sensors.h5, surface.h5, summary.json"
echo "the run took $seconds s on $ranks rank(s)"
