#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Infers how the seafloor moved from what pressure sensors record, and forecasts the sea surface at gauges, with intervals.

MAPS is the maps.h5 of `agwave p2o`: what every sensor and gauge sees of a motion of one parameter of the floor. The floor's velocity is Gaussian
beforehand (twin_prior.py), and so is the noise; then the posterior mean and covariance are known in closed form (twin_factor.py has the formulas). All
that does not depend on data, a Cholesky factor of the size sensors x intervals, is made once and kept in a file (--factor); the online part, from data
to motion, displacement and forecast, takes a fraction of a second. Because the maps are causal, the first T seconds of data need a leading block of
the same factor: --windows 30,60,120 costs no more than one of them.

Data are a run's sensors.h5 or a CSV file with the columns time,NAME,...; sensors are matched by name, and a run whose sensors are not where the maps have
them is refused. Samples are taken at the maps' own times (`time` in maps.h5: one step of the maps' run before the end of each interval), by cubic splines
where the record has others.

How to choose
  --interval            between samples, and of the velocity: several of the maps' own. Velocity is then smooth in time; one that jumps from interval
                        to interval excites resonances of the water that no earthquake does. Data have to be free of periods below two of these.
  --velocity-std        what the floor's velocity may be: the standard deviation of a motion that goes on. One that begins at rest and ends has less: with the
                        defaults it grows to 0.7 of this in half of the duration. Too small a value pulls the result to zero, too large a one lets noise in.
  --correlation-length  over which the motion changes: that of uplift over a fault some tens of km wide and deep, several parameters at least.
  --smoothness          of the motion in space, nu of a Matern covariance: 3 where what slips is under kilometres of rock, 1 where edges may be sharp.
  --correlation-time    in which correlation of a motion that goes on falls to 1/e (in 16 to 20 s with the defaults, where it begins at rest and ends):
                        about the rise time of a point of the fault. 0: intervals are independent.
  --duration            in which what drives the velocity falls by e, from t = 0 on, and so in the end does the velocity's standard deviation:
                        about as long as the rupture of the events that are to be found, longer for the largest. A floor that may move until the end leaves the
                        displacement at the end open, however long the data are.
  --noise               standard deviation of the noise over the root mean square of all data, the same for all sensors: |noise| / |data|. All data are
                        those of the longest window, and so they are for --model-error: there is one factor. Where a shorter window should know nothing of
                        what comes after it, noise has to be known beforehand: by a factor that is there already, or --noise-pressure and --model-error 0.
  --model-error         standard deviation, over each sensor's own root mean square, of what maps and parameters do not carry.
                        Without --data it is not known, and --noise-pressure has to stand for both.
  The misfit is printed: sum of squares of L^-1 d over their number. It is 1 where prior and noise are what they are said to be; well above, they are too
  small for the data, and a warning says so; well below, too large. The log evidence is printed too, the density of these data under prior and noise: of two sets of options the one
  with more of it is the better, and nothing of the truth is needed to say so. --fit-prior FILE looks for the options with the most of it, all of the above
  but --smoothness and --noise, beginning with those that are given, uses them and writes them to FILE; --prior FILE takes them from there, for other data.

Examples:
    infer.py results/p2o/maps.h5 --data results/event --interval 2 --windows 30,60,120 -o posterior.h5
    infer.py results/p2o/maps.h5 --data results/old_event --interval 2 --fit-prior prior.json --factor factor.h5   # by a known event
    infer.py results/p2o/maps.h5 --data results/event --interval 2 --prior prior.json --factor factor.h5           # another, online
    infer.py results/p2o/maps.h5 --noise-pressure 200 --interval 2 --factor factor.h5         # offline only
    infer.py results/p2o/maps.h5 --data pressure.csv --interval 2 --factor factor.h5 -o posterior.h5   # online, its noise
"""
import argparse
import json
import os
import pathlib
import sys
import time

from common import PROGRAM, concerning, duration, hdf5_when_whole, open_output, plainly, write_whole  # first: says which package is missing
from arguments import check_outputs, name_list, not_negative, numbers, positive, positive_or_infinite, positive_up_to, spare, whole_number

import numpy as np
import twin_factor
import twin_fit
import twin_maps
import twin_posterior
import twin_prior

NOISE, MODEL_ERROR = 0.01, 0.05
SAMPLES = "prior_samples.h5"
PRIOR = {"velocity_std": positive_up_to(1e3), "model_error": not_negative, "correlation_time": not_negative, "duration": positive_or_infinite,
         "correlation_length": positive_up_to(1e8), "smoothness": positive_up_to(100)}  # what --fit-prior writes and --prior reads


def available_memory():
    """Bytes that can be had without swapping."""
    try:
        lines = dict(line.split(":") for line in pathlib.Path("/proc/meminfo").read_text().splitlines())
        return 1024 * int(lines["MemAvailable"].split()[0])
    except (OSError, KeyError):
        return os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGE_SIZE")


def merged_intervals(options):
    """How many intervals of the maps are made one."""
    if options.interval is None:
        return 1
    with open_output(options.maps, "maps.h5") as file:
        own = float(file.attrs["interval"])
    every = round(options.interval / own)
    if every < 1 or abs(every * own - options.interval) > 1e-9 * options.interval:
        raise ValueError(f"--interval {options.interval:g} is no multiple of the maps' interval of {own:g} s; give one")
    return every


class Problem:
    """Maps with the sensors that are used, prior and options: what is known before any data."""

    def __init__(self, options):
        self.maps = maps = twin_maps.Maps(options.maps, merged_intervals(options))
        for option, names in (("--without", options.without), ("--floating", options.floating)):
            unknown = [name for name in names if name not in maps.sensors]
            if unknown:
                raise ValueError(f"{option} {','.join(unknown)}: not in the maps; they have {', '.join(maps.sensors)}")
        keep = [n for n, name in enumerate(maps.sensors) if name not in options.without]
        if not keep:
            raise ValueError("--without leaves no sensor")
        self.names, self.places, self.intervals = [maps.sensors[n] for n in keep], maps.places[keep], maps.time.size
        with concerning(options.data):
            floating = options.floating + maps.hydrophones + (twin_maps.floating(options.data) if options.data else [])
        self.floating = [name for name in self.names if name in floating and options.observed == "sensor_pressure"]
        self.observed = maps.observed(options.observed, floating)[keep]
        apart = np.concatenate([np.diff(maps.grid_x), np.diff(maps.grid_y)])
        self.spacing = float(maps.attrs.get("parameter_spacing") or (apart.mean() if apart.size else 0))  # 0: at the nodes of a mesh
        self.fingerprint = maps.fingerprint(self.observed)
        self.hold(options)

    def hold(self, options):
        """Takes the prior from the options."""
        maps, length = self.maps, options.correlation_length
        if length < self.spacing:
            raise ValueError(f"--correlation-length {length:g} is below the {self.spacing:g} m between parameters, which cannot carry it; give several times that")
        self.prior = twin_prior.Prior(maps.grid_x, maps.grid_y, maps.interval, self.intervals, options.velocity_std, length, options.correlation_time,
                                     options.duration, options.smoothness, maps.settled)
        self.about = {"maps": self.fingerprint, "sensors": ",".join(self.names), "observed": options.observed, "floating": ",".join(self.floating),
                      "velocity_std": options.velocity_std, "correlation_length": length, "smoothness": options.smoothness, "correlation_time": options.correlation_time,
                      "duration": options.duration, "interval": maps.interval, "format": twin_factor.FORMAT}

    def windows(self, asked):
        """Numbers of intervals, ascending."""
        ends = asked or [self.intervals * self.maps.interval]
        if not all(self.maps.interval <= end * (1 + 1e-9) and end <= self.intervals * self.maps.interval * (1 + 1e-9) for end in ends):
            raise ValueError(f"--windows {','.join(f'{end:g}' for end in ends)}: windows are from {self.maps.interval:g} to "
                             f"{self.intervals * self.maps.interval:g} s long, as the maps are")
        return sorted({int(end / self.maps.interval + 1e-9) for end in ends})

    def size(self):
        return len(self.names), len(self.maps.gauges), self.maps.x.size, self.intervals

    def say_memory(self, given):
        need, have = twin_factor.bytes_needed(*self.size()), given * 1e9 if given else available_memory()
        sensors, gauges, parameters, intervals = self.size()
        print(f"{sensors} sensors x {intervals} intervals = {sensors * intervals} data, {parameters} parameters, {gauges} gauges: "
              f"{need / 1e9:.3g} GB of memory at the peak, {8 * (sensors * intervals) ** 2 / 1e9:.3g} of them for the factor")
        if need > have:
            raise ValueError(f"{need / 1e9:.3g} GB are needed and {have / 1e9:.3g} GB may be used; leave sensors out (--without), make maps with longer "
                             "intervals or a coarser grid of parameters, or allow more with --memory")


def relative_noise(options, data):
    return (NOISE if options.noise is None else options.noise) * np.sqrt((data**2).mean())


def white_noise(options, data):
    """[Pa] without model error; None: not asked for on the command line and no data to choose it from."""
    return options.noise_pressure if options.noise_pressure is not None or data is None else relative_noise(options, data)


def noise_of(options, data):
    """Standard deviation of each sensor's noise and model error [Pa]; None as above."""
    given = white_noise(options, data)
    if given is None:
        return None
    own = options.model_error * np.sqrt((data**2).mean(0)) if data is not None else 0.0
    noise = np.hypot(given, own) * np.ones(1 if data is None else data.shape[1])
    if not (noise > 0).all():
        raise ValueError("the noise of a sensor is zero, so its data would have to be met exactly; give --noise-pressure above 0 or --without that sensor")
    return noise


def noise_window(problem, options, data):
    """Seconds of the data that the noise is relative to; 0: to none."""
    return 0.0 if data is None or (options.noise_pressure is not None and options.model_error == 0) else len(data) * problem.maps.interval


def chosen_noise(options):
    return options.noise is not None or options.noise_pressure is not None or options.fit_prior is not None


def check_floating(problem, options, other, changed):
    """Noise that was chosen for a factor beforehand is not lost because only the data have said which sensors are hydrophones."""
    if "floating" in changed and set(changed) <= {"maps", "floating"} and not chosen_noise(options):
        before, now = (f"the hydrophones {names}" if names else "no hydrophones" for names in (other["floating"], problem.about["floating"]))
        raise ValueError(f"it is of {before}, and --data and --floating say {now}, which do not ride on the floor; give one --floating where it is made and where it "
                         "is used, or --noise or --noise-pressure, and it is made anew")


def factor_of(problem, options, data):
    """From the file if it holds this problem's, else made, and kept in the file."""
    path, noise = options.factor, noise_of(options, data)
    if path and path.is_file():
        other = twin_factor.Factor.about_in(path)
        asked = {**problem.about, **({"model_error": options.model_error} if options.model_error_given else {})}
        changed = [key for key, value in asked.items() if other.get(key) != value]
        if not changed:
            start = time.perf_counter()
            factor = twin_factor.Factor.load(path)
            same = not chosen_noise(options) or (noise is not None and np.allclose(factor.noise, noise, rtol=1e-6))
            if same:
                print(f"factor: {path}, read in {time.perf_counter() - start:.2f} s; it took {duration(factor.seconds)} to make")
                return factor
            changed, factor = ["noise"], None  # two of them might not fit
        check_floating(problem, options, other, changed)
        print(f"factor: {path} is of other {', '.join(changed)} and is made anew")
    if noise is None:
        raise ValueError("without data there is nothing that --noise could be relative to; give --noise-pressure [Pa], or --data")
    about = {**problem.about, "model_error": 0.0 if data is None else options.model_error, "noise_window": noise_window(problem, options, data)}
    if about["noise_window"]:
        print(f"noise: {noise.min():.4g} to {noise.max():.4g} Pa, by the root mean square of {duration(about['noise_window'])} of data, also for shorter windows")
    factor = twin_factor.Factor.make(problem.observed, problem.maps.height, problem.prior, np.broadcast_to(noise, len(problem.names)).copy(), about)
    print(f"offline: {duration(factor.seconds)}")
    if path:
        factor.save(path)
        print(f"factor: {path}")
    return factor


def save_samples(path, problem, count, seed):
    """Motions that the prior holds likely, and what sensors and gauges see of them: what they look like says whether the prior is right."""
    random = np.random.default_rng(seed)
    sensors, gauges = twin_maps.Toeplitz(problem.observed), twin_maps.Toeplitz(problem.maps.height) if problem.maps.gauges else None
    with hdf5_when_whole(path) as file:
        for n in range(count):
            motion, group = problem.prior.sample(random), file.create_group(f"sample_{n}")
            group["displacement"] = problem.prior.displacement(motion).reshape(problem.prior.shape)
            group["pressure"] = sensors.apply(motion).T
            if gauges:
                group["height"] = gauges.apply(motion).T
            heights = f", heights to {np.abs(group['height'][:]).max():.3g} m" if gauges else ""
            print(f"prior sample {n}: displacement to {np.abs(group['displacement'][:]).max():.3g} m, pressure to "
                  f"{np.abs(group['pressure'][:]).max():.4g} Pa{heights}")
    print(path)


def read_data(problem, options, windows):
    """[interval, sensor] of the longest window, with the noise that is asked for, and how much that is [Pa]; None: a table may
    have noise of its own."""
    records = twin_maps.Records(options.data, options.observed)
    data, added = records.at(problem.maps.time[: windows[-1]], problem.names), None if records.table else 0.0
    records.check_places(problem.names, problem.places, problem.maps.attrs.get("projection"))
    if options.add_noise is not None:
        deviation = float(white_noise(options, data))
        added = None if records.table else deviation
        data = data + deviation * np.random.default_rng(options.add_noise).standard_normal(data.shape)
        print(f"noise of {deviation:.4g} Pa added to the data")
    return data, added


def tell(problem, posterior):
    print(f"{'window':>8s} {'misfit':>7s} {'log evidence':>12s} {'displacement [m]':>17s} {'its std [m]':>12s} {'forecast [m]':>13s} {'its std [m]':>12s}")
    for n, window in enumerate(posterior.windows):
        heights = (f"{np.abs(posterior.forecast[n]).max():13.3f} {posterior.forecast_std[n].max():12.3f}" if problem.maps.gauges else f"{'-':>13s} {'-':>12s}")
        print(f"{window * problem.maps.interval:6.4g} s {posterior.misfit[n]:7.3f} {posterior.evidence[n]:12.0f} "
              f"{np.abs(posterior.displacement[n]).max():17.3f} "
              f"{posterior.displacement_std[n].min():5.3f} - {posterior.displacement_std[n].max():5.3f}{heights}")
    data = posterior.windows[-1] * len(problem.names)
    if posterior.misfit[-1] > max(2, 1 + 4 * np.sqrt(2 / data)):  # of so many data the misfit has a standard deviation of sqrt(2 / data)
        print(f"warning: the misfit of {duration(posterior.windows[-1] * problem.maps.interval)} of data is {posterior.misfit[-1]:.3g} and not 1: prior and noise "
              "hold these data unlikely, and the intervals are too narrow; --fit-prior chooses both by the data")
    print(f"online: {1e3 * posterior.online:.0f} ms: " + ", ".join(f"{name} {1e3 * seconds:.0f}" for name, seconds in posterior.stages.items()))


def from_file(path):
    """Options as --fit-prior has written them, each as its option takes it."""
    def value_of(key, value):
        if isinstance(value, bool) or not isinstance(value, (int, float)):
            raise ValueError(f"{key} is {json.dumps(value)}, which is no number")
        try:
            return PRIOR[key](repr(value))
        except argparse.ArgumentTypeError as error:
            raise ValueError(f"{key}: {error}") from None

    try:
        values = json.loads(path.read_text(encoding="utf-8"))
        if not isinstance(values, dict) or set(values) != set(PRIOR):
            raise ValueError("it has other options than " + ", ".join(PRIOR))
        return {key: value_of(key, value) for key, value in values.items()}
    except (OSError, ValueError) as error:
        sys.exit(f"{PROGRAM}: --prior {path} is no file of --fit-prior: {plainly(error)}")


def fit_prior(problem, options, data):
    """--fit-prior: these options are used from here on, and written."""
    for key, value in twin_fit.fit(problem, options, data, white_noise(options, data)).items():
        setattr(options, key, value)
    problem.hold(options)
    write_whole(options.fit_prior, json.dumps({key: getattr(options, key) for key in PRIOR}, indent=1) + "\n")
    print(options.fit_prior)


def arguments():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("maps", type=pathlib.Path, help="maps.h5 of `agwave p2o`")
    parser.add_argument("--data", type=pathlib.Path, help="a run, its sensors.h5, or CSV; without: the offline part only")
    parser.add_argument("-o", "--output", type=pathlib.Path, default=pathlib.Path("posterior.h5"), help="result (default %(default)s)")
    parser.add_argument("--factor", type=pathlib.Path, metavar="FILE", help="keeps the offline part; made where it is missing or of other maps or options")
    parser.add_argument("--interval", type=positive, metavar="S", help="of samples and velocity, a multiple of the maps' (default: theirs)")
    parser.add_argument("--windows", type=numbers, metavar="T,T,...", help="seconds of data from t = 0 (default: as long as the maps are)")
    parser.add_argument("--observed", choices=("pressure", "sensor_pressure"), default="pressure",
                        help="pressure at a fixed point (default), or what a gauge reads that rides on the floor: less rho g times the uplift there")
    parser.add_argument("--floating", type=name_list, default=[], metavar="A,B",
                        help="what does not ride on the floor besides the hydrophones of maps and run, as in maps of before, which do not tell")
    parser.add_argument("--without", type=name_list, default=[], metavar="A,B", help="sensors to leave out; one with a comma in its name in double quotes")
    parser.add_argument("--noise", type=positive, metavar="PART", help=f"of the root mean square of all data (default {NOISE}, or the factor's own noise)")
    parser.add_argument("--noise-pressure", type=positive, metavar="PA", help="the same in Pa")
    parser.add_argument("--model-error", type=PRIOR["model_error"], metavar="PART", help=f"of each sensor's root mean square (default {MODEL_ERROR:g}, or the factor's own)")
    parser.add_argument("--velocity-std", type=PRIOR["velocity_std"], default=0.025, metavar="M/S", help="of the floor beforehand, see above (default %(default)g)")
    parser.add_argument("--correlation-length", type=PRIOR["correlation_length"], default=35000.0, metavar="M", help="in space (default %(default)g)")
    parser.add_argument("--smoothness", type=PRIOR["smoothness"], default=3.0, metavar="NU", help="in space (default %(default)g)")
    parser.add_argument("--duration", type=PRIOR["duration"], default=27.0, metavar="S",
                        help="in which what drives the floor falls by e (default %(default)g; inf: never)")
    parser.add_argument("--correlation-time", type=PRIOR["correlation_time"], default=14.0, metavar="S", help="in time (default %(default)g; 0: none)")
    parser.add_argument("--fit-prior", type=pathlib.Path, metavar="FILE", help="chooses these options by the log evidence of the data and writes them")
    parser.add_argument("--prior", type=pathlib.Path, metavar="FILE", help="takes them from there; those given beside it stand")
    parser.add_argument("--add-noise", type=whole_number, metavar="SEED", help="adds the noise that --noise or --noise-pressure says: for data of a run, which has none")
    parser.add_argument("--prior-samples", type=whole_number, default=0, metavar="N",
                        help=f"writes N motions that the prior holds likely into {SAMPLES} beside the result")
    parser.add_argument("--seed", type=whole_number, default=0, help="of these (default %(default)s)")
    parser.add_argument("--memory", type=positive_or_infinite, metavar="GB", help="that may be used (default: what the machine has free)")
    parser.add_argument("--json", type=pathlib.Path, metavar="FILE", help="sizes, seconds and misfits, for scripts")
    options = parser.parse_args()
    if options.fit_prior and not options.data:
        parser.error("--fit-prior chooses by data; give --data")
    if options.noise is not None and options.noise_pressure is not None:
        parser.error("--noise and --noise-pressure are the same noise, in parts of the data and in Pa; give one of them")
    if options.model_error and not options.data:
        parser.error("--model-error is relative to data; give --data, or a --noise-pressure that stands for both")
    written = options.output, options.factor, options.fit_prior, options.json
    check_outputs(parser, *written)
    samples = options.output.parent / SAMPLES if options.prior_samples else None
    spare(parser, [options.maps, options.data, options.prior], *written, samples)
    parser.set_defaults(model_error_given=options.model_error is not None, model_error=MODEL_ERROR)
    if options.prior:  # its model error is for other data, and no reason to make a factor anew
        parser.set_defaults(**from_file(options.prior))
    return parser.parse_args()


def run(options):
    problem = Problem(options)
    if options.prior_samples:
        save_samples(options.output.parent / SAMPLES, problem, options.prior_samples, options.seed)
        if not options.data and not options.factor:
            return
    if not options.data and not options.factor:
        raise ValueError("neither --data nor --factor is given: there is nothing to do")
    windows = problem.windows(options.windows)
    problem.say_memory(options.memory)
    with concerning(options.data):
        data, added = read_data(problem, options, windows) if options.data else (None, None)
    if options.fit_prior:
        fit_prior(problem, options, data)
    with concerning(options.factor or options.maps):
        factor = factor_of(problem, options, data)
    if data is None:
        return
    posterior = twin_posterior.Posterior(factor, twin_factor.Motion(problem.observed, problem.prior), data, windows)
    with concerning(options.factor or options.maps):
        posterior.check()
    tell(problem, posterior)
    twin_posterior.save(options.output, problem, factor, posterior, options.observed, added)
    if options.json:
        sensors, gauges, parameters, intervals = problem.size()
        write_whole(options.json, json.dumps({
            "sensors": sensors, "gauges": gauges, "parameters": parameters, "intervals": intervals, "offline_s": factor.seconds, "online_s": posterior.online,
            "online_mean_s": posterior.online_mean, "online_stages_s": posterior.stages, "windows_s": [problem.maps.interval * w for w in windows],
            "misfit": posterior.misfit, "log_evidence": posterior.evidence}, indent=1) + "\n")
    print(options.output)


def main():
    options = arguments()
    with concerning(options.maps):
        run(options)


if __name__ == "__main__":
    main()
