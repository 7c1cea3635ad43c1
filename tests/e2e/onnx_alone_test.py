#!/usr/bin/env python3
"""Do three commands go from an ONNX file and a folder of pictures to a program that prints names and scores?

  onnx_alone_test.py N2D2 [--compiler=g++]

From an empty folder, for a network of 32x32 pictures and one of 224x224: n2d2 model.onnx -export CPP -calib-dir pictures,
make example, bin/example. What it prints must be what -test computed for the same picture (its class in classif.log, its
scores in the reference), in int8 and in float, in C and C++; in float it must also be what plain loops in this file compute
from the picture and the weights. The INI file of -init must give the same tree.
"""
import argparse
import math
import random
import re
import struct
import subprocess
import sys
import tempfile
from pathlib import Path

from onnx_bytes import model, node, tensor, value_info

FLOAT_TOLERANCE = 2e-4  # sums of up to 200 products in float32, another order, relative to the largest score
INT8_TOLERANCE = 0.25  # random weights, eight pictures to calibrate on: of the right size, no more


class Conv:
    """3x3 windows of all channels, a border of zeros of one pixel, then a rectifier."""

    def __init__(self, draw, in_c, out_c, stride):
        self.in_c, self.out_c, self.stride = in_c, out_c, stride
        bound = math.sqrt(2 / (9 * in_c))
        self.weights = [single(draw.gauss(0, bound)) for _ in range(out_c * in_c * 9)]
        self.bias = [single(draw.gauss(0, 0.1)) for _ in range(out_c)]

    def proto(self, name, source):
        return (node("Conv", [source, name + ".w", name + ".b"], name + ".c", kernel_shape=[3, 3],
                     strides=[self.stride] * 2, pads=[1, 1, 1, 1]) + node("Relu", [name + ".c"], name) +
                tensor(name + ".w", [self.out_c, self.in_c, 3, 3], self.weights) +
                tensor(name + ".b", [self.out_c], self.bias))

    def run(self, planes):
        height, width = len(planes[0]), len(planes[0][0])
        padded = [[[0.0] * (width + 2)] + [[0.0] + row + [0.0] for row in plane] + [[0.0] * (width + 2)] for plane in planes]
        out = [[] for _ in range(self.out_c)]
        for y in range(0, height, self.stride):
            rows = [[] for _ in range(self.out_c)]
            for x in range(0, width, self.stride):
                window = [v for plane in padded for dy in range(3) for v in plane[y + dy][x:x + 3]]
                for o in range(self.out_c):
                    begin = o * self.in_c * 9
                    total = sum(a * b for a, b in zip(self.weights[begin:begin + self.in_c * 9], window))
                    rows[o].append(max(0.0, total + self.bias[o]))
            for o in range(self.out_c):
                out[o].append(rows[o])
        return out


def single(value):
    return struct.unpack("<f", struct.pack("<f", value))[0]


class Network:
    """Two convolutions, the mean of each channel, a matrix."""

    def __init__(self, seed, strides, classes):
        draw = random.Random(seed)
        self.convs = [Conv(draw, 3, 8, strides[0]), Conv(draw, 8, 12, strides[1])]
        self.matrix = [single(draw.gauss(0, 1)) for _ in range(12 * classes)]
        self.classes = classes

    def write(self, path, size):
        graph = (self.convs[0].proto("one", "pixels") + self.convs[1].proto("two", "one") +
                 node("GlobalAveragePool", ["two"], "mean") + node("Flatten", ["mean"], "row") +
                 node("Gemm", ["row", "m"], "scores") + tensor("m", [12, self.classes], self.matrix) +
                 value_info(11, "pixels", [1, 3, size, size]) + value_info(12, "scores", [1, self.classes]))
        path.write_bytes(model(graph))

    def run(self, planes):
        for conv in self.convs:
            planes = conv.run(planes)
        means = [sum(map(sum, plane)) / (len(plane) * len(plane[0])) for plane in planes]
        return [sum(mean * self.matrix[c * self.classes + k] for c, mean in enumerate(means)) for k in range(self.classes)]


# ---- pictures ------------------------------------------------------------------------------------------------


def write_picture(path, seed, width, height):
    """A wave of each colour around a level of its own."""
    draw = random.Random(seed)
    waves = [(draw.uniform(0.02, 0.2), draw.uniform(0.02, 0.2), draw.uniform(50, 205)) for _ in range(3)]
    pixels = bytes(int(level + 50 * math.sin(a * x + b * y)) for y in range(height) for x in range(width)
                   for a, b, level in waves)
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(f"P6\n{width} {height}\n255\n".encode() + pixels)


def planes_of(pixels, size, mean, deviation):
    return [[[(pixels[(y * size + x) * 3 + c] - mean[c]) / deviation[c] for x in range(size)] for y in range(size)]
            for c in range(3)]


# ---- the three commands --------------------------------------------------------------------------------------


def run(command, folder):
    done = subprocess.run([str(word) for word in command], cwd=folder, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
    if done.returncode != 0:
        sys.exit(f"{command}: exit status {done.returncode}\n{done.stdout[-3000:]}")
    return done.stdout


def example_picture(project):
    """The bytes that the example is compiled with."""
    header = next(project.glob("**/example_picture.h")).read_text()
    return bytes(int(word) for word in re.findall(r"\d+", header.split("= {", 1)[1]))


def scores_printed(project, names):
    """Runs the example in C++ and in C. Returns the class and the scores."""
    said = run(["bin/example"], project)
    assert run(["bin/example_c"], project) == said
    lines = said.splitlines()
    found = re.fullmatch(r"class (\d+): (.*)", lines[0])
    assert found and names[int(found.group(1))] == found.group(2), said
    pairs = [line.rsplit(": ", 1) for line in lines[1:]]
    assert [name for name, _ in pairs] == names, said
    return int(found.group(1)), [float(score) for _, score in pairs]


def check_as_tested(folder, project, names, label):
    """The example against what -test wrote."""
    printed_class, printed = scores_printed(project, names)
    assert printed_class == max(range(len(printed)), key=lambda k: (printed[k], -k)), printed
    log = (folder / "scores.Target" / "export" / "classif.log").read_text().splitlines()
    first = next(line for line in log if re.match(r"0\b", line))
    assert [int(word) for word in re.findall(r"\d+", first)][1:3] == [label, printed_class], (first, printed_class)
    run(["make", "-s", "-j2", "OPENMP=0", "CXXFLAGS=-O1"], project)
    run(["bin/run_export", "-compare", "reference", "-classes", "classes.txt"], project)
    stimulus, said = (project / "classes.txt").read_text().splitlines()[0].split()
    assert int(said) == printed_class
    reference = [float(word) for word in (project / "reference" / stimulus / "scores.txt").read_text().split() if not word.endswith(":")]
    step = float(re.search(r"OUTPUTS_SCALE\[NETWORK_TARGETS\] = { (\S+)f }", (project / "dnn/include/env.hpp").read_text()).group(1))
    assert all(abs(step * a - b) <= 1e-5 * max(1, abs(b)) for a, b in zip(reference, printed)), (reference, printed)
    return printed


def check(arguments, size, options, mean, deviation, make_pictures):
    names = [f"thing {k}, such" for k in range(5)]
    network = Network(size, (2, 2) if size < 100 else (4, 2), len(names))
    # Folders in another order than the classes: labels.txt decides.
    folders = {f"thing {k}, such": k for k in (3, 0, 4)}
    with tempfile.TemporaryDirectory() as place:
        folder = Path(place)
        network.write(folder / "model.onnx", size)
        make_pictures(folder / "pictures", folders)
        (folder / "labels.txt").write_text("\n".join(names) + "\n")
        common = ["model.onnx", "-export", "CPP", "-calib-dir", "pictures", "-labels", "labels.txt", "-test", *options]
        first = sorted((folder / "pictures").glob("*/*"))[0]
        label = folders[first.parent.name]
        scores = {}
        for bits in (8, -32):
            project = folder / ("export_CPP_int8" if bits > 0 else "export_CPP_float32")
            # The three commands.
            said = run([arguments.n2d2, *common, *([] if bits > 0 else ["-nbbits", "-32"])], folder)
            run(["make", "-s", "-j2", "-C", project.name, "OPENMP=0", f"CXX={arguments.compiler}", "example"], folder)
            run([f"{project.name}/bin/example"], folder)
            assert "Final recognition rate: " in said, said
            scores[bits] = check_as_tested(folder, project, names, label)
            pixels = example_picture(project)
            if first.read_bytes().startswith(f"P6\n{size} {size}\n".encode()):
                assert pixels == first.read_bytes()[-size * size * 3:]
        expected = network.run(planes_of(pixels, size, mean, deviation))
        largest = max(map(abs, expected))
        for bits, tolerance in ((-32, FLOAT_TOLERANCE), (8, INT8_TOLERANCE)):
            worst = max(abs(a - b) for a, b in zip(scores[bits], expected)) / largest
            assert worst <= tolerance, (bits, worst, scores[bits], expected)
        check_init(arguments, folder, common)
        assert not [file for file in folder.iterdir() if file.name.startswith(("weights", "seed"))]


def check_init(arguments, folder, common):
    """The INI file of -init gives the same tree, but for the place where the graph's text says a layer was written."""
    before = folder / "by_options"
    (folder / "export_CPP_int8").rename(before)
    run([arguments.n2d2, *common], folder)
    subprocess.run(["rm", "-r", before], check=True)
    (folder / "export_CPP_int8").rename(before)
    said = run([arguments.n2d2, *common, "-init"], folder)
    command = said.splitlines()[-1].split()
    assert command[:2] == ["n2d2", "model.ini"], said
    run([arguments.n2d2, *command[1:]], folder)
    for tree in (before, folder / "export_CPP_int8"):
        graph = tree / "statistics/graph/graph.txt"
        text, count = re.subn(r" @ model\.(onnx:0|ini:\d+)$", "", graph.read_text(), flags=re.MULTILINE)
        assert count >= 4, text
        graph.write_text(text)
    # Four files say by which command and from which file it was made; the manifest has their hashes.
    differ = [part for name in ("README.md", "provenance.json", "report.html", "report.json", "export_manifest.txt") for part in ("-x", name)]
    run(["diff", "-r", *differ, before, folder / "export_CPP_int8"], folder)


def small_pictures(folder, labels):
    for i, name in enumerate(labels):
        for k in range(3):
            write_picture(folder / name / f"{k}.ppm", 10 * i + k, 32, 32)


def large_pictures(folder, labels):
    for i, name in enumerate(labels):
        for k in range(2):
            write_picture(folder / name / f"{k}.ppm", 10 * i + k, 300 + 20 * k, 260)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("n2d2")
    parser.add_argument("--compiler", default="g++")
    arguments = parser.parse_args()
    check(arguments, 32, [], [0] * 3, [255] * 3, small_pictures)
    check(arguments, 224, ["-preset", "imagenet-torch"], [123.675, 116.28, 103.53], [58.395, 57.12, 57.375], large_pictures)
    print("2 networks: three commands each, the scores of -test")


if __name__ == "__main__":
    main()
