# SPDX-License-Identifier: Apache-2.0
"""No file speaks of the circumstances under which it was made, nor of files that are not in the repository: what it says has to hold for a reader who was not there.
   test_words.py AGWAVE SOURCE_DIR PYTHON"""
import pathlib
import re
import subprocess
import sys

source = pathlib.Path(sys.argv[2])
WORDS = re.compile(r"\b(loans?|lent|this (morning|afternoon|evening)|at that hour|busy (machine|host)|session \d+)\b|\bshared/design\b|\.\./shared\b|\b(interface|solver|house|style|leapfrog)\.md\b", re.IGNORECASE)
NOT_READ = {"LICENSE", "tests/cases/test_words.py"}  # the licence is not ours; this file has the words themselves

for line in ("Another LOAN.", "as lent", "this morning", "session 11", "see ../shared/design/x.md", "as interface.md has it"):
    assert WORDS.search(line), line
for line in ("silent loaners", "a session of the test", "tests/shared/designs"):
    assert not WORDS.search(line), line

listed = subprocess.run(["git", "-C", str(source), "ls-files", "-z"], capture_output=True, text=True)
if listed.returncode != 0:
    print("not a git checkout:", listed.stderr.strip())
    sys.exit(77)
found, read = [], 0
for name in listed.stdout.split("\0"):
    path = source / name
    if not name or name in NOT_READ or not path.is_file():
        continue
    content = path.read_bytes()
    if b"\0" in content:
        continue
    read += 1
    for number, line in enumerate(content.decode("utf-8", errors="replace").splitlines(), 1):
        found += [f"{name}:{number}: {word[0]}" for word in WORDS.finditer(line)]
assert read > 100, f"only {read} text files of {source} were read"
assert not found, "say what holds without the circumstances:\n" + "\n".join(found)
print(f"passed: {read} files")
