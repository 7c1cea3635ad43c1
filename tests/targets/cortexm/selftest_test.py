#!/usr/bin/env python3
"""Exports for Cortex-M test themselves under QEMU, with no more instructions than are recorded, and what their README said of them.

  selftest_test.py [--record] N2D2 COUNTS.json

Exports the networks of exports.py for each core, builds the self test and runs it: all cells must be right, the stack as promised.
COUNTS.json has the executed instructions of each case; more than 5 % above them is a fault, and 5 % below them asks for new ones.
The README must know instructions within 5 % and code within 10 % of these, and the bytes of arena and parameters as they are linked.
The cases of FIXED always run, the others as drawn.py says. --record writes what the cases that run have taken.
"""
import argparse
import json
import sys
import tempfile
from pathlib import Path

import exports
from drawn import is_drawn

# Each export and each core at least once.
FIXED = {("lenet5", "m0plus"), ("resnet8", "m4"), ("dscnn", "m3"), ("vww", "m55"), ("resnet8 budgeted", "m33"), ("vww streamed", "m4"),
         ("lenet5 in 4 bits", "m4"), ("lenet5 in 4 bits", "m55")}
TOLERANCE = 0.05
# Costs of a kernel differ by what the compiler puts into the functions of layers beside it.
TOLERANCE_OF_CODE = 0.2


def misjudged(said, project, core, report):
    """What the README said wrongly of the program that ran."""
    wrong = []
    for what, tolerance in (("instructions", TOLERANCE), ("code", TOLERANCE_OF_CODE), ("parameters", 0), ("arena", 0)):
        expected, found = getattr(said, what), getattr(report, what)
        print(f"  {what}: {found}, README {expected} ({expected / found - 1:+.1%})")
        if abs(expected - found) > tolerance * found:
            wrong.append(f"{what}: {found}, the README says {expected}")
    variables = exports.variables_of_network(project, core)
    if variables != report.arena:
        wrong.append(f"the network has {variables} bytes of variables, its arena is {report.arena}")
    return wrong


def count(n2d2, export, core):
    """The figures of a case, and what is wrong with it."""
    with tempfile.TemporaryDirectory(prefix="n2d2_cortexm_") as folder:
        project = exports.exported(n2d2, export, core, folder)
        report = exports.self_test(project, core)
        if report.status != 0 or "self test: passed" not in report.text or not report.cells:
            return {}, [f"status {report.status}\n{report.text}"]
        wrong = misjudged(exports.figures(project), project, core, report)
    return {"instructions": report.instructions, "code": report.code, "stack": report.stack}, wrong


def compared(found, recorded):
    if recorded is None:
        return ["nothing is recorded"]
    ratio = found["instructions"] / recorded["instructions"]
    if ratio > 1 + TOLERANCE:
        return [f"{found['instructions']} instructions, {recorded['instructions']} are recorded"]
    if ratio < 1 - TOLERANCE:
        print(f"  {ratio:.3f} of what is recorded: record anew")
    return []


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("n2d2", type=Path)
    parser.add_argument("counts", type=Path)
    parser.add_argument("--record", action="store_true")
    arguments = parser.parse_args()
    recorded = json.loads(arguments.counts.read_text()) if arguments.counts.exists() else {}
    faults = 0
    for export in exports.EXPORTS:
        for core in exports.CORES:
            name = f"{export}, {core}"
            if (export, core) not in FIXED and not is_drawn(f"cortexm {name}", 16):
                continue
            try:
                found, wrong = count(arguments.n2d2.resolve(), export, core)
                print(f"{name}: {found}", flush=True)
                if found and not arguments.record:
                    wrong += compared(found, recorded.get(name))
            except exports.Failed as failed:
                found, wrong = None, [str(failed)]
            for text in wrong:
                print(f"{name}: {text}")
            faults += len(wrong)
            if found and not wrong:
                recorded[name] = found
    if arguments.record:
        lines = [f'  {json.dumps(name)}: {json.dumps(figures)}' for name, figures in recorded.items()]
        arguments.counts.write_text("{\n" + ",\n".join(lines) + "\n}\n")
    return 1 if faults else 0


if __name__ == "__main__":
    sys.exit(main())
