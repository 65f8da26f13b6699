# SPDX-License-Identifier: Apache-2.0
# ranks: 2
# label: slow
"""scripts/twin.sh --small, the whole workflow of docs/twin.md with the real program: the displacement of a kinematic fault and the surface at gauges are found
from pressure with noise, by maps of another mesh and another step; more data, a better result; intervals hold what they say; the factor in its file gives the same
again; any folder will do; maps side by side on a GPU, with programs that only write down what they are asked. Needs PROJ.   test_twin.py AGWAVE SOURCE_DIR PYTHON"""
import html.parser
import json
import os
import pathlib
import re
import subprocess
import sys
import tempfile

from program import need

need("h5py", "matplotlib", "numpy", "scipy")
import h5py  # noqa: E402
import numpy as np  # noqa: E402

agwave, source = pathlib.Path(sys.argv[1]).resolve(), pathlib.Path(sys.argv[2]).resolve()
if "PROJ" not in subprocess.run([agwave, "--version"], capture_output=True, text=True).stdout.replace("no PROJ", ""):
    print("skipped: this build has no PROJ, and the twin's places are in degrees")
    sys.exit(77)
environment = {**os.environ, "PATH": f"{pathlib.Path(sys.executable).parent}:{os.environ['PATH']}"}


def check_side_by_side(folder):
    """--full starts three ranks for each GPU under an MPS of its own, and stops it, also where the maps fail; one that is at work is left so; without, one rank."""
    folder.mkdir()
    log = folder / "log"
    programs = {"nvidia-smi": "echo 'GPU 0: made up'; echo 'GPU 1: made up'",
                "nvidia-cuda-mps-control": f"[ \"${{1:-}}\" = -d ] && word=start || word=$(cat); echo mps $word $CUDA_MPS_PIPE_DIRECTORY >>{log}\n"
                                           "[ $word != get_server_list ] || [ -n \"${BUSY:-}\" ]",
                "mpirun": f"echo mpirun $1 $2 $CUDA_MPS_PIPE_DIRECTORY $AGWAVE_SHARE_GPUS >>{log}; shift 2; exec \"$@\"",
                "agwave": f"echo agwave \"$@\" >>{log}; [ $1 != p2o ] || exit ${{FAILS:-0}}"}
    for name, text in programs.items():
        (folder / name).write_text(f"#!/usr/bin/env bash\n{text}\n")
        (folder / name).chmod(0o755)
    (folder / "grid").touch()

    def lines(*words, **variables):
        log.unlink(missing_ok=True)
        done = subprocess.run(["bash", source / "scripts/twin.sh", "--bathymetry", folder / "grid", "--agwave", folder / "agwave", "--output", folder / "out", *words],
                              capture_output=True, text=True, env={**environment, "PATH": f"{folder}:{environment['PATH']}", "CUDA_VISIBLE_DEVICES": "", **variables})
        assert done.returncode, "there are no maps to infer from"
        return done.stdout, log.read_text().splitlines()

    for variables in ({}, {"FAILS": "4"}):
        out, ran = lines("--full", **variables)
        assert ran[2] == "mps get_server_list" and ran[3].startswith("mps start /"), ran
        pipes = ran[3].split()[2]
        assert ran[4] == f"mpirun -n 6 {pipes} 1" and ran[5].startswith("agwave p2o") and "--set parallel.group=1" in ran[5] and ran[6:] == [f"mps quit {pipes}"], ran
        assert "3 groups of one rank on each GPU, 2 in all" in out and "MPS stopped" in out and not pathlib.Path(pipes).exists(), out
        assert ("== inference" in out) == (not variables)
    out, ran = lines("--full", "--share", "2", BUSY="1", CUDA_VISIBLE_DEVICES="1")
    assert ran[2:4] == ["mps get_server_list", "mpirun -n 2 1"] and len(ran) == 5 and "it is used and left as it is" in out, (out, ran)
    for words in (("--full", "--share", "1"), ()):
        assert [line.split()[:2] for line in lines(*words)[1]] == [["agwave", "run"], ["agwave", "run"], ["agwave", "p2o"]], words
    (folder / "nvidia-smi").write_text("#!/bin/sh\n")
    log.write_text("")
    done = subprocess.run(["bash", source / "scripts/twin.sh", "--small", "--share", "2", "--agwave", folder / "agwave", "--output", folder / "early"],
                          capture_output=True, text=True, env={**environment, "PATH": f"{folder}:{environment['PATH']}", "CUDA_VISIBLE_DEVICES": ""})
    assert done.returncode == 2 and "--share 2: there is no GPU that nvidia-smi lists" in done.stderr, done.stderr
    assert not log.read_text() and not (folder / "early").exists(), "what cannot be is told after the events have run"
    out, ran = lines("--full")
    assert "maps one after the other: there is no GPU that nvidia-smi lists" in out and len(ran) == 3, (out, ran)


def check_page(path):
    text = path.read_text(encoding="utf-8")
    heads = re.findall("<h2[^>]*>(.*?)</h2>", text)
    assert heads == ["Errors and coverage", "Forecast at each gauge, off by", "Displacement of the floor", "Data and fit", "Forecast of the sea surface",
                     "Prior and noise"], heads
    links = []

    class Page(html.parser.HTMLParser):
        def handle_starttag(self, tag, attrs):
            links.extend(value for key, value in attrs if key in ("src", "href"))

    Page().feed(text)
    assert len(links) == 3 and all(link.startswith("data:image/png;base64,") for link in links), "the page needs other files"


def check_figures(twin):
    windows = twin["windows"]
    first, last = windows[0], windows[-1]
    assert twin["sensors"] == 20 and twin["gauges"] == 7 and last["window_s"] == 180
    assert twin["uplift_observed"] > 0.5, "the event is not where sensors are"
    assert last["displacement_error"] < 0.4, last
    assert last["forecast_error"] < 0.2, last
    assert 0.85 <= last["coverage"] <= 1 and last["width_over_peak"] < 0.5, last
    assert first["displacement_error"] > 1.5 * last["displacement_error"] and first["forecast_error"] > 1.5 * last["forecast_error"], "data teach nothing"
    assert twin["online_s"] < 1


def check_cause(work):
    """With the event's pressure at other sensors' names nothing is found: the figures above come from the data."""
    with h5py.File(work / "event" / "sensors.h5", "r+") as file:
        file["pressure"][:] = file["pressure"][:][:, ::-1]
    run = lambda *words: subprocess.run([sys.executable, *map(str, words)], cwd=source, env=environment, check=True, capture_output=True, text=True).stdout
    out = run("scripts/infer.py", work / "p2o/maps.h5", "--data", work / "event", "--add-noise", "1", "--factor", work / "factor.h5", "-o", work / "mixed.h5", "--prior", work / "prior.json",
              "--interval", "2", "--windows", "30,60,120,180")
    assert "read in" in out, "the factor was made again"
    run("scripts/twin_report.py", work / "mixed.h5", "--truth", work / "event", "--json", work / "mixed.json", "-o", work / "mixed.html")
    assert json.loads((work / "mixed.json").read_text())["windows"][-1]["displacement_error"] > 0.6


with tempfile.TemporaryDirectory() as folder:
    check_side_by_side(pathlib.Path(folder) / "side_by_side")
    work = pathlib.Path(folder) / "a, b: it's a twin"  # as YAML would not take it
    done = subprocess.run(["bash", source / "scripts/twin.sh", "--small", "--agwave", agwave, "--output", work], capture_output=True, text=True, env=environment)
    assert done.returncode == 0, done.stdout + done.stderr
    print(done.stdout[-2500:])
    check_page(work / "event.html")
    check_figures(json.loads((work / "event.json").read_text()))
    with h5py.File(work / "event.h5") as file:
        assert np.isfinite(file["velocity"][:]).all()
    with h5py.File(work / "event/sensors.h5") as event, h5py.File(work / "p2o/maps.h5") as maps:
        assert float(event.attrs["dt"]) != float(maps.attrs["step"]), "the inversion is tested on its own model"
        assert maps.attrs["reciprocity_error"] < 1e-9 and maps.attrs["step"] == 0.25, "two steps to an interval"
    assert done.stdout.count("offline:") == 1 and "factor.h5, read in" in done.stdout, "the other event did not take the factor as it is"
    before, after = map(int, re.search(r"fit of the prior: log evidence (-?\d+) -> (-?\d+) ", done.stdout).groups())
    assert after >= before and done.stdout.count("fit of the prior") == 1, "the prior is that of the first event"
    assert json.loads((work / "event_west.json").read_text())["windows"][-1]["displacement_error"] < 0.5
    check_cause(work)
    assert subprocess.run(["bash", source / "scripts/twin.sh", "--ful"], capture_output=True).returncode == 2
print("passed")
