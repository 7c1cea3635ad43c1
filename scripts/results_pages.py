#!/usr/bin/env python3
"""Writes the tables in the pages of docs/results, which come from the files of docs/results/data.

    scripts/results_pages.py            writes the pages
    scripts/results_pages.py --check    exit 1 where a page is out of date, or a file of data is not shown

A file of data is what one run of a bench program wrote with --json. A block of a page ends with
'<!-- end -->' and begins with

    <!-- table: NAME -->  the table of data/NAME.json; where the run has several, its name stands behind NAME
    <!-- machine -->      the machine of the page's tables, which is one: the page of a processor
    <!-- index -->        pages of processors, and all files of data with their machine, date and program

The text around the blocks is written by hand. A table outside of them is a finding, except in pages of words.
"""
import argparse
import difflib
import json
import re
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
FOLDER = ROOT / "docs" / "results"
sys.dont_write_bytecode = True
sys.path.insert(0, str(ROOT / "tests" / "bench"))
from figures import FLAGS, KEYS, markdown  # noqa: E402

BEGIN = re.compile(r"^<!-- (table|machine|index)\b", re.M)
BLOCK = re.compile(r"(^<!-- (table|machine|index)(?:: ([\w-]+)(?: ([\w-]+))?)? -->\n)(.*?)(^<!-- end -->)",
                   re.S | re.M)
RULE = re.compile(r"^\|[-:| ]+\|$", re.M)
# Pages whose tables are words, or come from another program.
WORDS = {"cases.md", "onnx_nodes.md"}


class Fault(Exception):
    pass


def machine_text(machine):
    if not machine:
        return ""
    known = machine["family"] is not None
    numbers = f", family {machine['family']}, model {machine['model']}" if known else ""
    flags = ", ".join(FLAGS[flag] for flag in machine["flags"])
    return f"{machine['name']}{numbers}" + (f": {flags}" if flags else "") + f"; {machine['cores']} cores"


def identity(machine):
    """What machines of one kind have alike: family and model, where lscpu knows them, else the name."""
    if not machine or machine["family"] is None:
        return machine and machine["name"]
    return machine["family"], machine["model"]


def data_faults(name, run):
    if list(run) != KEYS:
        yield f"data/{name}.json: expected the keys {', '.join(KEYS)}, found {', '.join(run)}"
        return
    for table_name, table in run["tables"].items():
        for number, row in enumerate(table["rows"], 1):
            if len(row) != len(table["columns"]):
                yield (f"data/{name}.json: row {number} of '{table_name}' has {len(row)} values, "
                       f"the table has {len(table['columns'])} columns")


def table_of(name, part, data):
    if name not in data:
        raise Fault(f"there is no data/{name}.json")
    tables = data[name]["tables"]
    if part is None and len(tables) == 1:
        part = next(iter(tables))
    if part not in tables:
        raise Fault(f"data/{name}.json has the tables {', '.join(tables)}: which one?")
    return part, tables[part]


def is_of_processor(text):
    return any(match[2] == "machine" for match in BLOCK.finditer(text))


def shown(text, data):
    """Name and table of the blocks of a page that the data has."""
    for match in BLOCK.finditer(text):
        if match[2] == "table" and match[3] in data:
            try:
                yield match[3], table_of(match[3], match[4], data)[0]
            except Fault:
                continue


def table_block(run, table, is_first, names_machine):
    """The table; the first one of a run on a page is between the command and a line about the run."""
    if not is_first:
        return "\n" + markdown(table) + "\n"
    command = "".join(f"    {line}\n" for line in run["command"])
    origin = "; ".join(filter(None, [machine_text(run["machine"]) if names_machine else "", run["date"],
                                     run["commit"] and f"commit {run['commit']}"]))
    line = f"{origin[0].upper()}{origin[1:]}.\n" if origin else ""
    return "\n" + "\n".join(filter(None, [command, markdown(table), line])) + "\n"


def machine_block(text, data):
    machines = [data[name]["machine"] for name, _ in shown(text, data)]
    if len({identity(machine) for machine in machines}) != 1 or not machines[0]:
        found = "; ".join(sorted({machine_text(machine) or "none" for machine in machines})) or "none"
        raise Fault(f"the page of a processor has tables of one machine, found: {found}")
    return f"\n{machine_text(machines[0])}.\n\n"


def program_of(run):
    """The program that made the figures: the first one of tests/, else the first one."""
    words = [word for line in run["command"] for word in line.split() if "=" not in word]
    program = next((word for word in words if "tests/" in word), words[0] if words else None)
    return f"`{program.rsplit('/', 1)[-1]}`" if program else "-"


def title_of(text):
    return re.search(r"^# (.*)$", text, re.M)[1]


def index_block(pages, data):
    lines = ["", "| processor | page |", "|---|---|"]
    for page, text in pages.items():
        first = next(shown(text, data), None) if is_of_processor(text) else None
        if first:
            lines.append(f"| {machine_text(data[first[0]]['machine'])} | [{title_of(text)}]({page}) |")
    lines += ["", "| data | page | processor | date | commit | program |", "|---|---|---|---|---|---|"]
    for name, run in sorted(data.items()):
        where = [page for page, text in pages.items() if name in {n for n, _ in shown(text, data)}]
        machine = run["machine"]
        processor = machine["name"] if machine else "-"
        if machine and machine["family"] is not None:
            processor += f" {machine['family']}/{machine['model']}"
        cells = [f"[{name}](data/{name}.json)", ", ".join(f"[{page}]({page})" for page in where), processor,
                 run["date"] or "-", run["commit"] or "-", program_of(run)]
        lines.append("| " + " | ".join(cells) + " |")
    return "\n".join(lines) + "\n\n"


def written(page, pages, data):
    """The page with its blocks as the data says. Throws Fault where a block cannot be written."""
    text = pages[page]
    names_machine, runs = not is_of_processor(text), set()

    def block(match):
        if BEGIN.search(match[5]):
            raise Fault(f"'{match[1].strip()}' has no '<!-- end -->'")
        if match[2] == "table":
            table = table_of(match[3], match[4], data)[1]
            is_first = match[3] not in runs
            runs.add(match[3])
            return match[1] + table_block(data[match[3]], table, is_first, names_machine) + match[6]
        is_machine = match[2] == "machine"
        return match[1] + (machine_block(text, data) if is_machine else index_block(pages, data)) + match[6]

    new = BLOCK.sub(block, text)
    if len(BEGIN.findall(text)) != len(BLOCK.findall(text)):
        raise Fault("a block has no '<!-- end -->', or its first line is none that the script knows")
    if page not in WORDS and RULE.search(BLOCK.sub("", text)):
        raise Fault("a table is outside of the blocks")
    return new


def results(pages, data):
    """The new pages by their names, and the findings."""
    findings = [fault for name, run in sorted(data.items()) for fault in data_faults(name, run)]
    if findings:
        return {}, findings
    new = {}
    for page in pages:
        try:
            new[page] = written(page, pages, data)
        except Fault as fault:
            findings.append(f"{page}: {fault}")
    seen = {pair for text in pages.values() for pair in shown(text, data)}
    findings += [f"data/{name}.json: no page shows its table '{part}'" for name, run in sorted(data.items())
                 for part in run["tables"] if (name, part) not in seen]
    return new, findings


def main():
    parser = argparse.ArgumentParser(description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--check", action="store_true")
    arguments = parser.parse_args()
    pages = {path.name: path.read_text() for path in sorted(FOLDER.glob("*.md"))}
    data = {path.stem: json.loads(path.read_text()) for path in sorted((FOLDER / "data").glob("*.json"))}
    new, findings = results(pages, data)
    for page, text in new.items():
        if text != pages[page] and not arguments.check:
            (FOLDER / page).write_text(text)
        elif text != pages[page]:
            old, now = pages[page].splitlines(), text.splitlines()
            findings += difflib.unified_diff(old, now, page, "data", n=0, lineterm="")
            findings.append(f"{page} is out of date: run scripts/results_pages.py")
    count = sum(len(run["tables"]) for run in data.values())
    print("\n".join(findings) or f"results: {count} tables of {len(data)} runs are what the data says")
    return 1 if findings else 0


if __name__ == "__main__":
    sys.exit(main())
