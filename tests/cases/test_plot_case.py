# SPDX-License-Identifier: Apache-2.0
"""scripts/plot_case.py: what `agwave check --plot` hands out is drawn, and where the document has degrees, sponges, subfaults and epicentres, so are
these, in their places.   test_plot_case.py AGWAVE SOURCE_DIR PYTHON"""
import json
import pathlib
import subprocess
import sys
import tempfile

try:
    import matplotlib  # noqa: F401
    import numpy as np
except ImportError as error:
    print(f"skipped: {error}; pip install -r scripts/requirements.txt")
    sys.exit(77)

CASE = """
title: To be drawn
domain: {size: [80000, 60000], bathymetry: {type: cosine, depth: 3000, amplitude: 0.2, waves: [1, 1]}}
mesh: {elements: [8, 6, 1]}
sources: [{shape: {type: gaussian, center: [40000, 30000], radius: [8000, 8000]}, ramp: {type: smoothstep, duration: 10}}]
time: {end: 20}
sensors: {interval: 1, seafloor: [{name: A, x: 30000, y: 30000}]}
output: {directory: out}
"""
scripts = pathlib.Path(sys.argv[2]).resolve() / "scripts"
sys.path.insert(0, str(scripts))
import plot_case  # noqa: E402


def legend(ax):
    return [label.get_text() for label in ax.get_legend().get_texts()]


with tempfile.TemporaryDirectory() as work:
    work = pathlib.Path(work)
    (work / "case.yaml").write_text(CASE)
    subprocess.run([sys.argv[1], "check", "case.yaml", "--device", "cpu", "--plot", "case.json"], cwd=work, check=True, stdout=subprocess.DEVNULL)
    case = json.loads((work / "case.json").read_text())
    plain = {key: case[key] for key in ("title", "x", "y", "depth", "uplift", "seafloor", "hydrophones", "surface")}
    ax = plot_case.figure(plain).axes[0]
    assert "km" in ax.get_xlabel() and legend(ax) == ["seafloor (1)"], legend(ax)
    x, y = np.meshgrid(case["x"], case["y"])
    full = {**plain, "lon": (179.7 + x / 1e5).ravel().tolist(), "lat": (52 + y / 1e5).ravel().tolist(), "sponge": {"west": 10000, "north": 20000},
            "subfaults": [{"corners": [[30000, 20000], [50000, 20000], [50000, 35000], [30000, 35000]]}], "epicentres": [{"x": 42000, "y": 31000}]}
    full["lon"] = [(lon + 180) % 360 - 180 for lon in full["lon"]]  # over the date line
    figure = plot_case.figure(full)
    ax = figure.axes[0]
    assert legend(ax) == ["sponge", "subfaults (1), thick: top edge", "epicentre", "seafloor (1)"], legend(ax)
    hatched = [np.array(patch.get_extents().transformed(ax.transData.inverted())) for patch in ax.patches if patch.get_hatch()]
    assert np.allclose(hatched, [[[0, 0], [10, 60]], [[0, 40], [80, 60]]]), hatched
    lines = {line.get_label(): line.get_xydata() for line in ax.lines}
    assert np.allclose(lines["subfaults (1), thick: top edge"], [[30, 20], [50, 20], [50, 35], [30, 35], [30, 20]])
    assert np.allclose(lines["epicentre"], [[42, 31]])
    ticks = dict(zip((t.get_text() for t in ax.get_xticklabels()), ax.get_xticks()))
    assert ticks.keys() == {"179.7°E", "179.8°E", "179.9°E", "180°", "179.9°W", "179.8°W", "179.7°W", "179.6°W", "179.5°W"} and abs(ticks["179.9°W"] - 40) < 1e-6, ticks
    assert "52.3°N" in [t.get_text() for t in ax.get_yticklabels()]
    drawn = subprocess.run([sys.executable, scripts / "plot_case.py", "-o", work / "full.png"], input=json.dumps(full), text=True, capture_output=True)
    assert drawn.returncode == 0 and (work / "full.png").stat().st_size > 20000, drawn.stderr
    print("passed")
