#!/usr/bin/env python3
"""How far is Rescale from Pillow and OpenCV, in grey levels and in top-1?

Pictures: the validation part of ILSVRC2012. Grey levels: the same decoded pictures go through rescale_dump with
Antialias 0 and 1, Pillow's resize(BILINEAR) and OpenCV's resize(INTER_LINEAR); largest and mean difference over all
pictures, for the sizes in models/*_onnx.ini and for others. Top-1: `n2d2 -test` of the ImageNet networks with either
Antialias, and the same network (onnx_float) on inputs that Pillow alone has decoded, rescaled and cropped. Exit status 1
when Rescale with Antialias=1 differs from Pillow.

    N2D2_DATA=<folder> tests/bench/rescale.py --n2d2 <build>/src/app/n2d2 --onnx-float <build>/tests/bench/onnx_float
        --rescale-dump <build>/tests/bench/rescale_dump [--work <folder>]

Debian: python3-pil, python3-opencv, python3-numpy.
"""
import argparse
import os
import re
import sys
from dataclasses import dataclass
from pathlib import Path

import cv2
import numpy
from PIL import Image

import figures
from commands import number, run
from onnx_models import INI, NETWORKS

# Sizes to scale 256 x 256 to: those of the INI files, then a whole shrink factor, a large one, two factors that differ,
# and an enlargement.
SIZES = [(201, 201), (146, 146), (128, 128), (32, 32), (96, 200), (300, 280)]


@dataclass
class Chain:
    """A network, and the Rescale of its INI file; `added`: one that takes the place of the crop, for this comparison."""
    network: str
    rescale: int
    added: bool = False

    def name(self):
        return f"{self.network}, whole picture to {self.rescale}" if self.added else self.network


CHAINS = [Chain("mobilenet_v1_025_128", 146), Chain("mcunet_in3", 201), Chain("mobilenet_v1_075_224", 224, True),
          Chain("squeezenet11", 224, True)]


def pictures():
    """File names and labels of the validation part."""
    root = Path(os.environ["N2D2_DATA"]) / "ILSVRC2012"
    words = (root / "val.txt").read_text().split()
    return [(root / "val" / name, int(label)) for name, label in zip(words[::2], words[1::2])]


def ours(arguments, source, size, antialias):
    """Rescale of pictures N,H,W,3."""
    count, height, width, _ = source.shape
    (arguments.work / "from.raw").write_bytes(source.tobytes())
    run([arguments.rescale_dump, "from.raw", "to.raw", width, height, size[0], size[1], antialias], arguments.work,
        "rescale_dump.log")
    return numpy.fromfile(arguments.work / "to.raw", numpy.uint8).reshape(count, size[1], size[0], 3)


def by_pillow(source, size):
    return numpy.stack([numpy.asarray(Image.fromarray(p).resize(size, Image.BILINEAR)) for p in source])


def by_opencv(source, size):
    return numpy.stack([cv2.resize(p, size, interpolation=cv2.INTER_LINEAR) for p in source])


def difference(a, b):
    """Largest and mean difference."""
    apart = numpy.abs(a.astype(numpy.int16) - b)
    return int(apart.max()), float(apart.mean())


def compare_levels(arguments, source, missed):
    table = figures.Table("256 x 256 to", *(f"Antialias={antialias} - {name}" for antialias in (1, 0)
                                            for name in ("Pillow", "OpenCV")))
    for size in SIZES:
        results = {antialias: ours(arguments, source, size, antialias) for antialias in (1, 0)}
        others = {"Pillow": by_pillow(source, size), "OpenCV": by_opencv(source, size)}
        cells = []
        for antialias, mine in results.items():
            for name, theirs in others.items():
                largest, mean = difference(mine, theirs)
                cells.append(f"{largest} ({mean:.3f})" if largest else "0")
                if antialias == 1 and name == "Pillow" and largest > 0:
                    missed.append(f"{size[0]} x {size[1]}: Antialias=1 differs from Pillow by {largest}")
        table.add(f"{size[0]} x {size[1]}", *cells)
    return table


def ini_of(chain, antialias, folder):
    """The INI file of the network with the Rescale of the chain."""
    text = (INI / f"{chain.network}_onnx.ini").read_text()
    if chain.added:
        section = f"Type=RescaleTransformation\nWidth={chain.rescale}\nHeight={chain.rescale}\nAntialias={antialias}\n"
        text, changed = re.subn(r"(\[sp\.Transformation-)crop\]\nType=PadCropTransformation\nWidth=.*\nHeight=.*\n",
                                rf"\1size]\n{section}", text)
    else:
        text, changed = re.subn(r"Antialias=1", f"Antialias={antialias}", text)
    assert changed == 1, chain
    path = folder / f"{chain.network}_{antialias}.ini"
    path.write_text(text)
    return path


def crop(source, size):
    first = (source.shape[1] - size) // 2
    return source[:, first:first + size, first:first + size]


def pillow_inputs(chain, network, decoded):
    """What the network expects, made without any code of ours: N,C,H,W."""
    scaled = crop(by_pillow(decoded, (chain.rescale, chain.rescale)), network.shape[1]).astype(numpy.float32)
    if chain.network == "squeezenet11":
        values = scaled[..., ::-1] - numpy.array([104, 117, 123], numpy.float32)
    else:
        values = (scaled - numpy.float32(127.5)) / numpy.float32(127.5)
    return numpy.ascontiguousarray(values.transpose(0, 3, 1, 2), numpy.float32)


def top1_of_pillow(arguments, chain, decoded, labels):
    network = next(n for n in NETWORKS if n.ini == chain.network)
    pillow_inputs(chain, network, decoded).tofile(arguments.work / "in.f32")
    run([arguments.onnx_float, network.path, "in.f32", "out.f32"], arguments.work, "onnx_float.log")
    scores = numpy.fromfile(arguments.work / "out.f32", numpy.float32).reshape(len(labels), -1)
    # Networks of 1001 outputs have a class for background before the others.
    return 100 * float((scores.argmax(1) - (scores.shape[1] - 1000) == labels).mean())


def compare_top1(arguments, decoded, labels):
    print()
    table = figures.Table("top-1 %", ("Antialias=1", "{:.2f}"), ("Antialias=0", "{:.2f}"),
                          ("input made by Pillow", "{:.2f}"))
    for chain in CHAINS:
        rates = []
        for antialias in (1, 0):
            text = run([arguments.n2d2, ini_of(chain, antialias, arguments.work), "-seed", "1", "-w", "/dev/null", "-test"],
                       arguments.work, f"{chain.network}_{antialias}.log")
            rates.append(number(r"Final recognition rate: ([0-9.]+)%", text))
        rates.append(top1_of_pillow(arguments, chain, decoded, labels))
        table.add(chain.name(), *rates)
    return table


def options():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--n2d2", required=True, type=Path, help="the n2d2 program")
    parser.add_argument("--onnx-float", required=True, type=Path, help="the onnx_float program")
    parser.add_argument("--rescale-dump", required=True, type=Path, help="the rescale_dump program")
    parser.add_argument("--work", default=Path("rescale.work"), type=Path, help="folder for everything written")
    figures.add_option(parser)
    arguments = parser.parse_args()
    for name in ("n2d2", "onnx_float", "rescale_dump", "work"):
        setattr(arguments, name, getattr(arguments, name).resolve())
    return arguments


def main():
    arguments = options()
    if "N2D2_DATA" not in os.environ:
        print("N2D2_DATA names the folder with ILSVRC2012/ and models/", file=sys.stderr)
        return 2
    arguments.work.mkdir(parents=True, exist_ok=True)
    files = pictures()
    labels = numpy.array([label for _, label in files])
    decoded = numpy.stack([numpy.asarray(Image.open(path).convert("RGB")) for path, _ in files])
    by_opencv_decoded = numpy.stack([cv2.imread(str(path))[..., ::-1] for path, _ in files])
    largest, mean = difference(decoded, by_opencv_decoded)
    print(f"{len(files)} pictures; decoded by Pillow and by OpenCV: largest difference {largest}, mean {mean:.4f}\n")
    missed = []
    levels = compare_levels(arguments, decoded, missed)
    figures.write(arguments.json, ["N2D2_DATA"], levels=levels, top1=compare_top1(arguments, decoded, labels))
    for line in missed:
        print(f"missed: {line}", file=sys.stderr)
    return 1 if missed else 0


if __name__ == "__main__":
    sys.exit(main())
