#!/usr/bin/env python3
"""staging.py ORDO - what staging costs on the threads of this machine, measured and predicted.

The same algorithm with and without, by turns, each at the best of its runs; predicted on a topology
that `ordo calibrate` has just measured. With --document its table in runtime/SPEED.md is
rewritten. A benchmark, not a test: it judges nothing."""
import argparse
import json
import pathlib
import subprocess
import tempfile

from collectives import KI, MI, Progress, number_text, replace_section, size_text, table

RANKS = 8
ALGORITHMS = (("AllReduce", "ring"), ("AllReduce", "halving-doubling"), ("AllToAll", "pairwise"))
SLOTS = (None, 2, 8)  # None: without staging
SIZES = (16 * KI, MI, 16 * MI)


class Bench:
    """Calls the command in a folder of its own."""

    def __init__(self, ordo, folder):
        self.ordo, self.folder = ordo, pathlib.Path(folder)

    def call(self, *words):
        done = subprocess.run([self.ordo, *map(str, words), "--json"], capture_output=True,
                              text=True, check=False)
        if done.returncode:
            raise SystemExit(f"ordo {' '.join(map(str, words))}\n{done.stdout}{done.stderr}")
        return json.loads(done.stdout)

    def compile(self, operator, algorithm, slots):
        path = self.folder / f"{operator}-{algorithm}-{slots}.json"
        staging = [] if slots is None else ["--staging", slots]
        self.call("compile", operator, "-n", RANKS, "-a", algorithm, *staging, "-o", path)
        return path

    def calibrate(self, size):
        path = self.folder / f"machine-{size}.json"
        self.call("calibrate", "-n", RANKS, "--size", size, "-o", path)
        return path

    def best(self, path, size, repeat):
        return self.call("run", path, "--size", size, "--repeat", repeat)["best_seconds"]

    def predicted(self, path, size, machine):
        return self.call("predict", path, "--size", size, "-t", machine)["seconds"]


def measure_rows(bench, rounds, progress):
    for size in SIZES:
        machine = bench.calibrate(size)
        for operator, algorithm in ALGORITHMS:
            paths = [bench.compile(operator, algorithm, slots) for slots in SLOTS]
            best = [min(times) for times in zip(*(
                [bench.best(path, size, 3 if size > MI else 20) for path in paths]
                for _ in range(rounds)))]
            guess = [bench.predicted(path, size, machine) for path in paths]
            progress.step(f"{operator} {algorithm} {size_text(size)}")
            yield (f"{operator}, {algorithm}", size_text(size), number_text(best[0] * 1e6),
                   *(f"{best[i] / best[0]:.2f} / {guess[i] / guess[0]:.2f}"
                     for i in range(1, len(SLOTS))))


def read_options():
    parser = argparse.ArgumentParser(prog="staging.py", description=__doc__.split("\n")[0])
    parser.add_argument("ordo", type=pathlib.Path)
    parser.add_argument("--document", type=pathlib.Path, help="whose table is rewritten")
    parser.add_argument("--rounds", type=int, default=9, help="of each cell (9)")
    return parser.parse_args()


def main():
    options = read_options()
    progress = Progress(len(SIZES) * len(ALGORITHMS))
    with tempfile.TemporaryDirectory() as folder:
        rows = list(measure_rows(Bench(options.ordo.absolute(), folder), options.rounds, progress))
    progress.end()
    lines = list(table((f"{RANKS} ranks", "size", "without, us", *(
        f"{slots} slots: measured / predicted" for slots in SLOTS[1:])), rows))
    if options.document:
        options.document.write_text(replace_section(
            options.document.read_text(encoding="utf-8"), "staging", lines), encoding="utf-8")
    print("\n".join(lines))


if __name__ == "__main__":
    main()
