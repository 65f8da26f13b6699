# SPDX-License-Identifier: Apache-2.0
"""The low-pass of records, which files hold unfiltered."""
from common import written_samples  # first: says which package is missing

import math

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
