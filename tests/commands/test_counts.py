#!/usr/bin/env python3
"""test_counts.py ORDO REJECT - blocks of unequal sizes: --counts in every command that takes it."""
import itertools
import json
import re

import strict_json
from command import REJECT
from desk import desk_case
from tap import run_cases, wanted

MATRIX = [[0, 9, 1], [4, 0, 0], [2, 2, 2]]
ALPHA, BETA = 1e-6, 4 / 56e9


def texts(rows):
    """A list or a matrix, in every way in which it may be written: name of a file and its text, or
    None and an argument."""
    listed = [rows] if isinstance(rows[0], int) else rows
    lines = [",".join(map(str, row)) for row in listed]
    yield None, ";".join(lines)
    yield None, json.dumps(rows)
    yield "counts.csv", "\n".join(lines) + "\n"
    yield "crlf.csv", "\ufeff# from a sheet\r\n" + "\r\n".join(lines)
    yield "blanks.txt", "\n\n".join(line.replace(",", "  ") for line in lines)
    yield "counts.json", json.dumps(rows, indent=1)
    if len(listed) == 1:
        yield "column.csv", "".join(f"{count}\n" for count in rows)


def written(ordo, name, text):
    if name is None:
        return text
    (ordo.folder / name).write_text(text, newline="")
    return name


@desk_case("compile: an operator may be called by its V name, and the document is the same")
def _(ordo):
    for operator, algorithm in [("alltoall", "pairwise"), ("all-gather", "ring"),
                                ("reduce_scatter", "ring"), ("Gather", "mesh"),
                                ("SCATTER", "mesh")]:
        plain = ordo.compile("plain.json", operator=operator, algorithm=algorithm).read_bytes()
        unequal = ordo.compile("v.json", operator=operator + "-v", algorithm=algorithm).read_bytes()
        wanted(plain == unequal, operator)
    ordo.fails(2, "unknown operator allreducev", "compile", "allreducev", "--ranks", 4)
    text = (ordo.folder / "plain.json").read_text().replace('"Scatter"', '"ScatterV"')
    (ordo.folder / "named.json").write_text(text)
    ordo.fails(3, r'found "ScatterV", wanted .*\nhint: did you mean "Scatter"', "verify",
               "named.json")


@desk_case("run --counts: every operator, however the counts are written, on every transport")
def _(ordo):
    cases = [("alltoall", "pairwise", MATRIX, 20, 11), ("alltoall", "bruck", MATRIX, 20, 11),
             ("allgather", "ring", [3, 0, 5], 24, 8), ("reducescatter", "mesh", [3, 0, 5], 8, 8),
             ("gather", "mesh", [3, 0, 5], 8, 8), ("scatter", "tree", [3, 0, 5], 8, 8)]
    ways = [["--transport", "threads"], ["--transport", "seeded", "--repeat", 3],
            ["--transport", "folded"], ["--workers", 0]]
    for operator, algorithm, counts, elements, larger in cases:
        ordo.compile("s.json", operator=operator, algorithm=algorithm, ranks=3)
        for (name, text), way in zip(texts(counts), itertools.cycle(ways)):
            answer = ordo.answer("run", "s.json", "--counts", written(ordo, name, text), "--check",
                                 *way)
            wanted(answer["exit code"] == 0 and answer["check"]["bits_equal"], operator, answer)
            wanted(answer["check"]["elements"] == elements, operator, text, answer["check"])
            wanted(
                answer["counts"]["elements"] == larger and
                answer["bytes_per_rank"] == 4 * larger, answer)
    done = ordo.works("run", "s.json", "--counts", "3,0,5")
    wanted(
        "\n  counts       3 blocks, the largest of 5 elements, 1 empty; 8 in the largest buffer of "
        "a rank\n" in done.out, done.out)


@desk_case(
    "run --counts: in place, with a root, shards, several chunks, wide sums, types and traces")
def _(ordo):
    for words, operator, more in [
        (["--in-place"], "allgather", []), (["--in-place"], "reducescatter", []),
        (["--in-place", "--root", 2], "scatter", []), (["--in-place", "--root", 1], "gather", []),
        (["--shards", 6], "reducescatter", []), (["--chunks", 3], "allgather", []),
        (["--accumulate", "f32"], "reducescatter", ["--type", "bf16"]),
        ([], "reducescatter", ["--type", "i8", "--op", "max", "--trace", "trace.json"])
    ]:
        algorithm = "mesh" if operator in ("scatter", "gather") else "ring"
        ordo.compile("s.json", *words, operator=operator, algorithm=algorithm, ranks=3)
        for counts in ("7,0,100", "0,0,0", "0,1,0"):
            answer = ordo.answer("run", "s.json", "--counts", counts, "--check", *more)
            wanted(answer["exit code"] == 0 and answer["check"]["bits_equal"], words, answer)
    trace = strict_json.loads((ordo.folder / "trace.json").read_text())
    wanted(trace["traceEvents"], "a trace of empty blocks too")


@desk_case("run --counts --size scales, as do tables and plan sets; empty blocks stay empty")
def _(ordo):
    ordo.compile("g.json", operator="allgather", ranks=4)
    answer = ordo.answer("run", "g.json", "--counts", "3,0,1,4", "--size", "8KiB", "--check")
    wanted(
        answer["counts"] == {"blocks": 4, "largest": 1024, "elements": 2048, "empty": 1} and
        answer["bytes_per_rank"] == 8192, answer)
    done = ordo.works("run", "g.json", "--counts", "3,0,1,4", "--size", "1000")
    wanted("1000 B cut to 996 B, whole elements of f32 in the proportions of the counts"
           in done.err, done.err)
    answer = ordo.answer("run", "g.json", "--counts", "3,0,1,4", "-b", 32, "-e", "8KiB", "-f", 4,
                         "-n", 2, "--check")
    wanted([row["bytes"] for row in answer["rows"]] == [32, 128, 512, 2048, 8192], answer["rows"])
    wanted([row["count"] for row in answer["rows"]] == [4, 16, 64, 256, 1024], answer["rows"])
    wanted(
        all(row[form]["wrong"] == 0 for row in answer["rows"]
            for form in ("in_place", "out_of_place")), answer)
    done = ordo.works("run", "g.json", "--counts", "3,0,1,4", "-b", 32, "-e", "8KiB", "--check")
    wanted(", blocks in the proportions of 4 counts, seed 1\n" in done.out, done.out)
    csv = ordo.works("run", "g.json", "--counts", "3,0,1,4", "-b", 32, "-e", 64, "--csv").out
    wanted([line.split(",")[3:5] for line in csv.splitlines()[1:]] == [["32", "4"], ["64", "8"]],
           csv)
    # The larger buffer of a rank: 5 elements are sent by rank 1, 9 reach rank 0.
    ordo.compile("a.json", operator="alltoall", algorithm="pairwise", ranks=2)
    answer = ordo.answer("run", "a.json", "--counts", "0,0;9,4", "--check")
    wanted(answer["counts"]["elements"] == 13 and answer["bytes_per_rank"] == 52, answer)
    answer = ordo.answer("run", "a.json", "--counts", "9,0;4,0", "--check")
    wanted(answer["counts"]["elements"] == 13, answer)


@desk_case("run --counts --staging: rounds of unequal blocks")
def _(ordo):
    for operator, algorithm, counts in [("alltoall", "pairwise", "0,900,1;400,0,0;2,2,2"),
                                        ("allgather", "ring", "300,0,5"),
                                        ("reducescatter", "ring", "3,0,5000")]:
        ordo.compile("s.json", "--staging", 4, operator=operator, algorithm=algorithm, ranks=3)
        for way in ([], ["--transport", "seeded", "--repeat", 3], ["--workers", 0]):
            answer = ordo.answer("run", "s.json", "--counts", counts, "--staging", 256, "--check",
                                 *way)
            wanted(answer["exit code"] == 0 and answer["check"]["bits_equal"], operator, answer)
            wanted(answer["rounds"] > 1 and answer["staging_bytes"] <= 256, operator, answer)


def parts_of(length, tile, chunks, turn):
    """What a block moves in a round: of each of its chunks up to `tile` elements."""
    ends = [-(-length * k // chunks) for k in range(chunks + 1)]
    return sum(min(tile, max(0, end - begin - turn * tile)) for begin, end in zip(ends, ends[1:]))


@desk_case("predict --counts --staging: the time of rounds that get shorter, one after another")
def _(ordo):
    for operator, algorithm, counts in (("allgather", "ring", [300, 0, 5]),
                                        ("reducescatter", "ring(directions=2)", [3, 70, 501])):
        ordo.compile("s.json", "--staging", 4, operator=operator, algorithm=algorithm, ranks=3)
        document = strict_json.loads((ordo.folder / "s.json").read_text())
        tile = 1024 // document["scratch_slots"] // 64 * 64 // 4
        chunks, turn, seconds = document["chunks_per_block"], 0, 0
        while any(left := [parts_of(n, tile, chunks, turn) for n in counts]):
            seconds += ordo.answer("predict", "s.json", "--counts",
                                   ",".join(map(str, left)))["seconds"]
            turn += 1
        text = ",".join(map(str, counts))
        said = ordo.answer("predict", "s.json", "--counts", text, "--staging", 1024)["staging"]
        wanted(said["rounds"] == turn > 1, said, turn)
        wanted(abs(said["seconds"] - seconds) <= 1e-9 * seconds, operator, said, seconds)
        rows = ordo.answer("predict", "s.json", "--counts", text, "--staging", 1024, "--begin",
                           sum(counts) * 4, "--end", sum(counts) * 4)["rows"]
        wanted(len(rows) == 1 and rows[0]["rounds"] == turn, rows)
        wanted(abs(rows[0]["seconds"] - seconds) <= 1e-9 * seconds, operator, rows, seconds)


@desk_case("run --counts --replay: both interleavings run on these blocks")
def _(ordo):
    path = REJECT / "R8-two-writers-unordered.json"
    document = strict_json.loads(path.read_text())
    ordo("verify", path, "--write-replay", "replay.json")
    if document["operator"] in ("AllReduce", "Reduce", "Broadcast"):
        ordo.fails(2, "has no form with unequal blocks", "run", path, "--replay", "replay.json",
                   "--counts", "1,2")
    # A gather whose root takes what it has not waited for.
    gather = {
        "schema": "ordo/schedule/1", "operator": "Gather", "algorithm": "hasty", "ranks": 2,
        "root": 0, "chunks_per_block": 1, "scratch_slots": 1, "in_place": False, "programs": [
            {"rank": 0, "streams": [{"name": "main", "tasks": [
                {"task": "LocalCopy", "chunk": 0, "src": ["input", 0], "dst": ["output", 0]},
                {"task": "Notify", "peer": 1, "signal": 0},
                {"task": "LocalCopy", "chunk": 1, "src": ["scratch", 0], "dst": ["output", 1]},
                {"task": "Wait", "peer": 1, "signal": 1}]}]},
            {"rank": 1, "streams": [{"name": "main", "tasks": [
                {"task": "Wait", "peer": 0, "signal": 0},
                {"task": "Send", "peer": 0, "chunk": 1, "src": ["input", 0],
                 "dst": ["scratch", 0]},
                {"task": "Notify", "peer": 0, "signal": 1}]}]}]}
    (ordo.folder / "hasty.json").write_text(json.dumps(gather))
    ordo("verify", "hasty.json", "--write-replay", "hasty-replay.json")
    answer = ordo.answer("run", "hasty.json", "--replay", "hasty-replay.json", "--counts", "2,7")
    wanted(answer["exit code"] == 1 and answer["shown"], answer)
    wrong = sum(one.get("wrong", 0) for one in answer["interleavings"])
    wanted(wrong and wrong % 7 == 0, "all seven elements of a block, and no other", answer)
    # Nothing is wrong with a block that has no elements.
    answer = ordo.answer("run", "hasty.json", "--replay", "hasty-replay.json", "--counts", "2,0")
    wanted(answer["exit code"] == 0 and not answer["shown"], answer)


@desk_case("predict --counts: pairwise is its closed form, and what is empty takes no time")
def _(ordo):
    ordo.compile("p.json", operator="alltoall", algorithm="pairwise", ranks=3)
    answer = ordo.answer("predict", "p.json", "--counts", json.dumps(MATRIX))
    most = [max(MATRIX[i][(i + k) % 3] for i in range(3)) for k in (1, 2)]
    rounds = 2 * ALPHA + sum(most) * BETA
    wanted(abs(answer["in_rounds"]["seconds"] / rounds - 1) < 1e-12, answer["in_rounds"], rounds)
    wanted(answer["in_rounds"]["rounds"] == 2, answer)
    own = max(sum(ALPHA + MATRIX[i][j] * BETA for j in range(3) if j != i and MATRIX[i][j])
              for i in range(3))
    wanted(abs(answer["seconds"] / own - 1) < 1e-12, answer["seconds"], own)
    answer = ordo.answer("predict", "p.json", "--counts", "7,0,0;0,7,0;0,0,7")
    wanted(answer["seconds"] == 0 and "in_rounds" not in answer, answer)
    # At another size; and tables.
    scaled = ordo.answer("predict", "p.json", "--counts", json.dumps(MATRIX), "--size", "11000")
    wanted(scaled["bytes"] == 11000 and scaled["counts"]["largest"] == 2250, scaled)
    rows = ordo.answer("predict", "p.json", "--counts", json.dumps(MATRIX), "-b", 44, "-e", 4400,
                       "-f", 10)["rows"]
    wanted([row["bytes"] for row in rows] == [44, 440, 4400], rows)
    done = ordo.works("predict", "p.json", "--counts", json.dumps(MATRIX))
    wanted(re.search(r"\n  in rounds +2.001 us: 2 rounds, each as long as its slowest stream; "
                     r"latency 2 us, wire ", done.out), done.out)
    # On a topology: links carry what they carry.
    answer = ordo.answer("predict", "p.json", "--counts", json.dumps(MATRIX), "--topology",
                         "full-mesh", "--type", "f64")
    loads = {(link["from"], link["to"]): link["bytes"] for link in answer["links"]}
    wanted(loads == {(i, j): 8 * MATRIX[i][j] for i in range(3) for j in range(3)
                     if i != j and MATRIX[i][j]}, loads)


@desk_case("tune and compile --counts choose for the proportions; the documents stay free of them")
def _(ordo):
    counts = ";".join(",".join(str(1000 if (i, j) == (0, 1) else 0) for j in range(8))
                      for i in range(8))
    done = ordo.works("tune", "alltoallv", "--ranks", 8, "--counts", counts, "--sizes",
                      "1KiB:1MiB", "-o", "set")
    wanted("64 blocks, the largest of 1000 elements, 63 empty" in done.out and
           "each in these proportions, elements divisible" in done.out, done.out)
    text = (ordo.folder / "set" / "plan-set.json").read_text()
    wanted("counts" not in text and "1000" not in text, text)
    answer = ordo.answer("run", "set", "--counts", counts, "--check")
    wanted(answer["exit code"] == 0 and answer["check"]["elements"] == 1000, answer)
    answer = ordo.answer("predict", "set", "--counts", counts)
    # One message: no algorithm that sends blocks once is slower, and none is faster.
    wanted(abs(answer["seconds"] / (ALPHA + 1000 * BETA) - 1) < 1e-9, answer["seconds"])
    done = ordo.works("compile", "alltoallv", "--ranks", 8, "--counts", counts, "-o", "c.json")
    wanted("the fastest at 3.906 KiB, " in done.err and "63 empty" in done.err, done.err)
    wanted(ordo.answer("predict", "c.json", "--counts", counts)["seconds"] == answer["seconds"],
           "the same is chosen")
    ordo.fails(2, "--sizes chooses by closed forms", "compile", "alltoall", "--ranks", 8,
               "--counts", counts, "--sizes", "1:1MiB", "-o", "other")
    ordo.fails(2, "cannot be combined with --counts", "compile", "allgather", "--ranks", 4,
               "--counts", "1,2,3,4", "--fail-any-link", "-o", "other")


@desk_case("view --counts: the page has the elements of every move")
def _(ordo):
    ordo.compile("p.json", operator="alltoall", algorithm="pairwise", ranks=3)
    answer = ordo.answer("view", "p.json", "--counts", json.dumps(MATRIX), "-o", "page.html")
    wanted(answer["counts"]["empty"] == 3, answer)
    data = re.search(r'"elements":\[([-0-9,]*)\]', (ordo.folder / "page.html").read_text())[1]
    moved = [int(number) for number in data.split(",")]
    wanted(sorted(number for number in moved if number >= 0) == sorted(sum(MATRIX, [])), moved)
    wanted(moved.count(-1) == len(moved) - 9, "nothing is moved by a Notify or a Wait", moved)
    ordo.works("view", "p.json", "-o", "plain.html")
    wanted('"elements":[' not in (ordo.folder / "plain.html").read_text())
    ordo.works("draw", "p.json", "--space-time", "--counts", json.dumps(MATRIX), "-o", "t.svg")


@desk_case("bad counts: each is refused with its place and what was wanted, by every command")
def _(ordo):
    ordo.compile("g.json", operator="allgather", ranks=3)
    ordo.compile("a.json", operator="alltoall", algorithm="pairwise", ranks=3)
    ordo.compile("r.json", operator="allreduce", ranks=3)
    great = 2**59
    count = "wanted a count of elements: digits, below 2"
    bad = [("g.json", "1,-2,3", r"found -2, " + count), ("g.json", "1,+2,3", r"found \+2, "),
           ("g.json", "1,2.5,3", r"found 2.5, "), ("g.json", "1,,3", r"found ,, "),
           ("g.json", "1,2,", r"found the end, "), ("g.json", "[1,2,3", r"wanted a comma, or \]"),
           ("g.json", "[1,2,3]]", r"wanted nothing behind the list"),
           ("g.json", "[[1,2,3],4]", r"found 4, wanted \[, the begin of a row"),
           ("g.json", f"{great},0,0", rf"found {great}, "),
           ("g.json", f"{great - 1},1,0", r"they sum up to 2\^59 elements or more"),
           ("g.json", "1,2", r"found 2, wanted 3: AllGather has one block for each rank"),
           ("g.json", "1,2,3,4", r"found 4, wanted 3"), ("g.json", "", r"found 0, wanted 3"),
           ("g.json", "1,2,3;4,5,6;7,8,9", r"found a matrix of 3 rows, wanted a list of 3"),
           ("a.json", "1,2,3", r"found 1 row, wanted a matrix of 3"),
           ("a.json", "1,2,3;4,5;6,7,8", r"found 2 in row 1, wanted 3, one for each rank"),
           ("a.json", "1,2,3;4,5,6", r"found 2 rows, wanted a matrix of 3"),
           ("a.json", "[[1,2,3],[4,5,6],[]]", r"found 0 in row 2, wanted 3"),
           ("r.json", "1,2,3", r"found 3, wanted none: AllReduce has no form with unequal blocks")]
    for number, (file, text, message) in enumerate(bad):
        command = ["run", "predict", "view"][number % 3]
        ordo.fails(2, "error: counts: .*" + message, command, file, "--counts", text)
        (ordo.folder / "bad.csv").write_text(text)
        place = r"bad.csv(:1:\d+)?: error: counts: .*"
        ordo.fails(2 if file == "r.json" else 3, message if file == "r.json" else place + message,
                   command, file, "--counts", "bad.csv")
    (ordo.folder / "bad.csv").write_text("1,2,3\n4,5,6\n7,eight,9\n")
    ordo.fails(3, r"bad.csv:3:3: error: counts: found eight, ", "run", "a.json", "--counts",
               "bad.csv")
    (ordo.folder / "bad.csv").write_text("1,2,3\n4,5\n7,8,9\n")
    ordo.fails(3, r"bad.csv:2:1: error: counts: found 2 in row 1", "predict", "a.json", "--counts",
               "bad.csv")
    ordo.fails(5, r"missing.csv: error: cannot open.*\nhint: counts are numbers such as 3,0,5",
               "run", "a.json", "--counts", "missing.csv")
    ordo.fails(5, r"a,b: error: cannot open", "run", "a.json", "--counts", "a,b")
    ordo.fails(2, "--count and --counts: give one of them", "run", "g.json", "--counts", "1,2,3",
               "--count", 3)
    ordo.fails(2, "cannot be combined with .*--count", "run", "g.json", "--counts",
               "1,2,3", "--input", "in.json")
    ordo.fails(5, "in the buffers of 3 ranks", "run", "g.json", "--counts", f"{great // 8},0,0")
    ordo.fails(2, "wanted less than 2", "predict", "g.json", "--counts", "1,2,3", "--type", "u8",
               "--size", great)
    ordo.fails(2, "counts", "tune", "allreduce", "--ranks", 3, "--counts", "1,2,3")
    ordo.fails(2, r"--output: found bad.csv, which is what is read", "view", "g.json", "--counts",
               "bad.csv", "-o", "bad.csv")


run_cases()
