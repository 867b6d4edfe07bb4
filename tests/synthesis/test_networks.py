#!/usr/bin/env python3
"""test_networks.py ORDO - networks that are broken or odd: what is said of them, and how near
schedules come to their bounds."""
import json
import os
import random
import shutil
import signal
import subprocess
import time
from fractions import Fraction

from desk import ORDO, desk_case
from tap import run_cases, wanted

OPERATORS = ["allreduce", "reduce", "broadcast", "reduce-scatter", "allgather", "scatter",
             "gather", "alltoall"]


def put(ordo, ranks, links, switches=0, name="made", **more):
    """links: (from, to, GB/s)"""
    (ordo.folder / "t.json").write_text(json.dumps(
        {"schema": "ordo/topology/1", "name": name, "ranks": ranks, "switches": switches, **more,
         "links": [{"from": a, "to": b, "latency_ns": 1000, "bandwidth_gbs": width}
                   for a, b, width in links]}))
    return ["-n", ranks, "-t", "./t.json"]


def both(*pairs, width=56):
    return [(x, y, width) for a, b in pairs for x, y in ((a, b), (b, a))]


def mesh(ranks, first=0):
    return both(*((first + a, first + b) for a in range(ranks) for b in range(a)))


def said_by_all(ordo, operator, words, message):
    """Whatever chooses or names an algorithm."""
    ordo.fails(2, message, "compile", operator, *words, "-o", "s.json")
    ordo.fails(2, message, "compile", operator, *words, "-a", "packing", "-o", "s.json")
    ordo.fails(2, message, "compile", operator, *words, "--fail-any-link", "-o", "s")
    ordo.fails(2, message, "compile", operator, *words, "--sizes", "1KiB:1MiB", "-o", "s")
    ordo.fails(2, message, "tune", operator, *words, "--sizes", "1KiB:1MiB", "-o", "s")
    wanted(ordo.names() == ["t.json"], ordo.names())


@desk_case("a rank with no way in or out: the cut is named")
def _(ordo):
    words = put(ordo, 4, [link for link in mesh(4) if link[1] != 3])
    message = r"topology made: no link that is up leads into \{rank 3\}"
    for operator in ("allreduce", "broadcast"):
        said_by_all(ordo, operator, words, message)
        ordo.fails(2, r"leads into \{rank 3\}", "bound", operator, "-t", "./t.json")
    words = put(ordo, 4, [link for link in mesh(4) if link[0] != 3])
    said_by_all(ordo, "allreduce", words, r"topology made: no link that is up leads out of "
                r"\{rank 3\}")
    # A Broadcast from rank 0 has a bound there, but rank 3 cannot say that it is ready.
    ordo.works("bound", "broadcast", "-t", "./t.json")
    ordo.fails(2, r"no link that is up leads out of \{rank 3\}\nhint: .*signals do", "compile",
               "broadcast", *words)


@desk_case("a switch that leads back only, and one that some pass, behind others")
def _(ordo):
    back = both((0, 4), (5, 6), (4, 5))
    put(ordo, 4, mesh(4) + back, switches=3)
    wanted("3 switches lead nowhere" in ordo.works("bound", "allgather", "-t", "./t.json").err)
    put(ordo, 4, mesh(4) + back + [(6, 1, 56)], switches=3)
    wanted("nowhere" not in ordo.works("bound", "allgather", "-t", "./t.json").err)
    put(ordo, 4, mesh(4) + both((0, 4)), switches=1)
    wanted("made: switch 4 leads nowhere: no data passes it" in
           ordo.works("bound", "allgather", "-t", "./t.json").err)


@desk_case("a network in parts says so, and what each part is")
def _(ordo):
    words = put(ordo, 6, mesh(3) + mesh(3, 3))
    ordo.fails(2, r"made: the network is in parts: no link that is up leads out of ", "bound",
               "allgather", "-t", "./t.json")
    for operator in ("allreduce", "broadcast", "alltoall"):
        ordo.fails(2, r"made: the network is in parts: no link that is up leads out of "
                   r"\{rank [03], rank [14], rank [25]\}", "compile", operator, *words)
    # One way between the parts: no parts, but no way back.
    words = put(ordo, 6, mesh(3) + mesh(3, 3) + [(0, 3, 1)])
    done = ordo.fails(2, r"leads out of \{rank 3, rank 4, rank 5\}", "compile", "allreduce",
                      *words)
    wanted("in parts" not in done.err, done.err)


@desk_case("links that lead one way only, which signals cannot come back over: they are left out")
def _(ordo):
    # A ring of five both ways, chords one way, and a switch that some ranks only send to.
    links = both(*((a, (a + 1) % 5) for a in range(5))) + [(0, 2, 56), (4, 1, 56), (3, 5, 56),
                                                           (5, 0, 56)]
    words = put(ordo, 5, links, switches=1)
    for operator in OPERATORS:
        ordo.works("compile", operator, *words, "-o", "s.json")
        ordo.works("verify", "s.json", "-t", "./t.json")
    for algorithm in ("packing", "matching"):
        ordo.fails(2, f"{algorithm}: needs link .* for signals", "compile", "allgather", *words,
                   "-a", algorithm)
        ordo.works("compile", "allgather", *words, "-a", f"{algorithm}(links=paired)", "-o",
                   "s.json")
        used = {(one["from"], one["to"]) for one in
                ordo.answer("run", "s.json", "--links", "--count", 840)["links"]}
        wanted(used == {(a, b) for a, b, _ in links[:10]}, algorithm, used)
        document = json.loads((ordo.folder / "s.json").read_text())
        wanted(document["algorithm"] == f"{algorithm}(links=paired)", document["algorithm"])
        ordo.works("verify", "s.json", "-t", "./t.json")
    # Where every link has one back, the form is not among the candidates.
    words = put(ordo, 5, links[:10])
    done = ordo.works("compile", "allgather", *words, "-o", "s.json")
    wanted("paired" not in done.err, done.err)


@desk_case("what is wrong with a parameter is said, not that the network is broken")
def _(ordo):
    words = put(ordo, 6, mesh(3) + mesh(3, 3))
    for wrong, message in [("k=0", 'k of packing: found "0", wanted auto'),
                           ("pieces=0", 'pieces of packing: found "0"'),
                           ("k=1000", r'k of packing: found "1000".*\nhint: at most 256'),
                           ("pieces=2000000", r'found "2000000".*\nhint: at most 1024'),
                           ("pieces=99999999999999999999", r"\nhint: at most 1024"),
                           ("k=x", 'k of packing: found "x"')]:
        done = ordo.fails(2, message, "compile", "allgather", *words, "-a", f"packing({wrong})")
        wanted("leads" not in done.err, done.err)


@desk_case("switches that lead nowhere are named, and change nothing")
def _(ordo):
    words = put(ordo, 4, mesh(4))
    plain = {}
    for operator in OPERATORS:
        plain[operator] = ordo.answer("bound", operator, "-t", "./t.json")
        ordo.works("compile", operator, *words, "-o", f"{operator}.json")
    words = put(ordo, 4, mesh(4) + [(0, 4, 56), (5, 4, 56)] + both((5, 6)), switches=3)
    for command in (["bound", "allgather", "-t", "./t.json"],
                    ["compile", "allgather", *words, "-o", "s.json"]):
        wanted(ordo.works(*command).err.count(
            "warning: made: 3 switches lead nowhere, the first is 4: no data passes them") == 1)
    for operator in OPERATORS:
        bound = ordo.answer("bound", operator, "-t", "./t.json")
        wanted(operator == "allreduce" or bound["status"] == plain[operator]["status"], operator)
        wanted(Fraction(bound["numerator"], bound["denominator"]) ==
               Fraction(plain[operator]["numerator"], plain[operator]["denominator"]), operator)
        done = ordo.works("compile", operator, *words, "-o", "s.json")
        ordo.works("verify", "s.json", "-t", "./t.json")
        ordo.works("predict", "s.json", "-t", "./t.json")
        wanted("the busiest link takes" in done.err, done.err)


@desk_case("a switch with more out than in: not proved reachable, and the schedule's own ratio")
def _(ordo):
    words = put(ordo, 4, [(0, 4, 56)] + [(4, rank, 56) for rank in (1, 2, 3)] +
                [(rank, 0, 56) for rank in (1, 2, 3)], switches=1)
    # Cuts say 1, but without copies in the switch three vectors leave rank 0.
    done = ordo.works("compile", "broadcast", *words, "-a", "packing", "-o", "s.json")
    wanted("at least 1 n/b, b = 56 GB/s (not proved reachable); the busiest link takes 3.000 "
           "times that" in done.err, done.err)
    answer = ordo.answer("compile", "broadcast", *words, "-o", "s.json")
    wanted(answer["bound"]["status"] == "not proved reachable" and
           abs(answer["bound"]["loads"] - 3) < 1e-9, answer["bound"])
    wanted("switch 4 has 56 GB/s in and 168 GB/s out" in
           ordo.works("bound", "broadcast", "-t", "./t.json").out)
    put(ordo, 4, [link for rank in range(4) for link in ((rank, 4, 56), (4, rank, 60))],
        switches=1)
    wanted("switch 4 has 224 GB/s in and 240 GB/s out" in
           ordo.works("bound", "allreduce", "-t", "./t.json").out)
    # As much in as out: nothing to say but the ratio.
    words = put(ordo, 4, both(*((rank, 4) for rank in range(4))), switches=1)
    done = ordo.works("compile", "allgather", *words, "-a", "packing", "-o", "s.json")
    wanted("3/4 n/b, b = 56 GB/s; the busiest link takes 1.000 times that" in done.err, done.err)


@desk_case("bandwidths with 15 digits: exact bounds, and what the best k loses")
def _(ordo):
    draw = random.Random(15)
    links = [(a, b, draw.randrange(10**15, 2 * 10**15) / 10**14) for a in range(5)
             for b in range(5) if a != b]
    words = put(ordo, 5, links)
    for operator in ("allgather", "reduce-scatter", "broadcast", "allreduce"):
        out = ordo.works("bound", operator, "-t", "./t.json").out
        wanted("rounded" not in out, out)
        done = ordo.works("compile", operator, *words, "-a", "packing", "-o", "s.json")
        answer = ordo.answer("compile", operator, *words, "-a", "packing", "-o", "s.json")
        loses = answer["bound"]["loads"]
        wanted(1 < loses < 1.05 or operator == "allreduce", operator, loses)
        wanted(f"the busiest link takes {loses:.3f} times that" in done.err, loses, done.err)
        ordo.works("verify", "s.json", "-t", "./t.json")


def count_loads(document, widths, ports):
    """Seconds for a vector of 10^9 bytes, on links between ranks alone: of the busiest link, or
    of the ports of a rank."""
    blocks = document["ranks"] if document["operator"] in (
        "ReduceScatter", "AllGather", "Scatter", "Gather", "AllToAll") else 1
    nchunk = blocks * document["chunks_per_block"]
    sent = {}
    for program in document["programs"]:
        for task in (task for stream in program["streams"] for task in stream["tasks"]):
            if task["task"] in ("Send", "SendReduce"):
                pair = program["rank"], task["peer"]
                sent[pair] = sent.get(pair, 0) + Fraction(task.get("count", 1), nchunk)
    most = max(amount / widths[pair] for pair, amount in sent.items())
    for rank in range(document["ranks"]) if ports else ():
        for end in (0, 1):
            widest = sorted((w for pair, w in widths.items() if pair[end] == rank), reverse=True)
            most = max(most, sum(amount for pair, amount in sent.items() if pair[end] == rank) /
                       sum(widest[:ports]))
    return most


@desk_case("the ratio to the bound is that of the bytes in the document, ports too")
def _(ordo):
    draw = random.Random(16)
    for number in range(12):
        ranks, ports = draw.randrange(3, 7), number % 3
        links = {(a, b): draw.choice([10, 25, 56]) for a in range(ranks) for b in range(ranks)
                 if a != b}
        words = put(ordo, ranks, [(*pair, width) for pair, width in links.items()], ports=ports)
        operator = draw.choice(OPERATORS)
        answer = ordo.answer("compile", operator, *words, *draw.choice([["-a", "mesh"], []]), "-o",
                             "s.json")
        document = json.loads((ordo.folder / "s.json").read_text())
        bound = ordo.answer("bound", operator, "-t", "./t.json")
        least = Fraction(bound["numerator"], bound["denominator"]) / Fraction(
            bound["unit_gigabytes_per_second"])
        loads = count_loads(document, {pair: Fraction(width) for pair, width in links.items()},
                            ports)
        wanted(abs(answer["bound"]["loads"] - loads / least) < 1e-9, number, operator,
               answer["bound"], float(loads / least))
        wanted(answer["bound"]["loads"] > 1 - 1e-9, answer["bound"])


@desk_case("one rank; two ranks with links of unequal directions")
def _(ordo):
    for links in ([], [(0, 1, 1), (1, 0, 1)]):
        words = put(ordo, 1, links, switches=1) if links else put(ordo, 1, [])
        for operator in OPERATORS:
            ordo.works("bound", operator, "-t", "./t.json")
            ordo.works("compile", operator, *words, "-o", "s.json")
            ordo.works("verify", "s.json", "-t", "./t.json")
            wanted("bit-equal" in ordo.works("run", "s.json", "--check", "--count", 12, "-t",
                                             "./t.json").out, operator)
    words = put(ordo, 2, [(0, 1, 56), (1, 0, 28)])
    for operator in OPERATORS:
        bound = ordo.answer("bound", operator, "-t", "./t.json")
        done = ordo.answer("compile", operator, *words, "--size", "64MiB", "-o", "s.json")
        wanted(done["bound"]["loads"] < 1.001, operator, done["bound"])
        expected = {"allreduce": 28, "reduce": 28, "broadcast": 56, "scatter": 112, "gather": 56,
                    "reduce-scatter": 56, "allgather": 56, "alltoall": 56}[operator]
        wanted(Fraction(bound["denominator"], bound["numerator"]) *
               Fraction(bound["unit_gigabytes_per_second"]) == expected, operator, bound)


@desk_case("4,096 ranks: a bound, a tree, and of what is too large the number that is not")
def _(ordo):
    side = 64
    words = put(ordo, side * side, both(*(
        (side * x + y, to) for x in range(side) for y in range(side)
        for to in (side * ((x + 1) % side) + y, side * x + (y + 1) % side))))
    for operator, bound in [("allgather", "4095/16384"), ("broadcast", "1/4")]:
        wanted(f"least time              {bound} n/b" in
               ordo.works("bound", operator, "-t", "./t.json").out, operator)
    ordo.works("compile", "broadcast", *words, "-a", "tree(shape=spanning)", "-o", "s.json")
    ordo.works("compile", "broadcast", *words, "-a", "packing(k=1)", "-o", "p.json")
    ordo.fails(2, "packing: found 4096 ranks, wanted up to 1024", "compile", "allgather", *words,
               "-a", "packing")
    ordo.fails(5, "memory", "compile", "allreduce", *words, "-a", "ring", "--memory-limit",
               "64MiB")


def without_pair(document, number):
    """The document without the Notify of that number and its Wait: the j-th of a signal meet."""
    changed = json.loads(json.dumps(document))
    streams = [(program["rank"], stream) for program in changed["programs"]
               for stream in program["streams"]]
    notifies = [(rank, task["peer"], task["signal"], stream, task) for rank, stream in streams
                for task in stream["tasks"] if task["task"] == "Notify"]
    rank, peer, number_of_signal, stream, notify = notifies[number % len(notifies)]
    place = [task for *found, task in notifies
             if found[:3] == [rank, peer, number_of_signal]]
    place = next(i for i, task in enumerate(place) if task is notify)
    waits = [(other, task) for at, other in streams if at == peer for task in other["tasks"]
             if task["task"] == "Wait" and (task["peer"], task["signal"]) ==
             (rank, number_of_signal)]
    other, wait = waits[place]
    stream["tasks"] = [task for task in stream["tasks"] if task is not notify]
    other["tasks"] = [task for task in other["tasks"] if task is not wait]
    return changed


@desk_case("packing, matching and placed over named ways: proved, the same bytes, mutants refused")
def _(ordo):
    nics = both(*((rank, 4 + nic) for rank in range(4) for nic in range(2)), width=25)
    words = put(ordo, 4, nics, switches=2)
    for algorithm in ("packing(via=spread)", "matching(via=spread)", "placed(via=spread)"):
        compiled = ["compile", "reduce-scatter", *words, "-a", algorithm, "-o"]
        ordo.works(*compiled, "s.json")
        ordo.works(*compiled, "again.json")
        text = (ordo.folder / "s.json").read_text()
        wanted('"via"' in text and text == (ordo.folder / "again.json").read_text(), algorithm)
        ordo.works("verify", "s.json", "-t", "./t.json")
        wanted("bit-equal" in ordo.works("run", "s.json", "--check", "-t", "./t.json").out)
        document = json.loads(text)
        for number in range(0, 60, 5):
            (ordo.folder / "m.json").write_text(json.dumps(without_pair(document, number)))
            ordo.fails(1, r"error\[R\d+\]", "verify", "m.json", "-t", "./t.json")
        ordo.fails(1, r"error\[R12\].* there is no link \d-\d that is up", "verify", "s.json", "-t",
                   "./t.json", "--fail-link", "1-5")


@desk_case("an interrupt leaves no file")
def _(ordo):
    words = [str(word) for word in put(ordo, 64, mesh(64))]
    for number, seconds in ((signal.SIGINT, 0.4), (signal.SIGTERM, 0.4), (signal.SIGINT, 0.9)):
        for out in ("s.json", "s"):
            with subprocess.Popen([ORDO, "compile", "allreduce", *words, "-a",
                                   "packing(pieces=256)", "-o", out], cwd=ordo.folder,
                                  stderr=subprocess.DEVNULL) as command:
                time.sleep(seconds)
                command.send_signal(number)
                wanted(command.wait() in (-number, 128 + number), command.returncode)
            wanted(os.listdir(ordo.folder) == ["t.json"], os.listdir(ordo.folder))


@desk_case("an interrupt while a document is written leaves no temporary file and no folder")
def _(ordo):
    """What is there is looked at until something is. Where the machine is busy, the document may be
    whole by then, which shows nothing: then once more."""
    def is_interrupted(number, out):
        # Under nohup, or behind `&`, signals are ignored, also by what is started then.
        with subprocess.Popen([ORDO, "compile", "allreduce", "-n", "192", "-a", "ring", "-o", out],
                              cwd=ordo.folder, stderr=subprocess.DEVNULL,
                              preexec_fn=lambda: signal.signal(number, signal.SIG_DFL)) as command:
            while not os.listdir(ordo.folder) and command.poll() is None:
                time.sleep(0.001)
            begun = os.listdir(ordo.folder)
            command.send_signal(number)
            wanted(command.wait() in (-number, 0), command.returncode, begun)
        whole = ordo.folder / out
        if whole.is_dir():
            shutil.rmtree(whole)
            return False
        if whole.exists():
            whole.unlink()
            return False
        wanted(begun and not os.listdir(ordo.folder), begun, os.listdir(ordo.folder))
        return True

    for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
        for out in ("s.json", "s"):
            wanted(any(is_interrupted(number, out) for attempt in range(20)), number, out)


run_cases()
