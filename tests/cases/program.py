# SPDX-License-Identifier: Apache-2.0
"""What the tests of the program share: how it is called, on how many ranks, and that they are skipped where Python lacks a package."""
import importlib.util
import os
import resource
import subprocess
import sys

ENVIRONMENT = dict(os.environ, OMP_NUM_THREADS="1", OMPI_ALLOW_RUN_AS_ROOT="1", OMPI_ALLOW_RUN_AS_ROOT_CONFIRM="1",
                   OMPI_MCA_rmaps_base_oversubscribe="1", AGWAVE_SHARE_GPUS="1")


def need(*packages):
    for name in packages:
        if importlib.util.find_spec(name) is None:
            print(f"skipped: no module named {name}; pip install -r scripts/requirements.txt")
            sys.exit(77)


def disk_of(size):
    """For subprocess.run: a program that can write no file of more bytes, as where a disk is full."""
    return {"preexec_fn": lambda: resource.setrlimit(resource.RLIMIT_FSIZE, (size, size))}


def command(*args, ranks=1):
    return (["mpiexec", "-n", str(ranks)] if ranks > 1 else []) + [sys.argv[1], *map(str, args)]


def call(*args, ranks=1, code=0):
    """What the program wrote, stdout and stderr."""
    done = subprocess.run(command(*args, ranks=ranks), capture_output=True, text=True, env=ENVIRONMENT, timeout=300)
    assert done.returncode == code, f"{args}: exit code {done.returncode}, not {code}: {done.stdout}{done.stderr}"
    return done.stdout, done.stderr
