#!/usr/bin/env python3
"""reductions.py - measures the reductions of MPI programs under `ordo mpi` beside the library's
own, and writes their table into runtime/SPEED.md.

Run by tools/bench-mpi, which builds what is measured: tests/mpi/bench_reductions.c, for each MPI.
Both calls are made by one program, in turns, so only their ratio is of interest."""
import argparse
import json
import os
import pathlib
import shutil
import sys

from collectives import (KI, MI, ROOT, Progress, lines_of, machine, number_text, replace_section,
                         size_text, table)

SIZES = (8, 16 * KI, MI, 64 * MI)
OPERATORS = ("AllReduce", "ReduceScatter")
RANKS = (2, 4)
# By what the library moves data, and by what we do: `messages` as between nodes.
ONE_NODE = {"shared memory": "report=none", "messages": "report=none,messages"}
NETWORK = {"messages": "report=none,messages"}
UCX = {"pml": "ucx", "pml_ucx_tls": "any", "pml_ucx_devices": "any"}  # else it wants a network card
LIBRARIES = {
    "Open MPI": ("openmpi", {"pml": "ob1", "btl": "self,vader"}, ONE_NODE),
    "Open MPI, UCX": ("openmpi", UCX, ONE_NODE),
    "Open MPI, TCP": ("openmpi", {"pml": "ob1", "btl": "self,tcp"}, NETWORK),
    "MPICH": ("mpich", {}, ONE_NODE),
}
# Of the library's time, at most: in one node by shared memory, and over TCP.
AIMS = {"shared memory": {8: 1.0, 16 * KI: 0.7, MI: 1.0, 64 * MI: 1.0},
        "TCP": dict.fromkeys(SIZES, 1.2)}
MOST_NS_PASSED_ON = 100


def command(flavour, parameters, ranks, words):
    """The command that starts one process a rank: pinned while there is a core for each."""
    bound = "core" if ranks <= os.cpu_count() else "none"
    if flavour == "mpich":
        return ["mpirun.mpich", "-bind-to", bound, "-np", str(ranks), *words]
    more = ["--allow-run-as-root"] if os.geteuid() == 0 else []
    for name, value in parameters.items():
        more += ["--mca", name, value]
    return ["mpirun.openmpi", *more, "--oversubscribe", "--bind-to", bound, "-np", str(ranks),
            *words]


def plan():
    """What is measured: (library, ranks, our way). MPICH never yields, so only with a core for each
    rank."""
    return [(library, ranks, way)
            for library, (flavour, _, ways) in LIBRARIES.items() for ranks in RANKS for way in ways
            if flavour != "mpich" or ranks <= os.cpu_count()]


def measure(build, rounds, sizes):
    rows, absent, wanted, load = [], {}, plan(), os.getloadavg()[0]
    cells = [f"{operator}:{size}" for operator in OPERATORS for size in sizes]
    progress = Progress(len(wanted))
    for library, ranks, way in wanted:
        flavour, parameters, ways = LIBRARIES[library]
        program = build / "tests/mpi" / f"bench_reductions_{flavour}"
        progress.step(f"{library}, {ranks} ranks, {way}", 0)
        if not program.exists() or not shutil.which(f"mpirun.{flavour}"):
            absent[library] = "not installed when this was built"
            continue
        more = ["PassedOn"] if (ranks, way) == (RANKS[0], "shared memory") else []
        try:
            words = [str(program), ways[way], str(rounds), *cells, *more]
            for line in lines_of(command(flavour, parameters, ranks, words), 900):
                if line.startswith("{"):
                    rows.append({"library": library, "way": way, **json.loads(line)})
        except RuntimeError as error:
            absent[f"{library}, {ranks} ranks, {way}"] = str(error)
        progress.step("")
    progress.end()
    return {"machine": machine(), "rounds": rounds, "absent": absent, "rows": rows,
            "load": round(max(load, os.getloadavg()[0]), 1)}


def aim_of(row):
    return AIMS.get("TCP" if "TCP" in row["library"] else row["way"], {}).get(row["bytes"])


def ratio_of(row):
    """None: lost in the noise."""
    ours, own = row["ours_us"], row["library_us"]
    return ours / own if min(ours, own) > 0 else None


def judge(results):
    """(met, number) of the aims."""
    judged = [(ratio_of(row), aim_of(row)) for row in results["rows"]]
    judged = [ratio <= aim for ratio, aim in judged if aim and ratio is not None]
    return sum(judged), len(judged)


def cell(row):
    if not row:
        return "-"
    ratio, aim = ratio_of(row), aim_of(row)
    if ratio is None:
        return "-"
    text = f"{ratio:.2f}" if not aim or ratio <= aim else f"**{ratio:.2f}**"
    return f"{text} of {number_text(row['library_us'])}"


def write(results):
    facts, rows = results["machine"], results["rows"]
    yield f"- CPU: {facts['cpu']}, {facts['cores']} cores; {facts['caches']}"
    yield "- Debian packages: " + ", ".join(f"{n} {v}" for n, v in facts["packages"].items())
    yield (f"- medians of {results['rounds']} rounds; load of the machine "
           f"{results['load']}, of which two ranks are 2")
    if results["load"] > 2 * facts["cores"]:
        yield "- **other programs ran beside: these ratios are to be measured anew**"
    for what, why in results["absent"].items():
        yield f"- {what}: {why}"
    yield ""
    met, number = judge(results)
    yield f"{met} of {number} aims are met."
    yield ""
    sizes = sorted({row["bytes"] for row in rows if row["operator"] != "PassedOn"})
    found = {(row["operator"], row["ranks"], row["library"], row["way"], row["bytes"]): row
             for row in rows}
    lines = [(operator, str(ranks), library, way,
              *(cell(found.get((operator, ranks, library, way, size))) for size in sizes))
             for operator in OPERATORS for ranks in RANKS for library in LIBRARIES
             for way in LIBRARIES[library][2]
             if any((operator, ranks, library, way, size) in found for size in sizes)]
    yield from table(("operator", "ranks", "library", "ordo by", *map(size_text, sizes)), lines)
    yield ""
    passed = [row for row in rows if row["operator"] == "PassedOn"]
    if passed:
        yield "A call that is passed on, of one integer on one rank, takes so many ns more:"
        yield ""
        yield from table(("library", "its own, ns", "more, ns"), (
            (row["library"], number_text(row["library_us"] * 1e3), nanoseconds(row))
            for row in passed))


def nanoseconds(row):
    more = (row["ours_us"] - row["library_us"]) * 1e3
    return number_text(more) if more <= MOST_NS_PASSED_ON else f"**{number_text(more)}**"


def read_options():
    parser = argparse.ArgumentParser(
        prog="bench-mpi", description="Measures reductions under `ordo mpi` beside the library's.")
    parser.add_argument("--build", type=pathlib.Path, default=ROOT / "build-release",
                        help="release build with what is measured")
    parser.add_argument("--document", type=pathlib.Path, default=ROOT / "runtime" / "SPEED.md",
                        help="whose table is rewritten")
    parser.add_argument("--rounds", type=int, default=41, help="of each cell (41)")
    parser.add_argument("--quick", action="store_true",
                        help="9 rounds, up to 1 MiB; the document is left alone")
    parser.add_argument("--save", type=pathlib.Path,
                        help="write what was measured to this file, for --from")
    parser.add_argument("--from", dest="stored", type=pathlib.Path,
                        help="do not measure, read this file")
    return parser.parse_args()


def main():
    options = read_options()
    if options.stored:
        results = json.loads(options.stored.read_text(encoding="utf-8"))
    elif options.quick:
        results = measure(options.build.absolute(), 9, SIZES[:3])
    else:
        results = measure(options.build.absolute(), options.rounds, SIZES)
    if options.save:
        options.save.write_text(json.dumps(results, indent=1) + "\n", encoding="utf-8")
    if not options.quick:
        options.document.write_text(
            replace_section(options.document.read_text(encoding="utf-8"), "mpi", write(results)),
            encoding="utf-8")
    print("\n".join(write(results)))
    sys.exit(0 if results["rows"] else 1)


if __name__ == "__main__":
    main()
