# SPDX-License-Identifier: Apache-2.0
"""scripts/infer.py as it is called, on maps made by a formula: options, files, windows, no gauges, errors, full disks.
test_infer_command.py AGWAVE SOURCE_DIR PYTHON"""
import contextlib
import io
import json
import pathlib
import sys
import tempfile

from infer_maps import INTERVAL, call, smooth_event, write_maps, write_records
from program import disk_of
import h5py
import infer
import numpy as np


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
    assert "hold these data unlikely" not in again, again
    narrow = call(maps.path, "--data", work / "d.csv", "-o", work / "n.h5", "--prior", work / "prior.json", "--velocity-std", "1e-4", "--noise-pressure", "1")
    assert "warning: the misfit of 40 s of data is" in narrow and "--fit-prior chooses both" in narrow, narrow
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


def check_full_disk(work, maps):
    """A line that names the file, no file under its name or another, and no crash of HDF5, wherever it is that the disk is full."""
    full = work / "full"
    full.mkdir()
    good = maps.path, "--data", work / "sensors.h5", "--correlation-length", "15000"
    for size, name, options in ((100, "p.h5", ["-o", full / "p.h5"]), (20000, "p.h5", ["-o", full / "p.h5"]), (30000, "f.h5", ["--factor", full / "f.h5"]),
                                (8000, "prior_samples.h5", ["-o", full / "p.h5", "--prior-samples", "3"])):
        call(*good, *options, fails=f"{full / name}: File too large", **disk_of(size))
        assert not list(full.iterdir()), (size, name, list(full.iterdir()))


def check_no_gauges(work):
    maps = write_maps(work / "blind.h5", gauges=0, nx=1)
    time, pressure = smooth_event(maps)
    write_records(work / "blind_data.h5", maps.sensors, time, pressure)
    call(maps.path, "--data", work / "blind_data.h5", "-o", work / "blind_out.h5")
    with h5py.File(work / "blind_out.h5") as file:
        assert "forecast" not in file and np.isfinite(file["displacement_std"][:]).all()


with tempfile.TemporaryDirectory() as folder:
    work = pathlib.Path(folder)
    maps = write_maps(work / "maps.h5")
    check_command(work, maps)
    check_errors(work, maps)
    check_values(work, maps)
    check_full_disk(work, maps)
    check_no_gauges(work)
print("passed")
