#!/usr/bin/env python3
"""test_embed.py ORDO REJECT - embed: schedules as C."""
import strict_json
from desk import desk_case
from tap import run_cases, wanted


@desk_case(
    "embed writes a schedule as C, the same bytes to a file and to stdout, and says how to declare "
    "it"
)
def _(ordo):
    ordo.compile("ring-8.json", ranks=8)
    done = ordo.works("embed", "ring-8.json", "-o", "out.ring.c", "--header", "ring.h", "--name",
                      "ring_8")
    wanted(done.out == "" and '#include "ring.h" declares ring_8' in done.err, done.err)
    wanted(ordo.names() == ["out.ring.c", "ring-8.json", "ring.h"], ordo.names())
    source = (ordo.folder / "out.ring.c").read_text()
    wanted(
        source.count("\tORDO_MOVE(") + source.count("\tORDO_TOKEN(") == 366
        and "\nconst struct ordo_schedule ring_8 = {" in source, source)
    again = ordo.works("embed", "ring-8.json")
    wanted(
        again.out == source
        and "declare it: extern const struct ordo_schedule ring_8;" in again.err, again.err)
    wanted(
        ordo.works(
            "embed", "-", "--name", "ring_8", stdin=(ordo.folder /
                                                     "ring-8.json").read_bytes()).out == source)
    answer = ordo.answer("embed", "ring-8.json")
    wanted((answer["name"], answer["output"], answer["tasks"],
            answer["source"]) == ("ring_8", None, 366, source), answer)


@desk_case("embed takes a folder of programs, and a plan set with all its schedules")
def _(ordo):
    ordo.compile("folder")
    ordo.compile("folder.json")
    wanted(ordo.works("embed", "folder").out == ordo.works("embed", "folder.json").out)
    ordo.works("compile", "allreduce", "-n", 8, "--topology", "hypercube", "--sizes", "1:1MiB",
               "-o", "fast")
    source = ordo.works("embed", "fast").out
    wanted(
        source.count("\nstatic const struct ordo_schedule fast_") == 2
        and ".to_bytes = 1048576u" in source, source[-3000:])
    wanted(
        "const struct ordo_plan_set fast = {" in source
        and "const struct ordo_schedule *const fast_schedules[2] = {" in source, source[-3000:])


@desk_case("embed says in which form sums are held")
def _(ordo):
    for form, name in (("f32", "F32"), ("exact", "EXACT"), ("binned(bins=2)", "BINNED2"),
                       ("binned(bins=3)", "BINNED3")):
        ordo.compile("x.json", "--accumulate", form)
        wanted(f".in_place = false, .accumulate = ORDO_ACCUMULATE_{name}}}" in ordo.works(
            "embed", "x.json").out, form)


@desk_case("embed writes nothing of what is refuted, too long, or cannot be written")
def _(ordo):
    document = ordo.compile("x.json").read_text().splitlines(keepends=True)
    first = next(i for i, line in enumerate(document) if '"Wait"' in line)
    (ordo.folder / "x.json").write_text("".join(document[:first] + document[first + 1:]))
    ordo.works("compile", "allreduce", "-n", 4, "--topology", "ring", "--sizes", "1:1GiB", "-o",
               "set")
    document = strict_json.loads((ordo.folder / "set" / "plan-set.json").read_text())
    broken = document["ranges"][-1]["schedule"]
    (ordo.folder / "set" / broken).write_text((ordo.folder / "x.json").read_text())
    before = ordo.names()
    for document in "x.json", "set":
        done = ordo.fails(1, r"error\[R\d+\](.|\n)*nothing written, because it is refuted", "embed",
                          document, "-o", "x.c", "--header", "x.h")
        wanted(done.out == "", done.out)
        wanted(ordo.fails(1, "refuted", "embed", document).out == "")
        answer = ordo.answer("embed", document, "-o", "x.c")
        wanted(answer["exit code"] == 1 and answer["findings"] and "source" not in answer, answer)
    ordo.compile("y.json")
    ordo.fails(2, "y.json: error: found 86 tasks, wanted at most 85", "embed", "y.json", "-o",
               "x.c", "--max-tasks", 85)
    ordo.works("embed", "y.json", "--max-tasks", 86)
    ordo.fails(5, "cannot write", "embed", "y.json", "-o", "none/x.c", "--header", "x.h")
    ordo.fails(5, "cannot write", "embed", "y.json", "-o", "x.c", "--header", "none/x.h")
    ordo.fails(5, "", "embed", "none.json", "-o", "x.c")
    wanted(ordo.names() == sorted(before + ["y.json"]), ordo.names())


@desk_case("embed takes only names that C and C++ have room for")
def _(ordo):
    ordo.compile("8-ring.json")
    ordo.fails(2, 'found the name "8_ring".*\n.*--name', "embed", "8-ring.json")
    for name in "int", "class", "a-b", "", "ordo_ring", "_x", "é", "x" * 300:
        ordo.fails(2, "found the name", "embed", "8-ring.json", "--name", name)
    ordo.fails(2, "--header: found -, wanted a file", "embed", "8-ring.json", "--name", "x",
               "--header", "-")
    ordo.fails(2, "--header: found x.c, wanted a file of its own", "embed", "8-ring.json", "-o",
               "x.c", "--header", "x.c")
    ordo.fails(2, "wanted the file of a schedule", "embed")
    longest = "x" * 255
    (ordo.folder / "8-ring.json").rename(ordo.folder / longest)
    source = ordo.works("embed", longest).out
    wanted(f"\nconst struct ordo_schedule {longest} = {{" in source, source)
    wanted(ordo.names() == [longest], ordo.names())


run_cases()
