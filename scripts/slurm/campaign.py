#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Writes the Slurm jobs of a scaling campaign: one sbatch file per run, and submit.sh that submits them all.

A campaign (campaigns/*.yaml) lists series of processor grids, weak (elements per rank) or strong (elements of the whole mesh); a machine
(machines/*.yaml) says how nodes, ranks and GPUs are asked for. Runs that two series have in common are done once. Each job first runs a
small case against a pinned answer, then `agwave bench` on its grid; collect.py makes the table and the plots.

Example:
    campaign.py campaigns/table_vii.yaml --machine machines/alps.yaml --agwave build/cuda/agwave --output results/table_vii \\
        --sbatch=--account=g123 --max-ranks 576
    results/table_vii/submit.sh
    collect.py results/table_vii
"""
import argparse
import json
import pathlib
import shlex
import sys

try:
    import yaml
except ImportError:
    sys.exit("campaign.py: needs PyYAML (scripts/requirements.txt)")

HERE = pathlib.Path(__file__).resolve().parent
CHECK_RANKS = 32  # as many as check.yaml can be split over
CAMPAIGN_KEYS = {"name", "variant", "order", "warmup", "steps", "minutes", "series"}
MACHINE_KEYS = {"name", "launcher", "device", "ranks_per_node", "cpus_per_rank", "sbatch", "launch", "environment", "setup"}


def fail(message):
    print(f"campaign.py: {message}", file=sys.stderr)
    sys.exit(2)


def read(path, keys):
    try:
        with open(path, encoding="utf-8") as file:
            document = yaml.safe_load(file)
    except (OSError, yaml.YAMLError) as error:
        fail(f"{path}: {error}")
    if not isinstance(document, dict):
        fail(f"{path}: not a mapping of keys")
    check_keys(document, keys, path)
    return document


def check_keys(found, keys, where):
    if wrong := keys - found.keys():
        fail(f"{where}: missing {', '.join(sorted(wrong))}")
    if wrong := found.keys() - keys:
        fail(f"{where}: unknown {', '.join(sorted(wrong))}; known: {', '.join(sorted(keys))}")


def three_counts(value, where):
    if not (isinstance(value, list) and len(value) == 3 and all(isinstance(n, int) and n > 0 for n in value)):
        fail(f"{where}: {value!r} is not three positive counts")
    return value


def make_runs(campaign, path):
    """Every series' runs, those of the same mesh and grid under one name."""
    runs = []
    names = {}
    for series, s in campaign["series"].items():
        where = f"{path}: series {series}"
        kind = s.get("kind") if isinstance(s, dict) else None
        if kind not in ("weak", "strong"):
            fail(f"{where}: kind is {kind!r}; weak or strong")
        size = "elements_per_rank" if kind == "weak" else "elements"
        check_keys(s, {"kind", size, "grids"}, where)
        given = three_counts(s[size], where)
        for grid in s["grids"]:
            three_counts(grid, where)
            elements = [n * g for n, g in zip(given, grid)] if kind == "weak" else given
            ranks = grid[0] * grid[1] * grid[2]
            name = f"{series}-{ranks:05d}"
            if name in names.values():  # another grid of as many ranks
                name += "-" + "x".join(map(str, grid))
            name = names.setdefault((tuple(elements), tuple(grid)), name)
            runs.append({"series": series, "kind": kind, "name": name, "ranks": ranks, "grid": grid, "elements": elements})
    if not runs:
        fail(f"{path}: no runs")
    return runs


def nodes_for(ranks, machine):
    return -(-ranks // machine["ranks_per_node"]) if machine["ranks_per_node"] else None


def launch(ranks, machine):
    if machine["launcher"] == "mpirun":
        return shlex.join(["mpirun", "-n", str(ranks)] + machine["launch"])
    line = ["srun", "--kill-on-bad-exit=1", f"--ntasks={ranks}", f"--cpus-per-task={machine['cpus_per_rank']}"]
    if nodes := nodes_for(ranks, machine):
        line += [f"--nodes={nodes}", f"--ntasks-per-node={min(ranks, machine['ranks_per_node'])}"]
    return shlex.join(line + machine["launch"])


def job(run, campaign, machine, options):
    ranks = run["ranks"]
    nodes = nodes_for(ranks, machine)
    head = [f"--job-name={campaign['name']}-{run['name']}", f"--ntasks={ranks}", f"--cpus-per-task={machine['cpus_per_rank']}",
            f"--time={campaign['minutes']}", f"--output={run['name']}.log", "--open-mode=truncate"]
    if nodes:
        head += [f"--nodes={nodes}", f"--ntasks-per-node={min(ranks, machine['ranks_per_node'])}"]
    head += machine["sbatch"] + options.sbatch
    exports = "\n".join(f"export {key}={shlex.quote(str(value))}" for key, value in (machine["environment"] or {}).items())
    checking = min(ranks, CHECK_RANKS)
    agwave = shlex.quote(str(options.agwave))
    bench = [f"--device {machine['device']}", f"--variant {campaign['variant']}", f"--order {campaign['order']}",
             f"--elements {'x'.join(map(str, run['elements']))}", f"--grid {'x'.join(map(str, run['grid']))}",
             f"--warmup {campaign['warmup']}", f"--steps {campaign['steps']}", "--energy-seconds 0", f"--json {run['name']}.json"]
    return "\n".join([
        "#!/bin/bash", *[f"#SBATCH {line}" for line in head], "",
        f"# {campaign['name']} on {machine['name']}: {ranks} ranks, grid {run['grid']}, {run['elements']} elements. Written by campaign.py.",
        "set -euo pipefail", *(machine["setup"] or []), exports, f"rm -f {run['name']}.json {run['name']}.json.tmp", "",
        "# Nothing is timed before a small case gave the right answer.",
        f"{launch(checking, machine)} {agwave} run check.yaml --device {machine['device']} --variant {campaign['variant']} --output check/{run['name']} --quiet",
        f"python3 check_answer.py check/{run['name']}/summary.json", "",
        f"{launch(ranks, machine)} {agwave} bench {' '.join(bench)}", ""])


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("campaign", help="campaign file (YAML)")
    parser.add_argument("--machine", required=True, help="machine file (YAML)")
    parser.add_argument("--agwave", default="agwave", type=pathlib.Path, help="the binary, seen from the compute nodes")
    parser.add_argument("--output", required=True, type=pathlib.Path, help="directory to write, shared with the compute nodes")
    parser.add_argument("--variant", help="instead of the campaign's, and of RK4 as that is; two-sweep needs GPUs of compute capability 9.0")
    parser.add_argument("--series", action="append", help="only this one of the campaign's series (repeatable)")
    parser.add_argument("--max-ranks", type=int, default=None, help="leave larger runs out")
    parser.add_argument("--sbatch", action="append", default=[], metavar="--OPTION=VALUE", help="one more line for every job (repeatable)")
    options = parser.parse_args()
    if options.agwave.parent != pathlib.Path():
        options.agwave = options.agwave.resolve()
    campaign, machine = read(options.campaign, CAMPAIGN_KEYS), read(options.machine, MACHINE_KEYS)
    campaign["variant"] = options.variant or campaign["variant"]
    if machine["launcher"] not in ("srun", "mpirun"):
        fail(f"{options.machine}: launcher is {machine['launcher']!r}; srun or mpirun")
    if unknown := set(options.series or []) - campaign["series"].keys():
        fail(f"--series: {', '.join(sorted(unknown))}: not in {options.campaign}; known: {', '.join(campaign['series'])}")
    campaign["series"] = {name: s for name, s in campaign["series"].items() if not options.series or name in options.series}
    runs = [r for r in make_runs(campaign, options.campaign) if options.max_ranks is None or r["ranks"] <= options.max_ranks]
    if not runs:
        fail(f"no run has at most {options.max_ranks} ranks")

    out = options.output
    out.mkdir(parents=True, exist_ok=True)
    for name in ("check.yaml", "check_answer.py"):
        (out / name).write_bytes((HERE / name).read_bytes())
    names = list(dict.fromkeys(r["name"] for r in runs))
    for name in names:
        (out / f"{name}.sbatch").write_text(job(next(r for r in runs if r["name"] == name), campaign, machine, options), encoding="utf-8")
    (out / "campaign.json").write_text(json.dumps({"name": campaign["name"], "machine": machine["name"], "variant": campaign["variant"],
                                                   "runs": runs}, indent=1) + "\n", encoding="utf-8")
    start = "sbatch --parsable {0}.sbatch" if machine["launcher"] == "srun" else "bash {0}.sbatch >{0}.log 2>&1 && echo {0}"
    commands = [f'{start.format(n)} || {{ echo "{n} failed" >&2; code=1; }}' for n in names]
    submit = out / "submit.sh"
    submit.write_text("\n".join([
        "#!/bin/bash", "# Submits every job of the campaign, or runs them one after the other where the launcher is mpirun.",
        "set -euo pipefail", 'cd "$(dirname "$0")"', "code=0", *commands, "exit $code", ""]), encoding="utf-8")
    submit.chmod(0o755)
    print(f"{len(names)} jobs of up to {max(r['ranks'] for r in runs)} ranks in {out}; submit with {submit}")


if __name__ == "__main__":
    main()
