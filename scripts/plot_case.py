#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Draws a case before it runs: bathymetry, the final seafloor uplift, the planes of faults, sponges, the sensors and local steps.

Reads from standard input the JSON document that `agwave check CASE.yaml --plot FILE.png` sends:
    title; x[nx], y[ny] [m]; depth, uplift [ny * nx, x fastest] [m]; seafloor, hydrophones, surface: lists of {name, x, y}
and, where the case has them,
    lon, lat [ny * nx, x fastest] [degrees]; sponge: {west, east, south, north} widths [m]; epicentres: list of {x, y}, where
    a rupture starts, or else the middle of a source; subfaults: list of {corners: four [x, y], from above, the first two those of the top edge};
    uplift_at_s: the end of a run [s] before a source comes to rest, of which the uplift is;
    local_steps: as in summary.json

Example:
    agwave check configs/quickstart.yaml --plot case.png
"""
import argparse
import json
import pathlib
import sys

import common  # first: says which package is missing
import arguments
import drawing

import matplotlib

matplotlib.use("Agg")
import matplotlib.patheffects as effects
import matplotlib.pyplot as plt
import numpy as np
from matplotlib.colors import LinearSegmentedColormap

plt.rcParams.update({"font.family": "DejaVu Sans", "font.size": 9, "axes.edgecolor": "#6b7280"})
OCEAN = LinearSegmentedColormap.from_list("ocean", ["#eef8f7", "#c7e4ea", "#93c6dc", "#62a3c8", "#3f7fae", "#2b5f91", "#1f4573"])
UPLIFT = LinearSegmentedColormap.from_list("uplift", ["#6d28d9", "#c026d3", "#f0abfc", "#fbe4fe", "#fef9c3", "#fde047", "#fb923c", "#dc2626"])
HALO = [effects.withStroke(linewidth=2.2, foreground="white")]
KINDS = {  # marker, size, colour, label; sizes differ so that sensors above each other are all seen
    "seafloor": ("o", 9, "#111827", "seafloor"),
    "hydrophones": ("^", 6.5, "#d9591f", "hydrophones"),
    "surface": ("s", 4, "#0f8f80", "surface gauges"),
}
NAMES_FIT = 25  # more sensors than this would write over each other


def nice_step(span, most):
    """The smallest of 1, 2, 5 times a power of ten that cuts `span` into at most `most` pieces."""
    power = 10.0 ** np.floor(np.log10(span / most))
    return next(f * power for f in (1, 2, 5, 10) if span / (f * power) <= most * 1.000001)


def draw_depth(fig, ax, bar_ax, x, y, depth):
    """Colours and labelled contours; without a colour bar the floor is flat, and one colour is enough."""
    low, high = depth.min(), depth.max()
    limits = (low, high) if bar_ax else (0, 3 * high)
    sea = ax.pcolormesh(x, y, depth, cmap=OCEAN, vmin=limits[0], vmax=limits[1], shading="gouraud", rasterized=True)
    if not bar_ax:
        return
    step = nice_step(high - low, 7)
    levels = np.arange(np.ceil(low / step) * step, high, step)
    lines = ax.contour(x, y, depth, levels=levels, colors="white", linewidths=0.7, alpha=0.8)
    # Labels dark enough for the shallow end, on a halo light enough for the deep one.
    ax.clabel(lines, fmt=lambda d: f"{d:.10g} m", fontsize=7, colors="#1e3a5f")
    for label in lines.labelTexts:
        label.set_path_effects(HALO)
    bar = fig.colorbar(sea, cax=bar_ax, label="depth [m]")
    bar_ax.invert_yaxis()
    bar.outline.set_visible(False)


def draw_uplift(fig, ax, bar_ax, x, y, uplift, at):
    """Contours at equal steps and at a quarter of one, so that the reach is seen: yellow to red up, pink to violet down."""
    largest = np.abs(uplift).max()
    if largest == 0 or np.ptp(uplift) < 1e-9 * largest:  # uniform: no lines; the head line says how much
        bar_ax.set_axis_off()
        return
    step = nice_step(largest, 5)
    up = np.concatenate([[0.25 * step], np.arange(1, np.floor(largest / step * 1.000001) + 1) * step])
    levels = np.concatenate([-up[::-1], up])
    levels = levels[(levels > uplift.min()) & (levels < uplift.max())]
    if levels.size == 0:
        levels = np.array([0.5 * (uplift.min() + uplift.max())])
    lines = ax.contour(x, y, uplift, levels=levels, colors=UPLIFT(0.5 + 0.5 * levels / largest), linewidths=1.8, linestyles="solid")
    if hasattr(lines, "set_path_effects"):  # a dark rim tells the lines from the sea
        lines.set_path_effects([effects.withStroke(linewidth=2.8, foreground="#1f2937")])
    low = -largest if uplift.min() < -1e-6 * largest else 0
    bar = fig.colorbar(plt.cm.ScalarMappable(plt.Normalize(-largest, largest), UPLIFT), cax=bar_ax, ticks=levels,
                       label="final uplift [m]" if at is None else f"uplift at t = {at:g} s [m]")
    bar.ax.set_ylim(low, largest)
    bar.ax.hlines(levels, -largest, largest, colors="#1f2937", linewidth=0.8)
    bar.ax.yaxis.set_major_formatter(lambda value, _: f"{value:.3g}")
    bar.outline.set_visible(False)


def draw_sensors(ax, case):
    sensors = []
    for kind, (marker, size, color, label) in KINDS.items():
        group = case[kind]
        if not group:
            continue
        px, py = [s["x"] / 1e3 for s in group], [s["y"] / 1e3 for s in group]
        ax.plot(px, py, marker, color=color, markersize=size if len(group) <= 100 else 0.5 * size, markeredgecolor="white",
                markeredgewidth=0.9 if len(group) <= 100 else 0.4, label=f"{label} ({len(group)})", zorder=5, clip_on=False)
        sensors += [(s["name"], a, b, color) for s, a, b in zip(group, px, py)]
    return sensors if len(sensors) <= NAMES_FIT else []


def draw_faults(ax, case):
    """Rectangles seen from above, each top edge thick, and where the rupture starts."""
    rim = [effects.withStroke(linewidth=2.6, foreground="white")]
    faults = [np.array(f["corners"]) / 1e3 for f in case.get("subfaults", ())]
    many = len(faults) > 40
    for number, corners in enumerate(faults):
        ax.plot(*np.vstack([corners, corners[:1]]).T, color="#111827", linewidth=0.5 if many else 1.0, zorder=4, path_effects=[] if many else rim,
                label=None if number else f"subfaults ({len(faults)}), thick: top edge")
        ax.plot(*corners[:2].T, color="#111827", linewidth=1.2 if many else 2.4, zorder=4.1, solid_capstyle="butt")
    places = [(e["x"] / 1e3, e["y"] / 1e3) for e in case.get("epicentres", ())]
    if places:
        ax.plot(*np.transpose(places), "*", color="#facc15", markersize=15, markeredgecolor="#111827", markeredgewidth=0.9, linestyle="none", zorder=4.6,
                label="epicentre or middle of the source")


def draw_degrees(ax, x, y, lon, lat):
    """Meridians and parallels, labelled where they cross the southern and the western side; a bar tells kilometres."""
    lon, lat = (np.unwrap(np.unwrap(f, period=360, axis=0), period=360, axis=1) for f in (lon, lat))
    for field, edge, across, axis, signs in ((lon, lon[0], x, ax.xaxis, ("E", "W")), (lat, lat[:, 0], y, ax.yaxis, ("N", "S"))):
        step = degree_step(np.ptp(edge))
        levels = np.arange(np.ceil(field.min() / step), np.floor(field.max() / step) + 1) * step
        ax.contour(x, y, field, levels=levels, colors="#374151", linewidths=0.5, alpha=0.5, linestyles="dotted")
        order = np.argsort(edge)
        shown = levels[(levels >= edge.min()) & (levels <= edge.max())]
        axis.set_ticks(np.interp(shown, edge[order], across[order]), [common.degrees(*signs)(value) for value in shown])
    length = nice_step(np.ptp(x), 10)
    left, bottom = x[0] + 0.03 * np.ptp(x), y[0] + 0.035 * np.ptp(y)
    ax.plot([left, left + length], [bottom, bottom], color="#111827", linewidth=2.4, solid_capstyle="butt", path_effects=HALO, zorder=6)
    ax.annotate(f"{length:g} km", (left + length / 2, bottom), xytext=(0, 3), textcoords="offset points", ha="center", va="bottom", fontsize=7.5,
                path_effects=HALO, zorder=6)


def degree_step(span):
    """The smallest of the usual steps that cuts `span` into at most eight pieces."""
    return next((step for step in (0.01, 0.02, 0.05, 0.1, 0.2, 0.25, 0.5, 1, 2, 5, 10, 15, 30) if span / step <= 8.000001), 45)


def draw_frame(ax, case, x, y):
    """Sides of the map, in degrees where the case has them."""
    if 0.12 <= np.ptp(y) / np.ptp(x) <= 2.0:
        ax.set_aspect("equal")
    ax.set_xlim(x[0], x[-1])
    ax.set_ylim(y[0], y[-1])
    if case.get("lon"):
        draw_degrees(ax, x, y, *(np.array(case[k], dtype=float).reshape(y.size, x.size) for k in ("lon", "lat")))
    else:
        ax.set_xlabel("x, east [km]")
        ax.set_ylabel("y, north [km]")


def figure(case):
    x, y = np.array(case["x"]) / 1e3, np.array(case["y"]) / 1e3
    depth, uplift = (np.array(case[k], dtype=float).reshape(y.size, x.size) for k in ("depth", "uplift"))
    shape = np.clip(np.ptp(y) / np.ptp(x), 0.12, 2.0)
    steps = case.get("local_steps")
    maps = 2 if steps else 1
    fig, axes = plt.subplots(maps, figsize=(9.6, maps * (1.7 + 6.4 * shape)), layout="constrained", facecolor="white", squeeze=False)
    ax = axes[0, 0]
    flat = np.ptp(depth) < 1e-3 * depth.max()
    draw_depth(fig, ax, None if flat else ax.inset_axes((1.02, 0, 0.02, 1)), x, y, depth)
    draw_uplift(fig, ax, ax.inset_axes((1.02 if flat else 1.135, 0, 0.02, 1)), x, y, uplift, case.get("uplift_at_s"))
    drawing.draw_sponges(ax, drawing.sponge_strips([case.get("sponge", {}).get(wall, 0) / 1e3 for wall in ("west", "east", "south", "north")], x, y))
    draw_faults(ax, case)
    named = draw_sensors(ax, case)
    draw_frame(ax, case, x, y)
    if ax.get_legend_handles_labels()[0]:
        ax.legend(loc="upper left", bbox_to_anchor=(0, -0.11), ncol=3, frameon=False, fontsize=8.5, borderaxespad=0, handletextpad=0.5)
    ax.set_title(drawing.plain(case["title"] or "case"), loc="left", fontsize=12, fontweight="bold", pad=10)
    depths = f"{depth.max():.4g} m deep" if flat else f"{depth.min():.4g} to {depth.max():.4g} m deep"
    rises = "no uplift" if not uplift.any() else f"uplift {uplift.max():.3g} m" if uplift.min() > -1e-6 * uplift.max() else f"uplift {uplift.min():.3g} to {uplift.max():.3g} m"
    if "uplift_at_s" in case:
        rises += f" at t = {case['uplift_at_s']:g} s, the end of the run"
    ax.set_title(f"{depths}; {rises}", loc="right", fontsize=8.5, color="#374151", pad=10)
    if steps:
        drawing.draw_levels(axes[1, 0], steps)
        draw_frame(axes[1, 0], case, x, y)
        axes[1, 0].set_title("local steps", loc="left", fontsize=10, fontweight="bold")
        axes[1, 0].set_title(f"predicted to gain a factor of {steps['predicted_gain']:.3g}", loc="right", fontsize=8.5, color="#374151")
    fig.canvas.draw()  # names are placed on the final layout
    drawing.place_names(ax, named)
    return fig


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("-o", "--output", type=pathlib.Path, default=pathlib.Path("case.png"), help="picture (default case.png; also .pdf, .svg)")
    parser.add_argument("--dpi", type=arguments.dots, default=160)
    options = parser.parse_args()
    arguments.check_outputs(parser, options.output)
    if sys.stdin.isatty():
        parser.error("nothing on standard input; this script is called by `agwave check CASE.yaml --plot FILE.png`")
    try:
        drawn = figure(json.load(sys.stdin))
    except (KeyError, TypeError, AttributeError, ValueError) as error:
        sys.exit(f"plot_case.py: standard input: {common.mislaid(error)}; send what `agwave check CASE.yaml --plot FILE.json` writes")
    common.save_picture(drawn, options.output, dpi=options.dpi)


if __name__ == "__main__":
    main()
