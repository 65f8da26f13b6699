#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# The digital twin of docs/twin.md, from bathymetry to forecast: an event on its own mesh, maps from the motion of the floor to sensors and gauges, what is
# inferred from the event's pressure with 1 % of noise, and a page of pictures that compares it with the truth: event.html. Then the same with another
# event, of which nothing has to be made anew: event_west.html.
#   scripts/twin.sh [--bathymetry FILE]          on two CPU cores in about ten minutes; without a file, over a margin given by a formula
#   scripts/twin.sh --full --bathymetry FILE     the full case, for a GPU
#   scripts/twin.sh --small [--bathymetry FILE]  a test of the workflow in a minute or two, too coarse to say much
# --agwave PROGRAM and --output DIR say what to run and where to write (results/twin, twin_full, twin_small). Maps of a run that ended early are kept.
set -euo pipefail
source "$(dirname "$0")/environment.sh"
here=$OLDPWD  # where paths of the command line count from

size=middle bathymetry='' agwave='' out=''
wrong() { echo "twin.sh: $1; allowed are --full, --small, --bathymetry FILE, --agwave PROGRAM, --output DIR and --help" >&2; exit 2; }
while [ $# -gt 0 ]; do
  case $1 in
    --help | -h) sed -n '3,9s/^# \{0,1\}//p' scripts/twin.sh; exit ;;
    --full) size=full ;;
    --small) size=small ;;
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
mkdir -p "$out"
step() { printf '\n== %s (%d s)\n' "$*" "$SECONDS"; }

if [ -z "$bathymetry" ]; then
  bathymetry=$out/margin.tt3
  python3 scripts/twin_margin.py -o "$bathymetry"
fi
[ -f "$bathymetry" ] || { echo "twin.sh: $bathymetry does not exist; docs/twin.md says where grids come from" >&2; exit 3; }
grid=(--set "domain.bathymetry.file=$(realpath "$bathymetry")")
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
  options+=("${grid[@]}" --set "sensors.seafloor=[{file: $(realpath "$sensors")}]" --set "sensors.surface=[{file: $(realpath "$gauges")}]")
done

step "the events"
"$agwave" run configs/twin_event.yaml "${event[@]}" --output "$out/event" --quiet
"$agwave" run configs/twin_event_west.yaml "${event[@]}" --output "$out/event_west" --quiet

step "maps"
if [ -f "$out/p2o/p2o.json" ]; then model+=(--restart); fi  # those of another case are refused
"$agwave" p2o configs/twin_aleutian.yaml "${model[@]}" --output "$out/p2o"

[ $size = small ] && windows=30,60,120,180 || windows=30,60,120,300
infer() {  # EVENT SEED
  python3 scripts/infer.py "$out/p2o/maps.h5" --data "$out/$1" --add-noise "$2" --windows $windows "${infer[@]}" --factor "$out/factor.h5" -o "$out/$1.h5"
  python3 scripts/twin_report.py "$out/$1.h5" --truth "$out/$1" --json "$out/$1.json" -o "$out/$1.html"
}
step "inference and pictures"
infer event 1
step "another event, with the factor as it is"
infer event_west 2
printf '\nThe whole took %d s.\n' "$SECONDS"
