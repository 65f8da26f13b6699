#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Feeds the readers of case files, sensor lists, grids, faults and manifests (tests/fuzz/fuzz_*.cpp) with mutated input, under address and
# undefined-behaviour sanitizers: scripts/fuzz.sh [SECONDS of each, 60] [TARGET ...]. An input that breaks a reader is left in
# build/fuzz/broken, and the exit code is 1. Needs Clang.
# The corpus starts from tests/fuzz and grows in build/fuzz/corpus; scripts/fuzz.sh --keep [TARGET ...] packs the inputs of up to 2 kB that
# between them cover as much as all such into tests/fuzz/corpus.
set -euo pipefail
source "$(dirname "$0")/environment.sh"
source scripts/clang.sh
seconds=${1:-60}
shift || true
build=$PWD/build/fuzz
cmake -S . -B "$build" -G Ninja -DCMAKE_C_COMPILER="clang$clang_suffix" -DCMAKE_CXX_COMPILER="clang++$clang_suffix" \
  -DCMAKE_BUILD_TYPE=None -DAGWAVE_CUDA=OFF -DAGWAVE_TESTS=OFF -DAGWAVE_FUZZ=ON >/dev/null
cmake --build "$build" --target fuzzers
targets=("$@")
[ $# -gt 0 ] || for program in tests/fuzz/fuzz_*.cpp; do targets+=("$(basename "$program" .cpp | sed s/fuzz_//)"); done

mkdir -p "$build"/corpus/{case,grid} "$build/broken"
cp configs/*.yaml "$build/corpus/case/"
cp -r tests/fuzz/seeds/. "$build/corpus/"
PYTHONPATH=tests/cases python3 - "$build/corpus/grid" <<'SEEDS'
import pathlib, sys
from bad_input.netcdf import classic, nodes
corpus = pathlib.Path(sys.argv[1])
classic(corpus / "metres", nodes(-1000, 9000, 5), nodes(-1000, 7000, 4), lambda x, y: -1000 - x / 10)
classic(corpus / "degrees", nodes(9, 11, 5), nodes(39, 41, 4), lambda x, y: -10 * x, axes=("lon", "lat"), axis_units=("degrees_east", "degrees_north"))
SEEDS
for kept in tests/fuzz/corpus/*.tar.xz; do
  if [ -e "$kept" ]; then tar xJf "$kept" -C "$build/corpus"; fi
done

if [ "$seconds" = --keep ]; then
  mkdir -p tests/fuzz/corpus
  for target in "${targets[@]}"; do
    rm -rf "$build"/{kept,small}/"$target"
    mkdir -p "$build"/{kept,small}/"$target"
    find "$build/corpus/$target" -type f -size -5 -exec cp -t "$build/small/$target" {} +  # in blocks of 512 bytes
    "$build/fuzz/fuzz_$target" -merge=1 "$build/kept/$target" "$build/small/$target" 2>"$build/$target.merge.log"
    tar -C "$build/kept" --sort=name --mtime=@0 --owner=0 --group=0 --numeric-owner -cJf "tests/fuzz/corpus/$target.tar.xz" "$target"
    echo "$target: $(find "$build/kept/$target" -type f | wc -l) inputs kept, $(stat -c %s "tests/fuzz/corpus/$target.tar.xz") bytes"
  done
  exit
fi

failed=0
for target in "${targets[@]}"; do
  echo "== $target: $seconds s"
  "$build/fuzz/fuzz_$target" -max_total_time="$seconds" -max_len=8192 -timeout=10 -rss_limit_mb=4096 -print_final_stats=1 -verbosity=0 \
    -artifact_prefix="$build/broken/${target}_" "$build/corpus/$target" 2>"$build/$target.log" || failed=1
  grep -E "number_of_executed_units|new_units_added|ERROR|SUMMARY|Test unit written" "$build/$target.log" || true
done
exit $failed
