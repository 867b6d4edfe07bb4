#!/usr/bin/env python3
"""test_never_slower.py ORDO TOPOLOGY:RANKS... - what `compile` chooses by size is never slower, as
`predict` has it, than the best of the algorithms that can be named there, each with the K that is
best for it: powers of 4 from 1 KiB to 1 GiB."""
import json
import sys

from desk import desk_case
from tap import run_cases, wanted

OPERATORS = ["allreduce", "allgather", "reduce-scatter", "broadcast", "reduce", "alltoall",
             "scatter", "gather"]
SIZES = [4 ** power for power in range(5, 16)]
# Many chunks are tried only where fewer promise to gain a 512th by them.
SAME = 1 + 1 / 256


def predicted(ordo, operator, where, size, algorithm=None):
    """Seconds of the schedule that is compiled, by its document; None: it is refused."""
    named = ["-a", algorithm] if algorithm else []
    done = ordo("compile", operator, *where, *named, "--size", size, "-o", "s.json")
    if done.returncode:
        wanted(algorithm and done.returncode in (1, 2, 5), operator, where, size, done.err)
        return None
    ranks, topology = where[1], where[3:]
    told = ordo.answer("predict", "s.json", "-t", *topology, "--size", size)
    wanted(json.loads((ordo.folder / "s.json").read_text())["ranks"] == ranks, where)
    return told["seconds"]


def families(ordo, operator, where):
    """The algorithms that a choice looks at there, without their settings."""
    told = ordo.answer("compile", operator, *where, "-o", "s.json")
    return sorted({one["algorithm"].split("(")[0] for one in told["candidates"]})


def check(ordo, topology, ranks, fails=()):
    where = ["-n", ranks, "-t", topology, *(word for link in fails
                                            for word in ("--fail-link", link))]
    for operator in OPERATORS:
        names = families(ordo, operator, where)
        for size in SIZES:
            chosen = predicted(ordo, operator, where, size)
            for name in names:
                best = predicted(ordo, operator, where, size, name)
                wanted(best is None or chosen <= best * SAME, operator, where, size,
                       f"chosen {chosen}, {name} {best}")


def add(place):
    topology, ranks, *fails = place.split("/")

    @desk_case(f"the choice is never slower than a named algorithm: {place}")
    def _(ordo):
        check(ordo, topology, int(ranks), fails)


for argument in sys.argv[2:]:
    add(argument)
run_cases()
