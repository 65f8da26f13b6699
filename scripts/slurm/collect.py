#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Reads the results of a campaign; prints and writes a table with parallel efficiencies and draws the scaling plots.

Efficiency is relative to the run with the fewest ranks of a series: t0 / t weak, t0 n0 / (t n) strong, t the median step of the slowest rank.
Writes table.md, weak.png and strong.png into the campaign's directory. Runs without a result are listed; exit 1 when there is none at all.

Example:
    collect.py results/table_vii
"""
import argparse
import json
import math
import pathlib
import sys

GREY = "#6b7280"
COLORS = ["#1f4e79", "#b5541c", "#1b7a6e", "#7b3f8c"]


class Wrong(Exception):
    """A file, and what is wrong with it."""


def said(error):
    """Of the exception that reading or using a document raised, in words."""
    if isinstance(error, KeyError):
        return f"it has no {error}"
    return getattr(error, "strerror", None) or (str(error) if isinstance(error, ValueError) else "it is laid out otherwise")


def read(path):
    try:
        with open(path, encoding="utf-8") as file:
            return json.load(file)
    except (OSError, ValueError) as error:
        raise Wrong(f"{path}: {said(error)}") from None


def load(directory):
    try:
        return results_of(directory)
    except (KeyError, TypeError, AttributeError, ValueError, ZeroDivisionError) as error:
        raise Wrong(f"{directory}: {said(error)}") from None


def results_of(directory):
    """The campaign, its series (lists of runs that have a result, fewest ranks first), and the names of those that have none."""
    campaign = read(directory / "campaign.json")
    series, missing = {}, []
    for run in campaign["runs"]:
        path = directory / f"{run['name']}.json"
        document = read(path) if path.exists() else {"results": []}
        result = next((r for r in document["results"] if r["elements"] == run["elements"] and r["grid"] == run["grid"] and r.get("stands_for", 1) == 1), None)
        if result is None:
            missing.append(run["name"])
            continue
        run |= {"step_ms": result["step_ms"], "gdofs": result["step_gdofs"], "dofs": result["dofs"], "transport": document["transport"],
                "device": document["device"], "spread": max(result["steps_ms"]) / min(result["steps_ms"])}
        series.setdefault(run["series"], []).append(run)
    for runs in series.values():
        runs.sort(key=lambda r: r["ranks"])
        first = runs[0]
        for r in runs:
            work = 1 if r["kind"] == "weak" else r["ranks"] / first["ranks"]
            r["efficiency"] = first["step_ms"] / (r["step_ms"] * work)
    return campaign, series, missing


def table(campaign, series, missing):
    lines = [f"{campaign['name']} on {campaign['machine']}, variant {campaign['variant']}", ""]
    for name, runs in series.items():
        elements = math.prod(runs[0]["elements"])
        size = f"{elements // runs[0]['ranks']:,} elements per rank" if runs[0]["kind"] == "weak" else f"{elements:,} elements"
        lines += [f"**{name}** ({runs[0]['kind']} scaling, {size}; {runs[0]['device']}, exchange {runs[-1]['transport']})", "",
                  "| ranks | grid | elements | dofs | step [ms] | slowest / fastest | GDOF\\*step/s | efficiency |", "|---:|---|---|---:|---:|---:|---:|---:|"]
        for r in runs:
            lines.append(f"| {r['ranks']:,} | {'x'.join(map(str, r['grid']))} | {'x'.join(map(str, r['elements']))} | {r['dofs']:,} | {r['step_ms']:.4g} "
                         f"| {r['spread']:.2f} | {r['gdofs']:.4g} | {100 * r['efficiency']:.1f} % |")
        lines.append("")
    if missing:
        lines += ["No result yet: " + ", ".join(dict.fromkeys(missing)), ""]
    return "\n".join(lines)


def draw(kind, series, campaign, path):
    """Step time against ranks, both logarithmic, each point with its efficiency, beside the ideal."""
    import matplotlib

    matplotlib.use("Agg")
    import matplotlib.pyplot as plt
    import matplotlib.ticker as ticker

    plt.rcParams.update({"font.size": 9, "axes.spines.top": False, "axes.spines.right": False, "axes.edgecolor": GREY, "axes.titlesize": 10.5})
    figure, axes = plt.subplots(figsize=(5.6, 4.0), layout="constrained")
    chosen = [(name, runs) for name, runs in series.items() if runs[0]["kind"] == kind]
    times = []
    for n, (name, runs) in enumerate(chosen):
        color = COLORS[n % len(COLORS)]
        ranks, steps = [r["ranks"] for r in runs], [r["step_ms"] for r in runs]
        ideal = [steps[0] * (1 if kind == "weak" else ranks[0] / k) for k in ranks]
        times += steps + ideal
        axes.plot(ranks, ideal, "--", color=GREY, linewidth=1, label="ideal" if n == 0 else None)
        axes.plot(ranks, steps, "o-", color=color, label=name)
        for r in runs:
            axes.annotate(f"{100 * r['efficiency']:.3g} %", (r["ranks"], r["step_ms"]), xytext=(0, 8), textcoords="offset points", ha="center",
                          color=color)
    everything = sorted({r["ranks"] for _, runs in chosen for r in runs})
    axes.set_xscale("log", base=2)
    axes.set_yscale("log")
    if len(everything) <= 12:
        axes.set_xticks(everything)
    if len(everything) == 1:
        axes.set_xlim(everything[0] / 2, everything[0] * 2)
    axes.xaxis.set_major_formatter(ticker.FuncFormatter(lambda value, _: f"{value:,.0f}"))
    axes.xaxis.set_minor_locator(ticker.NullLocator())
    axes.set_ylim(0.6 * min(times), 1.8 * max(times))
    axes.yaxis.set_major_locator(ticker.LogLocator(base=10, subs=(1, 2, 5)))
    axes.yaxis.set_major_formatter(ticker.FuncFormatter(lambda value, _: f"{value:g}"))
    axes.yaxis.set_minor_formatter(ticker.NullFormatter())
    axes.grid(axis="y", color="#e5e7eb", linewidth=0.8)
    axes.set_axisbelow(True)
    axes.set_xlabel("GPUs" if chosen[0][1][0]["device"] != "cpu" else "ranks")
    axes.set_ylabel("RK4 step [ms]")
    axes.set_title(f"{kind.capitalize()} scaling, {campaign['variant']}, {chosen[0][1][0]['device']}", loc="left")
    axes.legend(frameon=False, loc="best")
    figure.savefig(path, dpi=160)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("directory", type=pathlib.Path, help="what campaign.py wrote, with the JSON files of its runs")
    directory = parser.parse_args().directory
    try:
        campaign, series, missing = load(directory)
    except Wrong as error:
        sys.exit(f"collect.py: {error}; is it what campaign.py wrote?")
    if not series:
        sys.exit(f"collect.py: {directory}: no run has a result yet")
    text = table(campaign, series, missing)
    (directory / "table.md").write_text(text, encoding="utf-8")
    print(text)
    for kind in ("weak", "strong"):
        if any(runs[0]["kind"] == kind for runs in series.values()):
            draw(kind, series, campaign, directory / f"{kind}.png")


if __name__ == "__main__":
    main()
