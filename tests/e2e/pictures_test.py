#!/usr/bin/env python3
"""Does an exported program make of a picture's bytes what the framework makes of its file?

  pictures_test.py N2D2 [--compiler=g++]

Exports a network of colour pictures and one of grey ones, as int8, int16 and float32, and compiles a program that
reads the picture files themselves: quantize_input() must give the bytes of every exported stimulus, propagate() their
classes, scores() the reference of the last layer, label_name() the name of the folder. `make example` must say the same of
the first picture, in C and in C++, also where the input comes row by row. int16 and float32 as drawn.py says.
"""
import argparse
import platform
import random
import re
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

from compiler_cache import ENVIRONMENT
from drawn import is_drawn

NET = """
[database]
Type=DIR_Database
DataPath=pictures
ValidExtensions={extension}
Learn=0.3
Validation=0
PerLabelPartitioning=1
RandomPartitioning=0
[sp]
SizeX=9
SizeY=7
NbChannels={channels}
BatchSize=4
{steps}
[conv]
Input=sp
Type=Conv
KernelSize=3
Padding={padding}
NbOutputs=4
ActivationFunction=Rectifier
[fc]
Input=conv
Type=Fc
NbOutputs=3
[fc.Target]
"""
IMAGENET = """[sp.Transformation-1]
Type=ColorSpaceTransformation
ColorSpace=RGB
[sp.Transformation-2]
Type=RangeAffineTransformation
FirstOperator=Minus
FirstValue=123.675 116.28 103.53
SecondOperator=Divides
SecondValue=58.395 57.12 57.375
"""
CENTRED = """[sp.Transformation]
Type=RangeAffineTransformation
FirstOperator=Minus
FirstValue=127.5
SecondOperator=Divides
SecondValue=127.5
"""
MAIN = r"""
#include <cstdio>
#include <cstring>
#include <fstream>
#include <iterator>
#include <string>
#include <vector>
#include "include/Network.hpp"
using namespace N2D2_Export;
// Arguments: stimulus and picture, as often as there are some.
static std::string tail(const char* path, size_t header_lines) {
  std::ifstream file(path, std::ios::binary);
  std::string line;
  for (size_t i = 0; i < header_lines; ++i) std::getline(file, line);
  return std::string(std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>());
}
int main(int argc, char** argv) {
  Network network;
  for (int i = 1; i + 1 < argc; i += 2) {
    const std::string stimulus = tail(argv[i], 3), picture = tail(argv[i + 1], 3);
    std::vector<Input_T> in(ENV_OUTPUTS_SIZE);
    if (picture.size() != size_t(ENV_SIZE_X * ENV_SIZE_Y * ENV_PICTURE_CHANNELS)) return 2;
    quantize_input(reinterpret_cast<const uint8_t*>(picture.data()), &in[0]);
    if (std::memcmp(&in[0], stimulus.data(), in.size() * sizeof(Input_T)) != 0) {
      std::printf("%s: other bytes\n", argv[i + 1]);
      return 1;
    }
    Target_T classes[OUTPUTS_TOTAL];
    float scores[3];
    if (network.propagate(&in[0], classes) != 0 || !network.scores(0, scores) || network.scores(1, scores)) return 2;
    std::printf("%d %s", classes[0], label_name(0, classes[0]));
    for (int k = 0; k < 3; ++k) std::printf(" %.9g", scores[k] / OUTPUTS_SCALE[0]);
    std::printf("\n");
  }
  return label_name(0, 3)[0] != 0 || label_name(1, 0)[0] != 0 || label_name(0, -1)[0] != 0;
}
"""
NAMES = ['a"?/\\', "b", "c"]
FLAGS = "CXXFLAGS=-O1 -Werror"  # of all builds: the compiler cache knows what another one compiled


def run(command, folder):
    done = subprocess.run(command, cwd=folder, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, env=ENVIRONMENT)
    if done.returncode != 0:
        sys.exit(f"{command}: exit status {done.returncode}\n{done.stdout[-3000:]}")
    return done.stdout


def write_pictures(folder, channels):
    draw = random.Random(channels)
    for name in NAMES:
        place = folder / "pictures" / name.replace("/", "")
        place.mkdir(parents=True)
        for i in range(6):
            pixels = bytes(draw.randrange(256) for _ in range(9 * 7 * channels))
            file = place / f"{i}.{'ppm' if channels == 3 else 'pgm'}"
            file.write_bytes(f"P{6 if channels == 3 else 5}\n9 7\n255\n".encode() + pixels)


def check(arguments, folder, bits):
    """Exports, compiles, compares."""
    run([arguments.n2d2, "net.ini", "-seed", "1", "-w", "/dev/null", "-export", "CPP", "-nbbits", str(bits), "-db-export", "-1"] +
        (["-calib", "-1"] if bits > 0 else []), folder)
    project = folder / f"export_CPP_{'int' if bits > 0 else 'float'}{abs(bits)}"
    (project / "check.cpp").write_text(MAIN)
    run(["make", "-s", "-j2", "OPENMP=0", FLAGS], project)
    objects = [str(file) for file in sorted((project / "build").rglob("*.o")) if file.name != "main.o"]
    run([arguments.compiler, "-std=c++11", "-O1", "-Wall", "-Wextra", "-pedantic", "-Werror", "-fsigned-char", "-I.", "check.cpp", *objects,
         "-o", "check"], project)
    links = [line.split(" ", 1) for line in (project / "stimuli.link").read_text().splitlines()]
    command = ["./check"]
    for stimulus, picture in links:
        command += [stimulus, str(folder / "pictures" / picture)]
    said = run(command, project).splitlines()
    run(["bin/run_export", "-classes", "classes.txt", "-compare", "reference"], project)
    classes = [line.split() for line in (project / "classes.txt").read_text().splitlines()]
    assert len(said) == len(classes) == len(links) and len(links) >= 9, (said, links)
    for line, (_, wanted) in zip(said, classes):
        assert line.split(" ")[0] == wanted, (line, wanted)
        assert line.split(" ")[1] == "/" + NAMES[int(wanted)].replace("/", ""), line
    reference = (project / "reference" / classes[0][0] / "fc.txt").read_text().split()
    scores = [float(word) for word in reference if not word.endswith(":")]
    found = [float(word) for word in said[0].split(" ")[2:]]
    check_examples(project, said[0].split(" "))
    if bits == 8:
        check_rows(arguments, folder, project, said[0].split(" "))
    assert all(abs(a - b) <= 1e-5 * max(1, abs(a)) for a, b in zip(scores, found)) and len(scores) == 3, (scores, found)
    return len(links)


def check_examples(project, wanted, *variables):
    """Both print the class of the first picture and the scores of all; wanted: class, name, scores in steps of the output."""
    run(["make", "-s", "-j2", "OPENMP=0", FLAGS, *variables, "example"], project)
    said = run(["bin/example"], project)
    assert run(["bin/example_c"], project) == said
    lines = said.splitlines()
    assert lines[0] == f"class {wanted[0]}: {wanted[1]}", (lines, wanted)
    scores = [float(line.rsplit(": ", 1)[1]) for line in lines[1:]]
    step = re.search(r"OUTPUTS_SCALE\[NETWORK_TARGETS\] = { (\S+)f }", (project / "dnn/include/env.hpp").read_text())
    expected = [float(step.group(1)) * float(score) for score in wanted[2:]]
    assert all(abs(a - b) <= 1e-5 * max(1, abs(a)) for a, b in zip(scores, expected)) and len(scores) == 3, (scores, expected)


def check_rows(arguments, folder, project, wanted):
    """Of an input that comes row by row: examples read rows of the picture and say the same, no array holds the whole input, and
    programs of several instruction sets do so, too."""
    (folder / "rows.ini").write_text("StreamInput=1\n")
    run([arguments.n2d2, "net.ini", "-seed", "1", "-w", "/dev/null", "-export", "CPP", "-nbbits", "8", "-db-export", "-1", "-calib", "-1",
         "-export-parameters", "rows.ini"], folder)
    for example, array in (("example.cpp", "[ENV_OUTPUTS_SIZE]"), ("example.c", "_INPUT_ELEMENTS]")):
        text = (project / example).read_text()
        assert array not in text and "propagate_rows(read" in text, text
    check_examples(project, wanted)
    if platform.machine() == "x86_64":
        run(["make", "-s", "-j2", "OPENMP=0", FLAGS, "DISPATCH=avx2", "build"], project)
        run(["bin/run_export", "-compare", "reference"], project)
        check_examples(project, wanted, "DISPATCH=avx2")


def check_without_pictures(arguments, folder):
    """-db-export 0 asks for no data: the table is there, no picture and no example."""
    run([arguments.n2d2, "net.ini", "-seed", "1", "-w", "/dev/null", "-export", "CPP", "-nbbits", "8", "-calib", "-1", "-db-export",
         "0"], folder)
    project = folder / "export_CPP_int8"
    assert (project / "dnn/src/quantize_input.cpp").exists() and not list(project.glob("**/example*"))
    done = subprocess.run(["make", "-s", "example"], cwd=project, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
    assert done.returncode != 0 and "this project has no example" in done.stdout, done.stdout


def tail(file, lines):
    content = file.read_bytes()
    for _ in range(lines):
        content = content[content.index(b"\n") + 1:]
    return content


def check_zero_point(arguments, folder):
    """Bytes of pictures around 0 are their own integers, and the headers say what they stand for; InputZeroPoint=0 leaves it."""
    project = folder / "export_CPP_int8"
    env = (project / "dnn/include/env.hpp").read_text()
    assert "constexpr float ENV_ZERO_POINT = 127.5f;" in env and "ENV_DATA_UNSIGNED = 1;" in env, env
    assert "constexpr float ENV_SCALE = 0.007843138f;" in env, env
    assert "_INPUT_ZERO_POINT 127.5f\n" in (project / "include/network.h").read_text()
    links = [line.split(" ", 1) for line in (project / "stimuli.link").read_text().splitlines()]
    for stimulus, picture in links:
        pixels = tail(folder / "pictures" / picture, 3)
        elements = tail(project / stimulus, 3)[:len(pixels)]  # expected classes follow
        turned = b"".join(elements[i:i + 3][::-1] for i in range(0, len(elements), 3))  # blue first
        assert pixels in (elements, turned), (stimulus, picture)
    (folder / "symmetric.ini").write_text("InputZeroPoint=0\n")
    run([arguments.n2d2, "net.ini", "-seed", "1", "-w", "/dev/null", "-export", "CPP", "-nbbits", "8", "-calib", "-1",
         "-export-parameters", "symmetric.ini"], folder)
    env = (project / "dnn/include/env.hpp").read_text()
    assert "constexpr int ENV_ZERO_POINT = 0;" in env and "ENV_DATA_UNSIGNED = 0;" in env, env


def check_places(arguments, folder):
    """The same model in another folder, named by its whole path, gives the same tree."""
    elsewhere = folder / "else where" / "deep"
    shutil.copytree(folder / "pictures", elsewhere / "pictures")
    shutil.copy(folder / "net.ini", elsewhere)
    for place in (folder, elsewhere):
        shutil.rmtree(place / "export_CPP_int8", ignore_errors=True)
        run([arguments.n2d2, str(place / "net.ini"), "-seed", "1", "-w", "/dev/null", "-export", "CPP", "-nbbits", "8", "-calib", "-1",
             "-db-export", "2"], place)
    run(["diff", "-r", str(folder / "export_CPP_int8"), str(elsewhere / "export_CPP_int8")], folder)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("n2d2")
    parser.add_argument("--compiler", default="g++")
    arguments = parser.parse_args()
    count = 0
    for channels, steps in ((3, IMAGENET), (3, ""), (1, ""), (3, CENTRED), (1, CENTRED)):
        with tempfile.TemporaryDirectory() as name:
            folder = Path(name)
            write_pictures(folder, channels)
            text = NET.format(channels=channels, steps=steps, padding=int(steps == CENTRED), extension="ppm" if channels == 3 else "pgm")
            (folder / "net.ini").write_text(text)
            for bits in (8, 16, -32) if steps else (8,):
                if bits == 8 or is_drawn(f"pictures {channels} {steps} {bits}"):
                    count += check(arguments, folder, bits)
            if steps == CENTRED:
                check_zero_point(arguments, folder)
            elif channels == 1:
                check_without_pictures(arguments, folder)
                check_places(arguments, folder)
    print(f"{count} pictures: the bytes, classes, scores and names of the framework")


if __name__ == "__main__":
    main()
