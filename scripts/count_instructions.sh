#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Instructions per element and RK4 step of the CPU's two-sweep kernels, by callgrind: a figure that does not depend on what else the machine does.
# Two runs that differ by two steps are subtracted. Valgrind does not know AVX-512.
#   count_instructions.sh AGWAVE [ELEMENTS [INSTRUCTION_SET]]
set -euo pipefail
agwave=$1 elements=${2:-32x16x8} simd=${3:-avx2}
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
for steps in 1 3; do
  OMP_NUM_THREADS=1 AGWAVE_SIMD=$simd valgrind --tool=callgrind --callgrind-out-file="$work/out" "$agwave" bench --device cpu --variant two-sweep \
    --elements "$elements" --steps "$steps" --warmup 0 >"$work/log" 2>&1 || { cat "$work/log"; exit 1; }
  callgrind_annotate --threshold=100 "$work/out" >"$work/$steps"
done
python3 - "$elements" "$work/1" "$work/3" <<'PYTHON'
import collections, math, re, sys

def count(path):
    counts = collections.Counter()
    for line in open(path, encoding="utf-8"):
        found = re.match(r"\s*([\d,]+) .*agwave::two_sweep::N_\w+::(\w+(?:<\w+>)?)\(", line)
        if found:
            counts[found.group(2)] += int(found.group(1).replace(",", ""))
    return counts

few, many = count(sys.argv[2]), count(sys.argv[3])
elements = math.prod(int(n) for n in sys.argv[1].split("x"))
each = {name: (many[name] - few[name]) / 2 / elements for name in many}
for name, value in sorted(each.items(), key=lambda item: -item[1]):
    if value >= 1:
        print(f"{name:24} {value:9.0f}")
print(f"{'total':24} {sum(each.values()):9.0f}   instructions per element and step, {sys.argv[1]} elements")
PYTHON
