#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# ranks: 2
# A rank that is killed, and one that runs out of memory: all ranks stop within 30 s with a message that names rank, host and cause and an
# exit code other than 0, none is left behind, and the traces written so far can be read.
#   rank_failure.sh AGWAVE SOURCE_DIR PYTHON [RANKS]
# RANKS: with so many, two or more, on as many GPUs; otherwise on CPUs.
set -euo pipefail
agwave=$1 python=$3 gpus=${4:-0}
device=cpu ranks=4
if [ "$gpus" -gt 1 ]; then device=cuda ranks=$gpus; fi
if ! command -v mpirun >/dev/null; then echo "rank_failure: skipped: no mpirun"; exit 77; fi
export OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1
export OMPI_MCA_btl_vader_single_copy_mechanism=none  # reading from a dead rank's memory, Open MPI 4.1 can stop itself in a way that blocks mpirun
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work"
launch=(timeout --kill-after=5 100 mpirun --oversubscribe --bind-to none)
complain() { echo "rank_failure: $1"; cat output; exit 1; }

cat >case.yaml <<'YAML'
domain: {size: [80000.0, 60000.0], bathymetry: {type: flat, depth: 4000.0}}
mesh: {elements: [16, 16, 4]}
sources: [{shape: {type: gaussian, center: [40000, 30000], radius: [8000, 8000]}, ramp: {type: smoothstep, duration: 10}}]
time: {end: 100000}
sensors: {interval: 0.5, seafloor: [{name: A, x: 40000, y: 30000}]}
output: {directory: out}
YAML

# The last but one rank, of two the last, is killed once samples are in the file.
victim=$((ranks > 2 ? ranks - 2 : 1))
"${launch[@]}" -n "$ranks" bash -c 'echo $$ >pid.$OMPI_COMM_WORLD_RANK; exec "$0" "$@"' "$agwave" run case.yaml --device $device --quiet >output 2>&1 &
mpirun_pid=$!
for _ in $(seq 240); do
  [ -s out/progress.json ] && grep -q '"step": [1-9][0-9]' out/progress.json && break
  sleep 0.25
done
[ -s pid.$victim ] || complain "the run did not start"
start=$SECONDS code=0
kill -KILL "$(cat pid.$victim)"
wait $mpirun_pid || code=$?
[ $((SECONDS - start)) -le 30 ] || complain "the other ranks took $((SECONDS - start)) s to stop"
[ $code != 0 ] || complain "exit code 0 after a rank was killed"
grep -Eqi "rank $victim .*on node $(hostname -s).*signal 9" <(tr '\n' ' ' <output) || complain "no message names rank $victim, the host and the signal"
running() { [[ "$(ps -o stat= -p "$1" 2>/dev/null)" =~ ^[^Z] ]]; }
sleep 1
for ((rank = 0; rank < ranks; ++rank)); do if [ $rank != $victim ] && running "$(cat pid.$rank)"; then complain "rank $rank is still there"; fi; done
"$python" - <<'PY' || complain "the traces cannot be read"
try:
    import h5py
except ImportError:
    raise SystemExit(0)
import numpy
with h5py.File("out/sensors.h5", "r") as file:
    written = int(file["samples_written"][()])
    assert written > 0 and numpy.isfinite(file["pressure"][:written]).all(), written
PY

# Rank 1 may not have the memory that its share needs: everyone hears of it.
if [ "${AGWAVE_TEST_SLOWDOWN:-1}" != 1 ]; then  # cmake/tests.cmake
  echo "rank_failure: the killed rank passed; a sanitizer wants terabytes of addresses, so a rank short of memory is not tried"
  exit 77
fi
if [ $device = cuda ]; then
  if [ "$(nvidia-smi -i 1 --query-gpu=memory.total --format=csv,noheader,nounits)" -lt 140000 ]; then
    echo "rank_failure: the killed rank passed; a GPU short of memory is tried with meshes for 141 GB"
    exit 77
  fi
  # Another run has 85 GB or more of an H200's 150, at 20 bytes per dof; 80 GB a rank are asked for.
  CUDA_VISIBLE_DEVICES=1 "$agwave" run case.yaml --device cuda --quiet --output other --set 'mesh.elements=[512, 512, 64]' >other.txt 2>&1 &
  other=$!
  trap 'kill -KILL $other 2>/dev/null; rm -rf "$work"' EXIT
  for _ in $(seq 240); do
    [ -s other/progress.json ] && break
    sleep 0.25
  done
  [ -s other/progress.json ] || { cat other.txt; complain "the run that fills GPU 1 did not start"; }
  short=("${launch[@]}" -n "$ranks" "$agwave" run case.yaml --device cuda --quiet --set time.end=1 --output large --set "mesh.elements=[1024, $((320 * ranks)), 48]")
  what='not enough memory on NVIDIA'
else
  cat >starved <<'SH'
#!/bin/bash
if [ "$OMPI_COMM_WORLD_RANK" = 1 ]; then ulimit -v "$LIMIT"; fi
exec "$@"
SH
  chmod +x starved
  run=("${launch[@]}" -n 2 ./starved "$agwave" run case.yaml --device cpu --quiet --set time.end=1 --output small)
  limit=
  for megabytes in 300 400 500 600 700 800 1000 1200 1600; do  # the least that MPI and a small run need
    if LIMIT=$((megabytes * 1024)) "${run[@]}" >output 2>&1; then limit=$megabytes; break; fi
  done
  [ -n "$limit" ] || complain "the small run needs more than 1600 MB"
  # Threads of MPI take address space in pieces of 128 MB, and not the same number each time; the large run lacks more than what is added here.
  export LIMIT=$(((limit + 300) * 1024))
  short=("${run[@]}" --set 'mesh.elements=[256, 128, 16]')
  what='out of host memory'
fi
start=$SECONDS code=0
timeout 60 "${short[@]}" >output 2>&1 || code=$?
[ $code = 6 ] || complain "exit code $code instead of 6"
[ $((SECONDS - start)) -le 40 ] || complain "$((SECONDS - start)) s to notice"
[ "$(grep -c '^agwave: ' output)" = 1 ] || complain "more than one message"
grep -q "^agwave: rank 1 on $(hostname).*: $what" output || complain "no message names rank 1, the host and the cause"
echo "rank_failure: passed"
