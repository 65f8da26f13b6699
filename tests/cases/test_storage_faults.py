#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
# ranks: 2
# label: slow
"""Disks that fail under a run, by a library put before libc (storage_fault.c): exit 5 and a message that names the file, the system's
reason and the last good checkpoint; what was written before stays readable, and the run can be continued to the same bits.

    test_storage_faults.py AGWAVE SOURCE_DIR PYTHON
"""
import errno
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile
import time

from program import need

need("h5py", "numpy")
import h5py  # noqa: E402
import numpy as np  # noqa: E402

AGWAVE, SOURCE = sys.argv[1], pathlib.Path(sys.argv[2])
COMPILER = shutil.which("cc") or shutil.which("gcc")
if not COMPILER:
    print("skipped: no C compiler")
    sys.exit(77)

CASE = """\
title: faults
domain:
  size: [24000, 18000]
  bathymetry: {type: flat, depth: 2000}
mesh: {elements: [8, 6, 2]}
sources:
  - shape: {type: gaussian, center: [12000, 8000], radius: [4000, 3500]}
    ramp: {type: smoothstep, duration: 2}
time: {end: 6}
sensors:
  interval: 0.02
  seafloor: {grid: {counts: [3, 3], margin: 1000}}
output: {directory: out, surface_interval: 1, checkpoint_interval: 2}
solver: {device: cpu}
"""
# An address sanitizer would have its library loaded before ours: it may come after, ours calls what it has put before libc.
ENVIRONMENT = dict(os.environ, OMP_NUM_THREADS="1", ASAN_OPTIONS=os.environ.get("ASAN_OPTIONS", "") + ":verify_asan_link_order=0")

# Name, file that fails, call, bytes it takes before that, error, what the message says, whether a checkpoint was written before.
FAULTS = [
    ("disk full in the second checkpoint", "rank_000000", "write", 400000, errno.ENOSPC, ["rank_000000.h5", "No space left on device"], True),
    ("disk full in the first checkpoint", "rank_000000", "write", 50000, errno.ENOSPC, ["rank_000000.h5", "No space left on device"], False),
    ("quota exceeded in the traces", "sensors.h5", "write", 75000, errno.EDQUOT, ["sensors.h5", "Disk quota exceeded"], None),
    ("quota exceeded in the maps", "surface.h5", "write", 25000, errno.EDQUOT, ["surface.h5", "Disk quota exceeded"], None),
    ("no room for the traces", "sensors.h5", "write", 100, errno.ENOSPC, ["sensors.h5", "No space left on device"], None),
    ("gone read-only: manifest", "manifest.json", "open", 0, errno.EROFS, ["manifest.json", "Read-only file system"], False),
    ("cannot flush a checkpoint", "rank_000000", "fsync", 0, errno.EIO, ["rank_000000.h5", "Input/output error"], False),
    ("read-only at the end", "summary.json", "open", 0, errno.EROFS, ["summary.json", "Read-only file system"], True),
]


def run(*args, code=0, launch=(), **environment):
    done = subprocess.run([*launch, AGWAVE, "run", "case.yaml", "--quiet", *args], capture_output=True, text=True, env=dict(ENVIRONMENT, **environment), timeout=60)
    assert done.returncode == code, f"exit code {done.returncode}, not {code}: {done.stderr}"
    assert "HDF5-DIAG" not in done.stderr and "terminate called" not in done.stderr, done.stderr
    return done.stderr


def pressure(directory):
    with h5py.File(f"{directory}/sensors.h5") as f:
        return f["pressure"][:], int(f["samples_written"][()])


def main():
    run("--output", "whole")
    whole, samples = pressure("whole")
    for name, path, call, after, number, words, checkpoint in FAULTS:
        shutil.rmtree("out", ignore_errors=True)
        text = run(code=5, LD_PRELOAD=f"{os.getcwd()}/fault.so", FAULT_PATH=path, FAULT_CALL=call, FAULT_AFTER=str(after), FAULT_ERRNO=str(number))
        for word in words:
            assert word in text, f"{name}: '{word}' not in: {text}"
        kept = sorted(pathlib.Path("out/checkpoints").glob("step_*"))
        assert not [p for p in pathlib.Path("out").rglob("*.part")], f"{name}: leaves half a file"
        if checkpoint is not None:
            assert bool(kept) == checkpoint and all((k / "manifest.json").exists() for k in kept), f"{name}: {kept}"
        if kept:
            assert f"--restart {kept[-1]}" in text, f"{name}: the last checkpoint is not offered: {text}"
        if pathlib.Path("out/sensors.h5").exists():
            part, written = pressure("out")
            assert part[:written].tobytes() == whole[:written].tobytes(), f"{name}: the traces before the fault are lost"
        if kept:
            run("--restart", "out")
            again, written = pressure("out")
            assert written == samples and again.tobytes() == whole.tobytes(), f"{name}: continued to other bits"
        print(f"{name}: {text.strip().splitlines()[0]}", flush=True)

    # A disk with less than a megabyte left, as by a quota: what is missing is told, not that 0 GB are.
    shutil.rmtree("out", ignore_errors=True)
    text = run(code=5, LD_PRELOAD=f"{os.getcwd()}/fault.so", FAULT_CALL="statvfs", FAULT_AFTER="20000")
    needed, free = (float(found) for found in re.search(r"traces and maps need (\S+) GB, and (\S+) GB are free", text).groups())
    assert 0 < free == 2e-5 < needed < 1e-3, text
    print(f"a small disk: {text.strip()}")

    if mpiexec := shutil.which("mpiexec"):  # the others do not wait for the rank that cannot write
        for after in 0, 100000:
            shutil.rmtree("out", ignore_errors=True)
            text = run("--set", "mesh.elements=[16, 6, 2]", code=5, launch=(mpiexec, "-n", "2"), LD_PRELOAD=f"{os.getcwd()}/fault.so", FAULT_PATH="rank_000001",
                       FAULT_AFTER=str(after), FAULT_ERRNO=str(errno.ENOSPC))
            assert "rank_000001.h5" in text and "No space left on device" in text, text
        print("disk full on one of two ranks: " + text.strip().splitlines()[0])

    shutil.rmtree("out", ignore_errors=True)
    process = subprocess.Popen([AGWAVE, "run", "case.yaml", "--quiet", "--set", "time.end=2000"], stderr=subprocess.PIPE, text=True, env=ENVIRONMENT)
    while not pathlib.Path("out/progress.json").exists() and process.poll() is None:
        time.sleep(0.02)
    shutil.rmtree("out", ignore_errors=True)
    text = process.communicate(timeout=30)[1]
    assert process.returncode == 5 and "out/" in text, f"directory removed: {process.returncode}: {text}"
    print(f"directory removed: {text.strip().splitlines()[-1]}")


with tempfile.TemporaryDirectory(prefix="agwave-faults-") as folder:
    subprocess.run([COMPILER, "-shared", "-fPIC", "-O1", str(SOURCE / "tests/cases/storage_fault.c"), "-o", f"{folder}/fault.so", "-ldl"], check=True)
    os.chdir(folder)
    pathlib.Path("case.yaml").write_text(CASE)
    main()
    os.chdir("/")
