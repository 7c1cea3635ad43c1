#!/usr/bin/env python3
"""Answers: does a network of which XNNPACK computes every second layer keep every byte, and what does it cost?

  delegated.py --n2d2 PROGRAM [--work FOLDER] [--stimuli N] MODEL.ini ...

Each model is exported as int8 twice: as it is, and with `Backend.xnnpack.Layers` naming every second of the layers that
XNNPACK can compute. The second one is built with CHECK_MEMORY=1, where blobs are overwritten after init, and every layer of
20 stimuli must equal the host run; then both run N stimuli and must predict the same class each time. The row in Markdown:
layers, layers of XNNPACK, parts, RAM of both, and the time of the second as a ratio to the first, in the same run.
"""
import argparse
import json
import pathlib
import re

import commands
import figures

KERNELS = {"conv2d", "conv2d_depthwise", "fc", "max_pool", "average_pool"}
COMPARED = 20


def export(args, model, folder, parameters):
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "parameters.ini").write_text(f"ReferenceStimuli={COMPARED}\n{parameters}")
    log = commands.run([args.n2d2, model, "-seed", 1, "-w-ignore", "-export", "CPP", "-nbbits", 8, "-calib", 200,
                        "-db-export", args.stimuli, "-dump", "program", "-export-parameters", "parameters.ini"],
                       folder, "export.log")
    return commands.number(r"RAM: ([0-9.]+) KiB", log)


def calls(folder):
    return json.loads((folder / "program.json").read_text())["calls"]


def build(folder, *options):
    project = folder / "export_CPP_int8"
    commands.run(["make", "-s", "clean"], project, "make.log")
    commands.run(["make", "-s", "-j2", *options], project, "make.log")
    return project


def microseconds(project):
    text = commands.run(["./bin/run_export", "-nb", 1, "-time", 100], project, "time.log")
    return commands.number(r"total: min ([0-9.]+) us", text)


def predictions(project, stimuli):
    text = commands.run(["./bin/run_export", "-nb", stimuli], project, "score.log")
    commands.number(r"Score: ([0-9.]+)%", text)
    return text


def add_row(args, model, table):
    work = pathlib.Path(args.work).absolute() / model.stem
    ram = export(args, model, work / "plain", "")
    layers = [c["node"] for c in calls(work / "plain") if c["kernel"] in KERNELS]
    chosen = layers[1::2]
    parts_ram = export(args, model, work / "parts",
                       f"Backend.xnnpack=1\nBackend.xnnpack.Layers={' '.join(chosen)}\n")
    parts = sum(1 for c in calls(work / "parts") if c["node"].startswith("xnnpack"))
    text = commands.run(["./bin/run_export", "-nb", COMPARED, "-compare", "reference"],
                        build(work / "parts", "CHECK_MEMORY=1"), "compare.log")
    compared = re.findall(r"(\S+): \d+ values, (\d+) different", text)
    different = [name for name, count in compared if count != "0"]
    plain, delegated = build(work / "plain"), build(work / "parts")
    if predictions(plain, args.stimuli) != predictions(delegated, args.stimuli):
        different.append("predictions")
    if different or not compared:
        raise commands.Failure(f"{model.stem}: {different or 'nothing'} differs")
    ratio = microseconds(delegated) / microseconds(plain)
    layer_count = len(calls(work / "plain"))
    table.add(model.stem, layer_count, len(chosen), parts, len(compared), ram, parts_ram, ratio)


def main():
    ap = argparse.ArgumentParser()
    ap.add_argument("--n2d2", required=True)
    ap.add_argument("--work", default="delegated")
    ap.add_argument("--stimuli", type=int, default=500)
    ap.add_argument("models", nargs="+")
    figures.add_option(ap)
    args = ap.parse_args()
    args.n2d2 = pathlib.Path(args.n2d2).absolute()
    table = figures.Table("network", ("layers", "{}"), ("of XNNPACK", "{}"), ("parts", "{}"),
                          (f"maps equal in {COMPARED} stimuli", "{}"), ("RAM KiB", "{:.2f}"),
                          ("with parts", "{:.2f}"), ("time", "{:.2f}"))
    for model in args.models:
        add_row(args, pathlib.Path(model).absolute(), table)
    figures.write(args.json, ["N2D2_DATA"], networks=table)


if __name__ == "__main__":
    main()
