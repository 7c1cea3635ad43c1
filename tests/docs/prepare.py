"""What pages of the documentation ask for: networks, weights, models, pictures, exports, each made once."""
import math
import random
import re
import shutil
import struct
import subprocess
import sys
import wave
from pathlib import Path

HERE = Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parent / "e2e"))
import onnx_bytes  # noqa: E402
from compiler_cache import ENVIRONMENT  # noqa: E402

PICTURES_OF_A_CLASS = 8


def values_of(npy):
    """Height, width and values of a .npy of float32 in C order with one channel."""
    data = npy.read_bytes()
    start = 10 + struct.unpack("<H", data[8:10])[0]
    header = data[10:start].decode()
    extents = [int(word) for word in header.split("(")[1].split(")")[0].split(",") if word.strip()]
    return extents[-2:], struct.unpack(f"<{(len(data) - start) // 4}f", data[start:])


class Ready:
    """A folder with all that was asked for so far."""

    def __init__(self, n2d2, sources, folder):
        self.sources, self.folder = sources, folder
        (folder / "bin").mkdir()
        (folder / "bin/n2d2").symlink_to(n2d2)
        self.environment = dict(ENVIRONMENT, PATH=f"{folder / 'bin'}:{ENVIRONMENT['PATH']}")
        self.environment.pop("N2D2_PATH", None)

    def options(self):
        """The names of all options of n2d2, without their dash."""
        text = subprocess.run(["n2d2", "-h"], env=self.environment, stdout=subprocess.PIPE, text=True, check=True).stdout
        return set(re.findall(r"(?<![\w-])-([a-z][\w-]*)", text, re.I))

    def put(self, need, folder):
        """'name' or 'name=thing': the thing under that name in the folder."""
        name, _, thing = need.partition("=")
        name, thing = name.rstrip("/"), (thing or name).rstrip("/")
        if thing not in MAKERS:
            sys.exit(f"prepare: no way to make '{thing}'")
        made = self.made(thing)
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        if made.is_dir():
            shutil.copytree(made, folder / name, symlinks=True)
        else:
            shutil.copy(made, folder / name)

    def made(self, thing):
        path = self.folder / thing
        if not path.exists():
            MAKERS[thing](self, path)
        return path

    def run(self, *command, at=None):
        """In a folder of its own, which is returned, or in the one given."""
        folder = at or self.folder / f"run{len(list(self.folder.glob('run*')))}"
        folder.mkdir(exist_ok=True)
        done = subprocess.run([str(word) for word in command], cwd=folder, env=self.environment, stdout=subprocess.PIPE,
                              stderr=subprocess.STDOUT, text=True, check=False)
        if done.returncode != 0:
            sys.exit(f"prepare: {' '.join(map(str, command))}: status {done.returncode}\n{done.stdout[-3000:]}")
        return folder


def copied(name):
    return lambda ready, path: shutil.copy(HERE / name, path)


def learnt(ini):
    """The weights that a short run ends with."""
    def make(ready, path):
        folder = ready.run("n2d2", ready.made(ini), "-seed", "1", "-learn-epoch", "1")
        shutil.move(folder / "weights_validation", path)
    return make


def model(ini, weights=None):
    """The network as an ONNX file; without weights they are random."""
    def make(ready, path):
        of = ready.made(weights) if weights else "/dev/null"
        folder = ready.run("n2d2", ready.made(ini), "-seed", "1", "-w", of, "-export", "ONNX", "-nbbits", "-32")
        shutil.move(next(folder.glob("export_ONNX_*/model.onnx")), path)
    return make


def arrays(ini):
    """Samples as the network sees them, a folder a label."""
    def make(ready, path):
        folder = ready.run("n2d2", ready.made(ini), "-seed", "1", "-w", "/dev/null", "-save-test-set", "samples")
        shutil.move(folder / "samples", path)
    return make


def pictures(kind, ending, channels):
    """The samples as pictures of bytes, each value in so many channels."""
    def make(ready, path):
        for label in sorted(p for p in ready.made("digits").iterdir() if p.is_dir()):
            (path / label.name).mkdir(parents=True)
            for npy in sorted(label.iterdir())[:PICTURES_OF_A_CLASS]:
                (height, width), values = values_of(npy)
                pixels = bytes(min(255, max(0, round(255 * value))) for value in values for _ in range(channels))
                (path / label.name / f"{npy.stem}.{ending}").write_bytes(f"{kind}\n{width} {height}\n255\n".encode() + pixels)
    return make


def sounds(ready, path):
    """Recordings of three classes: 1,024 samples of 16 bits at 8 kHz."""
    draw = random.Random(1)
    for label, (least, most) in {"hum": (100, 200), "noise": (0, 0), "whistle": (900, 1800)}.items():
        (path / label).mkdir(parents=True)
        for number in range(20):
            step, level = 2 * math.pi * draw.uniform(least, most) / 8000, 0.05 if most else 0.3
            values = [(math.sin(step * i) / 2 if most else 0) + draw.gauss(0, level) for i in range(1024)]
            with wave.open(str(path / label / f"{number}.wav"), "wb") as file:
                file.setparams((1, 2, 8000, 0, "NONE", ""))
                file.writeframes(struct.pack("<1024h", *(max(-32767, min(32767, round(20000 * value))) for value in values)))


def detector(ready, path):
    """A network of a frame and a state: the next state is half the one before and what a layer makes of the frame."""
    draw = random.Random(2)
    weights = [draw.gauss(0, 0.3) for _ in range(8 * 6)]
    path.write_bytes(onnx_bytes.model(
        onnx_bytes.value_info(11, "frame", [1, 8]) + onnx_bytes.value_info(11, "state", [1, 6]) +
        onnx_bytes.value_info(12, "score", [1, 6]) + onnx_bytes.value_info(12, "next", [1, 6]) +
        onnx_bytes.tensor("w", [8, 6], weights) + onnx_bytes.tensor("half", [1], [0.5]) +
        onnx_bytes.node("MatMul", ["frame", "w"], "new") + onnx_bytes.node("Mul", ["state", "half"], "kept") +
        onnx_bytes.node("Add", ["new", "kept"], "next") + onnx_bytes.node("Sigmoid", ["next"], "score")))


def rows(columns):
    """A .csv of 40 samples."""
    def make(ready, path):
        draw = random.Random(columns)
        path.write_text("".join(",".join(f"{draw.gauss(0, 1):.4f}" for _ in range(columns)) + "\n" for _ in range(40)))
    return make


def labels(ready, path):
    path.write_text("".join(f"{digit}\n" for digit in range(10)))


def project(ready, path):
    folder = ready.run("n2d2", ready.made("net.ini"), "-seed", "1", "-w", ready.made("weights_validation"), "-export", "CPP", "-calib",
                       "-1", "-db-export", "20", "-test")
    shutil.move(folder / "export_CPP_int8", path)


MAKERS = {
    "models": lambda ready, path: shutil.copytree(ready.sources / "models", path),
    "net.ini": copied("net.ini"),
    "weights_validation": learnt("net.ini"),
    "model.onnx": model("net.ini", "weights_validation"),
    "digits": arrays("net.ini"),
    "pictures": pictures("P5", "pgm", 1),
    "labels.txt": labels,
    "sounds": sounds,
    "export_CPP_int8": project,
    "vad.onnx": detector,
    "frames.csv": rows(8),
    "states.csv": rows(6),
    "colour.ini": copied("colour.ini"),
    "colour.onnx": model("colour.ini"),
    "colours": pictures("P6", "ppm", 3),
    "few_bits.ini": copied("few_bits.ini"),
    "few_bits_weights": learnt("few_bits.ini"),
    "tiny.ini": copied("tiny.ini"),
    "tiny_weights": learnt("tiny.ini"),
}
