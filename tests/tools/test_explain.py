#!/usr/bin/env python3
"""What `ordo explain` tells is true: its examples do what it says of them.

usage: test_explain.py ORDO"""
import os
import pathlib
import re
import subprocess

import strict_json
from console import agree, run_as_typed, steps_of
from desk import ORDO, desk_case
from tap import run_cases, wanted

# By hand, to be compared with what `ordo explain all` lists.
RULES = [f"R{number}" for number in range(1, 14)]
GUARANTEES = [f"G{number}" for number in range(1, 6)]
TERMS = {
    "chunk", "slot", "signal", "stream", "phase", "digest", "plan", "plan set", "shard", "block",
    "order"
}


@desk_case(
    "the example of every rule breaks that rule and no other, and the message is what verify prints"
)
def _(ordo):
    for rule in RULES:
        told = ordo.works("explain", rule).out
        command = re.search(r"^\$ ordo (verify .*)$", told, re.M)[1].split()
        wanted(f"$ ordo explain {rule} --write-example {rule}.json\n" in told, told)
        ordo.works("explain", rule, "--write-example", f"{rule}.json")
        done = ordo(*command)
        wanted(done.returncode == (3 if rule == "R1" else 1), rule, done.returncode, done.err)
        broken = re.findall(r"error\[(R\d+)\]", done.err)
        wanted(broken and set(broken) == {rule}, rule, done.err)
        message = told.split(" ".join(command) + "\n")[1]
        wanted(message and done.err.startswith(message), rule, "told:", message, "printed:",
               done.err)
        # The lines shown are those of the document, numbered as the message numbers them.
        lines = (ordo.folder / f"{rule}.json").read_text().splitlines()
        shown = re.findall(r"^ +(\d+) (.*)$", told, re.M)
        wanted(
            len(shown) >= 8 and all(lines[int(number) - 1] == line for number, line in shown), rule,
            told)
        tasks = [line for line in lines if '"task"' in line]
        wanted(tasks == [line for _, line in shown if '"task"' in line], rule, told)
        place = re.search(rf"{rule}\.json:(\d+):", message)
        wanted(not place or place[1] in [number for number, _ in shown], rule, message)


@desk_case("repaired, the example of a rule is proved: it is that one thing which is wrong")
def _(ordo):
    ordo.works("explain", "R12", "--write-example", "x.json")
    ordo.works("verify", "x.json")
    repairs = {
        "R1": ('"chunk": 0, "signal"', '"signal"'),
        "R3": ('"dst": ["output", 1]', '"dst": ["output", 0]'),
        "R10": ('"src": ["scratch", 0]', '"src": ["input", 0]')
    }
    for rule, (wrong, right) in repairs.items():
        ordo.works("explain", rule, "--write-example", "x.json")
        text = (ordo.folder / "x.json").read_text()
        wanted(text.count(wrong) == 1, rule, text)
        (ordo.folder / "x.json").write_text(text.replace(wrong, right))
        ordo.works("verify", "x.json")


@desk_case("the commands of every guarantee's example print what is shown")
def _(ordo):
    for guarantee in GUARANTEES:
        told = ordo.works("explain", guarantee).out
        block = told.split("\nexample ")[1]
        steps = list(steps_of(block))
        wanted(
            len(steps) >= 2 and re.search(r"does not hold|differs|different", block), guarantee,
            told)
        for command, shown in steps:
            printed = run_as_typed(command, ordo.folder, ORDO)
            wanted(agree(shown, printed), guarantee, command, "shown:", *shown, "printed:",
                   *printed)
        wanted(ordo.answer("explain", guarantee)["transcript"] in told)


@desk_case(
    "every algorithm: in words, when to choose it, and an example that is what its command prints")
def _(ordo):
    for facts in ordo.answer("list", "algorithms")["algorithms"]:
        name = facts["name"]
        told, answer = ordo.works("explain", name), ordo.answer("explain", name)
        wanted(
            len(answer["how"]) > 60 and len(answer["when"]) > 40
            and all(answer[key] for key in ["steps", "volume", "order", "source"]), answer)
        wanted(f"\nhow       {answer['how'].split()[0]}" in told.out and "\nwhen      " in told.out,
               told.out)
        command = re.search(r"^example +(ordo compile .*)$", told.out, re.M)[1]
        printed = run_as_typed(command.replace("|", "2>/dev/null |"), ordo.folder, ORDO)
        wanted(
            answer["example"].splitlines() == [
                line for line in printed if not line.startswith(("note: ", "in the table: "))
            ], name, command, answer["example"], printed)
        wanted(answer["example"] in told.out and "step 1" in answer["example"], name)
        ordo.works("explain", name, "--write-example", "x.json")
        wanted("on 4 ranks by " + name in ordo.works("verify", "x.json").out)


@desk_case("every topology has an example, counted as it is; every operator, task and term has one")
def _(ordo):
    index = ordo.answer("explain", "all")
    wanted(TERMS <= {one["name"] for one in index["terms"]}, index["terms"])
    for one in index["topologies"]:
        topology = ordo.answer("explain", one["name"])["topology"]
        wanted(len(topology["how"]) > 30 and topology["where"], topology)
        ordo.works("draw", "--topology", topology["sample"], "--ranks", 8, "-o", "t.json")
        drawn = strict_json.loads((ordo.folder / "t.json").read_text())
        wanted(
            len(drawn["links"]) == topology["links"]
            and drawn.get("switches", 0) == topology["switches"], topology, drawn)
    for kind in ["tasks", "operators", "terms"]:
        for one in index[kind]:
            answer = ordo.answer("explain", one["name"])
            wanted(len(answer["example"]) > 5 and answer["exit code"] == 0, one, answer)
            if kind == "tasks":
                task = strict_json.loads(answer["example"])
                wanted(task["task"] == one["name"], answer)
    for one in index["terms"]:
        example = ordo.answer("explain", one["name"])["example"]
        if example.startswith("ordo compile"):
            ordo.works(*example.split()[1:])


@desk_case("the index has all there is, and each of it can be asked for, in any case")
def _(ordo):
    index, text = ordo.answer("explain"), ordo.works("explain").out
    wanted(index == ordo.answer("explain", "all") and text == ordo.works("explain", "ALL").out)
    wanted([one["name"] for one in index["rules"]] == RULES
           and [one["name"] for one in index["guarantees"]] == GUARANTEES)
    listed = ordo.answer("list")
    for kind in ["algorithms", "topologies", "operators"]:
        wanted([one["name"] for one in index[kind]] == [one["name"] for one in listed[kind]], kind)
    for kind in ["rules", "guarantees", "tasks", "operators", "algorithms", "topologies", "terms"]:
        for one in index[kind]:
            wanted(re.search(rf"^{re.escape(one['name'])} +{re.escape(one['title'])}$", text, re.M),
                   one)
            told = ordo.works("explain", one["name"].upper()).out
            # What is said of it is cut into lines; messages, tables and parameters stand as they
            # are.
            words = told.split("\n\n", 1)[1].split("\n\n")[0]
            wanted(
                kind == "operators"
                or words and all(len(line) <= 120 for line in words.splitlines()), one, told)
    wanted(ordo.works("explain", "plan", "set").out == ordo.works("explain", "plan set").out)


@desk_case("an example can be written where there is one: exit codes, and nothing half-written")
def _(ordo):
    for guarantee in ["G1", "G2"]:
        ordo.works("explain", guarantee, "--write-example", "g.json")
        ordo.works("verify", "g.json", "--atomic-reduce")
    before = ordo.names()
    for what in ["G3", "slot", "torus", "AllReduce", "Wait", "all"]:
        ordo.fails(2, "hint: ", "explain", what, "--write-example", "y.json")
    ordo.fails(5, "cannot write", "explain", "R8", "--write-example", "no/such/folder.json")
    ordo.fails(5, "cannot write", "explain", "ring", "--write-example", "no/such/folder.json")
    ordo.fails(5, "cannot write", "explain", "R8", "--write-example", "/dev/full")
    wanted(ordo.names() == before, ordo.names())
    ordo.fails(2, r"there is no explanation of slto\nhint: did you mean slot\?", "explain", "slto")
    ordo.fails(2, "one thing at a time", "explain", "R8", "R9")
    wanted("\033" not in ordo.works("explain", "R8", environment={"NO_COLOR": "1"}).out)


run_cases()
