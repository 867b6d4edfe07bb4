#!/usr/bin/env python3
"""test_bench_table.py COLLECTIVES_PY SPEED_MD - the table of runtime/SPEED.md says what was
measured, on numbers made up."""
import json
import pathlib
import re
import subprocess
import sys
import tempfile

from tap import case, run_cases, wanted

COLLECTIVES, SPEED = (pathlib.Path(argument).absolute() for argument in sys.argv[1:3])
MI = 1 << 20


def cell(contender, us, size=MI, ranks=8, operator="AllReduce", wrong=0):
    return {
        "contender": contender, "operator": operator, "ranks": ranks, "size": size, "us": us,
        "wrong": wrong
    }


def results(*cells, absent=None):
    return {
        "machine": {
            "cpu": "Abacus", "cores": 2, "caches": "L1 1K", "compiler": "cc 1",
            "packages": {"mpich": "4"}
        }, "quick": False, "passes": 3, "absent": absent or {}, "cells": list(cells), "engines": [{
            "engine": "tasks", "schedule": "ring", "ranks": 64, "workers": 1, "tasks": 1000,
            "us": 25.0
        }]
    }


def run(made_up, *options, document=None):
    """(exit status, standard output, standard error, document afterwards)"""
    with tempfile.TemporaryDirectory() as folder:
        stored, target = pathlib.Path(folder) / "stored.json", pathlib.Path(folder) / "SPEED.md"
        stored.write_text(json.dumps(made_up))
        target.write_text(SPEED.read_text() if document is None else document)
        done = subprocess.run(
            [sys.executable, COLLECTIVES, "--from", stored, "--document", target, *options],
            capture_output=True,
            text=True,
            check=False)
        return done.returncode, done.stdout, done.stderr, target.read_text()


def row(text, *begins):
    """The cells of the only line of the table that begins so."""
    found = [
        line for line in text.splitlines() if line.startswith("| " + " | ".join(begins) + " |")
    ]
    wanted(len(found) == 1, f"{len(found)} rows", text)
    return [word.strip() for word in found[0].strip("|").split("|")]


FAST = (cell("openmpi", [900.0, 1000.0, 5000.0]), cell("openmpi-ucx", [1200.0]),
        cell("ordo-pool", [200.0, 250.0, 260.0]), cell("hand-pool", [125.0]), cell("copy", [100.0]),
        cell("ordo-callers", [500.0]), cell("hand-callers", [400.0]))


@case(
    "an aim is judged by medians, against the best of the MPIs, the hand-written code and the bound"
)
def _():
    status, told, _, document = run(results(*FAST))
    wanted(status == 0, told)
    for text in (told, document):
        wanted(row(text, "AllReduce", "8", "ordo, one call", "1 MiB")[4:] ==
               ["1,000", "250", "4.00", "4", "met", "125", "**2.00**", "100", "2.50"], text)
        wanted(row(text, "AllReduce", "8", "ordo, a thread a rank", "1 MiB")[4:11] ==
               ["1,000", "500", "2.00", "3.6", "**missed**", "400", "1.25"], text)
        wanted("1 of 2 aims are met; within 1.3 times the hand-written code: 1 of 2." in text, text)


@case("what was not measured is a dash, and who is absent is named")
def _():
    _, told, _, document = run(results(*FAST, absent={"mpich": "not installed"}))
    wanted("- MPICH: not installed" in document, document)
    wanted(
        row(document, "8", "1 MiB")[:11] == [
            "8", "1 MiB", "1,000", "1,200", "-", "125", "400", "100", "250", "500", "-"
        ], document)
    wanted(
        row(told, "Broadcast", "8", "ordo, one call", "8 B")[4:9] == ["-", "-", "-", "8", "-"],
        told)


@case("wrong outputs are no time, and the command fails")
def _():
    status, told, complaint, document = run(
        results(*FAST, cell("ordo-pool", [1.0], operator="AllGather", wrong=1)))
    wanted(status == 1 and "wrong outputs: ordo-pool, AllGather, 8 ranks, 1 MiB" in complaint,
           complaint)
    wanted(row(told, "AllGather", "8", "ordo, one call", "1 MiB")[5] == "-", told)
    wanted("| wrong |" in document, document)


@case("what is written by hand is kept, and twice gives the same")
def _():
    made_up = results(*FAST)
    _, _, _, once = run(made_up)
    _, _, _, twice = run(made_up, document=once)
    wanted(once == twice, twice)

    def by_hand(text):
        return re.sub(r"<!-- measured: .*?<!-- end -->", "", text, flags=re.DOTALL)

    wanted(
        by_hand(once) == by_hand(SPEED.read_text()) and "## What limits it" in by_hand(once), once)
    status, _, complaint, _ = run(made_up, document=once.replace("<!-- measured: aims -->", ""))
    wanted(status == 1 and "wanted one" in complaint, complaint)


@case("--quick results leave the document alone, and --json tells everything")
def _():
    status, told, _, document = run({**results(*FAST), "quick": True}, "--json")
    wanted(status == 0 and document == SPEED.read_text(), document)
    aims = [aim for aim in json.loads(told)["aims"] if aim["met"] is not None]
    wanted([aim["ratio"] for aim in aims] == [4.0, 2.0]
           and [aim["met"] for aim in aims] == [True, False], aims)


@case("other schedules stand beside the usual one")
def _():
    _, _, _, document = run(results(*FAST, cell("ordo-pool:ring", [300.0])))
    wanted(row(document, "ring")[3] == "300" and row(document, "as above")[3] == "250", document)


@case("many ranks stand beside fewer")
def _():
    crowd = [{
        "contender": "ordo-pool", "operator": "AllReduce", "ranks": ranks, "size": 8, "us": [us],
        "wrong": 0
    } for ranks, us in ((64, 12.0), (16, 4.0))]
    _, _, _, document = run(results(*FAST, *crowd))
    crowded = document[document.index("<!-- measured: crowded -->"):]
    found = row(crowded, "8 B")
    wanted(found[1:] == ["-", "-", "-", "-", "12.0", "-", "-", "3.00", "-"], found)


@case("interpretation is told a task")
def _():
    _, told, _, _ = run(results(*FAST))
    wanted(row(told, "64", "task by task")[2:] == ["1", "1,000", "25.0", "25.0"], told)


run_cases()
