"""A learning run that is killed at random moments, by SIGKILL, SIGINT or SIGTERM, and gone on with, ends with the bytes of a
run that nothing disturbed: weights, state, scores of the validation.

usage: resume_test.py PROGRAM [--kills=N] [--seed=N]
"""
import argparse
import pathlib
import random
import signal
import subprocess
import sys
import tempfile
import time

NET = """DefaultModel=Frame
[database]
Type=Glyphs_Database
Learn=400
Validation=60
Test=20
Width=12
Height=12
[sp]
Size=12 12
BatchSize=16
[conv]
Input=sp
Type=Conv
KernelSize=3
Stride=2
NbOutputs=8
ActivationFunction=Rectifier
WeightsFiller=HeFiller
ConfigSection=learn
[bn]
Input=conv
Type=BatchNorm
NbOutputs=8
ConfigSection=learn
[drop]
Input=bn
Type=Dropout
NbOutputs=8
[fc]
Input=drop
Type=Fc
NbOutputs=10
WeightsFiller=XavierFiller
ConfigSection=learn
[softmax]
Input=fc
Type=Softmax
NbOutputs=10
WithLoss=1
[softmax.Target]
[learn]
Solvers.LearningRate=0.02
Solvers.Momentum=0.9
Solvers.Decay=0.0001
"""
# The same with layers that learn quantized: steps, clip values and masks are part of a state.
QUANTIZED = NET.replace("KernelSize=3\n", "KernelSize=3\nQWeight=LSQ\nQWeight.Range=15\nQWeight.PerChannel=1\n").replace(
    "Type=BatchNorm\n", "Type=BatchNorm\nActivationFunction=Linear\nQAct=LSQ\nQAct.Range=15\n").replace(
    "Type=Fc\n", "Type=Fc\nQWeight=Prune\nQWeight.PruningMode=Gradual\nQWeight.PruningFiller=IterNonStruct\n"
    "ActivationFunction=Linear\nQAct=SAT\nQAct.Alpha=6\n")
NETS = {True: NET, False: QUANTIZED}
LENGTH = {True: ["-learn-epoch", "5"], False: ["-learn", "2000", "-log", "400"]}
ENDLESS = ["-learn-epoch", "100000"]
EXIT_CODES = {signal.SIGKILL: -signal.SIGKILL, signal.SIGINT: 130, signal.SIGTERM: 143}


def start(arguments, folder):
    """The program, which a shell may have started with SIGINT switched off."""
    return subprocess.Popen(arguments, cwd=folder, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
                            preexec_fn=lambda: signal.signal(signal.SIGINT, signal.SIG_DFL))


def check_message(program, folder, sent):
    """A signal while it learns: the exit code, what it says, and what is there."""
    folder.mkdir()
    (folder / "net.ini").write_text(NET)
    process = start([program, "net.ini", "-seed", "3", *ENDLESS], folder)
    while not (folder / "weights_init").exists() and process.poll() is None:
        time.sleep(0.01)
    process.send_signal(sent)
    out, error = process.communicate(timeout=60)
    for part in (f"Interrupted ({sent.name}) after ", "    'net_state' saved! '-l net_state' goes on from here\n"):
        if part not in out:
            sys.exit(f"{sent.name}: expected {part!r} in {out}{error}")
    if process.returncode != EXIT_CODES[sent] or not (folder / "net_state" / "state.txt").exists():
        sys.exit(f"{sent.name}: exit code {process.returncode}: {error}")


def kept(folder):
    """Bytes of everything that a run leaves to be used."""
    out = {}
    for name in ("weights_validation", "net_state", "net_state_validation"):
        for file in sorted((folder / name).iterdir()):
            out[f"{name}/{file.name}"] = file.read_bytes()
    return out


def command(program, by_epoch, folder):
    resumed = ["-l", "net_state"] if (folder / "net_state").exists() else []
    return [program, "net.ini", "-seed", "3", *resumed, *LENGTH[by_epoch]]


def run_disturbed(program, by_epoch, folder, rng, longest):
    """Starts the run again and again, killing it with one signal after a random time at first; the signals that hit."""
    hits = []
    for attempt in range(100):
        process = start(command(program, by_epoch, folder), folder)
        if attempt < 3:
            sent = rng.choice(list(EXIT_CODES))
            time.sleep(rng.uniform(0, longest))
            process.send_signal(sent)
        error = process.communicate()[1]
        if process.returncode == 0:
            return hits
        # Before learning has begun, SIGINT and SIGTERM have their usual effect.
        if attempt >= 3 or process.returncode not in (EXIT_CODES[sent], -sent):
            sys.exit(f"attempt {attempt} ended with {process.returncode}: {error}")
        hits.append(f"{sent.name}:{process.returncode}")
    sys.exit("the run never ended")


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("program")
    parser.add_argument("--kills", type=int, default=4)
    parser.add_argument("--seed", type=int, default=1)
    args = parser.parse_args()
    args.program = str(pathlib.Path(args.program).resolve())
    rng = random.Random(args.seed)
    expected, seconds = {}, {}
    with tempfile.TemporaryDirectory() as root:
        for by_epoch in LENGTH:
            folder = pathlib.Path(root) / f"straight{by_epoch}"
            folder.mkdir()
            (folder / "net.ini").write_text(NETS[by_epoch])
            begun = time.monotonic()
            subprocess.run(command(args.program, by_epoch, folder), cwd=folder, check=True,
                           stdout=subprocess.DEVNULL)
            seconds[by_epoch] = time.monotonic() - begun
            expected[by_epoch] = kept(folder)
        for sent in (signal.SIGINT, signal.SIGTERM):
            check_message(args.program, pathlib.Path(root) / sent.name, sent)
        hits, runs = [], 0
        while len(hits) < args.kills:
            by_epoch = runs % 2 == 0
            folder = pathlib.Path(root) / f"disturbed{runs}"
            folder.mkdir()
            (folder / "net.ini").write_text(NETS[by_epoch])
            hits += run_disturbed(args.program, by_epoch, folder, rng, seconds[by_epoch])
            runs += 1
            found = kept(folder)
            if found != expected[by_epoch]:
                names = [n for n in {**found, **expected[by_epoch]} if found.get(n) != expected[by_epoch].get(n)]
                sys.exit(f"run {runs} after {hits}: other bytes in {names}")
    print(f"{runs} runs, {len(hits)} times disturbed ({', '.join(hits)}): the bytes of a straight run")


main()
