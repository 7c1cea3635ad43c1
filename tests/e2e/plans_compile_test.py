"""Do the networks of tests/bench compile as they are planned by default, for the least memory, and with their input row by row?
  plans_compile_test.py <n2d2> <folder of the networks>
Every plan is exported, and the source with all kernels is parsed with the threads and warnings of the exported Makefile. No code is
made of it: templates that a plan alone instantiates are what is asked for. The least memory of every second network in turn, the
others as drawn.py says.
"""
import concurrent.futures
import os
import pathlib
import shutil
import subprocess
import sys
import tempfile

from drawn import is_drawn, is_in_turn

PLANS = {"default": "", "least": "MemoryBudget=min\n", "streamed": "StreamInput=1\n"}
COMPILE = ["g++", "-std=c++11", "-O1", "-fopenmp", "-march=native", "-Wall", "-Wextra", "-pedantic", "-Werror", "-fsyntax-only"]


def check(program, network, plan):
    with tempfile.TemporaryDirectory() as folder:
        folder = pathlib.Path(folder)
        for labels in network.parent.glob("*.txt"):
            shutil.copy(labels, folder)
        (folder / "parameters.ini").write_text("JudgeSamples=0\nReferenceStimuli=0\n" + PLANS[plan])
        command = [program, network, "-seed", "1", "-w", "/dev/null", "-export", "CPP", "-nbbits", "8", "-calib", "1",
                   "-db-export", "0", "-export-parameters", "parameters.ini"]
        run = subprocess.run(command, cwd=folder, text=True, stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
        name = f"{network.stem}, {plan}"
        if run.returncode != 0:
            return [f"{name}: export ended with {run.returncode}\n{run.stdout}"]
        made = subprocess.run(COMPILE + ["dnn/src/forward.cpp"], cwd=folder / "export_CPP_int8", text=True, stdout=subprocess.PIPE,
                              stderr=subprocess.STDOUT)
        return [] if made.returncode == 0 else [f"{name}: does not compile\n{made.stdout[:4000]}"]


def main():
    program, folder = pathlib.Path(sys.argv[1]).resolve(), pathlib.Path(sys.argv[2]).resolve()
    networks = sorted(folder.glob("*.ini"))
    if len(networks) != 9:
        sys.exit(f"{folder}: expected 9 networks, found {len(networks)}")
    jobs = [(program, network, plan) for number, network in enumerate(networks) for plan in PLANS
            if (plan == "least" and is_in_turn(number, 2)) or is_drawn(f"{network.stem} {plan}", 16)]
    with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
        faults = [fault for found in pool.map(lambda job: check(*job), jobs) for fault in found]
    print("\n".join(faults) if faults else f"{len(jobs)} plans of {len(networks)} networks compile")
    sys.exit(1 if faults else 0)


if __name__ == "__main__":
    main()
