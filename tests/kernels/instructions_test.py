#!/usr/bin/env python3
"""Holds the forms for AArch64 to the instructions that they take for a product.

  instructions_test.py --compiler=aarch64-linux-gnu-g++ --qemu=qemu-aarch64 [--table] INCLUDE_FOLDER ...

Builds instructions_kernels.cpp at -O3 for each form and counts, with qemu running one instruction at a time,
what a second run of a layer adds: rescaling and edges of maps are in it. Counts are the same on every machine;
what a processor does at once they do not say. Exit 1 where one is more than was ever recorded. The first layer
always, the others as drawn.py says. --table prints the table of docs/results/aarch64.md, with the portable
form, --json writes it.
"""
import argparse
import subprocess
import sys
import tempfile
from pathlib import Path

sys.path[:0] = [str(Path(__file__).resolve().parent.parent / folder) for folder in ("bench", "e2e")]
import figures  # noqa: E402
from drawn import is_drawn  # noqa: E402

SOURCE = Path(__file__).resolve().parent / "instructions_kernels.cpp"
FORMS = {"neon": "-march=armv8-a", "dotprod": "-march=armv8.2-a+dotprod", "i8mm": "-march=armv8.2-a+dotprod+i8mm"}
PORTABLE = {"portable": "-march=armv8-a -DN2D2_PORTABLE"}
# Layer, most instructions for 1000 products in the order of FORMS; g++ 12.
MOST = [("3 x 3, 32 to 32, 14 x 14", 359, 133, 89),
        ("the same, signed inputs", 325, 91, 91),
        ("1 x 1, 96 to 96, 14 x 14", 408, 114, 94),
        ("3 x 3 / 2, 3 to 32, 32 x 32", 760, 453, 277),
        ("fully connected, 1280 to 128", 428, 185, 136),
        ("depthwise 3 x 3, 96, 14 x 14", 724, 724, 724),
        ("the same, signed inputs", 725, 725, 725)]


def instructions(qemu, program, layer, runs):
    command = [qemu, "-singlestep", "-d", "exec,nochain", "-D", "/dev/stdout", program, str(layer), str(runs)]
    with subprocess.Popen(command, stdout=subprocess.PIPE) as run:
        count = sum(block.count(b"\n") for block in iter(lambda: run.stdout.read(1 << 20), b""))
    if run.returncode != 0:
        sys.exit(f"{' '.join(command)}: {run.returncode}")
    return count


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folders", nargs="+")
    parser.add_argument("--compiler", required=True)
    parser.add_argument("--qemu", required=True)
    parser.add_argument("--table", action="store_true")
    figures.add_option(parser)
    arguments = parser.parse_args()
    forms = {**PORTABLE, **FORMS} if arguments.table else FORMS
    failed = False
    with tempfile.TemporaryDirectory() as folder:
        programs = {form: str(Path(folder) / form) for form in forms}
        for form, program in programs.items():
            subprocess.run([arguments.compiler, "-std=c++11", "-O3", "-fsigned-char", "-static", *forms[form].split(),
                            *(f"-I{f}" for f in arguments.folders), str(SOURCE), "-o", program], check=True)
        table = figures.Table("layer", *((form, "{:.3f}") for form in forms))
        for index, (layer, *most) in enumerate(MOST):
            if index > 0 and not arguments.table and not is_drawn(f"instructions {layer}"):
                continue
            first = next(iter(programs.values()))
            products = int(subprocess.run([arguments.qemu, first, str(index), "0"], capture_output=True, check=True).stdout)
            found = {form: 1000 * (instructions(arguments.qemu, program, index, 2) - instructions(arguments.qemu, program, index, 1)) //
                     products for form, program in programs.items()}
            table.add(layer, *(n / 1000 for n in found.values()))
            for form, limit in zip(FORMS, most):
                if not 0 < found[form] <= limit:
                    print(f"{form}: {found[form]} instructions for 1000 products, at most {limit}")
                    failed = True
    figures.write(arguments.json, emulated=True, layers=table)
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
