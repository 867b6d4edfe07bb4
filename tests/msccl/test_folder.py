#!/usr/bin/env python3
"""test_folder.py ORDO REJECT - a folder of MSCCL files as a runtime chooses among them by size."""
import os
import pathlib
import re

import generate
from desk import desk_case
from tap import run_cases, wanted


def put(ordo, name, text, least, most):
    """The file serves least..most bytes."""
    (ordo.folder / "files").mkdir(exist_ok=True)
    text = re.sub(' (minBytes|maxBytes|outofplace)="[^"]*"', "", text)
    out = int('inplace="0"' in text)
    (ordo.folder / "files" / name).write_text(text.replace(
        "<algo ", f'<algo outofplace="{out}" minBytes="{least}" maxBytes="{most}" ', 1))


def ranges(ordo, runtime, *words):
    answer = ordo.answer("verify", "files", "--runtime", runtime, *words)
    return answer["exit code"], [(one["from_bytes"], one.get("to_bytes"), one["files"],
                                  one["order_changes"])
                                 for calls in answer["calls"] for one in calls["ranges"]]


RING = generate.ring_all_reduce(4).xml()
PAIRS = generate.pairs_all_reduce(4).xml()


@desk_case("each size has the file that serves it; where the order changes is said")
def _(ordo):
    put(ordo, "a.xml", RING, 0, 1023)
    put(ordo, "b.xml", PAIRS, 1024, 0)
    wanted(ranges(ordo, "rccl") == (0, [(0, 1023, ["a.xml"], False),
                                        (1024, None, ["b.xml"], True)]), ranges(ordo, "rccl"))
    out = ordo.works("verify", "files", "--runtime", "azure").out
    wanted("    1024 and more: b.xml, of multiples of" in out
           and "the order of sums changes here" in out, out)
    put(ordo, "b.xml", RING, 1024, 0)
    wanted(not ranges(ordo, "rccl")[1][1][3], "one order")
    wanted("changes here" not in ordo.works("verify", "files", "--runtime", "rccl").out)


@desk_case("the last size is served by RCCL, and not by Microsoft's runtime")
def _(ordo):
    put(ordo, "a.xml", RING, 16, 1024)
    wanted([one[:3] for one in ranges(ordo, "rccl")[1]] ==
           [(0, 15, []), (16, 1024, ["a.xml"]), (1025, None, [])])
    wanted([one[:3] for one in ranges(ordo, "microsoft")[1]] ==
           [(0, 15, []), (16, 1023, ["a.xml"]), (1024, None, [])])
    wanted("1025 and more: none: the library's own choice" in
           ordo.works("verify", "files", "--runtime", "rccl").out)


@desk_case("two files for one size can hang, and so can a file with few slots: exit code 1")
def _(ordo):
    put(ordo, "a.xml", RING, 0, 1024)
    put(ordo, "b.xml", PAIRS, 1000, 2048)
    code, found = ranges(ordo, "rccl")
    wanted(code == 1 and (1000, 1024, ["a.xml", "b.xml"], True) in found, code, found)
    wanted("1000..1024: a.xml, b.xml: the order of the directory decides" in
           ordo.fails(1, "", "verify", "files", "--runtime", "rccl").out)
    os.remove(ordo.folder / "files" / "b.xml")
    wanted(ranges(ordo, "rccl")[0] == 0)
    put(ordo, "c.xml", generate.head_to_head(3, "Simple").xml(), 4096, 8192)
    done = ordo.fails(1, "", "verify", "files", "--runtime", "rccl")
    wanted("; hangs\n" in done.out, done.out)


@desk_case("what a runtime ignores is selected by no size, and said with the reason")
def _(ordo):
    put(ordo, "a.xml", RING, 0, 0)
    steps = RING.replace(' minBytes="0"', "").replace(' maxBytes="0"', "")
    (ordo.folder / "files" / "a.xml").write_text(re.sub(' outofplace="[^"]*"', "", steps))
    out = ordo.works("verify", "files", "--runtime", "rccl").out
    wanted("ignored: outofplace, minBytes or maxBytes is missing" in out, out)
    wanted("calls" in ordo.answer("verify", "files", "--runtime", "rccl"))
    (ordo.folder / "files" / "bad.xml").write_text("<algo")
    done = ordo.fails(1, r"bad[.]xml:1:", "verify", "files", "--runtime", "microsoft")
    wanted("bad.xml: not read" in done.out, done.out)


@desk_case("what makes no sense is refused")
def _(ordo):
    put(ordo, "a.xml", RING, 0, 0)
    ordo.fails(2, "--runtime: found nccl, wanted rccl, azure or microsoft", "verify", "files",
               "--runtime", "nccl")
    ordo.fails(2, "need a folder of MSCCL files", "verify", "files/a.xml", "--runtime", "rccl")
    pathlib.Path(ordo.folder / "empty").mkdir()
    ordo.fails(2, "found no file that ends in .xml", "verify", "empty", "--runtime", "rccl")


if __name__ == "__main__":
    run_cases()
