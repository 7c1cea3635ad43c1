#!/usr/bin/env python3
"""Writes docs/use/messages.md: what the program refuses or warns of, what it means and what to do.

    scripts/messages_page.py            writes the page
    scripts/messages_page.py --check    exit 1 where the page is out of date

Messages come from tests/errors/*/*.expected, which the tests compare with what the program says, and from the places in src that
throw or collect one together with a hint; of these, parts that vary are '...'. A hint is what to do. A message of the tests without a hint must
have one of the forms of messages_forms.py, and each form must have a message.
"""
import argparse
import difflib
import re
import sys
from pathlib import Path

from messages_forms import FORMS

ROOT = Path(__file__).resolve().parent.parent
PAGE = ROOT / "docs" / "use" / "messages.md"
MARK = "<!-- scripts/messages_page.py writes what is below -->\n"
# Headings, and the folders of src and tests/errors whose messages are below them; the longest folder wins.
SUBJECTS = {
    "Command line and files": ("app", "cluster", "modules", "plot", "report", "tensor"),
    "INI files": ("config", "loader"),
    "Samples": ("data",),
    "ONNX files": ("onnx", "app/lone_onnx"),
    "Graph files": ("graph", "loader/graph_file"),
    "Layers": ("ops", "passes", "compute"),
    "Learning": ("training", "app/learn", "loader/freeze"),
    "Integers": ("quantize", "app/explore", "app/ladder", "app/calibration"),
    "Memory": ("memory", "program"),
    "Exports": ("targets", "pipeline", "export", "delegates", "app/export_network"),
}
LITERAL = re.compile(r'"((?:\\.|[^"\\])*)"')
# Calls that carry a message and a hint: which arguments these are.
CALLS = {"ConfigError": (0, 2), "ModelError": (0, 2), "ExportError": (0, 2), "error": (1, 2), "refuse": (0, 1)}
# Hints that help where they are printed, with their names and numbers, and say nothing without.
IDLE = re.compile(r"(looked |known: |these do|it has |\.\.\.)")
# Tables of src/onnx and src/loader: what a name is, and what stands for it.
TABLES = (("src/onnx/import/importer.cpp", "kAdvice{", "node '...' ({}): this operator is not imported", "ONNX files"),
          ("src/onnx/import/importer.cpp", "kOfConstants{",
           "node '...' ({}): depends on the network's input, and is only understood on constants", "ONNX files"),
          ("src/loader/layer_types.cpp", "kTypes[] = {", "[...] Type: layer type {} (section [...]) is not supported", "INI files"))


def subject_of(path):
    """The heading of a source or a test, from its path below src or tests/errors."""
    found = max((folder for folders in SUBJECTS.values() for folder in folders if (path + "/").startswith((folder + "/", folder + "."))),
                key=len)
    return next(subject for subject, folders in SUBJECTS.items() if found in folders)


def tested():
    """[folder, kind, message, hint] of each finding that a test expects; place and name of the file are left out."""
    for path in sorted((ROOT / "tests" / "errors").glob("*/*.expected")):
        rows = []
        for line in path.read_text().splitlines()[1:]:
            if line.startswith("  hint: "):
                rows[-1][3] = re.sub(r" \(for \d+ findings\)$", "", line[8:])
            elif line.startswith(" "):
                rows[-1][2] += " " + line.strip()
            else:
                kind, text = re.match(r"(?:(Notice|Warning): )?(.*)", line).groups()
                text = re.sub(rf"^(?:{re.escape(path.stem)}\.(?:ini|graph)(?::\d+)?|<string>): ?", "", text)
                rows.append([path.parent.name, kind or "", text, ""])
        yield from (row for row in rows if row[1] != "Notice")


def arguments(text, start):
    """The arguments of a call whose parenthesis opens before `start`."""
    out, depth, at, begin, in_text = [], 1, start, start, False
    while at < len(text):
        sign = text[at]
        if in_text:
            at += sign == "\\"
            in_text = sign != '"'
        elif sign == '"':
            in_text = True
        elif sign in "({[":
            depth += 1
        elif sign in ")}]":
            depth -= 1
            if depth == 0:
                return out + [text[begin:at]]
        elif sign == "," and depth == 1:
            out.append(text[begin:at])
            begin = at + 1
        at += 1
    return []


def literal(argument):
    """The text of an argument: literals joined, of two alternatives the first; what varies is '...'. Empty without a literal."""
    out, end = "", None
    for match in LITERAL.finditer(argument):
        between = argument[end:match.start()] if end is not None else argument[:match.start()]
        if end is not None and between.strip() == ":":
            end = match.end()
            continue
        if end is not None and between.strip():
            if re.search(r"[,:?]", between):
                break
            out += "..."
        out, end = out + match[1], match.end()
    if end is not None and re.match(r"\s*\+", argument[end:]):
        out += "..."
    out = re.sub(r"\{[^{}]*\}", "...", out).replace('\\"', '"').replace("\\\\", "\\").replace("{{", "{").replace("}}", "}")
    return re.sub(r"(\.\.\.[ ,]*){2,}", "... ", out).strip()


def written():
    """[path below src, message, hint] of each place that says both."""
    for path in sorted((ROOT / "src").rglob("*.cpp")):
        text, name = path.read_text(), str(path.relative_to(ROOT / "src"))
        for call in re.finditer(r"\b(" + "|".join(CALLS) + r")\(", text):
            values, (message, hint) = arguments(text, call.end()), CALLS[call[1]]
            if len(values) <= hint:
                continue
            said, remedy = literal(values[message]), literal(values[hint])
            if len(re.sub(r"\W|_", "", said)) >= 12 and len(re.sub(r"\W|_", "", remedy)) >= 4 and not IDLE.match(remedy):
                yield name, ("node '...' (...): " if call[1] == "refuse" else "") + said, remedy


def advice():
    """[heading, message, hint] of the tables of names that are refused."""
    for path, start, message, heading in TABLES:
        text = (ROOT / path).read_text()
        constants = {name: "".join(LITERAL.findall(value))
                     for name, value in re.findall(r"string_view (k\w+) =\s*((?:\"[^\n]*\"\s*)+);", text)}
        table = text[text.index(start):]
        table = table[:table.index("};")]
        for name, value in re.findall(r"\{\"(\w+)\",\s*(k\w+|(?:\"[^\n]*\"\s*)+)\}", table):
            yield heading, message.format(name), constants[value] if value in constants else "".join(LITERAL.findall(value))


def pattern_of(said):
    """What matches the messages that a place in src can say."""
    return re.compile(".*".join(re.escape(piece) for piece in said.split("...")) + ".*", re.S)


def balanced(text):
    """Without a quote that nothing closes, and what is behind it."""
    return text if text.count("'") % 2 == 0 else text[:text.rindex("'")].rstrip() + " ..."


def span(text):
    return "`" + text.replace("`", "'").replace("|", "/") + "`"


def cell(text):
    out = re.sub(r"'([^' ][^']*)'", lambda m: span(m[1]), balanced(text))
    return "".join(piece if piece.startswith("`") else piece.replace("|", "/").replace("<", "&lt;").replace("*", "\\*").replace("_", "\\_")
                   for piece in re.split(r"(`[^`]*`)", out))


def form_rows(messages):
    """A row for each form, with the first message that has it; and the messages that have none."""
    examples, formless = {}, []
    for _, _, text, hint in sorted(messages, key=lambda message: message[3] != ""):
        for form in FORMS:
            if re.search(form.pattern, text):
                examples.setdefault(form.pattern, text)
                break
        else:
            if not hint:
                formless.append(text)
    rows = [(span(examples[form.pattern]), form.meaning, form.remedy) for form in FORMS if form.pattern in examples]
    return rows, formless, [form.pattern for form in FORMS if form.pattern not in examples]


def is_covered(text):
    """Whether a form says as much as a hint of the message's own."""
    return any(re.search(form.pattern, text) for form in FORMS if form.covers_hints)


def subject_rows(messages):
    """Rows of each heading: message and hint, each place of src once, and those of the tests first."""
    named = list(advice())
    of_names = [pattern_of(said) for _, said, _ in named]
    places = [(subject_of(path), said, hint, pattern_of(said)) for path, said, hint in written()]
    out, taken, seen = {heading: [] for heading in SUBJECTS}, set(), set()

    def add(heading, kind, text, hint):
        key = re.sub(r"\[[^\]]*\]|'[^']*'|\d+|\W+", " ", text)
        if key not in seen:
            seen.add(key)
            out[heading].append((span(kind + text), cell(hint)))

    for folder, kind, text, hint in messages:
        if not hint or IDLE.match(hint) or is_covered(text) or any(pattern.fullmatch(text) for pattern in of_names):
            continue
        matching = [number for number, place in enumerate(places) if place[3].fullmatch(text)]
        if matching and all(number in taken for number in matching):
            continue
        taken.update(matching)
        add(subject_of(folder), kind and kind + ": ", text, hint)
    for number, (heading, said, hint, _) in enumerate(places):
        if number not in taken and not is_covered(said):
            add(heading, "", said, hint)
    for heading, said, hint in named:
        add(heading, "", said, hint)
    return out


def table(head, rows):
    return "\n".join([f"| {' | '.join(head)} |", "|" + "---|" * len(head), *(f"| {' | '.join(row)} |" for row in rows)]) + "\n"


def written_page():
    """The page below the mark, and what is wrong with messages and forms."""
    messages = list(tested())
    rows, formless, unused = form_rows(messages)
    problems = [f"no hint, and no form in scripts/messages_forms.py: {text}" for text in formless]
    problems += [f"scripts/messages_forms.py: no message has the form '{pattern}'" for pattern in unused]
    text = "\n## Messages of any subject\n\n" + table(("message, for instance", "meaning", "what to do"), rows)
    for heading, found in subject_rows(messages).items():
        text += f"\n## {heading}\n\n" + table(("message", "what to do"), found) if found else ""
    return text, problems


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--check", action="store_true")
    arguments_given = parser.parse_args()
    old = PAGE.read_text()
    text, problems = written_page()
    new = old[:old.index(MARK) + len(MARK)] + text
    if not arguments_given.check:
        PAGE.write_text(new)
    elif new != old:
        problems += difflib.unified_diff(old.splitlines(), new.splitlines(), "docs/use/messages.md", "sources and tests", "", "", 0, "")
        problems.append("docs/use/messages.md is out of date: run scripts/messages_page.py")
    print("\n".join(problems) or f"messages: {new.count(chr(10) + '| `')} rows, as sources and tests have them")
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main())
