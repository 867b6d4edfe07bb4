#!/usr/bin/env python3
"""test_corpus.py ORDO - files in use, in the folders of ORDO_CORPUS: a table of all of them, and
what is known of some. Skipped without the variable."""
import os
import pathlib
import resource
import time

from desk import desk_case
from tap import run_cases, wanted

# What is not proved: exit code, and the rules that are broken.
KNOWN = {"64MB_msccl_strict.xml": (1, {"R7"}), "a2nf_3_1.xml": (1, {"R8"})}
# Slots that a connection needs; all others need one.
SLOTS = {"ag_ring.xml": 2, "ag-32m-1g.xml": 2, "64MB_msccl_strict.xml": None}
REFUTED_G1 = {"ap-1pass.xml", "ar_1step.xml"}
# The files of AllReduce in one folder, by size, and whether the order changes at the next.
BY_SIZE = [("ap-1pass.xml", True), ("ap2ll.xml", True), ("ap4ll.xml", True),
           ("r48ll.xml", False), ("r48ll128.xml", None)]


def programs():
    """The files of MSCCL: the corpus has other XML too."""
    root = os.environ.get("ORDO_CORPUS")
    if not root:
        print("# ORDO_CORPUS is not set: skipped")
        return []
    found = [path for path in sorted(pathlib.Path(root).glob("*/*.xml"))
             if b"<algo " in path.read_bytes()]
    wanted(found, "no file of MSCCL in", root)
    return found


def verdicts(answer):
    """G1 to G3 as letters: holds, not, or nothing to judge."""
    of = answer.get("guarantees", {})
    return "".join({"holds": "y", "does not hold": "n"}.get(of.get(name, {}).get("verdict"), "-")
                   for name in ("G1", "G2", "G3"))


def rules(answer):
    return {one["rule"] for one in answer.get("findings", [])}


def row(path, answer, seconds):
    own = answer.get("msccl", {})
    return (f"# {path.parent.name + '/' + path.name:45} {answer.get('ranks', '-'):>3} "
            f"{path.read_bytes().count(b'<step'):>6} {answer['exit code']} "
            f"{','.join(sorted(rules(answer))):4} {own.get('least_slots', '-'):>2} "
            f"{own.get('safe_bytes', '-')!s:>10} {verdicts(answer)} {seconds * 1000:6.1f} ms")


@desk_case("every file in use is proved but those that are known to be wrong")
def _(ordo):
    wrong = []
    for path in programs():
        began = time.perf_counter()
        answer = ordo.answer("verify", path)
        print(row(path, answer, time.perf_counter() - began))
        found = answer["exit code"], rules(answer)
        expected = KNOWN.get(path.name, (0, set()))
        if found != expected:
            wrong.append((path.name, found, "wanted", expected))
        own = answer["msccl"]
        if own.get("least_slots") != SLOTS.get(path.name, 1):
            wrong.append((path.name, own))
        if found[0] == 0 and (verdicts(answer)[0] == "n") != (path.name in REFUTED_G1):
            wrong.append((path.name, verdicts(answer), answer["guarantees"]))
    print(f"# {resource.getrusage(resource.RUSAGE_CHILDREN).ru_utime:.2f} s of CPU in all")
    wanted(not wrong, *wrong)


@desk_case("a deadlock has the steps that are never run, a race its pairs of steps")
def _(ordo):
    by_name = {path.name: path for path in programs()}
    if "64MB_msccl_strict.xml" in by_name:
        own = ordo.answer("verify", by_name["64MB_msccl_strict.xml"])["msccl"]
        wanted(own["stuck_steps"] == own["steps"] == 480, own)
    if "a2nf_3_1.xml" in by_name:
        found = ordo.answer("verify", by_name["a2nf_3_1.xml"])["steps"]
        wanted(len(found) == 6 and all(len(one["tasks"]) == 2 for one in found), found)
        wanted(found[0]["tasks"][0] == {"gpu": 9, "tb": 2, "step": 0, "type": "s", "line": 151},
               found[0])


@desk_case("a file whose ranks sum in orders of their own has seven orders")
def _(ordo):
    for path in programs():
        if path.name in REFUTED_G1:
            copies = ordo.answer("order", path, "--chunks", "0", "--ranks", "0-7")["copies"]
            trees = {one["tree"] for one in copies}
            wanted(len(copies) == 8 and len(trees) == 7, path, len(copies), len(trees))


@desk_case("the order of sums changes with the size as it is known to")
def _(ordo):
    by_name = {path.name: path for path in programs()}
    for (name, changes), (following, _) in zip(BY_SIZE, BY_SIZE[1:]):
        if name in by_name and following in by_name:
            done = ordo("diff", by_name[name], by_name[following])
            wanted(done.returncode == int(changes), name, following, done.out, done.err)


@desk_case("an imported document is the file: the same verdict, digest and tasks")
def _(ordo):
    for path in programs():
        if path.name in KNOWN or path.stat().st_size > 130000:
            continue
        ordo.works("import", "msccl", path, "-o", "schedule.json")
        own, other = ordo.answer("verify", path), ordo.answer("verify", "schedule.json")
        for key in ("proved", "order_digest", "tasks", "moves", "scratch_slots", "signals"):
            wanted(own[key] == other[key], path, key, own[key], other[key])
        ordo.works("import", "msccl", path, "--slots", "8", "-o", "eight.json")
        eight = ordo("verify", "eight.json")
        wanted("R7" not in eight.err, path, eight.err)


if __name__ == "__main__":
    run_cases()
