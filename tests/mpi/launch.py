#!/usr/bin/env python3
"""launch.py openmpi|mpich RANKS PROGRAM [ARGUMENT...] - runs a program of MPI on this machine.

Its exit status is that of the launcher; 77, which skips the test, if the launcher is missing."""
import os
import shutil
import subprocess
import sys

import tap

IS_LONG = os.environ.get("ORDO_TESTS") == "long"  # of the suite `long`: everything


def command(library, ranks, program):
    """The command line that runs the program on so many ranks of that library. None: no launcher.

    Each library's own launcher is asked for by name: mpirun is whichever was installed last."""
    launcher = shutil.which(f"mpirun.{library}") or shutil.which("mpirun")
    if not launcher:
        return None
    # More ranks than cores, and containers where the user is root.
    more = ["--oversubscribe", "--allow-run-as-root"] if library == "openmpi" else []
    return [launcher, *more, "-n", str(ranks), *program]


def environment(library, extra=None):
    """The environment: without the other launcher's variables, and with others."""
    kept = {key: value for key, value in os.environ.items()
            if not key.startswith(("OMPI_COMM", "PMI_", "PMIX_"))}
    kept["ASAN_OPTIONS"] = "detect_leaks=0"  # MPI keeps memory to the end
    if library == "openmpi":
        kept["OMPI_MCA_rmaps_base_oversubscribe"] = "1"
        if not IS_LONG:  # the search for other networks takes most of a short test
            kept |= {"OMPI_MCA_pml": "ob1", "OMPI_MCA_btl": "self,vader,tcp"}
    kept |= extra or {}
    if library == "mpich":
        kept["UCX_LOG_FILE"] = "stderr"  # its warnings are no output of the program
        sleeping = os.environ.get("ORDO_SLEEPING")
        if sleeping and not IS_LONG:
            kept["LD_PRELOAD"] = f"{kept.get('LD_PRELOAD', '')} {sleeping}".strip()
    return kept


def run(library, words, extra=None, limit=100):
    """Runs a command line of command(), or any other, in that environment, for some seconds. What
    it printed is shown if the case fails."""
    try:
        done = subprocess.run(list(map(str, words)), stdout=subprocess.PIPE,
                              stderr=subprocess.PIPE, text=True, timeout=limit, check=False,
                              env=environment(library, extra))
    except subprocess.TimeoutExpired as late:
        tap.show_if_failed(late, late.stdout, late.stderr)
        raise
    tap.show_if_failed(words, f"exit status {done.returncode}", done.stdout, done.stderr)
    return done


if __name__ == "__main__":
    words = command(sys.argv[1], sys.argv[2], sys.argv[3:])
    if not words:
        print(f"skipped: there is no launcher of {sys.argv[1]}")
        sys.exit(77)
    os.execve(words[0], words, environment(sys.argv[1]))
