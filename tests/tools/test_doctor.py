#!/usr/bin/env python3
"""What `ordo doctor` tells of a machine: of this one, and of worse ones made of a PATH and a
library.

usage: test_doctor.py ORDO [FLUSHING]

FLUSHING is a library that has floats flushed to zero; left out where it cannot be loaded first."""
import os
import pathlib
import platform
import re
import shutil
import subprocess
import sys
import tempfile

import strict_json
from tap import case, run_cases, wanted

ORDO = os.path.abspath(sys.argv[1])
FLUSHING = os.path.abspath(sys.argv[2]) if len(sys.argv) > 2 else None
SUBJECTS = [
    "ordo", "float mode", "element loops", "processors", "ranks", "memory", "huge pages", "clock",
    "waiting", "files", "locale", "dot", "Open MPI", "MPICH", "ordo mpi",
    "browser"
]


def examine(*words, start=(), **environment):
    done = subprocess.run([*start, ORDO, "doctor", *words],
                          capture_output=True,
                          text=True,
                          env={**os.environ, **environment},
                          timeout=100)
    # A sanitizer that finds no /proc says so itself.
    done.stderr = re.sub(r"^==\d+==WARNING: reading executable name failed.*\n", "", done.stderr,
                         flags=re.MULTILINE)
    wanted(done.returncode in (0, 5) and done.stderr == "", done)
    return done


def findings(**options):
    done = examine("--json", **options)
    answer = strict_json.loads(done.stdout)
    told = {one["what"]: one for one in answer["findings"]}
    wanted(list(told) == SUBJECTS, told)
    for name, verdict in [("problems", "problem"), ("notes", "note")]:
        wanted(answer[name] == sum(one["verdict"] == verdict for one in told.values()), answer)
    wanted(done.returncode == (5 if answer["problems"] else 0), done)
    wanted(all(one["hint"] for one in told.values() if one["verdict"] == "problem"), told)
    return told


def programs(folder, **scripts):
    for name, script in scripts.items():
        path = pathlib.Path(folder) / name.replace("_", ".")
        path.write_text("#!/bin/sh\n" + script + "\n")
        path.chmod(0o755)
    return folder + ":/bin"


@case("of this machine: every subject once, with what the system itself says")
def _():
    told = findings()
    allowed = len(os.sched_getaffinity(0))
    wanted(told["processors"]["text"].startswith(f"{allowed} may be used"), told["processors"])
    wanted(told["float mode"]["verdict"] == "ok", told["float mode"])
    version = subprocess.run([ORDO, "--version"], capture_output=True, text=True).stdout.split()[1]
    wanted(f"version {version}, built by" in told["ordo"]["text"], told["ordo"])
    wanted(f"pages of {os.sysconf('SC_PAGESIZE')} bytes" in told["memory"]["text"], told["memory"])
    if platform.machine() == "x86_64" and os.path.exists("/proc/cpuinfo"):
        flags = re.search(r"^flags\s*: (.*)",
                          pathlib.Path("/proc/cpuinfo").read_text(), re.M)[1].split()
        form = "avx512" if {
            "avx2", "f16c", "avx512f", "avx512bw", "avx512vl", "avx512dq"
        } <= set(flags) else \
            "avx2" if {"avx2", "f16c"} <= set(flags) else "portable"
        wanted(told["element loops"]["text"].startswith(form), form, told["element loops"])
        wanted((" AVX2" in told["element loops"]["text"]) == ("avx2" in flags),
               told["element loops"])
    if shutil.which("dot"):
        wanted(told["dot"]["verdict"] == "ok" and "it draws" in told["dot"]["text"], told["dot"])


@case("for people: a line a subject, a verdict first, no colour but on a terminal")
def _():
    out = examine(NO_COLOR="1").stdout
    wanted(
        "\033" not in out
        and ("\neverything that the commands need is present" in out or "\n1 problem" in out), out)
    for subject in SUBJECTS:
        wanted(re.search(rf"^(ok|note|problem) +{subject} +\S", out, re.M), subject, out)


@case("fewer processors than the machine has: those that the process may use")
def _():
    told = findings(start=["taskset", "-c", str(min(os.sched_getaffinity(0)))]) if shutil.which(
        "taskset") else None
    wanted(
        not told or told["processors"]["text"].startswith("1 may be used")
        and told["ranks"]["text"].startswith("1 rank at"), told)


@case("nothing on the PATH: dot is a problem and exit code 5, the rest are notes")
def _():
    with tempfile.TemporaryDirectory() as folder:
        told = findings(PATH=folder)
    wanted(told["dot"]["verdict"] == "problem" and "graphviz" in told["dot"]["hint"], told["dot"])
    for name in ["Open MPI", "MPICH", "browser"]:
        wanted(told[name]["verdict"] == "note", told[name])


@case("a dot that does not draw is a problem, one that does is none")
def _():
    with tempfile.TemporaryDirectory() as folder:
        path = programs(
            folder,
            dot=
            'case "$1" in -V) echo "dot - graphviz version 99.1 (x)" >&2 ;; *) cat >/dev/null; '
            'exit 1 ;; esac'
        )
        told = findings(PATH=path)["dot"]
        wanted(told["verdict"] == "problem" and "99.1 (x), does not draw" in told["text"], told)
        path = programs(
            folder,
            dot=
            'case "$1" in -V) echo "dot - graphviz version 99.1 (x)" >&2 ;; *) cat >/dev/null; '
            'echo "<svg/>" ;; esac'
        )
        told = findings(PATH=path)["dot"]
        wanted(told["verdict"] == "ok" and "99.1 (x); it draws" in told["text"], told)
        programs(folder, dot="printf '\\033[2J'; kill -9 $$")
        told = findings(PATH=path)["dot"]
        wanted(told["verdict"] == "problem" and "\033" not in told["text"], told)


@case("the MPIs are told apart, whichever mpirun is")
def _():
    with tempfile.TemporaryDirectory() as folder:
        programs(folder,
                 mpirun='echo "mpirun (Open MPI) 9.8.7"',
                 ompi_info='echo "  MCA pml: ucx (MCA v2)"',
                 mpichversion='printf "MPICH Version:    \\t6.5\\nMPICH Device: ch4:ofi\\n"',
                 mpiexec_hydra="true")
        os.rename(os.path.join(folder, "ompi.info"), os.path.join(folder, "ompi_info"))
        told = findings(PATH=folder)
        wanted("9.8.7" in told["Open MPI"]["text"] and "with the UCX" in told["Open MPI"]["text"],
               told["Open MPI"])
        wanted("6.5" in told["MPICH"]["text"] and "device ch4:ofi" in told["MPICH"]["text"],
               told["MPICH"])
        programs(folder, mpirun='echo "HYDRA build details:"')
        told = findings(PATH=folder)
        wanted(told["Open MPI"]["verdict"] == "note", told["Open MPI"])


@case("floats that are flushed to zero are a problem, with what sets them right")
def _():
    if FLUSHING and platform.machine() == "x86_64":
        told = findings(LD_PRELOAD=FLUSHING)["float mode"]
        wanted(
            told["verdict"] == "problem" and "flushes subnormals" in told["text"]
            and "fesetenv" in told["hint"], told)


@case("no /proc and no /sys: what cannot be known is told as unknown")
def _():
    bare = [
        "unshare", "-rm", "sh", "-c",
        'mount -t tmpfs none /sys && mount -t tmpfs none /proc && exec "$@"', "bare"
    ]
    able = shutil.which("unshare") and subprocess.run([*bare, "true"],
                                                      capture_output=True).returncode == 0
    # A sanitizer cannot do without /proc.
    if able and "no sanitizer" in findings()["ordo"]["text"]:
        told = findings(start=bare)
        wanted(
            "transparent: unknown" in told["huge pages"]["text"]
            and "source unknown" in told["clock"]["text"], told)


@case("an operand is refused")
def _():
    done = subprocess.run([ORDO, "doctor", "quickly"], capture_output=True, text=True)
    wanted(done.returncode == 2 and "found quickly" in done.stderr and done.stdout == "", done)


run_cases()
