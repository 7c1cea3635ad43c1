"""Tables of figures: printed in Markdown while they grow, kept as JSON with what made them.

A table has columns (a title, and the format of its numbers where it has any) and rows of values: numbers,
texts, and None for what was not measured. A file of docs/results/data is one run of a bench program: the
machine by lscpu, the date, the commit of the sources, the command, and the tables. scripts/results_pages.py
writes these tables into the pages of docs/results.
"""
import json
import os
import re
import shlex
import subprocess
import sys
from datetime import datetime, timezone
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
# Flags of lscpu that choose kernels, and how pages call them.
FLAGS = {"avx2": "AVX2", "avx_vnni": "AVX-VNNI", "avx512_vnni": "AVX-512 VNNI", "amx_int8": "AMX",
         "asimd": "NEON", "asimddp": "dotprod", "i8mm": "i8mm"}
# What a file of data says of a run.
KEYS = ["machine", "date", "commit", "command", "tables"]
FLOAT = re.compile(r"\{:,?(\.\d+[ef])\}")


def column(description):
    """A title alone is a column of texts."""
    title, form = (description, None) if isinstance(description, str) else description
    return {"title": title} if form is None else {"title": title, "format": form}


def kept(value, form):
    """The value without digits that its column does not show."""
    shown = FLOAT.search(form or "")
    if not shown or isinstance(value, str) or value is None:
        return value
    number = float(format(value, shown[1]))
    return int(number) if shown[1] == ".0f" else number


def cell(value, form):
    if value is None:
        return "-"
    text = value if isinstance(value, str) else (form or "{}").format(value)
    return text.replace("|", "\\|")


def heading(columns):
    """Columns of numbers are aligned to the right."""
    rule = "".join("--:|" if "format" in c else "---|" for c in columns)
    return "| " + " | ".join(c["title"] for c in columns) + " |\n|" + rule


def line(columns, row):
    return "| " + " | ".join(cell(v, c.get("format")) for c, v in zip(columns, row)) + " |"


def markdown(table):
    lines = [heading(table["columns"]), *(line(table["columns"], row) for row in table["rows"])]
    return "\n".join(lines) + "\n"


class Table:
    """A table that prints its heading at once and each row when it is added."""

    def __init__(self, *columns):
        self.columns, self.rows = [column(c) for c in columns], []
        print(heading(self.columns), flush=True)

    def add(self, *values):
        if len(values) != len(self.columns):
            raise ValueError(f"{len(values)} values for {len(self.columns)} columns")
        self.rows.append([kept(v, c.get("format")) for c, v in zip(self.columns, values)])
        print(line(self.columns, self.rows[-1]), flush=True)


def machine_of(lscpu):
    """What the text of lscpu says of the processor; family and model are None where it has no numbers."""
    said = dict((part.strip() for part in one.split(":", 1)) for one in lscpu.splitlines() if ":" in one)
    numbers = {key: int(said[name]) if said.get(name, "").isdigit() else None
               for key, name in (("family", "CPU family"), ("model", "Model"))}
    flags = [flag for flag in FLAGS if flag in said.get("Flags", "").split()]
    return {"name": said["Model name"], **numbers, "flags": flags, "cores": int(said["CPU(s)"])}


def spoken(argument):
    """An argument without folders of one machine: <name> stands for a path outside of the repository."""
    option, equals, value = argument.rpartition("=") if argument.startswith("--") else ("", "", argument)
    path = Path(value)
    outside = (path.is_absolute() or ".." in path.parts) and not path.resolve().is_relative_to(ROOT)
    if path.is_absolute() and not outside:
        value = str(path.resolve().relative_to(ROOT))
    return f"{option}{equals}<{path.name}>" if outside else option + equals + shlex.quote(value)


def command_of(arguments, environment=()):
    """The command without --json FILE, with the variables that the program reads."""
    words, skip = [], False
    for argument in arguments:
        if not skip and argument != "--json" and not argument.startswith("--json="):
            words.append(spoken(argument))
        skip = argument == "--json"
    words[0] = str(Path(arguments[0]).resolve().relative_to(ROOT))
    return " ".join([*(f"{name}=<folder>" for name in environment if name in os.environ), *words])


def output_of(*command):
    return subprocess.run(command, cwd=ROOT, env=dict(os.environ, LC_ALL="C"), capture_output=True, text=True,
                          check=True).stdout


def commit():
    """The commit of the sources; a plus behind it says that some of them were changed."""
    changed = output_of("git", "status", "--porcelain", "--untracked-files=no").strip()
    return output_of("git", "rev-parse", "--short=7", "HEAD").strip() + ("+" if changed else "")


def text_of(run):
    """The JSON of a run, with a line a column and a line a row: figures that change are lines that change."""
    def lines(values, indent):
        return ",\n".join(" " * indent + json.dumps(v, ensure_ascii=False) for v in values)

    def array(name, values, indent):
        inner = f"\n{lines(values, indent + 2)}\n{' ' * indent}" if values else ""
        return f'{" " * indent}"{name}": [{inner}]'

    def table_text(name, table):
        arrays = ",\n".join(array(key, table[key], 6) for key in ("columns", "rows"))
        return f'    "{name}": {{\n{arrays}\n    }}'

    tables = [table_text(name, table) for name, table in run["tables"].items()]
    parts = [f'  "{key}": {json.dumps(run[key], ensure_ascii=False)}' for key in KEYS[:3]]
    parts += [array("command", run["command"], 2), '  "tables": {\n' + ",\n".join(tables) + "\n  }"]
    return "{\n" + ",\n".join(parts) + "\n}\n"


def add_option(parser):
    parser.add_argument("--json", type=Path, metavar="FILE", help="writes the figures, for docs/results/data")


def write(path, environment=(), emulated=False, **tables):
    """Writes the tables of this run of the program, where the user wants them. Emulated runs have no machine."""
    if not path:
        return
    run = {"machine": None if emulated else machine_of(output_of("lscpu")),
           "date": f"{datetime.now(timezone.utc):%Y-%m-%d}", "commit": commit(),
           "command": [command_of(sys.argv, environment)],
           "tables": {name: {"columns": t.columns, "rows": t.rows} for name, t in tables.items()}}
    path.write_text(text_of(run))
