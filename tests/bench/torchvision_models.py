#!/usr/bin/env python3
"""Do networks of torchvision become int8 and float programs that compute what was computed before they were written?

Each network is written by torchvision_write.py with random weights, exported from the command line alone with 24 pictures,
compiled, and run: every layer must equal the reference values of the export. Beside it stands how far the integers are from
the floats: the signal-to-noise ratio of the scores of one picture in dB. Exit status 1 when an export fails or
differs.

    tests/bench/torchvision_models.py --n2d2 <build>/src/app/n2d2 [--work DIR] [--only darknet,...]

Needs python3-torchvision in Debian's interpreter (/usr/bin/python3).
"""
import argparse
import math
import re
import sys
from pathlib import Path

import figures
from commands import Failure, compared_layers, number, run

WRITE = Path(__file__).resolve().parent / "torchvision_write.py"
NAMES = ["efficientnet_b0", "mobilenet_v3_small", "regnet_y_400mf", "densenet121", "googlenet", "darknet"]
STIMULI = 4


def export(arguments, folder, name, bits):
    """The log of the export, and the scores of the first stimulus."""
    text = run([arguments.n2d2, f"{name}.onnx", "-export", "CPP", "-nbbits", bits, "-db-export", STIMULI,
                "-calib-dir", "pictures", "-preset", "imagenet-torch"], folder, f"export_{bits}.log")
    project = folder / ("export_CPP_float32" if bits < 0 else f"export_CPP_int{bits}")
    return text, scores_of(project, compared_layers(project)[-1])


def scores_of(project, layer):
    """Reals of the last layer, of its reference values and the scale in env.hpp."""
    environment = (project / "dnn" / "include" / "env.hpp").read_text()
    scale = re.search(r"OUTPUTS_SCALE\[\w+\] = \{ ([0-9.e+-]+)f", environment)
    values = re.findall(r"^(-?[0-9.]\S*)$", (project / "reference" / "env0" / f"{layer}.txt").read_text(), re.M)
    return [float(v) * (float(scale.group(1)) if scale else 1) for v in values if not v.endswith(":")]


def noise(exact, rounded):
    """10 log10 of signal over noise."""
    error = sum((a - b) ** 2 for a, b in zip(exact, rounded))
    return 10 * math.log10(sum(a * a for a in exact) / error) if error > 0 else math.inf


def measure(arguments, name):
    folder = arguments.work / name
    folder.mkdir(parents=True, exist_ok=True)
    if not (folder / f"{name}.onnx").exists():
        run(["/usr/bin/python3", WRITE, folder, name], folder, "write.log")
    integers, integer_scores = export(arguments, folder, name, 8)
    _, float_scores = export(arguments, folder, name, -32)
    ram = number(r"RAM: ([0-9.]+) KiB", integers)
    bound = number(r"lower bound ([0-9.]+) KiB", integers)
    weights = number(r"Weights: ([0-9.]+) KiB", integers)
    decibels = noise(float_scores, integer_scores)
    return name, "yes", "yes", ram, bound, weights, decibels


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--n2d2", type=Path, required=True)
    parser.add_argument("--work", type=Path, default=Path("torchvision_models"))
    parser.add_argument("--only", help="names of some of them")
    figures.add_option(parser)
    arguments = parser.parse_args()
    arguments.n2d2 = arguments.n2d2.resolve()
    arguments.work = arguments.work.resolve()
    table = figures.Table("network", "int8 runs equal", "float runs equal", ("RAM KiB", "{:.1f}"),
                          ("lower bound", "{:.1f}"), ("weights KiB", "{:.0f}"), ("dB", "{:.1f}"))
    failed = False
    for name in arguments.only.split(",") if arguments.only else NAMES:
        try:
            table.add(*measure(arguments, name))
        except Failure as failure:
            failed = True
            print(f"{name}: {failure}", flush=True)
    figures.write(arguments.json, networks=table)
    sys.exit(failed)


main()
