#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Checks that a sensors.h5 is what docs/results.md promises, as h5py and as xarray see it.

Dimension names and sizes, attributes, units, and no missing value in the samples that the file says are written.
Exit code 0: fine; 1: not so, with a message; 77: a Python package is missing, so nothing could be checked.

    check_traces.py results/aleutian/sensors.h5 --complete
"""
import argparse
import sys

try:
    import h5py
    import numpy as np
    import xarray
    import h5netcdf  # noqa: F401  the engine that xarray is asked for
except ImportError as error:
    print(f"check_traces.py: {error}; pip install -r scripts/requirements.txt", file=sys.stderr)
    sys.exit(77)

STATIONS = {"x": ("station",), "y": ("station",), "z": ("station",), "pressure": ("time", "station"), "sensor_pressure": ("time", "station")}
GAUGES = {"gauge_x": ("gauge",), "gauge_y": ("gauge",), "surface_height": ("time", "gauge")}
UNITS = {"time": "s", "x": "m", "y": "m", "z": "m", "gauge_x": "m", "gauge_y": "m", "surface_height": "m", "pressure": "Pa", "sensor_pressure": "Pa"}


class Wrong(Exception):
    pass


def require(condition, message):
    if not condition:
        raise Wrong(message)


def expected_variables(names):
    expected = {"time": ("time",)}
    if "station" in names:
        expected |= {"station": ("station",)} | STATIONS
    if "gauge" in names:
        expected |= {"gauge": ("gauge",)} | GAUGES
    require(len(expected) > 1, "neither stations nor gauges")
    return expected


def check_h5py(path):
    with h5py.File(path, "r") as file:
        for name in ("Conventions", "featureType", "title"):
            require(isinstance(file.attrs.get(name), str), f"no text attribute {name}")
        require(file.attrs["Conventions"] == "CF-1.8" and file.attrs["featureType"] == "timeSeries", "wrong Conventions or featureType")
        require("samples_written" in file and file["samples_written"].shape == (), "no scalar samples_written")
        for name, dimensions in expected_variables(file).items():
            require(name in file, f"no variable {name}")
            variable = file[name]
            sizes = tuple(file[d].shape[0] for d in dimensions)
            require(variable.shape == sizes, f"{name} has shape {variable.shape}, its dimensions say {sizes}")
            require(isinstance(variable.attrs.get("long_name"), str), f"{name} has no long_name")
            require(variable.attrs.get("units") == UNITS.get(name), f"{name} has units {variable.attrs.get('units')}, not {UNITS.get(name)}")
            if dimensions == (name,):
                require(variable.is_scale, f"{name} is not a dimension scale")
            else:
                found = tuple(scales.keys()[0] if len(scales) == 1 else None for scales in variable.dims)
                require(found == dimensions, f"{name} has dimension scales {found}, not {dimensions}")


def check_xarray(path, complete):
    with xarray.open_dataset(path, engine="h5netcdf") as data:
        samples = data.sizes["time"]
        written = int(data["samples_written"])
        require(1 <= written <= samples, f"samples_written is {written} of {samples}")
        require(not complete or written == samples, f"only {written} of {samples} samples are written")
        time = data["time"].values
        require(time[0] == 0 and np.allclose(np.diff(time), time[1] if samples > 1 else 0), "time is not even, or does not start at 0")
        for name, dimensions in expected_variables(data.variables).items():
            variable = data[name]
            require(variable.dims == dimensions, f"xarray gives {name} the dimensions {variable.dims}, not {dimensions}")
            if name in ("station", "gauge"):
                names = [str(n) for n in variable.values]
                require(all(names) and len(set(names)) == len(names), f"{name} names are empty or repeated")
                continue
            values = variable.values[:written] if dimensions[0] == "time" else variable.values
            missing = np.count_nonzero(~np.isfinite(values))
            require(missing == 0, f"{name} has {missing} missing values among the {written} samples written")
        return written, samples, data.sizes.get("station", 0), data.sizes.get("gauge", 0)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("file", help="sensors.h5 of a run")
    parser.add_argument("--complete", action="store_true", help="demand that all samples are written")
    options = parser.parse_args()
    try:
        check_h5py(options.file)
        written, samples, stations, gauges = check_xarray(options.file, options.complete)
    except (Wrong, OSError, KeyError, ValueError) as error:
        print(f"{options.file}: {error}", file=sys.stderr)
        return 1
    print(f"{options.file}: {written} of {samples} samples, {stations} stations, {gauges} gauges: fine")
    return 0


if __name__ == "__main__":
    sys.exit(main())
