#!/usr/bin/env python3
"""Holds the loops of kernels with packed weights to the registers: counts moves of vectors between registers and the stack.

  spills_test.py [--compiler=g++] INCLUDE_FOLDER ...

Compiles spills_kernels.cpp for AVX-512 VNNI and for AVX2 at -O2 and -O3, each by one of the levels in turn. Exit 1 where there are more than the most that was ever
recorded: accumulators that a compiler keeps in memory make a layer several times slower and no test of bytes sees it.
"""
import argparse
import re
import subprocess
import sys
import tempfile
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "e2e"))
from drawn import is_in_turn  # noqa: E402

SOURCE = Path(__file__).resolve().parent / "spills_kernels.cpp"
# Target, flags, what g++ 12 does at -O2 and -O3: totals of signed inputs need more registers than there are,
# but outside of the loops.
MOST = {"avx512_vnni": ("-march=skylake-avx512 -mavx512vnni", 105, 104), "avxvnni": ("-march=haswell -mavxvnni", 67, 46),
        "avx2": ("-march=haswell", 51, 20)}
VECTOR = re.compile(r"%[yz]mm\d+")
STACK = re.compile(r"\(%r[sb]p[,)]")


FUNCTION = re.compile(r"^([A-Za-z_][\w.$]*):")


def moves(assembly):
    """Of vectors, in the functions that have loops over sums: kernels::PackedPiece<...>::of<...>."""
    found, inside = 0, False
    for line in assembly.splitlines():
        if function := FUNCTION.match(line):
            inside = "PackedPiece" in function.group(1)
        found += inside and bool(VECTOR.search(line) and STACK.search(line))
    return found


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folders", nargs="+")
    parser.add_argument("--compiler", default="g++")
    arguments = parser.parse_args()
    failed = False
    for number, (isa, (flags, *most)) in enumerate(MOST.items()):
        for other, (level, limit) in enumerate(zip(("-O2", "-O3"), most)):
            if not is_in_turn(number + other, 2):
                continue
            with tempfile.TemporaryDirectory() as folder:
                text = Path(folder) / "kernels.s"
                subprocess.run([arguments.compiler, "-std=c++11", level, "-S", str(SOURCE), "-o", str(text), *flags.split(),
                                *(f"-I{f}" for f in arguments.folders)], check=True)
                found = moves(text.read_text())
            print(f"{isa} {level}: {found} vectors to and from the stack, at most {limit}")
            failed = failed or found > limit
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
