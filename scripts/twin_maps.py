# SPDX-License-Identifier: Apache-2.0
"""Parameter-to-observable maps as `agwave p2o` writes them, products with them, and the records that are compared with them. A part of infer.py.

A map is block lower-triangular Toeplitz: d_j(k) = sum_i sum_{l <= k} F[j, i, k - l] m_i(l), for sensors j, parameters i and intervals k, so that
it is a causal convolution in time and its products are those of FFTs of twice the length (Venkat et al., arXiv:2407.13066)."""
import concurrent.futures
import csv
import hashlib
import os
import pathlib
import re

import common  # first: says which package is missing

import h5py
import numpy as np
import scipy.fft
import scipy.interpolate


def text(values):
    return [v.decode() if isinstance(v, bytes) else str(v) for v in values]


def splines(every):
    """Weights of as many intervals on end, of which one quadratic B-spline is made."""
    window = np.ones(every)
    return np.convolve(np.convolve(window, window), window) / every**2


def merged(values, every):
    """Responses [..., interval] to B-splines, at every Nth sample."""
    if every == 1:
        return values
    result = np.zeros((*values.shape[:-1], values.shape[-1] // every))
    for delay, weight in enumerate(splines(every)):  # sample k of the result is number (k + 1) N - 1 of those that there are
        skip = max(0, -((every - 1 - delay) // every))  # of which those before the first are zero
        first = (skip + 1) * every - 1 - delay
        result[..., skip:] += weight * values[..., first::every][..., : result.shape[-1] - skip]
    return result


class Maps:
    """What maps.h5 holds: pressure [sensor, parameter, interval, Pa per m/s] and height [gauge, parameter, interval, m per m/s]; either may have no rows.

    With every = N > 1 N intervals are made one. A velocity that jumps from interval to interval shakes the water at the intervals' frequency and its
    multiples, to which the columns of a rigid ocean, and of a mesh, answer with resonances that no smooth event excites. So the velocity becomes a sum of
    quadratic B-splines in time, each 3 N - 2 intervals of the file long, which begin N apart and add up to one: sums of the intervals' responses with their
    weights, causal as these, of which every Nth sample is taken."""

    def __init__(self, path, every=1):
        self.path, self.every, self.weights = pathlib.Path(path), every, splines(every)
        with common.open_output(path, "maps.h5") as file:
            self.attrs = dict(file.attrs)
            fine = file["time"][:]
            if every > fine.size:
                raise ValueError(f"the maps have {fine.size} intervals, and {every} of them are to be one")
            self.interval, self.time = every * float(self.attrs["interval"]), fine[every - 1 :: every]
            self.risen = self.merged(np.minimum(fine, self.interval / every)[None])[0]  # [m] after 1 m/s in the first interval, at the samples
            self.settled = self.merged(np.full((1, fine.size), self.interval / every))[0]  # at the ends of intervals
            self.x, self.y, self.area = (file["parameter_" + key][:] for key in ("x", "y", "area"))
            self.sensors, self.gauges = (text(file[key][:]) if key in file else [] for key in ("sensor_name", "gauge_name"))
            self.places = np.transpose([file["sensor_" + key][:] for key in "xyz"]) if self.sensors else np.zeros((0, 3))
            kinds = file["sensor_kind"][:] if "sensor_kind" in file else np.zeros(len(self.sensors))  # maps of before do not tell
            self.hydrophones = [name for name, kind in zip(self.sensors, kinds) if kind == 1]
            self.gauge_places = np.transpose([file["gauge_" + key][:] for key in "xy"]) if self.gauges else np.zeros((0, 2))
            self.pressure = self.read(file, "pressure_map", (len(self.sensors), self.x.size, fine.size))
            self.height = self.read(file, "height_map", (len(self.gauges), self.x.size, fine.size))
        if not self.sensors:
            raise ValueError("the maps have no sensors, so nothing can be inferred from them; give the case seafloor sensors or hydrophones")
        self.nx, self.ny = int(self.attrs["parameter_nx"]), int(self.attrs["parameter_ny"])
        if self.nx * self.ny != self.x.size:
            raise ValueError(f"{self.x.size} parameters are no grid of parameter_nx = {self.nx} by parameter_ny = {self.ny}")
        self.grid_x, self.grid_y = self.x[: self.nx], self.y[:: self.nx]
        if not (np.allclose(np.tile(self.grid_x, self.ny), self.x) and np.allclose(np.repeat(self.grid_y, self.nx), self.y)):
            raise ValueError("parameter_x and parameter_y are no grid whose index is iy * parameter_nx + ix")

    def read(self, file, name, shape):
        """Row by row, for the maps of the file may be far larger than those that are kept."""
        if shape[0] == 0:
            return np.zeros((0, self.x.size, self.time.size))
        if file[name].shape != shape:
            raise ValueError(f"{name} is {file[name].shape} and has to be {shape}")
        result = np.array([self.merged(np.asarray(file[name][row], float)) for row in range(shape[0])])
        if not np.isfinite(result).all():
            raise ValueError(f"{name} has numbers that are not finite; is `agwave p2o` still at work?")
        return result

    def merged(self, values):
        return merged(values, self.every)

    def velocity(self, motion):
        """Of the floor at the times of the samples, for the coefficients [..., interval] of the splines: that of the file's interval which a sample is in."""
        at = self.weights[self.every - 1 :: self.every]
        return sum(weight * np.pad(motion, [(0, 0)] * (motion.ndim - 1) + [(late, 0)])[..., : motion.shape[-1]] for late, weight in enumerate(at))

    def hats(self, x, y):
        """phi_i at a point: bilinear on the grid, nothing outside."""
        def line(nodes, at):
            return np.array([np.interp(at, nodes, row, left=0, right=0) for row in np.eye(nodes.size)])
        return np.outer(line(self.grid_y, y), line(self.grid_x, x)).ravel()

    def observed(self, variable, floating=()):
        """The map to what is observed: `pressure`, or `sensor_pressure` = p - rho g b, what a gauge reads that rides on the floor; those named floating
        do not. The uplift b at the time of a sample is that of the first interval as far as it has come by then. Where motion is normal to the floor, its slope
        is left out of b: half a per cent of it at a slope of 0.1."""
        if variable == "pressure":
            return self.pressure
        result = self.pressure.copy()
        rho_g = float(self.attrs["density"]) * float(self.attrs["gravity"])
        for j in [j for j, name in enumerate(self.sensors) if name not in floating]:
            result[j] -= rho_g * np.outer(self.hats(*self.places[j, :2]), self.risen)
        return result

    def fingerprint(self, observed):
        """Two maps with the same one are the same."""
        digest = hashlib.blake2b(digest_size=16)
        for part in (self.time, self.x, self.y, self.height, observed):
            digest.update(np.ascontiguousarray(part))
        digest.update("\n".join(self.sensors + self.gauges).encode())
        return digest.hexdigest()


def floating(path):
    """Names of the hydrophones of a run, where its sensors.h5 is at hand."""
    path = pathlib.Path(path)
    path = path / "sensors.h5" if path.is_dir() else path
    if not h5py.is_hdf5(path):
        return []
    with h5py.File(path, "r") as file:
        return [name for name, kind in zip(text(file["station"][:]), file["station_kind"][:]) if kind == 1] if "station_kind" in file else []


class Toeplitz:
    """Products with a map F [row, parameter, interval] by FFT. einsum, not matmul: of hundreds of small products, each of which is reading memory, threads
    of a BLAS that wait for each other make seconds where others use the machine too."""

    def __init__(self, values):
        self.rows, self.parameters, self.intervals = values.shape
        self.length = scipy.fft.next_fast_len(2 * self.intervals - 1, real=True)
        self.spectrum = np.empty((self.length // 2 + 1, self.rows, self.parameters), complex)  # [frequency, row, parameter]
        for row, own in enumerate(values):
            self.spectrum[:, row] = scipy.fft.rfft(own, self.length, axis=1).T

    def apply(self, motion):
        """F m: [parameter, interval] -> [row, interval]."""
        product = np.einsum("fjp,pf->jf", self.spectrum, scipy.fft.rfft(motion, self.length, axis=1))
        return scipy.fft.irfft(product, self.length, axis=1)[:, : self.intervals]

    def apply_transpose(self, data):
        """F^T d: [row, interval] -> [parameter, interval]; the spectrum is conjugated, for it runs back in time."""
        product = np.einsum("fjp,jf->fp", self.spectrum, scipy.fft.rfft(data, self.length, axis=1).conj()).conj()
        return scipy.fft.irfft(product.T, self.length, axis=1)[:, : self.intervals]


class Adjoint:
    """F^T d for what has to be fast: d [interval, row] -> [interval, parameter]. `rows` hands out F, one row [interval, parameter] after the other.

    For each frequency it is one product of a vector and a matrix, and reading these matrices is all the time that it takes. Their columns are kept in pieces
    too small for a BLAS to take threads for, which would meet hundreds of times; threads of our own share the frequencies and meet once."""

    THREADS_FROM = 4096  # numbers of a matrix (OpenBLAS)
    MOST_THREADS = 8

    def __init__(self, rows, count, parameters, intervals):
        self.intervals, self.parameters = intervals, parameters
        self.length = scipy.fft.next_fast_len(2 * intervals - 1, real=True)
        columns = max(1, min(parameters, (self.THREADS_FROM - 1) // count))
        frequencies, pieces = self.length // 2 + 1, -(-parameters // columns)
        self.spectrum = np.zeros((frequencies, pieces, count, columns), complex)
        self.workers = min(self.MOST_THREADS, os.cpu_count() or 1)
        self.threads = concurrent.futures.ThreadPoolExecutor(self.workers)
        whole = np.zeros((frequencies, pieces * columns), complex)
        for number, row in enumerate(rows):
            whole[:, :parameters] = scipy.fft.rfft(row, self.length, axis=0)
            self.spectrum[:, :, number] = whole.reshape(frequencies, pieces, columns)

    def apply(self, data):
        backwards = scipy.fft.rfft(data, self.length, axis=0).conj()[:, None, None, :]  # for F^T runs back in time
        product = np.empty((len(backwards), self.spectrum.shape[1], 1, self.spectrum.shape[3]), complex)

        def share(part):
            np.matmul(backwards[part], self.spectrum[part], out=product[part])

        step = -(-len(backwards) // self.workers)
        list(self.threads.map(share, (slice(at, at + step) for at in range(0, len(backwards), step))))
        product = np.conj(product, out=product).reshape(len(backwards), -1)[:, : self.parameters]
        return scipy.fft.irfft(product, self.length, axis=0)[: self.intervals]


def number_of(cell):
    """Of a table; what is none is not a number."""
    try:
        return float(cell)
    except ValueError:
        return np.nan


SAME_PLACE = 1.0  # [m]
SAID = re.compile(r"; (\w+) \[\w+\]; time \[s\]")  # in the first line of a table of export.py


def named(names, places):
    """In words, the first three."""
    words = [f"{name} at x = {place[0]:g}, y = {place[1]:g}" + (f", z = {place[2]:g}" if np.isfinite(place[2]) else "") for name, place in zip(names[:3], places)]
    return "; ".join(words) + (f" and {len(names) - 3} more" if len(names) > 3 else "")


class Records:
    """Times and traces [time, name] of a sensors.h5, a run that has one, or a CSV file as export.py writes it."""

    def __init__(self, path, variable):
        path, self.missing = path / "sensors.h5" if path.is_dir() else path, {}  # missing: by name, where a table has no number
        self.places = self.projection = None  # tables have none
        with open(path, "rb") as file:
            hdf5 = file.read(8) == b"\x89HDF\r\n\x1a\n"
        self.table = not hdf5
        (self.read_csv if self.table else self.read_hdf5)(path, variable)

    def read_hdf5(self, path, variable):
        names = "gauge" if variable == "surface_height" else "station"
        with h5py.File(path, "r") as file:
            if variable not in file:
                raise ValueError(f"this file has no {variable}; it has {', '.join(sorted(file))}")
            written = int(file["samples_written"][()])
            self.names, self.time, self.values = text(file[names][:]), file["time"][:written], file[variable][:written]
            prefix, self.projection = "gauge_" if names == "gauge" else "", file.attrs.get("projection")
            if prefix + "x" in file:
                self.places = np.transpose([file[prefix + "x"][:], file[prefix + "y"][:], self.heights(file, names)])

    def heights(self, file, names):
        """[m] of the hydrophones; what stands on the floor stands where a mesh has it, and is not a number here."""
        z = np.full(len(self.names), np.nan)
        if names == "station" and "station_kind" in file:
            z = np.where(file["station_kind"][:] == 1, file["z"][:], z)
        return z

    def check_places(self, names, places, projection):
        """Refuses records of a run that has one of these names elsewhere than the maps, which have it at `places` [name, x and y or x, y and z]. To be called
        after `at`, which knows the names."""
        if None not in (projection, self.projection) and projection != self.projection:
            raise ValueError(f"its domain is that of '{self.projection}' and that of the maps of '{projection}', so no place is the same; give a run in the domain "
                             "of the maps")
        if self.places is None:
            return
        own = self.places[[self.names.index(name) for name in names]]
        apart = np.nanmax(np.abs(own[:, : places.shape[1]] - places), axis=1) > SAME_PLACE
        if apart.any():
            names, own, places = np.array(names)[apart], own[apart], np.pad(places[apart], [(0, 0), (0, 3 - places.shape[1])], constant_values=np.nan)
            places[np.isnan(own)] = np.nan
            raise ValueError(f"it has {named(names, own)} [m], and the maps have {named(names, places)} [m]; give a run whose sensors are where the maps have them. "
                             "infer.py leaves sensors out with --without")

    def read_csv(self, path, variable):
        with open(path, newline="", encoding="utf-8-sig", errors="replace") as file:  # spreadsheets begin with a byte order mark
            try:
                lines = [row for row in csv.reader(file) if row]
            except csv.Error:  # a field of many kilobytes: nothing that a sensor records
                lines = []
        rows = [row for row in lines if not row[0].startswith("#")]
        if not rows or rows[0][0].strip() != "time" or len(rows) < 3:
            raise ValueError("this is no sensors.h5 of agwave, and a CSV file of data has the line time,NAME,NAME,... "
                             "and at least two lines of numbers (export.py writes it)")
        said = SAID.findall(",".join(lines[0]))
        if said and said[-1] != variable:
            raise ValueError(f"its first line says that it holds {said[-1]}, and {variable} is asked for; give the table of that, or infer.py another --observed")
        self.names = [name.strip() for name in rows[0][1:]]
        for number, row in enumerate(rows[1:], 1):
            if len(row) != len(rows[0]):
                raise ValueError(f"row {number} has {len(row)} columns and the header has {len(rows[0])}")
        table = np.array([[number_of(cell) for cell in row] for row in rows[1:]])
        self.missing = {rows[0][n].strip(): f"row {row + 1}, column {rows[0][n].strip()}: '{rows[row + 1][n]}'"
                        for row, n in reversed(np.argwhere(~np.isfinite(table)).tolist())}  # the first of each column
        self.time, self.values = table[:, 0], table[:, 1:]
        if not np.isfinite(self.time).all():
            raise ValueError(f"{self.missing[rows[0][0].strip()]} is no time; give seconds")

    def at(self, times, names):
        """Values [time, name] at these times: as they are where they were sampled then, else by cubic splines in time."""
        unknown = [name for name in names if name not in self.names]
        if unknown:
            raise ValueError(f"this file has no record of {', '.join(unknown)}; it has {', '.join(self.names)}. infer.py leaves sensors out with --without")
        twice = [name for name in names if self.names.count(name) > 1]
        if twice:
            raise ValueError(f"this file has more than one record of {', '.join(twice)}; give each a name of its own. infer.py leaves sensors out with --without")
        values = self.values[:, [self.names.index(name) for name in names]]
        sampling = np.diff(self.time)
        if self.time.size < 4 or (sampling <= 0).any():
            raise ValueError(f"{self.time.size} samples, in order or not; at least four with increasing times are needed")
        slack = 1e-6 * sampling.min()
        if self.time[0] > times[0] + slack or self.time[-1] < times[-1] - slack:
            raise ValueError(f"the records are from {self.time[0]:g} to {self.time[-1]:g} s and {times[0]:g} to {times[-1]:g} s are asked for; "
                             "give longer records, or a shorter window with --windows of infer.py")
        time, values = self.until_gap(values, times[-1] - slack)
        if not np.isfinite(values).all():
            bad = [name for name, ok in zip(names, np.isfinite(values).all(0)) if not ok]
            where = "; ".join(self.missing[name] for name in bad if name in self.missing)
            raise ValueError(f"records of {', '.join(bad)} have gaps or are not finite{where and f' ({where})'}; infer.py leaves them out with --without")
        nearest = np.clip(np.searchsorted(time, times - slack), 0, time.size - 1)
        if np.abs(time[nearest] - times).max() <= slack:
            return values[nearest]
        apart = np.diff(times).min() if len(times) > 1 else times[0]
        if sampling.max() > 1.000001 * apart:
            raise ValueError(f"there is a sample every {sampling.max():g} s and the maps have one every {apart:g} s; "
                             "give records sampled at least as often, better four times (sensors.interval)")
        if time.size < 4:
            raise ValueError(f"{time.size} samples before the first gap are too few for splines between them")
        return scipy.interpolate.make_interp_spline(time, values, k=3)(times)

    def until_gap(self, values, end):
        """Times and values until the first that is not finite after the time `end`: what comes later is not asked for."""
        after = np.searchsorted(self.time, end) + 1
        gaps = np.flatnonzero(~np.isfinite(values[after:]).all(axis=1))
        stop = after + gaps[0] if gaps.size else len(values)
        return self.time[:stop], values[:stop]
