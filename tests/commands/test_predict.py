#!/usr/bin/env python3
"""test_predict.py ORDO REJECT - predict: times, lower bounds, topologies."""
import json
import re

import strict_json
from desk import desk_case
from tap import run_cases, wanted


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
            r"\n  lower bound +steps 0.5 us, volume 20 us, reduce 7.5 us, cut 20 us "
            r"\(4 sets of ranks against each other\)\n"
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
    ordo.fails(1, r"there is no path from rank", "verify", "mesh.json", "-t", "ring",
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


run_cases()
