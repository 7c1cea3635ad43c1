#!/usr/bin/env python3
"""Every command that the last lines of a run name does its work as it is printed, in folders with blanks and quotes in their names.

  summary_test.py N2D2
"""
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

NETWORK = """[database]
Type=Glyphs_Database
Learn=60
Validation=20
Test=10
Width=8
Height=8
[sp]
SizeX=8
SizeY=8
BatchSize=20
[conv]
Input=sp
Type=Conv
KernelDims=3 3
NbOutputs=4
ActivationFunction=Rectifier
ConfigSection=learn
[fc]
Input=conv
Type=Fc
NbOutputs=10
ConfigSection=learn
[fc.Target]
[learn]
Solvers.LearningRate=0.05
"""
REPORTS = ("Report: '", "Exported to '", "Learnt weights in '", "Scores in '", "Calibrated and quantized, in '")
problems = []


def run(words, folder):
    return subprocess.run(words, cwd=folder, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)


def check(n2d2, folder, options, reports, parts):
    """A run, then what it names: as many reports as said, three commands, and in them what they must be about."""
    done = run([n2d2, *options], folder)
    case = " ".join(options)
    if done.returncode != 0:
        problems.append(f"{case}: exit code {done.returncode}\n{done.stdout}")
        return
    written, _, following = done.stdout.partition("\nNext:\n")
    named = [line.split("'")[1] for line in written.splitlines() if line.startswith(REPORTS)]
    problems.extend(f"{case}: '{place}' is not there" for place in named if not (folder / place).exists())
    commands = following.splitlines()
    if len(named) != reports or len(commands) != 3:
        problems.append(f"{case}: {len(named)} files and {len(commands)} commands named\n{done.stdout}")
    problems.extend(f"{case}: no command with '{part}' in\n{following}" for part in parts if part not in following)
    for command in commands:
        found = run(["bash", "-c", command], folder)
        if found.returncode != 0 or "has no effect" in found.stdout:
            problems.append(f"{case}: exit code {found.returncode} of {command}\n{found.stdout}")


def main():
    with tempfile.TemporaryDirectory() as name:
        tools, folder = Path(name) / "my tools", Path(name) / "it's here"
        tools.mkdir()
        folder.mkdir()
        # A copy would not find the files that exports take from beside the program.
        n2d2 = tools / "n2d2"
        n2d2.symlink_to(Path(sys.argv[1]).resolve())
        (folder / "a net.ini").write_text(NETWORK)
        net, out = "a net.ini", ("-o", "my runs/a")
        check(n2d2, folder, [net], 0, ["-learn-epoch 10", "-analyze"])
        check(n2d2, folder, [net, "-seed", "1", "-learn-epoch", "1", *out], 3, ["-export CPP -calib -1", "-learn-epoch 2"])
        check(n2d2, folder, [net, *out], 0, ["-test"])
        check(n2d2, folder, [net, "-test", *out], 1, ["-export CPP -calib -1", "-analyze"])
        check(n2d2, folder, [net, "-calibOnly", "-calib", "-1", *out], 2, ["-export CPP", "-doctor"])
        check(n2d2, folder, [net, "-export", "CPP", "-calib", "-1", *out], 2, ["make -C", "bin/run_export", "-doctor"])
        check(n2d2, folder, [net, "-export", "ONNX", "-nbbits", "-32", "-w", "my runs/a/weights_validation", "-seed", "1"], 2,
              ["model.onnx"])
        check(n2d2, folder, ["export_ONNX_float32/model.onnx"], 0, ["-export CPP", "-analyze"])
        check(n2d2, folder, [net, "-seed", "1", "-save-test-set", "some digits", "-o", "set"], 0, [])
        check(n2d2, folder, ["export_ONNX_float32/model.onnx", "-export", "CPP", "-calib-dir", "set/some digits", "-o", "alone"], 2,
              ["make -C"])
        if shutil.which("arm-none-eabi-g++") and shutil.which("qemu-system-arm"):
            check(n2d2, folder, [net, "-export", "CPP_CortexM", "-calib", "-1", *out], 2, ["desk", "bin/run_export", "qemu"])
        quiet = run([n2d2, net, "-quiet"], folder)
        if quiet.stdout:
            problems.append(f"-quiet: {quiet.stdout}")
    for problem in problems:
        print(problem)
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main())
