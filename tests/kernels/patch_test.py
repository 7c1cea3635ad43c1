#!/usr/bin/env python3
"""A patch of another size than what is gathered into it does not compile.

  patch_test.py --compiler=g++ [--compiler=clang++-14] INCLUDE_FOLDER ...

Compiles a convolution of each type with the headers as they are, then with one wrong value in conv.hpp at a time, for the baseline
and for wider instructions; what each wrong value must be refused with is written beside it.
"""
import argparse
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

MEMBERS = ("in_w in_h in_c in_pixel in_row in_ring in_first in_turn out_w out_h out_c out_pixel out_row out_ring out_first "
           "out_turn bottom_up ordered lo hi shift factor_step kernel_w kernel_h stride_x stride_y dilation_x dilation_y "
           "pad_x pad_y groups parallel border_top border_bottom border_left border_right packed matrix small_factors").split()
SOURCE = """#include "conv.hpp"
namespace kernels = N2D2_EXPORT_NAMESPACE;
struct Config { int %s; };
template <class T, class Weight, class Sum>
void layer(const Config& c, const void* in, void* out, const void* weights, const void* bias, const void* factor) {
  const kernels::Rows rows = {0, c.out_h};
  kernels::conv2d(c, rows, static_cast<const T*>(in), static_cast<T*>(out), static_cast<const Weight*>(weights),
                  static_cast<const Sum*>(bias), static_cast<const float*>(factor));
}
template void layer<int8_t, int8_t, int32_t>(const Config&, const void*, void*, const void*, const void*, const void*);
template void layer<int16_t, int16_t, int64_t>(const Config&, const void*, void*, const void*, const void*, const void*);
template void layer<float, float, float>(const Config&, const void*, void*, const void*, const void*, const void*);
""" % ", ".join(MEMBERS)
BASELINE, AVX2 = [], ["-mavx2"]
AVX512 = ["-mavx512f", "-mavx512bw", "-mavx512vl", "-mavx512dq", "-mavx512vnni"]
GATHERED = "what may be gathered is as long as a patch"
WHOLE = "kPatchBytes holds whole elements"
STACK = "the patches of a tile stay within their share of the stack"
TILES = "no more patches than the stack has room for"
AS_IT_IS = "kPatchBytes = N2D2_VECTOR == 32 ? 64 : 32,"
# What stands in conv.hpp, a wrong value for it, instructions, what the compiler says.
WRONG = [
    (AS_IT_IS, "kPatchBytes = N2D2_VECTOR == 32 ? 64 : 33,", BASELINE, WHOLE),
    (AS_IT_IS, "kPatchBytes = N2D2_VECTOR == 32 ? 64 : 512,", ["-DN2D2_PORTABLE"], STACK),
    (AS_IT_IS, "kPatchBytes = N2D2_VECTOR == 32 ? 128 : 32,", AVX2, STACK),
    ("kPatchBytes = 448,", "kPatchBytes = 576,", AVX512, STACK),
    ("kElements = kPatchBytes / sizeof(In)", "kElements = kPatchBytes / sizeof(In) - 1", BASELINE, GATHERED),
    ("kElements = kPatchBytes / sizeof(In)", "kElements = kPatchBytes", BASELINE, GATHERED),
    ("window <= kPatchBytes / static_cast<int>(sizeof(In))", "window <= kPatchBytes", BASELINE, GATHERED),
    ("P < static_cast<int>(kPatchesAtOnce) ? P : static_cast<int>(kPatchesAtOnce)", "2 * P", AVX512, TILES),
]


def compiled(compiler, headers, options):
    return subprocess.run([compiler, "-std=c++11", "-O0", "-fsigned-char", "-Wall", "-Wextra", "-Werror", f"-I{headers}",
                           *options, "-x", "c++", "-c", "-", "-o", "/dev/null"], input=SOURCE, capture_output=True, text=True)


def problems(compiler, folders):
    for options in (BASELINE, AVX2, AVX512):
        with tempfile.TemporaryDirectory(prefix="n2d2_patch_") as headers:
            copy(folders, headers)
            run = compiled(compiler, headers, options)
            if run.returncode != 0:
                yield f"{compiler} {' '.join(options)}: the headers do not compile as they are\n{run.stderr}"
    for text, wrong, options, message in WRONG:
        with tempfile.TemporaryDirectory(prefix="n2d2_patch_") as headers:
            copy(folders, headers)
            header = Path(headers) / "conv.hpp"
            content = header.read_text()
            if content.count(text) != 1:
                sys.exit(f"conv.hpp: expected '{text}' once, found it {content.count(text)} times")
            header.write_text(content.replace(text, wrong))
            run = compiled(compiler, headers, options)
            if run.returncode == 0 or message not in run.stderr:
                yield f"{compiler} {' '.join(options)}: '{wrong}' is not refused with '{message}'\n{run.stderr[:2000]}"


def copy(folders, to):
    for folder in folders:
        for header in Path(folder).glob("*.hpp"):
            shutil.copy(header, to)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folders", nargs="+")
    parser.add_argument("--compiler", action="append", required=True)
    arguments = parser.parse_args()
    found = [p for compiler in arguments.compiler for p in problems(compiler, arguments.folders)]
    for problem in found:
        print(problem)
    print(f"{len(WRONG)} wrong values, {len(arguments.compiler)} compilers, {len(found)} problems")
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
