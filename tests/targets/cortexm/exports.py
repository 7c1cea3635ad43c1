"""Exports for Cortex-M as the tests of this folder make, build and run them."""
import dataclasses
import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

TESTS = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(TESTS / "e2e"))
from compiler_cache import ENVIRONMENT  # noqa: E402

NETWORKS = TESTS / "bench" / "networks"
# Networks of tests/bench and the export parameters of their plans.
EXPORTS = {
    "lenet5": ("lenet5.ini", ""),
    "resnet8": ("resnet8.ini", ""),
    "dscnn": ("dscnn_kws.ini", ""),
    "vww": ("vww_mobilenet_v1_025.ini", ""),
    "resnet8 budgeted": ("resnet8.ini", "MemoryBudget=24K\n"),
    "vww streamed": ("vww_mobilenet_v1_025.ini", "StreamInput=1\n"),
    "lenet5 in 4 bits": ("lenet5.ini", ""),
}
# Bits of weights where they are not 8.
BITS = {"lenet5 in 4 bits": 4}
CORES = ("m0plus", "m3", "m4", "m33", "m55")
LEVELS = ("-Os", "-O2", "-O3")
# Whatever a test runs ends by then, or hangs.
SECONDS = 300


class Failed(Exception):
    """A command that ended otherwise than it must; the text is what it printed."""


def run(command, folder, env=ENVIRONMENT, **options):
    result = subprocess.run(command, cwd=folder, env=env, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True,
                            timeout=SECONDS, **options)
    return result.returncode, result.stdout


def checked(command, folder, env=ENVIRONMENT):
    status, text = run(command, folder, env)
    if status != 0:
        raise Failed(f"{' '.join(map(str, command))}: status {status}\n{text}")
    return text


def exported(n2d2, export, core, folder, parameters="", options=(), bits=None):
    """Exports a network of EXPORTS, or an INI file, with random weights into the folder, and returns the project."""
    network, plan = EXPORTS[export] if export in EXPORTS else (export, "")
    bits = BITS.get(export, 8) if bits is None else bits
    for labels in NETWORKS.glob("*.txt"):
        shutil.copy(labels, folder)
    (Path(folder) / "parameters.ini").write_text(f"Core={core}\nJudgeSamples=1\nReferenceStimuli=1\n{plan}{parameters}")
    checked([n2d2, NETWORKS / network, "-seed", "1", "-w", "/dev/null", "-export", "CPP_CortexM", "-nbbits", str(bits), *(["-calib", "8"] if bits > 0 else []),
             "-db-export", "1", "-export-parameters", "parameters.ini", *options], folder)
    return next(Path(folder).glob("export_CPP_CortexM_*"))


@dataclasses.dataclass
class Report:
    """What the self test printed."""
    status: int
    text: str

    def number(self, pattern):
        found = re.search(pattern, self.text)
        if not found:
            raise Failed(f"the self test printed no '{pattern}':\n{self.text}")
        return int(found.group(1))

    @property
    def instructions(self):
        return self.number(r"all, without callbacks +(\d+)")

    @property
    def stack(self):
        return self.number(r"stack: (\d+) bytes")

    @property
    def stack_with_callbacks(self):
        return self.number(r"callbacks of the test (\d+)")

    @property
    def promised_stack(self):
        return self.number(r"promised (\d+)")

    @property
    def code(self):
        return self.number(r"network's code (\d+)")

    @property
    def parameters(self):
        return self.number(r"parameters (\d+)")

    @property
    def arena(self):
        return self.number(r"bytes: arena (\d+)")

    @property
    def cells(self):
        return re.findall(r"^(\S+) +(\d+) +(right|WRONG)$", self.text, re.M)


@dataclasses.dataclass
class Figures:
    """What the README of an export says before anything is compiled."""
    text: str

    def number(self, pattern):
        found = re.search(pattern, self.text)
        if not found:
            raise Failed(f"README.md has no '{pattern}'")
        return int(found.group(1).replace(",", ""))

    @property
    def instructions(self):
        return self.number(r"\| instructions of an inference \| ~?([\d,]+)")

    @property
    def code(self):
        return self.number(r"\| flash in all \|.* code about ([\d,]+)")

    @property
    def parameters(self):
        return sum(self.number(rf"\| flash in all \|.*, {part} ([\d,]+)") for part in ("weights", "biases and factors", "between them"))

    @property
    def arena(self):
        return self.number(r"\| RAM in all \|.*: arena ([\d,]+)")


def figures(project):
    return Figures((project / "README.md").read_text())


def variables_of_network(project, core):
    """Bytes of the network's variables as compiled: the arena, and what the self test has for itself."""
    text = checked(["arm-none-eabi-size", f"build/{core}/libnetwork.a"], project)
    lines = [line.split() for line in text.splitlines()[1:]]
    return sum(int(line[1]) + int(line[2]) for line in lines if line[5] != "self_test.o")


def self_test(project, core, *variables, jobs=None, env=ENVIRONMENT):
    """Builds the self test without a warning and runs it under the emulator."""
    variables = [f"CORE={core}", "WERROR=1", *variables]
    built = checked(["make", "-s", f"-j{jobs or os.cpu_count()}", *variables, "selftest"], project, env)
    if built:
        raise Failed(f"make {' '.join(variables)} printed\n{built}")
    status, text = run(["make", "-s", *variables, "qemu"], project)
    # make's own status is 2 for any other of the emulator, which it prints.
    failed = re.search(r"\[\S+: qemu\] Error (\d+)", text)
    return Report(int(failed.group(1)) if failed else status, text)
