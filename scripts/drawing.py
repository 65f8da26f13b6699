# SPDX-License-Identifier: Apache-2.0
"""What several figures draw alike: names, sponges, and the columns of local steps."""
LEVELS = "#12324f", "#2f6f95", "#5fa9a4", "#a9c972", "#f0c94a", "#ec8a35", "#cf4a35", "#8c1d4f"  # from the longest step to the shortest


def plain(words):
    """A name or a title as it is: what stands between two $ is no mathematics."""
    return words.replace("$", r"\$")


def place_names(ax, sensors):
    """Puts each name above its sensor (name, x, y, colour), or where that runs over another name or marker, on another side or farther out; on the final layout."""
    from matplotlib.patheffects import withStroke
    halo = [withStroke(linewidth=2.2, foreground="white")]
    renderer = ax.figure.canvas.get_renderer()
    inside = ax.get_window_extent(renderer)
    points = ax.transData.transform([(px, py) for _, px, py, _ in sensors])
    taken = []
    for number, (name, px, py, color) in enumerate(sensors):
        sides = [(0, 5, "center", "bottom"), (0, -5, "center", "top"), (6, 0, "left", "center"), (-6, 0, "right", "center")]
        best, fewest = None, None
        for dx, dy, ha, va in [(r * a, r * b, h, v) for r in (1, 2.2) for a, b, h, v in sides]:
            label = ax.annotate(plain(name), (px, py), xytext=(dx, dy), textcoords="offset points", fontsize=7, color=color, ha=ha, va=va, fontweight="bold",
                                path_effects=halo, zorder=6)
            box = label.get_window_extent(renderer)
            overlaps = sum(box.overlaps(other) for other in taken)
            overlaps += sum(box.x0 - 4 < q[0] < box.x1 + 4 and box.y0 - 4 < q[1] < box.y1 + 4 for k, q in enumerate(points) if k != number)
            overlaps += 2 * (box.x0 < inside.x0 or box.x1 > inside.x1 or box.y0 < inside.y0 or box.y1 > inside.y1)
            if best is None or overlaps < fewest:
                if best is not None:
                    best.remove()
                best, fewest = label, overlaps
            else:
                label.remove()
            if fewest == 0:
                break
        taken.append(best.get_window_extent(renderer))


def draw_sponges(ax, strips):
    """Hatched dark on a light veil, so that strips (corner points each) are seen on any colours."""
    from matplotlib.patches import Polygon
    for number, corners in enumerate(strips):
        ax.add_patch(Polygon(corners, facecolor=(1, 1, 1, 0.22), edgecolor="none", zorder=3))
        ax.add_patch(Polygon(corners, facecolor="none", edgecolor=(1, 1, 1, 0.55), linewidth=2.4, zorder=3.1))
        ax.add_patch(Polygon(corners, facecolor="none", edgecolor=(0.07, 0.09, 0.15, 0.75), linewidth=0.8, hatch="///", zorder=3.2,
                             label=None if number else "sponge"))


def draw_levels(ax, local_steps):
    """The step of each patch of columns, over kilometres from the south-west corner; the legend tells what each level has. As summary.json has them."""
    import numpy as np
    from matplotlib.colors import ListedColormap, to_rgb
    from matplotlib.patches import Patch
    levels, patches = local_steps["levels"], local_steps["patches"]
    number = np.array([[int(digit, 16) for digit in row] for row in patches["level"]])
    places = np.linspace(0, len(LEVELS) - 1, max(len(levels), 2))
    anchors = np.array([to_rgb(color) for color in LEVELS])
    colors = np.transpose([np.interp(places, np.arange(len(LEVELS)), channel) for channel in anchors.T])
    ax.pcolormesh(np.array(patches["x_m"]) / 1e3, np.array(patches["y_m"]) / 1e3, number, cmap=ListedColormap(colors), vmin=-0.5, vmax=len(colors) - 0.5,
                  edgecolors=(1, 1, 1, 0.25), linewidth=0.3)
    words = [f"{level['step_s']:.3g} s: {level['columns']} columns, {100 * level['work_share']:.2g} % of the work" for level in levels]
    ax.legend([Patch(color=color) for color in colors[:len(levels)]], words, loc="upper left", bbox_to_anchor=(0, -0.11), ncol=2, frameon=False,
              fontsize=8.5, borderaxespad=0, handletextpad=0.5)


def sponge_strips(widths, x, y):
    """Corners [m] of the strips along west, east, south and north of a domain that reaches over x and y."""
    west, east, south, north = widths
    (x0, x1), (y0, y1) = (x[0], x[-1]), (y[0], y[-1])
    boxes = (west, x0, x0 + west, y0, y1), (east, x1 - east, x1, y0, y1), (south, x0, x1, y0, y0 + south), (north, x0, x1, y1 - north, y1)
    return [[(a, c), (b, c), (b, d), (a, d)] for width, a, b, c, d in boxes if width > 0]
