#!/usr/bin/env python3
"""test_system_python.py ORDO - mpi4py: a program of Python, whose interpreter is not linked with an
MPI, has the dyadic order, evaluated here, whatever algorithm the library is told to use."""
import os
import pathlib
import subprocess
import sys
import tempfile

import launch
from tap import case, run_cases, wanted

ORDO = os.path.abspath(sys.argv[1])
RANKS, COUNT = 5, 600
FOLDER = pathlib.Path(tempfile.mkdtemp())
SCRIPT = f"""
import array
from mpi4py import MPI
comm = MPI.COMM_WORLD
own = array.array("d", [(i * 7919 + comm.rank * 104729) % 1000003 / (comm.rank + 3)
                        for i in range({COUNT})])
both, parts = array.array("d", own), array.array("d", bytes(8 * {COUNT // RANKS}))
comm.Allreduce(MPI.IN_PLACE, both)
later = array.array("d", own)
comm.Iallreduce(own, later).Wait()
comm.Reduce_scatter_block(own, parts)
rest = comm.gather(parts.tobytes(), 0)
if comm.rank == 0:
    print(both.tobytes().hex(), later.tobytes().hex(), b"".join(rest).hex())
"""


def tree(leaves):
    """The dyadic tree: split at the largest power of two below the number of leaves."""
    if len(leaves) == 1:
        return leaves[0]
    half = 1
    while half * 2 < len(leaves):
        half *= 2
    return tree(leaves[:half]) + tree(leaves[half:])


def expected():
    import struct
    sums = [tree([(i * 7919 + r * 104729) % 1000003 / (r + 3) for r in range(RANKS)])
            for i in range(COUNT)]
    return struct.pack(f"{COUNT}d", *sums).hex()


def results(algorithm, words):
    path = FOLDER / "script.py"
    path.write_text(SCRIPT)
    done = launch.run("openmpi", launch.command("openmpi", RANKS, [*words, sys.executable, path]),
                      {"OMPI_MCA_coll_tuned_use_dynamic_rules": "1",
                       "OMPI_MCA_coll_tuned_allreduce_algorithm": algorithm})
    wanted(done.returncode == 0, done.stdout[:500], done.stderr)
    return done.stdout.split(), done.stderr


@case("Allreduce, Iallreduce and Reduce_scatter_block follow the dyadic tree")
def _():
    for algorithm in ("1", "3", "4"):
        found, report = results(algorithm, [ORDO, "mpi"])
        wanted(found == [expected()] * 3, algorithm, report)
        wanted("MPI_Iallreduce" in report and "MPI_Reduce_scatter_block" in report, report)


@case("without it the algorithms give other bits")
def _():
    seen = {results(algorithm, [])[0][0] for algorithm in ("1", "3", "4")}
    wanted(len(seen) > 1, seen)


library = subprocess.run([sys.executable, "-c", "from mpi4py import MPI;"
                          "print(MPI.Get_library_version())"], check=False, capture_output=True,
                         text=True, env=launch.environment("openmpi"))
if library.returncode or "Open MPI" not in library.stdout:
    print("1..0 # SKIP mpi4py for Open MPI is not installed (Debian: python3-mpi4py)")
    sys.exit()
run_cases()
