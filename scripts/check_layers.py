#!/usr/bin/env python3
"""Checks that modules include only what lies below them, and that third-party headers stay in their module.

The table is that of docs/make/architecture.md. Exit 1 with one line per finding.
"""
import re
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent

# module -> modules it may include (its own is always allowed)
BASE = {"base"}
TENSOR = BASE | {"tensor"}
GRAPH = TENSOR | {"graph"}
OPS = GRAPH | {"ops"}
ALLOWED = {
    "base": set(),
    "tensor": BASE,
    "config": BASE,
    "memory": BASE,
    "plot": BASE,
    "report": BASE,
    "cluster": BASE,
    "graph": TENSOR,
    "ops": GRAPH,
    "passes": OPS,
    "compute": OPS | {"cluster"},
    "data": TENSOR,
    "onnx": OPS | {"passes"},
    "training": OPS | {"cluster", "compute", "data"},
    "quantize": OPS | {"cluster", "compute", "passes", "plot"},
    "loader": OPS | {"cluster", "config", "compute", "data", "training", "passes", "quantize", "onnx"},
    "program": OPS | {"memory"},
    "delegates": OPS | {"memory", "program"},
    "export": OPS | {"memory", "program"},
    "targets": OPS | {"cluster", "compute", "delegates", "export", "memory", "onnx", "passes", "plot", "program", "quantize", "report"},
    "pipeline": OPS | {"cluster", "compute", "passes", "quantize", "targets"},
    "modules": OPS | {"cluster", "delegates", "loader", "passes", "program", "targets"},
}
ALLOWED["app"] = set(ALLOWED) | {"loader", "export"}

# header prefix -> modules that may include it
THIRD_PARTY = {
    "spdlog/": {"base"},
    "omp.h": {"base", "compute"},
    "cairo": {"plot"},
    "mpi.h": {"cluster"},
    "dnnl": {"compute"},
    "oneapi/": {"compute"},
    "opencv2/": {"data"},
    "xnnpack.h": {"delegates"},
    "jerror.h": {"data"},
    "jpeglib.h": {"data"},
    "png.h": {"data"},
    "zlib.h": {"data"},
    "onnx/": {"onnx"},
    "google/": {"onnx"},
    "kainjow/": {"export"},
    "boost/": {"app"},
}
ANYWHERE_IN_SOURCES = ("fmt/", "nlohmann/")

INCLUDE = re.compile(r'^\s*#\s*include\s*(<|")([^>"]+)[>"]', re.M)


def module_of(path):
    parts = path.relative_to(ROOT).parts
    return parts[2] if parts[0] == "include" else parts[1]


def check(path):
    module = module_of(path)
    public = path.relative_to(ROOT).parts[0] == "include"
    for bracket, header in INCLUDE.findall(path.read_text()):
        if header.startswith("n2d2/"):
            other = header.split("/")[1]
            if other != module and other not in ALLOWED[module]:
                yield f"{path.relative_to(ROOT)}: module {module} may not include {header}"
            continue
        for prefix, owners in THIRD_PARTY.items():
            if header.startswith(prefix) and (module not in owners or public):
                yield f"{path.relative_to(ROOT)}: {header} stays in src/{', src/'.join(sorted(owners))}"
        if header.startswith(ANYWHERE_IN_SOURCES) and public and not (module == "base" and header.startswith("fmt/")):
            yield f"{path.relative_to(ROOT)}: {header} may not be in include/"


def main():
    files = [p for top in ("include/n2d2", "src") for p in sorted((ROOT / top).rglob("*")) if p.suffix in (".hpp", ".cpp")]
    findings = [finding for path in files for finding in check(path)]
    print("\n".join(findings) if findings else f"layers: {len(files)} files are in order")
    return 1 if findings else 0


if __name__ == "__main__":
    sys.exit(main())
