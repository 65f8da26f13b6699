# SPDX-License-Identifier: Apache-2.0
"""scripts/infer.py on maps made by a formula: FFT products against loops, the posterior against dense matrices, windows against their own factors, a truth drawn
from the prior found again with intervals that hold what they say, files, and errors.   test_infer.py AGWAVE SOURCE_DIR PYTHON"""
import json
import pathlib
import subprocess
import sys
import tempfile

try:
    import h5py
    import numpy as np
    import scipy.linalg
    import scipy.stats
except ImportError as error:
    print(f"skipped: {error}; pip install -r scripts/requirements.txt")
    sys.exit(77)

scripts = pathlib.Path(sys.argv[2]).resolve() / "scripts"
sys.path.insert(0, str(scripts))
import twin_factor  # noqa: E402
import twin_maps  # noqa: E402
import twin_prior  # noqa: E402

random = np.random.default_rng(1)
INTERVAL = 2.0  # [s]


def green(x, y, px, py, count, speed=1500.0, step=0.25):
    """A ring that runs outwards and leaves something behind: [place, parameter, interval]. Made up, but causal, smooth and different everywhere."""
    time = (1 + np.arange(count)) * INTERVAL - step
    distance = np.hypot(x[:, None] - px, y[:, None] - py)[:, :, None]
    late = time - distance / speed
    return np.where(late > 0, late / 5 * np.exp(1 - late / 5) / (1 + distance / 10e3) + 0.05 * (1 - np.exp(-np.maximum(late, 0) / 20)), 0)


def write_maps(path, sensors=6, gauges=2, nx=7, ny=5, count=20, spacing=5000.0):
    grid_x, grid_y = 3000 + spacing * np.arange(nx), 2000 + spacing * np.arange(ny)
    px, py = np.tile(grid_x, ny), np.repeat(grid_y, nx)
    places = random.uniform([grid_x[0], grid_y[0]], [grid_x[-1], grid_y[-1]], (sensors + gauges, 2))
    with h5py.File(path, "w") as file:
        file["time"] = (1 + np.arange(count)) * INTERVAL - 0.25
        file["parameter_x"], file["parameter_y"], file["parameter_area"] = px, py, np.full(px.size, spacing**2)
        file["sensor_name"] = [f"S{n}" for n in range(sensors)]
        for axis, key in enumerate("xy"):
            file["sensor_" + key] = places[:sensors, axis]
        file["sensor_z"] = np.full(sensors, -4000.0)
        file["pressure_map"] = 1e6 * green(*places[:sensors].T, px, py, count)
        if gauges:
            file["gauge_name"] = [f"G{n}" for n in range(gauges)]
            file["gauge_x"], file["gauge_y"] = places[sensors:].T
            file["height_map"] = 0.3 * green(*places[sensors:].T, px, py, count, 700.0)
        file.attrs.update({"title": "made up", "commit": "none", "interval": INTERVAL, "end": count * INTERVAL, "motion": "vertical", "step": 0.25, "scheme": "rk4",
                           "variant": "formula", "parameter_nx": nx, "parameter_ny": ny, "parameter_spacing": spacing, "density": 1025.0, "gravity": 9.81,
                           "reciprocity_error": 0.0})
    return twin_maps.Maps(path)


def prior_of(maps, deviation=0.05, length=15e3, memory=0.0, duration=np.inf):
    return twin_prior.Prior(maps.grid_x, maps.grid_y, maps.interval, maps.time.size, deviation, length, memory, duration)


def check_products():
    for intervals in (1, 2, 7, 16):
        values = random.standard_normal((3, 5, intervals))
        motion, data = random.standard_normal((5, intervals)), random.standard_normal((3, intervals))
        forward, back = np.zeros((3, intervals)), np.zeros((5, intervals))
        for k in range(intervals):
            for l in range(k + 1):
                forward[:, k] += values[:, :, k - l] @ motion[:, l]
                back[:, l] += values[:, :, k - l].T @ data[:, k]
        product = twin_maps.Toeplitz(values)
        assert np.abs(product.apply(motion) - forward).max() < 1e-13 * max(1, np.abs(forward).max())
        assert np.abs(product.apply_transpose(data) - back).max() < 1e-13 * max(1, np.abs(back).max())


def check_merged(maps):
    """Of maps with N intervals made one: their product is that of the file with a velocity smooth in time, at every Nth sample; steady motion stays steady."""
    for every in (2, 3, 5):
        merged = twin_maps.Maps(maps.path, every)
        count = maps.time.size // every
        assert np.allclose(merged.time, maps.time[every - 1 :: every]) and merged.interval == every * INTERVAL and merged.time.size == count
        coarse, fine = random.standard_normal((maps.x.size, count)), np.zeros((maps.x.size, maps.time.size + 3 * every))
        for l in range(count):
            fine[:, l * every : l * every + merged.weights.size] += coarse[:, l, None] * merged.weights
        fine = fine[:, : maps.time.size]
        for whole, part in ((maps.pressure, merged.pressure), (maps.observed("sensor_pressure"), merged.observed("sensor_pressure")),
                            (maps.height, merged.height)):
            wanted = twin_maps.Toeplitz(whole).apply(fine)[:, every - 1 :: every]
            assert np.abs(twin_maps.Toeplitz(part).apply(coarse) - wanted).max() < 1e-12 * np.abs(wanted).max(), every
        assert np.allclose(sum(np.roll(np.pad(merged.weights, (0, 5 * every)), n * every) for n in range(4))[2 * every : 3 * every], 1)


def dense_covariance(maps, deviation, length):
    """C by matrices of the whole grid, whose Laplacian is written down cell by cell."""
    def line(nodes):
        stiffness, mass = np.zeros((nodes.size, nodes.size)), np.zeros(nodes.size)
        for n, width in enumerate(np.diff(nodes)):
            stiffness[n : n + 2, n : n + 2] += np.array([[1, -1], [-1, 1]]) / width
            mass[n : n + 2] += width / 2
        return stiffness / mass[:, None], mass
    (second_x, mass_x), (second_y, mass_y) = line(maps.grid_x), line(maps.grid_y)
    operator = 8 / length**2 * np.eye(maps.x.size) + np.kron(np.eye(maps.ny), second_x) + np.kron(second_y, np.eye(maps.nx))
    inverse = np.linalg.inv(operator)
    covariance = inverse @ inverse @ np.diag(1 / np.kron(mass_y, mass_x))
    scale = deviation / np.sqrt(np.diag(covariance))
    return scale[:, None] * covariance * scale


def dense_map(values):
    """[row, parameter, interval] as the matrix from [interval * parameter] to [interval * row]."""
    rows, parameters, intervals = values.shape
    matrix = np.zeros((intervals, rows, intervals, parameters))
    for k in range(intervals):
        for l in range(k + 1):
            matrix[k, :, l] = values[:, :, k - l]
    return matrix.reshape(intervals * rows, intervals * parameters)


def check_posterior(maps):
    """Mean and covariance of motion, displacement and heights by their definitions, in all windows, with memory in time and without, fading and not."""
    intervals, parameters, sensors = maps.time.size, maps.x.size, len(maps.sensors)
    for memory, duration in ((0.0, np.inf), (6.0, np.inf), (0.0, 5.0), (6.0, 7.0)):
        prior, noise = prior_of(maps, memory=memory, duration=duration), random.uniform(1e3, 3e3, sensors)
        C = dense_covariance(maps, 0.05, 15e3)
        assert np.abs(prior.covariance(np.eye(parameters)) - C).max() < 1e-12 * np.abs(C).max() and np.allclose(np.diag(C), 0.05**2)
        h = np.exp(-np.arange(intervals) * INTERVAL / memory) if memory else np.eye(1, intervals)[0]
        H = np.kron(scipy.linalg.toeplitz(h / np.sqrt((h**2).sum()), np.zeros(intervals)), np.eye(parameters))
        gamma = H @ np.kron(np.diag(np.exp(-2 * INTERVAL / duration * np.arange(intervals))), C) @ H.T
        F, Fq, B = dense_map(maps.pressure), dense_map(maps.height), INTERVAL * np.kron(np.ones((1, intervals)), np.eye(parameters))
        K = F @ gamma @ F.T + np.diag(np.tile(noise**2, intervals))
        factor = twin_factor.Factor.make(maps.pressure, maps.height, prior, noise, {})
        data = random.standard_normal((intervals, sensors)) * 1e4
        toeplitz = twin_maps.Toeplitz(prior.remembered(maps.pressure))
        for window in (1, intervals // 2, intervals):
            n = window * sensors
            L = np.linalg.cholesky(K[:n, :n])
            assert np.abs(np.tril(factor.L)[:n, :n] - L).max() < 1e-10 * L.max(), "the factor of the window is not the window of the factor"
            gain = np.linalg.solve(K[:n, :n], F[:n] @ gamma).T
            mean, posterior = gain @ data[:window].ravel(), gamma - gain @ F[:n] @ gamma
            y = factor.whiten(data[:window])
            density = scipy.stats.multivariate_normal(cov=K[:n, :n]).logpdf(data[:window].ravel())
            assert abs(factor.log_evidence(y) - density) < 1e-8 * abs(density)
            for got, wanted in ((twin_factor.motion(factor, prior, toeplitz, y)[1].T.ravel(), mean), (factor.displacement(y), B @ mean),
                                (factor.forecast(y).ravel(), Fq @ mean)):
                assert np.abs(got - wanted).max() < 1e-9 * np.abs(wanted).max(), (memory, duration, window)
            heights, displacement = factor.deviations(window)
            for got, wanted in ((heights.ravel(), Fq @ posterior @ Fq.T), (displacement, B @ posterior @ B.T)):
                wanted = np.sqrt(np.diag(wanted))
                assert np.abs(got - wanted).max() < 1e-7 * wanted.max(), (memory, duration, window)


def check_calibration(maps):
    """Truths from the prior: found again where sensors see them, and inside the intervals as often as these say; the misfit is 1."""
    prior, random = prior_of(maps), np.random.default_rng(3)
    sensors, gauges = twin_maps.Toeplitz(maps.pressure), twin_maps.Toeplitz(maps.height)
    peak = np.abs(sensors.apply(prior.sample(random))).max()
    noise = np.full(len(maps.sensors), 0.01 * peak)
    factor = twin_factor.Factor.make(maps.pressure, maps.height, prior, noise, {})
    heights_std, displacement_std = factor.deviations(maps.time.size)
    before = np.sqrt(factor.displacement_variance[0])
    assert displacement_std.max() <= before and displacement_std.min() < 0.4 * before
    inside, misfit, error, reached = [], [], [], heights_std > 1e-6 * heights_std.max()  # elsewhere no wave can be yet, and all is zero
    for _ in range(40):
        truth = prior.sample(random)
        y = factor.whiten(sensors.apply(truth).T + noise * random.standard_normal((maps.time.size, len(maps.sensors))))
        height, displacement = gauges.apply(truth).T, truth.sum(1) * INTERVAL
        inside.append([(np.abs(factor.forecast(y) - height) < 1.96 * heights_std)[reached].mean(),
                       (np.abs(factor.displacement(y) - displacement) < 1.96 * displacement_std).mean()])
        misfit.append((y**2).mean())
        error.append(np.linalg.norm(factor.forecast(y) - height) / np.linalg.norm(height))
    coverage = np.mean(inside, axis=0)
    assert (np.abs(coverage - 0.95) < 0.03).all(), coverage
    assert abs(np.mean(misfit) - 1) < 0.03 and np.mean(error) < 0.35, (np.mean(misfit), np.mean(error))
    print(f"coverage of heights and displacement {coverage.round(3)}, misfit {np.mean(misfit):.3f}, forecast off by {np.mean(error):.2f}")


def check_samples_of_prior(maps):
    """Standard deviation and correlation of many samples are those that were asked for."""
    faded = np.array([prior_of(maps, duration=20.0).sample(random) for _ in range(200)])
    assert abs(faded[:, :, 10].std() / (0.05 * np.exp(-1)) - 1) < 0.07
    for memory in (0.0, 8.0):
        prior = prior_of(maps, 0.05, 15e3, memory)
        many = np.array([prior.sample(random) for _ in range(400)])
        assert abs(many[:, :, -1].std() / 0.05 - 1) < 0.05
        follow = (many[:, :, -1] * many[:, :, -2]).mean() / 0.05**2
        assert abs(follow - (np.exp(-INTERVAL / memory) if memory else 0)) < 0.06, follow
        assert abs((many.sum(2) * INTERVAL).var() / prior.displacement_variance(maps.time.size) - 1) < 0.1


def check_sensor_pressure(maps, path):
    """A floor that rises everywhere alike: sensors that ride on it read rho g times that less, from the first sample on, which is taken before all of it has risen."""
    difference = twin_maps.Toeplitz(maps.observed("sensor_pressure") - maps.pressure).apply(np.tile(np.linspace(1, 2, maps.time.size), (maps.x.size, 1)))
    wanted = -1025 * 9.81 * (np.cumsum(INTERVAL * np.linspace(1, 2, maps.time.size)) - 0.25 * np.linspace(1, 2, maps.time.size))
    assert np.abs(difference - wanted).max() < 1e-9 * np.abs(wanted).max()
    floating = maps.observed("sensor_pressure", ["S5"]) == maps.pressure
    assert floating[5].all() and not floating[:5].all(axis=(1, 2)).any()
    write_records(path, maps.sensors, *smooth_event(maps))
    with h5py.File(path, "r+") as file:
        file["station_kind"], file["sensor_pressure"] = np.array([0] * 5 + [1], dtype="i1"), file["pressure"][:]
    assert twin_maps.floating(path) == ["S5"] and twin_maps.floating(path.with_name("d.csv")) == []
    call(maps.path, "--data", path, "--observed", "sensor_pressure", "-o", path.with_name("ride.h5"))


def call(*arguments, fails=None):
    done = subprocess.run([sys.executable, str(scripts / "infer.py"), *map(str, arguments)], capture_output=True, text=True)
    assert (done.returncode == 0) == (fails is None), done.stdout + done.stderr
    assert fails is None or (fails in done.stderr and "Traceback" not in done.stderr and done.returncode == 1), done.stderr
    return done.stdout


def write_records(path, names, time, values):
    with h5py.File(path, "w") as file:
        file["station"], file["time"], file["pressure"], file["samples_written"] = names, time, values, time.size


def smooth_event(maps, count=400):
    """A smooth motion of its own, with records often enough for splines: (time, pressure)."""
    time = np.linspace(0, maps.time[-1] + 1, count)
    return time, np.stack([1e4 * np.exp(-0.5 * ((time - 15 - n) / 4) ** 2) for n in range(len(maps.sensors))], axis=1)


def check_command(work, maps):
    time, pressure = smooth_event(maps)
    exact = np.stack([1e4 * np.exp(-0.5 * ((maps.time - 15 - n) / 4) ** 2) for n in range(len(maps.sensors))], axis=1)
    order = list(range(len(maps.sensors)))[::-1]
    write_records(work / "sensors.h5", [maps.sensors[n] for n in order] + ["OTHER"], time, np.column_stack([pressure[:, order], 0 * time]))
    lines = ["# made up", "time," + ",".join(maps.sensors)] + [",".join(map(repr, map(float, [t, *row]))) for t, row in zip(maps.time, exact)]
    (work / "d.csv").write_text("\n".join(lines) + "\n")
    common = ["--windows", "10,40", "--noise-pressure", "50", "--model-error", "0", "--correlation-length", "15000", "--velocity-std", "0.05",
              "--correlation-time", "0", "--duration", "inf"]
    out = call(maps.path, "--data", work / "sensors.h5", "-o", work / "a.h5", "--factor", work / "f.h5", "--json", work / "a.json", *common)
    assert "offline" in out and "GB of memory at the peak" in out and json.loads((work / "a.json").read_text())["windows_s"] == [10, 40]
    again = call(maps.path, "--data", work / "d.csv", "-o", work / "b.h5", "--factor", work / "f.h5", *common)
    assert "offline" not in again and "read in" in again
    with h5py.File(work / "a.h5") as a, h5py.File(work / "b.h5") as b:
        assert np.abs(a["data"][:] - exact).max() < 2, "splines in time"
        assert (b["data"][:] == exact).all() and b["displacement"].shape == (2, maps.ny, maps.nx)
        assert np.abs(a["displacement"][:] - b["displacement"][:]).max() < 1e-2 * np.abs(b["displacement"][:]).max()
        assert np.abs(b["fit"][:] - exact).max() < 0.3 * exact.max() and b["forecast_std"].shape == (2, maps.time.size, 2)
        assert np.allclose(b["velocity"][:].sum(0) * INTERVAL, b["displacement"][-1], rtol=1e-6, atol=1e-9)
    assert "noise and is made anew" in call(maps.path, "--data", work / "d.csv", "-o", work / "c.h5", "--factor", work / "f.h5", *common[:2], *common[4:], "--noise", "0.03")
    assert "read in" in call(maps.path, "--data", work / "d.csv", "-o", work / "c.h5", "--factor", work / "f.h5", *common[:2], *common[4:])
    assert "is of other velocity_std" in call(maps.path, "--noise-pressure", "50", "--factor", work / "f.h5", *common[4:8], "--velocity-std", "0.02", *common[10:])
    call(maps.path, "--data", work / "sensors.h5", "-o", work / "d.h5", "--interval", "4", *common[4:])
    with h5py.File(work / "d.h5") as file:
        assert file["velocity"].shape[0] == 10 and np.allclose(file["time"][:], maps.time[1::2])
    assert "prior sample 1" in call(maps.path, "--prior-samples", "2", "-o", work / "p.h5") and (work / "prior_samples.h5").is_file()
    try:
        import xarray
    except ImportError:
        return
    with xarray.open_dataset(work / "b.h5", engine="h5netcdf") as posterior:
        assert posterior.forecast.dims == ("window", "time", "gauge") and float(posterior.forecast.sel(window=40, gauge="G1").isel(time=-1)) != 0


def check_errors(work, maps):
    time, pressure = smooth_event(maps)
    good = ["-o", work / "e.h5", "--correlation-length", "15000"]
    write_records(work / "few.h5", maps.sensors[:-1], time, pressure[:, :-1])
    call(maps.path, "--data", work / "few.h5", *good, fails="has no record of S5; it has S0, S1")
    call(maps.path, "--data", work / "few.h5", *good, "--without", "S5")
    call(maps.path, "--data", work / "few.h5", *good, "--without", "S9", fails="--without S9: not in the maps; they have S0")
    write_records(work / "short.h5", maps.sensors, time[:200], pressure[:200])
    call(maps.path, "--data", work / "short.h5", *good, fails="give longer records, or a shorter window with --windows")
    call(maps.path, "--data", work / "short.h5", *good, "--windows", "16")
    write_records(work / "coarse.h5", maps.sensors, time[::80], pressure[::80])
    call(maps.path, "--data", work / "coarse.h5", *good, "--windows", "16", fails="give records sampled at least as often")
    gap = pressure.copy()
    gap[50, 2] = np.nan
    write_records(work / "gap.h5", maps.sensors, time, gap)
    call(maps.path, "--data", work / "gap.h5", *good, fails="records of S2 have gaps")
    call(maps.path, "--data", work / "few.h5", *good, "--windows", "30,41", fails="windows are from 2 to 40 s long")
    call(maps.path, "--data", work / "sensors.h5", *good, "--memory", "1e-6", fails="GB may be used; leave sensors out (--without)")
    call(maps.path, "--data", work / "sensors.h5", "--correlation-length", "100", fails="below the 5000 m between parameters")
    call(maps.path, "--data", work / "few.h5", *good, "--interval", "3", fails="no multiple of the maps' interval of 2 s")
    call(maps.path, *good, fails="neither --data nor --factor")
    call(maps.path, *good, "--factor", work / "none.h5", fails="give --noise-pressure [Pa], or --data")
    call(work / "sensors.h5", "--data", work / "sensors.h5", fails="this is no maps.h5")
    (work / "bad.csv").write_text("time,S0\n0,1\n1\n")
    call(maps.path, "--data", work / "bad.csv", *good, fails="row 2 has 1 columns")
    with h5py.File(work / "none.h5", "w") as file:
        write_maps(work / "deaf.h5")
        file.attrs["x"] = 0
    with h5py.File(work / "deaf.h5", "r+") as file:
        for key in [key for key in file if key.startswith("sensor") or key == "pressure_map"]:
            del file[key]
    call(work / "deaf.h5", "--data", work / "sensors.h5", fails="the maps have no sensors")


def check_no_gauges(work):
    maps = write_maps(work / "blind.h5", gauges=0, nx=1)
    time, pressure = smooth_event(maps)
    write_records(work / "blind_data.h5", maps.sensors, time, pressure)
    call(maps.path, "--data", work / "blind_data.h5", "-o", work / "blind_out.h5")
    with h5py.File(work / "blind_out.h5") as file:
        assert "forecast" not in file and np.isfinite(file["displacement_std"][:]).all()


with tempfile.TemporaryDirectory() as folder:
    work = pathlib.Path(folder)
    check_products()
    check_posterior(write_maps(work / "tiny.h5", sensors=3, gauges=2, nx=4, ny=3, count=6, spacing=700.0))
    maps = write_maps(work / "maps.h5")
    check_merged(maps)
    check_samples_of_prior(maps)
    check_calibration(write_maps(work / "calm.h5", sensors=12))
    check_command(work, maps)
    check_errors(work, maps)
    check_no_gauges(work)
    check_sensor_pressure(maps, work / "ride_data.h5")
print("passed")
