#!/usr/bin/env python3
"""test_survey.py ORDO ROOT - the survey of algorithms: what it says is so, in the document, in the
picture, and in what `ordo list` and `ordo explain` say of algorithms."""
import json
import pathlib
import re
import subprocess
import sys
import xml.etree.ElementTree

from tap import case, run_cases, wanted

ORDO = pathlib.Path(sys.argv[1]).absolute()
ROOT = pathlib.Path(sys.argv[2]).absolute()
SURVEY = (ROOT / "compiler/SURVEY.md").read_text()
SAID = "never the fastest in the survey; kept for its name"
# By hand: small, and with winners of several kinds.
PART = ["a3:8,8", "broken-mesh,8"]


def tables_of(text):
    """{(operator, topology): [cell of every size]}, of the sections of operators."""
    tables = {}
    for section in re.split(r"^### ", text, flags=re.MULTILINE)[1:]:
        operator, *lines = section.splitlines()
        rows = [[cell.strip() for cell in line.strip("| ").split(" | ")] for line in lines
                if line.startswith("| ")]
        for place, *cells in rows[2:]:
            tables[operator, place] = cells
    return tables


TABLES = tables_of(SURVEY)


def summary():
    """{algorithm: [fastest in, of, behind, orders, mark]}"""
    text = SURVEY.partition("## Operators")[0]
    rows = [[cell.strip() for cell in line.strip("|").split("|")] for line in text.splitlines()
            if line.startswith("| ")]
    return {name: cells for name, *cells in rows[2:]}


def survey(*words):
    return subprocess.run([sys.executable, ROOT / "tools/survey", "--ordo", ORDO, *words],
                          capture_output=True, text=True, check=False)


def ordo(*words):
    done = subprocess.run([ORDO, *words], capture_output=True, text=True, check=False)
    wanted(done.returncode == 0, words, done.stderr)
    return done.stdout


def winner(cell):
    return re.match(r"\*\*([\w-]+)", cell)[1]


@case("a part of it, made again, is what the document says")
def _():
    done = survey(*(word for place in PART for word in ("--only", place)))
    wanted(done.returncode == 0 and not done.stderr, done.stderr)
    again = tables_of(done.stdout)
    wanted(len(again) == 8 * len(PART), *again)
    for key, cells in again.items():
        wanted(TABLES.get(key) == cells, key, "document:", TABLES.get(key), "now:", cells,
               "tools/survey brings it up to date")


@case("a topology that it does not have is an error")
def _():
    done = survey("--only", "full-mesh,7")
    wanted(done.returncode == 1 and done.stderr ==
           "survey: --only wants topologies of the survey, such as full-mesh,8\n", done.stderr)


@case("the times are those of ordo predict")
def _():
    form, after, ratio = re.fullmatch(r"\*\*(.*)\*\*; ([\w-]+) ([\d.]+)",
                                      TABLES["AllToAll", "dgx-h100:4, 32"][2]).groups()
    times = []
    for name in (form, after):
        document = ordo("compile", "alltoall", "-n", "32", "-a", name, "-t", "dgx-h100:4")
        done = subprocess.run([ORDO, "predict", "-", "-t", "dgx-h100:4", "--size", "1MiB",
                               "--json"], input=document, capture_output=True, text=True,
                              check=True)
        times.append(json.loads(done.stdout)["seconds"])
    wanted(f"{times[1] / times[0]:.2f}" == ratio, form, after, ratio, *times)


@case("the summary has the algorithms of the table, with the cells that they win")
def _():
    names = [one["name"] for one in json.loads(ordo("list", "algorithms", "--json"))["algorithms"]]
    rows = summary()
    # A new one is not in it until the survey is made again.
    wanted(len(rows) > 20 and list(rows) == [name for name in names if name in rows],
           "document:", *rows, "ordo list:", *names)
    for name in rows:
        named = sum(winner(cell) == name for cells in TABLES.values() for cell in cells
                    if cell != "none")
        wanted(int(rows[name][0]) == named, name, rows[name], named)
        wanted((rows[name][4] != "") <= (rows[name][0] == "0"), name, rows[name])


@case("the marks agree with the document")
def _():
    marked = {name for name, cells in summary().items() if cells[4]}
    found = {one["name"]: one["survey"]
             for one in json.loads(ordo("list", "algorithms", "--json"))["algorithms"]}
    wanted({name for name, said in found.items() if said} == marked, marked, found)
    wanted({said for said in found.values() if said} <= {SAID}, found)
    text = ordo("list", "algorithms")
    wanted(len(re.findall(f"survey +{SAID}\n", text)) == len(marked), text)
    for name in found:
        wanted((SAID in ordo("explain", name)) == (name in marked), name)


@case("who is never the fastest and is not marked holds an order of its own")
def _():
    for name, (fastest, _, _, orders, mark) in summary().items():
        wanted(not mark or not orders, name, "is marked, but holds orders")
        wanted(mark or int(fastest) or orders, name, "is not marked, for no reason")


@case("the picture has a cell for every problem, and says of it what the table says")
def _():
    root = xml.etree.ElementTree.fromstring((ROOT / "compiler/survey.svg").read_text())
    space = "{http://www.w3.org/2000/svg}"
    titles = [one.text for one in root.iter(f"{space}title")][1:]
    sizes = ["1KiB", "64KiB", "1MiB", "16MiB", "256MiB"]
    said = {f"{operator}, {place} ranks, {size}: " +
            ("none applies" if cell == "none" else cell.replace("**", ""))
            for (operator, place), cells in TABLES.items() for size, cell in zip(sizes, cells)}
    wanted(len(titles) == len(said) and set(titles) == said,
           *sorted(set(titles) ^ said)[:10])


run_cases()
