#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Writes a sea floor that looks like the Aleutian margin off Unimak Island, by a formula, as GeoClaw topography of type 3: for scripts/twin.sh where no grid
is at hand. From the sea inwards: plain, trench, a slope with a terrace, shelf; they swing along strike.

Example:
    twin_margin.py -o margin.tt3
"""
import argparse
import pathlib

import common  # first: says which package is missing
import arguments

import numpy as np
import scipy.interpolate

MIDDLE, STRIKE = (196.75, 53.06), 250.0  # degrees: a point of the trench, and its direction
ACROSS = [-400, -90, -40, -5, 20, 45, 70, 95, 130, 400]  # km landward of the trench
DEPTH = [4700, 4800, 5500, 6700, 4700, 3900, 2300, 400, 150, 100]  # m


def elevation(lon, lat):
    """[m], up, at degrees east and north."""
    east, north = 111.2 * np.cos(np.radians(MIDDLE[1])) * (lon - MIDDLE[0]), 111.2 * (lat - MIDDLE[1])  # km
    strike = np.radians(STRIKE)
    along, across = east * np.sin(strike) + north * np.cos(strike), east * np.sin(strike + np.pi / 2) + north * np.cos(strike + np.pi / 2)
    across = across + 4 * np.sin(2 * np.pi * along / 130) + 2 * np.sin(2 * np.pi * along / 47)
    return -scipy.interpolate.PchipInterpolator(ACROSS, DEPTH)(across)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("-o", "--output", type=pathlib.Path, default=pathlib.Path("margin.tt3"), help="(default %(default)s)")
    options = parser.parse_args()
    arguments.check_outputs(parser, options.output)
    step = 0.05
    lon, lat = 192.5 + step * np.arange(171), 50.5 + step * np.arange(91)
    rows = elevation(lon, lat[::-1, None])  # from north to south
    head = f"{lon.size} ncols\n{lat.size} nrows\n{lon[0]} xllcorner\n{lat[0]} yllcorner\n{step} cellsize\n-9999 nodata_value"
    with common.named_when_whole(options.output) as part:
        np.savetxt(part, rows, fmt="%.2f", header=head, comments="")
    print(options.output)


if __name__ == "__main__":
    main()
