#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Draws spectrograms of a run's pressure sensors: at which frequencies, and when, sound arrives. Levels are power spectral densities in dB re 1 uPa^2/Hz.

Example:
    spectrogram.py results/t_wave --station H01,H02 -o spectrogram.png
    spectrogram.py results/t_wave --window 8 --highest 4 --from 60 --range 50
"""
import argparse
import pathlib
import sys

from common import open_output, output_file  # first: says which package is missing

import matplotlib

matplotlib.use("Agg")
import matplotlib.pyplot as plt
import numpy as np
import scipy.signal

MICROPASCAL = 1e-6
MOST = 12  # panels of one figure


def records(path, wanted):
    """Names, time [s] and pressure [sample, station] [Pa] of the stations that are wanted; all where none is named."""
    with open_output(path, "sensors.h5") as file:
        if "station" not in file:
            raise ValueError("the run has no pressure sensors")
        names = [name.decode() if isinstance(name, bytes) else str(name) for name in file["station"][:]]
        unknown = [name for name in wanted if name not in names]
        if unknown:
            raise ValueError(f"no station {', '.join(unknown)}; there are {', '.join(names)}")
        chosen = [names.index(name) for name in wanted] or list(range(len(names)))
        if len(chosen) > MOST:
            raise ValueError(f"{len(chosen)} stations are more than the {MOST} that a figure holds; choose some with --station")
        written = int(file["samples_written"][()])
        return [names[n] for n in chosen], file["time"][:written], np.column_stack([file["pressure"][:written, n] for n in chosen])


def levels(pressure, interval, window, overlap):
    """Frequencies [Hz], middles of windows [s] and power spectral density [dB re 1 uPa^2/Hz], [station][frequency, window], of samples [sample, station].
    Windows are Hann's and as long as `window` [s]; mean and trend of each are taken out, which the tsunami puts there."""
    samples = round(window / interval)
    if samples < 8:
        raise ValueError(f"--window {window:g} s holds {samples} samples, fewer than 8")
    if samples > len(pressure):
        raise ValueError(f"--window {window:g} s is longer than the record of {interval * (len(pressure) - 1):g} s")
    frequency, time, power = scipy.signal.spectrogram(pressure, 1 / interval, "hann", samples, min(samples - 1, int(overlap * samples)),
                                                      detrend="linear", axis=0)
    with np.errstate(divide="ignore"):
        return frequency, time, np.moveaxis(10 * np.log10(power / MICROPASCAL**2), 1, 0)


def draw(names, frequency, time, level, title, highest, depth, path):
    top = max(float(panel[:, 1:].max()) if panel.shape[1] > 1 else float(panel.max()) for panel in level[:, 1:])
    if not np.isfinite(top):
        raise ValueError("nothing is recorded but zeros")
    figure, axes = plt.subplots(len(names), 1, figsize=(9, 1.2 + 2.1 * len(names)), sharex=True, squeeze=False, layout="constrained")
    for axis, name, panel in zip(axes[:, 0], names, level):
        image = axis.pcolormesh(time, frequency[1:], panel[1:], vmin=top - depth, vmax=top, cmap="magma", shading="nearest", rasterized=True)
        axis.set_ylim(frequency[1], highest or frequency[-1])
        axis.set_ylabel("frequency [Hz]")
        axis.set_title(name, loc="left", fontsize=10)
    axes[-1, 0].set_xlabel("time [s]")
    figure.colorbar(image, ax=axes[:, 0], label="power spectral density [dB re 1 µPa²/Hz]", aspect=15 + 10 * len(names))
    figure.suptitle(title, fontsize=11)
    figure.savefig(path, dpi=150)
    print(path)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("run", type=pathlib.Path, help="a run's folder, or its sensors.h5")
    parser.add_argument("--station", type=lambda words: words.split(","), default=[], metavar="A,B", help="which ones (default: all)")
    parser.add_argument("--window", type=float, default=10.0, metavar="S", help="length of a window (default %(default)g)")
    parser.add_argument("--overlap", type=float, default=0.9, metavar="PART", help="of a window with the next (default %(default)g)")
    parser.add_argument("--from", dest="begin", type=float, default=0.0, metavar="S", help="beginning (default 0)")
    parser.add_argument("--to", dest="end", type=float, default=np.inf, metavar="S", help="end (default: the record's)")
    parser.add_argument("--highest", type=float, metavar="HZ", help="frequency (default: half of the samples')")
    parser.add_argument("--range", dest="depth", type=float, default=60.0, metavar="DB", help="of the colours, from the largest level down (default %(default)g)")
    parser.add_argument("-o", "--output", type=pathlib.Path, default=pathlib.Path("spectrogram.png"), help="picture (default %(default)s)")
    options = parser.parse_args()
    if not 0 <= options.overlap < 1:
        parser.error(f"--overlap {options.overlap:g}: from 0 up to, not including, 1")
    path = output_file(options.run, "sensors.h5", "give the folder of a run with sensors")
    try:
        names, time, pressure = records(path, options.station)
        keep = (time >= options.begin) & (time <= options.end)
        if keep.sum() < 8:
            raise ValueError(f"fewer than 8 samples lie between {options.begin:g} and {options.end:g} s")
        time, pressure = time[keep], pressure[keep]
        interval = float(time[-1] - time[0]) / (len(time) - 1)
        frequency, middles, level = levels(pressure, interval, options.window, options.overlap)
        title = f"Pressure, windows of {options.window:g} s"
        draw(names, frequency, time[0] + middles, level, title, options.highest, options.depth, options.output)
    except (OSError, KeyError, ValueError) as error:
        sys.exit(f"spectrogram.py: {path}: {error}")


if __name__ == "__main__":
    main()
