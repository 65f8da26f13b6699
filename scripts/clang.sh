# SPDX-License-Identifier: Apache-2.0
# shellcheck shell=bash
# Sourced by what needs Clang: finds the newest there is, and sets clang_suffix ("" or "-19") for clang, clang++ and clang-tidy. Older ones than 17 do not
# know all of C++20 that the sources use: template arguments of aggregates, types of templates without `typename`.
clang_suffix=none
for suffix in -22 -21 -20 -19 -18 -17 ""; do
  command -v "clang++$suffix" >/dev/null || continue
  if [ "$("clang++$suffix" -dumpversion | cut -d. -f1)" -ge 17 ]; then clang_suffix=$suffix; break; fi
done
if [ "$clang_suffix" = none ]; then
  echo "$(basename "$0"): needs Clang 17 or newer; scripts/install_deps.sh --long installs one" >&2
  exit 1
fi
