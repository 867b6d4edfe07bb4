#!/usr/bin/env python3
"""test_draw.py ORDO REJECT - draw: pictures."""
import re
import xml.dom.minidom

from command import hostile_document
from desk import desk_case
from tap import run_cases, wanted


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


@desk_case("names in documents do not break the picture")
def _(ordo):
    hostile_document(ordo, "ring.json")
    for words in [["ring.json"], ["--topology", "links.json"], ["--topology", "short.json"]]:
        xml.dom.minidom.parseString(ordo.works("draw", *words, "--as", "svg").out)


run_cases()
