# SPDX-License-Identifier: Apache-2.0
"""scripts/plot_case.py: what `agwave check --plot` hands out is drawn, and where the document has degrees, sponges, subfaults, epicentres and local
steps, so are these, in their places.   test_plot_case.py AGWAVE SOURCE_DIR PYTHON"""
import json
import pathlib
import subprocess
import sys
import tempfile

from program import need

need("matplotlib", "numpy")
import numpy as np  # noqa: E402

CASE = """
title: To be drawn
domain: {size: [80000, 60000], bathymetry: {type: cosine, depth: 3000, amplitude: 0.2, waves: [1, 1]}}
mesh: {elements: [8, 6, 1]}
boundary: {sponge: {west: 20000, north: 20000}}
sources:
  - shape: {type: fault, reference: top, subfaults: [{x: 40000, y: 20000, depth: 3000, strike: 270, dip: 30, rake: 90, slip: 2, length: 20000, width: 10000}]}
    ramp: {type: smoothstep, duration: 10}
time: {end: 20}
sensors: {interval: 1, seafloor: [{name: A, x: 30000, y: 30000}]}
output: {directory: out}
"""
scripts = pathlib.Path(sys.argv[2]).resolve() / "scripts"
sys.path.insert(0, str(scripts))
import plot_case  # noqa: E402
LEVELS = ["mesh.elements=[24, 6, 1]", "time.local_steps=4", "domain.bathymetry={type: margin, shelf_depth: 200, abyssal_depth: 4000, "
          "trench_depth: 4000, shelf_edge: 60000, slope_width: 50000, trench_width: 8000}"]
STEEP = ["domain={size: [8000, 6000], bathymetry: {type: cosine, depth: 3000, amplitude: 0.5, waves: [1, 1]}}", "mesh.elements=[32, 24, 1]", "boundary=~",
         "sources[0].shape={type: patch, x: [-9000, 9000], y: [-9000, 9000]}", "sources[0].amplitude=0.5", "sensors=~"]


def check_levels(case):
    """The map of steps has the patches of the case, and the legend what each level has."""
    assert "local_steps" not in plain
    steps = case["local_steps"]
    patches, levels = steps["patches"], steps["levels"]
    assert len(levels) > 1 and len(patches["x_m"]) == 4 and patches["y_m"][1:] == [40000, 60000], patches
    columns = [0] * len(levels)
    for south_north, row in zip((4, 2), patches["level"]):
        for digit in row:
            columns[int(digit)] += 8 * south_north
    assert columns == [level["columns"] for level in levels], (columns, steps)
    ax = plot_case.figure(case).axes[1]
    assert [words.split(" s: ")[1].split(" col")[0] for words in legend(ax)] == [str(n) for n in columns], legend(ax)
    drawn = ax.collections[0].get_array()
    assert drawn.shape == (2, 3) and [list(map(int, row)) for row in patches["level"]] == drawn.tolist(), drawn


def check_normal(cases):
    """What is drawn, and what check_arrivals.py lifts its water by, is what the run forces: along the normal by the floor's true area."""
    normal, vertical = (np.reshape(case["uplift"], (len(case["y"]), len(case["x"]))) for case in cases)
    kx, ky = 2 * np.pi / 8000, 2 * np.pi / 6000
    x, y = np.meshgrid(kx * np.array(cases[0]["x"]), ky * np.array(cases[0]["y"]))
    area = np.sqrt(1 + 1500**2 * ((kx * np.sin(x) * np.cos(y))**2 + (ky * np.cos(x) * np.sin(y))**2))
    assert area.max() > 1.5 and np.allclose(vertical, 0.5), vertical
    assert np.abs(normal - area * vertical)[1:-1, 1:-1].max() < 0.01, np.abs(normal - area * vertical).max()


def legend(ax):
    return [label.get_text() for label in ax.get_legend().get_texts()]


with tempfile.TemporaryDirectory() as work:
    work = pathlib.Path(work)
    (work / "case.yaml").write_text(CASE)
    subprocess.run([sys.argv[1], "check", "case.yaml", "--device", "cpu", "--plot", "case.json"], cwd=work, check=True, stdout=subprocess.DEVNULL)
    case = json.loads((work / "case.json").read_text())
    plain = {key: case[key] for key in ("title", "x", "y", "depth", "uplift", "seafloor", "hydrophones", "surface")}
    rest = plot_case.figure({**plain, "uplift": [0] * len(case["uplift"])})  # as of a source that adds water at a point
    assert rest.axes[0].get_title(loc="right").endswith(" m deep; no uplift"), rest.axes[0].get_title(loc="right")
    assert "uplift_at_s" not in case and not plot_case.figure(plain).axes[0].get_title(loc="right").endswith("end of the run")
    subprocess.run([sys.argv[1], "check", "case.yaml", "--device", "cpu", "--set", "time.end=5", "--plot", "early.json"], cwd=work, check=True, stdout=subprocess.DEVNULL)
    early = json.loads((work / "early.json").read_text())
    assert early["uplift_at_s"] == 5 and max(early["uplift"]) < 0.6 * max(case["uplift"]), "the source moves until 10 s"
    early = plot_case.figure(early)
    assert early.axes[0].get_title(loc="right").endswith(" m at t = 5 s, the end of the run"), early.axes[0].get_title(loc="right")
    assert "uplift at t = 5 s [m]" in [child.get_ylabel() for child in early.axes[0].child_axes]
    ax = plot_case.figure(plain).axes[0]
    assert "km" in ax.get_xlabel() and legend(ax) == ["seafloor (1)"], legend(ax)
    dollars = plot_case.figure({**plain, "title": "$\\foo$", "seafloor": [{**case["seafloor"][0], "name": "$\\foo$"}]})
    dollars.canvas.draw()  # names are text, not mathematics
    x, y = np.meshgrid(case["x"], case["y"])
    full = {**plain, "lon": (179.7 + x / 1e5).ravel().tolist(), "lat": (52 + y / 1e5).ravel().tolist(),
            **{key: case[key] for key in ("sponge", "subfaults", "epicentres")}}
    full["lon"] = [(lon + 180) % 360 - 180 for lon in full["lon"]]  # over the date line
    figure = plot_case.figure(full)
    ax = figure.axes[0]
    assert legend(ax) == ["sponge", "subfaults (1), thick: top edge", "epicentre or middle of the source", "seafloor (1)"], legend(ax)
    hatched = [np.array(patch.get_extents().transformed(ax.transData.inverted())) for patch in ax.patches if patch.get_hatch()]
    assert np.allclose(hatched, [[[0, 0], [20, 60]], [[0, 40], [80, 60]]]), hatched
    down = 10 * np.cos(np.radians(30))
    lines = {line.get_label(): line.get_xydata() for line in ax.lines}
    assert np.allclose(lines["subfaults (1), thick: top edge"], [[50, 20], [30, 20], [30, 20 + down], [50, 20 + down], [50, 20]], atol=1e-6)
    assert np.allclose(lines["epicentre or middle of the source"], [[40, 20]])
    ticks = dict(zip((t.get_text() for t in ax.get_xticklabels()), ax.get_xticks()))
    assert ticks.keys() == {"179.7°E", "179.8°E", "179.9°E", "180°", "179.9°W", "179.8°W", "179.7°W", "179.6°W", "179.5°W"}, ticks
    assert abs(ticks["179.9°W"] - 40) < 1e-6, ticks
    assert "52.3°N" in [t.get_text() for t in ax.get_yticklabels()]
    more = [word for value in LEVELS for word in ("--set", value)]
    subprocess.run([sys.argv[1], "check", "case.yaml", "--device", "cpu", "--plot", "levels.json", *more], cwd=work, check=True, stdout=subprocess.DEVNULL)
    check_levels(json.loads((work / "levels.json").read_text()))
    pair = []
    for motion in ("normal", "vertical"):
        more = [word for value in STEEP + [f"sources[0].motion={motion}"] for word in ("--set", value)]
        subprocess.run([sys.argv[1], "check", "case.yaml", "--device", "cpu", "--plot", "steep.json", *more], cwd=work, check=True, stdout=subprocess.DEVNULL)
        pair.append(json.loads((work / "steep.json").read_text()))
    check_normal(pair)
    drawn = subprocess.run([sys.executable, scripts / "plot_case.py", "-o", work / "full.png"], input=json.dumps(full), text=True, capture_output=True)
    assert drawn.returncode == 0 and (work / "full.png").stat().st_size > 20000, drawn.stderr
    for document, said in (("", "Expecting value"), ("[]", "it is laid out otherwise"), ('{"x": [1]}', "it has no 'y'")):
        told = subprocess.run([sys.executable, scripts / "plot_case.py", "-o", work / "none.png"], input=document, text=True, capture_output=True)
        assert told.returncode == 1 and told.stderr.startswith(f"plot_case.py: standard input: {said}") and told.stderr.count("\n") == 1, told.stderr
    told = subprocess.run([sys.executable, scripts / "plot_case.py", "-o", work / "none" / "none.png"], input=json.dumps(plain), text=True, capture_output=True)
    assert told.returncode == 2 and "there is no folder" in told.stderr and not list(work.glob("none*")), told.stderr
    print("passed")
