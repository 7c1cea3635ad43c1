#!/usr/bin/env python3
"""Do the ONNX files of N2D2_DATA/models mean the same to n2d2 as to ONNX Runtime, and what do their exports reach?

Float: 20 random stimuli of the range the network was trained on go through n2d2 (reference and oneDNN) and through
ONNX Runtime (node, npm: onnxruntime-node, installed into the work folder); the largest difference, divided by the
largest magnitude of the output, may be 1e-4. Int8: the INI file of models/ is tested, exported, compiled, and the
exported program compared with the host run on 20 stimuli. Exit status 1 when a goal is missed.

    N2D2_DATA=<folder> tests/bench/onnx_models.py --n2d2 <build>/src/app/n2d2 --onnx-float <build>/tests/bench/onnx_float
        --ort-run <ort_run.mjs> [--only mnist_cntk,...] [--float-only]
"""
import argparse
import array
import os
import random
import shutil
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path

import figures
from commands import Failure, number, run

INI = Path(__file__).resolve().parents[2] / "models"
RUNTIME = "onnxruntime-node@1.30.0"
STIMULI = 20
TOLERANCE = 1e-4


@dataclass
class Network:
    ini: str
    file: str
    shape: tuple  # of one sample
    low: float
    high: float
    published: float = 0  # float accuracy in percent, 0: unknown
    slack: float = 0.1  # points
    calib: int = 1000

    @property
    def path(self):
        return Path(os.environ["N2D2_DATA"]) / "models" / f"{self.file}.onnx"


NETWORKS = [
    Network("mnist_cntk", "mnist_cnn_cntk", (1, 28, 28), 0, 255, 98.91),
    Network("cifar10_pytorch", "cifar10_cnn_pytorch", (3, 32, 32), -1, 1, 65.78),
    Network("resnet20", "resnet20_cifar10", (3, 32, 32), -2, 2, 91.73),
    Network("resnet20_convshortcut", "resnet20_cifar10_convshortcut", (3, 32, 32), -2, 2, 91.73),
    Network("mlperf_resnet8", "mlperf_tiny_resnet8_cifar10", (3, 32, 32), 0, 255, 87.21),
    Network("mlperf_vww", "mlperf_tiny_mobilenetv1_025_vww", (3, 96, 96), 0, 1, calib=100),
    Network("mlperf_autoencoder", "mlperf_tiny_autoencoder_ad", (640,), -1, 1, calib=100),
    # Two pictures of the 500 of the sample.
    Network("mobilenet_v1_025_128", "mobilenet_v1_025_128_imagenet", (3, 128, 128), -1, 1, 45.8, 0.4, -1),
    Network("mobilenet_v1_075_224", "mobilenet_v1_075_224_imagenet", (3, 224, 224), -1, 1, 84.4, 0.4, -1),
    Network("mcunet_in3", "mcunet_in3_imagenet", (3, 176, 176), -1, 1, 71.2, 0.4, -1),
    Network("squeezenet11", "squeezenet11_imagenet", (3, 224, 224), -120, 140, 59.0, 0.4, -1),
]


def floats(path):
    values = array.array("f")
    values.frombytes(path.read_bytes())
    return values


def difference(ours, runtime):
    """Largest difference by the largest magnitude of each sample's output, over all samples."""
    if len(ours) != len(runtime) or not ours:
        raise Failure(f"{len(ours)} values, ONNX Runtime gives {len(runtime)}")
    size, worst = len(ours) // STIMULI, 0.0
    for at in range(0, len(ours), size):
        largest = max(abs(x) for x in runtime[at:at + size])
        worst = max(worst, max(abs(a - b) for a, b in zip(ours[at:at + size], runtime[at:at + size])) / largest)
    return worst


def compare_float(arguments, network, folder):
    size = 1
    for extent in network.shape:
        size *= extent
    generator = random.Random(network.ini)
    stimuli = array.array("f", (generator.uniform(network.low, network.high) for _ in range(STIMULI * size)))
    (folder / "in.f32").write_bytes(stimuli.tobytes())
    shape = ",".join(map(str, (1,) + network.shape))
    run(["node", arguments.ort_run, network.path, folder / "in.f32", folder / "ort.f32", "--shape", shape],
        arguments.work, f"{network.ini}/ort.log")
    runtime = floats(folder / "ort.f32")
    found = {}
    for name, option in (("reference", ["--reference"]), ("oneDNN", [])):
        run([arguments.onnx_float, network.path, folder / "in.f32", folder / f"{name}.f32"] + option, folder,
            f"{name}.log")
        found[name] = difference(floats(folder / f"{name}.f32"), runtime)
    return found


def export(arguments, network, folder):
    ini = INI / f"{network.ini}_onnx.ini"
    base = [arguments.n2d2, ini, "-seed", "1", "-w", "/dev/null", "-test"]
    rate = r"Final recognition rate: ([0-9.]+)%"
    row = {"float": number(rate, run(base, folder, "test.log"))}
    (folder / "export.ini").write_text(f"ReferenceStimuli={STIMULI}\n")
    text = run(base + ["-export", "CPP", "-nbbits", "8", "-calib", network.calib, "-db-export", "100",
                       "-export-parameters", "export.ini"], folder, "export.log")
    row["int8"] = number(rate, text)
    row["ram"] = number(r"RAM: ([0-9.]+) KiB", text)
    project = folder / "export_CPP_int8"
    run(["make", "-j2"], project, "../make.log")
    done = subprocess.run(["./bin/run_export", "-nb", str(STIMULI), "-compare", "reference"], cwd=project, text=True,
                          stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
    (folder / "run.log").write_text(done.stdout)
    row["equal"] = done.returncode == 0
    return row


def make_person_folders(data):
    """Folders named like those of the visual wake words, with pictures of the ImageNet sample: no labels of the task,
    but pictures to calibrate with."""
    source = sorted((Path(os.environ["N2D2_DATA"]) / "ILSVRC2012" / "val").glob("*.jpg"))[:100]
    for i, picture in enumerate(source):
        folder = data / "vw_coco2014_96" / ("person" if i % 2 else "non_person")
        folder.mkdir(parents=True, exist_ok=True)
        shutil.copy(picture, folder)
    for entry in Path(os.environ["N2D2_DATA"]).iterdir():
        if not (data / entry.name).exists():
            (data / entry.name).symlink_to(entry)
    os.environ["N2D2_DATA"] = str(data)


def options():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--n2d2", required=True, type=Path, help="the n2d2 program")
    parser.add_argument("--onnx-float", required=True, type=Path, help="the onnx_float program")
    parser.add_argument("--ort-run", type=Path, help="ort_run.mjs; without it there is no comparison of values")
    parser.add_argument("--work", default=Path("onnx_models.work"), type=Path, help="folder for everything written")
    parser.add_argument("--only", default=",".join(n.ini for n in NETWORKS), help="networks, comma-separated [all]")
    parser.add_argument("--float-only", action="store_true", help="no test and no export")
    figures.add_option(parser)
    arguments = parser.parse_args()
    for name in ("n2d2", "onnx_float", "ort_run", "work"):
        value = getattr(arguments, name)
        setattr(arguments, name, value.resolve() if value else None)
    unknown = set(arguments.only.split(",")) - {n.ini for n in NETWORKS}
    if unknown:
        parser.error(f"unknown network {', '.join(sorted(unknown))}")
    return arguments


def main():
    arguments = options()
    if "N2D2_DATA" not in os.environ:
        print("N2D2_DATA names the folder with models/", file=sys.stderr)
        return 2
    arguments.work.mkdir(parents=True, exist_ok=True)
    if arguments.ort_run and not (arguments.work / "node_modules" / "onnxruntime-node").is_dir():
        run(["npm", "install", "--ignore-scripts", "--prefix", arguments.work, RUNTIME], arguments.work, "npm.log")
    make_person_folders(arguments.work / "data")
    missed = []
    table = figures.Table("network", ("reference - ORT", "{:.1e}"), ("oneDNN - ORT", "{:.1e}"),
                          ("float %", "{:.2f}"), ("published %", "{:.2f}"), ("int8 %", "{:.2f}"),
                          ("RAM KiB", "{:.1f}"), "export = host run")
    for network in (n for n in NETWORKS if n.ini in arguments.only.split(",")):
        folder = arguments.work / network.ini
        folder.mkdir(exist_ok=True)
        cells = [network.ini]
        try:
            if arguments.ort_run:
                for backend, worst in compare_float(arguments, network, folder).items():
                    cells.append(worst)
                    if worst > TOLERANCE:
                        missed.append(f"{network.ini}: {backend} differs by {worst:.1e}, wanted <= {TOLERANCE:g}")
            else:
                cells += [None, None]
            if arguments.float_only:
                cells += [None] * 5
            else:
                row = export(arguments, network, folder)
                known = network.published > 0
                rates = [row["float"], network.published, row["int8"]] if known else [None] * 3
                cells += [*rates, row["ram"], "yes" if row["equal"] else "NO"]
                if known and abs(row["float"] - network.published) > network.slack + 0.005:
                    missed.append(f"{network.ini}: float {row['float']:.2f} %, published {network.published:.2f} %")
                if not row["equal"]:
                    missed.append(f"{network.ini}: the exported program gives other bytes than the host run")
        except Failure as failure:
            missed.append(f"{network.ini}: {failure}")
        table.add(*cells, *[None] * (len(table.columns) - len(cells)))
    figures.write(arguments.json, ["N2D2_DATA"], networks=table)
    for line in missed:
        print(f"missed: {line}", file=sys.stderr)
    return 1 if missed else 0


if __name__ == "__main__":
    sys.exit(main())
