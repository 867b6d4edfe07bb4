#!/usr/bin/env python3
"""test_chakra.py ORDO REJECT - export chakra: decoded by hand and by protoc, and run in random
orders on symbolic data."""
import chakra
from command import REJECT
from desk import desk_case
from document import SCHEDULES, Document, count_blocks
from operations import check_matches, check_moves, check_orders
from tap import run_cases, wanted


def export(ordo, schedule, *words):
    operator, ranks, algorithm, more = schedule
    ordo.compile("x.json", *more, operator=operator, ranks=ranks, algorithm=algorithm)
    ordo.works("export", "chakra", "x.json", "-o", "traces", *words)
    return Document((ordo.folder / "x.json").read_text())


@desk_case("the traces have the messages, the sizes and an order that keeps every result")
def _(ordo):
    for number, schedule in enumerate(SCHEDULES):
        for words in [(), ("--signals", )]:
            document = export(ordo, schedule, "--size", 100003, *words)
            operations = chakra.read_traces(ordo.folder / "traces")
            check_moves(document, operations, 100003 // count_blocks(document) // 4)
            check_orders(document, operations, check_matches(operations), 4, number)


@desk_case("protoc reads the same by the schema, where it is installed")
def _(ordo):
    for schedule in SCHEDULES if chakra.PROTOC else []:
        export(ordo, schedule, "--reduce-bandwidth", 0.01, "--copy-bandwidth", 0.01)
        for path in (ordo.folder / "traces").iterdir():
            data = path.read_bytes()
            by_hand, by_protoc = chakra.decode(data), chakra.decode_by_protoc(data, ordo.folder)
            wanted(by_hand == by_protoc, path, by_hand, by_protoc)


@desk_case("durations are microseconds, and times that round to nothing are told")
def _(ordo):
    ordo.compile("x.json")
    words = ("export", "chakra", "x.json", "-o", "traces", "--size", "4000000")
    ordo.works(*words, "--reduce-bandwidth", 0.5)
    calcs = [one for one in chakra.read_traces(ordo.folder / "traces") if one.kind == "calc"]
    wanted({one.time for one in calcs} == {0, 2000000}, calcs)
    done = ordo.works(*words, "--reduce-bandwidth", 1e6)
    wanted("12 calculations of less are 0" in done.err, done.err)


@desk_case("a rank without operations has a node, so that a reader ends")
def _(ordo):
    ordo.compile("x.json", "--in-place", ranks=1)
    ordo.works("export", "chakra", "x.json", "-o", "traces")
    nodes = chakra.decode((ordo.folder / "traces" / "schedule.0.et").read_bytes())
    wanted([(node["name"], node["type"]) for node in nodes] == [("nothing", "COMP_NODE")], nodes)


@desk_case("the folder appears whole or not at all, and replaces only traces and schedules")
def _(ordo):
    ordo.compile("x.json")
    ordo.fails(2, "--output: found none, wanted the name of a folder", "export", "chakra", "x.json")
    ordo.works("export", "chakra", "x.json", "-o", "traces")
    ordo.compile("small.json", ranks=3)
    ordo.works("export", "chakra", "small.json", "-o", "traces")
    wanted(len(list((ordo.folder / "traces").iterdir())) == 3)
    ordo.fails(1, "nothing written, because it is refuted", "export", "chakra",
               REJECT / "R7-circle-of-three.json", "-o", "traces")
    wanted(len(list((ordo.folder / "traces").iterdir())) == 3)
    (ordo.folder / "traces" / "mine.et").write_text("")
    ordo.fails(2, 'contains "mine.et"', "export", "chakra", "x.json", "-o", "traces")
    wanted(ordo.names() == ["small.json", "traces", "x.json"], ordo.names())


run_cases()
