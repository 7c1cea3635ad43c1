#!/usr/bin/env python3
"""Exports of one model are the same trees on every processor when the calibration is given.

  same_tree_test.py [--qemu=PROGRAM] N2D2 NET.ini [ARGUMENT ...]

Measures on this machine, then exports into a copy of the folder with -calib-reload: natively, with the instructions of an older
processor (oneDNN, the kernels that run in process, and the C library are told so), and with --qemu in an emulated Nehalem,
which is asked for AVX2 kernels and must say that it has none. Every file must have the same bytes. The first of three exports
is always made, the others as drawn.py says. What is measured anew with other instructions is compared, too, and may differ.
"""
import argparse
import filecmp
import os
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

from drawn import is_drawn

OLDER = {"ONEDNN_MAX_CPU_ISA": "SSE41", "DNNL_MAX_CPU_ISA": "SSE41", "N2D2_HOST_ISA": "baseline",
         "GLIBC_TUNABLES": "glibc.cpu.hwcaps=-AVX512F,-AVX2,-FMA,-FMA4,-AVX"}
LACKING = {"N2D2_HOST_ISA": "avx2"}
LACKING_SAID = "N2D2_HOST_ISA=avx2: this processor does not have it; kernels run with baseline"
# The first one is emulated, too.
EXPORTS = [["-nbbits", "8"], ["-nbbits", "8", "-act-rescaling-mode", "Fixed-point32"], ["-nbbits", "16"]]


def export(arguments, options, folder, environment, emulator=()):
    command = [*emulator, arguments.n2d2, arguments.net, "-seed", "1", *arguments.arguments, "-export", "CPP", "-calib", "-1",
               "-db-export", "10", *options]
    run = subprocess.run(command, cwd=folder, env=dict(os.environ, **environment), capture_output=True, text=True)
    if run.returncode != 0:
        sys.exit(f"{' '.join(command)}\n{run.stdout}{run.stderr}")
    return next(Path(folder).glob("export_CPP_*")), run.stderr


def files_of(tree):
    return sorted(p.relative_to(tree).as_posix() for p in tree.rglob("*") if p.is_file())


def differences(first, second):
    names = files_of(first)
    if names != files_of(second):
        return sorted(set(names) ^ set(files_of(second)))
    _, different, errors = filecmp.cmpfiles(first, second, names, shallow=False)
    return different + errors


def problems(arguments, options, work):
    machines = [("this machine", {}, ()), ("older instructions", OLDER, ())]
    if arguments.qemu and options == EXPORTS[0]:
        machines.append(("emulated Nehalem", LACKING, (arguments.qemu, "-cpu", "Nehalem")))
    measured = work / "measured"
    measured.mkdir()
    tree, _ = export(arguments, options, measured, {})
    for number, (name, environment, emulator) in enumerate(machines):
        folder = work / str(number)
        shutil.copytree(measured, folder)
        again, said = export(arguments, [*options, "-calib-reload"], folder, environment, emulator)
        changed = differences(tree, again)
        print(f"{' '.join(options)}: {name}, calibration given: {len(changed)} of {len(files_of(tree))} files differ")
        if changed:
            yield f"{' '.join(options)}: {name}: these differ: {' '.join(changed)}"
        if (environment is LACKING) != (LACKING_SAID in said):
            yield f"{' '.join(options)}: {name}: expected the line '{LACKING_SAID}' where AVX2 is lacking, and there alone:\n{said}"
    anew = work / "anew"
    anew.mkdir()
    changed = differences(tree, export(arguments, options, anew, OLDER)[0])
    print(f"{' '.join(options)}: older instructions, measured anew: {len(changed)} files differ")
    # Else nothing was told to anyone, and the comparison above says nothing.
    if not any(name.startswith("statistics/calibration/") for name in changed):
        yield f"{' '.join(options)}: with older instructions the same is measured: they were not used"


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--qemu")
    parser.add_argument("n2d2")
    parser.add_argument("net")
    parser.add_argument("arguments", nargs="*")
    arguments = parser.parse_args()
    found = []
    for options in EXPORTS:
        if options != EXPORTS[0] and not is_drawn(f"same tree {' '.join(options)}"):
            continue
        with tempfile.TemporaryDirectory(prefix="n2d2_same_tree_") as folder:
            found += list(problems(arguments, options, Path(folder)))
    for problem in found:
        print(problem)
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
