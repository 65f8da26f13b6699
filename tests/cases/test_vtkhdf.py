# SPDX-License-Identifier: Apache-2.0
"""VTKHDF files of a run as their readers see them: the layout of version 1.0 with h5py, and, where the vtk package is there (pip install vtk,
9.2 is that of ParaView 5.11), the grid that vtkHDFReader makes of them.   test_vtkhdf.py AGWAVE SOURCE_DIR PYTHON"""
import json
import pathlib
import subprocess
import sys
import tempfile

from program import need

need("h5py", "numpy")
import h5py  # noqa: E402
import numpy as np  # noqa: E402

CASE = """
domain: {size: [8000, 6000], bathymetry: {type: gaussian, depth: 2000, height: 1200, center: [5000, 3000], radius: [1000, 1500]}}
mesh: {elements: [4, 3, 2]}
sources: [{shape: {type: gaussian, center: [3000, 3000], radius: [1000, 1000]}, ramp: {type: smoothstep, duration: 1}}]
time: {end: 2}
output: {directory: out, seafloor_interval: 1, volume_interval: 1}
solver: {device: cpu}
"""
X, Y, Z = 9, 7, 5  # points


def check_layout(path, levels):
    with h5py.File(path) as file:
        root = file["VTKHDF"]
        assert list(root.attrs["Version"]) == [1, 0] and root.attrs["Type"] == b"UnstructuredGrid", dict(root.attrs)
        assert root.attrs.get_id("Type").get_type().is_variable_str() is False, "readers of 5.11 want a string of fixed length"
        points, cells = X * Y * levels, (X - 1) * (Y - 1) * max(levels - 1, 1)
        corners = 4 if levels == 1 else 8
        assert root["NumberOfPoints"][:] == [points] and root["NumberOfCells"][:] == [cells] and root["NumberOfConnectivityIds"][:] == [corners * cells]
        assert root["Points"].shape == (points, 3) and root["PointData/pressure"].shape == root["PointData/depth"].shape == (points,)
        assert (root["Offsets"][:] == corners * np.arange(cells + 1)).all() and root["Offsets"].dtype == np.int64
        ids = root["Connectivity"][:].reshape(cells, corners)
        assert ids.min() == 0 and ids.max() == points - 1 and all(len(set(cell)) == corners for cell in ids)
        assert set(root["Types"][:]) == {9 if levels == 1 else 12} and root["Types"].dtype == np.uint8
        xyz, depth = root["Points"][:].astype(float), root["PointData/depth"][:]
        assert np.ptp(xyz[:, 0]) == 8000 and np.ptp(xyz[:, 1]) == 6000 and (xyz[: X * Y, 2] == -depth[: X * Y]).all() and depth.min() < 1000
        if levels > 1:  # every cell has a positive volume: its three edges at the first corner make a right-handed system
            corner = xyz[ids]
            edges = [corner[:, n] - corner[:, 0] for n in (1, 3, 4)]
            assert (np.einsum("ci,ci->c", np.cross(edges[0], edges[1]), edges[2]) > 0).all()
        assert np.abs(root["PointData/pressure"][:]).max() > 1e4
        return float(root["FieldData/TimeValue"][0])


def check_reader(vtk, path, levels):
    reader = vtk.vtkHDFReader()
    reader.SetFileName(str(path))
    assert reader.CanReadFile(str(path))
    reader.Update()
    grid = reader.GetOutput()
    assert grid.GetNumberOfPoints() == X * Y * levels and grid.GetCellType(0) == (9 if levels == 1 else 12)
    pressure = grid.GetPointData().GetArray("pressure")
    with h5py.File(path) as file:
        values = file["VTKHDF/PointData/pressure"]
        assert pressure.GetNumberOfTuples() == values.shape[0] and pressure.GetValue(11) == values[11]
    assert grid.GetFieldData().GetArray("TimeValue").GetValue(0) == 2
    if levels > 1:
        volume = vtk.vtkCellSizeFilter()
        volume.SetInputData(grid)
        volume.Update()
        sizes = volume.GetOutput().GetCellData().GetArray("Volume")
        assert sizes.GetRange()[0] > 0, "a cell is inside out"


def check_room(agwave, work):
    """What `check` says of the files' size, and a run asks the disk for, is enough on a small mesh too, and not much more."""
    often = ["case.yaml", "--set", "output.seafloor_interval=0.05", "--set", "output.volume_interval=0.05", "--output", "often"]
    subprocess.run([agwave, "run", *often, "--quiet"], cwd=work, check=True)
    told = json.loads(subprocess.run([agwave, "check", *often, "--json"], cwd=work, check=True, capture_output=True).stdout)["output"]
    for kind in ("seafloor", "volume"):
        size = sum(path.stat().st_size for path in (work / "often").glob(f"*{kind}*"))
        assert size <= told[f"{kind}_bytes"] <= 1.3 * size, f"{kind}: {told} and {size} bytes in 41 snapshots"


def main():
    agwave = sys.argv[1]
    with tempfile.TemporaryDirectory() as name:
        work = pathlib.Path(name)
        (work / "case.yaml").write_text(CASE)
        subprocess.run([agwave, "run", "case.yaml", "--quiet"], cwd=work, check=True)
        out = work / "out"
        for kind, levels in (("seafloor", 1), ("volume", Z)):
            files = sorted(f.name for f in out.glob(f"{kind}_*.vtkhdf"))
            assert files == [f"{kind}_0000{n}.vtkhdf" for n in range(3)], files
            series = json.loads((out / f"{kind}.vtkhdf.series").read_text())
            assert series["file-series-version"] == "1.0"
            assert series["files"] == [{"name": f, "time": float(n)} for n, f in enumerate(files)], series
            assert check_layout(out / files[2], levels) == 2
        check_room(agwave, work)
        try:
            import vtk
        except ImportError as error:
            print(f"the layout is right, but no reader was asked: {error}; pip install vtk")
            sys.exit(77)
        for kind, levels in (("seafloor", 1), ("volume", Z)):
            check_reader(vtk, out / f"{kind}_00002.vtkhdf", levels)
        print("passed with VTK", vtk.vtkVersion.GetVTKVersion())


main()
