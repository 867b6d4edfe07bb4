#!/usr/bin/env python3
"""test_explain.py ORDO REJECT - list, explain and demo."""
import re

from command import OPERATORS
from desk import desk_case
from tap import run_cases, wanted


@desk_case("list and explain know every algorithm, operator, topology, task and rule")
def _(ordo):
    answer = ordo.answer("list")
    names = [one["name"] for one in answer["algorithms"]]
    wanted({"ring", "mesh"} <= set(names), names)
    wanted([one["name"] for one in answer["operators"]] == [*OPERATORS, "Custom"],
           answer["operators"])
    wanted({"full-mesh", "ring", "star"} <= {one["name"] for one in answer["topologies"]})
    text = ordo.works("list").out
    for name in names + OPERATORS:
        wanted(name in text, name)
        wanted(name.lower() in ordo.works("explain", name).out.lower(), name)
    for name in names:
        wanted(
            "parameters" in ordo.works("list", name).out
            or "source" in ordo.works("list", name).out, name)
    told = ordo.works("list", "birs").out
    wanted("birs(servers=#,fold=owner), with # the number of servers" in told
           and "  birs\n" in told, told)
    wanted("mesh(shots=1,fold=linear)" in ordo.answer("explain", "mesh")["variants"]
           and not ordo.answer("list", "dyadic")["variants"])
    for kind in ["LocalCopy", "LocalReduce", "Send", "SendReduce", "Notify", "Wait"]:
        wanted(ordo.works("explain", kind).out.startswith(kind), kind)
    for name, title, command in [("G1", "rank-equal", "verify"), ("G2", "run-to-run", "verify"),
                                 ("g3", "position-invariant", "compile"),
                                 ("G4", "placement-invariant", "diff"),
                                 ("rank-count-invariant", "rank-count-invariant", "--shards")]:
        told = ordo.works("explain", name).out
        wanted(re.match(f"G[1-5], {title}: ", told) and command in told, name, told)
    wanted(
        len(ordo.answer("explain")["guarantees"]) == 5
        and "G3   position-invariant" in ordo.works("explain").out)
    for rule in range(1, 14):
        wanted(ordo.works("explain", f"R{rule}").out.startswith(f"R{rule}, "), rule)


@desk_case("explain tells a schedule in words, with its reduction trees")
def _(ordo):
    ordo.compile("ring.json")
    out = ordo.works("explain", "ring.json").out
    wanted("AllReduce" in out and re.search(r"\(.*0.*\+.*\)", out), out)


@desk_case("demo: compiled, proved, drawn and run, over three rings round the dead link")
def _(ordo):
    out = ordo.works("demo").out
    for word in ["0-1", "proved", "bit-equal"]:
        wanted(word in out, word, out)


run_cases()
