#!/usr/bin/env python3
"""test_run.py ORDO REJECT - run: checks, replays, inputs that tell orders apart."""
import json
import re

import strict_json
from command import REJECT, own_first
from desk import desk_case
from tap import run_cases, wanted


@desk_case(
    "verify --write-replay: every finding about runs is carried out by run --replay, and shows")
def _(ordo):
    for path in sorted(REJECT.glob("R*.json")):
        rule = path.name.split("-")[0]
        (ordo.folder / "replay.json").unlink(missing_ok=True)
        done = ordo("verify", path, "--write-replay", "replay.json")
        # Nothing is demanded of Custom, so wrong contents do not show in a run.
        if int(rule[1:]) < 6 or path.name.startswith("R10-custom-"):
            wanted(not (ordo.folder / "replay.json").exists(), path)
            continue
        wanted(done.returncode == 1 and f"ordo run {path} --replay replay.json" in done.out, path,
               done.out)
        replay = strict_json.loads((ordo.folder / "replay.json").read_text())
        wanted(replay["shows"] == rule, path, replay)
        done = ordo("run", path, "--replay", "replay.json")
        wanted(
            f"interleaving {len(replay['interleavings'])} of {len(replay['interleavings'])}"
            in done.out, path, done.out)
        # Where source and target overlap, the order within one task is the race.
        wanted(done.returncode == ("overlapping" not in path.name), path, done.returncode, done.out)
        if rule == "R8" and len(replay["tasks"]) == 2:
            answer = ordo.answer("run", path, "--replay", "replay.json", "--type", "f64", "--count",
                                 100)
            wanted(answer["exit code"] == 1 and answer["different"] > 0 and answer["shown"], path,
                   answer)
            steps = [[sight["step"] for sight in one["sights"]] for one in answer["interleavings"]]
            wanted(all(b == a + 1 for a, b in steps), path, steps)
        if rule == "R7":
            wanted("waits for" in done.out, path, done.out)
        (ordo.folder / "replay.json").unlink()
    # What is left over need not be what the first task gives.
    text = (REJECT / "R6-token-left-over.json").read_text()
    head, tail = text[:(cut := text.rindex('"peer": 1, "signal": 0'))], text[cut:]
    (ordo.folder / "left.json").write_text(head + tail.replace('"signal": 0', '"signal": 1', 1))
    ordo("verify", "left.json", "--write-replay", "replay.json")
    replay = strict_json.loads((ordo.folder / "replay.json").read_text())
    wanted(replay["tasks"] == [{"call": 1, "stream": 1, "task": 5}], replay)
    (ordo.folder / "replay.json").unlink()
    ordo.compile("ring.json")
    wanted("no replay is written" in ordo.works("verify", "ring.json", "--write-replay",
                                                "replay.json").err)
    wanted(not (ordo.folder / "replay.json").exists())


@desk_case(
    "run --replay: a replay of another schedule, or one that cannot be carried out, is refused")
def _(ordo):
    path = REJECT / "R8-two-writers-unordered.json"
    ordo("verify", path, "--write-replay", "race.json")
    ordo("verify", path, "--atomic-reduce", "--write-replay", "order.json")
    wanted(ordo.answer("run", path, "--replay", "order.json")["shows"] == "G2")
    ordo.compile("ring.json")
    ordo.fails(3, r"^race.json:2:14: error\[R1\]: schedule: found .* belongs to another", "run",
               "ring.json", "--replay", "race.json")
    ordo.fails(5, r"^none.json: error: cannot read", "run", path, "--replay", "none.json")
    ordo.fails(2, r"cannot be combined with", "run", path, "--replay", "race.json", "--check")
    text = (ordo.folder / "race.json").read_text()
    (ordo.folder / "race.json").write_text(re.sub(r"\n  \[\[", "\n  [[0, 999], [", text))
    done = ordo("run", path, "--replay", "race.json")
    wanted(done.returncode == 3 and "run 0 of the interleaving: stream 0 " in done.err,
           done.returncode, done.err)


@desk_case("run --check: every type with every reduction, on threads and seeded, bit for bit")
def _(ordo):
    ordo.compile("ring.json", ranks=3)
    ordo.compile("mesh.json", ranks=3, algorithm="mesh")
    kinds = [(kind, reduction)
             for kind in ["f16", "bf16", "f32", "f64", "i8", "i32", "i64", "u8"]
             for reduction in ["sum", "prod", "min", "max", "avg"]]
    kinds += [("f8e4m3", "sum"), ("f8e5m2", "prod"), ("u16", "bxor"), ("u64", "avg"),
              ("c64", "sum"), ("c128", "avg"), ("f32_i32", "minloc"), ("i64_i32", "maxloc")]
    for kind, reduction in kinds:
        for name, transport in [("ring.json", "threads"), ("mesh.json", "seeded")]:
            check = ordo.answer("run", name, "--type", kind, "--op", reduction, "--transport",
                                transport, "--count", 1001, "--check")["check"]
            wanted(check["bits_equal"] and check["within_bounds"], kind, reduction, transport,
                   check)
            wanted(check["elements"] == 3 * 1001, check)
    for kind, reduction, says in [("f8e5m2", "bor", "found bor of f8e5m2, wanted sum, prod, min"),
                                  ("c64", "max", "found max of c64, wanted sum or avg"),
                                  ("f32_i32", "sum", "found sum of f32_i32, wanted minloc or max"),
                                  ("u32", "minloc", "found minloc of u32, wanted sum, prod, ")]:
        ordo.fails(2, says, "run", "ring.json", "--type", kind, "--op", reduction)
        ordo.fails(2, says, "verify", "ring.json", "--type", kind, "--op", reduction)
        ordo.fails(2, says, "order", "ring.json", "--type", kind, "--op", reduction)
        ordo.fails(2, says, "diff", "ring.json", "mesh.json", "--type", kind, "--op", reduction)
    ordo.fails(2, "found sum of i32_i32, wanted minloc", "calibrate", "--type", "i32_i32")
    out = ordo.fails(1, "", "verify", "ring.json", "--type", "c128", "--require", "G3")
    wanted("-0x1p+55" in out.out and "(f64 sum)" in out.out, out.out)
    out = ordo.works("verify", "ring.json", "--type", "f64_i32", "--op", "minloc", "--require",
                     "G3")
    wanted("f64_i32 minloc is associative, every order has the same bits" in out.out, out.out)


@desk_case("run: workers, seeds, repetition, sizes with units, bytes of every link")
def _(ordo):
    ordo.compile("ring.json")
    for words in [["--workers", 0], ["--workers", 1], ["--workers", 3, "--repeat", 5],
                  ["--transport", "seeded", "--seed", 7, "--repeat", 20]]:
        out = ordo.works("run", "ring.json", "--bytes", "4KiB", "--check", *words).out
        wanted("4 KiB a rank" in out and "bit-equal" in out, words, out)
    links = ordo.answer("run", "ring.json", "--bytes", "4kB", "--links")["links"]
    wanted([(one["from"], one["to"], one["bytes"]) for one in links] ==
           [(rank, (rank + 1) % 4, 6000) for rank in range(4)], links)


@desk_case("run refuses what is refuted, and runs it if told to")
def _(ordo):
    path = REJECT / "R8-slot-reused-before-read.json"
    ordo.fails(1, r"error\[R8\].*(\n.*)*not run, because it is refuted", "run", path)
    done = ordo.works("run", path, "--unproved", "--count", 8)
    wanted("warning: running a refuted schedule" in done.err, done.err)
    check = ordo.answer("run", path, "--unproved", "--check", "--transport", "seeded")["check"]
    wanted(check["bits_equal"] == (check["wrong"] == 0), check)


@desk_case("a run that is stuck ends, and names who waits for whom")
def _(ordo):
    path = REJECT / "R7-both-wait-first.json"
    for transport in ["threads", "seeded"]:
        done = ordo.fails(1, "rank 0.*rank 1", "run", path, "--unproved", "--count", 8,
                          "--transport", transport)
        wanted("wait" in done.err, done.err)


@desk_case(
    "verify --write-input and run --input: the bits differ on the running schedule, and nowhere "
    "they should not"
)
def _(ordo):
    ordo.compile("ring.json")
    ordo.compile("dyadic.json", algorithm="dyadic")
    ordo.compile("scatter.json", operator="reduce-scatter")
    ordo.compile("place.json", "--in-place", "--chunks", 6)
    ordo.compile("nhr.json", algorithm="nhr", ranks=5)
    own_first(ordo, "own.json")
    for name in ["ring", "scatter", "place", "nhr", "own"]:
        for kind in ["f32", "f64"]:
            for reduction in ["sum", "prod", "avg"]:
                ordo.works("verify", f"{name}.json", "--type", kind, "--op", reduction,
                           "--write-input", "differs.json")
                for how in [["--transport", "seeded", "--seed", 7], ["--workers", 0]]:
                    done = ordo("run", f"{name}.json", "--input", "differs.json", *how)
                    wanted(
                        done.returncode == 1 and
                        "they differ, although every shard has the same value in both places"
                        in done.out,
                        name, kind, reduction, done.out, done.err)
    # The proof's software said what the machine now does.
    said = ordo.answer("verify", "ring.json", "--op", "prod", "--write-input", "differs.json")
    shown = ordo.answer("run", "ring.json", "--input", "differs.json")
    wanted([one["bits"] for one in said["guarantees"]["G3"]["counterexample"]["elements"]] ==
           [one["bits"] for one in shown["elements"]])
    wanted(shown["differ"] and shown["same_inputs"] and shown["exit code"] == 1, shown)
    # One order gives one result, also on that input and whatever the chunks.
    same = ordo.answer("run", "dyadic.json", "--input", "differs.json")
    wanted(not same["differ"] and same["exit code"] == 0, same)
    ordo.compile("finer.json", "--chunks", 12)
    wanted(ordo.answer("run", "finer.json", "--input", "differs.json")["elements"][1]["chunk"] == 3)
    # An element to look at, of integers too.
    text = (ordo.folder / "differs.json").read_text()
    one = strict_json.loads(text)
    one.update(type="i32", reduction="sum", rest="-3", elements=one["elements"][:1], values=[
        {"shard": 1, "chunk": 0, "offset": 0, "value": "2147483647"}])
    (ordo.folder / "one.json").write_text(json.dumps(one))
    wanted(ordo.answer("run", "ring.json", "--input", "one.json")["elements"] ==
           [{"rank": 0, "chunk": 0, "offset": 0, "value": "2147483638", "bits": "7ffffff6"}])
    # What differs in the input says nothing of the order.
    one.update(elements=one["elements"] + [{"rank": 0, "chunk": 1, "offset": 0}])
    (ordo.folder / "one.json").write_text(json.dumps(one))
    wanted("but the shards do not have the same" in ordo("run", "ring.json", "--input",
                                                         "one.json").out)


@desk_case("verify --write-input and run --input: what makes no sense")
def _(ordo):
    ordo.compile("ring.json")
    ordo.compile("five.json", ranks=5)
    ordo.compile("reduce.json", operator="reduce")
    done = ordo.works("verify", "ring.json", "--type", "i32", "--write-input", "none.json")
    wanted("no input written: neither G1 nor G3 is refuted for i32 sum" in done.err
           and "none.json" not in ordo.names())
    ordo.works("verify", "ring.json", "--write-input", "differs.json")
    wanted(ordo("verify", "ring.json", "--write-input", "nowhere/differs.json").returncode == 5)
    for words in [["--type", "f64"], ["--op", "sum"], ["--count", 4], ["--bytes", "1KiB"]]:
        ordo.fails(2, "--input sets the type, reduction and count", "run", "ring.json", "--input",
                   "differs.json", *words)
    for words in [["--check"], ["--links"], ["--repeat", 2]]:
        ordo.fails(2, "cannot be combined with", "run", "ring.json", "--input", "differs.json",
                   *words)
    ordo.fails(2, "different numbers of shards", "run", "five.json", "--input", "differs.json")
    ordo.fails(2, "different operators", "run", "reduce.json", "--input", "differs.json")
    ordo.fails(5, "cannot read", "run", "ring.json", "--input", "missing.json")
    text = (ordo.folder / "differs.json").read_text()
    (ordo.folder / "wrong.json").write_text(text.replace('"0x1p+26"', '"1e8"', 1))
    ordo.fails(
        3, r'^wrong\.json:\d+:\d+: error\[R1\]: value: found "1e8", wanted a hexadecimal number',
        "run", "ring.json", "--input", "wrong.json")
    ordo.fails(1, r"error\[R8\]", "run", REJECT / "R8-read-before-data.json", "--input",
               "differs.json")


run_cases()
