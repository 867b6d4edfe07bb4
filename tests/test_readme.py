#!/usr/bin/env python3
"""test_readme.py ORDO ROOT - README.md shows what the commands really print, and what there really is."""
import json
import os
import pathlib
import re
import subprocess
import sys
import tempfile

from console import agree, run_as_typed, steps_of
from tap import case, run_cases, wanted

ORDO = os.path.abspath(sys.argv[1])
ROOT = pathlib.Path(sys.argv[2]).absolute()
README = (ROOT / "README.md").read_text()
OPERATORS = ["AllReduce", "Reduce", "Broadcast", "ReduceScatter", "AllGather", "Scatter", "Gather", "AllToAll"]


def steps():
    """Every command of the console blocks, with what is shown below it."""
    for block in re.findall(r"^```console\n(.*?)^```", README, re.MULTILINE | re.DOTALL):
        yield from steps_of(block)


@case("every command prints what is shown below it")
def _():
    count = 0
    with tempfile.TemporaryDirectory() as folder:
        for command, shown in steps():
            printed = run_as_typed(command, folder, ORDO)
            wanted(agree(shown, printed), command, "shown:", *shown, "printed:", *printed)
            count += 1
    wanted(count >= 5, f"only {count} commands found")


@case("the picture is what `ordo draw` draws")
def _():
    draws = [command for command, _ in steps() if command.startswith("ordo draw")]
    compiles = [command for command, _ in steps() if command.startswith("ordo compile")]
    wanted(draws and compiles, "no picture is drawn")
    with tempfile.TemporaryDirectory() as folder:
        for command in (compiles[0], re.sub(r"-o \S+", "-o picture.svg", draws[0])):
            subprocess.run([ORDO, *command.split()[1:]], cwd=folder, check=True, stderr=subprocess.DEVNULL)
        words = [re.findall(r">([^<>\n]+)</text>", path.read_text()) for path in (
            pathlib.Path(folder) / "picture.svg", ROOT / "examples" / "around-a-dead-link.svg")]
    wanted(words[0] and words[0] == words[1], "draw examples/around-a-dead-link.svg again")


@case("the table of algorithms is what `ordo list` lists")
def _():
    listed = json.loads(subprocess.run([ORDO, "list", "--json"], check=True, stdout=subprocess.PIPE).stdout)
    rows = [f"| {one['name']} | {one['ranks']} | "
            + " | ".join("x" if operator in one["operators"] else "" for operator in OPERATORS) + " |"
            for one in listed["algorithms"]]
    shown = re.findall(r"^\| [^|]+ \| [^|]+(?: \| x?){8} \|$", README, re.MULTILINE)
    wanted(shown == rows, "wanted:", *rows)


@case("schedules/ORDERS.md is what its command prints")
def _():
    shown = (ROOT / "schedules/ORDERS.md").read_text()
    command = re.search(r"^    ordo (order --table .*)$", shown, re.MULTILINE).group(1)
    printed = subprocess.run([ORDO, *command.split()], check=True, stdout=subprocess.PIPE, text=True).stdout
    wanted(shown == printed, f"ordo {command} > schedules/ORDERS.md")


@case("every link leads to something")
def _():
    links = re.findall(r"\]\(([^)#]+)\)", README)
    wanted(links)
    missing = [link for link in links if "://" not in link and not (ROOT / link).exists()]
    wanted(not missing, missing)


@case("the lines of the embedding are lines of the header's functions")
def _():
    header = (ROOT / "runtime/include/ordo/communicator.h").read_text() + (ROOT / "schedules/include/ordo/document.h").read_text()
    block = re.search(r"^```c\n(.*?)^```", README, re.MULTILINE | re.DOTALL).group(1)
    calls = re.findall(r"\b(ordo_\w+)\(", block)
    wanted(calls)
    missing = [call for call in calls if not re.search(rf"\b{call}\(", header)]
    wanted(not missing, missing)


run_cases()
