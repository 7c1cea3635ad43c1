#!/usr/bin/env python3
"""How many images a second does the whole training loop learn, and what share of its work is in oneDNN?

LeNet on MNIST and a MobileNet-like network on CIFAR-10, batch 64, with 1 and 2 threads; beside them PyTorch
where /usr/bin/python3 has it. Exit status 1 when the share of the MobileNet-like network is below its goal.

    N2D2_DATA=<folder> tests/bench/train_speed.py --program <build>/tests/bench/train_speed_loop
"""
import argparse
import json
import os
import subprocess
import sys
from pathlib import Path

import figures

HERE = Path(__file__).resolve().parent
NETWORKS = {"lenet": HERE.parents[1] / "models" / "lenet.ini", "mobilenet": HERE / "train_speed_mobilenet.ini"}
GOAL = {"mobilenet": 0.70}
TORCH_PYTHON = "/usr/bin/python3"


def last_json(command, threads):
    environment = dict(os.environ, OMP_NUM_THREADS=str(threads))
    done = subprocess.run([str(c) for c in command], env=environment, text=True, stdout=subprocess.PIPE)
    if done.returncode != 0:
        sys.exit(f"{command[0]}: exit status {done.returncode}")
    return json.loads(done.stdout.splitlines()[-1])


def has_torch():
    return subprocess.run([TORCH_PYTHON, "-c", "import torch"], stderr=subprocess.DEVNULL).returncode == 0


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--program", required=True, type=Path, help="train_speed_loop")
    parser.add_argument("--seconds", type=float, default=10, help="of each measurement")
    figures.add_option(parser)
    options = parser.parse_args()
    if "N2D2_DATA" not in os.environ:
        parser.error("N2D2_DATA: expected the folder with mnist/ and cifar-10-batches-bin/, it is not set")
    torch = has_torch()
    if not torch:
        print(f"PyTorch: skipped, {TORCH_PYTHON} has no module torch (Debian: python3-torch)")
    table = figures.Table("network", ("threads", "{}"), ("images/s", "{:.0f}"),
                          ("share in oneDNN", "{:.1f} %"), ("threads busy", "{:.0f} %"),
                          ("PyTorch images/s", "{:.0f}"), ("ratio", "{:.2f}"))
    missed = []
    for name, ini in NETWORKS.items():
        for threads in (1, 2):
            ours = last_json([options.program.resolve(), ini, options.seconds], threads)
            speed, share = ours["images_per_second"], ours["share_in_primitives"]
            theirs = None
            if torch:
                theirs = last_json([TORCH_PYTHON, HERE / "train_speed_torch.py", name, options.seconds, threads],
                                   threads)["images_per_second"]
            table.add(name, threads, speed, 100 * share, 100 * ours["busy"], theirs,
                      speed / theirs if theirs else None)
            if share < GOAL.get(name, 0):
                missed.append(f"{name}, {threads} threads: {100 * share:.1f} % of the work is in oneDNN, "
                              f"wanted >= {100 * GOAL[name]:.0f} %")
    figures.write(options.json, ["N2D2_DATA"], networks=table)
    for miss in missed:
        print(f"MISSED {miss}")
    return 1 if missed else 0


if __name__ == "__main__":
    sys.exit(main())
