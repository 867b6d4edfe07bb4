#!/usr/bin/env python3
"""test_documents.py ORDO REJECT - documents: in files, folders and pipes; damaged ones."""
import os
import pathlib
import re
import signal
import subprocess

from command import COMMANDS, REJECT
from desk import ORDO, desk_case
from tap import run_cases, wanted

EXAMPLES = pathlib.Path(__file__).parents[2] / "examples"


@desk_case("compile | verify, and | run, and | draw, through stdin")
def _(ordo):
    document = ordo.works("compile", "allreduce", "-n", 4, "-a", "ring").out.encode()
    wanted(": proved" in ordo.works("verify", "-", stdin=document).out)
    wanted("bit-equal" in ordo.works("run", "-", "--check", "--count", 9, stdin=document).out)
    wanted("digraph" in ordo.works("draw", "-", stdin=document).out)


@desk_case("the folder form: a file for every rank, the same to every command, replaced as a whole")
def _(ordo):
    ordo.compile("many")
    ordo.compile("one.json")
    wanted(sorted(path.name for path in (ordo.folder / "many").iterdir()) ==
           [f"rank-{rank}.json" for rank in range(4)] + ["schedule.json"])
    many, one = ordo.answer("verify", "many"), ordo.answer("verify", "one.json")
    wanted(many["order_digest"] == one["order_digest"] and many["tasks"] == one["tasks"])
    ordo.works("run", "many", "--check", "--count", 5)
    wanted(
        ordo.works("draw", "many", "--as", "text").out == ordo.works("draw", "one.json", "--as",
                                                                     "text").out)
    ordo.compile("many", ranks=2)
    wanted(
        ordo.answer("verify", "many")["ranks"] == 2 and len(list(
            (ordo.folder / "many").iterdir())) == 3)


@desk_case("a folder that holds anything else is not replaced")
def _(ordo):
    (ordo.folder / "mine").mkdir()
    (ordo.folder / "mine" / "letter.txt").write_text("dear")
    ordo.fails(2, "mine", "compile", "allreduce", "-n", 2, "-a", "ring", "-o", "mine")
    wanted((ordo.folder / "mine" / "letter.txt").read_text() == "dear" and ordo.names() == ["mine"],
           ordo.names())


def leave(ordo, *words, **options):
    """What the command does when nobody reads its stdout any more: (exit code, stderr)."""
    read, write = os.pipe()
    os.close(read)
    done = subprocess.run([ORDO, *map(str, words)], cwd=ordo.folder, stdin=subprocess.DEVNULL,
                          stdout=write, stderr=subprocess.PIPE, timeout=300, **options)
    os.close(write)
    return done.returncode, done.stderr.decode()


@desk_case("a reader that goes away, | head: every command ends by SIGPIPE and says no error")
def _(ordo):
    ordo.compile("ring.json")
    ordo.works("compile", "allreduce", "-n", 64, "-a", "ring", "-o", "large.json")
    ordo.works("compile", "allreduce", "-n", 4, "--sizes", "1:1MiB", "-o", "set")
    circle = REJECT / "R7-circle-of-three.json"
    ordo.write_logs("one", "two")
    calls = [["mpi", "--compare", "one", "two"], ["compile", "allreduce", "-n", 64, "-a", "ring"],
             ["compile", "allreduce", "-n", 4, "-a", "ring", "--prove-only"],
             ["tune", "allreduce", "-n", 4, "--sizes", "1KiB:2KiB"],
             ["calibrate", "-n", 2, "--milliseconds", 1], ["verify", "ring.json"],
             ["verify", circle], ["predict", "ring.json"],
             ["predict", "large.json", "-e", "1GiB", "-f", 2],
             ["bound", "allreduce", "-n", 16, "-t", "full-mesh"], ["run", "ring.json"],
             ["run", "ring.json", "-e", "1KiB"], ["run", "set", "-e", "1KiB", "--csv"],
             ["probe", "ring.json"], ["order", "ring.json"], ["diff", "ring.json", "ring.json"],
             ["draw", "ring.json"], ["draw", "large.json", "--as", "text"],
             ["draw", "large.json", "--as", "svg", "--space-time"], ["view", "ring.json"],
             ["embed", "large.json"],
             ["export", "goal", "large.json"], ["import", "msccl", EXAMPLES / "allreduce.xml"],
             ["list"], ["explain", "all"], ["explain", "ring"],
             ["explain", "large.json"], ["doctor"], ["manual"], ["manual", "compile"],
             ["completions", "bash"], ["demo"], ["--help"], ["verify", "--help"], ["--version"],
             ["help", "run"], ["list", "--json"], ["verify", "ring.json", "--json"],
             ["verify", "nothing", "--json"], ["import", "msccl", EXAMPLES / "allreduce.xml"],
             ["import", "nccl", EXAMPLES / "nccl.log"]]
    wanted({words[0] for words in calls} >= set(COMMANDS),
           set(COMMANDS) - {words[0] for words in calls})
    before = set(ordo.names()) | {"ordo-demo"}
    for words in calls:
        code, err = leave(ordo, *words)
        wanted(code == -signal.SIGPIPE, words, code, err)
        wanted(not re.search("cannot write|Broken pipe|EPIPE", err), words, err)
        wanted("error: " not in err, words, err)
    wanted(set(ordo.names()) <= before, ordo.names())
    # Of a shell that has SIGPIPE ignored, no signal comes, but no word either.
    code, err = leave(ordo, "list", restore_signals=False,
                      preexec_fn=lambda: signal.signal(signal.SIGPIPE, signal.SIG_IGN))
    wanted((code, err) == (5, ""), code, err)
    # A full disk is another matter.
    with open("/dev/full", "w") as full:
        done = ordo("list", stdout=full)
    wanted(done.returncode == 5 and "cannot write to stdout: No space left" in done.err, done)


@desk_case("a table whose reader goes away is not measured to its end")
def _(ordo):
    ordo.compile("ring.json")
    ordo.compile("large.json", ranks=64)
    for words in [["run", "ring.json", "-b", 8, "-e", "64KiB", "-i", 8, "-n", 100],
                  ["predict", "large.json", "-b", 1, "-e", 9999, "-i", 1]]:
        running = subprocess.Popen([ORDO, *map(str, words)], cwd=ordo.folder,
                                   stdout=subprocess.PIPE,
                                   stderr=subprocess.PIPE)
        running.stdout.read(1)
        running.stdout.close()
        try:
            # Measured to the end, each takes more than a minute on an idle machine.
            wanted(running.wait(45) == -signal.SIGPIPE and running.stderr.read() == b"", words)
        finally:
            running.kill()
            running.stderr.close()


@desk_case("a truncated document: exit code 3, where it ends, and the hint that it was cut off")
def _(ordo):
    text = ordo.compile("ring.json").read_bytes()
    for size in [len(text) // 2, len(text) - 3, 1]:
        (ordo.folder / "cut.json").write_bytes(text[:size])
        for command in ["verify", "run", "probe", "draw", "explain"]:
            ordo.fails(
                3, r"cut.json:\d+:\d+: error\[R1\]: (.*\n)*hint: the file may have been cut off",
                command, "cut.json")
    (ordo.folder / "cut.json").write_bytes(b"")
    ordo.fails(3, r"cut.json:1:1: error\[R1\]: ", "verify", "cut.json")


@desk_case(
    "wrong types, unknown and repeated keys, numbers past 2^31: the place, what was found and what "
    "was wanted"
)
def _(ordo):
    text = ordo.compile("ring.json").read_text()
    for found, replacement, message in [
            ('"ranks": 4', '"ranks": "4"', r'ranks: found .*"4".*, wanted'),
            ('"ranks": 4', '"rnaks": 4', r'hint: did you mean "?ranks"?'),
            ('"ranks": 4', '"ranks": 4, "ranks": 4', r"duplicate key \"ranks\""),
            ('"ranks": 4', '"ranks": 2147483648', r"2147483648"),
            ('"ranks": 4', '"ranks": 5', r"error\[R2\]"),
            ('"peer": 1', '"peer": 9', r"error\[R2\].*9")]:
        wanted(found in text, found)
        (ordo.folder / "bad.json").write_text(text.replace(found, replacement, 1))
        done = ordo("verify", "bad.json")
        wanted(done.returncode in (1, 3), replacement, done.returncode)
        wanted(
            re.search(r"bad.json:\d+:\d+: error\[R[12]\]: ", done.err)
            and re.search(message, done.err), message, done.err)


@desk_case("a folder without one of its files: exit code 3, and the name of the file")
def _(ordo):
    ordo.compile("many")
    (ordo.folder / "many" / "rank-1.json").unlink()
    ordo.fails(3, r'many/schedule.json:\d+:\d+: error\[R2\]: .*"rank-1.json": No such file',
               "verify", "many")
    (ordo.folder / "many" / "schedule.json").unlink()
    ordo.fails(5, r"many/schedule.json: error: cannot read: No such file", "verify", "many")


@desk_case("an unreadable path: exit code 5, and why")
def _(ordo):
    ordo.fails(5, "^nothing.json: error: cannot read: No such file or directory", "verify",
               "nothing.json")
    ordo.fails(5, "^nothing.json: error: cannot read: No such file or directory",
               "compile", "allreduce", "-n", 4, "-a", "ring", "--topology", "nothing.json")
    ordo.compile("ring.json")
    (ordo.folder / "ring.json").chmod(0)
    if os.geteuid():
        ordo.fails(5, "^ring.json: error: cannot read: Permission denied", "verify", "ring.json")
    ordo.fails(5, "ring.json/x: error: cannot read: Not a directory", "verify", "ring.json/x")


@desk_case("numbers nobody can follow: exit code 4")
def _(ordo):
    (ordo.folder / "absurd.json").write_text(
        '{"schema": "ordo/schedule/1", "operator": "AllReduce", "algorithm": "x", "ranks": 1, '
        '"chunks_per_block": 2147483647,'
        ' "scratch_slots": 0, "in_place": false, "programs": [{"rank": 0, "streams": []}]}')
    ordo.fails(4, "at most .* can be followed", "verify", "absurd.json")
    tasks = ('{"task": "LocalCopy", "chunk": 0, "count": 2147483647, "src": ["input", 0], '
             '"dst": ["output", 0]}')
    programs = ", ".join('{"rank": %d, "streams": [{"name": "a", "tasks": [%s]}]}' % (rank, tasks)
                         for rank in range(2))
    (ordo.folder / "absurd.json").write_text(
        '{"schema": "ordo/schedule/1", "operator": "AllReduce", "algorithm": "x", "ranks": 2, '
        '"chunks_per_block": 2147483647,'
        f' "scratch_slots": 0, "in_place": false, "programs": [{programs}]}}')
    ordo.fails(4, "--symmetry is only", "verify", "absurd.json", "--symmetry", "only")


run_cases()
