#!/usr/bin/env python3
"""Holds the kernels that ship to the stack that plane.hpp promises (kStackBytes).

  stack_test.py [--compiler=g++] [--vector=BYTES] [--calls=PROGRAM] INCLUDE_FOLDER ...

Compiles stack_kernels.cpp, and what PROGRAM prints, for the baseline at -O2 and -O3 and adds up the frames along every chain of calls. Exit 1
with the deepest layers above the number, or if a frame has no bound or calls what is not known to need no stack of note.
"""
import argparse
import re
import subprocess
import sys
import tempfile
from pathlib import Path

SOURCE = Path(__file__).resolve().parent / "stack_kernels.cpp"
# What the compiler may call: rounding and copies of the C library.
LEAVES = {"rintf", "memcpy", "memset", "memmove"}
# The machine's mathematical functions, in float networks only: their stack is the library's, not ours.
LEAVES |= {"expf", "expm1f", "log1pf", "logf", "powf", "tanhf", "erff", "erfcf", "fabsf", "sqrtf"}

NODE = re.compile(r'node: \{ title: "([^"]+)" label: "([^"]*)"')
EDGE = re.compile(r'edge: \{ sourcename: "([^"]+)" targetname: "([^"]+)"')
BYTES = re.compile(r"\\n(\d+) bytes \(([\w,]+)\)")


def promised(folders):
    for folder in folders:
        header = Path(folder) / "plane.hpp"
        if header.exists():
            return int(re.search(r"kStackBytes = (\d+)", header.read_text()).group(1))
    sys.exit("plane.hpp is in none of the folders")


def compiled(compiler, source, level, folder, options):
    """Compiles one file for the baseline; its call graph lies beside the object."""
    subprocess.run([compiler, "-std=c++11", level, "-c", str(source), "-DN2D2_PORTABLE", "-fcallgraph-info=su", "-fno-exceptions",
                    "-fsigned-char", "-o", str(folder / (Path(source).stem + ".o"))] + options, check=True)


def call_graph(folder):
    """frames: title -> (bytes, kind), None where they are not known; names; calls: title -> titles"""
    frames, names, calls = {}, {}, {}
    for file in folder.glob("*.ci"):
        text = file.read_text()
        for title, label in NODE.findall(text):
            frame = BYTES.search(label)
            if frame or title not in frames:
                names[title] = label.split("\\n")[0]
                frames[title] = (int(frame.group(1)), frame.group(2)) if frame else None
        for caller, callee in EDGE.findall(text):
            calls.setdefault(caller, set()).add(callee)
    return frames, names, calls


def depth(title, frames, calls, problems, path=()):
    if title in path:
        problems.append(f"{title} calls itself")
        return 0
    if frames.get(title) is None:
        if title not in LEAVES:
            problems.append(f"{path[-1]} calls {title}, whose stack is not known")
        return 0
    size, kind = frames[title]
    if kind not in ("static", "dynamic,bounded"):
        problems.append(f"{title}: its frame is {kind}")
    return size + max([depth(c, frames, calls, problems, path + (title,)) for c in calls.get(title, ())], default=0)


def sources(calls, folder):
    if not calls:
        return [SOURCE]
    printed = folder / "kernel_calls.cpp"
    printed.write_text(subprocess.run([calls], check=True, capture_output=True, text=True).stdout)
    return [SOURCE, printed]


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folders", nargs="+")
    parser.add_argument("--compiler", default="g++")
    parser.add_argument("--vector", type=int)
    parser.add_argument("--calls")
    arguments = parser.parse_args()
    limit = promised(arguments.folders)
    failed = False
    for level in ("-O2", "-O3"):
        with tempfile.TemporaryDirectory() as folder:
            options = [f"-DN2D2_VECTOR={arguments.vector}"] if arguments.vector is not None else []
            for source in sources(arguments.calls, Path(folder)):
                compiled(arguments.compiler, source, level, Path(folder), options + [f"-I{f}" for f in arguments.folders])
            frames, names, calls = call_graph(Path(folder))
        problems = []
        depths = {t: depth(t, frames, calls, problems) for t in frames if frames[t] is not None}
        deepest = sorted(depths, key=depths.get, reverse=True)
        print(f"{level}: {len(depths)} functions, at most {depths[deepest[0]]} of {limit} bytes in {names[deepest[0]]}")
        for title in deepest:
            if depths[title] > limit:
                print(f"  {depths[title]} bytes: {names[title]}")
        for problem in sorted(set(problems)):
            print(f"  {problem}")
        failed = failed or bool(problems) or depths[deepest[0]] > limit
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
