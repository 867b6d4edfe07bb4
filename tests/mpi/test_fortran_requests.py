#!/usr/bin/env python3
"""test_fortran_requests.py LIBRARY PATH FORTRAN - nonblocking reductions of unmodified programs in
Fortran with the library loaded, compared with the dyadic tree."""
import pathlib
import re
import shutil
import struct
import subprocess
import sys
import tempfile

import launch
from tap import case, run_cases, wanted

LIBRARY, PATH, FORTRAN = sys.argv[1:4]
FOLDER = pathlib.Path(tempfile.mkdtemp())
COUNT = 600

def run(ranks, program):
    return launch.run(LIBRARY, launch.command(LIBRARY, ranks, [program]),
                      {"LD_PRELOAD": PATH, "ORDO_MPI": ""})


def calls(report, function):
    found = re.search(rf"{function} +(\d+) calls +\d+ bytes", report)
    return int(found[1]) if found else 0


def as_float(x):
    return struct.unpack("f", struct.pack("f", x))[0]


def value(rank, i):
    a = (i * 7919 + rank * 104729) % 1000003
    scale = 16384.0 if i % 3 == 0 else 1 / 1024 if i % 3 == 1 else 1.0
    return as_float(a * scale / (3 if rank % 2 else 7))


def tree(leaves):
    """The dyadic tree. A sum of floats, rounded to double and then to float, is rounded once."""
    if len(leaves) == 1:
        return leaves[0]
    half = 1
    while half * 2 < len(leaves):
        half *= 2
    return as_float(tree(leaves[:half]) + tree(leaves[half:]))


def build(compiler, module, path=FORTRAN):
    types = {"mpi": ("integer", "integer :: one(MPI_STATUS_SIZE), all(MPI_STATUS_SIZE, 2)"),
             "mpi_f08": ("type(MPI_Request)", "type(MPI_Status) :: one, all(2)")}[module]
    text = pathlib.Path(path).read_text().replace("use MODULE", f"use {module}")
    text = text.replace("  REQUEST ::", f"  {types[0]} ::").replace("  STATUS\n", f"  {types[1]}\n")
    if LIBRARY == "mpich":
        text = text.replace("MPIX_", "MPI_").replace("  EXTENSIONS\n", "")
    text = text.replace("EXTENSIONS", f"use {module}_ext")
    source, program = FOLDER / f"{module}.f90", FOLDER / module
    source.write_text(text)
    subprocess.run([compiler, "-fallow-argument-mismatch", source, "-o", program], check=True,
                   cwd=FOLDER, stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
    return program


def words(numbers):
    return "".join(f"{w:08X}" for w in struct.unpack(f"{len(numbers)}I",
                                                      struct.pack(f"{len(numbers)}f", *numbers)))


@case("Fortran's requests are folded too, and counted once")
def _():
    compiler = shutil.which(f"mpif90.{LIBRARY}")
    if not compiler:
        print(f"# not tested: there is no mpif90.{LIBRARY}")
        return
    for module in ("mpi", "mpi_f08"):
        program = build(compiler, module)
        for ranks in (2, 5) if launch.IS_LONG else (3,):
            done = run(ranks, program)
            whole = words([tree([value(r, i) for r in range(ranks)]) for i in range(COUNT)])
            lines = dict(line.split() for line in done.stdout.splitlines())
            wrong = [name for name, line in lines.items() if line != whole * 2]
            wanted(done.returncode == 0 and len(lines) == 11 and not wrong, module, ranks, wrong,
                   done.stderr)
            wanted(calls(done.stderr, "MPI_Iallreduce") == 18, module, done.stderr)
            wanted(calls(done.stderr, "MPI_Ireduce_scatter_block") == 1, module, done.stderr)
            for name in ("Scan", "Exscan", "Iscan", "Iexscan"):
                wanted(re.search(rf"MPI_{name} +1 calls passed on: prefix sums", done.stderr), name,
                       module, done.stderr)


@case("Fortran's persistent sums are taken, also by the names of Open MPI 4")
def _():
    compiler = shutil.which(f"mpif90.{LIBRARY}")
    if not compiler:
        print(f"# not tested: there is no mpif90.{LIBRARY}")
        return
    for module in ("mpi", "mpi_f08"):
        program = build(compiler, module, pathlib.Path(FORTRAN).with_name("persistent.f90"))
        done = run(3, program)
        lines = dict(line.split() for line in done.stdout.splitlines())
        wanted(done.returncode == 0 and len(lines) == 8, module, done.stdout, done.stderr)
        for turn in range(2):
            whole = words([tree([value(r + turn, i) for r in range(3)]) for i in range(COUNT)])
            for i in range(1, 5):
                found = lines[f"{turn}-{i}"]
                wanted(found == whole[:len(found)] and len(found) == (1600 if i == 4 else 4800),
                       module, turn, i)
        for name in ("Allreduce", "Reduce", "Reduce_scatter", "Reduce_scatter_block"):
            wanted(calls(done.stderr, f"MPI_{name}_init") == 2, module, name, done.stderr)


@case("processes that Fortran starts have the library, and join in its order")
def _():
    compiler = shutil.which(f"mpif90.{LIBRARY}")
    if not compiler or LIBRARY == "mpich":
        print("# not tested: there is no mpif90, or the library starts no processes")
        return
    text = pathlib.Path(FORTRAN).with_name("processes").joinpath("spawn.f90").read_text()
    wanted_words = words([tree([value(r, i) for r in range(4)]) for i in range(COUNT)])
    for module in ("mpi", "mpi_f08", "mpif"):
        comm, info = (("type(MPI_Comm)", "type(MPI_Info)") if module == "mpi_f08"
                      else ("integer", "integer"))
        heading = f"use {module}\n  implicit none"
        if module == "mpif":
            heading = "implicit none\n  include 'mpif.h'"
        source, program = FOLDER / f"spawn-{module}.f90", FOLDER / f"spawn-{module}"
        source.write_text(text.replace("use MODULE\n  implicit none", heading).replace(
            "  COMM ::", f"  {comm} ::").replace("  INFO ::", f"  {info} ::"))
        subprocess.run([compiler, "-fallow-argument-mismatch", source, "-o", program], check=True,
                       cwd=FOLDER, stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
        for way in ("", "multiple"):  # the launcher, whose variables are theirs, has none of ours
            own = f'LD_PRELOAD="{PATH}" ORDO_MPI="deadline=20" exec "{program}" {way}'
            done = launch.run(LIBRARY, launch.command(LIBRARY, 2, ["/bin/sh", "-c", own]))
            wanted(done.returncode == 0 and done.stdout.split() == [wanted_words], module, way,
                   done.stdout, done.stderr)
            wanted(done.stderr.count("in the order dyadic, proved") == 2, module, way, done.stderr)


if not launch.command(LIBRARY, 1, []):
    print(f"1..0 # SKIP there is no launcher of {LIBRARY}")
    sys.exit(0)
try:
    run_cases()
finally:
    shutil.rmtree(FOLDER)
