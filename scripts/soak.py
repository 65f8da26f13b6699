#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Runs a small case with traces, maps and checkpoints for a while and watches resident memory and open files: both must stay flat.

    scripts/soak.py build/cpu/agwave --minutes 60
"""
import argparse
import os
import pathlib
import signal
import subprocess
import sys
import tempfile
import time

import arguments

SETTLES, APART = 10, 5  # [s]: until everything is allocated, and between two looks
CASE = """\
domain: {size: [8000, 6000], bathymetry: {type: flat, depth: 2000}}
mesh: {elements: [4, 3, 2]}
sources:
  - shape: {type: gaussian, center: [4000, 3000], radius: [1000, 1000]}
    ramp: {type: smoothstep, duration: 2}
time: {end: END}
sensors: {interval: 0.5, seafloor: [{name: A, x: 4000, y: 3000}], surface: [{name: T, x: 4000, y: 3000}]}
output: {surface_interval: 100, checkpoint_interval: 50}
solver: {device: cpu}
"""


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("agwave", type=arguments.program)
    parser.add_argument("--minutes", type=arguments.positive, default=60)
    options = parser.parse_args()
    if 60 * options.minutes < SETTLES + APART:
        parser.error(f"--minutes {options.minutes:g}: {(SETTLES + APART) / 60:g} at least; the first {SETTLES} s are not looked at")
    with tempfile.TemporaryDirectory(prefix="agwave-soak-") as folder:
        pathlib.Path(folder, "case.yaml").write_text(CASE.replace("END", f"{300000 * options.minutes:g}"))  # further than it gets
        process = subprocess.Popen([options.agwave, "run", "case.yaml", "--quiet", "--output", "out"], cwd=folder, stderr=subprocess.PIPE, text=True,
                                   env=dict(os.environ, OMP_NUM_THREADS="1"))
        proc, seen = pathlib.Path(f"/proc/{process.pid}"), []
        end = time.monotonic() + 60 * options.minutes
        time.sleep(SETTLES)
        while time.monotonic() < end and process.poll() is None:
            status = (proc / "status").read_text()
            seen.append((int(status.split("VmRSS:")[1].split()[0]), len(list((proc / "fd").iterdir()))))
            time.sleep(APART)
        process.send_signal(signal.SIGTERM)
        message = process.communicate()[1]
    if process.returncode != 75:
        sys.exit(f"exit code {process.returncode}: {message}")
    memory, files = [s[0] for s in seen], [s[1] for s in seen]
    growth = max(memory[-3:]) - max(memory[:3])
    print(message.strip())
    print(f"{options.minutes:g} minutes, {len(seen)} looks: resident memory {memory[0]} kB at first, {memory[-1]} kB at last, {max(memory)} kB at most; "
          f"open files {min(files)} to {max(files)}")
    if growth > 1024 or files[-1] > files[0] + 1:
        sys.exit("resident memory or open files have grown")


if __name__ == "__main__":
    main()
