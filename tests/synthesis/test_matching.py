#!/usr/bin/env python3
"""test_matching.py ORDO - matching: every operator on every network, whole and broken, proved on
it; where nothing else serves, it is chosen."""
import json
import random

from desk import desk_case
from tap import run_cases, wanted

OPERATORS = ("AllReduce", "ReduceScatter", "AllGather", "Scatter", "Gather", "AllToAll")
NETWORKS = (("full-mesh", 5), ("ring", 6), ("star", 4), ("a3:2x4", 8), ("servers:2x4", 8),
            ("torus:3x4", 12), ("hypercube", 16), ("dgx-h100:2", 16), ("mi300x", 8))


def draw_network(draw, ranks):
    """Two-way links that hold the ranks together, of different speeds."""
    links = {}
    for late in range(1, ranks):
        for early in range(late):
            if early == late - 1 or draw.random() < 0.3:
                for pair in ((early, late), (late, early)):
                    links[pair] = draw.choice((10, 20, 50))
    places = draw.sample(range(ranks), ranks)
    return {"schema": "ordo/topology/1", "name": "drawn", "ranks": ranks,
            "links": [{"from": places[a], "to": places[z], "latency_ns": 500,
                       "bandwidth_gbs": speed} for (a, z), speed in links.items()]}


@desk_case("matching: every operator, on every network of `ordo list`, whole and with links down")
def _(ordo):
    draw = random.Random(3)
    broken = 0
    for name, ranks in NETWORKS:
        for failed in range(3):
            words = ["-n", ranks, "-t", name]
            for _ in range(failed):
                rank = draw.randrange(ranks - 1)
                words += ["--fail-link", f"{rank}-{rank + 1}"]
            for operator in OPERATORS:
                done = ordo("compile", operator, *words, "-a", "matching", "-o", "m.json")
                if done.returncode:
                    wanted(failed and ("there is no link" in done.err or "no path" in done.err),
                           words, done.err)
                    continue
                broken += failed > 0
                ordo.works("verify", "m.json", *words[2:])
    wanted(broken > 30, broken)


@desk_case("matching: random networks, proved on them and run; other roots, in place, more chunks")
def _(ordo):
    draw = random.Random(4)
    for number in range(40):
        ranks = draw.randint(2, 9)
        (ordo.folder / "t.json").write_text(json.dumps(draw_network(draw, ranks)))
        operator = OPERATORS[number % len(OPERATORS)]
        words = []
        if operator in ("Scatter", "Gather"):
            words = ["--root", draw.randrange(ranks)]
        elif number % 4 == 1 and operator != "AllToAll":
            words = ["--in-place"]
        elif number % 4 == 2:
            words = ["--chunks", draw.randint(1, 9)]
        ordo.works("compile", operator, "-n", ranks, "-t", "./t.json", *words, "-a", "matching",
                   "-o", "m.json")
        ordo.works("verify", "m.json", "-t", "./t.json")
        ordo.works("run", "m.json", "--check", "--size", "4KiB")


@desk_case("matching: AllToAll where ranks lack links, which needs no algorithm to be named")
def _(ordo):
    for words in (["-n", 8, "-t", "ring"], ["-n", 8, "-t", "torus:2x4"],
                  ["-n", 8, "-t", "hypercube"],
                  ["-n", 8, "-t", "full-mesh", "--fail-link", "0-1", "--fail-link", "0-2"]):
        chosen = ordo.answer("compile", "alltoall", *words, "--size", "1KiB", "-o", "a.json")
        wanted(chosen["algorithm"].startswith("matching"), words, chosen["algorithm"])
        ordo.works("verify", "a.json", *words[2:])


@desk_case("matching: AllReduce uses all links, so it is faster than doubling and rings in between")
def _(ordo):
    words = ["-n", 8, "-t", "hypercube"]
    seconds = {}
    for algorithm in ("matching", "dyadic", "ring(directions=2)"):
        ordo.works("compile", "allreduce", *words, "-a", algorithm, "-o", "a.json")
        seconds[algorithm] = ordo.answer("predict", "a.json", "-t", "hypercube", "--size",
                                         "1MiB")["seconds"]
    wanted(min(seconds, key=seconds.get) == "matching", seconds)
    # A size tries more chunks, unless pieces are given.
    counts = [ordo.answer("compile", "allreduce", *words, "--size", "16MiB", "-a", algorithm, "-o",
                          "a.json")["chunks_per_block"]
              for algorithm in ("matching", "matching(pieces=2)")]
    wanted(counts[0] > 16 and counts[1] == 16, counts)


def make_grid(width, height):
    """Two-way links between neighbours."""
    ends = [(place, place + 1) for place in range(width * height) if (place + 1) % width] + [
        (place, place + width) for place in range(width * (height - 1))]
    return {"schema": "ordo/topology/1", "name": "grid", "ranks": width * height,
            "links": [{"from": a, "to": z, "latency_ns": 500, "bandwidth_gbs": 50}
                      for pair in ends for a, z in (pair, pair[::-1])]}


@desk_case("matching: 100 and more ranks, 200 and more chunks: no link carries more than it must")
def _(ordo):
    (ordo.folder / "grid.json").write_text(json.dumps(make_grid(10, 10)))
    # The fewest links into a rank.
    for name, ranks, pieces, links in (("torus:10x10", 100, 2, 4), ("torus:10x10", 100, 20, 4),
                                       ("grid.json", 100, 2, 2), ("ring", 256, 1, 2),
                                       ("hypercube", 128, 2, 7), ("torus:16x16", 256, 1, 4)):
        topology = "./" + name if name.endswith(".json") else name
        done = ordo.answer("compile", "allgather", "-n", ranks, "-t", topology, "-a",
                           f"matching(pieces={pieces})", "-o", "m.json")
        least = pieces * (ranks - 1)
        wanted(abs(done["bound"]["loads"] - -(-least // links) / (least / links)) < 1e-9, name,
               ranks, pieces, done["bound"])
        ordo.works("verify", "m.json", "-t", topology)
    ordo.works("compile", "reduce-scatter", "-n", 100, "-t", "torus:10x10", "-a",
               "matching(pieces=2)", "-o", "m.json")
    ordo.works("run", "m.json", "--check", "--size", "8KiB")
    # A choice tries it there where nothing else serves.
    chosen = ordo.answer("compile", "alltoall", "-n", 100, "-t", "torus:10x10", "-o", "m.json")
    wanted(chosen["algorithm"] == "matching", chosen["algorithm"])
    ordo.works("verify", "m.json", "-t", "torus:10x10")


@desk_case("matching: what is wrong is named")
def _(ordo):
    ordo.fails(2, "found 1025 ranks, wanted up to 1024", "compile", "allgather", "-n", 1025, "-a",
               "matching")
    ordo.fails(2, "pieces", "compile", "allgather", "-n", 4, "-a", "matching(pieces=1025)")
    ordo.fails(2, "found 102500 chunks on 100 ranks, wanted a product of at most 4194304",
               "compile", "allgather", "-n", 100, "-a", "matching(pieces=1024)", "--chunks", 1025)
    ordo.fails(2, "wanted a product of at most", "compile", "alltoall", "-n", 64, "-a", "matching",
               "--chunks", 1000)
    ordo.fails(2, "matching has no Broadcast", "compile", "broadcast", "-n", 4, "-a", "matching")
    ordo.fails(2, "no path leads from rank 0 to rank 1", "compile", "allgather", "-n", 4, "-t",
               "ring", "--fail-link", "0-1", "--fail-link", "1-2", "-a", "matching")


run_cases()
