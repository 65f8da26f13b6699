#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
# ranks: 2
# label: slow
"""Broken command lines, case files and input files through the real program, as tables (bad_input/).

For each row: the exit code, what the message says (file, line and key; what was found; what to do), that it is one message
without a stack trace, that nothing was written, and that it came at once.

    test_bad_input.py AGWAVE SOURCE_DIR PYTHON [NAME ...]      names: only these rows, with their messages
"""
import concurrent.futures
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile
import threading
import time

from bad_input import command_line, faults, floors, geoclaw, grids, keys, outputs_and_ranks, sound, times_and_sensors  # noqa: F401
from bad_input.table import AGWAVE, ROWS, contents

ONLY = sys.argv[4:]
CPU_LIMIT = 1.0 * float(os.environ.get("AGWAVE_TEST_SLOWDOWN", "1"))  # [s] per rank, above what any row needs: 0.5 s; with sanitizers 20 s
NOISE = ("terminate called", "what():", "Traceback", "Segmentation", "signal", "Assertion", "HDF5-DIAG", "unexpected failure")


def snapshot(folder):
    return {str(p.relative_to(folder)): p.stat().st_mtime_ns if p.is_file() else 0 for p in folder.rglob("*")}


def missing_needs():
    info = subprocess.run([AGWAVE, "info"], capture_output=True, text=True, check=True).stdout
    missing = set()
    device = "compute capability" in info.split("variants")[0]
    missing.add("netCDF" if "netCDF off" in info else "no netCDF")
    missing.add("PROJ" if "PROJ off" in info else "no PROJ")
    missing.add("CUDA build" if "CUDA off" in info else "no CUDA build")
    if device:
        missing.add("no device")
    if device or "CUDA off" in info:
        missing.add("CUDA build without device")
    memory = pathlib.Path("/proc/meminfo").read_text().split("MemAvailable:")[1].split()[0]
    if int(memory) > 1e8:  # kB
        missing.add("less than 100 GB")
    if os.geteuid() == 0:
        missing.add("not root")
    return missing


def launcher(ranks):
    mpiexec = shutil.which("mpiexec") or shutil.which("mpirun")
    return [mpiexec, "-n", str(ranks)] if mpiexec else None


def execute(command, folder):
    """Exit code (-9 after 60 s), standard output, standard error, CPU time [s] with that of children."""
    with tempfile.TemporaryFile("w+", errors="replace") as out, tempfile.TemporaryFile("w+", errors="replace") as err:
        process = subprocess.Popen(command, cwd=folder, stdin=subprocess.DEVNULL, stdout=out, stderr=err)
        timer = threading.Timer(60, process.kill)
        timer.start()
        _, status, usage = os.wait4(process.pid, 0)
        timer.cancel()
        process.returncode = os.waitstatus_to_exitcode(status)
        out.seek(0)
        err.seek(0)
        return process.returncode, out.read(), err.read(), usage.ru_utime + usage.ru_stime


def check(case, code, fragments, options, folder):
    """What is wrong with the row's outcome, and its message and CPU time."""
    if case is not None:
        contents("case.yaml", case)(folder)
    if "setup" in options:
        options["setup"](folder)
    before, ranks = snapshot(folder), options.get("ranks", 1)
    process_code, out, err, cpu = execute((launcher(ranks) if ranks > 1 else []) + [AGWAVE] + options.get("args", ["run", "case.yaml"]), folder)
    wrong = []
    if process_code != code:
        wrong.append(f"exit code {process_code}, not {code}")
    for fragment in fragments:
        if fragment not in err + out:
            wrong.append(f"the message does not say '{fragment}'")
    if code in (2, 3) and case is not None and not options.get("anywhere") and not re.search(r"[\w.]+:\d+: |--\w+", err):
        wrong.append("the message names neither a file and line nor an option")
    own = err.split("-----")[0] if ranks > 1 else err  # mpiexec adds words of its own below a rule
    wrong += [f"the message contains '{noise}'" for noise in NOISE if noise in own]
    if err.count("agwave: ") > 1:
        wrong.append("more than one rank speaks")
    for name in options.get("creates", []):  # an empty folder
        (folder / name).rmdir()
    if snapshot(folder) != before:
        wrong.append(f"files changed: {sorted(set(snapshot(folder).items()) ^ set(before.items()))}")
    if cpu > CPU_LIMIT * ranks:
        wrong.append(f"took {cpu:.1f} s of CPU time")
    return wrong, out + err, cpu


def main():
    os.environ.update({"OMP_NUM_THREADS": "1", "OMPI_ALLOW_RUN_AS_ROOT": "1", "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM": "1",
                       "OMPI_MCA_rmaps_base_oversubscribe": "1"})
    missing, start = missing_needs(), time.monotonic()
    rows = [r for r in ROWS if not ONLY or r[0] in ONLY]
    skipped = [r[0] for r in rows if r[4].get("needs") in missing or (r[4].get("ranks", 1) > 1 and not launcher(2))]

    def outcome(entry):
        with tempfile.TemporaryDirectory(prefix="agwave_bad_") as folder:
            return entry[0], *check(*entry[1:], pathlib.Path(folder))

    failed, slowest = 0, (0, "")
    with concurrent.futures.ThreadPoolExecutor(2) as pool:
        for name, wrong, message, cpu in pool.map(outcome, [r for r in rows if r[0] not in skipped]):
            slowest = max(slowest, (cpu, name))
            failed += bool(wrong)
            if wrong or ONLY:
                print(f"{'FAILED' if wrong else 'ok'} {name}: {'; '.join(wrong)}\n{message}", flush=True)
    print(f"{len(rows)} rows, {failed} failed, {len(skipped)} skipped {skipped or ''} in {time.monotonic() - start:.0f} s; "
          f"slowest: {slowest[1]}, {slowest[0]:.2f} s of CPU time")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
