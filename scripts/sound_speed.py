#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""A field of sound speed for `ocean.sound_speed: {file: c.nc}` from temperature and salinity, by TEOS-10 (the gsw library).

    sound_speed.py T.nc S.nc c.nc [--region W E S N] [--deepest METRES] [--time N]

T.nc and S.nc are laid out as the World Ocean Atlas has them, t_an and s_an on (time, depth, lat, lon): temperature in degrees Celsius, in place, and practical
salinity; one file that has both may be given twice. The atlas has no values below its sea floor and on land. There each column takes the nearest one that has
water, and goes on down with its deepest temperature and salinity, so that pressure alone changes the speed: the field is complete, as agwave wants it.
"""
import argparse
import pathlib

from common import concerning, hdf5_when_whole  # first: says which package is missing
from arguments import not_negative, spare

import gsw
import numpy as np
import scipy.ndimage
import xarray as xr

AXES = ("depth", "lat", "lon")
DEEPEST = 12000  # [m]
TEMPERATURE = ("sea_water_temperature", "t_an", "t_mn", "temperature", "temp")
SALINITY = ("sea_water_salinity", "sea_water_practical_salinity", "s_an", "s_mn", "salinity", "salt")
IN_PLACE = -5, 50  # [degrees Celsius]: where temperatures of the sea are


def ocean_depth(text):
    """Of an argument."""
    value = not_negative(text)
    if value > DEEPEST:
        raise argparse.ArgumentTypeError(f"{text} is below {DEEPEST} m, where there is no sea")
    return value


def variable(data, names):
    """The one of these standard names or names, without what is missing of it."""
    for name in names[1:]:
        if name in data:
            return data[name]
    for each in data.data_vars.values():
        if each.attrs.get("standard_name") in names and each.ndim >= 3:
            return each
    raise ValueError(f"it has no variable of {', '.join(names)}; it has {', '.join(data.data_vars)}")


def check_quantity(field, names):
    """Refuses what has a name that is taken and is something else: potential temperature, which is half a degree less in the deep, kelvins, absolute salinity."""
    own = field.attrs.get("standard_name", names[0])
    if own not in names:
        raise ValueError(f"{field.name} is {own}, and {names[0].replace('_', ' ')} is needed" + (" in place, in degrees Celsius" if names is TEMPERATURE else ", practical"))
    low, high = float(field.min()), float(field.max())
    if names is TEMPERATURE and not IN_PLACE[0] <= low <= high <= IN_PLACE[1] and np.isfinite(low):
        raise ValueError(f"{field.name} is from {low:g} to {high:g} {field.attrs.get('units', '')}, and has to be in degrees Celsius")


def read(path, names, time):
    field = variable(xr.open_dataset(path, engine="h5netcdf", decode_times=False), names)
    missing = [axis for axis in AXES if axis not in field.dims or axis not in field.coords]
    if missing:
        raise ValueError(f"{field.name} ({', '.join(field.dims)}) has no axis {', '.join(missing)}; it has to be laid out as (time, depth, lat, lon)")
    for dimension in [d for d in field.dims if d not in AXES]:
        if not 0 <= time < field.sizes[dimension]:
            raise ValueError(f"--time {time}: from 0 to {field.sizes[dimension] - 1}")
        field = field.isel({dimension: time})
    check_quantity(field, names)
    depth = field.depth.values
    if depth[0] < 0 or (np.diff(depth) <= 0).any():
        raise ValueError("depth has to increase from 0 or more, positive down")
    return field.transpose(*AXES).sortby("lat")


def inside(field, region):
    """Continued eastwards from the west of the region."""
    west, east, south, north = region
    around = field.assign_coords(lon=(field.lon - west) % 360 + west)
    once = np.unique(np.round(around.lon.values, 6), return_index=True)[1]  # 0 and 360 are one place, and in ascending order
    return around.isel(lon=once).sel(lon=slice(west, east), lat=slice(south, north))


def check_grids(temperature, salinity):
    for axis in AXES:
        own, other = temperature[axis].values, salinity[axis].values
        if own.size < 2:
            raise ValueError(f"{own.size} nodes along {axis}, two or more are needed; is the region inside the files?")
        if own.shape != other.shape or not np.allclose(own, other, rtol=1e-6, atol=1e-6):
            raise ValueError(f"temperature and salinity have to be on one grid, and {axis} has {own.size} nodes from {own[0]:g} to {own[-1]:g} for the one, "
                             + (f"{other.size} from {other[0]:g} to {other[-1]:g} for the other" if other.size else "none for the other"))


def filled(values):
    """[depth][lat][lon] without gaps: empty columns by the nearest that has water, then each downwards by its deepest value."""
    dry = ~np.isfinite(values[0])
    if dry.all():
        raise ValueError("there is no water in the region")
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


def field_of(temperature, salinity, deepest):
    check_grids(temperature, salinity)
    lat, lon = temperature.lat.values, temperature.lon.values
    depth = deeper(temperature.depth.values.astype(float), deepest)
    below = ((0, len(depth) - temperature.shape[0]), (0, 0), (0, 0))
    t, s = (np.pad(filled(f.values.astype(float)), below, mode="edge") for f in (temperature, salinity))
    if depth[0] > 0:  # nothing is assumed above the first level
        depth, t, s = np.concatenate([[0.0], depth]), np.concatenate([t[:1], t]), np.concatenate([s[:1], s])
    about = {"units": "m s-1", "standard_name": "speed_of_sound_in_sea_water", "long_name": "speed of sound (TEOS-10)"}
    return xr.Dataset({"sound_speed": (AXES, speed_of_sound(t, s, depth, lat, lon), about)},
                      coords={"depth": ("depth", depth, {"units": "m", "positive": "down", "standard_name": "depth", "axis": "Z"}),
                              "lat": ("lat", lat, {"units": "degrees_north", "standard_name": "latitude"}),
                              "lon": ("lon", lon, {"units": "degrees_east", "standard_name": "longitude"})})


def save(path, made):
    """netCDF-4, its dimensions first."""
    with hdf5_when_whole(path) as file:
        file.attrs.update(made.attrs)
        for name in (*AXES, "sound_speed"):
            data = file.create_dataset(name, data=made[name].values, fillvalue=np.nan)
            data.attrs.update({"_FillValue": np.array([np.nan]), **made[name].attrs})
            if name in AXES:
                data.make_scale(name)
            else:
                for axis, dimension in enumerate(AXES):
                    data.dims[axis].attach_scale(file[dimension])


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("temperature")
    parser.add_argument("salinity")
    parser.add_argument("output")
    parser.add_argument("--region", type=float, nargs=4, metavar=("W", "E", "S", "N"), help="degrees; else all of the file")
    parser.add_argument("--deepest", type=ocean_depth, default=0, help=f"levels down to this depth [m], {DEEPEST} at most")
    parser.add_argument("--time", type=int, default=0, help="which of several times, from 0")
    given = parser.parse_args()
    spare(parser, [pathlib.Path(given.temperature), pathlib.Path(given.salinity)], pathlib.Path(given.output))
    fields = []
    for path, names in ((given.temperature, TEMPERATURE), (given.salinity, SALINITY)):
        with concerning(path):
            field = read(path, names, given.time)
            fields.append(inside(field, given.region) if given.region else field)
    with concerning(f"{given.temperature}, {given.salinity}"):
        made = field_of(*fields, given.deepest)
    made.attrs = {"Conventions": "CF-1.11", "source": f"{given.temperature}, {given.salinity}"}
    save(given.output, made)
    speed = made.sound_speed.values
    print(f"{given.output}: {speed.min():.1f} to {speed.max():.1f} m/s down to {made.depth.values[-1]:g} m")


if __name__ == "__main__":
    main()
