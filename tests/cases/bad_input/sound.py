# SPDX-License-Identifier: Apache-2.0
"""Sound speed by depth and place: in the case file, in tables, in netCDF (more of that: unit.sound_speed)."""
from bad_input.table import *


def sound(text):
    return plus("ocean: {sound_speed: " + text + "}")


TABLE = sound("{file: c.csv}")
row("sound_in_km", sound("{profile: [[0, 1.52], [1000, 1.48]]}"), 2, "case.yaml:18: ocean.sound_speed.profile[0]", "looks like km/s", "1520")
row("sound_upside_down", sound("{profile: [[0, 1520], [-1000, 1480]]}"), 2, "case.yaml:18", "depth is positive downward: give 1000")
row("sound_from_the_floor_up", sound("{profile: [[4000, 1520], [0, 1480]]}"), 2, "case.yaml:18", "does not reach the surface")
row("sound_is_temperature", sound("{profile: [[0, 18], [1000, 4]]}"), 2, "case.yaml:18", "out of range", "1300 to 1700 m/s")
row("sound_of_what", sound("{speed: 1500}"), 2, "case.yaml:18: ocean.sound_speed", "does not say what the speed is", "{type: munk}")
row("sound_monk", sound("{type: monk}"), 2, "case.yaml:18: ocean.sound_speed.type", "did you mean 'munk'?")
row("sound_no_file", TABLE, 3, "case.yaml:18: ocean.sound_speed.file: cannot read the table of sound speeds", "c.csv")
row("sound_table_empty", TABLE, 3, "c.csv:1: the file is empty", "depth,c", setup=contents("c.csv", ""))
row("sound_table_with_variable", sound("{file: c.csv, variable: c}"), 2, "case.yaml:18: ocean.sound_speed.variable: a table has no variables", "remove the key",
    setup=contents("c.csv", "depth,c\n0,1520\n1000,1480\n"))
row("sound_table_in_km", TABLE, 3, "c.csv:2: c", "looks like km/s", setup=contents("c.csv", "depth,c\n0,1.52\n1000,1.48\n"))
row("sound_table_upside_down", TABLE, 3, "c.csv:3: depth", "depth is positive downward", setup=contents("c.csv", "depth,c\n0,1520\n-1000,1480\n"))
row("sound_table_with_a_gap", TABLE, 3, "c.csv:3: c", "expected a number", setup=contents("c.csv", "depth,c\n0,1520\n1000,\n"))
row("sound_table_with_semicolons", TABLE, 3, "c.csv:1: wrong columns", "separate the columns by commas", setup=contents("c.csv", "depth;c\n0;1520\n"))
row("sound_table_short_row", TABLE, 3, "c.csv:2: wrong number of fields; found 1 in '0'", setup=contents("c.csv", "depth,c\n0\n1000,1480\n"))
row("sound_table_without_names", TABLE, 3, "c.csv:1", "wrong columns", "depth,c", setup=contents("c.csv", "0,1520\n1000,1480\n"))
row("sound_table_of_another_name", sound("{file: c.txt}"), 3, "case.yaml:18: ocean.sound_speed.file: c.txt: is text", "a name that ends in .csv",
    setup=contents("c.txt", "depth,c\n0,1520\n1000,1480\n"))
row("sound_no_netcdf", sound("{file: c.nc}"), 3, "case.yaml:18: ocean.sound_speed.file", "no such file", needs="netCDF")
row("sound_is_a_floor", sound("{file: grid.nc}"), 3, "case.yaml:18", "needs an axis of depth", setup=grid(), needs="netCDF")
row("sound_runs_out", sound("{profile: [[0, 1520], [100, 1480]]}"), 2, "case.yaml:18", "extrapolated from 100 m on", "give values further down")
row("sound_of_no_water", sound("{type: munk, scale: 50}"), 2, "case.yaml:18: ocean.sound_speed: the speed of sound becomes")
row("sound_table_runs_out", TABLE, 3, "case.yaml:18", "extrapolated from 100 m on", setup=contents("c.csv", "depth,c\n0,1520\n100,1480\n"))
