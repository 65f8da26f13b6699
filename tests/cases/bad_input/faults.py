# SPDX-License-Identifier: Apache-2.0
"""Faults: in the case, in FSP files and in geojson files."""
from bad_input.table import *

PLANE = {"x": 4000, "y": 3000, "depth": 5000, "strike": 30, "dip": 20, "rake": 90, "slip": 2, "length": 4000, "width": 3000}


def fault(more="", edits=(), **changed):
    """A case whose source is one rectangle; None leaves a key out."""
    plane = ", ".join(f"{key}: {value}" for key, value in {**PLANE, **changed}.items() if value is not None)
    return line((8, f"  - shape: {{type: fault, subfaults: [{{{plane}}}]{more}}}"), *edits)


row("fault_no_dip", fault(dip=None), 2, "case.yaml:8: sources[0].shape.subfaults[0].dip: missing")
row("fault_dip", fault(dip=120), 2, "case.yaml:8: sources[0].shape.subfaults[0].dip: out of range; found 120")
row("fault_negative_slip", fault(slip=-1), 2, "case.yaml:8: sources[0].shape.subfaults[0].slip")
row("fault_zero_width", fault(width=0), 2, "case.yaml:8: sources[0].shape.subfaults[0].width")
row("fault_word", fault(rake="up"), 2, "case.yaml:8: sources[0].shape.subfaults[0].rake: expected a number; found 'up'")
row("fault_unknown_key", fault(lenght=3), 2, "case.yaml:8", "lenght", "did you mean 'length'?")
row("fault_above_floor", fault(depth=100), 2, "case.yaml:8", "the top edge of the fault is above the sea floor")
row("fault_in_floor", fault(depth=0, dip=0), 2, "case.yaml:8", "the fault lies in the sea floor")
row("fault_degrees_in_metres", fault(x=None, y=None, lon=3, lat=4), 2, "case.yaml:8", "lonlat")
row("fault_mixed_place", fault(lon=3), 2, "case.yaml:8", "x")
row("fault_reference", fault(", reference: middle"), 2, "case.yaml:8: sources[0].shape.reference", "top, centroid, bottom")
row("fault_outside", fault(x=400000, rise=2), 2, "case.yaml:8: sources[0]", "nothing of this fault is inside the domain", "move the domain or the source")
row("fault_poisson", fault(", poisson: 0.7"), 2, "case.yaml:8: sources[0].shape.poisson")
row("fault_normal_motion", fault(edits=[(9, "    motion: normal\n    ramp: {type: linear, duration: 2}")]), 2, "case.yaml:9: sources[0].motion", "vertical")
row("fault_no_ramp", fault(edits=[(9, "    amplitude: 1")]), 2, "case.yaml:8", "1 of 1 subfaults without", "ramp: {type: smoothstep")
row("fault_gaussian_ramp", fault(start=1, rise=2, edits=[(9, "    ramp: {type: gaussian, center: 20, sigma: 2}")]), 2, "case.yaml:9", "gaussian")
row("fault_many_pieces", fault(", interval: 0.001", rise=1e6), 2, "case.yaml:8", "too many pieces", "give a longer interval")
row("fault_empty_list", line((8, "  - shape: {type: fault, subfaults: []}")), 2, "case.yaml:8: sources[0].shape.subfaults", "expected a list")
row("fault_list_and_file", fault(", file: m.fsp"), 2, "case.yaml:8", "exactly one of subfaults and file")
row("fault_neither", line((8, "  - shape: {type: fault}")), 2, "case.yaml:8", "exactly one of subfaults and file")
row("fault_file_in_metres", line((8, "  - shape: {type: fault, file: m.fsp}")), 2, "case.yaml:8", "domain.lonlat", setup=contents("m.fsp", "%"))

# Finite-fault files; their domain is in degrees
FSP = """\
% Mech : STRK = 250  DIP = 10  RAKE = 90
% Invs : Dx = 20.0 km  Dz = 10.0 km
% Coordinates are given for center of each subfault
% LAT LON X==EW Y==NS Z SLIP RAKE TRUP RISE
52.1 -166.3 0 0 12.0 2.5 95 0 8
52.2 -165.7 0 0 12.0 1.5 85 12.5 6
"""


def model(name, text, code, *fragments, case_edit="", **options):
    place = f"  - shape: {{type: fault, file: {options.pop('file', 'm.fsp')}{case_edit}}}"
    row(name, line((3, "  lonlat: {lon: [193, 195], lat: [51, 53]}"), (8, place)), code, *fragments, needs="PROJ",
        **({"setup": contents(options.pop("to", "m.fsp"), text)} if text is not None else {}), **options)


model("fsp_missing", None, 3, "case.yaml:8: sources[0].shape.file", "m.fsp", "No such file")
model("fault_table_missing", None, 3, "case.yaml:8: sources[0].shape.file: cannot read the table of subfaults", "m.csv", "No such file", file="m.csv")
model("fault_table_empty", "", 3, "m.csv:1: the file is empty", "longitude,latitude,depth", file="m.csv", to="m.csv")
model("fault_table_semicolons", "longitude;latitude;depth\n-166,3;52,1;12\n", 3, "m.csv:1: wrong columns in the header line", "separate the columns by commas", file="m.csv",
    to="m.csv")
model("fault_table_without_names", "-166.3,52.1,12\n", 3, "m.csv:1: there is no column longitude, latitude, depth", "found '-166.3,52.1,12'", file="m.csv", to="m.csv")
model("fsp_empty", "", 3, "m.fsp:1", "no line that names the columns")
model("fsp_word", FSP.replace("2.5 95", "lots 95"), 3, "m.fsp:5: column SLIP: expected a number; found 'lots'")
model("fsp_short_row", FSP.replace(" 1.5 85 12.5 6", ""), 3, "m.fsp:6: expected a row of numbers; found 5 words")
model("fsp_no_columns", FSP.replace("% LAT LON", "% LAT. LON"), 3, "m.fsp:5", "no line that names the columns")
model("fsp_no_rows", "".join(FSP.splitlines(True)[:4]), 3, "m.fsp:4: no subfaults")
model("fsp_no_dip", FSP.replace("DIP = 10", "DIP = 999"), 3, "m.fsp:5: the file does not give DIP")
model("fsp_no_size", FSP.replace("Dz = 10.0 km", ""), 3, "m.fsp:5: the file does not give Dz")
model("fsp_latitude", FSP.replace("52.1 ", "152.1 "), 3, "m.fsp:5: a subfault that cannot be", "latitude is 152.1")
model("fsp_slip_in_mm", FSP.replace(" 2.5 ", " 2500 "), 3, "m.fsp:5: a subfault that cannot be", "slip is 2500 m")
model("fsp_negative_start", FSP.replace("12.5 6", "-12.5 6"), 3, "m.fsp:6: a subfault that cannot be", "start of the rupture")
model("fsp_nan", FSP.replace(" 2.5 ", " nan "), 3, "m.fsp:5: column SLIP: expected a number; found 'nan'")
model("fsp_shallow", FSP.replace("0 0 12.0", "0 0 0.1"), 3, "m.fsp:5: the top edge of the fault is above the sea floor")
model("fsp_no_reference", FSP.replace("Coordinates are given", "Places are"), 3, "case.yaml:8", "which point of the subfaults", "reference: top")
model("fsp_binary", bytes(range(256)) * 20, 3, "m.fsp:")
model("fsp_is_directory", None, 3, "case.yaml:8", "it is a directory", setup=lambda f: (f / "m.fsp").mkdir())
model("fault_format_unknown", FSP, 2, "case.yaml:8", "format", "give format: fsp", file="m.txt", to="m.txt")
model("fault_format_wrong", FSP, 3, "m.fsp:1: not JSON", case_edit=", format: geojson")

RING = "[[[194, 52, 9e3], [194.5, 52, 9e3], [194.5, 52.2, 14e3], [194, 52.2, 14e3]]]"
JSON = '{"features": [\n{"geometry": {"type": "Polygon", "coordinates": %s}, "properties": {"slip": 2.5, "rake": 95, "trup": 0, "rise": 8}}]}' % RING


def geojson(name, text, *fragments, **options):
    model(name, text, 3, *fragments, file="m.geojson", to="m.geojson", **options)


geojson("geojson_cut", JSON[:100], "m.geojson:2: not JSON")
geojson("geojson_empty", "", "m.geojson:1: not JSON")
geojson("geojson_list", "[1, 2]", "m.geojson:1: not a finite-fault model")
geojson("geojson_no_features", '{"features": []}', "m.geojson", "no subfaults", anywhere=True)
geojson("geojson_point", JSON.replace("Polygon", "Point"), "m.geojson: features[0]: not a subfault", "no Polygon", anywhere=True)
geojson("geojson_triangle", JSON.replace(", [194, 52.2, 14e3]", ""), "features[0]", "3 corners", anywhere=True)
geojson("geojson_flat_corner", JSON.replace("[194.5, 52, 9e3]", "[194.5, 52]"), "features[0]", "a corner without depth", anywhere=True)
geojson("geojson_no_slip", JSON.replace('"slip"', '"slop"'), "features[0]", "slip", anywhere=True)
geojson("geojson_word", JSON.replace("2.5", '"much"'), "features[0]: not a subfault", anywhere=True)
geojson("geojson_huge", JSON.replace("14e3", "1e300"), "features[0]", "can be", anywhere=True)
geojson("geojson_latin1", JSON.encode().replace(b"Polygon", b"Pol\xe9gon"), "m.geojson:2: not JSON")
geojson("geojson_deep", '{"features": ' + "[" * 200000, "m.geojson:1: not JSON")
