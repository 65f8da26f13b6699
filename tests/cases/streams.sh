#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Where output is no file, or finds no room: devices and pipes stay what they are, and whatever could not be written ends with exit code 5 and its name.
#   streams.sh AGWAVE SOURCE_DIR PYTHON
set -euo pipefail
agwave=$1 quickstart=$(cd "$2" && pwd)/configs/quickstart.yaml python=$3
export OMP_NUM_THREADS=1 OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work"

fail() {
  echo "streams.sh: $*" >&2
  exit 1
}
fails() {  # fails PATTERN COMMAND...: ends with 5 and says PATTERN, its standard output gone to `answer`
  local code=0 pattern=$1 errors
  shift
  errors=$("$@" 2>&1 >answer) || code=$?  # no file, whose size could be limited
  [ $code = 5 ] || fail "$*: exit code $code instead of 5: $errors"
  grep -Eq -- "$pattern" <<<"$errors" || fail "$*: does not say '$pattern': $errors"
}
bench=("$agwave" bench --device cpu --variant pa --elements 1x1x1 --steps 1 --warmup 0 --energy-seconds 0 --json)
is_document() { "$python" -c 'import json, sys; assert len(json.load(open(sys.argv[1]))["results"]) == 1' "$1" || fail "$1 is no document"; }

# By links, so that nothing but them can be lost.
ln -s /dev/full full.json
fails "--json: full.json: cannot write: No space left on device" "${bench[@]}" full.json
[ -L full.json ] || fail "a device was replaced by a file"
fails "full.json: cannot write: No space left on device" "$agwave" check "$quickstart" --device cpu --output out --plot full.json
[ -L full.json ] || fail "a device was replaced by a file"
mkfifo pipe
cat pipe >piped &
"${bench[@]}" pipe >table
wait
[ -p pipe ] || fail "a pipe was replaced by a file"
is_document piped
ln -s /dev/stdout own
"${bench[@]}" own >table
[ -L own ] || fail "the standard output was replaced by a file"
grep -q "^pa .* 1x1x1 " table || fail "the table is lost: $(cat table)"
sed -n '/^{/,$p' table >document
is_document document
"${bench[@]}" file.json >table  # and files as before
is_document file.json

# Commands that answer in print.
ln -sf /dev/full answer
fails "standard output: not all of it could be written: No space left on device" "$agwave" check "$quickstart" --device cpu --output out
for words in schema "schema --json" --version "check $quickstart --device cpu --output out --json" info "run --help"; do
  # shellcheck disable=SC2086  # several words
  fails "standard output: not all of it could be written" "$agwave" $words
done
rm answer

# A limit on the size of files stands for a full disk. Above what the MPI library writes for itself.
limited() { (
  ulimit -f 8192
  "$@"
); }
fails "limited/sensors.h5: cannot .*: File too large" limited "$agwave" run "$quickstart" --quiet --device cpu --output "$work/limited" \
  --set 'sensors.seafloor={grid: {counts: [150, 150]}}'
[ -z "$(ls limited)" ] || fail "a run without room left $(ls limited)"
echo "streams: passed"
