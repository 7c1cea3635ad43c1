#!/usr/bin/env python3
"""Which cases of a matrix does a run of the tests take? The same answer as drawn.hpp.

N2D2_DRAW=all, or unset: every case. N2D2_DRAW=0 to 15: one eighth (or one of `parts`, 16 at most) of them, by their names,
so that as many draws one after the other take every case once. scripts/test.sh draws by the commit and prints what it drew.
As a program: a regular expression of those tests it is given that are not drawn, three of each four that follow each other.
"""
import os
import sys
import zlib


def is_drawn(name, parts=8):
    draw = os.environ.get("N2D2_DRAW", "all")
    return draw == "all" or zlib.crc32(name.encode()) % parts == int(draw) % parts


def is_in_turn(number, count):
    """Each run takes one of `count` alternatives: number 0 where `count` divides the draw, each of the others by another draw."""
    draw = os.environ.get("N2D2_DRAW", "all")
    return draw == "all" or (number + int(draw)) % count == 0


if __name__ == "__main__":
    draw = os.environ.get("N2D2_DRAW", "all")
    print("|".join(f"^{name}$" for i, name in enumerate(sys.argv[1:]) if draw != "all" and i % 4 != int(draw) % 4) or "^$")
