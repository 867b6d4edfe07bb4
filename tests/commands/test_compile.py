#!/usr/bin/env python3
"""test_compile.py ORDO REJECT - compile: documents, forms, guarantees asked for, and what a
schedule costs."""
import json
import re

import strict_json
from command import OPERATORS
from desk import desk_case
from tap import run_cases, wanted


@desk_case("compile writes a document, and says on stderr what it is and that it is proved")
def _(ordo):
    done = ordo.works("compile", "allreduce", "--ranks", 4, "--algorithm", "ring", "-o",
                      "ring.json")
    wanted(done.out == "", done.out)
    wanted("AllReduce on 4 ranks by ring: " in done.err and "proved" in done.err, done.err)
    document = strict_json.loads((ordo.folder / "ring.json").read_text())
    wanted(document["schema"] == "ordo/schedule/1", document)
    wanted(ordo.names() == ["ring.json"], ordo.names())


@desk_case("the same problem gives the same bytes, on stdout as in a file")
def _(ordo):
    written = ordo.compile("mesh.json", algorithm="mesh").read_bytes()
    printed = ordo.works("compile", "All_Reduce", "-n", 4, "-amesh").out.encode()
    wanted(written == printed)
    dash = ordo.works("compile", "ALL-REDUCE", "-n4", "--algorithm=mesh", "-o", "-").out.encode()
    wanted(written == dash)


@desk_case(
    "every operator compiles by an algorithm that has it, and what is written is proved and runs "
    "right"
)
def _(ordo):
    for operator in OPERATORS:
        ordo.compile("x.json", operator=operator, algorithm="mesh")
        wanted(": proved" in ordo.works("verify", "x.json").out)
        wanted("bit-equal" in ordo.works("run", "x.json", "--check", "--count", 97).out, operator)


@desk_case("compile --max-tokens: signals that flags can be, proved and run, and what they cost")
def _(ordo):
    plain = ordo.compile("plain.json", ranks=8)
    done = ordo.works("compile", "allreduce", "-n", 8, "-a", "ring", "--max-tokens", 1, "-o",
                      "flags.json")
    wanted("at most 1 token on a signal, in any number of calls: 72 signals, 18 of the busiest "
           "rank; without the limit 16, 4\n" in done.err, done.err)
    wanted("its price is 0 pairs, and 1 times the predicted time: " in done.err, done.err)
    without = re.sub(r'"signal": \d+', "", plain.read_text())
    wanted(re.sub(r'"signal": \d+', "", (ordo.folder / "flags.json").read_text()) == without)
    wanted("R13 hold" in ordo.works("verify", "flags.json", "--max-tokens", 1).out)
    for limit in (2, 8):
        price = ordo.answer("compile", "allreduce", "-n", 8, "-a", "ring", "--max-tokens", limit,
                            "-o", "two.json")["max_tokens"]
        wanted(price["tokens"] == limit and price["pairs"] == 120 and price["more_pairs"] == 0
               and price["time_ratio"] == 1 and price["signals_without"] == 16
               and price["signals"] == {2: 40, 8: 16}[limit], price)
        ordo.works("verify", "two.json", "--max-tokens", limit)
    out = ordo.works("run", "flags.json", "--transport", "flags", "--repeat", 20, "--check",
                     "--size", "64KiB").out
    wanted("signals are one bit" in out and "bit-equal" in out, out)
    wanted(ordo.answer("run", "flags.json", "--transport", "flags")["transport"] == "flags")
    ordo.fails(1, r"plain.json:\d+:5: error\[R13\]: .*sets a flag that is set: rank \d has not "
               r"waited for the last Notify of signal 0 from rank \d yet(.*\n)*hint: `ordo compile "
               r"--max-tokens 1` compiles for flags", "run", "plain.json", "--transport", "flags")
    # With a choice, in a plan set and in a failure set.
    ordo.works("compile", "allreduce", "-n", 8, "--size", "1MiB", "--max-tokens", 1, "-o", "c.json")
    ordo.works("verify", "c.json", "--max-tokens", 1)
    ordo.works("compile", "allreduce", "-n", 4, "--sizes", "1:1MiB", "--max-tokens", 1, "-o", "set")
    ordo.works("verify", "set", "--max-tokens", 1)
    ordo.works("compile", "allreduce", "-n", 3, "--fail-any-link", "--max-tokens", 1, "-o", "links")
    ordo.works("verify", "links", "--max-tokens", 1)
    wanted("R13 hold" in ordo.works("compile", "allreduce", "-n", 4, "-a", "ring", "--max-tokens",
                                    1, "--prove-only").out)
    for bad in (0, -1, "one"):
        ordo.fails(2, r"--max-tokens: found ", "compile", "allreduce", "-n", 4, "-a", "ring",
                   f"--max-tokens={bad}")


@desk_case("compile --staging: other ranks touch scratch alone, and order and bits are as without")
def _(ordo):
    ordo.compile("plain.json", ranks=8)
    digest = ordo.answer("verify", "plain.json")["order_digest"]
    for slots, used, pairs, ratio in ((1, 1, 243, 8), (2, 2, 341, 1), (64, 22, 232, 1)):
        done = ordo.works("compile", "allreduce", "-n", 8, "-a", "ring", "--staging", slots, "-o",
                          "staged.json")
        plural = "" if used == 1 else "s"
        wanted(f"by ring, through {used} slot{plural} of staging memory: " in done.err, done.err)
        wanted(f"staging: {used} slot{plural} of a rank, without staging 0 of scratch" in done.err,
               done.err)
        document = strict_json.loads((ordo.folder / "staged.json").read_text())
        wanted(document["staging"] is True and document["scratch_slots"] == used, document.keys())
        sends = [task for program in document["programs"] for stream in program["streams"]
                 for task in stream["tasks"] if task["task"].startswith("Send")]
        wanted(sends and all(task["src"][0] == task["dst"][0] == "scratch" for task in sends))
        answer = ordo.answer("verify", "staged.json")
        wanted(answer["order_digest"] == digest and answer["staging_slots"] == used
               and answer["notifies"] == pairs, answer)
        price = ordo.answer("compile", "allreduce", "-n", 8, "-a", "ring", "--staging", slots, "-o",
                            "again.json")["staging"]
        wanted(abs(price["time_ratio"] - ratio) < 1e-9, price)
        wanted(price["more_pairs"] == pairs - 120, price)
        for words in ([], ["--staging", "8KiB"], ["--staging", "8KiB", "--transport", "seeded"],
                      ["--staging", "8KiB", "--overlap"],
                      ["--staging", "8KiB", "--overlap", "--op", "avg"],
                      ["--staging", "8KiB", "--overlap", "--transport", "seeded"],
                      ["--staging", "8KiB", "--transport", "threads", "--workers", 0]):
            wanted("bit-equal" in ordo.works("run", "staged.json", "--check", "--size", "256KiB",
                                             *words).out, words)
    wanted((ordo.folder / "again.json").read_bytes() == (ordo.folder /
                                                         "staged.json").read_bytes())


@desk_case("compile --staging: documents that are not so, and the rounds of runs and predictions")
def _(ordo):
    ordo.compile("plain.json", ranks=8)
    ordo.works("compile", "allreduce", "-n", 8, "-a", "ring", "--staging", 64, "-o", "staged.json")
    # A document that says so without being so is refuted, and is symmetric to no proof.
    text = ordo.compile("ring.json").read_text()
    wanted('"in_place": false' in text)
    ordo.works("verify", "ring.json", "--symmetry", "only")
    (ordo.folder / "ring.json").write_text(text.replace('"in_place": false',
                                                        '"in_place": false, "staging": true'))
    ordo.fails(1, r"error\[R3\]: .*sends from the \w+ of rank 0, and the schedule says that it has "
               r"staging", "verify", "ring.json")
    wanted(ordo("verify", "ring.json", "--symmetry", "only").returncode != 0)
    # A run says its rounds, a prediction too.
    answer = ordo.answer("run", "staged.json", "--staging", "64KiB", "--size", "1MiB")
    wanted(answer["rounds"] == 45 and answer["staging_bytes"] <= 65536, answer)
    answer = ordo.answer("run", "staged.json", "--staging", "64KiB", "--size", "1MiB", "--overlap")
    wanted(answer["rounds"] == 90 and answer["staging_bytes"] <= 65536, answer)
    wanted("rounds, two at a time, " in ordo.works("run", "staged.json", "--staging", "64KiB",
                                                   "--overlap").out)
    predicted = ordo.answer("predict", "staged.json", "--staging", "64KiB", "--size", "1MiB")
    wanted(predicted["staging"]["rounds"] == 45, predicted["staging"])
    # A row of a table is a size by itself.
    sizes = ["-b", "16KiB", "-e", "4MiB", "-f", 8]
    rows = ordo.answer("predict", "staged.json", "--staging", "64KiB", *sizes)["rows"]
    for size, row in zip((1 << 14, 1 << 17, 1 << 20), rows):
        alone = ordo.answer("predict", "staged.json", "--staging", "64KiB", "--size", size)
        whole = ordo.answer("predict", "staged.json", "-b", size, "-e", size)["rows"][0]
        wanted(row["bytes"] == size and row["rounds"] == alone["staging"]["rounds"], row, alone)
        wanted(row["seconds"] == alone["staging"]["seconds"], row, alone["staging"])
        wanted(abs(row["times_the_bound"] * whole["seconds"] /
                   (whole["times_the_bound"] * row["seconds"]) - 1) < 1e-9, row, whole)
    wanted([row["rounds"] for row in rows] == [1, 6, 45], rows)
    table = ordo.works("predict", "staged.json", "--staging", "64KiB", *sizes).out
    wanted(re.search(r" 1048576 .*, 45 rounds\n", table), table)
    table = ordo.answer("run", "staged.json", "--staging", "64KiB", *sizes, "-n", 2, "--check")
    wanted(len(table["rows"]) == 3 and table["wrong"] == 0, table)


@desk_case("compile --staging: with flags, and where the algorithm is chosen")
def _(ordo):
    ordo.compile("plain.json", ranks=8)
    ordo.works("compile", "allreduce", "-n", 8, "-a", "ring", "--staging", 64, "-o", "staged.json")
    # Flags and staging go together.
    ordo.works("compile", "allreduce", "-n", 8, "-a", "ring", "--staging", 8, "--max-tokens", 1,
               "-o", "both.json")
    ordo.works("verify", "both.json", "--max-tokens", 1)
    wanted("bit-equal" in ordo.works("run", "both.json", "--transport", "flags", "--check",
                                     "--staging", "16KiB", "--repeat", 5).out)
    # A choice counts what staging costs.
    out = ordo.works("compile", "allreduce", "-n", 8, "--staging", 4, "-o", "chosen.json").err
    wanted("through 4 slots of staging" in out or "through 3 slots of staging" in out, out)
    wanted("wanted at least 8: 7 scratch slots of the algorithm" in out, out)
    for code, message, *words in (
        (2, r"error\[R13\]: staging: found 2 slots, wanted at least 8: 7 scratch slots of the "
         r"algorithm, and one for what is sent\nhint: --staging 8, or more", "compile", "allreduce",
         "-n", 8, "-a", "mesh", "--staging", 2),
        (2, r"--staging: found 0", "compile", "allreduce", "-n", 8, "-a", "ring", "--staging", 0),
        (2, r"closed forms, which do not cover staging", "compile", "allreduce", "-n", 8, "--sizes",
         "1:1MiB", "--staging", 4, "-o", "set"),
        (2, r"staging: found 1024 bytes, wanted at least 1408: 22 slots of 64", "run",
         "staged.json", "--staging", "1KiB"),
        (2, r"staging: found 65536 bytes, but the schedule has no staging", "run", "plain.json",
         "--staging", "64KiB"),
        (2, r"found 2048 bytes, wanted at least 2816: 2 times 22 slots of 64", "run", "staged.json",
         "--staging", "2KiB", "--overlap"),
        (2, r"--overlap: rounds of --staging overlap", "run", "staged.json", "--overlap"),
        (2, r"--overlap: .*not with --transport flags", "run", "staged.json", "--overlap",
         "--staging", "64KiB", "--transport", "flags"),
        (2, r"cannot be combined with --transport folded", "run", "staged.json", "--staging",
         "64KiB", "--transport", "folded"),
        (2, r"cannot be combined with --transport mpi", "run", "staged.json", "--staging", "64KiB",
         "--transport", "mpi"),
        (2, r"the schedule has no staging", "predict", "plain.json", "--staging", "64KiB"),
        (2, r"found 64 bytes, wanted at least 1408", "predict", "staged.json", "--staging", 64),
        (2, r"the schedule has no staging", "predict", "plain.json", "--staging", "64KiB", "-e",
         "1MiB")):
        ordo.fails(code, message, *words)
    wanted("staging memory only is not in the file" in ordo.works(
        "export", "goal", "staged.json", "-o", "staged.goal").err)


@desk_case("compile --prove-only: the verdict of verify, what it took, and no document")
def _(ordo):
    verdict = r"(  rules .*?  scratch [^\n]*\n)"
    ordo.compile("x.json", operator="reduce", algorithm="nhr", ranks=6)
    verified = re.search(verdict, ordo.works("verify", "x.json").out, re.S).group(1)
    before = ordo.names()
    done = ordo.works("compile", "reduce", "-n", 6, "-a", "nhr", "--prove-only")
    wanted(ordo.names() == before, ordo.names())
    wanted(re.search(verdict, done.out, re.S).group(1) == verified, done.out)
    wanted(
        re.search(
            r"\ncompiled in [\d.]+ [mu]?s, proved in [\d.]+ [mu]?s; \d+ ns of one core a task; "
            r"at most [\d.]+ \wiB, \d+ bytes a task\n$",
            done.out), done.out)
    answer = ordo.answer("compile", "reduce", "-n", 6, "-a", "nhr", "--prove-only")
    wanted(answer["proved"] and answer["order_digest"] in verified and answer["output"] is None,
           answer)
    ordo.fails(2, "--prove-only writes no document, found --output", "compile", "reduce", "-n", 6,
               "-a", "nhr", "--prove-only", "-o", "y")
    ordo.fails(2, "--prove-only writes no document, found --sizes", "compile", "allreduce", "-n", 6,
               "--prove-only", "--sizes", "1:2")
    ordo.fails(2, "birs: found 7 ranks", "compile", "allreduce", "-n", 7, "-a", "birs",
               "--prove-only")


@desk_case("compile --algorithm with --size: K is what is fastest at that size, as predicted")
def _(ordo):
    chunks = {}
    for size in ["1KiB", "1MiB", "256MiB"]:
        done = ordo.works("compile", "broadcast", "-n", 8, "-a", "ring", "--size", size, "-o",
                          "x.json")
        # One chunk, 1, 4, 16 and 64 times 8, and half or twice as many as the best of these.
        wanted("\n> ring" in done.err and re.search("of [5-7] candidates, simulated", done.err),
               done.err)
        chunks[size] = json.loads((ordo.folder / "x.json").read_text())["chunks_per_block"]
        chosen = ordo.answer("predict", "x.json", "--size", size)["seconds"]
        for other in [1, 8, 32, 128]:
            ordo.compile("y.json", "--chunks", other, operator="broadcast", ranks=8)
            told = ordo.answer("predict", "y.json", "--size", size)["seconds"]
            wanted(chosen <= told * (1 + 1e-9), size, other)
    wanted(chunks == {"1KiB": 1, "1MiB": 8, "256MiB": 128}, chunks)
    answer = ordo.answer("compile", "broadcast", "-n", 8, "-a", "pipeline", "--size", "1KiB", "-o",
                         "x.json")
    for more in [["--alpha-ns", "5"], ["--type", "f16"], ["--copy-bandwidth", "1"]]:
        done = ordo.works("compile", "broadcast", "-n", 4, "-a", "ring", *more, "-o", "x.json")
        wanted("the fastest at 1 MiB (--size was not given)" in done.err, more, done.err)
    names = {one["algorithm"] for one in answer["candidates"]}
    wanted(answer["size_bytes"] == 1024 and names == {"ring"}, answer)
    done = ordo.works("compile", "broadcast", "-n", 8, "-a", "ring", "--size", "1KiB", "--chunks",
                      3, "-o", "x.json")
    wanted(json.loads((ordo.folder / "x.json").read_text())["chunks_per_block"] == 3, done.err)
    ordo.fails(1, "error: ring does not hold G3: AllReduce on 8 ranks\nhint: these do: mesh",
               "compile", "allreduce", "-n", 8, "-a", "ring",
               "--size", "1MiB", "--require", "G3")
    ordo.fails(2, "halving-doubling needs a power of two ranks", "compile", "allreduce", "-n", 7,
               "-a", "halving-doubling", "--size", "1MiB")
    ordo.fails(2, "mesh does not apply: AllReduce on 8 ranks, topology full-mesh", "compile",
               "allreduce", "-n", 8, "-a", "mesh",
               "--fail-link", "0-1", "--size", "1MiB")


@desk_case("compile --algorithm: a hint that via=spread loads links less, where it is shown to")
def _(ordo):
    links = [{"from": a, "to": b, "latency_ns": 1000, "bandwidth_gbs": 25} for rank in range(8)
             for switch in range(3) for a, b in ((rank, 8 + switch), (8 + switch, rank))]
    (ordo.folder / "three.json").write_text(json.dumps({
        "schema": "ordo/topology/1", "name": "three", "ranks": 8, "switches": 3, "links": links}))

    def said(algorithm, *words, topology="three.json"):
        return ordo.works("compile", "allreduce", "-t", topology, *words, "-o", "s.json",
                          *(["-a", algorithm] if algorithm else [])).err

    for plain, spread, most in (("packing", "packing(via=spread)", 1),
                                ("packing(k=2)", "packing(k=2,via=spread)", 1.02),
                                ("ring", "ring(via=spread)", 1),
                                ("mesh", "mesh(via=spread)", 1.29)):
        for size in ([], ["--size", "1GiB"]):
            err = said(plain, *size)
            wanted("busiest link takes 3.000 times that" in err, plain, err)
            hint = re.search(r"^hint: data have several ways over the switches; with (\S+) the "
                             r"busiest link takes (\S+) times the bound$", err, re.MULTILINE)
            wanted(hint and hint[1] == spread and float(hint[2]) <= most, plain, err)
        err = said(spread)
        wanted(f"busiest link takes {hint[2]} times that" in err and "hint:" not in err, err)
    # No other ways: by tree they load links as much; on one switch, and without any.
    for words in (("tree",), (None,), (None, "--size", "1GiB"), ("packing", "--size", "1KiB")):
        wanted("hint:" not in said(*words), words)
    for topology in ("dgx-h100:2", "torus:2x4", "a3:2x8"):
        err = said("ring", topology=topology)
        ratio = float(re.search(r"link takes (\S+) times", err)[1])
        wanted("hint:" not in err and ratio > 1.1, topology, err)
    words = ["compile", "allreduce", "-t", "three.json", "-a", "ring"]
    answer = ordo.answer(*words, "-o", "s.json")
    wanted(len(answer["notes"]) == 1 and "with ring(via=spread)" in answer["notes"][0], answer)
    wanted("with ring(via=spread)" in ordo.works(*words, "--prove-only").err)


@desk_case("compile above 64 ranks without a topology: what it assumes, and what machines there are"
           )
def _(ordo):
    assumed = ("assumed: a separate link of 56 GB/s between every two of {} ranks, "
               "which no machine has\n")
    offered = ("--topology dgx-a100:S, dgx-h100:S, mi300x:S \\(S servers, {}\\), "
               "servers:SxR, a3:SxR, torus:AxB")
    words = ["compile", "allgather", "-a", "ring", "-o", "x.json", "-n"]
    for ranks, sizes in [(72, "here S = 9"), (65, "of 8 ranks each")]:
        done = ordo.works(*words, ranks)
        wanted(assumed.format(ranks) in done.err and re.search(offered.format(sizes), done.err),
               done.err)
    wanted("link of 400 GB/s between" in ordo.works(*words, 72, "--bandwidth", 400).err)
    wanted("assumed" not in ordo.works(*words, 64).err)
    wanted("assumed" not in ordo.works(*words, 72, "-t", "dgx-h100:9").err)
    wanted("assumed" in ordo.answer(*words, 72)["notes"][0])
    done = ordo.works("compile", "broadcast", "-n", 65, "--sizes", "1KiB:1KiB", "-o", "set")
    wanted(assumed.format(65) in done.err, done.err)
    done = ordo.works("tune", "broadcast", "-n", 65, "--sizes", "1KiB:1KiB")
    wanted(assumed.format(65) in done.err, done.err)
    for name in ["dgx-a100", "dgx-h100", "mi300x"]:
        listed = {one["name"]: one for one in ordo.answer("list", "topologies")["topologies"]}
        wanted(listed[name]["ranks"] == "8 a server", listed)
        wanted("with their sources" in " ".join(ordo.works("explain", name).out.split()), name)
        ordo.compile("x.json", "-t", f"{name}:2", ranks=16, algorithm="hierarchical")
        wanted("R1-R12 hold" in ordo.works("verify", "x.json", "-t", f"{name}:2x8").out, name)


@desk_case("root, chunks and in-place reach the document")
def _(ordo):
    path = ordo.compile("x.json", "--root", 2, "--chunks", 3, "--in-place", operator="broadcast")
    document = strict_json.loads(path.read_text())
    found = document["root"], document["chunks_per_block"], document["in_place"]
    wanted(found == (2, 3, True), found)


@desk_case(
    "compile --shards: one order digest on every number of ranks, what it costs, and the same "
    "everywhere else"
)
def _(ordo):
    digests = set()
    for ranks, algorithm, price in [
        (1, "dyadic",
         "48 a rank: each folds its own into one sum, with the same volume as one shard a rank"),
        (12, "dyadic",
         "4 a rank: each folds its own into one sum, with the same volume as one shard a rank"),
        (48, "dyadic", None),
        (7, "forest",
         "6 or 7 a rank: folded into at most 3 sums, 2.86 on average; the busiest sends 3.00 "
         "times as much as with one shard a rank")
    ]:
        done = ordo.works("compile", "reduce-scatter", "-n", ranks, "--shards", 48, "-a", algorithm,
                          "-o", f"{ranks}.json")
        digests.add(re.search("order digest ([0-9a-f]{32})", done.err).group(1))
        wanted(f"48 shards, {price}\n" in done.err if price else "shards" not in done.err, done.err)
    wanted(len(digests) == 1, digests)
    out = ordo.works("diff", "7.json", "1.json", "12.json", "48.json").out
    wanted(
        out.count("json: bit-interchangeable\n") == 3
        and out.count("G5 rank-count-invariant holds") == 3, out)
    answer = ordo.answer("compile", "reduce-scatter", "-n", 7, "--shards", 48, "-a", "forest", "-o",
                         "x.json")
    wanted(
        answer["shards"] == 48 and answer["shard_price"] == {
            "least_shards_a_rank": 6, "most_shards_a_rank": 7, "most_sums_a_rank": 3,
            "average_sums_a_rank": 20 / 7, "volume_chunks": 18,
            "volume_chunks_with_one_shard_a_rank": 6
        }, answer)
    wanted("shard_price" not in ordo.answer("compile", "allreduce", "-n", 3, "-a", "ring", "-o",
                                            "x.json"))
    out = ordo.works("run", "7.json", "--check", "--count", 97).out
    wanted(
        "7 ranks by forest, 48 shards:" in out and "a shard, 48 shards, f32 sum" in out
        and "bit-equal" in out, out)
    # An average is over shards, not ranks.
    for kind in ["f16", "f64", "i32", "u8"]:
        check = ordo.answer("run", "7.json", "--check", "--count", 97, "--op", "avg", "--type",
                            kind)["check"]
        wanted(check["bits_equal"] and check["within_bounds"] and check["elements"] == 7 * 97, kind,
               check)
    wanted("rank r has those from floor(48 r/7) up" in ordo.works("explain", "7.json").out)
    wanted("numbers are shards" in ordo.works("explain", "7.json").out)
    wanted("on 7 ranks by forest, 48 shards" in ordo.works("draw", "7.json", "--ranks", "0-2").out)


FORMS = [("exact", "f16", 16), ("exact", "f8e4m3", 8), ("exact", "f8e5m2", 8),
         ("binned(bins=2)", "f32", 16), ("binned(bins=2)", "bf16", 16),
         ("binned(bins=2)", "f64", 24), ("binned(bins=3)", "f32", 24),
         ("binned(bins=3)", "bf16", 24), ("binned(bins=3)", "f64", 32)]
SIZES = {"f16": 2, "f8e4m3": 1, "f8e5m2": 1, "f32": 4, "bf16": 2, "f64": 8}


@desk_case("compile --accumulate exact, binned: sums without order, proved and run, and one digest")
def _(ordo):
    digests = {}
    for form, kind, _ in FORMS:
        for algorithm in ("ring", "mesh", "tree"):
            path = ordo.compile(algorithm + ".json", "--accumulate", form, algorithm=algorithm)
            wanted(f'"in_place": false, "accumulate": "{form}",' in path.read_text(), form)
            answer = ordo.answer("verify", path.name, "--type", kind)
            wanted(
                answer["accumulate"] == form and answer["distinct_orders"] == 1
                and [one["verdict"] for one in answer["guarantees"].values()] == ["holds"] * 5,
                answer)
            digests.setdefault(form, answer["order_digest"])
            wanted(digests[form] == answer["order_digest"], form, algorithm)
            for op in ("sum", "avg"):
                for transport in ("threads", "seeded", "folded"):
                    check = ordo.answer("run", path.name, "--type", kind, "--op", op, "--count",
                                        97, "--check", "--transport", transport)["check"]
                    wanted(check["bits_equal"] and check["within_bounds"], form, kind, check)
        wanted("bit-interchangeable" in ordo.works("diff", "ring.json", "tree.json", "--type",
                                                   kind).out)
    wanted(len(set(digests.values())) == 3, digests)
    out = ordo.works("verify", "ring.json").out
    for text in ("no rank's copy differs", "no timing changes a bit", "no position changes a bit",
                 "no topology, algorithm or failed link changes a bit",
                 "the same 4 contributions have the same bits on any number of ranks"):
        wanted("holds: sums have no order in this form: " + text in out, out)
    out = ordo.works("order", "ring.json").out
    wanted("or any other: 4 contributions, rounded once, to f32; f32 sum: error" in out, out)
    wanted(ordo.answer("order", "ring.json")["orders"][0]["roundings"] == 1)


@desk_case("what sums without order cost: bytes, time, and accuracy")
def _(ordo):
    for form, kind, size in FORMS:
        price = ordo.answer("compile", "allreduce", "-n", 8, "-a", "mesh(shots=1,fold=linear)",
                            "--size", "1MiB", "--type", kind, "--accumulate", form, "-o",
                            "x.json")["accumulate_price"]
        # Contributions and complete sums travel as they are: one shot sends no partial sum.
        wanted(price["bytes_ratio"] == 1 and price["time_ratio"] >= 1, form, price)
        price = ordo.answer("compile", "reduce", "-n", 8, "-a", "tree", "--size",
                            "1MiB", "--type", kind, "--accumulate", form, "-o",
                            "x.json")["accumulate_price"]
        # Of seven moves up a binomial tree the four of its leaves are contributions.
        wide = (4 + 3 * size / SIZES[kind]) / 7
        wanted(abs(price["bytes_ratio"] - wide) < 1e-9, form, kind, price)
        wanted(price["bytes_sent_without"] == 7 * 2**20, price)
        wanted(price["time_ratio"] > 1 and price["bytes"] == 2**20, price)
        wanted(0 < price["relative_error"] < price["relative_error_without"], price)
    done = ordo.works("compile", "allreduce", "-n", 8, "-a", "ring", "--accumulate", "exact",
                      "-o", "x.json")
    # A ring sends contributions in one of its seven steps of sums, partial sums in six, and
    # complete sums in seven more.
    wanted(
        re.search(r"sums of f16 in exact err by at most 0.000488 of the sum of absolute values, "
                  r"without it by 0.00342; no order changes a bit\n"
                  r"its price is 4 times the bytes sent, and [\d.]+ times the predicted time: "
                  r"[\d.]+ us for 1 MiB\n", done.err), done.err)


@desk_case("sums without order where they cannot be")
def _(ordo):
    def refused(pattern, *words, status=2):
        ordo.fails(status, pattern, "compile", *words)
    four = ("allreduce", "-n", 4, "-a", "ring", "--accumulate")
    refused(r"--accumulate: found binned\(bins=4\), wanted f32, exact, binned\(bins=2\) or binned",
            *four, "binned(bins=4)")
    refused(r"AllGather does not reduce", "allgather", "-n", 4, "-a", "ring", "--accumulate",
            "exact")
    refused(r"--order: sums in exact have no order", *four, "exact", "--order", "dyadic")
    refused(r"accumulates in exact; found f32, wanted f16, f8e4m3 or f8e5m2.*\n.*binned\(bins=3\)",
            *four, "exact", "--type", "f32")
    ordo.compile("exact.json", "--accumulate", "exact")
    ordo.compile("binned.json", "--accumulate", "binned(bins=3)")
    ordo.fails(2, r"found f16, wanted bf16, f32 or f64\n.*--accumulate exact for f16", "run",
               "binned.json", "--type", "f16")
    ordo.fails(2, r"results of i32 have the same bits in any order", "run", "exact.json", "--type",
               "i32")
    ordo.fails(2, r"a vector of c64 is one of twice as many f32", "verify", "binned.json",
               "--type", "c64")
    ordo.fails(2, r"accumulates in exact; found max, wanted sum or avg\n.*minima and maxima",
               "run", "exact.json", "--op", "max")
    ordo.fails(2, "sums in exact have no order to recover", "probe", "exact.json", "--type", "f16")
    ordo.fails(2, r"products have no such form", "verify", "exact.json", "--op", "prod")
    ordo.fails(2, r"different roundings: the first accumulates in exact, the second accumulates in "
               r"binned\(bins=3\)", "diff", "exact.json", "binned.json")


@desk_case("compile --accumulate f32: proved, run, probed, ordered and compared as what it is")
def _(ordo):
    path = ordo.compile("f32.json", "--accumulate", "f32")
    ordo.compile("plain.json")
    wanted('"in_place": false, "accumulate": "f32",' in path.read_text())
    for words in (["verify"], ["order"], ["explain"],
                  ["run", "--type", "bf16", "--bytes", "4KiB", "--check"]):
        wanted("by ring, accumulates in f32:" in ordo.works(words[0], "f32.json", *words[1:]).out,
               words)
    answer = ordo.answer("verify", "f32.json")
    wanted(
        answer["accumulate"] == "f32"
        and answer["order_digest"] != ordo.answer("verify", "plain.json")["order_digest"], answer)
    out = ordo.works("order", "f32.json", "--type", "f16").out
    wanted(
        "depth 3, 3 roundings to f32 and one to f16; f16 sum: error at most 0.000488 of the sum"
        in out, out)
    wanted("0.000488281 at rank 0, chunk 0, offset 0, but 0 at rank 0, chunk 1" in out, out)
    product = ordo.works("verify", "f32.json", "--type", "f16", "--op", "prod").out
    wanted("no input is known on which their bits differ" in product, product)
    # The input that tells the orders apart does so in a run, though f16 has no number of 26 bits.
    ordo.works("verify", "f32.json", "--type", "f16", "--write-input", "differs.json")
    wanted("they differ, although every shard has the same" in ordo("run", "f32.json", "--input",
                                                                    "differs.json").out)
    for type_name in ("f16", "bf16", "f32"):
        wanted("agrees with the proof" in ordo.works("probe", "f32.json", "--type", type_name,
                                                     "--transport", "seeded").out)
    ordo.fails(2, r"accumulates in f32; found f64, wanted f16, bf16 or f32", "run", "f32.json",
               "--type", "f64")
    ordo.fails(2, r"accumulates in f32; found i32", "order", "f32.json", "--type", "i32")
    ordo.fails(2, r"different roundings: the first accumulates in f32", "diff", "f32.json",
               "plain.json")
    ordo.works("diff", "f32.json", "f32.json")
    ordo.fails(2, r"--accumulate: found f64, wanted f32", "compile", "allreduce", "-n", 4, "-a",
               "ring", "--accumulate", "f64")
    ordo.fails(2, r"accumulate: AllGather does not reduce", "compile", "allgather", "-n", 4, "-a",
               "ring", "--accumulate", "f32")
    ordo.works("compile", "allreduce", "-n", 4, "--topology", "ring", "--sizes", "1:1MiB",
               "--accumulate", "f32", "-o", "set")
    wanted(
        ordo.answer("verify", "set")["accumulate"] == "f32"
        and "accumulates in f32" in ordo.works("verify", "set").out)
    (ordo.folder / "set" / "range-0.json").write_bytes((ordo.folder / "plain.json").read_bytes())
    ordo.fails(3, r"wanted AllReduce on 4 ranks, accumulating in f32, as in the set", "verify",
               "set")


run_cases()
