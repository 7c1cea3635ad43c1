#!/usr/bin/env python3
"""Checks the comments of C++ files: whole sentences, no line above 110 columns, references that exist. Exit 1 with a line a finding.

A comment that begins with "Of", "The same" or "Those" is a fragment that needs the line above it. Static sources and templates of
exports are left out: their text is bytes of every export.
"""
import re
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
COLUMNS = 110
CHECKED = ("export/", "include/", "src/", "tests/")
SKIPPED = ("src/targets/cpp/templates/", "tests/golden/project/")
COMMENT = re.compile(r"//[/!]?<?\s*(.*)$")
FRAGMENT = re.compile(r"(Of|The same|Those)\b")
# A document that is not in the repository: "spec cli 4.1".
DANGLING = re.compile(r"//.*\b[Ss]pec( [a-z]|$)")


def findings(name, text):
    """A fragment is told where a sentence may begin: behind code, behind no comment, or behind one whose line ends a sentence."""
    continues = False
    for number, line in enumerate(text.splitlines(), 1):
        stripped = line.strip()
        if len(line) > COLUMNS and "//" in line:
            yield f"{name}:{number}: {len(line)} columns, at most {COLUMNS}"
        comment = COMMENT.search(line) if stripped.startswith("//") or "///<" in line else None
        if comment and not (continues and stripped.startswith("//")) and FRAGMENT.match(comment.group(1)):
            yield f"{name}:{number}: a comment begins with '{FRAGMENT.match(comment.group(1)).group(1)}', expected a sentence"
        if DANGLING.search(line):
            yield f"{name}:{number}: a reference to a document that is not in the repository"
        continues = stripped.startswith("//") and not stripped.endswith((".", ":", "?"))


def main():
    listed = subprocess.run(["git", "ls-files", "--cached", "--others", "--exclude-standard"], cwd=ROOT, capture_output=True,
                            text=True, check=True).stdout.split()
    files = [f for f in listed if f.endswith((".cpp", ".hpp", ".h")) and f.startswith(CHECKED) and not f.startswith(SKIPPED)
             and (ROOT / f).exists()]
    found = [finding for f in files for finding in findings(f, (ROOT / f).read_text())]
    print("\n".join(found) or f"comments: {len(files)} files are in order")
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
