#!/usr/bin/env python3
"""test_refused.py openmpi|mpich PROGRAM STRIDE - one rank is refused memory, none waits for ever.

PROGRAM is refused.c, which explains STRIDE."""
import sys

import launch
from tap import case, run_cases, wanted

LIBRARY, PROGRAM, STRIDE = sys.argv[1:4]
RANKS = {"openmpi": 3, "mpich": 2}[LIBRARY]  # MPICH never yields


def start(*words):
    return launch.run(LIBRARY, launch.command(LIBRARY, RANKS, [PROGRAM, *words]), limit=1500)


@case("each rank gets an error or the right result, and the next call works")
def _():
    done = start(STRIDE)
    wanted(done.returncode == 0, done.stdout[-2000:], done.stderr[-4000:])
    trials, errors = (int(word) for word in done.stdout.split() if word.isdigit())
    print(f"# {trials} trials, {errors} errors")
    wanted(trials > 100 and errors > 20, done.stdout)


@case("a nonblocking call that cannot begin ends the program and says why")
def _():
    ended = 0
    for number in range(6):
        done = start("begin", number)
        ended += "has no memory for what all ranks contribute" in done.stderr
        wanted("waits for ever" not in done.stderr and "differs" not in done.stderr, done.stderr)
    wanted(ended > 0, done.stdout, done.stderr)


@case("a copy that MPI cannot make ends the program and says why")
def _():
    done = start("copy")
    wanted(done.returncode != 0 and "waits for ever" not in done.stderr, done.stdout, done.stderr)
    wanted(f"rank {RANKS - 1} of {RANKS} could not copy or reduce elements" in done.stderr,
           done.stderr)


if not launch.command(LIBRARY, 1, []):
    print(f"1..0 # SKIP there is no launcher of {LIBRARY}")
    sys.exit(0)
run_cases()
