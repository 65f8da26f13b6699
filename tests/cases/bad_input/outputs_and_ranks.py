# SPDX-License-Identifier: Apache-2.0
"""Where output goes; builds without libraries; several ranks: one message, from one of them, and everybody leaves."""
from bad_input.table import *

# Output
row("output_is_file", BASE, 5, "output.directory", "out", "--output", setup=contents("out", "I am a file"))
row("output_below_file", BASE, 5, "output.directory", args=["run", "case.yaml", "--output", "case.yaml/deep"])
row("check_output_is_file", BASE, 5, "output.directory: cannot use out as a directory", "out is a file; give another with --output", args=["check", "case.yaml"],
    setup=contents("out", "I am a file"))
row("check_output_below_file", BASE, 5, "output.directory: cannot use case.yaml/deep as a directory", args=["check", "case.yaml", "--output", "case.yaml/deep"])
row("check_output_blocked", BASE, 5, "out/sensors.h5 is a directory", args=["check", "case.yaml"], setup=lambda f: (f / "out" / "sensors.h5").mkdir(parents=True))
row("summary_blocked", BASE, 5, "out/summary.json is a directory", setup=lambda f: (f / "out" / "summary.json").mkdir(parents=True))
row("output_read_only", BASE, 5, "out", setup=lambda f: (f / "out").mkdir(mode=0o555), needs="not root")
row("output_too_large", line((10, "time: {end: 4e7}"), (13, "  seafloor: {grid: {counts: [200, 200]}}"), (14, ""), (15, "")), 5, "out: traces and maps need",
    "GB are free", creates=["out"])
row("check_output_too_large", line((10, "time: {end: 4e7}"), (13, "  seafloor: {grid: {counts: [200, 200]}}"), (14, ""), (15, "")), 5,
    "sensors.h5 5.12e+07 MB", "out: traces and maps need", "GB are free", args=["check", "case.yaml"])
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
row("ranks_more_than_elements", line((5, "mesh: {elements: [1, 1, 1]}")), 2, "2 ranks", "1 x 1 x 1", "fewer ranks", ranks=2, anywhere=True)
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
