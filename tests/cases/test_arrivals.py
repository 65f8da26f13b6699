# SPDX-License-Identifier: Apache-2.0
# ranks: 2
"""scripts/check_arrivals.py on sound in a flat ocean: it passes the run, which has a sponge, fails the same run recorded 0.4 s late, and says why
it does not time a source that moves for long, in one place after the other, or too close, nor where the depth or the water do not allow it. Sound of a wide
uplift by normal modes, the exact solution, passes.   test_arrivals.py AGWAVE SOURCE_DIR PYTHON"""
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

need("h5py", "matplotlib", "numpy", "scipy")
import h5py  # noqa: E402
import matplotlib  # noqa: E402
matplotlib.use("Agg")
import matplotlib.pyplot as plt  # noqa: E402
import numpy as np  # noqa: E402
from scipy.special import j0  # noqa: E402

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


def by_modes(time, distance, depth=2000.0, radius=2500.0, height=0.2, duration=2.0, density=1025.0, c=1500.0):
    """Pressure at the rigid floor below a free surface, of a Gaussian uplift under a smoothstep of order 2: once it has moved,
    p = 2 rho c^2 / h sum_n int b(k) J0(k r) Re(e^(i w t) V(w)) k dk / (2 pi), w = c sqrt(k^2 + ((n + 1/2) pi / h)^2), V(w) = int a_t e^(-i w s) ds."""
    def gauss(count, end):
        points, weights = np.polynomial.legendre.leggauss(count)
        return 0.5 * end * (points + 1), 0.5 * end * weights

    (k, share), (s, part) = gauss(400, 7 / radius), gauss(80, 1)
    rate = part * 30 * s**2 * (1 - s) ** 2
    waves = j0(np.outer(k, distance)) * (height * radius**2 * np.exp(-0.5 * (k * radius) ** 2) * k * share)[:, None]
    pressure = np.zeros((time.size, distance.size))
    for n in range(60):
        w = c * np.hypot(k, (n + 0.5) * np.pi / depth)
        moved = np.exp(-1j * duration * np.outer(w, s)) @ rate
        pressure += 2 * density * c**2 / depth * (np.exp(1j * np.outer(time, w)) * moved).real @ waves
    pressure[time < duration] = 0
    return pressure


def check_modes():
    """Little of a wide uplift's sound goes sideways: images nearly cancel, and the speed along the line is far from c. The exact solution passes as closely as
    samples allow, and late by 3 % fails. The same over a floor that rises along the line is not timed: images in one depth do not tell when it comes; nor is an
uplift that every finer mesh finds as rough."""
    time, distance = 0.1 * np.arange(501), np.array([25e3, 37e3, 49e3, 61e3])

    def at(elements, moment, slope=0.0):
        x, y = (np.linspace(0, size, 2 * n + 1) for size, n in zip((90e3, 30e3), elements))
        part = np.clip((50 if moment is None else moment) / 2, 0, 1)
        hill = 0.2 * np.exp(-((x - 15e3) ** 2 + (y[:, None] - 15e3) ** 2) / (2 * 2500**2))
        return x, y, 2000 - slope * np.maximum(x - 15e3, 0) + 0 * hill, hill * part**3 * (10 - 15 * part + 6 * part**2)

    def compared(pressure, floor_at):
        with h5py.File("modes.h5", "w", driver="core", backing_store=False) as file:
            file.attrs.update(sound_speed="1500", density="1025")
            file["time"], file["samples_written"], file["pressure"] = time, time.size, pressure
            file["x"], file["y"], file["z"] = 15e3 + distance, np.full(4, 15e3), np.full(4, -2000.0)
            return sound_arrivals.compare(file, [0, 1, 2, 3], ["L1", "L2", "L3", "L4"], np.array([90, 30]), floor_at, plt.figure())

    exact = by_modes(time, distance)
    assert compared(exact, at) < 5e-4, "the exact solution"
    assert compared(np.transpose([np.interp(time / 1.03, time, record) for record in exact.T]), at) > 0.02
    def rough(elements, moment):
        x, y, depth, uplift = at(elements, moment)
        return x, y, depth, uplift * (1 + 0.5 * (-1.0) ** np.add.outer(np.arange(y.size), np.arange(x.size)))

    for floor_at, words in ((lambda elements, moment: at(elements, moment, 0.015), "the depth on the way to L"), (rough, "the sum over images has not converged")):
        told = io.StringIO()
        with contextlib.redirect_stdout(told):
            assert compared(exact, floor_at) is None
        assert words in told.getvalue(), told.getvalue()


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
    """Images know one speed of sound, a rigid floor and a free surface; parameters are what they say, however that is written."""
    assert not check_arrivals.no_images({"ocean.sound_speed": "1480", "boundary.floor": "rigid", "boundary.surface": "gravity"})
    for key, value in (("ocean.sound_speed.type", "munk"), ("boundary.floor.sound_speed", "3000"), ("boundary.surface", "rigid")):
        assert check_arrivals.no_images({key: value}), key
    for key, one, other, same in (("domain.size", "[120000, 60000]", "[12e4,6.0e4]", True), ("sources[0].shape.type", "gaussian", "box", False),
                                  ("sources[0].shape.file", "/data/a.nc", "b.nc", False), ("domain.bathymetry.files", "[/data/a.nc, b.nc]", "[a.nc, ../b.nc]", True)):
        assert (check_arrivals.content(key, one) == check_arrivals.content(key, other)) is same, key
    for key, kinds, bathymetry, told in (("sources[1].ramp.start", ["flat", "flat"], None, True), ("mesh.elements", ["flat", "flat"], None, False),
                                         ("domain.bathymetry.type", ["flat", "grid"], None, True), ("domain.bathymetry.type", ["prepared", "grid"], None, False),
                                         ("domain.bathymetry.file", ["grid", "grid"], None, True), ("domain.bathymetry.file", ["grid", "grid"], "a.nc", False)):
        assert check_arrivals.says_floor(key, kinds, bathymetry) is told, (key, kinds)


check_modes()
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
    kept = (work / "out" / "sensors.h5").read_bytes()
    over = subprocess.run([*command[:-1], "out/sensors.h5"], cwd=work, capture_output=True, text=True)
    assert over.returncode == 2 and "out/sensors.h5 is read, and would be written over" in over.stderr, over.stderr
    assert (work / "out" / "sensors.h5").read_bytes() == kept
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
