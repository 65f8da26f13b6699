#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Formats the C++ and CUDA sources by .clang-format; with --check only says which would change, and exits 1 if any.
set -euo pipefail
source "$(dirname "$0")/environment.sh"
mode=(-i)
if [ "${1:-}" = --check ]; then mode=(--dry-run -Werror --ferror-limit=1); fi
find src tests -name '*.cpp' -o -name '*.hpp' -o -name '*.cu' -o -name '*.cuh' | sort | xargs clang-format "${mode[@]}"
