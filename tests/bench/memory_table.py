#!/usr/bin/env python3
"""Answers: does the default memory plan reach the exact bound on well-known networks, and are their exports exact?

  memory_table.py --n2d2 PROGRAM --oracle FILE [--work FOLDER] [--compile] [--flip | --budget [--stream-input]] [--only NAME ...]

FILE is ram_bounds.py, which defines the networks and computes the columns without any code of n2d2: `a` the sum of all
activations, `b` without sharing between input and output, `c` with exact row overlap. Each network is written as an INI
file with random weights, exported as int8, and its plan is read back from statistics/memory/memory_mapping.json. The
table in Markdown shows columns, peak, bound, their ratio, and the time to plan. A peak other than column c makes the
exit status 1.

  --compile   builds every export and runs it on its stimuli: every byte of every layer must equal the host run; then
              the same with CHECK_MEMORY=1 (memory that holds nothing is filled with a pattern) and CHECK_MEMORY=2
  --budget    shows the default plan, the plan within 1.02 times column `m1` (consecutive stages streamed row by row, nothing
              computed twice), that of MemoryBudget=min with what it computes again of the multiplications, and the plan
              of half the way between the first two; none within 1.02 m1, or one that computes something again, makes the
              exit status 1
  --stream-input  shows the default plan and that of StreamInput=1 beside column `m2` (as m1, but of the input only the rows that
              are still read) and m2 where pools over whole maps do not stream, the rows of the input that it keeps, the
              plan of half the way between it and the default, and that of MemoryBudget=min with what it computes again; one
              more than 2 % above m2, or that computes something again, makes the exit status 1
  --json      writes the figures of the table, or tables, for docs/results/data
  --flip      does so for LeNet-5, ResNet8, SqueezeNet and DS-CNN with each export parameter that concerns memory
"""
import argparse
import importlib.util
import json
import os
import re
import subprocess
import sys

import figures

NETWORKS = ["MobileNetV1-0.25-96", "ResNet8", "DS-CNN", "MobileNetV2-1.0-224", "MobileNetV2-0.35-144", "SqueezeNet1.1",
            "ResNet18", "LeNet-5", "AudioMoth 1D (int8)"]
FLIPPED = ["LeNet-5", "ResNet8", "SqueezeNet1.1", "DS-CNN"]
PARAMETERS = ["IncludeInputInBuffer=0", "OptimizeBufferMemory=0", "OptimizeNoBranchConcat=0", "MemoryAlignment=16",
              "MemoryAlignment=4\nMemoryAlignmentUnit=Byte", "MemoryManagerStrategy=None",
              "MemoryManagerStrategy=OptimizeMaxLifetimeMinSizeFirst",
              "MemoryManagerStrategy=OptimizeMaxHoleMaxLifetimeFirst", "MemoryManagerStrategy=OptimizeBest",
              "MemorySearchNodes=0", "CheckMemory=1", "[default]\nNoWrap=1"]
STIMULI = 5


def load(path):
    spec = importlib.util.spec_from_file_location("ram_bounds", path)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


class Ini:
    """A network of the oracle as an INI file."""

    def __init__(self, net):
        self.net, self.lines = net, []
        image = net.t["input"]
        self.section("database", Type="Glyphs_Database", Learn=10, Validation=10, Test=10, Width=32, Height=32,
                     NbChannels=image.c)
        self.section("sp", SizeX=image.w, SizeY=image.h, NbChannels=image.c, BatchSize=2)
        self.section("sp.Transformation", Type="RescaleTransformation", Width=image.w, Height=image.h)
        self.name = {"input": "sp"}  # of the cell, or cells, that hold a tensor
        for op in net.ops:
            self.add(op)
        last = net.ops[-1].ins[0] if net.ops[-1].kind == "softmax" else net.ops[-1].out
        few = net.t[last].c < 10  # the pictures have ten labels
        self.section(last + ".Target", LabelsMapping="labels.txt" if few else None)

    def section(self, name, **keys):
        self.lines += [f"[{name}]"] + [f"{k}={v}" for k, v in keys.items() if v is not None] + [""]

    def padded(self, op):
        """Name of the input of a windowed layer, behind a Padding layer where it needs one."""
        source, out = self.net.t[op.ins[0]], self.net.t[op.out]
        needed = lambda o, k, s, d, before, size: max(0, (o - 1) * s + (k - 1) * d + 1 - before - size)
        bottom = needed(out.h, op.k, op.s, op.d, op.pt, source.h)
        right = needed(out.w, op.kw, op.sw, op.dw, op.pl, source.w)
        if not (op.pt or op.pl or bottom or right):
            return self.name[op.ins[0]]
        self.section(op.out + "_pad", Input=self.name[op.ins[0]], Type="Padding", NbOutputs=source.c,
                     TopPadding=op.pt, BottomPadding=bottom, LeftPadding=op.pl, RightPadding=right)
        return op.out + "_pad"

    def each_channel(self, tensor):
        """Mapping of a pool; a tensor that is a concatenation reads its first part up to its size, the second behind."""
        if "," not in self.name[tensor]:
            return {"Mapping.ChannelsPerGroup": 1}
        first, second = self.name[tensor].split(",")
        return {"Mapping.Size": 1, "Mapping.NbIterations": self.net.t[first].c,
                f"Mapping({second}).OffsetX": self.net.t[first].c}

    def add(self, op):
        out = self.net.t[op.out]
        filler = {"WeightsFiller": "HeFiller", "BiasFiller": "NormalFiller", "BiasFiller.StdDev": 0.05}
        relu = {"ActivationFunction": "Rectifier"}
        kernel, stride = f"{op.kw} {op.k}", f"{op.sw} {op.s}"
        if op.kind == "concat":  # the layer that reads it names the parts
            self.name[op.out] = ",".join(self.name[x] for x in op.ins)
            return
        self.name[op.out] = op.out
        if op.kind in ("conv", "dw"):
            self.section(op.out, Input=self.padded(op), Type="Conv", KernelDims=kernel, Stride=stride,
                         Dilation=f"{op.dw} {op.d}", NbOutputs=out.c, **relu, **filler,
                         **({"Mapping.ChannelsPerGroup": 1} if op.kind == "dw" else {}))
        elif op.kind in ("pool", "gap"):
            average = op.kind == "gap" or op.out == "avgpool"
            if op.kind == "gap":
                stride = kernel
            source = self.padded(op)
            self.section(op.out, Input=source, Type="Pool", PoolDims=kernel, Stride=stride, NbOutputs=out.c,
                         Pooling="Average" if average else "Max", **self.each_channel(op.ins[0]))
        elif op.kind == "fc":
            self.section(op.out, Input=self.name[op.ins[0]], Type="Fc", NbOutputs=out.c, ActivationFunction="Linear",
                         **filler)
        elif op.kind == "add":
            self.section(op.out, Input=",".join(self.name[x] for x in op.ins), Type="ElemWise", Operation="Sum",
                         NbOutputs=out.c, **relu)
        elif op.kind != "softmax":  # a terminal Softmax is dropped by the export
            sys.exit(f"{self.net.name}: no layer for '{op.kind}'")

    def text(self):
        return "DefaultModel=Frame\n\n" + "\n".join(self.lines)


def run(command, folder):
    done = subprocess.run(command, cwd=folder, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
    if done.returncode:
        last = "\n".join(done.stdout.splitlines()[-15:])
        sys.exit(f"{' '.join(command)}: exit status {done.returncode}\n{last}")
    return done.stdout


def project_of(folder):
    return next(os.path.join(folder, name) for name in os.listdir(folder) if name.startswith("export_CPP_"))


def export(program, net, folder, parameters=""):
    """Exports the network; the memory map and what the export said."""
    os.makedirs(folder, exist_ok=True)
    with open(os.path.join(folder, "net.ini"), "w") as f:
        f.write(Ini(net).text())
    with open(os.path.join(folder, "labels.txt"), "w") as f:
        f.write("0 1\ndefault 0\n")
    command = [program, "net.ini", "-seed", "1", "-w", "/dev/null", "-export", "CPP", "-db-export", str(STIMULI), "-export-parameters", "parameters.ini"]
    command += ["-nbbits", "-32"] if net.B == 4 else ["-nbbits", "8", "-calib", "2"]
    with open(os.path.join(folder, "parameters.ini"), "w") as f:
        f.write(f"ReferenceStimuli={STIMULI}\n{parameters}\n")
    output = run(command, folder)
    with open(os.path.join(project_of(folder), "statistics/memory/memory_mapping.json")) as f:
        return json.load(f), output


def again_of(said):
    """Multiplications that an export said its program does again."""
    return sum(int(n.replace(",", "")) for n in re.findall(r"([0-9,]+) multiplications are done again", said))


def compare(folder, checks=("0", "1", "2")):
    """Builds the exported project with each value of CHECK_MEMORY; exit status 0 of its comparison means that every
    layer of every stimulus equals the dumps of the host run."""
    project = project_of(folder)
    for check in checks:
        run(["make", "-s", "-j2", f"CHECK_MEMORY={check}"], project)
        run(["./bin/run_export", "-compare", "reference"], project)
        run(["make", "-s", "clean"], project)


def layers(folder):
    """Names and texts of the dumps of the host run, of every stimulus and layer."""
    out = {}
    for base, _, files in os.walk(os.path.join(project_of(folder), "reference")):
        for name in files:
            with open(os.path.join(base, name)) as f:
                out[os.path.join(os.path.basename(base), name)] = f.read()
    return out


def chosen(oracle, args):
    """Networks of the oracle that the user wants; all of them, AudioMoth also in floats."""
    for make in oracle.NETS:
        net = make()
        if any(net.name.startswith(n) for n in args.only + ["AudioMoth 1D (float32)"] * (args.only == NETWORKS)):
            yield net


def with_whole_pools(oracle, net):
    """m2 where a pool over a whole map runs by itself: our kernel adds no rows up from turn to turn."""
    stream = oracle.stream
    never = float("inf")
    oracle.stream = lambda net, live, head, *rest: (
        (never, None, never) if any(op.whole for op in head) else stream(net, live, head, *rest))
    try:
        return oracle.multi_stage(net, oracle.Live(net, True), False)[0]
    finally:
        oracle.stream = stream


def rows_of_input(folder):
    """Rows of the input that the program keeps at a time, and of how many."""
    with open(os.path.join(project_of(folder), "dnn/src/forward.cpp")) as f:
        env = f.read().split("struct env", 1)[1].split("}", 1)[0]
    value = lambda name: int(re.search(name + r" = (\d+);", env).group(1))
    return value("out_ring") or value("out_h"), value("out_h")


def expect_layers(folder, expected):
    """The layers that the program has are those of the default plan; layers within others are none."""
    found = layers(folder)
    if not found or any(expected.get(name) != text for name, text in found.items()):
        sys.exit(f"{folder}: a layer has other bytes than with the default plan")


def percent(again, net):
    return f"{100 * again / net.macs():.1f} %" if again else 0


def bytes_columns(*titles):
    return [(title, "{:,}") for title in titles]


def finish(args, wrong, **tables):
    figures.write(args.json, **tables)
    sys.exit(1 if wrong else 0)


def stream_table(oracle, program, args):
    """Exports with inputs row by row, of the least memory, and with half of what that saves; each must give the bytes of the
    default plan."""
    table = figures.Table("network", *bytes_columns("default", "m2", "m2, pools whole", "by rows"),
                          ("by rows / m2", "{:.3f}"), "input rows kept",
                          *bytes_columns("half way: budget", "peak", "min"), ("multiplications again", "{}"))
    wrong = 0
    for net in chosen(oracle, args):
        m2 = oracle.multi_stage(net, oracle.Live(net, True), False)[0]
        folder = os.path.join(args.work, re.sub(r"[^A-Za-z0-9.]+", "_", net.name))
        default, _ = export(program, net, folder)
        expected = layers(folder)
        rows, twice = export(program, net, folder + "_rows", "StreamInput=1")
        kept, height = rows_of_input(folder + "_rows")
        between = max(rows["peak"], (default["peak"] + rows["peak"]) // 2)
        half, half_twice = export(program, net, folder + "_rows_half", f"StreamInput=1\nMemoryBudget={between}")
        least, said = export(program, net, folder + "_rows_least", "StreamInput=1\nMemoryBudget=min")
        for other in ("_rows", "_rows_half", "_rows_least"):
            expect_layers(folder + other, expected)
        wrong += rows["peak"] > 1.02 * m2 or half["peak"] > between or least["peak"] > rows["peak"] or again_of(twice + half_twice) > 0
        whole = with_whole_pools(oracle, net)
        table.add(net.name, default["peak"], m2, whole, rows["peak"], rows["peak"] / m2,
                  f"{kept} of {height}", between, half["peak"], least["peak"], percent(again_of(said), net))
        if args.compile:
            compare(folder + "_rows")
            compare(folder + "_rows_half", ("0",))
            compare(folder + "_rows_least")
            print(f"  {net.name}: every layer of {STIMULI} stimuli equal, also with both poisons", file=sys.stderr)
    finish(args, wrong, networks=table)


def budget_table(oracle, program, args):
    """Exports within m1, with the least memory, and with half of what m1 saves; each must give the bytes of the default plan."""
    table = figures.Table("network", *bytes_columns("default", "m1", "within 1.02 m1"), ("/ m1", "{:.3f}"),
                          *bytes_columns("half way: budget", "peak", "min"), ("multiplications again", "{}"))
    wrong = 0
    for net in chosen(oracle, args):
        m1 = oracle.multi_stage(net, oracle.Live(net, True), True)[0]
        folder = os.path.join(args.work, re.sub(r"[^A-Za-z0-9.]+", "_", net.name))
        default, _ = export(program, net, folder)
        expected = layers(folder)
        within, twice = export(program, net, folder + "_within", f"MemoryBudget={int(1.02 * m1)}")
        between = (default["peak"] + within["peak"]) // 2
        half, half_twice = export(program, net, folder + "_half", f"MemoryBudget={between}")
        least, said = export(program, net, folder + "_least", "MemoryBudget=min")
        for other in ("_within", "_half", "_least"):
            expect_layers(folder + other, expected)
        wrong += within["peak"] > 1.02 * m1 or half["peak"] > between or least["peak"] > within["peak"] or again_of(twice + half_twice) > 0
        table.add(net.name, default["peak"], m1, within["peak"], within["peak"] / m1, between, half["peak"],
                  least["peak"], percent(again_of(said), net))
        if args.compile:
            compare(folder + "_within")
            compare(folder + "_half", ("0",))
            compare(folder + "_least")
            print(f"  {net.name}: every layer of {STIMULI} stimuli equal, also with both poisons", file=sys.stderr)
    finish(args, wrong, networks=table)


def parameters_table(peaks):
    """Peaks by network and parameter: a row each parameter."""
    print()
    names = [name for name in FLIPPED if any(name == n for n, _ in peaks)]
    table = figures.Table("export parameters", *bytes_columns(*names))
    for parameter in PARAMETERS:
        table.add(f"`{' '.join(parameter.splitlines())}`", *(peaks[name, parameter] for name in names))
    return table


def main():
    ap = argparse.ArgumentParser()
    ap.add_argument("--n2d2", required=True)
    ap.add_argument("--oracle", required=True)
    ap.add_argument("--work", default="memory_table")
    ap.add_argument("--compile", action="store_true")
    ap.add_argument("--flip", action="store_true")
    ap.add_argument("--budget", action="store_true")
    ap.add_argument("--stream-input", action="store_true")
    ap.add_argument("--only", nargs="*", default=NETWORKS)
    figures.add_option(ap)
    args = ap.parse_args()
    oracle, program, wrong = load(args.oracle), os.path.abspath(args.n2d2), 0
    if args.stream_input:
        stream_table(oracle, program, args)
    if args.budget:
        budget_table(oracle, program, args)
    table = figures.Table("network", *bytes_columns("a", "b", "c", "peak", "bound"),
                          ("peak / bound", "{:.4f}"), ("planned in", "{:.1f} ms"))
    peaks = {}
    for make in oracle.NETS:
        net = make()
        name = next((n for n in args.only if net.name.startswith(n)), None)
        if name is None:
            continue
        live = oracle.Live(net, True)
        a, b = sum(net.bytes(t) for t in net.t), live.in_order("none")[0]
        c = live.in_order("row")[0]
        folder = os.path.join(args.work, re.sub(r"[^A-Za-z0-9.]+", "_", net.name))
        plan, said = export(program, net, folder)
        ms = float(re.search(r"planned in ([0-9.]+) ms", said).group(1))
        peak, bound = plan["peak"], plan["lowerBound"]
        wrong += peak != c
        table.add(net.name, a, b, c, peak, bound, peak / bound, ms)
        if args.compile:
            compare(folder)
            print(f"  {net.name}: every layer of {STIMULI} stimuli equal, also with both poisons", file=sys.stderr)
        for parameter in PARAMETERS if args.flip and name in FLIPPED else []:
            flipped, _ = export(program, net, folder + "_flip", parameter)
            compare(folder + "_flip", ("0", "1"))
            print(f"  {net.name}, {parameter!r}: equal, peak {flipped['peak']:,}", file=sys.stderr)
            peaks[name, parameter] = flipped["peak"]
    finish(args, wrong, networks=table, **({"parameters": parameters_table(peaks)} if peaks else {}))


if __name__ == "__main__":
    main()
