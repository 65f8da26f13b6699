# SPDX-License-Identifier: Apache-2.0
"""What data say of the floor and the sea surface, window by window, and the file that holds it. A part of infer.py."""
import time

from common import hdf5_when_whole  # first: says which package is missing

import h5py
import numpy as np


class Posterior:
    """For each window (number of intervals) the displacement and the forecast with standard deviations; of the last one the motion and the fit too."""

    def __init__(self, factor, motion, data, windows):
        """motion: twin_factor.Motion of the same problem; what is made before the clock starts needs no data."""
        self.windows, self.data, self.stages = windows, data, {}
        clock = time.perf_counter()

        def stage(name):
            nonlocal clock
            now = time.perf_counter()
            self.stages[name], clock = now - clock, now

        y = factor.whiten(data)
        stage("whitening")
        self.forecast, self.displacement = zip(*factor.means(y, windows))
        self.forecast_std, self.displacement_std = zip(*(factor.deviations(window) for window in windows))
        stage("displacement and forecast")
        weights = factor.weights(y)
        stage("weights")
        self.velocity = motion.velocity(weights)
        stage("motion")
        self.online, self.online_mean = sum(self.stages.values()), self.stages["whitening"] + self.stages["displacement and forecast"]
        self.fit = data - factor.noise**2 * weights[: len(data)]
        ends = [window * factor.noise.size for window in windows]
        self.misfit = [(y[:end] ** 2).mean() for end in ends]
        self.evidence = [factor.log_evidence(y[:end]) for end in ends]

    def check(self):
        """What is not finite comes from the factor: data and maps have been looked at."""
        if not all(np.isfinite(part).all() for part in (*self.forecast, *self.displacement, *self.forecast_std, *self.displacement_std, self.velocity)):
            raise ValueError("the factor has numbers that are not finite; delete its file, and it is made anew")


def save(path, problem, factor, posterior, observed, added):
    """posterior.h5, with the dimensions of netCDF-4: xarray opens it. added: noise [Pa] that infer.py has added to the data of a run; None: they have their own."""
    maps = problem.maps
    grid = (maps.ny, maps.nx)
    with hdf5_when_whole(path) as file:
        def variable(name, values, dimensions, units, meaning):
            data = file.create_dataset(name, data=values)
            data.attrs.update({"units": units, "long_name": meaning})
            for axis, dimension in enumerate(dimensions):
                if dimension == name:
                    data.make_scale(name)
                else:
                    data.dims[axis].attach_scale(file[dimension])

        def names(name, values, meaning):
            file.create_dataset(name, data=np.array(values, dtype=object), dtype=h5py.string_dtype()).make_scale(name)
            file[name].attrs["long_name"] = meaning

        variable("x", maps.grid_x, ["x"], "m", "east of the south-west corner of the domain")
        variable("y", maps.grid_y, ["y"], "m", "north of the south-west corner of the domain")
        variable("time", maps.time, ["time"], "s", "of the samples")
        variable("window", maps.interval * np.array(posterior.windows), ["window"], "s", "how long data were used")
        names("sensor", problem.names, "name of the sensor")
        variable("displacement", np.reshape(posterior.displacement, (-1, *grid)), ["window", "y", "x"], "m",
                 "of the floor, posterior mean at the end of the maps")
        variable("displacement_std", np.reshape(posterior.displacement_std, (-1, *grid)), ["window", "y", "x"], "m", "its standard deviation")
        variable("velocity", maps.velocity(posterior.velocity.T).T.reshape(-1, *grid), ["time", "y", "x"], "m s-1",
                 "of the floor at these times, posterior mean from the longest window")
        seen = len(posterior.data)
        variable("data_time", maps.time[:seen], ["data_time"], "s", "of the data")
        variable("data", posterior.data, ["data_time", "sensor"], "Pa", f"{observed}, as it was used")
        variable("fit", posterior.fit, ["data_time", "sensor"], "Pa", "what the inferred motion makes of it, longest window")
        variable("noise", factor.noise, ["sensor"], "Pa", "standard deviation of noise and model error")
        for n, key in enumerate("xyz"):
            variable("sensor_" + key, problem.places[:, n], ["sensor"], "m", "place of the sensor")
        if maps.gauges:
            names("gauge", maps.gauges, "name of the gauge")
            for n, key in enumerate("xy"):
                variable("gauge_" + key, maps.gauge_places[:, n], ["gauge"], "m", "place of the gauge")
            for key in ("forecast", "forecast_std"):
                what = "surface height, posterior " + ("standard deviation" if "_" in key else "mean")
                variable(key, np.array(getattr(posterior, key)), ["window", "time", "gauge"], "m", what)
        file.attrs.update({**factor.about, "title": str(maps.attrs.get("title", "")), "motion": str(maps.attrs.get("motion", "")),
                           **{key: maps.attrs[key] for key in ("projection",) if key in maps.attrs}, **({} if added is None else {"noise_added": added}),
                           "displacement_prior_std": float(np.sqrt(factor.displacement_variance)), "misfit": posterior.misfit,
                           "log_evidence": posterior.evidence, "offline_seconds": factor.seconds, "online_seconds": posterior.online})
