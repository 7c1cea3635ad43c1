#!/usr/bin/env python3
"""Times the kernels of two folders of headers beside each other, layer by layer.

  kernel_rows.py BEFORE AFTER [--flags="-O3 -march=native"] [--repeats=5]

BEFORE and AFTER are include folders, separated by commas: export/CPP/kernels of a source tree and
export/CPP/variants/generic of its build. Runs alternate; each layer shows the best time of each folder and their ratio, after / before.
"""
import argparse
import subprocess
import sys
import tempfile
from pathlib import Path

SOURCE = Path(__file__).resolve().parent / "kernel_rows.cpp"


def build(folders, flags, program):
    includes = [f"-I{folder}" for folder in folders.split(",")]
    subprocess.run(["g++", "-std=c++17", *flags.split(), *includes, str(SOURCE), "-o", str(program)], check=True)


def measure(program, best):
    for line in subprocess.run([str(program)], check=True, capture_output=True, text=True).stdout.splitlines():
        name, ns = line.rsplit(" ", 1)
        best[name] = min(best.get(name, float("inf")), float(ns))


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("before")
    parser.add_argument("after")
    parser.add_argument("--flags", default="-O3 -march=native")
    parser.add_argument("--repeats", type=int, default=5)
    arguments = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        programs = [Path(folder) / "before", Path(folder) / "after"]
        for headers, program in zip((arguments.before, arguments.after), programs):
            build(headers, arguments.flags, program)
        best = [{}, {}]
        for _ in range(arguments.repeats):
            for program, times in zip(programs, best):
                measure(program, times)
    print(f"{arguments.flags}\n{'before ns':>12} {'after ns':>12}  ratio  layer")
    for name, before in best[0].items():
        after = best[1][name]
        print(f"{before:12.0f} {after:12.0f}  {after / before:5.2f}  {name}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
