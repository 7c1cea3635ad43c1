#!/usr/bin/env python3
"""Exports for Cortex-M take no more stack than their mem_info.hpp promises.

  stack_test.py N2D2 NET.ini

For the cores and optimizations that the Makefile offers, the frames along every chain of calls from propagate() are added up as g++
reports them, and the self test paints the stack under QEMU, where frames of assembly and of libraries count, too. Both must be
below STACK_SIZE. NET.ini has every kind of kernel; VWW is the deepest of the usual networks. The cases of FIXED always run, the
others as drawn.py says.
"""
import sys
import tempfile
from pathlib import Path

import exports
from compiler_cache import WITHOUT_CACHE
from drawn import is_drawn

sys.path.insert(0, str(exports.TESTS / "kernels"))
import stack_test as stack  # noqa: E402

# What networks are exported with, of NET.ini where none is named.
NETS = {
    "kernels": {},
    "kernels in fixed point": {"options": ["-act-rescaling-mode", "Fixed-point32"]},
    "kernels in 16 bits": {"bits": 16},
    "kernels for size": {"parameters": "Optimize=size\n"},
    "vww streamed": {"export": "vww streamed"},
}
FIXED = {("kernels", "m0plus", "-O3"), ("kernels", "m4", "-Os"), ("kernels", "m55", "-O3")}
# What the caller of the network plugs in, and names of the C library and of the compiler's.
OUTSIDE = ("__indirect_call", "__aeabi_")


class Tree:
    """Lists files in all folders, as stack.call_graph() asks for them."""

    def __init__(self, folder):
        self.folder = folder

    def glob(self, pattern):
        return self.folder.rglob(pattern)


def bound(objects):
    """The deepest chain of calls from propagate(), and what is not known of it."""
    frames, _, calls = stack.call_graph(Tree(objects))
    problems = []
    depths = [stack.depth(title, frames, calls, problems) for title in frames
              if frames[title] is not None and "Network" in title and "propagate" in title]
    if not depths:
        raise exports.Failed("no function is called propagate")
    return max(depths), [p for p in problems if not p.split(" calls ")[-1].startswith(OUTSIDE)]


def check(project, core, level):
    report = exports.self_test(project, core, f"OPTIMIZE={level}", "CXXFLAGS=-fcallgraph-info=su", env=WITHOUT_CACHE)
    deepest, problems = bound(project / "build" / core)
    promised = report.promised_stack
    print(f"  {core} {level}: {deepest} bytes added up, {report.stack} painted, {report.stack_with_callbacks} with callbacks, "
          f"of {promised}", flush=True)
    if report.status != 0:
        problems.append(f"status {report.status}\n{report.text}")
    if max(deepest, report.stack, report.stack_with_callbacks) > promised:
        problems.append(f"{core} {level}: more than {promised} bytes")
    return problems


def main():
    n2d2, network = Path(sys.argv[1]).resolve(), Path(sys.argv[2]).resolve()
    problems = []
    for name, options in NETS.items():
        for core in exports.CORES:
            levels = [level for level in exports.LEVELS
                      if (name, core, level) in FIXED or is_drawn(f"cortexm stack {name} {core} {level}", 16)]
            if not levels:
                continue
            with tempfile.TemporaryDirectory(prefix="n2d2_stack_") as folder:
                try:
                    project = exports.exported(n2d2, core=core, folder=folder, **{"export": network, **options})
                    print(name, flush=True)
                    for level in levels:
                        problems += check(project, core, level)
                except exports.Failed as failed:
                    problems.append(str(failed))
    print("\n".join(problems))
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main())
