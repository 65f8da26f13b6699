#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Sound speed as files, through the program: a profile, a table and a field of the same speeds give the same traces, prepared or not; a restart notices a field
that has changed; scripts/sound_speed.py makes a field of temperature and salinity as the World Ocean Atlas lays them out.

    test_sound_speed.py AGWAVE SOURCE_DIR PYTHON
"""
import os
import pathlib
import subprocess
import sys
import tempfile

from program import disk_of

import h5py
import numpy as np
import xarray as xr

AGWAVE, SOURCE = str(pathlib.Path(sys.argv[1]).resolve()), pathlib.Path(sys.argv[2])
CASE = """\
domain:
  size: [16000, 12000]
  bathymetry: {{type: gaussian, depth: 4000, height: 1200, center: [8000, 6000], radius: [3000, 3000]}}
mesh: {{elements: [4, 3, 2]}}
ocean:
  sound_speed: {sound}
boundary: {{west: rigid}}
sources:
  - shape: {{type: gaussian, center: [8000, 6000], radius: [3000, 3000]}}
    ramp: {{type: smoothstep, duration: 4}}
time: {{end: {end}}}
sensors: {{interval: 0.5, seafloor: [{{name: A, x: 5000, y: 5000}}]}}
output: {{directory: {name}, checkpoint_interval: 4}}
solver: {{device: cpu}}
"""
DEPTH = np.array([0, 200, 500, 1000, 2000, 3000, 4000.0])
SPEED = 1500 + 0.01 * DEPTH  # linear: monotone and plain cubics agree


def run(name, sound, *more, code=0, end=8):
    pathlib.Path(f"{name}.yaml").write_text(CASE.format(sound=sound, name=name, end=end))
    done = subprocess.run([AGWAVE, "run", f"{name}.yaml", *more], capture_output=True, text=True)
    assert done.returncode == code, done.stdout + done.stderr
    return done.stdout + done.stderr


def pressure(name):
    with h5py.File(f"{name}/sensors.h5") as file:
        return file["pressure"][:], float(file.attrs["sound_speed"])


def write_field(path, speed):
    x, y = np.linspace(-1000, 17000, 10), np.linspace(-1000, 13000, 8)
    field = np.broadcast_to(speed[:, None, None], (len(DEPTH), len(y), len(x)))
    xr.Dataset({"sound_speed": (("depth", "y", "x"), field, {"units": "m s-1"})},
               coords={"depth": ("depth", DEPTH, {"units": "m", "positive": "down"}), "y": ("y", y, {"units": "m"}), "x": ("x", x, {"units": "m"})}
               ).to_netcdf(path, engine="h5netcdf")


def same(a, b, tolerance):
    assert a.shape == b.shape and np.abs(a - b).max() <= tolerance * np.abs(b).max(), np.abs(a - b).max() / np.abs(b).max()


def files_agree(netcdf):
    points = ", ".join(f"[{d}, {c}]" for d, c in zip(DEPTH, SPEED))
    run("list", f"{{profile: [{points}]}}")
    pathlib.Path("c.csv").write_text("depth,c\n" + "".join(f"{d},{c}\n" for d, c in zip(DEPTH, SPEED)))
    run("table", "{file: c.csv}")
    listed, mean = pressure("list")
    assert 1510 < mean < 1525, mean
    same(pressure("table")[0], listed, 0)
    run("constant", "1519")
    assert np.abs(pressure("constant")[0] - listed).max() > 1e-4 * np.abs(listed).max()
    note = run("short", "{profile: [[0, 1500], [2000, 1520]]}")
    assert "given down to 2000 m" in note, note
    same(pressure("short")[0], listed, 1e-7)  # goes on as it changes
    if not netcdf:
        return
    write_field("c.nc", SPEED)
    run("field", "{file: c.nc}")
    same(pressure("field")[0], listed, 1e-7)
    subprocess.run([AGWAVE, "prepare", "field.yaml", "depth.h5", "--quiet"], check=True)
    run("prepared", "{file: c.nc}", "--set", "domain.bathymetry={type: prepared, file: depth.h5}")
    same(pressure("prepared")[0], pressure("field")[0], 0)
    alone = xr.Dataset({"c": (("depth",), SPEED, {"units": "m/s"})}, coords={"depth": ("depth", -DEPTH, {"units": "m", "positive": "up"})})
    alone.to_netcdf("column.nc", engine="h5netcdf")
    run("column", "{file: column.nc}")
    same(pressure("column")[0], listed, 1e-7)


def restarts_notice(netcdf):
    points = "{profile: [[0, 1500], [4000, 1540]]}"
    run("whole", points)
    run("half", points, end=4)
    run("half", points, "--restart", "half")
    same(pressure("half")[0], pressure("whole")[0], 0)
    if not netcdf:
        return
    write_field("r.nc", SPEED)
    run("r", "{file: r.nc}", end=4)
    write_field("r.nc", SPEED + 1)
    message = run("r", "{file: r.nc}", "--restart", "r", code=2)
    assert "the speed of sound is not the one that the checkpoint was computed with" in message, message


def atlas():
    try:
        import gsw
    except ImportError:
        print("gsw is not installed: scripts/sound_speed.py is not tested")
        return
    depth, lat, lon = np.array([0, 100, 500, 1000, 2000.0]), np.array([49, 51, 53, 55.0]), np.array([-170, -168, -166, -164, -162.0])
    t = np.broadcast_to((12 * np.exp(-depth / 500) + 2)[:, None, None], (5, 4, 5)).copy()
    s = np.broadcast_to((34 + depth / 2000)[:, None, None], t.shape).copy()
    t[3:, 1, 1] = s[3:, 1, 1] = np.nan  # below the atlas' sea floor
    t[:, 3, 4] = s[:, 3, 4] = np.nan  # land
    axes = {"depth": ("depth", depth, {"units": "meters", "positive": "down"}), "lat": ("lat", lat, {"units": "degrees_north"}),
            "lon": ("lon", lon, {"units": "degrees_east"}), "time": ("time", [6.0], {"units": "months since 0000-01-01 00:00:00"})}

    def write(path, name, field, attributes=None, **changed):
        name = name if len(name) > 1 else f"{name}_an"
        xr.Dataset({name: (("time", "depth", "lat", "lon"), field[None], attributes or {})}, coords={**axes, **changed}).to_netcdf(path, engine="h5netcdf")

    def make(*words, **how):
        done = subprocess.run([sys.executable, SOURCE / "scripts/sound_speed.py", *words], capture_output=True, text=True, **how)
        assert "Traceback" not in done.stderr, done.stderr
        return done.returncode, done.stderr

    write("t.nc", "t", t)
    write("s.nc", "s", s)
    assert make("t.nc", "s.nc", "woa.nc", "--deepest", "4000") == (0, "")
    made = xr.open_dataset("woa.nc", engine="h5netcdf")
    speed = made["sound_speed"].values
    assert np.isfinite(speed).all() and made.depth.values[-1] == 4000
    p = gsw.p_from_z(-1000, 49)
    absolute = gsw.SA_from_SP(s[3, 0, 0], p, -170, 49)
    assert abs(speed[3, 0, 0] - gsw.sound_speed(absolute, gsw.CT_from_t(absolute, t[3, 0, 0], p), p)) < 1e-9
    np.testing.assert_allclose(speed[:, 3, 4], speed[:, 3, 3], atol=0.2)  # land as its neighbour, but for the position
    assert (np.diff(speed[-3:, 1, 1]) > 0).all()  # filled downwards: pressure alone
    write("east.nc", "s", s[..., ::-1], lon=("lon", lon[::-1] + 360))  # the same places, the other way round
    write("north.nc", "s", s, lat=("lat", lat + 1))
    write("up.nc", "t", t, depth=("depth", -depth))
    write("potential.nc", "temperature", t, {"standard_name": "sea_water_potential_temperature"})
    write("kelvin.nc", "temperature", t + 273.15, {"units": "kelvin"})
    write("absolute.nc", "salinity", s, {"standard_name": "sea_water_absolute_salinity"})
    write("named.nc", "t", t, {"standard_name": "sea_water_temperature", "units": "degrees_celsius"})
    assert make("named.nc", "s.nc", "named_c.nc") == (0, "")
    assert make("t.nc", "east.nc", "region.nc", "--region", "190", "198", "48", "56") == (0, "")
    np.testing.assert_allclose(xr.open_dataset("region.nc", engine="h5netcdf")["sound_speed"].values, speed[:5], atol=1e-9)
    round_lon = np.linspace(0, 360, 5)  # 0 and 360 are one place
    for path, name, field in (("t0.nc", "t", t), ("s0.nc", "s", s)):
        write(path, name, np.concatenate([field[..., :4], field[..., :1]], axis=-1), lon=("lon", round_lon))
    assert make("t0.nc", "s0.nc", "round.nc", "--region", "-100", "100", "48", "56") == (0, "")
    assert (xr.open_dataset("round.nc", engine="h5netcdf").lon.values == [-90, 0, 90]).all()
    code, told = make("t.nc", "s.nc", "abyss.nc", "--deepest", "1e9")
    assert code == 2 and "argument --deepest: 1e9 is below 12000 m" in told and not pathlib.Path("abyss.nc").exists(), told
    for words, said in (("t.nc s.nc c.nc --deepest -7500", "argument --deepest: -7500 is no finite number from 0 on"), ("t.nc s.nc t.nc", "t.nc is read, and would be written over")):
        code, told = make(*words.replace(" -7500", "=-7500").split() if "deepest" in words else words.split())
        assert code == 2 and said in told, (code, told)
    code, told = make("t.nc", "s.nc", "full.nc", **disk_of(4000))
    assert code == 1 and told == "sound_speed.py: full.nc: File too large\n" and not list(pathlib.Path().glob("full.nc*")), (code, told)
    for words, said in (("t.nc north.nc c.nc", "t.nc, north.nc: temperature and salinity have to be on one grid, and lat has 4 nodes from 49 to 55"),
                        ("t.nc s.nc c.nc --region 0 10 0 10", "0 nodes along lat, two or more are needed; is the region inside the files?"),
                        ("t.nc s.nc c.nc --time 3", "t.nc: --time 3: from 0 to 0"), ("up.nc s.nc c.nc", "up.nc: depth has to increase"),
                        ("potential.nc s.nc c.nc", "potential.nc: temperature is sea_water_potential_temperature, and sea water temperature is needed in place"),
                        ("kelvin.nc s.nc c.nc", "kelvin, and has to be in degrees Celsius"),
                        ("t.nc absolute.nc c.nc", "absolute.nc: salinity is sea_water_absolute_salinity, and sea water salinity is needed, practical"),
                        ("none.nc s.nc c.nc", "none.nc: No such file"), ("t.nc list.yaml c.nc", "list.yaml: this is no HDF5 or netCDF-4 file"),
                        ("t.nc t.nc c.nc", "t.nc: it has no variable of sea_water_salinity"), ("t.nc s.nc none/c.nc", "none/c.nc: No such file")):
        code, told = make(*words.split())
        assert code == 1 and told.startswith("sound_speed.py: ") and said in told and told.count("\n") == 1, (code, told)


def main():
    netcdf = "netCDF off" not in subprocess.run([AGWAVE, "info"], capture_output=True, text=True, check=True).stdout
    with tempfile.TemporaryDirectory(prefix="agwave_sound_") as folder:
        os.chdir(folder)
        files_agree(netcdf)
        restarts_notice(netcdf)
        atlas()


if __name__ == "__main__":
    main()
