#!/usr/bin/env python3
"""Checks that every page the repository names exists, and that docs/make/architecture.md is read in ten minutes.

Looked at are the links of Markdown pages, relative to their page and with the heading behind '#', the names `docs/...` in pages,
sources, tests and scripts, and in docs/make the sources that code spans name (`src/app/run.cpp`, `program/stream`). Each page of
docs/ is linked from docs/README.md. Exit 1 with a line a finding.
"""
import re
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
ARCHITECTURE, WORDS = "docs/make/architecture.md", 2000
MAP = "docs/README.md"
# Written by the exporter, beside its own README.
SKIPPED = ("tests/golden/project/",)
LINK = re.compile(r"\[[^\]\n]*\]\(([^()\s]+)\)")
NAMED = re.compile(r"(?<![\w/.-])docs/[\w./-]*\w")
SPAN = re.compile(r"`([a-z_]+(?:/[\w.-]+)+)`")
FENCE = re.compile(r"^```.*?^```$", re.M | re.S)


def without_code(text):
    """Blanks out fenced code and code spans, line by line: their brackets are no links."""
    text = FENCE.sub(lambda m: "\n" * m[0].count("\n"), text)
    return re.sub(r"`[^`\n]*`", "", text)


def anchors(page):
    """The names that '#' may have in a page: lower case, blanks as dashes, other signs dropped."""
    heads = re.findall(r"^#+ +(.*)$", FENCE.sub("", page.read_text()), re.M)
    return {re.sub(r"[^\w -]", "", head.strip().lower()).replace(" ", "-") for head in heads}


def numbered(pattern, text):
    for match in pattern.finditer(text):
        yield text.count("\n", 0, match.start()) + 1, match


def link_findings(name, text):
    for number, match in numbered(LINK, without_code(text)):
        target, _, anchor = match[1].partition("#")
        if "://" in match[1] or target.startswith("mailto:"):
            continue
        path = (ROOT / name).parent / target if target else ROOT / name
        if not path.exists():
            yield f"{name}:{number}: the link '{match[1]}' leads to nothing"
        elif anchor and path.suffix == ".md" and anchor not in anchors(path):
            yield f"{name}:{number}: {target or name} has no heading for '#{anchor}'"


def name_findings(name, text):
    for number, match in numbered(NAMED, text):
        if not (ROOT / match[0]).exists():
            yield f"{name}:{number}: '{match[0]}' does not exist"


def is_source(path):
    """A path from the root, or of a module: a folder, a file, or one without its ending."""
    for root in (ROOT, ROOT / "src", ROOT / "include" / "n2d2", ROOT / "export" / "CPP"):
        if any((root / (path + ending)).exists() for ending in ("", ".cpp", ".hpp", ".py")):
            return True
    return False


def source_findings(name, text):
    places = {folder.name for folder in (ROOT / "src").iterdir()} | {"src", "include", "export", "tests", "scripts"}
    for number, match in numbered(SPAN, FENCE.sub(lambda m: "\n" * m[0].count("\n"), text)):
        if match[1].split("/")[0] in places and not is_source(match[1]):
            yield f"{name}:{number}: the source '{match[1]}' does not exist"


def map_findings(pages):
    linked = {((ROOT / MAP).parent / m[1].partition("#")[0]).resolve() for m in LINK.finditer((ROOT / MAP).read_text())}
    for page in pages:
        if page != MAP and (ROOT / page).resolve() not in linked:
            yield f"{MAP}: no link leads to {page}"


def length_findings():
    words = len((ROOT / ARCHITECTURE).read_text().split())
    if words > WORDS:
        yield f"{ARCHITECTURE}: {words} words, at most {WORDS}"


def main():
    listed = subprocess.run(["git", "ls-files", "-z", "--cached", "--others", "--exclude-standard"], cwd=ROOT,
                            capture_output=True, text=True, check=True).stdout.split("\0")
    findings, files = [], [f for f in listed if f and (ROOT / f).is_file() and not f.startswith(SKIPPED)]
    for name in files:
        try:
            text = (ROOT / name).read_text()
        except UnicodeDecodeError:
            continue
        findings += name_findings(name, text)
        if name.endswith(".md"):
            findings += link_findings(name, text)
        if name.startswith("docs/make/"):
            findings += source_findings(name, text)
    findings += map_findings([f for f in files if f.startswith("docs/") and f.endswith(".md")])
    findings += length_findings()
    print("\n".join(findings) or f"docs: the references of {len(files)} files lead somewhere")
    return 1 if findings else 0


if __name__ == "__main__":
    sys.exit(main())
