#!/usr/bin/env python3
"""test_shards.py LIBRARY PATH FOLDER INCLUDE - sums over virtual shards, ordo_mpi_allreduce_shards.

What they are is computed here: the dyadic tree over the shards. FOLDER has the programs."""
import functools
import pathlib
import shutil
import struct
import subprocess
import sys
import tempfile

import launch
from tap import case, run_cases, wanted

LIBRARY, PATH, PROGRAMS, INCLUDE = sys.argv[1:5]
FOLDER = pathlib.Path(tempfile.mkdtemp())
PLAIN, LINKED = (f"{PROGRAMS}/{name}_{LIBRARY}" for name in ("shards", "linked_shards"))

# MPICH never yields.
COUNTS = (1, 2, 3, 4, 8) if launch.IS_LONG or LIBRARY == "openmpi" else (1, 2, 3)


def as_float(x):
    return struct.unpack("f", struct.pack("f", x))[0]


def value(shard, i):
    a = (i * 7919 + shard * 104729) % 1000003
    scale = 16384.0 if i % 3 == 0 else 1 / 1024 if i % 3 == 1 else 1.0
    return a * scale / (3 if shard % 2 else 7)


def tree(leaves, add):
    """Splits at the largest power of two below the number of leaves."""
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


@functools.lru_cache(None)
def expected(number):
    plain, shards = (lambda a, b: a + b), range(number)
    found = {}
    for n in (1, 600, 9000):
        sums = (tree([as_float(value(s, i)) for s in shards], lambda a, b: as_float(a + b))
                for i in range(n))
        found[f"float-{n}"] = digest(struct.pack(f"{n}f", *sums))
    found["complex-100"] = digest(b"".join(
        struct.pack("dd", tree([value(s, i) / 11 for s in shards], plain),
                    tree([value(s, i + 1) for s in shards], plain)) for i in range(100)))
    found["product-100"] = digest(b"".join(
        struct.pack("d", tree([1 + value(s, i + 1) / 3e9 for s in shards], lambda a, b: a * b))
        for i in range(100)))
    return found


def start(ranks, words, settings="report=none", preload=PATH):
    more = {"ORDO_MPI": settings, **({"LD_PRELOAD": preload} if preload else {})}
    return launch.run(LIBRARY, launch.command(LIBRARY, ranks, words), more)


def results(done):
    """Of two turns, which agree; and what comes before them."""
    wanted(done.returncode == 0, done.stdout, done.stderr)
    lines = [line.split() for line in done.stdout.splitlines()]
    first, second = lines[2:len(lines) // 2 + 1], lines[len(lines) // 2 + 1:]
    wanted(first and first == second, first, second)
    return dict(lines[:2]), dict(first)


@case("1, 2, 4 and 8 ranks, and all others up to V, have the bits of the tree over the shards")
def _():
    for number, counts in ((16, COUNTS), (12, (5,) if 8 in COUNTS else ())):
        wished = expected(number)
        for ranks in counts:
            settings = "report=none,order=linear" if ranks == 4 else "report=none"
            facts, found = results(start(ranks, [PLAIN, number], settings))
            wanted(facts == {"loaded": "1", "shards": str(number)}, facts)
            wanted(found == wished, ranks, found, wished)


@case("a program that is linked with the library has the same bits")
def _():
    facts, found = results(start(2, [LINKED, 16], preload=None))
    wanted(facts["loaded"] == "1" and found == expected(16), facts, found)


@case("without the library the program runs, and its bits depend on the number of ranks")
def _():
    seen = []
    for ranks in (1, 3):
        facts, found = results(start(ranks, [PLAIN, 16], preload=None))
        wanted(facts["loaded"] == "0" and found.keys() == expected(16).keys(), facts, found)
        seen.append(found["float-600"])
    wanted(len(set(seen)) > 1, seen)


@case("shards=V of rank 0 is what ordo_mpi_shards returns")
def _():
    facts, found = results(start(2, [PLAIN, 16], settings="report=none,shards=12"))
    wanted(facts["shards"] == "12" and found == expected(12), facts, found)
    for number in ("some", "0"):
        done = start(2, [PLAIN, 16], settings=f"shards={number}")
        wanted(done.returncode != 0 and f'shards: found "{number}"' in done.stderr, done.stderr)


@case("the order of other reductions, and documents, change nothing; the report lists the sums")
def _():
    done = start(2, [PLAIN, 16], settings="order=linear,messages")
    wanted(results(done)[1] == expected(16))
    wanted("ordo_mpi_allreduce_shards              10 calls" in done.stderr, done.stderr)
    wanted("AllReduce, short  on 2 ranks, 16 shards, by tree, order digest" in done.stderr,
           done.stderr)
    wanted("AllReduce, long   on 2 ranks, 16 shards, by dyadic, order digest" in done.stderr,
           done.stderr)


@case("fewer shards than ranks, and ranks that pass different numbers, are errors")
def _():
    for preload in (PATH, None):
        done = start(3, [PLAIN, 2], preload=preload)
        wanted(done.returncode not in (0, 139) and "float" not in done.stdout, done)
    done = start(3, [PLAIN, 16, "different"])
    wanted(done.returncode not in (0, 139), done)
    wanted("found 16 shards on one rank and 17 on another" in done.stderr, done.stderr)
    done = start(3, [PLAIN, 16, "different"], settings="check,report=none")
    wanted(done.returncode not in (0, 139), done)
    wanted("check: rank 0 of 3 calls ordo_mpi_allreduce_shards of MPI_FLOAT, MPI_SUM, 16 shards, "
           "count 1, and rank 2 calls" in done.stderr and "17 shards" in done.stderr, done.stderr)


@case("every call is in the log, with a hash of all shards of the rank")
def _():
    logs = []
    for ranks in (1, 2):
        folder = FOLDER / f"log-{ranks}"
        results(start(ranks, [PLAIN, 16], settings=f"report=none,log={folder}"))
        lines = (folder / "rank-0.log").read_text().splitlines()[1:]
        wanted(len(lines) == 10 and "ordo_mpi_allreduce_shards MPI_SUM" in lines[0], lines)
        logs.append([line.split() for line in lines])
    for one, two in zip(*logs):
        wanted(one[6] != two[6] and one[7] == two[7], one, two)


CPLUSPLUS = """
#include <ordo/mpi.h>
int main(int argc, char **argv) {
  MPI_Init(&argc, &argv);
  double one = 1, sum = 0;
  int n = ordo_mpi_shards(1);
  int code = ordo_mpi_allreduce_shards(&one, &sum, 1, MPI_DOUBLE, MPI_SUM, n, MPI_COMM_SELF);
  MPI_Finalize();
  return code || sum != 1 || ordo_mpi_first_shard(8, 3, 1) != 2;
}
"""
FORTRAN = """
program main
  use mpi
  implicit none
  external ordo_mpi_allreduce_shards
  integer :: code
  double precision :: parts(3, 4), total(3)
  call MPI_Init(code)
  parts = reshape([1d0, 2d0, 3d0, 10d0, 20d0, 30d0, 100d0, 200d0, 300d0, 0d0, 0d0, 0d0], [3, 4])
  call ordo_mpi_allreduce_shards(parts, total, 3, MPI_DOUBLE_PRECISION, MPI_SUM, 4, &
                                 MPI_COMM_SELF, code)
  if (code /= MPI_SUCCESS .or. any(total /= [111d0, 222d0, 333d0])) stop 1
  call MPI_Finalize(code)
end program
"""


def build(compiler, name, text, words, libraries=()):
    """None: there is no such compiler."""
    path = shutil.which(f"{compiler}.{LIBRARY}")
    if not path:
        print(f"# not tested: there is no {compiler}.{LIBRARY}")
        return None
    (FOLDER / name).write_text(text)
    program = FOLDER / f"{pathlib.Path(name).stem}-{compiler}"
    done = subprocess.run([path, *words, name, *libraries, "-o", program], cwd=FOLDER, check=False,
                          stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
    wanted(done.returncode == 0, done.stdout)
    return program


@case("the header compiles as C99, C11 and C++ without a warning, and links nothing of ours")
def _():
    strict = ["-Wall", "-Wextra", "-Wpedantic", "-Werror", f"-I{INCLUDE}"]
    for compiler, name, standard in (("mpicc", "one.c", "-std=c99"), ("mpicc", "two.c", "-std=c11"),
                                     ("mpicxx", "three.cpp", "-std=c++11"),
                                     ("mpicxx", "four.cpp", "-std=c++20")):
        text = CPLUSPLUS
        quiet = [] if LIBRARY == "mpich" else ["-Wno-cast-function-type"]
        program = build(compiler, name, text, [standard, *strict, *quiet])
        preload = PATH if name in ("two.c", "three.cpp") else None
        done = program and name != "one.c" and start(1, [program], preload=preload)
        wanted(not done or done.returncode == 0, compiler, standard, done)


@case("the example prints the same digits on any number of ranks")
def _():
    source = pathlib.Path(__file__).resolve().parents[2] / "examples" / "mpi_shards.c"
    program = build("mpicc", "example.c", source.read_text(), [f"-I{INCLUDE}"])
    seen = {start(ranks, [program]).stdout for ranks in (1, 3) if program}
    wanted(len(seen) <= 1 and all(text.startswith("3.14159") for text in seen), seen)


@case("Fortran calls it in a program that is linked with the library")
def _():
    path = pathlib.Path(PATH).resolve()
    program = build("mpif90", "sums.f90", FORTRAN, [], [path, f"-Wl,-rpath,{path.parent}"])
    done = program and start(1, [program], preload=None)
    wanted(not done or done.returncode == 0, done)


if not launch.command(LIBRARY, 1, []):
    print(f"1..0 # SKIP there is no launcher of {LIBRARY}")
    sys.exit(0)
try:
    run_cases()
finally:
    shutil.rmtree(FOLDER)
