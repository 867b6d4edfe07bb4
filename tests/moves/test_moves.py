#!/usr/bin/env python3
"""test_moves.py ORDO - programs of moves at the command: compiled, read by every command that reads
schedules, and refused with the line of the move at fault."""
import json
import re

from desk import desk_case
from tap import run_cases, wanted


def moves(*lines, operator="AllReduce", ranks=2, **head):
    """A document with one move a line, the first in line 3; a line is
    `copy|reduce FROM TO [count]`, and FROM and TO are like 0i1: rank, buffer, slot."""
    buffers = {"i": "input", "o": "output", "s": "scratch"}

    def place(text):
        rank, buffer, slot = re.fullmatch(r"(\d+)([ios])(\d+)", text).groups()
        return [int(rank), buffers[buffer], int(slot)]

    def move(line):
        kind, source, target, *count = line.split()
        rest = {"count": int(count[0])} if count else {}
        return json.dumps({"move": kind, "from": place(source), "to": place(target), **rest})
    first = {"schema": "ordo/moves/1", "operator": operator, "algorithm": "mine", "ranks": ranks,
             **head}
    return json.dumps(first)[:-1] + ',\n "moves": [\n' + ",\n".join(map(move, lines)) + "]}\n"


# AllReduce on two ranks.
SOUND = ("copy 0i0 0o0", "reduce 1i0 0o0", "copy 0o0 1o0")


def put(ordo, text, name="moves.json"):
    (ordo.folder / name).write_text(text)
    return name


@desk_case("moves compile to a proved schedule, and --emit moves writes them as they are")
def _(ordo):
    put(ordo, moves(*SOUND))
    done = ordo.works("compile", "moves.json", "-o", "s.json")
    wanted("AllReduce on 2 ranks by mine" in done.err and "proved" in done.err, done.err)
    wanted(": proved" in ordo.works("verify", "s.json").out)
    ordo.works("compile", "moves.json", "--emit", "moves", "-o", "again.json")
    ordo.works("compile", "again.json", "-o", "t.json")
    wanted((ordo.folder / "s.json").read_bytes() == (ordo.folder / "t.json").read_bytes())
    wanted(ordo.works("compile", "-", stdin=moves(*SOUND).encode()).out ==
           (ordo.folder / "s.json").read_text())
    answer = ordo.answer("compile", "moves.json", "-o", "u.json")
    wanted(answer["proved"] and answer["output"] == "u.json", answer)


@desk_case("moves with staging: the same order, and other ranks touch scratch alone; written as "
           "they were before")
def _(ordo):
    put(ordo, moves(*SOUND))
    plain = ordo.answer("compile", "moves.json", "-o", "plain.json")
    staged = ordo.answer("compile", "moves.json", "--staging", 2, "-o", "staged.json")
    wanted(staged["proved"] and staged["order_digest"] == plain["order_digest"], staged)
    document = json.loads((ordo.folder / "staged.json").read_text())
    wanted(document["staging"] is True and document["scratch_slots"] <= 2, document)
    answer = ordo.answer("run", "staged.json", "--staging", "256", "--size", "64KiB", "--check")
    wanted(answer["check"]["bits_equal"] and answer["rounds"] > 1, answer)
    ordo.works("compile", "moves.json", "--staging", 1, "-o", "one.json")


@desk_case("the moves of algorithms on topologies, with ways, maps, shards and accumulation, "
           "compile to the same bytes")
def _(ordo):
    broken = {"schema": "ordo/topology/1", "name": "mesh", "ranks": 4, "links": [
        {"from": a, "to": b, "latency_ns": 1000, "bandwidth_gbs": 56}
        for a in range(4) for b in range(4) if a != b and {a, b} != {0, 1}]}
    put(ordo, json.dumps(broken), "topology.json")
    nics = {"schema": "ordo/topology/1", "name": "nics", "ranks": 4, "switches": 2, "links": [
        {"from": a, "to": b, "latency_ns": 1000, "bandwidth_gbs": 56}
        for rank in range(4) for nic in (4, 5) for a, b in ((rank, nic), (nic, rank))]}
    put(ordo, json.dumps(nics), "nics.json")
    ways = 0
    for words in (["allgather", "-n", 4, "-t", "nics.json", "-a", "ring(directions=2,via=spread)"],
                  ["allreduce", "-n", 4, "-t", "topology.json", "-a", "ring(map=auto)"],
                  ["allreduce", "-n", 4, "-t", "topology.json"],
                  ["alltoall", "-n", 8, "-t", "ring"],
                  ["allreduce", "-n", 6, "-a", "mesh", "--accumulate", "f32", "--in-place"],
                  ["reduce", "-n", 5, "-a", "tree", "--root", 3, "--accumulate", "f32"],
                  ["allreduce", "-n", 4, "-a", "forest", "--shards", 9],
                  ["scatter", "-n", 5, "-a", "tree", "--root", 2, "--chunks", 3]):
        ordo.works("compile", *words, "-o", "a.json")
        ordo.works("compile", *words, "--emit", "moves", "-o", "m.json")
        chosen = words[words.index("-t"):][:2] if "-t" in words else []
        ordo.works("compile", "m.json", *chosen, "-o", "b.json")
        ways += '"ways"' in (ordo.folder / "m.json").read_text()
        wanted((ordo.folder / "a.json").read_bytes() == (ordo.folder / "b.json").read_bytes(),
               words)
        if not {"topology.json", "nics.json"} & set(chosen):
            # A topology with a name is found by it.
            wanted(ordo.works("compile", "m.json").out == (ordo.folder / "a.json").read_text(),
                   words)
    wanted(ways == 1, ways)


@desk_case("every command that reads a schedule reads moves")
def _(ordo):
    put(ordo, moves(*SOUND))
    ordo.works("compile", "moves.json", "-o", "s.json")
    for words in (["verify"], ["order"], ["predict", "--size", "1MiB"], ["explain"],
                  ["draw", "-o", "x.svg"], ["view", "-o", "x.html"], ["export", "goal", "-o", "x"],
                  ["run", "--size", "4KiB", "--check"], ["embed", "-o", "x.c"]):
        ordo.works(words[0], *([words[1]] if words[0] == "export" else []), "moves.json",
                   *words[2 if words[0] == "export" else 1:])
    wanted("bit-interchangeable" in ordo.works("diff", "s.json", "moves.json").out)
    text = (ordo.folder / "moves.json").read_bytes()
    wanted(": proved" in ordo.works("verify", "-", stdin=text).out)
    wanted("(0+1)" in ordo.works("order", "moves.json").out)


@desk_case("moves for a topology that has no name: every command compiles them on that of -t, "
           "which a schedule does not take")
def _(ordo):
    links = [{"from": a, "to": b, "latency_ns": 1000, "bandwidth_gbs": 56}
             for a in range(4) for b in range(4) if a != b and {a, b} != {0, 1}]
    put(ordo, json.dumps({"schema": "ordo/topology/1", "name": "mine", "ranks": 4,
                          "links": links}), "mine.json")
    ordo.works("compile", "allreduce", "-n", 4, "-a", "ring(map=auto)", "-t", "mine.json", "--emit",
               "moves", "-o", "moves.json")
    ordo.works("compile", "moves.json", "-t", "mine.json", "-o", "s.json")
    ordo.works("compile", "allreduce", "-n", 4, "-a", "ring(map=auto)", "--fail-link", "0-1",
               "--emit", "moves", "-o", "failed.json")
    ordo.fails(2, r"none of those known by name\nhint: -t names it, and --fail-link what is down",
               "compile", "failed.json")
    ordo.works("compile", "failed.json", "--fail-link", "0-1")
    commands = (["order"], ["explain"], ["embed", "-o", "x.c"], ["export", "goal", "-o", "x.goal"],
                ["diff", "s.json"])
    for name, *words in commands:
        of_moves = [name, *words, "moves.json", "-t", "mine.json"]
        ordo.fails(2, r"topology \"mine\".*which is none of those known by name", *of_moves[:-2])
        made = ordo.works(*of_moves)
        ordo.fails(1, r"R12.*needs link (0-3|3-0)", *of_moves, "--fail-link",
                   "0-3")
        if name == "diff":
            wanted("bit-interchangeable" in made.out, made.out)
            continue
        plain = ordo.works(name, *words, "s.json")
        wanted(made.out.replace("moves.json", "s.json") == plain.out, name)
        ordo.fails(2, "--topology: found a schedule, which is compiled already, wanted moves", name,
                   *words, "s.json", "-t", "mine.json")
    ordo.fails(2, "found a schedule", "diff", "s.json", "s.json", "-t", "mine.json")
    ordo.fails(2, "--fail-link: found a schedule", "order", "s.json", "--fail-link", "0-2")
    ordo.fails(2, "--topology: found a schedule", "order", "--table", "-t", "mine.json")
    ordo.fails(2, "--topology: found a schedule", "explain", "G3", "-t", "mine.json")
    ordo.works("compile", "allreduce", "-n", 4, "--sizes", "1KiB:1MiB", "-o", "set")
    for words in (["embed", "set", "-o", "y.c"], ["export", "goal", "set"]):
        ordo.fails(2, "--topology: found a schedule", *words, "-t", "mine.json")


@desk_case("two reductions into one slot follow each other in the order of the list: one order")
def _(ordo):
    lines = ("copy 0i0 0o0", "reduce 1i0 0o0", "reduce 2i0 0o0", "reduce 3i0 0o0")
    put(ordo, moves(*lines, operator="Reduce", ranks=4, root=0))
    put(ordo, moves(lines[0], *reversed(lines[1:]), operator="Reduce", ranks=4, root=0),
        "back.json")
    done = ordo.works("verify", "moves.json")
    wanted("G2 run-to-run           holds" in done.out, done.out)
    wanted("(((0+1)+2)+3)" in ordo.works("explain", "moves.json").out.replace(" ", ""))
    wanted(ordo("diff", "moves.json", "back.json").returncode == 1)


@desk_case("a limit of tokens holds for moves, and its price is reported")
def _(ordo):
    ordo.works("compile", "allreduce", "-n", 4, "-a", "ring", "--emit", "moves", "-o", "moves.json")
    done = ordo.works("compile", "moves.json", "--max-tokens", 1, "-o", "a.json")
    wanted("at most 1 token on a signal" in done.err and "its price is 0 pairs" in done.err,
           done.err)
    ordo.works("compile", "allreduce", "-n", 4, "-a", "ring", "--max-tokens", 1, "-o", "b.json")
    wanted((ordo.folder / "a.json").read_bytes() == (ordo.folder / "b.json").read_bytes())


# The second reduction into slot 1 is one too many; the moves before it become two tasks.
TWICE = ("copy 0i0 0o0", "copy 0i1 0o1", "reduce 1i0 0o0", "reduce 1i1 0o1", "reduce 1i1 0o1",
         "copy 0o0 1o0 2")
# Lines of moves, head, exit code, and what is said at which line.
REFUSED = (
    (("copy 0s0 0o0",), {"scratch_slots": 1}, 1,
     r"moves.json:3:1: error\[R10\]: reads scratch slot 0 of rank 0, to which nothing was written\n"
     r"hint: an earlier move must have written it"),
    (("copy 0i0 0o0", "reduce 0i0 1o0"), {}, 1,
     r":4:1: error\[R10\]: adds chunk 0 to output slot 0 of rank 1, to which nothing was written"),
    (("copy 0i0 0s0", "copy 0i1 0s1", "reduce 0s0 0s1"),
     {"scratch_slots": 2, "chunks_per_block": 2}, 1,
     r":5:1: error\[R10\]: adds chunk 0 to scratch slot 1 of rank 0, which holds chunk 1"),
    (("copy 0i0 0o1",), {"chunks_per_block": 2}, 1,
     r":3:1: error\[R11\]: writes chunk 0 to output slot 1 of rank 0, the place of chunk 1"),
    (("copy 0o0 0i0",), {}, 1, r":3:1: error\[R10\]: reads output slot 0"),
    (("copy 0i0 1i0",), {}, 1,
     r":3:1: error\[R4\]: writes input slot 0 of rank 1, which is not in place\nhint: copy it"),
    (("copy 0i0 0o0", "copy 0i0 2o0"), {}, 3, r":4:1: error\[R2\]: to: found rank 2, wanted 0..1"),
    (("copy 0i0 0o0 2",), {}, 1,
     r":3:1: error\[R3\]: input slots: found 0..1, rank 0 has 1\nhint: "),
    (("copy 0i0 0s7",), {}, 1, r":3:1: error\[R3\]: scratch slots: found 7..7, rank 0 has 0"),
    (("copy 0i0 0o0 2147483647",), {}, 1, r":3:1: error\[R3\]"),
    (("copy 0i0 0o0 4294967296",), {}, 3,
     r":3:\d+: error\[R1\]: count: found 4294967296, wanted an integer of 1..2147483647"),
    (("copy 0i0 0o0",), {"chunks_per_block": 2**32}, 3,
     r":1:\d+: error\[R1\]: chunks_per_block: found 4294967296, wanted"),
    (("copy 0i0 0o0",), {"chunks_per_block": 2**30, "ranks": 4}, 5,
     r"compiling these moves takes about .* of memory"),
    (("copy 0i0 0s0",), {"scratch_slots": 2**31 - 1}, 5,
     r"compiling these moves takes about .*\nhint: fewer chunks or scratch slots take less"),
    ((), {}, 1, r"moves.json: error\[R11\]: rank 0, output slot 0 is never written"),
    ((), {"operator": "Broadcast"}, 3,
     r':1:\d+: error\[R1\]: the key "root" is missing: Broadcast has a root'),
    ((), {"operator": "Broadcast", "root": 2}, 3, r":1:\d+: error\[R1\]: root: found 2, wanted"),
    ((), {"operator": "Custom"}, 3, r":1:\d+: error\[R1\]: operator: found \"Custom\""),
    ((), {"operator": "AllGather", "accumulate": "f32"}, 3, r"error\[R1\]: accumulate"),
    ((), {"operator": "AllToAll", "in_place": True}, 3, r"error\[R1\]: in_place"),
    (("copy 0i0 0o0", "reduce 1i0 0o0", "reduce 1i0 0o0", "copy 0o0 1o0"), {}, 1,
     r"moves.json:5:1: error\[R11\]: rank 0, output slot 0 holds chunk 0 = .* wanted chunk 0, "),
    (("copy 0i0 0o0", "copy 0o0 1o0"), {}, 1, r"moves.json:4:1: error\[R11\]"),
    (TWICE, {"chunks_per_block": 2}, 1, r"moves.json:7:1: error\[R11\]: rank 0, output slot 1"),
    (TWICE, {"chunks_per_block": 2, "accumulate": "f32"}, 1,
     r"moves.json:8:1: error\[R11\]: rank 1, output slot 1"),
)


@desk_case("what cannot be is refused at the line of the move, by compile and by verify")
def _(ordo):
    for lines, head, code, message in REFUSED:
        put(ordo, moves(*lines, **head))
        for words in (["compile", "moves.json", "-o", "s.json"], ["verify", "moves.json"]):
            done = ordo(*words, "--memory-limit", "1GiB") if code == 5 and words[0] == "compile" \
                else ordo(*words) if code != 5 else None
            if not done:
                continue
            wanted(done.returncode == code, words, lines, done.returncode, done.err, done.out)
            wanted(re.search(message, done.out + done.err), words, lines, done.out, done.err)
        wanted("s.json" not in ordo.names(), "written, though refused")


@desk_case("errors point at the author's source where the moves name it")
def _(ordo):
    document = json.loads(moves(*SOUND, source="mine.py"))
    for number, move in enumerate(document["moves"]):
        move["line"] = 10 + number
    put(ordo, json.dumps(document))
    ordo.works("compile", "moves.json", "-o", "s.json")
    document["moves"][1]["from"] = [0, "scratch", 0]
    put(ordo, json.dumps({**document, "scratch_slots": 1}))
    ordo.fails(1, r"^mine.py:11:1: error\[R10\]: reads scratch slot 0 of rank 0", "compile",
               "moves.json")
    document["moves"][1]["from"] = [0, "input", 0]
    put(ordo, json.dumps(document))
    done = ordo("compile", "moves.json", "-o", "t.json")
    wanted(done.returncode == 1 and re.search(r"mine.py:1[12]:1: error\[R11\]", done.out), done.out)


@desk_case("a topology: moves need its links, and one that is not known by name is asked for")
def _(ordo):
    put(ordo, moves("copy 0i0 0o0", "copy 0i0 2o0", "copy 0i0 1o0", "copy 0i0 3o0",
                    operator="Broadcast", ranks=4, root=0))
    ordo.works("compile", "moves.json", "-o", "s.json")
    ordo.fails(1, r"moves.json:4:1: error\[R12\]: needs link 0-2", "compile", "moves.json", "-t",
               "ring")
    ordo.fails(1, r"moves.json:4:1: error\[R12\]: needs link 0-2", "verify", "moves.json", "-t",
               "ring")
    ordo.fails(1, r"moves.json:5:1: error\[R12\]: needs link 0-1", "compile", "moves.json",
               "--fail-link", "0-1")
    ordo.fails(2, "ranks", "compile", "moves.json", "-t", "torus:3x3")
    text = moves(*SOUND, topology={"name": "full-mesh", "digest": "0" * 32})
    put(ordo, text)
    ordo.fails(2, r'are for topology "full-mesh" of digest 0{32}.*\nhint: -t names it', "order",
               "moves.json")
    ordo.works("compile", "moves.json", "-t", "full-mesh", "-o", "t.json")


@desk_case("conditions hold for moves; options that the document decides are refused")
def _(ordo):
    ordo.works("compile", "allreduce", "-n", 4, "-a", "ring", "--emit", "moves", "-o", "moves.json")
    ordo.fails(1, "G3", "compile", "moves.json", "--require", "G3", "-o", "s.json")
    ordo.works("compile", "moves.json", "--require", "G1,G2", "-o", "s.json")
    for option in (["-a", "ring"], ["-n", 4], ["-k", 2], ["--root", 1], ["--in-place"],
                   ["--size", "1MiB"], ["--sizes", "1:"], ["--fail-any-link"], ["--shards", 8]):
        ordo.fails(2, r"which is a file, not an operator\nhint: the document of the moves says it",
                   "compile", "moves.json", *option)
    before = (ordo.folder / "moves.json").read_bytes()
    ordo.fails(2, "which is what is read", "compile", "moves.json", "-o", "moves.json")
    wanted((ordo.folder / "moves.json").read_bytes() == before)
    ordo.fails(2, "--emit: found text, wanted moves or schedule", "compile", "moves.json", "--emit",
               "text")
    ordo.fails(2, "--emit moves writes one program", "compile", "allreduce", "-n", 4, "--sizes",
               "1:", "--emit", "moves")
    ordo.fails(5, "none.json: .*cannot read", "compile", "none.json")
    ordo.fails(3, "found \"ordo/schedule/1\", wanted \"ordo/moves/1\"", "compile", "s.json")


run_cases()
