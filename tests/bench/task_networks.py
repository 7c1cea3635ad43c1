#!/usr/bin/env python3
"""Do networks of twelve tasks, as exporters write them, become programs that compute what the file says?

task_networks_write.py writes detectors, a segmentation, restorations, voice activity, recurrent, temporal and attention networks
and an auto-encoder with random weights. The values of n2d2 in float are compared with ONNX Runtime (node, npm:
onnxruntime-node, in the working folder); each network is exported from the command line alone in int8, in float and in int8 with
MemoryBudget=min, compiled and run: every layer must equal the reference values of the export. The judge of the export compares
them with plain loops. A network with states is a sequence: ONNX Runtime gets its own states of the sample before.
Exit status 1 when an export fails, differs, or floats are further apart than 1e-4 of the largest output.

    tests/bench/task_networks.py --n2d2 <build>/src/app/n2d2 [--work DIR] [--only ssd,...]

Needs python3-onnx and python3-numpy in Debian's interpreter, which runs this file: /usr/bin/python3 tests/bench/task_networks.py.
"""
import argparse
import json
import re
import subprocess
import sys
from pathlib import Path

import numpy as np

import figures
from commands import Failure, compared_layers, number, run

BENCH = Path(__file__).resolve().parent
NAMES = ["ssd", "yolo", "u_net", "super_resolution", "dn_cnn", "tiny_vad", "lstm_classifier", "two_stages",
         "temporal_convolutions", "kwt_1", "tiny_vit", "auto_encoder"]
RUNTIME = "onnxruntime-node@1.30.0"
SAMPLE = 3  # the sample whose values are compared
STIMULI = 4
TOLERANCE = 1e-4


def samples_of(described):
    """The options that name the samples and the states."""
    files = [i["file"] for i in described["inputs"] if "file" in i]
    states = [f"{i['state']}={i['name']}" for i in described["inputs"] if "state" in i]
    return ["-calib-npy", ",".join(files), *(["-states", ",".join(states)] if states else [])]


def runtime_values(arguments, folder, name, described):
    """Outputs of ONNX Runtime for the sample; states start from zeros and go from sample to sample."""
    has_states = any("state" in i for i in described["inputs"])
    for n in range(0 if has_states else SAMPLE, SAMPLE + 1):
        for i in described["inputs"]:
            file = folder / f"runtime.{i['name']}.npy"
            if "file" in i:
                values = np.load(folder / i["file"])[n]
            else:
                before = folder / f"runtime.{i['state']}.out.npy"
                values = np.load(before) if n > 0 else np.zeros(i["extents"], np.float32)
            np.save(file, values.reshape(i["extents"]).astype(np.float32))
        outputs = {o["name"]: str(folder / f"runtime.{o['name']}.out.npy") for o in described["outputs"]}
        job = {"model": str(folder / f"{name}.onnx"), "optimize": False, "threads": 1,
               "runs": [{"inputs": {i["name"]: str(folder / f"runtime.{i['name']}.npy") for i in described["inputs"]},
                         "outputs": outputs}]}
        (folder / "job.json").write_text(json.dumps(job))
        run(["node", BENCH / "onnx_run.mjs", folder / "job.json"], arguments.work, f"{name}/runtime.log")
    return {output: np.load(file) for output, file in outputs.items()}


def difference(arguments, folder, name, described, base):
    """The largest one by the largest magnitude of its output, over all outputs."""
    run([*base, "-test", "-log-outputs", SAMPLE + 1], folder, "test.log")
    worst = 0.0
    for output, expected in runtime_values(arguments, folder, name, described).items():
        ours = np.load(folder / f"outputs_test_{SAMPLE + 1}" / f"{output}.npy").ravel()
        expected = expected.ravel()
        if ours.size != expected.size:
            raise Failure(f"{output}: {ours.size} values, ONNX Runtime gives {expected.size}")
        worst = max(worst, float(np.abs(ours - expected).max() / np.abs(expected).max()))
    return worst


def export(folder, base, bits, budget=None):
    """The log of an export whose program computes all its reference values."""
    (folder / "export.ini").write_text(f"ReferenceStimuli={STIMULI}\n" + (f"MemoryBudget={budget}\n" if budget else ""))
    text = run([*base, "-export", "CPP", "-nbbits", bits, "-db-export", STIMULI, "-export-parameters", "export.ini"],
               folder, f"export_{bits}{'_' + budget if budget else ''}.log")
    if "no byte different" not in text and "none different" not in text:
        raise Failure(f"{folder}: the judge of the export of {bits} bits found differences")
    project = folder / ("export_CPP_float32" if bits < 0 else f"export_CPP_int{bits}")
    compared_layers(project)
    return text


def measure(arguments, name):
    folder = arguments.work / name
    folder.mkdir(parents=True, exist_ok=True)
    run([sys.executable, BENCH / "task_networks_write.py", folder, name], folder, "write.log")
    described = json.loads((folder / f"{name}.json").read_text())
    base = [arguments.n2d2, f"{name}.onnx", *samples_of(described)]
    apart = difference(arguments, folder, name, described, base)
    export(folder, base, -32)
    small = export(folder, base, 8, "min")
    text = export(folder, base, 8)
    noise = [float(n) for n in re.findall(r"'[^']*' (-?[0-9.]+) dB", re.search(r"^Check:.*$", text, re.M).group(0))]
    ram = r"RAM: ([0-9.]+) KiB"
    judged = re.search(r"Judge: ([0-9,]+) values", text).group(1)
    return apart, (name, apart, judged, "yes", "yes", number(ram, text), number(ram, small),
                   number(r"Weights: ([0-9.]+) KiB", text), min(noise))


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--n2d2", type=Path, required=True)
    parser.add_argument("--work", type=Path, default=Path("task_networks.work"))
    parser.add_argument("--only", help="names of some of them")
    figures.add_option(parser)
    arguments = parser.parse_args()
    arguments.n2d2 = arguments.n2d2.resolve()
    arguments.work = arguments.work.resolve()
    arguments.work.mkdir(parents=True, exist_ok=True)
    if not (arguments.work / "node_modules" / "onnxruntime-node").exists():
        subprocess.run(["npm", "install", "--silent", RUNTIME], cwd=arguments.work, check=True)
    table = figures.Table("network", ("float - ORT", "{:.1e}"), "judged values", "int8 runs equal", "float runs equal",
                          ("RAM KiB", "{:.2f}"), ("MemoryBudget=min", "{:.2f}"), ("weights KiB", "{:.1f}"),
                          ("dB", "{:.1f}"))
    failed = False
    for name in arguments.only.split(",") if arguments.only else NAMES:
        try:
            apart, row = measure(arguments, name)
            table.add(*row)
            if apart > TOLERANCE:
                raise Failure(f"floats are {apart:.1e} apart, expected {TOLERANCE:.0e} at most")
        except Failure as failure:
            failed = True
            print(f"{name}: {failure}", flush=True)
    figures.write(arguments.json, networks=table)
    sys.exit(failed)


main()
