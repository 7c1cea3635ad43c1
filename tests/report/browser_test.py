#!/usr/bin/env python3
"""Do the pages that exports write work in a browser?

  browser_test.py [--node=PROGRAM] --browser=PROGRAM [--keep=FOLDER] [--only=NETWORK] N2D2

Exports LeNet, a residual network, one of inverted residuals, an auto-encoder, a segmentation and a network with hostile names, each
with weights that nobody learnt, and opens report.html twice: as it is, and with #check, where the page tries every column,
overlay and layer. The page has to count its rows in data-ready, find no error (the browser's own included), and be small. A second
export gives the same bytes. --keep: folder for pictures of the pages, for the eye. --node: page_test.js runs on the same pages.
"""
import argparse
import json
import pathlib
import re
import subprocess
import sys
import tempfile

HERE = pathlib.Path(__file__).resolve().parent
ROOT = HERE.parent.parent
DATA = """DefaultModel=Frame
[database]
Type=Glyphs_Database
Learn=10
Validation=10
Test=10
Width={size}
Height={size}
[sp]
SizeX={size}
SizeY={size}
BatchSize=2
"""
LAYER = "[{name}]\nInput={input}\nType=Conv\nKernelDims=3 3\nPadding=1\nNbOutputs={outputs}\nWeightsFiller=HeFiller\n"
AUTO_ENCODER = DATA.format(size=16) + LAYER.format(name="code", input="sp", outputs=4) + "ActivationFunction=Rectifier\n" + \
    LAYER.format(name="copy", input="code", outputs=1) + "[copy.Target]\nDataAsTarget=1\n"
# Quotes, blanks and ';' have a meaning in INI files; tests of the writer have them.
HOSTILE = ["</script><script>alert(1)</script>", "<img/src=x/onerror=alert(1)>", "><svg/onload=alert(1)>", "a\u202eb\u2066c",
           "javascript:alert(1)", "<!--", "&lt&gt", "__proto__"]


def hostile():
    """A network whose layers have these names."""
    text, before = DATA.format(size=16), "sp"
    for name in HOSTILE:
        text += LAYER.format(name=name, input=before, outputs=3)
        before = name
    return text + f"[fc]\nInput={before}\nType=Fc\nNbOutputs=10\nWeightsFiller=HeFiller\n[fc.Target]\n"


def networks():
    """Name, text of the INI file, most bytes of the page."""
    bench = ROOT / "tests/bench/networks"
    return [("lenet", (bench / "lenet5.ini").read_text(), 150_000), ("resnet8", (bench / "resnet8.ini").read_text(), 500_000),
            ("mobilenet_v2", (bench / "mobilenet_v2.ini").read_text(), 1_000_000), ("auto_encoder", AUTO_ENCODER, 150_000),
            ("segmentation", (ROOT / "models/segmentation.ini").read_text(), 500_000), ("hostile", hostile(), 200_000)]


def export(n2d2, name, text, folder):
    folder.mkdir(parents=True)
    (folder / "net.ini").write_text(text)
    few = ["-calib", "2", "-nb-test", "2"] if name == "mobilenet_v2" else ["-calib", "4", "-nb-test", "10", "-doctor"]
    command = [n2d2, "net.ini", "-seed", "1", "-w", "/dev/null", "-export", "CPP", "-db-export", "1", "-test", "-quant-effort", "0", *few]
    run = subprocess.run(command, cwd=folder, text=True, stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
    if run.returncode != 0:
        sys.exit(f"{name}: {' '.join(map(str, command))}\n{run.stdout}")
    return folder / "export_CPP_int8" / "report.html"


def opened(browser, page, *options):
    run = subprocess.run(["timeout", "120", browser, "--no-sandbox", "--disable-gpu", "--virtual-time-budget=5000",
                          "--enable-logging=stderr", *options, page], text=True, stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    return run.stdout, [line for line in run.stderr.splitlines() if "CONSOLE" in line]


def problems(arguments, name, page, most):
    layers = json.loads((page.parent / "report.json").read_text())["layers"]
    size = page.stat().st_size
    if size > most:
        yield f"{size} bytes, at most {most} are allowed"
    for address in (page.as_uri(), page.as_uri() + "#check"):
        dom, console = opened(arguments.browser, address, "--dump-dom")
        root = re.search(r"<html[^>]*>", dom)
        attributes = dict(re.findall(r'data-([a-z]+)="([^"]*)"', root.group(0) if root else ""))
        if attributes.get("ready") != str(len(layers)) or attributes.get("errors") != "0":
            yield f"{address}: {attributes}, expected {len(layers)} rows and no error"
        if address.endswith("#check") and not re.fullmatch(rf"\d+ \d+ {len(layers)}", attributes.get("checked", "")):
            yield f"{address}: has tried '{attributes.get('checked')}'"
        yield from (f"{address}: {line}" for line in console)
    if arguments.keep:
        arguments.keep.mkdir(parents=True, exist_ok=True)
        opened(arguments.browser, page.as_uri(), "--window-size=1100,2400", f"--screenshot={arguments.keep / name}.png")
    print(f"{name}: {len(layers)} layers, {size} bytes")


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--browser", required=True)
    parser.add_argument("--node")
    parser.add_argument("--keep", type=pathlib.Path)
    parser.add_argument("--only", help="name of one network")
    parser.add_argument("n2d2", type=pathlib.Path)
    arguments = parser.parse_args()
    arguments.n2d2 = arguments.n2d2.resolve()
    faults, pages = [], []
    with tempfile.TemporaryDirectory() as folder:
        folder = pathlib.Path(folder)
        for name, text, most in networks():
            if arguments.only not in (None, name):
                continue
            page = export(arguments.n2d2, name, text, folder / name)
            faults += [f"{name}: {fault}" for fault in problems(arguments, name, page, most)]
            pages.append(page)
        if arguments.only in (None, "lenet"):
            again = export(arguments.n2d2, "lenet", networks()[0][1], folder / "again")
            if again.read_bytes() != (folder / "lenet/export_CPP_int8/report.html").read_bytes():
                faults.append("lenet: a second run writes other bytes")
        # A script that was changed by one letter must not run: that is what the policy is for.
        changed = folder / "changed.html"
        changed.write_text(pages[0].read_text().replace("'use strict';", "'use strict'; ", 1))
        dom, console = opened(arguments.browser, changed.as_uri(), "--dump-dom")
        if "data-ready=" in re.search(r"<html[^>]*>", dom).group(0) or not console:
            faults.append("a changed script runs")
        if arguments.node:
            run = subprocess.run([arguments.node, HERE / "page_test.js", *pages], text=True, stdout=subprocess.PIPE,
                                 stderr=subprocess.STDOUT)
            if run.returncode != 0:
                faults.append(run.stdout)
    print("\n".join(faults) if faults else f"{len(pages)} reports work")
    sys.exit(1 if faults else 0)


if __name__ == "__main__":
    main()
