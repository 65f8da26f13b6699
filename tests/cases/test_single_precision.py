#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
# ranks: 2
# label: slow
"""solver.precision: single through the real program: traces within 1e-5 of the largest value of double's, the same bits on every processor grid and
after a restart, with one step for all, in levels, with sponges of both types and over a floor that gives way, what outputs say of it, and cases that it must refuse.

    test_single_precision.py AGWAVE SOURCE_DIR PYTHON
"""
import json
import os
import pathlib
import shutil
import tempfile

from program import call, need

need("h5py", "numpy")
import h5py  # noqa: E402
import numpy as np  # noqa: E402

CASE = """\
title: single precision
domain:
  size: [66000, 27000]
  bathymetry: {type: cosine, depth: 3000, amplitude: 0.3, waves: [1, 1]}
mesh: {elements: [33, 9, 5]}
boundary: {north: rigid}
sources:
  - shape: {type: gaussian, center: [30000, 12000], radius: [6000, 5000]}
    ramp: {type: smoothstep, duration: 6}
  - shape: {type: gaussian, center: [20000, 8000], radius: [7000, 3500]}
    amplitude: 0.5
    ramp: {type: linear, start: 1, duration: 4}
    motion: normal
time: {end: 16, local_steps: off}
sensors:
  interval: 0.5
  seafloor: [{name: A, x: 32000, y: 12000}, {name: B, x: 66000, y: 4500}, {name: C, x: 0, y: 0}]
  hydrophones: [{name: H, x: 16000, y: 4500, z: -500}]
  surface: [{name: T, x: 32000, y: 12000}]
output: {directory: results, surface_interval: 4}
solver: {device: %s, precision: single}
""" % os.environ.get("AGWAVE_TEST_DEVICE", "cpu")
# Columns from 300 m to 5.7 km deep, the same along x: patches of 8 columns and of 16 get the same levels.
LEVELS = ["--set", "domain.bathymetry={type: cosine, depth: 3000, amplitude: 0.9, waves: [0, 0.5]}", "--set", "mesh.elements=[33, 18, 2]",
          "--set", "time.local_steps=4", "--set", "time.end=8"]

# Slow water: what steps move it by is a small part of what floats hold.
LIFT = ["--set", "sources=[{shape: {type: gaussian, center: [30000, 12000], radius: [9000, 9000]}, ramp: {type: smoothstep, duration: 60}}]"]
SLOW = LEVELS + LIFT + ["--set", "mesh.elements=[17, 18, 1]", "--set", "time.end=100",
                        "--set", "boundary={west: rigid, east: rigid, south: rigid, north: rigid}"]

# A source in the water of a strip besides, and strips that meet.
SPONGES = ["--set", "boundary.sponge={west: 12000, east: 12000, south: 9000}", "--set", "sources=[{shape: {type: point, center: [60000, 20000], z: -900, volume: 1e5},"
           " ramp: {type: smoothstep, duration: 4}}, {shape: {type: gaussian, center: [30000, 12000], radius: [6000, 5000]}, ramp: {type: smoothstep, duration: 6}}]"]
MATCHED = LEVELS + ["--set", "boundary.sponge={east: 12000, south: 9000, type: matched}"]
# A long wave in a matched strip over a slope, which gives a little of its energy back.
SLOPE = LIFT + ["--set", "mesh.elements=[22, 9, 1]", "--set", "time.end=900", "--set", "boundary={west: rigid, east: absorbing, south: rigid, north: rigid, "
                "sponge: {east: 20000, type: matched}}", "--set", "output.surface_interval=60"]
# Ground of two kinds, beside strips of either type.
FLOOR = ["--set", "boundary.floor={depth: [2500, 3600], density: [2500, 1600], sound_speed: [4000, 1600]}"]
FLOORS = {"floor": FLOOR, "floor_sponges": FLOOR + SPONGES, "floor_matched": FLOOR + ["--set", "boundary.sponge={east: 12000, south: 9000, type: matched}"]}
# A basin that is lifted for a minute and sinks for several.
SINKS = LIFT + ["--set", "mesh.elements=[17, 9, 1]", "--set", "time.end=1200", "--set", "boundary={west: rigid, east: rigid, south: rigid, north: rigid, "
                        "floor: {density: 1900, sound_speed: 1700}}", "--set", "sensors.interval=5", "--set", "output.surface_interval=60"]


def agwave(command, *args, ranks=1, code=0):
    return call(command, "case.yaml", *args, ranks=ranks, code=code)[code != 0]


def fields(directory):
    with h5py.File(f"{directory}/sensors.h5") as sensors, h5py.File(f"{directory}/surface.h5") as surface:
        names = ["sensor_pressure", "surface_height"]
        return {**{name: sensors[name][()] for name in names}, "map": surface["surface_height"][()]}


def compare(found, expected, tolerance):
    for name, values in expected.items():
        error = np.abs(found[name] - values).max() / np.abs(values).max()
        print(f"  {name}: {error:.2e}")
        assert error <= tolerance, f"{name} differs by {error}"


def test_traces():
    printed = agwave("run", "--output", "single")
    agwave("run", "--output", "double", "--set", "solver.precision=double")
    compare(fields("single"), fields("double"), 1e-5)
    assert "single precision" in printed, printed
    summary = json.loads(pathlib.Path("single/summary.json").read_text())
    assert summary["precision"] == "single" and summary["energy"]["final"] is None and summary["energy"]["source_work"] > 0
    assert json.loads(pathlib.Path("double/summary.json").read_text())["precision"] == "double"
    assert json.loads(agwave("check", "--json"))["precision"] == "single"


def test_levels():
    printed = agwave("run", "--output", "levels", *LEVELS)
    agwave("run", "--output", "levels_double", *LEVELS, "--set", "solver.precision=double")
    assert "local steps:" in printed and "single precision" in printed, printed
    compare(fields("levels"), fields("levels_double"), 1e-5)
    for precision in ("single", "double"):
        agwave("run", "--output", f"slow_{precision}", *SLOW, "--set", f"solver.precision={precision}")
    slow, expected = fields("slow_single"), fields("slow_double")
    compare(slow, {"surface_height": expected["surface_height"], "map": expected["map"]}, 2e-5)
    compare(slow, {"sensor_pressure": expected["sensor_pressure"]}, 1e-3)


def test_sponges():
    for name, args in (("sponges", SPONGES), ("matched", MATCHED)):
        agwave("run", "--output", name, *args)
        agwave("run", "--output", f"{name}_double", *args, "--set", "solver.precision=double")
        compare(fields(name), fields(f"{name}_double"), 1e-5)
        assert json.loads(pathlib.Path(f"{name}/summary.json").read_text())["energy"]["sponge_loss"] is None
    for precision in ("single", "double"):
        agwave("run", "--output", f"slope_{precision}", *SLOPE, "--set", f"solver.precision={precision}")
    compare(fields("slope_single"), fields("slope_double"), 1e-4)


def test_floors():
    for name, args in FLOORS.items():
        agwave("run", "--output", name, *args)
        agwave("run", "--output", f"{name}_double", *args, "--set", "solver.precision=double")
        compare(fields(name), fields(f"{name}_double"), 2e-5)
        taken = [json.loads(pathlib.Path(directory, "summary.json").read_text())["energy"]["floor_loss"] for directory in (name, f"{name}_double")]
        assert abs(taken[0] / taken[1] - 1) < 1e-4 and taken[1] > 0, taken
    for precision in ("single", "double"):
        agwave("run", "--output", f"sinks_{precision}", *SINKS, "--set", f"solver.precision={precision}")
    compare(fields("sinks_single"), fields("sinks_double"), 1e-4)


def test_grids():
    for whole, grids, args in (("single", ([2, 1, 1], [1, 2, 1], [1, 1, 2], [2, 2, 1]), []), ("levels", ([2, 1, 1], [3, 1, 1], [2, 2, 1]), LEVELS),
                               ("sponges", ([3, 1, 1], [1, 2, 1], [1, 1, 2]), SPONGES), ("matched", ([2, 1, 1], [2, 2, 1]), MATCHED),
                               ("floor_sponges", ([2, 1, 1], [1, 1, 2], [2, 2, 1]), FLOORS["floor_sponges"])):
        expected = fields(whole)
        for grid in grids:
            ranks = int(np.prod(grid))
            print(f"  {whole}, grid {grid}")
            agwave("run", "--output", "grid", *args, "--set", f"parallel.grid={grid}".replace(" ", ""), ranks=ranks)
            compare(fields("grid"), expected, 0)
            shutil.rmtree("grid")


def test_restart():
    def continues(whole, *args):
        agwave("run", "--output", "parts", "--set", "output.checkpoint_interval=2", *args)
        compare(fields("parts"), fields(whole), 0)
        shutil.rmtree(sorted(pathlib.Path("parts/checkpoints").glob("step_*"))[-1])
        checkpoint = sorted(pathlib.Path("parts/checkpoints").glob("step_*"))[-1]
        shutil.copytree(checkpoint, "kept", dirs_exist_ok=True)
        os.remove("parts/summary.json")
        agwave("run", "--restart", str(checkpoint), "--output", "parts", *args)
        compare(fields("parts"), fields(whole), 0)
        shutil.rmtree("parts")

    continues("single")
    message = agwave("run", "--restart", "kept", "--output", "other", "--set", "solver.precision=double", code=2)
    assert "was computed with solver.precision: single" in message, message
    agwave("run", "--output", "doubled", "--set", "output.checkpoint_interval=8", "--set", "solver.precision=double")
    checkpoint = sorted(pathlib.Path("doubled/checkpoints").glob("step_*"))[0]
    message = agwave("run", "--restart", str(checkpoint), "--output", "doubled", code=2)
    assert "solver.precision: single was asked for" in message, message
    shutil.rmtree("kept")
    for name, args in (("levels", LEVELS), ("sponges", SPONGES), ("matched", MATCHED), *FLOORS.items()):
        continues(name, *args)


def test_refusals():
    for change, words in {"time.scheme=rk4": "double precision alone",
                          "solver.variant=two-sweep": "double precision alone", "solver.precision=half": "double"}.items():
        message = agwave("check", "--set", change, code=2)
        assert words in message, f"{change}: {message}"


with tempfile.TemporaryDirectory() as work:
    os.chdir(work)
    pathlib.Path("case.yaml").write_text(CASE)
    for test in (test_traces, test_levels, test_sponges, test_floors, test_grids, test_restart, test_refusals):
        print(test.__name__, flush=True)
        test()
