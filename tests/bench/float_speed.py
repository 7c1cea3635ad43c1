#!/usr/bin/env python3
"""Is the float path as fast as it should be, and does calibration keep to its memory?

Forward passes alone: raw stimuli through onnx_float (the graph that calibration runs) and through ONNX Runtime, same
batch, same threads, one after the other, several times; the fastest of each counts. The program: the images/s of the
forward passes that `n2d2 -test` and `n2d2 -calib` print while they decode pictures beside it, next to those of ONNX
Runtime, and the largest resident size of calibration with few and with many pictures. Goals: 0.7 of ONNX Runtime, and
20 MiB between the two sizes. Exit status 1 when one is missed.

    N2D2_DATA=<folder> tests/bench/float_speed.py --n2d2 <build>/src/app/n2d2 --onnx-float <build>/tests/bench/onnx_float
        --ort-run <ort_run.mjs> [--only resnet20,...] [--threads 1,2] [--repeats 3]

Needs node, and Python's onnx to open the first extent of the models for batches. For a quiet machine: other work weighs
on the two sides differently.
"""
import argparse
import array
import os
import random
import re
import sys
from pathlib import Path

import onnx
from onnx import numpy_helper

import figures
from commands import Failure, number, run
from onnx_models import INI, NETWORKS, RUNTIME

CHOSEN = "mobilenet_v1_075_224,mobilenet_v1_025_128,mcunet_in3,squeezenet11,resnet20"
PROGRAM = "mobilenet_v1_075_224"
GOAL = 0.7
FEW, MANY = 50, 500
GROWTH_MIB = 20


def open_batch(source, target):
    """The model with any number of samples: open first extents, and reshapes that keep theirs."""
    model = onnx.load(str(source))
    graph = model.graph
    constants = {initializer.name: initializer for initializer in graph.initializer}
    for value in list(graph.input) + list(graph.output):
        if value.name not in constants and value.type.tensor_type.shape.dim:
            value.type.tensor_type.shape.dim[0].dim_param = "batch"
    del graph.value_info[:]
    for node in graph.node:
        if node.op_type == "Reshape" and node.input[1] in constants:
            constant = constants[node.input[1]]
            shape = numpy_helper.to_array(constant).copy()
            if shape[0] == 1:
                shape[0] = 0
                constant.CopyFrom(numpy_helper.from_array(shape, constant.name))
    onnx.save(model, str(target))


def sample_size(network):
    size = 1
    for extent in network.shape:
        size *= extent
    return size


def batch_of(network):
    """What n2d2 takes where nothing learns."""
    size = 1
    while 2 * size * 4 * sample_size(network) <= 16 << 20:
        size *= 2
    return min(max(size, 32), 256)


def stimuli(network, folder):
    size = sample_size(network)
    generator = random.Random(network.ini)
    count = 2 * max(batch_of(network), 2_000_000 // size // 64 * 64)
    one = array.array("f", (generator.uniform(network.low, network.high) for _ in range(size)))
    (folder / "in.f32").write_bytes(one.tobytes() * count)


def runtime_rate(arguments, network, threads):
    shape = ",".join(map(str, (1,) + network.shape))
    folder = arguments.work / network.ini
    text = run(["node", arguments.ort_run, folder / "batch.onnx", folder / "in.f32", folder / "ort.f32", "--shape", shape,
                "--batch", batch_of(network), "--threads", threads, "--repeat", 3], arguments.work,
               f"{network.ini}/ort.log")
    return number(r"samples/s ([0-9.]+)", text)


def our_rate(arguments, network, threads):
    folder = arguments.work / network.ini
    text = run([arguments.onnx_float, network.path, folder / "in.f32", folder / "ours.f32", "--fuse", "--batch",
                batch_of(network), "--threads", threads, "--repeat", 3], folder, "ours.log")
    return number(r"samples/s ([0-9.]+)", text)


def program(arguments, folder, log, extra):
    """What n2d2 prints, and its largest resident size in MiB."""
    command = [str(arguments.n2d2), str(INI / f"{PROGRAM}_onnx.ini"), "-seed", "1", "-w", "/dev/null", *extra]
    reader, writer = os.pipe()
    child = os.fork()
    if child == 0:
        os.chdir(folder)
        os.dup2(writer, 1)
        os.dup2(writer, 2)
        os.close(reader)
        os.execv(command[0], command)
    os.close(writer)
    with os.fdopen(reader) as stream:
        text = stream.read()
    _, status, usage = os.wait4(child, 0)
    (folder / log).write_text(text)
    if status != 0:
        raise Failure(f"{' '.join(command)}\nfailed, see {folder / log}")
    return text, usage.ru_maxrss / 1024


def calibration(count):
    return ["-export", "CPP", "-nbbits", "8", "-calib", str(count), "-db-export", "1"]


def program_rates(arguments, name, folder):
    """Images/s of the forward passes, and of those together with the statistics of a calibration."""
    extra = ["-test"] if name == "-test" else calibration(MANY)
    text, _ = program(arguments, folder, f"program{name}.log", extra)
    found = re.search(r"forward: ([0-9.]+) images/s.*?(?:; ([0-9.]+) images/s with statistics)?\n", text)
    if not found:
        raise Failure(f"n2d2 {name} says nothing of its forward passes")
    return tuple(float(x or 0) for x in found.groups())


def fastest(turns, measures):
    """The largest result of each measure, taken in turns."""
    best = {}
    for _ in range(turns):
        for name, measure in measures.items():
            result = measure()
            best[name] = max(best.get(name, result), result)
    return best


def forward_table(arguments, missed):
    table = figures.Table("forward passes alone", ("batch", "{}"), ("threads", "{}"),
                          ("n2d2 images/s", "{:.0f}"), ("ONNX Runtime images/s", "{:.0f}"),
                          ("ratio", "{:.2f}"))
    for network in (n for n in NETWORKS if n.ini in arguments.only.split(",")):
        folder = arguments.work / network.ini
        folder.mkdir(exist_ok=True)
        open_batch(network.path, folder / "batch.onnx")
        stimuli(network, folder)
        for threads in arguments.threads:
            best = fastest(arguments.repeats, {"ours": lambda: our_rate(arguments, network, threads),
                                               "runtime": lambda: runtime_rate(arguments, network, threads)})
            ratio = best["ours"] / best["runtime"]
            table.add(network.ini, batch_of(network), threads, best["ours"], best["runtime"], ratio)
            if ratio < GOAL:
                missed.append(f"{network.ini}, {threads} threads: {ratio:.2f} of ONNX Runtime, goal {GOAL}")
    return table


def program_table(arguments, missed):
    network = next(n for n in NETWORKS if n.ini == PROGRAM)
    folder = arguments.work / PROGRAM
    print()
    table = figures.Table(f"n2d2 on {MANY} pictures", ("threads", "{}"), ("forward images/s", "{:.0f}"),
                          ("ONNX Runtime images/s", "{:.0f}"), ("ratio", "{:.2f}"),
                          ("with statistics", "{:.0f}"))
    for threads in arguments.threads:
        os.environ["OMP_NUM_THREADS"] = str(threads)
        best = fastest(arguments.repeats, {"runtime": lambda: (runtime_rate(arguments, network, threads), 0),
                                           "-test": lambda: program_rates(arguments, "-test", folder),
                                           "-calib": lambda: program_rates(arguments, "-calib", folder)})
        runtime = best.pop("runtime")[0]
        for name, (rate, observed) in best.items():
            table.add(name, threads, rate, runtime, rate / runtime, observed or None)
            if rate < GOAL * runtime:
                missed.append(f"{name}, {threads} threads: {rate / runtime:.2f} of ONNX Runtime, goal {GOAL}")
    peaks = {count: program(arguments, folder, "memory.log", calibration(count))[1] for count in (FEW, MANY)}
    print("\n" + ", ".join(f"-calib {count}: {peak:.0f} MiB" for count, peak in peaks.items()))
    if peaks[MANY] - peaks[FEW] > GROWTH_MIB:
        missed.append(f"calibration takes {peaks[MANY] - peaks[FEW]:.0f} MiB more for {MANY} pictures")
    return table


def options():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--n2d2", required=True, type=Path, help="the n2d2 program")
    parser.add_argument("--onnx-float", required=True, type=Path, help="the onnx_float program")
    parser.add_argument("--ort-run", required=True, type=Path, help="ort_run.mjs")
    parser.add_argument("--work", default=Path("float_speed.work"), type=Path, help="folder for everything written")
    parser.add_argument("--only", default=CHOSEN, help=f"networks, comma-separated [{CHOSEN}]")
    parser.add_argument("--threads", default="1,2", help="numbers of threads, comma-separated [1,2]")
    parser.add_argument("--repeats", default=3, type=int, help="turns of each [3]")
    figures.add_option(parser)
    arguments = parser.parse_args()
    for name in ("n2d2", "onnx_float", "ort_run", "work"):
        setattr(arguments, name, getattr(arguments, name).resolve())
    arguments.threads = [int(t) for t in arguments.threads.split(",")]
    unknown = set(arguments.only.split(",")) - {n.ini for n in NETWORKS}
    if unknown:
        parser.error(f"unknown network {', '.join(sorted(unknown))}")
    return arguments


def main():
    arguments = options()
    if "N2D2_DATA" not in os.environ:
        print("N2D2_DATA names the folder with models/ and ILSVRC2012/", file=sys.stderr)
        return 2
    arguments.work.mkdir(parents=True, exist_ok=True)
    if not (arguments.work / "node_modules" / "onnxruntime-node").is_dir():
        run(["npm", "install", "--ignore-scripts", "--prefix", arguments.work, RUNTIME], arguments.work, "npm.log")
    missed = []
    print(f"load {os.getloadavg()[0]:.1f} before\n")
    tables = {"forward": forward_table(arguments, missed)}
    if PROGRAM in arguments.only.split(","):
        tables["program"] = program_table(arguments, missed)
    figures.write(arguments.json, ["N2D2_DATA"], **tables)
    print(f"\nload {os.getloadavg()[0]:.1f} after")
    for line in missed:
        print(f"missed: {line}", file=sys.stderr)
    return 1 if missed else 0


if __name__ == "__main__":
    sys.exit(main())
