#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Compares a run with two things that can be had without it: linear long waves, and sound in water of constant depth.

Long waves: eta_t + div(h v) = b_t, v_t + g grad eta = 0 in slightly compressible water, on a staggered grid, second order, over the same depths and
lifted by the same moving seafloor, which `agwave check --plot FILE.json` hands out at a row of times. Sources a few depths across make waves that are
not that long: so the floor's motion reaches the surface as 1 / cosh(k h) (Kajiura, 1963), and the waves have the dispersion of Boussinesq's equations;
--plain leaves both out. At each gauge away from the uplift it compares when the surface first rises past a tenth of its crest, when the crest comes
and how high it is; both records are smoothed alike, so that sound does not count. A gauge that the crest of the long wave does not pass within the
run is said to be not reached: when the surface passes a part of a crest that is not known means nothing.

Sound: first arrivals at the seafloor sensors whose names begin with --line, along a line that leads away from the source: their times, and the speed
of a line through them, against those of sound at c in water of constant depth (sound_arrivals.py). It takes a source that moves at once, for some seconds at most,
and a mesh that carries periods of a second, as in configs/unimak_sound.yaml. Other cases are told why their sound is not timed, and judged by their waves.

The domain and the sources of --case have to be those of the run, as far as its summary.json tells; what is inside of files is not compared.

Ends with 1 when an arrival is off by more than --limit of its time, or that speed by more than --limit, or when a file cannot be used, which it says; with 2 when there is nothing to compare.

Examples:
    check_arrivals.py results/unimak --agwave build/cpu/agwave --case configs/unimak.yaml --bathymetry /data/aleutians_etopo1.nc -o arrivals.png
    check_arrivals.py results/unimak_sound --agwave build/cpu/agwave --case configs/unimak_sound.yaml --bathymetry /data/aleutians_etopo1.nc -o sound.png
"""
import argparse
import json
import pathlib
import re
import subprocess
import sys
import tempfile

import common  # first: says which package is missing
import arguments
import drawing

import matplotlib

matplotlib.use("Agg")
import matplotlib.pyplot as plt
import numpy as np
import sound_arrivals


def ask_agwave(args, folder, elements, time, *words):
    """What `agwave check` says of the case with a mesh of so many elements, until a time; None: until its end."""
    sets = [f"domain.bathymetry.file={args.bathymetry}"] if args.bathymetry else []
    sets += args.set + ([] if time is None else [f"time.end={time:.12g}"])
    sets += [f"domain.bathymetry.min_depth={args.min_depth:g}"] if args.min_depth is not None else []
    sets += [f"mesh={{elements: [{elements[0]}, {elements[1]}, 1]}}", "boundary.sponge={}",  # elements of a sponge may be too wide here; the floor is the same
             "sensors={}", "output={}", "time.step=~"]  # none of which every time is a multiple of
    command = [args.agwave, "check", args.case, "--device", "cpu", "--output", folder, *words]
    done = subprocess.run(command + [word for change in sets for word in ("--set", change)], capture_output=True, text=True)
    if done.returncode:
        sys.exit(f"{common.PROGRAM}: `agwave check` does not take the case: {done.stderr.strip()}")
    return done.stdout


def floor_at(args, folder, elements, time):
    """x, y, depth and uplift, two points per element, evenly apart, at a time of the case; None: at its end."""
    path = pathlib.Path(folder) / "map.json"
    ask_agwave(args, folder, elements, time, "--plot", str(path))
    floor = json.loads(path.read_text())
    shape = len(floor["y"]), len(floor["x"])
    return np.array(floor["x"]), np.array(floor["y"]), np.reshape(floor["depth"], shape), np.reshape(floor["uplift"], shape)


def content(key, text):
    """Words and numbers of a parameter, however they are written; files may lie elsewhere, and go by their names."""
    if key.rpartition(".")[2].startswith("file"):
        return re.sub(r"[^\s,\[\]]*/", "", text)
    number = re.compile(r"[-+]?(?:\d+\.?\d*|\.\d+)(?:[eE][-+]?\d+)?")
    return number.sub("#", re.sub(r"\s", "", text)), [float(word) for word in number.findall(text)]


def says_floor(key, kinds, bathymetry):
    """Does a parameter tell the floor and how it moves? A prepared file stands for a grid and what is said of it, and --bathymetry for the file of a grid."""
    if key.startswith("domain.bathymetry."):
        return kinds.count("prepared") != 1 and not (bathymetry and key.endswith(".file"))
    return key.startswith(("domain.", "sources["))


def check_case(args, folder, run):
    """The case has to be that of the run, as far as its parameters tell: another would be compared without a word."""
    here = json.loads(ask_agwave(args, folder, args.elements, None, "--json"))["case"]["parameters"]
    kinds = [parameters.get("domain.bathymetry.type") for parameters in (run, here)]
    for key in sorted({*run, *here}):
        recorded, given = (parameters.get(key, "none") for parameters in (run, here))
        if says_floor(key, kinds, args.bathymetry) and content(key, recorded) != content(key, given):
            raise ValueError(f"the run has {key} {recorded}, and {args.case} as it is given here has {given}; give the run's case, with --set and --min-depth as in the run")


def case_of(summary):
    """Parameters of the run's case by their keys; none while it has no summary, or one that does not tell."""
    parameters = common.read_json(summary).get("case", {}).get("parameters", {}) if summary.is_file() else {}
    if not parameters:
        print(f"{summary} does not tell the case of the run: that {summary.parent} is a run of this case is taken for granted")
    return parameters


def no_images(run):
    """What of the run's water the images of a rigid floor below a free surface do not know; nothing, mostly."""
    if any(key.startswith("ocean.sound_speed.") for key in run):
        return "the speed of sound differs by place, and by images it does not"
    if any(key.startswith("boundary.floor.") for key in run):
        return "the floor takes in sound, and by images it is rigid"
    return "the surface is rigid, and by images it is free" if run.get("boundary.surface") == "rigid" else ""


def uplift_history(at, end, every=10.0):
    """x, y, depth and uplift at 0, every, 2 every, ... until it stays as it is at the end of the case, or `end`."""
    x, y, depth, last = at(None)
    history = [np.zeros_like(last)]
    while every * (len(history) - 1) < end and np.abs(history[-1] - last).max() > 1e-9 * np.abs(last).max():
        history.append(at(every * len(history))[3])
    return x, y, depth, every * np.arange(len(history)), np.array(history)


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


def reached(time, wave, sigma, uplift):
    """Does the crest of the long wave pass within the record, clear of its smoothed end? Less than a thousandth of the uplift is no wave yet."""
    crest = int(np.argmax(wave))
    return bool(wave[crest] > 1e-3 * uplift and time[crest] < time[-1] - 2 * sigma)


def percent(off):
    """In columns; of no time there is none."""
    return f"{off:+7.2%}" if np.isfinite(off) else f"{'-':>7s}"


def names(file, key):
    return [v.decode() if isinstance(v, bytes) else str(v) for v in file[key][:]] if key in file else []


def not_compared(why):
    print(f"long waves: not compared; {why}")


def compare_waves(file, args, folder, figure):
    written = common.written_samples(file)
    time = file["time"][:written]
    eta = common.known(file["surface_height"][:written], names(file, "gauge"), time)
    axes = np.atleast_1d(figure.subplots(eta.shape[1], 1, sharex=True))
    x, y, depth, times, uplift = uplift_history(lambda t: floor_at(args, folder, args.elements, t), time[-1])
    if not uplift.any():
        return not_compared("nothing lifts the floor")
    px, py = file["gauge_x"][:], file["gauge_y"][:]
    wave_time, wave = long_waves(x, y, depth, times, uplift, (px, py), time[-1], float(file.attrs["gravity"]), float(file.attrs["sound_speed"]),
                                 not args.plain)
    wave = np.stack([np.interp(time, wave_time, w) for w in wave.T], axis=1)
    eta, wave = smooth(time, eta, args.smooth), smooth(time, wave, args.smooth)
    still = np.abs(uplift[-1][np.searchsorted(y, py).clip(0, y.size - 1), np.searchsorted(x, px).clip(0, x.size - 1)]) < 0.05 * np.abs(uplift).max()
    print(f"{'gauge':10s} {'arrival [s]':>11s} {'long wave':>10s} {'off':>7s} {'crest [s]':>10s} {'long wave':>10s} {'off':>7s} {'height [m]':>11s} "
          f"{'long wave':>10s}")
    worst, largest = None, np.abs(uplift).max()
    for n, name in enumerate(names(file, "gauge")):
        if still[n] and not reached(time, wave[:, n], args.smooth, largest):
            print(f"{name:10s} {'not reached':>11s} within {common.duration(time[-1])}")
            draw_waves(axes[n], time, eta[:, n], wave[:, n], name + ", not reached", args.plain)
            continue
        here, there = arrival(time, eta[:, n]), arrival(time, wave[:, n])
        off = [a / b - 1 if b > 0 else np.nan for a, b in zip(here[:2], there[:2])]
        note = "" if still[n] else "  (on the uplift: not counted)"
        print(f"{name:10s} {here[0]:11.1f} {there[0]:10.1f} {percent(off[0])} {here[1]:10.1f} {there[1]:10.1f} {percent(off[1])} {here[2]:11.3f} "
              f"{there[2]:10.3f}{note}")
        if still[n]:
            worst = max(worst or 0.0, abs(off[0]), abs(off[1]))
        draw_waves(axes[n], time, eta[:, n], wave[:, n], name, args.plain)
    axes[0].legend(frameon=False, fontsize=8)
    axes[-1].set_xlabel("time [min]")
    print("long waves: no gauge away from the uplift is reached within the run" if worst is None else f"largest deviation in time {worst:.2%}")
    return worst


def draw_waves(axis, time, eta, wave, title, plain):
    axis.plot(time / 60, eta, color="#1f4e79", lw=1.4, label="agwave")
    axis.plot(time / 60, wave, color="#b5541c", lw=1.0, ls="--", label="linear long waves" + ("" if plain else ", dispersive"))
    axis.set_title(drawing.plain(title), loc="left", fontsize=9)
    axis.set_ylabel("m", rotation=0)
    axis.grid(alpha=0.25, lw=0.5)


def compare_sound(file, args, folder, figure, run):
    if no_images(run):
        return sound_arrivals.not_timed(no_images(run))
    stations = names(file, "station")
    rows = [n for n, name in enumerate(stations) if name.startswith(args.line) and file["station_kind"][n] == 0]  # on the seafloor
    elements = np.array([int(n) for n in str(file.attrs["mesh"]).split()[0:3:2]])  # of "NX x NY x NZ elements, ..."
    return sound_arrivals.compare(file, rows, [stations[n] for n in rows], elements, lambda n, t: floor_at(args, folder, n, t), figure, args.limit)


def elements(words):
    counts = [int(word) if word.isdecimal() else 0 for word in words.split(",")]
    if len(counts) != 2 or min(counts) < 1:
        raise argparse.ArgumentTypeError(f"'{words}' is not NX,NY, two whole numbers from 1 on")
    return counts


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("run", type=pathlib.Path, help="output directory of the run, or its sensors.h5")
    parser.add_argument("--agwave", type=arguments.program, default="agwave", help="the program, for depths and uplift")
    parser.add_argument("--case", required=True, help="the case file, with its grids at hand")
    parser.add_argument("--set", action="append", default=[], metavar="KEY=VALUE", help="as in the run; may be repeated")
    parser.add_argument("--bathymetry", help="instead of the case's domain.bathymetry.file")
    parser.add_argument("--elements", type=elements, default="135,105", help="mesh of the long waves, NX,NY: two points per element (default %(default)s)")
    parser.add_argument("--min-depth", type=float, help="as in the run, if not as in the case [m]")
    parser.add_argument("--smooth", type=float, default=20, help="standard deviation of the filter over both records [s] (default %(default)g)")
    parser.add_argument("--line", default="L", help="sensors along which sound is timed (default %(default)s)")
    parser.add_argument("--plain", action="store_true", help="long waves without dispersion, from the floor's motion as it is")
    parser.add_argument("--limit", type=arguments.positive, default=0.02, help="largest deviation that passes (default %(default)g)")
    parser.add_argument("-o", "--output", type=pathlib.Path, help="picture of the waves, else of the sound; NAME_sound of the sound when both are compared")
    args = parser.parse_args()
    if not 0 < args.smooth < np.inf:
        parser.error(f"--smooth {args.smooth:g}: seconds above 0")
    arguments.check_outputs(parser, args.output)
    path = common.output_file(args.run, "sensors.h5", "give the output directory of a run with sensors, or its sensors.h5")
    pictures = [args.output, args.output.with_stem(args.output.stem + "_sound")] if args.output else [None, None]
    arguments.spare(parser, [path, pathlib.Path(args.case), args.bathymetry and pathlib.Path(args.bathymetry)], *pictures)
    figures = {}
    with common.concerning(path), common.open_output(path, "sensors.h5") as file, tempfile.TemporaryDirectory() as folder:
        with common.concerning(path.parent / "summary.json"):
            run = case_of(path.parent / "summary.json")
            if run:
                check_case(args, folder, run)
        gauges = len(names(file, "gauge"))
        waves = plt.figure(figsize=(7, max(1.25 * gauges, 2)), layout="constrained")
        sound = plt.figure(figsize=(9, 5.5), layout="constrained")
        if gauges:
            off = compare_waves(file, args, folder, waves)
            if off is not None:
                figures[waves] = off
        else:
            not_compared("the run has no gauges of the surface")
        off = compare_sound(file, args, folder, sound, run)
        if off is not None:
            figures[sound] = off
    if args.output:
        for figure in figures:
            common.save_picture(figure, pictures[bool(figure is sound and gauges)], dpi=110)
    if not figures:
        return 2
    return int(max(figures.values()) > args.limit)


if __name__ == "__main__":
    sys.exit(main())
