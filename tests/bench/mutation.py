#!/usr/bin/env python3
"""Changes one thing at a time in the sources and asks the tests of that folder whether they notice.

  mutation.py [--count=200] [--seed=1] [--only=FOLDER ...] [--report=FILE] SOURCE_FOLDER BUILD_FOLDER

SOURCE_FOLDER is a clone of its own, which is changed and put back; BUILD_FOLDER a build of it, best with -O0 or -O1. Which mutants are
tried follows from the sources and the seed alone. The report has a line of JSON a mutant and is continued where it ended.
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
import time
from pathlib import Path

# Where mutants are made, how many of a hundred, and the tests that concern the folder, the quick ones first.
FOLDERS = {
    "src/memory": (25, ["tests/memory/test_memory", "tests/memory/test_memory_property"]),
    "src/quantize": (25, ["tests/quantize/test_quantize", "tests/quantize/test_quantize_property"]),
    "src/passes": (20, ["tests/passes/test_passes", "tests/passes/test_passes_property"]),
    "src/onnx": (20, ["tests/onnx/test_onnx"]),
    "export/CPP/kernels": (10, ["tests/kernels/test_kernels", "tests/kernels/test_kernel_variants"]),
}
EQUIVALENT = Path(__file__).resolve().parent / "mutants_equivalent.txt"
# A test that takes so many times what it takes without mutants, and some seconds, hangs.
SLOWER, MORE_SECONDS = 5, 60
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
                yield {"file": name, "line": number, "kind": kind, "column": match.start(), "old": line.strip(),
                       "new": (line[:match.start()] + new + line[match.end():]).strip(),
                       "text": line[:match.start()] + new + line[match.end():]}
        turned = negated(line, code)
        if turned:
            yield {"file": name, "line": number, "kind": "condition", "column": 0, "old": line.strip(),
                   "new": turned.strip(), "text": turned}
        if STATEMENT.match(code.rstrip()) and code.count("(") == code.count(")"):
            yield {"file": name, "line": number, "kind": "statement", "column": 0, "old": line.strip(), "new": ";",
                   "text": line[:len(line) - len(line.lstrip())] + ";"}


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


def quiet(command, seconds):
    """Exit code of a command in a group of its own, None after so many seconds."""
    process = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, start_new_session=True)
    try:
        return process.wait(seconds)
    except subprocess.TimeoutExpired:
        os.killpg(process.pid, 9)
        process.wait()
        return None


def run_test(build, test, seconds):
    return quiet([str(build / test), "--gtest_brief=1", "--gtest_fail_fast"], seconds)


def usual_seconds(build, folders):
    """How long each test takes with the sources as they are; they must pass."""
    seconds = {}
    for test in [t for f in folders for t in FOLDERS[f][1]]:
        if quiet(["ninja", "-C", str(build), Path(test).name], None) != 0:
            sys.exit(f"{test}: does not build with the sources as they are")
        start = time.monotonic()
        if run_test(build, test, None) != 0:
            sys.exit(f"{test}: fails with the sources as they are")
        seconds[test] = time.monotonic() - start
    return seconds


def fate(build, tests, seconds):
    for test in tests:
        if quiet(["ninja", "-C", str(build), Path(test).name], 3600) != 0:
            return "not compiled", ""
        if run_test(build, test, SLOWER * seconds[test] + MORE_SECONDS) != 0:
            return "killed", Path(test).name
    return "survived", ""


def tried(mutant, source, build, tests, seconds):
    file = source / mutant["file"]
    before = file.read_text()
    lines = before.split("\n")
    lines[mutant["line"] - 1] = mutant["text"]
    file.write_text("\n".join(lines))
    try:
        return fate(build, tests, seconds)
    finally:
        file.write_text(before)


def key(mutant):
    return f"{mutant['file']}: {mutant['old']} -> {mutant['new']}"


def equivalent():
    """Mutants shown to change nothing: 'file: old -> new', then lines of a reason that start with two blanks."""
    if not EQUIVALENT.exists():
        return set()
    return {line for line in EQUIVALENT.read_text().split("\n") if line and line[0] not in " #"}


def interleaved(source, only, count, seed):
    """All folders at once, so that a part of a run is a sample of the whole."""
    of_folder = {f: list(drawn(source, f, count * share // 100, seed)) for f, (share, _) in FOLDERS.items() if f in only}
    places = [((i + 0.5) / len(of_folder[f]), f, i) for f in of_folder for i in range(len(of_folder[f]))]
    return [(f, of_folder[f][i]) for _, f, i in sorted(places)]


def summary(results):
    known = equivalent()
    for folder in FOLDERS:
        mine = [r for r in results if r["file"].startswith(folder + "/")]
        fates = {f: sum(r["fate"] == f for r in mine) for f in ("killed", "survived", "not compiled")}
        shown = sum(r["fate"] == "survived" and key(r) in known for r in mine)
        print(f"{folder}: {len(mine)} mutants, {fates['not compiled']} not compiled, {fates['killed']} killed, "
              f"{fates['survived']} survived, {shown} of them equivalent")
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
    parser.add_argument("--report", type=Path, default=Path("mutation.jsonl"))
    arguments = parser.parse_args()
    source, build = arguments.source.resolve(), arguments.build.resolve()
    if subprocess.run(["git", "-C", str(source), "diff", "--quiet", "--", *FOLDERS]).returncode != 0:
        sys.exit(f"{source}: expected a clone without changes of its own; mutants are put back to what is there")
    results = [json.loads(line) for line in arguments.report.read_text().splitlines()] if arguments.report.exists() else []
    done = {(r["file"], r["line"], r["column"], r["new"]) for r in results}
    folders = arguments.only or list(FOLDERS)
    seconds = usual_seconds(build, folders)
    for folder, mutant in interleaved(source, folders, arguments.count, arguments.seed):
        if (mutant["file"], mutant["line"], mutant["column"], mutant["new"]) in done:
            continue
        mutant["fate"], mutant["by"] = tried(mutant, source, build, FOLDERS[folder][1], seconds)
        results.append(mutant)
        with arguments.report.open("a") as report:
            report.write(json.dumps(mutant) + "\n")
    return 1 if summary(results) else 0


if __name__ == "__main__":
    sys.exit(main())
