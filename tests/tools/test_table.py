#!/usr/bin/env python3
"""test_table.py ORDO - the table that `ordo run --end` prints, as those who type it see it."""
import csv
import io
import os
import pty
import re
import subprocess

from desk import ORDO, desk_case
from tap import run_cases, wanted

SIZES = {
    "i8": 1, "u8": 1, "f8e4m3": 1, "f8e5m2": 1, "f16": 2, "bf16": 2, "i16": 2, "u16": 2, "f32": 4,
    "i32": 4, "u32": 4, "f64": 8, "i64": 8, "u64": 8, "c64": 8, "f32_i32": 8, "i32_i32": 8,
    "c128": 16, "f64_i32": 16, "i64_i32": 16
}
# Six floats with 5 reductions, eight integers with 8, two complex types and four pairs with 2.
NKIND = 6 * 5 + 8 * 8 + 2 * 2 + 4 * 2
# By hand, to be compared with what is printed. What algbw is multiplied with, on n ranks, and how
# many blocks the size is made of: PERFORMANCE.md of nccl-tests.
OPERATORS = {
    "allreduce": (lambda n: 2 * (n - 1) / n, lambda n: 1),
    "reduce": (lambda n: 1, lambda n: 1),
    "broadcast": (lambda n: 1, lambda n: 1),
    "reducescatter": (lambda n: (n - 1) / n, lambda n: n),
    "allgather": (lambda n: (n - 1) / n, lambda n: n),
    "scatter": (lambda n: (n - 1) / n, lambda n: n),
    "gather": (lambda n: (n - 1) / n, lambda n: n),
    "alltoall": (lambda n: (n - 1) / n, lambda n: n),
}
FORMS = ["out_of_place", "in_place"]


def near(a, b):
    return abs(a - b) <= 1e-6 * abs(b)


def rows_of(text):
    """The lines that are no comments, in columns."""
    return [line.split() for line in text.splitlines() if not line.startswith("#")]


@desk_case(
    "every operator: rows of the sizes asked for, algbw is size over time, busbw has the factor of "
    "nccl-tests"
)
def _(ordo):
    for operator, (factor, blocks) in OPERATORS.items():
        for in_place in [False, True] if operator != "alltoall" else [False]:
            ordo.compile("x.json",
                         *(["--in-place"] if in_place else []),
                         operator=operator,
                         ranks=3,
                         algorithm="mesh")
            # Tasks have the form of the document, what is proved has every form of the operator.
            both = [False, True] if operator != "alltoall" else [False]
            for how, forms in [([], both), (["--workers", 0], both),
                               (["--transport", "threads"], [in_place])]:
                answer = ordo.answer("run", "x.json", "-b", 24, "-e", 4000, "-f", 4, "-n", 2, "-w",
                                     1, "--check", *how)
                wanted(answer["exit code"] == 0 and answer["wrong"] == 0 and answer["checked"],
                       operator, answer)
                wanted((answer["warmup"], answer["repeat"]) == (1, 2), answer)
                wanted(answer["transport"] == ("threads" if "threads" in how else "folded"), answer)
                wanted([row["bytes"] for row in answer["rows"]] == [24, 96, 384, 1536], operator,
                       answer)
                busbw = []
                for row in answer["rows"]:
                    wanted(row["count"] * blocks(3) * 4 == row["bytes"], operator, row)
                    wanted(
                        row["type"] == "f32"
                        and row["op"] == ("sum" if "reduce" in operator else "none"), operator, row)
                    wanted(
                        row["root"] == (0 if operator
                                        in ["reduce", "broadcast", "scatter", "gather"] else -1),
                        operator, row)
                    wanted(re.fullmatch("[0-9a-f]{32}", row["order_digest"]), operator, row)
                    wanted([form in forms
                            for form in [False, True]] == [row[name] is not None for name in FORMS],
                           operator, how, row)
                    for there in [row[FORMS[form]] for form in forms]:
                        wanted(
                            there["wrong"] == 0
                            and 0 < there["best_seconds"] <= there["mean_seconds"], operator, row)
                        algbw = there["algbw_gigabytes_per_second"]
                        wanted(near(algbw, row["bytes"] / there["mean_seconds"] * 1e-9), operator,
                               row)
                        wanted(near(there["busbw_gigabytes_per_second"], algbw * factor(3)),
                               operator, row)
                        busbw.append(there["busbw_gigabytes_per_second"])
                wanted(near(answer["average_busbw_gigabytes_per_second"],
                            sum(busbw) / len(busbw)), operator, answer)


@desk_case("several shards a rank: the size is a shard's, and there is no form in place")
def _(ordo):
    ordo.compile("shards.json", "--shards", 12, ranks=4, algorithm="forest")
    for row in ordo.answer("run", "shards.json", "-e", 64, "-n", 2, "--check")["rows"]:
        wanted(
            row["in_place"] is None and row["out_of_place"]["wrong"] == 0
            and row["count"] * 4 == row["bytes"], row)


@desk_case(
    "one run of what is proved: the bits of the tasks, on one thread, on three, and on one for "
    "each rank"
)
def _(ordo):
    for operator in OPERATORS:
        ordo.compile("x.json", operator=operator, ranks=5, algorithm="mesh")
        for workers in [0, 1, 3]:
            answer = ordo.answer("run", "x.json", "--transport", "folded", "--workers", workers,
                                 "--count", 1001, "--check", "--repeat", 2)
            wanted(
                answer["check"]["bits_equal"] and answer["check"]["within_bounds"]
                and "bytes_sent" not in answer, operator, answer)
            wanted((answer["transport"], answer["workers"]) == ("folded", workers), answer)
    # Each says what it executed, and that there is another way, which is another speed.
    for words, executed, other in [
            ([], "the tasks, interpreted one by one; --transport folded, or a table", "tasks"),
            (["--transport", "folded"],
             "each output folded from the inputs in the proved order; --transport threads", "fold"),
            (["--end", 64],
             "each output folded from the inputs in the proved order; a run of one size",
             "fold"),
            (["--end", 64, "--transport", "threads"],
             "the tasks, interpreted one by one; --transport folded", "tasks")]:
        out = ordo.works("run", "x.json", *words).out
        wanted(re.search(rf"^(#|  ) ?executed:? +{executed}", out, re.M), words, out)
        wanted(ordo.answer("run", "x.json", *words)["executes"] == other, words)
    out = ordo.works("run", "x.json", "--transport", "folded", "--workers", 1).out
    wanted(
        "1 thread for all ranks, folded in the proved order" in out and "of data a rank" in out
        and "sent" not in out, out)


@desk_case("for people: the columns of nccl-tests, aligned, and the average at the end")
def _(ordo):
    ordo.compile("ring.json")
    done = ordo.works("run", "ring.json", "--begin", 16, "--end", "64KiB", "--factor", 16,
                      "--iters", 2, "--check")
    lines = done.out.splitlines()
    rows = [line for line in lines if not line.startswith("#")]
    wanted([row.split()[:5] for row in rows] == [[str(size),
                                                  str(size // 4), "f32", "sum", "-1"]
                                                 for size in [16, 256, 4096, 65536]], done.out)
    wanted(len({len(row) for row in rows}) == 1 and "\033" not in done.out, done.out)
    heads = [line for line in lines if "#wrong" in line or "(elements)" in line]
    wanted(
        len(heads) == 2 and heads[0].split()[1:]
        == "size count type redop root time algbw busbw #wrong time algbw busbw #wrong".split(),
        heads)
    for word in re.finditer(r"\S+", heads[0][1:]):
        wanted(
            all(row[word.end()] != " " and row[word.end() + 1:word.end() + 2] in ("", " ")
                for row in rows), word, done.out)
    wanted(all(line == line.rstrip() for line in lines if line.startswith("#")), done.out)
    wanted("out-of-place" in done.out and "every element of every run is right" in done.out,
           done.out)
    wanted(re.fullmatch(r"# Avg bus bandwidth: [\d.e-]+ GB/s", lines[-1]), lines[-1])
    wanted("AllReduce on 4 ranks by ring" in lines[0] and "2 runs each after 1" in lines[1], lines)


@desk_case("what is not checked is N/A, and so is the form that there is not")
def _(ordo):
    ordo.compile("out.json")
    ordo.compile("in.json", "--in-place")
    for name, form in [("out.json", 0), ("in.json", 1)]:
        row = rows_of(
            ordo.works("run", name, "-b", 64, "-e", 64, "-n", 1, "--transport",
                       "seeded").out)[0][5:]
        there, other = row[4 * form:4 * form + 4], row[4 - 4 * form:8 - 4 * form]
        wanted(other == ["N/A"] * 4 and there[3] == "N/A" and float(there[0]) > 0, row)
        row = ordo.answer("run", name, "-b", 64, "-e", 64, "-n", 1, "--transport",
                          "seeded")["rows"][0]
        wanted(row[FORMS[not form]] is None and row[FORMS[form]]["wrong"] is None, row)


@desk_case(
    "--csv: a head and rows with as many fields, numbers without units; --json says the same of "
    "more"
)
def _(ordo):
    ordo.compile("ring.json")
    done = ordo.works("run", "ring.json", "-e", 128, "-n", 1, "--csv", "--check", "--transport",
                      "threads")
    table = list(csv.reader(io.StringIO(done.out)))
    wanted(
        table[0][:8] == ["operator", "ranks", "schedule", "bytes", "count", "type", "op", "root"]
        and len(table) == 6, table)
    wanted(len({len(row) for row in table}) == 1, table)
    for row in csv.DictReader(io.StringIO(done.out)):
        wanted((row["operator"], row["ranks"], row["in_place_us"],
                row["out_of_place_wrong"]) == ("AllReduce", "4", "", "0"), row)
        wanted(
            near(float(row["out_of_place_algbw"]),
                 int(row["bytes"]) / float(row["out_of_place_us"]) / 1e3), row)
    wanted(done.err == "", done.err)


@desk_case(
    "types and reductions: lists and all, each once; where nothing is added there is one reduction")
def _(ordo):
    ordo.compile("ring.json", ranks=3)
    ordo.compile("gather.json", operator="allgather", ranks=3)
    answer = ordo.answer("run", "ring.json", "-b", 48, "-n", 1, "-d", "all", "-o", "all", "--check")
    kinds = [(row["type"], row["op"]) for row in answer["rows"]]
    wanted(len(kinds) == len(set(kinds)) == NKIND, kinds)
    wanted({kind for kind, _ in kinds} == set(SIZES), kinds)
    wanted(
        all(row["bytes"] == 48 and row["count"] * SIZES[row["type"]] == 48
            for row in answer["rows"]), answer)
    wanted(answer["wrong"] == 0 and answer["exit code"] == 0, answer)
    rows = ordo.answer("run", "ring.json", "-b", 48, "-n", 1, "-d", "f16,f64,f16", "-o",
                       "max,min")["rows"]
    wanted([(row["type"], row["op"]) for row in rows] ==
           [("f16", "max"), ("f16", "min"), ("f64", "max"), ("f64", "min")], rows)
    rows = ordo.answer("run", "gather.json", "-b", 48, "-n", 1, "-d", "i8,f64", "-o", "all")["rows"]
    wanted([(row["type"], row["op"]) for row in rows] == [("i8", "none"), ("f64", "none")], rows)
    rows = ordo.answer("run", "gather.json", "-b", 48, "-n", 1, "-d", "all", "--check")["rows"]
    wanted(len(rows) == len(SIZES) and all(row["out_of_place"]["wrong"] == 0 for row in rows), rows)
    rows = ordo.answer("run", "ring.json", "-b", 48, "-n", 1, "-d", "all", "-o", "band,sum")["rows"]
    wanted(len(rows) == 8 * 2 + 6 + 2, rows)
    for kinds, reductions, says in [("f32,i8", "band", "found band of f32"),
                                    ("i8,f32_i32", "sum,minloc", "found minloc of i8"),
                                    ("c64", "sum,min", "found min of c64, wanted sum or avg")]:
        ordo.fails(2, says, "run", "ring.json", "-b", 48, "-n", 1, "-d", kinds, "-o", reductions)


@desk_case(
    "a schedule that accumulates: all types are those it can be bound to, and another is refused "
    "before anything runs"
)
def _(ordo):
    ordo.compile("ring.json", "--accumulate", "f32")
    rows = ordo.answer("run", "ring.json", "-b", 64, "-n", 1, "-d", "all", "--check")["rows"]
    wanted([(row["type"], row["out_of_place"]["wrong"], row["in_place"]["wrong"])
            for row in rows] == [("f16", 0, 0), ("bf16", 0, 0), ("f32", 0, 0)], rows)
    ordo.fails(2, "accumulates in f32; found f64", "run", "ring.json", "-b", 64, "-n", 1, "-d",
               "f16,f64")


@desk_case(
    "sizes: by factor from 8 on, by step, one alone; what does not fill the blocks is rounded "
    "down, and said"
)
def _(ordo):
    ordo.compile("ring.json")
    ordo.compile("scatter.json", operator="reducescatter")

    def sizes(name, *words):
        return [row["bytes"] for row in ordo.answer("run", name, "-n", 1, *words)["rows"]]
    wanted(sizes("ring.json", "-e", 65) == [8, 16, 32, 64])
    wanted(sizes("ring.json", "-b", 5, "-e", 40, "-i", 15, "-d", "i8") == [5, 20, 35])
    wanted(sizes("ring.json", "-b", 0, "-e", 8, "--step", 4) == [0, 4, 8])
    wanted(sizes("ring.json", "-b", "1K", "-e", "1KiB", "-f", 1) == [1024])
    wanted(sizes("scatter.json", "-b", 8, "-e", 64) == [0, 16, 32, 64])
    done = ordo.works("run", "scatter.json", "-b", 8, "-e", 64, "-n", 1)
    wanted("1 of the sizes do not fill 4 blocks evenly and are rounded down" in done.err, done.err)
    wanted("rounded" not in ordo.works("run", "ring.json", "-e", 64, "-n", 1).err)


@desk_case(
    "-w, -n, --repeat and --warmup_iters as nccl-tests has them; without a range there is one run, "
    "as ever"
)
def _(ordo):
    ordo.compile("ring.json")
    answer = ordo.answer("run", "ring.json", "-e", 8, "--warmup_iters", 0, "--repeat", 3)
    wanted((answer["warmup"], answer["repeat"], len(answer["rows"])) == (0, 3, 1), answer)
    answer = ordo.answer("run", "ring.json", "-e", 8)
    wanted((answer["warmup"], answer["repeat"]) == (1, 20), answer)
    out = ordo.works("run", "ring.json", "-b", "4KiB", "-n", 2).out
    wanted("4 KiB a rank" in out and "the best of 2" in out and "#" not in out, out)


@desk_case("of a plan set each size takes its schedule, which is told")
def _(ordo):
    ordo.works("compile", "allreduce", "-n", 8, "--topology", "hypercube", "--sizes", "8:1MiB",
               "-o", "set")
    words = ["run", "set", "-b", 64, "-e", "1MiB", "-f", 128, "-n", 1, "--check"]
    rows = ordo.answer(*words)["rows"]
    names = [row["schedule"] for row in rows]
    wanted(names == sorted(names) and names[0] == "range-0.json" and len(set(names)) > 1, names)
    for row in rows:
        wanted(row["schedule"] == ordo.answer("run", "set", "--bytes", row["bytes"])["schedule"],
               row)
    out = ordo.works(*words).out
    wanted([
        line.split()[1].rstrip(",") for line in out.splitlines() if line.startswith("# range-")
    ] == sorted(set(names)), out)
    wanted([line.split(",")[2]
            for line in ordo.works(*words, "--csv").out.splitlines()[1:]] == names)
    ordo.fails(
        2, r"set has no schedule for 1 elements of 4 bytes, but for sizes of 8\.\.1048576 bytes",
        "run", "set", "-b", 4, "-e", 64)


@desk_case(
    "wrong elements are counted: of a sum that lost a part, a copy that never came, and whatever "
    "the type"
)
def _(ordo):
    for operator, task in [("allreduce", "SendReduce"), ("allgather", '"Send"')]:
        lines = ordo.compile("good.json", operator=operator).read_text().splitlines(keepends=True)
        lost = max(number for number, line in enumerate(lines) if task in line)
        (ordo.folder / "bad.json").write_text("".join(lines[:lost] + lines[lost + 1:]))
        ordo.fails(1, "not run, because it is refuted", "run", "bad.json", "-e", 64)
        words = [
            "run", "bad.json", "--unproved", "-b", "4KiB", "-e", "16KiB", "-f", 2, "-n", 2, "-d",
            "f32,f64,i32", "--check"
        ]
        answer = ordo.answer(*words)
        wanted(answer["exit code"] == 1 and answer["wrong"] > 0, answer)
        for row in answer["rows"]:
            # One chunk of four is wrong: a sum on every rank, a copy at least where it did not
            # come.
            elements = row["bytes"] // SIZES[row["type"]] // 4
            found = row["out_of_place"]["wrong"]
            wanted(
                found == 4 *
                elements if operator == "allreduce" else found and found % elements == 0, operator,
                row)
        done = ordo(*words)
        wanted(
            done.returncode == 1
            and re.search(r"^# wrong: 4096 bytes of f32: rank \d", done.out, re.MULTILINE),
            done.out)
        wanted("every element" not in done.out, done.out)
        wanted(ordo.answer(*words[:1], "good.json", *words[2:])["wrong"] == 0)


@desk_case("without one order everything is held against the exact result, and what is right passes"
           )
def _(ordo):
    ordo.compile("ring.json", ranks=3)
    text = (ordo.folder / "ring.json").read_text()
    # A signal that nobody waits for: refuted (R6), and all sums are right.
    extra = re.sub(r'(\{"rank": 0, "streams": \[\n.*"tasks": \[\n)',
                   r'\1{"task": "Notify", "peer": 1, "signal": 77},\n',
                   text,
                   count=1)
    (ordo.folder / "left.json").write_text(extra)
    answer = ordo.answer("run", "left.json", "--unproved", "-b", 300, "-n", 2, "-d", "all", "-o",
                         "all", "--check")
    wanted(answer["wrong"] == 0 and len(answer["rows"]) == NKIND, answer)
    wanted(answer["exit code"] == 0, answer)
    for words, says in [([], "within the bounds of any order"),
                        (["--type", "i32"], "bit-equal with the exact result, ")]:
        done = ordo.works("run", "left.json", "--unproved", "--count", 75, "--check", *words)
        wanted(says in done.out, done.out)


@desk_case(
    "a table that makes no sense, has no end, or is too large for the machine is refused before "
    "anything runs"
)
def _(ordo):
    ordo.compile("ring.json")
    for message, words in [
        (r"--begin: found 64, wanted at most --end, which is 8", ["-b", 64, "-e", 8]),
        (r"--factor: found 1, wanted at least 2", ["-e", 64, "-f", 1]),
        (r"--factor: found 0, wanted at least 2", ["-e", 64, "-f", 0]),
        (r"--step: found 0, wanted at least 1", ["-e", 64, "-i", 0]),
        (r"--factor and --step: give one", ["-e", 64, "-i", 8, "-f", 2]),
        (r"--begin: found 0, which no factor makes larger", ["-b", 0, "-e", 64]),
        (r"there is no --end", ["-f", 2]),
        (r"found 134217728 sizes from 8 to 1073741824, wanted at most 10000",
         ["-e", "1GiB", "-i", 8]),
        (r"--end: found 9223372036854775808, wanted at most", ["-e", 1 << 63]),
        (r"cannot be combined with --count, --links, --replay, --input or --trace",
         ["-e", 64, "--count", 3]),
        (r"cannot be combined with --count, --links, --replay, --input or --trace",
         ["-e", 64, "--links"]),
        (r"cannot be combined with .* or --trace", ["-e", 64, "--trace", "x.json"]),
        (r"--repeat: found 0", ["-e", 64, "-n", 0]),
        (r"--type: found f31, wanted f16, .*, or all", ["-e", 64, "-d", "f16,f31"]),
        (r"--transport folded runs no tasks .* --unproved",
         ["-e", 64, "--transport", "folded", "--unproved"]),
        (r"--transport folded runs no tasks .*--trace",
         ["--transport", "folded", "--trace", "x.json"]),
        (r"--transport folded runs no tasks .*--links", ["--transport", "folded", "--links"]),
        (r"--csv and --json: give one", ["-e", 64, "--csv", "--json"])
    ]:
        if "--json" in words:
            answer = ordo.answer("run", "ring.json", *words)
            wanted(answer["exit code"] == 2 and re.search(message, answer["error"]["text"]), answer)
        else:
            ordo.fails(2, message, "run", "ring.json", *words)
    for words in [["-e", "1024TiB"], ["--bytes", "1024TiB"], ["-e", (1 << 63) - 1]]:
        ordo.fails(5, r"in the buffers of 4 ranks, and this machine has", "run", "ring.json",
                   *words)


@desk_case(
    "on a terminal wrong elements are red, unless NO_COLOR is set, and columns stay where they are")
def _(ordo):
    lines = ordo.compile("good.json").read_text().splitlines(keepends=True)
    lost = max(number for number, line in enumerate(lines) if "SendReduce" in line)
    (ordo.folder / "bad.json").write_text("".join(lines[:lost] + lines[lost + 1:]))

    def shown(**environment):
        master, slave = pty.openpty()
        subprocess.run([ORDO, "run", "bad.json", "--unproved", "-e", "64", "-n", "1", "--check"],
                       cwd=ordo.folder, stdout=slave, stderr=subprocess.DEVNULL, check=False,
                       env={**os.environ, "TERM": "xterm", **environment})
        os.close(slave)
        text = b""
        try:
            while part := os.read(master, 65536):
                text += part
        except OSError:
            pass  # the other end is closed
        os.close(master)
        return text.decode().replace("\r\n", "\n")
    coloured, plain = shown(NO_COLOR=""), shown(NO_COLOR="1")
    wanted("\033[1;31m" in coloured and "\033" not in plain, coloured, plain)
    rows = [
        line for line in re.sub(r"\033\[[\d;]*m", "", coloured).splitlines()
        if not line.startswith("#")
    ]
    wanted(len({len(row) for row in rows}) == 1, rows)


run_cases()
