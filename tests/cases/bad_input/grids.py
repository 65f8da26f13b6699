# SPDX-License-Identifier: Apache-2.0
"""Grids of depth and uplift, and what `agwave prepare` wrote."""
from bad_input.table import *

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
row("grid_coincident_nodes", GRID, 3, "case.yaml:4", "all but coincide", setup=grid(x=[-1000, 4000, 4000.0000000001, 9000]), needs="netCDF")
row("grid_far_longitudes", line((3, "  lonlat: {lon: [193, 195], lat: [51, 53]}"), (4, "  bathymetry: {type: grid, file: grid.nc}")), 3, "case.yaml:4",
    "has 1e+20 degrees among its longitudes or latitudes", setup=grid(axes=("lon", "lat"), axis_units=("degrees_east", "degrees_north"), x=[190, 194, 1e20],
    y=nodes(50, 54, 5)), needs="netCDF")
row("grid_fill_as_depth", GRID, 3, "case.yaml:4", "the elevation -32768 m", "_FillValue", setup=grid(lambda x, y: -32768), needs="netCDF")
row("uplift_in_mm", UPLIFT, 3, "case.yaml:8", "an uplift of 20000 m", setup=grid(name="uplift", value=lambda x, y: 2e4), needs="netCDF")
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
