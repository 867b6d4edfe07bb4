#!/usr/bin/env python3
"""test_mutants.py ORDO [COUNT [SEED]] - the verdict on mutants of MSCCL XML files, against the
interpreter.

COUNT mutants are drawn from SEED on; of files in use too, if ORDO_CORPUS is set. A fault that the
interpreter finds must not be proved, and what is right must be proved, or refused for one of the
reasons that the interpreter calls doubts. By hand: PYTHONPATH=tests/support."""
import collections
import json
import os
import pathlib
import random
import re
import subprocess
import sys
import tempfile

import generate
import interpreter
import mutants
import random_files
from tap import case, run_cases, wanted

ORDO = os.path.abspath(sys.argv[1])
COUNT = int(sys.argv[2]) if len(sys.argv) > 2 else 400
SEED = int(sys.argv[3]) if len(sys.argv) > 3 else 1
PROVED, REFUTED, USAGE, BAD, UNDECIDED = range(5)
LARGEST = 30000


class Verdict:
    """What the command says of a file."""

    def __init__(self, text, *words):
        with tempfile.NamedTemporaryFile("w", suffix=".xml", dir=FOLDER.name) as stream:
            stream.write(text)
            stream.flush()
            done = subprocess.run([ORDO, "verify", stream.name, "--json", *words], timeout=60,
                                  capture_output=True, check=False)
        self.code, self.error = done.returncode, done.stderr.decode()
        try:
            self.answer = json.loads(done.stdout)
        except ValueError:
            self.answer = {"findings": [], "text": done.stdout.decode()}
        self.rules = {one.get("rule") for one in self.answer.get("findings", [])}

    def __str__(self):
        return f"exit code {self.code} {sorted(map(str, self.rules))} {self.error}" + \
            json.dumps(self.answer)[:1500]


def false(found, verdict):
    """What is wrong with the verdict, or None."""
    kinds = found.kinds()
    if verdict.code == USAGE and "names no root" in json.dumps(verdict.answer):
        return None
    if verdict.code not in (PROVED, REFUTED, BAD, UNDECIDED):
        return "no verdict"
    if class_of(verdict) == "equivalent":
        return f"proved, but: {sorted(kinds)}" if kinds else None
    if not kinds and not found.doubts and not found.refusals:
        return "not proved, though nothing is wrong"
    if verdict.code == UNDECIDED and kinds == {"contents"}:
        return "undecided, but the contents are wrong"
    if verdict.code == REFUTED:
        return false_rules(found, verdict)
    return None


def false_rules(found, verdict):
    """Rules that the file does not break."""
    kinds = found.kinds()
    if kinds & {"malformed", "memory", "messages", "overlap"}:
        return None
    if "R7" in verdict.rules and "deadlock" not in kinds:
        return "R7, but it does not hang"
    stuck, double = found.run.stuck(), any("itself" in doubt for doubt in found.doubts)
    if "R8" in verdict.rules and "race" not in kinds and not stuck and not double:
        return "R8, but nothing races"
    if "R8" in verdict.rules and not stuck and not double:
        lines = {line for pair in found.race_pairs for step in pair[:2] for line in step.lines}
        said = {one.get("line") for one in verdict.answer["findings"] if one["rule"] == "R8"}
        if not said <= lines:
            return f"R8 at lines {sorted(said)}, but the steps that race are at {sorted(lines)}"
    contents = {"R10", "R11"} & verdict.rules
    if contents and not kinds & {"contents", "race", "input"} and not found.doubts and not stuck:
        return f"{sorted(contents)}, but the contents are right"
    return None


def class_of(verdict):
    if verdict.code == PROVED:
        return "equivalent"
    if verdict.code == UNDECIDED and verdict.answer.get("contents_judged") is False:
        return "equivalent"
    return "refuted" if verdict.code == REFUTED else "refused"


def small_files():
    """(name, text) of files in use whose mutants take little time."""
    corpus = os.environ.get("ORDO_CORPUS")
    for path in sorted(pathlib.Path(corpus).glob("*/*.xml")) if corpus else []:
        if path.stat().st_size < LARGEST and b"<algo " in path.read_bytes():
            yield path.name, path.read_text()


def sample(files, count, seed, tally):
    """Judges so many mutants of the files; returns the false verdicts, and counts in the tally."""
    wrong = []
    while count > 0:
        draw = random.Random(seed)
        name, text = draw.choice(files)
        if name in ("random", "custom"):
            text = random_files.random_file(seed)
        if name == "custom":
            text = re.sub('coll=".*?" inplace=".*?" outofplace=".*?"',
                          'coll="custom" inplace="0" outofplace="1"', text)
        made = mutants.mutant(text, seed)
        if made:
            found = interpreter.judge(made[1], pieces=1, seed=seed)
            verdict = Verdict(made[1])
            reason = false(found, verdict)
            tally[class_of(verdict)] += 1
            if reason:
                wrong.append(f"seed {seed}, {name}, {made[0]}: {reason}; {verdict}\n"
                             f"faults {found.faults[:3]} doubts {found.doubts[:3]} "
                             f"refusals {found.refusals[:3]}")
            count -= 1
        seed += 1
    return wrong


def judged(files, count):
    tally = collections.Counter()
    wrong = sample(files, count, SEED, tally)
    print("#", count, "mutants:", *[f"{many} {kind}," for kind, many in sorted(tally.items())],
          f"{len(wrong)} false verdicts")
    wanted(not wrong, f"{len(wrong)} false verdicts", *wrong[:10])
    wanted(min(tally["refuted"], tally["refused"], tally["equivalent"]) > 0, tally)


@case("the files that are mutated are proved")
def _():
    for name, text in [*generate.correct().items(), *small_files()]:
        found, verdict = interpreter.judge(text), Verdict(text)
        reason = false(found, verdict)
        wanted(reason is None, name, reason, verdict)


@case("mutants of correct files are refuted, refused, or as right as the file")
def _():
    judged(list(generate.correct().items()), COUNT // 2)


@case("random files are proved, or hang with the protocol's slots")
def _():
    wrong = []
    for seed in range(SEED, SEED + COUNT // 4):
        text = random_files.random_file(seed)
        found, verdict = interpreter.judge(text, pieces=1), Verdict(text)
        if found.kinds() - {"deadlock"} or false(found, verdict):
            wrong.append(f"seed {seed}: {false(found, verdict)} {found.faults[:2]} {verdict}")
    wanted(not wrong, len(wrong), *wrong[:5])


@case("mutants of random files are refuted, refused, or as right as the file")
def _():
    judged([("random", None)], COUNT // 2)


@case("mutants of files of a collective of their own are too, but for their contents")
def _():
    judged([("custom", None)], COUNT // 4)


@case("mutants of files in use are refuted, refused, or as right as the file")
def _():
    files = list(small_files())
    if files:
        judged(files, COUNT // 4)
    else:
        print("# ORDO_CORPUS is not set: skipped")


@case("what only a credit orders is a race, with any number of slots")
def _():
    text = generate.only_a_credit_orders().xml()
    for proto in generate.PROTOCOLS:
        verdict = Verdict(text.replace('"Simple"', f'"{proto}"'))
        wanted(verdict.code == REFUTED and verdict.rules == {"R8"}, proto, verdict)


@case("no verdict but a deadlock's changes with the slots of the protocol")
def _():
    for seed in range(SEED, SEED + COUNT // 10):
        made = mutants.mutant(random_files.random_file(seed), seed)
        said = {}
        for proto in generate.PROTOCOLS if made else ():
            verdict = Verdict(re.sub('proto=".*?"', f'proto="{proto}"', made[1], count=1))
            # Where it hangs with few slots, it may be refuted for that alone.
            said[verdict.code if verdict.code not in (PROVED, REFUTED) else "judged",
                 frozenset(verdict.rules - {"R7"})] = proto
        wanted(len(said) < 2, seed, said, made)


@case("what only whole messages order is a race, since large ones travel in pieces")
def _():
    verdict = Verdict(generate.only_whole_messages_order().xml())
    wanted(verdict.code == REFUTED and verdict.rules == {"R8"}, verdict)


@case("messages sent head to head hang where the protocol has fewer slots, and nowhere else")
def _():
    for proto, slots in interpreter.CAPACITY.items():
        for messages in (slots, slots + 1):
            verdict = Verdict(generate.head_to_head(messages, proto).xml())
            wanted(verdict.rules == ({"R7"} if messages > slots else set()), proto, messages,
                   verdict)


@case("least slots and safe sizes are the interpreter's")
def _():
    files = [generate.head_to_head(messages, proto, width).xml() for proto in generate.PROTOCOLS
             for messages in (1, 2, 3) for width in (1, 3, 8)]
    files += list(generate.correct().values())[::4]
    for seed in range(SEED, SEED + COUNT // 10):
        made = mutants.mutant(random_files.random_file(seed), seed)
        files += made[1:] if made else ()
    compared = 0
    for text in files:
        verdict = Verdict(text)
        said = verdict.answer.get("msccl", {})
        wanted("safe_bytes" in said or verdict.code != PROVED, verdict)
        if "safe_bytes" not in said:
            continue
        least = interpreter.least_capacity(text)
        wanted(said.get("least_slots") == least, "least slots", least, said, text)
        wanted(said["safe_bytes"] == interpreter.safe_size(text), "safe size",
               interpreter.safe_size(text), said, text)
        compared += 1
    wanted(compared > 30, compared)


FOLDER = tempfile.TemporaryDirectory()

if __name__ == "__main__":
    run_cases()
