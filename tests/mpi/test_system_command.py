#!/usr/bin/env python3
"""test_system_command.py LIBRARY ORDO OTHER FOLDER - `ordo mpi`: the MPI is found from the program
or the launcher, the program gets our library and the settings, and logs are compared.

OTHER is the other MPI, if it is there; FOLDER has programs of both."""
import os
import pathlib
import shutil
import subprocess
import sys
import tempfile

import launch
import strict_json
from tap import case, run_cases, wanted

LIBRARY, ORDO, OTHER, PROGRAMS = sys.argv[1:5]
ORDO = os.path.abspath(ORDO)
RANKS = 5 if launch.IS_LONG else 3  # so many that the orders of the library differ
FOLDER = pathlib.Path(tempfile.mkdtemp())
NAMES = {"openmpi": "Open MPI", "mpich": "MPICH"}
FORCED = {"openmpi": [{"OMPI_MCA_coll_tuned_use_dynamic_rules": "1",
                       "OMPI_MCA_coll_tuned_allreduce_algorithm": a} for a in ("1", "3")],
          "mpich": [{}, {"MPIR_CVAR_NUM_CLIQUES": "2"}]}[LIBRARY]


def program(library=LIBRARY):
    return os.path.join(PROGRAMS, f"program_{library}")


def start(ranks, *words, library=LIBRARY, extra=None):
    return launch.run(library, launch.command(library, ranks, [ORDO, "mpi", *words]), extra)


def alone(*words, extra=None):
    """Without a launcher."""
    return launch.run(LIBRARY, [ORDO, *words], extra)


def fails(done, *texts):
    wanted(done.returncode not in (0, 139) and all(text in done.stderr for text in texts), texts,
           done.returncode, done.stdout, done.stderr)


@case("a program gets the library of its MPI; its words are its own")
def _():
    done = start(3, program())
    wanted(done.returncode == 0 and "in the order dyadic, proved" in done.stderr, done.stderr)
    text = 'echo "$LD_PRELOAD|$ORDO_MPI|$*"'
    done = alone("mpi", "--mpi", LIBRARY, "--order", "linear", "--report", "none", "--log=x",
                 "--strict", "--check", "/bin/sh", "-c", text, "sh", "--json", "--order", "y", "--",
                 extra={"ORDO_MPI": "messages", "LD_PRELOAD": "libm.so.6"})
    preload, settings, words = done.stdout.rstrip("\n").split("|")
    wanted(done.returncode == 0 and words == "--json --order y --", done.stdout, done.stderr)
    wanted(preload.split()[0].endswith(f"/libordo_{LIBRARY}.so:libm.so.6"), preload)
    wanted(settings == f"messages,order=linear,report=none,log={os.getcwd()}/x,strict,check",
           settings)


@case("scripts and interpreters have the MPI of the launcher")
def _():
    script = FOLDER / "script"
    script.write_text(f'#!/bin/sh\nexec "{program()}"\n')
    script.chmod(0o755)
    for words in ([script], ["sh", script], ["env", "A=1", script]):
        done = start(2, *words)
        wanted(done.returncode == 0 and "in the order dyadic, proved" in done.stderr, done.stderr)


@case("the exit status and the signals of the program are those it has without")
def _():
    done = alone("mpi", "--mpi", LIBRARY, "sh", "-c", "exit 7")
    wanted(done.returncode == 7, done)
    text = "trap : PIPE; kill -PIPE $$ && echo caught"
    wanted(alone("mpi", "--mpi", LIBRARY, "sh", "-c", text).stdout == "caught\n")


@case("what cannot be run is named: no program, no MPI, static, the other launcher")
def _():
    fails(alone("mpi"), "which program?")
    fails(alone("mpi", "no-such-program"), "no-such-program: not in any folder of PATH")
    fails(alone("mpi", "/no/such"), "the program /no/such: No such file")
    fails(alone("mpi", "/tmp"), "the program /tmp: not a file")
    plain = FOLDER / "plain"
    plain.write_text("text")
    fails(alone("mpi", str(plain)), "no permission to execute it")
    fails(alone("mpi", "/bin/true"), "is not linked with an MPI", "no launcher")
    fails(alone("mpi", "--mpi", "lam", "/bin/true"), "found lam")
    fails(alone("mpi", "--order", "any", program()), "--order: found any")
    fails(alone("mpi", "--log", "a,b", program()), "without commas")
    error = strict_json.loads(alone("mpi", "--json", "/bin/true").stdout)["error"]
    wanted("is not linked" in error["text"], error)
    compiler = shutil.which("gcc") or shutil.which("cc")
    source = FOLDER / "static.c"
    source.write_text("int main(void) { return 0; }\n")
    built = compiler and subprocess.run(
        [compiler, "-static", source, "-o", FOLDER / "static"], check=False, capture_output=True)
    if built and not built.returncode:
        fails(alone("mpi", str(FOLDER / "static")), "statically linked")
    else:
        print("# not tested: nothing can be linked statically here")
    if OTHER:
        fails(start(2, program(OTHER)), f"uses {NAMES[OTHER]}", f"launcher of {NAMES[LIBRARY]}")
    else:
        print("# not tested: there is only one MPI")


def doctor(command):
    found = strict_json.loads(launch.run(LIBRARY, [command, "doctor", "--json"]).stdout)["findings"]
    return next(one for one in found if one["what"] == "ordo mpi")


@case("a library that is not built is missed by its name")
def _():
    copy = FOLDER / "bin" / "ordo"
    copy.parent.mkdir()
    shutil.copy(ORDO, copy)
    done = launch.run(LIBRARY, [copy, "mpi", program()])
    if not done.returncode:
        print("# not tested: ordo is installed here")
        return
    found = doctor(copy)
    wanted(found["verdict"] == "note" and f"none for {NAMES[LIBRARY]}" in found["text"], found)
    wanted(f"libordo_{LIBRARY}.so for {NAMES[LIBRARY]}" in doctor(ORDO)["text"])
    fails(done, f"the library for {NAMES[LIBRARY]} cannot be loaded", f"libordo_{LIBRARY}.so")


def logged(name, order, extra, words=()):
    folder = FOLDER / name
    done = start(RANKS, "--order", order, "--report", "none", "--log", str(folder), program(),
                 *words, extra=extra)
    wanted(done.returncode == 0, done.stderr)
    return str(folder)


def compared(one, other, status):
    done = alone("mpi", "--compare", one, other)
    answer = alone("mpi", "--compare", one, other, "--json")
    wanted(done.returncode == answer.returncode == status, done.stdout, done.stderr)
    return done.stdout, strict_json.loads(answer.stdout)


@case("logs show the first call whose outputs differ, and agree in the proved order")
def _():
    one, other = (logged(f"library-{i}", "library", extra) for i, extra in enumerate(FORCED))
    text, answer = compared(one, other, 1)
    wanted("its inputs agree and its outputs differ" in text, text)
    wanted(answer["difference"] == "outputs" and answer["ranks"] == RANKS, answer)
    runs = answer["runs"]
    wanted(runs[0]["input"] == runs[1]["input"] and runs[0]["output"] != runs[1]["output"], runs)
    one, other = (logged(f"dyadic-{i}", "dyadic", extra) for i, extra in enumerate(FORCED))
    text, answer = compared(one, other, 0)
    wanted(answer["difference"] == "same" and answer["calls"] > 50, answer)


def written(name, ranks):
    """ranks: the lines of each, as `number communicator count input output`."""
    folder = FOLDER / name
    folder.mkdir()
    for rank, lines in enumerate(ranks):
        text = f"# ordo mpi log 1, rank {rank} of {len(ranks)}\n"
        for line in lines:
            number, communicator, count, *hashes = line.split()
            text += f"{number} {communicator} MPI_Allreduce MPI_SUM MPI_FLOAT {count} "
            text += " ".join(hashes) + " taken\n"
        (folder / f"rank-{rank}.log").write_text(text)
    return str(folder)


@case("inputs that differ on any rank explain the outputs of the same call on others")
def _():
    plain = written("base", [["0 0/2 5 aa cc", "1 0/2 1 11 33"], ["1 0/2 1 22 33",
                                                                   "0 0/2 5 bb cc"]])
    wanted(compared(plain, plain, 0)[1]["calls"] == 4)
    other = written("inputs", [["0 0/2 5 aa dd", "1 0/2 1 11 44"], ["0 0/2 5 b0 dd",
                                                                    "1 0/2 1 22 44"]])
    text, answer = compared(plain, other, 1)
    wanted((answer["difference"], answer["rank"], answer["number"]) == ("inputs", 1, 0), answer)
    wanted("the program computed them" in text and answer["different_ranks"] == 2, text)
    # Rank 1 makes a call on a communicator of its own before.
    one, two = (written(name, [[f"0 0/2 5 aa {out}"], [f"0 1/1 5 aa aa", f"1 0/2 5 {mine} {out}"]])
                for name, mine, out in (("late", "bb", "cc"), ("later", "b0", "dd")))
    answer = compared(one, two, 1)[1]
    wanted((answer["difference"], answer["rank"], answer["number"]) == ("inputs", 1, 1), answer)
    calls = written("calls", [["0 0/2 5 aa cc"], ["0 0/2 5 bb cc"]])
    answer = compared(plain, calls, 1)[1]
    wanted((answer["difference"], answer["number"]) == ("calls", 1), answer)
    wanted(answer["runs"][1]["call"] == "-", answer)
    longer = written("longer", [["0 0/2 6 aa cc"], ["0 0/2 6 bb cc"]])
    wanted(compared(plain, longer, 1)[1]["difference"] == "calls")


@case("logs that are missing or no logs are refused")
def _():
    good = written("good", [["0 0/1 5 aa cc"]])
    fails(alone("mpi", "--compare", good, str(FOLDER / "nothing")), "cannot read")
    fails(alone("mpi", "--compare", good), "wanted two folders")
    two = written("two", [["0 0/2 5 aa cc"], ["0 0/2 5 aa cc"]])
    fails(alone("mpi", "--compare", good, two), "of 1 rank,", "of 2")
    for name, text, told in (("header", "ordo\n", "line 1"),
                             ("rank", "# ordo mpi log 1, rank 1 of 2\n", "line 1"),
                             ("fields", "# ordo mpi log 1, rank 0 of 1\n0 0/1 a\n", "line 2"),
                             ("number", "# ordo mpi log 1, rank 0 of 1\nx a b c d e f g h\n",
                              "line 2")):
        folder = FOLDER / ("bad-" + name)
        folder.mkdir()
        (folder / "rank-0.log").write_text(text)
        fails(alone("mpi", "--compare", good, str(folder)), told)


if not launch.command(LIBRARY, 1, []):
    print(f"1..0 # SKIP there is no launcher of {LIBRARY}")
    sys.exit()
run_cases()
