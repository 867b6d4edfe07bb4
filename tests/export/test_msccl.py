#!/usr/bin/env python3
"""test_msccl.py ORDO REJECT [MOST] - export msccl: every algorithm on some ranks, judged by the
importer and by an interpreter that shares nothing with either. With MOST, prints a table."""
import collections
import json
import sys

import interpreter
from desk import desk_case
from tap import run_cases, wanted

MOST = int(sys.argv[3]) if len(sys.argv) > 3 else 0
RUNTIMES = [("rccl", "Simple"), ("azure", "LL"), ("microsoft", "Simple"), ("microsoft", "LL128")]
UNDESCRIBED = ("Gather", "Scatter")


def judge(ordo, name, digest, runtime):
    """The file has the order, and no fault or warning; the command and the interpreter agree."""
    done = ordo.works("verify", name, "--json", "--root", ROOT)
    wanted(not done.err, "warned", done.err)
    answer = json.loads(done.out)
    wanted(answer["proved"] and answer["order_digest"] == digest, name, answer["order_digest"])
    facts = answer["msccl"]
    wanted(0 < facts["least_slots"] <= facts["slots"], facts)
    wanted(facts["ignored_by"][runtime] is None, facts)
    wanted(runtime != "microsoft" or facts["protocol"] != "Simple" or
           not facts["chained_reductions"], facts)
    found = interpreter.judge((ordo.folder / name).read_text())
    wanted(not found.faults + found.doubts + found.refusals, found.faults, found.doubts,
           found.refusals)
    again = interpreter.judge((ordo.folder / name).read_text(), None, 1, 1)
    wanted(not again.faults, again.faults)


ROOT = 1


def round_trip(ordo, request, runtime, protocol):
    """None: the algorithm refuses the ranks; else the answer of export, or its refusal."""
    operator, ranks, algorithm = request
    rooted = ["--root", ROOT] if operator in ("Reduce", "Broadcast") else []
    compiled = ordo("compile", operator, "-n", ranks, "-a", algorithm, *rooted, "-o", "x.json",
                    "--json")
    if compiled.returncode:
        return None
    done = ordo("export", "msccl", "x.json", "--runtime", runtime, "--proto", protocol, "-o",
                "x.xml", "--json")
    if done.returncode:
        wanted(done.returncode == 4, request, done.err)
        return done.out + done.err
    judge(ordo, "x.xml", json.loads(compiled.out)["order_digest"], runtime)
    return json.loads(done.out)


def requests(ordo, ranks):
    for algorithm in ordo.answer("list")["algorithms"]:
        for operator in algorithm["operators"]:
            for count in ranks:
                yield operator, count, algorithm["name"]


@desk_case("every algorithm comes back with its order, or its operator is refused by name")
def _(ordo):
    if MOST:
        return
    written = refused = fused = 0
    for number, request in enumerate(requests(ordo, (3, 8))):
        found = round_trip(ordo, request, *RUNTIMES[number % len(RUNTIMES)])
        if isinstance(found, str):
            wanted(request[0] in UNDESCRIBED and request[0] in found, request, found)
            refused += 1
        elif found:
            written += 1
            fused += found["fused"]
    wanted(written > 60 and refused > 15 and fused > 500, written, refused, fused)


@desk_case("on 2 to MOST ranks, for every runtime and protocol")
def _(ordo):
    table = collections.defaultdict(collections.Counter)
    for request in requests(ordo, range(2, MOST + 1)):
        for runtime, protocol in RUNTIMES:
            found = round_trip(ordo, request, runtime, protocol)
            if found is None:
                continue
            row = table[request[2]]
            row["refused" if isinstance(found, str) else "written"] += 1
            if isinstance(found, str):
                wanted(request[0] in UNDESCRIBED, request, found)
    for name, row in table.items():
        print(f"# | {name} | {row['written']} | {row['refused']} |")
    print(f"# {sum(row['written'] for row in table.values())} written, "
          f"{sum(row['refused'] for row in table.values())} refused")


@desk_case("a ring is fused, in one block, and needs two slots; a mesh needs one")
def _(ordo):
    found = round_trip(ordo, ("AllReduce", 8, "ring"), "rccl", "Simple")
    wanted(found["fused"] == 8 * 13 and found["least_slots"] == 2, found)
    text = (ordo.folder / "x.xml").read_text()
    wanted(all(f'send="{(gpu + 1) % 8}" recv="{(gpu - 1) % 8}"' in text for gpu in range(8)), text)
    found = round_trip(ordo, ("AllReduce", 8, "mesh"), "rccl", "Simple")
    wanted(found["fused"] == 0 and found["least_slots"] == 1, found)


def relayed():
    """Rank 3 passes on what 1 and 2 have, then sends its own; rank 0 adds when all is there."""
    move = {"chunk": 0, "phase": 0}

    def notify(peer):
        return {"task": "Notify", "peer": peer, "signal": 0}

    def wait(peer):
        return {"task": "Wait", "peer": peer, "signal": 0}

    def send(peer, src, dst):
        return {"task": "Send", "peer": peer, "src": src, "dst": dst, **move}

    def local(kind, src):
        return {"task": kind, "src": src, "dst": ["output", 0], **move}

    def relay(src, dst):
        return [notify(src), wait(src)], [send(0, ["scratch", src - 1], dst), notify(0)]

    first, second = relay(1, ["scratch", 0]), relay(2, ["scratch", 1])
    tasks = [[notify(3), *[wait(3)] * 3, local("LocalReduce", ["scratch", 0]),
              local("LocalReduce", ["scratch", 1]), local("LocalReduce", ["input", 0])],
             [wait(3), send(3, ["input", 0], ["scratch", 0]), notify(3)],
             [wait(3), send(3, ["input", 0], ["scratch", 1]), notify(3)],
             [*first[0], *second[0], wait(0), *first[1], *second[1],
              send(0, ["input", 0], ["output", 0]), notify(0)]]
    return json.dumps({"schema": "ordo/schedule/1", "operator": "Reduce", "algorithm": "by hand",
                       "ranks": 4, "root": 0, "chunks_per_block": 1, "scratch_slots": 2,
                       "in_place": False, "phases": ["all"],
                       "programs": [{"rank": rank, "streams": [{"name": "one", "tasks": list_}]}
                                    for rank, list_ in enumerate(tasks)]})


@desk_case("reductions into one slot are not chained for Microsoft's runtime by Simple alone")
def _(ordo):
    (ordo.folder / "x.json").write_text(relayed())
    digest = ordo.answer("verify", "x.json")["order_digest"]
    for runtime, protocol, chained in (("microsoft", "Simple", 0), ("rccl", "Simple", 1),
                                       ("microsoft", "LL", 1)):
        ordo.works("export", "msccl", "x.json", "--runtime", runtime, "--proto", protocol, "-o",
                   "x.xml")
        facts = ordo.answer("verify", "x.xml", "--root", 0)
        wanted(facts["msccl"]["chained_reductions"] == chained, runtime, protocol, facts)
        wanted(facts["order_digest"] == digest, facts)


@desk_case("the limits of each runtime")
def _(ordo):
    ordo.compile("x.json", operator="allreduce", ranks=64, algorithm="ring")
    ordo.fails(4, r"126 messages from gpu 0 to gpu 1: .* at most 64 steps in a tb", "export",
               "msccl", "x.json", "-o", "x.xml")
    wanted(not (ordo.folder / "x.xml").exists())
    ordo.works("export", "msccl", "x.json", "--runtime", "microsoft", "-o", "x.xml")
    ordo.compile("x.json", operator="allreduce", ranks=64, algorithm="mesh")
    ordo.works("export", "msccl", "x.json", "-o", "x.xml")
    ordo.compile("x.json", operator="allreduce", ranks=80, algorithm="mesh")
    ordo.fails(4, "rccl would ignore the file: .* tb on a gpu, at most 64", "export", "msccl",
               "x.json")


@desk_case("what the format does not have is refused by name")
def _(ordo):
    for words, message in ((("--shards", 8), "virtual shards"),
                           (("--accumulate", "f32"), "accumulated in another form")):
        ordo.compile("x.json", *words, operator="allreduce", ranks=4, algorithm="mesh")
        ordo.fails(4, message, "export", "msccl", "x.json")
    ordo.fails(2, "did you mean rccl", "export", "msccl", "x.json", "--runtime", "rcl")
    ordo.fails(2, "did you mean ll128", "export", "msccl", "x.json", "--proto", "ll12")
    ordo.fails(2, "--from below --to", "export", "msccl", "x.json", "--from", "2K", "--to", "1K")


@desk_case("sizes of the file; the root of a broadcast")
def _(ordo):
    ordo.compile("x.json", operator="broadcast", ranks=4, algorithm="tree")
    said = ordo.works("export", "msccl", "x.json", "--from", "4KiB", "--to", "1MiB", "-o", "x.xml")
    wanted("for root 0 only" in said.err, said.err)
    wanted('minBytes="4096" maxBytes="1048576">' in (ordo.folder / "x.xml").read_text())
    ordo.works("export", "msccl", "x.json", "--to", "1MiB", "--runtime", "microsoft", "-o", "x.xml")
    wanted('minBytes="0" maxBytes="1048577">' in (ordo.folder / "x.xml").read_text())


@desk_case("messages of more than 71 chunks are several steps")
def _(ordo):
    ordo.compile("x.json", "--chunks", 100, operator="allgather", ranks=3, algorithm="mesh")
    ordo.works("export", "msccl", "x.json", "-o", "x.xml")
    text = (ordo.folder / "x.xml").read_text()
    wanted(max(block.cnt for block in steps(text)) == 71, text)
    judge(ordo, "x.xml", ordo.answer("verify", "x.json")["order_digest"], "rccl")


def steps(text):
    return [step for block in interpreter.File(text).blocks.values() for step in block.steps]


run_cases()
