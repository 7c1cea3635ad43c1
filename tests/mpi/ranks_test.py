#!/usr/bin/env python3
"""Processes that mpirun starts make the files of one process, and fail together.

  ranks_test.py N2D2 MPIRUN

A small network on the glyphs that n2d2 draws by itself: its test and its export, calibrated on Learn, are those of one process with 1 to 4
ranks and 1 or 2 threads, file by file. What differs between ranks, what is not shared out, and a launcher that MPI does not know are
refused with one message.
"""
import os
import re
import shutil
import subprocess
import sys
import tempfile
import time
from pathlib import Path

SECONDS = 60
INI = """\
[database]
Type=Glyphs_Database
Learn=120
Validation=40
Test=90
[sp]
Size=28 28
BatchSize=16
[conv1]
Input=sp
Type=Conv
KernelDims=5 5
NbOutputs=4
Stride=2
ActivationFunction=Rectifier
[fc]
Input=conv1
Type=Fc
NbOutputs=10
ActivationFunction=Linear
[soft]
Input=fc
Type=Softmax
NbOutputs=10
WithLoss=1
[soft.Target]
"""
# What says how fast a run was, or how many threads it had.
OF_TIME = re.compile(r"images/s|p\./s|planned in|^Cluster: |^Notice: -cluster|threads", re.M)


class Failed(Exception):
    pass


def expect(condition, text):
    if not condition:
        raise Failed(text)


class Ranks:
    def __init__(self, n2d2, mpirun):
        self.n2d2, self.mpirun = n2d2, mpirun

    def environment(self, threads, variables):
        root = {"OMPI_ALLOW_RUN_AS_ROOT": "1", "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM": "1", "OMPI_MCA_btl_vader_single_copy_mechanism": "none",
                "OMPI_MCA_mpi_yield_when_idle": "1", "OMPI_MCA_orte_base_help_aggregate": "0"}
        return {**os.environ, **root, "OMP_NUM_THREADS": str(threads), **variables}

    def command(self, ranks, arguments, folder):
        launch = [self.mpirun, "-n", str(ranks), "--oversubscribe", "--bind-to", "none", "--mca", "btl", "self,vader,tcp", "--mca",
                  "btl_tcp_if_include", "lo", "--mca", "oob_tcp_if_include", "lo", "--mca", "pml", "ob1"]
        return [*(launch if ranks else []), self.n2d2, str(folder / "net.ini"), "-seed", "1", *arguments]

    def start(self, ranks, arguments, folder, threads=1, **variables):
        folder.mkdir(exist_ok=True)
        (folder / "net.ini").write_text(INI)
        return subprocess.Popen(self.command(ranks, arguments, folder), cwd=folder, env=self.environment(threads, variables),
                                stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)

    def run(self, ranks, arguments, folder, status=0, **options):
        process = self.start(ranks, arguments, folder, **options)
        said, wrong = process.communicate(timeout=SECONDS)
        expect(process.returncode == status, f"{ranks} ranks, {arguments}: status {process.returncode}\n{said[-2000:]}\n{wrong[-2000:]}")
        return said, wrong


def without_times(text):
    return "".join(line for line in text.splitlines(keepends=True) if not OF_TIME.search(line))


def files_of(folder):
    return {path.relative_to(folder).as_posix(): path.read_bytes() for path in sorted(folder.rglob("*")) if path.is_file()}


def check_same(ranks, root, arguments, cases, name):
    """The files and the lines of one process."""
    folder = root / name
    said, _ = ranks.run(0, arguments, folder)
    expected, expected_files = without_times(said), files_of(folder)
    expect(len(expected_files) > 3, f"{name}: {sorted(expected_files)}")
    shutil.rmtree(folder)
    for count, threads in cases:
        said, _ = ranks.run(count, arguments, folder, threads=threads)
        expect(without_times(said) == expected, f"{name}, {count} ranks: {without_times(said)}\nexpected {expected}")
        found = files_of(folder)
        different = sorted(file for file in found.keys() | expected_files.keys() if found.get(file) != expected_files.get(file))
        expect(not different, f"{name}, {count} ranks, {threads} threads: {different} differ")
        shutil.rmtree(folder)


def check_refused(ranks, root):
    _, wrong = ranks.run(2, ["-learn-epoch", "1"], root / "learn", status=2)
    expect(len(re.findall(r"^option -learn-epoch: one process alone does it, not a cluster$", wrong, re.M)) == 1, wrong)
    _, wrong = ranks.run(2, ["-test", "-w", "/dev/null", "-cluster", "mpl"], root / "word", status=2)
    expect(len(re.findall(r"^option -cluster: expected mpi or alone, got 'mpl'$", wrong, re.M)) == 1, wrong)
    said, _ = ranks.run(2, ["-test", "-w", "/dev/null", "-nb-test", "8", "-cluster", "alone"], root / "alone")
    expect(said.count("Final recognition rate") == 2, said)
    _, wrong = ranks.run(0, ["-test", "-w", "/dev/null"], root / "unknown", status=2, OMPI_COMM_WORLD_SIZE="3", OMPI_COMM_WORLD_RANK="0",
                         N2D2_CLUSTER="mpi")
    expect("has started 3 processes, MPI knows of 1" in wrong, wrong)
    _, wrong = ranks.run(0, ["-test", "-w", "/dev/null", "-nb-test", "8", "-cluster", "mpi"], root / "one")
    expect("there is one process" in wrong, wrong)


def check_different(ranks, root):
    """Ranks that read different files."""
    folder = root / "different"
    folder.mkdir()
    (folder / "net.ini").write_text(INI)
    (folder / "other").mkdir()
    (folder / "other/net.ini").write_text(INI.replace("Test=90", "Test=91"))
    launch = ranks.command(1, ["-test", "-w", "/dev/null"], folder)
    second = [word.replace(str(folder), str(folder / "other")) for word in launch[launch.index(ranks.n2d2):]]
    done = subprocess.run([*launch, ":", "-n", "1", *second], cwd=folder, env=ranks.environment(1, {}), capture_output=True, text=True,
                          timeout=SECONDS)
    expect(done.returncode == 2 and len(re.findall(r"^rank 1 \([^)]*\): samples of Test ", done.stderr, re.M)) == 1, done.stderr)


def main():
    ranks = Ranks(sys.argv[1], sys.argv[2])
    begin = time.monotonic()
    with tempfile.TemporaryDirectory(prefix="n2d2_ranks_") as temporary:
        root = Path(temporary)
        check_same(ranks, root, ["-test", "-w", "/dev/null", "-log-files"], [(1, 2), (2, 1), (3, 1), (4, 1)], "test")
        check_same(ranks, root, ["-w", "/dev/null", "-export", "CPP", "-calib", "-1", "-db-export", "2"], [(1, 1), (2, 2), (4, 1)], "export")
        check_same(ranks, root, ["-w", "/dev/null", "-calibOnly", "-calib", "-1"], [(3, 1)], "calibrate")
        check_refused(ranks, root)
        check_different(ranks, root)
    print(f"ranks: {time.monotonic() - begin:.1f} s")


if __name__ == "__main__":
    try:
        main()
    except Failed as error:
        sys.exit(f"ranks: {error}")
