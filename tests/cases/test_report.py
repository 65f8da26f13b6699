# SPDX-License-Identifier: Apache-2.0
"""scripts/report.py and animate.py on a tiny run: a page that needs nothing beside itself, drawn by a browser, with a slider and traces that answer where
there is JavaScript and pictures where there is none, and frames that move. Without Chromium or Plotly the page is parsed only, and the test counts as
skipped.   test_report.py AGWAVE SOURCE_DIR PYTHON"""
import base64
import html.parser
import io
import json
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile

from program import disk_of, need

need("h5py", "matplotlib", "numpy", "PIL")
import h5py  # noqa: E402
import matplotlib  # noqa: E402
import numpy as np  # noqa: E402
from PIL import Image  # noqa: E402

CASE = """
title: "Tiny <case> & report"
domain: {size: [12000, 9000], bathymetry: {type: cosine, depth: 2000, amplitude: 0.2, waves: [1, 1]}}
mesh: {elements: [4, 3, 1]}
sources: [{shape: {type: gaussian, center: [6000, 4000], radius: [2000, 1500]}, ramp: {type: smoothstep, duration: 2}}]
time: {end: 8}
sensors:
  interval: 0.25
  seafloor: [{name: A, x: 3000, y: 3000}, {name: B, x: 6000, y: 4500}, {name: C, x: 11500, y: 4200}]
  surface: [{name: T, x: 6000, y: 4500}]
output: {directory: out, surface_interval: 2}
solver: {device: cpu}
"""
SECTIONS = ["The run", "Largest surface height", "Arrival time", "The surface in time", "Traces", "Record section", "Spectra", "Energy budget"]


class Page(html.parser.HTMLParser):
    def __init__(self, text):
        super().__init__()
        self.heads, self.pictures, self.links, self.inside = [], [], [], None
        self.feed(text)

    def handle_starttag(self, tag, attrs):
        self.inside = tag
        for key, value in attrs:
            if tag == "img" and key == "src":
                assert value.startswith("data:image/png;base64,"), value[:60]
                self.pictures.append(Image.open(io.BytesIO(base64.b64decode(value.split(",", 1)[1]))))
            elif key in ("src", "href"):
                self.links.append(value)

    def handle_data(self, data):
        if self.inside == "h2" and data.strip():
            self.heads.append(data)


def report(run, *arguments):
    return subprocess.run([sys.executable, str(scripts / "report.py"), str(run), *map(str, arguments)], capture_output=True, text=True)


def check_page(run):
    done = report(run)
    assert done.returncode == 0, done.stderr
    text = (run / "report.html").read_text(encoding="utf-8")
    page = Page(text)
    assert page.heads == SECTIONS, page.heads
    assert len(page.pictures) == 7 and all(p.width > 800 and np.asarray(p.convert("L")).std() > 5 for p in page.pictures)
    assert "to sensor C from about t = " in text, "the reflected wave is not told"
    assert page.links == [] and "<h1>Tiny &lt;case&gt; &amp; report</h1>" in text and "c/4H of all depths" in text and "agwave run, complete" in text
    return run / "report.html"


def check_unfinished(run, work):
    early = work / "early"
    shutil.copytree(run, early)
    (early / "summary.json").unlink()
    (early / "surface.h5").unlink()
    assert report(early, "-o", work / "early.html").returncode == 0
    text = (work / "early.html").read_text(encoding="utf-8")
    assert "<b>8 s</b><span>of 8 s of model time</span>" in text, "a tile does not hold both on one line"
    assert "The run has no summary" in text and Page(text).heads == ["The run", "Traces", "Record section", "Spectra", "Energy budget"]
    (early / "summary.json").write_text('{"end_s": ')
    failed = report(early)
    assert failed.returncode == 1 and failed.stderr.startswith(f"report.py: {early}/summary.json: ") and failed.stderr.count("\n") == 1, failed.stderr
    (work / "empty").mkdir()
    failed = report(work / "empty")
    assert failed.returncode == 1 and "neither sensors.h5 nor surface.h5" in failed.stderr, failed.stderr


def check_animation(run, work):
    def animate(name, *more):
        return subprocess.run([sys.executable, str(scripts / "animate.py"), str(run), "-o", str(work / name), "--dpi", "50", *more], capture_output=True, text=True)

    assert animate("s.gif").returncode == 0
    with Image.open(work / "s.gif") as movie:
        assert movie.n_frames == 5
        frames = []
        for n in range(5):
            movie.seek(n)
            frames.append(np.asarray(movie.convert("RGB")).astype(int))
        assert all(np.abs(a - b).max() > 50 for a, b in zip(frames, frames[1:])), "nothing moves"
        for color in matplotlib.colormaps["RdBu_r"](np.linspace(0, 1, 9), bytes=True)[:, :3].astype(int):
            assert all(np.abs(frame - color).max(-1).min() <= 8 for frame in frames), f"the colour bar lacks {color}"
    assert "ends with .gif or .mp4" in animate("s.avi").stderr
    mp4 = animate("s.mp4")
    if shutil.which("ffmpeg"):
        assert mp4.returncode == 0 and b"ftyp" in (work / "s.mp4").read_bytes()[:16], mp4.stderr
    else:
        assert mp4.returncode == 1 and "ffmpeg" in mp4.stderr


def check_refusals(run, work):
    """A line names the file that a full disk does not take, and nothing lies under its name or another; values that mean nothing, folders and the files of
    the run itself are refused."""
    full = work / "full"
    full.mkdir()

    def call(name, *words, code, **how):
        done = subprocess.run([sys.executable, str(scripts / name), *map(str, words)], capture_output=True, text=True, **how)
        assert done.returncode == code and "Traceback" not in done.stderr and not list(full.iterdir()), (name, words, done.returncode, done.stderr)
        return done.stderr.splitlines()[-1]

    for name, target, *words in (("report.py", "r.html", run, "--still"), ("plot_surface.py", "s.pdf", run), ("animate.py", "s.gif", run, "--dpi", "40"),
                                 ("twin_margin.py", "m.tt3"), ("plot_traces.py", "t.png", run)):
        assert call(name, *words, "-o", full / target, code=1, **disk_of(3000)) == f"{name}: {full / target}: File too large"
    piped = subprocess.run([sys.executable, str(scripts / "twin_margin.py"), "-o", "/dev/stdout"], capture_output=True, text=True, check=True).stdout
    assert piped.startswith("171 ncols"), piped[:100]
    for name in ("report.py", "plot_surface.py"):
        assert call(name, run, "-o", work, code=2).endswith(f"{work}: this is a folder; give the name of a file")
    kept = {path: path.read_bytes() for path in run.iterdir() if path.is_file()}
    (work / "link.h5").symlink_to(run / "surface.h5")
    for name, *words in (("report.py", run, "--still", "-o", run / "sensors.h5"), ("report.py", run, "--still", "-o", work / "link.h5"),
                         ("plot_surface.py", run / "surface.h5", "-o", run / "summary.json"), ("plot_surface.py", run, "-o", run / "surface.h5")):
        assert call(name, *words, code=2).endswith("is read, and would be written over; give another name"), words
    assert all(path.read_bytes() == before for path, before in kept.items())
    for fps in ("1e-9", "1000"):
        assert f"--fps {float(fps):g}: a GIF counts hundredths of a second" in call("animate.py", run, "--fps", fps, "-o", full / "s.gif", code=2)
    for minutes, said in (("0.05", "--minutes 0.05: 0.25 at least"), ("nan", "nan is no finite number above 0")):  # it would look at nothing
        assert said in call("soak.py", sys.argv[1], "--minutes", minutes, code=2), minutes
    for words in (("--kills=-1",), ("--seconds", "0"), ("--ranks", "0"), ("--lanes", "0"), ("--kills", "0", "--within", "0")):  # it would not end, or fail far in
        assert f"argument {words[-2] if len(words) > 1 else '--kills'}: " in call("kill_campaign.py", sys.argv[1], *words, code=2), words
    for dpi, said in (("0", "0 is no whole number from 1 on"), ("100000", "100000 is more than 2400")):
        for name, target in (("plot_surface.py", "s.png"), ("animate.py", "s.gif"), ("plot_traces.py", "t.png")):
            assert said in call(name, run, "--dpi", dpi, "-o", full / target, code=2), (name, dpi)
    for words in (("--limit", "nan"), ("--limit", "0"), ("--limit=-1",), ("--time", "nan", "--variable", "surface_height")):
        assert " is no finite number" in call("plot_surface.py", run, *words, "-o", full / "s.png", code=2), words
    shutil.copytree(run, work / "gap")
    with h5py.File(work / "gap" / "sensors.h5", "r+") as file:
        file["pressure"][10, 1] = np.nan
    for name in ("report.py", "plot_traces.py"):
        told = call(name, work / "gap", "-o", full / "gap.png", code=1)
        assert told == f"{name}: {work / 'gap' / 'sensors.h5'}: records of B are not finite, first at 2.5 s; make the run anew", told


def check_passed_over(run, work):
    """Maps that a run which goes on with a shorter interval does not have, NaN all over."""
    shutil.copytree(run, work / "passed")
    with h5py.File(work / "passed" / "surface.h5", "r+") as file:
        file["surface_height"][1] = np.nan
    done = report(work / "passed")
    assert done.returncode == 0, done.stderr
    (text,) = re.findall(r'data-live="surface">(.*?)</script>', (work / "passed" / "report.html").read_text())
    assert json.loads(text.replace("<\\/", "</"))["times"] == ["0 s", "4 s", "6 s", "8 s"]
    movie = work / "passed.gif"
    subprocess.run([sys.executable, str(scripts / "animate.py"), str(work / "passed"), "-o", str(movie), "--dpi", "40"], check=True)
    with Image.open(movie) as frames:
        assert frames.n_frames == 4
    subprocess.run([sys.executable, str(scripts / "plot_surface.py"), str(work / "passed"), "--variable", "surface_height", "--time", "2.5", "-o", str(work / "p.png")],
                   check=True)


def check_dollars(run, work):
    """Names and titles with $ are drawn as they are: what stands between two of them is no mathematics."""
    shutil.copytree(run, work / "dollars")
    with h5py.File(work / "dollars" / "sensors.h5", "r+") as file:
        file["station"][0], file["gauge"][0] = "$\\foo$", "$5$"
        file.attrs["title"] = "for $\\alpha and $\\foo"
    for name, *words in (("report.py", "--still", "-o", work / "d.html"), ("plot_traces.py", "-o", work / "d.svg"), ("plot_surface.py", "-o", work / "d.png"),
                         ("animate.py", "--dpi", "40", "-o", work / "d.gif"), ("spectrogram.py", "--window", "4", "-o", work / "d.pdf")):
        done = subprocess.run([sys.executable, str(scripts / name), str(work / "dollars"), *map(str, words)], capture_output=True, text=True)
        assert done.returncode == 0 and not done.stderr, (name, done.stderr)
    drawn = (work / "d.svg").read_text(encoding="utf-8")
    assert all(f"<!-- {words} -->" in drawn for words in ("$\\foo$", "$5$", "for $\\alpha and $\\foo")), re.findall("<!-- .* -->", drawn)[:40]


def check_ffmpeg(run, work):
    """An ffmpeg that fails is told in a line, with its last words."""
    (work / "bin").mkdir()
    (work / "bin" / "ffmpeg").write_text("#!/bin/sh\necho 'no room' >&2\nfor last; do :; done\necho half >\"$last\"\nexit 1\n")
    (work / "bin" / "ffmpeg").chmod(0o755)
    done = subprocess.run([sys.executable, str(scripts / "animate.py"), str(run), "-o", str(work / "half.mp4"), "--dpi", "40"], capture_output=True, text=True,
                          env={**os.environ, "PATH": f"{work / 'bin'}:{os.environ['PATH']}"})
    assert done.returncode == 1 and "half.mp4: ffmpeg did not finish it" in done.stderr and "Traceback" not in done.stderr, done.stderr
    assert not list(work.glob("half.mp4*"))


def check_still(run, work):
    assert report(run, "--still", "-o", work / "still.html").returncode == 0
    text = (work / "still.html").read_text(encoding="utf-8")
    assert "<script" not in text and len(Page(text).pictures) == 7 and len(text) < 2e6


def check_levels(work):
    """A run in levels shows the map of its steps."""
    shelf = "domain.bathymetry={type: margin, shelf_depth: 100, abyssal_depth: 2000, trench_depth: 2000, shelf_edge: 9000, slope_width: 7000, trench_width: 1000}"
    settings = [word for value in ("mesh.elements=[17, 4, 1]", "time.local_steps=4", "time.end=1", shelf) for word in ("--set", value)]
    subprocess.run([sys.argv[1], "run", "case.yaml", "--quiet", "--output", "levels", *settings], cwd=work, check=True)
    assert report(work / "levels", "--still").returncode == 0
    text = (work / "levels" / "report.html").read_text(encoding="utf-8")
    assert "Local steps" in Page(text).heads and "to gain a factor of" in text, Page(text).heads


def check_single(work):
    """A run in single precision, whose energy is not known; what a floor has taken that gives way is."""
    settings = [word for value in ("solver.precision=single", "boundary.floor={density: 2000, sound_speed: 2000}", "boundary.sponge.west=6000", "time.end=2") for word in ("--set", value)]
    subprocess.run([sys.argv[1], "run", "case.yaml", "--quiet", "--output", "single", *settings], cwd=work, check=True)
    assert report(work / "single", "--still").returncode == 0
    text = (work / "single" / "report.html").read_text(encoding="utf-8")
    assert "nor what faded in sponges is known" in text and "gone through absorbing walls" in text and "taken by the floor" in text


def browse(browser, work, path, *arguments):
    return subprocess.run([browser, "--headless", "--no-sandbox", "--disable-gpu", "--hide-scrollbars", f"--user-data-dir={work}/profile",
                           "--virtual-time-budget=8000", "--window-size=1200,4600", *arguments, path.as_uri()],
                          capture_output=True, text=True, timeout=120, check=True).stdout


TOUCH = """<script>
const bar = document.querySelector("input[type=range]");
bar.value = 3;
bar.dispatchEvent(new Event("input"));
Plotly.Fx.hover(document.querySelector("#traces .js-plotly-plot"), [{curveNumber: 0, pointNumber: 8}]);
</script></body>"""


def check_live(browser, path, run, work):
    """Moves the slider and the pointer."""
    touched = work / "touched.html"
    touched.write_text(path.read_text(encoding="utf-8").replace("</body>", TOUCH), encoding="utf-8")
    seen = browse(browser, work, touched, "--dump-dom").rsplit("</script><script>const bar", 1)[0]
    assert seen.count('<div class="still" hidden="">') == 2, "the still pictures are not replaced"
    assert "<output>6 s</output>" in seen, "the slider does not tell its time"
    with h5py.File(run / "sensors.h5") as file:
        value = file["pressure"][8, 1] / 1e3  # B is the nearest to the source, and so the first
    assert f"2.00 s: {value:.4g} kPa" in seen.replace("\u2212", "-"), f"no {value:.4g} kPa under the pointer"
    forbid = '<head><meta http-equiv="Content-Security-Policy" content="script-src \'none\'">'
    touched.write_text(path.read_text(encoding="utf-8").replace("<head>", forbid, 1), encoding="utf-8")
    dumb = browse(browser, work, touched, "--dump-dom").split("<script", 1)[0]
    assert '<div class="still">' in dumb and 'id="surface" hidden' in dumb, "without JavaScript the pictures are not shown"


def check_in_browser(path, work):
    browser = next((found for name in ("chromium", "chromium-browser", "google-chrome") if (found := shutil.which(name))), None)
    if browser is None:
        print("the page is right as far as Python can tell; no browser looked at it: install chromium")
        sys.exit(77)
    shot = work / "page.png"
    browse(browser, work, path, f"--screenshot={shot}")
    seen = np.asarray(Image.open(shot).convert("RGB")).astype(int)
    assert seen.shape == (4600, 1200, 3)
    assert np.abs(seen[5, 5] - (0x12, 0x32, 0x4F)).max() <= 2, f"the header is not drawn: {seen[5, 5]}"
    busy = (seen.reshape(46, 100, 1200, 3).std(axis=(1, 2)).max(-1) > 8).mean()
    assert busy > 0.8, f"{1 - busy:.0%} of the page is empty"
    page = seen[300:, 60:1140]
    assert ((page - page.mean(-1, keepdims=True)).__abs__().max(-1) > 40).mean() > 0.03, "the maps have no colours"
    if not report_live.library():
        print("the page has still pictures alone: pip install -r scripts/requirements.txt for plotly")
        sys.exit(77)
    check_live(browser, path, path.parent, work)


with tempfile.TemporaryDirectory() as name:
    work, scripts = pathlib.Path(name), pathlib.Path(sys.argv[2]).resolve() / "scripts"
    sys.path.insert(0, str(scripts))
    import report_live
    (work / "case.yaml").write_text(CASE)
    subprocess.run([sys.argv[1], "run", "case.yaml", "--quiet"], cwd=work, check=True)
    with h5py.File(work / "out" / "surface.h5") as surface:
        assert abs(surface["uplift"][:].max() - np.exp(-0.5 * (500 / 1500) ** 2)) < 1e-12  # at (6000, 4500), a point of the map
    try:
        import xarray
    except ImportError:
        pass  # another test says so
    else:
        with xarray.open_dataset(work / "out" / "surface.h5", engine="h5netcdf") as maps:
            assert maps.surface_height.dims == ("time", "y", "x") and float(maps.surface_height.sel(time=4, x=6000, y=4500)) != 0
            assert maps.arrival_time.attrs["units"] == "s" and maps.attrs["Conventions"] == "CF-1.8"
    path = check_page(work / "out")
    check_unfinished(work / "out", work)
    check_refusals(work / "out", work)
    check_passed_over(work / "out", work)
    check_dollars(work / "out", work)
    check_ffmpeg(work / "out", work)
    check_still(work / "out", work)
    check_levels(work)
    check_single(work)
    check_animation(work / "out", work)
    check_in_browser(path, work)
    print("passed")
