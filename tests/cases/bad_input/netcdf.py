# SPDX-License-Identifier: Apache-2.0
"""Small netCDF files in the classic format, written without a library."""
import struct


def classic(path, x, y, value, name="elevation", units="m", axes=("x", "y"), axis_units=("m", "m")):
    """name(y, x) with its axes; every value a double, so nothing needs padding but names."""
    def word(text):
        raw = text.encode()
        return struct.pack(">i", len(raw)) + raw + b"\0" * (-len(raw) % 4)

    data = [value(a, b) for b in y for a in x]
    variables = [(axes[1], [0], axis_units[1], list(y)), (axes[0], [1], axis_units[0], list(x)), (name, [0, 1], units, data)]

    def header(begins):
        out = b"CDF\x01" + struct.pack(">iii", 0, 10, 2)
        out += word(axes[1]) + struct.pack(">i", len(y)) + word(axes[0]) + struct.pack(">i", len(x))
        out += struct.pack(">iiii", 0, 0, 11, len(variables))
        for (label, dims, unit, data), begin in zip(variables, begins):
            attribute = struct.pack(">ii", 12, 1) + word("units") + struct.pack(">i", 2) + word(unit)
            out += word(label) + struct.pack(">i", len(dims)) + b"".join(struct.pack(">i", d) for d in dims) + attribute
            out += struct.pack(">iii", 6, 8 * len(data), begin)
        return out

    begins, at = [], len(header([0] * len(variables)))
    for variable in variables:
        begins.append(at)
        at += 8 * len(variable[3])
    path.write_bytes(header(begins) + b"".join(struct.pack(f">{len(v[3])}d", *v[3]) for v in variables))


def nodes(start, end, count):
    return [start + (end - start) * i / (count - 1) for i in range(count)]
