#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Compares a run with two things that can be had without it: linear long waves, and sound at the speed c.

Long waves: eta_t + div(h v) = b_t, v_t + g grad eta = 0 in slightly compressible water, on a staggered grid, second order, over the same depths and
lifted by the same moving seafloor, which `agwave check --plot FILE.json` hands out at a row of times. Sources a few depths across make waves that are
not that long: so the floor's motion reaches the surface as 1 / cosh(k h) (Kajiura, 1963), and the waves have the dispersion of Boussinesq's equations;
--plain leaves both out. At each gauge away from the uplift it compares when the surface first rises past a tenth of its crest, when the crest comes
and how high it is; both records are smoothed alike, so that sound does not count.

Sound: the pressure at sensors whose names begin with --line, by their distance from the first, along a line that leads away from the source. Its
front runs at c; the resonances of the water column behind it are slower, so the record is taken less its Gaussian mean over 1 s, and the front is
where that first passes a twentieth of its largest value. The delay along the line is path length / c. The mesh has to carry periods of some 2 s.

Ends with 1 when an arrival is off by more than --limit of its time, or the speed of sound by more than that.

Example:
    check_arrivals.py results/unimak --agwave build/cpu/agwave --case configs/unimak.yaml --bathymetry /data/aleutians_etopo1.nc -o arrivals.png
"""
import argparse
import json
import pathlib
import subprocess
import sys
import tempfile

import h5py
import matplotlib

matplotlib.use("Agg")
import matplotlib.pyplot as plt
import numpy as np


def uplift_history(args, folder, every=10.0, most=60):
    """x, y, depth and uplift at 0, every, 2 every, ... until it stays as it is at the end of the case."""
    def at(time):
        path = pathlib.Path(folder) / "map.json"
        change = [] if time is None else ["--set", f"time.end={time:g}"]
        grid = ["--set", f"domain.bathymetry.file={args.bathymetry}"] if args.bathymetry else []
        command = [args.agwave, "check", args.case, "--device", "cpu", "--output", folder, "--plot", str(path), *grid, *change,
                   "--set", f"mesh.elements=[{args.elements},1]", "--set", f"domain.bathymetry.min_depth={args.min_depth:g}",
                   "--set", "output.surface_interval=0"]
        subprocess.run(command, check=True, stdout=subprocess.DEVNULL)
        return json.loads(path.read_text())

    final = at(None)
    shape = len(final["y"]), len(final["x"])
    last = np.reshape(final["uplift"], shape)
    history = [np.zeros(shape)]
    while len(history) <= most and np.abs(history[-1] - last).max() > 1e-9 * np.abs(last).max():
        history.append(np.reshape(at(every * len(history))["uplift"], shape))
    return np.array(final["x"]), np.array(final["y"]), np.reshape(final["depth"], shape), every * np.arange(len(history)), np.array(history)


def fade_of_floor(uplift, depth, dx, dy):
    """What rises at the surface when the floor does, by wavenumber 1 / cosh(k h) (Kajiura, 1963); filters of nine depths, blended by the local one."""
    pad = [(0, 0), (40, 40), (40, 40)]
    wide, h = np.pad(uplift, pad, mode="linear_ramp"), np.pad(depth, pad[1:], mode="edge")
    k = np.hypot(*np.meshgrid(2 * np.pi * np.fft.rfftfreq(wide.shape[2], dx), 2 * np.pi * np.fft.fftfreq(wide.shape[1], dy)))
    levels = np.linspace(0, h.max(), 9)
    surface = np.zeros_like(wide)
    for level in levels:
        share = np.maximum(0, 1 - np.abs(h - level) / levels[1])
        surface += np.fft.irfft2(np.fft.rfft2(wide * share) / np.cosh(np.minimum(k * level, 300)), wide.shape[1:])
    return surface[:, 40:-40, 40:-40]


def long_waves(x, y, depth, times, uplift, gauges, end, gravity, sound_speed, dispersive):
    """eta(time, gauge); what reaches the edges leaves at sqrt(g h). Dispersive: grad phi for grad eta, (1 - div h^2/3 grad) phi = eta."""
    dx, dy = x[1] - x[0], y[1] - y[0]
    dt = 0.5 / np.sqrt(gravity * depth.max() * (1 / dx**2 + 1 / dy**2))
    steps = int(np.ceil(end / dt))
    dt = end / steps
    hx, hy = 0.5 * (depth[:, 1:] + depth[:, :-1]), 0.5 * (depth[1:] + depth[:-1])
    speed, stored = np.sqrt(gravity * depth), 1 + gravity * depth / sound_speed**2
    i = np.clip(np.searchsorted(x, gauges[0]) - 1, 0, x.size - 2)
    j = np.clip(np.searchsorted(y, gauges[1]) - 1, 0, y.size - 2)
    u, v = (gauges[0] - x[i]) / dx, (gauges[1] - y[j]) / dy
    if dispersive:
        uplift = fade_of_floor(uplift, depth, dx, dy)

    def divergence(qx, qy):  # of fluxes between the nodes; none goes through the edges
        flow = np.zeros_like(depth)
        flow[:, :-1] += qx / dx
        flow[:, 1:] -= qx / dx
        flow[:-1] += qy / dy
        flow[1:] -= qy / dy
        return flow

    def helmholtz(f):
        return f - divergence(hx**2 / 3 * np.diff(f, axis=1) / dx, hy**2 / 3 * np.diff(f, axis=0) / dy)

    def solve(right, f):  # conjugate gradients from the last solution
        rest = right - helmholtz(f)
        way, size = rest.copy(), np.vdot(rest, rest)
        while size > 1e-12 * np.vdot(right, right):
            image = helmholtz(way)
            step = size / np.vdot(way, image)
            f, rest = f + step * way, rest - step * image
            before, size = size, np.vdot(rest, rest)
            way = rest + size / before * way
        return f

    def lifted(t):
        k = min(np.searchsorted(times, t, side="right") - 1, times.size - 2)
        w = min((t - times[k]) / (times[k + 1] - times[k]), 1.0)
        return (1 - w) * uplift[k] + w * uplift[k + 1]

    eta, phi, qx, qy = np.zeros_like(depth), np.zeros_like(depth), np.zeros_like(hx), np.zeros_like(hy)
    records, floor = [np.zeros(gauges[0].size)], uplift[0]
    for n in range(steps):
        phi = solve(eta, phi) if dispersive else eta
        qx -= dt * gravity * hx * np.diff(phi, axis=1) / dx
        qy -= dt * gravity * hy * np.diff(phi, axis=0) / dy
        flow = divergence(qx, qy)
        flow[:, [0, -1]] = 2 * flow[:, [0, -1]] + 2 * (speed * eta)[:, [0, -1]] / dx  # cells at the edges are half as wide
        flow[[0, -1]] = 2 * flow[[0, -1]] + 2 * (speed * eta)[[0, -1]] / dy
        now = lifted((n + 1) * dt)
        eta = eta + (now - floor - dt * flow) / stored
        floor = now
        records.append((1 - v) * ((1 - u) * eta[j, i] + u * eta[j, i + 1]) + v * ((1 - u) * eta[j + 1, i] + u * eta[j + 1, i + 1]))
    return dt * np.arange(steps + 1), np.array(records)


def smooth(time, values, sigma):
    dt = time[1] - time[0]
    t = dt * np.arange(-int(4 * sigma / dt), int(4 * sigma / dt) + 1)
    kernel = np.exp(-0.5 * (t / sigma) ** 2)
    return np.apply_along_axis(lambda v: np.convolve(np.pad(v, t.size // 2, mode="edge"), kernel / kernel.sum(), mode="valid"), 0, values)


def arrival(time, eta, part=0.1):
    """When eta first passes a part of its crest, and when the crest comes."""
    crest = int(np.argmax(eta))
    first = int(np.argmax(eta > part * eta[crest]))
    if first == 0:
        return time[0], time[crest], eta[crest]
    low, high = eta[first - 1], eta[first]
    return time[first - 1] + (part * eta[crest] - low) / (high - low) * (time[first] - time[first - 1]), time[crest], eta[crest]


def names(file, key):
    return [v.decode() if isinstance(v, bytes) else str(v) for v in file[key][:]]


def compare_waves(file, args, axes):
    time, eta = file["time"][:], file["surface_height"][:]
    with tempfile.TemporaryDirectory() as folder:
        x, y, depth, times, uplift = uplift_history(args, folder)
    px, py = file["gauge_x"][:], file["gauge_y"][:]
    wave_time, wave = long_waves(x, y, depth, times, uplift, (px, py), time[-1], float(file.attrs["gravity"]), float(file.attrs["sound_speed"]),
                                 not args.plain)
    wave = np.stack([np.interp(time, wave_time, w) for w in wave.T], axis=1)
    eta, wave = smooth(time, eta, args.smooth), smooth(time, wave, args.smooth)
    still = np.abs(uplift[-1][np.searchsorted(y, py).clip(0, y.size - 1), np.searchsorted(x, px).clip(0, x.size - 1)]) < 0.05 * np.abs(uplift).max()
    print(f"{'gauge':10s} {'arrival [s]':>11s} {'long wave':>10s} {'off':>7s} {'crest [s]':>10s} {'long wave':>10s} {'off':>7s} {'height [m]':>11s} "
          f"{'long wave':>10s}")
    worst = 0.0
    for n, name in enumerate(names(file, "gauge")):
        here, there = arrival(time, eta[:, n]), arrival(time, wave[:, n])
        off = [a / b - 1 if b > 0 else np.nan for a, b in zip(here[:2], there[:2])]
        note = "" if still[n] else "  (on the uplift: not counted)"
        print(f"{name:10s} {here[0]:11.1f} {there[0]:10.1f} {off[0]:+7.2%} {here[1]:10.1f} {there[1]:10.1f} {off[1]:+7.2%} {here[2]:11.3f} "
              f"{there[2]:10.3f}{note}")
        if still[n]:
            worst = max(worst, abs(off[0]), abs(off[1]))
        axis = axes[n]
        axis.plot(time / 60, eta[:, n], color="#1f4e79", lw=1.4, label="agwave")
        axis.plot(time / 60, wave[:, n], color="#b5541c", lw=1.0, ls="--", label="linear long waves" + ("" if args.plain else ", dispersive"))
        axis.set_title(name, loc="left", fontsize=9)
        axis.set_ylabel("m", rotation=0)
        axis.grid(alpha=0.25, lw=0.5)
    axes[0].legend(frameon=False, fontsize=8)
    axes[-1].set_xlabel("time [min]")
    print(f"largest deviation in time {worst:.2%}")
    return worst


def compare_sound(file, prefix, part=0.05):
    """How far the speed of the front along the line is off c."""
    rows = [n for n, name in enumerate(names(file, "station")) if name.startswith(prefix)]
    if len(rows) < 2:
        return 0.0
    time, c = file["time"][:], float(file.attrs["sound_speed"])
    place = np.stack([file["x"][:][rows], file["y"][:][rows]])
    distance = np.hypot(*(place - place[:, :1]))
    pressure = file["pressure"][:][:, rows]
    quick = np.abs(pressure - smooth(time, pressure, 1.0))
    picks = np.array([time[np.argmax(p > part * p.max())] for p in quick.T])
    slope, start = np.polyfit(distance, picks, 1)
    print(f"\n{'sensor':10s} {'path [km]':>10s} {'arrival [s]':>12s} {'path / c + first':>17s}")
    for n, row in enumerate(rows):
        print(f"{names(file, 'station')[row]:10s} {distance[n] / 1e3:10.2f} {picks[n]:12.1f} {distance[n] / c + picks[0]:17.1f}")
    print(f"speed along the line {1 / slope:.1f} m/s, c = {c:g} m/s, off by {1 / slope / c - 1:+.2%}")
    return abs(1 / slope / c - 1)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("run", type=pathlib.Path, help="output directory of the run, or its sensors.h5")
    parser.add_argument("--agwave", default="agwave", help="the program, for depths and uplift")
    parser.add_argument("--case", required=True, help="the case file, with its grids at hand")
    parser.add_argument("--bathymetry", help="instead of the case's domain.bathymetry.file")
    parser.add_argument("--elements", default="135,105", help="mesh of the long waves, NX,NY: two points per element (default %(default)s)")
    parser.add_argument("--min-depth", type=float, default=200, help="as in the run [m] (default %(default)g)")
    parser.add_argument("--smooth", type=float, default=20, help="standard deviation of the filter over both records [s] (default %(default)g)")
    parser.add_argument("--line", default="L", help="sensors along which sound is timed (default %(default)s)")
    parser.add_argument("--plain", action="store_true", help="long waves without dispersion, from the floor's motion as it is")
    parser.add_argument("--limit", type=float, default=0.02, help="largest deviation that passes (default %(default)g)")
    parser.add_argument("-o", "--output", type=pathlib.Path, help="picture of the records")
    args = parser.parse_args()
    path = args.run / "sensors.h5" if args.run.is_dir() else args.run
    with h5py.File(path, "r") as file:
        gauges = file["gauge"].shape[0]
        figure, axes = plt.subplots(gauges, 1, figsize=(7, 1.25 * gauges), sharex=True, layout="constrained")
        worst = max(compare_waves(file, args, np.atleast_1d(axes)), compare_sound(file, args.line))
    if args.output:
        figure.savefig(args.output, dpi=110)
    return int(worst > args.limit)


if __name__ == "__main__":
    sys.exit(main())
