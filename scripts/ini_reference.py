#!/usr/bin/env python3
"""Writes the tables of keys in docs/use/ini.md, which come from fields() by way of n2d2's -help options.

    scripts/ini_reference.py build/release/src/app/n2d2            writes the page
    scripts/ini_reference.py --check build/release/src/app/n2d2    exit 1 where the page is out of date

A table is between '<!-- <option> <name> ... -->' and '<!-- end -->'; `all` stands for every name that the option knows. Keys
that more than half of these names have alike come first, in one table. The text around the tables is written by hand.
"""
import argparse
import difflib
import os
import re
import subprocess
import sys
from pathlib import Path

PAGE = Path(__file__).resolve().parent.parent / "docs" / "use" / "ini.md"
BLOCK = re.compile(r"(<!-- (-help-[\w -]+?) -->\n).*?(<!-- end -->)", re.S)
KEY = re.compile(r"^  (?P<key>\S+) +(?P<value>.*?)(?: (?P<required>required)| \[(?P<default>.*)\])?$")
INDENT = 27  # of the line that says what a key means
# Which delegates there are depends on the libraries that the program was built with.
SKIPPED = re.compile(r"Backend\.")
# Options whose names have many keys alike, and what these names are.
COMMON = {"-help-layer": "layers", "-help-database": "databases", "-help-transformation": "transformations"}


def run(program, *options):
    surroundings = {k: v for k, v in os.environ.items() if not k.startswith("N2D2_")}
    return subprocess.run([program, *options], capture_output=True, text=True, check=True, env=surroundings).stdout


def groups(text):
    """[title, rows] of each table of a help text; a row is key, values, default and meaning."""
    out = []
    for line in text.splitlines():
        match = KEY.match(line) if not line.startswith(" " * INDENT) else None
        if match:
            default = "required" if match["required"] else f"`{match['default']}`" if match["default"] else ""
            out[-1][1].append([match["key"], match["value"], default, ""])
        elif line.startswith(" " * INDENT):
            out[-1][1][-1][3] = line.strip()
        else:
            out.append([line.strip().rstrip(":"), []])
    return [[title, [tuple(row) for row in rows if not SKIPPED.match(row[0])]] for title, rows in out]


def cell(text):
    return text.replace("|", "\\|").replace("<", "&lt;").replace("*", "\\*") if "`" not in text else text


def table(rows):
    lines = ["| key | value | default | meaning |", "|---|---|---|---|"]
    lines += [f"| `{key}` | {cell(value)} | {default} | {cell(text)} |" for key, value, default, text in rows]
    return "\n".join(lines) + "\n"


def heading(title):
    name, _, summary = title.partition(": ")
    return f"### {name}\n\n" + (f"{summary[:1].upper()}{summary[1:]}.\n\n" if summary else "")


def shared_rows(tables):
    """Rows that more than half of the tables have alike, in their order of appearance."""
    rows = list(dict.fromkeys(row for _, rows in tables for row in rows))
    return [row for row in rows if 2 * sum(row in rows for _, rows in tables) > len(tables)]


def own_and_common(rows, shared, kind):
    """The keys of one name: a table of those of its own, a sentence about the shared ones."""
    own = [row for row in rows if row not in shared]
    common = [f"`{row[0]}`" for row in rows if row in shared]
    parts = [table(own)] if own else []
    if common and len(common) == len(shared):
        parts.append(f"Reads all keys of most {kind}.\n")
    elif common:
        parts.append(f"Of the keys of most {kind} it reads {', '.join(common)}.\n")
    return "\n".join(parts) or "No keys.\n"


def text_of(program, option, names):
    tables = groups(run(program, option, *names))
    if names != ["all"]:
        return table(tables[0][1]) + "".join(f"\nKeys {cell(title)}:\n\n" + table(rows) for title, rows in tables[1:])
    kind = COMMON.get(option, "")
    shared = shared_rows(tables) if kind else []
    first = f"### Keys of most {kind}\n\n{table(shared)}\n" if shared else ""
    return first + "\n".join(heading(title) + own_and_common(rows, shared, kind) for title, rows in tables)


def page_of(program, page):
    def block(match):
        option, *names = match[2].split()
        return f"{match[1]}\n{text_of(program, option, names)}\n{match[3]}"

    return BLOCK.sub(block, page)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--check", action="store_true")
    parser.add_argument("program")
    args = parser.parse_args()
    old = PAGE.read_text()
    new = page_of(args.program, old)
    if not args.check:
        PAGE.write_text(new)
    elif new != old:
        difference = difflib.unified_diff(old.splitlines(), new.splitlines(), "docs/use/ini.md", "n2d2's help", "", "", 0, "")
        print("\n".join(difference))
        print("docs/use/ini.md is out of date: run scripts/ini_reference.py <n2d2>")
        return 1
    else:
        print(f"ini: {len(BLOCK.findall(old))} tables are what the program says")
    return 0


if __name__ == "__main__":
    sys.exit(main())
