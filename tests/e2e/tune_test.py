#!/usr/bin/env python3
"""-tune: forms are timed in programs that are compiled, the file of times decides, the same file gives the same bytes.

Where a test needs times it writes them: nothing here depends on how fast this machine is.
"""
import argparse
import csv
import filecmp
import hashlib
import json
import os
import subprocess
import sys
import tempfile
from pathlib import Path

NETWORK = """DefaultModel=Frame
[database]
Type=Glyphs_Database
Learn=24
Validation=0
Test=6
Width=16
Height=16
[sp]
SizeX=16
SizeY=16
BatchSize=8
[conv]
Input=sp
Type=Conv
KernelDims=3 3
NbOutputs=8
ActivationFunction=Rectifier
[deep]
Input=conv
Type=Conv
KernelDims=3 3
NbOutputs=8
Mapping.ChannelsPerGroup=1
[fc]
Input=deep
Type=Fc
NbOutputs=10
[fc.Target]
"""
OPEN = {"conv": {"packed", "dot"}, "deep": {"rows", "pixels", "dot"}, "fc": {"packed", "dot"}}
problems = []


def expect(holds, what):
    if not holds:
        problems.append(what)


def no_make(folder):
    """A PATH on which make fails, and says so."""
    (folder / "bin").mkdir()
    make = folder / "bin" / "make"
    make.write_text("#!/bin/sh\necho no make here\nexit 3\n")
    make.chmod(0o755)
    return {**os.environ, "PATH": f"{folder / 'bin'}:{os.environ['PATH']}"}


class Run:
    def __init__(self, n2d2, folder, *options, env=None):
        done = subprocess.run([n2d2, "net.ini", "-seed", "1", "-w", "/dev/null", "-export", "CPP", "-nbbits", "8", "-calib",
                               "-1", "-db-export", "1", *options], cwd=folder, env=env, capture_output=True, text=True)
        self.code, self.said = done.returncode, done.stdout + done.stderr


def forms(folder):
    with open(folder / "export_CPP_int8/statistics/kernels.csv", newline="") as file:
        return {row["layer"]: row for row in csv.DictReader(file)}


def same_tree(a, b):
    compared = filecmp.dircmp(a, b)
    return (not compared.left_only and not compared.right_only and not compared.funny_files
            and not filecmp.cmpfiles(a, b, compared.common_files, shallow=False)[1]
            and all(same_tree(a / name, b / name) for name in compared.common_dirs))


def rewritten(times, faster):
    """The file with other times: `faster` takes 1 to 2 us, everything else 5 to 6."""
    lines = times.splitlines()
    for i in range(4, len(lines)):
        layer, form = lines[i].split("\t")[:2]
        lines[i] = "\t".join([layer, form, *(("1.000", "2.000") if form == faster else ("5.000", "6.000"))])
    return "\n".join(lines) + "\n"


def check(n2d2, folder, empty):
    (folder / "net.ini").write_text(NETWORK)
    broken_path = no_make(folder)
    # Nothing known: compiled and measured here.
    run = Run(n2d2, folder, "-tune")
    expect(run.code == 0, "the first run: " + run.said)
    expect("Tuned: 3 layers measured, 0 known from 'tuning.txt'" in run.said, run.said)
    measured = (folder / "tuning.txt").read_text()
    expect(len(measured.splitlines()) == 4 + sum(len(forms) for forms in OPEN.values()), measured)
    for layer, row in forms(folder).items():
        expect(row["form"] in OPEN[layer] and row["why"].startswith("timed: "), f"{layer}: {row}")
        expect(all(f"{form} " in row["why"] for form in OPEN[layer]), f"{layer}: {row['why']}")
    # All known: nothing is compiled, the times decide, twice the same bytes.
    for faster in ("dot", "pixels"):
        (folder / "tuning.txt").write_text(rewritten(measured, faster))
        run = Run(n2d2, folder, "-tune", "tuning.txt", env=broken_path)
        expect(run.code == 0 and "Tuned: 0 layers measured, 3 known from 'tuning.txt'" in run.said, run.said)
        for layer, row in forms(folder).items():
            own = "rows" if layer == "deep" else "packed"
            expect(row["form"] == (faster if faster in OPEN[layer] else own), f"{faster}: {layer}: {row}")
        told = json.loads((folder / "export_CPP_int8/provenance.json").read_text())["tuning"]
        hashed = hashlib.sha256((folder / "tuning.txt").read_bytes()).hexdigest()
        expect(told == {"file": "tuning.txt", "sha256": hashed}, f"provenance: {told}")
        (folder / "export_CPP_int8").rename(folder / ("first_" + faster))
        Run(n2d2, folder, "-tune", env=broken_path)
        expect(same_tree(folder / ("first_" + faster), folder / "export_CPP_int8"), "two exports differ with one file")
    # What one section asks for is not measured.
    (folder / "p.ini").write_text("[default]\nKernel=dot\n")
    run = Run(n2d2, folder, "-export-parameters", "p.ini", "-tune", env=broken_path)
    expect("option -tune has no effect: no layer has several forms and Kernel=auto" in run.said, run.said)
    expect(run.code == 0 and all(row["why"] == "asked for by [default]" for row in forms(folder).values()), run.said)
    # Another machine's: said, measured again; no make: an error that has its words, the file stays.
    (folder / "tuning.txt").write_text(measured.replace("machine\t", "machine\tanother "))
    before = (folder / "tuning.txt").read_text()
    run = Run(n2d2, folder, "-tune", env=broken_path)
    expect(run.code == 2 and "tuning.txt: measured on 'another " in run.said, run.said)
    expect("-tune: 'make' of a project failed: no make here" in run.said, run.said)
    expect((folder / "tuning.txt").read_text() == before, "the file was changed")
    # A machine that is not here.
    (folder / "p.ini").write_text("Target=cortex-m\n")
    run = Run(n2d2, folder, "-export-parameters", "p.ini", "-tune", env=broken_path)
    expect(run.code == 2 and "option -tune: Target=cortex-m is not the machine that it would measure" in run.said, run.said)
    # A file of something else.
    (folder / "notes.txt").write_text("milk\n")
    run = Run(n2d2, folder, "-tune", "notes.txt", env=broken_path)
    expect(run.code == 2 and "notes.txt:1: not a file of -tune" in run.said, run.said)
    expect((folder / "notes.txt").read_text() == "milk\n", "notes were overwritten")
    expect(not list(empty.iterdir()), f"left behind: {list(empty.iterdir())}")


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("n2d2")
    n2d2 = parser.parse_args().n2d2
    with tempfile.TemporaryDirectory(prefix="n2d2_tune_test_") as folder:
        scratch = Path(folder) / "scratch"
        scratch.mkdir()
        os.environ["TMPDIR"] = str(scratch)
        work = Path(folder) / "work"
        work.mkdir()
        check(n2d2, work, scratch)
    print("\n".join(problems) or "-tune: as expected")
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main())
