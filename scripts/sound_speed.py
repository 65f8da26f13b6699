#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""A field of sound speed for `ocean.sound_speed: {file: c.nc}` from temperature and salinity, by TEOS-10 (the gsw library).

    sound_speed.py T.nc S.nc c.nc [--region W E S N] [--deepest METRES] [--time N]

T.nc and S.nc are laid out as the World Ocean Atlas has them, t_an and s_an on (time, depth, lat, lon): temperature in degrees Celsius, in place, and practical
salinity; one file that has both may be given twice. The atlas has no values below its sea floor and on land. There each column takes the nearest one that has
water, and goes on down with its deepest temperature and salinity, so that pressure alone changes the speed: the field is complete, as agwave wants it.
"""
import argparse
import sys

import common  # noqa: F401  says which package is missing

import gsw
import numpy as np
import scipy.ndimage
import xarray as xr

TEMPERATURE = ("sea_water_temperature", "t_an", "t_mn", "temperature", "temp")
SALINITY = ("sea_water_salinity", "sea_water_practical_salinity", "s_an", "s_mn", "salinity", "salt")


def variable(data, names):
    """The one of these standard names or names, without what is missing of it."""
    for name in names[1:]:
        if name in data:
            return data[name]
    for each in data.data_vars.values():
        if each.attrs.get("standard_name") in names and each.ndim >= 3:
            return each
    raise SystemExit(f"sound_speed.py: no variable of {', '.join(names)} in {data.encoding.get('source')}; it has {', '.join(data.data_vars)}")


def read(path, names, time):
    field = variable(xr.open_dataset(path, engine="h5netcdf", decode_times=False), names)
    for dimension in [d for d in field.dims if d not in ("depth", "lat", "lon")]:
        field = field.isel({dimension: time})
    return field.transpose("depth", "lat", "lon")


def filled(values):
    """[depth][lat][lon] without gaps: empty columns by the nearest that has water, then each downwards by its deepest value."""
    dry = ~np.isfinite(values[0])
    if dry.all():
        raise SystemExit("sound_speed.py: there is no water in the region")
    nearest = scipy.ndimage.distance_transform_edt(dry, return_distances=False, return_indices=True)
    values = values[:, nearest[0], nearest[1]]
    for k in range(1, len(values)):
        values[k] = np.where(np.isfinite(values[k]), values[k], values[k - 1])
    return values


def deeper(depth, deepest):
    """The axis, and levels below it as far apart as its last two, down to `deepest`."""
    step = depth[-1] - depth[-2]
    return np.concatenate([depth, np.arange(depth[-1] + step, deepest + step, step)]) if deepest > depth[-1] else depth


def speed_of_sound(temperature, salinity, depth, lat, lon):
    """[depth][lat][lon], in m/s, of temperature in place [degrees Celsius] and practical salinity."""
    lon, lat = np.meshgrid(lon, lat)
    speed = np.empty_like(temperature)
    for k, z in enumerate(depth):
        pressure = gsw.p_from_z(-z, lat)
        absolute = gsw.SA_from_SP(salinity[k], pressure, lon, lat)
        speed[k] = gsw.sound_speed(absolute, gsw.CT_from_t(absolute, temperature[k], pressure), pressure)
    return speed


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("temperature")
    parser.add_argument("salinity")
    parser.add_argument("output")
    parser.add_argument("--region", type=float, nargs=4, metavar=("W", "E", "S", "N"), help="degrees; else all of the file")
    parser.add_argument("--deepest", type=float, default=0, help="levels down to this depth [m]")
    parser.add_argument("--time", type=int, default=0, help="which of several times, from 0")
    given = parser.parse_args()
    temperature, salinity = read(given.temperature, TEMPERATURE, given.time), read(given.salinity, SALINITY, given.time)
    if given.region:
        west, east, south, north = given.region
        lon = (temperature.lon - west) % 360 + west  # continued eastwards from the west of the region
        temperature, salinity = (f.assign_coords(lon=lon).sortby("lon").sel(lon=slice(west, east), lat=slice(south, north))
                                 for f in (temperature, salinity))
    if temperature.shape != salinity.shape or min(temperature.shape) < 2:
        sys.exit(f"sound_speed.py: temperature {temperature.shape} and salinity {salinity.shape} (depth, lat, lon) have to be on one grid of two "
                 "nodes or more each way; is the region inside the files?")
    depth = deeper(temperature.depth.values.astype(float), given.deepest)
    below = ((0, len(depth) - temperature.shape[0]), (0, 0), (0, 0))
    t, s = (np.pad(filled(f.values.astype(float)), below, mode="edge") for f in (temperature, salinity))
    if depth[0] > 0:  # nothing is assumed above the first level
        depth, t, s = np.concatenate([[0.0], depth]), np.concatenate([t[:1], t]), np.concatenate([s[:1], s])
    speed = speed_of_sound(t, s, depth, temperature.lat.values, temperature.lon.values)
    axes = {"depth": ("depth", depth, {"units": "m", "positive": "down", "standard_name": "depth", "axis": "Z"}),
            "lat": ("lat", temperature.lat.values, {"units": "degrees_north", "standard_name": "latitude"}),
            "lon": ("lon", temperature.lon.values, {"units": "degrees_east", "standard_name": "longitude"})}
    about = {"units": "m s-1", "standard_name": "speed_of_sound_in_sea_water", "long_name": "speed of sound (TEOS-10)"}
    xr.Dataset({"sound_speed": (("depth", "lat", "lon"), speed, about)}, coords=axes,
               attrs={"Conventions": "CF-1.11", "source": f"{given.temperature}, {given.salinity}"}).to_netcdf(given.output, engine="h5netcdf")
    print(f"{given.output}: {speed.min():.1f} to {speed.max():.1f} m/s down to {depth[-1]:g} m")


if __name__ == "__main__":
    main()
