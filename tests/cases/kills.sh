#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# The short form of scripts/kill_campaign.py: kills.sh AGWAVE SOURCE_DIR PYTHON
# label: slow
set -euo pipefail
"$3" -c 'import h5py, numpy' 2>/dev/null || { echo "skipped: Python lacks h5py or numpy; pip install -r scripts/requirements.txt"; exit 77; }
exec "$3" "$2/scripts/kill_campaign.py" "$1" --kills 5 --seconds 3 --ranks 2
