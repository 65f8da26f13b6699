#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Compares what infer.py found with the event that made the data, in figures and on one self-contained page.

Printed, and on the page, for each window of data:
  displacement   relative L2 error of the final displacement, over the part that is well observed: where the data of the longest window leave less
                 than --observed of the variance that the prior has
  forecast       relative L2 error in time of the heights at each gauge, and of all of them together
  coverage       share of the samples of all gauges inside their 95 % intervals, those left out that no wave can have reached; the mean width of
                 the intervals over the largest true height of all gauges

The truth is the run that made the data, with output.surface_interval > 0 (surface.h5 has its uplift) and with the gauges of the maps. A run whose sensors recorded
something else than these data, or stand elsewhere, is refused: but for the noise that infer.py has added, they have to be the same to a thousandth. Of data
from a table, whose noise is their own, it is the noise and model error of the inference that they may be apart, twice. Where the floor of the run, as its summary.json
tells, moves on after the maps end, a warning and the page say so: the uplift of a run is that of its end.

Example:
    twin_report.py results/twin/posterior.h5 --truth results/twin/event -o twin.html
"""
import argparse
import html
import json
import pathlib
import sys

from common import concerning, duration, open_output, output_file, read_json, save_picture, write_whole  # first: says which package is missing
from arguments import check_outputs, spare

import matplotlib

matplotlib.use("Agg")
import numpy as np
import report
import scipy.interpolate
import twin_figures
import twin_maps


PICTURES = "displacement", "forecast"
MOST_OFF = 1e-3  # of the data's root mean square, or
MOST_NOISE = 2.0  # times the noise that infer.py has added, or that data of a table are said to have: records that are farther off did not make the data


def relative(off, size):
    """Norm of `off` over that of what it is relative to; None where that is zero."""
    whole = np.linalg.norm(size)
    return float(np.linalg.norm(off) / whole) if whole > 0 else None


def share(part, form=".1%"):
    """In words; of what is relative to nothing there is none."""
    return "-" if part is None else format(part, form)


class Twin:
    """Posterior and truth, side by side."""

    def __init__(self, posterior, truth, observed):
        with concerning(posterior), open_output(posterior, "posterior.h5") as file:
            if "forecast" not in file:
                raise ValueError("it has no forecast to compare, for its maps have no gauges; give the case of `agwave p2o` some (sensors.surface)")
            for key in ("x", "y", "time", "displacement", "displacement_std", "data_time", "data", "fit", "forecast", "forecast_std", "sensor_x", "sensor_y",
                        "noise"):
                setattr(self, key, file[key][:])
            self.windows, self.attrs = file["window"][:], dict(file.attrs)
            wrong = [key for key in file if file[key].dtype.kind == "f" and not np.isfinite(file[key][:]).all()]
            if wrong:
                raise ValueError(f"{', '.join(wrong)} {'have' if len(wrong) > 1 else 'has'} numbers that are not finite; make it anew")
            self.sensor_places, self.gauge_places = (np.transpose([file[kind + "_" + key][:] for key in axes]) for kind, axes in (("sensor", "xyz"), ("gauge", "xy")))
            self.sensors, self.gauges = twin_maps.text(file["sensor"][:]), twin_maps.text(file["gauge"][:])
        self.prior_std = float(self.attrs["displacement_prior_std"])
        with concerning(truth):
            self.check_truth(truth)
            heights = twin_maps.Records(truth, "surface_height")
            self.height = heights.at(self.time, self.gauges)
            heights.check_places(self.gauges, self.gauge_places, self.attrs.get("projection"))
        self.uplift = self.uplift_of(output_file(truth if truth.is_dir() else truth.parent, "surface.h5", "the truth needs output.surface_interval > 0"))
        self.moves_on = self.motion_after_maps((truth if truth.is_dir() else truth.parent) / "summary.json")
        self.seen = self.displacement_std[-1] ** 2 < observed * self.prior_std**2

    def check_truth(self, truth):
        """Without the noise that infer.py adds the data are what its sensors recorded, where the maps have them."""
        records = twin_maps.Records(truth, self.attrs["observed"])
        off = np.sqrt(((records.at(self.data_time, self.sensors) - self.data) ** 2).mean())
        records.check_places(self.sensors, self.sensor_places, self.attrs.get("projection"))
        size, noise = np.sqrt((self.data**2).mean()), self.attrs.get("noise_added", np.sqrt((self.noise**2).mean()))
        if off > max(MOST_OFF * size, MOST_NOISE * noise):
            raise ValueError(f"this run did not make the data: its {self.attrs['observed']} is off them by {off:.3g} Pa, and they are {size:.3g} Pa, root mean "
                             "square; give the run that was infer.py's --data")

    def motion_after_maps(self, path):
        """In words, where the floor of the run moves on after the maps end: its uplift is that of the run's end."""
        with concerning(path):
            summary = read_json(path) if path.is_file() else {}
            ends = [min(source["end_s"], summary["end_s"]) for source in summary.get("sources", [])]
            end = float(self.attrs["interval"]) * self.time.size
        if max(ends, default=0) <= end * (1 + 1e-9):
            return ""
        return (f"The floor of this run moves until {duration(max(ends))}, and the maps end at {duration(end)}: what is inferred is the displacement then, and what it "
                "is compared with that of the run's end. Longer maps (p2o.end) compare alike.")

    def uplift_of(self, path):
        """Of the run, at the parameters."""
        with concerning(path), open_output(path, "surface.h5") as file:
            x, y, uplift = (file[key][:] for key in ("x", "y", "uplift"))
            if self.x[0] < x[0] or self.x[-1] > x[-1] or self.y[0] < y[0] or self.y[-1] > y[-1]:
                raise ValueError(f"its domain ends at x = {x[-1]:g} m, y = {y[-1]:g} m, and parameters are from {self.x[0]:g} to {self.x[-1]:g} m and from "
                                 f"{self.y[0]:g} to {self.y[-1]:g} m; give a run in the domain of the maps")
        return scipy.interpolate.RegularGridInterpolator((y, x), uplift)(tuple(np.meshgrid(self.y, self.x, indexing="ij")))

    def figures(self):
        """Of each window, as a dictionary."""
        rows = []
        for n, window in enumerate(self.windows):
            off, wide = self.forecast[n] - self.height, twin_figures.Z95 * self.forecast_std[n]
            reached = wide > 1e-6 * wide.max()
            errors, peak = [relative(*both) for both in zip(off.T, self.height.T)], np.abs(self.height).max()
            moved, spread, truth = self.displacement[n][self.seen], self.displacement_std[n][self.seen], self.uplift[self.seen]
            rows.append({"window_s": float(window), "displacement_error": relative(moved - truth, truth),
                         "displacement_coverage": float((np.abs(moved - truth) < twin_figures.Z95 * spread).mean()),
                         "forecast_errors": dict(zip(self.gauges, errors)),
                         "forecast_error": relative(off, self.height),
                         "coverage": float((np.abs(off) < wide)[reached].mean()) if reached.any() else None,
                         "width_over_peak": float(2 * wide[reached].mean() / peak) if reached.any() and peak > 0 else None, "misfit": float(self.attrs["misfit"][n])})
        return rows

    def summary(self):
        uplifted = relative(self.uplift[self.seen], self.uplift)
        return {"sensors": len(self.sensors), "gauges": len(self.gauges), "parameters": self.uplift.size, "intervals": self.time.size,
                "observed_part": float(self.seen.mean()), "uplift_observed": None if uplifted is None else uplifted**2, "offline_s": float(self.attrs["offline_seconds"]),
                "online_s": float(self.attrs["online_seconds"]), "windows": self.figures()}


def tell(summary):
    print(f"well observed: {summary['observed_part']:.0%} of the parameters, with {share(summary['uplift_observed'], '.0%')} of the squared displacement")
    print(f"{'window':>8s} {'displacement':>12s} {'covered':>8s} {'forecast':>9s} {'worst gauge':>14s} {'coverage':>9s} {'width/peak':>11s} {'misfit':>7s}")
    for row in summary["windows"]:
        moved = {name: error for name, error in row["forecast_errors"].items() if error is not None}
        worst = max(moved, key=moved.get, default="")
        print(f"{row['window_s']:6.4g} s {share(row['displacement_error']):>12s} {row['displacement_coverage']:8.1%} {share(row['forecast_error']):>9s} "
              f"{worst + ' ' + share(moved.get(worst)):>14s} {share(row['coverage']):>9s} {share(row['width_over_peak'], '.2f'):>11s} {row['misfit']:7.3f}")
    print("forecast at each gauge, longest window: " + ", ".join(f"{name} {share(error)}" for name, error in summary["windows"][-1]["forecast_errors"].items()))
    print(f"offline {duration(summary['offline_s'])}, online {summary['online_s']:.3f} s")


def table(summary):
    head = ["data", "displacement off by", "inside 95 %", "forecast off by", "inside 95 %", "mean width / peak", "misfit"]
    rows = [[duration(r["window_s"]), *(share(r[key]) for key in ("displacement_error", "displacement_coverage", "forecast_error", "coverage")),
             share(r["width_over_peak"], ".2f"), f"{r['misfit']:.2f}"] for r in summary["windows"]]
    body = "".join("<tr>" + "".join(f"<td>{html.escape(cell)}</td>" for cell in row) + "</tr>" for row in rows)
    gauges = "".join(f"<tr><th>{html.escape(name)}</th>" + "".join(f"<td>{share(r['forecast_errors'][name])}</td>" for r in summary["windows"]) + "</tr>"
                     for name in summary["windows"][0]["forecast_errors"])
    return ("<table><tr>" + "".join(f"<th>{name}</th>" for name in head) + f"</tr>{body}</table><h2 style='margin-top: 18px'>Forecast at each gauge, off by</h2><table><tr><th></th>"
            + "".join(f"<th>{duration(r['window_s'])} of data</th>" for r in summary["windows"]) + f"</tr>{gauges}</table>")


def noise_of_all(attrs):
    """Windows share their noise, and it may be of more data than the short ones have."""
    seconds = attrs.get("noise_window", 0)
    return f", in all windows, by the root mean square of {duration(seconds)} of the data that the factor was made with" if seconds else ""


def page(twin, summary, title):
    last, attrs = summary["windows"][-1], twin.attrs
    tiles = [(share(last["displacement_error"], ".0%"), "displacement off by, where well observed"), (share(last["forecast_error"], ".0%"), "forecast off by"),
             (share(last["coverage"], ".0%"), "of samples inside 95 % intervals"), (f"{summary['online_s']:.2g} s", "online, from data to forecast"),
             (duration(summary["offline_s"]), "offline"), (f"{summary['sensors']} × {summary['intervals']}", "sensors × intervals")]
    shown = '<div class="tiles">' + "".join(f'<div class="tile"><b>{html.escape(a)}</b><span>{html.escape(b)}</span></div>' for a, b in tiles) + "</div>"
    prior = report.table([("observed", attrs["observed"]), ("velocity beforehand, of a motion that goes on", f"{attrs['velocity_std']:g} m/s"),
                          ("correlation length", f"{attrs['correlation_length'] / 1e3:g} km"), ("smoothness", f"{attrs['smoothness']:g}"),
                          ("correlation time", f"{attrs['correlation_time']:g} s"),
                          ("duration", f"{attrs['duration']:g} s"),
                          ("noise and model error", f"{twin.noise.min():.3g} to {twin.noise.max():.3g} Pa" + noise_of_all(attrs))])
    observed = (f"Dashed: the part that is well observed, {summary['observed_part']:.0%} of the map with {share(summary['uplift_observed'], '.0%')} of the squared "
                "displacement. Dots: sensors. The displacement is that at the end, also where data end earlier. " + twin.moves_on)
    parts = [report.section("Errors and coverage", "Relative L2 errors against the run that made the data, as more of the data are used.", table(summary)),
             report.section("Displacement of the floor", observed, report.picture(twin_figures.displacement(twin), "Displacement")),
             report.section("Data and fit", "Pressure as it was used, with noise, and what the inferred motion makes of it.",
                            report.picture(twin_figures.data(twin), "Data and fit")),
             report.section("Forecast of the sea surface", "Heights at gauges that were not used, with 95 % intervals; data end at the line.",
                            report.picture(twin_figures.forecast(twin), "Forecast")),
             report.section("Prior and noise", "What was assumed before any data.", prior)]
    return (f'<!doctype html><html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width, initial-scale=1">'
            f"<title>{html.escape(title)}</title><style>{report.STYLE}</style></head><body><header><div><h1>{html.escape(title)}</h1>"
            f"<p>agwave, digital twin</p></div></header><main>{shown}{''.join(parts)}</main></body></html>\n")


def picture_name(name):
    return f"twin_{name}.png"


def write(twin, summary, options):
    if options.json:
        write_whole(options.json, json.dumps(summary, indent=1) + "\n")
    for name in PICTURES if options.pictures else ():
        save_picture(getattr(twin_figures, name)(twin), options.pictures / picture_name(name), dpi=75, facecolor="white")
    write_whole(options.output, page(twin, summary, twin.attrs["title"] or "Digital twin"))


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("posterior", type=pathlib.Path, help="result of infer.py")
    parser.add_argument("--truth", type=pathlib.Path, required=True, metavar="RUN", help="the run that made the data")
    parser.add_argument("--observed", type=float, default=0.5, metavar="PART",
                        help="of the prior's variance is left where the floor is well observed (default %(default)g)")
    parser.add_argument("-o", "--output", type=pathlib.Path, default=pathlib.Path("twin.html"), help="page (default %(default)s)")
    parser.add_argument("--pictures", type=pathlib.Path, metavar="DIR", help="writes displacement and forecast there as PNG files too")
    parser.add_argument("--json", type=pathlib.Path, metavar="FILE", help="all figures, for scripts")
    options = parser.parse_args()
    check_outputs(parser, options.output, options.json)
    if options.pictures and not options.pictures.is_dir():
        parser.error(f"--pictures {options.pictures}: there is no such folder; make it first")
    pictures = [options.pictures / picture_name(name) for name in PICTURES] if options.pictures else []
    spare(parser, [options.posterior, options.truth], options.output, options.json, *pictures)
    with concerning(options.posterior):
        twin = Twin(options.posterior, options.truth, options.observed)
        if not twin.seen.any():
            raise ValueError(f"nowhere is less than {options.observed:g} of the prior's variance left; give a larger --observed, or infer with more data")
        summary = twin.summary()
        tell(summary)
        if twin.moves_on:
            print(f"warning: {twin.moves_on}", file=sys.stderr)
        write(twin, summary, options)
    print(options.output)


if __name__ == "__main__":
    main()
