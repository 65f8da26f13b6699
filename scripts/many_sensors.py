#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Runs a small mesh with very many sensors and samples, once to the end and once stopped half way by a signal and restarted, and compares the
traces bit for bit. Needs room for three times 16 bytes per sensor and sample: 48 GB for 100 000 sensors and 10 000 samples.

    scripts/many_sensors.py build/cpu/agwave --sensors 100000 --samples 10000 --folder /scratch
"""
import argparse
import json
import math
import os
import pathlib
import signal
import subprocess
import sys
import tempfile
import time

import common  # first: says which package is missing
import arguments

import h5py
import numpy

CASE = """\
domain: {{size: [32000, 24000], bathymetry: {{type: cosine, depth: 3000, amplitude: 0.1, waves: [1, 1]}}}}
mesh: {{elements: [4, 3, 1]}}
sources:
  - shape: {{type: gaussian, center: [16000, 12000], radius: [4000, 4000]}}
    ramp: {{type: smoothstep, duration: 2}}
time: {{end: {end!r}}}
sensors: {{interval: {interval}, seafloor: {{grid: {{counts: [{nx}, {ny}], margin: 500}}}}}}
solver: {{device: cpu}}
"""
INTERVAL = 0.05  # [s]


def progress(folder):
    try:
        return json.loads((folder / "progress.json").read_text())["step"]
    except (OSError, ValueError, KeyError):
        return 0


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("agwave", type=arguments.program)
    parser.add_argument("--sensors", type=arguments.count, default=100_000)
    parser.add_argument("--samples", type=arguments.count, default=10_000)
    parser.add_argument("--folder", type=pathlib.Path, help="where the files go for the time being")
    options = parser.parse_args()
    if options.folder and not options.folder.is_dir():
        parser.error(f"--folder {options.folder}: there is no such folder; make it first")
    nx = max(n for n in range(1, math.isqrt(options.sensors) + 1) if options.sensors % n == 0)
    with tempfile.TemporaryDirectory(prefix="agwave-sensors-", dir=options.folder) as folder:
        folder = pathlib.Path(folder)
        (folder / "case.yaml").write_text(CASE.format(end=round(INTERVAL * options.samples, 6), interval=INTERVAL, nx=options.sensors // nx, ny=nx))

        def start(output, *more):
            return subprocess.Popen([options.agwave, "run", "case.yaml", "--quiet", "--output", output, *more], cwd=folder, stderr=subprocess.PIPE, text=True)

        def finish(process, code=0):
            message = process.communicate()[1]
            if process.returncode != code:
                sys.exit(f"many_sensors.py: exit code {process.returncode}: {message}")

        begin = time.monotonic()
        finish(start("whole"))
        seconds = time.monotonic() - begin
        summary = json.loads((folder / "whole/summary.json").read_text())
        steps, half_way = summary["steps"], summary["loop_s"] / 2
        process = start("parts")
        while process.poll() is None and not (folder / "parts/sensors.h5").is_file():
            time.sleep(0.005)
        try:
            process.wait(half_way)  # not by progress.json, which a short run writes at its end alone
        except subprocess.TimeoutExpired:
            process.send_signal(signal.SIGUSR1)
        if process.wait() in (0, -signal.SIGUSR1):
            sys.exit("many_sensors.py: the run is too short to be stopped half way; give more --samples")
        finish(process, 75)
        at = progress(folder / "parts")
        finish(start("parts", "--restart", "parts"))
        with h5py.File(folder / "whole/sensors.h5") as a, h5py.File(folder / "parts/sensors.h5") as b:
            shape = a["pressure"].shape
            for name in ("pressure", "sensor_pressure"):
                for first in range(0, shape[0], 500):
                    rows = a[name][first:first + 500]
                    if not numpy.isfinite(rows).all() or rows.tobytes() != b[name][first:first + 500].tobytes():
                        sys.exit(f"many_sensors.py: {name} differs, or is not complete, among the samples from {first} on")
        size = os.path.getsize(folder / "whole/sensors.h5")
        print(f"{shape[1]} sensors, {shape[0]} samples, {steps} steps, sensors.h5 of {size / 1e9:.2f} GB: {common.duration(seconds)} in one go; "
              f"stopped at step {at} and restarted: equal bit for bit")


if __name__ == "__main__":
    main()
