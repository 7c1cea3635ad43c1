#!/usr/bin/env python3
"""Does a compiler give the same bytes at every level of optimization?

  optimization_levels_test.py N2D2 [--compiler=g++]

A network with two inputs, whose layers write one byte of every two (a concatenation of maps of one channel), is exported in int8
and compiled at -O1, -O2 and -Os; other tests compile at -O0 and -O3. g++ 12 dropped such a layer at -O1 and -O2 where it knew that all maps lie in one
array.
"""
import argparse
import random
import struct
import subprocess
import sys
import tempfile
from pathlib import Path

from onnx_bytes import model, node, tensor, value_info

SAMPLES, CHANNELS, SIZE, FACTORS = 12, 4, 16, 4


def run(command, folder):
    done = subprocess.run([str(word) for word in command], cwd=folder, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
    if done.returncode != 0:
        sys.exit(f"{command}: exit status {done.returncode}\n{done.stdout[-3000:]}")
    return done.stdout


def write_npy(path, dims, values):
    head = f"{{'descr': '<f4', 'fortran_order': False, 'shape': {tuple(dims)}, }}"
    head += " " * (63 - (10 + len(head)) % 64) + "\n"
    path.write_bytes(b"\x93NUMPY\x01\x00" + struct.pack("<H", len(head)) + head.encode() + struct.pack(f"<{len(values)}f", *values))


def graph(draw):
    """Maximum and mean over the channels, joined, through a Conv: a factor of each pixel; another input has one of each class."""
    weights = [draw.gauss(0, 0.3) for _ in range(2 * 9)]
    matrix = [draw.gauss(0, 0.1) for _ in range(SIZE * SIZE * CHANNELS * FACTORS)]
    return (value_info(11, "map", [1, CHANNELS, SIZE, SIZE]) + value_info(11, "factors", [1, FACTORS]) +
            value_info(12, "out", [1, FACTORS]) + tensor("w", [1, 2, 3, 3], weights) +
            tensor("m", [SIZE * SIZE * CHANNELS, FACTORS], matrix) +
            node("ReduceMax", ["map"], "most", axes=[1], keepdims=1) + node("ReduceMean", ["map"], "mean", axes=[1], keepdims=1) +
            node("Concat", ["most", "mean"], "both", axis=1) +
            node("Conv", ["both", "w"], "gate", kernel_shape=[3, 3], pads=[1, 1, 1, 1]) + node("Sigmoid", ["gate"], "open") +
            node("Mul", ["map", "open"], "scaled") + node("Flatten", ["scaled"], "row") + node("MatMul", ["row", "m"], "sums") +
            node("Mul", ["sums", "factors"], "out"))


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("n2d2")
    parser.add_argument("--compiler", default="g++")
    arguments = parser.parse_args()
    draw = random.Random(7)
    with tempfile.TemporaryDirectory() as place:
        folder = Path(place)
        (folder / "net.onnx").write_bytes(model(graph(draw)))
        for name, dims in (("map", [CHANNELS, SIZE, SIZE]), ("factors", [FACTORS])):
            count = SAMPLES
            for extent in dims:
                count *= extent
            write_npy(folder / f"{name}.npy", [SAMPLES, *dims], [draw.gauss(0, 1) for _ in range(count)])
        said = run([arguments.n2d2, "net.onnx", "-export", "CPP", "-nbbits", "8", "-calib-npy", "map.npy,factors.npy"], folder)
        assert "no byte different" in said, said
        project = folder / "export_CPP_int8"
        for level in ("-O1", "-O2", "-Os"):
            run(["make", "-s", "clean"], project)
            run(["make", "-s", "-j2", "OPENMP=0", f"CXX={arguments.compiler}", f"CXXFLAGS={level}"], project)
            said = run(["bin/run_export", "-compare", "reference"], project)
            assert " 0 different" in said, said
            print(f"{level}: the bytes of the reference")


main()
