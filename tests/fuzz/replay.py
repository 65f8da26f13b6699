# SPDX-License-Identifier: Apache-2.0
"""What the fuzzers keep, read by one reader: replay.py PROGRAM READER, with the PROGRAM that replay.cpp and the reader's target make."""
import os
import pathlib
import subprocess
import sys
import tarfile
import tempfile

program, reader = sys.argv[1:]
here = pathlib.Path(__file__).parent
with tempfile.TemporaryDirectory(prefix="agwave-corpus-") as folder:
    with tarfile.open(here / "corpus" / f"{reader}.tar.xz") as kept:
        kept.extractall(folder)
    folders = [folder] + [str(seeds) for seeds in [here / "seeds" / reader] if seeds.exists()]
    done = subprocess.run([program, *folders], stdout=subprocess.PIPE, text=True, env=dict(os.environ, TMPDIR=folder))
    print("\n".join(done.stdout.splitlines()[-3:]))
    sys.exit(done.returncode != 0)
