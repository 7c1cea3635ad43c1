#!/usr/bin/env python3
"""How much accuracy is lost between the float network, the int8 host run and the exported program?

Trains the networks of models/ with a fixed seed, tests them, exports them as int8 with default options,
compiles and runs the exports on the whole test set, and prints a table. Exit status 1 when a goal is missed.

    N2D2_DATA=<folder> tests/bench/accuracy.py --n2d2 <build>/src/app/n2d2 [--only lenet,cifar10_bn] [--reuse]
"""
import argparse
import json
import os
import subprocess
import sys
import time
from dataclasses import dataclass
from pathlib import Path

import figures
from commands import Failure, number, run

MODELS = Path(__file__).resolve().parents[2] / "models"
SEED = "1"
REFERENCE_STIMULI = 20
TEST_IMAGES = 10000


@dataclass
class Goal:
    model: str
    epochs: int
    float_percent: float  # at least
    lost_points: float  # at most, float - int8


# The recipes fix the length of their learning rate schedule: the epochs are those of the INI files.
GOALS = [
    Goal("lenet", 8, 99.0, 0.3),
    Goal("cifar10_bn", 20, 65.0, 0.3),
    Goal("cifar10_residual", 20, 65.0, 0.3),
    Goal("cifar10_branches", 20, 65.0, 0.3),
    Goal("cifar10_depthwise", 20, 60.0, 0.7),
]


def host_classes(folder, name):
    """Expected and found class of each test image, as n2d2 wrote them."""
    target = next(folder.glob("*.Target*"))
    lines = [line.split() for line in (target / name / "classif.log").read_text().splitlines()]
    return [(int(expected), int(found)) for _, expected, found in (l for l in lines if l[0] != "#")]


def exported_classes(path):
    """Class of each stimulus in the order of the test images, as the exported program wrote them."""
    return [int(line.split()[1]) for line in path.read_text().splitlines()]


def train(n2d2, goal, ini, folder, reuse):
    """Seconds of the training; None when weights of an earlier run are taken."""
    if reuse and (folder / "weights_validation").is_dir():
        return None
    start = time.monotonic()
    run([n2d2, ini, "-seed", SEED, "-learn-epoch", goal.epochs], folder, "learn.log")
    return time.monotonic() - start


def measure(n2d2, goal, folder, reuse):
    ini = MODELS / f"{goal.model}.ini"
    folder.mkdir(parents=True, exist_ok=True)
    row = {"model": goal.model, "epochs": goal.epochs}
    row["seconds"] = train(n2d2, goal, ini, folder, reuse)
    weights = [n2d2, ini, "-seed", SEED, "-w", "weights_validation", "-test"]
    rate = r"Final recognition rate: ([0-9.]+)%"
    row["float"] = number(rate, run(weights, folder, "test.log"))
    (folder / "export.ini").write_text(f"ReferenceStimuli={REFERENCE_STIMULI}\n")
    text = run(weights + ["-export", "CPP", "-nbbits", "8", "-calib", "-1", "-db-export", "-1",
                          "-export-parameters", "export.ini"], folder, "export.log")
    row["host"] = number(rate, text)
    row["ram"] = number(r"RAM: ([0-9.]+) KiB", text)
    row["bound"] = number(r"lower bound ([0-9.]+) KiB", text)
    row["weights"] = number(r"Weights: ([0-9.]+) KiB", text)
    project = folder / "export_CPP_int8"
    run(["make", "-j2"], project, "../make.log")
    # Exit status 1 says that bytes differ, which is a row of the table, not a failure of the program.
    done = subprocess.run(["./bin/run_export", "-compare", "reference", "-classes", "classes.txt"], cwd=project,
                          text=True, stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
    (folder / "run.log").write_text(done.stdout)
    if done.returncode not in (0, 1):
        raise Failure(f"{project}/bin/run_export: exit status {done.returncode}\n{done.stdout[-1000:]}")
    results = json.loads((project / "results.json").read_text())
    row["exported"] = results["score"]
    row["images"] = results["count"]
    row["values"] = sum(cell["values"] for cell in results["compare"])
    row["different"] = sum(cell["different"] for cell in results["compare"])
    host, exported = host_classes(folder, "export"), exported_classes(project / "classes.txt")
    row["classes"] = min(len(host), len(exported))
    row["other_class"] = sum(found != its for (_, found), its in zip(host, exported))
    # Both lists are in the order of the test images only if each counts as many right as its program did.
    right = sum(expected == its for (expected, _), its in zip(host, exported))
    if right != results["success"]:
        raise Failure(f"{right} exported classes are the expected ones, the program counted {results['success']:.0f}")
    print(f"  classes compared: {row['classes']}, different: {row['other_class']}", flush=True)
    return row


def misses(goal, row):
    """The goals that a row does not reach, as sentences."""
    lost = row["float"] - row["host"]
    out = []
    if row["float"] < goal.float_percent:
        out.append(f"float {row['float']:.2f} %, wanted >= {goal.float_percent:.2f} %")
    if round(lost, 2) > goal.lost_points:
        out.append(f"int8 loses {lost:.2f} points, wanted <= {goal.lost_points:.2f}")
    if abs(row["exported"] - row["host"]) > 0.005:
        out.append(f"exported {row['exported']:.4f} %, host {row['host']:.2f} %")
    if row["different"] or row["other_class"]:
        out.append(f"{row['different']} values and {row['other_class']} classes differ from the host run")
    if row["images"] != TEST_IMAGES or row["classes"] != TEST_IMAGES or row["values"] == 0:
        out.append(f"{row['images']} images ran, {row['classes']} classes and {row['values']} values compared")
    return out


PERCENT, COUNT = "{:.2f}", "{}"
COLUMNS = ["network", ("float %", PERCENT), ("int8 host %", PERCENT), ("int8 exported %", PERCENT),
           "lost points (goal)", ("values compared", COUNT), ("different", COUNT),
           ("classes compared", COUNT), ("different", COUNT), ("RAM KiB", "{:.2f}"),
           ("lower bound KiB", "{:.2f}"), ("weights KiB", "{:.2f}"), ("epochs", COUNT),
           ("training s", "{:.0f}")]


def table(rows):
    out = figures.Table(*COLUMNS)
    for goal, r in rows:
        seconds = "reused" if r["seconds"] is None else r["seconds"]
        lost = f"{r['float'] - r['host']:.2f} (<= {goal.lost_points})"
        out.add(r["model"], r["float"], r["host"], r["exported"], lost, r["values"], r["different"],
                r["classes"], r["other_class"], r["ram"], r["bound"], r["weights"], r["epochs"], seconds)
    return out


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--n2d2", required=True, type=Path, help="the program")
    parser.add_argument("--work", type=Path, default=Path("accuracy"), help="folder for weights and exports")
    parser.add_argument("--only", default="", help="names of models, separated by commas")
    parser.add_argument("--reuse", action="store_true", help="take the weights of an earlier run")
    figures.add_option(parser)
    options = parser.parse_args()
    if "N2D2_DATA" not in os.environ:
        parser.error("N2D2_DATA: expected the folder with mnist/ and cifar-10-batches-bin/, it is not set")
    wanted = [name for name in options.only.split(",") if name]
    unknown = set(wanted) - {goal.model for goal in GOALS}
    if unknown:
        parser.error(f"--only: unknown {', '.join(sorted(unknown))}; known: {', '.join(g.model for g in GOALS)}")
    n2d2 = options.n2d2.resolve()
    rows, failures = [], []
    for goal in GOALS:
        if wanted and goal.model not in wanted:
            continue
        print(f"{goal.model}: {goal.epochs} epochs ...", flush=True)
        try:
            row = measure(n2d2, goal, options.work.resolve() / goal.model, options.reuse)
        except Failure as failure:
            failures.append(f"{goal.model}: {failure}")
            continue
        rows.append((goal, row))
        failures += [f"{goal.model}: {miss}" for miss in misses(goal, row)]
    print()
    figures.write(options.json, ["N2D2_DATA"], networks=table(rows))
    for failure in failures:
        print(f"MISSED {failure}")
    print(f"{len(rows)} networks, {len(failures)} goals missed")
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
