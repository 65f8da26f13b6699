#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
# ranks: 2
# label: slow
"""Parameter-to-observable maps through the real program: the files that FFTMatvec and xarray read, a kill at any moment and a signal with the
maps of an unbroken run after --restart, parts made by several jobs, propagations in single precision, and what is refused before anything runs.

    test_p2o.py AGWAVE SOURCE_DIR PYTHON
"""
import json
import os
import pathlib
import random
import shutil
import signal
import subprocess
import sys
import tempfile
import time

from program import ENVIRONMENT, call, command, need

need("h5py", "numpy", "h5netcdf", "xarray")
import h5py  # noqa: E402
import numpy as np  # noqa: E402
import xarray as xr  # noqa: E402

AGWAVE, SOURCE = sys.argv[1:3]
CASE = """\
title: maps
domain:
  lonlat: {lon: [-0.25, 0.25], lat: [-0.15, 0.15]}
  bathymetry: {type: gaussian, depth: 4000, height: 1500, center: [18000, 11000], radius: [8000, 7000]}
mesh: {elements: [10, 6, 2]}
boundary: {west: rigid, east: rigid, south: rigid, north: rigid}
time: {end: 60}
sensors:
  interval: 1
  seafloor: [{name: A, x: 25000, y: 13000}, {name: B, x: 11000, y: 9000}]
  hydrophones: [{name: H, x: 21000, y: 15000, z: -900}]
  surface: [{name: T, x: 30100, y: 11000}, {name: U, x: 9000, y: 21000}]
p2o:
  interval: 2
  end: 60
  parameters: {spacing: 5000, region: {x: [6000, 39000], y: [4000, 25000]}}
solver: {device: %s}
""" % os.environ.get("AGWAVE_TEST_DEVICE", "cpu")


def run(*args, ranks=1, code=0, subcommand="p2o"):
    return "".join(call(subcommand, "case.yaml", *args, ranks=ranks, code=code))


def rows(folder):
    return {str(p.relative_to(folder)): h5py.File(p)["vec"][:] for p in sorted(pathlib.Path(folder).glob("p2?/binary/adj/vec_*.h5"))}


def same(a, b):
    x, y = rows(a), rows(b)
    assert x.keys() == y.keys() and len(x) == 5, (x.keys(), y.keys())
    for name in x:
        assert np.array_equal(x[name], y[name]), f"{name} of {a} and {b} differ"
    with h5py.File(f"{a}/maps.h5") as u, h5py.File(f"{b}/maps.h5") as v:
        for name in ("pressure_map", "height_map", "time", "parameter_area"):
            assert np.array_equal(u[name][:], v[name][:]), name


def test_files():
    out = run("--output", "whole")
    assert "the largest difference is" in out and "3 sensors and 2 gauges, 7 x 5 parameters, 30 intervals" in out, out
    for kind, count, flag in (("p2o", 3, 0), ("p2q", 2, 1)):
        meta = pathlib.Path(f"whole/{kind}/binary/meta_adj").read_text()
        assert meta == f"{count}\n35\n30\nadj/vec_\n.h5\n1\n{flag}\n1\n0\n", meta
        for n in range(count):
            with h5py.File(f"whole/{kind}/binary/adj/vec_{n:06d}.h5") as file:
                vec = file["vec"]
                assert vec.dtype == np.float64 and vec.shape == (35 * 30,)
                for name, value in (("reindex", 1), ("n_param", 35), ("param_steps", 30)):
                    assert vec.attrs[name].dtype == np.int32 and vec.attrs[name] == value, name
        assert not (pathlib.Path("whole") / kind / f"binary/adj/vec_{count:06d}.h5").exists()
    with xr.open_dataset("whole/maps.h5", engine="h5netcdf") as maps:
        assert dict(maps.sizes) == {"parameter": 35, "interval": 30, "sensor": 3, "gauge": 2}, maps.sizes
        assert list(maps.sensor_name.values) == ["A", "B", "H"] and list(maps.gauge_name.values) == ["T", "U"]
        assert maps.pressure_map.dims == ("sensor", "parameter", "interval") and maps.height_map.dims == ("gauge", "parameter", "interval")
        assert maps.pressure_map.units == "Pa s m-1" and maps.sensor_z.values[2] == -900 and maps.sensor_z.values[0] < -2000
        assert maps.sensor_kind.values.tolist() == [0, 0, 1] and maps.sensor_kind.dims == ("sensor",), "which sensors are hydrophones"
        assert all(-0.25 <= lon <= 0.25 for lon in maps.sensor_lon.values) and all(-0.15 <= lat <= 0.15 for lat in maps.gauge_lat.values)
        assert maps.sensor_lon.values[0] > maps.sensor_lon.values[1]
        assert np.array_equal(maps.pressure_map.values[1].ravel(), rows("whole")["p2o/binary/adj/vec_000001.h5"])
        assert np.array_equal(maps.height_map.values[1].ravel(), rows("whole")["p2q/binary/adj/vec_000001.h5"])
        x, y = maps.parameter_x.values.reshape(5, 7), maps.parameter_y.values.reshape(5, 7)
        assert np.allclose(x[3], 7500 + 5000 * np.arange(7)) and np.allclose(y[:, 2], 4500 + 5000 * np.arange(5)), (x[0], y[:, 0])
        assert maps.parameter_area.values[8] > 24.9e6 and maps.parameter_area.values.sum() > 30e3 * 20e3  # the floor slopes
        a = maps.attrs
        assert a["parameter_nx"] == 7 and a["parameter_ny"] == 5 and a["parameter_spacing"] == 5000 and a["interval"] == 2 and a["end"] == 60
        assert a["title"] == "maps" and a["motion"] == "normal" and a["scheme"] == "leapfrog4" and a["density"] == 1025 and a["gravity"] == 9.81
        assert 0 < a["reciprocity_error"] < 1e-10, a["reciprocity_error"]
        assert np.allclose(maps.time.values, 2 * np.arange(1, 31) - a["step"]), maps.time.values  # the leapfrog looks a step ahead
        assert all(name in a for name in ("commit", "created", "variant"))
    assert json.loads(pathlib.Path("whole/progress.json").read_text())["finished"] is True
    out = run("--output", "whole")
    assert "replaces the maps in whole, which were complete" in out and "5 propagations" in out, out
    run("--output", "single", "--set", "p2o.precision=single", "--quiet")
    with h5py.File("single/maps.h5") as maps:
        assert maps["pressure_map"].dtype == np.float32 and 1e-10 < maps.attrs["reciprocity_error"] < 1e-6
    run("--output", "gauges", "--set", "sensors.seafloor=[]", "--set", "sensors.hydrophones=[]", "--quiet")
    with xr.open_dataset("gauges/maps.h5", engine="h5netcdf") as maps:
        assert "sensor" not in maps.sizes and "pressure_map" not in maps and maps.sizes["gauge"] == 2
    assert not os.path.exists("gauges/p2o")


def kill_all(process):
    """The launcher and its ranks, which are in groups of their own: known by the folder that they work in."""
    os.killpg(process.pid, signal.SIGKILL)
    process.wait()
    left = True
    while left:
        left = []
        for entry in pathlib.Path("/proc").glob("[0-9]*"):
            try:
                if os.readlink(entry / "cwd") == os.getcwd() and b"p2o" in (entry / "cmdline").read_bytes() and int(entry.name) != os.getpid():
                    left.append(int(entry.name))
                    os.kill(left[-1], signal.SIGKILL)
            except OSError:
                pass  # gone, or another user's
        time.sleep(0.05)


def test_kills():
    slow = ("--set", "p2o.end=600", "--set", "mesh.elements=[16,8,2]")
    begin = time.monotonic()
    run("--output", "long", *slow, "--quiet")
    takes = time.monotonic() - begin
    chance = random.Random(os.getpid())
    for attempt, ranks in enumerate((1, 1, 2)):
        shutil.rmtree("killed", ignore_errors=True)
        wait = takes * chance.uniform(0.2, 0.8) / (1 if ranks == 1 else 1.3)
        process = subprocess.Popen(command("p2o", "case.yaml", "--output", "killed", *slow, "--quiet", ranks=ranks), env=ENVIRONMENT, start_new_session=True,
                                   stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        time.sleep(wait)
        kill_all(process)
        done = len(rows("killed"))
        begun = os.path.exists("killed/p2o.json") and not os.path.exists("killed/maps.h5")
        if begun:
            assert "not complete" in run("--output", "killed", *slow, code=5)
        if begun or os.path.exists("killed/maps.h5"):
            out = run("--output", "killed", *slow, "--restart")
            assert f"{5 - done} propagations" in out, (done, out)
        else:
            run("--output", "killed", *slow)
        print(f"killed after {wait:.2f} s of {takes:.2f} s on {ranks} ranks with {done} maps")
        same("long", "killed")


def test_signal():
    slow = ("--set", "p2o.end=800", "--set", "mesh.elements=[16,8,2]")
    process = subprocess.Popen(command("p2o", "case.yaml", "--output", "stopped", *slow), env=ENVIRONMENT, text=True, stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    for _ in range(600):
        if len(list(pathlib.Path("stopped").glob("p2o/binary/adj/vec_*.h5"))) > 0:
            break
        time.sleep(0.05)
    process.send_signal(signal.SIGTERM)
    errors = process.communicate(timeout=60)[1]
    assert process.returncode == 75 and "SIGTERM" in errors and "--restart" in errors, (process.returncode, errors)
    done = len(rows("stopped"))
    assert 1 <= done < 5, done
    out = run("--output", "stopped", *slow, "--restart")
    assert f"{5 - done} propagations" in out, out
    run("--output", "straight", *slow, "--quiet")
    same("straight", "stopped")


def test_parts():
    out = run("--output", "parts", "--sensors", "3:5")
    assert "3 maps of 5 are still to be made" in out, out
    assert not os.path.exists("parts/maps.h5")
    run("--output", "parts", "--sensors", "0:2", ranks=2)
    assert len(rows("parts")) == 4
    damaged = "parts/p2o/binary/adj/vec_000001.h5"
    with h5py.File(damaged, "r+") as file:
        file["vec"][7] += 1
    out = run("--output", "parts", "--restart")
    assert "damaged" in out and "2 propagations" in out, out
    same("whole", "parts")
    os.truncate(damaged, 100)
    out = run("--output", "parts", "--restart")
    assert f"note: {damaged} is damaged: cannot open the file" in out and "1 propagations" in out, out
    same("whole", "parts")
    out = run("--output", "parts", "--restart")  # nothing is left to be made
    assert "0 propagations" in out, out
    same("whole", "parts")


def test_job_array():
    """The template of scripts/slurm, with an srun that runs its command here."""
    os.makedirs("bin")
    srun = pathlib.Path("bin/srun")
    srun.write_text('#!/bin/bash\nwhile [[ $1 == --* ]]; do shift; done\nexec "$@"\n')
    srun.chmod(0o755)
    environment = dict(ENVIRONMENT, PATH=f"{os.getcwd()}/bin:{os.environ['PATH']}", AGWAVE=AGWAVE, SLURM_JOB_ID="1")
    template = [str(pathlib.Path(SOURCE, "scripts/slurm/p2o.sbatch")), "case.yaml", "array"]
    for task in (0, 1, 2):
        array = dict(environment, SLURM_ARRAY_TASK_ID=str(task + 1), SLURM_ARRAY_TASK_MIN="1", SLURM_ARRAY_TASK_MAX="3", SLURM_ARRAY_TASK_COUNT="3")
        subprocess.run(["bash", *template, "5"], check=True, env=array, capture_output=True, timeout=60)
    done = subprocess.run(["bash", *template, "5"], env=dict(array, SLURM_ARRAY_TASK_MAX="5"), capture_output=True, text=True, timeout=60)
    assert done.returncode == 2 and "an array with gaps" in done.stderr, done
    assert len(rows("array")) == 5 and not os.path.exists("array/maps.h5")
    done = subprocess.run(["bash", *template], check=True, env=environment, capture_output=True, text=True, timeout=60)
    assert "0 propagations" in done.stdout, done.stdout
    same("whole", "array")


def test_groups():
    """More groups than divide the sources, and a grid of ranks."""
    out = run("--output", "groups", "--set", "parallel.grid=[2,1,1]", "--set", "solver.variant=leapfrog-reference", ranks=4)
    assert "2 groups of 2 ranks" in out, out
    progress = json.loads(pathlib.Path("groups/progress.json").read_text())
    assert progress["done"] == 5 and progress["percent"] == 100 and progress["groups"] == 2, progress


def test_refused():
    run("--output", "begun", "--sensors", "0:1", "--quiet")
    for change, words in (("mesh.elements=[8,6,2]", "mesh.elements: changed since the maps were begun"), ("p2o.motion=vertical", "p2o.motion: changed"),
                          ("time.step=0.1", "step_s"), ("sensors.surface=[]", "sensors.surface"), ("ocean.density=1000", "ocean.density: changed")):
        out = run("--output", "begun", "--restart", "--set", change, code=2)
        assert words in out and "checkpoint" not in out, out
    run("--output", "begun", "--restart", "--set", "sources=[]", "--set", "title=other", "--quiet")  # plays no part
    assert "no maps that were begun" in run("--output", "nothing", "--restart", code=3)
    manifest = json.loads(pathlib.Path("begun/p2o.json").read_text())
    for wrong in (dict(manifest, format="1"), dict(manifest, run=1), dict(manifest, keys=dict(manifest["keys"], title=2)), dict(manifest, maps=[]), []):
        pathlib.Path("begun/p2o.json").write_text(json.dumps(wrong))
        assert "is not a manifest of maps" in run("--output", "begun", "--restart", code=3)
    pathlib.Path("begun/p2o.json").write_text(json.dumps(manifest))
    for changes, words in ((["p2o.end=61"], "not a whole multiple of p2o.interval"), (["p2o.interval=0.7", "time.step=0.25"], "time.step does not divide"),
                           (["p2o.parameters={spacing: 5000, nodes: true}"], "exactly one of spacing and nodes"),
                           (["p2o.parameters={}"], "exactly one of spacing and nodes"), (["p2o.motion=up"], "unknown choice"),
                           (["p2o.parameters.region.x=[39000, 6000]"], "not increasing"), (["p2o.intervall=2"], "did you mean 'interval'"),
                           (["p2o.parameters.region.x=[6000, 900000]"], "reaches beyond the domain"), (["p2o.parameters.spacing=100"], "finer than the mesh"),
                           (["p2o.parameters.spacing=22000"], "too coarse"), (["p2o=null"], "p2o: missing"),
                           (["sensors.seafloor=[]", "sensors.hydrophones=[]", "sensors.surface=[]"], "no sensors"), (["parallel.group=2"], "parallel.group"),
                           (["boundary.surface=rigid"], "does not move"), (["solver.variant=two-sweep"], "takes sources on the seafloor alone")):
        out = run("--output", "never", *(word for change in changes for word in ("--set", change)), code=2)
        assert words in out, (changes, out)
    assert not os.path.exists("never")
    both = run("--output", "never", "--set", "p2o.end=61", "--set", "p2o.motion=up", "--set", "p2o.parameters={}", code=2)
    assert len(both.strip().splitlines()) == 3, both  # all at once
    for sensors in ("5:6", "2:2", "a:b", "3"):
        assert "--sensors" in run("--output", "never", "--sensors", sensors, code=2)
    os.makedirs("file")
    pathlib.Path("file/p2o").write_text("")
    run("--output", "file", code=5)
    assert "File name too long" in run("--output", "a" * 300, code=5)
    tiny = run("--output", "never", "--set", "p2o.interval=0.5", "--set", "p2o.end=400000", "--set", "p2o.parameters={nodes: true}",
               "--set", "mesh.elements=[60,60,1]", code=5 if shutil.disk_usage(".").free < 7e12 else 6)
    assert "GB" in tiny, tiny


SHELF = ["domain.bathymetry={type: cosine, depth: 3000, amplitude: 0.9, waves: [0, 0.5]}", "mesh.elements=[16,18,1]", "time.local_steps=3"]
WALLS = "boundary={west: absorbing, east: absorbing, south: absorbing, north: absorbing, sponge: {west: 12000, north: 12000, type: TYPE}}"


def test_single():
    """Propagations in single precision: with one step for all and in levels transposed, into strips of either type not."""
    for name, changes, tolerance in (("rigid", [], 2e-5), ("levels", SHELF, 1e-4), ("fading", [WALLS.replace("TYPE", "fading"), "time.scheme=leapfrog4"], 2e-5),
                                     ("matched", [WALLS.replace("TYPE", "matched")], 2e-5)):
        settings = [word for change in [*changes, "p2o.end=20"] for word in ("--set", change)]
        run("--output", f"{name}_double", *settings, "--quiet")
        run("--output", f"{name}_single", *settings, "--set", "solver.precision=single", "--quiet")
        with h5py.File(f"{name}_single/maps.h5") as single, h5py.File(f"{name}_double/maps.h5") as double:
            for maps in ("pressure_map", "height_map"):
                expected = double[maps][:]
                error = np.abs(single[maps][:] - expected).max() / np.abs(expected).max()
                print(f"  {name}, {maps}: {error:.1e}")
                assert 0 < error < tolerance, (name, maps, error)
        if name in ("rigid", "levels"):
            run("--output", f"{name}_ranks", *settings, "--set", "solver.precision=single", "--quiet", "--set", "parallel.group=2", ranks=2)
            same(f"{name}_single", f"{name}_ranks")
    out = run("--output", "rigid_double", "--restart", "--set", "p2o.end=20", "--set", "solver.precision=single", code=2)
    assert "precision" in out, out
    out = run("--output", "rigid_single", "--restart", "--set", "p2o.end=20", code=2)
    assert "precision" in out, out


def test_check():
    out = run(subcommand="check")
    assert "3 sensors and 2 gauges; 7 x 5 parameters, 5000 m apart" in out and "30 intervals of 2 s" in out, out
    told = json.loads(run("--json", subcommand="check"))["p2o"]
    assert told["sensors"] == 3 and told["parameters"] == [7, 5] and told["map_bytes"] == 8 * 35 * 30 and told["estimate_s"] > 0
    assert "finer than the mesh" in run("--set", "p2o.parameters.spacing=100", subcommand="check", code=2)


def test_memory():
    """A propagation of the leapfrog starts from rest, and zeros for velocities would be most of what it takes: less than they beyond what a run does."""
    large = ["--set", "mesh.elements=[96, 64, 4]", "--set", "time={end: 2, local_steps: off}", "--set", "p2o.end=2",
             "--set", "sensors={interval: 1, seafloor: [{name: A, x: 25000, y: 13000}]}", "--quiet"]

    def most(subcommand):  # [bytes]
        process = subprocess.Popen(command(subcommand, "case.yaml", "--output", f"large_{subcommand}", *large), env=ENVIRONMENT)
        _, status, usage = os.wait4(process.pid, 0)
        process.returncode = os.waitstatus_to_exitcode(status)
        assert process.returncode == 0, process.returncode
        return 1024 * usage.ru_maxrss

    velocities = 8 * 3 * 64 * 96 * 64 * 4
    more = most("p2o") - most("run")
    assert more < velocities, f"{more} bytes more than a run, and velocities have {velocities}"


def main():
    with tempfile.TemporaryDirectory() as folder:
        os.chdir(folder)
        pathlib.Path("case.yaml").write_text(CASE)
        for test in (test_files, test_parts, test_job_array, test_kills, test_signal, test_single, test_groups, test_refused, test_check,
                     test_memory):
            begin = time.monotonic()
            test()
            print(f"{test.__name__}: passed in {time.monotonic() - begin:.1f} s", flush=True)
        os.chdir("/")


if __name__ == "__main__":
    main()
