#!/usr/bin/env python3
"""test_trace.py ORDO REJECT - what `ordo run --trace` writes, held against the document that was
run.

ORDO is the command, REJECT the folder of documents that break a rule each. Which Wait takes the
token of which Notify is found here from the document alone.
"""
import collections
import json
import os
import pathlib
import subprocess
import sys
import tempfile

import strict_json
from algorithms import applicable
from tap import case, run_cases, wanted

ORDO = os.path.abspath(sys.argv[1])
REJECT = pathlib.Path(sys.argv[2]).absolute()
# Times are written in microseconds with three digits, and floats have room for them only nearly.
EXACT = 1e-6


def ordo(*words, status=0):
    done = subprocess.run([ORDO, *map(str, words)], capture_output=True, text=True, timeout=120)
    wanted(done.returncode == status, words, f"exit code {done.returncode}, wanted {status}",
           done.stdout, done.stderr)
    return done


def folder_case(sentence):
    def register(function):
        def run():
            with tempfile.TemporaryDirectory() as folder:
                os.chdir(folder)
                try:
                    function()
                finally:
                    os.chdir("/")
        return case(sentence)(run)
    return register


def tasks_of(document):
    """(rank, position of the stream in the rank, position in the stream) -> task, as the
    document has them."""
    return {(program["rank"], s, i): task
            for program in document["programs"] for s, stream in enumerate(program["streams"])
            for i, task in enumerate(stream["tasks"])}


def pairs_of(document):
    """The place of a Wait -> the place of the Notify whose token it takes: the j-th takes the
    j-th."""
    notifies, waits = collections.defaultdict(list), collections.defaultdict(list)
    for place, task in sorted(tasks_of(document).items()):
        if task["task"] == "Notify":
            notifies[place[0], task["peer"], task["signal"]].append(place)
        elif task["task"] == "Wait":
            waits[task["peer"], place[0], task["signal"]].append(place)
    return {wait: notify for key in waits for wait, notify in zip(waits[key], notifies[key])}


def text_of(task):
    """The task as messages show it."""
    words = [task["task"]] + ([str(task["peer"])] if "peer" in task else [])
    if "signal" in task:
        return " ".join(words + ["signal", str(task["signal"])])
    count = task.get("count", 1)
    words.append(f"chunk {task['chunk']}" if count ==
                 1 else f"chunks {task['chunk']}..{task['chunk'] + count - 1}")
    return " ".join(words +
                    [f"{task['src'][0]} {task['src'][1]} -> {task['dst'][0]} {task['dst'][1]}"])


class Trace:
    """A trace read back: names, slices and arrows, held against the document."""

    def __init__(self, path, document, nplan=1):
        self.document = document
        self.ranks = document["ranks"]
        file = strict_json.loads(pathlib.Path(path).read_text())
        wanted("displayTimeUnit" not in file,
               "some viewers take it for the unit of the times, which are microseconds")
        wanted(file["otherData"]["operator"] == document["operator"]
               and file["otherData"]["algorithm"] == document["algorithm"])
        events = collections.defaultdict(list)
        for event in file["traceEvents"]:
            events[event["ph"]].append(event)
        wanted(set(events) <= set("MXsf"), set(events))
        self.read_names(events["M"], nplan)
        self.tokens = [event for event in events["X"] if event["name"] == "token"]
        self.read_slices([event for event in events["X"] if event["name"] != "token"])
        self.read_arrows(events["s"], events["f"])

    def read_names(self, events, nplan):
        self.place = {}  # (process, thread) -> (plan, rank, stream)
        tables = collections.defaultdict(dict)
        for event in events:
            key = event["pid"], event.get("tid")
            wanted(key not in tables[event["name"]], "named twice", event)
            tables[event["name"]][key] = event["args"].get("name", event["args"].get("sort_index"))
        tid = 0
        for plan in range(nplan):
            for program in self.document["programs"]:
                pid = plan * self.ranks + program["rank"]
                name = f"rank {program['rank']}" + (f", interleaving {plan + 1}"
                                                    if nplan > 1 else "")
                wanted(tables["process_name"].get((pid, None)) == name, tables["process_name"],
                       name)
                wanted(tables["process_sort_index"].get((pid, None)) == pid,
                       tables["process_sort_index"])
                for s, stream in enumerate(program["streams"]):
                    tid += 1
                    wanted(tables["thread_name"].get((pid, tid)) == stream["name"],
                           tables["thread_name"], stream["name"])
                    wanted(tables["thread_sort_index"].get((pid, tid)) == tid)
                    self.place[pid, tid] = plan, program["rank"], s
        wanted(
            len(tables["process_name"]) == nplan * self.ranks and len(tables["thread_name"]) == tid)
        wanted(len(tables) == 4, set(tables))

    def read_slices(self, events):
        tasks, phases = tasks_of(self.document), self.document.get("phases", [])
        self.slices = {}  # (plan, call, round) -> place of a task -> event
        threads = collections.defaultdict(list)
        for event in events:
            plan, rank, stream = self.place[event["pid"], event["tid"]]
            about = event["args"]
            place = rank, stream, about["index"]
            one = self.slices.setdefault((plan, about["call"], about["round"]), {})
            wanted(place not in one, "a task twice in a round", event)
            one[place] = event
            task = tasks[place]
            wanted(event["name"] == task["task"] and about["task"] == text_of(task), event, task)
            wanted(event["cat"] == (phases[task["phase"]] if "phase" in task else "no phase"),
                   event, task)
            wanted(("bytes" in about) == ("chunk" in task), event)
            if "chunk" in task:
                wanted((about["chunk"], about["chunks"]) == (task["chunk"], task.get("count", 1)),
                       event, task)
            wanted(event["ts"] >= 0 and event["dur"] >= 0, event)
            threads[event["pid"], event["tid"]].append(
                (about["call"], about["round"], about["index"], event["ts"], event["dur"]))
        for runs in threads.values():
            runs.sort()
            for before, after in zip(runs, runs[1:]):
                wanted(before[3] + before[4] <= after[3] + EXACT, "slices of a stream overlap",
                       before, after)
        wanted(min(event["ts"] for event in events) == 0)

    def read_arrows(self, begins, ends):
        begins, ends = ({event["id"]: event for event in one} for one in (begins, ends))
        wanted(begins.keys() == ends.keys(), "arrows with one end")
        wanted(len(begins) == len(set(begins)))
        self.arrows = collections.defaultdict(
            dict)  # round -> place of the Wait -> (round, place) of the Notify
        for id, begin in begins.items():
            end = ends[id]
            wanted(end["bp"] == "e" and (begin["name"], begin["cat"]) == (end["name"], end["cat"]),
                   begin, end)
            wanted(begin["ts"] <= end["ts"], "an arrow goes back in time", begin, end)
            tail, head = self.slice_at(begin, "Notify"), self.slice_at(end, "Wait")
            wanted(head[1] not in self.arrows[head[0]], "two arrows to one Wait", end)
            self.arrows[head[0]][head[1]] = tail
            self.heads_after(tail, head, end)
        wanted(not self.tokens, "tokens without an arrow", self.tokens)

    def heads_after(self, tail, head, end):
        """A viewer may turn an arrow round whose head began before its tail: then it ends at a
        token inside the Wait."""
        notify, wait = self.slices[tail[0]][tail[1]], self.slices[head[0]][head[1]]
        if wait["ts"] > notify["ts"]:
            return
        found = [
            token for token in self.tokens
            if (token["pid"], token["tid"]) == (end["pid"], end["tid"]) and token["ts"] -
            EXACT <= end["ts"] < token["ts"] + token["dur"] + EXACT
        ]
        wanted(len(found) == 1, "wanted one token around this", end, found)
        token, = found
        wanted(token["cat"] == "signal" and notify["ts"] <= token["ts"], token, notify)
        wanted(notify["dur"] < 0.002 or notify["ts"] < token["ts"], "a token as old as its Notify",
               token, notify)
        wanted(
            wait["ts"] <= token["ts"]
            and abs(token["ts"] + token["dur"] - wait["ts"] - wait["dur"]) < EXACT, token, wait)
        self.tokens.remove(token)

    def slice_at(self, event, kind):
        """The slice that an end of an arrow lies in."""
        plan, rank, stream = self.place[event["pid"], event["tid"]]
        found = [(round, place) for round, one in self.slices.items() if round[0] == plan
                 for place, slice in one.items()
                 if place[:2] == (rank, stream) and slice["name"] == kind and slice["ts"] -
                 EXACT <= event["ts"] < slice["ts"] + slice["dur"] + EXACT]
        wanted(len(found) == 1, f"wanted one {kind} around this", event, found)
        return found[0]

    def is_whole(self, rounds, calls):
        """Every task is there once in every round of these (plan, call), with every arrow, and
        none is unfinished."""
        wanted(
            self.slices.keys() == {(plan, call, round)
                                   for plan, call in calls for round in range(rounds)},
            self.slices.keys())
        tasks, pairs = tasks_of(self.document), pairs_of(self.document)
        for round, one in self.slices.items():
            wanted(one.keys() == tasks.keys(), round, tasks.keys() ^ one.keys())
            wanted(self.arrows[round] == {wait: (round, notify)
                                          for wait, notify in pairs.items()}, round, pairs,
                   self.arrows[round])
            wanted(not any("unfinished" in event["args"] for event in one.values()))

    def bytes(self):
        """What each task moved in all rounds of the last call."""
        moved = collections.Counter()
        for (plan, call, _), one in self.slices.items():
            for place, event in one.items():
                moved[plan, call, place] += event["args"].get("bytes", 0)
        return moved


def compile(name, operator, ranks, algorithm, *words):
    ordo("compile", operator, "--ranks", ranks, "--algorithm", algorithm, "-o", name, *words)
    return strict_json.loads(pathlib.Path(name).read_text())


@folder_case(
    "every task of every schedule is there once, in its stream, with its arrows, on threads and "
    "from a seed"
)
def _():
    for operator, ranks, algorithm in [("allreduce", 8, "dyadic"),
                                       ("alltoall", 5, "mesh"), ("reduce", 7, "nhr"),
                                       ("broadcast", 1, "tree"), *applicable(ORDO, 4)]:
        document = compile("x.json", operator, ranks, algorithm)
        for words in (["--workers", 0], ["--workers",
                                         1], ["--workers",
                                              2], ["--transport", "seeded", "--seed", 3]):
            out = ordo("run", "x.json", "--count", 64 * ranks, "--check", "--trace", "t.json",
                       *words).stdout
            trace = Trace("t.json", document)
            trace.is_whole(1, [(0, 0)])
            narrow, ntask = len(trace.arrows[0, 0, 0]), len(tasks_of(document))
            wanted(
                f"{ntask} task{'s' * (ntask != 1)} and {narrow} arrow{'s' * (narrow != 1)} to "
                f"t.json\n"
                in out, out)
            workers = {event["args"]["worker"] for event in trace.slices[0, 0, 0].values()}
            wanted(workers <= set(range(ranks)) and (words[-1] != 2 or workers <= {0, 1}), workers)
            if words[:2] == ["--workers", 0]:
                wanted(
                    all(event["args"]["worker"] == place[0]
                        for place, event in trace.slices[0, 0, 0].items()))


@folder_case("a Wait lasts as long as it waits, whoever else runs meanwhile")
def _():
    document = compile("x.json", "broadcast", 3, "star")
    ordo("run", "x.json", "--bytes", "16MiB", "--workers", 1, "--trace", "t.json")
    trace = Trace("t.json", document)
    waits, sends = ([
        event["dur"] for one in trace.slices.values() for event in one.values()
        if event["name"] == name
    ] for name in ("Wait", "Send"))
    wanted(max(waits) >= min(sends), waits, sends)


@folder_case("of several calls the last one is kept")
def _():
    document = compile("x.json", "allreduce", 4, "ring")
    ordo("run", "x.json", "--count", 100, "--repeat", 7, "--trace", "t.json")
    Trace("t.json", document).is_whole(1, [(0, 6)])


@folder_case("long chunks are moved in rounds, each with every task, and the bytes add up")
def _():
    document = compile("x.json", "allreduce", 4, "ring")
    count = 2000003
    ordo("run", "x.json", "--count", count, "--repeat", 2, "--trace", "t.json")
    trace = Trace("t.json", document)
    rounds = 1 + max(round for _, _, round in trace.slices)
    wanted(rounds > 1, rounds)
    trace.is_whole(rounds, [(0, 1)])
    for (_, _, place), moved in trace.bytes().items():
        task = tasks_of(document)[place]
        first = task.get("chunk", 0)
        begin, end = (-(-k * count // 4)
                      for k in (first, first + (task.get("count", 1) if "chunk" in task else 0)))
        wanted(moved == 4 * (end - begin), place, moved, begin, end)


@folder_case("a run that is stuck leaves what it did, and the tasks that never ended")
def _():
    path = REJECT / "R7-circle-of-three.json"
    ordo("run", path, "--unproved", "--trace", "t.json", status=1)
    trace = Trace("t.json", strict_json.loads(path.read_text()))
    unfinished = [
        event for event in trace.slices[0, 0, 0].values() if "unfinished" in event["args"]
    ]
    wanted(
        len(unfinished) == 3 and all(event["name"] == "Wait" for event in unfinished), unfinished)
    wanted(trace.slices.keys() == {(0, 0, 0)} and not trace.arrows[0, 0, 0], trace.arrows)


@folder_case("a token left over by one call is taken by the next: the arrows know")
def _():
    document = {
        "schema": "ordo/schedule/1", "operator": "AllGather", "algorithm": "hand", "ranks": 2,
        "chunks_per_block": 1, "scratch_slots": 0, "in_place": False, "programs": [{
            "rank": 0, "streams": [{
                "name": "\"a\\\u00e9", "tasks": [{"task": "Notify", "peer": 1, "signal": 0}] * 3
            }]
        }, {
            "rank": 1,
            "streams": [{"name": "b", "tasks": [{"task": "Wait", "peer": 0, "signal": 0}] * 2}]
        }]
    }
    pathlib.Path("x.json").write_text(json.dumps(document))
    words = ["run", "x.json", "--unproved", "--transport", "seeded", "--trace", "t.json"]
    notifies = [(0, 0, i) for i in range(3)]
    waits = [(1, 0, i) for i in range(2)]
    first, second = (0, 0, 0), (0, 0, 1)
    ordo(*words, "--count", 4)
    wanted(
        Trace("t.json", document).arrows ==
        {first: {waits[0]: (first, notifies[0]), waits[1]: (first, notifies[1])}})
    # Two rounds: the second one takes the third token of the first, and the first one of its own.
    ordo(*words, "--bytes", "1MiB")
    arrows = Trace("t.json", document).arrows
    wanted(arrows[second] == {waits[0]: (first, notifies[2]), waits[1]: (second, notifies[0])},
           arrows)
    # Two calls, of which one is kept.
    ordo(*words, "--count", 4, "--repeat", 2)
    arrows = Trace("t.json", document).arrows
    wanted(arrows == {(0, 1, 0): {waits[1]: ((0, 1, 0), notifies[0])}}, arrows)


@folder_case("of a replay, both interleavings and all calls are there")
def _():
    document = compile("x.json", "allreduce", 2, "ring")
    lost = [place for place in pairs_of(document).items()][0]
    for rank, stream, index in lost:
        tasks = document["programs"][rank]["streams"][stream]["tasks"]
        tasks[index] = None
    for program in document["programs"]:
        for stream in program["streams"]:
            stream["tasks"] = [task for task in stream["tasks"] if task]
    pathlib.Path("broken.json").write_text(json.dumps(document))
    ordo("verify", "broken.json", "--write-replay", "race.json", status=1)
    replay = strict_json.loads(pathlib.Path("race.json").read_text())
    ordo("run", "broken.json", "--replay", "race.json", "--trace", "t.json", status=1)
    trace = Trace("t.json", document, nplan=len(replay["interleavings"]))
    trace.is_whole(1, [(plan, call) for plan in range(len(replay["interleavings"]))
                       for call in range(replay["calls"])])
    for plan in range(len(replay["interleavings"])):
        times = [
            event["ts"] for round, one in trace.slices.items() if round[0] == plan
            for event in one.values()
        ]
        wanted(min(times) == 0, plan, min(times))


@folder_case("with --input, too; and beside --json it is told in the answer")
def _():
    document = compile("x.json", "allreduce", 4, "ring")
    ordo("verify", "x.json", "--require", "G3", "--write-input", "input.json", status=1)
    answer = strict_json.loads(ordo("run", "x.json", "--input", "input.json", "--trace", "t.json",
                                    "--json", status=1).stdout)
    trace = Trace("t.json", document)
    trace.is_whole(1, [(0, 0)])
    wanted(
        answer["trace"] == {
            "file": "t.json", "tasks": len(tasks_of(document)), "arrows": len(pairs_of(document))
        }, answer)


@folder_case("what cannot be written is an error, and what was there stays")
def _():
    compile("x.json", "allreduce", 4, "ring")
    for path, status, message in [("-", 2, "--trace: found \"-\", wanted the name of a file"),
                                  ("", 2, "--trace: found \"\""),
                                  ("no/such/folder.json", 5, "no/such/folder.json"),
                                  ("/dev/full", 5, "/dev/full")]:
        done = ordo("run", "x.json", "--count", 5, "--trace", path, status=status)
        wanted(message in done.stderr, done.stderr)
    pathlib.Path("t.json").write_text("before")
    ordo("run",
         "x.json",
         "--count",
         5,
         "--check",
         "--replay",
         "x.json",
         "--trace",
         "t.json",
         status=2)
    wanted(
        pathlib.Path("t.json").read_text() == "before"
        and sorted(os.listdir()) == ["t.json", "x.json"], os.listdir())


run_cases()
