#!/usr/bin/env python3
"""test_interpreter.py - the interpreter of the tests: it finds nothing in correct files, and the
faults that were planted."""
import os
import pathlib
import random

import generate
import interpreter
import mutants
import random_files
from tap import case, run_cases, wanted

CORRECT = {**generate.correct(),
           **{f"random {seed}": random_files.random_file(seed) for seed in range(40)}}


def planted(kind, text, *changes, **options):
    """Each change, (old, new), is made once; the fault is found."""
    for old, new in changes:
        wanted(old in text, old, text)
        text = text.replace(old, new, 1)
    found = interpreter.judge(text, **options)
    wanted(kind in found.kinds(), f"wanted {kind}, found {found.faults}", text)
    return found


@case("a correct file has no fault, whatever the order of its steps and the pieces of messages")
def _():
    wanted(len(CORRECT) > 100, len(CORRECT))
    for name, text in CORRECT.items():
        found = interpreter.judge(text)
        wanted(not found.faults + found.doubts + found.refusals, name, found.faults, found.doubts,
               found.refusals)
        for pieces, seed in ((None, 1), (1, 2), (1, 3)):
            again = interpreter.judge(text, None, pieces, seed)
            wanted(not again.faults, name, again.faults)
            wanted(interpreter.outputs(again.run, again.root).keys() ==
                   interpreter.outputs(found.run, found.root).keys())


@case("all orders of the steps of small files end alike")
def _():
    tried = 0
    for name, text in CORRECT.items():
        ends = interpreter.every_end(text, 3000) if text.count("<step") < 14 else None
        wanted(ends is None or len(ends) == 1, name)
        tried += ends is not None
    wanted(tried > 8, tried)


@case("what only a free slot orders is a race: with two slots all orders end alike")
def _():
    text = generate.only_a_credit_orders().xml()
    wanted(interpreter.judge(text).kinds() == interpreter.judge(text, 2).kinds() == {"race"})
    wanted(len(interpreter.every_end(text, capacity=2)) == 1)
    wanted(len(interpreter.every_end(text)) > 1)


@case("what holds for whole messages need not hold for their pieces")
def _():
    text = generate.only_whole_messages_order().xml()
    wanted(not interpreter.judge(text).faults)
    wanted(interpreter.judge(text, pieces=1).kinds() >= {"race"})
    wanted(len(interpreter.every_end(text)) == 1)
    wanted(len(interpreter.every_end(text, pieces=1)) > 1)


@case("messages sent head to head need a slot each")
def _():
    for messages in (1, 3, 8, 9):
        text = generate.head_to_head(messages, "LL").xml()
        wanted(interpreter.least_capacity(text) == messages)
        wanted(("deadlock" in interpreter.judge(text).kinds()) == (messages > 8))


@case("messages in pieces find room up to a size")
def _():
    halves = generate.halving_doubling(4, "Simple").xml()
    wanted(interpreter.safe_size(halves) is None)
    eight = generate.head_to_head(1, "Simple", 8).xml()
    # Two slots for eight chunks: four chunks at least must fit into 2 MiB.
    wanted(interpreter.safe_size(eight) == 16 * (2 << 20) // 4, interpreter.safe_size(eight))
    wanted(interpreter.safe_size(generate.head_to_head(3, "Simple").xml()) == 0)


@case("planted faults are found, each as what it is")
def _():
    pairs = generate.pairs_all_reduce(2).xml()
    planted("race", pairs, ('depid="1" deps="0"', 'depid="-1" deps="-1"'))
    planted("deadlock", pairs, ('hasdep="1"', 'hasdep="0"'))
    planted("malformed", pairs, ('cnt="1"', 'cnt="0"'))
    planted("memory", pairs, ('srcoff="1"', 'srcoff="2"'))
    planted("contents", pairs, ('type="re"', 'type="cpy"'))
    planted("malformed", pairs, ('send="1"', 'send="-1"'))
    gather = generate.ring_all_gather(3, in_place=False).xml()
    planted("messages", gather, ('type="rcs"', 'type="r"'), ('type="r"', 'type="s"'))
    planted("input", generate.ring_all_gather(3, 2, in_place=False).xml(),
            ('srcoff="0" dstbuf="o" dstoff="0"', 'srcoff="0" dstbuf="i" dstoff="1"'))
    planted("contents", gather, ('type="cpy" srcbuf="i" srcoff="0" dstbuf="o" dstoff="0"',
                                   'type="cpy" srcbuf="i" srcoff="0" dstbuf="o" dstoff="1"'))
    pairwise = generate.ring_reduce_scatter(2, 2).xml()
    planted("messages", pairwise, ('cnt="2"', 'cnt="1"'))
    planted("overlap", pairwise, ('type="s" srcbuf="i" srcoff="0" dstbuf="i" dstoff="0"',
                                  'type="cpy" srcbuf="i" srcoff="0" dstbuf="i" dstoff="1"'))


@case("the local operand comes first, and a chain adds its sources to the destination in order")
def _():
    run = interpreter.judge(generate.pairs_all_reduce(3).xml()).run
    parts = run.values.parts
    total = parts[run.memory[run.file.place(1, ("o", 1))]]
    wanted(total[0] == "+" and parts[total[2]] == ("in", 2, 1), total)
    wanted([parts[one] for one in parts[total[1]][1:]] == [("in", 1, 1), ("in", 0, 1)], total)
    run = interpreter.judge(generate.ring_reduce_scatter(2).xml()).run
    total = run.values.parts[run.memory[0, "o", 0]]
    wanted([run.values.parts[one] for one in total[1:]] == [("in", 0, 0), ("in", 1, 0)], total)


@case("of mutants, those whose orders end differently have a race, and no others")
def _():
    small = [text for text in CORRECT.values() if text.count("<step") < 13]
    counts = {"one end": 0, "several": 0}
    for seed in range(900):
        draw = random.Random(seed)
        made = mutants.mutant(draw.choice(small), seed)
        found = interpreter.judge(made[1], None) if made else None
        if not found or found.kinds() - {"race", "contents", "input", "messages"}:
            continue
        ends = interpreter.every_end(made[1], 1000)
        if ends is not None:
            wanted(len(ends) == 1 or found.race_pairs, seed, made, len(ends))
            counts["one end" if len(ends) == 1 else "several"] += 1
    wanted(min(counts.values()) > 10, counts)


@case("files in use are as is known of them")
def _():
    corpus = os.environ.get("ORDO_CORPUS")
    if not corpus:
        print("# ORDO_CORPUS is not set: skipped")
        return
    wrong = {"64MB_msccl_strict.xml": {"deadlock"}, "a2nf_3_1.xml": {"race"}}
    for path in sorted(pathlib.Path(corpus).glob("*/*.xml")):
        text = path.read_text()
        if "<algo " in text and path.stat().st_size < 130000:
            found = interpreter.judge(text)
            wanted(found.kinds() == wrong.get(path.name, set()), path, found.faults[:3])


if __name__ == "__main__":
    run_cases()
