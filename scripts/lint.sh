#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Runs clang-tidy by .clang-tidy over src/**/*.cpp, or over the files given; exits 1 if it has anything to say. Needs Clang.
set -euo pipefail
source "$(dirname "$0")/environment.sh"
source scripts/clang.sh
tidy=clang-tidy$clang_suffix
command -v "$tidy" >/dev/null || { echo "lint.sh: $tidy is not installed; scripts/install_deps.sh --long installs Clang with it" >&2; exit 1; }
[ -f build/cpu/compile_commands.json ] || cmake --preset cpu >/dev/null
files=("$@")
if [ ${#files[@]} = 0 ]; then mapfile -t files < <(find src -name '*.cpp' | sort); fi
printf '%s\0' "${files[@]}" | xargs -0 -P "$(nproc)" -n 1 "$tidy" -p build/cpu --quiet --warnings-as-errors='*' 2>/dev/null
