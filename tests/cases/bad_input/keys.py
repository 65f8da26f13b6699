# SPDX-License-Identifier: Apache-2.0
"""Text that is no case; keys, their types and ranges; depths and sources that contradict themselves."""
from bad_input.table import *

# Text that is no case
row("latin1", BASE.replace("base", "S\xe9isme").encode("latin-1"), 2, "case.yaml:1: not UTF-8", "0xE9", "iconv")
row("half_character", (BASE + "title2: \u03c9").encode()[:-1], 2, "case.yaml:18: not UTF-8")
row("set_latin1", BASE, 2, "--set", "not UTF-8", args=["run", "case.yaml", "--set", b"title=S\xe9isme"])
row("empty", "", 2, "case.yaml:1", "found nothing")
row("binary", b"\x7fELF\x02\x01\x01\0\0\0\0\xff\xfe\x80" * 50, 2, "case.yaml")
row("nul_byte", BASE.encode().replace(b"flat", b"fl\0t"), 2, "case.yaml")
row("open_bracket", plus("ocean: {density: 1025"), 2, "case.yaml:1", "YAML syntax")
row("tabs", plus("ocean:\n\tdensity: 1025"), 2, "case.yaml:19", "YAML syntax")
row("deep_nesting", plus("title2: " + "[" * 20000), 2, "case.yaml:1", "YAML syntax")
row("self_alias", plus("parallel: &a [*a]"), 2, "case.yaml:18")
row("json_output", '{"case": 3}', 2, "case.yaml:1", "case", "unknown key")
row("all_at_once", line((4, "  bathymetry: {type: flat, depth: -1000}"), (5, "mesh: {elements: [2, 0, 1]}"), (10, "time: {ende: 1}")), 2,
    "case.yaml:4: domain.bathymetry.depth", "case.yaml:5: mesh.elements[1]", "case.yaml:10: time.ende", "did you mean 'end'?", "time.end: missing")

# Keys, types, ranges
row("unknown_key", plus("ocean:\n  densty: 1025"), 2, "case.yaml:19: ocean.densty: unknown key", "did you mean 'density'?")
row("unknown_section", plus("oceans: {density: 1025}"), 2, "case.yaml:18: oceans: unknown key", "did you mean 'ocean'?")
row("duplicate_key", plus("title: again"), 2, "case.yaml:18: title: duplicate key", "line 1")
row("missing_domain", "mesh: {elements: [2, 2, 1]}\ntime: {end: 1}\n", 2, "case.yaml:1: domain: missing")
row("word_for_number", plus("ocean: {density: heavy}"), 2, "case.yaml:18: ocean.density: expected a number; found 'heavy'")
row("not_a_number", floor("type: flat, depth: .nan"), 2, "case.yaml:4: domain.bathymetry.depth: not a number")
row("infinite_end", line((10, "time: {end: .inf}")), 2, "case.yaml:10: time.end: not finite")
row("depth_upward", floor("type: flat, depth: -4000"), 2, "case.yaml:4: domain.bathymetry.depth: out of range; found -4000", "give 4000")
row("speed_in_km", plus("ocean: {sound_speed: 1.5}"), 2, "case.yaml:18: ocean.sound_speed", "give m/s (1500)")
row("zero_elements", line((5, "mesh: {elements: [2, 2, 0]}")), 2, "case.yaml:5: mesh.elements[2]: out of range; found 0")
row("negative_elements", line((5, "mesh: {elements: [-2, 2, 1]}")), 2, "case.yaml:5: mesh.elements[0]")
row("half_element", line((5, "mesh: {elements: [2.5, 2, 1]}")), 2, "case.yaml:5: mesh.elements[0]: expected an integer; found 2.5")
row("too_many_dofs", line((5, "mesh: {elements: [1000000, 1000000, 1000000]}")), 2, "case.yaml:5: mesh.elements: too many unknowns")
row("too_many_nodes", line((5, "mesh: {elements: [4000, 4000, 10]}")), 2, "case.yaml:5", "pressure nodes on one rank", "use more ranks")
row("layers", line((5, "mesh: {elements: [2, 2, 2], layers: [0, 0.7, 0.6]}")), 2, "case.yaml:5: mesh.layers")
row("order_two", line((5, "mesh: {elements: [2, 2, 1], order: 2}")), 2, "case.yaml:5: mesh.order", "allowed: 1, 4")
row("zero_size", line((3, "  size: [0, 6000]")), 2, "case.yaml:3: domain.size[0]")
row("size_and_lonlat", line((3, "  size: [8000, 6000]\n  lonlat: {lon: [1, 2], lat: [3, 4]}")), 2, "case.yaml:2: domain", "exactly one")
row("wall_choice", line((6, "boundary: {west: absorbing, east: ridgid}")), 2, "case.yaml:6: boundary.east", "did you mean 'rigid'?")
row("quadrature", line((17, "solver: {device: cpu, quadrature: 6}")), 2, "case.yaml:17: solver.quadrature", "allowed: 4, 5")
row("exchange", line((17, "solver: {device: cpu, exchange: pigeon}")), 2, "case.yaml:17: solver.exchange")
row("exchange_nccl", line((17, "solver: {device: cpu, exchange: nccl}")), 2, "case.yaml:17: solver.exchange: nccl moves data between GPUs", "use auto")
row("variant", line((17, "solver: {device: cpu, variant: warp9}")), 2, "case.yaml:17: solver.variant: unknown variant 'warp9' on cpu", "reference")
row("memory", line((5, "mesh: {elements: [300, 300, 300]}")), 6, "not enough memory", "GB needed", "GB available", needs="less than 100 GB")
row("check_memory", line((5, "mesh: {elements: [300, 300, 300]}")), 6, "GB needed", "GB available", args=["check", "case.yaml"], needs="less than 100 GB")
row("cuda", line((17, "solver: {device: cuda}")), 6, "case.yaml:17: solver.device: cuda", "device: auto", needs="no device")
row("option_cuda", BASE, 6, "--device: cuda", args=["run", "case.yaml", "--device", "cuda"], needs="no device")

# Depths and sources that contradict themselves
row("hill_above_water", floor("type: gaussian, depth: 1000, height: 1200, center: [4e3, 3e3], radius: [1e3, 1e3]"), 2, "case.yaml:4",
    "above the sea surface")
row("shelf_below_plain", floor("type: margin, shelf_edge: 6e3, shelf_depth: 5000"), 2, "case.yaml:4: domain.bathymetry.shelf_depth")
row("no_ramp", line((9, "    amplitude: 2")), 2, "case.yaml:8: sources[0]", "ramp")
row("ramp_duration", line((9, "    ramp: {type: smoothstep, duration: 0}")), 2, "case.yaml:9: sources[0].ramp.duration")
row("ramp_begun", line((9, "    ramp: {type: smoothstep, start: -10, duration: 20}")), 2, "case.yaml:9: sources[0].ramp.start", "before t = 0", "start: 0")
row("ramp_over", line((9, "    ramp: {type: cosine, start: -10, duration: 2}")), 2, "case.yaml:9: sources[0].ramp.start", "before t = 0")
row("ramp_centre", line((9, "    ramp: {type: gaussian, center: 0, sigma: 2}")), 2, "case.yaml:9: sources[0].ramp.center", "7.04 sigma", "give center: 14.07")
row("radius", line((8, "  - shape: {type: gaussian, center: [4000, 3000], radius: [-1000, 1000]}")), 2, "case.yaml:8: sources[0].shape.radius[0]")
row("source_lonlat", line((8, "  - shape: {type: gaussian, center: {lon: 3, lat: 4}, radius: [1000, 1000]}")), 2, "case.yaml:8", "lonlat")
