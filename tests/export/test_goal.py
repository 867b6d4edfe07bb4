#!/usr/bin/env python3
"""test_goal.py ORDO REJECT - export goal: read back by a parser of its own, run in random orders on
symbolic data, and in time."""
from command import REJECT
from desk import desk_case
from document import SCHEDULES, Document, count_blocks
from goal import read_goal
from operations import LogGP, check_matches, check_moves, check_orders
from tap import run_cases, wanted


def compile_and_export(ordo, schedule, *words):
    operator, ranks, algorithm, more = schedule
    ordo.compile("x.json", *more, operator=operator, ranks=ranks, algorithm=algorithm)
    text = ordo.works("export", "goal", "x.json", *words).out
    return Document((ordo.folder / "x.json").read_text()), text, read_goal(text)


@desk_case("a parser reads back the sizes, the messages and an order that keeps every result")
def _(ordo):
    for number, schedule in enumerate(SCHEDULES):
        for words in [(), ("--signals", )]:
            document, text, operations = compile_and_export(ordo, schedule, "--size", 100003,
                                                            *words)
            size = count_blocks(document) * (100003 // count_blocks(document) // 4) * 4
            wanted(f" {size} bytes of f32" in text, text[:200])
            pairs = check_matches(operations)
            check_moves(document, operations, size // count_blocks(document) // 4)
            check_orders(document, operations, pairs, 6, number)


@desk_case("a dependence less is noticed: some order then has another result")
def _(ordo):
    document, _, operations = compile_and_export(ordo, ("allreduce", 4, "ring", ()))
    pairs, noticed = check_matches(operations), 0
    edges = [(one, need) for one in operations for need in one.needs]
    for one, need in edges:
        one.needs.remove(need)
        try:
            check_orders(document, operations, pairs, 8)
        except (AssertionError, KeyError):
            noticed += 1
        one.needs.append(need)
    wanted(noticed > len(edges) / 3, noticed, len(edges))


@desk_case("with --signals every Wait has a message: data, or one byte")
def _(ordo):
    document, _, plain = compile_and_export(ordo, SCHEDULES[0])
    ones = [one for one in plain if one.size == 1]
    wanted(not ones, ones)
    signals = read_goal(ordo.works("export", "goal", "x.json", "--signals").out)
    carried = {one.task for one in signals if one.kind == "send"}
    for rank, number, place, task in document.tasks():
        if task["task"] == "Notify" and task["peer"] != rank:
            wanted((rank, number, place) in carried or (rank, number, place - 1) in carried, task)
    wanted(any(one.size == 1 for one in signals))


@desk_case("where the models coincide the time is that of ordo predict")
def _(ordo):
    costs = ("--bandwidth", 2, "--reduce-bandwidth", 8)
    for schedule in [("allreduce", 5, "ring", ()), ("reduce-scatter", 8, "ring", ()),
                     ("allgather", 7, "ring", ()), ("allreduce", 4, "ring", ("--in-place", )),
                     ("broadcast", 6, "chain", ("--chunks", 1)),
                     ("reduce", 4, "chain", ("--chunks", 1)),
                     ("allreduce", 8, "dyadic", ())]:
        for size in (280 * 1024, 840 * 1024):
            predict_and_compare(ordo, schedule, size, costs)


def predict_and_compare(ordo, schedule, size, costs):
    _, _, operations = compile_and_export(ordo, schedule, "--size", size, *costs[2:])
    seconds = ordo.answer("predict", "x.json", "--size", size, "--alpha-ns", 700,
                          *costs)["seconds"]
    found = LogGP(operations, check_matches(operations), 700, 1 / 2).run() * 1e-9
    wanted(abs(found - seconds) < 1e-9 * len(operations), schedule, size, found, seconds)


@desk_case("bad input is refused, and nothing is written")
def _(ordo):
    ordo.compile("x.json")
    ordo.fails(2, "wanted a format, .*goal.*found 0 operands", "export")
    ordo.fails(2, "wanted a format, .*goal.*found 1 operand\n", "export", "goal")
    ordo.fails(2, "found 3 operands", "export", "goal", "x.json", "x.json")
    ordo.fails(2, "format: found goals, wanted msccl, goal[^?]*did you mean goal?", "export",
               "goals", "x.json")
    ordo.fails(2, "--type: found f31", "export", "goal", "x.json", "--type", "f31")
    ordo.fails(5, "nothing.json", "export", "goal", "nothing.json", "-o", "out")
    ordo.fails(1, "nothing written, because it is refuted", "export", "goal",
               REJECT / "R7-circle-of-three.json", "-o", "out")
    wanted(ordo.names() == ["x.json"], ordo.names())


run_cases()
