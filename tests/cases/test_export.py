# SPDX-License-Identifier: Apache-2.0
"""scripts/export.py: every format read back, to the value. miniSEED and StationXML need ObsPy; without it the rest is checked and the test
counts as skipped.   test_export.py AGWAVE SOURCE_DIR PYTHON"""
import csv
import os
import pathlib
import shutil
import subprocess
import sys
import tempfile

from program import disk_of, need

need("h5py", "numpy")
import h5py  # noqa: E402
import numpy as np  # noqa: E402

CASE = """
title: To be exported
domain: {size: [8000, 6000], bathymetry: {type: gaussian, depth: 2000, height: 800, center: [5000, 3000], radius: [1000, 1500]}}
mesh: {elements: [4, 3, 1]}
sources: [{shape: {type: gaussian, center: [3000, 3000], radius: [1000, 1000]}, ramp: {type: smoothstep, duration: 1}}]
time: {end: 5}
sensors:
  interval: 0.25
  seafloor: [{name: A-01, x: 3000, y: 3000}, {name: b2, x: 5000, y: 2000}]
  hydrophones: [{name: H, x: 4000, y: 3000, z: -700}]
  surface: [{name: T1, x: 3000, y: 3000}, {name: T2, x: 5000, y: 4000}]
output: {directory: out, surface_interval: 1}
solver: {device: cpu}
"""
START = "1946-04-01T12:28:56.5"


def export(*arguments, fails=False, **how):
    done = subprocess.run([sys.executable, str(script), *map(str, arguments)], capture_output=True, text=True, **how)
    assert (done.returncode != 0) == fails, done.stderr
    return done.stdout + done.stderr


def add_degrees(path):
    """As a case with domain.lonlat has them."""
    with h5py.File(path, "r+") as file:
        for prefix, dimension in (("", "station"), ("gauge_", "gauge")):
            count = file[dimension].shape[0]
            file[prefix + "lon"] = 196.0 + 0.1 * np.arange(count)
            file[prefix + "lat"] = 52.0 + 0.1 * np.arange(count)


def check_csv(run, work):
    export(run / "sensors.h5", "--format", "csv", "-o", work / "csv", "--start", START)
    assert "this is no sensors.h5 of agwave" in export(run / "surface.h5", "--format", "csv", fails=True)
    assert "this is no sensors.h5 of agwave" in export(work / "case.yaml", "--format", "csv", fails=True)
    with h5py.File(run / "sensors.h5") as file:
        for variable, names in (("pressure", ["A-01", "b2", "H"]), ("sensor_pressure", ["A-01", "b2", "H"]), ("surface_height", ["T1", "T2"])):
            lines = (work / "csv" / f"{variable}.csv").read_text(encoding="utf-8").splitlines()
            assert lines[0].startswith("# To be exported") and "1946-04-01T12:28:56.5" in lines[0] and next(csv.reader(lines[1:2])) == ["time"] + names
            table = np.array([[float(v) for v in row] for row in csv.reader(lines[2:])])
            assert (table[:, 0] == file["time"][:]).all() and (table[:, 1:] == file[variable][:]).all() and np.abs(table[:, 1:]).max() > 0
        places = list(csv.reader((work / "csv" / "positions.csv").read_text(encoding="utf-8").splitlines()))
        assert places[0] == ["name", "variable", "x", "y", "z"] and len(places) == 9, places
        assert places[3] == ["H", "pressure", "4000.0", "3000.0", "-700.0"] and places[8] == ["T2", "surface_height", "5000.0", "4000.0", "0.0"], places
        assert places[2][:4] == ["b2", "pressure", "5000.0", "2000.0"] and float(places[2][4]) == file["z"][1]


def check_title(run, work):
    """A title of two lines has one in a table."""
    shutil.copytree(run, work / "lines")
    with h5py.File(work / "lines" / "sensors.h5", "r+") as file:
        file.attrs["title"] = "first\nsecond"
    export(work / "lines", "--format", "csv", "--start", START)
    lines = (work / "lines" / "csv" / "pressure.csv").read_text(encoding="utf-8").splitlines()
    assert lines[0].startswith("# first second; pressure [Pa]") and lines[1].startswith("time,"), lines[:2]


def check_years(run, work):
    """ASDF counts nanoseconds in 64 bits; what they do not hold is told."""
    for year in ("0001", "1600", "2300", "9999"):
        told = export(run, "--format", "asdf", "-o", work / "no.h5", "--start", f"{year}-01-01T00:00:00", "--network", "XA", fails=True)
        assert told.count("\n") == 1 and "ASDF holds the years 1678 to 2261" in told and not list(work.glob("no.h5*")), told
    for year in ("1678", "2261"):
        export(run, "--format", "asdf", "-o", work / "year.h5", "--start", f"{year}-01-01T00:00:00", "--network", "XA")


def check_lowpass(run, work):
    """As the sum of two waves is filtered, in every format, which says so; and what cannot be done is refused."""
    made = work / "made"
    shutil.copytree(run, made)
    with h5py.File(made / "sensors.h5", "r+") as file:
        count = 2000
        time = 0.25 * np.arange(count)
        slow, quick = np.sin(2 * np.pi * time / 20) * np.hanning(count), np.sin(2 * np.pi * time / 1.25) * np.hanning(count)
        for name in ("time", "pressure", "sensor_pressure", "surface_height"):
            others = file[name].shape[1:]
            del file[name]
            file[name] = time if name == "time" else np.broadcast_to((slow + quick)[(...,) + (None,) * len(others)], (count, *others))
        file["samples_written"][()] = count
    said = "low-passed at 5 s, zero phase"

    def table(folder):
        lines = (folder / "pressure.csv").read_text(encoding="utf-8").splitlines()
        return lines[0], np.array([[float(v) for v in row] for row in csv.reader(lines[2:])])[:, 1]

    export(made, "--format", "csv", "--lowpass", 5)
    head, values = table(made / "csv_lowpass_5s")
    assert said in head and np.abs(values - slow).max() < 0.01 and np.abs(values - slow - quick).max() > 0.9, np.abs(values - slow).max()
    assert "lowpass" not in export(made, "--format", "csv", "--start", START) and said not in table(made / "csv")[0]
    with h5py.File(made / "sensors.h5", "r+") as file:
        file.attrs["lowpass_period_s"] = 5.0  # as sensors.lowpass of a case: the default
    export(made, "--format", "geoclaw")
    head = (made / "geoclaw_lowpass_5s" / "gauge00001.txt").read_text().splitlines()
    assert head[1].startswith("# Stationary gauge; " + said) and np.abs(np.loadtxt(head)[:, 5] - slow).max() < 0.01
    export(made, "--format", "csv", "--lowpass", 0, "-o", work / "raw")
    assert said not in table(work / "raw")[0] and (table(work / "raw")[1] == slow + quick).all()
    export(made, "--format", "asdf", "--network", "XA", "--start", START)
    with h5py.File(made / "traces_lowpass_5s.asdf.h5") as file:
        data = next(data for name, data in file["Waveforms/XA.B2"].items() if ".00." in name)
        assert said in data.attrs["processing"] and np.abs(data[:] - slow).max() < 0.01
    assert "samples are 0.25 s apart: they hold no period below 0.5 s" in export(made, "--format", "csv", "--lowpass", 0.5, fails=True)
    assert "is no period" in export(made, "--format", "csv", "--lowpass", -3, fails=True)
    assert "the record is 499.75 s long; give a shorter period" in export(made, "--format", "csv", "--lowpass", 501, fails=True)
    return made


def check_defaults(run, work):
    """Epoch and network that nobody gave are named, once, where files carry them."""
    told = export(run, "--format", "csv", "-o", work / "d")
    assert told.count("warning") == 1 and "--start 1970-01-01T00:00:00" in told and "--network" not in told, told
    told = export(run, "--format", "asdf", "-o", work / "d.h5", "--start", START)
    assert told.count("warning") == 1 and "--network XX" in told and "--start" not in told, told
    assert "warning" not in export(run, "--format", "asdf", "-o", work / "d.h5", "--start", START, "--network", "XA")
    assert "warning" not in export(run, "--format", "geoclaw", "-o", work / "d")


def check_geoclaw(run, work):
    export(run, "--format", "geoclaw", "-o", work / "gauges")
    with h5py.File(run / "sensors.h5") as file:
        for n, (x, y) in enumerate(((3000, 3000), (5000, 4000))):
            path = work / "gauges" / f"gauge{n + 1:05d}.txt"
            head = path.read_text().splitlines()[0].split()
            assert int(head[2]) == n + 1 and float(head[4]) == x and float(head[5]) == y and int(head[8]) == 4, head
            assert "h is eta and the depth before the event" in path.read_text().splitlines()[2]
            table = np.loadtxt(path)
            assert (table[:, 0] == 1).all() and np.abs(table[:, 1] - file["time"][:]).max() < 1e-6
            eta = file["surface_height"][:, n]
            assert np.abs(table[:, 5] - eta).max() <= 1e-7 * np.abs(eta).max()
            depth = table[:, 2] - table[:, 5]
            true = 2000 - 800 * np.exp(-0.5 * (((x - 5000) / 1000) ** 2 + ((y - 3000) / 1500) ** 2))
            assert np.ptp(depth) < 1e-3 and abs(depth[0] - true) < 1e-3 * true, (depth[0], true)  # on points of the map


def check_asdf(path, run, xml):
    with h5py.File(path) as file, h5py.File(run / "sensors.h5") as sensors:
        assert file.attrs["file_format"] == b"ASDF" and file.attrs["file_format_version"] == b"1.0.3"
        assert set(file["Waveforms"]) == {"XA.A01", "XA.B2", "XA.H", "XA.T1", "XA.T2"}
        data = file["Waveforms/XA.B2/XA.B2.00.MDH__1946-04-01T12:28:56__1946-04-01T12:29:01__agwave"]
        assert (data[:] == sensors["pressure"][:, 1]).all() and data.attrs["sampling_rate"] == 4
        assert data.attrs["starttime"] == -749561463500000000, data.attrs["starttime"]  # 1946-04-01T12:28:56.5
        assert ("StationXML" in file["Waveforms/XA.T1"]) == xml
    if not xml:
        return
    import io

    import obspy
    with h5py.File(path) as file:
        station = obspy.read_inventory(io.BytesIO(file["Waveforms/XA.B2/StationXML"][:].tobytes()))[0][0]
    assert station.code == "B2" and abs(station.longitude + 163.9) < 1e-9 and abs(station.latitude - 52.1) < 1e-9 and station.elevation < -1000
    try:
        import pyasdf
    except ImportError:
        return
    with pyasdf.ASDFDataSet(str(path), mode="r", mpi=False) as data:
        trace = data.waveforms["XA.B2"].agwave.select(location="00")[0]
        assert str(trace.stats.starttime) == "1946-04-01T12:28:56.500000Z" and abs(data.waveforms["XA.B2"].coordinates["latitude"] - 52.1) < 1e-9


def check_shared_name(run, work):
    """A gauge with the name of a sensor on the floor, elsewhere, stays where it is."""
    import io

    import obspy
    shutil.copytree(run, work / "shared")
    with h5py.File(work / "shared" / "sensors.h5", "r+") as file:
        file["gauge"][0] = "b2"
        lon, lat = ([float(file[prefix + key][n]) for prefix, n in (("", 1), ("gauge_", 0))] for key in ("lon", "lat"))
        deep = float(file["z"][1])
    export(work / "shared", "--format", "asdf", "-o", work / "shared.h5", "--network", "XA", "--start", START)
    with h5py.File(work / "shared.h5") as file:
        station = obspy.read_inventory(io.BytesIO(file["Waveforms/XA.B2/StationXML"][:].tobytes()))[0][0]
    places = {channel.location_code: (channel.longitude + 360, channel.latitude, channel.elevation) for channel in station}
    assert np.allclose(places["00"], (lon[0], lat[0], deep)) and places["10"] == places["00"], places
    assert np.allclose(places["20"], (lon[1], lat[1], 0)), "the gauge is said to stand where the sensor does"


def check_mseed(run, work):
    import obspy
    export(run, "--format", "mseed", "-o", work / "t.mseed", "--start", START, "--network", "XA")
    stream = obspy.read(str(work / "t.mseed"))
    ids = {trace.id: trace for trace in stream}
    assert set(ids) == {f"XA.{s}.{l}.MDH" for s in ("A01", "B2", "H") for l in ("00", "10")} | {"XA.T1.20.MTZ", "XA.T2.20.MTZ"}, set(ids)
    with h5py.File(run / "sensors.h5") as file:
        for name, variable, n in (("XA.B2.00.MDH", "pressure", 1), ("XA.A01.10.MDH", "sensor_pressure", 0), ("XA.T2.20.MTZ", "surface_height", 1)):
            trace = ids[name]
            assert trace.data.dtype == np.float64 and (trace.data == file[variable][:, n]).all()
            assert trace.stats.starttime == obspy.UTCDateTime(START) and trace.stats.delta == 0.25


def check_mseed_lowpass(made, work):
    import obspy
    export(made, "--format", "mseed", "--start", START, "--network", "XA")
    filtered = obspy.read(str(made / "traces_lowpass_5s.mseed"))
    export(made, "--format", "mseed", "--start", START, "--network", "XA", "--lowpass", 0)
    raw = obspy.read(str(made / "traces.mseed"))
    assert {t.stats.mseed.dataquality for t in filtered} == {"Q"} and {t.stats.mseed.dataquality for t in raw} == {"D"}
    add_degrees(made / "sensors.h5")
    export(made, "--format", "asdf", "--start", START, "--network", "XA", "-o", made / "d.h5")
    with h5py.File(made / "d.h5") as file:
        assert b"low-passed at 5 s" in file["Waveforms/XA.T1/StationXML"][:].tobytes()
    export(made, "--format", "csv", "--start", START, "-o", made / "degrees")
    assert "name,variable,x,y,z,lon,lat" in (made / "degrees" / "positions.csv").read_text()


def check_codes(run, work):
    (work / "same.csv").write_text("A-01,XYZ\nb2,XYZ\n")
    assert "both become station XYZ" in export(run, "--format", "asdf", "-o", work / "no.h5", "--codes", work / "same.csv", fails=True)
    (work / "long.csv").write_text("b2,TOOLONG\n")
    assert "'TOOLONG' is not one to five" in export(run, "--format", "asdf", "-o", work / "no.h5", "--codes", work / "long.csv", fails=True)
    (work / "sheet.csv").write_text("A-01,XYZ\n", encoding="utf-8-sig")  # as spreadsheets write it
    export(run, "--format", "asdf", "-o", work / "sheet.h5", "--codes", work / "sheet.csv")
    with h5py.File(work / "sheet.h5") as file:
        assert "XX.XYZ" in file["Waveforms"]
    (work / "odd.csv").write_text("A-01,XYZ\n\nb2;ABC\n")
    assert "odd.csv: 'b2;ABC' is no line \"name,STA\"" in export(run, "--format", "asdf", "-o", work / "no.h5", "--codes", work / "odd.csv", fails=True)
    assert "missing.csv: No such file" in export(run, "--format", "asdf", "-o", work / "no.h5", "--codes", work / "missing.csv", fails=True)
    assert "/none/no.h5: No such file" in export(run, "--format", "asdf", "-o", work / "none" / "no.h5", "--start", START, "--network", "XA", fails=True)
    assert "no time such as" in export(run, "--format", "csv", "--start", "yesterday", fails=True)
    assert "--codes is for mseed and asdf" in export(run, "--format", "csv", "--codes", work / "long.csv", fails=True)
    assert not list(work.glob("no.h5*"))


def check_full_disk(run, work, kinds):
    """A line names the file that cannot be written, and there is no half of it."""
    for kind, name, size in kinds:
        target = work / f"full_{kind}"
        told = export(run, "--format", kind, "-o", target, "--start", START, "--network", "XA", fails=True, **disk_of(size))
        left = [path for path in (work / name, *work.rglob("*.part")) if path.exists()]
        assert f"export.py: {work / name}: File too large" in told and "Traceback" not in told and not left, (kind, told, left)


def check_names(run, work):
    link, real = work / "link.h5", work / "real.h5"
    link.symlink_to(real)
    export(run, "--format", "asdf", "-o", link, "--start", START, "--network", "XA")
    assert link.is_symlink() and real.is_file(), "a link is replaced by the file"
    before = (run / "sensors.h5").read_bytes()
    assert "sensors.h5: it is read, and would be written over" in export(run, "--format", "asdf", "-o", run / "sensors.h5", fails=True)
    assert (run / "sensors.h5").read_bytes() == before
    before = (run / "surface.h5").read_bytes()
    assert "it is read, and would be written over" in export(run, "--format", "asdf", "-o", run / "surface.h5", fails=True)
    assert (run / "surface.h5").read_bytes() == before
    assert "out: this is a folder; give the name of a file" in export(run, "--format", "asdf", "-o", run, "--start", START, "--network", "XA", fails=True)


def check_records(made, work):
    """What is not finite is exported as it is, and not filtered."""
    shutil.copytree(made, work / "gap")
    with h5py.File(work / "gap" / "sensors.h5", "r+") as file:
        file["pressure"][40, 1] = np.nan
    assert "records of b2 are not finite, first at 10 s; make the run anew" in export(work / "gap", "--format", "csv", "--lowpass", 5, fails=True)
    export(work / "gap", "--format", "csv", "--lowpass", 0)


def check_without_obspy(run, work):
    """What needs it says so before it writes: as where ObsPy is not installed."""
    (work / "none" / "obspy").mkdir(parents=True)
    (work / "none" / "obspy" / "__init__.py").write_text("raise ImportError('none here')\n")
    for kind in ("mseed", "asdf"):
        answer = export(run, "--format", kind, "-o", work / "no.h5", fails=True, env={**os.environ, "PYTHONPATH": str(work / "none")})
        assert "needs ObsPy (none here)" in answer and not list(work.glob("no.h5*")), answer


with tempfile.TemporaryDirectory() as name:
    work, script = pathlib.Path(name), pathlib.Path(sys.argv[2]) / "scripts" / "export.py"
    (work / "case.yaml").write_text(CASE)
    subprocess.run([sys.argv[1], "run", "case.yaml", "--quiet"], cwd=work, check=True)
    run = work / "out"
    check_csv(run, work)
    check_title(run, work)
    check_years(run, work)
    check_geoclaw(run, work)
    check_codes(run, work)
    check_defaults(run, work)
    made = check_lowpass(run, work)
    check_records(made, work)
    check_names(run, work)
    check_full_disk(run, work, [("csv", "full_csv/pressure.csv", 500), ("geoclaw", "full_geoclaw/gauge00001.txt", 500), ("asdf", "full_asdf", 3000)])
    assert "no StationXML" in export(run, "--format", "asdf", "-o", work / "plain.h5", "--network", "XA", "--start", START)
    check_asdf(work / "plain.h5", run, False)
    add_degrees(run / "sensors.h5")
    check_without_obspy(run, work)
    try:
        import obspy  # noqa: F401
    except ImportError as error:
        print(f"CSV, GeoClaw and plain ASDF are right; the rest was not checked: {error}; pip install obspy")
        sys.exit(77)
    check_mseed(run, work)
    check_full_disk(run, work, [("mseed", "full_mseed", 1000)])
    check_mseed_lowpass(made, work)
    export(run, "--format", "asdf", "-o", work / "t.h5", "--network", "XA", "--start", START)
    check_asdf(work / "t.h5", run, True)
    check_shared_name(run, work)
    print("passed")
