#!/usr/bin/env python3
"""test_failing_command.py ORDO ALLOCATOR [all] - memory runs out inside the command itself.

ALLOCATOR, loaded before ORDO, refuses the Nth request for memory, or all from the Nth on. The
command must give its ordinary exit code, output and files, or end with exit code 5, an error that
names memory, and no file but a whole one. N runs over the first request of each chain of calls, or
a sample of them; with `all`, over every request."""
import concurrent.futures
import json
import os
import pathlib
import random
import re
import subprocess
import sys
import tempfile

from tap import case, run_cases, wanted

ORDO, ALLOCATOR = map(os.path.abspath, sys.argv[1:3])
EVERY_REQUEST = sys.argv[3:] == ["all"]
MOST_ONCE, MOST_ONWARDS = 140, 15
OUT_OF_MEMORY = 5
TIMES = re.compile(r"[0-9][0-9.e+-]* ?(ns|us|ms|s|MB/s|GB/s)\b")
VARYING = re.compile("seconds$|_per_second$|^peak_bytes$")


def unvarying(document):
    """JSON without the measurements, which differ from run to run."""
    if isinstance(document, dict):
        return {name: unvarying(value) for name, value in document.items()
                if not VARYING.search(name)}
    return [unvarying(one) for one in document] if isinstance(document, list) else document


def unvarying_text(text):
    try:
        return unvarying(json.loads(text))
    except ValueError:
        return TIMES.sub("TIME", text)


def content(path):
    """A file that the command wrote, without what differs from run to run."""
    if path.is_dir():
        return {file.name: content(file) for file in path.iterdir()}
    text = path.read_text()
    try:
        document = json.loads(text)
    except ValueError:
        return text
    if not isinstance(document, dict) or "traceEvents" not in document:
        return text
    events = [{key: value for key, value in event.items() if key not in ("ts", "dur")}
              for event in document["traceEvents"] if event["name"] != "token"]
    return [document.get("otherData"), events]


def outcome(folder, words, refuse=None):
    """The exit code, stdout, stderr and files of the command in an empty folder, which is empty
    again after it."""
    environment = dict(os.environ, NO_COLOR="1")
    if refuse:
        environment |= {"LD_PRELOAD": ALLOCATOR, "ORDO_REFUSE": str(refuse)}
    done = subprocess.run([ORDO, *words], cwd=folder, env=environment, capture_output=True,
                          close_fds=False, timeout=60)
    files = {path.name: content(path) for path in folder.iterdir()}
    subprocess.run(["rm", "-rf", *folder.iterdir()], check=True)
    return (done.returncode, unvarying_text(done.stdout.decode()),
            unvarying_text(done.stderr.decode()), files)


def fault(ordinary, found):
    """What is wrong with an outcome; None: nothing."""
    code, out, err, files = found
    if code < 0:
        return f"it died of signal {-code}"
    spoilt = [name for name in files if files[name] != ordinary[3].get(name)]
    if spoilt:
        return f"it left {spoilt}"
    if code == OUT_OF_MEMORY:
        said = out if isinstance(ordinary[1], dict) else err
        return None if "memory" in str(said) else "its error does not name memory"
    if code != ordinary[0]:
        return f"exit code {code}, ordinarily {ordinary[0]}"
    return None if found == ordinary else "it says or writes something else than ordinarily"


def chosen_requests(folder, words):
    """[N] for one refusal, and [N] for refusals from there on."""
    record = folder.with_suffix(".requests")
    outcome(folder, words, record)
    stacks = record.read_text().split()
    first = {}
    for n, stack in enumerate(stacks, 1):
        first.setdefault(stack, n)
    distinct = range(1, len(stacks) + 1) if EVERY_REQUEST else sorted(first.values())
    wanted(len(distinct) > 20, "requests", len(distinct))
    sample = random.Random(0).sample
    if EVERY_REQUEST:
        return distinct, distinct
    return [sorted(sample(distinct, min(most, len(distinct)))) for most in
            (MOST_ONCE, MOST_ONWARDS)]


def survives(documents, words):
    words = [str(documents / word) if word.endswith(".json") and (documents / word).exists()
             else word for word in words]
    with tempfile.TemporaryDirectory() as scratch:
        folders = [pathlib.Path(scratch) / str(i) for i in range(os.cpu_count() or 1)]
        for folder in folders:
            folder.mkdir()
        ordinary = outcome(folders[0], words)
        wanted(ordinary[0] in (0, 1), "ordinarily", ordinary)
        once, onwards = chosen_requests(folders[0], words)
        requests = [str(n) for n in once] + [f"{n}-" for n in onwards]

        def probe(i):
            found = ((request, outcome(folders[i], words, request))
                     for request in requests[i::len(folders)])
            return [(request, what, *one[:3]) for request, one in found
                    if (what := fault(ordinary, one))]

        with concurrent.futures.ThreadPoolExecutor(len(folders)) as pool:
            faults = sum(pool.map(probe, range(len(folders))), [])
    wanted(not faults, f"{len(faults)} of {len(requests)}", *faults[:None if EVERY_REQUEST else 8])


LINES = ["compile allreduce -n 4 -a ring -o new.json",
         "compile allreduce -n 3 -a star -t full-mesh -o set.folder --json",
         "verify ring.json",
         "verify ring.json -t ring --json",
         "run ring.json --size 64 --check --transport seeded",
         "run ring.json --size 64 --check --transport seeded --json",
         "run ring.json --size 64 --transport seeded --trace trace.json",
         "order ring.json",
         "predict ring.json -t ring --json",
         # Drawings by cgraph are missing: it looks at few of the blocks that it asks for.
         "draw ring.json --as table",
         "draw ring.json --space-time -t ring -o ring.svg",
         "tune allreduce -n 3 -t ring --sizes 1:2 -o tuned",
         "diff ring.json star.json --json",
         "list --json",
         "embed ring.json -o ring.c"]


def line_case(line):
    @case(f"ordo {line}")
    def _(documents):
        survives(documents, line.split())


@case("the allocator refuses what it is asked to refuse")
def _(documents):
    folder = documents / "empty"
    folder.mkdir()
    found = outcome(folder, ["list", "--json"], "1-")
    wanted(found[0] == OUT_OF_MEMORY, found)


@case("a picture cut to what lies around a fault: exit code 5 comes with an error that says why")
def _(documents):
    folder = documents / "picture"
    folder.mkdir()
    words = ["draw", str(documents / "wrong.json"), "--max-tasks", "4", "--as", "dot"]
    found = {request: outcome(folder, words, request)
             for request in chosen_requests(folder, words)[0]}
    # cgraph may crash, or leave out what it has no memory for.
    failed = {request: one for request, one in found.items() if one[0] == OUT_OF_MEMORY}
    wanted(len(failed) > 20, "failed", len(failed))
    silent = [request for request, one in failed.items() if "memory" not in one[2]]
    wanted(not silent, "without an error", silent)


for line in LINES:
    line_case(line)

with tempfile.TemporaryDirectory() as work:
    for algorithm in ("ring", "star"):
        subprocess.run([ORDO, "compile", "allreduce", "-n", "4", "-a", algorithm, "-o",
                        f"{work}/{algorithm}.json"], check=True, capture_output=True)
    subprocess.run([ORDO, "explain", "R8", "--write-example", f"{work}/wrong.json"], check=True,
                   capture_output=True)
    run_cases(pathlib.Path(work))
