#!/usr/bin/env python3
"""test_diff.py ORDO REJECT - diff: whether two schedules give the same bits."""
import json
import re
import signal

import strict_json
from command import REJECT, own_first
from desk import desk_case
from tap import run_cases, wanted


def halves(ordo):
    """ReduceScatter of 4 shards, of which the second half of the vector is added backwards: by
    one rank, and by two."""
    def move(kind, chunk, src, dst, **rest):
        return {"task": kind, **rest, "chunk": chunk, "src": src, "dst": dst}

    def write(name, chunks, scratch, programs):
        (ordo.folder / name).write_text(
            json.dumps({
                "schema": "ordo/schedule/1", "operator": "ReduceScatter", "algorithm": "halves",
                "ranks": len(programs), "shards": 4, "chunks_per_block": chunks,
                "scratch_slots": scratch, "in_place": False,
                "programs": [{"rank": rank, "streams": [{"name": "main", "tasks": tasks}]}
                             for rank, tasks in enumerate(programs)]
            }))

    kinds = ["LocalCopy", "LocalReduce", "LocalReduce", "LocalReduce"]
    write("one.json", 2, 0, [[
        move(kind, chunk, ["input", 2 * (3 - i if chunk else i) + chunk], ["output", chunk])
        for chunk in range(2) for i, kind in enumerate(kinds)
    ]])
    programs = []
    for rank in range(2):
        other = 1 - rank
        signals = [{"task": task, "peer": other, "signal": signal} for task, signal in
                   [("Notify", 0), ("Wait", 0), ("Notify", 1), ("Wait", 1)]]
        programs.append([
            *signals[:2],
            *(move("Send",
                   other, ["input", 2 * (i if rank else 1 - i) + other], ["scratch", i],
                   peer=other) for i in range(2)), signals[2],
            *(move(kinds[i], rank, ["input", 2 * (1 - i if rank else i) + rank], ["output", 0])
              for i in range(2)), signals[3],
            *(move("LocalReduce", rank, ["scratch", i], ["output", 0]) for i in range(2))
        ])
    write("two.json", 1, 2, programs)


@desk_case(
    "diff: bit-interchangeable or not, where in the vector, with both trees and the first node "
    "that differs"
)
def _(ordo):
    for name, algorithm, words in [("ring.json", "ring", []), ("dyadic.json", "dyadic", []),
                                   ("mesh.json", "mesh", ["--chunks", 3]),
                                   ("whole.json", "mesh(shots=1)", []), ("folded.json", "rhd", [])]:
        ordo.compile(name, *words, algorithm=algorithm, ranks=8)
    done = ordo.works("diff", "dyadic.json", "mesh.json", "whole.json")
    wanted("dyadic.json and mesh.json: bit-interchangeable\n" in done.out and
           "2 of 2 are bit-interchangeable with dyadic.json" in done.out, done.out)
    done = ordo.fails(1, "^$", "diff", "ring.json", "dyadic.json")
    for words in [
            "ring.json and dyadic.json: different", "all of the vector", "[1/8, 1/4)",
            "((0+(((((2+3)+4)+5)+6)+7))+1), ring from 2, by ring.json",
            "(((0+1)+(2+3))+((4+5)+(6+7))), dyadic, by dyadic.json", "and 4 more",
            "first node that differs", "meet only after"
    ]:
        wanted(words in done.out, words, done.out)
    done = ordo("diff", "dyadic.json", "folded.json", "mesh.json")
    wanted(
        done.returncode == 1 and "1 of 2 are bit-interchangeable" in done.out
        and "(((0+4)+(2+6))+((1+5)+(3+7))), folded, by folded.json" in done.out
        and "[0, 1)" in done.out, done.out)
    one = ordo.answer("diff", "ring.json", "dyadic.json")
    pair = one["comparisons"][0]
    wanted(one["exit code"] == 1 and len(pair["differing"]) == 8 and not pair["interchangeable"],
           one)
    wanted(pair["differing"][1]["begin"] == "1/8" and pair["differing"][1]["end"] == "1/4", pair)
    # One ring of halves: what goes the one way round is as without the other.
    ordo.compile("both.json", algorithm="ring(directions=2)", ranks=8)
    differing = ordo.answer("diff", "ring.json", "both.json")["comparisons"][0]["differing"]
    wanted(0 < len(differing) < 16 and all("/16" in one["begin"] + one["end"] for one in differing),
           differing)
    document = (ordo.folder / "ring.json").read_bytes()
    wanted("bit-interchangeable" in ordo.works("diff", "-", "ring.json", stdin=document).out)


@desk_case(
    "diff --write-input: the shortest input on which two schedules differ, and nothing where there "
    "is none"
)
def _(ordo):
    ordo.compile("ring.json", "--chunks", 3)
    ordo.compile("dyadic.json", algorithm="dyadic")
    ordo.compile("mesh.json", algorithm="mesh")
    answer = ordo.answer("diff", "dyadic.json", "ring.json", "--write-input", "input.json")
    wanted("an input that shows it  shard " in ordo.fails(1, "", "diff", "dyadic.json",
                                                          "ring.json").out)
    alone = ordo.answer("diff", "dyadic.json", "ring.json")["comparisons"][0]["input"]
    wanted(
        alone.items() <= answer["comparisons"][0]["input"].items() and len(alone["values"]) == 3
        and "file" not in alone, alone)
    written = strict_json.loads((ordo.folder / "input.json").read_text())
    wanted(
        written["schema"] == "ordo/input/1" and written["count"] == 12
        and len(written["values"]) == 3, written)
    results = [one["bits"] for one in answer["comparisons"][0]["input"]["results"]]
    wanted(
        len(set(results)) == 2 and all(re.fullmatch("[0-9a-f]{8}", one) for one in results), answer)
    for name, bits in zip(["dyadic.json", "ring.json"], results):
        wanted(f"(bits {bits})" in ordo.works("run", name, "--input", "input.json").out, name, bits)
        seeded = ordo.works("run", name, "--input", "input.json", "--transport", "seeded", "--seed",
                            5).out
        wanted(f"(bits {bits})" in seeded, name, bits)
    wanted(
        ordo.answer("diff", "dyadic.json", "ring.json", "--type", "f64", "--op", "prod",
                    "--write-input", "x.json")["exit code"] == 1)
    written = strict_json.loads((ordo.folder / "x.json").read_text())
    wanted((written["type"], written["reduction"]) == ("f64", "prod"), written)
    (ordo.folder / "x.json").unlink()
    for words in [["mesh.json"], ["ring.json", "--type", "i32"]]:
        done = ordo.works("diff", "dyadic.json", *words, "--write-input", "x.json")
        wanted("x.json is not written: there is no input on which they differ" in done.err,
               done.err)
    wanted("x.json" not in ordo.names(), ordo.names())


@desk_case(
    "diff: the input serves both, also where other ranks hold the shards and results"
)
def _(ordo):
    ordo.compile("ring.json", "--chunks", 3)
    ordo.compile("dyadic.json", algorithm="dyadic")
    ordo.compile("mesh.json", algorithm="mesh")
    # It serves both, also where the ranks that hold shards and results are others.
    for ranks, algorithm in [(2, "dyadic"), (4, "ring")]:
        ordo.compile(f"{ranks}.json",
                     "--shards",
                     8,
                     operator="reduce-scatter",
                     ranks=ranks,
                     algorithm=algorithm)
    for root, algorithm in [(1, "ring"), (3, "mesh")]:
        ordo.compile(f"to{root}.json", "--root", root, operator="reduce", algorithm=algorithm)
    # Half of the data goes round the other way, so the two differ further on only.
    ordo.compile("one.json", ranks=8)
    ordo.compile("both.json", ranks=8, algorithm="ring(directions=2)")
    wanted(
        ordo.answer("diff", "one.json", "both.json")["comparisons"][0]["differing"][0]["begin"] !=
        "0")
    for one, other in [("2.json", "4.json"), ("4.json", "2.json"), ("to1.json", "to3.json"),
                       ("one.json", "both.json")]:
        answer = ordo.answer("diff", one, other, "--write-input", "y.json")
        said = [result["bits"] for result in answer["comparisons"][0]["input"]["results"]]
        seen = [
            ordo.answer("run", name, "--input", "y.json")["elements"][0]["bits"]
            for name in (one, other)
        ]
        wanted(said == seen and len(set(said)) == 2, one, other, said, seen)
    ordo.compile("3.json", "--shards", 8, operator="reduce-scatter", ranks=3, algorithm="ring")
    ordo("diff", "2.json", "4.json", "--write-input", "y.json")
    ordo.fails(2, "its vector of 4 elements does not fill 3 blocks evenly", "run", "3.json",
               "--input", "y.json")
    ordo.fails(2, "--write-input: wanted two schedules, found 3", "diff", "ring.json", "mesh.json",
               "dyadic.json", "--write-input", "x.json")
    ordo.fails(5, "none/x.json: error: cannot write", "diff", "dyadic.json", "ring.json",
               "--write-input", "none/x.json")


@desk_case(
    "diff: integers, minima and maxima are the same in any order, and what adds nothing has none")
def _(ordo):
    ordo.compile("ring.json")
    ordo.compile("dyadic.json", algorithm="dyadic")
    for words in [["--type", "i32"], ["--type", "u8", "--op", "prod"], ["--op", "max"],
                  ["--type", "f64", "--op", "min"]]:
        done = ordo.works("diff", "ring.json", "dyadic.json", *words)
        wanted("every order has the same bits" in done.out and "differ in 4 of 4 parts" in done.out,
               done.out)
    for words in [["--op", "prod"], ["--type", "f64"]]:
        ordo.fails(1, "^$", "diff", "ring.json", "dyadic.json", *words)
    for name, algorithm, root in [("a.json", "ring", 0), ("b.json", "mesh", 0),
                                  ("c.json", "ring", 1)]:
        ordo.compile(name, "--root", root, operator="broadcast", algorithm=algorithm)
    wanted("nothing is added" in ordo.works("diff", "a.json", "b.json").out)
    done = ordo.fails(1, "^$", "diff", "a.json", "c.json")
    wanted("what rank 0 sends by a.json" in done.out and "what rank 1 sends by c.json" in done.out,
           done.out)
    ordo.fails(1, "x.json is not written: nothing is added", "diff", "a.json", "c.json",
               "--write-input", "x.json")
    for name, root in [("d.json", 0), ("e.json", 2)]:
        ordo.compile(name, "--root", root, operator="reduce", algorithm="mesh")
    wanted("the result is on rank 0 by d.json, on rank 2 by e.json" in ordo.works(
        "diff", "d.json", "e.json").out)


@desk_case(
    "diff: G4 for other topologies and failed links, G5 for other numbers of ranks with as many "
    "shards"
)
def _(ordo):
    ordo.compile("free.json", ranks=8)
    ordo.compile("mesh.json", "--topology", "full-mesh", ranks=8)
    ordo.compile("around.json", "--fail-link", "0-1", ranks=8)
    ordo.compile("cube.json", "--topology", "hypercube", ranks=8, algorithm="dyadic")
    ordo.compile("pairs.json", "--topology", "a3:8", ranks=8, algorithm="birs")
    done = ordo("diff", "mesh.json", "around.json")
    wanted(
        done.returncode == 1 and re.search(
            r'G4 .*does not hold between these two: one was compiled for "full-mesh" \(\w{8}\), '
            r'the '
            r'other for "full-mesh" \(\w{8}\)', done.out), done.out)
    wanted(
        re.search("G4 .*: holds between".replace(":", ""),
                  ordo.works("diff", "free.json", "mesh.json").out))
    wanted(
        re.search('G4 .*holds between these two: one was compiled for "hypercube"',
                  ordo.works("diff", "cube.json", "pairs.json").out))
    wanted(
        re.search("G4 .*not asked: both were compiled for no topology",
                  ordo.works("diff", "free.json", "free.json").out))
    for ranks in [2, 4, 8]:
        ordo.compile(f"{ranks}.json", "--shards", 8, ranks=ranks, algorithm="dyadic")
    done = ordo.works("diff", "2.json", "4.json", "8.json")
    wanted(re.search("G5 .*holds between these two: 8 shards on 2 and on 4 ranks", done.out),
           done.out)
    # Of one order everywhere it does not matter where blocks are cut; of several it does.
    wanted("alignment" not in done.out, done.out)
    halves(ordo)
    wanted(
        re.search("alignment .*if blocks are multiples of it",
                  ordo.works("diff", "one.json", "two.json").out))
    wanted(ordo.answer("diff", "one.json", "two.json")["comparisons"][0]["depends_on_alignment"])
    ordo.compile("ring.json", "--shards", 8, ranks=4)
    done = ordo.fails(1, "^$", "diff", "8.json", "ring.json")
    wanted(re.search("G5 .*does not hold between these two: 8 shards on 8 and on 4", done.out),
           done.out)
    answer = ordo.answer("diff", "2.json", "8.json")["comparisons"][0]
    wanted((answer["G4"]["verdict"], answer["G5"]["verdict"]) == ("not asked", "holds"), answer)


@desk_case(
    "diff: what cannot be compared is said, with what was found; what is refuted, with the first "
    "rule broken"
)
def _(ordo):
    ordo.compile("ring.json")
    ordo.compile("scatter.json", operator="reduce-scatter")
    ordo.compile("six.json", ranks=6)
    ordo.compile("gather.json", operator="allgather")
    ordo.compile("gather6.json", operator="allgather", ranks=6)
    ordo.fails(
        2, "ring.json and scatter.json: different operators: found AllReduce and ReduceScatter",
        "diff", "ring.json", "scatter.json")
    ordo.fails(2, r"different sums: found 4 and 6 contributions.*\nhint: .*--shards V", "diff",
               "ring.json", "six.json")
    ordo.fails(2, "different data: found AllGather on 4 and on 6 ranks", "diff", "gather.json",
               "gather6.json")
    ordo.fails(2, "wanted two schedules or more, found ring.json", "diff", "ring.json")
    ordo.fails(2, "wanted two schedules or more, found none", "diff")
    ordo.fails(2, "only one schedule can come through stdin", "diff", "-", "-")
    ordo.fails(2, "--type: found f8", "diff", "ring.json", "ring.json", "--type", "f8")
    ordo.fails(2, "--op: found xor", "diff", "ring.json", "ring.json", "--op", "xor")
    ordo.fails(5, "nothing.json: error: cannot read", "diff", "ring.json", "nothing.json")
    own_first(ordo, "own.json")
    ordo.fails(1, r"ring.json and own.json: its ranks get different sums \(G1\)", "diff",
               "ring.json", "own.json")
    broken = REJECT / "R8-two-writers-unordered.json"
    ordo.fails(1, r"R8-two-writers-unordered.json.*error\[R8\]", "diff", broken, "ring.json")
    ordo.fails(1, r"error\[R8\]", "diff", "ring.json", broken)


run_cases()
