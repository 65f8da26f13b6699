#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""When sound arrives along the axis of a deep channel over a flat, rigid floor, against rays: configs/munk.yaml, say.

Source and hydrophones are at one depth. A ray that leaves at an angle goes round in loops above it and below it, until it turns where
c = c(source) / cos(angle) or is sent back by the surface or the floor. A loop takes

    R = 2 integral c / (C sqrt(1 - c^2 / C^2)) dz,    T = 2 integral 1 / (c sqrt(1 - c^2 / C^2)) dz,    C = c(source) / cos(angle),

and m loops above and n below, which differ by one at most, end at the distance m R_above + n R_below. Compared is what a record shows best: the first rays,
and those with as many loops above as below, of which there are always two at the same time, one that begins upwards and one downwards. Each should be a peak of
the envelope of the pressure within --tolerance of its time. Exit code 1 where one is not.

Example:
    channel_arrivals.py results/munk --source 10165.005,0,-1334.995 --floor 5000 --start 1.6 --distances 42e3,80e3,120e3,158e3,198e3
"""
import argparse
import functools
import pathlib
import sys

from common import concerning, known, open_output, output_file, read_json, written_samples  # first: says which package is missing
from arguments import finite, numbers, positive

import numpy as np
from scipy.signal import find_peaks

POINTS, WEIGHTS = np.polynomial.legendre.leggauss(200)
POINTS, WEIGHTS = 0.5 * (POINTS + 1), 0.5 * WEIGHTS  # of [0, 1]


def munk(depth, axis=1300.0, scale=1300.0, speed=1500.0, perturbation=0.00737):
    d = 2 * (depth - axis) / scale
    return speed * (1 + perturbation * (d - 1 + np.exp(-d)))


def speed_of(summary):
    """Munk's profile as the run's case has it; with his numbers where there is no summary yet. Rays of another one than the run's would find its arrivals off."""
    prefix, parameters = "ocean.sound_speed", read_json(summary).get("case", {}).get("parameters", {}) if summary.is_file() else {}
    if parameters and parameters.get(prefix + ".type") != "munk":
        given = {key: value for key, value in parameters.items() if key.startswith(prefix)}
        raise ValueError(f"rays are those of {{type: munk}}, and the run has {', '.join(map(': '.join, given.items())) or 'one speed of sound everywhere'}")
    return functools.partial(munk, **{key: float(parameters[f"{prefix}.{key}"]) for key in ("axis", "scale", "speed", "perturbation") if f"{prefix}.{key}" in parameters})


def turning_depth(speed, slowest, source, end):
    """Where c is `slowest` between the depths of the source and of the surface or floor, by bisection; that end where it is not reached."""
    if speed(end) <= slowest:
        return end
    near, far = source, end
    for _ in range(100):
        middle = 0.5 * (near + far)
        near, far = (middle, far) if speed(middle) <= slowest else (near, middle)
    return near


def loop(speed, angle, source, end):
    """Distance [m], time [s] and depth of return [m] of a loop towards `end`, the surface or the floor."""
    slowest = speed(source) / np.cos(angle)
    turn = turning_depth(speed, slowest, source, end)
    depth = turn + (source - turn) * POINTS**2  # close together where the ray turns
    length = 2 * abs(source - turn) * POINTS * WEIGHTS
    c = speed(depth)
    steep = np.sqrt(np.maximum(1 - (c / slowest) ** 2, 1e-300))
    return 2 * np.sum(length * c / slowest / steep), 2 * np.sum(length / c / steep), turn


def rays(speed, source, floor, distance, steepest):
    """(time, angle, loops above, loops below, least depth, largest depth) of every ray to the distance, by time."""
    angles = np.radians(np.linspace(0.3, steepest, 4000))
    above = np.array([loop(speed, a, source, 0.0) for a in angles])
    below = np.array([loop(speed, a, source, floor) for a in angles])
    found = []
    for n in range(int(distance / below[:, 0].min()) + 2):
        for m in (n - 1, n, n + 1):
            if m < 0 or m + n == 0:
                continue
            off = m * above[:, 0] + n * below[:, 0] - distance
            for k in np.nonzero(off[1:] * off[:-1] < 0)[0]:
                part = off[k] / (off[k] - off[k + 1])
                at = [(1 - part) * values[k] + part * values[k + 1]
                      for values in (m * above[:, 1] + n * below[:, 1], np.degrees(angles), above[:, 2], below[:, 2])]
                found.append((at[0], at[1], m, n, at[2] if m else source, at[3] if n else source))
    return sorted(found)


def envelope(values, finer):
    """Of the analytic signal, at `finer` times as many places."""
    spectrum = np.fft.rfft(values)
    padded = np.zeros(finer * values.size, complex)
    padded[: spectrum.size] = spectrum
    return 2 * finer * np.abs(np.fft.ifft(padded))


def shown_best(arrivals, pulse):
    """The first rays, those within a pulse of the very first, at their mean; then, from two pulses after it on, those with as many loops above as below."""
    begin = arrivals[0][0]
    first = [ray for ray in arrivals if ray[0] < begin + pulse]
    yield (np.mean([ray[0] for ray in first]), *max(first, key=lambda ray: ray[1])[1:])
    yield from (ray for ray in arrivals if ray[2] == ray[3] and ray[0] > begin + 2 * pulse)


def compare(path, options):
    """Prints a row for every arrival; returns how far the worst is off, as a part of its time."""
    speed = speed_of(path.parent / "summary.json")
    with open_output(path, "sensors.h5") as file:
        x, y, z = (file[axis][:] for axis in "xyz")
        written = written_samples(file)
        time = file["time"][:written] - options.start
        distance = np.hypot(x - options.source[0], y - options.source[1])
        level = (file["station_kind"][:] == 1) & (np.abs(z - options.source[2]) < 1)
        if not level.any():
            raise ValueError(f"no hydrophone lies at the depth of the source, {-options.source[2]:g} m")
        chosen = [int(np.argmin(np.where(level, np.abs(distance - wanted), np.inf))) for wanted in options.distances]
        names = [name.decode() if isinstance(name, bytes) else str(name) for name in file["station"][:][chosen]]
        records = known(np.transpose([file["pressure"][:written, n] for n in chosen]), names, file["time"]).T
    finer, worst = 8, 0.0
    print("distance [km]   angle [deg]   loops above, below   depths [m]     by rays [s]   found [s]   off [%]")
    for n, record in zip(chosen, records):
        height = envelope(record, finer)
        times = time[0] + (time[1] - time[0]) / finer * np.arange(height.size)
        peaks = times[find_peaks(height, prominence=0.1 * height.max())[0]]
        if peaks.size == 0:
            raise ValueError(f"nothing arrives at {distance[n] / 1e3:g} km")
        arrivals = rays(speed, -options.source[2], options.floor, distance[n], options.steepest)
        if not arrivals:
            raise ValueError(f"no ray of up to {options.steepest:g} degrees leads to {distance[n] / 1e3:g} km; give a larger --steepest, or hydrophones "
                             "farther away")
        if arrivals[0][0] > time[-1] - 2:
            raise ValueError(f"the first ray comes to {distance[n] / 1e3:g} km at {arrivals[0][0] + options.start:.1f} s, and the record ends at "
                             f"{time[-1] + options.start:g} s, of which the last two are left out; give a longer run, or hydrophones nearer by")
        for expected, angle, above, below, least, largest in shown_best(arrivals, options.pulse):
            if expected > time[-1] - 2:
                continue
            found = peaks[np.argmin(np.abs(peaks - expected))]
            off = found / expected - 1
            worst = max(worst, abs(off))
            print(f"{distance[n] / 1e3:10.2f}      {angle:8.1f}      {above:8d} {below:6d}      {least:6.0f} {largest:6.0f}   {expected:10.2f}   {found:9.2f}   {100 * off:+7.2f}")
    return worst


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("run", type=pathlib.Path, help="a run's folder, or its sensors.h5; the speed of sound is {type: munk}")
    parser.add_argument("--source", type=numbers, required=True, metavar="X,Y,Z", help="where the sound begins [m]")
    parser.add_argument("--floor", type=positive, required=True, metavar="DEPTH", help="depth of the flat floor [m]")
    parser.add_argument("--start", type=finite, default=0.0, metavar="S", help="when the source is at its height [s]")
    parser.add_argument("--distances", type=numbers, required=True, metavar="M,M", help="of hydrophones, the nearest is taken [m]")
    parser.add_argument("--steepest", type=float, default=25.0, metavar="DEG", help="rays up to this angle (default %(default)s)")
    parser.add_argument("--pulse", type=positive, default=0.6, metavar="S", help="how long the sound of one arrival is (default %(default)s)")
    parser.add_argument("--tolerance", type=positive, default=0.5, metavar="PERCENT", help="of the time that an arrival may be off (default %(default)s)")
    options = parser.parse_args()
    if len(options.source) != 3:
        parser.error("--source X,Y,Z")
    if not 0 < -options.source[2] < options.floor:
        parser.error(f"--source: Z = {options.source[2]:g} m is not between the surface at 0 and --floor {options.floor:g} m below it")
    if not 0.3 < options.steepest < 90:
        parser.error(f"--steepest {options.steepest:g}: above 0.3, the flattest ray that is looked at, and below 90")
    path = output_file(options.run, "sensors.h5", "give the folder of a run with hydrophones")
    with concerning(path):
        worst = 100 * compare(path, options)
    print(f"worst: {worst:.2f} %")
    sys.exit(int(worst > options.tolerance))


if __name__ == "__main__":
    main()
