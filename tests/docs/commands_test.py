#!/usr/bin/env python3
"""Do the commands of README.md and docs/use work as a reader types them?

  commands_test.py N2D2 SOURCES [--part 1/3] [PAGE...]

Each page has an empty folder and one shell, which runs the page's ```sh blocks in their order and stops at the first failure. A block
whose fence names a file (```ini board.ini) is that file, written where the page has it. What a page asks for in a comment

  <!-- needs: net.ini weights_validation/ model.onnx=colours.onnx -->

is in the folder before (prepare.py makes it; behind '=' its name there). A comment in front of a block, '<!-- not run: reason -->', leaves it out; the test
prints all of them. A ```text block behind commands in the same section is what they print: each line but '...' must occur, whatever its numbers.
Blocks without a language are refused, and so are more than five commands in docs/use/start.md, and options in the text that n2d2 has not.
"""
import argparse
import os
import re
import resource
import signal
import subprocess
import sys
import tempfile
from pathlib import Path

import prepare

FIRST_STEPS, MOST_COMMANDS = "docs/use/start.md", 5
SECONDS = 600
BLOCK = re.compile(r"(?P<comment><!-- not run: (?P<reason>[^\n]*?) -->\n)?^```(?P<kind>\w*)(?: (?P<file>\S+))?\n(?P<text>.*?)^```$|"
                   r"(?:\A|\n\n)(?P<indented>    [^\n]*)|^(?P<heading>#+ )", re.M | re.S)
NEEDS = re.compile(r"^<!-- needs: (.*) -->$", re.M)
SPAN = re.compile(r"`([^`\n]+)`")
OPTION = re.compile(r"(?:^| )-([a-z][\w-]*)")
# Options that are none of n2d2's: of exported programs and of compilers.
OF_OTHERS = {"compare", "results", "stimulus", "time", "isa", "fno-tree-vectorize"}
MARK = "\x1e"
END = "END_OF_THE_FILE_OF_A_PAGE"


class Block:
    def __init__(self, match, text, section):
        # The line of the fence.
        self.line, self.section = text.count("\n", 0, match.start("text")), section
        self.kind, self.file, self.text, self.reason = match["kind"], match["file"], match["text"], match["reason"]

    def commands(self):
        """Lines that a reader types; comments and continued lines are none."""
        lines = self.text.replace("\\\n", " ").splitlines()
        return [line for line in lines if line.strip() and not line.lstrip().startswith("#")]


class Page:
    def __init__(self, root, name):
        self.name, text = name, (root / name).read_text()
        self.problems, self.blocks = [], []
        section = 0
        for match in BLOCK.finditer(text):
            section += match["heading"] is not None
            if match["heading"]:
                continue
            if match["indented"] is not None or not match["kind"]:
                start = match.start("indented") if match["indented"] is not None else match.start()
                line = text.count("\n", 0, start) + 1
                self.problems.append(f"{name}:{line}: a block without a language: ```sh, ```text, ```ini ...")
            else:
                self.blocks.append(Block(match, text, section))
        prose = re.sub(r"^```.*?^```$", "", text, flags=re.M | re.S)
        spans = [span for span in SPAN.findall(prose) if re.match(r"-[a-z]|n2d2 ", span)]
        self.options = {option for span in spans for option in OPTION.findall(span)} - OF_OTHERS
        self.needs = [word for words in NEEDS.findall(text) for word in words.split()]
        typed = sum(len(block.commands()) for block in self.blocks if block.kind == "sh")
        if name == FIRST_STEPS and typed > MOST_COMMANDS:
            self.problems.append(f"{name}: {typed} commands, at most {MOST_COMMANDS}")

    def run_blocks(self):
        return [block for block in self.blocks if block.kind == "sh" and not block.reason]

    def count(self):
        return sum(len(block.commands()) for block in self.run_blocks())

    def script(self):
        """A shell script that says before each block which one it is, and when."""
        out = ["set -eo pipefail"]
        for i, block in enumerate(self.blocks):
            if block.reason:
                continue
            if block.file:
                out.append(f"mkdir -p \"$(dirname '{block.file}')\"\ncat > '{block.file}' <<'{END}'\n{block.text}{END}")
            elif block.kind == "sh":
                out.append(f"printf '{MARK}%s %s\\n' {i} $EPOCHREALTIME\n{block.text}")
        return "\n".join(out) + f"\nprintf '{MARK}%s %s\\n' end $EPOCHREALTIME\n"


def matches(line, printed):
    """Whether the output has the line, whatever its numbers and the blanks between its words."""
    pieces = re.split(r"(\d[\d.,]*|\s+)", line.strip())
    pattern = "".join(r"[\d.,]+" if re.match(r"\d", p) else r"\s+" if p.isspace() else re.escape(p) for p in pieces)
    return re.search(rf"^\s*{pattern}\s*$", printed, re.M) is not None


def run(page, folder, environment):
    """What each block printed by its number, seconds of each, and whether the page ended."""
    shell = subprocess.Popen(["bash", "-c", page.script()], cwd=folder, env=environment, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                             stderr=subprocess.STDOUT, start_new_session=True)
    try:
        output = shell.communicate(timeout=SECONDS)[0]
    except subprocess.TimeoutExpired:
        os.killpg(shell.pid, signal.SIGKILL)
        output = shell.communicate()[0] + f"\nstopped after {SECONDS} s".encode()
    printed, times = {}, {}
    for piece in output.decode(errors="replace").split(MARK)[1:]:
        head, _, text = piece.partition("\n")
        number, moment = head.split()
        printed[number], times[number] = text, float(moment.replace(",", "."))
    return printed, times


def judge(page, printed):
    reached = [key for key in printed if key != "end"]
    if "end" not in printed:
        block = page.blocks[int(reached[-1])]
        yield f"{page.name}:{block.line}: the commands fail\n{block.text}printed\n{printed[reached[-1]][-4000:]}"
        return
    said, section = "", 0
    for i, block in enumerate(page.blocks):
        if str(i) in printed:
            said, section = printed[str(i)], block.section
        if block.kind != "text" or block.section != section or block.reason:
            continue
        for line in block.text.splitlines():
            if line.strip() and line.strip() != "..." and not matches(line, said):
                yield f"{page.name}:{block.line}: the commands before do not print\n  {line}\nbut\n{said[-3000:]}"


def unknown_options(page, known):
    """Options that the page names and n2d2 has not; a name that ends with '-' stands for all that begin like it."""
    for option in sorted(page.options):
        if option not in known and not (option.endswith("-") and any(name.startswith(option) for name in known)):
            yield f"{page.name}: n2d2 has no option '-{option}'"


def processor_seconds():
    usage = resource.getrusage(resource.RUSAGE_CHILDREN)
    return usage.ru_utime + usage.ru_stime


def check(page, ready, environment):
    with tempfile.TemporaryDirectory(prefix="n2d2_docs_") as temporary:
        folder, home = Path(temporary) / "empty", Path(temporary) / "home"
        folder.mkdir()
        home.mkdir()
        for need in page.needs:
            ready.put(need, folder)
        before = processor_seconds()
        printed, times = run(page, folder, dict(environment, HOME=str(home)))
        seconds = processor_seconds() - before
    page.problems += judge(page, printed)
    left = [(block.line, block.reason) for block in page.blocks if block.reason]
    print(f"{page.name}: {page.count()} commands, {seconds:.1f} s of processor time" + (f", {len(left)} blocks not run" if left else ""))
    for line, reason in left:
        print(f"  {page.name}:{line} not run: {reason}")
    moments = list(times.items())
    for (number, start), (_, stop) in zip(moments, moments[1:]):
        if stop - start > 5:
            print(f"  {page.name}:{page.blocks[int(number)].line}: {stop - start:.1f} s")


def shared_out(pages, part):
    """The pages of part i of n: the longest first, each to the part that has least."""
    number, count = map(int, part.split("/"))
    parts = [[0, []] for _ in range(count)]
    for page in sorted(pages, key=lambda page: (-page.count(), page.name)):
        least = min(parts, key=lambda p: p[0])
        least[0] += page.count()
        least[1].append(page)
    return parts[number - 1][1]


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("n2d2", type=Path)
    parser.add_argument("sources", type=Path)
    parser.add_argument("--part", default="1/1", metavar="I/N", help="pages of one of several runs")
    parser.add_argument("pages", nargs="*", help="these alone, as docs/use/start.md")
    arguments = parser.parse_args()
    root = arguments.sources.resolve()
    names = arguments.pages or ["README.md", *(str(path.relative_to(root)) for path in sorted((root / "docs/use").glob("*.md")))]
    pages = shared_out([Page(root, name) for name in names], arguments.part)
    with tempfile.TemporaryDirectory(prefix="n2d2_docs_") as temporary:
        ready = prepare.Ready(arguments.n2d2.resolve(), root, Path(temporary))
        known = ready.options()
        for page in pages:
            page.problems += unknown_options(page, known)
            if page.run_blocks():
                check(page, ready, ready.environment)
    problems = [problem for page in pages for problem in page.problems]
    print("\n".join(problems))
    print(f"docs.commands: {len(pages)} pages, {sum(page.count() for page in pages)} commands, "
          f"{sum(bool(block.reason) for page in pages for block in page.blocks)} blocks not run, {len(problems)} faults")
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main())
