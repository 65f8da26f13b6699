#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Broken command lines, case files and grids through the real program, as a table.

For each row: the exit code, what the message says (file, line and key; what was found; what to do), that it is one message
without a stack trace, that nothing was written, and that it came at once.

    test_bad_input.py AGWAVE SOURCE_DIR PYTHON [NAME ...]      names: only these rows, with their messages
"""
import concurrent.futures
import os
import pathlib
import shutil
import struct
import subprocess
import sys
import tempfile
import threading
import time

AGWAVE = sys.argv[1]
ONLY = sys.argv[4:]
CPU_LIMIT = 2.0  # [s] per rank, far above what any row needs: 0.1 s
NOISE = ("terminate called", "what():", "Traceback", "Segmentation", "signal", "Assertion", "HDF5-DIAG", "unexpected failure")

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


def line(*edits):
    """The base with lines replaced: (number, text), ..."""
    lines = BASE.splitlines()
    for number, text in edits:
        lines[number - 1] = text
    return "\n".join(lines) + "\n"


def plus(text):
    return BASE + text + "\n"  # from line 18 on


# ---- small netCDF files, classic format ------------------------------------------------------------------------------------

def classic(path, x, y, value, name="elevation", units="m", axes=("x", "y"), axis_units=("m", "m")):
    """name(y, x) with its axes; every value a double, so nothing needs padding but names."""
    def word(text):
        raw = text.encode()
        return struct.pack(">i", len(raw)) + raw + b"\0" * (-len(raw) % 4)

    data = [value(a, b) for b in y for a in x]
    variables = [(axes[1], [0], axis_units[1], list(y)), (axes[0], [1], axis_units[0], list(x)), (name, [0, 1], units, data)]

    def header(begins):
        out = b"CDF\x01" + struct.pack(">iii", 0, 10, 2)
        out += word(axes[1]) + struct.pack(">i", len(y)) + word(axes[0]) + struct.pack(">i", len(x))
        out += struct.pack(">iiii", 0, 0, 11, len(variables))
        for (label, dims, unit, data), begin in zip(variables, begins):
            attribute = struct.pack(">ii", 12, 1) + word("units") + struct.pack(">i", 2) + word(unit)
            out += word(label) + struct.pack(">i", len(dims)) + b"".join(struct.pack(">i", d) for d in dims) + attribute
            out += struct.pack(">iii", 6, 8 * len(data), begin)
        return out

    begins, at = [], len(header([0] * len(variables)))
    for variable in variables:
        begins.append(at)
        at += 8 * len(variable[3])
    path.write_bytes(header(begins) + b"".join(struct.pack(f">{len(v[3])}d", *v[3]) for v in variables))


def nodes(start, end, count):
    return [start + (end - start) * i / (count - 1) for i in range(count)]


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

# ---- the table: name, case file (or None), exit code, fragments; options: args, setup, ranks, needs -----------------------------

ROWS = []


def row(name, case, code, *fragments, **options):
    ROWS.append((name, case, code, fragments, options))


# The command line
row("no_subcommand", None, 2, "subcommand", args=[])
row("unknown_subcommand", None, 2, "'walk' is no subcommand", "known: run, check, prepare", args=["walk", "case.yaml"])
row("near_subcommand", None, 2, "did you mean 'check'?", args=["chek", "case.yaml"])
row("no_case", None, 2, "case", args=["run"])
row("missing_case", None, 2, "nowhere.yaml", "configs/", args=["run", "nowhere.yaml"])
row("case_is_directory", None, 2, "cannot be read as a case file", args=["run", "."])
row("two_cases", BASE, 2, "other.yaml", args=["run", "case.yaml", "other.yaml"])
row("unknown_option", BASE, 2, "--fast", args=["run", "case.yaml", "--fast"])
row("device_gpu", BASE, 2, "--device", "gpu", "cuda", args=["run", "case.yaml", "--device", "gpu"])
row("option_variant", BASE, 2, "--variant", "warp9", "known: auto", "reference", args=["run", "case.yaml", "--variant", "warp9"])
row("restart", BASE, 3, "--restart: out holds no whole checkpoint", "checkpoints/step_", args=["run", "case.yaml", "--restart", "out"])
row("restart_is_file", BASE, 3, "--restart: case.yaml holds no whole checkpoint", args=["run", "case.yaml", "--restart", "case.yaml"])
row("restart_nowhere", BASE, 3, "--restart: gone holds no whole checkpoint", args=["run", "case.yaml", "--restart", "gone"])
RESTART = ["run", "case.yaml", "--restart", "old"]
row("restart_empty_manifest", BASE, 3, "old/manifest.json", "no older checkpoint", args=RESTART, setup=checkpoint(""))
row("restart_not_json", BASE, 3, "old/manifest.json: is damaged", args=RESTART, setup=checkpoint("mesh: 3"))
row("restart_other_json", BASE, 3, "old/manifest.json: is damaged", args=RESTART, setup=checkpoint("[1, 2]"))
row("restart_no_checksum", BASE, 3, "old/manifest.json: is damaged", args=RESTART, setup=checkpoint('{"format": 1}'))
row("restart_wrong_checksum", BASE, 3, "old/manifest.json: is damaged: its checksum", args=RESTART, setup=checkpoint('{"format": 1, "checksum": "0"}'))
row("restart_other_format", BASE, 3, "has format 99", "reads format 1", "with the version that wrote it, \"7.0\"", args=RESTART,
    setup=checkpoint('{"format": 99, "agwave_version": "7.0"}'))
row("restart_deep_json", BASE, 3, "old/manifest.json", args=RESTART, setup=checkpoint("[" * 100000))
row("set_without_value", BASE, 2, "--set", "time.end", args=["run", "case.yaml", "--set", "time.end"])
row("set_unknown_key", BASE, 2, "time.ende", "did you mean", args=["run", "case.yaml", "--set", "time.ende=3"])
row("set_wrong_type", BASE, 2, "--set", "mesh.elements", "expected", args=["run", "case.yaml", "--set", "mesh.elements=many"])
row("set_syntax", BASE, 2, "--set", args=["run", "case.yaml", "--set", "mesh={elements: [1, 2"])
row("set_into_list", BASE, 2, "sources", args=["run", "case.yaml", "--set", "sources.amplitude=3"])
row("prepare_no_file", BASE, 2, "file", args=["prepare", "case.yaml"])
row("prepare_again", floor("type: prepared, file: old.h5"), 2, "case.yaml:4", "prepare", args=["prepare", "case.yaml", "new.h5"])
row("prepare_no_folder", GRID, 5, "none/depth.h5", args=["prepare", "case.yaml", "none/depth.h5"], setup=grid(), needs="netCDF")
row("bench_elements", None, 2, "--elements", "8x8", "NXxNYxNZ", args=["bench", "--elements", "8x8"])
row("bench_no_elements", None, 2, "--elements", "0x8x8", args=["bench", "--elements", "0x8x8"])
row("bench_order", None, 2, "--order", args=["bench", "--order", "2"])
row("bench_variant", None, 2, "--variant", "warp9", args=["bench", "--device", "cpu", "--variant", "warp9"])
row("bench_steps", None, 2, "--steps", args=["bench", "--steps", "0"])

row("variant_needs_device", BASE, 6, "fused-pa runs on cuda", "no CUDA device", args=["run", "case.yaml", "--device", "auto", "--variant", "fused-pa"],
    needs="CUDA build without device")
row("variant_elsewhere", BASE, 2, "fused-pa runs on cuda", "on cpu", args=["run", "case.yaml", "--variant", "fused-pa"], needs="CUDA build")
row("variant_not_built", BASE, 2, "unknown variant 'fused-pa'", "AGWAVE_CUDA", args=["run", "case.yaml", "--device", "auto", "--variant", "fused-pa"],
    needs="no CUDA build")

# Text that is no case
row("latin1", BASE.replace("base", "S\xe9isme").encode("latin-1"), 2, "case.yaml:1: not UTF-8", "0xE9", "iconv")
row("half_character", (BASE + "title2: \u03c9").encode()[:-1], 2, "case.yaml:18: not UTF-8")
row("set_latin1", BASE, 2, "--set", "not UTF-8", args=["run", "case.yaml", "--set", b"title=S\xe9isme"])
row("empty", "", 2, "case.yaml:1", "found nothing")
row("binary", b"\x7fELF\x02\x01\x01\0\0\0\0\xff\xfe\x80" * 50, 2, "case.yaml")
row("nul_byte", BASE.encode().replace(b"flat", b"fl\0t"), 2, "case.yaml")
row("open_bracket", plus("ocean: {density: 1025"), 2, "case.yaml:1", "YAML syntax")
row("tabs", plus("ocean:\n\tdensity: 1025"), 2, "case.yaml:19", "YAML syntax")
row("deep_nesting", plus("title2: " + "[" * 20000), 2, "case.yaml:1", "YAML syntax")
row("self_alias", plus("parallel: &a [*a]"), 2, "case.yaml:18")
row("json_output", '{"case": 3}', 2, "case.yaml:1", "case", "unknown key")
row("all_at_once", line((4, "  bathymetry: {type: flat, depth: -1000}"), (5, "mesh: {elements: [2, 0, 1]}"), (10, "time: {ende: 1}")), 2,
    "case.yaml:4: domain.bathymetry.depth", "case.yaml:5: mesh.elements[1]", "case.yaml:10: time.ende", "did you mean 'end'?", "time.end: missing")

# Keys, types, ranges
row("unknown_key", plus("ocean:\n  densty: 1025"), 2, "case.yaml:19: ocean.densty: unknown key", "did you mean 'density'?")
row("unknown_section", plus("oceans: {density: 1025}"), 2, "case.yaml:18: oceans: unknown key", "did you mean 'ocean'?")
row("duplicate_key", plus("title: again"), 2, "case.yaml:18: title: duplicate key", "line 1")
row("missing_domain", "mesh: {elements: [2, 2, 1]}\ntime: {end: 1}\n", 2, "case.yaml:1: domain: missing")
row("word_for_number", plus("ocean: {density: heavy}"), 2, "case.yaml:18: ocean.density: expected a number; found 'heavy'")
row("not_a_number", floor("type: flat, depth: .nan"), 2, "case.yaml:4: domain.bathymetry.depth: not a number")
row("infinite_end", line((10, "time: {end: .inf}")), 2, "case.yaml:10: time.end: not finite")
row("depth_upward", floor("type: flat, depth: -4000"), 2, "case.yaml:4: domain.bathymetry.depth: out of range; found -4000", "give 4000")
row("speed_in_km", plus("ocean: {sound_speed: 1.5}"), 2, "case.yaml:18: ocean.sound_speed", "give m/s (1500)")
row("zero_elements", line((5, "mesh: {elements: [2, 2, 0]}")), 2, "case.yaml:5: mesh.elements[2]: out of range; found 0")
row("negative_elements", line((5, "mesh: {elements: [-2, 2, 1]}")), 2, "case.yaml:5: mesh.elements[0]")
row("half_element", line((5, "mesh: {elements: [2.5, 2, 1]}")), 2, "case.yaml:5: mesh.elements[0]: expected an integer; found 2.5")
row("too_many_dofs", line((5, "mesh: {elements: [1000000, 1000000, 1000000]}")), 2, "case.yaml:5: mesh.elements: too many unknowns")
row("too_many_nodes", line((5, "mesh: {elements: [4000, 4000, 10]}")), 2, "case.yaml:5", "pressure nodes on one rank", "use more ranks")
row("layers", line((5, "mesh: {elements: [2, 2, 2], layers: [0, 0.7, 0.6]}")), 2, "case.yaml:5: mesh.layers")
row("order_two", line((5, "mesh: {elements: [2, 2, 1], order: 2}")), 2, "case.yaml:5: mesh.order", "allowed: 1, 4")
row("zero_size", line((3, "  size: [0, 6000]")), 2, "case.yaml:3: domain.size[0]")
row("size_and_lonlat", line((3, "  size: [8000, 6000]\n  lonlat: {lon: [1, 2], lat: [3, 4]}")), 2, "case.yaml:2: domain", "exactly one")
row("wall_choice", line((6, "boundary: {west: absorbing, east: ridgid}")), 2, "case.yaml:6: boundary.east", "did you mean 'rigid'?")
row("quadrature", line((17, "solver: {device: cpu, quadrature: 6}")), 2, "case.yaml:17: solver.quadrature", "allowed: 4, 5")
row("exchange", line((17, "solver: {device: cpu, exchange: pigeon}")), 2, "case.yaml:17: solver.exchange")
row("exchange_nccl", line((17, "solver: {device: cpu, exchange: nccl}")), 2, "case.yaml:17: solver.exchange: nccl moves data between GPUs", "use auto")
row("variant", line((17, "solver: {device: cpu, variant: warp9}")), 2, "case.yaml:17: solver.variant: unknown variant 'warp9' on cpu", "reference")
row("memory", line((5, "mesh: {elements: [300, 300, 300]}")), 6, "not enough memory", "GB needed", "GB available", needs="less than 100 GB")
row("check_memory", line((5, "mesh: {elements: [300, 300, 300]}")), 6, "GB needed", "GB available", args=["check", "case.yaml"], needs="less than 100 GB")
row("cuda", line((17, "solver: {device: cuda}")), 6, "case.yaml:17: solver.device: cuda", "device: auto", needs="no device")
row("option_cuda", BASE, 6, "--device: cuda", args=["run", "case.yaml", "--device", "cuda"], needs="no device")

# Depths and sources that contradict themselves
row("hill_above_water", floor("type: gaussian, depth: 1000, height: 1200, center: [4e3, 3e3], radius: [1e3, 1e3]"), 2, "case.yaml:4",
    "above the sea surface")
row("shelf_below_plain", floor("type: margin, shelf_edge: 6e3, shelf_depth: 5000"), 2, "case.yaml:4: domain.bathymetry.shelf_depth")
row("no_ramp", line((9, "    amplitude: 2")), 2, "case.yaml:8: sources[0]", "ramp")
row("ramp_duration", line((9, "    ramp: {type: smoothstep, duration: 0}")), 2, "case.yaml:9: sources[0].ramp.duration")
row("ramp_begun", line((9, "    ramp: {type: smoothstep, start: -10, duration: 20}")), 2, "case.yaml:9: sources[0].ramp.start", "before t = 0", "start: 0")
row("ramp_over", line((9, "    ramp: {type: cosine, start: -10, duration: 2}")), 2, "case.yaml:9: sources[0].ramp.start", "before t = 0")
row("ramp_centre", line((9, "    ramp: {type: gaussian, center: 0, sigma: 2}")), 2, "case.yaml:9: sources[0].ramp.center", "7.04 sigma", "give center: 14.07")
row("radius", line((8, "  - shape: {type: gaussian, center: [4000, 3000], radius: [-1000, 1000]}")), 2, "case.yaml:8: sources[0].shape.radius[0]")
row("source_lonlat", line((8, "  - shape: {type: gaussian, center: {lon: 3, lat: 4}, radius: [1000, 1000]}")), 2, "case.yaml:8", "lonlat")

# Time
row("step_unstable", line((10, "time: {end: 1.0, step: 0.5}")), 2, "case.yaml:10: time.step: 0.5 s is unstable",
    "largest stable step is 0.", "step: auto")
row("step_not_dividing", line((10, "time: {end: 1.0, step: 0.03}")), 2, "case.yaml:10: time.step", "0.03 s", "sensors.interval")
row("end_not_multiple", line((10, "time: {end: 1.2}")), 2, "case.yaml:10: time.end", "sensors.interval", "multiples of 0.5 s")
row("negative_end", line((10, "time: {end: -1}")), 2, "case.yaml:10: time.end: out of range", "forward")
row("too_many_samples", line((10, "time: {end: 1e8}"), (12, "  interval: 1e-6")), 2, "case.yaml:10: time.end: too many samples; found 100000000000000")
row("checkpoint_interval", line((16, "output: {directory: out, checkpoint_interval: 0.7}")), 2, "case.yaml:16: output.checkpoint_interval", "sensors.interval")
row("negative_checkpoint_interval", line((16, "output: {directory: out, checkpoint_interval: -1}")), 2, "case.yaml:16: output.checkpoint_interval", "sign")
row("safety", line((10, "time: {end: 1.0, safety: 1.5}")), 2, "case.yaml:10: time.safety: out of range; found 1.5")
row("surface_interval", line((16, "output: {directory: out, surface_interval: 0.7}")), 2, "case.yaml:16: output.surface_interval", "sensors.interval")

# Sensors
row("sensor_outside", line((15, "    - {name: B, x: 9000, y: 5000}")), 2, "case.yaml:15", "'B'", "x = 9000 m", "outside the domain", "8000")
row("two_sensors_outside", line((14, "    - {name: A, x: 1000, y: 6001}"), (15, "    - {name: B, x: 8001, y: 1}")), 2, "case.yaml:14", "case.yaml:15")
row("sensor_twice", line((15, "    - {name: A, x: 7000, y: 5000}")), 2, "case.yaml:15", "duplicate sensor name", "'A'", "case.yaml:14")
row("sensor_no_name", line((15, "    - {name: '', x: 7000, y: 5000}")), 2, "case.yaml:15", "name is empty")
row("sensor_no_interval", line((12, "  surface: []")), 2, "sensors.interval", "interval: 0.5")
row("hydrophone_above", line((15, "  hydrophones: [{name: H, x: 7000, y: 5000, z: 100}]")), 2, "case.yaml:15: sensors.hydrophones[0].z")
row("hydrophone_below", line((15, "  hydrophones: [{name: H, x: 7000, y: 5000, z: -1500}]")), 2, "case.yaml:15", "H", "z = -1500 m", "1000 m deep")
row("check_hydrophone", line((15, "  hydrophones: [{name: H, x: 7000, y: 5000, z: -1500}]")), 2, "case.yaml:15", "z = -1500 m", "1000 m deep",
    args=["check", "case.yaml"])
row("check_lid", line((6, "boundary: {surface: rigid}"), (15, "  surface: [{name: T, x: 7000, y: 5000}]")), 2, "case.yaml:15", "surface: rigid",
    args=["check", "case.yaml"])
row("two_hydrophones_below", line((15, "  hydrophones: [{name: H, x: 7000, y: 5000, z: -1500}, {name: J, x: 10, y: 10, z: -1001}]")), 2, "(H)", "(J)", "z = -1001 m")
row("sensor_grid_margin", line((13, "  seafloor: {grid: {counts: [3, 3], margin: 3500}}"), (14, ""), (15, "")), 2, "case.yaml:13", "margin of 3500 m")
row("csv_missing", line((15, "    - {file: none.csv}")), 3, "case.yaml:15", "none.csv")
row("csv_columns", line((15, "    - {file: s.csv}")), 3, "s.csv:1", "columns", setup=contents("s.csv", "station,east\nC,3\n"))
row("csv_word", line((15, "    - {file: s.csv}")), 3, "s.csv:3", setup=contents("s.csv", "name,x,y\nC,3000,2000\nD,three,2000\n"))
row("csv_short_row", line((15, "    - {file: s.csv}")), 3, "s.csv:2", "fields", setup=contents("s.csv", "name,x,y\nC,3000\n"))
row("csv_binary", line((15, "    - {file: s.csv}")), 3, "s.csv", setup=contents("s.csv", bytes(range(256))))
row("csv_outside", line((15, "    - {file: s.csv}")), 2, "s.csv:2", "outside the domain", setup=contents("s.csv", "name,x,y\nC,30000,2000\n"))

# Grids of depth and uplift
row("grid_missing", GRID, 3, "case.yaml:4: domain.bathymetry.file", "no such file", "grid.nc", needs="netCDF")
row("grid_is_directory", GRID, 3, "case.yaml:4", "not a regular file", setup=lambda f: (f / "grid.nc").mkdir(), needs="netCDF")
row("grid_empty", GRID, 3, "case.yaml:4", "grid.nc", setup=contents("grid.nc", ""), needs="netCDF")
row("grid_is_text", GRID, 3, "case.yaml:4", "grid.nc", setup=contents("grid.nc", "x y z\n1 2 3\n"), needs="netCDF")
row("grid_truncated", GRID, 3, "case.yaml:4", "grid.nc", "cut off", setup=grid(cut=0.7), needs="netCDF")
row("grid_header_cut", GRID, 3, "case.yaml:4", "grid.nc", setup=grid(cut=0.1), needs="netCDF")
row("grid_no_variable", floor("type: grid, file: grid.nc, variable: topo"), 3, "case.yaml:4", "topo", "elevation", setup=grid(), needs="netCDF")
row("grid_nan", GRID, 3, "case.yaml:4", "no value", "x = 4000 m", setup=grid(lambda x, y: float("nan") if (x, y) == (4000, 3000) else -1000),
    needs="netCDF")
row("grid_land", GRID, 3, "case.yaml:4", "land", "elevation 12 m", "min_depth", setup=grid(lambda x, y: 12 if x > 6500 else -1000), needs="netCDF")
row("grid_all_land", GRID, 3, "case.yaml:4", "no sea", setup=grid(lambda x, y: 1000.0), needs="netCDF")
row("grid_small", GRID, 3, "case.yaml:4", "does not cover the domain", "5000", "8000", setup=grid(x=nodes(0, 5000, 6)), needs="netCDF")
row("grid_in_km", GRID, 3, "case.yaml:4", "'km'", setup=grid(units="km"), needs="netCDF")
row("grid_lonlat", GRID, 3, "case.yaml:4", "lonlat", setup=grid(axes=("lon", "lat"), axis_units=("degrees_east", "degrees_north"),
    x=nodes(10, 20, 11), y=nodes(30, 40, 11)), needs="netCDF")
row("grid_axis_folds", GRID, 3, "case.yaml:4", "not monotonic", setup=grid(x=[-1000, 0, 3000, 2000, 9000]), needs="netCDF")
row("grid_one_column", GRID, 3, "case.yaml:4", "1 node", setup=grid(x=[4000]), needs="netCDF")
row("uplift_missing", UPLIFT, 3, "case.yaml:8: sources[0].shape.file", "grid.nc", needs="netCDF")
row("uplift_elsewhere", UPLIFT, 3, "case.yaml:8", "does not touch the domain", setup=grid(**DOME, x=nodes(20000, 30000, 11)), needs="netCDF")
row("uplift_nan", UPLIFT, 3, "case.yaml:8", "no value", setup=grid(name="uplift", value=lambda x, y: float("nan")), needs="netCDF")
row("uplift_no_ramp", line((8, UPLIFT.splitlines()[7]), (9, "    amplitude: 2")), 2, "case.yaml:8", "ramp", setup=grid(**DOME), needs="netCDF")

# Prepared files
row("prepared_missing", PREPARED, 3, "case.yaml:4", "no such file", "depth.h5")
row("prepared_is_text", PREPARED, 3, "case.yaml:4", "depth.h5", "agwave prepare", setup=contents("depth.h5", "hello\n"))
row("prepared_other_mesh", PREPARED.replace("[2, 2, 1]", "[3, 2, 1]"), 3, "case.yaml:4", "prepared for 2 x 2", "3 x 2",
    setup=prepared(), needs="netCDF")
row("prepared_other_order", PREPARED.replace("[2, 2, 1]", "[2, 2, 1], order: 1"), 3, "case.yaml:4", "order 4", "order 1",
    setup=prepared(), needs="netCDF")
row("prepared_other_size", PREPARED.replace("8000.0", "9000.0"), 3, "case.yaml:4", "8000 x 6000", "9000 x 6000", setup=prepared(), needs="netCDF")
row("prepared_truncated", PREPARED, 3, "case.yaml:4", "depth.h5", setup=prepared(cut=0.6), needs="netCDF")
row("prepared_is_netcdf", PREPARED, 3, "case.yaml:4", "depth.h5", setup=lambda f: (grid()(f), (f / "grid.nc").rename(f / "depth.h5")))

# Output
row("output_is_file", BASE, 5, "output.directory", "out", "--output", setup=contents("out", "I am a file"))
row("output_below_file", BASE, 5, "output.directory", args=["run", "case.yaml", "--output", "case.yaml/deep"])
row("output_read_only", BASE, 5, "out", setup=lambda f: (f / "out").mkdir(mode=0o555), needs="not root")
row("output_too_large", line((10, "time: {end: 4e7}"), (13, "  seafloor: {grid: {counts: [200, 200]}}"), (14, ""), (15, "")), 5, "out: traces and maps need",
    "GB are free", creates=["out"])
row("output_blocked", BASE, 5, "sensors.h5", setup=lambda f: (f / "out" / "sensors.h5").mkdir(parents=True))
row("output_unwritable", BASE, 5, "output.directory", "/proc", args=["run", "case.yaml", "--output", "/proc/agwave"])

# Builds without netCDF or PROJ say which option is off
row("built_without_netcdf", GRID, 3, "case.yaml:4", "AGWAVE_NETCDF", "agwave prepare", setup=contents("grid.nc", "any"), needs="no netCDF")
row("uplift_without_netcdf", UPLIFT, 3, "case.yaml:8", "AGWAVE_NETCDF", "agwave prepare", setup=contents("grid.nc", "any"), needs="no netCDF")
row("prepare_without_netcdf", GRID, 3, "case.yaml:4", "AGWAVE_NETCDF", args=["prepare", "case.yaml", "new.h5"], setup=contents("grid.nc", "any"), needs="no netCDF")
row("built_without_proj", line((3, "  lonlat: {lon: [10, 10.1], lat: [40, 40.1]}")), 2, "case.yaml:2", "AGWAVE_PROJ", needs="no PROJ")

# Several ranks: one message, from one rank, and everybody leaves
row("ranks_grid_product", plus("parallel: {grid: [3, 1, 1]}"), 2, "case.yaml:18: parallel.grid", "needs 3 ranks, but 2", ranks=2)
row("ranks_grid_elements", line((5, "mesh: {elements: [1, 2, 1]}"), (17, "solver: {device: cpu}\nparallel: {grid: [2, 1, 1]}")), 2,
    "2 ranks along x", ranks=2)
row("ranks_more_than_elements", line((5, "mesh: {elements: [1, 1, 1]}")), 2, "2 ranks", "1 x 1 x 1", "fewer ranks", ranks=2)
row("ranks_grid_alone", plus("parallel: {grid: [2, 1, 1]}"), 2, "parallel.grid", "needs 2 ranks, but 1")
row("ranks_missing_case", None, 2, "nowhere.yaml", args=["run", "nowhere.yaml"], ranks=2)
row("ranks_usage", None, 2, "--fast", args=["run", "case.yaml", "--fast"], ranks=2)
row("ranks_land", GRID, 3, "case.yaml:4", "land", setup=grid(lambda x, y: 12 if x > 6500 else -1000), ranks=2, needs="netCDF")
row("ranks_hydrophone", line((15, "  hydrophones: [{name: H, x: 7000, y: 5000, z: -1500}]")), 2, "case.yaml:15", "1000 m deep", ranks=2)
row("ranks_two_hydrophones", line((15, "  hydrophones: [{name: H, x: 7000, y: 5000, z: -1500}, {name: J, x: 10, y: 10, z: -1001}]")), 2, "(H)", "(J)", ranks=2)
row("ranks_restart", BASE, 3, "--restart: out holds no whole checkpoint", args=["run", "case.yaml", "--restart", "out"], ranks=2)
row("ranks_unknown_subcommand", None, 2, "'walk'", args=["walk"], ranks=2)
row("ranks_memory", line((5, "mesh: {elements: [300, 300, 300]}")), 6, "GB needed for 2 ranks", ranks=2, needs="less than 100 GB")
row("ranks_output", BASE, 5, "output.directory", setup=contents("out", "I am a file"), ranks=2)
row("ranks_bench", None, 2, "--grid: [3, 1, 1] needs 3 ranks, but 2 were started", args=["bench", "--device", "cpu", "--grid", "3x1x1"], ranks=2)


# ---- running them ---------------------------------------------------------------------------------------------------------------

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
