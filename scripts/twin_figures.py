# SPDX-License-Identifier: Apache-2.0
"""Figures of twin_report.py: displacement, data and forecast of a digital twin beside the truth."""
from common import duration  # first: says which package is missing
from drawing import plain

import matplotlib.pyplot as plt
import numpy as np

TRUTH, INFERRED, BAND = "#111827", "#1b7a6e", "#9fd3c7"
Z95 = 1.959963984540054  # of a normal distribution, 95 % lie within so many standard deviations


def panel(ax, twin, values, limit, title, cmap):
    mesh = ax.pcolormesh(twin.x / 1e3, twin.y / 1e3, values, cmap=cmap, vmin=-limit if cmap == "RdBu_r" else 0, vmax=limit, shading="gouraud", rasterized=True)
    ax.plot(twin.sensor_x / 1e3, twin.sensor_y / 1e3, "o", color="#374151", markersize=2.2)
    ax.contour(twin.x / 1e3, twin.y / 1e3, twin.seen, levels=[0.5], colors="#6b7280", linewidths=0.8, linestyles="--")
    ax.set_aspect(1)
    ax.set_title(title, loc="left", fontsize=9)
    return mesh


def displacement(twin):
    """Truth on top, then inferred, off by and standard deviation for each window."""
    rows = len(twin.windows) + 1
    shape = np.ptp(twin.y) / np.ptp(twin.x)
    figure, axes = plt.subplots(rows, 3, figsize=(10.5, rows * (2.55 * shape + 0.33)), layout="constrained", sharex=True, sharey=True)
    limit = np.abs(twin.uplift).max() or 1.0
    signed = panel(axes[0, 0], twin, twin.uplift, limit, "truth, at the end", "RdBu_r")
    for ax in axes[0, 1:]:
        ax.set_axis_off()
    for row, window in zip(axes[1:], range(len(twin.windows))):
        till = duration(twin.windows[window])
        panel(row[0], twin, twin.displacement[window], limit, f"inferred from {till} of data", "RdBu_r")
        panel(row[1], twin, twin.displacement[window] - twin.uplift, limit, "less the truth", "RdBu_r")
        spread = panel(row[2], twin, twin.displacement_std[window], twin.prior_std, "standard deviation", "viridis")
    figure.colorbar(signed, ax=axes[:, :2], shrink=0.35, label="displacement [m]", location="left").outline.set_visible(False)
    figure.colorbar(spread, ax=axes[:, 2], shrink=0.35, label="standard deviation [m]", aspect=30).outline.set_visible(False)
    figure.supxlabel("x [km]", fontsize=9)
    return figure


def data(twin, most=14):
    """Pressure at sensors through all of the network, with what the inferred motion makes of it."""
    chosen = np.unique(np.linspace(0, len(twin.sensors) - 1, most).round().astype(int))
    figure, axes = plt.subplots(-(-len(chosen) // 2), 2, figsize=(10.5, 1.05 * -(-len(chosen) // 2) + 0.5), layout="constrained", sharex=True, squeeze=False)
    for ax in axes.flat[len(chosen):]:
        ax.set_visible(False)
    for ax, n in zip(axes.flat, chosen):
        ax.plot(twin.data_time, twin.data[:, n] / 1e3, color=TRUTH, linewidth=0, marker=".", markersize=2.5, label="data")
        ax.plot(twin.data_time, twin.fit[:, n] / 1e3, color=INFERRED, linewidth=1.1, label="fit")
        ax.set_ylabel(f"{plain(twin.sensors[n])}\n[kPa]", rotation=0, ha="right", va="center", fontsize=8)
        ax.grid(color="#e5e7eb", linewidth=0.7)
    axes[0, min(1, len(chosen) - 1)].legend(frameon=False, fontsize=8, ncol=2, loc="lower right", bbox_to_anchor=(1, 0.98), borderaxespad=0)
    for ax in axes[-1]:
        ax.set_xlabel("time since the start [s]")
    return figure


def forecast(twin):
    """Gauges below each other, windows beside each other; data end at the line."""
    windows, gauges = len(twin.windows), len(twin.gauges)
    figure, axes = plt.subplots(gauges, windows, figsize=(10.5, 1.0 * gauges + 0.6), layout="constrained", sharex=True, sharey="row", squeeze=False)
    for w in range(windows):
        axes[0, w].set_title(f"{duration(twin.windows[w])} of data", loc="left", fontsize=9)
        for g in range(gauges):
            ax, mean, wide = axes[g, w], twin.forecast[w][:, g], Z95 * twin.forecast_std[w][:, g]
            ax.fill_between(twin.time, mean - wide, mean + wide, color=BAND, linewidth=0, label="95 %")
            ax.plot(twin.time, mean, color=INFERRED, linewidth=1.2, label="forecast")
            ax.plot(twin.time, twin.height[:, g], color=TRUTH, linewidth=1.0, linestyle="--", label="truth")
            ax.axvline(twin.windows[w], color="#b5541c", linewidth=0.9)
            ax.set_xlim(twin.time[0], twin.time[-1])
            ax.grid(color="#e5e7eb", linewidth=0.6)
    for g in range(gauges):
        peak = np.abs(twin.height[:, g]).max()
        axes[g, 0].set_ylim(*np.array([-1.0, 1.0]) * max(1.6 * peak, 1.1 * np.abs(twin.forecast[-1][:, g]).max(), 1e-3))
        axes[g, 0].set_ylabel(f"{plain(twin.gauges[g])}\n[m]", rotation=0, ha="right", va="center", fontsize=8)
    figure.legend(*axes[0, 0].get_legend_handles_labels(), frameon=False, fontsize=8.5, loc="outside upper right", ncol=3)
    figure.supxlabel("time since the start [s]", fontsize=9)
    return figure
