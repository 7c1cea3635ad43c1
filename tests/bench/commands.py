"""Runs programs for the benches: their output, kept beside the results, and the figures in it."""
import re
import subprocess


class Failure(Exception):
    pass


def run(command, folder, log):
    """Standard output of a command that must succeed; kept in a file beside the results."""
    done = subprocess.run([str(c) for c in command], cwd=folder, text=True, stdout=subprocess.PIPE,
                          stderr=subprocess.STDOUT)
    (folder / log).write_text(done.stdout)
    if done.returncode != 0:
        end = "\n".join(done.stdout.splitlines()[-15:])
        raise Failure(f"{' '.join(map(str, command))}\nexit status {done.returncode}, see {folder / log}\n{end}")
    return done.stdout


def compared_layers(project):
    """Names of the layers of an exported project, compiled and run, all of whose values are those of its reference."""
    # Floats are those of the process where products and sums are rounded each. -O1 compiles in a third of the time.
    run(["make", "-s", "-j2", "CXXFLAGS=-O1 -ffp-contract=off"], project, "make.log")
    layers = re.findall(r"^(\S+): (\d+) values, (\d+) different",
                        run(["./bin/run_export", "-compare", "reference"], project, "compare.log"), re.M)
    if not layers or any(int(different) for _, _, different in layers):
        raise Failure(f"{project}: {layers}")
    return [name for name, _, _ in layers]


def number(pattern, text):
    found = re.search(pattern, text)
    if not found:
        raise Failure(f"no '{pattern}' in the output:\n{text[-1000:]}")
    return float(found.group(1))
