#!/usr/bin/env python3
"""test_probe.py ORDO REJECT - probe: the trees of real runs."""
import json
import re

from command import REJECT
from desk import desk_case
from tap import run_cases, wanted


@desk_case("probe: real runs have the trees of the proof, in every type and by every transport")
def _(ordo):
    ordo.compile("ring.json", ranks=5)
    ordo.compile("dyadic.json", ranks=6, operator="reducescatter", algorithm="dyadic")
    ordo.compile("tree.json", "--root", 2, ranks=5, operator="reduce", algorithm="tree")
    for kind in ["f16", "bf16", "f32", "f64", "f8e4m3", "f8e5m2"]:
        for transport in ["threads", "seeded", "both"]:
            out = ordo.works("probe", "ring.json", "--type", kind, "--transport", transport).out
            for words in [
                    "ring.json: agrees with the proof", f"of {kind} sums", "15 runs",
                    "orders       5 different", "the same trees on every rank", "(((0+4)+1)+2)+3)"
            ]:
                wanted(words in out, kind, transport, words, out)
    answer = ordo.answer("probe", "dyadic.json", "--seeds", 7, "--seed", 40, "--workers", 0,
                         "--count", 3)
    wanted((answer["verdict"], answer["runs"]) == ("agrees with the proof", 8 * 21), answer)
    wanted(
        answer["probes"] == [
            "a thread for every rank", *(f"seed {seed}" for seed in range(40, 47))
        ], answer)
    wanted([(one["tree"], one["elements"], one["ranks"])
            for one in answer["orders"]] == [("(((0+1)+(2+3))+(4+5))", 18, 6)], answer)
    wanted([one["rank"] for one in ordo.answer("probe", "tree.json")["orders"]] == [2])


@desk_case("probe: what is refuted is not probed unless wanted, and then shows that it has no trees"
           )
def _(ordo):
    lines = ordo.compile("ring.json", ranks=8).read_text().splitlines(keepends=True)
    wanted("Wait" in lines[9] and "SendReduce" in lines[10], lines[9:11])
    (ordo.folder / "broken.json").write_text("".join(lines[:10] + lines[11:]))
    ordo.fails(1, r"error\[R\d+\](.*\n)*.*not probed", "probe", "broken.json")
    done = ordo.fails(1, "", "probe", "broken.json", "--unproved", "--transport", "seeded")
    wanted(
        "broken.json: differs" in done.out and "with 1 in input" in done.out
        and "in the others it is 0, not 1" in done.out, done.out)
    orders = ordo.answer("probe", "broken.json", "--unproved", "--transport", "seeded")["orders"]
    wanted({one["chunk"] for one in orders if one["tree"] is None} == {7}, orders)
    stuck = ordo.fails(1, "rank 0.*rank 1", "probe", REJECT / "R7-both-wait-first.json",
                       "--unproved")
    wanted(stuck.out == "", stuck.out)


@desk_case("probe: where no order is fixed, seeds show different ones")
def _(ordo):
    task = {"chunk": 0, "src": ["input", 0], "dst": ["output", 0]}
    tasks = [[{"task": "LocalCopy", **task}] + [{"task": kind, "peer": peer, "signal": 0}
                                                for kind in ("Notify", "Wait")
                                                for peer in (1, 2, 3)]]
    tasks += [[{"task": "Wait", "peer": 0, "signal": 0}, {"task": "SendReduce", "peer": 0, **task},
               {"task": "Notify", "peer": 0, "signal": 0}]] * 3
    document = {
        "schema": "ordo/schedule/1", "operator": "Reduce", "algorithm": "hand", "ranks": 4,
        "root": 0, "chunks_per_block": 1, "scratch_slots": 0, "in_place": False,
        "programs": [{"rank": rank, "streams": [{"name": "all", "tasks": tasks[rank]}]}
                     for rank in range(4)]
    }
    (ordo.folder / "race.json").write_text(json.dumps(document))
    out = ordo.works("probe", "race.json", "--atomic-reduce", "--seeds", 9).out
    wanted(
        re.search(
            r"race.json: not compared\n  as in the proof, no order is fixed \(G2\): .*\n  found  "
            r"\(.*\n  before \(",
            out), out)
    wanted(
        ordo.answer("probe", "race.json", "--atomic-reduce", "--seeds", 9)["same_in_all_probes"] is
        False)
    ordo.fails(1, r"error\[R8\]", "probe", "race.json")
    ordo.fails(1, "", "probe", "race.json", "--unproved", "--seeds", 9)
    alone = ordo("probe", "race.json", "--unproved", "--transport", "seeded", "--seeds", 1)
    wanted(
        "race.json: not compared\n  a refuted schedule has no proof to compare with\n" in alone.out,
        alone.out, alone.err)


@desk_case("probe shows 32 orders, and says how many more there are")
def _(ordo):
    ordo.compile("ring.json", ranks=34)
    words = ["probe", "ring.json", "--transport", "seeded", "--seeds", 1]
    out = ordo.works(*words).out
    wanted("orders       34 different" in out and "\n    and 2 more; --json has them all\n" in out,
           out)
    wanted(len(ordo.answer(*words)["orders"]) == 34)


@desk_case("probe refuses what adds nothing, what has no order, and what it does not know")
def _(ordo):
    ordo.compile("gather.json", operator="allgather")
    ordo.compile("ring.json")
    for words, message in [(["gather.json"], "AllGather adds nothing"),
                           (["ring.json", "--type", "i32"], "the same in every order"),
                           (["ring.json", "--type", "f31"], "found f31, wanted"),
                           (["ring.json", "--transport", "post"], "found post"),
                           (["ring.json", "--count", 0], "--count: found 0"),
                           (["ring.json", "--seeds", 0], "--seeds")]:
        ordo.fails(2, message, "probe", *words)


run_cases()
