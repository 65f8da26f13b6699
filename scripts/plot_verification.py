#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Draws a piston against its solution by characteristics: the figure of docs/verification.md. Exits with 1 when they disagree by more than 1e-4.

The whole floor of a closed box of depth H rises by 1 m in 3 s. In one dimension the pressure is A(t - (z + H)/c) + B(t + z/c), the velocity
(A - B) / (rho c). The floor gives A = rho c b_t + B there; the surface, where p = rho g eta and eta_t is the velocity, (A + B)_t = (g/c) (A - B).
The last one is integrated by the trapezoidal rule with steps of H/c / 4000.

Example:
    plot_verification.py build/cpu/agwave -o docs/images/piston.png
"""
import argparse
import pathlib
import subprocess
import sys
import tempfile

import common  # first: says which package is missing
import arguments

import h5py
import matplotlib

matplotlib.use("Agg")
import matplotlib.pyplot as plt
import numpy as np

RHO, C, G, H, RISE, END = 1025.0, 1500.0, 9.81, 4000.0, 3.0, 60.0
CASE = f"""
title: Piston
domain: {{size: [2000, 2000], bathymetry: {{type: flat, depth: {H}}}}}
mesh: {{elements: [1, 1, 12]}}
ocean: {{density: {RHO}, sound_speed: {C}, gravity: {G}}}
boundary: {{west: rigid, east: rigid, south: rigid, north: rigid}}
sources: [{{shape: {{type: gaussian, center: [1000, 1000], radius: [.inf, .inf]}}, ramp: {{type: smoothstep, duration: {RISE}, order: 5}}}}]
time: {{end: {END}, step: 0.01}}
sensors:
  interval: 0.05
  seafloor: [{{name: A, x: 1000, y: 1000}}]
  surface: [{{name: T, x: 1000, y: 1000}}]
output: {{directory: out}}
solver: {{device: cpu}}
"""


def characteristics(per_crossing=4000):
    """Times, floor pressure [Pa] and surface height [m]."""
    step = H / C / per_crossing
    count = int(round(END / step)) + 1
    t = np.arange(count) * step
    r = np.clip(t / RISE, 0, 1)
    rate = 2772 * (r * (1 - r)) ** 5 / RISE  # smoothstep with five zero derivatives at both ends
    up, down = np.zeros(count), np.zeros(count)  # A at the floor, B at the surface
    a = 0.5 * step * G / C
    for n in range(count):
        up[n] = RHO * C * rate[n] + (down[n - per_crossing] if n >= per_crossing else 0)
        if n == 0:
            continue
        here, before = (up[m - per_crossing] if m >= per_crossing else 0 for m in (n, n - 1))  # A at the surface
        down[n] = (down[n - 1] * (1 - a) - (here - before) + a * (here + before)) / (1 + a)
    late = lambda f: np.concatenate([np.zeros(per_crossing), f[:-per_crossing]])
    return t, up + late(down), (late(up) + down) / (RHO * G)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("agwave", type=arguments.program, help="the program")
    parser.add_argument("-o", "--output", type=pathlib.Path, default=pathlib.Path("piston.png"))
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as work:
        (pathlib.Path(work) / "case.yaml").write_text(CASE)
        subprocess.run([options.agwave, "run", "case.yaml", "--quiet"], cwd=work, check=True)
        with h5py.File(pathlib.Path(work) / "out" / "sensors.h5") as file:
            time, pressure, height = file["time"][:], file["pressure"][:, 0], file["surface_height"][:, 0]
    t, floor, surface = characteristics()
    exact = [np.interp(time, t, f) for f in (floor, surface)]
    errors = [np.abs(found - true).max() / np.abs(true).max() for found, true in zip((pressure, height), exact)]

    figure, axes = plt.subplots(2, 1, figsize=(9, 5), sharex=True, layout="constrained")
    for ax, found, true, label, scale, error in zip(axes, (pressure, height), exact, ("floor pressure [MPa]", "surface height [m]"), (1e-6, 1), errors):
        ax.plot(time, true * scale, color="#d8a03d", linewidth=4, alpha=0.8, label="characteristics")
        ax.plot(time, found * scale, color="#12324f", linewidth=1, label="agwave")
        ax.set_ylabel(label)
        ax.set_title(f"largest difference {error:.1e} of the maximum", loc="right", fontsize=9, color="#374151")
        ax.grid(color="#e5e7eb")
    for n in range(1, int(END / (4 * H / C)) + 1):
        axes[1].axvline(n * 4 * H / C, color="#6b7280", linestyle=":", linewidth=1)
    axes[1].set_xlabel("time [s]; dotted: multiples of 4H/c")
    axes[0].legend(loc="upper right", ncol=2, frameon=False)
    common.save_picture(figure, options.output, dpi=110)
    print(options.output, *(f"{error:.2e}" for error in errors))
    if max(errors) > 1e-4:
        sys.exit("plot_verification.py: the run does not follow the solution")


if __name__ == "__main__":
    main()
