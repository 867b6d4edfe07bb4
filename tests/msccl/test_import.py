#!/usr/bin/env python3
"""test_import.py ORDO REJECT [SEEDS] - documents made from MSCCL XML add what the file adds: run by
their JSON alone, with room for all messages and with few slots."""
import json
import sys

import generate
import interpreter
import random_files
from desk import desk_case
from one_run import Run
from tap import run_cases, wanted

SEEDS = int(sys.argv[3]) if len(sys.argv) > 3 else 10
NAMES = {"input": "i", "output": "o", "scratch": "s"}


class Document:
    """The memory that a document leaves behind, in the interpreter's values."""

    def __init__(self, document, values):
        self.document, self.values, self.memory = document, values, {}
        for rank in range(document["ranks"]):
            for slot in range(self.inputs(rank)):
                self.memory[self.place(rank, ("input", slot))] = values.make(("in", rank, slot))
        self.run = Run(document)
        for rank, _, _, task in self.run.moves():
            self.move(rank, task)

    def inputs(self, rank):
        k, n, operator = (self.document[key] for key in ("chunks_per_block", "ranks", "operator"))
        if operator == "Broadcast":
            return k if rank == self.document["root"] else 0
        return {"AllGather": k, "AllToAll": n * k, "ReduceScatter": n * k}.get(operator, k)

    def place(self, rank, slot):
        """In place, input and output name one memory."""
        name, at = slot
        k, operator = self.document["chunks_per_block"], self.document["operator"]
        if not self.document["in_place"] or name == "scratch":
            return rank, NAMES[name], at
        if operator == "ReduceScatter":
            return rank, "i", at + (rank * k if name == "output" else 0)
        return rank, "o", at + (rank * k if operator == "AllGather" and name == "input" else 0)

    def move(self, rank, task):
        there = task["peer"] if task["task"] in ("Send", "SendReduce") else rank
        count = task.get("count", 1)
        found = [self.memory[self.place(rank, (task["src"][0], task["src"][1] + one))]
                 for one in range(count)]
        for one, value in enumerate(found):
            place = self.place(there, (task["dst"][0], task["dst"][1] + one))
            self.memory[place] = self.values.add(self.memory[place], value) \
                if task["task"] in ("LocalReduce", "SendReduce") else value


def whole(part):
    return part


def check_import(ordo, name, text):
    """The document is proved, and each of its outputs is the tree that the file computes."""
    (ordo.folder / "x.xml").write_text(text)
    ordo.works("import", "msccl", "x.xml", "-o", "x.json")
    answer = ordo.answer("verify", "x.json")
    wanted(answer["proved"], name, answer)
    found = interpreter.judge(text)
    wanted(not found.faults, name, found.faults)
    if found.run.file.coll in interpreter.SUMS:
        holds = [answer["guarantees"][one]["verdict"] == "holds" for one in ("G1", "G3")]
        wanted(holds == list(interpreter.guarantees(found)), name, answer["guarantees"])
    values = found.run.values
    done = Document(json.loads((ordo.folder / "x.json").read_text()), values)
    wanted(done.run.is_over(), name, "the document's run ends early")
    file, compared = found.run.file, 0
    wanted(done.document["ranks"] == file.ngpus and done.document["in_place"] == file.in_place)
    for gpu in range(file.ngpus):
        for offset, _ in interpreter.demanded(file, gpu, found.root):
            ours = values.tree(found.run.memory[file.place(gpu, ("o", offset))], whole)
            theirs = values.tree(done.memory[done.place(gpu, ("output", offset))], whole)
            wanted(ours == theirs, name, f"gpu {gpu} o[{offset}] differs")
            compared += 1
    wanted(compared > 0, name)


def check_slots(ordo, name, text):
    """With N slots the document hangs if and only if the file does."""
    (ordo.folder / "x.xml").write_text(text)
    least = interpreter.least_capacity(text)
    for slots in {1, 2, 3, least - 1, least} - {0}:
        ordo.works("import", "msccl", "x.xml", "--slots", slots, "-o", "slots.json")
        done = ordo.answer("verify", "slots.json")
        hangs = any(one["rule"] == "R7" for one in done["findings"])
        wanted(hangs == (slots < least), name, f"{slots} slots of {least}", done["findings"])


@desk_case("the document of a correct file is proved, and adds what the file adds")
def _(ordo):
    for name, text in generate.correct().items():
        check_import(ordo, name, text)


@desk_case("the documents of random files are proved, and add what the files add")
def _(ordo):
    for seed in range(SEEDS):
        check_import(ordo, f"seed {seed}", random_files.random_file(seed))


@desk_case("with few slots a document hangs where the file does")
def _(ordo):
    for name, text in list(generate.correct().items())[::3]:
        check_slots(ordo, name, text)
    for messages in (2, 5):
        check_slots(ordo, f"head to head {messages}", generate.head_to_head(messages).xml())
    for seed in range(SEEDS):
        check_slots(ordo, f"seed {seed}", random_files.random_file(seed))


@desk_case("imports are the same bytes each time, and stdin and stdout do as well as files")
def _(ordo):
    text = generate.hierarchical(2, 2).xml()
    (ordo.folder / "x.xml").write_text(text)
    ordo.works("import", "msccl", "x.xml", "-o", "one.json")
    ordo.works("import", "msccl", "x.xml", "-o", "two.json")
    one, two = ((ordo.folder / name).read_bytes() for name in ("one.json", "two.json"))
    wanted(one == two)
    printed = ordo.works("import", "msccl", "x.xml").out
    wanted(printed.encode() == one, printed[:300])


if __name__ == "__main__":
    run_cases()
