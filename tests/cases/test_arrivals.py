# SPDX-License-Identifier: Apache-2.0
# ranks: 2
"""scripts/check_arrivals.py on sound in a flat ocean: it passes the run, which has a sponge, fails the same run recorded 0.4 s late, and says why
it does not time a source that moves for long, in one place after the other, or too close.   test_arrivals.py AGWAVE SOURCE_DIR PYTHON"""
import contextlib
import io
import json
import os
import pathlib
import shutil
import subprocess
import sys
import tempfile

from program import need

need("h5py", "matplotlib", "numpy")
import h5py  # noqa: E402
import matplotlib  # noqa: E402
matplotlib.use("Agg")
import matplotlib.pyplot as plt  # noqa: E402
import numpy as np  # noqa: E402

CASE = """
title: A small uplift and a line of sensors
domain: {size: [20000, 7000], bathymetry: {type: flat, depth: 4000}}
mesh: {elements: [26, 9, 5]}
boundary: {sponge: {west: 1600}}
sources: [{shape: {type: gaussian, center: [3000, 3500], radius: [800, 800]}, ramp: {type: smoothstep, duration: 1.6}}]
time: {end: 14}
sensors:
  interval: 0.2
  seafloor:
    - {name: A00, x: 3000, y: 3500}
    - {name: L01, x: 9000, y: 3500}
    - {name: L02, x: 12000, y: 3500}
    - {name: L03, x: 15000, y: 3500}
    - {name: L04, x: 18000, y: 3500}
  hydrophones: [{name: L05, x: 15000, y: 3500, z: -1000}]
output: {directory: out}
solver: {device: cpu}
"""
agwave, root = pathlib.Path(sys.argv[1]).resolve(), pathlib.Path(sys.argv[2]).resolve()
sys.path.insert(0, str(root / "scripts"))
import check_arrivals  # noqa: E402
import sound_arrivals  # noqa: E402


def floor(centres=((3000, 0),), radius=800, duration=1.6):
    """The floor of the case, and others: hills of one kind at (x, start)."""
    def at(elements, time):
        x, y = (np.linspace(0, size, 2 * n + 1) for size, n in zip((20000, 7000), elements))
        hill = lambda middle: np.exp(-(((x - middle) / radius) ** 2 + ((y[:, None] - 3500) / 800) ** 2) / 2)
        part = lambda start: np.clip(((14 if time is None else time) - start) / duration, 0, 1)
        uplift = sum(hill(middle) * part(start) ** 3 * (10 - 15 * part(start) + 6 * part(start) ** 2) for middle, start in centres)
        return x, y, np.full(uplift.shape, 4000.0), uplift
    return at


def compare(file, at):
    """What the part of the script that times sound makes of it, within 2 %: True, False, or None when it does not."""
    off = sound_arrivals.compare(file, [1, 2, 3, 4], ["L01", "L02", "L03", "L04"], np.array([26, 9]), at, plt.figure())
    return None if off is None else bool(off < 0.02)


WAVES = """
title: A long wave and gauges, one of them out of its reach
domain: {size: [120000, 60000], bathymetry: {type: flat, depth: 4000}}
mesh: {elements: [20, 10, 2], layers: [0, 0.4, 1], spacing: {x: {type: geometric, ratio: 2}}}
sources: [{shape: {type: gaussian, center: [30000, 30000], radius: [8000, 8000]}, ramp: {type: smoothstep, duration: 20}}]
time: {end: 270}
sensors:
  interval: 3
  surface: [{name: S, x: 3e4, y: 3e4}, {name: NEAR, x: 6e4, y: 3e4}, {name: EDGE, x: 8.1e4, y: 3e4}, {name: FAR, x: 1.15e5, y: 3e4}]
output: {directory: waves}
solver: {device: cpu}
"""


def check_waves(work):
    """Gauges that the crest does not pass within the run are said to be not reached, and do not count; nor does what is not written yet. The mesh is graded, and
    samples fall where the long waves want no depths."""
    (work / "waves.yaml").write_text(WAVES)
    subprocess.run([agwave, "run", "waves.yaml", "--quiet"], cwd=work, check=True)
    command = [sys.executable, root / "scripts" / "check_arrivals.py", "waves", "--agwave", agwave, "--case", "waves.yaml", "--elements", "48,24", "--limit", "0.1"]
    done = subprocess.run(command, cwd=work, capture_output=True, text=True, env={**os.environ, "OMP_NUM_THREADS": "1"})
    print(done.stdout, done.stderr)
    rows = {line.split()[0]: line.split()[1:] for line in done.stdout.splitlines() if line.strip()}
    assert rows["FAR"] == ["not", "reached", "within", "4", "min", "30", "s"] == rows["EDGE"] and "%" in rows["NEAR"][2] and "counted)" in rows["S"], rows
    assert done.returncode == 0, done.returncode
    with h5py.File(work / "waves" / "sensors.h5", "r+") as file:
        eta = file["surface_height"][:, 1]
        file["surface_height"][:, 1] = np.concatenate([np.zeros(10), eta[:-10]])  # late by 30 s
    assert subprocess.run(command, cwd=work, capture_output=True).returncode == 1
    with h5py.File(work / "waves" / "sensors.h5", "r+") as file:
        file["samples_written"][()] = 20
    assert "not reached within 57 s" in subprocess.run(command, cwd=work, capture_output=True, text=True).stdout
    check_refusals(work)


def check_refusals(work):
    """A line says what is missing or wrong, and never a traceback."""
    shutil.copytree(work / "waves", work / "deeper")  # a run of a grid would tell its least depth like this
    summary = json.loads((work / "deeper" / "summary.json").read_text())
    summary["case"]["parameters"]["domain.bathymetry.min_depth"] = "100"
    (work / "deeper" / "summary.json").write_text(json.dumps(summary))
    shutil.copytree(work / "waves", work / "still")
    summary = json.loads((work / "still" / "summary.json").read_text())
    parameters = summary["case"]["parameters"]
    summary["case"]["parameters"] = {key: parameters[key] for key in parameters if not key.startswith("sources[")}
    (work / "still" / "summary.json").write_text(json.dumps(summary))
    shutil.copytree(work / "waves", work / "going")
    (work / "going" / "summary.json").unlink()
    given = {"--agwave": agwave, "--case": "waves.yaml", "--elements": "48,24"}
    for run, change, code, words in (("none", {}, 1, "none does not exist; give the output directory"), ("waves.yaml", {}, 1, "waves.yaml: this is no sensors.h5 of agwave"),
                                     ("waves", {"--agwave": "nowhere"}, 2, "'nowhere' is no program; give agwave, such as build/cpu/agwave"),
                                     ("waves", {"--case": "none.yaml"}, 1, "`agwave check` does not take the case: agwave: none.yaml"),
                                     ("waves", {"--elements": "48"}, 2, "'48' is not NX,NY"), ("waves", {"--smooth": "0"}, 2, "--smooth 0: seconds above 0"),
                                     ("waves", {"--set": "domain.size=[12e4, 5e4]"}, 1, "summary.json: the run has domain.size [120000, 60000], and waves.yaml as it is given here has [12e4, 5e4]"),
                                     ("deeper", {}, 1, "summary.json: the run has domain.bathymetry.min_depth 100, and waves.yaml as it is given here has none; give"),
                                     ("waves", {"--set": "domain.size=[12e4, 6e4]", "--case": "none.yaml"}, 1, "`agwave check` does not take the case"),
                                     ("still", {"--set": "sources=[]"}, 2, "long waves: not compared; nothing lifts the floor"),
                                     ("waves", {"--set": "sources=[]"}, 1, "the run has sources[0].ramp.duration 20, and waves.yaml as it is given here has none"),
                                     ("waves", {"--set": "sources[0].amplitude=2"}, 1, "the run has sources[0].amplitude none, and waves.yaml as it is given here has 2"),
                                     ("going", {"--set": "sources=[]"}, 2, "that going is a run of this case is taken for granted"),
                                     ("waves", {"--limit": "nan"}, 2, "--limit: nan is no finite number above 0")):
        command = [sys.executable, root / "scripts" / "check_arrivals.py", run, *(word for pair in {**given, **change}.items() for word in pair)]
        done = subprocess.run(command, cwd=work, capture_output=True, text=True)
        assert done.returncode == code and words in done.stdout + done.stderr and "Traceback" not in done.stderr, (change, done.returncode, done.stdout, done.stderr)


def check_parameters():
    """Parameters are what they say, however that is written."""
    for key, one, other, same in (("domain.size", "[120000, 60000]", "[12e4,6.0e4]", True), ("sources[0].shape.type", "gaussian", "box", False),
                                  ("sources[0].shape.file", "/data/a.nc", "b.nc", False), ("domain.bathymetry.files", "[/data/a.nc, b.nc]", "[a.nc, ../b.nc]", True)):
        assert (check_arrivals.content(key, one) == check_arrivals.content(key, other)) is same, key
    for key, kinds, bathymetry, told in (("sources[1].ramp.start", ["flat", "flat"], None, True), ("mesh.elements", ["flat", "flat"], None, False),
                                         ("domain.bathymetry.type", ["flat", "grid"], None, True), ("domain.bathymetry.type", ["prepared", "grid"], None, False),
                                         ("domain.bathymetry.file", ["grid", "grid"], None, True), ("domain.bathymetry.file", ["grid", "grid"], "a.nc", False)):
        assert check_arrivals.says_floor(key, kinds, bathymetry) is told, (key, kinds)


check_parameters()
with tempfile.TemporaryDirectory() as work:
    work = pathlib.Path(work)
    check_waves(work)
    (work / "case.yaml").write_text(CASE)
    subprocess.run([agwave, "run", "case.yaml", "--quiet"], cwd=work, check=True)
    command = [sys.executable, root / "scripts" / "check_arrivals.py", "out", "--agwave", agwave, "--case", "case.yaml", "-o", "sound.png"]
    done = subprocess.run(command, cwd=work, capture_output=True, text=True, env={**os.environ, "OMP_NUM_THREADS": "1"})
    print(done.stdout, done.stderr)
    assert done.returncode == 0 and "L04" in done.stdout and "A00" not in done.stdout and "L05" not in done.stdout
    assert (work / "sound.png").stat().st_size > 10000
    with h5py.File(work / "out" / "sensors.h5", "r+") as file:
        assert compare(file, floor()) is True
        assert compare(file, floor(duration=8)) is None  # moves for long
        assert compare(file, floor(centres=((3000, 0), (3500, 1)))) is None  # in one place after the other
        assert compare(file, floor(radius=2500)) is None  # too close
        far = file["x"][4]
        file["x"][4] = 60000  # where nothing is heard within the run
        told = io.StringIO()
        with contextlib.redirect_stdout(told):
            assert compare(file, floor()) is True
        assert "L04: not reached within 14 s" in told.getvalue(), told.getvalue()
        file["x"][4] = far
        file["pressure"][2:] = file["pressure"][:-2]  # all late by 0.4 s
        assert compare(file, floor()) is False
        file["pressure"][:, 3] = 0  # one hears nothing
        assert compare(file, floor()) is False
