#!/usr/bin/env python3
"""The README of an exported project is true as it stands: its programs compile and link by its own command, its files exist.

  readme_test.py N2D2 NET.ini

Exports the network in integers and, in every second draw, in floats, takes the blocks of code out of README.md, and runs the commands in the folder above
the project, where the text has them run.
"""
import argparse
import re
import subprocess
import sys
import tempfile
from pathlib import Path

from compiler_cache import ENVIRONMENT
from drawn import is_in_turn

EXPORTS = [("8", ["-calib", "20"]), ("-32", [])]
# What the programs of the README leave to the reader.
BEFORE = "#include <cstdio>\nusing std::printf;\nstatic unsigned char pixels[1 << 20];\n"
problems = []


def expect(holds, what):
    if not holds:
        problems.append(what)


def exported(arguments, bits, options, folder):
    command = [arguments.n2d2, arguments.net, "-seed", "1", "-w", "/dev/null", "-export", "CPP", "-nbbits", bits, "-db-export",
               "20", *options]
    subprocess.run(command, cwd=folder, check=True, stdout=subprocess.DEVNULL)
    next(folder.glob("export_CPP_*")).rename(folder / "export")


def blocks(readme, language):
    return re.findall(rf"^```{language}\n(.*?)^```", readme, re.DOTALL | re.MULTILINE)


def program_of(block):
    """Declarations outside of main(), from the first object without `static` on inside."""
    lines = block.splitlines()
    first = next(i for i, line in enumerate(lines) if re.match(r"(Network|Instance) \w+", line))
    begin, body = lines[:first], lines[first:]
    return BEFORE + "\n".join(begin) + "\nint main() {\n" + "\n".join(body).replace("return;", "return 1;") + "\n}\n"


def shell(command, folder):
    return subprocess.run(["bash", "-c", command], cwd=folder, env=ENVIRONMENT, capture_output=True, text=True)


def check_programs(readme, folder):
    static, instance = blocks(readme, "cpp")[:2]
    command = blocks(readme, "sh")[0].strip()
    (folder / "program.cpp").write_text(program_of(static))
    run = shell(command + " && ./program", folder)
    expect(run.returncode == 0 and run.stdout, f"{command}: {run.returncode}\n{run.stdout}{run.stderr}")
    # The instance in C++ says no command of its own: the same, with the other list.
    (folder / "program.cpp").write_text(program_of(static.split("\nstatic float")[0] + "\n" + declared(static) + instance))
    of_instances = command.replace("export sources", "export instance_sources")
    expect(of_instances != command, "the command does not name the sources as 'export sources'")
    run = shell(of_instances + " && ./program", folder)
    expect(run.returncode == 0, f"{of_instances}: {run.returncode}\n{run.stdout}{run.stderr}")
    nothing = shell("nm -C program | grep -c 'memory.*_in_guards\\|arenas::memory'", folder)
    expect(nothing.stdout.strip() == "0", "a program of instances has an arena of its own")


def declared(static):
    """What the instance of the README uses and the block before it declares."""
    return "static Target_T classes[OUTPUTS_TOTAL];\n"


def check_files(readme, project):
    """Files that stand in commands and in the table are there."""
    for name in re.findall(r"(?:stimuli|reference|include|dnn|src)/[\w./-]*\w\.\w+", readme):
        there = (project / name).exists() or name.endswith("_variants.hpp")
        expect(there, f"README.md names '{name}', which is not there")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("n2d2")
    parser.add_argument("net")
    arguments = parser.parse_args()
    for bits, options in EXPORTS:
        if bits == "-32" and not is_in_turn(0, 2):
            continue
        with tempfile.TemporaryDirectory(prefix="n2d2_readme_") as temporary:
            folder = Path(temporary)
            exported(arguments, bits, options, folder)
            readme = (folder / "export/README.md").read_text()
            check_programs(readme, folder)
            check_files(readme, folder / "export")
    print("\n".join(problems))
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main())
