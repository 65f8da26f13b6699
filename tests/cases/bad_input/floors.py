# SPDX-License-Identifier: Apache-2.0
"""Floors that give way."""
import subprocess

from bad_input.table import *

WALLS = "west: rigid, east: rigid, south: rigid, north: rigid"


def floor(text, *more):
    return line((6, f"boundary: {{{WALLS}, floor: {text}}}"), *more)


KEY = "case.yaml:6: boundary.floor"
row("floor_soft", floor("soft"), 2, KEY, "unknown choice", "{density: , sound_speed: }")
row("floor_rigid_and_sand", floor("[rigid, {density: 1900, sound_speed: 1700}]"), 2, KEY, "expected a word", "rigid")
row("floor_rigid_among_values", floor("{rigid: true, density: 1900, sound_speed: 1700}"), 2, "case.yaml:6: boundary.floor.rigid", "unknown key", "density")
row("floor_without_speed", floor("{density: 1900}"), 2, "boundary.floor.sound_speed", "missing")
row("floor_density_g_cm3", floor("{density: 1.9, sound_speed: 1700}"), 2, KEY + ".density", "looks like g/cm3", "1900")
row("floor_density_zero", floor("{density: 0, sound_speed: 1700}"), 2, KEY + ".density", "out of range")
row("floor_speed_km_s", floor("{density: 1900, sound_speed: 1.7}"), 2, KEY + ".sound_speed", "looks like km/s", "1700")
row("floor_speed_negative", floor("{density: 1900, sound_speed: -1700}"), 2, KEY + ".sound_speed", "sign", "1700")
row("floor_stiffness_zero", floor("{density: 1900, sound_speed: 1700, stiffness: 0}"), 2, KEY + ".stiffness", "out of range")
row("floor_stiffness_mpa", floor("{density: 1900, sound_speed: 1700, stiffness: 0.2}"), 2, KEY + ".stiffness", "looks like MPa/m", "200000")
row("floor_stiffness_kpa", floor("{density: 1900, sound_speed: 1700, stiffness: 200}"), 2, KEY + ".stiffness", "looks like kPa/m", "200000")
row("floor_too_stiff", floor("{density: 1900, sound_speed: 1700, stiffness: 1e8}"), 2, KEY + ".stiffness", "spring for sound", "leave it out")
row("floor_depths_unsorted", floor("{depth: [4000, 1000], density: [1900, 1500], sound_speed: [1700, 1550]}"), 2, KEY + ".depth", "does not increase", "sort")
row("floor_depths_do_not_match", floor("{depth: [1000, 4000], density: [1900], sound_speed: [1700, 1550]}"), 2, KEY + ".density", "does not match", "2, one for each depth")
row("floor_one_depth", floor("{depth: [1000], density: [1900], sound_speed: [1700]}"), 2, KEY + ".depth", "too few depths", "two or more")
TYPES = "{file: grid.nc, types: [1, 3], density: [1400, 2700], sound_speed: [1500, 5000]}"


def types(value, **more):
    return grid(**{"value": value, "name": "sediment", "units": "1", **more})


row("floor_types_without_file", floor("{types: [1], density: [1400], sound_speed: [1500]}"), 2, KEY + ".file", "missing")
row("floor_types_not_whole", floor("{file: grid.nc, types: [1.5], density: [1400], sound_speed: [1500]}"), 2, KEY + ".types[0]", "expected an integer")
row("floor_types_twice", floor("{file: grid.nc, types: [1, 1], density: [1400, 2700], sound_speed: [1500, 5000]}"), 2, KEY + ".types", "twice", "remove one")
row("floor_types_do_not_match", floor("{file: grid.nc, types: [1, 3], density: [1400], sound_speed: [1500, 5000]}"), 2, KEY + ".density", "boundary.floor.types",
    "2, one for each type")
row("floor_types_no_file", floor(TYPES), 3, KEY + ".file", "no such file", "grid.nc", needs="netCDF")
row("floor_types_small", floor(TYPES), 3, KEY + ".file", "does not cover the domain", setup=types(lambda x, y: 1, x=nodes(0, 5000, 6)), needs="netCDF")
row("floor_types_unknown", floor(TYPES), 3, KEY + ".file", "has the type 7 at x =", "boundary.floor.types are 1, 3", "add it",
    setup=types(lambda x, y: 7 if x > 5000 else 1), needs="netCDF")
row("floor_types_of_depth", floor(TYPES), 3, KEY + ".file", "types are whole numbers", setup=types(lambda x, y: -999.5), needs="netCDF")
row("floor_types_with_holes", floor(TYPES), 3, KEY + ".file", "has no value nearest to", "fill the grid",
    setup=types(lambda x, y: float("nan") if x > 5000 else 1), needs="netCDF")
row("floor_types_unknown_on_ranks", floor(TYPES), 3, KEY + ".file", "has the type 7 at x =", setup=types(lambda x, y: 7 if x > 5000 else 1), needs="netCDF",
    ranks=2)
STOPPED = floor(TYPES, (16, "output: {directory: out, checkpoint_interval: 0.5}"))


def with_another_grid(folder):
    types(lambda x, y: 1)(folder)
    (folder / "whole.yaml").write_text(STOPPED)
    subprocess.run([AGWAVE, "run", "whole.yaml", "--quiet"], cwd=folder, check=True)
    types(lambda x, y: 3)(folder)


row("floor_types_changed", STOPPED, 2, "--restart: the types of the sea floor are not those", "restore their file", args=["run", "case.yaml", "--restart", "out"],
    setup=with_another_grid, needs="netCDF", anywhere=True)
SAND = "{density: 1900, sound_speed: 1700}"
row("floor_in_sweeps", floor(SAND, (17, "solver: {device: cpu, variant: two-sweep}")), 2, "solver.variant", "takes a rigid floor alone", "variant: auto")
row("floor_in_levels", floor(SAND, (10, "time: {end: 1.0, local_steps: 3}")), 2, "case.yaml:10: time.local_steps", "rigid floor alone", "local_steps: off")
