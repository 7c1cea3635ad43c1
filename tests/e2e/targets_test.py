#!/usr/bin/env python3
"""A project for one machine, compiled for another: right bytes with every instruction set, or none at all.

  targets_test.py [--cross=COMPILER --emulator=QEMU] N2D2 NET.ini

Exports the network once for each Target of the export, compiles it by its own Makefile for each instruction set of this machine
and, with --cross, of AArch64, and compares every cell with the reference. A compiler that refuses must name Target. Four of the
fifteen builds are always tried, the others as drawn.py says.
"""
import argparse
import subprocess
import sys
import tempfile
from pathlib import Path

from compiler_cache import ENVIRONMENT
from drawn import is_drawn

TARGETS = ("generic", "x86", "arm64", "cortex-m")
FLAGS = "-O1"
# ISA= of the Makefile, what /proc/cpuinfo calls its last extension. Other tests try the Target of the machine itself at length.
X86 = [("avx2", "avx2"), ("avx512vnni", "avx512_vnni")]
AARCH64 = [("neon", "cortex-a53"), ("i8mm", "max")]


def exported(arguments, target, folder):
    (Path(folder) / "parameters.ini").write_text(f"Target={target}\n")
    command = [arguments.n2d2, arguments.net, "-seed", "1", "-w", "/dev/null", "-export", "CPP", "-nbbits", "8", "-calib", "20",
               "-db-export", "1", "-export-parameters", "parameters.ini"]
    run = subprocess.run(command, cwd=folder, capture_output=True, text=True)
    if run.returncode != 0:
        sys.exit(f"{' '.join(command)}\n{run.stderr}")
    return next(Path(folder).glob("export_CPP_*"))


def problem_of(project, options, emulator):
    """What is wrong, or nothing."""
    make = ["make", "-s", "-j2", "OPENMP=0", f"CXXFLAGS={FLAGS}", *options]
    build = subprocess.run(make, cwd=project, env=ENVIRONMENT, capture_output=True, text=True)
    if build.returncode != 0:
        return None if "#error" in build.stderr and "Target=" in build.stderr else f"does not compile: {build.stderr}"
    run = subprocess.run([*emulator, "bin/run_export", "-compare", "reference"], cwd=project, capture_output=True, text=True)
    return None if run.returncode == 0 else f"-compare {run.returncode}\n{run.stdout}{run.stderr}"


def builds(arguments, target):
    """Options of make and how its program is run."""
    features = Path("/proc/cpuinfo").read_text().split()
    if target in ("arm64", "cortex-m"):
        for isa, feature in X86:
            if feature in features:
                yield [f"ISA={isa}"], []
        if "avx2" in features:
            yield ["DISPATCH=1"], []
    if arguments.cross and target != "arm64":
        for isa, processor in AARCH64:
            yield [f"ISA={isa}", f"CXX={arguments.cross}", "LDFLAGS=-static"], [arguments.emulator, "-cpu", processor]


def is_always_tried(target, options):
    """An export for the other machine, by the best instruction set and by all in one program; one for any machine."""
    return (target, options[0]) in (("arm64", "ISA=avx512vnni"), ("arm64", "DISPATCH=1"), ("x86", "ISA=neon"), ("generic", "ISA=i8mm"))


def problems(arguments):
    for target in TARGETS:
        with tempfile.TemporaryDirectory(prefix="n2d2_targets_") as folder:
            project = exported(arguments, target, folder)
            for options, emulator in builds(arguments, target):
                if not is_always_tried(target, options) and not is_drawn(f"{target} {' '.join(options)}"):
                    continue
                if problem := problem_of(project, options, emulator):
                    yield f"Target={target}, {' '.join(options)}: {problem}"


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("n2d2")
    parser.add_argument("net")
    parser.add_argument("--cross")
    parser.add_argument("--emulator")
    found = list(problems(parser.parse_args()))
    for problem in found:
        print(problem)
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
