# SPDX-License-Identifier: Apache-2.0
# label: slow
"""What `agwave check` says a run will take grows with the filter of kinks as the run itself does: both are measured with the filter and without, so that
what else the machine does hardly counts.   test_time_estimate.py AGWAVE SOURCE_DIR PYTHON"""
import json
import os
import pathlib
import subprocess
import sys
import tempfile

AGWAVE = str(pathlib.Path(sys.argv[1]).resolve())
CASE = """
domain: {size: [120000, 80000], bathymetry: {type: flat, depth: 4000}}
mesh: {elements: [24, 16, 2]}
sources: [{shape: {type: gaussian, center: [60000, 40000], radius: [8000, 8000]}, ramp: {type: linear, duration: 10}}]
time: {end: 40, scheme: leapfrog4}
sensors: {interval: 1, seafloor: [{name: A, x: 60000, y: 40000}]}
output: {directory: out}
solver: {device: cpu}
"""


def agwave(folder, *words):
    return subprocess.run([AGWAVE, *words], cwd=folder, check=True, capture_output=True, text=True, env={**os.environ, "OMP_NUM_THREADS": "1"}).stdout


def least(seconds, repeats=3):
    return min(seconds() for _ in range(repeats))


with tempfile.TemporaryDirectory() as work:
    work = pathlib.Path(work)
    (work / "case.yaml").write_text(CASE)
    said, took = [], []
    for choice in ("auto", "off"):
        more = ("case.yaml", "--set", f"time.filter={choice}")
        document = json.loads(agwave(work, "check", "--json", *more))
        assert document["filter"].get("steps", 0) == (2 if choice == "auto" else 0), document["filter"]
        said.append(least(lambda: json.loads(agwave(work, "check", "--json", *more))["time"]["estimate_s"]))

        def run():
            agwave(work, "run", "--quiet", *more)
            return json.loads((work / "out" / "summary.json").read_text())["loop_s"]
        took.append(least(run))
    growth = [of[0] / of[1] for of in (said, took)]
    print(f"with the filter {growth[0]:.2f} times as long by the estimate, {growth[1]:.2f} times measured ({said} and {took} s)")
    assert growth[1] > 1.5 and 0.5 < growth[0] / growth[1] < 2, "the estimate does not grow as the run does"
    print("passed")
