#!/usr/bin/env python3
"""Answers: which share of what the processor can multiply do layers of each class reach?

  layer_shares.py --n2d2 PROGRAM --limit GMAC [--work FOLDER] [--isa NAME] [--repetitions N] [--rounds N]
                  [--layers]

Times each layer of what tests/bench/export_speed exported and compiled in the work folder (`run_export -time N`, one
thread; the least of all rounds), and prints per class of layer: products, microseconds, products per nanosecond, and
the share of the limit. The limit is the machine's own: products per nanosecond that its best instruction makes
on registers alone (one thread, 8 bits times 8 bits to 32).
"""
import argparse
import json
import os
import subprocess
import sys
from pathlib import Path

import figures

CLASSES = ("3 x 3 and larger, 64 and more channels", "3 x 3 and larger, fewer than 64 channels", "1 x 1",
           "first layer, 1 or 3 channels", "fully connected", "depthwise", "others")


def elements(shape):
    count = 1
    for size in shape:
        count *= size
    return count


def class_of(layer):
    """By what it multiplies: taps of the window times input channels of a group make products an output."""
    if layer["type"] == "Fc":
        return "fully connected"
    if not layer["mac"] or layer["type"] not in ("Conv", "Deconv"):
        return "others"
    channels = max(layer["inputs"][0][:-2] or [1])
    products = layer["mac"] // elements(layer["output"])
    if products % channels:
        return "depthwise"
    if channels in (1, 3):
        return "first layer, 1 or 3 channels"
    if products == channels:
        return "1 x 1"
    return CLASSES[0] if channels >= 64 else CLASSES[1]


def least_times(project, repetitions, rounds):
    """Least microseconds of each cell."""
    least = {}
    environment = dict(os.environ, OMP_NUM_THREADS="1")
    for _ in range(rounds):
        subprocess.run(["bin/run_export", "-nb", "1", "-time", str(repetitions), "-results", "times.json"], cwd=project,
                       env=environment, check=True, capture_output=True)
        for cell in json.loads((project / "times.json").read_text())["time"]:
            name = cell["cell"]
            least[name] = min(least.get(name, float("inf")), cell["min_us"])
    return least


def analysis(program, network, folder):
    text = subprocess.run([program, f"{network}.ini", "-analyze", "json", "-nbbits", "8"], cwd=folder, check=True,
                          capture_output=True, text=True).stdout
    return json.loads(text)["layers"]


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--n2d2", required=True, type=lambda p: Path(p).resolve())
    parser.add_argument("--limit", required=True, type=float, help="products per nanosecond")
    parser.add_argument("--work", default=Path("export_speed.work"), type=Path)
    parser.add_argument("--isa", default="native")
    parser.add_argument("--repetitions", type=int, default=30)
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--layers", action="store_true", help="print each layer, too")
    figures.add_option(parser)
    arguments = parser.parse_args()
    exports = arguments.work / ("exports" if arguments.isa == "native" else f"exports.{arguments.isa}")
    products, times = dict.fromkeys(CLASSES, 0), dict.fromkeys(CLASSES, 0.0)
    for folder in sorted(f for f in exports.iterdir() if f.is_dir()):
        least = least_times(folder / "export_CPP_int8", arguments.repetitions, arguments.rounds)
        total = least.pop("total")
        least.pop("env", None)  # taking the input, no layer
        for layer in analysis(arguments.n2d2, folder.name, folder):
            time = least.pop(layer["name"], None)
            if time is None:
                continue
            kind = class_of(layer)
            products[kind] += layer["mac"]
            times[kind] += time
            if arguments.layers:
                print(f"{folder.name:22} {layer['name']:14} {time:9.2f} us {layer['mac'] / time / 1000:7.1f} GMAC/s  "
                      f"{100 * time / total:4.1f} %  {kind}")
        if least:
            sys.exit(f"{folder.name}: timed, but no layer of the network: {', '.join(least)}")
    table = figures.Table("class", ("MMAC", "{:.1f}"), ("us", "{:.0f}"), ("GMAC/s", "{:.1f}"),
                          (f"share of {arguments.limit:g}", "{:.0f} %"))
    for kind in CLASSES:
        if times[kind]:
            rate = products[kind] / times[kind] / 1000
            table.add(kind, products[kind] / 1e6, times[kind], rate, 100 * rate / arguments.limit)
    figures.write(arguments.json, classes=table)
    return 0


if __name__ == "__main__":
    sys.exit(main())
