#!/usr/bin/env python3
"""Do models that another tool quantized keep their integers?

Trained float models of N2D2_DATA/models are quantized here, with ranges that ONNX Runtime measures, in three styles:
qdq (uint8 and int8 around every layer, a scale for each output channel), int8 (zero point -128 where nothing is negative,
one scale for all weights) and qlinear (the same zero points, QLinearConv instead of Conv). n2d2 imports each without calibration, and ONNX
Runtime (node, npm: onnxruntime-node, installed into the work folder) runs it without graph optimizations on the same
stimuli. Printed: outputs, those that differ by one step and by more, the classes that agree, and of the others those that n2d2
holds for equal within one step. Needs Python's onnx and numpy. Exit status 1 when less than 99.5 % of the classes agree,
such ties counted as agreement.

    N2D2_DATA=<folder> tests/bench/onnx_quantized.py --n2d2 <build>/src/app/n2d2 [--only resnet20,...] [--styles qdq,...]
"""
import argparse
import os
import sys
from pathlib import Path

import numpy
import onnx
from onnx import helper, numpy_helper, version_converter

import figures
from commands import Failure, run
from onnx_export import AGREEMENT, compare_classes, outputs_of, runtime
from onnx_models import INI, NETWORKS, RUNTIME

ONLY = ("resnet20", "mlperf_resnet8", "mobilenet_v1_025_128")
STYLES = ("qdq", "int8", "qlinear")
STIMULI, MEASURED = 300, 50
CLAMPS = ("Relu", "Clip")


def stimuli(arguments, ini, folder):
    """What the network sees of the test pictures: the stimuli of a float export."""
    run([arguments.n2d2, INI / f"{ini}_onnx.ini", "-seed", "1", "-w", "/dev/null", "-export", "ONNX", "-nbbits", "-32",
         "-db-export", STIMULI], folder, "float.log")
    project = folder / "export_ONNX_float32"
    files = [line.split()[0] for line in (project / "stimuli.list").read_text().splitlines()]
    numpy.save(folder / "stimuli.npy", numpy.concatenate([numpy.load(project / f) for f in files]))
    return folder / "stimuli.npy"


class Quantizer:
    def __init__(self, model, style):
        self.model, self.style = model, style
        self.graph = model.graph
        self.constants = {i.name: numpy_helper.to_array(i) for i in self.graph.initializer}
        self.readers = {}
        for node in self.graph.node:
            for name in node.input:
                self.readers.setdefault(name, []).append(node)
        self.added, self.scales = [], {}

    def tensors(self):
        """Inputs, and results that a layer other than a clamp reads."""
        names = [i.name for i in self.graph.input if i.name not in self.constants]
        for node in self.graph.node:
            readers = self.readers.get(node.output[0], [])
            if not readers or any(r.op_type not in CLAMPS for r in readers):
                names.append(node.output[0])
        return names

    def constant(self, name, values):
        self.added.append(numpy_helper.from_array(values, name))
        return name

    def activation_scale(self, name, low, high):
        signed = low < 0
        scale = numpy.float32(max(abs(low), abs(high), 1e-6) / (127 if signed else 255))
        int8 = signed or self.style != "qdq"
        zero = numpy.array(0 if signed or not int8 else -128, numpy.int8 if int8 else numpy.uint8)
        self.scales[name] = (self.constant(f"{name}_s", scale), self.constant(f"{name}_z", zero), scale)

    def weights(self, name, axis):
        w = self.constants[name]
        largest = numpy.abs(w).max(axis=tuple(i for i in range(w.ndim) if i != axis)) if self.style != "int8" else numpy.abs(w).max()
        scale = (numpy.maximum(largest, 1e-9) / 127).astype(numpy.float32)
        spread = scale.reshape([-1 if i == axis else 1 for i in range(w.ndim)]) if self.style != "int8" else scale
        integers = numpy.clip(numpy.rint(w / spread), -127, 127).astype(numpy.int8)
        return (self.constant(f"{name}_q", integers), self.constant(f"{name}_s", scale),
                self.constant(f"{name}_z", numpy.zeros_like(scale, numpy.int8)), scale)

    def biases(self, name, in_scale, scale):
        step = (in_scale * scale).astype(numpy.float32)
        integers = numpy.rint(self.constants[name] / step).astype(numpy.int32)
        step = numpy.broadcast_to(step, integers.shape).copy()
        return integers, (self.constant(f"{name}_q", integers), self.constant(f"{name}_s", step),
                          self.constant(f"{name}_z", numpy.zeros_like(integers)))

    def dequantized(self, triple, name, axis):
        self.nodes.append(helper.make_node("DequantizeLinear", list(triple[:3]), [name], axis=axis))
        return name

    def layer(self, node):
        """A Conv or Gemm of integers that were dequantized; a QLinearConv takes them as they are."""
        scale = self.scales[node.input[0]][2]
        axis = 0 if node.op_type == "Conv" or any(a.name == "transB" and a.i for a in node.attribute) else 1
        weights = self.weights(node.input[1], axis)
        bias = self.biases(node.input[2], scale, weights[3]) if len(node.input) > 2 else None
        if self.style == "qlinear" and node.op_type == "Conv":
            return self.qlinear(node, weights, bias)
        inputs = [f"{node.input[0]}_dq", self.dequantized(weights, f"{node.input[1]}_dq", axis)]
        if bias:
            inputs.append(self.dequantized(bias[1], f"{node.input[2]}_dq", 0))
        self.nodes.append(helper.make_node(node.op_type, inputs, list(node.output),
                                           **{a.name: helper.get_attribute_value(a) for a in node.attribute}))

    def qlinear(self, node, weights, bias):
        name = node.output[0]
        clamp = self.readers[name][0] if name not in self.scales else None
        end = clamp.output[0] if clamp is not None else name
        x, y = self.scales[node.input[0]], self.scales[end]
        inputs = [f"{node.input[0]}_q", x[0], x[1], *weights[:3], y[0], y[1]]
        if bias:
            inputs.append(self.constant(f"{name}_b", bias[0]))
        self.nodes.append(helper.make_node("QLinearConv", inputs, [f"{end}_q"],
                                           **{a.name: helper.get_attribute_value(a) for a in node.attribute}))
        self.nodes.append(helper.make_node("DequantizeLinear", [f"{end}_q", y[0], y[1]], [f"{end}_dq"]))
        self.done.add(end)

    def round(self, name):
        if name in self.scales and name not in self.done:
            scale, zero, _ = self.scales[name]
            self.nodes.append(helper.make_node("QuantizeLinear", [name, scale, zero], [f"{name}_q"]))
            self.nodes.append(helper.make_node("DequantizeLinear", [f"{name}_q", scale, zero], [f"{name}_dq"]))

    def run(self, ranges):
        self.nodes, self.done = [], set()
        for name, (low, high) in ranges.items():
            self.activation_scale(name, low, high)
        for i in self.graph.input:
            self.round(i.name)
        for node in self.graph.node:
            if node.output[0] in self.done:
                continue  # a clamp that the type of a QLinearConv's result implies
            if node.op_type in ("Conv", "Gemm", "MatMul") and node.input[1] in self.constants:
                self.layer(node)
            else:
                copy = onnx.NodeProto.FromString(node.SerializeToString())
                for i, name in enumerate(copy.input):
                    copy.input[i] = f"{name}_dq" if name in self.scales else name
                self.nodes.append(copy)
            self.round(node.output[0])
        for output in self.graph.output:
            output.name = f"{output.name}_dq"
        del self.graph.node[:]
        self.graph.node.extend(self.nodes)
        self.graph.initializer.extend(self.added)
        del self.graph.value_info[:]
        for opset in self.model.opset_import:
            opset.version = max(opset.version, 13)
        return self.model


def fold_batchnorm(graph):
    """Every BatchNormalization behind a Conv goes into its weights and biases."""
    constants = {i.name: i for i in graph.initializer}
    convs = {n.output[0]: n for n in graph.node if n.op_type == "Conv"}
    for node in [n for n in graph.node if n.op_type == "BatchNormalization" and n.input[0] in convs]:
        conv = convs[node.input[0]]
        scale, offset, mean, variance = (numpy_helper.to_array(constants[name]) for name in node.input[1:5])
        factor = scale / numpy.sqrt(variance + next(a.f for a in node.attribute if a.name == "epsilon"))
        weights = constants[conv.input[1]]
        weights.CopyFrom(numpy_helper.from_array(numpy_helper.to_array(weights) * factor.reshape(-1, 1, 1, 1), weights.name))
        bias = numpy_helper.to_array(constants[conv.input[2]]) if len(conv.input) > 2 else 0
        del conv.input[2:]
        conv.input.append(f"{conv.output[0]}_bias")
        graph.initializer.append(numpy_helper.from_array((offset + (bias - mean) * factor).astype(numpy.float32), conv.input[2]))
        conv.output[0] = node.output[0]
        graph.node.remove(node)


def load(network):
    """The float model at operator set 13, without constants among its inputs, BatchNormalization, and the Softmax that
    ends it."""
    model = version_converter.convert_version(onnx.load(str(network.path)), 13)
    constants = {i.name for i in model.graph.initializer}
    inputs = [i for i in model.graph.input if i.name not in constants]
    del model.graph.input[:]
    model.graph.input.extend(inputs)
    last = next(n for n in model.graph.node if n.output[0] == model.graph.output[0].name)
    if last.op_type == "Softmax":
        model.graph.output[0].name = last.input[0]
        model.graph.node.remove(last)
    fold_batchnorm(model.graph)
    return model


def measure(arguments, network, batch, folder):
    """Smallest and largest value of each tensor to quantize, over some stimuli."""
    model = load(network)
    names = Quantizer(model, "qdq").tensors()
    first, made = names[0], names[1:]
    del model.graph.output[:]
    model.graph.output.extend(helper.make_empty_tensor_value_info(name) for name in made)
    onnx.save(model, str(folder / "measure.onnx"))
    numpy.save(folder / "some.npy", numpy.load(batch)[:MEASURED])
    files = {name: str(folder / f"measured_{i}.npy") for i, name in enumerate(made)}
    runtime(arguments, {"model": str(folder / "measure.onnx"), "optimize": False,
                        "runs": [{"inputs": {first: str(folder / "some.npy")}, "outputs": files, "split": True}]},
            folder, "measure")
    ranges = {first: (float(numpy.load(batch).min()), float(numpy.load(batch).max()))}
    for name, file in files.items():
        values = numpy.load(file)
        ranges[name] = (float(values.min()), float(values.max()))
        Path(file).unlink()
    return ranges


def compare(arguments, network, style, ranges, folder, table):
    work = folder / style
    work.mkdir(exist_ok=True)
    quantizer = Quantizer(load(network), style)
    model = quantizer.run(ranges)
    onnx.checker.check_model(model)
    onnx.save(model, str(work / "model.onnx"))
    text = (INI / f"{network.ini}_onnx.ini").read_text()
    head, net = text.split("[net]")
    (work / "net.ini").write_text(f"{head}[net]\nInput=sp\nType=ONNX\nFile=model.onnx\n[{model.graph.output[0].name}.Target]\n")
    run([arguments.n2d2, "net.ini", "-seed", "1", "-w", "/dev/null", "-export", "ONNX", "-nbbits", "8", "-db-export",
         STIMULI], work, "export.log")
    project = work / "export_ONNX_int8"
    (work / "ours.onnx").write_bytes((project / "model.onnx").read_bytes())
    (project / "model.onnx").write_bytes((work / "model.onnx").read_bytes())
    ours, theirs = outputs_of(arguments, project, False)
    step = float(quantizer.scales[model.graph.output[0].name.removesuffix("_dq")][2])
    steps = numpy.abs(numpy.rint(ours / step) - numpy.rint(theirs / step))
    same, near = compare_classes(ours, theirs, step)
    table.add(network.ini, style, steps.size, int((steps == 1).sum()), int((steps > 1).sum()),
              int(steps.max()), f"{same} of {len(ours)}{f' ({near} within a step)' if near else ''}")
    return same + near >= AGREEMENT * len(ours)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--n2d2", required=True, type=Path, help="the n2d2 program")
    parser.add_argument("--work", default=Path("onnx_quantized.work"), type=Path, help="folder for everything written")
    parser.add_argument("--only", default=",".join(ONLY), help="networks, comma-separated [all]")
    parser.add_argument("--styles", default=",".join(STYLES), help="styles, comma-separated [all]")
    figures.add_option(parser)
    arguments = parser.parse_args()
    arguments.n2d2, arguments.work = arguments.n2d2.resolve(), arguments.work.resolve()
    arguments.work.mkdir(parents=True, exist_ok=True)
    if not (arguments.work / "node_modules" / "onnxruntime-node").exists():
        run(["npm", "install", "--ignore-scripts", "--prefix", arguments.work, RUNTIME], arguments.work, "npm.log")
    table = figures.Table("network", "style", ("outputs", "{}"), ("one step off", "{}"), ("more", "{}"),
                          ("largest", "{}"), "classes that agree")
    missed = []
    for network in (n for n in NETWORKS if n.ini in arguments.only.split(",")):
        folder = arguments.work / network.ini
        folder.mkdir(exist_ok=True)
        try:
            batch = stimuli(arguments, network.ini, folder)
            ranges = measure(arguments, network, batch, folder)
            missed += [f"{network.ini} {style}" for style in arguments.styles.split(",")
                       if not compare(arguments, network, style, ranges, folder, table)]
        except Failure as failure:
            missed.append(f"{network.ini}: {failure}")
    figures.write(arguments.json, ["N2D2_DATA"], networks=table)
    for line in missed:
        print(f"missed: {line}", file=sys.stderr)
    return 1 if missed or "N2D2_DATA" not in os.environ else 0


if __name__ == "__main__":
    sys.exit(main())
