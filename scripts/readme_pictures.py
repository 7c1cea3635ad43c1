#!/usr/bin/env python3
"""Makes the pictures of README.md anew, docs/images/memory.png and report.png.

    scripts/readme_pictures.py build/release/src/app/n2d2

The memory map is that of a ResNet8 with random weights, as its export draws it. The report is the head of that of models/lenet_glyphs.ini,
learnt for three epochs and exported for a Cortex-M4, as Chromium shows it (scripts/setup.sh installs it).
"""
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
IMAGES = ROOT / "docs" / "images"
WINDOW = "1000,700"


def run(command, folder):
    subprocess.run([str(word) for word in command], cwd=folder, check=True, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)


def main():
    if len(sys.argv) != 2:
        sys.exit(__doc__)
    n2d2 = Path(sys.argv[1]).resolve()
    IMAGES.mkdir(exist_ok=True)
    with tempfile.TemporaryDirectory() as temporary:
        folder = Path(temporary)
        run([n2d2, ROOT / "tests/bench/networks/resnet8.ini", "-seed", "1", "-w", "/dev/null", "-o", "resnet8", "-export", "CPP", "-calib", "8",
             "-db-export", "1"], folder)
        shutil.copy(folder / "resnet8/export_CPP_int8/statistics/memory/memory_mapping.png", IMAGES / "memory.png")
        run([n2d2, ROOT / "models/lenet_glyphs.ini", "-seed", "1", "-learn-epoch", "3"], folder)
        run([n2d2, ROOT / "models/lenet_glyphs.ini", "-seed", "1", "-export", "CPP_CortexM", "-calib", "-1", "-test"], folder)
        run(["chromium-headless-shell", "--no-sandbox", "--disable-gpu", "--hide-scrollbars", "--virtual-time-budget=2000",
             f"--window-size={WINDOW}", f"--screenshot={IMAGES / 'report.png'}",
             (folder / "export_CPP_CortexM_int8/report.html").as_uri()], folder)
    for picture in sorted(IMAGES.glob("*.png")):
        print(f"{picture.relative_to(ROOT)}: {picture.stat().st_size:,} bytes")


if __name__ == "__main__":
    main()
