#!/usr/bin/env python3
"""Do recurrent networks as PyTorch and Keras write them become programs that compute what plain loops compute?

  sequences_test.py N2D2 [--compiler=g++]

Two networks of random weights: two LSTM layers over samples N,T,C, whose last step a Gather takes; a convolution over time with
a GRU of both directions behind it, whose last states are joined. Each is exported alone (n2d2 model.onnx -calib-npy) in float, int8 and
16 bits; the programs of the first two must give their references, and these must be what loops in this file compute.

A detector that reads a frame and hands its state on (a GRU and an LSTM, a step a run) is exported with -states. A program that
pushes frames (include/Stream.hpp) must give what loops over the whole sequence give, twice, with a reset in between.
"""
import argparse
import math
import random
import struct
import subprocess
import sys
import tempfile
from pathlib import Path

from onnx_bytes import integers, model, node, tensor, value_info

# Largest error of an output, relative to the largest output of all samples: sums in float32 in another order; values and weights
# of 8 bits, through up to 12 states.
TOLERANCE = {-32: 1e-5, 8: 0.06}
SAMPLES = 12
# The same where states of 8 bits go through every frame of a sequence.
STREAM_TOLERANCE = {-32: 1e-5, 8: 0.12}


def single(value):
    return struct.unpack("<f", struct.pack("<f", value))[0]


def drawn(draw, count, most):
    return [single(draw.uniform(-most, most)) for _ in range(count)]


def logistic(x):
    return 1 / (1 + math.exp(-x))


class Recurrent:
    """One direction: rows of weights gate after gate, as in ONNX."""

    def __init__(self, draw, gates, channels, units):
        most = 1 / math.sqrt(units)
        self.gates, self.channels, self.units = gates, channels, units
        self.w = drawn(draw, gates * units * channels, most)
        self.r = drawn(draw, gates * units * units, most)
        self.b = drawn(draw, 2 * gates * units, most)

    def of_input(self, row, x):
        return self.b[row] + sum(a * b for a, b in zip(self.w[row * self.channels:(row + 1) * self.channels], x))

    def of_state(self, row, h):
        return self.b[self.gates * self.units + row] + sum(a * b for a, b in zip(self.r[row * self.units:(row + 1) * self.units], h))

    def run(self, steps):
        h, c, out = [0.0] * self.units, [0.0] * self.units, []
        for x in steps:
            h, c = self.lstm(x, h, c) if self.gates == 4 else (self.gru(x, h), c)
            out.append(h)
        return out

    def lstm(self, x, h, c):
        both = lambda gate, j: self.of_input(gate * self.units + j, x) + self.of_state(gate * self.units + j, h)
        c = [logistic(both(2, j)) * c[j] + logistic(both(0, j)) * math.tanh(both(3, j)) for j in range(self.units)]
        return [logistic(both(1, j)) * math.tanh(c[j]) for j in range(self.units)], c

    def gru(self, x, h):
        n, new = self.units, []
        for j in range(n):
            update = logistic(self.of_input(j, x) + self.of_state(j, h))
            reset = logistic(self.of_input(n + j, x) + self.of_state(n + j, h))
            new.append((1 - update) * math.tanh(self.of_input(2 * n + j, x) + reset * self.of_state(2 * n + j, h)) + update * h[j])
        return new


def constants(name, directions):
    first = directions[0]
    rows = first.gates * first.units
    return (tensor(name + ".w", [len(directions), rows, first.channels], sum((d.w for d in directions), [])) +
            tensor(name + ".r", [len(directions), rows, first.units], sum((d.r for d in directions), [])) +
            tensor(name + ".b", [len(directions), 2 * rows], sum((d.b for d in directions), [])))


def layer(operator, name, source, outputs, units, **attributes):
    return node(operator, [source, name + ".w", name + ".r", name + ".b"], outputs, hidden_size=units, **attributes)


class Classifier:
    """As torch.nn.LSTM(batch_first=True, num_layers=2) and a Linear of the last step."""
    extents = [12, 6]

    def __init__(self, draw):
        self.layers = [Recurrent(draw, 4, 6, 8), Recurrent(draw, 4, 8, 8)]
        self.matrix = drawn(draw, 4 * 8, 0.5)

    def graph(self):
        return (node("Transpose", ["x"], "time_first", perm=[1, 0, 2]) +
                layer("LSTM", "one", "time_first", ["one.y", "one.h", "one.c"], 8) + node("Squeeze", ["one.y", "axis"], "between") +
                layer("LSTM", "two", "between", ["two.y", "two.h", "two.c"], 8) + node("Squeeze", ["two.y", "axis"], "steps") +
                node("Transpose", ["steps"], "batch_first", perm=[1, 0, 2]) +
                node("Gather", ["batch_first", "last"], "step", axis=1) + node("Flatten", ["step"], "flat", axis=1) +
                node("Gemm", ["flat", "matrix"], "y", transB=1) +
                constants("one", self.layers[:1]) + constants("two", self.layers[1:]) + integers("axis", [1]) +
                integers("last", [-1]) + tensor("matrix", [4, 8], self.matrix))

    def run(self, sample):
        steps = [sample[t * 6:(t + 1) * 6] for t in range(12)]
        for each in self.layers:
            steps = each.run(steps)
        return [sum(a * b for a, b in zip(self.matrix[8 * o:8 * o + 8], steps[-1])) for o in range(4)]


class Keywords:
    """A convolution over time, then a GRU of both directions whose last states are joined."""
    extents = [5, 20]

    def __init__(self, draw):
        self.kernel, self.bias = drawn(draw, 7 * 5 * 3, 0.4), drawn(draw, 7, 0.2)
        self.directions = [Recurrent(draw, 3, 7, 6), Recurrent(draw, 3, 7, 6)]
        self.matrix = drawn(draw, 3 * 12, 0.5)

    def graph(self):
        return (node("Conv", ["x", "kernel", "bias"], "conv", kernel_shape=[3], strides=[2], pads=[1, 1]) +
                node("Relu", ["conv"], "relu") + node("Transpose", ["relu"], "time_first", perm=[2, 0, 1]) +
                layer("GRU", "gru", "time_first", ["", "gru.h"], 6, direction="bidirectional", linear_before_reset=1) +
                node("Transpose", ["gru.h"], "both", perm=[1, 0, 2]) + node("Reshape", ["both", "shape"], "flat") +
                node("Gemm", ["flat", "matrix"], "y", transB=1) + constants("gru", self.directions) +
                tensor("kernel", [7, 5, 3], self.kernel) + tensor("bias", [7], self.bias) + integers("shape", [1, 12]) +
                tensor("matrix", [3, 12], self.matrix))

    def run(self, sample):
        at = lambda c, t: sample[c * 20 + t] if 0 <= t < 20 else 0.0
        steps = [[max(0.0, self.bias[o] + sum(self.kernel[(o * 5 + c) * 3 + k] * at(c, 2 * t - 1 + k)
                                              for c in range(5) for k in range(3))) for o in range(7)] for t in range(10)]
        last = self.directions[0].run(steps)[-1] + self.directions[1].run(steps[::-1])[-1]
        return [sum(a * b for a, b in zip(self.matrix[12 * o:12 * o + 12], last)) for o in range(3)]


class Detector:
    """A GRU over frames, in two directions of one step, an LSTM behind it; the states are inputs and outputs of the file."""
    frame, units = 5, 6

    def __init__(self, draw):
        self.directions = [Recurrent(draw, 3, self.frame, self.units) for _ in range(2)]
        self.lstm = Recurrent(draw, 4, 2 * self.units, self.units)
        self.matrix = drawn(draw, 2 * self.units, 0.7)

    def graph(self):
        state, both = [1, 1, self.units], [2, 1, self.units]
        return (node("GRU", ["x", "gru.w", "gru.r", "gru.b", "", "g0"], ["gru.y", "g1"], hidden_size=self.units, linear_before_reset=1,
                     direction="bidirectional") +
                node("Transpose", ["gru.y"], "turned", perm=[0, 2, 1, 3]) + node("Reshape", ["turned", "joined"], "between") +
                node("LSTM", ["between", "lstm.w", "lstm.r", "lstm.b", "", "h0", "c0"], ["", "h1", "c1"], hidden_size=self.units) +
                node("Reshape", ["h1", "shape"], "flat") + node("Gemm", ["flat", "matrix"], "y", transB=1) +
                constants("gru", self.directions) + constants("lstm", [self.lstm]) + integers("joined", [1, 1, 2 * self.units]) +
                integers("shape", [1, self.units]) + tensor("matrix", [2, self.units], self.matrix) +
                value_info(11, "x", [1, 1, self.frame]) + value_info(11, "c0", state) + value_info(11, "g0", both) +
                value_info(11, "h0", state) + value_info(12, "y", [1, 2]) +
                value_info(12, "g1", both) + value_info(12, "h1", state) + value_info(12, "c1", state))

    def run(self, frames):
        return [[sum(a * b for a, b in zip(self.matrix[self.units * o:self.units * (o + 1)], h)) for o in range(2)]
                for h in self.lstm.run([a + b for a, b in zip(*(each.run(frames) for each in self.directions))])]


PUSHES = """
#include <cstdio>
#include "include/Stream.hpp"
using namespace N2D2_Export;
static Stream stream;
int main() {
  static float frame[Stream::kFrameSize], scores[2];
  static Target_T outputs[OUTPUTS_TOTAL];
  for (int pass = 0; pass < 2; ++pass) {
    stream.reset_state();
    for (int t = 0; t < %d; ++t) {
      for (int i = 0; i < Stream::kFrameSize; ++i)
        if (std::scanf("%%f", &frame[i]) != 1) return 1;
      if (stream.push(frame, outputs) != 0) return 2;
      stream.network().scores(0, scores);
      std::printf("%%.9g %%.9g\\n", scores[0], scores[1]);
    }
  }
}
"""


def check_stream(arguments, network, draw):
    frames = [[single(draw.gauss(0, 1)) for _ in range(network.frame)] for _ in range(4 * SAMPLES)]
    expected = network.run(frames)
    largest = max(abs(value) for outputs in expected for value in outputs)
    with tempfile.TemporaryDirectory() as place:
        folder = Path(place)
        (folder / "model.onnx").write_bytes(model(network.graph()))
        write_npy(folder / "frames.npy", [len(frames), network.frame], sum(frames, []))
        for bits, name in ((-32, "float32"), (8, "int8")):
            said = run([arguments.n2d2, "model.onnx", "-export", "CPP", "-nbbits", bits, "-calib-npy", "frames.npy",
                        "-states", "g1=g0,h1=h0,c1=c0"], folder)
            assert bits < 0 or "no byte different" in said, said
            project = folder / f"export_CPP_{name}"
            (project / "pushes.cpp").write_text(PUSHES % len(frames))
            sources = run(["make", "-s", "sources"], project).split()
            run([arguments.compiler, "-std=c++11", "-O1", "-Wall", "-Wextra", "-Werror", "pushes.cpp", *sources, "-o", "pushes"], project)
            text = " ".join(str(value) for frame in frames for value in frame)
            done = subprocess.run([project / "pushes"], input=text + " " + text, capture_output=True, text=True, check=True)
            found = [[float(word) for word in line.split()] for line in done.stdout.splitlines()]
            assert found[:len(frames)] == found[len(frames):], "reset_state() begins a sequence anew"
            worst = max(abs(a - b) for got, wanted in zip(found, expected) for a, b in zip(got, wanted)) / largest
            print(f"Detector {name}: {worst:.2g} of the largest output over {len(frames)} frames")
            assert worst <= STREAM_TOLERANCE[bits], (bits, worst)


def write_npy(path, extents, values):
    head = f"{{'descr': '<f4', 'fortran_order': False, 'shape': ({', '.join(map(str, extents))},), }}"
    head += " " * (63 - (10 + len(head)) % 64) + "\n"
    path.write_bytes(b"\x93NUMPY\x01\x00" + struct.pack("<H", len(head)) + head.encode() + struct.pack(f"<{len(values)}f", *values))


def run(command, folder):
    done = subprocess.run([str(word) for word in command], cwd=folder, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
    if done.returncode != 0:
        sys.exit(f"{command}: exit status {done.returncode}\n{done.stdout[-3000:]}")
    return done.stdout


def reference_of(project, sample):
    words = (project / "reference" / f"env{sample:02}" / "y.txt").read_text().split()
    return [float(word) for word in words if not word.endswith(":")]


def check(arguments, network, draw):
    size = math.prod(network.extents)
    samples = [[single(draw.gauss(0, 1)) for _ in range(size)] for _ in range(SAMPLES)]
    expected = [network.run(sample) for sample in samples]
    largest = max(abs(value) for outputs in expected for value in outputs)
    with tempfile.TemporaryDirectory() as place:
        folder = Path(place)
        graph = network.graph() + value_info(11, "x", [1, *network.extents]) + value_info(12, "y", [1, len(expected[0])])
        (folder / "model.onnx").write_bytes(model(graph))
        write_npy(folder / "samples.npy", [SAMPLES, *network.extents], sum(samples, []))
        for bits, name in ((-32, "float32"), (8, "int8"), (16, "int16")):
            said = run([arguments.n2d2, "model.onnx", "-export", "CPP", "-nbbits", bits, "-calib-npy", "samples.npy"], folder)
            assert bits < 0 or "no byte different" in said, said
            project = folder / f"export_CPP_{name}"
            if bits == 16:
                continue  # the judge has proven it
            run(["make", "-s", "-j2", "OPENMP=0", "CXXFLAGS=-O1", f"CXX={arguments.compiler}"], project)
            run(["bin/run_export", "-compare", "reference"], project)
            found = [reference_of(project, k) for k in range(10)]
            step = 1.0
            if bits > 0:
                text = (project / "dnn/include/env.hpp").read_text()
                step = float(text.split("OUTPUTS_SCALE[NETWORK_TARGETS] = { ")[1].split("f }")[0])
            worst = max(abs(step * a - b) for k in range(10) for a, b in zip(found[k], expected[k])) / largest
            print(f"{type(network).__name__} {name}: {worst:.2g} of the largest output")
            assert worst <= TOLERANCE[bits], (bits, worst, found[0], expected[0])


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("n2d2")
    parser.add_argument("--compiler", default="g++")
    arguments = parser.parse_args()
    for network in (Classifier, Keywords):
        draw = random.Random(network.__name__)
        check(arguments, network(draw), draw)
    draw = random.Random("Detector")
    check_stream(arguments, Detector(draw), draw)


if __name__ == "__main__":
    main()
