#!/usr/bin/env python3
"""Does docs/make/extending.md tell the truth? Installs n2d2, writes every file of the page, runs every command of it.

  extending_test.py BUILD PAGE

A box that names a file is that file; boxes of sh are run in their order by one shell that stops at the first failure.
"""
import os
import re
import subprocess
import sys
import tempfile
from pathlib import Path

BOX = re.compile(r"^```(\w+)(?: (\S+))?\n(.*?)^```$", re.M | re.S)


def main():
    build, page = Path(sys.argv[1]).resolve(), Path(sys.argv[2])
    with tempfile.TemporaryDirectory(prefix="n2d2_extending_") as temporary:
        prefix, mine = Path(temporary) / "installed", Path(temporary) / "mine"
        mine.mkdir()
        subprocess.run(["cmake", "--install", build, "--prefix", prefix], check=True, stdout=subprocess.DEVNULL)
        commands = ["set -ex"]
        files = 0
        for kind, name, text in BOX.findall(page.read_text()):
            if kind == "sh":
                commands.append(text)
            elif name:
                (mine / name).write_text(text)
                files += 1
        if files == 0 or len(commands) == 1:
            sys.exit(f"{page}: no boxes")
        environment = dict(os.environ, CMAKE_PREFIX_PATH=str(prefix), PATH=f"{prefix / 'bin'}:{os.environ['PATH']}")
        environment.pop("N2D2_PATH", None)
        done = subprocess.run(["bash", "-c", "\n".join(commands)], cwd=mine, env=environment, text=True,
                              stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
        print(done.stdout)
        print(f"{page.name}: {files} files, {len(commands) - 1} boxes of commands, exit status {done.returncode}")
        sys.exit(done.returncode)


if __name__ == "__main__":
    main()
