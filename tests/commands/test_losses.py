#!/usr/bin/env python3
"""test_losses.py ORDO REJECT - switches that are down, and ranks that are gone."""
import json

import strict_json
from desk import desk_case
from tap import run_cases, wanted


def links_of(ordo, *words):
    """(from, to, class, latency, bandwidth) of what is up in a topology, as a document."""
    ordo.works("draw", *words, "--as", "json", "-o", "drawn.json")
    document = strict_json.loads((ordo.folder / "drawn.json").read_text())
    return {(one["from"], one["to"], one.get("class"), one["latency_ns"], one["bandwidth_gbs"])
            for one in document["links"] if not one.get("down")}, document


@desk_case("--fail-rank leaves the links of the others under their new numbers, switches included")
def _(ordo):
    for topology, ranks in [("torus:4x4", 16), ("dgx-a100:2", 16), ("star", 5)]:
        whole, before = links_of(ordo, "-t", topology, "-n", ranks)
        left, after = links_of(ordo, "-t", topology, "-n", ranks, "--fail-rank", "3,1")
        number = {old: new for new, old in enumerate(
            [v for v in range(ranks + before.get("switches", 0)) if v not in (1, 3)])}
        wanted(left == {(number[a], number[b], *rest) for a, b, *rest in whole
                        if a in number and b in number}, topology)
        wanted(after["ranks"] == ranks - 2 and
               after.get("switches") == before.get("switches") and
               after.get("ports") == before.get("ports"), topology)


@desk_case("--fail-rank prints the map from old to new, and --fail-link keeps old numbers")
def _(ordo):
    words = ["--fail-rank", "0", "--fail-rank", "5", "--fail-link", "1-7"]
    done = ordo.works("compile", "allreduce", "-n", 8, *words, "-o", "left.json")
    shown = "ranks, old -> new: 0 gone, 1-4 -> 0-3, 5 gone, 6-7 -> 4-5"
    wanted(done.err.count(shown) == 1, done.err)
    answer = ordo.answer("verify", "left.json", *words)
    wanted(answer["rank_map"] == [None, 0, 1, 2, 3, None, 4, 5] and answer["proved"] and
           answer["ranks"] == 6 and answer["notes"] == [shown], answer)
    used = {(one["from"], one["to"]) for one in
            ordo.answer("run", "left.json", "--links", "--count", 840)["links"]}
    wanted(used and not {(0, 5), (5, 0)} & used, used)
    for command in ["predict", "run", "draw"]:
        wanted(ordo.works(command, "left.json", *words).err.count(shown) == 1, command)
    wanted("bit-equal" in ordo.works("run", "left.json", "--check", *words).out)
    ordo.fails(1, r"R12", "verify", ordo.compile("mesh.json", ranks=6, algorithm="mesh"), *words)


@desk_case("--fail-rank: the root keeps its old number on the command line")
def _(ordo):
    ordo.compile("left.json", "--fail-rank", "2", "--root", "5", operator="reduce", ranks=8)
    document = strict_json.loads((ordo.folder / "left.json").read_text())
    wanted(document["root"] == 4 and document["ranks"] == 7, document["root"])
    ordo.fails(2, "found 5, which is the root", "compile", "reduce", "-n", 8, "--root", 5,
               "--fail-rank", 5)
    bound = ordo.answer("bound", "broadcast", "-t", "torus:4x4", "--fail-rank", 2, "--root", 15)
    wanted(bound["ranks"] == 15 and bound["root"] == 14, bound)


@desk_case("--fail-rank counts in tune, bound, draw, plan sets and generated programs too")
def _(ordo):
    wanted(ordo.answer("tune", "allreduce", "-n", 5, "--fail-rank", 4, "--sizes", "1:64",
                       "-o", "set")["ranks"] == 4)
    wanted(ordo.answer("verify", "set", "--fail-rank", 0)["ranks"] == 4)
    ordo.works("compile", "allreduce", "-n", 5, "--fail-rank", 4, "--sizes", "1:64", "-o", "set2")
    wanted(ordo.answer("verify", "set2")["ranks"] == 4)
    wanted("on 6 ranks" in ordo.works("verify", "--generate", "ring", "-n", 8, "--fail-rank",
                                      "0-1").out)
    wanted("3 ranks" in ordo.works("bound", "allgather", "-n", 4, "--fail-rank", 0).out)


@desk_case("--fail-switch takes down what a switch joins, and nothing else")
def _(ordo):
    whole, before = links_of(ordo, "-t", "dgx-a100:2", "-n", 16)
    left, after = links_of(ordo, "-t", "dgx-a100:2", "-n", 16, "--fail-switch", 19)
    wanted(left == {one for one in whole if 19 not in one[:2]} and len(left) < len(whole))
    wanted(len(after["links"]) == len(before["links"]) and after["ranks"] == 16)
    ordo.works("compile", "allreduce", "-t", "dgx-a100:2", "-n", 16, "--fail-switch", "19,20",
               "-o", "x.json")
    wanted("R1-R12 hold" in ordo.works("verify", "x.json", "-t", "dgx-a100:2", "--fail-switch", 19,
                                       "--fail-switch", 20).out)


@desk_case("ranks and switches that do not exist, are given twice, or are all there is")
def _(ordo):
    words = ["compile", "allreduce", "-n", 4, "-t", "star"]
    for message, *failed in [
            (r"--fail-rank: found 4, wanted a rank of 0\.\.3", "--fail-rank", 4),
            (r"--fail-rank: found 2 twice", "--fail-rank", 2, "--fail-rank", "1,2"),
            (r"--fail-rank: all 4 ranks are gone", "--fail-rank", "0-3"),
            (r"--fail-rank: found x, wanted numbers", "--fail-rank", "x"),
            (r"--fail-switch: found 5, wanted 4, the only switch of star", "--fail-switch", 5),
            (r"--fail-switch: found 3.*\nhint: 3 is a rank: --fail-rank 3", "--fail-switch", 3),
            (r"--fail-switch: found 4 twice", "--fail-switch", 4, "--fail-switch", 4),
            (r"in parts: no path between rank 0 and rank 1 is left", "--fail-switch", 4),
            (r"in parts: no path between rank 0 and rank 2", "-t", "ring", "--fail-rank", "1,3"),
            (r"found 9, but full-mesh has no switch", "-t", "full-mesh", "--fail-switch", 9)]:
        ordo.fails(2, message, *words, *failed)
        wanted("error" in ordo.answer(*words, *failed))
    ordo.fails(2, r"--fail-rank: found 16, wanted a rank of 0\.\.15", "bound", "allgather", "-t",
               "torus:4x4", "--fail-rank", 16)
    ordo.fails(2, r"--fail-rank: all 4 ranks", "bound", "allgather", "-t", "torus:2x2",
               "--fail-rank", "0-3")


@desk_case("a document of a topology loses a rank with its costs and its links that are down")
def _(ordo):
    links = [{"from": a, "to": b, "latency_ns": 7, "bandwidth_gbs": 3, "reduce_gbs": 2,
              "down": {a, b} == {1, 3}} for a in range(4) for b in range(4) if a != b]
    document = {"schema": "ordo/topology/1", "name": "t", "ranks": 4, "task_ns": 5,
                "reduce_gbs": 4, "links": links}
    (ordo.folder / "t.json").write_text(json.dumps(document))
    _, after = links_of(ordo, "-t", "t.json", "--fail-rank", 0)
    wanted(after["task_ns"] == 5 and after["reduce_gbs"] == 4 and after["ranks"] == 3, after)
    wanted({(one["from"], one["to"]) for one in after["links"] if one.get("down")} ==
           {(0, 2), (2, 0)} and all(one["reduce_gbs"] == 2 for one in after["links"]), after)


run_cases()
