#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Prints the Markdown table of benchmarks/README.md from files that `agwave bench --json` wrote, so that no figure is typed.

One table per device, geometry order and quadrature; of each variant the size nearest to the papers' 540 million dofs, and among
equals the last one given. Times on a CPU are left out: they mean something only as ratios within one run.

Example:
    bench_table.py benchmarks/h200.json
    bench_table.py benchmarks/*.json --dofs 67e6 --full
"""
import argparse
import json
import math
import sys

PAPER = {"pa": ("PA", 18.73), "fused-pa": ("Fused PA", 24.04), "fused-mf": ("Fused MF", 20.45), "dmma-pa": ("DMMA PA", 25.27),
         "dmma-fused-pa": ("DMMA Fused PA", 36.15), "dmma-fused-mf": ("DMMA Fused MF", 32.24)}  # GH200, 540 million dofs [GDOF/s]


def throughput(result):
    """Both off-diagonal blocks [GDOF/s], and whether it is four times the RK4 step's for want of an operator."""
    if result["operator_gdofs"] is not None:
        return result["operator_gdofs"], False
    return result.get("operator_equivalent_gdofs") or 4 * result["step_gdofs"], True


def figure(value, form="{:.2f}"):
    return "-" if value is None else form.format(value)


def row(name, result, full):
    title, paper = PAPER.get(name, (name, None))
    ours, equivalent = throughput(result) if result else (None, False)
    cells = [title, figure(paper), figure(ours) + (" (step x 4)" if equivalent else ""), figure(ours / paper if ours and paper else None)]
    if full:
        fraction = result and result["roofline_fraction"]
        cells += [figure(fraction and 100 * fraction, "{:.0f} %"), figure(result and result["step_gdofs"]),
                  figure(result and result["bytes_per_dof"], "{:.1f}"),
                  figure(result and result.get("step_watts" if equivalent else "watts"), "{:.0f}"),
                  figure(result and result.get("step_mdofs_per_joule" if equivalent else "mdofs_per_joule"), "{:.1f}")]
    return cells


def table(heading, results, full):
    head = ["variant", "paper GH200 GDOF/s", "ours GDOF/s", "ratio"]
    if full:
        head += ["of roofline", "RK4 step GDOF*step/s", "bytes per dof", "W", "MDOF/J"]
    names = list(PAPER) + [n for n in results if n not in PAPER]
    lines = [heading, "", "| " + " | ".join(head) + " |", "|---" + "|---:" * (len(head) - 1) + "|"]
    return "\n".join(lines + ["| " + " | ".join(row(n, results.get(n), full)) + " |" for n in names])


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("files", nargs="+", help="JSON files of agwave bench")
    parser.add_argument("--dofs", type=float, default=540e6, help="size wanted (default 540e6); the nearest measured one is taken")
    parser.add_argument("--full", action="store_true", help="also roofline, RK4 step, memory and energy")
    options = parser.parse_args()
    groups = {}
    for path in options.files:
        try:
            with open(path, encoding="utf-8") as file:
                document = json.load(file)
            for r in document["results"]:
                key = document["device"], r["geometry_order"], r["quadrature"]
                best = groups.setdefault(key, {})
                distance = abs(math.log(r["dofs"] / options.dofs))
                if r["device"] == "cuda" and (r["variant"] not in best or distance <= best[r["variant"]][0]):
                    best[r["variant"]] = distance, r, document["build"]["commit"]
        except (OSError, ValueError, KeyError, TypeError) as error:
            sys.exit(f"bench_table.py: {path}: not a file of agwave bench --json: {error!r}")
    if not groups:
        sys.exit("bench_table.py: no results in " + ", ".join(options.files))
    if not any(groups.values()):
        print(f"bench_table.py: {', '.join(options.files)}: nothing was timed on a GPU; the figures are those of the papers alone", file=sys.stderr)
    tables = []
    for (device, order, quadrature), best in sorted(groups.items()):
        sizes = sorted({r["dofs"] for _, r, _ in best.values()})
        size = " to ".join(f"{s / 1e6:.4g}" for s in (sizes[:1] + sizes[-1:] if len(sizes) > 1 else sizes))
        commits = ", ".join(sorted({c for _, _, c in best.values()}))
        heading = f"{device}, geometry order {order}, Q1D = {quadrature}"
        heading += f", {size} million dofs, commit {commits}" if best else ", not timed on a GPU"
        tables.append(table(heading, {name: r for name, (_, r, _) in best.items()}, options.full))
    print("\n\n".join(tables))


if __name__ == "__main__":
    main()
