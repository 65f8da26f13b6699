# SPDX-License-Identifier: Apache-2.0
"""What scripts/infer.py takes for its data, on maps made by a formula: tables, sensors that are elsewhere, and which of them ride on the floor.
test_infer_data.py AGWAVE SOURCE_DIR PYTHON"""
import pathlib
import tempfile

from infer_maps import INTERVAL, call, smooth_event, twin_maps, write_maps, write_records
import h5py
import numpy as np


def table(maps):
    """Its lines: a bump of pressure, the same at every sensor."""
    bump = 1e4 * np.exp(-(maps.time - 15) ** 2 / 32)
    return ["time," + ",".join(maps.sensors)] + [",".join(map(repr, map(float, [t, *[p] * len(maps.sensors)]))) for t, p in zip(maps.time, bump)]


def check_tables(work, maps):
    """A table as spreadsheets write it is read; what is no number is named by file, row and column, and does not matter where its sensor is left out."""
    lines = table(maps)
    good = maps.path, "-o", work / "t.h5", "--correlation-length", "15000", "--data", work / "table.csv"

    def write(row, column, cell):
        changed = [line.split(",") for line in lines]
        changed[row][column] = cell
        (work / "table.csv").write_text("".join(",".join(line) + "\r\n" for line in changed), encoding="utf-8-sig")

    write(0, 0, "time")
    call(*good)
    for cell in ("", "none"):
        write(4, 3, cell)
        call(*good, fails=f"table.csv: records of S2 have gaps or are not finite (row 4, column S2: '{cell}'); infer.py leaves them out with --without")
    call(*good, "--without", "S2")
    write(2, 0, "soon")
    call(*good, fails="table.csv: row 2, column time: 'soon' is no time; give seconds")


def check_tables_of_export(work, maps):
    """What a table says that it holds is what is asked for; a name stands for one record; what comes after the window does not matter; and a page is no table."""
    lines = table(maps)
    path, asked = work / "export.csv", maps.time[:10]

    def told(*content, variable="pressure"):
        path.write_text("\n".join(content) + "\n")
        try:
            return twin_maps.Records(path, variable).at(asked, maps.sensors)
        except ValueError as error:
            return str(error)

    for said in ("pressure", "sensor_pressure"):
        head = f"# A, b; pressure [Pa]; {said} [Pa]; time [s] since 1970-01-01T00:00:00Z; low-passed"
        assert isinstance(told(head, *lines, variable=said), np.ndarray)
        other = {"pressure": "sensor_pressure", "sensor_pressure": "pressure"}[said]
        assert f"its first line says that it holds {said}, and {other} is asked for" in told(head, *lines, variable=other)
    assert "more than one record of S1; give each a name" in told(lines[0] + ",S1", *(line + ",0" for line in lines[1:]))
    late = [*lines[:14], lines[14].replace(",", ",x", 1), *lines[15:]]
    assert (told(*late) == told(*lines)).all(), "a gap after the window"
    assert "records of S0 have gaps" in told(*lines[:9], lines[9].replace(",", ",x", 1), *lines[10:])
    assert "this is no sensors.h5 of agwave" in told("x" * 200000, *lines)


def check_places(work, maps):
    """A run whose sensors of these names, or whose domain, are elsewhere is refused; a table has no places."""
    time, pressure = smooth_event(maps)

    def data(name, shift=(0, 0, 0), kinds=None, projection=None):
        write_records(work / name, maps.sensors, time, pressure)
        with h5py.File(work / name, "r+") as file:
            for axis, key in enumerate("xyz"):
                file[key] = maps.places[:, axis] + shift[axis] * (np.arange(len(maps.sensors)) == 2)
            file["station_kind"] = np.zeros(len(maps.sensors), "i1") if kinds is None else np.array(kinds, "i1")
            if projection:
                file.attrs["projection"] = projection
        return twin_maps.Records(work / name, "pressure")

    def told(records, projection=None):
        try:
            records.check_places(maps.sensors, maps.places, projection)
        except ValueError as error:
            return str(error)
        return ""

    assert not told(data("same.h5")) and not told(data("near.h5", (0.5, 0, 0))) and not told(twin_maps.Records(work / "d.csv", "pressure"))
    assert "it has S2 at x =" in told(data("moved.h5", (10e3, 0, 0))) and not told(data("mesh.h5", (0, 0, 30))), "the floor is where a mesh has it"
    assert "z = -3970 [m], and the maps have S2" in told(data("deeper.h5", (0, 0, 30), [0, 0, 1, 0, 0, 0]))
    assert "is that of '+proj=a' and that of the maps of '+proj=b'" in told(data("other.h5", projection="+proj=a"), "+proj=b")
    assert not told(data("other.h5", projection="+proj=a"), "+proj=a")
    call(maps.path, "--data", work / "moved.h5", "-o", work / "e.h5", fails="moved.h5: it has S2 at x =")


def check_hydrophones(work, maps):
    """Noise that was chosen offline is not given up because the data say which sensors are hydrophones."""
    time, pressure = smooth_event(maps)
    write_records(work / "water.h5", maps.sensors, time, pressure)
    with h5py.File(work / "water.h5", "r+") as file:
        file["station_kind"], file["sensor_pressure"] = np.array([0] * 5 + [1], dtype="i1"), pressure
    both = maps.path, "--observed", "sensor_pressure", "--correlation-length", "15000"
    call(*both, "--noise-pressure", "50", "--factor", work / "w.h5")
    before = (work / "w.h5").read_bytes()
    online = *both, "--data", work / "water.h5", "--factor", work / "w.h5", "-o", work / "e.h5"
    call(*online, fails="w.h5: it is of no hydrophones, and --data and --floating say the hydrophones S5")
    assert (work / "w.h5").read_bytes() == before
    call(*both, "--noise-pressure", "50", "--factor", work / "w.h5", "--floating", "S5")
    assert "read in" in call(*online)
    with h5py.File(work / "e.h5") as posterior:
        assert (posterior["noise"][:] == 50).all() and posterior.attrs["noise_window"] == 0 and posterior.attrs["noise_added"] == 0
    with h5py.File(work / "w.h5", "r+") as file:
        file["V_transposed"][1, 1] = np.nan
    call(*online, fails="w.h5: the factor has numbers that are not finite; delete its file")


def check_hydrophones_of_maps(maps, path):
    """A table does not say which sensors are hydrophones, and the maps do: it is inferred from as the run is, offline too."""
    def mean(*words):
        call(path, "--observed", "sensor_pressure", "--correlation-length", "15000", "--noise-pressure", "50", "-o", path.with_name("kind_out.h5"), *words)
        with h5py.File(path.with_name("kind_out.h5")) as file:
            return file["displacement"][:]

    time, pressure = smooth_event(maps)
    table = path.with_name("kind.csv")
    np.savetxt(table, np.column_stack([time, pressure]), delimiter=",", header=",".join(["time", *maps.sensors]), comments="")
    path.write_bytes(maps.path.read_bytes())
    named, all_ride = mean("--data", table, "--floating", "S5"), mean("--data", table)
    with h5py.File(path, "r+") as file:
        file["sensor_kind"] = np.array([0] * 5 + [1], dtype="i1")
    assert np.array_equal(mean("--data", table), named) and not np.allclose(all_ride, named), "the hydrophone rides on the floor"
    factor = path.with_name("kind_factor.h5")
    call(path, "--observed", "sensor_pressure", "--noise-pressure", "50", "--factor", factor)
    with h5py.File(factor) as file:
        assert file.attrs["floating"] == "S5"


def check_sensor_pressure(maps, path):
    """A floor that rises everywhere alike: sensors that ride on it read rho g times that less, from the first sample on, which is taken before all of it has risen."""
    difference = twin_maps.Toeplitz(maps.observed("sensor_pressure") - maps.pressure).apply(np.tile(np.linspace(1, 2, maps.time.size), (maps.x.size, 1)))
    wanted = -1025 * 9.81 * (np.cumsum(INTERVAL * np.linspace(1, 2, maps.time.size)) - 0.25 * np.linspace(1, 2, maps.time.size))
    assert np.abs(difference - wanted).max() < 1e-9 * np.abs(wanted).max()
    floating = maps.observed("sensor_pressure", ["S5"]) == maps.pressure
    assert floating[5].all() and not floating[:5].all(axis=(1, 2)).any()
    write_records(path, maps.sensors, *smooth_event(maps))
    with h5py.File(path, "r+") as file:
        file["station_kind"], file["sensor_pressure"] = np.array([0] * 5 + [1], dtype="i1"), file["pressure"][:]
    assert twin_maps.floating(path) == ["S5"] and twin_maps.floating(path.with_name("d.csv")) == []
    call(maps.path, "--data", path, "--observed", "sensor_pressure", "-o", path.with_name("ride.h5"))


with tempfile.TemporaryDirectory() as folder:
    work = pathlib.Path(folder)
    maps = write_maps(work / "maps.h5")
    (work / "d.csv").write_text("\n".join(table(maps)) + "\n")
    check_tables(work, maps)
    check_tables_of_export(work, maps)
    check_places(work, maps)
    check_hydrophones(work, maps)
    check_hydrophones_of_maps(maps, work / "kind.h5")
    check_sensor_pressure(maps, work / "ride_data.h5")
print("passed")
