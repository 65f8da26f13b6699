#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The rooms of src/: an include points to its own room or to one below, never up; main.cpp alone stands above them. The order is stated here, once;
CONTRIBUTING.md shows the same rooms in the same order between its markers."""
import pathlib
import re
import sys
import tempfile

ROOMS = ["commands", "run", "io", "timestep", "kernels", "boundary", "fem", "source", "terrain", "comm", "mesh", "case", "files", "device", "error"]
SOURCES = {".cpp", ".hpp", ".cu", ".cuh", ".in"}


def room_of(path):
    return path.parts[0] if len(path.parts) > 1 else None


def findings(root):
    """What is wrong with the sources below `root`, a line each."""
    wrong, seen = [], set()
    for file in sorted(root.rglob("*")):
        if file.is_dir():
            continue
        path = file.relative_to(root)
        room = room_of(path)
        if room is None:
            if path.name != "main.cpp":
                wrong.append(f"{path}: stands in no room; only main.cpp does")
            continue
        if room not in ROOMS:
            wrong.append(f"{path}: there is no room named {room}")
            continue
        seen.add(room)
        if file.suffix not in SOURCES:
            continue
        for number, line in enumerate(file.read_text().splitlines(), 1):
            match = re.match(r'\s*#\s*include\s+"([^"]+)"', line)
            if not match:
                continue
            other = room_of(pathlib.PurePath(match[1]))
            if other not in ROOMS:
                wrong.append(f"{path}:{number}: {match[1]} is not named by its room")
            elif ROOMS.index(other) < ROOMS.index(room):
                wrong.append(f"{path}:{number}: {room} must not know {other} ({match[1]})")
    wrong += [f"{room}: is in the table and not in src/" for room in ROOMS if room not in seen]
    return wrong


def contributing(text):
    part = re.search(r"<!-- rooms -->(.*?)<!-- end rooms -->", text, re.S)
    return re.findall(r"^\| `([a-z]+)/`", part[1], re.M) if part else None


def main(source):
    wrong = findings(source / "src")
    shown = contributing((source / "CONTRIBUTING.md").read_text())
    if shown != ROOMS:
        wrong.append(f"CONTRIBUTING.md: shows the rooms {shown} between its markers; here they are {ROOMS}")
    with tempfile.TemporaryDirectory() as folder:  # that it can fail
        tree = pathlib.Path(folder)
        for room in ROOMS:
            (tree / room).mkdir()
            (tree / room / "a.hpp").write_text("#pragma once\n")
        assert findings(tree) == [], findings(tree)
        (tree / "mesh" / "up.hpp").write_text('#include "fem/a.hpp"\n')
        (tree / "loose.cpp").write_text("")
        assert len(findings(tree)) == 2, findings(tree)
    print("\n".join(wrong) if wrong else f"{len(ROOMS)} rooms, every include points down")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main(pathlib.Path(sys.argv[2] if len(sys.argv) > 2 else ".")))
