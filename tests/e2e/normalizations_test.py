#!/usr/bin/env python3
"""Do normalizations of each sample become programs that compute what plain loops compute?

  normalizations_test.py N2D2 [--compiler=g++]

Two networks of random weights: a convolution with torch.nn.GroupNorm as PyTorch writes it (Reshape, InstanceNormalization, Reshape,
Mul, Add) and an InstanceNormalization behind it; features divided by their length as torch.nn.functional.normalize does it, joined with
reductions of the same features. Each is exported alone in float, int8 and 16 bits; the programs of the first two must give their
references, and these must be what loops in this file compute.
"""
import argparse
import math
import random

from onnx_bytes import integers, node, tensor
from sequences_test import check, drawn


def normalized(values, epsilon=1e-5):
    mean = sum(values) / len(values)
    length = math.sqrt(sum((v - mean) ** 2 for v in values) / len(values) + epsilon)
    return [(v - mean) / length for v in values]


class Groups:
    """4 groups of 2 channels of 6x6 pixels, then each channel by itself, then the maximum of each."""
    extents = [3, 6, 6]

    def __init__(self, draw):
        self.kernel = drawn(draw, 8 * 3 * 9, 0.4)
        self.scales, self.biases = drawn(draw, 8, 1.5), drawn(draw, 8, 0.5)
        self.own, self.offsets = drawn(draw, 8, 1.5), drawn(draw, 8, 0.5)
        self.matrix = drawn(draw, 5 * 8, 0.5)

    def graph(self):
        return (node("Conv", ["x", "kernel"], "conv", kernel_shape=[3, 3], pads=[1, 1, 1, 1]) +
                node("Reshape", ["conv", "in_groups"], "groups") + node("InstanceNormalization", ["groups", "ones", "zeros"], "normed") +
                node("Reshape", ["normed", "map"], "back") + node("Mul", ["back", "scales"], "scaled") +
                node("Add", ["scaled", "biases"], "shifted") + node("Relu", ["shifted"], "relu") +
                node("InstanceNormalization", ["relu", "own", "offsets"], "instance") +
                node("ReduceMax", ["instance"], "most", axes=[2, 3], keepdims=0) + node("Gemm", ["most", "matrix"], "y", transB=1) +
                tensor("kernel", [8, 3, 3, 3], self.kernel) + integers("in_groups", [0, 4, -1]) + integers("map", [1, 8, 6, 6]) +
                tensor("ones", [4], [1.0] * 4) + tensor("zeros", [4], [0.0] * 4) + tensor("scales", [8, 1, 1], self.scales) +
                tensor("biases", [8, 1, 1], self.biases) + tensor("own", [8], self.own) + tensor("offsets", [8], self.offsets) +
                tensor("matrix", [5, 8], self.matrix))

    def run(self, sample):
        at = lambda c, y, x: sample[c * 36 + y * 6 + x] if 0 <= y < 6 and 0 <= x < 6 else 0.0
        conv = [sum(self.kernel[((o * 3 + c) * 3 + i) * 3 + k] * at(c, y + i - 1, x + k - 1)
                    for c in range(3) for i in range(3) for k in range(3)) for o in range(8) for y in range(6) for x in range(6)]
        values = sum((normalized(conv[g * 72:(g + 1) * 72]) for g in range(4)), [])
        values = [max(0.0, v * self.scales[i // 36] + self.biases[i // 36]) for i, v in enumerate(values)]
        maps = [normalized(values[c * 36:(c + 1) * 36]) for c in range(8)]
        most = [max(v * self.own[c] + self.offsets[c] for v in values) for c, values in enumerate(maps)]
        return [sum(a * b for a, b in zip(self.matrix[8 * o:8 * o + 8], most)) for o in range(5)]


class Embedding:
    """A vector of length 1, and what reductions of the features say of them."""
    extents = [12]

    def __init__(self, draw):
        self.matrix = drawn(draw, 6 * 12, 0.3)

    def graph(self):
        reduced = lambda operator: node(operator, ["f"], operator, axes=[1])
        return (node("Gemm", ["x", "matrix"], "f", transB=1) + reduced("ReduceL2") + node("Clip", ["ReduceL2", "tiny"], "length") +
                node("Expand", ["length", "shape"], "all") + node("Div", ["f", "all"], "unit") + reduced("ReduceL1") +
                reduced("ReduceMin") + reduced("ReduceLogSumExp") +
                node("Concat", ["unit", "ReduceL1", "ReduceMin", "ReduceLogSumExp"], "y", axis=1) +
                tensor("matrix", [6, 12], self.matrix) + tensor("tiny", [], [1e-12]) + integers("shape", [1, 6]))

    def run(self, sample):
        f = [sum(a * b for a, b in zip(self.matrix[12 * o:12 * o + 12], sample)) for o in range(6)]
        length = math.sqrt(sum(v * v for v in f))
        return [v / length for v in f] + [sum(map(abs, f)), min(f), math.log(sum(map(math.exp, f)))]


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("n2d2")
    parser.add_argument("--compiler", default="g++")
    arguments = parser.parse_args()
    for network in (Groups, Embedding):
        draw = random.Random(network.__name__)
        check(arguments, network(draw), draw)


main()
