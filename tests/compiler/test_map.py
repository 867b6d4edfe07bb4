#!/usr/bin/env python3
"""test_map.py ORDO - algorithms with their ranks renumbered: the same schedule on other ranks, and
maps that are found where links are missing."""
import itertools
import json
import random
import re

from desk import desk_case
from tap import run_cases, wanted

ALGORITHMS = ("ring", "ring(directions=2)", "mesh", "star", "tree", "tree(shape=double-binary)",
              "nhr", "nb", "rhd", "recursive-doubling", "halving-doubling", "birs", "alltoall",
              "dyadic", "packing", "placed", "hierarchical(mesh,nhr,sizes=[4,2])")
OPERATORS = ("AllReduce", "Reduce", "Broadcast", "ReduceScatter", "AllGather", "Scatter", "Gather",
             "AllToAll")
PAIRS = ["--fail-link", "0-1", "--fail-link", "2-3", "--fail-link", "4-5", "--fail-link", "6-7"]


def with_map(algorithm, order):
    settings = f"map={order}".replace(" ", "")
    if algorithm.endswith(")"):
        return f"{algorithm[:-1]},{settings})"
    return f"{algorithm}({settings})"


def tree_of(text, order):
    """Nested sets, because a sum and its mirror image have the same bits."""
    text = re.sub(r"\d+", lambda rank: str(order[int(rank[0])]), text)
    text = re.sub(r"(?<=[(+])(\d+)(?=[+)])", r'"\1"', text).replace("(", "[").replace(")", "]")

    def sets(node):
        return node if isinstance(node, str) else frozenset(map(sets, node))
    return sets(json.loads(text.replace("+", ",")))


def counts(path):
    """Sends of chunks between ranks: {(kind, from, to): chunks}."""
    found = {}
    for program in json.loads(path.read_text())["programs"]:
        for stream in program["streams"]:
            for task in stream["tasks"]:
                if task["task"] in ("Send", "SendReduce"):
                    key = task["task"], program["rank"], task["peer"]
                    found[key] = found.get(key, 0) + task.get("count", 1)
    return found


@desk_case("map=[...]: all algorithms and operators, the same chunks between the renumbered ranks")
def _(ordo):
    draw = random.Random(5)
    compiled = 0
    for operator, algorithm, words in itertools.product(
            OPERATORS, ALGORITHMS, ([], ["--in-place"], ["--shards", 16], ["--root", 3],
                                    ["--chunks", 3])):
        order = draw.sample(range(8), 8)
        root = order[3] if words == ["--root", 3] else order[0]
        rooted = operator in ("Reduce", "Broadcast", "Scatter", "Gather")
        plain = ordo("compile", operator, "-n", 8, "-a", algorithm, *words, "-o", "plain.json")
        moved = [*(words if words != ["--root", 3] else []), *(["--root", root] if rooted else [])]
        if plain.returncode:
            continue
        ordo.works("compile", operator, "-n", 8, "-a", with_map(algorithm, order), *moved, "-o",
                   "map.json")
        wanted(counts(ordo.folder / "map.json") ==
               {(kind, order[a], order[z]): chunks
                for (kind, a, z), chunks in counts(ordo.folder / "plain.json").items()},
               operator, algorithm, words, order)
        compiled += 1
    wanted(compiled > 200, compiled)


@desk_case("map=[...]: the orders of sums are those of the algorithm, with renumbered ranks")
def _(ordo):
    draw = random.Random(6)
    for algorithm in ("ring", "mesh", "star", "tree", "recursive-doubling", "birs", "dyadic"):
        order = draw.sample(range(8), 8)
        ordo.compile("plain.json", ranks=8, algorithm=algorithm)
        ordo.compile("map.json", ranks=8, algorithm=with_map(algorithm, order))
        plain, renumbered = ([one["tree"] for one in ordo.answer("order", name)["orders"]]
                             for name in ("plain.json", "map.json"))
        wanted({tree_of(tree, order) for tree in plain} ==
               {tree_of(tree, range(8)) for tree in renumbered}, algorithm, order, plain,
               renumbered)
        ordo.works("run", "map.json", "--check")


@desk_case("map=auto: around dead links, with the map in the document, the same in every call")
def _(ordo):
    mesh = ["-n", 8, "-t", "full-mesh", *PAIRS]
    ordo.fails(2, "needs link", "compile", "allreduce", *mesh, "-a", "recursive-doubling")
    for _ in range(2):
        ordo.works("compile", "allreduce", *mesh, "-a", "recursive-doubling(map=auto)", "-o",
                   "auto.json")
    first = (ordo.folder / "auto.json").read_text()
    found = json.loads(first)["algorithm"]
    wanted(re.fullmatch(r"recursive-doubling\(map=\[[0-7,]+\]\)", found), found)
    ordo.works("compile", "allreduce", *mesh, "-a", found, "-o", "again.json")
    wanted(first == (ordo.folder / "again.json").read_text(), "the same bytes")
    ordo.works("verify", "auto.json", "--require", "G3", *mesh[2:])
    chosen = ordo.answer("compile", "allreduce", *mesh, "--size", "1KiB", "-o", "chosen.json")
    wanted(chosen["algorithm"] == found, chosen["algorithm"])


@desk_case("map=auto: ranks stay where they are if that is as good, and move to faster links")
def _(ordo):
    ordo.works("compile", "allreduce", "-n", 8, "-t", "hypercube", "-a",
               "recursive-doubling(map=auto)", "-o", "cube.json")
    wanted(json.loads((ordo.folder / "cube.json").read_text())["algorithm"] ==
           "recursive-doubling", "the numbers of a hypercube")
    pairs = {(rank, rank ^ 4) for rank in range(8)}
    (ordo.folder / "pairs.json").write_text(json.dumps({
        "schema": "ordo/topology/1", "name": "pairs", "ranks": 8, "links": [
            {"from": a, "to": z, "latency_ns": 1000,
             "bandwidth_gbs": 200 if (a, z) in pairs else 20}
            for a in range(8) for z in range(8) if a != z]}))
    times = []
    for algorithm in ("birs", "birs(map=auto)"):
        ordo.works("compile", "allreduce", "-n", 8, "-t", "./pairs.json", "-a", algorithm, "-o",
                   "birs.json")
        times.append(ordo.answer("predict", "birs.json", "-t", "./pairs.json", "--size",
                                 "16MiB")["seconds"])
    wanted(times[1] < 0.9 * times[0], times)


@desk_case("map: what is wrong with it is named")
def _(ordo):
    for order in ("[0,1]", "[0,0,1,2]", "[0,1,2,4]", "[[0,1,2,3],[0]]"):
        ordo.fails(2, re.escape(f"map: found {order}, wanted 4 different ranks of 0..3"), "compile",
                   "allreduce", "-n", 4, "-a", f"ring(map={order})")
    for algorithm, ranks, words, said in (
            ("ring(map=x)", 4, [], "wanted none.auto"),
            ("hierarchical(mesh(map=auto),mesh,sizes=[2,2])", 4, [], "found a map of mesh"),
            ("ring(map=auto)", 4, ["--shards", 6], "6 shards on 4 ranks"),
            ("nhr(map=auto)", 65, ["-t", "full-mesh"], "up to 64"),
            ("mesh(map=auto)", 4, ["-t", "ring"], "no order of ranks gives mesh all its links")):
        ordo.fails(2, said, "compile", "allreduce", "-n", ranks, "-a", algorithm, *words)


run_cases()
