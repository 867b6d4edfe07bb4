#!/usr/bin/env python3
"""test_system_lammps.py ORDO - unmodified LAMMPS of the distribution on 5 ranks: the temperature it
prints depends on the algorithm of MPI_Allreduce without our library, and not with it."""
import os
import pathlib
import shutil
import subprocess
import sys
import tempfile

import launch
from tap import case, run_cases, wanted

ORDO = os.path.abspath(sys.argv[1])
RANKS = 5
FOLDER = pathlib.Path(tempfile.mkdtemp())
FORCED = [{"OMPI_MCA_coll_tuned_use_dynamic_rules": "1",
           "OMPI_MCA_coll_tuned_allreduce_algorithm": algorithm} for algorithm in ("1", "3")]
# A Lennard-Jones fluid, kept at a temperature by a thermostat: every step multiplies all velocities
# by a number that depends on a sum over ranks.
MELT = """
units lj
atom_style atomic
lattice fcc 0.8442
region box block 0 4 0 4 0 4
create_box 1 box
create_atoms 1 box
mass 1 1.0
velocity all create 3.0 87287
pair_style lj/cut 2.5
pair_coeff 1 1 1.0 1.0 2.5
neighbor 0.3 bin
neigh_modify every 20 delay 0 check no
fix 1 all nvt temp 3.0 3.0 0.1
thermo 500
run 3000
"""


def skip(why):
    print(f"1..0 # SKIP {why}")
    sys.exit()


def uses_open_mpi(program):
    done = subprocess.run(["ldd", program], check=False, capture_output=True, text=True)
    return "libmpi.so.40" in done.stdout


def melt(extra, words=()):
    """The lines of step, temperature, energies and pressure."""
    path = FOLDER / "melt.in"
    path.write_text(MELT)
    done = launch.run("openmpi", launch.command("openmpi", RANKS, [*words, LMP, "-in", path, "-log",
                                                                   "none"]),
                      {**extra, "OMPI_MCA_mpi_yield_when_idle": "1"})
    wanted(done.returncode == 0, done.stdout, done.stderr)
    table = done.stdout.split("\nStep Temp ")[1].split("\nLoop time")[0].splitlines()[1:]
    wanted(len(table) == 7 and table[-1].split()[0] == "3000", table)
    return table, done.stderr


@case("without the library the temperature depends on the algorithm of MPI_Allreduce")
def _():
    one, other = (melt(extra)[0] for extra in FORCED)
    print("# algorithm 1:", one[-1], "algorithm 3:", other[-1])
    wanted(one[0] == other[0], "they start alike", one, other)
    wanted(one[-1].split()[1] != other[-1].split()[1], one, other)
    wanted(melt(FORCED[0])[0] == one, "one algorithm does not repeat its own digits")


@case("with it every digit is the same, by messages and by shared memory too")
def _():
    tables = []
    for extra in FORCED:
        for settings in ("", "messages"):
            table, report = melt({**extra, "ORDO_MPI": settings}, [ORDO, "mpi"])
            wanted("in the order dyadic, proved" in report and "MPI_Allreduce" in report, report)
            tables.append(table)
    print("# with it:", tables[0][-1])
    wanted(all(table == tables[0] for table in tables), tables)


@case("the logs say that the reductions made the difference")
def _():
    folders = []
    for number, extra in enumerate(FORCED):
        folders.append(str(FOLDER / f"log-{number}"))
        melt(extra, [ORDO, "mpi", "--order", "library", "--report", "none", "--log", folders[-1]])
    done = subprocess.run([ORDO, "mpi", "--compare", *folders], check=False, capture_output=True,
                          text=True)
    print("#", done.stdout.splitlines()[0])
    wanted(done.returncode == 1 and "its inputs agree and its outputs differ" in done.stdout, done)


LMP = shutil.which("lmp")
if not LMP:
    skip("LAMMPS is not installed (Debian: lammps)")
if not uses_open_mpi(LMP):
    skip(f"{LMP} does not use Open MPI 4, whose algorithms this test chooses")
run_cases()
