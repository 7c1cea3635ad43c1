#!/usr/bin/env python3
"""An export for AArch64 gives the framework's bytes with each of its instruction sets, under emulation.

  aarch64_test.py --compiler=aarch64-linux-gnu-g++ --qemu=qemu-aarch64 N2D2 NET.ini

Exports the network for arm64, builds it for each ISA= of the Makefile and runs it on an emulated processor that has no more than
that: every cell's output must be the reference's (-compare) and the self test must pass, which is left alone by the compiler.
A packed weight is another at the end: both must then fail on the forms that read packed weights, or those were not run. i8mm and portable
always, the others as drawn.py says.
"""
import argparse
import re
import subprocess
import sys
import tempfile
from pathlib import Path

from compiler_cache import ENVIRONMENT
from drawn import is_drawn

# ISA= and processor; the first reads plain weights.
ISAS = {"portable": "cortex-a53", "neon": "cortex-a53", "dotprod": "cortex-a76", "i8mm": "max"}
EXPORTS = [("floating point", [], ISAS), ("fixed point", ["-act-rescaling-mode", "Fixed-point32"], ["dotprod"])]
FLAGS = "-O1 -Wall -Wextra -Werror"
SELF_TEST = """#include "include/Network.hpp"
using namespace N2D2_Export;
static Target_T classes[OUTPUTS_TOTAL];
int main() { return self_test(classes).cell >= 0; }
"""
PACKED = re.compile(r"(#if defined\(N2D2_PACKED\).*?\{\s*)(-?\d+)", re.DOTALL)


def exported(arguments, options, folder):
    (Path(folder) / "parameters.ini").write_text("Target=arm64\n")
    command = [arguments.n2d2, arguments.net, "-seed", "1", "-w", "/dev/null", "-export", "CPP", "-nbbits", "8", "-calib", "20",
               "-db-export", "1", "-export-parameters", "parameters.ini", *options]
    run = subprocess.run(command, cwd=folder, capture_output=True, text=True)
    if run.returncode != 0:
        sys.exit(f"{' '.join(command)}\n{run.stderr}")
    return next(Path(folder).glob("export_CPP_*"))


def problem_of(project, isa, arguments):
    """What the program and its self test say, or nothing."""
    make = ["make", "-s", "-j2", "OPENMP=0", f"CXX={arguments.compiler}", f"ISA={isa}", f"CXXFLAGS={FLAGS}", "LDFLAGS=-static"]
    build = subprocess.run(make, cwd=project, env=ENVIRONMENT, capture_output=True, text=True)
    if build.returncode != 0 or build.stderr:
        return f"make ISA={isa}: {build.stderr}"
    objects = [str(o) for o in (project / "build").rglob("*.o") if o.name != "main.o"]
    (project / "self_test.cpp").write_text(SELF_TEST)
    subprocess.run([arguments.compiler, "-std=c++11", "-static", "self_test.cpp", *objects, "-o", "self_test"], cwd=project,
                   env=ENVIRONMENT, check=True)
    emulator = [arguments.qemu, "-cpu", ISAS[isa]]
    compare = subprocess.run([*emulator, "bin/run_export", "-compare", "reference"], cwd=project, capture_output=True, text=True)
    alone = subprocess.run([*emulator, "./self_test"], cwd=project, capture_output=True, text=True)
    if compare.returncode != 0 or alone.returncode != 0:
        return f"ISA={isa}: -compare {compare.returncode}, self test {alone.returncode}\n{compare.stdout}{compare.stderr}"
    return None


def with_another_weight(project):
    """Changes the first packed weight of the first cell that has some."""
    for cell in sorted((project / "dnn" / "src" / "cells").glob("*.cpp")):
        text = cell.read_text()
        changed = PACKED.sub(lambda m: m.group(1) + str(-100 if int(m.group(2)) > 0 else 100), text, count=1)
        if changed != text:
            cell.write_text(changed)
            return
    sys.exit("no cell has packed weights")


def problems(arguments):
    for name, options, isas in EXPORTS:
        if options and not is_drawn(f"aarch64 {name} dotprod"):
            continue
        with tempfile.TemporaryDirectory(prefix="n2d2_aarch64_") as folder:
            project = exported(arguments, options, folder)
            for isa in isas:
                if isa in ("neon", "dotprod") and not is_drawn(f"aarch64 {name} {isa}"):
                    continue
                if problem := problem_of(project, isa, arguments):
                    yield f"{name}: {problem}"
            if options:
                continue
            with_another_weight(project)
            for isa in ("i8mm", "portable"):
                if (problem_of(project, isa, arguments) is None) != (isa == "portable"):
                    yield f"{name}, ISA={isa}: another packed weight is {'' if isa == 'portable' else 'not '}noticed"


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("n2d2")
    parser.add_argument("net")
    parser.add_argument("--compiler", required=True)
    parser.add_argument("--qemu", required=True)
    found = list(problems(parser.parse_args()))
    for problem in found:
        print(problem)
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
