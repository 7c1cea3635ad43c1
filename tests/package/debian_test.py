#!/usr/bin/env python3
"""The packages that cpack makes of a build can be installed, used and removed.

  debian_test.py BUILD SOURCES

Two runs of cpack give the same bytes, and lintian says nothing of them. dpkg installs them in a root of its own, whose data base
knows the packages of this machine, so that what they depend on is there. The quick start goes from an ONNX file to scores, by the
installed program, while sources and build are hidden (as root). A module and a program of pkg-config find the headers. Removed, the
packages leave no file. The archive works from a folder with a blank in its name. Pictures that need no OpenCV are read without
n2d2-imgcodecs, the others then name it. Two processes of mpirun score what one scores; without n2d2-mpi they name it.
"""
import gzip
import hashlib
import os
import re
import shutil
import subprocess
import sys
import tarfile
import tempfile
from pathlib import Path

SECONDS = 600
PACKAGES = ("n2d2", "n2d2-dev", "n2d2-imgcodecs", "n2d2-mpi")
BMP = bytes.fromhex("424d3a000000000000003600000028000000010000000100000001001800000000000400000000000000000000000000000000000000") + b"\1\2\3\0"
PGM = b"P5\n28 28\n255\n" + bytes(28 * 28)


class Failed(Exception):
    pass


def expect(condition, text):
    if not condition:
        raise Failed(text)


def checked(command, folder=None, env=None, status=0):
    done = subprocess.run([str(word) for word in command], cwd=folder, env=env, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True,
                          timeout=SECONDS)
    if done.returncode != status:
        raise Failed(f"{' '.join(map(str, command))}: status {done.returncode}\n{done.stdout[-4000:]}")
    return done.stdout


def files_below(root):
    """Every file and folder but dpkg's own."""
    return sorted(path.relative_to(root).as_posix() for path in root.rglob("*") if not path.is_relative_to(root / "var/lib/dpkg"))


class Machine:
    """How commands run: with sources and build hidden, where that is possible."""

    def __init__(self, hidden, empty):
        self.prefix = []
        trial = ["unshare", "-m", "mount", "--bind", empty, hidden]
        if os.geteuid() == 0 and subprocess.run(trial, stderr=subprocess.DEVNULL).returncode == 0:
            self.prefix = ["unshare", "-m", "sh", "-c", f'mount --bind "{empty}" "{hidden}" && exec "$@"', "sh"]

    def run(self, command, folder, status=0, **variables):
        env = {"PATH": f"/usr/lib/ccache:{os.environ['PATH']}", "HOME": str(folder), **variables}
        return checked([*self.prefix, *command], folder, env, status)


def made(build, folder):
    """The packages and the archive of one run of cpack."""
    folder.mkdir()
    checked(["cpack", "--config", build / "CPackConfig.cmake", "-B", folder], build)
    return [*sorted(folder.glob("*.deb")), *folder.glob("*.tar.gz")]


def check_same(build, root):
    first, second = made(build, root / "first"), made(build, root / "second")
    expect(len(first) == len(PACKAGES) + 1 and [file.name for file in first] == [file.name for file in second], f"cpack made {first}")
    for a, b in zip(first, second):
        expect(hashlib.sha256(a.read_bytes()).digest() == hashlib.sha256(b.read_bytes()).digest(), f"{a.name}: two runs give other bytes")
    return first


def check_lintian(packages):
    if shutil.which("lintian") is None:
        print("package: lintian is not installed")
        return
    said = checked(["lintian", "--allow-root", "--fail-on", "none", *packages])
    expect(said == "", f"lintian says\n{said}")


def installed(packages, root):
    """dpkg's data base is that of this machine, so that dependencies are looked for."""
    database = root / "var/lib/dpkg"
    (database / "updates").mkdir(parents=True)
    (database / "info").mkdir()
    paragraphs = Path("/var/lib/dpkg/status").read_text().split("\n\n")
    ours = re.compile(rf"^Package: ({'|'.join(PACKAGES)})$", re.M)
    (database / "status").write_text("\n\n".join(text for text in paragraphs if not ours.search(text)))
    before = files_below(root)
    dpkg = ["dpkg", f"--root={root}", "--force-script-chrootless", "--force-not-root", f"--log={root}/var/lib/dpkg/log"]
    checked([*dpkg, "-i", *packages])
    return dpkg, before


def check_quickstart(n2d2, share, machine, folder):
    """From an ONNX file to scores; the page use/start.md has the commands."""
    folder.mkdir()
    run = lambda *command: machine.run(command, folder)
    run(n2d2, share / "models/lenet_glyphs.ini", "-seed", "1", "-learn-epoch", "1")
    run(n2d2, share / "models/lenet_glyphs.ini", "-seed", "1", "-export", "ONNX", "-nbbits", "-32")
    run(n2d2, share / "models/lenet_glyphs.ini", "-seed", "1", "-save-test-set", "digits")
    said = run(n2d2, "export_ONNX_float32/model.onnx", "-o", "alone", "-export", "CPP", "-calib-dir", "digits", "-test", "-export-package", "cmake")
    expect("Final recognition rate: " in said, said)
    run("make", "-s", "-j2", "-C", "alone/export_CPP_int8")
    said = machine.run(["bin/run_export"], folder / "alone/export_CPP_int8")
    expect(re.search(r"^Score: \d+", said, re.M), said)
    machine.run(["bin/run_export", "-compare", "reference"], folder / "alone/export_CPP_int8")


def check_pictures(n2d2, machine, folder, has_codecs):
    folder.mkdir()
    (folder / "pictures").mkdir()
    ini = "[database]\nType=DIR_Database\nDataPath={0}\nLearn=0\nTest=1\nDepth=0\n[sp]\n{1}\n[fc]\nInput=sp\nType=Fc\nNbOutputs=2\n[fc.Target]\n"
    for name, content, size in (("a.pgm", PGM, "Size=28 28"), ("a.bmp", BMP, "Size=1 1\nNbChannels=3")):
        for old in (folder / "pictures").iterdir():
            old.unlink()
        (folder / "pictures" / name).write_bytes(content)
        (folder / "net.ini").write_text(ini.format(folder / "pictures", size))
        is_read = has_codecs or name == "a.pgm"
        said = machine.run([n2d2, "net.ini", "-seed", "1", "-save-test-set", f"read_{name}"], folder, 0 if is_read else 2)
        expect(is_read or "n2d2-imgcodecs" in said, f"{name}: {said}")


def check_ranks(n2d2, share, machine, folder, has_mpi):
    """Processes of a launcher find the module of MPI, or say that it is missing."""
    folder.mkdir()
    command = [n2d2, share / "models/lenet_glyphs.ini", "-seed", "1", "-w", "/dev/null", "-test", "-nb-test", "64"]
    alone = machine.run(command, folder)
    launch = ["mpirun", "-n", "2", "--oversubscribe", "--bind-to", "none", "--mca", "btl", "self,vader"]
    root = {"OMPI_ALLOW_RUN_AS_ROOT": "1", "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM": "1"}
    said = machine.run([*launch, *command], folder, 0 if has_mpi else 2, **root)
    final = [line for line in alone.splitlines() if "rate" in line]
    expect(final and all(line in said for line in final) if has_mpi else "n2d2-mpi" in said, said)


def check_pages(root):
    """What shells and man read."""
    share = root / "usr/share"
    expect(gzip.decompress((share / "man/man1/n2d2.1.gz").read_bytes()).startswith(b".TH N2D2 1 "), "n2d2.1.gz")
    for path in ("bash-completion/completions/n2d2", "zsh/vendor-completions/_n2d2", "fish/vendor_completions.d/n2d2.fish"):
        expect("export-package" in (share / path).read_text(), path)
    for package in PACKAGES:
        expect((share / f"doc/{package}/copyright").exists(), f"{package}: copyright")


def check_headers(root, folder):
    """The headers are found by pkg-config, and a module is built by CMake."""
    folder.mkdir()
    (folder / "module.cpp").write_text('#include "n2d2/modules/module.hpp"\nN2D2_MODULE(registries) { static_cast<void>(registries); }\n')
    (folder / "CMakeLists.txt").write_text("cmake_minimum_required(VERSION 3.25)\nproject(module CXX)\nfind_package(n2d2 REQUIRED)\n"
                                           "n2d2_add_module(module SOURCES module.cpp)\n")
    env = dict(os.environ, PKG_CONFIG_PATH=str(root / "usr/share/pkgconfig"))
    if shutil.which("pkg-config"):
        flags = checked(["pkg-config", "--cflags", "n2d2"], folder, env).split()
        expect(f"-I{root}" in " ".join(flags).replace("/usr/share/pkgconfig/../..", ""), f"pkg-config gives {flags}")
    checked(["cmake", "-S", ".", "-B", "build", f"-DCMAKE_PREFIX_PATH={root}/usr"], folder)
    checked(["cmake", "--build", "build"], folder)
    checked([root / "usr/bin/n2d2", "-module", next((folder / "build").glob("*.so")), "-version"], folder)


def check_archive(archive, machine, root):
    """Unpacked in a folder with a blank in its name."""
    place = root / "a folder" / "of mine"
    place.mkdir(parents=True)
    with tarfile.open(archive) as tar:
        tar.extractall(place)
    top, = place.iterdir()
    work = root / "a folder" / "work"
    work.mkdir()
    machine.run([top / "bin/n2d2", top / "share/n2d2/models/lenet_glyphs.ini", "-seed", "1", "-w", "/dev/null", "-export", "CPP", "-calib", "4",
                 "-db-export", "1"], work)
    expect((work / "export_CPP_int8/Makefile").exists(), "the archive exports nothing")


def main():
    build, sources = (Path(word).resolve() for word in sys.argv[1:3])
    with tempfile.TemporaryDirectory(prefix="n2d2_package_") as temporary:
        temporary = Path(temporary)
        temporary.chmod(0o755)
        empty = temporary / "empty"
        empty.mkdir()
        machine = Machine(sources, empty)
        *packages, archive = check_same(build, temporary)
        check_lintian(packages)
        root = temporary / "root"
        dpkg, before = installed(packages, root)
        n2d2 = root / "usr/bin/n2d2"
        check_quickstart(n2d2, root / "usr/share/n2d2", machine, temporary / "work")
        check_pictures(n2d2, machine, temporary / "pictures", has_codecs=True)
        check_ranks(n2d2, root / "usr/share/n2d2", machine, temporary / "ranks", has_mpi=True)
        check_pages(root)
        check_headers(root, temporary / "module")
        checked([*dpkg, "--purge", "n2d2-imgcodecs"])
        if machine.prefix:
            check_pictures(n2d2, machine, temporary / "fewer_pictures", has_codecs=False)
        checked([*dpkg, "--purge", "n2d2-mpi"])
        if machine.prefix:
            check_ranks(n2d2, root / "usr/share/n2d2", machine, temporary / "no_ranks", has_mpi=False)
        checked([*dpkg, "--purge", "n2d2-dev", "n2d2"])
        expect(files_below(root) == before, f"left behind: {sorted(set(files_below(root)) - set(before))}")
        check_archive(archive, machine, temporary)
        sizes = ", ".join(f"{file.name} {file.stat().st_size / 1e6:.1f} MB" for file in [*packages, archive])
        print(f"package: {sizes}; sources were {'hidden' if machine.prefix else 'not hidden'}")


if __name__ == "__main__":
    try:
        main()
    except Failed as error:
        sys.exit(f"package: {error}")
