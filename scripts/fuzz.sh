#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Feeds the readers of case files, sensor lists, grids and manifests with mutated input, under address and undefined-behaviour
# sanitizers: scripts/fuzz.sh [SECONDS of each, 60] [TARGET ...]. The corpus grows in build/fuzz/corpus; an input that breaks a
# reader is left in build/fuzz/broken, and the exit code is 1. Needs Clang.
set -euo pipefail
cd "$(dirname "$0")/.."
source scripts/environment.sh
seconds=${1:-60}
shift || true
build=$PWD/build/fuzz
cmake -S . -B "$build" -G Ninja -DCMAKE_C_COMPILER=clang -DCMAKE_CXX_COMPILER=clang++ -DCMAKE_BUILD_TYPE=None -DAGWAVE_CUDA=OFF -DAGWAVE_TESTS=OFF \
  -DAGWAVE_FUZZ=ON >/dev/null
cmake --build "$build" --target fuzzers
targets=("$@")
[ $# -gt 0 ] || for program in tests/fuzz/fuzz_*.cpp; do targets+=("$(basename "$program" .cpp | sed s/fuzz_//)"); done

seed() { mkdir -p "$build/corpus/$1" && cat >"$build/corpus/$1/seed_$2"; }
for case in configs/*.yaml; do seed case "$(basename "$case")" <"$case"; done
printf 'name,x,y,z\nA,1000,2000,-10\n"B, quoted",3e3,4000.5,-999\n' | seed csv metres
printf 'lon;lat;z;name\r\n10.5;40;-3;A\r\n' | seed csv degrees
mkdir -p "$build/corpus/grid"
python3 - "$build/corpus" <<'SEEDS'
import json, pathlib, sys
sys.argv = ["", "", "", "", sys.argv[1]]
sys.path.insert(0, "tests/cases")
from test_bad_input import classic, nodes
corpus = pathlib.Path(sys.argv[4])
classic(corpus / "grid/seed_metres", nodes(-1000, 9000, 5), nodes(-1000, 7000, 4), lambda x, y: -1000 - x / 10)
classic(corpus / "grid/seed_degrees", nodes(9, 11, 5), nodes(39, 41, 4), lambda x, y: -10 * x, axes=("lon", "lat"), axis_units=("degrees_east", "degrees_north"))
(corpus / "manifest").mkdir(exist_ok=True)
manifest = {"format": 1, "agwave_version": "0", "agwave_commit": "0", "elements": [2, 2, 1], "order": 4, "quadrature": 4, "step": 1, "time_s": 0.5,
            "step_s": 0.5, "grid": [1, 1, 1], "variant": "pa", "device": "cpu", "velocity": "physical", "samples": 2, "surface_interval_s": 0.0,
            "last_energy_j": 0.0, "last_check_s": 0.0, "max_pressure_pa": 0.0, "max_surface_height_m": 0.0, "sources": [0.0, 1.0, 0.5, 2.0],
            "sensors": "0", "case_hash": "0", "case": {"title": "a"}, "case_file": "", "checksum": "",
            "ranks": [{"file": "rank_000000.h5", "first_element": [0, 0, 0], "elements": [2, 2, 1], "checksums": {"pressure": "0"}}]}
(corpus / "manifest/seed").write_text(json.dumps(manifest))
SEEDS

failed=0
for target in "${targets[@]}"; do
  mkdir -p "$build/broken"
  echo "== $target: $seconds s"
  "$build/fuzz/fuzz_$target" -max_total_time="$seconds" -max_len=8192 -timeout=10 -rss_limit_mb=4096 -print_final_stats=1 -verbosity=0 \
    -artifact_prefix="$build/broken/${target}_" "$build/corpus/$target" 2>"$build/$target.log" || failed=1
  grep -E "number_of_executed_units|new_units_added|ERROR|SUMMARY|Test unit written" "$build/$target.log" || true
done
exit $failed
