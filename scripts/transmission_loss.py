#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Draws what sound loses on its way, from a run with lines of hydrophones: the energy of a band of frequencies at each, in dB below that of a reference.

Hydrophones of one line give curves, those of several lines at different depths a picture of distance and depth. The reference is the strongest hydrophone, or
--reference NAME, or with --at-one-metre a free source of the same power at a distance of 1 m, reckoned back from the reference by spherical spreading, which
is right while the reference is near the source and far from surface and floor. Distances are from --source X,Y[,Z], or from the reference.

Example:
    transmission_loss.py results/munk --frequency 2 --source 5e3,20e3,-1300 -o loss.png
    transmission_loss.py results/munk --frequency 1,2,4 --line axis --csv loss.csv
"""
import argparse
import csv
import pathlib

from common import concerning, known, named_when_whole, open_output, output_file, save_picture, written_samples  # first: says which package is missing
from arguments import numbers, spare
from drawing import plain

import matplotlib

matplotlib.use("Agg")
import matplotlib.pyplot as plt
import matplotlib.tri
import numpy as np

THIRD_OCTAVE = 2 ** (1 / 6)  # from the middle of a band to its edges


def of_line(names, line):
    """Those of a line: its name and a number behind it. Where the name of the line itself ends in a digit, numbers are those that the program counts, 1 to the
    last one with as many digits as that, for the tenth of L is no first one of a line L1."""
    behind = {name: name[len(line):] for name in names if name.startswith(line) and name[len(line):].isdecimal()}
    counted = {f"{n + 1:0{len(str(len(behind)))}d}" for n in range(len(behind))}
    return set(behind) if not line[-1:].isdecimal() or set(behind.values()) == counted else set()


class Hydrophones:
    """Names, places [m], sampling interval [s] and pressure [sample, hydrophone] [Pa]; those of one line where it is named."""

    def __init__(self, path, line):
        with open_output(path, "sensors.h5") as file:
            if "station" not in file:
                raise ValueError("the run has no pressure sensors")
            names = [name.decode() if isinstance(name, bytes) else str(name) for name in file["station"][:]]
            hydrophones = [n for n, kind in enumerate(file["station_kind"][:]) if kind == 1]
            wanted = of_line([names[n] for n in hydrophones], line) if line else set(names)
            chosen = [n for n in hydrophones if names[n] in wanted]
            if len(chosen) < 2:
                lines = sorted({name.rstrip("0123456789") for name in names})
                raise ValueError(f"{len(chosen)} hydrophones{' of line ' + line if line else ''}, at least two are needed; names begin with {', '.join(lines)}")
            written = written_samples(file)
            self.names = [names[n] for n in chosen]
            self.place = np.column_stack([file[axis][:][chosen] for axis in "xyz"])
            self.interval = float(file["time"][written - 1]) / (written - 1)
            self.pressure = known(file["pressure"][:written][:, chosen], self.names, file["time"])

    def energy(self, frequency):
        """Of the band of a third of an octave around a frequency, whole record: the integral of |P(f)|^2 [Pa^2 s]. The line from the first sample to the last is
        taken out: a record that ends where it does not begin, as under a tsunami, has a jump for the transform, and a jump has all frequencies."""
        low, high = frequency / THIRD_OCTAVE, frequency * THIRD_OCTAVE
        samples = len(self.pressure)
        if high > 0.5 / self.interval:
            raise ValueError(f"the band around {frequency:g} Hz ends at {high:.3g} Hz, and samples every {self.interval:g} s hold {0.5 / self.interval:.3g} Hz")
        rise = np.outer(np.linspace(0, 1, samples), self.pressure[-1] - self.pressure[0])
        spectrum = np.fft.rfft(self.pressure - rise, axis=0) * self.interval
        f = np.fft.rfftfreq(samples, self.interval)
        inside = (f >= low) & (f < high)
        if inside.sum() < 2:
            raise ValueError(f"the record of {samples * self.interval:g} s has fewer than two frequencies in the band from {low:.3g} to {high:.3g} Hz")
        return 2 * (np.abs(spectrum[inside]) ** 2).sum(0) / (samples * self.interval)


def losses(water, energy, reference, source, at_one_metre):
    """Transmission loss [dB] of each hydrophone."""
    least = np.finfo(float).tiny
    loss = -10 * np.log10(np.maximum(energy, least) / max(energy[reference], least))
    if at_one_metre:
        away = np.linalg.norm(water.place[reference] - source)
        if not away > 0:
            raise ValueError("--at-one-metre needs a reference that is not at the source")
        loss += 20 * np.log10(away)
    return loss


def draw_curves(axis, distance, loss, label):
    order = np.argsort(distance)
    axis.plot(distance[order] / 1e3, loss[order], label=label, linewidth=1.3)


def spreading(axis, distance, loss):
    """Spherical and cylindrical spreading from the nearest hydrophone on, for comparison."""
    order = np.argsort(distance)
    r = distance[order][distance[order] > 0]
    if r.size < 2:
        return
    first = loss[order][distance[order] > 0][0]
    for power, style, name in ((20, ":", "spherical spreading"), (10, "--", "cylindrical spreading")):
        axis.plot(r / 1e3, first + power * np.log10(r / r[0]), style, color="#6b7280", linewidth=1, label=name)


def draw_picture(figure, axis, distance, z, loss, title):
    mesh = matplotlib.tri.Triangulation(distance / 1e3, z / 1e3)
    low, high = np.percentile(loss, [1, 99])
    image = axis.tricontourf(mesh, np.clip(loss, low, high), levels=np.linspace(low, high, 41), cmap="viridis_r")
    figure.colorbar(image, ax=axis, label="transmission loss [dB]", format="%.0f")
    axis.set_ylabel("height [km]")
    axis.set_title(title, loc="left", fontsize=10)


def save_csv(path, water, distance, frequencies, loss):
    with named_when_whole(path) as part, open(part, "w", newline="", encoding="utf-8") as file:
        table = csv.writer(file, lineterminator="\n")
        table.writerow(["name", "x", "y", "z", "distance", *(f"loss_{f:g}Hz" for f in frequencies)])
        for n, name in enumerate(water.names):
            table.writerow([name, *(f"{value:.10g}" for value in (*water.place[n], distance[n])), *(f"{row[n]:.6g}" for row in loss)])
    print(path)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("run", type=pathlib.Path, help="a run's folder, or its sensors.h5")
    parser.add_argument("--frequency", type=numbers, required=True, metavar="HZ,HZ", help="middles of bands, a third of an octave wide")
    parser.add_argument("--line", metavar="NAME", help="the hydrophones of one line (default: all)")
    parser.add_argument("--reference", metavar="NAME", help="hydrophone with a loss of 0 dB (default: the strongest)")
    parser.add_argument("--source", type=numbers, metavar="X,Y[,Z]", help="where distances begin [m] (default: at the reference)")
    parser.add_argument("--at-one-metre", action="store_true", help="losses from 1 m from the source on; needs --source X,Y,Z")
    parser.add_argument("--csv", type=pathlib.Path, metavar="FILE", help="the numbers too")
    parser.add_argument("-o", "--output", type=pathlib.Path, default=pathlib.Path("transmission_loss.png"), help="picture (default %(default)s)")
    options = parser.parse_args()
    if any(not f > 0 for f in options.frequency):
        parser.error("--frequency: above 0")
    if options.at_one_metre and len(options.source or []) != 3:
        parser.error("--at-one-metre needs --source X,Y,Z")
    if options.source and len(options.source) not in (2, 3):
        parser.error("--source X,Y or X,Y,Z")
    spare(parser, [options.run], options.output, options.csv)
    path = output_file(options.run, "sensors.h5", "give the folder of a run with hydrophones")
    with concerning(path):
        water = Hydrophones(path, options.line)
        if options.reference and options.reference not in water.names:
            raise ValueError(f"no hydrophone {options.reference}; there are {', '.join(water.names[:20])}")
        energy = [water.energy(f) for f in options.frequency]
        if not max(e.max() for e in energy) > 0:
            raise ValueError("nothing is recorded but zeros")
        reference = water.names.index(options.reference) if options.reference else int(np.argmax(energy[0]))
        source = np.array(options.source) if options.source else water.place[reference]
        distance = np.hypot(*(water.place[:, :2] - source[:2]).T)
        loss = [losses(water, e, reference, source, options.at_one_metre) for e in energy]
        depths = np.unique(np.round(water.place[:, 2], 3)).size
        several = depths >= 3 and np.unique(np.round(distance, 3)).size >= 3 and len(water.names) >= 9
        figure, axes = plt.subplots(len(loss) if several else 1, 1, figsize=(9, 3.4 * (len(loss) if several else 1.3)), squeeze=False, layout="constrained")
        for n, (f, row) in enumerate(zip(options.frequency, loss)):
            if several:
                draw_picture(figure, axes[n, 0], distance, water.place[:, 2], row, f"{f:g} Hz, a third of an octave")
            else:
                draw_curves(axes[0, 0], distance, row, f"{f:g} Hz")
        if not several:
            spreading(axes[0, 0], distance, loss[0])
            axes[0, 0].invert_yaxis()
            axes[0, 0].set_ylabel("transmission loss [dB]")
            axes[0, 0].legend(frameon=False)
        axes[-1, 0].set_xlabel("distance [km]")
        figure.suptitle(f"Loss against {'1 m from the source' if options.at_one_metre else plain(water.names[reference])}", fontsize=11)
        save_picture(figure, options.output, dpi=150)
        print(options.output)
        if options.csv:
            save_csv(options.csv, water, distance, options.frequency, loss)


if __name__ == "__main__":
    main()
