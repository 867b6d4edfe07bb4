#!/usr/bin/env python3
"""test_valgrind.py LIBRARY PATH FOLDER - programs on 2 ranks under valgrind: what the library for
LIBRARY, PATH, does wrong. What MPI does is not counted. FOLDER has the programs."""
import pathlib
import shutil
import sys
import tempfile
import xml.etree.ElementTree

import launch
from tap import case, run_cases, wanted

LIBRARY, PATH, PROGRAMS = sys.argv[1:4]
OURS = f"libordo_{LIBRARY}.so"
# They only do what their callers want.
NEUTRAL = ("vgpreload", "libc.so", "libm.so", "ld-linux")


def is_ours(stack):
    """Whether we are the first, from inside, who could have done otherwise."""
    objects = [pathlib.Path(frame.findtext("obj", "")).name for frame in stack.iter("frame")]
    found = next((name for name in objects if name and not name.startswith(NEUTRAL)), "")
    return found == OURS


def faults(program, *words, settings="report=none"):
    """The errors that valgrind finds in the library on any rank, as text."""
    with tempfile.TemporaryDirectory() as folder:
        inside = ["env", f"LD_PRELOAD={PATH}", f"ORDO_MPI={settings}", "valgrind", "--quiet",
                  "--leak-check=full", "--show-leak-kinds=definite", "--xml=yes",
                  f"--xml-file={folder}/%p.xml", f"{PROGRAMS}/{program}_{LIBRARY}", *words]
        # Copies between processes by process_vm_readv are unknown to valgrind.
        done = launch.run(LIBRARY, launch.command(LIBRARY, 2, inside),
                          {"OMPI_MCA_pml": "ob1", "OMPI_MCA_btl": "self,tcp"}, limit=800)
        wanted(done.returncode == 0, done.stdout[-2000:], done.stderr[-2000:])
        logs = sorted(pathlib.Path(folder).glob("*.xml"))
        wanted(len(logs) == 2, logs)
        errors = [error for log in logs
                  for error in xml.etree.ElementTree.parse(log).getroot().iter("error")]
    return [xml.etree.ElementTree.tostring(error, encoding="unicode") for error in errors
            if is_ours(error.find("stack"))]


@case("blocking reductions, on communicators of every kind")
def _():
    found = faults("communicators")
    wanted(not found, *found)


@case("by messages, with the arguments compared and a log")
def _():
    with tempfile.TemporaryDirectory() as folder:
        found = faults("communicators", settings=f"report=none,messages,check,log={folder}")
    wanted(not found, *found)


@case("nonblocking calls and persistent reductions")
def _():
    found = faults("requests")
    wanted(not found, *found)


for name in ("valgrind", launch.command(LIBRARY, 1, []) and "env"):
    if not name or not shutil.which(name):
        print(f"1..0 # SKIP there is no {name or 'launcher of ' + LIBRARY}")
        sys.exit(0)
run_cases()
