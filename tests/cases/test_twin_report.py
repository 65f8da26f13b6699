# SPDX-License-Identifier: Apache-2.0
"""Which run scripts/twin_report.py takes for the truth, and what it says of it.   test_twin_report.py AGWAVE SOURCE_DIR PYTHON"""
import json
import pathlib
import shutil
import subprocess
import sys
import tempfile

from infer_maps import INTERVAL, call, scripts, smooth_event, write_maps, write_records
import h5py
import numpy as np


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
    for name in ("hollow.h5", "blind.h5"):
        shutil.copy(work / "posterior.h5", work / name)
    with h5py.File(work / "hollow.h5", "r+") as file:
        file["forecast"][0, 3, 0] = np.nan
    with h5py.File(work / "blind.h5", "r+") as file:
        del file["forecast"]
    report(work / "hollow.h5", work / "truth", "hollow.h5: forecast has numbers that are not finite; make it anew")
    report(work / "posterior.h5", work / "deaf", "deaf: this file has no record of G0, G1; it has X")
    report(work / "posterior.h5", work / "none", "none: No such file or directory")
    report(work / "missing.h5", work / "truth", "missing.h5: No such file or directory")
    report(maps.path, work / "truth", "maps.h5: this is no posterior.h5 of")
    report(work / "blind.h5", work / "truth", "blind.h5: it has no forecast to compare")
    with h5py.File(work / "truth" / "surface.h5", "r+") as file:
        file["x"][:] /= 10
    report(work / "posterior.h5", work / "truth", "surface.h5: its domain ends at x =")
    (work / "truth" / "surface.h5").unlink()
    report(work / "posterior.h5", work / "truth", "surface.h5 does not exist; the truth needs output.surface_interval > 0")


with tempfile.TemporaryDirectory() as folder:
    check_report(pathlib.Path(folder), write_maps(pathlib.Path(folder) / "maps.h5"))
print("passed")
