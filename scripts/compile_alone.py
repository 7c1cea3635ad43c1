#!/usr/bin/env python3
"""Do the sources of the modules compile alone, each with no include but its own?

  compile_alone.py BUILD_FOLDER

Builds that compile many of them together do not notice a missing include. One source in sixteen, as drawn.py draws them, is parsed
alone with the flags of the build.
"""
import concurrent.futures
import json
import os
import shlex
import subprocess
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent.parent / "tests" / "e2e"))
from drawn import is_drawn  # noqa: E402


def without_pairs(words):
    """The words of a command without the output and the precompiled header."""
    pairs = iter(zip(words, [*words[1:], ""]))
    for word, following in pairs:
        if word in ("-o", "-include") or (word == "-Xclang" and ("pch" in following or following == "-include")):
            next(pairs, None)
        else:
            yield word


def commands(folder):
    """Each source that is compiled with others, with a command that reads it alone."""
    for entry in json.loads((folder / "compile_commands.json").read_text()):
        unity = Path(entry["directory"]) / entry["file"]
        if unity.parent.name != "Unity":
            continue
        words = shlex.split(entry["command"])
        if Path(words[0]).name == "ccache":
            words = words[1:]
        options = [word for word in without_pairs(words) if word not in ("-c", "-Winvalid-pch") and
                   Path(entry["directory"], word) != unity]
        for line in unity.read_text().splitlines():
            if line.startswith('#include "'):
                source = Path(line.split('"')[1])
                yield source, [*options, "-fsyntax-only", str(source)], entry["directory"]


def fault(job):
    source, command, folder = job
    made = subprocess.run(command, cwd=folder, text=True, stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
    return f"{source} does not compile alone:\n{made.stdout[:2000]}" if made.returncode != 0 else ""


def main():
    folder = Path(sys.argv[1]).resolve()
    jobs = [job for job in commands(folder) if is_drawn(job[0].name, 16)]
    with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
        faults = [text for text in pool.map(fault, jobs) if text]
    print("\n".join(faults) if faults else f"{len(jobs)} sources compile alone")
    return 1 if faults else 0


if __name__ == "__main__":
    sys.exit(main())
