#!/usr/bin/env python3
"""Holds exported programs to the stack that their mem_info.hpp promises.

  stack_test.py [--compiler=g++] [--cortex=arm-none-eabi-g++] N2D2 NET.ini

Exports the network in integers and floats, for speed and for size, compiles the inference part for the baseline at -Os, -O2 and -O3,
with the static arena and as an instance, and, with --cortex, for two processors, and adds up the frames along every chain of calls
from propagate(). Exit 1 where they are more than STACK_SIZE. The first export and the one in floats for size are measured always,
the others as drawn.py says.
"""
import argparse
import itertools
import re
import subprocess
import sys
import tempfile
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent.parent / "kernels"))
import stack_test as stack  # noqa: E402
from drawn import is_drawn  # noqa: E402

SIZE = ["-export-parameters", "size.ini"]
LEVELS = ("-Os", "-O2", "-O3")
CORTEX = {"M0+": ["-mcpu=cortex-m0plus", "-mthumb"], "M55": ["-mcpu=cortex-m55", "-mthumb", "-mfloat-abi=hard"]}
# What the compiler calls for floats and division on processors without instructions for them; their stack is the library's.
LIBRARY = "__aeabi_"
EXPORTS = [("8", []), ("8", ["-act-rescaling-mode", "Fixed-point32"]), ("16", []), ("-32", []),
           ("8", SIZE), ("-32", SIZE)]
FORMS = ("dnn/src/forward.cpp", "dnn/src/instance.cpp")
# What callers of the export plug in.
CALLBACKS = {"__indirect_call"}


def exported(arguments, bits, options, folder):
    (Path(folder) / "size.ini").write_text("Optimize=size\n")
    calibration = [] if bits == "-32" else ["-calib", "20"]
    command = [arguments.n2d2, arguments.net, "-seed", "1", "-w", "/dev/null", "-export", "CPP", "-nbbits", bits,
               "-db-export", "1"]
    subprocess.run(command + calibration + options, cwd=folder, check=True, stdout=subprocess.DEVNULL)
    return next(Path(folder).glob("export_CPP_*"))


def builds(arguments):
    """Names, compilers with their options, levels and sources."""
    for level, form in itertools.product(LEVELS, FORMS):
        yield f"{level} {form}", arguments.compiler, [], level, form
    if arguments.cortex:
        for (name, options), level in itertools.product(CORTEX.items(), LEVELS):
            yield f"Cortex-{name} {level}", arguments.cortex, options, level, FORMS[0]


def deepest(project, compiler, options, level, form):
    with tempfile.TemporaryDirectory() as folder:
        for source in (form, "src/Network.cpp"):
            stack.compiled(compiler, project / source, level, Path(folder), ["-fno-rtti", *options])
        frames, _, calls = stack.call_graph(Path(folder))
    problems = []
    depths = [stack.depth(t, frames, calls, problems) for t in frames if "propagate" in t and frames[t] is not None]
    if len(depths) != 1:
        sys.exit(f"{len(depths)} functions are called propagate")
    unknown = [(p, p.split(" calls ")[1].split(",")[0]) for p in problems]
    return depths[0], [p for p, callee in unknown if callee not in CALLBACKS and not callee.startswith(LIBRARY)]


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("n2d2")
    parser.add_argument("net")
    parser.add_argument("--compiler", default="g++")
    parser.add_argument("--cortex")
    arguments = parser.parse_args()
    failed = False
    for bits, options in EXPORTS:
        if (bits, options) not in (EXPORTS[0], EXPORTS[-1]) and not is_drawn(f"stack {bits} {' '.join(options)}"):
            continue
        with tempfile.TemporaryDirectory(prefix="n2d2_stack_") as folder:
            project = exported(arguments, bits, options, folder)
            promised = int(re.search(r"STACK_SIZE = (\d+)", (project / "dnn/include/mem_info.hpp").read_text()).group(1))
            for name, compiler, flags, level, form in builds(arguments):
                depth, problems = deepest(project, compiler, flags, level, form)
                print(f"{bits} bits {' '.join(options)} {name}: {depth} of {promised} bytes")
                for problem in problems:
                    print(f"  {problem}")
                failed = failed or depth > promised or bool(problems)
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
