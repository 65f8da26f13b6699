# SPDX-License-Identifier: Apache-2.0
"""What the rows are made of: a small case, edits of it, and files beside it. Lines are numbered from 1, as messages number them."""
import pathlib
import subprocess
import sys

from bad_input.netcdf import classic, nodes

AGWAVE = str(pathlib.Path(sys.argv[1]).resolve())
ROWS = []

BASE = """\
title: base
domain:
  size: [8000.0, 6000.0]
  bathymetry: {type: flat, depth: 1000.0}
mesh: {elements: [2, 2, 1]}
boundary: {west: rigid, east: rigid, south: rigid, north: rigid}
sources:
  - shape: {type: gaussian, center: [4000, 3000], radius: [1000, 1000]}
    ramp: {type: smoothstep, duration: 2}
time: {end: 1.0}
sensors:
  interval: 0.5
  seafloor:
    - {name: A, x: 1000, y: 1000}
    - {name: B, x: 7000, y: 5000}
output: {directory: out}
solver: {device: cpu}
"""


def row(name, case, code, *fragments, **options):
    """Options: args (of the program, else run case.yaml), setup(folder), ranks, needs, creates, anywhere (no file and line to name)."""
    ROWS.append((name, case, code, fragments, options))


def line(*edits):
    """The base with lines replaced: (number, text), ..."""
    lines = BASE.splitlines()
    for number, text in edits:
        lines[number - 1] = text
    return "\n".join(lines) + "\n"


def plus(text):
    return BASE + text + "\n"  # from line 18 on


def grid(value=lambda x, y: -1000.0, x=nodes(-1000, 9000, 11), y=nodes(-1000, 7000, 9), cut=None, **more):
    def make(folder):
        classic(folder / "grid.nc", x, y, value, **more)
        if cut:
            data = (folder / "grid.nc").read_bytes()
            (folder / "grid.nc").write_bytes(data[:int(cut * len(data))])
    return make


def contents(name, data):
    return lambda folder: (folder / name).write_bytes(data if isinstance(data, bytes) else data.encode())


def checkpoint(manifest):
    def make(folder):
        (folder / "old").mkdir()
        (folder / "old" / "manifest.json").write_text(manifest)
    return make


def prepared(cut=None):
    """A file that `agwave prepare` wrote for the base case with a grid."""
    def make(folder):
        grid()(folder)
        (folder / "for.yaml").write_text(GRID)
        subprocess.run([AGWAVE, "prepare", "for.yaml", "depth.h5", "--quiet"], cwd=folder, check=True)
        if cut:
            data = (folder / "depth.h5").read_bytes()
            (folder / "depth.h5").write_bytes(data[:int(cut * len(data))])
    return make


def floor(text):
    return line((4, "  bathymetry: {" + text + "}"))


GRID = floor("type: grid, file: grid.nc")
PREPARED = floor("type: prepared, file: depth.h5")
UPLIFT = line((8, "  - shape: {type: grid, file: grid.nc, variable: uplift}"))
DOME = {"name": "uplift", "value": lambda x, y: 1.0}
