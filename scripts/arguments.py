# SPDX-License-Identifier: Apache-2.0
"""What the scripts ask of their arguments: types for argparse, and files that can be written and are not read."""
import argparse
import csv
import math
import pathlib
import re
import shutil

OF_A_RUN = re.compile(r"(sensors|surface|maps)\.h5|(summary|progress|p2o)\.json|.*\.vtkhdf(\.series)?")


def check_outputs(parser, *paths):
    """Refuses, before any work, files that cannot be written for want of a folder or because one has their name; None is no file."""
    for path in filter(None, paths):
        if path.is_dir():
            parser.error(f"{path}: this is a folder; give the name of a file")
        if not path.absolute().parent.is_dir():
            parser.error(f"{path}: there is no folder {path.parent} to write it to")


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


def program(word):
    """Of an argument that names agwave: its path from anywhere."""
    found = shutil.which(word) or shutil.which(pathlib.Path(word).absolute())
    if not found:
        raise argparse.ArgumentTypeError(f"'{word}' is no program; give agwave, such as build/cpu/agwave")
    return pathlib.Path(found).resolve()


def numbers(words):
    """Of an argument N,N,..."""
    return [float(word) for word in words.split(",")]


def name_list(words):
    """A,B,... as in a line of CSV: a name that has a comma stands in double quotes."""
    return [name.strip() for name in next(csv.reader([words], skipinitialspace=True), [])]


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


def dots(text):
    """Of --dpi: no more than print has; of many more a picture does not fit into memory."""
    if count(text) > 2400:
        raise argparse.ArgumentTypeError(f"{text} is more than 2400")
    return int(text)
