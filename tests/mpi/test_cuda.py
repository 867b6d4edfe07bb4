#!/usr/bin/env python3
"""test_cuda.py LIBRARY ORDO PROGRAM DRIVER - memory of CUDA under `ordo mpi`: which reductions are
taken, and which are left to an MPI that reads memory of devices. PROGRAM is reductions.c; DRIVER is
CUDA's, or what stands for it. Skipped without the driver or a device."""
import pathlib
import re
import sys
import tempfile

import launch
from tap import case, run_cases, wanted

LIBRARY, ORDO, PROGRAM, DRIVER = sys.argv[1:5]
FUNCTIONS = ["MPI_Allreduce", "MPI_Allreduce in place", "MPI_Reduce", "MPI_Reduce_scatter",
             "MPI_Reduce_scatter_block", "MPI_Iallreduce", "MPI_Allreduce_init",
             "MPI_Allreduce_init"]
SIZES = 960, 480000
BLOCKING = ("Allreduce", 4), ("Reduce", 2), ("Reduce_scatter", 2), ("Reduce_scatter_block", 2)
FAR = "device", "pool", "left", "some"  # of these a processor reads all memory, or all but one's
NEAR = "plain", "managed", "pinned", "registered"


def start(ranks, kinds, settings="", extra=None):
    words = [ORDO, "mpi", "--mpi", LIBRARY, PROGRAM, DRIVER, *kinds]
    return launch.run(LIBRARY, launch.command(LIBRARY, ranks, words),
                      {"ORDO_MPI": settings, **(extra or {})})


def expected(kind, order):
    functions = [one for one in FUNCTIONS if (kind, one) != ("some", "MPI_Iallreduce")]
    return [f"{kind}, {one} of {n}: {order}" for n in SIZES for one in functions]


def check_report(text, kind):
    """One kind of memory: either everything is taken, or nothing."""
    init = ("Allreduce_init", 4 if kind in NEAR else 2)  # each start is taken, or its request once
    later = [] if kind == "some" else [("Iallreduce", 2)]
    for name, number in (*BLOCKING, init, *later):
        how = r" +\d+ bytes" if kind in NEAR else r" passed on: device memory \(bits may vary\)"
        wanted(re.search(rf"ordo:   MPI_{name} +{number} calls{how}", text), kind, name, number,
               text)
    wanted(("device memory" in text) == (kind in FAR), kind, text)


@case("memory of a device is passed on, and memory that a processor reads is taken")
def _():
    for kind in (*NEAR, *FAR):
        done = start(2, [kind])
        wanted(done.returncode == 0, kind, done.stdout, done.stderr)
        wanted(done.stdout.splitlines() == expected(kind, "right"), kind, done.stdout, done.stderr)
        check_report(done.stderr, kind)


@case("the order is ours where a call is taken, and MPI's where it is passed on; one after another")
def _():
    kinds = ["managed", "device", "plain", "some", "pinned", "left", "registered", "pool", "plain"]
    lines = [line for kind in kinds
             for line in expected(kind, "dyadic" if kind in NEAR else "by rank")]
    for settings in ("messages", "", "check") if launch.IS_LONG else ("messages",):
        done = start(4, kinds, settings)
        wanted(done.returncode == 0 and done.stdout.splitlines() == lines, settings, done.stdout,
               done.stderr)


@case("the log has no hashes of memory of a device, also of integers and of one rank")
def _():
    folder = pathlib.Path(tempfile.mkdtemp())
    for kind in ("device", "managed"):
        done = start(2, [kind], f"log={folder}/{kind}")
        wanted(done.returncode == 0, done.stdout, done.stderr)
        calls = [line.split() for rank in range(2)
                 for line in open(folder / kind / f"rank-{rank}.log", encoding="utf-8")
                 if line[0] != "#"]
        reasons = {line[8] for line in calls}
        wanted(reasons == {"integers", "one-rank", "device-memory" if kind in FAR else "taken"},
               reasons)
        hashes = {line[6] for line in calls if line[8] != "device-memory"}
        wanted((hashes == {"-"}) if kind in FAR else ("-" not in hashes), kind, calls)


if not launch.command(LIBRARY, 1, []):
    print(f"1..0 # SKIP there is no launcher of {LIBRARY}")
    sys.exit(0)
TRIED = start(1, [])
if "skipped: " in TRIED.stdout:
    print("1..0 # SKIP", TRIED.stdout.partition("skipped: ")[2].splitlines()[0])
    sys.exit(0)
run_cases()
