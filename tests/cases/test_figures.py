# SPDX-License-Identifier: Apache-2.0
"""The tables of the pages are those of the runs that benchmarks/runs.yaml names; figures.py sees a figure that was changed, in a page or where it was typed, and a log that no run shows, and mends a page.
   test_figures.py AGWAVE SOURCE_DIR PYTHON"""
import importlib.util
import pathlib
import shutil
import subprocess
import sys
import tempfile

source = pathlib.Path(sys.argv[2])

from program import need

need("yaml")
import yaml  # noqa: E402


def figures(tree, *arguments, code=0):
    done = subprocess.run([sys.executable, str(tree / "scripts/figures.py"), *arguments], capture_output=True, text=True)
    assert done.returncode == code, f"figures.py {' '.join(arguments)} of {tree}: exit code {done.returncode} instead of {code}\n{done.stdout}{done.stderr}"
    return done.stdout + done.stderr


def changed(path, old, new):
    text = path.read_text(encoding="utf-8")
    assert old in text, f"{path} has no {old}"
    path.write_text(text.replace(old, new, 1), encoding="utf-8")
    return text


assert figures(source, "--check") == ""
with tempfile.TemporaryDirectory() as work:
    tree = pathlib.Path(work)
    for folder in ("benchmarks", "docs", "scripts"):
        shutil.copytree(source / folder, tree / folder)
    shutil.copy(source / "README.md", tree)
    assert figures(tree, "--check") == ""

    page = tree / "docs/performance.md"
    row = next(line for line in page.read_text(encoding="utf-8").splitlines() if line.startswith("| `fused-mf` |"))
    good = changed(page, row, row.replace("20.45", "21.45"))
    assert "docs/performance.md: operators" in figures(tree, "--check", code=1)
    assert "operators" in figures(tree) and page.read_text(encoding="utf-8") == good
    assert figures(tree, "--check") == ""

    changed(page, "<!-- figures: operators -->", "<!-- figures: operator -->")
    assert "figures: operator -->" in figures(tree, "--check", code=1)
    page.write_text(good, encoding="utf-8")

    runs = tree / "benchmarks/runs.yaml"
    good = runs.read_text(encoding="utf-8")
    document = yaml.safe_load(good)
    document["runs"]["unimak"]["commit"] = "another"
    runs.write_text(yaml.safe_dump(document, sort_keys=False), encoding="utf-8")
    assert "cases" in figures(tree, "--check", code=1)
    next(row for row in document["tables"]["cases"]["rows"] if row["run"] == "unimak")["figures"][-1] = "45.85"
    runs.write_text(yaml.safe_dump(document, sort_keys=False), encoding="utf-8")
    assert "unimak.log" in figures(tree, "--check", code=1)
    runs.write_text(good, encoding="utf-8")

    new = tree / "benchmarks/gpu-2000-01-01/new.log"
    new.parent.mkdir()
    new.write_text("device\n", encoding="utf-8")
    assert "gpu-2000-01-01/new.log" in figures(tree, "--check", code=1)


def told(script, *words):
    done = subprocess.run([sys.executable, str(source / "scripts" / script), *map(str, words)], capture_output=True, text=True)
    assert done.returncode == 1 and done.stderr.count("\n") == 1 and "Error" not in done.stderr, done.stderr
    return done.stderr


with tempfile.TemporaryDirectory() as work:
    folder = pathlib.Path(work)
    (folder / "none.json").write_text("{}")
    (folder / "text.json").write_text("device")
    (folder / "list.json").write_text("[1]")
    (folder / "campaign.json").write_text('{"runs": [{}]}')
    scripts = ["figures.py"] + ["plot_bench.py"] * (importlib.util.find_spec("matplotlib") is not None)
    for name, said in (("none.json", "it has no 'results'"), ("text.json", "Expecting value"), ("list.json", "it is laid out otherwise"), ("gone.json", "No such file or directory")):
        for script in scripts:
            assert told(script, folder / name).startswith(f"{script}: {folder / name}: {said}"), told(script, folder / name)
    assert told("scaling_model.py", folder / "none.json", folder / "gone").startswith(f"scaling_model.py: {folder}/gone/campaign.json: No such file or directory; is it what")
    assert told("scaling_model.py", folder / "none.json", folder).startswith(f"scaling_model.py: {folder}: it has no 'name'; is it what campaign.py wrote?")
    (folder / "campaign.json").write_text('{"runs": []}')
    assert told("scaling_model.py", folder / "none.json", folder).startswith(f"scaling_model.py: {folder}/none.json: it has no 'results'; is it what")
    (folder / "plain.json").write_text('{"results": [{}]}')
    assert told("scaling_model.py", folder / "plain.json", folder).startswith(f"scaling_model.py: {folder}/plain.json: no result with --exchange; is it what")
print("passed")
