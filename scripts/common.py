# SPDX-License-Identifier: Apache-2.0
"""What the scripts have in common; imported before any package, so that a missing one is answered in a line."""
import argparse
import contextlib
import io
import json
import math
import pathlib
import re
import shutil
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


def check_outputs(parser, *paths):
    """Refuses, before any work, files that cannot be written for want of a folder or because one has their name; None is no file."""
    for path in filter(None, paths):
        if path.is_dir():
            parser.error(f"{path}: this is a folder; give the name of a file")
        if not path.absolute().parent.is_dir():
            parser.error(f"{path}: there is no folder {path.parent} to write it to")


OF_A_RUN = re.compile(r"(sensors|surface|maps)\.h5|(summary|progress|p2o)\.json|.*\.vtkhdf(\.series)?")


def written_over(read, *written):
    """Of the files that are to be written the first that is read, or that a run has of its own where its folder or a file in it is read; None: there is none,
    or no file."""
    read = [path.resolve() for path in read if path]
    folders = {path if path.is_dir() else path.parent for path in read}

    def lost(path):
        return path.resolve() in read or path.is_file() and path.resolve().parent in folders and OF_A_RUN.fullmatch(path.resolve().name)

    return next(filter(lost, filter(None, written)), None)


def spare(parser, read, *written):
    """Refuses, before any work, to write over what is read, and two files of one name; None is no file."""
    lost = written_over(read, *written)
    if lost:
        parser.error(f"{lost} is read, and would be written over; give another name")
    names = [path.resolve() for path in written if path and (path.is_file() or not path.exists())]  # devices bear it
    twice = next((name for n, name in enumerate(names) if name in names[:n]), None)
    if twice:
        parser.error(f"{twice} would be written twice; give two names")


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


def program(word):
    """Of an argument that names agwave: its path from anywhere."""
    found = shutil.which(word) or shutil.which(pathlib.Path(word).absolute())
    if not found:
        raise argparse.ArgumentTypeError(f"'{word}' is no program; give agwave, such as build/cpu/agwave")
    return pathlib.Path(found).resolve()


def numbers(words):
    """Of an argument N,N,..."""
    return [float(word) for word in words.split(",")]


def positive(text):
    """Of an argument: finite and above 0."""
    value = float(text)
    if not 0 < value < math.inf:
        raise argparse.ArgumentTypeError(f"{text} is no finite number above 0")
    return value


def positive_up_to(most):
    """Of an argument: above 0, and no more than this."""
    def check(text):
        if positive(text) > most:
            raise argparse.ArgumentTypeError(f"{text} is more than {most:g}")
        return float(text)
    return check


def positive_or_infinite(text):
    """Of an argument to which inf is no limit."""
    value = float(text)
    if not value > 0:
        raise argparse.ArgumentTypeError(f"{text} is not above 0")
    return value


def not_negative(text):
    """Of an argument: finite, and 0 or above."""
    value = float(text)
    if not 0 <= value < math.inf:
        raise argparse.ArgumentTypeError(f"{text} is no finite number from 0 on")
    return value


def share(text):
    """Of an argument: from 0 to 1."""
    value = float(text)
    if not 0 <= value <= 1:
        raise argparse.ArgumentTypeError(f"{text} is not from 0 to 1")
    return value


def finite(text):
    """Of an argument."""
    value = float(text)
    if not math.isfinite(value):
        raise argparse.ArgumentTypeError(f"{text} is no finite number")
    return value


def whole_number(text):
    """Of an argument: 0, 1, 2, ..."""
    value = int(text)
    if value < 0:
        raise argparse.ArgumentTypeError(f"{text} is no whole number from 0 on")
    return value


def count(text):
    """Of an argument: 1, 2, ..."""
    value = int(text)
    if value < 1:
        raise argparse.ArgumentTypeError(f"{text} is no whole number from 1 on")
    return value


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


LOWPASS_ORDER = 4


def lowpass(values, interval, period):
    """Samples along the first axis without what is shorter than `period` [s]: a Butterworth filter forwards and backwards, so that nothing is delayed.
    Half the amplitude is left at the period. Before the first sample there is rest, after the last one the record runs backwards: of the last period
    the true filter would have to know what comes."""
    import numpy as np
    import scipy.signal
    if not period > 2 * interval * (1 + 1e-9):
        raise ValueError(f"a low-pass at {period:g} s is asked for, and samples are {interval:g} s apart: they hold no period below {2 * interval:g} s; "
                         "give a longer one")
    if len(values) < 3:
        raise ValueError(f"{len(values)} samples are too few to filter")
    sections = scipy.signal.butter(LOWPASS_ORDER, 2 * interval / period, output="sos")
    more = min(len(values) - 1, math.ceil(4 * period / interval))
    longer = np.concatenate([np.repeat(values[:1], more, axis=0), values, values[-2 : -2 - more : -1]])
    return scipy.signal.sosfiltfilt(sections, longer, axis=0, padtype=None)[more : more + len(values)]


def lowpassed(period):
    """What was done, for figures and headers of files."""
    return f"low-passed at {period:g} s, zero phase (Butterworth of order {LOWPASS_ORDER}, forwards and backwards)"


def lowpass_argument(parser):
    parser.add_argument("--lowpass", type=float, metavar="PERIOD", help="take out periods below this [s], zero phase; 0: none (default: the case's "
                        "sensors.lowpass, if it has one)")


def lowpass_period(file, asked):
    """What was asked for, or else what the case says; 0: the samples as they are. Files hold them unfiltered."""
    period = float(file.attrs.get("lowpass_period_s", 0)) if asked is None else asked
    if not (math.isfinite(period) and period >= 0):
        raise ValueError(f"--lowpass {period:g} is no period; give seconds, or 0 for none")
    length = float(file["time"][written_samples(file) - 1])
    if period > length:  # the filter would have to know what comes, all along
        raise ValueError(f"a low-pass at {period:g} s is asked for, and the record is {length:g} s long; give a shorter period, or --lowpass 0 for none")
    return period


def draw_sponges(ax, strips):
    """Hatched dark on a light veil, so that strips (corner points each) are seen on any colours."""
    from matplotlib.patches import Polygon
    for number, corners in enumerate(strips):
        ax.add_patch(Polygon(corners, facecolor=(1, 1, 1, 0.22), edgecolor="none", zorder=3))
        ax.add_patch(Polygon(corners, facecolor="none", edgecolor=(1, 1, 1, 0.55), linewidth=2.4, zorder=3.1))
        ax.add_patch(Polygon(corners, facecolor="none", edgecolor=(0.07, 0.09, 0.15, 0.75), linewidth=0.8, hatch="///", zorder=3.2,
                             label=None if number else "sponge"))


LEVELS = "#12324f", "#2f6f95", "#5fa9a4", "#a9c972", "#f0c94a", "#ec8a35", "#cf4a35", "#8c1d4f"  # from the longest step to the shortest


def draw_levels(ax, local_steps):
    """The step of each patch of columns, over kilometres from the south-west corner; the legend tells what each level has. As summary.json has them."""
    import numpy as np
    from matplotlib.colors import ListedColormap, to_rgb
    from matplotlib.patches import Patch
    levels, patches = local_steps["levels"], local_steps["patches"]
    number = np.array([[int(digit, 16) for digit in row] for row in patches["level"]])
    places = np.linspace(0, len(LEVELS) - 1, max(len(levels), 2))
    anchors = np.array([to_rgb(color) for color in LEVELS])
    colors = np.transpose([np.interp(places, np.arange(len(LEVELS)), channel) for channel in anchors.T])
    ax.pcolormesh(np.array(patches["x_m"]) / 1e3, np.array(patches["y_m"]) / 1e3, number, cmap=ListedColormap(colors), vmin=-0.5, vmax=len(colors) - 0.5,
                  edgecolors=(1, 1, 1, 0.25), linewidth=0.3)
    words = [f"{level['step_s']:.3g} s: {level['columns']} columns, {100 * level['work_share']:.2g} % of the work" for level in levels]
    ax.legend([Patch(color=color) for color in colors[:len(levels)]], words, loc="upper left", bbox_to_anchor=(0, -0.11), ncol=2, frameon=False,
              fontsize=8.5, borderaxespad=0, handletextpad=0.5)


def sponge_strips(widths, x, y):
    """Corners [m] of the strips along west, east, south and north of a domain that reaches over x and y."""
    west, east, south, north = widths
    (x0, x1), (y0, y1) = (x[0], x[-1]), (y[0], y[-1])
    boxes = (west, x0, x0 + west, y0, y1), (east, x1 - east, x1, y0, y1), (south, x0, x1, y0, y0 + south), (north, x0, x1, y1 - north, y1)
    return [[(a, c), (b, c), (b, d), (a, d)] for width, a, b, c, d in boxes if width > 0]
