# SPDX-License-Identifier: Apache-2.0
"""The sweep of docs/results.md, as the page has it, on a tiny case: one data set, whose runs differ as they should.
   test_sweep.py AGWAVE SOURCE_DIR PYTHON"""
import os
import pathlib
import re
import subprocess
import sys
import tempfile

from program import need

need("h5netcdf", "numpy", "xarray")
import numpy as np  # noqa: E402
import xarray  # noqa: E402

CASE = """
domain: {size: [12000, 9000], bathymetry: {type: flat, depth: 2000}}
mesh: {elements: [4, 3, 1]}
sources: [{shape: {type: gaussian, center: [6000, 4000], radius: [2000, 1500]}, ramp: {type: smoothstep, duration: 2}}]
time: {end: 4}
sensors: {interval: 0.5, seafloor: [{name: A, x: 3000, y: 3000}, {name: B, x: 6000, y: 4500}], surface: [{name: T, x: 6000, y: 4500}]}
output: {directory: unused, surface_interval: 0}
solver: {device: cpu}
"""
page = (pathlib.Path(sys.argv[2]) / "docs" / "results.md").read_text(encoding="utf-8")
script = re.search(r"## A sweep over parameters\n.*?```python\n(.*?)```", page, re.DOTALL)[1]
assert len(script.splitlines()) <= 22, script

with tempfile.TemporaryDirectory() as name:
    work = pathlib.Path(name)
    (work / "case.yaml").write_text(CASE)
    (work / "agwave").symlink_to(pathlib.Path(sys.argv[1]).resolve())
    environment = {**os.environ, "PATH": f"{work}{os.pathsep}{os.environ['PATH']}"}
    first = subprocess.run([sys.executable, "-c", script], cwd=work, env=environment, capture_output=True, text=True)
    assert first.returncode == 0, first.stderr
    with xarray.open_dataset(work / "sweep.nc", engine="h5netcdf") as sweep:
        assert dict(sweep.sizes) == {"rise": 3, "time": 9, "station": 2, "gauge": 1}, sweep.sizes
        assert sweep.rise.values.tolist() == [5, 10, 20] and sweep.rise.attrs["units"] == "s"
        assert list(sweep.station.values) == ["A", "B"] and "case_file" not in sweep.attrs and sweep.attrs["sound_speed"] == "1500", sweep.attrs
        for value in (5, 10, 20):
            with xarray.open_dataset(work / "sweep" / str(value) / "sensors.h5", engine="h5netcdf") as run:
                assert np.array_equal(sweep.pressure.sel(rise=value), run.pressure) and float(abs(run.pressure).max()) > 0
                assert f"sources[0].ramp.duration={value}" in run.attrs["case_file"]
        peaks = abs(sweep.pressure).max(("time", "station")).values
        assert peaks[0] > peaks[1] > peaks[2], peaks  # slower is quieter
    (work / "agwave").unlink()  # what is there is not run again
    again = subprocess.run([sys.executable, "-c", script], cwd=work, env={**environment, "PATH": str(work)}, capture_output=True, text=True)
    assert again.returncode == 0 and again.stdout == first.stdout, again.stderr
    (work / "agwave").symlink_to(pathlib.Path(sys.argv[1]).resolve())
    ends = script.replace('"sources[0].ramp.duration", [5.0, 10.0, 20.0]', '"time.end", [3.0, 4.0]')
    assert ends != script
    subprocess.run([sys.executable, "-c", ends], cwd=work, env=environment, check=True, stdout=subprocess.DEVNULL)
    with xarray.open_dataset(work / "sweep.nc", engine="h5netcdf") as sweep:
        known = np.isfinite(sweep.pressure.isel(station=0))
        assert known.sum("time").values.tolist() == [7, 9] and not known.sel(rise=3, time=3.5), "the shorter record ends with missing values"
    print("passed")
