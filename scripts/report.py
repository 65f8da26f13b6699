#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Puts a run on one page: report.html, self-contained, opens in any browser and can be mailed.

Summary, maps of the largest surface height, of the arrival time and of the surface in time, traces, a record section, spectra with the
resonances of the water column, the energy budget and the speed. What a run has not recorded is left out. A run still going on, or killed, is
reported as far as it got. In a browser the maps in time have a slider, and traces tell their values under the pointer: for that the page carries
Plotly, 5 MB; --still leaves it out.

Example:
    report.py results/aleutian
    report.py results/aleutian -o aleutian.html
    report.py results/aleutian --lowpass 3
"""
import argparse
import base64
import html
import io
import pathlib

from common import concerning, duration, read_json, write_whole  # first: says which package is missing
from arguments import check_outputs, spare
from lowpass import lowpass_argument

import h5py
import matplotlib

matplotlib.use("Agg")
import matplotlib.pyplot as plt
import numpy as np
import plot_surface
import plot_traces
import report_figures
import report_live

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
.slider { display: flex; gap: 12px; align-items: center; max-width: none; color: var(--ink); }
.slider input { flex: 1; accent-color: var(--accent); }
.slider button { width: 64px; padding: 3px 0; border: 1px solid var(--line); border-radius: 6px; background: #f8fafc; font: inherit; cursor: pointer; }
.slider output { width: 110px; text-align: right; font-variant-numeric: tabular-nums; }
[hidden] { display: none; }
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
        with concerning(about):
            self.recording = plot_traces.Recording(self.sensors, "pressure", "distance", period, tsunami) if self.sensors and self.sampled() else None
        self.read_stations()

    def json(self, name):
        path = self.folder / name
        return read_json(path) if path.is_file() else None

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
        if abs(value) >= 0.9995 * factor:  # which is rounded up
            return f"{value / factor:.3g} {prefix}{unit}"
    return f"{value:.3g} {unit}"


def table(rows):
    return "<table>" + "".join(f"<tr><th>{html.escape(k)}</th><td>{html.escape(str(v))}</td></tr>" for k, v in rows if v) + "</table>"


def tiles(run):
    s, p = run.summary or {}, run.progress or {}
    get = lambda key: s.get(key, p.get(key))
    shown = [(duration(s["end_s"] if s else p.get("time_s", 0)), "model time" if s else f"of {duration(p.get('end_s', 0))} of model time"),
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
    kinds = ("sound", "sound_period_s"), ("surface waves", "surface_period_s")
    waves = [f"{what} from {duration(resolution[key])} on" for what, key in kinds if resolution.get(key)]
    return [("mesh carries", f"{', '.join(waves)} ({100 * resolution['error_per_wavelength']:.2g} % of a period per wavelength)")]


def described(source):
    words = [source["type"]]
    if "fault" in source:
        fault = source["fault"]
        words.append(f"{fault['subfaults']} subfaults, Mw {fault['magnitude']:.2f}, slip up to {fault['largest_slip_m']:.3g} m")
    uplift = f"uplift {source['lowest_m']:.3g} to {source['highest_m']:.3g} m, " if source["lowest_m"] < 0 or source["highest_m"] > 0 else ""
    words.append(f"{uplift}t = {source['begin_s']:.4g} to {source['end_s']:.4g} s")
    if source.get("shortest_period_s"):
        words.append(f"periods down to {duration(source['shortest_period_s'])}")
    return "; ".join([*words, f"{100 * source['inside']:.3g} % in the domain"])


def levels_section(run):
    steps = (run.summary or {}).get("local_steps") or {}
    if "patches" not in steps:
        return ""
    return section("Local steps", "How long a step the columns of elements take: as long as the water under them allows, each level half of another or less. Steps in "
                   f"levels were predicted to gain a factor of {steps['predicted_gain']:.3g}.", picture(report_figures.levels(steps), "Local steps"))


def map_sections(run, live):
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
        made = plot_surface.maps_made(file) if "surface_height" in file else []
        if len(made) > 2:
            still = picture(report_figures.snapshots(file, made), "Surface")
            parts.append(section("The surface in time", "Height of the sea surface; all maps share one scale.",
                                 report_live.surface(still, file, made, groups) if live else still))
    return parts


def trace_section(run, live):
    traces = run.recording
    note = "Pressure at a point in space and height of the surface. Each panel has one scale."
    if traces.tsunami:
        note += f" The lower panels have what is slower than {duration(traces.tsunami)}, which no sound is: the tsunami alone."
    if traces.written < traces.samples:
        note += f" {traces.written} of {traces.samples} samples are written."
    still = picture(plot_traces.figure(traces, "common", ""), "Traces")
    return section("Traces", note, report_live.traces(still, traces) if live else still)


def energy_table(work, rows):
    return "<table>" + "".join(f'<tr><th>{k}</th><td class="number">{v:.5g} J</td><td class="number">{v / work:.3g}</td></tr>' for k, v in rows) + "</table>"


def energy_section(run):
    budget = run.energy()
    if not budget.get("source_work"):
        return ""
    work, loss, final, faded = budget["source_work"], budget["boundary_loss"], budget["final"], budget.get("sponge_loss", 0)
    floor = [("taken by the floor", budget["floor_loss"])] if budget.get("floor_loss") else []
    if final is None:
        return section("Energy budget", "In single precision neither the energy in the water nor what faded in sponges is known. The last column is relative to the work.",
                       energy_table(work, [("work of the source", work), ("gone through absorbing walls", loss), *floor]))
    where = [("in the water at the end", final, "#1b7a6e"), ("gone through absorbing walls", loss, "#d8a03d"),
             *([("taken by sponges and filter", faded, "#8a5a83")] if faded else []), *((*row, "#7d6a55") for row in floor)]
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
    return section("Energy budget", "Work of the seafloor = energy in the water + energy that left through absorbing walls or was taken by sponges and filter. What is unaccounted for measures "
                   "the error of the time stepping; the last column is relative to the work.", picture(figure, "Energy"), energy_table(work, rows))


def page(run, still=False):
    library = "" if still else report_live.library()
    live = bool(library)
    done = run.summary is not None
    state = "complete" if done else "not complete" + (f": {run.progress['percent']:.1f} %" if run.progress else "")
    parts = [case_section(run)]
    if not done:
        parts.insert(0, '<section class="warn">The run has no summary: it is still going on, or it ended early. Shown is what there is.</section>')
    if run.surface:
        parts += map_sections(run, live)
    if run.recording:
        parts.append(trace_section(run, live))
    if run.pressure is not None:
        for title, made in (("Record section", report_figures.records(run)), ("Spectra", report_figures.spectra(run))):
            if made:
                parts.append(section(title, made[0], picture(made[1], title)))
    parts += [levels_section(run), energy_section(run)]
    case = f"<section><details><summary>Case file, as it ran</summary><pre>{html.escape(run.attrs.get('case_file', ''))}</pre></details></section>"
    return (f'<!doctype html><html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width, initial-scale=1">'
            f"<title>{html.escape(run.title)}</title><style>{STYLE}</style></head><body><header><div><h1>{html.escape(run.title)}</h1>"
            f"<p>agwave run, {html.escape(state)}</p></div></header><main>{tiles(run)}{''.join(parts)}{case}"
            f"<footer>agwave {html.escape(run.attrs.get('agwave_version', ''))}, commit {html.escape(run.attrs.get('agwave_commit', ''))}</footer></main>{library}</body></html>\n")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("run", type=pathlib.Path, help="output directory of a run")
    parser.add_argument("-o", "--output", type=pathlib.Path, help="page (default: report.html in the output directory)")
    lowpass_argument(parser)
    parser.add_argument("--tsunami", type=float, metavar="PERIOD", help="traces of what is slower than this [s]; 0: none (default: see plot_traces.py)")
    parser.add_argument("--still", action="store_true", help="pictures alone, nothing that moves or answers: a page of a few hundred kB")
    options = parser.parse_args()
    check_outputs(parser, options.output)
    spare(parser, [options.run], options.output)
    target = options.output or options.run / "report.html"
    with concerning(options.run):
        made = page(Run(options.run, options.lowpass, options.tsunami), options.still)
    write_whole(target, made)
    print(target)


if __name__ == "__main__":
    main()
