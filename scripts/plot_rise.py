#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Draws what the kinks of a linear rise do: the figure of docs/verification.md. A fault whose slip rises in 15 s, linearly and smoothly, on two meshes.

Sound of periods that the mesh does not carry (`agwave check` says which) comes out as noise that another mesh makes another of; a smooth rise of the
same length makes none. Printed, of the sensor over the fault: the share of the pressure's variance above 0.3 Hz, and by how much the trace changes from one
mesh to the other, root mean square over root mean square.

Example:
    plot_rise.py build/cpu/agwave -o docs/images/rise.png
"""
import argparse
import pathlib
import subprocess
import tempfile

import common  # first: says which package is missing
import arguments

import h5py
import matplotlib

matplotlib.use("Agg")
import matplotlib.pyplot as plt
import numpy as np

CASE = """
title: A fault under 2.5 km of water
domain: {size: [120000, 96000], bathymetry: {type: flat, depth: 2500}}
mesh: {elements: MESH}
sources:
- shape: {type: fault, reference: top, subfaults: [{x: 50000, y: 48000, depth: 1000, strike: 0, dip: 30, rake: 90, slip: 3, length: 30000, width: 12000, rise: 15}]}
  RAMP
time: {end: 60}
sensors: {interval: 0.1, seafloor: [{name: near, x: 51000, y: 48000}]}
output: {directory: out}
solver: {device: cpu}
"""
RISES = {"linear (ramp: {type: linear})": "ramp: {type: linear, duration: 15}", "smooth (no ramp)": ""}
MESHES = {"elements of 4 km": "[30, 24, 1]", "elements of 2.5 km": "[48, 38, 1]"}


def trace(agwave, ramp, mesh):
    with tempfile.TemporaryDirectory() as work:
        (pathlib.Path(work) / "case.yaml").write_text(CASE.replace("MESH", mesh).replace("RAMP", ramp))
        subprocess.run([agwave, "run", "case.yaml", "--quiet"], cwd=work, check=True)
        with h5py.File(pathlib.Path(work) / "out" / "sensors.h5") as file:
            return file["time"][:], file["pressure"][:, 0]


def above(time, pressure, frequency):
    """Share of the variance above a frequency [Hz]."""
    power = np.abs(np.fft.rfft((pressure - pressure.mean()) * np.hanning(len(pressure)))) ** 2
    return power[np.fft.rfftfreq(len(pressure), time[1] - time[0]) > frequency].sum() / power.sum()


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("agwave", type=arguments.program, help="the program")
    parser.add_argument("-o", "--output", type=pathlib.Path, default=pathlib.Path("rise.png"))
    options = parser.parse_args()
    figure, axes = plt.subplots(2, 1, figsize=(9, 5), sharex=True, sharey=True, layout="constrained")
    for ax, (rise, ramp) in zip(axes, RISES.items()):
        found = {name: trace(options.agwave, ramp, mesh) for name, mesh in MESHES.items()}
        for (name, (time, pressure)), color in zip(found.items(), ("#d8a03d", "#12324f")):
            ax.plot(time, pressure * 1e-3, color=color, linewidth=1.2, label=name)
        (time, coarse), (_, fine) = found.values()
        change, noise = np.sqrt(((coarse - fine) ** 2).mean() / (fine**2).mean()), above(time, fine, 0.3)
        ax.set_title(f"{rise}: {100 * noise:.2g} % above 0.3 Hz, changes by {100 * change:.2g} % with the mesh", loc="left", fontsize=10)
        ax.set_ylabel("floor pressure [kPa]")
        ax.grid(color="#e5e7eb")
        print(f"{rise}: {100 * noise:.3g} % of the variance above 0.3 Hz; the trace changes by {100 * change:.3g} % from one mesh to the other")
    axes[0].legend(loc="upper right", frameon=False)
    axes[1].set_xlabel("time [s]")
    common.save_picture(figure, options.output, dpi=110)
    print(options.output)


if __name__ == "__main__":
    main()
