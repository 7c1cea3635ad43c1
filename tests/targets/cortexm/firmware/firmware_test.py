#!/usr/bin/env python3
"""A test program runs on a core of QEMU, without an operating system, and ends with status 0.

  firmware_test.py ROOT VARIANTS CORE[,OPTION..] SOURCE..

Builds the sources (C++20) with the startup code of exports, options and board of the core (cores.mk), and the headers of
kernels; VARIANTS has those that pick forms. Prints what the program prints. An instruction takes a nanosecond.
"""
import re
import subprocess
import sys
import tempfile
from pathlib import Path

SECONDS = 900


def checked(command):
    done = subprocess.run([str(word) for word in command], capture_output=True, text=True)
    if done.returncode != 0:
        sys.exit(f"{' '.join(map(str, command))}\n{done.stdout}{done.stderr}")


def built(root, variants, options, board, sources, folder):
    firmware = root / "src/targets/cortexm/static/firmware"
    flags = [*options, "-Wall", "-Wextra", "-Werror", "-ffunction-sections", "-fdata-sections", f"-I{firmware}",
             f"-I{root}/export/CPP_CortexM/kernels", f"-I{root}/export/CPP/kernels", f"-I{variants}",
             f"-I{root}/src/targets/cortexm"]
    objects = []
    for source in [*(firmware / f"{part}.c" for part in ("startup", "semihosting", "measure")), *sources]:
        objects.append(folder / f"{len(objects)}.o")
        own = (["gcc", "-std=gnu99", "-O2"] if source.suffix == ".c" else
               ["g++", "-std=c++20", "-fno-exceptions", "-fno-rtti"])
        checked([f"arm-none-eabi-{own[0]}", *flags, *own[1:], "-c", source, "-o", objects[-1]])
    elf = folder / "program.elf"
    # The heap of vectors is behind the variables; nosys has the system calls of the C library.
    checked(["arm-none-eabi-g++", *options, "-nostartfiles", "--specs=nano.specs", "--specs=nosys.specs", "-Wl,--gc-sections",
             "-Wl,--no-warnings", "-Wl,--defsym=__stack_size=16384", "-T", firmware / "boards" / f"{board}.ld",
             "-T", firmware / "link.ld", *objects, "-o", elf])
    return elf


def main():
    root, variants = Path(sys.argv[1]), sys.argv[2]
    core, *more = sys.argv[3].split(",")
    text = (root / "src/targets/cortexm/static/firmware/cores.mk").read_text()
    options, boards = (dict(re.findall(rf"^{kind}_(\S+) := (.*)$", text, re.M)) for kind in ("CORE", "BOARD"))
    with tempfile.TemporaryDirectory() as folder:
        elf = built(root, variants, [*options[core].split(), *(more or ["-O2"])], boards[core],
                    [Path(source) for source in sys.argv[4:]], Path(folder))
        done = subprocess.run(["qemu-system-arm", "-M", boards[core], "-nographic", "-monitor", "none", "-serial", "none",
                               "-semihosting-config", "enable=on,target=native", "-icount", "shift=0", "-kernel", elf],
                              capture_output=True, text=True, timeout=SECONDS)
    print(done.stdout + done.stderr, end="")
    return done.returncode


if __name__ == "__main__":
    sys.exit(main())
