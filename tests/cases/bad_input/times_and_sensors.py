# SPDX-License-Identifier: Apache-2.0
"""Steps and intervals; sensors and their files."""
from bad_input.table import *

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
row("set_sensor_twice", BASE, 2, "--set: sensors.seafloor[1]: duplicate sensor name; found 'A', also at --set: sensors.seafloor[0];",
    args=["run", "case.yaml", "--set", "sensors.seafloor=[{name: A, x: 1000, y: 1000}, {name: A, x: 2000, y: 1000}]"])
row("sensor_no_name", line((15, "    - {name: '', x: 7000, y: 5000}")), 2, "case.yaml:15", "name is empty")
row("sensor_no_interval", line((12, "  surface: []")), 2, "sensors.interval", "interval: 0.5")
row("hydrophone_above", line((15, "  hydrophones: [{name: H, x: 7000, y: 5000, z: 100}]")), 2, "case.yaml:15: sensors.hydrophones[0].z")
row("hydrophone_below", line((15, "  hydrophones: [{name: H, x: 7000, y: 5000, z: -1500}]")), 2, "case.yaml:15", "H", "z = -1500 m", "1000 m deep")
row("check_hydrophone", line((15, "  hydrophones: [{name: H, x: 7000, y: 5000, z: -1500}]")), 2, "case.yaml:15", "z = -1500 m", "1000 m deep",
    args=["check", "case.yaml"])
row("hydrophone_below_uneven", line((4, "  bathymetry: {type: flat, depth: 1000.0123456789}"), (15, "  hydrophones: [{name: H, x: 7000, y: 5000, z: -1500}]")), 2,
    "case.yaml:15", "which is 1000.01 m deep at (7000, 5000) m; give a z between -1000.01 and 0")
row("check_lid", line((6, "boundary: {surface: rigid}"), (15, "  surface: [{name: T, x: 7000, y: 5000}]")), 2, "case.yaml:15", "surface: rigid",
    args=["check", "case.yaml"])
row("two_hydrophones_below", line((15, "  hydrophones: [{name: H, x: 7000, y: 5000, z: -1500}, {name: J, x: 10, y: 10, z: -1001}]")), 2, "(H)", "(J)", "z = -1001 m")
row("hydrophone_of_a_file_below", line((15, "  hydrophones: {file: h.csv}")), 2, "h.csv:2: H: z = -1500 m is outside", setup=contents("h.csv", "name,x,y,z\nH,7000,5000,-1500\n"))
row("sensor_grid_margin", line((13, "  seafloor: {grid: {counts: [3, 3], margin: 3500}}"), (14, ""), (15, "")), 2, "case.yaml:13", "margin of 3500 m")
row("csv_missing", line((15, "    - {file: none.csv}")), 3, "case.yaml:15", "none.csv", "paths in the case file count from its folder")
row("csv_columns", line((15, "    - {file: s.csv}")), 3, "s.csv:1", "columns", setup=contents("s.csv", "station,east\nC,3\n"))
row("csv_word", line((15, "    - {file: s.csv}")), 3, "s.csv:3", setup=contents("s.csv", "name,x,y\nC,3000,2000\nD,three,2000\n"))
row("csv_short_row", line((15, "    - {file: s.csv}")), 3, "s.csv:2", "fields", setup=contents("s.csv", "name,x,y\nC,3000\n"))
row("csv_binary", line((15, "    - {file: s.csv}")), 3, "s.csv", setup=contents("s.csv", bytes(range(256))))
row("csv_twice", line((15, "    - {file: s.csv}")), 3, "s.csv:3: C: duplicate sensor name", "also at s.csv:2;", setup=contents("s.csv", "name,x,y\nC,3000,2000\nC,3100,2000\n"))
row("csv_floor_with_z", line((15, "    - {file: s.csv}")), 3, "s.csv:1: unknown column; found 'z'", "hydrophones", setup=contents("s.csv", "name,x,y,z\nC,3000,2000,-5\n"))
row("csv_without_end", line((15, "    - {file: /dev/zero}")), 3, "case.yaml:15", "does not end within 64 MB")
row("csv_outside", line((15, "    - {file: s.csv}")), 2, "s.csv:2", "outside the domain", setup=contents("s.csv", "name,x,y\nC,30000,2000\n"))
