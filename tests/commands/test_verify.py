#!/usr/bin/env python3
"""test_verify.py ORDO REJECT - verify: verdicts, limits, conditions, from one program or from all;
certificates and ordo-check."""
import json
import os
import re
import subprocess

from command import REJECT, own_first
from desk import ORDO, desk_case
from tap import run_cases, wanted


@desk_case("several files: each with its verdict; 1 if one is refuted, else the largest exit code")
def _(ordo):
    ordo.compile("ring.json")
    ordo.compile("mesh.json", algorithm="mesh")
    broken = REJECT / "R8-two-writers-unordered.json"
    out = ordo.works("verify", "ring.json", "mesh.json", "--require", "G1").out
    wanted("ring.json: proved" in out and "mesh.json: proved" in out, out)
    ordo.fails(1, "G3 position-invariant does not hold", "verify", "mesh.json", "ring.json",
               "--require", "G3")
    done = ordo("verify", "ring.json", "nothing.json")
    wanted(done.returncode == 5 and "nothing.json: error" in done.err
           and "ring.json: proved" in done.out, done)
    done = ordo.fails(1, "nothing.json: error", "verify", "nothing.json", broken, "mesh.json")
    wanted("mesh.json: proved" in done.out, done.out)
    answer = ordo.answer("verify", "nothing.json", broken, "mesh.json")
    wanted([(one["exit code"], one.get("proved")) for one in answer["files"]] ==
           [(5, None), (1, False), (0, True)] and answer["exit code"] == 1, answer)
    done = ordo("verify", "--table", "nothing.json", broken, "mesh.json")
    rows = [line.split() for line in done.out.splitlines()]
    wanted(done.returncode == 1 and done.err == "" and len(rows) == 4, done)
    wanted(rows[0][:2] == ["file", "ranks"] and rows[0][-1] == "verdict", rows[0])
    wanted(rows[1][:2] == ["nothing.json", "-"] and rows[1][9] == "failed:", rows[1])
    wanted(rows[2][0] == str(broken) and rows[2][-2:] == ["refuted", "R8"], rows[2])
    wanted(rows[3][:2] == ["mesh.json", "4"] and rows[3][5] == "yes" and rows[3][-1] == "proved",
           rows[3])
    required = ordo("verify", "--table", "ring.json", "--require", "G3")
    wanted(required.returncode == 1 and "  not as required: G3" in required.out, required)
    wanted(ordo.answer("verify", "--table", "ring.json")["files"][0]["proved"])
    ordo.fails(2, "--write-replay takes one file, found 2", "verify", broken, broken,
               "--write-replay", "x.json")
    ordo.fails(2, "one file, found 2", "verify", "ring.json", "mesh.json", "--certificate", "p")


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
    ordo.works("compile", "allreduce", "-n", 4, "-a", "mesh", "--max-tokens", 1, "-o", "flags.json")
    wanted("R13 hold" in ordo.works("verify", "flags.json", "--max-tokens", 1, "--max-streams", 4,
                                    "--max-scratch", 3).out)
    for words in [["ring.json", "--max-tokens", 1], ["mesh.json", "--max-streams", 3],
                  ["mesh.json", "--max-scratch", 2], ["mesh.json", "--max-signals", 1]]:
        ordo.fails(1, r"error\[R13\]", "verify", *words)
    path = REJECT / "R8-two-writers-unordered.json"
    ordo.fails(1, r"error\[R8\]", "verify", path)
    out = ordo.works("verify", path, "--atomic-reduce").out
    wanted(
        re.search("G2 run-to-run +does not hold", out)
        and re.search("G3 \\S+ +not asked: no order is fixed, because G2 does not hold$", out, re.M)
        and re.search("order digest +none: the order is not fixed", out), out)
    wanted(ordo.answer("verify", path, "--atomic-reduce")["order_digest"] is None)


ONE_WAY = """{"schema": "ordo/schedule/1",
 "operator": "AllReduce", "algorithm": "by hand", "ranks": 2,
 "chunks_per_block": 1, "scratch_slots": 0, "in_place": false,
 "programs": [
  {"rank": 0, "streams": [{"name": "main", "tasks": [
    {"task": "Wait", "peer": 1, "signal": 0}]}]},
  {"rank": 1, "streams": [{"name": "main", "tasks": [
    {"task": "Notify", "peer": 0, "signal": 0}]}]}]}
"""


@desk_case("verify counts tokens over calls back to back")
def _(ordo):
    (ordo.folder / "one.json").write_text(ONE_WAY)
    # Rank 1 may be any number of calls ahead: whatever the limit, there are calls that break it.
    for limit in (1, 2, 9):
        ordo.fails(1, r"error\[R13\]: .*signal 0 from rank 1 to rank 0 holds", "verify",
                   "one.json", "--max-tokens", limit)
    ordo.compile("ring.json", ranks=8)
    wanted(ordo.answer("verify", "ring.json")["tokens_in_flight"] == 8)
    wanted("at most 8 tokens in flight on each" in ordo.works("verify", "ring.json").out)
    ordo.fails(1, r"holds up to 8 tokens over calls back to back, wanted at most 7", "verify",
               "ring.json", "--max-tokens", 7)
    wanted("R13 hold" in ordo.works("verify", "ring.json", "--max-tokens", 8).out)


CUSTOM = """{"schema": "ordo/schedule/1",
 "operator": "Custom", "algorithm": "example", "ranks": 1,
 "chunks_per_block": 3, "scratch_slots": 0, "in_place": false,
 "programs": [{"rank": 0, "streams": [{"name": "main", "tasks": [
    {"task": "LocalCopy", "chunk": 0, "src": ["input", 0], "dst": ["output", 0]},
    {"task": "LocalReduce", "chunk": 1, "src": ["input", 1], "dst": ["output", 0]},
    {"task": "LocalReduce", "chunk": 2, "src": ["input", 2], "dst": ["output", 0]},
    {"task": "LocalCopy", "chunk": 1, "src": ["input", 1], "dst": ["output", 1]},
    {"task": "LocalReduce", "chunk": 2, "src": ["input", 2], "dst": ["output", 1]},
    {"task": "LocalReduce", "chunk": 0, "src": ["input", 0], "dst": ["output", 1]}]}]}]}
"""


@desk_case("Custom: no fault found, contents not judged: exit code 4, or 0 where that is accepted")
def verify_custom(ordo):
    (ordo.folder / "custom.json").write_text(CUSTOM)
    done = ordo("verify", "custom.json")
    out = done.out
    wanted(done.returncode == 4 and not done.err, done.returncode, done.err)
    for words in [": no fault found, contents not judged", "R1-R10 hold",
                  "G1 rank-equal           does not hold: output slot 0 of rank 0 is ((0+1)+2) but "
                  "output slot 1 of rank 0 is (0+(1+2))"]:
        wanted(words in out, words, out)
    wanted("proved" not in out, out)
    ordo.works("verify", "custom.json", "--contents", "unjudged")
    ordo.fails(2, "found judged, wanted unjudged", "verify", "custom.json", "--contents", "judged")
    ordo.fails(1, "G1 rank-equal does not hold", "verify", "custom.json", "--contents", "unjudged",
               "--require", "G1")
    for more, code in [([], 4), (["--contents", "unjudged"], 0)]:
        done = ordo("verify", "custom.json", "--json", *more)
        answer = json.loads(done.out)
        wanted(done.returncode == code, done.returncode, code)
        wanted(answer["proved"] is False and answer["contents_judged"] is False, answer)
    ordo.compile("ring.json")
    answer = ordo.answer("verify", "ring.json")
    wanted(answer["proved"] is True and answer["contents_judged"] is True, answer)
    (ordo.folder / "broken.json").write_text(CUSTOM.replace('"chunk": 2', '"chunk": 1', 1))
    ordo.fails(1, r"error\[R10\]", "verify", "broken.json", "--contents", "unjudged")


@desk_case("Custom: what needs a described collective refuses it by name; the rest works")
def refuse_custom(ordo):
    (ordo.folder / "custom.json").write_text(CUSTOM)
    (ordo.folder / "set.json").write_text("""{"schema": "ordo/plan-set/1",
 "operator": "Custom", "ranks": 1, "in_place": false,
 "ranges": [{"from_bytes": 1, "schedule": "custom.json"}]}""")
    for code, words in [
            (2, ["compile", "custom", "-n", 2, "-a", "ring"]), (2, ["order", "custom.json"]),
            (2, ["view", "custom.json", "-o", "page.html"]), (2, ["probe", "custom.json"]),
            (2, ["diff", "custom.json", "custom.json"]), (2, ["run", "custom.json", "--check"]),
            (2, ["run", "custom.json", "--transport", "folded"]), (3, ["verify", "set.json"]),
            (2, ["run", "custom.json", "--end", 64]), (2, ["embed", "custom.json"]),
            (2, ["run", "custom.json", "--count", 7]),
            (2, ["run", "custom.json", "--op", "avg", "--count", 6])]:
        ordo.fails(code, "Custom", *words)
    for words in [["run", "custom.json", "--count", 6], ["draw", "custom.json"],
                  ["draw", "custom.json", "--as", "table"], ["predict", "custom.json"],
                  ["run", "custom.json", "--count", 6, "--transport", "seeded"]]:
        ordo.works(*words)
    out = ordo.works("explain", "custom.json").out
    wanted("R11 was not checked" in out, out)
    wanted("Custom" in ordo.works("list", "operators").out)
    ordo.works("explain", "Custom")


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
                           (["ring.json", "--trust"], "need --generate"),
                           (["--generate", "ring", "-n", 4,
                             "x.json"], "takes no file, found x.json"),
                           (["--generate", "ring", "-n", 4, "--require", "G1"], "goes without"),
                           (["x.json", "--symmetry", "perhaps"], "wanted auto, off or only"),
                           (["x.json", "--symmetry", "only", "--require", "G1"], "needs trees"),
                           (["--generate", "ring", "-n", 4, "--operator",
                             "love"], "--operator: found love")]:
        ordo.fails(2, message, "verify", *words)


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
    # Sums without order are one tree, whatever trees they are made by.
    ordo.compile("exact.json", "--accumulate", "exact")
    ordo.works("verify", "exact.json", "--certificate", "exact.proof")
    wanted(again("exact.json", "exact.proof").stdout.endswith(" paths, 1 trees\n"))
    for claim in ('"trees": 2', '"trees": 4'):
        text = (ordo.folder / "exact.proof").read_text().replace('"trees": 1', claim)
        (ordo.folder / "wrong.proof").write_text(text)
        wanted(again("exact.json", "wrong.proof").returncode == 1, claim)
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


run_cases()
