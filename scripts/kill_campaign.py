#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Kills runs with SIGKILL at random moments, continues each from its newest checkpoint, and compares the end with an unbroken run, bit
for bit: traces, maps, state, energy and maxima. After every kill the files that are there must open. Lanes run side by side.

    scripts/kill_campaign.py build/cpu/agwave --kills 100 --seconds 20 --ranks 4 --lanes 6
"""
import argparse
import concurrent.futures
import json
import os
import pathlib
import random
import shutil
import signal
import subprocess
import sys
import tempfile
import threading
import time

import common  # first: says which package is missing
from arguments import count, positive, positive_or_infinite, program, whole_number

import h5py
import numpy

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


class Failed(Exception):
    pass


def arguments():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("agwave", type=program)
    parser.add_argument("--kills", type=whole_number, default=20, help="0: as many as --within has time for")
    parser.add_argument("--seconds", type=positive, default=5.0, help="how long the time loop of the unbroken run takes")
    parser.add_argument("--ranks", type=count, default=4)
    parser.add_argument("--lanes", type=count, default=1, help="how many are killed side by side")
    parser.add_argument("--within", type=positive_or_infinite, default=float("inf"), help="begin no kill that would not be through by then [s]")
    parser.add_argument("--variant", default="auto")
    parser.add_argument("--seed", type=int, default=1)
    options = parser.parse_args()
    if options.kills == 0 and options.within == float("inf"):
        parser.error("--kills 0 needs --within")
    return options


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


class Lane:
    """A folder with the case, in which one run at a time is started, killed and continued."""

    def __init__(self, options, folder, end=4.0):
        self.options, self.folder, self.end = options, folder, end
        folder.mkdir()
        (folder / "case.yaml").write_text(CASE)
        # A killed run leaves its shared memory and sockets behind: they are kept where clear() finds them.
        shared = pathlib.Path("/dev/shm")
        self.scratch = pathlib.Path(tempfile.mkdtemp(prefix="agwave-kills-", dir=shared if shared.is_dir() else None))
        self.environment = dict(os.environ, OMP_NUM_THREADS="1", OMPI_ALLOW_RUN_AS_ROOT="1", OMPI_ALLOW_RUN_AS_ROOT_CONFIRM="1",
                                OMPI_MCA_rmaps_base_oversubscribe="1", OMPI_MCA_hwloc_base_binding_policy="none",  # lanes would share the first cores
                                OMPI_MCA_btl_vader_single_copy_mechanism="none", OMPI_MCA_orte_tmpdir_base=str(self.scratch),
                                OMPI_MCA_btl_vader_backing_directory=str(self.scratch))

    def clear(self):
        for entry in self.scratch.iterdir():
            shutil.rmtree(entry, ignore_errors=True) if entry.is_dir() else entry.unlink(missing_ok=True)

    def remove(self):
        shutil.rmtree(self.scratch, ignore_errors=True)

    def checkpoints(self):
        return sorted(p.name for p in (self.folder / "out/checkpoints").glob("step_*[0-9]") if (p / "manifest.json").exists())

    def start(self):
        mpi = ["mpiexec", "-n", str(self.options.ranks)] if self.options.ranks > 1 else []
        command = mpi + [str(self.options.agwave), "run", "case.yaml", "--quiet", "--output", "out", "--variant", self.options.variant,
                         "--set", f"time.end={self.end}"] + (["--restart", "out"] if self.checkpoints() else [])
        return subprocess.Popen(command, cwd=self.folder, env=self.environment, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                                stderr=subprocess.STDOUT, text=True)

    def finish(self):
        process = self.start()
        output = process.communicate()[0]
        self.clear()
        if process.returncode != 0:
            raise Failed(f"exit code {process.returncode}: {output}")

    def kill(self, moment):
        """Starts anew and kills after `moment` seconds. Returns whether the run was still there to be killed."""
        shutil.rmtree(self.folder / "out", ignore_errors=True)
        process = self.start()
        try:
            process.wait(timeout=moment)
            process.communicate()
            return False
        except subprocess.TimeoutExpired:
            pass
        os.kill(process.pid, signal.SIGSTOP)  # so that it starts no rank after the others were listed
        for pid in reversed(descendants(process.pid)):
            try:
                os.kill(pid, signal.SIGKILL)
            except ProcessLookupError:
                pass
        process.communicate()
        self.clear()
        return True

    def readable(self):
        """Opens what the kill has left and returns the samples of traces that are there, None when there is no such file yet."""
        samples = None
        for name, array in (("sensors.h5", "pressure"), ("surface.h5", "surface_height")):
            path = self.folder / "out" / name
            if not path.exists():
                continue
            with h5py.File(path) as file:
                written = int(file["samples_written"][()])
                if not numpy.isfinite(file[array][:written]).all():
                    raise Failed(f"{name}: samples that are said to be written are missing")
                samples = written if name == "sensors.h5" else samples
        return samples

    def contents(self):
        found, out = {}, self.folder / "out"
        for name in ("sensors.h5", "surface.h5"):
            with h5py.File(out / name) as file:
                found.update({f"{name}: {key}": file[key][()].tobytes() for key in file if file[key].dtype.kind != "O"})
        newest = out / "checkpoints" / self.checkpoints()[-1]
        found["state"] = [rank["checksums"] for rank in json.loads((newest / "manifest.json").read_text())["ranks"]]
        summary = json.loads((out / "summary.json").read_text())
        found.update({key: summary[key] for key in ("energy", "max_pressure_pa", "max_surface_height_m")})
        return found


class Campaign:
    def __init__(self, options, folder):
        self.options, self.folder, self.begin, self.lock = options, folder, time.monotonic(), threading.Lock()
        self.random = random.Random(options.seed)
        self.kills = self.before_first = self.readable = 0
        self.failed = False

    def unbroken(self):
        """Scales the end of the run until it lasts as long as asked for."""
        lane = Lane(self.options, self.folder / "unbroken")
        try:
            lane.finish()
            loop = json.loads((lane.folder / "out/summary.json").read_text())["loop_s"]
            self.end = lane.end = max(2.0, round(lane.end * self.options.seconds / loop))
            shutil.rmtree(lane.folder / "out")
            start = time.monotonic()
            lane.finish()
            self.duration, self.wanted = time.monotonic() - start, lane.contents()
        finally:
            lane.remove()

    def next_kill(self):
        """Its number and moment, or None when there are enough or no time is left."""
        with self.lock:
            late = time.monotonic() - self.begin + 1.6 * self.duration > self.options.within
            if self.failed or late or 0 < self.options.kills <= self.kills:
                return None
            self.kills += 1
            return self.kills, self.random.uniform(0, self.duration)

    def work(self, number):
        lane = Lane(self.options, self.folder / f"lane{number}", self.end)
        try:
            while (drawn := self.next_kill()) is not None:
                kill, moment = drawn
                while not lane.kill(moment):  # it had ended: the unbroken run may have taken longer than this one
                    moment *= 0.9
                at, samples = lane.checkpoints()[-1:], lane.readable()
                lane.finish()
                found = lane.contents()
                different = [key for key in self.wanted if found[key] != self.wanted[key]]
                with self.lock:
                    self.before_first += not at
                    self.readable += samples is not None
                    print(f"kill {kill} after {moment:.2f} s: newest checkpoint {at[0] if at else 'none'}, samples "
                          f"{'not begun' if samples is None else samples}; continued: {'equal' if not different else different}", flush=True)
                if different:
                    raise Failed(f"kill {kill}: not equal to the unbroken run: {different}")
        except BaseException:
            self.failed = True  # the other lanes end with the kill in hand
            raise
        finally:
            lane.remove()


def main():
    options = arguments()
    with tempfile.TemporaryDirectory(prefix="agwave-kills-") as folder:
        campaign = Campaign(options, pathlib.Path(folder))
        try:
            campaign.unbroken()
            print(f"unbroken run of {common.duration(campaign.end)} on {options.ranks} ranks: {common.duration(campaign.duration)}; {options.lanes} lanes, "
                  f"seed {options.seed}", flush=True)
            with concurrent.futures.ThreadPoolExecutor(options.lanes) as pool:
                for lane in [pool.submit(campaign.work, n) for n in range(options.lanes)]:
                    lane.result()
        except Failed as failure:
            sys.exit(f"kill_campaign.py: {failure}")
    print(f"{campaign.kills} kills in {common.duration(time.monotonic() - campaign.begin)}, {campaign.before_first} before the first checkpoint, "
          f"{campaign.readable} with traces begun, all of which opened: all runs ended bitwise equal to the unbroken one")
    wanted = max(options.kills, 1)
    if campaign.kills < wanted:
        sys.exit(f"kill_campaign.py: {wanted - campaign.kills} kills fewer than asked for: no time was left")


if __name__ == "__main__":
    main()
