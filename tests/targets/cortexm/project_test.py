#!/usr/bin/env python3
"""What users of an export for Cortex-M build from it works.

  project_test.py N2D2

The library and network.h alone suffice for a program in C, and ask for no more than memory functions, two functions of the mathematical
library and the compiler's own. A wrong weight makes the self test fail at its layer. The self test runs with a board file, a UART
and no semihosting. CMake builds two networks into one program. The test driver for the PC computes the reference's bytes.
"""
import re
import shutil
import subprocess
import sys
import tempfile
import threading
from pathlib import Path

import exports

# What the network may ask of libraries; __aeabi_ and __gnu_ are the compiler's.
LIBRARY = re.compile(r"(memcpy|memset|memmove|rintf|expf|__aeabi_\w+|__gnu_\w+)$")
CORE, BOARD = "m4", "mps2-an386"
QEMU = ["qemu-system-arm", "-M", BOARD, "-nographic", "-monitor", "none", "-icount", "shift=0"]
SEMIHOSTING = ["-serial", "none", "-semihosting-config", "enable=on,target=native"]
UART_SECONDS = 60
# A program that has said everything and goes on is ended after so many seconds.
QUIET_SECONDS = 1

C_PROGRAM = """#include "network.h"
static int32_t classes[N2D2_EXPORT_CLASSES];
int main(void) { return N2D2_Export_self_test(classes, 0) + 1; }
"""
UART = """#include <stdint.h>
void n2d2_put_char(char c) {
  volatile uint32_t* const uart = (volatile uint32_t*)0x40004000u;
  uart[2] = 1;
  while (uart[1] & 1u) {}
  uart[0] = (uint8_t)c;
}
"""
CMAKE = """cmake_minimum_required(VERSION 3.13)
project(both C CXX)
foreach(network first_net second_net)
  set(N2D2_TARGET network_${network})
  add_subdirectory(${network})
endforeach()
set(firmware ${CMAKE_CURRENT_SOURCE_DIR}/first_net/firmware)
add_executable(both main.cpp ${firmware}/startup.c ${firmware}/semihosting.c)
target_include_directories(both PRIVATE ${firmware})
target_link_libraries(both network_first_net network_second_net -nostartfiles --specs=nano.specs -Wl,--gc-sections
  -T ${firmware}/boards/mps2-an386.ld -T ${firmware}/link.ld)
"""
CMAKE_MAIN = """#include "first_net/include/Network.hpp"
#include "second_net/include/Network.hpp"
#include "semihosting.h"
static first_net::Target_T first[first_net::OUTPUTS_TOTAL];
static second_net::Target_T second[second_net::OUTPUTS_TOTAL];
int main() {
  const int cells = first_net::self_test(first).cell + second_net::self_test(second).cell;
  n2d2_put("both ran\\n");
  return cells + 2;
}
"""


def options_of(project):
    return re.search(rf"^CORE_{CORE} := (.*)$", (project / "firmware/cores.mk").read_text(), re.M)[1].split()


def library(project, folder):
    exports.checked(["make", "-s", "-j2", "lib"], project)
    shutil.copytree(project / "lib", folder / "lib")
    names = sorted(file.name for file in (folder / "lib").iterdir())
    if names != ["libnetwork.a", "network.h"]:
        return [f"lib has {names}"]
    (folder / "main.c").write_text(C_PROGRAM)
    firmware = project / "firmware"
    exports.checked(["arm-none-eabi-gcc", *options_of(project), "-std=c99", "-pedantic", "-Wall", "-Wextra", "-Werror", "-Ilib", "-c",
                     "main.c"], folder)
    exports.checked(["arm-none-eabi-gcc", *options_of(project), "-nostartfiles", "--specs=nano.specs", "-Wl,--gc-sections", "main.o",
                     firmware / "startup.c", firmware / "semihosting.c", "-T", firmware / f"boards/{BOARD}.ld", "-T",
                     firmware / "link.ld", "-Llib", "-lnetwork", "-lm", "-o", "main.elf"], folder)
    status, text = exports.run([*QEMU, *SEMIHOSTING, "-kernel", "main.elf"], folder)
    wrong = [] if status == 0 else [f"the program in C ended with {status}\n{text}"]
    symbols = exports.checked(["arm-none-eabi-nm", "lib/libnetwork.a"], folder)
    defined = set(re.findall(r"^[0-9a-f]+ [A-Zu-w] (\S+)$", symbols, re.M))
    missing = {name for name in re.findall(r"^ +U (\S+)$", symbols, re.M) if name not in defined}
    return wrong + [f"the library asks for {name}" for name in sorted(missing) if not LIBRARY.match(name)]


def wrong_weight(project, folder):
    """The first wrong cell is that of the weights."""
    broken = Path(shutil.copytree(project, folder / "broken"))
    names = [cell for cell, _, _ in exports.self_test(broken, CORE).cells]
    source = broken / "dnn/src/cells/conv2.cpp"
    text = source.read_text()
    start = re.search(r"_weights\[[^{]*\{", text).end()
    values = re.compile(r"-?\d+")
    changed = 0
    while changed < 64:
        found = values.search(text, start)
        value = str(-int(found[0]) // 2 + 3)
        text = text[:found.start()] + value + text[found.end():]
        start, changed = found.start() + len(value), changed + 1
    source.write_text(text)
    report = exports.self_test(broken, CORE)
    wanted = names.index("conv2")
    states = [state for _, _, state in report.cells]
    if report.status == wanted + 1 and states == ["right"] * wanted + ["WRONG"]:
        return []
    return [f"with wrong weights of conv2: status {report.status}, not {wanted + 1}\n{report.text}"]


def own_board(project, folder):
    """Memories and UART of the user's, no semihosting."""
    board, uart = folder / "board.ld", project / "uart.c"
    board.write_text((project / f"firmware/boards/{BOARD}.ld").read_text().replace("4M", "128K"))
    uart.write_text(UART)
    exports.checked(["make", "-s", "-j2", "WERROR=1", f"BOARD={board}", "FIRMWARE_SOURCES=uart.c", "SEMIHOSTING=0", "selftest"], project)
    with subprocess.Popen([*QEMU, "-serial", "stdio", "-kernel", "bin/selftest.elf"], cwd=project, stdin=subprocess.DEVNULL,
                          stdout=subprocess.PIPE, text=True) as program:
        watchdog = threading.Timer(UART_SECONDS, program.kill)
        watchdog.start()
        text = ""
        for line in program.stdout:
            text += line
            if "self test: passed" in text and "of 131072 bytes" in text:
                break
        try:
            program.wait(QUIET_SECONDS)
            return [f"without a debugger the program ended, or hung for {UART_SECONDS} s\n{text}"]
        except subprocess.TimeoutExpired:
            return []
        finally:
            watchdog.cancel()
            program.kill()


def two_networks(n2d2, folder):
    for name, network in (("first_net", "lenet5"), ("second_net", "lenet5")):
        (folder / f"of_{name}").mkdir()
        exports.exported(n2d2, network, CORE, folder / f"of_{name}", f"Namespace={name}\n").rename(folder / name)
    (folder / "CMakeLists.txt").write_text(CMAKE)
    (folder / "main.cpp").write_text(CMAKE_MAIN)
    exports.checked(["cmake", "-S", ".", "-B", "build", f"-DCMAKE_TOOLCHAIN_FILE={folder}/first_net/cmake/cortex-m.cmake"], folder)
    exports.checked(["cmake", "--build", "build", "-j2", "--target", "both", "network_first_net_selftest"], folder)
    status, text = exports.run([*QEMU, *SEMIHOSTING, "-kernel", "build/both"], folder)
    wrong = [] if status == 0 and "both ran" in text else [f"two networks: status {status}\n{text}"]
    status, text = exports.run([*QEMU, *SEMIHOSTING, "-kernel", "build/first_net/network_first_net_selftest.elf"], folder)
    return wrong + ([] if status == 0 and "self test of first_net" in text else [f"the self test of CMake: status {status}\n{text}"])


def desk(project):
    exports.checked(["make", "-s", "-j2", "desk"], project)
    text = exports.checked(["bin/run_export", "-compare", "reference"], project)
    return [] if " 0 different" in text else [f"run_export compared nothing\n{text}"]


def main():
    n2d2 = Path(sys.argv[1]).resolve()
    problems = []
    with tempfile.TemporaryDirectory(prefix="n2d2_project_") as folder:
        folders = {name: Path(folder) / name for name in ("project", "library", "broken", "board", "two")}
        for path in folders.values():
            path.mkdir()
        project = exports.exported(n2d2, "lenet5", CORE, folders["project"])
        parts = {"library": lambda: library(project, folders["library"]), "desk": lambda: desk(project),
                 "wrong weight": lambda: wrong_weight(project, folders["broken"]),
                 "own board": lambda: own_board(project, folders["board"]),
                 "two networks": lambda: two_networks(n2d2, folders["two"])}
        for name, check in parts.items():
            try:
                found = check()
            except exports.Failed as failed:
                found = [str(failed)]
            print(f"{name}: {'as it must be' if not found else 'WRONG'}", flush=True)
            problems += found
    print("\n".join(problems))
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main())
