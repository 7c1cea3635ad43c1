#!/usr/bin/env python3
"""Processes that mpirun starts make the files of one process, and fail together.

  ranks_test.py N2D2 MPIRUN

A small network on the glyphs that n2d2 draws by itself: what it learns, its test and its export are those of one process with 1 to 4 ranks
and 1 or 2 threads, file by file. What differs between ranks, what is not shared out, and a launcher that MPI does not know are refused with
one message. A rank that is killed ends all of them, one that is stopped is named, and ends them at the deadline; SIGUSR1 saves the run. From
what is saved another number of ranks goes on to the files of one process.
"""
import os
import re
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from pathlib import Path

SECONDS = 60
INI = """\
[database]
Type=Glyphs_Database
Learn=110
Validation=40
Test=90
[sp]
Size=28 28
BatchSize=40
[conv1]
Input=sp
Type=Conv
KernelDims=5 5
NbOutputs=4
Stride=2
ActivationFunction=Linear
NoBias=1
[bn1]
Input=conv1
Type=BatchNorm
NbOutputs=4
ActivationFunction=Rectifier
[fc]
Input=bn1
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
OF_TIME = re.compile(r"images/s|p\./s|^Cluster: |-cluster|threads|planned in|fewer ranks|^Waited for data|learning goes on from", re.M)


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
    _, wrong = ranks.run(2, ["-find-lr", "100"], root / "sweep", status=2)
    expect(len(re.findall(r"^option -find-lr: one process alone does it, not a cluster$", wrong, re.M)) == 1, wrong)
    _, wrong = ranks.run(2, ["-test", "-w", "/dev/null", "-cluster", "mpl"], root / "word", status=2)
    expect(len(re.findall(r"^option -cluster: expected mpi or alone, got 'mpl'$", wrong, re.M)) == 1, wrong)
    said, _ = ranks.run(2, ["-test", "-w", "/dev/null", "-nb-test", "8", "-cluster", "alone"], root / "alone")
    expect(said.count("Final recognition rate") == 2, said)
    _, wrong = ranks.run(0, ["-test", "-w", "/dev/null"], root / "unknown", status=2, OMPI_COMM_WORLD_SIZE="3", OMPI_COMM_WORLD_RANK="0",
                         N2D2_CLUSTER="mpi")
    expect("has started 3 processes, MPI knows of 1" in wrong, wrong)
    _, wrong = ranks.run(0, ["-test", "-w", "/dev/null", "-nb-test", "8", "-cluster", "mpi"], root / "one")
    expect("there is one process" in wrong, wrong)


def check_told(ranks, root):
    """What is said of words, of ranks without work, and of threads without a processor."""
    test = ["-test", "-w", "/dev/null"]
    _, wrong = ranks.run(0, test, root / "cluster", status=2, N2D2_CLUSTER="mpx")
    expect("N2D2_CLUSTER: expected one of mpi, alone, got 'mpx'; did you mean 'mpi'?" in wrong, wrong)
    _, wrong = ranks.run(0, [*test, "-cluster", "mpi"], root / "seconds", status=2, N2D2_CLUSTER_SECONDS="9,5")
    expect("N2D2_CLUSTER_SECONDS: expected two rising integers >= 1, got '9,5'\n" in wrong, wrong)
    _, wrong = ranks.run(4, ["-learn", "40"], root / "shards")
    expect(wrong.count("a batch of 40 samples has 3 shards of 16 for 4 ranks: 1 without work") == 1, wrong)
    _, wrong = ranks.run(2, [*test, "-nb-test", "8"], root / "batches")
    expect(wrong.count("-cluster: 1 batches of 256 samples for 2 ranks: 1 without work") == 1, wrong)
    command = ["taskset", "-c", str(min(os.sched_getaffinity(0))), *ranks.command(2, test, root / "batches")]
    done = subprocess.run(command, cwd=root / "batches", env=ranks.environment(2, {}), capture_output=True, text=True, timeout=SECONDS)
    expect(done.returncode == 0 and done.stderr.count("-cluster: some ranks may use fewer processors than they have threads") == 1, done.stderr)


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


def children_of(process, ranks):
    """The processes that mpirun has started, by their rank."""
    end = time.monotonic() + SECONDS
    while time.monotonic() < end:
        found = {}
        for folder in Path("/proc").glob("[0-9]*"):
            try:
                if int((folder / "stat").read_text().rsplit(")", 1)[1].split()[1]) != process.pid:
                    continue
                environment = dict(word.split("=", 1) for word in (folder / "environ").read_text().split("\0") if "=" in word)
                found[int(environment["OMPI_COMM_WORLD_RANK"])] = int(folder.name)
            except (OSError, KeyError, ValueError, IndexError):
                continue
        if len(found) == ranks:
            return found
        time.sleep(0.02)
    raise Failed("mpirun has started no processes")


def after(process, word):
    """Reads what the process prints until a line has the word."""
    for line in process.stdout:
        if word in line:
            return
    raise Failed(f"no line has '{word}'\n{process.stderr.read()}")


def learnt_files(folder):
    return {name: content for name, content in files_of(folder).items() if name.startswith(("weights", "net_state/"))}


def check_lost(ranks, root):
    """What a run leaves that did not come to its end, and where another one goes on from it to."""
    arguments, endless = ["-learn-epoch", "3"], ["-learn-epoch", "100000"]
    ranks.run(0, arguments, root / "whole")
    expected = learnt_files(root / "whole")

    process = ranks.start(3, endless, root / "killed")
    after(process, "validation score")
    os.kill(children_of(process, 3)[1], signal.SIGKILL)
    process.communicate(timeout=SECONDS)
    expect(process.returncode == 137, f"a killed rank: status {process.returncode}")

    process = ranks.start(2, endless, root / "stopped", N2D2_CLUSTER_SECONDS="2,12")
    after(process, "validation score")
    os.kill(children_of(process, 2)[1], signal.SIGSTOP)
    _, wrong = process.communicate(timeout=SECONDS)
    expect(process.returncode == 74, f"a stopped rank: status {process.returncode}\n{wrong}")
    for text in (r"^rank 0 \(.*\): waits for rank 1 \(.*\) since \d+ s$", r"^rank 0 \(.*\): nothing from rank 1 \(.*\) for 12 s$"):
        expect(len(re.findall(text, wrong, re.M)) == 1, wrong)

    process = ranks.start(2, arguments, root / "asked")
    after(process, "validation score")
    process.send_signal(signal.SIGUSR1)
    said, wrong = process.communicate(timeout=SECONDS)
    expect(process.returncode in (138, 0), f"a run that was asked to end: status {process.returncode}\n{said}\n{wrong}")
    expect(process.returncode == 0 or said.count("Interrupted (SIGUSR1) after ") == 1, said)
    ranks.run(4, [*arguments, "-l", "net_state"], root / "asked")
    found = learnt_files(root / "asked")
    different = sorted(file for file in found.keys() | expected.keys() if found.get(file) != expected.get(file))
    expect(not different, f"a run that was asked to end and went on: {different} differ")


def main():
    ranks = Ranks(sys.argv[1], sys.argv[2])
    begin = time.monotonic()
    with tempfile.TemporaryDirectory(prefix="n2d2_ranks_") as temporary:
        root = Path(temporary)
        check_same(ranks, root, ["-learn-epoch", "2", "-test"], [(1, 2), (2, 1), (3, 1), (4, 1)], "learn")
        check_same(ranks, root, ["-learn", "150", "-log", "60"], [(2, 2), (4, 1)], "stimuli")
        check_same(ranks, root, ["-test", "-w", "/dev/null", "-log-files"], [(1, 2), (2, 1), (3, 1), (4, 1)], "test")
        check_same(ranks, root, ["-w", "/dev/null", "-export", "CPP", "-calib", "-1", "-db-export", "2"], [(1, 1), (2, 2), (4, 1)], "export")
        check_same(ranks, root, ["-w", "/dev/null", "-calibOnly", "-calib", "-1"], [(3, 1)], "calibrate")
        check_refused(ranks, root)
        check_told(ranks, root)
        check_different(ranks, root)
        check_lost(ranks, root)
    print(f"ranks: {time.monotonic() - begin:.1f} s")


if __name__ == "__main__":
    try:
        main()
    except Failed as error:
        sys.exit(f"ranks: {error}")
