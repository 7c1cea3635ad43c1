#!/usr/bin/env python3
"""What the program says where its surroundings fail it: full disks, closed streams, pipes, limits, links, lost folders, signals.

  surroundings_test.py N2D2

Nothing here is timed: what would wait for ever is ended by a limit that the program is given, or by a signal once a file is there.
"""
import os
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from pathlib import Path

NETWORK = """[database]
Type=Glyphs_Database
Learn=24
Validation=0
Test=6
Width=8
Height=8
[sp]
SizeX=8
SizeY=8
BatchSize=8
[conv]
Input=sp
Type=Conv
KernelDims=3 3
NbOutputs=4
[fc]
Input=conv
Type=Fc
NbOutputs=10
[fc.Target]
"""
EXPORT = ["net.ini", "-seed", "1", "-w", "/dev/null", "-export", "CPP", "-nbbits", "8", "-calib", "-1", "-db-export", "1"]
FULL = "standard output cannot be written: No space left on device; what was printed is incomplete"
problems = []


def run(n2d2, folder, command, **more):
    """A command of bash in which $N is the program; its exit code, and what it said on standard error."""
    done = subprocess.run(["bash", "-c", command], cwd=folder, capture_output=True, text=True,
                          env={**os.environ, "N": str(n2d2), **more})
    return done.returncode, done.stderr.strip()


def expect(case, found, code, text):
    if found[0] != code or text not in found[1]:
        problems.append(f"{case}: expected exit {code} with '{text}', got exit {found[0]} with\n  {found[1]}")


def streams(n2d2, folder):
    for options in ("net.ini -print-ini", "net.ini -analyze json", "net.ini -analyze", "-man", "-h", "-help-layer Conv",
                    "-completion bash"):
        expect(options, run(n2d2, folder, f"$N {options} > /dev/full"), 2, FULL)
        expect(f"{options}, closed", run(n2d2, folder, f"$N {options} >&-"), 2,
               "standard output cannot be written: Bad file descriptor")
    expect("a run", run(n2d2, folder, "$N net.ini -seed 1 > /dev/full"), 2, "standard output cannot be written")
    expect("to a file", run(n2d2, folder, "$N net.ini -print-ini > out.ini && $N out.ini -print-ini | cmp - out.ini"), 0, "")


def pipes(n2d2, folder):
    refused = "module: expected a regular file, found a pipe"
    expect("-module", run(n2d2, folder, "mkfifo m.so; $N net.ini -module ./m.so -print-ini"), 2, f"./m.so: {refused}")
    expect("N2D2_MODULES", run(n2d2, folder, "$N net.ini -print-ini", N2D2_MODULES="./m.so"), 2, f"./m.so: {refused}")


def environment(n2d2, folder):
    expect("N2D2_HOST_ISA", run(n2d2, folder, "$N net.ini -print-ini", N2D2_HOST_ISA="avx"), 2,
           "N2D2_HOST_ISA: expected one of baseline, avx2, avx512, got 'avx'; did you mean 'avx2'?")
    expect("N2D2_HOST_ISA", run(n2d2, folder, "$N net.ini -print-ini", N2D2_HOST_ISA="baseline"), 0, "")


def folders(n2d2, folder):
    expect("a removed folder", run(n2d2, folder, "mkdir gone; cd gone; rmdir ../gone; $N ../net.ini -seed 1"), 2,
           "the working folder cannot be used: No such file or directory")
    expect("its help", run(n2d2, folder, "mkdir gone; cd gone; rmdir ../gone; $N -v"), 0, "")
    expect("a file for a folder", run(n2d2, folder, "mkdir taken; cd taken; echo x > stats; $N ../net.ini -seed 1"), 2,
           "stats/stats.log: cannot be written: Not a directory")
    if os.geteuid() != 0:
        expect("a folder to read", run(n2d2, folder, "mkdir closed; chmod a-w closed; cd closed; $N ../net.ini -seed 1"), 2,
               "stats/stats.log: cannot be written: Permission denied")
    expect("seed.dat", run(n2d2, folder, "mkdir link; cd link; echo mine > mine; ln -s mine seed.dat; "
                                         "$N ../net.ini -learn 8 -log 8; code=$?; cat mine >&2; exit $code"), 2,
           "seed.dat: cannot be written: it is a link, what it leads to would be replaced\n"
           "  hint: remove the link, or run in another folder\nmine")
    expect("ulimit -f", run(n2d2, folder, "mkdir small; cd small; ulimit -f 1; $N ../net.ini -seed 1 -w /dev/null -dump graph"), 2,
           "cannot be written: File too large")


def tuning(n2d2, folder):
    command = "$N " + " ".join(EXPORT) + " -tune"
    expect("TMPDIR", run(n2d2, folder, command, TMPDIR="/nope"), 2,
           "-tune: no folder can be made in '/nope': No such file or directory\n"
           "  hint: TMPDIR names the folder for temporary files")
    (folder / "bin").mkdir()
    (folder / "temporary").mkdir()
    make = folder / "bin" / "make"
    make.write_text("#!/bin/sh\ntouch started\nsleep 1000\n")
    make.chmod(0o755)
    hanging = {"TMPDIR": str(folder / "temporary"), "PATH": f"{folder / 'bin'}:{os.environ['PATH']}"}
    expect("N2D2_TUNE_LIMIT", run(n2d2, folder, command, N2D2_TUNE_LIMIT="1", **hanging), 2,
           "-tune: 'make' of a project failed: it was ended after 1 s, the most that N2D2_TUNE_LIMIT gives it")
    expect("N2D2_TUNE_LIMIT", run(n2d2, folder, command, N2D2_TUNE_LIMIT="soon", **hanging), 2,
           "N2D2_TUNE_LIMIT: expected seconds from 1 to 1,000,000, got 'soon'")
    for number in (signal.SIGTERM, signal.SIGINT):
        (folder / "started").unlink(missing_ok=True)
        child = subprocess.Popen([n2d2, *EXPORT, "-tune"], cwd=folder, env={**os.environ, **hanging}, text=True,
                                 stdout=subprocess.DEVNULL, stderr=subprocess.PIPE)
        while not (folder / "started").exists() and child.poll() is None:
            time.sleep(0.05)
        child.send_signal(number)
        said = child.communicate()[1]
        expect(number.name, (child.returncode, said), 128 + number, f"-tune: interrupted by {number.name}")
    left = [path.name for path in (folder / "temporary").iterdir()] + [p.name for p in folder.glob(".export*")]
    if left:
        problems.append(f"-tune leaves {left}")


def main():
    n2d2 = Path(sys.argv[1]).resolve()
    for check in (streams, pipes, environment, folders, tuning):
        with tempfile.TemporaryDirectory(prefix="n2d2_surroundings_") as folder:
            (Path(folder) / "net.ini").write_text(NETWORK)
            check(n2d2, Path(folder))
    print("\n".join(problems))
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main())
