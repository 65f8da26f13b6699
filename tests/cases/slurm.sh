#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# ranks: 2
# The scripts of scripts/slurm on a Slurm that this test starts: a campaign is generated, submitted, run by srun on CPU ranks, collected and
# plotted; a job whose small case is wrong times nothing; run.sbatch goes back into the queue on exit code 75 and restarts, with a stand-in and with agwave.
#   slurm.sh AGWAVE SOURCE_DIR PYTHON
# label: slow
set -euo pipefail
agwave=$1 source=$2 python=$3
export OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1
if ! "$python" -c 'import yaml, matplotlib, h5py' 2>/dev/null; then echo "slurm: skipped: Python lacks PyYAML, matplotlib or h5py"; exit 77; fi

# The generator alone.
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
slurm=$source/scripts/slurm
"$python" "$slurm/campaign.py" "$slurm/campaigns/table_vii.yaml" --machine "$slurm/machines/alps.yaml" --output "$work/paper" --sbatch=--account=x >/dev/null
[ "$(ls "$work/paper"/*.sbatch | wc -l)" = 14 ]  # the first weak and strong runs are the same
grep -q -- '--elements 15360x36864x64 --grid 16x144x4 --warmup 10 --steps 10' "$work/paper/weak-09216.sbatch"
for line in --nodes=2304 --ntasks-per-node=4 --gpus-per-node=4 --account=x; do grep -q "^#SBATCH $line\$" "$work/paper/weak-09216.sbatch"; done
grep -q 'srun .*--ntasks=9216 .*--gpu-bind=none .*agwave bench' "$work/paper/weak-09216.sbatch"
for file in "$work"/paper/*.sbatch; do bash -n "$file"; done
"$python" - "$work/paper/campaign.json" <<'PY'
import json, sys
for r in json.load(open(sys.argv[1]))["runs"]:
    elements = r["elements"][0] * r["elements"][1] * r["elements"][2]
    assert elements == (3932160 * r["ranks"] if r["kind"] == "weak" else 566231040), r
    assert all(n % (g * unit) == 0 for n, g, unit in zip(r["elements"], r["grid"], (8, 4, 16))), r  # whole blocks of two-sweep
PY
"$python" "$slurm/campaign.py" "$slurm/campaigns/table_vii.yaml" --machine "$slurm/machines/perlmutter.yaml" --output "$work/few" --max-ranks 576 \
  --variant fused-mf --series weak --series strong >/dev/null
[ "$(ls "$work/few"/*.sbatch | wc -l)" = 3 ]
code=0
"$python" "$slurm/campaign.py" "$slurm/campaigns/table_vii.yaml" --machine "$slurm/machines/alps.yaml" --output "$work/never" --series week 2>"$work/error" || code=$?
[ $code = 2 ] && grep -q 'series: week: not in .*; known: weak, strong, weak_flat, strong_flat' "$work/error"
sed 's/^steps:/stepz:/' "$slurm/campaigns/table_vii.yaml" >"$work/wrong.yaml"
code=0
"$python" "$slurm/campaign.py" "$work/wrong.yaml" --machine "$slurm/machines/alps.yaml" --output "$work/never" 2>"$work/error" || code=$?
[ $code = 2 ] && grep -q 'missing steps' "$work/error"
[ ! -e "$work/never" ]
sed 's/grids:/grid:/' "$slurm/campaigns/one_host.yaml" >"$work/wrong.yaml"
if "$python" "$slurm/campaign.py" "$work/wrong.yaml" --machine "$slurm/machines/plain.yaml" --output "$work/never" 2>"$work/error"; then exit 1; fi
grep -q 'series .*: missing grids' "$work/error"
[ ! -e "$work/never" ]

source "$source/tests/slurm/cluster.sh"
trap 'stop_slurm "$work/slurm"; rm -rf "$work"' EXIT
if ! start_slurm "$work/slurm"; then echo "slurm: skipped: no Slurm can be started here"; exit 77; fi
# What CTest gives to programs started by mpirun is for srun, too.
export OMPI_MCA_btl_vader_single_copy_mechanism=none

wait_for_jobs() {  # until the queue is empty
  for _ in $(seq 240); do
    if [ -z "$(squeue -h)" ]; then return; fi
    sleep 0.5
  done
  echo "jobs are still in the queue:"; squeue; exit 1
}
complain() { echo "$1"; cat "$work"/tiny/*.log "$work"/run.log 2>/dev/null | tail -n 60; exit 1; }

cat >"$work/tiny.yaml" <<'YAML'
name: tiny
variant: two-sweep
order: 4
warmup: 2
steps: 3
minutes: 2
series:
  weak: {kind: weak, elements_per_rank: [16, 8, 8], grids: [[1, 1, 1], [1, 2, 1]]}
  strong: {kind: strong, elements: [16, 8, 8], grids: [[1, 1, 1], [2, 1, 1], [1, 2, 1]]}
YAML
"$python" "$slurm/campaign.py" "$work/tiny.yaml" --machine "$slurm/machines/plain.yaml" --agwave "$agwave" --output "$work/tiny" --sbatch=--exclusive
[ "$("$work/tiny/submit.sh" | wc -l)" = 4 ]
wait_for_jobs
"$python" "$slurm/collect.py" "$work/tiny" >"$work/table" || complain "collect.py failed"
grep -q '^| 2 | 1x2x1 | 16x16x8 |' "$work/table" || complain "no weak run on 2 ranks"
for grid in 2x1x1 1x2x1; do grep -q "^| 2 | $grid | 16x8x8 |" "$work/table" || complain "no strong run on 2 ranks, grid $grid"; done
if grep -q 'No result' "$work/table"; then complain "results are missing"; fi
for name in weak strong; do [ "$(head -c 4 "$work/tiny/$name.png" | tail -c 3)" = PNG ]; done
grep -q 'answer of the small case is right .*2 ranks' "$work/tiny/strong-00002.log"

# A wrong answer: the job fails and nothing is timed.
rm "$work/tiny"/*.json.tmp "$work/tiny/strong-00002.json" 2>/dev/null || true
sed -i 's/amplitude: 0.2/amplitude: 0.21/' "$work/tiny/check.yaml"
(cd "$work/tiny" && sbatch --parsable strong-00002.sbatch) >/dev/null
wait_for_jobs
[ ! -e "$work/tiny/strong-00002.json" ] || complain "timed in spite of a wrong answer"
grep -q 'nothing is timed' "$work/tiny/strong-00002.log" || complain "a wrong answer went unnoticed"

# run.sbatch: a run that ends, and one that stops twice with a checkpoint before it ends; a stand-in says when.
cd "$work"
AGWAVE=$agwave sbatch --parsable --ntasks=2 --output=run.log "$slurm/run.sbatch" "$slurm/check.yaml" "$work/whole" --set time.end=1 --quiet >/dev/null
wait_for_jobs
[ -s whole/summary.json ] || complain "run.sbatch did not finish the run"
cat >stand_in <<'SH'
#!/bin/bash
# run CASE --output DIR [--restart DIR]: 75 with a checkpoint at the first two starts
echo "$*" >>"$4/starts"
if [ "$(wc -l <"$4/starts")" -le 2 ]; then mkdir -p "$4/checkpoints/step_"{1,2.part}; touch "$4/checkpoints/step_"{1,2.part}/manifest.json; exit 75; fi
SH
chmod +x stand_in
mkdir parts
AGWAVE=$work/stand_in sbatch --parsable --ntasks=1 --output=run.log "$slurm/run.sbatch" case.yaml "$work/parts" >/dev/null
wait_for_jobs
[ "$(wc -l <parts/starts)" = 3 ] || complain "run.sbatch started $(wc -l <parts/starts) times instead of 3"
[ "$(grep -c -- "--restart $work/parts" parts/starts)" = 2 ] || complain "run.sbatch did not restart from the checkpoint"

# And agwave itself: signalled through Slurm it checkpoints, goes back into the queue, restarts, and ends as the unbroken run.
end=$("$python" -c 'import json; print(max(4, round(4 / json.load(open("whole/summary.json"))["loop_s"])))')  # for a loop of some four seconds
start_run() { AGWAVE=$agwave sbatch --parsable --ntasks=2 --output="$1.log" "$slurm/run.sbatch" "$slurm/check.yaml" "$work/$1" --set "time.end=$end" --quiet; }
start_run unbroken >/dev/null
wait_for_jobs
job=$(start_run stopped)
for _ in $(seq 300); do [ ! -s stopped/progress.json ] || break; sleep 0.1; done
sleep 0.5
scancel --signal=USR1 "$job"
wait_for_jobs
[ "$(grep -c "job $job, start" stopped.log)" = 2 ] || { cat stopped.log; complain "the stopped run was not started again"; }
grep -q "start 1: --restart $work/stopped" stopped.log || { cat stopped.log; complain "the requeued job did not restart from the checkpoint"; }
[ -s stopped/summary.json ] || { cat stopped.log; complain "the requeued run did not end"; }
"$python" - <<'PY' || complain "the requeued run is not the unbroken one"
import h5py, sys
with h5py.File("unbroken/sensors.h5") as a, h5py.File("stopped/sensors.h5") as b:
    sys.exit(any(a[k][()].tobytes() != b[k][()].tobytes() for k in ("time", "pressure", "sensor_pressure", "surface_height")))
PY
echo "slurm: passed"
