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


def number(pattern, text):
    found = re.search(pattern, text)
    if not found:
        raise Failure(f"no '{pattern}' in the output:\n{text[-1000:]}")
    return float(found.group(1))
