#!/usr/bin/env python3
"""Does the network of sound that others cut into slices by hand fit its memory here without that?

  audiomoth_test.py N2D2 [--compiler=g++]

The 1-D classifier of a recorder with 32 kB of RAM: three blocks of two convolutions of 3 samples at distance 5 and one of
stride 3, with 2, 3 and 8 channels; 2048 samples become 66, then two classes. From an ONNX file of three axes, in float32 and
int8: the default plan, that of MemoryBudget=min, and the six slices that the source cuts by hand (Tiles=6), compiled and compared
with the run in process, and the RAM of the console beside what the slices with their recomputed halos take in the source, 18,272
bytes of float32. The scores in float are compared with
plain loops in this file. `-analyze` must show the sizes of every layer.
"""
import argparse
import json
import math
import random
import struct
import subprocess
import sys
import tempfile
from pathlib import Path

from onnx_bytes import model, node, tensor, value_info

SAMPLES, CLASSES, RECORDINGS = 2048, 2, 8
FILTERS = [2, 3, 8]
LENGTHS = [2038, 2028, 676, 666, 656, 218, 208, 198, 66]
SIX_SLICES = 18272  # bytes of float32, with 32 % more multiplications
LEAST_FLOATS = 8304  # of which the input has 8,192
FLOAT_TOLERANCE = 2e-5  # sums of up to 528 products in float32, another order, relative to the largest score


def single(value):
    return struct.unpack("<f", struct.pack("<f", value))[0]


class Network:
    def __init__(self):
        draw = random.Random(1)
        self.layers = []
        channels = 1
        for block, filters in enumerate(FILTERS):
            for part in "abs":
                bound = math.sqrt(2 / (3 * channels))
                weights = [single(draw.gauss(0, bound)) for _ in range(filters * channels * 3)]
                biases = [single(draw.gauss(0, 0.1)) for _ in range(filters)]
                self.layers.append((f"block{block}.{part}", weights, biases, channels, *((3, 1) if part == "s" else (1, 5))))
                channels = filters
        self.matrix = [single(draw.gauss(0, 0.1)) for _ in range(LENGTHS[-1] * channels * CLASSES)]

    def write(self, path):
        graph, source = b"", "signal"
        for name, weights, biases, channels, stride, distance in self.layers:
            graph += tensor(name + ".w", [len(biases), channels, 3], weights) + tensor(name + ".b", [len(biases)], biases)
            graph += node("Conv", [source, name + ".w", name + ".b"], name + ".c", kernel_shape=[3], strides=[stride],
                          dilations=[distance]) + node("Relu", [name + ".c"], name)
            source = name
        graph += tensor("m", [LENGTHS[-1] * FILTERS[-1], CLASSES], self.matrix)
        graph += node("Flatten", [source], "row") + node("Gemm", ["row", "m"], "fc") + node("Softmax", ["fc"], "scores")
        path.write_bytes(model(graph + value_info(11, "signal", [1, 1, SAMPLES]) + value_info(12, "scores", [1, CLASSES])))

    def run(self, signal):
        maps = [signal]
        for _, weights, biases, channels, stride, distance in self.layers:
            length = (len(maps[0]) - 2 * distance - 1) // stride + 1
            maps = [[max(0.0, biases[f] + sum(weights[(f * channels + c) * 3 + k] * maps[c][x * stride + k * distance]
                                              for c in range(channels) for k in range(3))) for x in range(length)]
                    for f in range(len(biases))]
        row = [v for channel in maps for v in channel]
        return [sum(v * self.matrix[i * CLASSES + k] for i, v in enumerate(row)) for k in range(CLASSES)]


def write_recordings(path):
    draw = random.Random(2)
    values = []
    for _ in range(RECORDINGS):
        pitch = draw.uniform(0.01, 0.3)
        values += [math.sin(pitch * t) * 0.5 + draw.gauss(0, 0.1) for t in range(SAMPLES)]
    header = f"{{'descr': '<f4', 'fortran_order': False, 'shape': ({RECORDINGS}, 1, 1, {SAMPLES}), }}"
    header += " " * (63 - (10 + len(header)) % 64) + "\n"
    path.write_bytes(b"\x93NUMPY\x01\x00" + struct.pack("<H", len(header)) + header.encode() +
                     struct.pack(f"<{len(values)}f", *values))
    return [single(v) for v in values[:SAMPLES]]


def run(command, folder):
    done = subprocess.run([str(word) for word in command], cwd=folder, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
    if done.returncode != 0:
        sys.exit(f"{command}: exit status {done.returncode}\n{done.stdout[-3000:]}")
    return done.stdout


def check_analysis(arguments, folder):
    said = run([arguments.n2d2, "audiomoth.onnx", "-analyze", "json"], folder)
    found = json.loads(said[said.index("{\n"):])
    lengths = [max(layer["output"][2:]) for layer in found["layers"] if layer["type"] == "Conv"]
    assert lengths == LENGTHS, lengths
    products = [3 * c * f * n for (c, f), n in zip([(1, 2), (2, 2), (2, 2), (2, 3), (3, 3), (3, 3), (3, 8), (8, 8), (8, 8)], LENGTHS)]
    assert found["totals"]["mac"] == sum(products) + LENGTHS[-1] * FILTERS[-1] * CLASSES, found["totals"]
    assert not found["refused"], found["refused"]


def export(arguments, folder, bits, parameters):
    """Exports, compiles, compares with the run in process. Returns bytes of RAM and what all layers give."""
    (folder / "p.ini").write_text(parameters)
    project = folder / ("export_CPP_int8" if bits > 0 else "export_CPP_float32")
    said = run([arguments.n2d2, "audiomoth.onnx", "-seed", "1", "-calib-npy", "recordings.npy", "-preset", "none", "-export", "CPP",
                "-nbbits", bits, "-export-parameters", "p.ini", "-memory-curve"], folder)
    ram = json.loads((project / "statistics/memory/memory_mapping.json").read_text())["peak"]
    assert "RAM: " in said and "the peak is at" in said, said
    run(["make", "-s", "-j2", f"CXX={arguments.compiler}", "OPENMP=0", "CXXFLAGS=-O1"], project)
    run(["bin/run_export", "-compare", "reference"], project)
    if "Tiles" in parameters:
        assert "in 6 slices" in said and "47,400 multiplications are done again (+32.5 %)" in said, said
    curve = (project / "statistics/memory/memory_curve.csv").read_text().splitlines()[1:]
    references = project / "reference"
    layers = {file.relative_to(references).as_posix(): file.read_text() for file in sorted(references.glob("*/*.txt"))}
    return ram, [line.split(",") for line in curve], layers


def main():
    ap = argparse.ArgumentParser()
    ap.add_argument("n2d2", type=lambda text: Path(text).resolve())
    ap.add_argument("--compiler", default="g++")
    arguments = ap.parse_args()
    network = Network()
    with tempfile.TemporaryDirectory() as place:
        folder = Path(place)
        network.write(folder / "audiomoth.onnx")
        signal = write_recordings(folder / "recordings.npy")
        check_analysis(arguments, folder)
        for bits in (-32, 8):
            size = 4 if bits < 0 else 1
            default, curve, expected = export(arguments, folder, bits, "")
            least, _, found = export(arguments, folder, bits, "MemoryBudget=min\n")
            assert found == expected, "a layer has other bytes than with the default plan"
            sliced, _, found = export(arguments, folder, bits, "[block*]\nTiles=6\n")
            assert found == expected, "a layer has other bytes than without slices"
            peaks = default, least
            assert (str(peaks[0]), str(peaks[1])) == (curve[0][0], curve[-1][0]), (peaks, curve)
            print(f"{'float32' if bits < 0 else 'int8'}: default {peaks[0]:,}, least {peaks[1]:,}, six slices {sliced:,}; "
                  f"the source's {SIX_SLICES * size // 4:,}")
            assert peaks[1] <= LEAST_FLOATS * size // 4 * 1.02 < peaks[0] < SIX_SLICES * size // 4, peaks
            assert sliced <= SIX_SLICES * size // 4, sliced
            if bits < 0:
                check_scores(network, signal, found)


def check_scores(network, signal, layers):
    expected = network.run(signal)
    first = sorted(name for name in layers if name.endswith("/fc.txt"))[:1]
    assert first, sorted(layers)
    text = layers[first[0]]
    scores = [float(word) for word in text.split() if not word.endswith(":")]
    largest = max(map(abs, expected))
    assert all(abs(a - b) <= FLOAT_TOLERANCE * largest for a, b in zip(scores, expected)), (scores, expected)


if __name__ == "__main__":
    main()
