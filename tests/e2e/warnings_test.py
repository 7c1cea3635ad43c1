#!/usr/bin/env python3
"""No compiler warns of anything in an export.

  warnings_test.py --compiler=CXX:CC [--compiler=CXX:CC] N2D2 NET.ini

Exports the network in integers and floats, with a checked memory and with parts that delegates compute, and builds program and
both examples, some exports also with DISPATCH=1, with -O2 -march=native -fopenmp -Wall -Wextra -Werror. A variable that nobody uses is put into an export at the
end: the build must then fail, or nothing was checked. The first export and that with XNNPACK are built always, the others as
drawn.py says: what the tests build anyhow is built with -Wall -Wextra -Werror.
"""
import argparse
import subprocess
import sys
import tempfile
from pathlib import Path

from compiler_cache import ENVIRONMENT
from drawn import is_drawn

FLAGS = "-O2 -march=native -fopenmp -Wall -Wextra -Werror"
EXPORTS = [
    ("int8", "8", [], ""),
    ("int8 in fixed point", "8", ["-act-rescaling-mode", "Fixed-point32"], ""),
    ("int16", "16", [], ""),
    ("float", "-32", [], ""),
    ("int8, checked", "8", [], "CheckMemory=1\n"),
    ("int8 for size", "8", [], "Optimize=size\n"),
    ("int8 in turns", "8", [], "MemoryBudget=min\n"),
    ("int8 by rows", "8", [], "StreamInput=1\n"),
    ("int8 by loopback", "8", [], "Backend.loopback=1\nBackend.loopback.Layers=depthwise same more fc\n"),
    ("int8 by XNNPACK", "8", [], "Backend.xnnpack=1\n"),
]
DISPATCHED = ("int8", "int8 by rows")


def exported(arguments, bits, options, parameters, folder):
    (Path(folder) / "parameters.ini").write_text(parameters)
    calibration = [] if bits == "-32" else ["-calib", "20"]
    command = [arguments.n2d2, arguments.net, "-seed", "1", "-w", "/dev/null", "-export", "CPP", "-nbbits", bits,
               "-db-export", "1", "-export-parameters", "parameters.ini"]
    run = subprocess.run(command + calibration + options, cwd=folder, capture_output=True, text=True)
    if run.returncode != 0:
        sys.exit(f"{' '.join(command)}\n{run.stderr}")
    return next(Path(folder).glob("export_CPP_*"))


def built(project, compilers, *variables):
    cxx, cc = compilers.split(":")
    return subprocess.run(["make", "-s", "-j2", f"CXX={cxx}", f"CC={cc}", f"CXXFLAGS={FLAGS}", *variables, "build", "example"],
                          cwd=project, env=ENVIRONMENT, capture_output=True, text=True)


def problems(arguments):
    for name, bits, options, parameters in EXPORTS:
        if name not in ("int8", "int8 by XNNPACK") and not is_drawn(f"warnings {name}"):
            continue
        with tempfile.TemporaryDirectory(prefix="n2d2_warnings_") as folder:
            project = exported(arguments, bits, options, parameters, folder)
            for compilers in arguments.compiler:
                subprocess.run(["make", "-s", "clean"], cwd=project, check=True)
                make = built(project, compilers)
                if make.returncode != 0 or make.stderr:
                    yield f"{name}, {compilers}:\n{make.stderr}"
                for program in ("run_export", "example", "example_c"):
                    if make.returncode == 0 and not (project / "bin" / program).exists():
                        yield f"{name}, {compilers}: no bin/{program}"
                if name in DISPATCHED:
                    make = built(project, compilers, "DISPATCH=1")
                    if make.returncode != 0 or make.stderr:
                        yield f"{name}, {compilers}, DISPATCH=1:\n{make.stderr}"
            if name == "int8":
                yield from what_is_not_noticed(project, arguments.compiler)


def what_is_not_noticed(project, compilers_of):
    for source in ("dnn/src/forward.cpp", "main.cpp", "example.cpp", "example.c"):
        file = project / source
        content = file.read_text()
        file.write_text(content + "\nstatic int nobody_reads_this;\n")
        for compilers in compilers_of:
            if built(project, compilers).returncode == 0:
                yield f"{source}, {compilers}: a variable that nobody uses is not noticed"
        file.write_text(content)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("n2d2")
    parser.add_argument("net")
    parser.add_argument("--compiler", action="append", required=True)
    found = list(problems(parser.parse_args()))
    for problem in found:
        print(problem)
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
