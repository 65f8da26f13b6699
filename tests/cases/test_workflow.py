# SPDX-License-Identifier: Apache-2.0
# ranks: 2
# label: slow
"""What a modeller does, from nothing to traces in xarray: a small grid, sensors and a fault in CSV, a sponge; check, plot, run, SIGTERM, restart,
report, export. What one step answers is compared with what the next one finds.
   test_workflow.py AGWAVE SOURCE_DIR PYTHON"""
import json
import os
import pathlib
import signal
import subprocess
import sys
import tempfile
import time

from program import need

need("h5netcdf", "matplotlib", "numpy", "xarray")
import numpy as np  # noqa: E402
import xarray  # noqa: E402

AGWAVE, SCRIPTS = pathlib.Path(sys.argv[1]).resolve(), pathlib.Path(sys.argv[2]) / "scripts"
ENVIRONMENT = {**os.environ, "AGWAVE_PYTHON": sys.executable, "AGWAVE_SCRIPTS": str(SCRIPTS)}
CASE = """
title: A thrust off an island
domain:
  lonlat: {lon: [200.0, 201.0], lat: [52.0, 52.8]}
  bathymetry: {type: grid, file: topo.tt3, min_depth: 500}
mesh: {elements: [16, 20, 2]}
boundary: {sponge: {west: 12000, east: 12000, south: 12000, north: 12000, reflection: 0.1}}
sources: [{shape: {type: fault, file: fault.csv}}]
time: {end: 60}
sensors: {interval: 0.5, seafloor: {file: stations.csv}, surface: [{name: T1, lon: 200.45, lat: 52.35}]}
output: {directory: out, surface_interval: 10, checkpoint_interval: 10}
solver: {device: cpu}
"""
STATIONS = "name,lon,lat\nN1,200.3,52.3\nN2,200.5,52.45\nN3,200.6,52.25\n"
FAULT = ("longitude,latitude,depth (km),length (km),width (km),strike,dip,rake,slip (m),mu (GPa),rupture_time (s),rise_time (s)\n"
         "200.45,52.30,6,14,9,250,15,90,2.0,40,0,12\n200.60,52.34,6,14,9,250,15,90,3.0,40,4,12\n")


def topography():
    """Sea of 3 to 4 km with an island in the north, elevations every 0.05 degrees, with a margin for the projected corners."""
    lon, lat = np.arange(199.7, 201.31, 0.05), np.arange(51.8, 53.01, 0.05)
    x, y = np.meshgrid(lon, lat[::-1])
    height = -3500 + 500 * np.sin(4 * x) * np.cos(3 * y) + 4200 * np.exp(-(((x - 200.5) / 0.1) ** 2 + ((y - 52.66) / 0.07) ** 2))
    head = f"{len(lon)} mx\n{len(lat)} my\n{lon[0]:.6f} xlower\n{lat[0]:.6f} ylower\n0.05 dx\n-9999 nodata_value\n"
    return head + "\n".join(" ".join(f"{v:.1f}" for v in row) for row in height) + "\n"


def call(*command, code=0, cwd=None):
    done = subprocess.run([str(part) for part in command], capture_output=True, text=True, cwd=cwd, env=ENVIRONMENT, timeout=300)
    assert done.returncode == code, f"{command}: exit code {done.returncode}, not {code}:\n{done.stdout}{done.stderr}"
    return done


with tempfile.TemporaryDirectory() as name:
    work = pathlib.Path(name)
    for file, content in {"case.yaml": CASE, "stations.csv": STATIONS, "fault.csv": FAULT, "topo.tt3": topography()}.items():
        (work / file).write_text(content)
    if call(AGWAVE, "--version").stdout.find("no PROJ") >= 0:
        print("skipped: built without PROJ")
        sys.exit(77)

    # check: what there is, as text and as JSON; the picture
    check = json.loads(call(AGWAVE, "check", "case.yaml", "--json", cwd=work).stdout)
    text = call(AGWAVE, "check", "case.yaml", "--plot", "case.png", cwd=work).stdout
    assert (work / "case.png").stat().st_size > 20000 and not (work / "out").exists()
    fault = check["sources"][0]["fault"]
    moment = 40e9 * 14e3 * 9e3 * (2.0 + 3.0)
    assert fault["subfaults"] == 2 and abs(fault["moment_nm"] / moment - 1) < 1e-12, fault
    assert abs(fault["magnitude"] - (np.log10(moment) - 9.1) / 1.5) < 1e-12 and f"Mw {fault['magnitude']:.2f}" in text
    assert check["sources"][0]["inside"] == 1 and check["sources"][0]["end_s"] == 16
    assert 0 < check["depth"]["deepened_nodes"] < 0.1 * check["depth"]["column_nodes"] and "deepened to min_depth" in text
    assert [edge["wall"] for edge in check["edges"]] == ["west", "east", "south", "north"]
    assert any("rise smoothly" in note for note in check["notes"]), check["notes"]
    quick = [note for note in check["notes"] if "excites periods" in note]
    assert len(quick) == (check["sources"][0]["shortest_period_s"] < check["resolution"]["sound_period_s"]), check["notes"]

    shallow = json.loads(call(AGWAVE, "check", "case.yaml", "--json", "--set", "domain.bathymetry.min_depth=3400", cwd=work).stdout)
    many = [[note for note in facts["notes"] if "are deepened to min_depth" in note] for facts in (check, shallow)]
    assert not many[0] and len(many[1]) == 1 and str(shallow["depth"]["deepened_nodes"]) in many[1][0], many

    # what is wrong is found by check as by run
    (work / "land.csv").write_text("name,lon,lat\nI1,200.5,52.66\n")
    for command in ("check", "run"):
        wrong = call(AGWAVE, command, "case.yaml", "--set", "sensors.seafloor={file: land.csv}", cwd=work, code=2).stderr
        assert "is on land" in wrong and "I1" in wrong, wrong
        (work / "flipped.tt3").write_text(topography().replace(" -", " ").replace("\n-", "\n"))
        wrong = call(AGWAVE, command, "case.yaml", "--set", "domain.bathymetry.file=flipped.tt3", "--set", "sensors={}", cwd=work, code=3).stderr
        assert "no sea in this domain" in wrong and "positive" in wrong, wrong

    # run, stopped by a signal and continued, against one that is not
    run = subprocess.Popen([str(AGWAVE), "run", "case.yaml", "--quiet"], cwd=work, env=ENVIRONMENT, stderr=subprocess.PIPE, text=True)
    deadline = time.monotonic() + 120
    while not list((work / "out").glob("checkpoints/*/manifest.json")) and run.poll() is None and time.monotonic() < deadline:
        time.sleep(0.02)
    run.send_signal(signal.SIGTERM)
    stopped = run.communicate(timeout=120)[1]
    assert run.returncode == 75 and "continue with --restart" in stopped, (run.returncode, stopped)
    call(AGWAVE, "run", "case.yaml", "--restart", "out", "--quiet", cwd=work)
    call(AGWAVE, "run", "case.yaml", "--output", "unbroken", "--quiet", cwd=work)
    summary, unbroken = (json.loads((work / folder / "summary.json").read_text()) for folder in ("out", "unbroken"))
    assert summary["dofs"] == check["mesh"]["dofs"] and summary["steps"] == check["step"]["steps"] and summary["step_s"] == check["step"]["step_s"]
    assert 0 < summary["first_step"] < summary["steps"] and summary["steps_made"] == summary["steps"] - summary["first_step"]
    assert "checkpoints" in summary["restarted_from"] and unbroken["restarted_from"] is None and unbroken["first_step"] == 0
    assert summary["sources"] == check["sources"] and summary["resolution"] == check["resolution"] and summary["edges"] == check["edges"]
    assert summary["case"]["parameters"]["mesh.elements"] == "[16, 20, 2]" and summary["case"]["overrides"] == {}
    assert summary["notes"] == check["notes"]

    # report, export, xarray
    call(sys.executable, SCRIPTS / "report.py", work / "out")
    assert (work / "out" / "report.html").stat().st_size > 100000
    call(sys.executable, SCRIPTS / "export.py", work / "out", "--format", "csv", "-o", work / "csv")
    with xarray.open_dataset(work / "out" / "sensors.h5", engine="h5netcdf") as data, xarray.open_dataset(work / "unbroken" / "sensors.h5",
                                                                                                      engine="h5netcdf") as right:
        assert dict(data.sizes) == {"time": 121, "station": 3, "gauge": 1}, data.sizes
        assert np.array_equal(data.pressure, right.pressure) and np.array_equal(data.surface_height, right.surface_height)
        assert list(data.station.values) == ["N1", "N2", "N3"] and float(abs(data.pressure).max()) > 1e4
        rows = [line for line in (work / "csv" / "pressure.csv").read_text().splitlines() if line[0].isdigit()]
        table = np.array([[float(word) for word in row.split(",")] for row in rows])
        assert np.allclose(table[:, 1:], data.pressure, rtol=1e-6, atol=1e-6 * float(abs(data.pressure).max()))
print("passed")
