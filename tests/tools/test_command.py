#!/usr/bin/env python3
"""test_command.py ORDO REJECT - the command as those who type it see it.

ORDO is the command, REJECT the folder of documents that break a rule each.
"""
import fractions
import json
import os
import pathlib
import pty
import re
import resource
import select
import shutil
import signal
import subprocess
import sys
import tempfile
import time
import xml.dom.minidom

import strict_json
from desk import ORDO, Desk, at_desk, desk_case
from tap import case, run_cases, wanted

REJECT = pathlib.Path(sys.argv[2]).absolute()
COMMANDS = re.findall(
    r"^  (\w+) ",
    subprocess.run([ORDO, "--help"], check=True, stdout=subprocess.PIPE,
                   text=True).stdout.split("commands:\n")[1].split("\n\n")[0], re.M)
# By hand, to be compared with what `ordo list` says.
OPERATORS = [
    "AllReduce", "Reduce", "Broadcast", "ReduceScatter", "AllGather", "Scatter", "Gather",
    "AllToAll"
]


# What each command is for

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


@desk_case("algorithms answer to the names of the field, by operator, and documents have their own")
def _(ordo):
    nested = "hierarchical(two-shot,nonuniform-bruck)"
    for operator, name, own in [
            ("reduce-scatter", "pairwise", "mesh(streams=one)"),
            ("alltoall", "pairwise", "alltoall"),
            ("alltoall", "Bruck", "alltoall(method=bruck)"),
            ("allgather", "bruck", "circulant"),
            ("allreduce", "double_binary_tree", "tree(shape=double-binary)"),
            ("allreduce", "rabenseifner", "rhd"),
            ("broadcast", "binomial", "tree"),
            ("allreduce", nested, "hierarchical(mesh,nb)")]:
        document = json.loads(ordo.compile("x.json", operator=operator, algorithm=name,
                                           ranks=8).read_text())
        wanted(document["algorithm"] == own, operator, name, document["algorithm"])
    ordo.fails(2, "hint: did you mean rabenseifner[?]", "compile", "allreduce", "-n", 8, "-a",
               "rabenseifer")
    ordo.fails(2, r"pairwise has no AllReduce; it is a name for mesh\(streams=one\) "
               r"\(ReduceScatter\), alltoall", "compile", "allreduce", "-n", 8, "-a", "pairwise")
    wanted(": proved" in ordo.works("verify", "--generate", "Ring", "-n", 8, "--operator",
                                    "allreduce").out)
    listed = ordo.works("list").out
    wanted(" also       linear, basic-linear, flat-tree\n" in listed, listed)
    shown = {alias["name"]: alias for one in ordo.answer("list")["algorithms"]
             for alias in one["aliases"]}
    wanted(shown["dbt"] == {"name": "dbt", "algorithm": "tree(shape=double-binary)", "note": None,
                            "operators": ["AllReduce", "Reduce", "Broadcast"]}, shown["dbt"])
    out = ordo.works("list", "pairwise").out
    wanted(out.startswith("pairwise: mesh(streams=one) for ReduceScatter (")
           and "\n          alltoall for AllToAll\n" in out, out)
    answer = ordo.answer("list", "pairwise")
    wanted([one["algorithm"] for one in answer["means"]] == ["mesh(streams=one)", "alltoall"]
           and answer["algorithm"] == "mesh", answer)
    out = ordo.works("explain", "dbt").out
    wanted("--algorithm 'tree(shape=double-binary)'" in out
           and "AllReduce on 4 ranks by tree(shape=double-binary)" in out, out)
    ordo.fails(2, "did you mean pairwise", "list", "pairwize")
    ordo.fails(2, "did you mean recursive-halving", "explain", "recursive-halvin")


def options_of(ordo):
    """What --help says of the options: {command: {option: (letter, argument, meaning)}}."""
    told = {}
    listed = ordo.works("--help").out.split("commands:\n")[1].split("\n\n")[0]
    option = r"^  (?:-(\w), )?--([\w-]+)(?: (\S+))?\s+(.*(?:\n {8,}.*)*)"
    for command in re.findall(r"^  (\w+) ", listed, re.M):
        text = ordo.works(command, "--help").out.split("\noptions:\n")[1].split("\n\n")[0]
        told[command] = {}
        for letter, name, argument, meaning in re.findall(option, text, re.M):
            told[command][name] = (letter, argument, " ".join(meaning.split()))
    return told


@desk_case("options are called alike everywhere: --size bytes (or --bytes), -n ranks but in run")
def _(ordo):
    told = options_of(ordo)
    wanted(len(told) > 15 and len(told["compile"]) > 15, told)
    for command, options in told.items():
        wanted("bytes" not in options, command)
        for name, (letter, argument, meaning) in options.items():
            wanted(letter != "n" or name == ("iters" if command == "run" else "ranks"), command,
                   name)
            if name == "size":
                wanted(argument == "SIZE" and meaning.endswith("; or --bytes"), command, argument,
                       meaning)
            if name == "topology":
                wanted(meaning == "full-mesh, ring, star, ... or a file (a link between every two "
                       "ranks)", command, meaning)
    wanted({command for command, options in told.items()
            if "size" in options} >= {"compile", "predict", "run", "draw", "view", "calibrate"})
    ordo.compile("ring.json")
    changing = r"[\d.]+ [mu]?s|--(size|bytes)|[\d.]+ [MG]B/s"
    for words in [["predict", "ring.json"], ["run", "ring.json"], ["view", "ring.json"],
                  ["draw", "ring.json", "--load"], ["draw", "ring.json", "--space-time"]]:
        one, other = [re.sub(changing, "", ordo.works(*words, option, "4KiB").out)
                      for option in ("--size", "--bytes")]
        wanted(one == other and one, words)
    ordo.works("compile", "allreduce", "-n", 4, "--bytes", "4KiB", "-o", "x.json")
    # Topologies of their own have ranks, and no bytes.
    ordo.fails(2, "--size is the size of a vector.*\nhint: --ranks N is the number of ranks",
               "draw", "--topology", "ring", "--size", 8)
    ring = ordo.works("draw", "--topology", "ring", "-n6").out
    for words in [["-n", 6], ["--ranks", 6], ["--ranks", 6, "--ranks", "0-5"]]:
        wanted(ordo.works("draw", "--topology", "ring", *words).out == ring, words)
    done = ordo.works("draw", "--topology", "torus:4x4", "--ranks", "4,5")
    wanted("drawn: 2 of 16 ranks" in done.err, done.err)
    ordo.fails(2, "found 16 ranks, wanted 8", "draw", "--topology", "torus:4x4", "-n", 8)
    ordo.fails(2, "--ranks: found 0, wanted 1[.][.]", "draw", "--topology", "ring", "-n", 0)
    meshed = ordo.works("draw", "ring.json", "--load", "-t", "full-mesh").out
    wanted(ordo.works("draw", "ring.json", "--load").out == meshed)


@desk_case("compile --algorithm with --size: K is what is fastest at that size, as predicted")
def _(ordo):
    chunks = {}
    for size in ["1KiB", "1MiB", "256MiB"]:
        done = ordo.works("compile", "broadcast", "-n", 8, "-a", "ring", "--size", size, "-o",
                          "x.json")
        wanted("\n> ring" in done.err and "of 5 candidates, simulated" in done.err, done.err)
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


@desk_case("verify tells the guarantees and the order digest of what it proved")
def _(ordo):
    ordo.compile("ring.json")
    out = ordo.works("verify", "ring.json").out
    for words in [
            "R1-R11 hold in every interleaving", "G1 rank-equal           holds",
            "G2 run-to-run           holds", "G3 position-invariant   does not hold: chunk 0 is "
    ]:
        wanted(words in out, words, out)
    wanted(re.search(r"order digest +[0-9a-f]{32}\n", out), out)


@desk_case("a refuted document: exit code 1, and each finding with its place and its rule")
def _(ordo):
    for path in sorted(REJECT.glob("R[2-9]*.json")):
        done = ordo("verify", path)
        rule = path.name.split("-")[0]
        wanted(done.returncode in (1, 3), path, done.returncode, done.err)
        wanted(re.search(rf"{re.escape(path.name)}:\d+:\d+: error\[{rule}\]: ", done.err), path,
               done.err)
        if done.returncode == 1:
            wanted(": refuted, " in done.out, path, done.out)


@desk_case("verify: limits asked for are rule R13, unordered sums are accepted if wanted")
def _(ordo):
    ordo.compile("ring.json")
    ordo.compile("mesh.json", algorithm="mesh")
    wanted("R13 hold" in ordo.works("verify", "mesh.json", "--max-tokens", 1, "--max-streams", 4,
                                    "--max-scratch", 3).out)
    for words in [["ring.json", "--max-tokens", 1], ["mesh.json", "--max-streams", 3],
                  ["mesh.json", "--max-scratch", 2], ["mesh.json", "--max-signals", 1]]:
        ordo.fails(1, r"error\[R13\]", "verify", *words)
    path = REJECT / "R8-two-writers-unordered.json"
    ordo.fails(1, r"error\[R8\]", "verify", path)
    out = ordo.works("verify", path, "--atomic-reduce").out
    wanted(
        re.search("G2 run-to-run +does not hold", out)
        and re.search("order digest +none: the order is not fixed", out), out)
    wanted(ordo.answer("verify", path, "--atomic-reduce")["order_digest"] is None)


@desk_case("verify from one program says the same as from all")
def verify_symmetric(ordo):
    def facts(answer):
        # Only the proof of the whole lists trees, and so has counterexamples.
        guarantees = {
            name: (one["verdict"], one.get("why"))
            for name, one in answer["guarantees"].items()
        }
        return [
            guarantees,
            *(answer[key]
              for key in ["proved", "distinct_orders", "order_digest", "signals", "exit code"])
        ]

    ordo.works("compile", "allreduce", "-n", 12, "-a", "ring", "-o", "ring.json")
    whole, part = ordo.answer("verify", "ring.json", "--symmetry",
                              "off"), ordo.answer("verify", "ring.json", "--symmetry", "only")
    wanted(facts(whole) == facts(part), whole, part)
    wanted("symmetry" not in whole and part["symmetry"]["group"] == "cyclic group of 12", part)
    wanted(
        part["symmetry"]["all_compared"]
        and part["symmetry"]["tasks_judged"] * 12 < whole["tasks"] + 12, part)
    wanted("cyclic group of 12: proved from the" in ordo.works("verify", "ring.json", "--symmetry",
                                                               "only").out)
    wanted("symmetry" not in ordo.works("verify", "ring.json").out,
           "small schedules are proved as a whole")
    ordo.works("compile", "allreduce", "-n", 12, "-a", "dyadic", "-o", "dyadic.json")
    ordo.fails(4, "--symmetry is only\nhint: --symmetry off", "verify", "dyadic.json",
               "--symmetry", "only")
    broken = (ordo.folder / "ring.json").read_text().replace('"task": "SendReduce", "peer": 1,',
                                                             '"task": "Send", "peer": 1,', 1)
    (ordo.folder / "broken.json").write_text(broken)
    ordo.fails(4, "--symmetry is only", "verify", "broken.json", "--symmetry", "only")
    all_broken = (ordo.folder / "ring.json").read_text().replace("SendReduce", "Send")
    (ordo.folder / "all.json").write_text(all_broken)
    ordo.fails(1, r"all.json:\d+:\d+: error\[R11\]", "verify", "all.json", "--symmetry", "only")


@desk_case(
    "verify --generate: what is generated is proved, from one program or the whole, with the "
    "digest of what is compiled"
)
def verify_generated(ordo):
    for algorithm, n in [("ring", 9), ("halving-doubling", 16), ("recursive-doubling", 16)]:
        ordo.works("compile", "allreduce", "-n", n, "-a", algorithm, "-o", "a.json")
        compiled = ordo.answer("verify", "a.json")
        part = ordo.answer("verify", "--generate", algorithm, "-n", n)
        whole = ordo.answer("verify", "--generate", algorithm, "-n", n, "--symmetry", "off")
        trusted = ordo.answer("verify", "--generate", algorithm, "-n", n, "--trust")
        for answer in [part, whole, trusted]:
            wanted(answer["order_digest"] == compiled["order_digest"] and answer["proved"], answer)
        wanted(
            part["tasks"] == compiled["tasks"] and part["symmetry"]["programs_compared"] == n - 1,
            part)
        wanted(
            trusted["symmetry"]["programs_compared"] < n - 1
            and not trusted["symmetry"]["all_compared"], trusted)
        wanted("symmetry" not in whole, whole)
    wanted("by construction, 1 of 9 programs compared" in ordo.works("verify", "--generate", "ring",
                                                                     "-n", 9, "--trust").out)
    wanted("R1-R12 hold" in ordo.works("verify", "--generate", "ring", "-n", 9, "--topology",
                                       "ring").out)
    wanted("ReduceScatter on 9 ranks" in ordo.works("verify", "--generate", "ring", "-n", 9,
                                                    "--operator", "reduce-scatter").out)
    ordo.fails(1, r"error\[R12\]: .*no link from rank 3 to rank 4", "verify", "--generate", "ring",
               "-n", 9, "--fail-link", "3-4")
    ordo.fails(1, r"error\[R13\]: .*wanted at most 1", "verify", "--generate", "ring", "-n", 9,
               "--max-tokens", 1)
    for words, message in [(["--generate", "mesh", "-n", 4], '"mesh" has no generator'),
                           (["--generate", "halving-doubling", "-n",
                             6], r"for 2\^q ranks, found 6"),
                           (["--generate", "ring"], "needs --ranks"),
                           (["ring.json", "--trust"], "go with --generate"),
                           (["--generate", "ring", "-n", 4,
                             "x.json"], "takes no file, found x.json"),
                           (["--generate", "ring", "-n", 4, "--require", "G1"], "goes without"),
                           (["x.json", "--symmetry", "perhaps"], "wanted auto, off or only"),
                           (["x.json", "--symmetry", "only", "--require", "G1"], "needs trees"),
                           (["--generate", "ring", "-n", 4, "--operator",
                             "love"], "--operator: found love")]:
        ordo.fails(2, message, "verify", *words)


@desk_case(
    "verify --write-replay: every finding about runs is carried out by run --replay, and shows")
def _(ordo):
    for path in sorted(REJECT.glob("R*.json")):
        rule = path.name.split("-")[0]
        done = ordo("verify", path, "--write-replay", "replay.json")
        if int(rule[1:]) < 6:
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
    ordo.fails(2, r"do not go with it", "run", path, "--replay", "race.json", "--check")
    text = (ordo.folder / "race.json").read_text()
    (ordo.folder / "race.json").write_text(re.sub(r"\n  \[\[", "\n  [[0, 999], [", text))
    done = ordo("run", path, "--replay", "race.json")
    wanted(done.returncode == 3 and "run 0 of the interleaving: stream 0 " in done.err,
           done.returncode, done.err)


@desk_case(
    "verify --certificate: ordo-check proves the schedule again, and refuses it for any other; "
    "what is refuted has none"
)
def _(ordo):
    def again(*words):
        return subprocess.run([os.path.join(os.path.dirname(ORDO), "ordo-check"), *words],
                              cwd=ordo.folder,
                              capture_output=True,
                              text=True)
    ordo.compile("ring.json")
    wanted("ordo-check ring.json proof.json" in ordo.works("verify", "ring.json", "--certificate",
                                                           "proof.json").out)
    done = again("ring.json", "proof.json")
    wanted(
        done.returncode == 0
        and re.match(r"ring.json: proved: R1-R11, \d+ tasks, \d+ paths, 4 trees\n$", done.stdout),
        done)
    ordo.compile("mesh.json", algorithm="mesh")
    done = again("mesh.json", "proof.json")
    wanted(done.returncode == 1 and "not proved: " in done.stderr and not done.stdout, done)
    for words in [["ring.json"], ["ring.json", "none.json"], ["ring.json", "ring.json"],
                  ["proof.json", "proof.json"]]:
        done = again(*words)
        wanted(done.returncode == 3 and done.stderr and not done.stdout, words, done)
    for path in sorted(REJECT.glob("R*.json")):
        ordo("verify", path, "--certificate", "none.json")
        wanted(not (ordo.folder / "none.json").exists(), path)
    for path in sorted(REJECT.glob("R1-*.json")):
        done = again(str(path), "proof.json")
        wanted(done.returncode == 3 and "error: R1: " in done.stderr and not done.stdout, path,
               done)
    wanted(
        ordo("verify", REJECT / "R8-two-writers-unordered.json", "--atomic-reduce", "--certificate",
             "none.json").returncode == 2)
    with open("/dev/full", "w", encoding="ascii") as full:
        done = subprocess.run([os.path.join(os.path.dirname(ORDO), "ordo-check"), "ring.json",
                               "proof.json"], cwd=ordo.folder, stdout=full,
                              stderr=subprocess.PIPE, text=True, check=False)
    wanted(done.returncode == 5 and "cannot write" in done.stderr, done)


@desk_case("ordo-check takes folders, and refuses what the reader refuses in them")
def _(ordo):
    def again(*words):
        return subprocess.run([os.path.join(os.path.dirname(ORDO), "ordo-check"), *words],
                              cwd=ordo.folder, capture_output=True, text=True, check=False)
    ordo.compile("ring")
    ordo.works("verify", "ring", "--certificate", "proof.json")
    for name in ["ring", "ring/", "./ring/schedule.json"]:
        done = again(name, "proof.json")
        wanted(done.returncode == 0 and ": proved: R1-R11, " in done.stdout, name, done)
    program, document = ordo.folder / "ring" / "rank-2.json", ordo.folder / "ring" / "schedule.json"
    good, head = program.read_bytes(), document.read_text()
    for bad in [good + b"\0", good + b"{}", b"\xef\xbb\xbf" + good,
                good.replace(b'"peer": 3,', b'"peer": 3, "peer": 3,', 1),
                good.replace(b'"peer": 3', b'"peer": 3.0', 1), good.replace(b'"name"', b'"names"'),
                good[:-5], b"", b"[]",
                b'"rank-1.json"']:
        program.write_bytes(bad)
        done = again("ring", "proof.json")
        wanted(done.returncode == 3 and re.search(r"error: R1: .*rank-2.json, line \d+, column \d+",
                                                  done.stderr), bad, done)
        wanted(ordo("verify", "ring").returncode == 3, bad)
    program.write_bytes(good)
    for name in ["../ring/rank-2.json", ".", "", "rank-2.json\\\\", "ring/rank-2.json"]:
        document.write_text(head.replace("rank-2.json", name))
        done = again("ring", "proof.json")
        wanted(done.returncode == 3 and "error: R1: " in done.stderr, name, done)
        wanted(ordo("verify", "ring").returncode == 3, name)
    document.write_text(head.replace("rank-2.json", "rank-1.json"))
    done = again("ring", "proof.json")
    wanted(done.returncode == 1 and "R2: no such rank, or a duplicate" in done.stderr, done)
    document.write_text(head.replace("rank-2.json", "\\u0072ank-2.json"))
    wanted(again("ring", "proof.json").returncode == 0)
    document.write_text(head)
    program.rename(ordo.folder / "elsewhere.json")
    program.symlink_to(ordo.folder / "elsewhere.json")
    done = again("ring", "proof.json")
    wanted(done.returncode == 3 and "R2: the file of a program cannot be read" in done.stderr, done)
    wanted(ordo("verify", "ring").returncode == 3)
    (ordo.folder / "alone.json").write_text(head)
    wanted(again("alone.json", "proof.json").returncode == 3)
    wanted(again("none", "proof.json").returncode == 3 and again("ring", "ring").returncode == 3)


@desk_case("run --check: every type with every reduction, on threads and seeded, bit for bit")
def _(ordo):
    ordo.compile("ring.json", ranks=3)
    ordo.compile("mesh.json", ranks=3, algorithm="mesh")
    for kind in ["f16", "bf16", "f32", "f64", "i8", "i32", "i64", "u8"]:
        for reduction in ["sum", "prod", "min", "max", "avg"]:
            for name, transport in [("ring.json", "threads"), ("mesh.json", "seeded")]:
                check = ordo.answer("run", name, "--type", kind, "--op", reduction, "--transport",
                                    transport, "--count", 1001, "--check")["check"]
                wanted(check["bits_equal"] and check["within_bounds"], kind, reduction, transport,
                       check)
                wanted(check["elements"] == 3 * 1001, check)


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


@desk_case("probe: real runs have the trees of the proof, in every type and by every transport")
def _(ordo):
    ordo.compile("ring.json", ranks=5)
    ordo.compile("dyadic.json", ranks=6, operator="reducescatter", algorithm="dyadic")
    ordo.compile("tree.json", "--root", 2, ranks=5, operator="reduce", algorithm="tree")
    for kind in ["f16", "bf16", "f32", "f64"]:
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


@desk_case("a run that is stuck ends, and names who waits for whom")
def _(ordo):
    path = REJECT / "R7-both-wait-first.json"
    for transport in ["threads", "seeded"]:
        done = ordo.fails(1, "rank 0.*rank 1", "run", path, "--unproved", "--count", 8,
                          "--transport", transport)
        wanted("wait" in done.err, done.err)


@desk_case(
    "compile without --algorithm: the fastest whose proof holds --require and --order; all "
    "candidates are told, and why not"
)
def _(ordo):
    def chosen(*words):
        answer = ordo.answer("compile", *words, "-o", "x.json")
        wanted(answer["exit code"] == 0, words, answer)
        return answer["algorithm"]
    wanted(chosen("allreduce", "-n", 8, "--require", "G3") == "mesh")
    wanted(
        chosen("allreduce", "-n", 8, "--require", "G1,g2", "--require", "position-invariant",
               "--order", "folded") == "mesh(fold=folded)")
    wanted(chosen("allreduce", "-n", 8, "--order", "dyadic", "--topology", "hypercube") == "dyadic")
    wanted(chosen("reduce-scatter", "-n", 8, "--order", "dyadic", "--topology", "a3:8") == "birs")
    # Servers are told apart by the topology, shards by the problem.
    wanted(
        chosen("allreduce", "-n", 16, "--order", "dyadic", "--topology", "a3:2x8") ==
        "hierarchical(mesh,mesh,mesh)")
    wanted(chosen("allreduce", "-n", 7, "--shards", 64, "--order", "dyadic") == "forest")
    # On a ring of links every order begins elsewhere; G1 asks for less than G3.
    wanted(
        chosen("allreduce", "-n", 5, "--require", "G1", "--topology", "ring") ==
        "ring(directions=2)")
    # Where nothing is added every order holds.
    wanted(chosen("allgather", "-n", 4, "--require", "G3") == "mesh")
    done = ordo.works("compile", "allreduce", "-n", 8, "--order", "folded", "--topology",
                      "hypercube", "--size", "1KiB", "-o", "x.json")
    wanted(
        re.search(
            r"the fastest at 1 KiB, hypercube, of \d+ candidates, simulated\n  candidate "
            r"+predicted +ratio\n"
            r"> recursive-doubling +[\d.]+ us +1.00\n(.*\n)+.*  ring +[\d.]+ us +[\d.]+  not "
            r"wanted: .*different orders.*\n(.*\n)*"
            r"  mesh  +no link: phase \S+ needs link \d-\d\n", done.err), done.err)
    done = ordo.works("compile", "reduce-scatter", "-n", 6, "-o", "x.json")
    wanted(
        "the fastest at 1 MiB (--size was not given), a link between every two ranks" in done.err,
        done.err)
    wanted(
        "halving-doubling" in done.err
        and "no: halving-doubling needs a power of two ranks, found 6" in done.err, done.err)


@desk_case("compile: --json lists every candidate, with its time or why it does not suit")
def _(ordo):
    answer = ordo.answer("compile", "allreduce", "-n", 8, "--order", "linear", "--size", "64MiB",
                         "-o", "x.json")
    standings = {one["algorithm"]: one for one in answer["candidates"]}
    wanted(
        answer["size_bytes"] == 64 << 20 and standings[answer["algorithm"]]["standing"] == "timed",
        answer)
    wanted(
        standings["mesh"]["standing"] == "unsuitable"
        and "not linear but" in standings["mesh"]["why"], standings["mesh"])
    wanted(standings[answer["algorithm"]]["seconds"] == min(one["seconds"]
                                                            for one in answer["candidates"]
                                                            if one["standing"] == "timed"))
    wanted(
        ordo.works("compile", "allreduce", "-n", 8,
                   "--prove-only").out.startswith("the fastest at 1 MiB"))


@desk_case(
    "compile: what does not hold the conditions is refused with the reason and with what does")
def _(ordo):
    ordo.fails(
        1,
        r"G3 position-invariant does not hold: chunk 0 is .* but chunk 1 is .*\nhint: these do: "
        r"mesh, .*dyadic",
        "compile", "allreduce", "-n", 8, "-a", "ring", "--require", "G3", "-o", "x.json")
    # On more than 64 ranks only two are named: each of them takes long to prove.
    ordo.fails(1, r"hint: these do: mesh, [^ \n]+\n\Z", "compile", "allreduce", "-n", 65, "-a",
               "ring", "--require", "G3", "-o", "x.json")
    ordo.fails(1, r"its order is not linear but dyadic: .*\nhint: these do: mesh\(fold=linear\)\n",
               "compile", "reduce-scatter", "-n", 7, "-a", "dyadic", "--order", "linear", "-o",
               "x.json")
    ordo.fails(
        1,
        r"  birs  +no: found 7 ranks.*\n(.*\n)*.*no algorithm holds the order linear: "
        r"ReduceScatter on 7 ranks, topology ring\n"
        r"hint: with a link between every two ranks these would apply: mesh\(fold=linear\)",
        "compile",
        "reduce-scatter", "-n", 7, "--order", "linear", "--topology", "ring", "-o", "x.json")
    ordo.fails(2, r"birs: found 7 ranks", "compile", "reduce-scatter", "-n", 7, "-a", "birs",
               "--require", "G3")
    ordo.fails(2, r'found "rnig".*\nhint: did you mean ring\?', "compile", "allreduce", "-n", 4,
               "-a", "rnig", "--require", "G3")
    ordo.fails(2, r"--require: found G9, wanted G1, G2, G3 or constant", "compile", "allreduce",
               "-n", 4, "--require", "G9")
    ordo.fails(2, r"G4 is about two schedules.*\nhint: `ordo diff", "compile", "allreduce", "-n", 4,
               "--require", "G1,G4")
    ordo.fails(2, r"--order: found dyadc, wanted dyadic, folded", "compile", "allreduce", "-n", 4,
               "--order", "dyadc")
    ordo.fails(2, r"--order: AllGather adds nothing", "compile", "allgather", "-n", 4, "--order",
               "dyadic")
    wanted(ordo.names() == [], "nothing was written", ordo.names())


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
    ordo.works("compile", "allreduce", "-n", 8, "--topology", "hypercube", "--sizes", "1:1GiB",
               "-o", "fast")
    done = ordo.works("verify", "fast", "--topology", "hypercube")
    wanted(
        re.match(
            r"fast: proved\n  AllReduce on 8 ranks: 3 ranges of sizes from 1 byte on, up to "
            r"1073741824\n",
            done.out), done.out)
    # Below, several algorithms cost the same: those with one order are taken.
    wanted(
        re.search(r"1\.\.\d+ +range-0.json +recursive-doubling\(masks=near\) +dyadic ", done.out),
        done.out)
    wanted(
        re.search(
            r"order +changes with the size, and so do bits:\n"
            r"    at (\d+) bytes, from range-1.json to range-2.json\n"
            r"      \[0, 1/16\) of the vector: \(\(\(0\+1\)\+\(2\+3\)\)\+\(\(4\+5\)\+\(6\+7\)\)\), "
            r"dyadic, by range-1.json\n"
            r" +\(0\+\(+\d.*\d\)+ by range-2.json\n"
            r"(.*\n)+      and 14 further parts\n"
            r"      f32 \S+ from rank \d, \S+ from \d, \S+ from \d, 0 from all others: (\S+) and "
            r"(?!\3\n)\S+\n",
            done.out), done.out)
    wanted("G3 position-invariant   does not hold: not by the schedule range-2.json" in done.out,
           done.out)
    for required, why in [("constant",
                           r"a constant order is required, but the order changes at \d+ bytes"),
                          ("G1,G3", r"G3 is required, but does not hold of range-2.json")]:
        done = ordo("verify", "fast", "--require", required)
        wanted(done.returncode == 1 and re.search(r"fast/plan-set.json: error: " + why, done.err),
               required, done.err)
    wanted(ordo("verify", "fast", "--require", "G1,G2").returncode == 0)
    answer = ordo.answer("verify", "fast")
    wanted(answer["proved"] and not answer["constant_order"] and answer["exit code"] == 0, answer)
    wanted([one["bytes"] for one in answer["changes"]] == [answer["ranges"][2]["from_bytes"]],
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
        r"no algorithm holds G3: AllReduce on 8 ranks, topology ring\nhint: with a link between "
        r"every two ranks these would apply: mesh",
        "compile", "allreduce", "-n", 8, "--topology", "ring", "--sizes", "1:1GiB", "--require",
        "G3", "-o", "none")
    ordo.fails(
        2,
        r"no algorithm applies: AllReduce on 4 ranks, topology ring\nhint: with a link between "
        r"every two ranks these would apply: mesh",
        "compile", "allreduce", "-n", 4, "--topology", "ring", "--fail-link", "0-1,2-3", "--sizes",
        "1:1GiB", "-o", "none")
    wanted(ordo.names() == ["set"], ordo.names())
    # Where nothing is added any choice will do.
    done = ordo.works("compile", "broadcast", "-n", 6, "--root", 2, "--sizes", "1:1MiB",
                      "--require", "G1,G3", "-o", "copies")
    wanted("adds nothing" in ordo.works("verify", "copies", "--require", "G3,constant").out)


@desk_case(
    "tune: the fastest for every size as a proved set, both sides of every crossover told, and "
    "true of compile at those sizes"
)
def _(ordo):
    words = ["allreduce", "-n", 8, "--topology", "hypercube"]
    done = ordo.works("tune", *words, "--sizes", "1:1GiB", "-o", "fast")
    wanted(
        re.search(r"\AAllReduce on 8 ranks: (\d) schedules, proved in every interleaving\n  bytes ",
                  done.out), done.out)
    wanted(
        "order                   changes with the size" in done.out
        and re.search(r"\n   in the middle  fastest", done.out), done.out)
    wanted(
        re.search(
            r"candidates at \d+ sizes on hypercube: \d+ schedules simulated\n.*written in .* to "
            r"fast\n",
            done.err), done.err)
    answer = ordo.answer("verify", "fast", "--topology", "hypercube")
    wanted(answer["exit code"] == 0 and answer["proved"] and len(answer["ranges"]) > 1, answer)
    wanted(answer["ranges"][0]["from_bytes"] == 1 and answer["ranges"][-1]["to_bytes"] == 1 << 30,
           answer)
    told = ordo.answer("tune", *words, "--sizes", "1:1GiB")
    wanted(
        told["output"] is None
        and [one["from_bytes"]
             for one in told["tuned"]] == [one["from_bytes"] for one in answer["ranges"]], told)
    for before, one in zip(told["tuned"], told["tuned"][1:]):
        wanted(
            one["first_seconds"] < one["before_at_first_seconds"]
            and before["last_seconds"] <= one["a_byte_less_seconds"] * (1 + 1e-9), one)
        for size, fastest in [(one["from_bytes"] - 1, before["last_seconds"]),
                              (one["from_bytes"], one["first_seconds"])]:
            seconds = ordo.answer("compile", *words, "--size", size, "-o",
                                  "x.json")["candidates"][0]["seconds"]
            wanted(abs(seconds / fastest - 1) < 1e-9, size, seconds, fastest)
    # One order for all sizes, and what it costs; candidates if asked for; nothing is written unless
    # asked for.
    done = ordo.works("tune", *words, "--require", "constant", "--candidates", "--type", "bf16")
    wanted(
        re.search(r"price of conditions +at most [\d.]+ times the fastest of all, at \d+ bytes",
                  done.out), done.out)
    wanted(
        "constant over all sizes" in done.out and re.search(r"\n  mesh +no link: phase", done.out),
        done.out)
    wanted("--output FOLDER keeps it" in done.err and ordo.names() == ["fast", "x.json"], done.err,
           ordo.names())
    # A link that is twice as slow moves the crossovers.
    slower = ordo.answer("tune", *words, "--bandwidth", 28, "--reduce-bandwidth", 97.5)["tuned"]
    wanted(slower[1]["from_bytes"] < 0.6 * told["tuned"][1]["from_bytes"], slower)
    ordo.works("run", "fast", "--bytes", "1MiB", "--check")


@desk_case("tune: what makes no sense is refused, and nothing is written")
def _(ordo):
    for code, message, words in [
        (2, r"which operator\?", []), (2, r"--ranks N is missing", ["allreduce"]),
        (2, "smaller size first", ["allreduce", "-n", 4, "--sizes", "9:1"]),
        (2, r"--output: found x.json, wanted the name of a folder",
         ["allreduce", "-n", 4, "-o", "x.json"]),
        (2, r"--type: found f31", ["allreduce", "-n", 4, "--type", "f31"]),
        (2, "unknown option --algorithm", ["allreduce", "-n", 4, "--algorithm", "ring"]),
        (2, "hypercube", ["allreduce", "-n", 6, "--topology", "hypercube"]),
        (2, "--order: AllGather adds nothing", ["allgather", "-n", 4, "--order", "linear"]),
        (1,
         r"no algorithm holds G3: AllReduce on 5 ranks, topology ring\nhint: with a link between "
         r"every two ranks these would apply: mesh",
         [
             "allreduce", "-n", 5, "--topology", "ring", "--require", "G3", "--sizes", "1:4KiB",
             "-o", "set"
         ]),
        (2, r"no algorithm applies: AllReduce on 4 ranks, topology ring",
         ["allreduce", "-n", 4, "--topology", "ring", "--fail-link", "0-1,2-3", "-o", "set"])
    ]:
        ordo.fails(code, message, "tune", *words)
    (ordo.folder / "mine").mkdir()
    (ordo.folder / "mine/notes").write_text("")
    ordo.fails(2, r'mine contains "notes"', "tune", "allreduce", "-n", 4, "--sizes", "1:9", "-o",
               "mine")
    wanted(ordo.names() == ["mine"], ordo.names())


@desk_case(
    "predict: the closed form of the ring, its breakdown, its lower bounds, and "
    "every task and link of it with --json"
)
def _(ordo):
    ordo.compile("ring.json")
    setting = [
        "ring.json", "--topology", "full-mesh", "--size", "4MB", "--alpha-ns", 500, "--bandwidth",
        100, "--reduce-bandwidth", 400
    ]
    done = ordo.works("predict", *setting)
    # 2 * 3 latencies; 6/4 of 4 MB at 100 GB/s, 3/4 of it at 400: 3 + 60 + 7.5 us.
    wanted(
        re.search(
            r"\n  time +70.5 us for 3.815 MiB of f32 on full-mesh; algbw 56.7 GB/s, busbw 85.1 "
            r"GB/s\n"
            r"  breakdown +latency 3 us \(4.26%\), wire 60 us \(85.1%\), reduce 7.5 us \(10.6%\)\n",
            done.out), done.out)
    wanted(
        re.search(
            r"\n  lower bound +steps 0.5 us, volume 20 us, reduce 7.5 us, cut 13.33 us "
            r"\(rank 0 against the rest\)\n"
            r"  ratio to bound +3.525 of volume\n  bottleneck +link 0 -> 1 HCCS, utilisation "
            r"85.1%\n",
            done.out), done.out)
    wanted(
        re.search(
            r"\n  links +4 of 12 used.*\n +85.1%  0 -> 1 HCCS: 5.722 MiB in 6 moves, at most 1 at "
            r"once\n",
            done.out), done.out)
    wanted(
        re.search(
            r"\n  critical path +\d+ tasks, of which 6 take time: begin and duration\n +0 us \+ 13 "
            r"us +rank \d ring: SendReduce ",
            done.out), done.out)


@desk_case("predict: --json has every link and task of the critical path, with exact sums")
def _(ordo):
    ordo.compile("ring.json")
    setting = [
        "ring.json", "--topology", "full-mesh", "--size", "4MB", "--alpha-ns", 500, "--bandwidth",
        100, "--reduce-bandwidth", 400
    ]
    answer = ordo.answer("predict", *setting)
    wanted(
        abs(answer["seconds"] - 70.5e-6) < 1e-15
        and abs(sum(answer["breakdown_seconds"].values()) - answer["seconds"]) < 1e-15, answer)
    wanted(
        len(answer["links"]) == 4 and sum(one["bytes"] for one in answer["links"]) == 4 * 6e6,
        answer["links"])
    path = [one for one in answer["critical_path"] if one["end_seconds"] > one["begin_seconds"]]
    wanted(
        len(path) == 6 and path[0]["begin_seconds"] == 0
        and path[-1]["end_seconds"] == answer["seconds"], path)
    wanted(all(a["end_seconds"] == b["begin_seconds"] for a, b in zip(path, path[1:])), path)
    wanted(
        answer["bounds_seconds"]["volume"] == 20e-6 and answer["largest_bound"] == "volume"
        and answer["all_cuts_looked_at"], answer)
    done = ordo.works("predict", *setting, "--max-path", 3, "--max-links", 1)
    wanted(
        done.out.count(": SendReduce ") == 2 and "... 3 more; --max-path 6 shows all" in done.out
        and "and 3 more; --max-links 4" in done.out, done.out)
    # Without a topology links have no names, but what takes most of the time is not the adder for
    # that.
    alone = ordo.works("predict", "ring.json", "--size", "4MB", "--bandwidth", 100,
                       "--reduce-bandwidth", 400).out
    share = re.search(r", wire [\d.]+ us \(([\d.]+)%\)", alone)[1]
    wanted(
        f"\n  bottleneck              links without sharing, utilisation {share}%\n"
        in alone, alone)
    wanted("the adder of rank 0, utilisation" in ordo.works(
        "predict", "ring.json", "--size", "4MB", "--bandwidth", 100, "--reduce-bandwidth", 4).out)
    wanted("\n3 B cut to 0 B, whole elements of f32\n" in "\n" +
           ordo.works("predict", "ring.json", "--size", 3).err)
    document = (ordo.folder / "ring.json").read_text()
    wanted(
        ordo.works("predict", "-", "--size", "4MB",
                   stdin=document.encode()).out.startswith("-: AllReduce on 4 ranks by ring"))


@desk_case(
    "predict: the published case, 8 ranks with link 0-1 down: one ring both ways, and three, which "
    "reach what the six links of ranks 0 and 1 carry"
)
def _(ordo):
    for rings, rate in ((1, 64), (3, 192)):
        ordo.works("compile", "allreduce", "-n", 8, "-a", f"ring(rings={rings},directions=2)",
                   "--fail-link", "0-1", "-o", "x.json")
        answer = ordo.answer("predict", "x.json", "--fail-link", "0-1", "--size", "64GiB",
                             "--reduce-bandwidth", "1e9")
        wanted(
            abs(answer["algbw_gigabytes_per_second"] / rate - 1) < 1e-4, rings,
            answer["algbw_gigabytes_per_second"])
    wanted(6 * 56 * 8 / 14 == 192 and abs(answer["times_the_bound"] - 216 / 192) < 1e-4,
           answer["times_the_bound"])


@desk_case(
    "predict: a table of sizes, the schedule of a plan set for a size, types, ways through ranks, "
    "costs of the topology"
)
def _(ordo):
    ordo.works("compile", "allreduce", "-n", 8, "--topology", "hypercube", "--sizes", "1:1GiB",
               "-o", "set")
    ranges = ordo.answer("list", "set")["ranges"]
    done = ordo.works("predict", "set", "--topology", "hypercube", "-b", "1KiB", "-e", "1GiB", "-f",
                      32)
    rows = re.findall(
        r"^ +(\d+) +([\d.]+) +([\d.]+) +([\d.]+) +([\d.]+)  (\w+) +(\S.*)  (\S+\.json)$", done.out,
        re.M)
    wanted([int(row[0]) for row in rows] == [1 << 10, 1 << 15, 1 << 20, 1 << 25, 1 << 30], done.out)
    wanted(len({row[7] for row in rows}) > 1 and all(float(row[4]) >= 1 for row in rows), done.out)
    done = ordo.works("predict", "set", "--topology", "hypercube", "--size",
                      ranges[-1]["from_bytes"] + 4096)
    wanted(f"{ranges[-1]['schedule']}, the schedule for this size" in done.err, done.err)
    answer = ordo.answer("predict", "set", "--topology", "hypercube", "-b", 1000, "-e", 3000, "-i",
                         1000)
    wanted([row["bytes"] for row in answer["rows"]] == [1000, 2000, 3000], answer["rows"])
    ordo.compile("mesh.json", operator="allgather", algorithm="mesh", ranks=5)
    done = ordo.works("predict", "mesh.json", "--type", "f64", "--size", 1003)
    wanted(
        "1003 B cut to 1000 B, equally many elements of f64 in each of 5 blocks" in done.err
        and "for 1000 B of f64" in done.out, done.out, done.err)


@desk_case(
    "--route-through-ranks: predicted, judged, drawn and viewed alike"
)
def _(ordo):
    ordo.compile("mesh.json", operator="allgather", algorithm="mesh", ranks=5)
    ordo.fails(
        1,
        r"error\[R12\]: rank \d sends to rank \d, and in topology ring nothing that is up leads "
        r"there\nhint: --route-through-ranks",
        "predict", "mesh.json", "--topology", "ring")
    wanted(", sharing " in ordo.works("predict", "mesh.json", "--topology", "ring",
                                      "--route-through-ranks").out)
    # What is predicted so is judged so, and drawn: of a schedule from one program too, and of a
    # set.
    ordo.fails(1, r"error\[R12\]", "verify", "mesh.json", "--topology", "ring")
    wanted("R1-R12 hold in every interleaving; ranks forward data" in
           ordo.works("verify", "mesh.json", "--topology", "ring", "--route-through-ranks").out)
    ordo.fails(1, r"there is no way from rank", "verify", "mesh.json", "-t", "ring",
               "--route-through-ranks", "--fail-link", "0-1", "--fail-link", "1-2")
    halving = ("verify", "--generate", "recursive-doubling", "-n", 8, "-t", "ring", "--symmetry",
               "only")
    ordo.fails(1, r"there is no link from rank", *halving)
    wanted("ranks forward data" in ordo.works(*halving, "--route-through-ranks").out)
    ordo.fails(2, r"--route-through-ranks goes with --topology", "verify", "mesh.json",
               "--route-through-ranks")
    drawn = ("draw", "mesh.json", "--space-time", "--topology", "ring", "--route-through-ranks",
             "-o", "mesh.svg")
    wanted("refuted" not in ordo.works(*drawn).err)
    ordo.works("view", "mesh.json", "--topology", "ring", "--route-through-ranks", "-o",
               "mesh.html")


@desk_case(
    "predict: rates of the topology's document are used, and those of the command line first"
)
def _(ordo):
    # What the topology's document tells is taken, and what the command line tells before it.
    document = strict_json.loads(ordo.works("draw", "--topology", "full-mesh", "--ranks", 4, "--as",
                                            "json").out)
    (ordo.folder / "slow.json").write_text(json.dumps(document | {"reduce_gbs": 1, "copy_gbs": 2}))
    ordo.compile("ring.json")
    slow = ordo.answer("predict", "ring.json", "--topology", "./slow.json")["breakdown_seconds"]
    wanted(abs(slow["reduce"] - 0.75 * (1 << 20) * 1e-9) < 1e-12, slow)
    fast = ordo.answer("predict", "ring.json", "--topology", "./slow.json", "--reduce-bandwidth",
                       10)["breakdown_seconds"]
    wanted(abs(fast["reduce"] - slow["reduce"] / 10) < 1e-12, fast)


@desk_case("predict: what makes no sense is refused")
def _(ordo):
    ordo.compile("ring.json")
    for code, message, words in [
        (2, "wanted the file or folder of a schedule or of a plan set", []),
        (2, "and nothing else", ["ring.json", "ring.json"]), (5, "cannot read", ["none.json"]),
        (2, "--size: found 1Q", ["ring.json", "--size", "1Q"]),
        (2, "--type: found f31", ["ring.json", "--type", "f31"]),
        (2, "--alpha-ns: found 0", ["ring.json", "--alpha-ns", 0]),
        (2, "--bandwidth: found -1", ["ring.json", "--bandwidth=-1"]),
        (2, "--factor: found 1", ["ring.json", "-e", 100, "-f", 1]),
        (2, "--factor and --step lead", ["ring.json", "-f", 2]),
        (2, "hypercube|8 ranks|torus", ["ring.json", "--topology", "torus:2x4"]),
        (2, "finite", ["ring.json", "--bandwidth", "1e-308", "--size", "1TiB"])
    ]:
        ordo.fails(code, message, "predict", *words)
    text = (ordo.folder / "ring.json").read_text()
    stuck = re.sub(r'\{"task": "Notify", "peer": 1[^}]*\},\n', "", text, count=1)
    (ordo.folder / "stuck.json").write_text(stuck)
    wanted(stuck != text)
    ordo.fails(1, r"error\[R[67]\]: (deadlock: )?rank \d, stream", "predict", "stuck.json")


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


def check_refused_number(option, value, said, words):
    """`words` is what was wanted in place of the value, and must be why it was refused."""
    integer = int(value) if re.fullmatch("[0-9]+", value) else None
    if bound := re.fullmatch(r"at most (\d+)( bytes)?", words):
        wanted(integer is not None and integer > int(bound.group(1)) or bound.group(2)
               and value == "99999999TiB", option, value, said)
    elif bound := re.fullmatch(r"at least (\d+)", words):
        wanted(integer is not None and integer < int(bound.group(1)), option, value,
               said)
    elif re.fullmatch(r"a number of \d+\.\.\d+", words):
        wanted(integer is None, option, value, said)
    elif words == "a number above 0, of 4.9e-324..1.7e+308":
        wanted(value in ("1e999", "1e-999"), option, value, said)
    elif words == "a number above 0":
        wanted(value in ("0", "-1", "", "0x10", "1KiB", "99999999TiB", "1XiB", " 1",
                         "1 "), option, value, said)
    else:
        wanted(words == "a size such as 4096, 1KiB or 1GiB" and integer is None
               and value not in ("1KiB", "99999999TiB"), option,
               value, said)


@desk_case("every option that takes a number says why it refuses one: none, too small, or too large"
           )
def numbers(ordo):
    seen = 0
    for command in re.findall(r"^  ([a-z]+) +\S", ordo.works("--help").out.split("options:")[0],
                              re.M):
        text = ordo.works(command, "--help").out
        for option in re.findall(r"^  (?:-\w, )?(--[a-z-]+) (?:N|R|K|V|W|S|NS|GB/S|SIZE)\b", text,
                                 re.M):
            for value in ["0", "1", "2147483647", "2147483648", "4294967295", "4294967296",
                          "9223372036854775807", "9223372036854775808",
                          "18446744073709551615", "18446744073709551616", "1" * 40, "-1", "", "1e3",
                          "0x10", "1e999", "1e-999", "1KiB",
                          "99999999TiB", "1XiB", " 1", "1 "]:
                # What is taken is not carried out: there is no such option behind it.
                said = ordo.fails(2, "", command, f"{option}={value}",
                                  "--no-such-option").err.splitlines()[0]
                shown = value or "nothing"
                if said == "error: unknown option --no-such-option":
                    wanted(value not in ("", "-1", "0x10", " 1", "1 ", "1e999", "1e-999",
                                         "99999999TiB", "1XiB"), command, option, value)
                    continue
                found = re.fullmatch(rf"error: {option}: found {re.escape(shown)}, wanted (.*)",
                                     said)
                wanted(found, command, option, value, said)
                seen += 1
                check_refused_number(option, value, said, found.group(1))
    wanted(seen > 500, seen)


@desk_case("numbers that are too large for this machine or for a size are refused")
def _(ordo):
    ordo.compile("ring.json")
    most = 9223372036854775807
    for words in [["run", "ring.json", "--count", most], ["run", "ring.json", "--bytes", most - 3],
                  ["probe", "ring.json", "--count", most],
                  ["probe", "ring.json", "--count", 1 << 62],
                  ["calibrate", "-n", 2, "--size", most - 7]]:
        ordo.fails(5, "elements a block take .* and this machine has", *words)
    for sizes in ["1:18446744073709551616", "18446744073709551615:", f"{1 << 63}:{1 << 63}",
                  "1:99999999TiB"]:
        ordo.fails(2, f"--sizes: found {sizes}, wanted sizes of at most {most}", "tune",
                   "allreduce", "-n", 2, "--sizes", sizes)
    for sizes in ["", "1", "1:x", "-1:2", "0x1:2", ":"]:
        ordo.fails(2, f"--sizes: found {sizes or 'nothing'}, wanted the first and the last size",
                   "tune", "allreduce", "-n", 2, "--sizes", sizes)


def commands_that_write(race):
    """What is read, and then everything that writes, X being where to."""
    schedules = [words for one in ("ring.json", "ring", "ring/schedule.json") for words in (
        (one, "verify", one, "--certificate", "X"), (one, "verify", one, "--write-input", "X"),
        (one, "run", one, "--trace", "X"),
        (one, "run", one, "--trace", "X", "--check"), (one, "draw", one, "--as", "dot", "-o", "X"),
        (one, "draw", one, "--as", "table", "--output", "X"),
        (one, "draw", one, "--space-time", "--as", "svg", "-o", "X"), (one, "view", one, "-o", "X"),
        (one, "view", "other.json", "--against", one, "-o", "X"),
        (one, "order", one, "--as", "dot", "-o", "X"),
        (one, "diff", one, "other.json", "--write-input", "X"),
        (one, "diff", "other.json", one, "--as", "dot", "-o", "X"), (one, "embed", one, "-o", "X"),
        (one, "embed", one, "-o", "x.c", "--header", "X"))]
    schedules += [("race.json", "verify", "race.json", "--write-replay", "X"),
                  ("race.json", "verify", race, "--write-replay=X")]
    schedules += [("set", "run", "set", "--trace", "X"), ("set", "view", "set", "-o", "X"),
                  ("set", "embed", "set", "-o", "X"),
                  ("set/plan-set.json", "run", "set", "--trace", "X")]
    schedules += [("torus.json", "compile", "allreduce", "-n", 4, "-t", "torus.json", "-o", "X"),
                  ("torus.json", "tune", "allreduce", "-n", 4, "-t", "torus.json", "--sizes", "1:2",
                   "-o", "X"),
                  ("torus.json", "verify", "ring.json", "-t", "./torus.json", "--certificate", "X"),
                  ("torus.json", "draw", "--topology=torus.json", "--as", "dot", "-o", "X"),
                  ("replay.json", "run", "race.json", "--replay", "replay.json", "--trace", "X"),
                  ("input.json", "run", "ring.json", "--input", "input.json", "--trace", "X"),
                  ("trace.json", "draw", "ring.json", "--space-time", "--trace", "trace.json",
                   "--as", "svg", "-o", "X")]
    return schedules


def names_of(ordo, read):
    """Ways to name what is read: its path, its parts, and links to it, which are made here."""
    path = ordo.folder / read
    targets = [read, f"./{read}"]
    if path.is_dir():
        targets += [f"{read}/{one.name}" for one in path.iterdir()]
    (ordo.folder / "symbolic").symlink_to(path)
    links = ["symbolic"]
    for number, part in enumerate(sorted(path.iterdir()) if path.is_dir() else [path]):
        os.link(part, ordo.folder / f"hard{number}")
        links.append(f"hard{number}")
    if read == "ring/schedule.json":
        targets += ["ring/rank-2.json"]
    return targets + links, links


def check_table_of_writers(ordo, schedules):
    """Every option that writes is in the table of commands that write."""
    known = {(words[1], re.match("--[a-z-]+|-o", str(word)).group().replace("-o", "--output")
              if str(word) != "--output" else "--output")
             for words in schedules for word, place in zip(words, [*words[1:], None])
             if "X" in (str(place), *str(word).split("=")[1:])}
    reads = {("run", "--replay"), ("run", "--input"), ("view", "--against"), ("draw", "--trace"),
             ("view", "--trace"), ("predict", "--trace")}
    alone = {("demo", "--output"), ("calibrate", "--output"),
             ("explain", "--write-example")}  # read nothing
    for command in re.findall(r"^  ([a-z]+) +\S", ordo.works("--help").out.split("options:")[0],
                              re.M):
        text = ordo.works(command, "--help").out
        for option in re.findall(r"^  (?:-\w, )?(--[a-z-]+) (?:OUT|FILE|FOLDER)\b", text, re.M):
            wanted((command, option) in known | reads | alone, command, option, known)


@desk_case("nothing is written over what is read: the file, a link to it, or a part of its folder")
def overwriting(ordo):
    ordo.compile("ring.json")
    ordo.compile("ring")
    ordo.works("compile", "allreduce", "-n", 4, "--sizes", "1:1GiB", "-o", "set")
    ordo.works("compile", "allreduce", "-n", 4, "-a", "mesh", "-o", "other.json")
    ordo.works("draw", "--topology", "torus:2x2", "--as", "json", "-o", "torus.json")
    ordo.works("run", "ring.json", "--trace", "trace.json")
    race = ordo.folder / "race.json"
    race.write_bytes((REJECT / "R8-two-writers-unordered.json").read_bytes())
    ordo("verify", race, "--write-replay", "replay.json")
    ordo.works("verify", "ring.json", "--write-input", "input.json")
    schedules = commands_that_write(race)

    def files():
        return {path: path.read_bytes() if path.is_file() else None
                for path in sorted(ordo.folder.rglob("*"))}

    for read, *words in schedules:
        targets, links = names_of(ordo, read)
        before = files()
        for target in targets:
            now = [str(word).replace("X", target) if "X" in str(word) else word for word in words]
            ordo.fails(2, r"^error: --[a-z-]+: found .*, which is what is read", *now)
            wanted(files() == before, now)
        for name in links:
            (ordo.folder / name).unlink()
    with open(ordo.folder / "ring.json", "rb") as ring:
        done = subprocess.run([ORDO, "verify", "-", "--certificate", "ring.json"], stdin=ring,
                              cwd=ordo.folder, capture_output=True, check=False)
    wanted(done.returncode == 2 and b"which is what is read: -" in done.stderr, done)
    ordo.fails(2, "--certificate: found x.json, wanted a file of its own", "verify", "ring.json",
               "--certificate", "x.json", "--write-input", "x.json")
    wanted(not (ordo.folder / "x.json").exists())
    # What is there and is not read is written anew; what only has the name of a file is none.
    for _ in range(2):
        ordo.works("verify", "ring.json", "--certificate", "proof.json")
        ordo.works("run", "set", "--trace", "set/trace.json")
        ordo.works("compile", "allreduce", "-n", 4, "-a", "ring", "-o", "ring")
        ordo.works("compile", "allreduce", "-n", 4, "-a", "ring", "-t", "ring", "-o", "ring")
        ordo.works("verify", "ring.json", "--certificate", "/dev/null", "--write-input",
                   "/dev/null")
    check_table_of_writers(ordo, schedules)


@desk_case("nothing at all: no bytes, no elements, one rank, by every command that takes them")
def nothing(ordo):
    for operator in OPERATORS:
        for ranks in [1, 3]:
            chosen = ordo.works("compile", operator, "-n", ranks, "-o", "chosen.json", "--size", 0)
            wanted("proved" in chosen.err, chosen.err)
            ordo.compile("x.json", operator=operator, ranks=ranks, algorithm="mesh")
            for words in [["--bytes", 0], ["--count", 0], ["--count", 1]]:
                for how in [["--transport", "threads"], ["--transport", "seeded"],
                            ["--workers", 1]]:
                    check = ordo.answer("run", "x.json", *words, *how, "--check",
                                        "--links")["check"]
                    wanted(check["bits_equal"] and check["wrong"] == 0, operator, ranks, words,
                           check)
            for words in [[], ["-t", "full-mesh"], ["-t", "star", "--route-through-ranks"],
                          ["-e", 0, "-b", 0]]:
                ordo.works("predict", "x.json", "--size", 0, *words)
            for words in [["verify"], ["verify", "-t", "full-mesh"], ["order"], ["draw"],
                          ["explain"]]:
                ordo.works(words[0], "x.json", *words[1:])
            ordo.works("diff", "x.json", "chosen.json")
            ordo.works("view", "x.json", "-o", "x.html")
        ordo.works("compile", operator, "-n", 4, "-a", "mesh", "-t", "full-mesh", "-o", "x.json")
        ordo.works("compile", operator, "-n", 4, "--sizes", "0:0", "-o", "set")
        ordo.works("verify", "set")
        ordo.works("run", "set", "--bytes", 0, "--check")
        ordo.works("predict", "set", "--size", 0)
        ordo.works("tune", operator, "-n", 3, "--sizes", "0:1", "-t", "full-mesh", "-o", "tuned")
        for where in "set", "tuned":
            shutil.rmtree(ordo.folder / where)
    for algorithm in ["ring", "halving-doubling", "recursive-doubling"]:
        wanted("proved" in ordo.works("verify", "--generate", algorithm, "-n", 2).out)
    ordo.works("embed", "x.json", "-o", "x.c")


@desk_case("every command answers --json with an object that no two readers take for two")
def _(ordo):
    ordo.compile("ring.json")
    calls = {
        "compile": [["allreduce", "-n", 3, "-a", "ring", "-o", "a.json"],
                    ["allreduce", "-n", 3, "-o", "b.json"],
                    ["allreduce", "-n", 3, "--sizes", "1:1KiB", "-o", "set"],
                    ["allreduce", "-n", 5, "-a", "dyadic", "--prove-only"]],
        "tune": [["allreduce", "-n", 3, "--sizes", "1:1KiB", "-o", "tuned"]],
        "calibrate": [["-n", 2, "--milliseconds", 1, "--size", 64, "--workers", 1, "--check", "-o",
                       "machine.json"]],
        "verify": [["ring.json", "--topology", "ring", "--certificate", "proof.json"], ["set"],
                   ["--generate", "ring", "-n", 9],
                   [REJECT / "R8-read-before-data.json", "--write-replay", "race.json"],
                   ["ring.json", "--write-input", "input.json"]],
        "predict": [["ring.json"], ["ring.json", "-t", "ring"], ["ring.json", "-e", "1KiB"],
                    ["set", "-t", "full-mesh", "--size", 64]],
        "run": [["ring.json", "--check", "--links", "--topology", "ring"],
                ["set", "--check", "--bytes", 64], ["ring.json", "-e", 64, "-n", 1],
                ["ring.json", "--input", "input.json"],
                [REJECT / "R8-read-before-data.json", "--replay", "race.json"]],
        "probe": [["ring.json"]],
        "order": [["ring.json"]],
        "diff": [["a.json", "b.json"]],
        "draw": [["ring.json"], ["ring.json", "--space-time", "-t", "ring"],
                 ["--topology", "torus:2x2"]],
        "view": [["ring.json", "-o", "ring.html"]],
        "embed": [["ring.json", "-o", "ring.c"]],
        "list": [[], ["ring"], ["set"]],
        "explain": [["R8"], ["ring"], ["ring.json"], ["G3"], ["Wait"], ["torus"]],
        "doctor": [[]], "manual": [[], ["verify"]], "completions": [["bash"]],
        "demo": [["-o", "demo"]]}
    wanted(set(calls) == set(re.findall(r"^  ([a-z]+) +\S",
                                        ordo.works("--help").out.split("options:")[0], re.M)),
                                        calls.keys())
    for command, all_words in calls.items():
        for words in all_words:
            answer = ordo.answer(command, *words)
            wanted(answer["exit code"] in (0, 1) and "error" not in answer, command, words, answer)


def check_spreads(rates):
    for one in rates:
        for kind in "send", "send_reduce", "local_copy", "local_reduce":
            spread = one[kind + "_gigabytes_per_second"]
            wanted(
                0 < spread["first_quartile"] <= spread["median"] <= spread["third_quartile"]
                and spread["runs"] >= 3, one)


def check_errors(check):
    """Errors are those of what is printed beside them, and their median that of all."""
    runs = check["runs"]
    wanted({one["bytes"]
            for one in runs} == {4096, 65536, 1 << 20, 16 << 20}
           and len({one["algorithm"]
                    for one in runs}) > 5, runs)
    for one in runs:
        wanted(
            abs(one["predicted_seconds"] / one["measured_median_seconds"] - 1 - one["error"]) <
            1e-9, one)
        wanted(
            one["measured_first_quartile_seconds"] <= one["measured_median_seconds"] <=
            one["measured_third_quartile_seconds"], one)
    errors = sorted(abs(one["error"]) for one in runs)
    wanted(
        abs(check["median_error"] -
            (errors[(len(errors) - 1) // 2] + errors[len(errors) // 2]) / 2) < 1e-9)
    wanted(check["most_error"] == errors[-1])


@desk_case(
    "calibrate: what this machine's threads take, as a topology that choices and proofs accept")
def _(ordo):
    words = ["calibrate", "--ranks", 4, "--milliseconds", 1, "--size", "64KiB", "--workers", 2]
    done = ordo.works(*words, "-o", "machine.json")
    wanted(done.out.startswith("4 ranks on 2 threads of this machine, f32"), done.out)
    wanted(
        re.search(r"\n  a task +[\d.e+]+ ns  \(quartiles [\d.e+]+ and [\d.e+]+, of \d+ runs\)\n",
                  done.out), done.out)
    wanted(re.findall(r"^([> ]) +(\d+)  [\d.e+]+ \([\d.e+]+-[\d.e+]+\)", done.out, re.M) ==
           [(" ", "4096"), (">", "65536"), (" ", "1048576"), (" ", "16777216")], done.out)
    wanted("--topology ./machine.json" in done.err, done.err)
    answer = ordo.answer(*words, "--type", "i8", "--check", "-o", "machine.json")
    document = strict_json.loads((ordo.folder / "machine.json").read_text())
    rate = next(one for one in answer["rates"] if one["bytes"] == 1 << 16)
    send, both = rate["send_gigabytes_per_second"]["median"], rate[
        "send_reduce_gigabytes_per_second"]["median"]
    wanted(
        document["ranks"] == 4 and document["cores"] == answer["threads"] == 2
        and len(document["links"]) == 12, document)
    wanted(
        document["task_ns"] == answer["task_ns"]["median"] > 0
        and document["x"]["measured"]["bytes"] == 1 << 16, document)
    wanted(
        all(link["bandwidth_gbs"] == send and link["latency_ns"] == answer["latency_ns"]
            for link in document["links"]), document)
    # Between two cores, whatever threads take from each other; where there are none, it says so.
    if len(os.sched_getaffinity(0)) > 1:
        wanted(
            answer["latency_ns"] > 0 and answer["hop_ns"]["runs"] >= 3
            and "from core to core" in done.out, answer["hop_ns"], done.out)
    alone = ordo.works("calibrate", "--ranks", 2, "--milliseconds", 1, "--size", 64, "--workers", 1)
    wanted(re.search(r"latency +0 ns  \(not measured: one thread runs all ranks\)", alone.out),
           alone.out)
    # A SendReduce is a Send and what adding takes beyond that.
    beyond = 1 / both - 1 / send
    wanted(
        abs(document["reduce_gbs"] / (1 / beyond if beyond > 1e-6 else 1e6) - 1) < 1e-9, document,
        send, both)
    check_spreads(answer["rates"])
    check_errors(answer["check"])
    # The document is read again, by who chooses, predicts and proves.
    ordo.works("tune", "allreduce", "-n", 4, "--topology", "./machine.json", "--sizes", "1KiB:1MiB",
               "-o", "set")
    ordo.works("verify", "set", "--topology", "./machine.json")
    ordo.works("compile", "broadcast", "-n", 4, "--topology", "./machine.json", "--size", "64KiB",
               "-o", "x.json")
    seconds = ordo.answer("compile", "broadcast", "-n", 4, "--topology", "./machine.json", "--size",
                          "64KiB", "-o", "x.json")["candidates"][0]["seconds"]
    predicted = ordo.answer("predict", "x.json", "--topology", "./machine.json", "--size", "64KiB")
    wanted(abs(predicted["seconds"] / seconds - 1) < 1e-9, predicted, seconds)
    ordo.fails(2, "4", "tune", "allreduce", "-n", 8, "--topology", "./machine.json")


@desk_case("calibrate: what makes no sense is refused, and nothing is written")
def _(ordo):
    for code, message, words in [
        (2, "--ranks: found 1, wanted 2..256", ["--ranks", 1]),
        (2, "wanted 2..256", ["--ranks", 257]), (2, "--type: found f31", ["--type", "f31"]),
        (2, "wanted no operand, found x", ["x"]),
        (2, r"--size: found 7, wanted a multiple of 4 \(f32\)", ["--size", 7]),
        (2, "one for each rank", ["--size", 4]),
        (2, "--milliseconds: found 0", ["--milliseconds", 0]),
        (5, "this machine has", ["--size", "1TiB"]),
        (5, "none/x.json", ["--milliseconds", 1, "-n", 2, "--size", 4096, "-o", "none/x.json"])
    ]:
        done = ordo("calibrate", *words)
        wanted(done.returncode == code and re.search(message, done.err), words, done.returncode,
               done.err)
    wanted(ordo.names() == [], ordo.names())


@desk_case("run takes the schedule that the set has for the size; list tells its ranges")
def _(ordo):
    ordo.works("compile", "reduce-scatter", "-n", 8, "--topology", "hypercube", "--sizes",
               "64:1MiB", "-o", "set")
    ranges = strict_json.loads((ordo.folder / "set/plan-set.json").read_text())["ranges"]
    wanted(len(ranges) == 2, ranges)
    change = ranges[1]["from_bytes"]
    # Sizes are those of 8 blocks of f32.
    below, above = (change - 1) // 32 * 32, -(-change // 32) * 32
    for bytes_, schedule in [(64, 0), (below, 0), (above, 1), (1 << 20, 1)]:
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
        2, r"set has no schedule for 1 elements of 32 bytes, but for sizes of 64\.\.1048576 bytes",
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


# Orders

def own_first(ordo, name, ranks=4):
    """AllReduce in which every rank adds the others' parts to its own, in ascending order: no
    two ranks need agree."""
    def task(kind, peer, **rest):
        return {"task": kind, **({"peer": peer} if peer is not None else {}), **rest}
    programs = []
    for own in range(ranks):
        others = [rank for rank in range(ranks) if rank != own]
        tasks = [task("Notify", peer, signal=0) for peer in others]
        tasks += [task("LocalCopy", None, chunk=0, src=["input", 0], dst=["output", 0])]
        for peer in others:
            tasks += [
                task("Wait", peer, signal=0),
                task("Send", peer, chunk=0, src=["input", 0], dst=["scratch", own]),
                task("Notify", peer, signal=1)
            ]
        for peer in others:
            tasks += [
                task("Wait", peer, signal=1),
                task("LocalReduce", None, chunk=0, src=["scratch", peer], dst=["output", 0])
            ]
        programs.append({"rank": own, "streams": [{"name": "main", "tasks": tasks}]})
    (ordo.folder / name).write_text(
        json.dumps({
            "schema": "ordo/schedule/1", "operator": "AllReduce", "algorithm": "own first",
            "ranks": ranks, "chunks_per_block": 1, "scratch_slots": ranks, "in_place": False,
            "programs": programs
        }))


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


@desk_case(
    "order: every tree with its name, who has it, its depth, its roundings and how far it can be "
    "off"
)
def _(ordo):
    ordo.compile("ring.json")
    out = ordo.works("order", "ring.json").out
    for words in [
            "orders                  4 different over 4 chunks",
            "order 0                 ring from 1", "(0+((1+2)+3))",
            "order 3                 linear", "(((0+1)+2)+3)", "1 of 4 chunks (0) on 4 of 4 ranks",
            "depth 3, 3 roundings; f32 sum: error at most 1.79e-07 of the sum of absolute values",
            "G3 position-invariant   does not hold: chunk 0 is (0+((1+2)+3)) but chunk 1 is "
            "((0+(2+3))+1)",
            "first difference: (1+2), where the other tree adds 0 to 2 before 1",
            "others 0 (f32 sum):",
            "1 at rank 0, chunk 0, offset 0, but 0 at rank 0, chunk 1, offset 0"
    ]:
        wanted(words in out, words, out)
    wanted("and 2 more; --max-orders 4 shows all" in ordo.works("order", "ring.json",
                                                                "--max-orders", 2).out)
    wanted("error at most 3.33e-16 of the product" in ordo.works("order", "ring.json", "--type",
                                                                  "f64", "--op", "prod").out)
    out = ordo.works("order", "ring.json", "--type", "i32").out
    wanted(
        "i32 sum: nothing is rounded" in out
        and "G3 position-invariant   holds: i32 sum is associative" in out, out)
    out = ordo.works("order", "ring.json", "--max-leaves", 3).out
    wanted("(0+[1..3])" in out and "(...+1)" in out and "([0..2]+3)" in out, out)
    answer = ordo.answer("order", "ring.json", "--max-orders", 1)
    wanted([one["name"]
            for one in answer["orders"]] == ["ring from 1", "ring from 2", "ring from 3", "linear"],
           answer)
    wanted(
        all(one["depth"] == 3 and one["roundings"] == 3 and one["copies"] == 4
            for one in answer["orders"]), answer)
    wanted(answer["order_digest"] == ordo.answer("verify", "ring.json")["order_digest"], answer)
    example = answer["guarantees"]["G3"]["counterexample"]
    wanted([one["bits"] for one in example["elements"]] == ["3f800000", "00000000"], example)
    wanted(answer["guarantees"]["G4"]["verdict"] == "not asked", answer)


@desk_case(
    "order: one tree whatever the operands' order, said where they stand otherwise; none where "
    "nothing is added"
)
def _(ordo):
    ordo.compile("same.json", algorithm="recursive-doubling")
    answer = ordo.answer("order", "same.json")
    wanted(len(answer["orders"]) == 1 and answer["orders"][0]["name"] == "folded", answer)
    wanted(answer["orders"][0]["operand_orders"] == 4
           and answer["guarantees"]["G1"] == {"verdict": "holds"})
    wanted("operands in 4 different orders" in ordo.works("order", "same.json").out)
    wanted("NaN" not in ordo.works("verify", "same.json").out)
    ordo.compile("mesh.json", algorithm="mesh(shots=2)")
    # Each chunk is folded by its owner, whose part is the left operand: the ranks agree, and the
    # positions.
    mesh = ordo.answer("order", "mesh.json")["guarantees"]
    wanted(mesh["G1"] == mesh["G3"] == {"verdict": "holds"}, mesh)
    ordo.compile("gather.json", operator="allgather")
    out = ordo.works("order", "gather.json").out
    wanted(
        "none: AllGather adds nothing" in out
        and "G1 to G5                not applicable: AllGather adds nothing" in out, out)
    own_first(ordo, "own.json")
    answer = ordo.answer("order", "own.json")
    wanted([(one["tree"], one["chunks"], one["ranks"], one["copies"])
            for one in answer["orders"]] == [("(((0+1)+2)+3)", 1, 2, 2), ("(((0+2)+1)+3)", 1, 1, 1),
                                             ("(((0+3)+1)+2)", 1, 1, 1)], answer)
    wanted(answer["order_digest"] is None
           and "none: the ranks' copies differ" in ordo.works("order", "own.json").out)
    wanted("none: the ranks' copies differ" in ordo.works("verify", "own.json").out)


@desk_case("order: the trees drawn, cut where they are large")
def _(ordo):
    ordo.compile("ring.json")
    ordo.works("order", "ring.json", "-o", "ring.svg")
    text = (ordo.folder / "ring.svg").read_text()
    xml.dom.minidom.parseString(text)
    wanted(
        all(f"{name}: 1 of 4 chunks" in text
            for name in ["ring from 1", "ring from 2", "ring from 3", "linear"]), text)
    dot = ordo.works("order", "ring.json", "--as", "dot", "--max-orders", 1)
    wanted(dot.out.count('label="+"') == 3 and "drawn: 1 of 4 orders" in dot.err, dot.out, dot.err)
    ordo.compile("large.json", ranks=64)
    dot = ordo.works("order", "large.json", "--as", "dot", "--max-leaves", 8, "--max-orders", 1).out
    wanted("dashed: so many leaves" in dot and dot.count('label="+"') == 3, dot)
    ordo.compile("gather.json", operator="allgather")
    ordo.fails(2, "AllGather adds nothing", "order", "gather.json", "--as", "dot")
    ordo.fails(2, "--as: found gif", "order", "ring.json", "-o", "ring.gif")
    wanted("picture" in ordo.answer("order", "ring.json", "--as", "svg"))
    wanted("ring.gif" not in ordo.names())


@desk_case(
    "order: what is not sound has no order, and the first rule it breaks is named; what makes no "
    "sense is said"
)
def _(ordo):
    (ordo.folder / "race.json").write_bytes((REJECT / "R8-read-before-data.json").read_bytes())
    ordo.fails(1, r"^race\.json:\d+:\d+: error\[R8\]: the schedule is not sound.*race on rank 0",
               "order", "race.json")
    (ordo.folder / "token.json").write_bytes((REJECT / "R6-token-left-over.json").read_bytes())
    ordo.fails(1, r"^token\.json:\d+:\d+: error\[R6\]: the schedule is not sound", "order",
               "token.json")
    wanted(ordo.answer("order", "race.json")["error"]["rule"] == "R8")
    ordo.compile("ring.json")
    ordo.fails(2, "--type: found f31, wanted f16, bf16, f32, f64", "order", "ring.json", "--type",
               "f31")
    ordo.fails(2, "--op: found add, wanted sum", "order", "ring.json", "--op", "add")
    ordo.fails(2, "--ranks goes with --chunks or --table", "order", "ring.json", "--ranks", "4")
    ordo.fails(2, "--table takes no schedule", "order", "ring.json", "--table")
    wanted(ordo.answer("order", "ring.json", "--as", "png")["exit code"] == 2)


@desk_case(
    "the order digest is that of the trees: not of the algorithm, the chunks, the streams, or how "
    "the document is written"
)
def _(ordo):
    digests = set()
    for name, algorithm, words in [("a", "dyadic", []), ("b", "dyadic", ["--chunks", 24]),
                                   ("c", "mesh(shots=2)", ["--in-place"]),
                                   ("d", "mesh(shots=1)", []),
                                   ("e", "recursive-doubling(masks=near)", []),
                                   ("f", "nhr(data=small)", [])]:
        ordo.compile(f"{name}.json", *words, ranks=8, algorithm=algorithm)
        digests.add(ordo.answer("order", f"{name}.json")["order_digest"])
    ordo.compile("folder", ranks=8, algorithm="dyadic")
    digests.add(ordo.answer("verify", "folder")["order_digest"])
    document = strict_json.loads((ordo.folder / "a.json").read_text())
    document["programs"].reverse()
    document["algorithm"] = "something else"
    document.pop("phases")
    for program in document["programs"]:
        program["streams"].reverse()
        for stream in program["streams"]:
            stream["name"] += " renamed"
            for task in stream["tasks"]:
                task.pop("phase", None)
    (ordo.folder / "g.json").write_text(json.dumps(dict(reversed(document.items())), indent=3))
    digests.add(ordo.answer("verify", "g.json")["order_digest"])
    wanted(len(digests) == 1, digests)
    # One tree in other places is another order.
    ordo.compile("ring.json", ranks=8)
    ordo.compile("halves.json", "--chunks", 16, ranks=8, algorithm="ring(directions=2)")
    for name in ["ring.json", "halves.json"]:
        digests.add(ordo.answer("order", name)["order_digest"])
    wanted(len(digests) == 3, digests)


@desk_case("order, verify and run: chains of 100,000 additions on a stack of 256 KiB")
def _(ordo):
    shards = 100000

    def little_stack():
        resource.setrlimit(resource.RLIMIT_STACK, (1 << 18, 1 << 18))

    # One rank holds all shards; chunk 0 is added upwards, chunk 1 downwards.
    tasks = [{"task": "LocalCopy", "chunk": 0, "src": ["input", 0], "dst": ["output", 0]}, {
        "task": "LocalCopy", "chunk": 1, "src": ["input", 2 * shards - 1], "dst": ["output", 1]
    }]
    for shard in range(1, shards):
        tasks += [{
            "task": "LocalReduce", "chunk": 0, "src": ["input", 2 * shard], "dst": ["output", 0]
        }, {
            "task": "LocalReduce", "chunk": 1, "src": ["input", 2 * (shards - 1 - shard) + 1],
            "dst": ["output", 1]
        }]
    (ordo.folder / "deep.json").write_text(
        json.dumps({
            "schema": "ordo/schedule/1", "operator": "AllReduce", "algorithm": "by hand",
            "ranks": 1, "shards": shards, "chunks_per_block": 2, "scratch_slots": 0,
            "in_place": False,
            "programs": [{"rank": 0, "streams": [{"name": "main", "tasks": tasks}]}]
        }))
    out = ordo.works("order", "deep.json", "--max-leaves", 4, before=little_stack).out
    for words in [
            "order 0                 linear", "(([0..99997]+99998)+99999)",
            "order 1                 ring from 99999 downwards", "(0+(1+[2..99999]))",
            "depth 99999, 99999 roundings"
    ]:
        wanted(words in out, words, out)
    wanted(
        len(ordo.works("order", "deep.json", "--max-leaves", shards, before=little_stack).out) >
        1000000)
    ordo.works("order", "deep.json", "--max-leaves", 4, "--as", "dot", before=little_stack)
    ordo.works("verify",
               "deep.json",
               "--type",
               "f64",
               "--write-input",
               "differs.json",
               before=little_stack)
    shown = ordo.answer("run",
                        "deep.json",
                        "--input",
                        "differs.json",
                        "--workers",
                        1,
                        before=little_stack)
    wanted(shown["differ"] and shown["same_inputs"], shown)


@desk_case("verify --require: guarantees as conditions, for a type and a reduction")
def _(ordo):
    ordo.compile("ring.json")
    wanted("G1 rank-equal           holds" in ordo.works("verify", "ring.json", "--require",
                                                         "G1,g2").out)
    done = ordo.fails(
        1,
        r"^ring\.json: error: G3 position-invariant does not hold for f32 sum: chunk 0 is "
        r".*\nhint: --write-input",
        "verify", "ring.json", "--require", "G1,G3")
    wanted("proved" in done.out, done.out)
    ordo.works("verify", "ring.json", "--require", "G1,G3", "--type", "i64")
    ordo.works("verify", "ring.json", "--require", "G3", "--op", "max")
    ordo.fails(1, "does not hold for f64 prod", "verify", "ring.json", "--require",
               "position-invariant", "--type", "f64", "--op", "prod")
    answer = ordo.answer("verify", "ring.json", "--require", "G3")
    wanted(answer["exit code"] == 1 and answer["proved"] and "G3" in answer["error"]["text"],
           answer)
    ordo.compile("gather.json", operator="allgather")
    ordo.works("verify", "gather.json", "--require", "G1,G2,G3")
    ordo.fails(2, "--require: found G9, wanted", "verify", "ring.json", "--require", "G1,G9")
    ordo.fails(2, "G5 is about two schedules", "verify", "ring.json", "--require", "G5")
    own_first(ordo, "own.json")
    ordo.fails(
        1,
        r"G1 rank-equal does not hold for f32 sum: chunk 0 is \(\(\(0\+1\)\+2\)\+3\) on rank 0 but",
        "verify", "own.json", "--require", "G3,G1")
    ordo.works("verify", "own.json", "--require", "G3")
    ordo.works("verify", "own.json", "--require", "G1", "--type", "u8")
    # Two unordered reduces: which comes first is a matter of time, and of no input.
    (ordo.folder / "race.json").write_bytes((REJECT / "R8-two-writers-unordered.json").read_bytes())
    wanted(ordo("verify", "race.json", "--atomic-reduce", "--require", "G2").returncode == 1)


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
        ordo.fails(2, "the input has the type, reduction and count", "run", "ring.json", "--input",
                   "differs.json", *words)
    for words in [["--check"], ["--links"], ["--repeat", 2]]:
        ordo.fails(2, "do not go with it", "run", "ring.json", "--input", "differs.json", *words)
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


# By hand, to be compared with what `ordo order --table` counts. Different trees over the elements
# of a ReduceScatter, on 4, 5, 6, 7, 8, 12 and 16 ranks; None: the algorithm does not apply.
ORDERS = {
    "ring": [4, 5, 6, 7, 8, 12, 16],
    "nhr": [2, 5, 6, 7, 4, 12, 8],
    "nb": [2, 5, 6, 7, 4, 12, 8],
    "circulant": [1, 5, 3, 7, 1, 3, 1],
    "halving-doubling": [1, None, None, None, 1, None, 1],
    "halving-doubling(masks=near)": [1, None, None, None, 1, None, 1],
    "rhd": [1, 1, 1, 1, 1, 1, 1],
    "birs": [1, None, 1, None, 1, 1, 1],
    "mesh(fold=own)": [3, 4, 5, 6, 7, 11, 15],
    "mesh": [1, 1, 1, 1, 1, 1, 1],
    "mesh(fold=folded)": [1, 1, 1, 1, 1, 1, 1],
    "mesh(fold=linear)": [1, 1, 1, 1, 1, 1, 1],
    "dyadic": [1, 1, 1, 1, 1, 1, 1],
}
COLUMNS = [4, 5, 6, 7, 8, 12, 16]


@desk_case(
    "order --table: how many trees each algorithm makes, and what a single one is called, as the "
    "field knows them"
)
def _(ordo):
    answer = ordo.answer("order", "--table", "--ranks", "4-8,12,16")
    wanted(
        len(answer["tables"]) == 1 and answer["tables"][0]["operator"] == "ReduceScatter", answer)
    rows = {row["algorithm"]: row["cells"] for row in answer["tables"][0]["rows"]}
    for algorithm, trees in ORDERS.items():
        wanted([cell["ranks"] for cell in rows[algorithm]] == COLUMNS, rows[algorithm])
        found = [cell.get("trees") for cell in rows[algorithm]]
        wanted(
            found == trees
            and [cell["applies"] for cell in rows[algorithm]] == [one is not None for one in trees],
            algorithm, found)
    for algorithm, name in [("mesh", "dyadic"), ("dyadic", "dyadic"), ("birs", "dyadic"),
                            ("mesh(fold=folded)", "folded"), ("mesh(fold=linear)", "linear"),
                            ("halving-doubling", "folded"),
                            ("halving-doubling(masks=near)", "dyadic")]:
        wanted({cell["order"]
                for cell in rows[algorithm]
                if cell["applies"]} == {name}, algorithm, rows[algorithm])
    wanted({cell["order"] for cell in rows["ring"]} == {None}, rows["ring"])
    shown = ordo.works("order", "--table", "--ranks", "4-8,12,16").out
    for algorithm, trees in ORDERS.items():
        row = re.search(rf"^\| {re.escape(algorithm)} \|(.*) \|$", shown, re.M)
        wanted(
            row and
            [None if cell.strip() == "-" else int(cell.split()[0])
             for cell in row[1].split("|")] == trees, algorithm, shown)
    wanted("| birs | 1 dyadic | - | 1 dyadic |" in shown, shown)


@desk_case("order --table: who is bit-interchangeable with whom, at every number of ranks")
def _(ordo):
    def groups(operator, ranks):
        answer = ordo.answer("order", "--table", "--operator", operator, "--ranks", ranks)
        return {
            one["ranks"]: [set(group) for group in one["groups"]]
            for one in answer["tables"][0]["interchangeable"]
        }
    for ranks, found in groups("reduce-scatter", "4,8,16").items():
        near = next(group for group in found if "dyadic" in group)
        far = next(group for group in found if "rhd" in group)
        wanted({"birs", "dyadic", "mesh", "halving-doubling(masks=near)"} <= near, ranks, found)
        wanted({"rhd", "mesh(fold=folded)", "halving-doubling"} <= far and not near & far, ranks,
               found)
    for ranks, found in groups("AllReduce", "4,8,16").items():
        near = next(group for group in found if "dyadic" in group)
        wanted({"birs", "nhr(data=small)", "mesh", "mesh(shots=1)"} <= near and "rhd" not in near,
               ranks, found)
    odd = groups("reduce-scatter", "5,7")
    wanted({"mesh", "dyadic"} <= odd[5][0]
           and not any("rhd" in group or "ring" in group for group in odd[5]), odd)
    shown = ordo.works("order", "--table", "--operator", "reduce", "--ranks", "4").out
    wanted(
        "## Reduce\n" in shown
        and re.search(r"^\| 4 \| mesh = .*; mesh\(fold=folded\) = ", shown, re.M), shown)


@desk_case("order --table: what it cannot make a table of")
def _(ordo):
    ordo.fails(
        2, r"--operator: AllGather adds nothing.*\nhint: wanted ReduceScatter, AllReduce or Reduce",
        "order", "--table", "--operator", "reduce-scatter,allgather")
    ordo.fails(2, "--operator: unknown operator sctter", "order", "--table", "--operator", "sctter")
    ordo.fails(2, "--ranks: found 0, wanted at least 1", "order", "--table", "--ranks", "0-4")
    ordo.fails(2, "--ranks: found 9-4, wanted numbers", "order", "--table", "--ranks", "9-4")


def page_data(text):
    """What a page shows, which is JSON in it."""
    return strict_json.loads(re.search(r'<script type="application/json" id="data">(.*?)</script>',
                                       text, re.DOTALL).group(1))


@desk_case(
    "view: one page, the same bytes each time, with the schedule, the verdict and the command in it"
)
def _(ordo):
    ordo.compile("ring.json", "--fail-link", "0-1", ranks=8)
    words = ["view", "ring.json", "--fail-link", "0-1", "--type", "bf16", "--bytes", "16MiB"]
    page = ordo.works(*words).out
    wanted(ordo.works(*words).out == page)
    wanted(
        page.startswith("<!DOCTYPE html>") and page.count("</script>") == 2
        and "<title>AllReduce on 8 ranks by ring</title>" in page)
    data = page_data(page)
    document = strict_json.loads((ordo.folder / "ring.json").read_text())
    tasks = [
        task for program in document["programs"] for stream in program["streams"]
        for task in stream["tasks"]
    ]
    wanted([task["task"] for task in tasks] ==
           [["LocalCopy", "LocalReduce", "Send", "SendReduce", "Notify", "Wait"][kind]
            for kind in data["tasks"]["kind"]])
    wanted(sorted(data["order"]) == list(range(len(tasks))) and len(set(data["path"])) > 10)
    wanted(data["verdict"]["proved"] and data["verdict"]["judged"]["type"] == "bf16"
           and data["time"]["bytes"] == 16 << 20)
    predicted = ordo.answer("view", "ring.json", "--fail-link", "0-1", "--type", "bf16", "--bytes",
                            "16MiB", "-o", "ring.html")
    wanted(
        abs(predicted["seconds"] - data["time"]["total"]) <= 1e-15
        and predicted["output"] == "ring.html" and predicted["proved"], predicted)
    wanted(
        predicted["page_bytes"] == os.path.getsize(ordo.folder / "ring.html")
        and predicted["tasks_shown"] == 366, predicted)
    wanted(page_data(ordo.answer("view", "ring.json")["page"])["shown"]["all"])
    wanted(data["command"] == "ordo view ring.json --fail-link 0-1 --type bf16 --bytes 16MiB",
           data["command"])
    wanted(
        page_data(ordo.works("view", "--", "ring.json").out)["command"] == "ordo view -- ring.json")


@desk_case("view: the steps are in time, each stream's in its order, no Wait before its Notify")
def _(ordo):
    ordo.compile("birs.json", operator="reducescatter", ranks=8, algorithm="birs")
    data = page_data(ordo.works("view", "birs.json").out)
    tasks, order = data["tasks"], data["order"]
    at = {task: i for i, task in enumerate(order)}
    wanted([tasks["end"][task] for task in order] == sorted(tasks["end"]))
    for rank, number, first, end, shown in data["streams"]:
        wanted([at[task] for task in range(first, end)] == sorted(at[task]
                                                                  for task in range(first, end)),
               rank, number)
    waits = [task for task, kind in enumerate(tasks["kind"]) if kind == 5]
    wanted(
        waits
        and all(tasks["kind"][tasks["notify"][wait]] == 4 and at[tasks["notify"][wait]] < at[wait]
                for wait in waits))


@desk_case("view: what is refuted, stuck or large is shown as far as it goes, and that is said")
def _(ordo):
    stuck = ordo.works("view", REJECT / "R7-both-wait-first.json", "-o", "stuck.html")
    wanted(
        "refuted: the page shows why; R7 is the first" in stuck.err
        and "stuck: " in stuck.err, stuck.err)
    data = page_data((ordo.folder / "stuck.html").read_text())
    wanted(
        len(data["order"]) < len(data["tasks"]["kind"]) and len(data["verdict"]["stopped"]) == 2
        and not data["time"]["predicted"], data["verdict"]["stopped"])
    ordo.works("compile", "allreduce", "--ranks", 128, "--algorithm", "halving-doubling", "-o",
               "large.json")
    done = ordo.works("view", "large.json", "-o", "large.html")
    wanted(
        re.search(
            r"shown: \d+ of \d+ tasks, those of 64 of 128 ranks and data that they receive; "
            r"choose others with --ranks 64-127\n",
            done.err), done.err)
    # What is proposed is there.
    ordo.compile("ring.json")
    wanted("choose others with --ranks 2-3\n" in ordo.works("view", "ring.json", "--ranks", "0-1",
                                                            "-o", "few.html").err)
    wanted("choose others with --ranks 0-1\n" in ordo.works("view", "ring.json", "--ranks", "2-3",
                                                            "-o", "few.html").err)
    ordo.works("compile", "allreduce", "-n", 1, "-o", "one.json")
    wanted(": 1 task in 1 stream, 1 move and 0 notify-wait pairs\n" in ordo.works(
        "verify", "one.json").out)
    data = page_data((ordo.folder / "large.html").read_text())
    wanted(
        data["shown"]["ranks"] == list(range(64)) and data["shown"]["incoming"] > 0
        and not data["shown"]["all"], data["shown"])
    some = page_data(
        ordo.works("view", "large.json", "--ranks", "5,100-101", "--max-tasks", 50).out)
    wanted(
        some["shown"]["ranks"] == [5, 100, 101] and some["shown"]["tasks"] == 50
        and not some["shown"]["all_tasks"], some["shown"])
    wanted(
        len(some["incoming"]) == 3 *
        sum(some["tasks"]["count"][task]
            for rank, number, first, end, shown in some["streams"] if not shown
            for task in range(first, end)))


@desk_case("view: of a plan set the schedule for a size")
def _(ordo):
    ordo.works("compile", "allreduce", "--ranks", 4, "--topology", "hypercube", "--sizes", "1:1GiB",
               "-o", "set")
    few, many = [
        page_data(ordo.works("view", "set", "--bytes", size).out) for size in ("64", "512MiB")
    ]
    wanted(few["schedule"]["algorithm"] != many["schedule"]["algorithm"], few["schedule"],
           many["schedule"])


@desk_case("view: what makes no sense is refused, and what was there before stays")
def _(ordo):
    ordo.compile("ring.json")
    (ordo.folder / "page.html").write_text("before")
    ordo.fails(3, r"found", "view", REJECT / "R1-truncated-in-a-task.json", "-o", "page.html")
    ordo.fails(2, r"--ranks", "view", "ring.json", "--ranks", "7", "-o", "page.html")
    ordo.fails(2, r"at most 64", "view", ordo.compile("wide.json", ranks=66, algorithm="mesh"),
               "--ranks", "0-65", "-o", "page.html")
    ordo.fails(2, r"--type: found f33", "view", "ring.json", "--type", "f33", "-o", "page.html")
    ordo.fails(2, r"--op: found plus", "view", "ring.json", "--op", "plus", "-o", "page.html")
    gather = ordo.compile("gather.json", operator="allgather")
    ordo.fails(2, r"adds nothing", "view", gather, "--against", "ring.json", "-o", "page.html")
    ordo.fails(2, r"", "view", "ring.json", "--against", "gather.json", "-o", "page.html")
    ordo.fails(5, r"nowhere.json", "view", "ring.json", "--against", "nowhere.json", "-o",
               "page.html")
    ordo.fails(2, r"nothing else", "view", "ring.json", "ring.json", "-o", "page.html")
    ordo.fails(2, r"wanted", "view")
    ordo.fails(5, r"", "view", "ring.json", "-o", "nowhere/page.html")
    wanted((ordo.folder / "page.html").read_text() == "before"
           and ordo.names() == ["gather.json", "page.html", "ring.json", "wide.json"], ordo.names())


@desk_case("draw: boxes stand in one order, whatever else was in memory")
def _(ordo):
    for servers in (2, 5, 16):
        name = f"servers:{servers}x4"
        ordo.works("compile", "allreduce", "--ranks", servers * 4, "--algorithm", "hierarchical",
                   "--topology", name, "-o", "x.json")
        for words in (["x.json", "--load", "--topology", name], ["--topology", name]):
            for filled in ("85", "170", "1", "254"):
                dot = ordo("draw", *words, environment={"MALLOC_PERTURB_": filled}).out
                boxes = re.findall(r"subgraph cluster_(\w+)", dot)
                if "--load" in words and 4 * servers > 16:
                    panels = ["ranks", "to_switches", "from_switches", "between_switches"]
                    wanted(boxes == panels, words, dot)
                else:
                    wanted(boxes == [f"server{i}" for i in range(servers)], words, dot)


@desk_case("draw: DOT, SVG and text, by --as or by the name of the file")
def _(ordo):
    ordo.compile("ring.json", ranks=3)
    dot = ordo.works("draw", "ring.json").out
    wanted(dot.startswith("digraph schedule {"), dot[:100])
    wanted(re.findall(r"subgraph cluster_rank(\d+)", dot) == ["0", "1", "2"], dot)
    # A ring joins three ranks: an edge for every pair of Notify and Wait.
    pairs = ordo.answer("verify", "ring.json")["notifies"]
    drawn = len(re.findall(r"task\d+ -> task\d+", dot))
    wanted(drawn == pairs, drawn, pairs)
    ordo.works("draw", "ring.json", "-o", "ring.dot")
    wanted((ordo.folder / "ring.dot").read_text() == dot)
    ordo.works("draw", "ring.json", "-o", "ring.svg")
    wanted("<svg" in (ordo.folder / "ring.svg").read_text()
           and "</svg>" in (ordo.folder / "ring.svg").read_text())
    done = ordo.works("draw", "ring.json", "--as", "svg")
    wanted("<svg" in done.out and done.err == "", "dot has nothing to complain of", done.err)
    text = ordo.works("draw", "ring.json", "--as", "text").out
    wanted("SendReduce" in text and "Notify" in text, text)
    wanted("picture" in ordo.answer("draw", "ring.json", "--as", "svg"))
    ordo.works("draw", "--topology", "torus:2x3", "-o", "torus.json")
    ordo.works("compile", "allreduce", "--ranks", 6, "--algorithm", "ring", "--topology",
               "torus.json")
    ordo.fails(2, r"a schedule is a document already", "draw", "ring.json", "--as", "json")


@desk_case("draw: a topology, with the link that is down dashed")
def _(ordo):
    whole = ordo.works("draw", "--topology", "full-mesh", "--ranks", 4).out
    broken = ordo.works("draw", "--topology", "full-mesh", "--ranks", 4, "--fail-link", "0-1").out
    wanted("dashed" not in whole and "dashed" in broken)
    rendered = ordo.works("draw", "--topology", "full-mesh", "--ranks", 4, "--fail-link", "0-1",
                          "--as", "svg")
    wanted(rendered.err == "", rendered.err)


@desk_case("draw: without the program dot, DOT and text still work, and what is missing is named")
def _(ordo):
    ordo.compile("ring.json")
    nowhere = {"PATH": str(ordo.folder)}
    ordo.works("draw", "ring.json", "-o", "ring.dot", environment=nowhere)
    ordo.works("draw", "ring.json", "--as", "text", environment=nowhere)
    ordo.fails(5, r"dot", "draw", "ring.json", "-o", "ring.svg", environment=nowhere)
    wanted(ordo.names() == ["ring.dot", "ring.json"], ordo.names())


@desk_case("draw: above 500 tasks it says what it leaves out and how to choose")
def _(ordo):
    ordo.compile("large.json", ranks=16)
    done = ordo.works("draw", "large.json")
    found = re.search(
        r"drawn: (\d+) of (\d+) tasks \((\d+) of 16 ranks, (\d+) of (\d+) phases\); choose others "
        r"with --ranks .* "
        r"--phases .* --max-tasks 500", done.err)
    wanted(found and 0 < int(found[1]) <= 500 < int(found[2]), done.err)
    wanted(len(re.findall(r"^\s*task\d+\s*\[", done.out, re.M)) == int(found[1]), done.err)
    wanted(f"({found[1]} of {found[2]} tasks)" in done.out, "the picture says so, too")
    chosen = ordo.works("draw", "large.json", "--ranks", "3,5-6", "--phases", "0-1")
    wanted(re.search(r"\(3 of 16 ranks, 2 of \d+ phases\)", chosen.err), chosen.err)
    wanted(set(re.findall(r"cluster_rank(\d+)", chosen.out)) == {"3", "5", "6"}, chosen.err)
    all_of_it = ordo.works("draw", "large.json", "--max-tasks", 100000)
    wanted(
        all_of_it.err == ""
        and len(re.findall(r"^\s*task\d+\s*\[", all_of_it.out, re.M)) == int(found[2]),
        all_of_it.err)


@desk_case("list and explain know every algorithm, operator, topology, task and rule")
def _(ordo):
    answer = ordo.answer("list")
    names = [one["name"] for one in answer["algorithms"]]
    wanted({"ring", "mesh"} <= set(names), names)
    wanted([one["name"] for one in answer["operators"]] == OPERATORS, answer["operators"])
    wanted({"full-mesh", "ring", "star"} <= {one["name"] for one in answer["topologies"]})
    text = ordo.works("list").out
    for name in names + OPERATORS:
        wanted(name in text, name)
        wanted(name.lower() in ordo.works("explain", name).out.lower(), name)
    for name in names:
        wanted(
            "parameters" in ordo.works("list", name).out
            or "source" in ordo.works("list", name).out, name)
    told = ordo.works("list", "birs").out
    wanted("birs(servers=#,fold=owner), with # the number of servers" in told
           and "  birs\n" in told, told)
    wanted("mesh(shots=1,fold=linear)" in ordo.answer("explain", "mesh")["variants"]
           and not ordo.answer("list", "dyadic")["variants"])
    for kind in ["LocalCopy", "LocalReduce", "Send", "SendReduce", "Notify", "Wait"]:
        wanted(ordo.works("explain", kind).out.startswith(kind), kind)
    for name, title, command in [("G1", "rank-equal", "verify"), ("G2", "run-to-run", "verify"),
                                 ("g3", "position-invariant", "compile"),
                                 ("G4", "placement-invariant", "diff"),
                                 ("rank-count-invariant", "rank-count-invariant", "--shards")]:
        told = ordo.works("explain", name).out
        wanted(re.match(f"G[1-5], {title}: ", told) and command in told, name, told)
    wanted(
        len(ordo.answer("explain")["guarantees"]) == 5
        and "G3   position-invariant" in ordo.works("explain").out)
    for rule in range(1, 14):
        wanted(ordo.works("explain", f"R{rule}").out.startswith(f"R{rule}, "), rule)


@desk_case("explain tells a schedule in words, with its reduction trees")
def _(ordo):
    ordo.compile("ring.json")
    out = ordo.works("explain", "ring.json").out
    wanted("AllReduce" in out and re.search(r"\(.*0.*\+.*\)", out), out)


@desk_case("demo: compiled, proved, drawn and run, over three rings round the dead link")
def _(ordo):
    out = ordo.works("demo").out
    for word in ["0-1", "proved", "bit-equal"]:
        wanted(word in out, word, out)


# Documents in every form, through files, folders and pipes

@desk_case("compile | verify, and | run, and | draw, through stdin")
def _(ordo):
    document = ordo.works("compile", "allreduce", "-n", 4, "-a", "ring").out.encode()
    wanted(": proved" in ordo.works("verify", "-", stdin=document).out)
    wanted("bit-equal" in ordo.works("run", "-", "--check", "--count", 9, stdin=document).out)
    wanted("digraph" in ordo.works("draw", "-", stdin=document).out)


@desk_case("the folder form: a file for every rank, the same to every command, replaced as a whole")
def _(ordo):
    ordo.compile("many")
    ordo.compile("one.json")
    wanted(sorted(path.name for path in (ordo.folder / "many").iterdir()) ==
           [f"rank-{rank}.json" for rank in range(4)] + ["schedule.json"])
    many, one = ordo.answer("verify", "many"), ordo.answer("verify", "one.json")
    wanted(many["order_digest"] == one["order_digest"] and many["tasks"] == one["tasks"])
    ordo.works("run", "many", "--check", "--count", 5)
    wanted(
        ordo.works("draw", "many", "--as", "text").out == ordo.works("draw", "one.json", "--as",
                                                                     "text").out)
    ordo.compile("many", ranks=2)
    wanted(
        ordo.answer("verify", "many")["ranks"] == 2 and len(list(
            (ordo.folder / "many").iterdir())) == 3)


@desk_case("a folder that holds anything else is not replaced")
def _(ordo):
    (ordo.folder / "mine").mkdir()
    (ordo.folder / "mine" / "letter.txt").write_text("dear")
    ordo.fails(2, "mine", "compile", "allreduce", "-n", 2, "-a", "ring", "-o", "mine")
    wanted((ordo.folder / "mine" / "letter.txt").read_text() == "dear" and ordo.names() == ["mine"],
           ordo.names())


def leave(ordo, *words, **options):
    """What the command does when nobody reads its stdout any more: (exit code, stderr)."""
    read, write = os.pipe()
    os.close(read)
    done = subprocess.run([ORDO, *map(str, words)], cwd=ordo.folder, stdin=subprocess.DEVNULL,
                          stdout=write, stderr=subprocess.PIPE, timeout=300, **options)
    os.close(write)
    return done.returncode, done.stderr.decode()


@desk_case("a reader that goes away, | head: every command ends by SIGPIPE and says no error")
def _(ordo):
    ordo.compile("ring.json")
    ordo.works("compile", "allreduce", "-n", 64, "-a", "ring", "-o", "large.json")
    ordo.works("compile", "allreduce", "-n", 4, "--sizes", "1:1MiB", "-o", "set")
    circle = REJECT / "R7-circle-of-three.json"
    calls = [["compile", "allreduce", "-n", 64, "-a", "ring"],
             ["compile", "allreduce", "-n", 4, "-a", "ring", "--prove-only"],
             ["tune", "allreduce", "-n", 4, "--sizes", "1KiB:2KiB"],
             ["calibrate", "-n", 2, "--milliseconds", 1], ["verify", "ring.json"],
             ["verify", circle], ["predict", "ring.json"],
             ["predict", "large.json", "-e", "1GiB", "-f", 2], ["run", "ring.json"],
             ["run", "ring.json", "-e", "1KiB"], ["run", "set", "-e", "1KiB", "--csv"],
             ["probe", "ring.json"], ["order", "ring.json"], ["diff", "ring.json", "ring.json"],
             ["draw", "ring.json"], ["draw", "large.json", "--as", "text"],
             ["draw", "large.json", "--as", "svg", "--space-time"], ["view", "ring.json"],
             ["embed", "large.json"], ["list"], ["explain", "all"], ["explain", "ring"],
             ["explain", "large.json"], ["doctor"], ["manual"], ["manual", "compile"],
             ["completions", "bash"], ["demo"], ["--help"], ["verify", "--help"], ["--version"],
             ["help", "run"], ["list", "--json"], ["verify", "ring.json", "--json"],
             ["verify", "nothing", "--json"]]
    wanted({words[0] for words in calls} >= set(COMMANDS),
           set(COMMANDS) - {words[0] for words in calls})
    before = set(ordo.names()) | {"ordo-demo"}
    for words in calls:
        code, err = leave(ordo, *words)
        wanted(code == -signal.SIGPIPE, words, code, err)
        wanted(not re.search("cannot write|Broken pipe|EPIPE", err), words, err)
        wanted("error: " not in err, words, err)
    wanted(set(ordo.names()) <= before, ordo.names())
    # Of a shell that has SIGPIPE ignored, no signal comes, but no word either.
    code, err = leave(ordo, "list", restore_signals=False,
                      preexec_fn=lambda: signal.signal(signal.SIGPIPE, signal.SIG_IGN))
    wanted((code, err) == (5, ""), code, err)
    # A full disk is another matter.
    with open("/dev/full", "w") as full:
        done = ordo("list", stdout=full)
    wanted(done.returncode == 5 and "cannot write to stdout: No space left" in done.err, done)


@desk_case("a table whose reader goes away is not measured to its end")
def _(ordo):
    ordo.compile("ring.json")
    ordo.compile("large.json", ranks=64)
    for words in [["run", "ring.json", "-b", 8, "-e", "64KiB", "-i", 8, "-n", 100],
                  ["predict", "large.json", "-b", 1, "-e", 9999, "-i", 1]]:
        running = subprocess.Popen([ORDO, *map(str, words)], cwd=ordo.folder,
                                   stdout=subprocess.PIPE,
                                   stderr=subprocess.PIPE)
        running.stdout.read(1)
        running.stdout.close()
        try:
            # Measured to the end, each takes more than a minute on an idle machine.
            wanted(running.wait(45) == -signal.SIGPIPE and running.stderr.read() == b"", words)
        finally:
            running.kill()
            running.stderr.close()


# Bad input

@desk_case("a truncated document: exit code 3, where it ends, and the hint that it was cut off")
def _(ordo):
    text = ordo.compile("ring.json").read_bytes()
    for size in [len(text) // 2, len(text) - 3, 1]:
        (ordo.folder / "cut.json").write_bytes(text[:size])
        for command in ["verify", "run", "probe", "draw", "explain"]:
            ordo.fails(
                3, r"cut.json:\d+:\d+: error\[R1\]: (.*\n)*hint: the file may have been cut off",
                command, "cut.json")
    (ordo.folder / "cut.json").write_bytes(b"")
    ordo.fails(3, r"cut.json:1:1: error\[R1\]: ", "verify", "cut.json")


@desk_case(
    "wrong types, unknown and repeated keys, numbers past 2^31: the place, what was found and what "
    "was wanted"
)
def _(ordo):
    text = ordo.compile("ring.json").read_text()
    for found, replacement, message in [
            ('"ranks": 4', '"ranks": "4"', r'ranks: found .*"4".*, wanted'),
            ('"ranks": 4', '"rnaks": 4', r'hint: did you mean "?ranks"?'),
            ('"ranks": 4', '"ranks": 4, "ranks": 4', r"duplicate key \"ranks\""),
            ('"ranks": 4', '"ranks": 2147483648', r"2147483648"),
            ('"ranks": 4', '"ranks": 5', r"error\[R2\]"),
            ('"peer": 1', '"peer": 9', r"error\[R2\].*9")]:
        wanted(found in text, found)
        (ordo.folder / "bad.json").write_text(text.replace(found, replacement, 1))
        done = ordo("verify", "bad.json")
        wanted(done.returncode in (1, 3), replacement, done.returncode)
        wanted(
            re.search(r"bad.json:\d+:\d+: error\[R[12]\]: ", done.err)
            and re.search(message, done.err), message, done.err)


@desk_case("a folder without one of its files: exit code 3, and the name of the file")
def _(ordo):
    ordo.compile("many")
    (ordo.folder / "many" / "rank-1.json").unlink()
    ordo.fails(3, r'many/schedule.json:\d+:\d+: error\[R2\]: .*"rank-1.json": No such file',
               "verify", "many")
    (ordo.folder / "many" / "schedule.json").unlink()
    ordo.fails(5, r"many/schedule.json: error: cannot read: No such file", "verify", "many")


@desk_case("an unreadable path: exit code 5, and why")
def _(ordo):
    ordo.fails(5, "^nothing.json: error: cannot read: No such file or directory", "verify",
               "nothing.json")
    ordo.fails(5, "^nothing.json: error: cannot read: No such file or directory",
               "compile", "allreduce", "-n", 4, "-a", "ring", "--topology", "nothing.json")
    ordo.compile("ring.json")
    (ordo.folder / "ring.json").chmod(0)
    if os.geteuid():
        ordo.fails(5, "^ring.json: error: cannot read: Permission denied", "verify", "ring.json")
    ordo.fails(5, "ring.json/x: error: cannot read: Not a directory", "verify", "ring.json/x")


@desk_case("numbers nobody can follow: exit code 4")
def _(ordo):
    (ordo.folder / "absurd.json").write_text(
        '{"schema": "ordo/schedule/1", "operator": "AllReduce", "algorithm": "x", "ranks": 1, '
        '"chunks_per_block": 2147483647,'
        ' "scratch_slots": 0, "in_place": false, "programs": [{"rank": 0, "streams": []}]}')
    ordo.fails(4, "at most .* can be followed", "verify", "absurd.json")
    tasks = ('{"task": "LocalCopy", "chunk": 0, "count": 2147483647, "src": ["input", 0], '
             '"dst": ["output", 0]}')
    programs = ", ".join('{"rank": %d, "streams": [{"name": "a", "tasks": [%s]}]}' % (rank, tasks)
                         for rank in range(2))
    (ordo.folder / "absurd.json").write_text(
        '{"schema": "ordo/schedule/1", "operator": "AllReduce", "algorithm": "x", "ranks": 2, '
        '"chunks_per_block": 2147483647,'
        f' "scratch_slots": 0, "in_place": false, "programs": [{programs}]}}')
    ordo.fails(4, "--symmetry is only", "verify", "absurd.json", "--symmetry", "only")


# Nothing half written

def limit_files():
    resource.setrlimit(resource.RLIMIT_FSIZE, (1000, 1000))


@desk_case("a full disk: exit code 5, the old file stays, and nothing temporary is left")
def _(ordo):
    old = ordo.compile("ring.json").read_bytes()
    ordo.compile("many")
    ordo.works("draw", "ring.json", "-o", "ring.svg")
    picture = (ordo.folder / "ring.svg").read_bytes()
    before = {path: path.read_bytes() for path in ordo.folder.rglob("*") if path.is_file()}
    for words in [["compile", "allreduce", "-n", 8, "-a", "ring", "-o", "ring.json"],
                  ["compile", "allreduce", "-n", 8, "-a", "ring", "-o", "many"],
                  ["compile", "allreduce", "-n", 8, "-a", "ring", "-o", "new.json"],
                  ["draw", "ring.json", "-o", "ring.svg"]]:
        ordo.fails(5, "File too large", *words, before=limit_files)
        wanted(ordo.names() == ["many", "ring.json", "ring.svg"], words, ordo.names())
    after = {path: path.read_bytes() for path in ordo.folder.rglob("*") if path.is_file()}
    wanted(before == after and old in after.values() and picture in after.values())


@desk_case("a device that is full: exit code 5, as file and as stdout")
def _(ordo):
    ordo.compile("ring.json")
    ordo.fails(5, "/dev/full: error: cannot write: No space left", "compile", "allreduce", "-n", 4,
               "-a", "ring", "-o", "/dev/full")
    ordo.fails(5, "/dev/full: error: cannot write: No space left", "draw", "ring.json", "-o",
               "/dev/full")
    with open("/dev/full", "wb") as full:
        for words in [["compile", "allreduce", "-n", 4, "-a", "ring"], ["verify", "ring.json"],
                      ["list"], ["verify", "ring.json", "--json"], ["draw", "ring.json"],
                      ["explain", "R8"], ["--help"], ["verify", "nothing.json", "--json"]]:
            done = ordo.fails(5, "error: cannot write.*: No space left", *words, stdout=full)
            wanted(len(re.findall("cannot write", done.err)) == 1, words, done.err)


@desk_case("a failure leaves no file")
def _(ordo):
    for words in [["allreduce", "-n", 8, "-a", "mesh", "--fail-link", "0-1"],
                  ["alltoall", "-n", 4, "-a", "ring"],
                  ["allreduce", "-n", 4, "-a", "ring", "--in-plaec"]]:
        done = ordo("compile", *words, "-o", "x.json")
        wanted(done.returncode == 2 and done.out == "" and ordo.names() == [], words, done.err,
               ordo.names())
    ordo.fails(5, "none/x.json: error: cannot write", "compile", "allreduce", "-n", 4, "-a", "ring",
               "-o", "none/x.json")
    wanted(ordo.names() == [], ordo.names())


# Usage

@desk_case("--help on the command and on each of its commands, with usage, options and examples")
def _(ordo):
    text = ordo.works("--help").out
    wanted({"compile", "verify", "run"} <= set(COMMANDS) and "exit codes:" in text, text)
    for command in COMMANDS:
        done = ordo.works(command, "--help")
        wanted(
            done.err == "" and done.out.startswith(f"usage: ordo {command}")
            and "\noptions:\n" in done.out, done.out)
        wanted(done.out == ordo.works(command, "-h").out == ordo.works("help", command).out,
               command)
        # People read it on a terminal.
        wanted(all(len(line) <= 120 for line in done.out.splitlines()), command, done.out)
    wanted(re.match(r"ordo \d+\.\d+\.\d+\n$", ordo.works("--version").out))


@desk_case("every example in --help works")
def _(ordo):
    for name, words in {"ring.json": [], "x.json": [], "around.json": []}.items():
        ordo.compile(name, *words, ranks=8)
    for algorithm in ["dyadic", "mesh", "birs"]:
        ordo.compile(f"{algorithm}.json", ranks=8, algorithm=algorithm)
    topology = {
        "schema": "ordo/topology/1", "name": "cluster", "ranks": 8,
        "links": [{"from": a, "to": b, "latency_ns": 1, "bandwidth_gbs": 1} for a in range(8)
                  for b in range(8) if a != b]
    }
    (ordo.folder / "cluster.json").write_text(json.dumps(topology))
    ordo.compile("large.json", operator="broadcast", ranks=520, algorithm="tree")
    ordo.works("compile", "allreduce", "-n", 8, "--sizes", "1KiB:1MiB", "-o", "set")
    for name in ["broken.json", "wrong.json"]:
        (ordo.folder / name).write_bytes((REJECT / "R8-two-writers-unordered.json").read_bytes())
    environment = {"PATH": os.path.dirname(ORDO) + ":" + os.environ["PATH"]}
    # Those left out measure, or simulate, for minutes.
    for command in [one for one in COMMANDS if one not in ("calibrate", "tune")]:
        examples = ordo.works(command,
                              "--help").out.partition("\nexamples:\n")[2].strip().splitlines()
        wanted(examples, command)
        for example in examples:
            if "mpirun" in example:  # tests/mpi has those
                continue
            # What is large is a matter of memory, and what is elsewhere not ours.
            for typed, tried in [("1GiB", "1MiB"), ("--large", ""), ("/tmp/", ""),
                                 ("| less", "| cat")]:
                example = example.replace(typed, tried)
            line = "set -o pipefail; " + example.strip()
            done = subprocess.run(["bash", "-c", line],
                                  cwd=ordo.folder,
                                  capture_output=True,
                                  env={**os.environ, **environment},
                                  timeout=300)
            refuted = [
                "--max-tokens 1", "verify ring.json --fail-link", "diff ring.json", "broken.json",
                "--write-input", "--input"
            ]
            wanted(done.returncode == (1 if any(words in line for words in refuted) else 0),
                   line, done.returncode, done.stderr.decode())


@desk_case("typing errors: exit code 2, and what was probably meant")
def _(ordo):
    ring = ["compile", "allreduce", "-n", 4, "-a", "ring"]
    for message, words in [
        (r"unknown command \"compil\"\nhint: did you mean `ordo compile`", ["compil"]),
        (r"unknown option --rnks\nhint: did you mean --ranks\?", [*ring, "--rnks", 3]),
        (r"unknown operator allreduc\nhint: did you mean AllReduce\?",
         ["compile", "allreduc", "-n", 4, "-a", "ring"]),
        (r'found "rnig".*\nhint: did you mean ring\?',
         ["compile", "allreduce", "-n", 4, "-a", "rnig"]),
        (r'"fodl".*\nhint: did you mean fold\?',
         ["compile", "allreduce", "-n", 4, "-a", "mesh(fodl=linear)"]),
        (r'"liner".*\nhint: did you mean linear\?',
         ["compile", "allreduce", "-n", 4, "-a", "mesh(fold=liner)"]),
        (r'"ful-mesh".*\nhint: did you mean full-mesh\?', [*ring, "--topology", "ful-mesh"]),
        (r"there is no list of rign\nhint: did you mean ring\?", ["list", "rign"]),
        (r"there is no explanation of SendReduc\b", ["explain", "SendReduc"]),
        (r"help compil|unknown command \"compil\"", ["help", "compil"])
    ]:
        ordo.fails(2, message, *words)


@desk_case("what makes no sense: exit code 2, and what is wanted")
def _(ordo):
    ordo.compile("ring.json")
    for message, words in [
        (r"which command\?", []), (r"which operator\?\nhint: one of AllReduce, ", ["compile"]),
        (r"--ranks N is missing", ["compile", "allreduce"]),
        (r"--ranks: found four, wanted a number",
         ["compile", "allreduce", "-n", "four", "-a", "ring"]),
        (r"--ranks: found -1, wanted a number",
         ["compile", "allreduce", "--ranks=-1", "-a", "ring"]),
        (r"--ranks: found 2147483648, wanted",
         ["compile", "allreduce", "-n", 2147483648, "-a", "ring"]),
        (r"--ranks needs an argument", ["compile", "allreduce", "--ranks"]),
        (r"--in-place takes no argument", ["compile", "allreduce", "--in-place=yes"]),
        (r"root: found 9, wanted a rank of 0\.\.3",
         ["compile", "reduce", "-n", 4, "-a", "ring", "--root", 9]),
        (r"AllToAll", ["compile", "alltoall", "-n", 4, "-a", "ring"]),
        (r"in.place", ["compile", "alltoall", "-n", 4, "-a", "mesh", "--in-place"]),
        (r"shards: found 3 shards on 4 ranks, wanted at least one a rank",
         ["compile", "allreduce", "-n", 4, "-a", "ring", "--shards", 3]),
        (r"dyadic makes .* of 24 shards on 1, 3, 6, 12, 24 ranks, found 4\nhint: forest ",
         ["compile", "allreduce", "-n", 4, "-a", "dyadic", "--shards", 24]),
        (r"no in-place form with 8 shards",
         ["compile", "allreduce", "-n", 4, "-a", "ring", "--shards", 8, "--in-place"]),
        (r"shards: AllGather does not reduce",
         ["compile", "allgather", "-n", 4, "-a", "ring", "--shards", 8]),
        (r"--shards: found 0", ["compile", "allreduce", "-n", 4, "-a", "ring", "--shards", 0]),
        (r"wanted the file or folder of a schedule", ["verify"]),
        (r"found ring.json and x", ["verify", "ring.json", "x"]),
        (r"--type: found f31, wanted f16, bf16, f32", ["run", "ring.json", "--type", "f31"]),
        (r"--op: found average, wanted sum", ["run", "ring.json", "--op", "average"]),
        (r"--transport: found smoke, wanted", ["run", "ring.json", "--transport", "smoke"]),
        (r"--size: found 1parsec, wanted a size", ["run", "ring.json", "--bytes", "1parsec"]),
        (r"--size: found 3, wanted a multiple of 4", ["run", "ring.json", "--bytes", 3]),
        (r"--size and --count: give one", ["run", "ring.json", "--bytes", 4, "--count", 1]),
        (r"--repeat: found 0", ["run", "ring.json", "--repeat", 0]),
        (r"--as: found bmp, wanted dot, svg", ["draw", "ring.json", "--as", "bmp"]),
        (r"--ranks: found 9, wanted numbers of 0\.\.3", ["draw", "ring.json", "--ranks", 9]),
        (r"wanted the file of a schedule, or --topology", ["draw"]),
        (r"there is no explanation of happiness\nhint: a rule \(R8\)", ["explain", "happiness"])
    ]:
        ordo.fails(2, message, *words)


@desk_case("--json is one object on stdout and nothing on stderr, whatever happens")
def _(ordo):
    ordo.compile("ring.json")
    (ordo.folder / "cut.json").write_text("{")
    for code, words in [(0, ["verify", "ring.json"]), (0, ["run", "ring.json", "--check"]),
                        (0, ["probe", "ring.json"]), (0, ["draw", "ring.json"]), (0, ["list"]),
                        (0, ["list", "operators"]), (0, ["list", "ring"]), (0, ["explain"]),
                        (0, ["explain", "R8"]), (0, ["explain", "ring"]), (0, ["explain", "Wait"]),
                        (0, ["explain", "reduce"]), (0, ["explain", "ring.json"]), (0, ["demo"]),
                        (0, ["compile", "allreduce", "-n", 4, "-a", "ring"]),
                        (0, ["compile", "allreduce", "-n", 4, "-a", "ring", "-o", "x.json"]),
                        (1, ["verify", REJECT / "R7-circle-of-three.json"]),
                        (1, ["run", REJECT / "R7-circle-of-three.json"]),
                        (1, ["run", REJECT / "R7-both-wait-first.json", "--unproved"]), (2, []),
                        (2, ["compil"]), (2, ["compile"]),
                        (2, ["compile", "allreduce", "-n", 4, "-a", "mesh", "--fail-link", "0-1"]),
                        (0, ["order", "ring.json"]), (2, ["order"]), (3, ["order", "cut.json"]),
                        (2, ["verify", "--nonsense"]), (2, ["explain", "love"]),
                        (2, ["list", "love"]), (2, ["run"]), (2, ["draw"]),
                        (3, ["verify", "cut.json"]), (3, ["run", "cut.json"]),
                        (3, ["draw", "cut.json"]), (3, ["explain", "cut.json"]),
                        (5, ["verify", "nothing"]),
                        (5, ["compile", "allreduce", "-n", 4, "-a", "ring", "-o", "none/x.json"])]:
        answer = ordo.answer(*words)
        wanted(answer["exit code"] == code, words, answer)
        if code > 1:
            wanted(answer["error"]["text"], words, answer)
    error = ordo.answer("verify", "cut.json")["error"]
    wanted((error["code"], error["rule"], error["file"], error["line"]) == ("bad input", "R1",
                                                                            "cut.json", 1), error)
    first = ordo.answer("verify", REJECT / "R7-circle-of-three.json")
    wanted(first["proved"] is False and first["findings"][0]["rule"] == "R7", first)


# Links that are down

def links_used(ordo, name):
    return {(one["from"], one["to"])
            for one in ordo.answer("run", name, "--links", "--count", 840)["links"]}


@desk_case(
    "--fail-link: a full mesh is implied, the link is avoided, the document says for what it was "
    "compiled"
)
def _(ordo):
    path = ordo.compile("around.json", "--fail-link", "0-1", ranks=8)
    used = links_used(ordo, "around.json")
    wanted(len(used) == 8 and not {(0, 1), (1, 0)} & used, used)
    wanted("topology" in strict_json.loads(path.read_text()))
    wanted("R1-R12 hold" in ordo.works("verify", "around.json", "--fail-link", "0-1").out)
    straight = ordo.compile("ring.json", ranks=8)
    wanted("topology" not in strict_json.loads(straight.read_text()))
    ordo.fails(1, r"ring.json:\d+:\d+: error\[R12\]: rank 0, .*from rank 0 to rank 1", "verify",
               "ring.json", "--fail-link", "0-1")


@desk_case("--fail-link may be repeated, and take a list")
def _(ordo):
    for words in [["--fail-link", "0-1", "--fail-link", "2-3"], ["--fail-link", "0-1,2-3"],
                  ["--fail-link=1-0", "--fail-link=3-2"]]:
        ordo.compile("x.json", *words, ranks=6)
        used = links_used(ordo, "x.json")
        wanted(not {(0, 1), (1, 0), (2, 3), (3, 2)} & used, used)


@desk_case("three edge-disjoint rings in both directions round a dead link")
def _(ordo):
    ordo.compile("rings.json",
                 "--fail-link",
                 "0-1",
                 ranks=8,
                 algorithm="ring(rings=3,directions=2)")
    used = links_used(ordo, "rings.json")
    wanted(len(used) == 48 and not {(0, 1), (1, 0)} & used, used)
    wanted("bit-equal" in ordo.works("run", "rings.json", "--check", "--fail-link", "0-1").out)


@desk_case("mesh over a dead link says that it cannot, which link it needs, and who can")
def _(ordo):
    ordo.fails(2, r"mesh: .*needs link 0-1 .*\nhint: .*\bring\b", "compile", "allreduce", "-n",
               8, "-a", "mesh", "--fail-link", "0-1")


@desk_case("a ring where there is none: says why")
def _(ordo):
    ordo.fails(2, r"no ring joins all 3 ranks: rank 0 has 1 neighbour", "compile", "allreduce",
               "-n", 3, "-a", "ring", "--fail-link", "0-1")


@desk_case("--fail-link with a link that does not exist, or with no link")
def _(ordo):
    ring = ["compile", "allreduce", "-n", 4, "-a", "ring"]
    ordo.fails(2, r"no link between 0 and 5", *ring, "--fail-link", "0-5")
    ordo.fails(2, r"no link between 0 and 2", *ring, "--topology", "ring", "--fail-link", "0-2")
    for nonsense in ["0", "a-b", "0-", "-1", "0-1-2", ""]:
        ordo.fails(2, r"--fail-link: found .*wanted two ranks such as 0-1", *ring,
                   f"--fail-link={nonsense}")


# What terminals see

def on_terminal(ordo, *words, environment=None):
    """What a terminal would show of stdout and stderr."""
    master, slave = pty.openpty()
    surroundings = {name: value for name, value in os.environ.items() if name != "NO_COLOR"}
    done = subprocess.Popen([ORDO, *map(str, words)],
                            cwd=ordo.folder,
                            stdin=subprocess.DEVNULL,
                            stdout=slave,
                            stderr=slave,
                            env={**surroundings, "TERM": "xterm", **(environment or {})})
    os.close(slave)
    shown = b""
    while True:
        try:
            part = os.read(master, 1 << 16)
        except OSError:  # the other end is closed
            break
        if not part:
            break
        shown += part
    os.close(master)
    done.wait()
    return shown


@desk_case("compile to a terminal: a summary and no document, which -o - shows")
def _(ordo):
    words = ["compile", "allreduce", "-n", 4, "-a", "ring"]
    document = ordo.works(*words).out
    shown = on_terminal(ordo, *words, environment={"NO_COLOR": "1"}).decode().replace("\r\n", "\n")
    wanted("AllReduce on 4 ranks by ring: " in shown and "proved in every interleaving" in shown,
           shown)
    wanted('"schema"' not in shown and "written in" not in shown, shown)
    wanted("not written: -o FILE.json writes the document, -o - prints it" in shown, shown)
    shown = on_terminal(ordo, *words, "-o", "-",
                        environment={"NO_COLOR": "1"}).decode().replace("\r\n", "\n")
    wanted(document in shown, shown)
    shown = on_terminal(ordo, *words, "--json",
                        environment={"NO_COLOR": "1"}).decode().replace("\r\n", "\n")
    wanted(shown == document, shown)
    shown = on_terminal(ordo, "compile", "allreduce", "-n", 4,
                        environment={"NO_COLOR": "1"}).decode()
    wanted("the fastest at 1 MiB" in shown and '"schema"' not in shown, shown)
    with open(ordo.folder / "kept.json", "wb") as kept:
        ordo.works(*words, stdout=kept)
    wanted((ordo.folder / "kept.json").read_text() == document)


@desk_case("draw to a terminal: dot, and a hint how it becomes a picture; names say the form")
def _(ordo):
    ordo.compile("ring.json")
    plain = {"NO_COLOR": "1"}
    for words in [["draw", "ring.json"], ["draw", "ring.json", "-o", "-"],
                  ["draw", "-t", "ring", "-n", 4]]:
        shown = on_terminal(ordo, *words, environment=plain).decode().replace("\r\n", "\n")
        wanted(ordo.works(*words).out in shown, words, shown)
        wanted("this is DOT, the language of Graphviz; -o FILE.svg" in shown, words, shown)
        wanted("Graphviz" not in ordo.works(*words).err, words)
    for words in [["--as", "dot"], ["--as", "text"], ["--as", "table"], ["-o", "x.dot"]]:
        wanted(b"Graphviz" not in on_terminal(ordo, "draw", "ring.json", *words, environment=plain),
               words)
    for name, begin in [("x.svg", b"<?xml"), ("x.png", b"\x89PNG"), ("x.pdf", b"%PDF"),
                        ("x.dot", b"digraph"), ("x.txt", b"AllReduce"), ("x.md", b"**AllReduce")]:
        ordo.works("draw", "ring.json", "-o", name)
        found = (ordo.folder / name).read_bytes()[:20]
        wanted(found.startswith(begin), name, found)


class Watched:
    """A command whose stderr is a terminal and whose stdin is ours: what it shows, and when."""

    def __init__(self, ordo, *words, environment=None):
        self.master, slave = pty.openpty()
        surroundings = {name: value for name, value in os.environ.items() if name != "NO_COLOR"}
        self.began = time.monotonic()
        self.shown = b""
        self.running = subprocess.Popen([ORDO, *map(str, words)], cwd=ordo.folder,
                                        stdin=subprocess.PIPE,
                                        stdout=subprocess.PIPE, stderr=slave,
                                        env={**surroundings, "TERM": "xterm",
                                             **(environment or {})})
        os.close(slave)

    def feed(self, data):
        self.running.stdin.write(data)
        self.running.stdin.flush()

    def until(self, pattern, patience=60):
        """Seconds since it began when this is first seen; None: it is not, within so long."""
        end = time.monotonic() + patience
        while not re.search(pattern, self.shown):
            if not select.select([self.master], [], [], max(0, end - time.monotonic()))[0]:
                return None
            try:
                part = os.read(self.master, 1 << 16)
            except OSError:
                return None
            if not part:
                return None
            self.shown += part
        return time.monotonic() - self.began

    def end(self):
        self.running.stdin.close()
        out = self.running.stdout.read()
        self.running.stdout.close()
        self.until(b"nothing of the kind", 0.3)
        os.close(self.master)
        return self.running.wait(60), out


@desk_case("a bar begins within half a second, and is gone before anything is said")
def _(ordo):
    document = ordo.compile("ring.json", ranks=64).read_bytes()
    seen = []
    # A busy machine may begin it late, but not every time; the bar waits for 0.4 s itself.
    for environment in [{}, {"NO_COLOR": "1"}] * 4:
        if len(seen) >= 2 and min(seen) < 1:
            break
        watched = Watched(ordo, "verify", "-", environment=environment)
        first = watched.until(rb"\rreading      \[")
        wanted(first is not None and first > 0.3, first, watched.shown)
        seen.append(first)
        # A pipe does not say how long it is.
        wanted(watched.until(rb"reading      \[ {32}\] {7} 2 s so far") is not None,
               watched.shown[-200:])
        watched.feed(document)
        code, out = watched.end()
        wanted(code == 0 and b": proved" in out, code, out)
        wanted(re.search(rb"\r +\r$", watched.shown), watched.shown[-100:])
        wanted(b"\033" not in watched.shown, watched.shown[-100:])
    wanted(min(seen) < 1, seen)
    # Nothing of it where nobody looks, or where \\r does not go back.
    for words, environment in [(["verify", "-", "--json"], {}),
                               (["verify", "-"], {"TERM": "dumb"})]:
        watched = Watched(ordo, *words, environment=environment)
        wanted(watched.until(b"reading", 1.2) is None, watched.shown)
        watched.feed(document)
        wanted(watched.end()[0] == 0 and watched.shown == b"", watched.shown)


@desk_case("whatever takes long has a bar: compiling, proving, predicting, running, probing")
def _(ordo):
    ordo.compile("ring.json", ranks=16)
    ordo.works("compile", "reduce-scatter", "-n", 700, "-a", "mesh", "-o", "large.json")
    # Each takes seconds, and is ended as soon as its bar is seen.
    for words, what in [(["compile", "allreduce", "-n", 1400, "-a", "ring", "--prove-only"],
                         "compiling|proving"),
                        (["verify", "--generate", "ring", "-n", 8192], "[a-z]+"),
                        (["predict", "large.json", "-t", "star", "--route-through-ranks"],
                         "reading|predicting"),
                        (["tune", "allreduce", "-n", 64, "-t", "torus:8x8", "--sizes", "1KiB:1GiB"],
                         "simulating"),
                        (["run", "ring.json", "-b", "4MiB", "-e", "16MiB", "-n", 9], "running"),
                        (["run", "ring.json", "--size", "4MiB", "--repeat", 600], "running"),
                        (["probe", "ring.json", "--seeds", 60], "probing"),
                        (["calibrate", "-n", 4], "measuring")]:
        watched = Watched(ordo, *words)
        first = watched.until(rf"\r({what}) +\[".encode(), 60)
        wanted(first is not None and first < 40, words, first, watched.shown[-300:])
        if "--repeat" in words:
            left = watched.until(rb"running      \[#+ *\] +\d+ %  \d+ (s|min) left", 60)
            wanted(left is not None, watched.shown[-300:])
        watched.running.kill()
        watched.end()


@desk_case("colours on a terminal; none with NO_COLOR, TERM=dumb or anywhere else")
def _(ordo):
    ordo.compile("ring.json")
    calls = [["verify", "ring.json"], ["verify", REJECT / "R7-circle-of-three.json"], ["list"],
             ["verify", "nothing"], ["run", "ring.json", "--check"],
             ["compile", "allreduce", "-n", 4, "-a", "ring", "-o", "x.json"], ["explain", "R8"]]
    for words in calls:
        wanted(b"\033[" in on_terminal(ordo, *words), words, "no colour on a terminal")
        for quiet in [{"NO_COLOR": "1"}, {"TERM": "dumb"}]:
            shown = on_terminal(ordo, *words, environment=quiet)
            wanted(shown and b"\033" not in shown, words, quiet, shown)
        done = ordo(*words)
        wanted("\033" not in done.out + done.err, words)


def hostile_document(ordo, name):
    """A sound schedule whose names are made to be obeyed: by terminals, by dot, by readers of
    lines."""
    evil = "r\x1b[31mX\x07\r\n\u009b2J\u202e\"<>&|{}\\N\\"
    document = strict_json.loads(ordo.compile(name).read_text())
    document.update({"algorithm": evil, "phases": [evil for _ in document["phases"]]})
    document["topology"] = {"name": evil, "digest": "0" * 32}
    for program in document["programs"]:
        program["streams"][0]["name"] = evil
    (ordo.folder / name).write_text(json.dumps(document))
    links = [{"from": a, "to": b, "class": evil, "latency_ns": 1, "bandwidth_gbs": 1}
             for a in range(4) for b in range(4) if a != b]
    topology = {"schema": "ordo/topology/1", "name": evil, "ranks": 4, "links": links}
    (ordo.folder / "links.json").write_text(json.dumps(topology))
    topology["links"] = links[1:]
    (ordo.folder / "short.json").write_text(json.dumps(topology))


@desk_case("names in documents are shown, never obeyed by the terminal")
def _(ordo):
    hostile_document(ordo, "ring.json")
    (ordo.folder / "key.json").write_text('{"\\u001b[2J": 1}')
    for words in [["verify", "ring.json"], ["verify", "ring.json", "--topology", "links.json"],
                  ["explain", "ring.json"], ["verify", "ring.json", "--topology", "short.json"],
                  ["run", "ring.json"], ["draw", "ring.json", "--as", "text"],
                  ["verify", "key.json"], ["verify", "\x1b[2J"], ["explain", "\x1b[2J"]]:
        done = ordo(*words)
        for letter in ["\x1b", "\x07", "\r", "\x9b"]:
            wanted(letter not in done.out + done.err, words, repr(letter), done.out + done.err)


@desk_case("names in documents do not break the picture")
def _(ordo):
    hostile_document(ordo, "ring.json")
    for words in [["ring.json"], ["--topology", "links.json"], ["--topology", "short.json"]]:
        xml.dom.minidom.parseString(ordo.works("draw", *words, "--as", "svg").out)


@desk_case("what is no UTF-8 on the command line is valid JSON in the answer")
def _(ordo):
    for words in [["verify", b"\xff.json"], ["compile", b"\xc3("],
                  ["verify", b"x", b"\xed\xa0\x80"], ["explain", b"\xf5"]]:
        done = subprocess.run([ORDO, *words, "--json"],
                              cwd=ordo.folder,
                              stdout=subprocess.PIPE,
                              stderr=subprocess.PIPE)
        strict_json.loads(done.stdout.decode())


@desk_case("compile says so if a link that is there one way only is needed both ways")
def _(ordo):
    links = [{"from": a, "to": b, "latency_ns": 1, "bandwidth_gbs": 1} for a in range(4)
             for b in range(4) if a != b and (a, b) != (1, 0)]
    (ordo.folder / "t.json").write_text(
        json.dumps({"schema": "ordo/topology/1", "name": "t", "ranks": 4, "links": links}))
    for operator, algorithm in [("broadcast", "mesh"), ("scatter", "star"), ("broadcast", "tree"),
                                ("allgather", "nhr")]:
        ordo.fails(2, f"error: {algorithm}: needs link 1-0 .*for signals", "compile", operator,
                   "-n", 4, "-a", algorithm, "-t", "t.json")


@desk_case("a limit of 0 is refused, not taken for no limit")
def _(ordo):
    ordo.compile("mesh.json", algorithm="mesh(shots=1)")
    wanted(ordo.answer("verify", "mesh.json", "--max-scratch", 1)["exit code"] == 1)
    for limit in ["streams", "scratch", "signals", "tokens", "findings"]:
        ordo.fails(2, f"--max-{limit}: found 0, wanted at least 1", "verify", "mesh.json",
                   f"--max-{limit}", 0)


@desk_case(
    "closed standard files: a result that had nowhere to go is an error, and no file takes their "
    "place"
)
def _(ordo):
    def close(*files):
        return lambda: [os.close(file) for file in files]
    whole = ordo.compile("ring.json").read_bytes()
    for words in [["draw", "ring.json"], ["draw", "ring.json", "--as", "text"],
                  ["verify", "ring.json"], ["compile", "allreduce", "-n4", "-aring"]]:
        wanted(ordo(*words, before=close(1)).returncode == 5, words)
    ordo.works("compile", "allreduce", "-n4", "-aring", "-o", "ring.json", before=close(0, 1, 2))
    wanted((ordo.folder / "ring.json").read_bytes() == whole)


@desk_case("times are in us, ms or s, never with an exponent")
def _(ordo):
    compiled = ordo.works("compile", "allreduce", "-n", 4, "-a", "ring", "-o", "ring.json").err
    wanted(
        re.search(
            r"compiled in [0-9.]+ [mu]s, proved in [0-9.]+ [mu]s, written in [0-9.]+ [mu]s to "
            r"ring.json",
            compiled), compiled)
    for words in [["verify", "ring.json"], ["run", "ring.json"]]:
        out = ordo.works(*words).out
        wanted(re.search(r"[0-9.]+ [mu]?s\b", out) and not re.search(r"\de[-+]\d", out), out)


@desk_case(
    "embed writes a schedule as C, the same bytes to a file and to stdout, and says how to declare "
    "it"
)
def _(ordo):
    ordo.compile("ring-8.json", ranks=8)
    done = ordo.works("embed", "ring-8.json", "-o", "out.ring.c", "--header", "ring.h", "--name",
                      "ring_8")
    wanted(done.out == "" and '#include "ring.h" declares ring_8' in done.err, done.err)
    wanted(ordo.names() == ["out.ring.c", "ring-8.json", "ring.h"], ordo.names())
    source = (ordo.folder / "out.ring.c").read_text()
    wanted(
        source.count("\tORDO_MOVE(") + source.count("\tORDO_TOKEN(") == 366
        and "\nconst struct ordo_schedule ring_8 = {" in source, source)
    again = ordo.works("embed", "ring-8.json")
    wanted(
        again.out == source
        and "declare it: extern const struct ordo_schedule ring_8;" in again.err, again.err)
    wanted(
        ordo.works(
            "embed", "-", "--name", "ring_8", stdin=(ordo.folder /
                                                     "ring-8.json").read_bytes()).out == source)
    answer = ordo.answer("embed", "ring-8.json")
    wanted((answer["name"], answer["output"], answer["tasks"],
            answer["source"]) == ("ring_8", None, 366, source), answer)


@desk_case(
    "beside a verdict: that it is of every schedule of a set, the most memory, the busiest link")
def _(ordo):
    ordo.works("compile", "allreduce", "-n", 4, "--topology", "ring", "--sizes", "1:1GiB", "-o",
               "set")
    done = ordo.works("verify", "set")
    wanted("R1-R11 hold in every interleaving of every schedule; R12 needs" in done.out, done.out)
    ordo.compile("ring.json")
    wanted(ordo.answer("verify", "ring.json")["peak_bytes"] > 2 ** 16)
    done = ordo.works("run", "ring.json", "--topology", "full-mesh")
    wanted(re.search(r"\n  busiest link +\S+ \S+ from 0 to 1\n", done.out), done.out)


@desk_case("embed takes a folder of programs, and a plan set with all its schedules")
def _(ordo):
    ordo.compile("folder")
    ordo.compile("folder.json")
    wanted(ordo.works("embed", "folder").out == ordo.works("embed", "folder.json").out)
    ordo.works("compile", "allreduce", "-n", 8, "--topology", "hypercube", "--sizes", "1:1GiB",
               "-o", "fast")
    source = ordo.works("embed", "fast").out
    wanted(
        source.count("\nstatic const struct ordo_schedule fast_") == 3
        and ".to_bytes = 1073741824u" in source, source[-3000:])
    wanted(
        "const struct ordo_plan_set fast = {" in source
        and "const struct ordo_schedule *const fast_schedules[3] = {" in source, source[-3000:])


@desk_case("embed writes nothing of what is refuted, too long, or cannot be written")
def _(ordo):
    document = ordo.compile("x.json").read_text().splitlines(keepends=True)
    first = next(i for i, line in enumerate(document) if '"Wait"' in line)
    (ordo.folder / "x.json").write_text("".join(document[:first] + document[first + 1:]))
    ordo.works("compile", "allreduce", "-n", 4, "--topology", "ring", "--sizes", "1:1GiB", "-o",
               "set")
    document = strict_json.loads((ordo.folder / "set" / "plan-set.json").read_text())
    broken = document["ranges"][-1]["schedule"]
    (ordo.folder / "set" / broken).write_text((ordo.folder / "x.json").read_text())
    before = ordo.names()
    for document in "x.json", "set":
        done = ordo.fails(1, r"error\[R\d+\](.|\n)*nothing written, because it is refuted", "embed",
                          document, "-o", "x.c", "--header", "x.h")
        wanted(done.out == "", done.out)
        wanted(ordo.fails(1, "refuted", "embed", document).out == "")
        answer = ordo.answer("embed", document, "-o", "x.c")
        wanted(answer["exit code"] == 1 and answer["findings"] and "source" not in answer, answer)
    ordo.compile("y.json")
    ordo.fails(2, "y.json: error: found 86 tasks, wanted at most 85", "embed", "y.json", "-o",
               "x.c", "--max-tasks", 85)
    ordo.works("embed", "y.json", "--max-tasks", 86)
    ordo.fails(5, "cannot write", "embed", "y.json", "-o", "none/x.c", "--header", "x.h")
    ordo.fails(5, "cannot write", "embed", "y.json", "-o", "x.c", "--header", "none/x.h")
    ordo.fails(5, "", "embed", "none.json", "-o", "x.c")
    wanted(ordo.names() == sorted(before + ["y.json"]), ordo.names())


@desk_case("embed takes only names that C and C++ have room for")
def _(ordo):
    ordo.compile("8-ring.json")
    ordo.fails(2, 'found the name "8_ring".*\n.*--name', "embed", "8-ring.json")
    for name in "int", "class", "a-b", "", "ordo_ring", "_x", "é", "x" * 300:
        ordo.fails(2, "found the name", "embed", "8-ring.json", "--name", name)
    ordo.fails(2, "--header: found -, wanted a file", "embed", "8-ring.json", "--name", "x",
               "--header", "-")
    ordo.fails(2, "--header: found x.c, wanted a file of its own", "embed", "8-ring.json", "-o",
               "x.c", "--header", "x.c")
    ordo.fails(2, "wanted the file of a schedule", "embed")
    longest = "x" * 255
    (ordo.folder / "8-ring.json").rename(ordo.folder / longest)
    source = ordo.works("embed", longest).out
    wanted(f"\nconst struct ordo_schedule {longest} = {{" in source, source)
    wanted(ordo.names() == [longest], ordo.names())


run_cases()
