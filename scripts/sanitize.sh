#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# The CPU tests under sanitizers: scripts/sanitize.sh address|thread [CTEST OPTIONS].
#   address   address and undefined-behaviour sanitizers, every test (GCC or Clang; preset asan)
#   thread    thread sanitizer with two OpenMP threads a rank, the tests in which the writer's thread works beside the time loop and the
#             one that runs every CPU kernel (preset tsan: Clang with its libomp-dev, which tells the sanitizer where threads meet; of libraries
#             that know no sanitizer, MPI and HDF5, what they do among themselves is not looked at)
# Any report fails, one of a program whose output or exit code no test looks at too: reports go to build/<preset>/reports.
set -euo pipefail
source "$(dirname "$0")/environment.sh"
kind=${1:-}
shift || true
options=()
case $kind in
  address) preset=asan tests=(-LE gpu) ;;
  thread)
    source scripts/clang.sh
    preset=tsan options=(-DCMAKE_C_COMPILER="clang$clang_suffix" -DCMAKE_CXX_COMPILER="clang++$clang_suffix")
    tests=(-R '^unit\.(writer|checkpoint|outputs)|^kernels\.determinism$|^cases\.(simulation|snapshots|run_outputs|restart$)')
    ;;
  *) sed -n '3,10s/^# \{0,1\}//p' "$0" >&2; exit 2 ;;
esac
prefix=()
if setarch -R true 2>/dev/null; then prefix=(setarch -R); fi  # sanitizers of some years ago do not know how far addresses are randomised
cmake --preset $preset "${options[@]}" | tail -n 1
cmake --build --preset $preset -j "$(nproc)"
reports=$PWD/build/$preset/reports
rm -rf "$reports"
mkdir "$reports"
failed=0
AGWAVE_REPORTS=":log_path=$reports/report" "${prefix[@]}" ctest --preset $preset -j "$(nproc)" "${tests[@]}" "$@" || failed=1
for report in "$reports"/*; do
  if [ -e "$report" ]; then
    cat "$report"
    failed=1
  fi
done
exit $failed
