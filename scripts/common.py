# SPDX-License-Identifier: Apache-2.0
"""What the scripts have in common; imported before any package, so that a missing one is answered in a line."""
import contextlib
import io
import json
import math
import pathlib
import re
import sys

PROGRAM = pathlib.Path(sys.argv[0]).name
HOLDS = {"sensors.h5": ("station", "gauge"), "surface.h5": ("maximum_height",), "maps.h5": ("parameter_x",), "posterior.h5": ("displacement_std",),
         "factor of infer.py": ("L_transposed",)}  # one of these datasets is in the file


def missing_package(kind, error, trace):
    if not issubclass(kind, ModuleNotFoundError):
        return sys.__excepthook__(kind, error, trace)
    print(f"{PROGRAM}: {error} in {sys.executable}; put .venv/bin first on PATH (scripts/install_deps.sh makes it), or "
          "pip install -r scripts/requirements.txt", file=sys.stderr)


sys.excepthook = missing_package


def plainly(error):
    """What an exception says, without what only programmers read of h5py's."""
    said = re.search(r"error message = '(.*?)'", str(error)) or re.search(r"Unable to (?:synchronously )?\w+ \w+ \((.*)\)", str(error))
    words = said[1] if said else f"it has no {error}" if isinstance(error, KeyError) else getattr(error, "strerror", None) or str(error)
    return words.replace("file signature not found", "this is no HDF5 or netCDF-4 file")


def mislaid(error):
    """What is wrong with a document, of the exception that using it raised."""
    return "it is laid out otherwise" if isinstance(error, (TypeError, AttributeError, IndexError)) else plainly(error)


@contextlib.contextmanager
def concerning(path):
    """What goes wrong inside ends the program with a line that names this file, or the one that could not be opened."""
    try:
        yield
    except (OSError, KeyError, ValueError) as error:
        sys.exit(f"{PROGRAM}: {getattr(error, 'filename', None) or path}: {plainly(error)}")


@contextlib.contextmanager
def named_when_whole(path):
    """Where to write what becomes the file of this name when nothing has failed; what fails ends the program with a line that names the file. Devices and
    pipes are written to as they are, and a link goes on pointing to where it did."""
    path = pathlib.Path(path)
    with concerning(path):
        whole = path if path.exists() and not path.is_file() else path.resolve()
        part = whole if whole is path else whole.with_name(whole.name + ".part")
    try:
        if path.is_dir():
            raise ValueError("this is a folder; give the name of a file")
        yield part
        if part != whole:
            part.replace(whole)
    except (OSError, KeyError, ValueError, RuntimeError) as error:  # the last is h5py's where a disk is full
        other = getattr(error, "filename", None)
        sys.exit(f"{PROGRAM}: {path if other in (None, part, str(part)) else other}: {plainly(error)}")
    finally:
        if part != whole:
            part.unlink(missing_ok=True)


def write_whole(path, content):
    """Text or bytes."""
    with named_when_whole(path) as part:
        part.write_bytes(content.encode() if isinstance(content, str) else content)


class Disk:
    """A file as h5py takes it. HDF5 does not bear a write that fails: it can neither write what it holds nor let go of it, and crashes at the end of the
    program. So the first that fails is kept, and nothing after it is written."""

    def __init__(self, path):
        self.file, self.failed = open(path, "w+b", buffering=0), None

    def attempt(self, work):
        try:
            return None if self.failed else work()
        except OSError as error:
            self.failed = error

    def seek(self, offset, whence=0):
        return self.file.seek(offset, whence)

    def tell(self):
        return self.file.tell()

    def read(self, size=-1):  # for h5py, which knows files by it
        return self.file.read(size)

    def readinto(self, buffer):
        view = memoryview(buffer).cast("B")
        found = self.file.readinto(view) or 0
        view[found:] = bytes(len(view) - found)  # HDF5 asks for no more than it wrote
        return len(view)

    def write(self, data):
        view = memoryview(data).cast("B")
        at = 0
        while at < len(view) and not self.failed:
            at += self.attempt(lambda: self.file.write(view[at:])) or 0
        return len(view)

    def truncate(self, size):
        self.attempt(lambda: self.file.truncate(size))

    def flush(self):
        pass

    def close(self):
        self.attempt(self.file.close)


@contextlib.contextmanager
def hdf5_when_whole(path):
    """An HDF5 file to write, which gets its name when nothing has failed."""
    import h5py
    with named_when_whole(path) as part:
        disk = Disk(part)
        try:
            with h5py.File(disk, "w") as file:
                yield file
        finally:
            disk.close()
            if disk.failed:
                raise disk.failed


def save_picture(figure, path, **how):
    """In the format that the name ends with; PNG without an ending, which the name then gets."""
    path = path if path.suffix else path.with_name(path.name.rstrip(".") + ".png")
    picture = io.BytesIO()
    with concerning(path):
        figure.savefig(picture, format=path.suffix[1:], **how)
    write_whole(path, picture.getvalue())


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


def written_samples(file):
    """How many samples of its records a sensors.h5 has so far."""
    written = int(file["samples_written"][()])
    if written < 2:
        raise ValueError(f"{written} samples are written, fewer than two")
    return written


def known(values, names, time):
    """Records [sample, name] as they are; those with numbers that are not finite are refused."""
    import numpy as np
    gaps = ~np.isfinite(values)
    if gaps.any():
        first = int(np.argmax(gaps.any(axis=1)))
        bad = [name for name, gap in zip(names, gaps.any(axis=0)) if gap]
        raise ValueError(f"records of {', '.join(bad)} are not finite, first at {float(time[first]):g} s; make the run anew")
    return values


def read_json(path):
    with concerning(path):
        return json.loads(path.read_text(encoding="utf-8"))


def duration(seconds):
    """As people say it, with two units at most: "0.25 s", "48 s", "3 min 20 s", "5 h 7 min" (as src/error/duration.hpp). Axes and files have seconds."""
    minute, hour, day = 60, 3600, 86400

    def of(major, unit, minor, small):
        whole, rest = divmod(math.floor(seconds / minor + 0.5), major // minor)
        return f"{whole} {unit}" + (f" {rest} {small}" if rest else "")

    if seconds >= day - hour / 2:
        return of(day, "days" if seconds >= 2 * day - hour / 2 else "day", hour, "h")
    if seconds >= hour - minute / 2:
        return of(hour, "h", minute, "min")
    return of(minute, "min", 1, "s") if seconds >= 2 * minute - 0.5 else f"{seconds:.3g} s"


def degrees(positive, negative):
    """Formatter of an axis in degrees, such as degrees("E", "W")."""
    def label(value, _=None):
        value = (value + 180) % 360 - 180
        return f"{abs(value):.4g}°{'' if value in (-180, 0) else positive if value > 0 else negative}"
    return label
