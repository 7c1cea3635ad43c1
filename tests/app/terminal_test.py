#!/usr/bin/env python3
"""What the program shows on a terminal: a line of progress that is rewritten, colours, and neither in a file.

  terminal_test.py N2D2

Nothing here is timed: a run that has no end is interrupted once its progress was seen.
"""
import fcntl
import os
import pty
import signal
import struct
import subprocess
import sys
import tempfile
import termios
from pathlib import Path

NETWORK = """[database]
Type=Glyphs_Database
Learn=24
Validation=0
Test=6
Width=8
Height=8
[sp]
SizeX=8
SizeY=8
BatchSize=8
[fc]
Input=sp
Type=Fc
NbOutputs=10
ConfigSection=learn
[fc.Target]
[learn]
Solvers.LearningRate=0.01
"""
COLUMNS = 60
ESCAPE, ERASE = b"\x1b", b"\r\x1b[K"
problems = []


def expect(holds, what, text):
    if not holds:
        problems.append(f"{what}:\n  {text[-2000:]!r}")


class Run:
    """The program with its standard error, and its standard output unless a file is given, on a terminal."""

    def __init__(self, command, folder, stdout=None, **environment):
        self.terminal, end = pty.openpty()
        fcntl.ioctl(end, termios.TIOCSWINSZ, struct.pack("HHHH", 24, COLUMNS, 0, 0))
        known = {name: value for name, value in os.environ.items() if name not in ("TERM", "NO_COLOR")}
        self.process = subprocess.Popen([str(word) for word in command], cwd=folder, stdin=subprocess.DEVNULL, stdout=stdout or end,
                                        stderr=end, env={**known, **environment})
        os.close(end)
        self.text = b""

    def read(self):
        """Whether there was more."""
        try:
            more = os.read(self.terminal, 65536)
        except OSError:  # Linux: the last process has closed its end
            return False
        self.text += more
        return bool(more)

    def read_until(self, word):
        while word not in self.text and self.read():
            pass
        return word in self.text

    def end(self):
        while self.read():
            pass
        os.close(self.terminal)
        return self.process.wait()


def learning(n2d2, folder):
    with open(folder / "out.txt", "wb") as out:
        run = Run([n2d2, "net.ini", "-seed", "1", "-learn", "1000000000000", "-log", "1000000000000"], folder, out, TERM="xterm")
        expect(run.read_until(b"...\x1b[K"), "a run that learns shows no progress", run.text)
        run.process.send_signal(signal.SIGINT)
        code = run.end()
    expect(code == 130, f"exit code {code}", run.text)
    expect(b"\r\x1b[1mLearning\x1b[0m: 0 %, " in run.text, "the line is not that of the task", run.text)
    lines = [line.split(b"\x1b[K")[0].replace(b"\x1b[1m", b"").replace(b"\x1b[0m", b"") for line in run.text.split(b"\r")]
    expect(max(map(len, lines)) == COLUMNS - 1, "a line is wider than the terminal, or narrower than it may be", run.text)
    expect(run.text.endswith(ERASE), "something of the line stays", run.text)
    out = (folder / "out.txt").read_bytes()
    expect(b"Interrupted (SIGINT) after " in out, "the result is lost", out)
    expect(b"Learning:" not in out and ESCAPE not in out, "progress in a file", out)


def colours(n2d2, folder):
    command = [n2d2, "net.ini", "-seed", "1", "-dev", "1"]
    for environment, has_colours in (({"TERM": "xterm"}, True), ({"TERM": "xterm", "NO_COLOR": "1"}, False), ({"TERM": "dumb"}, False),
                                     ({}, False)):
        run = Run(command, folder, **environment)
        code = run.end()
        expect(code == 0 and b"Warning: " in run.text, f"{environment}: exit code {code}", run.text)
        expect((b"\x1b[1;33mWarning: \x1b[0m" in run.text) == has_colours and (ESCAPE in run.text) == has_colours,
               f"colours with {environment}", run.text)
    run = Run([n2d2, "none.ini"], folder, TERM="xterm")
    code = run.end()
    expect(code == 2 and run.text.startswith(b"\x1b[1;31mnone.ini: "), f"error, exit code {code}", run.text)


def main():
    n2d2 = Path(sys.argv[1]).resolve()
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        (folder / "net.ini").write_text(NETWORK)
        learning(n2d2, folder)
        colours(n2d2, folder)
    for problem in problems:
        print(problem)
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main())
