#!/usr/bin/env python3
"""Do exported ONNX models give in ONNX Runtime what n2d2 gives?

Each network is exported (-export ONNX), checked by ONNX's checker with shape inference, and run in ONNX Runtime (node,
npm: onnxruntime-node, installed into the work folder), with and without graph optimizations.
Layers: the model is cut behind every QuantizeLinear, so that each layer is fed with the integers of the host run, and
its integers are compared with those of the host run: no layer sees the differences of another. Classes: the model as it
is, end to end, on every exported stimulus. Float exports are compared by value. Needs Python's onnx and numpy.
Exit status 1 when an element of a layer is more than one step off, or less than 99.5 % of the classes agree.

    N2D2_DATA=<folder> tests/bench/onnx_export.py --n2d2 <build>/src/app/n2d2 [--only lenet,...] [--forms qdq,fake,float]
"""
import argparse
import json
import os
import sys
from dataclasses import dataclass, field
from pathlib import Path

import numpy
import onnx

from commands import Failure, run
from onnx_models import INI, NETWORKS, RUNTIME, make_person_folders

RUNNER = Path(__file__).resolve().parent / "onnx_run.mjs"
REFERENCES = {"mobilenet_v1_075_224": 5, "squeezenet11": 5, "mcunet_in3": 5}  # stimuli whose layers are compared, else 20
STIMULI = 1000
AGREEMENT = 0.995
TOLERANCE = 1e-4
NO_CLASSES = ("mlperf_autoencoder",)


@dataclass
class Row:
    layers: int = 0
    elements: int = 0
    one: int = 0
    more: int = 0
    worst: dict = field(default_factory=dict)  # tensor: (elements off by one, by more)


def weights_of(arguments, name):
    """Weights that n2d2 learnt for an INI network of its own."""
    if name != "lenet":
        return "/dev/null"
    folder = arguments.work / "lenet"
    if not (folder / "weights_validation").is_dir():
        run([arguments.n2d2, INI / "lenet.ini", "-seed", "1", "-learn-epoch", "1"], folder, "learn.log")
    return "weights_validation"


def export(arguments, name, calib, form, folder):
    ini = INI / ("lenet.ini" if name == "lenet" else f"{name}_onnx.ini")
    (folder / f"{form}.ini").write_text(f"ReferenceStimuli={REFERENCES.get(name, 20)}\n" +
                                        ("FakeQuantization=1\n" if form == "fake" else ""))
    command = [arguments.n2d2, ini, "-seed", "1", "-w", weights_of(arguments, name), "-export", "ONNX", "-db-export",
               arguments.stimuli, "-export-parameters", f"{form}.ini"]
    command += ["-nbbits", "-32"] if form == "float" else ["-nbbits", "8", "-calib", calib]
    run(command, folder, f"export_{form}.log")
    result = folder / ("export_ONNX_float32" if form == "float" else "export_ONNX_int8")
    target = folder / form
    if target.is_dir():
        import shutil
        shutil.rmtree(target)
    result.rename(target)
    return target


def check(model):
    onnx.checker.check_model(str(model), full_check=True)


def runtime(arguments, job, folder, label):
    (folder / f"{label}.json").write_text(json.dumps(job))
    run(["node", RUNNER, folder / f"{label}.json"], arguments.work, (folder / f"{label}.log").resolve())


def cut(model_file, tensors, target):
    """Every tensor of the list leaves the graph, and what read it reads an input '<tensor>_given'."""
    model = onnx.load(str(model_file))
    graph = model.graph
    types = {v.name: v.type for v in list(graph.value_info) + list(graph.output)}
    for node in graph.node:
        for i, name in enumerate(node.input):
            if name in tensors:
                node.input[i] = f"{name}_given"
    del graph.output[:]
    read = {name for node in graph.node for name in node.input}
    for name in tensors:
        graph.output.append(onnx.ValueInfoProto(name=name, type=types[name]))
        if f"{name}_given" in read:
            graph.input.append(onnx.ValueInfoProto(name=f"{name}_given", type=types[name]))
    onnx.checker.check_model(model, full_check=True)
    onnx.save(model, str(target))
    return {i.name for i in graph.input}, {i.name: [d.dim_value for d in i.type.tensor_type.shape.dim] for i in graph.input}


def references(project):
    """Stimuli with reference values: name and tensor -> file."""
    names = dict(line.split(maxsplit=1)[::-1] for line in (project / "reference" / "tensors.txt").read_text().splitlines())
    for folder in sorted(p for p in (project / "reference").iterdir() if p.is_dir()):
        yield folder.name, {tensor: folder / file for tensor, file in names.items()}


def compare_layers(arguments, project, optimize):
    level = "on" if optimize else "off"
    work = project.parent / f"{project.name}_{level}"
    work.mkdir(exist_ok=True)
    every = list(references(project))
    inputs, dims = cut(project / "model.onnx", list(every[0][1]), work / "cut.onnx")
    real = onnx.load(str(project / "model.onnx")).graph.input[0].name
    runs = []
    for stimulus, files in every:
        feeds = {real: str(project / "stimuli" / f"{stimulus}.npy")}
        for tensor, file in files.items():
            if f"{tensor}_given" not in inputs:
                continue
            shape = dims[f"{tensor}_given"]
            value = numpy.load(file)
            if project.name == "fake":
                value = value.astype(numpy.float32)
            given = work / f"{stimulus}_{file.name}"
            numpy.save(given, value.reshape([1] + shape[1:]))
            feeds[f"{tensor}_given"] = str(given)
        runs.append({"inputs": feeds, "outputs": {t: str(work / f"{stimulus}_out_{f.name}") for t, f in files.items()}})
    runtime(arguments, {"model": str(work / "cut.onnx"), "optimize": optimize, "runs": runs}, work, "layers")
    row = Row(layers=len(every[0][1]))
    for (stimulus, files), done in zip(every, runs):
        for tensor, file in files.items():
            steps = numpy.abs(numpy.load(file).astype(numpy.int64).ravel() -
                              numpy.load(done["outputs"][tensor]).astype(numpy.int64).ravel())
            one, more = int((steps == 1).sum()), int((steps > 1).sum())
            row.elements, row.one, row.more = row.elements + steps.size, row.one + one, row.more + more
            if one or more:
                old = row.worst.get(tensor, (0, 0, 0))
                row.worst[tensor] = (old[0] + one, old[1] + more, old[2] + steps.size)
    for path in work.glob("env*.npy"):
        path.unlink()
    return row


def outputs_of(arguments, project, optimize):
    """Outputs of the whole model for every stimulus, and those of n2d2."""
    model = onnx.load(str(project / "model.onnx"), load_external_data=False)
    name, result = model.graph.input[0].name, model.graph.output[0].name
    files = [line.split()[0] for line in (project / "stimuli.list").read_text().splitlines()]
    batch, out = project.parent / f"{project.name}.npy", project.parent / f"{project.name}_out.npy"
    numpy.save(batch, numpy.concatenate([numpy.load(project / f) for f in files]))
    job = {"model": str(project / "model.onnx"), "optimize": optimize,
           "runs": [{"inputs": {name: str(batch)}, "outputs": {result: str(out)}, "split": True}]}
    runtime(arguments, job, project.parent, f"{project.name}_{'on' if optimize else 'off'}")
    theirs, ours = numpy.load(out), numpy.load(project / "reference" / "output_0.npy")
    batch.unlink()
    out.unlink()
    return ours.reshape(len(files), -1), theirs.reshape(len(files), -1)


def compare(arguments, name, form, project, missed):
    for optimize in (True, False):
        ours, theirs = outputs_of(arguments, project, optimize)
        same = int((ours.argmax(1) == theirs.argmax(1)).sum())
        cells = [name, form, "on" if optimize else "off"]
        if form == "float":
            worst = float((numpy.abs(ours - theirs).max(1) / numpy.abs(ours).max(1)).max())
            cells += ["-", "-", "-", f"{worst:.1e}"]
            if worst > TOLERANCE:
                missed.append(f"{name} {form}: differs by {worst:.1e}, wanted <= {TOLERANCE:g}")
        else:
            row = compare_layers(arguments, project, optimize)
            cells += [str(row.layers), str(row.elements), str(row.one), str(row.more)]
            (project.parent / f"{form}_{cells[2]}.txt").write_text("".join(
                f"{t}: {a} off by one, {b} by more, of {n}\n" for t, (a, b, n) in sorted(row.worst.items())))
            if row.more:
                missed.append(f"{name} {form} {cells[2]}: {row.more} elements are more than one step off")
        if name in NO_CLASSES:
            cells.append("-")
        else:
            cells.append(f"{same} of {len(ours)}")
            if same < AGREEMENT * len(ours):
                missed.append(f"{name} {form} {cells[2]}: {same} of {len(ours)} classes agree")
        print("| " + " | ".join(cells) + " |", flush=True)


def options():
    known = ["lenet"] + [n.ini for n in NETWORKS]
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--n2d2", required=True, type=Path, help="the n2d2 program")
    parser.add_argument("--work", default=Path("onnx_export.work"), type=Path, help="folder for everything written")
    parser.add_argument("--only", default=",".join(known), help="networks, comma-separated [all]")
    parser.add_argument("--forms", default="qdq,fake,float", help="forms, comma-separated [all]")
    parser.add_argument("--stimuli", default=STIMULI, type=int, help=f"stimuli for classes [{STIMULI}]")
    arguments = parser.parse_args()
    arguments.n2d2, arguments.work = arguments.n2d2.resolve(), arguments.work.resolve()
    unknown = set(arguments.only.split(",")) - set(known)
    if unknown:
        parser.error(f"unknown network {', '.join(sorted(unknown))}")
    return arguments, [n for n in known if n in arguments.only.split(",")]


def main():
    arguments, names = options()
    if "N2D2_DATA" not in os.environ:
        print("N2D2_DATA names the folder with models/", file=sys.stderr)
        return 2
    arguments.work.mkdir(parents=True, exist_ok=True)
    if not (arguments.work / "node_modules" / "onnxruntime-node").exists():
        run(["npm", "install", "--ignore-scripts", "--prefix", arguments.work, RUNTIME], arguments.work, "npm.log")
    make_person_folders(arguments.work / "data")
    calib = {n.ini: n.calib for n in NETWORKS} | {"lenet": 1000}
    missed = []
    print("| network | form | optimizations | layers | elements | one step off | more | classes that agree |")
    print("|---|---|---|---|---|---|---|---|", flush=True)
    for name in names:
        folder = arguments.work / name
        folder.mkdir(exist_ok=True)
        for form in arguments.forms.split(","):
            try:
                project = export(arguments, name, calib[name], form, folder)
                check(project / "model.onnx")
                compare(arguments, name, form, project, missed)
            except (Failure, onnx.checker.ValidationError) as failure:
                missed.append(f"{name} {form}: {failure}")
    for line in missed:
        print(f"missed: {line}", file=sys.stderr)
    return 1 if missed else 0


if __name__ == "__main__":
    sys.exit(main())
