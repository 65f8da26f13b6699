#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# The digital twin of docs/twin.md, from bathymetry to forecast: an event on its own mesh, maps from the motion of the floor to sensors and gauges, what is
# inferred from the event's pressure with 1 % of noise, and a page of pictures that compares it with the truth: event.html. Then the same with another
# event, of which nothing has to be made anew: event_west.html.
#   scripts/twin.sh [--bathymetry FILE]          on two CPU cores in about ten minutes; without a file, over a margin given by a formula
#   scripts/twin.sh --full --bathymetry FILE     the full case, for a GPU
#   scripts/twin.sh --small [--bathymetry FILE]  a test of the workflow in a minute or two, too coarse to say much
# --agwave PROGRAM and --output DIR say what to run and where to write (results/twin, twin_full, twin_small). Maps of a run that ended early are kept.
# --share N makes the maps in N groups of one rank on each GPU, side by side under CUDA MPS (nvidia-cuda-mps-control), which is started for that and stopped at
# the end: 3 with --full where GPU, MPS and mpirun are there, else 1, and what is missing is said.
set -euo pipefail
source "$(dirname "$0")/environment.sh"
here=$OLDPWD  # where paths of the command line count from

size=middle bathymetry='' agwave='' out='' share=''
wrong() { echo "twin.sh: $1; allowed are --full, --small, --bathymetry FILE, --share N, --agwave PROGRAM, --output DIR and --help" >&2; exit 2; }
while [ $# -gt 0 ]; do
  case $1 in
    --help | -h) sed -n '3,12s/^# \{0,1\}//p' scripts/twin.sh; exit ;;
    --full) size=full ;;
    --small) size=small ;;
    --share)
      [[ ${2:-} =~ ^[1-9][0-9]*$ ]] || wrong "--share ${2:-} is no number of groups"
      share=$2
      shift
      ;;
    --bathymetry | --agwave | --output)
      [ -n "${2:-}" ] || wrong "$1 without a value"
      [[ $2 = /* ]] && path=$2 || path=$here/$2
      declare "$(sed 's/--output/out/; s/^--//' <<<"$1")=$path"
      shift
      ;;
    *) wrong "unknown option $1" ;;
  esac
  shift
done
if [ -z "$agwave" ]; then
  for agwave in build/cuda/agwave build/cpu/agwave "$(command -v agwave || true)"; do [ ! -x "$agwave" ] || break; done
fi
[ -x "$agwave" ] || { echo "twin.sh: no agwave in build/cuda, build/cpu or on the path; build it (docs/getting-started.md) or give --agwave" >&2; exit 2; }
if [ -z "$out" ]; then out=results/twin && [ $size = middle ] || out=results/twin_$size; fi
yaml() { printf "'%s'" "${1//\'/\'\'}"; }  # a path as a string of YAML, whatever is in it
step() { printf '\n== %s (%d s)\n' "$*" "$SECONDS"; }
say() {  # COMMAND ARGUMENT...
  printf '+'
  printf ' %q' "$@"
  printf '\n'
  "$@"
}

# One propagation leaves a GPU idle between its sweeps; several processes fill it only where MPS lets them run at once.
source scripts/mps.sh
trap stop_mps EXIT
trap 'exit 130' INT
trap 'exit 143' TERM
groups_and_gpus() {  # sets share and gpus; asked before anything is computed
  local missing=() program
  for program in nvidia-smi nvidia-cuda-mps-control mpirun; do command -v $program >/dev/null || missing+=("$program"); done
  if [ ${#missing[@]} = 0 ]; then
    if [ -n "${CUDA_VISIBLE_DEVICES:-}" ]; then gpus=$(tr , '\n' <<<"$CUDA_VISIBLE_DEVICES" | grep -c .); else gpus=$(nvidia-smi -L | grep -c ^GPU || true); fi
    [ "$gpus" -gt 0 ] || missing=("GPU that nvidia-smi lists")
  fi
  if [ -z "$share" ]; then
    share=1
    if [ $size = full ]; then
      if [ ${#missing[@]} = 0 ]; then share=3; else echo "maps one after the other: there is no ${missing[*]}"; fi
    fi
  fi
  [ "$share" = 1 ] || [ ${#missing[@]} = 0 ] || wrong "--share $share: there is no ${missing[*]}"
}
side_by_side() {  # sets launch and adds to model
  [ "$share" -gt 1 ] || return 0
  launch=(env AGWAVE_SHARE_GPUS=1)
  if ! start_mps; then
    echo "maps one after the other"
    launch=()
    return 0
  fi
  launch+=("${mps_env[@]}")
  launch+=(mpirun -n $((share * gpus)))
  model+=(--set parallel.group=1)
  echo "maps side by side: $share groups of one rank on each GPU, $gpus in all"
}

gpus=0
groups_and_gpus
mkdir -p "$out"
if [ -z "$bathymetry" ]; then
  bathymetry=$out/margin.tt3
  python3 scripts/twin_margin.py -o "$bathymetry"
fi
[ -f "$bathymetry" ] || { echo "twin.sh: $bathymetry does not exist; docs/twin.md says where grids come from" >&2; exit 3; }
grid=(--set "domain.bathymetry.file=$(yaml "$(realpath "$bathymetry")")")
sensors=configs/twin_sensors.csv gauges=configs/twin_gauges.csv
event=() model=() infer=(--interval 1)
case $size in
  full) ;;
  middle)  # no water shallower than 2.5 km, which lets steps be a quarter of a second
    event=(--set 'mesh.elements=[72,54,1]' --set domain.bathymetry.min_depth=2500)
    model=(--set 'mesh.elements=[60,45,1]' --set time.safety=0.9 --set domain.bathymetry.min_depth=2500 --set p2o.interval=0.5 --set p2o.parameters.spacing=8000)
    infer=(--interval 2)
    ;;
  small)  # half of the sensors, two thirds of the gauges
    sensors=$out/sensors.csv gauges=$out/gauges.csv
    awk 'NR % 2' configs/twin_sensors.csv >"$sensors"
    awk 'NR % 3 != 0' configs/twin_gauges.csv >"$gauges"
    event=(--set 'mesh.elements=[48,36,1]' --set domain.bathymetry.min_depth=3000 --set time.end=181)
    model=(--set 'mesh.elements=[40,30,1]' --set time.safety=0.9 --set domain.bathymetry.min_depth=3000 --set p2o.interval=0.5 --set p2o.end=180
      --set time.end=180 --set p2o.parameters.spacing=10000)
    infer=(--interval 2)
    ;;
esac
for part in event model; do
  declare -n options=$part
  options+=("${grid[@]}" --set "sensors.seafloor=[{file: $(yaml "$(realpath "$sensors")")}]" --set "sensors.surface=[{file: $(yaml "$(realpath "$gauges")")}]")
done

step "the events"
for name in event event_west; do
  find_restart "$out/$name"
  "$agwave" run "configs/twin_$name.yaml" "${event[@]}" --output "$out/$name" --quiet "${restart[@]}"
done

step "maps"
if [ -f "$out/p2o/p2o.json" ]; then model+=(--restart); fi  # those of another case are refused
launch=()
side_by_side
say "${launch[@]}" "$agwave" p2o configs/twin_aleutian.yaml "${model[@]}" --output "$out/p2o"
stop_mps

[ $size = small ] && windows=30,60,120,180 || windows=30,60,120,300
infer() {  # EVENT SEED OPTION...
  python3 scripts/infer.py "$out/p2o/maps.h5" --data "$out/$1" --add-noise "$2" --windows $windows "${infer[@]}" "${@:3}" --factor "$out/factor.h5" -o "$out/$1.h5"
  python3 scripts/twin_report.py "$out/$1.h5" --truth "$out/$1" --json "$out/$1.json" -o "$out/$1.html"
}
step "inference and pictures"
infer event 1 --fit-prior "$out/prior.json"
step "another event, with the prior and the factor as they are"
infer event_west 2 --prior "$out/prior.json"
printf '\nThe whole took %d s.\n' "$SECONDS"
