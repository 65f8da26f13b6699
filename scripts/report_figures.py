# SPDX-License-Identifier: Apache-2.0
"""Figures of a run that report.py puts on its page, each with what is to be said of it. A part of report.py, whose Run they are given."""
from common import duration  # first: says which package is missing
from drawing import draw_levels, draw_sponges, plain
from lowpass import lowpass, lowpassed

import matplotlib.pyplot as plt
import numpy as np
import plot_surface
import plot_traces


def snapshots(file, made):
    chosen = made[np.unique(np.linspace(1, len(made) - 1, min(6, len(made) - 1)).round().astype(int))]
    frame, heights = plot_surface.Frame(file), [file["surface_height"][n] for n in chosen]
    limit = np.percentile(np.abs(heights), 99.8) or 1.0
    columns = min(3, len(chosen))
    rows = -(-len(chosen) // columns)
    shape = np.clip(np.ptp(frame.y) * frame.aspect / np.ptp(frame.x), 0.25, 1.6)
    figure, axes = plt.subplots(rows, columns, figsize=(10.5, 0.6 + rows * (10.5 / columns * shape * 0.86 + 0.4)), layout="constrained", sharex=True,
                                sharey=True, squeeze=False)
    for ax in axes.flat[len(chosen):]:
        ax.set_visible(False)
    for ax, n, height in zip(axes.flat, chosen, heights):
        mesh = ax.pcolormesh(frame.x, frame.y, height, cmap="RdBu_r", vmin=-limit, vmax=limit, shading="gouraud", rasterized=True)
        draw_sponges(ax, frame.sponges)
        ax.set_title(duration(file["time"][n]), fontsize=10, loc="left")
        frame.shape_axes(ax)
    figure.colorbar(mesh, ax=axes, shrink=0.7, label="surface height [m]", extend="both").outline.set_visible(False)
    figure.supxlabel(frame.labels[0], fontsize=9)
    figure.supylabel(frame.labels[1], fontsize=9)
    return figure


def levels(local_steps):
    """The step of each patch of columns."""
    wide, tall = (np.ptp(local_steps["patches"][key]) for key in ("x_m", "y_m"))
    shape = np.clip(tall / wide, 0.12, 1.6)
    figure, ax = plt.subplots(figsize=(9, 1.4 + 7.5 * shape), layout="constrained")
    draw_levels(ax, local_steps)
    if tall / wide == shape:
        ax.set_aspect("equal")
    ax.set_xlabel("x [km]")
    ax.set_ylabel("y [km]")
    return figure


def records(run):
    """Seafloor pressure by distance from the source, as recorded and, where there is one, the tsunami alone."""
    distance = np.hypot(run.x - run.source[0], run.y - run.source[1]) / 1e3
    if np.ptp(distance) == 0 or not (np.abs(run.pressure) > 0).any():
        return None
    tsunami, interval = run.recording.tsunami, run.recording.interval
    slow = lowpass(run.pressure, interval, tsunami)[: len(run.time) - int(np.ceil(1.5 * tsunami / interval))] if tsunami else None
    figure, axes = plt.subplots(1, 2 if tsunami else 1, figsize=(10, 5.6), layout="constrained", sharey=True, squeeze=False)
    for ax, pressure, title, least in zip(axes[0], (run.pressure, slow), ("as recorded", f"tsunami alone: periods above {tsunami:g} s"), (0, 0.02)):
        peak = np.abs(pressure).max(0)
        draw_records(ax, run, distance, pressure, np.maximum(peak, least * peak.max()))  # where no tsunami has come, no noise is blown up
        if tsunami:
            ax.set_title(title, fontsize=9.5, loc="left")
    axes[0, 0].set_ylabel("distance from the source [km]")
    axes[0, 0].legend(loc="upper left", bbox_to_anchor=(0, -0.09), ncol=2, frameon=False, fontsize=8.5, borderaxespad=0)
    return (f"Seafloor pressure by distance from {run.whence}, each trace by its own peak. Sound comes along the steeper line, the "
            "surface wave along the other one, where it is not lost below the sound."), figure


def draw_records(ax, run, distance, pressure, peak):
    scale = 0.06 * max(np.ptp(distance), 1.0)
    far = distance.max() + 2 * scale
    labels = []  # (distance, names); traces too close for two labels share one
    for n in np.argsort(distance):
        if peak[n] > 0:
            ax.plot(run.time[: len(pressure)], distance[n] + scale * pressure[:, n] / peak[n], color=plot_traces.SEAFLOOR, linewidth=0.8, zorder=3)
            if labels and distance[n] - labels[-1][0] < 0.025 * far:
                labels[-1][1].append(run.names[n])
            else:
                labels.append((distance[n], [run.names[n]]))
    for place, together in labels if len(distance) <= 40 else ():
        label = ", ".join(together[:3]) + (f" +{len(together) - 3}" if len(together) > 3 else "")
        ax.annotate(plain(label), (run.time[-1], place), xytext=(4, 0), textcoords="offset points", fontsize=7.5, va="center", color="#374151")
    if run.speed:
        depth = np.median(run.depth)
        for speed, label, color in ((run.speed, f"sound, {run.speed:g} m/s", "#b5541c"),
                                    (np.sqrt(run.gravity * depth), f"long wave, √(gH) = {np.sqrt(run.gravity * depth):.0f} m/s", "#1b7a6e")):
            ax.plot([0, far * 1e3 / speed], [0, far], color=color, linestyle="--", linewidth=1.3, label=label, zorder=2)
    ax.set_xlim(0, run.time[-1])
    ax.set_ylim(max(0, distance.min() - 2 * scale) if distance.min() > 3 * scale else -2 * scale, far)
    ax.set_xlabel("time since the start [s]")
    ax.grid(color="#e5e7eb", linewidth=0.8)


def spectra(run):
    """Of the seafloor pressure, with the resonances of the water column and the shortest periods that sensors, mesh and sources have."""
    step = run.time[1] - run.time[0]
    window = np.hanning(len(run.time))[:, None]
    amplitude = np.abs(np.fft.rfft((run.pressure - run.pressure.mean(0)) * window, axis=0)) * step * 2
    frequency = np.fft.rfftfreq(len(run.time), step)
    use = slice(1, None)
    if not (amplitude[use] > 0).any():
        return None
    figure, ax = plt.subplots(figsize=(10, 5.0), layout="constrained")
    shown = np.argsort(-np.abs(run.pressure).max(0))[:60]
    colors = plt.get_cmap("viridis_r")
    low, high = run.depth.min(), run.depth.max()
    for n in shown:
        shade = 0.1 + 0.85 * ((run.depth[n] - low) / (high - low) if high > low else 0.5)
        ax.loglog(frequency[use], amplitude[use, n], color=colors(shade), linewidth=0.8, alpha=0.75)
    if run.speed:
        depth, f0 = np.median(run.depth), run.speed / 4 / np.median(run.depth)
        if high - low > 0.02 * high:
            ax.axvspan(run.speed / 4 / high, run.speed / 4 / low, color="#b5541c", alpha=0.08, linewidth=0)
        n = 1
        while (2 * n - 1) * f0 < frequency[-1] and n <= 4:
            ax.axvline((2 * n - 1) * f0, color="#b5541c", linestyle="--", linewidth=1.1)
            name = "c/4H" if n == 1 else f"{2 * n - 1} c/4H"
            ax.annotate(f"{name}\n{(2 * n - 1) * f0:.3g} Hz", ((2 * n - 1) * f0, 1), xycoords=("data", "axes fraction"), xytext=(3, -4 if n % 2 else -30),
                        textcoords="offset points", va="top", fontsize=8, color="#8a3b0f", bbox={"facecolor": "white", "edgecolor": "none", "pad": 0.5})
            n += 1
        note = (f"Amplitude spectra of the seafloor pressure (Hann window), darker where the water is deeper. Dashed: resonances of a water column of the "
                f"stations' median depth H = {depth:.0f} m, period 4H/c = {1 / f0:.3g} s and its odd harmonics; shaded: c/4H of all depths.")
    else:
        note = "Amplitude spectra of the seafloor pressure (Hann window), darker where the water is deeper."
    top = amplitude[use].max()
    ax.set_ylim(top * 1e-6, top * 4)
    periods = limits(run)
    ax.set_xlim(frequency[1], 1.15 * max([frequency[-1], *(1 / period for _, period in periods if 1 / period < 3 * frequency[-1])]))
    draw_limits(ax, periods)
    note += " Dotted, with their periods: " + "; ".join(f"{what} {duration(period)}" for what, period in periods) + "."
    if run.recording.period:
        note += f" The spectra are of the samples as recorded; the traces above are {lowpassed(run.recording.period)}."
    ax.set_xlabel("frequency [Hz]")
    ax.set_ylabel("amplitude [Pa/Hz]")
    ax.grid(which="major", color="#e5e7eb", linewidth=0.8)
    return note, figure


def limits(run):
    """(what, period [s]) of the shortest periods that sensors record, the mesh carries and each source excites."""
    summary = run.summary or {}
    mesh, sources = summary.get("resolution") or {}, summary.get("sources") or []
    known = [("sensors' Nyquist", 2 * run.recording.interval), ("mesh, sound", mesh.get("sound_period_s")),
             ("mesh, surface waves", mesh.get("surface_period_s"))]
    known += [(source["name"], source.get("shortest_period_s")) for source in sources]
    if run.recording.period:
        known.append(("low-pass", run.recording.period))
    return [(what, float(period)) for what, period in known if period]


def draw_limits(ax, periods):
    """Lines at their frequencies, labelled at the bottom; higher where lines come close."""
    before, height = None, 0
    span = np.diff(np.log(ax.get_xlim()))[0]
    for what, period in sorted(periods, key=lambda p: -p[1]):
        place = np.log(1 / period)
        height = (height + 1) % 3 if before is not None and place - before < 0.025 * span else 0
        before = place
        ax.axvline(1 / period, color="#4b5563", linestyle=":", linewidth=1.4, zorder=2.5)
        ax.annotate(f"{what} {duration(period)}", (1 / period, 0.02 + 0.32 * height), xycoords=("data", "axes fraction"), xytext=(-3, 0),
                    textcoords="offset points", rotation=90, ha="right", va="bottom", fontsize=7.5, color="#1f2937", annotation_clip=True, zorder=4,
                    bbox={"facecolor": "white", "edgecolor": "none", "pad": 0.5, "alpha": 0.85})
