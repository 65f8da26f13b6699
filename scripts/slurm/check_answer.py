#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Compares the summary.json of check.yaml with the pinned answer; exit 1 when they differ.

The answer is that of variant `reference`, the plain evaluation of the definition, on one CPU rank (2026-11-21). Variants of RK4,
devices and numbers of ranks differ from it by rounding only; the tolerance leaves a factor of a thousand for that.

Example:
    check_answer.py results/check/summary.json
"""
import argparse
import json
import sys

TOLERANCE = 1e-9  # relative
ANSWER = {
    "dofs": 1063137,
    "steps": 80,
    "step_s": 0.05,
    "energy.final": 221836103418927.3,  # [J]
    "energy.source_work": 221884818725854.3,
    "energy.boundary_loss": 678482411.9165062,
    "max_pressure_pa": 694772.688942252,
    "max_surface_height_m": 0.8209659222533408,
}


def find(document, path):
    for key in path.split("."):
        document = document.get(key) if isinstance(document, dict) else None
    return document


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("summary", help="summary.json of a run of check.yaml")
    path = parser.parse_args().summary
    try:
        with open(path, encoding="utf-8") as file:
            summary = json.load(file)
    except (OSError, ValueError) as error:
        sys.exit(f"check_answer.py: {path}: {error}")
    wrong = 0
    for key, expected in ANSWER.items():
        found = find(summary, key)
        if not isinstance(found, (int, float)) or not abs(found - expected) <= TOLERANCE * abs(expected):
            print(f"check_answer.py: {path}: {key} is {found}, expected {expected}", file=sys.stderr)
            wrong += 1
    if wrong:
        sys.exit(f"check_answer.py: wrong answer from {summary.get('variant')} on {summary.get('ranks')} ranks: nothing is timed")
    print(f"answer of the small case is right ({summary['variant']} on {summary['device']}, {summary['ranks']} ranks)")


if __name__ == "__main__":
    main()
