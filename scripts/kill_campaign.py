#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Kills runs with SIGKILL at random moments, continues each from its newest checkpoint, and compares the end with an unbroken run, bit
for bit: traces, maps, state, energy and maxima. After every kill the files that are there must open.

    scripts/kill_campaign.py build/cpu/agwave --kills 100 --seconds 20 --ranks 4
"""
import argparse
import json
import os
import pathlib
import random
import shutil
import signal
import subprocess
import sys
import tempfile
import time

CASE = """\
title: killed
domain:
  size: [32000, 24000]
  bathymetry: {type: cosine, depth: 2500, amplitude: 0.2, waves: [1, 1]}
mesh: {elements: [16, 12, 4]}
sources:
  - shape: {type: gaussian, center: [16000, 12000], radius: [4000, 3500]}
    ramp: {type: smoothstep, duration: 2}
  - shape: {type: gaussian, center: [8000, 12000], radius: [4000, 3500]}
    ramp: {type: linear, start: 1, duration: 4}
time: {end: 4}
sensors:
  interval: 0.25
  seafloor: {grid: {counts: [5, 4], margin: 2000}}
  surface: [{name: T, x: 16000, y: 12000}]
output: {directory: out, surface_interval: 0.5, checkpoint_interval: 0.5}
solver: {device: cpu}
"""


def arguments():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("agwave", type=pathlib.Path)
    parser.add_argument("--kills", type=int, default=20)
    parser.add_argument("--seconds", type=float, default=5.0, help="how long the time loop of the unbroken run takes")
    parser.add_argument("--ranks", type=int, default=4)
    parser.add_argument("--variant", default="auto")
    parser.add_argument("--seed", type=int, default=1)
    return parser.parse_args()


def descendants(pid):
    parents = {}
    for entry in pathlib.Path("/proc").glob("[0-9]*"):
        try:
            parents[int(entry.name)] = int((entry / "stat").read_text().rsplit(")", 1)[1].split()[1])
        except (OSError, IndexError):
            pass
    found = [pid]
    for parent in found:
        found += [child for child, p in parents.items() if p == parent]
    return found


class Campaign:
    def __init__(self, options):
        self.options = options
        self.environment = dict(os.environ, OMP_NUM_THREADS="1", OMPI_ALLOW_RUN_AS_ROOT="1", OMPI_ALLOW_RUN_AS_ROOT_CONFIRM="1",
                                OMPI_MCA_rmaps_base_oversubscribe="1")
        self.end = 4.0

    def start(self, directory):
        mpi = ["mpiexec", "-n", str(self.options.ranks)] if self.options.ranks > 1 else []
        restart = ["--restart", directory] if list(pathlib.Path(directory, "checkpoints").glob("step_*[0-9]/manifest.json")) else []
        command = mpi + [str(self.options.agwave.resolve()), "run", "case.yaml", "--quiet", "--output", directory, "--variant", self.options.variant,
                         "--set", f"time.end={self.end}"] + restart
        return subprocess.Popen(command, env=self.environment, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True), bool(restart)

    def finish(self, directory):
        process, restarted = self.start(directory)
        output = process.communicate()[0]
        if process.returncode != 0:
            sys.exit(f"{directory}: exit code {process.returncode}: {output}")
        return restarted

    def unbroken(self):
        """Scales the end of the run until it lasts as long as asked for."""
        self.finish("unbroken")
        summary = json.loads(pathlib.Path("unbroken/summary.json").read_text())
        self.end = max(2.0, round(self.end * self.options.seconds / summary["loop_s"]))
        shutil.rmtree("unbroken")
        start = time.monotonic()
        self.finish("unbroken")
        self.duration = time.monotonic() - start

    def kill_once(self, directory, moment):
        """Returns how far the run was: its newest checkpoint, or "" when the kill came before the first, None when it had ended."""
        process, _ = self.start(directory)
        try:
            process.wait(timeout=moment)
            return None
        except subprocess.TimeoutExpired:
            pass
        for pid in reversed(descendants(process.pid)):
            try:
                os.kill(pid, signal.SIGKILL)
            except ProcessLookupError:
                pass
        process.communicate()
        return max((p.name for p in pathlib.Path(directory, "checkpoints").glob("step_*[0-9]")), default="")


def readable(directory):
    import h5py
    import numpy
    for name, array in (("sensors.h5", "pressure"), ("surface.h5", "surface_height")):
        path = pathlib.Path(directory, name)
        if path.exists():
            with h5py.File(path) as file:
                values = file[array][:int(file["samples_written"][()])]
                if not numpy.isfinite(values).all():
                    sys.exit(f"{path}: samples that are said to be written are missing")


def contents(directory):
    import h5py
    found = {}
    for name in ("sensors.h5", "surface.h5"):
        with h5py.File(f"{directory}/{name}") as file:
            found.update({f"{name}: {key}": file[key][()].tobytes() for key in file if file[key].dtype.kind != "O"})
    newest = max(pathlib.Path(directory, "checkpoints").glob("step_*[0-9]"))
    found["state"] = [rank["checksums"] for rank in json.loads((newest / "manifest.json").read_text())["ranks"]]
    summary = json.loads(pathlib.Path(directory, "summary.json").read_text())
    found.update({key: summary[key] for key in ("energy", "max_pressure_pa", "max_surface_height_m")})
    return found


def main():
    options = arguments()
    random.seed(options.seed)
    options.agwave = options.agwave.resolve()
    with tempfile.TemporaryDirectory(prefix="agwave-kills-") as folder:
        os.chdir(folder)
        pathlib.Path("case.yaml").write_text(CASE)
        campaign = Campaign(options)
        campaign.unbroken()
        wanted = contents("unbroken")
        print(f"unbroken run of {campaign.end:g} s on {options.ranks} ranks: {campaign.duration:.1f} s", flush=True)
        kills = before_first = 0
        while kills < options.kills:
            shutil.rmtree("out", ignore_errors=True)
            moment = random.uniform(0, campaign.duration)
            at = campaign.kill_once("out", moment)
            if at is None:
                continue
            kills += 1
            before_first += at == ""
            readable("out")
            campaign.finish("out")
            found = contents("out")
            different = [key for key in wanted if found[key] != wanted[key]]
            print(f"kill {kills} after {moment:.2f} s, newest checkpoint {at or 'none'}: {'equal' if not different else different}", flush=True)
            if different:
                sys.exit(1)
        print(f"{kills} kills, {before_first} of them before the first checkpoint: all ended bitwise equal to the unbroken run")
        os.chdir("/")


if __name__ == "__main__":
    main()
