# SPDX-License-Identifier: Apache-2.0
"""Chooses the prior and the model error by the data themselves (empirical Bayes; MacKay, 1992): those under which the record has the largest log evidence
-|L^-1 d|^2 / 2 - log det L - n/2 log 2 pi. Nothing of the truth enters. A part of infer.py.

Each try needs K anew, so intervals are made longer until MOST data are left, by which a try takes a second; standard deviations and model errors share F Gamma F^T.
From where the search begins one number after the other is made larger or smaller by a factor while the evidence rises; then all are changed together, for they
depend on each other (Nelder and Mead, in logarithms)."""
import time

import common  # noqa: F401  first: says which package is missing

import numpy as np
import scipy.linalg
import scipy.optimize
import twin_factor
import twin_maps
import twin_prior

MOST = 3000
FACTOR = 1.6
MOST_TRIES = 150  # together
WORTH = 1.0  # of log evidence: a change that brings less is none
STILL = 1e-3  # of the velocity that is begun with: a floor that moves less does not move
UNITS = {"velocity_std": "m/s", "model_error": "of a sensor's root mean square", "correlation_time": "s", "duration": "s", "correlation_length": "m"}


class Evidence:
    """Of the data [interval, sensor] of the first intervals, for observed maps [sensor, parameter, interval] and white noise [Pa]."""

    def __init__(self, maps, observed, data, white, smoothness):
        every = -(-data.size // MOST)
        self.observed = twin_maps.merged(observed[..., : len(data)], every)
        self.intervals, self.interval = self.observed.shape[-1], every * maps.interval
        self.data, self.mean_square, self.white = data[every - 1 :: every][: self.intervals], (data**2).mean(0), white
        self.grid, self.smoothness, self.tries, self.known, self.last = (maps.grid_x, maps.grid_y), smoothness, 0, {}, (None, None)

    def covariance(self, *scales):
        """F Gamma F^T for a standard deviation of 1 m/s, lower half; the last one is kept."""
        if self.last[0] != scales:
            prior = twin_prior.Prior(*self.grid, self.interval, self.intervals, 1.0, *scales, self.smoothness)
            half = np.asfortranarray(prior.half(twin_factor.time_outermost(prior.remembered(self.observed))))
            K = scipy.linalg.blas.dsyrk(1.0, half, lower=1)
            twin_factor.add_along_diagonals(K, len(self.observed), len(self.observed), prior.decay)
            self.last = scales, K
        return self.last[1]

    def of(self, chosen):
        key = tuple(sorted(chosen.items()))
        if key not in self.known:
            K = chosen["velocity_std"] ** 2 * self.covariance(*(chosen[name] for name in ("correlation_length", "correlation_time", "duration")))
            K[np.diag_indices_from(K)] += np.tile(self.white**2 + chosen["model_error"] ** 2 * self.mean_square, self.intervals)
            L, failed = scipy.linalg.lapack.dpotrf(K, lower=1, overwrite_a=1, clean=0)
            if failed:
                self.known[key] = -np.inf
            else:
                y = scipy.linalg.blas.dtrsv(L, self.data.ravel().copy(), lower=1, overwrite_x=1)
                self.known[key] = float(-0.5 * (y @ y) - np.log(np.diag(L)).sum() - 0.5 * y.size * np.log(2 * np.pi))
            self.tries += 1
        return self.known[key]


def rounded(value):
    return float(f"{value:.3g}")


def begin(options, least_length, interval, end):
    """What is given, where that is a place to begin from."""
    start = {key: float(getattr(options, key)) for key in UNITS}
    start["model_error"] = max(start["model_error"], 1e-3)
    start["correlation_time"] = max(start["correlation_time"], interval)
    start["duration"] = min(start["duration"], end)
    start["correlation_length"] = max(start["correlation_length"], least_length)
    return start


def search(evidence, chosen, least_length):
    """The best that is found, with its log evidence."""
    least = {"velocity_std": STILL * chosen["velocity_std"], "correlation_time": evidence.interval / 2, "duration": evidence.interval, "correlation_length": least_length}

    def allowed(trial):
        return all(trial[key] >= value for key, value in least.items()) and trial["model_error"] <= 1

    chosen = {key: rounded(value) for key, value in chosen.items()}
    best, improved = evidence.of(chosen), True
    while improved:
        improved = False
        for key in UNITS:
            for step in (FACTOR, 1 / FACTOR):
                while True:
                    trial = {**chosen, key: rounded(chosen[key] * step)}
                    if not allowed(trial) or not evidence.of(trial) > best + WORTH:
                        break
                    chosen, best, improved = trial, evidence.of(trial), True

    def of(logs):
        return {key: rounded(value) for key, value in zip(UNITS, np.exp(logs))}

    centre = np.log(list(chosen.values()))
    simplex = centre + np.log(FACTOR) / 2 * np.vstack([np.zeros(centre.size), np.eye(centre.size)])
    found = scipy.optimize.minimize(lambda logs: -evidence.of(of(logs)) if allowed(of(logs)) else np.inf, centre, method="Nelder-Mead",
                                    options={"initial_simplex": simplex, "xatol": 0.1, "fatol": WORTH, "maxfev": MOST_TRIES})
    return (of(found.x), -float(found.fun)) if -found.fun > best else (chosen, best)


def fit(problem, options, data, white):
    """The chosen options by name."""
    clock, evidence = time.perf_counter(), Evidence(problem.maps, problem.observed, data, white, options.smoothness)
    start = begin(options, problem.spacing, evidence.interval, evidence.intervals * evidence.interval)
    before = evidence.of({key: rounded(value) for key, value in start.items()})
    chosen, best = search(evidence, start, problem.spacing)
    if chosen["velocity_std"] < 2 * STILL * start["velocity_std"]:
        raise ValueError(f"--fit-prior: these data, of {np.sqrt(evidence.mean_square.mean()):.3g} Pa root mean square, are best explained by a floor that does not move: "
                         f"{chosen['velocity_std']:.1g} m/s, where --velocity-std is {start['velocity_std']:g}; give data of an event, longer --windows, or a --velocity-std "
                         "near its own")
    print(f"fit of the prior: log evidence {before:.0f} -> {best:.0f} of {evidence.data.size} data at intervals of {evidence.interval:g} s, {evidence.tries} tries, "
          f"{common.duration(time.perf_counter() - clock)}")
    for key, unit in UNITS.items():
        print(f"  --{key.replace('_', '-')} {chosen[key]:g}  [{unit}; before {start[key]:.3g}]")
    return chosen
