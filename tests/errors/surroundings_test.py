#!/usr/bin/env python3
"""What the program says where its surroundings fail it: full disks, closed streams, pipes, limits, links, lost folders.

  surroundings_test.py N2D2

Nothing here is timed.
"""
import os
import shutil
import subprocess
import sys
import tempfile
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


def libraries(n2d2, folder):
    """The codecs of OpenCV are loaded when a picture needs them: a run without pictures, or with PNG alone, does without them."""
    broken = Path(folder) / "broken"
    broken.mkdir()
    for library in Path("/usr/lib").glob("**/libopencv_imgcodecs.so.*"):
        (broken / library.name).touch()
    command = "mkdir -p lib; cd lib; $N ../net.ini -seed 1"
    expect("no codecs", run(n2d2, folder, command, LD_LIBRARY_PATH=str(broken)), 0, "")
    expect("no codecs, PNG", run(n2d2, folder, f"{command} -pre-samples 1", LD_LIBRARY_PATH=str(broken)), 0, "")
    noisy = NETWORK.replace("[conv]\n", "[sp.Transformation]\nType=CompressionNoiseTransformation\n[conv]\n")
    (Path(folder) / "noisy.ini").write_text(noisy)
    expect("no codecs, a JPEG to write",
           run(n2d2, folder, "mkdir -p lib; cd lib; $N ../noisy.ini -seed 1", LD_LIBRARY_PATH=str(broken)), 2,
           "OpenCV's codecs of pictures cannot be loaded: ")


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


def main():
    n2d2 = Path(sys.argv[1]).resolve()
    for check in (streams, pipes, environment, libraries, folders):
        with tempfile.TemporaryDirectory(prefix="n2d2_surroundings_") as folder:
            (Path(folder) / "net.ini").write_text(NETWORK)
            check(n2d2, Path(folder))
    print("\n".join(problems))
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main())
