# SPDX-License-Identifier: Apache-2.0
"""What the scripts have in common; imported before any package, so that a missing one is answered in a line."""
import pathlib
import sys

PROGRAM = pathlib.Path(sys.argv[0]).name
HOLDS = {"sensors.h5": ("station", "gauge"), "surface.h5": ("maximum_height",)}  # one of these datasets is in the file


def missing_package(kind, error, trace):
    if not issubclass(kind, ModuleNotFoundError):
        return sys.__excepthook__(kind, error, trace)
    print(f"{PROGRAM}: {error} in {sys.executable}; put .venv/bin first on PATH (scripts/install_deps.sh makes it), or "
          "pip install -r scripts/requirements.txt", file=sys.stderr)


sys.excepthook = missing_package


def output_file(run, name, advice):
    """The file of this name in a run's output directory, or the file itself; ends the program where there is none."""
    path = run / name if run.is_dir() else run
    if not path.is_file():
        sys.exit(f"{PROGRAM}: {path} does not exist; {advice}")
    return path


def open_output(path, name):
    """Opens what should be a file of this name, whatever it is called now."""
    import h5py
    with open(path, "rb") as file:
        hdf5 = file.read(8) == b"\x89HDF\r\n\x1a\n"
    file = h5py.File(path, "r") if hdf5 else None
    if not hdf5 or not any(key in file for key in HOLDS[name]):
        raise ValueError(f"this is no {name} of agwave")
    return file
