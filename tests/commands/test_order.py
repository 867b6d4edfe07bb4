#!/usr/bin/env python3
"""test_order.py ORDO REJECT - order: trees, digests and tables."""
import json
import re
import resource
import xml.dom.minidom

import strict_json
from command import REJECT, own_first
from desk import desk_case
from tap import run_cases, wanted


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


run_cases()
