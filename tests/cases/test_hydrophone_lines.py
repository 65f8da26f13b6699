# SPDX-License-Identifier: Apache-2.0
"""Lines of hydrophones in a case, and what scripts/transmission_loss.py, spectrogram.py and channel_arrivals.py make of records that are known.
test_hydrophone_lines.py AGWAVE SOURCE_DIR PYTHON"""
import argparse
import csv
import functools
import json
import pathlib
import subprocess
import sys
import tempfile

from program import need

need("h5py", "numpy", "scipy", "matplotlib")
import h5py  # noqa: E402
import numpy as np  # noqa: E402

agwave, scripts = pathlib.Path(sys.argv[1]).resolve(), pathlib.Path(sys.argv[2]).resolve() / "scripts"
sys.path.insert(0, str(scripts))
import channel_arrivals  # noqa: E402
import spectrogram  # noqa: E402

CASE = """
domain: {size: [12000, 6000], bathymetry: {type: flat, depth: 2000}}
mesh: {elements: [6, 3, 1]}
sources: [{shape: {type: point, center: [2000, 3000], z: -1000, volume: 1e5}, ramp: {type: smoothstep, duration: 2}}]
time: {end: 12}
sensors:
  interval: 0.125
  hydrophones: [{line: {name: L, from: [3000, 3000, -1000], to: [11000, 3000, -200], count: 5}}]
output: {directory: out}
solver: {device: cpu}
"""


def call(name, *arguments, fails=""):
    done = subprocess.run([sys.executable, str(scripts / name), *map(str, arguments)], capture_output=True, text=True)
    assert (done.returncode != 0) == bool(fails) and fails in done.stderr, (done.returncode, done.stdout, done.stderr)
    return done.stdout


def check_run(folder):
    """A line has its hydrophones where they should be, and both scripts take a real run."""
    (folder / "line.yaml").write_text(CASE)
    done = subprocess.run([agwave, "run", folder / "line.yaml", "--quiet"], capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    with h5py.File(folder / "out" / "sensors.h5") as file:
        assert [name.decode() for name in file["station"][:]] == [f"L{n}" for n in range(1, 6)] and (file["station_kind"][:] == 1).all()
        assert np.allclose(file["x"][:], 3000 + 2000 * np.arange(5)) and np.allclose(file["z"][:], -1000 + 200 * np.arange(5))
    out = call("transmission_loss.py", folder / "out", "--frequency", 1, "--source", "2000,3000,-1000", "--at-one-metre", "-o", folder / "run.png")
    assert (folder / "run.png").stat().st_size > 10000, out
    call("spectrogram.py", folder / "out", "--window", 4, "-o", folder / "run_spectrogram.png", "--station", 'L1, "L5"')
    assert spectrogram.name_list('L1, "A,B",C 1') == ["L1", "A,B", "C 1"]
    assert (folder / "run_spectrogram.png").stat().st_size > 10000


def write_records(folder, names, place, interval, pressure):
    folder.mkdir()
    with h5py.File(folder / "sensors.h5", "w") as file:
        file["station"] = [name.encode() for name in names]
        file["station_kind"] = np.ones(len(names), dtype=np.int32)
        for n, axis in enumerate("xyz"):
            file[axis] = place[:, n]
        file["time"], file["pressure"], file["samples_written"] = interval * np.arange(len(pressure)), pressure, len(pressure)


def check_losses(folder):
    """Bursts at 2 Hz that fall as 1/r, and as 1/sqrt(r) at 4 Hz: 20 and 10 dB a decade."""
    r = np.array([1e3, 2e3, 5e3, 10e3, 20e3, 50e3])
    place = np.column_stack([5e3 + r, np.full(r.size, 7e3), np.full(r.size, -1e3)])
    t, interval = 0.05 * np.arange(4000), 0.05
    envelope = np.exp(-(((t - 40) / 10) ** 2))
    pressure = np.outer(envelope * np.sin(4 * np.pi * t), 1e6 / r) + np.outer(envelope * np.sin(8 * np.pi * t), 30 / np.sqrt(r))
    write_records(folder / "known", [f"axis{n}" for n in range(r.size)], place, interval, pressure)
    call("transmission_loss.py", folder / "known", "--frequency", "2,4", "--source", "5e3,7e3,-1e3", "--at-one-metre", "--csv", folder / "loss.csv",
         "-o", folder / "known.png")
    rows = list(csv.DictReader((folder / "loss.csv").open()))
    assert [row["name"] for row in rows] == [f"axis{n}" for n in range(r.size)] and np.allclose([float(row["distance"]) for row in rows], r)
    assert np.allclose([float(row["loss_2Hz"]) for row in rows], 20 * np.log10(r), atol=1e-3)
    assert np.allclose([float(row["loss_4Hz"]) for row in rows], 60 + 10 * np.log10(r / 1e3), atol=1e-3)
    call("transmission_loss.py", folder / "known", "--frequency", 2, "--reference", "axis1", "--csv", folder / "loss.csv", "-o", folder / "known.png")
    assert abs(float(list(csv.DictReader((folder / "loss.csv").open()))[1]["loss_2Hz"])) < 1e-9
    for arguments, words in ((("--frequency", 12), "hold 10 Hz"), (("--frequency", 2, "--line", "other"), "names begin with axis"),
                             (("--frequency", 2, "--reference", "B"), "no hydrophone B"), (("--frequency", 2, "--at-one-metre"), "needs --source X,Y,Z"),
                             (("--frequency", 1e-3), "fewer than two frequencies")):
        call("transmission_loss.py", folder / "known", *arguments, "-o", folder / "no.png", fails=words)
    assert not (folder / "no.png").exists()
    before = (folder / "known" / "sensors.h5").read_bytes()
    for name, *words in (("transmission_loss.py", "--frequency", 2, "--csv", folder / "known" / "sensors.h5"), ("spectrogram.py", "-o", folder / "known" / "sensors.h5")):
        call(name, folder / "known", *words, fails="sensors.h5 is read, and would be written over")
    assert (folder / "known" / "sensors.h5").read_bytes() == before


def check_names(folder):
    """Names of lines may end in a digit."""
    names = [f"{line}{n}" for line in ("L1", "L2") for n in (1, 2, 3)] + [f"M{n:02d}" for n in range(1, 13)]
    place, t = np.column_stack([1e3 + 500 * np.arange(len(names)), np.zeros((len(names), 2))]), 0.05 * np.arange(400)
    write_records(folder / "digits", names, place, 0.05, np.outer(np.sin(4 * np.pi * t), 1 / place[:, 0]))

    def chosen(line):
        call("transmission_loss.py", folder / "digits", "--frequency", 2, "--line", line, "--csv", folder / "digits.csv", "-o", folder / "digits.png")
        return [row["name"] for row in csv.DictReader((folder / "digits.csv").open())]

    assert chosen("L1") == ["L11", "L12", "L13"] and chosen("L2") == ["L21", "L22", "L23"] and len(chosen("L")) == 6 and len(chosen("M")) == 12
    call("transmission_loss.py", folder / "digits", "--frequency", 2, "--line", "M1", fails="0 hydrophones of line M1")  # M10, M11 and M12 are of M


def check_slow(folder):
    """Below a wave that is slow, far larger and still there at the end sound loses what it loses without."""
    r = np.array([1e3, 2e3, 5e3, 10e3, 20e3, 50e3])
    place = np.column_stack([r, np.zeros(r.size), np.full(r.size, -1e3)])
    t = 0.05 * np.arange(4000)
    sound = np.outer(np.exp(-(((t - 40) / 10) ** 2)) * np.sin(4 * np.pi * t), 1e6 / r)
    write_records(folder / "slow", [f"A{n}" for n in range(r.size)], place, 0.05, sound + np.outer(5e3 * (1 + np.tanh((t - 100) / 15)), 1e4 / (1e4 + r)))
    call("transmission_loss.py", folder / "slow", "--frequency", 2, "--csv", folder / "slow.csv", "-o", folder / "slow.png")
    loss = [float(row["loss_2Hz"]) for row in csv.DictReader((folder / "slow.csv").open())]
    assert np.allclose(loss, 20 * np.log10(r / r[0]), atol=1e-2), loss


def check_table(folder):
    """A name with a comma is one cell of the table."""
    names = ["north, 1", 'the "deep" one']
    t = 0.05 * np.arange(400)
    write_records(folder / "named", names, np.array([[1e3, 0, -500], [2e3, 0, -500]]), 0.05, np.outer(np.sin(4 * np.pi * t), [2, 1]))
    call("transmission_loss.py", folder / "named", "--frequency", 2, "--csv", folder / "named.csv", "-o", folder / "named.png")
    rows = list(csv.DictReader((folder / "named.csv").open(newline="")))
    assert [row["name"] for row in rows] == names and abs(float(rows[1]["loss_2Hz"]) - 20 * np.log10(2)) < 1e-5 and float(rows[1]["x"]) == 2e3, rows


def check_levels(folder):
    """A tone is where it should be and has its power; noise has its density."""
    interval, seconds = 0.02, 400
    t = interval * np.arange(int(seconds / interval))
    random = np.random.default_rng(3)
    frequency, _, level = spectrogram.levels(np.column_stack([np.sqrt(2) * 3 * np.sin(2 * np.pi * 7.5 * t), 0.5 * random.standard_normal(t.size)]),
                                             interval, 8, 0.5)
    tone, noise = (10 ** (level / 10)).mean(2) * 1e-12  # [Pa^2/Hz]
    assert abs(frequency[np.argmax(tone)] - 7.5) < 1e-9
    assert abs(tone.sum() * frequency[1] / 9 - 1) < 1e-2, "power of the tone"
    assert abs(noise[5:-5].mean() / (2 * 0.25 * interval) - 1) < 0.05, "density of the noise"
    for arguments, words in ((("--station", "Z"), "no station Z; there are axis0"), (("--window", 1e4), "longer than the record"), (("--window", 0.1), "fewer than 8"),
                             (("--highest", 0.1), "--highest 0.1 Hz: windows of 10 s tell of 0.1 Hz and above"), (("--window", "inf"), "inf is no finite number above 0"),
                             (("--range", "nan"), "nan is no finite number above 0"), (("--overlap", 1), "from 0 up to"), (("-o", folder / "none" / "no.png"), "none/no.png: No such file or directory"), (("--from", 1e5), "fewer than 8 samples")):
        call("spectrogram.py", folder / "known", "-o", folder / "no.png", *arguments, fails=words)
    panel = "A", frequency, np.array([30.0]), level[0, :, :1]  # of a record as long as a window
    axis = spectrogram.draw([panel], argparse.Namespace(window=60, highest=None, depth=60)).axes[0]
    assert axis.get_xlim() == (0, 60) and axis.collections[0].get_array().max() == panel[3][1:].max(), "one window is drawn as long as it is"


def check_rays(folder):
    """With one speed of sound rays are straight, to the images of the hydrophone; pulses at their times are found, and late ones are not."""
    source, floor, distance, c = 1000.0, 3000.0, 30e3, 1500.0
    found = channel_arrivals.rays(lambda depth: c + 0 * depth, source, floor, distance, 40)
    assert len(found) > 10
    for time, angle, above, below, least, largest in found:
        height = 2 * (above * source + below * (floor - source))
        assert abs(time / (np.hypot(distance, height) / c) - 1) < 1e-5 and abs(np.tan(np.radians(angle)) * distance / height - 1) < 1e-3
    t = 0.05 * np.arange(1000)
    channel = channel_arrivals.rays(channel_arrivals.munk, 1300, 5000, 42e3, 25)
    for late, code in ((0, 0), (1, 1)):
        record = sum(np.exp(-(((t - late - ray[0]) / 0.15) ** 2)) * np.cos(9 * (t - late - ray[0])) for ray in channel)
        write_records(folder / f"late{late}", ["A", "B"], np.array([[42e3, 0, -1300], [50e3, 0, -500]]), 0.05, np.column_stack([record, record]))
        done = subprocess.run([sys.executable, str(scripts / "channel_arrivals.py"), folder / f"late{late}", "--source", "0,0,-1300", "--floor", "5000",
                               "--distances", "42e3", "--pulse", "0.2"], capture_output=True, text=True)
        assert done.returncode == code, (done.stdout, done.stderr)
    with h5py.File(folder / "late1" / "sensors.h5", "r+") as file:
        file["samples_written"][()] = 1
    for name, *words in (("channel_arrivals.py", "--source", "0,0,-1300", "--floor", 5000, "--distances", "42e3"), ("transmission_loss.py", "--frequency", 1)):
        call(name, folder / "late1", *words, fails="1 samples are written, fewer than two")
    given = {"--source": "0,0,-1300", "--floor": 5000, "--distances": "42e3"}
    for change, words in (({"--steepest": 1}, "no ray of up to 1 degrees leads to 42 km"), ({"--start": 25}, "and the record ends at 49.95 s"),
                          ({"--floor": 1000}, "is not between the surface at 0 and --floor 1000 m"), ({"--steepest": 95}, "--steepest 95: above 0.3"),
                          ({"--tolerance": "nan"}, "--tolerance: nan is no finite number above 0")):
        call("channel_arrivals.py", folder / "late0", *(word for pair in {**given, **change}.items() for word in pair), fails=words)
    channel = channel_arrivals.rays(functools.partial(channel_arrivals.munk, axis=700.0), 1300, 5000, 42e3, 25)  # another axis, as the run's summary tells
    record = sum(np.exp(-(((t - ray[0]) / 0.15) ** 2)) * np.cos(9 * (t - ray[0])) for ray in channel)
    write_records(folder / "other", ["A", "B"], np.array([[42e3, 0, -1300], [50e3, 0, -500]]), 0.05, np.column_stack([record, record]))
    words = [word for pair in {**given, "--pulse": 0.2, "--tolerance": 0.2}.items() for word in pair]
    tell_speed(folder / "other", {"ocean.sound_speed.type": "munk", "ocean.sound_speed.axis": "700"})
    call("channel_arrivals.py", folder / "other", *words)
    tell_speed(folder / "other", {"ocean.sound_speed": "1500"})
    call("channel_arrivals.py", folder / "other", *words, fails="rays are those of {type: munk}, and the run has ocean.sound_speed: 1500")


def tell_speed(folder, parameters):
    (folder / "summary.json").write_text(json.dumps({"case": {"parameters": {"domain.bathymetry.type": "flat", **parameters}}}))


with tempfile.TemporaryDirectory() as name:
    work = pathlib.Path(name)
    check_run(work)
    check_names(work)
    check_losses(work)
    check_slow(work)
    check_table(work)
    check_levels(work)
    check_rays(work)
print("passed")
