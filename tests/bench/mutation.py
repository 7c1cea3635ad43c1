#!/usr/bin/env python3
"""Changes one thing at a time in the sources and asks the tests of that folder whether they notice.

  mutation.py [--count=200] [--seed=1] [--only=FOLDER ...] [--again] [--report=FILE] SOURCE_FOLDER BUILD_FOLDER

SOURCE_FOLDER is a clone of its own, which is changed and put back; BUILD_FOLDER a build of it, of any type: what a mutant changes is
compiled beside it without optimization (kernels with -O1) and linked before its libraries. Which mutants are drawn follows from
the sources and the seed alone. The report has a line of JSON a mutant and is continued where it ended.
mutants.jsonl beside this script is the report of the last run: --again tries its mutants instead of drawn ones, each on the line with
its text that is nearest to where it was ("gone" without one), so that changes elsewhere in the sources do not change the list.
Prints the survivors as file:line with both forms; mutants_equivalent.txt beside this script lists those that change nothing
that could be observed, with the reason. Exit 1 with a survivor that is not listed.
"""
import argparse
import json
import os
import random
import re
import subprocess
import sys
import tempfile
import time
from pathlib import Path

# Where mutants are made, how many of a hundred, and the tests that concern the folder, the quick ones first.
FOLDERS = {
    "src/memory": (25, ["tests/memory/test_memory", "tests/memory/test_memory_property"]),
    "src/quantize": (25, ["tests/quantize/test_quantize", "tests/quantize/test_quantize_property"]),
    "src/passes": (20, ["tests/passes/test_passes", "tests/passes/test_passes_property"]),
    "src/onnx": (20, ["tests/onnx/test_onnx"]),
    "export/CPP/kernels": (10, ["tests/kernels/test_kernels", "tests/kernels/test_kernel_variants",
                                "tests/kernels/test_kernels_native"]),
}
EQUIVALENT = Path(__file__).resolve().parent / "mutants_equivalent.txt"
LISTED = Path(__file__).resolve().parent / "mutants.jsonl"
# A test that takes so many times what it takes without mutants, and some seconds, hangs.
SLOWER, MORE_SECONDS = 5, 30
# An element behind the end is noticed, as in the sanitized tests.
CHECKED = "-D_GLIBCXX_ASSERTIONS -fsanitize=bounds -fsanitize-undefined-trap-on-error"
# A kind of change: what is replaced, and by what. clang-format puts spaces around binary operators, so that these meet no
# template, pointer or reference.
REPLACEMENTS = [
    ("comparison", r" < ", " <= "), ("comparison", r" <= ", " < "), ("comparison", r" > ", " >= "),
    ("comparison", r" >= ", " > "), ("comparison", r" == ", " != "), ("comparison", r" != ", " == "),
    ("operator", r" \+ ", " - "), ("operator", r" - ", " + "), ("operator", r" \* ", " / "), ("operator", r" / ", " * "),
    ("operator", r" % ", " * "), ("operator", r" \+= ", " -= "), ("operator", r" && ", " || "), ("operator", r" \|\| ", " && "),
    ("operator", r"std::min\b", "std::max"), ("operator", r"std::max\b", "std::min"),
    ("constant", r"(?<![\w.])0(?![\w.])", "1"), ("constant", r"(?<![\w.])1(?![\w.])", "2"),
    ("constant", r"(?<![\w.])2(?![\w.])", "3"), ("constant", r"\btrue\b", "false"), ("constant", r"\bfalse\b", "true"),
]
STATEMENT = re.compile(r"^ +(?!return|using|const |auto |static|enum|struct|class|typedef|explicit|virtual|friend|throw|template|#)"
                       r"(?:[\w:>.\[\]()*-]+(?:\(.*\)| [-+|&]?= .*)|continue|break);$")


def blanked(text):
    """The text with comments and literals as blanks of the same length."""
    return re.sub(r'//[^\n]*|/\*.*?\*/|"(?:\\.|[^"\\\n])*"|\'(?:\\.|[^\'\\\n])\'',
                  lambda m: re.sub(r"[^\n]", " ", m.group()), text, flags=re.S)


def negated(line, code):
    """The line with the condition of its if the other way round, where it ends on the line."""
    start = re.search(r"\bif \(", code)
    depth = 0
    for at in range(start.end() - 1, len(code)) if start else ():
        depth += (code[at] == "(") - (code[at] == ")")
        if depth == 0 and ";" not in code[:at]:
            return line[:start.end()] + "!(" + line[start.end():at] + ")" + line[at:]
    return None


def mutants_of(name, text):
    lines = text.split("\n")
    for number, (line, code) in enumerate(zip(lines, blanked(text).split("\n")), 1):
        if code.lstrip().startswith("#") or "static_assert" in code or "N2D2_CHECK" in code:
            continue
        for kind, pattern, new in REPLACEMENTS:
            for match in re.finditer(pattern, code):
                yield {"file": name, "line": number, "kind": kind, "old": line.strip(),
                       "new": (line[:match.start()] + new + line[match.end():]).strip()}
        turned = negated(line, code)
        if turned:
            yield {"file": name, "line": number, "kind": "condition", "old": line.strip(), "new": turned.strip()}
        if STATEMENT.match(code.rstrip()) and code.count("(") == code.count(")"):
            yield {"file": name, "line": number, "kind": "statement", "old": line.strip(), "new": ";"}


def drawn(source, folder, count, seed):
    """Mutants of a folder in the order in which they are tried: a kind at a time, so that none drowns the others."""
    kinds = {}
    for file in sorted((source / folder).rglob("*")):
        if file.suffix in (".cpp", ".hpp"):
            name = file.relative_to(source).as_posix()
            for mutant in mutants_of(name, file.read_text()):
                kinds.setdefault(mutant["kind"], []).append(mutant)
    rng = random.Random(f"{seed} {folder}")
    for found in kinds.values():
        rng.shuffle(found)
    order = sorted(kinds)
    while count > 0 and any(kinds.values()):
        for kind in order:
            if kinds[kind] and count > 0:
                count -= 1
                yield kinds[kind].pop()


def quiet(command, seconds=None, folder=None):
    """Exit code and output of a command in a group of its own; code None after so many seconds."""
    process = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, start_new_session=True, cwd=folder,
                               shell=isinstance(command, str), text=True, errors="replace",
                               env=dict(os.environ, CCACHE_DISABLE="1"))
    try:
        return process.communicate(timeout=seconds)[0], process.returncode
    except subprocess.TimeoutExpired:
        os.killpg(process.pid, 9)
        process.communicate()
        return "", None


class Build:
    """A build with these tests up to date, and tests linked anew from objects of a changed file."""

    def __init__(self, folder, tests, scratch):
        self.folder, self.scratch = folder, scratch
        self.ninja(*[Path(t).name for t in tests])
        self.compile_ = {e["output"]: e["command"] for e in json.loads(self.ninja("-t", "compdb"))}
        self.readers_ = {}
        for block in self.ninja("-t", "deps").split("\n\n"):
            head, *files = block.split("\n")
            for file in files:
                self.readers_.setdefault(file.strip(), []).append(head.split(":")[0])

    def ninja(self, *arguments):
        return subprocess.run(["ninja", "-j1", "-C", str(self.folder), *arguments], capture_output=True, text=True, check=True).stdout

    def objects_of(self, test, file):
        """The objects in a test that read a file."""
        inputs = set(self.ninja("-t", "inputs", test).split("\n"))
        return sorted(o for o in self.readers_.get(str(file), []) if o in inputs)

    def compiled(self, objects, level):
        """Whether the objects compile; they lie in the scratch folder."""
        for o in objects:
            new = self.scratch / o.replace("/", "%")
            command = re.sub(r" -O[0-3]\b", " ", self.compile_[o]).replace(f" -o {o} ", f" -o '{new}' {level} {CHECKED} -w ")
            command = re.sub(r" -MF \S+", f" -MF '{new}.d'", command)
            if quiet(command, folder=self.folder)[1] != 0:
                return False
        return True

    def linked(self, test, objects):
        """The test with these objects in place of its own and before its libraries."""
        command = self.ninja("-t", "commands", test).rstrip("\n").split("\n")[-1].split(" && ")[1]
        out = self.scratch / Path(test).name
        for o in objects:
            new = f"'{self.scratch / o.replace('/', '%')}'"
            command = command.replace(f" {o} ", f" {new} ") if f" {o} " in command else command.replace(" -o ", f" {new} -o ", 1)
        code = quiet(command.replace(f" -o {test} ", f" -o '{out}' "), folder=self.folder)[1]
        return out if code == 0 else None


def run_test(program, folder, seconds=None):
    """Empty where the test passes, else what says so first."""
    out, code = quiet([str(program), "--gtest_brief=1", "--gtest_fail_fast"], seconds, folder)
    failed = re.search(r"\[  FAILED  \] ([\w/.]+)", out)
    return "" if code == 0 else failed.group(1) if failed else "does not end" if code is None else "crash"


def usual_seconds(build, tests):
    """How long each test takes with the sources as they are; they must pass."""
    seconds = {}
    for test in tests:
        start = time.monotonic()
        failed = run_test(build.folder / test, build.folder / Path(test).parent)
        if failed:
            sys.exit(f"{test}: {failed} fails with the sources as they are")
        seconds[test] = time.monotonic() - start
    return seconds


def fate(build, file, folder, seconds):
    level = "-O1" if folder == "export/CPP/kernels" else "-O0"
    for test in FOLDERS[folder][1]:
        objects = build.objects_of(test, file)
        if not build.compiled(objects, level):
            return "not compiled", ""
        program = build.linked(test, objects)
        if program is None:
            return "not compiled", ""
        by = run_test(program, build.folder / Path(test).parent, SLOWER * seconds[test] + MORE_SECONDS)
        if by:
            return "killed", f"{Path(test).name} {by}"
    return "survived", ""


def tried(mutant, source, build, folder, seconds):
    """The fate of a mutant and what killed it."""
    file = source / mutant["file"]
    before, times = file.read_text(), (file.stat().st_atime_ns, file.stat().st_mtime_ns)
    lines = before.split("\n")
    places = [i for i, line in enumerate(lines) if line.strip() == mutant["old"]]
    if not places:
        return "gone", ""
    at = min(places, key=lambda i: abs(i + 1 - mutant["line"]))
    lines[at] = lines[at][:len(lines[at]) - len(lines[at].lstrip())] + mutant["new"]
    file.write_text("\n".join(lines))
    try:
        return fate(build, file, folder, seconds)
    finally:
        file.write_text(before)
        os.utime(file, ns=times)  # what is built stays up to date


def key(mutant):
    return f"{mutant['file']}: {mutant['old']} -> {mutant['new']}"


def equivalent():
    """Mutants shown to change nothing: 'file: old -> new', then lines of a reason that start with two blanks."""
    if not EQUIVALENT.exists():
        return set()
    return {line for line in EQUIVALENT.read_text().split("\n") if line and line[0] not in " #"}


def interleaved(of_folder):
    """All folders at once, so that a part of a run is a sample of the whole."""
    places = [((i + 0.5) / len(mutants), f, i) for f, mutants in of_folder.items() for i in range(len(mutants))]
    return [(f, of_folder[f][i]) for _, f, i in sorted(places)]


def read_report(file):
    return [json.loads(line) for line in file.read_text().splitlines()] if file.exists() else []


def chosen(source, folders, arguments):
    """Folder and mutant, in the order in which they are tried."""
    if arguments.again:
        return interleaved({f: [m for m in read_report(LISTED) if m["file"].startswith(f + "/")] for f in folders})
    return interleaved({f: list(drawn(source, f, arguments.count * FOLDERS[f][0] // 100, arguments.seed)) for f in folders})


def summary(results):
    known = equivalent()
    for folder in FOLDERS:
        mine = [r for r in results if r["file"].startswith(folder + "/")]
        fates = {f: sum(r["fate"] == f for r in mine) for f in ("killed", "survived", "not compiled", "gone")}
        shown = sum(r["fate"] == "survived" and key(r) in known for r in mine)
        print(f"{folder}: {len(mine)} mutants, {fates['not compiled']} not compiled, {fates['killed']} killed, "
              f"{fates['survived']} survived, {shown} of them equivalent" + (f", {fates['gone']} gone" if fates["gone"] else ""))
    left = [r for r in results if r["fate"] == "survived" and key(r) not in known]
    for r in left:
        print(f"{r['file']}:{r['line']}: {r['kind']}\n  - {r['old']}\n  + {r['new']}")
    return left


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("source", type=Path)
    parser.add_argument("build", type=Path)
    parser.add_argument("--count", type=int, default=200)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--only", choices=FOLDERS, action="append")
    parser.add_argument("--again", action="store_true")
    parser.add_argument("--report", type=Path, default=Path("mutation.jsonl"))
    arguments = parser.parse_args()
    source = arguments.source.resolve()
    if subprocess.run(["git", "-C", str(source), "diff", "--quiet", "--", *FOLDERS]).returncode != 0:
        sys.exit(f"{source}: expected a clone without changes of its own; mutants are put back to what is there")
    results = read_report(arguments.report)
    done = {(r["file"], r["line"], r["new"]) for r in results}
    folders = arguments.only or list(FOLDERS)
    with tempfile.TemporaryDirectory() as scratch:
        tests = [t for f in folders for t in FOLDERS[f][1]]
        build = Build(arguments.build.resolve(), tests, Path(scratch))
        seconds = usual_seconds(build, tests)
        for folder, mutant in chosen(source, folders, arguments):
            if (mutant["file"], mutant["line"], mutant["new"]) in done:
                continue
            mutant["fate"], mutant["by"] = tried(mutant, source, build, folder, seconds)
            results.append(mutant)
            with arguments.report.open("a") as report:
                report.write(json.dumps(mutant) + "\n")
    return 1 if summary(results) else 0


if __name__ == "__main__":
    sys.exit(main())
