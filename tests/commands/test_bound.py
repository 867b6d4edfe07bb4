#!/usr/bin/env python3
"""test_bound.py ORDO REJECT - bound: the printed cut, added up from the topology's document."""
import json
import re
from fractions import Fraction

from desk import desk_case
from tap import run_cases, wanted

# Many digits, unequal directions, switches, parallel links.
BANDWIDTHS = ["18.3", "56", "0.12345678901", "204", "1e1", "7.25"]


def draw_document(number):
    """Ranks 0..n-1, and a switch with as much in as out or not."""
    ranks = 3 + number % 4
    links = [(a, b, BANDWIDTHS[(a * 7 + b * 3 + number) % 6], f"c{copy}")
             for a in range(ranks + 1) for b in range(ranks + 1) for copy in range(1 + (a < b))
             if a != b and (a * b + a + number) % 3 or abs(a - b) == 1]
    text = ", ".join(f'{{"from": {a}, "to": {b}, "class": "{name}", "latency_ns": 1, '
                     f'"bandwidth_gbs": {width}}}' for a, b, width, name in links)
    return (f'{{"schema": "ordo/topology/1", "name": "drawn", "ranks": {ranks}, "switches": 1, '
            f'"links": [{text}]}}'), ranks, [(a, b, Fraction(width)) for a, b, width, _ in links]


def numbers(text):
    """ "0-2, 5" -> {0, 1, 2, 5} """
    return {n for one in re.findall(r"\d+(?:-\d+)?", text)
            for n in range(int(one.split("-")[0]), int(one.split("-")[-1]) + 1)}


@desk_case("bound: the printed sets, added up from the document, give the printed time")
def _(ordo):
    for number in range(12):
        text, ranks, links = draw_document(number)
        (ordo.folder / "t.json").write_text(text)
        for operator in ["allreduce", "reduce", "broadcast", "reduce-scatter", "allgather",
                         "scatter", "gather", "alltoall"]:
            out = ordo.works("bound", operator, "-t", "t.json").out
            time = re.search(r"least time +(\d+)/(\d+) n/b, b = (\S+) GB/s", out)
            proof = re.search(r"proof +(\d+)(?:/(\d+))? n must (leave|enter)", out)
            total = 0
            for words in re.findall(r"set of (.*?):", out):
                inside = numbers(words)
                crossing = sum(width for a, b, width in links
                               if (a in inside, b in inside) == (
                                   (True, False) if proof[3] == "leave" else (False, True)))
                wanted(f"of {words}: {float(crossing):.15g} GB/s" in out, crossing, out)
                total += crossing
            wanted(Fraction(int(proof[1]), int(proof[2] or 1)) / total ==
                   Fraction(int(time[1]), int(time[2])) / Fraction(time[3]), operator, text, out)


@desk_case("bound: of a long set 256 links are printed, and what the others have together")
def _(ordo):
    out = ordo.works("bound", "broadcast", "-t", "full-mesh", "-n", 300).out
    line = next(line for line in out.splitlines() if line.startswith("  set of rank"))
    printed = re.findall(r"[=+] (\d+) \((\d+)->(\d+)\)", line)
    rest, more = map(int, re.search(r" \+ (\d+) of (\d+) more links; --json", line).groups())
    wanted(len(printed) == 256 and more == 299 - 256, line)
    wanted(sum(int(width) for width, _, _ in printed) + rest == 299 * 56, line)
    sets = ordo.answer("bound", "broadcast", "-t", "full-mesh", "-n", 300)["sets"]
    wanted(len(sets[0]["links"]) == 299, len(sets[0]["links"]))


@desk_case("bound: the printed lengths of links, added up along the shortest ways of all pairs")
def _(ordo):
    # Two ranks on one side, three on the other: no cut gives 7/15.
    links = [(a, b) for a in range(5) for b in range(5) if (a < 2) != (b < 2)]
    (ordo.folder / "t.json").write_text(json.dumps({
        "schema": "ordo/topology/1", "name": "sides", "ranks": 5, "links": [
            {"from": a, "to": b, "latency_ns": 1, "bandwidth_gbs": 8} for a, b in links]}))
    answer = ordo.answer("bound", "alltoall", "-t", "t.json")
    far = {(a, b): 0 if a == b or (a, b) in links else 10**9 for a in range(5) for b in range(5)}
    far.update({(one["from"], one["to"]): one["length"] for one in answer["lengths"]})
    for k in range(5):
        far = {(a, b): min(far[a, b], far[a, k] + far[k, b]) for a, b in far}
    carried = sum(one["length"] * one["units"] for one in answer["lengths"])
    wanted(Fraction(sum(far.values()), 5 * carried) == Fraction(7, 15) ==
           Fraction(answer["numerator"], answer["denominator"]), answer)
    out = ordo.works("bound", "alltoall", "-t", "t.json").out
    wanted("7/15 n/b, b = 8 GB/s" in out and "add up to 28, for n/5 each" in out and
           "link 0->2: 8 GB/s, length 1" in out, out)


def loads_shared_evenly(nvertex, ranks, width, length):
    """The greatest load of a link for its bandwidth, in blocks: each pair of ranks shares its block
    evenly among all its shortest ways. width, length: {(a, b): one}"""
    far = {(a, b): 0 if a == b else length.get((a, b), 10**12)
           for a in range(nvertex) for b in range(nvertex)}
    for k in range(nvertex):
        far = {(a, b): min(far[a, b], far[a, k] + far[k, b]) for a, b in far}
    ways = {(a, a): 1 for a in range(nvertex)}
    for a, b in sorted(far, key=far.get):
        if a != b:
            ways[a, b] = sum(ways[a, v] for v in range(nvertex) if (v, b) in length and
                             far[a, v] + length[v, b] == far[a, b])
    return max(sum(Fraction(ways[a, u] * ways[v, b], ways[a, b])
                   for a in range(ranks) for b in range(ranks)
                   if a != b and far[a, u] + length[u, v] + far[v, b] == far[a, b]) / width[u, v]
               for u, v in length)


def alike(pairs):
    return {pair: Fraction(56) for a, b in pairs for pair in ((a, b), (b, a))}


def networks():
    """ranks, vertices, {(a, b): GB/s}: some in which all links are alike, some drawn."""
    yield 5, 5, alike((a, (a + 1) % 5) for a in range(5))
    yield 6, 7, alike((a, 6) for a in range(6))
    yield 8, 8, alike((a, a ^ bit) for a in range(8) for bit in (1, 2, 4) if a < a ^ bit)
    yield 8, 8, alike((a, b) for b in range(8) for a in range(b) if (a, b) != (0, 1))
    yield 8, 8, alike((a, b) for b in range(8) for a in range(b) if b > 3 or b % 2 == 0)
    servers = alike((a, 8 + a // 4) for a in range(8))
    yield 8, 11, {**servers, (8, 10): Fraction(10), (10, 9): Fraction(10), (9, 10): Fraction(10),
                  (10, 8): Fraction(10)}
    for number in range(12):
        _, ranks, links = draw_document(number)
        width = {}
        for a, b, one in links:
            width[a, b] = width.get((a, b), 0) + one
        yield ranks, ranks + 1, width


@desk_case("bound: AllToAll is reached where data over the shortest ways takes no longer")
def _(ordo):
    """By links, or by the lengths that are the proof. Elsewhere other ways might."""
    count = {"reached": 0, "a lower bound": 0}
    for ranks, nvertex, width in networks():
        (ordo.folder / "t.json").write_text(json.dumps({
            "schema": "ordo/topology/1", "name": "t", "ranks": ranks, "switches": nvertex - ranks,
            "links": [{"from": a, "to": b, "latency_ns": 1, "bandwidth_gbs": float(one)}
                      for (a, b), one in width.items()]}))
        answer = ordo.answer("bound", "alltoall", "-t", "./t.json")
        width = {pair: Fraction(str(float(one))) for pair, one in width.items()}
        bound = Fraction(answer["numerator"], answer["denominator"]) * ranks / Fraction(
            answer["unit_gigabytes_per_second"])
        lengths = {(one["from"], one["to"]): one["length"] for one in answer.get("lengths", [])}
        least = min(loads_shared_evenly(nvertex, ranks, width, {
            pair: known.get(pair, 0) * nvertex + 1 for pair in width}) for known in ({}, lengths))
        wanted(least >= bound and (least == bound) == (answer["status"] == "reached"),
               answer, least, bound)
        count[answer["status"]] += 1
    wanted(min(count.values()) > 3, count)


@desk_case("bound: the broken mesh, the star, and seconds")
def _(ordo):
    out = ordo.works("bound", "allreduce", "-n", 8, "--fail-link", "0-1", "--size", "1GiB").out
    wanted("7/27 n/b, b = 56 GB/s" in out and " reached" in out, out)
    answer = ordo.answer("bound", "allreduce", "-n", 8, "-t", "star", "--size", 20000)
    wanted((answer["numerator"], answer["denominator"], answer["status"]) ==
           (7, 4, "reached") and abs(answer["seconds"] - 1.75e-6) < 1e-18, answer)
    wanted(sum(one["units"] for one in answer["sets"]) == answer["units"] == 8, answer)
    answer = ordo.answer("bound", "alltoall", "-t", "torus:2x4")
    wanted(answer["status"] == "reached", answer)
    out = ordo.works("bound", "broadcast", "-n", 1, "-t", "full-mesh").out
    wanted("0 n/b" in out and "one rank moves nothing" in out, out)


@desk_case("bound: AllReduce is as long as ReduceScatter and then AllGather, also on 300 ranks")
def _(ordo):
    # A partition of 300 ranks with all links is not searched for: single ranks are compared.
    for words, numbers in ((("full-mesh", "-n", 300), (1, 150)), (("dgx-h100:2",), (3, 16))):
        answer = ordo.answer("bound", "allreduce", "-t", *words)
        wanted((answer["numerator"], answer["denominator"], answer["status"]) ==
               (*numbers, "reached"), answer)
    answer = ordo.answer("bound", "allreduce", "-t", "full-mesh", "-n", 300, "--fail-link", "0-1")
    wanted(answer["status"] == "a lower bound", answer)


@desk_case("bound: a switch that keeps it from being proved reachable is named; whole numbers")
def _(ordo):
    links = [(0, 3, 1), (3, 1, 1), (3, 2, 1), (3, 0, 1), (1, 0, 2.5), (2, 0, 1), (0, 4, 1)]
    (ordo.folder / "t.json").write_text(json.dumps({
        "schema": "ordo/topology/1", "name": "t", "ranks": 3, "switches": 2, "links": [
            {"from": a, "to": b, "latency_ns": 1, "bandwidth_gbs": gbs} for a, b, gbs in links]}))
    for operator in ("allgather", "reduce-scatter", "broadcast", "reduce"):
        out = ordo.works("bound", operator, "-t", "t.json").out
        wanted("not proved reachable" in out and
               "switch 3 has 1 GB/s in and 3 GB/s out\n" in out, out)
        answer = ordo.answer("bound", operator, "-t", "t.json")
        wanted(answer["unbalanced"] == {"switch": 3, "in_gigabytes_per_second": "1",
                                        "out_gigabytes_per_second": "3"}, answer)
        wanted("link 0 -> 4 " not in out and "link 1 -> 0 has none back" in out and
               answer["one_way"] == {"from": 1, "to": 0}, out)
    for operator, words in [("allreduce", "t.json"), ("allgather", "torus:2x2")]:
        wanted(" in and " not in ordo.works("bound", operator, "-t", words).out, operator)
    out = ordo.works("bound", "alltoall", "-t", "torus:4x4").out
    wanted("1/2 n/b" in out and " 4 n must leave this set over 448 GB/s" in out, out)


@desk_case("bound: digits of bandwidths that are not taken are said, and printed as taken")
def _(ordo):
    def write(*widths):
        (ordo.folder / "t.json").write_text(
            '{"schema": "ordo/topology/1", "name": "t", "ranks": 2, "links": [' + ", ".join(
                f'{{"from": {i}, "to": {1 - i}, "latency_ns": 1,\n "bandwidth_gbs": {width}}}'
                for i, width in enumerate(widths)) + "]}")
        return "broadcast", "-t", "t.json"

    long, taken = "56.123456789012345678", "56.123456789012344"
    done = ordo.works("bound", *write(long, 1))
    wanted(done.err == f"warning: t.json:2:19: bandwidth_gbs: {long} is taken as {taken}, "
           "the nearest double\n" and f"leave = {taken} (0->1)" in done.out, done.err, done.out)
    said = f"bandwidth_gbs: {long} is taken as {taken}, the nearest double; there are 2 such"
    answer = ordo.answer("bound", *write(long, long))
    wanted(len(answer["notes"]) == 1 and said in answer["notes"][0], answer)
    for command in (["compile", "-o", "s.json"], ["compile", "-a", "ring", "-o", "s.json"],
                    ["tune", "--sizes", "1KiB:2KiB"]):
        done = ordo.works(*command, "broadcast", "-t", "t.json")
        wanted(done.err.count(said) == 1, command, done.err)
    for command in ("predict", "verify"):
        wanted(ordo.works(command, "s.json", "-t", "t.json").err.count(said) == 1, command)
    for exact in (taken, "0.1", "5.60000000000000000000e1", "1E+3", "1e-3",
                  "123456789012345000000", "0.000000000000000000012345"):
        wanted(not ordo.works("bound", *write(exact, 1)).err, exact)
    for width, taken in (("0.1000000000000000055", "0.1"), ("1" * 40, repr(float("1" * 40))),
                         ("90071992547409931", repr(float("90071992547409931"))),
                         ("9.99999999999999999", "10"), ("1." + "0" * 30 + "1", "1")):
        wanted(f"{width} is taken as {taken}, " in ordo.works("bound", *write(width, 1)).err, width)
    done = ordo.works("compile", *write(1, 2), "--bandwidth", long, "-o", "s.json")
    wanted(done.err.startswith(f"warning: --bandwidth: {long} is taken as 56.123456789012344, "),
           done.err)
    # Sums beyond 63 bits are rounded up, which every command says.
    words = write(*(f"{width}.123456789012344" for width in (56, 1234567)))
    wanted("rounded up" in ordo.works("bound", *words).out, words)
    done = ordo.works("compile", *words, "-o", "s.json")
    wanted("(not proved reachable, bandwidths rounded up)" in done.err, done.err)


@desk_case("bound: what it refuses")
def _(ordo):
    words = ["bound", "gather", "-n", 4, "-t"]
    ordo.fails(2, r"no link that is up leads into \{rank 0\}", *words, "star", "--fail-link",
               "0-4")
    ordo.fails(2, r"leads out of \{rank 2\}", *words, "star", "--fail-link", "2-4")
    ordo.fails(2, "--root: found 4, wanted one of the ranks", *words, "ring", "--root", 4)
    ordo.fails(2, "wanted an operator with a root", "bound", "allgather", "-n", 4, "-t", "ring",
               "--root", 1)
    ordo.fails(2, "--ranks N is missing; ring has any number", "bound", "gather", "-t", "ring")
    ordo.fails(2, "--topology T is missing", "bound", "gather", "-n", 4)
    ordo.fails(2, "unknown operator", "bound", "sum", "-t", "ring", "-n", 4)
    ordo.fails(2, "found 8 ranks, wanted 4", *words, "torus:2x4")
    ordo.fails(2, "found 1 rank, wanted 4\nhint: ask for 1 rank, or", *words, "torus:1x1")
    ordo.fails(2, "found 1 rank a server", "bound", "gather", "-t", "a3:1")


run_cases()
