#!/usr/bin/env python3
"""test_run_mpi.py ORDO LIBRARY - `ordo run --transport mpi` under the launcher of that library."""
import json
import os
import pathlib
import subprocess
import sys
import tempfile

import launch
from tap import case, run_cases, wanted

ORDO, LIBRARY = sys.argv[1:3]
FOLDER = tempfile.TemporaryDirectory()
OTHER = {"openmpi": "mpich", "mpich": "openmpi"}[LIBRARY]
# One schedule of every operator, most of them with more than one message in flight.
SCHEDULES = [("allreduce", "ring"), ("allreduce", "rhd"), ("allreduce", "mesh"),
             ("allreduce", "dyadic"), ("reduce", "tree"),
             ("broadcast", "tree(shape=double-binary)"), ("reduce-scatter", "mesh"),
             ("allgather", "nhr"), ("scatter", "nhr"), ("gather", "nhr"),
             ("alltoall", "pairwise"), ("alltoall", "bruck")]


def ordo(*words):
    return subprocess.run([ORDO, *map(str, words)], check=True, stdout=subprocess.PIPE,
                          stderr=subprocess.PIPE, text=True)


def on_ranks(ranks, *words, library=LIBRARY, extra=None):
    line = launch.command(library, ranks, [ORDO, *map(str, words)])
    return launch.run(library, line, extra)


def compiled(operator, algorithm, ranks, *words):
    path = pathlib.Path(FOLDER.name) / f"{operator}-{algorithm}-{ranks}.json"
    ordo("compile", operator, "-n", ranks, "-a", algorithm, *words, "-o", path)
    return path


@case("every operator gives the bits of its reduction tree")
def _():
    for operator, algorithm in SCHEDULES if launch.IS_LONG else SCHEDULES[2:-1]:
        path = compiled(operator, algorithm, 3)
        done = on_ranks(3, "run", path, "--transport", "mpi", "--check", "--json", "--size",
                        "48KiB", "--repeat", 2)
        wanted(done.returncode == 0, operator, algorithm, done.stderr)
        found = json.loads(done.stdout)
        wanted(found["check"]["bits_equal"] and found["transport"] == "mpi", found)
        name = {"openmpi": "Open MPI", "mpich": "MPICH"}[LIBRARY]
        wanted(found["mpi"].startswith(name), found["mpi"])


@case("a schedule with staging runs, and memory for it is refused")
def _():
    path = compiled("allreduce", "ring", 3, "--staging", 4)
    words = ("run", path, "--transport", "mpi", "--check", "--json", "--size", "48KiB")
    done = on_ranks(3, *words)
    wanted(done.returncode == 0 and json.loads(done.stdout)["check"]["bits_equal"], done.stderr)
    done = on_ranks(3, *words, "--staging", "64KiB")
    wanted(done.returncode != 0 and
           "cannot be combined with --transport mpi" in done.stdout + done.stderr,
           done.stdout, done.stderr)


@case("it ends even if every send waits for its receive, also in rounds and in place")
def _():
    ranks = 4 if launch.IS_LONG else 3
    for operator, algorithm in SCHEDULES[:4]:
        path = compiled(operator, algorithm, ranks, "--in-place")
        for size in ("64", "9MiB") if launch.IS_LONG or algorithm == "ring" else ("200KiB",):
            done = on_ranks(ranks, "run", path, "--transport", "mpi", "--check", "--synchronous",
                            "--size", size)
            wanted(done.returncode == 0 and "bit-equal" in done.stdout, done.stdout, done.stderr)


@case("elements of every size, complex numbers and pairs too")
def _():
    path = compiled("allreduce", "ring", 3)
    for kind, reduction in [("f8e4m3", "sum"), ("u16", "bxor"), ("u32", "max"), ("c64", "avg"),
                            ("c128", "sum"), ("i32_i32", "maxloc"), ("f64_i32", "minloc")]:
        done = on_ranks(3, "run", path, "--transport", "mpi", "--check", "--count", 1000, "--type",
                        kind, "--op", reduction)
        wanted(done.returncode == 0 and "bit-equal" in done.stdout, kind, done.stdout, done.stderr)


@case("sums without order travel as states of every size")
def _():
    for form, kinds in [("exact", ("f8e5m2", "f16")), ("binned(bins=2)", ("bf16", "f64")),
                        ("binned(bins=3)", ("f32", "f64"))]:
        path = compiled("allreduce", "ring", 3, "--accumulate", form)
        for kind in kinds:
            done = on_ranks(3, "run", path, "--transport", "mpi", "--check", "--count", 1000,
                            "--type", kind)
            wanted(done.returncode == 0 and "bit-equal" in done.stdout, form, kind, done.stdout,
                   done.stderr)


@case("blocks of unequal sizes: what is empty is no message, and all else is right")
def _():
    for operator, algorithm, counts in [("alltoall", "pairwise", "0,9000,1;4,0,0;0,0,2"),
                                        ("alltoall", "bruck", "0,9000,1;4,0,0;0,0,2"),
                                        ("allgather", "nhr", "3,0,70000"),
                                        ("reduce-scatter", "mesh", "0,0,0"),
                                        ("scatter", "nhr", "3,0,5"), ("gather", "nhr", "0,0,5")]:
        path = compiled(operator, algorithm, 3)
        done = on_ranks(3, "run", path, "--transport", "mpi", "--check", "--json", "--counts",
                        counts, "--synchronous")
        wanted(done.returncode == 0, operator, algorithm, done.stderr)
        wanted(json.loads(done.stdout)["check"]["bits_equal"], operator, done.stdout)
    done = on_ranks(3, "run", path, "--transport", "mpi", "--counts", "1,2")
    wanted(done.returncode != 0 and "found 2, wanted 3" in done.stderr, done.stderr)


@case("one report, of all ranks")
def _():
    done = on_ranks(3, "run", compiled("allreduce", "ring", 3), "--transport", "mpi", "--check",
                    "--count", 1000)
    wanted(done.stdout.count("bit-equal") == 1 and "3000 elements" in done.stdout, done.stdout)


@case("another number of ranks is refused, once")
def _():
    done = on_ranks(2, "run", compiled("allreduce", "ring", 3), "--transport", "mpi")
    wanted(done.returncode != 0 and not done.stdout, done.stdout)
    wanted(done.stderr.count("the schedule is for 3 ranks, and MPI started 2") == 1, done.stderr)


@case("a document that cannot be read is named, once")
def _():
    done = on_ranks(2, "run", "/nonexistent.json", "--transport", "mpi")
    wanted(done.returncode != 0 and done.stderr.count("/nonexistent.json") == 1, done.stderr)


@case("the library of the other launcher sees one rank, and says so")
def _():
    done = on_ranks(2, "run", compiled("allreduce", "ring", 2), "--transport", "mpi", "--mpi",
                    OTHER)
    text = done.stderr
    wanted(done.returncode != 0, text)
    wanted("this library sees only one" in text or "cannot be loaded" in text, text)


@case("without a launcher it says how to start")
def _():
    done = subprocess.run([ORDO, "run", compiled("allreduce", "ring", 2), "--transport", "mpi"],
                          stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, check=False,
                          env={key: value for key, value in os.environ.items()
                               if not key.startswith(("OMPI_", "PMI"))})
    wanted(done.returncode == 2 and "mpirun -n 8 ordo run" in done.stderr, done.stderr)


if not launch.command(LIBRARY, 1, []):
    print(f"1..0 # SKIP there is no launcher of {LIBRARY}")
    sys.exit(0)
run_cases()
