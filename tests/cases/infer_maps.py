# SPDX-License-Identifier: Apache-2.0
"""Maps made by a formula, records beside them, and infer.py as it is called, for the tests of scripts/infer.py, of what it is made of and what reads it."""
import pathlib
import subprocess
import sys

from program import need

need("h5py", "numpy", "scipy")
import h5py  # noqa: E402
import numpy as np  # noqa: E402

scripts = pathlib.Path(sys.argv[2]).resolve() / "scripts"
sys.path.insert(0, str(scripts))
import twin_maps  # noqa: E402

random = np.random.default_rng(1)
INTERVAL = 2.0  # [s]


def green(x, y, px, py, count, speed=1500.0, step=0.25):
    """A ring that runs outwards and leaves something behind: [place, parameter, interval]. Made up, but causal, smooth and different everywhere."""
    time = (1 + np.arange(count)) * INTERVAL - step
    distance = np.hypot(x[:, None] - px, y[:, None] - py)[:, :, None]
    late = time - distance / speed
    return np.where(late > 0, late / 5 * np.exp(1 - late / 5) / (1 + distance / 10e3) + 0.05 * (1 - np.exp(-np.maximum(late, 0) / 20)), 0)


def write_maps(path, sensors=6, gauges=2, nx=7, ny=5, count=20, spacing=5000.0):
    grid_x, grid_y = 3000 + spacing * np.arange(nx), 2000 + spacing * np.arange(ny)
    px, py = np.tile(grid_x, ny), np.repeat(grid_y, nx)
    places = random.uniform([grid_x[0], grid_y[0]], [grid_x[-1], grid_y[-1]], (sensors + gauges, 2))
    with h5py.File(path, "w") as file:
        file["time"] = (1 + np.arange(count)) * INTERVAL - 0.25
        file["parameter_x"], file["parameter_y"], file["parameter_area"] = px, py, np.full(px.size, spacing**2)
        file["sensor_name"] = [f"S{n}" for n in range(sensors)]
        for axis, key in enumerate("xy"):
            file["sensor_" + key] = places[:sensors, axis]
        file["sensor_z"] = np.full(sensors, -4000.0)
        file["pressure_map"] = 1e6 * green(*places[:sensors].T, px, py, count)
        if gauges:
            file["gauge_name"] = [f"G{n}" for n in range(gauges)]
            file["gauge_x"], file["gauge_y"] = places[sensors:].T
            file["height_map"] = 0.3 * green(*places[sensors:].T, px, py, count, 700.0)
        file.attrs.update({"title": "made up", "commit": "none", "interval": INTERVAL, "end": count * INTERVAL, "motion": "vertical", "step": 0.25, "scheme": "rk4",
                           "variant": "formula", "parameter_nx": nx, "parameter_ny": ny, "parameter_spacing": spacing, "density": 1025.0, "gravity": 9.81,
                           "reciprocity_error": 0.0})
    return twin_maps.Maps(path)


def write_records(path, names, time, values):
    with h5py.File(path, "w") as file:
        file["station"], file["time"], file["pressure"], file["samples_written"] = names, time, values, time.size


def smooth_event(maps, count=400):
    """A smooth motion of its own, with records often enough for splines: (time, pressure)."""
    time = np.linspace(0, maps.time[-1] + 1, count)
    return time, np.stack([1e4 * np.exp(-0.5 * ((time - 15 - n) / 4) ** 2) for n in range(len(maps.sensors))], axis=1)


def call(*arguments, fails=None, code=1, **how):
    """What infer.py prints; `fails`: what it says instead, in a line without a traceback, and its exit code."""
    done = subprocess.run([sys.executable, str(scripts / "infer.py"), *map(str, arguments)], capture_output=True, text=True, **how)
    assert (done.returncode == 0) == (fails is None), done.stdout + done.stderr
    assert fails is None or (fails in done.stderr and "Traceback" not in done.stderr and "Unable" not in done.stderr and done.returncode == code), done.stderr
    return done.stdout
