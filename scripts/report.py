#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Puts a run on one page: report.html, self-contained, opens in any browser and can be mailed.

Summary, maps of the largest surface height, of the arrival time and of the surface in time, traces, a record section, spectra with the
resonances of the water column, the energy budget and the speed. What a run has not recorded is left out. A run still going on, or killed, is
reported as far as it got.

Example:
    report.py results/aleutian
    report.py results/aleutian -o aleutian.html
    report.py results/aleutian --lowpass 3
"""
import argparse
import base64
import html
import io
import json
import pathlib
import sys

from common import duration, draw_sponges, lowpass, lowpass_argument, lowpassed  # first: says which package is missing

import h5py
import matplotlib

matplotlib.use("Agg")
import matplotlib.pyplot as plt
import numpy as np
import plot_surface
import plot_traces

STYLE = """
:root { --ink: #1f2937; --soft: #6b7280; --line: #e5e7eb; --deep: #12324f; --accent: #1b7a6e; }
* { box-sizing: border-box; }
body { margin: 0; background: #f3f5f7; color: var(--ink); font: 15px/1.5 system-ui, "Segoe UI", "DejaVu Sans", sans-serif; }
header { background: var(--deep); color: white; padding: 28px 0 26px; }
header p { margin: 4px 0 0; color: #b9cadb; }
h1 { margin: 0; font-size: 26px; }
main, header > div { width: min(1080px, 94vw); margin: 0 auto; }
section { background: white; border: 1px solid var(--line); border-radius: 10px; padding: 18px 22px 20px; margin: 18px 0; }
h2 { margin: 0 0 4px; font-size: 17px; color: var(--deep); }
section > p { margin: 2px 0 12px; color: var(--soft); max-width: 78ch; }
img { display: block; max-width: 100%; height: auto; margin: 0 auto; }
.tiles { display: grid; grid-template-columns: repeat(auto-fit, minmax(150px, 1fr)); gap: 12px; margin: 18px 0; }
.tile { background: white; border: 1px solid var(--line); border-radius: 10px; padding: 12px 16px; }
.tile b { display: block; font-size: 21px; font-weight: 600; color: var(--deep); white-space: nowrap; }
.tile span { color: var(--soft); font-size: 13px; }
table { border-collapse: collapse; width: 100%; font-variant-numeric: tabular-nums; }
td, th { padding: 5px 10px 5px 0; border-bottom: 1px solid var(--line); text-align: left; vertical-align: top; }
td.number { text-align: right; white-space: nowrap; }
.two { display: grid; grid-template-columns: repeat(auto-fit, minmax(320px, 1fr)); gap: 8px 36px; }
.warn { background: #fef2f2; border-color: #fecaca; color: #991b1b; }
pre { overflow-x: auto; background: #f8fafc; border: 1px solid var(--line); border-radius: 8px; padding: 12px; font-size: 12.5px; line-height: 1.4; }
summary { cursor: pointer; color: var(--deep); font-weight: 600; }
footer { color: var(--soft); font-size: 13px; padding: 4px 0 30px; }
"""


def text(value):
    return value.decode() if isinstance(value, bytes) else str(value)


class Run:
    """What the output directory holds; parts that are missing are None."""

    def __init__(self, folder, period=None, tsunami=None):
        self.folder = folder
        self.sensors = folder / "sensors.h5" if (folder / "sensors.h5").is_file() else None
        self.surface = folder / "surface.h5" if (folder / "surface.h5").is_file() else None
        self.summary, self.progress = (self.json(name) for name in ("summary.json", "progress.json"))
        about = self.sensors or self.surface
        if about is None:
            raise ValueError("neither sensors.h5 nor surface.h5 is there; give the output directory of a run")
        with h5py.File(about) as file:
            self.attrs = {key: text(value) for key, value in file.attrs.items()}
        self.title = self.attrs.get("title") or folder.resolve().name
        self.speed = float(self.attrs["sound_speed"]) if "sound_speed" in self.attrs else None
        self.gravity = float(self.attrs["gravity"]) if "gravity" in self.attrs else None
        self.recording = plot_traces.Recording(self.sensors, "pressure", "distance", period, tsunami) if self.sensors and self.sampled() else None
        self.read_stations()

    def json(self, name):
        path = self.folder / name
        return json.loads(path.read_text(encoding="utf-8")) if path.is_file() else None

    def energy(self):
        return (self.summary or self.progress or {}).get("energy") or {}

    def sampled(self):
        with h5py.File(self.sensors) as file:
            return int(file["samples_written"][()]) > 1

    def read_stations(self):
        """Seafloor stations alone: hydrophones see the water column from within."""
        self.pressure = None
        if not self.sensors:
            return
        with h5py.File(self.sensors) as file:
            written = int(file["samples_written"][()])
            if written < 4 or "station" not in file:
                return
            floor = file["station_kind"][:] == 0
            if not floor.any():
                return
            self.time, self.pressure = file["time"][:written], file["pressure"][:written][:, floor]
            self.names = [text(name) for name, on in zip(file["station"][:], floor) if on]
            self.x, self.y, self.depth = file["x"][:][floor], file["y"][:][floor], -file["z"][:][floor]
            *self.source, self.whence = plot_traces.source(self.folder, file, written)


def picture(figure, alt, dpi=130):
    buffer = io.BytesIO()
    figure.savefig(buffer, format="png", dpi=dpi, facecolor="white")
    plt.close(figure)
    return f'<img alt="{html.escape(alt)}" src="data:image/png;base64,{base64.b64encode(buffer.getvalue()).decode()}">'


def section(title, note, *body):
    return f"<section><h2>{html.escape(title)}</h2><p>{html.escape(note)}</p>{''.join(body)}</section>"


def quantity(value, unit):
    """With a prefix that leaves one to three digits before the point."""
    if value is None or not np.isfinite(value):
        return "–"
    for factor, prefix in ((1e15, "P"), (1e12, "T"), (1e9, "G"), (1e6, "M"), (1e3, "k"), (1, "")):
        if abs(value) >= factor:
            return f"{value / factor:.3g} {prefix}{unit}"
    return f"{value:.3g} {unit}"


def table(rows):
    return "<table>" + "".join(f"<tr><th>{html.escape(k)}</th><td>{html.escape(str(v))}</td></tr>" for k, v in rows if v) + "</table>"


def tiles(run):
    s, p = run.summary or {}, run.progress or {}
    get = lambda key: s.get(key, p.get(key))
    shown = [(duration(s["end_s"]) if s else f"{duration(p.get('time_s', 0))} of {duration(p.get('end_s', 0))}", "model time"),
             (quantity(s.get("dofs"), "").strip(), "unknowns"),
             (f"{get('steps'):,}".replace(",", " ") if get("steps") else "–", f"steps of {float(run.attrs.get('dt', 'nan')):.4g} s"),
             (quantity(get("max_surface_height_m"), "m"), "highest surface"),
             (quantity(get("max_pressure_pa"), "Pa"), "largest |p| at sensors and checks"),
             (quantity(get("step_gdofs") * 1e9 if get("step_gdofs") else None, "").strip() + " /s", "dof × steps")]
    return '<div class="tiles">' + "".join(f'<div class="tile"><b>{html.escape(a)}</b><span>{html.escape(b)}</span></div>' for a, b in shown) + "</div>"


def case_section(run):
    s = run.summary or {}
    with h5py.File(run.sensors or run.surface) as file:
        counts = ", ".join(f"{file[key].shape[0]} {word}" for key, word in (("station", "pressure sensors"), ("gauge", "surface gauges")) if key in file)
    left = [("case file", run.attrs.get("case_path")), ("mesh", run.attrs.get("mesh")), ("sensors", counts), ("projection", run.attrs.get("projection")),
            ("water", f"c = {run.speed:g} m/s, g = {run.gravity:g} m/s²" if run.speed else "")]
    left += carried(s.get("resolution")) + [(source["name"], described(source)) for source in s.get("sources", ())]
    right = [("variant", run.attrs.get("variant")), ("device", run.attrs.get("devices")), ("ranks", run.attrs.get("ranks")), ("threads", s.get("threads")),
             ("wall time", f"{duration(s['wall_s'])}, of which steps {duration(s['loop_s'])}" if s else ""),
             ("restarted", f"from {s['restarted_from']}, {s['steps_made']} of {s['steps']} steps made since" if s.get("restarted_from") else ""),
             ("memory", f"{s['peak_bytes_per_dof']:.3g} bytes per unknown" if s else ""),
             ("version", f"{run.attrs.get('agwave_version')} ({run.attrs.get('agwave_commit')})")]
    notes = "".join(f"<p>{html.escape(line)}</p>" for line in s.get("notes", s.get("note", "").splitlines()))  # reflected waves, among others
    return section("The run", "What was computed, where, and how fast.", f'<div class="two"><div>{table(left)}</div><div>{table(right)}</div></div>{notes}')


def carried(resolution):
    if not resolution:
        return []
    waves = [f"{what} from {duration(resolution[key])} on" for what, key in (("sound", "sound_period_s"), ("surface waves", "surface_period_s")) if resolution.get(key)]
    return [("mesh carries", f"{', '.join(waves)} ({100 * resolution['error_per_wavelength']:.2g} % of a period per wavelength)")]


def described(source):
    words = [source["type"]]
    if "fault" in source:
        fault = source["fault"]
        words.append(f"{fault['subfaults']} subfaults, Mw {fault['magnitude']:.2f}, slip up to {fault['largest_slip_m']:.3g} m")
    words.append(f"uplift {source['lowest_m']:.3g} to {source['highest_m']:.3g} m, t = {source['begin_s']:.4g} to {source['end_s']:.4g} s")
    if source.get("shortest_period_s"):
        words.append(f"periods down to {duration(source['shortest_period_s'])}")
    return "; ".join([*words, f"{100 * source['inside']:.3g} % in the domain"])


def map_sections(run):
    parts = []
    groups = plot_surface.read_sensors(run.folder / "sensors.h5")
    with h5py.File(run.surface) as file:
        sponges = " Hatched along the walls: sponges, in which waves fade." if plot_surface.Frame(file).sponges else ""
        for variable, title, note in (
                ("maximum_height", "Largest surface height", "The highest the sea surface stood at each place until the end, with the sensors." + sponges),
                ("arrival_time", "Arrival time", f"When the surface first stood more than {text(file['arrival_time'].attrs.get('threshold_m', '0.01'))} m higher or "
                 "lower than at rest. The sound of a strong source does that before the tsunami does: an output.arrival_threshold above it shows the tsunami.")):
            try:
                parts.append(section(title, note, picture(plot_surface.figure(file, variable, None, groups, "", None), title)))
            except ValueError:
                continue  # nothing has arrived
        written = int(file["samples_written"][()])
        if "surface_height" in file and written > 2:
            parts.append(section("The surface in time", "Height of the sea surface; all maps share one scale.", picture(snapshots(file, written), "Surface")))
    return parts


def snapshots(file, written):
    chosen = np.unique(np.linspace(1, written - 1, min(6, written - 1)).round().astype(int))
    frame, heights = plot_surface.Frame(file), [file["surface_height"][n] for n in chosen]
    limit = np.percentile(np.abs(heights), 99.8) or 1.0
    columns = min(3, len(chosen))
    rows = -(-len(chosen) // columns)
    shape = np.clip(np.ptp(frame.y) * frame.aspect / np.ptp(frame.x), 0.25, 1.6)
    figure, axes = plt.subplots(rows, columns, figsize=(10.5, 0.6 + rows * (10.5 / columns * shape * 0.86 + 0.4)), layout="constrained", sharex=True,
                                sharey=True, squeeze=False)
    for ax in axes.flat[len(chosen):]:
        ax.set_visible(False)
    for ax, n, height in zip(axes.flat, chosen, heights):
        mesh = ax.pcolormesh(frame.x, frame.y, height, cmap="RdBu_r", vmin=-limit, vmax=limit, shading="gouraud", rasterized=True)
        draw_sponges(ax, frame.sponges)
        ax.set_title(duration(file["time"][n]), fontsize=10, loc="left")
        frame.shape_axes(ax)
    figure.colorbar(mesh, ax=axes, shrink=0.7, label="surface height [m]", extend="both").outline.set_visible(False)
    figure.supxlabel(frame.labels[0], fontsize=9)
    figure.supylabel(frame.labels[1], fontsize=9)
    return figure


def trace_section(run):
    traces = run.recording
    note = "Pressure at a point in space and height of the surface. Each panel has one scale."
    if traces.tsunami:
        note += f" The lower panels have what is slower than {duration(traces.tsunami)}, which no sound is: the tsunami alone."
    if traces.written < traces.samples:
        note += f" {traces.written} of {traces.samples} samples are written."
    return section("Traces", note, picture(plot_traces.figure(traces, "common", ""), "Traces"))


def record_section(run):
    distance = np.hypot(run.x - run.source[0], run.y - run.source[1]) / 1e3
    if np.ptp(distance) == 0 or not (np.abs(run.pressure) > 0).any():
        return ""
    tsunami, interval = run.recording.tsunami, run.recording.interval
    slow = lowpass(run.pressure, interval, tsunami)[: len(run.time) - int(np.ceil(1.5 * tsunami / interval))] if tsunami else None
    figure, axes = plt.subplots(1, 2 if tsunami else 1, figsize=(10, 5.6), layout="constrained", sharey=True, squeeze=False)
    for ax, pressure, title, least in zip(axes[0], (run.pressure, slow), ("as recorded", f"tsunami alone: periods above {tsunami:g} s"), (0, 0.02)):
        peak = np.abs(pressure).max(0)
        draw_records(ax, run, distance, pressure, np.maximum(peak, least * peak.max()))  # where no tsunami has come, no noise is blown up
        if tsunami:
            ax.set_title(title, fontsize=9.5, loc="left")
    axes[0, 0].set_ylabel("distance from the source [km]")
    axes[0, 0].legend(*axes[0, 0].get_legend_handles_labels(), loc="upper left", frameon=True, framealpha=0.9, edgecolor="none")
    return section("Record section", f"Seafloor pressure by distance from {run.whence}, each trace by its own peak. Sound comes along the steeper line, the "
                   "surface wave along the other one, where it is not lost below the sound.", picture(figure, "Record section"))


def draw_records(ax, run, distance, pressure, peak):
    scale = 0.06 * max(np.ptp(distance), 1.0)
    far = distance.max() + 2 * scale
    labels = []  # (distance, names); traces too close for two labels share one
    for n in np.argsort(distance):
        if peak[n] > 0:
            ax.plot(run.time[: len(pressure)], distance[n] + scale * pressure[:, n] / peak[n], color=plot_traces.SEAFLOOR, linewidth=0.8, zorder=3)
            if labels and distance[n] - labels[-1][0] < 0.025 * far:
                labels[-1][1].append(run.names[n])
            else:
                labels.append((distance[n], [run.names[n]]))
    for place, together in labels if len(distance) <= 40 else ():
        label = ", ".join(together[:3]) + (f" +{len(together) - 3}" if len(together) > 3 else "")
        ax.annotate(label, (run.time[-1], place), xytext=(4, 0), textcoords="offset points", fontsize=7.5, va="center", color="#374151")
    if run.speed:
        depth = np.median(run.depth)
        for speed, label, color in ((run.speed, f"sound, {run.speed:g} m/s", "#b5541c"),
                                    (np.sqrt(run.gravity * depth), f"long wave, √(gH) = {np.sqrt(run.gravity * depth):.0f} m/s", "#1b7a6e")):
            ax.plot([0, far * 1e3 / speed], [0, far], color=color, linestyle="--", linewidth=1.3, label=label, zorder=2)
    ax.set_xlim(0, run.time[-1])
    ax.set_ylim(max(0, distance.min() - 2 * scale) if distance.min() > 3 * scale else -2 * scale, far)
    ax.set_xlabel("time since the start [s]")
    ax.grid(color="#e5e7eb", linewidth=0.8)


def spectra(run):
    step = run.time[1] - run.time[0]
    window = np.hanning(len(run.time))[:, None]
    amplitude = np.abs(np.fft.rfft((run.pressure - run.pressure.mean(0)) * window, axis=0)) * step * 2
    frequency = np.fft.rfftfreq(len(run.time), step)
    use = slice(1, None)
    if not (amplitude[use] > 0).any():
        return ""
    figure, ax = plt.subplots(figsize=(10, 5.0), layout="constrained")
    shown = np.argsort(-np.abs(run.pressure).max(0))[:60]
    colors = plt.get_cmap("viridis_r")
    low, high = run.depth.min(), run.depth.max()
    for n in shown:
        shade = 0.1 + 0.85 * ((run.depth[n] - low) / (high - low) if high > low else 0.5)
        ax.loglog(frequency[use], amplitude[use, n], color=colors(shade), linewidth=0.8, alpha=0.75)
    if run.speed:
        depth, f0 = np.median(run.depth), run.speed / 4 / np.median(run.depth)
        if high - low > 0.02 * high:
            ax.axvspan(run.speed / 4 / high, run.speed / 4 / low, color="#b5541c", alpha=0.08, linewidth=0)
        n = 1
        while (2 * n - 1) * f0 < frequency[-1] and n <= 4:
            ax.axvline((2 * n - 1) * f0, color="#b5541c", linestyle="--", linewidth=1.1)
            name = "c/4H" if n == 1 else f"{2 * n - 1} c/4H"
            ax.annotate(f"{name}\n{(2 * n - 1) * f0:.3g} Hz", ((2 * n - 1) * f0, 1), xycoords=("data", "axes fraction"), xytext=(3, -4 if n % 2 else -30),
                        textcoords="offset points", va="top", fontsize=8, color="#8a3b0f", bbox={"facecolor": "white", "edgecolor": "none", "pad": 0.5})
            n += 1
        note = (f"Amplitude spectra of the seafloor pressure (Hann window), darker where the water is deeper. Dashed: resonances of a water column of the "
                f"stations' median depth H = {depth:.0f} m, period 4H/c = {1 / f0:.3g} s and its odd harmonics; shaded: c/4H of all depths.")
    else:
        note = "Amplitude spectra of the seafloor pressure (Hann window), darker where the water is deeper."
    top = amplitude[use].max()
    ax.set_ylim(top * 1e-6, top * 4)
    periods = limits(run)
    ax.set_xlim(frequency[1], 1.15 * max([frequency[-1], *(1 / period for _, period in periods if 1 / period < 3 * frequency[-1])]))
    draw_limits(ax, periods)
    note += " Dotted, with their periods: " + "; ".join(f"{what} {duration(period)}" for what, period in periods) + "."
    if run.recording.period:
        note += f" The spectra are of the samples as recorded; the traces above are {lowpassed(run.recording.period)}."
    ax.set_xlabel("frequency [Hz]")
    ax.set_ylabel("amplitude [Pa/Hz]")
    ax.grid(which="major", color="#e5e7eb", linewidth=0.8)
    return section("Spectra", note, picture(figure, "Spectra"))


def limits(run):
    """(what, period [s]) of the shortest periods that sensors record, the mesh carries and each source excites; the latter two as summary.json has them."""
    summary = run.summary or {}
    mesh, sources = summary.get("resolution") or {}, summary.get("sources") or []
    known = [("sensors' Nyquist", 2 * run.recording.interval), ("mesh, sound", mesh.get("sound_period_s")), ("mesh, surface waves", mesh.get("surface_period_s"))]
    known += [(source["name"], source.get("shortest_period_s")) for source in sources]
    if run.recording.period:
        known.append(("low-pass", run.recording.period))
    return [(what, float(period)) for what, period in known if period]


def draw_limits(ax, periods):
    """Lines at their frequencies, labelled at the bottom; higher where lines come close."""
    before, height = None, 0
    span = np.diff(np.log(ax.get_xlim()))[0]
    for what, period in sorted(periods, key=lambda p: -p[1]):
        place = np.log(1 / period)
        height = (height + 1) % 3 if before is not None and place - before < 0.025 * span else 0
        before = place
        ax.axvline(1 / period, color="#4b5563", linestyle=":", linewidth=1.4, zorder=2.5)
        ax.annotate(f"{what} {duration(period)}", (1 / period, 0.02 + 0.32 * height), xycoords=("data", "axes fraction"), xytext=(-3, 0), textcoords="offset points",
                    rotation=90, ha="right", va="bottom", fontsize=7.5, color="#1f2937", bbox={"facecolor": "white", "edgecolor": "none", "pad": 0.5, "alpha": 0.85},
                    annotation_clip=True, zorder=4)


def energy_section(run):
    budget = run.energy()
    if not budget.get("source_work"):
        return ""
    work, loss, final, faded = budget["source_work"], budget["boundary_loss"], budget["final"], budget.get("sponge_loss", 0)
    where = [("in the water at the end", final, "#1b7a6e"), ("gone through absorbing walls", loss, "#d8a03d"),
             *([("faded in sponges", faded, "#8a5a83")] if faded else [])]
    figure, ax = plt.subplots(figsize=(10, 1.8), layout="constrained")
    ax.barh([1], [work / 1e12], color="#12324f", height=0.55)
    before = 0.0
    for label, part, color in where:
        ax.barh([0], [part / 1e12], left=[before / 1e12], color=color, height=0.55, label=label)
        before += part
    ax.set_yticks([1, 0], ["work of the source", "where it is"])
    ax.set_xlabel("energy [TJ]")
    ax.legend(loc="lower right", bbox_to_anchor=(1, 1), ncol=3, frameon=False, fontsize=8.5, borderaxespad=0)
    ax.spines["left"].set_visible(False)
    ax.tick_params(axis="y", length=0)
    rows = [("work of the source", work), *((label, part) for label, part, _ in where), ("unaccounted for", budget["residual"])]
    body = "<table>" + "".join(f'<tr><th>{k}</th><td class="number">{v:.5g} J</td><td class="number">{v / work:.3g}</td></tr>' for k, v in rows) + "</table>"
    return section("Energy budget", "Work of the seafloor = energy in the water + energy that left through absorbing walls or faded in sponges. What is unaccounted for measures "
                   "the error of the time stepping; the last column is relative to the work.", picture(figure, "Energy"), body)


def page(run):
    done = run.summary is not None
    state = "complete" if done else "not complete" + (f": {run.progress['percent']:.1f} %" if run.progress else "")
    parts = [case_section(run)]
    if not done:
        parts.insert(0, '<section class="warn">The run has no summary: it is still going on, or it ended early. Shown is what there is.</section>')
    if run.surface:
        parts += map_sections(run)
    if run.recording:
        parts.append(trace_section(run))
    if run.pressure is not None:
        parts += [record_section(run), spectra(run)]
    parts.append(energy_section(run))
    case = f"<section><details><summary>Case file, as it ran</summary><pre>{html.escape(run.attrs.get('case_file', ''))}</pre></details></section>"
    return (f'<!doctype html><html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width, initial-scale=1">'
            f"<title>{html.escape(run.title)}</title><style>{STYLE}</style></head><body><header><div><h1>{html.escape(run.title)}</h1>"
            f"<p>agwave run, {html.escape(state)}</p></div></header><main>{tiles(run)}{''.join(parts)}{case}"
            f"<footer>agwave {html.escape(run.attrs.get('agwave_version', ''))}, commit {html.escape(run.attrs.get('agwave_commit', ''))}</footer></main></body></html>\n")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("run", type=pathlib.Path, help="output directory of a run")
    parser.add_argument("-o", "--output", type=pathlib.Path, help="page (default: report.html in the output directory)")
    lowpass_argument(parser)
    parser.add_argument("--tsunami", type=float, metavar="PERIOD", help="traces of what is slower than this [s]; 0: none (default: as plot_traces.py --help says)")
    options = parser.parse_args()
    target = options.output or options.run / "report.html"
    try:
        target.write_text(page(Run(options.run, options.lowpass, options.tsunami)), encoding="utf-8")
    except (OSError, KeyError, ValueError) as error:
        sys.exit(f"report.py: {options.run}: {error}")
    print(target)


if __name__ == "__main__":
    main()
