#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Plots files of `agwave bench --json`: throughput against problem size per variant, and the roofline.

Left, both off-diagonal blocks, in dofs per second; variants without a separate operator show four times their RK4 step. Hollow marks
are the papers' GH200 figures. Right, the largest size of each variant: modelled flops and bytes, so a point on the roof does the
modelled work as fast as the device allows; left out where none is modelled, as of two-sweep alone. Tensor-core variants are dashed and share
the colour of their CUDA-core twin.

Example:
    plot_bench.py sweep.json -o throughput.png
    plot_bench.py order1.json order4.json -o both.pdf
"""
import argparse
import pathlib
import sys

import common  # first: says which package is missing
import arguments

import matplotlib

matplotlib.use("Agg")
import matplotlib.pyplot as plt
import matplotlib.ticker as ticker
import numpy as np
from figures import PAPER, PAPER_DOFS, Wrong, bench, throughput

COLORS = {"pa": "#1f4e79", "fused-pa": "#b5541c", "fused-mf": "#1b7a6e", "two-sweep": "#7b3f8c", "reference": "#6b7280"}
SPARE = ["#a67c00", "#9d174d", "#3f6212", "#334155"]
MARKERS = "osD^v<>"
GREY = "#6b7280"
plt.rcParams.update({"font.family": "DejaVu Sans", "font.size": 9, "axes.spines.top": False, "axes.spines.right": False, "axes.edgecolor": GREY,
                     "axes.titlesize": 10.5})


class Series:
    """One variant in one setting, its sizes in order."""

    def __init__(self, key, results):
        self.device, self.variant, self.order, self.quadrature = key
        self.results = sorted(results, key=lambda r: r["dofs"])
        self.tensor = self.variant.startswith("dmma")
        self.twin = self.variant.removeprefix("dmma-")


def read(paths):
    series, devices = {}, {}
    for path in paths:
        document = bench(path)
        devices[document["device"]] = document
        for r in document["results"]:
            series.setdefault((document["device"], r["variant"], r["geometry_order"], r["quadrature"]), {})[r["dofs"]] = r  # the last file wins
    return [Series(key, by_size.values()) for key, by_size in series.items()], devices


def chosen(series, variants):
    """Those of the variants, separated by commas; None: all."""
    found = [s for s in series if variants is None or s.variant in variants.split(",")]
    if not found:
        raise Wrong("the files have no results" if not series else f"--variant {variants}: the files have {', '.join(sorted({s.variant for s in series}))}")
    return found


def styles(series):
    """Colour by twin, dashes by tensor cores, marker by what else differs; and the labels that tell them apart."""
    settings = sorted({(s.device, s.order, s.quadrature) for s in series})
    varies = [len({getattr(s, name) for s in series}) > 1 for name in ("device", "order", "quadrature")]
    spare = iter(SPARE * len(series))
    colors = dict(COLORS)
    for s in series:
        if s.twin not in colors:
            colors[s.twin] = next(spare)
        setting = settings.index((s.device, s.order, s.quadrature))
        s.color, s.marker, s.dash = colors[s.twin], MARKERS[setting % len(MARKERS)], (0, (4, 2)) if s.tensor else "-"
        notes = [n for n, v in zip((s.device, f"order {s.order}", f"Q1D {s.quadrature}"), varies) if v]
        s.label = PAPER.get(s.variant, (s.variant, 0))[0] + ("" if not notes else ", " + ", ".join(notes))


def plain_ticks(axis):
    """A logarithmic axis labelled 1, 2, 5, 10, ... without exponents."""
    axis.set_major_formatter(ticker.FuncFormatter(lambda v, _: f"{v:g}"))
    axis.set_minor_formatter(ticker.FuncFormatter(lambda v, _: f"{v:g}" if f"{v:e}"[0] in "25" else ""))


def draw_throughput(ax, series):
    top = 0
    for s in series:
        x, y = [r["dofs"] for r in s.results], [throughput(r)[0] for r in s.results]
        equivalent = all(throughput(r)[1] for r in s.results)
        top = max(top, max(y))
        ax.plot(x, y, color=s.color, linestyle=s.dash, marker=s.marker, markersize=4, linewidth=1.6,
                label=s.label + (" (step x 4)" if equivalent else ""))
    shown = {s.variant for s in series} & PAPER.keys() if any(s.device != "cpu" for s in series) else set()
    for variant in sorted(shown):
        s = next(s for s in series if s.variant == variant)
        ax.plot(PAPER_DOFS, PAPER[variant][1], marker="D" if s.tensor else "o", markersize=8, markerfacecolor="none", markeredgecolor=s.color,
                markeredgewidth=1.3, linestyle="none", zorder=4)
        top = max(top, PAPER[variant][1])
    if shown:
        ax.plot([], [], marker="o", markersize=8, markerfacecolor="none", markeredgecolor=GREY, markeredgewidth=1.3, linestyle="none",
                label="papers, GH200")
    peaks = [max(throughput(r)[0] for r in s.results) for s in series]
    ax.set_xscale("log")
    if max(peaks) > 5 * min(peaks):  # else the slower ones would lie on top of each other
        ax.set_yscale("log")
        plain_ticks(ax.yaxis)
    else:
        ax.set_ylim(0, 1.08 * top)
    ax.set_xlabel("dofs")
    ax.set_ylabel("both off-diagonal blocks [GDOF/s]")
    ax.set_title("Throughput against size", loc="left", fontweight="bold")
    ax.grid(color="#e5e7eb", linewidth=0.7)
    ax.set_axisbelow(True)


def modelled(series):
    """(flops per byte, TFLOP/s, series) at the largest size of each."""
    points = []
    for s in series:
        r = s.results[-1]
        if r["operator_ms"] and r.get("flops") and r.get("bytes"):
            points.append((r["flops"] / r["bytes"], r["flops"] / r["operator_ms"] * 1e-9, s))
    return points


def draw_roofline(ax, points, devices):
    bandwidths = [d["copy_bandwidth_tbs"] for d in devices.values() if d["copy_bandwidth_tbs"]]
    peaks = [d[k] for d in devices.values() for k in ("fp64_tflops", "fp64_tensor_tflops") if d.get(k)]
    low = min([p[0] for p in points]) / 3
    high = max([p[0] for p in points] + [p / b for p in peaks for b in bandwidths]) * 3
    x = np.geomspace(low, high, 200)
    for name, d in devices.items():
        bandwidth = d["copy_bandwidth_tbs"]
        if not bandwidth:
            continue
        roofs = [(d.get("fp64_tflops"), "-", "FP64"), (d.get("fp64_tensor_tflops"), (0, (4, 2)), "FP64 tensor cores")]
        if roofs[0][0] == roofs[1][0]:
            roofs.pop()
        for peak, dash, what in roofs:
            ax.plot(x, np.minimum(bandwidth * x, peak) if peak else bandwidth * x, color="#374151", linestyle=dash, linewidth=1.3)
            if peak:
                label = f"{name if len(devices) > 1 else ''} {what} {peak:.3g} TFLOP/s".strip()
                ax.text(high, peak * 1.04, label, ha="right", va="bottom", fontsize=8, color="#374151")
        ax.text(low * 1.12, bandwidth * low * 1.02, f"copy {bandwidth:.3g} TB/s", ha="left", va="top", fontsize=8, color="#374151")
    for intensity, speed, s in points:
        ax.plot(intensity, speed, marker="D" if s.tensor else s.marker, color=s.color, markersize=6.5, markeredgecolor="white", markeredgewidth=0.6,
                linestyle="none", zorder=3)
    ax.set_xscale("log")
    ax.set_yscale("log")
    ax.set_xlim(low, high)
    ax.set_ylim(min([p[1] for p in points] + [b * low for b in bandwidths]) / 1.5, max(peaks + [p[1] for p in points]) * 1.9)
    plain_ticks(ax.xaxis)
    plain_ticks(ax.yaxis)
    ax.set_xlabel("modelled flops per byte")
    ax.set_ylabel("modelled TFLOP/s")
    ax.set_title("Roofline, largest size of each", loc="left", fontweight="bold")
    ax.grid(color="#e5e7eb", linewidth=0.7)
    ax.set_axisbelow(True)


def label_points(fig, ax, points):
    """Labels beside their points, the higher ones first; one that would cover another or a point moves down."""
    fig.canvas.draw()
    place = ax.transData.transform
    taken = [(x - 5, y - 5, x + 5, y + 5) for x, y in (place(p[:2]) for p in points)]
    pixel = fig.dpi / 72
    for intensity, speed, s in sorted(points, key=lambda p: -p[1]):
        x, y = place((intensity, speed)) + np.array([8 * pixel, 0])
        width, height = 4.6 * len(s.label) * pixel, 10 * pixel
        if x + width > ax.bbox.x1:
            x -= width + 16 * pixel
        while any(x < b[2] and b[0] < x + width and y - height / 2 < b[3] and b[1] < y + height / 2 for b in taken):
            y -= pixel
        taken.append((x, y - height / 2, x + width, y + height / 2))
        ax.annotate(s.label, (intensity, speed), xytext=ax.transAxes.inverted().transform((x, y)), textcoords="axes fraction", fontsize=8,
                    color=s.color, va="center")


def figure(series, devices):
    styles(series)
    rows = -(-(len(series) + 1) // 4)
    points = modelled(series)
    shares = (1.15, 1) if points else (1.15,)
    fig, axes = plt.subplots(1, len(shares), figsize=(5.35 * sum(shares), 4.9 + 0.2 * rows), width_ratios=shares, squeeze=False)
    axes = axes[0]
    draw_throughput(axes[0], series)
    if points:
        draw_roofline(axes[1], points, devices)
    space = (0.22 + 0.2 * rows) / fig.get_figheight()
    fig.tight_layout(rect=(0, space - 0.02, 1, 0.95))
    if points:
        label_points(fig, axes[1], points)
    fig.legend(*axes[0].get_legend_handles_labels(), loc="lower center", ncol=min(4, len(series) + 1), frameon=False, fontsize=8.5, handlelength=3)
    settings = {f"geometry order {s.order}, Q1D = {s.quadrature}" for s in series}
    note = next(iter(settings)) if len(settings) == 1 else ""
    fig.text(0.012, 0.965, "agwave on " + ", ".join(devices) + (f": {note}" if note else ""), fontsize=12, fontweight="bold", va="center")
    return fig


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("files", nargs="+", type=pathlib.Path, help="JSON files of agwave bench")
    parser.add_argument("-o", "--output", type=pathlib.Path, default=pathlib.Path("bench.png"), help="picture (default bench.png; also .pdf, .svg)")
    parser.add_argument("--variant", help="only these, separated by commas")
    parser.add_argument("--dpi", type=arguments.dots, default=160)
    options = parser.parse_args()
    arguments.check_outputs(parser, options.output)
    arguments.spare(parser, options.files, options.output)
    about = ", ".join(map(str, options.files))
    try:
        series, devices = read(options.files)
        drawn = figure(chosen(series, options.variant), devices)
    except Wrong as error:
        sys.exit(f"plot_bench.py: {error}")
    except (KeyError, TypeError, ValueError) as error:
        sys.exit(f"plot_bench.py: {about}: {common.mislaid(error)}; give files of `agwave bench --json`")
    common.save_picture(drawn, options.output, dpi=options.dpi)
    print(options.output)


if __name__ == "__main__":
    main()
