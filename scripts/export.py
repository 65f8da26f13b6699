#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Exports the traces of a run to other tools: miniSEED, ASDF, CSV or GeoClaw gauge files.

Codes are NET.STA.LOC.CHA. The station is the sensor's name in capitals without signs, five characters at most; where two would become the same,
or to choose others, give --codes FILE with lines "name,STA". The channel says the sampling rate and the instrument (SEED manual, appendix A):
?DH for pressure, ?TZ for surface height. The location tells the traces of one name apart: 00 pressure, 10 what a moving gauge reads, 20 surface
height. Units are the run's: Pa and m, in float64. Time zero of the run is --start. A run still going on is exported as far as it got.
With --lowpass the traces are filtered, the default names of files say so, and so do the files: the first line of CSV, a comment of GeoClaw's, the
attribute `processing` of a waveform and a comment of its channel in ASDF. A record of miniSEED has no place for it but its quality: Q, else D.

    mseed    one file, every trace a record of float64; needs ObsPy
    asdf     one file, Adaptable Seismic Data Format 1.0.3, with StationXML, which needs ObsPy, where the case has degrees
    csv      pressure.csv, sensor_pressure.csv, surface_height.csv in a folder: time [s], then a column per sensor; positions.csv: where they are
    geoclaw  gauge00001.txt ... in a folder, and gauges.csv with their names: level 1, time, h, hu, hv, eta. hu and hv are not recorded, so NaN.
             h is eta and the depth before the event: how far the floor below a gauge has moved at each time is not recorded

Example:
    export.py results/aleutian --format mseed -o aleutian.mseed --network XA --start 1946-04-01T12:28:56
    export.py results/aleutian --format geoclaw -o gauges/
"""
import argparse
import csv
import datetime
import io
import pathlib
import re
import sys

from common import (concerning, hdf5_when_whole, known, named_when_whole, open_output, output_file,  # first: says which package is missing
                    write_whole, written_samples)
from arguments import written_over
from lowpass import lowpass, lowpass_argument, lowpass_period, lowpassed

import h5py
import numpy as np

VARIABLES = {"pressure": ("station", "00", "Pa"), "sensor_pressure": ("station", "10", "Pa"), "surface_height": ("gauge", "20", "m")}


class Problem(ValueError):
    """What the user can do something about."""


class Trace:
    def __init__(self, file, variable, n, name, values):
        dimension, self.location, self.unit = VARIABLES[variable]
        self.variable, self.name, self.values = variable, name, values
        prefix = "gauge_" if dimension == "gauge" else ""
        self.x, self.y = float(file[prefix + "x"][n]), float(file[prefix + "y"][n])
        self.z = 0.0 if prefix else float(file["z"][n])
        self.lon = float(file[prefix + "lon"][n]) if prefix + "lon" in file else None
        self.lat = float(file[prefix + "lat"][n]) if prefix + "lat" in file else None


def read(path, variables, asked):
    """Title, times, traces, and what was done to them, if anything."""
    with open_output(path, "sensors.h5") as file:
        written = written_samples(file)
        time = file["time"][:written]
        period = lowpass_period(file, asked)
        traces = []
        for variable in variables:
            if variable not in file:
                continue
            names = [n.decode() if isinstance(n, bytes) else str(n) for n in file[VARIABLES[variable][0]][:]]
            values = file[variable][:written]
            if period:  # the filter would spread what is not finite over all of a record
                values = lowpass(known(values, names, time), time[-1] / (written - 1), period)
            traces += [Trace(file, variable, n, name, values[:, n]) for n, name in enumerate(names)]
        if not traces:
            raise Problem(f"the file has no {' and no '.join(variables)}")
        return " ".join(str(file.attrs.get("title", "")).split()), time, traces, period  # a title may have lines, the first line of a table has one


def channel(variable, rate):
    """SEED band code by the sampling rate [Hz], for corners beyond 10 s, and instrument code."""
    band = next(code for limit, code in ((1000, "F"), (250, "C"), (80, "H"), (10, "B"), (1.0000001, "M"), (0.5, "L"), (0.05, "V"), (0, "U"))
                if rate >= limit)
    return band + ("TZ" if variable == "surface_height" else "DH")


def given_codes(path):
    with concerning(path), open(path, newline="", encoding="utf-8-sig") as file:  # spreadsheets begin with a byte order mark
        rows = [row for row in csv.reader(file) if row]
        wrong = next((row for row in rows if len(row) != 2), None)
        if wrong:
            raise Problem(f"'{','.join(wrong)}' is no line \"name,STA\"")
        return {row[0].strip(): row[1].strip() for row in rows}


def station_codes(traces, path):
    given = given_codes(path) if path else {}
    codes, owner = {}, {}
    for trace in traces:
        code = given.get(trace.name) or re.sub(r"[^A-Z0-9]", "", trace.name.upper())
        if not re.fullmatch(r"[A-Z0-9]{1,5}", code):
            raise Problem(f"sensor '{trace.name}' has no station code: '{code}' is not one to five of A-Z and 0-9; give one with --codes")
        first = owner.setdefault(code, trace.name)
        if first != trace.name:
            raise Problem(f"sensors '{first}' and '{trace.name}' both become station {code}; tell them apart with --codes")
        codes[trace.name] = code
    return codes


def header(trace, options, codes, rate):
    return {"network": options.network, "station": codes[trace.name], "location": trace.location, "channel": channel(trace.variable, rate)}


def sampling(time):
    """Rate [Hz] of equidistant samples; the first is t = 0."""
    return (len(time) - 1) / (time[-1] - time[0])


def write_mseed(path, title, time, traces, options):
    obspy = need_obspy()
    codes, rate = station_codes(traces, options.codes), sampling(time)
    stream = obspy.Stream()
    for trace in traces:
        stats = {**header(trace, options, codes, rate), "sampling_rate": rate, "starttime": obspy.UTCDateTime(options.start) + float(time[0]),
                 "mseed": {"dataquality": "Q" if options.processing else "D"}}
        stream.append(obspy.Trace(np.ascontiguousarray(trace.values, dtype=np.float64), stats))
    records = io.BytesIO()
    stream.write(records, format="MSEED", encoding="FLOAT64")
    write_whole(path, records.getvalue())
    return [path]


def write_asdf(path, title, time, traces, options):
    """https://asdf-definition.readthedocs.io: datasets NET.STA.LOC.CHA__START__END__TAG below Waveforms/NET.STA, times in ns since 1970."""
    codes, rate = station_codes(traces, options.codes), sampling(time)
    geographic = all(trace.lon is not None for trace in traces)
    since = options.start - datetime.datetime(1970, 1, 1)
    nanoseconds = (since.days * 86400 + since.seconds) * 10**9 + since.microseconds * 1000 + int(round(float(time[0]) * 1e9))

    end = nanoseconds + int(round((len(time) - 1) / rate * 1e9))
    if not (-(2**63) < nanoseconds and end < 2**63):
        raise Problem(f"ASDF holds the years 1678 to 2261, as nanoseconds since 1970 in 64 bits; give --start there, not {options.start.isoformat()}, or another "
                      "format")

    def stamp(ns):
        return (datetime.datetime(1970, 1, 1) + datetime.timedelta(seconds=ns // 10**9)).strftime("%Y-%m-%dT%H:%M:%S")

    documents = station_xml(title, traces, codes, rate, options) if geographic else {}
    with hdf5_when_whole(path) as file:
        file.attrs["file_format"] = np.bytes_("ASDF")
        file.attrs["file_format_version"] = np.bytes_("1.0.3")
        file.create_group("Waveforms"), file.create_group("Provenance"), file.create_group("AuxiliaryData")
        file.create_dataset("QuakeML", data=np.frombuffer(b"", dtype=np.int8), maxshape=(None,), chunks=(1024,))
        for trace in traces:
            code = header(trace, options, codes, rate)
            group = file["Waveforms"].require_group(f"{code['network']}.{code['station']}")
            name = f"{'.'.join(code.values())}__{stamp(nanoseconds)}__{stamp(end)}__{options.tag}"
            data = group.create_dataset(name, data=trace.values.astype(np.float64), fletcher32=True)
            data.attrs["starttime"] = np.int64(nanoseconds)
            data.attrs["sampling_rate"] = float(rate)
            if options.processing:
                data.attrs["processing"] = options.processing
        for sta, document in documents.items():
            file["Waveforms"][f"{options.network}.{sta}"].create_dataset("StationXML", data=np.frombuffer(document, dtype=np.int8), maxshape=(None,),
                                                                       chunks=(1024,))
    if not geographic:
        print("export.py: the case has no longitudes and latitudes, so no StationXML was written", file=sys.stderr)
    return [path]


def place_of(trace):
    """Of a channel: a gauge may have the name of a sensor below it, or elsewhere, and then they are one station."""
    return {"latitude": trace.lat, "longitude": (trace.lon + 180) % 360 - 180, "elevation": trace.z}


def station_xml(title, traces, codes, rate, options):
    obspy = need_obspy()
    from obspy.core.inventory import Channel, Comment, Inventory, Network, Station
    comments = [Comment(options.processing)] if options.processing else []
    documents = {}
    for sta in dict.fromkeys(codes.values()):
        own = [trace for trace in traces if codes[trace.name] == sta]
        channels = [Channel(code=channel(t.variable, rate), location_code=t.location, depth=0.0, sample_rate=rate, comments=comments, **place_of(t)) for t in own]
        station = Station(code=sta, channels=channels, site=obspy.core.inventory.Site(name=own[0].name), **place_of(own[0]))
        buffer = io.BytesIO()
        Inventory(networks=[Network(code=options.network, stations=[station])], source="agwave: " + title).write(buffer, format="STATIONXML")
        documents[sta] = buffer.getvalue()
    return documents


def write_csv(folder, title, time, traces, options):
    folder.mkdir(parents=True, exist_ok=True)
    written = []
    for variable in dict.fromkeys(trace.variable for trace in traces):
        own = [trace for trace in traces if trace.variable == variable]
        path = folder / f"{variable}.csv"
        with named_when_whole(path) as part, open(part, "w", newline="", encoding="utf-8") as file:
            done = f"; {options.processing}" if options.processing else ""
            file.write(f"# {title}; {variable} [{own[0].unit}]; time [s] since {options.start.isoformat()}Z{done}\n")
            table = csv.writer(file)
            table.writerow(["time"] + [trace.name for trace in own])
            for n, t in enumerate(time):
                table.writerow([repr(float(t))] + [repr(float(trace.values[n])) for trace in own])
        written.append(path)
    places = folder / "positions.csv"
    with named_when_whole(places) as part, open(part, "w", newline="", encoding="utf-8") as file:
        degrees = ["lon", "lat"] if all(trace.lon is not None for trace in traces) else []
        csv.writer(file).writerows([["name", "variable", "x", "y", "z", *degrees]] + [
            [trace.name, trace.variable, *(repr(getattr(trace, key)) for key in ("x", "y", "z", *degrees))] for trace in traces])
    return [*written, places]


def water_depth(run, traces):
    """Depths at the gauges from surface.h5, bilinear between its points; NaN without that file."""
    path = run / "surface.h5"
    if not path.is_file():
        return np.full(len(traces), np.nan)
    with h5py.File(path) as file:
        x, y, depth = file["x"][:], file["y"][:], file["depth"][:]
    result = []
    for trace in traces:
        i, j = (int(np.clip(np.searchsorted(axis, at) - 1, 0, axis.size - 2)) for axis, at in ((x, trace.x), (y, trace.y)))
        u, v = (trace.x - x[i]) / (x[i + 1] - x[i]), (trace.y - y[j]) / (y[j + 1] - y[j])
        result.append((1 - v) * ((1 - u) * depth[j, i] + u * depth[j, i + 1]) + v * ((1 - u) * depth[j + 1, i] + u * depth[j + 1, i + 1]))
    return np.array(result)


def write_geoclaw(folder, title, time, traces, options):
    gauges = [trace for trace in traces if trace.variable == "surface_height"]
    if not gauges:
        raise Problem("GeoClaw gauges are surface gauges; the case has no sensors.surface")
    folder.mkdir(parents=True, exist_ok=True)
    written = [folder / "gauges.csv"]
    with named_when_whole(written[0]) as part, open(part, "w", newline="", encoding="utf-8") as file:
        csv.writer(file).writerows([["gauge_id", "name"]] + [[n, gauge.name] for n, gauge in enumerate(gauges, 1)])
    done = f"; {options.processing}" if options.processing else ""
    for n, (gauge, depth) in enumerate(zip(gauges, water_depth(options.run, gauges)), 1):
        x, y = (gauge.x, gauge.y) if gauge.lon is None else (gauge.lon, gauge.lat)
        path = folder / f"gauge{n:05d}.txt"
        with named_when_whole(path) as part, open(part, "w", encoding="utf-8") as file:
            file.write(f"# gauge_id= {n} location=( {x:17.10E} {y:17.10E} ) num_var=  4\n# Stationary gauge{done}\n"
                       "# level, time, q[  1  2  3], eta, aux[]; h is eta and the depth before the event\n# file format ascii, time series follow in this file\n")
            for t, eta in zip(time, gauge.values):
                file.write(f"{1:5d} {t:15.7E} {depth + eta:15.7E} {np.nan:15.7E} {np.nan:15.7E} {eta:15.7E}\n")
        written.append(path)
    return written


def need_obspy():
    try:
        import obspy
        return obspy
    except ImportError as error:
        raise Problem(f"this format needs ObsPy ({error}); {sys.executable} -m pip install obspy") from None


def moment(text):
    try:
        time = datetime.datetime.fromisoformat(text.removesuffix("Z"))
        return time.astimezone(datetime.timezone.utc).replace(tzinfo=None) if time.tzinfo else time
    except ValueError:
        raise argparse.ArgumentTypeError(f"'{text}' is no time such as 1946-04-01T12:28:56") from None


def code_of(pattern, what):
    def check(text):
        if not re.fullmatch(pattern, text):
            raise argparse.ArgumentTypeError(f"'{text}' is not {what}")
        return text
    return check


def main():
    writers = {"mseed": write_mseed, "asdf": write_asdf, "csv": write_csv, "geoclaw": write_geoclaw}
    usual = {"mseed": "traces{}.mseed", "asdf": "traces{}.asdf.h5", "csv": "csv{}", "geoclaw": "geoclaw{}"}
    uses = {"mseed": ("--start", "--network"), "asdf": ("--start", "--network"), "csv": ("--start",), "geoclaw": ()}
    defaults = {"--start": "1970-01-01T00:00:00", "--network": "XX"}
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("run", type=pathlib.Path, help="output directory of a run, or its sensors.h5")
    parser.add_argument("--format", choices=writers, required=True)
    parser.add_argument("-o", "--output", type=pathlib.Path, help="file (mseed, asdf) or folder (csv, geoclaw); default: in the output directory")
    parser.add_argument("--variable", choices=VARIABLES, action="append", help="only this one (repeatable); default: all there are")
    parser.add_argument("--start", type=moment, metavar="TIME", help=f"UTC of the run's t = 0 (default {defaults['--start']})")
    parser.add_argument("--network", type=code_of("[A-Z0-9]{1,2}", "one or two of A-Z and 0-9"), help=f"default {defaults['--network']}")
    parser.add_argument("--codes", type=pathlib.Path, metavar="FILE", help='station codes: lines "name,STA"')
    parser.add_argument("--tag", type=code_of("[a-z_0-9]+", "of a-z, 0-9 and _"), default="agwave", help="of ASDF waveforms")
    lowpass_argument(parser)
    options = parser.parse_args()
    path = output_file(options.run, "sensors.h5", "give the output directory of a run with sensors, or its sensors.h5")
    options.run = path.parent
    if options.codes and options.format not in ("mseed", "asdf"):
        parser.error(f"--codes is for mseed and asdf; {options.format} has the names of the sensors")
    taken = [option for option in uses[options.format] if getattr(options, option[2:]) is None]
    if taken:
        print("warning: export.py: none is given, so the files have " + " and ".join(f"{option} {defaults[option]}" for option in taken), file=sys.stderr)
    options.start, options.network = options.start or moment(defaults["--start"]), options.network or defaults["--network"]
    with concerning(path):
        title, time, traces, period = read(path, options.variable or list(VARIABLES), options.lowpass)
        options.processing = lowpassed(period) if period else ""
        target = options.output or options.run / usual[options.format].format(f"_lowpass_{period:g}s" if period else "")
        if written_over([path, options.codes], target):
            raise Problem("it is read, and would be written over; give -o another name")
        for written in writers[options.format](target, title, time, traces, options):
            print(written)


if __name__ == "__main__":
    main()
