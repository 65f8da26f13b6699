#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# What `cmake --install` puts under a prefix works from there, also after a move: program, scripts, cases.   install.sh AGWAVE SOURCE_DIR PYTHON
set -euo pipefail
build=$(dirname "$1") source_dir=$(cd "$2" && pwd) python=$3
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
fail() {
  echo "install.sh: $*" >&2
  exit 1
}
if [ ! -f "$build/cmake_install.cmake" ]; then
  echo "install.sh: $build is a copy of a build, not one that can be installed" >&2
  exit 77
fi
cmake --install "$build" --prefix "$work/first" >"$work/log" || fail "cmake --install: $(cat "$work/log")"
mv "$work/first" "$work/second"
share=$work/second/share/agwave agwave=$work/second/bin/agwave
"$agwave" --version | grep -q "^agwave [0-9]" || fail "--version"
"$agwave" --version | grep -q "netCDF, .*PROJ" || fail "--version without build facts: $("$agwave" --version)"
[ -f "$share/configs/quickstart.yaml" ] || fail "no configs/quickstart.yaml"
cmp -s "$share/case.schema.json" "$source_dir/docs/case.schema.json" || fail "no case.schema.json"
ls -R "$work/second" | grep -q "results\|__pycache__" && fail "installs what it should not: $(ls -R "$work/second")"
cd "$work"
"$agwave" run "$share/configs/quickstart.yaml" --quiet --output out --set mesh.elements=[4,3,1] --set time.end=10 --device cpu
if ! "$python" -c "import h5py, matplotlib" 2>/dev/null; then
  echo "install.sh: the program runs; scripts were not tried, for Python lacks h5py or matplotlib" >&2
  exit 77
fi
"$python" "$share/scripts/report.py" out >/dev/null
[ "$(wc -c <out/report.html)" -gt 100000 ] || fail "no report"
# Its own scripts, not those of the source tree: one that leaves a trace.
printf 'import pathlib, sys\nsys.stdin.read()\npathlib.Path(sys.argv[2]).write_text("installed")\n' >"$share/scripts/plot_case.py"
AGWAVE_PYTHON=$(command -v "$python") "$agwave" check "$share/configs/quickstart.yaml" --set mesh.elements=[4,3,1] --device cpu --plot plot.png >/dev/null
[ "$(cat plot.png)" = installed ] || fail "check --plot does not use the installed script"
echo passed
