# SPDX-License-Identifier: Apache-2.0
"""The command line: no case file is to blame."""
from bad_input.table import *

row("no_subcommand", None, 2, "subcommand", args=[])
row("unknown_subcommand", None, 2, "'walk' is no subcommand", "known: run, check, p2o, prepare", args=["walk", "case.yaml"])
row("near_subcommand", None, 2, "did you mean 'check'?", args=["chek", "case.yaml"])
row("no_case", None, 2, "case", args=["run"])
row("missing_case", None, 2, "nowhere.yaml", "configs/", args=["run", "nowhere.yaml"])
row("case_is_directory", None, 2, "cannot be read as a case file", args=["run", "."])
row("case_without_end", None, 2, "/dev/zero: cannot be read as a case file", "does not end within 64 MB", args=["run", "/dev/zero"])
row("two_cases", BASE, 2, "other.yaml", args=["run", "case.yaml", "other.yaml"])
row("unknown_option", BASE, 2, "--fast", args=["run", "case.yaml", "--fast"])
row("device_gpu", BASE, 2, "--device", "gpu", "cuda", args=["run", "case.yaml", "--device", "gpu"])
row("option_variant", BASE, 2, "--variant", "warp9", "known: auto", "reference", args=["run", "case.yaml", "--variant", "warp9"])
row("restart", BASE, 3, "--restart: out holds no whole checkpoint", "checkpoints/step_", args=["run", "case.yaml", "--restart", "out"])
row("restart_is_file", BASE, 3, "--restart: case.yaml holds no whole checkpoint", args=["run", "case.yaml", "--restart", "case.yaml"])
row("restart_nowhere", BASE, 3, "--restart: gone holds no whole checkpoint", args=["run", "case.yaml", "--restart", "gone"])
row("check_output", BASE, 5, "output.directory: nothing can be written to /proc/here: ", "; give another --output", args=["check", "case.yaml", "--output", "/proc/here"])
RESTART = ["run", "case.yaml", "--restart", "old"]
row("restart_empty_manifest", BASE, 3, "old/manifest.json", "no older checkpoint", args=RESTART, setup=checkpoint(""))
row("restart_not_json", BASE, 3, "old/manifest.json: is damaged", args=RESTART, setup=checkpoint("mesh: 3"))
row("restart_other_json", BASE, 3, "old/manifest.json: is damaged", args=RESTART, setup=checkpoint("[1, 2]"))
row("restart_no_checksum", BASE, 3, "old/manifest.json: is damaged", args=RESTART, setup=checkpoint('{"format": 1}'))
row("restart_wrong_checksum", BASE, 3, "old/manifest.json: is damaged: its checksum", args=RESTART, setup=checkpoint('{"format": 1, "checksum": "0"}'))
row("restart_other_format", BASE, 3, "has format 99", "reads formats 1 to 3", "with the version that wrote it, \"7.0\"", args=RESTART,
    setup=checkpoint('{"format": 99, "agwave_version": "7.0"}'))
row("restart_deep_json", BASE, 3, "old/manifest.json", args=RESTART, setup=checkpoint("[" * 100000))
row("set_without_value", BASE, 2, "--set", "time.end", args=["run", "case.yaml", "--set", "time.end"])
row("set_unknown_key", BASE, 2, "time.ende", "did you mean", args=["run", "case.yaml", "--set", "time.ende=3"])
row("set_wrong_type", BASE, 2, "--set", "mesh.elements", "expected", args=["run", "case.yaml", "--set", "mesh.elements=many"])
row("set_syntax", BASE, 2, "--set", args=["run", "case.yaml", "--set", "mesh={elements: [1, 2"])
row("set_key_twice", BASE, 2, "--set: sources[0].ramp.duration: duplicate key; found it twice;",
    args=["run", "case.yaml", "--set", "sources[0].ramp={type: linear, duration: 2, duration: 3}"])
row("set_into_list", BASE, 2, "sources", args=["run", "case.yaml", "--set", "sources.amplitude=3"])
row("prepare_no_file", BASE, 2, "file", args=["prepare", "case.yaml"])
row("prepare_again", floor("type: prepared, file: old.h5"), 2, "case.yaml:4", "prepare", args=["prepare", "case.yaml", "new.h5"])
row("prepare_no_folder", GRID, 5, "none/depth.h5", args=["prepare", "case.yaml", "none/depth.h5"], setup=grid(), needs="netCDF")
row("prepare_over_grid", GRID, 2, "file: grid.nc is read, and would be written over; give another name", args=["prepare", "case.yaml", "grid.nc"], setup=grid(),
    anywhere=True)
row("prepare_over_case", BASE, 2, "file: ./case.yaml is read, and would be written over", args=["prepare", "case.yaml", "./case.yaml"], anywhere=True)
row("prepare_over_list", line((15, "    - {file: s.csv}")), 2, "file: s.csv is read, and would be written over", args=["prepare", "case.yaml", "s.csv"],
    setup=contents("s.csv", "name,x,y\nC,3000,2000\n"), anywhere=True)
row("prepare_over_set_grid", BASE, 2, "file: grid.nc is read", args=["prepare", "case.yaml", "grid.nc", "--set", "domain.bathymetry={type: grid, file: grid.nc}"],
    setup=grid(), anywhere=True)
row("prepare_folder", BASE, 2, "file: . is a folder; give the name of a file", args=["prepare", "case.yaml", "."], anywhere=True)
row("prepare_device", BASE, 2, "file: link is no file", args=["prepare", "case.yaml", "link"], setup=lambda f: (f / "link").symlink_to("/dev/null"),
    anywhere=True)
for option in "restart", "output", "variant":
    row(f"empty_{option}", BASE, 2, f"--{option}: is empty; give a value, or leave it out", args=["run", "case.yaml", f"--{option}", ""])
row("empty_plot", BASE, 2, "--plot: is empty", args=["check", "case.yaml", "--plot", ""])
row("empty_prepared", BASE, 2, "file: is empty", args=["prepare", "case.yaml", ""])
row("empty_json", None, 2, "--json: is empty", args=["bench", "--elements", "1x1x1", "--json", ""])
row("empty_set", BASE, 2, "--set: output.directory: no value; found 'output.directory='", "=~ to leave the key out",
    args=["run", "case.yaml", "--set", "output.directory="])
row("empty_quoted_set", BASE, 2, "--set: output.directory: the path is empty", args=["run", "case.yaml", "--set", 'output.directory=""'])
row("empty_directory", line((16, "output: {directory: ''}")), 2, "case.yaml:16: output.directory: the path is empty")
row("set_path", BASE, 3, "none.csv", "paths in --set count from where you are", args=["run", "case.yaml", "--set", "sensors.surface={file: none.csv}"])
row("bench_elements", None, 2, "--elements", "8x8", "NXxNYxNZ", args=["bench", "--elements", "8x8"])
row("bench_no_elements", None, 2, "--elements", "0x8x8", args=["bench", "--elements", "0x8x8"])
row("bench_order", None, 2, "--order", args=["bench", "--order", "2"])
row("bench_variant", None, 2, "--variant", "warp9", args=["bench", "--device", "cpu", "--variant", "warp9"])
row("bench_steps", None, 2, "--steps", args=["bench", "--steps", "0"])

row("variant_needs_device", BASE, 6, "fused-pa runs on cuda", "no CUDA device", args=["run", "case.yaml", "--device", "auto", "--variant", "fused-pa"],
    needs="CUDA build without device")
row("variant_elsewhere", BASE, 2, "fused-pa runs on cuda", "on cpu", args=["run", "case.yaml", "--variant", "fused-pa"], needs="CUDA build")
row("variant_not_built", BASE, 2, "unknown variant 'fused-pa'", "AGWAVE_CUDA", args=["run", "case.yaml", "--device", "auto", "--variant", "fused-pa"],
    needs="no CUDA build")
