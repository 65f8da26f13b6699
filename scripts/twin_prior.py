# SPDX-License-Identifier: Apache-2.0
"""What is held of the floor's velocity before any data: Gaussian, of mean zero. A part of infer.py.

In space C = (delta - gamma Laplace)^-(nu + 1) on the grid of the parameters, a Matern covariance of smoothness nu, of which correlation is 0.1 to 0.14 at the
correlation length sqrt(8 nu gamma / delta) (Lindgren et al., 2011). What slips under kilometres of rock moves the floor smoothly: nu = 1 leaves too much of the
variance to what is narrower than sensors stand apart. The Laplacian is that of linear finite elements with lumped mass and free edges on each axis, so C is
diagonal in the products of two small sets of eigenvectors. Free edges would raise the variance there: C is scaled to the same standard deviation everywhere.
In time intervals are independent, of standard deviations that fall as exp(-t / duration): the event begins at t = 0 and ends. Or velocity is remembered:
m(k) = sum_s h(s) w(k - s) with w as said and h(s) ~ (s + 1) exp(-s D / tau), sum h^2 = 1, from rest: a double pole, so that velocity has a slope where a
single one would make it jump. Where w does not fade and the beginning is far, m has the standard deviation of w, and correlation (1 + t / tau) exp(-t / tau),
which falls to 1/e in the correlation time, 2.146 tau. A floor that begins at rest and fades never has as much: its standard deviation grows from nothing to
0.7 of that of w for the defaults, after half of the duration, and then falls as that of w does. As h is causal, w takes the place of m and F * h that of F,
and nothing else changes."""
import common  # noqa: F401  first: says which package is missing

import numpy as np
import scipy.fft


def axis_modes(nodes):
    """Eigenvalues [1/m2] and eigenvectors [node, mode], of unit norm in the lumped mass, of -d2/dx2."""
    if nodes.size == 1:
        return np.zeros(1), np.ones((1, 1))
    width = np.diff(nodes)
    mass = np.zeros(nodes.size)
    mass[:-1] += width / 2
    mass[1:] += width / 2
    stiffness = np.diag(np.append(1 / width, 0) + np.append(0, 1 / width)) - np.diag(1 / width, 1) - np.diag(1 / width, -1)
    scale = 1 / np.sqrt(mass)
    values, vectors = np.linalg.eigh(scale[:, None] * stiffness * scale)
    return np.maximum(values, 0), scale[:, None] * vectors


TO_ONE_OVER_E = 2.1461932206205825  # (1 + x) exp(-x) = 1/e


class Prior:
    def __init__(self, grid_x, grid_y, interval, intervals, deviation, length, memory=0.0, duration=np.inf, smoothness=1.0, risen=None):
        """deviation [m/s] of w at first, which falls by e in duration [s], correlation length [m] in space and memory [s] in time (0: none); risen: how far [m] the
        floor has come by the ends of the intervals after 1 m/s in the first one, where motion is made of splines that are longer than it."""
        self.shape, self.deviation, self.interval = (grid_y.size, grid_x.size), deviation, interval
        (value_x, self.modes_x), (value_y, self.modes_y) = axis_modes(grid_x), axis_modes(grid_y)
        fraction = 1 + length**2 / (8 * smoothness) * (value_y[:, None] + value_x)  # delta / gamma = 8 nu / length^2
        self.root = fraction ** (-(smoothness + 1) / 2)
        variance = (self.modes_y**2) @ self.root**2 @ (self.modes_x**2).T
        self.scale = deviation / np.sqrt(variance)
        self.pole, late = np.exp(-TO_ONE_OVER_E * interval / memory) if memory > 0 else 0.0, np.arange(intervals)
        self.kernel = (late + 1) * self.pole**late
        self.kernel /= np.sqrt((self.kernel**2).sum())
        self.decay = np.exp(-2 * interval / duration)  # of variances, from interval to interval
        self.fading = self.decay ** np.arange(intervals)
        self.risen = np.full(intervals, interval) if risen is None else risen

    def remembered(self, values):
        """F * h for F [..., interval]."""
        if not self.kernel[1:].any():
            return values
        if values.ndim > 2:  # the spectrum of all rows would take several times their memory
            result = np.empty_like(values)
            for row, own in enumerate(values):
                result[row] = self.remembered(own)
            return result
        length = scipy.fft.next_fast_len(2 * self.kernel.size - 1, real=True)
        product = scipy.fft.rfft(values, length) * scipy.fft.rfft(self.kernel, length)
        return scipy.fft.irfft(product, length)[..., : self.kernel.size]

    def remembered_from(self, white):
        """h * w for w [interval, ...], by the recursion of the double pole: what FFTs would take longer for."""
        result = self.kernel[0] * white
        for k in range(1, len(result)):
            result[k] += 2 * self.pole * result[k - 1]
            if k > 1:
                result[k] -= self.pole**2 * result[k - 2]
        return result

    def half(self, values):
        """values [..., parameter] times R, where C = R R^T: what stands before independent numbers of variance one."""
        grid = values.reshape(*values.shape[:-1], *self.shape) * self.scale
        return ((self.modes_y.T @ grid @ self.modes_x) * self.root).reshape(values.shape)

    def other_half(self, values):
        """R times values, along the last axis."""
        grid = self.modes_y @ (values.reshape(*values.shape[:-1], *self.shape) * self.root) @ self.modes_x.T
        return (grid * self.scale).reshape(values.shape)

    def covariance(self, values):
        """C times values, along the last axis."""
        return self.other_half(self.half(values))

    def settled(self, end):
        """Displacement [m] at the end of interval `end` - 1 for 1 m/s of w in each interval alone."""
        return np.convolve(self.kernel[:end], self.risen[:end])[:end][::-1]

    def displacement(self, motion):
        """[m] at the end of a motion [parameter, interval]."""
        return motion @ self.risen[: motion.shape[1]][::-1]

    def displacement_variance(self, end):
        return self.deviation**2 * (self.fading[:end] * self.settled(end) ** 2).sum()

    def sample(self, random):
        """A motion [parameter, interval] that the prior holds likely."""
        white = random.standard_normal((self.kernel.size, self.root.size)) * np.sqrt(self.fading[:, None])
        return self.remembered(self.other_half(white).T)
