#!/usr/bin/env python3
"""test_communicators.py LIBRARY PATH PROGRAM NUMBER - so many communicators are made and freed, and
the last works: PROGRAM is communicators.c."""
import sys

import launch
from tap import case, run_cases, wanted

LIBRARY, PATH, PROGRAM, NUMBER = sys.argv[1:5]


@case(f"{NUMBER} communicators are made, used and freed")
def _():
    done = launch.run(LIBRARY, launch.command(LIBRARY, 2, [PROGRAM, NUMBER]),
                      {"LD_PRELOAD": PATH, "ORDO_MPI": ""}, limit=800)
    wanted(done.returncode == 0 and "all agree" in done.stdout, done.stdout, done.stderr)


if not launch.command(LIBRARY, 1, []):
    print(f"1..0 # SKIP there is no launcher of {LIBRARY}")
    sys.exit(0)
run_cases()
