#!/usr/bin/env python3
"""test_documents.py LIBRARY PATH PROGRAM ORDO - reductions that follow documents (`plans=FOLDER`).

What a document sums to is computed here, by executing its tasks one after another."""
import json
import math
import pathlib
import re
import shutil
import struct
import subprocess
import sys
import tempfile

import launch
from tap import case, run_cases, wanted

LIBRARY, PATH, PROGRAM, ORDO = sys.argv[1:5]
FOLDER = pathlib.Path(tempfile.mkdtemp())


def as_float(x):
    return struct.unpack("f", struct.pack("f", x))[0]


def value(rank, i):
    a = (i * 7919 + rank * 104729) % 1000003
    scale = 16384.0 if i % 3 == 0 else 1 / 1024 if i % 3 == 1 else 1.0
    return a * scale / (3 if rank % 2 else 7)


def floats(rank, n):
    return [as_float(value(rank, i)) for i in range(n)]


def add_floats(a, b):
    return [as_float(x + y) for x, y in zip(a, b)]


def add_complex(a, b):
    return [(x[0] + y[0], x[1] + y[1]) for x, y in zip(a, b)]


def digest(data):
    h = 1469598103934665603
    for byte in data:
        h = (h ^ byte) * 1099511628211 % 2**64
    return f"{h:016x}"


def chunks(vector, blocks, number):
    """The vector, divided into blocks of these lengths, and each of them into chunks."""
    found, begin = [], 0
    for n in blocks:
        ends = [-(-k * n // number) for k in range(number + 1)]
        found += [vector[begin + ends[k]:begin + ends[k + 1]] for k in range(number)]
        begin += n
    return found


def execute(document, inputs, add, blocks):
    """Executes a schedule on inputs[rank], whose blocks have these lengths; outputs[rank]."""
    nrank, number = document["ranks"], document["chunks_per_block"]
    memory, tokens = {}, {}
    for rank in range(nrank):
        for slot, chunk in enumerate(chunks(inputs[rank], blocks, number)):
            memory[rank, "input", slot] = chunk
    scatters = document["operator"] == "ReduceScatter"

    def place(rank, slot):
        """In place, the input is the memory of the output."""
        buffer, slot = slot
        if document["in_place"] and buffer == "output":
            return rank, "input", slot + (rank * number if scatters else 0)
        return rank, buffer, slot

    def run(rank, task):
        peer, kind = task.get("peer", rank), task["task"]
        key = (peer, rank) if kind == "Wait" else (rank, peer)
        key += (task.get("signal"),)
        if kind == "Wait" and not tokens.get(key):
            return False
        if kind in ("Wait", "Notify"):
            tokens[key] = tokens.get(key, 0) + (1 if kind == "Notify" else -1)
            return True
        for i in range(task.get("count", 1)):
            src, dst = (place(r, (task[side][0], task[side][1] + i))
                        for r, side in ((rank, "src"), (peer, "dst")))
            memory[dst] = add(memory[dst], memory[src]) if "Reduce" in kind else memory[src]
        return True

    streams = [[program["rank"], list(stream["tasks"])] for program in document["programs"]
               for stream in program["streams"]]
    while any(tasks for _, tasks in streams):
        before = sum(len(tasks) for _, tasks in streams)
        for rank, tasks in streams:
            while tasks and run(rank, tasks[0]):
                tasks.pop(0)
        wanted(sum(len(tasks) for _, tasks in streams) < before, "a deadlock")
    outputs = []
    for rank in range(nrank):
        has = document.get("root", rank) == rank
        slots = range(number) if has else []
        outputs.append(sum((memory[place(rank, ("output", slot))] for slot in slots), []))
    return outputs


def read(path):
    return json.loads(pathlib.Path(path).read_text())


def compile_schedule(path, operator, ranks, algorithm, *more):
    subprocess.run([ORDO, "compile", operator, "--ranks", str(ranks), "--algorithm", algorithm,
                    *more, "-o", path], check=True, stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    return path


def folder(name):
    path = FOLDER / name
    path.mkdir()
    return path


def pack(vector):
    return struct.pack(f"{len(vector)}f", *vector)


def expected_all(document, ranks, n):
    vectors = [floats(r, n) for r in range(ranks)]
    whole = digest(pack(execute(document, vectors, add_floats, [n])[ranks - 1]))
    numbers = [[(value(r, i) / 11, value(r, i + 1)) for i in range(n)] for r in range(ranks)]
    sums = execute(document, numbers, add_complex, [n])[0]
    return {f"{name}-{n}": whole for name in ("allreduce", "in-place", "iallreduce")} | {
        f"complex-{n}": digest(b"".join(struct.pack("dd", *one) for one in sums))}


def expected_to(document, ranks, n=600):
    root = document["root"]
    result = execute(document, [floats(r, n) for r in range(ranks)], add_floats, [n])[root]
    return {f"{name}-{root}": digest(pack(result))
            for name in ("reduce", "reduce-in-place", "ireduce")}


def expected_scatter(document, ranks):
    found = {}
    for names, blocks in ((("scatter", "scatter-in-place", "iscatter"),
                           [100 + 37 * r for r in range(ranks)]),
                          (("scatter-block", "iscatter-block"), [100] * ranks)):
        vectors = [floats(r, sum(blocks)) for r in range(ranks)]
        outputs = execute(document, vectors, add_floats, blocks)
        found |= {name: digest(pack(sum(outputs, []))) for name in names}
    return found


def start(ranks, path, settings=""):
    words = launch.command(LIBRARY, ranks, [PROGRAM])
    return launch.run(LIBRARY, words, {"LD_PRELOAD": PATH,
                                       "ORDO_MPI": f"plans={path}{settings}"})


def results(done):
    """Of two turns, which agree."""
    wanted(done.returncode == 0, done.stdout, done.stderr)
    lines = [line.split() for line in done.stdout.splitlines()]
    first, second = lines[:len(lines) // 2], lines[len(lines) // 2:]
    wanted(first and first == second, first, second)
    return dict(first)


def agree(found, wished):
    wanted(wished.items() <= found.items(),
           {name: (found.get(name), wished[name]) for name in wished
            if found.get(name) != wished[name]})


@case("every function follows the documents, with several trees, in and out of place")
def _():
    path = folder("out")
    compile_schedule(path / "all.json", "AllReduce", 3, "ring")
    compile_schedule(path / "to.json", "Reduce", 3, "ring", "--root", "1")
    compile_schedule(path / "scatter.json", "ReduceScatter", 3, "ring", "--chunks", "2")
    other = folder("in-place")
    compile_schedule(other / "all.json", "AllReduce", 3, "ring", "--in-place", "--chunks", "6")
    compile_schedule(other / "to.json", "Reduce", 3, "ring", "--root", "1", "--in-place")
    compile_schedule(other / "scatter.json", "ReduceScatter", 3, "ring", "--in-place")
    seen = []
    for each in (path, other):
        wished = {**expected_all(read(each / "all.json"), 3, 7),
                  **expected_all(read(each / "all.json"), 3, 600),
                  **expected_to(read(each / "to.json"), 3),
                  **expected_scatter(read(each / "scatter.json"), 3)}
        done = start(3, each)
        agree(results(done), wished)
        seen.append(wished)
        for name in ("all.json: AllReduce", "to.json: Reduce", "scatter.json: ReduceScatter"):
            wanted(name in done.stderr, done.stderr)
        wanted("order digest" in done.stderr and ", 3 orders, " in done.stderr, done.stderr)
        wanted("not covered by plans: Reduce on 3 ranks, in the order dyadic" in done.stderr,
               done.stderr)
    plain = launch.run(LIBRARY, launch.command(LIBRARY, 3, [PROGRAM]), {"LD_PRELOAD": PATH})
    for name, other in results(plain).items():  # the dyadic order gives other bits
        wanted(seen[0].get(name) != other or name.endswith("-7"), name)


@case("a document with one tree is followed through shared memory and by messages")
def _():
    path = folder("one-tree")
    compile_schedule(path / "all.json", "AllReduce", 4, "mesh(fold=linear)")
    wished = {**expected_all(read(path / "all.json"), 4, 600),
              **expected_all(read(path / "all.json"), 4, 7)}
    for settings in ("", ",messages"):
        agree(results(start(4, path, settings)), wished)


def in_units(x, least):
    """A float as an integer in units of 2^least, exactly."""
    significand, exponent = math.frexp(x)
    whole, shift = int(significand * 2**53), exponent - 53 - least
    return whole << shift if shift >= 0 else whole >> -shift


def binned_sum(column, precision, least, words):
    """The sum of what is in the `words` highest bins of 28 bits, rounded once."""
    units = [in_units(x, least) for x in column]
    bins = [max(abs(u).bit_length() - 1, 0) // 28 for u in units]
    cut = 28 * max(max(bins) - (words - 1), 0)
    total = sum((1 if u > 0 else -1) * (abs(u) >> cut << cut) for u in units)
    drop = max(abs(total).bit_length() - precision, 0)
    kept, rest = abs(total) >> drop, abs(total) & ((1 << drop) - 1)
    half = 1 << drop >> 1
    kept += drop > 0 and (rest > half or (rest == half and kept & 1))
    return math.ldexp(kept, drop + least) * (1 if total >= 0 else -1)


def sum_floats(vectors):
    return [binned_sum(column, 24, -149, 2) for column in zip(*vectors)]


def sum_complex(vectors):
    return [tuple(binned_sum([x[part] for x in column], 53, -1074, 3) for part in (0, 1))
            for column in zip(*vectors)]


def binned(n):
    whole = digest(pack(sum_floats([floats(r, n) for r in range(3)])))
    numbers = sum_complex([[(value(r, i) / 11, value(r, i + 1)) for i in range(n)]
                           for r in range(3)])
    return {f"{name}-{n}": whole for name in ("allreduce", "in-place", "iallreduce")} | {
        f"complex-{n}": digest(b"".join(struct.pack("dd", *one) for one in numbers))}


@case("a document whose sums have no order gives them, by every way; other operations it does not")
def _():
    path, form = folder("binned"), ("--accumulate", "binned(bins=2)")
    compile_schedule(path / "all.json", "AllReduce", 3, "ring", *form)
    compile_schedule(path / "to.json", "Reduce", 3, "ring", "--root", "1", *form)
    compile_schedule(path / "scatter.json", "ReduceScatter", 3, "ring", *form)
    n = 3 * 100 + 37 * 3
    sums = digest(pack(sum_floats([floats(r, n) for r in range(3)])))
    root = digest(pack(sum_floats([floats(r, 600) for r in range(3)])))
    wished = {**binned(7), **binned(600),
              **{name: root for name in ("reduce-1", "reduce-in-place-1", "ireduce-1")},
              **{name: sums for name in ("scatter", "scatter-in-place", "iscatter")}}
    plain = results(launch.run(LIBRARY, launch.command(LIBRARY, 3, [PROGRAM]),
                               {"LD_PRELOAD": PATH}))
    for settings in ("", ",messages"):
        done = start(3, path, settings)
        found = results(done)
        agree(found, wished)
        agree(found, {name: plain[name] for name in ("product-600", "reduce-0")})
        wanted("all.json: AllReduce on 3 ranks, by ring, sums without order (binned(bins=2))"
               in done.stderr, done.stderr)
        wanted("not covered by plans: AllReduce on 3 ranks, in the order dyadic" in done.stderr,
               done.stderr)
    wanted(plain["allreduce-600"] != wished["allreduce-600"], "the inputs show no difference")


@case("a plan set is followed by size, and the report says where its order changes")
def _():
    path = folder("sets") / "by-size"
    path.mkdir()
    compile_schedule(path / "small.json", "AllReduce", 3, "mesh(fold=linear)")
    compile_schedule(path / "large.json", "AllReduce", 3, "ring")
    (path / "plan-set.json").write_text(json.dumps(
        {"schema": "ordo/plan-set/1", "operator": "AllReduce", "ranks": 3, "in_place": False,
         "ranges": [{"from_bytes": 1, "to_bytes": 200, "schedule": "small.json"},
                    {"from_bytes": 201, "to_bytes": 1000, "schedule": None},
                    {"from_bytes": 1001, "to_bytes": 9000, "schedule": "large.json"}]}))
    small, large = read(path / "small.json"), read(path / "large.json")
    done = start(3, path.parent)
    found = results(done)
    both = {**expected_all(small, 3, 7), **expected_all(large, 3, 600)}
    uncovered = both.pop("complex-600")  # 9600 bytes
    agree(found, both)
    wanted(found["complex-600"] != uncovered)
    wanted("by-size: AllReduce on 3 ranks, its order changes with the size" in done.stderr,
           done.stderr)
    wanted(" 1001 to 9000 bytes: large.json" in done.stderr, done.stderr)
    wanted("not covered by plans: AllReduce on 3 ranks" in done.stderr, done.stderr)
    # The folder may be the set itself, and the set a file beside schedules; one of these may be a
    # folder.
    answer = FOLDER / "report.json"
    agree(results(start(3, path, f",report={answer}")), both)
    report = json.loads(answer.read_text())
    document = report["documents"][0]
    wanted(document["order_changes_with_size"] and document["ranks"] == 3, document)
    wanted([(one["schedule"], one["to_bytes"], one["calls"] > 0) for one in document["ranges"]] ==
           [("small.json", 200, True), ("large.json", 9000, True)], document)
    wanted(report["not_covered"][0]["operator"], report)
    flat = folder("flat")
    compile_schedule(flat / "small", "AllReduce", 3, "mesh(fold=linear)")
    shutil.copy(path / "large.json", flat)
    text = (path / "plan-set.json").read_text().replace("small.json", "small")
    (flat / "by-size.json").write_text(text)
    compile_schedule(flat / "to", "Reduce", 3, "ring", "--root", "1")
    compile_schedule(FOLDER / "to.json", "Reduce", 3, "ring", "--root", "1")
    done = start(3, flat)
    agree(results(done), {**both, **expected_to(read(FOLDER / "to.json"), 3)})
    wanted("by-size.json: AllReduce" in done.stderr and "to: Reduce" in done.stderr, done.stderr)


@case("sizes that a plan set leaves to the library have the usual order")
def _():
    path = folder("own-choice")
    compile_schedule(path / "small.json", "AllReduce", 3, "ring")
    (path / "plan-set.json").write_text(json.dumps(
        {"schema": "ordo/plan-set/1", "operator": "AllReduce", "ranks": 3, "in_place": False,
         "ranges": [{"from_bytes": 0, "to_bytes": 3, "schedule": None},
                    {"from_bytes": 4, "to_bytes": 200, "schedule": "small.json"},
                    {"from_bytes": 201, "to_bytes": 9000, "schedule": None},
                    {"from_bytes": 9001, "schedule": "small.json"}]}))
    done = start(3, path)
    found, small = results(done), read(path / "small.json")
    plain = results(launch.run(LIBRARY, launch.command(LIBRARY, 3, [PROGRAM]),
                               {"LD_PRELOAD": PATH}))
    agree(found, expected_all(small, 3, 7))
    agree(found, {name: plain[name] for name in ("allreduce-600", "in-place-600")})
    agree(found, {"complex-600": expected_all(small, 3, 600)["complex-600"]})
    for text in ("one order for all sizes that it covers", "9001 bytes and more: small.json",
                 "not covered by plans: AllReduce on 3 ranks"):
        wanted(text in done.stderr, text, done.stderr)


def fails(done, *texts):
    wanted(done.returncode != 0 and all(text in done.stderr for text in texts)
           and "allreduce" not in done.stdout, texts, done.returncode, done.stdout, done.stderr)


@case("a document of other ranks, or that moves data only, is reported and not used")
def _():
    path = folder("others")
    compile_schedule(path / "five.json", "AllReduce", 5, "ring")
    compile_schedule(path / "gather.json", "AllGather", 2, "ring")
    done = start(2, path)
    results(done)
    wanted(", not used by rank 0" in done.stderr and "it only moves data" in done.stderr,
           done.stderr)


@case("what cannot be used ends the program before anything runs, and is named")
def _():
    fails(start(2, FOLDER / "missing"), "plans: ", "missing: No such file")
    fails(start(2, folder("empty")), "has no schedule and no plan set")
    path = folder("twice")
    compile_schedule(path / "a.json", "AllReduce", 2, "ring")
    compile_schedule(path / "b.json", "AllReduce", 2, "mesh", "--in-place")
    fails(start(2, path), "two documents for AllReduce on 2 ranks: a.json and b.json")
    path = folder("exact")
    compile_schedule(path / "a.json", "AllReduce", 2, "ring", "--accumulate", "exact")
    fails(start(2, path), "plans: ", "it accumulates in exact form, and MPI has no type")
    path = folder("failures")
    command = [ORDO, "compile", "allreduce", "-n", "3", "--fail-any-link", "-o", path]
    subprocess.run(command, check=True, stderr=subprocess.DEVNULL)
    fails(start(2, path), "is a failure set, wanted a schedule or a plan set")
    path = folder("broken")
    document = compile_schedule(path / "a.json", "AllReduce", 2, "ring")
    text = document.read_text().splitlines(keepends=True)
    number = next(i for i, line in enumerate(text) if '"Wait"' in line)
    document.write_text("".join(text[:number] + text[number + 1:]))
    fails(start(2, path), "plans: ", "a.json:", "error[R6]")
    (path / "a.json").write_text("{}")
    fails(start(2, path), "a.json:1:", "error[R1]")
    fails(start(2, path, ",order=library"), "nothing follows them with order=library")


@case("only rank 0 has the folder")
def _():
    path = folder("rank-0")
    compile_schedule(path / "all.json", "AllReduce", 2, "mesh(fold=linear)")
    script = FOLDER / "script"
    rank = {"openmpi": "OMPI_COMM_WORLD_RANK", "mpich": "PMI_RANK"}[LIBRARY]
    script.write_text(f'#!/bin/sh\n[ "${rank}" = 0 ] || export ORDO_MPI=plans=/no/such/folder\n'
                      f'exec "{PROGRAM}"\n')
    script.chmod(0o755)
    done = launch.run(LIBRARY, launch.command(LIBRARY, 2, [script]),
                      {"LD_PRELOAD": PATH, "ORDO_MPI": f"plans={path}"})
    agree(results(done), expected_all(read(path / "all.json"), 2, 600))


@case("documents are followed in a program that starts MPI by a session alone")
def _():
    if LIBRARY == "openmpi":
        print("# not tested: Open MPI 4 has no sessions")
        return
    path = folder("session")  # of the dyadic order, which the program expects
    compile_schedule(path / "all.json", "AllReduce", 2, "dyadic")
    program = pathlib.Path(PROGRAM).parent / f"communicators_{LIBRARY}"
    done = launch.run(LIBRARY, launch.command(LIBRARY, 2, [program, "session"]),
                      {"LD_PRELOAD": PATH, "ORDO_MPI": f"plans={path}"})
    # Lines of two processes may be interleaved.
    wanted(done.returncode == 0 and done.stdout.count("all agree") == 2, done.stdout, done.stderr)
    wanted(re.search("all.json: AllReduce on 2 ranks, by dyadic.*, [1-9] calls", done.stderr),
           done.stderr)


@case("part of the ranks, in another order, follow the document for so many")
def _():
    path = folder("split")
    compile_schedule(path / "all.json", "AllReduce", 3, "ring")
    words = launch.command(LIBRARY, 5, [pathlib.Path(PROGRAM).parent / f"program_{LIBRARY}"])
    done = launch.run(LIBRARY, words, {"LD_PRELOAD": PATH, "ORDO_MPI": f"plans={path}"})
    wanted(done.returncode == 0, done.stderr)
    found = dict(line.split() for line in done.stdout.splitlines())
    leaves = [[as_float(value(r, 1))] for r in (4, 2, 0)]
    wished = digest(pack(execute(read(path / "all.json"), leaves, add_floats, [1])[2]))
    wanted(found["split"] == wished, found, wished)
    wanted("by ring, 3 orders" in done.stderr and ", 1 call\n" in done.stderr, done.stderr)
    wanted("not covered by plans: AllReduce on 5 ranks, in the order dyadic" in done.stderr,
           done.stderr)


@case("ordo mpi --plans passes the folder on, and the number of shards")
def _():
    start_shell = [ORDO, "mpi", "--mpi", LIBRARY, "--plans", "x", "/bin/sh", "-c",
                   'echo "$ORDO_MPI"']
    for more, settings in (([], ""), (["--shards", "8"], "shards=8,")):
        done = launch.run(LIBRARY, start_shell[:2] + more + start_shell[2:])
        wanted(done.stdout == f"{settings}plans={pathlib.Path.cwd()}/x\n", done)
    done = launch.run(LIBRARY, start_shell[:2] + ["--shards", "some"] + start_shell[2:])
    wanted(done.returncode == 2 and "--shards" in done.stderr and "some" in done.stderr, done)


if not launch.command(LIBRARY, 1, []):
    print(f"1..0 # SKIP there is no launcher of {LIBRARY}")
    sys.exit(0)
try:
    run_cases()
finally:
    shutil.rmtree(FOLDER)
