# SPDX-License-Identifier: Apache-2.0
"""scripts/check_arrivals.py on sound in a flat ocean: it passes the run, fails the same run recorded 0.4 s late, and says why it does not time
a source that moves for long, in one place after the other, or too close.   test_arrivals.py AGWAVE SOURCE_DIR PYTHON"""
import os
import pathlib
import subprocess
import sys
import tempfile

try:
    import h5py
    import matplotlib  # noqa: F401
except ImportError as error:
    print(f"skipped: {error}; pip install -r scripts/requirements.txt")
    sys.exit(77)

CASE = """
title: A small uplift and a line of sensors
domain: {{size: [20000, 7000], bathymetry: {{type: flat, depth: 4000}}}}
mesh: {{elements: [26, 9, 5]}}
sources: [{source}]
time: {{end: {end}}}
sensors:
  interval: 0.2
  seafloor:
    - {{name: A00, x: 3000, y: 3500}}
    - {{name: L01, x: 9000, y: 3500}}
    - {{name: L02, x: 12000, y: 3500}}
    - {{name: L03, x: 15000, y: 3500}}
    - {{name: L04, x: 18000, y: 3500}}
  hydrophones: [{{name: L05, x: 15000, y: 3500, z: -1000}}]
output: {{directory: out}}
solver: {{device: cpu}}
"""
SMALL = "shape: {type: gaussian, center: [3000, 3500], radius: [800, 800]}, ramp: {type: smoothstep, duration: %g, start: %g}"
agwave, root = pathlib.Path(sys.argv[1]).resolve(), pathlib.Path(sys.argv[2])


def check(run, case):
    command = [sys.executable, str(root / "scripts" / "check_arrivals.py"), str(run), "--agwave", agwave, "--case", str(case), "-o", str(case.parent / "sound.png")]
    return subprocess.run(command, capture_output=True, text=True, env={**os.environ, "OMP_NUM_THREADS": "1"})  # for the many small runs of agwave check


with tempfile.TemporaryDirectory() as work:
    work = pathlib.Path(work)
    case = work / "case.yaml"
    small = SMALL % (1.6, 0)
    case.write_text(CASE.format(source="{%s}" % small, end=14))
    subprocess.run([agwave, "run", "case.yaml", "--quiet"], cwd=work, check=True)
    done = check(work / "out", case)
    print(done.stdout, done.stderr)
    assert done.returncode == 0 and "L04" in done.stdout and "A00" not in done.stdout and "L05" not in done.stdout
    assert (work / "sound.png").stat().st_size > 10000
    with h5py.File(work / "out" / "sensors.h5", "r+") as file:
        file["pressure"][2:] = file["pressure"][:-2]  # all late by 0.4 s
    late = check(work / "out", case)
    assert late.returncode == 1 and "L04" in late.stdout, late.stdout
    with h5py.File(work / "out" / "sensors.h5", "r+") as file:
        file["pressure"][:, 3] = 0
    deaf = check(work / "out", case)
    assert deaf.returncode == 1 and "L03: nothing heard" in deaf.stdout, deaf.stdout

    for source, why in (("{%s}" % SMALL % (8, 0), "moves for more than"), ("{%s}, {%s}" % (small, (SMALL % (1.6, 1)).replace("3000, 3", "3500, 3")), "different times"),
                        ("{%s}" % small.replace("800, 800", "2500, 800"), "nearest sensor")):
        case.write_text(CASE.format(source=source, end=14))
        other = check(work / "out", case)
        assert other.returncode == 2 and why in other.stdout, (why, other.returncode, other.stdout, other.stderr)
