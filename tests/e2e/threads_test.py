#!/usr/bin/env python3
"""An export gives the same bytes on several threads, and really uses them.

  threads_test.py --compiler=g++ [--compiler=clang++-14] N2D2 NET.ini

Exports the network in 8 and 16 bits and floats and builds it with OpenMP. threads_probe.cpp, linked in, sees every thread that
enters a parallel region; none of its layers is too small for threads. The outputs of all layers on one thread and on four are compared byte by byte. 8 bits always, the others as drawn.py says.
"""
import argparse
import filecmp
import os
import re
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

from compiler_cache import ENVIRONMENT
from drawn import is_drawn

PROBE = Path(__file__).resolve().parent / "threads_probe.cpp"
BITS = ["8", "16", "-32"]


def exported(arguments, bits, folder):
    calibration = [] if bits == "-32" else ["-calib", "4"]
    command = [arguments.n2d2, arguments.net, "-seed", "1", "-w", "/dev/null", "-export", "CPP", "-nbbits", bits,
               "-db-export", "1"]
    subprocess.run(command + calibration, cwd=folder, check=True, stdout=subprocess.DEVNULL)
    return next(Path(folder).glob("export_CPP_*"))


def build(project, compiler):
    shutil.copy(PROBE, project / "src" / "threads_probe.cpp")
    makefile = project / "Makefile"
    text = makefile.read_text()
    if "threads_probe" not in text:
        makefile.write_text(text.replace("DRIVER := main.cpp", "DRIVER := main.cpp src/threads_probe.cpp"))
    subprocess.run(["make", "-s", "clean"], cwd=project, check=True)
    subprocess.run(["make", "-s", "-j2", f"CXX={compiler}", "CXXFLAGS=-O2 -Werror -DN2D2_THREADS_ALWAYS", "SAVE_OUTPUTS=1"], cwd=project,
                   env=ENVIRONMENT, check=True)


def run(project, threads):
    """How many threads computed, none for one without a parallel region, and the folder with the outputs of all layers."""
    outputs = project / "outputs"
    shutil.rmtree(outputs, ignore_errors=True)
    program = subprocess.run(["bin/run_export"], cwd=project, check=True, capture_output=True, text=True,
                             env=dict(os.environ, OMP_NUM_THREADS=str(threads), OMP_DYNAMIC="false", OMP_WAIT_POLICY="passive"))
    seen = re.search(r"threads that computed: (\d+)", program.stderr)
    kept = project / f"outputs_{threads}"
    shutil.rmtree(kept, ignore_errors=True)
    outputs.rename(kept)
    return int(seen.group(1)) if seen and "no parallel region" not in program.stderr else 0, kept


def problems(project, name):
    alone, expected = run(project, 1)
    together, found = run(project, 4)
    print(f"{name}: {alone} and {together} threads")
    if alone != 0:
        yield f"{name}: OMP_NUM_THREADS=1: expected no parallel region, {alone} threads were in some"
    if together != 4:
        yield f"{name}: OMP_NUM_THREADS=4: expected 4 threads, {together} computed"
    files = sorted(f.name for f in expected.iterdir())
    if len(files) < 4 or files != sorted(f.name for f in found.iterdir()):
        yield f"{name}: outputs of {files}, expected those of every layer"
    _, different, errors = filecmp.cmpfiles(expected, found, files, shallow=False)
    for file in different + errors:
        yield f"{name}: {file} differs between 1 thread and 4"


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("n2d2")
    parser.add_argument("net")
    parser.add_argument("--compiler", action="append", required=True)
    arguments = parser.parse_args()
    found = []
    for bits in BITS:
        if bits != BITS[0] and not is_drawn(f"threads {bits}"):
            continue
        with tempfile.TemporaryDirectory(prefix="n2d2_threads_") as folder:
            project = exported(arguments, bits, folder)
            # Threads differ by the run time of the compiler, not by the width: one width has them all.
            for compiler in arguments.compiler if bits == BITS[0] else arguments.compiler[:1]:
                build(project, compiler)
                found += problems(project, f"{bits} bits, {compiler}")
    for problem in found:
        print(problem)
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
