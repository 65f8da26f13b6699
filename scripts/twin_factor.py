# SPDX-License-Identifier: Apache-2.0
"""The Bayesian inverse problem of infer.py: what is done once for maps, prior and noise (offline), and with each record (online).

Data d = F m + noise, m with covariance Gamma = diag(s_l) (x) C, s_l = r^l (r = 1 where the prior does not fade). Time is outermost in d, so that the data
of a window that begins at 0 come first, and F is block lower triangular in that order. Offline:
    K = F Gamma F^T + Gamma_n = L L^T, where the first term has K(k, l) = r K(k - 1, l - 1) + F(k) C F(l)^T: one product, added up along diagonals;
    V = L^-1 F Gamma F_q^T for the heights q = F_q m at gauges;  W = L^-1 F Gamma B^T for the displacement u = B m at the end of the maps;
    variances of q and u, those of the prior less the sums of the squares in the columns of V and W, after each interval of data.
Online: y = L^-1 d, q = V^T y, u = W^T y, the weights z = L^-T y = K^-1 d, m = Gamma F^T z, and the fit F m = d - Gamma_n z. All of that is as fast as what it
reads: half of L twice, the spectrum of C F^T, and V and W, which are kept in single precision: y has variance one and their columns no more than that of the
prior, so 1e-6 of its standard deviation is off. Where z enters, large numbers cancel, and all is double.
A window keeps leading rows: L, V, W and y of the window are leading blocks of these, so one factor serves all windows, and a window adds to the one before."""
import time

import common  # first: says which package is missing

import h5py
import numpy as np
import scipy.linalg
import twin_maps

TILE = 1024  # rows and columns of L kept together in the file
FORMAT = 3  # of the file


def convolved(values, series):
    """sum_{l <= k} values[..., k - l] series[l]"""
    length = scipy.fft.next_fast_len(2 * series.size - 1, real=True)
    return scipy.fft.irfft(scipy.fft.rfft(values, length) * scipy.fft.rfft(series, length), length)[..., : series.size]


def add_along_diagonals(matrix, rows, columns, decay):
    """In place: block (k, l) += decay * block (k - 1, l - 1)."""
    for at in range(columns, matrix.shape[1], columns):
        matrix[rows:, at : at + columns] += decay * matrix[:-rows, at - columns : at]


def time_outermost(values):
    """[row, parameter, interval] -> [interval * row, parameter]"""
    rows, parameters, intervals = values.shape
    return values.transpose(2, 0, 1).reshape(intervals * rows, parameters)


def bytes_needed(sensors, gauges, parameters, intervals):
    """At the peak, and the program: K, the map, as it is and as it is observed, the same times a root of C and W, the same of gauges, V, once more in single
    precision; or, where parameters are many, before there is a K, the map and what becomes of it on the way to W."""
    data, heights = sensors * intervals, gauges * intervals
    return 8 * max(data**2 + 4 * data * parameters + 2 * heights * parameters + 1.5 * data * heights, 9 * data * parameters + heights * parameters) + 2e8


def variances_left(prior, part, sensors):
    """What is left of prior variances [column] after each interval of data: [interval, column]."""
    taken = np.array([np.einsum("ij,ij->j", rows, rows) for rows in np.split(part, len(part) // sensors)])
    return np.maximum(prior - np.cumsum(taken, axis=0), 0)


class Factor:
    """L [data, data] in Fortran order, V [data, interval * gauge] and W [data, parameter]; variances [interval, column of V or W] after so many intervals of data
    and, of the prior, displacement_variance; noise: standard deviation of each sensor [Pa]."""

    def __init__(self, L, V, W, height_variances, displacement_variances, displacement_variance, noise, about, seconds=0.0):
        self.L, self.V, self.W, self.height_variances, self.displacement_variances = L, V, W, height_variances, displacement_variances
        self.displacement_variance, self.noise, self.about, self.seconds = displacement_variance, noise, about, seconds

    @classmethod
    def make(cls, pressure, height, prior, noise, about, precision=np.float32):
        """pressure and height: maps [row, parameter, interval]; noise: standard deviation of each sensor [Pa]; precision: of V and W."""
        start = time.perf_counter()
        (rows, _, intervals), gauges = pressure.shape, len(height)
        pressure, height = prior.remembered(pressure), prior.remembered(height)
        settled = np.stack([convolved(row, prior.fading * prior.settled(intervals)) for row in pressure])
        W = np.asfortranarray(prior.covariance(time_outermost(settled)))
        del settled
        half = np.asfortranarray(prior.half(time_outermost(pressure)))
        half_height = prior.half(time_outermost(height))
        del pressure, height
        V = np.asfortranarray(half @ half_height.T)
        K = scipy.linalg.blas.dsyrk(1.0, half, lower=1)
        del half
        add_along_diagonals(K, rows, rows, prior.decay)
        add_along_diagonals(V, rows, max(1, gauges), prior.decay)
        K[np.diag_indices_from(K)] += np.tile(noise**2, intervals)
        L, failed = scipy.linalg.lapack.dpotrf(K, lower=1, overwrite_a=1, clean=1)
        if failed:
            raise ValueError(f"K is not positive definite at row {failed}: the noise is too small beside the prior for double precision; give more of it")
        del K
        solve = scipy.linalg.blas.dtrsm
        if V.size:
            V = solve(1.0, L, V, lower=1, overwrite_b=1)
        W = solve(1.0, L, W, lower=1, overwrite_b=1)
        height_variance = convolved((half_height**2).sum(1).reshape(intervals, gauges).T, prior.fading).T.ravel()
        displacement_variance = prior.displacement_variance(intervals)
        left = variances_left(height_variance, V, rows), variances_left(displacement_variance, W, rows)
        V = V.astype(precision)  # one after the other: both beside their likes are the most that is ever held
        W = W.astype(precision)
        return cls(L, V, W, *left, displacement_variance, noise, about, time.perf_counter() - start)

    def save(self, path):
        """Tiles of L above its diagonal are never written, and so take no room in the file."""
        size = self.L.shape[0]
        with common.hdf5_when_whole(path) as file:
            for key, value in self.about.items():
                file.attrs[key] = value
            file.attrs.update({"format": FORMAT, "offline_seconds": self.seconds, "displacement_variance": self.displacement_variance})
            tile = min(TILE, size)
            upper = file.create_dataset("L_transposed", (size, size), "f8", chunks=(tile, tile))
            for row in range(0, size, tile):
                upper[row : row + tile, row:] = self.L[row:, row : row + tile].T
            for key in ("V", "W"):
                file[key + "_transposed"] = getattr(self, key).T
            for key in ("height_variances", "displacement_variances", "noise"):
                file[key] = getattr(self, key)

    @classmethod
    def load(cls, path):
        with h5py.File(path, "r") as file:
            own = ("format", "offline_seconds", "displacement_variance")
            about = {key: value for key, value in file.attrs.items() if key not in own}
            transposed = [file[key + "_transposed"][:].T for key in "LVW"]
            return cls(*transposed, *(file[key][:] for key in ("height_variances", "displacement_variances")), float(file.attrs["displacement_variance"]),
                       file["noise"][:], about, float(file.attrs["offline_seconds"]))

    @staticmethod
    def about_in(path):
        with common.open_output(path, "factor of infer.py") as file:
            return dict(file.attrs)

    def whiten(self, data):
        """y = L^-1 d of data [interval, sensor], all of the maps' or those of a window, whose rows alone are read."""
        full = np.zeros(self.L.shape[0])
        full[: data.size] = data.ravel()
        return scipy.linalg.blas.dtrsv(self.L, full, lower=1, overwrite_x=1)[: data.size]

    def weights(self, y):
        """K^-1 d of the window of y, as [interval, sensor]: behind it zeros solve L^T z = y with zeros."""
        full = np.zeros(self.L.shape[0])
        full[: y.size] = y
        return scipy.linalg.blas.dtrsv(self.L, full, lower=1, trans=1, overwrite_x=1).reshape(-1, self.noise.size)

    def log_evidence(self, y):
        """Logarithm of the density of the window's data, whose covariance K is."""
        return float(-0.5 * (y @ y) - np.log(np.diag(self.L)[: y.size]).sum() - 0.5 * y.size * np.log(2 * np.pi))

    def means(self, y, windows):
        """Heights [interval, gauge] at all times of the maps and the displacement [parameter] for windows of so many intervals, ascending, of which y has all."""
        y, at = y.astype(self.V.dtype), 0
        heights, displacement, results = np.zeros(self.V.shape[1]), np.zeros(self.W.shape[1]), []
        for end in (window * self.noise.size for window in windows):
            heights, displacement = heights + self.V[at:end].T @ y[at:end], displacement + self.W[at:end].T @ y[at:end]
            results.append((heights.reshape(len(self.height_variances), -1), displacement))
            at = end
        return results

    def deviations(self, window):
        """Standard deviations of heights [interval, gauge] and of the displacement [parameter] from the data of so many intervals. No data enter."""
        heights, displacement = self.height_variances[window - 1], self.displacement_variances[window - 1]
        return np.sqrt(heights).reshape(len(self.height_variances), -1), np.sqrt(displacement)


class Motion:
    """Posterior mean of the floor's velocity h * w, where w = Gamma F^T z for the weights z; made beforehand: the spectrum of C (F * h)."""

    def __init__(self, pressure, prior):
        self.prior = prior
        self.adjoint = twin_maps.Adjoint((prior.covariance(prior.remembered(row).T) for row in pressure), *pressure.shape)

    def velocity(self, weights):
        """[interval, sensor] -> [interval, parameter]"""
        return self.prior.remembered_from(self.adjoint.apply(weights) * self.prior.fading[:, None])
