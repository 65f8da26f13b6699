#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Plots the traces of a run: pressure sensors stacked like a record section, then the surface gauges.

All traces of a panel share one scale, shown by the bar at its right; it follows the typical trace, so the strongest ones may
run over their neighbours. The columns beside them give the position along the sensors' line and the largest value. A run
still going on, or killed, is plotted as far as it got.

Example:
    plot_traces.py results/aleutian -o traces.png
    plot_traces.py results/aleutian --variable sensor_pressure --from 0 --to 120 --scale each
"""
import argparse
import pathlib
import sys

from common import open_output, output_file  # first: says which package is missing

import matplotlib

matplotlib.use("Agg")
import matplotlib.patheffects as effects
import matplotlib.pyplot as plt
import numpy as np

SEAFLOOR, HYDROPHONE, GAUGE, GREY = "#1f4e79", "#b5541c", "#1b7a6e", "#6b7280"
COLUMNS = 1.064, 1.148  # right edges of position and peak, in widths of the panel
plt.rcParams.update({"font.family": "DejaVu Sans", "font.size": 9, "axes.spines.top": False, "axes.spines.right": False,
                     "axes.spines.left": False, "axes.edgecolor": GREY, "xtick.color": "#374151", "axes.titlesize": 10.5})


class Panel:
    """Traces of one kind, ordered along the direction in which the sensors spread the most."""

    def __init__(self, title, unit, names, x, y, values, colors, largest="max"):
        spread_x = np.ptp(x) >= np.ptp(y)
        along = x if spread_x else y
        order = np.argsort(along, kind="stable")
        self.title, self.unit, self.axis, self.largest = title, unit, "x" if spread_x else "y", largest
        self.names = [names[i] for i in order]
        self.along, self.values, self.colors = along[order], values[:, order], [colors[i] for i in order]


def text(values):
    return [v.decode() if isinstance(v, bytes) else str(v) for v in values]


def read(path, variable, begin, end):
    with open_output(path, "sensors.h5") as file:
        written = int(file["samples_written"][()])
        time = file["time"][:written]
        keep = slice(*np.searchsorted(time, [begin, end + 1e-9 * max(1.0, abs(end))]))
        if time[keep].size < 2:
            raise ValueError(f"{written} samples are written, fewer than two of them from {begin:g} to {end:g} s")
        panels = []
        if "station" in file:
            kind = file["station_kind"][:] if "station_kind" in file else np.zeros(file["station"].shape[0])
            title = {"pressure": "Pressure", "sensor_pressure": "Pressure read by moving gauges"}[variable]
            if not (kind == 1).any() and variable == "pressure":
                title = "Seafloor pressure"
            panels.append(Panel(title, "kPa", text(file["station"][:]), file["x"][:], file["y"][:], file[variable][:written][keep] / 1e3,
                                [HYDROPHONE if k == 1 else SEAFLOOR for k in kind]))
        if "gauge" in file:
            names = text(file["gauge"][:])
            panels.append(Panel("Sea-surface height", "m", names, file["gauge_x"][:], file["gauge_y"][:],
                                file["surface_height"][:written][keep], [GAUGE] * len(names)))
        return str(file.attrs.get("title", "")), time[keep], panels, written, file["time"].shape[0]


def nice(value):
    """The largest of 1, 2, 5 times a power of ten that is not above value."""
    power = 10.0 ** np.floor(np.log10(value))
    return max(f for f in (1, 2, 5) if f * power <= value * 1.0000001) * power


def significant(value):
    """Three significant digits, trailing zeros kept so that columns line up."""
    return f"{value:#.3g}".rstrip(".") if value == 0 or 1e-3 <= value < 1e4 else f"{value:.1e}"


def draw(ax, time, panel, scale):
    count = len(panel.names)
    peaks = np.nanmax(np.abs(panel.values), axis=0)
    common = min(peaks.max(), 2.5 * np.median(peaks)) or peaks.max() or 1.0
    units = np.where(peaks > 0, peaks, 1.0) if scale == "each" else np.full(count, common)
    reach = 0.6 if scale == "each" else 0.8 if count <= 6 else 1.1 if count <= 25 else 1.5  # rows that a trace of one unit rises above its own
    heights = np.arange(count) - reach * panel.values / units
    ax.set_xlim(time[0], time[-1])
    ax.set_ylim(max(heights.max(), count - 0.5) + 0.3, min(heights.min(), -0.5) - 0.3)  # first sensor on top
    ax.grid(axis="x", color="#e5e7eb", linewidth=0.8)
    ax.set_axisbelow(True)
    right = ax.get_yaxis_transform()
    small = 8.5 if count <= 30 else 7
    line = 0.9 if count <= 25 else 0.7
    halo = [effects.withStroke(linewidth=line + 1.4, foreground="white", alpha=0.8)]  # tells crossing traces apart
    for row, (name, along, peak, color) in enumerate(zip(panel.names, panel.along, peaks, panel.colors)):
        ax.axhline(row, color="#e5e7eb", linewidth=0.6, zorder=1)
        ax.plot(time, heights[:, row], color=color, linewidth=line, zorder=2 + 0.01 * row, path_effects=halo)
        ax.text(-0.012, row, name, ha="right", va="center", transform=right, fontsize=small, color=color, fontweight="bold")
        ax.text(COLUMNS[0], row, f"{along / 1e3:.1f}", ha="right", va="center", transform=right, fontsize=small, color="#374151")
        ax.text(COLUMNS[1], row, significant(peak), ha="right", va="center", transform=right, fontsize=small, color="#374151")
    for column, head in zip(COLUMNS, (f"{panel.axis}\n[km]", f"peak\n[{panel.unit}]")):
        ax.text(column, 1.0, head, ha="right", va="bottom", transform=ax.transAxes, fontsize=8, color=GREY, linespacing=1.15)
    if scale == "common":
        bar = nice(common)
        middle = (count - 1) / 2
        ax.plot([1.162, 1.162], middle + reach * bar / common * np.array([-0.5, 0.5]), transform=right, color="#111827", linewidth=2, clip_on=False,
                solid_capstyle="butt")
        ax.text(1.172, middle, f"{bar:g} {panel.unit}", transform=right, ha="left", va="center", fontsize=8.5)
    ax.set_yticks([])
    ax.set_title(panel.title + (", each to its peak" if scale == "each" else ""), loc="left", pad=8, fontweight="bold")


def figure(title, time, panels, scale, note):
    def height(count):  # [inch]
        return 0.75 + max(count, 2) * (0.42 if count <= 12 else 0.30 if count <= 25 else 0.185)

    heights = [height(len(p.names)) for p in panels]
    above, below, between = 0.95, 0.65, 0.60
    total = sum(heights) + above + below + between * (len(panels) - 1)
    fig = plt.figure(figsize=(10, total), facecolor="white")
    widest = max(len(n) for p in panels for n in p.names)
    left, right = min(0.04 + 0.0095 * widest, 0.25), 0.79
    top = total - above
    for i, (panel, tall) in enumerate(zip(panels, heights)):
        ax = fig.add_axes((left, (top - tall) / total, right - left, tall / total))
        draw(ax, time, panel, scale)
        last = i + 1 == len(panels)
        ax.tick_params(axis="x", labelbottom=last, length=3)
        if last:
            ax.set_xlabel("time since the start [s]")
        if HYDROPHONE in panel.colors and SEAFLOOR in panel.colors:
            handles = [plt.Line2D([], [], color=c, linewidth=2, label=n) for c, n in ((SEAFLOOR, "seafloor"), (HYDROPHONE, "hydrophone"))]
            ax.legend(handles=handles, loc="lower right", bbox_to_anchor=(1.0, 1.0), ncol=2, frameon=False, fontsize=8.5,
                      borderaxespad=0.2)
        top -= tall + between
    fig.text(left, 1 - 0.28 / total, title, fontsize=13, fontweight="bold", ha="left", va="center")
    if note:
        fig.text(right, 1 - 0.28 / total, note, fontsize=9, color="#b91c1c", ha="right", va="center")
    return fig


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("run", type=pathlib.Path, help="output directory of a run, or its sensors.h5")
    parser.add_argument("-o", "--output", type=pathlib.Path, default=pathlib.Path("traces.png"), help="picture (default traces.png; also .pdf, .svg)")
    parser.add_argument("--variable", choices=("pressure", "sensor_pressure"), default="pressure", help="which pressure (default pressure)")
    parser.add_argument("--scale", choices=("common", "each"), default="common", help="one scale per panel (default), or each trace by its own peak")
    parser.add_argument("--from", dest="begin", type=float, default=0.0, metavar="S", help="first time shown [s]")
    parser.add_argument("--to", dest="end", type=float, default=float("inf"), metavar="S", help="last time shown [s]")
    parser.add_argument("--dpi", type=int, default=160)
    options = parser.parse_args()

    path = output_file(options.run, "sensors.h5", "give the output directory of a run with sensors, or its sensors.h5")
    try:
        title, time, panels, written, samples = read(path, options.variable, options.begin, options.end)
        note = "" if written == samples else f"{written} of {samples} samples"
        figure(title or path.parent.name, time, panels, options.scale, note).savefig(options.output, dpi=options.dpi)
    except (OSError, KeyError, ValueError) as error:
        sys.exit(f"plot_traces.py: {path}: {error}")
    print(options.output)


if __name__ == "__main__":
    main()
