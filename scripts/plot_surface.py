#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Maps the sea surface of a run: its maximum height, the arrival time, or a snapshot, over the bathymetry.

Colours cover 99.5 % of the map, so that a single spike does not wash out the rest (an arrow at the colour bar says that
values go beyond). Sensors come from sensors.h5 in the same directory, if there is one. The arrival time is when the height
first passed output.arrival_threshold, up or down; a strong source's sound does that too: choose a threshold above it.

Example:
    plot_surface.py results/aleutian -o max_height.png
    plot_surface.py results/aleutian --variable surface_height --time 60 -o eta_60s.png
"""
import argparse
import pathlib

from common import concerning, degrees, duration, open_output, output_file, read_json, save_picture  # first: says which package is missing
from arguments import check_outputs, dots, finite, positive, spare
from drawing import draw_sponges, place_names, plain, sponge_strips

import matplotlib

matplotlib.use("Agg")
import h5py
import matplotlib.pyplot as plt
import numpy as np

plt.rcParams.update({"font.family": "DejaVu Sans", "font.size": 9, "axes.edgecolor": "#6b7280"})
KINDS = {"seafloor": ("o", 8.5, "#1f4e79"), "hydrophone": ("^", 7, "#b5541c"), "gauge": ("s", 4, "#1b7a6e")}  # sizes: those at one place are all seen


class Frame:
    """Map coordinates of the nodes: lon/lat [degrees] where the file has them, else km from the south-west corner."""

    def __init__(self, file):
        self.nodes_x, self.nodes_y = file["x"][:], file["y"][:]
        self.geographic = "lon" in file
        if self.geographic:
            self.x, self.y = file["lon"][:], file["lat"][:]
            self.labels = "longitude", "latitude"
            self.aspect = 1 / np.cos(np.radians(self.y.mean()))
        else:
            self.x, self.y = np.meshgrid(self.nodes_x / 1e3, self.nodes_y / 1e3)
            self.labels = "x [km]", "y [km]"
            self.aspect = 1.0
        strips = sponge_strips(sponge_widths(pathlib.Path(file.filename).parent / "summary.json"), self.nodes_x, self.nodes_y)
        along = np.linspace(0, 1, 20, endpoint=False)[:, None]  # straight edges are curved in degrees
        self.sponges = [np.transpose(self.place(*np.concatenate([a + along * np.subtract(b, a) for a, b in zip(s, s[1:] + s[:1])]).T)) for s in strips]

    def shape_axes(self, ax):
        ax.set_aspect(self.aspect)
        if self.geographic:
            ax.xaxis.set_major_formatter(degrees("E", "W"))
            ax.yaxis.set_major_formatter(degrees("N", "S"))

    def place(self, x, y):
        """Map coordinates of points given in metres, bilinear between the nodes."""
        i = np.clip(np.searchsorted(self.nodes_x, x) - 1, 0, self.nodes_x.size - 2)
        j = np.clip(np.searchsorted(self.nodes_y, y) - 1, 0, self.nodes_y.size - 2)
        u = (x - self.nodes_x[i]) / (self.nodes_x[i + 1] - self.nodes_x[i])
        v = (y - self.nodes_y[j]) / (self.nodes_y[j + 1] - self.nodes_y[j])
        return tuple((1 - v) * ((1 - u) * f[j, i] + u * f[j, i + 1]) + v * ((1 - u) * f[j + 1, i] + u * f[j + 1, i + 1]) for f in (self.x, self.y))


def sponge_widths(path):
    """Along west, east, south and north [m]; the summary of a run has them."""
    edges = read_json(path).get("edges", []) if path.is_file() else []
    widths = {edge["wall"]: edge["sponge_m"] for edge in edges}
    return [widths.get(wall, 0) for wall in ("west", "east", "south", "north")]


def read_sensors(path):
    """(kind, names, x, y) per kind present; nothing when there is no file."""
    if not path.is_file():
        return []
    groups = []
    with h5py.File(path, "r") as file:
        def text(name):
            return np.array([v.decode() if isinstance(v, bytes) else str(v) for v in file[name][:]])
        if "station" in file:
            kind = file["station_kind"][:] if "station_kind" in file else np.zeros(file["station"].shape[0])
            for code, name in ((0, "seafloor"), (1, "hydrophone")):
                if (kind == code).any():
                    groups.append((name, text("station")[kind == code], file["x"][:][kind == code], file["y"][:][kind == code]))
        if "gauge" in file:
            groups.append(("gauge", text("gauge"), file["gauge_x"][:], file["gauge_y"][:]))
    return groups


def choose(file, variable, time):
    """Values, their label, colour map and whether the colours are symmetric about zero."""
    if variable == "maximum_height":
        return file[variable][:], "maximum surface height [m]", "viridis", False
    if variable == "arrival_time":
        threshold = file[variable].attrs.get("threshold_m", "0.01")
        threshold = threshold.decode() if isinstance(threshold, bytes) else str(threshold)
        return file[variable][:], f"first time |height| > {threshold} m, sound included [s]", "cividis_r", False
    if "surface_height" not in file:
        raise ValueError("no snapshots in this file; set output.surface_interval")
    made = maps_made(file)
    if made.size == 0:
        raise ValueError("no snapshot is written yet")
    times = file["time"][:]
    index = made[-1] if time is None else made[np.argmin(np.abs(times[made] - time))]
    return file[variable][index], f"surface height at {duration(times[index])} [m]", "RdBu_r", True


def maps_made(file):
    """Numbers of the maps in surface.h5. A run that goes on with a shorter output.surface_interval has none, NaN all over, at times that were passed over."""
    written = int(file["samples_written"][()])
    return np.flatnonzero(~np.isnan(file["surface_height"][:written, 0, 0]))


def draw_depth(ax, frame, depth, color):
    low, high = np.nanmin(depth), np.nanmax(depth)
    if high - low < 0.01 * high:
        return  # a flat floor has no contours
    step = min((s for s in (10, 20, 50, 100, 200, 500, 1000, 2000) if (high - low) / s <= 7), default=2000)
    levels = np.arange(np.ceil(low / step) * step, high, step)
    lines = ax.contour(frame.x, frame.y, depth, levels=levels, colors=color, linewidths=0.7, alpha=0.75)
    ax.clabel(lines, fmt=lambda d: f"{d:.0f} m", fontsize=6.5)


def draw_sensors(ax, frame, groups):
    """Markers; returns the names, for drawing.place_names."""
    names_fit = sum(len(names) for _, names, _, _ in groups) <= 40
    at = {}  # place -> names of the sensors above each other there, and their colours
    for kind, names, x, y in groups:
        marker, size, color = KINDS[kind]
        px, py = frame.place(x, y)
        ax.plot(px, py, marker, color=color, markersize=size, markeredgecolor="white", markeredgewidth=0.9, label=f"{kind} ({len(names)})", zorder=5)
        for name, *place in zip(names, px, py):
            together, colors = at.setdefault(tuple(place), ([], set()))
            together.append(name)
            colors.add(color)
    if groups or frame.sponges:
        ax.legend(loc="upper left", bbox_to_anchor=(0, -0.11), ncol=4, frameon=False, fontsize=8.5, borderaxespad=0, handletextpad=0.3)
    return [("/".join(together), *place, colors.pop() if len(colors) == 1 else "#111827") for place, (together, colors) in at.items() if names_fit]


def figure(file, variable, time, groups, title, limit):
    frame = Frame(file)
    values, label, colors, symmetric = choose(file, variable, time)
    known = values[np.isfinite(values)]
    if known.size == 0 and variable == "arrival_time" and np.isfinite(file["maximum_height"][:]).any():
        raise ValueError("nothing has arrived so far: the surface is nowhere as high as output.arrival_threshold")
    if known.size == 0:
        raise ValueError(f"{variable} is not written yet")
    high = limit or np.percentile(np.abs(known), 99.5) or 1.0
    low = -high if symmetric else min(0.0, known.min()) if variable == "maximum_height" else known.min()
    over, under = known.max() > high * 1.000001, known.min() < low

    width = np.ptp(frame.x)
    shape = np.clip(np.ptp(frame.y) * frame.aspect / width, 0.25, 2.0)
    fig, ax = plt.subplots(figsize=(9, 1.5 + 7.2 * shape), layout="constrained", facecolor="white")
    ax.set_facecolor("#e5e7eb")  # missing: nothing has arrived
    mesh = ax.pcolormesh(frame.x, frame.y, values, cmap=colors, vmin=low, vmax=high, shading="gouraud" if known.size == values.size else "nearest",
                         rasterized=True)
    draw_depth(ax, frame, file["depth"][:], "#4b5563" if symmetric else "white" if known.size == values.size else "#6b7280")
    draw_sponges(ax, frame.sponges)
    named = draw_sensors(ax, frame, groups)
    frame.shape_axes(ax)
    ax.set_xlim(frame.x.min(), frame.x.max())
    ax.set_ylim(frame.y.min(), frame.y.max())
    ax.set_xlabel(frame.labels[0])
    ax.set_ylabel(frame.labels[1])
    ax.set_title(plain(title), loc="left", fontsize=12, fontweight="bold", pad=10)
    unit = label[label.index("["):].strip("[]")
    most = f"latest: {duration(known.max())}" if variable == "arrival_time" else f"largest: {known.max():.3g} {unit}"
    ax.set_title(most, loc="right", fontsize=9, color="#374151", pad=10)
    beside = ax.inset_axes((1.02, 0, 0.022, 1))  # as tall as the map, whatever its aspect
    extend = {(False, False): "neither", (True, False): "min", (False, True): "max", (True, True): "both"}[bool(under), bool(over)]
    bar = fig.colorbar(mesh, cax=beside, label=label, extend=extend, extendfrac=0.03)
    bar.outline.set_visible(False)
    fig.canvas.draw()
    place_names(ax, named)
    return fig


def add_arguments(parser, dpi):
    """What this script and animate.py ask for alike."""
    parser.add_argument("run", type=pathlib.Path, help="output directory of a run, or its surface.h5")
    parser.add_argument("--limit", type=positive, help="end of the colour scale [m or s], instead of a percentile")
    parser.add_argument("--no-sensors", action="store_true", help="leave the sensors out")
    parser.add_argument("--dpi", type=dots, default=dpi)


def on_surface(options, draw):
    """draw(file, sensors, title) of the run's surface.h5; what is wrong ends the program."""
    path = output_file(options.run, "surface.h5", "give the output directory of a run with output.surface_interval > 0, or its surface.h5")
    with concerning(path):
        groups = [] if options.no_sensors else read_sensors(path.parent / "sensors.h5")
        with open_output(path, "surface.h5") as file:
            return draw(file, groups, str(file.attrs.get("title", "")) or path.parent.name)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    add_arguments(parser, dpi=160)
    parser.add_argument("-o", "--output", type=pathlib.Path, default=pathlib.Path("max_height.png"),
                        help="picture (default max_height.png; also .pdf)")
    parser.add_argument("--variable", choices=("maximum_height", "arrival_time", "surface_height"), default="maximum_height")
    parser.add_argument("--time", type=finite, metavar="S",
                        help="with --variable surface_height: the snapshot nearest to this time [s] (default: the last)")
    options = parser.parse_args()
    check_outputs(parser, options.output)
    spare(parser, [options.run], options.output)
    drawn = on_surface(options, lambda file, groups, title: figure(file, options.variable, options.time, groups, title, options.limit))
    save_picture(drawn, options.output, dpi=options.dpi)
    print(options.output)


if __name__ == "__main__":
    main()
