#!/usr/bin/env python3
"""Does an exported auto-encoder print the mean squared error that the framework prints?

  data_as_target_test.py N2D2 [--compiler=g++]

Exports networks whose target is their input, compiles them and compares: the expected data in the stimuli are the picture once
more, plane by plane; the figure of the program is that of `-test`, digit by digit for integers, and that of a sum over the files
of the export.
"""
import argparse
import json
import random
import re
import struct
import subprocess
import sys
import tempfile
from pathlib import Path

from compiler_cache import ENVIRONMENT

WIDTH, HEIGHT, CHANNELS = 5, 4, 3
AREA = WIDTH * HEIGHT
NAMES = ["a", "b", "c"]
HEAD = f"""
[database]
Type=DIR_Database
DataPath=pictures
ValidExtensions=ppm
Learn=0.3
Validation=0
[sp]
SizeX={WIDTH}
SizeY={HEIGHT}
NbChannels={CHANNELS}
BatchSize=4
[sp.Transformation]
Type=RangeAffineTransformation
FirstOperator=Minus
FirstValue=127.5
SecondOperator=Divides
SecondValue=127.5
"""
MAP = HEAD + f"""
[code]
Input=sp
Type=Conv
KernelSize=3
Padding=1
NbOutputs=4
ActivationFunction=Rectifier
WeightsFiller=HeFiller
[copy]
Input=code
Type=Conv
KernelSize=1
NbOutputs={CHANNELS}
WeightsFiller=HeFiller
[copy.Target]
DataAsTarget=1
"""
# Classes of the first target, data of the second.
BOTH = HEAD + f"""
[code]
Input=sp
Type=Fc
NbOutputs={len(NAMES)}
[code.Target]
[copy]
Input=code
Type=Fc
NbOutputs={AREA * CHANNELS}
[copy.Target]
DataAsTarget=1
"""


def run(command, folder, status=0):
    done = subprocess.run(command, cwd=folder, env=ENVIRONMENT, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
    if done.returncode != status:
        sys.exit(f"{command}: exit status {done.returncode}\n{done.stdout[-3000:]}")
    return done.stdout


def write_pictures(folder):
    draw = random.Random(3)
    for name in NAMES:
        (folder / "pictures" / name).mkdir(parents=True)
        for i in range(6):
            pixels = bytes(draw.randrange(256) for _ in range(AREA * CHANNELS))
            (folder / "pictures" / name / f"{i}.ppm").write_bytes(f"P6\n{WIDTH} {HEIGHT}\n255\n".encode() + pixels)


def payload(file):
    """What follows the three lines of the header."""
    return file.read_bytes().split(b"\n", 3)[3]


def constant(project, name):
    """A number of env.hpp, or the list of an array."""
    text = (project / "dnn/include/env.hpp").read_text()
    found = re.search(rf"\b{name}(\[\w+\] = {{ (?P<list>[^}}]*) }}| = (?P<one>[^;]*));", text)
    return [float(word.rstrip("f")) for word in (found["list"] or found["one"]).split(", ")]


def planes(values):
    """CHW of HWC."""
    return [values[i * CHANNELS + c] for c in range(CHANNELS) for i in range(AREA)]


def export(arguments, folder, ini, bits):
    (folder / "net.ini").write_text(ini)
    (folder / "parameters.ini").write_text("ReferenceStimuli=100\n")
    said = run([arguments.n2d2, "net.ini", "-seed", "1", "-w", "/dev/null", "-export", "CPP", "-nbbits", str(bits), "-test",
                "-export-parameters", "parameters.ini"] + (["-calib", "-1"] if bits > 0 else []), folder)
    project = folder / f"export_CPP_{'int' if bits > 0 else 'float'}{abs(bits)}"
    run(["make", "-s", "-j2", f"CXX={arguments.compiler}", "OPENMP=0", "CXXFLAGS=-O1 -Werror"], project)
    return project, said


def squared_error(project, element):
    """From the files alone: references of the last layer against the tail of the stimuli."""
    scale, zero, step = (constant(project, name)[0] for name in ("ENV_SCALE", "ENV_ZERO_POINT", "OUTPUTS_SCALE"))
    errors = []
    for path in (project / "stimuli.list").read_text().split():
        words = (project / "reference" / Path(path).stem / "copy.txt").read_text().split()
        found = [step * float(word) for word in words if not word.endswith(":")]
        stored = payload(project / path)
        values = struct.unpack(f"<{2 * AREA * CHANNELS}{element}", stored)
        picture, expected = values[:AREA * CHANNELS], values[AREA * CHANNELS:]
        assert list(expected) == planes(picture), path
        errors.append(sum((a - scale * (b - zero)) ** 2 for a, b in zip(found, expected)) / len(found))
    return errors


def check_map(arguments, folder, bits):
    project, said = export(arguments, folder, MAP, bits)
    errors = squared_error(project, "B" if bits > 0 else "f")
    count = len(errors)
    assert count >= 10, errors
    of_framework = re.search(r"Mean squared error: (\S+)", said)[1]
    lines = run(["bin/run_export"], project).splitlines()
    of_program = re.fullmatch(r"Mean squared error: (\S+)", lines[-1])[1]
    if bits > 0:
        assert of_program == of_framework, (of_program, of_framework)
    for figure in (of_program, of_framework):  # printed with 6 digits
        assert abs(float(figure) / (sum(errors) / len(errors)) - 1) < 1e-5, (figure, errors)
    for i, line in enumerate(lines[:-1]):
        own, mean = re.fullmatch(rf"env{i:02}: (\S+) \(mean (\S+)\)", line).groups()
        assert abs(float(own) / errors[i] - 1) < 1e-5, (line, errors[i])
        assert abs(float(mean) / (sum(errors[:i + 1]) / (i + 1)) - 1) < 1e-5, line
    results = json.loads((project / "results.json").read_text())
    assert results["count"] == count and abs(results["mean_squared_error"] / float(of_program) - 1) < 1e-5, results
    assert "score" not in results, results
    assert run(["bin/run_export", "-stimulus", "stimuli/env03.ppm"], project) == lines[3].split(" (")[0] + "\n"
    run(["bin/run_export", "-compare", "reference"], project)
    assert "data are expected of target 0" in run(["bin/run_export", "-confusion"], project, status=2)
    assert "data are expected of target 0" in run(["bin/run_export", "-topn", "2"], project, status=2)
    row = f"| mean squared error of {count} test samples (copy.Target), outputs against inputs | `{of_framework}` |"
    assert row in (project / "README.md").read_text(), row


def check_both(arguments, folder):
    project, said = export(arguments, folder, BOTH, -32)
    assert constant(project, "OUTPUTS_DATA") == [0, 1]
    assert "Mean squared error: " in said, said
    for line in (project / "stimuli.link").read_text().splitlines():
        path, picture = line.split()
        values = struct.unpack(f"<{AREA * CHANNELS}fi{AREA * CHANNELS}f", payload(project / path))
        assert NAMES[values[AREA * CHANNELS]] == Path(picture).parent.name, line
        assert list(values[AREA * CHANNELS + 1:]) == planes(values[:AREA * CHANNELS]), line
    rate = re.search(r"Final recognition rate: ([\d.]+)%", said)[1]
    assert abs(float(re.fullmatch(r"Score: ([\d.]+)%", run(["bin/run_export"], project).splitlines()[-1])[1]) - float(rate)) < 0.01
    path = project / "stimuli/env00.ppm"
    path.write_bytes(path.read_bytes()[:-4])
    size = 2 * 4 * AREA * CHANNELS + 4
    assert f"expected {size} bytes after the header, found {size - 4}" in run(["bin/run_export"], project, status=2)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("n2d2")
    parser.add_argument("--compiler", default="g++")
    arguments = parser.parse_args()
    with tempfile.TemporaryDirectory() as temporary:
        folder = Path(temporary)
        write_pictures(folder)
        for bits in (8, -32):
            check_map(arguments, folder, bits)
        check_both(arguments, folder)


if __name__ == "__main__":
    main()
