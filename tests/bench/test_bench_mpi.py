#!/usr/bin/env python3
"""test_bench_mpi.py REDUCTIONS_PY SPEED_MD - the table of reductions of MPI programs says what was
measured, on numbers made up."""
import json
import pathlib
import subprocess
import sys
import tempfile

from tap import case, run_cases, wanted

REDUCTIONS, SPEED = (pathlib.Path(argument).absolute() for argument in sys.argv[1:3])


def row(library, way, size, own, ours, operator="AllReduce"):
    return {"library": library, "way": way, "operator": operator, "ranks": 2, "bytes": size,
            "library_us": own, "ours_us": ours}


def run(rows, document=None, absent=None, load=2.1):
    """The finished process, and the document afterwards."""
    facts = {"cpu": "Abacus", "cores": 2, "caches": "L1 1K", "packages": {"mpich": "4"}}
    results = {"machine": facts, "rounds": 9, "absent": absent or {}, "load": load, "rows": rows}
    with tempfile.TemporaryDirectory() as folder:
        stored, target = pathlib.Path(folder) / "stored.json", pathlib.Path(folder) / "SPEED.md"
        stored.write_text(json.dumps(results))
        target.write_text(SPEED.read_text() if document is None else document)
        done = subprocess.run(
            [sys.executable, REDUCTIONS, "--from", stored, "--document", target],
            capture_output=True, text=True, check=False)
        return done, target.read_text()


@case("ratios, with those that miss an aim in bold, which another way and another wire have not")
def _():
    done, document = run([
        row("MPICH", "shared memory", 8, 2, 1), row("MPICH", "shared memory", 16384, 10, 8),
        row("MPICH", "messages", 8, 1, 2), row("Open MPI, TCP", "messages", 8, 10, 11.5),
        row("Open MPI, TCP", "messages", 16384, 100, 125)])
    wanted(done.returncode == 0, done.stderr)
    for text in (done.stdout, document):
        wanted("2 of 4 aims are met." in text, text)
        wanted("| 2 | MPICH | shared memory | 0.50 of 2.00 | **0.80** of 10.0 |" in text, text)
        wanted("| AllReduce | 2 | MPICH | messages | 2.00 of 1.00 | - |" in text, text)
        wanted("| 2 | Open MPI, TCP | messages | 1.15 of 10.0 | **1.25** of 100 |" in text, text)
    wanted("## Aims" in document and document.count("<!-- measured:") == SPEED.read_text().count(
        "<!-- measured:"))


@case("a time lost in the noise is a dash; a call that is passed on has its nanoseconds")
def _():
    done, _ = run([row("MPICH", "shared memory", 8, -0.1, 1),
                   row("MPICH", "shared memory", 4, 0.02, 0.045, "PassedOn"),
                   row("Open MPI", "shared memory", 4, 0.02, 0.14, "PassedOn")])
    wanted("| AllReduce | 2 | MPICH | shared memory | - |" in done.stdout, done.stdout)
    wanted("0 of 0 aims are met." in done.stdout, done.stdout)
    wanted("| MPICH | 20.0 | 25.0 |" in done.stdout, done.stdout)
    wanted("| Open MPI | 20.0 | **120** |" in done.stdout, done.stdout)


@case("what is not there is named, and a document without the section is refused")
def _():
    some = [row("MPICH", "messages", 8, 1, 1)]
    done, _ = run(some, absent={"Open MPI": "not installed"})
    wanted("- Open MPI: not installed" in done.stdout, done.stdout)
    wanted("measured anew" not in done.stdout, done.stdout)
    wanted("these ratios are to be measured anew" in run(some, load=7)[0].stdout)
    done, document = run(some, document="nothing")
    wanted(done.returncode != 0 and "found 0 sections" in done.stderr, done.stderr)
    wanted(document == "nothing")


run_cases()
