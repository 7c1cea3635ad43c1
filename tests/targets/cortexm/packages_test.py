#!/usr/bin/env python3
"""Packages of an export are what their build systems take.

  packages_test.py N2D2

Two exports are packaged in every format: one for Cortex-M, one of plain C++; and one in floats. The files of each format follow its rules, also where
the network's name does not. What each format compiles, with the flags and the include folders that it gives and no others, is
compiled for three cores and passes the self test under QEMU. The examples compile, and the one with a main() runs on this computer.
"""
import itertools
import json
import re
import shutil
import subprocess
import sys
import tempfile
import xml.etree.ElementTree
import zipfile
from pathlib import Path

import yaml

import exports
from drawn import is_in_turn

FORMATS = ("cmake", "zephyr", "idf", "arduino", "platformio", "cmsis-pack")
CORES = {"m0plus": "mps2-an385", "m4": "mps2-an386", "m55": "mps3-an547"}
TYPES = {"CPP_CortexM": "lenet5.ini", "CPP": "resnet8.ini"}
STRICT = ["-Wall", "-Wextra", "-Werror"]
SMALL = ["-Os", "-fno-exceptions", "-fno-rtti", "-ffunction-sections", "-fdata-sections"]
# What the build system of each format adds by itself.
FLAGS = {
    "cmake": ["-Os"],
    "zephyr": [*SMALL, "-std=c++11", "-ffreestanding", "-fno-common", "-fno-asynchronous-unwind-tables"],
    "idf": [*SMALL, "-std=gnu++2b", "-fstrict-volatile-bitfields", "-Wno-unused-parameter", "-Wno-missing-field-initializers"],
    "arduino": [*SMALL, "-std=gnu++11", "-fno-threadsafe-statics", "-nostdlib", "-DARDUINO=10819"],
    "platformio": [*SMALL, "-std=gnu++17", "-fno-threadsafe-statics", "-DPLATFORMIO=60000"],
    "cmsis-pack": [*SMALL, "-std=c++17", "-D_RTE_"],
}
SEMVER = r"\d+\.\d+\.\d+"
# https://arduino.github.io/arduino-cli/latest/library-specification/
ARDUINO_KEYS = {"name", "version", "author", "maintainer", "sentence", "paragraph", "category", "url", "architectures", "includes"}
ARDUINO_CATEGORIES = {"Display", "Communication", "Signal Input/Output", "Sensors", "Device Control", "Timing", "Data Storage",
                      "Data Processing", "Other"}
# Open-CMSIS-Pack-Spec, PACK.xsd: children of package that are used here, and FileCategoryType.
PACK_ELEMENTS = {"vendor", "name", "description", "url", "license", "releases", "keywords", "conditions", "components"}
PACK_CATEGORIES = {"doc", "header", "include", "library", "object", "source", "sourceAsm", "sourceC", "sourceCpp", "linkerScript",
                   "utility", "image", "other"}
ARDUINO_H = """#pragma once
struct Port {
  template <class T> void print(T) {}
  template <class T> void println(T) {}
  void println(float, int) {}
  void begin(long) {}
};
static Port Serial;
inline void delay(unsigned long) {}
"""
# What the CMake of Zephyr and of ESP-IDF do with these commands.
STUBS = """cmake_minimum_required(VERSION 3.20)
project(stub C CXX)
set(include_folders "")
function(zephyr_library_named name)
  add_library(${name} STATIC)
  set(current ${name} PARENT_SCOPE)
endfunction()
macro(zephyr_library_sources)
  target_sources(${current} PRIVATE ${ARGN})
endmacro()
macro(zephyr_include_directories)
  target_include_directories(${current} PUBLIC ${ARGN})
endmacro()
function(idf_component_register)
  cmake_parse_arguments(part "" "" "SRCS;INCLUDE_DIRS;REQUIRES" ${ARGN})
  get_filename_component(name ${CMAKE_CURRENT_SOURCE_DIR} NAME)
  add_library(${name} STATIC ${part_SRCS})
  target_include_directories(${name} PUBLIC ${part_INCLUDE_DIRS})
endfunction()
"""


def expect(condition, text):
    if not condition:
        raise exports.Failed(text)


def packaged(n2d2, kind, network, folder, options=("-calib", "8")):
    """Exports the network with a package in each format, and returns the project."""
    for labels in exports.NETWORKS.glob("*.txt"):
        shutil.copy(labels, folder)
    exports.checked([n2d2, network, "-seed", "1", "-w", "/dev/null", "-export", kind, "-db-export", "1", *options,
                     "-export-package", ",".join(FORMATS)], folder)
    return next(folder.glob(f"export_{kind}_*"))


def package_of(project, form):
    folders = [path for path in (project / "packages" / form).iterdir() if path.is_dir()]
    expect(len(folders) == 1, f"{form}: expected one folder, found {folders}")
    return folders[0]


def check_arduino(package):
    name = package.name
    lines = (package / "library.properties").read_text("ascii").splitlines()
    keys = dict(line.split("=", 1) for line in lines)
    expect(set(keys) == ARDUINO_KEYS and len(keys) == len(lines), f"library.properties has {sorted(keys)}")
    expect(keys["name"] == name and re.fullmatch(r"[A-Za-z0-9][A-Za-z0-9_. -]{0,62}", name), f"name={keys['name']}")
    expect(re.fullmatch(SEMVER, keys["version"]) and keys["architectures"] == "*", "version or architectures")
    expect(keys["category"] in ARDUINO_CATEGORIES, f"category={keys['category']}")
    expect(re.match(r"https?://", keys["url"]) and all(keys.values()), "url")
    expect((package / "src" / keys["includes"]).exists(), f"includes={keys['includes']}")
    expect(not any(b"int main" in path.read_bytes() for path in (package / "src").rglob("*.c*")), "src has a main()")
    for sketch in package.glob("examples/*/*.ino"):
        expect(sketch.stem == sketch.parent.name, f"{sketch.name} is in {sketch.parent.name}")
    for line in (package / "keywords.txt").read_text().splitlines():
        expect(re.fullmatch(r"\w+\t(KEYWORD[123]|LITERAL[12])", line), f"keywords.txt: {line}")


def check_platformio(package):
    keys = json.loads((package / "library.json").read_text("ascii"))
    expect(keys["name"] == package.name and re.fullmatch(r"[^:;/,@<>]{1,100}", keys["name"]), "name")
    expect(re.fullmatch(SEMVER, keys["version"]) and 0 < len(keys["description"]) <= 255, "version or description")
    expect(all((package / keys["build"]["includeDir"] / header).exists() for header in keys["headers"]), "headers")
    for example in keys["examples"]:
        expect(all((package / example["base"] / file).exists() for file in example["files"]), "examples")


def check_zephyr(package):
    module = yaml.safe_load((package / "zephyr/module.yml").read_text())
    expect(set(module) == {"name", "build", "samples"} and module["name"] == package.name, f"module.yml: {module}")
    expect((package / module["build"]["cmake"] / "CMakeLists.txt").exists(), "build: cmake:")
    kconfig = (package / module["build"]["kconfig"]).read_text("ascii")
    found = re.fullmatch(r'config ([A-Z][A-Z0-9_]*)\n\tbool "[^"\\\n]+"\n\tdepends on CPP\n\thelp\n(\t  [^\n]+\n)+', kconfig)
    expect(found, f"Kconfig: {kconfig}")
    expect(f"if(CONFIG_{found[1]})" in (package / "CMakeLists.txt").read_text(), "CMakeLists.txt asks for another symbol")
    sample = package / module["samples"][0] / "scores"
    expect(f"CONFIG_{found[1]}=y\n" in (sample / "prj.conf").read_text(), "prj.conf")
    expect(all(re.fullmatch(r"CONFIG_[A-Z0-9_]+=(y|n|\d+)", line) for line in (sample / "prj.conf").read_text().splitlines()), "prj.conf")
    tests = yaml.safe_load((sample / "sample.yaml").read_text())
    expect(set(tests) == {"sample", "tests"} and len(tests["tests"]) == 1, "sample.yaml")


def check_idf(package):
    keys = yaml.safe_load((package / "idf_component.yml").read_text())
    expect(set(keys) == {"version", "description", "license", "dependencies"}, f"idf_component.yml has {sorted(keys)}")
    expect(re.fullmatch(SEMVER, keys["version"]) and re.fullmatch(r"LicenseRef-[A-Za-z0-9.-]+", keys["license"]), "version or license")
    expect(re.fullmatch(r"[a-z][a-z0-9_-]{2,63}", package.name), f"component {package.name}")


def check_pack(package):
    pdsc, = package.glob("*.pdsc")
    root = xml.etree.ElementTree.parse(pdsc).getroot()
    expect(root.tag == "package" and {child.tag for child in root} == PACK_ELEMENTS, f"elements {[child.tag for child in root]}")
    vendor, name = root.findtext("vendor"), root.findtext("name")
    version = root.find("releases/release").get("version")
    expect(pdsc.name == f"{vendor}.{name}.pdsc" and re.fullmatch(r"[A-Za-z0-9_-]+", name) and re.fullmatch(SEMVER, version), pdsc.name)
    expect((package / root.findtext("license")).exists(), "license")
    component, = root.findall("components/component")
    expect(component.get("condition") in [each.get("id") for each in root.findall("conditions/condition")], "condition")
    expect(component.get("Cversion") == version and component.get("Cclass") and component.get("Cgroup"), "component")
    files = component.findall("files/file")
    expect({file.get("category") for file in files} <= PACK_CATEGORIES, "category of a file")
    named = {file.get("name") for file in files}
    expect(len(named) == len(files) and all((package / name).exists() for name in named), "a file is missing, or twice")
    code = {path.relative_to(package).as_posix() for path in (package / "src").rglob("*") if path.is_file()}
    expect(code <= named, f"the component lacks {sorted(code - named)}")
    layer = yaml.safe_load((package / f"{name}.clayer.yml").read_text())["layer"]
    expect(layer["components"] == [{"component": f"{vendor}::{component.get('Cclass')}:{component.get('Cgroup')}:{component.get('Csub')}"}],
           f"clayer.yml: {layer}")
    archive = zipfile.ZipFile(package.parent / f"{vendor}.{name}.{version}.pack")
    expect(archive.testzip() is None, "the archive is damaged")
    unpacked = {path.relative_to(package).as_posix(): path.read_bytes() for path in package.rglob("*") if path.is_file()}
    expect({info.filename: archive.read(info) for info in archive.infolist()} == unpacked, "the archive has other files than the folder")


CHECKS = {"cmake": lambda package: None, "zephyr": check_zephyr, "idf": check_idf, "arduino": check_arduino,
          "platformio": check_platformio, "cmsis-pack": check_pack}


def check_files(project):
    """The files that all formats have, then those of each."""
    code = None
    for form in FORMATS:
        package = package_of(project, form)
        expect(re.fullmatch(r"n2d2(_[a-z0-9]+)+", package.name), package.name)
        readme = (package / "README.md").read_text()
        steps = re.findall(r"^(\d)\. ", readme, re.M)
        expect(steps == ["1", "2", "3"], f"{form}: README.md has steps {steps}")
        expect("without condition" in (package / "LICENSE").read_text(), f"{form}: LICENSE")
        expect((package / "provenance.json").read_bytes() == (project / "provenance.json").read_bytes(), f"{form}: provenance.json")
        ours = {path.relative_to(package).as_posix(): path.read_bytes() for path in (package / "src").rglob("*") if path.is_file()}
        expect(code is None or code == ours, f"{form}: the code differs from that of {FORMATS[0]}")
        code = ours
        try:
            CHECKS[form](package)
        except exports.Failed as error:
            raise exports.Failed(f"{form}: {error}") from None


def options_of(firmware, core):
    return re.search(rf"^CORE_{core} := (.*)$", (firmware / "cores.mk").read_text(), re.M)[1].split()


def compiled(package, sources, include_folders, flags, folder):
    """The objects of the sources as a build system without CMake compiles them, in an archive."""
    objects = []
    for number, source in enumerate(sorted(sources)):
        objects.append(f"{number}.o")
        compiler = "arm-none-eabi-gcc" if source.suffix == ".c" else "arm-none-eabi-g++"
        exports.checked([compiler, *flags, *STRICT, *(f"-I{package / each}" for each in include_folders), "-c", source, "-o", objects[-1]], folder)
    exports.checked(["arm-none-eabi-ar", "qcs", "libnetwork.a", *objects], folder)
    return folder / "libnetwork.a"


def by_cmake(package, form, machine, folder):
    (folder / "CMakeLists.txt").write_text(f"{STUBS}set(CONFIG_{package.name.upper()} y)\nadd_subdirectory({package} part)\n")
    flags = " ".join([*machine, *FLAGS[form], *STRICT])
    exports.checked(["cmake", "-S", ".", "-B", "build", "-DCMAKE_SYSTEM_NAME=Generic", "-DCMAKE_TRY_COMPILE_TARGET_TYPE=STATIC_LIBRARY",
                     "-DCMAKE_C_COMPILER=arm-none-eabi-gcc", "-DCMAKE_CXX_COMPILER=arm-none-eabi-g++", f"-DCMAKE_CXX_FLAGS={flags}"], folder)
    exports.checked(["cmake", "--build", "build", "-j2"], folder)
    archive, = (folder / "build").rglob("lib*.a")
    return archive


def by_pack(package, machine, folder):
    """From the .pack file alone."""
    pack, = package.parent.glob("*.pack")
    zipfile.ZipFile(pack).extractall(folder / "pack")
    files = xml.etree.ElementTree.parse(next((folder / "pack").glob("*.pdsc"))).findall("components/component/files/file")
    of = lambda category: [file.get("name") for file in files if file.get("category") == category]
    return compiled(folder / "pack", [folder / "pack" / name for name in of("sourceCpp")], of("include"), [*machine, *FLAGS["cmsis-pack"]], folder)


def by_folder(package, form, machine, folder):
    """Arduino and PlatformIO compile whatever is below a folder."""
    build = json.loads((package / "library.json").read_text())["build"] if form == "platformio" else {"srcDir": "src", "includeDir": "src"}
    sources = [path for path in (package / build["srcDir"]).rglob("*") if path.suffix in (".c", ".cpp", ".S")]
    return compiled(package, sources, [build["includeDir"]], [*machine, *FLAGS[form]], folder)


def archive_of(package, form, machine, folder):
    if form in ("cmake", "zephyr", "idf"):
        return by_cmake(package, form, machine, folder)
    return by_pack(package, machine, folder) if form == "cmsis-pack" else by_folder(package, form, machine, folder)


def self_test(package, form, core, firmware, folder):
    """Compiles the network as the format does, and runs it with the self test of exports for Cortex-M."""
    machine = options_of(firmware, core)
    archive = archive_of(package, form, machine, folder)
    shutil.copytree(package / "src/network", folder / "network")
    shutil.copytree(firmware, folder / "network/firmware")
    own = folder / "network/firmware"
    exports.checked(["arm-none-eabi-g++", *machine, "-Os", "-fno-exceptions", "-fno-rtti", "-fno-threadsafe-statics", "-c", own / "selftest.cpp"], folder)
    exports.checked(["arm-none-eabi-gcc", *machine, "-Os", "-c", *(own / f"{name}.c" for name in ("startup", "semihosting", "measure"))], folder)
    exports.checked(["arm-none-eabi-g++", *machine, "-nostartfiles", "--specs=nano.specs", "-Wl,--gc-sections", "-Wl,--defsym=__stack_size=4096",
                     "-T", own / "boards" / f"{CORES[core]}.ld", "-T", own / "link.ld", "selftest.o", "startup.o", "semihosting.o", "measure.o",
                     archive, "-o", "selftest.elf"], folder)
    sections = exports.checked(["arm-none-eabi-objdump", "-h", archive], folder)
    expect(".nn_" not in sections, f"{form}: the archive has sections that no linker script of others knows")
    status, text = exports.run(["qemu-system-arm", "-M", CORES[core], "-nographic", "-monitor", "none", "-serial", "none", "-semihosting-config",
                                "enable=on,target=native", "-icount", "shift=0", "-kernel", "selftest.elf"], folder)
    expect(status == 0 and "self test: passed" in text, f"{form} on {core}: status {status}\n{text}")


def check_examples(project, folder):
    """Examples compile as C++11, the header as C; the program of the plain folder runs here."""
    (folder / "Arduino.h").write_text(ARDUINO_H)
    for form in FORMATS:
        package = package_of(project, form)
        examples = [path for path in package.rglob("*") if path.suffix in (".cpp", ".ino") and {"examples", "samples"} & set(path.parts)]
        expect(len(examples) == 1, f"{form} has examples {examples}")
        for definition in [[], ["-DARDUINO=10819"]] if form == "platformio" else [[]]:
            exports.checked(["g++", "-x", "c++", "-std=gnu++11", *STRICT, "-fsyntax-only", *definition,
                             *(["-include", "Arduino.h"] if form == "arduino" else []), f"-I{package / 'src'}", "-I.", examples[0]], folder)
        (folder / "use.c").write_text(f'#include "{package.name}.h"\nint use(void) {{ return (int)N2D2_EXPORT_CLASSES; }}\n')
        exports.checked(["gcc", "-std=c99", "-pedantic", *STRICT, "-fsyntax-only", f"-I{package / 'src'}", "use.c"], folder)
    text = printed_by_example(package_of(project, "cmake"), folder)
    expect("self test: passed\nclass: " in text and text.count("/ 1000") == 10, f"the example printed\n{text}")


def printed_by_example(package, folder):
    exports.checked(["g++", "-O1", "-std=c++11", f"-I{package / 'src'}", package / "examples/scores.cpp", *(package / "src").rglob("*.cpp"), "-o", "scores"], folder)
    return exports.checked(["./scores"], folder)


def main():
    n2d2 = Path(sys.argv[1]).resolve()
    with tempfile.TemporaryDirectory() as temporary:
        root = Path(temporary)
        projects = {}
        for kind, network in TYPES.items():
            (root / kind).mkdir()
            projects[kind] = packaged(n2d2, kind, exports.NETWORKS / network, root / kind)
            check_files(projects[kind])
            check_examples(projects[kind], root / kind)
        # A name that no format takes as it is.
        (root / "odd").mkdir()
        odd = root / "odd" / "9 é\"<lenet>&$(x)'\\\u202e#.ini"
        odd.write_bytes((exports.NETWORKS / "lenet5.ini").read_bytes())
        project = packaged(n2d2, "CPP_CortexM", odd, root / "odd")
        check_files(project)
        expect(package_of(project, "cmake").name == "n2d2_9_lenet_x", package_of(project, "cmake").name)
        # Floats have no self test.
        (root / "floats").mkdir()
        project = packaged(n2d2, "CPP", exports.NETWORKS / "lenet5.ini", root / "floats", ("-nbbits", "-32"))
        check_files(project)
        text = printed_by_example(package_of(project, "cmake"), root / "floats")
        expect(text.startswith("class: ") and text.count("/ 1000") == 10, f"the example printed\n{text}")
        firmware = projects["CPP_CortexM"] / "firmware"
        built = []
        for (k, kind), (c, core), (f, form) in itertools.product(enumerate(TYPES), enumerate(CORES), enumerate(FORMATS)):
            if not is_in_turn(f + c + 3 * k, len(FORMATS)):
                continue
            folder = root / f"{kind}.{core}.{form}"
            folder.mkdir()
            self_test(package_of(projects[kind], form), form, core, firmware, folder)
            built.append(f"{kind} {form} {core}")
        print(f"packages: {len(FORMATS)} formats of {len(TYPES)} exports, {len(built)} passed the self test: {', '.join(built)}")


if __name__ == "__main__":
    try:
        main()
    except exports.Failed as error:
        sys.exit(f"packages: {error}")
