#!/usr/bin/env python3
"""test_space_time.py ORDO REJECT - `ordo draw --space-time`, read back from the SVG and held
against the document and the times.

ORDO is the command, REJECT the folder of documents that break a rule each.
"""
import collections
import json
import pathlib
import re
import sys
import xml.etree.ElementTree as tree

import strict_json
from algorithms import applicable
from desk import ORDO, desk_case
from tap import run_cases, wanted

REJECT = pathlib.Path(sys.argv[2]).absolute()
SVG = "{http://www.w3.org/2000/svg}"
RIGHT = 1256
ROUNDED = 0.006  # coordinates have two decimals
KINDS = {"bar Send", "bar SendReduce", "bar LocalCopy", "bar LocalReduce", "wait hatched", "notify"}


class Box:
    """A bar: where it lies, and what its tooltip says."""

    def __init__(self, element):
        words = element.get("class").split()
        self.marks = {word for word in words if word in ("critical", "red")}
        self.kind = " ".join(word for word in words if word not in self.marks)
        self.x, self.y, self.width, self.height = (float(element.get(name))
                                                   for name in ("x", "y", "width", "height"))
        self.tip = element.find(SVG + "title").text
        place = re.match(r'rank (\d+), stream "(.*)", task (\d+) \((.*)\)\n', self.tip)
        wanted(place, self.tip)
        self.place = int(place[1]), place[2], int(place[3])
        self.task = place[4]


class Picture:
    """An SVG by `draw --space-time`; nothing in it comes from elsewhere."""

    def __init__(self, text):
        wanted(not re.search(r"<script|<image|href|url\((?!#)|@import", text), "self-contained")
        wanted(text.count("http") == 1, "only the name of the SVG namespace")
        wanted("prefers-color-scheme:dark" in text and "viewBox" in text)
        self.size = len(text.encode())
        self.root = tree.fromstring(text)
        self.boxes = [
            Box(element) for element in self.root.iter(SVG + "rect")
            if element.find(SVG + "title") is not None
        ]
        self.paths = collections.defaultdict(list)
        for element in self.root.iter(SVG + "path"):
            self.paths[element.get("class")].append(element.get("d"))
        self.texts = [element.text for element in self.root.iter(SVG + "text")]
        self.title = next(element.text for element in self.root.iter(SVG + "text")
                          if element.get("class") == "title")
        self.left = next(
            (float(element.get("x"))
             for element in self.root.iter(SVG + "rect") if element.get("class") == "zebra"), None)

    def of_class(self, name):
        """Closed boxes in the merged paths of a class."""
        return sum(path.count("z") for path in self.paths[name])

    def critical(self):
        return {box.place for box in self.boxes if "critical" in box.marks}


def draw(ordo, *words):
    return Picture(ordo.works("draw", *words, "--space-time").out)


def tasks_of(document):
    """(rank, stream's name, position) -> task."""
    return {(program["rank"], stream["name"], i): task
            for program in document["programs"] for stream in program["streams"]
            for i, task in enumerate(stream["tasks"])}


def check_boxes(picture, document):
    """Every task is one bar, of its kind, in its row."""
    tasks = tasks_of(document)
    places = [box.place for box in picture.boxes]
    wanted(len(places) == len(tasks) and set(places) == set(tasks), len(places), len(tasks))
    rows = {}
    for box in picture.boxes:
        task = tasks[box.place]
        wanted(box.kind in KINDS and box.task.startswith(task["task"] + " "), box.kind, box.task)
        name = {"Wait": "wait hatched", "Notify": "notify"}.get(task["task"], "bar " + task["task"])
        wanted(box.kind == name, box.kind, task)
        middle = box.y + box.height / 2
        wanted(
            abs(rows.setdefault(box.place[:2], middle) - middle) < 2 * ROUNDED, "one row a stream",
            box.tip)
    wanted(len(set(rows.values())) == len(rows), "no row has two streams")


@desk_case("every task is one bar in the row of its stream, every pair of Notify and Wait an arrow")
def _(ordo):
    for operator, ranks, algorithm in [("allreduce", 4, "mesh"), ("reducescatter", 6, "birs"),
                                       ("allreduce", 7, "dyadic"), ("alltoall", 5, "mesh"),
                                       ("broadcast", 1, "tree"), *applicable(ORDO, 8)]:
        document = strict_json.loads(ordo.compile("x.json", operator=operator, ranks=ranks,
                                                  algorithm=algorithm).read_text())
        picture = draw(ordo, "x.json")
        check_boxes(picture, document)
        tokens = len(picture.paths["token"]) + len(picture.paths["token critical"])
        in_legend = any(box.kind == "wait hatched" for box in picture.boxes)
        waits = sum(task["task"] == "Wait" for task in tasks_of(document).values())
        wanted(tokens - in_legend == waits, algorithm, tokens, waits)
        wanted(picture.title.startswith(f"{document['operator']} on {ranks} ranks by {algorithm}"),
               picture.title)
        for rank in range(ranks):
            wanted(f"rank {rank}" in picture.texts, picture.texts)


@desk_case(
    "positions are proportional to the times: a ring's steps are as long as its closed form says")
def _(ordo):
    ordo.compile("x.json", operator="reducescatter", ranks=8)
    alpha, size, bandwidth, adding = 2000e-9, 8 << 20, 20e9, 100e9
    picture = draw(ordo, "x.json", "--bytes", size, "--alpha-ns", 2000, "--bandwidth", 20,
                   "--reduce-bandwidth", 100)
    step = alpha + size / 8 * (1 / bandwidth + 1 / adding)
    pixels = (RIGHT - picture.left) / 7
    bars = [box for box in picture.boxes if box.kind == "bar SendReduce"]
    wanted(len(bars) == 56)
    for box in bars:
        nth = (box.x - picture.left) / pixels
        wanted(
            abs(nth - round(nth)) * pixels < 2 * ROUNDED and abs(box.width - pixels) < 2 * ROUNDED,
            box.tip)
    wanted(picture.title.endswith(f": {7 * step * 1e6:.1f} µs"), picture.title, step)


def event(rank,
          stream,
          index,
          task,
          begin,
          end,
          worker=0,
          call=0,
          round=0,
          ranks=2,
          nstream=2,
          plan=0):
    return {
        "ph": "X", "name": task.split()[0], "cat": "no phase", "pid": plan * ranks + rank,
        "tid": plan * nstream + stream + 1, "ts": begin / 1000, "dur": (end - begin) / 1000,
        "args": {"task": task, "index": index, "call": call, "round": round, "worker": worker}
    }


def trace_of(events, **about):
    return json.dumps({
        "otherData": {"operator": "AllGather", "algorithm": "hand", "ranks": 2, **about},
        "traceEvents": events
    })


DOCUMENT = {
    "schema": "ordo/schedule/1", "operator": "AllGather", "algorithm": "hand", "ranks": 2,
    "chunks_per_block": 1, "scratch_slots": 0, "in_place": False, "programs": [{
        "rank": 0, "streams": [{
            "name": "<a&\"\u00e9\u4e2d>", "tasks": [{
                "task": "LocalCopy", "chunk": 0, "src": ["input", 0], "dst": ["output", 0]
            }, {"task": "Send", "peer": 1, "chunk": 0, "src": ["input", 0], "dst": ["output", 0]},
                                                    {"task": "Notify", "peer": 1, "signal": 0}]
        }]
    }, {
        "rank": 1, "streams": [{
            "name": "b", "tasks": [{"task": "Wait", "peer": 0, "signal": 0}, {
                "task": "LocalCopy", "chunk": 1, "src": ["input", 0], "dst": ["output", 1]
            }, {"task": "Send", "peer": 0, "chunk": 1, "src": ["input", 0], "dst": ["output", 1]}]
        }]
    }]
}
# In nanoseconds: what rank 1 waits for is the Notify, then its own; the Notify's slice ends after
# the Wait has seen it.
EVENTS = [event(0, 0, 0, "LocalCopy chunk 0 input 0 -> output 0", 1000, 2000),
          event(0, 0, 1, "Send 1 chunk 0 input 0 -> output 0", 2500, 6000),
          event(0, 0, 2, "Notify 1 signal 0", 6000, 6400),
          event(1, 1, 0, "Wait 0 signal 0", 1500, 6300, worker=1),
          event(1, 1, 1, "LocalCopy chunk 1 input 0 -> output 1", 6300, 8000, worker=1),
          event(1, 1, 2, "Send 0 chunk 1 input 0 -> output 1", 8600, 11000, worker=1)]


def write(ordo, name, contents):
    (ordo.folder / name).write_text(contents if isinstance(contents, str) else json.dumps(contents))
    return name


@desk_case(
    "from a trace: bars lie where it says, the path is what ended last before each, and names stay "
    "text"
)
def _(ordo):
    write(ordo, "x.json", DOCUMENT)
    write(ordo, "t.json", trace_of(EVENTS))
    picture = draw(ordo, "x.json", "--trace", "t.json")
    check_boxes(picture, DOCUMENT)
    begins = {(0, 0): 1000, (0, 1): 2500, (0, 2): 6000, (1, 0): 1500, (1, 1): 6300, (1, 2): 8600}
    ends = {(0, 0): 2000, (0, 1): 6000, (0, 2): 6299, (1, 0): 6300, (1, 1): 8000, (1, 2): 11000}
    scale = (RIGHT - picture.left) / 10000
    for box in picture.boxes:
        place = box.place[0], box.place[2]
        wanted(
            abs(box.x - (picture.left + (begins[place] - 1000) * scale)) < ROUNDED, box.tip, box.x)
        width = max((ends[place] - begins[place]) * scale, 1)
        wanted(abs(box.width - width) < 2 * ROUNDED, box.tip, box.width, width)
    wanted(picture.title.endswith(": 10 µs"), picture.title)
    wanted(
        len(picture.boxes) == len(picture.critical()), "here all of it is one path",
        picture.critical())
    wanted(len(picture.paths["token critical"]) == 1, picture.paths)
    # The gap before the Sends is waiting, of no task.
    wanted(picture.of_class("queue") == 2, picture.paths["queue"])


@desk_case(
    "from a trace: a thread that did something else is a cause, and what nobody waited for is not "
    "on the path"
)
def _(ordo):
    write(ordo, "x.json", DOCUMENT)
    # One thread for both: before rank 0 sends, it does all of rank 1.
    late = [event(0, 0, 0, "LocalCopy chunk 0 input 0 -> output 0", 0, 1000),
            event(0, 0, 1, "Send 1 chunk 0 input 0 -> output 0", 5000, 9000),
            event(0, 0, 2, "Notify 1 signal 0", 9000, 9010),
            event(1, 1, 0, "Wait 0 signal 0", 1000, 1001),
            event(1, 1, 1, "LocalCopy chunk 1 input 0 -> output 1", 1001, 4000),
            event(1, 1, 2, "Send 0 chunk 1 input 0 -> output 1", 4000, 5000)]
    write(ordo, "t.json", trace_of(late))
    picture = draw(ordo, "x.json", "--trace", "t.json")
    b, a = "b", DOCUMENT["programs"][0]["streams"][0]["name"]
    wanted(len(picture.critical()) == 6, picture.critical())
    wanted(any(path for path in picture.paths["held"]),
           "who held the thread is told by a line of its own")
    wanted(not picture.paths["token critical"],
           "a Wait that ended before its Notify began took no token of it")
    # On threads of their own, rank 0 waits for nobody.
    for one in late[3:]:
        one["args"]["worker"] = 1
    write(ordo, "t.json", trace_of(late))
    wanted(
        draw(ordo, "x.json", "--trace", "t.json").critical() == {(0, a, 0), (0, a, 1), (0, a, 2)})


@desk_case("of a trace the last call is drawn, and of its rounds the median; others can be chosen")
def _(ordo):
    write(ordo, "x.json", DOCUMENT)
    events = []
    for call, round, length in [(3, 0, 1000), (4, 0, 7000), (4, 1, 2000), (4, 2, 3000)]:
        events += [
            event(0,
                  0,
                  0,
                  "LocalCopy chunk 0 input 0 -> output 0",
                  10000 * (3 * call + round),
                  10000 * (3 * call + round) + length,
                  call=call,
                  round=round)
        ]
    write(ordo, "t.json", trace_of(events))
    for words, length in [([], "3 µs"), (["--call", 3], "1 µs"), (["--round", 0], "7 µs"),
                          (["--call", 4, "--round", 1], "2 µs")]:
        done = ordo.works("draw", "x.json", "--space-time", "--trace", "t.json", *words)
        wanted(
            Picture(done.out).title.endswith(f": {length}"), words, length,
            Picture(done.out).title)
        wanted(
            f"drawn: call {3 if 3 in words else 4} of 3..4; choose another with --call" in done.err,
            done.err)
        wanted(("of the 3 of call 4" in done.err) == (3 not in words), done.err)
    ordo.fails(2, r"--call: found 5, wanted one of 3\.\.4", "draw", "x.json", "--space-time",
               "--trace", "t.json", "--call", 5)
    ordo.fails(2, r"--round: found 1, wanted one of 0\.\.0", "draw", "x.json", "--space-time",
               "--trace", "t.json", "--call", 3, "--round", 1)


def even_out(path):
    """What begins and ends keeps its order, and comes at first closely, then less and less so:
    no gap where a host took the core away for a while."""
    trace = strict_json.loads(path.read_text())
    tasks = [one for one in trace["traceEvents"] if one["ph"] == "X" and one["name"] != "token"]
    times = {
        time: i * i
        for i, time in enumerate(
            sorted({time
                    for one in tasks for time in (one["ts"], one["ts"] + one["dur"])}))
    }
    for one in tasks:
        begin, end = times[one["ts"]], times[one["ts"] + one["dur"]]
        one.update(ts=begin, dur=end - begin)
    path.write_text(json.dumps({**trace, "traceEvents": tasks}))


@desk_case(
    "from a trace of many ranks: the path is at one place at a time, and where it goes to and fro "
    "it hides nothing"
)
def _(ordo):
    # On one thread all tasks are the path, and whoever waits is not.
    ordo.compile("x.json", operator="allreduce", algorithm="ring", ranks=48)
    ordo.works("run", "x.json", "--bytes", "64KiB", "--workers", 1, "--trace", "t.json")
    even_out(ordo.folder / "t.json")
    outlined = draw(ordo, "x.json", "--trace", "t.json").paths["outline critical"][0]
    long = [float(width) for width in re.findall(r"h(-?[\d.]+)v", outlined) if float(width) > 3]
    wanted(outlined and sum(long) < 1.1 * RIGHT, sum(long), long)
    ordo.compile("x.json",
                 "--topology",
                 "servers:6x6",
                 operator="allreduce",
                 algorithm="hierarchical",
                 ranks=36)
    ordo.works("run", "x.json", "--bytes", "64KiB", "--workers", 1, "--trace", "t.json")
    even_out(ordo.folder / "t.json")
    picture = draw(ordo, "x.json", "--trace", "t.json", "--max-tasks", 100)
    wanted(
        picture.paths["way flutter"][0] and picture.paths["way"][0]
        and picture.paths["halo"][0] == picture.paths["way"][0], picture.paths)
    extents = [
        float(high) - float(low) for low, high in re.findall(r"M[\d.]+ ([\d.]+)L[\d.]+ ([\d.]+)",
                                                             picture.paths["way flutter"][0])
    ]
    wanted(extents and max(extents) > 20, picture.paths["way flutter"][0][:200])
    wanted(not draw(ordo, "x.json", "--max-tasks", 100).paths["way flutter"][0],
           "a path of moves does not flutter")


@desk_case(
    "what `ordo run --trace` writes is drawn: threads, one worker, rounds, replays and runs that "
    "were given up"
)
def _(ordo):
    document = strict_json.loads(ordo.compile("x.json", ranks=4).read_text())
    for words in (["--workers", 0], ["--workers", 1], ["--workers", 2, "--repeat",
                                                       3], ["--transport", "seeded"]):
        ordo.works("run", "x.json", "--bytes", "64KiB", "--trace", "t.json", *words)
        picture = draw(ordo, "x.json", "--trace", "t.json")
        check_boxes(picture, document)
        times = [(one["ts"], one["dur"], one["args"]["task"])
                 for one in strict_json.loads((ordo.folder / "t.json").read_text())["traceEvents"]
                 if one["ph"] == "X" and one["name"] != "token"]
        scale = (RIGHT - picture.left) / max(ts + dur for ts, dur, _ in times)
        xs = sorted((task, picture.left + ts * scale) for ts, _, task in times)
        found = sorted((box.task, box.x) for box in picture.boxes)
        for (task, x), (name, at) in zip(xs, found):
            wanted(task == name and abs(x - at) < 0.011, task, x, name, at)
        last = max(picture.boxes, key=lambda box: box.x + box.width)
        wanted(picture.critical() and abs(last.x + last.width - RIGHT) < 1.1, last.tip)
    ordo.works("run", "x.json", "--bytes", "8MiB", "--trace", "t.json")
    done = ordo.works("draw", "x.json", "--space-time", "--trace", "t.json")
    wanted(
        re.search(
            r"drawn: round \d+ of the \d+ of call 0, a tile of every chunk; choose another with "
            r"--round",
            done.err), done.err)
    check_boxes(Picture(done.out), document)
    stuck = REJECT / "R7-circle-of-three.json"
    ordo("run", stuck, "--unproved", "--trace", "t.json")
    done = ordo.works("draw", stuck, "--space-time", "--trace", "t.json")
    picture = Picture(done.out)
    wanted(re.search(r"the run failed: 3 tasks did not end, \d+ did not begin", done.err),
           done.err)
    wanted(
        len(picture.boxes) == 3 and all("red" in box.marks for box in picture.boxes),
        [box.tip for box in picture.boxes])
    wanted("token red" in picture.paths, "the circle is red", picture.paths.keys())


@desk_case("of a prediction, the critical path is the one that predict tells")
def _(ordo):
    for operator, ranks, algorithm, words in [
        ("allreduce", 8, "ring", ["--topology", "servers:2x4"]), ("allreduce", 8, "mesh", []),
        ("reducescatter", 8, "birs", ["--copy-bandwidth", 50]),
        ("alltoall", 6, "alltoall", ["--topology", "star"])
    ]:
        ordo.compile("x.json", operator=operator, ranks=ranks, algorithm=algorithm)
        path = ordo.answer("predict", "x.json", "--size", "3MiB", *words)["critical_path"]
        picture = draw(ordo, "x.json", "--bytes", "3MiB", *words)
        wanted(picture.critical() == {(one["rank"], one["stream"], one["task"])
                                      for one in path}, algorithm, path, picture.critical())
        ends = {(one["rank"], one["stream"], one["task"]): one["end_seconds"] for one in path}
        scale = (RIGHT - picture.left) / max(ends.values())
        for box in picture.boxes:
            if "critical" in box.marks and box.kind.startswith("bar") and box.width > 1:
                wanted(
                    abs(box.x + box.width - picture.left - ends[box.place] * scale) < 0.02, box.tip)


@desk_case("long schedules: bars without tooltips but on the path, then a map; never more than 2 MB"
           )
def _(ordo):
    document = strict_json.loads(ordo.compile("ring.json", ranks=36).read_text())
    done = ordo.works("draw", "ring.json", "--space-time")
    picture, tasks = Picture(done.out), tasks_of(document)
    wanted("above 5000 only those of the critical path have arrows and tooltips" in done.err,
           done.err)
    wanted(len(tasks) > 5000 and all("critical" in box.marks for box in picture.boxes))
    count = picture.of_class("bars") + picture.of_class("waits wait") + picture.of_class(
        "notifies notify") + len(picture.boxes)
    wanted(count == len(tasks), count, len(tasks))
    wanted(picture.size < 2e6, picture.size)
    ordo.compile("large.json", ranks=160)
    done = ordo.works("draw", "large.json", "--space-time")
    wanted(
        re.search(
            r"aggregated: \d+ tasks of 160 ranks into 54 rows of up to 3 ranks and 284 spans of "
            r"[\d.]+ us; choose fewer",
            done.err), done.err)
    picture = Picture(done.out)
    wanted(
        picture.size < 2e6 and not picture.boxes and picture.paths["way"]
        and "0–2" in picture.texts, picture.size)
    rows = [group for group in picture.root.iter(SVG + "g") if group.get("class") == "row"]
    wanted(
        len(rows) == 54
        and all(re.match(r"working (9\d|100) %",
                         row.find(SVG + "title").text) for row in rows))
    few = draw(ordo, "large.json", "--ranks", "3,150-151", "--phases", "0-4")
    wanted({box.place[0] for box in few.boxes} == {3, 150, 151} and few.size < 2e5)


@desk_case("a map tells what the bars tell: the same time is worked and waited")
def _(ordo):
    ordo.compile("x.json", operator="reduce", algorithm="tree", ranks=8)
    bars, cells = draw(ordo, "x.json"), draw(ordo, "x.json", "--max-tasks", 0)
    rows = [group for group in cells.root.iter(SVG + "g") if group.get("class") == "row"]
    wanted(len(rows) == 8 and not cells.boxes)
    for rank, row in enumerate(rows):
        working = sum(box.width for box in bars.boxes
                      if box.place[0] == rank and box.kind.startswith("bar Send"))
        told = float(re.match(r"working (\d+) %", row.find(SVG + "title").text)[1])
        wanted(abs(100 * working / (RIGHT - bars.left) - told) <= 1, rank, working, told)
        # Columns are where the bars are, too.
        shown = 0
        for path in row.iter(SVG + "path"):
            x, y, width = re.match(r"M([\d.]+) ([\d.]+)h([\d.]+)v", path.get("d")).groups()
            grey = len({path.get("fill")[i:i + 1] for i in (1, 3, 5)}) == 1
            shown += 0 if grey else float(width) * float(path.get("fill-opacity", 1))
        if not any(box.kind.startswith("wait") and box.place[0] == rank for box in bars.boxes):
            wanted(abs(shown - working) < 0.03 * (RIGHT - bars.left), rank, shown, working)


@desk_case("--ranks and --phases choose rows and a window; what is on the path stays marked")
def _(ordo):
    document = strict_json.loads(ordo.compile("x.json", ranks=8).read_text())
    whole, part = draw(ordo, "x.json"), draw(ordo, "x.json", "--ranks", "5,0-1", "--phases", "2-3")
    tasks = tasks_of(document)
    wanted({box.place
            for box in part.boxes} == {
                place
                for place, task in tasks.items()
                if place[0] in (5, 0, 1) and task["phase"] in (2, 3)
            })
    rows = sorted({(box.y + box.height / 2, box.place[0]) for box in part.boxes})
    order = [rank for _, rank in rows]
    wanted([rank for i, rank in enumerate(order) if not i or order[i - 1] != rank] == [5, 0, 1],
           order)
    wanted(part.critical() ==
           {place
            for place in whole.critical() if place in {box.place
                                                       for box in part.boxes}})
    moves = [box for box in part.boxes if box.kind.startswith("bar")]
    wanted(
        abs(min(box.x for box in moves) - part.left) < 1
        and abs(max(box.x + box.width for box in moves) - RIGHT) < 1)


@desk_case(
    "the same bytes each time; --json tells what was drawn, and the picture if there is no file")
def _(ordo):
    ordo.compile("x.json", ranks=8)
    ordo.works("draw", "x.json", "--space-time", "-o", "a.svg")
    ordo.works("draw", "x.json", "--space-time", "--bytes", "1MiB", "--type", "f32", "-o", "b.svg")
    wanted((ordo.folder / "a.svg").read_bytes() == (ordo.folder / "b.svg").read_bytes())
    answer = ordo.answer("draw", "x.json", "--space-time")
    wanted(answer["picture"] == (ordo.folder / "a.svg").read_text(), answer.keys())
    wanted((answer["as"], answer["form"], answer["tasks"], answer["arrows"]) == ("svg", "tasks",
                                                                                 366, 120), answer)
    wanted(answer["seconds"] > 0)
    wanted(
        ordo.answer("draw", "x.json", "--space-time", "--max-tasks", 9, "-o", "c.svg")["form"] ==
        "map")


@desk_case("the setting reaches the prediction, and is told in the title")
def _(ordo):
    ordo.compile("x.json", ranks=8)
    titles = {
        draw(ordo, "x.json", *words).title
        for words in ([], ["--bytes", "16MiB"], ["--bandwidth", 7], ["--alpha-ns", 9000],
                      ["--reduce-bandwidth", 3], ["--topology", "servers:2x4"])
    }
    wanted(len(titles) == 6, titles)
    wanted(
        any("2 MiB of bf16 a rank" in text
            for text in draw(ordo, "x.json", "--bytes", "2MiB", "--type", "bf16").texts))


@desk_case("a wrong, damaged or foreign trace is named with its place, and no file is written")
def _(ordo):
    write(ordo, "x.json", DOCUMENT)
    def refused(contents, message, code=3):
        write(ordo, "t.json", contents)
        ordo.fails(code, message, "draw", "x.json", "--space-time", "--trace", "t.json", "-o",
                   "out.svg")
        wanted(ordo.names() == ["t.json", "x.json"], ordo.names())
    good = trace_of(EVENTS)
    refused("", r"t\.json:1:1: error: found the end of the file, wanted an object")
    refused("[1]", r"t\.json:1:1: error: found '\[', wanted an object")
    refused("{}", r"found '\}', wanted a key")
    refused('{"a": 1}', r"found no \"traceEvents\"")
    refused('{"traceEvents": []}', r"found no task in this trace")
    refused('{"traceEvents": [1]}', r"t\.json:1:18: error: found no event")
    refused('{"traceEvents": [{"ph": "X"}]}', r"found a slice that is not a task")
    refused('{"traceEvents": [{"ph": "X" 1}]}', r"this is not JSON")
    refused('{"traceEvents": [' + "[" * 2000 + "]" * 2000 + "]}", r"this is not JSON")
    refused('{"traceEvents": ["' + "x" * (1 << 20) + '"]}', r"a value of more than 1048576 bytes")
    refused(good.replace('"traceEvents"', '"otherData"'), r"found \"otherData\" twice")
    refused(good[:-1] + ', "traceEvents": []}', r"found \"traceEvents\" twice")
    refused(good + "x", r"found 'x', wanted the end of the file")
    refused(trace_of(EVENTS, ranks=3),
            r"another schedule: found AllGather on 3 ranks, wanted AllGather on 2")
    refused(trace_of(EVENTS, operator="Reduce"), r"another schedule: found Reduce on 2 ranks")
    refused(trace_of(EVENTS, operator=5), r"found \"otherData\" of another program")
    refused(trace_of(EVENTS + EVENTS[:1]), r"found a task twice in one round, first in line 1")
    for key, value in [("pid", 1), ("tid", 2), ("tid", 0), ("pid", -1), ("pid", 0.5),
                       ("tid", 1e300)]:
        refused(trace_of([{**EVENTS[0], key: value}]),
                r"another schedule: it has a task that this schedule lacks")
    for key, value in [("index", 1), ("index", 99), ("task", "Send 1 chunk 0 input 0 -> output 1"),
                       ("task", 5)]:
        refused(trace_of([{**EVENTS[0], "args": {**EVENTS[0]["args"], key: value}}]),
                r"another schedule: it has a task")
    for key, value in [("ts", -1), ("dur", "long"), ("ts", 1e200), ("args", [])]:
        refused(trace_of([{**EVENTS[0], key: value}]), r"found a slice that is not a task")
    refused(trace_of([EVENTS[0], {**EVENTS[1], "ts": 1.5}]),
            r"begins before the one before it has ended")
    for length in range(1, len(good) - 1, 37):
        refused(good[:length], r"t\.json:1:\d+: error: found the end of the file|this is not JSON")
    ordo.fails(3, r"nothing\.json: error: cannot read", "draw", "x.json", "--space-time", "--trace",
               "nothing.json")
    ordo.fails(3, r"Is a directory", "draw", "x.json", "--space-time", "--trace", ".")


@desk_case("options that make no sense together are refused")
def _(ordo):
    ordo.compile("x.json")
    for message, words in [
        (r"--as png: --space-time writes only svg", ["x.json", "--space-time", "--as", "png"]),
        (r"--as pdf", ["x.json", "--space-time", "-o", "x.pdf"]),
        (r"wanted the file of a schedule", ["--space-time", "--topology", "ring", "-n", 4]),
        ("--ranks: found 4, wanted numbers of 0[.][.]3", ["x.json", "--space-time", "-n", 4]),
        (r"--round need --space-time", ["x.json", "--trace", "t.json"]),
        (r"--round need --space-time", ["x.json", "--call", 1]),
        (r"--call and --round need --trace", ["x.json", "--space-time", "--call", 1]),
        (r"--type: found f17", ["x.json", "--space-time", "--type", "f17"]),
        (r"--ranks: found 9", ["x.json", "--space-time", "--ranks", 9])
    ]:
        ordo.fails(2, message, "draw", *words)
    wanted(ordo.names() == ["x.json"], ordo.names())


run_cases()
