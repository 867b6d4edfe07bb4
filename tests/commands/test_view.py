#!/usr/bin/env python3
"""test_view.py ORDO REJECT - view: the page."""
import os
import re

import strict_json
from command import REJECT
from desk import desk_case
from tap import run_cases, wanted


def page_data(text):
    """What a page shows, which is JSON in it."""
    return strict_json.loads(re.search(r'<script type="application/json" id="data">(.*?)</script>',
                                       text, re.DOTALL).group(1))


@desk_case(
    "view: one page, the same bytes each time, with the schedule, the verdict and the command in it"
)
def _(ordo):
    ordo.compile("ring.json", "--fail-link", "0-1", ranks=8)
    words = ["view", "ring.json", "--fail-link", "0-1", "--type", "bf16", "--bytes", "16MiB"]
    page = ordo.works(*words).out
    wanted(ordo.works(*words).out == page)
    wanted(
        page.startswith("<!DOCTYPE html>") and page.count("</script>") == 2
        and "<title>AllReduce on 8 ranks by ring</title>" in page)
    data = page_data(page)
    document = strict_json.loads((ordo.folder / "ring.json").read_text())
    tasks = [
        task for program in document["programs"] for stream in program["streams"]
        for task in stream["tasks"]
    ]
    wanted([task["task"] for task in tasks] ==
           [["LocalCopy", "LocalReduce", "Send", "SendReduce", "Notify", "Wait"][kind]
            for kind in data["tasks"]["kind"]])
    wanted(sorted(data["order"]) == list(range(len(tasks))) and len(set(data["path"])) > 10)
    wanted(data["verdict"]["proved"] and data["verdict"]["judged"]["type"] == "bf16"
           and data["time"]["bytes"] == 16 << 20)
    predicted = ordo.answer("view", "ring.json", "--fail-link", "0-1", "--type", "bf16", "--bytes",
                            "16MiB", "-o", "ring.html")
    wanted(
        abs(predicted["seconds"] - data["time"]["total"]) <= 1e-15
        and predicted["output"] == "ring.html" and predicted["proved"], predicted)
    wanted(
        predicted["page_bytes"] == os.path.getsize(ordo.folder / "ring.html")
        and predicted["tasks_shown"] == 366, predicted)
    wanted(page_data(ordo.answer("view", "ring.json")["page"])["shown"]["all"])
    wanted(data["command"] == "ordo view ring.json --fail-link 0-1 --type bf16 --bytes 16MiB",
           data["command"])
    wanted(
        page_data(ordo.works("view", "--", "ring.json").out)["command"] == "ordo view -- ring.json")


@desk_case("view: the steps are in time, each stream's in its order, no Wait before its Notify")
def _(ordo):
    ordo.compile("birs.json", operator="reducescatter", ranks=8, algorithm="birs")
    data = page_data(ordo.works("view", "birs.json").out)
    tasks, order = data["tasks"], data["order"]
    at = {task: i for i, task in enumerate(order)}
    wanted([tasks["end"][task] for task in order] == sorted(tasks["end"]))
    for rank, number, first, end, shown in data["streams"]:
        wanted([at[task] for task in range(first, end)] == sorted(at[task]
                                                                  for task in range(first, end)),
               rank, number)
    waits = [task for task, kind in enumerate(tasks["kind"]) if kind == 5]
    wanted(
        waits
        and all(tasks["kind"][tasks["notify"][wait]] == 4 and at[tasks["notify"][wait]] < at[wait]
                for wait in waits))


@desk_case("view: what is refuted, stuck or large is shown as far as it goes, and that is said")
def _(ordo):
    stuck = ordo.works("view", REJECT / "R7-both-wait-first.json", "-o", "stuck.html")
    wanted(
        "refuted: the page shows why; R7 is the first" in stuck.err
        and "stuck: " in stuck.err, stuck.err)
    data = page_data((ordo.folder / "stuck.html").read_text())
    wanted(
        len(data["order"]) < len(data["tasks"]["kind"]) and len(data["verdict"]["stopped"]) == 2
        and not data["time"]["predicted"], data["verdict"]["stopped"])
    ordo.works("compile", "allreduce", "--ranks", 128, "--algorithm", "halving-doubling", "-o",
               "large.json")
    done = ordo.works("view", "large.json", "-o", "large.html")
    wanted(
        re.search(
            r"shown: \d+ of \d+ tasks, those of 64 of 128 ranks and data that they receive; "
            r"choose others with --ranks 64-127\n",
            done.err), done.err)
    # What is proposed is there.
    ordo.compile("ring.json")
    wanted("choose others with --ranks 2-3\n" in ordo.works("view", "ring.json", "--ranks", "0-1",
                                                            "-o", "few.html").err)
    wanted("choose others with --ranks 0-1\n" in ordo.works("view", "ring.json", "--ranks", "2-3",
                                                            "-o", "few.html").err)
    ordo.works("compile", "allreduce", "-n", 1, "-o", "one.json")
    wanted(": 1 task in 1 stream, 1 move and 0 notify-wait pairs\n" in ordo.works(
        "verify", "one.json").out)
    data = page_data((ordo.folder / "large.html").read_text())
    wanted(
        data["shown"]["ranks"] == list(range(64)) and data["shown"]["incoming"] > 0
        and not data["shown"]["all"], data["shown"])
    some = page_data(
        ordo.works("view", "large.json", "--ranks", "5,100-101", "--max-tasks", 50).out)
    wanted(
        some["shown"]["ranks"] == [5, 100, 101] and some["shown"]["tasks"] == 50
        and not some["shown"]["all_tasks"], some["shown"])
    wanted(
        len(some["incoming"]) == 3 *
        sum(some["tasks"]["count"][task]
            for rank, number, first, end, shown in some["streams"] if not shown
            for task in range(first, end)))


@desk_case("view: of a plan set the schedule for a size")
def _(ordo):
    ordo.works("compile", "allreduce", "--ranks", 4, "--topology", "hypercube", "--sizes", "1:1GiB",
               "-o", "set")
    few, many = [
        page_data(ordo.works("view", "set", "--bytes", size).out) for size in ("64", "512MiB")
    ]
    wanted(few["schedule"]["algorithm"] != many["schedule"]["algorithm"], few["schedule"],
           many["schedule"])


@desk_case("view: what makes no sense is refused, and what was there before stays")
def _(ordo):
    ordo.compile("ring.json")
    (ordo.folder / "page.html").write_text("before")
    ordo.fails(3, r"found", "view", REJECT / "R1-truncated-in-a-task.json", "-o", "page.html")
    ordo.fails(2, r"--ranks", "view", "ring.json", "--ranks", "7", "-o", "page.html")
    ordo.fails(2, r"at most 64", "view", ordo.compile("wide.json", ranks=66, algorithm="mesh"),
               "--ranks", "0-65", "-o", "page.html")
    ordo.fails(2, r"--type: found f33", "view", "ring.json", "--type", "f33", "-o", "page.html")
    ordo.fails(2, r"--op: found plus", "view", "ring.json", "--op", "plus", "-o", "page.html")
    gather = ordo.compile("gather.json", operator="allgather")
    ordo.fails(2, r"adds nothing", "view", gather, "--against", "ring.json", "-o", "page.html")
    ordo.fails(2, r"", "view", "ring.json", "--against", "gather.json", "-o", "page.html")
    ordo.fails(5, r"nowhere.json", "view", "ring.json", "--against", "nowhere.json", "-o",
               "page.html")
    ordo.fails(2, r"nothing else", "view", "ring.json", "ring.json", "-o", "page.html")
    ordo.fails(2, r"wanted", "view")
    ordo.fails(5, r"", "view", "ring.json", "-o", "nowhere/page.html")
    wanted((ordo.folder / "page.html").read_text() == "before"
           and ordo.names() == ["gather.json", "page.html", "ring.json", "wide.json"], ordo.names())


run_cases()
