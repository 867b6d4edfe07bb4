#!/usr/bin/env python3
"""test_plan_set.py ORDO REJECT - plan sets: made, proved, compared, opened."""
import fractions
import json
import os
import re
import shutil

import strict_json
from command import REJECT
from desk import desk_case
from tap import run_cases, wanted


@desk_case(
    "compile --sizes: a folder with the cheapest for every size, the sizes where it changes exact, "
    "all of it proved"
)
def _(ordo):
    def first_two_shot(alpha, link, adding):
        # a + n b + 7 n g > 2a + 2/8 n b + 7/8 n g
        return int(alpha / ((1 - fractions.Fraction(2, 8)) / link +
                            (7 - fractions.Fraction(7, 8)) / adding)) + 1
    done = ordo.works("compile", "allreduce", "-n", 8, "--sizes", "1:1GiB", "-o", "set")
    wanted(done.out == "", done.out)
    change = first_two_shot(1000, 56, 195)
    wanted(
        re.search(
            rf"1\.\.{change - 1} +range-0.json +mesh\(shots=1\) +dyadic +[0-9a-f]{{32}}  1 us\.\.",
            done.err), done.err)
    wanted(
        f"{change}..1073741824" in done.err and "constant over all sizes" in done.err
        and "price" not in done.err, done.err)
    wanted(
        sorted(os.listdir(ordo.folder /
                          "set")) == ["plan-set.json", "range-0.json", "range-1.json"])
    document = strict_json.loads((ordo.folder / "set/plan-set.json").read_text())
    wanted([one["from_bytes"] for one in document["ranges"]] == [1, change], document)
    # The same again replaces it; other constants give other sizes; a topology gives its own.
    for words, wanted_change in [([], change), (["--alpha-ns", "333"], first_two_shot(333, 56,
                                                                                      195)),
                                 (["--bandwidth", "12.5", "--reduce-bandwidth",
                                   "1e2"], first_two_shot(1000, fractions.Fraction(25, 2), 100)),
                                 (["--topology", "full-mesh", "--alpha-ns",
                                   "5e4"], first_two_shot(50000, 56, 195))]:
        answer = ordo.answer("compile", "allreduce", "-n", 8, "--sizes", "1:", *words, "-o", "set")
        found = [one["from_bytes"] for one in answer["ranges"]]
        wanted(answer["exit code"] == 0 and found == [1, wanted_change], words, found,
               wanted_change)
        wanted(
            answer["ranges"][-1]["to_bytes"] is None
            and answer["ranges"][0]["cost_seconds"]["source"] == "published", answer)


@desk_case(
    "a set whose order changes with the size: verify says where, with both trees and an input; "
    "--require makes it a failure"
)
def _(ordo):
    ordo.works("compile", "allreduce", "-n", 8, "--topology", "hypercube", "--sizes", "1:1MiB",
               "-o", "fast")
    done = ordo.works("verify", "fast", "--topology", "hypercube")
    wanted(
        re.match(
            r"fast: proved\n  AllReduce on 8 ranks: 2 ranges of sizes from 1 byte on, up to "
            r"1048576\n",
            done.out), done.out)
    wanted(re.search(r"1\.\.\d+ +range-0.json +recursive-doubling +folded ", done.out), done.out)
    wanted(
        re.search(
            r"order +changes with the size, and so do bits:\n"
            r"    at (\d+) bytes, from range-0.json to range-1.json\n"
            r"      \[1/4, 3/8\) of the vector: "
            r"\(\(\(0\+4\)\+\(2\+6\)\)\+\(\(1\+5\)\+\(3\+7\)\)\), folded, by range-0.json\n"
            r" +\(+0\+.*\d\)+ by range-1.json\n"
            r"(.*\n)+      and 3 further parts\n"
            r"      f32 \S+ from rank \d, \S+ from \d, \S+ from \d, 0 from all others: (\S+) and "
            r"(?!\3\n)\S+\n",
            done.out), done.out)
    wanted("G3 position-invariant   does not hold: not by the schedule range-1.json" in done.out,
           done.out)
    for required, why in [("constant",
                           r"a constant order is required, but the order changes at \d+ bytes"),
                          ("G1,G3", r"G3 is required, but does not hold of range-1.json")]:
        done = ordo("verify", "fast", "--require", required)
        wanted(done.returncode == 1 and re.search(r"fast/plan-set.json: error: " + why, done.err),
               required, done.err)
    wanted(ordo("verify", "fast", "--require", "G1,G2").returncode == 0)
    answer = ordo.answer("verify", "fast")
    wanted(answer["proved"] and not answer["constant_order"] and answer["exit code"] == 0, answer)
    wanted([one["bytes"] for one in answer["changes"]] == [answer["ranges"][1]["from_bytes"]],
           answer)
    for one in answer["changes"]:
        results = one["input"]["results"]
        wanted(results[0] != results[1] and len(one["differing"][0]["trees"]) == 2, one)
    wanted(answer["guarantees"] == {"G1": "holds", "G2": "holds", "G3": "does not hold"},
           answer["guarantees"])


@desk_case(
    "verify: whether bits of a set change with the size depends on the type and the reduction"
)
def _(ordo):
    ordo.works("compile", "allreduce", "-n", 8, "--topology", "hypercube", "--sizes", "1:1GiB",
               "-o", "fast")
    # For integers the order does not matter, for products of doubles another input shows it.
    done = ordo.works("verify", "fast", "--type", "i32", "--require", "G1,G2,G3,constant")
    wanted("any: for i32 sum every order has the same bits" in done.out, done.out)
    answer = ordo.answer("verify", "fast", "--op", "max")
    wanted(
        answer["constant_order"] and not answer["changes"]
        and set(answer["guarantees"].values()) == {"holds"}, answer)
    done = ordo.works("verify", "fast", "--type", "f64", "--op", "prod")
    wanted(re.search(r"      f64 \S+ from rank \d, .*: (\S+) and (?!\1\n)", done.out), done.out)
    for alone in ["write-replay", "write-input", "certificate", "symmetry"]:
        ordo.fails(2, "" if alone == "symmetry" else f"--{alone} takes one schedule", "verify",
                   "fast", f"--{alone}", "off")


@desk_case(
    "G3 of a set is more than G3 of its schedules: one order for all sizes; chunks do not matter")
def _(ordo):
    for name, fold, chunks in [("a.json", "dyadic", 1), ("b.json", "folded", 1),
                               ("c.json", "dyadic", 6)]:
        ordo.compile(name, "--chunks", chunks, algorithm=f"mesh(shots=1,fold={fold})")
    write_set(ordo, [{"from_bytes": 0, "to_bytes": 9, "schedule": "a.json"},
                     {"from_bytes": 10, "schedule": "b.json"}])
    done = ordo("verify", "set.json", "--require", "G3")
    wanted(done.returncode == 1 and "G3 is required, but the order changes at 10 bytes" in done.err,
           done.err)
    wanted("G3 position-invariant   does not hold: the order changes with the size" in done.out,
           done.out)
    wanted(
        ordo.answer("verify", "set.json")["guarantees"] ==
        {"G1": "holds", "G2": "holds", "G3": "does not hold"})
    write_set(ordo, [{"from_bytes": 0, "to_bytes": 9, "schedule": "a.json"}, {
        "from_bytes": 10, "to_bytes": 10, "schedule": "c.json"
    }, {"from_bytes": 11, "schedule": "a.json"}])
    done = ordo.works("verify", "set.json", "--require", "G3,constant")
    wanted(
        "one order for all positions and sizes" in done.out
        and "constant over all sizes" in done.out, done.out)
    # There and back again is two changes.
    write_set(ordo, [{"from_bytes": 0, "to_bytes": 9, "schedule": "a.json"}, {
        "from_bytes": 10, "to_bytes": 10, "schedule": "b.json"
    }, {"from_bytes": 11, "schedule": "c.json"}])
    wanted([one["bytes"] for one in ordo.answer("verify", "set.json")["changes"]] == [10, 11])


@desk_case("compile --sizes --require G3: one order over all sizes, at a price that is told")
def _(ordo):
    words = ["allreduce", "-n", 8, "--topology", "hypercube", "--sizes", "1:1GiB", "-o", "set"]
    for more in [["--require", "G3"], ["--require", "constant"], ["--order", "folded"]]:
        done = ordo.works("compile", *words, *more)
        wanted(
            re.search(
                r"price of conditions +at most [\d.]+ times the cheapest of all, at \d+ bytes",
                done.err), done.err)
        answer = ordo.answer("verify", "set", "--topology", "hypercube", "--require",
                             "G1,G2,constant")
        wanted(answer["exit code"] == 0 and answer["constant_order"], answer)
        wanted(len({one["order_digest"] for one in answer["ranges"]}) == 1, answer)
        if "constant" not in more:
            wanted(ordo("verify", "set", "--require", "G3").returncode == 0, more)
    wanted({one["order"] for one in answer["ranges"]} == {"folded"}, answer)
    answer = ordo.answer("compile", *words, "--require", "G3")
    wanted(answer["price"]["most"] > 1 and 1 <= answer["price"]["bytes"] <= 1 << 30,
           answer["price"])
    ordo.fails(
        1,
        r"no algorithm holds G3: ReduceScatter on 66 ranks, topology ring\nhint: with a link "
        r"between every two ranks these would apply: mesh",
        "compile", "reduce-scatter", "-n", 66, "--topology", "ring", "--sizes", "1:1GiB",
        "--require", "G3", "-o", "none")
    ordo.fails(
        2,
        r"topology ring: the network is in parts: no link that is up leads out of "
        r"\{rank 0, rank 3\}\nhint: --fail-rank R",
        "compile", "allreduce", "-n", 4, "--topology", "ring", "--fail-link", "0-1,2-3", "--sizes",
        "1:1GiB", "-o", "none")
    wanted(ordo.names() == ["set"], ordo.names())
    # Where nothing is added any choice will do.
    done = ordo.works("compile", "broadcast", "-n", 6, "--root", 2, "--sizes", "1:1MiB",
                      "--require", "G1,G3", "-o", "copies")
    wanted("adds nothing" in ordo.works("verify", "copies", "--require", "G3,constant").out)


@desk_case("a damaged set is refused as such, and a set in a set by every command that opens it")
def _(ordo):
    ordo.works("compile", "allreduce", "-n", 4, "--sizes", "1:1GiB", "-o", "set")
    ordo.compile("ring.json")
    path = ordo.folder / "set/plan-set.json"
    good = path.read_bytes()
    for bad in [b"", good[:30], good[:60], good.replace(b"plan-set", b"plan-sets"), b"\0",
                good + b"x", b"[]"]:
        path.write_bytes(bad)
        for words in [["verify", "set"], ["verify", "set/"], ["run", "set"], ["predict", "set"],
                      ["list", "set"], ["embed", "set", "-o", "x.c"],
                      ["view", "set", "-o", "x.html"]]:
            done = ordo.fails(3, r"^set//?plan-set.json:\d+:\d+: error\[R1\]: ", *words)
            wanted("schedule.json" not in done.err, words, done.err)
        for words in [["order", "set"], ["draw", "set"], ["probe", "set"],
                      ["diff", "ring.json", "set"]]:
            ordo.fails(2, "found a plan set, wanted a schedule", *words)
    path.unlink()
    path.symlink_to("nowhere")
    ordo.fails(5, "^set/plan-set.json: error: cannot read", "verify", "set")
    path.unlink()
    ordo.fails(5, "^set/schedule.json: error: cannot read", "verify", "set")
    path.write_bytes(good)
    (ordo.folder / "set/range-0.json").unlink()
    shutil.copytree(ordo.folder / "set", ordo.folder / "inner")
    shutil.move(ordo.folder / "inner", ordo.folder / "set/range-0.json")
    for inner in [None, "ring.json"]:
        if inner:
            shutil.copy(ordo.folder / inner, ordo.folder / "set/range-0.json/schedule.json")
        for words in [["verify", "set"], ["run", "set", "--bytes", 64],
                      ["predict", "set", "--size", 64]]:
            ordo.fails(3, r'^set/plan-set.json:4:\d+: error\[R1\]: schedule "range-0.json": '
                       'found a plan set, wanted a schedule', *words)


@desk_case("run takes the schedule that the set has for the size; list tells its ranges")
def _(ordo):
    ordo.works("compile", "reduce-scatter", "-n", 8, "--topology", "a3:8", "--sizes",
               "64:128KiB", "-o", "set")
    ranges = strict_json.loads((ordo.folder / "set/plan-set.json").read_text())["ranges"]
    wanted(len(ranges) == 2, ranges)
    change = ranges[1]["from_bytes"]
    # Sizes are those of 8 blocks of f32.
    below, above = (change - 1) // 32 * 32, -(-change // 32) * 32
    for bytes_, schedule in [(64, 0), (below, 0), (above, 1), (1 << 17, 1)]:
        answer = ordo.answer("run", "set", "--bytes", bytes_, "--check")
        wanted(answer["schedule"] == f"range-{schedule}.json" and answer["check"]["bits_equal"],
               bytes_, answer)
        wanted(answer["bytes_per_rank"] == bytes_, answer)
    wanted(
        ordo.answer("run", "set/plan-set.json", "--count", below //
                    32)["schedule"] == "range-0.json")
    wanted(
        ordo.answer("run", "set", "--count", -(-above //
                                               64), "--type", "f64")["schedule"] == "range-1.json")
    ordo.fails(
        2, r"set has no schedule for 1 elements of 32 bytes, but for sizes of 64\.\.131072 bytes",
        "run", "set", "--bytes", 32)
    ordo.fails(2, r"no schedule for 4611686018427387904 elements", "run", "set", "--count", 1 << 62)
    ordo.fails(2, r"--replay takes one schedule", "run", "set", "--replay", "x.json")
    done = ordo.works("list", "set")
    wanted(
        re.search(
            rf"64\.\.{change - 1} bytes: range-0.json\n    ReduceScatter on 8 ranks by \S+: \d+ "
            rf"tasks",
            done.out), done.out)
    listed = ordo.answer("list", "set")["ranges"]
    wanted([one["schedule"] for one in listed] == ["range-0.json", "range-1.json"]
           and listed[1]["from_bytes"] == change, listed)
    for words in [["draw", "set"], ["explain", "set"], ["diff", "set", "set/range-0.json"]]:
        ordo.fails(2, r"found a plan set, wanted a schedule\nhint: `ordo list set` lists", *words)


@desk_case("compile --sizes: what makes no sense is refused, and nothing is written")
def _(ordo):
    words = ["compile", "allreduce", "-n", 4]
    for sizes, why in [("1GiB:1", "wanted the smaller size first"), ("1MiB", "such as 1:1GiB"),
                       ("1-4", "such as 1:1GiB"), (":4", "such as 1:1GiB"),
                       ("1:2:3", "such as 1:1GiB"), ("1:4x", "such as 1:1GiB"),
                       ("1:9223372036854775808", "at most 9223372036854775807")]:
        ordo.fails(2, rf"--sizes: found {sizes}, wanted .*{why}|--sizes: found {sizes}, {why}",
                   *words, "--sizes", sizes, "-o", "set")
    ordo.fails(2, r"--output: found none, wanted the name of a folder", *words, "--sizes", "1:9")
    ordo.fails(2, r"--output: found set.json, wanted the name of a folder", *words, "--sizes",
               "1:9", "-o", "set.json")
    ordo.fails(2, r"--sizes chooses an algorithm for each size, found --algorithm ring", *words,
               "--sizes", "1:9", "-a", "ring", "-o", "set")
    ordo.fails(2, r"--bandwidth: found 0, wanted a number above 0", *words, "--sizes", "1:9",
               "--bandwidth", "0", "-o", "set")
    for number in ["nan", "inf", "1e999", "0x10", "-1", "1.5.1", ""]:
        ordo.fails(2, r"--alpha-ns: found .*wanted a number above 0", *words, "--sizes", "1:9",
                   f"--alpha-ns={number}", "-o", "set")
    for more in [["--size", "1KiB"], ["--type", "f16"]]:
        ordo.fails(2, r"closed forms, which use neither --size nor --type\nhint: `ordo tune`",
                   *words, "--sizes", "1:9", *more, "-o", "set")
    ordo.fails(2, r"--require constant needs several sizes", *words, "--require", "constant",
               "-o", "set")
    ordo.fails(2, r"hypercube", *words[:2], "-n", 6, "--sizes", "1:9", "--topology", "hypercube",
               "-o", "set")
    wanted(ordo.names() == [], ordo.names())
    (ordo.folder / "mine").mkdir()
    (ordo.folder / "mine/notes").write_text("")
    ordo.fails(2, r'mine contains "notes"', *words, "--sizes", "1:9", "-o", "mine")


def write_set(ordo, ranges, **head):
    document = {
        "schema": "ordo/plan-set/1", "operator": "AllReduce", "ranks": 4, "in_place": False,
        **head, "ranges": ranges
    }
    (ordo.folder / "set.json").write_text(json.dumps(document))


@desk_case(
    "a set that is not whole, or whose schedules are not, is refused with the place and the sizes")
def _(ordo):
    ordo.compile("a.json")
    ordo.compile("b", algorithm="mesh")
    write_set(ordo, [{"from_bytes": 1, "to_bytes": 9, "schedule": "a.json"},
                     {"from_bytes": 10, "schedule": "b"}])
    wanted("changes with the size" in ordo.works("verify", "set.json").out)
    write_set(ordo, [{"from_bytes": 1, "to_bytes": 9, "schedule": "a.json"},
                     {"from_bytes": 12, "schedule": "b"}])
    done = ordo.fails(
        3,
        r"set.json:1:\d+: error\[R1\]: from_bytes: found 12, wanted 10: there is a gap, no "
        r"schedule for sizes 10\.\.11",
        "verify", "set.json")
    wanted("hint:" in done.err, done.err)
    for command in [["run", "set.json"], ["list", "set.json"]]:
        ordo.fails(3, "there is a gap", *command)
    for path in sorted((REJECT / "plan-set").glob("R1-*.json")):
        if path.stem != "R1-wrong-schema":
            ordo.fails(
                3,
                rf"{path.stem}.json:\d+:\d+: error\[R1\]: .*(found|missing|unknown|duplicate|no "
                rf"in-place form|twice|has no root|does not reduce)",
                "list", path)
    write_set(ordo, [{"from_bytes": 1, "schedule": "c.json"}])
    ordo.fails(3, r'set.json:1:\d+: error\[R1\]: schedule "c.json": cannot be read: No such file',
               "verify", "set.json")
    ordo.compile("c.json", ranks=8)
    ordo.fails(
        3,
        r'schedule "c.json": found AllReduce on 8 ranks, wanted AllReduce on 4 ranks, as in the '
        r'set',
        "verify", "set.json")
    ordo.fails(3, r'schedule "c.json": found AllReduce on 8 ranks', "run", "set.json", "--bytes",
               4096)


@desk_case("a set is refuted by a schedule that breaks a rule, which is shown in its own file")
def _(ordo):
    ordo.compile("a.json")
    # Proved one by one: what breaks a rule is shown in its own file, and the set is refuted.
    lines = (ordo.folder / "a.json").read_text().splitlines(True)
    at = next(i for i, line in enumerate(lines) if '"Wait"' in line)
    (ordo.folder / "c.json").write_text("".join(lines[:at] + lines[at + 1:]))
    write_set(ordo, [{"from_bytes": 1, "to_bytes": 9, "schedule": "a.json"},
                     {"from_bytes": 10, "schedule": "c.json"}])
    done = ordo("verify", "set.json")
    wanted(
        done.returncode == 1
        and re.search(r"^c.json:\d+:\d+: error\[R[68]\]", done.err, re.MULTILINE), done.err)
    wanted(
        "set.json: refuted" in done.out and re.search(r"10\.\. +c.json +ring +refuted", done.out),
        done.out)
    answer = ordo.answer("verify", "set.json", "--require", "constant")
    wanted(
        answer["exit code"] == 1 and answer["findings"]
        and [one["proved"] for one in answer["ranges"]] == [True, False], answer)


@desk_case(
    "sizes left to the library: the rest is proved, nothing holds for all sizes, and no schedule "
    "is found there"
)
def _(ordo):
    ordo.works("compile", "allreduce", "-n", 8, "--sizes", "1:1GiB", "-o", "set")
    path = ordo.folder / "set/plan-set.json"
    document = strict_json.loads(path.read_text())
    first, last = document["ranges"]
    first["to_bytes"] = 999
    document["ranges"] = [first, {"from_bytes": 1000, "to_bytes": last["from_bytes"] - 1,
                                  "schedule": None}, last]
    path.write_text(json.dumps(document))
    done = ordo("verify", "set")
    wanted(done.returncode == 4 and "set: proved, but for sizes that it leaves to the library" in
           done.out and re.search(r"1000\.\.\d+ +- +the library's +unknown\n", done.out)
           and done.out.count("undecided: at some sizes the library chooses") == 3, done.out)
    answer = ordo.answer("verify", "set")
    wanted(answer["exit code"] == 4 and answer["proved"] is False
           and answer["ranges_without_schedule"] == 1 and answer["constant_order"] is False
           and set(answer["guarantees"].values()) == {"undecided"}
           and [one["proved"] for one in answer["ranges"]] == [True, False, True]
           and answer["ranges"][1]["schedule"] is None, answer)
    for condition in ("G1", "G3", "constant"):
        wanted(ordo("verify", "set", "--require", condition).returncode == 4, condition)
    wanted("bytes: the library's own choice" in ordo.works("list", "set").out)
    ordo.works("run", "set", "--size", 996)
    ordo.works("predict", "set", "--size", 996)
    for words in [("run", ), ("predict", ), ("export", "goal"), ("run", "-b", 512, "-e", 4096)]:
        size = () if "-b" in words else ("--size", 2000)
        ordo.fails(2, r"set has no schedule for \d+ bytes: it leaves this size to the library",
                   *words, "set", *size)
    ordo.works("embed", "set", "-o", "set.c")
    source = (ordo.folder / "set.c").read_text()
    wanted("\tNULL,\n" in source and ".schedule = NULL" in source, source[-3000:])
    # Refuted is refuted: what the schedules of the set do is known.
    document["ranges"][2]["schedule"] = "range-9.json"
    path.write_text(json.dumps(document))
    ordo.compile("set/range-9.json", ranks=8)
    done = ordo("verify", "set", "--require", "G3")
    wanted(done.returncode == 1 and re.search("G3 position-invariant +does not hold", done.out)
           and re.search(r"order +changes with the size", done.out)
           and "from range-0.json to range-9.json" in done.out, done.out)
    document["ranges"] = document["ranges"][1:2]
    path.write_text(json.dumps(document))
    wanted(ordo("verify", "set").returncode == 4)


run_cases()
