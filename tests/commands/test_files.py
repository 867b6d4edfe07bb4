#!/usr/bin/env python3
"""test_files.py ORDO REJECT - files: nothing half written, nothing written over what is read."""
import os
import re
import resource
import subprocess

from command import REJECT
from desk import ORDO, desk_case
from tap import run_cases, wanted


def commands_that_write(race):
    """What is read, and then everything that writes, X being where to."""
    schedules = [words for one in ("ring.json", "ring", "ring/schedule.json") for words in (
        (one, "verify", one, "--certificate", "X"), (one, "verify", one, "--write-input", "X"),
        (one, "run", one, "--trace", "X"),
        (one, "run", one, "--trace", "X", "--check"), (one, "draw", one, "--as", "dot", "-o", "X"),
        (one, "draw", one, "--as", "table", "--output", "X"),
        (one, "draw", one, "--space-time", "--as", "svg", "-o", "X"), (one, "view", one, "-o", "X"),
        (one, "view", "other.json", "--against", one, "-o", "X"),
        (one, "order", one, "--as", "dot", "-o", "X"),
        (one, "diff", one, "other.json", "--write-input", "X"),
        (one, "diff", "other.json", one, "--as", "dot", "-o", "X"), (one, "embed", one, "-o", "X"),
        (one, "export", "goal", one, "-o", "X"), (one, "export", "chakra", one, "-o", "X"),
        (one, "embed", one, "-o", "x.c", "--header", "X"))]
    schedules += [("race.json", "verify", "race.json", "--write-replay", "X"),
                  ("race.json", "verify", race, "--write-replay=X")]
    schedules += [("set", "run", "set", "--trace", "X"), ("set", "view", "set", "-o", "X"),
                  ("set", "embed", "set", "-o", "X"),
                  ("set/plan-set.json", "run", "set", "--trace", "X"),
                  ("nccl.log", "import", "nccl", "nccl.log", "-o", "X"),
                  ("set", "export", "goal", "set", "-o", "X"),
                  ("set", "export", "chakra", "set", "-o", "X")]
    schedules += [("torus.json", "compile", "allreduce", "-n", 4, "-t", "torus.json", "-o", "X"),
                  ("torus.json", "tune", "allreduce", "-n", 4, "-t", "torus.json", "--sizes", "1:2",
                   "-o", "X"),
                  ("torus.json", "verify", "ring.json", "-t", "./torus.json", "--certificate", "X"),
                  ("torus.json", "draw", "--topology=torus.json", "--as", "dot", "-o", "X"),
                  ("replay.json", "run", "race.json", "--replay", "replay.json", "--trace", "X"),
                  ("input.json", "run", "ring.json", "--input", "input.json", "--trace", "X"),
                  ("trace.json", "draw", "ring.json", "--space-time", "--trace", "trace.json",
                   "--as", "svg", "-o", "X")]
    return schedules


def names_of(ordo, read):
    """Ways to name what is read: its path, its parts, and links to it, which are made here."""
    path = ordo.folder / read
    targets = [read, f"./{read}"]
    if path.is_dir():
        targets += [f"{read}/{one.name}" for one in path.iterdir()]
    (ordo.folder / "symbolic").symlink_to(path)
    links = ["symbolic"]
    for number, part in enumerate(sorted(path.iterdir()) if path.is_dir() else [path]):
        os.link(part, ordo.folder / f"hard{number}")
        links.append(f"hard{number}")
    if read == "ring/schedule.json":
        targets += ["ring/rank-2.json"]
    return targets + links, links


def check_table_of_writers(ordo, schedules):
    """Every option that writes is in the table of commands that write."""
    known = {(words[1], re.match("--[a-z-]+|-o", str(word)).group().replace("-o", "--output")
              if str(word) != "--output" else "--output")
             for words in schedules for word, place in zip(words, [*words[1:], None])
             if "X" in (str(place), *str(word).split("=")[1:])}
    reads = {("run", "--replay"), ("run", "--input"), ("view", "--against"), ("draw", "--trace"),
             ("view", "--trace"), ("predict", "--trace"), ("mpi", "--plans"),
             ("import", "--against"), ("probe", "--answers"), ("probe", "--against")}
    alone = {("demo", "--output"), ("probe", "--kit"), ("calibrate", "--output"),
             ("explain", "--write-example"),  # read nothing
             ("mpi", "--report"), ("mpi", "--log")}  # MPI programs write them
    for command in re.findall(r"^  ([a-z]+) +\S", ordo.works("--help").out.split("options:")[0],
                              re.M):
        text = ordo.works(command, "--help").out
        for option in re.findall(r"^  (?:-\w, )?(--[a-z-]+) (?:OUT|FILE|FOLDER)\b", text, re.M):
            wanted((command, option) in known | reads | alone, command, option, known)


@desk_case("nothing is written over what is read: the file, a link to it, or a part of its folder")
def overwriting(ordo):
    ordo.compile("ring.json")
    ordo.compile("ring")
    ordo.works("compile", "allreduce", "-n", 4, "--sizes", "1:1GiB", "-o", "set")
    ordo.works("compile", "allreduce", "-n", 4, "-a", "mesh", "-o", "other.json")
    ordo.works("draw", "--topology", "torus:2x2", "--as", "json", "-o", "torus.json")
    ordo.works("run", "ring.json", "--trace", "trace.json")
    (ordo.folder / "nccl.log").write_text("no log\n")
    race = ordo.folder / "race.json"
    race.write_bytes((REJECT / "R8-two-writers-unordered.json").read_bytes())
    ordo("verify", race, "--write-replay", "replay.json")
    ordo.works("verify", "ring.json", "--write-input", "input.json")
    schedules = commands_that_write(race)

    def files():
        return {path: path.read_bytes() if path.is_file() else None
                for path in sorted(ordo.folder.rglob("*"))}

    for read, *words in schedules:
        targets, links = names_of(ordo, read)
        before = files()
        for target in targets:
            now = [str(word).replace("X", target) if "X" in str(word) else word for word in words]
            ordo.fails(2, r"^error: --[a-z-]+: found .*, which is what is read", *now)
            wanted(files() == before, now)
        for name in links:
            (ordo.folder / name).unlink()
    with open(ordo.folder / "ring.json", "rb") as ring:
        done = subprocess.run([ORDO, "verify", "-", "--certificate", "ring.json"], stdin=ring,
                              cwd=ordo.folder, capture_output=True, check=False)
    wanted(done.returncode == 2 and b"which is what is read: -" in done.stderr, done)
    ordo.fails(2, "--certificate: found x.json, wanted a file of its own", "verify", "ring.json",
               "--certificate", "x.json", "--write-input", "x.json")
    wanted(not (ordo.folder / "x.json").exists())
    # What is there and is not read is written anew; what only has the name of a file is none.
    for _ in range(2):
        ordo.works("verify", "ring.json", "--certificate", "proof.json")
        ordo.works("run", "set", "--trace", "set/trace.json")
        ordo.works("compile", "allreduce", "-n", 4, "-a", "ring", "-o", "ring")
        ordo.works("compile", "allreduce", "-n", 4, "-a", "ring", "-t", "ring", "-o", "ring")
        ordo.works("verify", "ring.json", "--certificate", "/dev/null", "--write-input",
                   "/dev/null")
    check_table_of_writers(ordo, schedules)


def limit_files():
    resource.setrlimit(resource.RLIMIT_FSIZE, (1000, 1000))


@desk_case("a full disk: exit code 5, the old file stays, and nothing temporary is left")
def _(ordo):
    old = ordo.compile("ring.json").read_bytes()
    ordo.compile("many")
    ordo.works("draw", "ring.json", "-o", "ring.svg")
    picture = (ordo.folder / "ring.svg").read_bytes()
    before = {path: path.read_bytes() for path in ordo.folder.rglob("*") if path.is_file()}
    for words in [["compile", "allreduce", "-n", 8, "-a", "ring", "-o", "ring.json"],
                  ["compile", "allreduce", "-n", 8, "-a", "ring", "-o", "many"],
                  ["compile", "allreduce", "-n", 8, "-a", "ring", "-o", "new.json"],
                  ["draw", "ring.json", "-o", "ring.svg"]]:
        ordo.fails(5, "File too large", *words, before=limit_files)
        wanted(ordo.names() == ["many", "ring.json", "ring.svg"], words, ordo.names())
    after = {path: path.read_bytes() for path in ordo.folder.rglob("*") if path.is_file()}
    wanted(before == after and old in after.values() and picture in after.values())


@desk_case("a device that is full: exit code 5, as file and as stdout")
def _(ordo):
    ordo.compile("ring.json")
    ordo.fails(5, "/dev/full: error: cannot write: No space left", "compile", "allreduce", "-n", 4,
               "-a", "ring", "-o", "/dev/full")
    ordo.fails(5, "/dev/full: error: cannot write: No space left", "draw", "ring.json", "-o",
               "/dev/full")
    with open("/dev/full", "wb") as full:
        for words in [["compile", "allreduce", "-n", 4, "-a", "ring"], ["verify", "ring.json"],
                      ["list"], ["verify", "ring.json", "--json"], ["draw", "ring.json"],
                      ["explain", "R8"], ["--help"], ["verify", "nothing.json", "--json"]]:
            done = ordo.fails(5, "error: cannot write.*: No space left", *words, stdout=full)
            wanted(len(re.findall("cannot write", done.err)) == 1, words, done.err)


@desk_case("a failure leaves no file")
def _(ordo):
    for words in [["allreduce", "-n", 8, "-a", "mesh", "--fail-link", "0-1"],
                  ["alltoall", "-n", 4, "-a", "ring"],
                  ["allreduce", "-n", 4, "-a", "ring", "--in-plaec"]]:
        done = ordo("compile", *words, "-o", "x.json")
        wanted(done.returncode == 2 and done.out == "" and ordo.names() == [], words, done.err,
               ordo.names())
    ordo.fails(5, "none/x.json: error: cannot write", "compile", "allreduce", "-n", 4, "-a", "ring",
               "-o", "none/x.json")
    wanted(ordo.names() == [], ordo.names())


@desk_case(
    "closed standard files: a result that had nowhere to go is an error, and no file takes their "
    "place"
)
def _(ordo):
    def close(*files):
        return lambda: [os.close(file) for file in files]
    whole = ordo.compile("ring.json").read_bytes()
    for words in [["draw", "ring.json"], ["draw", "ring.json", "--as", "text"],
                  ["verify", "ring.json"], ["compile", "allreduce", "-n4", "-aring"]]:
        wanted(ordo(*words, before=close(1)).returncode == 5, words)
    ordo.works("compile", "allreduce", "-n4", "-aring", "-o", "ring.json", before=close(0, 1, 2))
    wanted((ordo.folder / "ring.json").read_bytes() == whole)


run_cases()
