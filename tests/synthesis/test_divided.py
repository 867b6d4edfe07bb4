#!/usr/bin/env python3
"""test_divided.py ORDO glpk|none - packing(method=lp): an AllReduce whose sums and results share
links as a linear program says; or, without GLPK, that it is refused."""
import itertools
import json
import random
import sys
from fractions import Fraction

from desk import desk_case
from tap import run_cases, wanted

HAS_GLPK = sys.argv[2] == "glpk"


def topology_of(nrank, links, switches=0):
    """links: (from, to, GB/s)"""
    return {"schema": "ordo/topology/1", "name": "t", "ranks": nrank, "switches": switches,
            "links": [{"from": a, "to": b, "latency_ns": 1, "bandwidth_gbs": width}
                      for a, b, width in links]}


def direct(number):
    """A ring, and some chords, each of other widths in its two directions."""
    draw = random.Random(number)
    n = 3 + number % 4
    pairs = {(a, b) for a in range(n) for b in range(a)
             if a - b == 1 or (b == 0 and a == n - 1) or draw.random() < 0.6}
    return topology_of(n, [(*ends, draw.choice([10, 20, 40, 60])) for a, b in sorted(pairs)
                           for ends in ((a, b), (b, a))])


def switched(number):
    """Ranks at one switch or two, with links of other widths in their two directions."""
    draw = random.Random(number)
    n, switches = 4 + number % 3, 1 + number % 2
    links = [(*ends, draw.choice([10, 20, 40])) for rank in range(n)
             for ends in ((rank, n + rank % switches), (n + rank % switches, rank))]
    links += [(n, n + 1, 40), (n + 1, n, 20)] if switches == 2 else []
    return topology_of(n, links, switches)


# The first two send some results past the switch over which they would send sums. In the others
# batches of portions that span both switches are undone while these are split off.
AWKWARD = [
    topology_of(5, [(0, 5, 40), (5, 0, 10), (1, 5, 10), (5, 1, 10), (2, 5, 10), (5, 2, 20),
                    (3, 5, 40), (5, 3, 10), (4, 5, 10), (5, 4, 10), (0, 1, 10), (1, 0, 10)],
                    1),
    topology_of(5, [(0, 5, 20), (5, 0, 10), (1, 5, 40), (5, 1, 10), (2, 5, 20), (5, 2, 10),
                    (3, 5, 10), (5, 3, 20), (4, 5, 10), (5, 4, 40), (0, 1, 10), (1, 0, 10)],
                    1),
    topology_of(4, [(0, 4, 40), (4, 0, 40), (1, 5, 40), (5, 1, 40), (2, 4, 40), (4, 2, 40),
                    (3, 5, 40), (5, 3, 20), (4, 5, 20), (5, 4, 20)], 2),
    topology_of(5, [(0, 5, 10), (5, 0, 10), (1, 6, 40), (6, 1, 20), (2, 5, 10), (5, 2, 10),
                    (3, 6, 20), (6, 3, 40), (4, 5, 40), (5, 4, 20), (5, 6, 40), (6, 5, 40)],
                    2)]


def partitions(ranks):
    """All partitions of a list into sets."""
    if not ranks:
        yield []
        return
    for rest in partitions(ranks[1:]):
        yield [[ranks[0]], *rest]
        for i, one in enumerate(rest):
            yield [*rest[:i], [ranks[0], *one], *rest[i + 1:]]


def least_time(topology):
    """No AllReduce takes less, in n over GB/s: of p sets of ranks 2 (p - 1) vectors leave, and one
    vector leaves any set."""
    n, switches = topology["ranks"], range(topology["ranks"],
                                           topology["ranks"] + topology["switches"])

    def leaving(ranks):
        return min(sum(link["bandwidth_gbs"] for link in topology["links"]
                       if link["from"] in {*ranks, *some} and link["to"] not in {*ranks, *some})
                   for count in range(len(switches) + 1)
                   for some in itertools.combinations(switches, count))
    return max(max(Fraction(2 * (len(sets) - 1), sum(map(leaving, sets))),
                   *(Fraction(1, leaving(one)) for one in sets))
               for sets in partitions(list(range(n))) if len(sets) > 1)


def way_of(topology, a, b):
    """The links of the only shortest way between two ranks."""
    ends = {(link["from"], link["to"]) for link in topology["links"]}
    switches = range(topology["ranks"], topology["ranks"] + topology["switches"])
    for hops in range(3):
        ways = [way for way in ([a, *middle, b]
                                for middle in itertools.permutations(switches, hops))
                if all(pair in ends for pair in zip(way, way[1:]))]
        if ways:
            wanted(len(ways) == 1, a, b, ways)
            return list(zip(ways[0], ways[0][1:]))
    return wanted(False, a, b)


def load_of(document, topology):
    """The time of the busiest link, in n over GB/s."""
    widths = {(link["from"], link["to"]): Fraction(link["bandwidth_gbs"])
              for link in topology["links"]}
    loads = {}
    for program in document["programs"]:
        for task in (task for stream in program["streams"] for task in stream["tasks"]):
            if task["task"] in ("Send", "SendReduce"):
                for link in way_of(topology, program["rank"], task["peer"]):
                    loads[link] = loads.get(link, 0) + task.get("count", 1)
    return max(load / widths[link] for link, load in loads.items()) / document["chunks_per_block"]


def compiled(ordo, topology, settings, *words):
    (ordo.folder / "t.json").write_text(json.dumps(topology))
    ordo.works("compile", "allreduce", "-t", "t.json", "-n", topology["ranks"], "-a",
               f"packing({settings})", *words, "-o", "p.json")
    ordo.works("verify", "p.json", "-t", "t.json")
    return load_of(json.loads((ordo.folder / "p.json").read_text()), topology)


def compare(ordo, topologies, most, settings):
    """The times over the bound of both methods, that of method=lp up to `most`."""
    ratios = []
    for topology in topologies:
        least = least_time(topology)
        before = compiled(ordo, topology, settings) / least
        after = compiled(ordo, topology, f"method=lp,{settings}") / least
        wanted(1 <= after <= before and after <= most, topology, float(before), float(after))
        wanted("bit-equal" in ordo.works("run", "p.json", "--check", "--count", 840, "-t",
                                         "t.json").out)
        ratios.append((before, after))
    return ratios


def solver_case(sentence):
    """A case that a build without GLPK leaves out."""
    return desk_case(sentence) if HAS_GLPK else lambda function: function


@solver_case("links between ranks: method=lp takes what the bound says, where ReduceScatter, then "
             "AllGather, takes 1.1 to 1.7 times that")
def _(ordo):
    ratios = compare(ordo, [direct(number) for number in range(24)], Fraction(1001, 1000),
                     "pieces=4")
    before = sum(ratio[0] for ratio in ratios) / len(ratios)
    wanted(before > Fraction(5, 4), float(before))


@solver_case("switches: method=lp takes up to a fiftieth more than the bound")
def _(ordo):
    ratios = compare(ordo, [switched(number) for number in range(18)] + AWKWARD, Fraction(51, 50),
                     "pieces=2,sums=apart")
    before = sum(ratio[0] for ratio in ratios) / len(ratios)
    wanted(before > Fraction(5, 4), float(before))


@solver_case("method=lp is never slower: a ring that no bound of cuts holds, links as wide both "
             "ways, networks with failed links")
def _(ordo):
    ring = [(0, 1, 20), (1, 0, 20), (1, 2, 10), (2, 1, 60), (2, 3, 20), (3, 2, 40), (3, 0, 10),
            (0, 3, 40)]
    even = [(a, b, 56) for a in range(6) for b in range(6) if a != b and {a, b} != {0, 1}]
    for topology in (topology_of(4, ring), topology_of(6, even), topology_of(2, [(0, 1, 10),
                                                                                  (1, 0, 20)])):
        for settings in ("pieces=2", "pieces=1,k=3", "k=6,pieces=3"):
            wanted(compiled(ordo, topology, f"method=lp,{settings}")
                   <= compiled(ordo, topology, settings), topology, settings)
    for links in ([], ["--fail-link", "0-16"],
                  ["--fail-link", "0-16", "--fail-link", "4-16", "--fail-link", "8-16"]):
        loads = [ordo.answer("compile", "allreduce", "-n", 16, "-t", "servers:4x4", *links, "-a",
                             f"packing(method={method})", "-o", "p.json")["bound"]["loads"]
                 for method in ("lp", "trees")]
        wanted(loads[0] <= loads[1], links, loads)
    wanted(loads[0] < 1.01 < 1.08 < loads[1], loads)


@solver_case("method=lp: the same bytes again; k is of all roots together; 15 digits; too little "
             "memory is said before it is begun")
def _(ordo):
    draw = random.Random(15)
    topology = topology_of(6, [(a, b, draw.randrange(10**15, 2 * 10**15) / 10**14)
                               for a in range(6) for b in range(6) if a != b])
    texts = []
    for settings in ("method=lp,k=20,pieces=1", "method=lp,k=20,pieces=1", "k=20,pieces=1"):
        compiled(ordo, topology, settings)
        texts.append((ordo.folder / "p.json").read_text())
    wanted(texts[0] == texts[1])
    wanted(json.loads(texts[0])["chunks_per_block"] == 20 and
           json.loads(texts[2])["chunks_per_block"] == 120)
    ordo.works("compile", "allreduce", "-t", "t.json", "-n", 6, "-a", "packing(method=lp)",
               "--chunks", 31, "-o", "p.json")
    ordo.works("verify", "p.json", "-t", "t.json")
    ordo.fails(5, "solving the linear program takes about 2.987 MiB of memory",
               "compile", "allreduce", "-t", "t.json", "-n", 6, "-a", "packing(method=lp)",
               "--memory-limit", "2MiB", "-o", "p.json")


@desk_case("method=lp is for AllReduce with shares=any; a choice never takes it")
def _(ordo):
    (ordo.folder / "t.json").write_text(json.dumps(direct(5)))
    words = ["-t", "t.json", "-n", 4]
    for operator, settings in (("allgather", "method=lp"), ("reduce", "method=lp"),
                               ("allreduce", "method=lp,shares=even")):
        ordo.fails(2, "found method=lp, which is for allreduce with shares=any", "compile",
                   operator, *words, "-a", f"packing({settings})", "-o", "p.json")
    ordo.works("compile", "allreduce", *words, "--size", "1GiB", "-o", "p.json")
    wanted("method" not in json.loads((ordo.folder / "p.json").read_text())["algorithm"])
    wanted(ordo.names() == ["p.json", "t.json"], ordo.names())


if not HAS_GLPK:
    @desk_case("without GLPK method=lp is refused, whatever the network")
    def _(ordo):
        for topology in ("full-mesh", "star"):
            ordo.fails(5, r"method=lp needs GLPK.*\nhint: install .*libglpk-dev", "compile",
                       "allreduce", "-t", topology, "-n", 4, "-a", "packing(method=lp)", "-o",
                       "p.json")
        wanted(ordo.names() == [], ordo.names())

run_cases()
