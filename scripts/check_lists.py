#!/usr/bin/env python3
"""Checks that every .cpp below src/ and tests/ is named in its folder's (or a parent folder's) CMakeLists.txt
or *.cmake.

A file that no list names is not built: it would rot unseen. Exit 1 with one line per file.
"""
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
# What the exporter writes, and what it copies.
SKIPPED = {ROOT / "tests" / "golden" / "project", ROOT / "src" / "targets" / "cpp" / "static",
           ROOT / "src" / "targets" / "cortexm" / "static"}


def is_listed(path):
    folder = path.parent
    while folder != ROOT:
        lists = folder / "CMakeLists.txt"
        if lists.exists():
            text = "\n".join(p.read_text() for p in [lists, *sorted(folder.glob("*.cmake"))])
            relative = path.relative_to(folder).as_posix()
            words = text.replace("(", " ").replace(")", " ").split()
            if relative in text or path.stem in words or path.stem.removeprefix("fuzz_") in words:
                return True
        folder = folder.parent
    return False


def main():
    files = [p for top in ("src", "tests") for p in sorted((ROOT / top).rglob("*.cpp"))
             if SKIPPED.isdisjoint(p.parents)]
    findings = [f"{p.relative_to(ROOT)}: no CMakeLists.txt names it" for p in files if not is_listed(p)]
    print("\n".join(findings) if findings else f"lists: {len(files)} sources are named")
    return 1 if findings else 0


if __name__ == "__main__":
    sys.exit(main())
