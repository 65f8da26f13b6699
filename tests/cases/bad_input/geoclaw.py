# SPDX-License-Identifier: Apache-2.0
"""Text grids in GeoClaw's formats: depths (topo) and uplifts (dtopo)."""
from bad_input.table import *

TOPO = "3 mx\n3 my\n-1000 xlower\n-1000 ylower\n5000 4000 cellsize\n-9999 nodata\n-900 -900 -900\n-900 -950 -900\n-900 -900 -900\n"
CELL = "5000 4000 cellsize"


def topo(name, text, *fragments, keys="", code=3):
    row(name, floor("type: grid, file: g.tt3" + keys), code, "case.yaml:4", *fragments, setup=contents("g.tt3", text))


topo("topo_empty", "", "g.tt3:1", "the number of columns")
topo("topo_binary", bytes(range(256)) * 9, "g.tt3:")
topo("topo_word", TOPO.replace("-950", "deep"), "g.tt3:8: expected a number, a value of the grid; found 'deep'")
topo("topo_cut", TOPO[:-12], "g.tt3:9: the file ends where a value of the grid should be")
topo("topo_more", TOPO + "-900\n", "g.tt3:10: more values than the header says, 9; found '-900'")
topo("topo_no_columns", TOPO.replace("3 mx", "0 mx"), "g.tt3:", "the number of columns, an integer above 0; found 0")
topo("topo_half_row", TOPO.replace("3 my", "2.5 my"), "g.tt3:", "the number of rows, an integer above 0; found 2.5")
topo("topo_promises", TOPO.replace("3 mx", "1000000000 mx"), "g.tt3:", "the header promises 3000000000 values", "too short")
topo("topo_too_many", TOPO.replace("3 mx", "1000000000 mx").replace("3 my", "1000000000 my"), "1e+18 values", "cut out the region")
topo("topo_cell", TOPO.replace(CELL, "0 cellsize"), "g.tt3:", "a cell size above 0; found 0")
topo("topo_negative_cell", TOPO.replace(CELL, "-5 cellsize"), "g.tt3:", "a cell size above 0; found -5")
topo("topo_small", TOPO.replace(CELL, "500 cellsize"), "does not cover the domain")
topo("topo_land", TOPO.replace("-950", "12"), "land", "elevation 12 m", "min_depth")
topo("topo_no_data", TOPO.replace("-950", "-9999"), "no value")
topo("topo_fill_as_depth", TOPO.replace("-950", "-32768"), "the elevation -32768 m", "no value")
topo("topo_far", TOPO.replace(CELL, "1e300 4000 cellsize"), "m on an axis")
topo("topo_variable", TOPO, "variable", "remove the key", keys=", variable: z", code=2)
topo("topo_as_dtopo", TOPO, "format", "allowed", keys=", format: dtopo3", code=2)


def dtopo(name, text, *fragments, code=3, form="dtopo3", ramp="    ramp: {type: linear, duration: 2}"):
    row(name, line((8, f"  - shape: {{type: grid, file: u.txt, format: {form}}}"), (9, ramp)), code, "case.yaml:8", *fragments, setup=contents("u.txt", text))


STATIC = "2 mx\n2 my\n1 mt\n0 x\n0 y\n0 t0\n8000 dx\n6000 dy\n0 dt\n0 1\n1 0\n"
MOVING = "2\n2\n2\n0\n0\n0\n8000\n6000\n1\n0 0\n0 0\n1 1\n0 1\n"
LINES = "0 0 6000 0\n0 8000 6000 0\n0 0 0 1\n0 8000 0 0\n"
dtopo("dtopo_empty", "", "u.txt:1", "mx")
dtopo("dtopo_cut", STATIC[:-4], "u.txt:11: the file ends where a value of the grid should be")
dtopo("dtopo_word", STATIC.replace("1 0", "up 0"), "u.txt:11: expected a number")
dtopo("dtopo_times", MOVING.replace("6000\n1\n", "6000\n0\n"), "u.txt:", "dt above 0; found 0", ramp="    amplitude: 1")
dtopo("dtopo_promises", STATIC.replace("1 mt", "1000000000 mt"), "u.txt:", "dt above 0")
dtopo("dtopo_promises_values", MOVING.replace("2\n2\n2", "2\n2\n100000000"), "u.txt:", "the header promises 400000000 values", ramp="    amplitude: 1")
dtopo("dtopo_ramp", MOVING, "remove the `ramp`", code=2)
dtopo("dtopo_no_ramp", STATIC, "`ramp`", code=2, ramp="    amplitude: 1")
dtopo("dtopo_at_rest", MOVING.replace("1\n0 0\n0 0", "1\n0 2\n0 0"), "uplift at t = 0", ramp="    amplitude: 1")
dtopo("dtopo_elsewhere", STATIC.replace("0 x", "90000 x"), "does not touch the domain")
dtopo("dtopo_nan", STATIC.replace("1 0", "nan 0"), "no value")
dtopo("dtopo_fill", STATIC.replace("1 0", "-99999 0"), "an uplift of -99999 m")
dtopo("dtopo1_cut", LINES[:-5], "u.txt:4", form="dtopo1")
dtopo("dtopo1_row_missing", LINES.replace("0 8000 6000 0\n", ""), "u.txt:3: not the next node of a grid", form="dtopo1")
dtopo("dtopo1_word", LINES.replace("0 0 0 1", "0 zero 0 1"), "u.txt:3: expected a number, x; found 'zero'", form="dtopo1")
dtopo("dtopo1_one_node", "0 4000 3000 1\n", "1 node", form="dtopo1")
