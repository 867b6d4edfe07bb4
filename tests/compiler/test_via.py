#!/usr/bin/env python3
"""test_via.py ORDO - streams that name the switches they go over: R12, predictions, what each
command says of them, and the ways that via=spread finds, checked from the document."""
import itertools
import json
import random

from desk import desk_case
from tap import run_cases, wanted


def joined(*links, ranks, switches=0, name="made"):
    """A topology of two-way links (a, b, bandwidth, class)."""
    both = [(a, b, *rest) for a, b, *rest in links] + [(b, a, *rest) for a, b, *rest in links]
    return {"schema": "ordo/topology/1", "name": name, "ranks": ranks, "switches": switches,
            "links": [{"from": a, "to": b, "latency_ns": 1000, "bandwidth_gbs": rest[0],
                       **({"class": rest[1]} if len(rest) > 1 else {})}
                      for a, b, *rest in both]}


def two_nics(ranks):
    """Every rank has a link to each of two switches."""
    return joined(*[(rank, switch, 25) for rank in range(ranks)
                    for switch in (ranks, ranks + 1)], ranks=ranks, switches=2, name="two-nics")


def put(ordo, name, document):
    (ordo.folder / name).write_text(json.dumps(document))


def read(ordo, name):
    return json.loads((ordo.folder / name).read_text())


def streams(document):
    return [(program["rank"], stream) for program in document["programs"]
            for stream in program["streams"]]


def sends(stream):
    return [task for task in stream["tasks"] if task["task"] in ("Send", "SendReduce")]


def loads(document):
    """Chunks on every link, by the ways that the streams name."""
    chunks = {}
    for rank, stream in streams(document):
        for task in sends(stream):
            way = [rank, *stream["via"], task["peer"]]
            for hop in zip(way, way[1:]):
                chunks[hop] = chunks.get(hop, 0) + task.get("count", 1)
    return chunks


def broadcast(**stream):
    """Rank 0 sends to rank 1."""
    return {"schema": "ordo/schedule/1", "operator": "Broadcast", "algorithm": "hand", "ranks": 2,
            "root": 0, "chunks_per_block": 1, "scratch_slots": 0, "in_place": True, "programs": [
                {"rank": 0, "streams": [{"name": "main", **stream, "tasks": [
                    {"task": "Wait", "peer": 1, "signal": 0},
                    {"task": "Send", "peer": 1, "chunk": 0, "src": ["output", 0],
                     "dst": ["output", 0]},
                    {"task": "Notify", "peer": 1, "signal": 0}]}]},
                {"rank": 1, "streams": [{"name": "main", "tasks": [
                    {"task": "Notify", "peer": 0, "signal": 0},
                    {"task": "Wait", "peer": 0, "signal": 0}]}]}]}


# Two ranks: a fast and a slow link side by side, one switch between them, and two in a row.
BETWEEN = joined((0, 1, 100, "nvlink"), (0, 1, 10, "pcie"), (0, 2, 50), (2, 1, 50), (2, 3, 20),
                 (2, 3, 5, "rdma"), (3, 1, 20), ranks=2, switches=3)


@desk_case("via: a prediction goes over the links that a stream names, a class chooses among them")
def _(ordo):
    put(ordo, "t.json", BETWEEN)
    # bandwidth in GB/s, and how many links
    for words, bandwidth, hops in (({}, 100, 1), ({"via": []}, 100, 1),
                                   ({"via": [], "class": "pcie"}, 10, 1),
                                   ({"via": [], "class": "nvlink"}, 100, 1),
                                   ({"via": [2]}, 50, 2), ({"via": [2, 3]}, 20, 3),
                                   ({"via": [2, 3], "class": ["link", "rdma", "link"]}, 5, 3)):
        put(ordo, "s.json", broadcast(**words))
        ordo.works("verify", "s.json", "-t", "./t.json")
        found = ordo.answer("predict", "s.json", "-t", "./t.json", "--size", "1MiB")["seconds"]
        meant = hops * 1e-6 + (1 << 20) / (bandwidth * 1e9)
        wanted(abs(found - meant) < 1e-12, words, found, meant)


@desk_case("R12: every hop of a named way is a link that is up")
def _(ordo):
    put(ordo, "t.json", BETWEEN)
    for words, fail, message in (
            ({"via": [2]}, ["--fail-link", "2-1"], "no link 2-1 that is up"),
            ({"via": [2]}, ["--fail-link", "0-2"], "no link 0-2 that is up"),
            ({"via": [3]}, [], "no link 0-3 that is up"),
            ({"via": [2, 4]}, [], "no link 2-4 that is up"),
            ({"via": [2, 5]}, [], "vertex 5 is not a switch"),
            ({"via": [], "class": "rdma"}, [], "no link on that path is of class rdma"),
            ({"via": [2, 3], "class": ["link", "rdma", "rdma"]}, [],
             "no link 3-1 of class rdma that is up"),
            ({"via": [2], "class": ["pcie", "link"]}, [], "no link 0-2 of class pcie that is up"),
            ({"via": []}, ["--fail-link", "0-1"], "no link 0-1 that is up")):
        put(ordo, "s.json", broadcast(**words))
        ordo.fails(1, r"error\[R12\].*" + message, "verify", "s.json", "-t", "./t.json", *fail)
        done = ordo.fails(1, r"error\[R12\].*" + message, "predict", "s.json", "-t", "./t.json",
                          *fail, "--size", "1KiB")
        wanted("--route-through-ranks" not in done.err, done.err)
        # Without a topology there is nothing to be wrong about.
        ordo.works("verify", "s.json")
        ordo.works("predict", "s.json", "--size", "1KiB")
    put(ordo, "s.json", broadcast(via=[2, 3], **{"class": ["link", "rdma", "rdma"]}))
    ordo.fails(1, r"via switches 2, 3 \(link, rdma, rdma\)", "verify", "s.json", "-t", "./t.json")
    # The class that is named is down: the other one does not stand in.
    down = json.loads(json.dumps(BETWEEN))
    for link in down["links"]:
        link["down"] = link.get("class") == "pcie"
    put(ordo, "down.json", down)
    put(ordo, "s.json", broadcast(via=[], **{"class": "pcie"}))
    ordo.fails(1, "no link 0-1 of class pcie that is up", "verify", "s.json", "-t", "./down.json")


@desk_case("via: bits, digest and runs are the same; diff and explain say what differs")
def _(ordo):
    put(ordo, "t.json", two_nics(4))
    for name, algorithm in (("a.json", "ring(directions=2)"),
                            ("b.json", "ring(directions=2,via=spread)")):
        ordo.works("compile", "allreduce", "-n", 4, "-t", "./t.json", "-a", algorithm, "-o", name)
    said = ordo.works("diff", "a.json", "b.json").out
    wanted("bit-interchangeable" in said and
           "0 streams of the one and 8 of the other name switches" in said, said)
    for pair, same in ((("a.json", "b.json"), False), (("b.json", "b.json"), True),
                       (("a.json", "a.json"), None)):
        found = ordo.answer("diff", *pair)["comparisons"][0]
        wanted(found.get("same_ways") is same, pair, found)
    wanted(ordo.answer("explain", "b.json")["vias"] == 8, "explain")
    ordo.works("run", "b.json", "--check", "--size", "64KiB")
    ordo.fails(4, "streams name their paths", "verify", "b.json", "-t", "./t.json", "--symmetry",
               "only")
    ordo.works("verify", "b.json", "-t", "./t.json", "--symmetry", "auto")


@desk_case("via: pictures name the ways, foreign formats say that they leave them out")
def _(ordo):
    put(ordo, "t.json", two_nics(4))
    ordo.works("compile", "allreduce", "-n", 4, "-t", "./t.json", "-a",
               "ring(directions=2,via=spread)", "-o", "b.json")
    ordo.works("draw", "b.json", "-o", "b.dot")
    wanted("ring 0, via 4" in (ordo.folder / "b.dot").read_text(), "draw")
    ordo.works("view", "b.json", "-t", "./t.json", "-o", "b.html")
    page = (ordo.folder / "b.html").read_text()
    wanted('"stream_vias":[[4],[5]' in page.replace(" ", ""), "view")
    for form in ("goal", "msccl"):
        done = ordo.works("export", form, "b.json", "--size", "64KiB", "-o", "x")
        wanted("that streams name (via), here 8 of " in done.err, form, done.err)
    ordo.works("embed", "b.json", "-o", "b.c")
    source = (ordo.folder / "b.c").read_text()
    wanted(".vias = " in source and "struct ordo_via b_ways[8]" in source, "embed")
    put(ordo, "c.json", broadcast(via=[2], **{"class": ["a", "b"]}))
    ordo.works("embed", "c.json", "-o", "c.c")
    source = (ordo.folder / "c.c").read_text()
    wanted("c_hop_classes[2]" in source and "c_switches + 0, 1, NULL, c_hop_classes + 0" in source,
           source)
    for one, other, same in (("b", "b", True), ("b", "c", False)):
        put(ordo, "d.json", broadcast(via=[2], **{"class": ["a", one]}))
        put(ordo, "e.json", broadcast(via=[2], **{"class": ["a", other]}))
        found = ordo.answer("diff", "d.json", "e.json")["comparisons"][0]
        wanted(found["same_ways"] is same, one, other, found)


@desk_case("via=spread: what links carry, counted in the document, is what `predict` counts")
def _(ordo):
    put(ordo, "t.json", two_nics(8))
    for operator, algorithm in (("allreduce", "ring(directions=2"), ("allreduce", "mesh("),
                                ("allgather", "packing("), ("alltoall", "alltoall("),
                                ("broadcast", "packing("), ("allreduce", "halving-doubling(")):
        word = algorithm + ("" if algorithm.endswith("(") else ",") + "via=spread)"
        ordo.works("compile", operator, "-n", 8, "-t", "./t.json", "-a", word, "-o", "s.json")
        document = read(ordo, "s.json")
        wanted(all("via" in stream for _, stream in streams(document) if sends(stream)), word)
        chunks = document["chunks_per_block"] * {"allgather": 8, "alltoall": 8}.get(operator, 1)
        size = chunks * 4096
        counted = {hop: count * 4096 for hop, count in loads(document).items()}
        told = {(link["from"], link["to"]): link["bytes"]
                for link in ordo.answer("predict", "s.json", "-t", "./t.json", "--size", size,
                                        "--max-links", 99)["links"] if link["bytes"]}
        wanted(counted == told, word, counted, told)
        ordo.works("verify", "s.json", "-t", "./t.json")


@desk_case("via=spread: two NICs a rank share what one carried; chosen where no algorithm is named")
def _(ordo):
    put(ordo, "t.json", two_nics(8))
    words = ["-n", 8, "-t", "./t.json", "--size", "28MiB"]
    seconds = {}
    for algorithm in ("ring(directions=2)", "ring(directions=2,via=spread)"):
        ordo.works("compile", "allreduce", *words, "-a", algorithm, "-o", "s.json")
        seconds[algorithm] = ordo.answer("predict", "s.json", *words[2:])["seconds"]
    one, both = seconds.values()
    wanted(both < 0.6 * one, seconds)
    for operator in ("allreduce", "allgather", "reducescatter", "broadcast", "alltoall"):
        chosen = ordo.answer("compile", operator, *words, "-o", "s.json")
        wanted("via=spread" in chosen["algorithm"], operator, chosen["algorithm"])
        ordo.works("verify", "s.json", "-t", "./t.json")
    # The bound is 7/8 n/b over both.
    ordo.works("compile", "allreduce", *words, "-o", "s.json")
    told = ordo.answer("predict", "s.json", *words[2:])
    wanted(told["seconds"] < 1.17 * told["bounds_seconds"]["volume"], told["seconds"], told)


@desk_case("via=spread: rings share as many ways as their neighbours have, and no more")
def _(ordo):
    for ranks, words, lanes in ((4, "", 2), (5, "", 2), (6, "", 2), (8, "", 2),
                                (4, "directions=2,", 2), (8, "rings=2,", 2)):
        put(ordo, "t.json", two_nics(ranks))
        for operator in ("allreduce", "reducescatter", "allgather", "broadcast"):
            ordo.works("compile", operator, "-n", ranks, "-t", "./t.json", "-a",
                       f"ring({words}via=spread)", "-o", "s.json")
            ordo.works("verify", "s.json", "-t", "./t.json")
            document = read(ordo, "s.json")
            sending = {rank: 0 for rank in range(ranks)}
            for rank, stream in streams(document):
                sending[rank] += bool(sends(stream))
            wanted(max(sending.values()) == lanes, words, operator, sending)
            chunks = loads(document)
            wanted(operator == "broadcast" or len(chunks) == 4 * ranks and
                   min(chunks.values()) == max(chunks.values()), words, operator, chunks)


@desk_case("via=spread: where there is one way, or no topology, the document is as without")
def _(ordo):
    for words in (["-n", 8, "-t", "star"], ["-n", 8, "-t", "full-mesh"], ["-n", 8],
                  ["-n", 16, "-t", "dgx-h100:2x8", "-a", "hierarchical"]):
        name = words[5] if len(words) > 4 else "ring"
        texts = []
        for algorithm in (name, name + "(via=spread)"):
            ordo.works("compile", "allreduce", *words[:4], "-a", algorithm, "-o", "s.json")
            texts.append((ordo.folder / "s.json").read_text().replace("(via=spread)", ""))
        wanted(texts[0] == texts[1], words)


def least_busy(document, ways, price):
    """The least that the busiest link can have, over all choices of ways of all streams."""
    senders = [(ways[rank, sends(stream)[0]["peer"]],
                sum(task.get("count", 1) for task in sends(stream)))
               for rank, stream in streams(document) if sends(stream)]
    least = None
    for choice in itertools.product(*[range(len(way)) for way, _ in senders]):
        busy = {}
        for (way, chunks), taken in zip(senders, choice):
            for hop in way[taken]:
                busy[hop] = busy.get(hop, 0) + chunks * price[hop]
        most = max(busy.values())
        least = most if least is None else min(least, most)
    return least


@desk_case("via=spread: the busiest link is nearly as little busy as any choice of ways makes it")
def _(ordo):
    draw = random.Random(7)
    best = worst = count = 0
    for _ in range(40):
        ranks, switches = draw.randint(3, 5), draw.randint(2, 3)
        # Each rank hangs on each switch by a link of its own speed.
        speeds = {(rank, ranks + i): draw.choice((10, 20, 40)) for rank in range(ranks)
                  for i in range(switches)}
        put(ordo, "t.json", joined(*[(a, b, speed) for (a, b), speed in speeds.items()],
                                   ranks=ranks, switches=switches))
        ordo.works("compile", "allgather", "-n", ranks, "-t", "./t.json", "-a",
                   "ring(directions=2,via=spread)", "-o", "s.json")
        ordo.works("verify", "s.json", "-t", "./t.json")
        document = read(ordo, "s.json")
        price = {**{hop: 1 / speed for hop, speed in speeds.items()},
                 **{hop[::-1]: 1 / speed for hop, speed in speeds.items()}}
        ways = {(a, b): [[(a, switch), (switch, b)] for switch in range(ranks, ranks + switches)]
                for a in range(ranks) for b in range(ranks) if a != b}
        if sum(bool(sends(stream)) for _, stream in streams(document)) > 8:
            continue
        found = max(chunks * price[hop] for hop, chunks in loads(document).items())
        ratio = found / least_busy(document, ways, price)
        count += 1
        best += ratio < 1.000001
        worst = max(worst, ratio)
    wanted(count >= 20 and best >= 0.8 * count and worst <= 1.5, best, worst, count)


@desk_case("via=spread: random networks of switches: proved, run, and the same bytes again")
def _(ordo):
    draw = random.Random(11)
    spread = 0
    for number in range(30):
        ranks, switches = draw.randint(2, 8), draw.randint(2, 5)
        links = {(rank, ranks + draw.randrange(switches)) for rank in range(ranks)}
        links |= {(rank, ranks + i) for rank in range(ranks) for i in range(switches)
                  if draw.random() < 0.5}
        links |= {(ranks + i, ranks + i + 1) for i in range(switches - 1)}
        links |= {(ranks, ranks + switches - 1)} if switches > 2 else set()
        put(ordo, "t.json", joined(*[(a, b, draw.choice((10, 12.5, 50, 200)))
                                     for a, b in sorted(links)], ranks=ranks, switches=switches))
        operator, algorithm = draw.choice((
            ("allreduce", "ring"), ("allreduce", "mesh"), ("allreduce", "packing"),
            ("allreduce", "recursive-doubling"), ("alltoall", "alltoall"), ("allgather", "nhr"),
            ("reducescatter", "packing"), ("broadcast", "tree"), ("allreduce", "dyadic")))
        words = ["compile", operator, "-n", ranks, "-t", "./t.json", "-a",
                 algorithm + "(via=spread)", "-o"]
        done = ordo(*words, "s.json")
        if done.returncode:
            wanted("2^k" in done.err or "power" in done.err or "found" in done.err, done.err)
            continue
        ordo.works(*words, "again.json")
        wanted((ordo.folder / "s.json").read_bytes() == (ordo.folder / "again.json").read_bytes(),
               words)
        spread += any("via" in stream for _, stream in streams(read(ordo, "s.json")))
        ordo.works("verify", "s.json", "-t", "./t.json")
        ordo.works("predict", "s.json", "-t", "./t.json", "--size", "1MiB")
        ordo.works("run", "s.json", "--check", "--size", "4KiB")
    wanted(spread >= 15, spread)


@desk_case("via: of a level, of two speeds, and with a map")
def _(ordo):
    ordo.fails(2,
               r"found via=spread of mesh; hierarchical spreads all streams: hierarchical\(...,via",
               "compile", "allreduce", "-n", 16, "-t", "servers:2x8", "-a",
               "hierarchical(mesh(via=spread),ring)", "-o", "s.json")
    ordo.fails(2, r"via of ring: found .some., wanted none\|spread", "compile", "allreduce", "-n",
               8, "-a", "ring(via=some)", "-o", "s.json")
    # A slow switch that all reach in two hops, a fast one likewise: the fast one is taken.
    put(ordo, "t.json", joined(*[(rank, 4, 1) for rank in range(4)],
                               *[(rank, 5, 100) for rank in range(4)], ranks=4, switches=2))
    ordo.works("compile", "allreduce", "-n", 4, "-t", "./t.json", "-a", "ring(via=spread)", "-o",
               "s.json")
    wanted(all(stream["via"] == [5] for _, stream in streams(read(ordo, "s.json"))), "slow")
    # A slow direct link, and a fast switch.
    put(ordo, "t.json", joined(*[(rank, (rank + 1) % 4, 1) for rank in range(4)],
                               *[(rank, 4, 100) for rank in range(4)], ranks=4, switches=1))
    ordo.works("compile", "allreduce", "-n", 4, "-t", "./t.json", "-a",
               "ring(via=spread,map=[0,2,1,3])", "-o", "s.json")
    document = read(ordo, "s.json")
    wanted(all(stream["via"] == [4] for rank, stream in streams(document)
               if sends(stream) and abs(sends(stream)[0]["peer"] - rank) % 4 in (1, 3)), document)
    ordo.works("verify", "s.json", "-t", "./t.json")


run_cases()
