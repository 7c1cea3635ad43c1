"""Which cases of a matrix does a run of the tests take? The same answer as drawn.hpp.

N2D2_DRAW=all, or unset: every case. N2D2_DRAW=0 to 7: those whose name falls into that eighth, so that any eight
draws take every case once. scripts/test.sh draws by the commit and prints what it drew.
"""
import os
import zlib

EIGHTHS = 8


def is_drawn(name):
    draw = os.environ.get("N2D2_DRAW", "all")
    return draw == "all" or zlib.crc32(name.encode()) % EIGHTHS == int(draw)
