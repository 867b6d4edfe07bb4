#!/usr/bin/env python3
"""test_kit.py ORDO [length] - programs of `ordo probe --kit` on machines whose trees are known, and
what `ordo probe --answers` says about them."""
import json
import os
import pathlib
import subprocess
import sys

from desk import desk_case
from tap import run_cases, wanted

RUN = pathlib.Path(__file__).parent / "run_kit.py"
LONG = "length" in sys.argv



def ask(ordo, machine, *words, ranks=4, operator="allreduce"):
    """A kit, its program on the machine, and what it answers."""
    ordo.works("probe", operator, "--kit", "kit", "--ranks", ranks, *words)
    program(ordo, machine, ranks)
    return ordo.answer("probe", "--answers", "answers.json")


def program(ordo, machine, ranks, answers="answers.json", environment=None):
    done = subprocess.run([sys.executable, RUN, "kit/probe.py", machine, answers],
                          cwd=ordo.folder, env={**os.environ, "WORLD_SIZE": str(ranks),
                                                **(environment or {})},
                          capture_output=True, timeout=600, check=False)
    wanted((done.returncode == 0) == ("nowhere" not in answers), machine, done.stderr.decode())
    return done.stderr.decode()


def trees(answer, size=0):
    return [order.get("tree") for order in answer["sizes"][size]["orders"]]


@desk_case("the trees of machines are found, in every type, and on other numbers of ranks")
def _(ordo):
    for type_ in ("f16", "bf16", "f32", "f64"):
        found = ask(ordo, "tree", "--type", type_, "--size", 64, "--repeat", 1)
        wanted(trees(found) == ["((0+1)+(2+3))"] and found["exit code"] == 0, type_, found)
        wanted(found["rank_equal"] and found["one_order_at_all_places"], found)
    for ranks in (2, 3, 7) + ((8, 16, 18) if LONG else ()):
        found = ask(ordo, "ring", "--size", "1KiB", "--repeat", 1, ranks=ranks)
        wanted(len(trees(found)) == (1 if ranks == 2 else ranks), found)
        wanted(None not in trees(found) and not found["without_tree"], found)


@desk_case("sums made in f32 and rounded once are trees too")
def _(ordo):
    for type_ in ("f16", "bf16"):
        found = ask(ordo, "wide", "--type", type_, "--size", 64, "--repeat", 1, ranks=8)
        wanted(trees(found) == ["(((0+1)+(2+3))+((4+5)+(6+7)))"], type_, found)


@desk_case("Reduce and ReduceScatter")
def _(ordo):
    found = ask(ordo, "ring", "--root", 2, "--size", 256, "--repeat", 1, operator="reduce")
    wanted(len(trees(found)) == 4 and found["exit code"] == 0, found)
    wanted({order["rank"] for order in found["sizes"][0]["orders"]} == {2}, found)
    found = ask(ordo, "ring", "--size", 256, "--repeat", 1, operator="reduce-scatter")
    wanted([order["rank"] for order in found["sizes"][0]["orders"]] == [0, 1, 2, 3], found)


@desk_case("sizes, ranks and repetitions that differ; results that no tree of sums gives")
def _(ordo):
    sizes = ("--size", 256, "--end", "4KiB", "--repeat", 2)
    found = ask(ordo, "by_size", *sizes)
    wanted(not found["same_orders_at_all_sizes"] and found["exit code"] == 0, found)
    text = ordo("probe", "--answers", "answers.json").out
    wanted("not the same: 256 bytes and 4096 bytes have other orders" in text, text)
    found = ask(ordo, "ranks_differ", "--size", 64)
    wanted(not found["rank_equal"] and found["run_to_run"] and found["exit code"] == 1, found)
    found = ask(ordo, "timing", "--size", 64)
    wanted(not found["run_to_run"] and found["exit code"] == 1, found)
    for machine, why in (("exact", "no tree of rounded additions"),
                         ("wrong_element", "it is 2, not 1"),
                         ("wrong_chunk", "with 1 in input 0 and 0 in the others it is ")):
        found = ask(ordo, machine, "--size", 68, "--repeat", 1)
        wanted(found["exit code"] == 1 and why in found["sizes"][0]["orders"][0]["why"], found)
        wanted(found["without_tree"] == 4 * 17 and trees(found) == [None], found)


@desk_case("settings that are not UTF-8, and a folder for answers that is missing")
def _(ordo):
    ordo.works("probe", "--kit", "kit", "--ranks", 2, "--size", 64, "--repeat", 1)
    program(ordo, "tree", 2, environment={"NCCL_ALGO": b"Ring\xff", "HOME_DIR": "secret"})
    out = ordo.works("probe", "--answers", "answers.json").out
    wanted("NCCL_ALGO=Ring?" in out and "secret" not in out, out)
    said = program(ordo, "tree", 2, "nowhere/answers.json")
    wanted("nowhere/answers.json.new" in said and "in write" not in said, said)


@desk_case("--against a schedule, and a plan set")
def _(ordo):
    ask(ordo, "ring", "--size", 256, "--end", "4KiB", "--repeat", 1)
    ordo.compile("ring.json", algorithm="ring")
    done = ordo.works("probe", "--answers", "answers.json", "--against", "ring.json")
    wanted(done.out.count(": agrees") == 2, done.out)
    ordo.compile("mesh.json", algorithm="mesh")
    found = ordo.answer("probe", "--answers", "answers.json", "--against", "mesh.json")
    wanted(found["exit code"] == 1, found)
    wanted([one["verdict"] for one in found["comparisons"]] == ["differs"] * 2, found)
    wanted(found["comparisons"][0]["wanted"] == "((0+1)+(2+3))", found)
    ask(ordo, "turned_ring", "--size", 256, "--repeat", 1)
    found = ordo.answer("probe", "--answers", "answers.json", "--against", "ring.json")
    wanted(found["comparisons"][0]["verdict"] == "the same trees, at other places", found)
    wanted(found["exit code"] == 1, found)
    ordo.works("compile", "allreduce", "-n", 4, "--sizes", "1:1MiB", "-o", "set")
    found = ordo.answer("probe", "--answers", "answers.json", "--against", "set")
    wanted(found["comparisons"][0]["schedule"] == "range-0.json", found)


@desk_case("--against a plan set without a schedule for a size, and a schedule that is refuted")
def _(ordo):
    ask(ordo, "ring", "--size", 256, "--end", "4KiB", "--factor", 4, "--repeat", 1)
    ring = ordo.compile("ring.json", algorithm="ring").read_text()
    (ordo.folder / "set").mkdir()
    (ordo.folder / "set" / "ring.json").write_text(ring)
    (ordo.folder / "set" / "plan-set.json").write_text(json.dumps(
        {"schema": "ordo/plan-set/1", "operator": "AllReduce", "ranks": 4, "in_place": False,
         "ranges": [{"from_bytes": 512, "to_bytes": 2048, "schedule": "ring.json"},
                    {"from_bytes": 2049, "schedule": None}]}))
    found = ordo.answer("probe", "--answers", "answers.json", "--against", "set")
    missing = "not compared, the set has no schedule for this size"
    wanted([one["verdict"] for one in found["comparisons"]] == [missing, "agrees", missing], found)
    wanted(found["exit code"] == 4, found)
    (ordo.folder / "broken.json").write_text(ring.replace('"Wait"', '"Notify"'))
    ordo.fails(1, "R6(.*\n)*.*not compared, because it is refuted", "probe", "--answers",
               "answers.json", "--against", "broken.json")


@desk_case("--against another problem is refused")
def _(ordo):
    ask(ordo, "tree", "--size", 64, "--repeat", 1)
    ordo.compile("x.json", ranks=5)
    ordo.fails(2, "found AllReduce on 5 ranks, wanted AllReduce on 4", "probe", "--answers",
               "answers.json", "--against", "x.json")
    ordo.compile("x.json", "--shards", 8, algorithm="mesh")
    ordo.fails(2, "virtual shards", "probe", "--answers", "answers.json", "--against", "x.json")
    ordo.fails(2, "--against is for --answers", "probe", "x.json", "--against", "x.json")
    ordo.fails(2, "wanted one of them", "probe", "--kit", "k", "--answers", "answers.json")


@desk_case("kits that cannot be made")
def _(ordo):
    for words, message in (((), "--ranks: found 0"), (("-n", 1), "--ranks: found 1"),
                           (("-n", 2000), "wanted 2..1024"),
                           (("-n", 64, "--type", "f16"), "f16 does not carry sums of 64 ranks"),
                           (("-n", 600, "--type", "bf16"), "bf16 counts only to 256"),
                           (("-n", 4, "--type", "i32"), "wanted a float"),
                           (("-n", 4, "--root", 1), "--root: found 1"),
                           (("-n", 4, "--size", 1), "wanted a block of 1"),
                           (("-n", 4, "--places", 10000), "--places: found 10000")):
        ordo.fails(2, message, "probe", "--kit", "kit", *words)
    ordo.fails(2, "found AllGather", "probe", "allgather", "--kit", "kit", "-n", 4)
    ordo.fails(5, "No such file", "probe", "--kit", "nowhere/kit", "-n", 4)
    wanted(not (ordo.folder / "kit" / "probe.py").exists(), ordo.names())


DOCUMENT = {"schema": "ordo/probe-answers/1", "operator": "AllReduce", "ranks": 2, "type": "f32",
            "sizes": [{"count": 4, "places": [0, 3], "answers": [[0, 0]],
                       "tables": [["3f8000003f800000", "3f80000000000000", "000000003f800000"]]}]}


@desk_case("answers that cannot be read, with their place")
def _(ordo):
    good = json.dumps(DOCUMENT)
    (ordo.folder / "a.json").write_text(good)
    ordo.works("probe", "--answers", "a.json")
    for old, new, message in (
            ("[0, 3]", "[3, 0]", "places: found 0, wanted ascending"),
            ("[0, 3]", "[0, 4]", "places: found 4, .* below 4"),
            ("[0, 3]", "[]", "places: found none"),
            ('"3f8000003f800000", ', "", "found 2 runs in table 0, wanted 3"),
            ("3f8000003f800000", "3f80", "of 4 letters, wanted 16 hexadecimal"),
            ("3f8000003f800000", "3F8000003f800000", "hexadecimal digits"),
            ("[[0, 0]]", "[[0]]", "found 1 rank in repetition 0, wanted 2"),
            ("[[0, 0]]", "[[0, 1]]", "found table 1, wanted one of 1"),
            ("[[0, 0]]", "[]", "answers: found none"),
            ('"f32"', '"i32"', 'type: found "i32"'), ("AllReduce", "AllGather", "one that reduces"),
            ('"ranks": 2', '"ranks": 99999', "ranks: found 99999"),
            ('"ranks": 2', '"ranks": 1', "ranks: found 1"),
            ('"count": 4', '"count": 0', "count: found 0"),
            ("answers/1", "answers/2", "schema: found"), ('"sizes": [{', '"sizes": [[{', ".")):
        wanted(old in good, old)
        (ordo.folder / "a.json").write_text(good.replace(old, new, 1))
        ordo.fails(3, r"a\.json:1:\d+: .*" + message, "probe", "--answers", "a.json")
    for cut in range(0, len(good), 7):
        (ordo.folder / "a.json").write_text(good[:cut])
        ordo.fails(3, r"a\.json:1:\d+", "probe", "--answers", "a.json")
    ordo.fails(5, "nothing.json", "probe", "--answers", "nothing.json")


@desk_case("torch itself, on its CPU back end, where it is installed")
def _(ordo):
    try:
        import torch
        wanted(torch.distributed.is_available())
    except ImportError:
        print("# skipped: torch is not installed")
        return
    ordo.works("probe", "--kit", "kit", "--ranks", 3, "--size", "1KiB", "--repeat", 1)
    subprocess.run([sys.executable, "-m", "torch.distributed.run", "--nproc-per-node", "3",
                    "kit/probe.py"], cwd=ordo.folder, check=True, timeout=250)
    found = ordo.answer("probe", "--answers", "answers.json")
    wanted(found["rank_equal"] and not found["without_tree"], found)


run_cases()
