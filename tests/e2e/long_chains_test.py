#!/usr/bin/env python3
"""Do networks of very many layers end in time that grows with their size, or in a clear refusal?

  long_chains_test.py N2D2

Chains are written as ONNX files, node by node, and as INI files whose sections stand in the order that helps least. Each run
has bounds on processor time and memory that a walk over all layers for each layer would leave by far: 100,000 squared is
ten thousand million.
"""
import resource
import subprocess
import sys
import tempfile
from pathlib import Path

from onnx_bytes import model, node, value_info

READ = 100_000  # most nodes that are read
SECTIONS = 12_500  # an INI file has 100,000 lines at most
EXPORTED = 10_000  # most layers of an export
SECONDS = 150  # of processor time; a machine under load needs a third of it at most
BYTES = 3 << 30


def write_chain(path, operators, count):
    """Node k reads what node k - 1 made; Add reads it twice."""
    nodes, last = [], "x"
    for k in range(count):
        operator = operators[k % len(operators)]
        nodes.append(node(operator, [last] * (2 if operator == "Add" else 1), f"t{k}"))
        last = f"t{k}"
    ends = value_info(11, "x", [1, 1, 4, 4]) + value_info(12, last, [1, 1, 4, 4])
    path.write_bytes(model(b"".join(nodes) + ends))


def write_sections(path, count, cycle=False):
    """Every layer reads the one that stands behind it in the file; the last one reads the data, or the first."""
    text = ["[database]", "[sp]", "SizeX=4", "SizeY=4"]
    for k in range(count):
        source = f"a{k + 1}" if k + 1 < count else ("a0" if cycle else "sp")
        text += [f"[a{k}]", f"Input={source}", "Type=Activation", "NbOutputs=1", "ActivationFunction=Rectifier"]
    path.write_text("\n".join(text + ["[a0.Target]", ""]))


def limits():
    resource.setrlimit(resource.RLIMIT_CPU, (SECONDS, SECONDS))
    resource.setrlimit(resource.RLIMIT_AS, (BYTES, BYTES))


failures = []


def expect(what, holds, shown=""):
    print(f"{'ok  ' if holds else 'FAIL'} {what}")
    if not holds:
        failures.append(what)
        print(str(shown)[:2000])


def run(n2d2, folder, *options):
    done = subprocess.run([n2d2, *options], cwd=folder, preexec_fn=limits, capture_output=True, text=True)
    return done.returncode, done.stdout + done.stderr


def expect_refusal(n2d2, folder, options, text):
    code, output = run(n2d2, folder, *options)
    expect(f"{options[0]}: {text}", code in (2, 3) and text in output and len(output) < 20_000, f"exit {code}\n{output}")


def main():
    n2d2 = sys.argv[1]
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        for operators in (["Relu"], ["Relu", "Sigmoid", "Add"]):
            file = "_".join(operators) + ".onnx"
            write_chain(folder / file, operators, READ)
            code, output = run(n2d2, folder, file, "-dump", "graph")
            expect(f"{file}: {READ} nodes are read", code == 0, f"exit {code}\n{output}")
        write_chain(folder / "long.onnx", ["Relu"], 10 * READ)
        expect_refusal(n2d2, folder, ["long.onnx"], f"the graph has {10 * READ} nodes, at most {READ} are read")

        write_sections(folder / "upwards.ini", SECTIONS)
        code, output = run(n2d2, folder, "upwards.ini", "-seed", "1", "-dump", "graph")
        expect(f"upwards.ini: {SECTIONS} sections are read", code == 0, f"exit {code}\n{output}")
        write_sections(folder / "cycle.ini", SECTIONS, cycle=True)
        expect_refusal(n2d2, folder, ["cycle.ini", "-seed", "1"], f"{SECTIONS - 100} more layers are part of cycles")
        write_sections(folder / "long.ini", READ)
        expect_refusal(n2d2, folder, ["long.ini", "-seed", "1"], "long.ini: expected at most 100000 lines in all, got more")

        (folder / "pictures").mkdir()
        for k in range(4):
            (folder / "pictures" / f"{k}.pgm").write_bytes(b"P5 4 4 255\n" + bytes(range(k, k + 16)))
        write_chain(folder / "export.onnx", ["Sigmoid"], EXPORTED + 1)
        expect_refusal(n2d2, folder, ["export.onnx", "-export", "CPP", "-calib-dir", "pictures"],
                       f"the network has {EXPORTED + 1} layers, at most {EXPORTED} are exported")
        expect("export.onnx: nothing is written", not (folder / "export_CPP_int8").exists())
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
