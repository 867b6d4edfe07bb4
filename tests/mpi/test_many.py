#!/usr/bin/env python3
"""test_many.py LIBRARY PATH PROGRAM SLEEPING RANKS - so many ranks that one of them makes the
schedules for all: PROGRAM is many.c, SLEEPING has MPICH sleep where it waits."""
import sys

import launch
from tap import case, run_cases, wanted

LIBRARY, PATH, PROGRAM, SLEEPING, RANKS = sys.argv[1:6]


@case(f"blocking reductions and nonblocking calls of {RANKS} ranks have the same bits")
def _():
    preload = PATH if LIBRARY == "openmpi" else f"{PATH} {SLEEPING}"
    networks = {"OMPI_MCA_pml": "ob1", "OMPI_MCA_btl": "self,vader"}
    done = launch.run(LIBRARY, launch.command(LIBRARY, RANKS, [PROGRAM]),
                      {"LD_PRELOAD": preload, "ORDO_MPI": "", **networks}, limit=800)
    # Open MPI's launcher reports an error after MPI_Finalize of any program of so many ranks.
    wanted("all agree" in done.stdout, done.stdout, done.stderr)
    for name in ("Allreduce", "Reduce", "Reduce_scatter_block", "Iallreduce", "Ireduce",
                 "Ireduce_scatter", "Ireduce_scatter_block"):
        wanted(f"ordo:   MPI_{name} " in done.stderr, name, done.stderr)
    wanted("bits may vary" not in done.stderr, done.stderr)


if not launch.command(LIBRARY, 1, []):
    print(f"1..0 # SKIP there is no launcher of {LIBRARY}")
    sys.exit(0)
run_cases()
