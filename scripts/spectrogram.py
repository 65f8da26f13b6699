#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Draws spectrograms of a run's pressure sensors: at which frequencies, and when, sound arrives. Levels are power spectral densities in dB re 1 uPa^2/Hz.

Of several runs the panels stand below each other, for comparison.

Example:
    spectrogram.py results/t_wave --station T01,T10 -o spectrogram.png
    spectrogram.py results/t_wave_1500 results/t_wave --station T10
    spectrogram.py results/t_wave --window 8 --highest 4 --from 60 --range 50
"""
import argparse
import pathlib

from common import concerning, known, open_output, output_file, save_picture  # first: says which package is missing
from arguments import name_list, positive, spare
from drawing import plain

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


def panels_of(path, options):
    """Of a run: name, frequencies, times and levels of each station."""
    names, time, pressure = records(path, options.station)
    keep = (time >= options.begin) & (time <= options.end)
    if keep.sum() < 8:
        raise ValueError(f"fewer than 8 samples lie between {options.begin:g} and {options.end:g} s")
    time, pressure = time[keep], known(pressure[keep], names, time[keep])
    frequency, middles, level = levels(pressure, float(time[-1] - time[0]) / (len(time) - 1), options.window, options.overlap)
    run = f"{(path.parent if path.name == 'sensors.h5' else path).name}: " if len(options.run) > 1 else ""
    return [(run + name, frequency, time[0] + middles, panel) for name, panel in zip(names, level)]


def draw(panels, options):
    if len(panels) > MOST:
        raise ValueError(f"{len(panels)} panels are more than the {MOST} that a figure holds; choose some with --station")
    top = max(float(level[1:].max()) for _, _, _, level in panels)
    if not np.isfinite(top):
        raise ValueError("nothing is recorded but zeros")
    lowest = max(float(frequency[1]) for _, frequency, _, _ in panels)
    if options.highest and options.highest <= lowest:
        raise ValueError(f"--highest {options.highest:g} Hz: windows of {options.window:g} s tell of {lowest:g} Hz and above; give more, or a longer --window")
    figure, axes = plt.subplots(len(panels), 1, figsize=(9, 1.2 + 2.1 * len(panels)), sharex=True, squeeze=False, layout="constrained")
    for axis, (name, frequency, time, level) in zip(axes[:, 0], panels):
        if len(time) == 1:  # as long as its window, where neighbours would tell how long
            time, level = time + options.window * np.array([-0.25, 0.25]), np.repeat(level, 2, axis=1)
        image = axis.pcolormesh(time, frequency[1:], level[1:], vmin=top - options.depth, vmax=top, cmap="magma", shading="nearest", rasterized=True)
        axis.set_ylim(frequency[1], options.highest or frequency[-1])
        axis.set_ylabel("frequency [Hz]")
        axis.set_title(plain(name), loc="left", fontsize=10)
    axes[-1, 0].set_xlabel("time [s]")
    figure.colorbar(image, ax=axes[:, 0], label="power spectral density [dB re 1 µPa²/Hz]", aspect=15 + 10 * len(panels))
    figure.suptitle(f"Pressure, windows of {options.window:g} s", fontsize=11)
    return figure


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("run", type=pathlib.Path, nargs="+", help="a run's folder, or its sensors.h5")
    parser.add_argument("--station", type=name_list, default=[], metavar="A,B",
                        help="which ones (default: all); one with a comma in its name in double quotes")
    parser.add_argument("--window", type=positive, default=10.0, metavar="S", help="length of a window (default %(default)g)")
    parser.add_argument("--overlap", type=float, default=0.9, metavar="PART", help="of a window with the next (default %(default)g)")
    parser.add_argument("--from", dest="begin", type=float, default=0.0, metavar="S", help="beginning (default 0)")
    parser.add_argument("--to", dest="end", type=float, default=np.inf, metavar="S", help="end (default: the record's)")
    parser.add_argument("--highest", type=positive, metavar="HZ", help="frequency (default: half of the samples')")
    parser.add_argument("--range", dest="depth", type=positive, default=60.0, metavar="DB", help="of the colours, from the largest level down (default %(default)g)")
    parser.add_argument("-o", "--output", type=pathlib.Path, default=pathlib.Path("spectrogram.png"), help="picture (default %(default)s)")
    options = parser.parse_args()
    if not 0 <= options.overlap < 1:
        parser.error(f"--overlap {options.overlap:g}: from 0 up to, not including, 1")
    spare(parser, options.run, options.output)
    panels = []
    for run in options.run:
        path = output_file(run, "sensors.h5", "give the folder of a run with sensors")
        with concerning(path):
            panels += panels_of(path, options)
    with concerning(", ".join(map(str, options.run))):
        figure = draw(panels, options)
    save_picture(figure, options.output, dpi=150)
    print(options.output)


if __name__ == "__main__":
    main()
