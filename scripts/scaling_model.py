#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Predicts the step times of a scaling campaign from what `agwave bench --exchange` measured on a few ranks.

    step     = block + split + waiting
    exchange = rounds (latency + (messages - 1) gap) + bytes / bandwidth + packing
    waiting  = max(floor exchange, exchange - interior)

block is the measured step of a block without neighbours, between sizes interpolated in the logarithms of elements and time. An exchange
hides behind the interior, the share of the block whose patches and chunks touch no neighbour, and what is longer is waited for. floor is
the share that was waited for although the interior was long enough: on a CPU, which has to pack and copy itself. It is that of the rank
which waited least: a faster rank waits for a slower one whatever the exchange takes. split is what neighbours lengthened the measured step
by besides that (order of the work, multiprocessors left to the exchange, a slower neighbour), in proportion to the block. Rounds
and bytes follow from the layout of patches and chunks (counted exactly, and compared with what was measured); latency and bandwidth are
those of the link with the ranks farthest apart that was measured, unless given; gap is assumed a fifth of the latency; packing is what
the measured exchange took beyond its messages, in proportion to the bytes. With measured runs in the campaign's directory (what
collect.py reads) both are compared.

Example:
    mpirun -n 8 agwave bench --variant two-sweep --elements 512x512x64 --exchange --json exchange.json
    scaling_model.py exchange.json results/table_vii --latency-us 5 --bandwidth-gbs 20
"""
import argparse
import math
import pathlib
import sys

import common  # noqa: F401  first: says which package is missing
import arguments

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent / "slurm"))
from collect import Wrong, load, read, said  # noqa: E402


def product(counts):
    return "x".join(map(str, counts))


def counts(elements, unit):
    """Nodes along x, y, z that a block of elements sends of a face: of all patches and chunks, or plain nodes without them."""
    if unit == [1, 1, 1]:
        return [4 * n + 1 for n in elements]
    patches = [math.ceil(n / u) for n, u in zip(elements, unit)]
    return [patches[0] * (4 * unit[0] + 1), patches[1] * (4 * unit[1] + 1), 4 * elements[2] + patches[2]]


def traffic(elements, grid, unit, rounds):
    """Messages per round and bytes per step of a rank with as many neighbours as the grid allows."""
    n = counts(elements, unit)
    values = 2 if unit != [1, 1, 1] else 1  # two arrays of partial sums at a time
    sides = [min(g - 1, 2) for g in grid]
    messages = (sides[0] + 1) * (sides[1] + 1) * (sides[2] + 1) - 1
    nodes = math.prod(s + k for s, k in zip(sides, n)) - math.prod(n)
    return messages, 8 * values * rounds * nodes


def interior(elements, grid, unit):
    """Share of a block's patches and chunks that touch no neighbour."""
    blocks = [math.ceil(n / u) for n, u in zip(elements, unit)]
    return math.prod(max(0, b - min(g - 1, 2)) for b, g in zip(blocks, grid)) / math.prod(blocks)


GAP = 0.2  # of the latency, per further message of a round: assumed


class Model:
    def __init__(self, document, variant, latency_us, bandwidth_gbs, exposed):
        results = [r for r in document["results"] if r.get("exchange") and variant in (None, r["variant"])]
        if not results:
            raise ValueError("no result with --exchange" + (f" of variant {variant}" if variant else ""))
        r = max(results, key=lambda r: r["dofs"])
        self.result, e = r, r["exchange"]
        self.unit, self.rounds = e["unit"], e["rounds"]
        self.blocks = sorted((math.log(math.prod(b["elements"])), math.log(b["step_ms"])) for b in e["blocks"])
        link = e["links"][-1]
        self.latency = latency_us if latency_us is not None else link["latency_us"]
        self.bandwidth = bandwidth_gbs if bandwidth_gbs is not None else link["bandwidth_gbs"]
        self.given = latency_us is not None or bandwidth_gbs is not None
        self.gap = GAP * self.latency
        local = [min(n, math.ceil(n / g / u) * u) for n, g, u in zip(r["elements"], r["grid"], self.unit)]
        self.messages, self.bytes = traffic(local, r["grid"], self.unit, self.rounds)
        self.measured_bytes = e["bytes"]
        wire = self.rounds * (link["latency_us"] * (1 + GAP * (self.messages - 1))) * 1e-3 + e["bytes"] / link["bandwidth_gbs"] * 1e-6
        self.packing = max(0.0, e["exchange_ms"] - wire) / e["bytes"]  # [ms/B]
        self.exposed = exposed
        waited = e.get("least_waited_ms", e["waited_ms"])
        self.split = 0.0 if exposed is not None else max(0.0, e["added_ms"] - waited) / e["alone_ms"]
        hideable = e["alone_ms"] * interior(local, r["grid"], self.unit) >= e["exchange_ms"]
        self.floor = min(1.0, waited / e["exchange_ms"]) if hideable else 0.0
        self.waited = waited, self.waiting(e["exchange_ms"], e["alone_ms"], local, r["grid"])

    def block(self, elements):
        """Step without neighbours [ms]; beyond the largest size in proportion, below the smallest constant."""
        x = math.log(elements)
        if x <= self.blocks[0][0]:
            return math.exp(self.blocks[0][1])
        for (x0, y0), (x1, y1) in zip(self.blocks, self.blocks[1:]):
            if x <= x1:
                return math.exp(y0 + (y1 - y0) * (x - x0) / (x1 - x0) if x1 > x0 else y1)
        return math.exp(self.blocks[-1][1] + x - self.blocks[-1][0])

    def waiting(self, exchange, block, local, grid):
        if self.exposed is not None:
            return self.exposed * exchange
        return max(self.floor * exchange, exchange - block * interior(local, grid, self.unit))

    def step(self, elements, grid):
        """Step, block and exchange [ms] of a rank."""
        local = [math.ceil(n / g) for n, g in zip(elements, grid)]
        messages, volume = traffic(local, grid, self.unit, self.rounds)
        exchange = 0.0
        if messages:
            exchange = 1e-3 * self.rounds * (self.latency + (messages - 1) * self.gap) + volume * (1e-6 / self.bandwidth + self.packing)
        block = self.block(math.prod(local))
        split = self.split if messages else 0.0
        return block * (1 + split) + self.waiting(exchange, block, local, grid), block, exchange

    def assumptions(self):
        r, smallest, largest = self.result, math.exp(self.blocks[0][0]), math.exp(self.blocks[-1][0])
        return "\n".join([
            "Assumptions",
            f"- measured: {r['variant']} on {r['device']}, {product(r['elements'])} elements on {r['ranks']} ranks ({product(r['grid'])})",
            f"- blocks without neighbours: {smallest:,.0f} to {largest:,.0f} elements measured; below constant, above in proportion",
            f"- volume: counted {self.bytes:,.0f} B a step for the measured run, sent {self.measured_bytes:,.0f} B",
            f"- link: {self.latency:.3g} us, {self.bandwidth:.3g} GB/s ({'given' if self.given else 'measured between the ranks farthest apart'}); "
            f"each further message of a round {self.gap:.3g} us (assumed: a fifth); packing {1e6 * self.packing:.3g} ms per MB",
            "- packing as on an idle device; beside a sweep, on the few multiprocessors left to it, it takes longer, which only matters where the "
            "interior is short",
            f"- {100 * self.exposed:.0f} % of the exchange lengthens the step (given)" if self.exposed is not None else
            f"- an exchange hides behind the interior; in the measured run {self.waited[0]:.3g} ms a step were waited for, {self.waited[1]:.3g} by this "
            f"model; having neighbours lengthens a block by another {100 * self.split:.2g} %",
            "- every rank alike and as busy as one with all neighbours; no contention in the network, no jitter of the system", ""])


def print_table(campaign, measured, model):
    times = {(r["series"], r["name"]): r["step_ms"] for runs in measured.values() for r in runs}
    for series in dict.fromkeys(r["series"] for r in campaign["runs"]):
        runs = sorted((r for r in campaign["runs"] if r["series"] == series), key=lambda r: r["ranks"])
        print(f"**{series}** ({runs[0]['kind']} scaling)\n")
        print("| ranks | grid | elements per rank | block [ms] | exchange [ms] | step [ms] | efficiency | measured [ms] | predicted / measured |")
        print("|---:|---|---:|---:|---:|---:|---:|---:|---:|")
        first = None
        for r in runs:
            step, block, exchange = model.step(r["elements"], r["grid"])
            first = first or (step, r["ranks"])
            efficiency = first[0] / step * (1 if r["kind"] == "weak" else first[1] / r["ranks"])
            found = times.get((series, r["name"]))
            print(f"| {r['ranks']:,} | {product(r['grid'])} | {math.prod(r['elements']) // r['ranks']:,} | {block:.4g} | {exchange:.3g} | {step:.4g} "
                  f"| {100 * efficiency:.1f} % | {f'{found:.4g}' if found else '-'} | {f'{step / found:.2f}' if found else '-'} |")
        print()


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("exchange", help="JSON file of agwave bench --exchange")
    parser.add_argument("campaign", type=pathlib.Path, help="directory that scripts/slurm/campaign.py wrote")
    parser.add_argument("--variant", help="of several in the file")
    parser.add_argument("--latency-us", type=arguments.not_negative, help="of a message between nodes, where the bench did not reach another node")
    parser.add_argument("--bandwidth-gbs", type=arguments.positive, help="likewise, each way, of one rank")
    parser.add_argument("--exposed", type=arguments.share, help="share of the exchange that lengthens the step, instead of what the interior does not hide")
    options = parser.parse_args()
    try:
        campaign, measured, _ = load(options.campaign)
    except Wrong as error:
        sys.exit(f"scaling_model.py: {error}; is it what campaign.py wrote?")
    wanted = "is it what `agwave bench --exchange --json` wrote?"
    try:
        model = Model(read(options.exchange), options.variant, options.latency_us, options.bandwidth_gbs, options.exposed)
    except Wrong as error:
        sys.exit(f"scaling_model.py: {error}; {wanted}")
    except (ValueError, KeyError, TypeError, AttributeError, IndexError, ZeroDivisionError) as error:
        sys.exit(f"scaling_model.py: {options.exchange}: {said(error)}; {wanted}")
    print(model.assumptions())
    try:
        print_table(campaign, measured, model)
    except (KeyError, TypeError, AttributeError, ValueError) as error:
        sys.exit(f"scaling_model.py: {options.campaign}: {said(error)}; is it what campaign.py wrote?")


if __name__ == "__main__":
    main()
