#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# ranks: 2
# agwave bench on the CPU: the keys of its JSON, figures that agree with each other, exit codes of bad arguments, and a size
# that does not fit, refused before anything is allocated; then the two scripts that read the JSON.
#   bench_cli.sh AGWAVE SOURCE_DIR PYTHON
set -euo pipefail
agwave=$1 source=$2 python=$3
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work"
export OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1

fails() {  # fails CODE PATTERN ARGUMENTS...: bench ends with CODE and says PATTERN
  local code=0 wanted=$1 pattern=$2
  shift 2
  "$agwave" bench --device cpu "$@" >output 2>&1 || code=$?
  if [ "$code" != "$wanted" ]; then echo "bench $*: exit code $code instead of $wanted"; cat output; exit 1; fi
  if ! grep -Eq -- "$pattern" output; then echo "bench $*: does not say '$pattern'"; cat output; exit 1; fi
}

quick=(--steps 2 --warmup 1)
"$agwave" bench --device cpu --elements 3x2x2 --elements 4x3x2 "${quick[@]}" --json all.json >table
grep -q "^pa .* 4x3x2 " table
"$agwave" bench --device cpu --variant pa,reference --order 1 --quadrature 5 --elements 2x2x1 "${quick[@]}" --json five.json >/dev/null
"$agwave" bench --device cpu --variant two-sweep --elements 2x2x1 "${quick[@]}" --guard --json guard.json >guard
grep -q "guards: a check takes .* ms, .* % of 200 steps" guard
[ ! -e all.json.tmp ]
if awk 'length > 120' table | grep .; then echo "the lines above are wider than 120 columns"; exit 1; fi

"$python" - <<'EOF'
import json

KEYS = {"variant", "device", "elements", "dofs", "quadrature", "geometry_order", "operator_ms", "operator_gdofs", "step_ms", "step_gdofs",
        "bytes_per_dof", "roofline_fraction", "watts", "mdofs_per_joule", "relative_error"}
everything, five = (json.load(open(f)) for f in ("all.json", "five.json"))
for document in everything, five:
    assert {"build", "device", "copy_bandwidth_tbs", "results"} <= document.keys(), document.keys()
    assert document["device"] == "cpu" and document["copy_bandwidth_tbs"] > 0
    for r in document["results"]:
        assert KEYS <= r.keys(), KEYS - r.keys()
        nx, ny, nz = r["elements"]
        assert r["dofs"] == 192 * nx * ny * nz + (4 * nx + 1) * (4 * ny + 1) * (4 * nz + 1)
        assert r["device"] == "cpu" and r["watts"] is None and r["mdofs_per_joule"] is None
        assert r["model_seconds_per_second"] > 0 and r["integrator"] == ("leapfrog4" if "leapfrog" in r["variant"] else "rk4")
        if r["variant"] == "two-sweep" or r["integrator"] == "leapfrog4":  # whole steps only
            assert r["operator_ms"] is None and r["roofline_fraction"] is None
            if r["variant"] != "leapfrog-reference":
                assert r["step_flops"] > 0 and r["step_bytes"] > 0 and 0 < r["step_roofline_fraction"] < 1
        else:
            assert abs(r["operator_ms"] * r["operator_gdofs"] * 1e6 / r["dofs"] - 1) < 1e-9 and 0 < r["roofline_fraction"]
        assert abs(r["step_ms"] * r["step_gdofs"] * 1e6 / r["dofs"] - 1) < 1e-9
        assert 0 <= r["relative_error"] <= 1e-12
        assert 0.5 < r["bytes_per_dof"] / r["predicted_bytes_per_dof"] < 1.5, r
assert {"reference", "pa", "two-sweep", "leapfrog-sweep"} <= {r["variant"] for r in everything["results"]}
assert sum(r["variant"] == "pa" for r in everything["results"]) == 2
guard = json.load(open("guard.json"))["results"][0]
assert 0 < guard["guard_ms"] < 200 * guard["step_ms"]
assert everything["results"][0]["guard_ms"] is None
assert {(r["quadrature"], r["geometry_order"]) for r in five["results"]} == {(5, 1)}
EOF

fails 2 "NXxNYxNZ" --elements 3x3
fails 2 "NXxNYxNZ" --elements 0x3x3
fails 2 "NXxNYxNZ" --elements 4x4x4x4
fails 2 "'nonsense' does not exist on cpu; known: all, .*pa" --variant pa,nonsense
fails 2 "--order" --order 2
fails 2 "--quadrature" --quadrature 6
fails 2 "--steps" --steps 0
fails 2 "--sweep" --sweep --elements 2x2x2
fails 2 "--nonsense" --nonsense
fails 5 "cannot write" --elements 1x1x1 "${quick[@]}" --json missing/file.json

# How dense-gemm splits its work: measured, kept, read again; without a table there is a default.
fails 2 "none of the variants chosen splits its work by a table" --variant pa --tune --elements 2x2x1
if "$agwave" info | grep -q " BLAS on"; then
  export AGWAVE_TUNING=$work/kept/tuning.json
  dense=(--variant dense-gemm --elements 4x3x2 "${quick[@]}")
  "$agwave" bench --device cpu "${dense[@]}" --json dense.json >output
  grep -q "from the built-in default" output
  "$agwave" bench --device cpu "${dense[@]}" --tune --json dense.json >output
  grep -q "^kept in $AGWAVE_TUNING$" output
  grep -q "^  [0-9]* elements a product, .*, from $AGWAVE_TUNING$" output
  "$python" - <<'EOF'
import json
rows = json.load(open("kept/tuning.json"))["dense-gemm"]["cpu"]["rows"]
assert rows and all(r["elements"] == 24 and r["merged"] * r["batch"] <= 24 and r["seconds"] > 0 for r in rows), rows
(r,) = json.load(open("dense.json"))["results"]
best = min(rows, key=lambda row: row["seconds"])
assert r["plan"].startswith(f"{best['merged']} elements a product") and r["flops"] == 24 * 97280 and r["bytes"] == 24 * 4608
EOF
  echo '[]' >"$AGWAVE_TUNING"
  fails 3 "is no table of .agwave bench --tune." "${dense[@]}"
  unset AGWAVE_TUNING
fi

# What check reckons with is a step, not what else a stepper can be asked.
"$agwave" check "$source/configs/quickstart.yaml" --device cpu --output out --set 'mesh.elements=[8, 8, 4]' --json >check.json
"$agwave" bench --device cpu --variant leapfrog-sweep --elements 8x8x4 --energy-seconds 0 --json steps.json >/dev/null
"$python" - <<'EOF'
import json
told, (r,) = json.load(open("check.json")), json.load(open("steps.json"))["results"]
assert told["variant"] == r["variant"] and told["time"]["step_gdofs"] > 0.4 * r["step_gdofs"], (told["time"], r["step_gdofs"])
EOF

begin=$SECONDS
fails 2 "does not fit: needs [0-9.]+ GB, [0-9.]+ GB available" --elements 20000x20000x1000 --json large.json
grep -q "^agwave: nothing was timed: 20000x20000x1000 elements need [0-9.e+]* GB of memory, [0-9.e+]* GB are available" output
[ $((SECONDS - begin)) -lt 60 ]
"$agwave" bench --device cpu --variant pa --elements 20000x20000x1000 --elements 2x2x2 "${quick[@]}" --json large.json >output
"$python" -c 'import json; d = json.load(open("large.json")); assert len(d["results"]) == 1 and d["does_not_fit"][0]["needed_bytes"] > 1e15'

# Several ranks: the mesh is split, the exchange measured, its volume that of the layout; the model reads it.
fails 2 "one rank has nobody to exchange with" --exchange --elements 16x8x8
if command -v mpirun >/dev/null; then
  several=(mpirun --oversubscribe --bind-to none -n 4 "$agwave" bench --device cpu --variant two-sweep --elements 16x8x8 "${quick[@]}")
  "${several[@]}" --grid 2x1x2 --exchange --json several.json >table
  grep -q "^4 ranks on 1 hosts, exchange mpi" table
  grep -q "link between ranks 2 apart" table
  grep -q "the step stands still for neighbours" table
  "${several[@]}" --grid 2x1x2 --exchange --no-overlap | grep -q "the last exchanges of rank 0"
  "${several[@]}" --grid 1x1x1 --within 3x3x2 >output 2>&1 && { echo "both --grid and --within"; exit 1; }
  grep -q -- "--within" output
  mpirun --oversubscribe --bind-to none -n 2 "$agwave" bench --device cpu --variant two-sweep,pa --elements 24x12x16 --within 3x3x4 "${quick[@]}" --exchange \
    --json within.json >table
  grep -q "^within 3x3x4: every rank does what one in the middle of that grid does" table
  code=0
  mpirun --oversubscribe --bind-to none -n 3 "$agwave" bench --device cpu --variant pa --elements 12x12x8 --within 3x3x2 >output 2>&1 || code=$?
  [ $code = 2 ] && grep -q -- "--within: two ranks stand for each other's neighbours; start an even number" output
  code=0
  mpirun --oversubscribe --bind-to none -n 2 "$agwave" bench --device cpu --variant pa --elements 12x12x8 --within 3x3 >output 2>&1 || code=$?
  [ $code = 2 ] && grep -q -- "--within: '3x3' is not PXxPYxPZ" output
  code=0
  "${several[@]}" --grid 4x1x1 >output 2>&1 || code=$?
  [ $code = 2 ] && grep -q -- "--grid: 4 ranks along x for 16 elements; at most one rank per block of 8" output
  "$python" - "$source" <<'EOF'
import json, sys
sys.path[:0] = [sys.argv[1] + "/scripts", sys.argv[1] + "/scripts/slurm"]
from scaling_model import Model, interior, traffic
document = json.load(open("several.json"))
(r,) = document["results"]
e = r["exchange"]
assert document["ranks"] == r["ranks"] == 4 and r["grid"] == [2, 1, 2] and document["transport"] == "mpi"
assert len(r["steps_ms"]) == 2 and r["dofs"] == 192 * 16 * 8 * 8 + 65 * 33 * 33
assert e["rounds"] == 2 and e["messages"] == 6 and e["bytes"] == traffic([8, 8, 4], [2, 1, 2], e["unit"], 2)[1]
assert e["unit"] == [8, 4, 4] and e["interior_ms"] == 0 and e["alone_ms"] > 0 and e["exchange_ms"] > 0
assert 0 < e["least_waited_ms"] <= e["waited_ms"] < r["step_ms"] * 100 and len(e["timeline"]) == 4  # two sweeps in each of two steps
for line in e["timeline"]:  # this block is all boundary: its exchange begins when the sweep is done
    times = [line[m + "_ms"] for m in ("begin", "boundary", "packed", "interior", "arrived", "unpacked", "resumed")]
    assert times == sorted(times), line
assert e["blocks"][0]["elements"] == [8, 8, 4] and [l["distance"] for l in e["links"]] == [1, 2]
step, block, exchange = Model(document, None, None, None, 1.0).step([16, 8, 8], [2, 1, 2])
assert abs(step - block - exchange) < 1e-9 * step and abs(block / e["alone_ms"] - 1) < 1e-9 and exchange > 0
within = json.load(open("within.json"))
assert within["ranks"] == 2 and {r["variant"] for r in within["results"]} == {"two-sweep", "pa"}
for r in within["results"]:  # one that has all 26 neighbours, for a mesh of 36 ranks
    assert r["grid"] == [3, 3, 4] and r["stands_for"] == 18 and r["dofs"] == 192 * 24 * 12 * 16 + 97 * 49 * 65
    assert r["exchange"]["messages"] == 26 * r["exchange"]["rounds"] and r["exchange"]["bytes"] == traffic([8, 4, 4], [3, 3, 4], r["exchange"]["unit"], r["exchange"]["rounds"])[1]
    assert 0.5 < r["bytes_per_dof"] / r["predicted_bytes_per_dof"] < 1.5
assert document["results"][0]["stands_for"] == 1
assert interior([64, 32, 32], [2, 3, 1], [8, 4, 16]) == 7 * 6 / 64 and interior([8, 8, 4], [2, 1, 2], e["unit"]) == 0
hidden = Model(document, None, None, None, None)
hidden.latency = hidden.gap = hidden.packing = hidden.split = hidden.floor = 0
hidden.bandwidth = 1e9
step, block, exchange = hidden.step([1600, 800, 8], [2, 1, 1])
assert 0 < exchange < step and abs(step - block) < 1e-9 * step  # nothing to wait for
EOF
fi

"$python" "$source/scripts/figures.py" all.json >output
grep -q '^| PA | 18.73 |' output
for wrong in "--bandwidth-gbs 0" "--latency-us nan" "--exposed -3"; do
  code=0
  "$python" "$source/scripts/scaling_model.py" all.json campaign $wrong >output 2>&1 || code=$?
  [ $code = 2 ] && grep -q -- "argument ${wrong% *}: ${wrong#* } is " output
done
if "$python" -c 'import matplotlib' 2>/dev/null; then
  "$python" "$source/scripts/plot_bench.py" all.json five.json -o bench.png >/dev/null
  [ -s bench.png ]
fi
echo "bench_cli: passed"
