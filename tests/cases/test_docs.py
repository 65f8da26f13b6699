# SPDX-License-Identifier: Apache-2.0
"""The pages that come from the code are those of this code; scripts can be called as pages call them; the figure of the verification can be drawn, its two curves being one; the JSON Schema takes what agwave takes and refuses what it refuses; the site builds
without a warning. The last two need jsonschema, PyYAML and mkdocs-material (scripts/requirements-dev.txt) and are skipped without.
   test_docs.py AGWAVE SOURCE_DIR PYTHON"""
import copy
import json
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile

agwave, source = sys.argv[1], pathlib.Path(sys.argv[2])
missing = []


def printed(*arguments):
    return subprocess.run([agwave, "schema", *arguments], capture_output=True, text=True, check=True).stdout


def check_pages():
    page = (source / "docs/case-file.head").read_text(encoding="utf-8") + printed()
    advice = "is not that of this code: run scripts/docs.sh --pages and commit what changed"
    assert page == (source / "docs/case-file.md").read_text(encoding="utf-8"), "docs/case-file.md " + advice
    assert printed("--json") == (source / "docs/case.schema.json").read_text(encoding="utf-8"), "docs/case.schema.json " + advice
    assert printed("--markdown") == printed()


def check_commands():
    """Pages call scripts by their names alone."""
    programs = [path for kind in ("*.py", "*.sh") for path in (source / "scripts").rglob(kind) if path.read_bytes().startswith(b"#!")]
    wrong = [path.name for path in programs if not os.access(path, os.X_OK)]
    assert len(programs) > 20 and not wrong, f"cannot be called by name: {', '.join(wrong)}; git update-index --chmod=+x"


def check_flat_box():
    """configs/flat_box.yaml says that it has every key."""
    text = (source / "configs/flat_box.yaml").read_text(encoding="utf-8")
    groups = json.loads(printed("--json"))["properties"]
    for group in ("mesh", "ocean", "boundary", "time", "sensors", "solver", "parallel", "p2o", "output"):
        missing_keys = [key for key in groups[group]["properties"] if not re.search(rf"\b{key}\b", text)]
        assert not missing_keys, f"configs/flat_box.yaml lacks {group}: {missing_keys}"


def check_schema():
    try:
        import jsonschema
        import yaml
    except ImportError as error:
        missing.append(str(error))
        return
    schema = json.loads(printed("--json"))
    jsonschema.Draft7Validator.check_schema(schema)
    schema = jsonschema.Draft7Validator(schema)
    for path in sorted((source / "configs").glob("*.yaml")):
        errors = [f"{list(e.path)}: {e.message}" for e in schema.iter_errors(yaml.safe_load(path.read_text(encoding="utf-8")))]
        assert not errors, f"{path}: {errors}"
    base = {"domain": {"size": [8000, 6000], "bathymetry": {"type": "flat", "depth": 2000}}, "mesh": {"elements": [2, 2, 1]}, "time": {"end": 1}}
    changes = {  # what is wrong or right -> would agwave take it?
        "nothing": (lambda c: None, True), "unknown key": (lambda c: c["mesh"].update(elemnts=[1, 1, 1]), False),
        "no end": (lambda c: c["time"].clear(), False), "depth of another type": (lambda c: c["domain"]["bathymetry"].update(amplitude=0.1), False),
        "order 3": (lambda c: c["mesh"].update(order=3), False), "order 1": (lambda c: c["mesh"].update(order=1), True),
        "two elements": (lambda c: c["mesh"].update(elements=[2, 2]), False), "step auto": (lambda c: c["time"].update(step="auto"), True),
        "step soon": (lambda c: c["time"].update(step="soon"), False), "negative depth": (lambda c: c["domain"]["bathymetry"].update(depth=-2000), False),
        "layers by rule": (lambda c: c["mesh"].update(layers={"type": "geometric", "ratio": 2}), True),
        "layers by no rule": (lambda c: c["mesh"].update(layers={"type": "geometric", "ratoi": 2}), False),
        "spacing by rule": (lambda c: c["mesh"].update(spacing={"x": {"type": "focus", "center": 4000, "radius": 1000, "ratio": 3}}), True),
        "no maps": (lambda c: c.update(output={"surface_interval": 0}), True),
        "sensor": (lambda c: c.update(sensors={"interval": 1, "seafloor": [{"name": "A", "x": 1, "y": 2}]}), True),
        "grid of sensors": (lambda c: c.update(sensors={"interval": 1, "surface": {"grid": {"counts": [2, 2]}}}), True),
        "sensor without name": (lambda c: c.update(sensors={"interval": 1, "seafloor": [{"x": 1, "y": 2}]}), False),
        "hydrophone without z": (lambda c: c.update(sensors={"interval": 1, "hydrophones": [{"name": "H", "x": 1, "y": 2}]}), False),
        "source": (lambda c: c.update(sources=[{"shape": {"type": "modal", "modes": [1, 0]}, "ramp": {"type": "cosine", "duration": 1}}]), True),
        "source of no type": (lambda c: c.update(sources=[{"shape": {"type": "modl", "modes": [1, 0]}, "ramp": {"type": "cosine", "duration": 1}}]), False),
    }
    with tempfile.TemporaryDirectory() as work:
        for name, (change, good) in changes.items():
            case = copy.deepcopy(base)
            change(case)
            assert schema.is_valid(case) == good, f"JSON Schema, {name}: " + "; ".join(e.message for e in schema.iter_errors(case))
            (pathlib.Path(work) / "c.yaml").write_text(yaml.safe_dump(case))
            done = subprocess.run([agwave, "check", "c.yaml", "--device", "cpu"], cwd=work, capture_output=True, text=True)
            assert (done.returncode == 0) == good and done.returncode in (0, 2), f"agwave, {name}: {done.stderr}"


def check_site():
    mkdocs = shutil.which("mkdocs", path=str(pathlib.Path(sys.executable).parent) + os.pathsep + os.environ.get("PATH", ""))
    if mkdocs is None:
        missing.append("mkdocs")
        return
    with tempfile.TemporaryDirectory() as site:
        done = subprocess.run([mkdocs, "build", "--strict", "--site-dir", site], cwd=source, capture_output=True, text=True,
                              env={**os.environ, "NO_MKDOCS_2_WARNING": "1"})
        assert done.returncode == 0, done.stdout + done.stderr
        assert "max_height" in (pathlib.Path(site) / "index.html").read_text(encoding="utf-8")


def check_figure():
    try:
        import h5py  # noqa: F401
        import matplotlib  # noqa: F401
    except ImportError as error:
        missing.append(str(error))
        return
    with tempfile.TemporaryDirectory() as work:
        done = subprocess.run([sys.executable, str(source / "scripts/plot_verification.py"), agwave, "-o", f"{work}/piston.png"], capture_output=True, text=True)
        assert done.returncode == 0, done.stdout + done.stderr
        assert os.path.getsize(f"{work}/piston.png") > 10000


check_pages()
check_commands()
check_flat_box()
check_figure()
check_schema()
check_site()
if missing:
    print("the generated pages are right; the rest was not checked:", "; ".join(missing), "- pip install -r scripts/requirements-dev.txt")
    sys.exit(77)
print("passed")
