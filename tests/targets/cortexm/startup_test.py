#!/usr/bin/env python3
"""Firmware of an export starts on every board of QEMU, and reports each fault.

  startup_test.py FIRMWARE_FOLDER

Builds startup_cases.cpp with src/targets/cortexm/static/firmware for each core, and runs it: variables have their values,
painted stack and ticks are as they must be, a fault names itself and ends with status 99. Without a debugger no breakpoint is
met: the program prints through its UART to the end, and faults there, too. SysTick counts on where it begins anew. Cores
that are not in FIXED run as drawn.py says.
"""
import re
import subprocess
import sys
import tempfile
from pathlib import Path

import exports
from drawn import is_drawn

SOURCE = Path(__file__).with_name("startup_cases.cpp")
CASES = {"returns": 0, "bad address": 1, "stack overflow": 2, "undefined": 3, "PendSV": 4, "lost debugger": 5}
UART = "-DN2D2_UART=0x40004000"
# A program that has said everything and goes on is ended after so many seconds.
QUIET_SECONDS = 3
FAULTS = {"bad address": r"fault: \w+Fault at 0x[0-9a-f]{8}", "stack overflow": r"fault: .*stack overflow",
          "undefined": r"fault: (Usage|Hard)Fault at 0x", "PendSV": r"fault: PendSV at 0x"}
FIXED = ("m0plus", "m4", "m7", "m33", "m55")
# Each architecture.
FAULTY = ("m0plus", "m4", "m33", "m55")


def constants(firmware):
    """Options and board of each core."""
    text = (firmware / "cores.mk").read_text()
    options, boards = (dict(re.findall(rf"^{kind}_(\S+) := (.*)$", text, re.M)) for kind in ("CORE", "BOARD"))
    return {core: (options[core].split(), boards[core]) for core in options}


class Firmware:
    """The objects of a core, of which each case is linked."""

    def __init__(self, firmware, options, board, folder, *defines):
        self.scripts = ["-T", firmware / "boards" / f"{board}.ld", "-T", firmware / "link.ld"]
        self.options, self.board, self.folder, self.objects = options, board, Path(tempfile.mkdtemp(dir=folder)), []
        flags = [*options, "-O2", "-Wall", "-Wextra", "-Werror", f"-I{firmware}", *defines]
        for source in (firmware / "startup.c", firmware / "semihosting.c", firmware / "measure.c", SOURCE):
            self.objects.append(self.folder / (source.stem + ".o"))
            own = ["gcc", "-std=gnu99"] if source.suffix == ".c" else ["g++", "-std=c++11", "-fno-exceptions", "-fno-rtti"]
            exports.checked([f"arm-none-eabi-{own[0]}", *own[1:], *flags, "-c", source, "-o", self.objects[-1]], folder)

    def linked(self, case):
        elf = self.folder / "program.elf"
        exports.checked(["arm-none-eabi-g++", *self.options, "-nostartfiles", "--specs=nano.specs", "-Wl,--gc-sections",
                         "-Wl,--fatal-warnings", f"-Wl,--defsym=test_case={CASES[case]}",
                         *self.scripts, *self.objects, "-o", elf], self.folder)
        return elf

    def ran(self, case, debugger=True):
        """Status and text; None as status where the program went on until it was ended."""
        command = ["qemu-system-arm", "-M", self.board, "-nographic", "-monitor", "none", "-icount", "shift=0", "-kernel",
                   self.linked(case)]
        if debugger:
            command += ["-serial", "none", "-semihosting-config", "enable=on,target=native"]
            return exports.run(command, self.folder)
        try:
            return subprocess.run([*command, "-serial", "stdio"], stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, text=True,
                                  timeout=QUIET_SECONDS).returncode, "the program ended"
        except subprocess.TimeoutExpired as ended:
            return None, (ended.stdout or b"").decode()


def figure(text, name):
    found = re.search(rf"^{name} (\d+)$", text, re.M)
    return int(found.group(1)) if found else -1


def expect(problems, name, holds, text):
    print(f"{name}: {'as it must be' if holds else 'WRONG'}", flush=True)
    if not holds:
        problems.append(f"{name}\n{text}")


def is_right(status, text):
    """What a run without a fault prints: deep(3) fills four frames of 256 bytes."""
    return (status == 5 and "main returns" in text and figure(text, "variables") == 49 and 1024 < figure(text, "stack") < 1400
            and 0 < figure(text, "ticks") <= figure(text, "more ticks"))


def check_faults(core, board, program, cases, problems):
    for case in cases:
        status, text = program.ran(case)
        expect(problems, f"{core}, {board}, {case}", status == 99 and re.search(FAULTS[case], text), text)


def check_without_debugger(core, board, firmware, options, folder, problems):
    program = Firmware(firmware, options, board, folder, UART)
    for case, wanted in {"returns": "main returns", "undefined": "fault: ", "lost debugger": "fault: HardFault"}.items():
        status, text = program.ran(case, debugger=False)
        expect(problems, f"{core}, {board}, no debugger, {case}", status is None and wanted in text, text)
    silent = Firmware(firmware, options, board, folder, UART, "-DN2D2_SEMIHOSTING=0")
    code = exports.checked(["arm-none-eabi-objdump", "-d", silent.linked("returns")], folder)
    expect(problems, f"{core}, no semihosting", "bkpt" not in code, "it has a breakpoint")


def main():
    firmware = Path(sys.argv[1]).resolve()
    cores = constants(firmware)
    problems = []
    with tempfile.TemporaryDirectory(prefix="n2d2_startup_") as folder:
        programs = {(core, board): Firmware(firmware, options, board, folder) for core, (options, board) in cores.items()
                    if core in FIXED or is_drawn(f"startup {core}")}
        programs["m0", "microbit"] = Firmware(firmware, cores["m0"][0], "microbit", folder)
        for (core, board), program in programs.items():
            status, text = program.ran("returns")
            expect(problems, f"{core}, {board}", is_right(status, text), text)
            if (core, board) == ("m0plus", cores["m0plus"][1]):
                unbroken = figure(text, "more ticks")
        for core in FAULTY:
            board = cores[core][1]
            check_faults(core, board, programs[core, board], FAULTS, problems)
        for core in ("m0plus", "m4"):
            check_without_debugger(core, cores[core][1], firmware, cores[core][0], folder, problems)
        options, board = cores["m0plus"]
        text = Firmware(firmware, options, board, folder, "-DN2D2_SYSTICK_BITS=12").ran("returns")[1]
        expect(problems, "SysTick begins anew", figure(text, "more ticks") // 100 == unbroken // 100, text)
    print("\n".join(problems))
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main())
