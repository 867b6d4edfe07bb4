"""console.py - commands with what is shown below them, as documents have them, and whether they
really print that."""
import os
import re
import subprocess


def timeless(line):
    """What is measured differs from run to run. In a row of a table that is all but the size and
    what was wrong."""
    columns = line.split()
    if len(columns) == 13 and columns[0].isdigit():
        return columns[:5] + [columns[8], columns[12]]
    return re.sub(r"[\d.]+ (us|ms|s)\b", "# s", line)


def agree(shown, printed, seen=timeless):
    """Lines of `...` stand for any lines; of others what is seen must be the same."""
    if not shown:
        return not printed
    if shown[0].strip() == "...":
        return any(agree(shown[1:], printed[skip:], seen) for skip in range(len(printed) + 1))
    return bool(printed) and seen(shown[0]) == seen(printed[0]) and agree(
        shown[1:], printed[1:], seen)


def predicted(line):
    """Times that are computed are the same in every run: only what a command took is not."""
    return timeless(line) if re.search(r"\b(compiled|proved|chosen|read|proof|written) in\b",
                                       line) else line


def steps_of(block):
    """Every command of a block, with what is shown below it."""
    for step in re.split(r"^\$ ", block, flags=re.MULTILINE)[1:]:
        command, *shown = step.splitlines()
        yield command, shown


def run_as_typed(command, folder, ordo):
    """What it prints, to stdout and to stderr, in lines."""
    environment = {**os.environ, "PATH": os.path.dirname(ordo) + os.pathsep + os.environ["PATH"]}
    return subprocess.run(command,
                          shell=True,
                          cwd=folder,
                          env=environment,
                          stdout=subprocess.PIPE,
                          stderr=subprocess.STDOUT,
                          text=True,
                          timeout=120,
                          check=False).stdout.splitlines()
