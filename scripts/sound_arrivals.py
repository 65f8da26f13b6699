# SPDX-License-Identifier: Apache-2.0
"""The first sound along a line of seafloor sensors, against c and against sound in water of constant depth. A part of check_arrivals.py.

Below a free surface at z = 0 and over a rigid floor at z = -h, which moves by b, the pressure at the floor is, gravity aside,

    p(x, t) = rho / (2 pi) sum_n (-1)^n  integral b_tt(x', t - R_n / c) / R_n dx' dy',    R_n^2 = |x - x'|^2 + (2 n h)^2,    n = 0, +-1, +-2, ...

the moving floor and its images in surface and floor. Here h is the mean depth between source and sensor: the first of the sound goes straight,
with n = 0, and hardly knows it. What follows has to: a water column of depth h carries nothing below c / (4 h) and frequencies f above it at
c sqrt(1 - (c / (4 h f))^2), so that only the front, small and quick, runs at c. The pick is when the rate of the pressure, dp/dt, of the run and of the
sum first passes a part of the largest in the sum. Sound from an extended source starts at its near edge; the sum knows that, r / c does not.

One time has to hold for the whole source: a floor that moves for long, or in one place after the other, is heard first from its nearest
part, wherever that is. Such sources are not timed.
"""
import numpy as np
from common import duration, known, written_samples

QUICK = 3.0  # [s]: a floor that moves for longer is not timed
PARTS = 0.2, 0.1, 0.05  # of the largest rate of the pressure by images; the last is judged


def not_timed(why):
    print(f"\nsound: not timed; {why}")


def ramp_of(floor_at, elements, interval):
    """What part of its final uplift the whole floor has reached at 0, interval, 2 interval, ...; None: not one part for all of it."""
    final = floor_at(elements, None)[3]
    ramp = [0.0]
    while ramp[-1] < 1 - 1e-9 and len(ramp) <= QUICK / interval + 1:
        now = floor_at(elements, len(ramp) * interval)[3]
        ramp.append(np.vdot(now, final) / np.vdot(final, final))
        if np.abs(now - ramp[-1] * final).max() > 1e-3 * np.abs(final).max():
            return None
    return np.array(ramp)


def mean_depth(x, y, depth, here, there):
    """Of the straight path between two points."""
    path = np.array(here)[:, None] + np.linspace(0, 1, 400) * (np.array(there) - here)[:, None]
    return depth[np.searchsorted(y, path[1]).clip(0, y.size - 1), np.searchsorted(x, path[0]).clip(0, x.size - 1)].mean()


def by_images(floor, ramp, interval, count, sensors, centre, density, c):
    """p(time, sensor) of the sum above."""
    x, y, depth, uplift = floor
    area = np.gradient(x)[None, :] * np.gradient(y)[:, None]
    moved = uplift != 0
    xs, ys = (g[moved] for g in np.meshgrid(x, y))
    strength, height = (uplift * area)[moved], -depth[moved]
    acceleration = np.diff(np.concatenate([[0, 0], ramp, [ramp[-1]] * 2]), 2) / interval**2  # at -interval, 0, interval, ...
    records = []
    for px, py, pz in sensors.T:
        h = mean_depth(x, y, depth, centre, (px, py))
        flat = (xs - px) ** 2 + (ys - py) ** 2 + (height - pz) ** 2
        response = np.zeros(count + 2)
        for n in range(count):
            way = np.maximum(np.sqrt(flat + (2 * n * h) ** 2), 0.5 * np.sqrt(area.max()))
            lag = way / c / interval
            if lag.min() >= count:
                break
            heard = lag < count
            k, share = lag[heard].astype(int), lag[heard] % 1
            weight = (-1) ** n * (2 if n else 1) * strength[heard] / way[heard]
            response += np.bincount(k, weight * (1 - share), count + 2) + np.bincount(k + 1, weight * share, count + 2)
        records.append(density / (2 * np.pi) * np.convolve(response, acceleration)[1 : count + 1])
    return np.array(records).T


def first_above(time, record, level):
    """When |record| first passes the level; not a number if it never does."""
    size = np.abs(record)
    n = int(np.argmax(size > level))
    return time[n - 1] + (level - size[n - 1]) / (size[n] - size[n - 1]) * (time[n] - time[n - 1]) if n else np.nan


def draw(figure, time, distance, rates, images, picks, c):
    """Record sections: as they are with the line t = r / c, and about that line."""
    whole, front = figure.subplots(1, 2, sharey=True)
    gap = np.diff(np.sort(distance)).min() / 1e3 if distance.size > 1 else 1
    for n, r in enumerate(distance):
        for values, colour, width, label in ((images[:, n], "#b5541c", 1.6, "flat ocean, images"), (rates[:, n], "#1f4e79", 0.8, "agwave")):
            trace = r / 1e3 - 0.45 * gap * values / np.abs(rates[:, n]).max()  # the axis points down
            whole.plot(time, trace, color=colour, lw=0.5 * width, label=label if n == 0 else None)
            front.plot(time - r / c, trace, color=colour, lw=width)
        front.plot(picks[n] - r / c, r / 1e3, "|", color="black", ms=14, mew=1.2)
    ends = np.array([0, distance.max() * 1.04])
    whole.plot(ends / c, ends / 1e3, color="black", lw=0.8, ls=":", label=f"t = r / c, c = {c:g} m/s")
    front.axvline(0, color="black", lw=0.8, ls=":")
    front.set_xlim(-3, 9)
    whole.set_xlim(0, time[-1])
    whole.set_ylim(distance.max() / 1e3 + gap, 0)
    whole.set(xlabel="time [s]", ylabel="distance from the middle of the uplift [km]")
    front.set_xlabel("t - r / c [s]; bars: first arrivals")
    whole.legend(frameon=False, fontsize=8, loc="lower left")
    whole.set_title("rate of the pressure at the seafloor, each to its largest", loc="left", fontsize=9)


def compare(file, rows, labels, elements, floor_at, figure):
    """How far the speed along the line is off c, and the arrivals off those in water of constant depth: the largest; None: not timed."""
    if len(rows) < 3:
        return not_timed("fewer than three seafloor sensors on the line")
    written = written_samples(file)
    time, c, density = file["time"][:written], float(file.attrs["sound_speed"]), float(file.attrs["density"])
    interval = float(np.round(time[1] - time[0], 9))
    x, y, _, uplift = floor = floor_at(elements, None)
    if not uplift.any():
        return not_timed("nothing lifts the floor")
    coarse = -(-elements // 4)
    later = floor_at(coarse, np.ceil(QUICK / interval) * interval)[3] - floor_at(coarse, None)[3]
    if np.abs(later).max() > 1e-6 * np.abs(uplift).max():
        return not_timed(f"the floor moves for more than {QUICK:g} s, so that each sensor hears first what is nearest")
    if interval > 0.2:
        return not_timed(f"samples {interval:g} s apart are too far apart")
    sensors = np.array([file[key][:][rows] for key in ("x", "y", "z")])
    weight = np.abs(uplift) * (np.abs(uplift) > 0.1 * np.abs(uplift).max())
    centre = np.array([np.sum(weight * x), np.sum(weight * y[:, None])]) / weight.sum()
    distance = np.hypot(*(sensors[:2] - centre[:, None]))
    extent = np.hypot(*(g[weight > 0] for g in np.meshgrid(x - centre[0], y - centre[1]))).max()
    if distance.min() < 2 * extent:
        return not_timed(f"the uplift reaches {extent / 1e3:.3g} km from its middle, the nearest sensor is only {distance.min() / 1e3:.3g} km away")
    heard = (distance - extent) / c < time[-1]
    if not heard.all():
        print(f"\nsound: {', '.join(label for label, near in zip(labels, heard) if not near)}: not reached within {duration(time[-1])}")
        rows, labels = ([value for value, near in zip(values, heard) if near] for values in (rows, labels))
        sensors, distance = sensors[:, heard], distance[heard]
        if len(rows) < 3:
            return not_timed("it reaches fewer than three sensors on the line")
    ramp = ramp_of(floor_at, coarse, interval)
    if ramp is None:
        return not_timed("the floor moves at different times in different places")
    finer = int(np.ceil(2 * max(x[1] - x[0], y[1] - y[0]) / (6 * c * interval)))  # three samples' way between its points at most
    if finer > 1:
        floor = floor_at(finer * elements, None)
    pressure = known(file["pressure"][:written][:, rows], labels, time)
    rates = np.gradient(pressure, interval, axis=0)
    images = np.gradient(by_images(floor, ramp, interval, time.size, sensors, centre, density, c), interval, axis=0)
    print(f"\nsound: the floor moves for {interval * (ramp.size - 1):.3g} s within {extent / 1e3:.3g} km; first passes of a part of the largest dp/dt of the images")
    for part in PARTS:
        levels = part * np.abs(images).max(axis=0)
        picks, expected = (np.array([first_above(time, *pair) for pair in zip(records.T, levels)]) for records in (rates, images))
        if not np.isfinite(picks).all():
            print(f"sound: {', '.join(label for label, pick in zip(labels, picks) if not np.isfinite(pick))}: nothing heard until the end of the run")
            return np.inf
        speed, flat_speed = (1 / np.polyfit(distance, arrivals, 1)[0] for arrivals in (picks, expected))
        off = np.abs(picks / expected - 1).max()
        print(f"part {part:4.2f}: speed along the line {speed:7.1f} m/s ({speed / c - 1:+.2%} of c), by images {flat_speed:7.1f}; arrivals off by {off:.2%} at most")
    print(f"{'sensor':10s} {'r [km]':>8s} {'r / c [s]':>10s} {'arrival':>8s} {'images':>8s} {'off':>7s}")
    for n, label in enumerate(labels):
        print(f"{label:10s} {distance[n] / 1e3:8.2f} {distance[n] / c:10.2f} {picks[n]:8.2f} {expected[n]:8.2f} {picks[n] / expected[n] - 1:+7.2%}")
    draw(figure, time, distance, rates, images, picks, c)
    return max(off, abs(speed / c - 1))
