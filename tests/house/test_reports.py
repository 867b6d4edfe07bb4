#!/usr/bin/env python3
"""One idea once in tools/: a result is described once for text and for JSON, one file formats
times and bytes, and one function refuses.

usage: test_reports.py SOURCE_ROOT"""
import pathlib
import re
import sys

from tap import case, run_cases, wanted

# Where JSON is made by hand, and why.
BY_HAND = {
    "tools/ordo.c": "makes the answer that all members go to",
    "tools/commands/about/completions.c": "candidates are read by shells, as text or as JSON",
    "tools/commands/about/demo.c": "each command of the demo has an answer of its own",
    "tools/commands/verify.c": "a line of the table is made of an answer",
    "tools/completion/complete.c": "candidates are read by shells, as text or as JSON",
    "tools/explain/algorithm.c": "paragraphs for people, facts in the JSON",
    "tools/explain/rule.c": "paragraphs for people, facts in the JSON",
    "tools/explain/schedule.c": "paragraphs for people, facts in the JSON",
    "tools/explain/words.c": "paragraphs for people, facts in the JSON",
    "tools/mpi/engine/folder.c": "programs of MPI write it, without tools/base",
    "tools/mpi/engine/plan.c": "programs of MPI write it, without tools/base",
    "tools/mpi/program/report.c": "programs of MPI write it, without tools/base",
    "tools/run/trace_write.c": "writes a document of another format",
    "tools/view/page/page_data.c": "the data of a page, which has no text",
}
# Where units stand beside numbers outside of units.c, and why.
UNITS = {
    "tools/report/bound.c": "a bandwidth in all its digits, so that they can be added up",
    "tools/cli/options.c": "reads sizes",
    "tools/cli/prediction_options.c": "a bandwidth as it is given in options: always GB/s",
    "tools/explain/words.c": "a bandwidth as topologies give it: always GB/s",
    "tools/topology_xml/graph.c": "a rate as NCCL's tables have it: always GB/s",
    "tools/topology_xml/read.c": "a rate as NCCL's tables have it: always GB/s",
    "tools/view/draw_times.c": "the width of a span, in the unit of the picture",
    "tools/view/model/loads.c": "labels in pictures have three digits",
    "tools/view/svg/scale.c": "an axis has one unit, and knows nanoseconds",
}
DEFINITION = re.compile(r"^[a-z][\w *]*?\b(\w+)\([^;{}]*\)\n\{", re.M)


def sources(root, *folders):
    """{path: text} of the C files."""
    return {str(path.relative_to(root)): path.read_text()
            for folder in folders for path in sorted((root / folder).rglob("*.[ch]"))
            if "checker" not in path.parts}


def wanted_same(found, listed):
    """Files that are not listed, and files that are listed without need."""
    wanted(set(found) == set(listed),
           "not listed: " + ", ".join(sorted(set(found) - set(listed))),
           "listed without need: " + ", ".join(sorted(set(listed) - set(found))))


@case("JSON is made in tools/base, and by hand only where a reason is given")
def _(root):
    by_hand = re.compile(r"\bcJSON_(Add|Create)")
    found = [path for path, text in sources(root, "tools").items()
             if by_hand.search(text) and not path.startswith("tools/base/")]
    wanted_same(found, BY_HAND)


@case("no result has one function that prints it and another that adds it to the JSON")
def _(root):
    twins = []
    for path, text in sources(root, "tools").items():
        names = set(DEFINITION.findall(text))
        added = {name[4:] for name in names if name.startswith("add_")}
        printed = {name.split("_", 1)[1] for name in names
                   if re.match("(print|tell|say|show)_", name)}
        twins += [f"{path}: {name}" for name in sorted(added & printed)]
    wanted(not twins, *twins)


@case("times, bytes and rates become text in schedules/base/units.c alone")
def _(root):
    unit = re.compile(r'%[-+0-9.*]*l*[a-z] (us|ms|KiB|MiB|GiB|MB/s|GB/s)\b|"(us|ms|KiB|MiB|MB/s)"')
    found = [path for path, text in sources(root, "schedules", "compiler", "runtime",
                                            "tools").items()
             if unit.search(re.sub(r"/\*.*?\*/", "", text, flags=re.S))]
    wanted("schedules/base/units.c" in found, found)
    wanted_same([path for path in found if path != "schedules/base/units.c"], UNITS)


@case("refuse() stands once")
def _(root):
    refusing = re.compile(r"->status = \w+;\n\treturn false;\n\}")
    found = [path for path, text in sources(root, "tools").items() if refusing.search(text)]
    wanted(found == ["tools/base/messages.c"], *found)


run_cases(pathlib.Path(sys.argv[1]))
