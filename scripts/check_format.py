#!/usr/bin/env python3
"""Checks every C++ file of the repository with clang-format-14. Exit 1 with the files that differ.

  check_format.py [--fix]
"""
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
# What the exporter writes.
SKIPPED = "tests/golden/project/"


def main():
    listed = subprocess.run(["git", "ls-files", "--cached", "--others", "--exclude-standard"], cwd=ROOT,
                            capture_output=True, text=True, check=True).stdout.split()
    files = [f for f in listed if f.endswith((".cpp", ".hpp", ".h")) and (ROOT / f).exists()
             and not f.startswith(SKIPPED)]
    if "--fix" in sys.argv:
        subprocess.run(["clang-format-14", "-i", *files], cwd=ROOT, check=True)
    # One process for all: starting 900 takes most of a minute.
    said = subprocess.run(["clang-format-14", "--dry-run", "-Werror", *files], cwd=ROOT, capture_output=True, text=True)
    wrong = sorted({line.split(":", 1)[0] for line in said.stderr.splitlines() if "[-Wclang-format-violations]" in line})
    if said.returncode != 0 and not wrong:
        sys.exit(said.stderr)
    print("\n".join(f"{f}: not formatted (scripts/check_format.py --fix)" for f in wrong) or
          f"format: {len(files)} files are in order")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
