"""command.py - what several tests of the command share. argv[1] is the command, argv[2] the folder
of documents that break a rule each."""
import json
import pathlib
import re
import subprocess
import sys

import strict_json
from desk import ORDO

REJECT = pathlib.Path(sys.argv[2]).absolute()
COMMANDS = re.findall(
    r"^  (\w+) ",
    subprocess.run([ORDO, "--help"], check=True, stdout=subprocess.PIPE,
                   text=True).stdout.split("commands:\n")[1].split("\n\n")[0], re.M)
# By hand, to be compared with what `ordo list` says.
OPERATORS = [
    "AllReduce", "Reduce", "Broadcast", "ReduceScatter", "AllGather", "Scatter", "Gather",
    "AllToAll"
]


def own_first(ordo, name, ranks=4):
    """AllReduce in which every rank adds the others' parts to its own, in ascending order: no
    two ranks need agree."""
    def task(kind, peer, **rest):
        return {"task": kind, **({"peer": peer} if peer is not None else {}), **rest}
    programs = []
    for own in range(ranks):
        others = [rank for rank in range(ranks) if rank != own]
        tasks = [task("Notify", peer, signal=0) for peer in others]
        tasks += [task("LocalCopy", None, chunk=0, src=["input", 0], dst=["output", 0])]
        for peer in others:
            tasks += [
                task("Wait", peer, signal=0),
                task("Send", peer, chunk=0, src=["input", 0], dst=["scratch", own]),
                task("Notify", peer, signal=1)
            ]
        for peer in others:
            tasks += [
                task("Wait", peer, signal=1),
                task("LocalReduce", None, chunk=0, src=["scratch", peer], dst=["output", 0])
            ]
        programs.append({"rank": own, "streams": [{"name": "main", "tasks": tasks}]})
    (ordo.folder / name).write_text(
        json.dumps({
            "schema": "ordo/schedule/1", "operator": "AllReduce", "algorithm": "own first",
            "ranks": ranks, "chunks_per_block": 1, "scratch_slots": ranks, "in_place": False,
            "programs": programs
        }))


def hostile_document(ordo, name):
    """A sound schedule whose names are made to be obeyed: by terminals, by dot, by readers of
    lines."""
    evil = "r\x1b[31mX\x07\r\n\u009b2J\u202e\"<>&|{}\\N\\"
    document = strict_json.loads(ordo.compile(name).read_text())
    document.update({"algorithm": evil, "phases": [evil for _ in document["phases"]]})
    document["topology"] = {"name": evil, "digest": "0" * 32}
    for program in document["programs"]:
        program["streams"][0]["name"] = evil
    (ordo.folder / name).write_text(json.dumps(document))
    links = [{"from": a, "to": b, "class": evil, "latency_ns": 1, "bandwidth_gbs": 1}
             for a in range(4) for b in range(4) if a != b]
    topology = {"schema": "ordo/topology/1", "name": evil, "ranks": 4, "links": links}
    (ordo.folder / "links.json").write_text(json.dumps(topology))
    topology["links"] = links[1:]
    (ordo.folder / "short.json").write_text(json.dumps(topology))
