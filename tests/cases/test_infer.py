# SPDX-License-Identifier: Apache-2.0
"""What scripts/infer.py is made of, on maps made by a formula: FFT products against loops, the posterior against dense matrices, windows against their own factors, a truth
drawn from the prior found again with intervals that hold what they say, the prior chosen by the evidence, the memory that is said to be
needed, how the floor begins.   test_infer.py AGWAVE SOURCE_DIR PYTHON"""
import pathlib
import tempfile
import tracemalloc

from infer_maps import INTERVAL, random, twin_maps, write_maps
import numpy as np
import scipy.linalg
import scipy.optimize
import scipy.stats
import twin_factor
import twin_fit
import twin_prior


def prior_of(maps, deviation=0.05, length=15e3, memory=0.0, duration=np.inf, smoothness=1):
    return twin_prior.Prior(maps.grid_x, maps.grid_y, maps.interval, maps.time.size, deviation, length, memory, duration, smoothness, maps.settled)


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
    """Of maps with N intervals made one: their product is that of the file with a velocity smooth in time, at every Nth sample; velocity and displacement are
    its own; steady motion stays steady."""
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
        assert np.allclose(merged.velocity(coarse), fine[:, every - 1 :: every][:, :count], rtol=0, atol=1e-12), "the floor does not move so at the samples"
        prior = prior_of(merged, memory=6.0)
        risen = fine[:, : count * every].sum(1) * INTERVAL
        assert np.abs(prior.displacement(coarse) - risen).max() < 1e-12 * np.abs(risen).max(), "what has not ended by then counts"
        white = random.standard_normal((count, maps.x.size))
        assert np.allclose(prior.settled(count) @ white, prior.displacement(prior.remembered_from(white).T), rtol=0, atol=1e-12)
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
    still = twin_fit.Evidence(maps, maps.pressure, 1e-12 * data, 1e-12 * white, 3)
    assert twin_fit.search(still, {**true}, 5000.0)[0]["velocity_std"] >= twin_fit.STILL * true["velocity_std"], "there is no end to smaller velocities"
    most, twin_fit.MOST = twin_fit.MOST, data.size // 2
    try:
        longer = twin_fit.Evidence(maps, maps.pressure, data, white, 3)
    finally:
        twin_fit.MOST = most
    assert longer.interval == 2 * INTERVAL and (longer.data == data[1::2]).all() and np.isfinite(longer.of(true))


def check_memory():
    """What is said to be needed is, where intervals are many as where parameters are: measured at the peak of all that is made, without the program."""
    for sensors, gauges, nx, ny, count in ((16, 4, 12, 10, 160), (4, 1, 50, 40, 60)):
        with tempfile.TemporaryDirectory() as folder:
            maps = write_maps(pathlib.Path(folder) / "m.h5", sensors, gauges, nx, ny, count, 2000.0)
        observed = maps.pressure.copy()
        tracemalloc.start()
        twin_factor.Factor.make(observed, maps.height, prior_of(maps, memory=6.0), np.full(sensors, 100.0), {})
        peak = tracemalloc.get_traced_memory()[1] + observed.nbytes + maps.pressure.nbytes + maps.height.nbytes
        tracemalloc.stop()
        said = twin_factor.bytes_needed(sensors, gauges, nx * ny, count) - twin_factor.bytes_needed(0, 0, 0, 0)
        assert 0.7 * said < peak < 1.03 * said, (said, peak)


def check_beginning():
    """A floor that begins at rest and whose driver fades, by the defaults: what docs/twin.md and infer.py say of its velocity."""
    for interval, first in ((1.0, 0.0026), (2.0, 0.0062)):
        count = int(300 / interval)
        prior = twin_prior.Prior(np.zeros(1), np.zeros(1), interval, count, 0.025, 35e3, 14.0, 27.0, 3.0)
        response = scipy.linalg.toeplitz(prior.kernel, np.zeros(count))
        covariance = 0.025**2 * (response * prior.fading) @ response.T
        deviation = np.sqrt(np.diag(covariance))
        assert abs(deviation[0] / first - 1) < 0.02 and abs(deviation.max() / 0.018 - 1) < 0.04 and 12 <= interval * deviation.argmax() <= 15
        for begin in (5, 14, 40, 80):
            k = int(begin / interval)
            falls = interval * np.argmax(covariance[k, k:] / np.sqrt(covariance[k, k] * np.diag(covariance)[k:]) < np.exp(-1))
            assert 16 <= falls <= 20, (begin, falls)


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

with tempfile.TemporaryDirectory() as folder:
    work = pathlib.Path(folder)
    check_products()
    check_memory()
    check_beginning()
    check_posterior(write_maps(work / "tiny.h5", sensors=3, gauges=2, nx=4, ny=3, count=6, spacing=700.0))
    maps = write_maps(work / "maps.h5")
    check_merged(maps)
    check_samples_of_prior(maps)
    calm = write_maps(work / "calm.h5", sensors=12)
    check_calibration(calm)
    check_fit(calm)
print("passed")
