# SPDX-License-Identifier: Apache-2.0
"""scripts/plot_traces.py and what report.py makes of the same: no trace runs over another, names beside what a window shows of it, order, the low-pass and what is said of it, the tsunami
apart from the sound, lines in the spectra; durations in words.   test_traces.py AGWAVE SOURCE_DIR PYTHON"""
import json
import pathlib
import shutil
import subprocess
import sys
import tempfile

from program import need

need("h5py", "matplotlib", "numpy", "scipy")
import h5py  # noqa: E402
import matplotlib  # noqa: E402
import numpy as np  # noqa: E402

CASE = """
title: Traces
domain: {size: [24000, 9000], bathymetry: {type: flat, depth: 2000}}
mesh: {elements: [8, 3, 1]}
sources: [{shape: {type: gaussian, center: [9000, 4500], radius: [2000, 1500]}, ramp: {type: smoothstep, duration: 2}}]
time: {end: 6}
sensors:
  interval: 0.25
  seafloor: [{name: FAR, x: 23000, y: 4500}, {name: NEAR, x: 9500, y: 4500}, {name: MID, x: 15000, y: 4500}]
  surface: [{name: T, x: 15000, y: 4500}]
output: {directory: out, surface_interval: 2}
solver: {device: cpu}
"""
scripts = pathlib.Path(sys.argv[2]).resolve() / "scripts"
sys.path.insert(0, str(scripts))
import common  # noqa: E402
import lowpass  # noqa: E402
import plot_traces  # noqa: E402
import report  # noqa: E402
import report_figures  # noqa: E402


def check_durations():
    for seconds, words in ((0.25, "0.25 s"), (48, "48 s"), (119.4, "119 s"), (119.6, "2 min"), (200, "3 min 20 s"), (3569.9, "59 min 30 s"), (3600, "1 h"),
                           (18420, "5 h 7 min"), (86400, "1 day"), (1918800, "22 days 5 h")):
        assert common.duration(seconds) == words, (seconds, common.duration(seconds))


def check_quantities():
    for value, words in ((0.905, "0.905 m"), (999.4, "999 m"), (999.6, "1 km"), (-999.6e3, "-1 Mm"), (None, "–")):
        assert report.quantity(value, "m") == words, (value, report.quantity(value, "m"))


def check_lowpass():
    time = np.arange(0, 2000, 0.5)
    bell = np.exp(-0.5 * ((time - 1000) / 200) ** 2)
    for period, left in ((100, 1), (20, 0.5), (5, 0)):  # none is delayed, half is left at the period itself
        wave = np.sin(2 * np.pi * (time - 1000) / period) * bell
        assert np.abs(lowpass.lowpass(wave, 0.5, 20) - left * wave).max() < 0.03, period
    both = lowpass.lowpass(np.stack([bell, 2 * bell], axis=1), 0.5, 20)
    assert np.abs(both[:, 1] - 2 * both[:, 0]).max() < 1e-12
    for period in (1.0, 0.3):
        try:
            lowpass.lowpass(time, 0.5, period)
        except ValueError as error:
            assert "no period below 1 s" in str(error)
        else:
            raise AssertionError(f"a low-pass at {period} s of samples every 0.5 s")


def check_rows():
    random = np.random.default_rng(1)
    for count in (1, 2, 13, 60):
        values = np.cumsum(random.normal(size=(500, count)), axis=0) * 10.0 ** random.uniform(-3, 3, count)
        rows, unit = plot_traces.stacked(values, plot_traces.rows_of(count))
        heights = rows - unit * values
        assert (np.diff(heights, axis=1) > 0.1).all(), "a trace runs over its neighbour"
        assert np.ptp(heights) <= plot_traces.rows_of(count) * 1.001 and unit * np.ptp(values) > 0.3 and (np.diff(rows) >= 1).all()


def check_window(path):
    """What --from and --to show of records that stay away from zero has every name, distance and peak inside the panel."""
    recording = plot_traces.Recording(path, tsunami=0)
    for panel in recording.panels:
        panel.values = panel.values + 20 * np.abs(panel.values).max() * np.linspace(1, 1.2, len(panel.names))
    figure = plot_traces.figure(recording.between(3, 5), "common", "title")
    for ax, panel in zip(figure.axes, recording.panels):
        bottom, top = ax.get_ylim()
        beside = [text for text in ax.texts if text.get_transform() is not ax.transAxes and text.get_position()[0] < 1.16]
        assert len(beside) == 3 * len(panel.names) and all(top < text.get_position()[1] < bottom for text in beside), panel.title
        assert all(top < min(line.get_ydata()) <= max(line.get_ydata()) < bottom for line in ax.lines)
    matplotlib.pyplot.close(figure)
    shutil.copytree(path.parent, path.parent.with_name("kept"))
    kept = path.parent.with_name("kept") / "sensors.h5"
    before = kept.read_bytes()
    assert "sensors.h5 is read, and would be written over; give another name" in plot(kept, "-o", kept, fails=True) and kept.read_bytes() == before


def plot(*arguments, fails=False):
    done = subprocess.run([sys.executable, scripts / "plot_traces.py", *arguments], capture_output=True, text=True)
    assert (done.returncode != 0) == fails, done.stderr
    return done.stderr


def titles(path, **options):
    recording = plot_traces.Recording(path, **options)
    figure = plot_traces.figure(recording, "common", "title")
    found = [ax.get_title(loc="left") for ax in figure.axes], " ".join(text.get_text() for text in figure.texts)
    matplotlib.pyplot.close(figure)
    return *found, recording


def check_order(path):
    panels, said, recording = titles(path)
    assert panels == ["Seafloor pressure", "Sea-surface height"] and "distance from the middle of the uplift" in said and "low-pass" not in said
    assert recording.panels[0].names == ["NEAR", "MID", "FAR"] and np.allclose(recording.panels[0].distance, [500, 6000, 14000], atol=30)
    assert plot_traces.Recording(path, order="given").panels[0].names == ["FAR", "NEAR", "MID"]
    (path.parent / "surface.h5").rename(path.parent / "hidden.h5")
    assert "distance from NEAR, the strongest trace" in titles(path)[1]
    (path.parent / "hidden.h5").rename(path.parent / "surface.h5")


def make_long(path):
    """Sound of 4 s and, later, a tsunami of 120 s at MID; both at the gauge."""
    time = np.arange(0, 600, 0.5)
    sound = np.sin(2 * np.pi * time / 4) * np.exp(-0.5 * ((time - 150) / 40) ** 2)
    tsunami = np.exp(-0.5 * ((time - 400) / 30) ** 2)
    with h5py.File(path, "r+") as file:
        for name in ("time", "pressure", "surface_height"):
            del file[name]
        file["time"] = time
        file["pressure"] = np.stack([0 * sound, 1e4 * sound, 1e4 * sound + 1e3 * tsunami], axis=1)
        file["surface_height"] = (0.3 * sound + 0.1 * tsunami)[:, None]
        file["samples_written"][()] = time.size
    return tsunami


def check_tsunami(path, tsunami):
    panels, said, recording = titles(path)
    assert recording.tsunami == 11  # twice 4 * 2000 m / (1500 m/s), rounded up
    assert panels[2:] == ["Seafloor pressure, tsunami alone: periods above 11 s", "Sea-surface height, tsunami alone: periods above 11 s"], panels
    assert "tsunami alone: low-passed at 11 s, zero phase" in said
    alone = recording.panels[2].values[:, recording.panels[2].names.index("MID")]
    assert len(alone) == len(tsunami) - 33 and np.abs(alone - tsunami[: len(alone)]).max() < 0.01  # [kPa]
    assert np.abs(recording.panels[3].values[:, 0] - 0.1 * tsunami[: len(alone)]).max() < 0.001
    assert len(titles(path, tsunami=0)[0]) == 2 and "above 50 s" in titles(path, tsunami=50)[0][3]
    assert len(plot_traces.Recording(path).between(590, 600).panels) == 2  # it is not known there
    assert "above 398 s" in titles(path, tsunami=398)[0][3]
    for period in ("450", "1e4", "inf", "-5"):
        told = plot(path, "--tsunami", period, fails=True)
        assert "give 399.3 s at most, or 0 for none" in told and told.count("\n") == 1, told


def check_filter(path, work):
    panels, said, recording = titles(path, period=20)
    assert panels[0] == "Seafloor pressure, low-passed at 20 s" and "low-passed at 20 s, zero phase (Butterworth of order 4, forwards and backwards)" in said
    assert np.abs(recording.panels[0].values).max() < 1.01
    assert "hold no period below 1 s" in plot(path, "--lowpass", "0.9", fails=True)
    assert "the record is 599.5 s long; give a shorter period" in plot(path, "--lowpass", "700", fails=True)
    told = plot(path, "-o", work / "none" / "t.png", fails=True)
    assert told == f"plot_traces.py: {work}/none/t.png: No such file or directory\n", told
    assert plot(path, "-o", work / "t.xyz", fails=True).startswith(f"plot_traces.py: {work}/t.xyz: Format 'xyz' is not supported")
    plot(path, "-o", work / "t.png", "--lowpass", "20", "--order", "given", "--scale", "each")
    with h5py.File(path, "r+") as file:
        file.attrs["lowpass_period_s"] = 20.0  # as a case's sensors.lowpass: the default
    assert titles(path)[0][0] == panels[0] and titles(path, period=0)[0][0] == "Seafloor pressure"


def check_spectra(run):
    summary = json.loads((run / "summary.json").read_text())
    assert report_figures.limits(report.Run(run, 0))[1][1] == summary["resolution"]["sound_period_s"]
    summary["resolution"].update({"sound_period_s": 2.5, "surface_period_s": 30})
    first = summary["sources"][0]
    point = {**first, "name": "sources[2]", "type": "point", "shortest_period_s": None, "lowest_m": 0.0, "highest_m": 0.0}
    summary["sources"] = [{**first, "shortest_period_s": 2.0}, {**first, "name": "sources[1]", "shortest_period_s": None}, point]
    (run / "summary.json").write_text(json.dumps(summary))
    read = report.Run(run)
    wanted = [("sensors' Nyquist", 1.0), ("mesh, sound", 2.5), ("mesh, surface waves", 30.0), ("sources[0]", 2.0), ("low-pass", 20.0)]
    assert report_figures.limits(read) == wanted, report_figures.limits(read)
    figure, ax = matplotlib.pyplot.subplots()
    ax.set_xscale("log")
    ax.set_xlim(0.01, 1.2)
    report_figures.draw_limits(ax, wanted)
    assert sorted(line.get_xdata()[0] for line in ax.lines) == sorted(1 / period for _, period in wanted)
    assert {note.get_text() for note in ax.texts} == {f"{what} {common.duration(period)}" for what, period in wanted}
    page = report.page(read)
    assert "<th>mesh carries</th><td>sound from 2.5 s on, surface waves from 30 s on (0.1 % of a period" in page
    assert "<th>sources[1]</th><td>gaussian; uplift 0 to 0.998 m, t = 0 to 2 s" in page, page[page.index("sources[1]"):][:200]
    assert "<th>sources[2]</th><td>point; t = 0 to 2 s" in page, "water added at a point has no uplift"
    assert "mesh, surface waves 30 s; sources[0] 2 s" in page and "the tsunami alone" in page and "6 s</b>" in page
    for key in ("resolution", "sources", "edges", "case", "notes"):  # as in summaries of former versions
        summary.pop(key, None)
    (run / "summary.json").write_text(json.dumps(summary))
    assert [what for what, _ in report_figures.limits(report.Run(run, 0))] == ["sensors' Nyquist"]
    assert "Spectra" in report.page(report.Run(run))


check_durations()
check_quantities()
check_lowpass()
check_rows()
def check_names(surface, plot_surface):
    """Names of sensors beside each other are drawn beside each other; of a sea where nothing has arrived the map of arrivals says so."""
    line = "hydrophone", ["line1", "line2", "line3"], np.array([11000, 11700, 12400]), np.array([4000, 4000, 4000])
    above = "gauge", ["T"], np.array([11000]), np.array([4000])
    figure = plot_surface.figure(surface, "maximum_height", None, [line, above], "", None)
    names = {text.get_text(): text.get_window_extent() for text in figure.axes[0].texts if text.get_fontweight() == "bold"}
    assert set(names) == {"line1/T", "line2", "line3"}, names
    assert not any(names[a].overlaps(names[b]) for a in names for b in names if a < b), names
    surface["arrival_time"][:] = np.nan
    try:
        plot_surface.figure(surface, "arrival_time", None, [], "", None)
        raise AssertionError("there is nothing to draw")
    except ValueError as error:
        assert "nothing has arrived so far" in str(error), error


with tempfile.TemporaryDirectory() as work:
    work = pathlib.Path(work)
    (work / "case.yaml").write_text(CASE)
    subprocess.run([sys.argv[1], "run", "case.yaml", "--quiet"], cwd=work, check=True)
    traces = work / "out" / "sensors.h5"
    check_order(traces)
    check_window(traces)
    check_tsunami(traces, make_long(traces))
    check_filter(traces, work)
    check_spectra(work / "out")
    with h5py.File(work / "out" / "surface.h5", "r+") as surface:
        import plot_surface
        assert plot_surface.Frame(surface).sponges == []
        (work / "out" / "summary.json").write_text(json.dumps({"edges": [{"wall": "east", "sponge_m": 6000}, {"wall": "north", "sponge_m": 0}]}))
        figure = plot_surface.figure(surface, "maximum_height", None, [], "", None)
        strip = next(patch for patch in figure.axes[0].patches if patch.get_hatch()).get_xy()
        assert np.allclose((strip.min(0), strip.max(0)), ((18, 0), (24, 9))), strip
        check_names(surface, plot_surface)
    print("passed")
