#!/usr/bin/env python3
"""What do the settings of quantization come to on the networks of models/ that have ONNX files?

Exports each network with integers as simple as can be (one scale a layer, the largest values, the nearest weights, no
equalization), by default, with -quant-effort 2, with weights of 4 bits, and with -max-drop 0.5; compiles and runs each
export on its first stimuli. The score of the floats, those of the integers, agreement and SQNR are those of
statistics/score.json, RAM and flash those of README.md. Exit status 1 where a byte of an export differs from the host run.

    N2D2_DATA=<folder> tests/bench/quantization_settings.py --n2d2 <build>/src/app/n2d2 [--only mcunet_in3 ...]
        [--settings default ...] [--calib 100] [--json FILE]
"""
import argparse
import json
import os
import re
import sys
import time
from pathlib import Path

import figures
from commands import Failure, run

MODELS = Path(__file__).resolve().parents[2] / "models"
NETWORKS = ["mlperf_resnet8", "mlperf_vww", "resnet20", "resnet20_convshortcut", "cifar10_pytorch", "mnist_cntk",
            "mobilenet_v1_025_128", "mcunet_in3", "squeezenet11", "mobilenet_v1_075_224"]
SETTINGS = {
    "naive": ["-nbbits", "8", "-quant-effort", "0", "-no-cle", "-act-clipping-mode", "None",
              "-act-rescale-per-output", "0"],
    "default": ["-nbbits", "8"],
    "effort 2": ["-nbbits", "8", "-quant-effort", "2"],
    "W4 effort 2": ["-nbbits", "4", "-quant-effort", "2"],
    "max-drop 0.5": ["-nbbits", "8", "-max-drop", "0.5"],
}
STIMULI = 5
COLUMNS = ["network", "setting", ("float %", "{:.2f}"), ("integers %", "{:.2f}"), ("as floats %", "{:.2f}"),
           ("dB", "{:.1f}"), ("RAM bytes", "{:,}"), ("flash bytes", "{:,}"), ("values of 16 bits", "{}"),
           ("seconds", "{:.0f}"), ("bytes that differ", "{}")]


def bytes_of(readme, title):
    """The bytes in a row of the table of README.md."""
    found = re.search(rf"^\| {title} \| ([\d,]+) bytes", readme, re.M)
    if not found:
        raise Failure(f"README.md has no row '{title}'")
    return int(found[1].replace(",", ""))


def measure(n2d2, network, setting, calib, folder):
    folder.mkdir(parents=True, exist_ok=True)
    start = time.monotonic()
    run([n2d2, MODELS / f"{network}_onnx.ini", "-seed", "1", "-w", "/dev/null", "-export", "CPP", "-calib", calib,
         "-db-export", STIMULI, "-test", *SETTINGS[setting]], folder, "export.log")
    seconds = time.monotonic() - start
    project = next(folder.glob("export_CPP_int*"))
    score = json.loads((project / "statistics/score.json").read_text())["targets"][0]
    readme = (project / "README.md").read_text()
    flash = bytes_of(readme, "flash for weights") + bytes_of(readme, "flash for biases and factors")
    ladder = project / "statistics/ladder.json"
    widths = json.loads(ladder.read_text())["widths"] if ladder.exists() else []
    run(["make", "-j2"], project, "../make.log")
    run(["./bin/run_export", "-compare", "reference"], project, "../run.log")
    compared = json.loads((project / "results.json").read_text())["compare"]
    return [100 * score["float_rate"], 100 * score["integer_rate"], 100 * score["agree"] / score["decisions"],
            score["sqnr_db"], bytes_of(readme, "RAM"), flash, sum(w["activation_bits"] > 8 for w in widths), seconds,
            sum(cell["different"] for cell in compared)]


def chosen(parser, option, names, known):
    unknown = set(names) - set(known)
    if unknown:
        parser.error(f"{option}: unknown {', '.join(sorted(unknown))}; known: {', '.join(known)}")
    return names or list(known)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--n2d2", required=True, type=Path, help="the program")
    parser.add_argument("--work", type=Path, default=Path("quantization_settings"), help="folder for exports")
    parser.add_argument("--only", nargs="*", default=[], metavar="NETWORK")
    parser.add_argument("--settings", nargs="*", default=[], metavar="SETTING")
    parser.add_argument("--calib", type=int, default=100, help="samples that calibrate")
    figures.add_option(parser)
    options = parser.parse_args()
    if "N2D2_DATA" not in os.environ:
        parser.error("N2D2_DATA: expected the folder of databases and models, it is not set")
    networks = chosen(parser, "--only", options.only, NETWORKS)
    settings = chosen(parser, "--settings", options.settings, SETTINGS)
    table, failures = figures.Table(*COLUMNS), []
    for network in networks:
        for setting in settings:
            folder = options.work.resolve() / network / setting.replace(" ", "_")
            try:
                row = measure(options.n2d2.resolve(), network, setting, options.calib, folder)
            except Failure as failure:
                failures.append(f"{network}, {setting}: {failure}")
                table.add(network, setting, *[None] * (len(COLUMNS) - 2))
                continue
            table.add(network, setting, *row)
            if row[-1]:
                failures.append(f"{network}, {setting}: {row[-1]} bytes differ")
    figures.write(options.json, ["N2D2_DATA"], settings=table)
    for failure in failures:
        print(f"FAILED {failure}")
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
