#!/usr/bin/env python3
"""Holds the JSON of -dump graph to the text beside it, and runs the graph files of the dump.

  graph_json_test.py N2D2 NET.ini

Exports the network in integers with a dump. Every graph.NN.<stage>.json must say of inputs, constants, nodes and outputs
what the .txt says; the exports from the .graph files must have the files of the first one, but for what calibration
writes about itself. Exit 1 where they differ.
"""
import argparse
import json
import re
import subprocess
import sys
import tempfile
from pathlib import Path

EXPORT = ["-export", "CPP", "-nbbits", "8", "-calib", "20", "-db-export", "1"]
FOLDER = "export_CPP_int8"
PAGE = Path(__file__).resolve().parent.parent.parent / "docs" / "use" / "graph_files.md"
# What says from which file the export was made, and by which command, and the hashes of it.
OF_ORIGIN = ("README.md", "provenance.json", "report.html", "report.json", "export_manifest.txt")
OF_CALIBRATION = ("statistics/calibration/", "statistics/quantization.json", "statistics/rounding.csv",
                  "statistics/settings.csv", "export_manifest.txt")


def text_of_type(value):
    out = f"{value['type']} {'x'.join(map(str, value['shape']))}"
    return out if value["layout"] == "nchw" else f"{out} {value['layout']}"


def lines(graph):
    """What the text says, without the numbers of quantization."""
    values, seen = graph["values"], set()

    def constant(index):
        value = values[index]
        if value["constant"] and index not in seen:
            seen.add(index)
            yield f"constant {value['name']} : {text_of_type(value)} # {value['hash']}"

    for index in graph["inputs"]:
        yield f"input {values[index]['name']} : {text_of_type(values[index])}"
    for node in graph["nodes"]:
        for index in node["in"]:
            yield from constant(index)
        types = ", ".join(text_of_type(values[index]) for index in node["out"])
        inputs = ", ".join(values[index]["name"] for index in node["in"])
        fields = "".join(f' {key}="{text}"' for key, text in node["fields"].items())
        yield f"{node['name']} : {types} = {node['operator']}({inputs}){fields}"
    for index in graph["outputs"]:
        yield f"output {values[index]['name']}"


def bare(line):
    line = re.sub(r" quant\([^)]*\)", "", line)
    line = re.sub(r' (clamp|rescale)="[^"]*"', "", line)
    return re.sub(r" @ \S+:\d+$", "", line)


def scales_of(line):
    """The scales of the output, or none."""
    found = re.search(r"quant\(\d+ \w+ -?\d+ ([^)]*)\)", line.split(" = ")[0])
    return [float(word) for word in found[1].split(" of")[0].split()] if found else None


def is_close(written, read):
    """Scales are the shortest text of a float32 in one, a double in the other."""
    if written is None or read is None:
        return written is None and read is None
    return len(written) == len(read) and all(abs(a - b) <= 1e-7 * b for a, b in zip(written, read))


def misquantized(text, graph):
    """Names of nodes whose scales, clamp or rescale are not those of the text."""
    of_name = {line.split(" : ")[0]: line for line in text.splitlines()}
    for node in graph["nodes"]:
        line = of_name[node["name"]]
        quant = graph["values"][node["out"][0]]["quantization"]
        if (not is_close(scales_of(line), quant and quant["scale"]) or (node["clamp"] is None) == (" clamp=" in line)
                or (node["rescale"] is None) == (" rescale=" in line)):
            yield node["name"]


def check_json(path):
    graph = json.loads(path.read_text(encoding="utf-8"))
    text = path.with_suffix(".txt").read_text()
    problems = [f"{path.name}: {a!r} is {b!r} in the text"
                for a, b in zip(lines(graph), map(bare, text.splitlines())) if a != b]
    if len(list(lines(graph))) != len(text.splitlines()):
        problems.append(f"{path.name}: another number of lines than the text")
    problems += [f"{path.name}: {name} is not quantized, clamped or rescaled as in the text"
                 for name in misquantized(text, graph)]
    return problems


def tree(folder):
    return {str(p.relative_to(folder)): p.read_bytes() for p in sorted(folder.rglob("*")) if p.is_file()}


def export(n2d2, net, options, folder):
    folder.mkdir()
    subprocess.run([n2d2, net, *EXPORT, *options], cwd=folder, check=True, stdout=subprocess.DEVNULL)
    return tree(folder / FOLDER)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("n2d2")
    parser.add_argument("net")
    arguments = parser.parse_args()
    problems = []
    with tempfile.TemporaryDirectory(prefix="n2d2_graph_") as name:
        work = Path(name)
        first = export(arguments.n2d2, arguments.net, ["-seed", "1", "-w", "/dev/null", "-dump", "graph"], work / "ini")
        stages = sorted((work / "ini").glob("graph.*.json"))
        for path in stages:
            problems += check_json(path)
        graphs = sorted((work / "ini").glob("graph.*.graph"))
        named = set(re.findall(r"graph\.\d+\.\w+\.graph", PAGE.read_text()))
        problems += [f"{PAGE.name} names {name}, which no dump writes" for name in named - {p.name for p in graphs}]
        for path in graphs:
            again = export(arguments.n2d2, path, [], work / path.stem)
            different = [file for file in first.keys() | again.keys() if first.get(file) != again.get(file)]
            different = [file for file in different if file not in OF_ORIGIN]
            if ".quantize_graph." in path.name:
                different = [file for file in different if not file.startswith(OF_CALIBRATION)]
            problems += [f"{path.name}: another {file}" for file in sorted(different)]
        print(f"{len(stages)} stages, {len(graphs)} graph files, {len(first)} files in the export")
    print("\n".join(problems))
    return 1 if problems or not stages or len(graphs) != 2 else 0


if __name__ == "__main__":
    sys.exit(main())
