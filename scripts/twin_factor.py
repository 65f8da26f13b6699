# SPDX-License-Identifier: Apache-2.0
"""The Bayesian inverse problem of infer.py: what is done once for maps, prior and noise (offline), and with each record (online).

Data d = F m + noise, m with covariance Gamma = diag(s_l) (x) C, s_l = r^l (r = 1 where the prior does not fade). Time is outermost in d, so that the data of a window that begins at 0 come first, and F is block
lower triangular in that order. Offline:
    K = F Gamma F^T + Gamma_n = L L^T, where the first term has K(k, l) = r K(k - 1, l - 1) + F(k) C F(l)^T: one product, added up along diagonals;
    V = L^-1 F Gamma F_q^T for the heights q = F_q m at gauges;  W = L^-1 F Gamma B^T for the displacement u = B m at the end of the maps.
Online: y = L^-1 d, then q = V^T y, u = W^T y and m = Gamma F^T L^-T y. Variances are those of the prior less the columns' sums of V^2 and W^2.
A window keeps leading rows: L, V, W and y of the window are leading blocks of these, so that one factor serves all windows."""
import pathlib
import time

import common  # noqa: F401  first: says which package is missing

import h5py
import numpy as np
import scipy.linalg

TILE = 1024  # rows and columns of L kept together in the file


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
    """At the peak: K; the map, offline the same times a root of C, W and a copy, online its spectrum and a part of it; the same of gauges; V; the program."""
    data, heights = sensors * intervals, gauges * intervals
    return 8 * (data**2 + 4 * data * parameters + 2 * heights * parameters + data * heights) + 2e8


class Factor:
    """L [data, data] in Fortran order, V [data, interval * gauge], W [data, parameter], and the prior's variances of q and u."""

    def __init__(self, L, V, W, height_variance, displacement_variance, noise, about, seconds=0.0):
        self.L, self.V, self.W, self.height_variance, self.displacement_variance = L, V, W, height_variance, displacement_variance
        self.noise, self.about, self.seconds = noise, about, seconds

    @classmethod
    def make(cls, pressure, height, prior, noise, about):
        """pressure and height: maps [row, parameter, interval]; noise: standard deviation of each sensor [Pa]."""
        start = time.perf_counter()
        rows, _, intervals = pressure.shape
        pressure, height = prior.remembered(pressure), prior.remembered(height)
        settled = np.stack([convolved(row, prior.fading * prior.settled(intervals)) for row in pressure])
        W = np.asfortranarray(prior.covariance(time_outermost(settled)))
        del settled
        half = np.asfortranarray(prior.half(time_outermost(pressure)))
        half_height = prior.half(time_outermost(height))
        V = np.asfortranarray(half @ half_height.T)
        K = scipy.linalg.blas.dsyrk(1.0, half, lower=1)
        del half
        add_along_diagonals(K, rows, rows, prior.decay)
        add_along_diagonals(V, rows, max(1, len(height)), prior.decay)
        K[np.diag_indices_from(K)] += np.tile(noise**2, intervals)
        L, failed = scipy.linalg.lapack.dpotrf(K, lower=1, overwrite_a=1, clean=1)
        if failed:
            raise ValueError(f"K is not positive definite at row {failed}: the noise is too small beside the prior for double precision; give more of it")
        del K
        solve = scipy.linalg.blas.dtrsm
        if V.size:
            V = solve(1.0, L, V, lower=1, overwrite_b=1)
        W = solve(1.0, L, W, lower=1, overwrite_b=1)
        height_variance = np.maximum(convolved((half_height**2).sum(1).reshape(intervals, len(height)).T, prior.fading).T, 0)
        displacement_variance = np.full(W.shape[1], prior.displacement_variance(intervals))
        return cls(L, V, W, height_variance, displacement_variance, noise, about, time.perf_counter() - start)

    def save(self, path):
        """Tiles of L above its diagonal are never written, and so take no room in the file. Under another name until it is whole."""
        part = pathlib.Path(str(path) + ".part")
        size = self.L.shape[0]
        with h5py.File(part, "w") as file:
            for key, value in self.about.items():
                file.attrs[key] = value
            file.attrs["offline_seconds"] = self.seconds
            tile = min(TILE, size)
            upper = file.create_dataset("L_transposed", (size, size), "f8", chunks=(tile, tile))
            for row in range(0, size, tile):
                upper[row : row + tile, row:] = self.L[row:, row : row + tile].T
            for key in ("V", "W"):
                file[key + "_transposed"] = getattr(self, key).T
            for key in ("height_variance", "displacement_variance", "noise"):
                file[key] = getattr(self, key)
        part.replace(path)

    @classmethod
    def load(cls, path):
        with h5py.File(path, "r") as file:
            if "L_transposed" not in file:
                raise ValueError(f"{path} is no factor of infer.py; give another --factor, or delete it to have it made")
            about = {key: value for key, value in file.attrs.items() if key != "offline_seconds"}
            transposed = [file[key + "_transposed"][:].T for key in "LVW"]
            return cls(*transposed, *(file[key][:] for key in ("height_variance", "displacement_variance", "noise")), about,
                       float(file.attrs["offline_seconds"]))

    @staticmethod
    def about_in(path):
        with h5py.File(path, "r") as file:
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

    def forecast(self, y):
        """Heights [interval, gauge] at all times of the maps."""
        return (self.V[: y.size].T @ y).reshape(self.height_variance.shape)

    def displacement(self, y):
        return self.W[: y.size].T @ y

    def deviations(self, window):
        """Standard deviations of heights [interval, gauge] and of the displacement [parameter] from the data of so many intervals. No data enter."""
        rows = window * self.noise.size
        squares = [np.einsum("ij,ij->j", part[:rows], part[:rows]) for part in (self.V, self.W)]
        left = (self.height_variance - squares[0].reshape(self.height_variance.shape), self.displacement_variance - squares[1])
        return [np.sqrt(np.maximum(part, 0)) for part in left]


def motion(factor, prior, toeplitz, y):
    """Posterior means [parameter, interval] from the window of y of w, Gamma F^T K^-1 d, and of the floor's velocity h * w. toeplitz: products with F * h."""
    white = prior.covariance(toeplitz.apply_transpose(factor.weights(y).T).T).T * prior.fading
    return white, prior.remembered(white)
