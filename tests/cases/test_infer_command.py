# SPDX-License-Identifier: Apache-2.0
"""scripts/infer.py as it is called, on maps made by a formula: files, windows, sensors that ride on the floor, no gauges, errors, sensors that are
elsewhere, tables of something else, and which run twin_report.py takes for the truth.   test_infer_command.py AGWAVE SOURCE_DIR PYTHON"""
import contextlib
import io
import json
import pathlib
import subprocess
import sys
import tempfile

from infer_maps import INTERVAL, scripts, smooth_event, twin_maps, write_maps, write_records
from program import disk_of
import h5py
import infer
import numpy as np


def call(*arguments, fails=None, code=1, **how):
    done = subprocess.run([sys.executable, str(scripts / "infer.py"), *map(str, arguments)], capture_output=True, text=True, **how)
    assert (done.returncode == 0) == (fails is None), done.stdout + done.stderr
    assert fails is None or (fails in done.stderr and "Traceback" not in done.stderr and "Unable" not in done.stderr and done.returncode == code), done.stderr
    return done.stdout


def check_command(work, maps):
    time, pressure = smooth_event(maps)
    exact = np.stack([1e4 * np.exp(-0.5 * ((maps.time - 15 - n) / 4) ** 2) for n in range(len(maps.sensors))], axis=1)
    order = list(range(len(maps.sensors)))[::-1]
    write_records(work / "sensors.h5", [maps.sensors[n] for n in order] + ["OTHER"], time, np.column_stack([pressure[:, order], 0 * time]))
    lines = ["# made up", "time," + ",".join(maps.sensors)] + [",".join(map(repr, map(float, [t, *row]))) for t, row in zip(maps.time, exact)]
    (work / "d.csv").write_text("\n".join(lines) + "\n")
    common = ["--windows", "10,40", "--noise-pressure", "50", "--model-error", "0", "--correlation-length", "15000", "--velocity-std", "0.05",
              "--correlation-time", "0", "--duration", "inf"]
    assert "of data, also for shorter windows" not in call(maps.path, "--data", work / "sensors.h5", "-o", work / "a.h5", *common)
    out = call(maps.path, "--data", work / "sensors.h5", "-o", work / "a.h5", "--factor", work / "f.h5", "--json", work / "a.json", *common)
    assert "offline" in out and "GB of memory at the peak" in out and json.loads((work / "a.json").read_text())["windows_s"] == [10, 40]
    again = call(maps.path, "--data", work / "d.csv", "-o", work / "b.h5", "--factor", work / "f.h5", *common)
    assert "offline" not in again and "read in" in again
    with h5py.File(work / "a.h5") as a, h5py.File(work / "b.h5") as b:
        assert np.abs(a["data"][:] - exact).max() < 2, "splines in time"
        assert (b["data"][:] == exact).all() and b["displacement"].shape == (2, maps.ny, maps.nx)
        assert np.abs(a["displacement"][:] - b["displacement"][:]).max() < 1e-2 * np.abs(b["displacement"][:]).max()
        assert np.abs(b["fit"][:] - exact).max() < 0.3 * exact.max() and b["forecast_std"].shape == (2, maps.time.size, 2)
        assert np.allclose(b["velocity"][:].sum(0) * INTERVAL, b["displacement"][-1], rtol=0, atol=1e-6 * np.abs(b["displacement"][-1]).max())
    assert "noise and is made anew" in call(maps.path, "--data", work / "d.csv", "-o", work / "c.h5", "--factor", work / "f.h5", *common[:2], *common[4:], "--noise", "0.03")
    assert "read in" in call(maps.path, "--data", work / "d.csv", "-o", work / "c.h5", "--factor", work / "f.h5", *common[:2], *common[4:])
    online = "--data", work / "d.csv", "-o", work / "c.h5", "--factor", work / "f.h5", *common[:2], *common[6:], "--model-error"
    again = call(maps.path, *online, "0.2")
    assert "is of other model_error and is made anew" in again and "by the root mean square of 40 s of data, also for shorter windows" in again, again
    assert "read in" in call(maps.path, *online, "0.2")
    with h5py.File(work / "c.h5") as file:
        own, white = np.sqrt((file["data"][:] ** 2).mean(0)), 0.01 * np.sqrt((file["data"][:] ** 2).mean())
        assert np.allclose(file["noise"][:], np.hypot(white, 0.2 * own)) and file.attrs["model_error"] == 0.2
    assert "is of other velocity_std" in call(maps.path, "--noise-pressure", "50", "--factor", work / "f.h5", *common[4:8], "--velocity-std", "0.02", *common[10:])
    with h5py.File(work / "f.h5", "r+") as file:
        file.attrs["format"] = 1
    assert "format and is made anew" in call(maps.path, "--data", work / "d.csv", "-o", work / "c.h5", "--factor", work / "f.h5", *common)
    out = call(maps.path, "--data", work / "d.csv", "-o", work / "c.h5", "--factor", work / "f.h5", "--fit-prior", work / "prior.json", *common[:4])
    assert "fit of the prior: log evidence" in out and "is of other" in out
    fitted = json.loads((work / "prior.json").read_text())
    again = call(maps.path, "--data", work / "d.csv", "-o", work / "g.h5", "--factor", work / "f.h5", "--prior", work / "prior.json", "--windows", "10,40")
    assert "read in" in again, "the prior of the file is another one"
    with h5py.File(work / "c.h5") as c, h5py.File(work / "g.h5") as g:
        assert (c["displacement"][:] == g["displacement"][:]).all() and all(c.attrs[key] == value for key, value in fitted.items())
    assert "is of other duration" in call(maps.path, "--noise-pressure", "50", "--factor", work / "f.h5", "--prior", work / "prior.json", "--duration", "77")
    call(maps.path, "--data", work / "sensors.h5", "-o", work / "d.h5", "--interval", "4", *common[4:])
    with h5py.File(work / "d.h5") as file:
        assert file["velocity"].shape[0] == 10 and np.allclose(file["time"][:], maps.time[1::2])
        assert file.attrs["noise_added"] == 0 and "noise_window" in file.attrs
        motion = file["velocity"][:]  # of splines (1 3 3 1) / 4 of the file's intervals, of which a sample is in the second and the fourth
        for k in range(len(motion)):
            motion[k] = (motion[k] - 0.25 * motion[k - 1]) / 0.75 if k else motion[k] / 0.75
        moved = 4 * motion.sum(0) - 2 * motion[-1]  # half of the last has come
        assert np.abs(moved - file["displacement"][-1]).max() < 1e-5 * np.abs(moved).max(), "velocity is not that of the floor at these times"
    assert "prior sample 1" in call(maps.path, "--prior-samples", "2", "-o", work / "p.h5") and (work / "prior_samples.h5").is_file()
    try:
        import xarray
    except ImportError:
        return
    with xarray.open_dataset(work / "b.h5", engine="h5netcdf") as posterior:
        assert posterior.forecast.dims == ("window", "time", "gauge") and float(posterior.forecast.sel(window=40, gauge="G1").isel(time=-1)) != 0


def check_errors(work, maps):
    time, pressure = smooth_event(maps)
    good = ["-o", work / "e.h5", "--correlation-length", "15000"]
    write_records(work / "few.h5", maps.sensors[:-1], time, pressure[:, :-1])
    call(maps.path, "--data", work / "few.h5", *good, fails="has no record of S5; it has S0, S1")
    call(maps.path, "--data", work / "few.h5", *good, "--without", "S5")
    call(maps.path, "--data", work / "few.h5", *good, "--without", "S9", fails="--without S9: not in the maps; they have S0")
    write_records(work / "short.h5", maps.sensors, time[:200], pressure[:200])
    call(maps.path, "--data", work / "short.h5", *good, fails="give longer records, or a shorter window with --windows")
    call(maps.path, "--data", work / "short.h5", *good, "--windows", "16")
    write_records(work / "coarse.h5", maps.sensors, time[::80], pressure[::80])
    call(maps.path, "--data", work / "coarse.h5", *good, "--windows", "16", fails="give records sampled at least as often")
    gap = pressure.copy()
    gap[50, 2] = np.nan
    write_records(work / "gap.h5", maps.sensors, time, gap)
    call(maps.path, "--data", work / "gap.h5", *good, fails="records of S2 have gaps")
    call(maps.path, "--data", work / "few.h5", *good, "--windows", "30,41", fails="windows are from 2 to 40 s long")
    for windows in ("1", "-4,10", "nan", "inf"):
        call(maps.path, "--data", work / "few.h5", *good, "--windows=" + windows, fails="windows are from 2 to 40 s long")
    call(maps.path, "--data", work / "few.h5", *good, "--windows", "10,x", fails="invalid numbers value: '10,x'", code=2)
    call(maps.path, "--data", work / "sensors.h5", *good, "--memory", "1e-6", fails="GB may be used; leave sensors out (--without)")
    call(maps.path, "--data", work / "sensors.h5", "--correlation-length", "100", fails="below the 5000 m between parameters")
    call(maps.path, "--data", work / "few.h5", *good, "--interval", "3", fails="no multiple of the maps' interval of 2 s")
    call(maps.path, *good, fails="neither --data nor --factor")
    (work / "odd.json").write_text('{"velocity_std": 1}')
    call(maps.path, *good, "--data", work / "sensors.h5", "--prior", work / "odd.json", fails="is no file of --fit-prior: it has other options than")
    call(maps.path, *good, "--factor", work / "none.h5", fails="give --noise-pressure [Pa], or --data")
    call(work / "sensors.h5", "--data", work / "sensors.h5", fails="sensors.h5: this is no maps.h5")
    call(work / "d.csv", "--interval", "4", "--data", work / "sensors.h5", fails="d.csv: this is no maps.h5")
    call(work / "no.h5", "--data", work / "sensors.h5", fails="no.h5: No such file or directory")
    call(maps.path, *good, "--data", work / "no.h5", fails="no.h5: No such file or directory")
    (work / "cut.h5").write_bytes((work / "sensors.h5").read_bytes()[:3000])
    call(maps.path, *good, "--data", work / "cut.h5", fails="cut.h5: truncated file")
    (work / "binary").write_bytes(bytes(range(256)))
    call(maps.path, *good, "--data", work / "binary", fails="binary: this is no sensors.h5 of agwave, and a CSV file of data has the line")
    for wrong, about in (("few.h5", "few.h5: this is no factor of infer.py"), ("d.csv", "d.csv: this is no factor of infer.py")):
        before = (work / wrong).read_bytes()
        call(maps.path, *good, "--data", work / "sensors.h5", "--factor", work / wrong, fails=about)
        assert (work / wrong).read_bytes() == before
    call(maps.path, "--data", work / "sensors.h5", "-o", work / "none" / "e.h5", fails="there is no folder", code=2)
    call(maps.path, "--data", work / "sensors.h5", "-o", maps.path, fails="is read, and would be written over", code=2)
    assert "e.h5 would be written twice; give two names" in refused(maps.path, *good, "--factor", work / "e.h5")
    (work / "prior_samples.h5").write_bytes(maps.path.read_bytes())
    assert "prior_samples.h5 is read, and would be written over" in refused(work / "prior_samples.h5", *good, "--prior-samples", "1")
    assert "sensors.h5 is read, and would be written over" in refused(maps.path, *good, "--data", work, "--json", work / "sensors.h5")
    with h5py.File(work / "nodes.h5", "w") as file, h5py.File(maps.path) as own:
        for key in own:
            own.copy(key, file)
        file.attrs.update({**own.attrs, "parameter_spacing": 0.0})
    call(work / "nodes.h5", "--data", work / "sensors.h5", "-o", work / "e.h5", "--correlation-length", "1", fails="below the 5000 m between parameters")
    (work / "still.csv").write_text("time," + ",".join(maps.sensors) + "\n" + "".join(f"{t}," + ",".join([repr(float(1e-8 * np.sin(t)))] * 6) + "\n" for t in maps.time))
    call(maps.path, "--data", work / "still.csv", *good, "--fit-prior", work / "still.json", "--windows", "20", fails="best explained by a floor that does not move")
    assert not (work / "still.json").exists()
    call(maps.path, *good, "--factor", work / "none.h5", "--noise-pressure", "50", "--model-error", "0.1", fails="--model-error is relative to data", code=2)
    call(maps.path, "--data", work / "coarse.h5", "--interval", "4", "--windows", "4", fails="there is a sample every")
    (work / "bad.csv").write_text("time,S0\n0,1\n1\n")
    call(maps.path, "--data", work / "bad.csv", *good, fails="row 2 has 1 columns")
    with h5py.File(work / "none.h5", "w") as file:
        write_maps(work / "deaf.h5")
        file.attrs["x"] = 0
    with h5py.File(work / "deaf.h5", "r+") as file:
        for key in [key for key in file if key.startswith("sensor") or key == "pressure_map"]:
            del file[key]
    call(work / "deaf.h5", "--data", work / "sensors.h5", fails="the maps have no sensors")


def check_places(work, maps):
    """A run whose sensors of these names, or whose domain, are elsewhere is refused; a table has no places."""
    time, pressure = smooth_event(maps)

    def data(name, shift=(0, 0, 0), kinds=None, projection=None):
        write_records(work / name, maps.sensors, time, pressure)
        with h5py.File(work / name, "r+") as file:
            for axis, key in enumerate("xyz"):
                file[key] = maps.places[:, axis] + shift[axis] * (np.arange(len(maps.sensors)) == 2)
            file["station_kind"] = np.zeros(len(maps.sensors), "i1") if kinds is None else np.array(kinds, "i1")
            if projection:
                file.attrs["projection"] = projection
        return twin_maps.Records(work / name, "pressure")

    def told(records, projection=None):
        try:
            records.check_places(maps.sensors, maps.places, projection)
        except ValueError as error:
            return str(error)
        return ""

    assert not told(data("same.h5")) and not told(data("near.h5", (0.5, 0, 0))) and not told(twin_maps.Records(work / "d.csv", "pressure"))
    assert "it has S2 at x =" in told(data("moved.h5", (10e3, 0, 0))) and not told(data("mesh.h5", (0, 0, 30))), "the floor is where a mesh has it"
    assert "z = -3970 [m], and the maps have S2" in told(data("deeper.h5", (0, 0, 30), [0, 0, 1, 0, 0, 0]))
    assert "is that of '+proj=a' and that of the maps of '+proj=b'" in told(data("other.h5", projection="+proj=a"), "+proj=b")
    assert not told(data("other.h5", projection="+proj=a"), "+proj=a")
    call(maps.path, "--data", work / "moved.h5", "-o", work / "e.h5", fails="moved.h5: it has S2 at x =")


def check_tables_of_export(work, maps):
    """What a table says that it holds is what is asked for; a name stands for one record; what comes after the window does not matter; and a page is no table."""
    lines = ["time," + ",".join(maps.sensors)] + [",".join(map(repr, [float(t)] + [1e4 * float(np.exp(-(t - 15) ** 2 / 32))] * len(maps.sensors))) for t in maps.time]
    path, asked = work / "export.csv", maps.time[:10]

    def told(*content, variable="pressure"):
        path.write_text("\n".join(content) + "\n")
        try:
            return twin_maps.Records(path, variable).at(asked, maps.sensors)
        except ValueError as error:
            return str(error)

    for said in ("pressure", "sensor_pressure"):
        head = f"# A, b; pressure [Pa]; {said} [Pa]; time [s] since 1970-01-01T00:00:00Z; low-passed"
        assert isinstance(told(head, *lines, variable=said), np.ndarray)
        other = {"pressure": "sensor_pressure", "sensor_pressure": "pressure"}[said]
        assert f"its first line says that it holds {said}, and {other} is asked for" in told(head, *lines, variable=other)
    assert "more than one record of S1; give each a name" in told(lines[0] + ",S1", *(line + ",0" for line in lines[1:]))
    late = [*lines[:14], lines[14].replace(",", ",x", 1), *lines[15:]]
    assert (told(*late) == told(*lines)).all(), "a gap after the window"
    assert "records of S0 have gaps" in told(*lines[:9], lines[9].replace(",", ",x", 1), *lines[10:])
    assert "this is no sensors.h5 of agwave" in told("x" * 200000, *lines)


def check_hydrophones(work, maps):
    """Noise that was chosen offline is not given up because the data say which sensors are hydrophones."""
    time, pressure = smooth_event(maps)
    write_records(work / "water.h5", maps.sensors, time, pressure)
    with h5py.File(work / "water.h5", "r+") as file:
        file["station_kind"], file["sensor_pressure"] = np.array([0] * 5 + [1], dtype="i1"), pressure
    both = maps.path, "--observed", "sensor_pressure", "--correlation-length", "15000"
    call(*both, "--noise-pressure", "50", "--factor", work / "w.h5")
    before = (work / "w.h5").read_bytes()
    online = *both, "--data", work / "water.h5", "--factor", work / "w.h5", "-o", work / "e.h5"
    call(*online, fails="w.h5: it is of no hydrophones, and --data and --floating say the hydrophones S5")
    assert (work / "w.h5").read_bytes() == before
    call(*both, "--noise-pressure", "50", "--factor", work / "w.h5", "--floating", "S5")
    assert "read in" in call(*online)
    with h5py.File(work / "e.h5") as posterior:
        assert (posterior["noise"][:] == 50).all() and posterior.attrs["noise_window"] == 0 and posterior.attrs["noise_added"] == 0
    with h5py.File(work / "w.h5", "r+") as file:
        file["V_transposed"][1, 1] = np.nan
    call(*online, fails="w.h5: the factor has numbers that are not finite; delete its file")


def refused(*words):
    """What arguments of infer.py are refused with."""
    told, before = io.StringIO(), sys.argv
    sys.argv = ["infer.py", *map(str, words)]
    try:
        with contextlib.redirect_stderr(told):
            infer.arguments()
    except SystemExit as end:
        return told.getvalue() if end.code == 2 else str(end.code)
    finally:
        sys.argv = before
    return None


def check_values(work, maps):
    """Numbers that mean nothing are refused before the work, on the command line and in the file of --prior; where infinity means something it is taken."""
    good = maps.path, "--data", work / "sensors.h5", "-o", work / "v.h5"
    for wrong, options, values in (("no finite number above 0", "velocity-std correlation-length noise noise-pressure interval smoothness", ("inf", "nan", "0", "-1")),
                                   ("no finite number from 0 on", "correlation-time model-error", ("inf", "nan", "-1")), ("not above 0", "duration memory", ("0", "nan")),
                                   ("no whole number from 0 on", "seed add-noise prior-samples", ("-1",))):
        for option in options.split():
            for value in values:
                assert f"argument --{option}: {value} is {wrong}" in (refused(*good, f"--{option}={value}") or ""), (option, value)
    assert refused(*good, "--duration", "inf", "--memory", "inf", "--add-noise", "0", "--correlation-time", "0") is None
    assert "give one of them" in (refused(*good, "--noise", "0.02", "--noise-pressure", "10") or ""), "one of two noises is passed over"
    prior = {"velocity_std": 0.02, "model_error": 0.1, "correlation_time": 8, "duration": float("inf"), "correlation_length": 15000, "smoothness": 2}
    (work / "values.json").write_text(json.dumps(prior))
    assert refused(*good, "--prior", work / "values.json") is None
    for key, value, said in (("duration", 0, "duration: 0 is not above 0"), ("velocity_std", -1, "velocity_std: -1 is no finite number above 0"),
                             ("velocity_std", True, "velocity_std is true, which is no number"), ("smoothness", "2", 'smoothness is "2", which is no number'),
                             ("correlation_time", float("nan"), "correlation_time: nan is no finite number from 0 on")):
        (work / "values.json").write_text(json.dumps({**prior, key: value}))
        assert f"values.json is no file of --fit-prior: {said}" in (refused(*good, "--prior", work / "values.json") or ""), (key, value)
    for option in ("-o", "--json", "--fit-prior", "--factor"):
        assert f"{work}: this is a folder; give the name of a file" in (refused(*good, option, work) or ""), option
    prior["velocity_std"] = 1e200
    (work / "values.json").write_text(json.dumps(prior))
    for words in (("--prior", work / "values.json"), ("--velocity-std", "1e200")):
        assert "1e+200 is more than 1000" in (refused(*good, *words) or "").replace("1e200", "1e+200"), words
    call(*good, "--floating", "S5,QQ", fails="--floating QQ: not in the maps; they have S0, S1")
    call(*good, "--velocity-std", "inf", fails="argument --velocity-std: inf is no finite number above 0", code=2)


def check_tables(work, maps):
    """A table as spreadsheets write it is read; what is no number is named by file, row and column, and does not matter where its sensor is left out."""
    lines = ["time," + ",".join(maps.sensors)] + [",".join(map(repr, map(float, [t] + [1e4 * np.exp(-(t - 15) ** 2 / 32)] * len(maps.sensors)))) for t in maps.time]
    good = maps.path, "-o", work / "t.h5", "--correlation-length", "15000", "--data", work / "table.csv"

    def write(row, column, cell):
        changed = [line.split(",") for line in lines]
        changed[row][column] = cell
        (work / "table.csv").write_text("".join(",".join(line) + "\r\n" for line in changed), encoding="utf-8-sig")

    write(0, 0, "time")
    call(*good)
    for cell in ("", "none"):
        write(4, 3, cell)
        call(*good, fails=f"table.csv: records of S2 have gaps or are not finite (row 4, column S2: '{cell}'); infer.py leaves them out with --without")
    call(*good, "--without", "S2")
    write(2, 0, "soon")
    call(*good, fails="table.csv: row 2, column time: 'soon' is no time; give seconds")


def check_full_disk(work, maps):
    """A line that names the file, no file under its name or another, and no crash of HDF5, wherever it is that the disk is full."""
    full = work / "full"
    full.mkdir()
    good = maps.path, "--data", work / "sensors.h5", "--correlation-length", "15000"
    for size, name, options in ((100, "p.h5", ["-o", full / "p.h5"]), (20000, "p.h5", ["-o", full / "p.h5"]), (30000, "f.h5", ["--factor", full / "f.h5"]),
                                (8000, "prior_samples.h5", ["-o", full / "p.h5", "--prior-samples", "3"])):
        call(*good, *options, fails=f"{full / name}: File too large", **disk_of(size))
        assert not list(full.iterdir()), (size, name, list(full.iterdir()))


def check_motion_after_maps(work, report):
    """The uplift of a run whose floor moves after the maps end is not what is inferred, which is said."""
    summary, end = work / "truth" / "summary.json", 20 * INTERVAL
    for source_ends, run_ends, warned in ((end, 2 * end, None), (end + 10, end, None), (end + 10, 2 * end, "warning: The floor of this run moves until 50 s, and the maps end at 40 s")):
        summary.write_text(json.dumps({"end_s": run_ends, "sources": [{"end_s": 1.0}, {"end_s": source_ends}]}))
        report(work / "posterior.h5", work / "truth", warns=warned)
        assert ("moves until 50 s" in (work / "twin.html").read_text(encoding="utf-8")) == bool(warned)
    summary.unlink()


def check_report(work, maps):
    """twin_report.py takes the run that made the data, with noise and without, and says why not where it is another, or none."""
    time, pressure = smooth_event(maps)
    for name, factor, shift, gauges in (("truth", 1, 0, maps.gauges), ("other", 1, 60, maps.gauges), ("weak", 0.3, 0, maps.gauges), ("deaf", 1, 0, ["X"]),
                                       ("stronger", 1.1, 0, maps.gauges), ("moved", 1, 0, maps.gauges)):
        (work / name).mkdir()
        write_records(work / name / "sensors.h5", maps.sensors, time, factor * np.roll(pressure, shift, axis=0))
        with h5py.File(work / name / "sensors.h5", "r+") as file:
            file["gauge"], file["surface_height"] = gauges, np.outer(np.sin(time / 10), np.ones(len(gauges)))
        with h5py.File(work / name / "surface.h5", "w") as file:
            x, y = (np.linspace(0, grid[-1] + 1000, 30) for grid in (maps.grid_x, maps.grid_y))
            file["x"], file["y"], file["uplift"], file["maximum_height"] = x, y, np.exp(-np.hypot(x - 15e3, y[:, None] - 10e3) / 5e3), np.zeros((30, 30))

    def report(posterior, truth, fails=None, warns=None):
        command = [sys.executable, scripts / "twin_report.py", posterior, "--truth", truth, "--observed", "1", "-o", work / "twin.html"]
        done = subprocess.run(command, capture_output=True, text=True)
        assert (done.returncode == 0) == (fails is None), done.stdout + done.stderr
        assert fails is None or (fails in done.stderr and done.stderr.count("\n") == 1 and done.returncode == 1), done.stderr
        assert fails or (warns in done.stderr and done.stderr.count("\n") == 1 if warns else not done.stderr), done.stderr
        return done.stdout

    inferred = maps.path, "--data", work / "truth", "--correlation-length", "15000", "-o", work / "posterior.h5"
    call(*inferred, "--add-noise", "1", "--noise", "1")
    report(work / "posterior.h5", work / "truth")
    call(*inferred, "--without", ",".join(maps.sensors[1:]))
    report(work / "posterior.h5", work / "truth")  # its one panel of data has the legend
    call(*inferred)
    report(work / "posterior.h5", work / "truth" / "sensors.h5")
    check_motion_after_maps(work, report)
    with h5py.File(work / "truth" / "sensors.h5", "r+") as file:
        file["surface_height"][:, 1] = 0
    told = report(work / "posterior.h5", work / "truth")
    assert "G1 -" in told.splitlines()[-3] + told.splitlines()[-4] and "nan" not in told and "inf" not in told.replace("inferred", ""), told
    for name in ("other", "weak", "stronger"):
        report(work / "posterior.h5", work / name, f"{name}: this run did not make the data: its pressure is off them by")
    with h5py.File(work / "moved" / "sensors.h5", "r+") as file:
        file["gauge_x"], file["gauge_y"] = maps.gauge_places.T + 5e3
    report(work / "posterior.h5", work / "moved", "moved: it has G0 at x =")
    with h5py.File(work / "hollow.h5", "w") as file, h5py.File(work / "posterior.h5") as own:
        for key in own:
            own.copy(key, file)
        file["forecast"][0, 3, 0] = np.nan
    report(work / "hollow.h5", work / "truth", "hollow.h5: forecast has numbers that are not finite; make it anew")
    report(work / "posterior.h5", work / "deaf", "deaf: this file has no record of G0, G1; it has X")
    report(work / "posterior.h5", work / "none", "none: No such file or directory")
    report(work / "missing.h5", work / "truth", "missing.h5: No such file or directory")
    report(maps.path, work / "truth", "maps.h5: this is no posterior.h5 of")
    report(work / "blind_out.h5", work / "truth", "blind_out.h5: it has no forecast to compare")
    with h5py.File(work / "truth" / "surface.h5", "r+") as file:
        file["x"][:] /= 10
    report(work / "posterior.h5", work / "truth", "surface.h5: its domain ends at x =")
    (work / "truth" / "surface.h5").unlink()
    report(work / "posterior.h5", work / "truth", "surface.h5 does not exist; the truth needs output.surface_interval > 0")


def check_no_gauges(work):
    maps = write_maps(work / "blind.h5", gauges=0, nx=1)
    time, pressure = smooth_event(maps)
    write_records(work / "blind_data.h5", maps.sensors, time, pressure)
    call(maps.path, "--data", work / "blind_data.h5", "-o", work / "blind_out.h5")
    with h5py.File(work / "blind_out.h5") as file:
        assert "forecast" not in file and np.isfinite(file["displacement_std"][:]).all()


def check_hydrophones_of_maps(maps, path):
    """A table does not say which sensors are hydrophones, and the maps do: it is inferred from as the run is, offline too."""
    def mean(*words):
        call(path, "--observed", "sensor_pressure", "--correlation-length", "15000", "--noise-pressure", "50", "-o", path.with_name("kind_out.h5"), *words)
        with h5py.File(path.with_name("kind_out.h5")) as file:
            return file["displacement"][:]

    time, pressure = smooth_event(maps)
    table = path.with_name("kind.csv")
    np.savetxt(table, np.column_stack([time, pressure]), delimiter=",", header=",".join(["time", *maps.sensors]), comments="")
    path.write_bytes(maps.path.read_bytes())
    named, all_ride = mean("--data", table, "--floating", "S5"), mean("--data", table)
    with h5py.File(path, "r+") as file:
        file["sensor_kind"] = np.array([0] * 5 + [1], dtype="i1")
    assert np.array_equal(mean("--data", table), named) and not np.allclose(all_ride, named), "the hydrophone rides on the floor"
    factor = path.with_name("kind_factor.h5")
    call(path, "--observed", "sensor_pressure", "--noise-pressure", "50", "--factor", factor)
    with h5py.File(factor) as file:
        assert file.attrs["floating"] == "S5"


def check_sensor_pressure(maps, path):
    """A floor that rises everywhere alike: sensors that ride on it read rho g times that less, from the first sample on, which is taken before all of it has risen."""
    difference = twin_maps.Toeplitz(maps.observed("sensor_pressure") - maps.pressure).apply(np.tile(np.linspace(1, 2, maps.time.size), (maps.x.size, 1)))
    wanted = -1025 * 9.81 * (np.cumsum(INTERVAL * np.linspace(1, 2, maps.time.size)) - 0.25 * np.linspace(1, 2, maps.time.size))
    assert np.abs(difference - wanted).max() < 1e-9 * np.abs(wanted).max()
    floating = maps.observed("sensor_pressure", ["S5"]) == maps.pressure
    assert floating[5].all() and not floating[:5].all(axis=(1, 2)).any()
    write_records(path, maps.sensors, *smooth_event(maps))
    with h5py.File(path, "r+") as file:
        file["station_kind"], file["sensor_pressure"] = np.array([0] * 5 + [1], dtype="i1"), file["pressure"][:]
    assert twin_maps.floating(path) == ["S5"] and twin_maps.floating(path.with_name("d.csv")) == []
    call(maps.path, "--data", path, "--observed", "sensor_pressure", "-o", path.with_name("ride.h5"))

with tempfile.TemporaryDirectory() as folder:
    work = pathlib.Path(folder)
    maps = write_maps(work / "maps.h5")
    check_command(work, maps)
    check_errors(work, maps)
    check_values(work, maps)
    check_tables(work, maps)
    check_places(work, maps)
    check_tables_of_export(work, maps)
    check_hydrophones(work, maps)
    check_full_disk(work, maps)
    check_no_gauges(work)
    check_report(work, maps)
    check_sensor_pressure(maps, work / "ride_data.h5")
    check_hydrophones_of_maps(maps, work / "kind.h5")
print("passed")
