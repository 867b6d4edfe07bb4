#!/usr/bin/env python3
"""test_memory.py ORDO - no document and no number of ranks takes all memory.

What would is refused at once, and the command says what it would take."""
import re
import resource
import subprocess

from desk import ORDO, desk_case
from tap import run_cases, wanted

MIB = 1 << 20
SPACE = "found more than 1048576 bytes of white space in a row"


def within(mebibytes):
    return lambda: resource.setrlimit(resource.RLIMIT_AS, (mebibytes * MIB, mebibytes * MIB))


def pour(ordo, *words, begin="", more=" "):
    """The command behind a pipe that goes on for ever; it ends by itself, within 200 MiB."""
    script = 'printf %s "$1"; yes "$2" | tr -d "\\n"'
    writer = subprocess.Popen(["sh", "-c", script, "pour", begin, more], stdout=subprocess.PIPE,
                              stderr=subprocess.DEVNULL)
    reader = subprocess.run([ORDO, *words], cwd=ordo.folder, stdin=writer.stdout,
                            stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
                            preexec_fn=within(200), timeout=60)
    writer.stdout.close()
    writer.wait()
    return reader.returncode, reader.stdout.decode()


@desk_case("what is no document is refused by its first byte, from a device too")
def _(ordo):
    def refuses(message, *words):
        ordo.fails(3, message, *words, before=within(200))

    for command in [
            "verify", "predict", "run", "order", "draw", "view", "explain", "probe", "embed"
    ]:
        refuses(r"/dev/zero:1:1: error\[R1\]: found the byte 0x00, wanted a schedule", command,
                "/dev/zero")
    ordo.compile("ring.json")
    refuses("found the byte 0x00, wanted a topology", "compile", "allreduce", "-n", 4, "-a", "ring",
            "-t", "/dev/zero")
    refuses("found the byte 0x00, wanted a replay", "run", "ring.json", "--replay", "/dev/zero")
    refuses("found the byte 0x00", "run", "ring.json", "--input", "/dev/zero")
    refuses("found byte 0", "draw", "ring.json", "--space-time", "--trace", "/dev/zero")


@desk_case("white space, strings, numbers and brackets without end are refused by R1")
def _(ordo):
    for command in ["verify", "predict", "order", "draw", "explain"]:
        code, said = pour(ordo, command, "-")
        wanted(code == 3 and f"stdin:1:1048578: error[R1]: {SPACE}" in said, code, said)
    for begin, more, message in [
            ('{"schema": ', " ", SPACE),
            ('{"schema": "', "a", "found a string of more than 1048576 bytes"),
            ('{"ranks": ', "7", "found a number of 1048577 letters, wanted at most 63"),
            ("", '{"x": ', "nested more than 64 deep"),
            ('{"x": ', "[", "nested more than 64 deep")]:
        code, said = pour(ordo, "verify", "-", begin=begin, more=more)
        wanted(code == 3 and "error[R1]" in said and message in said, code, said)
    ordo.compile("ring.json")
    code, said = pour(ordo, "verify", "-", begin=(ordo.folder / "ring.json").read_text())
    wanted(code == 3 and "wanted nothing after the document" in said, said)
    code, said = pour(ordo, "draw", "ring.json", "--space-time", "--trace", "/dev/stdin",
                      begin='{"traceEvents": [')
    wanted(code == 3 and SPACE in said, said)


@desk_case("a document that goes on for ever ends at the limit")
def _(ordo):
    begin = ('{"schema": "ordo/schedule/1", "programs": [{"rank": 0, "streams": [{"name": "a", '
             '"tasks": [')
    code, said = pour(ordo, "verify", "-", "--memory-limit", "20MiB", begin=begin,
                      more='{"task": "Wait", "peer": 1, "signal": 0},')
    message = (r"stdin: error: reading it takes about [\d.]+ MiB of memory, there is 20 MiB\n"
               r".*--memory-limit")
    wanted(code == 5 and re.search(message, said), code, said)


@desk_case("a proof that is too large for the limit is an error, and no picture is drawn without it"
           )
def _(ordo):
    (ordo.folder / "wide.json").write_text(
        '{"schema": "ordo/schedule/1", "operator": "AllReduce", "algorithm": "x", "ranks": 1, '
        '"chunks_per_block": 50000000, "scratch_slots": 0, "in_place": false, '
        '"programs": [{"rank": 0, "streams": []}]}')
    for command in ["verify", "draw"]:
        ordo.fails(5, r"proving it takes about \S+ \wiB of memory, there is 100 MiB", command,
                   "wide.json", "--memory-limit", "100MiB")


@desk_case(
    "2147483647 ranks are refused before anything is built, by every algorithm and without one")
def _(ordo):
    message = (
        r"ranks by .*, about \S+ tasks, takes about \S+ \wiB of memory, there is \S+ MiB"
        r"\nhint: ")
    listed = ordo.answer("list")
    names = [algorithm["name"] for algorithm in listed["algorithms"]]
    operators = [operator["name"] for operator in listed["operators"]]
    wanted(len(names) > 10 and len(operators) > 5, names, operators)
    for name in names:
        for operator in operators:
            done = ordo("compile", operator, "-n", 2147483647, "-a", name, "-o", "x.json",
                        before=within(300))
            wanted(done.returncode in (2, 5), name, operator, done.err)
            wanted(done.returncode == 2 or re.search(message, done.err), name, operator, done.err)
    for operator in operators:
        if operator == "Custom":
            ordo.fails(2, "no algorithm is for it", "compile", operator, "-n", 2147483647)
            continue
        ordo.fails(2, "wanted at most 2147483647 chunks in all" if operator == "AllToAll"
                   else "no algorithm applies.*\nhint: .*--memory-limit", "compile", operator, "-n",
                   2147483647, "-o", "x.json", before=within(300))
    wanted(ordo.names() == [], ordo.names())


@desk_case("verify --generate says what it would take")
def _(ordo):
    message = (r"on 1073741824 ranks by .* takes about \d+ GiB of memory, there is \d+ MiB"
               r"\nhint: .*--memory-limit")
    for name in ["ring", "halving-doubling", "recursive-doubling"]:
        ordo.fails(5, message, "verify", "--generate", name, "-n", 1 << 30, before=within(300))
    ordo.fails(5, "holding all programs takes about", "verify", "--generate", "ring", "-n", 65536,
               "--symmetry", "off", before=within(300))


@desk_case("--memory-limit holds for what is compiled, proved, read and run")
def _(ordo):
    path = ordo.compile("ring.json", ranks=64)
    ordo.fails(5, r"about 24446 tasks, takes about 2.1\d* MiB of memory, there is 1 MiB",
               "compile", "allreduce", "-n", 64, "-a", "ring", "--memory-limit", "1MiB")
    ordo.fails(5, r"(reading|proving) it takes about (1.8|1.9|2)\S* MiB of memory, "
               "there is 1.5 MiB", "verify", path, "--memory-limit", "1536KiB")
    ordo.works("verify", path, "--memory-limit", "3MiB")
    ordo.fails(5, "take .* in the buffers of 64 ranks, and there is", "run", path, "--size",
               "64MiB", "--memory-limit", "1GiB")
    ordo.fails(2, "--memory-limit: found much, wanted a size", "verify", path, "--memory-limit",
               "much")
    taken = ordo.answer("compile", "allreduce", "-n", 64, "--memory-limit", "1MiB", "-o", "x.json")
    wanted(taken["exit code"] == 0, taken)


run_cases()
