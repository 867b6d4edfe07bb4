#!/usr/bin/env python3
"""test_packing.py ORDO - packing: the load of every link, added up from the documents, is that of
the bound; and each is proved on its topology."""
import json
from fractions import Fraction

from desk import desk_case
from tap import run_cases, wanted

OPERATORS = ["allgather", "reduce-scatter", "broadcast", "reduce", "allreduce"]


def count_chunks(document):
    """(from, to) -> chunks."""
    counts = {}
    for program in document["programs"]:
        for stream in program["streams"]:
            for task in stream["tasks"]:
                if task["task"] in ("Send", "SendReduce"):
                    pair = program["rank"], task["peer"]
                    counts[pair] = counts.get(pair, 0) + task.get("count", 1)
    return counts


def load_of(ordo, operator, topology, words):
    """The greatest load of a link in n over GB/s, and the bound of the wire."""
    ordo.works("compile", operator, "-t", "t.json", "-n", topology["ranks"], *words, "-o", "p.json")
    ordo.works("verify", "p.json", "-t", "t.json")
    document = json.loads((ordo.folder / "p.json").read_text())
    blocks = topology["ranks"] if operator in ("allgather", "reduce-scatter") else 1
    nchunk = document["chunks_per_block"] * blocks
    widths = {}
    for link in topology["links"]:
        pair = link["from"], link["to"]
        widths[pair] = widths.get(pair, 0) + Fraction(str(link["bandwidth_gbs"]))
    counts = count_chunks(document)
    wanted(set(counts) <= set(widths), counts, widths)
    bound = ordo.answer("bound", operator, "-t", "t.json")
    return (max(Fraction(count, nchunk) / widths[pair] for pair, count in counts.items()),
            Fraction(bound["numerator"], bound["denominator"])
            / Fraction(bound["unit_gigabytes_per_second"]))


def topology_of(nrank, links):
    """links: (from, to, GB/s)"""
    return {"schema": "ordo/topology/1", "name": "t", "ranks": nrank,
            "links": [{"from": a, "to": b, "latency_ns": 1, "bandwidth_gbs": width}
                      for a, b, width in links]}


def drawn(number):
    """A ring of widths 1 and 2, as wide both ways or not, and some chords."""
    n = 4 + number % 4
    links = [(a, (a + 1) % n, 1 + (a + number) % 2) for a in range(n)]
    links += [(b, a, width if number % 2 else 1) for a, b, width in links]
    links += [(a, b, 2) for a in range(n) for b in range(n)
              if abs(a - b) == 2 and (min(a, b) + number) % 3 == 0]
    return topology_of(n, links)


CASES = [
    topology_of(8, [(a, b, 56) for a in range(8) for b in range(8)
                    if a != b and {a, b} not in ({0, 1}, *([{2, 3}, {2, 5}] * more))])
    for more in (0, 1)
] + [topology_of(8, [(a, a ^ bit, 18.3) for a in range(8) for bit in (1, 2, 4)])] + [
    drawn(number) for number in range(8)]


@desk_case("packing: no link carries more than the bound says, and one as much")
def _(ordo):
    for topology in CASES:
        (ordo.folder / "t.json").write_text(json.dumps(topology))
        both = {(one["to"], one["from"], one["bandwidth_gbs"]) for one in topology["links"]}
        symmetric = all((one["from"], one["to"], one["bandwidth_gbs"]) in both
                        for one in topology["links"])
        for operator in OPERATORS:
            load, bound = load_of(ordo, operator, topology, ["-a", "packing"])
            wanted(load == bound or operator == "allreduce" and not symmetric and load >= bound,
                   operator, topology, load, bound)


def unequal(number):
    """Some pairs of ranks have a link of 10 to 60 GB/s each way, of other widths both ways."""
    n, widths = 3 + number % 6, [10, 20, 40, 60]
    return topology_of(n, [(a, b, widths[(7 * a + 5 * b + 3 * a * b + number) % 4])
                           for a in range(n) for b in range(n)
                           if abs(a - b) == 1 or a != b and (a + b + a * b + number) % 3])


@desk_case("packing: AllReduce is no slower than ReduceScatter, then AllGather; k may round by 2 %")
def _(ordo):
    faster = 0
    for topology in [unequal(number) for number in range(18)]:
        (ordo.folder / "t.json").write_text(json.dumps(topology))
        load, bound = load_of(ordo, "allreduce", topology, ["-a", "packing(pieces=4)"])
        halves = [ordo.answer("bound", one, "-t", "t.json")
                  for one in ("reduce-scatter", "allgather")]
        after = sum(Fraction(one["numerator"], one["denominator"])
                    / Fraction(one["unit_gigabytes_per_second"]) for one in halves)
        wanted(bound <= load <= after * Fraction(102, 100), topology, bound, load, after)
        faster += load < after
    wanted(faster > 3, faster)


@desk_case("packing: a fixed k comes near, and other numbers of chunks are proved too")
def _(ordo):
    (ordo.folder / "t.json").write_text(json.dumps(CASES[0]))
    for k, most in [(1, 2), (2, 1.5), (3, 1.2), (5, 1.2), (6, 1), (12, 1)]:
        load, bound = load_of(ordo, "allgather", CASES[0], ["-a", f"packing(k={k},pieces=1)"])
        wanted(bound <= load <= most * bound, k, load, bound)
    for chunks in [1, 5, 28]:
        load, bound = load_of(ordo, "allreduce", CASES[0], ["-a", "packing", "--chunks", chunks])
        wanted(load >= bound, chunks, load, bound)


def flat(nrank, widths):
    """Ranks at a switch each, with links of these widths: widths[i] for rank i, both ways."""
    return {"schema": "ordo/topology/1", "name": "t", "ranks": nrank, "switches": 1,
            "links": [{"from": a, "to": b, "latency_ns": 1, "bandwidth_gbs": width}
                      for rank, width in zip(range(nrank), widths)
                      for a, b in [(rank, nrank), (nrank, rank)]]}


@desk_case("packing: at a switch no link carries more than the bound says, and one as much")
def _(ordo):
    for topology in [flat(4, [1] * 4), flat(8, [18.3] * 8), flat(6, [1, 2, 2, 2, 1, 3]),
                     flat(5, [1, 1, 1, 4, 5])]:
        (ordo.folder / "t.json").write_text(json.dumps(topology))
        n = topology["ranks"]
        widths = [Fraction(str(link["bandwidth_gbs"])) for link in topology["links"][::2]]
        for operator in OPERATORS:
            ordo.works("compile", operator, "-t", "t.json", "-n", n, "-a", "packing",
                       "-o", "p.json")
            ordo.works("verify", "p.json", "-t", "t.json")
            document = json.loads((ordo.folder / "p.json").read_text())
            nchunk = document["chunks_per_block"]
            nchunk *= n if operator in ("allgather", "reduce-scatter") else 1
            load = {}
            for (a, b), count in count_chunks(document).items():
                for link in ((a, n), (n, b)):
                    load[link] = load.get(link, 0) + Fraction(count, nchunk) / widths[min(link)]
            answer = ordo.answer("bound", operator, "-t", "t.json")
            bound = (Fraction(answer["numerator"], answer["denominator"])
                     / Fraction(answer["unit_gigabytes_per_second"]))
            worst = max(load.values())
            # The bound of AllReduce lets sums and results share links of unequal widths.
            wanted(worst == bound or operator == "allreduce" and
                   (len(set(widths)) > 1 and worst >= bound), operator, topology, worst, bound)


@desk_case("packing: switches with more units one way than the other are trimmed")
def _(ordo):
    topology = flat(4, [1] * 4)
    topology["links"] = [{"from": a, "to": b, "latency_ns": 1, "bandwidth_gbs": width}
                         for a, b, width in [(0, 4, 1), (4, 1, 1), (4, 2, 2), (4, 3, 1),
                                             (1, 0, 1), (2, 0, 1), (3, 0, 1)]]
    (ordo.folder / "t.json").write_text(json.dumps(topology))
    for operator in OPERATORS:
        ordo.works("compile", operator, "-t", "t.json", "-n", 4, "-a", "packing", "-o", "p.json")
        ordo.works("verify", "p.json", "-t", "t.json")


def times_bound(ordo, operator, topology, ranks, algorithm, *fails):
    """Simulated time of 1 GiB without latency and with free sums, over the bound of the wire."""
    where = ["-t", topology, *(word for link in fails for word in ("--fail-link", link))]
    ordo.works("compile", operator, *where, "-n", ranks, "-a", algorithm, "-o", "p.json")
    ordo.works("verify", "p.json", *where)
    answer = ordo.answer("predict", "p.json", *where, "--size", "1GiB", "--alpha-ns", "0.001",
                         "--reduce-bandwidth", "1e9")
    bound = ordo.answer("bound", operator, *where, "-n", ranks)
    return answer["seconds"] / (bound["numerator"] / bound["denominator"] * 2 ** 30 / 1e9
                                / float(bound["unit_gigabytes_per_second"]))


@desk_case("packing: AllGather and ReduceScatter are within 3 % of the bound, also over switches")
def _(ordo):
    for topology, ranks, pieces, *fails in [
            ("a3:2x4", 8, 4), ("servers:2x4", 8, 64), ("servers:2x4", 8, 64, "0-1"),
            ("mi300x:2", 16, 3), ("dgx-a100:2", 16, 16), ("hypercube", 8, 16),
            ("torus:4x4", 16, 16, "0-1"), ("star", 8, 4)]:
        for operator in ("allgather", "reduce-scatter"):
            ratio = times_bound(ordo, operator, topology, ranks, f"packing(pieces={pieces})",
                                *fails)
            wanted(1 - 1e-6 <= ratio <= 1.03, operator, topology, fails, ratio)


@desk_case("packing: AllReduce over switches is within 3 % of the bound where links are down")
def _(ordo):
    """As ReduceScatter, then AllGather, 1.25, 1.87 and 1.12 of it at least."""
    for topology, *fails in [("servers:4x4", "0-16"), ("a3:2x8", "0-1"), ("a3:2x8", "0-16")]:
        ratio = times_bound(ordo, "allreduce", topology, 16, "packing(pieces=16)", *fails)
        wanted(1 - 1e-6 <= ratio <= 1.03, topology, fails, ratio)
    ordo.works("run", "p.json", "--size", "1MiB", "--check")


@desk_case("packing: AllReduce among 64 ranks has enough trees for narrow links")
def _(ordo):
    """With 48 of them 1.09, as ReduceScatter, then AllGather."""
    answer = ordo.answer("compile", "allreduce", "-n", 64, "-t", "a3:8x8", "--fail-link", "0-1",
                         "-a", "packing", "-o", "p.json")
    wanted(1 - 1e-9 <= answer["bound"]["loads"] < 1.03, answer["bound"])


def behind(number):
    """Ranks at one switch or two, with links of 10 to 30 GB/s, as wide one way as the other."""
    n, two = 4 + number % 4, number % 2
    links = [(rank, n + rank % (1 + two), 10 * (1 + (rank * rank + number) % 3))
             for rank in range(n)]
    links += [(n, n + 1, 40)] if two else []
    return {**topology_of(n, links + [(b, a, width) for a, b, width in links]),
            "switches": 1 + two}


@desk_case("packing: AllReduce over a switch of unequal links is faster than ReduceScatter, then "
           "AllGather")
def _(ordo):
    for number in range(16):
        topology = behind(number)
        (ordo.folder / "t.json").write_text(json.dumps(topology))
        answer = ordo.answer("compile", "allreduce", "-t", "t.json", "-n", topology["ranks"], "-a",
                             "packing", "-o", "p.json")
        ordo.works("verify", "p.json", "-t", "t.json")
        ordo.works("run", "p.json", "--size", "64KiB", "--check", "-t", "t.json")
        bounds = [ordo.answer("bound", one, "-t", "t.json", "--size", "1GiB")["seconds"]
                  for one in ("allreduce", "reduce-scatter", "allgather")]
        seconds = answer["bound"]["loads"] * bounds[0]
        wanted(bounds[0] * (1 - 1e-9) <= seconds < 0.9 * (bounds[1] + bounds[2]), topology,
               answer["bound"], bounds)


def halves(servers, cards):
    """Servers of two switches, with cards at both; only the first one leads out of the server."""
    n = 2 * servers * cards
    links = [(rank, n + rank // cards, 24) for rank in range(n)]
    for server in range(servers):
        links += [(n + 2 * server, n + 2 * server + 1, 10), (n + 2 * server, n + 2 * servers, 24)]
    return {**topology_of(n, links + [(b, a, width) for a, b, width in links]),
            "switches": 2 * servers + 1}


@desk_case("packing: AllReduce reaches cards behind another switch at the bound of their link")
def _(ordo):
    """As ReduceScatter, then AllGather, 1.5 of it at least on two servers."""
    for servers, cards, *spread in [(2, 1), (2, 2), (2, 4), (3, 2), (4, 2), (2, 4, "(via=spread)")]:
        topology = halves(servers, cards)
        (ordo.folder / "t.json").write_text(json.dumps(topology))
        ordo.works("compile", "allreduce", "-t", "t.json", "-n", topology["ranks"], "-a",
                   "packing" + "".join(spread), "-o", "p.json")
        ordo.works("verify", "p.json", "-t", "t.json")
        document = json.loads((ordo.folder / "p.json").read_text())
        entering = {}
        for (a, b), count in count_chunks(document).items():
            if b // cards % 2 and a // cards != b // cards:
                entering[b // cards] = entering.get(b // cards, 0) + count
        loads = {Fraction(count, document["chunks_per_block"]) for count in entering.values()}
        wanted(len(entering) == servers and max(loads) == 1, servers, cards, loads)
    ordo.works("run", "p.json", "--size", "1MiB", "--check", "-t", "t.json")


@desk_case("packing: the list of moves is made forwards and backwards")
def _(ordo):
    """Forwards alone they take 1.14, 1.03 and 1.07 times the bound; without latency."""
    for operator, topology, ranks, most in [("allgather", "hypercube", 8, 1.0001),
                                            ("reduce-scatter", "hypercube", 8, 1.0001),
                                            ("allreduce", "torus:4x4", 16, 1.035)]:
        pieces = 16 if operator == "allreduce" else 4
        ratio = times_bound(ordo, operator, topology, ranks, f"packing(pieces={pieces})")
        wanted(ratio <= most, operator, topology, ratio)


@desk_case("packing: as few trees of a root as reach the bound")
def _(ordo):
    """The links in a server are wider than whole trees fill; the rails decide, and take one."""
    ordo.works("compile", "allgather", "-t", "servers:4x4", "-n", 16, "-a", "packing(pieces=3)",
               "-o", "p.json")
    wanted(json.loads((ordo.folder / "p.json").read_text())["chunks_per_block"] == 3)


@desk_case("packing: 8 cards with a dead link, within 1.02 of 7/27 n/b, bit-equal on threads")
def _(ordo):
    links = ["-t", "t.json"]
    ideal = json.loads(json.dumps(CASES[0]))
    for link in ideal["links"]:
        link["latency_ns"] = 0
    (ordo.folder / "t.json").write_text(json.dumps(ideal))
    free = ["--size", "1GiB", "--reduce-bandwidth", "1e9"]
    for named in (["-a", "packing"], []):
        ordo.works("compile", "allreduce", "-n", 8, *links, *free, *named, "-o", "p.json")
        answer = ordo.answer("predict", "p.json", *links, *free)
        wanted(answer["seconds"] <= 1.02 * 7 / 27 * 2 ** 30 / 56e9, named, answer["seconds"])
        ordo.works("run", "p.json", "--size", "1MiB", "--check", *links)


def dead(links):
    """Words for a full mesh with these links down."""
    return [word for link in links for word in ("--fail-link", link)]


def tasks_of(document):
    """(rank, stream, task) of all."""
    return [(program["rank"], stream["name"], task) for program in document["programs"]
            for stream in program["streams"] for task in stream["tasks"]]


@desk_case("packing: sums apart are LocalReduces in a stream of their own, from four slots a link")
def _(ordo):
    for number, (operator, topology) in enumerate([
            ("allreduce", CASES[0]), ("allreduce", drawn(2)), ("reduce-scatter", CASES[0]),
            ("reduce", drawn(1)), ("reduce-scatter", flat(4, [1] * 4)),
            ("allreduce", flat(4, [1, 2, 2, 1]))]):
        (ordo.folder / "t.json").write_text(json.dumps(topology))
        made = []
        for sums in ("inline", "apart"):
            ordo.works("compile", operator, "-t", "t.json", "-n", topology["ranks"], "-a",
                       f"packing(pieces={2 + number},sums={sums})", "-o", "p.json")
            ordo.works("verify", "p.json", "-t", "t.json")
            ordo.works("run", "p.json", "--size", "64KiB", "--check", "-t", "t.json")
            made.append(json.loads((ordo.folder / "p.json").read_text()))
        inline, apart = made
        tasks = tasks_of(apart)
        wanted(not any(task["task"] == "SendReduce" for _, _, task in tasks), operator)
        wanted(all(stream == "add" for _, stream, task in tasks if task["task"] == "LocalReduce"))
        added = {(rank, *task["src"]) for rank, _, task in tasks if task["task"] == "LocalReduce"}
        slots = {}
        for rank, _, task in tasks:
            if task["task"] == "Send" and (task["peer"], *task["dst"]) in added:
                slots.setdefault((rank, task["peer"]), set()).add(task["dst"][1])
        wanted(1 < max(map(len, slots.values())) <= 4, operator, slots)
        wanted(sum(map(len, slots.values())) == len(added), "no two ranks send to one slot")
        if topology["ranks"] == 8 or operator != "allreduce":
            wanted(count_chunks(inline) == count_chunks(apart), operator)


@desk_case("packing: with sums apart all ranks add equally much, up to a fiftieth")
def _(ordo):
    """Roots may be chosen so, since no rank has so many full links that it must add more."""
    for links in (["0-1"], ["0-1", "0-2"]):
        ordo.works("compile", "allreduce", "-n", 8, *dead(links), "-a",
                   "packing(pieces=16,sums=apart)", "-o", "p.json")
        document = json.loads((ordo.folder / "p.json").read_text())
        adds = [0] * 8
        for rank, _, task in tasks_of(document):
            adds[rank] += task.get("count", 1) * (task["task"] == "LocalReduce")
        wanted(sum(adds) == 7 * document["chunks_per_block"], adds)
        wanted(max(adds) <= Fraction(51, 50) * sum(adds) / 8, adds)


@desk_case("packing: 8 cards with one to three dead links, sums apart, within 1.03 of the bound "
           "at 1 GiB with the latencies and sums of the topology")
def _(ordo):
    for links in (["0-1"], ["0-1", "2-3"], ["0-1", "2-3", "4-5"]):
        answers = {}
        for sums in ("inline", "apart"):
            ordo.works("compile", "allreduce", "-n", 8, *dead(links), "-a",
                       f"packing(pieces=64,sums={sums})", "-o", "p.json")
            answers[sums] = ordo.answer("predict", "p.json", *dead(links), "--size", "1GiB")
        bound = ordo.answer("bound", "allreduce", "-n", 8, *dead(links), "--size", "1GiB")
        least = bound["numerator"] / bound["denominator"] * 2 ** 30 / 56e9
        wanted(answers["apart"]["seconds"] <= 1.03 * least, links, answers["apart"]["seconds"])
        wanted(answers["inline"]["seconds"] > 1.5 * least, links, answers["inline"]["seconds"])


@desk_case("packing: sums are apart where they take time, and inline where they are free")
def _(ordo):
    words = ["compile", "allreduce", "-n", 8, "--fail-link", "0-1", "--size", "1GiB", "-o",
             "p.json"]
    for costs, apart in [([], True), (["--reduce-bandwidth", "1e9"], False)]:
        ordo.works(*words, *costs)
        document = json.loads((ordo.folder / "p.json").read_text())
        wanted(document["algorithm"].startswith(("packing", "placed")), document["algorithm"])
        wanted(("sums=apart" in document["algorithm"]) == apart, costs, document["algorithm"])


def torus(rows, columns):
    links = set()
    for rank in range(rows * columns):
        row, column = divmod(rank, columns)
        for other in ((row + 1) % rows * columns + column, row * columns + (column + 1) % columns):
            links |= {(rank, other, 50), (other, rank, 50)}
    return topology_of(rows * columns, sorted(links))


@desk_case("packing: with 64 to 1,024 ranks no link carries more than the bound, and one as much")
def _(ordo):
    cube = topology_of(64, [(a, a ^ 1 << bit, 20) for a in range(64) for bit in range(6)])
    slow = torus(8, 12)
    slow["links"] = [{**link, "bandwidth_gbs": 30 if link["from"] < 12 else 50}
                     for link in slow["links"] if {link["from"], link["to"]} != {40, 41}]
    for topology, operators in ((torus(16, 16), ["allgather", "broadcast"]),
                                (torus(32, 32), ["broadcast", "reduce"]),
                                (cube, ["reduce-scatter"]), (slow, ["allgather", "reduce"])):
        (ordo.folder / "t.json").write_text(json.dumps(topology))
        for operator in operators:
            load, bound = load_of(ordo, operator, topology, ["-a", "packing(pieces=1)"])
            wanted(load == bound, operator, topology["ranks"], load, bound)


@desk_case("packing: 16 servers of 8 behind switches: the rails carry what the bound says")
def _(ordo):
    servers, size = 16, 8
    n = servers * size
    ends = [(rank, n + rank // size, 450) for rank in range(n)]
    ends += [(rank, n + servers + rank % size, 50) for rank in range(n)]
    links = [(a, b, width) for a, b, width in ends] + [(b, a, width) for a, b, width in ends]
    topology = {**topology_of(n, links), "switches": servers + size}
    (ordo.folder / "t.json").write_text(json.dumps(topology))
    widths = {(a, b): width for a, b, width in links}
    ordo.works("compile", "allgather", "-t", "t.json", "-n", n, "-a", "packing(pieces=1)", "-o",
               "p.json")
    ordo.works("verify", "p.json", "-t", "t.json")
    document = json.loads((ordo.folder / "p.json").read_text())
    load = {}
    for (a, b), count in count_chunks(document).items():
        switch = n + a // size if a // size == b // size else n + servers + a % size
        wanted(switch < n + servers or a % size == b % size, a, b)
        for link in ((a, switch), (switch, b)):
            load[link] = load.get(link, 0) + Fraction(count, widths[link])
    bound = ordo.answer("bound", "allgather", "-t", "t.json")
    worst = max(load.values()) / (document["chunks_per_block"] * n)
    wanted(worst == Fraction(bound["numerator"], bound["denominator"])
           / Fraction(bound["unit_gigabytes_per_second"]), worst, bound)


@desk_case("packing: a choice among 128 ranks takes it, and sums only among 256")
def _(ordo):
    words = ["-t", "dgx-h100:16", "--prove-only"]
    chosen = ordo.answer("compile", "allgather", *words, "--size", "4MiB")
    wanted(chosen["algorithm"].startswith("packing"), chosen["algorithm"])
    for operator, ranks, tried in (("allreduce", 256, True), ("allreduce", 257, False),
                                   ("broadcast", 257, True)):
        table = ordo.works("compile", operator, "-n", ranks, "-t", "ring", "--size", "1KiB",
                           "--prove-only").out
        wanted((" packing" in table) == tried, operator, ranks, table)


@desk_case("packing: what it refuses")
def _(ordo):
    words = ["compile", "allgather", "-a", "packing", "-n"]
    ordo.fails(2, "wanted up to 1024", *words, 1025)
    ordo.fails(2, "no path to or from another", *words, 4, "-t", "ring", "--fail-link", "0-1",
               "--fail-link", "0-3")
    words[-2] = "packing(k=256,pieces=1024)"
    ordo.fails(5, "packing: 4194304 chunks on 16 ranks: .* takes about 9.375 GiB of memory, there "
               "is 4 GiB\nhint: fewer pieces", *words, 16, "--memory-limit", "4GiB")


@desk_case("packing: on bandwidths of 15 digits it is told which k was taken and what it loses")
def _(ordo):
    widths = [56.1234567890123, 33.9876543210987, 56.1, 41.3333333333333]
    links = [(a, (a + 1) % 4, width) for a, width in enumerate(widths)]
    topology = topology_of(4, links + [(b, a, width) for a, b, width in links])
    (ordo.folder / "t.json").write_text(json.dumps(topology))
    words = "compile", "allgather", "-n", 4, "-t", "t.json", "-a", "packing", "-o", "p.json"
    told = ordo.answer(*words)["packed_trees"]
    load, bound = load_of(ordo, "allgather", topology, ["-a", "packing"])
    wanted(told["k"] <= 64 < told["exact_k"], told)
    wanted(0 < told["lost_percent"] < 3, told)
    wanted(abs(told["lost_percent"] - float(load / bound - 1) * 100) < 1e-6, told, load, bound)
    said = ordo.works(*words).err
    wanted(f"k={told['k']} trees of each root take" in said, said)
    said = ordo.works("compile", "broadcast", "-n", 8, "-t", "full-mesh", "-a", "packing(k=2)",
                      "-o", "p.json").err
    wanted("k=2 trees of each root take 250 % longer than the bound; k=7 would take no longer"
           in said, said)
    # What is told is so, also of an AllReduce that has k trees of each root.
    words = ["compile", "allreduce", "-n", 8, "--fail-link", "0-1", "-o", "p.json", "-a"]
    exact = ordo.answer(*words, "packing(k=5)")["packed_trees"]["exact_k"]
    wanted(ordo.answer(*words, f"packing(k={exact})")["bound"]["loads"] < 1 + 1e-9, exact)
    # Where nothing is lost, there is nothing to tell, nor where paths lose that no stream names.
    both = topology_of(3, [(a, b, 30 if a < 3 and b < 3 else 20) for a in range(4)
                           for b in range(4) if a != b])
    (ordo.folder / "t.json").write_text(json.dumps({**both, "switches": 1}))
    told = ordo.answer("compile", "allgather", "-n", 3, "-t", "t.json", "-a", "packing(k=1)", "-o",
                       "p.json")
    wanted(told["bound"]["loads"] > 1.1 and "packed_trees" not in told, told)
    wanted("packed_trees" not in ordo.answer("compile", "allgather", "-n", 8, "-t", "hypercube",
                                             "-a", "packing", "-o", "p.json"))


@desk_case("packing(shares=even): ranks at a switch send as much to one another")
def _(ordo):
    for settings, even in [("", False), ("(shares=even)", True)]:
        ordo.works("compile", "allgather", "-n", 16, "-t", "dgx-h100:2", "-a",
                   f"packing{settings}", "-o", "p.json")
        counts = count_chunks(json.loads((ordo.folder / "p.json").read_text()))
        within = {count for (a, b), count in counts.items() if a // 8 == b // 8}
        wanted((len(within) == 1) == even, settings, within)


def ratio_to_bound(ordo, operator, ranks, where, *words):
    """The time of a packing for 1 GiB over the bound of the wire, with free sums and no latency."""
    ordo.answer("compile", operator, "-n", ranks, *where, "-o", "p.json", *words)
    bound = ordo.answer("bound", operator, "-n", ranks, *where)
    least = (bound["numerator"] / bound["denominator"] * 2 ** 30 / 1e9 /
             float(bound["unit_gigabytes_per_second"]))
    return ordo.answer("predict", "p.json", *where, "--size", "1GiB", "--alpha-ns", "0.001",
                       "--reduce-bandwidth", "1e9")["seconds"] / least


@desk_case("packing: sums begin with different pieces, so that servers do not wait for each other")
def _(ordo):
    """Before, 1.127 and 1.137 times the bound."""
    for topology, ranks, most in (("dgx-h100:8", 64, 1.06), ("mi300x:8", 64, 1.06)):
        ratio = ratio_to_bound(ordo, "reduce-scatter", ranks, ["--topology", topology], "-a",
                               "packing", "--chunks", 16)
        wanted(ratio <= most, topology, ratio)


@desk_case("packing: no pair of ranks is listed faster than links carry it, with a NIC down")
def _(ordo):
    """Before, 1.045 and 1.037 times the bound, and with shares=even 1.044."""
    for how in "sums=inline", "sums=apart", "shares=even":
        ratio = ratio_to_bound(ordo, "reduce-scatter", 32,
                               ["--topology", "dgx-h100:4", "--fail-link", "0-32"], "-a",
                               f"packing(pieces=32,{how})")
        wanted(ratio <= 1.015, how, ratio)


@desk_case("packing(paths=turns): pairs of ranks are listed by their part by load")
def _(ordo):
    """Without it 1.306 times the bound."""
    links = [(rank, 6 + rank // 3, 12) for rank in range(6)] + [(6, 7, 10)]
    (ordo.folder / "t.json").write_text(json.dumps({
        "schema": "ordo/topology/1", "name": "t", "ranks": 6, "switches": 2, "links": [
            {"from": a, "to": b, "latency_ns": 1, "bandwidth_gbs": width}
            for one, other, width in links for a, b in ((one, other), (other, one))]}))
    ratio = ratio_to_bound(ordo, "broadcast", 6, ["--topology", "t.json"], "-a",
                           "packing(shares=even,paths=turns,pieces=8)")
    wanted(ratio <= 1.28, ratio)


@desk_case("packing: an allreduce in two phases is listed with all sums first too")
def _(ordo):
    """Before, 1.054 times the bound; the trees take 1.029 of it."""
    ratio = ratio_to_bound(ordo, "allreduce", 32,
                           ["--topology", "full-mesh", "--fail-link", "0-1", "--fail-link", "6-26"],
                           "-a", "packing(pieces=4)")
    wanted(ratio <= 1.045, ratio)


@desk_case("packing: at 1 GiB a choice takes as many chunks as come within 3 % of the bound")
def _(ordo):
    """With 2^18 moves at most, 1.038 and 1.063 times the bound."""
    for operator, topology, link in (("allgather", "dgx-h100:8", "0-64"),
                                     ("allreduce", "ring", "0-1")):
        bound = ordo.answer("compile", operator, "-n", 64, "--topology", topology, "--fail-link",
                            link, "--size", "1GiB", "--alpha-ns", "0.001", "--reduce-bandwidth",
                            "1e9", "-o", "p.json")["bound"]
        wanted(bound["ratio"] <= 1.03, operator, bound)


@desk_case("packing: even shares with sums apart are tried, the fastest packing on a3:2x8")
def _(ordo):
    forms = ("shares=even,sums=apart", "shares=even", "sums=apart")
    times = [ordo.answer("compile", "allreduce", "-n", 16, "--topology", "a3:2x8", "--size",
                         "64MiB", "-a", f"packing({form})", "-o", "p.json") and
             ordo.answer("predict", "p.json", "--topology", "a3:2x8", "--size",
                         "64MiB")["seconds"] for form in forms]
    wanted(times[0] < min(times[1:]), times)
    tried = ordo.answer("compile", "reduce-scatter", "-n", 4, "--topology", "star", "--size",
                        "1MiB", "-o", "p.json")["candidates"]
    wanted(f"packing({forms[0]})" in {one["algorithm"] for one in tried}, tried)


@desk_case("packing: lists leave time for messages; an AllReduce is no slower than two operators")
def _(ordo):
    """Moves that begin as soon as others end take 1.06, 1.23 and 1.25 times the bound. An AllReduce
    on two DGX A100 was slower than ReduceScatter, then AllGather."""
    for operator, form, chunks, most in [("allgather", "packing", 8, 1.005),
                                         ("allgather", "packing", 32, 1.005),
                                         ("reduce-scatter", "packing(sums=apart)", 64, 1.01)]:
        ordo.works("compile", operator, "-n", 16, "-t", "hypercube", "-a", form, "--chunks",
                   chunks, "-o", "p.json")
        ratio = ordo.answer("predict", "p.json", "-t", "hypercube", "--size",
                            "64MiB")["times_the_bound"]
        wanted(ratio <= most, operator, chunks, ratio)
    seconds = []
    for operator in "allreduce", "reduce-scatter", "allgather":
        ordo.works("compile", operator, "-t", "dgx-a100:2", "--size", "1GiB", "-o", "p.json")
        seconds.append(ordo.answer("predict", "p.json", "-t", "dgx-a100:2", "--size",
                                   "1GiB")["seconds"])
    wanted(seconds[0] <= seconds[1] + seconds[2], seconds)


run_cases()
