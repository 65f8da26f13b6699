#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Documentation: writes the pages that come from the code (the reference of the case file, its JSON Schema) and builds the site into build/docs.
#   docs.sh [AGWAVE]      the binary, build/cpu/agwave if not given
#   docs.sh --pages [AGWAVE]    the generated pages alone, which need nothing but the binary
set -euo pipefail
source "$(dirname "$0")/environment.sh"
pages_only=false
if [ "${1:-}" = --pages ]; then
  pages_only=true
  shift
fi
agwave=${1:-build/cpu/agwave}

part=$(mktemp -d)
trap 'rm -rf "$part"' EXIT
{
  cat docs/case-file.head
  "$agwave" schema --markdown
} >"$part/case-file.md"
"$agwave" schema --json >"$part/case.schema.json"
for page in case-file.md case.schema.json; do cmp -s "$part/$page" "docs/$page" || cp "$part/$page" "docs/$page"; done
if $pages_only; then exit 0; fi

if ! command -v mkdocs >/dev/null; then
  echo "docs.sh: mkdocs is missing: pip install -r scripts/requirements-dev.txt" >&2
  exit 1
fi
NO_MKDOCS_2_WARNING=1 mkdocs build --strict
echo "build/docs/index.html"
