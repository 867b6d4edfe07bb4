#!/usr/bin/env python3
"""`ordo draw --as table`, held against what the document's tasks mean, computed here from the
JSON alone.

usage: test_contents.py ORDO REJECT FIRST LAST   (numbers of ranks)"""
import concurrent.futures
import json
import pathlib
import re
import sys

import strict_json
from desk import desk_case, wanted
from one_run import Run
from tap import run_cases

REJECT = pathlib.Path(sys.argv[2]).resolve()
RANKS = range(int(sys.argv[3]), int(sys.argv[4]) + 1)
REDUCING = {"AllReduce", "Reduce", "ReduceScatter"}


class Meaning:
    """Who holds what sum after each phase, from a document."""

    def __init__(self, document):
        self.document = document
        self.ranks = document["ranks"]
        self.operator = document["operator"]
        self.pieces = document.get("chunks_per_block", 1)
        self.root = document.get("root", 0)
        self.in_place = document.get("in_place", False)
        self.slots = {}  # (rank, buffer, slot) -> (chunk, sorted contributors)
        self.phases = document.get("phases", [])
        if self.in_place:
            wanted(self.operator == "AllReduce", "no other operator is followed in place here")
            self.slots = {(rank, "output", slot): (slot, [rank])
                          for rank in range(self.ranks) for slot in range(self.pieces)}

    def input(self, rank, slot):
        """(chunk, contributor) of an input slot."""
        if self.operator == "AllGather" or self.operator == "Gather":
            return rank * self.pieces + slot, rank
        if self.operator == "AllToAll":
            return (rank * self.ranks +
                    slot // self.pieces) * self.pieces + slot % self.pieces, rank
        return slot, rank

    def demand(self, rank):
        """[(slot, chunk, contributors)] of the outputs."""
        count, everybody = self.pieces, list(range(self.ranks))
        if self.operator in ("Reduce", "Gather") and rank != self.root:
            return []
        if self.operator in ("ReduceScatter", "Scatter"):
            who = everybody if self.operator == "ReduceScatter" else [self.root]
            return [(slot, rank * count + slot, who) for slot in range(count)]
        if self.operator == "AllToAll":
            return [(slot, (slot // count * self.ranks + rank) * count + slot % count,
                     [slot // count]) for slot in range(count * self.ranks)]
        if self.operator in ("AllGather", "Gather"):
            return [(chunk, chunk, [chunk // count]) for chunk in range(count * self.ranks)]
        return [(chunk, chunk, everybody if self.operator in REDUCING else [self.root])
                for chunk in range(count)]

    def place(self, rank, buffer, slot):
        """In place (here: of AllReduce alone), an input slot is an output slot."""
        return (rank, "output" if self.in_place and buffer == "input" else buffer, slot)

    def read(self, rank, buffer, slot):
        if buffer == "input" and not self.in_place:
            chunk, who = self.input(rank, slot)
            return chunk, [who]
        return self.slots[self.place(rank, buffer, slot)]

    def move(self, rank, task):
        target = task.get("peer", rank)
        for i in range(task.get("count", 1)):
            chunk, who = self.read(rank, task["src"][0], task["src"][1] + i)
            wanted(chunk == task["chunk"] + i, task, chunk)
            place = self.place(target, task["dst"][0], task["dst"][1] + i)
            if "Reduce" in task["task"]:
                who = sorted(who + self.slots[place][1])
            self.slots[place] = (chunk, who)

    def steps(self):
        """After each phase, all slots. Whoever can go on does, moves of later phases excepted."""
        run = Run(self.document)
        for phase in range(len(self.phases)):
            for rank, _, _, task in run.moves(lambda task: task.get("phase", 0) <= phase):
                self.move(rank, task)
            yield dict(self.slots)
        wanted(run.is_over(), "not through")


def read_set(text, ranks):
    """`{0,2..5}`, `3`, `0..3`, `6..1` (over the last), `0..14/2` -> the numbers."""
    found = []
    for part in text.strip("{}").split(","):
        first, last, step = re.fullmatch(r"(\d+)(?:\.\.(\d+)(?:/(\d+))?)?", part).groups()
        first, last, step = int(first), int(last or first), int(step or 1)
        last += ranks if last < first else 0
        found += [number % ranks for number in range(first, last + 1, step)]
    return sorted(found)


def read_tables(text):
    """[(title, {(rank, buffer, slot): (text, changed)})] of the plain form."""
    tables = []
    groups = columns = None
    for line in text.splitlines():
        if re.match(r"(step \d+ of|before the first)", line):
            tables.append((line, {}))
        elif line.startswith("     | ") and tables:
            groups = [word.strip() for word in line.split("|")[1:]]
        elif line.startswith("rank | "):
            columns = [(buffer, [int(slot) for slot in part.split()])
                       for buffer, part in zip(groups,
                                               line.split("|")[1:])]
        elif tables and re.match(r" *\d+ \|", line):
            rank, *parts = line.split("|")
            starts = [(buffer, slots, part) for (buffer, slots), part in zip(columns, parts)]
            for buffer, slots, part in starts:
                words = part.split()
                # A rank without some of the slots has blanks there: only whole rows are read here.
                if len(words) == len(slots):
                    for slot, word in zip(slots, words):
                        tables[-1][1][(int(rank), buffer, slot)] = (word.rstrip("*"),
                                                                    word.endswith("*"))
    return tables


def draw_tables(ordo, name, ranks, chunks):
    """{step: (title, cells)} of all steps."""
    words = ["draw", name, "--as", "table", "--ranks", f"0-{ranks - 1}", "--chunks",
             f"0-{chunks - 1}"]
    steps = int(re.search(r"^step 1 of (\d+)", ordo.works(*words).out, re.M)[1])
    out = ordo.works(*words, "--steps", f"0-{steps}").out
    wanted(all(len(line) <= 100 for line in out.splitlines()), name,
           max(out.splitlines(), key=len))
    return {
        int(re.search(r"step (\d+)", title)[1]): (title, cells)
        for title, cells in read_tables(out) if title[0] == "s"
    }


def check_table(ordo, name):
    """A table of one schedule against the meaning of its document; how many cells were compared."""
    document = strict_json.loads((ordo.folder / name).read_text())
    meaning = Meaning(document)
    most = {"AllToAll": meaning.ranks**2, "AllReduce": 1, "Reduce": 1,
            "Broadcast": 1}.get(meaning.operator, meaning.ranks)
    tables = draw_tables(ordo, name, meaning.ranks, most * meaning.pieces)
    last = max(tables)
    wanted(len(tables) == last <= len(meaning.phases), name, len(tables), len(meaning.phases))
    before, shown, count = dict(meaning.slots), {}, 0
    for number, slots in enumerate(meaning.steps(), 1):
        if number > last:
            wanted(slots == before, name, number, "moves after the last step")
            break
        title, cells = tables[number]
        wanted(f"step {number} of {last}: {meaning.phases[number - 1]}" in title, title)
        if cells:
            shown = cells
        else:
            wanted("nothing" in title, title)
        for place, (text, changed) in shown.items():
            held = slots.get(place)
            wanted((text == ".") == (held is None), name, number, place, text, held)
            if held is None:
                continue
            if place[1] == "scratch" and most * meaning.pieces > 1:
                prefix, _, text = text.partition(":")
                wanted(prefix == f"c{held[0]}", name, number, place, prefix, held)
            if text:
                # Of many ranks without a short form the table has the number.
                wanted(text == f"({len(held[1])})" or read_set(text, meaning.ranks) == held[1],
                       name, number, place, text, held)
            if cells:
                wanted(changed == (held != before.get(place)), name, number, place, changed, held,
                       before.get(place))
            count += 1
        before = slots
    for rank in range(meaning.ranks):
        for slot, chunk, who in meaning.demand(rank):
            wanted(before[(rank, "output", slot)] == (chunk, who), name, rank, slot,
                   before[(rank, "output", slot)], chunk, who)
            text = shown.get((rank, "output", slot))
            wanted(not text or read_set(text[0], meaning.ranks) == who, name, rank, slot, text, who)
    return count


@desk_case(
    "every algorithm: the table after each step is what the tasks mean, and the last is what the "
    "operator demands"
)
def _(ordo):
    listed = ordo.answer("list", "algorithms")["algorithms"]
    problems = [(one["name"], operator, ranks) for one in listed for operator in one["operators"]
                for ranks in RANKS]

    def check(problem):
        algorithm, operator, ranks = problem
        name = f"{algorithm}-{operator}-{ranks}.json"
        done = ordo("compile", operator, "--ranks", ranks, "--algorithm", algorithm, "-o", name)
        if done.returncode == 2:  # not for so many ranks
            return 0
        wanted(done.returncode == 0, name, done.err)
        count = check_table(ordo, name)
        wanted(count, name, "nothing was compared")
        return 1

    with concurrent.futures.ThreadPoolExecutor(2) as several:
        checked = sum(several.map(check, problems))
    wanted(checked > len(problems) / 2, checked, len(problems))


@desk_case(
    "in place, with more chunks to a block, and with shards: the start is shown, and what is "
    "demanded at the end"
)
def _(ordo):
    ordo.compile("place.json", "--in-place", ranks=4)
    out = ordo.works("draw", "place.json", "--as", "table").out
    tables = read_tables(out)
    wanted(tables[0][0] == "before the first step", out)
    wanted(
        tables[0][1] == {(rank, "output", slot): (str(rank), True)
                         for rank in range(4) for slot in range(4)}, out)
    check_table(ordo, "place.json")
    ordo.compile("pieces.json", "--chunks", 3, operator="reduce-scatter", algorithm="mesh", ranks=3)
    check_table(ordo, "pieces.json")
    ordo.compile("shards.json", "--shards", 8, algorithm="dyadic", ranks=4)
    out = ordo.works("draw", "shards.json", "--as", "table").out
    wanted("shards 0 to 3" in out and "0..7" in out.rpartition("step ")[2], out)


@desk_case("trees, markdown, and the same bytes every time")
def _(ordo):
    ordo.compile("ring.json")
    out = ordo.works("draw", "ring.json", "--as", "table", "--trees").out
    tree = re.search(r"\(0\+\(\(1\+2\)\+3\)\)", out)
    wanted(tree, out)
    marked = ordo.works("draw", "ring.json", "--as", "markdown").out
    rows = [line for line in marked.splitlines() if line.startswith("|")]
    wanted(len(rows) == 6 * 6 and all(line.count("|") == 6 for line in rows), marked)
    plain = read_tables(ordo.works("draw", "ring.json", "--as", "table").out)
    bold = sum(len(re.findall(r"\| \*\*[^|]+\*\* ", line)) for line in rows)
    wanted(bold == sum(changed for _, cells in plain for _, changed in cells.values()), bold)
    ordo.works("draw", "ring.json", "-o", "ring.md")
    wanted((ordo.folder / "ring.md").read_text() == marked)
    ordo.works("compile", "allreduce", "-n", 4, "-a", "ring", "-o", "folder")
    for words in [["--as", "table"], ["--as", "markdown"], ["--as", "table", "--trees"]]:
        first = ordo.works("draw", "ring.json", *words).out
        wanted(
            first == ordo.works("draw", "ring.json", *words).out == ordo.works(
                "draw", "folder", *words).out, words)
    wanted(
        ordo.answer("draw", "ring.json", "--as", "table")["picture"] == ordo.works(
            "draw", "ring.json", "--as", "table").out)


@desk_case("without phases a step is a depth; the end is the same")
def _(ordo):
    ordo.compile("ring.json", ranks=3)
    document = strict_json.loads((ordo.folder / "ring.json").read_text())
    del document["phases"]
    for program in document["programs"]:
        for stream in program["streams"]:
            for task in stream["tasks"]:
                task.pop("phase", None)
    (ordo.folder / "bare.json").write_text(json.dumps(document))
    ends = [
        read_tables(ordo.works("draw", name, "--as", "table").out)[-1][1]
        for name in ("ring.json", "bare.json")
    ]
    wanted({place: text
            for place, (text, _) in ends[0].items()
            } == {place: text
                  for place, (text, _) in ends[1].items()}, ends)


@desk_case("large schedules are sampled, and it is said; what was chosen is shown")
def _(ordo):
    ordo.compile("large.json", ranks=64)
    done = ordo.works("draw", "large.json", "--as", "table")
    wanted("here: 8 of 64 ranks, 8 of 64 slots" in done.out, done.out[:500])
    wanted("... 94 steps omitted; --steps selects others" in done.out, done.out[:500])
    wanted("8 of 64 ranks, 8 of 64 slots, 32 of 126 steps; choose others with --ranks" in done.err,
           done.err)
    wanted(all(len(line) <= 100 for line in done.out.splitlines()))
    some = ordo.works("draw", "large.json", "--as", "table", "--ranks", "5,60", "--chunks", "3,63",
                      "--steps", "126")
    [(title, cells)] = read_tables(some.out)
    wanted(
        cells == {(rank, "output", chunk): ("0..63", (rank, chunk) in ((5, 4), (60, 59)))
                  for rank in (5, 60) for chunk in (3, 63)}, some.out)


@desk_case("a refuted schedule: one of its executions, what is undefined, and where it is stuck")
def _(ordo):
    for name, words in {
            "R8-two-writers-unordered": "refuted by R8: this is one of its executions",
            "R10-reads-undefined": "?: undefined",
            "R11-adds-twice": "!: some data were added more than once",
            "R7-both-wait-first": "stuck: 2 streams wait for ever, the first of them at rank 0",
            "R6-wait-without-notify": "stuck: 1 stream waits for ever"
    }.items():
        out = ordo.works("draw", REJECT / f"{name}.json", "--as", "table").out
        wanted(words in out, name, out)
    ordo.fails(1, r"R3-dst-beyond-scratch.json:\d+:\d+: error\[R3\]", "draw",
               REJECT / "R3-dst-beyond-scratch.json", "--as", "table")


@desk_case("what makes no sense is said, and nothing is written")
def _(ordo):
    ordo.compile("ring.json")
    for message, words in [
            ("--chunks: found 4, wanted numbers of 0..3", ["--as", "table", "--chunks", "4"]),
            ("--steps: found 7, wanted numbers of 0..6", ["--as", "table", "--steps", "7"]),
            ("--ranks: found 2-1, wanted numbers", ["--as", "table", "--ranks", "2-1"]),
            ("--chunks, --steps and --trees need --as table", ["--as", "svg", "--trees"])]:
        ordo.fails(2, message, "draw", "ring.json", *words, "-o", "out.txt")
    ordo.fails(2, "a topology has no text form", "draw", "--topology", "ring", "--ranks", 4, "--as",
               "table")
    wanted(ordo.names() == ["ring.json"], ordo.names())


run_cases()
