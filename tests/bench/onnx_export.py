#!/usr/bin/env python3
"""Do exported ONNX models give in ONNX Runtime what n2d2 gives?

Each network is exported (-export ONNX), checked by ONNX's checker with shape inference, and run in ONNX Runtime (node,
npm: onnxruntime-node, installed into the work folder), with and without graph optimizations.
Layers: the model is cut behind every pair of QuantizeLinear and DequantizeLinear, so that each layer is fed with the
integers of the host run and its integers are compared with theirs: no layer sees the differences of another. Classes: the model as it
is, end to end, on every exported stimulus. Float exports are compared by value. Needs Python's onnx and numpy.
Exit status 1 when an element of a layer is more than one step off, when less than 99.5 % of the classes agree with
optimizations, or without them where n2d2's integers say more than one step between the two classes.

    N2D2_DATA=<folder> tests/bench/onnx_export.py --n2d2 <build>/src/app/n2d2 [--only lenet,...] [--forms qdq,fake,float]
"""
import argparse
import json
import os
import shutil
import sys
from dataclasses import dataclass, field
from pathlib import Path

import numpy
import onnx
from onnx import numpy_helper

import figures
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
        shutil.rmtree(target)
    result.rename(target)
    return target


def check(model):
    onnx.checker.check_model(str(model), full_check=True)


def runtime(arguments, job, folder, label):
    (folder / f"{label}.json").write_text(json.dumps(job))
    run(["node", RUNNER, folder / f"{label}.json"], arguments.work, (folder / f"{label}.log").resolve())


def cut(model_file, tensors, target):
    """Every layer by itself: what read a value of the list reads '<value>_given' instead, an input of real values behind
    a QuantizeLinear and DequantizeLinear of their own, and the value leaves the graph. Runtime finds the same patterns
    around each layer as in the whole model. Returns value, step and zero point of each tensor."""
    model = onnx.load(str(model_file))
    graph = model.graph
    types = {v.name: v.type for v in list(graph.value_info) + list(graph.output)}
    constants = {i.name: numpy_helper.to_array(i) for i in graph.initializer}
    pairs = {n.input[0]: n for n in graph.node if n.op_type == "DequantizeLinear"}
    values = {t: pairs[t].output[0] if t in pairs else t for t in tensors}
    zeros = {t: int(constants[pairs[t].input[2]]) if t in pairs else 0 for t in tensors}
    steps = {t: float(constants[pairs[t].input[1]]) if t in pairs else 1.0 for t in tensors}
    given = {v: f"{v}_given" for v in values.values()}
    for node in graph.node:
        for i, name in enumerate(node.input):
            node.input[i] = given.get(name, name)
    read = {name for node in graph.node for name in node.input}
    before = []
    del graph.output[:]
    for tensor, value in values.items():
        graph.output.append(onnx.ValueInfoProto(name=value, type=types[value]))
        if given[value] not in read:
            continue
        graph.input.append(onnx.ValueInfoProto(name=f"{value}_real", type=types[value]))
        if tensor not in pairs:
            before.append(onnx.helper.make_node("Identity", [f"{value}_real"], [given[value]]))
            continue
        scale, zero = pairs[tensor].input[1:3]
        before.append(onnx.helper.make_node("QuantizeLinear", [f"{value}_real", scale, zero], [f"{value}_steps"]))
        before.append(onnx.helper.make_node("DequantizeLinear", [f"{value}_steps", scale, zero], [given[value]]))
    nodes = before + list(graph.node)
    del graph.node[:]
    graph.node.extend(nodes)
    onnx.checker.check_model(model, full_check=True)
    onnx.save(model, str(target))
    shapes = {i.name: [1] + [d.dim_value for d in i.type.tensor_type.shape.dim][1:] for i in graph.input}
    return values, steps, zeros, shapes


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
    values, scales, zeros, shapes = cut(project / "model.onnx", list(every[0][1]), work / "cut.onnx")
    real = onnx.load(str(project / "model.onnx")).graph.input[0].name
    runs = []
    for stimulus, files in every:
        feeds = {real: str(project / "stimuli" / f"{stimulus}.npy")}
        for tensor, file in files.items():
            name = f"{values[tensor]}_real"
            if name not in shapes:
                continue
            given = work / f"{stimulus}_{file.name}"
            numpy.save(given, ((numpy.load(file).astype(numpy.int64) - zeros[tensor]) * numpy.float32(scales[tensor])).astype(numpy.float32).reshape(shapes[name]))
            feeds[name] = str(given)
        runs.append({"inputs": feeds,
                     "outputs": {values[t]: str(work / f"{stimulus}_out_{f.name}") for t, f in files.items()}})
    runtime(arguments, {"model": str(work / "cut.onnx"), "optimize": optimize, "runs": runs}, work, "layers")
    row = Row(layers=len(every[0][1]))
    for (stimulus, files), done in zip(every, runs):
        for tensor, file in files.items():
            theirs = numpy.rint(numpy.load(done["outputs"][values[tensor]]).ravel().astype(numpy.float64) / scales[tensor])
            steps = numpy.abs(numpy.load(file).astype(numpy.int64).ravel() - zeros[tensor] - theirs.astype(numpy.int64))
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


def output_step(project):
    graph = onnx.load(str(project / "model.onnx")).graph
    name = f"{graph.output[0].name}_scale"
    return next(numpy_helper.to_array(i).item() for i in graph.initializer if i.name == name)


def compare_classes(ours, theirs, step):
    """Equal classes, and how many of the others n2d2 holds for equal within a step (0 for floats)."""
    differ = numpy.nonzero(ours.argmax(1) != theirs.argmax(1))[0]
    near = [i for i in differ if step and round((ours[i].max() - ours[i][theirs[i].argmax()]) / step) <= 1]
    return len(ours) - len(differ), len(near)


def compare(arguments, name, form, project, table, missed):
    for optimize in (True, False):
        ours, theirs = outputs_of(arguments, project, optimize)
        same, near = compare_classes(ours, theirs, 0 if form == "float" else output_step(project))
        cells = [name, form, "on" if optimize else "off"]
        if form == "float":
            worst = float((numpy.abs(ours - theirs).max(1) / numpy.abs(ours).max(1)).max())
            cells += [None, None, None, f"{worst:.1e}"]
            if worst > TOLERANCE:
                missed.append(f"{name} {form}: differs by {worst:.1e}, wanted <= {TOLERANCE:g}")
        else:
            row = compare_layers(arguments, project, optimize)
            cells += [row.layers, row.elements, row.one, row.more]
            (project.parent / f"{form}_{cells[2]}.txt").write_text("".join(
                f"{t}: {a} off by one, {b} by more, of {n}\n" for t, (a, b, n) in sorted(row.worst.items())))
            if row.more:
                missed.append(f"{name} {form} {cells[2]}: {row.more} elements are more than one step off")
        if name in NO_CLASSES:
            cells.append(None)
        else:
            cells.append(f"{same} of {len(ours)}" + (f" ({near} within a step)" if same < len(ours) else ""))
            if same < AGREEMENT * len(ours) and (optimize or same + near < len(ours)):
                missed.append(f"{name} {form} {cells[2]}: {same} of {len(ours)} classes agree")
        table.add(*cells)


def options():
    known = ["lenet"] + [n.ini for n in NETWORKS]
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--n2d2", required=True, type=Path, help="the n2d2 program")
    parser.add_argument("--work", default=Path("onnx_export.work"), type=Path, help="folder for everything written")
    parser.add_argument("--only", default=",".join(known), help="networks, comma-separated [all]")
    parser.add_argument("--forms", default="qdq,fake,float", help="forms, comma-separated [all]")
    parser.add_argument("--reuse", action="store_true", help="compare exports that the work folder holds already")
    parser.add_argument("--stimuli", default=STIMULI, type=int, help=f"stimuli for classes [{STIMULI}]")
    figures.add_option(parser)
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
    table = figures.Table("network", "model", "optimizations", ("layers", "{}"), ("elements", "{}"),
                          ("one step off", "{}"), ("more", "{}"), "classes that agree")
    for name in names:
        folder = arguments.work / name
        folder.mkdir(exist_ok=True)
        for form in arguments.forms.split(","):
            try:
                project = folder / form
                if not (arguments.reuse and project.is_dir()):
                    project = export(arguments, name, calib[name], form, folder)
                check(project / "model.onnx")
                compare(arguments, name, form, project, table, missed)
            except (Failure, onnx.checker.ValidationError) as failure:
                missed.append(f"{name} {form}: {failure}")
    figures.write(arguments.json, ["N2D2_DATA"], networks=table)
    for line in missed:
        print(f"missed: {line}", file=sys.stderr)
    return 1 if missed else 0


if __name__ == "__main__":
    sys.exit(main())
