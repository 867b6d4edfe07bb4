#!/usr/bin/env python3
"""test_links.py ORDO REJECT - links that are down or there one way only."""
import json

import strict_json
from desk import desk_case
from tap import run_cases, wanted


def links_used(ordo, name):
    return {(one["from"], one["to"])
            for one in ordo.answer("run", name, "--links", "--count", 840)["links"]}


@desk_case(
    "--fail-link: a full mesh is implied, the link is avoided, the document says for what it was "
    "compiled"
)
def _(ordo):
    path = ordo.compile("around.json", "--fail-link", "0-1", ranks=8)
    used = links_used(ordo, "around.json")
    wanted(len(used) == 8 and not {(0, 1), (1, 0)} & used, used)
    wanted("topology" in strict_json.loads(path.read_text()))
    wanted("R1-R12 hold" in ordo.works("verify", "around.json", "--fail-link", "0-1").out)
    straight = ordo.compile("ring.json", ranks=8)
    wanted("topology" not in strict_json.loads(straight.read_text()))
    ordo.fails(1, r"ring.json:\d+:\d+: error\[R12\]: rank 0, .*from rank 0 to rank 1", "verify",
               "ring.json", "--fail-link", "0-1")


@desk_case("--fail-link may be repeated, and take a list")
def _(ordo):
    for words in [["--fail-link", "0-1", "--fail-link", "2-3"], ["--fail-link", "0-1,2-3"],
                  ["--fail-link=1-0", "--fail-link=3-2"]]:
        ordo.compile("x.json", *words, ranks=6)
        used = links_used(ordo, "x.json")
        wanted(not {(0, 1), (1, 0), (2, 3), (3, 2)} & used, used)


@desk_case("three edge-disjoint rings in both directions round a dead link")
def _(ordo):
    ordo.compile("rings.json",
                 "--fail-link",
                 "0-1",
                 ranks=8,
                 algorithm="ring(rings=3,directions=2)")
    used = links_used(ordo, "rings.json")
    wanted(len(used) == 48 and not {(0, 1), (1, 0)} & used, used)
    wanted("bit-equal" in ordo.works("run", "rings.json", "--check", "--fail-link", "0-1").out)


@desk_case("mesh over a dead link says that it cannot, which link it needs, and who can")
def _(ordo):
    ordo.fails(2, r"mesh: .*needs link 0-1 .*\nhint: .*\bring\b", "compile", "allreduce", "-n",
               8, "-a", "mesh", "--fail-link", "0-1")


@desk_case("a ring where there is none: says why")
def _(ordo):
    ordo.fails(2, r"no ring joins all 3 ranks: rank 0 has 1 neighbour", "compile", "allreduce",
               "-n", 3, "-a", "ring", "--fail-link", "0-1")


@desk_case("--fail-link with a link that does not exist, or with no link")
def _(ordo):
    ring = ["compile", "allreduce", "-n", 4, "-a", "ring"]
    ordo.fails(2, r"no link between 0 and 5", *ring, "--fail-link", "0-5")
    ordo.fails(2, r"no link between 0 and 2", *ring, "--topology", "ring", "--fail-link", "0-2")
    for nonsense in ["0", "a-b", "0-", "-1", "0-1-2", ""]:
        ordo.fails(2, r"--fail-link: found .*wanted two ranks such as 0-1", *ring,
                   f"--fail-link={nonsense}")


@desk_case("compile says so if a link that is there one way only is needed both ways")
def _(ordo):
    links = [{"from": a, "to": b, "latency_ns": 1, "bandwidth_gbs": 1} for a in range(4)
             for b in range(4) if a != b and (a, b) != (1, 0)]
    (ordo.folder / "t.json").write_text(
        json.dumps({"schema": "ordo/topology/1", "name": "t", "ranks": 4, "links": links}))
    for operator, algorithm in [("broadcast", "mesh"), ("scatter", "star"), ("broadcast", "tree"),
                                ("allgather", "nhr")]:
        ordo.fails(2, f"error: {algorithm}: needs link 1-0 .*for signals", "compile", operator,
                   "-n", 4, "-a", algorithm, "-t", "t.json")


@desk_case("a network that only links in one direction hold together: compile and tune say so")
def _(ordo):
    links = [{"from": a, "to": (a + 1) % 3, "latency_ns": 1, "bandwidth_gbs": 1} for a in range(3)]
    (ordo.folder / "t.json").write_text(
        json.dumps({"schema": "ordo/topology/1", "name": "t", "ranks": 3, "links": links}))
    message = r"topology t: every path between rank 0 and rank 1 has links that lead one way only"
    for operator in ["allgather", "allreduce", "scatter", "alltoall"]:
        for command in ["compile", "tune"]:
            ordo.fails(2, f"error: {message}\nhint: a Notify answers a move", command, operator,
                       "-t", "t.json", "-o", "set")
    ordo.fails(2, f"hint: {message}", "compile", "allgather", "-t", "t.json", "-a", "ring")


run_cases()
