#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Plots the traces of a run: pressure sensors, then surface gauges, then both without the sound, so that the tsunami is seen to arrive.

All traces of a panel share one scale, shown by the bar at its right, and stand as far apart as it takes for none to run over another. They are
ordered by their distance from the middle of the uplift (surface.h5 has it; without that file, from the strongest trace). The columns beside them
give this distance and the largest value. A run still going on, or killed, is plotted as far as it got.

Sound has no periods above 4H/c, the longest resonance of water of depth H; the panels of the tsunami have those above twice that, for the greatest
depth there is, and end one and a half of these before the record, as the filter would have to know what comes. They are left out where the record is
shorter than four such periods and no --tsunami is given.

Example:
    plot_traces.py results/aleutian -o traces.png
    plot_traces.py results/aleutian --variable sensor_pressure --from 0 --to 120 --scale each --lowpass 3
"""
import argparse
import pathlib

from common import concerning, known, open_output, output_file, save_picture, written_samples  # first: says which package is missing
from arguments import dots, spare
from drawing import plain
from lowpass import lowpass, lowpass_argument, lowpass_period, lowpassed

import matplotlib

matplotlib.use("Agg")
import h5py
import matplotlib.pyplot as plt
import numpy as np

SEAFLOOR, HYDROPHONE, GAUGE, GREY = "#1f4e79", "#b5541c", "#1b7a6e", "#6b7280"
COLUMNS = 1.064, 1.148  # right edges of position and peak, in widths of the panel
plt.rcParams.update({"font.family": "DejaVu Sans", "font.size": 9, "axes.spines.top": False, "axes.spines.right": False,
                     "axes.spines.left": False, "axes.edgecolor": GREY, "xtick.color": "#374151", "axes.titlesize": 10.5})


class Panel:
    """Traces of one kind, in the order in which they are drawn."""

    def __init__(self, title, unit, names, distance, values, colors):
        self.title, self.unit, self.names, self.distance, self.values, self.colors = title, unit, names, distance, values, colors

    def ordered(self, order):
        return Panel(self.title, self.unit, [self.names[i] for i in order], self.distance[order], self.values[:, order],
                     [self.colors[i] for i in order])

    def without_sound(self, interval, period):
        """Ends one and a half periods early: what the filter makes of these depends on what comes after."""
        longest = interval * (len(self.values) - 2) / 1.5
        if not 0 < period <= longest:
            raise ValueError(f"--tsunami {period:g}: one and a half periods at the end of the record are not known, and it has to be longer than that; give "
                             f"{longest:.4g} s at most, or 0 for none")
        return Panel(f"{self.title}, tsunami alone: periods above {period:g} s", self.unit, self.names, self.distance,
                     lowpass(self.values, interval, period)[: len(self.values) - int(np.ceil(1.5 * period / interval))], self.colors)


class Recording:
    """What sensors.h5 holds, as it is drawn: panels, and notes on what was done to them."""

    def __init__(self, path, variable="pressure", order="distance", period=None, tsunami=None):
        with open_output(path, "sensors.h5") as file:
            written, self.samples = written_samples(file), file["time"].shape[0]
            self.written, self.time = written, file["time"][:written]
            self.interval = float(self.time[-1] / (written - 1))
            self.title = str(file.attrs.get("title", ""))
            x, y, whence = source(path.parent, file, written)
            self.notes = [f"distance from {whence}"]
            self.panels = list(read_panels(file, variable, written, x, y))
            period, speed = lowpass_period(file, period), float(file.attrs.get("sound_speed", 0))
            deepest = max(-file["z"][:].min() if "z" in file else 0, greatest_depth(path.parent))
        if order == "distance":
            self.panels = [panel.ordered(np.argsort(panel.distance, kind="stable")) for panel in self.panels]
        if tsunami is None:
            tsunami = np.ceil(8 * deepest / speed) if speed else 0
            tsunami = tsunami if 2 * self.interval < tsunami <= self.time[-1] / 4 else 0
        self.tsunami, self.period = tsunami, period
        alone = [panel.without_sound(self.interval, tsunami) for panel in self.panels] if tsunami else []
        if period:
            for panel in self.panels:
                panel.values = lowpass(panel.values, self.interval, period)
                panel.title += f", low-passed at {period:g} s"
            self.notes.append(lowpassed(period))
        if tsunami:
            self.notes.append("tsunami alone: " + lowpassed(tsunami))
        self.panels += alone

    def between(self, begin, end):
        keep = slice(*np.searchsorted(self.time, [begin, end + 1e-9 * max(1.0, abs(end))]))
        if self.time[keep].size < 2:
            raise ValueError(f"{self.written} samples are written, fewer than two of them from {begin:g} to {end:g} s")
        self.time = self.time[keep]
        for panel in self.panels:
            panel.values = panel.values[keep]
        self.panels = [panel for panel in self.panels if len(panel.values) > 1]
        return self


def text(values):
    return [v.decode() if isinstance(v, bytes) else str(v) for v in values]


def greatest_depth(folder):
    if not (folder / "surface.h5").is_file():
        return 0.0
    with h5py.File(folder / "surface.h5") as surface:
        return float(surface["depth"][:].max())


def source(folder, file, written):
    """x, y and what they are: the middle of the uplift, or, without a map of it, the place of the strongest trace."""
    if (folder / "surface.h5").is_file():
        with h5py.File(folder / "surface.h5") as surface:
            weight = np.abs(surface["uplift"][:]) if "uplift" in surface else np.zeros(1)
            if weight.sum() > 0:
                return weight.sum(0) @ surface["x"][:] / weight.sum(), weight.sum(1) @ surface["y"][:] / weight.sum(), "the middle of the uplift"
    values, prefix, names = ("pressure", "", "station") if "station" in file else ("surface_height", "gauge_", "gauge")
    strongest = int(np.argmax(np.abs(file[values][:written]).max(axis=0)))
    return file[prefix + "x"][strongest], file[prefix + "y"][strongest], f"{text(file[names][:])[strongest]}, the strongest trace"


def read_panels(file, variable, written, x, y):
    def record(values, names):
        return known(file[values][:written], names, file["time"])

    if "station" in file:
        kind = file["station_kind"][:] if "station_kind" in file else np.zeros(file["station"].shape[0])
        title = {"pressure": "Pressure", "sensor_pressure": "Pressure read by moving gauges"}[variable]
        if not (kind == 1).any() and variable == "pressure":
            title = "Seafloor pressure"
        names = text(file["station"][:])
        yield Panel(title, "kPa", names, np.hypot(file["x"][:] - x, file["y"][:] - y), record(variable, names) / 1e3,
                    [HYDROPHONE if k == 1 else SEAFLOOR for k in kind])
    if "gauge" in file:
        names = text(file["gauge"][:])
        yield Panel("Sea-surface height", "m", names, np.hypot(file["gauge_x"][:] - x, file["gauge_y"][:] - y), record("surface_height", names),
                    [GAUGE] * len(names))


def nice(value):
    """The largest of 1, 2, 5 times a power of ten that is not above value."""
    power = 10.0 ** np.floor(np.log10(value))
    return max(f for f in (1, 2, 5) if f * power <= value * 1.0000001) * power


def significant(value):
    """Three significant digits, trailing zeros kept so that columns line up."""
    return f"{value:#.3g}".rstrip(".") if value == 0 or 1e-3 <= value < 1e4 else f"{value:.1e}"


def stacked(values, height):
    """Rows at which traces stand below each other, at least one apart, and how many rows a unit takes: as many as keep any trace from running over
    another, at any time, while all take no more than `height` rows, zero lines included: names stand at these, and peaks are from them."""
    needed = (values[:, 1:] - values[:, :-1]).max(axis=0)  # the row of the lower one less that of the upper, by unit
    ends = max(0.0, values[:, 0].max()) - min(0.0, values[:, -1].min())

    def gaps(unit):
        return np.maximum(1.0, unit * needed + 0.2)

    low, high = 0.0, height / ((max(0.0, values.max()) - min(0.0, values.min())) or 1.0)
    for _ in range(50):
        unit = 0.5 * (low + high)
        low, high = (unit, high) if gaps(unit).sum() + unit * ends <= height else (low, unit)
    return np.concatenate([[0.0], np.cumsum(gaps(low))]), low


def rows_of(count):  # that a panel of so many traces has
    return 1.7 * count + 0.8


def draw(ax, time, panel, scale):
    count = len(panel.names)
    peaks = np.abs(panel.values).max(axis=0)
    scaled = panel.values / np.where(peaks > 0, peaks, 1.0) if scale == "each" else panel.values
    rows, unit = stacked(scaled, rows_of(count))
    heights = rows - unit * scaled
    top, bottom = min(rows[0], heights.min()), max(rows[-1], heights.max())
    room = 0.5 * max(0.0, rows_of(count) - (bottom - top)) + 0.3
    ax.set_xlim(time[0], time[-1])
    ax.set_ylim(bottom + room, top - room)  # first sensor on top
    ax.grid(axis="x", color="#e5e7eb", linewidth=0.8)
    ax.set_axisbelow(True)
    right = ax.get_yaxis_transform()
    small = 8.5 if count <= 30 else 7
    for n, (name, distance, peak, color) in enumerate(zip(panel.names, panel.distance, peaks, panel.colors)):
        ax.axhline(rows[n], color="#e5e7eb", linewidth=0.6, zorder=1)
        ax.plot(time[: len(heights)], heights[:, n], color=color, linewidth=0.9 if count <= 25 else 0.7, zorder=2)
        ax.text(-0.012, rows[n], plain(name), ha="right", va="center", transform=right, fontsize=small, color=color, fontweight="bold")
        ax.text(COLUMNS[0], rows[n], f"{distance / 1e3:.1f}", ha="right", va="center", transform=right, fontsize=small, color="#374151")
        ax.text(COLUMNS[1], rows[n], significant(peak), ha="right", va="center", transform=right, fontsize=small, color="#374151")
    for column, head in zip(COLUMNS, ("distance\n[km]", f"peak\n[{panel.unit}]")):
        ax.text(column, 1.0, head, ha="right", va="bottom", transform=ax.transAxes, fontsize=8, color=GREY, linespacing=1.15)
    if scale == "common" and peaks.max() > 0:
        bar = nice(min(peaks.max(), 2.0 / unit))
        middle = 0.5 * sum(ax.get_ylim())
        ax.plot([1.162, 1.162], middle + unit * bar * np.array([-0.5, 0.5]), transform=right, color="#111827", linewidth=2, clip_on=False,
                solid_capstyle="butt")
        ax.text(1.172, middle, f"{bar:g} {panel.unit}", transform=right, ha="left", va="center", fontsize=8.5)
    ax.set_yticks([])
    ax.set_title(panel.title + (", each to its peak" if scale == "each" else ""), loc="left", pad=8, fontweight="bold")


def figure(recording, scale, title):
    def height(count):  # [inch]
        return 0.5 + rows_of(max(count, 2)) * (0.27 if count <= 12 else 0.21 if count <= 25 else 0.13)

    panels = recording.panels
    heights = [height(len(p.names)) for p in panels]
    above, below, between = 0.95 if title else 0.55, 0.65 + 0.17 * len(recording.notes), 0.60
    total = sum(heights) + above + below + between * (len(panels) - 1)
    fig = plt.figure(figsize=(10, total), facecolor="white")
    widest = max(len(n) for p in panels for n in p.names)
    left, right = min(0.04 + 0.0095 * widest, 0.25), 0.79
    top = total - above
    for i, (panel, tall) in enumerate(zip(panels, heights)):
        ax = fig.add_axes((left, (top - tall) / total, right - left, tall / total))
        draw(ax, recording.time, panel, scale)
        last = i + 1 == len(panels)
        ax.tick_params(axis="x", labelbottom=last, length=3)
        if last:
            ax.set_xlabel("time since the start [s]")
        if i == 0 and HYDROPHONE in panel.colors and SEAFLOOR in panel.colors:
            handles = [plt.Line2D([], [], color=c, linewidth=2, label=n) for c, n in ((SEAFLOOR, "seafloor"), (HYDROPHONE, "hydrophone"))]
            ax.legend(handles=handles, loc="lower right", bbox_to_anchor=(0.985, 1.0), ncol=2, frameon=False, fontsize=8.5,
                      borderaxespad=0.2)
        top -= tall + between
    fig.text(left, 1 - 0.28 / total, plain(title), fontsize=13, fontweight="bold", ha="left", va="center")
    fig.text(left, 0.08 / total, "\n".join(recording.notes), fontsize=8, color=GREY, ha="left", va="bottom")
    if title and recording.written < recording.samples:
        fig.text(right, 1 - 0.28 / total, f"{recording.written} of {recording.samples} samples", fontsize=9, color="#b91c1c", ha="right", va="center")
    return fig


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("run", type=pathlib.Path, help="output directory of a run, or its sensors.h5")
    parser.add_argument("-o", "--output", type=pathlib.Path, default=pathlib.Path("traces.png"), help="picture (default traces.png; also .pdf, .svg)")
    parser.add_argument("--variable", choices=("pressure", "sensor_pressure"), default="pressure", help="which pressure (default pressure)")
    parser.add_argument("--scale", choices=("common", "each"), default="common", help="one scale per panel (default), or each trace by its own peak")
    parser.add_argument("--order", choices=("distance", "given"), default="distance", help="by distance from the source (default), or as in the case")
    lowpass_argument(parser)
    parser.add_argument("--tsunami", type=float, metavar="PERIOD", help="panels of what is slower than this [s]; 0: none (default: see above)")
    parser.add_argument("--from", dest="begin", type=float, default=0.0, metavar="S", help="first time shown [s]")
    parser.add_argument("--to", dest="end", type=float, default=float("inf"), metavar="S", help="last time shown [s]")
    parser.add_argument("--dpi", type=dots, default=160)
    options = parser.parse_args()
    spare(parser, [options.run], options.output)
    path = output_file(options.run, "sensors.h5", "give the output directory of a run with sensors, or its sensors.h5")
    with concerning(path):
        recording = Recording(path, options.variable, options.order, options.lowpass, options.tsunami).between(options.begin, options.end)
        drawn = figure(recording, options.scale, recording.title or path.parent.name)
    save_picture(drawn, options.output, dpi=options.dpi)
    print(options.output)


if __name__ == "__main__":
    main()
