#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Fills the tables of figures in README.md, docs/*.md and benchmarks/README.md; or prints the table of files of `agwave bench --json`.

Without files, every table between `<!-- figures: NAME -->` and `<!-- end -->` is written anew as benchmarks/runs.yaml says: which run feeds it,
from its JSON file or from figures of its log, which have to stand in that log. --check writes nothing, names what is stale and exits with 1.
With files: one table per device, geometry order and quadrature; of each variant the size nearest to the papers' 540 million dofs, and among
equals the last one given. Times on a CPU are left out: they mean something only as ratios within one run.

Example:
    figures.py                                    # after a run was added to benchmarks/runs.yaml
    figures.py bench.json other.json --dofs 67e6 --full
"""
import argparse
import functools
import json
import math
import pathlib
import re
import sys

import common  # first: says which package is missing
import arguments

PAPER_DOFS = 540e6
PAPER = {"pa": ("PA", 18.73), "fused-pa": ("Fused PA", 24.04), "fused-mf": ("Fused MF", 20.45), "dmma-pa": ("DMMA PA", 25.27),
         "dmma-fused-pa": ("DMMA Fused PA", 36.15), "dmma-fused-mf": ("DMMA Fused MF", 32.24)}  # GH200, 540 million dofs [GDOF/s]
BENCHMARKS = pathlib.Path(__file__).resolve().parent.parent / "benchmarks"
MARKED = re.compile(r"(<!-- figures: (\S+) -->\n).*?(<!-- end -->)", re.DOTALL)
RESULT = "variant", "dofs", "geometry_order", "quadrature"  # what each result of a benchmark has


class Wrong(Exception):
    pass


def bench(path):
    """The document of a file of `agwave bench --json`."""
    try:
        document = json.loads(pathlib.Path(path).read_text(encoding="utf-8"))
        lacking = [key for r in document["results"] for key in RESULT if key not in r] + ["device"] * ("device" not in document)
        if lacking:
            raise KeyError(lacking[0])
        return document
    except (OSError, ValueError, KeyError, TypeError) as error:
        raise Wrong(f"{path}: {common.mislaid(error)}; give files of `agwave bench --json`") from None


def numbers(text):
    return {float(n) for n in re.findall(r"\d+(?:\.\d+)?", text)}


def mean(value):
    return sum(value) / len(value) if isinstance(value, list) else value


def listed(value):
    return value if isinstance(value, list) else [value]


def dofs(elements):
    """Pressure in H1 of order 4, three components of velocity in L2 of order 3."""
    return 3 * 64 * math.prod(elements) + math.prod(4 * n + 1 for n in elements)


def figure(value, form="{:.2f}"):
    return "-" if value is None else form.format(mean(value))


def span(values, form="{:.1f}"):
    low, high = form.format(min(values)), form.format(max(values))
    return low if low == high else f"{low} to {high}"


def markdown(head, rows, right=1):
    """Columns from `right` on hold figures."""
    rule = "|" + "---|" * right + "---:|" * (len(head) - right)
    return "\n".join(["| " + " | ".join(head) + " |", rule] + ["| " + " | ".join(row) + " |" for row in rows])


# One application of both blocks

def throughput(result):
    """Both off-diagonal blocks [GDOF/s], and whether it is four times the RK4 step's for want of an operator."""
    if result.get("operator_gdofs") is not None:
        return result["operator_gdofs"], False
    return result.get("operator_equivalent_gdofs") or 4 * mean(result["step_gdofs"]), True


def speed(result):
    if not result:
        return "-"
    ours, equivalent = throughput(result)
    return figure(ours) + (" (step x 4)" if equivalent else "")


def nearest(results, wanted=PAPER_DOFS):
    """Of each variant of RK4 timed on a GPU the size nearest to `wanted`, among equals the last one. The leapfrog's operator is another one, on one field."""
    best = {}
    for r in results:
        distance = abs(math.log(r["dofs"] / wanted))
        if r.get("device", "cuda") == "cuda" and r.get("integrator", "rk4") == "rk4" and (r["variant"] not in best or distance <= best[r["variant"]][0]):
            best[r["variant"]] = distance, r
    return {name: r for name, (_, r) in best.items()}


def setting(best):
    sizes = sorted({f"{r['dofs'] / 1e6:.4g}" for r in best.values()}, key=float)
    orders, points = ({r[k] for r in best.values() if k in r} for k in ("geometry_order", "quadrature"))
    return f"{span(list(map(float, sizes)), '{:.4g}')} million dofs, geometry order {span(orders, '{}')}, Q1D = {span(points, '{}')}"


def operator_row(name, result, full):
    title, paper = PAPER.get(name, (name, None))
    ours, equivalent = throughput(result) if result else (None, False)
    cells = [title, figure(paper), speed(result), figure(ours / paper if ours and paper else None)]
    if full:
        result = result or {}
        fraction = result.get("roofline_fraction")
        kind = "step_" if equivalent else ""
        cells += [figure(fraction and 100 * fraction, "{:.0f} %"), figure(result.get("step_gdofs")), figure(result.get("bytes_per_dof"), "{:.1f}"),
                  figure(result.get(kind + "watts"), "{:.0f}"), figure(result.get(kind + "mdofs_per_joule"), "{:.1f}")]
    return cells


def operator_table(best, full):
    head = ["variant", "paper GH200 GDOF/s", "ours GDOF/s", "ratio"]
    if full:
        head += ["of roofline", "RK4 step GDOF*step/s", "bytes per dof", "W", "MDOF/J"]
    return markdown(head, [operator_row(n, best.get(n), full) for n in [*PAPER, *(n for n in best if n not in PAPER)]])


# Named runs

class Run:
    """One entry of `runs`: where its figures are and who made them."""

    def __init__(self, name, entry):
        self.name, self.entry, self.files = name, entry, entry["files"]
        for file in self.files:
            if not (BENCHMARKS / file).is_file():
                raise Wrong(f"runs.yaml: run {name}: benchmarks/{file} is not there; give the file's path below benchmarks/")
        if self.files[0].endswith(".json"):
            document = bench(BENCHMARKS / self.files[0])
            own = {"device": document["device"], "date": document["date"][:10], "commit": document["build"]["commit"]}
            self.results = document["results"]
        else:
            own, self.results = {}, entry.get("results", [])
            for r in self.results:
                r["dofs"] = dofs(r["elements"])
                self.vouch([value for key in ("step_gdofs", "bytes_per_dof", "step_watts", "step_mdofs_per_joule") if key in r for value in listed(r[key])])
        self.device, self.date, self.commit = (str(entry.get(k, own.get(k))) for k in ("device", "date", "commit"))

    @functools.cached_property
    def printed(self):
        return set().union(*(numbers((BENCHMARKS / file).read_text(encoding="utf-8")) for file in self.files if file.endswith(".log")))

    def vouch(self, values):
        """Figures that were typed have to be printed in a log of the run."""
        for value in values:
            if float(value) not in self.printed:
                raise Wrong(f"runs.yaml: run {self.name}: {value} stands in none of {', '.join(self.files)}; give figures as the log prints them")

    def source(self):
        return f"{self.device}, {self.date}, commit {self.commit} (`benchmarks/{self.files[0]}`)"


class Tables:
    """The tables of runs.yaml by name, each a method of its kind that returns Markdown, the runs it used and a note."""

    def __init__(self):
        import yaml
        try:
            document = yaml.safe_load((BENCHMARKS / "runs.yaml").read_text(encoding="utf-8"))
        except yaml.YAMLError as error:
            raise Wrong(f"benchmarks/runs.yaml: {error}")
        self.runs = {name: Run(name, entry) for name, entry in document["runs"].items()}
        self.tables, self.variants = document["tables"], document["variants"]
        shown = {file for run in self.runs.values() if "shows" in run.entry for file in run.files}
        for file in sorted(str(path.relative_to(BENCHMARKS)) for path in BENCHMARKS.glob("*/*")):
            if file not in shown:
                raise Wrong(f"runs.yaml: no run shows benchmarks/{file}; name it under `files` of one that has `shows`, or remove it")

    def text(self, name, page):
        if name not in self.tables:
            raise Wrong(f"{page}: <!-- figures: {name} --> is no table of benchmarks/runs.yaml, which has {', '.join(self.tables)}")
        entry = self.tables[name]
        body, runs, *notes = getattr(self, entry.get("kind", name).replace("-", "_"))(entry)
        for command in dict.fromkeys(run.entry["command"] for run in runs):
            notes.append(f"`{command}`: " + ", ".join(run.source() for run in runs if run.entry["command"] == command))
        return body + ("\n\n" + "; ".join(notes) + "." if notes else "")

    def first(self, entry, choice):
        """What `choice` makes of the results of each of the table's runs, a dictionary; the run named first has the word. And the runs that had it."""
        chosen, used = {}, []
        for run in (self.runs[n] for n in entry["runs"]):
            new = {key: r for key, r in choice(run.results).items() if key not in chosen}
            chosen.update(new)
            used += [run] * bool(new)
        return chosen, used

    def operators(self, entry):
        best, runs = self.first(entry, nearest)
        rows = [[f"`{n}`", self.variants[n], speed(best.get(n)), figure(PAPER.get(n, (n, None))[1])] for n in self.variants]
        return markdown(["variant", "what", "GDOF/s here", "GH200, paper"], rows, 2), runs, setting(best)

    def operators_full(self, entry):
        best, runs = self.first(entry, nearest)
        return operator_table(best, True), runs, setting(best)

    def steps(self, entry):
        def by_elements(results):
            return {tuple(r["elements"]): r for r in results if r["variant"] == entry["variant"] and r.get("device", "cuda") == "cuda"}

        chosen, runs = self.first(entry, by_elements)
        spread = self.runs[entry["spread"]]
        runs += [spread] * (spread not in runs)
        others = {elements: listed(r["step_gdofs"]) for elements, r in by_elements(spread.results).items()}
        rows = []
        for elements, r in sorted(chosen.items(), key=lambda item: item[1]["dofs"]):
            name = "x".join(map(str, elements))
            capped = self.speeds(entry["capped"].get(name, []), runs)
            several = others.get(elements, [])
            rows.append([name, f"{r['dofs'] / 1e6:.4g} million", figure(r["step_gdofs"], "{:.1f}"), span(several) if len(several) > 1 else "-",
                         span(capped) if capped else "-", figure(r.get("bytes_per_dof"), "{:.1f}"), figure(r.get("step_mdofs_per_joule"), "{:.0f}")])
        return markdown(["elements", "dofs", "GDOF\\*step/s", "on several GPUs", "at the power cap", "bytes per dof", "MDOF/J"], rows), runs

    def shares(self, entry):
        """Speeds, and what they are of as many GPUs as `gpus` says at the speed `alone`: of ten steps on end, and at the power cap."""
        rows, used = [], []
        for row in entry["rows"]:
            cells = []
            for when in ("measured", "capped"):
                measured = row.get(when, [])
                shares = [100 * speed / (row["gpus"] * mean(m["alone"])) for m in measured for speed in m["gdofs"]]
                cells += [span(self.speeds(measured, used)), span(shares) + " %"] if measured else ["-", "-"]
            rows.append([row["elements"], row["grid"], *cells])
        return markdown(entry["columns"], rows, 2), used

    def speeds(self, measured, used):
        speeds = []
        for m in measured:
            run = self.runs[m["run"]]
            run.vouch(m["gdofs"] + m.get("alone", []))
            used += [run] * (run not in used)
            speeds += m["gdofs"]
        return speeds

    def quoted(self, entry):
        """Rows of text, in the last columns figures as the row's run printed them."""
        rows, used = [], []
        for row in entry["rows"]:
            run = self.runs[row["run"]]
            run.vouch(sorted(numbers(" ".join(row["figures"]))))
            used += [run] * (run not in used)
            rows.append([row["what"], *row["figures"]])
        return markdown(entry["columns"], rows), used

    def index(self, entry):
        rows = [[", ".join(f"[{f}]({f})" for f in run.files), run.device, run.date, run.commit, run.entry["shows"]] for run in self.runs.values()
                if "shows" in run.entry]
        return markdown(["files", "device", "date", "commit", "what it shows"], rows, 5), []


def fill(check):
    if not (BENCHMARKS / "runs.yaml").is_file():
        raise Wrong(f"{BENCHMARKS / 'runs.yaml'} is not there: this is no checkout of agwave, whose pages could be filled; give JSON files of agwave bench")
    tables = Tables()
    root = BENCHMARKS.parent
    stale = []
    for page in [root / "README.md", BENCHMARKS / "README.md", *sorted((root / "docs").glob("*.md"))]:
        name = page.relative_to(root)
        text = page.read_text(encoding="utf-8")
        tables_here = list(MARKED.finditer(text))
        if len(tables_here) != text.count("<!-- figures: "):
            raise Wrong(f"{name}: <!-- figures: NAME --> and <!-- end --> have to stand in turn, each on a line of its own")
        for old in tables_here:
            new = f"{old[1]}{tables.text(old[2], name)}\n{old[3]}"
            if new != old[0]:
                stale.append(f"{name}: {old[2]}")
                text = text.replace(old[0], new)
        if not check and any(s.startswith(f"{name}:") for s in stale):
            common.write_whole(page, text)
    for s in stale:
        print(s, "is not what benchmarks/runs.yaml and its runs say: run scripts/figures.py" if check else "written")
    return 1 if check and stale else 0


def print_tables(options):
    groups = {}
    for path in options.files:
        document = bench(path)
        for r in document["results"]:
            groups.setdefault((document["device"], r["geometry_order"], r["quadrature"]), []).append({**r, "commit": document["build"]["commit"]})
    if not groups:
        raise Wrong("no results in " + ", ".join(options.files))
    tables = []
    for (device, order, quadrature), results in sorted(groups.items()):
        best = nearest(results, options.dofs)
        if not best:
            print(f"figures.py: {device}: nothing was timed on a GPU; the figures are those of the papers alone", file=sys.stderr)
        how = f"{setting(best)}, commit {', '.join(sorted({r['commit'] for r in best.values()}))}" if best else \
            f"geometry order {order}, Q1D = {quadrature}, not timed on a GPU"
        tables.append(f"{device}, {how}\n\n{operator_table(best, options.full)}")
    print("\n\n".join(tables))
    return 0


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("files", nargs="*", help="JSON files of agwave bench; none: the pages of this repository")
    parser.add_argument("--check", action="store_true", help="write no page, say which tables are stale")
    parser.add_argument("--dofs", type=arguments.positive, default=PAPER_DOFS, help="with files: the size wanted (default 540e6); the nearest measured one is taken")
    parser.add_argument("--full", action="store_true", help="with files: also roofline, RK4 step, memory and energy")
    options = parser.parse_args()
    try:
        sys.exit(print_tables(options) if options.files else fill(options.check))
    except Wrong as error:
        sys.exit(f"figures.py: {error}")
    except (KeyError, TypeError, AttributeError) as error:
        about = ", ".join(options.files) or "benchmarks/runs.yaml"
        sys.exit(f"figures.py: {about}: {common.mislaid(error)}; "
                 + ("give files of `agwave bench --json`" if options.files else "its head says what a run and a table have"))


if __name__ == "__main__":
    main()
