#!/usr/bin/env python3
"""The commands of docs/use/microcontrollers.md work as they stand, from an empty folder with a model and pictures.

  docs_test.py N2D2 SOURCES

The model is lenet_glyphs.ini with random weights as an ONNX file, the pictures are random and grey. The first block of commands must end
with a self test that passed and the name of a class. The self test must link for the memories of the second block. The program in C
must compile against lib/network.h without a warning.
"""
import os
import random
import re
import sys
import tempfile
from pathlib import Path

import exports

SIDE = 28
PAGE = "docs/use/microcontrollers.md"


def prepared(n2d2, sources, folder):
    """A folder with model.onnx and pictures/, and nothing else."""
    made, empty = folder / "made", folder / "empty"
    made.mkdir()
    empty.mkdir()
    exports.checked([n2d2, sources / "models/lenet_glyphs.ini", "-seed", "1", "-w", "/dev/null", "-export", "ONNX", "-nbbits", "-32"],
                    made)
    draw = random.Random(1)
    for label in range(10):
        (empty / f"pictures/digit_{label}").mkdir(parents=True)
        for sample in range(2):
            pixels = bytes(draw.randrange(256) for _ in range(SIDE * SIDE))
            (empty / f"pictures/digit_{label}/{sample}.pgm").write_bytes(f"P5\n{SIDE} {SIDE}\n255\n".encode() + pixels)
    next(made.glob("export_ONNX_*/*.onnx")).rename(empty / "model.onnx")
    return empty


def indented(text, after):
    """The first indented block of the page behind a heading or a line."""
    return re.search(r"((?:^    .*\n)+)", text[text.index(after):], re.M).group(1).replace("\n    ", "\n")[4:]


def main():
    n2d2, sources = Path(sys.argv[1]).resolve(), Path(sys.argv[2]).resolve()
    page = (sources / PAGE).read_text()
    problems = []
    with tempfile.TemporaryDirectory(prefix="n2d2_docs_") as folder:
        empty = prepared(n2d2, sources, Path(folder))
        (empty.parent / "n2d2").symlink_to(n2d2)
        exports.ENVIRONMENT["PATH"] = f"{empty.parent}:{os.environ['PATH']}"
        text = exports.checked(["bash", "-ec", indented(page, "## From ONNX")], empty)
        if "self test: passed" not in text or not re.search(r"^class: (\d) /digit_\1$", text, re.M):
            problems.append(f"the three commands printed\n{text}")
        project = next(empty.glob("export_*"))
        (project / "board.ld").write_text(indented(page, "A file of six lines"))
        command = re.search(r"`(make BOARD=board.ld selftest)`", page).group(1)
        exports.checked(["bash", "-c", f"{command} LDFLAGS=-Wl,--fatal-warnings"], project)
        exports.checked(["make", "-s", "lib"], project)
        (empty / "user.c").write_text(re.search(r"^```c\n(.*?)^```", page, re.M | re.S).group(1))
        machine = re.search(r"^CORE_m33 := (.*)$", (project / "firmware/cores.mk").read_text(), re.M).group(1).split()
        exports.checked(["arm-none-eabi-gcc", *machine, "-std=c99", "-Wall", "-Wextra", "-Werror", f"-I{project}/lib", "-c", "user.c"],
                        empty)
    print("\n".join(problems) or "the commands of the page work")
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main())
