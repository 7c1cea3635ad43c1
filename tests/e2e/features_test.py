#!/usr/bin/env python3
"""Does an exported program make of the features of a sensor what the framework makes of the samples in a file?

  features_test.py N2D2 [--compiler=g++]

Exports a network of rows of features of sizes 1 to 20,000 with -standardize and with -mean and -std of many digits, as int8, int16 and
float32. A program reads the rows of the file: quantize_input(), in C++ and in C, must give the bytes of every exported stimulus.
Without -standardize the integers lose the small features, which is a warning with the features' numbers, and under -strict the
end of the export.
"""
import argparse
import math
import random
import struct
import subprocess
import sys
import tempfile
from pathlib import Path

from compiler_cache import ENVIRONMENT
from onnx_bytes import model, node, tensor, value_info

MEANS = [20.0, 48.25, 938.7, 12900.0, 0.1]
DEVIATIONS = [14.0, 9.0, 1.3, 270.0, 20000.0]
ROWS = 40
FLAGS = "CXXFLAGS=-O1 -Werror"  # of all builds: the compiler cache knows what another one compiled

MAIN = r"""
#include <cstdio>
#include <cstring>
#include <fstream>
#include <iterator>
#include <string>
#include <vector>
#include "include/Network.hpp"
#include "include/network.h"
using namespace N2D2_Export;
static std::string content(const std::string& path, size_t header_lines) {
  std::ifstream file(path.c_str(), std::ios::binary);
  std::string line;
  for (size_t i = 0; i < header_lines; ++i) std::getline(file, line);
  return std::string(std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>());
}
// Arguments: the rows as they were measured, then the stimulus of each of them.
int main(int argc, char** argv) {
  static_assert(ENV_FEATURES == 1 && ENV_PICTURE_CHANNELS == 0, "takes features");
  const std::string rows = content(argv[1], 0);
  for (int i = 2; i < argc; ++i) {
    float measured[ENV_OUTPUTS_SIZE];
    std::memcpy(measured, rows.data() + (i - 2) * sizeof measured, sizeof measured);
    std::vector<Input_T> in(ENV_OUTPUTS_SIZE), in_c(ENV_OUTPUTS_SIZE);
    quantize_input(measured, &in[0]);
    N2D2_Export_quantize_input(measured, &in_c[0]);
    const std::string stimulus = content(argv[i], 3);
    if (std::memcmp(&in[0], stimulus.data(), in.size() * sizeof(Input_T)) != 0 || in != in_c) {
      std::printf("%s: other bytes\n", argv[i]);
      return 1;
    }
  }
  return 0;
}
"""


def run(command, folder, status=0):
    done = subprocess.run([str(word) for word in command], cwd=folder, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True,
                          env=ENVIRONMENT)
    if done.returncode != status:
        sys.exit(f"{command}: exit status {done.returncode}\n{done.stdout[-3000:]}")
    return done.stdout


def write_network(path):
    """A matrix that needs the small features, a rectifier, another matrix."""
    draw = random.Random(1)
    first = [draw.gauss(0, 1) * (1 if f < 3 else 0.01) for f in range(len(MEANS)) for _ in range(8)]
    second = [draw.gauss(0, 1) for _ in range(8 * 3)]
    graph = (node("Gemm", ["x", "w", "b"], "h") + node("Relu", ["h"], "r") + node("Gemm", ["r", "v"], "scores") +
             tensor("w", [len(MEANS), 8], first) + tensor("b", [8], [draw.gauss(0, 0.1) for _ in range(8)]) +
             tensor("v", [8, 3], second) + value_info(11, "x", [1, len(MEANS)]) + value_info(12, "scores", [1, 3]))
    path.write_bytes(model(graph))


def write_rows(folder, shape):
    draw = random.Random(2)
    values = [draw.gauss(mean, deviation) for _ in range(ROWS) for mean, deviation in zip(MEANS, DEVIATIONS)]
    data = struct.pack(f"<{len(values)}f", *values)
    header = f"{{'descr': '<f4', 'fortran_order': False, 'shape': {shape}, }}"
    header += " " * (-(len(header) + 11) % 64) + "\n"
    (folder / "rows.npy").write_bytes(b"\x93NUMPY\1\0" + struct.pack("<H", len(header)) + header.encode() + data)
    (folder / "rows.raw").write_bytes(data)


def check(arguments, folder, options, bits):
    """Exports, compiles, compares."""
    run([arguments.n2d2, "net.onnx", "-calib-npy", "rows.npy", *options, "-export", "CPP", "-nbbits", bits, "-db-export", "-1",
         "-overwrite"], folder)
    project = folder / f"export_CPP_{'int' if bits > 0 else 'float'}{abs(bits)}"
    (project / "check.cpp").write_text(MAIN)
    run(["make", "-s", "-j2", "OPENMP=0", FLAGS], project)
    objects = sorted(file for file in (project / "build").rglob("*.o") if file.name != "main.o")
    run([arguments.compiler, "-std=c++11", "-O2", "-Wall", "-Wextra", "-pedantic", "-Werror", "-I.", "check.cpp", *objects, "-o", "check"],
        project)
    stimuli = [line.split(" ", 1)[0] for line in (project / "stimuli.list").read_text().splitlines()]
    assert len(stimuli) == ROWS, stimuli
    run(["./check", folder / "rows.raw", *stimuli], project)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("n2d2", type=lambda path: Path(path).resolve())
    parser.add_argument("--compiler", default="g++")
    arguments = parser.parse_args()
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        write_network(folder / "net.onnx")
        write_rows(folder, (ROWS, len(MEANS)))
        said = run([arguments.n2d2, "net.onnx", "-calib-npy", "rows.npy", "-export", "CPP"], folder)
        assert "features vary by less than a 64th of the largest (feature 2 by " in said, said
        assert "-standardize" in said, said
        said = run([arguments.n2d2, "net.onnx", "-calib-npy", "rows.npy", "-export", "CPP", "-strict"], folder, status=2)
        assert "features vary by less than a 64th of the largest (feature 2 by " in said, said
        irrational = ["-mean", ",".join(repr(mean * math.pi / 3) for mean in MEANS), "-std",
                      ",".join(repr(deviation * math.sqrt(2)) for deviation in DEVIATIONS), "-scale", "1"]
        for bits in (8, 16, -32):
            check(arguments, folder, ["-standardize", "-strict"], bits)
        write_rows(folder, (ROWS, len(MEANS), 1, 1))
        check(arguments, folder, irrational, 8)
        check(arguments, folder, irrational, -32)


if __name__ == "__main__":
    main()
