# SPDX-License-Identifier: Apache-2.0
"""What a browser makes live on report.py's page: maps of the surface with a time slider, and traces whose values show under the pointer. A part of report.py.

The page carries Plotly (plotly.js, MIT), which the Python package of that name brings along: 5 MB, no network. Still pictures are hidden only once
a browser has drawn the live ones, so the page says the same without JavaScript, on paper and where the package is missing."""
import base64
import html
import json
import pathlib

from common import duration  # first: says which package is missing

import matplotlib
import numpy as np
import plot_surface
import plot_traces

POINTS, FRAMES, SAMPLES = 800_000, 90, 600_000  # what a page carries of maps, and of traces, at most
SYMBOLS = {"seafloor": "circle", "hydrophone": "triangle-up", "gauge": "square"}


def library():
    """Plotly as a script element; nothing where it is not installed."""
    try:
        from plotly.offline import get_plotlyjs
    except ImportError:
        return ""
    return f"<script>{get_plotlyjs()}</script><script>{(pathlib.Path(__file__).parent / 'report_live.js').read_text(encoding='utf-8')}</script>"


def packed(values, kind):
    return {"type": kind, "base64": base64.b64encode(np.ascontiguousarray(values, dtype="<" + kind)).decode()}


def beside(still, name, content, *controls):
    """The still picture, and a place for what takes its place."""
    body = json.dumps(content, separators=(",", ":"), allow_nan=False).replace("</", "<\\/")
    return (f'<div class="still">{still}</div><div class="live" id="{name}" hidden>{"".join(controls)}</div>'
            f'<script type="application/json" data-live="{name}">{body}</script>')


def surface(still, file, made, groups):
    frame = plot_surface.Frame(file)
    frames = made[np.unique(np.linspace(0, len(made) - 1, min(len(made), FRAMES)).round().astype(int))]
    size = frame.nodes_x.size * frame.nodes_y.size
    step = max(1, int(np.ceil(np.sqrt(size * len(frames) / POINTS))))
    heights = np.array([file["surface_height"][n][::step, ::step] for n in frames])
    known = np.isfinite(heights).all(axis=(1, 2))
    if not known.all():
        raise ValueError(f"surface.h5: heights are not finite, first at {file['time'][frames[np.argmin(known)]]:g} s; make the run anew")
    largest = float(np.abs(heights).max()) or 1.0
    colors = matplotlib.colormaps["RdBu_r"]
    content = {"x": (frame.nodes_x[::step] / 1e3).round(4).tolist(), "y": (frame.nodes_y[::step] / 1e3).round(4).tolist(),
               "heights": packed(np.round(heights / largest * 32000), "i2"), "unit": largest / 32000,
               "limit": float(np.percentile(np.abs(heights), 99.8) or largest),
               "times": [duration(t) for t in file["time"][:][frames]], "first": len(frames) // 2, "depth": file["depth"][::step, ::step].round(0).tolist(),
               "colors": [[v, matplotlib.colors.to_hex(colors(v))] for v in np.linspace(0, 1, 11).round(2).tolist()],
               "sensors": [{"kind": kind, "names": [html.escape(name) for name in names], "x": (x / 1e3).tolist(), "y": (y / 1e3).tolist(),
                            "color": plot_surface.KINDS[kind][2], "symbol": SYMBOLS[kind]} for kind, names, x, y in groups]}
    controls = ('<p class="slider"><button type="button">play</button><input type="range" min="0" value="0" aria-label="time"><output></output></p>'
                '<div class="plot"></div>')
    return beside(still, "surface", content, controls)


def traces(still, recording):
    count = sum(panel.values.size for panel in recording.panels)
    step = max(1, int(np.ceil(count / SAMPLES)))
    panels = []
    for panel in recording.panels:
        rows, unit = plot_traces.stacked(panel.values, plot_traces.rows_of(len(panel.names)))
        heights = rows - unit * panel.values
        peaks = np.abs(panel.values).max(axis=0)
        labels = [f"{html.escape(name)}  {away / 1e3:.0f} km, {plot_traces.significant(peak)} {panel.unit}"
                  for name, away, peak in zip(panel.names, panel.distance, peaks)]
        panels.append({"title": html.escape(panel.title), "names": [html.escape(name) for name in panel.names], "labels": labels, "quantity": panel.unit,
                       "rows": rows.tolist(), "unit": unit, "colors": panel.colors, "values": packed(panel.values[::step].T, "f4"),
                       "range": [float(heights.max() + 0.5), float(heights.min() - 0.5)], "height": int(32 * plot_traces.rows_of(max(len(panel.names), 2)) ** 0.9),
                       "left": 20 + 6.2 * max(map(len, labels))})
    return beside(still, "traces", {"time": packed(recording.time[::step], "f4"), "panels": panels})
