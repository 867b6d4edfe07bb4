#!/usr/bin/env python3
"""test_sums.py ORDO ROOT [length] - compiler/SUMS.md shows what its commands print; not at length
only one topology's rows of its table."""
import os
import pathlib
import re
import sys
import tempfile

from console import agree, predicted, run_as_typed, steps_of
from tap import case, run_cases, wanted

ORDO = os.path.abspath(sys.argv[1])
ROOT = pathlib.Path(sys.argv[2]).absolute()
ONE = "full-mesh"


@case("compiler/SUMS.md: every command prints what is shown below it")
def _():
    count = 0
    with tempfile.TemporaryDirectory() as folder:
        os.symlink(ROOT / "tools", pathlib.Path(folder) / "tools")
        for block in re.findall(r"^```console\n(.*?)^```",
                                (ROOT / "compiler" / "SUMS.md").read_text(),
                                re.MULTILINE | re.DOTALL):
            for command, shown in steps_of(block):
                if command == "tools/compare-sums" and sys.argv[3:] != ["length"]:
                    command += f" allreduce 8 {ONE}"
                    shown = [line for line in shown if line.split()[0] in ("topology", ONE)]
                    wanted(len(shown) == 9, *shown)
                printed = run_as_typed(command, folder, ORDO)
                wanted(agree(shown, printed, predicted), command, "shown:", *shown, "printed:",
                       *printed)
                count += 1
    wanted(count >= 4, count)


run_cases()
