#!/usr/bin/env python3
"""Fits what layers for Cortex-M cost in instructions and code, and writes src/targets/cortexm/figures/fitted.cpp.

  fit_instructions.py [--keep FOLDER] [--networks N] N2D2

Exports random networks (random_networks.py) and those of exports.py for each machine, counts the instructions of each layer under
QEMU, and takes the work of each layer from statistics/instructions.csv. A cost is what makes relative errors least, and is never
negative. Costs are named after kernel and kind of factors; where few layers were counted, they keep near those of the other kind.
--keep holds counts from run to run, so that a change of the terms counts nothing anew.

A kernel with terms of its own (figures/work.hpp) needs a row in fitted.cpp, of zeros if need be, before its work is counted.
"""
import argparse
import collections
import csv
import json
import re
import sys
import tempfile
from pathlib import Path

import exports
import random_networks

OUT = exports.TESTS.parent / "src/targets/cortexm/figures/fitted.cpp"
# Machines of costs.cpp, each with a core, the rescaling that it is fitted with, and the random networks of it.
CASES = [("dsp", "m4", "", 1), ("mve", "m55", "", 1), ("long", "m3", "", 1), ("pairs", "m0plus", "", 1),
         ("dsp", "m4", "Fixed-point32", 0.5), ("mve", "m55", "Fixed-point32", 0.5), ("long fpu", "m33+nodsp", "", 0.5)]
ROUNDS = 400
ROUGH = "rough figure"
# Of the squares of relative errors: the weight of a cost's distance from where it begins.
PRIOR = 1e-3
# Where costs begin that few layers tell apart: what the assembly of the kernels has.
OF_MVE = {"call": 150, "rows": 60, "tiles": 60, "short rows": 6, "long rows": 7, "steps of rows": 4, "tiles at borders": 120, "windows": 90,
          "filled steps": 2, "steps of tiles": 14, "loops of tiles": 2, "outputs of tiles": 22, "ends of 16": 53, "other ends": 30, "outputs of other ends": 14,
          "steps of pixels": 10, "outputs of pixels": 7, "blocks of outputs": 40}
BEGIN = {"conv2d_mve": OF_MVE, "fc_mve": OF_MVE,
         "depthwise_mve": {"call": 150, "rows": 60, "pieces": 150, "blocks of channels": 90, "columns": 17, "windows of 16 channels": 50,
                           "stores": 33, "filled steps": 2}}


def names(text):
    """The cells that the self test printed, with their counts, and the count of all."""
    cells = {name: int(count) for name, count, _ in re.findall(r"^(\S+) +(\d+) +(right|WRONG)$", text, re.M)}
    return cells, int(re.search(r"all, without callbacks +(\d+)", text).group(1))


def case(n2d2, name, ini, core, mode, keep):
    """Counts and work of a network, from the folder if it was counted before."""
    file = keep / f"{name}_{core}_{mode or 'usual'}.json".replace(" ", "_")
    known = json.loads(file.read_text()) if file.exists() else {}
    with tempfile.TemporaryDirectory(prefix="n2d2_fit_") as folder:
        project = exports.exported(n2d2, ini, core, folder, options=["-act-rescaling-mode", mode] if mode else [])
        if "text" not in known:
            report = exports.self_test(project, core)
            known = {"text": report.text, "code": report.code}
            file.write_text(json.dumps(known))
        with open(project / "statistics/instructions.csv") as lines:
            known["work"] = list(csv.DictReader(lines))
    return known


def least_squares(rows, begin):
    """Costs x >= 0 that make the squares of (sum of times * x / count - 1) least; `begin` is where they begin."""
    terms = len(begin)
    scaled = [([times / count for times in work], 1.0) for work, count in rows if count > 0]
    gram = [[sum(a[i] * a[j] for a, _ in scaled) for j in range(terms)] for i in range(terms)]
    right = [sum(a[i] * b for a, b in scaled) for i in range(terms)]
    x = list(begin)
    for _ in range(ROUNDS):
        for i in range(terms):
            if gram[i][i] == 0:
                continue
            weight = PRIOR * gram[i][i]
            rest = right[i] - sum(gram[i][j] * x[j] for j in range(terms) if j != i) + weight * begin[i]
            x[i] = max(0.0, rest / (gram[i][i] + weight))
    return x


def kernels_of(found):
    """Rows of work and counts by kernel and kind of factors, with the terms of each."""
    rows, terms = collections.defaultdict(list), {}
    for known in found:
        cells, everything = names(known["text"])
        by_layer = collections.defaultdict(list)
        for line in known["work"]:
            by_layer[line["layer"]].append(line)
        cells["classes"] = max(everything - sum(cells.values()), 40)
        for layer, lines in by_layer.items():
            kinds = {(line["kernel"], line["factors"]) for line in lines}
            if len(kinds) != 1 or layer not in cells:
                continue
            kind = kinds.pop()
            known_terms = terms.setdefault(kind, [])
            work = {}
            for line in lines:
                if line["work"] not in known_terms:
                    known_terms.append(line["work"])
                work[line["work"]] = work.get(line["work"], 0) + float(line["times"])
            rows[kind].append((work, cells[layer]))
    return rows, terms


def fitted(found, other):
    """The costs of a machine by kernel, kind of factors and term; `other` has those that they begin with."""
    rows, terms = kernels_of(found)
    out = {}
    for kind, of_kernel in sorted(rows.items()):
        names_ = [term for term in terms[kind] if term != ROUGH]
        known = other.get((kind[0], "float")) or other.get(kind) or BEGIN.get(kind[0], {})
        begin = [float(known.get(term, 0.0)) for term in names_]
        costs = least_squares([([work.get(term, 0.0) for term in names_], count) for work, count in of_kernel], begin)
        out[kind] = {term: cost for term, cost in zip(names_, costs) if cost > 0}
    return out


def errors(found, costs):
    """Relative errors of whole networks."""
    out = {}
    for name, known in found.items():
        _, everything = names(known["text"])
        said = sum(float(line["times"]) * costs.get((line["kernel"], line["factors"]), {}).get(line["work"], 0.0) for line in known["work"])
        out[name] = said / everything - 1
    return out


def code_rows(found):
    """What the code of each network has: kernels, and calls of kernels."""
    for known in found:
        calls = collections.Counter((line["layer"], line["kernel"]) for line in known["work"])
        kernels = collections.Counter(kernel for _, kernel in calls)
        yield {"": 1.0, **{("first", k): 1.0 for k in kernels}, **{("each", k): float(n) for k, n in kernels.items()}}, known["code"]


def fitted_code(found):
    """Bytes of code: of every network, of each kernel, of each layer of a kernel."""
    rows = list(code_rows(found))
    keys = sorted({key for work, _ in rows for key in work}, key=str)
    begin = [3000.0 if key == "" else 400.0 if key[0] == "first" else 100.0 for key in keys]
    return dict(zip(keys, least_squares([([work.get(key, 0.0) for key in keys], code) for work, code in rows], begin))), rows


def text_of(costs, code):
    """fitted.cpp."""
    out = "// Written by tests/targets/cortexm/fit_instructions.py.\n// clang-format off\n#include \"costs.hpp\"\n\nnamespace n2d2::targets::cortexm {\n\n"
    out += "const std::vector<Cost>& costs() {\n  static const std::vector<Cost> all{\n"
    for (machine, kernel, factors), terms in sorted(costs.items()):
        line = f'    {{"{machine}", "{kernel}", "{factors}",\n     {{'
        width = 6
        for n, (term, cost) in enumerate(terms.items()):
            word = f'{{"{term}", {cost:.4g}}}' + ("," if n + 1 < len(terms) else "}},")
            if width + len(word) > 105:
                line, width = line + "\n      ", 6
            line, width = line + word + " ", width + len(word) + 1
        out += line.rstrip() + "\n"
    out += "  };\n  return all;\n}\n\nconst std::vector<CodeSize>& code_sizes() {\n  static const std::vector<CodeSize> all{\n"
    for machine, sizes in sorted(code.items()):
        out += f'    {{"{machine}", "", {sizes[""]:.0f}, 0}},\n'
        for kernel in sorted({key[1] for key in sizes if key}):
            out += f'    {{"{machine}", "{kernel}", {sizes.get(("first", kernel), 0):.0f}, {sizes.get(("each", kernel), 0):.0f}}},\n'
    return out + "  };\n  return all;\n}\n\n}  // namespace n2d2::targets::cortexm\n"


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("n2d2", type=Path)
    parser.add_argument("--keep", type=Path)
    parser.add_argument("--networks", type=int, default=16)
    arguments = parser.parse_args()
    keep = arguments.keep or Path(tempfile.mkdtemp(prefix="n2d2_fit_"))
    keep.mkdir(parents=True, exist_ok=True)
    costs, code = {}, {}
    for machine, core, mode, share in CASES:
        found = {}
        inis = {export: export for export in exports.EXPORTS}
        for seed in range(int(arguments.networks * share)):
            inis[f"random {seed}"] = keep / f"{seed}.ini"
            inis[f"random {seed}"].write_text(random_networks.network(seed))
        for name, ini in inis.items():
            try:
                found[name] = case(arguments.n2d2.resolve(), name, str(ini), core, mode, keep)
            except exports.Failed as failed:
                print(f"{machine}, {name}: {str(failed)[-400:]}", file=sys.stderr)
        own = {key[1:]: value for key, value in costs.items() if key[0] == ("long" if machine == "long fpu" else machine)}
        for (kernel, factors), terms in fitted(found.values(), own).items():
            costs.setdefault((machine, kernel, factors), terms)
        known = {key[1:]: value for key, value in costs.items() if key[0] == machine}
        worst = sorted(errors(found, known).items(), key=lambda item: -abs(item[1]))
        print(f"{machine} {mode}: " + ", ".join(f"{name} {error:+.1%}" for name, error in worst[:8]), flush=True)
        if machine not in code:
            code[machine], rows = fitted_code(found.values())
            off = sorted((sum(code[machine][k] * n for k, n in work.items()) / bytes_ - 1 for work, bytes_ in rows), key=abs)
            print(f"{machine}: code {off[-1]:+.1%} at most, median {abs(off[len(off) // 2]):.1%}")
    OUT.write_text(text_of(costs, code))


if __name__ == "__main__":
    main()
