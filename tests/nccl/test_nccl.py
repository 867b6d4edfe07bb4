#!/usr/bin/env python3
"""test_nccl.py ORDO REJECT [SEEDS] - what NCCL does, from its log: the orders of the documents, the
answers about sizes, places, jobs and pins, and logs that are wrong."""
import json
import random
import sys

from desk import desk_case
from logs import Log, chain, double_binary, tree
from one_run import Run
from tap import run_cases, wanted

SEEDS = int(sys.argv[3]) if len(sys.argv) > 3 else 60


def add(one, other):
    """A sum, whatever the order of its two parts."""
    return tuple(sorted((one, other), key=repr))


def orders_of(path):
    """The sums in the outputs of a document: {(rank, slot): sum over (rank, ...)}."""
    document = json.loads(path.read_text())
    memory, k, n = {}, document["chunks_per_block"], document["ranks"]
    chunks = k * (n if document["operator"] == "ReduceScatter" else 1)
    for rank in range(n):
        for slot in range(chunks):
            memory[rank, "input", slot] = rank
    run = Run(document)
    for rank, _, _, task in run.moves():
        there = task["peer"] if task["task"] in ("Send", "SendReduce") else rank
        for i in range(task.get("count", 1)):
            found = memory[rank, task["src"][0], task["src"][1] + i]
            place = there, task["dst"][0], task["dst"][1] + i
            reduces = task["task"] in ("LocalReduce", "SendReduce")
            memory[place] = add(memory[place], found) if reduces else found
    wanted(run.is_over(), path)
    return {(place[0], place[2]): value
            for place, value in memory.items() if place[1] == "output"}


def chain_to(ring, end):
    """Round the ring to a rank, each adds its own."""
    at = ring.index(end) + 1
    turned = ring[at:] + ring[:at]
    found = turned[0]
    for rank in turned[1:]:
        found = add(found, rank)
    return found


def tree_sum(one_tree, rank):
    """Own, then what each child sends."""
    found = rank
    for child in one_tree[rank][0]:
        found = add(found, tree_sum(one_tree, child))
    return found


def root_of(one_tree):
    return next(rank for rank, (_, parent) in one_tree.items() if parent < 0)


def schedules(folder):
    """{algorithm of the document: path}"""
    return {
        json.loads(path.read_text())["algorithm"].split(" ", 2)[2]: path
        for path in folder.glob("range-*.json")
    }


TWO_NODES = [[0, 1, 2, 3, 7, 6, 5, 4], [3, 2, 1, 0, 4, 5, 6, 7]]
TWO_TREES = [tree({0: -1, 1: 0, 2: 1, 3: 2, 4: 0, 5: 4, 6: 5, 7: 6}),
             tree({4: -1, 5: 4, 6: 5, 7: 6, 0: 4, 1: 0, 2: 1, 3: 2})]


def write(ordo, log, name="nccl.log"):
    (ordo.folder / name).write_text(log.text())


@desk_case("rings: chunk j of a channel begins after place j and is complete there, on every rank")
def _(ordo):
    for rings in [[[0]], [[0, 1]], [[0, 2, 1]], [[0, 1, 2, 3], [0, 3, 1, 2]], TWO_NODES]:
        n = len(rings[0])
        write(ordo, Log(rings, nodes=2).call(4096).call(8192, protocol="SIMPLE"))
        ordo.works("import", "nccl", "nccl.log", "-o", "set")
        found = schedules(ordo.folder / "set")
        last = len(rings) - 1
        channels = f"channels 0..{last}" if last else "channel 0"
        wanted(set(found) == {f"Ring, LL, {channels}", f"Ring, SIMPLE, {channels}"}, found)
        for path in found.values():
            for (rank, slot), order in orders_of(path).items():
                ring = rings[slot // n]
                wanted(order == chain_to(ring, ring[slot % n]), path, rank, slot, order)


@desk_case("trees: each rank adds its children in the order of the line; one order a channel")
def _(ordo):
    for trees in [[chain([0, 1, 2, 3])], [chain([2, 0, 3, 1]), chain([1, 3, 0, 2])],
                  double_binary(7), TWO_TREES]:
        n = len(trees[0])
        write(ordo, Log([list(range(n))] * len(trees), trees).call(4096, "TREE"))
        ordo.works("import", "nccl", "nccl.log", "-o", "set")
        for path in schedules(ordo.folder / "set").values():
            for (rank, slot), order in orders_of(path).items():
                wanted(order == tree_sum(trees[slot], root_of(trees[slot])), rank, slot, order)


@desk_case("ReduceScatter and Reduce by ring: a chain to the owner of the block, or to the root")
def _(ordo):
    log = Log(TWO_NODES).call(4096, name="ReduceScatter").call(64, name="Reduce")
    write(ordo, log)
    ordo.works("import", "nccl", "nccl.log", "-o", "set", "--operator", "reduce-scatter")
    for path in schedules(ordo.folder / "set").values():
        for (rank, slot), order in orders_of(path).items():
            wanted(order == chain_to(TWO_NODES[slot], rank), rank, slot, order)
    ordo.fails(2, "the log names no root", "import", "nccl", "nccl.log", "--operator", "reduce")
    ordo.works("import", "nccl", "nccl.log", "-o", "one", "--operator", "Reduce", "--root", 5)
    for path in schedules(ordo.folder / "one").values():
        for (rank, slot), order in orders_of(path).items():
            wanted(rank == 5 and order == chain_to(TWO_NODES[slot], 5), rank, slot, order)


def ask(ordo, log, *words):
    write(ordo, log)
    return ordo.answer("import", "nccl", "nccl.log", "-o", "set", *words)


@desk_case("answers: one tree has one order at all sizes and places; rings have as many as ranks")
def _(ordo):
    line = chain([0, 1, 2, 3])
    answer = ask(ordo, Log([[0, 1, 2, 3]], [line]).call(64, "TREE").call(1 << 20, "TREE",
                                                                         "SIMPLE"))
    nccl = answer["nccl"]
    wanted(nccl["one_order_at_all_sizes"] is True and nccl["most_orders"] == 1, nccl)
    wanted([one["orders"] for one in nccl["if_pinned"]] == [1, 1, 4], nccl)
    nccl = ask(ordo, Log([[0, 1, 2, 3]], [line]).call(64).call(128))["nccl"]
    wanted(nccl["one_order_at_all_sizes"] is False and nccl["most_orders"] == 4, nccl)
    wanted((nccl["first_size_before"], nccl["first_size_after"]) == (64, 128), nccl)
    # Two ranks add in one order only.
    nccl = ask(ordo, Log([[0, 1]]).call(64).call(128))["nccl"]
    wanted(nccl["one_order_at_all_sizes"] is True, nccl)
    log = Log(TWO_NODES, TWO_TREES)
    log.call(64, "TREE", channels=(0, 0)).call(256, "TREE", channels=(0, 0))
    log.call(512, "TREE").call(4096)
    answer = ask(ordo, log)
    nccl = answer["nccl"]
    wanted((nccl["first_size_before"], nccl["first_size_after"]) == (256, 512), nccl)
    out = ordo.works("import", "nccl", "nccl.log", "-o", "set").out
    for words in ["256 bytes (Tree, LL, channel 0: 1 order)",
                  "and 512 bytes (Tree, LL, channels 0..1: 2 orders)", "at 512 bytes, from range-0",
                  "f32 67108864 from rank", "2 orders: chunk 0 is ", " = 0x1p+26, "]:
        wanted(words in out, words, out)
    ordo.fails(1, "", "verify", "set", "--require", "constant")


@desk_case("two jobs: the same orders, or the first size at which they differ")
def _(ordo):
    one, other = Log([[0, 1, 2, 3]]).call(64).call(128), Log([[0, 2, 1, 3]], pid=700)
    write(ordo, one)
    write(ordo, Log([[1, 2, 3, 0]], pid=700).call(128).call(256), "turned.log")
    write(ordo, other.call(64), "other.log")
    write(ordo, Log([[0, 1, 2]]).call(64), "small.log")
    answer = ordo.answer("import", "nccl", "nccl.log", "--against", "other.log")["nccl"]
    wanted(answer["same_in_both_jobs"] is False and answer["differs_at"] == 64, answer)
    answer = ordo.answer("import", "nccl", "nccl.log", "--against", "nccl.log")["nccl"]
    wanted(answer["same_in_both_jobs"] is True, answer)
    # The same ring from another rank on: its chunks are complete elsewhere.
    answer = ordo.answer("import", "nccl", "nccl.log", "--against", "turned.log")["nccl"]
    wanted(answer["same_in_both_jobs"] is False and answer["differs_at"] == 128, answer)
    write(ordo, Log([[0, 1, 2, 3]]).call(4096), "larger.log")
    done = ordo("import", "nccl", "nccl.log", "--against", "larger.log")
    wanted(done.returncode == 4 and "no size is in both logs" in done.out, done.out)
    ordo.fails(2, "found 3 ranks, wanted 4", "import", "nccl", "nccl.log", "--against", "small.log")


@desk_case("what is not modelled is named, and leaves exit code 4")
def _(ordo):
    line = [chain([0, 1, 2])]
    for name in ["NVLS", "NVLS_TREE", "COLLNET_DIRECT", "COLLNET_CHAIN", "PAT", "SYMK"]:
        write(ordo, Log([[0, 1, 2]], line).call(64, "TREE").call(4096, name))
        done = ordo("import", "nccl", "nccl.log", "-o", "set")
        wanted(done.returncode == 4 and f"{name} at 4096 bytes" in done.out, done.out, done.err)
        wanted(json.loads((ordo.folder / "set" / "plan-set.json").read_text())["ranges"] == [{
            "from_bytes": 64, "to_bytes": 4095, "schedule": "range-0.json"}, {
            "from_bytes": 4096, "to_bytes": 4096, "schedule": None}], name)
        wanted("undecided: at some sizes the library chooses" in done.out, done.out)
        # Between two that are modelled, and used twice at one size, once not modelled.
        write(ordo, Log([[0, 1, 2]], line).call(64, "TREE").call(512, name).call(512).call(4096))
        ordo("import", "nccl", "nccl.log", "-o", "set")
        found = json.loads((ordo.folder / "set" / "plan-set.json").read_text())["ranges"]
        wanted([(one["from_bytes"], one["schedule"] is None) for one in found] ==
               [(64, False), (512, True), (4096, False)], name, found)
        write(ordo, Log([[0, 1, 2]], line).call(64, "TREE").call(512, name).call(4096))
        done = ordo("import", "nccl", "nccl.log", "--json")
        nccl = json.loads(done.out)["nccl"]
        wanted(done.returncode == 4 and nccl["first_size_after"] == 4096 and nccl["not_modelled"]
               == [{"algorithm": name, "bytes": 512}], nccl)
        write(ordo, Log([[0, 1, 2]], line).call(4096, name))
        wanted(ordo("import", "nccl", "nccl.log", "-o", "none").returncode == 4, name)
    for version, named in [("2.8.4", "NCCL 2.8.4"), ("2.31.0", "NCCL 2.31.0"), ("3.1.0", "NCCL 3")]:
        write(ordo, Log([[0, 1, 2]], version=version).call(64))
        ordo.fails(4, f"{named}.* is not modelled", "import", "nccl", "nccl.log")
    text = Log([[0, 1, 2]]).call(64).text().replace("NCCL version", "RCCL version")
    (ordo.folder / "nccl.log").write_text(text)
    ordo.fails(4, "RCCL 2.24.3 is not modelled", "import", "nccl", "nccl.log")


@desk_case("several files, old lines, and what the user says where the log does not")
def _(ordo):
    log = Log(TWO_NODES, TWO_TREES).call(64, "TREE")
    for rank in range(8):
        (ordo.folder / f"{rank}.log").write_text(log.of_rank(rank))
    ordo.works("import", "nccl", *(f"{rank}.log" for rank in range(8)), "-o", "set")
    ordo.fails(3, "no line \"Trees\" of rank 7", "import", "nccl",
               *(f"{rank}.log" for rank in range(7)))
    bare = Log(TWO_NODES, TWO_TREES, version="2.18.3")
    write(ordo, bare)
    ordo.fails(3, "no line \"Bytes -> Algo\"", "import", "nccl", "nccl.log")
    ordo.works("import", "nccl", "nccl.log", "--algo", "tree", "--channels", "0-1", "-o", "set")
    ordo.fails(2, "--algo wants --channels", "import", "nccl", "nccl.log", "--algo", "ring")
    ordo.fails(2, "--algo: found trees", "import", "nccl", "nccl.log", "--algo", "trees",
               "--channels", 0)
    ordo.fails(3, "channels 0..2: the log has rings of 0..1", "import", "nccl", "nccl.log",
               "--algo", "ring", "--channels", "0-2")
    bare.calls = ["64 Bytes -> Algo 0 proto 0 time 12.5", "4096 Bytes -> Algo 1 proto 2 time 20.1"]
    write(ordo, bare)
    ordo.fails(3, "does not name its collective", "import", "nccl", "nccl.log")
    ordo.fails(3, "names no channels", "import", "nccl", "nccl.log", "--operator", "allreduce")
    ordo.works("import", "nccl", "nccl.log", "--operator", "allreduce", "--channels", "0-1", "-o",
               "set")
    wanted(set(schedules(ordo.folder / "set")) ==
           {"Tree, LL, channels 0..1", "Ring, SIMPLE, channels 0..1"}, "numbers are names")
    ordo.fails(2, "adds nothing", "import", "nccl", "nccl.log", "--operator", "allgather")
    ordo.fails(2, "--channels: found 1-0", "import", "nccl", "nccl.log", "--channels", "1-0")
    long = Log([list(range(40))])
    long.cut = 20
    write(ordo, long.call(64))
    ordo.works("import", "nccl", "nccl.log", "-o", "set")


BAD = [
    (lambda text: text.replace("NCCL version 2.24.3", "NCCL Version"), "no line \"NCCL version\""),
    (lambda text: text.replace("Init", "Begin"), "no line \"comm 0x"),
    (lambda text: text.replace("version 2.24.3", "version 2.24"), ":2:1: error: a cut or mixed"),
    (lambda text: text.replace(" : 1 -> 0 -> 3", " : 1 -> 0 ->"), "the beginning of a ring"),
    (lambda text: text.replace("->1->0 [1]", "->1-> [1]"), "the beginning of a tree"),
    (lambda text: text.replace("{0..1}", "{0..1", 1), "the channels of a call"),
    (lambda text: text.replace("{0..1}", "{1..0}", 1), "the channels of a call"),
    (lambda text: text.replace(" proto LL channel", "", 1), "the choice of an algorithm"),
    (lambda text: text.replace("0   1   2   3\n", "0   1   2   3x\n"), "the ranks of a channel"),
    (lambda text: text.replace("0   1   2   3\n", "0   1   3   2\n"),
     "rank 3 sends to 0, and in another line to 2"),
    (lambda text: text.replace("0   1   2   3\n", "0   1   2   7\n"), "no rank 7 of 4"),
    (lambda text: text.replace("0   1   2   3\n", "0   1   2   3   0\n"), "found 5 ranks"),
    (lambda text: text.replace("0   1   2   3\n", "0   1   2\n").replace("Ring 00", "Ripg 00"),
     "the ring is cut: no line \"Ring 00\" of rank 2"),
    (lambda text: text.replace("rank 2 nranks 4", "rank 2 nranks 8"), "two communicators"),
    (lambda text: text.replace("rank 3 nranks 4", "rank 2 nranks 4"), "two communicators"),
    (lambda text: text.replace("0x8a7b6c5d", "0x11", 1), "two communicators"),
    (lambda text: text.replace("Channel 01/02", "Channel 01/04"), "found 4 channels, and 2"),
    (lambda text: text.replace("Ring 01", "Ring 07"), "ring 7: there are 2 channels"),
    (lambda text: text.replace("[1] -1/-1/-1->1->2", "[1] -1/-1/-1->1->3"), "does not name it"),
    (lambda text: text.replace("\n", " ", 2), "two lines in one"),
    (lambda text: text.replace("nranks 4", "nranks 2147483647"), "not complete"),
    (lambda text: text.replace("nranks 4", "nranks 99999999999999999999"), "a cut or mixed line"),
    (lambda text: text.replace("4096 Bytes", "99999999999999999999 Bytes"), "the choice of an"),
    (lambda text: text + "node0:1:2 [0] NCCL INFO NCCL version 2.23.4\n", "two versions"),
    (lambda text: text.replace("AllReduce:", "AllGather:"), "no call of AllReduce; found one"),
    (lambda text: "", "no line \"NCCL version\""),
]


def good():
    return Log([[0, 1, 2, 3], [0, 3, 2, 1]], [chain([0, 1, 2, 3]), chain([0, 3, 2, 1])]).call(
        4096, "TREE").call(65536)


@desk_case("lines that are missing, cut, mixed or contradict each other are errors that say which")
def _(ordo):
    text = good().text()
    for i, (spoil, message) in enumerate(BAD):
        bad = spoil(text)
        wanted(bad != text, i)
        (ordo.folder / "nccl.log").write_text(bad)
        ordo.fails(3, message.replace("(", r"\("), "import", "nccl", "nccl.log")
    ordo.fails(3, "cannot be read", "import", "nccl", "missing.log")
    ordo.fails(2, "wanted a format", "import")


@desk_case("other text, line ends of two letters and NUL between the lines do no harm")
def _(ordo):
    lines = good().text().splitlines()
    noise = ["", "loss: 0.1", "NCCL INFO", "node0:1:2 [0] NCCL INFO Connected all rings",
             "x" * 70000, "a\0b", "node0:1:2 [0] NCCL INFO comm 0x1 rank 0 nranks 9 - Abort"]
    text = "".join(line + "\r\n" + noise[i % len(noise)] + "\n" for i, line in enumerate(lines))
    (ordo.folder / "nccl.log").write_text(text)
    ordo.works("import", "nccl", "nccl.log", "-o", "set")


@desk_case("random faults: an error, or orders that the lines of the log mean; never more")
def _(ordo):
    text, codes = good().text(), set()
    for seed in range(SEEDS):
        chance = random.Random(seed)
        letters = list(text)
        for _ in range(chance.randint(1, 3)):
            at = chance.randrange(len(letters))
            letters[at:at + chance.randint(0, 2)] = chance.choice(
                ["", "\n", "0", "9", "-1", " ", "\0", "->", "[", "x" * 30])
        (ordo.folder / "nccl.log").write_text("".join(letters))
        done = ordo("import", "nccl", "nccl.log")
        wanted(done.returncode in (0, 3, 4), seed, done.returncode, done.err)
        wanted(done.returncode == 0 or done.err or "not modelled" in done.out, seed)
        codes.add(done.returncode)
    wanted({0, 3} <= codes, codes)


run_cases()
