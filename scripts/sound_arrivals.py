# SPDX-License-Identifier: Apache-2.0
"""The first sound along a line of seafloor sensors, against sound in water of constant depth. A part of check_arrivals.py.

Below a free surface at z = 0 and over a rigid floor at z = -h, which moves by b, the pressure at the floor is, gravity aside,

    p(x, t) = rho / (2 pi) sum_n (-1)^n  integral b_tt(x', t - R_n / c) / R_n dx' dy',    R_n^2 = |x - x'|^2 + (2 n h)^2,    n = 0, +-1, +-2, ...

the moving floor and its images in surface and floor. All of the floor moves by one ramp, b = B(x') a(t), and only distances count. With the uplift
summed over circles about the sensor, A(r) = integral B(x + r (cos f, sin f)) df, what is left is one integral in time:

    p(x, t) = rho c / (2 pi) integral a_tt(t - s) sum_n (-1)^n A(sqrt((c s)^2 - (2 n h)^2)) ds.

Little of a wide uplift's sound goes sideways, so the images nearly cancel. A sum over points of the floor leaves pressure out of nowhere unless the points are
far closer together than the uplift asks for; A is as smooth as the uplift is, and a spline of it cancels well. How well, a floor and a ramp at half as many points
tell: both are halved until that hardly matters before the arrival, and where it still does the sound is not timed.

Here h is the mean depth between source and sensor. The first of the sound of a small source goes straight, with n = 0, and hardly knows it. What follows has to: a
water column of depth h carries nothing below c / (4 h) and frequencies f above it at c sqrt(1 - (c / (4 h f))^2), so that only the front, small and quick, runs
at c. A wide and smooth source sends no such front: what passes first changes along the line from mode to mode, and a line through arrivals that are right has
another speed than c. So the speed along the line is judged by that of the sum, which knows this. Where the sum in the least and in the largest
depth on the way arrives at other times, the depth matters, and the sound is not timed.

The pick is when the rate of the pressure, dp/dt, of the run and of the sum first passes a part of the largest in the sum. Sound from an extended source
starts at its near edge; the sum knows that, r / c does not.

One time has to hold for the whole source: a floor that moves for long, or in one place after the other, is heard first from its nearest
part, wherever that is. Such sources are not timed.
"""
import functools

from common import duration, known, written_samples  # first: says which package is missing

import numpy as np
from scipy.interpolate import CubicSpline
from scipy.ndimage import map_coordinates, spline_filter

QUICK = 3.0  # [s]: a floor that moves for longer is not timed
PARTS = 0.2, 0.1, 0.05  # of the largest rate of the pressure by images; the last is judged
KNOWN = PARTS[-1] / 5  # of that rate: what half the points may change until the arrival; the sum over all of them is closer than that
POINTS = 400_000  # of the floor at first, at most
FINER = 1, 2, 4  # times as many along each axis, and in time
STEPS = 8  # of the sum between two values of the ramp


def not_timed(why):
    print(f"\nsound: not timed; {why}")


def ramp_of(uplift_at, interval):
    """What part of its final uplift the whole floor has reached at 0, interval, 2 interval, ...; None: not one part for all of it."""
    final = uplift_at(None)
    ramp = [0.0]
    while ramp[-1] < 1 - 1e-9 and len(ramp) <= QUICK / interval + 1:
        now = uplift_at(len(ramp) * interval)
        ramp.append(np.vdot(now, final) / np.vdot(final, final))
        if np.abs(now - ramp[-1] * final).max() > 1e-3 * np.abs(final).max():
            return None
    return np.array(ramp)


def depths_between(floor, here, there):
    """Along the straight path between two points."""
    x, y, depth, _ = floor
    path = np.array(here)[:, None] + np.linspace(0, 1, 400) * (np.array(there) - here)[:, None]
    return depth[np.searchsorted(y, path[1]).clip(0, y.size - 1), np.searchsorted(x, path[0]).clip(0, x.size - 1)]


def over_circles(floor, place):
    """A(r) about a place, at every r."""
    x, y, _, uplift = floor
    dx, dy = x[1] - x[0], y[1] - y[0]
    apart, smooth = min(dx, dy), spline_filter(uplift, mode="mirror")
    farthest = np.hypot(max(place[0] - x[0], x[-1] - place[0]), max(place[1] - y[0], y[-1] - place[1]))
    radii, sums = apart * np.arange(farthest // apart + 3), []
    for r in radii:
        angle = np.linspace(0, 2 * np.pi, max(8, int(np.ceil(2 * np.pi * r / apart))), endpoint=False)
        i, j = (place[0] + r * np.cos(angle) - x[0]) / dx, (place[1] + r * np.sin(angle) - y[0]) / dy
        inside = (i >= 0) & (i <= x.size - 1) & (j >= 0) & (j <= y.size - 1)
        sums.append(2 * np.pi / angle.size * map_coordinates(smooth, [j[inside], i[inside]], mode="mirror", prefilter=False).sum())
    spline = CubicSpline(radii, sums)
    return lambda r: np.where(r < radii[-1], spline(np.minimum(r, radii[-1])), 0)


def with_images(circles, ways, depth, rise):
    """The sum over n after so many metres of way; `rise`: by how much the sensor stands above the source."""
    total, n = np.zeros(ways.size), 0
    while 2 * n * depth < ways[-1]:
        square = ways**2 - (2 * n * depth) ** 2 - rise**2
        heard = square >= 0
        total[heard] += (-1) ** n * (2 if n else 1) * circles(np.sqrt(square[heard]))
        n += 1
    return total


def acceleration(ramp, every):
    """a_tt at -2 every, ..., in steps of every / STEPS, of the ramp at 0, every, ..."""
    longer = np.concatenate([[0, 0], ramp, [1, 1, 1]])
    times = every * (np.arange(longer.size) - 2)
    return CubicSpline(times, longer, bc_type="clamped")(np.linspace(times[0], times[-1], (longer.size - 1) * STEPS + 1), 2)


def by_images(floor, ramp, every, interval, count, sensors, depths, rises, density, c):
    """p[depth, time, sensor] of the sum above, for each sensor in each of its depths; the ramp is known at 0, every, 2 every, ..."""
    step, samples = every / STEPS, int(round(STEPS * interval / every))
    ways, motion = c * step * np.arange(samples * (count - 1) + 1), density * c / (2 * np.pi) * acceleration(ramp, every)
    records = []
    for place, deep, rise in zip(sensors.T, depths, rises):
        circles = over_circles(floor, place)
        records.append([step * np.convolve(with_images(circles, ways, h, rise), motion)[2 * STEPS :][: ways.size : samples] for h in deep])
    return np.transpose(records, (1, 2, 0))


def rates_by_images(floor_at, elements, ramp_at, time, sensors, centre, density, c):
    """dp/dt[depth, time, sensor] of the sum in the mean, the least and the largest depth on the way, and what half the points change of it before the
    arrivals; None and that where the finest floor is not fine enough."""
    interval = float(np.round(time[1] - time[0], 9))
    for finer in FINER:
        every = interval / finer
        floor, ramp = floor_at(finer * elements, None), ramp_at(every)
        if ramp is None:  # shows at the finer times alone
            break
        paths = [depths_between(floor, centre, place) for place in sensors[:2].T]
        how = (interval, time.size, sensors[:2], [(path.mean(), path.min(), path.max()) for path in paths],
               [place[2] + path[0] for place, path in zip(sensors.T, paths)], density, c)
        x, y, depth, uplift = floor
        half = x[::2], y[::2], depth[::2, ::2], uplift[::2, ::2]
        rates, coarse = (np.gradient(p, interval, axis=1) for p in (by_images(floor, ramp, every, *how), by_images(half, ramp[::2], 2 * every, *how)))
        off = max(unsure(time, *pair) for pair in zip(rates[0].T, coarse[0].T))
        if off < KNOWN:
            return rates, off
    return None, off


def unsure(time, rate, other):
    """How far two rates are apart until the first arrives, as a part of its largest."""
    largest = np.abs(rate).max()
    arrival = first_above(time, rate, PARTS[-1] * largest)
    return np.abs(rate - other)[time <= arrival].max() / largest if np.isfinite(arrival) else np.inf


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


def compare(file, rows, labels, elements, floor_at, figure, limit=0.02):
    """How far arrivals, and the speed along the line, are off those in water of constant depth: the largest; None: not timed. Where the depth can
    make more than `limit` of it, that is not known."""
    if len(rows) < 3:
        return not_timed("fewer than three seafloor sensors on the line")
    written = written_samples(file)
    time, c, density = file["time"][:written], float(file.attrs["sound_speed"]), float(file.attrs["density"])
    interval = float(np.round(time[1] - time[0], 9))
    elements = np.ceil(elements * min(1, np.sqrt(POINTS / (4 * np.prod(elements))))).astype(int)
    x, y, _, uplift = floor_at(elements, None)
    if not uplift.any():
        return not_timed("nothing lifts the floor")
    coarsely = functools.cache(lambda time: floor_at(-(-elements // 4), time)[3])
    later = coarsely(np.ceil(QUICK / interval) * interval) - coarsely(None)
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
    ramp = ramp_of(coarsely, interval)
    if ramp is None:
        return not_timed("the floor moves at different times in different places")
    all_rates, unknown = rates_by_images(floor_at, elements, functools.partial(ramp_of, coarsely), time, sensors, centre, density, c)
    if all_rates is None:
        return not_timed(f"the sum over images has not converged: half as many points change {unknown:.1%} of its largest dp/dt before the arrival")
    expected = np.array([[first_above(time, rate, PARTS[-1] * np.abs(rate).max()) for rate in rates.T] for rates in all_rates])
    spread = np.abs(expected / expected[0] - 1).max(axis=0)
    if not spread.max() <= limit:
        mean, least, largest = expected[:, np.argmax(spread)]
        return not_timed(f"the depth on the way to {labels[np.argmax(spread)]} matters: by images sound comes at {mean:.2f} s in its mean, at {least:.2f} s in its "
                         f"least and at {largest:.2f} s in its largest")
    images = all_rates[0]
    pressure = known(file["pressure"][:written][:, rows], labels, time)
    rates = np.gradient(pressure, interval, axis=0)
    print(f"\nsound: the floor moves for {interval * (ramp.size - 1):.3g} s within {extent / 1e3:.3g} km; first passes of a part of the largest dp/dt of the "
          f"images, of which half as many points change {unknown:.2%} before")
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
    return max(off, abs(speed / flat_speed - 1))
