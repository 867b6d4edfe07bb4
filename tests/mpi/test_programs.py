#!/usr/bin/env python3
"""test_programs.py LIBRARY PATH PROGRAM FORTRAN - unmodified programs with the library loaded.

The sums are compared with the dyadic tree, evaluated here; not with what the library prints."""
import json
import pathlib
import shutil
import struct
import subprocess
import sys
import tempfile

import launch
from tap import case, run_cases, wanted

LIBRARY, PATH, PROGRAM, FORTRAN = sys.argv[1:5]
FOLDER = pathlib.Path(tempfile.mkdtemp())
COUNT = 600
RANKS = 5 if launch.IS_LONG else 3  # so many that the orders of the library differ
# What makes the library itself add in other orders.
FORCED = {
    "openmpi": [{}, *({"OMPI_MCA_coll_tuned_use_dynamic_rules": "1",
                       "OMPI_MCA_coll_tuned_allreduce_algorithm": str(a),
                       "OMPI_MCA_coll_tuned_reduce_algorithm": str(a % 6)} for a in (1, 3, 4)),
                {"OMPI_MCA_btl": "tcp,self"}],
    "mpich": [{}, {"MPIR_CVAR_NUM_CLIQUES": "2"}, {"MPIR_CVAR_ODD_EVEN_CLIQUES": "1"},
              {"MPIR_CVAR_ALLREDUCE_INTRA_ALGORITHM": "recursive_doubling"},
              {"MPIR_CVAR_NOLOCAL": "1"}],
}[LIBRARY]
FORCED = FORCED if launch.IS_LONG else [FORCED[i] for i in (0, 1, -1)]


def value(rank, i):
    a = (i * 7919 + rank * 104729) % 1000003
    scale = 16384.0 if i % 3 == 0 else 1 / 1024 if i % 3 == 1 else 1.0
    return a * scale / (3 if rank % 2 else 7)


def as_float(x):
    return struct.unpack("f", struct.pack("f", x))[0]


def tree(leaves, add):
    """The dyadic tree: split at the largest power of two below the number of leaves."""
    if len(leaves) == 1:
        return leaves[0]
    half = 1
    while half * 2 < len(leaves):
        half *= 2
    return add(tree(leaves[:half], add), tree(leaves[half:], add))


def digest(data):
    h = 1469598103934665603
    for byte in data:
        h = (h ^ byte) * 1099511628211 % 2**64
    return f"{h:016x}"


def floats(ranks, count=COUNT):
    """A sum of two floats, rounded to double and then to float, is rounded once."""
    add = lambda a, b: as_float(a + b)
    return struct.pack(f"{count}f", *(tree([as_float(value(r, i)) for r in ranks], add)
                                      for i in range(count)))


def doubles(ranks, make, add=lambda a, b: a + b, some=range(COUNT)):
    return struct.pack(f"{len(some)}d", *(tree([make(r, i) for r in ranks], add) for i in some))


def expected(n):
    ranks = range(n)
    whole = floats(ranks)
    found = {}
    for where in ("world", "dup"):
        found |= {f"{where}-allreduce": whole, f"{where}-in-place": whole}
        found |= {f"{where}-reduce-{root}": whole for root in ranks}
    evens = [r for r in reversed(ranks) if r % 2 == 0]
    found["split"] = struct.pack("f", tree([as_float(value(r, 1)) for r in evens],
                                           lambda a, b: as_float(a + b)))
    eleventh = lambda r, i: value(r, i) / 11
    found["double"] = doubles(ranks, eleventh)
    found["product"] = doubles(ranks, eleventh, lambda a, b: a * b)
    found["complex"] = b"".join(
        struct.pack("dd", tree([eleventh(r, i) for r in ranks], lambda a, b: a + b),
                    tree([value(r, i + 1) for r in ranks], lambda a, b: a + b))
        for i in range(COUNT))
    found["reduce-scatter"] = whole
    found["reduce-scatter-block"] = floats(ranks, COUNT // n * n)
    alone = [doubles(ranks, eleventh, some=[i]) for i in range(0, COUNT, 97)]
    return {name: digest(data) for name, data in found.items()}, list(map(digest, alone))


def run(ranks, program, extra=None, preload=True, settings=""):
    words = launch.command(LIBRARY, ranks, [program])
    more = dict(extra or {}, **({"LD_PRELOAD": PATH, "ORDO_MPI": settings} if preload else {}))
    done = launch.run(LIBRARY, words, more)
    wanted(done.returncode == 0, words, more, done.stdout, done.stderr)
    return done


def results(text):
    names, alone = {}, []
    for line in text.splitlines():
        name, h = line.split()
        if name == "alone":
            alone.append(h)
        else:
            names[name] = h
    return names, alone


@case("every reduction follows the dyadic tree, whatever the library would do")
def _():
    for ranks in (2, 5) if launch.IS_LONG else (3,):
        names, alone = expected(ranks)
        for number, extra in enumerate(FORCED):
            settings = "messages" if number % 2 == 0 or "OMPI_MCA_btl" in extra else ""
            done = run(ranks, PROGRAM, extra, settings=settings)
            found, found_alone = results(done.stdout)
            long_double = found.pop("long-double")
            wanted(len(long_double) == 16)
            wanted(found == names, ranks, extra,
                   {name: (found.get(name), names[name]) for name in names
                    if found.get(name) != names[name]})
            wanted(found_alone == alone, ranks, extra)


@case("without it, the library's own choices give other bits")
def _():
    seen = {results(run(RANKS, PROGRAM, extra, preload=False).stdout)[0]["world-allreduce"]
            for extra in FORCED}
    wanted(len(seen) > 1, seen)


@case("the report names what was taken and what was passed on")
def _():
    text = run(3, PROGRAM).stderr
    wanted(text.count("reductions in the order dyadic, proved") == 1, text)
    wanted("calls passed on: integers" in text and "order digest" in text, text)
    report = FOLDER / "report"
    done = run(3, PROGRAM, settings=f"report={report}")
    wanted("ordo:" not in done.stderr and "MPI_Reduce_scatter_block" in report.read_text(),
           done.stderr)


@case("the report is JSON where the name of its file says so")
def _():
    path = FOLDER / "report.json"
    run(3, PROGRAM, settings=f"report={path}")
    report = json.loads(path.read_text())
    wanted(report["schema"] == "ordo/mpi-report/1" and report["order"] == "dyadic", report)
    taken = {one["function"]: one for one in report["taken"]}
    wanted(taken["MPI_Allreduce"]["calls"] > 5 and taken["MPI_Reduce_scatter"]["bytes"] > 0, taken)
    reasons = {one["reason"]: one["bits_may_vary"] for one in report["passed_on"]}
    wanted(reasons.get("integers") is False, reasons)
    wanted(all(len(one["order_digest"]) == 32 and one["ranks"] <= 3
               for one in report["schedules"]) and report["schedules"], report)


@case("Fortran's bindings are taken, and counted once")
def _():
    compiler = shutil.which(f"mpif90.{LIBRARY}")
    if not compiler:
        print(f"# not tested: there is no mpif90.{LIBRARY}")
        return
    text = pathlib.Path(FORTRAN).read_text()
    for module in ("mpi", "mpi_f08", "mpif"):
        source, program = FOLDER / f"{module}.f90", FOLDER / f"{module}"
        if module == "mpif":
            source.write_text(text.replace("use MODULE\n  implicit none",
                                           "implicit none\n  include 'mpif.h'"))
        else:
            source.write_text(text.replace("use MODULE", f"use {module}"))
        subprocess.run([compiler, "-fallow-argument-mismatch", source, "-o", program], check=True,
                       cwd=FOLDER, stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
        for ranks in (2, 5) if launch.IS_LONG else (3,):
            done = run(ranks, program)
            whole = floats(range(ranks))
            words = "".join(f"{w:08X}" for w in struct.unpack(f"{COUNT}I", whole))
            lines = dict(line.split() for line in done.stdout.splitlines())
            wanted(len(lines) == 3 and all(line == words for line in lines.values()), module, ranks)
            wanted("MPI_Allreduce                           2 calls" in done.stderr, done.stderr)


@case("Fortran's programs that start MPI by a session are taken")
def _():
    compiler = shutil.which(f"mpif90.{LIBRARY}")
    if not compiler or LIBRARY == "openmpi":
        print("# not tested: there is no mpif90 with sessions")
        return
    plain = "integer :: session, group, comm"
    types = "; ".join(f"type(MPI_{name}) :: {name}" for name in ("Session", "Group", "Comm"))
    for module, declarations in (("mpi", plain), ("mpi_f08", types)):
        source, program = FOLDER / f"session-{module}.f90", FOLDER / f"session-{module}"
        text = pathlib.Path(FORTRAN).with_name("session.f90").read_text()
        source.write_text(text.replace("use MODULE", f"use {module}").replace(
            "DECLARATIONS\n  integer", f"{declarations}\n  integer"))
        subprocess.run([compiler, "-fallow-argument-mismatch", source, "-o", program], check=True,
                       cwd=FOLDER, stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
        text = run(2, program).stderr
        wanted("MPI_Allreduce                           1 calls" in text, module, text)


@case("another order is followed, and a wrong setting is named before anything runs")
def _():
    found = results(run(RANKS, PROGRAM, settings="order=linear,report=none").stdout)[0]
    linear = lambda r, i: as_float(value(r, i))
    data = []
    for i in range(COUNT):
        s = linear(0, i)
        for r in range(1, RANKS):
            s = as_float(s + linear(r, i))
        data.append(s)
    wanted(found["world-allreduce"] == digest(struct.pack(f"{COUNT}f", *data)))
    done = launch.run(LIBRARY, launch.command(LIBRARY, 2, [PROGRAM]),
                      {"LD_PRELOAD": PATH, "ORDO_MPI": "order=upwards"})
    wanted(done.returncode != 0 and "order: found \"upwards\"" in done.stderr, done.stderr)
    wanted("world-allreduce" not in done.stdout, done.stdout)


@case("programs that are none of MPI are not changed")
def _():
    done = launch.run(LIBRARY, ["/bin/sh", "-c", "echo hello"], {"LD_PRELOAD": PATH})
    wanted(done.returncode == 0 and done.stdout == "hello\n" and not done.stderr, done.stderr)


if not launch.command(LIBRARY, 1, []):
    print(f"1..0 # SKIP there is no launcher of {LIBRARY}")
    sys.exit(0)
try:
    run_cases()
finally:
    shutil.rmtree(FOLDER)
