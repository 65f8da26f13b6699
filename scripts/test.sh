#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Everything that is checked before a change is accepted. Builds with CUDA where nvcc exists (GPU tests say "skipped"
# without a GPU), with sanitizers, and without the optional libraries; the whole CTest suite runs once, at the end.
set -euo pipefail
source "$(dirname "$0")/environment.sh"
step() { printf '\n== %s (%d s)\n' "$*" "$SECONDS"; }
failed=0

step dependencies
./scripts/install_deps.sh --tests
python=python3
if [ -x .venv/bin/python ]; then python=.venv/bin/python; fi

# Exports, the site and the JSON Schema are checked where these can be had; their tests say "skipped" otherwise.
if [ -x .venv/bin/python ] && ! cmp -s scripts/requirements-dev.txt .venv/installed-dev.txt; then
  if timeout 300 .venv/bin/python -m pip install --quiet --disable-pip-version-check -r scripts/requirements-dev.txt; then
    cp scripts/requirements-dev.txt .venv/installed-dev.txt
  else
    echo "test.sh: pip could not install scripts/requirements-dev.txt" >&2
  fi
fi

step "scripts parse"
shopt -s nullglob
for script in scripts/*.sh scripts/slurm/*.sh scripts/slurm/*.sbatch tests/cases/*.sh .ci/run; do bash -n "$script" || failed=1; done
"$python" -m compileall -q -f scripts tests || failed=1
for script in scripts/*.py scripts/slurm/*.py; do
  if ! "$python" "$script" --help >/dev/null; then
    echo "$script --help failed"
    failed=1
  fi
done

preset=cpu
if command -v nvcc >/dev/null; then preset=cuda; fi
step "build: $preset"
cmake --preset "$preset" | tail -n 4
cmake --build --preset "$preset" -j "$(nproc)"

if [ $SECONDS -lt 500 ]; then  # it takes some eight minutes of two cores, and all of this 25 at most
  step "build: asan (CPU only), unit tests"
  cmake --preset asan -DCMAKE_CXX_FLAGS="-O1 -g0" | tail -n 4  # compiles quicker; reports name functions, with the preset alone lines too
  cmake --build --preset asan -j "$(nproc)" --target tests_unit
  ctest --preset asan -L unit -j "$(nproc)" || failed=1
else
  step "left out, because the build above was slow: unit tests with sanitizers (scripts/sanitize.sh address -L unit)"
fi

if [ $SECONDS -lt 720 ]; then  # a check that can wait where the builds above were slow
  step "build: without CUDA, netCDF and PROJ"
  cmake --preset cpu -B build/minimal -DAGWAVE_NETCDF=OFF -DAGWAVE_PROJ=OFF -DAGWAVE_TESTS=OFF | tail -n 1
  if cmake --build build/minimal -j "$(nproc)" --target agwave; then
    "$python" tests/cases/test_bad_input.py "$PWD/build/minimal/agwave" "$PWD" "$python" || failed=1
  else
    failed=1
  fi
fi

step "tests: $preset"
[ $failed = 0 ] || echo "something above has FAILED already; this script will exit with 1 whatever comes now"
ctest --preset "$preset" -j "$(nproc)" || failed=1
exit $failed
