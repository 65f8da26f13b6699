# SPDX-License-Identifier: Apache-2.0
"""scripts/infer.py on maps made by a formula: FFT products against loops, the posterior against dense matrices, windows against their own factors, a truth drawn
from the prior found again with intervals that hold what they say, the prior chosen by the evidence, files, errors, and which run twin_report.py takes
for the truth.   test_infer.py AGWAVE SOURCE_DIR PYTHON"""
import json
import pathlib
import subprocess
import sys
import tempfile
import types

from program import need

need("h5py", "numpy", "scipy")
import h5py  # noqa: E402
import numpy as np  # noqa: E402
import scipy.linalg  # noqa: E402
import scipy.optimize  # noqa: E402
import scipy.stats  # noqa: E402

scripts = pathlib.Path(sys.argv[2]).resolve() / "scripts"
sys.path.insert(0, str(scripts))
import twin_factor  # noqa: E402
import twin_fit  # noqa: E402
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


def prior_of(maps, deviation=0.05, length=15e3, memory=0.0, duration=np.inf, smoothness=1):
    return twin_prior.Prior(maps.grid_x, maps.grid_y, maps.interval, maps.time.size, deviation, length, memory, duration, smoothness)


def pole(memory):
    """a of h(s) = (s + 1) a^s, whose correlation (1 + x) exp(-x) is 1/e at x = 2.146."""
    x = scipy.optimize.brentq(lambda x: (1 + x) * np.exp(-x) - np.exp(-1), 1, 3)
    return np.exp(-x * INTERVAL / memory)


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
    values, data = random.standard_normal((30, 301, 9)), random.standard_normal((9, 30))  # three pieces of columns
    wanted = twin_maps.Toeplitz(values).apply_transpose(data.T).T
    adjoint = twin_maps.Adjoint((row.T for row in values), *values.shape)
    assert adjoint.spectrum.shape[1] == 3 and np.abs(adjoint.apply(data) - wanted).max() < 1e-13 * np.abs(wanted).max()


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


def dense_covariance(maps, deviation, length, smoothness):
    """C by matrices of the whole grid, whose Laplacian is written down cell by cell."""
    def line(nodes):
        stiffness, mass = np.zeros((nodes.size, nodes.size)), np.zeros(nodes.size)
        for n, width in enumerate(np.diff(nodes)):
            stiffness[n : n + 2, n : n + 2] += np.array([[1, -1], [-1, 1]]) / width
            mass[n : n + 2] += width / 2
        return stiffness / mass[:, None], mass
    (second_x, mass_x), (second_y, mass_y) = line(maps.grid_x), line(maps.grid_y)
    operator = 8 * smoothness / length**2 * np.eye(maps.x.size) + np.kron(np.eye(maps.ny), second_x) + np.kron(second_y, np.eye(maps.nx))
    covariance = np.linalg.matrix_power(np.linalg.inv(operator), smoothness + 1) @ np.diag(1 / np.kron(mass_y, mass_x))
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
    """Mean and covariance of motion, displacement and heights by their definitions, in all windows, with memory in time and without, fading and not, smooth
    and less so; in double precision, and as the program does it."""
    intervals, parameters, sensors = maps.time.size, maps.x.size, len(maps.sensors)
    windows = [1, intervals // 2, intervals]
    for memory, duration, smoothness in ((0.0, np.inf, 1), (6.0, np.inf, 3), (0.0, 5.0, 2), (6.0, 7.0, 1)):
        prior, noise = prior_of(maps, memory=memory, duration=duration, smoothness=smoothness), random.uniform(1e3, 3e3, sensors)
        C = dense_covariance(maps, 0.05, 15e3, smoothness)
        assert np.abs(prior.covariance(np.eye(parameters)) - C).max() < 1e-12 * np.abs(C).max() and np.allclose(np.diag(C), 0.05**2)
        late = np.arange(intervals)
        h = (late + 1) * pole(memory) ** late if memory else np.eye(1, intervals)[0]
        H = np.kron(scipy.linalg.toeplitz(h / np.sqrt((h**2).sum()), np.zeros(intervals)), np.eye(parameters))
        gamma = H @ np.kron(np.diag(np.exp(-2 * INTERVAL / duration * np.arange(intervals))), C) @ H.T
        F, Fq, B = dense_map(maps.pressure), dense_map(maps.height), INTERVAL * np.kron(np.ones((1, intervals)), np.eye(parameters))
        K = F @ gamma @ F.T + np.diag(np.tile(noise**2, intervals))
        data, motion = random.standard_normal((intervals, sensors)) * 1e4, twin_factor.Motion(maps.pressure, prior)
        for precision, close in ((float, 1e-9 if smoothness == 1 else 1e-8), (np.float32, 1e-5)):
            factor = twin_factor.Factor.make(maps.pressure, maps.height, prior, noise, {}, precision)
            for window, (heights, displacement) in zip(windows, factor.means(factor.whiten(data), windows)):
                n = window * sensors
                L = np.linalg.cholesky(K[:n, :n])
                assert np.abs(np.tril(factor.L)[:n, :n] - L).max() < 1e-10 * L.max(), "the factor of the window is not the window of the factor"
                gain = np.linalg.solve(K[:n, :n], F[:n] @ gamma).T
                mean, posterior = gain @ data[:window].ravel(), gamma - gain @ F[:n] @ gamma
                y = factor.whiten(data[:window])
                weights = factor.weights(y)
                density = scipy.stats.multivariate_normal(cov=K[:n, :n]).logpdf(data[:window].ravel())
                assert abs(factor.log_evidence(y) - density) < 1e-8 * abs(density)
                fit = data[:window] - noise**2 * weights[:window]
                for got, wanted in ((motion.velocity(weights).ravel(), mean), (displacement, B @ mean), (heights.ravel(), Fq @ mean)):
                    assert np.abs(got - wanted).max() < close * np.abs(wanted).max(), (memory, duration, window)
                assert np.abs(fit.ravel() - F[:n] @ mean).max() < 1e-8 * np.abs(data).max()
                heights_std, displacement_std = factor.deviations(window)
                for got, wanted in ((heights_std.ravel(), Fq @ posterior @ Fq.T), (displacement_std, B @ posterior @ B.T)):
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
    before = np.sqrt(factor.displacement_variance)
    assert displacement_std.max() <= before and displacement_std.min() < 0.4 * before
    inside, misfit, error, reached = [], [], [], heights_std > 1e-6 * heights_std.max()  # elsewhere no wave can be yet, and all is zero
    for _ in range(40):
        truth = prior.sample(random)
        y = factor.whiten(sensors.apply(truth).T + noise * random.standard_normal((maps.time.size, len(maps.sensors))))
        height, displacement = gauges.apply(truth).T, truth.sum(1) * INTERVAL
        heights, moved = factor.means(y, [maps.time.size])[0]
        inside.append([(np.abs(heights - height) < 1.96 * heights_std)[reached].mean(), (np.abs(moved - displacement) < 1.96 * displacement_std).mean()])
        misfit.append((y**2).mean())
        error.append(np.linalg.norm(heights - height) / np.linalg.norm(height))
    coverage = np.mean(inside, axis=0)
    assert (np.abs(coverage - 0.95) < 0.03).all(), coverage
    assert abs(np.mean(misfit) - 1) < 0.03 and np.mean(error) < 0.35, (np.mean(misfit), np.mean(error))
    print(f"coverage of heights and displacement {coverage.round(3)}, misfit {np.mean(misfit):.3f}, forecast off by {np.mean(error):.2f}")


def check_fit(maps):
    """The evidence that is searched is that of the factor; what is found has more of it than the prior that the truth is drawn from, and is not far from that."""
    true = {"velocity_std": 0.05, "model_error": 0.01, "correlation_time": 8.0, "duration": 15.0, "correlation_length": 15e3}
    prior, random = prior_of(maps, 0.05, 15e3, 8.0, 15.0, 3), np.random.default_rng(5)
    clean = twin_maps.Toeplitz(maps.pressure).apply(prior.sample(random)).T
    white = 0.005 * np.sqrt((clean**2).mean())
    data = clean + np.hypot(white, 0.01 * np.sqrt((clean**2).mean(0))) * random.standard_normal(clean.shape)
    evidence = twin_fit.Evidence(maps, maps.pressure, data, white, 3)
    assert evidence.data.shape == data.shape, "so few data need no longer intervals"
    noise = np.hypot(white, 0.01 * np.sqrt((data**2).mean(0)))
    factor = twin_factor.Factor.make(maps.pressure, maps.height, prior, noise, {})
    wanted = factor.log_evidence(factor.whiten(data))
    assert abs(evidence.of(true) - wanted) < 1e-9 * abs(wanted)
    chosen, best = twin_fit.search(evidence, {**true, "velocity_std": 0.2, "correlation_time": 20.0, "correlation_length": 40e3, "model_error": 0.1}, 5000.0)
    assert best == evidence.of(chosen) >= evidence.of(true) - 1, (best, evidence.of(true))
    assert all(1 / 3 < chosen[key] / true[key] < 3 for key in ("velocity_std", "correlation_time", "correlation_length")), chosen
    most, twin_fit.MOST = twin_fit.MOST, data.size // 2
    try:
        longer = twin_fit.Evidence(maps, maps.pressure, data, white, 3)
    finally:
        twin_fit.MOST = most
    assert longer.interval == 2 * INTERVAL and (longer.data == data[1::2]).all() and np.isfinite(longer.of(true))


def check_samples_of_prior(maps):
    """Standard deviation and correlation of many samples are those that were asked for."""
    faded = np.array([prior_of(maps, duration=20.0).sample(random) for _ in range(200)])
    assert abs(faded[:, :, 10].std() / (0.05 * np.exp(-1)) - 1) < 0.07
    for memory in (0.0, 8.0):
        prior = prior_of(maps, 0.05, 15e3, memory)
        many = np.array([prior.sample(random) for _ in range(400)])
        assert abs(many[:, :, -1].std() / 0.05 - 1) < 0.05
        follow = (many[:, :, -1] * many[:, :, -2]).mean() / 0.05**2
        a = pole(memory) if memory else 0
        assert abs(follow - 2 * a / (1 + a**2)) < 0.06, follow
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


def call(*arguments, fails=None, code=1):
    done = subprocess.run([sys.executable, str(scripts / "infer.py"), *map(str, arguments)], capture_output=True, text=True)
    assert (done.returncode == 0) == (fails is None), done.stdout + done.stderr
    assert fails is None or (fails in done.stderr and "Traceback" not in done.stderr and "Unable" not in done.stderr and done.returncode == code), done.stderr
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
        assert np.allclose(b["velocity"][:].sum(0) * INTERVAL, b["displacement"][-1], rtol=0, atol=1e-6 * np.abs(b["displacement"][-1]).max())
    assert "noise and is made anew" in call(maps.path, "--data", work / "d.csv", "-o", work / "c.h5", "--factor", work / "f.h5", *common[:2], *common[4:], "--noise", "0.03")
    assert "read in" in call(maps.path, "--data", work / "d.csv", "-o", work / "c.h5", "--factor", work / "f.h5", *common[:2], *common[4:])
    online = "--data", work / "d.csv", "-o", work / "c.h5", "--factor", work / "f.h5", *common[:2], *common[6:], "--model-error"
    assert "is of other model_error and is made anew" in call(maps.path, *online, "0.2") and "read in" in call(maps.path, *online, "0.2")
    with h5py.File(work / "c.h5") as file:
        own, white = np.sqrt((file["data"][:] ** 2).mean(0)), 0.01 * np.sqrt((file["data"][:] ** 2).mean())
        assert np.allclose(file["noise"][:], np.hypot(white, 0.2 * own)) and file.attrs["model_error"] == 0.2
    assert "is of other velocity_std" in call(maps.path, "--noise-pressure", "50", "--factor", work / "f.h5", *common[4:8], "--velocity-std", "0.02", *common[10:])
    with h5py.File(work / "f.h5", "r+") as file:
        file.attrs["format"] = 1
    assert "format and is made anew" in call(maps.path, "--data", work / "d.csv", "-o", work / "c.h5", "--factor", work / "f.h5", *common)
    out = call(maps.path, "--data", work / "d.csv", "-o", work / "c.h5", "--factor", work / "f.h5", "--fit-prior", work / "prior.json", *common[:4])
    assert "fit of the prior: log evidence" in out and "is of other" in out
    fitted = json.loads((work / "prior.json").read_text())
    again = call(maps.path, "--data", work / "d.csv", "-o", work / "g.h5", "--factor", work / "f.h5", "--prior", work / "prior.json", "--windows", "10,40")
    assert "read in" in again, "the prior of the file is another one"
    with h5py.File(work / "c.h5") as c, h5py.File(work / "g.h5") as g:
        assert (c["displacement"][:] == g["displacement"][:]).all() and all(c.attrs[key] == value for key, value in fitted.items())
    assert "is of other duration" in call(maps.path, "--noise-pressure", "50", "--factor", work / "f.h5", "--prior", work / "prior.json", "--duration", "77")
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
    for windows in ("1", "-4,10", "nan", "inf"):
        call(maps.path, "--data", work / "few.h5", *good, "--windows=" + windows, fails="windows are from 2 to 40 s long")
    call(maps.path, "--data", work / "few.h5", *good, "--windows", "10,x", fails="invalid numbers value: '10,x'", code=2)
    call(maps.path, "--data", work / "sensors.h5", *good, "--memory", "1e-6", fails="GB may be used; leave sensors out (--without)")
    call(maps.path, "--data", work / "sensors.h5", "--correlation-length", "100", fails="below the 5000 m between parameters")
    call(maps.path, "--data", work / "few.h5", *good, "--interval", "3", fails="no multiple of the maps' interval of 2 s")
    call(maps.path, *good, fails="neither --data nor --factor")
    (work / "odd.json").write_text('{"velocity_std": 1}')
    call(maps.path, *good, "--data", work / "sensors.h5", "--prior", work / "odd.json", fails="is no file of --fit-prior: it has other options than")
    call(maps.path, *good, "--factor", work / "none.h5", fails="give --noise-pressure [Pa], or --data")
    call(work / "sensors.h5", "--data", work / "sensors.h5", fails="sensors.h5: this is no maps.h5")
    call(work / "d.csv", "--interval", "4", "--data", work / "sensors.h5", fails="d.csv: this is no maps.h5")
    call(work / "no.h5", "--data", work / "sensors.h5", fails="no.h5: No such file or directory")
    call(maps.path, *good, "--data", work / "no.h5", fails="no.h5: No such file or directory")
    (work / "cut.h5").write_bytes((work / "sensors.h5").read_bytes()[:3000])
    call(maps.path, *good, "--data", work / "cut.h5", fails="cut.h5: truncated file")
    (work / "binary").write_bytes(bytes(range(256)))
    call(maps.path, *good, "--data", work / "binary", fails="binary: this is no sensors.h5 of agwave, and a CSV file of data has the line")
    for wrong, about in (("few.h5", "few.h5: this is no factor of infer.py"), ("d.csv", "d.csv: this is no factor of infer.py")):
        before = (work / wrong).read_bytes()
        call(maps.path, *good, "--data", work / "sensors.h5", "--factor", work / wrong, fails=about)
        assert (work / wrong).read_bytes() == before
    call(maps.path, "--data", work / "sensors.h5", "-o", work / "none" / "e.h5", fails="there is no folder", code=2)
    call(maps.path, "--data", work / "sensors.h5", "-o", maps.path, fails="is read, and would be written over", code=2)
    call(maps.path, *good, "--factor", work / "none.h5", "--noise-pressure", "50", "--model-error", "0.1", fails="--model-error is relative to data", code=2)
    call(maps.path, "--data", work / "coarse.h5", "--interval", "4", "--windows", "4", fails="there is a sample every")
    (work / "bad.csv").write_text("time,S0\n0,1\n1\n")
    call(maps.path, "--data", work / "bad.csv", *good, fails="row 2 has 1 columns")
    with h5py.File(work / "none.h5", "w") as file:
        write_maps(work / "deaf.h5")
        file.attrs["x"] = 0
    with h5py.File(work / "deaf.h5", "r+") as file:
        for key in [key for key in file if key.startswith("sensor") or key == "pressure_map"]:
            del file[key]
    call(work / "deaf.h5", "--data", work / "sensors.h5", fails="the maps have no sensors")


def check_report(work, maps):
    """twin_report.py takes the run that made the data, with noise and without, and says why not where it is another, or none."""
    time, pressure = smooth_event(maps)
    for name, factor, shift, gauges in (("truth", 1, 0, maps.gauges), ("other", 1, 60, maps.gauges), ("weak", 0.3, 0, maps.gauges), ("deaf", 1, 0, ["X"])):
        (work / name).mkdir()
        write_records(work / name / "sensors.h5", maps.sensors, time, factor * np.roll(pressure, shift, axis=0))
        with h5py.File(work / name / "sensors.h5", "r+") as file:
            file["gauge"], file["surface_height"] = gauges, np.outer(np.sin(time / 10), np.ones(len(gauges)))
        with h5py.File(work / name / "surface.h5", "w") as file:
            x, y = (np.linspace(0, grid[-1] + 1000, 30) for grid in (maps.grid_x, maps.grid_y))
            file["x"], file["y"], file["uplift"], file["maximum_height"] = x, y, np.exp(-np.hypot(x - 15e3, y[:, None] - 10e3) / 5e3), np.zeros((30, 30))

    def report(posterior, truth, fails=None):
        command = [sys.executable, scripts / "twin_report.py", posterior, "--truth", truth, "--observed", "1", "-o", work / "twin.html"]
        done = subprocess.run(command, capture_output=True, text=True)
        assert (done.returncode == 0) == (fails is None), done.stdout + done.stderr
        assert fails is None or (fails in done.stderr and done.stderr.count("\n") == 1 and done.returncode == 1), done.stderr

    inferred = maps.path, "--data", work / "truth", "--correlation-length", "15000", "-o", work / "posterior.h5"
    call(*inferred, "--add-noise", "1", "--noise", "1")
    report(work / "posterior.h5", work / "truth")
    call(*inferred)
    report(work / "posterior.h5", work / "truth" / "sensors.h5")
    for name in ("other", "weak"):
        report(work / "posterior.h5", work / name, f"{name}: this run did not make the data: its pressure is off them by")
    report(work / "posterior.h5", work / "deaf", "deaf: this file has no record of G0, G1; it has X")
    report(work / "posterior.h5", work / "none", "none: No such file or directory")
    report(work / "missing.h5", work / "truth", "missing.h5: No such file or directory")
    report(maps.path, work / "truth", "maps.h5: this is no posterior.h5 of")
    report(work / "blind_out.h5", work / "truth", "blind_out.h5: it has no forecast to compare")
    with h5py.File(work / "truth" / "surface.h5", "r+") as file:
        file["x"][:] /= 10
    report(work / "posterior.h5", work / "truth", "surface.h5: its domain ends at x =")
    (work / "truth" / "surface.h5").unlink()
    report(work / "posterior.h5", work / "truth", "surface.h5 does not exist; the truth needs output.surface_interval > 0")


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
    calm = write_maps(work / "calm.h5", sensors=12)
    check_calibration(calm)
    check_fit(calm)
    check_command(work, maps)
    check_errors(work, maps)
    check_no_gauges(work)
    check_report(work, maps)
    check_sensor_pressure(maps, work / "ride_data.h5")
print("passed")
