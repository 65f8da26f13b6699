#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Animates the sea surface of a run: an MP4 (needs the program ffmpeg) or a GIF, by the name of the output. A hundred frames take some
fifteen seconds and, as a GIF, four megabytes: --every and --dpi make it less.

Example:
    animate.py results/aleutian -o aleutian.mp4
    animate.py results/aleutian -o aleutian.gif --fps 8 --limit 0.5 --every 2
"""
import argparse
import pathlib
import subprocess
import sys

import common  # first: says which package is missing
import arguments
import drawing

import matplotlib

matplotlib.use("Agg")
import matplotlib.pyplot as plt
import numpy as np
import plot_surface
from matplotlib import animation
from matplotlib.colors import to_rgba
from PIL import Image


def write_gif(path, figure, draw, frames, fps, colors):
    """One palette for all frames: half of it the colour map, with its middle, then those of the sensors, the rest from the first frame, its text and
    lines. Pillow's own choice takes long and leaves out colours of the bar."""
    def picture(n):
        draw(n)
        figure.canvas.draw()
        return Image.fromarray(np.asarray(figure.canvas.buffer_rgba())).convert("RGB")

    wanted = [*plt.get_cmap(colors)(np.linspace(0, 1, 129)), *map(to_rgba, ("white", "black", *(color for _, _, color in plot_surface.KINDS.values())))]
    wanted = (255 * np.array(wanted)[:, :3]).round().astype(np.uint8)
    others = np.array(picture(frames[0]).quantize(256 - len(wanted)).getpalette(), dtype=np.uint8)
    palette = Image.new("P", (1, 1))
    palette.putpalette(np.concatenate([wanted.ravel(), others])[:3 * 256].tobytes())
    pictures = [picture(n).quantize(palette=palette, dither=Image.Dither.NONE) for n in frames]
    with common.named_when_whole(path) as part:
        pictures[0].save(part, format="GIF", save_all=True, append_images=pictures[1:], duration=1000 / fps, loop=0)


def write_mp4(path, figure, draw, frames, fps, dpi):
    writer = animation.FFMpegWriter(fps=fps, extra_args=["-pix_fmt", "yuv420p", "-vf", "pad=ceil(iw/2)*2:ceil(ih/2)*2", "-f", "mp4"])
    with common.named_when_whole(path) as part:
        try:
            animation.FuncAnimation(figure, draw, frames=frames, blit=False).save(part, writer=writer, dpi=dpi)
        except (BrokenPipeError, subprocess.CalledProcessError) as error:
            said = str(getattr(error, "stderr", None) or "").strip().splitlines()
            raise OSError("ffmpeg did not finish it" + (": " + said[-1] if said else "")) from None


def animate(file, groups, title, options):
    if "surface_height" not in file:
        raise ValueError("no snapshots in this file; set output.surface_interval")
    made = plot_surface.maps_made(file)
    frames = made[:: options.every]
    if len(frames) < 2:
        raise ValueError(f"{len(made)} snapshots are written; an animation needs two frames")
    heights, times, frame = file["surface_height"], file["time"][:], plot_surface.Frame(file)
    limit = options.limit or max(np.percentile(np.abs(heights[n]), 99.8) for n in frames) or 1.0
    shape = np.clip(np.ptp(frame.y) * frame.aspect / np.ptp(frame.x), 0.25, 2.0)
    figure, ax = plt.subplots(figsize=(9, 1.3 + 7.2 * shape), layout="constrained", facecolor="white", dpi=options.dpi)
    mesh = ax.pcolormesh(frame.x, frame.y, heights[0], cmap="RdBu_r", vmin=-limit, vmax=limit, shading="gouraud")
    plot_surface.draw_depth(ax, frame, file["depth"][:], "#4b5563")
    drawing.draw_sponges(ax, frame.sponges)
    named = plot_surface.draw_sensors(ax, frame, groups)
    frame.shape_axes(ax)
    ax.set_xlabel(frame.labels[0])
    ax.set_ylabel(frame.labels[1])
    ax.set_title(drawing.plain(title), loc="left", fontweight="bold")
    clock = ax.set_title("", loc="right", family="DejaVu Sans Mono", fontsize=10)
    figure.colorbar(mesh, cax=ax.inset_axes((1.02, 0, 0.022, 1)), label="surface height [m]", extend="both").outline.set_visible(False)

    def draw(n):
        mesh.set_array(heights[n])
        clock.set_text(common.duration(times[n]))
        return mesh, clock

    draw(0)
    figure.canvas.draw()
    drawing.place_names(ax, named)
    figure.set_layout_engine("none")  # the frames must not move
    if options.output.suffix.lower() == ".gif":
        return write_gif(options.output, figure, draw, frames, options.fps, "RdBu_r")
    write_mp4(options.output, figure, draw, frames, options.fps, options.dpi)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    plot_surface.add_arguments(parser, dpi=100)
    parser.add_argument("-o", "--output", type=pathlib.Path, default=pathlib.Path("surface.gif"), help=".mp4 or .gif (default surface.gif)")
    parser.add_argument("--fps", type=arguments.positive, default=10.0, help="frames per second (default 10)")
    parser.add_argument("--every", type=arguments.count, default=1, metavar="N", help="every N-th snapshot")
    options = parser.parse_args()
    arguments.check_outputs(parser, options.output)
    arguments.spare(parser, [options.run], options.output)
    kind = options.output.suffix.lower()
    if kind not in (".gif", ".mp4"):
        sys.exit(f"animate.py: -o {options.output}: give a name that ends with .gif or .mp4")
    if kind == ".mp4" and not animation.writers.is_available("ffmpeg"):
        sys.exit("animate.py: MP4 needs the program ffmpeg on the PATH; install it, or give a name that ends with .gif")
    if kind == ".gif" and not 0.01 <= options.fps <= 100:
        parser.error(f"--fps {options.fps:g}: a GIF counts hundredths of a second, and not for ever; give 0.01 to 100")
    plot_surface.on_surface(options, lambda file, groups, title: animate(file, groups, title, options))
    print(options.output)


if __name__ == "__main__":
    main()
