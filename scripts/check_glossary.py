#!/usr/bin/env python3
"""Checks docs/glossary.md and who keeps to it. Exit 1 with a line a finding.

Each table is sorted and no word has two entries. Each word of the glossary occurs in another page of docs/ or in a header that users
read: those of include/, of export/ and the static ones of an export. No such page and no comment of such a header has a word of the
table "Words to avoid"; a phrase counts across the ends of lines, code spans and fenced code do not count.
"""
import re
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
GLOSSARY = "docs/glossary.md"
AVOIDED = "Words to avoid"
PAGES, HEADERS = "docs/", ("include/", "export/", "src/targets/cpp/static/", "src/targets/cortexm/static/")
FENCE = re.compile(r"^```.*?^```$", re.M | re.S)
# A literal or a comment; what begins the lines of comments.
COMMENT = re.compile(r'"(?:\\.|[^"\\\n])*"|//[^\n]*|/\*.*?\*/', re.S)
SIGNS = re.compile(r"^//[/!]*<?|^/\*+|\*/$|^ *\*(?= )", re.M)


def tables(text):
    """Rows (line, cells) of each table, by the heading above it; without the line of titles and the rule below it."""
    out, heading, in_table = {}, "", False
    for number, line in enumerate(text.splitlines(), 1):
        if line.startswith("#"):
            heading = line.lstrip("# ")
        if not line.startswith("|"):
            in_table = False
            continue
        cells = [cell.strip() for cell in line.strip().strip("|").split("|")]
        if in_table and not set(cells[0]) <= set("-: "):
            out.setdefault(heading, []).append((number, cells))
        in_table = True
    return out


def words_of(cells):
    """The words of an entry: 'stripe, tile' has two."""
    return [word.strip(" `") for word in cells[0].split(",")]


def pattern_of(word, ending=""):
    return re.compile(r"(?<!\w)" + r"[\s]+".join(map(re.escape, word.split())) + ending + r"(?!\w)", re.I)


def blanked(match):
    return re.sub(r"[^\n]", " ", match[0])


def prose_of_page(text):
    """The page with fenced code and code spans as blanks."""
    return re.sub(r"`[^`\n]*`", blanked, FENCE.sub(blanked, text))


def prose_of_header(text):
    """The header with everything but its comments as blanks, signs of comments included."""
    out, end = "", 0
    for match in COMMENT.finditer(text):
        out += re.sub(r"[^\n]", " ", text[end:match.start()])
        is_comment = match[0].startswith(("//", "/*"))
        out += SIGNS.sub(blanked, match[0]) if is_comment else blanked(match)
        end = match.end()
    return re.sub(r"`[^`\n]*`", blanked, out)


def order_findings(entries):
    for rows in entries.values():
        for (_, before), (number, cells) in zip(rows, rows[1:]):
            if cells[0].strip("`").lower() < before[0].strip("`").lower():
                yield f"{GLOSSARY}:{number}: '{cells[0]}' comes before '{before[0]}' in the alphabet"
    seen = {}
    for number, cells in sorted(row for rows in entries.values() for row in rows):
        for word in words_of(cells):
            if word.lower() in seen:
                yield f"{GLOSSARY}:{number}: '{word}' has an entry already, on line {seen[word.lower()]}"
            seen.setdefault(word.lower(), number)


def use_findings(entries, texts):
    """Words that no text uses; a word may have an ending of the plural or of a verb."""
    for heading, rows in entries.items():
        for number, cells in rows if heading != AVOIDED else []:
            for word in words_of(cells):
                stem, ending = (word[:-1], "(e|es|ed|ation|ing)") if word.endswith("ze") or word.endswith("te") else (word, "(s|es)?")
                if not any(pattern_of(stem, ending).search(text) for text in texts):
                    yield f"{GLOSSARY}:{number}: no page and no header uses '{word}'"


def avoided_findings(entries, name, prose):
    for _, cells in entries.get(AVOIDED, []):
        for word in words_of(cells):
            for match in pattern_of(word).finditer(prose):
                number = prose.count("\n", 0, match.start()) + 1
                yield f"{name}:{number}: '{' '.join(match[0].split())}': write '{cells[1]}' ({GLOSSARY})"


def findings(glossary, files):
    """`files`: text of each page and header by its name, without the glossary."""
    entries = tables(glossary)
    if not entries.get(AVOIDED):
        yield f"{GLOSSARY}: no table below '{AVOIDED}'"
    yield from order_findings(entries)
    yield from use_findings(entries, files.values())
    for name, text in files.items():
        if name.startswith(PAGES):
            yield from avoided_findings(entries, name, prose_of_page(text))
        elif name.startswith(HEADERS):
            yield from avoided_findings(entries, name, prose_of_header(text))


def main():
    listed = subprocess.run(["git", "ls-files", "-z", "--cached", "--others", "--exclude-standard"], cwd=ROOT,
                            capture_output=True, text=True, check=True).stdout.split("\0")
    names = [f for f in listed if (f.startswith(PAGES) and f.endswith(".md") or f.startswith(HEADERS) and f.endswith((".hpp", ".h")))
             and f != GLOSSARY and (ROOT / f).exists()]
    found = list(findings((ROOT / GLOSSARY).read_text(), {f: (ROOT / f).read_text() for f in names}))
    print("\n".join(found) or f"glossary: {len(names)} pages and headers keep to its words")
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
