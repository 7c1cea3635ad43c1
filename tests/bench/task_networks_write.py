#!/usr/bin/env python3
"""Writes ONNX files of twelve kinds of networks as exporters write them, with random weights.

    /usr/bin/python3 tests/bench/task_networks_write.py FOLDER NAME...

Beside NAME.onnx stands NAME.json: for each input its name, the extents of one sample, and the file with its samples
(NAME.<input>.npy); or the state of the network that it is (the name of an output). Needs python3-onnx and python3-numpy
of Debian.
"""
import json
import sys
from pathlib import Path

import numpy as np
import onnx
from onnx import TensorProto, helper, numpy_helper

SAMPLES = 24


class Graph:
    """Nodes with one output each, and constants that are named when they are made."""

    def __init__(self, opset, seed):
        self.opset, self.random = opset, np.random.RandomState(seed)
        self.nodes, self.constants, self.inputs, self.outputs, self.states = [], [], [], [], {}

    def constant(self, values):
        name = f"onnx::constant_{len(self.constants)}"
        self.constants.append(numpy_helper.from_array(np.asarray(values), name))
        return name

    def floats(self, values):
        return self.constant(np.asarray(values, np.float32))

    def ints(self, *values):
        return self.constant(np.asarray(values, np.int64))

    def normal(self, *extents, deviation=1.0):
        return self.floats(self.random.randn(*extents) * deviation)

    def nodes_of(self, kind, inputs, count, **attributes):
        names = [f"/{kind}_{len(self.nodes)}_output_{i}" for i in range(count)]
        self.nodes.append(helper.make_node(kind, inputs, names, name=f"/{kind}_{len(self.nodes)}", **attributes))
        return names

    def node(self, kind, *inputs, **attributes):
        return self.nodes_of(kind, list(inputs), 1, **attributes)[0]

    def input(self, name, *extents):
        self.inputs.append((name, extents))
        return name

    def output(self, value, name, *extents, state=None):
        self.nodes.append(helper.make_node("Identity", [value], [name]))
        self.outputs.append((name, extents))
        if state:
            self.states[name] = state

    # ---- layers
    def conv(self, x, inputs, outputs, k=3, stride=1, pad=None, groups=1, relu="Relu", norm=False):
        pad = k // 2 if pad is None else pad
        fan = k * k * inputs // groups
        y = self.node("Conv", x, self.normal(outputs, inputs // groups, k, k, deviation=np.sqrt(2 / fan)),
                      self.normal(outputs, deviation=0.1), kernel_shape=[k, k], strides=[stride, stride],
                      pads=[pad] * 4, group=groups)
        if norm:
            y = self.batch_norm(y, outputs)
        return self.activation(y, relu)

    def batch_norm(self, x, channels):
        return self.node("BatchNormalization", x, self.floats(1 + 0.2 * self.random.rand(channels)),
                         self.normal(channels, deviation=0.1), self.normal(channels, deviation=0.1),
                         self.floats(0.5 + self.random.rand(channels)), epsilon=1e-5)

    def activation(self, x, kind):
        if kind == "Clip":
            return self.node("Clip", x, self.floats(0.0), self.floats(6.0))
        if kind == "LeakyRelu":
            return self.node("LeakyRelu", x, alpha=0.1)
        return self.node(kind, x) if kind else x

    def linear(self, x, inputs, outputs):
        y = self.node("MatMul", x, self.normal(inputs, outputs, deviation=1 / np.sqrt(inputs)))
        return self.node("Add", self.normal(outputs, deviation=0.1), y)

    def gemm(self, x, inputs, outputs, relu=None):
        y = self.node("Gemm", x, self.normal(outputs, inputs, deviation=np.sqrt((2 if relu else 1) / inputs)),
                      self.normal(outputs, deviation=0.1), transB=1)
        return self.activation(y, relu)

    def recurrent(self, kind, x, inputs, hidden, state=(), directions=1, **attributes):
        """All outputs: the sequence, the last state and, for an LSTM, the last cell state."""
        gates, bound = {"LSTM": 4, "GRU": 3}[kind], 1 / np.sqrt(hidden)
        uniform = lambda *extents: self.floats(self.random.uniform(-bound, bound, extents))
        weights = [uniform(directions, gates * hidden, inputs), uniform(directions, gates * hidden, hidden),
                   uniform(directions, 2 * gates * hidden)]
        return self.nodes_of(kind, [x, *weights, *(["", *state] if state else [])], 3 if kind == "LSTM" else 2,
                             hidden_size=hidden, **attributes)

    def layer_norm(self, x, channels):
        scale, shift = self.floats(1 + 0.3 * self.random.randn(channels)), self.normal(channels, deviation=0.2)
        if self.opset >= 17:
            return self.node("LayerNormalization", x, scale, shift, axis=-1, epsilon=1e-5)
        centred = self.node("Sub", x, self.node("ReduceMean", x, axes=[-1], keepdims=1))
        variance = self.node("ReduceMean", self.node("Pow", centred, self.floats(2.0)), axes=[-1], keepdims=1)
        deviation = self.node("Sqrt", self.node("Add", variance, self.floats(1e-5)))
        return self.node("Add", self.node("Mul", self.node("Div", centred, deviation), scale), shift)

    def gelu(self, x):
        error = self.node("Erf", self.node("Div", x, self.floats(np.sqrt(2))))
        return self.node("Mul", self.node("Mul", x, self.node("Add", error, self.floats(1.0))), self.floats(0.5))

    def attention(self, x, tokens, channels, heads, depth):
        width = heads * depth
        joint = self.node("Reshape", self.linear(x, channels, 3 * width), self.ints(1, tokens, 3, heads, depth))
        joint = self.node("Transpose", joint, perm=[2, 0, 3, 1, 4])
        q, k, v = [self.node("Gather", joint, self.constant(np.int64(i)), axis=0) for i in range(3)]
        scores = self.node("MatMul", q, self.node("Transpose", k, perm=[0, 1, 3, 2]))
        shares = self.node("Softmax", self.node("Mul", scores, self.floats(depth ** -0.5)), axis=-1)
        joined = self.node("Transpose", self.node("MatMul", shares, v), perm=[0, 2, 1, 3])
        return self.linear(self.node("Reshape", joined, self.ints(1, tokens, width)), width, channels)

    def perceptron(self, x, channels, hidden):
        return self.linear(self.gelu(self.linear(x, channels, hidden)), hidden, channels)

    # ---- files
    def save(self, folder, name):
        described = lambda values: [helper.make_tensor_value_info(n, TensorProto.FLOAT, e) for n, e in values]
        graph = helper.make_graph(self.nodes, name, described(self.inputs), described(self.outputs), self.constants)
        model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", self.opset)])
        model.ir_version = 8
        onnx.checker.check_model(model)
        onnx.save(model, str(folder / f"{name}.onnx"))
        inputs = []
        for value, extents in self.inputs:
            state = [output for output, of in self.states.items() if of == value]
            file = f"{name}.{value}.npy"
            if not state:
                np.save(folder / file, self.random.randn(SAMPLES, *extents[1:]).astype(np.float32))
            inputs.append({"name": value, "extents": extents, "state": state[0]} if state else
                          {"name": value, "extents": extents, "file": file})
        outputs = [{"name": n, "extents": e} for n, e in self.outputs]
        (folder / f"{name}.json").write_text(json.dumps({"inputs": inputs, "outputs": outputs}))


def rows_of(g, x, rows, columns):
    """A head N,C,H,W as rows of boxes or scores: N,H,W,C, then N,rows,columns."""
    return g.node("Reshape", g.node("Transpose", x, perm=[0, 2, 3, 1]), g.ints(1, rows, columns))


def separable(g, x, inputs, outputs, stride):
    x = g.conv(x, inputs, inputs, stride=stride, groups=inputs, relu="Clip", norm=True)
    return g.conv(x, inputs, outputs, k=1, relu="Clip", norm=True)


def ssd(g):
    """MobileNet with heads of boxes and classes on two maps."""
    x = g.conv(g.input("image", 1, 3, 96, 96), 3, 8, stride=2, relu="Clip", norm=True)
    maps = []
    for inputs, outputs, stride in ((8, 16, 2), (16, 16, 1), (16, 32, 2), (32, 32, 1), (32, 48, 2)):
        x = separable(g, x, inputs, outputs, stride)
        maps.append((x, outputs))
    boxes, scores = [], []
    for (value, channels), extent in ((maps[3], 12), (maps[4], 6)):
        rows = extent * extent * 3
        boxes.append(rows_of(g, g.conv(value, channels, 12, relu=None), rows, 4))
        scores.append(rows_of(g, g.conv(value, channels, 9, relu=None), rows, 3))
    g.output(g.node("Concat", *boxes, axis=1), "boxes", 1, 540, 4)
    g.output(g.node("Softmax", g.node("Concat", *scores, axis=1), axis=-1), "scores", 1, 540, 3)


def yolo(g):
    """Darknet with two scales, the smaller one enlarged and joined to the larger one."""
    x, channels, maps = g.input("images", 1, 3, 96, 96), 3, []
    for outputs in (8, 16, 32, 48):
        x = g.conv(x, channels, outputs, relu="LeakyRelu", norm=True)
        x, channels = g.node("MaxPool", x, kernel_shape=[2, 2], strides=[2, 2]), outputs
        maps.append(x)
    g.output(rows_of(g, g.conv(x, 48, 21, k=1, relu=None), 36, 21), "coarse", 1, 36, 21)
    up = g.node("Resize", g.conv(x, 48, 16, k=1, relu="LeakyRelu"), "", g.floats([1, 1, 2, 2]), mode="nearest",
                coordinate_transformation_mode="asymmetric", nearest_mode="floor")
    joined = g.conv(g.node("Concat", up, maps[2], axis=1), 48, 32, relu="LeakyRelu")
    g.output(rows_of(g, g.conv(joined, 32, 21, k=1, relu=None), 144, 21), "fine", 1, 144, 21)


def u_net(g):
    x, channels, kept = g.input("image", 1, 1, 64, 64), 1, []
    for outputs in (8, 16):
        x = g.conv(g.conv(x, channels, outputs), outputs, outputs)
        kept.append((x, outputs))
        x, channels = g.node("MaxPool", x, kernel_shape=[2, 2], strides=[2, 2]), outputs
    x = g.conv(x, 16, 32)
    channels = 32
    for value, outputs in reversed(kept):
        x = g.node("ConvTranspose", x, g.normal(channels, outputs, 2, 2, deviation=1 / np.sqrt(channels)),
                   g.normal(outputs, deviation=0.1), kernel_shape=[2, 2], strides=[2, 2])
        x, channels = g.conv(g.node("Concat", x, value, axis=1), 2 * outputs, outputs), outputs
    g.output(g.node("Sigmoid", g.conv(x, 8, 1, k=1, relu=None)), "mask", 1, 1, 64, 64)


def super_resolution(g):
    x = g.conv(g.input("low", 1, 1, 40, 40), 1, 32, k=5)
    x = g.conv(g.conv(x, 32, 32), 32, 16)
    g.output(g.node("DepthToSpace", g.conv(x, 16, 4, relu=None), blocksize=2, mode="CRD"), "high", 1, 1, 80, 80)


def dn_cnn(g):
    """What the layers compute is the noise, which is taken from the picture."""
    noisy = g.input("noisy", 1, 1, 48, 48)
    x = g.conv(noisy, 1, 16)
    for _ in range(5):
        x = g.conv(x, 16, 16, norm=True)
    g.output(g.node("Sub", noisy, g.conv(x, 16, 1, relu=None)), "clean", 1, 1, 48, 48)


def tiny_vad(g):
    """Convolutions over a frame's features, a GRU over the frames."""
    x = g.conv(g.input("features", 1, 1, 20, 24), 1, 8, stride=2)
    x = g.node("Transpose", g.node("Reshape", x, g.ints(1, 80, 12)), perm=[2, 0, 1])
    _, last = g.recurrent("GRU", x, 80, 24, linear_before_reset=1)
    x = g.gemm(g.node("Squeeze", last, g.ints(0)), 24, 1)
    g.output(g.node("Sigmoid", x), "speech", 1, 1)


def lstm_classifier(g):
    """Two layers over a series of a sensor; the last step is classified."""
    x = g.node("Transpose", g.input("series", 1, 50, 6), perm=[1, 0, 2])
    for inputs in (6, 32):
        x = g.node("Squeeze", g.recurrent("LSTM", x, inputs, 32)[0], g.ints(1))
    x = g.node("Gather", g.node("Transpose", x, perm=[1, 0, 2]), g.constant(np.int64(-1)), axis=1)
    g.output(g.gemm(x, 32, 6), "activity", 1, 6)


def two_stages(g):
    """A mask of a frame's spectrum by two LSTMs whose states go from run to run, as DTLN has it."""
    x = frame = g.input("magnitudes", 1, 1, 65)
    for layer, inputs in enumerate((65, 32)):
        state = [g.input(f"{kind}{layer}", 1, 1, 32) for kind in ("h", "c")]
        y, *last = g.recurrent("LSTM", x, inputs, 32, state)
        x = g.node("Squeeze", y, g.ints(1))
        for name, value in zip(state, last):
            g.output(value, f"{name}_next", 1, 1, 32, state=name)
    mask = g.node("Sigmoid", g.linear(x, 32, 65))
    g.output(g.node("Mul", mask, frame), "estimate", 1, 1, 65)


def temporal_convolutions(g):
    """Causal dilated convolutions over a series, with a sum around each two."""
    x, channels = g.input("series", 1, 8, 64), 8
    for dilation in (1, 2, 4, 8):
        y = x
        for inputs in (channels, 16):
            y = g.node("Pad", y, g.ints(0, 0, 2 * dilation, 0, 0, 0), g.floats(0.0), mode="constant")
            y = g.node("Relu", g.node("Conv", y, g.normal(16, inputs, 3, deviation=np.sqrt(2 / (3 * inputs))),
                                      g.normal(16, deviation=0.1), kernel_shape=[3], dilations=[dilation]))
        if channels != 16:
            x = g.node("Conv", x, g.normal(16, channels, 1, deviation=1 / np.sqrt(channels)), kernel_shape=[1])
        x, channels = g.node("Relu", g.node("Add", y, x)), 16
    x = g.node("Squeeze", g.node("GlobalAveragePool", x), g.ints(2))
    g.output(g.gemm(x, 16, 5), "gesture", 1, 5)


def kwt_1(g):
    """The keyword transformer with one head of 64: normalizations follow the sums."""
    x = g.node("Transpose", g.input("mfcc", 1, 40, 98), perm=[0, 2, 1])
    x = g.node("Concat", g.normal(1, 1, 64, deviation=0.5), g.linear(x, 40, 64), axis=1)
    x = g.node("Add", x, g.normal(1, 99, 64, deviation=0.5))
    for _ in range(12):
        x = g.layer_norm(g.node("Add", g.attention(x, 99, 64, 1, 64), x), 64)
        x = g.layer_norm(g.node("Add", g.perceptron(x, 64, 256), x), 64)
    g.output(g.gemm(g.node("Gather", x, g.constant(np.int64(0)), axis=1), 64, 35), "keyword", 1, 35)


def tiny_vit(g):
    """A vision transformer of two blocks: normalizations come before attention and perceptron."""
    x = g.node("Conv", g.input("image", 1, 3, 32, 32), g.normal(48, 3, 4, 4, deviation=1 / np.sqrt(48)),
               g.normal(48, deviation=0.1), kernel_shape=[4, 4], strides=[4, 4])
    x = g.node("Transpose", g.node("Reshape", x, g.ints(1, 48, -1)), perm=[0, 2, 1])
    x = g.node("Concat", g.normal(1, 1, 48, deviation=0.5), x, axis=1)
    x = g.node("Add", x, g.normal(1, 65, 48, deviation=0.5))
    for _ in range(2):
        x = g.node("Add", x, g.attention(g.layer_norm(x, 48), 65, 48, 3, 16))
        x = g.node("Add", x, g.perceptron(g.layer_norm(x, 48), 48, 96))
    x = g.node("Gather", g.layer_norm(x, 48), g.constant(np.int64(0)), axis=1)
    g.output(g.gemm(x, 48, 10), "class", 1, 10)


def auto_encoder(g):
    x, inputs = g.input("frames", 1, 640), 640
    for outputs in (128, 128, 128, 128, 8, 128, 128, 128, 128):
        x, inputs = g.node("Relu", g.batch_norm(g.gemm(x, inputs, outputs), outputs)), outputs
    g.output(g.gemm(x, inputs, 640), "reconstruction", 1, 640)


NETWORKS = {"ssd": (ssd, 11), "yolo": (yolo, 13), "u_net": (u_net, 13), "super_resolution": (super_resolution, 13),
            "dn_cnn": (dn_cnn, 11), "tiny_vad": (tiny_vad, 14), "lstm_classifier": (lstm_classifier, 14),
            "two_stages": (two_stages, 14), "temporal_convolutions": (temporal_convolutions, 15),
            "kwt_1": (kwt_1, 13), "tiny_vit": (tiny_vit, 17), "auto_encoder": (auto_encoder, 11)}


def main():
    folder = Path(sys.argv[1])
    for name in sys.argv[2:]:
        build, opset = NETWORKS[name]
        graph = Graph(opset, 1 + list(NETWORKS).index(name))
        build(graph)
        graph.save(folder, name)


main()
