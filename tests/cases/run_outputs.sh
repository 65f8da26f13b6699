#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# ranks: 2
# The program as users meet it: a tiny case on one and two ranks and everything it leaves behind, the plots of it, `check`
# and `--help`, `prepare`, and a run that is killed.   run_outputs.sh AGWAVE SOURCE_DIR PYTHON
# label: slow
set -euo pipefail
agwave=$1 source_dir=$(cd "$2" && pwd) python=$3
export OMP_NUM_THREADS=1 OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1 OMPI_MCA_rmaps_base_oversubscribe=1 PYTHONDONTWRITEBYTECODE=1
work=$(mktemp -d) run=
trap 'if [ -n "$run" ]; then kill -9 "$run" 2>/dev/null || true; fi; rm -rf "$work"' EXIT
cd "$work"

fail() {
  echo "run_outputs.sh: $*" >&2
  exit 1
}
skipped=
have() { "$python" -c "import $1" 2>/dev/null; }
have "h5py, numpy, xarray, h5netcdf" || skipped="h5py, xarray, h5netcdf (nothing but exit codes and JSON is checked)"
have "matplotlib, h5py" || skipped="$skipped matplotlib (no plots)"

cat >case.yaml <<'YAML'
title: "Tiny: Ålesund, 1 m"   # not only ASCII
domain:
  size: [12000, 9000]
  bathymetry: {type: cosine, depth: 2000, amplitude: 0.2, waves: [1, 1]}
mesh: {elements: [4, 3, 2]}
sources:
  - shape: {type: gaussian, center: [6000, 4000], radius: [2000, 1500]}
    ramp: {type: smoothstep, duration: 2}
time: {end: 6, scheme: rk4}
sensors:
  interval: 0.5
  seafloor: [{name: A, x: 3000, y: 3000}, {name: B, x: 6000, y: 4500}, {name: Ø3, x: 11000, y: 8000}]
  hydrophones: [{name: H, x: 6000, y: 4500, z: -500}]
  surface: [{name: T, x: 6000, y: 4500}]
output: {directory: results, surface_interval: 2}
solver: {device: cpu}
YAML

echo "== one rank, and two"
export threads=1
if OMP_NUM_THREADS=2 "$agwave" info | grep -q "1 rank x 2 threads"; then threads=2; fi  # else a build without OpenMP
if [ $threads = 2 ]; then
  code=0
  OMP_NUM_THREADS=100000 "$agwave" info >many.txt 2>&1 || code=$?
  { [ $code = 6 ] && grep -q "OMP_NUM_THREADS=100000: at most" many.txt; } || fail "too many threads: exit code $code, $(cat many.txt)"
fi
OMP_NUM_THREADS=$threads "$agwave" run case.yaml >one.txt || fail "run failed: $(cat one.txt)"
[ "$(grep -c "^100.0 %" one.txt)" = 1 ] && grep -q "GDOF\*step/s .* E .* = work .* - loss .* + residual" one.txt || fail "progress lines: $(cat one.txt)"
grep -q "results in results" one.txt || fail "the last line does not say where the results are: $(cat one.txt)"
mpiexec -n 2 "$agwave" run case.yaml --output two --quiet >two.txt 2>&1 || fail "run on 2 ranks failed: $(cat two.txt)"
[ ! -s two.txt ] || fail "--quiet is not quiet: $(cat two.txt)"
for directory in results two; do
  files=$(cd "$directory" && ls | tr '\n' ' ')
  [ "$files" = "progress.json sensors.h5 summary.json surface.h5 " ] || fail "$directory holds: $files"
done

"$python" - <<'CHECK' || fail "summary.json or progress.json is not what docs/results.md promises"
import json, math, os
keys = ["title", "elements", "dofs", "step_s", "steps", "end_s", "wall_s", "loop_s", "step_gdofs", "scheme", "scheme_why", "variant", "precision",
        "device", "ranks", "grid", "threads",
        "exchange", "peak_bytes_per_dof", "energy", "max_pressure_pa", "max_surface_height_m", "version", "commit"]
summaries = [json.load(open(d + "/summary.json", encoding="utf-8")) for d in ("results", "two")]
for ranks, s in zip((1, 2), summaries):
    missing = [k for k in keys if k not in s]
    assert not missing, f"missing: {missing}"
    assert s["title"] == "Tiny: Ålesund, 1 m" and s["elements"] == [4, 3, 2] and s["ranks"] == ranks and math.prod(s["grid"]) == ranks, s
    assert s["dofs"] == 192 * 24 + 17 * 13 * 9 and s["end_s"] == 6 and s["device"] == "cpu", s
    assert abs(s["step_s"] * s["steps"] - 6) < 1e-12 and round(0.5 / s["step_s"], 9) % 1 == 0, "the step does not divide the interval"
    x = s["exchange"]
    assert x is None if ranks == 1 else x["transport"] == "mpi" and x["bytes_per_step"] > 0 and 0 < x["waited_s_per_step"] * s["steps"] < s["loop_s"], x
    assert list(s["energy"]) == ["final", "source_work", "boundary_loss", "sponge_loss", "floor_loss", "floor_energy", "residual"]
    e = s["energy"]
    assert abs(e["final"] - e["source_work"] + e["boundary_loss"] - e["residual"]) <= 1e-9 * e["source_work"], e
    assert s["max_pressure_pa"] > 1e4 and 0 < s["max_surface_height_m"] < 2 and s["loop_s"] > 0 and s["peak_bytes_per_dof"] > 0, s
assert [s["threads"] for s in summaries] == [int(os.environ["threads"]), 1], "threads"
assert summaries[0]["step_s"] == summaries[1]["step_s"], "the step depends on the ranks"
progress = json.load(open("results/progress.json"))
assert progress["energy"] == summaries[0]["energy"]
assert progress["finished"] is True and progress["step"] == progress["steps"] == summaries[0]["steps"] and progress["percent"] == 100, progress
CHECK

if have "h5py, numpy, xarray, h5netcdf"; then
  echo "== what is in the files"
  for directory in results two; do
    "$python" "$source_dir/tests/cases/check_traces.py" --complete "$directory/sensors.h5" || fail "$directory/sensors.h5"
  done
  "$python" - <<'CHECK' || fail "the traces or maps are wrong"
import json, h5py, numpy as np
summary = [json.load(open(d + "/summary.json", encoding="utf-8")) for d in ("results", "two")]
one, two, map_one, map_two = (h5py.File(f"{d}/{f}.h5") for f in ("sensors", "surface") for d in ("results", "two"))
with one, two, map_one, map_two:
    for name in ("pressure", "sensor_pressure", "surface_height"):
        a, b = one[name][:], two[name][:]
        assert np.abs(a - b).max() <= 1e-12 * np.abs(a).max() > 0, f"{name} differs between one rank and two"
    assert [s.decode() for s in one["station"][:]] == ["A", "B", "Ø3", "H"] and one["time"].shape == (13,) and np.all(one["pressure"][0] == 0)
    assert "Ålesund" in one.attrs["title"] and one.attrs["case_file"] == open("case.yaml", encoding="utf-8").read()
    for s, f in zip(summary, (one, two)):
        assert s["max_pressure_pa"] >= np.abs(f["pressure"][:]).max(), "the summary's largest pressure is below a sensor's"
    for key in ("agwave_version", "agwave_commit", "mesh", "dt", "variant", "ranks", "devices"):
        assert one.attrs[key], key
    # docs/results.md: sensor_pressure is the pressure less rho g times the vertical uplift at seafloor sensors; 0.835 m of the metre at B
    uplift = np.exp(-0.5 * (0 + (500 / 1500) ** 2))
    lost = (one["pressure"][-1] - one["sensor_pressure"][-1])[[1, 3]] / (1025 * 9.81)
    assert abs(lost[0] - uplift) < 1e-9 and lost[1] == 0, lost
    assert map_one["surface_height"].shape == (4, 7, 9) and map_one["depth"].shape == (7, 9), map_one["surface_height"].shape
    for name in ("surface_height", "maximum_height"):
        a, b = map_one[name][:], map_two[name][:]
        assert np.abs(a - b).max() <= 1e-6 * np.abs(a).max() > 0, f"{name} differs between one rank and two"
CHECK
fi

if have "matplotlib, h5py"; then
  echo "== plots"
  is_picture() { [ "$(head -c 4 "$1" | tail -c 3)" = PNG ] && [ "$(wc -c <"$1")" -gt 10000 ] || fail "$1 is no picture"; }
  "$python" "$source_dir/scripts/plot_traces.py" results -o traces.png >/dev/null && is_picture traces.png
  "$python" "$source_dir/scripts/plot_surface.py" results -o surface.png >/dev/null && is_picture surface.png
  "$python" "$source_dir/scripts/plot_surface.py" two --variable surface_height --time 4 -o height.png >/dev/null && is_picture height.png
  AGWAVE_PYTHON="$(command -v "$python")" AGWAVE_SCRIPTS="$source_dir/scripts" "$agwave" check case.yaml --plot case.png >/dev/null && is_picture case.png
fi
mkdir -p broken
printf '#!/bin/sh\necho "no such module" >&2\nexit 1\n' >broken/python3
chmod +x broken/python3
code=0
AGWAVE_SCRIPTS="$source_dir/scripts" AGWAVE_PYTHON="$work/broken/python3" "$agwave" check case.yaml --set mesh.elements=[64,48,1] --plot none.png >/dev/null 2>plot.txt || code=$?
[ $code = 5 ] && grep -q "none.png was not drawn" plot.txt || fail "check --plot without Python modules: exit code $code: $(cat plot.txt)"

echo "== check writes nothing"
mkdir clean
cp case.yaml clean
(cd clean && "$agwave" check case.yaml >../check.txt && mpiexec -n 2 "$agwave" check case.yaml --set solver.variant=pa --output elsewhere >../two.txt)
[ "$(ls -A clean)" = case.yaml ] || fail "check wrote: $(ls -A clean)"
for word in "4 x 3 x 2 elements" dofs step sensors memory "sensors.h5" time; do
  grep -q "$word" check.txt || fail "check does not print '$word': $(cat check.txt)"
done
grep -q "exchange  hides behind the 50 % of a rank's elements that touch no other rank\$" two.txt || fail "check on two ranks says nothing of the exchange: $(cat two.txt)"
"$agwave" check case.yaml --set 'sources[0].shape={type: point, center: [6000, 4000], z: -500, volume: 1e6}' >point.txt
grep -q "^edges .*long waves of water added at points are not followed\$" point.txt || fail "check follows waves of no uplift: $(cat point.txt)"
"$agwave" run case.yaml --output point --set 'sources[0].shape={type: point, center: [6000, 4000], z: -500, volume: 1e6}' >point.txt
grep -q "^sources\[0\]: point, .* s, 1e+06 m3; 100 % in the domain\$" point.txt || fail "a run tells the uplift of water added at a point: $(cat point.txt)"

"$agwave" check case.yaml --set time.scheme=auto --set time.local_steps=8 --set 'mesh.elements=[33, 17, 1]' --set \
  'domain.bathymetry={type: margin, shelf_depth: 80, abyssal_depth: 3000, trench_depth: 3000, shelf_edge: 9000, slope_width: 6000, trench_width: 2500}' >levels.txt
grep -q "^step      coarsest step .* s; the largest stable one for all columns alike is " levels.txt || fail "check confuses the steps of levels: $(cat levels.txt)"

echo "== help"
for command in "" run check prepare bench info schema; do
  # shellcheck disable=SC2086  # an empty word must vanish
  "$agwave" $command --help >help.txt 2>&1 || fail "$command --help ends with $?"
  grep -q -- --help help.txt || fail "$command --help says nothing"
  grep -q Example help.txt || fail "$command --help has no example"
done
[ "$(mpiexec -n 2 "$agwave" run --help | grep -c Example)" = 1 ] || fail "not one rank alone prints the help"
"$agwave" --version | grep -q "^agwave [0-9]" || fail "--version"
"$agwave" info | grep -q reference || fail "info lists no variants"

echo "== prepare"
same_traces() {  # bit for bit
  "$python" -c '
import h5py, sys
with h5py.File(sys.argv[1]) as a, h5py.File(sys.argv[2]) as b:
    for name in ("pressure", "sensor_pressure", "surface_height", "z"):
        assert a[name][:].tobytes() == b[name][:].tobytes(), name + " differs"
' "$1/sensors.h5" "$2/sensors.h5" || fail "$2 differs from $1"
}
"$agwave" prepare case.yaml depth.h5 >hint.txt
grep -qF "file: \"$(pwd -P)/depth.h5\"" hint.txt || fail "the hint of prepare does not work everywhere: $(cat hint.txt)"
"$agwave" run case.yaml --quiet --set 'domain.bathymetry={type: prepared, file: depth.h5}' --output prepared
if "$agwave" info | grep -q "netCDF on"; then
  "$python" - <<CHECK
import math, pathlib, sys
sys.path.insert(0, "$source_dir/tests/cases")
from bad_input.netcdf import classic, nodes
depth = lambda x, y: -2000 - 300 * math.sin(x / 3000) * math.cos(y / 2000)
classic(pathlib.Path("grid.nc"), nodes(-1000, 13000, 29), nodes(-1000, 10000, 23), depth)
CHECK
  sed 's/bathymetry: .*/bathymetry: {type: grid, file: grid.nc}/' case.yaml >grid.yaml
  "$agwave" run grid.yaml --quiet --output grid
  "$agwave" prepare grid.yaml grid.h5 --quiet
  rm grid.nc
  from_prepared=(run grid.yaml --quiet --set 'domain.bathymetry={type: prepared, file: grid.h5}')
  "$agwave" "${from_prepared[@]}" --output grid_prepared
  mpiexec -n 2 "$agwave" "${from_prepared[@]}" --set 'parallel.grid=[1, 1, 2]' --output grid_two
fi
if have "h5py, numpy, xarray, h5netcdf"; then
  same_traces results prepared
  if [ -d grid ]; then
    same_traces grid grid_prepared
    "$python" "$source_dir/tests/cases/check_traces.py" --complete grid_two/sensors.h5
  fi
fi

echo "== a second run replaces the first"
before=$(stat -c %i results/sensors.h5)
exec 9<results/sensors.h5  # keeps the inode in use
"$agwave" run case.yaml --quiet
exec 9<&-
[ "$(stat -c %i results/sensors.h5)" != "$before" ] || fail "sensors.h5 was written over in place: a reader of the old file would see both"

echo "== killed"
start_long() {  # minutes of work
  rm -rf killed
  "$agwave" run case.yaml --quiet --set time.end=100000 --set mesh.elements=[8,6,2] --output killed &
  run=$!
  for _ in $(seq 600); do
    if [ -e killed/sensors.h5 ]; then return; fi
    sleep 0.05
  done
  fail "no sensors.h5 after 30 s"
}
kill_it() {
  kill -9 $run || fail "the run ended before it was killed"
  wait $run 2>/dev/null || true
  run=
}
opens() {  # at least this many samples
  "$python" -c '
import h5py, numpy as np, sys
with h5py.File(sys.argv[1]) as f:
    written, samples = int(f["samples_written"][()]), f["time"].shape[0]
    assert int(sys.argv[2]) <= written < samples == 200001, f"{written} of {samples} samples"
    assert np.isfinite(f["pressure"][:written]).all() and np.isnan(f["pressure"][-1]).all()
    print(f"killed after {written} of {samples} samples: opens")
' killed/sensors.h5 "$1" || fail "sensors.h5 of a killed run does not open"
}
several_samples() { HDF5_USE_FILE_LOCKING=FALSE "$python" -c 'import h5py; assert h5py.File("killed/sensors.h5")["samples_written"][()] >= 3' 2>/dev/null; }
start_long
kill_it
if have h5py; then opens 0; fi
start_long
sleep 2
if have h5py; then
  for _ in $(seq 100); do  # a sanitized program is slow
    if several_samples; then break; fi
    sleep 0.5
  done
fi
kill_it
[ ! -e killed/summary.json ] || fail "a killed run has a summary"
if have "h5py, numpy, xarray, h5netcdf"; then
  opens 3
  "$python" "$source_dir/tests/cases/check_traces.py" killed/sensors.h5
  "$python" -c '
import h5py, numpy as np
with h5py.File("killed/surface.h5") as f:
    maximum = f["maximum_height"][:]
    assert np.isfinite(maximum).all() and (maximum.max() > 0 or f["samples_written"][()] < 2), maximum
' || fail "surface.h5 of a killed run has no maximum so far"
  if have matplotlib; then "$python" "$source_dir/scripts/plot_traces.py" killed -o killed.png >/dev/null; fi
fi

if [ -n "$skipped" ]; then
  echo "run_outputs.sh: the rest passed, but Python lacks $skipped; pip install -r scripts/requirements.txt" >&2
  exit 77
fi
echo passed
